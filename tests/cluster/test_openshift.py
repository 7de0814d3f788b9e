"""On OpenShift, adding an owner needs the right to delete the object."""

import pytest

from tests.cluster.api import Api
from tests.cluster.deployers import ArgoLike
from tests.cluster.linker_job import run_linker
from tests.cluster.release import SET, Release, owners
from tests.cluster.unlinked_release import LINKER, OPTIONS, revisions, shop


@pytest.fixture
def release(enforcing_namespace: Api, *, openshift: bool) -> Release:
    deployer = ArgoLike(api=enforcing_namespace, app=SET)
    settings: dict[str, object] = {**OPTIONS, "linker": {**LINKER, "openshift": openshift}}
    made = Release(api=enforcing_namespace, deployer=deployer, settings=settings)
    made.sync(*shop("new"))
    made.api.ready("Deployment", "web")
    return made


def without_owner(release: Release) -> list[str]:
    """Return the kinds of revisions without owners."""
    return [found["kind"] for found in revisions(release.api) if not owners(found)]


@pytest.mark.parametrize("openshift", [True])
def test_with_the_openshift_setting_everything_is_linked(release: Release) -> None:
    run = run_linker(release.api, SET)
    assert (run.exit_code, run.stderr) == (0, "")
    assert without_owner(release) == []


@pytest.mark.parametrize("openshift", [False])
def test_without_the_setting_the_run_reports_the_missing_rule(release: Release) -> None:
    run = run_linker(release.api, SET)
    (name,) = release.api.names("Secret")
    assert run.exit_code == 1, "no later run may link it"
    assert without_owner(release) == ["Secret"]
    rule = f'{{apiGroups: [""], resources: [secrets], verbs: [delete], resourceNames: [{name}]}}'
    secret = f"Secret {release.api.namespace}/{name}"
    assert run.stderr == (
        f"error: {secret}: not permitted to patch; the Role of this ServiceAccount needs the rule {rule}, "
        f"which spec.linker.openshift adds; run the Job again, as no later one may link {secret}\n"
    )
