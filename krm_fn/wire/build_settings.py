"""Plain values to Settings, or nothing: the schema, read by hand."""

import re
from collections.abc import Collection
from typing import NoReturn

from krm_fn.model.controllers import CONTROLLERS
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.item import CONFIG_KINDS
from krm_fn.model.settings import Checksums, FieldSpec, Selector, Settings, Strategy
from krm_fn.wire.plain_value import Plain

_ANNOTATION = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_SET_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")
_TOP = ("apiVersion", "kind", "metadata", "spec")
_SPEC = ("kinds", "strategy", "select", "exclude", "immutable", "deployers", "references", "checksums")
_CHECKSUMS = ("annotation", "controllers")
_EXCLUDE = ("kind", "name", "namespace", "labels", "annotations")
_DEFAULTS = Settings()


class Invalid(Exception):
    """The schema does not allow this; it is for the schema to say why."""


def build_settings(config: Plain) -> Settings:
    """Settings from a configuration. Raises Invalid exactly where the schema would refuse it."""
    top = _object(config, _TOP)
    spec = _object(top.get("spec", {}), _SPEC)
    return Settings(
        set=_set_name(_object(top.get("metadata")).get("name")),
        kinds=frozenset(_one_of(kind, CONFIG_KINDS) for kind in _filled(spec["kinds"]))
        if "kinds" in spec
        else _DEFAULTS.kinds,
        strategy=_strategy(spec.get("strategy", "rename")),
        select=tuple(map(_selector, _list(spec["select"]))) if "select" in spec else None,
        exclude=tuple(_selector(_object(entry, _EXCLUDE)) for entry in _list(spec.get("exclude", []))),
        immutable=_boolean(spec.get("immutable", _DEFAULTS.immutable)),
        deployers=tuple(_one_of(name, PROTECTIONS) for name in _list(spec["deployers"]))
        if "deployers" in spec
        else _DEFAULTS.deployers,
        references=_references(spec.get("references", [])),
        checksums=_checksums(_object(spec.get("checksums", {}), _CHECKSUMS)),
    )


def _selector(value: Plain) -> Selector:
    entry = _object(value, (*_EXCLUDE, "strategy"))
    return Selector(
        kind=_one_of(entry["kind"], CONFIG_KINDS) if "kind" in entry else None,
        name=_text(entry.get("name", "*")),
        namespace=_text(entry["namespace"]) if "namespace" in entry else None,
        labels=_texts(entry.get("labels", {})),
        annotations=_texts(entry.get("annotations", {})),
        strategy=_strategy(entry["strategy"]) if "strategy" in entry else None,
    )


def _references(value: Plain) -> tuple[FieldSpec, ...]:
    """A nameReference list, or a kustomize configuration file that has one among other things."""
    entries = value.get("nameReference", []) if isinstance(value, dict) else value
    return tuple(spec for entry in _list(entries) for spec in _field_specs(_object(entry)))


def _field_specs(entry: dict[str, Plain]) -> list[FieldSpec]:
    target = _text(entry.get("kind"))
    _text(entry.get("group", ""))
    _text(entry.get("version", ""))
    specs = [_field_spec(target, _object(spec)) for spec in _list(entry.get("fieldSpecs"))]
    return specs if target in CONFIG_KINDS else []


def _field_spec(target: str, spec: dict[str, Plain]) -> FieldSpec:
    return FieldSpec(
        target=target,
        group=_text(spec.get("group", "")),
        version=_text(spec.get("version", "")),
        kind=_text(spec.get("kind", "")),
        path=_text(spec.get("path")) or _refuse(),
    )


def _checksums(value: dict[str, Plain]) -> Checksums:
    default = _DEFAULTS.checksums
    annotation = _text(value.get("annotation", default.annotation))
    controllers = _list(value["controllers"]) if "controllers" in value else default.controllers
    return Checksums(
        annotation=annotation if _ANNOTATION.fullmatch(annotation) else _refuse(),
        controllers=tuple(dict.fromkeys(_one_of(name, CONTROLLERS) for name in controllers)),
    )


def _set_name(value: Plain) -> str:
    name = _text(value)
    return name if _SET_NAME.fullmatch(name) else _refuse()


def _strategy(value: Plain) -> Strategy:
    return Strategy(_one_of(value, list(Strategy)))


def _object(value: Plain, allowed: Collection[str] | None = None) -> dict[str, Plain]:
    if not isinstance(value, dict) or (allowed is not None and not value.keys() <= set(allowed)):
        _refuse()
    return value


def _list(value: Plain) -> list[Plain]:
    return value if isinstance(value, list) else _refuse()


def _filled(value: Plain) -> list[Plain]:
    return _list(value) or _refuse()


def _text(value: Plain) -> str:
    return value if isinstance(value, str) else _refuse()


def _texts(value: Plain) -> dict[str, str]:
    return {key: _text(text) for key, text in _object(value).items()}


def _boolean(value: Plain) -> bool:
    return value if isinstance(value, bool) else _refuse()


def _one_of(value: Plain, allowed: Collection[str]) -> str:
    text = _text(value)
    return text if text in allowed else _refuse()


def _refuse() -> NoReturn:
    raise Invalid
