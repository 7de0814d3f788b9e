"""What each deployer keeps while no Job has linked anything, and what removes the rest of an uninstall."""

import re
from concurrent.futures import Future

import pytest

from tests.cluster.linker_job import ROOT
from tests.cluster.release import IN_SET
from tests.gitops.bench import Story
from tests.gitops.package import Commit
from tests.gitops.shop import Shop
from tests.gitops.test_stories import DEPLOYERS

PAGE = (ROOT / "docs/ownership.md").read_text()
(COMMAND,) = re.findall(r"^\$ kubectl delete (configmaps,secrets) .* -l (\S+)$", PAGE, re.MULTILINE)


def keep(shop: Shop) -> None:
    """Change everything before any Job has run.

    What is not protected is pruned, and every revision stays.
    """
    shop.kubelet.hold(shop.api.namespace)
    shop.deploy(plain="plain-a")
    shop.until_running()
    before = _revisions(shop)
    shop.deploy(plain="plain-b", content="b")
    shop.until_running()
    shop.api.gone("ConfigMap", "plain-a")
    assert before < _revisions(shop)
    assert not any(shop.revisions().values()), (
        "nobody owns them yet, so only annotations have kept them"
    )


def leave_revisions(shop: Shop) -> None:
    """Uninstall. Revisions and trackers stay, until the command of docs/ownership.md removes them."""
    revisions = _revisions(shop)
    shop.deployer.uninstall()
    shop.until_left(revisions)
    kinds, labels = COMMAND
    assert (kinds, labels) == ("configmaps,secrets", IN_SET)
    for kind in ("ConfigMap", "Secret"):
        for name in shop.api.names(kind, labels=labels):
            shop.api.delete(kind, name)
    shop.until_left(set())


STORIES = [
    Story(
        f"{deployer}, nothing is linked",
        program,
        create,
        keep,
        Commit(kinds=("Deployment",)),
        # `docs/deployers.md` says what each leaves.
        Shop.uninstall if deployer == "Argo CD" else leave_revisions,
    )
    for deployer, (program, create) in DEPLOYERS.items()
]


@pytest.mark.parametrize("story", STORIES, ids=[story.name for story in STORIES])
def test_what_is_kept(outcome: Future[None]) -> None:
    outcome.result()


def _revisions(shop: Shop) -> set[str]:
    names = {
        "ConfigMap": shop.revisions().keys(),
        "Secret": shop.api.names("Secret", labels=IN_SET),
    }
    return {f"{kind}/{name}" for kind, found in names.items() for name in found}
