"""Which fields name a ConfigMap or Secret, in which kinds, and which only look as if they did."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.base.item import read_item
from krm_fn.base.node import Node, get
from krm_fn.base.reference import Reference
from krm_fn.base.settings import FieldSpec
from krm_fn.core.references.find import find_references
from krm_fn.core.yaml.reader import read_yaml

NAME_REFERENCES = json.loads(
    (Path(__file__).parent.parent / "data" / "kustomize_namereference.json").read_text()
)
KUSTOMIZE = [
    pytest.param(target["kind"], spec, id=f"{target['kind']} in {spec['kind']} {spec['path']}")
    for target in NAME_REFERENCES["nameReference"]
    if target["kind"] in ("ConfigMap", "Secret")
    for spec in target["fieldSpecs"]
]
LISTS = {
    "volumes",
    "containers",
    "initContainers",
    "env",
    "envFrom",
    "sources",
    "imagePullSecrets",
    "tls",
    "rules",
}


def node_of(text: str) -> Node:
    return read_yaml(text.encode()).roots[0]


def find(text: str, *extra: FieldSpec) -> list[Reference]:
    item = read_item(node_of(text))  # type: ignore[arg-type]  # these texts are mappings
    return find_references(item.node, item.id, extra).references


def seen(text: str) -> list[str]:
    """Return what is found, in words."""
    return [say(reference) for reference in find(text)]


def say(reference: Reference) -> str:
    remarks = [
        f"in {reference.target_namespace}" if reference.target_namespace else "",
        "read by pods" if reference.in_pod else "",
        "written" if reference.is_output else "",
    ]
    return ", ".join(
        filter(None, [f"{reference.kind} {reference.target} at {reference.field}", *remarks])
    )


def kind_of(api_version: str, kind: str, rest: str) -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\n{rest}"


LEFT_ALONE = [
    pytest.param(
        "v1",
        "ConfigMap",
        "data: {secretName: a}\nx: {secretRef: {name: a}}",
        id="nothing in a ConfigMap",
    ),
    pytest.param("v1", "Secret", "stringData: {secretName: a}", id="nothing in a Secret"),
    pytest.param(
        "", "Pod", "spec: {volumes: [{configMap: {name: a}}]}", id="an item without apiVersion"
    ),
    pytest.param("v1", "", "spec: {volumes: [{configMap: {name: a}}]}", id="an item without kind"),
    pytest.param(
        "example.com/v1",
        "Prometheus",
        "spec: {secrets: [a]}",
        id="a kind of the table, of another group",
    ),
    pytest.param("kpt.dev/v1", "Kptfile", "x: {configMap: {name: a}}", id="kpt's own files"),
    pytest.param(
        "kustomize.config.k8s.io/v1beta1",
        "Kustomization",
        "configMap: {name: a}",
        id="kustomize's own files",
    ),
    pytest.param(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "spec: {x: {secretRef: {name: a}}}",
        id="a CRD",
    ),
    pytest.param(
        "apiextensions.crossplane.io/v1",
        "CompositeResourceDefinition",
        "spec: {schema: {openAPIV3Schema: {default: {secretRef: {name: a}}}}}",
        id="schemas",
    ),
    pytest.param("e.x/v1", "Any", "status: {secretRef: {name: a}}", id="status"),
    pytest.param("e.x/v1", "Any", "metadata: {secretRef: {name: a}, secretName: a}", id="metadata"),
    pytest.param(
        "apps/v1",
        "Deployment",
        "metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a}]}\n"
        "spec: {template: {metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a}]}}}",
        id="owners",
    ),
    pytest.param(
        "apps/v1",
        "Deployment",
        "spec: {selector: {matchLabels: {secretName: a}}, template: {metadata: {labels: {secretName: a}}}}",
        id="labels",
    ),
    pytest.param(
        "v1",
        "Service",
        "spec: {selector: {secretName: a, configMapName: a}}",
        id="a Service's selector",
    ),
    pytest.param(
        "e.x/v1", "Any", "spec: {configMap: a, secret: true, secretRef: a}", id="text and booleans"
    ),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {clientSecret: a, secretKey: a, existingSecret: a}",
        id="secrets, said openly",
    ),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {secrets: [a], configMaps: [a]}",
        id="lists of text, of a kind not known",
    ),
    pytest.param("e.x/v1", "Any", "spec: {secretRef: {name: null}, secretName: ~}", id="null"),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {secretRef: {name: [a]}, secretName: {a: b}}",
        id="names that are no text",
    ),
    pytest.param("e.x/v1", "Any", 'spec: {secretRef: {name: ""}, secretName: ""}', id="empty text"),
    pytest.param("e.x/v1", "Any", "spec: {? [secretRef] : {name: a}}", id="keys that are no text"),
    pytest.param("e.x/v1", "Any", "spec: {target: {kind: Deployment, name: a}}", id="other kinds"),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {ref: {kind: Secret, group: other.io, name: a}}",
        id="Secrets of another group",
    ),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {secretRef: {kind: VaultSecret, name: a}}",
        id="a secretRef to another kind",
    ),
    pytest.param(
        "e.x/v1", "Any", "spec: {selector: {name: a, key: b}}", id="name and key of labels"
    ),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {env: [{name: a, key: b, value: c}]}",
        id="name and key beside other fields",
    ),
    pytest.param(
        "external-secrets.io/v1",
        "SecretStore",
        "spec: {secretStoreRef: {name: a, kind: SecretStore}}",
        id="stores",
    ),
    pytest.param(
        "v1",
        "Pod",
        "spec: {volumes: [{name: a, emptyDir: {}}], containers: [{name: a}]}",
        id="other names",
    ),
    pytest.param(
        "v1",
        "Pod",
        "spec: {containers: [{env: [{name: A, value: a}], args: [a]}]}",
        id="plain words",
    ),
    pytest.param(
        "rbac.authorization.k8s.io/v1",
        "Role",
        'rules: [{apiGroups: [""], resources: [services, pods], resourceNames: [a]},'
        ' {apiGroups: [apps], resources: [configmaps, "*"], resourceNames: [a]},'
        " {apiGroups: [null], resources: [configmaps], resourceNames: [a]}, {resourceNames: [a]}, null, []]",
        id="rules about other resources",
    ),
    pytest.param(
        "keda.sh/v1alpha1",
        "TriggerAuthentication",
        "spec: {awsSecretManager: {secrets: [{name: a}]}, azureKeyVault: {secrets: [{name: a}]}}",
        id="secrets in a cloud's store",
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "AnalysisTemplate",
        "spec: {metrics: [{provider: {datadog: {secretRef: {name: a}}}}]}",
        id="a Datadog secret of the controller's namespace",
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "Application",
        "spec: {source: {helm: {valuesObject: {secretName: a}}}, ignoreDifferences: [{kind: Secret, name: a}]}",
        id="an Application, which deploys elsewhere",
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "ApplicationSet",
        "spec: {template: {spec: {ref: {kind: Secret, name: a}}},"
        " generators: [{list: {template: {spec: {ref: {kind: Secret, name: a}}}}}]}",
        id="Applications in an ApplicationSet",
    ),
    pytest.param(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        "spec: {patches: [{target: {kind: ConfigMap, name: a}}]}",
        id="targets of Flux' patches",
    ),
    pytest.param(
        "work.open-cluster-management.io/v1",
        "ManifestWork",
        "spec: {workload: {manifests: [{spec: {volumes: [{configMap: {name: a}}]}}]}}",
        id="objects for another cluster",
    ),
    pytest.param(
        "external-secrets.io/v1",
        "ClusterPushSecret",
        "spec: {pushSecretName: a}",
        id="the name of a PushSecret",
    ),
    pytest.param(
        "secrets.infisical.com/v1alpha1",
        "InfisicalDynamicSecret",
        "spec: {dynamicSecret: {secretName: a}}",
        id="the name of a secret in Infisical",
    ),
    pytest.param(
        "mongodbcommunity.mongodb.com/v1",
        "MongoDBCommunity",
        "spec: {users: [{name: u, scramCredentialsSecretName: a}]}",
        id="the start of a name, which an operator adds to",
    ),
    pytest.param(
        "kafka.strimzi.io/v1",
        "KafkaUser",
        "metadata: {name: a}\nspec: {authorization: {type: simple}}",
        id="a Kafka user without credentials",
    ),
    pytest.param(
        "core.oam.dev/v1beta1",
        "Application",
        "spec: {components: [{properties: {volumeMounts: {configMap: [{name: a, cmName: ''}]}}}]}",
        id="the name of a volume in KubeVela",
    ),
    pytest.param(
        "networking.k8s.io/v1",
        "Ingress",
        "metadata: {annotations: {auth-secret: a}}",
        id="other annotations",
    ),
    pytest.param(
        "v1",
        "Pod",
        "metadata: {annotations: {nginx.ingress.kubernetes.io/auth-secret: a}}",
        id="an Ingress' annotation on another kind",
    ),
    pytest.param(
        "networking.k8s.io/v1",
        "Ingress",
        'metadata: {annotations: {alb.ingress.kubernetes.io/auth-idp-oidc: \'{"issuer": "secretName"}\','
        " nginx.ingress.kubernetes.io/auth-secret: null}}",
        id="annotations that hold no name",
    ),
]

FOLLOWED = [
    # the rest of the core
    pytest.param(
        "v1",
        "ReplicationController",
        "spec: {template: {spec: {volumes: [{configMap: {name: a}}]}}}",
        ["ConfigMap a at spec.template.spec.volumes[0].configMap.name, read by pods"],
        id="a ReplicationController's template",
    ),
    pytest.param(
        "v1",
        "Pod",
        "spec: {ephemeralContainers: [{env: [{valueFrom: {configMapKeyRef: {name: a, key: k}}}],"
        " envFrom: [{secretRef: {name: b}}]}]}",
        [
            "ConfigMap a at spec.ephemeralContainers[0].env[0].valueFrom.configMapKeyRef.name, read by pods",
            "Secret b at spec.ephemeralContainers[0].envFrom[0].secretRef.name, read by pods",
        ],
        id="ephemeral containers",
    ),
    pytest.param(
        "v1",
        "Pod",
        "spec: {volumes: [{csi: {nodePublishSecretRef: {name: a}}}, {azureFile: {secretName: b}},"
        " {cephfs: {secretRef: {name: c}}}, {rbd: {secretRef: {name: d}}}, {flexVolume: {secretRef: {name: e}}},"
        " {scaleIO: {secretRef: {name: f}}}, {storageos: {secretRef: {name: g}}}, {cinder: {secretRef: {name: h}}},"
        " {iscsi: {secretRef: {name: i}}}, {csi: {volumeAttributes: {secretName: j, secretNamespace: ns}}}]}",
        [
            "Secret a at spec.volumes[0].csi.nodePublishSecretRef.name, read by pods",
            "Secret b at spec.volumes[1].azureFile.secretName, read by pods",
            "Secret c at spec.volumes[2].cephfs.secretRef.name, read by pods",
            "Secret d at spec.volumes[3].rbd.secretRef.name, read by pods",
            "Secret e at spec.volumes[4].flexVolume.secretRef.name, read by pods",
            "Secret f at spec.volumes[5].scaleIO.secretRef.name, read by pods",
            "Secret g at spec.volumes[6].storageos.secretRef.name, read by pods",
            "Secret h at spec.volumes[7].cinder.secretRef.name, read by pods",
            "Secret i at spec.volumes[8].iscsi.secretRef.name, read by pods",
            "Secret j at spec.volumes[9].csi.volumeAttributes.secretName, in ns, read by pods",
        ],
        id="every kind of volume",
    ),
    pytest.param(
        "policy.karmada.io/v1alpha1",
        "PropagationPolicy",
        "spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web},"
        " {apiVersion: v1, kind: ConfigMap, name: a}]}",
        ["ConfigMap a at spec.resourceSelectors[1].name"],
        id="what Karmada propagates",
    ),
    pytest.param(
        "policy.karmada.io/v1alpha1",
        "ClusterOverridePolicy",
        "spec: {resourceSelectors: [{apiVersion: v1, kind: Secret, namespace: shop, name: a}]}",
        ["Secret a at spec.resourceSelectors[0].name, in shop"],
        id="what Karmada changes for a cluster",
    ),
    pytest.param(
        "v1",
        "PersistentVolume",
        "spec: {cephfs: {secretRef: {name: a, namespace: ns}}, azureFile: {secretName: b, secretNamespace: ns},"
        " csi: {controllerPublishSecretRef: {name: c, namespace: ns}, nodeStageSecretRef: {name: d, namespace: ns},"
        " nodePublishSecretRef: {name: e, namespace: ns}, controllerExpandSecretRef: {name: f, namespace: ns},"
        " nodeExpandSecretRef: {name: g, namespace: ns}}}",
        [
            "Secret a at spec.cephfs.secretRef.name, in ns",
            "Secret b at spec.azureFile.secretName, in ns",
            "Secret c at spec.csi.controllerPublishSecretRef.name, in ns",
            "Secret d at spec.csi.nodeStageSecretRef.name, in ns",
            "Secret e at spec.csi.nodePublishSecretRef.name, in ns",
            "Secret f at spec.csi.controllerExpandSecretRef.name, in ns",
            "Secret g at spec.csi.nodeExpandSecretRef.name, in ns",
        ],
        id="a PersistentVolume, with namespaces",
    ),
    pytest.param(
        "v1",
        "ServiceAccount",
        "secrets: [{name: a}]\nimagePullSecrets: [{name: b}]",
        ["Secret a at secrets[0].name", "Secret b at imagePullSecrets[0].name"],
        id="a ServiceAccount's own, which no template holds",
    ),
    pytest.param(
        "v1",
        "Node",
        "spec: {configSource: {configMap: {name: a, namespace: ns, kubeletConfigKey: k}}}",
        ["ConfigMap a at spec.configSource.configMap.name, in ns"],
        id="a Node's configSource",
    ),
    pytest.param(
        "storage.k8s.io/v1",
        "StorageClass",
        "parameters: {csi.storage.k8s.io/node-stage-secret-name: a, csi.storage.k8s.io/node-stage-secret-namespace: ns,"
        " userSecretName: b, userSecretNamespace: other, secretRef: c}",
        [
            "Secret a at parameters[csi.storage.k8s.io/node-stage-secret-name], in ns",
            "Secret b at parameters.userSecretName, in other",
            "Secret c at parameters.secretRef",
        ],
        id="a StorageClass' parameters",
    ),
    pytest.param(
        "snapshot.storage.k8s.io/v1",
        "VolumeSnapshotClass",
        "parameters: {csi.storage.k8s.io/snapshotter-secret-name: a}",
        ["Secret a at parameters[csi.storage.k8s.io/snapshotter-secret-name]"],
        id="a VolumeSnapshotClass' parameters",
    ),
    pytest.param(
        "networking.k8s.io/v1",
        "Ingress",
        "metadata: {annotations: {nginx.ingress.kubernetes.io/auth-tls-secret: shop/a,"
        " nginx.ingress.kubernetes.io/proxy-ssl-secret: b, nginx.ingress.kubernetes.io/custom-headers: shop/c,"
        " haproxy.org/server-ca: d, haproxy-ingress.github.io/auth-secret: 'secret://shop/e',"
        " haproxy-ingress.github.io/secure-crt-secret: 'secret://f',"
        ' alb.ingress.kubernetes.io/auth-idp-oidc: \'{"issuer": "x", "secretName": "g", "y": "z"}\'}}',
        [
            "Secret a at metadata.annotations[nginx.ingress.kubernetes.io/auth-tls-secret], in shop",
            "Secret b at metadata.annotations[nginx.ingress.kubernetes.io/proxy-ssl-secret]",
            "ConfigMap c at metadata.annotations[nginx.ingress.kubernetes.io/custom-headers], in shop",
            "Secret d at metadata.annotations[haproxy.org/server-ca]",
            "Secret e at metadata.annotations[haproxy-ingress.github.io/auth-secret], in shop",
            "Secret f at metadata.annotations[haproxy-ingress.github.io/secure-crt-secret]",
            "Secret g at metadata.annotations[alb.ingress.kubernetes.io/auth-idp-oidc]",
        ],
        id="an Ingress' annotations, with namespaces and in JSON",
    ),
    pytest.param(
        "rbac.authorization.k8s.io/v1",
        "Role",
        'rules: [{apiGroups: [""], resources: [pods, configmaps], resourceNames: [a, null, [x]]},'
        ' {apiGroups: ["*"], resources: ["*"], resourceNames: [b]}]',
        [
            "ConfigMap a at rules[0].resourceNames[0]",
            "ConfigMap b at rules[1].resourceNames[0]",
            "Secret b at rules[1].resourceNames[0]",
        ],
        id="rules about ConfigMaps and Secrets",
    ),
    pytest.param(
        "v1",
        "Pod",
        "spec: {x: &x {name: a}, volumes: [{configMap: *x}, {configMap: {<<: *x, optional: true}}]}",
        [
            "ConfigMap a at spec.volumes[0].configMap.name, read by pods",
            "ConfigMap a at spec.volumes[1].configMap.name, read by pods",
        ],
        id="through aliases and merges",
    ),
    pytest.param(
        "v1",
        "Pod",
        "metadata: {annotations: {vault.hashicorp.com/agent-configmap: a, vault.hashicorp.com/agent-extra-secret: b}}",
        [
            "ConfigMap a at metadata.annotations[vault.hashicorp.com/agent-configmap], read by pods",
            "Secret b at metadata.annotations[vault.hashicorp.com/agent-extra-secret], read by pods",
        ],
        id="a bare Pod's own annotations",
    ),
    pytest.param(
        "v1",
        "Service",
        "metadata: {annotations: {cnpg.io/pluginClientSecret: a, cnpg.io/pluginServerSecret: b}}",
        [
            "Secret a at metadata.annotations[cnpg.io/pluginClientSecret]",
            "Secret b at metadata.annotations[cnpg.io/pluginServerSecret]",
        ],
        id="a plugin of CloudNativePG",
    ),
    # habits of custom resources
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {tlsSecretRef: {name: a, namespace: ns}, kubeConfigSecret: {name: b}, trust: {fromConfigMap: {name: c}},"
        " caConfigMapRef: {name: d}, adminSecretName: e, x: {configMapName: f}, secrets: [{name: g}],"
        " extraConfigMaps: [{name: h}], nested: [[{secretRef: {name: i}}]],"
        " secretRefs: [{name: j}], secretNames: [k, {x: y}, null]}",
        [
            "Secret a at spec.tlsSecretRef.name, in ns",
            "Secret b at spec.kubeConfigSecret.name",
            "ConfigMap c at spec.trust.fromConfigMap.name",
            "ConfigMap d at spec.caConfigMapRef.name",
            "Secret e at spec.adminSecretName",
            "ConfigMap f at spec.x.configMapName",
            "Secret g at spec.secrets[0].name",
            "ConfigMap h at spec.extraConfigMaps[0].name",
            "Secret i at spec.nested[0][0].secretRef.name",
            "Secret j at spec.secretRefs[0].name",
            "Secret k at spec.secretNames[0]",
        ],
        id="what fields are usually called",
    ),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {a: {kind: ConfigMap, name: a}, b: [{kind: Secret, name: b, namespace: ns}],"
        ' c: {apiVersion: v1, kind: Secret, name: c}, d: {group: "", kind: ConfigMap, name: d},'
        " secretRef: {kind: ConfigMap, name: e}, secretRefs: [{kind: secret, name: f}]}",
        [
            "ConfigMap a at spec.a.name",
            "Secret b at spec.b[0].name, in ns",
            "Secret c at spec.c.name",
            "ConfigMap d at spec.d.name",
            "ConfigMap e at spec.secretRef.name",
            "Secret f at spec.secretRefs[0].name",
        ],
        id="a kind beside the name",
    ),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {selector: {secret: {name: a}}, data: [{secretName: b}], tls: {secret: {name: x, secretName: ns/c}}}",
        [
            "Secret a at spec.selector.secret.name",
            "Secret b at spec.data[0].secretName",
            "Secret c at spec.tls.secret.secretName, in ns",
        ],
        id="structure where keys are free, and two names where one is meant",
    ),
    pytest.param(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        "spec: {valuesFrom: [{kind: ConfigMap, name: a}],"
        " values: {configMap: x, extraEnvFrom: [{secretRef: {name: b}}], ingress: {tls: [{secretName: c}]}}}",
        [
            "ConfigMap a at spec.valuesFrom[0].name",
            "Secret b at spec.values.extraEnvFrom[0].secretRef.name",
            "Secret c at spec.values.ingress.tls[0].secretName",
        ],
        id="Helm values that are references beyond doubt",
    ),
    pytest.param(
        "external-secrets.io/v1",
        "SecretStore",
        "spec: {provider: {vault: {caProvider: {type: ConfigMap, name: a, key: k, namespace: ns}}}}",
        ["ConfigMap a at spec.provider.vault.caProvider.name, in ns"],
        id="External Secrets' caProvider",
    ),
    pytest.param(
        "monitoring.coreos.com/v1",
        "Prometheus",
        "spec: {secrets: [a], configMaps: [b], additionalScrapeConfigs: {name: c, key: k},"
        " remoteWrite: [{basicAuth: {username: {name: d, key: k}}, tlsConfig: {ca: {configMap: {name: e, key: k}}}}]}",
        [
            "Secret c at spec.additionalScrapeConfigs.name",
            "Secret d at spec.remoteWrite[0].basicAuth.username.name",
            "ConfigMap e at spec.remoteWrite[0].tlsConfig.ca.configMap.name",
            "Secret a at spec.secrets[0], read by pods",
            "ConfigMap b at spec.configMaps[0], read by pods",
        ],
        id="Prometheus",
    ),
    pytest.param(
        "monitoring.coreos.com/v1",
        "Alertmanager",
        "spec: {configSecret: a}",
        ["Secret a at spec.configSecret"],
        id="Alertmanager",
    ),
    pytest.param(
        "operator.victoriametrics.com/v1beta1",
        "VMAgent",
        "spec: {secrets: [a], configMaps: [b], relabelConfig: {name: c, key: k},"
        " remoteWrite: [{basicAuth: {password: {name: d, key: k}}, urlRelabelConfig: {name: e, key: k}}]}",
        [
            "ConfigMap c at spec.relabelConfig.name",
            "Secret d at spec.remoteWrite[0].basicAuth.password.name",
            "ConfigMap e at spec.remoteWrite[0].urlRelabelConfig.name",
            "Secret a at spec.secrets[0], read by pods",
            "ConfigMap b at spec.configMaps[0], read by pods",
        ],
        id="VMAgent",
    ),
    pytest.param(
        "acid.zalan.do/v1",
        "OperatorConfiguration",
        "configuration: {kubernetes: {pod_environment_configmap: shop/a, pod_environment_secret: b,"
        " infrastructure_roles_secret_name: shop/c, infrastructure_roles_secrets: [{secretname: shop/d}]}}",
        [
            "Secret d at configuration.kubernetes.infrastructure_roles_secrets[0].secretname, in shop",
            "ConfigMap a at configuration.kubernetes.pod_environment_configmap, in shop",
            "Secret b at configuration.kubernetes.pod_environment_secret",
            "Secret c at configuration.kubernetes.infrastructure_roles_secret_name, in shop",
        ],
        id="Zalando's Postgres operator, with namespaces",
    ),
    pytest.param(
        "core.oam.dev/v1beta1",
        "Application",
        "spec: {components: [{properties: {volumeMounts: {configMap: [{name: v, cmName: a}],"
        " secret: [{name: v, secretName: b}]}}, traits: [{properties: {volumes: [{type: configMap, cmName: c}]}}]}]}",
        [
            "ConfigMap a at spec.components[0].properties.volumeMounts.configMap[0].cmName, read by pods",
            "Secret b at spec.components[0].properties.volumeMounts.secret[0].secretName, read by pods",
            "ConfigMap c at spec.components[0].traits[0].properties.volumes[0].cmName, read by pods",
        ],
        id="KubeVela, whose volumes have names of their own",
    ),
    pytest.param(
        "sparkoperator.k8s.io/v1beta2",
        "ScheduledSparkApplication",
        "spec: {template: {sparkConfigMap: a, hadoopConfigMap: b, imagePullSecrets: [c],"
        " driver: {configMaps: [{name: d, path: /}], secrets: [{name: e, path: /, secretType: Generic}]}}}",
        [
            "ConfigMap d at spec.template.driver.configMaps[0].name, read by pods",
            "Secret e at spec.template.driver.secrets[0].name, read by pods",
            "ConfigMap a at spec.template.sparkConfigMap, read by pods",
            "ConfigMap b at spec.template.hadoopConfigMap, read by pods",
            "Secret c at spec.template.imagePullSecrets[0], read by pods",
        ],
        id="Spark",
    ),
    pytest.param(
        "kafka.strimzi.io/v1beta2",
        "KafkaConnect",
        "spec: {build: {output: {pushSecret: a}}, template: {buildConfig: {pullSecret: b}},"
        " tls: {trustedCertificates: [{secretName: c}]}, logging: {valueFrom: {configMapKeyRef: {name: d}}}}",
        [
            "Secret c at spec.tls.trustedCertificates[0].secretName",
            "ConfigMap d at spec.logging.valueFrom.configMapKeyRef.name",
            "Secret a at spec.build.output.pushSecret",
            "Secret b at spec.template.buildConfig.pullSecret",
        ],
        id="Strimzi",
    ),
    pytest.param(
        "tekton.dev/v1",
        "PipelineRun",
        "spec: {workspaces: [{configMap: {name: a}}, {secret: {secretName: b}},"
        " {projected: {sources: [{secret: {name: c}}]}}], taskRunTemplate: {podTemplate: {env: [{valueFrom:"
        " {secretKeyRef: {name: d}}}]}}}",
        [
            "ConfigMap a at spec.workspaces[0].configMap.name, read by pods",
            "Secret b at spec.workspaces[1].secret.secretName, read by pods",
            "Secret c at spec.workspaces[2].projected.sources[0].secret.name, read by pods",
            "Secret d at spec.taskRunTemplate.podTemplate.env[0].valueFrom.secretKeyRef.name, read by pods",
        ],
        id="Tekton",
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "WorkflowTemplate",
        "spec: {artifactRepositoryRef: {configMap: a},"
        " arguments: {parameters: [{valueFrom: {configMapKeyRef: {name: b}}}]},"
        " templates: [{script: {envFrom: [{configMapRef: {name: c}}]},"
        " inputs: {artifacts: [{s3: {caSecret: {name: d}}}]}}]}",
        [
            "ConfigMap b at spec.arguments.parameters[0].valueFrom.configMapKeyRef.name",
            "ConfigMap c at spec.templates[0].script.envFrom[0].configMapRef.name, read by pods",
            "Secret d at spec.templates[0].inputs.artifacts[0].s3.caSecret.name",
            "ConfigMap a at spec.artifactRepositoryRef.configMap",
        ],
        id="Argo Workflows",
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "AnalysisTemplate",
        "spec: {metrics: [{provider: {datadog: {secretRef: {name: a, namespaced: true}}}}],"
        " args: [{valueFrom: {secretKeyRef: {name: b}}}]}",
        [
            "Secret a at spec.metrics[0].provider.datadog.secretRef.name",
            "Secret b at spec.args[0].valueFrom.secretKeyRef.name",
        ],
        id="Argo Rollouts' analyses",
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "ApplicationSet",
        "spec: {generators: [{plugin: {configMapRef: {name: a}}}, {clusterDecisionResource: {configMapRef: b}},"
        " {matrix: {generators: [{clusterDecisionResource: {configMapRef: c}},"
        " {scmProvider: {github: {appSecretName: d, tokenRef: {secretName: e}}}}]}}]}",
        [
            "ConfigMap a at spec.generators[0].plugin.configMapRef.name",
            "Secret d at spec.generators[2].matrix.generators[1].scmProvider.github.appSecretName",
            "Secret e at spec.generators[2].matrix.generators[1].scmProvider.github.tokenRef.secretName",
            "ConfigMap b at spec.generators[1].clusterDecisionResource.configMapRef",
            "ConfigMap c at spec.generators[2].matrix.generators[0].clusterDecisionResource.configMapRef",
        ],
        id="Argo CD's ApplicationSet",
    ),
    pytest.param(
        "gateway.networking.k8s.io/v1",
        "Gateway",
        "spec: {listeners: [{tls: {certificateRefs: [{name: a}, {kind: Secret, name: b, namespace: ns},"
        " {kind: Vault, group: x.io, name: c}]}}], tls: {backend: {clientCertificateRef: {name: d}},"
        " frontend: {default: {validation: "
        "{caCertificateRefs: [{kind: ConfigMap, name: e}, {kind: Secret, name: f}]}}}}}",
        [
            "Secret a at spec.listeners[0].tls.certificateRefs[0].name",
            "Secret b at spec.listeners[0].tls.certificateRefs[1].name, in ns",
            "Secret d at spec.tls.backend.clientCertificateRef.name",
            "ConfigMap e at spec.tls.frontend.default.validation.caCertificateRefs[0].name",
            "Secret f at spec.tls.frontend.default.validation.caCertificateRefs[1].name",
        ],
        id="Gateway API",
    ),
    pytest.param(
        "apps.kruise.io/v1alpha1",
        "CloneSet",
        "spec: {template: {spec: {containers: [{envFrom: [{configMapRef: {name: a}}]}],"
        " imagePullSecrets: [{name: b}]}}}",
        [
            "ConfigMap a at spec.template.spec.containers[0].envFrom[0].configMapRef.name, read by pods",
            "Secret b at spec.template.spec.imagePullSecrets[0].name, read by pods",
        ],
        id="OpenKruise, whose templates have no schema",
    ),
    pytest.param(
        "traefik.io/v1alpha1",
        "ServersTransport",
        "spec: {rootCAsSecrets: [a], rootCAs: [{configMap: b}, {secret: c}]}",
        [
            "Secret a at spec.rootCAsSecrets[0]",
            "Secret c at spec.rootCAs[1].secret",
            "ConfigMap b at spec.rootCAs[0].configMap",
        ],
        id="Traefik",
    ),
    pytest.param(
        "projectcontour.io/v1",
        "HTTPProxy",
        "spec: {virtualhost: {tls: {secretName: shop/a, clientValidation: {caSecret: b}}}}",
        [
            "Secret a at spec.virtualhost.tls.secretName, in shop",
            "Secret b at spec.virtualhost.tls.clientValidation.caSecret",
        ],
        id="Contour, with a namespace in the text",
    ),
]

WRITTEN = [
    pytest.param(
        "cert-manager.io/v1",
        "Certificate",
        "spec: {secretName: a, keystores: {jks: {passwordSecretRef: {name: b}}}}",
        [
            "Secret a at spec.secretName, written",
            "Secret b at spec.keystores.jks.passwordSecretRef.name",
        ],
        id="a certificate",
    ),
    pytest.param(
        "cert-manager.io/v1",
        "ClusterIssuer",
        "spec: {acme: {privateKeySecretRef: {name: a}}, ca: {secretName: b}}",
        [
            "Secret a at spec.acme.privateKeySecretRef.name, written",
            "Secret b at spec.ca.secretName",
        ],
        id="an ACME account",
    ),
    pytest.param(
        "networking.k8s.io/v1",
        "Ingress",
        "metadata: {annotations: {cert-manager.io/cluster-issuer: x}}\nspec: {tls: [{secretName: a}]}",
        ["Secret a at spec.tls[0].secretName, written"],
        id="the certificate of an Ingress that asks for one",
    ),
    pytest.param(
        "gateway.networking.k8s.io/v1",
        "Gateway",
        'metadata: {annotations: {kubernetes.io/tls-acme: "true"}}\n'
        "spec: {listeners: [{tls: {certificateRefs: [{name: a}]}}]}",
        ["Secret a at spec.listeners[0].tls.certificateRefs[0].name"],
        id="the certificate of a Gateway, with an annotation that only counts for an Ingress",
    ),
    pytest.param(
        "argoproj.io/v1alpha1",
        "CronWorkflow",
        "spec: {workflowSpec: {templates: [{memoize: {cache: {configMap: {name: a}}}}]}}",
        ["ConfigMap a at spec.workflowSpec.templates[0].memoize.cache.configMap.name, written"],
        id="memoized results",
    ),
    pytest.param(
        "e.x/v1",
        "XDatabase",
        "spec: {writeConnectionSecretToRef: {name: a, namespace: ns}}",
        ["Secret a at spec.writeConnectionSecretToRef.name, in ns, written"],
        id="connection details, of any kind that Crossplane serves",
    ),
    pytest.param(
        "e.x/v1",
        "XDatabase",
        "spec: {publishConnectionDetailsTo: {name: a}}",
        ["Secret a at spec.publishConnectionDetailsTo.name, written"],
        id="connection details, in what Crossplane called a store",
    ),
    pytest.param(
        "external-secrets.io/v1",
        "ExternalSecret",
        "spec: {target: {name: a, template: {templateFrom: [{configMap: {name: b}}], data: {secretName: c}}}}",
        [
            "ConfigMap b at spec.target.template.templateFrom[0].configMap.name",
            "Secret a at spec.target.name, written",
        ],
        id="copies of an outside store",
    ),
    pytest.param(
        "external-secrets.io/v1",
        "ExternalSecret",
        "metadata: {name: a}\nspec: {target: {creationPolicy: Merge}}",
        ["Secret a at metadata.name, written"],
        id="copies of an outside store, under the name of what asks for them",
    ),
    pytest.param(
        "external-secrets.io/v1",
        "ExternalSecret",
        "metadata: {name: a}\nspec: {target: {manifest: {apiVersion: v1, kind: ConfigMap}}}",
        ["Secret a at metadata.name, written", "ConfigMap a at metadata.name, written"],
        id="copies of an outside store in a ConfigMap",
    ),
    pytest.param(
        "external-secrets.io/v1",
        "ClusterExternalSecret",
        "metadata: {name: a}\nspec: {externalSecretName: b, externalSecretSpec: {target: {name: c}}}",
        ["Secret c at spec.externalSecretSpec.target.name, written"],
        id="copies of an outside store in many namespaces",
    ),
    pytest.param(
        "trust.cert-manager.io/v1alpha1",
        "Bundle",
        "metadata: {name: a}\nspec: {sources: [{configMap: {name: b}}], target: {configMap: {key: k}}}",
        ["ConfigMap b at spec.sources[0].configMap.name", "ConfigMap a at metadata.name, written"],
        id="a bundle of certificates",
    ),
    pytest.param(
        "isindir.github.com/v1alpha3",
        "SopsSecret",
        "spec: {secretTemplates: [{name: a, stringData: {secretName: b}}, {name: c}]}",
        [
            "Secret a at spec.secretTemplates[0].name, written",
            "Secret c at spec.secretTemplates[1].name, written",
        ],
        id="what SOPS decrypts",
    ),
    pytest.param(
        "bitnami.com/v1alpha1",
        "SealedSecret",
        "metadata: {name: a}\nspec: {template: {metadata: {name: c}}, encryptedData: {secretName: b}}",
        ["Secret a at metadata.name, written"],
        id="a sealed secret",
    ),
    pytest.param(
        "v1",
        "Service",
        "metadata: {annotations: {service.beta.openshift.io/serving-cert-secret-name: a}}",
        [
            "Secret a at metadata.annotations[service.beta.openshift.io/serving-cert-secret-name], written"
        ],
        id="OpenShift's serving certificate",
    ),
    pytest.param(
        "objectbucket.io/v1alpha1",
        "ObjectBucketClaim",
        "metadata: {name: a}",
        ["ConfigMap a at metadata.name, written", "Secret a at metadata.name, written"],
        id="the address of a bucket",
    ),
    pytest.param(
        "e.x/v1",
        "Any",
        "spec: {credentials: {name: a, key: b}}",
        [" a at spec.credentials.name"],
        id="name and key, of a kind that the package decides",
    ),
]


@pytest.mark.parametrize(("api_version", "kind", "rest"), LEFT_ALONE)
def test_left_alone(api_version: str, kind: str, rest: str) -> None:
    assert seen(kind_of(api_version, kind, rest)) == []


@pytest.mark.parametrize(("api_version", "kind", "rest", "expected"), FOLLOWED)
def test_followed(api_version: str, kind: str, rest: str, expected: list[str]) -> None:
    assert seen(kind_of(api_version, kind, rest)) == expected


@pytest.mark.parametrize(("api_version", "kind", "rest", "expected"), WRITTEN)
def test_written_by_controllers(
    api_version: str, kind: str, rest: str, expected: list[str]
) -> None:
    assert seen(kind_of(api_version, kind, rest)) == expected


@pytest.mark.parametrize(("target", "spec"), KUSTOMIZE)
def test_finds_what_kustomize_finds(target: str, spec: dict[str, str]) -> None:
    text = json.dumps(object_at(target, spec))
    own = FieldSpec(target=target, path=spec["path"], kind=spec["kind"])
    (found,) = find(text)
    assert (found.kind, found.target, found.is_output) == (target, "a", False)
    assert [say(one) for one in find(text, own)] == [say(found)]


def object_at(target: str, spec: dict[str, str]) -> dict[str, Any]:
    """Return an object that holds nothing but the name `a` at a field spec's path."""
    *steps, last = spec["path"].replace("\\/", "\0").split("/")
    content: dict[str, Any] = {
        last.replace("\0", "/"): {"resourceNames": ["a"], "configMap": {"name": "a"}}.get(last, "a")
    }
    if last == "resourceNames":
        content |= {"apiGroups": [""], "resources": [f"{target.lower()}s"]}
    for step in reversed(steps):
        content = {step: [content] if step in LISTS else content}
    return {"apiVersion": f"{spec.get('group', 'any.group')}/v1", "kind": spec["kind"], **content}


