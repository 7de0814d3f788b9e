"""Each pattern reads a text in proportion to its length, also a text of repeats of what it looks for.

A pattern that looks at the rest of a text again from each place takes the square of its length: a
line of `oc oc oc` in a script stopped `explain`. What passes here does so by any clock. What fails
has taken far too long of the processor, three times: a busy machine changes neither.
"""

import ast
import re
import signal
import string
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import chain, islice, product
from pathlib import Path
from pkgutil import walk_packages
from time import process_time
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest

import krm_fn
from krm_fn.base.node import read_path
from krm_fn.core.config.plain import load_schema
from krm_fn.core.references.field_rows import read_annotations, read_fields

PARSER: Any = import_module("re._parser")
COMPILER: Any = import_module("re._compiler")

METHODS = frozenset({"search", "match", "fullmatch", "findall", "finditer", "sub", "split"})
EITHER = ("finditer", "fullmatch")
"""The slowest ways to read with a pattern, where the way is not seen."""

# How hostile texts grow, in characters.
SHORT = 1_000
TIMES = 32
"""With the square, a text that is so much longer takes 1,024 times as long."""

TOO_MANY = 180
"""Between 32 and 1,024: as far from the one as from the other."""

CHEAP = 2e-7
"""In seconds a character: the square of so few characters is more, by any clock."""

DEAR = 250
"""So many times that is the cube, or worse."""

FEW = 8
"""Pieces of a pattern that are put together in pairs."""

MOST = 60
"""Hostile texts for a pattern."""


Names = dict[str, Any]


class Local(NamedTuple):
    """What a function knows when it makes a pattern, given the names of its module.

    `method`: how it reads with the pattern, if that is not seen.
    """

    values: Callable[[Names], Iterable[Names]]
    method: str = ""


def each(name: str, values: Callable[[Names], Iterable[object]], method: str = "") -> Local:
    return Local(lambda names: [{name: one} for one in values(names)], method)


