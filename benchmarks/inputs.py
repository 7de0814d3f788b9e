"""Packages as kustomize sends them: a quarter each of ConfigMaps, Deployments, Services and ServiceAccounts."""

from collections.abc import Iterator

KINDS = 4

_HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
_ANNOTATIONS = """\
    annotations:
      config.kubernetes.io/index: '{index}'
      internal.config.kubernetes.io/index: '{index}'
      internal.config.kubernetes.io/id: '{id}'
"""
_OBJECTS = (
    """\
- apiVersion: v1
  data:
    LOG_LEVEL: info
    config.yaml: |
      server:
        port: 8080
        name: app-{number}
  kind: ConfigMap
  metadata:
{annotations}\
    name: app-{number}-config
    namespace: shop
""",
    """\
- apiVersion: apps/v1
  kind: Deployment
  metadata:
{annotations}\
    labels:
      app: app-{number}
    name: app-{number}
    namespace: shop
  spec:
    replicas: 3
    selector:
      matchLabels:
        app: app-{number}
    template:
      metadata:
        labels:
          app: app-{number}
      spec:
        containers:
        - env:
          - name: REGION
            value: somewhere
          envFrom:
          - configMapRef:
              name: app-{number}-config
          image: registry.example/app:1.0.{number}
          name: app
          ports:
          - containerPort: 8080
          resources:
            requests:
              cpu: 100m
              memory: 64Mi
          volumeMounts:
          - mountPath: /etc/app
            name: config
        serviceAccountName: app-{number}
        volumes:
        - configMap:
            name: app-{number}-config
          name: config
""",
    """\
- apiVersion: v1
  kind: Service
  metadata:
{annotations}\
    name: app-{number}
    namespace: shop
  spec:
    ports:
    - name: http
      port: 80
      targetPort: 8080
    selector:
      app: app-{number}
""",
    """\
- apiVersion: v1
  kind: ServiceAccount
  metadata:
{annotations}\
    name: app-{number}
    namespace: shop
""",
)


_CONFIG = """\
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata:
    name: shop
  spec:
    strategy: {strategy}
    linker: {{image: registry.example/krm-fn:1}}
"""


def resource_list(objects: int, strategy: str = "rename") -> bytes:
    """Return the same bytes for the same number of objects.

    Each Deployment references its ConfigMap twice.
    """
    return "".join([_HEAD, *_items(objects), _CONFIG.format(strategy=strategy)]).encode()


def _items(objects: int) -> Iterator[str]:
    for index in range(objects):
        annotations = _ANNOTATIONS.format(index=index, id=index + 1)
        yield _OBJECTS[index % KINDS].format(number=index // KINDS, annotations=annotations)
