"""Every door of krm-fn behind one interface: a package and a configuration in, what comes out of it.

A package is a folder of manifests. A configuration is what is passed: its name, and its `spec`; None passes nothing.
What a ConfigMap can say, every door can take.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from unittest.mock import patch

import yaml

from krm_fn.base.problem import Outcome
from krm_fn.cli.main import main
from krm_fn.function import run
from krm_fn.tools.common.files import built_from
from tests.cli.process import krm_fn
from tests.tools.require import require

Settings: TypeAlias = Mapping[str, Any]

PLUGIN = Path(__file__).parents[2] / "examples" / "argocd-plugin" / "plugin.yaml"
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

    `makes`: it gives manifests, and is no command that only looks. `reads_what_is_passed`: the
    configuration that is passed is a file of the package. `knows_files`: it sees which files the
    objects are from. `must_pass`: it does not run without a configuration that is passed. `program`:
    what it starts beside krm-fn.
    """

    run: Callable[[Path, Settings | None], Answer]
    makes: bool = True
    reads_what_is_passed: bool = False
    knows_files: bool = True
    must_pass: bool = False
    program: str = ""


def configuration(settings: Settings, **annotations: str) -> str:
    """Return settings as an object of our kind."""
    spec = {name: value for name, value in settings.items() if name != "name"}
    metadata = {
        "name": settings["name"],
        "annotations": {"config.kubernetes.io/local-config": "true", **annotations},
    }
    return json.dumps(
        {
            "apiVersion": "revisions.krm-fn.io/v1",
            "kind": "ConfigRevisions",
            "metadata": metadata,
            "spec": spec,
        }
    )


def as_texts(settings: Settings) -> dict[str, str]:
    """Return settings as a ConfigMap and kpt's arguments say them.

    Raises Unsayable for what they cannot say.
    """
    return dict(_texts(settings))


class Unsayable(Exception):
    """A ConfigMap holds only scalars and lists of names."""


