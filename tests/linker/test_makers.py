"""What makes Secrets in the cluster: it lives as long as something references a name of what it makes."""

import pytest

from krm_fn.base import keys
from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import LinkPlan, ProducerName, RevisionName, Workload
from krm_fn.linker.link import link
from krm_fn.linker.report import Report
from tests.linker.fake_cluster import FakeCluster, refused
from tests.linker.garbage_collector import collect, delete
from tests.linker.manifests import inventory, made_by, pods, reference, revision, thing, workload
from tests.linker.object_store import NAMESPACE, NOON, Hook, Key, Object, ObjectStore, no_hook

DB, API = "web-db-gggggggggg", "web-api-gggggggggg"
PRODUCER = "from-vault-gggggggggg"
LIST = "ConfigMap/web-linker"
EXTERNAL_SECRETS = Kind("external-secrets.io/v1", "ExternalSecret", "externalsecrets")


def plan(*names: str, kinds: tuple[Kind, ...] = ()) -> LinkPlan:
    secrets = tuple(RevisionName("Secret", name) for name in names)
    return LinkPlan(
        set="web",
        workloads=(Workload("apps/v1", "Deployment", "web", secrets),),
        producers=(ProducerName(EXTERNAL_SECRETS, PRODUCER, secrets),) if names else (),
        kinds=kinds,
        timeout=300,
        minimum_age=600,
    )


def producer(*names: str, name: str = PRODUCER) -> Object:
    """Build one whose spec says the names of what it makes."""
    return {**revision(name, kind="ExternalSecret"), "spec": {"targets": [*names]}}


def made(store: ObjectStore, *names: str) -> None:
    """Make the Secrets, as its controller does."""
    for name in names:
        owner = reference(store.get("ExternalSecret", PRODUCER), controller=True)
        store.create(thing("Secret", name, ownerReferences=[owner]))


def applied(*names: str) -> ObjectStore:
    store = ObjectStore()
    store.create(inventory(*names))
    web = store.create(workload("Deployment", "web", pods(secrets=names)))
    store.create(made_by(web, "ReplicaSet", "web-1", pods(secrets=names)))
    for name in names:
        store.create(revision(name, tracker=True))
    store.create(producer(*names))
    made(store, *names)
    return store


class Run:
    """A run, and what it requested."""

    def __init__(self, store: ObjectStore, of: LinkPlan, hook: Hook = no_hook) -> None:
        self.requests: list[str] = []

        def record(what: str) -> None:
            self.requests.append(what)
            hook(what)

        self.report = Report(NAMESPACE, lambda _: None)
        self.cluster = FakeCluster(store, record, of.timeout)
        link(of, self.cluster, self.report)


def owners(store: ObjectStore, kind: str, name: str) -> list[str]:
    return [
        f"{one['kind']}/{one['name']}"
        for one in store.get(kind, name)["metadata"].get("ownerReferences", [])
    ]


def change_to(store: ObjectStore, *names: str) -> None:
    """Let the workload and its history reference only these names, some time later."""
    store.update(store.get("Deployment", "web"), spec={"template": pods(secrets=names)})
    store.update(store.get("ReplicaSet", "web-1"), spec={"template": pods(secrets=names)})
    store.update_metadata(
        store.get("ConfigMap", "web-linker"), annotations={keys.RENDERED: ",".join(names)}
    )
    store.clock += 601


def test_each_tracker_owns_what_makes_its_secret() -> None:
    store = applied(DB, API)
    run = Run(store, plan(DB, API))
    assert owners(store, "ExternalSecret", PRODUCER) == [f"ConfigMap/{DB}", f"ConfigMap/{API}"]
    assert owners(store, "ConfigMap", DB) == ["Deployment/web", "ReplicaSet/web-1", LIST]
    assert run.report.problems == []


def test_nothing_is_asked_of_its_secrets() -> None:
    run = Run(applied(DB, API), plan(DB, API))
    assert [what for what in run.requests if "Secret/" in what.replace("ExternalSecret/", "")] == []


def leave(store: ObjectStore) -> None:
    listed = store.get("ConfigMap", "web-linker")
    annotations = {**listed["metadata"]["annotations"], keys.LEAVING: "true"}
    store.update_metadata(listed, annotations=annotations)


