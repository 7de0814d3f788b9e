"""What `krm-fn diff --live` says of releases that somebody has gone back from, and what then comes true."""

from random import Random

import pytest

from krm_fn.report.object_change import MAKES_PODS, ObjectChange, RemovalOutcome
from krm_fn.report.table import Screen
from krm_fn.tools.diff.difference import Difference
from krm_fn.tools.diff.write_difference import write_text
from tests.live.released_shop import (
    WORKLOADS,
    Renderings,
    Shop,
    ShopRelease,
    generate,
    generate_release,
)
from tests.live.test_diff_live import CONFIGURATION
from tests.volume import examples_of

RED, BLUE, GREEN = (
    ShopRelease(color, color, reads_both=False) for color in ("red", "blue", "green")
)


@pytest.fixture(scope="module")
def renderings(tmp_path_factory: pytest.TempPathFactory) -> Renderings:
    return Renderings(tmp_path_factory.mktemp("renderings"))


@pytest.fixture(scope="module")
def without_jobs(tmp_path_factory: pytest.TempPathFactory) -> Renderings:
    shared = CONFIGURATION.replace('image: "registry.example/krm-fn:1"', "run: shared")
    return Renderings(tmp_path_factory.mktemp("without_jobs"), shared)


def said_fates(difference: Difference) -> dict[str, RemovalOutcome]:
    """Return what is said to become of the live ConfigMaps, by name."""
    return {
        name: change.fate.outcome
        for change in difference.revisions
        if change.fate is not None and (name := _name_before(change))
    }


def _name_before(change: ObjectChange) -> str:
    return (change.old or change.who).name or ""


@pytest.mark.rows(test=2)
@pytest.mark.parametrize("seed", range(examples_of(240)))
def test_what_is_said_of_any_state_comes_true(seed: int, renderings: Renderings) -> None:
    random = Random(seed)
    shop, release = generate(random, renderings), generate_release(random)
    difference = shop.compare(release)
    live = shop.names()
    running = {name: shop.running_template(name) for name in WORKLOADS}
    before = {name: shop.template(name) for name in WORKLOADS}
    shop.apply(release)
    after = {name: shop.template(name) for name in WORKLOADS}
    there = shop.names()
    shop.settle()
    every_name_that_is_shown_exists(difference, live, there)
    # Without another template, what was aborted stays so.
    changed = {name for name in WORKLOADS if after[name] != before[name]}
    told = {roll.name for roll in difference.rolls if roll.effect in MAKES_PODS}
    assert told == {name for name in changed if after[name] != running[name]}
    a_run_deletes_what_was_said_and_nothing_else(difference, shop.link(release))


@pytest.mark.rows(test=5)
@pytest.mark.parametrize("seed", range(examples_of(60)))
def test_what_is_said_comes_true_of_a_set_without_a_job(
    seed: int, without_jobs: Renderings
) -> None:
    random = Random(seed)
    shop, release = generate(random, without_jobs), generate_release(random)
    difference = shop.compare(release)
    assert not difference.linker.runs
    shop.apply(release)
    shop.settle()
    a_run_deletes_what_was_said_and_nothing_else(difference, shop.link(release))


def every_name_that_is_shown_exists(
    difference: Difference, live: set[str], rendered: set[str]
) -> None:
    for change in difference.objects:
        for field in change.fields:
            if field.path.endswith("configMapRef.name"):
                assert field.old is None or field.old in live
                assert field.new is None or field.new in rendered


def a_run_deletes_what_was_said_and_nothing_else(difference: Difference, deleted: set[str]) -> None:
    said = said_fates(difference)
    unused = {name for name, fate in said.items() if fate is RemovalOutcome.UNUSED}
    assert unused <= deleted
    assert deleted.isdisjoint(said.keys() - unused)
    if difference.linker.runs:
        assert deleted == unused


class Gone:
    """A shop in which blue has replaced red, and what is said of a release before it."""

    def __init__(self, renderings: Renderings) -> None:
        self.shop = Shop(renderings)
        for release in (RED, BLUE):
            self.shop.apply(release)
            self.shop.settle()
            self.shop.link(release)

    def undo(self, *names: str) -> None:
        for name in names:
            self.shop.go_back(name, 0)

    def said(self, release: ShopRelease) -> list[str]:
        text = write_text(self.shop.compare(release), Screen(10_000))
        return [line.strip() for line in text.splitlines()]


@pytest.fixture
def gone(renderings: Renderings) -> Gone:
    return Gone(renderings)


ALL = tuple(WORKLOADS)


def test_after_an_undo_the_content_that_comes_back_is_shown(gone: Gone) -> None:
    gone.undo(*ALL)
    said = gone.said(BLUE)
    title = next(place for place, line in enumerate(said) if "shop/api-config" in line)
    assert said[title + 1 : title + 4] == ["- color: red", "+ color: blue", "rolls Rollout/api"]


def test_after_an_undo_a_revert_to_the_same_changes_nothing(gone: Gone) -> None:
    gone.undo(*ALL)
    assert gone.said(RED) == ["no difference: 2 revisions unchanged"]


def test_an_undo_of_one_of_two_workloads_names_both_revisions(gone: Gone) -> None:
    gone.undo("web")
    red, blue = (_name_of(gone, color) for color in ("red", "blue"))
    said = gone.said(BLUE)
    assert f"- ConfigMap shop/web-config: {red}" in said
    field = "spec.template.spec.containers[web].envFrom[0].configMapRef.name"
    assert f"{field}: {red} -> {blue}" in said


def _name_of(gone: Gone, color: str) -> str:
    configs = gone.shop.store.of_kind("ConfigMap")
    named = {str(one["metadata"]["name"]): one.get("data", {}).get("color") for one in configs}
    return next(name for name, of in named.items() if of == color and name.startswith("web-"))


def test_what_only_history_references_is_not_called_unused(gone: Gone) -> None:
    gone.undo(*ALL)
    fates = said_fates(gone.shop.compare(GREEN))
    assert {*fates.values()} == {RemovalOutcome.KEPT}


ABORTED = "note: Rollout api: its update was aborted, and its pods already run the rendered template: none restarts"


def test_after_an_abort_a_revert_to_what_its_pods_run_rolls_nothing(gone: Gone) -> None:
    assert gone.shop.abort()
    said = gone.said(RED)
    assert ABORTED in said
    assert "rolls Rollout/api" not in said


def test_after_an_abort_another_release_rolls(gone: Gone) -> None:
    assert gone.shop.abort()
    said = gone.said(GREEN)
    assert ABORTED not in said
    assert "rolls Rollout/api" in said


def test_after_an_abort_the_same_release_changes_nothing(gone: Gone) -> None:
    assert gone.shop.abort()
    assert gone.said(BLUE) == ["no difference: 2 revisions unchanged"]
