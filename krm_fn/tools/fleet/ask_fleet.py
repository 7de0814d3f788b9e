"""Ask several clusters, or all namespaces of one, at the same time.

One that does not answer holds up no other.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from typing import TypeVar

from krm_fn.base import keys
from krm_fn.base.problem import listing
from krm_fn.linker.api import Refused
from krm_fn.linker.credentials import Access, NoCredentials, list_contexts
from krm_fn.linker.exec_plugin import end_plugins
from krm_fn.linker.retry import STEP, NoResponse, within
from krm_fn.tools.common.revision_history import NoAnswer
from krm_fn.tools.fleet.build_fleet import FleetAccess, FleetColumn, Silence, find_column
from krm_fn.tools.history.ask import Absent, LiveNamespace, Question

__all__ = [
    "ask_fleet",
]

_AT_ONCE = 16
"""Questions at the same time. Each holds what one namespace has in memory."""

_GRACE = 2.0
"""Seconds in which a question may still end by itself, and say why."""

_MOST_CONTEXTS = 50

_T = TypeVar("_T")


def ask_fleet(
    access: FleetAccess, set_name: str | None, say: Callable[[str], None]
) -> list[FleetColumn]:
    """Return a column for each namespace, in the order of the contexts.

    Raises NoAnswer for a wrong name of one.
    """
    contexts = _find_contexts(access) if access.contexts else [None]
    clusters = run_at_once(
        [partial(_connect, access, context, set_name, say) for context in contexts]
    )
    return run_at_once(
        [partial(_ask, access, one, set_name) for one in chain.from_iterable(clusters)]
    )


def _find_contexts(access: FleetAccess) -> list[str]:
    try:
        known = list_contexts(access.kubeconfig)
    except NoCredentials as error:
        raise NoAnswer(str(error)) from error
    found: dict[str, None] = {}
    for pattern in access.contexts:
        matching = [name for name in known if name == pattern or fnmatchcase(name, pattern)]
        if not matching:
            message = (
                f"--context {pattern}: no context has such a name; found: "
                f"{listing(sorted(known), _MOST_CONTEXTS)}"
            )
            raise NoAnswer(message)
        found |= dict.fromkeys(matching)
    return [*found]


def _connect(
    access: FleetAccess, context: str | None, set_name: str | None, say: Callable[[str], None]
) -> Sequence[LiveNamespace | FleetColumn]:
    """Return the namespaces of a cluster, or a column that says why there is none to ask."""

    def connect() -> Sequence[LiveNamespace]:
        prefix = f"{context}: " if context else ""
        live = LiveNamespace(
            Access(access.kubeconfig, context),
            access.namespace,
            lambda line: say(prefix + line),
            access.timeout,
        )
        return (
            [*map(live.beside, live.find_namespaces(set_name))] if access.is_everywhere else [live]
        )

    found = _within(access.timeout, context or "", "", connect)
    if isinstance(found, FleetColumn):
        return [found]
    selector = keys.SET if set_name is None else f"{keys.SET}={set_name}"
    nothing = f"no revisions in any namespace: no ConfigMap has the label {selector}"
    return found or [FleetColumn(context or "", "", notes=(nothing,))]


def _ask(
    access: FleetAccess, live: LiveNamespace | FleetColumn, set_name: str | None
) -> FleetColumn:
    if isinstance(live, FleetColumn):
        return live

    def ask() -> FleetColumn:
        try:
            return find_column(live.ask(Question(set_name)), live.cluster)
        except Absent as error:
            return FleetColumn(live.cluster, live.namespace, notes=(str(error),))

    return _within(access.timeout, live.cluster, live.namespace, ask)


def _within(
    timeout: float, cluster: str, namespace: str, act: Callable[[], _T]
) -> _T | FleetColumn:
    """Return what a function returns, or a column that says why that is nothing.

    Not only requests take their time: a program that prints a token may wait for somebody.
    """
    try:
        return within(timeout + _GRACE, act)
    except NoAnswer as error:
        silence = Silence.REFUSED if isinstance(error.__cause__, Refused) else Silence.NO_ANSWER
        return FleetColumn(cluster, namespace, silence=silence, reason=str(error))
    except NoResponse as error:
        return FleetColumn(cluster, namespace, silence=Silence.NO_ANSWER, reason=str(error))


def run_at_once(tasks: Sequence[Callable[[], _T]]) -> list[_T]:
    """Return what the tasks return, in their order."""
    # Threads, as all of them wait for networks (decision 62).
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        futures = [pool.submit(task) for task in tasks]
        while wait(futures, STEP).not_done:
            pass
        return [future.result() for future in futures]
    finally:
        # Ctrl-C waits for nobody, and leaves nothing running.
        pool.shutdown(wait=False, cancel_futures=True)
        end_plugins()
