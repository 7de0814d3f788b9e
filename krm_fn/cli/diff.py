"""`krm-fn diff`: what differs between two renderings."""

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from krm_fn.base.problem import Outcome, count
from krm_fn.cli.options import (
    PATH,
    RenderingOptions,
    RendersFirst,
    cluster_options,
    colour_option,
    find_packages,
    find_terminal,
    needs_client,
    output_option,
    refuse,
    rendering_options,
    say,
)
from krm_fn.stdio import read_stdin, stderr_columns, write_stderr

if TYPE_CHECKING:
    from krm_fn.tools.diff.diff import Risk

_PATHS = 2


class _Failed(click.ClickException):
    """The usual exit code, 1, means a difference here."""

    exit_code = 2


@click.command(cls=RendersFirst, short_help="Show what differs between two renderings.")
@click.argument("paths", metavar="OLD NEW | [PATH]...", nargs=-1, type=PATH)
@click.option(
    "--live",
    is_flag=True,
    help="Compare each PATH with the cluster, and show what applying would change.",
)
@cluster_options
@click.option(
    "--against", metavar="REV", help="Compare each PATH with its state in this revision of git."
)
@click.option(
    "--each",
    is_flag=True,
    help="Compare each PATH as a package of its own. With --against, only if a file that it may read differs from REV. "
    "A pattern, such as 'apps/*/overlays/*', implies it.",
)
@click.option(
    "--jobs",
    metavar="NUMBER",
    type=click.IntRange(min=1),
    help="Render this many packages at once, each with an equal share of --max-bytes. A package that needs more is "
    "rendered alone, later. Default: the number of processors, at most one for every 10 MB.",
)
@output_option(
    *("text", "json", "markdown"),
    help="JSON has the format of schemas/diff-v1.json, or with --each of diff-packages-v1.json. Markdown is for a "
    "comment on a pull request.",
)
@click.option(
    "--unified",
    "-U",
    metavar="NUMBER",
    type=click.IntRange(min=0),
    help="Show this many equal lines around each change in a value. Default: 0, with only the key above the change.",
)
@click.option(
    "--room",
    metavar="NUMBER",
    type=click.IntRange(min=5_000),
    help="Maximum number of characters of -o markdown. Default: 65000, for a comment on GitHub.",
)
@click.option(
    "--ignore-namespace",
    is_flag=True,
    help="Treat the namespaces of both sides as equal, such as staging and production.",
)
@click.option(
    "--ignore-affixes",
    is_flag=True,
    help="Treat names as equal if only namePrefix and nameSuffix of kustomizations differ. OLD and NEW are folders.",
)
@click.option(
    "--fail-on",
    metavar="RISK,...",
    default="",
    help="Exit with 4 if there is one of these: prune, missing, same-set, refused.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there is a difference.")
