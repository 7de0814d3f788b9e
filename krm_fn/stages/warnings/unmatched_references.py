"""Entries of `spec.references` that find no field in the package."""

from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item
from krm_fn.model.settings import FieldSpec
from krm_fn.naming.suggest import did_you_mean, find_near_word, find_near_words
from krm_fn.references.field_specs import SpecsByKind, find_by_specs, find_missing_step
from krm_fn.references.reference import Reference


def find_unmatched_references(specs: Iterable[FieldSpec], objects: Iterable[Item]) -> Iterator[tuple[str, str]]:
    """Yield the field of each entry to report, and the message.

    A kind that is not in the package is normal, unless one is near. So is a field that its objects do not have, if
    another entry is good for something.
    """
    items = [item for item in objects if not item.is_local]
    kinds = dict.fromkeys(sorted({item.id.kind for item in items}))
    by_spec: dict[FieldSpec, list[Item]] = {spec: [] for spec in specs}
    specs_by_kind = SpecsByKind(by_spec)
    for item in items:
        for spec in specs_by_kind.about(item.id):
            by_spec[spec].append(item)
    near_kinds = find_near_words({spec.kind for spec, found in by_spec.items() if not found}, kinds)
    used = {spec for spec in by_spec if any(_find(spec, by_spec[spec]))}
    for spec, found in by_spec.items():
        if found and spec not in used:
            missing, present = find_missing_step(found[0].node, spec.path)
            near = find_near_word(missing, present)
            if near or not used:
                reason = f": there is no {missing}{did_you_mean(near)}" if missing else ""
                yield spec.entry, f"no {spec.kind or 'object'} of the package has a name at {spec.path}{reason}"
        elif not found and spec.kind not in kinds:
            near = near_kinds[spec.kind]
            if near:
                yield spec.entry, f"matches no object of the package: there is no {spec.kind}{did_you_mean(near)}"


def _find(spec: FieldSpec, items: Iterable[Item]) -> Iterator[Reference]:
    for item in items:
        yield from find_by_specs(item.node, item.id, [spec])
