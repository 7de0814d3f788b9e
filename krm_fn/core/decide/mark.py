"""Write into each revision what makes it one: name, label, annotations, `immutable`, protection from pruning."""

from collections import defaultdict

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Patch
from krm_fn.base.deployer import PROTECTIONS, Protection, is_named_at_deploy, keep_name, protections_of
from krm_fn.base.item import Item, about
from krm_fn.base.node import fields, get, is_mapping, is_null
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Settings, Strategy
from krm_fn.base.words import listing
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.revisions import Consumers, Revision, Revisions
from krm_fn.core.references.find import ROLES
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.references import References
from krm_fn.facts.kinds import SERVER_METADATA

_OF_ONE_OBJECT = ("uid", "resourceVersion")
_MARKS = {"labels": (keys.SET,), "annotations": (keys.BASE_NAME, keys.WANTED, keys.RETAIN)}


def find_consumers(
    package: Package, references: References, mentions: Mentions, revisions: Revisions, settings: Settings
) -> Consumers:
    """Return the references to each revision whose referrers the linker will see as its consumers.

    A revision that is missing here must be retained: its referrers are in another namespace or in none, or of a kind
    that the linker must not list; or a program copies it, and may delete the copies with it; or its name is only
    decided when it is deployed; or it is a Secret, and the linker has no right on Secrets.
    """
    namespaces = {
        revision.item: package.namespace_of(revision.item)
        for revision in revisions.rendered
        # Copies go with their original. kubernetes-replicator empties one with each source that it has ever
        # had (`ResourceDeletedReplicateFrom`).
        if _may_be_linked(revision, settings) and mentions.copies.find(revision.item) is None
    }
    consumers: dict[Item, list[ResolvedReference]] = defaultdict(list)
    out_of_sight = set()
    for resolved in references:
        referrer, reference, targets = resolved
        if reference.written or referrer.id.kind in ROLES:  # a role says who may read an object, not that anybody does
            continue
        for target in targets:
            is_near = package.namespace_of(referrer) == namespaces.get(target)
            is_seen = is_near and not package.kinds.is_cluster_scoped(referrer.id)
            if is_seen and package.kinds.of(referrer.id).is_listable:
                consumers[target].append(resolved)
            else:
                out_of_sight.add(target)
    return {item: seen for item, seen in consumers.items() if item not in out_of_sight}


def _may_be_linked(revision: Revision, settings: Settings) -> bool:
    if revision.id.kind == "Secret" and not settings.linker.secrets:
        return False
    return revision.is_renamed or not is_named_at_deploy(revision.item.annotations, settings.deployers)


def mark(revisions: Revisions, consumers: Consumers, settings: Settings) -> Changes:
    """Mark every revision. One without consumers in the linker's sight is to be retained."""
    patches, problems = [], []
    for revision in revisions.rendered:
        protection, warnings = _protect(revision.item, settings)
        patches.append((revision.item, _mark(revision, settings, protection, has_consumers=revision.item in consumers)))
        live = _find_live_fields(revision)
        if live:
            patches.append((revision.item, {"metadata": dict.fromkeys(live)}))
            warnings.append(_taken_off(revision, live))
        problems += [warning._replace(resource=revision.id) for warning in warnings]
    return Changes(patches=tuple(patches), problems=tuple(problems))


def _find_live_fields(revision: Revision) -> list[str]:
    """Return the fields that a renamed object has from a cluster, where it will be another object."""
    metadata = fields(get(revision.item.node, "metadata"))
    if not revision.is_renamed or metadata.keys().isdisjoint(_OF_ONE_OBJECT):
        return []
    return [name for name in metadata if name in SERVER_METADATA]


def _taken_off(revision: Revision, live: list[str]) -> Problem:
    names = listing((f"metadata.{name}" for name in live), is_sentence=True)
    message = f"was read from a cluster: removed {names}, with which the API server refuses its revision"
    return about(revision.item, message, severity=Severity.WARNING)


def restore(revisions: Revisions) -> Changes:
    """Give restored objects their names back, and remove what marks them as revisions."""
    # Protection stays: the author may have set it, and an object too many is better than a missing one (decision 14).
    return Changes(patches=tuple((revision.item, _unmark(revision)) for revision in revisions.restored))


def unprotect(revisions: Revisions, settings: Settings) -> Changes:
    """Remove from restored objects what stops the deployers from pruning. The next run that chooses them writes it."""
    patches: list[tuple[Item, Patch]] = []
    for revision in revisions.restored:
        present = revision.item.annotations
        protections = [one for one in protections_of(settings.deployers) if one.annotation in present]
        annotations = {one.annotation: one.removed_from(present[one.annotation]) for one in protections}
        patches.append((revision.item, {"metadata": {"annotations": annotations}} if annotations else {}))
    return Changes(patches=tuple(patches))


def _mark(revision: Revision, settings: Settings, protection: dict[str, str], *, has_consumers: bool) -> Patch:
    is_rename = revision.strategy is Strategy.RENAME
    is_open = revision.item.is_config and is_null(get(revision.item.node, "immutable"))
    return {
        # What a content name stands for never changes. Under an adopted name, the content may.
        **({"immutable": True} if is_rename and settings.immutable and is_open else {}),
        "metadata": {
            **({"name": revision.name} if revision.is_renamed else {}),
            "labels": {keys.SET: settings.set},
            "annotations": {
                keys.BASE_NAME: revision.base_name,
                keys.WANTED: "true",
                keys.RETAIN: None if has_consumers else "true",
                **protection,
                # An adopted name must not change, also not in what kapp or Spinnaker make of it (decision 15).
                **(keep_name(revision.item.annotations, settings.deployers) if revision.is_renamed else {}),
            },
        },
    }


def _unmark(revision: Revision) -> Patch:
    """Remove label, annotations and, because the name will stay the same from now on, `immutable`."""
    metadata: dict[str, Patch | str | None] = {"name": revision.name}
    for name, marks in _MARKS.items():
        present = [one for one in marks if one in fields(get(revision.item.node, "metadata", name))]
        if present:
            metadata[name] = _without(revision.item, name, present)
    was_immutable = revision.is_renamed and revision.item.is_config
    return {**({"immutable": None} if was_immutable else {}), "metadata": metadata}


def _without(item: Item, name: str, marks: list[str]) -> Patch | None:
    """Remove these labels or annotations; None, which removes the mapping, where no other is left."""
    present = get(item.node, "metadata", name)
    return None if is_mapping(present) and len(present.value) == len(marks) else dict.fromkeys(marks)


def _protect(item: Item, settings: Settings) -> tuple[dict[str, str], list[Problem]]:
    """Return the annotations that stop the deployers from pruning, merged into what is there.

    Where the author wants the opposite, the author's value stays, with a warning.
    """
    annotations: dict[str, str] = {}
    problems = []
    for deployer in settings.deployers:
        for protection in PROTECTIONS[deployer]:
            present = item.annotations.get(protection.annotation, "")
            merged = protection.added_to(present)
            if merged is None:
                problems.append(_opposite(item, deployer, protection, present))
            else:
                annotations[protection.annotation] = merged
    return annotations, problems


def _opposite(item: Item, deployer: str, protection: Protection, present: str) -> Problem:
    message = f"left as {present!r}: {deployer} may prune it while pods use it; {protection.value!r} prevents that"
    return about(item, message, f"metadata.annotations[{protection.annotation}]", Severity.WARNING)
