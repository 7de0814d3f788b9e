"""Compare the objects that the function has emitted with those that it would emit now."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Object
from krm_fn.base.item import Item, about
from krm_fn.base.kind import ADD_ON_KINDS, SYNC_WAVE, wave_of, wave_order
from krm_fn.base.node import Node, elements, fields, get, is_null, is_scalar, step, text
from krm_fn.base.problem import Problem, ResourceId
from krm_fn.extras.linker_objects import may_be_spread
from krm_fn.extras.read_linker import find_marks, name_of_spec
from krm_fn.tools.verify.check_fields import find_type
from krm_fn.tools.verify.check_rights import find_lacking, read_rules
from krm_fn.tools.verify.rendering import RenderedSet, Rendering

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


def compare_objects(one: RenderedSet, rendering: Rendering, changes: Changes) -> Iterator[Problem]:
    """Say how the objects of a set that are here differ from those that a run would write."""
    if not one.has_linker:
        is_needed = any(revision.item in rendering.consumers for revision in one.revisions)
        if changes.add and is_needed:
            yield Problem(
                f"no linker for set {one.name}, though its configuration asks for one: run krm-fn again"
            )
        return
    comparison = _Comparison(one, rendering)
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


class _Comparison:
    """`added`: the labels and annotations that something has added to all objects of the set."""

    def __init__(self, one: RenderedSet, rendering: Rendering) -> None:
        self._one = one
        self._rendering = rendering
        self._added = find_marks(one.emitted)

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
        yield from (one for one in found if not one[0].startswith(("spec.", "metadata.name")))
        changed = [one for one in found if one[0].startswith(("spec.", "metadata.name"))]
        plans = [one for one in changed if one[0].endswith(".args")]
        yield from plans
        if changed and not plans:
            name = name_of_spec(job, self._one.name)
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
            yield field, _say_other(field, text(found), _spell(wanted))
        elif wrong := find_type(found, type(wanted)):
            yield field, wrong

    def _compare_fields(
        self, found: Mapping[str, Node], wanted: Mapping[str, Any], field: str
    ) -> Iterator[tuple[str, str]]:
        if field.endswith(".metadata"):  # of pods, where something may have added both of these
            wanted = {"labels": {}, "annotations": {}, **wanted}
        for name, value in wanted.items():
            is_judged = (name in _FREE and field in _OPEN) or (field, name) == ("", "rules")
            if not is_judged:
                yield from self._differences(found.get(name), value, step(field, name))
        is_open = field in _OPEN and (field or wanted["kind"] != "ConfigMap")
        for name, node in found.items():
            if name in wanted or is_null(node) or (name in _FREE and is_open):
                continue
            is_added = (name, text(node)) in self._added
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
            words = _say_words([*map(text, found)], [*wanted])
            if words:
                yield field, words
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
        groups = {kind.group for kind in ADD_ON_KINDS}
        # Argo Rollouts may be here for other reasons, and the function may not have seen it.
        if not self._has_add_ons() and not any(
            groups & {*rule.get("apiGroups", ())} for rule in found
        ):
            wanted = [rule for rule in wanted if groups.isdisjoint(rule["apiGroups"])]
        # Without a name, a rule would let the linker read every Secret.
        with_names = [rule for rule in found if rule.get("resourceNames")]
        lacking: list[str] = []
        for rule in wanted:
            lacking += find_lacking(rule, with_names if "resourceNames" in rule else found)
        if lacking:
            yield about(role, f"lacks rights of the linker: {'; '.join(lacking)}", "rules")

    def _has_add_ons(self) -> bool:
        kinds = self._rendering.package.kinds
        for revision in self._one.revisions:
            for found in self._rendering.consumers.get(revision.item, ()):
                if kinds.of(found.referrer.id) in ADD_ON_KINDS:
                    return True
        return False

    def _compare_waves(self, item: Item, wanted: str) -> Iterator[Problem]:
        """Find an object in a later sync wave than what needs it, or before what must be there first."""
        found, expected = wave_order(wave_of(item))[0], wave_order(wanted)[0]
        why = ""
        if found > expected:
            why = "is after what needs it"
        elif item.id.kind == "Job" and found < expected:
            why = "is before its workloads"
        elif item.labels[keys.COMPONENT] == keys.TRACKER and found < self._find_first_wave(item):
            why = "is before the inventory: the linker may delete it in between"
        if why:
            message = f"found {str(found)!r}, which {why}: expected {str(expected)!r}"
            yield about(item, message, f"metadata.annotations[{SYNC_WAVE}]")

    def _is_about_times(self, field: str, cron_job: Item) -> bool:
        """Tell whether a field may differ, because it says when a CronJob runs, and how often.

        The configuration says it, but not which minute `H` becomes: the namespace may have been set
        after krm-fn.
        """
        if self._one.configured is None:
            return field.startswith("spec.") and not field.startswith("spec.jobTemplate.spec.")
        schedule = self._one.configured.settings.linker.schedule or ""
        found = text(get(cron_job.node, "spec", "schedule"))
        return field == "spec.schedule" and bool(schedule) and may_be_spread(schedule, found)

    def _find_first_wave(self, tracker: Item) -> int:
        """Return the wave of the inventory, which lists the tracker."""
        return min(
            (
                wave_order(wave_of(one))[0]
                for one in self._one.emitted
                if keys.RENDERED in one.annotations and one.id.namespace == tracker.id.namespace
            ),
            default=0,
        )

    def _find_bare(self, namespace: str) -> Iterator[Problem]:
        """Find the objects that have lost the namespace which others have."""
        if self._rendering.is_placed:
            return
        revised = [revision.item for revision in self._one.revisions]
        readers: list[Item] = []
        for item in revised:
            readers += [one.referrer for one in self._rendering.consumers.get(item, ())]
        for item in dict.fromkeys(revised + readers):
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
    lacking = ", ".join(sorted({*wanted}.difference(found)))
    others = ", ".join(sorted({*found}.difference(wanted, [""])))
    said = [f"lacks {lacking}"] if lacking else []
    said += [f"found {others}, which does not belong there"] if others else []
    return "; ".join(said)
