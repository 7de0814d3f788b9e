"""Fields of Kubernetes' own kinds that the API server lets nobody change.

Written by `python -m tests.cluster.immutable_fields --write`, which asks kube-apiserver v1.36.3.

IMMUTABLE: group, kind, and what an object of it says if the row is of such objects alone, the most
special first. Then the operations that are refused, by path: `set` a field that says nothing,
`unset` and `change` one, or only `grow` and `shrink` a number. They count for all that is in the
field, but for what has a path of its own. FILLED: by kind, by the field around and by name, what
the API server writes where nothing is written.
"""

IMMUTABLE = (
    (
        "",
        "ConfigMap",
        "immutable=true",
        {
            "binaryData": "change,set,unset",
            "data": "change,set,unset",
            "immutable": "change,unset",
        },
    ),
    (
        "",
        "Node",
        "",
        {
            "spec.externalID": "set",
            "spec.podCIDR": "change",
            "spec.providerID": "change,unset",
        },
    ),
    (
        "",
        "PersistentVolume",
        "",
        {
            "spec": "change,set,unset",
            "spec.accessModes": "",
            "spec.capacity": "",
            "spec.claimRef": "",
            "spec.csi": "change,set,unset",
            "spec.csi.controllerExpandSecretRef": "change,unset",
            "spec.mountOptions": "",
            "spec.nodeAffinity": "change,unset",
            "spec.nodeAffinity.required": "change,set,unset",
            "spec.persistentVolumeReclaimPolicy": "",
            "spec.storageClassName": "",
            "spec.volumeAttributesClassName": "",
        },
    ),
    (
        "",
        "PersistentVolumeClaim",
        "",
        {
            "spec": "change,set,unset",
            "spec.resources": "set,shrink",
            "spec.storageClassName": "change,unset",
            "spec.volumeAttributesClassName": "",
            "spec.volumeName": "change,unset",
        },
    ),
    (
        "",
        "Pod",
        "",
        {
            "spec": "change,set,unset",
            "spec.activeDeadlineSeconds": "grow,unset",
            "spec.containers.image": "",
            "spec.initContainers": "change,set,unset",
            "spec.initContainers.image": "",
            "spec.tolerations": "change,unset",
        },
    ),
    (
        "",
        "ResourceQuota",
        "",
        {
            "spec.scopes": "change,set,unset",
        },
    ),
    (
        "",
        "Secret",
        "immutable=true",
        {
            "data": "change,set,unset",
            "immutable": "change,unset",
            "stringData": "set",
            "type": "change,set,unset",
        },
    ),
    (
        "",
        "Secret",
        "",
        {
            "type": "change,set,unset",
        },
    ),
    (
        "",
        "Service",
        "spec.type=LoadBalancer",
        {
            "spec.healthCheckNodePort": "change",
            "spec.loadBalancerClass": "set",
        },
    ),
    (
        "",
        "Service",
        "",
        {
            "spec.clusterIP": "change",
        },
    ),
    (
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        "",
        {
            "spec.names.kind": "change",
            "spec.scope": "change",
        },
    ),
    (
        "apps",
        "ControllerRevision",
        "",
        {
            "data": "change,set,unset",
        },
    ),
    (
        "apps",
        "DaemonSet",
        "",
        {
            "spec.selector": "change,set",
        },
    ),
    (
        "apps",
        "Deployment",
        "",
        {
            "spec.selector": "change,set",
        },
    ),
    (
        "apps",
        "ReplicaSet",
        "",
        {
            "spec.selector": "change,set",
        },
    ),
    (
        "apps",
        "StatefulSet",
        "",
        {
            "spec.podManagementPolicy": "change,set,unset",
            "spec.selector": "change,set",
            "spec.serviceName": "change,set,unset",
            "spec.volumeClaimTemplates": "change,set,unset",
        },
    ),
    (
        "batch",
        "Job",
        "spec.suspend=true",
        {
            "spec.backoffLimitPerIndex": "set",
            "spec.completionMode": "change,set,unset",
            "spec.completions": "set",
            "spec.selector": "set",
            "spec.template.metadata": "unset",
            "spec.template.metadata.labels": "",
            "spec.template.spec": "change,set,unset",
            "spec.template.spec.affinity": "",
            "spec.template.spec.containers.resources": "",
            "spec.template.spec.nodeSelector": "",
            "spec.template.spec.serviceAccountName": "change,set",
            "spec.template.spec.tolerations": "",
        },
    ),
    (
        "batch",
        "Job",
        "spec.completionMode=Indexed",
        {
            "spec.backoffLimitPerIndex": "change,set",
            "spec.completionMode": "change,unset",
            "spec.selector": "set",
            "spec.successPolicy": "change,set,unset",
            "spec.template.metadata": "change,unset",
            "spec.template.spec": "change,set,unset",
            "spec.template.spec.serviceAccountName": "change,set",
        },
    ),
    (
        "batch",
        "Job",
        "",
        {
            "spec.completionMode": "set",
            "spec.completions": "change,set,unset",
            "spec.managedBy": "change,set,unset",
            "spec.podFailurePolicy": "change,set,unset",
            "spec.selector": "set",
            "spec.template.metadata": "change,unset",
            "spec.template.spec": "change,set,unset",
            "spec.template.spec.serviceAccountName": "change,set",
        },
    ),
    (
        "discovery.k8s.io",
        "EndpointSlice",
        "",
        {
            "addressType": "change",
        },
    ),
    (
        "events.k8s.io",
        "Event",
        "",
        {
            "action": "change",
            "note": "change,set,unset",
            "reason": "change",
            "regarding": "change,set,unset",
            "related": "set",
            "reportingController": "change",
            "reportingInstance": "change",
        },
    ),
    (
        "networking.k8s.io",
        "IPAddress",
        "",
        {
            "spec": "change,unset",
        },
    ),
    (
        "networking.k8s.io",
        "IngressClass",
        "",
        {
            "spec.controller": "change",
        },
    ),
    (
        "networking.k8s.io",
        "ServiceCIDR",
        "",
        {
            "spec": "change",
        },
    ),
    (
        "node.k8s.io",
        "RuntimeClass",
        "",
        {
            "handler": "change",
        },
    ),
    (
        "rbac.authorization.k8s.io",
        "ClusterRoleBinding",
        "",
        {
            "roleRef": "change",
        },
    ),
    (
        "rbac.authorization.k8s.io",
        "RoleBinding",
        "",
        {
            "roleRef": "change",
        },
    ),
    (
        "resource.k8s.io",
        "ResourceClaim",
        "",
        {
            "spec": "change,set,unset",
        },
    ),
    (
        "resource.k8s.io",
        "ResourceClaimTemplate",
        "",
        {
            "spec": "change,set,unset",
        },
    ),
    (
        "resource.k8s.io",
        "ResourceSlice",
        "",
        {
            "spec.driver": "change",
            "spec.nodeName": "change",
            "spec.pool.name": "change",
        },
    ),
    (
        "scheduling.k8s.io",
        "PriorityClass",
        "",
        {
            "preemptionPolicy": "change,set,unset",
            "value": "change,set,unset",
        },
    ),
    (
        "storage.k8s.io",
        "CSIDriver",
        "",
        {
            "spec.attachRequired": "change,set,unset",
            "spec.volumeLifecycleModes": "unset",
        },
    ),
    (
        "storage.k8s.io",
        "CSINode",
        "",
        {
            "spec.drivers": "change",
            "spec.drivers.allocatable": "",
            "spec.drivers.topologyKeys": "change,set,unset",
        },
    ),
    (
        "storage.k8s.io",
        "CSIStorageCapacity",
        "",
        {
            "nodeTopology": "change,set,unset",
            "storageClassName": "change",
        },
    ),
    (
        "storage.k8s.io",
        "StorageClass",
        "",
        {
            "parameters": "change,set,unset",
            "provisioner": "change",
            "reclaimPolicy": "change,set,unset",
            "volumeBindingMode": "change,set,unset",
        },
    ),
    (
        "storage.k8s.io",
        "VolumeAttachment",
        "",
        {
            "spec": "change",
        },
    ),
    (
        "storage.k8s.io",
        "VolumeAttributesClass",
        "",
        {
            "driverName": "change",
            "parameters": "change,set",
        },
    ),
)

