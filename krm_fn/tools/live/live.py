"""Compare a rendering with a cluster: what applying it would change, by content."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from krm_fn.base.item import Item, collect, is_revision, is_secret_tracker
from krm_fn.base.kind import is_replaced, kind_of
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, text
from krm_fn.base.problem import Outcome, Problem, Rejected, count, listing, printable
from krm_fn.core.names.names import base_name
from krm_fn.facts.kinds import REVISION_HISTORY_LIMIT
from krm_fn.linker.api import Api
from krm_fn.linker.credentials import Access
from krm_fn.linker.live_cluster import Lists
from krm_fn.linker.owners import say_abandoned
from krm_fn.report.object_change import (
    MAKES_PODS,
    ComparedObject,
    HandEdit,
    ObjectChange,
    Refusal,
    Removal,
    RemovalOutcome,
    is_immutable,
)
from krm_fn.report.secrets import stderr_lines
from krm_fn.report.table import Screen
from krm_fn.tools.common.revision_history import NoAnswer, Retention, RevisionHistory
from krm_fn.tools.diff.compare import compare, find_fate
from krm_fn.tools.diff.diff import write_difference, write_packages
from krm_fn.tools.diff.difference import (
    Difference,
    PackageDifference,
    PackageDifferences,
    PackageState,
    Risk,
)
from krm_fn.tools.diff.pair import (
    Release,
    is_named_by_content,
    pair_emitted,
    pair_items,
    read_release,
)
from krm_fn.tools.diff.sides import (
    DIFFERENT,
    FAILED,
    SAME,
    DiffFormat,
    DiffInput,
    LoneRendering,
    RenderOptions,
    fail_on,
    list_risks,
    render_alone,
)
from krm_fn.tools.diff.write_difference import Extent
from krm_fn.tools.history.ask import connect, explained, patience, read_snapshot
from krm_fn.tools.live.after_applying import Fates, Superseded, find_history_after, find_live_fate
from krm_fn.tools.live.live_object import LiveManifest, find_appliers
from krm_fn.tools.live.project import Projection, project
from krm_fn.tools.live.read_cluster import ClusterReader, LiveManifests
from krm_fn.tools.opened.opened import Inputs

__all__ = [
    "LiveInput",
    "diff_live",
]

_MOST_TOLD = 20
"""Fields set by hand that notes name."""


class LiveInput(NamedTuple):
    """The packages to compare, and the cluster to compare them with. `say` is called with what is waited for.

    `packages`: each of them by itself, in the place of what the inputs name.
    """

    inputs: Inputs
    access: Access
    say: Callable[[str], None]
    refused: frozenset[Risk] = frozenset()
    packages: tuple[str, ...] | None = None


def diff_live(
    compared: LiveInput, options: RenderOptions, form: DiffFormat, screen: Screen, extent: Extent
) -> Outcome:
    """Compare what the paths render to with what is live."""
    if compared.packages is not None:
        return _diff_packages(compared, compared.packages, options, form, screen, extent)
    try:
        difference = _compare(compared, connect(compared.access, compared.say), options)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), FAILED)
    except NoAnswer as error:
        return Outcome(b"", f"error: {printable(str(error))}\n", FAILED)
    key = f"{difference.old} {difference.new}"
    written = write_difference(difference, form, screen, key, extent)
    outcome = Outcome(written.encode(), "", DIFFERENT if difference else SAME)
    return fail_on(outcome, list_risks([difference]), compared.refused)


def _diff_packages(  # noqa: PLR0913, PLR0917  # what is compared, how it is rendered, and how it is written
    compared: LiveInput,
    packages: tuple[str, ...],
    options: RenderOptions,
    form: DiffFormat,
    screen: Screen,
    extent: Extent,
) -> Outcome:
    """Compare each package with what is live of it, and show changes that are the same once."""
    found: list[PackageDifference] = []
    problems: list[Problem] = []
    try:
        api = connect(compared.access, compared.say)
        for path in packages:
            alone = compared._replace(inputs=compared.inputs._replace(paths=(path,)))
            try:
                difference = _compare(alone, api, options)
            except Rejected as rejected:
                problems += rejected.problems
                said = tuple(stderr_lines(rejected.problems).splitlines())
                found.append(PackageDifference(path, PackageState.FAILED, errors=said))
                continue
            state = PackageState.CHANGED if difference else PackageState.SAME
            found.append(PackageDifference(path, state, difference))
    except NoAnswer as error:
        return Outcome(b"", f"error: {printable(str(error))}\n", FAILED)
    return write_packages(
        PackageDifferences("live", tuple(found)),
        problems,
        DiffInput(packages, refused=compared.refused),
        options.limits,
        (form, screen, extent),
    )


def _compare(compared: LiveInput, api: Api, options: RenderOptions) -> Difference:
    """Render the paths, and compare that with what is live. Raises Rejected and NoAnswer."""
    rendering = render_alone(compared.inputs, options)
    namespace = options.environment.namespace
    if not namespace and _needs_namespace(rendering.release):
        namespace = api.namespace()
        # Names, references and the linker depend on the namespace, so all is decided again.
        named = options._replace(environment=options.environment._replace(namespace=namespace))
        rendering = render_alone(compared.inputs, named)
    difference = compare_live(rendering, api, namespace, compared)
    return difference._replace(new=" ".join(compared.inputs.paths))


def _needs_namespace(release: Release) -> bool:
    package = release.package
    items = (*package.authored, *package.emitted)
    return any(
        not package.namespace_of(item) and package.kinds.of(item.id).is_namespaced for item in items
    )


def compare_live(
    rendering: LoneRendering, api: Api, namespace: str, compared: LiveInput
) -> Difference:
    """Compare a rendering with what is live. Raises NoAnswer."""
    release = rendering.release
    namespaces = sorted(
        {release.package.namespace_of(item) for item in release.package.authored} - {""}
    )
    with explained(f"in namespace {', '.join(namespaces)}"):
        own_set = rendering.settings.set if rendering.settings else ""
        found = ClusterReader(api, namespace, compared.say).read(release, own_set)
        live = project_all(found.objects, rendering, namespace)
        difference = compare(
            live.release, release, (f"live in {', '.join(namespaces) or 'the cluster'}", "")
        )
        difference = _without_rolls_back(difference, found, rendering, namespace)
        has_superseded = any(one.old and one.old.set for one in difference.revisions)
        judged = (
            _judge(release, difference, api, compared.say)
            if difference.linker.runs or has_superseded or _may_be_collected(found.objects)
            else _Judged({}, (), ())
        )
    return _complete(difference, live, found, judged, release)


def _may_be_collected(objects: Iterable[LiveManifest]) -> bool:
    """Tell whether a revision has owners, and none of them is among the objects that were read.

    Then they may all be gone: the inventory, which owns each revision, is always read.
    """
    objects = list(objects)
    uids = {one.uid for one in objects}
    return any(
        one.owned_by and uids.isdisjoint(one.owned_by)
        for one in objects
        if is_revision(one.item) or is_secret_tracker(one.item)
    )


def _without_rolls_back(
    difference: Difference, found: LiveManifests, rendering: LoneRendering, namespace: str
) -> Difference:
    """Leave out that a Rollout rolls whose pods run what is rendered already, as its update was aborted."""
    if not found.running:
        return difference
    running = [found.running.get(one.item, one) for one in found.objects]
    release = rendering.release
    again = compare(project_all(running, rendering, namespace).release, release)
    aborted = {
        (item.id.kind, release.package.namespace_of(item), item.id.name) for item in found.running
    }
    back = aborted - {one[:3] for one in again.rolls if one.effect in MAKES_PODS}

    def leave_out(change: ObjectChange) -> ObjectChange:
        is_back = [one[:3] in back and one.effect in MAKES_PODS for one in change.rolls]
        if not any(is_back):
            return change
        rolls = (one for one, left_out in zip(change.rolls, is_back, strict=True) if not left_out)
        return change._replace(rolls=tuple(rolls))

    told = {one[:3] for one in difference.rolls if one.effect in MAKES_PODS} & back
    notes = (
        f"{kind} {name}: its update was aborted, and its pods already run the rendered template: none restarts"
        for kind, _, name in sorted(told)
    )
    return difference._replace(
        revisions=tuple(map(leave_out, difference.revisions)),
        objects=tuple(map(leave_out, difference.objects)),
        notes=(*difference.notes, *notes),
    )


class LiveSide(NamedTuple):
    """The live objects, as a rendering. `raw` is what the API server gave of an object, by its id."""

    release: Release
    projections: tuple[Projection, ...]
    raw: Mapping[tuple[str, ...], Item]


def project_all(
    objects: Iterable[LiveManifest], rendering: LoneRendering, namespace: str
) -> LiveSide:
    """Find what each object is in the rendering, and leave out what applying that does not change."""
    by_item = {one.item: one for one in objects}
    settings, new = rendering.settings, rendering.release
    raw = read_release(by_item, settings, namespace)
    appliers = find_appliers(by_item.values())
    pairs = [*pair_items(raw, new), *pair_emitted(raw, new)[1]]
    projected = {
        pair.old: project(by_item[pair.old], pair.new, appliers)
        for pair in pairs
        if pair.old is not None and pair.new is not None
    }
    items = [projected[item].item if item in projected else item for item in by_item]
    release = read_release(items, settings, namespace)
    return LiveSide(
        release, tuple(projected.values()), {_key(item, release): item for item in by_item}
    )


def _key(item: Item, release: Release) -> tuple[str, ...]:
    return item.id.kind, release.package.namespace_of(item), base_name(item)


class _Judged(NamedTuple):
    """The fates by the linker's plan: of each revision, and of those that nothing else tells of.

    `notes` are about what it would look at and could not be seen, and what is about to be collected.
    """

    fates: Fates
    unused: tuple[ObjectChange, ...]
    notes: tuple[str, ...]


def _judge(new: Release, difference: Difference, api: Api, say: Callable[[str], None]) -> _Judged:
    """Ask the linker's own rules what becomes of revisions once the rendering is applied, as `krm-fn history` does."""
    told = {
        (change.who.kind, change.old.name)
        for change in difference.revisions
        if change.old is not None
    }
    fates: dict[tuple[str, str, str], RevisionHistory] = {}
    changes: list[ObjectChange] = []
    notes: dict[str, None] = {}
    for set_name, namespace in sorted(new.linked_sets):
        api.deadline = patience(say)
        history = find_history_after(read_snapshot(Lists(api, namespace), set_name), new)
        for one in history.entries:
            fates[one.kind, namespace, one.name] = one
            is_unused = one.fate is Retention.NEXT_RUN and difference.linker.runs
            if is_unused and (one.kind, one.name) not in told:
                name = None if one.kind == "Secret" else one.name
                who = ComparedObject("v1", one.kind, namespace, name, one.base, set_name)
                changes.append(ObjectChange(who, None, fate=Removal(RemovalOutcome.UNUSED)))
        for unseen in history.unseen:
            why = f"you need the rule {unseen.rule}" if unseen.rule else unseen.reason
            notes[
                f"not seen, and so it is not known what the linker deletes: {unseen.plural} in {namespace}; {why}"
            ] = None
        for one_set in history.sets:
            if one_set.abandoned:
                names = listing(one_set.abandoned, _MOST_TOLD, is_sentence=True)
                notes[say_abandoned(f"{names} in {namespace}", len(one_set.abandoned))] = None
    return _Judged(fates, tuple(changes), tuple(notes))


