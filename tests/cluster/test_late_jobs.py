"""A rendering goes back to the oldest revision in history, and its Job is late, is killed, or never runs."""

import signal
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.fault_proxy import Answer, Call, Dropped, PassOn, proxy_before
from tests.cluster.faults import at
from tests.cluster.invariant_watcher import InvariantWatcher
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import (
    Linker,
    linker_arguments,
    linker_environment,
    linker_pod,
    run_linker,
)
from tests.cluster.release import DEPLOYERS, SET, Release
from tests.cluster.rollouts_controller import until_noticed
from tests.cluster.tokens import token_of
from tests.cluster.workloads import (
    WITH_HISTORY,
    app,
    config_of,
    consumers_by_revision,
    one_of_each,
    until_settled,
)
from tests.wait import until

pytestmark = pytest.mark.usefixtures("rollouts")
ROLLED = ("Deployment", "Rollout", "StatefulSet")
HISTORY = ("ReplicaSet", "ControllerRevision")
INVENTORY = f"ConfigMap/{SET}-linker"


@pytest.fixture
def shop(namespace: Api, deployer: str) -> Release:
    linker = {"minimumAgeSeconds": 0, "timeoutSeconds": 60}
    return Release(
        api=namespace, deployer=DEPLOYERS[deployer](namespace), settings={"linker": linker}
    )


def never(_shop: Release, _folder: Path) -> None:
    """Run no Job."""


def late(shop: Release, _folder: Path) -> None:
    """Run the Job when the history of the workload has been trimmed."""
    run = run_linker(shop.api, SET)
    assert (run.exit_code, run.stderr) == (0, "")


def killed_at_every_call(shop: Release, folder: Path) -> None:
    """Each attempt is killed one call later than the one before it, until one reaches its end."""
    pod = linker_pod(shop.api, SET)
    environment = linker_environment(shop.api, pod, folder)
    with proxy_before(shop.api.server) as proxy:
        token = token_of(shop.api, pod["spec"]["serviceAccountName"], pod=pod)
        write_kubeconfig(
            folder / "kubeconfig", proxy.server, token=token, namespace=shop.api.namespace
        )
        linker = Linker(environment)

        def kill(_call: Call, _pass_on: PassOn) -> Answer:
            linker.signal(signal.SIGKILL)
            raise Dropped

        codes: list[int] = []
        while not codes or codes[-1]:
            proxy.begin(at(len(codes) + 1, kill))
            codes.append(linker.run(linker_arguments(pod)).exit_code)
    assert set(codes[:-1]) == {-signal.SIGKILL}
    assert len(codes) > len(proxy.calls) >= 16


ALWAYS = {
    ("Deployment", never, "Argo CD"),
    ("Deployment", late, "Flux"),
    ("Deployment", killed_at_every_call, "Argo CD"),
    ("StatefulSet", killed_at_every_call, "Flux"),
}
ROWS = [
    pytest.param(
        *row,
        marks=() if row in ALWAYS else pytest.mark.nightly,
        id=f"{row[0]}, {row[1].__name__}, {row[2]}",
    )
    for row in product(ROLLED, (never, late, killed_at_every_call), DEPLOYERS)
]


@pytest.mark.parametrize(("kind", "job", "deployer"), ROWS)
def test_a_revision_that_is_used_again_is_kept(
    kind: str, job: Callable[[Release, Path], None], shop: Release, tmp_path: Path
) -> None:
    """Its old ReplicaSet or ControllerRevision is gone before the Job of the new rendering has run."""
    for content in ("a", "b"):
        shop.release(*app(kind, content, revisionHistoryLimit=1))
        until_settled(shop.api, kind)
    a = shop.revision_of("a", config_of(kind))
    with InvariantWatcher(shop.api) as watcher:
        shop.sync(*app(kind, "a", image="app:2", revisionHistoryLimit=1))
        until_settled(shop.api, kind)
        until_noticed(
            "the history has its limit",
            shop.api,
            lambda: shop.api.list(WITH_HISTORY[kind]),
            lambda made: len(made) == 2,
        )
        until(
            "its old owner is gone",
            lambda: shop.revisions()[a],
            lambda held: not history(held, kind),
        )
        job(shop, tmp_path)
        watcher.check()
    assert {INVENTORY, f"{kind}/{kind.lower()}"} <= shop.revisions()[a]
    assert bool(history(shop.revisions()[a], kind)) is (job is not never)


def history(owners: set[str], kind: str) -> set[str]:
    return {owner for owner in owners if owner.startswith(f"{WITH_HISTORY[kind]}/")}


@pytest.mark.parametrize("deployer", [pytest.param("Argo CD", marks=pytest.mark.nightly), "Flux"])
def test_going_back_and_forth_leaves_what_is_referenced_after_one_more_run(shop: Release) -> None:
    """Each Job runs when its rollout is complete and history is trimmed."""
    with InvariantWatcher(shop.api) as watcher:
        for number, content in enumerate("abcbadedaf"):
            shop.sync(*one_of_each(content, *ROLLED, image=f"app:{number}", revisionHistoryLimit=2))
            until_settled(shop.api, *ROLLED)
            shop.link()
        until_noticed(
            "histories are trimmed",
            shop.api,
            lambda: [*map(shop.api.list, HISTORY)],
            lambda made: [*map(len, made)] == [6, 3],
        )
        shop.link()
        watcher.check()
    consumers = consumers_by_revision(shop)
    assert all(consumers.values())
    contents = {shop.revision_of(content, config_of(kind)) for content in "daf" for kind in ROLLED}
    assert shop.revisions().keys() == consumers.keys() == contents
