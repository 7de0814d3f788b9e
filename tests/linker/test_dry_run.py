"""A dry run sees what it would have done, and does nothing."""

from krm_fn.linker.dry_run import DryRun
from krm_fn.linker.objects import Owner
from krm_fn.linker.owners import OwnerPatch
from krm_fn.model.kinds import CONSUMER_KINDS
from tests.linker.fake_cluster import FakeCluster
from tests.linker.manifests import A, B, pods, revision, workload
from tests.linker.world import World

DEPLOYMENTS = next(kind for kind in CONSUMER_KINDS if kind.kind == "Deployment")
NEW = Owner("apps/v1", "ReplicaSet", "web-1", "u9")


def dry_run() -> tuple[DryRun, FakeCluster]:
    world = World()
    web = world.create(workload("Deployment", "web", pods(A)))
    world.create(revision(A, web))
    world.create(revision(B))
    world.create(revision(A, kind="Secret"))
    cluster = FakeCluster(world)
    return DryRun(cluster), cluster


def test_it_reads_what_there_is() -> None:
    dry, cluster = dry_run()
    assert (dry.namespace, dry.deadline, dry.now()) == (cluster.namespace, cluster.deadline, cluster.now())
    assert dry.configs("web").revisions == cluster.configs("web").revisions
    assert dry.users(DEPLOYMENTS, frozenset({A})) == cluster.users(DEPLOYMENTS, frozenset({A}))
    assert dry.secret(A) == cluster.secret(A)


def test_owners_are_as_they_would_be() -> None:
    dry, cluster = dry_run()
    before, other = dry.configs("web").revisions
    assert dry.patch_owners(OwnerPatch(before, add=(NEW,), remove=before.owners))
    assert dry.configs("web").revisions == [before._replace(owners=(NEW,)), other]
    assert cluster.configs("web").revisions == [before, other]


def test_what_would_be_deleted_is_not_seen_again() -> None:
    dry, cluster = dry_run()
    kept, deleted = dry.configs("web").revisions
    assert dry.delete(deleted)
    assert dry.configs("web").revisions == [kept]
    assert cluster.configs("web").revisions == [kept, deleted]


def test_nothing_is_written() -> None:
    dry, cluster = dry_run()
    one, _ = dry.configs("web").revisions
    before = cluster.world.contents()
    dry.patch_owners(OwnerPatch(one, (NEW,), ()))
    dry.delete(one)
    dry.own_secret(one, NEW)
    dry.record(NEW, "RevisionsLinked", "x")
    assert cluster.world.contents() == before
    assert cluster.writes == []
