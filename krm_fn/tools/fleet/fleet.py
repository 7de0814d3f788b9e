"""A fleet as text for a terminal, as Markdown, as a page of HTML, and as JSON in the form of schemas/fleet-v1.json."""

from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby

from krm_fn.base.problem import count, printable
from krm_fn.linker.read import write_time
from krm_fn.report.markup import Forms, html_page, html_text, join_lines, markdown, write_forms
from krm_fn.report.table import GridCell, Screen, cut, write_grid
from krm_fn.tools.fleet.build_fleet import (
    CellState,
    ConfigKey,
    Fleet,
    FleetAccess,
    FleetCell,
    FleetColumn,
    FleetRow,
    Use,
    UsedRevision,
    build_fleet,
)
from krm_fn.tools.fleet.reports import read_reports
from krm_fn.tools.history.history import Note, duration, listed, time_field, write_notes

__all__ = [
    "FleetAccess",
    "FleetColumn",
    "FleetFormat",
    "build_fleet",
    "read_reports",
    "write_fleet",
]

_MARK = "! "
"""In front of what differs, in a column of its own."""

_HEADING = 24
"""Columns of a heading in a line. Contexts of some clouds have names of a hundred."""

_LONGEST_PROBLEM = 40

_OLD = 600
"""Seconds by which a report may be older than the newest one before somebody has to know."""

_LARGE = 5_000
"""Cells of a table that a browser shows only once the script has taken a part of it: it needs seconds for all."""

_WHOLE = 100
_NONE = {CellState.NONE: "-", CellState.NO_SET: ""}


class FleetFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


def write_fleet(fleet: Fleet, form: FleetFormat, screen: Screen) -> str:
    match form:
        case FleetFormat.JSON:
            return write_forms(fleet, _FORMS)
        case FleetFormat.TEXT:
            return join_lines(_write_text(fleet, screen))
        case FleetFormat.MARKDOWN:
            return join_lines(_write_markdown(fleet))
        case FleetFormat.HTML:
            return join_lines(
                html_page(_title(fleet), "krm_fn.tools.fleet", "fleet", _write_html(fleet))
            )


_FORMS: Forms = {
    Fleet: (
        "columns",
        "rows",
        ("notes", lambda fleet: [note.sentence for note in find_fleet_notes(fleet)]),
    ),
    FleetColumn: (
        *(
            "cluster",
            "namespace",
            time_field("time", "now"),
            ("sets", lambda column: sorted(column.sets)),
        ),
        *("silence", "reason", "notes"),
    ),
    FleetRow: ("set=key.set", "baseName=key.base", "kind=key.kind", "is_different", "cells"),
    UsedRevision: (
        "name",
        "hash",
        "uses",
        time_field("created"),
        time_field("since"),
        "pods",
        "share",
    ),
}


def find_fleet_notes(fleet: Fleet) -> Iterator[Note]:
    """Yield what differs, who has not answered and why, and what could not be seen."""
    different = [row.key.base for row in fleet.rows if row.is_different]
    if different:
        yield Note(
            f"not the same everywhere: {count(len(different), 'base name')}: {listed(different)}",
            is_warning=True,
        )
    times = [
        (one.now, label)
        for label, one in zip(fleet.labels, fleet.columns, strict=True)
        if one.now is not None
    ]
    newest, of = max(times, default=(0.0, ""))
    for label, column in zip(fleet.labels, fleet.columns, strict=True):
        if column.silence:
            yield Note(
                f"{printable(label)}: {column.silence}: {printable(column.reason)}", is_warning=True
            )
        for note in column.notes:
            yield Note(f"{printable(label)}: {printable(note)}")
        if column.now is not None and newest - column.now > _OLD:
            # The newest is named: if a clock there is ahead, all others look old.
            behind = (
                f"{duration(newest - column.now)} before {printable(of)} ({write_time(newest)})"
            )
            yield Note(
                f"{printable(label)}: as of {write_time(column.now)}, {behind}", is_warning=True
            )


def _title(fleet: Fleet) -> str:
    clusters, namespaces = (
        len({one.cluster for one in fleet.columns}),
        len({one[:2] for one in fleet.columns}),
    )
    where = count(clusters, "cluster") if clusters > 1 else count(namespaces, "namespace")
    sets = len({row.key.set for row in fleet.rows})
    return f"{where}, {count(sets, 'set')}, {count(len(fleet.rows), 'base name')}"


def _tables(fleet: Fleet) -> Iterator[tuple[str, list[int], list[FleetRow]]]:
    """Yield the sets, each with the positions of the columns that have it or may have it."""
    for name, rows in groupby(fleet.rows, lambda row: row.key.set):
        shown = [
            position
            for position, column in enumerate(fleet.columns)
            if column.silence or name in column.sets
        ]
        yield printable(name), shown, [*rows]


