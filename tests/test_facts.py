"""Facts are rows: no code in them, and each is asked for only where it counts."""

import ast
from pathlib import Path

import pytest

FACTS = sorted((Path(__file__).parent.parent / "krm_fn/facts").glob("*.py"))


@pytest.mark.parametrize("path", FACTS, ids=lambda path: path.stem)
def test_a_table_is_literal_rows(path: Path) -> None:
    """Then a person reads what a program reads, and importing it takes no time."""
    docstring, *tables = ast.parse(path.read_text()).body
    assert isinstance(docstring, ast.Expr)
    for table in tables:
        assert isinstance(table, ast.Assign), f"line {table.lineno} is no table"
        ast.literal_eval(table.value)
