"""Each command and rule that `krm-fn history` prints does what the sentence around it says."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from krm_fn.base.producer import RENAMABLE
from tests.cluster.api import Api, Object
from tests.cluster.custom_kinds import until_served
from tests.cluster.history_reader import (
    HistoryReader,
    grant,
    history_reader,
    leak,
    printed_command,
    rules_of_the_page,
    run_printed,
    tracker,
)
from tests.cluster.manifests import secret, workload
from tests.wait import until

NAME = "web-secret-bbbbbbbbbb"
# With their real controllers in test_secret_producers.
KINDS = [
    (group, kind) for group, kind in RENAMABLE if kind not in ("ExternalSecret", "SealedSecret")
]
OTHER = ("redhatcop.redhat.io", "VaultSecret")
"""A kind of another operator with the same name."""


@pytest.fixture
def reader(namespace: Api, tmp_path: Path) -> Iterator[HistoryReader]:
    with history_reader(namespace, tmp_path, rules_of_the_page()) as made:
        yield made


def test_a_leaking_secret_is_deleted_with_its_tracker(
    namespace: Api, reader: HistoryReader, tmp_path: Path
) -> None:
    namespace.create(secret(NAME))
    leak(namespace, tracker(NAME, "web-secret"))
    run_printed(printed_command(reader, "kubectl delete"), namespace, tmp_path)
    namespace.gone("Secret", NAME)
    namespace.gone("ConfigMap", NAME)


def test_a_leak_whose_secret_is_gone_already_is_cleaned_up_without_an_error(
    namespace: Api, reader: HistoryReader, tmp_path: Path
) -> None:
    leak(namespace, tracker(NAME, "web-secret"))
    run_printed(printed_command(reader, "kubectl delete"), namespace, tmp_path)
    namespace.gone("ConfigMap", NAME)


def test_no_command_deletes_a_secret_that_an_old_replica_set_references(
    namespace: Api, reader: HistoryReader, tmp_path: Path
) -> None:
    """A person may go back to it. Once it is trimmed, the command is printed."""
    namespace.create(secret(NAME))
    replicas = workload("ReplicaSet", "web-1", secret=NAME)
    namespace.apply({**replicas, "spec": {**replicas["spec"], "replicas": 0}})
    leak(namespace, tracker(NAME, "web-secret"))
    until("the ReplicaSet is told", reader.show, lambda text: "web-1" in text)
    assert "kubectl" not in reader.show()
    namespace.delete("ReplicaSet", "web-1")
    run_printed(printed_command(reader, "kubectl delete"), namespace, tmp_path)
    namespace.gone("Secret", NAME)


def test_kubectl_knows_each_producer_by_the_printed_name(
    namespace: Api, reader: HistoryReader, tmp_path: Path
) -> None:
    for group, kind in [*KINDS, OTHER]:
        namespace.apply(_definition(group, kind))
    for group, kind in [*KINDS, OTHER]:
        until_served(namespace, _definition(group, kind))
        namespace.call(
            "POST",
            _path(namespace, group, kind),
            {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": _name(kind)}},
        )
    leak(
        namespace,
        *(tracker(_name(kind), kind.lower(), made_by=f"{kind}/{_name(kind)}") for _, kind in KINDS),
    )
    command = printed_command(reader, "kubectl delete", [_name(kind) for _, kind in KINDS])
    printed = run_printed(command, namespace, tmp_path)
    for group, kind in [*KINDS, OTHER]:
        listed = namespace.call("GET", _path(namespace, group, kind))["items"]
        left = [one["metadata"]["name"] for one in listed]
        assert left == ([_name(kind)] if (group, kind) == OTHER else []), printed
        namespace.delete("CustomResourceDefinition", _plural(kind) + f".{group}")
    assert not {_name(kind) for _, kind in KINDS} & namespace.names("ConfigMap")


def _name(kind: str) -> str:
    return f"{kind.lower()}-bbbbbbbbbb"


def _path(api: Api, group: str, kind: str) -> str:
    return f"/apis/{group}/v1/namespaces/{api.namespace}/{_plural(kind)}"


def _plural(kind: str) -> str:
    return f"{kind.lower()}es" if kind.endswith("s") else f"{kind.lower()}s"


def _definition(group: str, kind: str) -> Object:
    plural = _plural(kind)
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"plural": plural, "singular": kind.lower(), "kind": kind}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    return {
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": spec,
    }


def test_the_rules_that_it_prints_are_enough(namespace: Api, reader: HistoryReader) -> None:
    leak(namespace, tracker(NAME, "web-secret"))
    may_list = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}
    grant(namespace, [may_list])
    unseen = json.loads(reader.show("-o", "json"))["unseen"]
    rules = [yaml.safe_load(one["rule"]) for one in unseen]
    assert len(rules) > 5
    grant(namespace, [may_list, *rules])
    assert json.loads(reader.show("-o", "json"))["unseen"] == []
