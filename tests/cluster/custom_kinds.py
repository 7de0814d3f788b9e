"""Install custom kinds in a control plane."""

import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.manifests import config_map


def install_kinds(cluster: ControlPlane, files: Iterable[Path]) -> None:
    """Apply CustomResourceDefinitions, and wait until their objects can be created and are collected."""
    definitions = [read_manifest(path) for path in sorted(files)]
    for definition in definitions:
        cluster.api.apply(definition)
    for definition in definitions:
        cluster.api.ready("CustomResourceDefinition", definition["metadata"]["name"])
    # The garbage collector looks for new kinds every half minute, and when it starts.
    cluster.restart("controller-manager")
    _until_collected(cluster.api, definitions)


def _until_collected(api: Api, definitions: list[Object]) -> None:
    """Wait until the garbage collector has deleted something whose owner of this kind does not exist."""
    for definition in definitions:
        owner = {
            "apiVersion": _version_of(definition),
            "kind": definition["spec"]["names"]["kind"],
            "name": "none",
            "uid": str(uuid.uuid4()),
        }
        name = f"of-{definition['metadata']['name']}"
        api.create(config_map(name, ownerReferences=[owner]))
        api.gone("ConfigMap", name, within=300)


def _version_of(definition: Object) -> str:
    version = next(one["name"] for one in definition["spec"]["versions"] if one["served"])
    return f"{definition['spec']['group']}/{version}"


def read_manifest(path: Path) -> Any:
    return yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