def _texts(settings: Settings, prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _texts(value, f"{prefix}{name}.")
        elif isinstance(value, list):
            yield f"{prefix}{name}", ",".join(map(_name, value))
        else:
            yield f"{prefix}{name}", json.dumps(value) if isinstance(value, bool | int) else value


def _name(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    if entry.keys() == {"name"}:
        return str(entry["name"])
    raise Unsayable(entry)


def _manifests(package: Path) -> list[Path]:
    return sorted(
        file for file in package.rglob("*") if file.suffix == ".yaml" or file.name == "Kptfile"
    )


def _objects(package: Path) -> list[Any]:
    """Read all objects as kpt sends them, with their files."""
    found = []
    for file in _manifests(package):
        for index, item in enumerate(
            filter(None, yaml.load_all(file.read_text(), yaml.CSafeLoader))
        ):
            place = {"internal.config.kubernetes.io/path": str(file.relative_to(package))}
            place["internal.config.kubernetes.io/index"] = str(index)
            metadata = item.setdefault("metadata", {})
            metadata["annotations"] = {**metadata.get("annotations", {}), **place}
            found.append(item)
    return found


def _answer(package: Path, outcome: Outcome) -> Answer:
    said = f"{outcome.stderr}{outcome.summary}"
    return Answer(outcome.exit_code, outcome.stdout.decode(), said.replace(f"{package}/", ""))


def _function(package: Path, settings: Settings | None) -> Answer:
    passed = (
        {}
        if settings is None
        else {"functionConfig": yaml.load(configuration(settings), yaml.CSafeLoader)}
    )
    wire = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        **passed,
        "items": _objects(package),
    }
    answer = _answer(package, run(json.dumps(wire).encode()))
    return answer._replace(manifests=yaml.safe_dump_all(json.loads(answer.manifests)["items"]))


def _stream_of(package: Path) -> str:
    return "\n---\n".join(
        file.read_text() for file in _manifests(package) if file.name != "Kptfile"
    )


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
    done = krm_fn(
        "render",
        "-",
        *_given(package, settings, "--config"),
        cwd=package,
        stdin=_stream_of(package),
    )
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
    _make_kustomization(package)
    return _command("render", "PACKAGE")(package, settings)


def _make_kustomization(package: Path) -> None:
    """Let a kustomization name all files but the krm-fn.yaml beside it, unless the package is built already."""
    require("kubectl")  # which builds it
    if built_from(package):
        return
    others = [
        str(file.relative_to(package)) for file in _manifests(package) if file.name != "Kptfile"
    ]
    resources = [name for name in others if name != "krm-fn.yaml"]
    for file in map(package.joinpath, resources):
        file.write_text(
            file.read_text().replace('/local-config": "true"', '/local-config": "false"')
        )
    (package / "kustomization.yaml").write_text(json.dumps({"resources": resources}))


def _transformer(package: Path, settings: Settings | None) -> Answer:
    """Let kustomize run the function over all files. What it is for is its configuration."""
    _list_krm_fn(package, settings or {})
    command = [
        str(require("kustomize")),
        "build",
        "--enable-alpha-plugins",
        "--enable-exec",
        str(package),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Answer(done.returncode, done.stdout, done.stderr)


def _list_krm_fn(package: Path, settings: Settings) -> None:
    file = package / "kustomization.yaml"
    if file.exists():
        kustomization = yaml.load(file.read_text(), yaml.CSafeLoader)
    else:
        names = [
            str(one.relative_to(package)) for one in _manifests(package) if one.name != "Kptfile"
        ]
        kustomization = {"resources": names}
    function = json.dumps({"exec": {"path": str(KRM_FN)}})
    transformer = configuration(settings, **{"config.kubernetes.io/function": function})
    file.write_text(json.dumps({**kustomization, "transformers": [transformer]}))


def _listed(package: Path, settings: Settings | None) -> Answer:
    """Render a kustomization that lists krm-fn: it is taken out, and run behind kustomize."""
    require("kubectl")  # which builds it
    _list_krm_fn(package, settings or {})
    return _command("render", "PACKAGE")(package, None)


def _plugin(package: Path, settings: Settings | None) -> Answer:
    """Run what Argo CD's plugin runs, as its plugin.yaml says, with the configuration beside the kustomization."""
    _make_kustomization(package)
    if settings is not None:
        (package / "krm-fn.yaml").write_text(configuration(settings))
    _, *arguments = yaml.load(PLUGIN.read_text(), yaml.CSafeLoader)["spec"]["generate"]["command"]
    with patch.dict(os.environ, ARGOCD_APP_NAME="shop-in-argo-cd", ARGOCD_APP_NAMESPACE="shop"):
        return _command(*("PACKAGE" if one == "." else one for one in arguments))(package, None)


def _run_kpt(package: Path, *arguments: str) -> Answer:
    command = [str(require("kpt")), "--truncate-output=false", "fn", *arguments]
    environment = {**os.environ, "PATH": f"{KRM_FN.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, env=environment, cwd=package, capture_output=True, text=True, check=False
    )
    written = "\n---\n".join(file.read_text() for file in _manifests(package))
    return Answer(done.returncode, written, done.stderr)


def _kpt_arguments(package: Path, settings: Settings | None) -> Answer:
    given = (
        []
        if settings is None
        else ["--", *(f"{name}={value}" for name, value in as_texts(settings).items())]
    )
    return _run_kpt(package, "eval", ".", "--exec", str(KRM_FN), *given)


def _kpt_fn_config(package: Path, settings: Settings | None) -> Answer:
    return _run_kpt(
        package, "eval", ".", "--exec", str(KRM_FN), *_given(package, settings, "--fn-config")
    )


def _kpt_render(package: Path, **config: Any) -> Answer:
    pipeline = {"mutators": [{"exec": str(KRM_FN), **config}]}
    kptfile = {
        "apiVersion": "kpt.dev/v1",
        "kind": "Kptfile",
        "metadata": {"name": "shop"},
        "pipeline": pipeline,
    }
    (package / "Kptfile").write_text(json.dumps(kptfile))
    return _run_kpt(package, "render", ".", "--allow-exec")


def _kpt_config_map(package: Path, settings: Settings | None) -> Answer:
    return (
        _kpt_render(package)
        if settings is None
        else _kpt_render(package, configMap=as_texts(settings))
    )


def _kpt_config_path(package: Path, settings: Settings | None) -> Answer:
    if settings is None:
        return _kpt_render(package)
    (package / "given.yaml").write_text(configuration(settings))
    return _kpt_render(package, configPath="given.yaml")


DOORS = {
    "function": Door(_function),
    "exec plugin": Door(_stream, knows_files=False),
    "kustomize build, transformers": Door(
        _transformer, knows_files=False, must_pass=True, program="kustomize"
    ),
    "Helm's post-renderer": Door(_post_renderer, knows_files=False),
    "render": Door(_command("render", "PACKAGE")),
    "render of a kustomization": Door(_kustomize, knows_files=False, program="kubectl"),
    "explain": Door(_command("explain", "PACKAGE"), makes=False),
    "graph": Door(_command("graph", "PACKAGE"), makes=False),
    "diff": Door(_diff, makes=False),
    "verify": Door(_command("verify", "PACKAGE"), makes=False),
    "kpt fn eval, arguments": Door(_kpt_arguments, program="kpt"),
    "kpt fn eval, --fn-config": Door(_kpt_fn_config, program="kpt"),
    "kpt fn render, configMap": Door(_kpt_config_map, program="kpt"),
    "kpt fn render, configPath": Door(_kpt_config_path, reads_what_is_passed=True, program="kpt"),
}
PLACED = {
    "render of a kustomization that lists krm-fn": Door(
        _listed, knows_files=False, must_pass=True, program="kubectl"
    ),
    "Argo CD's plugin": Door(_plugin, knows_files=False, program="kubectl"),
}
"""Doors at which the configuration has its place in the package, so that none can be passed beside it."""
