"""The smallest namespaces that show the guarantee: one workload, two revisions, and who acts there.

Nobody in them writes a Job: the runs of the linker are actors, so a release applies none. `test_assumptions` and
`test_model` tell those stories. Where there is a Secret, there is a second workload, which reads it.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from krm_fn.base.link_plan import LinkPlan
from tests.linker import garbage_collector
from tests.linker.explorer.actors import (
    Actor,
    Hands,
    LateCollector,
    Release,
    Run,
    SceneModel,
    Step,
)
from tests.linker.explorer.recorded_run import Linker, LinkerForAllSets
from tests.linker.explorer.search import Scene
from tests.linker.manifests import inventory, of_set
from tests.linker.model.deployers import Deployer, apply, flux_like
from tests.linker.model.rendering import MINIMUM_AGE, Rendering, render

SECONDS = 45
"""A run's deadline: enough to wait for what is missing, and then to delete."""

SCHEDULED_SECONDS = 150

WATCHED = {
    "Deployment": frozenset({"ConfigMap", "Deployment", "ReplicaSet"}),
    "StatefulSet": frozenset({"ConfigMap", "StatefulSet", "ControllerRevision", "Pod"}),
    "ReplicaSet": frozenset({"ConfigMap", "ReplicaSet", "Pod"}),
}
"""What somebody in a scene writes, by the kind of its workload."""


class Cast(NamedTuple):
    """What can be in a scene, by the kind of its workload and the limit of its history."""

    kind: str = "Deployment"
    limit: int = 0
    has_secret: bool = False
    deployer: Deployer = flux_like
    is_shared: bool = False
    others: tuple[str, ...] = ()
    has_nightly: bool = False
    is_leaving: bool = False
    set: str = "web"
    former_sets: tuple[str, ...] = ()

    def rendering(self, letter: str) -> Rendering:
        version = "ABC".index(letter)
        return Rendering(
            is_shared=self.is_shared,
            has_nightly=self.has_nightly,
            nightly=version,
            is_leaving=self.is_leaving,
            set=self.set,
            former_sets=self.former_sets,
            kind=self.kind,
            has_api=self.has_secret,
            has_jobs=False,
            shared=version,
            password=version,
        )

    @property
    def watched(self) -> frozenset[str]:
        nightly = {"Secret", "CronWorkflow", "Workflow"} if self.has_nightly else set()
        return WATCHED[self.kind] | nightly | ({"Secret", "Rollout"} if self.has_secret else set())

    def empty(self) -> SceneModel:
        """Build a namespace in which nothing is installed."""
        return SceneModel(self.rendering("A"), self.deployer, (self.limit, self.limit))

    def superseded(self) -> SceneModel:
        """Build a namespace that has gone from A to B.

        If it keeps no history, the next run deletes what only A has.
        """
        model = self.empty()
        for letter in "AB":
            model.commit(self.rendering(letter))
            model.sync()
            model.reconcile("web")
            model.reconcile("api")
            model.advance(model.link_by_hand())
            model.settle()
        while model.store.of_kind("Pod"):
            model.stop_pod(0)
        model.settle()
        for name in self.others:
            model.add_other_set(name)
        model.grow_old()
        return model

    def installed_again(self) -> SceneModel:
        """Build a namespace in which B was uninstalled and applied again, and nothing was collected meanwhile."""
        model = self.superseded()
        for item in model.store.of_kind("Deployment", "Rollout", self.kind):
            garbage_collector.delete(model.store, item)
        model.delete_inventory()
        return self._apply_before_the_collector(model, "B")

    def gone_back(self) -> SceneModel:
        """Build a namespace that goes back to A after a run has deleted its tracker, and nothing was collected."""
        model = self.superseded()
        model.has_late_collector = True
        model.advance(model.link_by_hand())
        return self._apply_before_the_collector(model, "A")

    def _apply_before_the_collector(self, model: SceneModel, letter: str) -> SceneModel:
        model.has_late_collector = True
        model.commit(self.rendering(letter))
        model.sync()
        return model

    def job(self, letter: str) -> Run:
        return Run(f"Job of {letter}", Linker(self.rendering(letter).plan, SECONDS, self.watched))

    def cron_job(self, letter: str) -> Run:
        plan = self.rendering(letter).scheduled_plan
        return Run(f"CronJob of {letter}", Linker(plan, SCHEDULED_SECONDS, self.watched))

    def shared_run(self) -> Run:
        plan = LinkPlan("", timeout=SCHEDULED_SECONDS, minimum_age=MINIMUM_AGE, waits=False)
        return Run("run for all sets", LinkerForAllSets(plan, SCHEDULED_SECONDS, self.watched))

    def release(self, letter: str) -> Release:
        return Release(f"release of {letter}", self.rendering(letter))


