"""Run the linker: from a plan and options to the output and the exit code."""

import json
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from threading import Event
from typing import NamedTuple

from krm_fn.base.link_plan import LinkPlan
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
    try:
        api = Api(Deadline(plan.timeout, stop, say=say), options.access)
        live = LiveCluster(api, options.namespace or api.namespace())
    except ApiError as error:
        return Outcome(b"", f"error: {printable(str(error))}\n", 1)
    except Stopped:  # while a program was to print credentials
        return Outcome(b"", _ended_by(128 + signal.SIGTERM), 128 + signal.SIGTERM)
    report = Report(live.namespace, (lambda _: None) if options.as_json else log)
    is_dry = options.writes is not Writes.ALL
    ended_by = _link(
        plan, DryRun(live, records=options.writes is Writes.EVENTS) if is_dry else live, report
    )
    stderr = "".join(f"error: {printable(sentence)}\n" for sentence in report.failures)
    stderr += "".join(f"warning: {printable(sentence)}\n" for sentence in report.warnings)
    if ended_by:
        stderr += _ended_by(ended_by)
    would_change = options.writes is Writes.EVENTS and bool(report.changes)
    exit_code = ended_by or int(bool(report.failures)) or _WOULD_CHANGE * would_change
    seconds = round(time.monotonic() - started, 2)
    if options.as_json:
        document = {
            "set": plan.set,
            **report.to_dict(),
            "calls": api.calls,
            "seconds": seconds,
            "exitCode": exit_code,
        }
        return Outcome(json.dumps(document, indent=2).encode() + b"\n", stderr, exit_code)
    summary = printable(f"{report.summary(dry_run=is_dry)}; {api.calls} API calls, {seconds} s")
    return Outcome(f"{summary}\n".encode(), stderr, exit_code)


def _ended_by(exit_code: int) -> str:
    return f"error: {_ENDS[exit_code]}; completed changes are kept, run again to finish\n"


def _link(plan: LinkPlan, cluster: Cluster, report: Report) -> int:
    """Link. Returns the exit code of a run that a signal has ended, else 0."""
    try:
        with suppress(ApiError, OutOfTime):  # which it has reported
            link(plan, cluster, report)
    except Stopped:
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0
