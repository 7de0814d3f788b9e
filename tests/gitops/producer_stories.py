"""A life with a Secret that another object makes: each pod has the configuration and the Secret of one commit."""

import pytest

from tests.cluster.rollouts_controller import abort, retry
from tests.gitops.helm import Helm
from tests.gitops.life import MOST_REVISIONS
from tests.gitops.package import MADE_SECRET, NAMES
from tests.gitops.shop import Shop
from tests.wait import until


def keep_made_secrets(shop: Shop) -> None:
    """Install, change the Secret in all ways, go back, and let history be trimmed."""
    shop.release()
    shop.release("Paused", content="b")
    _check_values(shop, "a", "b")
    shop.replace_pods()
    _check_values(shop, "a", "b")
    abort(shop.api, NAMES["Rollout"])
    shop.until_running("Degraded")
    _check_values(shop, "a", "a")
    retry(shop.api, NAMES["Rollout"])
    shop.until_running("Paused")
    shop.promote(check=True)
    _check_values(shop, "b", "b")

    shop.release("Paused", content="a")
    shop.replace_pods()
    shop.promote()
    _check_values(shop, "a", "a")
    for content in ("c", "d", "e"):
        shop.release("Paused", content=content)
        shop.promote()
    made = [name for name in shop.api.names("Secret") if name.startswith(MADE_SECRET)]
    assert len(made) <= MOST_REVISIONS, made


def roll_back_with_helm_3(shop: Shop) -> None:
    """Try to roll back to a release whose producer still lives: Helm 3 cannot.

    An upgrade to the same values can.
    """
    assert isinstance(shop.deployer, Helm)
    shop.release()
    shop.release("Paused", content="b")
    shop.promote()
    before = shop.commit
    # Before 3.22, it fails for the first object that the current release does not have.
    with pytest.raises(AssertionError, match=r"resourceVersion: Invalid value: 0|no .* found"):
        shop.deploy(content="a")
    shop.commit = before
    shop.deployer.rolls_back = False
    shop.release("Paused", content="a")
    shop.promote(check=True)
    _check_values(shop, "a", "a")


def uninstall_after_a_failed_rollback(shop: Shop) -> None:
    """Uninstall with Helm. What the failed rollback had applied is of no release, and stays: its Job."""
    shop.deployer.uninstall()
    for name in shop.api.names("Job"):
        shop.api.delete("Job", name)
    shop.until_left(set())


def _check_values(shop: Shop, *values: str) -> None:
    """Check what the pods have read: their Secret is of the same commit as their ConfigMap."""
    expected = list(values)
    until(
        f"the pods have read the Secrets {expected}",
        lambda: shop.mounting.values("Secret", "token"),
        lambda found: found == expected,
    )
    assert shop.mounting.values("ConfigMap", "content") == expected
