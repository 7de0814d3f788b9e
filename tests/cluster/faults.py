"""Faults for a `Proxy`: functions of a call and of the function that passes it on.

They can be nested.
"""

import email.utils
import json
import re
from collections.abc import Callable

from tests.cluster.fault_proxy import Answer, Call, Dropped, Fault, PassOn
from tests.wait import linger


def drop_before(_call: Call, _pass_on: PassOn) -> Answer:
    """Close the connection before the API server gets the request."""
    raise Dropped


def drop_after(call: Call, pass_on: PassOn) -> Answer:
    """Close the connection after the API server has processed the request."""
    pass_on(call)
    raise Dropped


def refuse(status: int, reason: str, **headers: str) -> Fault:
    """Respond with an error of the API server's form. `Retry_After="1"` adds a header."""
    message = {
        "kind": "Status",
        "status": "Failure",
        "code": status,
        "reason": reason,
        "message": f"test: {reason}",
    }
    more = {key.replace("_", "-"): value for key, value in headers.items()}
    always = {"content-type": "application/json", "date": email.utils.formatdate(usegmt=True)}
    return lambda _call, _pass_on: Answer(status, {**always, **more}, json.dumps(message).encode())


def delay(seconds: float) -> Fault:
    def wait(call: Call, pass_on: PassOn) -> Answer:
        linger(seconds)
        return pass_on(call)

    return wait


def pages_of(size: int) -> Fault:
    """Make the pages of lists smaller than requested."""
    return lambda call, pass_on: pass_on(
        call._replace(target=re.sub(r"limit=\d+", f"limit={size}", call.target))
    )


def clock_ahead(seconds: float) -> Fault:
    """Move the Date header of responses ahead."""

    def shift(call: Call, pass_on: PassOn) -> Answer:
        answer = pass_on(call)
        said = email.utils.parsedate_to_datetime(answer.headers["date"]).timestamp()
        return answer._replace(
            headers={**answer.headers, "date": email.utils.formatdate(said + seconds, usegmt=True)}
        )

    return shift


def at(number: int, fault: Fault) -> Fault:
    """Cause the fault at the call of this number only."""
    return lambda call, pass_on: fault(call, pass_on) if call.number == number else pass_on(call)


def first(matches: Callable[[Call], object], fault: Fault, *, times: int = 1) -> Fault:
    """Cause the fault at the first calls that match."""
    left = [fault] * times
    return lambda call, pass_on: (
        left.pop()(call, pass_on) if left and matches(call) else pass_on(call)
    )


def both(outer: Fault, inner: Fault) -> Fault:
    return lambda call, pass_on: outer(call, lambda same: inner(same, pass_on))
