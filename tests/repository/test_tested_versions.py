"""The versions that the programs of the tests have, and those that a variable of the environment chooses."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.tools.build import FAMILIES, TOOLS, Family, NoSuchVersion, read_versions, source, version
from tests.tools.versions import PAGE, UNKNOWN, Row, choose, list_cells, read_rows, write_rows

LISTED = [family for family in FAMILIES if family.name in read_versions()]
PINNED = [
    (family, one)
    for family in LISTED
    for one in (read_versions()[family.name].default, *read_versions()[family.name].others)
]


@pytest.fixture(autouse=True)
def _nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for family in FAMILIES:
        monkeypatch.delenv(family.variable, raising=False)


def test_each_row_is_about_programs() -> None:
    assert {family.name for family in LISTED if family.programs} == set(read_versions())


@pytest.mark.parametrize("family", LISTED, ids=lambda family: family.name)
def test_a_folder_is_in_the_table(family: Family) -> None:
    row = read_versions()[family.name]
    assert sorted(folder.name for folder in family.folder.iterdir()) == sorted(
        [row.default, *row.others]
    )


@pytest.mark.parametrize(
    ("family", "pinned"), PINNED, ids=[f"{family.name}-{one}" for family, one in PINNED]
)
def test_a_version_is_chosen_whole_or_by_its_start(
    family: Family, pinned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    minor = pinned.removeprefix("v").rpartition(".")[0]
    for choice in (pinned, pinned.removeprefix("v"), minor):
        monkeypatch.setenv(family.variable, choice)
        assert source(family) == family.folder / pinned
        assert version(family) == pinned


@pytest.mark.parametrize("family", LISTED, ids=lambda family: family.name)
def test_without_a_choice_it_is_the_default(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = read_versions()[family.name].default
    assert version(family) == default
    monkeypatch.setenv(family.variable, "")
    assert version(family) == default


@pytest.mark.parametrize("choice", ["1.2", "1", "1.3", "v", "1.36.30"])
def test_what_is_not_in_the_table_is_an_error_that_lists_it(
    choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBERNETES", choice)
    (family,) = (family for family in LISTED if family.name == "kubernetes")
    with pytest.raises(NoSuchVersion, match=re.escape(f"KUBERNETES={choice}: expected one of v1.")):
        source(family)


@pytest.mark.parametrize("name", tomllib.loads((TOOLS / "versions.toml").read_text()))
def test_what_a_version_is_tested_with_is_there(name: str) -> None:
    root, versions = Path(__file__).parents[2], read_versions()[name]
    paths = [test.partition("::")[0] for test in versions.tests if not test.startswith("-")]
    assert paths
    assert all((root / path).exists() for path in paths)
    assert set(versions.also) <= {family.name for family in FAMILIES if family.on_demand}


def test_the_page_has_a_row_for_each_version() -> None:
    page = PAGE.read_text()
    assert write_rows(page, read_rows(page)) == page


def test_users_are_told_of_each_version() -> None:
    told = (PAGE.parent / "docs/versions.md").read_text().partition("## Versions of other")[2]
    assert not [cell for cell in list_cells() if f" {cell.version.removeprefix('v')}" not in told]


def test_the_cells_of_a_row_are_in_the_order_of_their_versions() -> None:
    cells = choose(list_cells(), ["kubernetes"])
    assert [cell.version.split(".")[1] for cell in cells] == ["34", "35", "36", "37"]


@pytest.mark.parametrize(
    ("passed", "failed", "is_good"),
    [
        pytest.param("22", "0", True, id="all pass"),
        pytest.param("21", "1", False, id="one fails"),
        pytest.param("0", "0", False, id="all are skipped, or none is chosen"),
        pytest.param(UNKNOWN, UNKNOWN, False, id="it has not been run"),
    ],
)
def test_a_cell_is_good_if_tests_pass_and_none_fails(
    passed: str, failed: str, *, is_good: bool
) -> None:
    row = Row(
        "helm",
        "v3.22.0",
        "2026-11-25",
        passed,
        failed,
        skipped="1",
        build_seconds=UNKNOWN,
        test_seconds="4",
    )
    assert row.is_good is is_good


@pytest.mark.parametrize("choice", ["helm=4", "helmet", "kubernetes=1.3"])
def test_a_cell_that_is_not_there_is_an_error_that_lists_all(choice: str) -> None:
    with pytest.raises(SystemExit, match=f"{choice}: expected one of kubernetes=v1"):
        choose(list_cells(), [choice])


@pytest.mark.parametrize(
    ("page", "program", "said"),
    [
        ("kubectl.md", "kubernetes", "Kubernetes {}"),
        ("kustomize.md", "kustomize", "kustomize {}"),
        ("helm.md", "helm", "Helm {}"),
        ("argo-cd.md", "argo-cd", "Argo CD {}"),
        ("flux.md", "kustomize-controller", "kustomize-controller {}"),
    ],
)
def test_a_deployer_says_the_lowest_version_with_which_the_tests_pass(
    page: str, program: str, said: str
) -> None:
    rows = [
        row
        for row in read_rows(PAGE.read_text()).values()
        if row.program == program and row.is_good
    ]
    lowest = rows[0].version.removeprefix("v").rpartition(".")[0]
    sentence = (PAGE.parent / "docs/deployers" / page).read_text().split("\n\n")[1]
    assert said.format(lowest) in sentence
