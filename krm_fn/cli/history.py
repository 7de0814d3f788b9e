"""`krm-fn history`: which configuration runs where, and what becomes of it.

Also `kubectl revisions`.
"""

import gc
import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from krm_fn.base.problem import Outcome, count, printable
from krm_fn.cli.options import (
    colour_option,
    find_terminal,
    fleet_options,
    needs_client,
    output_option,
    refuse,
    say,
)
from krm_fn.stdio import terminal_size, write_stdout

if TYPE_CHECKING:
    from krm_fn.tools.fleet.fleet import FleetAccess, FleetColumn
    from krm_fn.tools.history.history import ScreenSize

_INCOMPLETE = 3
"""The exit code of a table without what some clusters would have answered."""

_PATTERN = frozenset("*?[")
_NOT_OF_FILES = ("namespace", "everywhere", "contexts", "kubeconfig", "timeout")


@click.command(short_help="Show which revisions are live, who uses them, and when they go.")
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--set", "set_name", metavar="NAME", help="Only this set. Default: all sets of the namespace."
)
@fleet_options
@output_option(
    *("text", "wide", "json", "markdown", "html"),
    help="JSON has the format of schemas/history-v1.json, or for a table of schemas/fleet-v1.json. HTML is a page with "
    "a table, which needs no network.",
)
@click.option(
    "--diff",
    is_flag=True,
    help="Also show what changed from each ConfigMap to the next. Reads their content.",
)
@colour_option
@click.option(
    "--watch", "-w", is_flag=True, help="Show the output again when it changes. Ctrl-C ends it."
)
@click.pass_context
def history(
    click_context: click.Context,
    *,
    name: str | None,
    set_name: str | None,
    namespace: str | None,
    everywhere: bool,
    contexts: tuple[str, ...],
    reports: tuple[str, ...],
    timeout: int,
    kubeconfig: str | None,
    output: str,
    diff: bool,
    wants_colour: bool,
    watch: bool,
) -> Outcome:
    """Show which revisions are live in a namespace, who references them, how many pods run them, and when they go.

    NAME is a base name, a revision, or the hash of one: it is shown in detail, with the way back to it.

    By the linker's own rules, it says when a revision goes. The command only lists. It requests no content of
    ConfigMaps, except for --diff, and no Secrets. Kinds that you may not list are reported and skipped.

    \b
    krm-fn history --context 'prod-*'         several clusters
    krm-fn history -A                         all namespaces of a cluster
    krm-fn history --from 'reports/*.json'    what was printed elsewhere

    These make a table of what is in use: a row for each base name, a column for each cluster or namespace.

    Exit codes: 0 shown; 1 there is nothing to show, or no API server; 2 wrong arguments; 3 the answers of some
    clusters or files are missing; 130 after Ctrl-C.
    """  # noqa: D301  # click's mark for lines that it must not join
    is_pattern = len(contexts) > 1 or not _PATTERN.isdisjoint("".join(contexts))
    if everywhere or reports or is_pattern or output == "html":
        _check_usage(click_context, output, diff=diff, watch=watch)
        from krm_fn.tools.fleet.fleet import FleetAccess

        access = FleetAccess(kubeconfig, contexts, namespace, everywhere, timeout)
        find_columns = partial(_find_columns, access, reports, set_name)
        return _show_fleet(find_columns, name, output, wants_colour=wants_colour)
    with needs_client():
        from krm_fn.linker.credentials import Access
        from krm_fn.tools.common.revision_history import NoAnswer
        from krm_fn.tools.history.ask import LiveNamespace, Question
        from krm_fn.tools.history.history import HistoryFormat, Output, write_history
        from krm_fn.tools.history.history import watch as watch_history
    form = HistoryFormat(output)
    if form is HistoryFormat.TEXT and name:
        form = HistoryFormat.DETAIL
    elif form is HistoryFormat.JSON and watch:
        form = HistoryFormat.JSON_LINE

    find_place = partial(_find_place, wants_colour=wants_colour)
    try:
        cluster = LiveNamespace(
            Access(kubeconfig, next(iter(contexts), None)), namespace, say, timeout
        )
        question = Question(set_name, name, diff)
        if watch:
            gc.enable()  # it may run for days
            shown = Output(
                lambda found, screen: write_history(found, form, screen),
                find_place,
                _put,
                say,
                is_in_lines=form is HistoryFormat.JSON_LINE,
            )
            watch_history(lambda: cluster.ask(question), shown)
        text = write_history(cluster.ask(question), form, find_place().screen)
    except NoAnswer as error:
        return Outcome(b"", f"error: {printable(str(error))}\n", 1)
    return Outcome(text.encode(), "", 0)


def _find_place(*, wants_colour: bool) -> "ScreenSize":
    """Measure the terminal: it may have another size with each answer."""
    from krm_fn.report.table import find_screen
    from krm_fn.tools.history.history import ScreenSize

    width, height = terminal_size()
    is_dumb = os.environ.get("TERM", "dumb") == "dumb"
    screen = find_screen(width, os.environ, wants_colour=wants_colour)
    return ScreenSize(screen, width, 0 if is_dumb else height)


def _put(text: str) -> None:
    write_stdout(text.encode())


def _check_usage(context: click.Context, output: str, *, diff: bool, watch: bool) -> None:
    """Refuse what a table does not have, and what has no effect on it."""
    of_one = {"--diff": diff, "--watch": watch, "-o wide": output == "wide"}
    refuse(
        {
            **{
                f"{option} is for one namespace; give one --context, without a pattern": is_given
                for option, is_given in of_one.items()
            },
            "--all-namespaces and --namespace exclude each other": (
                context.params["everywhere"] and context.params["namespace"]
            ),
        }
    )
    typed = [
        one
        for one in _NOT_OF_FILES
        if context.get_parameter_source(one) is ParameterSource.COMMANDLINE
    ]
    if context.params["reports"] and typed:
        (option,) = (one.opts[0] for one in context.command.params if one.name == typed[0])
        message = f"{option} is for clusters, and --from reads files"
        raise click.UsageError(message)


def _show_fleet(
    find_columns: Callable[[], "list[FleetColumn]"],
    name: str | None,
    output: str,
    *,
    wants_colour: bool,
) -> Outcome:
    from krm_fn.tools.common.revision_history import NoAnswer
    from krm_fn.tools.fleet.fleet import FleetFormat, build_fleet, write_fleet

    gc.enable()  # what each cluster has answered is left again
    try:
        fleet = build_fleet(find_columns(), name)
    except NoAnswer as error:
        return Outcome(b"", f"error: {printable(str(error))}\n", 1)
    screen = find_terminal(wants_colour=wants_colour)
    silent = [
        label for label, column in zip(fleet.labels, fleet.columns, strict=True) if column.silence
    ]
    text = write_fleet(fleet, FleetFormat(output), screen)
    if not silent:
        return Outcome(text.encode(), "", 0)
    message = f"nothing is known of {len(silent)} of {count(len(fleet.columns), 'column')}: {', '.join(silent)}"
    return Outcome(text.encode(), f"error: {printable(message)}\n", _INCOMPLETE)


def _find_columns(
    access: "FleetAccess", reports: tuple[str, ...], set_name: str | None
) -> "list[FleetColumn]":
    if reports:
        from krm_fn.tools.fleet.fleet import read_reports

        return read_reports(reports, set_name)
    with needs_client():
        from krm_fn.tools.fleet.ask_fleet import ask_fleet
    return ask_fleet(access, set_name, say)
