"""The life of an application, the same under every deployer."""

from tests.cluster.rollouts_controller import abort, retry
from tests.gitops.package import NAMES
from tests.gitops.shop import Shop

# The current revision, the one before it in history, and one whose ReplicaSet was trimmed after the
# last run.
MOST_REVISIONS = 3


def live(shop: Shop) -> None:
    """Install, change configuration and image in all ways, go back, and let history be trimmed."""
    shop.release()
    shop.release("Paused", content="b")
    shop.replace_pods()
    abort(shop.api, NAMES["Rollout"])
    shop.until_running("Degraded")
    shop.replace_pods()
    shop.check("Degraded")
    retry(shop.api, NAMES["Rollout"])
    shop.until_running("Paused")
    shop.promote(check=True)

    shop.release("Paused", image="2")
    shop.replace_pods()
    shop.promote()
    before = shop.commit
    shop.release("Paused", content="c", image="3")
    shop.replace_pods()
    shop.promote()
    shop.release("Paused", content=before.content, image=before.image)
    shop.replace_pods()
    shop.promote(check=True)

    for content in ("d", "e"):
        shop.release("Paused", content=content)
        shop.promote()
    for base in ("web-config", "api-config", "db-config"):
        live_revisions = [name for name in shop.revisions() if name.startswith(base)]
        assert len(live_revisions) <= MOST_REVISIONS, live_revisions
