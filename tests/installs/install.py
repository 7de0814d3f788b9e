"""The installs in this folder: reduced copies of what people apply to run the programs of a cluster, and extracts.

An extract is a small package in the shape of what people write around such a program. Its `truth` says of each
ConfigMap and Secret how it is read, by the source of the program, and what the function should do with it.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from krm_fn.base.problem import Outcome
from krm_fn.base.settings import Environment
from krm_fn.function import run
from tests.function.openapi import load, objects_in

INSTALLS = Path(__file__).parent
CONFIGS = ("ConfigMap", "Secret")
KINDS = (("ConfigMap",), CONFIGS)
"""The settings of `spec.kinds` under test: the default, and both kinds."""

NEEDS_ITS_NAME = frozenset({"looked up", "shape"})
"""What `is` says where no other name works: a program asks for it, or reads the name's shape or a path that has it."""

WAYS = NEEDS_ITS_NAME | {"read", "named", "filled", "chart", "substituted"}
"""What `is` can say: besides, a pod reads it as files or variables; a field of another object names it; a controller
fills it; its chart makes it anew; a deployer replaces variables in its data."""

_BASE_NAME = "revisions.krm-fn.io/base-name"
_MAY_BE_STALE = (
    _BASE_NAME,
    "configmap.reloader.stakater.com/reload",
    "secret.reloader.stakater.com/reload",
)
"""Annotations that keep the old name without harm: pods of a revision restart because their template changes."""

_POD_SPECS = {"Pod": ("spec",), "CronJob": ("spec", "jobTemplate", "spec", "template", "spec")}
_TEMPLATE_SPEC = ("spec", "template", "spec")


class Config(NamedTuple):
    """A ConfigMap or Secret, under the name that its author gave it. No namespace: `""`."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """`argocd-cm`, or `Secret/argocd-secret`."""
        return self.name if self.kind == "ConfigMap" else f"{self.kind}/{self.name}"


class Truth(NamedTuple):
    """How an object is read, by the source of its reader, and what should become of it.

    `wanted`: `renamed` or `unchanged` with the defaults; empty if both are right as long as nothing
    names it in vain. `chosen`, where `select` matches it: `followed`, `refused`, or `safe` for
    either; empty if it is of no interest.
    """

    kind: str
    name: str
    way: str
    source: str
    wanted: str = ""
    chosen: str = ""


class Install:
    """What `about.yaml` says of an install, and the objects in `objects.yaml`.

    `looked_up`: kind and name of those objects that programs find under this name only.
    `namesakes`: names that other things of the package have as well. `not_said`: texts that no
    message may contain.
    """

    def __init__(self, folder: Path) -> None:
        about = yaml.load((folder / "about.yaml").read_text(), yaml.CSafeLoader)
        self.key = folder.name
        self.program: str = about["program"]
        self.version: str = about["version"]
        self.namespace: str = about.get("namespace", "")
        self.truth = [_truth(row) for row in about.get("truth", [])]
        rows = [
            *about.get("looked_up", []),
            *(one._asdict() for one in self.truth if one.way in NEEDS_ITS_NAME),
        ]
        self.looked_up = {(row["kind"], row["name"]) for row in rows}
        self.sources: list[str] = [row["source"] for row in rows]
        self.namesakes: list[str] = about.get("namesakes", [])
        self.not_said: list[str] = about.get("not_said", [])
        self.text = (folder / "objects.yaml").read_bytes()

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The objects of the install."""
        return read_objects(self.text)

    @cached_property
    def configs(self) -> list[Config]:
        """The ConfigMaps and Secrets of the install."""
        return [config_of(one, self.namespace) for one in self.objects if one["kind"] in CONFIGS]

    @cached_property
    def read_by_pods(self) -> set[Config]:
        """The ConfigMaps and Secrets of the install that a pod or pod template references."""
        referenced = {
            config for one in self.objects for config in pod_references(one, self.namespace)
        }
        return referenced & set(self.configs)

    def rendered(self, kinds: tuple[str, ...]) -> Outcome:
        """Run the function over the install, once for all who ask."""
        return self._rendered[kinds]

    @cached_property
    def _rendered(self) -> dict[tuple[str, ...], Outcome]:
        return {kinds: self.run(kinds) for kinds in KINDS}

    def run(self, kinds: tuple[str, ...], text: bytes | None = None, select: str = "") -> Outcome:
        """Run the function over the install, or over `text`.

        `select`: a pattern of names to choose explicitly.
        """
        spec: dict[str, Any] = {"linker": {"enabled": False}, "kinds": list(kinds)}
        if select:
            spec["select"] = [{"name": select}]
        api_version, kind = "revisions.krm-fn.io/v1", "ConfigRevisions"
        config = {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": "installs"},
            "spec": spec,
        }
        text = self.text if text is None else text
        return run(text, yaml.safe_dump(config).encode(), Environment(namespace=self.namespace))


