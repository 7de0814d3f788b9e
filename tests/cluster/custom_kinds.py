"""Install custom kinds in a control plane."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.control_plane import ControlPlane


def install_kinds(cluster: ControlPlane, files: Iterable[Path]) -> None:
    """Apply CustomResourceDefinitions, and wait until their objects can be created and are collected."""
    definitions = [read_manifest(path) for path in sorted(files)]
    for definition in definitions:
        cluster.api.apply(definition)
    for definition in definitions:
        cluster.api.ready("CustomResourceDefinition", definition["metadata"]["name"])
    # The garbage collector looks for new kinds every half minute, and when it starts.
    cluster.restart("controller-manager")


def read_manifest(path: Path) -> Any:
    return yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
