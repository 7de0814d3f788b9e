"""Watch all changes of the objects of one kind in a namespace."""

import contextlib
import dataclasses
import http.client
import json
import socket
import threading
import urllib.parse
from collections.abc import Callable, Iterator

from tests.cluster.api import Api, Object
from tests.cluster.kinds import KINDS
from tests.cluster.object_state import ObjectState, read_state
from tests.cluster.server import JSON, METADATA_ONLY, METADATA_ONLY_LIST, ApiError, context
from tests.wait import PATIENCE, linger

# Their data is not needed, and may be large.
BY_METADATA = ("ConfigMap", "Secret")
GONE = 410
PAUSE = 0.1


class KindWatch:
    """Call `report` with every change, in a thread of its own, until it is stopped."""

    def __init__(self, api: Api, kind: str, report: Callable[[ObjectState], None]) -> None:
        self._api = api
        self._kind = kind
        self._report = report
        self._live, self._version = self._list()
        self.initial = list(self._live.values())
        self._connection: http.client.HTTPSConnection | None = None
        self._stopping = False
        self._opening = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"watch {kind}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        with self._opening:
            self._stopping = True
            if self._connection is not None and self._connection.sock is not None:
                # This ends the read that the thread waits in. Not through TLS, whose state belongs
                # to the thread.
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(self._connection.sock, socket.SHUT_RDWR)
        self._thread.join()

    def current_version(self) -> int | None:
        """Return the version up to which it knows all changes, None if some have yet to come."""
        listed, version = self._list()
        return version if _versions(listed) == _versions(self._live.copy()) else None

    def _run(self) -> None:
        gap = False
        while not self._stopping:
            try:
                if gap:
                    self._catch_up()
                    gap = False
                for event in self._events():
                    self._take(event)
            except _TooOld:
                gap = True
            except (OSError, http.client.HTTPException, ApiError):
                # The server is down or not ready yet.
                linger(PAUSE)

    def _events(self) -> Iterator[Object]:
        query = {
            **self._query(),
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": str(self._version),
        }
        target = f"{self._path()}?{urllib.parse.urlencode(query)}"
        with contextlib.closing(self._connect()) as connection:
            headers = {
                "Authorization": f"Bearer {self._api.token}",
                "Accept": self._accept(METADATA_ONLY),
            }
            connection.request("GET", target, headers=headers)
            answer = connection.getresponse()
            if answer.status == GONE:
                raise _TooOld
            if answer.status != http.client.OK:
                raise http.client.HTTPException(answer.status)
            while line := answer.readline():
                yield json.loads(line)

    def _connect(self) -> http.client.HTTPSConnection:
        place = urllib.parse.urlsplit(self._api.server.url).netloc
        connection = http.client.HTTPSConnection(
            place, context=context(self._api.server), timeout=PATIENCE
        )
        with self._opening:
            if self._stopping:
                raise ConnectionAbortedError
            self._connection = connection
            connection.connect()
            # There may be hours between two events.
            connection.sock.settimeout(None)
        return connection

    def _take(self, event: Object) -> None:
        found = event["object"]
        if event["type"] == "ERROR":
            if found["code"] == GONE:
                raise _TooOld
            raise http.client.HTTPException(found["message"])
        if event["type"] != "BOOKMARK":
            self._change(
                read_state({**found, "kind": self._kind}, exists=event["type"] != "DELETED")
            )
        self._version = int(found["metadata"]["resourceVersion"])

    def _change(self, state: ObjectState) -> None:
        self._report(state)
        if state.exists:
            self._live[state.uid] = state
        else:
            self._live.pop(state.uid, None)

    def _catch_up(self) -> None:
        """Report what changed in a gap.

        The time of a deletion is unknown: it is as early as possible for consumers, as late as
        possible for revisions.
        """
        listed, version = self._list()
        for uid in self._live.keys() - listed.keys():
            deleted = self._live[uid]
            self._change(
                dataclasses.replace(
                    deleted,
                    exists=False,
                    version=version if deleted.is_protected else self._version,
                )
            )
        for uid, state in listed.items():
            if state != self._live.get(uid):
                self._change(state)
        self._version = version

    def _list(self) -> tuple[dict[str, ObjectState], int]:
        answer = self._api.call(
            "GET", self._path(), query=self._query(), accept=self._accept(METADATA_ONLY_LIST)
        )
        states = (read_state({**item, "kind": self._kind}) for item in answer["items"] or [])
        return {state.uid: state for state in states}, int(answer["metadata"]["resourceVersion"])

    def _path(self) -> str:
        return KINDS[self._kind].path(self._api.namespace)

    def _query(self) -> dict[str, str]:
        return (
            {"fieldSelector": f"metadata.name={self._api.namespace}"}
            if self._kind == "Namespace"
            else {}
        )

    def _accept(self, metadata_only: str) -> str:
        return metadata_only if self._kind in BY_METADATA else JSON


class _TooOld(Exception):
    """The server no longer has the changes since that version."""


def _versions(states: dict[str, ObjectState]) -> dict[str, int]:
    return {uid: state.version for uid, state in states.items()}