FILLED = {
    ("CSIDriver", "spec", "attachRequired"): "true",
    ("Job", "spec", "completionMode"): "NonIndexed",
    ("Job", "spec", "completions"): "1",
    ("Job", "spec", "schedulerName"): "default-scheduler",
    ("Job", "spec", "terminationGracePeriodSeconds"): "30",
    ("PersistentVolume", "iscsi", "lun"): "0",
    ("PersistentVolume", "rbd", "keyring"): "/etc/ceph/keyring",
    ("PersistentVolume", "rbd", "pool"): "rbd",
    ("PersistentVolume", "rbd", "user"): "admin",
    ("PersistentVolume", "spec", "volumeMode"): "Filesystem",
    ("PersistentVolumeClaim", "spec", "volumeMode"): "Filesystem",
    ("Pod", "spec", "enableServiceLinks"): "true",
    ("Pod", "spec", "restartPolicy"): "Always",
    ("Pod", "spec", "schedulerName"): "default-scheduler",
    ("Pod", "spec", "terminationGracePeriodSeconds"): "30",
    ("PriorityClass", "", "preemptionPolicy"): "PreemptLowerPriority",
    ("PriorityClass", "", "value"): "0",
    ("Secret", "", "type"): "Opaque",
    ("StatefulSet", "spec", "podManagementPolicy"): "OrderedReady",
    ("StorageClass", "", "reclaimPolicy"): "Delete",
    ("StorageClass", "", "volumeBindingMode"): "Immediate",
}