def _write_base(key: ConfigKey) -> str:
    return printable(key.base) + (f" ({printable(key.kind)})" if key.kind != "ConfigMap" else "")


def _write_text(fleet: Fleet, screen: Screen) -> Iterator[str]:
    tables = [*_tables(fleet)]
    for number, (name, shown, rows) in enumerate(tables):
        yield from [""] if number else []
        yield from [screen.strong(f"Set {name}")] if len(tables) > 1 else []
        headings = [_write_heading(fleet.labels[one]) for one in shown]
        grid = [[GridCell(lines, screen.strong) for lines in (["BASE"], *headings)]]
        for row in rows:
            cells = [_write_grid_cell(row.cells[one], fleet.columns[one], screen) for one in shown]
            grid.append([GridCell([_write_base(row.key)]), *cells])
        yield from write_grid(grid, screen.width)
    notes = [*write_notes(find_fleet_notes(fleet), screen)]
    yield from ["", *notes] if notes and tables else notes


def _write_heading(label: str) -> list[str]:
    """Write a heading over the cells, which begin with a mark.

    It breaks behind characters that part such names.
    """
    text = printable(label)
    parts = [""]
    for character in text:
        parts[-1] += character
        if character in "/:_.-@":
            parts.append("")
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1] + part) > _HEADING:
            lines.append("")
        lines[-1] += part
    return [" " * len(_MARK) + line for line in lines]


def _write_grid_cell(cell: FleetCell, column: FleetColumn, screen: Screen) -> GridCell:
    mark = _MARK if cell.is_different else " " * len(_MARK)
    first, *others = _write_lines(cell, column)
    paint = screen.warning if cell.is_different or cell.state is CellState.UNKNOWN else str
    return GridCell([mark + first, *(" " * len(_MARK) + line for line in others)], paint)


def _write_lines(cell: FleetCell, column: FleetColumn) -> list[str]:
    """Return the lines of a cell: two for each revision."""
    if cell.state is CellState.UNKNOWN:
        return [str(column.silence)]
    lines: list[str] = []
    for one in cell.revisions:
        lines += _write_revision(one, column.now or 0.0)
    return lines or [_NONE[cell.state]]


def _write_revision(one: UsedRevision, now: float) -> list[str]:
    age = "" if one.created is None else f" {duration(now - one.created)}"
    facts = ", ".join(_write_facts(one, now))
    return [
        f"{_write_uses(one)}{printable(one.hash) or 'no hash'}{age}",
        *([f"  {facts}"] if facts else []),
    ]


def _write_uses(one: UsedRevision) -> str:
    return "" if one.uses == (Use.IN_USE,) else f"{' and '.join(one.uses)} "


def _write_facts(one: UsedRevision, now: float) -> Iterator[str]:
    """Yield the share of pods unless it is all of them, since when they run it, and how many are not ready."""
    if _is_part(one):
        yield f"{one.share}% of pods"
    if one.since is not None:
        yield f"for {duration(now - one.since)}"
    yield from _write_waiting(one)


def _write_waiting(one: UsedRevision) -> Iterator[str]:
    waiting = 0 if one.pods is None or one.pods.ready is None else one.pods.total - one.pods.ready
    if waiting and one.pods:
        problem = (
            f": {cut(printable(one.pods.problem), _LONGEST_PROBLEM)}" if one.pods.problem else ""
        )
        yield f"{waiting} not ready{problem}"


def _write_markdown(fleet: Fleet) -> Iterator[str]:
    for name, shown, rows in _tables(fleet):
        yield f"Revisions in use of set {markdown(name)}:"
        yield ""
        yield _write_markdown_row(
            "Base", *(markdown(printable(fleet.labels[one])) for one in shown)
        )
        yield f"|{'---|' * (1 + len(shown))}"
        for row in rows:
            cells = (_write_markdown_cell(row.cells[one], fleet.columns[one]) for one in shown)
            yield _write_markdown_row(markdown(_write_base(row.key)), *cells)
        yield ""
    yield from (f"- {markdown(note.sentence)}" for note in find_fleet_notes(fleet))


def _write_markdown_row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _write_markdown_cell(cell: FleetCell, column: FleetColumn) -> str:
    lines = [markdown(line.strip()) for line in _write_lines(cell, column)]
    return "<br>".join(["**differs**", *lines] if cell.is_different else lines)


