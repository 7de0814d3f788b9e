"""Check what the function does with programs that run clusters."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.installs.install import KINDS, Config, Install, pod_references, read_installs, read_objects, renamed_in
from tests.installs.table import PAGE, page
from tests.openapi import find_errors
from tests.properties import Properties

ALL = read_installs()
holds = Properties[Install]()


def test_there_are_at_least_forty() -> None:
    assert len(ALL) >= 40


@pytest.mark.parametrize("install", ALL, ids=lambda install: install.key)
def test_all_properties_hold(install: Install) -> None:
    holds.check(install, of=install.key)


@holds
def objects_are_valid_and_hold_every_name_that_is_looked_up(install: Install) -> None:
    errors = {f"{one['kind']}/{one['metadata']['name']}": find_errors(one) for one in install.objects}
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
        expected = [_renamed(reference, renamed) for reference in _all_references(install, install.objects)]
        assert list(_all_references(install, after)) == expected


@holds
def nothing_in_it_is_said_to_be_wrong(install: Install) -> None:
    """Expect that what people run is accepted by API servers, is there once, and has the keys that pods read."""
    said = install.rendered(KINDS[-1]).stderr.splitlines()
    wrong = ("the API server refuses", " has no key ", " have no path ", " is in the package twice")
    assert [line for line in said if any(text in line for text in wrong)] == []


def test_the_page_is_made_from_the_installs() -> None:
    assert PAGE.read_text() == page()


def _all_references(install: Install, objects: list[dict[str, Any]]) -> Iterator[Config]:
    for one in objects:
        yield from pod_references(one, install.namespace)


def _renamed(reference: Config, renamed: dict[Config, str]) -> Config:
    return reference._replace(name=renamed.get(reference, reference.name))
