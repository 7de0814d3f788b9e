"""`make check` runs the tests that a change concerns."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.changed import MODULES, needed_by
from tests.changed import tests_of as find_tests

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("changed", "runs", "leaves_out"),
    [
        pytest.param(
            "krm_fn/linker/owners.py",
            "tests/linker/test_owners.py",
            "tests/yaml/test_prove.py",
            id="a module: what imports it, at whatever distance",
        ),
        pytest.param(
            "tests/linker/model/namespace_model.py",
            "tests/linker/model/test_model.py",
            "tests/diff/test_diffs.py",
            id="a helper of tests: the tests that use it",
        ),
        pytest.param(
            "docs/limits.md",
            "tests/pages/test_docs.py",
            "tests/yaml/test_prove.py",
            id="a page: tests that say docs",
        ),
        pytest.param(
            "fixtures/links/any/before.yaml",
            "tests/linker/test_links.py",
            "tests/linker/test_retry.py",
            id="a fixture: tests that say its folder",
        ),
        pytest.param(
            "tests/names/test_names.py",
            "tests/names/test_names.py",
            "tests/linker/test_owners.py",
            id="a test: itself",
        ),
    ],
)
def test_what_a_change_concerns(changed: str, runs: str, leaves_out: str) -> None:
    found = find_tests([changed])
    assert runs in found
    assert leaves_out not in found


def test_nothing_changed_concerns_nothing() -> None:
    assert find_tests([]) == []


@pytest.mark.parametrize(
    "name", ["tests.linker.test_owners", "tests.diff.test_packages", "tests.yaml.test_prove"]
)
def test_python_imports_no_more_than_that(name: str) -> None:
    script = f"import json, sys, importlib; importlib.import_module({name!r}); print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    loaded = {*json.loads(done.stdout)} & MODULES.keys()
    packages = {one for one in loaded if MODULES[one].name == "__init__.py"}
    assert loaded - packages <= needed_by(name)
