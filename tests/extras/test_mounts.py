"""Properties of mounts: added once, removed without a trace, and changed as if rendered from scratch."""

import json
from typing import Any, NamedTuple

import yaml
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from krm_fn.base import keys
from krm_fn.function import run
from tests.volume import examples_of

CONFIGS = ("web-config", "web-flags", "web-env")
KEYS = {"web-config": "app.conf", "web-flags": "FLAG", "web-env": "LEVEL"}

BLOCK = """\
- apiVersion: apps/v1
  kind: {kind} # what runs
  metadata:
    name: web
{metadata}  spec:
    template:
      spec:
        containers:
{indent}- name: app # first
{indent}  image: "web"
{app}{indent}- {{name: sidecar, image: proxy}}
        # the end of the containers
{pod}"""
FLOW = """\
- {{apiVersion: apps/v1, kind: {kind}, metadata: {{name: web}}, spec: {{template: {{spec: {{
    containers: [{{name: app, image: web{app}}}, {{name: sidecar}}]{pod}}}}}}}}} # flow
"""
JSON = """\
- {{
    "apiVersion": "apps/v1", "kind": "{kind}", "metadata": {{"name": "web"}},
    "spec": {{"template": {{"spec": {{
      "containers": [
        {{"name": "app", "image": "web"{app}}},
        {{"name": "sidecar"}}
      ]{pod}
    }}}}}}
  }}
"""


SERVICE = "- {apiVersion: v1, kind: Service, metadata: {name: web}}\n"


@st.composite
def workloads(draw: st.DrawFn) -> str:
    """Generate a workload that may already contain an author's volumes and mounts, in one of three styles."""
    style = draw(st.sampled_from([BLOCK, BLOCK, FLOW, JSON]))
    kind = draw(st.sampled_from(["Deployment", "Rollout"]))
    has_volume, has_env, has_note = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    if style is BLOCK:
        indent = draw(st.sampled_from([" " * 8, " " * 10]))
        app = (
            f"{indent}  volumeMounts:\n{indent}  - {{name: own, mountPath: /own}} # mine\n"
            if has_volume
            else ""
        )
        app += (
            f"{indent}  envFrom:\n{indent}    - configMapRef: {{name: other}}\n" if has_env else ""
        )
        pod = draw(
            st.sampled_from(
                ["        volumes:\n        - name: own # mine\n          emptyDir: {}\n# end\n"]
            )
        )
        metadata = "    annotations:\n      note: mine # kept\n" if has_note else ""
        return BLOCK.format(
            kind=kind, indent=indent, app=app, pod=pod if has_volume else "", metadata=metadata
        )
    app = ', "volumeMounts": [{"name": "own", "mountPath": "/own"}]' if has_volume else ""
    app += ', "envFrom": [{"configMapRef": {"name": "other"}}]' if has_env else ""
    pod = ', "volumes": [{"name": "own", "emptyDir": {}}]' if has_volume else ""
    return style.format(kind=kind, app=app, pod=pod)


@st.composite
def mounts(draw: st.DrawFn) -> dict[str, Any]:
    """Generate one entry of `mounts`. Two entries may collide."""
    entry: dict[str, Any] = {}
    if draw(st.booleans()):
        entry["containers"] = draw(
            st.sampled_from([["app"], ["sidecar"], ["*"], ["app", "sidecar"]])
        )
    if draw(st.booleans()):
        entry["kind"] = "Deployment"
    name = draw(st.sampled_from(CONFIGS))
    how = draw(st.sampled_from(["file", "projected", "env"]))
    if how == "env":
        return {
            **entry,
            "configMap": name,
            "envFrom": True,
            "prefix": draw(st.sampled_from(["A_", "B_"])),
        }
    entry["path"] = draw(st.sampled_from(["/etc/web", "/etc/web/", "/etc/flags", "/x y/=z"]))
    if draw(st.booleans()):
        entry["defaultMode"] = 292
    if how == "projected":
        return {
            **entry,
            "projected": draw(
                st.lists(st.sampled_from(CONFIGS), min_size=1, max_size=2, unique=True)
            ),
        }
    if draw(st.booleans()):
        entry["items"] = [{"key": KEYS[name], "path": "file"}]
    return {**entry, "configMap": name}