CONTROLLERS = Hands(
    "controllers",
    (
        Step("reconcile", lambda model: model.reconcile("web")),
        Step("trim", lambda model: model.trim("web")),
        Step("collect", lambda model: model.collect_all()),
    ),
)
CONTROLLER = CONTROLLERS._replace(steps=CONTROLLERS.steps[:1])


COLLECT = CONTROLLERS.steps[-1]


def person(*steps: Step, patience: float = float("inf")) -> Hands:
    return Hands("person", steps, patience)


def arrives(cast: Cast) -> list[Actor]:
    """Apply a rendering while its own Job runs, at any moment of the run."""
    return [cast.job("C")._replace(seen=frozenset()), cast.release("C")]


def arrives_while_controllers_act(cast: Cast) -> list[Actor]:
    return [*arrives(cast), CONTROLLER]


ARRIVALS = (arrives, arrives_while_controllers_act)


def back(cast: Cast) -> list[Actor]:
    return [cast.job("B"), cast.cron_job("B"), cast.release("A"), CONTROLLERS]


def back_with_the_job_of_each(cast: Cast) -> list[Actor]:
    return [cast.job("B"), cast.job("A"), cast.release("A"), CONTROLLERS]


def back_then_forth(cast: Cast) -> list[Actor]:
    """Another release begins, maybe in the middle of the one that goes back."""
    return [cast.job("B"), cast.release("A"), cast.release("B"), CONTROLLER]


def back_then_forth_with_a_cron_job(cast: Cast) -> list[Actor]:
    return [*back(cast), cast.release("B")]


def on_to_a_third_revision(cast: Cast) -> list[Actor]:
    return [cast.job("B"), cast.cron_job("B"), cast.release("C"), CONTROLLERS]


def on_while_somebody_undoes_it(cast: Cast) -> list[Actor]:
    return [*on_to_a_third_revision(cast), person(Step("undo", lambda model: model.undo("web", 0)))]


def back_while_somebody_deletes_the_workload(cast: Cast) -> list[Actor]:
    delete = Step("delete the workload", lambda model: model.delete("web", "Background"))
    return [*back(cast), person(delete, COLLECT)]


def back_while_somebody_orphans_its_history(cast: Cast) -> list[Actor]:
    return [*back(cast), person(Step("orphan", lambda model: model.delete("web", "Orphan")))]


def another_image_while_somebody_restarts(cast: Cast) -> list[Actor]:
    image = Release("release of another image", cast.rendering("B")._replace(image=1))
    restart = person(Step("restart", lambda model: model.restart("web")))
    return [
        cast.job("B"),
        image,
        restart,
        CONTROLLERS,
        CONTROLLERS._replace(name="controllers, later"),
    ]


def somebody_deletes_the_inventory(cast: Cast) -> list[Actor]:
    delete = Step("delete the inventory", lambda model: model.delete_inventory())
    return [cast.job("B"), cast.cron_job("B"), cast.release("B"), person(delete, COLLECT)]


BEGIN_WORKFLOW = Step("begin a Workflow", lambda model: model.begin_workflow())


def a_workflow_begins_while_its_maker_moves_on(cast: Cast) -> list[Actor]:
    return [cast.job("B"), cast.release("C"), person(BEGIN_WORKFLOW)]


def a_workflow_begins_before_its_maker_is_dropped(cast: Cast) -> list[Actor]:
    without = cast._replace(has_nightly=False)
    return [without.job("B"), without.release("B"), person(BEGIN_WORKFLOW)]


def its_maker_is_created_anew_for_the_one_linker(cast: Cast) -> list[Actor]:
    """Let the set leave its Job for a linker that is not told the kind of the maker."""
    after = cast._replace(is_shared=True)
    delete = Step("delete the maker", lambda model: model.delete("nightly", "Background"))
    return [cast.shared_run(), after.release("B"), person(delete, COLLECT)]


