"""Run the linker: from a plan and options to the output and the exit code."""

import json
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from enum import Enum
from threading import Event

from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Outcome, printable
from krm_fn.linker.api import Api, ApiError
from krm_fn.linker.cluster import Cluster, DryRun
from krm_fn.linker.credentials import Access
from krm_fn.linker.link import link
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Deadline, OutOfTime, Stopped

_ENDS = {128 + signal.SIGTERM: "terminated", 128 + signal.SIGINT: "interrupted"}
"""The exit codes of a run that was ended by a signal, as a shell reports them."""


_WOULD_CHANGE = 4
"""The exit code of a run that only checks, and finds something to do."""


class Writes(Enum):
    """How much a run writes to the cluster: all that is due, only Events about it, or nothing."""

    ALL = 0
    EVENTS = 1
    NOTHING = 2


class LinkOptions(NamedTuple):
    """How to run, beyond what was rendered.

    `namespace`: None is the pod's own, or that of the kubeconfig's context.
    """

    namespace: str | None = None
    access: Access = Access()
    writes: Writes = Writes.ALL
    as_json: bool = False

    @property
    def is_dry(self) -> bool:
        return self.writes is not Writes.ALL


def link_set(
    plan: LinkPlan,
    options: LinkOptions,
    stop: Event,
    log: Callable[[str], None],
    say: Callable[[str], None],
) -> Outcome:
    """Link the set, and return a summary with the exit code.

    Setting `stop` ends the run after the current request. `log` is called with one line for each
    change when it happens; not for JSON output, which lists the changes itself. `say` is called
    with what the run waits for.
    """
    started = time.monotonic()
    connected = open_namespace(plan.timeout, options, stop, say)
    if isinstance(connected, Outcome):
        return connected
    api, live = connected
    report = Report(live.namespace, (lambda _: None) if options.as_json else log)

    def run() -> None:
        with suppress(ApiError, OutOfTime):  # which it has reported
            link(plan, restrict(live, options.writes), report)

    ended_by = until_ended(run)
    exit_code = ended_by or exit_code_of([report], options)
    stderr = write_problems(report.failures, report.warnings) + say_end(ended_by)
    seconds = round(time.monotonic() - started, 2)
    if options.as_json:
        document = to_document(plan, report, (api.calls, seconds, exit_code))
        return Outcome(json.dumps(document, indent=2).encode() + b"\n", stderr, exit_code)
    found = report.summary(dry_run=options.is_dry)
    summary = printable(f"{found}; {api.calls} API calls, {seconds} s")
    return Outcome(f"{summary}\n".encode(), stderr, exit_code)


# What a run over all sets does in the same way.


def open_namespace(
    timeout: int, options: LinkOptions, stop: Event, say: Callable[[str], None]
) -> tuple[Api, LiveCluster] | Outcome:
    """Load the credentials, and find the namespace. Returns the end of the run if there are none."""
    try:
        api = Api(Deadline(timeout, stop, say=say), options.access)
        return api, LiveCluster(api, options.namespace or api.namespace())
    except ApiError as error:
        return Outcome(b"", write_problems([str(error)]), 1)
    except Stopped:  # while a program was to print credentials
        return Outcome(b"", say_end(128 + signal.SIGTERM), 128 + signal.SIGTERM)


def restrict(cluster: Cluster, writes: Writes) -> Cluster:
    """Return the cluster to write to, or one that writes no more than the options say."""
    if writes is Writes.ALL:
        return cluster
    return DryRun(cluster, records=writes is Writes.EVENTS)


def until_ended(run: Callable[[], None]) -> int:
    """Run. Returns the exit code of a run that a signal has ended, else 0."""
    try:
        run()
    except Stopped:
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


def exit_code_of(reports: Sequence[Report], options: LinkOptions) -> int:
    """Return 1 if something has failed, and 4 if a check has found something to do."""
    if any(report.failures for report in reports):
        return 1
    has_changes = any(report.changes for report in reports)
    return _WOULD_CHANGE if has_changes and options.writes is Writes.EVENTS else 0


def say_end(exit_code: int) -> str:
    """Say how a signal has ended the run; `""` for a run that none has ended."""
    if not exit_code:
        return ""
    return f"error: {_ENDS[exit_code]}; completed changes are kept, run again to finish\n"


def write_problems(failures: Iterable[str], warnings: Iterable[str] = ()) -> str:
    """Write one line for each failure and warning, as they are on stderr."""
    errors = (f"error: {printable(sentence)}\n" for sentence in failures)
    return "".join([*errors, *(f"warning: {printable(sentence)}\n" for sentence in warnings)])


def to_document(
    plan: LinkPlan, report: Report, figures: tuple[int, float, int]
) -> dict[str, object]:
    """Return what a program reads of the run for one set. `figures`: calls, seconds and exit code."""
    calls, seconds, exit_code = figures
    return {
        "set": plan.set,
        **report.to_dict(),
        "calls": calls,
        "seconds": seconds,
        "exitCode": exit_code,
    }
