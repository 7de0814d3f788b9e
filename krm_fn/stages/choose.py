"""Which entries of `select` and `exclude` match an object."""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.deployers import HOOKS
from krm_fn.model.entries import Entries, Numbered, conditions
from krm_fn.model.item import Item, about
from krm_fn.model.node import get, is_null
from krm_fn.model.node import text as text_of
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Selector, Settings, Strategy, matcher
from krm_fn.naming.content_hash import Unhashable
from krm_fn.naming.names import KnownNames, has_stale_hash, hash_in_name, is_revision
from krm_fn.naming.suggest import suggest
from krm_fn.references.fields import annotations_of
from krm_fn.references.find import may_refer
from krm_fn.references.generated import RenameBlocker, find_unmet, hash_of
from krm_fn.references.references import References
from krm_fn.stages.early_readers import EarlyReaders
from krm_fn.stages.hints import RENAME_ALL_THE_SAME, Hints
from krm_fn.stages.package import Package
from krm_fn.stages.reason import Reason, ReasonCode
from krm_fn.stages.sops import find_refused


class EntryMatcher:
    """The entries of a configuration. `names` are those of the objects of this run."""

    def __init__(self, settings: Settings, names: KnownNames) -> None:
        self._select = _index(settings.select or ())
        self._exclude = _index(settings.exclude)
        # The same is asked of an object several times, and there may be thousands of entries.
        self._find = cache(lambda entries, item: [*_find(entries, item, names)])

    def select(self, item: Item) -> Sequence[Numbered[Selector]]:
        """Return the entries of `select` that match, in their order."""
        return self._find(self._select, item)

    def exclude(self, item: Item) -> Sequence[Numbered[Selector]]:
        """Return the entries of `exclude` that match, in their order."""
        return self._find(self._exclude, item)


def find_first(items: Iterable[Item], selectors: Iterable[Selector], names: KnownNames) -> dict[int, Item]:
    """Return the first object that each entry matches, by the position of the entry. Some match none."""
    entries = _index(selectors)
    first: dict[int, Item] = {}
    for item in items if entries else ():
        for position, _ in _find(entries, item, names, but=first):
            first[position] = item
    return first


def _index(selectors: Iterable[Selector]) -> Entries[Selector]:
    return Entries(selectors, lambda one: conditions(one.namespace, one.labels, one.annotations))


def _find(
    entries: Entries[Selector], item: Item, names: KnownNames, but: Container[int] = ()
) -> Iterator[Numbered[Selector]]:
    if not entries:
        return
    own = (item.id.name, names.base(item))
    for one in entries.that_may_match(item, own):
        if one.position not in but and _matches(item, own, one.entry):
            yield one


def _matches(item: Item, names: Iterable[str], selector: Selector) -> bool:
    return (
        selector.kind in (None, item.id.kind)
        and selector.namespace in (None, item.id.namespace)
        and any(map(matcher(selector.name), names))
        and (not selector.labels or selector.labels.items() <= item.labels.items())
        and selector.annotations.items() <= item.annotations.items()
    )


FIXED_NAMES = frozenset({"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"})
"""ConfigMaps that programs look up by this very name."""

_WRITTEN_TYPES = frozenset(
    {"kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"}
)
"""Types of Secrets whose content, or whose name, a controller decides."""

_WRITTEN_MARKS = {
    **{
        name: f"{row.copied_by} copies another object into it"
        for name, row in annotations_of("ConfigMap").items()
        if row.copied_by
    },
    "config.openshift.io/inject-trusted-cabundle": "OpenShift writes its content",
    "service.beta.openshift.io/inject-cabundle": "OpenShift writes its content",
    **dict.fromkeys(HOOKS, "it is created and deleted with a hook"),
}
"""Labels and annotations of objects whose name or content somebody else decides, and who."""

