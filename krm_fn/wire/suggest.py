"""What would be right, for somebody who wrote something else."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggest(found: str, allowed: Iterable[str]) -> str:
    """`; did you mean "rename"? allowed: rename, adopt, checksum, ignore`, the question only for a near miss."""
    names = list(allowed)
    near = get_close_matches(found, names, n=1, cutoff=0.7)
    question = f'did you mean "{near[0]}"? ' if near else ""
    return f"; {question}allowed: {', '.join(names)}"