def _write_html(fleet: Fleet) -> Iterator[str]:
    yield "<header>"
    yield "<h1>Revisions in use</h1>"
    yield f"<p>{html_text(_title(fleet))}.</p>"
    yield '<ul class="notes">'
    for note in find_fleet_notes(fleet):
        look = ' class="warning"' if note.is_warning else ""
        yield f"<li{look}><bdi>{html_text(note.sentence)}</bdi></li>"
    yield "</ul>"
    # Without the script, there is nothing to filter with.
    yield '<div class="filter" role="search" hidden>'
    yield '<label for="filter">Filter</label>'
    yield '<input id="filter" type="search" placeholder="name, cluster, hash or state" autocomplete="off">'
    yield '<label><input id="different" type="checkbox"> only what differs</label>'
    yield '<output for="filter different" aria-live="polite"></output>'
    # For a table of which a browser can show only a part at a time.
    for part, what in (("columns", "columns"), ("rows", "base names")):
        yield f'<div id="{part}" class="part" hidden>'
        yield f'<button type="button" aria-label="previous {what}">&lsaquo;</button>'
        yield '<span aria-live="polite"></span>'
        yield f'<button type="button" aria-label="next {what}">&rsaquo;</button>'
        yield "</div>"
    yield "</div>"
    yield "</header>"
    yield "<main>"
    yield '<div class="fleet" role="region" aria-label="Revisions in use" tabindex="0">'
    is_large = len(fleet.rows) * len(fleet.columns) > _LARGE
    yield '<table class="large">' if is_large else "<table>"
    yield from _write_head(fleet)
    for name, rows in groupby(fleet.rows, lambda row: row.key.set):
        yield "<tbody>"
        span = f'colspan="{1 + len(fleet.columns)}"'
        yield f'<tr class="set"><th {span} scope="rowgroup"><span>Set <bdi>{html_text(name)}</bdi></span></th></tr>'
        for row in rows:
            yield from _write_html_row(row, fleet)
        yield "</tbody>"
    yield "</table>"
    yield "</div>"
    yield "</main>"


def _write_head(fleet: Fleet) -> Iterator[str]:
    yield '<thead><tr><th scope="col">Base name</th>'
    for label, column in zip(fleet.labels, fleet.columns, strict=True):
        facts = [
            html_text(one) for one in (column.cluster, column.namespace) if one and one != label
        ]
        time = "" if column.now is None else f"<small>{_write_html_time(column.now)}</small>"
        silence = f'<small class="warning">{column.silence}</small>' if column.silence else ""
        small = "".join(f"<small><bdi>{one}</bdi></small>" for one in facts)
        yield f'<th scope="col"><bdi class="label">{html_text(label)}</bdi>{small}{time}{silence}</th>'
    yield "</tr></thead>"


def _write_html_row(row: FleetRow, fleet: Fleet) -> Iterator[str]:
    kind = (
        ""
        if row.key.kind == "ConfigMap"
        else f"<small><bdi>{html_text(row.key.kind)}</bdi></small>"
    )
    yield f'<tr class="base"><th scope="row"><bdi>{html_text(row.key.base)}</bdi>{kind}</th>'
    for label, cell, column in zip(fleet.labels, row.cells, fleet.columns, strict=True):
        # On a narrow screen, cells are below each other, and say themselves what they are about.
        where = f'<span class="where"><bdi>{html_text(label)}</bdi></span>'
        mark = '<span class="mark">differs</span>' if cell.is_different else ""
        look = " different" * cell.is_different
        yield f'<td class="{_CLASSES[cell.state]}{look}">{where}{mark}{_write_html_cell(cell, column)}</td>'
    yield "</tr>"


_CLASSES = {
    CellState.USED: "used",
    CellState.NONE: "none",
    CellState.NO_SET: "none",
    CellState.UNKNOWN: "unknown",
}


def _write_html_cell(cell: FleetCell, column: FleetColumn) -> str:
    if cell.state is CellState.UNKNOWN:
        return f"<p>{column.silence}</p>"
    if not cell.revisions:
        return f"<p>{cell.state}</p>"
    return "".join(_write_html_revision(one, column.now or 0.0) for one in cell.revisions)


def _write_html_revision(one: UsedRevision, now: float) -> str:
    uses = _write_uses(one).strip()
    look = "unsettled"
    if not uses:
        look = "settled"
    elif {Use.MISSING, Use.NOT_APPLIED} & {*one.uses}:
        look = "wrong"
    age = "" if one.created is None else f" {duration(now - one.created)}"
    facts = [
        *(
            [f'<meter min="0" max="100" value="{one.share}"></meter> {one.share}% of pods']
            if _is_part(one)
            else []
        ),
        *([] if one.since is None else [f"since {_write_html_time(one.since)}"]),
        *map(html_text, _write_waiting(one)),
    ]
    title = (
        f"{f'<b>{uses}</b> ' if uses else ''}<code>{html_text(one.hash) or 'no hash'}</code>{age}"
    )
    return f'<div class="{look}"><p>{title}</p>{"".join(f"<small>{fact}</small>" for fact in facts)}</div>'


def _is_part(one: UsedRevision) -> bool:
    """Tell whether to say how many pods run it: not all of them, and not none of what has not begun."""
    return one.share is not None and one.share < _WHOLE and (one.share > 0 or one.since is not None)


def _write_html_time(seconds: float) -> str:
    written = write_time(seconds)
    return f'<time datetime="{written}">{written[:10]} {written[11:16]}</time>'
