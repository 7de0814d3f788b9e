"""Lists that stay short, however many objects a namespace has."""

from collections.abc import Sequence


def listing(items: Sequence[str], most: int, separator: str = "; ") -> str:
    """Join the first items, and count the others: `a; b; c, and 497 more`."""
    more = f", and {len(items) - most} more" if len(items) > most else ""
    return separator.join(items[:most]) + more
