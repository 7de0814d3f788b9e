"""The life of a Secret that an ExternalSecret or a SealedSecret makes, under real deployers."""

from concurrent.futures import Future

import pytest

from tests.cluster.external_secrets import NAME as EXTERNAL_SECRETS
from tests.cluster.sealed_secrets import CONTROLLER
from tests.gitops.bench import HELM, Story
from tests.gitops.helm import Helm
from tests.gitops.package import Commit
from tests.gitops.producer_stories import (
    keep_made_secrets,
    roll_back_with_helm_3,
    uninstall_after_a_failed_rollback,
)
from tests.gitops.test_stories import DEPLOYERS
from tests.tools.require import require_built

ROLLOUT = Commit(kinds=("Rollout",))
PRODUCERS = {
    "ExternalSecret": (EXTERNAL_SECRETS, lambda bench: bench.external),
    "SealedSecret": (CONTROLLER, lambda bench: bench.sealed),
}
UNDER = {
    **DEPLOYERS,
    "Helm": (
        HELM,
        lambda bench, api: Helm(bench.cluster, api, require_built(HELM), rolls_back=False),
    ),
}
STORIES = [
    *(
        Story(f"{deployer}, {kind}", program, create, keep_made_secrets, ROLLOUT, producer=producer)
        for kind, producer in PRODUCERS.items()
        for deployer, (program, create) in UNDER.items()
    ),
    Story(
        "Helm 4, SealedSecret, with rollback",
        "helm4",
        lambda bench, api: Helm(bench.cluster, api, require_built("helm4")),
        keep_made_secrets,
        ROLLOUT,
        producer=PRODUCERS["SealedSecret"],
    ),
    Story(
        "Helm 3, SealedSecret, rollback refused",
        HELM,
        lambda bench, api: Helm(bench.cluster, api, require_built(HELM), rolls_back=True),
        roll_back_with_helm_3,
        ROLLOUT,
        uninstall_after_a_failed_rollback,
        producer=PRODUCERS["SealedSecret"],
    ),
]


@pytest.mark.rows(submission=2)
@pytest.mark.parametrize("story", STORIES, ids=[story.name for story in STORIES])
def test_producers(outcome: Future[None]) -> None:
    outcome.result()
