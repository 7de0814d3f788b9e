"""Wait for a state until a deadline. A failure shows the last state."""

import http.client
import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

from tests.cluster.server import ApiError

State = TypeVar("State")
PAUSE = 0.05
LONGEST_PAUSE = 0.5
WITHIN = 60.0
"""Seconds: far more than anything takes here, as the machine may be busy."""


class WaitTimeout(AssertionError):
    """The state was not reached in time."""

    def __init__(self, what: str, within: float, seen: str) -> None:
        super().__init__(f"waited {within:g} s: {what}\nlast seen: {seen}")


def until(
    what: str,
    look: Callable[[], State],
    holds: Callable[[State], object] = bool,
    *,
    within: float = WITHIN,
) -> State:
    """Wait until `holds` is true of a state, and return it.

    Connection errors are waited out too. The look that decides begins after the deadline: this
    process may have had no processor until then.
    """
    start = time.monotonic()
    while True:
        passed = time.monotonic() - start
        try:
            state = look()
            if holds(state):
                return state
            seen = show(state)
        except (OSError, http.client.HTTPException) as error:
            seen = repr(error)
        except ApiError as error:
            if not error.is_temporary:
                raise
            seen = str(error)
        if passed > within:
            raise WaitTimeout(what, within, seen)
        # What takes long need not be noticed at once, and several tests ask the same server.
        time.sleep(min(max(PAUSE, passed / 20), LONGEST_PAUSE))


def throughout(
    what: str,
    look: Callable[[], State],
    holds: Callable[[State], object] = bool,
    *,
    seconds: float,
) -> None:
    """Check that `holds` stays true for this long: proves that nothing happens."""
    start = time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        state = look()
        assert holds(state), (
            f"after {passed:.1f} of {seconds:g} s no longer: {what}\nlast seen: {show(state)}"
        )
        time.sleep(PAUSE)


def show(state: Any) -> str:
    """Format a state for a message. Of an object it shows metadata and status, never data."""
    if isinstance(state, list):
        return "nothing" if not state else "".join(f"\n- {show(item)}" for item in state)
    if isinstance(state, dict) and "metadata" in state:
        hidden = {"managedFields", "creationTimestamp", "annotations", "namespace", "uid"}
        metadata = {key: value for key, value in state["metadata"].items() if key not in hidden}
        shown = {"kind": state.get("kind"), "metadata": metadata, "status": state.get("status")}
        return json.dumps({key: value for key, value in shown.items() if value})
    return "nothing" if state is None else repr(state)
