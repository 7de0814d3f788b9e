"""The Job of the linker: its name and its plan."""

import itertools
import json
import re
from collections import Counter
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kubernetes.config import incluster_config

from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import JobPlan, LinkPlan, ProducerName, RevisionName, Workload
from krm_fn.base.settings import LinkerSettings, Settings
from krm_fn.core.config.build import SCHEDULE
from krm_fn.core.config.plain import load_schema
from krm_fn.core.names.names import MAX_JOB_NAME, cron_job_name
from krm_fn.extras.linker_objects import (
    START_SECONDS,
    access,
    cron_job,
    job,
    may_be_spread,
    spread_schedule,
)
from krm_fn.function import run
from tests.cases import ENVIRONMENT
from tests.linker.arguments import read_plan
from tests.volume import examples_of

REVISION = RevisionName("ConfigMap", "web-config-5t7h9k2b4c")
PLAN = LinkPlan(
    set="shop",
    workloads=(Workload("apps/v1", "Deployment", "web", (REVISION,)),),
    timeout=300,
    minimum_age=600,
)
GROUP = JobPlan("shop", "", PLAN, CONSUMER_KINDS, "")
SETTINGS = Settings(set="shop")

LINKERS = {
    "life": LinkerSettings(ttl_seconds_after_finished=60),
    "account": LinkerSettings(service_account_name="robot"),
    "resources": LinkerSettings(resources={"limits": {"cpu": "2"}}),
    "nodes": LinkerSettings(node_selector={"os": "linux"}),
    "tolerations": LinkerSettings(tolerations=({"operator": "Exists"},)),
    "secrets to pull with": LinkerSettings(image_pull_secrets=({"name": "registry"},)),
    "labels": LinkerSettings(labels={"team": "web"}),
    "annotations": LinkerSettings(annotations={"note": "x"}),
}
JOBS: list[tuple[str, Any]] = [
    ("as ever", job(GROUP, SETTINGS, "krm-fn:1")),
    ("as ever, in another namespace", job(GROUP._replace(namespace="blog"), SETTINGS, "krm-fn:1")),
    ("as ever, in another wave", job(GROUP._replace(wave="5"), SETTINGS, "krm-fn:1")),
    ("another image", job(GROUP, SETTINGS, "krm-fn:2")),
    (
        "another revision",
        job(GROUP._replace(plan=PLAN._replace(revisions=(REVISION,))), SETTINGS, "krm-fn:1"),
    ),
    ("another timeout", job(GROUP._replace(plan=PLAN._replace(timeout=1)), SETTINGS, "krm-fn:1")),
    *(
        (f"other {what}", job(GROUP, SETTINGS._replace(linker=linker), "krm-fn:1"))
        for what, linker in LINKERS.items()
    ),
]


@pytest.mark.parametrize(
    ("one", "other"), [*itertools.combinations(JOBS, 2)], ids=lambda pair: pair[0]
)
def test_the_name_changes_if_and_only_if_the_spec_does(
    one: tuple[str, Any], other: tuple[str, Any]
) -> None:
    same_name = one[1]["metadata"]["name"] == other[1]["metadata"]["name"]
    assert same_name == (one[1]["spec"] == other[1]["spec"])


@pytest.mark.parametrize("length", [1, 45, 46, 63])
def test_the_name_of_a_cron_job_leaves_room_for_those_of_its_jobs(length: int) -> None:
    """Kubernetes allows 52 characters. Names that it would cut differ where the sets do."""
    names = [cron_job_name(end.rjust(length, "x")) for end in "ab"]
    assert names[0] != names[1]
    assert all(len(name) <= 52 for name in names)
    assert (names[0] == "a".rjust(length, "x") + "-linker") == (length <= 45)