def patterns_in(schema: object) -> Iterator[str]:
    """Yield the patterns of a JSON schema."""
    if isinstance(schema, dict):
        pattern = schema.get("pattern")
        if isinstance(pattern, str):
            yield pattern
        for one in schema.values():
            yield from patterns_in(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from patterns_in(one)


def mounts(_: Names) -> Iterator[Names]:
    """Yield what the guard about readers knows of two paths, in a folder at the top and further below."""
    paths = {row.reads.path for row in read_fields()}
    for path in sorted(paths & {"/etc/{}-volume", "/etc/prometheus/secrets/{}"}):
        reads = SimpleNamespace(path=path)
        reference = SimpleNamespace(rule=SimpleNamespace(reads=reads), around={})
        yield {"path": path, "name": "web", "one": SimpleNamespace(reference=reference)}


def patterns_of_names(names: Names) -> Iterator[object]:
    """Yield the patterns of the names in a text: of the tables, and of the module."""
    yield from (row.text for row in read_fields() if row.text)
    yield from (row.inside for row in read_annotations() if row.inside)
    yield from (names["_LISTED"], names["_LITERAL"])


def of_kind(kind: str) -> SimpleNamespace:
    return SimpleNamespace(id=SimpleNamespace(kind=kind))


OF_SCHEMA = each("pattern", lambda _: patterns_in(load_schema()))

LOCALS = {
    "base.go_yaml._integer": each("pattern", lambda names: dict(names["_INTEGERS"]).values()),
    "base.item.is_emitted": each("item", lambda _: map(of_kind, ("Job", "CronJob"))),
    "base.settings.matcher": each("name", lambda _: ["a*b*c", "?*-?*-?*", "[a-z]*[a-z]*!"]),
    "core.config.build._matching.read": OF_SCHEMA,
    "core.config.why_invalid._check_pattern": OF_SCHEMA,
    "core.references.find._find_inside": each("pattern", patterns_of_names),
    "core.references.program_options._kinds_in": each("says", lambda names: dict(names["_SAYS"])),
    "core.yaml.excerpt._fields": each("margin", lambda _: ["  "]),
    "core.yaml.reader.read_yaml": each("pattern", lambda names: dict(names["_SHARING"]).values()),
    "core.yaml.schemas._end_below": each("column", lambda _: [2], "match"),
    "guards.name_readers.NameReaders._find_path": Local(mounts, "search"),
    "guards.name_readers.NameReaders._say_hidden": Local(mounts, "search"),
    "guards.replaced_later._names_made_in": each(
        "sign", lambda names: [row[0] for row in names["OWN_VARIABLES"]]
    ),
    "guards.replaced_later._is_replaced": each(
        "pattern", lambda names: [row[-1] for one in names["REPLACED"] for row in one[-1]]
    ),
    "linker.read.read_any_revision": each("base", lambda _: ["web"]),
    "tools.common.program.known_part": each("shape", lambda names: names["_compile_shapes"]()),
    "tools.diff.affected.FilesWithNames.__init__": each("pattern", lambda _: ["web|db"], "search"),
    "tools.diff.fold_packages._Eraser._erase_in_field": each("linker", lambda _: ["web"], "sub"),
    "tools.explain.explain._sum_up": each(
        "groups", lambda _: [[SimpleNamespace(title="rename")]], "match"
    ),
    "tools.init.texts.find_shared_name": each("pattern", lambda _: ["path: WAY\nname: NAME\n"]),
    "tools.render.check._base_names": each("suffix", lambda names: names["_SUFFIXES"]),
}
"""Functions that make a pattern of what is not in their module alone."""

NOT_READ_HERE = {
    # Made of what a function is given, and read by a function that is in the table above.
    "tools.common.program._compile_shapes",
    # Patterns of others: a rule of SOPS, and annotations of Reloader, of which only clear ones count.
    "core.decide.choose._matches_any",
    "extras.restart_requests.Catalogue.find",
    "extras.restart_requests.is_clear",
}

ONLY_MATCHED = {"tools.builds.kustomization._USER"}
"""Patterns that a function is given that only calls `match`."""

THROUGH: dict[str, Callable[[str], object]] = {"base.node.read_path": read_path.__wrapped__}
"""Functions that prepare a text for their pattern."""

BOUNDED = {"tools.common.program.known_part": 16_384}
"""Functions that read no more characters than so many. These may take a second."""


class Use(NamedTuple):
    """A pattern, and the method that reads a text with it."""

    pattern: re.Pattern[Any]
    method: str


class Found(NamedTuple):
    """Each use of a pattern with a place where it is, and the places whose patterns nobody can tell."""

    uses: dict[Use, str]
    unknown: list[str]


@cache
def find_uses() -> Found:
    found = Found({}, [])
    modules = [
        import_module(one.name)
        for one in walk_packages(krm_fn.__path__, "krm_fn.")
        if not one.name.endswith("__main__")
    ]
    for module in modules:
        find_in(module, found)
    seen = {use.pattern for use in found.uses}
    for module in modules:
        for name, value in vars(module).items():
            place = f"{short_name(module)}.{name}"
            for pattern in {*patterns_below(value)} - seen:
                for method in ["match"] if place in ONLY_MATCHED else EITHER:
                    found.uses.setdefault(Use(pattern, method), place)
    return found


def short_name(module: ModuleType) -> str:
    return module.__name__.removeprefix("krm_fn.")


def find_in(module: ModuleType, found: Found) -> None:
    """Find what the code of a module reads with patterns."""
    names = vars(module)
    tree = ast.parse(Path(str(module.__file__)).read_text())
    read: set[ast.AST] = set()
    for place, node in find_nodes(tree, short_name(module)):
        said, method = how_it_reads(node)
        is_for_later = method == "compile" and place == short_name(module)
        if said is None or said in read or is_for_later or place in NOT_READ_HERE:
            continue
        local = LOCALS.get(place, Local(lambda _: [{}]))
        for values in local.values(names):
            try:
                made = eval(ast.unparse(said), names | values)  # noqa: S307  # it is our own code
            except NameError:
                # Else it is no pattern, or one that its maker below is asked about.
                if isinstance(node, ast.Call):
                    found.unknown.append(place)
                continue
            read.add(said)
            is_source = isinstance(node, ast.Call) and isinstance(made, str | bytes)
            pattern = re.compile(made) if is_source else made
            if isinstance(pattern, re.Pattern):
                known = local.method if method == "compile" else method
                for one in [known] if known else EITHER:
                    found.uses.setdefault(Use(pattern, one), place)


def how_it_reads(node: ast.AST) -> tuple[ast.expr | None, str]:
    """Return what is a pattern in `re.search(...)` or `PATTERN.search`, and how it reads.

    That is `compile` if it does not read yet.
    """
    match node:
        case ast.Call(ast.Attribute(ast.Name("re"), "compile" as method)):
            return node, method
        case ast.Call(ast.Attribute(ast.Name("re"), method), [said, *_]) if method in METHODS:
            return said, method
        case ast.Attribute(ast.Name(name) as said, method) if method in METHODS and name != "re":
            return said, method
        case ast.Attribute(
            ast.Call(ast.Name() | ast.Attribute(ast.Name("re"), "compile"), [_, *_]) as said, method
        ) if method in METHODS:
            return said, method
    return None, ""


def patterns_below(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns in a value of a module, which may be a table or a class."""
    below: Iterable[object] = ()
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        below = chain(value, value.values())
    elif isinstance(value, tuple | list | set | frozenset):
        below = value
    elif isinstance(value, type) and value.__module__.startswith("krm_fn."):
        below = [*vars(value).values()]
    for one in below if depth else ():
        yield from patterns_below(one, depth - 1)


def find_nodes(node: ast.AST, place: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield each node of a syntax tree, and the function in which it is. Those around it come first."""
    for child in ast.iter_child_nodes(node):
        yield place, child
        inner = place
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{place}.{child.name}"
        yield from find_nodes(child, inner)


# Hostile texts.

_ANY = [*dict.fromkeys("a0 -_./:" + string.printable + "é\x85\u2028\ud800\udc80\ue000\ufeff")]
"""What a class of characters is asked for, the most usual ones first."""

_OF_ONE = frozenset({"IN", "ANY", "NOT_LITERAL"})
_REPEATED = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})

