"""Rollbacks of Helm, and the way back where one fails: docs/deployers/helm.md."""

import re

import pytest

from tests.cluster.linker_job import ROOT
from tests.gitops.helm import Helm
from tests.gitops.package import NAMES, Commit
from tests.gitops.shop import Shop
from tests.tools.require import require_built

DOCS = ROOT / "docs"
(DELETE_JOBS,) = re.findall(
    r"^ *\$ (kubectl delete job .*)$", (DOCS / "deployers.md").read_text(), re.MULTILINE
)
(DELETE_REVISIONS,) = re.findall(
    r"^ *\$ (kubectl delete configmaps,secrets .*)$",
    (DOCS / "ownership.md").read_text(),
    re.MULTILINE,
)
NOT_FOUND = "no Secret with the name .* found"
"""How `helm rollback` ends that cannot take back what is kept."""

REFUSED = "updates to statefulset spec for fields other than .* are forbidden"
IMMUTABLE = 'cannot patch "shop-link-.*" with kind Job: .*field is immutable'


def helm(shop: Shop) -> Helm:
    assert isinstance(shop.deployer, Helm)
    return shop.deployer


def roll_back(shop: Shop) -> None:
    """Roll back to a release whose revisions are kept, or see it fail, and go back as the page says."""
    shop.release()
    former = shop.commit
    shop.release("Paused", content="b")
    shop.promote()
    if helm(shop).can_roll_back:
        helm(shop).roll_back(former)
    else:
        _fail_and_upgrade(shop, newer=shop.commit, former=former)
    _check_templates(shop, "aaa")
    shop.commit = former
    shop.until_running("Paused")
    shop.until_linked()
    shop.replace_pods()
    shop.promote(check=True)


def roll_back_after_a_refused_upgrade(shop: Shop) -> None:
    """Roll back from what the API server has refused in part: with server-side apply, that succeeds."""
    shop.release()
    with shop.kubelet.holding(shop.api.namespace):
        _refuse_upgrade(shop)
        helm(shop).roll_back(shop.commit)
    _check_end(shop)


def delete_jobs_and_roll_back_after_a_refused_upgrade(shop: Shop) -> None:
    """Without server-side apply, delete the linker's Jobs first, as the page says: then it succeeds too."""
    shop.release()
    with shop.kubelet.holding(shop.api.namespace):
        _refuse_upgrade(shop)
        if helm(shop).can_roll_back:
            helm(shop).place.follow(DELETE_JOBS)
            helm(shop).roll_back(shop.commit)
        else:
            _fail_and_upgrade(shop, newer=shop.commit.but(content="b"), former=shop.commit)
    _check_end(shop)


def fail_to_roll_back_after_a_refused_upgrade(shop: Shop) -> None:
    """With the Jobs there, see that the rollback fails, and has taken owners away. The way of the page mends both."""
    shop.release()
    with shop.kubelet.holding(shop.api.namespace):
        _refuse_upgrade(shop)
        if helm(shop).can_roll_back:
            with pytest.raises(AssertionError, match=IMMUTABLE):
                helm(shop).roll_back(shop.commit)
            assert [shop.revisions()[name] for name in templates(shop)] == [set(), set(), set()]
            helm(shop).place.follow(DELETE_JOBS)
            helm(shop).roll_back(shop.commit)
        else:
            _fail_and_upgrade(shop, newer=shop.commit.but(content="b"), former=shop.commit)
    _check_end(shop)


def roll_back_a_release_of_helm_3(shop: Shop) -> None:
    """Let Helm 4 go on with what Helm 3 has installed: then it does not apply on the server."""
    shop.release()
    helm(shop).use(require_built("helm4"))
    fail_to_roll_back_after_a_refused_upgrade(shop)


def uninstall_and_delete(shop: Shop) -> None:
    """Uninstall, and delete what no Job has linked: revisions of the refused upgrade."""
    shop.deployer.uninstall()
    helm(shop).place.follow(f"{DELETE_REVISIONS} --ignore-not-found")
    shop.until_left(set())


def _check_end(shop: Shop) -> None:
    """Check that all has come back, with its owners, and that no Job of the refused upgrade is left."""
    _check_templates(shop, "aaa")
    shop.until_running()
    shop.until_linked()
    shop.check("Healthy")
    assert len(shop.jobs()) == 1


def _refuse_upgrade(shop: Shop) -> None:
    """Let an upgrade fail that changes the Rollout and the Deployment."""
    with pytest.raises(AssertionError, match=REFUSED):
        helm(shop).upgrade(shop.commit.but(content="b", service="other"))
    _check_templates(shop, "bba")


def _fail_and_upgrade(shop: Shop, *, newer: Commit, former: Commit) -> None:
    """See a rollback fail before it changes a workload, and a second one pass over the Rollout; then upgrade twice."""
    before = templates(shop)
    with pytest.raises(AssertionError, match=NOT_FOUND):
        helm(shop).roll_back(former)
    assert templates(shop) == before
    helm(shop).roll_back(former)
    _check_templates(shop, "baa")
    for commit in (newer, former):
        helm(shop).upgrade(commit)


def _check_templates(shop: Shop, contents: str) -> None:
    """Check which content the pod templates of Rollout, Deployment and StatefulSet read."""
    assert templates(shop) == [
        shop.revision_of(content, f"{name}-config")
        for name, content in zip(NAMES.values(), contents, strict=True)
    ]


def templates(shop: Shop) -> list[str]:
    """Return the name of the ConfigMap in each pod template."""
    specs = [shop.api.get(kind, name)["spec"]["template"]["spec"] for kind, name in NAMES.items()]
    return [str(spec["volumes"][0]["configMap"]["name"]) for spec in specs]
