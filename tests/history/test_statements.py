"""What a history states of each revision, judged by the text of all objects and by what the linker then does.

Nothing here asks how the history has come to its statement.
"""

import shlex
from random import Random
from typing import NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.link_plan import LinkPlan, read_arguments
from krm_fn.linker.api import Forbidden
from krm_fn.linker.link import link
from krm_fn.linker.read import linker_arguments
from krm_fn.linker.report import Report
from krm_fn.tools.common.revision_history import History, Retention, RevisionHistory, SetHistory
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.history import find_notes
from krm_fn.tools.history.snapshot import read_snapshot
from tests.history.fake_source import FakeSource
from tests.history.generated_namespaces import (
    ALL,
    MINIMUM_AGE,
    OLD,
    SET,
    Case,
    generate,
    make_secrets,
    mentions,
    plural_of,
)
from tests.linker.fake_cluster import FakeCluster
from tests.linker.garbage_collector import collect, delete, is_solid
from tests.linker.object_store import NAMESPACE, NOON, Object, ObjectStore
from tests.volume import part_of, seed_of

CASES = range(part_of(5_000))
_KEPT_FOR_A_WHILE = (Retention.HISTORY, Retention.YOUNG)
_TOLD_BEFORE_OWNERS = Retention.IN_USE


def history_of(store: ObjectStore, forbidden: tuple[str, ...] = ()) -> History:
    return find_history(read_snapshot(FakeSource(store, forbidden, store.clock), None))


class Run(NamedTuple):
    """What a run of the linker has left, and what it said."""

    store: ObjectStore
    report: Report


def run(case: Case, plan: LinkPlan, clock: float = NOON) -> Run:
    """Let the next run of the CronJob act on a copy: it has the plan of what the inventory lists."""
    store = case.store(clock)

    def refuse(what: str) -> None:
        if what.startswith("list ") and what.removeprefix("list ") in case.forbidden:
            raise Forbidden(what, "not permitted", "{}")

    report = Report(NAMESPACE, lambda _: None)
    link(plan, FakeCluster(store, refuse), report)
    return Run(store, report)


def inventory_of(store: ObjectStore) -> list[str] | None:
    item = store.find("ConfigMap", "web-linker")
    if item is None or "deletionTimestamp" in item["metadata"]:
        return None
    return [name for name in item["metadata"]["annotations"][keys.RENDERED].split(",") if name]


def plan_of(case: Case) -> LinkPlan:
    """Return the plan of the newest Job for what the inventory lists, as a CronJob has it."""
    default = LinkPlan(set=SET, timeout=300, minimum_age=MINIMUM_AGE)
    if "jobs" in case.forbidden:
        return default._replace(waits=False)
    store = case.store()
    listed = inventory_of(store)
    found = [(default, "")]
    for job in store.of_kind("Job"):
        if arguments := linker_arguments(job["spec"]["template"]["spec"]):
            plan = read_arguments(arguments)
            if listed is None or {one.name for one in plan.rendered} <= {*listed}:
                found.append((plan, job["metadata"]["creationTimestamp"]))
    plan, _ = max(found, key=lambda one: one[1])
    return plan._replace(waits=False)


def config_maps(store: ObjectStore) -> set[str]:
    return {item["metadata"]["name"] for item in store.of_kind("ConfigMap")} & {*ALL}


def named_by(store: ObjectStore, name: str, forbidden: tuple[str, ...] = ()) -> set[str]:
    """Return the objects whose text contains the name."""
    return {
        f"{item['kind']}/{item['metadata']['name']}"
        for item in store
        if mentions(item, name) and plural_of(item) not in forbidden
    }


def controllers_of(store: ObjectStore, who: str) -> set[str]:
    item = store.get(*who.split("/"))
    return {f"{one['kind']}/{one['name']}" for one in item["metadata"].get("ownerReferences", [])}


class Statement(NamedTuple):
    case: Case
    store: ObjectStore
    found: SetHistory
    entry: RevisionHistory
    after: Run


def judge_references(one: Statement) -> None:
    """Whatever contains the name is told, itself or, as a pod, by its controller; and nothing else is.

    Of what is missing, those are told whose pods would not start: a pod that runs already is none.
    """
    named = named_by(one.store, one.entry.name, one.case.forbidden)
    told = {str(referrer) for referrer in one.entry.referrers}
    for who in named - told if one.entry.created is not None else ():
        assert who.startswith("Pod/"), f"{who} is not told"
        controllers = controllers_of(one.store, who)
        speaking = told.union(*(controllers_of(one.store, other) for other in told))
        # A pod whose controller may not be listed is counted, and told only if nothing else
        # references the name.
        is_told = bool(controllers & speaking) or ("replicasets" in one.case.forbidden and told)
        assert is_told, f"{who} is not told"
    for who in told - named:
        speaks_for = {
            pod for pod in named if pod.startswith("Pod/") and who in controllers_of(one.store, pod)
        }
        assert speaks_for, f"{who} does not reference it"


