"""The functionConfig as Settings.

A valid configuration is read without a validator of the JSON Schema: to load one takes longer than all other work on a
small package. The schema explains what is invalid, and a test proves that both agree on what is valid.

The values of a ConfigMap are raw text: those of a Kptfile may be without quotes, and `yes` is three letters here, not a
boolean. Which of them are numbers or lists, the schema says.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from krm_fn.base.item import read_item
from krm_fn.base.keys import DECLARES_FUNCTION
from krm_fn.base.node import Mapping, Node, describe, elements, fields, get, is_mapping, is_null, is_scalar, text
from krm_fn.base.problem import Problem, Rejected, ResourceId, at
from krm_fn.base.settings import API_VERSION, DEFAULT_SET, KIND, KPT_NAME, NO_ENVIRONMENT, Environment, Settings
from krm_fn.base.words import read_list
from krm_fn.core.config.build import DAYS, MONTHS, build_settings
from krm_fn.core.config.pins import pin_linker
from krm_fn.core.config.plain import Invalid, Plain, list_settings, place_setting, plain_value
from krm_fn.core.names.names import EXPECTED_IMAGE, is_image
from krm_fn.core.names.suggest import suggest
from krm_fn.core.yaml.reader import read_yaml


def parse_config(node: Node | None, environment: Environment = NO_ENVIRONMENT) -> Settings:
    """Return the settings; all defaults without a configuration. Raises Rejected with every problem.

    The environment names the set where the configuration does not. What it pins wins over all defaults, and the
    configuration may not say otherwise.
    """
    unnamed = _unnamed_settings(environment.set)
    if node is None:
        return pin_linker(unnamed, environment.pins, None, None)
    if not is_mapping(node):
        raise Rejected(at(node.start_mark, f"functionConfig: expected a {KIND}, found {describe(node)}"))
    who = read_item(node).id
    if (who.api_version, who.kind) == ("v1", "ConfigMap"):
        read = read_config_map(node, who)
        is_named = "metadata" in read
        config: Plain = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": unnamed.set}, **read}
    elif (who.api_version, who.kind) == (API_VERSION, KIND):
        is_named = True
        config = plain_value(node)
    else:
        found = f"{who.api_version or 'no apiVersion'} {who.kind or 'no kind'}"
        raise Rejected(
            at(node.start_mark, f"functionConfig: found {found}, allowed: {API_VERSION} {KIND}, v1 ConfigMap")
        )
    settings = _settings(config, node, who)
    _check_image(settings.linker.image, ("spec", "linker", "image"), node, who)
    settings = pin_linker(settings, environment.pins, node, who)
    if not is_named:
        taken_over = (*settings.take_over, *unnamed.take_over)
        settings = settings._replace(is_named=unnamed.is_named, take_over=taken_over)
    if settings.linker.image is None:
        annotation, image = _own_image(node)
        _check_image(image, ("metadata", "annotations", annotation), node, who)
        settings = settings._replace(linker=settings.linker._replace(image=image))
    return settings


def _unnamed_settings(default_set: str) -> Settings:
    """Return the settings of a package that names no set. What an earlier run called by the common name is its own."""
    return Settings(set=default_set, take_over=(DEFAULT_SET,)) if default_set else Settings(is_named=False)


def _check_image(image: str | None, path: tuple[str, ...], node: Node, who: ResourceId) -> None:
    # What substitutes `${VARIABLES}` does so after the function, and in the Job as well.
    if image is not None and "${" not in image and not is_image(image):
        raise Rejected(
            place_setting(path, node, who, f'found "{image}", which no registry accepts: expected {EXPECTED_IMAGE}')
        )


def _own_image(node: Node) -> tuple[str, str | None]:
    """Return the configuration's own annotation, and the image in it, with which kustomize runs this function."""
    annotations = read_item(node).annotations if is_mapping(node) else {}
    for name in DECLARES_FUNCTION:
        for declaration in read_yaml(annotations.get(name, "").encode()).roots:
            image = text(get(declaration, "container", "image"))
            if image:
                return name, image
    return "", None


def _settings(config: Plain, node: Node, who: ResourceId) -> Settings:
    try:
        settings = build_settings(config)
    except Invalid as invalid:
        from krm_fn.core.config.why_invalid import explain_errors

        raise Rejected(*explain_errors(config, node, who)) from invalid
    problems = _stray_kinds(node, "select", settings, who) + _stray_kinds(node, "exclude", settings, who)
    for message in _backward_ranges(settings.linker.schedule or ""):
        problems.append(place_setting(("spec", "linker", "schedule"), node, who, message))
    if problems:
        raise Rejected(*problems)
    return settings


