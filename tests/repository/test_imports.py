"""An ordinary run imports little: kustomize and Argo CD start the function anew for each package."""

import sys

import pytest

from tests.repository.budget import imported_by_a_run

SLOW = (
    "asyncio",
    "calendar",
    "dataclasses",
    "decimal",
    "difflib",
    "inspect",
    "logging",
    "pathlib",
    "subprocess",
    "urllib",
)
"""Of the standard library, what takes milliseconds or what only few texts need: docs/decisions/0031."""


def test_a_run_imports_no_library_but_the_parser() -> None:
    """No click, no jsonschema, no client of Kubernetes."""
    ours_or_pythons = sys.stdlib_module_names | {"krm_fn", "yaml"}
    assert sorted({name.partition(".")[0] for name in imported_by_a_run()} - ours_or_pythons) == []


@pytest.mark.parametrize("name", SLOW)
def test_a_run_imports_nothing_slow(name: str) -> None:
    assert name not in imported_by_a_run(), (
        f"every start now imports {name}: import it where it is needed"
    )
