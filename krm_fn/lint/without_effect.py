"""Find what somebody has written that has no effect: entries, annotations, misspelled kinds.

One configuration may serve many packages. Then it is normal that a pattern matches nothing, or that
there is no object of a kind: docs/decisions/0020 says which entries are reported all the same.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.item import CONFIG_KINDS, DATA_FIELDS, Item, warning
from krm_fn.base.keys import DECLARES_FUNCTION
from krm_fn.base.node import fields
from krm_fn.base.problem import Problem, Problems, Severity, and_others, listing
from krm_fn.base.reference import find_missing_step
from krm_fn.base.settings import KIND, FieldSpec, Selector, Settings, Strategy, is_pattern
from krm_fn.base.suggest import did_you_mean, find_meant, find_near_word, find_near_words, nearest
from krm_fn.core.decide.choose import find_first
from krm_fn.core.decide.run import Choice, Package, ReasonCode, Run
from krm_fn.core.names.names import KnownNames, authored_id
from krm_fn.core.references.find import SpecsByKind, find_by_specs
from krm_fn.core.references.generated import versioned
from krm_fn.core.references.references import References
from krm_fn.facts.kinds import AUTHORS_METADATA, SERVER_METADATA

_KINDS = {kind.lower(): kind for kind in CONFIG_KINDS}
_NO_GROUP = "(?:core/)?[^/]+"
_OBJECT = ("apiVersion", "kind", "metadata")
_CONDITIONS = ("kind", "namespace", "labels", "annotations")

_DOMAIN = "krm-fn.io"
_ANNOTATIONS = frozenset(
    {
        keys.STRATEGY,
        keys.ASKED_FIXED_NAME,
        keys.NAMED_BY_KUSTOMIZE,
        keys.MADE_ANEW,
        keys.BASE_NAME,
        keys.RETAIN,
        keys.KINDS,
        keys.LEAVING,
        keys.WANTED,
        keys.CHECKSUM,
        keys.RENDERED,
        keys.OWNS_SECRET,
        keys.MADE_BY,
        keys.STANDS_FOR,
    }
)
"""Authors set the first one; the function and the linker set the others."""

_LABELS = frozenset({keys.SET, keys.COMPONENT})

_MOST_NAMED = 3
"""Objects to name: they mostly share one reason."""

_EXPECTED = frozenset({ReasonCode.NOT_SELECTED, ReasonCode.FIXED_NAME, ReasonCode.OTHER_SET})
"""Nobody wonders why these are left alone.