_HAS_FIXED_NAME = Reason(ReasonCode.FIXED_NAME, "programs look it up by this very name")
_HAS_NO_NAME = Reason(ReasonCode.FIXED_NAME, "it has no name")
_NOT_SELECTED = Reason(
    ReasonCode.NOT_SELECTED,
    "no entry of spec.select matches it",
    field="spec.select",
    remedy=f"add an entry, or annotate it with {keys.STRATEGY}: {Strategy.RENAME}",
)
_NOT_READ = Reason(
    ReasonCode.NOT_READ,
    "no pod template of the package references it",
    remedy=f"annotate it with {keys.STRATEGY}: {Strategy.RENAME} to rename it all the same",
)
_READ_IN_CHART = _NOT_READ._replace(text="only values of a chart name it, and its pods are rendered in the cluster")
_OF_EARLIER_RUN = Reason(ReasonCode.EARLIER_RUN, "pods read it, and an earlier run has made it a revision")
_READ = Reason(ReasonCode.DEFAULT, "pods read it")
_READ_WITHOUT_HINT = Reason(
    ReasonCode.DEFAULT, "pods read it, and nothing hints at a program that looks it up by its name"
)


class Choice(NamedTuple):
    """The strategy of an object. `explicit`: configured, not defaulted.

    `is_written_by_others`: its name or content is not the package's to decide. `problem`: what is wrong with it.
    `gets_base_name_back`: an earlier run in place has made it a revision, and it is none any more. `is_taken`: this set
    would choose it, were it not a revision of another set.
    """

    item: Item
    strategy: Strategy
    reason: Reason
    explicit: bool = True
    is_written_by_others: bool = False
    problem: Problem | None = None
    gets_base_name_back: bool = False
    is_taken: bool = False


class Choices(NamedTuple):
    """One choice for each of these objects, what is wrong with them, and the hints that were asked for."""

    all: tuple[Choice, ...]
    problems: tuple[Problem, ...]
    hints: Hints


class _Known(NamedTuple):
    """What a run knows when it chooses."""

    settings: Settings
    selectors: EntryMatcher
    references: References
    hints: Hints
    early: EarlyReaders
    has_referrers: bool


class _Decision(NamedTuple):
    """A strategy, None where nothing chooses one, and why."""

    strategy: Strategy | None
    reason: Reason
    problem: Problem | None = None


def choose(package: Package, references: References, early: EarlyReaders, settings: Settings) -> Choices:
    """Choose a strategy for each ConfigMap, Secret and handled producer.

    What nobody chose explicitly is renamed or adopted only if nothing hints at a program that looks it up by its name,
    and if no pods read it before it is applied.
    """
    hints = Hints(package, references, settings.deployers)
    has_referrers = any(may_refer(item.id) and not item.is_local for item in package.authored)
    known = _Known(settings, EntryMatcher(settings, references.index.names), references, hints, early, has_referrers)
    choices, problems = [], []
    for item in package.configs:
        choice = _choose_one(item, known)
        choices.append(choice)
        problems += [choice.problem] if choice.problem else []
        if choice.strategy is Strategy.RENAME:
            problems += [reader.refuse() for reader in early.get(item, {}).values()]
            problems += hints.name_readers.refuse(item)
    return Choices(tuple(choices), tuple(problems), hints)


def _choose_one(item: Item, known: _Known) -> Choice:
    chosen = _choose_in_own_set(item, known)
    if not _is_of_another_set(item, known.settings):
        return chosen
    return Choice(
        item,
        Strategy.IGNORE,
        Reason(ReasonCode.OTHER_SET, f"it is a revision of set {item.labels[keys.SET]}"),
        explicit=False,
        is_written_by_others=True,
        problem=_stale(item),
        is_taken=chosen.strategy is not Strategy.IGNORE,
    )


def _choose_in_own_set(item: Item, known: _Known) -> Choice:
    written = _why_written_by_others(item, known.references)
    if written is not None and not item.is_config and _why_bound(item, known.references) is not None:
        written = None  # two that make one Secret write to each other's: that is said below
    decision = _refused(item) or _configured(item, known)
    if decision is None:
        decision = _Decision(None, written) if written else _defaulted(item, known)
        decision = _unless_bound(item, known, decision)
    elif written and decision.strategy not in (None, Strategy.IGNORE):
        message = f"selected, but left unchanged: {written.text}"
        decision = _Decision(None, written, about(item, message, severity=Severity.WARNING))
    else:
        decision = _unless_bound(item, known, decision)
    choice = Choice(
        item,
        decision.strategy or Strategy.IGNORE,
        decision.reason,
        explicit=decision.strategy is not None,
        is_written_by_others=written is not None,
        problem=decision.problem,
    )
    is_own = is_revision(item) and item.labels[keys.SET] in known.settings.own_sets
    return _settle_former(choice, known) if is_own and not choice.strategy.makes_revisions else choice


