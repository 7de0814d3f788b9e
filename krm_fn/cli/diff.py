"""`krm-fn diff`: what differs between two renderings."""

import os

import click

from krm_fn.cli.options import (
    PATH,
    RenderingOptions,
    RendersFirst,
    cluster_options,
    needs_client,
    output_option,
    rendering_options,
    say,
)
from krm_fn.model.problem import Outcome
from krm_fn.model.words import count
from krm_fn.stdio import read_stdin, terminal_size

_PATHS = 2


@click.command(cls=RendersFirst, short_help="Show what differs between two renderings.")
@click.argument("paths", metavar="OLD NEW | [PATH]...", nargs=-1, type=PATH)
@click.option(
    "--live", is_flag=True, help="Compare each PATH with what a cluster has of it: what applying would change."
)
@cluster_options
@click.option("--against", metavar="REV", help="Compare each PATH with what it was in this revision of git.")
@output_option(
    *("text", "json", "markdown"),
    help="JSON has the form of schemas/diff-v1.json. Markdown is for a comment on a pull request.",
    former=("markdown", "json"),
)
@click.option(
    "--unified",
    "-U",
    metavar="NUMBER",
    type=click.IntRange(min=0),
    help="Show so many equal lines around those that differ in a value. Default: 0, and the key above them.",
)
@click.option(
    "--ignore-namespace", is_flag=True, help="Compare objects of different namespaces, as of staging and production."
)
@click.option(
    "--ignore-affixes",
    is_flag=True,
    help="Compare objects whose names differ by namePrefix and nameSuffix of kustomizations. OLD and NEW are folders.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there is a difference.")
@rendering_options
def diff(
    *,
    paths: tuple[str, ...],
    against: str | None,
    output: str,
    live: bool,
    context: str | None,
    kubeconfig: str | None,
    unified: int | None,
    ignore_namespace: bool,
    ignore_affixes: bool,
    exit_code: bool,
    rendering: RenderingOptions,
) -> Outcome:
    """Show what differs between two renderings, by content and not by name.

    \b
    krm-fn diff OLD NEW                    two renderings, or what can be rendered
    krm-fn diff --against REV [PATH]...    the working tree, and what it was
    krm-fn diff --live [PATH]...           what a cluster has, and what applying would make of it

    A revision is compared with the revision of the same base name, key by key, and each workload that rolls is named.
    Of Secrets, only keys and sizes are shown.

    OLD, NEW and PATH are what `krm-fn render` takes: files, directories, and - for stdin. With --against, the default
    PATH is the current directory. Directories and what has a configuration are rendered. A file without one is taken
    for a rendering, and so is whatever holds revisions, or has none where the other side has one. OLD or NEW may be
    empty.

    --against changes nothing in the repository. It reads no submodules, and compares with the working tree as it is:
    files that are not committed are part of it. For what a branch has changed, use $(git merge-base main HEAD).

    --live only lists. Fields that the API server and controllers add do not count; what somebody has set by hand is
    named. Values of Secrets are not requested. What you may not list is said, and not compared.

    The exit code is 2 after an error, and 3 if REV alone cannot be rendered: then everything is shown as new. Otherwise
    it is 0 or, with --exit-code, 1 for a difference.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.diff.diff import DIFFERENT, DiffFormat, DiffInput, RenderOptions
    from krm_fn.diff.diff import diff as compare
    from krm_fn.report.table import find_screen

    is_paired = ignore_namespace or ignore_affixes
    _check_usage(paths, against, is_live=live, is_whole=output == "json" and unified is not None)
    if not live and (context or kubeconfig):
        message = "--context and --kubeconfig are of --live"
        raise click.UsageError(message)
    if live and is_paired:
        message = "--live compares objects of one name and namespace; remove --ignore-namespace and --ignore-affixes"
        raise click.UsageError(message)
    stdin = read_stdin("manifests", rendering.max_bytes + 1) if "-" in paths else None
    way = RenderOptions(rendering.config, rendering.helm, rendering.environment(), rendering.limits, ignore_affixes)
    screen = find_screen(terminal_size().columns, os.environ)
    form = DiffFormat(output)
    if live:
        with needs_client():
            from krm_fn.linker.api import Access
            from krm_fn.live.diff_live import LiveInput, diff_live
            from krm_fn.render.sources import Inputs

        inputs = Inputs(paths or (".",), rendering.config, stdin)
        outcome = diff_live(LiveInput(inputs, Access(kubeconfig, context), say), way, form, screen, unified or 0)
    else:
        what = DiffInput(paths or (".",), against, stdin, ignore_namespace)
        outcome = compare(what, way, form, screen, unified or 0)
    return outcome if exit_code or outcome.exit_code != DIFFERENT else outcome._replace(exit_code=0)


def _check_usage(paths: tuple[str, ...], against: str | None, *, is_live: bool, is_whole: bool) -> None:
    message = ""
    if is_whole:
        message = "--unified has no effect on -o json, which has whole values"
    elif is_live and against is not None:
        message = "--live and --against are two other sides; give one of them"
    elif is_live:
        return
    elif against is None and len(paths) != _PATHS:
        message = f"expected OLD and NEW, or --against REV; found {count(len(paths), 'path')}"
    elif against is None and paths == ("-", "-"):
        message = "only one of OLD and NEW can be stdin"
    elif against is not None and "-" in paths:
        message = "--against needs paths in a repository, not stdin"
    elif against is not None and not against:
        message = "--against found an empty revision"
    if message:
        raise click.UsageError(message)
