"""`krm-fn link`, from its arguments to its exit code."""

import json
import signal
import sys
import time
from collections.abc import Callable
from threading import Event
from typing import NamedTuple

from krm_fn.linker.api import Api
from krm_fn.linker.cluster import Cluster, Failed
from krm_fn.linker.dry_run import DryRun
from krm_fn.linker.link import link
from krm_fn.linker.live_cluster import LiveCluster
from krm_fn.linker.report import Report
from krm_fn.linker.retry import Deadline, Stopped
from krm_fn.model.link_plan import LinkPlan
from krm_fn.model.problem import Outcome

TERMINATED = 128 + signal.SIGTERM


class Options(NamedTuple):
    """What is about this run and not about the rendering."""

    namespace: str | None = None
    context: str | None = None
    dry_run: bool = False
    as_json: bool = False


def run(plan: LinkPlan, options: Options) -> Outcome:
    """Link, and say so: changes as they happen, one line each, and a last line that sums up."""
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    started = time.monotonic()
    try:
        api = Api(Deadline(plan.timeout, stop), options.context)
        live = LiveCluster(api, options.namespace or api.namespace())
    except Failed as failed:
        return Outcome(b"", f"error: {failed}\n", 1)
    report = Report(live.namespace, _say(as_json=options.as_json))
    stopped = _link(plan, DryRun(live) if options.dry_run else live, report)
    stderr = "".join(f"error: {sentence}\n" for sentence in report.failures)
    if stopped:
        stderr += "error: told to stop; what is done stays done, and the next run does the rest\n"
    exit_code = TERMINATED if stopped else int(bool(report.failures))
    seconds = round(time.monotonic() - started, 2)
    if options.as_json:
        document = {"set": plan.set, **report.to_dict(), "calls": api.calls, "seconds": seconds, "exitCode": exit_code}
        return Outcome(json.dumps(document, indent=2).encode() + b"\n", stderr, exit_code)
    what = "would be " if options.dry_run else ""
    summary = f"{report.summary(what)}; {api.calls} API calls, {seconds} s\n"
    return Outcome(summary.encode(), stderr, exit_code)


def _link(plan: LinkPlan, cluster: Cluster, report: Report) -> bool:
    """Whether the run was told to stop."""
    try:
        link(plan, cluster, report)
    except Failed as failed:
        report.fail(str(failed))
    except Stopped:
        return True
    return False


def _say(*, as_json: bool) -> Callable[[str], None]:
    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    return (lambda _: None) if as_json else say
