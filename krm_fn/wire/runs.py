"""Entries that follow one another and go together."""

from collections.abc import Iterable

from krm_fn.model.node import Mapping, is_scalar


def runs_of(node: Mapping, names: tuple[str, ...]) -> list[tuple[int, int]]:
    """The entries with these names, as (first, behind the last) of those that follow one another."""
    return runs_in(index for index, (key, _) in enumerate(node.value) if is_scalar(key) and key.value in names)


def runs_in(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Rising numbers, as (first, behind the last) of those that follow one another."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        start = runs.pop()[0] if runs and runs[-1][1] == index else index
        runs.append((start, index + 1))
    return runs
