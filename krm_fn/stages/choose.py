"""Which ConfigMaps and Secrets get which strategy."""

from fnmatch import fnmatchcase
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import HOOKS
from krm_fn.model.node import get, is_null, text
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Selector, Settings, Strategy
from krm_fn.naming.names import base_name
from krm_fn.references.references import References
from krm_fn.stages.package import Package

FIXED_NAMES = frozenset({"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"})
"""ConfigMaps that programs look up by this very name."""

_WRITTEN_TYPES = frozenset(
    {"kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"}
)
"""Types of Secrets whose content, or whose name, a controller decides."""

_WRITTEN_MARKS = {
    "config.openshift.io/inject-trusted-cabundle": "OpenShift writes its content",
    "service.beta.openshift.io/inject-cabundle": "OpenShift writes its content",
    **dict.fromkeys(HOOKS, "it is created and deleted with a hook"),
}
"""Labels and annotations of objects whose name or content somebody else decides, and who."""


class Choice(NamedTuple):
    """The strategy of an object. `explicit`: configured, not defaulted.

    `is_written_by_others`: its name or content is not the package's to decide.
    """

    item: Item
    strategy: Strategy
    explicit: bool = True
    is_written_by_others: bool = False


class Choices(NamedTuple):
    """One choice for each ConfigMap and Secret, and what is wrong with them."""

    all: tuple[Choice, ...]
    problems: tuple[Problem, ...]


def choose(package: Package, references: References, settings: Settings) -> Choices:
    """Choose a strategy for each ConfigMap and Secret."""
    choices, problems = [], []
    for item in package.configs:
        choice, problem = _choose_one(item, references, settings)
        choices.append(choice)
        problems += [problem] if problem else []
    return Choices(tuple(choices), tuple(problems))


def _choose_one(item: Item, references: References, settings: Settings) -> tuple[Choice, Problem | None]:
    reason = _why_written_by_others(item, references)
    if item.id.name in FIXED_NAMES or not item.id.name:
        return Choice(item, Strategy.IGNORE, explicit=False, is_written_by_others=bool(reason)), None
    wanted, problem = _configured(item, references, settings)
    if reason and wanted is not None and wanted is not Strategy.IGNORE:
        is_asked = settings.select is not None or keys.STRATEGY in item.annotations
        warning = about(item, f"selected, but left unchanged: {reason}", severity=Severity.WARNING)
        wanted, problem = None, warning if is_asked else None
    explicit = wanted is not None
    return Choice(item, wanted or Strategy.IGNORE, explicit=explicit, is_written_by_others=bool(reason)), problem


def _configured(item: Item, references: References, settings: Settings) -> tuple[Strategy | None, Problem | None]:
    """Return what configuration and author want: `exclude` wins, then the author's annotation, then `select`."""
    if any(_matches(item, selector) for selector in settings.exclude):
        return Strategy.IGNORE, None
    annotated = item.annotations.get(keys.STRATEGY)
    if annotated is not None:
        return _annotated(item, annotated, settings)
    if item.id.kind not in settings.kinds:
        return None, None
    if settings.select is None:
        return (settings.strategy if item in references.read_by_pods else None), None
    for selector in settings.select:
        if _matches(item, selector):
            return selector.strategy or settings.strategy, None
    return None, None


def _annotated(item: Item, annotated: str, settings: Settings) -> tuple[Strategy | None, Problem | None]:
    field = f"metadata.annotations[{keys.STRATEGY}]"
    if annotated not in set(Strategy):
        return None, about(item, f"found {annotated!r}, allowed: {', '.join(Strategy)}", field)
    if item.id.kind not in settings.kinds and annotated != Strategy.IGNORE:
        message = f"has no effect: spec.kinds does not contain {item.id.kind}; add it"
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


def _why_written_by_others(item: Item, references: References) -> str:
    """Say why this object's name or content is not the package's to decide; `""` where it is."""
    if item in references.written_by_controllers:
        return "a controller writes to it under this name"
    if item.id.kind == "Secret" and text(get(item.node, "type")) in _WRITTEN_TYPES:
        return f"a controller fills Secrets of type {text(get(item.node, 'type'))}"
    if not is_null(get(item.node, "metadata", "ownerReferences")):
        return "it has ownerReferences"
    marks = {**item.labels, **item.annotations}
    return next((f"{reason} ({mark})" for mark, reason in _WRITTEN_MARKS.items() if mark in marks), "")
