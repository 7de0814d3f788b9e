"""A ConfigMap as functionConfig: what `kpt fn eval -- key=value` and a Kptfile's `configMap:` send.

Values are raw text: a Kptfile's may come without quotes, so `yes` is three letters here and not a boolean.
"""

from krm_fn.model.node import Mapping, Node, describe, fields, get, is_mapping, is_null, is_scalar
from krm_fn.model.problem import Problem, Rejected
from krm_fn.model.resource import ResourceId
from krm_fn.model.settings import DEFAULT_SET
from krm_fn.wire.place import at
from krm_fn.wire.plain_value import Plain
from krm_fn.wire.suggest import suggest

KPT_NAME = "function-input"
"""What kpt calls the ConfigMap that it makes up from the command line."""

_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_LISTS = ("kinds", "deployers")
_NAMES = ("select", "exclude")
_SETTINGS = ("name", "strategy", "immutable", *_LISTS, *_NAMES, "jobs")


def read_config_map(node: Mapping, who: ResourceId) -> dict[str, Plain]:
    """The configuration this ConfigMap stands for. Raises Rejected for what is no setting."""
    data = get(node, "data")
    if not is_null(data) and not is_mapping(data):
        raise Rejected(_problem(who, "data", data or node, "expected settings by name"))
    problems = [problem for key, value in fields(data).items() for problem in _check(who, key, value)]
    if problems:
        raise Rejected(*problems)
    texts = {key: str(value.value) for key, value in fields(data).items() if not is_null(value)}
    name = texts.pop("name", DEFAULT_SET if who.name in (KPT_NAME, "") else who.name)
    spec: dict[str, Plain] = {key: _read(key, text) for key, text in texts.items()}
    return {"metadata": {"name": name}, "spec": spec}


def _check(who: ResourceId, key: str, value: Node) -> list[Problem]:
    if key not in _SETTINGS:
        return [_problem(who, f"data.{key}", value, f"unknown setting{suggest(key, _SETTINGS)}")]
    if not is_scalar(value):
        return [_problem(who, f"data.{key}", value, f"expected text, found {describe(value)}")]
    if key == "immutable" and not is_null(value) and value.value.lower() not in _WORDS:
        return [_problem(who, f"data.{key}", value, f"found {value.value!r}, allowed: {', '.join(_WORDS)}")]
    return []


def _read(key: str, text: str) -> Plain:
    if key in _LISTS:
        return [*_split(text)]
    if key in _NAMES:
        return [{"name": name} for name in _split(text)]
    return _WORDS[text.lower()] if key == "immutable" else text


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _problem(who: ResourceId, field: str, node: Node, message: str) -> Problem:
    return at(node.start_mark, message)._replace(resource=who, field=field)
