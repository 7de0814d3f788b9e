"""Runs that are terminated, time out or have no valid token; and the clock that ages are compared with."""

import signal
from collections.abc import Callable, Iterator

import pytest

from krm_fn.linker.link import SUPERSEDED
from tests.cluster.api import Api
from tests.cluster.fault_proxy import Answer, Call, Fault, PassOn, no_fault
from tests.cluster.faults import at, clock_ahead, delay, drop_before, first, pages_of, refuse
from tests.cluster.linker_harness import LinkerHarness, State, is_patch
from tests.cluster.manifests import config_map, pod
from tests.cluster.server import ApiError
from tests.cluster.tokens import token_of
from tests.cluster.unlinked_release import UNUSED
from tests.wait import A_MOMENT, ROOMY, SHORT, linger, until

HARNESS_NAMESPACE = "ends"


def test_a_terminated_run_completes_its_patch(harness: LinkerHarness, undisturbed: State) -> None:
    def terminate(call: Call, pass_on: PassOn) -> Answer:
        harness.linker.signal(signal.SIGTERM)
        linger(A_MOMENT)
        return pass_on(call)

    run = harness.run(first(is_patch, terminate))
    assert run.exit_code == 143
    assert run.stderr == "error: terminated; completed changes are kept, run again to finish\n"
    assert harness.proxy.calls[-1].method == "PATCH"
    assert len(harness.proxy.writes) == run.stdout.count(" ends/") == 1
    assert harness.run().exit_code == 0
    assert harness.release.state() == undisturbed


def test_a_terminated_run_does_not_wait_for_a_busy_server(harness: LinkerHarness) -> None:
    def busy(call: Call, pass_on: PassOn) -> Answer:
        harness.linker.signal(signal.SIGTERM)
        return refuse(429, "TooManyRequests", Retry_After="30")(call, pass_on)

    assert harness.run(at(2, busy)).exit_code == 143
    assert len(harness.proxy.calls) == 2


@pytest.fixture
def revoked_token(harness: LinkerHarness) -> Iterator[str]:
    """Create a token, and revoke it by deleting its pod, until the API server knows that."""
    api = harness.release.api
    account = harness.release.pod["spec"]["serviceAccountName"]
    brief = pod("brief")
    brief = api.create({**brief, "spec": {**brief["spec"], "serviceAccountName": account}})
    token = token_of(api, account, pod=brief)
    api.delete("Pod", "brief")
    api.gone("Pod", "brief")
    until("the token is revoked", lambda: is_revoked(api.as_token(token)))
    yield token
    harness.release.log_in(harness.folder, harness.proxy.server, harness.release.token())


def is_revoked(client: Api) -> bool:
    """Tell whether the token is refused. The API server looks its pod up in a cache."""
    try:
        client.list("ConfigMap")
    except ApiError as error:
        if error.status not in {401, 403}:
            raise
        return error.status == 401
    return False


def test_an_invalid_token_is_an_error(harness: LinkerHarness, revoked_token: str) -> None:
    harness.release.log_in(harness.folder, harness.proxy.server, revoked_token)
    run = harness.run()
    sentence = "configmaps in ends: cannot list: the token is no longer valid; run the Job again, or log in again"
    first, *others = run.stderr.splitlines()
    assert (run.exit_code, first) == (1, f"error: {sentence}")
    assert [
        "; run the Job again, as no later one may link Secret ends/" in one for one in others
    ] == [True]


def test_an_invalid_token_is_read_again(
    harness: LinkerHarness, undisturbed: State, revoked_token: str
) -> None:
    harness.release.log_in(harness.folder, harness.proxy.server, revoked_token)

    def renew(call: Call, pass_on: PassOn) -> Answer:
        harness.release.log_in(harness.folder, harness.proxy.server, harness.release.token())
        return pass_on(call)

    assert harness.run(at(1, renew)).exit_code == 0
    assert harness.release.state() == undisturbed


