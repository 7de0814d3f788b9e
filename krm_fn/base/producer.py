"""Kinds that make a ConfigMap or Secret in the cluster, and the fields with its name.

An object that a controller writes has exactly that name, and content that the package does not
know. So an object of the package under it, a placeholder to be filled, keeps its name. A producer
itself may be a revision: then its name, and that of the object that it makes, have the hash of its
spec. `RENAMABLE` lists the kinds for which that is so, and the conditions.
"""

from collections.abc import Iterator
from typing import Any

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.facts import producers as facts


class Producer(NamedTuple):
    """A field, of some kinds of a group, that holds the name of an object to be made.

    The object is a Secret, or of another kind `target`. `reason` says to people how the content
    gets there, `source` where the project says so.

    `annotated`: only if the object carries one of these annotations. `needs` and `unless` are paths
    of fields: only if the object has all of the first, and none of the second.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    source: str
    target: str = "Secret"
    annotated: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


class RenameCondition(NamedTuple):
    """A condition, at every place of `path`, under which a producer may be renamed.

    `reason` says to people what is wrong.

    The text there must match one of the patterns `allowed`, and none of `refused`. A field that is
    missing in a mapping that is there has the text `""`, and a field that holds no text has `{}`.
    """

    path: str
    reason: str
    allowed: tuple[str, ...] = ("*",)
    refused: tuple[str, ...] = ()


class Refresh(NamedTuple):
    """A part of the content that may change under one name: the controller reads it again.

    `what`: what it reads, for people. `stopped_by`: paths and texts, one of which says that it
    reads only once. `pins`: a path at every place of which a version is set, `""` if nothing can
    pin one; `unpinned`: a path of what has no version. `remedy`: how to pin it.
    """

    what: str
    remedy: str
    stopped_by: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pins: str = ""
    unpinned: str = ""


class RenamableProducer(NamedTuple):
    """A kind of producers whose objects can be revisions.

    `content`: the fields at the top of the object that decide what is made; `but`: paths in them
    that do not. `conditions` are those of a rename, and `annotated`: it needs one of these
    annotations with the value `true`. `never`: why it is never renamed; such a kind has strategy
    `checksum` only. `refresh` is None where the object holds all of the content. `owner`: whose
    deletion deletes what is made. `source`: where the project says so.
    """

    group: str
    kind: str
    owner: str
    source: str
    refresh: Refresh | None = None
    content: tuple[str, ...] = ("spec",)
    but: tuple[str, ...] = ()
    conditions: tuple[RenameCondition, ...] = ()
    annotated: tuple[str, ...] = ()
    unannotated: str = ""
    never: str = ""


def _read_producers(rows: Any) -> Iterator[Producer]:
    for reason, source, made in rows:
        for group, kinds, path, target, *more in made:
            yield Producer(group, tuple(kinds.split()), path, reason, source, target, **dict(*more))


def _read_renamable(rows: Any) -> Iterator[RenamableProducer]:
    for row in rows:
        conditions = tuple(RenameCondition(**one) for one in row.get("conditions", ()))
        refresh = Refresh(**row["refresh"]) if "refresh" in row else None
        yield RenamableProducer(**{**row, "conditions": conditions, "refresh": refresh})


PRODUCERS = tuple(_read_producers(facts.PRODUCERS))

RENAMABLE = {(one.group, one.kind): one for one in _read_renamable(facts.RENAMABLE)}
"""Kinds that may be named by the hash of their spec, by group and kind, and whose Secret goes with them."""

RENAMABLE_KINDS = tuple(kind for _, kind in RENAMABLE)
"""As `spec.kinds` names them. No two groups share one of these kinds."""
