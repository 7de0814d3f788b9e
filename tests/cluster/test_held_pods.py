"""Whether a workload rolls is judged by its pods: a template that a controller only stores makes none.

`tests/cluster/test_diff_oracle.py` counts ReplicaSets and ControllerRevisions, of workloads that
have no pods.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from tests.cli.process import fork
from tests.cluster.api import Api, Object
from tests.cluster.held_pods import HOLDS, HeldCase, held_cases, is_sentinel
from tests.cluster.linker_job import ROOT
from tests.cluster.readiness import in_phase, is_observed, is_ready
from tests.cluster.rollouts_controller import MissedWrites
from tests.volume import IS_WHOLE, seed_of
from tests.wait import until

EACH_RUN = 7
AT_NIGHT = 40
"""Cases of each kind."""

STEPS = (1, 2)
QUIET = 4.0
"""Seconds without a new pod, after every workload that surely rolls has rolled."""

CONFIGURATION = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "held"},
    "spec": {"linker": {"enabled": False}},
}

Who = tuple[str, str]
"""Kind and name."""

Pods = dict[Who, frozenset[str]]
"""The uids of the pods of each workload."""


def render(folder: Path, namespace: str, cases: Iterable[HeldCase], number: int) -> Path:
    package = folder / f"package-{number}"
    package.mkdir()
    objects = [one for case in cases for one in case.objects(number)]
    (package / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    (package / "krm-fn.yaml").write_text(yaml.safe_dump(CONFIGURATION))
    rendered = folder / f"{number}.yaml"
    rendered.write_text(krm_fn("render", "--namespace", namespace, package))
    return rendered


def krm_fn(*arguments: str | Path) -> str:
    done = fork([*map(str, arguments)], ROOT, {"PATH": os.environ["PATH"]})
    assert done.returncode == 0, done.stderr
    return done.stdout


def apply(api: Api, rendered: Path) -> None:
    """Apply with the requests of `kubectl apply --server-side`, which sends only five a second."""
    objects = yaml.load_all(rendered.read_text(), yaml.CSafeLoader)
    api.apply_all(filter(None, objects), manager="kubectl")


def find_effects(old: Path, new: Path) -> Mapping[Who, set[str]]:
    """Return the effects that a difference says of each workload."""
    difference: dict[str, Any] = json.loads(krm_fn("diff", "-ojson", old, new))
    found: dict[Who, set[str]] = {}
    for change in (*difference["revisions"], *difference["objects"]):
        for roll in change["rolls"]:
            found.setdefault((roll["kind"], roll["name"]), set()).add(roll["effect"])
    return found


def count_pods(api: Api, cases: Iterable[HeldCase]) -> Pods:
    by_app: dict[str, set[str]] = {}
    for pod in api.list("Pod"):
        metadata = pod["metadata"]
        by_app.setdefault(metadata["labels"].get("app", ""), set()).add(metadata["uid"])
    return {(case.kind, case.name): frozenset(by_app.get(case.name, ())) for case in cases}


def until_quiet(api: Api, cases: list[HeldCase], before: Pods) -> Pods:
    """Wait until all have settled, what surely rolls has new pods, and no more pods are made."""
    rolling = [(case.kind, case.name) for case in cases if is_sentinel(case)]
    seen: Pods = {}
    since = time.monotonic()

    def look() -> tuple[bool, float]:
        nonlocal seen, since
        found = count_pods(api, cases)
        if found != seen:
            seen, since = found, time.monotonic()
        have_rolled = all(found[who] - before.get(who, frozenset()) for who in rolling)
        return have_rolled and are_settled(api), time.monotonic() - since

    with MissedWrites(api):
        until("no more pods are made", look, lambda it: it[0] and it[1] > QUIET)
    return seen


def are_settled(api: Api) -> bool:
    """Tell whether the controllers have done with each workload what its spec lets them do."""
    return all(has_settled(one) for kind in HOLDS for one in api.list(kind))


def has_settled(found: Object) -> bool:
    spec, status = found["spec"], found.get("status", {})
    if not is_observed(found):
        return False
    if found["kind"] == "Rollout":
        return in_phase(found, "Healthy") or in_phase(found, "Paused")
    strategy = spec.get("updateStrategy", {})
    if spec.get("paused") or strategy.get("type") == "OnDelete":
        return True
    if found["kind"] == "StatefulSet":
        held = strategy["rollingUpdate"]["partition"]
        counts = [status.get(name, 0) for name in ("replicas", "readyReplicas")]
        is_rolled = status.get("updatedReplicas", 0) >= spec["replicas"] - held
        return is_rolled and counts == [spec["replicas"]] * 2
    return is_ready(found)


def drop_partitions(api: Api, cases: Iterable[HeldCase], number: int) -> None:
    """Let go of a partition, which the API server refuses beside OnDelete, and which applying leaves there."""
    on_delete: Object = {"updateStrategy": {"type": "OnDelete", "rollingUpdate": None}}
    for case in cases:
        if (case.kind, case.steps[number - 1].hold) == ("StatefulSet", "OnDelete"):
            api.patch(case.kind, case.name, {"spec": on_delete})


ROLLING = {"rolls", "runs-again"}
MAYBE = {"released"}


def are_replaced(before: frozenset[str], after: frozenset[str]) -> bool:
    """Tell whether a pod came for one that went. Another number of replicas alone is no rollout."""
    return bool(after - before) and bool(before - after)


def contents_of(api: Api) -> dict[str, str]:
    """Return what each ConfigMap says, by its name."""
    return {one["metadata"]["name"]: str(one.get("data")) for one in api.list("ConfigMap")}


def find_surprised(api: Api, before: Mapping[str, str], pods: Pods) -> set[str]:
    """Return the pods of before that have been left, and whose ConfigMap says something else now."""
    now = contents_of(api)
    changed = {name for name, text in before.items() if now[name] != text}
    everyone = frozenset[str]().union(*pods.values())
    return {
        pod["metadata"]["uid"]
        for pod in api.list("Pod")
        if pod["metadata"]["uid"] in everyone
        and any(
            volume.get("configMap", {}).get("name") in changed for volume in pod["spec"]["volumes"]
        )
    }


def judge(
    said: Mapping[Who, set[str]], before: Pods, after: Pods, surprised: set[str]
) -> dict[Who, str]:
    wrong: dict[Who, str] = {}
    for who, pods in after.items():
        effects = said.get(who, set())
        if not effects and surprised & before[who]:
            wrong[who] = "has pods whose content changes, and diff says nothing of them"
        makes_pods = are_replaced(before[who], pods)
        # What has waited may roll, and then nobody is left who sees other content.
        has_surprised = surprised & before[who] or (makes_pods and effects & MAYBE)
        if effects & {"in-place", "next-start"} and not has_surprised:
            wrong[who] = f"has no pods whose content changes, and diff says {sorted(effects)}"
        if makes_pods and not effects & (ROLLING | MAYBE):
            wrong[who] = f"makes pods, and diff says {sorted(effects)}"
        # With more replicas than before, all pods that a partition lets go may be new ones.
        if not pods - before[who] and effects & ROLLING:
            wrong[who] = f"makes no pods, and diff says {sorted(effects)}"
    return wrong


@pytest.mark.usefixtures("rollouts")
def test_pods_are_made_of_what_is_said_to_roll_and_those_that_stay_are_said(
    namespace: Api, tmp_path: Path
) -> None:
    cases = held_cases(AT_NIGHT if IS_WHOLE else EACH_RUN, Random(seed_of(1)))
    renderings = [render(tmp_path, namespace.namespace, cases, number) for number in (0, *STEPS)]
    apply(namespace, renderings[0])
    pods = until_quiet(namespace, cases, {})
    assert all(pods.values()), "each workload has pods"
    wrong: dict[str, str] = {}
    judged = {"makes pods": 0, "makes none": 0}
    for number in STEPS:
        said = find_effects(renderings[number - 1], renderings[number])
        contents = contents_of(namespace)
        drop_partitions(namespace, cases, number)
        apply(namespace, renderings[number])
        found = until_quiet(namespace, cases, pods)
        mistakes = judge(said, pods, found, find_surprised(namespace, contents, pods))
        for case in cases:
            who = case.kind, case.name
            judged["makes pods" if are_replaced(pods[who], found[who]) else "makes none"] += 1
            if who in mistakes:
                wrong[case.says(number)] = mistakes[who]
        pods = found
    assert wrong == {}
    assert min(judged.values()) >= len(cases) // 5, judged
    sys.stdout.write(f"{judged}\n")
