"""Packages with the shapes of real ones: what people keep, as kustomize sends it to a function.

The numbers are those of public packages: argo-cd's `install.yaml` (three definitions, 94 % of its
bytes), kube-prometheus (34 dashboards, 3 MB), a homelab with an application a folder, a repository
with three overlays for each application.
"""

import json
from collections.abc import Callable, Iterator
from textwrap import indent
from typing import NamedTuple

from benchmarks.inputs import resource_list

MEGABYTE = 1_000_000

_CONFIG = """\
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: shop}
  spec:
    linker: {image: registry.example/krm-fn:1}
"""
_DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.16.5
  name: things{number}.example.org
spec:
  group: example.org
  names:
    kind: Thing{number}
    listKind: Thing{number}List
    plural: things{number}
    singular: thing{number}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: Thing{number} is the schema of things.
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            description: |-
              The wanted state.

              More info: https://example.org/docs#spec
            properties:
{fields}\
            type: object
        type: object
    served: true
    storage: true
    subresources:
      status: {{}}
"""
_FIELD = """\
field{number}:
  description: |-
    How field {number} of a thing is to be set, in words as people write them.
    Defaults to: nothing, as long as "another" is not set.
  properties:
    key:
      description: 'The key to select: it must be valid.'
      type: string
    name:
      default: ""
      description: Name of what is meant. May be empty for those who write older versions.
      type: string
    values:
      items:
        type: string
      type: array
      x-kubernetes-list-type: atomic
    weight:
      format: int32
      maximum: 100
      type: integer
  required:
  - key
  - name
  type: object
  x-kubernetes-map-type: atomic
"""
_ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: {name}}}
rules:
- apiGroups: [example.org]
  resources: ['*']
  verbs: [get, list, watch, update]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: {name}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {name}}}
subjects:
- {{kind: ServiceAccount, name: {name}, namespace: {namespace}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {name}, namespace: {namespace}}}
"""
_APPLICATION = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}-config, namespace: {namespace}}}
data:
  LOG_LEVEL: info
  config.yaml: |
    server:
      port: 8080
      url: https://{name}.{namespace}.example
---
apiVersion: apps/v1
kind: Deployment
metadata:
  labels: {{app.kubernetes.io/name: {name}}}
  name: {name}
  namespace: {namespace}
spec:
  replicas: 1
  selector:
    matchLabels: {{app.kubernetes.io/name: {name}}}
  strategy: {{type: Recreate}}
  template:
    metadata:
      labels: {{app.kubernetes.io/name: {name}}}
    spec:
      containers:
      - name: app
        image: registry.example/{name}:1.2.3
        envFrom:
        - configMapRef: {{name: {name}-config}}
        - secretRef: {{name: {name}-secret}}
        env:
        - {{name: TZ, value: Europe/Berlin}}
        ports:
        - {{name: http, containerPort: 8080}}
        livenessProbe:
          httpGet: {{path: /healthz, port: http}}
        readinessProbe:
          httpGet: {{path: /healthz, port: http}}
        resources:
          requests: {{cpu: 10m, memory: 64Mi}}
          limits: {{memory: 256Mi}}
        volumeMounts:
        - {{name: config, mountPath: /etc/{name}}}
        - {{name: data, mountPath: /data}}
      serviceAccountName: {name}
      volumes:
      - name: config
        configMap: {{name: {name}-config}}
      - name: data
        persistentVolumeClaim: {{claimName: {name}}}