An entry of `select` that matches nothing has a warning of its own.
"""


def warn_about_unmatched(run: Run) -> Problems:
    """Warn about each entry of `select`, `exclude` and `references` that has no effect."""
    package, settings, names = run.package, run.settings, run.references.index.names
    lists: tuple[tuple[str, Sequence[Selector], Collection[str]], ...] = (
        ("select", settings.select or (), settings.kinds),
        # An entry may exclude what is not handled: it stays right when somebody adds the kind.
        ("exclude", settings.exclude, {*CONFIG_KINDS, *settings.kinds}),
    )
    for list_name, selectors, kinds in lists:
        for position, message in _judge_entries(selectors, package.configs, kinds, names):
            yield Problem(
                message, package.config_id, f"spec.{list_name}[{position}]", Severity.WARNING
            )
    for field, message in _judge_references(settings.references, package.authored):
        yield Problem(message, package.config_id, field, Severity.WARNING)


def _judge_entries(
    selectors: Sequence[Selector], configs: list[Item], kinds: Collection[str], names: KnownNames
) -> Iterator[tuple[int, str]]:
    """Yield the position of each entry to report, and the message.

    One message is for all entries that are wrong in the same way.
    """
    candidates = [item for item in configs if item.id.kind in kinds]
    matched = find_first(candidates, selectors)
    unmatched = {
        position: selector for position, selector in enumerate(selectors) if position not in matched
    }
    # Where another entry matches, or nothing could, the patterns are probably for other packages.
    is_for_many_packages = len(unmatched) < len(selectors) or not candidates
    wrong = {one.name for one in unmatched.values() if not is_pattern(one.name)}
    known: set[str] = set()
    if wrong:
        for item in candidates:
            known.update(names.all(item))
    meant = find_meant(wrong, known)
    reported = {
        position: selector
        for position, selector in unmatched.items()
        if not (is_pattern(selector.name) and is_for_many_packages)
    }
    guesses = _guess(reported, meant, candidates, configs)
    alike: dict[tuple[str, int], list[int]] = defaultdict(list)
    for position, selector in reported.items():
        wanted = [selector.kind] if selector.kind else sorted(kinds)
        what = f"no {' or '.join(wanted)} of the package{guesses.get(position, '')}"
        # By its place, if it has no name.
        alike[what, position if selector.name == "*" else -1].append(position)
    for (what, _), (first, *others) in alike.items():
        subject = (
            f'"{selectors[first].name}" matches' if selectors[first].name != "*" else "matches"
        )
        names_of_others = [f'"{selectors[one].name}"' for one in others]
        yield first, f"{subject} {what}{and_others(names_of_others)}"


def _guess(
    wrong: Mapping[int, Selector],
    meant: Mapping[str, str],
    candidates: list[Item],
    configs: list[Item],
) -> dict[int, str]:
    """Say what may have been meant by entries that match nothing: another name, or fewer conditions.

    All of them are looked for at once: there may be as many entries as objects. The best guess comes last, and wins.
    """
    guesses: dict[int, str] = {}
    judged = {*candidates}
    for position, item in _find_first([item for item in configs if item not in judged], wrong):
        guesses[position] = (
            f"; {authored_id(item)} does, but spec.kinds does not contain {item.id.kind}"
        )
    for condition in reversed(_CONDITIONS):
        any_ = getattr(Selector(), condition)
        relaxed = {
            position: one._replace(**{condition: any_})
            for position, one in wrong.items()
            if getattr(one, condition) != any_
        }
        for position, item in _find_first(candidates, relaxed):
            guesses[position] = f"; {authored_id(item)} meets every condition but `{condition}`"
    renamed = {
        position: one._replace(name=meant[one.name])
        for position, one in wrong.items()
        if meant.get(one.name)
    }
    for position, _ in _find_first(candidates, renamed):
        guesses[position] = did_you_mean(f'"{renamed[position].name}"')
    return guesses


def _find_first(items: list[Item], selectors: Mapping[int, Selector]) -> Iterator[tuple[int, Item]]:
    """Find the first object that each entry matches, under the number of the entry."""
    numbers = [*selectors]
    for place, item in find_first(items, selectors.values()).items():
        yield numbers[place], item


def _judge_references(
    specs: Iterable[FieldSpec], objects: Iterable[Item]
) -> Iterator[tuple[str, str]]:
    """Yield the field of each entry to report, and the message.

    A kind that is not in the package is normal, unless one is near. So is a field that its objects
    do not have, if another entry is good for something.
    """
    items = [item for item in objects if not item.is_local]
    kinds = dict.fromkeys(sorted({item.id.kind for item in items}))
    by_spec: dict[FieldSpec, list[Item]] = {spec: [] for spec in specs}
    specs_by_kind = SpecsByKind(by_spec)
    for item in items:
        for spec in specs_by_kind.matching(item.id):
            by_spec[spec].append(item)
    near_kinds = find_near_words({spec.kind for spec, found in by_spec.items() if not found}, kinds)
    used: set[FieldSpec] = set()
    for spec, found in by_spec.items():
        if any(chain.from_iterable(find_by_specs(item.node, item.id, [spec]) for item in found)):
            used.add(spec)
    for spec, found in by_spec.items():
        if found and spec not in used:
            missing, present = find_missing_step(found[0].node, spec.path)
            near = find_near_word(missing, present)
            # The path of an entry that serves other packages is right, although this package lacks
            # the field.
            if near or not used:
                reason = f": there is no {missing}{did_you_mean(near)}" if missing else ""
                yield (
                    spec.entry,
                    f"no {spec.kind or 'object'} of the package has a name at {spec.path}{reason}",
                )
        elif not found and spec.kind not in kinds and (near := near_kinds[spec.kind]):
            yield (
                spec.entry,
                f"matches no object of the package: there is no {spec.kind}{did_you_mean(near)}",
            )


def warn_about_misspelled_kinds(run: Run) -> Problems:
    """Warn about kinds, versions and fields that no API server knows, and that keep an object from being a revision."""
    for item in run.package.authored:
        if item.is_local:
            continue
        kind = _KINDS.get(item.id.kind.lower().removesuffix("s"))
        if kind and kind != item.id.kind and item.id.api_version == "v1":
            message = f'found "{item.id.kind}", which is no kind of Kubernetes{did_you_mean(kind)}'
            yield warning(item, message, "kind")
        elif (
            item.id.kind in CONFIG_KINDS
            and not item.is_config
            and re.fullmatch(_NO_GROUP, item.id.api_version)
        ):
            message = f'found "{item.id.api_version}", which is no version of a {item.id.kind}{did_you_mean("v1")}'
            yield warning(item, message, "apiVersion")
        for field, meant in _find_misspelled_fields(item):
            message = f"is no field of {item.id.kind or 'an object'}, and has no effect{did_you_mean(meant)}"
            yield warning(item, message, field)


def _find_misspelled_fields(item: Item) -> Iterator[tuple[str, str]]:
    """Yield the path of each misspelled field that objects of all kinds have, and what was meant."""
    top = fields(item.node)
    if not top.keys().isdisjoint(_OBJECT):  # else it is no object, but a file of some tool
        content = DATA_FIELDS if item.is_config else ()
        yield from _compare(top, (*_OBJECT, *content), DATA_FIELDS)
        for name, meant in _compare(fields(top.get("metadata")), AUTHORS_METADATA, SERVER_METADATA):
            yield f"metadata.{name}", meant


def _compare(
    found: Collection[str], wanted: Collection[str], others: Collection[str]
) -> Iterator[tuple[str, str]]:
    missing = [name for name in wanted if name not in found]
    if not missing:  # as in most objects: to look for what is near takes a library
        return
    for name in found:
        if name not in wanted and name not in others and (meant := nearest(name, missing)):
            yield name, meant


def warn_about_own_annotations(run: Run) -> Problems:
    """Warn about each annotation and label of this function that has no effect: nothing else would say so."""
    for item in run.package.authored:
        if _DOMAIN not in "".join((*item.annotations, *item.labels)):
            continue
        messages = {
            f"metadata.annotations[{name}]": _judge_annotation(item, name, run.settings.kinds)
            for name in item.annotations
        }
        messages |= {f"metadata.labels[{name}]": _judge_label(name) for name in item.labels}
        for field, message in messages.items():
            if message:
                yield warning(item, message, field, authored_id(item))


def _judge_annotation(item: Item, name: str, kinds: Collection[str]) -> str:
    """Say what is wrong with an annotation; `""` if nothing is."""
    if not _is_ours(name) or name.startswith(keys.MOUNTS):
        return ""
    if name not in _ANNOTATIONS:
        return f"unknown annotation{_suggest(name)}allowed: {keys.STRATEGY}"
    if name != keys.STRATEGY or item.is_config:
        return ""
    if versioned(item.id) is not None:
        return (
            ""
            if item.id.kind in kinds
            else f"has no effect: spec.kinds does not contain {item.id.kind}; add it"
        )
    return f"has no effect on a {item.id.kind}: only ConfigMaps and Secrets, and what makes Secrets, have a strategy"


def _judge_label(name: str) -> str:
    if not _is_ours(name) or name in _LABELS:
        return ""
    if name == keys.STRATEGY:
        return "has no effect as a label; make it an annotation"
    return f"unknown label{_suggest(name)}allowed: the annotation {keys.STRATEGY}"


def _is_ours(name: str) -> bool:
    domain, slash, _ = name.partition("/")
    return bool(slash) and f".{domain}".endswith(f".{_DOMAIN}")


def _suggest(name: str) -> str:
    """Ask for what authors may set. The part before the slash is the same in all of it."""
    near = nearest(name.partition("/")[2], [keys.STRATEGY.removeprefix(keys.PREFIX)])
    return f'; did you mean "{keys.PREFIX}{near}"? ' if near else "; "


def warn_about_nothing_chosen(run: Run) -> Problems:
    """Warn if a configuration has no effect, with the reasons why objects are left alone.

    It says nothing where that is wanted, and where the package has nothing to choose from: one
    configuration may serve many packages (`docs/decisions/0038`).
    """
    package, settings, choices = run.package, run.settings, run.choices.all
    is_any_chosen = any(choice.strategy is not Strategy.IGNORE for choice in choices)
    if package.config_id is None or is_any_chosen or any(one.restarts for one in run.checksums):
        return
    if package.config_id.kind == KIND and _is_of_generator(package):
        message = "gets no objects: kustomize passes none to `generators:`; list this file in `transformers:`"
        yield Problem(message, package.config_id, severity=Severity.WARNING)
    if settings.strategy is Strategy.IGNORE:  # somebody has turned it off
        return
    near = _list_near(choices, run.references, settings)
    if near:
        reasons = listing(
            (f"{authored_id(one.item)}: {one.reason.text}" for one in near), _MOST_NAMED, "; ", ";"
        )
        message = f"chooses no object: {reasons}; to accept this, add them to spec.exclude"
        yield Problem(message, package.config_id, "metadata.name", Severity.WARNING)


def _is_of_generator(package: Package) -> bool:
    """Tell whether kustomize runs a generator: the only item is the configuration, which names the program."""
    items = package.authored
    is_alone = len(items) == 1 and items[0].id == package.config_id and not package.emitted
    return is_alone and any(name in items[0].annotations for name in DECLARES_FUNCTION)


def _list_near(
    choices: Iterable[Choice], references: References, settings: Settings
) -> list[Choice]:
    """Return the objects that somebody may have meant: those of a kind that is handled, or, if there are none, others.

    Without `spec.kinds`, nobody has said that it is about Secrets or not.
    """
    open_ones = [choice for choice in choices if not choice.explicit and _is_surprising(choice)]
    handled = [choice for choice in open_ones if choice.item.id.kind in settings.kinds]
    if handled or settings.kinds == Settings().kinds:
        return handled
    return [choice for choice in open_ones if choice.item in references.read_by_pods]


def _is_surprising(choice: Choice) -> bool:
    return choice.reason.code not in _EXPECTED and not choice.reason.is_expected
