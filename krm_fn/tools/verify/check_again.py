"""Run the function over what it has written: a rendering that nobody has touched stays as it is.

Whatever a run would change is a finding. Where no configuration is known, the objects say what it
was, and only what the function adds to revisions and beside them is written again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, Object, SetFields, SetItems, SetText, combine_patches
from krm_fn.base.item import Item, about
from krm_fn.base.kind import ADD_ON_KINDS, SYNC_WAVE, wave_of, wave_order
from krm_fn.base.link_plan import Unreadable, read_plan
from krm_fn.base.node import (
    Node,
    elements,
    fields,
    get,
    is_null,
    is_scalar,
    step,
    text,
)
from krm_fn.base.problem import Problem, ResourceId, find_errors
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Environment, Hooks, Settings
from krm_fn.core.decide.decide import Package, Revision, Revisions, Run
from krm_fn.core.yaml.yaml import plan_patch
from krm_fn.extras.emit_linker import SetLinker
from krm_fn.extras.read_linker import WrittenLinker, read_linker
from krm_fn.function import decide_package
from krm_fn.tools.common.rights import AuthoredRules, find_lacking, read_rules
from krm_fn.tools.verify.check_names import deployers_of, find_protecting, find_type
from krm_fn.tools.verify.rendering import RenderedSet, Rendering
from krm_fn.transform import write_again

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
    is_only = sum(one.settings is not None for one in rendering.sets.values()) == 1
    rules = AuthoredRules(rendering.package)
    for one in rendering.sets.values():
        found = [*_check_added(one, rendering, deployers, rules)]
        if one.settings and is_only and not found:
            found += _check_whole(one.settings, rendering)
        yield from found


def _check_added(
    one: RenderedSet, rendering: Rendering, deployers: tuple[str, ...], rules: AuthoredRules
) -> Iterator[Problem]:
    """Find what a run changes of all that the function adds to revisions and beside them."""
    settings = one.settings or _read_settings(one, deployers)
    linker = read_linker(one.emitted, one.name, one.settings and settings.linker)
    # Of an adopted object that kustomize has named, only the configuration says that it is one.
    settings = settings._replace(linker=linker.settings, immutable=False)
    environment = Environment(
        image=linker.image, namespace=rendering.package.namespace, warns=False
    )
    written = _read_set(one, rendering)
    appliers = deployers_of(one, deployers) or find_protecting(one)
    run = write_again(written, settings, environment, appliers)
    edits = [*run.changes.edits]
    if one.has_linker:  # else nobody reads the marks
        edits += _plan_patches(run.changes)
    planned = _find_planned(one)
    yield from (_say_edit(edit, planned) for edit in edits)
    if not edits:  # else much of what the linker's objects say is a consequence
        yield from _compare_objects(one, rendering, linker, run.changes)
    if settings.linker.enabled and settings.linker.account:
        revisions, consumers = written.revisions.rendered, written.consumers
        needed = SetLinker(revisions, consumers, rendering.package, settings)
        yield from _check_account(needed, rules, rendering.package)
    # A warning of the function is no sign that something has changed.
    yield from find_errors(run.changes.problems)


def _check_whole(settings: Settings, rendering: Rendering) -> Iterator[Problem]:
    """Find what a run with the configuration changes. Of each object, the first field will do."""
    # What the linker needs is compared already.
    alone = settings._replace(linker=settings.linker._replace(enabled=False), strict=False)
    environment = Environment(namespace=rendering.package.namespace, warns=False)
    run = decide_package(rendering.package, alone, environment)
    first: dict[Item, Edit] = {}
    for edit in (*run.changes.edits, *_plan_patches(run.changes)):
        first.setdefault(edit.item, edit)
    for edit in first.values():
        problem = _say_edit(edit, {})
        is_checksum = problem.field.endswith(f"[{settings.checksums.annotation}]")
        yield problem._replace(message=_CHECKSUM) if is_checksum else problem
    yield from find_errors(run.changes.problems)


def _read_settings(one: RenderedSet, deployers: tuple[str, ...]) -> Settings:
    """Return the settings that the objects of a set show."""
    has_copies = any(keys.COPY_OF in item.annotations for item in one.emitted)
    former = [item.annotations.get(keys.FORMER_SETS, "").split(",") for item in one.emitted]
    return Settings(
        set=one.name,
        take_over=next((tuple(sets) for sets in former if any(sets)), ()),
        deployers=deployers,
        hooks=Hooks.COPY if has_copies else Hooks.LEAVE,
        leave=any(item.annotations.get(keys.LEAVING) == "true" for item in one.emitted),
    )


def _read_set(one: RenderedSet, rendering: Rendering) -> Run:
    """Return the run that leaves one set as it is."""
    # What is retained has a reader that the linker cannot see: only the configuration may say why.
    consumers: dict[Item, list[ResolvedReference]] = {}
    for item in (revision.item for revision in one.revisions):
        # The linker of a namespace is told no plan: who knows a reader that nobody finds here?
        is_read = item in rendering.consumers or (one.is_shared and one.settings is None)
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


def _plan_patches(changes: Changes) -> list[Edit]:
    edits: list[Edit] = []
    for item, patch in combine_patches(changes.patches):
        edits += plan_patch(item, patch)
    return edits


def _say_edit(edit: Edit, planned: Mapping[str, str]) -> Problem:
    """Say what is wrong with what a run would change. `planned`: who is to reference a revision."""
    item, change, field = edit.item, edit.change, edit.field
    if isinstance(change, SetFields):
        names = [name for name, _ in change.add] + [*change.drop]
        field = step(field, names[0])
    name = field.rpartition("[")[2].rstrip("]")
    if name == keys.RETAIN and item.id.name in planned:
        field, workload = "", planned[item.id.name]
        message = f"nothing references it, but the linker's Job waits until {workload} does"
    elif name in _RISKS:
        found = item.annotations.get(name)
        is_what = "missing" if found is None else f"found {found!r}"
        message = f"{is_what}: {_RISKS[name]}; expected 'true'"
    elif isinstance(change, SetText) and field.startswith("metadata."):
        message = f"found {change.node.value!r}, expected {change.text!r}"
    elif isinstance(change, SetText):
        message = f"found {change.node.value!r}, which has been renamed: expected {change.text}"
    elif isinstance(change, SetItems) and change.add:
        added = ", ".join(map(str, change.add))
        message = f"lacks {added}: who may read the base name may not read this revision"
    else:
        message = _CHANGED
    return about(item, message, field)


def _find_planned(one: RenderedSet) -> dict[str, str]:
    """Return the workloads for which Jobs wait, by the names of the revisions that these are to reference."""
    planned: dict[str, str] = {}
    for item in one.emitted:
        with suppress(Unreadable):
            for workload in read_plan(item).workloads:
                who = str(workload).partition("=")[0]
                planned |= {revision.name: who for revision in workload.revisions}
    return planned


# The objects beside revisions.

_FREE = (SYNC_WAVE, keys.MANAGED_BY, keys.DEFAULT_NAMESPACE)
"""Marks that are judged by themselves, and a label that tells people something, and no program."""

_OPEN = ("", "metadata", "metadata.labels", "metadata.annotations")
"""Where anybody may add something."""

_NONE = "found a value, expected none"
_LEFT = "is of no rendering of these objects: remove it, or run krm-fn again"
_NEEDED = {
    "Job": "nothing sets owners, or deletes old revisions",
    "CronJob": "spec.linker.schedule asks for it",
    "ConfigMap": "it is the inventory, by which the linker knows what is rendered",
}


def _compare_objects(
    one: RenderedSet, rendering: Rendering, linker: WrittenLinker, changes: Changes
) -> Iterator[Problem]:
    """Say how the objects of a set that are here differ from those that a run would write."""
    if not one.has_linker:
        message = (
            f"no linker for set {one.name}, though its configuration asks for one: run krm-fn again"
        )
        is_needed = any(revision.item in rendering.consumers for revision in one.revisions)
        yield from [Problem(message)] if changes.add and is_needed else ()
        return
    comparison = _SetObjects(one, rendering, linker)
    for item, wanted in changes.replace:
        yield from comparison.compare(item, wanted)
    for item in changes.remove:
        yield about(item, _LEFT)
    for wanted in changes.add:
        yield _missing(wanted, is_shared=one.is_shared)


def _missing(wanted: Any, *, is_shared: bool) -> Problem:
    kind, metadata = wanted["kind"], wanted["metadata"]
    annotations = metadata.get("annotations", {})
    who = ResourceId(wanted["apiVersion"], kind, metadata.get("namespace", ""), metadata["name"])
    component = metadata["labels"][keys.COMPONENT]
    if component == keys.TRACKER:
        who = who._replace(kind=annotations.get(keys.STANDS_FOR, "Secret"))
        message = "has no tracker, a ConfigMap of the same name: nothing deletes it when it is no longer used"
        return Problem(message, who)
    needed_by = "the linker of the namespace" if is_shared else "the Job of the linker"
    why = _NEEDED.get(kind, f"{needed_by} needs it")
    if component == keys.HOOK_COPY:
        why = "hooks read it"
    return Problem(f"is not in the input: {why}", who)


class _SetObjects:
    """The objects of a set, which are compared with those that a run writes."""

    def __init__(self, one: RenderedSet, rendering: Rendering, linker: WrittenLinker) -> None:
        self._one = one
        self._rendering = rendering
        self._linker = linker
        self._readers: dict[Item, None] = {}
        for revision in one.revisions:
            for found in rendering.consumers.get(revision.item, ()):
                self._readers[found.referrer] = None
        self._listed = {
            item.id.namespace: wave_order(wave_of(item))[0]
            for item in one.emitted
            if keys.RENDERED in item.annotations
        }

    def compare(self, item: Item, wanted: Object) -> Iterator[Problem]:
        found = [*self._differences(item.node, wanted, "")]
        if item.id.kind == "Job":
            found = [*self._say_of_job(item, found)]
        if item.labels[keys.COMPONENT] == keys.TRACKER and found and found[0][0] == "metadata.name":
            # With its hash hidden, the name of a Secret does not tell.
            found[0] = (
                "metadata.name",
                "is that of another revision than the Secret which is here",
            )
        if item.id.kind == "CronJob":
            found = [one for one in found if not self._is_about_times(one[0], item)]
        yield from (about(item, message, field) for field, message in found)
        if item.id.kind == "Role":
            yield from self._compare_rules(item, wanted["rules"])
        metadata: Any = wanted["metadata"]
        marks = metadata.get("annotations", {})
        yield from self._compare_waves(item, marks.get(SYNC_WAVE, ""))
        if keys.DEFAULT_NAMESPACE in marks and keys.DEFAULT_NAMESPACE not in item.annotations:
            yield from self._find_bare(marks[keys.DEFAULT_NAMESPACE])

    def _say_of_job(self, job: Item, found: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Say in one line that the spec is another one than that which the name says."""
        changed = [one for one in found if one[0].startswith(("spec.", "metadata.name"))]
        plans = [one for one in changed if one[0].endswith(".args")]
        yield from (one for one in found if one not in changed or one in plans)
        if changed and not plans:
            name = self._linker.names[job]
            message = (
                f"the spec belongs to {name}: something has changed it after krm-fn, which must run last, because the "
                "spec of a Job cannot change"
            )
            yield "metadata.name", message

    def _differences(
        self, found: Node | None, wanted: Any, field: str
    ) -> Iterator[tuple[str, str]]:
        """Yield each field that is not as the function writes it, and a message."""
        if isinstance(wanted, Mapping):
            yield from self._compare_fields(fields(found), wanted, field)
        elif isinstance(wanted, Sequence) and not isinstance(wanted, str):
            yield from self._compare_lists(elements(found), wanted, field)
        elif found is None:
            yield field, f"missing; expected {wanted!r}"
        elif not is_scalar(found) or found.value != _spell(wanted):
            if said := _say_other(field, text(found), _spell(wanted)):
                yield field, said
        elif wrong := find_type(found, type(wanted)):
            yield field, wrong

    def _compare_fields(
        self, found: Mapping[str, Node], wanted: Mapping[str, Any], field: str
    ) -> Iterator[tuple[str, str]]:
        if field.endswith(".metadata"):  # of pods, where something may have added both of these
            wanted = {"labels": {}, "annotations": {}, **wanted}
        for name, value in wanted.items():
            is_free = name in _FREE or (name == keys.TOLD_KINDS and self._one.settings is None)
            # In version 0.2.0, only pods had the labels of spec.linker.labels.
            is_free |= field == "metadata.labels" and not name.startswith(keys.PREFIX)
            is_judged = (is_free and field in _OPEN) or (field, name) == ("", "rules")
            if not is_judged:
                yield from self._differences(found.get(name), value, step(field, name))
        is_open = field in _OPEN and (field or wanted["kind"] != "ConfigMap")
        for name, node in found.items():
            if name in wanted or is_null(node) or (name in _FREE and is_open):
                continue
            is_added = (name, text(node)) in self._linker.added
            if name.startswith(keys.PREFIX) or not (is_open or is_added):
                yield step(field, name), _NONE

    def _compare_lists(
        self, found: list[Node], wanted: Sequence[Any], field: str
    ) -> Iterator[tuple[str, str]]:
        if field == "subjects":  # to bind further ones is somebody's decision
            for value in wanted:
                if not any(not [*self._differences(one, value, "subject")] for one in found):
                    who = ResourceId("v1", value["kind"], value["namespace"], value["name"])
                    yield field, f"does not name {who}, the account of the linker"
        elif field.endswith(".args"):
            if said := _say_words([*map(text, found)], wanted):
                yield field, said
        elif len(found) != len(wanted):
            yield field, f"found {len(found)} entries, expected {len(wanted)}"
        else:
            for index, (one, value) in enumerate(zip(found, wanted, strict=True)):
                yield from self._differences(one, value, f"{field}[{index}]")

    def _compare_rules(self, role: Item, wanted: Any) -> Iterator[Problem]:
        """Find what the linker may not do. Further rights are somebody's decision."""
        for index, rule in enumerate(elements(get(role.node, "rules"))):
            if not is_null(get(rule, "nonResourceURLs")):
                message = "found a value, expected none: the API server refuses it in a Role"
                yield about(role, message, f"rules[{index}].nonResourceURLs")
        found = read_rules(role)
        # Argo Rollouts may be here for other reasons, and the function may not have seen it.
        kinds = self._rendering.package.kinds
        if not any(kinds.of(one.id) in ADD_ON_KINDS for one in self._readers):
            add_ons = {kind.group for kind in ADD_ON_KINDS}
            if all(add_ons.isdisjoint(rule.groups) for rule in found):
                wanted = [rule for rule in wanted if add_ons.isdisjoint(rule["apiGroups"])]
        # Without a name, a rule would let the linker read every Secret.
        with_names = [rule for rule in found if rule.names]
        lacking: list[str] = []
        for rule in wanted:
            lacking += find_lacking(rule, with_names if "resourceNames" in rule else found)
        if lacking:
            yield about(role, f"lacks rights of the linker: {'; '.join(lacking)}", "rules")

    def _compare_waves(self, item: Item, wanted: str) -> Iterator[Problem]:
        """Find an object in a later sync wave than what needs it, or before what must be there first."""
        found, expected = wave_order(wave_of(item))[0], wave_order(wanted)[0]
        is_tracker = item.labels[keys.COMPONENT] == keys.TRACKER
        why = ""
        if item.id.kind == "CronJob":
            return  # nothing needs it
        if found > expected:
            why = "is after what needs it"
        elif item.id.kind == "Job" and found < expected:
            why = "is before its workloads"
        elif is_tracker and found < self._listed.get(item.id.namespace, found):
            why = "is before the inventory: the linker may delete it in between"
        if why:
            message = f"found {str(found)!r}, which {why}: expected {str(expected)!r}"
            yield about(item, message, f"metadata.annotations[{SYNC_WAVE}]")

    def _is_about_times(self, field: str, cron_job: Item) -> bool:
        """Tell whether a field may differ, because it says when a CronJob runs, and how often.

        The configuration says it, but not which minute `H` becomes: the namespace may have been set
        after krm-fn.
        """
        if self._one.settings is None:
            return field.startswith("spec.") and not field.startswith("spec.jobTemplate.spec.")
        return field == "spec.schedule" and cron_job in self._linker.spread

    def _find_bare(self, namespace: str) -> Iterator[Problem]:
        """Find the objects that have lost the namespace which others have."""
        if self._rendering.is_placed:
            return
        for item in (*(revision.item for revision in self._one.revisions), *self._readers):
            if not item.id.namespace:
                message = (
                    f"missing: expected {namespace}, as others have it, unless the deployer sets it "
                    f"(verify --namespace {namespace})"
                )
                yield about(item, message, "metadata.namespace")


