"""The rules by which the function decides what is renamed, left alone, followed or said, and how each is switched off.

The rows of `GUARDS`, of `CHECKS` and of `READERS` are rules of their own. The others are inside them, or inside
the search for references: `BY_HAND` has these. What a program, a field or an annotation means are
facts with sources of their own (`krm_fn/facts`), and no rules.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from typing import Any, NamedTuple

from krm_fn.core.references.lookups import Lookup
from krm_fn.core.references.mentions import READERS
from krm_fn.guards.guards import GUARDS
from krm_fn.lint.lint import CHECKS


class Switch(NamedTuple):
    """What a rule is in the code, and what is there instead when it is off.

    `module`, and `place` in it: a function, a table, or a method of a class (`Variables._about`).
    """

    module: str
    place: str
    instead: Any


class Rule(NamedTuple):
    """A rule, its name a part of a sentence, and all that has to be switched to have it off."""

    name: str
    switches: tuple[Switch, ...]


def says_nothing(*_: Any, **__: Any) -> None:
    """Take the place of a function that returns an answer or None."""


def says_no(*_: Any, **__: Any) -> bool:
    """Take the place of a question."""
    return False


def says_yes(*_: Any, **__: Any) -> bool:
    """Take the place of a condition."""
    return True


def finds_nothing(*_: Any, **__: Any) -> Iterator[Any]:
    """Take the place of a search."""
    return iter(())


def lists_nothing(*_: Any, **__: Any) -> list[Any]:
    """Take the place of a search whose result is a list."""
    return []


_GUARDS = "krm_fn.guards.guards"
_API_READERS = "krm_fn.guards.api_readers"
_NAME_READERS = "krm_fn.guards.name_readers"
_LATER = "krm_fn.guards.replaced_later"
_PROGRAMS = "krm_fn.guards.well_known"
_MENTIONS = "krm_fn.core.references.mentions"
_HITS = "krm_fn.core.references.hits"
_OPTIONS = "krm_fn.core.references.program_options"
_FIELDS = "krm_fn.core.references.unfollowed"
_TEXTS = "krm_fn.core.references.names_in_texts"
_COPIES = "krm_fn.core.references.copies"
_FIND = "krm_fn.core.references.find"
_SHAPES = "krm_fn.core.references.shapes"
_CHARTS = "krm_fn.core.references.chart_releases"
_LOOKUPS = "krm_fn.core.references.lookups"
_GENERATED = "krm_fn.core.references.generated"
_CHOOSE = "krm_fn.core.decide.choose"


BY_HAND: Mapping[str, tuple[tuple[str, str, Any], ...]] = {
    # Programs, and who reads through the API.
    "a name counts in its namespace and with its labels alone": (
        (_PROGRAMS, "_is_where_expected", says_yes),
    ),
    "a label lets a program collect the object": ((_GUARDS, "_is_collected", says_no),),
    "who may read through the API can be known to read its files": (
        (_GUARDS, "reads_own_files", says_no),
    ),
    "all keys as variables, or scripts alone, leave nothing to look up": (
        (_API_READERS, "_has_all", says_no),
        (_API_READERS, "_has_only_scripts", says_no),
    ),
    "of a program that is known in full, its rows decide": (
        (_API_READERS, "may_look_up", says_nothing),
    ),
    "who gets a name may look it up": ((_GUARDS, "Evidence._told_reader", says_nothing),),
    "a role of leader election reads nothing else": (
        (_API_READERS, "_is_for_leader_election", says_no),
    ),
    # Who reads the name.
    "a path with the name is written somewhere": (
        (_NAME_READERS, "NameReaders.by_path", says_nothing),
    ),
    "a path may be written where nobody can see it": (
        (_NAME_READERS, "NameReaders._say_hidden", finds_nothing),
    ),
    "two objects are found by one name": ((_NAME_READERS, "NameReaders._pairs", {}),),
    # What is replaced after the function.
    "variables are replaced later": ((_LATER, "Variables._about", says_nothing),),
    "variables are the program's own": ((_LATER, "Variables._is_for_program", says_no),),
    "a text sets the variables that it has": ((_LATER, "_names_made_in", finds_nothing),),
    "pods have the variables that a text names": (
        (_LATER, "Variables._environment", lambda *_: set()),
    ),
    "a program replaces a placeholder": ((_LATER, "_in_placeholder", says_nothing),),
    "a variable in a reference may stand for a name": (
        (_LATER, "Variables._in_reference", says_nothing),
    ),
    "a variable where no program expands one": ((_LATER, "_find_unexpanded", finds_nothing),),
    # Options of programs.
    "scripts ask the API with kubectl or curl": ((_OPTIONS, "_in_script", finds_nothing),),
    "a variable of a script has the name": ((_OPTIONS, "_in_variables", finds_nothing),),
    "words of kubectl in a command": ((_OPTIONS, "_in_command", finds_nothing),),
    "settings in data pass a name": ((_OPTIONS, "_in_data", finds_nothing),),
    "templates of Argo Workflows pass a name": ((_OPTIONS, "_in_workflow", finds_nothing),),
    # Fields that no rule follows.
    "values as one text name an object": ((_FIELDS, "_Search._find_parts", finds_nothing),),
    "values of a chart are about its own objects": ((_FIELDS, "_is_own", says_no),),
    "a key says the kind of a name with more around it": (
        (_TEXTS, "_TextSearch._read_said", finds_nothing),
    ),
    "the key of a field is a name": ((_HITS, "_Walk.read_keys", says_nothing),),
    "a name in a field can hardly be anything else": ((_FIELDS, "_Search._is_telling", says_no),),
    # Names in other texts.
    "URLs and tags name an object": ((_TEXTS, "_find_tagged", finds_nothing),),
    "a variable is a key of an object": ((_TEXTS, "_WITH_DOTS", r"(?!)(?P<namespace>)(?P<name>)"),),
    "settings of Argo CD name a key by a plain word": (
        (_TEXTS, "_TextSearch._read_words_of_argo_cd", finds_nothing),
    ),
    "an annotation is a name": ((_TEXTS, "_TextSearch._read_annotation", finds_nothing),),
    "a value in data is a namespace and a name": (
        (_TEXTS, "_TextSearch._read_behind_namespace", finds_nothing),
    ),
    "the path of a patch says the kind": ((_TEXTS, "_end_of_pointer", says_nothing),),
    "indentation ends what is about a kind": ((_TEXTS, "_goes_on", says_yes),),
    "texts in fields of custom resources name an object": (
        (_TEXTS, "_TextSearch._is_read", says_no),
    ),
    "lists of Kyverno copy objects": ((_COPIES, "_read_clone_lists", finds_nothing),),
    # References.
    "rows tell which values of a chart are references": ((_CHARTS, "find_by_rows", finds_nothing),),
    "a comma list in the values of a chart": ((_FIND, "_find_in_values", finds_nothing),),
    "volumes in the JSON of an annotation": ((_SHAPES, "find_volumes", lists_nothing),),
    "a chart may deploy to another namespace": ((_CHARTS, "_may_be_elsewhere", says_no),),
    "a name beside a key selects one": ((_SHAPES, "_ShapeWalk._word_of_keyed", says_nothing),),
    "a cluster-scoped kind looks in a namespace": (
        (_LOOKUPS, "Lookups._read", lambda *_: Lookup("")),
    ),
    "a producer cannot be renamed": ((_GENERATED, "why_not_renamed", says_nothing),),
    "SOPS would refuse a new name": ((_CHOOSE, "why_encrypted", says_nothing),),
}
"""The rules inside guards, checks and the search for references, and how each is switched off."""


def read_rules() -> list[Rule]:
    """Return all rules: those of the three tables, and those inside."""
    guards = [_without(f"guard {row.code}", _GUARDS, "GUARDS", GUARDS, row) for row in GUARDS]
    checks = [
        _without(f"check {name_of(check.report)}", "krm_fn.lint.lint", "CHECKS", CHECKS, check)
        for check in CHECKS
    ]
    readers = [
        _without(f"reader {name_of(read)}", _MENTIONS, "READERS", READERS, read) for read in READERS
    ]
    inside = [Rule(name, tuple(Switch(*one) for one in rows)) for name, rows in BY_HAND.items()]
    return [*guards, *checks, *readers, *inside]


def name_of(report: Callable[..., Any]) -> str:
    """Return the name of a check's function as a part of a sentence."""
    return report.__name__.strip("_").replace("_", " ")


def _without(name: str, module: str, place: str, table: tuple[Any, ...], row: Any) -> Rule:
    return Rule(name, (Switch(module, place, tuple(one for one in table if one is not row)),))


@contextmanager
def switched_off(rule: Rule) -> Iterator[None]:
    """Run without a rule. A name that is not there is an error."""
    changed: list[tuple[Any, str, Any]] = []
    try:
        for switch in rule.switches:
            for owner, name in _homes(switch):
                changed.append((owner, name, owner.__dict__[name]))
                setattr(owner, name, switch.instead)
        yield
    finally:
        for owner, name, before in reversed(changed):
            setattr(owner, name, before)


def _homes(switch: Switch) -> list[tuple[Any, str]]:
    """Return where the thing is: in its module or class, and in each module that has imported it."""
    *above, name = switch.place.split(".")
    module = import_module(switch.module)
    owner = reduce(getattr, above, module)
    thing = owner.__dict__[name]
    if owner is not module:
        return [(owner, name)]
    ours = [one for key, one in sys.modules.items() if key.startswith("krm_fn.")]
    return [(one, name) for one in ours if one.__dict__.get(name) is thing]
