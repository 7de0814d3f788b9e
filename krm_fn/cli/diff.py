"""`krm-fn diff`: what differs between two renderings."""

import os

import click

from krm_fn.cli.options import PATH, RenderingOptions, RendersFirst, output_option, rendering_options
from krm_fn.model.problem import Outcome
from krm_fn.model.words import count
from krm_fn.stdio import read_stdin, terminal_size

_PATHS = 2


@click.command(cls=RendersFirst, short_help="Show what differs between two renderings.")
@click.argument("paths", metavar="OLD NEW | [PATH]...", nargs=-1, type=PATH)
@click.option("--against", metavar="REV", help="Compare each PATH with what it was in this revision of git.")
@click.option(
    "--each",
    is_flag=True,
    help="Compare each PATH by itself, if a file that it may read differs from REV. A PATH that is a pattern, as "
    "'apps/*/overlays/*' is, means that too.",
)
@output_option(
    *("text", "json", "markdown"),
    help="JSON has the form of schemas/diff-v1.json; with --each, of diff-packages-v1.json. Markdown is for a comment "
    "on a pull request.",
    former=("markdown", "json"),
)
@click.option(
    "--unified",
    "-U",
    "context",
    metavar="NUMBER",
    type=click.IntRange(min=0),
    help="Show so many equal lines around those that differ in a value. Default: 0, and the key above them.",
)
@click.option(
    "--room",
    metavar="NUMBER",
    type=click.IntRange(min=5_000),
    help="Characters that -o markdown may have. Default: 65000, for a comment on GitHub.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there is a difference.")
@rendering_options
def diff(
    *,
    paths: tuple[str, ...],
    against: str | None,
    each: bool,
    output: str,
    context: int | None,
    room: int | None,
    exit_code: bool,
    rendering: RenderingOptions,
) -> Outcome:
    """Show what differs between two renderings, by content and not by name.

    \b
    krm-fn diff OLD NEW                    two renderings, or what can be rendered
    krm-fn diff --against REV [PATH]...    the working tree, and what it was
    krm-fn diff --against REV PATTERN...   each package that a change can affect

    A revision is compared with the revision of the same base name, key by key, and each workload that rolls is named.
    Of Secrets, only keys and sizes are shown.

    OLD, NEW and PATH are what `krm-fn render` takes: files, directories, and - for stdin. With --against, the default
    PATH is the current directory. Directories and what has a configuration are rendered. A file without one is taken
    for a rendering, and so is whatever holds revisions, or has none where the other side has one. OLD or NEW may be
    empty.

    --against changes nothing in the repository. It reads no submodules, and compares with the working tree as it is:
    files that are not committed are part of it. For what a branch has changed, use $(git merge-base main HEAD).

    All PATHs together are one rendering. With --each, or with a pattern, each is a package of its own, which is only
    rendered if a file that it may read differs from REV. Packages that change in the same way are shown once, and
    those that cannot be rendered are named behind the others.

    The exit code is 2 after an error, and 3 if REV alone cannot be rendered: then everything is shown as new. Otherwise
    it is 0 or, with --exit-code, 1 for a difference.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.diff.affected import is_pattern
    from krm_fn.diff.diff import DIFFERENT, DiffFormat, DiffInput, RenderOptions
    from krm_fn.diff.diff import diff as compare_one
    from krm_fn.diff.packages import diff_packages
    from krm_fn.diff.write import ROOM, Extent
    from krm_fn.report.table import find_screen

    is_each = each or (against is not None and any(map(is_pattern, paths)))
    in_vain = ""
    if output == "json" and context is not None:
        in_vain = "--unified has no effect on -o json, which has whole values"
    elif output != "markdown" and room is not None:
        in_vain = "--room has no effect without -o markdown"
    _check_usage(paths, against, in_vain, is_each=is_each)
    stdin = read_stdin("manifests", rendering.max_bytes + 1) if "-" in paths else None
    way = RenderOptions(rendering.config, rendering.helm, rendering.environment(), rendering.limits)
    screen = find_screen(terminal_size().columns, os.environ)
    compare = diff_packages if is_each else compare_one
    compared = DiffInput(paths or (".",), against, stdin)
    outcome = compare(compared, way, DiffFormat(output), screen, Extent(context or 0, room or ROOM))
    return outcome if exit_code or outcome.exit_code != DIFFERENT else outcome._replace(exit_code=0)


def _check_usage(paths: tuple[str, ...], against: str | None, in_vain: str, *, is_each: bool) -> None:
    message = ""
    if in_vain:
        message = in_vain
    elif is_each and against is None:
        message = "--each needs --against REV"
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
