"""Releases that change the configuration, the image or both, once and many times."""

from collections import Counter

import pytest

from tests.cluster.api import Object
from tests.cluster.manifests import secret
from tests.cluster.release import Release, owners
from tests.cluster.rollouts_controller import until_noticed
from tests.cluster.workloads import (
    KINDS,
    WITH_HISTORY,
    app,
    assert_linked,
    config_of,
    consumers_by_revision,
    on_each_deployer,
    one_of_each,
    template_of,
    until_all_are_referenced,
    until_settled,
    until_unreferenced,
)
from tests.wait import until

pytestmark = [pytest.mark.usefixtures("rollouts", "invariants"), on_each_deployer]
LIMIT = 2


def test_after_each_release_the_consumers_of_a_revision_are_its_owners(shop: Release) -> None:
    shop.release(*one_of_each("old"))
    assert_linked(shop)
    by_config = {name.rpartition("-")[0]: kinds(held) for name, held in shop.revisions().items()}
    assert by_config == {config_of(kind): {kind, *history(kind)} for kind in KINDS}
    until_settled(shop.api)

    shop.release(*one_of_each("new"))
    until_settled(shop.api)
    assert_linked(shop)
    assert len(shop.revisions()) == len(KINDS) + len(WITH_HISTORY), (
        "the old revisions are kept with their history"
    )

    shop.sync(*one_of_each("new", image="app:2"))  # the same Job, which does not run again
    until_settled(shop.api)
    assert shop.revisions().keys() == consumers_by_revision(shop).keys()

    shop.release(*one_of_each("newer", image="app:3"))
    until_settled(shop.api)
    assert_linked(shop)


def test_after_ten_changes_only_referenced_revisions_are_left(shop: Release) -> None:
    for number in range(10):
        shop.release(
            *one_of_each(f"{number}", *WITH_HISTORY, revisionHistoryLimit=LIMIT),
            *one_of_each(f"{number}", "CronJob"),
        )
    until_settled(shop.api)
    left = until_noticed("histories are trimmed", shop.api, lambda: referenced(shop), is_trimmed)
    shop.link()
    assert_linked(shop)
    assert shop.revisions().keys() == until_all_are_referenced(shop).keys() == left.keys()


def referenced(shop: Release) -> dict[str, set[str]]:
    return {name: consumers for name, consumers in consumers_by_revision(shop).items() if consumers}


def is_trimmed(consumers: dict[str, set[str]]) -> bool:
    """Tell whether each workload has its current revision and `LIMIT` old ones; a CronJob has no old ones."""
    wanted = {config_of(kind): LIMIT + 1 if kind in WITH_HISTORY else 1 for kind in KINDS}
    return Counter(name.rpartition("-")[0] for name in consumers) == wanted


@pytest.mark.parametrize("kind", ["Deployment", "Rollout"])
def test_a_secret_is_deleted_after_its_tracker_and_that_with_its_last_consumer(
    kind: str, shop: Release
) -> None:
    shop.settings["kinds"] = ["ConfigMap", "Secret"]
    shop.release(*with_secret(kind, "old"))
    until_settled(shop.api, kind)
    (old,) = shop.revisions()
    assert owners(shop.api.get("Secret", old)) == {f"ConfigMap/{old}"}
    assert kinds(shop.revisions()[old]) == {kind, "ReplicaSet"}

    shop.release(*with_secret(kind, "new"))
    until_settled(shop.api, kind)
    assert kinds(shop.revisions()[old]) == {kind, "ReplicaSet"}

    shop.release(*with_secret(kind, "newest"))
    until_settled(shop.api, kind)
    until_unreferenced(shop, old)
    shop.link()

    def left() -> tuple[bool, bool]:
        """Tell whether Secret and tracker exist, in this order: a tracker found alone has outlived its Secret."""
        return shop.api.find("Secret", old) is not None, shop.api.find("ConfigMap", old) is not None

    def both_went(there: tuple[bool, bool]) -> bool:
        assert there != (False, True), "the Secret was deleted before its tracker"
        return there == (False, False)

    until(f"Secret {old} is gone, and its tracker", left, both_went)
    names = set(shop.revisions())
    assert {name: owners(shop.api.get("Secret", name)) for name in names} == {
        n: {f"ConfigMap/{n}"} for n in names
    }


def with_secret(kind: str, content: str) -> list[Object]:
    _, made = app(kind, content, revisionHistoryLimit=1)
    template_of(made)["spec"] |= {"volumes": [{"name": "key", "secret": {"secretName": "key"}}]}
    return [{**secret("key"), "stringData": {"key": content}}, made]


def kinds(owners: set[str]) -> set[str]:
    """Return the kinds of the owners that have a pod template. The inventory has none."""
    return {owner.partition("/")[0] for owner in owners} - {"ConfigMap"}


def history(kind: str) -> set[str]:
    return {WITH_HISTORY[kind]} if kind in WITH_HISTORY else set()
