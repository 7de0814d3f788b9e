"""Two sets of a namespace render one revision: whoever looks last deletes it, and nobody loses it.

Its label is that of the set whose deployer has written it last. `web` is the set of the other scenes. The set `other`
has a workload that reads the revision of B.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from krm_fn.base.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.linker import link_all_sets, wait
from krm_fn.linker.objects import Observation
from tests.linker.explorer.actors import Hands, Run, SceneModel, Step
from tests.linker.explorer.recorded_run import Linker
from tests.linker.explorer.scenes import COLLECT, SECONDS, WATCHED, Cast
from tests.linker.explorer.search import Scene, Search
from tests.linker.explorer.test_schedules import expect_no_loss, name_of
from tests.linker.manifests import inventory, of_set, pods, revision, workload
from tests.linker.model.deployers import apply
from tests.linker.model.mutants import Mutation
from tests.linker.model.rendering import MINIMUM_AGE
from tests.linker.object_store import Object

OWN = f"other-config-{'b' * 10}"
JOB, ALL = Cast(), Cast(is_shared=True)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait, "_HISTORY_TIMEOUT", 2.0)
    monkeypatch.setattr(link_all_sets, "shuffle", lambda names: names.sort())


def common(cast: Cast) -> str:
    """Return the name of the revision that both sets render."""
    return cast.rendering("B").names[0].name


class Other(NamedTuple):
    """A rendering of the other set, with the common revision or without."""

    cast: Cast
    has_common: bool = True

    @property
    def names(self) -> list[str]:
        return [OWN, *([common(self.cast)] if self.has_common else [])]

    @property
    def plan(self) -> LinkPlan:
        revisions = tuple(RevisionName("ConfigMap", name) for name in self.names)
        workloads = (Workload("apps/v1", "Deployment", "other", revisions),)
        return LinkPlan("other", SECONDS, MINIMUM_AGE, workloads)

    @property
    def job(self) -> Run:
        return Run("Job of the other set", Linker(self.plan, SECONDS, WATCHED["Deployment"]))

    def render(self) -> Iterator[Object]:
        """Yield the objects in the order of deployers: by name, and workloads last."""
        listed = inventory(*self.names, is_shared=self.cast.is_shared)
        yield of_set("other", revision(OWN))
        yield of_set("other", listed, name="other-linker")
        for name in self.names[1:]:
            yield of_set("other", revision(name))
        yield workload("Deployment", "other", pods(*self.names))

    @property
    def release(self) -> Hands:
        return Hands("the other deployer", tuple(map(applies, self.render())))


def applies(item: Object) -> Step:
    who = f"{item['kind']}/{item['metadata']['name']}"

    def act(model: SceneModel) -> None:
        apply(model.store, item)

    return Step(f"apply {who}", act)


class BothModel(SceneModel):
    """A namespace with both sets. `other`: the rendering of the other set with which it ends."""

    other: Other

    @classmethod
    def of(cls, model: SceneModel, other: Other) -> "BothModel":
        made = object.__new__(cls)
        vars(made).update(vars(model))
        made.other = other
        made.of_others |= {OWN, "other-linker"}
        return made

    def link_other(self) -> None:
        self.advance(self._start(self.other.plan, ""))

    def finish(self) -> None:
        self.grow_old()
        self.collect_all()
        self.link_other()
        super().finish()  # which fails if the common revision is lost, or left


def begin(cast: Cast, other: Other, *steps: str) -> BothModel:
    """Let both sets render B, and `web` move on to C, without a run after that.

    The deployer of `web` was the last to write the label of the common revision. Of the other set, objects of the
    kinds `steps` are applied; all of them if there are none.
    """
    model = BothModel.of(cast.superseded(), other)
    for item in other.render():
        if not steps or item["kind"] in steps:
            apply(model.store, item)
    apply(model.store, revision(common(cast)))
    if not steps:
        model.link_other()
        model.advance(model.link_by_hand())
    model.commit(cast.rendering("C"))
    model.sync()
    model.reconcile("web")
    model.trim_all()
    while model.store.of_kind("Pod"):
        model.stop_pod(0)
    model.grow_old()
    return model


def links(cast: Cast) -> Run:
    return cast.shared_run() if cast.is_shared else cast.job("C")


def links_other(other: Other) -> Run:
    return other.cast.shared_run() if other.cast.is_shared else other.job


def web_has_moved_on(cast: Cast) -> Scene:
    other = Other(cast)
    return Scene(begin(cast, other), (links(cast), links_other(other)))


def the_other_set_moves_on_too(cast: Cast) -> Scene:
    before, after = Other(cast), Other(cast, has_common=False)
    model = BothModel.of(begin(cast, before), after)
    return Scene(model, (links(cast), after.release, links_other(after)))


def the_other_set_comes_back(cast: Cast) -> Scene:
    before, after = Other(cast, has_common=False), Other(cast)
    model = BothModel.of(begin(cast, before), after)
    return Scene(model, (links(cast), after.release, links_other(after)))


def the_workload_of_the_other_set_comes_late(cast: Cast) -> Scene:
    """Let it be applied long after the inventory and the revision, as behind a wave that waits."""
    other = Other(cast)
    *_, late = other.render()
    hands = Hands("the other deployer", (applies(late),))
    return Scene(begin(cast, other, "ConfigMap"), (links(cast), hands, links_other(other)))


def the_other_set_is_uninstalled(cast: Cast) -> Scene:
    after = Other(cast, has_common=False)

    def delete(kind: str, name: str) -> Step:
        def act(model: SceneModel) -> None:
            model.store.remove(model.store.get(kind, name))

        return Step(f"delete {kind}/{name}", act)

    steps = delete("Deployment", "other"), delete("ConfigMap", "other-linker"), COLLECT
    model = BothModel.of(begin(cast, Other(cast)), after)
    return Scene(model, (links(cast), Hands("the other deployer", steps)))


Begin = Callable[[Cast], Scene]
PLOTS: list[tuple[Begin, int]] = [
    (web_has_moved_on, 2),
    (the_other_set_moves_on_too, 1),
    (the_other_set_comes_back, 1),
    (the_workload_of_the_other_set_comes_late, 1),
    (the_other_set_is_uninstalled, 1),
]
SCENES = [(plot, cast, switches) for plot, switches in PLOTS for cast in (JOB, ALL)]


@pytest.mark.rows(test=2)
@pytest.mark.parametrize(("begin_scene", "cast", "switches"), SCENES, ids=name_of)
def test_no_schedule_of_two_sets_loses_or_leaks_what_both_render(
    begin_scene: Begin,
    cast: Cast,
    switches: int,
    record_property: Callable[[str, object], None],
) -> None:
    found = Search(begin_scene(cast)).explore(switches)
    expect_no_loss(found, record_property)


def other_inventories_do_not_count(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Observation, "rendered_elsewhere", frozenset())


def the_inventory_of_the_other_set_is_a_stranger(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Observation, "peers", frozenset())


BUGS: list[tuple[Mutation, Begin, Cast]] = [
    (other_inventories_do_not_count, the_workload_of_the_other_set_comes_late, JOB),
    (other_inventories_do_not_count, the_workload_of_the_other_set_comes_late, ALL),
    (the_inventory_of_the_other_set_is_a_stranger, the_other_set_moves_on_too, JOB),
    (the_inventory_of_the_other_set_is_a_stranger, the_other_set_moves_on_too, ALL),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("bug", "begin_scene", "cast"), BUGS, ids=name_of)
def test_a_linker_that_ignores_the_other_set_is_found(
    bug: Mutation, begin_scene: Begin, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    bug(monkeypatch)
    assert Search(begin_scene(cast)).explore(1).losing
