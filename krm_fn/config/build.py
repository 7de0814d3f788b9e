"""Plain values to Settings, or nothing: the schema, read by hand."""

import re
from collections.abc import Callable, Mapping

from krm_fn.config.build_mount import build_mount
from krm_fn.config.expect import (
    Plain,
    a_boolean,
    a_filled_list,
    a_list,
    a_mapping,
    a_number,
    a_text,
    filled_text,
    one_of,
    refuse,
    texts,
)
from krm_fn.model.changes import Value
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.item import CONFIG_KINDS
from krm_fn.model.settings import CONTROLLERS, Checksums, FieldSpec, Jobs, Linker, Selector, Settings, Strategy

_ANNOTATION = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_SET_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")
_PATH = re.compile("^/?[^/.]*(/|$)")
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
        path=_path(filled_text(spec.get("path"))),
    )


def _path(path: str) -> str:
    """No field at the top of an object has a dot in its name: a path with one there was meant to have slashes."""
    return path if _PATH.match(path) else refuse()


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


_LINKER = (
    *("enabled", "image", "namespace", "timeoutSeconds", "minimumAgeSeconds", "ttlSecondsAfterFinished"),
    *("serviceAccountName", "openshift", "resources", "nodeSelector", "tolerations", "imagePullSecrets"),
    *("labels", "annotations"),
)
_OPERATORS = ("Exists", "Equal")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LINKER_DEFAULTS = Linker()


def build_linker(value: Plain) -> Linker:
    """Raises Invalid exactly where the schema would refuse it."""
    spec = a_mapping(value, _LINKER)
    return Linker(
        enabled=a_boolean(spec.get("enabled", True)),
        image=filled_text(spec["image"]) if "image" in spec else None,
        namespace=filled_text(spec["namespace"]) if "namespace" in spec else None,
        timeout_seconds=a_number(spec.get("timeoutSeconds", _LINKER_DEFAULTS.timeout_seconds), minimum=1),
        minimum_age_seconds=a_number(spec.get("minimumAgeSeconds", _LINKER_DEFAULTS.minimum_age_seconds), minimum=0),
        ttl_seconds_after_finished=a_number(spec["ttlSecondsAfterFinished"], minimum=0)
        if "ttlSecondsAfterFinished" in spec
        else None,
        service_account_name=filled_text(spec["serviceAccountName"]) if "serviceAccountName" in spec else None,
        openshift=a_boolean(spec.get("openshift", False)),
        resources=_resources(spec["resources"]) if "resources" in spec else _LINKER_DEFAULTS.resources,
        node_selector=texts(spec.get("nodeSelector", {})),
        tolerations=tuple(map(_toleration, a_list(spec.get("tolerations", [])))),
        image_pull_secrets=tuple(map(_named, a_list(spec.get("imagePullSecrets", [])))),
        labels=texts(spec.get("labels", {})),
        annotations=texts(spec.get("annotations", {})),
    )


def _resources(value: Plain) -> Mapping[str, Value]:
    return {name: _quantities(amounts) for name, amounts in a_mapping(value, ("requests", "limits")).items()}


def _quantities(value: Plain) -> Mapping[str, Value]:
    return {name: _quantity(amount) for name, amount in a_mapping(value).items()}


def _quantity(value: Plain) -> str | int:
    return value if isinstance(value, str) else a_number(value)


def _toleration(value: Plain) -> Mapping[str, Value]:
    found = a_mapping(value, _TOLERATION)
    return {name: _TOLERATION[name](field) for name, field in found.items()}


_TOLERATION: dict[str, Callable[[Plain], str | int]] = {
    "key": a_text,
    "operator": lambda value: one_of(value, _OPERATORS),
    "value": a_text,
    "effect": lambda value: one_of(value, _EFFECTS),
    "tolerationSeconds": a_number,
}


def _named(value: Plain) -> Mapping[str, Value]:
    entry = a_mapping(value, ("name",))
    return {"name": filled_text(entry.get("name"))} if "name" in entry else refuse()
