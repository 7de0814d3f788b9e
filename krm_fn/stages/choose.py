"""Which ConfigMaps and Secrets get which strategy."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import HOOKS
from krm_fn.model.node import get, is_null, text
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Selector, Settings, Strategy
from krm_fn.naming.names import base_name

FIXED_NAMES = frozenset({"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"})
"""ConfigMaps that programs find by this very name."""

WRITTEN_TYPES = frozenset(
    {"kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"}
)
"""Types of Secrets whose content, or whose name, a controller decides."""

WRITTEN_MARKS = {
    "config.openshift.io/inject-trusted-cabundle": "OpenShift writes its content",
    "service.beta.openshift.io/inject-cabundle": "OpenShift writes its content",
    **dict.fromkeys(HOOKS, "a hook lives and dies with its hook"),
}
"""Labels and annotations of objects that live by other rules, and which."""


class Choice(NamedTuple):
    """What is to be done with an object. `asked`: because somebody said so, not because nobody said anything."""

    item: Item
    strategy: Strategy
    asked: bool = True


class Usage(NamedTuple):
    """What the package's references say of its ConfigMaps and Secrets. Sets of `id(item.node)`."""

    in_pods: frozenset[int]
    written: frozenset[int]


def choose(configs: Iterable[Item], settings: Settings, usage: Usage) -> tuple[list[Choice], list[Problem]]:
    """The strategy of each ConfigMap and Secret, and what is worth a warning about that."""
    choices, problems = [], []
    for item in configs:
        strategy, problem = _choose_one(item, settings, usage)
        choices.append(Choice(item, strategy or Strategy.IGNORE, asked=strategy is not None))
        if problem:
            problems.append(problem)
    return choices, problems


def _choose_one(item: Item, settings: Settings, usage: Usage) -> tuple[Strategy | None, Problem | None]:
    if item.id.name in FIXED_NAMES or not item.id.name:
        return None, None
    wanted, problem = _wanted(item, settings, usage)
    if wanted is None or wanted is Strategy.IGNORE:
        return wanted, problem
    reason = written_by_others(item, usage)
    if reason:
        asked = settings.select is not None or keys.STRATEGY in item.annotations
        warning = about(item, f"left alone, though selected: {reason}", severity=Severity.WARNING)
        return None, warning if asked else None
    return wanted, None


def _wanted(item: Item, settings: Settings, usage: Usage) -> tuple[Strategy | None, Problem | None]:
    """What configuration and author ask for: exclude wins, then the author's annotation, then select."""
    if any(_matches(item, selector) for selector in settings.exclude):
        return Strategy.IGNORE, None
    annotated = item.annotations.get(keys.STRATEGY)
    if annotated is not None:
        return _annotated(item, annotated, settings)
    if item.id.kind not in settings.kinds:
        return None, None
    if settings.select is None:
        return (settings.strategy if id(item.node) in usage.in_pods else None), None
    for selector in settings.select:
        if _matches(item, selector):
            return selector.strategy or settings.strategy, None
    return None, None


def _annotated(item: Item, annotated: str, settings: Settings) -> tuple[Strategy | None, Problem | None]:
    field = f"metadata.annotations[{keys.STRATEGY}]"
    if annotated not in set(Strategy):
        allowed = ", ".join(Strategy)
        message = f"found {annotated!r}, allowed: {allowed}"
        return None, about(item, message, field)
    if item.id.kind not in settings.kinds and annotated != Strategy.IGNORE:
        message = f"has no effect: spec.kinds has no {item.id.kind}; add it there"
        return None, about(item, message, field, Severity.WARNING)
    return Strategy(annotated), None


def _matches(item: Item, selector: Selector) -> bool:
    return (
        selector.kind in (None, item.id.kind)
        and selector.namespace in (None, item.id.namespace)
        and (fnmatchcase(item.id.name, selector.name) or fnmatchcase(base_name(item), selector.name))
        and (not selector.labels or selector.labels.items() <= item.labels.items())
        and selector.annotations.items() <= item.annotations.items()
    )


def written_by_others(item: Item, usage: Usage) -> str:
    """Why this object's name or content is not the package's to decide; `""` where it is."""
    if id(item.node) in usage.written:
        return "a controller writes it under this name"
    if item.id.kind == "Secret" and text(get(item.node, "type")) in WRITTEN_TYPES:
        return f"a controller fills Secrets of type {text(get(item.node, 'type'))}"
    if not is_null(get(item.node, "metadata", "ownerReferences")):
        return "it has an owner already"
    marks = {**item.labels, **item.annotations}
    return next((f"{reason} ({mark})" for mark, reason in WRITTEN_MARKS.items() if mark in marks), "")