def test_the_data_is_all_there() -> None:
    assert len(KUSTOMIZE) == 122


def test_a_new_name_keeps_what_stands_around_the_old_one() -> None:
    annotation = 'alb.ingress.kubernetes.io/auth-idp-oidc: \'{"secretName":"a","x":1}\''
    text = kind_of(
        "networking.k8s.io/v1",
        "Ingress",
        f"metadata: {{annotations: {{nginx.ingress.kubernetes.io/auth-secret: shop/a, {annotation}}}}}",
    )
    assert [reference.renamed("a-b") for reference in find(text)] == [
        "shop/a-b",
        '{"secretName":"a-b","x":1}',
    ]


def test_the_user_knows_better_than_the_tables() -> None:
    text = kind_of("cert-manager.io/v1", "Certificate", "spec: {secretName: a}")
    spec = FieldSpec(target="Secret", kind="Certificate", path="spec/secretName")
    assert [say(reference) for reference in find(text, spec)] == ["Secret a at spec.secretName"]


def test_deep_nesting_is_no_problem() -> None:
    depth = 190
    text = "".join(f"{{a{level}: [" for level in range(depth)) + "{secretName: a}" + "]}" * depth
    (found,) = find(kind_of("e.x/v1", "Any", f"spec: {text}"))
    assert found.field.endswith(f"a{depth - 1}[0].secretName")


