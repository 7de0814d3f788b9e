"""Choose the configuration that counts.

It is the one that is passed, else an object among those that are read, else the file beside them.
Nothing is merged, and nothing that somebody wrote loses silently: two that contradict are an error.
See `docs/decisions/0037-one-configuration-at-every-door.md`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum, IntEnum
from functools import cache, cached_property
from posixpath import commonpath, dirname
from typing import Any, TypeAlias

from krm_fn.base.item import Item, collect, locate, read_item, warning
from krm_fn.base.keys import LOCAL_CONFIG, PACKAGE_PATH
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, elements, fields, get, is_mapping, plain_value, text
from krm_fn.base.problem import Problem, Problems, Rejected, camel_case, listing
from krm_fn.base.settings import (
    KPT_NAME,
    NO_ENVIRONMENT,
    Environment,
    Settings,
    configures,
    is_configuration,
    is_our_program,
)
from krm_fn.core.config.build import find_pins, parse_config
from krm_fn.core.config.plain import place_settings
from krm_fn.core.yaml.yaml import read_yaml

__all__ = [
    "ChosenConfiguration",
    "Configuration",
    "Packages",
    "choose_configuration",
    "find_applied",
    "find_in_kptfile",
    "find_pins",
    "parse_config",
    "place_settings",
    "read_by_set",
]

_MOST_FIELDS = 3
"""Fields that a contradiction names, and places of configurations."""


class Origin(IntEnum):
    """Where a configuration comes from. The first that there is counts."""

    PASSED = 0
    READ = 1
    BESIDE = 2


class Configuration(NamedTuple):
    """A configuration, and where it is, in words for people.

    `package`: the folder of the kpt package that it is in, `""` for none. `place` says where a
    problem with it is.
    """

    node: Node
    where: str
    package: str = ""
    place: Callable[[Problem], Problem] = lambda problem: problem
    origin: Origin = Origin.READ

    @classmethod
    def passed(cls, node: Node) -> "Configuration":
        """Return what an orchestrator passes to the function."""
        where = "the arguments (functionConfig)" if _is_of_kpt(node) else "the functionConfig"
        return cls(node, where, origin=Origin.PASSED)

    @property
    def beside(self) -> "Configuration":
        """The same, of a file that is beside the objects."""
        return self._replace(origin=Origin.BESIDE)

    @property
    def is_empty(self) -> bool:
        """Tell whether nobody has written it: without arguments, kpt sends an empty ConfigMap."""
        return _is_of_kpt(self.node) and not fields(get(self.node, "data"))


class ChosenConfiguration(NamedTuple):
    """The configuration that counts, and its settings."""

    configuration: Configuration
    settings: Settings


_ReadSettings: TypeAlias = Callable[[Configuration], Settings]


def choose_configuration(
    found: Iterable[Configuration], packages: "Packages", environment: Environment, remedy: str
) -> ChosenConfiguration | None:
    """Choose the configuration that counts, and read its settings; None without one.

    Raises Rejected for an invalid one, and a contradiction.

    `packages`: those of all that is read. A configuration in a subpackage, or beside the one that a
    run names, may be that of another run, for another set. `remedy`: how to choose one of several.
    """
    read_settings = _settings_reader(environment)
    written, empty = _split_empty(found)
    passed = [one for one in written if one.origin is Origin.PASSED]
    others = sorted((one for one in written if one.origin is not Origin.PASSED), key=_rank)
    if not written:
        return ChosenConfiguration(empty[0], read_settings(empty[0])) if empty else None
    # An orchestrator that passes one has chosen: what lies around may be for other runs.
    if passed:
        first, *more = passed
    else:
        first, more = _choose(others, packages, read_settings, remedy), []
    settings = read_settings(first)
    same = [one for one in others if _set_of(one, read_settings) == settings.set]
    # A run that names one of the configurations that it reads leaves the others to their runs.
    rivals = same or [one for one in others if not packages.is_inner(one.package)]
    _check_agreement(first, [*more, *rivals], read_settings)
    return ChosenConfiguration(first, settings)


def read_by_set(
    found: Iterable[Configuration], environment: Environment = NO_ENVIRONMENT
) -> dict[str, Settings]:
    """Return the settings of each set.

    Raises Rejected for an invalid configuration, and a contradiction.
    """
    read_settings = _settings_reader(environment)
    by_set = collect(
        (read_settings(one).set, one) for one in sorted(_split_empty(found)[0], key=_rank)
    )
    for first, *others in by_set.values():
        _check_agreement(first, others, read_settings)
    return {name: read_settings(first) for name, (first, *_) in by_set.items()}


def find_applied(items: Iterable[Item]) -> Problems:
    """Find configurations that will be applied as if the cluster knew their kind."""
    message = (
        f'no cluster knows this kind, so applying it fails; add the line `{LOCAL_CONFIG}: "true"` to its '
        "metadata.annotations"
    )
    for item in items:
        if is_configuration(item.id) and not item.is_local:
            yield warning(item, message, "metadata.annotations")


def find_in_kptfile(kptfile: Node) -> Iterator[tuple[str, Node | None]]:
    """Yield the file that configures each krm-fn in the pipeline, or its configuration."""
    for entry in elements(get(kptfile, "pipeline", "mutators")):
        program = text(get(entry, "exec")).partition(" ")[0] or text(get(entry, "image"))
        if is_our_program(program):
            settings = get(entry, "configMap")
            config = None if settings is None else _read_as_config_map(settings)
            yield text(get(entry, "configPath")), config


def _read_as_config_map(settings: Node) -> Node:
    """Read the `configMap` of an entry as kpt passes it: its problems are then those of a run."""
    config = {"apiVersion": "v1", "kind": "ConfigMap", "data": plain_value(settings)}
    return read_yaml(json.dumps(config).encode()).roots[0]


class Packages:
    """The folders of kpt packages: as `kpt fn render` says, else where a Kptfile is.

    `files` are read beside the objects, and `folders` are known to hold a Kptfile that is not among
    them.
    """

    def __init__(
        self, items: Iterable[Item], files: Iterable[str] = (), folders: Iterable[str] = ()
    ) -> None:
        self._items = items
        self._files = files
        self._folders = {
            *folders,
            *(dirname(item.file) for item in items if item.id.kind == "Kptfile"),
        }

    def of(self, item: Item) -> str:
        """Return the package of an object; `""` if it is in none."""
        return item.annotations.get(PACKAGE_PATH) or self.of_file(item.file)

    def of_file(self, file: str) -> str:
        folder = dirname(file)
        while folder.strip("/") and folder not in self._folders:
            folder = dirname(folder)
        return folder if folder in self._folders else ""

    @cached_property
    def all(self) -> frozenset[str]:
        """The packages of all that is read, `""` for what is in none."""
        return frozenset([*map(self.of, self._items), *map(self.of_file, self._files)])

    def find_configurations(self) -> Iterator[Configuration]:
        """Find the objects that are one."""
        for item in self._items:
            if configures(item):
                yield Configuration(item.node, self.locate(item), self.of(item), _place_in(item))

    def is_inner(self, package: str) -> bool:
        """Tell whether something is read that is outside of this package."""
        return bool(package) and not all(
            f"{other}/".startswith(f"{package}/") for other in self.all
        )

    def locate(self, item: Item) -> str:
        """Say where an object is.

        kpt says the file in its package, and where the package is on this machine.
        """
        package = item.annotations.get(PACKAGE_PATH, "")
        alike = [one for one in self.all if one and one.startswith("/") == package.startswith("/")]
        below = package.removeprefix(commonpath(alike)).strip("/") if package else ""
        return f"{item.id} in {below}/{item.file}" if below else locate(item)


def _is_of_kpt(node: Node) -> bool:
    """Tell whether kpt has built it from arguments, or from the `configMap` of a Kptfile."""
    who = read_item(node).id if is_mapping(node) else None
    return who is not None and who.kind == "ConfigMap" and who.name in (KPT_NAME, "")


def _split_empty(found: Iterable[Configuration]) -> tuple[list[Configuration], list[Configuration]]:
    written: list[Configuration] = []
    empty: list[Configuration] = []
    for one in found:
        (empty if one.is_empty else written).append(one)
    return written, empty


def _rank(one: Configuration) -> tuple[Origin, list[str | int]]:
    """Sort by place, whatever the order in which all was read.

    Lines are numbers: 6 comes before 11.
    """
    return one.origin, [
        int(part) if part.isdecimal() else part for part in re.split("([0-9]+)", one.where)
    ]


def _settings_reader(environment: Environment) -> _ReadSettings:
    """Return what reads the settings of a configuration, and keeps them: each is parsed once.

    It raises Rejected for an invalid one, with the place.
    """

    @cache
    def read_settings(one: Configuration) -> Settings:
        try:
            return parse_config(one.node, environment)
        except Rejected as rejected:
            raise Rejected(*map(one.place, rejected.problems)) from rejected

    return read_settings


def _set_of(one: Configuration, read_settings: _ReadSettings) -> str:
    """Return the name of the set.

    A configuration of another run may be of a version with other fields: it is read no further.
    """
    who = read_item(one.node).id if is_mapping(one.node) else None
    return who.name if who and is_configuration(who) else read_settings(one).set


def _choose(
    others: list[Configuration],
    packages: "Packages",
    read_settings: _ReadSettings,
    remedy: str,
) -> Configuration:
    """Choose where none is passed. Raises Rejected for several sets."""
    outer = [one for one in others if not packages.is_inner(one.package)] or others
    if len({_set_of(one, read_settings) for one in outer}) > 1:
        places = listing((one.where for one in outer), _MOST_FIELDS)
        raise Rejected(Problem(f"found {len(outer)} configurations; {remedy}: {places}"))
    return outer[0]


def _check_agreement(
    first: Configuration,
    others: Iterable[Configuration],
    read_settings: _ReadSettings,
) -> None:
    settings = read_settings(first)
    problems: list[Problem] = []
    for one in others:
        differences = [*_differences(settings, read_settings(one))]
        if differences:
            problems.append(_contradiction(first, one, differences))
    if problems:
        raise Rejected(*problems)


def _contradiction(first: Configuration, second: Configuration, differences: list[str]) -> Problem:
    names = listing(differences, _MOST_FIELDS, mark=",")
    message = (
        f"{first.where} and {second.where} contradict each other: {names}; configurations are not merged, so remove "
        "one of them, or make them equal"
    )
    return Problem(message)


def _differences(first: Settings, second: Settings) -> Iterator[str]:
    """Yield the fields in which two mean something else, with both values where they are short."""
    names = [one.set if one.is_named else None for one in (first, second)]
    yield from _difference("metadata.name", *names)
    for path, one, other in _pairs("spec", first, second):
        yield from _difference(path, one, other)


def _pairs(path: str, first: Any, second: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields below a path, and their values in both.

    A group of settings has no value of its own.
    """
    for name, one in first._asdict().items():
        other, field = getattr(second, name), f"{path}.{camel_case(name)}"
        if isinstance(one, tuple) and hasattr(one, "_asdict"):
            yield from _pairs(field, one, other)
        elif name not in ("set", "is_named"):
            yield field, one, other


def _difference(path: str, first: Any, second: Any) -> Iterator[str]:
    if first != second:
        values = [_show(one) for one in (first, second)]
        yield f"{path} ({values[0]} and {values[1]})" if all(values) else path


def _show(value: Any) -> str:
    """Show a scalar and a list of words; `""` for all that is longer."""
    if value is None or (value == () and isinstance(value, tuple)):
        return "not set"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        value = tuple(sorted(value))
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]" if all(isinstance(one, str) for one in value) else ""
    return (
        "" if isinstance(value, Mapping) else str(value.value if isinstance(value, Enum) else value)
    )


def _place_in(item: Item) -> Callable[[Problem], Problem]:
    """Place problems in the file of an object: its author knows no lines of a ResourceList."""
    return lambda problem: (
        problem._replace(file=item.file, line=0, column=0) if item.file else problem
    )
