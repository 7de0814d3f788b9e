"""The two deployers prune what Argo CD and Flux prune, in the same order, and nothing else."""

from typing import Any

import pytest
import yaml

from tests.cluster.api import Api, Object, reference
from tests.cluster.deployers import ArgoLike, FluxLike, Step
from tests.cluster.manifests import canary, config_map, job, secret, workload

KEPT_BY_ARGO = {
    "annotations": {"argocd.argoproj.io/sync-options": "Prune=false,ServerSideApply=true"}
}
KEPT_BY_FLUX = {"annotations": {"kustomize.toolkit.fluxcd.io/prune": "disabled"}}
ROLE = {"kind": "Role", "metadata": {"name": "linker"}, "rules": []}
SERVICE_ACCOUNT = {"kind": "ServiceAccount", "metadata": {"name": "linker"}}


def stream(*bodies: Object) -> bytes:
    """Build the stream of a file in Git."""
    api_versions = {
        "Deployment": "apps/v1",
        "Job": "batch/v1",
        "Role": "rbac.authorization.k8s.io/v1",
    }
    documents = [{"apiVersion": api_versions.get(body["kind"], "v1"), **body} for body in bodies]
    return yaml.safe_dump_all(documents).encode()


def deployers(api: Api) -> list[Any]:
    return [ArgoLike(api=api, app="shop"), FluxLike(api=api, name="shop")]


def test_both_prune_what_is_no_longer_in_the_stream(namespace: Api) -> None:
    for deployer in deployers(namespace):
        deployer.sync(
            stream(
                config_map("old"),
                secret("old"),
                job("old"),
                ROLE,
                SERVICE_ACCOUNT,
                config_map("both"),
            )
        )
        deployer.sync(stream(config_map("new"), config_map("both")))
        for kind, name in [
            ("ConfigMap", "old"),
            ("Secret", "old"),
            ("Job", "old"),
            ("Role", "linker"),
            ("ServiceAccount", "linker"),
        ]:
            namespace.gone(kind, name)
        assert namespace.names("ConfigMap") == {"new", "both", "kube-root-ca.crt"}
        assert namespace.names("ServiceAccount") == {"default"}


def test_neither_prunes_objects_of_others(namespace: Api) -> None:
    namespace.apply(config_map("by-hand"))
    ArgoLike(api=namespace, app="other").sync(stream(config_map("of-another-application")))
    FluxLike(api=namespace, name="other").sync(stream(config_map("of-another-kustomization")))
    for deployer in deployers(namespace):
        deployer.sync(stream(config_map("old")))
        deployer.sync(stream())
    expected = {"by-hand", "of-another-application", "of-another-kustomization", "kube-root-ca.crt"}
    assert namespace.names("ConfigMap") == expected


@pytest.mark.parametrize(
    ("owned", "kept"), [(True, {"old"}), (False, set())], ids=["an owner", "no owner"]
)
def test_argo_prunes_only_objects_without_owners(
    owned: bool, kept: set[str], namespace: Api
) -> None:
    deployer = ArgoLike(api=namespace, app="shop")
    deployer.sync(stream(config_map("old")))
    if owned:
        own(namespace, "old")
    deployer.sync(stream())
    if not kept:
        namespace.gone("ConfigMap", "old")
    assert namespace.names("ConfigMap") & {"old"} == kept


def test_flux_prunes_objects_with_owners(namespace: Api) -> None:
    deployer = FluxLike(api=namespace, name="shop")
    deployer.sync(stream(config_map("old")))
    own(namespace, "old")
    deployer.sync(stream())
    assert "old" not in namespace.names("ConfigMap")


def own(namespace: Api, name: str) -> None:
    """Add an existing owner."""
    owner = reference(namespace.apply(config_map("owner")))
    namespace.patch("ConfigMap", name, {"metadata": {"ownerReferences": [owner]}})


@pytest.mark.parametrize("place", [0, 1], ids=["Argo CD", "Flux"])
def test_each_keeps_objects_with_its_annotation(place: int, namespace: Api) -> None:
    deployer = deployers(namespace)[place]
    deployer.sync(stream(config_map("argo", **KEPT_BY_ARGO), config_map("flux", **KEPT_BY_FLUX)))
    deployer.sync(stream())
    namespace.gone("ConfigMap", ("flux", "argo")[place])
    assert namespace.names("ConfigMap") == {("argo", "flux")[place], "kube-root-ca.crt"}


