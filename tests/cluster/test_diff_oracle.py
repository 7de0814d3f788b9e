"""What `krm-fn diff` announces, judged by what a cluster does when the rendering is applied, in every way to apply it.

Many workloads with one change each are one package, so that each way is judged by a few requests.
"""

import json
import os
import re
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import yaml

from tests.cli.process import fork
from tests.cluster.api import Api
from tests.cluster.generated_changes import (
    SHARED,
    Application,
    Case,
    application,
    cases,
    objects_of,
)
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import ROOT
from tests.cluster.observed import Who, find_changed, find_rolled, observe
from tests.cluster.ways_to_apply import AT_NIGHT, WAYS
from tests.volume import seed_of

CONFIGURATION = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "shop"},
    "spec": {
        "kinds": ["ConfigMap", "Secret"],
        "jobs": "rename",
        "linker": {"image": "registry.example/krm-fn:1", "kinds": ["argoproj.io/v1alpha1/Rollout"]},
    },
}
EACH_RUN = 60
"""Of more than 800 cases."""

_SET_BY_HAND = re.compile(r"(?P<kind>\w+) (?P<name>[^ :]+): (?P<path>[^ ]+) was set by ")

every_way = pytest.mark.parametrize(
    "way",
    [pytest.param(way, marks=[pytest.mark.nightly] if way in AT_NIGHT else []) for way in WAYS],
)
RECORDED_WAY = "server-side kubectl"


class Announced(NamedTuple):
    """What a difference says, by kind and base name."""

    rolled: set[Who]
    changed: set[Who]
    by_hand: set[tuple[str, str, str]]


class Packages:
    """The old and the new rendering of cases."""

    def __init__(self, folder: Path, namespace: str, chosen: list[Case]) -> None:
        self.folder = folder
        self.namespace = namespace
        self.old = self._render("old", [case.old for case in chosen])
        self.new = self._render("new", [case.new for case in chosen])

    def names(self, side: str) -> set[tuple[str, str]]:
        documents = yaml.load_all(self.old if side == "old" else self.new, yaml.CSafeLoader)
        return {(one["kind"], one["metadata"]["name"]) for one in documents if one}

    def diff(self, *arguments: str | Path) -> dict[str, Any]:
        done = self._run("diff", "-ojson", "--namespace", self.namespace, *arguments)
        found: dict[str, Any] = json.loads(done)
        return found

    def _render(self, side: str, applications: list[Application]) -> bytes:
        folder = self.folder / side
        folder.mkdir(parents=True)
        (folder / "objects.yaml").write_text(
            yaml.dump_all(objects_of(applications), Dumper=_Dumper)
        )
        (folder / "krm-fn.yaml").write_text(yaml.safe_dump(CONFIGURATION))
        rendered = self._run("render", "--namespace", self.namespace, folder)
        (self.folder / f"{side}.yaml").write_bytes(rendered)
        return rendered

    def _run(self, *arguments: str | Path) -> bytes:
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        done = fork([*map(str, arguments)], ROOT, variables)
        assert done.returncode == 0, done.stderr
        return done.stdout.encode()

    def live(self, api: Api, side: str) -> Announced:
        place = write_kubeconfig(
            self.folder / "reader", api.server, token=api.token, namespace=api.namespace
        )
        return read(self.diff("--live", "--kubeconfig", place, self.folder / f"{side}.yaml"))


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, _: object) -> bool:
        return True


def read(difference: dict[str, Any]) -> Announced:
    changes = [*difference["revisions"], *difference["objects"]]
    rolled = {
        (roll["kind"], roll["name"])
        for change in changes
        for roll in change["rolls"]
        if roll["by"]  # else no other pod template is stored
    }
    # A Job that is named by its content is another one, which only a deployer's mark tells from its
    # predecessor.
    new_jobs = [
        change["new"] for change in changes if change["kind"] == "Job" and change["old"] is None
    ]
    rolled |= {("Job", job["baseName"]) for job in new_jobs}
    changed = {
        (change["kind"], (change["new"] or change["old"])["baseName"])
        for change in changes
        if change["new"]
    }
    by_hand = {
        (change["kind"], change["new"]["baseName"], edit["path"])
        for change in changes
        for edit in change["edits"]
    }
    kept = (_SET_BY_HAND.match(note) for note in difference["notes"])
    by_hand |= {(found["kind"], found["name"], found["path"]) for found in kept if found}
    return Announced(rolled, changed | rolled, by_hand)


