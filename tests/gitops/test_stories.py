"""Short stories under each deployer, and what only Argo CD or Flux can do."""

from collections.abc import Callable
from concurrent.futures import Future

import pytest

from tests.cluster.api import Api
from tests.gitops import argo_stories, flux_stories, stories
from tests.gitops.argo_application import ArgoApplication
from tests.gitops.bench import ARGO_CD, FLUX, HELM, KPT, Bench, Story
from tests.gitops.deployer import Deployer
from tests.gitops.flux import FluxKustomization
from tests.gitops.helm import Helm
from tests.gitops.kpt import Kpt
from tests.gitops.package import Commit
from tests.tools.require import require_built


def argo_cd(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api)


def argo_cd_without_self_heal(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api, self_heal=False)


def argo_cd_that_refuses_to_share(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api, options=["FailOnSharedResource=true"])


def application_set(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(
        bench.argo_cd, api, name=f"prod.eu-west-1.{api.namespace}", by_application_set=True
    )


def flux(bench: Bench, api: Api) -> FluxKustomization:
    return FluxKustomization(bench.flux, api)


def flux_that_waits(bench: Bench, api: Api) -> FluxKustomization:
    return FluxKustomization(bench.flux, api, wait=True)


DEPLOYERS: dict[str, tuple[str, Callable[[Bench, Api], Deployer]]] = {
    "Argo CD": (ARGO_CD, argo_cd),
    "Flux": (FLUX, flux),
    "Helm": (HELM, lambda bench, api: Helm(bench.cluster, api, require_built(HELM))),
    "kpt": (KPT, lambda bench, api: Kpt(bench.cluster, api)),
}
DEPLOYMENT = Commit(kinds=("Deployment",))
SCHEDULED = Commit(linker=stories.SCHEDULED)
# Without a Secret, which would stay: only its own Job may link it.
STATEFUL_SET = Commit(kinds=("StatefulSet",))
WAVES = STATEFUL_SET.but(waves=True, plain="last")
UNDER_EACH = {
    "migrated in two steps": (stories.migrate, Commit()),
    "reverted while the canary is paused": (stories.go_back_while_paused, Commit()),
    "a Job replaced before it ran": (stories.replace_the_job_before_it_runs, DEPLOYMENT),
    "cleaned between releases": (stories.clean_between_releases, SCHEDULED),
}
STORIES = [
    *(
        Story(f"{deployer}, {name}", program, create, play, commit)
        for name, (play, commit) in UNDER_EACH.items()
        for deployer, (program, create) in DEPLOYERS.items()
    ),
    *(
        Story(
            f"{deployer}, one usage at a time",
            *DEPLOYERS[deployer],
            stories.one_usage_at_a_time,
            stories.USAGES,
        )
        for deployer in ("Argo CD", "Flux")
    ),
    Story("Argo CD, an ApplicationSet", ARGO_CD, application_set, stories.go_back_while_paused),
    Story(
        "Argo CD, waves, on schedule",
        ARGO_CD,
        argo_cd,
        stories.clean_between_releases,
        SCHEDULED.but(waves=True),
    ),
    Story("Argo CD, git revert", ARGO_CD, argo_cd, argo_stories.git_revert_while_paused),
    Story("Argo CD, a Job that waits", ARGO_CD, argo_cd, argo_stories.job_waits, DEPLOYMENT),
    Story(
        "Argo CD, waves, a Job that waits",
        ARGO_CD,
        argo_cd,
        argo_stories.job_waits_in_a_wave,
        WAVES,
    ),
    Story("Argo CD, a Job that fails", ARGO_CD, argo_cd, argo_stories.job_fails, STATEFUL_SET),
    Story(
        "Argo CD, waves, a Job that fails",
        ARGO_CD,
        argo_cd,
        argo_stories.job_fails_in_a_wave,
        WAVES,
    ),
    Story(
        "Argo CD, no quota for the Job", ARGO_CD, argo_cd, argo_stories.job_gets_no_pod, DEPLOYMENT
    ),
    Story(
        "Argo CD, sync by hand after a loss",
        ARGO_CD,
        argo_cd_without_self_heal,
        argo_stories.sync_by_hand_after_a_loss,
        DEPLOYMENT,
    ),
    Story(
        "Argo CD, two of one set",
        ARGO_CD,
        argo_cd,
        argo_stories.two_applications_share_a_set,
        DEPLOYMENT,
    ),
    Story(
        "Argo CD, two of one set, refused",
        ARGO_CD,
        argo_cd_that_refuses_to_share,
        argo_stories.share_a_set_with_nobody,
        DEPLOYMENT,
    ),
    Story(
        "Flux, wait, a Job that waits", FLUX, flux_that_waits, flux_stories.job_waits, DEPLOYMENT
    ),
    Story(
        "Flux, wait, a Job that fails", FLUX, flux_that_waits, flux_stories.job_fails, STATEFUL_SET
    ),
    Story("Flux, a Job that fails", FLUX, flux, flux_stories.job_fails_unnoticed, STATEFUL_SET),
]


@pytest.mark.parametrize("story", STORIES, ids=[story.name for story in STORIES])
def test_story(outcome: Future[None]) -> None:
    outcome.result()
