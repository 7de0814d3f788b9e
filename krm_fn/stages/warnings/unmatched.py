"""Entries of the configuration that match nothing in the package.

One configuration may serve many packages. Then it is normal that a pattern matches nothing, or that there is no object
of a kind: `docs/decisions/0020` says which entries are reported all the same.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from krm_fn.model.item import CONFIG_KINDS, Item
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Selector, Settings, is_pattern
from krm_fn.naming.names import KnownNames, authored_id
from krm_fn.naming.suggest import did_you_mean, find_meant
from krm_fn.stages.package import Package
from krm_fn.stages.selectors import find_first
from krm_fn.stages.warnings.unmatched_references import find_unmatched_references


def find_unmatched(package: Package, settings: Settings, names: KnownNames) -> Iterator[Problem]:
    """Warn about each entry of `select`, `exclude` and `references` that has no effect."""
    entries = {"select": settings.select or (), "exclude": settings.exclude}
    kinds: dict[str, Collection[str]] = {"select": settings.kinds, "exclude": {*CONFIG_KINDS, *settings.kinds}}
    for list_name, selectors in entries.items():
        for position, message in _judge(selectors, package.configs, kinds[list_name], names):
            yield Problem(message, package.config_id, f"spec.{list_name}[{position}]", Severity.WARNING)
    for field, message in find_unmatched_references(settings.references, package.authored):
        yield Problem(message, package.config_id, field, Severity.WARNING)


def _judge(
    selectors: Sequence[Selector], configs: list[Item], kinds: Collection[str], names: KnownNames
) -> Iterator[tuple[int, str]]:
    """Yield the position of each entry to report, and the message."""
    candidates = [item for item in configs if item.id.kind in kinds]
    matched = find_first(candidates, selectors, names)
    unmatched = {position: selector for position, selector in enumerate(selectors) if position not in matched}
    is_for_many_packages = len(unmatched) < len(selectors) or not candidates
    meant = _find_meant(unmatched.values(), candidates, names)
    reported = {
        position: selector
        for position, selector in unmatched.items()
        if not (is_pattern(selector.name) and is_for_many_packages)
    }
    hints = _Hints([(one, meant.get(one.name, "")) for one in reported.values()], candidates, configs, names)
    for place, (position, selector) in enumerate(reported.items()):
        what = f'"{selector.name}" matches' if selector.name != "*" else "matches"
        wanted = [selector.kind] if selector.kind else sorted(kinds)
        yield position, f"{what} no {' or '.join(wanted)} of the package{hints.about(place)}"


def _find_meant(selectors: Iterable[Selector], candidates: list[Item], names: KnownNames) -> dict[str, str]:
    """Return the name that was probably meant by each literal name."""
    wrong = {selector.name for selector in selectors if not is_pattern(selector.name)}
    return find_meant(wrong, {name for item in candidates for name in names.all(item)}) if wrong else {}


class _Hints:
    """What may have been meant by entries that match nothing: another name, or fewer conditions.

    All of them are looked for at once: there may be as many entries as objects.
    """

    def __init__(
        self, wrong: Sequence[tuple[Selector, str]], candidates: list[Item], configs: list[Item], names: KnownNames
    ) -> None:
        self._wrong = wrong
        numbered = [*enumerate(wrong)]
        renamed = {place: one._replace(name=meant) for place, (one, meant) in numbered if meant}
        self._renamed = _find_first(candidates, renamed, names)
        self._relaxed = {
            condition: _find_first(
                candidates,
                {place: new for place, (one, _) in numbered if (new := _without(one, condition)) != one},
                names,
            )
            for condition in _CONDITIONS
        }
        judged = {*candidates}
        others = [item for item in configs if item not in judged]
        self._anywhere = _find_first(others, {place: one for place, (one, _) in numbered}, names)

    def about(self, place: int) -> str:
        """Suggest the name that was meant, or name an object that meets all conditions but one."""
        _, meant = self._wrong[place]
        if place in self._renamed:
            return did_you_mean(f'"{meant}"')
        for condition, found in self._relaxed.items():
            if place in found:
                return f"; {authored_id(found[place])} meets every condition but `{condition}`"
        item = self._anywhere.get(place)
        return f"; {authored_id(item)} does, but spec.kinds does not contain {item.id.kind}" if item else ""


_CONDITIONS = ("kind", "namespace", "labels", "annotations")


def _find_first(items: list[Item], selectors: dict[int, Selector], names: KnownNames) -> dict[int, Item]:
    """Find the first object that each entry matches, under the number of the entry."""
    numbers = [*selectors]
    return {numbers[place]: item for place, item in find_first(items, selectors.values(), names).items()}


def _without(selector: Selector, condition: str) -> Selector:
    return selector._replace(**{condition: getattr(Selector(), condition)})
