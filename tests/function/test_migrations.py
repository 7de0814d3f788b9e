"""Every folder in fixtures/migrations is a migration.

No step of it prunes an object that running pods use.
"""

import re
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.render.check import check
from tests.cases import MIGRATION_STEPS, MIGRATIONS
from tests.pages.migration_page import BLOCK, PAGE, deployed_before, with_diffs
from tests.recorded import output_of


def checked(step: Path, deployed: bytes) -> Outcome:
    rendering = Outcome(output_of(step), "", 0)
    return check(rendering, "-", deployed, "")


@pytest.mark.parametrize(
    "step", MIGRATION_STEPS, ids=lambda step: f"{step.parent.name} {step.name}"
)
def test_a_step_is_safe_after_the_one_before(step: Path) -> None:
    assert checked(step, deployed_before(step)).stderr == ""


@pytest.mark.parametrize("case", MIGRATIONS, ids=lambda case: case.name)
def test_the_second_step_alone_is_not_safe(case: Path) -> None:
    """Except with Spinnaker, which prunes nothing."""
    outcome = checked(case / "step-2", deployed_before(case / "step-1"))
    assert ("would prune it while pods still use it" in outcome.stderr) == (
        case.name != "from-spinnaker"
    )


def test_a_version_that_kapp_would_prune_is_found() -> None:
    """The live object lacks the annotation that the page adds to the previous version."""
    (case,) = (case for case in MIGRATIONS if case.name == "from-kapp")
    live = (
        (case / "step-1/deployed.yaml")
        .read_text()
        .replace("kapp.k14s.io/delete-strategy: orphan\n", "", 1)
    )
    rendering = Outcome(output_of(case / "step-2"), "", 0)
    assert (
        "ConfigMap/shop/web-config-ver-3: kapp would prune it"
        in check(rendering, "-", live.encode(), "").stderr
    )


def test_the_page_shows_every_step_as_it_is() -> None:
    page = PAGE.read_text()
    shown = [f"{found['case']} {found['step']}" for found in BLOCK.finditer(page)]
    assert sorted(shown) == [f"{step.parent.name} {step.name}" for step in MIGRATION_STEPS]
    assert page == with_diffs(page), "run python -m tests.pages.migration_page"


def test_the_page_names_every_case() -> None:
    assert set(re.findall(r"fixtures/migrations/([\w-]+)", PAGE.read_text())) >= {
        case.name for case in MIGRATIONS
    }
