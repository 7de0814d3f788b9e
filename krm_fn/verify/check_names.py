"""Check that the name of every revision is the hash of its content."""

from collections.abc import Iterator

from krm_fn.model.item import about
from krm_fn.model.problem import Problem
from krm_fn.naming.content_hash import Unhashable
from krm_fn.naming.names import hash_in_name
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
