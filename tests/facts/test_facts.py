"""Facts are rows: no code is in them, and what they say of a kind is what its project publishes."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import kubernetes.client.api
import pytest

from krm_fn.base.kind import KINDS, Kinds
from krm_fn.base.problem import ResourceId
from krm_fn.base.producer import PRODUCERS
from krm_fn.core.references.field_rows import KEY_SELECTORS, read_exclusions, read_fields

ROOT = Path(__file__).parents[2]
FACTS = sorted((ROOT / "krm_fn/facts").glob("*.py"))


@pytest.mark.parametrize("path", FACTS, ids=lambda path: path.stem)
def test_a_table_is_literal_rows(path: Path) -> None:
    """Then a person reads what a program reads, and importing it takes no time."""
    docstring, *tables = ast.parse(path.read_text()).body
    assert isinstance(docstring, ast.Expr)
    for table in tables:
        assert isinstance(table, ast.Assign), f"line {table.lineno} is no table"
        ast.literal_eval(table.value)


def find_kinds() -> Iterator[tuple[str, str]]:
    """Yield group and kind of whatever a table is about."""
    yield from KINDS
    yield from (
        (group, kind) for row in read_fields() for group in row.groups for kind in row.kinds
    )
    yield from ((row.group, kind) for row in KEY_SELECTORS for kind in row.kinds)
    yield from ((row.group, kind) for row in read_exclusions() for kind in row.kinds)
    yield from ((row.group, kind) for row in PRODUCERS for kind in row.kinds)


OF_KUBERNETES = re.compile(
    r"_read_(?:namespaced_)?(\w+)_serialize\((?:(?!    def ).)*?"
    r"resource_path='/apis?/(?:([^/']+)/)?v\d+/(namespaces/\{namespace\}/)?(\w+)/\{name\}'",
    re.DOTALL,
)


def discover() -> dict[tuple[str, str], tuple[str, bool]]:
    """Return plural and scope of Kubernetes' own kinds, by group and kind in lower case.

    The official client is generated from the paths that the API server serves.
    """
    (folder,) = kubernetes.client.api.__path__
    return {
        (group, kind.replace("_", "")): (plural, bool(namespaced))
        for file in Path(folder).glob("*_v1_api.py")
        for kind, group, namespaced, plural in OF_KUBERNETES.findall(file.read_text())
    }


DISCOVERED = discover()
DEFINED = {
    (group, kind): (plural, scope == "Namespaced")
    for group, kinds in json.loads((ROOT / "tests/data/scopes_and_plurals.json").read_text())[
        "groups"
    ].items()
    for kind, (plural, scope, _) in kinds.items()
}
"""From `spec.names.plural` and `spec.scope` of published definitions."""


def published(group: str, kind: str) -> tuple[str, bool] | None:
    return DEFINED.get((group, kind)) or DISCOVERED.get((group, kind.lower()))


@pytest.mark.parametrize(
    ("group", "kind"), sorted({one for one in find_kinds() if published(*one)})
)
def test_plural_and_scope_are_those_that_are_published(group: str, kind: str) -> None:
    known = Kinds().of(ResourceId(f"{group}/v1" if group else "v1", kind, "", "web"))
    assert (known.plural, known.is_namespaced) == published(group, kind)