@colour_option
@rendering_options
def diff(
    *,
    paths: tuple[str, ...],
    against: str | None,
    each: bool,
    jobs: int | None,
    output: str,
    live: bool,
    context: str | None,
    kubeconfig: str | None,
    unified: int | None,
    room: int | None,
    ignore_namespace: bool,
    ignore_affixes: bool,
    fail_on: str,
    exit_code: bool,
    wants_colour: bool,
    rendering: RenderingOptions,
) -> Outcome:
    """Show what differs between two renderings, by content and not by name.

    \b
    krm-fn diff OLD NEW                   two renderings, or what can be rendered
    krm-fn diff --against REV [PATH]...   the working tree, and what it was
    krm-fn diff --against REV PATTERN...  each package that a change can affect
    krm-fn diff --live [PATH]...          a cluster, and what applying changes

    The command compares a revision with the revision of the same base name, key by key, and names each workload that
    rolls. It shows only keys and sizes of Secrets.

    OLD, NEW and PATH are what `krm-fn render` takes: files, directories, and - for stdin. With --against, the default
    PATH is the current directory. The command renders directories, and everything that has a configuration. A file
    without a configuration counts as a rendering. So does anything that contains revisions, and a folder without a
    configuration if the other side has one. OLD or NEW may be empty.

    --against changes nothing in the repository. It reads no submodules, and compares with the working tree as it is,
    also with files that are not committed. To see what a branch has changed, use $(git merge-base main HEAD).

    All PATHs together are one rendering. With --each, or with a pattern, each PATH is a package of its own. With
    --against, a package is rendered only if a file that it may read differs from REV. Packages that change in the same
    way are shown once. Packages that cannot be rendered come last.

    --live only lists. It ignores fields that the API server and controllers add, and names fields that somebody has set
    by hand. It requests no values of Secrets. Kinds that you may not list are reported and skipped.

    --fail-on lists the risks that a change must not bring. prune: a deployer would delete an object that pods use.
    missing: new pods do not start, because an object that they read is gone. refused: the API server refuses the
    change, because a field cannot change in this way; what admission webhooks refuse, and other rules of custom kinds
    than self == oldSelf in a definition of the package, is only known of a few kinds. same-set: two packages
    call their set the same, or two sets have one object, in one namespace (only with --each).

    Exit codes: 0 compared; 1 with --exit-code, there is a difference; 2 an error, or wrong arguments; 3 REV alone
    cannot be rendered, and everything is shown as new; 4 --fail-on has found something.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.tools.common.patterns import stands_for_several
    from krm_fn.tools.diff.diff import DIFFERENT, ROOM, DiffFormat, DiffInput, Extent, RenderOptions
    from krm_fn.tools.diff.diff import diff as compare_one

    has_pattern = (live or against is not None) and any(map(stands_for_several, paths))
    is_each = each or has_pattern
    refused = _read_risks(fail_on)
    _refuse_misuse(SimpleNamespace(**click.get_current_context().params), is_each)
    stdin = read_stdin("manifests", rendering.max_bytes + 1) if "-" in paths else None
    way = RenderOptions(
        rendering.config, rendering.helm, rendering.environment(), rendering.limits, ignore_affixes
    )
    screen = find_terminal(wants_colour=wants_colour)
    form, extent = DiffFormat(output), Extent(unified or 0, room or ROOM)
    compared = DiffInput(paths or (".",), against, stdin, ignore_namespace, refused=refused)
    if live:
        with needs_client(_Failed):
            from krm_fn.linker.credentials import Access
            from krm_fn.tools.live.live import LiveInput, diff_live
            from krm_fn.tools.opened.opened import Inputs

        inputs = Inputs(paths or (".",), rendering.config, stdin)
        found = find_packages(paths or (".",), rendering.exclude, each=each)
        packages = None if found is None else tuple(found)
        compared_live = LiveInput(inputs, Access(kubeconfig, context), say, refused, packages)
        outcome = diff_live(compared_live, way, form, screen, extent)
    elif is_each:
        from krm_fn.report.status_line import StatusLine
        from krm_fn.tools.diff.diff import default_jobs, diff_packages

        status = StatusLine(write_stderr, stderr_columns())
        jobs = jobs or default_jobs(rendering.max_bytes)
        compared = compared._replace(jobs=jobs, status=status, excluded=rendering.exclude)
        outcome = diff_packages(compared, way, form, screen, extent)
    else:
        outcome = compare_one(compared, way, form, screen, extent)
    return outcome if exit_code or outcome.exit_code != DIFFERENT else outcome._replace(exit_code=0)


def _refuse_misuse(given: Any, is_each: bool) -> None:
    """Raise UsageError for the first options that do not go together. `given`: all options."""
    is_live, against, has_against = given.live, given.against, given.against is not None
    option = "--live" if is_live else "--each"
    is_paired = given.ignore_namespace or given.ignore_affixes
    misplaced = f"{option} compares objects of one name and namespace; remove --ignore-namespace and --ignore-affixes"
    refuse(
        {
            "--unified has no effect on -o json, which has whole values": (
                given.output == "json" and given.unified is not None
            ),
            "--room has no effect without -o markdown": (
                given.output != "markdown" and given.room is not None
            ),
            "--context and --kubeconfig are of --live": (
                not is_live and (given.context or given.kubeconfig)
            ),
            "--live and --against are two other sides; give one of them": is_live and has_against,
            "--each needs --against REV or --live": is_each and not has_against and not is_live,
            "--jobs is of several packages; add --each or a pattern": (
                given.jobs is not None and (is_live or not is_each)
            ),
            misplaced: is_paired and (is_live or is_each),
            **({} if is_live else _judge_sides(given.paths, against)),
        }
    )


def _read_risks(text: str) -> "frozenset[Risk]":
    """Read the value of --fail-on. Raises UsageError."""
    from krm_fn.base.problem import read_list
    from krm_fn.base.suggest import suggest
    from krm_fn.tools.diff.diff import Risk

    named = read_list(text)
    unknown = [one for one in named if one not in [*Risk]]
    if unknown:
        message = f"--fail-on found {unknown[0]!r}{suggest(unknown[0], Risk)}"
        raise click.UsageError(message)
    return frozenset(map(Risk, named))


def _judge_sides(paths: tuple[str, ...], against: str | None) -> dict[str, bool]:
    """Return what may be wrong with the two sides, and whether it is."""
    if against is None:
        found = count(len(paths), "path")
        return {
            f"expected OLD and NEW, --against REV or --live; found {found}": len(paths) != _PATHS,
            "only one of OLD and NEW can be stdin": paths == ("-", "-"),
        }
    return {
        "--against needs paths in a repository, not stdin": "-" in paths,
        "--against found an empty revision": not against,
    }
