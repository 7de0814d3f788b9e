"""The same life under every deployer: nothing referenced is ever missing, and no diff comes without a change."""

from concurrent.futures import Future

import pytest

from tests.gitops.argo_application import ArgoApplication
from tests.gitops.bench import ARGO_CD, FLUX, HELM, HELM4, KPT, KUBECTL, Story
from tests.gitops.flux import FluxKustomization
from tests.gitops.helm import Helm
from tests.gitops.kpt import Kpt
from tests.gitops.kubectl import Kubectl
from tests.gitops.life import live
from tests.gitops.package import Commit
from tests.tools.require import require_built

SERVER_SIDE = ("ServerSideApply=true",)
STORIES = [
    Story(
        "Argo CD with the plugin", ARGO_CD, lambda on, api: ArgoApplication(on.argo_cd, api), live
    ),
    Story(
        "Argo CD with server-side apply, without self-heal",
        ARGO_CD,
        lambda on, api: ArgoApplication(on.argo_cd, api, options=SERVER_SIDE, self_heal=False),
        live,
    ),
    Story(
        "Argo CD with server-side diff and sync waves",
        ARGO_CD,
        lambda on, api: ArgoApplication(
            on.argo_cd, api, options=SERVER_SIDE, server_side_diff=True
        ),
        live,
        Commit(waves=True),
    ),
    Story(
        "Argo CD with its own kustomize and exec",
        ARGO_CD,
        lambda on, api: ArgoApplication(on.argo_cd, api, kustomize=True),
        live,
    ),
    Story("Flux", FLUX, lambda on, api: FluxKustomization(on.flux, api), live),
    Story(
        "Helm 3, going back",
        HELM,
        lambda on, api: Helm(on.cluster, api, require_built(HELM)),
        live,
    ),
    Story(
        "Helm 4, with rollback",
        HELM4,
        lambda on, api: Helm(on.cluster, api, require_built(HELM4)),
        live,
    ),
    Story("kpt live", KPT, lambda on, api: Kpt(on.cluster, api), live),
    Story("kubectl, server-side", KUBECTL, lambda on, api: Kubectl(on.cluster, api), live),
]


@pytest.mark.rows(submission=2)
@pytest.mark.parametrize("story", STORIES, ids=[story.name for story in STORIES])
def test_life(outcome: Future[None]) -> None:
    outcome.result()
