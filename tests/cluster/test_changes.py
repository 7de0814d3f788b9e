"""Install, change the configuration, change the image, change both, change again and again."""

import pytest

from tests.cluster.api import Object
from tests.cluster.manifests import secret
from tests.cluster.release import Release, owners
from tests.cluster.wait import until
from tests.cluster.workloads import (
    KINDS,
    WITH_HISTORY,
    app,
    config_of,
    each,
    naming,
    on_each_deployer,
    only_the_named_are_left,
    settled,
    template_of,
)

pytestmark = [pytest.mark.usefixtures("rollouts", "invariants"), on_each_deployer]
LIMIT = 2


def test_after_each_release_revisions_are_owned_by_exactly_those_who_name_them(shop: Release) -> None:
    shop.release(*each("old"))
    assert shop.revisions() == naming(shop)
    by_config = {name.rpartition("-")[0]: kinds(held) for name, held in shop.revisions().items()}
    assert by_config == {config_of(kind): {kind, *history(kind)} for kind in KINDS}
    settled(shop.api)

    shop.release(*each("new"))
    settled(shop.api)
    assert shop.revisions() == naming(shop)
    assert len(shop.revisions()) == len(KINDS) + len(WITH_HISTORY), "the old ones stay with their history"

    shop.sync(*each("new", image="app:2"))  # the Job is the same, so nobody runs it
    settled(shop.api)
    assert shop.revisions().keys() == naming(shop).keys()
    assert all(held <= naming(shop)[name] for name, held in shop.revisions().items())

    shop.release(*each("newer", image="app:3"))
    settled(shop.api)
    assert shop.revisions() == naming(shop), "what was made meanwhile is an owner as well"


def test_ten_changes_leave_exactly_what_is_named(shop: Release) -> None:
    for number in range(10):
        shop.release(*each(f"{number}", *WITH_HISTORY, revisionHistoryLimit=LIMIT), *each(f"{number}", "CronJob"))
    settled(shop.api)
    left = until("histories are trimmed", lambda: naming(shop), is_trimmed)
    assert shop.revisions() == only_the_named_are_left(shop) == left


def is_trimmed(users: dict[str, set[str]]) -> bool:
    """Of each workload its present revision and `LIMIT` old ones; of a CronJob, which has no history, the present."""
    return len(users) == len(WITH_HISTORY) * (LIMIT + 1) + 1


@pytest.mark.parametrize("kind", ["Deployment", "Rollout"])
def test_a_secret_goes_after_its_tag_which_goes_with_its_last_user(kind: str, shop: Release) -> None:
    shop.settings["kinds"] = ["ConfigMap", "Secret"]
    shop.release(*with_secret(kind, "old"))
    settled(shop.api, kind)
    (old,) = shop.revisions()
    assert owners(shop.api.get("Secret", old)) == {f"ConfigMap/{old}"}
    assert kinds(shop.revisions()[old]) == {kind, "ReplicaSet"}

    shop.release(*with_secret(kind, "new"))
    settled(shop.api, kind)
    assert kinds(shop.revisions()[old]) == {"ReplicaSet"}

    shop.release(*with_secret(kind, "newest"))
    settled(shop.api, kind)

    def left() -> tuple[bool, bool]:
        """Whether Secret and tag are there; asked in this order, so a tag that is there has outlived the Secret."""
        return shop.api.find("Secret", old) is not None, shop.api.find("ConfigMap", old) is not None

    def both_went(there: tuple[bool, bool]) -> bool:
        assert there != (False, True), "the Secret went before its tag"
        return there == (False, False)

    until(f"Secret {old} is gone, and its tag", left, both_went)
    names = set(shop.revisions())
    assert {name: owners(shop.api.get("Secret", name)) for name in names} == {n: {f"ConfigMap/{n}"} for n in names}


def with_secret(kind: str, content: str) -> list[Object]:
    _, made = app(kind, content, revisionHistoryLimit=1)
    template_of(made)["spec"] |= {"volumes": [{"name": "key", "secret": {"secretName": "key"}}]}
    return [{**secret("key"), "stringData": {"key": content}}, made]


def kinds(held: set[str]) -> set[str]:
    """Of the owners that have a pod template; the roster has none."""
    return {owner.partition("/")[0] for owner in held} - {"ConfigMap"}


def history(kind: str) -> set[str]:
    return {WITH_HISTORY[kind]} if kind in WITH_HISTORY else set()
