"""Run the function over what it has written: a rendering that nobody has touched stays as it is.

Whatever a run would change is a finding. Where no configuration is known, the objects say what it
was, and only what the function adds to revisions and beside them is written again.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, SetFields, SetText, combine_patches
from krm_fn.base.item import Item, about
from krm_fn.base.link_plan import Unreadable
from krm_fn.base.node import step
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Environment, Hooks, Settings
from krm_fn.core.decide.decide import Revision, Revisions, Run
from krm_fn.core.yaml.yaml import plan_patch
from krm_fn.extras.emit_linker import SetLinker, emit_linker
from krm_fn.extras.read_linker import read_linker
from krm_fn.function import decide_package
from krm_fn.tools.common.rendered import read_plan
from krm_fn.tools.verify.check_names import deployers_of, find_protecting
from krm_fn.tools.verify.check_rights import AuthoredRules
from krm_fn.tools.verify.compare import compare_objects
from krm_fn.tools.verify.rendering import RenderedSet, Rendering
from krm_fn.transform import make_survey, write_again

_CHANGED = "is not as krm-fn writes it: something has changed it after krm-fn, which must run last"
_CHECKSUM = "is not the checksum of what pods read: something has changed it after krm-fn, which must run last"
_RISKS = {
    keys.WANTED: "the linker may delete it",
    keys.RETAIN: "the linker deletes it, because it sees no reference",
}


def check_again(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[Problem]:
    """Find what a run would change, set by set.

    Nothing on an object says whose checksum or mount it has. So of several configurations, none is
    run as a whole.
    """
    package = rendering.package
    configured = [one for one in rendering.sets.values() if one.configured]
    rules = AuthoredRules(package)
    for one in rendering.sets.values():
        settings, environment = _read_settings(one, rendering, deployers)
        # Of an adopted object that kustomize has named, only the configuration says that it is one.
        in_part = settings._replace(immutable=False)
        survey = make_survey(package, in_part, environment, rendering.run.references)
        written = _read_set(one, rendering)
        appliers = deployers_of(one, deployers) or find_protecting(one)
        run = emit_linker(write_again(survey, written, appliers))
        found = [*_check_added(one, rendering, run)]
        if settings.linker.enabled and settings.linker.account:
            revisions, consumers = written.revisions.rendered, written.consumers
            found += rules.check(SetLinker(revisions, consumers, package, settings))
        if configured == [one] and not found:
            # What the linker needs is compared already.
            alone = settings._replace(linker=settings.linker._replace(enabled=False))
            run = decide_package(package, alone, environment)
            found += [*_check_edits(run.changes, settings, {}), *_errors_of(run)]
        yield from found


def _check_added(one: RenderedSet, rendering: Rendering, run: Run) -> Iterator[Problem]:
    """Find what a run changes of all that the function adds to revisions and beside them."""
    changes = run.changes
    if not one.has_linker:  # nobody reads the marks
        changes = changes._replace(patches=())
    edits = [*_check_edits(changes, run.settings, _find_planned(one))]
    yield from edits
    if not edits:  # else much of what the linker's objects say is a consequence
        yield from compare_objects(one, rendering, changes)
    yield from _errors_of(run)


def _errors_of(run: Run) -> Iterator[Problem]:
    """Yield the errors. A warning of the function is no sign that something has changed."""
    return (one for one in run.changes.problems if one.severity is Severity.ERROR)


def _read_settings(
    one: RenderedSet, rendering: Rendering, deployers: tuple[str, ...]
) -> tuple[Settings, Environment]:
    """Return the settings of a set; without its configuration, those that its objects show."""
    configured = one.configured.settings if one.configured else None
    linker, image = read_linker(one.emitted, one.name, configured and configured.linker)
    environment = Environment(image=image, namespace=rendering.package.namespace, warns=False)
    if configured is not None:
        return configured._replace(linker=linker, strict=False), environment
    has_copies = any(keys.COPY_OF in item.annotations for item in one.emitted)
    settings = Settings(
        set=one.name,
        deployers=deployers,
        hooks=Hooks.COPY if has_copies else Hooks.LEAVE,
        leave=any(item.annotations.get(keys.LEAVING) == "true" for item in one.emitted),
        linker=linker,
    )
    return settings, environment


def _read_set(one: RenderedSet, rendering: Rendering) -> Run:
    """Return the run that leaves one set as it is."""
    # What is retained has a reader that the linker cannot see: for which reason, only the
    # configuration may say.
    consumers: dict[Item, list[ResolvedReference]] = {}
    for item in (revision.item for revision in one.revisions):
        # The linker of a namespace is told no plan: who knows a reader that nobody finds here?
        is_read = item in rendering.consumers or (one.is_shared and one.configured is None)
        if is_read and keys.RETAIN not in item.annotations:
            consumers[item] = rendering.consumers.get(item, [])
    revisions = Revisions(map(_as_recorded, one.revisions))
    return rendering.run._replace(revisions=revisions, consumers=consumers)


def _as_recorded(revision: Revision) -> Revision:
    """Return a revision under its recorded base name, also where a prefix was added since."""
    recorded, name = revision.item.annotations[keys.BASE_NAME], revision.item.id.name
    is_adopted = revision.base_name == name and recorded in name
    is_sound = bool(revision.hash_in_name) or is_adopted
    return revision._replace(base_name=recorded) if is_sound else revision


def _check_edits(
    changes: Changes, settings: Settings, planned: Mapping[str, str]
) -> Iterator[Problem]:
    """Say of each object the first field that a run would change. `planned`: what Jobs wait for."""
    edits = [*changes.edits]
    for item, patch in combine_patches(changes.patches):
        edits += plan_patch(item, patch)
    first: dict[Item, Edit] = {}
    for edit in edits:
        first.setdefault(edit.item, edit)
    for item, edit in first.items():
        field, change, message = edit.field, edit.change, _CHANGED
        if isinstance(change, SetFields):
            names = [name for name, _ in change.add] + [*change.drop]
            field = step(edit.field, names[0])
        name = field.rpartition("[")[2].rstrip("]")
        found = item.annotations.get(name)
        if name == settings.checksums.annotation:
            message = _CHECKSUM
        elif name == keys.RETAIN and item.id.name in planned:
            field = ""
            message = f"nothing references it, but the linker's Job waits until {planned[item.id.name]} does"
        elif name in _RISKS:
            is_what = "missing" if found is None else f"found {found!r}"
            message = f"{is_what}: {_RISKS[name]}; expected 'true'"
        elif name.startswith(keys.PREFIX) and isinstance(change, SetText):
            message = f"found {change.node.value!r}, expected {change.text!r}"
        yield about(item, message, field)


def _find_planned(one: RenderedSet) -> dict[str, str]:
    """Return the workloads for which Jobs wait, by the names of the revisions that these are to reference."""
    planned: dict[str, str] = {}
    for item in one.emitted:
        with suppress(Unreadable):
            for workload in read_plan(item).workloads:
                who = str(workload).partition("=")[0]
                planned |= {revision.name: who for revision in workload.revisions}
    return planned
