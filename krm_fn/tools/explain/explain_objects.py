"""Explain ConfigMaps and Secrets: those of a package, and those that it lacks."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from krm_fn.base.item import Item, collect
from krm_fn.base.keys import STRATEGY
from krm_fn.base.kind import kind_of
from krm_fn.base.node import fields, get, text
from krm_fn.base.pods import template_source
from krm_fn.base.problem import ResourceId, Severity
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.decide import Choice, Reason, Run
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.facts.kinds import BUILT_IN
from krm_fn.lint.lint import find_misspelled
from krm_fn.report.secrets import Masks
from krm_fn.tools.common.kept import Holder, Kept, count_kept
from krm_fn.tools.explain.explanation import (
    ABSENT,
    Because,
    Explained,
    ExplainedReference,
    Explanation,
    Restart,
    Unfollowed,
)
from krm_fn.tools.explain.find_references import find_explained_references
from krm_fn.tools.explain.find_unfollowed import find_not_followed
from krm_fn.tools.explain.places import NOWHERE, Places
from krm_fn.tools.explain.wanted import Wanted

_MOST_DIGITS = 9  # of a limit; Kubernetes takes no number of more

_NOT_HERE = "the package does not contain it: its name stays"


def explain_objects(found: Run, items: Iterable[Item], places: Places, masks: Masks) -> Explanation:
    """Explain these ConfigMaps and Secrets. `masks` hide the names of Secrets."""
    explained = explain_each(found, [*items], places, masks)
    return Explanation(tuple(sorted(explained.values(), key=_order)))


def explain_each(
    found: Run, items: Collection[Item], places: Places, masks: Masks
) -> dict[Item, Explained]:
    """Explain each of these ConfigMaps and Secrets."""
    chosen = {choice.item: choice for choice in found.choices.all}
    explainer = _Explainer(found, [item for item in items if item in chosen], places, masks)
    return {
        item: explainer.explain(chosen[item]) if item in chosen else explainer.set_aside(item)
        for item in items
    }


def _order(explained: Explained) -> tuple[str, str, str]:
    who = explained.who
    return who.namespace, who.kind, who.name


_RETAINED = (
    "nothing ever deletes its revisions: no object that the linker sees references them; a reader in its namespace "
    f"changes that, and {STRATEGY}: {Strategy.IGNORE} leaves the object alone"
)

_OUT_OF_REACH = (
    "nothing ever deletes its revisions: the linker has no right on Secrets, which spec.linker.secrets: true gives "
    "it"
)


_TOLD = "is retained, "
"""How a warning of the function begins that says it, and why, and what to do."""


class _Explainer:
    def __init__(self, found: Run, chosen: list[Item], places: Places, masks: Masks) -> None:
        self._found = found
        self._places = places
        self._references = find_explained_references(found, places)
        self._unfollowed = find_not_followed(found, chosen, places)
        self._restarts = _find_restarts(found, places)
        self._hide = masks.hide
        rendered = {revision.item for revision in found.revisions.rendered}
        # Without a linker, another line says it of all.
        is_linked = found.settings.linker.enabled
        self._retained = rendered.difference(found.consumers) if is_linked else set()
        self._named_jobs = {one.item for one in found.jobs}
        self._templates = collect(
            (source, one) for one in found.package.authored if (source := template_source(one))
        )
        self._problems = collect((problem.node, problem) for problem in found.changes.problems)

    def explain(self, choice: Choice) -> Explained:
        """Explain an object for which a strategy was chosen."""
        item = choice.item
        revision = self._found.revisions.renamed.get(item)
        new_name = revision.name if revision else ""
        hashed = None
        if revision is not None and revision.name != revision.base_name:
            hashed = tuple(revision.hashed_fields.items())
        is_hashed = hashed is not None
        references: list[ExplainedReference] = []
        for one in self._references.get(item, ()):
            notes = tuple(map(self._hide, one.notes))
            references.append(one._replace(text=self._hide(one.text), notes=notes))
        unfollowed: list[Unfollowed] = []
        for other in self._unfollowed.get(item, ()):
            unfollowed.append(other._replace(text=self._hide(other.text)))
        return Explained(
            authored_id(item),
            _present_name(item),
            self._places.of(item),
            choice.strategy.value,
            self._because(choice.reason),
            tuple(self._because(hint) for hint in self._hints(choice)),
            None if is_hashed and item.id.kind == "Secret" else new_name,
            hashed,
            tuple(references),
            tuple(unfollowed),
            tuple(self._restarts.get(item, ())),
            tuple(self._warnings(choice)),
            self._find_kept(item) if is_hashed and self._is_deleted(item) else None,
        )

    def _is_deleted(self, item: Item) -> bool:
        """Tell whether the linker deletes revisions that nothing references."""
        linker = self._found.settings.linker
        has_right = linker.secrets or item.id.kind != "Secret"
        return linker.enabled and has_right and item in self._found.consumers

    def _find_kept(self, item: Item) -> Kept:
        holders: set[Holder] = set()
        for consumer in self._found.consumers[item]:
            referrer = consumer.referrer
            sharing = self._templates.get((referrer.id.kind, referrer.id.name), ())
            holders |= {self._find_holder(one) for one in (referrer, *sharing)}
        base = authored_id(item)
        return Kept(base.kind, base.name, tuple(sorted(holders, key=lambda one: one.name)))

    def _find_holder(self, referrer: Item) -> Holder:
        """Find what keeps earlier revisions because of this object: its controller, or it alone."""
        who = authored_id(referrer)
        name, row = f"{who.kind}/{who.name}", kind_of(referrer)
        if row is None or not row.is_consumer:
            # A kind of Kubernetes that makes no pods says only what is wanted now.
            return Holder(name, 0 if who.group in BUILT_IN else None)
        written = fields(get(referrer.node, "spec"))
        limits: dict[str, int | None] = {}
        for field, _ in row.keeps:
            number = text(written.get(field))
            is_number = number.isdecimal() and len(number) <= _MOST_DIGITS
            limits[field] = int(number) if is_number else None
        keeps = count_kept(row.kind, limits)
        if keeps is None and row.kind in ("Job", "Pod") and referrer not in self._named_jobs:
            keeps = 1 if who.name else None  # the one that the next one replaces
        return Holder(name, keeps)

    def set_aside(self, item: Item) -> Explained:
        """Explain an object that is not to be chosen."""
        reason = self._because(self._found.package.set_aside[item])
        return Explained(
            authored_id(item),
            _present_name(item),
            self._places.of(item),
            Strategy.IGNORE.value,
            reason,
        )

    def _because(self, reason: Reason) -> Because:
        if reason.item is not None:
            place = self._places.of(reason.item, reason.field)
        else:
            place = self._places.of_setting(reason.field) if reason.field else NOWHERE
        return Because(reason, place)

    def _hints(self, choice: Choice) -> Iterator[Reason]:
        """Yield who may look the object up by its name, beside the one that decided, and each place once."""
        guards = {code: guard for code, guard in self._found.guards.items() if not guard.is_certain}
        if choice.strategy.makes_revisions or choice.reason.code in guards:
            said = [choice.reason]
            for hint in filter(None, (guard.why(choice.item) for guard in guards.values())):
                if not any(_is_same(hint, other) for other in said):
                    said.append(hint)
                    yield hint

    def _warnings(self, choice: Choice) -> Iterator[str]:
        """Yield what the function says about the object, but for what the reason says, and that nothing deletes it."""
        problems = self._problems.get(choice.item.node, ())
        is_told = any(one.message.startswith(_TOLD) for one in problems)
        if choice.item in self._retained and not is_told:
            is_secret = choice.item.id.kind == "Secret"
            has_right = not is_secret or self._found.settings.linker.secrets
            yield _RETAINED if has_right else _OUT_OF_REACH
        for problem in problems:
            is_said = choice.problem is not None and choice.problem.message == problem.message
            if problem.severity is not Severity.INFO and not is_said:
                yield self._hide(
                    f"{problem.field}: {problem.message}" if problem.field else problem.message
                )


def _is_same(one: Reason, other: Reason) -> bool:
    """Tell whether two reasons say the same, or say it of the same place."""
    return one.code == other.code or (
        one.item is not None and (one.item, one.field) == (other.item, other.field)
    )


def _present_name(item: Item) -> str | None:
    is_hashed = item.id.name != base_name(item)
    return None if is_hashed and item.id.kind == "Secret" else item.id.name


def _find_restarts(found: Run, places: Places) -> dict[Item, list[Restart]]:
    """Return the pod templates that a change of each object's content restarts."""
    restarts: dict[Item, list[Restart]] = defaultdict(list)
    for one in sorted(found.checksums, key=lambda one: not one.restarts):
        field = one.template.field
        who, place = authored_id(one.item), places.of(one.item, field)
        for config, keys in one.configs.items():
            read = None if keys is None else tuple(sorted(keys))
            restarts[config].append(
                Restart(who, place, field, read, one.asked_by.get(config, ""), one.restarts)
            )
    return restarts