def _spell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _say_other(field: str, found: str, wanted: str) -> str:
    """Say that a value is another one, but not which one where that is the content of an object."""
    if field.startswith(("data", "binaryData")):
        return "is not the content of the object that it is a copy of"
    if field == f"metadata.annotations[{keys.RENDERED}]":
        return _say_words(found.split(","), wanted.split(","))
    return f"found {found!r}, expected {wanted!r}"


def _say_words(found: Sequence[str], wanted: Sequence[str]) -> str:
    """Say which words lack, and which do not belong there; `""` where they only have another order."""
    lacking = ", ".join(sorted((Counter(wanted) - Counter(found)).elements()))
    others = ", ".join(sorted((Counter(found) - Counter(wanted)).elements()))
    said = [f"lacks {lacking}"] if lacking else []
    said += [f"found {others}, which does not belong there"] if others else []
    return "; ".join(said)


def _check_account(linker: SetLinker, rules: AuthoredRules, package: Package) -> Iterator[Problem]:
    """Find what an account of the author's may not do, where it is here, and so is what grants it."""
    name = linker.settings.linker.account or ""
    # All Jobs of a namespace need the same rights.
    groups = {one.namespace or package.namespace: one for one in linker.jobs if one.has_job}
    for namespace, group in groups.items():
        account = rules.find_account(namespace, name)
        granted = rules.find_granted(namespace, name)
        if account is None or granted is None:
            continue
        lacking: list[str] = []
        for rule in linker.build_account_rules(group):
            lacking += find_lacking(rule, granted)
        if lacking:
            message = f"may not do what the linker needs; its Roles lack {'; '.join(lacking)}"
            yield about(account, message)
