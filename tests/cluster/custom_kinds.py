"""Install custom kinds in a control plane."""

import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.manifests import config_map
from tests.wait import until

DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def install_kinds(cluster: ControlPlane, files: Iterable[Path]) -> None:
    """Apply CustomResourceDefinitions, and wait until their objects can be created and are collected."""
    definitions = [read_manifest(path) for path in sorted(files)]
    for definition in definitions:
        cluster.api.apply(definition)
    for definition in definitions:
        until_served(cluster.api, definition)
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


def until_served(api: Api, definition: Object) -> None:
    """Wait until objects of the kind can be created, and programs find it in discovery.

    A CustomResourceDefinition is established before.
    """
    spec, name = definition["spec"], definition["metadata"]["name"]
    kinds = {
        (spec["group"], version["name"], spec["names"]["plural"])
        for version in spec["versions"]
        if version["served"]
    }
    api.ready("CustomResourceDefinition", name)
    until(f"{name} is in discovery", lambda: kinds - _discover(api), lambda missing: not missing)


def _discover(api: Api) -> set[tuple[str, str, str]]:
    """Return group, version and plural of all kinds, from what kubectl and the garbage collector read too."""
    return {
        (group["metadata"]["name"], version["version"], resource["resource"])
        for group in api.call("GET", "/apis", accept=DISCOVERY)["items"]
        for version in group["versions"]
        for resource in version.get("resources", [])
    }


def read_manifest(path: Path) -> Any:
    return yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
