"""The parts of docs/performance.md that the benchmarks write."""

from collections.abc import Iterable, Iterator, Sequence
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


def keep_columns(lines: Iterable[str], columns: Sequence[int]) -> Iterator[str]:
    """Leave out the other columns of a table: the page has few words."""
    for line in lines:
        if line.startswith("|---"):
            yield f"|{'---|' * len(columns)}"
        elif line.startswith("| "):
            cells = line[2:-2].split(" | ")
            yield f"| {' | '.join(cells[number] for number in columns)} |"
        else:
            yield line
