"""The parts of docs/performance.md that the benchmarks write."""

from collections.abc import Iterable
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
_END = "<!-- end -->"


def write_part(program: str, lines: Iterable[str]) -> None:
    """Replace the part of the page that this program has written."""
    begin = f"<!-- made by `{program} --write` -->"
    before, mark, rest = PAGE.read_text().partition(begin)
    _, end, after = rest.partition(_END)
    assert mark, f"{PAGE.name} has no {begin}"
    assert end, f"{PAGE.name} has no {_END} behind {begin}"
    PAGE.write_text("\n".join([before + begin, "", *lines, "", _END]) + after)