def test_deep_merges_are_no_problem() -> None:
    depth = 190
    text = "{<<: " * depth + "{secretName: a}" + "}" * depth
    assert seen(kind_of("e.x/v1", "Any", f"spec: {text}")) == ["Secret a at spec.secretName"]


WORDS = st.sampled_from(
    [
        *(
            "name",
            "namespace",
            "kind",
            "key",
            "secretName",
            "configMapRef",
            "secretRef",
            "secrets",
            "<<",
            "ConfigMap",
        ),
        *(
            "rules",
            "resourceNames",
            "resources",
            "apiGroups",
            "spec",
            "metadata",
            "annotations",
            "imagePullSecrets",
        ),
        *("nginx.ingress.kubernetes.io/auth-secret", "env", "volumes", "data"),
    ]
)
SHAPES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), WORDS, st.text("ab/-. ", max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=20,
)


@given(
    kind=st.sampled_from(
        ["Role", "Ingress", "Prometheus", "AnalysisTemplate", "Certificate", "SealedSecret", "Any"]
    ),
    group=st.sampled_from(
        ["cert-manager.io", "monitoring.coreos.com", "argoproj.io", "bitnami.com", "e.x"]
    ),
    shape=st.dictionaries(WORDS, SHAPES),
    path=st.lists(WORDS, max_size=4).map("/".join),
)
def test_any_shape_can_be_read(kind: str, group: str, shape: dict[str, Any], path: str) -> None:
    text = json.dumps({**shape, "apiVersion": f"{group}/v1", "kind": kind})
    for reference in find(text, FieldSpec(target="Secret", path=path)):
        # `{name, key}` says no kind: that is settled with all objects at hand.
        assert reference.kind in ("ConfigMap", "Secret") or "key" in reference.around
        assert reference.name.value
        assert reference.field


def test_the_scalar_itself_is_handed_out() -> None:
    item = read_item(node_of(kind_of("v1", "Pod", "spec: {volumes: [{configMap: {name: a}}]}")))  # type: ignore[arg-type]
    (found,) = find_references(item.node, item.id, ()).references
    assert found.name is get(get(item.node, "spec", "volumes").value[0], "configMap", "name")  # type: ignore[union-attr]