@pytest.mark.parametrize(
    ("linker", "expected"),
    [
        pytest.param(LinkerSettings(schedule="@daily"), ("@daily", None, 86_400), id="a schedule"),
        pytest.param(LinkerSettings(schedule=""), ("@hourly", True, 86_400), id="suspended"),
        pytest.param(
            LinkerSettings(schedule="@daily", ttl_seconds_after_finished=0),
            ("@daily", None, 0),
            id="with a life",
        ),
    ],
)
def test_what_a_schedule_makes_of_the_cron_job(
    linker: LinkerSettings, expected: tuple[Any, ...]
) -> None:
    """Its pod is that of the Job, and nothing that is not written is taken from those who suspend it by hand."""
    settings = SETTINGS._replace(linker=linker)
    spec: Any = cron_job(GROUP, settings, "shop", "krm-fn:1")["spec"]
    of_job: Any = job(GROUP, settings, "krm-fn:1")["spec"]
    template = spec["jobTemplate"]["spec"]
    assert (spec["schedule"], spec.get("suspend"), template["ttlSecondsAfterFinished"]) == expected
    assert template == {**of_job, "ttlSecondsAfterFinished": expected[2]}
    assert spec["concurrencyPolicy"] == "Forbid"


SPREAD = [
    ("0 * * * *", "0 * * * *", "what is plain stays"),
    ("0  22-6 *  * THU", "0  22-6 *  * THU", "with its spaces, and a day that has an H in it"),
    ("@hourly", "@hourly", "a macro stays"),
    ("H * * * *", "49 * * * *", "a minute"),
    ("H/15 * * * *", "4-59/15 * * * *", "every 15 minutes, from what is left of the same minute"),
    ("H H * * SUN", "49 6 * * SUN", "a minute and an hour"),
    ("0 H * * *", "0 6 * * *", "an hour alone"),
    ("H H/6 1,15 * *", "49 0-23/6 1,15 * *", "every six hours"),
]


@pytest.mark.parametrize(("schedule", "expected", "_why"), SPREAD)
def test_an_h_becomes_plain(schedule: str, expected: str, _why: str) -> None:
    assert spread_schedule(schedule, "shop", "web") == expected
    assert may_be_spread(schedule, expected)
    assert re.fullmatch(SCHEDULE, expected)


SCHEDULES = {
    "00 03 * * *": True,
    "000 3 * * 00": True,
    "*/05 * 01 01 *": True,
    "0 3 * Jan Mon-fri": True,
    "H H/06 * * *": True,
    "060 3 * * *": False,
    "0 024 * * *": False,
    "0 3 00 * *": False,
    "0 3 * * 07": False,
    "*/00 * * * *": False,
    "0 3 * ja *": False,
}
"""As robfig/cron reads them: `strconv.Atoi` takes zeros in front, and names are put in small letters (parser.go)."""


@pytest.mark.parametrize(("schedule", "is_accepted"), SCHEDULES.items(), ids=SCHEDULES)
def test_a_schedule_is_read_as_kubernetes_reads_it(schedule: str, is_accepted: bool) -> None:
    assert bool(re.fullmatch(SCHEDULE, schedule)) is is_accepted


@pytest.mark.parametrize(
    ("schedule", "other"),
    [("H * * * *", "60 * * * *"), ("H * * * *", "* * * * *"), ("H/15 * * * *", "15-59/15 * * * *")],
)
def test_an_h_becomes_nothing_else(schedule: str, other: str) -> None:
    assert not may_be_spread(schedule, other)


@pytest.mark.parametrize(
    ("schedule", "values"),
    [("H * * * *", 60), ("H/15 * * * *", 15), ("0 H * * *", 24), ("H H * * *", 1440)],
)
@pytest.mark.parametrize("platform", ["one set in each namespace", "many sets in one namespace"])
def test_ten_thousand_sets_are_spread_evenly(schedule: str, values: int, platform: str) -> None:
    """As evenly as dice fall: by the chi-squared test, worse than now once in a million times."""
    places = [(f"team-{number}", "web") for number in range(10_000)]
    if platform == "many sets in one namespace":
        places = [(set_name, namespace) for namespace, set_name in places]
    counts = Counter(spread_schedule(schedule, *place) for place in places)
    expected = len(places) / values
    off = sum((count - expected) ** 2 / expected for count in counts.values()) + expected * (
        values - len(counts)
    )
    assert off < values + 5 * (2 * values) ** 0.5


@pytest.mark.parametrize("length", [1, 46, 47, 48, 63])
def test_the_name_fits_into_a_label(length: int) -> None:
    made: Any = job(GROUP, Settings(set="a" * length), "krm-fn:1")
    assert len(made["metadata"]["name"]) <= MAX_JOB_NAME


