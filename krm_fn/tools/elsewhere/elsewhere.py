"""Templates of a repository's other charts that read an object by the name that a chart gives it.

Each chart is a release of its own, and only its own references follow its revisions. Templates are
read as text: many charts cannot be rendered without values that only their users have. So a name
that a template makes of values is not seen.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import chain, product
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.node import elements, get, text
from krm_fn.base.problem import Problem, Rejected, ResourceId, Severity, listing
from krm_fn.base.settings import Strategy
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.tools.common.files import CHART, MANIFESTS, Limits, real_path
from krm_fn.tools.elsewhere.scripts import (
    MOST_LINES,
    ScriptsOfRepository,
    find_top,
    read_texts,
)

__all__ = [
    "MOST_LINES",
    "NamesElsewhere",
]

_TEMPLATES = "templates"
_DEPENDENCIES = (CHART, "requirements.yaml")
_TEMPLATE_FILES = (*MANIFESTS, ".tpl")

_READS = re.compile(r"\b(?:(configMap(?:Ref|KeyRef)?)|secret(?:Ref|KeyRef)?)[\"']?:")
_NAME = re.compile(
    r"\b(?:name|secretName)[\"']?:[ ]*[\"']?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)[\"']?[ ]*(?:[,}#]|$)"
)
_KIND = re.compile(r"^[ ]*kind:[ ]*[\"']?(ConfigMap|Secret)\b")
_NAMESPACE = re.compile(r"\bnamespace:[ ]*[\"']?([a-z0-9-]+)[\"']?[ ]*(?:[,}#]|$)")
_MOST_BELOW = 6
"""Lines below a field that may hold its name: `key`, `optional` and `items` come before it, at most."""


class _Read(NamedTuple):
    """A field of a template that names an object. `namespaces`: those that its document writes out."""

    place: str
    namespaces: frozenset[str]


class _Chart(NamedTuple):
    """The objects that the templates of a chart read and make, by kind and name.

    `names`: its own, as its Chart.yaml says it. `parts`: those of the charts that it consists of.
    """

    reads: dict[tuple[str, str], list[_Read]]
    makes: set[tuple[str, str]]
    names: set[str]
    parts: set[str]


class OtherCharts:
    """The charts of the repository around a chart. There are none around anything else."""

    def __init__(self, path: Path, limits: Limits) -> None:
        is_chart = (path / CHART).is_file()
        self._top = find_top(path, limits, is_everywhere=False) if is_chart else None
        self._place = real_path(path)

    def find(self, renamed: Iterable[ResourceId]) -> Iterator[Problem]:
        """Find the templates of other charts that name one of these objects, which this chart renames.

        A chart that makes an object of the name itself reads that one.
        """
        for who in renamed:
            called = (who.kind, who.name)
            found: list[str] = []
            for chart in self._others:
                if called in chart.makes:
                    continue  # it reads its own
                for one in chart.reads.get(called, ()):
                    if not (who.namespace and one.namespaces) or who.namespace in one.namespaces:
                        found.append(one.place)
            if found:
                message = (
                    f"read by another chart, in {listing(found, MOST_LINES)}: only this chart follows the new name, so "
                    f"pods of that one would not find it; make one chart of both, or annotate the {who.kind} with "
                    f"{keys.STRATEGY}: {Strategy.IGNORE}"
                )
                yield Problem(message, who, severity=Severity.WARNING)

    @cached_property
    def _others(self) -> list[_Chart]:
        """The charts that are no part of this one, and of which it is none."""
        if self._top is None:
            return []
        place = PurePosixPath(self._place.relative_to(self._top))
        charts = _read_charts(self._top)
        own = charts.pop(place, _Chart({}, set(), set(), set()))
        found: list[_Chart] = []
        for other, chart in charts.items():
            is_nested = other.is_relative_to(place) or place.is_relative_to(other)
            is_part = not own.names.isdisjoint(chart.parts)
            has_part = not own.parts.isdisjoint(chart.names)
            if not (is_nested or is_part or has_part):
                found.append(chart)
        return found


class NamesElsewhere:
    """Finds names of a package elsewhere in its repository: in scripts and pages, and in other charts."""

    def __init__(self, path: Path, limits: Limits, *, is_everywhere: bool = False) -> None:
        self._scripts = ScriptsOfRepository(path, limits, is_everywhere=is_everywhere)
        self._charts = OtherCharts(path, limits)

    def find(self, renamed: Collection[ResourceId]) -> Iterator[Problem]:
        """Find what names one of these objects, which are the renamed ones, by their base names."""
        return chain(self._scripts.find(renamed), self._charts.find(renamed))

    def find_builds(self, directory: Path) -> list[str]:
        """Find the lines of scripts that build a directory with kustomize, and let it run no functions."""
        return self._scripts.find_builds(directory)


def _read_charts(top: Path) -> dict[PurePosixPath, _Chart]:
    """Read the charts at and below a folder, each by its path."""
    found: dict[PurePosixPath, _Chart] = defaultdict(
        lambda: _Chart(defaultdict(list), set(), set(), set())
    )
    for shown, template in read_texts(top, _is_of_chart):
        path = PurePosixPath(shown)
        if path.name in _DEPENDENCIES:
            _read_parts(path.name, template, found[path.parent])
        else:
            templates = next(above for above in path.parents if above.name == _TEMPLATES)
            _read_template(shown, template, found[templates.parent])
    return {place: chart for place, chart in found.items() if chart.names}


def _is_of_chart(folder: Path, name: str) -> bool:
    if _TEMPLATES in folder.parts:
        return name.endswith(_TEMPLATE_FILES)
    return name in _DEPENDENCIES


def _read_parts(name: str, data: str, chart: _Chart) -> None:
    with suppress(Rejected):  # helm cannot read it either
        for root in read_yaml(data.encode()).roots:
            chart.names.update([text(get(root, "name"))] if name == CHART else [])
            chart.parts.update(
                text(get(part, "name")) for part in elements(get(root, "dependencies"))
            )


def _read_template(shown: str, template: str, chart: _Chart) -> None:
    kinds, named, reads = set[str](), set[str](), list[tuple[str, str, str]]()
    namespaces = set[str]()

    def end_document() -> None:
        chart.makes.update(product(kinds, named))
        written = frozenset(namespaces)
        for kind, name, place in reads:
            chart.reads[kind, name].append(_Read(place, written))
        for one in (kinds, named, reads, namespaces):
            one.clear()

    lines = template.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("---"):
            end_document()
        kinds.update(_KIND.findall(line))
        named.update(_NAME.findall(line))
        namespaces.update(_NAMESPACE.findall(line))
        fields = [*_READS.finditer(line)]
        ends = [*(field.start() for field in fields), len(line)][1:]
        for field, end in zip(fields, ends, strict=True):
            for below, name in _find_name(lines[number : number + _MOST_BELOW], field, end):
                kind = "ConfigMap" if field[1] else "Secret"
                reads.append((kind, name, f"{shown}:{number + below + 1}"))
    end_document()


def _find_name(lines: list[str], field: re.Match[str], end: int) -> Iterator[tuple[int, str]]:
    """Yield the name in a field of the first of these lines, and in which of them it is.

    `end`: where the next field begins. Only the last field of a line goes on below.
    """
    first, *below = lines
    name = _NAME.search(first, field.end(), end)
    if name:
        yield 0, name[1]
    if name or end < len(first):
        return
    for number, line in enumerate(below, 1):
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith("{{"):
            continue
        if indent <= field.start():
            return
        name = _NAME.search(line)
        if name:
            yield number, name[1]
            return
