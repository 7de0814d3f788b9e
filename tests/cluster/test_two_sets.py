"""Two services of a namespace include one object, and their deployers write its label by turns."""

from collections.abc import Sequence

import pytest
import yaml

from tests.cluster.api import Api, Object
from tests.cluster.linker_job import LinkerRun, run_linker
from tests.cluster.manifests import workload
from tests.cluster.release import config, owners, render
from tests.wait import until

SETS = ("api", "web")
BASE = "otel-env"
LABEL = "revisions.krm-fn.io/set"


def apply_set(api: Api, name: str, content: str) -> list[Object]:
    """Apply a service that reads the common object, and return what was rendered."""
    reader = workload("Deployment", name, config=BASE, spec={"revisionHistoryLimit": 0})
    linker = {"minimumAgeSeconds": 0, "timeoutSeconds": 60}
    stream = render([config(content, BASE), reader], api.namespace, set_name=name, linker=linker)
    rendered = [
        {**one, "metadata": {**one["metadata"], "namespace": api.namespace}}
        for one in yaml.safe_load_all(stream)
    ]
    api.apply_all(rendered)
    api.ready("Deployment", name)
    return rendered


def link(api: Api, name: str) -> LinkerRun:
    run = run_linker(api, name)
    assert run.exit_code == 0, run.stderr
    return run


def name_of(rendered: Sequence[Object]) -> str:
    """Return the name of the common object."""
    names: list[str] = [one["metadata"]["name"] for one in rendered]
    return next(name for name in names if name.startswith(BASE))


@pytest.fixture
def old(namespace: Api) -> str:
    """Let both sets have the common object, and link it. Returns its name; the label is that of `web`."""
    for name in SETS:
        rendered = apply_set(namespace, name, "a")
    said = [link(namespace, name).stderr for name in SETS]
    assert ("is a revision of set web and of set api" in said[0], said[1]) == (True, "")
    return name_of(rendered)


def test_both_own_it_and_it_goes_when_the_last_of_them_has_moved_on(
    namespace: Api, old: str
) -> None:
    both = {f"ConfigMap/{name}-linker" for name in SETS} | {f"Deployment/{name}" for name in SETS}
    assert both <= owners(namespace.get("ConfigMap", old))
    apply_set(namespace, "web", "b")
    link(namespace, "web")
    assert namespace.get("ConfigMap", old)["metadata"]["labels"][LABEL] == "web"
    apply_set(namespace, "api", "b")
    link(namespace, "api")
    apply_set(namespace, "web", "c")
    link(namespace, "web")
    namespace.gone("ConfigMap", old)


def test_it_stays_when_the_set_with_its_label_is_uninstalled(namespace: Api, old: str) -> None:
    for kind, name in (("Deployment", "web"), ("ConfigMap", "web-linker")):
        namespace.delete(kind, name)
    until(
        "the collector has looked at it",
        lambda: owners(namespace.get("ConfigMap", old)),
        lambda found: not any(one.endswith(("/web", "/web-linker")) for one in found),
    )
    assert {"ConfigMap/api-linker", "Deployment/api"} <= owners(namespace.get("ConfigMap", old))
    namespace.delete("Deployment", "api")
    namespace.delete("ConfigMap", "api-linker")
    namespace.gone("ConfigMap", old)
