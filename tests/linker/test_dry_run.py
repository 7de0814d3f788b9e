"""A dry run writes nothing, and reads the cluster as it would be after its writes."""

from krm_fn.linker.dry_run import DryRun
from krm_fn.linker.objects import Owner
from krm_fn.linker.owners import OwnerPatch
from krm_fn.model.kinds import CONSUMER_KINDS
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B, pods, revision, workload
from tests.linker.object_store import ObjectStore

DEPLOYMENTS = next(kind for kind in CONSUMER_KINDS if kind.kind == "Deployment")
NEW = Owner("apps/v1", "ReplicaSet", "web-1", "u9")


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
    assert dry.configs("web") == cluster.configs("web")
    assert dry.consumers(DEPLOYMENTS, frozenset({A})) == cluster.consumers(DEPLOYMENTS, frozenset({A}))
    assert dry.secret(A) == cluster.secret(A)


def test_a_patch_changes_the_owners_that_it_reads() -> None:
    dry, cluster = dry_run()
    before, other = dry.configs("web").revisions
    assert dry.patch_owners(OwnerPatch(before, add=(NEW,), remove=before.owners))
    assert dry.configs("web").revisions == [before._replace(owners=(NEW,)), other]
    assert cluster.configs("web").revisions == [before, other]


def test_a_deleted_revision_is_no_longer_read() -> None:
    dry, cluster = dry_run()
    kept, deleted = dry.configs("web").revisions
    assert dry.delete(deleted)
    assert dry.configs("web").revisions == [kept]
    assert cluster.configs("web").revisions == [kept, deleted]


def test_nothing_is_written() -> None:
    dry, cluster = dry_run()
    one, _ = dry.configs("web").revisions
    before = cluster.store.contents()
    dry.patch_owners(OwnerPatch(one, (NEW,), ()))
    dry.delete(one)
    dry.add_secret_owner(one, NEW)
    dry.record_event(NEW, "RevisionsLinked", "x", 0.0)
    assert cluster.store.contents() == before
    assert cluster.writes == []
