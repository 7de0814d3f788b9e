"""Ask an API server for the history of a namespace, for a person who waits.

If there is no answer, the error says what to do.
"""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from copy import copy
from itertools import pairwise
from threading import Event
from typing import Any

from krm_fn.base import keys
from krm_fn.base.keys import SET_NAME
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import listing
from krm_fn.base.suggest import did_you_mean, nearest
from krm_fn.linker.api import Api, ApiError, Forbidden, Unreachable
from krm_fn.linker.cluster import ObjectLists
from krm_fn.linker.credentials import Access
from krm_fn.linker.live_cluster import CONFIG_MAPS, Lists
from krm_fn.linker.read import below, text_in
from krm_fn.linker.retry import Deadline, OutOfTime
from krm_fn.report.object_change import ComparedObject, ObjectChange
from krm_fn.report.secrets import StoredValue, compare_values
from krm_fn.tools.common.revision_history import History, NoAnswer, SetHistory
from krm_fn.tools.history.find_history import find_history
from krm_fn.tools.history.snapshot import SetSnapshot, Snapshot, read_snapshot

__all__ = [
    "LiveNamespace",
    "Question",
    "SetSnapshot",
    "Snapshot",
    "connect",
    "explained",
    "find_history",
    "patience",
    "read_snapshot",
]

_PATIENCE = 10.0
"""Seconds in which requests without an answer are repeated: a person waits."""

TIMEOUT = 40
"""Seconds for all requests together. An API server that answers may be slow."""


def connect(access: Access, say: Callable[[str], None], timeout: float = TIMEOUT) -> Api:
    """Load the credentials.

    `say` is called with what the connection waits for. Raises NoAnswer if there are none.
    """
    try:
        return Api(Deadline(timeout, Event(), say=say), access)
    except ApiError as error:
        raise NoAnswer(str(error)) from error


