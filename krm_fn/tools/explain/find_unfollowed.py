"""Say what names an object, and why the function does not change it there."""

from collections.abc import Collection, Iterator
from itertools import chain

from krm_fn.base.item import Item, collect
from krm_fn.core.decide.decide import Run, find_older, why_passed_over
from krm_fn.core.names.names import authored_id
from krm_fn.lint.lint import find_misspelled
from krm_fn.tools.explain.explanation import (
    LOOKALIKE,
    MISSPELLED,
    OLDER,
    Unfollowed,
)
from krm_fn.tools.explain.places import Places


def find_not_followed(
    found: Run, targets: Collection[Item], places: Places
) -> dict[Item, list[Unfollowed]]:
    """Return what was not followed to each of these objects: first what is nearly a reference, then mere text."""
    finder = _Finder(found, targets, places)
    by_target: dict[Item, dict[tuple[object, ...], Unfollowed]] = {target: {} for target in targets}
    for target, one in finder.find():
        if target in by_target:
            # The first rule that judges a field decides.
            by_target[target].setdefault((one.who, one.place, one.field), one)
    return {target: list(found.values()) for target, found in by_target.items()}


class _Finder:
    def __init__(self, found: Run, targets: Collection[Item], places: Places) -> None:
        self._found = found
        self._targets = targets
        self._places = places
        # What a rule has judged is no text that just contains a name: a whole field, or a name in
        # it.
        self._judged: set[tuple[Item, str, Item | None]] = set()

    def find(self) -> Iterator[tuple[Item, Unfollowed]]:
        references = self._found.references
        self._judged |= {(one.referrer, one.reference.field, None) for one in references}
        for one in references:
            if one.reference.is_listed:
                whole = one.reference.field.rpartition("[")[0]
                self._judged |= {(one.referrer, whole, target) for target in one.targets}
        for embedded in references.embedded:
            self._judged |= {(embedded.item, embedded.field, target) for target in embedded.targets}
        yield from self._find_passed_over()
        yield from self._find_older()
        yield from self._find_misspelled()
        yield from self._find_lookalikes()
        yield from self._find_sightings()

    def _say(
        self, target: Item, item: Item, field: str, reason: str, text: str
    ) -> tuple[Item, Unfollowed]:
        self._judged.add((item, field, target))
        return target, Unfollowed(
            authored_id(item), self._places.of(item, field), field, reason, text
        )

    def _find_passed_over(self) -> Iterator[tuple[Item, Unfollowed]]:
        """Yield references that say a name of an object and mean no other that has the name as well."""
        references = self._found.references
        for resolved in references.authored:
            one = resolved.reference
            for target, reason in references.index.find_passed_over(resolved):
                text = f"the {one.kind} {why_passed_over(resolved, target, reason)}"
                yield self._say(target, resolved.referrer, one.field, reason.value, text)

    def _find_older(self) -> Iterator[tuple[Item, Unfollowed]]:
        for resolved, revision in find_older(self._found.references, self._found.revisions):
            text = f"{resolved.reference.target!r} is another revision, and stays"
            yield self._say(revision.item, resolved.referrer, resolved.reference.field, OLDER, text)

    def _find_misspelled(self) -> Iterator[tuple[Item, Unfollowed]]:
        package = self._found.package
        named = collect(
            ((item.id.kind, package.namespace_of(item), name), item)
            for item, name in self._found.references.index.named
        )
        for one in find_misspelled(self._found):
            for target in named[one.kind, one.namespace, one.name]:
                referrer, field = one.resolved.referrer, one.resolved.reference.field
                yield self._say(target, referrer, field, MISSPELLED, one.message)

    def _find_lookalikes(self) -> Iterator[tuple[Item, Unfollowed]]:
        references = self._found.references
        for referrer, (reference, row) in references.lookalikes:
            for target in references.index.resolve(referrer, reference).targets:
                yield self._say(target, referrer, reference.field, LOOKALIKE, row.reason)

    def _find_sightings(self) -> Iterator[tuple[Item, Unfollowed]]:
        mentions = self._found.mentions
        for one in chain(mentions.sightings, mentions.find_rest(self._targets)):
            item, field = one.item, one.field
            if self._judged.isdisjoint({(item, field, None), (item, field, one.target)}):
                self._judged.add((item, field, one.target))
                place = self._places.of(item, field)
                if one.scalar is not None:
                    place = self._places.of_text(item, field, one.scalar, one.line)
                why = one.way.explained.format(one.option)
                yield one.target, Unfollowed(authored_id(item), place, field, one.way.code, why)
