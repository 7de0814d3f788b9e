"""Revisions that are decrypted after this function."""

from collections.abc import Iterable, Iterator

from krm_fn.model.item import about
from krm_fn.model.problem import Problem, Severity
from krm_fn.stages.name import Revision
from krm_fn.stages.sops import is_encrypted


def find_named_by_ciphertext(revisions: Iterable[Revision]) -> Iterator[Problem]:
    """Say of each revision that its name says what is encrypted, not what is decrypted."""
    for revision in revisions:
        if revision.is_renamed and is_encrypted(revision.item):
            message = "is named by its ciphertext, so encrypting the same values again gives it another name"
            yield about(revision.item, message, "sops", Severity.INFO)._replace(resource=revision.base_id)