def patience(say: Callable[[str], None], timeout: float = TIMEOUT) -> Deadline:
    """Return how long one question may take, in seconds.

    The overtime is for a last try, which says why it fails.
    """
    seconds = min(_PATIENCE, timeout / 2)
    return Deadline(seconds, Event(), say=say, overtime=timeout - seconds)


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Say what to do about what an API server does not answer, `in namespace shop`.

    Raises NoAnswer.
    """
    try:
        yield
    except Unreachable as error:
        message = f"{error}; are --context and --kubeconfig right?"
        raise NoAnswer(message) from error
    except Forbidden as error:
        message = f"you may not list ConfigMaps {where}: you need the rule {error.rule}"
        raise NoAnswer(message) from error
    except ApiError as error:
        raise NoAnswer(str(error)) from error
    except OutOfTime as error:
        message = f"{where.removeprefix('in ')}: the API server is too slow"
        raise NoAnswer(message) from error


_MOST_NAMES = 10
_NAMESPACE = re.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_NOT_FOUND = 404


class Absent(NoAnswer):
    """The API server has answered, and what was asked for is not there."""


class Question(NamedTuple):
    """One set or all of them, and one base name or revision or all of them; with what changed in ConfigMaps, or not."""

    set: str | None = None
    name: str | None = None
    with_changes: bool = False


class LiveNamespace:
    """A namespace of a cluster. It sends no request that writes.

    `say` is called with what it waits for, and `timeout` are the seconds that each question may
    take.
    """

    def __init__(
        self,
        access: Access,
        namespace: str | None,
        say: Callable[[str], None],
        timeout: float = TIMEOUT,
    ) -> None:
        """Load the credentials. Raises NoAnswer if there are none."""
        self._say = say
        self._timeout = timeout
        self.cluster = access.context or ""
        self._api = connect(access, say, timeout)
        self.namespace = namespace or self._api.namespace()
        if not _NAMESPACE.fullmatch(self.namespace):
            message = f"namespace {self.namespace}: no namespace can have this name"
            raise NoAnswer(message)

    def beside(self, namespace: str) -> "LiveNamespace":
        """Return another namespace of the cluster, with the same credentials.

        Both may be asked at once.
        """
        other = copy(self)
        # A copy, as each question sets the deadline of its own.
        other._api = copy(self._api)  # noqa: SLF001  # of the same class
        other.namespace = namespace
        return other

    def ask(self, question: Question) -> History:
        """Read the namespace. Raises NoAnswer."""
        with self._answering(f"in namespace {self.namespace}"):
            return self._ask(question)

    def find_namespaces(self, set_name: str | None) -> list[str]:
        """Return the namespaces of the cluster that have the set, or any. Raises NoAnswer."""
        selector = keys.SET if set_name is None else f"{keys.SET}={set_name}"
        with self._answering("in all namespaces"):
            lists = Lists(self._api, "")
            return sorted(
                {
                    *lists.read(
                        CONFIG_MAPS, _read_namespace, metadata_only=True, labelSelector=selector
                    ).items
                }
            )

    @contextmanager
    def _answering(self, where: str) -> Iterator[None]:
        """Give a question its time, and say why there is no answer. Raises NoAnswer."""
        self._api.deadline = patience(self._say, self._timeout)
        with explained(where):
            yield

    def _ask(self, question: Question) -> History:
        lists = Lists(self._api, self.namespace)
        is_name = question.set is None or SET_NAME.fullmatch(question.set)
        snapshot = read_snapshot(lists, question.set) if is_name else None
        if snapshot is None or not snapshot.sets:
            raise Absent(self._explain_absence(lists, question.set))
        history = find_history(snapshot)._replace(cluster=self.cluster)
        selected = history if question.name is None else select(history, question.name)
        if question.name is not None and not selected.sets:
            raise Absent(_explain_unknown(question.name, history))
        if not question.with_changes:
            return selected
        # Of the whole history: the next older revision of a selected one may not be selected.
        changed = add_changes(history, lists, find_base_names(selected))
        return changed if question.name is None else select(changed, question.name)

    def _explain_absence(self, lists: Lists, set_name: str | None) -> str:
        labels = lists.read(
            CONFIG_MAPS, _read_set_name, metadata_only=True, labelSelector=keys.SET
        ).items
        if labels and set_name is not None:
            found = listing(sorted(set(labels)), _MOST_NAMES)
            return f"no set {set_name} in namespace {self.namespace}; found: {found}"
        response = self._api.request("GET", f"/api/v1/namespaces/{self.namespace}")
        if response.status == _NOT_FOUND:
            return f"namespace {self.namespace} does not exist; see --namespace and --context"
        return f"no revisions in namespace {self.namespace}: no ConfigMap has the label {keys.SET}; see --namespace"


def _read_namespace(item: Any) -> str | None:
    return text_in(below(item, "metadata"), "namespace") or None


def _read_set_name(item: Any) -> str:
    return text_in(below(item, "metadata.labels"), keys.SET)


def _explain_unknown(name: str, history: History) -> str:
    names = find_base_names(history)
    hint = did_you_mean(nearest(name, names))
    where = f"in namespace {history.namespace}"
    return f"no base name or revision {name} {where}{hint or f'; found: {listing(names, _MOST_NAMES)}'}"


def find_base_names(history: History) -> list[str]:
    return sorted({entry.base for entry in history.entries})


def select(history: History, name: str) -> History:
    """Keep what is about a base name, a revision, or the hash of one. There may be nothing left."""
    selected = (_select(one, name) for one in history.sets)
    return history._replace(sets=tuple(one for one in selected if one.entries))


def _select(one: SetHistory, name: str) -> SetHistory:
    entries = tuple(
        entry for entry in one.entries if name in (entry.base, entry.name, entry.suffix)
    )
    names = {entry.name for entry in entries}
    concerned: set[str] = set()
    for entry in entries:
        for referrer in entry.referrers:
            # A ReplicaSet that references a revision tells of its Deployment too.
            concerned |= {str(referrer), referrer.of}
    workloads = tuple(workload for workload in one.workloads if str(workload) in concerned)
    leaks = tuple(
        leak
        for leak in one.leaks
        if not names.isdisjoint(tracker.name for tracker in leak.trackers)
    )
    abandoned = tuple(name for name in one.abandoned if name in names)
    bases = {(entry.base, entry.kind) for entry in entries}
    kept = tuple(kept for kept in one.kept if (kept.base, kept.kind) in bases)
    return one._replace(
        entries=entries, workloads=workloads, leaks=leaks, abandoned=abandoned, kept=kept
    )


def add_changes(history: History, source: ObjectLists, bases: Collection[str]) -> History:
    """Add to each revision of these base names its difference to the next older one.

    Secrets are left out: only their trackers are read, which hold nothing. Raises ApiError.
    """
    return history._replace(
        sets=tuple(_add_changes(one, history.namespace, source, bases) for one in history.sets)
    )


def _add_changes(
    one: SetHistory, namespace: str, source: ObjectLists, bases: Collection[str]
) -> SetHistory:
    live = [
        entry for entry in one.entries if entry.kind == "ConfigMap" and entry.created is not None
    ]
    wanted = [entry for entry in live if entry.base in bases]
    if not wanted:
        return one
    names = {entry.name for entry in wanted}
    listed = source.read(
        CONFIG_MAPS, lambda item: _read_content(item, names), labelSelector=f"{keys.SET}={one.name}"
    )
    contents = dict(listed.items)
    changes = {}
    for newer, older in pairwise(wanted):  # they are in order, the newest of a base name first
        if newer.base == older.base and newer.name in contents and older.name in contents:
            before, after = (
                ComparedObject("v1", entry.kind, namespace, entry.name, entry.base, one.name)
                for entry in (older, newer)
            )
            differing = compare_values(contents[older.name], contents[newer.name])
            changes[newer.name] = ObjectChange(before, after, has_new_name=True, keys=differing)
    return one._replace(
        entries=tuple(entry._replace(change=changes.get(entry.name)) for entry in one.entries)
    )


def _read_content(item: Any, names: Collection[str]) -> tuple[str, dict[str, StoredValue]] | None:
    name = text_in(below(item, "metadata"), "name")
    if name not in names:
        return None
    values = {
        key: StoredValue(_decode(value), None)
        for key, value in below(item, "binaryData").items()
        if isinstance(value, str)
    }
    values |= {
        key: StoredValue(_encode(value), value)
        for key, value in below(item, "data").items()
        if isinstance(value, str)
    }
    return name, values


def _decode(value: str) -> bytes:
    try:
        return b64decode(value, validate=True)
    except (Error, ValueError):
        return _encode(value)


def _encode(value: str) -> bytes:
    # JSON may hold half of a surrogate pair, which UTF-8 refuses.
    return value.encode("utf-8", "surrogatepass")