def explain_absent(wanted: Wanted, found: Run, places: Places) -> list[Explained]:
    """Explain what is referenced under a name that no object of the package has."""
    messages = {
        (one.resolved.referrer, one.resolved.reference.field): one.message
        for one in find_misspelled(found)
    }
    by_id: dict[ResourceId, list[ResolvedReference]] = defaultdict(list)
    for resolved in found.references.authored:
        who = ResourceId(
            "v1", resolved.reference.kind, resolved.namespace_meant, resolved.reference.target
        )
        if not resolved.targets and wanted.matches(who.kind, who.namespace, {who.name}):
            by_id[who].append(resolved)
    explained: list[Explained] = []
    for who, several in sorted(by_id.items()):
        unfollowed: list[Unfollowed] = []
        for referrer, reference, _ in several:
            place = places.of(referrer, reference.field)
            message = messages.get((referrer, reference.field), _NOT_HERE)
            unfollowed.append(
                Unfollowed(authored_id(referrer), place, reference.field, ABSENT, message)
            )
        because = _why_absent(several, places)
        first = unfollowed[0].place
        explained.append(
            Explained(who, who.name, first, ABSENT, because, unfollowed=tuple(unfollowed))
        )
    return explained


def _why_absent(several: Iterable[ResolvedReference], places: Places) -> Because:
    for referrer, reference, _ in several:
        if reference.is_output:
            how = reference.rule.reason or "a controller writes it"
            reason = Reason(ABSENT, how, referrer, reference.field, reference.rule.source)
            return Because(reason, places.of(referrer, reference.field))
    return Because(Reason(ABSENT, "nothing in the package makes it"))