def _complete(
    difference: Difference, live: LiveSide, found: LiveManifests, judged: _Judged, new: Release
) -> Difference:
    """Add who has set what differs by hand, and what becomes of what is superseded; leave out what was not seen."""
    edits = {_key(one.item, live.release): one.edits for one in live.projections}
    fates = _FateFinder(live, new, judged.fates)
    rendered = {_key(item, new): item for item in new.package.authored if item.is_config}

    def is_seen(change: ObjectChange) -> bool:
        return change.old is not None or (_group(change.who), change.who.kind) not in found.unseen

    def find_live_refusal(change: ObjectChange) -> str | None:
        item = rendered.get((change.who.kind, change.who.namespace, change.who.base))
        if item is None or (item.id.kind, change.who.namespace, item.id.name) not in found.frozen:
            return change.refusal
        # Applying does not make mutable what somebody has made immutable by hand, and changes no content of it.
        is_edited = bool(change.keys) and not change.has_new_name
        is_of_history = change.has_new_name and not is_immutable(item)
        refusal = Refusal.CONTENT if is_edited else Refusal.IMMUTABLE if is_of_history else None
        return change.refusal or (None if is_replaced(item) else refusal)

    def complete(change: ObjectChange) -> ObjectChange:
        change = change._replace(refusal=find_live_refusal(change), fate=fates.find_fate(change))
        if change.old is None or change.new is None:
            return change
        key = change.old.kind, change.old.namespace, change.old.base
        return change._replace(edits=edits.get(key, ()))

    return difference._replace(
        revisions=(*map(complete, filter(is_seen, difference.revisions)), *judged.unused),
        objects=tuple(map(complete, filter(is_seen, difference.objects))),
        notes=(*difference.notes, *found.notes, *judged.notes, *_find_notes(live)),
    )


