"""Our named tuples do what those of `typing` do: each module that defines some is run again with these."""

import copy
import gc
import importlib
import inspect
import pickle
import pkgutil
import re
import typing
from collections.abc import Callable
from functools import cache
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

import pytest

import krm_fn
from krm_fn.base import named_tuple


@cache
def pairs() -> list[tuple[type, type]]:
    """Return each class of krm_fn that our module makes, beside the same statement as `typing` takes it."""
    found = []
    for module in modules():
        ours = named_tuples(module)
        if ours:
            twins = named_tuples(run_with_typing(module))
            assert twins.keys() == ours.keys(), module
            found += [(ours[name], twins[name]) for name in ours]
    return found


def modules() -> list[ModuleType]:
    names = [one.name for one in pkgutil.walk_packages(krm_fn.__path__, "krm_fn.")]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]


def named_tuples(module: ModuleType) -> dict[str, type]:
    """Return the classes with fields that a module defines itself."""
    return {
        name: one
        for name, one in vars(module).items()
        if isinstance(one, type) and one.__module__ == module.__name__ and hasattr(one, "_fields")
        if name != "_Record"
    }


def run_with_typing(module: ModuleType) -> ModuleType:
    spec = module.__spec__
    assert spec is not None
    assert spec.loader is not None
    again = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(named_tuple, "NamedTuple", typing.NamedTuple)
        spec.loader.exec_module(again)
    return again


def filled(made: Any) -> Any:
    """Make one with another value in each field."""
    return made(*(f"value of {field}" for field in made._fields))


def refusal(call: Callable[[], object]) -> str:
    """Return what Python says of a wrong call."""
    with pytest.raises((AttributeError, TypeError, ValueError)) as refused:
        call()
    return f"{refused.type.__name__}: {refused.value}"


def parameters(made: Any) -> list[tuple[object, ...]]:
    """Return what it is called with. A module that runs twice has a default twice, and the name of both is the same."""
    found = inspect.signature(made).parameters.values()
    return [(one.name, one.kind, spelled(one.default)) for one in found]


def spelled(default: object) -> str:
    return re.sub(" at 0x[0-9a-f]+", "", repr(default))


def described(made: Any) -> tuple[object, ...]:
    """Return what the class says of itself. Without a docstring, `typing` writes the fields into it."""
    doc = made.__doc__ if not (made.__doc__ or "").startswith(f"{made.__name__}(") else None
    return made.__name__, made.__qualname__, made.__module__, doc, made.__annotations__.keys()


BEHAVIOURS: dict[str, Callable[[Any], object]] = {
    "it has the fields, and a match reads them": lambda made: (made._fields, made.__match_args__),
    "it takes them in this order, with these defaults": parameters,
    "it knows the defaults": lambda made: {
        field: spelled(value) for field, value in made._field_defaults.items()
    },
    "it says its name, its module and what it is": described,
    "it is a plain class": type,
    "fields may be said by position": lambda made: tuple(filled(made)),
    "fields may be said by name": lambda made: tuple(
        made(**{field: field.upper() for field in made._fields})
    ),
    "fields are read by name": lambda made: [
        getattr(filled(made), field) for field in made._fields
    ],
    "fields are read by position": lambda made: (filled(made)[0], filled(made)[-1]),
    "fields that are missing are named": lambda made: (
        refusal(made) if {*made._fields} - {*made._field_defaults} else made()._fields
    ),
    "an unknown field is refused": lambda made: refusal(lambda: made(*made._fields, none=1)),
    "a value too many is refused": lambda made: refusal(lambda: made(*made._fields, 1)),
    "a field cannot be set": lambda made: refusal(
        lambda: setattr(filled(made), made._fields[0], "other")
    ),
    "nothing else can be set": lambda made: refusal(lambda: setattr(filled(made), "none", 1)),
    "it has no dict": lambda made: hasattr(filled(made), "__dict__"),
    "it is shown with its fields": lambda made: repr(filled(made)),
    "it equals a tuple, and hashes as one": lambda made: (
        filled(made) == tuple(filled(made)),
        hash(filled(made)) == hash(tuple(filled(made))),
    ),
    "a field can be replaced": lambda made: tuple(
        filled(made)._replace(**{made._fields[-1]: "other"})
    ),
    "an unknown field cannot be replaced": lambda made: refusal(
        lambda: filled(made)._replace(none=1)
    ),
    "what is replaced is of the same class": lambda made: type(filled(made)._replace()) is made,
    "it is made of a list": lambda made: tuple(made._make([*made._fields])),
    "a list that is too short is refused": lambda made: refusal(
        lambda: made._make(made._fields[1:])
    ),
    "it becomes a dict": lambda made: filled(made)._asdict(),
    "it can be copied": lambda made: (
        copy.copy(filled(made)) == filled(made),
        copy.deepcopy(filled(made)) == filled(made),
        type(copy.copy(filled(made))) is made,
    ),
    "it hands over its fields to be pickled": lambda made: filled(made).__getnewargs__(),
    "it has type arguments where it says so": lambda made: (
        made[int].__args__ if typing.Generic in made.__mro__ else ()
    ),
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_each_class_does_what_that_of_typing_does(behaviour: Callable[[Any], object]) -> None:
    different = [
        (ours, found, expected)
        for ours, twin in pairs()
        if (found := behaviour(ours)) != (expected := behaviour(twin))
    ]
    assert different == []


def test_all_classes_are_compared() -> None:
    assert len(pairs()) > 300


def test_nothing_that_a_class_has_is_missing() -> None:
    missing = {name for ours, twin in pairs() for name in {*dir(twin)} - {*dir(ours)}}
    assert missing <= {"__orig_bases__"}


def test_each_comes_back_from_a_pickle() -> None:
    for ours, _ in pairs():
        whole = filled(ours)
        again = pickle.loads(pickle.dumps(whole))  # noqa: S301  # our own
        assert (again, type(again)) == (whole, ours)


def test_more_fields_than_positions_are_refused_where_the_class_is_made() -> None:
    maker: Any = type(named_tuple.NamedTuple)
    fields = {f"field{position}": int for position in range(33)}
    with pytest.raises(IndexError):
        maker("Wide", (named_tuple.NamedTuple,), {"__annotations__": fields})


def test_the_collector_may_run_at_any_moment_of_the_import() -> None:
    """It emptied the class of which the readers were being taken, and every field was None."""
    spec = named_tuple.__spec__
    assert spec is not None
    assert spec.loader is not None
    before = gc.get_threshold()
    gc.freeze()  # to look at everything else takes long
    try:
        for threshold in range(1, 100):
            again = module_from_spec(spec)
            gc.collect()
            gc.set_threshold(threshold)
            spec.loader.exec_module(again)
            assert None not in vars(again)["_READ"], threshold
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
