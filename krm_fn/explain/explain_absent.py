"""Explain a ConfigMap or Secret that is referenced, and that the package does not contain."""

from collections import defaultdict
from collections.abc import Iterable

from krm_fn.explain.explanation import ABSENT, Because, Explained, Unfollowed
from krm_fn.explain.places import Places
from krm_fn.explain.wanted import Wanted
from krm_fn.model.problem import ResourceId
from krm_fn.naming.names import authored_id
from krm_fn.references.reference import ResolvedReference
from krm_fn.stages.transform import Transformation
from krm_fn.stages.warnings.misspelled import find_misspelled

_NOT_HERE = "the package does not contain it: its name stays"


def explain_absent(wanted: Wanted, found: Transformation, places: Places) -> list[Explained]:
    """Explain what is referenced under a name that no object of the package has."""
    messages = {
        (one.resolved.referrer, one.resolved.reference.field): one.message
        for one in find_misspelled(found.package, found.references)
    }
    by_id: dict[ResourceId, list[ResolvedReference]] = defaultdict(list)
    for resolved in found.references.authored:
        who = _who_is_meant(resolved)
        if not resolved.targets and wanted.matches(who.kind, who.namespace, {who.name}):
            by_id[who].append(resolved)
    return [
        Explained(
            who,
            who.name,
            places.of(several[0].referrer, several[0].reference.field),
            ABSENT,
            _why_absent(several, places),
            unfollowed=tuple(
                Unfollowed(
                    authored_id(one.referrer),
                    places.of(one.referrer, one.reference.field),
                    one.reference.field,
                    ABSENT,
                    messages.get((one.referrer, one.reference.field), _NOT_HERE),
                )
                for one in several
            ),
        )
        for who, several in sorted(by_id.items())
    ]


def _who_is_meant(resolved: ResolvedReference) -> ResourceId:
    reference, referrer = resolved.reference, resolved.referrer
    named = reference.target_namespace
    return ResourceId("v1", reference.kind, referrer.id.namespace if named is None else named, reference.target)


def _why_absent(several: Iterable[ResolvedReference], places: Places) -> Because:
    for referrer, reference, _ in several:
        if reference.written:
            how = reference.rule.reason or "a controller writes it"
            return Because(ABSENT, how, places.of(referrer, reference.field), reference.rule.source)
    return Because(ABSENT, "nothing in the package makes it")
