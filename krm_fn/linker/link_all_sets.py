"""Run the linker for all sets of a namespace whose packages leave that to it, one after the other."""

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable
from random import shuffle
from threading import Event

from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import LinkPlan, ProducerName, RevisionName
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Outcome, count, listing, printable
from krm_fn.base.producer import RENAMABLE
from krm_fn.linker.api import ApiError
from krm_fn.linker.cluster import Cluster, observe
from krm_fn.linker.link import GRACE, grace_of, link, mark_unreferenced
from krm_fn.linker.link_set import (
    LinkOptions,
    exit_code_of,
    open_namespace,
    restrict,
    say_end,
    to_document,
    until_ended,
    write_problems,
)
from krm_fn.linker.objects import LiveRevision, listed_by
from krm_fn.linker.owners import plan_deletions
from krm_fn.linker.report import Report
from krm_fn.linker.retry import OVERTIME, OutOfTime
from krm_fn.linker.shared_looks import Look, Namespace, SharedLooks
from krm_fn.linker.wait import PATIENCE, find_broken

_OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
"""What a name from an annotation may be: it becomes a part of a path at the API server."""

_FOR_EVER = 10**11
"""Seconds: no revision is so old."""

_LISTED = 10
"""Sets that a sentence names."""


class SetRun(NamedTuple):
    """What a run has done for one set, with how many requests and in how many seconds."""

    plan: LinkPlan
    report: Report
    calls: int
    seconds: float


def link_all_sets(
    common: LinkPlan,
    options: LinkOptions,
    stop: Event,
    log: Callable[[str], None],
    say: Callable[[str], None],
) -> Outcome:
    """Link the sets of a namespace, and return a summary with the exit code.

    `common`: a plan without a set, with the limits and kinds for each of them. The time limit is
    that of the whole run. `stop`, `log` and `say` are as for `link_set`.
    """
    started = time.monotonic()
    connected = open_namespace(common.timeout, options, stop, say)
    if isinstance(connected, Outcome):
        return connected
    api, live = connected
    run = AllSets(common, options, lambda: api.calls, (lambda _: None) if options.as_json else log)
    ended_by = until_ended(lambda: run.link(live))
    exit_code = ended_by or exit_code_of(run.reports, options)
    seconds = round(time.monotonic() - started, 2)
    stderr = write_problems(run.failures, run.warnings) + say_end(ended_by)
    if options.as_json:
        document = {
            "namespace": live.namespace,
            "sets": run.documents(),
            "withOwnJob": sorted(run.left_alone),
            "leftForTheNextRun": sorted(run.left_over),
            "calls": api.calls,
            "seconds": seconds,
            "exitCode": exit_code,
        }
        return Outcome(json.dumps(document, indent=2).encode() + b"\n", stderr, exit_code)
    summary = printable(f"{run.summary(live.namespace)}; {api.calls} API calls, {seconds} s")
    return Outcome(f"{summary}\n".encode(), stderr, exit_code)


