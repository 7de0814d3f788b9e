"""Run the linker: from a plan and options to the output and the exit code."""

import json
import signal
import time
from collections.abc import Callable
from threading import Event
from typing import NamedTuple

from krm_fn.linker.api import Api
from krm_fn.linker.api_errors import ApiError
from krm_fn.linker.cluster import Cluster
from krm_fn.linker.dry_run import DryRun
from krm_fn.linker.link import link
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Deadline, OutOfTime, Stopped
from krm_fn.model.link_plan import LinkPlan
from krm_fn.model.problem import Outcome

TERMINATED = 128 + signal.SIGTERM
"""The exit code of a run that was told to stop, as a shell reports it."""


class Options(NamedTuple):
    """How to run, beyond what was rendered.

    `namespace`: None is the pod's own, or that of the kubeconfig's context. `context`: None is the current context.
    """

    namespace: str | None = None
    context: str | None = None
    dry_run: bool = False
    as_json: bool = False


def run(plan: LinkPlan, options: Options, stop: Event, log: Callable[[str], None]) -> Outcome:
    """Link the set, and return a summary with the exit code.

    Setting `stop` ends the run after the current request. `log` is called with one line for each change when it
    happens; not for JSON output, which lists the changes itself.
    """
    started = time.monotonic()
    try:
        api = Api(Deadline(plan.timeout, stop), options.context)
        live = LiveCluster(api, options.namespace or api.namespace())
    except ApiError as error:
        return Outcome(b"", f"error: {error}\n", 1)
    report = Report(live.namespace, _no_log if options.as_json else log)
    is_stopped = _link(plan, DryRun(live) if options.dry_run else live, report)
    stderr = "".join(f"error: {sentence}\n" for sentence in report.failures)
    stderr += "".join(f"warning: {sentence}\n" for sentence in report.warnings)
    if is_stopped:
        stderr += "error: terminated; completed changes are kept, run again to finish\n"
    exit_code = TERMINATED if is_stopped else int(bool(report.failures))
    seconds = round(time.monotonic() - started, 2)
    if options.as_json:
        document = {"set": plan.set, **report.to_dict(), "calls": api.calls, "seconds": seconds, "exitCode": exit_code}
        return Outcome(json.dumps(document, indent=2).encode() + b"\n", stderr, exit_code)
    summary = f"{report.summary(dry_run=options.dry_run)}; {api.calls} API calls, {seconds} s\n"
    return Outcome(summary.encode(), stderr, exit_code)


def _link(plan: LinkPlan, cluster: Cluster, report: Report) -> bool:
    """Link, and tell whether the run was stopped."""
    try:
        link(plan, cluster, report)
    except ApiError as error:
        report.warn(str(error))
    except OutOfTime:
        report.warn(f"the time limit of {plan.timeout} s is over; completed changes are kept, run again to finish")
    except Stopped:
        return True
    return False


def _no_log(line: str) -> None:
    """Ignore the line."""
