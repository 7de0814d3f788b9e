"""Choose a strategy for each ConfigMap and Secret: what its author or the configuration asks for.

Where nobody asks, the package shows what is safe. A guard, a reference that cannot be followed, or
a text that SOPS has encrypted may forbid what was asked for.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from krm_fn.base import keys
from krm_fn.base.item import Item, about, is_encrypted, is_revision, warning
from krm_fn.base.kind import DEPLOYERS, HOOKS, may_refer, protections_of
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import TRUE, FieldPath, get, is_null, spell, text, texts
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Entries, Numbered, Selector, Settings, Strategy, matcher
from krm_fn.base.suggest import suggest
from krm_fn.core.decide.run import (
    FIXED_NAMES,
    RENAME_ALL_THE_SAME,
    Choice,
    Choices,
    Reason,
    ReasonCode,
    Survey,
)
from krm_fn.core.names.content_hash import Unhashable
from krm_fn.core.names.names import (
    authored_id,
    base_name,
    has_stale_hash,
    hash_in_name,
    is_hashed_by_kustomize,
)
from krm_fn.core.references.field_rows import annotations_of
from krm_fn.core.references.generated import hash_of, why_not_renamed
from krm_fn.core.references.references import References
from krm_fn.core.references.sighting import NO_HASH
from krm_fn.facts.annotations import WRITTEN_MARKS, WRITTEN_TYPES

# What SOPS has encrypted. Its sources are getsops/sops: sops.go, `shouldBeEncrypted` and `Decrypt`
# (a plain value in an encrypted place is an error, and the MAC covers every value unless
# `mac_only_encrypted` is set), and fluxcd/kustomize-controller: internal/decryptor/decryptor.go,
# `checkSopsMac` ("not enabled by default", and only its tests set it).
#
# A name is of ciphertext: whoever encrypts the same values again gets other names.


def why_encrypted(item: Item, settings: Settings) -> Reason | None:
    """Say why an encrypted object must not change its metadata; None where it may.

    SOPS must not encrypt what this function writes. Its MAC must not cover it either, unless nobody
    checks that.
    """
    if not is_encrypted(item):
        return None
    block = texts(get(item.node, "sops"))
    for path in _written(settings):
        if _is_covered(path, block):
            text = (
                f"its encryption covers {spell(path)}; encrypt only its data, with "
                f"encrypted_regex: ^(data|stringData)$"
            )
            return Reason(ReasonCode.BOUND, text, item, "sops")
    # With a deployer that does not decrypt by itself, a plugin does, and that checks the MAC.
    checks_no_mac = bool(settings.deployers) and all(
        DEPLOYERS[name].decrypts for name in settings.deployers
    )
    if block.get("mac_only_encrypted") in TRUE or checks_no_mac:
        return None
    text = (
        "the MAC of SOPS covers its name; set mac_only_encrypted: true when you encrypt it, "
        "or deployers: [flux] if Flux decrypts it, which checks no MAC"
    )
    return Reason(ReasonCode.BOUND, text, item, "sops.mac")


def _written(settings: Settings) -> Iterator[FieldPath]:
    """Yield the fields that a revision gets."""
    yield "metadata", "name"
    yield "metadata", "labels", keys.SET
    protections = [one.annotation for one in protections_of(settings.deployers)]
    marks = (keys.BASE_NAME, keys.WANTED, keys.RETAIN, keys.KINDS, keys.LEAVING)
    for annotation in (*marks, *protections):
        yield "metadata", "annotations", annotation
    if settings.immutable:
        yield ("immutable",)


def _is_covered(path: FieldPath, block: Mapping[str, str]) -> bool:
    """Tell whether SOPS encrypts a field, by the rules in the object, in the order of SOPS."""
    names = [str(name) for name in path]
    is_covered = True
    if (suffix := block.get("unencrypted_suffix")) and any(name.endswith(suffix) for name in names):
        is_covered = False
    if suffix := block.get("encrypted_suffix"):
        is_covered = any(name.endswith(suffix) for name in names)
    if (pattern := block.get("unencrypted_regex")) and _matches_any(pattern, names):
        is_covered = False
    if pattern := block.get("encrypted_regex"):
        is_covered = _matches_any(pattern, names)
    return is_covered and not block.get("encrypted_comment_regex")


def _matches_any(pattern: str, names: Iterable[str]) -> bool:
    try:
        compiled = re.compile(pattern)
    except re.error:
        return False  # as in SOPS, a pattern that nothing can read matches none
    return any(compiled.search(name) for name in names)


_DECIDED_BY_OTHERS = {
    **{
        name: f"{row.copied_by} copies another object into it"
        for name, row in annotations_of("ConfigMap").items()
        if row.copied_by
    },
    **{mark: f"{program} writes its content" for mark, program in WRITTEN_MARKS.items()},
    **dict.fromkeys(HOOKS, "it is created and deleted with a hook"),
}
"""Labels and annotations of objects whose name or content somebody else decides, and who."""

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
_READ_IN_CHART = _NOT_READ._replace(
    text="only values of a chart name it, and its pods are rendered in the cluster"
)


class _Decision(NamedTuple):
    """A strategy, None where nothing chooses one, and why."""

    strategy: Strategy | None
    reason: Reason
    problem: Problem | None = None
    is_written: bool = False


def choose(survey: Survey) -> Choices:
    """Choose a strategy for each ConfigMap, Secret and handled producer.

    An object that nobody chose explicitly is renamed or adopted only if no guard knows who looks it
    up by its name.
    """
    chooser = _Chooser(survey)
    choices: list[Choice] = []
    problems: list[Problem] = []
    for item in survey.package.configs:
        choice = chooser.choose(item)
        choices.append(choice)
        if choice.problem is not None:
            problems.append(choice.problem)
        is_lost = choice.reason.annotation == keys.NAMED_BY_KUSTOMIZE
        if choice.strategy is Strategy.RENAME or is_lost:
            # By default such an object is left alone. Here its readers are said instead.
            for guard in survey.guards.values():
                for one in guard.refuse(item):
                    # What kustomize has broken is no error of this function.
                    problems.append(one._replace(severity=Severity.WARNING) if is_lost else one)
    return Choices(tuple(choices), tuple(problems))


class _Chooser:
    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._references = survey.references
        self._settings = survey.settings
        self._own_sets = frozenset(survey.settings.own_sets)
        self._exclude = Entries(survey.settings.exclude)
        self._select = Entries(survey.settings.select or ())
        self._has_referrers = any(
            may_refer(item.id) and not item.is_local for item in survey.package.authored
        )

    def choose(self, item: Item) -> Choice:
        chosen = self._choose_in_own_set(item)
        if not is_revision(item):
            return chosen
        owner = item.labels[keys.SET]
        # It was chosen by an earlier run. If nothing chooses it now, its present name is settled.
        if owner in self._own_sets:
            return chosen if chosen.strategy.makes_revisions else self._settle_former(chosen)
        return Choice(
            item,
            Strategy.IGNORE,
            # Two sets that mark one object would undo each other's work on every run.
            Reason(ReasonCode.OTHER_SET, f"it is a revision of set {owner}"),
            explicit=False,
            is_written_by_others=True,
            problem=_say_stale(item, owner),
            is_taken=chosen.strategy is not Strategy.IGNORE,
        )

    def _choose_in_own_set(self, item: Item) -> Choice:
        # Each rule takes what those above it leave. A controller stands above the author: it would
        # create the object anew under the name that it knows.
        rules = (self._written, self._bound, _refuse, self._configured, self._defaulted)
        decision = next(filter(None, (rule(item) for rule in rules)))
        return Choice(
            item,
            Strategy.IGNORE if decision.strategy is None else decision.strategy,
            decision.reason,
            explicit=decision.strategy is not None,
            is_written_by_others=decision.is_written,
            problem=decision.problem,
        )

    def _written(self, item: Item) -> _Decision | None:
        """Leave alone what somebody else writes."""
        # Two producers that make one Secret write to each other's: that they are bound says that.
        written = _why_written_by_others(item, self._references)
        if written is None or (not item.is_config and _why_bound(item, self._survey) is not None):
            return None
        asked = _refuse(item) or self._configured(item)
        return _leave_written(item, asked, written)._replace(is_written=True)

    def _bound(self, item: Item) -> _Decision | None:
        """Leave alone what cannot be a revision, where it would be one."""
        bound = _why_bound(item, self._survey)
        if bound is None:
            return None
        wanted = _refuse(item) or self._configured(item) or self._defaulted(item)
        makes_revisions = wanted.strategy is not None and wanted.strategy.makes_revisions
        return _leave_bound(item, bound) if makes_revisions else None

    def _configured(self, item: Item) -> _Decision | None:
        """Return what configuration and author want; None where they leave it to the default.

        `exclude` wins, then the author's annotation, then `select`.
        """
        # An entry of `exclude` is there to stop something, so no other wish may pass it.
        for number, _ in _find(self._exclude, item):
            return _Decision(Strategy.IGNORE, _matched(ReasonCode.EXCLUDE, number))
        if keys.STRATEGY in item.annotations:
            return _annotated(item, item.annotations[keys.STRATEGY], self._settings)
        if item.id.kind not in self._settings.kinds:
            return None
        # The first entry that matches decides: authors write the special case above the general
        # one.
        for number, selector in _find(self._select, item):
            strategy = selector.strategy or self._settings.strategy
            return _Decision(strategy, _matched(ReasonCode.SELECT, number))
        return None

    def _defaulted(self, item: Item) -> _Decision:
        """Return the default: what pods read, if nothing hints at a reader who needs the name."""
        settings, references = self._settings, self._references
        if item.id.kind not in settings.kinds:
            return _Decision(None, _not_handled(item))
        # Whoever wrote it has listed what is to be chosen, and nothing else is.
        if settings.select is not None:
            return _Decision(None, _NOT_SELECTED)
        reader = references.read_by_others.get(item)
        if item in references.read_by_pods:
            return self._default_of_what_is_read(item, "pods read it", settings)
        # kustomize has taken the base name away: this reader is better off with a revision.
        if reader is not None and settings.strategy.makes_revisions:
            who = f"{authored_id(reader.referrer)} reads it"
            return self._default_of_what_is_read(item, who, settings)
        # Where no pods read it, a new name restarts nothing, and may only break who looks it up.
        is_in_chart = item in self._survey.mentions.in_values
        return _Decision(None, _READ_IN_CHART if is_in_chart else _NOT_READ)

    def _default_of_what_is_read(self, item: Item, who: str, settings: Settings) -> _Decision:
        """Return the default of what something reads: `who`, as a clause.

        kustomize takes the base name of what it hashes away in any case. Signs of a program that
        knows this name are said then, and only those at content that changes leave it alone.
        """
        # A revision of an earlier run in place stays one: whoever chose it has chosen it. A
        # checksum renames nothing.
        is_hashed = is_hashed_by_kustomize(item)
        if is_revision(item) and item.labels[keys.SET] in self._own_sets and not is_hashed:
            text = f"{who}, and an earlier run has made it a revision"
            return _Decision(settings.strategy, Reason(ReasonCode.EARLIER_RUN, text))
        if not settings.strategy.makes_revisions:
            return _Decision(settings.strategy, Reason(ReasonCode.DEFAULT, who))
        problem, annotation = None, ""
        for guard in self._survey.guards.values():
            if (reason := guard.why(item)) is None:
                continue
            if guard.is_about_content or not is_hashed:
                return _leave_unchanged(item, reason)
            annotation = keys.NAMED_BY_KUSTOMIZE
            if guard.needs_saying:
                problem = problem or _say_lost(item, reason)
        text = f"only {who}"
        if is_hashed:
            text = f"{who}, and kustomize names it by its content"
        reason = Reason(ReasonCode.DEFAULT, text, annotation=annotation)
        return _Decision(settings.strategy, reason, problem)

    def _settle_former(self, choice: Choice) -> Choice:
        """Decide the name of an object that was a revision of this set, and is none any more.

        A content name must never be above other content: the API server refuses an edit of what is
        immutable. Where no workload of the package reads the object, and its content still fits,
        those who read it may be out of sight.
        """
        # An author who takes it out of the configuration wants it as it was.
        code = choice.reason.code
        if choice.explicit or code in {ReasonCode.KINDS, ReasonCode.NOT_SELECTED}:
            return choice._replace(gets_base_name_back=True)
        # What is encrypted was named before: its name never fits the ciphertext.
        is_encrypted = code is ReasonCode.BOUND and choice.item.is_config
        is_wrong = choice.problem is not None and choice.problem.severity is Severity.ERROR
        if is_encrypted or is_wrong or not _is_stale(choice.item):
            return choice
        if code is ReasonCode.NOT_READ and self._has_referrers:
            return choice._replace(gets_base_name_back=True)
        elsewhere = (
            "run the function over the whole package, or " if code is ReasonCode.NOT_READ else ""
        )
        message = (
            f"its name belongs to older content, and is kept because {choice.reason.text}; "
            f"{elsewhere}annotate it with {keys.STRATEGY}: {Strategy.IGNORE} to give it its base name back"
        )
        return choice._replace(problem=about(choice.item, message, "metadata.name"))


def _refuse(item: Item) -> _Decision | None:
    """Leave alone what no configuration can choose."""
    if not item.id.name:
        return _Decision(None, Reason(ReasonCode.FIXED_NAME, "it has no name"))
    if item.id.name in FIXED_NAMES:
        reason = Reason(ReasonCode.FIXED_NAME, "programs look it up by this very name")
        return _Decision(None, reason)
    return None


def _annotated(item: Item, annotated: str, settings: Settings) -> _Decision:
    field = f"metadata.annotations[{keys.STRATEGY}]"
    reason = Reason(ReasonCode.ANNOTATION, f"its annotation {keys.STRATEGY} says so", item, field)
    if annotated not in set(Strategy):
        return _Decision(
            None, reason, about(item, f"found {annotated!r}{suggest(annotated, Strategy)}", field)
        )
    if item.id.kind not in settings.kinds and annotated != Strategy.IGNORE:
        message = f"has no effect: spec.kinds does not contain {item.id.kind}; add it"
        return _Decision(None, _not_handled(item), warning(item, message, field))
    return _Decision(Strategy(annotated), reason)


def _matched(code: ReasonCode, number: int) -> Reason:
    field = f"spec.{code}[{number}]"
    return Reason(code, f"{field} matches it", field=field)


def _not_handled(item: Item) -> Reason:
    text, remedy = f"spec.kinds does not contain {item.id.kind}", f"add {item.id.kind} to it"
    return Reason(ReasonCode.KINDS, text, field="spec.kinds", remedy=remedy)


def _leave_unchanged(item: Item, reason: Reason) -> _Decision:
    reason = reason._replace(remedy=reason.remedy or RENAME_ALL_THE_SAME)
    message = f"left unchanged: {reason.text}; {reason.remedy}"
    # There is nothing to be stale.
    severity = Severity.INFO if reason.is_expected else Severity.WARNING
    return _Decision(None, reason, about(item, message, "", severity, resource=authored_id(item)))


def _say_lost(item: Item, reason: Reason) -> Problem:
    message = (
        f"{reason.text}, and kustomize has taken its name away: {NO_HASH}, or annotate it with "
        f"{keys.STRATEGY}: {Strategy.RENAME} to accept this"
    )
    return warning(item, message, resource=authored_id(item))


def _leave_written(item: Item, asked: _Decision | None, written: Reason) -> _Decision:
    """Leave alone what somebody else writes. `asked`: what author or configuration want."""
    if asked is None:
        return _Decision(None, written)
    # An order to leave it alone is obeyed all the same; any other order is not.
    if asked.strategy in (None, Strategy.IGNORE):
        return asked
    message = f"selected, but left unchanged: {written.text}"
    return _Decision(None, written, warning(item, message))


def _leave_bound(item: Item, bound: Reason) -> _Decision:
    message = (
        f"left unchanged: {bound.text}; or annotate it with {keys.STRATEGY}: {Strategy.CHECKSUM} to restart pods when "
        f"{'it' if item.is_config else 'its spec'} changes, or {Strategy.IGNORE} to accept this"
    )
    return _Decision(None, bound, warning(item, message, bound.field))


def _why_bound(item: Item, survey: Survey) -> Reason | None:
    """Say why an object cannot be a revision; None where it can."""
    if item.is_config:
        return why_encrypted(item, survey.settings)
    unmet = why_not_renamed(item)
    if unmet is not None:
        return Reason(ReasonCode.BOUND, unmet.reason, item, unmet.field, unmet.source)
    shared = survey.references.shared.get(item)
    if shared is None:
        return None
    others = [target.id for target in shared.targets if target is not item]
    name = f"{shared.reference.kind} {shared.reference.target}"
    text = f"its {name} is in another namespace"
    if others:
        text = f"{others[0]} has or makes its {name} as well"
    return Reason(ReasonCode.BOUND, text, item, shared.reference.field)


def _why_written_by_others(item: Item, references: References) -> Reason | None:
    """Say why this object's name or content is not the package's to decide; None where it is."""
    code = ReasonCode.WRITTEN
    # Under another name, pods would read the placeholder for ever (decision 4).
    written = references.written_by_controllers.get(item)
    if written is not None:
        says = "a controller writes to it under this name"
        return Reason(
            code, says, written.referrer, written.reference.field, written.reference.rule.source
        )
    type_of_secret = text(get(item.node, "type")) if item.id.kind == "Secret" else ""
    if type_of_secret in WRITTEN_TYPES:
        return Reason(code, f"a controller fills Secrets of type {type_of_secret}", item, "type")
    # The garbage collector deletes it with its owner, which makes it anew under its own name.
    if not is_null(get(item.node, "metadata", "ownerReferences")):
        return Reason(code, "it has ownerReferences", item, "metadata.ownerReferences")
    for mark, who in _DECIDED_BY_OTHERS.items():
        if mark in item.labels or mark in item.annotations:
            name = "labels" if mark in item.labels else "annotations"
            return Reason(code, f"{who} ({mark})", item, f"metadata.{name}[{mark}]")
    return None


def _say_stale(item: Item, owner: str) -> Problem | None:
    """Report another set's revision whose content is no longer what its name says."""
    message = (
        f"is a revision of set {owner}, but its content has changed: run the function of that set first, "
        f"or, if this set replaces it, set spec.takeOver: [{owner}]"
    )
    return about(item, message) if _is_stale(item) else None


def _is_stale(item: Item) -> bool:
    if item.is_config:
        return has_stale_hash(item)
    try:
        return hash_in_name(item) not in ("", hash_of(item))
    except Unhashable:
        return True  # no run could have made this name of such content


def find_first(items: Iterable[Item], selectors: Iterable[Selector]) -> dict[int, Item]:
    """Return the first object that each entry matches, by the position of the entry.

    Some match none.
    """
    entries = Entries(selectors)
    first: dict[int, Item] = {}
    if not entries:
        return first
    for item in items:
        for position, _ in _find(entries, item, but=first):
            first[position] = item
    return first


def _find(
    entries: Entries[Selector], item: Item, but: Container[int] = ()
) -> Iterator[Numbered[Selector]]:
    """Yield the entries that match an object, in their order."""
    if not entries:
        return
    # An entry still matches what an earlier run in place has renamed.
    own = item.id.name, base_name(item)
    for one in entries.that_may_match(own):
        # The index finds too many where names are patterns, so each entry is asked again.
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