def test_in_the_last_release_no_tracker_owns_what_makes_its_secret_any_more() -> None:
    store = applied(DB, API)
    Run(store, plan(DB, API))
    leave(store)
    run = Run(store, plan(DB, API))
    assert owners(store, "ExternalSecret", PRODUCER) == []
    assert owners(store, "ConfigMap", DB) == owners(store, "ConfigMap", API) == []
    assert run.report.problems == []
    assert Run(store, plan(DB, API)).cluster.writes == []


def test_in_the_last_release_a_job_fails_that_may_not_take_a_tracker_off() -> None:
    store = applied(DB, API)
    Run(store, plan(DB, API))
    leave(store)
    run = Run(store, plan(API))
    assert run.report.failures == [
        (
            f"Secret shop/{DB}: goes with its tracker, ConfigMap {DB}, whoever deletes that; this run has no right to "
            "change that: leave with spec.linker.secrets and the kinds in spec.kinds as they were when it was linked"
        )
    ]


def test_in_the_last_release_an_earlier_secret_stays_with_its_tracker_and_nothing_fails() -> None:
    store = applied(DB, API)
    Run(store, plan(DB, API))
    store.update_metadata(
        store.get("ConfigMap", "web-linker"), annotations={keys.RENDERED: API, keys.LEAVING: "true"}
    )
    run = Run(store, plan(API))
    said = f"Secret shop/{DB}: goes with its tracker, ConfigMap {DB}, whoever deletes that"
    advice = "delete the tracker when no pod reads its Secret any more"
    assert (run.report.failures, run.report.warnings) == ([], [f"{said}; {advice}"])
    assert store.find("ConfigMap", DB) is not None


def test_in_the_last_release_a_job_fails_that_may_not_take_its_own_owners_off() -> None:
    store = applied(DB)
    Run(store, plan(DB))
    leave(store)
    run = Run(store, plan(DB), refused(f"patch ConfigMap/{DB}"))
    assert (
        f"{DB}: still owned by what the linker has added; until a run has taken that off, do not remove krm-fn"
        in run.report.failures
    )


def test_in_the_last_release_a_write_that_is_refused_is_said() -> None:
    store = applied(DB)
    Run(store, plan(DB))
    leave(store)
    said = (
        f"patch ExternalSecret/{PRODUCER}: refused; until then, ExternalSecret shop/{PRODUCER}: goes with "
        f"its tracker, ConfigMap {DB}, whoever deletes that"
    )
    assert Run(store, plan(DB), refused(f"patch ExternalSecret/{PRODUCER}")).report.failures == [
        said
    ]


def test_a_second_run_writes_nothing() -> None:
    store = applied(DB, API)
    Run(store, plan(DB, API))
    assert Run(store, plan(DB, API)).cluster.writes == []


def test_it_goes_with_its_secret_when_nothing_references_that() -> None:
    store = applied(DB)
    Run(store, plan(DB))
    change_to(store)
    Run(store, plan())
    collect(store)
    assert store.of_kind("ExternalSecret", "Secret") == []


def test_it_stays_as_long_as_one_of_its_names_is_referenced() -> None:
    store = applied(DB, API)
    Run(store, plan(DB, API))
    change_to(store, API)
    Run(store, plan(API))
    collect(store)
    assert owners(store, "ExternalSecret", PRODUCER) == [f"ConfigMap/{API}"]
    assert store.find("ConfigMap", DB) is None


def test_a_name_of_an_earlier_rendering_keeps_it_as_well() -> None:
    """An old ReplicaSet still references it, though the new rendering does not."""
    store = applied(DB)
    Run(store, plan(DB))
    store.update(store.get("Deployment", "web"), spec={"template": pods(secrets=[API])})
    store.update_metadata(store.get("ConfigMap", "web-linker"), annotations={keys.RENDERED: API})
    web = store.get("Deployment", "web")
    store.create(made_by(web, "ReplicaSet", "web-2", pods(secrets=[API])))
    store.create(revision(API, tracker=True))
    Run(store, plan(API))
    assert owners(store, "ExternalSecret", PRODUCER) == [f"ConfigMap/{DB}", f"ConfigMap/{API}"]


def test_everything_is_garbage_collected_when_the_set_is_uninstalled() -> None:
    store = applied(DB, API)
    Run(store, plan(DB, API))
    for item in (store.get("Deployment", "web"), store.get("ConfigMap", "web-linker")):
        delete(store, item)
    collect(store)
    assert list(store) == []


