"""How many revisions of one object stay, by the limits of the workloads that reference it.

A controller keeps what it created from earlier templates up to a limit, such as `revisionHistoryLimit`.
Each of these may reference a revision of its own, and the linker deletes what none of them
references any more.
"""

from collections.abc import Iterable, Mapping

from krm_fn.base.kind import consumer_named
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import count, listing, printable

_MOST_HOLDERS = 3
"""Workloads that a sentence names; the others are counted."""

_MORE = "more while a rollout is not done, and until the linker has run"


class Holder(NamedTuple):
    """What keeps earlier revisions, such as `Deployment/web`, and how many; None without a limit."""

    name: str
    keeps: int | None


class Kept(NamedTuple):
    """How many revisions of an object of this kind and base name there are when nothing is under way.

    `current`: those that are rendered, or that workloads reference now. `stays`: those that the
    linker does not delete, whatever references them.
    """

    kind: str
    base: str
    holders: tuple[Holder, ...]
    current: int = 1
    stays: int = 0

    @property
    def most(self) -> int | None:
        """The number, None where a holder has no limit."""
        known = [holder.keeps for holder in self.holders if holder.keeps is not None]
        if len(known) < len(self.holders):
            return None
        return self.current + self.stays + sum(known)

    def __str__(self) -> str:
        if self.most is None:
            endless = [holder.name for holder in self.holders if holder.keeps is None]
            return f"no limit of its revisions: {_named(endless)} may keep each of them"
        number = f"at most {count(self.most, 'revision')}"
        parts = [f"{self.current:,} in use now"]
        parts += [
            f"{holder.keeps:,} that {printable(holder.name)} keeps"
            for holder in sorted(self.holders, key=_most_first)[:_MOST_HOLDERS]
            if holder.keeps
        ]
        others = [holder.keeps or 0 for holder in sorted(self.holders, key=_most_first)]
        if left := sum(others[_MOST_HOLDERS:]):
            parts.append(f"{left:,} that others keep")
        if self.stays:
            parts.append(f"{self.stays:,} that the linker does not delete")
        return f"{number}: {listing(parts, is_sentence=True)}; {_MORE}"


def _most_first(holder: Holder) -> tuple[int, str]:
    return -(holder.keeps or 0), holder.name


def _named(names: Iterable[str]) -> str:
    return listing(map(printable, sorted(names)), _MOST_HOLDERS, is_sentence=True)


def count_kept(kind: str, limits: Mapping[str, int | None]) -> int | None:
    """Return what the controller of an object keeps, by the limits that its spec has.

    None for a kind without limits.
    """
    fields = consumer_named(kind).keeps
    if not fields:
        return None
    total = 0
    for field, default in fields:
        limit = limits.get(field)
        total += default if limit is None else limit
    return total
