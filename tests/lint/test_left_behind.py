"""A base name in data that kustomize took away is said, though its shape is that of a reference."""

from krm_fn.core.names.content_hash import content_hash
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import run

CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, namespace: shop}, data: {a: b}}"
PACKAGE = """
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: revisions.krm-fn.io/v1
  kind: ConfigRevisions
  metadata: {name: web}
  spec: {exclude: [{name: web-config}]}
items:
- CONFIG
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: runner, namespace: shop}
  data:
    pod.yaml: |
      spec: {volumes: [{name: v, configMap: {name: web-config}}]}
"""


def test_a_reference_in_data_keeps_a_name_that_nothing_has() -> None:
    name = f"web-config-{content_hash(read_yaml(CONFIG.encode()).roots[0])}"
    package = PACKAGE.replace("CONFIG", CONFIG.replace("NAME", name))
    said = (
        "ConfigMap/shop/runner data[pod.yaml]: names ConfigMap web-config, which is nowhere in the "
        f"rendering: kustomize names the object {name}"
    )
    assert said in run(package.encode()).stderr
