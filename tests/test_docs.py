"""Pages in docs/ name tests, variables, deployers, kinds and headings that exist."""

import re
from pathlib import Path

import pytest

from krm_fn.config.pins import PINNABLE
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.makers import VERSIONED_KINDS

ROOT = Path(__file__).parent.parent
PAGES = {name: (ROOT / f"docs/{name}.md").read_text() for name in ("deployers", "threat-model")}
NAMED = sorted(
    {(page, path) for page, text in PAGES.items() for path in re.findall(r"`((?:tests|examples)/[^`:]+)", text)}
)
TITLES = {"Argo CD": "argocd", "Flux": "flux", "kpt": "kpt", "Helm": "helm", "kapp": "kapp", "Spinnaker": "spinnaker"}
"""What docs/deployers.md calls the values of `spec.deployers`."""


@pytest.mark.parametrize(("page", "path"), NAMED)
def test_what_a_page_names_is_there(page: str, path: str) -> None:
    assert (ROOT / path).exists(), f"docs/{page}.md"


def test_the_threat_model_lists_every_pin() -> None:
    listed = re.findall(r"^\| `(KRM_FN_\w+)` \| `spec\.linker\.(\w+)`", PAGES["threat-model"], re.MULTILINE)
    assert dict(listed) == {name: field.name for name, field in PINNABLE.items() if name.startswith("KRM_FN_")}


def test_every_deployer_has_a_row_and_a_section() -> None:
    assert list(TITLES.values()) == list(PROTECTIONS)
    page = PAGES["deployers"]
    table = page.partition("## What is kept")[2].partition("\n## ")[0]
    assert re.findall(r"^\| (\w[\w ]*?) \|", table, re.MULTILINE) == ["Deployer", *TITLES]
    assert set(re.findall(r"^## (.+)$", page, re.MULTILINE)) >= TITLES.keys()


@pytest.mark.parametrize(("page", "anchor"), re.findall(r"\]\((\S+?\.md)#([\w-]+)\)", "".join(PAGES.values())))
def test_a_link_into_another_page_meets_a_heading(page: str, anchor: str) -> None:
    titles = re.findall(r"^#+ (.+)$", (ROOT / "docs" / page).read_text(), re.MULTILINE)
    assert anchor in [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]


def test_every_kind_that_makes_secrets_is_listed() -> None:
    rows = re.findall(r"^\| `(\w+)` \(`([\w.-]+)`\)", (ROOT / "docs/secrets.md").read_text(), re.MULTILINE)
    assert {(group, kind) for kind, group in rows} == VERSIONED_KINDS.keys()
