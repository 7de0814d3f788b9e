"""Check what the function does with programs that run clusters."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.function.openapi import find_errors
from tests.installs.install import (
    CONFIGS,
    KINDS,
    WAYS,
    Config,
    Install,
    Truth,
    pod_references,
    read_installs,
    read_objects,
    renamed_in,
    texts_with,
)
from tests.installs.table import PAGE, page
from tests.properties import Properties

ALL = read_installs()
holds = Properties[Install]()
EXTRACTS = [one for one in ALL if one.truth]
EACH_EXTRACT = pytest.mark.parametrize(
    "extract", [pytest.param(one, id=one.key) for one in EXTRACTS]
)
TRUTHS = [(one, truth) for one in EXTRACTS for truth in one.truth]


def _row(row: tuple[Install, Truth]) -> Any:
    extract, truth = row
    return pytest.param(*row, id=f"{extract.key}-{truth.kind}-{truth.name}")


EACH_TRUTH = pytest.mark.parametrize(("extract", "truth"), [*map(_row, TRUTHS)])
EACH_CHOICE = pytest.mark.parametrize(
    ("extract", "truth"), [_row(row) for row in TRUTHS if row[1].chosen]
)


def test_there_are_at_least_forty() -> None:
    assert len(ALL) >= 40


@pytest.mark.rows(test=8, submission=40)
@pytest.mark.parametrize("install", ALL, ids=lambda install: install.key)
def test_all_properties_hold(install: Install) -> None:
    holds.check(install, of=install.key)


@holds
def objects_are_valid_and_hold_every_name_that_is_looked_up(install: Install) -> None:
    errors = {
        f"{one['kind']}/{one['metadata']['name']}": find_errors(one) for one in install.objects
    }
    assert not {who: found for who, found in errors.items() if found}
    assert install.looked_up <= {(config.kind, config.name) for config in install.configs}
    assert all(install.sources)


@holds
def no_name_that_is_looked_up_changes(install: Install) -> None:
    for kinds in KINDS:
        renamed = renamed_in(install.rendered(kinds).stdout, install.namespace)
        assert not {config for config in renamed if (config.kind, config.name) in install.looked_up}


@holds
def a_second_run_changes_nothing(install: Install) -> None:
    for kinds in KINDS:
        once = install.rendered(kinds).stdout
        assert install.run(kinds, once).stdout == once


@holds
def every_pod_finds_what_it_reads(install: Install) -> None:
    for kinds in KINDS:
        outcome = install.rendered(kinds)
        assert outcome.exit_code == 0
        after = read_objects(outcome.stdout)
        renamed = renamed_in(outcome.stdout, install.namespace)
        expected = [
            _renamed(reference, renamed) for reference in _all_references(install, install.objects)
        ]
        assert list(_all_references(install, after)) == expected


@holds
def nothing_in_it_is_said_to_be_wrong(install: Install) -> None:
    """Expect that what people run is accepted by API servers, is there once, and has the keys that pods read."""
    said = install.rendered(KINDS[-1]).stderr.splitlines()
    wrong = ("the API server refuses", " has no key ", " have no path ", " is in the package twice")
    assert [line for line in said if any(text in line for text in wrong)] == []


def test_there_are_at_least_forty_extracts() -> None:
    assert len(EXTRACTS) >= 40


@EACH_EXTRACT
def test_an_extract_says_how_each_object_is_read(extract: Install) -> None:
    assert sorted((one.kind, one.name) for one in extract.truth) == sorted(
        (config.kind, config.name) for config in extract.configs
    )
    assert {one.way for one in extract.truth} <= WAYS
    assert all(one.source for one in extract.truth)


@EACH_TRUTH
def test_an_object_is_renamed_where_that_is_safe_and_useful(extract: Install, truth: Truth) -> None:
    outcome = extract.run(CONFIGS)
    renamed = truth.name in _names_of_revisions(extract, outcome.stdout, truth)
    assert outcome.exit_code == 0, outcome.stderr
    if truth.wanted:
        assert renamed == (truth.wanted == "renamed"), outcome.stderr
    if renamed and truth.name not in extract.namesakes:
        assert texts_with(outcome.stdout, truth.name) == []
    if truth.way == "substituted" and renamed:
        assert [
            one["metadata"]["name"] for one in read_objects(outcome.stdout) if one.get("immutable")
        ] == []


@EACH_CHOICE
def test_an_object_that_is_chosen_is_followed_or_refused(extract: Install, truth: Truth) -> None:
    outcome = extract.run(CONFIGS, select=truth.name)
    is_refused = outcome.exit_code != 0
    assert is_refused <= (truth.chosen in ("refused", "safe")), outcome.stderr
    assert is_refused or truth.chosen != "refused", outcome.stderr
    if not is_refused:
        assert truth.name in _names_of_revisions(extract, outcome.stdout, truth)
        assert texts_with(outcome.stdout, truth.name) == []


@EACH_EXTRACT
def test_nothing_untrue_is_said_of_an_extract(extract: Install) -> None:
    said = extract.run(CONFIGS).stderr.splitlines()
    assert [line for line in said if any(text in line for text in extract.not_said)] == []


def _names_of_revisions(extract: Install, stdout: bytes, truth: Truth) -> set[str]:
    """Return the old and new names of what was renamed; both are one if kustomize has named it by its content."""
    renamed = renamed_in(stdout, extract.namespace)
    return {
        name
        for config in renamed
        if config.kind == truth.kind
        for name in (config.name, renamed[config])
    }


@pytest.mark.rows(test=0)
def test_the_page_is_made_from_the_installs() -> None:
    assert PAGE.read_text() == page()


def _all_references(install: Install, objects: list[dict[str, Any]]) -> Iterator[Config]:
    for one in objects:
        yield from pod_references(one, install.namespace)


def _renamed(reference: Config, renamed: dict[Config, str]) -> Config:
    return reference._replace(name=renamed.get(reference, reference.name))
