"""Entries of the configuration that match nothing in the package.

One configuration may serve many packages. Then it is normal that a pattern matches nothing, or that there is no object
of a kind: `docs/decisions/0020` says which entries are reported all the same.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from krm_fn.model.item import CONFIG_KINDS, Item
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Selector, Settings, is_pattern
from krm_fn.naming.names import authored_id, names_of
from krm_fn.naming.near_names import find_near
from krm_fn.naming.suggest import did_you_mean, nearest
from krm_fn.stages.choose import matches
from krm_fn.stages.package import Package
from krm_fn.stages.warnings.unmatched_references import find_unmatched_references

_FEW = 500
"""Names that are few enough to compare a misspelled one with each."""


def find_unmatched(package: Package, settings: Settings) -> Iterator[Problem]:
    """Warn about each entry of `select`, `exclude` and `references` that has no effect."""
    entries = {"select": settings.select or (), "exclude": settings.exclude}
    kinds: dict[str, Collection[str]] = {"select": settings.kinds, "exclude": {*CONFIG_KINDS, *settings.kinds}}
    for list_name, selectors in entries.items():
        for position, message in _judge(selectors, package.configs, kinds[list_name]):
            yield Problem(message, package.config_id, f"spec.{list_name}[{position}]", Severity.WARNING)
    for field, message in find_unmatched_references(settings.references, package.authored):
        yield Problem(message, package.config_id, field, Severity.WARNING)


def _judge(selectors: Sequence[Selector], configs: list[Item], kinds: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield the position of each entry to report, and the message."""
    candidates = [item for item in configs if item.id.kind in kinds]
    unmatched = {position: selector for position, selector in enumerate(selectors) if not _find(candidates, selector)}
    is_for_many_packages = len(unmatched) < len(selectors) or not candidates
    meant = _find_meant(unmatched.values(), candidates)
    for position, selector in unmatched.items():
        if is_pattern(selector.name) and is_for_many_packages:
            continue
        what = f'"{selector.name}" matches' if selector.name != "*" else "matches"
        wanted = [selector.kind] if selector.kind else sorted(kinds)
        hint = _hint(selector, meant.get(selector.name, ""), candidates) or _hint_about_kinds(selector, configs)
        yield position, f"{what} no {' or '.join(wanted)} of the package{hint}"


def _find(items: Iterable[Item], selector: Selector) -> Item | None:
    return next((item for item in items if matches(item, selector)), None)


def _find_meant(selectors: Iterable[Selector], candidates: list[Item]) -> dict[str, str]:
    """Return the name that was probably meant by each literal name."""
    wrong = {selector.name for selector in selectors if not is_pattern(selector.name)}
    if not wrong:
        return {}
    names = sorted({name for item in candidates for name in names_of(item)})
    if len(names) > _FEW:
        return find_near(wrong, names)
    return {name: nearest(name, names) for name in wrong}


def _hint(selector: Selector, meant: str, candidates: list[Item]) -> str:
    """Suggest the name that was meant, or name an object that meets all conditions but one."""
    if meant and _find(candidates, selector._replace(name=meant)):
        return did_you_mean(f'"{meant}"')
    anything = Selector()
    relaxed = {
        "kind": selector._replace(kind=anything.kind),
        "namespace": selector._replace(namespace=anything.namespace),
        "labels": selector._replace(labels=anything.labels),
        "annotations": selector._replace(annotations=anything.annotations),
    }
    for condition, rest in relaxed.items():
        item = _find(candidates, rest) if rest != selector else None
        if item is not None:
            return f"; {authored_id(item)} meets every condition but `{condition}`"
    return ""


def _hint_about_kinds(selector: Selector, configs: list[Item]) -> str:
    item = _find(configs, selector)
    return f"; {authored_id(item)} does, but spec.kinds does not contain {item.id.kind}" if item else ""