def test_a_run_waits_for_what_is_applied_after_the_job() -> None:
    store = applied(DB)
    late = store.get("ExternalSecret", PRODUCER)
    store.remove(late)
    store.remove(store.get("Secret", DB))
    left = [late]

    def hook(_: str) -> None:
        if left and store.clock > NOON + 20:
            left.pop()
            store.create(producer(DB))

    run = Run(store, plan(DB), hook)
    assert owners(store, "ExternalSecret", PRODUCER) == [f"ConfigMap/{DB}"]
    assert run.report.problems == []
    assert run.cluster.said == [f"waiting for ExternalSecret shop/{PRODUCER} to exist (up to 59 s)"]


def test_one_that_does_not_exist_is_a_failure_within_a_minute() -> None:
    store = applied(DB)
    store.remove(store.get("ExternalSecret", PRODUCER))
    run = Run(store, plan(DB))
    sentence = f"ExternalSecret shop/{PRODUCER}: does not exist; apply the manifests again"
    assert run.report.failures == [sentence]
    assert store.clock < NOON + 90


MISSING = [
    pytest.param(
        ("ConfigMap", DB),
        f"ConfigMap shop/{DB}: does not exist, and nothing would ever delete ExternalSecret shop/{PRODUCER} without "
        f"this tracker; apply the manifests again",
        id="its tracker",
    ),
    pytest.param(
        ("ExternalSecret", PRODUCER),
        f"ExternalSecret shop/{PRODUCER}: does not exist; apply the manifests again",
        id="itself, and no workload references its Secret",
    ),
]


@pytest.mark.parametrize("waits", [True, False], ids=["a Job fails", "a CronJob warns"])
@pytest.mark.parametrize(("missing", "sentence"), MISSING)
def test_what_it_lacks_is_named(missing: Key, sentence: str, *, waits: bool) -> None:
    """As of a rendered Secret: no later Job has the right to link it."""
    store = applied(DB)
    store.remove(store.get(*missing))
    store.update(store.get("Deployment", "web"), spec={"template": pods()})
    found = Run(store, plan(DB)._replace(waits=waits)).report
    assert (sentence in found.failures, sentence in found.warnings) == (waits, not waits)


@pytest.mark.parametrize("verb", ["get", "patch"])
def test_one_that_cannot_be_linked_is_left_to_nobody(verb: str) -> None:
    call = f"{verb} ExternalSecret/{PRODUCER}"
    assert Run(applied(DB), plan(DB), refused(call)).report.failures == [
        f"{call}: refused; run the Job again, as no later one may link ExternalSecret shop/{PRODUCER}"
    ]


def test_one_whose_trackers_come_at_the_last_look_is_linked() -> None:
    """Another run has made the inventory an owner of the tracker meanwhile."""
    store = applied(DB)
    tracker = store.get("ConfigMap", DB)
    store.remove(tracker)
    looks = iter(range(1, 1000))

    def hook(what: str) -> None:
        if what == "list configmaps" and store.clock >= NOON + 300 and next(looks) == 3:
            others = [("Deployment", "web"), ("ReplicaSet", "web-1"), ("ConfigMap", "web-linker")]
            made = [store.get(*key) for key in others]
            store.create(revision(DB, *made, tracker=True))

    run = Run(store, plan(DB), hook)
    assert owners(store, "ExternalSecret", PRODUCER) == [f"ConfigMap/{DB}"]
    assert run.report.failures == []


@pytest.mark.parametrize("name", [PRODUCER, "from-vault"], ids=["renamed", "adopted"])
def test_it_does_not_own_its_own_tracker(name: str) -> None:
    """Two owners of each other would stay for ever."""
    store = applied(DB)
    store.remove(store.get("ExternalSecret", PRODUCER))
    annotations = {keys.BASE_NAME: "from-vault"}
    store.create(
        {**revision(name, kind="ExternalSecret", annotations=annotations), "spec": {"target": DB}}
    )
    of = plan(DB, kinds=(EXTERNAL_SECRETS,))
    of = of._replace(producers=(of.producers[0]._replace(name=name),))
    Run(store, of)
    assert owners(store, "ConfigMap", DB) == ["Deployment/web", "ReplicaSet/web-1", LIST]
    change_to(store)
    Run(store, plan(kinds=(EXTERNAL_SECRETS,)))
    collect(store)
    assert store.of_kind("ExternalSecret") == []
