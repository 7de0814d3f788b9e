"""Entries of the configuration that match nothing in the package.

One configuration may serve many packages. Then it is normal that a pattern matches nothing, or that there is no object
of a kind: `docs/decisions/0020` says which entries are reported all the same.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from krm_fn.model.item import CONFIG_KINDS, Item
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import FieldSpec, Selector, Settings, is_pattern
from krm_fn.naming.names import authored_id, names_of
from krm_fn.naming.near_names import find_near, find_near_word
from krm_fn.naming.suggest import did_you_mean, nearest
from krm_fn.references.field_specs import find_at, find_missing_step, matches_kind
from krm_fn.stages.choose import matches
from krm_fn.stages.package import Package

_FEW = 500
"""Names that are few enough to compare a misspelled one with each."""

_ANY = Selector()


def find_unmatched(package: Package, settings: Settings) -> Iterator[Problem]:
    """Warn about each entry of `select`, `exclude` and `references` that has no effect."""
    entries = {"select": settings.select or (), "exclude": settings.exclude}
    kinds: dict[str, Collection[str]] = {"select": settings.kinds, "exclude": CONFIG_KINDS}
    for list_name, selectors in entries.items():
        for position, message in _judge_selectors(selectors, package.configs, kinds[list_name]):
            yield Problem(message, package.config_id, f"spec.{list_name}[{position}]", Severity.WARNING)
    for spec, message in _judge_references(settings.references, package):
        yield Problem(message, package.config_id, spec.entry, Severity.WARNING)


def _judge_selectors(
    selectors: Sequence[Selector], configs: list[Item], kinds: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Yield the position of each entry to report, and the message."""
    candidates = [item for item in configs if item.id.kind in kinds]
    is_matched = [any(matches(item, selector) for item in candidates) for selector in selectors]
    for position, selector in enumerate(selectors):
        is_general = is_pattern(selector.name) and (any(is_matched) or not candidates)
        if not is_matched[position] and not is_general:
            wanted = [selector.kind] if selector.kind else sorted(kinds)
            what = f'"{selector.name}" matches' if selector.name != "*" else "matches"
            hint = _hint(selector, candidates) or _hint_about_kinds(selector, configs)
            yield position, f"{what} no {' or '.join(wanted)} of the package{hint}"


def _hint(selector: Selector, candidates: list[Item]) -> str:
    """Return the name that was meant, or the object that meets all conditions but one."""
    alike = [item for item in candidates if matches(item, replace(selector, name="*"))]
    names = {name for item in alike for name in names_of(item)}
    if not is_pattern(selector.name):
        near = find_near([selector.name], names).get(selector.name, "")
        near = near or (nearest(selector.name, sorted(names)) if len(names) <= _FEW else "")
        if near:
            return did_you_mean(f'"{near}"')
    relaxed = {
        "kind": replace(selector, kind=_ANY.kind),
        "namespace": replace(selector, namespace=_ANY.namespace),
        "labels": replace(selector, labels=_ANY.labels),
        "annotations": replace(selector, annotations=_ANY.annotations),
    }
    for condition, rest in relaxed.items():
        item = next((item for item in candidates if matches(item, rest)), None)
        if item is not None:
            return f"; {authored_id(item)} meets every condition but `{condition}`"
    return ""


def _hint_about_kinds(selector: Selector, configs: list[Item]) -> str:
    item = next((item for item in configs if matches(item, selector)), None)
    return f"; {authored_id(item)} does, but spec.kinds does not contain {item.id.kind}" if item else ""


def _judge_references(specs: Iterable[FieldSpec], package: Package) -> Iterator[tuple[FieldSpec, str]]:
    """Yield each entry to report, and the message.

    A kind that is not in the package is normal, unless one is near. So is a field that its objects do not have, if
    another entry is good for something.
    """
    items = [item for item in package.authored if not item.is_local]
    kinds = sorted({item.id.kind for item in items})
    objects = {spec: [item for item in items if matches_kind(spec, item.id)] for spec in specs}
    used = {spec for spec in objects if any(find_at(item.node, spec.path, spec.target) for item in objects[spec])}
    for spec, found in objects.items():
        if found and spec not in used:
            missing, present = find_missing_step(found[0].node, spec.path)
            near = find_near_word(missing, present)
            if near or not used:
                reason = f": there is no {missing}{did_you_mean(near)}" if missing else ""
                yield spec, f"no {spec.kind or 'object'} of the package has a name at {spec.path}{reason}"
        elif not found and spec.kind not in kinds:
            near = find_near_word(spec.kind, kinds)
            if near:
                yield spec, f"matches no object of the package: there is no {spec.kind}{did_you_mean(near)}"
