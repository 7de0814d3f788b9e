"""What `krm-fn history` says in the middle of a rollout and after it, with the rights that its page names."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.api import Api
from tests.cluster.history_reader import (
    NAME,
    HistoryReader,
    grant,
    history_reader,
    rules_of_the_page,
)
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.manifests import canary, secret, workload
from tests.cluster.readiness import has_ended
from tests.cluster.release import Release, config, with_image
from tests.cluster.rollouts_controller import abort, promote, rollout_in_phase
from tests.cluster.workloads import (
    WITH_HISTORY,
    config_of,
    mounted_configs,
    one_of_each,
    until_settled,
    until_unreferenced,
    web,
)
from tests.tools.require import require
from tests.wait import until

pytestmark = pytest.mark.usefixtures("rollouts")


@pytest.fixture
def deployer() -> str:
    """Choose one deployer: the command does not know any."""
    return "Argo CD"


@pytest.fixture
def reader(namespace: Api, tmp_path: Path) -> Iterator[HistoryReader]:
    with history_reader(namespace, tmp_path, rules_of_the_page()) as made:
        yield made


def until_states(reader: HistoryReader, expected: dict[str, str]) -> None:
    """Wait until pods are ready and gone: they take a moment longer than the Rollout."""
    until(f"the states are {expected}", reader.states, lambda found: found == expected)


def test_a_paused_canary_and_the_way_back(paused: Release, reader: HistoryReader) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    until_states(reader, {new: "rendered, canary", old: "stable"})
    (found,) = json.loads(reader.show("-o", "json"))["sets"]
    by_name = {one["name"]: one for one in found["revisions"]}
    assert {name: one["pods"]["total"] for name, one in by_name.items()} == {new: 1, old: 1}
    assert {name: one["isLinked"] for name, one in by_name.items()} == {new: True, old: True}
    (rollout,) = found["workloads"]
    way = {"to": rollout["wayBack"]["to"], "revisions": [old]}
    command = f"kubectl argo rollouts abort web -n {paused.api.namespace}"
    assert rollout["wayBack"] == {**way, "command": command}
    # What is said of a Job that has not ended comes behind the way back.
    until(
        "the Job has ended", lambda: paused.api.list("Job"), lambda jobs: all(map(has_ended, jobs))
    )
    text = reader.show()
    assert "Rollout/web is paused (CanaryPauseStep)\n" in text
    assert text.endswith(f"back to {old}:\n  {command}\n")


def test_the_graph_of_a_paused_canary(paused: Release, reader: HistoryReader) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    until_states(reader, {new: "rendered, canary", old: "stable"})
    lines = reader.show("--live", command="graph").splitlines()
    for name, role in ((old, "stable"), (new, "canary")):
        (revision,) = (line for line in lines if f"ConfigMap {name}" in line)
        assert role in revision
        (replica_set,) = (line for line in lines if "ReplicaSet web-" in line and role in line)
        arrow = f"{replica_set.split('[')[0].strip()} == owns ==> {revision.split('[')[0].strip()}"
        assert any(line.strip() == arrow for line in lines), "it references and owns the revision"


def test_after_an_abort_the_stable_revision_is_back(paused: Release, reader: HistoryReader) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    abort(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Degraded")
    until_states(reader, {new: "rendered, aborted", old: "stable"})
    assert f"it is back on {old}; revert the change of the manifests too" in " ".join(
        reader.show().split()
    )


def test_after_promotion_the_old_revision_is_history_until_it_is_trimmed(
    paused: Release, reader: HistoryReader
) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    promote(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Healthy")
    detail = until(
        "it is history", lambda: reader.show(old), lambda text: "in history, goes when" in text
    )
    told = " ".join(detail.split())
    assert (
        "is trimmed after about 1 more rollout of Rollout/web; the run of the linker after that deletes it"
        in told
    )
    assert f"Rollout/web: back to {old}: kubectl argo rollouts undo web --to-revision=1" in told

    objects = web("new")
    paused.sync(objects[0], with_image(objects[1], "app:2"))  # the one more rollout, without a run
    rollout_in_phase(paused.api, "web", "Paused")
    promote(paused.api, "web")
    rollout_in_phase(paused.api, "web", "Healthy")
    until_unreferenced(paused, old)
    assert reader.states()[old] == "unused, goes with the next run"
    paused.link()
    assert reader.states().keys() == {new}


def test_the_roles_of_every_kind_of_workload(shop: Release, reader: HistoryReader) -> None:
    """The controllers themselves say by labels and status which template is which."""
    shop.release(*one_of_each("a"))
    until_settled(shop.api)
    first = set(shop.revisions())
    shop.release(*one_of_each("b"))
    until_settled(shop.api)
    with_history = {config_of(kind) for kind in WITH_HISTORY}
    expected = {
        name: "rendered, in use" if base == config_of("CronJob") else "rendered, stable"
        for name in set(shop.revisions()) - first
        if (base := name.rpartition("-")[0])
    }
    until("all are stable", lambda: newest(reader, first), lambda found: found == expected)
    old = {name: state for name, state in reader.states().items() if name in first}
    assert {
        name.rpartition("-")[0]
        for name, state in old.items()
        if state.startswith("in history, goes")
    } == with_history
    ways = {kind: way["revisions"] for kind, way in ways_back(reader).items()}
    assert {kind: [name in first for name in names] for kind, names in ways.items()} == {
        kind: [True] for kind in WITH_HISTORY
    }


def ways_back(reader: HistoryReader) -> dict[str, dict[str, Any]]:
    """Return the way back of each workload by kind."""
    workloads = json.loads(reader.show("-o", "json"))["sets"][0]["workloads"]
    return {one["kind"]: one["wayBack"] for one in workloads if one["wayBack"]}


def test_the_command_that_it_prints_goes_back(
    shop: Release, reader: HistoryReader, tmp_path: Path
) -> None:
    kubectl = require("kubectl")
    kinds = ("Deployment", "StatefulSet", "DaemonSet")
    for content in ("a", "b"):
        shop.release(*one_of_each(content, *kinds))
        until_settled(shop.api, *kinds)
    ways = until(
        "all can go back", lambda: ways_back(reader), lambda found: found.keys() == set(kinds)
    )
    admin = write_kubeconfig(
        tmp_path / "admin", shop.api.server, token=shop.api.token, namespace="default"
    )
    for way in ways.values():
        program, *arguments = way["command"].split(" ")
        assert program == "kubectl"
        subprocess.run(
            [kubectl, "--kubeconfig", admin, *arguments], check=True, capture_output=True
        )
    until_settled(shop.api, *kinds)
    mounted = {kind: set(mounted_configs(shop.api, kind)) for kind in kinds}
    assert mounted == {kind: set(ways[kind]["revisions"]) for kind in kinds}


def newest(reader: HistoryReader, first: set[str]) -> dict[str, str]:
    return {name: state for name, state in reader.states().items() if name not in first}


def test_a_revision_that_no_run_has_seen_is_unlinked(shop: Release, reader: HistoryReader) -> None:
    shop.sync(config("new"), workload("Deployment", "web", config="web-config"))
    shop.api.ready("Deployment", "web")
    new = shop.revision_of("new")
    until_states(reader, {new: "rendered, stable, unlinked"})
    assert "has not ended, after" in reader.show()
    shop.link()
    until_states(reader, {new: "rendered, stable"})


def test_a_revision_that_is_missing_is_told_with_who_needs_it(
    shop: Release, reader: HistoryReader
) -> None:
    shop.release(config("new"), workload("Deployment", "web", config="web-config"))
    shop.api.ready("Deployment", "web")
    new = shop.revision_of("new")
    shop.api.delete("ConfigMap", new)
    (replica_set,) = shop.api.names("ReplicaSet")
    expected = f"missing, pods of Deployment/web and ReplicaSet/{replica_set} do not start"
    until_states(reader, {new: expected})
    assert f"{new} does not exist: apply the manifests" in " ".join(reader.show().split())


def test_secrets_are_told_by_their_trackers_and_retained_revisions_as_such(
    shop: Release, reader: HistoryReader
) -> None:
    shop.settings = {
        "kinds": ["ConfigMap", "Secret"],
        "select": [{"name": "*"}],
        "linker": {"minimumAgeSeconds": 0},
    }
    deployment = workload("Deployment", "web", config="web-config", secret="web-secret")  # noqa: S106  # its name
    shop.release(config("new"), config("lonely", "lonely-config"), secret("web-secret"), deployment)
    shop.api.ready("Deployment", "web")
    expected = {
        "web-config": ("ConfigMap", "rendered, stable"),
        "web-secret": ("Secret", "rendered, stable"),
    }
    expected["lonely-config"] = ("ConfigMap", "rendered, retained")
    until("all pods are ready", lambda: told_by_base(reader), lambda found: found == expected)


def told_by_base(reader: HistoryReader) -> dict[str, tuple[str, str]]:
    """Return kind and state by base name."""
    document = json.loads(reader.show("-o", "json"))
    revisions = [one for found in document["sets"] for one in found["revisions"]]
    return {one["baseName"]: (one["kind"], one["state"]) for one in revisions}


def test_two_sets_in_a_namespace_are_told_apart(shop: Release, reader: HistoryReader) -> None:
    shop.release(config("new"), workload("Deployment", "web", config="web-config"))
    labels, annotations = (
        {"revisions.krm-fn.io/set": "other"},
        {"revisions.krm-fn.io/base-name": "api-config"},
    )
    other = "api-config-2456789bcd"
    shop.api.create(
        {**config("x"), "metadata": {"name": other, "labels": labels, "annotations": annotations}}
    )
    assert {one["set"] for one in json.loads(reader.show("-o", "json"))["sets"]} == {
        "shop",
        "other",
    }
    assert reader.states("--set", "other") == {other: "unused, stays, as nothing deletes it"}


def test_what_may_not_be_listed_is_said(paused: Release, reader: HistoryReader) -> None:
    old, new = paused.revision_of("old"), paused.revision_of("new")
    rollouts = [rule for rule in rules_of_the_page() if rule["apiGroups"] != ["argoproj.io"]]
    grant(reader.api, rollouts)
    rule = '{apiGroups: ["argoproj.io"], resources: [rollouts], verbs: [list]}'
    told = " ".join(reader.show().split())
    assert f"not seen: rollouts; you need the rule {rule}" in told
    assert reader.states() == {new: "rendered, in use", old: "in use"}

    grant(reader.api, [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}])
    assert reader.states() == {
        new: "rendered, no reference seen",
        old: "no reference seen, may be in use",
    }

    grant(reader.api, [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])
    done = reader.run()
    rule = '{apiGroups: [""], resources: [configmaps], verbs: [list]}'
    where = f"namespace {paused.api.namespace}"
    expected = f"error: you may not list ConfigMaps in {where}: you need the rule {rule}\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_the_cluster_role_view_is_enough_but_for_rollouts(
    shop: Release, reader: HistoryReader
) -> None:
    """An installation of Argo Rollouts adds its kinds to `view`; the tests install only its controller."""
    shop.release(config("new"), workload("Deployment", "web", config="web-config"))
    shop.api.ready("Deployment", "web")
    grant(reader.api, [])
    reader.api.delete("RoleBinding", NAME)
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": shop.api.namespace}
    reader.api.apply(
        {"kind": "RoleBinding", "metadata": {"name": NAME}, "roleRef": role, "subjects": [subject]}
    )
    until("the role is bound", lambda: reader.run().returncode == 0)
    assert reader.states() == {shop.revision_of("new"): "rendered, stable"}


def test_errors_say_what_to_do(shop: Release, reader: HistoryReader) -> None:
    name = shop.api.namespace
    nothing = f"no revisions in namespace {name}: no ConfigMap has the label revisions.krm-fn.io/set; see --namespace"
    assert reader.run().stderr == f"error: {nothing}\n"
    shop.release(config("new"), canary("web", config="web-config"))
    assert (
        reader.run("--set", "web").stderr == f"error: no set web in namespace {name}; found: shop\n"
    )
    unknown = f"no base name or revision web-confg in namespace {name}; did you mean web-config?"
    done = reader.run("web-confg")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {unknown}\n")


def test_who_may_get_namespaces_learns_that_one_does_not_exist(
    namespace: Api, reader: HistoryReader
) -> None:
    write_kubeconfig(
        reader.kubeconfig, namespace.server, token=namespace.token, namespace="no-such"
    )
    done = reader.run()
    expected = "error: namespace no-such does not exist; see --namespace and --context\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)
