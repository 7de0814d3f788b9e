"""Plain values to Settings, or nothing: the schema, read by hand."""

import re

from krm_fn.model.controllers import CONTROLLERS
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.item import CONFIG_KINDS
from krm_fn.model.settings import Checksums, FieldSpec, Jobs, Selector, Settings, Strategy
from krm_fn.wire.build_linker import build_linker
from krm_fn.wire.build_mount import build_mount
from krm_fn.wire.expect import a_boolean, a_filled_list, a_list, a_mapping, a_text, one_of, refuse, texts
from krm_fn.wire.plain_value import Plain

_ANNOTATION = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_SET_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")
_TOP = ("apiVersion", "kind", "metadata", "spec")
_SPEC = (
    *("kinds", "strategy", "select", "exclude", "immutable", "deployers", "references"),
    *("checksums", "mounts", "jobs", "linker"),
)
_CHECKSUMS = ("annotation", "controllers")
_EXCLUDE = ("kind", "name", "namespace", "labels", "annotations")
_DEFAULTS = Settings()


def build_settings(config: Plain) -> Settings:
    """Settings from a configuration. Raises Invalid exactly where the schema would refuse it."""
    top = a_mapping(config, _TOP)
    spec = a_mapping(top.get("spec", {}), _SPEC)
    return Settings(
        set=_set_name(a_mapping(top.get("metadata")).get("name")),
        kinds=frozenset(one_of(kind, CONFIG_KINDS) for kind in a_filled_list(spec["kinds"]))
        if "kinds" in spec
        else _DEFAULTS.kinds,
        strategy=_strategy(spec.get("strategy", "rename")),
        select=tuple(map(_selector, a_list(spec["select"]))) if "select" in spec else None,
        exclude=tuple(_selector(a_mapping(entry, _EXCLUDE)) for entry in a_list(spec.get("exclude", []))),
        immutable=a_boolean(spec.get("immutable", _DEFAULTS.immutable)),
        deployers=tuple(one_of(name, PROTECTIONS) for name in a_list(spec["deployers"]))
        if "deployers" in spec
        else _DEFAULTS.deployers,
        references=_references(spec.get("references", [])),
        checksums=_checksums(a_mapping(spec.get("checksums", {}), _CHECKSUMS)),
        mounts=tuple(map(build_mount, a_list(spec.get("mounts", [])))),
        jobs=Jobs(one_of(spec.get("jobs", _DEFAULTS.jobs), list(Jobs))),
        linker=build_linker(spec.get("linker", {})),
    )


def _selector(value: Plain) -> Selector:
    entry = a_mapping(value, (*_EXCLUDE, "strategy"))
    return Selector(
        kind=one_of(entry["kind"], CONFIG_KINDS) if "kind" in entry else None,
        name=a_text(entry.get("name", "*")),
        namespace=a_text(entry["namespace"]) if "namespace" in entry else None,
        labels=texts(entry.get("labels", {})),
        annotations=texts(entry.get("annotations", {})),
        strategy=_strategy(entry["strategy"]) if "strategy" in entry else None,
    )


def _references(value: Plain) -> tuple[FieldSpec, ...]:
    """A nameReference list, or a kustomize configuration file that has one among other things."""
    entries = value.get("nameReference", []) if isinstance(value, dict) else value
    return tuple(spec for entry in a_list(entries) for spec in _field_specs(a_mapping(entry)))


def _field_specs(entry: dict[str, Plain]) -> list[FieldSpec]:
    target = a_text(entry.get("kind"))
    a_text(entry.get("group", ""))
    a_text(entry.get("version", ""))
    specs = [_field_spec(target, a_mapping(spec)) for spec in a_list(entry.get("fieldSpecs"))]
    return specs if target in CONFIG_KINDS else []


def _field_spec(target: str, spec: dict[str, Plain]) -> FieldSpec:
    return FieldSpec(
        target=target,
        group=a_text(spec.get("group", "")),
        version=a_text(spec.get("version", "")),
        kind=a_text(spec.get("kind", "")),
        path=a_text(spec.get("path")) or refuse(),
    )


def _checksums(value: dict[str, Plain]) -> Checksums:
    default = _DEFAULTS.checksums
    annotation = a_text(value.get("annotation", default.annotation))
    controllers = a_list(value["controllers"]) if "controllers" in value else default.controllers
    return Checksums(
        annotation=annotation if _ANNOTATION.fullmatch(annotation) else refuse(),
        controllers=tuple(dict.fromkeys(one_of(name, CONTROLLERS) for name in controllers)),
    )


def _set_name(value: Plain) -> str:
    name = a_text(value)
    return name if _SET_NAME.fullmatch(name) else refuse()


def _strategy(value: Plain) -> Strategy:
    return Strategy(one_of(value, list(Strategy)))
