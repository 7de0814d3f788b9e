"""What is explained of a workload, judged by what the function writes, and by PyYAML."""

import json
import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from krm_fn.base.changes import Changes, Edit, SetText
from krm_fn.base.item import Item, is_emitted
from krm_fn.base.node import Node, entries, fields, get, is_scalar
from krm_fn.base.problem import ResourceId
from krm_fn.core.names.names import authored_id
from krm_fn.core.yaml.envelope import Envelope, open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.yaml import apply_changes
from krm_fn.function import run
from krm_fn.report.markup import write_forms
from krm_fn.report.object_change import Effect
from krm_fn.tools.explain.explain import FORMS
from krm_fn.tools.explain.explain_workloads import (
    explain_workloads,
    find_workloads,
    with_all_references,
)
from krm_fn.tools.explain.explanation import ExplainedWorkload, Explanation, WorkloadChange
from krm_fn.tools.explain.places import SourceLine
from krm_fn.tools.explain.wanted import EVERYTHING
from tests.cases import ENVIRONMENT, MIGRATION_STEPS, TRANSFORMS
from tests.explain.read_json import read_json
from tests.explain.test_properties import VALIDATOR, Read, read, say
from tests.volume import one_of

CASES = [*TRANSFORMS, *MIGRATION_STEPS]
HASH = re.compile(r"-([bcdfghkmt2456789]{10}|\(hash \d+\))$")
WORKLOADS = {
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "ReplicaSet",
    "Rollout",
    "StatefulSet",
}


def explain(package: Read) -> Iterator[tuple[Item, ExplainedWorkload]]:
    """Explain each workload alone: packages repeat names."""
    found = with_all_references(package.found)
    for item in find_workloads(found):
        (explained,) = explain_workloads(EVERYTHING, found, [item], package.places, package.masks)
        yield item, explained


def render(data: bytes) -> list[Any] | None:
    """Return the objects that the function writes, but for those of the linker; None where it refuses the package."""
    outcome = run(data, environment=ENVIRONMENT)
    if outcome.exit_code:
        return None
    return [plain(item.node) for item in authored_items(open_envelope(read_yaml(outcome.stdout)))]


def authored_items(envelope: Envelope) -> list[Item]:
    return [item for item in envelope.items if not is_emitted(item)]


def plain(node: Node) -> Any:
    if is_scalar(node):
        return node.value
    if node.id == "sequence":
        return [plain(element) for element in node.value]
    return {name: plain(value) for name, value in fields(node).items()}


def pods_of(node: Any, name: str = "") -> Iterator[Any]:
    """Yield the pod templates of an object, or what a Pod says."""
    if isinstance(node, list):
        for element in node:
            yield from pods_of(element)
    elif isinstance(node, dict):
        spec = node.get("spec")
        is_template = name.endswith(("template", "Template")) or node.get("kind") == "Pod"
        if is_template and isinstance(spec, dict) and isinstance(spec.get("containers"), list):
            yield {"spec": spec, "annotations": (node.get("metadata") or {}).get("annotations")}
        else:
            for key, value in node.items():
                yield from pods_of(value, key)


def templates_of(workload: Any, objects: list[Any]) -> list[Any]:
    """Return the pod templates from which a workload makes its pods: a Rollout may take those of another one."""
    source = workload.get("spec", {}).get("workloadRef") if workload["kind"] == "Rollout" else None
    if source is None:
        return [*pods_of(workload)]
    where = workload["metadata"].get("namespace")
    held = (
        one
        for one in objects
        if (one.get("kind"), one["metadata"].get("name")) == (source["kind"], source["name"])
    )
    return [*pods_of(next(one for one in held if one["metadata"].get("namespace") == where))]


def with_another_content(package: Read, config: Item) -> bytes:
    """Add a line to each value.

    As YAML or JSON it means the same; one that says a name stays as it is.
    """
    names = {item.id.name for item in package.envelope.items}
    edits: list[Edit] = []
    for field in ("data", "stringData", "binaryData"):
        for key, value in entries(get(config.node, field)):
            if is_scalar(value) and value.value and value.value not in names:
                is_encoded = field == "binaryData" or (
                    field == "data" and config.id.kind == "Secret"
                )
                changed = add_line(value.value, is_encoded=is_encoded)
                edits.append(Edit(SetText(value, changed), config, f"{field}.{key}"))
    envelope = package.envelope
    return envelope.encode(apply_changes(envelope, Changes(edits=tuple(edits))).text)