@pytest.mark.parametrize("place", [0, 1], ids=["Argo CD", "Flux"])
def test_the_annotation_of_the_live_object_counts(place: int, namespace: Api) -> None:
    deployer = deployers(namespace)[place]
    deployer.sync(stream(config_map("old")))
    namespace.patch("ConfigMap", "old", {"metadata": (KEPT_BY_ARGO, KEPT_BY_FLUX)[place]})
    deployer.sync(stream())
    assert "old" in namespace.names("ConfigMap")


def test_flux_never_prunes_a_kept_object_later_and_argo_does(namespace: Api) -> None:
    argo, flux = deployers(namespace)
    argo.sync(stream(config_map("argo", **KEPT_BY_ARGO)))
    flux.sync(stream(config_map("flux", **KEPT_BY_FLUX)))
    for deployer in (argo, flux):
        deployer.sync(stream())
    for name in ("argo", "flux"):
        namespace.patch("ConfigMap", name, {"metadata": {"annotations": None}})
        # The tracking of the deployer stays.
    tracking = {"argocd.argoproj.io/tracking-id": f"shop:/ConfigMap:{namespace.namespace}/argo"}
    namespace.patch("ConfigMap", "argo", {"metadata": {"annotations": tracking}})
    for deployer in (argo, flux):
        deployer.sync(stream())
    namespace.gone("ConfigMap", "argo")
    assert namespace.names("ConfigMap") == {"flux", "kube-root-ca.crt"}


def test_both_leave_owners_of_others(namespace: Api) -> None:
    for deployer in deployers(namespace):
        deployer.sync(stream(config_map("kept")))
        own(namespace, "kept")
        deployer.sync(stream(config_map("kept")))
        owners = namespace.get("ConfigMap", "kept")["metadata"]["ownerReferences"]
        assert [owner["name"] for owner in owners] == ["owner"]


def test_argo_prunes_first_then_applies_by_wave_and_kind(namespace: Api) -> None:
    deployer = ArgoLike(api=namespace, app="shop")
    later = {"annotations": {"argocd.argoproj.io/sync-wave": "1"}}
    deployer.sync(stream(config_map("old")))
    steps = deployer.sync(
        stream(
            job("b"),
            config_map("late", **later),
            workload("Deployment", "a"),
            config_map("new"),
            SERVICE_ACCOUNT,
        )
    )
    assert words(steps) == [
        "prune ConfigMap old",
        "apply ServiceAccount linker",
        "apply ConfigMap new",
        "apply Deployment a",
        "apply Job b",
        "apply ConfigMap late",
    ]


def test_flux_applies_first_then_prunes(namespace: Api) -> None:
    deployer = FluxLike(api=namespace, name="shop")
    deployer.sync(stream(config_map("old")))
    steps = deployer.sync(
        stream(job("b"), workload("Deployment", "a"), config_map("new"), SERVICE_ACCOUNT)
    )
    assert words(steps) == [
        "apply ServiceAccount linker",
        "apply ConfigMap new",
        "apply Deployment a",
        "apply Job b",
        "prune ConfigMap old",
    ]


def words(steps: list[Step]) -> list[str]:
    return [f"{step.action} {step.kind} {step.name}" for step in steps]


def test_the_hook_is_called_before_each_step(namespace: Api) -> None:
    steps: list[tuple[str, bool]] = []

    def record(step: Step) -> None:
        steps.append((step.name, namespace.find(step.kind, step.name) is not None))

    deployer = FluxLike(api=namespace, name="shop")
    deployer.sync(stream(config_map("old")), record)
    deployer.sync(stream(config_map("new")), record)
    assert steps == [("old", False), ("new", False), ("old", True)]


@pytest.mark.usefixtures("rollouts")
@pytest.mark.parametrize(
    ("place", "order"), [(0, ["Job", "Rollout"]), (1, ["Rollout", "Job"])], ids=["Argo CD", "Flux"]
)
def test_the_order_of_a_rollout_and_a_job(place: int, order: list[str], namespace: Api) -> None:
    rollout = {"apiVersion": "argoproj.io/v1alpha1", **canary("web")}
    deployer = deployers(namespace)[place]
    assert [step.kind for step in deployer.sync(stream(rollout, job("link")))] == order
    deployer.sync(stream())
    namespace.gone("Rollout", "web")
