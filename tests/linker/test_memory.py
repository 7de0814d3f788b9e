"""What other programs write to ConfigMaps takes no memory of the linker, as one pod reads all of a namespace.

200 KB of each of a thousand would be as much as the pod may have.
"""

import sys
from pathlib import Path
from subprocess import run

import pytest

from krm_fn.base import keys
from krm_fn.linker.live_cluster import LiveCluster
from tests.fleet.test_ask_fleet import MEASURE
from tests.linker.fake_api_server import Call, FakeApiServer
from tests.linker.hostile_server import Handler, answer, hostile_server
from tests.linker.object_store import NAMESPACE, Object, ObjectStore
from tests.linker.test_link_all_sets import api_of, store_of
from tests.linker.test_link_all_sets import run as link_all
from tests.linker.test_wrong_lists import SERVED
from tests.volume import part_of

LONG = "x" * 200_000
OF_OTHERS: dict[str, Object] = {
    "the last applied configuration": {"annotations": {keys.LAST_APPLIED: LONG}},
    "an annotation of another program": {"annotations": {"example.com/notes": LONG}},
    "a label of another program": {"labels": {"example.com/notes": LONG}},
    "the managers of fields": {"managedFields": {LONG: {}}},
    "finalizers": {"finalizers": {LONG: {}}},
}
"""What others write into the metadata of a ConfigMap, in the form of mappings."""


def laden(store: ObjectStore, more: Object) -> ObjectStore:
    """Copy a store, with more in the metadata of each ConfigMap."""
    copy = ObjectStore()
    for item in store:
        added = more if item["kind"] == "ConfigMap" else {}
        fields = {name: {**item["metadata"].get(name, {}), **one} for name, one in added.items()}
        copy.create({**item, "metadata": {**item["metadata"], **fields}})
    return copy


@pytest.mark.parametrize("more", OF_OTHERS.values(), ids=OF_OTHERS)
def test_nothing_is_kept_of_what_others_write(more: Object) -> None:
    store = store_of("api", "web", superseded="api")
    kept = LiveCluster(api_of(store), NAMESPACE).configs_of_all()
    assert LiveCluster(api_of(laden(store, more)), NAMESPACE).configs_of_all() == kept
    assert len(kept.items) == 5


def peak_of(store: ObjectStore, folder: Path, *arguments: str) -> float:
    """Return the most MiB that a run has in memory."""
    server = FakeApiServer(store, SERVED)

    def serve(handler: Handler) -> None:
        found = server.answer(
            Call(handler.command, handler.path, {"accept": handler.headers["accept"]})
        )
        answer(handler, found.content, found.status)

    with hostile_server(serve, folder) as kubeconfig:
        command = [sys.executable, "-m", "krm_fn", "link", *arguments, "--no-wait", "--dry-run"]
        measured = [sys.executable, "-c", MEASURE, *command, "--kubeconfig", str(kubeconfig)]
        done = run(measured, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f" in {NAMESPACE}: " in done.stdout
    return float(done.stderr.split()[-1])


def test_a_run_for_all_sets_takes_as_much_memory_as_one_for_a_set(tmp_path: Path) -> None:
    names = [f"set-{number}" for number in range(max(100, part_of(500)))]  # each has two ConfigMaps
    linked = store_of(*names)
    link_all(linked)
    store = laden(linked, OF_OTHERS["the last applied configuration"])
    of_one = peak_of(store, tmp_path, "--set=set-0")
    assert peak_of(store, tmp_path, "--all-sets") < 1.3 * of_one