def add_line(text: str, *, is_encoded: bool) -> str:
    if not is_encoded:
        return f"{text}\n"
    try:
        return b64encode(b64decode(text) + b"\n").decode()
    except Error:
        return text


def names_read_by(spec: Any) -> Iterator[tuple[str, str]]:
    """Yield the kinds and names in the well-known fields of a pod spec."""
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        for source in container.get("envFrom") or ():
            yield from names_in(source, "configMapRef", "secretRef")
        for variable in container.get("env") or ():
            yield from names_in(variable.get("valueFrom") or {}, "configMapKeyRef", "secretKeyRef")
    for volume in spec.get("volumes") or ():
        yield from names_in(volume, "configMap", "secret")
        for source in (volume.get("projected") or {}).get("sources") or ():
            yield from names_in(source, "configMap", "secret")
    for pulled in spec.get("imagePullSecrets") or ():
        yield "Secret", pulled["name"]


def names_in(fields: Any, config_map: str, secret: str) -> Iterator[tuple[str, str]]:
    for kind, field in (("ConfigMap", config_map), ("Secret", secret)):
        named = fields.get(field) or {}
        name = named.get("name") or named.get("secretName")
        if name:
            yield kind, name


def names_said(explained: ExplainedWorkload) -> Iterator[tuple[str, str]]:
    """Yield what an explanation says that pods read, as it is rendered.

    Of Secrets, no hash is shown.
    """
    for one in explained.reads:
        for field in one.fields:
            yield field.kind, field.new_text or field.text


def without_hash_of_secret(one: tuple[str, str]) -> tuple[str, str]:
    kind, name = one
    return kind, HASH.sub("", name) if kind == "Secret" else name


@pytest.mark.rows(test=8, submission=40)
@pytest.mark.volume
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_what_is_said_of_workloads_is_what_is_written(case: Path) -> None:
    """Each run tries another content of one object in each package, the night of all."""
    data = (case / "input.yaml").read_bytes()
    package, written = read(data), render(data) or []
    workloads = [*explain(package)]
    items = authored_items(package.envelope)
    for item, explained in workloads:
        if item.id.kind in WORKLOADS:
            templates = [*pods_of(written[items.index(item)])]
            everything_that_pods_read_is_said(explained, templates[0]["spec"] if templates else {})
    for config in (
        one_of([item for item in items if item.is_config], case.name) if workloads else ()
    ):
        changed = with_another_content(package, config)
        after = render(changed) if changed != data else None
        for item, explained in workloads if after is not None else ():
            place = items.index(item)
            is_another = templates_of(written[place], written) != templates_of(
                (after or [])[place], after or []
            )
            who = authored_id(config), package.places.of(config)
            another_template_is_said(explained, who, is_another=is_another)


def everything_that_pods_read_is_said(explained: ExplainedWorkload, spec: Any) -> None:
    expected = {*map(without_hash_of_secret, names_read_by(spec))}
    assert expected <= {*map(without_hash_of_secret, names_said(explained))}, explained.who


def another_template_is_said(
    explained: ExplainedWorkload, who: tuple[ResourceId, SourceLine], *, is_another: bool
) -> None:
    changes: set[WorkloadChange] = set()
    for one in explained.reads:
        if (one.config.who, one.config.place) == who:
            changes.update(one.changes)
    assert is_another == any(change.effect is not Effect.CHANGES for change in changes), (
        f"{explained.who} {who}"
    )


def test_json_has_the_form_of_the_schema() -> None:
    for case in CASES[::10]:
        package = read((case / "input.yaml").read_bytes())
        explanation = Explanation((), tuple(explained for _, explained in explain(package)))
        written = json.loads(write_forms(explanation, FORMS))
        VALIDATOR.validate(written)
        assert say(read_json(written)) == say(explanation)
