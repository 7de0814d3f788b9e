"""What docs/deployers/kubectl.md and docs/deployers.md say of kubectl."""

import pytest

from tests.cluster.release import REVISIONS
from tests.gitops.kubectl import DELETE_JOBS, WAIT_FOR_DELETION, Kubectl
from tests.gitops.shop import Shop
from tests.wait import until


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


def go_back(shop: Shop) -> None:
    """Go back to a Secret that the linker has deleted: no run links it, but after the command of the page."""
    shop.release()
    first, name = shop.commit, shop.secret_of("a")
    for content in "bcd":
        shop.release(content=content)
    until(
        "the linker has deleted the first Secret",
        lambda: shop.api.find("Secret", name),
        lambda found: found is None,
    )
    runs = len(shop.runs())
    shop.commit = first
    kubectl(shop).deploy(first)
    shop.until_running()
    assert len(shop.runs()) == runs
    assert "ownerReferences" not in shop.api.get("Secret", name)["metadata"]
    kubectl(shop).place.follow(DELETE_JOBS)
    kubectl(shop).again()
    shop.until_linked()
    assert len(shop.runs()) > runs
    (owner,) = shop.api.get("Secret", name)["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"]) == ("ConfigMap", name)


def install_again(shop: Shop) -> None:
    """Uninstall, wait as the page says, and install: no revision of before is taken over."""
    before = uids(shop)
    kubectl(shop).uninstall()
    kubectl(shop).place.follow(WAIT_FOR_DELETION)
    shop.deploy()
    shop.until_running()
    shop.until_linked()
    after = uids(shop)
    assert before.keys() == after.keys()
    assert not {*before.values()} & {*after.values()}
    shop.uninstall()


def uids(shop: Shop) -> dict[str, str]:
    """Return the uid of each revision and tracker, such as that of `Secret/api-secret-4h98d2d755`."""
    return {
        f"{kind}/{item['metadata']['name']}": str(item["metadata"]["uid"])
        for kind in ("ConfigMap", "Secret")
        for item in shop.api.list(kind, labels=REVISIONS)
    }
