"""Watch a namespace during a test, and check the invariants over all its changes."""

import contextlib
import time
from datetime import UTC, datetime
from typing import Self

from tests.cluster.api import Api
from tests.cluster.invariants import violations
from tests.cluster.kind_watch import KindWatch
from tests.cluster.object_state import POD_SPECS, Name, ObjectState
from tests.cluster.server import ApiError
from tests.wait import until

WATCHED = ("Namespace", "ConfigMap", "Secret", *POD_SPECS)


class InvariantWatcher:
    """A context manager that records all changes; `check` and `violations` judge them.

    Changes are not judged when they arrive, as watches of different kinds have no common order.
    Afterwards resourceVersions, which all kinds share, give the order.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._watches: list[KindWatch] = []
        self._begun = contextlib.ExitStack()
        self._seen: list[tuple[float, ObjectState]] = []
        self._forgiven: set[Name] = set()

    def forgive(self, *deleted: Name) -> None:
        """Do not report the deletion of these objects: the test itself deletes them."""
        self._forgiven |= {*deleted}

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as begun:
            for kind in WATCHED:
                try:
                    watch = KindWatch(self._api, kind, self._report)
                except ApiError as error:
                    # Argo Rollouts may not be installed.
                    if error.status != 404:
                        raise
                else:
                    self._watches.append(watch)
                    begun.callback(watch.stop)
            self._begun = begun.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._begun.close()

    def violations(self) -> list[str]:
        """Return one sentence for each violation up to now, with its time.

        Controllers go on meanwhile: a change is not judged before all that came before it is known.
        """
        known = [
            until("the watches have seen what there is", watch.current_version)
            for watch in self._watches
        ]
        upto = min(version for version in known if version)
        seen = [(at, state) for at, state in self._seen.copy() if state.version <= upto]
        times = {state.version: at for at, state in seen}
        initial = (state for watch in self._watches for state in watch.initial)
        found = violations(initial, (state for _, state in seen), self._forgiven)
        return [f"{_clock(times[version])} {sentence}" for version, sentence in found]

    def check(self) -> None:
        """Fail if there are violations."""
        found = self.violations()
        assert not found, "\n".join([f"in namespace {self._api.namespace}:", *found])

    def _report(self, state: ObjectState) -> None:
        self._seen.append((time.time(), state))


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S.%f")[:-3]
