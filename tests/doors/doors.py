"""Every door of krm-fn behind one interface: a package and a configuration in, what comes out of it.

A package is a folder of manifests. A configuration is what is passed, as settings of a ConfigMap, because that is what
every door can take; None passes nothing.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from krm_fn.cli.main import main
from krm_fn.function import run
from krm_fn.model.problem import Outcome
from tests.cli.process import krm_fn
from tests.tools.require import require

Settings: TypeAlias = Mapping[str, str]

KRM_FN = Path(sys.executable).parent / "krm-fn"


class Answer(NamedTuple):
    """The exit code, the manifests or what else a command printed, and the lines about problems.

    Names of files are relative to the package.
    """

    exit_code: int
    manifests: str
    problems: str


class Door(NamedTuple):
    """A way to run krm-fn over a package. `run` may add files to its folder.

    `makes`: it gives manifests, and is no command that only looks. `reads_what_is_passed`: the configuration that is
    passed is a file of the package. `knows_files`: it sees which files the objects are from. `must_pass`: it does not
    run without a configuration that is passed.
    """

    run: Callable[[Path, Settings | None], Answer]
    makes: bool = True
    reads_what_is_passed: bool = False
    knows_files: bool = True
    must_pass: bool = False


def configuration(settings: Settings, **annotations: str) -> str:
    """Return settings as an object of our kind."""
    spec = {name: value for name, value in settings.items() if name != "name"}
    metadata = {"name": settings["name"], "annotations": {"config.kubernetes.io/local-config": "true", **annotations}}
    return json.dumps(
        {"apiVersion": "revisions.krm-fn.io/v1", "kind": "ConfigRevisions", "metadata": metadata, "spec": spec}
    )


def _manifests(package: Path) -> list[Path]:
    return sorted(file for file in package.rglob("*") if file.suffix == ".yaml" or file.name == "Kptfile")


def _objects(package: Path) -> list[Any]:
    """Read all objects as kpt sends them, with their files."""
    found = []
    for file in _manifests(package):
        for index, item in enumerate(yaml.safe_load_all(file.read_text())):
            place = {"internal.config.kubernetes.io/path": str(file.relative_to(package))}
            place["internal.config.kubernetes.io/index"] = str(index)
            metadata = item.setdefault("metadata", {})
            metadata["annotations"] = {**metadata.get("annotations", {}), **place}
            found.append(item)
    return found


def _answer(package: Path, outcome: Outcome) -> Answer:
    return Answer(outcome.exit_code, outcome.stdout.decode(), outcome.stderr.replace(f"{package}/", ""))


def _function(package: Path, settings: Settings | None) -> Answer:
    passed = {} if settings is None else {"functionConfig": yaml.safe_load(configuration(settings))}
    wire = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", **passed, "items": _objects(package)}
    answer = _answer(package, run(json.dumps(wire).encode()))
    return answer._replace(manifests=yaml.safe_dump_all(json.loads(answer.manifests)["items"]))


def _stream_of(package: Path) -> str:
    return "\n---\n".join(file.read_text() for file in _manifests(package) if file.name != "Kptfile")


def _stream(package: Path, settings: Settings | None) -> Answer:
    """Run the exec plugin of kustomize; without a configuration, the function over the same stream."""
    config = None if settings is None else configuration(settings).encode()
    return _answer(package, run(_stream_of(package).encode(), config))


def _given(package: Path, settings: Settings | None, option: str) -> list[str]:
    """Return the arguments that pass a file beside the package."""
    if settings is None:
        return []
    file = package.parent / "given.yaml"
    file.write_text(configuration(settings))
    return [option, str(file)]


def _post_renderer(package: Path, settings: Settings | None) -> Answer:
    """Run what Helm runs as its post-renderer."""
    done = krm_fn("render", "-", *_given(package, settings, "--config"), cwd=package, stdin=_stream_of(package))
    return Answer(done.returncode, done.stdout, done.stderr)


def _command(*arguments: str) -> Callable[[Path, Settings | None], Answer]:
    def run_command(package: Path, settings: Settings | None) -> Answer:
        named = [str(package) if one == "PACKAGE" else one for one in arguments]
        return _answer(package, main([*named, *_given(package, settings, "--config")]))

    return run_command


def _diff(package: Path, settings: Settings | None) -> Answer:
    """Compare the package with nothing but a Namespace."""
    old = package.parent / "old.yaml"
    old.write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
    return _command("diff", str(old), "PACKAGE")(package, settings)


def _kustomize(package: Path, settings: Settings | None) -> Answer:
    """Render all files but the krm-fn.yaml beside the kustomization. kustomize leaves out what is only for tools."""
    others = [str(file.relative_to(package)) for file in _manifests(package) if file.name != "Kptfile"]
    resources = [name for name in others if name != "krm-fn.yaml"]
    for file in map(package.joinpath, resources):
        file.write_text(file.read_text().replace('/local-config": "true"', '/local-config": "false"'))
    (package / "kustomization.yaml").write_text(json.dumps({"resources": resources}))
    return _command("render", "PACKAGE")(package, settings)


def _transformer(package: Path, settings: Settings | None) -> Answer:
    """Let kustomize run the function over all files. What it is for is its configuration."""
    resources = [str(file.relative_to(package)) for file in _manifests(package) if file.name != "Kptfile"]
    function = json.dumps({"exec": {"path": str(KRM_FN)}})
    transformer = configuration(settings or {}, **{"config.kubernetes.io/function": function})
    (package / "kustomization.yaml").write_text(json.dumps({"resources": resources, "transformers": [transformer]}))
    command = [str(require("kustomize")), "build", "--enable-alpha-plugins", "--enable-exec", str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Answer(done.returncode, done.stdout, done.stderr)


def _run_kpt(package: Path, *arguments: str) -> Answer:
    command = [str(require("kpt")), "fn", *arguments]
    environment = {**os.environ, "PATH": f"{KRM_FN.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, env=environment, cwd=package, capture_output=True, text=True, check=False)
    written = "\n---\n".join(file.read_text() for file in _manifests(package))
    return Answer(done.returncode, written, done.stderr)


def _kpt_arguments(package: Path, settings: Settings | None) -> Answer:
    given = [] if settings is None else ["--", *(f"{name}={value}" for name, value in settings.items())]
    return _run_kpt(package, "eval", ".", "--exec", str(KRM_FN), *given)


def _kpt_fn_config(package: Path, settings: Settings | None) -> Answer:
    return _run_kpt(package, "eval", ".", "--exec", str(KRM_FN), *_given(package, settings, "--fn-config"))


def _kpt_render(package: Path, **config: Any) -> Answer:
    pipeline = {"mutators": [{"exec": str(KRM_FN), **config}]}
    kptfile = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "shop"}, "pipeline": pipeline}
    (package / "Kptfile").write_text(json.dumps(kptfile))
    return _run_kpt(package, "render", ".", "--allow-exec")


def _kpt_config_map(package: Path, settings: Settings | None) -> Answer:
    return _kpt_render(package) if settings is None else _kpt_render(package, configMap=dict(settings))


def _kpt_config_path(package: Path, settings: Settings | None) -> Answer:
    if settings is None:
        return _kpt_render(package)
    (package / "given.yaml").write_text(configuration(settings))
    return _kpt_render(package, configPath="given.yaml")


DOORS = {
    "function": Door(_function),
    "exec plugin": Door(_stream, knows_files=False),
    "kustomize build, transformers": Door(_transformer, knows_files=False, must_pass=True),
    "Helm's post-renderer": Door(_post_renderer, knows_files=False),
    "render": Door(_command("render", "PACKAGE")),
    "render of a kustomization": Door(_kustomize, knows_files=False),
    "explain": Door(_command("explain", "PACKAGE"), makes=False),
    "graph": Door(_command("graph", "PACKAGE"), makes=False),
    "diff": Door(_diff, makes=False),
    "verify": Door(_command("verify", "PACKAGE"), makes=False),
    "kpt fn eval, arguments": Door(_kpt_arguments),
    "kpt fn eval, --fn-config": Door(_kpt_fn_config),
    "kpt fn render, configMap": Door(_kpt_config_map),
    "kpt fn render, configPath": Door(_kpt_config_path, reads_what_is_passed=True),
}
