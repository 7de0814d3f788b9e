"""No schedule of the real linker beside everybody else deletes a revision that a live object references.

The search tries every schedule of the smallest namespaces, up to a number of switches. `test_model` tries some
schedules of larger ones. That the search finds nothing means something because it finds each deliberate bug.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import NamedTuple

import pytest

from krm_fn.linker import link_all_sets, wait
from krm_fn.linker.cluster import Configs
from krm_fn.linker.objects import Observation
from krm_fn.linker.shared_looks import Look, SharedLooks
from tests.linker.explorer import scenes
from tests.linker.explorer.actors import Actor
from tests.linker.explorer.scenes import PLOTS, WATCHED, Cast, Plot, first_scene, scene
from tests.linker.explorer.search import Found, Scene, Search
from tests.linker.model import mutants
from tests.linker.model.deployers import replacing
from tests.linker.model.mutants import Mutation
from tests.volume import IS_QUICK

EVER = float("inf")


@pytest.fixture(autouse=True)
def _short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs wait for a ReplicaSet for two seconds, not ten: they look each second."""
    monkeypatch.setattr(wait, "_HISTORY_TIMEOUT", 2.0)


@pytest.fixture(autouse=True)
def _in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run come to the sets in the order of their names: it is a function here."""
    monkeypatch.setattr(link_all_sets, "shuffle", lambda names: names.sort())


def name_of(value: object) -> str | None:
    if isinstance(value, Cast):
        secret = ", Secret" if value.has_secret else ""
        shared = ", shared" if value.is_shared else ""
        others = f", {len(value.others)} others" if value.others else ""
        nightly = ", nightly" if value.has_nightly else ""
        return f"{value.kind}, limit {value.limit}{secret}{shared}{others}{nightly}"
    if isinstance(value, partial):
        return "-".join(filter(None, map(name_of, (value.func, *value.args))))
    return getattr(value, "__name__", None)


def expect_no_loss(found: Found, record_property: Callable[[str, object], None]) -> None:
    record_property("schedules", found.schedules)
    assert found.losing == 0, f"{found.losing} of {found.schedules} schedules:\n{found.shortest}"


EACH_TIME = [
    *(
        (Cast(kind), scenes.back_then_forth, 2)
        for kind in (["StatefulSet"] if IS_QUICK else WATCHED)
    ),
    *((Cast(kind), scenes.back, 1) for kind in WATCHED),
    (Cast(), scenes.another_image_while_somebody_restarts, 1),
    (Cast(), scenes.somebody_deletes_the_inventory, 1),
    *((Cast(limit=1), plot, 0) for plot in PLOTS),
    *((Cast(has_nightly=True), plot, 1) for plot in scenes.OF_NIGHTLY),
]
CASTS = [
    Cast("Deployment", 0),
    Cast("Deployment", 1),
    Cast("StatefulSet", 0),
    Cast("StatefulSet", 1),
    Cast("ReplicaSet"),
]
AT_NIGHT = [
    *((Cast(kind), scenes.back_then_forth, 3) for kind in WATCHED),
    *((cast, plot, 1) for cast, plot in product(CASTS, PLOTS)),
    *((Cast(has_nightly=True), plot, 3) for plot in scenes.OF_NIGHTLY),
]
BY_NIGHT = [
    pytest.param(*row, marks=pytest.mark.nightly) for row in AT_NIGHT if row not in EACH_TIME
]


@pytest.mark.rows(test=3)
@pytest.mark.parametrize(("cast", "plot", "switches"), [*EACH_TIME, *BY_NIGHT], ids=name_of)
def test_no_schedule_loses_or_leaks_a_revision(
    cast: Cast, plot: Plot, switches: int, record_property: Callable[[str, object], None]
) -> None:
    found = Search(scene(plot, cast)).explore(switches)
    expect_no_loss(found, record_property)


WITH_SECRET = Cast(has_secret=True)
AN_ARRIVAL_EACH_TIME = [
    (scenes.scene, scenes.arrives, Cast(), 2),
    (scenes.first_scene, scenes.arrives, Cast(), 2),
    (scenes.first_scene, scenes.arrives, WITH_SECRET, 2),
    (scenes.scene, scenes.arrives_while_controllers_act, WITH_SECRET, 1),
]
AN_ARRIVAL_AT_NIGHT = [
    *product((scenes.scene, scenes.first_scene), scenes.ARRIVALS, CASTS, [2]),
    *product((scenes.scene, scenes.first_scene), (scenes.arrives,), [Cast(), WITH_SECRET], [4]),
]
AN_ARRIVAL_BY_NIGHT = [
    pytest.param(*row, marks=pytest.mark.nightly)
    for row in AN_ARRIVAL_AT_NIGHT
    if row not in AN_ARRIVAL_EACH_TIME
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    ("begin", "plot", "cast", "switches"),
    [*AN_ARRIVAL_EACH_TIME, *AN_ARRIVAL_BY_NIGHT],
    ids=name_of,
)
def test_a_job_that_succeeds_has_linked_what_came_at_any_moment_of_its_run(
    begin: Callable[[Plot, Cast], Scene],
    plot: Plot,
    cast: Cast,
    switches: int,
    record_property: Callable[[str, object], None],
) -> None:
    found = Search(begin(plot, cast)).explore(switches)
    expect_no_loss(found, record_property)


BEHIND = [
    (scenes.installed_again, Cast(), 2),
    (scenes.installed_again, WITH_SECRET, 1),
    (scenes.gone_back, WITH_SECRET, 2),
    (scenes.gone_back_between_releases, WITH_SECRET, 2),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("begin", "cast", "switches"), BEHIND, ids=name_of)
def test_a_collector_that_is_behind_takes_nothing_after_the_first_look_of_a_run(
    begin: Callable[[Cast], Scene],
    cast: Cast,
    switches: int,
    record_property: Callable[[str, object], None],
) -> None:
    """What it takes before that look is lost: decision 76 says why nothing can hold it until then."""
    whole = begin(cast)
    assert Search(whole).explore(switches).losing
    found = Search(scenes.after_its_first_look(whole)).explore(switches)
    expect_no_loss(found, record_property)


TAKEN, TAKEN_WITH_SECRET = Cast(deployer=replacing), Cast(has_secret=True, deployer=replacing)
TAKEN_EACH_TIME = [
    (partial(scene, scenes.back), TAKEN, 1),
    (partial(scene, scenes.back_then_forth), TAKEN_WITH_SECRET, 1),
    (partial(scene, scenes.somebody_deletes_the_inventory), TAKEN, 1),
    (partial(first_scene, scenes.arrives), TAKEN, 2),
    (scenes.installed_again, TAKEN, 2),
    (scenes.gone_back, TAKEN_WITH_SECRET, 2),
    (scenes.gone_back_between_releases, TAKEN_WITH_SECRET, 2),
]
TAKEN_AT_NIGHT = [
    (partial(scene, scenes.back_then_forth), TAKEN, 2),
    (partial(scene, scenes.back), TAKEN_WITH_SECRET, 1),
    (partial(scene, scenes.back_with_the_job_of_each), TAKEN_WITH_SECRET, 1),
]
TAKEN_BY_NIGHT = [pytest.param(*row, marks=pytest.mark.nightly) for row in TAKEN_AT_NIGHT]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    ("begin", "cast", "switches"), [*TAKEN_EACH_TIME, *TAKEN_BY_NIGHT], ids=name_of
)
def test_a_deployer_that_takes_all_owners_away_loses_nothing_and_what_it_leaves_is_named(
    begin: Callable[[Cast], Scene],
    cast: Cast,
    switches: int,
    record_property: Callable[[str, object], None],
) -> None:
    """As `helm rollback` without server-side apply does. It keeps what the collector was about to take, too."""
    found = Search(begin(cast)).explore(switches)
    expect_no_loss(found, record_property)


def test_a_collector_that_is_behind_takes_nothing_that_no_release_goes_back_to(
    record_property: Callable[[str, object], None],
) -> None:
    """So what goes after the end of a run, as in a quiet moment of a test on a busy machine, is not needed."""
    found = Search(scenes.left_behind(WITH_SECRET)).explore(2)
    expect_no_loss(found, record_property)


IN_TURN = ("a-shop", "z-shop")
"""Sets that a run comes to before the one of the scene, and after it."""

ALONE, AMONG = Cast(is_shared=True), Cast(is_shared=True, others=IN_TURN)
FOR_ALL_EACH_TIME = [
    (scenes.back_between_runs_for_all_sets, ALONE, 2),
    (scenes.back_between_runs_for_all_sets, AMONG, 1),
    (scenes.back_between_runs_for_all_sets, Cast(is_shared=True, has_secret=True), 1),
    (scenes.back_then_forth_beside_the_one_linker, ALONE, 1),
    (scenes.two_runs_for_all_sets, ALONE, 1),
    (scenes.leaves_its_job, Cast(), 1),
    (scenes.leaves_its_job_and_goes_back, Cast(), 1),
    (scenes.gets_a_job_of_its_own, AMONG._replace(others=IN_TURN[:1]), 1),
]
FOR_ALL_BY_NIGHT = [
    pytest.param(*row, marks=pytest.mark.nightly)
    for row in (
        (scenes.back_between_runs_for_all_sets, AMONG, 2),
        (scenes.back_between_runs_for_all_sets, AMONG._replace(kind="StatefulSet"), 2),
        (scenes.back_then_forth_beside_the_one_linker, AMONG, 2),
        (scenes.two_runs_for_all_sets, AMONG, 1),
        (scenes.leaves_its_job, Cast(others=IN_TURN), 1),
        (scenes.gets_a_job_of_its_own, AMONG, 1),
    )
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    ("plot", "cast", "switches"), [*FOR_ALL_EACH_TIME, *FOR_ALL_BY_NIGHT], ids=name_of
)
def test_no_schedule_of_the_one_linker_loses_or_leaks_a_revision(
    plot: Plot, cast: Cast, switches: int, record_property: Callable[[str, object], None]
) -> None:
    found = Search(scene(plot, cast)).explore(switches)
    expect_no_loss(found, record_property)


RENAMED_EACH_TIME = [
    (scenes.a_set_is_renamed, Cast(), 1),
    (scenes.a_set_is_renamed, WITH_SECRET, 1),
    (scenes.a_set_is_renamed_after_its_job, Cast(), 1),
    (scenes.a_set_is_renamed_and_goes_back, Cast(), 1),
    (scenes.a_set_is_renamed_and_gets_its_name_back, Cast(), 1),
    (scenes.a_set_is_renamed_beside_the_one_linker, ALONE, 1),
    (scenes.a_set_gets_its_name_back_beside_the_one_linker, ALONE, 1),
    (scenes.a_set_takes_over_one_that_is_alive, ALONE, 1),
    (scenes.a_set_takes_over_one_whose_inventory_is_deleted, ALONE, 1),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("plot", "cast", "switches"), RENAMED_EACH_TIME, ids=name_of)
def test_a_revision_of_a_former_set_goes_when_and_only_when_nothing_references_it(
    plot: Plot, cast: Cast, switches: int, record_property: Callable[[str, object], None]
) -> None:
    found = Search(scene(plot, cast)).explore(switches)
    expect_no_loss(found, record_property)


def former_sets_are_left_alone(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Configs, "with_former", lambda set_name, list_set: list_set(set_name))


def whoever_is_named_is_a_former_set(patch: pytest.MonkeyPatch) -> None:
    """Take the word of an inventory for it, though the other set has one of its own, which lists what stays."""
    with_former = Configs.with_former

    def believe(set_name: str, list_set: Callable[[str], Configs]) -> Configs:
        def list_former(name: str) -> Configs:
            found = list_set(name)
            return found if name == set_name else found._replace(inventory=None)

        return with_former(set_name, list_former)

    patch.setattr(Configs, "with_former", believe)
    patch.setattr(Observation, "rendered_elsewhere", frozenset())


def its_inventory_is_the_only_owner(patch: pytest.MonkeyPatch) -> None:
    """Let a set own what another one has just been given back, when its own inventory is about to go."""
    with_former = Configs.with_former

    def take(set_name: str, list_set: Callable[[str], Configs]) -> Configs:
        found = with_former(set_name, list_set)
        own = [one._replace(set_name=set_name) for one in found.revisions]
        return found._replace(revisions=own)

    patch.setattr(Configs, "with_former", take)


TAKES_TOO_MUCH = [
    (former_sets_are_left_alone, scenes.a_set_is_renamed_after_its_job, Cast(), 0),
    (whoever_is_named_is_a_former_set, scenes.a_set_takes_over_one_that_is_alive, ALONE, 1),
    (
        its_inventory_is_the_only_owner,
        scenes.a_set_gets_its_name_back_beside_the_one_linker,
        ALONE,
        1,
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("bug", "plot", "cast", "switches"), TAKES_TOO_MUCH, ids=name_of)
def test_a_linker_that_takes_too_little_or_too_much_of_a_former_set_is_found(
    bug: Mutation, plot: Plot, cast: Cast, switches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    assert Search(scene(plot, cast)).explore(switches).losing


def a_look_is_used_again(patch: pytest.MonkeyPatch) -> None:
    """Let the second look of a set be the one in which it has marked the revision."""
    patch.setattr(SharedLooks, "look_for", lambda shared, _: shared.look)


def kinds_are_listed_before_revisions(patch: pytest.MonkeyPatch) -> None:
    """Keep the kinds of the former look, and list only ConfigMaps anew."""
    begin = SharedLooks._begin  # noqa: SLF001  # to change it

    def keep(shared: SharedLooks) -> Look:
        look = begin(shared)
        if hasattr(shared, "look"):
            look._kinds = shared.look._kinds  # noqa: SLF001
        return look

    patch.setattr(SharedLooks, "_begin", keep)


def a_grace_counts_for_any_version(patch: pytest.MonkeyPatch) -> None:
    """Wait once for all sets, and not again for what was written and marked anew since."""
    patch.setattr(SharedLooks, "let_grace_pass", lambda *_: None)


SHARES_TOO_MUCH = [
    (
        a_grace_counts_for_any_version,
        scenes.back_between_runs_for_all_sets,
        AMONG._replace(others=IN_TURN[:1]),
        2,
    ),
    (a_look_is_used_again, scenes.back_between_runs_for_all_sets, ALONE, 1),
    (a_look_is_used_again, scenes.back_between_runs_for_all_sets, AMONG, 1),
    (kinds_are_listed_before_revisions, scenes.back_then_forth_beside_the_one_linker, ALONE, 2),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("bug", "plot", "cast", "switches"), SHARES_TOO_MUCH, ids=name_of)
def test_a_linker_that_shares_too_much_is_found(
    bug: Mutation, plot: Plot, cast: Cast, switches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    assert Search(scene(plot, cast)).explore(switches).losing


STATEFUL_SET = Cast("StatefulSet")


class Bug(NamedTuple):
    """A deliberate bug, and a scene that finds it with so many switches, and with no fewer."""

    mutation: Mutation
    cast: Cast
    plot: Plot
    switches: int


BUGS = [
    Bug(mutants.only_its_own_plan_is_rendered, Cast(), scenes.back, 1),
    Bug(mutants.the_inventory_is_no_owner, STATEFUL_SET, scenes.back_then_forth_with_a_cron_job, 0),
    Bug(mutants.only_the_inventory_is_an_owner, Cast(), scenes.somebody_deletes_the_inventory, 0),
    Bug(mutants.owners_are_replaced, STATEFUL_SET, scenes.back_then_forth, 0),
    Bug(mutants.it_does_not_wait, Cast(), scenes.back, 1),
    Bug(mutants.it_does_not_look_again, Cast(), scenes.back, 1),
    Bug(mutants.it_deletes_any_version, Cast(), scenes.back, 1),
    Bug(mutants.annotations_are_not_given_back, Cast(), scenes.back, 1),
    Bug(mutants.templates_speak_for_their_pods, STATEFUL_SET, scenes.back, 0),
    Bug(mutants.versions_are_not_compared, Cast(), scenes.back_then_forth, 2),
    Bug(mutants.new_objects_are_not_read, Cast(), scenes.back_then_forth, 1),
]
"""Decision 68 says how many schedules it took, and how many of them lose a revision."""


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.mutation.__name__)
def test_a_linker_with_a_bug_is_found_with_so_many_switches(
    bug: Bug, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    bug.mutation(monkeypatch)
    search = Search(scene(bug.plot, bug.cast))
    assert [search.explore(fewer).losing for fewer in range(bug.switches)] == [0] * bug.switches
    found = search.explore(bug.switches)
    record_property("schedules", found.schedules)
    assert found.losing
    assert found.shortest is not None
    assert found.shortest.switches == bug.switches


def test_every_deliberate_bug_has_its_row() -> None:
    assert {bug.mutation for bug in BUGS} == {*mutants.MUTATIONS, *mutants.OF_LONG_STORIES}


ASSUMED = [
    (scenes.somebody_applies_both_at_once, EVER, True),
    (scenes.somebody_applies_the_workload_alone, EVER, False),
    (scenes.somebody_applies_the_revision_and_then_the_workload, 10, True),
    (scenes.somebody_applies_the_revision_and_then_the_workload, 11, False),
    (scenes.a_cron_job_runs_while_somebody_applies_both, 60, True),
    (scenes.a_cron_job_runs_while_somebody_applies_both, 61, False),
    (scenes.somebody_undoes_what_is_trimmed_meanwhile, 10, True),
    (scenes.somebody_undoes_what_is_trimmed_meanwhile, 11, False),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("plot", "seconds", "is_kept"), ASSUMED, ids=name_of)
def test_a_reference_that_comes_without_an_inventory(
    plot: Callable[..., list[Actor]], seconds: float, *, is_kept: bool
) -> None:
    """Who makes it has less than so many seconds between two steps."""
    cast = Cast(limit=int(plot is scenes.somebody_undoes_what_is_trimmed_meanwhile))
    found = Search(scene(partial(plot, patience=seconds), cast)).explore(2)
    assert (found.losing == 0) == is_kept, (
        f"{found.losing} of {found.schedules} schedules:\n{found.shortest}"
    )
