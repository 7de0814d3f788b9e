"""Short stories under each deployer, and what only Argo CD or Flux can do."""

from collections.abc import Callable
from concurrent.futures import Future

import pytest

from tests.cluster.api import Api
from tests.gitops import argo_stories, flux_stories, helm_stories, kubectl_stories, stories
from tests.gitops.argo_application import ArgoApplication
from tests.gitops.bench import ARGO_CD, FLUX, HELM, HELM4, KPT, KUBECTL, Bench, Story
from tests.gitops.deployer import Deployer
from tests.gitops.flux import FluxKustomization
from tests.gitops.helm import Helm
from tests.gitops.kpt import Kpt
from tests.gitops.kubectl import Kubectl
from tests.gitops.package import Commit
from tests.gitops.shop import Shop
from tests.tools.require import require_built


def argo_cd(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api)


def argo_cd_without_self_heal(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api, self_heal=False)


def argo_cd_that_refuses_to_share(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api, options=["FailOnSharedResource=true"])


def argo_cd_that_prunes_last(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api, options=["PruneLast=true"])


def argo_cd_without_prune(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api, prune=False)


def argo_cd_by_hand(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(bench.argo_cd, api, automated=False)


def application_set(bench: Bench, api: Api) -> ArgoApplication:
    return ArgoApplication(
        bench.argo_cd, api, name=f"prod.eu-west-1.{api.namespace}", by_application_set=True
    )


def flux(bench: Bench, api: Api) -> FluxKustomization:
    return FluxKustomization(bench.flux, api)


def flux_that_waits(bench: Bench, api: Api) -> FluxKustomization:
    return FluxKustomization(bench.flux, api, wait=True)


def flux_with_a_prefix(bench: Bench, api: Api) -> FluxKustomization:
    return FluxKustomization(bench.flux, api, fields={"namePrefix": flux_stories.PREFIX})


def flux_of_a_tenant(bench: Bench, api: Api) -> FluxKustomization:
    """Impersonate an account that has all rights in the namespace but that to bind Roles."""
    account = {"serviceAccountName": flux_stories.TENANT}
    bench.flux.api.apply({"kind": "ServiceAccount", "metadata": {"name": flux_stories.TENANT}})
    return FluxKustomization(bench.flux, api, fields=account)


def kubectl(bench: Bench, api: Api) -> Kubectl:
    return Kubectl(bench.cluster, api)


def helm4(bench: Bench, api: Api) -> Helm:
    return Helm(bench.cluster, api, require_built(HELM4))


def helm4_without_server_side_apply(bench: Bench, api: Api) -> Helm:
    return Helm(bench.cluster, api, require_built(HELM4), options=["--server-side=false"])


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
    "left by a last release": (stories.leave, Commit()),
    "a Job replaced before it ran": (stories.replace_the_job_before_it_runs, DEPLOYMENT),
    "cleaned between releases": (stories.clean_between_releases, SCHEDULED),
}
AFTER_A_REFUSED_UPGRADE = [
    (
        "Helm 3, rollback after a refused upgrade",
        *DEPLOYERS["Helm"],
        helm_stories.delete_jobs_and_roll_back_after_a_refused_upgrade,
    ),
    (
        "Helm 3, rollback after a refused upgrade, with its Jobs",
        *DEPLOYERS["Helm"],
        helm_stories.fail_to_roll_back_after_a_refused_upgrade,
    ),
    (
        "Helm 4, rollback after a refused upgrade",
        HELM4,
        helm4,
        helm_stories.roll_back_after_a_refused_upgrade,
    ),
    (
        "Helm 4, client-side, rollback after a refused upgrade",
        HELM4,
        helm4_without_server_side_apply,
        helm_stories.fail_to_roll_back_after_a_refused_upgrade,
    ),
    (
        "Helm 4, installed by Helm 3, rollback after a refused upgrade",
        HELM4,
        DEPLOYERS["Helm"][1],
        helm_stories.roll_back_a_release_of_helm_3,
    ),
]
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
        "Argo CD, PruneLast, a fix that waits",
        ARGO_CD,
        argo_cd_that_prunes_last,
        argo_stories.prune_last_waits_for_the_canary,
    ),
    Story(
        "Argo CD, PruneLast, an abort",
        ARGO_CD,
        argo_cd_that_prunes_last,
        argo_stories.abort_what_prune_last_waits_for,
    ),
    Story(
        "Argo CD, Replace",
        ARGO_CD,
        argo_cd_without_self_heal,
        argo_stories.replace_takes_owners_away,
        DEPLOYMENT,
    ),
    Story(
        "Argo CD, no prune, going back",
        ARGO_CD,
        argo_cd_without_prune,
        argo_stories.go_back_without_prune,
        DEPLOYMENT,
    ),
    Story(
        "Argo CD, a Rollout alone",
        ARGO_CD,
        argo_cd_by_hand,
        argo_stories.sync_a_workload_alone,
        harm="was started without ConfigMap web-config-",
    ),
    Story(
        "Flux, wait, a Job that waits", FLUX, flux_that_waits, flux_stories.job_waits, DEPLOYMENT
    ),
    Story(
        "Flux, wait, a Job that fails", FLUX, flux_that_waits, flux_stories.job_fails, STATEFUL_SET
    ),
    Story("Flux, a Job that fails", FLUX, flux, flux_stories.job_fails_unnoticed, STATEFUL_SET),
    Story(
        "Flux, namePrefix",
        FLUX,
        flux_with_a_prefix,
        flux_stories.names_with_a_prefix,
        end=flux_stories.leave_what_has_no_owner,
        harm="was started without ConfigMap web-config-",
    ),
    Story(
        "Flux, namePrefix, a Deployment",
        FLUX,
        flux_with_a_prefix,
        flux_stories.workloads_with_a_prefix,
        DEPLOYMENT,
        flux_stories.leave_what_has_no_owner,
    ),
    Story(
        "Flux, a tenant that may not bind",
        FLUX,
        flux_of_a_tenant,
        flux_stories.a_tenant_has_to_bind,
        STATEFUL_SET,
        flux_stories.leave_the_account,
    ),
    Story(
        "Flux, a tenant with an account of the platform",
        FLUX,
        flux_of_a_tenant,
        flux_stories.a_tenant_names_the_account_of_the_platform,
        STATEFUL_SET,
        flux_stories.leave_the_account,
    ),
    *(
        Story(
            f"{deployer}, one of the sets of an account goes",
            program,
            create,
            stories.one_of_the_sets_of_an_account_goes,
            STATEFUL_SET,
            stories.uninstall_the_other_set,
        )
        for deployer, (program, create) in DEPLOYERS.items()
    ),
    Story("Flux, the linker's image", FLUX, flux, flux_stories.image_of_the_linker, DEPLOYMENT),
    Story(
        "kubectl, after an undo", KUBECTL, kubectl, kubectl_stories.apply_after_an_undo, DEPLOYMENT
    ),
    Story(
        "kubectl, back to a deleted Secret", KUBECTL, kubectl, kubectl_stories.go_back, DEPLOYMENT
    ),
    Story(
        "kubectl, installed again",
        KUBECTL,
        kubectl,
        Shop.release,
        DEPLOYMENT,
        kubectl_stories.install_again,
    ),
    Story("kubectl, left by a last release", KUBECTL, kubectl, stories.leave),
    Story("Helm 4, left by a last release", HELM4, helm4, stories.leave),
    Story("Helm 3, rollback", HELM, DEPLOYERS["Helm"][1], helm_stories.roll_back),
    Story("Helm 4, rollback", HELM4, helm4, helm_stories.roll_back),
    *(
        Story(name, program, create, play, end=helm_stories.uninstall_and_delete)
        for name, program, create, play in AFTER_A_REFUSED_UPGRADE
    ),
]


@pytest.mark.rows(submission=10)
@pytest.mark.parametrize("story", STORIES, ids=[story.name for story in STORIES])
def test_story(outcome: Future[None]) -> None:
    outcome.result()
