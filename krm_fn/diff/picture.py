"""A small picture of what rolls because of what, in the language of Mermaid."""

from collections.abc import Iterable, Iterator

from krm_fn.diff.difference import Change
from krm_fn.look.table import cut

_MOST_ARROWS = 12
_WIDTH = 50
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ./_-")


def draw(changes: Iterable[Change]) -> Iterator[str]:
    """Yield the lines of the picture: an arrow from each ConfigMap or Secret to what it rolls. None if nothing does."""
    arrows = [
        (f"{change.who.kind} {change.who.base}", f"{roll.kind} {roll.name}")
        for change in changes
        for roll in change.rolls
        if (roll.kind, roll.name) != (change.who.kind, change.who.base)
    ]
    if not arrows:
        return
    shown = arrows[:_MOST_ARROWS]
    ids = {name: f"n{place}" for place, name in enumerate(dict.fromkeys(name for arrow in shown for name in arrow))}
    yield "```mermaid"
    yield "graph LR"
    yield from (f'  {ids[name]}["{_label(name)}"]' for name in ids)
    yield from (f"  {ids[source]} --> {ids[target]}" for source, target in dict.fromkeys(shown))
    if len(arrows) > len(shown):
        yield f'  more["{len(arrows) - len(shown)} more"]'
    yield "```"
    yield ""


def _label(name: str) -> str:
    """Write any other character as Mermaid's code for it, so that no text is more than a label."""
    return "".join(one if one in _SAFE else f"#{ord(one)};" for one in cut(name, _WIDTH))
