"""Check that every revision has the name of its content, the marks of a revision, and no double."""

from collections import defaultdict
from collections.abc import Iterator

from krm_fn.model import keys
from krm_fn.model.item import Item, about, locate
from krm_fn.model.problem import Problem, Severity
from krm_fn.naming.content_hash import Unhashable
from krm_fn.naming.names import base_name, hash_in_name, listed_revisions, without_hash
from krm_fn.references.made import hash_of
from krm_fn.verify.rendering import Rendering


def check_names(rendering: Rendering) -> Iterator[Problem]:
    """Find content that something has changed after the function has named it: substitution, decryption, a setter."""
    for item in (revision.item for revision in rendering.revisions.rendered):
        found = hash_in_name(item)
        if not found:  # adopted
            continue
        try:
            expected = hash_of(item)
        except Unhashable as reason:
            yield about(item, reason.message, reason.field)
            continue
        if found != expected:
            # A name made from a Secret's content would let readers of the message try out weak passwords.
            name = item.id.name.replace(found, expected) if item.id.kind != "Secret" else "another name"
            message = f"the content belongs to {name}: something has changed it after krm-fn, which must run last"
            yield about(item, message, "metadata.name")
        elif not item.id.name.endswith(found):
            message = f"found {item.id.name!r}, expected the hash at the end: something has added a suffix after krm-fn"
            yield about(item, message, "metadata.name")


def check_marks(rendering: Rendering) -> Iterator[Problem]:
    """Find revisions whose label and annotations do not say to the linker of their set what the function says."""
    for item in rendering.package.configs:
        if keys.BASE_NAME in item.annotations and keys.SET not in item.labels:
            yield about(item, "missing, beside the base name of a revision: no linker knows it", _label(keys.SET))
        # Somebody may have copied the label to an object of their own, whose name has no hash.
        elif keys.SET in item.labels and keys.BASE_NAME not in item.annotations and base_name(item) != item.id.name:
            yield about(item, "missing, beside the label of a revision: no linker knows it", _field(keys.BASE_NAME))
    namespace_of = rendering.package.namespace_of
    listed: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in rendering.package.emitted:
        names = map(
            without_hash, listed_revisions(one)
        )  # the name of a revision may have changed: that is said already
        listed[one.labels.get(keys.SET, ""), namespace_of(one)] |= {*names}
    for revision in rendering.revisions.rendered:
        item, place = revision.item, (revision.item.labels[keys.SET], namespace_of(revision.item))
        found = item.annotations[keys.BASE_NAME]
        # Since it was recorded, something may have added a prefix to an adopted name, which has no hash.
        if not hash_in_name(item) and (found not in item.id.name or revision.base_name != item.id.name):
            message = f"found {found!r}, which is not the name without its hash: expected {revision.base_name!r}"
            yield about(item, message, _field(keys.BASE_NAME))
        if place not in listed:  # no linker, so nothing to tell it
            continue
        if item.annotations.get(keys.WANTED) != "true" and rendering.sets[place[0]].is_marked:
            yield _unmarked(item, keys.WANTED, "the linker may delete it")
        is_seen = item in rendering.consumers or item.annotations[keys.BASE_NAME] in listed[place]
        if not is_seen and item.annotations.get(keys.RETAIN) != "true":
            yield _unmarked(item, keys.RETAIN, "the linker deletes it, because it sees no reference")


def check_duplicates(rendering: Rendering) -> Iterator[Problem]:
    """Find objects that are here twice, of those that the function has made or changed."""
    package = rendering.package
    revised = {revision.item for revision in rendering.revisions.rendered}
    changed = {one.referrer for one in rendering.references if not revised.isdisjoint(one.targets)}
    emitted = set(package.emitted)
    ours = revised | changed | emitted
    first: dict[tuple[str, ...], Item] = {}
    for item in (*package.authored, *package.emitted):
        who = item.id
        subpackage = item.annotations.get(keys.PACKAGE_PATH, "")
        earlier = first.setdefault((who.group, who.kind, package.namespace_of(item), who.name, subpackage), item)
        if earlier is not item and (item in ours or earlier in ours):
            message = f"is in the input twice, also as {locate(earlier)}: what is applied last wins; remove one"
            # Two subpackages of kpt may each have a workload of this name, and the function has only warned about it.
            is_ours = item in revised or item in emitted
            yield about(item, message, severity=Severity.ERROR if is_ours else Severity.WARNING)


def _unmarked(item: Item, annotation: str, risk: str) -> Problem:
    found = f"found {item.annotations[annotation]!r}" if annotation in item.annotations else "missing"
    return about(item, f"{found}: {risk}; expected 'true'", _field(annotation))


def _label(label: str) -> str:
    return f"metadata.labels[{label}]"


def _field(annotation: str) -> str:
    return f"metadata.annotations[{annotation}]"
