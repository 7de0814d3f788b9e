"""Schemas of charts: nothing that helm would read outside of the chart, wherever the schema is."""

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.tools.builds.check_chart import check_chart
from krm_fn.tools.common.files import Allowance, Limits
from tests.render.run import write

Files = dict[str, str | bytes]


def check(folder: Path, files: Files, limits: Limits = Limits()) -> str:  # noqa: B008  # immutable
    """Return the problem of a chart, `""` for none."""
    write(folder, {"chart/Chart.yaml": "name: a\n", **files})
    try:
        check_chart(folder / "chart", Allowance(limits), limits.root)
    except Rejected as rejected:
        return str(rejected.problems[0]).replace(f"{folder}/", "")
    return ""


def pack(files: Files, headers: dict[str, str] | None = None) -> bytes:
    """Pack files as `helm package` does."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", pax_headers=headers or {}) as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


INSIDE = [
    pytest.param(
        '{"$ref": "#/definitions/a", "definitions": {"a": {}}}', id="a reference in the file"
    ),
    pytest.param('{"$schema": "http://json-schema.org/draft-07/schema#"}', id="a published draft"),
    pytest.param(
        '{"$schema": "https://json-schema.org/draft/2020-12/schema", "$dynamicRef": "#a"}',
        id="a newer one",
    ),
    pytest.param('{"$id": "https://example.com/a.json", "$ref": "#"}', id="an id"),
    pytest.param('{"properties": {"$ref": {"type": "string"}}}', id="a value that is called $ref"),
    pytest.param('\ufeff{"type": "object"}', id="a byte order mark"),
]


@pytest.mark.parametrize("schema", INSIDE)
def test_what_a_schema_may_say(schema: str, tmp_path: Path) -> None:
    assert check(tmp_path, {"chart/values.schema.json": schema}) == ""


LEADS_OUT = (
    "leads out of the file; only references that begin with # and published drafts are allowed"
)
NO_JSON = "is no JSON that can be read, which it must be"
OUTSIDE = [
    pytest.param('{"$ref": "file:///etc/passwd"}', f"$ref ({{}}): {LEADS_OUT}", id="a file"),
    pytest.param('{"$ref": "http://example.com/a"}', f"$ref ({{}}): {LEADS_OUT}", id="an address"),
    pytest.param('{"$ref": "other.json"}', f"$ref ({{}}): {LEADS_OUT}", id="a file beside it"),
    pytest.param(
        '{"$ref": ""}', f"$ref ({{}}): {LEADS_OUT}", id="nothing, which is resolved by the base"
    ),
    pytest.param('{"\\u0024ref": "file:///a"}', f"$ref ({{}}): {LEADS_OUT}", id="an escaped name"),
    pytest.param(
        '{"$ref": "#", "$ref": "file:///a"}', f"$ref ({{}}): {LEADS_OUT}", id="the second of two"
    ),
    pytest.param(
        '{"$ref": "file:///a", "$ref": "#"}', f"$ref ({{}}): {LEADS_OUT}", id="the first of two"
    ),
    pytest.param(
        '{"enum": [{"$ref": "file:///a"}]}',
        f"enum[0].$ref ({{}}): {LEADS_OUT}",
        id="where no schema is",
    ),
    pytest.param(
        '{"$schema": "file:///a"}', f"$schema ({{}}): {LEADS_OUT}", id="a schema of the schema"
    ),
    pytest.param(
        '{"$schema": "http://example.com/a"}',
        f"$schema ({{}}): {LEADS_OUT}",
        id="one from elsewhere",
    ),
    pytest.param(
        '{"$schema": "json-schema.org/draft-07/schema"}',
        f"$schema ({{}}): {LEADS_OUT}",
        id="only its path",
    ),
    pytest.param(
        '{"a": {"$dynamicRef": "x#a"}}',
        f"a.$dynamicRef ({{}}): {LEADS_OUT}",
        id="a dynamic reference",
    ),
    pytest.param(
        '{"$recursiveRef": "http://a"}', f"$recursiveRef ({{}}): {LEADS_OUT}", id="a recursive one"
    ),
    pytest.param(
        '{"$ref": "#"} {"$ref": "http://a"}',
        f"{{}}: {NO_JSON}",
        id="two documents, of which Go reads one",
    ),
    pytest.param("[" * 100_000, f"{{}}: {NO_JSON}", id="absurd nesting"),
    pytest.param('{"$ref": "#"', f"{{}}: {NO_JSON}", id="an open end"),
]


@pytest.mark.parametrize(("schema", "problem"), OUTSIDE)
def test_what_a_schema_may_not_say(schema: str, problem: str, tmp_path: Path) -> None:
    name = "chart/values.schema.json"
    assert check(tmp_path, {name: schema}) == problem.format(name)


BAD = json.dumps({"$ref": "file:///etc/passwd"})
PLACES: list[object] = [
    pytest.param({"chart/charts/b/values.schema.json": BAD}, "charts/b", id="a subchart"),
    pytest.param({"chart/.hidden/values.schema.json": BAD}, ".hidden", id="a hidden folder"),
    pytest.param(
        {"chart/charts/b.tgz": pack({"b/values.schema.json": BAD})},
        "charts/b.tgz/b",
        id="a packed subchart",
    ),
    pytest.param(
        {"chart/charts/b.tgz": pack({"b\\values.schema.json": BAD})},
        "charts/b.tgz/b",
        id="one packed on Windows",
    ),
    pytest.param(
        {"chart/charts/b.tgz": pack({"b/x/../values.schema.json": BAD})},
        "charts/b.tgz/b",
        id="one by a detour",
    ),
    pytest.param(
        {"chart/charts/b.tgz": pack({"b/charts/c.tgz": pack({"c/values.schema.json": BAD})})},
        "charts/b.tgz/b/charts/c.tgz/c",
        id="one in a packed subchart",
    ),
    pytest.param(
        {"chart/charts/b/charts/c.tgz": pack({"c/values.schema.json": BAD})},
        "charts/b/charts/c.tgz/c",
        id="both",
    ),
]


@pytest.mark.parametrize(("files", "place"), PLACES)
def test_where_a_schema_may_be(files: Files, place: str, tmp_path: Path) -> None:
    assert check(tmp_path, files) == f"$ref (chart/{place}/values.schema.json): {LEADS_OUT}"


def nest(levels: int) -> bytes:
    packed = pack({"a/Chart.yaml": "name: a"})
    for _ in range(levels):
        packed = pack({"a/charts/a.tgz": packed})
    return packed


def unclean_end() -> bytes:
    """Hide a file from readers that stop at the first empty block."""
    return gzip.compress(bytes(512) + gzip.decompress(pack({"b/values.schema.json": BAD})))


NO_CHART = "is no chart that can be read: it must be a tar file, packed by gzip"
HIDES = "is packed in a way that may hide files; pack it with helm package"
ARCHIVES: list[object] = [
    pytest.param(lambda: pack({"b/values.schema.json": "{}"}), "", id="a plain one"),
    pytest.param(
        lambda: pack({"b/a": ""}, {"comment": "a"}), "", id="one that git archive has packed"
    ),
    pytest.param(lambda: b"a", NO_CHART, id="no archive"),
    pytest.param(lambda: pack({"b/a": "b" * 9999})[:-20], NO_CHART, id="half of one"),
    pytest.param(
        lambda: pack({"b/values.schema.json": BAD}, {"path": "b/a"}),
        HIDES,
        id="one name for all files",
    ),
    pytest.param(unclean_end, HIDES, id="files behind the end"),
    pytest.param(
        lambda: nest(25), "has more than 20 charts in one another", id="charts in charts in charts"
    ),
    pytest.param(
        lambda: pack({"b/a": bytes(50_000_000)}),
        "more than 40000000 bytes are to be read; --max-bytes sets the limit",
        id="a bomb",
    ),
]


@pytest.mark.parametrize(("make", "problem"), ARCHIVES)
def test_packed_charts(make: Callable[[], bytes], problem: str, tmp_path: Path) -> None:
    found = check(tmp_path, {"chart/charts/b.tgz": make()}, Limits(max_bytes=40_000_000))
    assert found.rpartition("tgz: ")[2] == problem