def _settle_former(choice: Choice, known: _Known) -> Choice:
    """Decide the name of an object that an earlier run has made a revision of this set, and that is none any more.

    A content name must never be above other content: the API server refuses an edit of what is immutable. Where no
    workload of the package reads the object, and its content still fits, those who read it may be out of sight.
    """
    ground = choice.reason.ground
    if choice.explicit or ground in {ReasonCode.KINDS, ReasonCode.NOT_SELECTED}:
        return choice._replace(gets_base_name_back=True)
    # What is encrypted was named before: its name never fits the ciphertext.
    is_encrypted = ground is ReasonCode.BOUND and choice.item.is_config
    is_wrong = choice.problem is not None and choice.problem.severity is Severity.ERROR
    if is_encrypted or is_wrong or not _is_stale(choice.item):
        return choice
    if ground is ReasonCode.NOT_READ and known.has_referrers:
        return choice._replace(gets_base_name_back=True)
    elsewhere = "run the function over the whole package, or " if ground is ReasonCode.NOT_READ else ""
    message = (
        f"its name is of older content, and stays because {choice.reason.text}; "
        f"{elsewhere}annotate it with {keys.STRATEGY}: {Strategy.IGNORE} to give it its base name back"
    )
    return choice._replace(problem=about(choice.item, message, "metadata.name"))


def _unless_bound(item: Item, known: _Known, decision: _Decision) -> _Decision:
    """Leave an object alone whose name must not change, or the name of what it makes."""
    if decision.strategy is None or not decision.strategy.makes_revisions:
        return decision
    bound = _why_encrypted(item, known.settings) if item.is_config else _why_bound(item, known.references)
    if bound is None:
        return decision
    message = (
        f"left unchanged: {bound.text}; or annotate it with {keys.STRATEGY}: {Strategy.CHECKSUM} to restart pods when "
        f"{'it' if item.is_config else 'its spec'} changes, or {Strategy.IGNORE} to accept this"
    )
    return _Decision(None, bound, about(item, message, bound.field, Severity.WARNING))


def _why_encrypted(item: Item, settings: Settings) -> Reason | None:
    unmet = find_refused(item, settings)
    return None if unmet is None else _bound_by(unmet, item)


def _bound_by(unmet: RenameBlocker, item: Item) -> Reason:
    return Reason(ReasonCode.BOUND, unmet.reason, item, unmet.field, unmet.source)


def _why_bound(item: Item, references: References) -> Reason | None:
    """Say why a producer cannot be a revision; None where it can."""
    unmet = find_unmet(item)
    if unmet is not None:
        return _bound_by(unmet, item)
    shared = references.shared.get(item)
    if shared is None:
        return None
    others = [target.id for target in shared.targets if target is not item]
    name = f"{shared.reference.kind} {shared.reference.target}"
    text = f"{others[0]} has or makes its {name} as well" if others else f"its {name} is in another namespace"
    return Reason(ReasonCode.BOUND, text, item, shared.reference.field)


def _refused(item: Item) -> _Decision | None:
    """Leave alone what no configuration can choose."""
    if item.id.name in FIXED_NAMES or not item.id.name:
        return _Decision(None, _HAS_FIXED_NAME if item.id.name else _HAS_NO_NAME)
    return None


def _why_written_by_others(item: Item, references: References) -> Reason | None:
    """Say why this object's name or content is not the package's to decide; None where it is."""
    written = references.written_by_controllers.get(item)
    if written is not None:
        text = "a controller writes to it under this name"
        return Reason(
            ReasonCode.WRITTEN, text, written.referrer, written.reference.field, written.reference.rule.source
        )
    kind_of_secret = text_of(get(item.node, "type")) if item.id.kind == "Secret" else ""
    if kind_of_secret in _WRITTEN_TYPES:
        return Reason(ReasonCode.WRITTEN, f"a controller fills Secrets of type {kind_of_secret}", item, "type")
    if not is_null(get(item.node, "metadata", "ownerReferences")):
        return Reason(ReasonCode.WRITTEN, "it has ownerReferences", item, "metadata.ownerReferences")
    for mark, who in _WRITTEN_MARKS.items():
        for name, marks in (("labels", item.labels), ("annotations", item.annotations)):
            if mark in marks:
                return Reason(ReasonCode.WRITTEN, f"{who} ({mark})", item, f"metadata.{name}[{mark}]")
    return None


