"""`krm-fn history`: which configuration runs where, and what becomes of it. Also `kubectl revisions`."""

import gc
import os

import click

from krm_fn.cli.options import access_options, needs_client, output_option, say
from krm_fn.model.problem import Outcome
from krm_fn.model.words import printable
from krm_fn.stdio import terminal_size, write_stdout


@click.command(short_help="Show which revisions are live, who uses them, and when they go.")
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--set", "set_name", metavar="NAME", help="Only this set. Default: all sets of the namespace.")
@access_options
@output_option("text", "wide", "json", "markdown", help="JSON has the form of schemas/history-v1.json.")
@click.option(
    "--diff", is_flag=True, help="Also show what changed from each ConfigMap to the next. Reads their content."
)
@click.option("--watch", "-w", is_flag=True, help="Show it again when it changes. Ctrl-C ends it.")
def history(
    *,
    name: str | None,
    set_name: str | None,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    output: str,
    diff: bool,
    watch: bool,
) -> Outcome:
    """Show which revisions are live in a namespace, who references them, how many pods run them, and when they go.

    NAME is a base name, a revision, or the hash of one: it is shown in detail, with the way back to it.

    The linker's own rules say what becomes of a revision. The command only lists. It requests no content of
    ConfigMaps, except for --diff, and nothing of Secrets. What you may not list, it says, and goes on.

    The exit code is 1 if there is nothing to show or no API server, and 130 after Ctrl-C.
    """
    with needs_client():
        from krm_fn.history.ask import LiveNamespace, NoAnswer, Question
        from krm_fn.history.history import History
        from krm_fn.history.write import HistoryFormat, Output, ScreenSize, write
        from krm_fn.history.write import watch as watch_history
        from krm_fn.linker.api import Access
    from krm_fn.report.table import Screen, find_screen

    form = (
        HistoryFormat.DETAIL
        if output == "text" and name
        else HistoryFormat.JSON_LINE
        if output == "json" and watch
        else HistoryFormat(output)
    )

    def find_place() -> ScreenSize:
        width, height = terminal_size()
        is_dumb = os.environ.get("TERM", "dumb") == "dumb"
        return ScreenSize(find_screen(width, os.environ), width, 0 if is_dumb else height)

    def write_in_form(found: History, screen: Screen) -> str:
        return write(found, form, screen)

    try:
        cluster = LiveNamespace(Access(kubeconfig, context), namespace, say)
        question = Question(set_name, name, diff)
        if watch:
            gc.enable()  # it may run for days
            shown = Output(write_in_form, find_place, _put, say, is_in_lines=form is HistoryFormat.JSON_LINE)
            watch_history(lambda: cluster.ask(question), shown)
        text = write_in_form(cluster.ask(question), find_place().screen)
    except NoAnswer as error:
        return Outcome(b"", f"error: {printable(str(error))}\n", 1)
    return Outcome(text.encode(), "", 0)


def _put(text: str) -> None:
    write_stdout(text.encode())