def test_the_linker_reads_the_plan_that_was_written() -> None:
    made: Any = JOBS[0][1]
    command, *arguments = read_arguments(made)
    assert (command, read_plan(arguments)) == ("link", PLAN)


def longest(made: Any) -> int:
    """Return the seconds from applying the Job to the end of its last attempt.

    The deadline of a Job counts from its first sync, over all attempts and the pauses between them,
    also while no pod can be created. Then its pods have their grace period to end.
    """
    return int(made["spec"]["activeDeadlineSeconds"]) + GRACE_PERIOD


GRACE_PERIOD = 30
"""`terminationGracePeriodSeconds` of a pod that does not set it."""


def test_the_job_ends_within_fifteen_minutes() -> None:
    made: Any = job(
        GROUP._replace(plan=PLAN._replace(timeout=LinkerSettings().timeout_seconds)),
        SETTINGS,
        "krm-fn:1",
    )
    assert longest(made) <= 15 * 60
    assert made["spec"]["backoffLimit"] <= 2


@pytest.mark.parametrize("timeout", [1, 300, 3600])
def test_the_linker_has_its_whole_timeout(timeout: int) -> None:
    settings = SETTINGS._replace(linker=LinkerSettings(timeout_seconds=timeout))
    made: Any = job(GROUP._replace(plan=PLAN._replace(timeout=timeout)), settings, "krm-fn:1")
    (argument,) = (one for one in read_arguments(made) if one.startswith("--timeout="))
    assert made["spec"]["activeDeadlineSeconds"] == int(argument.partition("=")[2]) + 300


def test_the_schema_says_when_the_job_ends() -> None:
    linker: Any = load_schema()
    for name in ("spec", "linker", "timeoutSeconds"):
        linker = linker["properties"][name]
    seconds = linker["default"] + START_SECONDS
    assert f"ends at most {START_SECONDS} seconds later" in linker["description"]
    assert (
        f"By default, that is {seconds // 60} minutes after it was applied" in linker["description"]
    )


def test_the_pod_has_the_files_that_the_kubernetes_client_reads() -> None:
    made: Any = JOBS[0][1]
    pod = made["spec"]["template"]["spec"]
    (volume,) = pod["volumes"]
    (mount,) = pod["containers"][0]["volumeMounts"]
    assert (mount["name"], mount["readOnly"]) == (volume["name"], True)
    token, certificate, downward = (
        next(iter(source.values())) for source in volume["projected"]["sources"]
    )
    (root,), (namespace,) = certificate["items"], downward["items"]
    paths = [f"{mount['mountPath']}/{one['path']}" for one in (token, root, namespace)]
    assert paths == [
        incluster_config.SERVICE_TOKEN_FILENAME,
        incluster_config.SERVICE_CERT_FILENAME,
        "/var/run/secrets/kubernetes.io/serviceaccount/namespace",
    ]
    assert (certificate["name"], root["key"]) == ("kube-root-ca.crt", "ca.crt")


def test_the_token_expires_soon() -> None:
    made: Any = JOBS[0][1]
    pod = made["spec"]["template"]["spec"]
    (source, *_) = pod["volumes"][0]["projected"]["sources"]
    assert not pod["automountServiceAccountToken"]
    assert source["serviceAccountToken"]["expirationSeconds"] == 600


def read_arguments(made: Any) -> list[str]:
    arguments: list[str] = made["spec"]["template"]["spec"]["containers"][0]["args"]
    return arguments


@pytest.mark.parametrize(
    ("openshift", "verbs"),
    [
        pytest.param(False, ["get", "patch"], id="as a rule"),
        pytest.param(True, ["get", "patch", "delete"], id="where owners need that right"),
    ],
)
def test_secrets_by_name_alone(openshift: bool, verbs: list[str]) -> None:
    plan = PLAN._replace(revisions=(RevisionName("Secret", "b"), RevisionName("Secret", "a")))
    settings = SETTINGS._replace(linker=LinkerSettings()._replace(openshift=openshift))
    _, role, _ = access(GROUP._replace(plan=plan), settings, "shop")
    rules: Any = role["rules"]
    (secrets,) = (rule for rule in rules if rule["resources"] == ["secrets"])
    assert (secrets["verbs"], secrets["resourceNames"]) == (verbs, ["a", "b"])


