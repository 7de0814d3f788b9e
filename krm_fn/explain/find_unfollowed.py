"""What looks like a reference to an object and was not followed, and why."""

from collections import defaultdict
from collections.abc import Collection, Iterator

from krm_fn.explain.explanation import FIELD, LOOKALIKE, MISSPELLED, OLDER, OPTION, TEXT, Unfollowed
from krm_fn.explain.mentions import find_mentions
from krm_fn.explain.places import Places
from krm_fn.model.item import Item
from krm_fn.naming.names import authored_id, base_name
from krm_fn.stages.near_references import find_pinned, read_base_names, why_passed_over
from krm_fn.stages.transform import Transformation
from krm_fn.stages.warnings.misspelled import find_misspelled


def find_unfollowed(found: Transformation, targets: Collection[Item], places: Places) -> dict[Item, list[Unfollowed]]:
    """Return what was not followed to each of these objects: first what is nearly a reference, then mere text."""
    finder = _Finder(found, targets, places)
    by_target: dict[Item, dict[tuple[object, ...], Unfollowed]] = {target: {} for target in targets}
    for target, one in finder.find():
        if target in by_target:
            # The first rule that judges a field decides.
            by_target[target].setdefault((one.who, one.place, one.field), one)
    return {target: list(found.values()) for target, found in by_target.items()}


class _Finder:
    def __init__(self, found: Transformation, targets: Collection[Item], places: Places) -> None:
        self._found = found
        self._targets = targets
        self._places = places
        # What a rule has judged is no text that just contains a name: a whole field, or a name in it.
        self._judged: set[tuple[Item, str, Item | None]] = set()

    def find(self) -> Iterator[tuple[Item, Unfollowed]]:
        references = self._found.references
        self._judged |= {(one.referrer, one.reference.field, None) for one in references}
        self._judged |= {(one.item, one.field, target) for one in references.embedded for target in one.targets}
        yield from self._find_passed_over()
        yield from self._find_older()
        yield from self._find_misspelled()
        yield from self._find_lookalikes()
        yield from self._find_options()
        yield from self._find_fields()
        yield from self._find_texts()

    def _say(self, target: Item, item: Item, field: str, reason: str, text: str) -> tuple[Item, Unfollowed]:
        self._judged.add((item, field, target))
        return target, Unfollowed(authored_id(item), self._places.of(item, field), field, reason, text)

    def _find_passed_over(self) -> Iterator[tuple[Item, Unfollowed]]:
        """Yield references that say a name of an object and mean no other that has the name as well."""
        references = self._found.references
        for resolved in references.authored:
            one = resolved.reference
            for target, reason in references.index.find_passed_over(resolved):
                text = f"the {one.kind} {why_passed_over(resolved, target, reason)}"
                yield self._say(target, resolved.referrer, one.field, reason.value, text)

    def _find_older(self) -> Iterator[tuple[Item, Unfollowed]]:
        by_base_name = read_base_names(self._found.revisions.renamed.values())
        for resolved in self._found.references.authored:
            if not resolved.targets:
                for revision in find_pinned(resolved, by_base_name):
                    text = f"{resolved.reference.target!r} is another revision, and stays"
                    yield self._say(revision.item, resolved.referrer, resolved.reference.field, OLDER, text)

    def _find_misspelled(self) -> Iterator[tuple[Item, Unfollowed]]:
        package = self._found.package
        named = defaultdict(list)
        for item, name in self._found.references.index.named:
            named[item.id.kind, package.namespace_of(item), name].append(item)
        for one in find_misspelled(package, self._found.references):
            for target in named[one.kind, one.namespace, one.name]:
                referrer, field = one.resolved.referrer, one.resolved.reference.field
                yield self._say(target, referrer, field, MISSPELLED, one.message)

    def _find_lookalikes(self) -> Iterator[tuple[Item, Unfollowed]]:
        references = self._found.references
        for referrer, (reference, row) in references.lookalikes:
            for target in references.index.resolve(referrer, reference).targets:
                yield self._say(target, referrer, reference.field, LOOKALIKE, row.reason)

    def _find_options(self) -> Iterator[tuple[Item, Unfollowed]]:
        """Yield names that a program gets to look the object up."""
        package, options = self._found.package, self._found.references.options
        followed = {(one.item, one.field, one.reference.target) for one in self._found.references.embedded}
        for target in self._targets:
            for name in dict.fromkeys((target.id.name, base_name(target))):
                for item, one in options.passing(target.id.kind, name, package.namespaces_like(target.id.namespace)):
                    if (item, one.field, one.name) not in followed:
                        text = f"{one.shown} passes the name to a program; the function changes no such text"
                        yield self._say(target, item, one.field, OPTION, text)

    def _find_fields(self) -> Iterator[tuple[Item, Unfollowed]]:
        for one in self._found.references.unfollowed:
            remedy = "an entry of spec.references would" if one.may_be_followed else "what is made of it has this name"
            yield self._say(one.target, one.referrer, one.field, FIELD, f"no rule reads this field; {remedy}")

    def _find_texts(self) -> Iterator[tuple[Item, Unfollowed]]:
        for one in find_mentions(self._found.package, self._targets):
            if self._judged.isdisjoint({(one.item, one.field, None), (one.item, one.field, one.target)}):
                line = one.scalar.value.count("\n", 0, one.start)
                place = self._places.of_text(one.item, one.field, one.scalar, line)
                yield one.target, Unfollowed(authored_id(one.item), place, one.field, TEXT, one.why)
