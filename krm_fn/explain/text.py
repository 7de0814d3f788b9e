"""An explanation as text for people, at most as wide as their screen."""

from collections.abc import Iterable, Iterator

from krm_fn.explain.explanation import Because, Explained, Explanation, FoundBy, Place, Reference, Restart, Unfollowed
from krm_fn.explain.find_unfollowed import TEXT
from krm_fn.look.cut import fold
from krm_fn.look.screen import Screen
from krm_fn.model.printable import printable
from krm_fn.model.problem import ResourceId

_MOST_TEXTS = 5
"""Mere texts that are shown for an object: more of them say little."""

_STRATEGIES = {
    "rename": "rename",
    "adopt": "adopt: the name stays; the object is labelled and protected",
    "checksum": "checksum: the name stays",
    "ignore": "left alone",
}
_REMEDIES = {
    "kinds": "to choose it, add its kind to spec.kinds",
    "not selected": "to choose it, add an entry to spec.select",
    "not read": "to choose it, add an entry to spec.select, or an annotation revisions.krm-fn.io/strategy",
}
_HINTED = "to choose it all the same, list it in spec.select, or annotate it with revisions.krm-fn.io/strategy: rename"


def write_text(explanation: Explanation, screen: Screen) -> str:
    """Write every object, and then one line that sums them up."""
    lines = [line for one in explanation.objects for line in _write(one, screen)]
    return "".join(f"{line}\n" for line in lines)


def _write(one: Explained, screen: Screen) -> Iterator[str]:
    title = [f"{printable(one.who.kind)} {_name(one.who)}", *_place(one.place)]
    yield from (screen.strong(line) for line in fold(title, screen.width))
    yield from _fill(_strategy(one), screen, 2)
    yield from _fill(f"because {_because(one.reason)}", screen, 4)
    for hint in one.hints:
        yield from _fill(f"although {_because(hint)}" if one.new_name != "" else f"and {_because(hint)}", screen, 4)
    if one.hashed:
        yield from _fill(f"hashed: {_keys(one)}", screen, 2)
    yield from _section("referenced by", map(_reference, one.references), screen)
    yield from _section("restarts", map(_restart, one.restarts), screen)
    yield from _section("not followed", map(_unfollowed, _without_most_texts(one.unfollowed)), screen)
    for warning in one.warnings:
        yield from (screen.warning(line) for line in _fill(f"! {printable(warning)}", screen, 2))


def _strategy(one: Explained) -> str:
    said = _STRATEGIES[one.strategy]
    if one.new_name is None:
        return f"{said}: the new name is made from its values, and not shown"
    if one.new_name:
        return f"{said} to {printable(one.new_name)}" if one.strategy == "rename" else f"{said}: {one.new_name}"
    return said


def _because(because: Because) -> str:
    more = [*_place(because.place), *([because.source] if because.source else [])]
    return printable(because.text) + (f" ({', '.join(more)})" if more else "")


def _keys(one: Explained) -> str:
    fields = dict(one.hashed)
    if len(fields) == 1 and fields.get("data"):
        return ", ".join(map(printable, fields["data"]))
    return "; ".join(f"{name}: {', '.join(map(printable, keys))}" if keys else name for name, keys in fields.items())


def _reference(one: Reference) -> tuple[ResourceId, Place, str, list[str]]:
    return one.who, one.place, one.field, [_rule(one.rule), *one.notes]


def _rule(rule: FoundBy) -> str:
    return f"{rule.by}: {rule.text}" + (f" ({rule.source})" if rule.source else "")


def _restart(one: Restart) -> tuple[ResourceId, Place, str, list[str]]:
    keys = "all keys" if one.keys is None else f"keys: {', '.join(one.keys)}"
    asked = [f"asked for by an annotation of {one.asked_by}"] if one.asked_by else []
    unset = [] if one.is_set else ["it cannot change, and gets no checksum"]
    return one.who, one.place, one.field, [keys, *asked, *unset]


def _unfollowed(one: Unfollowed) -> tuple[ResourceId, Place, str, list[str]]:
    return one.who, one.place, one.field, [one.text]


def _without_most_texts(unfollowed: Iterable[Unfollowed]) -> Iterator[Unfollowed]:
    texts = 0
    for one in unfollowed:
        texts += one.reason == TEXT
        if one.reason != TEXT or texts <= _MOST_TEXTS:
            yield one


def _section(title: str, entries: Iterable[tuple[ResourceId, Place, str, list[str]]], screen: Screen) -> Iterator[str]:
    listed = [*entries]
    if listed:
        yield f"  {title}"
    for who, place, field, texts in listed:
        yield from _fill_parts([f"{printable(who.kind)} {_name(who)}", *_place(place)], screen, 4)
        yield from _fill_parts([printable(field)], screen, 6)
        for text in texts:
            yield from _fill(printable(text), screen, 6)


def _name(who: ResourceId) -> str:
    return printable(f"{who.namespace}/{who.name}" if who.namespace else who.name)


def _place(place: Place) -> list[str]:
    if not place.file:
        return []
    return [printable(f"{place.file}:{place.line}" if place.line else place.file)]


def _fill(text: str, screen: Screen, indent: int) -> Iterator[str]:
    return _fill_parts(text.split(" "), screen, indent)


def _fill_parts(parts: list[str], screen: Screen, indent: int) -> Iterator[str]:
    for line in fold(parts, screen.width - indent, ""):
        yield " " * indent + line
