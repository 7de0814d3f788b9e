"""`make check` runs the tests that a change concerns."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import changed
from tests.changed import find_modules, imports_of, rooms_of
from tests.changed import tests_of as find_tests
from tests.entered import write_map

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("path", "runs", "leaves_out"),
    [
        pytest.param(
            "krm_fn/linker/owners.py",
            "tests/linker/test_owners.py",
            "tests/yaml/test_prove.py",
            id="a module: what enters it",
        ),
        pytest.param(
            "krm_fn/__main__.py",
            "tests/function/test_main.py",
            "tests/yaml/test_prove.py",
            id="what only processes enter",
        ),
        pytest.param(
            "action/compare.py",
            "tests/action/test_compare.py",
            "tests/yaml/test_prove.py",
            id="a script",
        ),
        pytest.param(
            "tests/cli/fork_server.py",
            "tests/cli/test_diff.py",
            "tests/yaml/test_prove.py",
            id="a helper that is a script",
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
            id="a page: tests that read it",
        ),
        pytest.param(
            "fixtures/links/any/before.yaml",
            "tests/linker/test_links.py",
            "tests/linker/test_retry.py",
            id="a fixture: tests that read its folder",
        ),
        pytest.param(
            "krm_fn/tools/graph/page.js",
            "tests/graph/test_graphs.py",
            "tests/yaml/test_prove.py",
            id="data of a package: tests that read it",
        ),
        pytest.param(
            "tests/names/test_names.py",
            "tests/names/test_names.py",
            "tests/linker/test_owners.py",
            id="a test: itself",
        ),
    ],
)
def test_what_a_change_concerns(path: str, runs: str, leaves_out: str) -> None:
    found = find_tests([path])
    assert runs in found
    assert leaves_out not in found


def test_a_change_of_a_table_concerns_what_imports_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed, "_changes_more_than_bodies", lambda _: True)
    assert "tests/linker/test_owners.py" in find_tests(["krm_fn/facts/kinds.py"])


def test_nothing_changed_concerns_nothing() -> None:
    assert find_tests([]) == []


def test_the_rooms_of_a_change() -> None:
    paths = [
        "krm_fn/core/yaml/reader.py",
        "tests/merge/test_driver.py",
        "README.md",
        "tests/run.py",
    ]
    assert rooms_of(paths) == {"yaml", "merge"}


def test_a_record_replaces_only_what_the_tests_that_ran_have_entered() -> None:
    before = "krm_fn/a.py a/test_one b/test_two\nkrm_fn/b.py a/test_one\n"
    notes = ["tests/a/test_one.py\tkrm_fn/c.py", "tests/a/test_one.py\tfixtures/links/one/plan.txt"]
    assert write_map(before, notes) == (
        "fixtures/links a/test_one\nkrm_fn/a.py b/test_two\nkrm_fn/c.py a/test_one\n"
    )


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    "name", ["tests.linker.test_owners", "tests.diff.test_packages", "tests.yaml.test_prove"]
)
def test_python_imports_no_more_than_that(name: str) -> None:
    script = f"import json, sys, importlib; importlib.import_module({name!r}); print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True)
    loaded = {*json.loads(done.stdout)} & find_modules().keys()
    packages = {one for one in loaded if find_modules()[one].name == "__init__.py"}
    imported, waiting = {name}, {name}
    while waiting:
        waiting = {one for module in waiting for one in imports_of(module)} - imported
        imported |= waiting
    assert loaded - packages <= imported
