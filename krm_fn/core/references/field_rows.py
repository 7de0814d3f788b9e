"""Read the rows of `facts/` about fields, when the first object of their kind asks for them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.reference import (
    THE_VALUE,
    Reads,
)
from krm_fn.facts.annotations import ANNOTATIONS
from krm_fn.facts.chart_values import CHART_VALUES, SUBCHARTS
from krm_fn.facts.exclusions import EXCLUSIONS
from krm_fn.facts.fields import FIELDS, READS, SELECTORS

SELECTOR_FIELDS = frozenset({"name", "key", "optional"})

_BRACES = r"\{([^{},]*+,[^{}]*+)\}"


class FieldRow(NamedTuple):
    """A field of some kinds: text, a mapping with `name`, or a list of either. No groups: any.

    `reads`: whether its consumer reads the value only, or the shape of the name, or mounts at a
    path with the name. `text`: a regular expression of texts in which the group `name` is the name.
    `beside_kind`: only if the mapping that holds the name, or the one around it, says `kind` with
    the name of the target. `copied_by`: the program that copies the object from there.
    """

    groups: tuple[str, ...]
    kinds: tuple[str, ...]
    path: str
    target: str = "Secret"
    in_pod: bool = False
    reads: Reads = THE_VALUE
    text: str = ""
    beside_kind: bool = False
    copied_by: str = ""


class KeySelectors(NamedTuple):
    """Kinds in which every mapping of `name` and `key` selects a key of a Secret.

    The name of its field does not matter. No kinds: all. `config_maps`: fields in which it selects
    a key of a ConfigMap.
    """

    group: str
    kinds: tuple[str, ...] = ()
    config_maps: tuple[str, ...] = ()


class AnnotationRow(NamedTuple):
    """An annotation that holds a name.

    `inside`: a regular expression of texts in which the group `name` is a name; `""` where the text
    is the name, or `namespace/name`. `in_pod`: pods read the object. `written`: a controller writes it.
    `copied_by`: the program that copies it from there into the object with the annotation.
    """

    kind: str
    annotation: str
    target: str = "Secret"
    inside: str = ""
    in_pod: bool = False
    written: bool = False
    copied_by: str = ""


class ExcludedField(NamedTuple):
    """A field of some kinds, and everything below it.

    The path has dots and no list indices; `*` matches anything.

    `unless`: a field beside the name, and its value, that make it a reference after all.
    `but_in_pods`: fields of a pod spec are references after all. `only`: fields below it of which
    alone this is true; none: of all.

    `applied_in`: None where it means something else: a thing of another cluster, of another kind,
    of a vault. A name in it says nothing. Otherwise another program makes objects of it, which
    nothing here can rewrite, and every text in it that is the name of an object is a hint. Then
    these are the fields that may say in which namespace; the first that is set counts, and where
    none is, it may be any.
    """

    group: str
    kinds: tuple[str, ...]
    path: str
    reason: str
    unless: tuple[str, str] | None = None
    but_in_pods: bool = False
    only: tuple[str, ...] = ()
    applied_in: tuple[str, ...] | None = None


class ChartValue(NamedTuple):
    """A value of some charts: text, a mapping with `name`, or a list of either.

    `beside`: a field beside the name, and what it must say. `unless_key_of`: a value whose keys are
    names of objects that the chart makes, which come first. `tells`: path and `beside` can mean
    nothing else, so that the row also holds where the package does not show the chart.
    """

    charts: tuple[str, ...]
    path: str
    target: str
    source: str
    beside: tuple[str, str] | None = None
    unless_key_of: str = ""
    tells: bool = False


@cache
def fields_of(kind: str) -> tuple[FieldRow, ...]:
    return tuple(read_fields(kind))


@cache
def exclusions_of(kind: str) -> tuple[ExcludedField, ...]:
    return tuple(read_exclusions(kind))


@cache
def annotations_of(kind: str) -> Mapping[str, AnnotationRow]:
    return {row.annotation: row for row in read_annotations(kind)}


@cache
def chart_values_of(chart: str) -> tuple[tuple[str, ChartValue], ...]:
    """Return the rows about a chart and the charts that it contains, with paths in its values.

    `""`, where the package does not show the chart: the rows that tell what they are about.
    """
    if not chart:
        return tuple((row.path, row) for row in read_chart_values() if row.tells)
    rows = [(row.path, row) for row in read_chart_values(chart)]
    for charts, alias, contained in SUBCHARTS:
        if chart in charts.split():
            rows += [(f"{alias}/{path}", row) for path, row in chart_values_of(contained)]
    return tuple(rows)


def read_fields(kind: str | None = None) -> Iterator[FieldRow]:
    """Yield the rows about a kind; all rows, if that is None."""
    reads_of: Mapping[str, Any] = READS
    for groups, kinds, paths, targets, *more in _about(kind, FIELDS, 1):
        options = dict(*more)  # a row may end in a mapping of what few rows have
        reads = options.pop("reads", {})
        reads = reads_of[reads] if isinstance(reads, str) else reads
        mounts, volumes = (alternatives(reads.get(name, "")) for name in ("path", "volume"))
        for number, path in enumerate(alternatives(paths)):
            target = _in_turn(alternatives(targets), number)
            in_turn = {"path": _in_turn(mounts, number), "volume": _in_turn(volumes, number)}
            read = Reads(**{**reads, **in_turn})
            yield FieldRow(
                tuple(groups.split()), tuple(kinds.split()), path, target, reads=read, **options
            )


def read_annotations(kind: str | None = None) -> Iterator[AnnotationRow]:
    for kinds, annotations, target, *more in _about(kind, ANNOTATIONS, 0):
        for one in kinds.split():
            if kind not in (None, one):
                continue
            for annotation in alternatives(annotations):
                yield AnnotationRow(one, annotation, target, **dict(*more))


def read_exclusions(kind: str | None = None) -> Iterator[ExcludedField]:
    for group, kinds, paths, reason, *more in _about(kind, EXCLUSIONS, 1):
        for path in alternatives(paths):
            yield ExcludedField(group, tuple(kinds.split()), path, reason, **dict(*more))


def read_chart_values(chart: str | None = None) -> Iterator[ChartValue]:
    for charts, templates, rows in _about(chart, CHART_VALUES, 0):
        for path, target, place, *more in rows:
            yield ChartValue(
                tuple(charts.split()), path, target, f"{templates}/{place}", **dict(*more)
            )


def alternatives(text: str) -> list[str]:
    """Return the texts that `{a,b}` in a text stands for, as in a shell: the last braces vary fastest."""
    if "{" not in text:
        return [text]
    parts = re.split(_BRACES, text)
    axes = [part.split(",") if number % 2 else [part] for number, part in enumerate(parts)]
    return ["".join(one) for one in product(*axes)]


def _in_turn(texts: list[str], number: int) -> str:
    return texts[number % len(texts)]


def _about(kind: str | None, table: Iterable[Any], column: int) -> Iterator[Any]:
    """Yield the rows in whose column with kinds, or charts, this one is."""
    return (row for row in table if kind is None or kind in row[column].split())


KEY_SELECTORS = tuple(
    KeySelectors(group, tuple(kinds.split()), tuple(config_maps.split()))
    for group, kinds, config_maps in SELECTORS
)
