"""Watches a namespace through a whole test for what must never happen in it; `verdict` says what that is."""

import contextlib
import time
from datetime import UTC, datetime
from typing import Self

from tests.cluster.api import Api
from tests.cluster.server import ApiError
from tests.cluster.sight import POD_SPECS, Sight
from tests.cluster.verdict import violations
from tests.cluster.wait import until
from tests.cluster.watch import Watch

WATCHED = ("Namespace", "ConfigMap", "Secret", *POD_SPECS)


class Watcher:
    """A context, from whose beginning on `check` judges.

    Nothing is judged as it arrives: of two kinds the one event may come before the other, and an object may be
    seen late. The versions that all objects share say afterwards what was there when.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._watches: list[Watch] = []
        self._begun = contextlib.ExitStack()
        self._seen: list[tuple[float, Sight]] = []

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as begun:
            for kind in WATCHED:
                try:
                    watch = Watch(self._api, kind, self._report)
                except ApiError as error:
                    # Rollouts, where nobody has asked for them yet.
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
        """A sentence for each up to now, with the time at which it was seen."""
        for watch in self._watches:
            until("the watches have seen what there is", watch.is_current)
        seen = list(self._seen)
        times = {sight.version: at for at, sight in seen}
        initial = (sight for watch in self._watches for sight in watch.initial)
        found = violations(initial, (sight for _, sight in seen))
        return [f"{_clock(times[version])} {sentence}" for version, sentence in found]

    def check(self) -> None:
        """Fail if anything happened that must not."""
        found = self.violations()
        assert not found, "\n".join([f"in namespace {self._api.namespace}:", *found])

    def _report(self, sight: Sight) -> None:
        self._seen.append((time.time(), sight))


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%H:%M:%S.%f")[:-3]
