"""Whatever becomes of an API server's answers, nothing is lost that a live object references, and each run ends."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event
from typing import NamedTuple

import pytest

from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.linker import link
from krm_fn.linker.credentials import Access
from krm_fn.linker.link_set import LinkOptions, link_set
from tests.linker.distortions import Right, draw_distortion, send
from tests.linker.fake_api_server import Call, FakeApiServer, find_lost
from tests.linker.hostile_server import Handler, hostile_server
from tests.linker.test_wrong_lists import NAMES, SERVED, UNUSED, WIDGETS, store_of_all_kinds
from tests.volume import part_of, seed_of
from tests.wait import lasting

CASES = part_of(2000)
TIMEOUT = 4
# With a Rollout in the plan: without one, a 403 on a kind of Argo Rollouts means that there are
# none (decision 18).
ROLLOUT = Workload(
    "argoproj.io/v1alpha1", "Rollout", "rollout", (RevisionName("ConfigMap", NAMES["Rollout"]),)
)
PLAN = LinkPlan(
    set="web", workloads=(ROLLOUT,), kinds=(WIDGETS,), timeout=TIMEOUT, minimum_age=600, waits=False
)


class ShortPauses(Event):
    """An Event that is waited for a tenth of a second at most."""

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(min(timeout or 0.0, 0.1))


class Judged(NamedTuple):
    sentence: str
    lost: set[str]
    has_deleted: bool
    exit_code: int


def judge(number: int, folder: Path) -> Judged:
    random = Random(seed_of(number))
    distortion = draw_distortion(random, tuple(SERVED))
    store = store_of_all_kinds()
    before = store.of_kind("ConfigMap")
    server = FakeApiServer(store, SERVED)

    def behave(handler: Handler) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        call = Call(handler.command, handler.path, headers, json.loads(body) if body else None)
        answered = server.answer(call)
        content = b"" if answered.content is None else json.dumps(answered.content).encode()
        right = Right(answered.status, answered.headers, content)
        is_due = distortion.is_due(call.method, call.plural)
        (distortion.send if is_due else send)(right, handler.wfile.write)

    where = folder / str(number)
    where.mkdir()
    with hostile_server(behave, where) as kubeconfig, lasting():
        options = LinkOptions("shop", Access(str(kubeconfig)), as_json=True)
        outcome = link_set(PLAN, options, ShortPauses(), lambda _: None, lambda _: None)
    has_deleted = store.find("ConfigMap", UNUSED) is None
    return Judged(
        f"{number}: {distortion.sentence}",
        find_lost(before, store),
        has_deleted,
        outcome.exit_code,
    )


@pytest.mark.volume
def test_nothing_is_lost_and_each_run_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "GRACE", 0.2)
    with ThreadPoolExecutor(8) as pool:
        judged = [*pool.map(lambda number: judge(number, tmp_path), range(CASES))]
    print(f"{CASES} cases, {sum(one.has_deleted for one in judged)} with a deletion")
    assert [one for one in judged if one.lost] == []
    assert {one.exit_code for one in judged} <= {0, 1}
    # Who deletes nothing loses nothing: many answers are right, and only look another way.
    assert sum(one.has_deleted for one in judged) > CASES / 10