def _truth(row: dict[str, str]) -> Truth:
    return Truth(
        row["kind"],
        row["name"],
        row["is"],
        row["source"],
        row.get("wanted", ""),
        row.get("chosen", ""),
    )


def read_installs() -> list[Install]:
    """Read all installs, sorted by the names of their folders."""
    return [Install(about.parent) for about in sorted(INSTALLS.glob("*/about.yaml"))]


def read_objects(text: bytes) -> list[dict[str, Any]]:
    """Read the objects of a YAML stream."""
    return list(objects_in(load(text.decode())))


def config_of(one: dict[str, Any], default_namespace: str) -> Config:
    """Return who a ConfigMap or Secret is under its current name."""
    return Config(
        one["kind"], one["metadata"].get("namespace", default_namespace), one["metadata"]["name"]
    )


def renamed_in(text: bytes, default_namespace: str) -> dict[Config, str]:
    """Return the new name of each ConfigMap and Secret that the function renamed."""
    renamed = {}
    for one in read_objects(text):
        base_name = one["metadata"].get("annotations", {}).get(_BASE_NAME)
        if base_name is not None:
            config = config_of(one, default_namespace)
            renamed[config._replace(name=base_name)] = config.name
    return renamed


def texts_with(text: bytes, name: str) -> list[str]:
    """Return the texts of a stream that contain a name as a whole and need it."""
    whole = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
    found = []
    for one in read_objects(text):
        for key in _MAY_BE_STALE:
            one["metadata"].get("annotations", {}).pop(key, None)
        found += [text for text in _texts(one) if whole.search(text)]
    return found


def _texts(value: Any) -> Iterator[str]:
    """Return all keys and values below a value."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield str(name)
            yield from _texts(below)
    elif isinstance(value, list):
        for below in value:
            yield from _texts(below)
    else:
        yield str(value)


def pod_references(one: dict[str, Any], default_namespace: str) -> Iterator[Config]:
    """Return what the pod template of an object references, in its order.

    It is written without the function's own tables, so as to check them.
    """
    spec: Any = one if "spec" in one else {}
    for key in _POD_SPECS.get(one["kind"], _TEMPLATE_SPEC):
        spec = spec.get(key, {}) if isinstance(spec, dict) else {}
    namespace = one["metadata"].get("namespace", default_namespace)
    for kind, name in _references(spec):
        yield Config(kind, namespace, name)


def _references(spec: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for container in [*spec.get("initContainers", []), *spec.get("containers", [])]:
        for source in container.get("envFrom", []):
            yield from _sources(source, {"configMapRef": "ConfigMap", "secretRef": "Secret"})
        for variable in container.get("env", []):
            source = variable.get("valueFrom", {})
            yield from _sources(source, {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"})
    for secret in spec.get("imagePullSecrets", []):
        yield "Secret", secret["name"]
    for volume in spec.get("volumes", []):
        yield from _sources(volume, {"configMap": "ConfigMap"})
        if "secret" in volume:
            yield "Secret", volume["secret"]["secretName"]
        yield from _sources(volume.get("csi", {}), {"nodePublishSecretRef": "Secret"})
        for source in volume.get("projected", {}).get("sources", []):
            yield from _sources(source, {"configMap": "ConfigMap", "secret": "Secret"})


def _sources(source: dict[str, Any], kinds: dict[str, str]) -> Iterator[tuple[str, str]]:
    for key, kind in kinds.items():
        if key in source:
            yield kind, source[key]["name"]