def judge_pods(one: Statement) -> None:
    pods = [who for who in named_by(one.store, one.entry.name) if who.startswith("Pod/")]
    expected = None if "pods" in one.case.forbidden else len(pods)
    assert (one.entry.pods and one.entry.pods.total) == expected


def judge_rendered(one: Statement) -> None:
    listed = inventory_of(one.store)
    plan = plan_of(one.case)
    expected = {*listed} if listed is not None else {name.name for name in plan.rendered}
    assert one.entry.is_rendered == (one.entry.name in expected)


def judge_existence(one: Statement) -> None:
    exists = one.store.find("ConfigMap", one.entry.name) is not None
    assert exists == (one.entry.fate not in (Retention.MISSING, Retention.NOT_APPLIED))
    assert exists == (one.entry.created is not None)
    if one.entry.fate is Retention.MISSING:
        assert named_by(one.store, one.entry.name)


def judge_fate(one: Statement) -> None:
    """Expect the next run to delete what is said to go with it, and nothing else."""
    if one.entry.created is not None:
        is_left = one.after.store.find("ConfigMap", one.entry.name) is not None
        assert is_left == (one.entry.fate is not Retention.NEXT_RUN)


def judge_owners(one: Statement) -> None:
    if one.entry.created is None:
        return
    before = one.store.get("ConfigMap", one.entry.name)
    assert one.entry.owners == tuple(map(_owner, before["metadata"].get("ownerReferences", [])))
    after = one.after.store.find("ConfigMap", one.entry.name)
    if after is not None and keys.KPT_INVENTORY not in after["metadata"]["annotations"]:
        added = [*map(_owner, after["metadata"].get("ownerReferences", []))]
        assert sorted({*added} - {*one.entry.owners}) == sorted(
            {*one.entry.to_link} - {*one.entry.owners}
        )


def judge_reason(one: Statement) -> None:
    """Without the one reason that is told, the next run deletes it."""
    if one.entry.fate not in (*_KEPT_FOR_A_WHILE, Retention.IN_USE, Retention.FOREIGN_OWNER):
        return
    if one.case.forbidden or inventory_of(one.store) is None:
        return
    store = one.case.store()
    clock = NOON
    if one.entry.fate is Retention.YOUNG:
        assert one.entry.due is not None
        clock = one.entry.due + 1
    elif one.entry.fate is Retention.FOREIGN_OWNER:
        item = store.get("ConfigMap", one.entry.name)
        owners = item["metadata"]["ownerReferences"]
        left = [owner for owner in owners if _owner(owner) not in one.entry.foreign]
        store.update_metadata(item, ownerReferences=left)
        # A reason that comes later may hold too.
        clock += OLD
    else:
        if one.entry.fate is Retention.HISTORY:
            _check_last(one)
        clock += OLD
    if one.entry.fate is not Retention.YOUNG:
        for who in named_by(store, one.entry.name):
            store.remove(store.get(*who.split("/")))
    item = store.get("ConfigMap", one.entry.name)["metadata"]
    is_other = keys.KPT_INVENTORY in item["annotations"] or (
        one.entry.foreign and one.entry.fate is _TOLD_BEFORE_OWNERS
    )
    is_leak = (
        item["labels"].get(keys.COMPONENT) == keys.TRACKER
        and keys.OWNS_SECRET not in item["annotations"]
    )
    if not is_other and not is_leak:
        after = run(Case([*store], ()), plan_of(one.case), clock)
        assert after.store.find("ConfigMap", one.entry.name) is None


def _check_last(one: Statement) -> None:
    """With only the objects that are told to be the last, it is still kept."""
    last = {str(referrer) for referrer in one.entry.last}
    named = named_by(one.store, one.entry.name)
    assert last & named
    store = one.case.store()
    for who in named - last:
        store.remove(store.get(*who.split("/")))
    assert (
        run(Case([*store], ()), plan_of(one.case)).store.find("ConfigMap", one.entry.name)
        is not None
    )


def _owner(reference: Object) -> str:
    return f"{reference['kind']}/{reference['name']}"


JUDGES = (
    judge_references,
    judge_pods,
    judge_rendered,
    judge_existence,
    judge_fate,
    judge_owners,
    judge_reason,
)


@pytest.mark.volume
def test_each_statement_is_true() -> None:
    judged = 0
    for number in CASES:
        case = generate(Random(seed_of(number)))
        store = case.store()
        sets = history_of(store, case.forbidden).sets
        after = run(case, plan_of(case))
        told = {entry.name for found in sets for entry in found.entries}
        assert config_maps(store) <= told, number
        for found in sets:
            for entry in found.entries:
                for judge in JUDGES:
                    try:
                        judge(Statement(case, store, found, entry, after))
                    except AssertionError as error:
                        message = f"case {number}, {entry.name}, {judge.__name__}: {error}"
                        raise AssertionError(message) from error
                    judged += 1
    print(f"{judged} statements of {len(CASES)} namespaces")


