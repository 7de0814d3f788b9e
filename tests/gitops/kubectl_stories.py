"""What docs/deployers/kubectl.md and docs/deployers.md say of kubectl."""

import pytest

from tests.gitops.kubectl import WAIT_FOR_DELETION, Kubectl
from tests.gitops.shop import Shop


def kubectl(shop: Shop) -> Kubectl:
    assert isinstance(shop.deployer, Kubectl)
    return shop.deployer


def apply_after_an_undo(shop: Shop) -> None:
    """Undo a Deployment by hand. The next apply must take the fields back that this has written."""
    shop.release()
    shop.release(content="b")
    kubectl(shop).place.run("kubectl", "rollout", "undo", "deployment/api")
    with pytest.raises(AssertionError, match=r"Apply failed with \d+ conflict"):
        shop.deploy(content="c")
    kubectl(shop).options = ["--force-conflicts"]
    shop.release(content="c")
    shop.replace_pods()


def install_again(shop: Shop) -> None:
    """Uninstall, wait as the page says, and install: no revision of before is taken over."""
    shop.release()
    before = {name: shop.api.get("ConfigMap", name)["metadata"]["uid"] for name in shop.revisions()}
    kubectl(shop).uninstall()
    kubectl(shop).place.follow(WAIT_FOR_DELETION)
    shop.release()
    shop.replace_pods()
    after = {name: shop.api.get("ConfigMap", name)["metadata"]["uid"] for name in shop.revisions()}
    assert before.keys() == after.keys()
    assert not {*before.values()} & {*after.values()}