class Package(NamedTuple):
    workloads: list[str]
    line_break: str

    def bytes(self, mounts: list[dict[str, Any]], items: str | None = None) -> bytes:
        """Return a ResourceList with a configuration.

        `items` come from an earlier run instead of from the author.
        """
        config = {
            "apiVersion": "revisions.krm-fn.io/v1",
            "kind": "ConfigRevisions",
            "metadata": {"name": "shop"},
            "spec": {
                "select": [{"name": "*"}],
                "mounts": mounts,
                "linker": {"enabled": False},
            },
        }
        head = (
            f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: "
            f"{json.dumps(config)}\nitems:\n"
        )
        return (
            head.replace("\n", self.line_break) + (self.items() if items is None else items)
        ).encode()

    def items(self) -> str:
        configs = "".join(
            f"- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}, data: {{{KEYS[name]}: first}}}}\n"
            for name in CONFIGS
        )
        return configs.replace("\n", self.line_break) + self.rest()

    def rest(self) -> str:
        """Return the text of the author, which must not change."""
        return ("".join(self.workloads) + SERVICE).replace("\n", self.line_break)


packages = st.builds(
    Package, st.lists(workloads(), min_size=1, max_size=2), st.sampled_from(["\n", "\r\n"])
)
configurations = st.lists(mounts(), max_size=3)


def transformed(data: bytes) -> str:
    """Return the items after a run as text, without `results`, which contain messages of all runs."""
    outcome = run(data)
    event("accepted" if outcome.exit_code == 0 else "rejected")
    assume(outcome.exit_code == 0)
    return outcome.stdout.decode().partition("items:")[2].partition("results:")[0].lstrip("\r\n")


def load(items: str) -> list[Any]:
    """Return the objects without the annotation `retain`, which does not depend on mounts."""
    objects: list[Any] = yaml.CBaseLoader(items).get_data()
    for one in objects:
        one["metadata"].get("annotations", {}).pop(keys.RETAIN, None)
    return objects


@given(packages, configurations)
@settings(max_examples=examples_of(100))
def test_mounting_is_deterministic_and_idempotent(
    package: Package, mounts: list[dict[str, Any]]
) -> None:
    data = package.bytes(mounts)
    once = transformed(data)
    assert transformed(data) == once
    assert transformed(package.bytes(mounts, once)) == once


@given(packages, configurations)
@settings(max_examples=examples_of(100))
def test_removed_mounts_leave_no_trace(package: Package, mounts: list[dict[str, Any]]) -> None:
    assert transformed(package.bytes([], transformed(package.bytes(mounts)))).endswith(
        package.rest()
    )


@given(packages, configurations, configurations)
@settings(max_examples=examples_of(250))
def test_changing_the_configuration_in_place_equals_rendering_from_scratch(
    package: Package, first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> None:
    fresh = transformed(package.bytes(second))
    moved = transformed(package.bytes(second, transformed(package.bytes(first))))
    assert load(moved) == load(fresh)


@given(packages, configurations)
@settings(max_examples=examples_of(100))
def test_mounts_follow_edited_data_under_the_same_volume_names(
    package: Package, mounts: list[dict[str, Any]]
) -> None:
    def edited(items: str) -> str:
        return items.replace(": first", ": second")

    once = transformed(package.bytes(mounts))
    again = transformed(package.bytes(mounts, edited(once)))
    assert load(again) == load(transformed(package.bytes(mounts, edited(package.items()))))
    assert volume_names(again) == volume_names(once)
    assert all(len(name) <= 63 for name in volume_names(once))


def volume_names(items: str) -> list[str]:
    pods = [one["spec"]["template"]["spec"] for one in load(items) if "spec" in one]
    return [volume["name"] for pod in pods for volume in pod.get("volumes", [])]


@given(packages, configurations)
@settings(max_examples=examples_of(100))
def test_the_authors_bytes_stay(package: Package, mounts: list[dict[str, Any]]) -> None:
    once = iter(transformed(package.bytes(mounts)))
    assert all(character in once for character in package.rest())
