"""What a name on the command line means."""

import pytest

from krm_fn.base.item import Item
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.tools.explain.wanted import read_wanted

OBJECTS = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: app, namespace: shop}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: app, namespace: blog}}
---
{apiVersion: v1, kind: Secret, metadata: {name: app, namespace: blog}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-hf678c7m2b, annotations: {revisions.krm-fn.io/base-name: web}}
"""
ALL = ["ConfigMap/shop/app", "ConfigMap/blog/app", "Secret/blog/app", "ConfigMap/web-hf678c7m2b"]

WANTED = [
    pytest.param("", ALL, id="everything"),
    pytest.param("app", ALL[:3], id="a name"),
    pytest.param("secret/app", ALL[2:3], id="a kind and a name"),
    pytest.param("Secret/app", ALL[2:3], id="a kind as it is written"),
    pytest.param("cm/app", ALL[:2], id="a kind as kubectl calls it"),
    pytest.param("blog/app", ALL[1:3], id="a namespace and a name"),
    pytest.param("configmap/blog/app", ALL[1:2], id="all three"),
    pytest.param("blog/configmaps/app", ALL[1:2], id="all three in another order"),
    pytest.param("web", ALL[3:], id="a base name"),
    pytest.param("web-hf678c7m2b", ALL[3:], id="a present name"),
    pytest.param("web-4h2mbtbbt6", ALL[3:], id="a new name"),
    pytest.param("other/app", [], id="another namespace"),
    pytest.param("ap", [], id="a part of a name"),
    pytest.param("blog/", ALL[1:3], id="all of a namespace"),
    pytest.param("secret/", ALL[2:3], id="all of a kind"),
]


KUBECTL = [
    pytest.param(
        "Deployment", ["deployment", "deployments", "deploy", "Deployments"], id="of apps"
    ),
    pytest.param("StatefulSet", ["statefulset", "statefulsets", "sts"], id="of apps, shortened"),
    pytest.param("CronJob", ["cronjob", "cronjobs", "cj"], id="of batch"),
    pytest.param("Job", ["job", "jobs", "JOB"], id="without a short name"),
    pytest.param("Rollout", ["rollout", "rollouts", "ro"], id="of Argo Rollouts"),
    pytest.param("ConfigMap", ["configmap", "configmaps", "cm"], id="of the core group"),
]


@pytest.mark.parametrize(("kind", "spellings"), KUBECTL)
def test_a_kind_is_spelled_as_for_kubectl(kind: str, spellings: list[str]) -> None:
    for spelling in spellings:
        assert read_wanted(f"{spelling}/web").matches(kind, "shop", {"web"})
        assert not read_wanted(f"{spelling}/web").matches("Service", "shop", {"web"})


@pytest.mark.parametrize(("text", "expected"), WANTED)
def test_what_is_meant(text: str, expected: list[str]) -> None:
    items: list[Item] = open_envelope(read_yaml(OBJECTS.encode())).items
    found = read_wanted(text).find(items, {items[3]: "web-4h2mbtbbt6"})
    assert [str(item.id) for item in found] == expected