def test_no_rule_for_secrets_where_there_are_none() -> None:
    _, role, _ = access(GROUP, SETTINGS, "shop")
    rules: Any = role["rules"]
    assert not [rule for rule in rules if "secrets" in rule["resources"]]
    assert not [
        rule for rule in rules if "*" in (*rule["verbs"], *rule["resources"], *rule["apiGroups"])
    ]


texts = st.one_of(st.text(max_size=12), st.from_regex(r"[*/a-z.]{0,6}/?v1", fullmatch=True))
kinds = st.one_of(
    st.text(max_size=12), st.sampled_from(["Secret", "Pod", "Widget", "secret", "*", "Secrets"])
)


@given(texts, kinds, st.one_of(kinds, st.sampled_from(["secrets", "pods/exec", ""])))
@example("*/v1", "Secret", "secrets")
@example("/v1", "Secret", "secrets")
@example("v1", "Gadget", "secrets")
@example("batch/v1", "Job", "jobs")
@example("example.com/v1", "Widget", "widgets")
@settings(max_examples=examples_of(300), deadline=None)
def test_no_input_makes_a_rule_too_wide(api_version: str, kind: str, plural: str) -> None:
    """An object with any apiVersion and kind, and a definition with any plural, reference a revision."""
    metadata = {"name": "web", "namespace": "shop"}
    volumes = [{"name": name, "configMap": {"name": name}} for name in ("one", "other")]
    template = {"spec": {"containers": [{"name": "app"}], "volumes": volumes}}
    group = api_version.rpartition("/")[0]
    definition = {
        "group": group,
        "names": {"kind": kind, "plural": plural},
        "scope": "Namespaced",
        "versions": [],
    }
    objects = [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": {"template": template},
        },
        *(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**metadata, "name": one}}
            for one in ("one", "other")
        ),
        {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": metadata,
            "spec": {"configMapRef": {"name": "one"}},
        },
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": definition,
        },
    ]
    objects[1]["data"] = objects[2]["data"] = {"a": "b"}
    outcome = run("\n---\n".join(map(json.dumps, objects)).encode())
    emitted = (
        [one for one in yaml.load_all(outcome.stdout, yaml.CSafeLoader) if one]
        if outcome.stdout
        else []
    )
    # May be a Job or Role itself.
    emitted = [one for one in emitted if one.get("metadata", {}).get("name") != "web"]
    roles = [
        one
        for one in emitted
        if one["apiVersion"] == "rbac.authorization.k8s.io/v1" and one["kind"] == "Role"
    ]
    for rule in (rule for role in roles for rule in role["rules"]):
        words = [*rule["apiGroups"], *rule["resources"], *rule["verbs"]]
        assert all(
            re.fullmatch(r"[a-z]([-a-z0-9.]*[a-z0-9])?", word)
            for word in words
            if word != rule["apiGroups"][0]
        )
        assert re.fullmatch(r"([a-z0-9][-a-z0-9.]*)?", rule["apiGroups"][0])
        assert "secrets" not in rule["resources"] or rule["resourceNames"]
    assert len(roles) == (outcome.exit_code == 0)
    for one in emitted:
        if one["kind"] == "Job" and outcome.exit_code == 0:
            read_plan(read_arguments(one)[1:])


def test_a_set_that_is_too_large_is_told_so() -> None:
    names = [f"config-{number:04}-{'x' * 200}" for number in range(1300)]
    metadata = [{"name": name, "namespace": "shop"} for name in names]
    configs = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": one, "data": {"a": "b"}}
        for one in metadata
    ]
    spec = {
        "containers": [{"name": "app"}],
        "volumes": [{"name": name, "configMap": {"name": name}} for name in names],
    }
    pods = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
    }
    stream = "\n---\n".join(
        map(json.dumps, [{**pods, "spec": {"template": {"spec": spec}}}, *configs])
    )
    config = {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": "web"},
    }
    outcome = run(stream.encode(), json.dumps(config).encode(), ENVIRONMENT)
    assert (outcome.exit_code, outcome.stdout) == (1, b"")
    told = "1300 revisions in namespace shop do not fit into one inventory; split the set in two"
    assert (
        outcome.stderr == f"error: ConfigRevisions/web metadata.name (line 1, column 82): {told}\n"
    )


