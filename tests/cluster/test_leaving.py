"""What the API server refuses when a package leaves krm-fn: judged by its dry run, in generated ways to leave.

kustomize and krm-fn name an object by the same hash, so that the name stays, and what was immutable would change.
"""

import copy
import itertools
import json
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import yaml

from krm_fn.cli.main import main
from tests.cluster.api import Api
from tests.cluster.kubeconfig import write_kubeconfig
from tests.tools.require import require
from tests.volume import IS_WHOLE, seed_of

Object = dict[str, Any]
CONFIGURATION = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "shop"},
    "spec": {"kinds": ["ConfigMap", "Secret"], "linker": {"image": "registry.example/krm-fn:1"}},
}
REMOVED = "the function removed"
WAYS: dict[str, Object] = {
    "nothing": {},
    "ignore": {"strategy": "ignore"},
    "adopt": {"strategy": "adopt"},
    "checksum": {"strategy": "checksum"},
    "not immutable": {"immutable": False},
    "no Secrets": {"kinds": ["ConfigMap"]},
    "one excluded": {"exclude": [{"kind": "ConfigMap"}]},
    REMOVED: {},
}
SOURCES = ("generators", "immutable generators", "generators without a hash", "manifests")
EDITS = ("the same content", "other content", "content of before", "immutable from now on")
APPLIERS: dict[str, tuple[str, ...]] = {"client-side": (), "server-side": ("--server-side",)}
ALL = [*itertools.product(SOURCES, WAYS, EDITS, APPLIERS)]
EACH_RUN = 4

REFUSED = re.compile(r'(ConfigMap|Secret) "(\S+)" is invalid')


class Content(NamedTuple):
    """What a package says: the letter of its content, and whether its author makes it immutable."""

    letter: str
    is_immutable: bool = False