class AllSets:
    """A run over all sets. It holds what was done and said, however it has ended."""

    def __init__(
        self,
        common: LinkPlan,
        options: LinkOptions,
        calls: Callable[[], int],
        log: Callable[[str], None],
    ) -> None:
        self.left_alone: list[str] = []
        self.left_over: list[str] = []
        self._runs: list[SetRun] = []
        self._common = common
        self._options = options
        self._calls = calls
        self._is_over = False
        self._marked: set[str] = set()
        self._broken: list[str] = []
        self._log = log
        # Of what concerns all sets.
        self._report = Report("", log, refusals_fail=True)

    def link(self, cluster: Namespace) -> None:
        """Link one set after the other. Raises Stopped.

        What is refused to one set holds up no other. A list that fails ends the run: each set needs it.
        """
        try:
            shared = SharedLooks(cluster)
            writable = restrict(shared, self._options.writes)
            quiet, busy = self._sort(shared)
            self._link_each(quiet, -OVERTIME, shared, writable)
            self._mark(busy, shared, writable)
            self._link_each(busy, GRACE, shared, writable)
        except ApiError as error:
            self._report.fail(str(error))
            return
        except OutOfTime:
            over = f"the time limit of {self._common.timeout} s is over"
            self._report.fail(f"{over}; completed changes are kept, run again to finish")
            return
        if shared.failure:
            self._report.fail(str(shared.failure))
        elif self.left_over:
            names = listing(self.left_over, _LISTED, ", ", ",")
            seconds = self._common.timeout
            self._report.warn(
                f"the time limit of {seconds} s is over; left for the next run: {names}"
            )

    @property
    def reports(self) -> list[Report]:
        return [self._report, *(run.report for run in self._runs)]

    @property
    def failures(self) -> list[str]:
        return [*self._report.failures, *self._of_sets(lambda report: report.failures)]

    @property
    def warnings(self) -> list[str]:
        of_sets = self._of_sets(lambda report: report.warnings)
        return [*self._report.warnings, *of_sets]

    def documents(self) -> list[dict[str, object]]:
        """Return what a program reads of each set, as of a run for that set alone."""
        found = []
        for run in sorted(self._runs, key=lambda run: run.plan.set):
            exit_code = exit_code_of([run.report], self._options)
            figures = (run.calls, round(run.seconds, 2), exit_code)
            found.append(to_document(run.plan, run.report, figures))
        return found

    def summary(self, namespace: str) -> str:
        """Sum up in one line: `12 sets in shop: 2 linked, 1 deleted, 3 left to their own Jobs`."""
        would_be = "would be " if self._options.is_dry else ""
        linked = sum(run.report.linked for run in self._runs)
        deleted = sum(run.report.deleted for run in self._runs)
        failed = f", {len(self.failures)} failed" if self.failures else ""
        warned = f", {count(len(self.warnings), 'warning')}" if self.warnings else ""
        whose = "its own Job" if len(self.left_alone) == 1 else "their own Jobs"
        alone = f", {len(self.left_alone)} left to {whose}" if self.left_alone else ""
        found = f"{count(len(self._runs), 'set')} in {namespace}"
        return f"{found}: {linked} {would_be}linked, {deleted} {would_be}deleted{failed}{warned}{alone}"

    def _sort(self, shared: SharedLooks) -> tuple[list[str], list[str]]:
        """Return the sets that need no wait, and then the others.

        Who deletes waits for a grace of up to a minute, so a set that only links is not behind those.
        They share a grace, but not the time for what follows. So they come in another order each time:
        a set that takes long in each run would always starve the same ones. Raises ApiError.
        """
        look = shared.look
        quiet: list[str] = []
        busy: list[str] = []
        for name in look.sets:
            if look.is_left_alone(name):
                self.left_alone.append(name)
                continue
            plan = self._plan(name, look)
            seen = observe(plan, look)
            broken = find_broken(seen, look)
            self._broken += [one.awaited for one in broken]
            (busy if broken or plan_deletions(plan, seen) else quiet).append(name)
        shuffle(busy)
        return quiet, busy

    def _link_each(
        self, names: list[str], least: float, shared: SharedLooks, writable: Cluster
    ) -> None:
        """Link these sets. With fewer seconds left than so many, one deletes nothing. Raises Stopped.

        It links all the same, and gives back the mark of what is wanted by now.
        """
        for name in names:
            is_over = bool(shared.failure) or self._is_over
            if is_over or shared.deadline.left() < least:
                self.left_over.append(name)
            if not is_over:
                self._link_set(name, shared, writable)

    def _mark(self, names: list[str], shared: SharedLooks, writable: Cluster) -> None:
        """Mark what several sets are to delete, and wait once for that, and for what workloads of them miss.

        Raises ApiError, OutOfTime and Stopped.
        """
        if len(names) == 1 or shared.failure:
            return
        marked: dict[str, str] = {}
        missing = dict.fromkeys(self._broken, "")
        awaited = [*missing]
        grace = grace_of(self._common, shared)
        for name in names:
            look = shared.look_for(name)
            plan = self._plan(name, look)
            # What is refused here is refused again, and said, when the set is linked.
            unsaid = Report(shared.namespace, lambda _: None)
            versions, whom = mark_unreferenced(plan, observe(plan, look), writable, unsaid)
            marked |= versions
            self._marked.add(name)
            awaited += whom
        if marked and shared.deadline.left() >= grace:
            shared.let_grace_pass(grace, missing | marked, awaited)
        elif missing:
            shared.let_grace_pass(PATIENCE, missing, awaited)

    def _link_set(self, name: str, shared: SharedLooks, writable: Cluster) -> None:
        """Link a set. Raises Stopped."""
        began, calls = time.monotonic(), self._calls()
        report = Report(shared.namespace, self._log, refusals_fail=True)
        plan = self._common._replace(set=name)
        try:
            look = shared.look_for(name)
            is_alone = look.is_left_alone(name)  # since the run began
            if is_alone and name not in self._marked:
                self.left_alone.append(name)
            else:
                plan = self._plan(name, look)
                if is_alone:  # gives back the mark of what is wanted by now, and deletes nothing
                    plan = plan._replace(minimum_age=_FOR_EVER)
                _report_unknown(plan, look, report)
                link(plan, writable, report)
        except OutOfTime:
            self._is_over = True
            if name not in self.left_over:
                self.left_over.append(name)
        except ApiError as error:
            if shared.failure is None:
                report.fail(str(error))
        finally:
            seconds = time.monotonic() - began
            if name not in self.left_alone:
                self._runs.append(SetRun(plan, report, self._calls() - calls, seconds))
            if report.changes:
                summary = report.summary(dry_run=self._options.is_dry)
                self._log(printable(f"set {name}: {summary}"))

    def _plan(self, name: str, look: Look) -> LinkPlan:
        """Make the plan of a set. From its inventory it has names alone, of what has a tracker."""
        plan = self._common._replace(set=name)
        kinds = {one.kind: one for one in plan.kinds if one.group_kind in RENAMABLE}
        secrets = []
        made: dict[tuple[Kind, str], list[RevisionName]] = defaultdict(list)
        for tracker in _listed_trackers(plan, look):
            revision = RevisionName(tracker.kind, tracker.name)
            kind, _, producer = tracker.made_by.partition("/")
            if not tracker.made_by and tracker.kind == "Secret":
                secrets.append(revision)
            elif kind in kinds and _OBJECT_NAME.fullmatch(producer):
                made[kinds[kind], producer].append(revision)
        producers = (ProducerName(*one, tuple(sorted(names))) for one, names in made.items())
        return plan._replace(revisions=tuple(sorted(secrets)), producers=tuple(sorted(producers)))

    def _of_sets(self, sentences_of: Callable[[Report], list[str]]) -> list[str]:
        """Return what is said of sets, each with its set. What is said of several is said once."""
        said = {*self._report.failures, *self._report.warnings}
        sets: dict[str, list[str]] = defaultdict(list)
        for run in self._runs:
            for sentence in sentences_of(run.report):
                sets[sentence].append(run.plan.set)
        found = []
        for sentence, names in sets.items():
            if sentence not in said:
                found.append(f"set {names[0]}: {sentence}" if len(names) == 1 else sentence)
        return found


def _listed_trackers(plan: LinkPlan, look: Look) -> list[LiveRevision]:
    """Return the trackers that the inventory lists.

    The rights of the account end with a rendering: it may read no Secret that is not listed.
    """
    configs = look.configs(plan)
    listed = listed_by(configs.inventory)
    return [one for one in configs.revisions if one.is_tracker and one.name in listed]


def _report_unknown(plan: LinkPlan, look: Look, report: Report) -> None:
    """Say which kinds make Secrets, and are not among the kinds of the run."""
    planned = set[RevisionName]().union(*(producer.revisions for producer in plan.producers))
    for tracker in _listed_trackers(plan, look):
        if tracker.made_by and RevisionName(tracker.kind, tracker.name) not in planned:
            report.warn(
                f"ConfigMap {report.namespace}/{tracker.name}: nothing links {tracker.made_by}, of a kind that the "
                f"linker of the namespace does not know; add it with --kind"
            )
