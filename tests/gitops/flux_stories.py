"""What Flux shows when the linker's Job is late or fails."""

from tests.cluster.api import Object
from tests.cluster.platform_account import ACCOUNT, account_in
from tests.cluster.release import IN_SET, REVISIONS, SET
from tests.gitops.flux import NAMESPACE, FluxKustomization
from tests.gitops.kubelet import PodRun
from tests.gitops.package import NAMES
from tests.gitops.shop import Shop
from tests.wait import throughout, until

PREFIX = "eu-"
# Seconds between two looks of Flux at what it waits for.
POLLS_EVERY = 5.0


def kustomization(shop: Shop) -> FluxKustomization:
    assert isinstance(shop.deployer, FluxKustomization)
    return shop.deployer


def job_waits(shop: Shop) -> None:
    """With `wait: true`, expect a Kustomization that is not ready before the Job has run."""
    flux = kustomization(shop)
    shop.release()
    with shop.kubelet.holding(shop.api.namespace):
        flux.publish(shop.commit.but(content="b"))
        shop.commit = shop.commit.but(content="b")
        ready = until("Flux waits", flux.ready, lambda ready: ready.get("status") == "Unknown")
        assert ready["reason"] == "Progressing", ready
        shop.until_running()
        throughout(
            "Flux waits for the Job, as the pods run",
            flux.ready,
            lambda ready: ready["status"] == "Unknown",
            seconds=2 * POLLS_EVERY,
        )
    shop.deploy()
    shop.until_linked()
    shop.check("Healthy")


def job_fails(shop: Shop) -> None:
    """With `wait: true`, expect a failed health check. The next commit mends it."""
    flux = kustomization(shop)
    shop.release()
    with shop.kubelet.breaking(shop.api.namespace):
        flux.publish(shop.commit.but(content="b"))
        shop.commit = shop.commit.but(content="b")
        ready = until("Flux gives up", flux.ready, lambda ready: ready.get("status") == "False")
        assert ready["reason"] == "HealthCheckFailed", ready
        assert (
            f"Job/{shop.api.namespace}/{shop.job_in('Failed')} status: 'Failed'" in ready["message"]
        ), ready
    shop.until_running()
    shop.replace_pods()
    shop.release(content="c")


def job_fails_unnoticed(shop: Shop) -> None:
    """Without `wait`, expect a Kustomization that is ready as soon as everything is applied."""
    shop.release()
    with shop.kubelet.breaking(shop.api.namespace):
        shop.deploy(content="b")
        shop.until_running()
        until("the Job has failed", lambda: "Failed" in shop.jobs().values())
        assert kustomization(shop).ready()["status"] == "True"
    shop.replace_pods()
    shop.release(content="c")


def names_with_a_prefix(shop: Shop) -> None:
    """With `namePrefix`, see references of a Rollout dangle while Flux is ready. The Job fails and says so."""
    shop.deploy()
    assert kustomization(shop).ready()["status"] == "True"
    run = _failed_run(shop)
    assert "web-config-" in run.output, run.output


def workloads_with_a_prefix(shop: Shop) -> None:
    """With `namePrefix` and Deployments alone, nothing dangles, and the Job fails."""
    shop.deploy()
    shop.api.ready("Deployment", f"{PREFIX}{NAMES['Deployment']}")
    assert kustomization(shop).ready()["status"] == "True"
    run = _failed_run(shop)
    assert "none of the planned revisions exists" in run.output, run.output
    shop.watcher.check()


def leave_what_has_no_owner(shop: Shop) -> None:
    """Delete the Kustomization: what the linker did not find stays, as Flux does not prune it."""
    left = {
        f"{kind}/{item['metadata']['name']}"
        for kind in ("ConfigMap", "Secret")
        for item in shop.api.list(kind, labels=REVISIONS)
    }
    assert left
    shop.deployer.uninstall()
    shop.until_left(left)


def image_of_the_linker(shop: Shop) -> None:
    """With `images` that matches the linker's, see the Kustomization fail until the next release."""
    flux = kustomization(shop)
    shop.release()
    image = shop.api.get("Job", shop.job_in("Complete"))["spec"]["template"]["spec"]["containers"][
        0
    ]["image"]
    name = image.partition("@")[0].rpartition(":")[0] or image
    flux.set_fields(images=[{"name": name, "newTag": "other"}])
    ready = until("Flux fails", flux.ready, lambda ready: ready.get("status") == "False")
    assert "field is immutable" in ready["message"], ready
    shop.release(content="b")


TENANT = "tenant"
_RBAC = "rbac.authorization.k8s.io"
# All that is in a namespace, as a platform team gives it to those who own it; to bind a Role is more.
_OF_A_TENANT = {
    "apiGroups": ["", "apps", "batch", "argoproj.io", _RBAC],
    "resources": ["*"],
    "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"],
}
_MAY_BIND = {"apiGroups": [_RBAC], "resources": ["roles"], "verbs": ["bind"]}


def let_the_tenant(shop: Shop, *rules: Object) -> None:
    """Give these rights to the account that the Kustomization impersonates."""
    role = {"apiGroup": _RBAC, "kind": "Role", "name": TENANT}
    subject = {"kind": "ServiceAccount", "name": TENANT, "namespace": NAMESPACE}
    binding = {"roleRef": role, "subjects": [subject]}
    shop.api.apply({"kind": "Role", "metadata": {"name": TENANT}, "rules": [*rules]})
    shop.api.apply({"kind": "RoleBinding", "metadata": {"name": TENANT}, **binding})


def a_tenant_has_to_bind(shop: Shop) -> None:
    """See the first sync of a tenant refused, as Flux tries the RoleBinding before there is a Role.

    With the right to bind Roles in the namespace, all is applied.
    """
    flux = kustomization(shop)
    let_the_tenant(shop, _OF_A_TENANT)
    flux.publish(shop.commit)
    ready = until("Flux is refused", flux.ready, lambda ready: ready.get("status") == "False")
    refused = f"RoleBinding/{shop.api.namespace}/{SET}-linker not found"
    assert ready["message"].startswith(refused), ready
    assert shop.api.list("Deployment") == []
    let_the_tenant(shop, _OF_A_TENANT, _MAY_BIND)
    shop.release()
    shop.release(content="b")


def a_tenant_names_the_account_of_the_platform(shop: Shop) -> None:
    """Release with the account that a platform has bound: there is no Role to bind."""
    let_the_tenant(shop, _OF_A_TENANT)
    shop.api.apply_all(account_in(shop.api.namespace))
    shop.release(linker={"serviceAccountName": ACCOUNT})
    shop.release(content="b")


def leave_the_account(shop: Shop) -> None:
    """Delete the Kustomization: the account of the platform stays."""
    shop.deployer.uninstall()
    until(
        "the set is gone", lambda: shop.api.list("ConfigMap", labels=IN_SET), lambda left: not left
    )


def _failed_run(shop: Shop) -> PodRun:
    """Return the first run of the linker that has failed."""
    failed = until(
        "a run of the linker has failed", lambda: [run for run in shop.runs() if run.exit_code]
    )
    return failed[0]
