"""Fields that nobody can change once an object is there: what they name keeps its name."""

from textwrap import indent

import pytest
import yaml

from krm_fn.core.config.config import ChosenConfiguration, Configuration
from krm_fn.core.yaml.envelope import Envelope, open_envelope
from krm_fn.core.yaml.reader import SchemaNode, read_yaml
from krm_fn.function import decide, find_only_configuration, run
from krm_fn.lint.lint import check_run
from tests.cases import ENVIRONMENT

HEAD = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: web}
  spec: {kinds: [ConfigMap, Secret], linker: {enabled: false}%s}
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: config, namespace: shop}, data: {a: b}}
- apiVersion: v1
  kind: Secret
  metadata: {name: key, namespace: shop, labels: {app.kubernetes.io/managed-by: kustomize}}
  stringData: {a: b}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: reader, namespace: shop}
  spec:
    template:
      spec:
        containers: [{name: c, envFrom: [{configMapRef: {name: config}}, {secretRef: {name: key}}]}]
"""
POD = "template: {spec: {containers: [{name: c, envFrom: [{configMapRef: {name: config}}]}]}}"
DATA_VOLUME = (
    "- {apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, metadata: {name: a, namespace: shop%s}, "
    "spec: {source: {http: {certConfigMap: config}}}}"
)
JOB_SET = (
    "- {apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a, namespace: shop}, spec: {%s"
    f"replicatedJobs: [{{name: w, template: {{spec: {{{POD}}}}}}}]}}}}"
)
TASK_RUN = (
    "- {apiVersion: tekton.dev/v1, kind: TaskRun, metadata: {%s, namespace: shop}, "
    "spec: {workspaces: [{name: a, configMap: {name: config}}]}}"
)
OWN = (
    "- {apiVersion: example.com/v1, kind: App, metadata: {name: a, namespace: shop}, "
    "spec: {use: {configMapRef: {name: config}}}}"
)


def defined(spec: object = None, use: object = None, version: str = "v1") -> str:
    """Write the definition of the kind of `OWN`, with rules of its spec and of the field in it."""
    of_use = {"type": "object", "x-kubernetes-validations": use or []}
    of_spec = {
        "type": "object",
        "x-kubernetes-validations": spec or [],
        "properties": {"use": of_use, "other": {"type": "string"}},
    }
    # What is short has nodes at once.
    schema = {"description": "An App. " * 200, "properties": {"spec": of_spec}}
    versions = [{"name": version, "schema": {"openAPIV3Schema": schema}}]
    names = {"kind": "App", "plural": "apps"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "apps.example.com"},
        "spec": {"group": "example.com", "names": names, "versions": versions},
    }
    text = indent(yaml.safe_dump(definition), "  ").replace("  ", "- ", 1)
    return text + OWN


PARAMETERS = (
    ("csiaddons.openshift.io", "NetworkFenceClass", "networkfence"),
    ("replication.storage.openshift.io", "VolumeGroupReplicationClass", "group-replication"),
    ("replication.storage.openshift.io", "VolumeReplicationClass", "replication"),
)
S3 = "s3: {accessKeyIdSecretKeyRef: {name: key, key: a}}"
MARIADB = (
    ("Backup", f"storage: {{{S3}}}", "where a Backup of MariaDB goes"),
    ("MariaDB", "rootPasswordSecretKeyRef: {name: key, key: a}", "MariaDB's password"),
    ("MariaDB", f"bootstrapFrom: {{{S3}}}", "what a MariaDB has begun with"),
    ("MaxScale", "auth: {adminPasswordSecretKeyRef: {name: key, key: a}}", "MaxScale's password"),
    ("PhysicalBackup", f"storage: {{{S3}}}", "where a PhysicalBackup goes"),
    ("Restore", S3, "the source of a Restore"),
    ("SqlJob", "sqlConfigMapKeyRef: {name: config, key: a}", "the text of a SqlJob"),
    ("SqlJob", "passwordSecretKeyRef: {name: key, key: a}", "the password of a SqlJob"),
)
KEPT = [
    pytest.param("DataVolume/shop/a", DATA_VOLUME % "", id="the source of a DataVolume"),
    pytest.param("JobSet/shop/a", JOB_SET % "", id="the template of a JobSet"),
    pytest.param("JobSet/shop/a", JOB_SET % "suspend: true, ", id="that of a suspended JobSet"),
    pytest.param("TaskRun/shop/a", TASK_RUN % "name: a", id="the workspaces of a TaskRun"),
    pytest.param(
        "Job/shop/a",
        "- {apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: a, namespace: shop}, "
        f"spec: {{tasks: [{{name: w, {POD}}}]}}}}",
        id="the tasks of a Job of Volcano",
    ),
    pytest.param(
        "Broker/shop/a",
        "- {apiVersion: eventing.knative.dev/v1, kind: Broker, metadata: {name: a, namespace: shop}, "
        "spec: {config: {apiVersion: v1, kind: ConfigMap, name: config}}}",
        id="the configuration of a Broker",
    ),
    pytest.param(
        "KubeadmControlPlaneTemplate/shop/a",
        "- {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlaneTemplate, "
        "metadata: {name: a, namespace: shop}, spec: {template: {spec: {kubeadmConfigSpec: {files: "
        "[{path: /a, contentFrom: {secret: {name: key, key: a}}}]}}}}}",
        id="a file of a KubeadmControlPlaneTemplate",
    ),
    pytest.param(
        "Cryostat/shop/a",
        "- {apiVersion: operator.cryostat.io/v1beta2, kind: Cryostat, metadata: {name: a, namespace: shop}, "
        "spec: {databaseOptions: {secretName: key}}}",
        id="the database of a Cryostat",
    ),
    pytest.param(
        "CassandraDatacenter/shop/a",
        "- {apiVersion: cassandra.datastax.com/v1beta1, kind: CassandraDatacenter, "
        "metadata: {name: a, namespace: shop}, spec: {superuserSecretName: key}}",
        id="the superuser of a CassandraDatacenter",
    ),
    pytest.param(
        "K8ssandraCluster/shop/a",
        "- {apiVersion: k8ssandra.io/v1alpha1, kind: K8ssandraCluster, metadata: {name: a, namespace: shop}, "
        "spec: {cassandra: {superuserSecretRef: {name: key}}}}",
        id="that of a K8ssandraCluster",
    ),
    pytest.param(
        "NetworkFence/a",
        "- {apiVersion: csiaddons.openshift.io/v1alpha1, kind: NetworkFence, metadata: {name: a}, "
        "spec: {secret: {name: key, namespace: shop}}}",
        id="the credentials of a NetworkFence",
    ),
    *(
        pytest.param(
            f"{kind}/a",
            f"- {{apiVersion: {group}/v1alpha1, kind: {kind}, metadata: {{name: a}}, spec: {{parameters: "
            f"{{{group}/{use}-secret-name: key, {group}/{use}-secret-namespace: shop}}}}}}",
            id=f"the parameters of a {kind}",
        )
        for group, kind, use in PARAMETERS
    ),
    *(
        pytest.param(
            f"{kind}/shop/a",
            f"- {{apiVersion: k8s.mariadb.com/v1alpha1, kind: {kind}, "
            f"metadata: {{name: a, namespace: shop}}, spec: {{{spec}}}}}",
            id=text,
        )
        for kind, spec, text in MARIADB
    ),
    pytest.param(
        "PersistentVolume/a",
        "- {apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, "
        "spec: {cephfs: {monitors: [a], secretRef: {name: key, namespace: shop}}}}",
        id="a source of a PersistentVolume",
    ),
    pytest.param(
        "App/shop/a",
        defined(use=[{"rule": "self == oldSelf"}]),
        id="a rule of the package's own kind",
    ),
    pytest.param(
        "App/shop/a", defined([{"rule": "self == oldSelf"}]), id="a rule of a field around it"
    ),
    pytest.param(
        "App/shop/a", defined([{"rule": "oldSelf == self"}]), id="a rule the other way round"
    ),
    pytest.param(
        "App/shop/a",
        defined([{"rule": "self.use == oldSelf.use"}]),
        id="a rule that names the field",
    ),
]
FREE = [
    pytest.param(defined([{"rule": "self.other == oldSelf.other"}]), id="a rule of another field"),
    pytest.param(
        defined(use=[{"rule": "self == oldSelf"}], version="v2"), id="a rule of another version"
    ),
    pytest.param(
        DATA_VOLUME % ", annotations: {argocd.argoproj.io/sync-options: 'Force=true,Replace=true'}",
        id="Argo CD replaces the object",
    ),
    pytest.param(
        "- {apiVersion: k8s.mariadb.com/v1alpha1, kind: User, metadata: {name: a, namespace: shop}, "
        "spec: {passwordSecretKeyRef: {name: key}}}",
        id="the password of a User of MariaDB",
    ),
    pytest.param(
        "- {apiVersion: cassandra.datastax.com/v1beta1, kind: CassandraDatacenter, "
        "metadata: {name: a, namespace: shop}, spec: {configSecret: key}}",
        id="another Secret of a CassandraDatacenter",
    ),
    pytest.param(TASK_RUN % "generateName: a-", id="its name is generated"),
    pytest.param(
        f"- {{apiVersion: batch/v1, kind: Job, metadata: {{name: a, namespace: shop}}, spec: {{{POD}}}}}",
        id="a Job of Kubernetes, which is warned about",
    ),
    pytest.param(
        "- {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, "
        "metadata: {name: a, namespace: shop}, spec: {template: {spec: {files: "
        "[{path: /a, contentFrom: {secret: {name: key, key: a}}}]}}}}",
        id="a template that can change",
    ),
]
NOBODY = "which nobody can change"


@pytest.mark.parametrize(("who", "referrer"), KEPT)
def test_what_a_fixed_field_names_is_left_alone(who: str, referrer: str) -> None:
    outcome = run((HEAD % "" + referrer).encode())
    assert f"left unchanged: {who} names it in " in outcome.stderr
    assert NOBODY in outcome.stderr


@pytest.mark.parametrize(("who", "referrer"), KEPT)
def test_a_warning_says_it_of_what_somebody_has_chosen(who: str, referrer: str) -> None:
    outcome = run((HEAD % ", select: [{name: '*'}]" + referrer).encode())
    refused = f"another name in a {who.partition('/')[0]}: exclude that object"
    assert f"warning: {who} " in outcome.stderr
    assert refused in outcome.stderr


@pytest.mark.parametrize("referrer", FREE)
def test_what_any_other_field_names_is_renamed(referrer: str) -> None:
    outcome = run((HEAD % "" + referrer).encode())
    assert NOBODY not in outcome.stderr
    assert "another name in a" not in outcome.stderr
    assert outcome.stdout.count(b"base-name") == 2


@pytest.mark.parametrize(
    "referrer", [JOB_SET % "", TASK_RUN % "name: a"], ids=["JobSet", "TaskRun"]
)
def test_what_runs_to_an_end_gets_another_name_where_jobs_do(referrer: str) -> None:
    left = run((HEAD % "" + referrer).encode())
    assert f"{NOBODY} without spec.jobs: rename" in left.stderr
    text = HEAD % ", jobs: rename" + referrer
    linker = "linker: {image: 'registry.example/krm-fn:0.2.0', namespace: shop}"
    outcome = run(text.replace("linker: {enabled: false}", linker).encode())
    assert outcome.stderr == ""
    assert b"revisions.krm-fn.io/base-name: a}" in outcome.stdout
    assert run(outcome.stdout).stdout == outcome.stdout


RENDERED_ANEW = [
    pytest.param("Job", "batch/v1", POD, id="a Job"),
    pytest.param(
        "TaskRun", "tekton.dev/v1", "workspaces: [{configMap: {name: config}}]", id="a TaskRun"
    ),
]


def configuration_of(envelope: Envelope) -> ChosenConfiguration | None:
    passed = [*map(Configuration.passed, filter(None, [envelope.function_config]))]
    return find_only_configuration(envelope.items, passed, ENVIRONMENT)


@pytest.mark.parametrize(("kind", "api_version", "spec"), RENDERED_ANEW)
@pytest.mark.parametrize("is_new", [True, False], ids=["another name", "one name"])
def test_what_a_chart_names_anew_on_each_rendering_never_changes(
    kind: str, api_version: str, spec: str, is_new: bool
) -> None:
    one = f"- {{apiVersion: {api_version}, kind: {kind}, metadata: {{name: a, namespace: shop}}, spec: {{{spec}}}}}"
    envelope = open_envelope(read_yaml((HEAD % "" + one).encode()))
    generated = {item: is_new for item in envelope.items if item.id.kind == kind}
    found = decide(envelope.items, configuration_of(envelope), ENVIRONMENT, generated)
    said = " ".join(problem.message for problem in check_run(found).problems)
    is_said = NOBODY in said or "is immutable once it is created" in said
    assert is_said is not is_new


RULES = [{"rule": "self == oldSelf"}]
DEFINITIONS = [
    pytest.param(defined(use=RULES), 1, id="with such a rule, and named"),
    pytest.param(defined(use=RULES).replace(OWN, ""), 0, id="with such a rule, and not named"),
    pytest.param(defined(use=[{"rule": "self.a == 1"}]), 0, id="without such a rule"),
]


@pytest.mark.parametrize(("definition", "times"), DEFINITIONS)
def test_a_definition_is_read_only_for_what_may_be_renamed(
    definition: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    get_attribute = SchemaNode.__getattr__

    def record(node: SchemaNode, name: str) -> object:
        read.append(name)
        return get_attribute(node, name)

    monkeypatch.setattr(SchemaNode, "__getattr__", record)
    envelope = open_envelope(read_yaml((HEAD % "" + definition).encode()))
    check_run(decide(envelope.items, configuration_of(envelope), ENVIRONMENT))
    assert read == ["value"] * times