def a_set_leaves_while_its_workloads_go(cast: Cast) -> list[Actor]:
    after = cast._replace(is_leaving=True)
    delete = Step("delete the maker", lambda model: model.delete("nightly", "Background"))
    return [after.job("B"), after.release("B"), person(delete, COLLECT)]


OF_NIGHTLY = (
    a_workflow_begins_while_its_maker_moves_on,
    a_workflow_begins_before_its_maker_is_dropped,
    its_maker_is_created_anew_for_the_one_linker,
    a_set_leaves_while_its_workloads_go,
)


def a_pod_stops(cast: Cast) -> list[Actor]:
    return [
        *back_then_forth_with_a_cron_job(cast),
        person(Step("stop a pod", lambda model: model.stop_pod(0))),
    ]


PLOTS = (
    back,
    back_with_the_job_of_each,
    back_then_forth,
    back_then_forth_with_a_cron_job,
    on_to_a_third_revision,
    on_while_somebody_undoes_it,
    back_while_somebody_deletes_the_workload,
    back_while_somebody_orphans_its_history,
    another_image_while_somebody_restarts,
    somebody_deletes_the_inventory,
    a_pod_stops,
)


# The one linker of the namespace


def back_between_runs_for_all_sets(cast: Cast) -> list[Actor]:
    return [cast.shared_run(), cast.release("A"), CONTROLLERS]


def back_then_forth_beside_the_one_linker(cast: Cast) -> list[Actor]:
    return [cast.shared_run(), cast.release("A"), cast.release("B"), CONTROLLER]


def two_runs_for_all_sets(cast: Cast) -> list[Actor]:
    return [cast.shared_run(), cast.shared_run(), cast.release("A"), CONTROLLER]


def leaves_its_job(cast: Cast) -> list[Actor]:
    """Go back with a rendering that has no Job any more, while the former Job runs."""
    after = cast._replace(is_shared=not cast.is_shared)
    return [cast.job("B"), cast.shared_run(), after.release("A"), CONTROLLERS]


def gets_a_job_of_its_own(cast: Cast) -> list[Actor]:
    after = cast._replace(is_shared=not cast.is_shared)
    return [cast.shared_run(), after.job("A"), after.release("A"), CONTROLLERS]


def leaves_its_job_and_goes_back(cast: Cast) -> list[Actor]:
    after = cast._replace(is_shared=not cast.is_shared)
    return [cast.job("B"), cast.shared_run(), after.release("A"), cast.release("B"), CONTROLLER]


# A set that is renamed


def _renamed(cast: Cast) -> Cast:
    return cast._replace(set="store", former_sets=("web",))


def a_set_is_renamed(cast: Cast) -> list[Actor]:
    """Rename it with what is rendered, while the former Job runs."""
    after = _renamed(cast)
    return [cast.job("B"), after.job("B"), after.release("B"), CONTROLLERS]


def a_set_is_renamed_after_its_job(cast: Cast) -> list[Actor]:
    after = _renamed(cast)
    return [after.job("B"), after.release("B"), CONTROLLERS]


def a_set_is_renamed_and_goes_back(cast: Cast) -> list[Actor]:
    """Rename it with what a run may be about to delete."""
    after = _renamed(cast)
    return [cast.job("B"), after.job("A"), after.release("A"), CONTROLLERS]


def a_set_is_renamed_and_gets_its_name_back(cast: Cast) -> list[Actor]:
    after = _renamed(cast)
    back = cast._replace(former_sets=("store",))
    return [after.job("C"), after.release("C"), back.release("A"), CONTROLLER]


def a_set_is_renamed_beside_the_one_linker(cast: Cast) -> list[Actor]:
    return [cast.shared_run(), _renamed(cast).release("A"), CONTROLLERS]


def a_set_gets_its_name_back_beside_the_one_linker(cast: Cast) -> list[Actor]:
    back = cast._replace(former_sets=("store",))
    return [cast.shared_run(), _renamed(cast).release("C"), back.release("A"), CONTROLLER]


def _write_inventory(model: SceneModel) -> None:
    listed = inventory(is_shared=True, former_sets=[model.rendering.set])
    model.store.create(of_set("evil", listed, name="evil-linker"))
    model.of_others |= {"evil-linker"}