class _FateFinder:
    """Says what becomes of a revision that has got a successor, or has none and no live template that references it."""

    def __init__(self, live: LiveSide, new: Release, fates: Fates) -> None:
        self._live = live
        self._new = new
        self._fates = fates
        self._items = collect(
            (_key(item, live.release), item) for item in live.release.package.authored
        )

    def find_fate(self, change: ObjectChange) -> Removal | None:
        if change.old is None or not change.old.set:
            return change.fate
        kind, namespace, name = change.old.kind, change.old.namespace, change.old.name
        named = self._items[kind, namespace, change.old.base]
        item = next((one for one in named if name in (None, one.id.name)), None)
        is_unused = change.fate is not None and change.fate.outcome is RemovalOutcome.UNUSED
        if item is None or not (change.has_new_name or is_unused):
            return change.fate
        fate = find_fate(item, self._live.release, self._new)
        if fate is None or (change.new and fate.outcome is RemovalOutcome.PRUNED):
            return change.fate
        rollouts = _find_rollouts(item, self._live)
        return find_live_fate(
            fate, Superseded(kind, namespace, item.id.name, rollouts), self._fates
        )


def _group(who: ComparedObject) -> str:
    return who.api_version.rpartition("/")[0]


def _find_rollouts(item: Item, live: LiveSide) -> int | None:
    """Return after how many rollouts nothing that a controller keeps references a revision; None if nothing is kept."""
    limits = []
    for one in live.release.by_target.get(item, ()):
        kind = kind_of(one.referrer)
        if kind is not None and kind.history:
            limit = text(
                get(live.raw[_key(one.referrer, live.release)].node, "spec", "revisionHistoryLimit")
            )
            limits.append(int(limit) if limit.isdecimal() else REVISION_HISTORY_LIMIT)
    return max(limits, default=None)


def _find_notes(live: LiveSide) -> Iterator[str]:
    is_unread = [
        one.item.id.kind == "Secret" and not is_named_by_content(one.item)
        for one in live.projections
    ]
    if any(is_unread):
        yield f"of {count(sum(is_unread), 'Secret')} only names and keys are compared, as values are not read"
    guesses = sum(one.is_guess for one in live.projections)
    if guesses:
        yield (
            f"{count(guesses, 'object')}: nothing shows what was applied, so only keys and list elements that are "
            "gone are reported"
        )
    told: list[tuple[Item, HandEdit, str]] = []
    for one in live.projections:
        told += ((one.item, edit, "and stays") for edit in one.kept)
    for one in live.projections:
        told += ((one.item, edit, "and whether it differs is not seen") for edit in one.unread)
    for item, edit, end in told[:_MOST_TOLD]:
        when = f" at {edit.time}" if edit.time else ""
        yield f"{item.id.kind} {base_name(item)}: {edit.path} was set by {edit.manager}{when}, {end}"
    if len(told) > _MOST_TOLD:
        yield f"{count(len(told) - _MOST_TOLD, 'more field')} set by hand"
