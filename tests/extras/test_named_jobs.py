"""A Job that is named by its content: its name changes if and only if the Job changes."""

import re
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.base import keys
from krm_fn.function import run
from tests.volume import examples_of

HEAD = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: web}
  spec: {jobs: rename, mounts: [{kind: Job, configMap: mounted, path: /etc/web}], linker: {enabled: false}}
items:
"""
CONFIG = "- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{a: {data}}}}}\n"
JOBS = [
    """\
- apiVersion: batch/v1
  kind: Job
  metadata:
    name: migrate
  spec:
    backoffLimit: 2
    template:
      spec:
        containers:
        - name: app
          args: [up, "--now"]
          envFrom:
          - configMapRef: {name: read}
""",
    """\
- apiVersion: batch/v1
  kind: Job
  metadata: {name: 'migrate', labels: {a: b}} # only the spec counts
  spec:
    template: {spec: {containers: [{envFrom: [{configMapRef: {name: "read"}}], args: ['up', --now], name: app}]}}
    backoffLimit: 2 # formatting does not count
""",
    """\
- {"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": "migrate"}, "spec": {"backoffLimit": 2,
   "template": {"spec": {"containers": [
     {"name": "app", "args": ["up", "--now"], "envFrom": [{"configMapRef": {"name": "read"}}]}
   ]}}}}
""",
]
data = st.sampled_from(["one", "two", "three"])


def package(job: str, read: str, mounted: str, *, last: bool) -> bytes:
    configs = CONFIG.format(name="read", data=read) + CONFIG.format(name="mounted", data=mounted)
    return (HEAD + (configs + job if last else job + configs)).encode()


def items(output: bytes) -> list[Any]:
    (document,) = yaml.load_all(output, yaml.CBaseLoader)
    found: list[Any] = document["items"]
    return found


def job_name(output: bytes) -> str:
    (job,) = (item for item in items(output) if item["kind"] == "Job")
    assert job["metadata"]["annotations"][keys.BASE_NAME] == "migrate"
    return str(job["metadata"]["name"])


@given(st.sampled_from(JOBS), data, data, st.booleans())
def test_a_renamed_job_is_not_renamed_again(job: str, read: str, mounted: str, last: bool) -> None:
    once = run(package(job, read, mounted, last=last))
    assert once.exit_code == 0, once.stderr
    assert run(once.stdout).stdout == once.stdout
    assert not once.stderr


@given(
    st.tuples(data, data),
    st.tuples(data, data),
    st.sampled_from(JOBS),
    st.sampled_from(JOBS),
    st.booleans(),
)
@settings(max_examples=examples_of(200))
def test_the_name_changes_if_and_only_if_the_job_does(
    one: tuple[str, str], other: tuple[str, str], job: str, other_job: str, last: bool
) -> None:
    first = job_name(run(package(job, *one, last=last)).stdout)
    second = job_name(run(package(other_job, *other, last=not last)).stdout)
    assert (first == second) == (one == other)


@given(st.sampled_from(JOBS), st.tuples(data, data), st.sampled_from(["four", "five"]))
def test_editing_in_place_equals_rendering_from_scratch(
    job: str, before: tuple[str, str], now: str
) -> None:
    def edited(output: bytes) -> bytes:
        return output.replace(f"a: {before[0]}".encode(), f"a: {now}".encode())

    source = package(job, *before, last=True)
    in_place = run(edited(run(source).stdout)).stdout
    assert items(in_place) == items(run(edited(source)).stdout)


OF_VOLCANO = """\
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: read, namespace: shop}
  data: {a: b}
- apiVersion: batch.volcano.sh/v1alpha1
  kind: Job
  metadata: {name: migrate, namespace: shop}
  spec: {tasks: [{name: w, template: {spec: {containers: [{name: w, envFrom: [{configMapRef: {name: read}}]}]}}}]}
"""
NAMES_OF_KUBERNETES = """\
- apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: a, namespace: shop}
  rules: [{apiGroups: [batch], resources: [jobs], verbs: [get], resourceNames: [migrate]}]
- apiVersion: example.com/v1
  kind: Widget
  metadata:
    name: a
    namespace: shop
    annotations: {config.kubernetes.io/depends-on: batch/namespaces/shop/Job/migrate}
  spec: {target: {apiGroup: batch, kind: Job, name: migrate}}
"""


def test_what_names_a_job_of_kubernetes_does_not_follow_one_of_another_group() -> None:
    head = re.sub(r"mounts: \[.*?\], ", "", HEAD)
    outcome = run((head + OF_VOLCANO + NAMES_OF_KUBERNETES).encode())
    rendered = outcome.stdout.decode()
    assert "name: migrate-" in rendered
    assert NAMES_OF_KUBERNETES in rendered
    assert outcome.stderr == ""