@pytest.fixture
def binding(harness: LinkerHarness) -> Iterator[str]:
    """Return the name of the linker's RoleBinding, and apply that again in the end, until it is known."""
    api = harness.release.api
    (found,) = api.list("RoleBinding")
    yield found["metadata"]["name"]
    again = {key: found["metadata"][key] for key in ("name", "labels")}
    api.apply({**found, "metadata": again})
    until("the rights are there", lambda: not is_forbidden(harness))


def is_forbidden(harness: LinkerHarness) -> bool:
    try:
        harness.release.api.as_token(harness.release.token()).list("ConfigMap")
    except ApiError as error:
        if error.status != 403:
            raise
        return True
    return False


MOMENTS = [
    pytest.param(lambda call: call.number == 2, id="in its first look"),
    pytest.param(lambda call: "/secrets/" in call.target, id="before it links the Secret"),
    pytest.param(lambda call: call.method == "DELETE", id="before it deletes"),
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_whose_role_is_pruned_is_superseded(
    harness: LinkerHarness, binding: str, moment: Callable[[Call], bool]
) -> None:
    """As where a release leaves the set to the linker of the namespace."""

    def prune(call: Call, pass_on: PassOn) -> Answer:
        harness.release.api.delete("RoleBinding", binding)
        until("the rights are gone", lambda: is_forbidden(harness))
        return pass_on(call)

    run = harness.run(first(moment, prune))
    assert run.exit_code == 0
    assert run.stderr.splitlines()[-1] == f"warning: {SUPERSEDED}"
    assert "; run the Job again" not in run.stderr


CLOCKS = [
    pytest.param(1750, True, id="too young by its clock"),
    pytest.param(1900, False, id="old enough by its clock"),
]


@pytest.mark.parametrize(("ahead", "is_kept"), CLOCKS)
def test_ages_are_compared_with_the_clock_of_the_api_server(
    harness: LinkerHarness, ahead: float, *, is_kept: bool
) -> None:
    # Made anew, whenever the first test of this module was.
    harness.release.api.delete("ConfigMap", UNUSED)
    harness.release.restore()
    harness.proxy.begin(clock_ahead(ahead))
    assert harness.linker.run([*harness.release.arguments, "--minimum-age=1800"]).exit_code == 0
    assert bool(harness.release.api.find("ConfigMap", UNUSED)) is is_kept


MISSING = [
    pytest.param("absent", "does not exist", id="never applied"),
    pytest.param("web", f"does not reference ConfigMap/{UNUSED}", id="not yet changed"),
]


@pytest.mark.parametrize(("workload", "what"), MISSING)
def test_the_deadline_ends_the_wait_for_a_workload(
    harness: LinkerHarness, workload: str, what: str
) -> None:
    never = f"--workload=apps/v1/Deployment/{workload}=ConfigMap/{UNUSED}"
    run = harness.run(no_fault, never, f"--timeout={SHORT}")
    assert run.exit_code == 0
    assert run.stderr == (
        f"warning: Deployment ends/{workload}: {what}; "
        "apply the manifests again, or find out why applying them failed\n"
    )


@pytest.mark.parametrize(
    "fault", [drop_before, delay(ROOMY)], ids=["without a response", "with a late response"]
)
def test_the_deadline_ends_the_wait_for_an_api_server(harness: LinkerHarness, fault: Fault) -> None:
    run = harness.run(fault, f"--timeout={SHORT}")
    assert run.exit_code == 1
    assert (
        "error: GET /api/v1/namespaces/ends/configmaps: no response from http://127.0.0.1:"
        in run.stderr
    )


def test_the_last_page_of_a_list_may_be_empty(harness: LinkerHarness) -> None:
    """The API server announces another page for an object that the selector then excludes."""
    harness.release.api.apply(config_map("zzz"))
    run = harness.run(pages_of(1))
    assert (run.exit_code, run.stderr) == (0, "")


def test_a_set_without_revisions_is_no_error(harness: LinkerHarness) -> None:
    harness.proxy.begin()
    run = harness.linker.run(["link", "--set=nothing"])
    assert (run.exit_code, run.stderr) == (0, "")
    assert run.stdout.startswith("0 revisions in ends: 0 linked, 0 deleted; ")
