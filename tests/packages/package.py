"""The packages in this folder: extracts of what teams keep in git, with kinds that make Secrets.

Each has the names, references and settings of the original, and none of its values.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from krm_fn.base.problem import Outcome
from krm_fn.base.settings import Environment
from krm_fn.function import run
from tests.installs.install import Config, pod_references, read_objects

PACKAGES = Path(__file__).parent
CONFIGS = ("ConfigMap", "Secret")
PRODUCERS = (
    "ExternalSecret",
    "SealedSecret",
    "VaultStaticSecret",
    "SecretProviderClass",
    "OnePasswordItem",
)

_BASE_NAME = "revisions.krm-fn.io/base-name"
_COMPONENT = "revisions.krm-fn.io/component"


class Package:
    """What `about.yaml` says of a package, and the objects in `objects.yaml`.

    `renamed`: what the function renames, such as `ExternalSecret/web`. `left`: what it leaves
    alone, and words of why.
    """

    def __init__(self, folder: Path) -> None:
        about = yaml.load((folder / "about.yaml").read_text(), yaml.CSafeLoader)
        self.key = folder.name
        self.what: str = about["what"]
        self.repository: str = about["repository"]
        self.commit = str(about["commit"])
        self.namespace: str = about["namespace"]
        self.renamed = set(about["renamed"])
        self.left: dict[str, str] = about["left"]
        self.file = folder / "objects.yaml"

    @cached_property
    def text(self) -> bytes:
        """The objects, as YAML."""
        return self.file.read_bytes()

    def configuration(self) -> bytes:
        """Return a configuration that chooses all kinds, without the linker."""
        spec = {"kinds": [*CONFIGS, *PRODUCERS], "linker": {"enabled": False}}
        api_version, kind = "revisions.krm-fn.io/v1", "ConfigRevisions"
        config = {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"name": "packages"},
            "spec": spec,
        }
        return yaml.safe_dump(config).encode()

    def run(self, text: bytes | None = None) -> Outcome:
        """Run the function over the package, or over `text`."""
        text = self.text if text is None else text
        return run(text, self.configuration(), Environment(namespace=self.namespace))


def read_packages() -> list[Package]:
    """Read all packages, sorted by the names of their folders."""
    return [Package(about.parent) for about in sorted(PACKAGES.glob("*/about.yaml"))]


def renamed_in(text: bytes) -> dict[str, str]:
    """Return the new name of each renamed object: `{"ExternalSecret/web": "web-5t7h9k2b4c"}`."""
    renamed = {}
    for one in read_objects(text):
        metadata = one["metadata"]
        base_name = (metadata.get("annotations") or {}).get(_BASE_NAME)
        if base_name is not None and _COMPONENT not in (metadata.get("labels") or {}):
            renamed[f"{one['kind']}/{base_name}"] = metadata["name"]
    return renamed


def provided_in(text: bytes, default_namespace: str) -> set[Config]:
    """Return the ConfigMaps and Secrets that there will be in the cluster, also those that are made there."""
    return {
        Config(kind, one["metadata"].get("namespace", default_namespace), name)
        for one in read_objects(text)
        for kind, name in _provided(one)
    }


def references_in(text: bytes, default_namespace: str) -> list[Config]:
    """Return what the pod templates reference, in their order."""
    return [
        reference
        for one in read_objects(text)
        for reference in pod_references(one, default_namespace)
    ]


def _provided(one: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what the object is or makes.

    It is written without the function's own tables, so as to check them.
    """
    kind, name, spec = one["kind"], one["metadata"]["name"], one.get("spec", {})
    if kind in CONFIGS:
        yield kind, name
    elif kind == "ExternalSecret":
        yield "Secret", spec.get("target", {}).get("name", name)
    elif kind in ("SealedSecret", "OnePasswordItem"):
        yield "Secret", name
    elif kind in ("VaultStaticSecret", "VaultDynamicSecret"):
        yield "Secret", spec["destination"]["name"]
    elif kind == "SecretProviderClass":
        for made in spec.get("secretObjects", []):
            yield "Secret", made["secretName"]
