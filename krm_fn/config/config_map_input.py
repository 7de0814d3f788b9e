"""A ConfigMap as functionConfig, as `kpt fn eval -- key=value` and a Kptfile's `configMap:` send it.

Values are raw text: those of a Kptfile may be without quotes, and `yes` is three letters here, not a boolean.
"""

from krm_fn.config.place import place
from krm_fn.config.plain import Plain
from krm_fn.model.node import Mapping, Node, describe, fields, get, is_mapping, is_null, is_scalar
from krm_fn.model.problem import Rejected, ResourceId
from krm_fn.model.settings import KPT_NAME
from krm_fn.naming.suggest import suggest

_NUMBERS = ("linker.timeoutSeconds", "linker.minimumAgeSeconds", "linker.ttlSecondsAfterFinished")
_SWITCHES = ("immutable", "strict", "linker.enabled", "linker.secrets", "linker.openshift")
_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_LISTS = ("kinds", "deployers", "takeOver", "checksums.controllers", "linker.kinds")
_NAMES = ("select", "exclude")
_TEXTS = ("strategy", "jobs", "checksums.annotation", "linker.image", "linker.namespace", "linker.serviceAccountName")
_SETTINGS = ("name", *_TEXTS, *_SWITCHES, *_LISTS, *_NAMES, *_NUMBERS)


def read_config_map(node: Mapping, who: ResourceId) -> dict[str, Plain]:
    """Return the configuration that this ConfigMap means, without `metadata` where nothing names the set.

    Raises Rejected for unknown settings and wrong values.
    """
    data = get(node, "data")
    if not is_null(data) and not is_mapping(data):
        found = describe(data or node)
        raise Rejected(place(("data",), node, who, f"expected a mapping of settings, found {found}"))
    messages = {key: message for key, value in fields(data).items() if (message := _check(key, value))}
    if messages:
        raise Rejected(*(place(("data", key), node, who, message) for key, message in messages.items()))
    texts = {key: str(value.value) for key, value in fields(data).items() if not is_null(value)}
    name = texts.pop("name", None if who.name in (KPT_NAME, "") else who.name)
    metadata: dict[str, Plain] = {} if name is None else {"metadata": {"name": name}}
    return {**metadata, "spec": _nest({key: _read(key, text) for key, text in texts.items()})}


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
    if key not in _SETTINGS:
        return f"unknown setting{suggest(key, _SETTINGS)}"
    if not is_scalar(value):
        return f"expected text, found {describe(value)}"
    if key in _SWITCHES and not is_null(value) and value.value.lower() not in _WORDS:
        return f"found {value.value!r}, allowed: {', '.join(_WORDS)}"
    if key in _NUMBERS and not is_null(value) and not value.value.isdecimal():
        return f"found {value.value!r}, expected a whole number"
    return ""


def _read(key: str, text: str) -> Plain:
    if key in _LISTS:
        return [*_split(text)]
    if key in _NAMES:
        return [{"name": name} for name in _split(text)]
    if key in _NUMBERS:
        return int(text)
    return _WORDS[text.lower()] if key in _SWITCHES else text


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
