"""The account that a platform team applies once for each namespace: examples/linker-rbac."""

import yaml

from tests.cluster.api import Object
from tests.cluster.linker_job import ROOT

EXAMPLE = ROOT / "examples" / "linker-rbac"
ACCOUNT = "krm-fn-linker"


def documents(stream: bytes | str) -> list[Object]:
    return [one for one in yaml.safe_load_all(stream) if one]


def account_in(namespace: str) -> list[Object]:
    """Return the objects of the example as kustomize writes them for a namespace."""
    text = (EXAMPLE / "namespace" / "linker.yaml").read_text()
    objects = documents(text.replace("namespace: default", f"namespace: {namespace}"))
    return [{**one, "metadata": {**one["metadata"], "namespace": namespace}} for one in objects]
