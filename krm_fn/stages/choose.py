"""Which ConfigMaps and Secrets get which strategy."""

from fnmatch import fnmatchcase
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.node import get, is_null, text
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Selector, Settings, Strategy, is_pattern
from krm_fn.model.sync_order import HOOKS
from krm_fn.naming.names import base_name, has_stale_hash, is_revision
from krm_fn.naming.suggest import suggest
from krm_fn.references.references import References
from krm_fn.stages.early_readers import EarlyReaders
from krm_fn.stages.hints import Hints
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


def choose(package: Package, references: References, early: EarlyReaders, settings: Settings) -> Choices:
    """Choose a strategy for each ConfigMap and Secret.

    What nobody chose explicitly is renamed or adopted only if nothing hints at a program that looks it up by its name,
    and if no pods read it before it is applied.
    """
    hints = Hints(package, references)
    choices, problems = [], []
    for item in package.configs:
        choice, problem = _choose_one(item, references, hints, early, settings)
        choices.append(choice)
        problems += [problem] if problem else []
        if choice.strategy is Strategy.RENAME:
            problems += [reader.refuse() for reader in early.get(item, {}).values()]
    return Choices(tuple(choices), tuple(problems))


def _choose_one(
    item: Item, references: References, hints: Hints, early: EarlyReaders, settings: Settings
) -> tuple[Choice, Problem | None]:
    reason = _why_written_by_others(item, references)
    is_foreign = _is_of_another_set(item, settings)
    unchosen = Choice(item, Strategy.IGNORE, explicit=False, is_written_by_others=bool(reason) or is_foreign)
    if is_foreign:
        return unchosen, _stale(item) or _selected_in_vain(item, settings)
    if item.id.name in FIXED_NAMES or not item.id.name:
        return unchosen, None
    wanted, problem = _configured(item, settings)
    if reason and wanted not in (None, Strategy.IGNORE):
        return unchosen, about(item, f"selected, but left unchanged: {reason}", severity=Severity.WARNING)
    if wanted is None and problem is None and not reason:
        wanted, problem = _defaulted(item, references, hints, early, settings)
    return (unchosen if wanted is None else Choice(item, wanted, is_written_by_others=bool(reason))), problem


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


def _is_of_another_set(item: Item, settings: Settings) -> bool:
    """Tell whether another functionConfig made this object a revision."""
    return is_revision(item) and item.labels[keys.SET] not in settings.own_sets


def _stale(item: Item) -> Problem | None:
    """Report another set's revision whose content is no longer what its name says."""
    if not has_stale_hash(item):
        return None
    owner = item.labels[keys.SET]
    message = (
        f"is a revision of set {owner}, but its content has changed: run the function of that set first, "
        f"or, if this set replaces it, set spec.takeOver: [{owner}]"
    )
    return about(item, message)


def _selected_in_vain(item: Item, settings: Settings) -> Problem | None:
    """Warn about another set's revision that this set selects by its very name. A pattern may cover both by chance."""
    by_name = [one for one in settings.select or () if not is_pattern(one.name) and matches(item, one)]
    if not by_name or (by_name[0].strategy or settings.strategy) is Strategy.IGNORE:
        return None
    owner = item.labels[keys.SET]
    message = (
        f"selected, but left unchanged: it is a revision of set {owner}; select it in one of the sets only, or, if "
        f"this set replaces the other, set spec.takeOver: [{owner}]"
    )
    return about(item, message, severity=Severity.WARNING)


def _configured(item: Item, settings: Settings) -> tuple[Strategy | None, Problem | None]:
    """Return what configuration and author want: `exclude` wins, then the author's annotation, then `select`."""
    if any(matches(item, selector) for selector in settings.exclude):
        return Strategy.IGNORE, None
    annotated = item.annotations.get(keys.STRATEGY)
    if annotated is not None:
        return _annotated(item, annotated, settings)
    if item.id.kind not in settings.kinds:
        return None, None
    for selector in settings.select or ():
        if matches(item, selector):
            return selector.strategy or settings.strategy, None
    return None, None


def matches(item: Item, selector: Selector) -> bool:
    """Tell whether an entry of `select` or `exclude` matches an object."""
    return (
        selector.kind in (None, item.id.kind)
        and selector.namespace in (None, item.id.namespace)
        and (fnmatchcase(item.id.name, selector.name) or fnmatchcase(base_name(item), selector.name))
        and (not selector.labels or selector.labels.items() <= item.labels.items())
        and selector.annotations.items() <= item.annotations.items()
    )


def _annotated(item: Item, annotated: str, settings: Settings) -> tuple[Strategy | None, Problem | None]:
    field = f"metadata.annotations[{keys.STRATEGY}]"
    if annotated not in set(Strategy):
        return None, about(item, f"found {annotated!r}{suggest(annotated, Strategy)}", field)
    if item.id.kind not in settings.kinds and annotated != Strategy.IGNORE:
        message = f"has no effect: spec.kinds does not contain {item.id.kind}; add it"
        return None, about(item, message, field, Severity.WARNING)
    return Strategy(annotated), None


def _defaulted(
    item: Item, references: References, hints: Hints, early: EarlyReaders, settings: Settings
) -> tuple[Strategy | None, Problem | None]:
    """Return the default: what pods read, if nothing hints at a reader who needs the name."""
    is_default = settings.select is None and item.id.kind in settings.kinds
    if not is_default or item not in references.read_by_pods:
        return None, None
    # A revision of an earlier run in place stays one: whoever chose it has chosen it. A checksum renames nothing.
    if is_revision(item) or not settings.strategy.makes_revisions:
        return settings.strategy, None
    for reader in early.get(item, {}).values():
        return None, reader.leave_alone()
    hint = hints.about(item)
    return (None, _left_unchanged(item, hint)) if hint else (settings.strategy, None)


def _left_unchanged(item: Item, hint: str) -> Problem:
    message = (
        f"left unchanged: {hint}; annotate it with {keys.STRATEGY}: {Strategy.RENAME} to rename it all the same, "
        f"or {Strategy.IGNORE} to accept this"
    )
    return about(item, message, severity=Severity.WARNING)
