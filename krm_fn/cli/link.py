"""`krm-fn link`: keep the owners of revisions in step with their use. The emitted Jobs run this."""

import gc
import os
import signal
from collections.abc import Callable
from threading import Event
from typing import TypeVar

import click

from krm_fn import __version__
from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import (
    MINIMUM_AGE,
    PLAN_VERSION,
    TIMEOUT,
    LinkPlan,
    ProducerName,
    RevisionName,
    Unreadable,
    Workload,
    read_kind,
    read_producer,
    read_revision,
    read_workload,
)
from krm_fn.base.problem import Outcome
from krm_fn.cli.options import access_options, needs_client, output_option, say
from krm_fn.stdio import write_stdout

_T = TypeVar("_T")


def _each_read_by(
    read: Callable[[str], _T],
) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[_T, ...]]:
    """Make a callback that reads every value of an option."""

    def convert(
        _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
    ) -> tuple[_T, ...]:
        try:
            return tuple(map(read, values))
        except Unreadable as error:
            raise click.BadParameter(str(error)) from error

    return convert


class _LinkCommand(click.Command):
    """A command whose arguments krm-fn of another version may have written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            rest = super().parse_args(ctx, args)
            _check_sets(ctx)
        except click.UsageError as error:
            in_a_pod = "KUBERNETES_SERVICE_HOST" in os.environ
            writer = os.environ.get(PLAN_VERSION) or ("of another version" if in_a_pod else "")
            if not writer:
                raise
            found = error.format_message().rstrip(".")
            message = (
                f"{found}; krm-fn {writer} wrote this plan, and the linker is {__version__}, which does not understand "
                "it. Nothing was changed: give spec.linker.image the version of the function"
            )
            raise click.UsageError(message, ctx) from error
        return rest


_OF_ONE_SET = {
    "set_name": "--set",
    "workloads": "--workload",
    "revisions": "--revision",
    "producers": "--maker",
}
"""The options of a run for one set, by the names of their parameters."""


def _check_sets(context: click.Context) -> None:
    """Check that there is one set with its plan, or none where the run finds them."""
    if context.resilient_parsing:
        return
    if context.params["all_sets"]:
        for name, option in _OF_ONE_SET.items():
            if context.params[name]:
                message = f"--all-sets finds the sets, and their plans; remove {option}"
                raise click.UsageError(message, context)
    elif not context.params["set_name"]:
        options = (one for one in context.command.params if one.name == "set_name")
        raise click.MissingParameter(ctx=context, param=next(options))


@click.command(
    cls=_LinkCommand,
    hidden=True,
    short_help="Link revisions to the objects that reference them. The emitted Job runs this.",
)
@click.option(
    "--set",
    "set_name",
    metavar="NAME",
    help="The set: metadata.name of its configuration. Needed without --all-sets.",
)
@click.option(
    "--all-sets",
    is_flag=True,
    help="Link all sets of the namespace that have no Job of their own, as with --no-wait.",
)
@click.option(
    "--workload",
    "workloads",
    metavar="OBJECT=REVISIONS",
    multiple=True,
    callback=_each_read_by(read_workload),
    help="Wait until it references them: apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c,Secret/...",
)
@click.option(
    "--revision",
    "revisions",
    metavar="KIND/NAME",
    multiple=True,
    callback=_each_read_by(read_revision),
    help="Another rendered revision, which must not be deleted.",
)
@click.option(
    "--maker",
    "producers",
    metavar="OBJECT=REVISIONS",
    multiple=True,
    callback=_each_read_by(read_producer),
    help="The maker of revisions: external-secrets.io/v1/ExternalSecret/externalsecrets/web-5t7h9k2b4c=Secret/...",
)
@click.option(
    "--kind",
    "kinds",
    metavar="KIND",
    multiple=True,
    callback=_each_read_by(read_kind),
    help="A custom resource that may reference revisions: example.com/v1/Widget/widgets",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.IntRange(min=1),
    default=TIMEOUT,
    show_default=True,
    help="Time limit of the run.",
)
@click.option(
    "--minimum-age",
    metavar="SECONDS",
    type=click.IntRange(min=0),
    default=MINIMUM_AGE,
    show_default=True,
    help="Minimum age before an unreferenced revision is deleted.",
)
@click.option(
    "--no-wait",
    is_flag=True,
    help="Wait for nothing: link and delete what is there. The CronJob uses this.",
)
@access_options
@click.option("--dry-run", is_flag=True, help="Print the changes without making them.")
@click.option(
    "--check-only",
    is_flag=True,
    help="As --dry-run, but with Events, and exit code 4 if there are changes.",
)
@output_option("text", "json", help="JSON is one document, at the end.")
def link(
    *,
    set_name: str | None,
    all_sets: bool,
    workloads: tuple[Workload, ...],
    revisions: tuple[RevisionName, ...],
    producers: tuple[ProducerName, ...],
    kinds: tuple[Kind, ...],
    timeout: int,
    minimum_age: int,
    no_wait: bool,
    namespace: str | None,
    context: str | None,
    kubeconfig: str | None,
    dry_run: bool,
    check_only: bool,
    output: str,
) -> Outcome:
    """Make every object that references a revision of a set its owner, and delete revisions that nothing references.

    The command first waits until the workloads reference their revisions. It only adds owners. Before it deletes a
    revision it waits ten seconds and looks at everything again. You can run it at any time and as often as you like.
    Changes are printed on stdout. Warnings, errors, and what it waits for are on stderr.

    With --all-sets, the linker of a namespace does that for each set whose package has `linker.run: shared`. It waits
    for no workload. The time limit is that of the whole run.

    Exit codes: 0 success, with warnings on stderr for what a later run may link or delete; 1 a live object references a
    revision that does not exist, all revisions or a Secret of the --workload objects are missing, a Secret cannot be
    linked, the inventory is missing, an object comes after the time limit, the run cannot go on, the API server does
    not have the kind of a --workload, there are no credentials, or a write is refused with --all-sets; 2 wrong
    arguments; 4 with --check-only, a run would change something; 130 interrupted; 143 terminated, run again to finish.
    """
    plan = LinkPlan(
        set=set_name or "",
        workloads=workloads,
        revisions=revisions,
        producers=producers,
        kinds=kinds,
        timeout=timeout,
        minimum_age=minimum_age,
        waits=not no_wait and not all_sets,
        # A tenant writes these marks, and the account has the rights of the platform (decision 83).
        lists_marked=not all_sets,
    )
    with needs_client():
        from krm_fn.linker.credentials import Access
        from krm_fn.linker.link_all_sets import link_all_sets
        from krm_fn.linker.link_set import LinkOptions, Writes, link_set
    gc.enable()  # it runs for minutes, in little memory
    # A request that fails makes a cycle, a page of objects makes none. To look for some after every
    # 700 objects of a page takes half of a run's time.
    gc.set_threshold(100_000)
    # Kubernetes ends a pod by SIGTERM, and the log has to say what was done until then.
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    writes = Writes.NOTHING if dry_run else Writes.ALL
    if check_only:
        writes = Writes.EVENTS
    options = LinkOptions(namespace, Access(kubeconfig, context), writes, as_json=output == "json")
    run = link_all_sets if all_sets else link_set
    return run(plan, options, stop, _print_line, say)


def _print_line(line: str) -> None:
    """Print at once, also into a pipe: a Job's log is read while it runs."""
    write_stdout(f"{line}\n".encode())