def delete_by_command(store: ObjectStore, words: list[str]) -> None:
    """Act as kubectl, while the garbage collector and what makes Secrets go on."""
    assert words[:2] == ["kubectl", "delete"]
    assert words[-3:] == ["-n", NAMESPACE, "--ignore-not-found"]
    kinds = {
        "secret": "Secret",
        "configmap": "ConfigMap",
        "externalsecret.external-secrets.io": "ExternalSecret",
    }
    for word in words[2:-3]:
        resource, _, name = word.partition("/")
        if (item := store.find(kinds[resource], name)) is not None:
            delete(store, item)
        collect(store)
        make_secrets(store)


def leaks_of(store: ObjectStore) -> set[str]:
    """Return the trackers that no run deletes, of Secrets that nothing references: nothing else keeps them."""
    listed = inventory_of(store) or []
    found = set()
    for item in store.of_kind("ConfigMap"):
        name, annotations = item["metadata"]["name"], item["metadata"].get("annotations", {})
        is_tracker = item["metadata"]["labels"].get(keys.COMPONENT) == keys.TRACKER
        is_kept = name in listed or keys.RETAIN in annotations or named_by(store, name)
        is_owned = any(
            owner["kind"] == "Service" for owner in item["metadata"].get("ownerReferences", [])
        )
        is_young = item["metadata"]["creationTimestamp"] >= "2026-06-01T11:50:00Z"
        if is_tracker and not (is_kept or is_owned or is_young or keys.OWNS_SECRET in annotations):
            found.add(name)
    return found


@pytest.mark.volume
def test_the_command_against_a_leak_deletes_it_for_good_and_nothing_that_is_needed() -> None:
    run_commands = 0
    for number in CASES:
        case = generate(Random(seed_of(number)))
        store = case.store()
        history = history_of(store, case.forbidden)
        commands = [
            note.command
            for note in find_notes(history)
            if note.command.startswith("kubectl delete")
        ]
        if case.forbidden or inventory_of(store) is None:
            assert commands == [], f"case {number}: what is not seen may need it"
            continue
        needed = {
            name for name in ALL if named_by(store, name) or name in (inventory_of(store) or [])
        }
        live = {("Secret", name) for name in needed if store.find("Secret", name)}
        live |= {("ConfigMap", name) for name in needed if store.find("ConfigMap", name)}
        expected = _without_siblings(store, leaks_of(store))
        for command in commands:
            delete_by_command(store, shlex.split(command))
            run_commands += 1
        for name in expected:
            assert (store.find("ConfigMap", name), store.find("Secret", name)) == (None, None), (
                f"case {number}: {name}"
            )
        lost = [key for key in sorted(live) if store.find(*key) is None]
        assert lost == [], f"case {number}"
        again = [
            note.command
            for note in find_notes(history_of(store))
            if note.command.startswith("kubectl delete")
        ]
        assert again == [], f"case {number}: nothing leaks any more"
        warnings = " ".join(run(Case([*store], ()), plan_of(case)).report.warnings)
        assert not [name for name in expected if name in warnings], f"case {number}"
    assert run_commands


def _without_siblings(store: ObjectStore, leaks: set[str]) -> set[str]:
    """Leave out those whose producer makes something else that is no leak, and has to stay."""
    found = set()
    for name in leaks:
        mark = store.get("ConfigMap", name)["metadata"]["annotations"].get(keys.MADE_BY)
        made = [
            item["metadata"]["name"]
            for item in store.of_kind("ConfigMap")
            if item["metadata"].get("annotations", {}).get(keys.MADE_BY) == mark
        ]
        if mark is None or {*made} <= leaks:
            found.add(name)
    return found


@pytest.mark.volume
def test_what_is_about_to_be_collected_is_what_the_garbage_collector_deletes_next() -> None:
    """Objects are gone and the collector has not looked yet, as after an uninstall."""
    told = 0
    for number in CASES:
        random = Random(seed_of(number))
        case = generate(random)
        store = case.store()
        for item in store:
            is_owner = item["kind"] != "ConfigMap" or item["metadata"]["name"] == "web-linker"
            if is_owner and random.random() < 0.5:
                store.remove(item)
        history = history_of(store, case.forbidden)
        found = {name for one in history.sets for name in one.abandoned}
        expected = set()
        for item in store.of_kind("ConfigMap"):
            owners = item["metadata"].get("ownerReferences", [])
            # Nobody reads Services, so nobody knows that one is gone.
            is_read = all(owner["kind"] != "Service" for owner in owners)
            if owners and is_read and not any(is_solid(store, owner) for owner in owners):
                expected.add(item["metadata"]["name"])
        is_going = inventory_of(store) is None and store.find("ConfigMap", "web-linker") is not None
        if case.forbidden:
            assert found == set(), f"case {number}: an owner may be of what is not seen"
        elif is_going:
            assert found >= expected & {*ALL}, f"case {number}"
        else:
            assert found == expected & {*ALL}, f"case {number}"
        notes = [
            note.sentence for note in find_notes(history) if "to be collected" in note.sentence
        ]
        assert bool(notes) == bool(found)
        told += len(found)
    assert told