WANTS_ANOTHER_SET = Step("write an inventory that wants what another set has", _write_inventory)


def a_set_takes_over_one_that_is_alive(cast: Cast) -> list[Actor]:
    return [cast.shared_run(), person(WANTS_ANOTHER_SET), cast.release("A"), CONTROLLER]


def a_set_takes_over_one_whose_inventory_is_deleted(cast: Cast) -> list[Actor]:
    delete = Step("delete the inventory", lambda model: model.delete_inventory())
    give_up = Step(
        "delete the other inventory",
        lambda model: model.store.remove(model.store.get("ConfigMap", "evil-linker")),
    )
    steps = (WANTS_ANOTHER_SET, delete, COLLECT, give_up)
    return [cast.shared_run(), person(*steps), cast.release("A"), CONTROLLER]


# Outside of what the guarantee assumes, or just inside


def applies(cast: Cast, *kinds: str) -> Step:
    """Apply some objects of rendering A, and no inventory that lists the revision."""

    def act(model: SceneModel) -> None:
        for item in render(cast.rendering("A")):
            if item["kind"] in kinds and item["metadata"]["name"] != "web-linker":
                apply(model.store, item)

    return Step(f"apply the old {' and '.join(kinds)}", act)


def somebody_applies_the_workload_alone(cast: Cast, patience: float) -> list[Actor]:
    return [cast.job("B"), person(applies(cast, cast.kind), patience=patience)]


def somebody_applies_both_at_once(cast: Cast, patience: float) -> list[Actor]:
    return [
        cast.job("B"),
        cast.cron_job("B"),
        person(applies(cast, "ConfigMap", cast.kind), patience=patience),
    ]


def somebody_applies_the_revision_and_then_the_workload(cast: Cast, patience: float) -> list[Actor]:
    steps = applies(cast, "ConfigMap"), applies(cast, cast.kind)
    return [cast.job("B"), cast.cron_job("B"), person(*steps, patience=patience)]


def a_cron_job_runs_while_somebody_applies_both(cast: Cast, patience: float) -> list[Actor]:
    steps = applies(cast, "ConfigMap"), applies(cast, cast.kind)
    return [cast.cron_job("B"), person(*steps, patience=patience)]


def somebody_undoes_what_is_trimmed_meanwhile(cast: Cast, patience: float) -> list[Actor]:
    """Somebody reads the template of the old ReplicaSet, and writes it into the workload later."""
    read = Step("read the old ReplicaSet", lambda model: len(model.store.of_kind("ReplicaSet")) > 1)
    trim = Hands("controller", (Step("trim", lambda model: model.trim_all()),))
    return [cast.job("B"), trim, person(read, applies(cast, cast.kind), patience=patience)]


Plot: TypeAlias = Callable[[Cast], list[Actor]]


def scene(plot: Plot, cast: Cast) -> Scene:
    return Scene(cast.superseded(), tuple(plot(cast)))


def first_scene(plot: Plot, cast: Cast) -> Scene:
    """Nothing was installed before."""
    return Scene(cast.empty(), tuple(plot(cast)))


# A garbage collector that is behind


def installed_again(cast: Cast) -> Scene:
    return Scene(cast.installed_again(), (cast.job("B"), CONTROLLER, LateCollector()))


def gone_back(cast: Cast) -> Scene:
    return Scene(cast.gone_back(), (cast.job("A"), CONTROLLER, LateCollector()))


def gone_back_between_releases(cast: Cast) -> Scene:
    """Go back where the Job of that rendering is still there, and does not run again."""
    return Scene(cast.gone_back(), (cast.cron_job("A"), CONTROLLER, LateCollector()))


def left_behind(cast: Cast) -> Scene:
    """Let a run delete the tracker of an old Secret, which the collector takes at any moment after that."""
    model = cast.superseded()
    model.has_late_collector = True
    return Scene(model, (cast.job("B"), CONTROLLER, LateCollector()))


def after_its_first_look(whole: Scene) -> Scene:
    """Let the run that acts first come to its first pause, or to its end, before anybody else acts."""
    model = whole.model.clone()
    run, *others = whole.actors
    while run is not None and model.store.clock == whole.model.store.clock:
        run = run.advance(model)
    return Scene(model, (run, *others))
