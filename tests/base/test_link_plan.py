"""A plan is written as arguments, and read back from them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import (
    JobPlan,
    LinkPlan,
    ProducerName,
    RevisionName,
    Unreadable,
    Workload,
    merge_plans,
    read_arguments,
    read_kind,
    read_producer,
    read_revision,
    read_workload,
)
from krm_fn.cli.main import main
from tests.linker.arguments import read_plan

CONFIG = RevisionName("ConfigMap", "web-config-5t7h9k2b4c")
PASSWORD = RevisionName("Secret", "web-password-4h2mbtbbt6")
PRODUCER = ProducerName(
    Kind("bitnami.com/v1alpha1", "SealedSecret", "sealedsecrets"), PASSWORD.name, (PASSWORD,)
)
WEB = Workload("apps/v1", "Deployment", "web", (CONFIG, PASSWORD))
PLAN = LinkPlan(
    set="web",
    workloads=(WEB, Workload("v1", "ReplicationController", "old", (CONFIG,))),
    revisions=(RevisionName("ConfigMap", "unused-2222222222"),),
    producers=(PRODUCER,),
    kinds=(Kind("example.com/v1", "Widget", "widgets"),),
    timeout=300,
    minimum_age=600,
)

LABEL = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
NAME = st.from_regex(
    r"[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?){0,2}", fullmatch=True
)
KIND = st.from_regex(r"[A-Z][A-Za-z0-9]{0,10}", fullmatch=True)
API_VERSION = st.builds(
    lambda group, version: f"{group}/{version}" if group else version, NAME | st.just(""), LABEL
)
REVISION = st.builds(RevisionName, st.sampled_from(["ConfigMap", "Secret", "ExternalSecret"]), NAME)
WORKLOAD = st.builds(
    Workload, API_VERSION, KIND, NAME, st.lists(REVISION, min_size=1, max_size=3).map(tuple)
)
CONSUMER_KIND = st.tuples(API_VERSION, KIND, LABEL).map(lambda fields: Kind(*fields))
PRODUCERS = st.builds(
    ProducerName, CONSUMER_KIND, NAME, st.lists(REVISION, min_size=1, max_size=3).map(tuple)
)
SECONDS = st.integers(1, 10**6)
PLANS = st.builds(
    LinkPlan,
    set=NAME,
    workloads=st.lists(WORKLOAD, max_size=3).map(tuple),
    revisions=st.lists(REVISION, max_size=3).map(tuple),
    producers=st.lists(PRODUCERS, max_size=3).map(tuple),
    kinds=st.lists(CONSUMER_KIND, max_size=3).map(tuple),
    timeout=SECONDS,
    minimum_age=st.integers(0, 10**6),
    waits=st.booleans(),
    lists_marked=st.just(value=True),  # False only with --all-sets
)


def test_the_arguments_are_readable() -> None:
    assert PLAN.to_arguments() == [
        "--set=web",
        "--workload=apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c,Secret/web-password-4h2mbtbbt6",
        "--workload=v1/ReplicationController/old=ConfigMap/web-config-5t7h9k2b4c",
        "--revision=ConfigMap/unused-2222222222",
        "--maker=bitnami.com/v1alpha1/SealedSecret/sealedsecrets/web-password-4h2mbtbbt6=Secret/web-password-4h2mbtbbt6",
        "--kind=example.com/v1/Widget/widgets",
        "--timeout=300",
        "--minimum-age=600",
    ]


def test_the_plan_of_a_cron_job_has_the_workloads_of_all_waves_and_waits_for_nothing() -> None:
    api = Workload("apps/v1", "Deployment", "api", PLAN.revisions)
    late = PLAN._replace(workloads=(api,), revisions=(CONFIG, PASSWORD))
    assert merge_plans(
        [JobPlan("shop", "", PLAN, (), ""), JobPlan("shop", "5", late, (), "")]
    ) == JobPlan(
        "shop",
        "5",
        PLAN._replace(workloads=(api, *PLAN.workloads), revisions=(), waits=False),
        (),
        "",
    )
    assert PLAN._replace(waits=False).to_arguments() == [*PLAN.to_arguments(), "--no-wait"]


def test_the_command_reads_the_arguments_back() -> None:
    assert read_plan(PLAN.to_arguments()) == PLAN


@given(PLANS)
def test_the_command_reads_the_arguments_of_any_plan_back(plan: LinkPlan) -> None:
    assert read_plan(plan.to_arguments()) == plan
    assert read_arguments(plan.to_arguments()) == plan


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(
            ["--set=a", "--timeout=1"],
            "found '', expected one value for --minimum-age",
            id="one is missing",
        ),
        pytest.param(
            ["--set=a", "--set=b"], "found 'a, b', expected one value for --set", id="two sets"
        ),
        pytest.param(
            ["--set=a", "--timeout=1", "--minimum-age=-1"],
            "found '-1', expected a number of seconds",
            id="negative",
        ),
    ],
)
def test_other_arguments_are_no_plan(arguments: list[str], sentence: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read_arguments(arguments)
    assert str(raised.value) == sentence


def test_rendered_revisions_are_those_of_workloads_and_the_others() -> None:
    assert PLAN.rendered == {CONFIG, PASSWORD, RevisionName("ConfigMap", "unused-2222222222")}


def test_what_a_producer_makes_is_no_secret_of_the_plan() -> None:
    """The linker gets no right on it."""
    assert PLAN.secrets == frozenset()
    assert PLAN._replace(producers=()).secrets == {PASSWORD.name}


@pytest.mark.parametrize(
    "text", ["", "a=Secret/a", "bitnami.com/v1/SealedSecret/sealedsecrets/a", "v1/A/as/=Secret/a"]
)
def test_other_text_is_not_a_producer(text: str) -> None:
    with pytest.raises(Unreadable):
        read_producer(text)


def test_an_empty_plan_renders_nothing() -> None:
    assert LinkPlan(set="web", timeout=300, minimum_age=600).rendered == frozenset()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param(
            "Deployment/web=ConfigMap/a",
            "found 'Deployment/web=ConfigMap/a', "
            "expected something like apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c",
            id="no API version",
        ),
        pytest.param(
            "apps/v1//web=ConfigMap/a",
            "found 'apps/v1//web=ConfigMap/a', "
            "expected something like apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c",
            id="no kind",
        ),
        pytest.param(
            "apps/v1/Deployment/web",
            "found 'apps/v1/Deployment/web', expected revisions after `=`",
            id="no revisions",
        ),
        pytest.param(
            "apps/v1/Deployment/web=",
            "found '', expected ConfigMap/NAME or Secret/NAME",
            id="nothing after =",
        ),
        pytest.param(
            "apps/v1/Deployment/web=ConfigMap/a,",
            "found '', expected ConfigMap/NAME or Secret/NAME",
            id="nothing after a comma",
        ),
    ],
)
def test_other_text_is_not_a_workload(text: str, sentence: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read_workload(text)
    assert str(raised.value) == sentence


@pytest.mark.parametrize("text", ["", "a", "ConfigMap", "ConfigMap/", "Pod/a", "ConfigMap/a/b"])
def test_other_text_is_not_a_revision(text: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read_revision(text)
    assert str(raised.value) == f"found {text!r}, expected ConfigMap/NAME or Secret/NAME"


@pytest.mark.parametrize(
    "text", ["", "Widget/widgets", "a/b/c/d/e", "example.com/v1/Widget/", "/v1/Widget/widgets"]
)
def test_other_text_is_not_a_kind(text: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read_kind(text)
    assert (
        str(raised.value)
        == f"found {text!r}, expected something like example.com/v1/Widget/widgets"
    )


def test_the_command_reports_a_bad_argument() -> None:
    outcome = main(["link", "--set=web", "--revision=Pod/a"])
    assert outcome.exit_code == 2
    assert outcome.stderr == (
        "error: Invalid value for '--revision': found 'Pod/a', expected ConfigMap/NAME or Secret/NAME; "
        "see krm-fn link --help\n"
    )