def test_a_role_names_producers_and_no_secret_that_they_make() -> None:
    made = RevisionName("Secret", "web-db-h8k5m2t6bd")
    own = RevisionName("Secret", "web-api-h8k5m2t6bd")
    kind = Kind("external-secrets.io/v1", "ExternalSecret", "externalsecrets")
    plan = PLAN._replace(
        revisions=(made, own), producers=(ProducerName(kind, "from-vault-h8k5m2t6bd", (made,)),)
    )
    for openshift, verbs in ((False, ["get", "patch"]), (True, ["get", "patch", "delete"])):
        settings = SETTINGS._replace(linker=LinkerSettings(openshift=openshift))
        role: Any = access(GROUP._replace(plan=plan), settings, "shop")[1]
        by_name = [rule for rule in role["rules"] if "resourceNames" in rule]
        assert by_name == [
            {
                "apiGroups": [""],
                "resources": ["secrets"],
                "verbs": verbs,
                "resourceNames": [own.name],
            },
            {
                "apiGroups": ["external-secrets.io"],
                "resources": ["externalsecrets"],
                "verbs": verbs,
                "resourceNames": ["from-vault-h8k5m2t6bd"],
            },
        ]


CLASHING = """\
apiVersion: secrets-store.csi.x-k8s.io/v1
kind: SecretProviderClass
metadata: {name: vault, namespace: shop}
spec:
  provider: vault
  secretObjects:
  - {secretName: web-db, type: Opaque, data: [{key: a, objectName: b}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: vault, namespace: shop}
data: {a: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-db, namespace: shop}
data: {a: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers: [{name: a, image: a, envFrom: [{secretRef: {name: web-db}}]}]
      volumes: [{name: v, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: vault}}}]
"""


def test_a_clash_of_two_trackers_of_one_object_is_warned_about_once() -> None:
    """The driver's class and the Secret that it mirrors have a tracker each."""
    config = (
        b"apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
        b"spec: {kinds: [Secret, SecretProviderClass], strategy: adopt, linker: {image: 'a:1'}}\n"
    )
    assert run(CLASHING.encode(), config).stderr.count("will not be garbage-collected") == 1


READ_BY_PODS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
data: {a: b}
---
apiVersion: v1
kind: Secret
metadata: {name: web-secret, namespace: shop}
data: {a: Yg==}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: a, image: a, envFrom: [{configMapRef: {name: web-config}}, {secretRef: {name: web-secret}}]}
"""
LABELS = "labels: {team: shop}"
MANAGER = "app.kubernetes.io/managed-by"
MANAGED_BY = [
    pytest.param("deployers: [argocd]", LABELS, "krm-fn", id="krm-fn manages them"),
    pytest.param("deployers: []", LABELS, "krm-fn", id="also if kubectl applies them"),
    pytest.param("deployers: [helm]", LABELS, None, id="Helm writes who manages them"),
    pytest.param(
        "deployers: [argocd]",
        f"labels: {{team: shop, {MANAGER}: platform}}",
        "platform",
        id="the author says who manages them",
    ),
]


@pytest.mark.parametrize(("deployers", "labels", "manager"), MANAGED_BY)
@pytest.mark.parametrize("schedule", ["", "schedule: '@daily', "], ids=["", "with a schedule"])
def test_a_policy_finds_its_label_on_all_objects_of_the_linker(
    deployers: str, labels: str, manager: str | None, schedule: str
) -> None:
    """Revisions and workloads have none of them: those are the author's."""
    config = (
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
        f"spec: {{kinds: [ConfigMap, Secret], {deployers}, "
        f"linker: {{image: 'a:1', {schedule}{labels}}}}}\n"
    )
    rendered = run(READ_BY_PODS.encode(), config.encode()).stdout
    found = [item["metadata"] for item in yaml.safe_load_all(rendered)]
    added = [item for item in found if "team" in item.get("labels", {})]
    authored = [item for item in found if item not in added]
    assert [item["name"].partition("-")[0] for item in authored] == ["web", "web", "web"]
    assert len(added) == (7 if schedule else 6)
    assert {item["labels"].get(MANAGER) for item in added} == {manager}
    assert all(MANAGER not in item.get("labels", {}) for item in authored)