def judge(
    api: Api, folder: Path, way: str, sample: tuple[int, Random] | None = None
) -> tuple[list[Case], set[Who]]:
    """Apply the old and the new rendering of cases, and compare what happens with what was announced."""
    chosen = cases(sample)
    packages = Packages(folder, api.namespace, chosen)
    applier = WAYS[way](api=api, folder=folder / "home")
    applier.apply(packages.old)
    first = observe(api, chosen)
    again = packages.live(api, "old")
    applier.apply(packages.old)
    before = observe(api, chosen)
    assert find_changed(first, before, packages.names("old")) == set(), (
        "to apply it again changes nothing"
    )
    assert (again.changed, again.by_hand) == (set(), set()), (
        "nobody but the applier has written anything"
    )
    announced = packages.live(api, "new")
    applier.apply(packages.new)
    after = observe(api, chosen)
    rolled = find_rolled(before, after)
    assert wrong(announced.rolled, rolled, chosen) == {}, "what rolls"
    assert (
        wrong(announced.changed, find_changed(before, after, packages.names("new")), chosen) == {}
    ), "what changes"
    assert announced.by_hand == set()
    between = read(packages.diff(folder / "old.yaml", folder / "new.yaml"))
    assert wrong(between.rolled, rolled, chosen) == {}, "what rolls, by the two renderings alone"
    return chosen, rolled


def wrong(announced: set[Who], happened: set[Who], chosen: list[Case]) -> dict[str, list[str]]:
    """Return what was announced and did not happen, or happened unannounced, with the change that was made."""
    says = {case.name: f"{case.kind}: {case.says}" for case in chosen}
    sides = {"announced": announced - happened, "not announced": happened - announced}
    return {
        side: sorted(
            f"{kind}/{name} of {says.get(name.partition('-')[0], name)}" for kind, name in found
        )
        for side, found in sides.items()
        if found
    }


@pytest.mark.usefixtures("rollouts")
@every_way
def test_what_is_announced_is_what_happens(namespace: Api, tmp_path: Path, way: str) -> None:
    judge(namespace, tmp_path, way, (EACH_RUN, Random(seed_of([*WAYS].index(way)))))


@pytest.mark.nightly
@pytest.mark.usefixtures("rollouts")
@pytest.mark.parametrize("way", WAYS)
def test_all_of_it_happens(namespace: Api, tmp_path: Path, way: str) -> None:
    """And the answers still hold by which the fast tests judge `krm-fn diff OLD NEW`."""
    chosen, rolled = judge(namespace, tmp_path, way)
    if way == RECORDED_WAY:
        found = {f"{case.kind}: {case.says}": (case.kind, case.name) in rolled for case in chosen}
        recorded = json.loads((ROOT / "tests/data/rolls_of_changes.json").read_text())
        assert {
            says: found.get(says) for says, rolls in recorded.items() if found.get(says) != rolls
        } == {}


_APP = "spec.template.spec.containers[app]"
HAND = {
    "kubectl set env {} --containers=app HAND=1": (
        f"{_APP}.env[HAND].name",
        f"{_APP}.env[HAND].value",
    ),
    "kubectl set env {} --containers=app A=hand": (f"{_APP}.env[A].value",),
    "kubectl set image {} app=registry.example/app:hand": (f"{_APP}.image",),
    "kubectl scale {} --replicas=1": ("spec.replicas",),
    "kubectl label {} --overwrite tier=hand": ("metadata.labels.tier",),
    "kubectl annotate {} hand=1": ("metadata.annotations.hand",),
    'kubectl patch {} --patch={{"spec":{{"minReadySeconds":7}}}}': ("spec.minReadySeconds",),
}
"""What somebody does, and the fields that it sets."""


@pytest.mark.usefixtures("rollouts")
@every_way
def test_what_is_set_by_hand_is_what_somebody_has_set(
    namespace: Api, tmp_path: Path, way: str
) -> None:
    """Neither defaults, nor what controllers write, nor what the deployer has applied: be it by which request."""
    applications = [
        application("Deployment", f"w{number}", SHARED) for number, _ in enumerate(HAND)
    ]
    chosen = [
        Case(one.workload["metadata"]["name"], "Deployment", "nothing", one, one)
        for one in applications
    ]
    packages = Packages(tmp_path, namespace.namespace, chosen)
    applier = WAYS[way](api=namespace, folder=tmp_path / "home")
    applier.apply(packages.old)
    expected: set[tuple[str, str, str]] = set()
    for case, (command, paths) in zip(chosen, HAND.items(), strict=True):
        applier.run(*command.format(f"deployment/{case.name}").split(" "))
        expected |= {("Deployment", case.name, path) for path in paths}
    observe(namespace, chosen)
    assert packages.live(namespace, "old").by_hand == expected
