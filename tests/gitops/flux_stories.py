"""What Flux shows when the linker's Job is late or fails."""

from tests.cluster.wait import throughout, until
from tests.gitops.flux import FluxKustomization
from tests.gitops.shop import WITHIN, Shop

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
        ready = until(
            "Flux waits", flux.ready, lambda ready: ready.get("status") == "Unknown", within=WITHIN
        )
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
        ready = until(
            "Flux gives up", flux.ready, lambda ready: ready.get("status") == "False", within=WITHIN
        )
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
        until("the Job has failed", lambda: "Failed" in shop.jobs().values(), within=WITHIN)
        assert kustomization(shop).ready()["status"] == "True"
    shop.replace_pods()
    shop.release(content="c")