class Package:
    """A package in a folder, in one namespace. `source`: who makes its ConfigMap and its Secret."""

    def __init__(self, folder: Path, namespace: str, source: str) -> None:
        self.folder = folder
        self.namespace = namespace
        self.source = source
        folder.mkdir(parents=True)

    def write(self, content: Content, spec: Object | None) -> None:
        """Write its files. `spec`: what is configured; None without the function."""
        name = self.folder.parent.name
        is_immutable = content.is_immutable or self.source.startswith("immutable")
        options: Object = {"disableNameSuffixHash": "without" in self.source}
        options |= {"immutable": True} if is_immutable else {}
        data = {"A": content.letter}
        kustomization: Object = {"namespace": self.namespace, "resources": ["web.yaml"]}
        if self.source == "manifests":
            fixed: Object = {"immutable": True} if content.is_immutable else {}
            objects: list[Object] = [
                {"kind": "ConfigMap", "metadata": {"name": f"{name}-config"}, "data": data},
                {"kind": "Secret", "metadata": {"name": f"{name}-secret"}, "stringData": data},
            ]
            objects = [{"apiVersion": "v1", **one, **fixed} for one in objects]
            (self.folder / "objects.yaml").write_text(yaml.safe_dump_all(objects))
            kustomization["resources"].append("objects.yaml")
        else:
            literals = [f"A={content.letter}"]
            kustomization["generatorOptions"] = options
            kustomization["configMapGenerator"] = [{"name": f"{name}-config", "literals": literals}]
            kustomization["secretGenerator"] = [{"name": f"{name}-secret", "literals": literals}]
        sources = [
            {"configMapRef": {"name": f"{name}-config"}},
            {"secretRef": {"name": f"{name}-secret"}},
        ]
        container = {"name": "web", "image": "registry.example/web:1", "envFrom": sources}
        labels = {"app": name}
        workload = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name},
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
        (self.folder / "web.yaml").write_text(yaml.safe_dump(workload))
        (self.folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        file = self.folder / "krm-fn.yaml"
        file.unlink(missing_ok=True)
        if spec is not None:
            configuration = copy.deepcopy(CONFIGURATION)
            configuration["metadata"] = {"name": name}
            configuration["spec"] |= spec  # type: ignore[operator]
            file.write_text(yaml.safe_dump(configuration))

    def render(self) -> bytes:
        if not (self.folder / "krm-fn.yaml").exists():
            command = [str(require("kustomize")), "build", str(self.folder)]
            return subprocess.run(command, check=True, capture_output=True).stdout
        done = main(["render", str(self.folder)])
        assert done.exit_code == 0, done.stderr
        return done.stdout


class Kubectl:
    def __init__(self, api: Api, folder: Path) -> None:
        self.config = write_kubeconfig(
            folder / "kubeconfig", api.server, token=api.token, namespace=api.namespace
        )

    def run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [str(require("kubectl")), "--kubeconfig", str(self.config), *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, check=False)

    def apply(self, rendered: bytes, flags: tuple[str, ...]) -> None:
        done = self.run("apply", "-f", "-", *flags, stdin=rendered)
        assert done.returncode == 0, done.stderr.decode()

    def find_refused(self, rendered: bytes, flags: tuple[str, ...]) -> set[tuple[str, str]]:
        done = self.run("apply", "--dry-run=server", "-f", "-", *flags, stdin=rendered)
        text = done.stderr.decode()
        found = {(kind, name.rpartition("/")[2]) for kind, name in REFUSED.findall(text)}
        assert bool(found) == bool(done.returncode), text
        return found

    def dump(self) -> bytes:
        return self.run("get", "configmaps,secrets,deployments", "-o", "yaml").stdout


def said_by_diff(*arguments: str) -> set[str]:
    """Return the kinds of what `diff` says is refused."""
    done = main(["diff", "-ojson", "--fail-on=refused", *arguments])
    assert done.exit_code in {0, 4}, done.stderr
    difference = json.loads(done.stdout)
    found = {
        one["kind"] for one in difference["revisions"] + difference["objects"] if one["refusal"]
    }
    assert (done.exit_code == 4) is bool(found)
    return found


def said_by_check(folder: Path, deployed: Path) -> set[str]:
    done = main(["render", "--check", f"--deployed={deployed}", str(folder)])
    lines = [line for line in done.stderr.splitlines() if "the API server refuses the new" in line]
    return {line.removeprefix("error: ").partition("/")[0] for line in lines}


OFTEN = [
    ("generators", way, EDITS[0], applier)
    for way, applier in zip(WAYS, [*APPLIERS] * 4, strict=True)
]
CHOSEN = ALL if IS_WHOLE else [*OFTEN, *Random(seed_of(46)).sample(ALL, EACH_RUN)]


@pytest.mark.parametrize("case", dict.fromkeys(CHOSEN), ids=", ".join)
def test_what_is_said_is_what_the_api_server_refuses(
    case: tuple[str, str, str, str],
    namespace: Api,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source, way, edit, applier = case
    monkeypatch.setenv("PATH", str(require("kustomize").parent), prepend=":")
    kubectl, flags = Kubectl(namespace, tmp_path), APPLIERS[applier]
    package = Package(tmp_path / "shop" / "package", namespace.namespace, source)
    for letter in ("a", "b") if edit == "content of before" else ("a",):
        package.write(Content(letter), {})
        deployed = package.render()
        kubectl.apply(deployed, flags)
    letter = "b" if edit == "other content" else "a"
    content = Content(letter, is_immutable=edit == "immutable from now on")
    package.write(content, None if way == REMOVED else WAYS[way])
    rendered = package.render()
    files = {name: tmp_path / f"{name}.yaml" for name in ("old", "new", "dump")}
    for name, data in (("old", deployed), ("new", rendered), ("dump", kubectl.dump())):
        files[name].write_bytes(data)

    found = kubectl.find_refused(rendered, flags)
    refused = {kind for kind, _ in found}
    live = ["--live", f"--kubeconfig={kubectl.config}", f"--namespace={namespace.namespace}"]
    new = files["new"] if way == REMOVED else package.folder
    assert said_by_diff(*live, str(new)) == refused
    if edit != "content of before":  # neither rendering has it
        assert said_by_diff(str(files["old"]), str(files["new"])) == refused
    if way != REMOVED:
        assert said_by_check(package.folder, files["dump"]) == refused
        if edit != "content of before":
            assert said_by_check(package.folder, files["old"]) == refused
    if refused and "generators" in source:
        package.write(content._replace(is_immutable=True), None if way == REMOVED else WAYS[way])
        assert kubectl.find_refused(package.render(), flags) == set(), "the way out works"
    if found:
        kubectl.run("delete", *(f"{kind}/{name}" for kind, name in found))
        assert kubectl.find_refused(rendered, flags) == set(), "to delete it first works too"
