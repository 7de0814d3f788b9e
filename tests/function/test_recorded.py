"""What is recorded of an output says no less than the output."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from krm_fn.base import keys
from tests.cases import FIXTURES, MIGRATION_STEPS, TRANSFORMS, is_emitted
from tests.function.names_and_pods import name_of, read_items
from tests.function.test_fixtures import explain
from tests.recorded import WHOLE, as_recorded, output_of, shorten

CONFIG_MAP = b"- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: web}\n"
JOB, ROLE = (
    b"- apiVersion: v1\n  kind: %b\n  metadata:\n    labels:\n"
    b"      revisions.krm-fn.io/component: linker\n" % kind
    for kind in (b"Job", b"Role")
)
COMMENT = re.compile(rb" *# the linker's objects \((\d)\): ([\w, ]+); sha256 [0-9a-f]{64}\r?\n")

LINKED = re.compile(rb"component\W+linker|the linker's objects")


def package(*items: bytes) -> bytes:
    return b"kind: ResourceList\nitems:\n%bresults:\n- message: a\n" % b"".join(items)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([CONFIG_MAP], [], id="none"),
        pytest.param([CONFIG_MAP, JOB], [(b"1", b"Job")], id="one"),
        pytest.param([JOB, ROLE, CONFIG_MAP], [(b"2", b"Job, Role")], id="a run"),
        pytest.param([JOB, CONFIG_MAP, ROLE], [(b"1", b"Job"), (b"1", b"Role")], id="two runs"),
    ],
)
@pytest.mark.parametrize("indent", [b"", b"  "])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_a_run_of_the_linkers_objects_is_one_line(
    items: list[bytes], expected: list[tuple[bytes, bytes]], indent: bytes, line_end: bytes
) -> None:
    placed = [re.sub(rb"(?m)^", indent, item).removesuffix(indent) for item in items]
    short = shorten(package(*placed).replace(b"\n", line_end))
    assert COMMENT.findall(short) == expected
    rest = [one for one, item in zip(placed, items, strict=True) if item == CONFIG_MAP]
    assert COMMENT.sub(b"", short) == package(*rest).replace(b"\n", line_end)


@pytest.mark.parametrize("changed", [ROLE.replace(b"v1", b"v2"), ROLE + b"\n", ROLE + b"  a: b\n"])
def test_a_change_of_any_byte_is_another_line(changed: bytes) -> None:
    short, other = shorten(package(JOB, ROLE)), shorten(package(JOB, changed))
    assert len({*short.splitlines()} - {*other.splitlines()}) == 1
    said = explain(short, other, FIXTURES / "transforms/a")
    assert "\n-# the linker's objects (2): Job, Role; sha256" in said
    assert said.endswith(" python -m krm_fn < fixtures/transforms/a/input.yaml")


def test_a_run_of_documents_is_one_line() -> None:
    map_, job, role = (
        b"---\n" + one[2:].replace(b"\n  ", b"\n") for one in (CONFIG_MAP, JOB, ROLE)
    )
    short = shorten(map_ + job + role + map_)
    assert COMMENT.sub(b"", short) == map_ + map_
    assert COMMENT.findall(short) == [(b"2", b"Job, Role")]
    assert shorten(b"---\n" + package(JOB)) == b"---\n" + shorten(package(JOB))


def test_json_stays_as_it_is() -> None:
    json = b'{"items": [\n  {"metadata": {"labels": {"revisions.krm-fn.io/component": "linker"}}}\n]}\n'
    assert shorten(json) == json


def test_the_whole_ones_have_every_field_of_the_linkers_objects() -> None:
    whole: set[str] = set()
    short: dict[str, str] = {}
    for case in (*TRANSFORMS, *MIGRATION_STEPS):
        if not LINKED.search((case / "output.yaml").read_bytes()):
            continue
        output = output_of(case)
        objects = [item for item in read_items(output) if is_of_the_linker(item)]
        found = {f"{one['kind']}{field}" for one in objects for field in find_fields(one)}
        if as_recorded(case, output) == output:
            whole |= found
        else:
            short |= dict.fromkeys(found, name_of(case))
    assert len(short) > 60
    message = "add one of these to WHOLE in tests/recorded.py"
    assert {field: case for field, case in short.items() if field not in whole} == {}, message


def test_nothing_is_said_to_be_whole_in_vain() -> None:
    assert [name for name in WHOLE if shorten(output := output_of(FIXTURES / name)) == output] == []


def is_of_the_linker(item: dict[str, Any]) -> bool:
    return is_emitted(item) and item["metadata"]["labels"][keys.COMPONENT] == "linker"


def find_fields(node: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all fields. Those of data are names of objects."""
    yield path
    if isinstance(node, dict) and path != "/data":
        for key, value in node.items():
            yield from find_fields(value, f"{path}/{key}")
    elif isinstance(node, list):
        for value in node:
            yield from find_fields(value, path)
