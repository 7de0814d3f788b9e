"""`krm-fn help configuration` documents the functionConfig."""

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from krm_fn.base.settings import Environment
from krm_fn.core.config.plain import load_schema
from krm_fn.function import run
from tests.cli.process import krm_fn

SPEC: dict[str, Any] = load_schema()["properties"]["spec"]["properties"]
PATHS = [
    *SPEC,
    *(f"{name}.{key}" for name, field in SPEC.items() for key in field.get("properties", ())),
]


@pytest.fixture
def shown(tmp_path: Path) -> str:
    done = krm_fn("help", "configuration", cwd=tmp_path, COLUMNS="80")
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def test_every_field_is_in_the_help(shown: str) -> None:
    fields = shown.partition("\nFields of spec:\n")[2]
    assert sorted(re.findall(r"^  (\S+)", fields, re.MULTILINE)) == sorted(PATHS)
    assert len(PATHS) > 25


def test_a_field_says_what_it_does_its_values_and_its_default(shown: str) -> None:
    text = " ".join(shown.split())
    assert (
        "The way to handle each selected object. One of rename, adopt, checksum, ignore. Default: rename."
        in text
    )


def test_the_help_fits_a_terminal(shown: str) -> None:
    assert max(map(len, shown.splitlines())) <= 80


def test_the_example_is_a_configuration(shown: str) -> None:
    example = shown.partition("(functionConfig):\n")[2].partition("\n\n")[0]
    config = textwrap.dedent(example).encode()
    package = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "web-a", "labels": {"tier": "web"}},
        }
    )
    outcome = run(package.encode(), config, Environment())
    assert outcome.exit_code == 0, outcome.stderr
    assert (
        b"revisions.krm-fn.io/set: shop" in outcome.stdout
        or b'"revisions.krm-fn.io/set"' in outcome.stdout
    )