def _is_of_another_set(item: Item, settings: Settings) -> bool:
    """Tell whether another functionConfig made this object a revision."""
    return is_revision(item) and item.labels[keys.SET] not in settings.own_sets


def _stale(item: Item) -> Problem | None:
    """Report another set's revision whose content is no longer what its name says."""
    if not _is_stale(item):
        return None
    owner = item.labels[keys.SET]
    message = (
        f"is a revision of set {owner}, but its content has changed: run the function of that set first, "
        f"or, if this set replaces it, set spec.takeOver: [{owner}]"
    )
    return about(item, message)


def _is_stale(item: Item) -> bool:
    if item.is_config:
        return has_stale_hash(item)
    try:
        return hash_in_name(item) not in ("", hash_of(item))
    except Unhashable:
        return True


def _configured(item: Item, known: _Known) -> _Decision | None:
    """Return what configuration and author want: `exclude` wins, then the author's annotation, then `select`.

    None: they leave it to the default.
    """
    settings = known.settings
    for number, _ in known.selectors.exclude(item):
        return _Decision(Strategy.IGNORE, _matched(ReasonCode.EXCLUDE, number))
    annotated = item.annotations.get(keys.STRATEGY)
    if annotated is not None:
        return _annotated(item, annotated, settings)
    if item.id.kind not in settings.kinds:
        return None
    for number, selector in known.selectors.select(item):
        return _Decision(selector.strategy or settings.strategy, _matched(ReasonCode.SELECT, number))
    return None


def _matched(ground: ReasonCode, number: int) -> Reason:
    field = f"spec.{ground}[{number}]"
    return Reason(ground, f"{field} matches it", field=field)


def _annotated(item: Item, annotated: str, settings: Settings) -> _Decision:
    field = f"metadata.annotations[{keys.STRATEGY}]"
    reason = Reason(ReasonCode.ANNOTATION, f"its annotation {keys.STRATEGY} says so", item, field)
    if annotated not in set(Strategy):
        return _Decision(None, reason, about(item, f"found {annotated!r}{suggest(annotated, Strategy)}", field))
    if item.id.kind not in settings.kinds and annotated != Strategy.IGNORE:
        message = f"has no effect: spec.kinds does not contain {item.id.kind}; add it"
        return _Decision(None, _not_handled(item), about(item, message, field, Severity.WARNING))
    return _Decision(Strategy(annotated), reason)


def _not_handled(item: Item) -> Reason:
    kind = item.id.kind
    return Reason(
        ReasonCode.KINDS, f"spec.kinds does not contain {kind}", field="spec.kinds", remedy=f"add {kind} to it"
    )


def _defaulted(item: Item, known: _Known) -> _Decision:
    """Return the default: what pods read, if nothing hints at a reader who needs the name."""
    if item.id.kind not in known.settings.kinds:
        return _Decision(None, _not_handled(item))
    if known.settings.select is not None:
        return _Decision(None, _NOT_SELECTED)
    if item not in known.references.read_by_pods:
        return _Decision(None, _READ_IN_CHART if item in known.references.named_in_values else _NOT_READ)
    return _default_of_what_pods_read(item, known)


def _default_of_what_pods_read(item: Item, known: _Known) -> _Decision:
    settings = known.settings
    # A revision of an earlier run in place stays one: whoever chose it has chosen it. A checksum renames nothing.
    if is_revision(item) and not _is_of_another_set(item, settings):
        return _Decision(settings.strategy, _OF_EARLIER_RUN)
    if not settings.strategy.makes_revisions:
        return _Decision(settings.strategy, _READ)
    for reader in known.early.get(item, {}).values():
        return _leave_unchanged(item, reader.reason())
    hint = next(known.hints.about(item), None)
    if hint is not None:
        return _leave_unchanged(item, hint._replace(remedy=hint.remedy or RENAME_ALL_THE_SAME))
    return _Decision(settings.strategy, _READ_WITHOUT_HINT)


def _leave_unchanged(item: Item, reason: Reason) -> _Decision:
    message = f"left unchanged: {reason.text}; {reason.remedy}"
    severity = Severity.INFO if reason.ground is ReasonCode.EMPTY else Severity.WARNING  # there is nothing to be stale
    return _Decision(None, reason, about(item, message, severity=severity))
