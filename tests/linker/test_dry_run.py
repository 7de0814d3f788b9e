"""A dry run writes nothing, and reads the cluster as it would be after its writes."""

from krm_fn.base import keys
from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.cluster import DryRun
from krm_fn.linker.objects import Names, Owner
from krm_fn.linker.owners import RevisionPatch
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B, pods, revision, workload
from tests.linker.object_store import ObjectStore

DEPLOYMENTS = next(kind for kind in CONSUMER_KINDS if kind.kind == "Deployment")
NEW = Owner("apps/v1", "ReplicaSet", "web-1", "u9")
PLAN = LinkPlan(set="web", timeout=300, minimum_age=600)


def dry_run() -> tuple[DryRun, FakeCluster]:
    store = ObjectStore()
    web = store.create(workload("Deployment", "web", pods(A)))
    store.create(revision(A, web))
    store.create(revision(B))
    store.create(revision(A, kind="Secret"))
    cluster = FakeCluster(store)
    return DryRun(cluster), cluster


def test_it_reads_the_cluster() -> None:
    dry, cluster = dry_run()
    assert (dry.namespace, dry.deadline) == (cluster.namespace, cluster.deadline)
    assert dry.configs(PLAN) == cluster.configs(PLAN)
    assert dry.consumers(DEPLOYMENTS, Names.of([A])) == cluster.consumers(
        DEPLOYMENTS, Names.of([A])
    )
    assert dry.secret(A, PLAN) == cluster.secret(A, PLAN)
    assert (dry.has_config_map(A), dry.has_config_map("other")) == (True, False)


def test_a_patch_changes_the_owners_that_it_reads() -> None:
    dry, cluster = dry_run()
    before, other = dry.configs(PLAN).revisions
    assert dry.patch(RevisionPatch(before, add=(NEW,), remove=before.owners))
    assert dry.configs(PLAN).revisions == [before._replace(owners=(NEW,)), other]
    assert cluster.configs(PLAN).revisions == [before, other]


def test_a_patch_changes_the_annotations_that_it_reads() -> None:
    dry, _ = dry_run()
    before, other = dry.configs(PLAN).revisions
    for value in (None, "true", None):
        assert (
            dry.patch(RevisionPatch(before, annotations=((keys.WANTED, value),)))
            == before.resource_version
        )
    dry.patch(RevisionPatch(before, annotations=((keys.OWNS_SECRET, "true"),)))
    assert dry.configs(PLAN).revisions == [
        before._replace(is_wanted=False, owns_secret=True),
        other,
    ]


def test_a_deleted_revision_is_no_longer_read() -> None:
    dry, cluster = dry_run()
    kept, deleted = dry.configs(PLAN).revisions
    assert dry.delete(deleted)
    assert dry.configs(PLAN).revisions == [kept]
    assert cluster.configs(PLAN).revisions == [kept, deleted]


def test_a_check_records_what_it_would_do_and_writes_nothing_else() -> None:
    _, cluster = dry_run()
    check = DryRun(cluster, records=True)
    one, _ = check.configs(PLAN).revisions
    check.delete(one)
    check.record_event(NEW, "RevisionsDeleted", "x", 7.0)
    check.record_event(NEW, "NotLinked", "y", 7.0, is_warning=True)
    message = "found by --check-only, nothing was changed: x"
    deleted = {
        "event": "ReplicaSet/web-1",
        "reason": "RevisionsToBeDeleted",
        "message": message,
        "now": 7.0,
    }
    warned = {
        "event": "ReplicaSet/web-1",
        "reason": "NotLinked",
        "message": "y",
        "now": 7.0,
        "warning": True,
    }
    assert cluster.writes == [deleted, warned]


def test_nothing_is_written() -> None:
    dry, cluster = dry_run()
    one, _ = dry.configs(PLAN).revisions
    before = cluster.store.contents()
    dry.patch(RevisionPatch(one, (NEW,)))
    dry.delete(one)
    dry.patch_secret(RevisionPatch(one, (NEW,)))
    dry.record_event(NEW, "RevisionsLinked", "x", 0.0)
    assert cluster.store.contents() == before
    assert cluster.writes == []