def _stray_kinds(node: Node, list_name: str, settings: Settings, who: ResourceId) -> list[Problem]:
    """Find entries for a kind that is not in `spec.kinds`: they could never match."""
    problems = []
    for index, entry in enumerate(elements(get(node, "spec", list_name))):
        kind = get(entry, "kind")
        if kind is not None and kind.value not in settings.kinds:
            kinds = ", ".join(sorted(settings.kinds))
            message = f"found {kind.value}, which is not in spec.kinds ({kinds}); add {kind.value} to spec.kinds"
            problems.append(place_setting(("spec", list_name, index, "kind"), node, who, message))
    return problems


_ORDER = {
    **{name: number for number, name in enumerate(MONTHS, 1)},
    **{name: number for number, name in enumerate(DAYS)},
}


def _backward_ranges(schedule: str) -> Iterator[str]:
    """Find ranges that the API server refuses, such as those over midnight."""
    for first, last in re.findall("([0-9a-zA-Z]+)-([0-9a-zA-Z]+)", schedule):
        ends = [int(end) if end.isdecimal() else _ORDER[end.lower()] for end in (first, last)]
        if ends[0] > ends[1]:
            yield f"found {first}-{last}, which ends before it begins; write two ranges, such as 22-23,0-6 for 22-6"


_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_READERS: dict[str, Callable[[str], Plain]] = {
    "string": str,
    "boolean": lambda text: _WORDS[text.lower()],
    "array": lambda text: [*read_list(text)],
    "names": lambda text: [{"name": name} for name in read_list(text)],
    "integer": int,
}
"""How the text of a setting is read, by the type that the schema says."""

_BY_NAME = ("select", "exclude")
"""Lists of mappings that a text can hold as well: the names alone."""


@cache
def _find_types() -> dict[str, str]:
    """Return the type of each setting that a text can hold."""
    settings = {key: field for key, field in list_settings().items() if _type_of(key, field) in _READERS}

    def place(key: str) -> tuple[int, str, bool]:
        """Return where a message lists a setting: by type, then by group, and what has to match a pattern last."""
        field = settings[key]
        group = key.rpartition(".")[0]
        return [*_READERS].index(_type_of(key, field)), group, "pattern" in {**field, **field.get("items", {})}

    return {"name": "string", **{key: _type_of(key, settings[key]) for key in sorted(settings, key=place)}}


def _type_of(key: str, field: dict[str, Any]) -> str:
    """Return which reader reads a setting. None reads a mapping, or a list of others than texts."""
    if key in _BY_NAME:
        return "names"
    type_ = "string" if "enum" in field else field.get("type", "")
    return "" if type_ == "array" and _type_of("", field["items"]) != "string" else type_


def read_config_map(node: Mapping, who: ResourceId) -> dict[str, Plain]:
    """Return the configuration that this ConfigMap means, without `metadata` where nothing names the set.

    Raises Rejected for unknown settings and wrong values.
    """
    data = get(node, "data")
    if not is_null(data) and not is_mapping(data):
        found = describe(data or node)
        raise Rejected(place_setting(("data",), node, who, f"expected a mapping of settings, found {found}"))
    messages = {key: message for key, value in fields(data).items() if (message := _check(key, value))}
    if messages:
        raise Rejected(*(place_setting(("data", key), node, who, message) for key, message in messages.items()))
    texts = {key: str(value.value) for key, value in fields(data).items() if not is_null(value)}
    name = texts.pop("name", None if who.name in (KPT_NAME, "") else who.name)
    metadata: dict[str, Plain] = {} if name is None else {"metadata": {"name": name}}
    return {**metadata, "spec": _nest({key: _READERS[_find_types()[key]](text) for key, text in texts.items()})}


def _nest(flat: dict[str, Plain]) -> dict[str, Plain]:
    """Put `checksums.annotation` into `checksums` as `annotation`."""
    spec: dict[str, Plain] = {}
    for key, value in flat.items():
        group, _, name = key.rpartition(".")
        if group:
            spec[group] = {**spec.get(group, {}), name: value}  # type: ignore[dict-item]  # groups are mappings
        else:
            spec[name] = value
    return spec


def _check(key: str, value: Node) -> str:
    """Say what is wrong with a setting; `""` if nothing is."""
    types = _find_types()
    if key not in types:
        return f"unknown setting{suggest(key, types)}"
    if not is_scalar(value):
        return f"expected text, found {describe(value)}"
    if types[key] == "boolean" and not is_null(value) and value.value.lower() not in _WORDS:
        return f"found {value.value!r}, allowed: {', '.join(_WORDS)}"
    if types[key] == "integer" and not is_null(value) and not value.value.isdecimal():
        return f"found {value.value!r}, expected a whole number"
    return ""