Part = tuple[Any, Any]
"""A part of a parsed pattern: what it is, and what it consists of."""


def members_of(part: Part) -> list[str]:
    """Return a few characters of a class."""
    kind, said = part
    return find_members(kind, tuple(said) if isinstance(said, list) else said)


@cache
def find_members(kind: Any, said: Any) -> list[str]:
    classes = [*said] if isinstance(said, tuple) else said
    one = COMPILER.compile(PARSER.SubPattern(PARSER.State(), [(kind, classes)]))
    return [*islice(filter(one.match, _ANY), 3)]


def below(part: Part) -> list[Iterable[Part]]:
    """Return the patterns that a part consists of."""
    kind, said = part
    match str(kind):
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [said[2]]
        case "SUBPATTERN":
            return [said[3]]
        case "ASSERT":
            return [said[1]]
        case "ATOMIC_GROUP":
            return [said]
        case "BRANCH":
            return [*said[1]]
    return []


def choices_of(part: Part) -> list[str]:
    """Return texts that a part matches."""
    kind, said = part
    name = str(kind)
    if name == "LITERAL":
        return [chr(said)]
    if name in _OF_ONE:
        return members_of(part) or ["a"]
    if name == "ASSERT":
        return [""]
    found = [one for several in below(part) for one in samples(several)[:3]] or [""]
    if name in _REPEATED:
        least = said[0]
        return [one * max(least, 1) for one in found] + ([] if least else [""])
    return found


def samples(parts: Iterable[Part]) -> list[str]:
    """Return a text that a pattern matches, and others, of which each differs in one choice."""
    every = [choices_of(part) for part in parts]
    first = [several[0] for several in every]
    found = ["".join(first)]
    for place, several in enumerate(every):
        for other in several[1:]:
            found.append("".join([*first[:place], other, *first[place + 1 :]]))
    return [*dict.fromkeys(found)][:8]


def pieces(parts: Iterable[Part]) -> Iterator[str]:
    """Yield the words of a pattern, and characters of its classes."""
    word = ""
    for part in parts:
        kind, said = part
        if str(kind) == "LITERAL":
            word += chr(said)
            continue
        yield word
        word = ""
        if str(kind) in _OF_ONE:
            yield from members_of(part)
        for several in below(part):
            yield from pieces(several)
    yield word


