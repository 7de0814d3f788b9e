"""Names in anchors and aliases: every use changes alike, or the function refuses.

Other text never changes.
"""

import re
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.base import keys
from krm_fn.function import run
from tests.volume import examples_of
from tests.yaml.redefined import BaseLoader

OBJECTS = """\
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: NAME
    labels: {app: NAME}
  data: {a: NAME}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: NAME, labels: {app: NAME}}
  spec:
    template:
      spec:
        containers:
        - {name: NAME, envFrom: [{configMapRef: {name: NAME}}]}
        - {envFrom: [{configMapRef: {name: NAME}}]}
"""

PACKAGE_WITH_LINKER = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}, data: {a: b}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: web}}]}]}}}
"""


@st.composite
def packages(draw: st.DrawFn) -> str:
    """Generate two ConfigMaps and their Deployments; any name may be an anchor or an alias of an earlier one.

    An anchor may be defined again, also with another name.
    """
    meant: dict[str, str] = {}

    def write(name: re.Match[str]) -> str:
        how = draw(st.sampled_from(["plain", "plain", "anchor", "again", "alias"]))
        known = [anchor for anchor, said in meant.items() if said == name.group()]
        if how == "anchor" or (how == "again" and meant):
            anchor = f"x{len(meant)}" if how == "anchor" else draw(st.sampled_from(sorted(meant)))
            meant[anchor] = name.group()
            return f"&{anchor} {name.group()}"
        return f"*{draw(st.sampled_from(known))} " if how == "alias" and known else name.group()

    text = "".join(OBJECTS.replace("NAME", name) for name in ("web", "api"))
    return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + re.sub(
        r"\b(web|api)\b", write, text
    )


def items(data: bytes) -> list[Any]:
    (package,) = yaml.load_all(data, BaseLoader)
    found: list[Any] = package["items"]
    return found


def named(item: dict[str, Any]) -> list[str]:
    containers = item["spec"]["template"]["spec"]["containers"]
    return [
        source["configMapRef"]["name"]
        for container in containers
        for source in container["envFrom"]
    ]


@given(packages())
@settings(max_examples=examples_of(1000))
def test_names_behind_anchors(package: str) -> None:
    outcome = run(package.encode())
    if outcome.exit_code:
        assert "is a YAML anchor used in" in outcome.stderr
        return
    renamed = {}
    for before, after in zip(items(package.encode()), items(outcome.stdout), strict=True):
        if before["kind"] == "ConfigMap":
            renamed[before["metadata"]["name"]] = after["metadata"]["name"]
            assert after["data"] == before["data"]
            assert after["metadata"]["labels"].items() - before["metadata"]["labels"].items() == {
                (keys.SET, "config-revisions")
            }
        else:
            assert after["metadata"] == before["metadata"]
            assert named(after) == [renamed[name] for name in named(before)]
            containers = [
                item["spec"]["template"]["spec"]["containers"] for item in (before, after)
            ]
            assert containers[0][0]["name"] == containers[1][0]["name"]
    assert all(name != new for name, new in renamed.items())


def test_an_emitted_object_and_its_alias_stay() -> None:
    first = run(PACKAGE_WITH_LINKER.encode()).stdout.decode()
    start = first.index("- apiVersion: v1\n  kind: ServiceAccount")
    end = first.index("\n- ", start)
    aliased = f"{first[:start]}- &account\n  {first[start + 2 : end]}\n- *account{first[end:]}"
    assert run(aliased.encode()).stdout.decode() == aliased
