"""A hook of a chart reads a copy: real Helm 4 applies it before the hook, anew in each release."""

from typing import Any

import yaml

from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane
from tests.cluster.linker_job import ROOT
from tests.cluster.release import SET
from tests.gitops.command import Workplace
from tests.tools.require import require_on_demand

PODS = {
    "containers": [
        {"name": "app", "image": "a:1", "envFrom": [{"configMapRef": {"name": "web-config"}}]}
    ]
}
SELECTOR = {"matchLabels": {"app": "web"}}
COPY = "web-config-presync-web"


def objects(content: str) -> list[Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": PODS}
    hooks = {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-weight": "2"}
    never = {"spec": {**PODS, "restartPolicy": "Never"}}
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "web-config"},
            "data": {"content": content},
        },
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web"},
            "spec": {"selector": SELECTOR, "template": template},
        },
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "migrate", "annotations": hooks},
            "spec": {"template": never},
        },
    ]


def test_helm_4_runs_the_hook_with_a_copy_of_this_release(
    cluster: ControlPlane, namespace: Api
) -> None:
    helm = require_on_demand("helm4")
    place = Workplace(cluster, namespace)
    place.run(helm, "plugin", "install", str(ROOT / "examples/helm/krm-fn"))
    config = {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": SET},
        "spec": {
            "hooks": "copy",
            "deployers": ["helm"],
            "linker": {"namespace": namespace.namespace},
        },
    }
    (place.folder / "krm-fn.yaml").write_text(yaml.safe_dump(config))
    templates = place.folder / "chart" / "templates"
    templates.mkdir(parents=True)
    chart = {"apiVersion": "v2", "name": SET, "version": "0.1.0"}
    (templates.parent / "Chart.yaml").write_text(yaml.safe_dump(chart))
    revisions: set[str] = set()
    for content in ("a", "b"):
        (templates / "all.yaml").write_text(yaml.safe_dump_all(objects(content)))
        place.run(
            *(helm, "upgrade", "--install", SET, str(templates.parent)),
            *("--post-renderer", "krm-fn", "--post-renderer-args", "--config"),
            *("--post-renderer-args", str(place.folder / "krm-fn.yaml")),
        )
        copy, job = namespace.get("ConfigMap", COPY), namespace.get("Job", "migrate")
        assert copy["data"] == {"content": content}
        assert _reads(job) == COPY
        versions = [int(one["metadata"]["resourceVersion"]) for one in (copy, job)]
        assert versions == sorted(versions), "the copy was there before the hook"
        revisions.add(_reads(namespace.get("Deployment", "web")))
    live = {one["metadata"]["name"] for one in namespace.list("ConfigMap")}
    assert len(revisions) == 2
    assert revisions | {COPY} <= live, "what old pods read is no hook, and is kept"


def _reads(workload: Any) -> str:
    (container,) = workload["spec"]["template"]["spec"]["containers"]
    (source,) = container["envFrom"]
    return str(source["configMapRef"]["name"])