def within(parts: Iterable[Part], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield what some neighbouring parts match, each behind what may be before it."""
    every = [*parts]
    for start, part in enumerate(every):
        ahead = before + samples(every[:start])[0]
        for end in range(start + 1, start + 4):
            for one in samples(every[start:end]):
                yield ahead, one
        for several in below(part):
            yield from within(several, ahead)


def repeats(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Return beginnings of hostile texts, each with what is repeated behind it."""
    parsed = [*PARSER.parse(pattern.pattern, pattern.flags)]
    few = [*filter(None, dict.fromkeys([" ", *pieces(parsed), "a"]))][:FEW]
    found = [("", one + other) for one, other in product(few, ["", *few])]
    structured = [one for one in within(parsed) if one[1]]
    # Of a long pattern, from all over it.
    for ahead, one in structured[:: len(structured) // MOST + 1]:
        found += [(ahead, one), ("", one), ("", f"{one} ")]
    return [*dict.fromkeys(found)]


# Time.


class Late(Exception):
    """A pattern has taken too long."""


@pytest.fixture
def _clock() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Late

    before = signal.signal(signal.SIGVTALRM, stop)
    yield
    signal.signal(signal.SIGVTALRM, before)


Reader = Callable[[Any], object]


def reader_of(use: Use, place: str) -> Reader:
    """Return what reads a text with a pattern, as it is used in a place."""
    pattern, method = use
    if place in THROUGH:
        return THROUGH[place]
    if method == "sub":
        return lambda text: pattern.sub(text[:0], text)
    if method == "finditer":
        return lambda text: deque(pattern.finditer(text), maxlen=0)
    return cast("Reader", getattr(pattern, method))


def time_to(read: Reader, text: str | bytes, most: float) -> float:
    """Return how long it takes to read a text. Raises Late after so many seconds of the processor."""
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        started = process_time()
        read(text)
        return process_time() - started
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def is_late(read: Reader, text: str | bytes, most: float) -> bool:
    try:
        time_to(read, text, most)
    except Late:
        return True
    return False


def takes_too_long(read: Reader, write: Callable[[int], str | bytes], bound: int = 0) -> bool:
    """Tell whether a longer text takes far more time than its length. No text is longer than the bound."""
    short, longer = write(SHORT), write(4 * SHORT)
    cheap = CHEAP * len(short)
    try:
        # Most end here. Other processes could only make it longer.
        least = time_to(read, short, DEAR * cheap)
        if least < cheap:
            return False
        least = min(time_to(read, short, DEAR * cheap) for _ in range(3))
        # The square would be 16 times as much.
        if min(time_to(read, longer, 16 * DEAR * cheap) for _ in range(2)) < 9 * least:
            return False
    except Late:
        return True
    if bound:
        return is_late(read, write(bound), 1)
    most = min(max(TOO_MANY * least, 0.04), 3)
    return all(is_late(read, write(TIMES * SHORT), most) for _ in range(3))


def find_slow(use: Use, place: str = "") -> str:
    """Find a text that a pattern reads in the square of its length, or worse; "" if there is none."""
    read = reader_of(use, place)
    for ahead, one in repeats(use.pattern):
        for end in ("\0", "\n\n\n"):

            def write(
                length: int, ahead: str = ahead, one: str = one, end: str = end
            ) -> str | bytes:
                text = ahead + one * (max(length, 50 * len(one)) // len(one)) + end
                return text.encode() if isinstance(use.pattern.pattern, bytes) else text

            if takes_too_long(read, write, BOUNDED.get(place, 0)):
                return f"{use.method} of {use.pattern.pattern!r}: {ahead!r} + n * {one!r} + {end!r}"
    return ""


SLOW = [
    pytest.param(
        r"\b(?:kubectl|oc)\s(?:.*\s)?(?:-k\b|--kustomize\b)", "search", id="words in between"
    ),
    pytest.param(r"<[^<>]*,[^<>]*>", "fullmatch", id="a list that does not end"),
    pytest.param(r"\[[^\]]*\]", "finditer", id="a bracket that nothing closes"),
    pytest.param(r"(?:\s|#[^\n]*)*\*", "match", id="a comment that may end anywhere"),
]


@pytest.mark.rows(test=1)
@pytest.mark.usefixtures("_clock")
@pytest.mark.parametrize(("pattern", "method"), SLOW)
def test_a_text_is_found_that_takes_the_square(pattern: str, method: str) -> None:
    assert find_slow(Use(re.compile(pattern), method))


# It compares times, and fails on a busy machine.
@pytest.mark.nightly
@pytest.mark.usefixtures("_clock")
def test_each_pattern_reads_in_proportion() -> None:
    found = find_uses()
    slow = {place: find_slow(use, place) for use, place in found.uses.items()}
    assert {place: text for place, text in slow.items() if text} == {}


@pytest.mark.rows(test=0)
def test_each_pattern_is_found() -> None:
    """Say in a table what a function makes a pattern of, if its module alone does not tell."""
    found = find_uses()
    assert found.unknown == []
    places = {*found.uses.values()}
    assert {"tools.elsewhere.elsewhere._find_words", "core.yaml.schemas._is_plain"} <= places
    assert [one for one in (*LOCALS, *THROUGH, *BOUNDED, *ONLY_MATCHED) if one not in places] == []