---
apiVersion: v1
kind: Service
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  selector: {{app.kubernetes.io/name: {name}}}
  ports:
  - {{name: http, port: 80, targetPort: http}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  accessModes: [ReadWriteOnce]
  resources: {{requests: {{storage: 5Gi}}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  annotations: {{cert-manager.io/cluster-issuer: letsencrypt}}
  name: {name}
  namespace: {namespace}
spec:
  rules:
  - host: {name}.example
    http:
      paths:
      - path: /
        pathType: Prefix
        backend: {{service: {{name: {name}, port: {{name: http}}}}}}
  tls:
  - {{hosts: [{name}.example], secretName: {name}-tls}}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {{name: {name}-secret, namespace: {namespace}}}
spec:
  secretStoreRef: {{kind: ClusterSecretStore, name: vault}}
  target: {{name: {name}-secret}}
  data:
  - secretKey: PASSWORD
    remoteRef: {{key: {name}, property: password}}
"""


def definition(number: int, size: int) -> str:
    """Return a definition with a schema of about so many characters."""
    fields = "".join(_FIELD.format(number=field) for field in range(size // 1_100 + 1))
    return _DEFINITION.format(number=number, fields=indent(fields, " " * 14))


def dashboards(number: int, size: int) -> Iterator[str]:
    """Yield ConfigMaps with dashboards of about so many characters, and who shows them."""
    mounts, volumes = [], []
    for one in range(number):
        name = f"dashboard-{one}"
        panel = {
            "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "fieldConfig": {"defaults": {"unit": "reqps"}, "overrides": []},
            "gridPos": {"h": 7, "w": 12, "x": 0, "y": 0},
            "targets": [{"expr": f'sum(rate(requests{{job="app-{one}"}}[5m])) by (code)'}],
            "title": "Requests",
            "type": "timeseries",
        }
        whole = json.dumps({"panels": [panel] * (size // 600 + 1), "uid": name}, indent=4)
        mounts.append(f"        - {{name: {name}, mountPath: /dashboards/{one}}}\n")
        volumes.append(f"      - {{name: {name}, configMap: {{name: {name}}}}}\n")
        yield (
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: monitoring}}\n"
            f"data:\n  {name}.json: |-\n{indent(whole, '    ')}\n"
        )
    yield (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: grafana, namespace: monitoring}\n"
        "spec:\n  template:\n    spec:\n      containers:\n      - name: grafana\n"
        f"        volumeMounts:\n{''.join(mounts)}      volumes:\n{''.join(volumes)}"
    )


def applications(number: int, namespace: str = "") -> Iterator[str]:
    """Yield the objects of applications, each in a namespace of its own if they share none."""
    for one in range(number):
        name = f"app-{one}"
        where = namespace or name
        yield from _APPLICATION.format(name=name, namespace=where).split("---\n")
        yield f"apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {name}, namespace: {where}}}\n"


def operator() -> Iterator[str]:
    """Yield what installs an operator: definitions, roles, and three workloads with settings."""
    yield from (definition(number, size) for number, size in enumerate((180_000, 900_000, 40_000)))
    for number in range(7):
        names = {"name": f"operator-{number}", "namespace": "operators"}
        yield from _ROLE.format(**names).split("---\n")
    yield from applications(3, "operators")


def overlays() -> Iterator[str]:
    """Yield what 20 applications are in three environments."""
    for environment in ("dev", "staging", "prod"):
        yield from applications(20, environment)


def write(objects: Iterator[str]) -> bytes:
    """Write a ResourceList."""
    items = "".join("- " + indent(one, "  ")[2:] for one in objects)
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
    return (head + items + _CONFIG).encode()


class Package(NamedTuple):
    """A package that is measured.

    `most`: the goal, in times of the Go no-op's; None for a start. `of_limit`: the goal in times of
    the limit, where there is one.
    """

    what: str
    most: float | None
    make: Callable[[], bytes]
    of_limit: float | None = None


SMALL, MEDIUM, LARGE = 12, 2_000, 20_000

PACKAGES = (
    Package(f"{SMALL} objects", None, lambda: resource_list(SMALL), 7.5),
    Package("200 objects", None, lambda: resource_list(200), 5.5),
    Package("a homelab of 40 applications", 2.5, lambda: write(applications(40)), 7),
    Package("20 applications in three overlays", 2.5, lambda: write(overlays())),
    Package("ten dashboards of 100 KB", 2.5, lambda: write(dashboards(10, MEGABYTE // 10)), 6),
    Package("a definition of 1 MB", 0.5, lambda: write(iter([definition(0, MEGABYTE)]))),
    Package("an operator's install", 0.5, lambda: write(operator())),
    Package(f"{MEDIUM:,} objects", 1.5, lambda: resource_list(MEDIUM), 7),
    Package(f"{LARGE:,} objects", 1.3, lambda: resource_list(LARGE)),
)
"""Small ones first: what this process needs to make an input is a floor under the memory it can tell of others."""
