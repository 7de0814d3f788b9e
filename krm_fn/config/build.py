"""Settings from plain values, or Invalid: what the JSON Schema says, written by hand."""

import re
from collections.abc import Callable, Mapping

from krm_fn.config.plain import (
    Plain,
    as_boolean,
    as_filled_list,
    as_filled_text,
    as_list,
    as_mapping,
    as_number,
    as_text,
    as_texts,
    one_of,
    refuse,
)
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.item import CONFIG_KINDS
from krm_fn.model.node import NewValue
from krm_fn.model.producers import VERSIONED_NAMES
from krm_fn.model.settings import (
    CONTROLLERS,
    NO_SIDECAR_ANNOTATIONS,
    NO_SIDECAR_LABELS,
    ChecksumSettings,
    FieldSpec,
    Jobs,
    KeyToPath,
    LinkerSettings,
    Mount,
    MountSource,
    Selector,
    Settings,
    Strategy,
)
from krm_fn.naming.names import SET_NAME

# Texts: `re` compiles them for the configurations that have such a field.
_ANNOTATION = r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KIND = r"([a-z0-9][-a-z0-9.]*/)?[a-z][-a-z0-9]*/[A-Z][A-Za-z0-9]*"
_PATH = "^/?[^/.]*(/|$)"
_TOP = ("apiVersion", "kind", "metadata", "spec")
_SPEC = (
    *("kinds", "strategy", "select", "exclude", "immutable", "deployers", "references", "takeOver"),
    *("checksums", "mounts", "jobs", "strict", "linker"),
)
_CHECKSUMS = ("annotation", "controllers")
_EXCLUDE = ("kind", "name", "namespace", "labels", "annotations")
_LINKER = (
    *(
        "enabled",
        "secrets",
        "kinds",
        "image",
        "namespace",
        "timeoutSeconds",
        "minimumAgeSeconds",
        "ttlSecondsAfterFinished",
    ),
    *("serviceAccountName", "openshift", "resources", "nodeSelector", "tolerations", "imagePullSecrets"),
    *("labels", "annotations"),
)
_RESERVED = r"(helm\.sh|argocd\.argoproj\.io)/hook|argocd\.argoproj\.io/sync-wave|([^/]*\.)?revisions\.krm-fn\.io/"
_NO_SIDECAR = NO_SIDECAR_LABELS | NO_SIDECAR_ANNOTATIONS
_OPERATORS = ("Exists", "Equal")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_DEFAULTS = Settings()
HANDLED_KINDS = (*CONFIG_KINDS, *VERSIONED_NAMES)


def build_settings(config: Plain) -> Settings:
    """Build the settings of a configuration. Raises Invalid exactly where the schema does not allow it."""
    top = as_mapping(config, _TOP)
    spec = as_mapping(top.get("spec", {}), _SPEC)
    return Settings(
        set=_set_name(as_mapping(top.get("metadata")).get("name")),
        take_over=tuple(map(_set_name, as_list(spec.get("takeOver", [])))),
        kinds=frozenset(one_of(kind, HANDLED_KINDS) for kind in as_filled_list(spec["kinds"]))
        if "kinds" in spec
        else _DEFAULTS.kinds,
        strategy=_strategy(spec.get("strategy", "rename")),
        select=tuple(map(_selector, as_list(spec["select"]))) if "select" in spec else None,
        exclude=tuple(_selector(as_mapping(entry, _EXCLUDE)) for entry in as_list(spec.get("exclude", []))),
        immutable=as_boolean(spec.get("immutable", _DEFAULTS.immutable)),
        deployers=tuple(one_of(name, PROTECTIONS) for name in as_list(spec["deployers"]))
        if "deployers" in spec
        else _DEFAULTS.deployers,
        references=_references(spec.get("references", [])),
        checksums=_checksums(as_mapping(spec.get("checksums", {}), _CHECKSUMS)),
        mounts=_mounts(spec["mounts"]) if "mounts" in spec else (),
        jobs=Jobs(one_of(spec.get("jobs", _DEFAULTS.jobs), list(Jobs))),
        strict=as_boolean(spec.get("strict", _DEFAULTS.strict)),
        linker=_linker(spec.get("linker", {})),
    )


def _set_name(value: Plain) -> str:
    name = as_text(value)
    return name if SET_NAME.fullmatch(name) else refuse()


def _strategy(value: Plain) -> Strategy:
    return Strategy(one_of(value, list(Strategy)))


def _selector(value: Plain) -> Selector:
    entry = as_mapping(value, (*_EXCLUDE, "strategy"))
    return Selector(
        kind=one_of(entry["kind"], HANDLED_KINDS) if "kind" in entry else None,
        name=as_text(entry.get("name", "*")),
        namespace=as_text(entry["namespace"]) if "namespace" in entry else None,
        labels=as_texts(entry.get("labels", {})),
        annotations=as_texts(entry.get("annotations", {})),
        strategy=_strategy(entry["strategy"]) if "strategy" in entry else None,
    )


def _references(value: Plain) -> tuple[FieldSpec, ...]:
    """Read a nameReference list, or a kustomize configuration file that contains one."""
    entries, field = value, "spec.references"
    if isinstance(value, dict):
        entries, field = value.get("nameReference", []), f"{field}.nameReference"
    return tuple(
        spec
        for position, entry in enumerate(as_list(entries))
        for spec in _field_specs(as_mapping(entry), f"{field}[{position}].fieldSpecs")
    )


def _field_specs(entry: dict[str, Plain], field: str) -> list[FieldSpec]:
    target = as_text(entry.get("kind"))
    as_text(entry.get("group", ""))
    as_text(entry.get("version", ""))
    specs = [
        _field_spec(target, as_mapping(spec), f"{field}[{position}]")
        for position, spec in enumerate(as_list(entry.get("fieldSpecs")))
    ]
    return specs if target in CONFIG_KINDS else []


def _field_spec(target: str, spec: dict[str, Plain], field: str) -> FieldSpec:
    return FieldSpec(
        target=target,
        group=as_text(spec.get("group", "")),
        version=as_text(spec.get("version", "")),
        kind=as_text(spec.get("kind", "")),
        path=_path(as_filled_text(spec.get("path"))),
        entry=field,
    )


def _path(path: str) -> str:
    """Refuse a path whose first name has a dot: no top-level field has one, so slashes were meant."""
    return path if re.match(_PATH, path) else refuse()


def _checksums(value: dict[str, Plain]) -> ChecksumSettings:
    default = _DEFAULTS.checksums
    annotation = as_text(value["annotation"]) if "annotation" in value else default.annotation
    is_key = annotation == default.annotation or re.fullmatch(_ANNOTATION, annotation)
    controllers = as_list(value["controllers"]) if "controllers" in value else default.controllers
    return ChecksumSettings(
        annotation=annotation if is_key else refuse(),
        controllers=tuple(dict.fromkeys(one_of(name, CONTROLLERS) for name in controllers)),
    )


def _mounts(value: Plain) -> tuple[Mount, ...]:

    return tuple(map(build_mount, as_list(value)))


def _linker(value: Plain) -> LinkerSettings:
    spec = as_mapping(value, _LINKER)
    return LinkerSettings(
        enabled=as_boolean(spec.get("enabled", True)),
        secrets=as_boolean(spec.get("secrets", True)),
        kinds=tuple(map(_kind, as_list(spec.get("kinds", [])))),
        image=as_filled_text(spec["image"]) if "image" in spec else None,
        namespace=as_filled_text(spec["namespace"]) if "namespace" in spec else None,
        timeout_seconds=as_number(spec.get("timeoutSeconds", _DEFAULTS.linker.timeout_seconds), minimum=1),
        minimum_age_seconds=as_number(spec.get("minimumAgeSeconds", _DEFAULTS.linker.minimum_age_seconds), minimum=0),
        ttl_seconds_after_finished=as_number(spec["ttlSecondsAfterFinished"], minimum=0)
        if "ttlSecondsAfterFinished" in spec
        else None,
        service_account_name=as_filled_text(spec["serviceAccountName"]) if "serviceAccountName" in spec else None,
        openshift=as_boolean(spec.get("openshift", False)),
        resources=_resources(spec["resources"]) if "resources" in spec else _DEFAULTS.linker.resources,
        node_selector=as_texts(spec.get("nodeSelector", {})),
        tolerations=tuple(map(_toleration, as_list(spec.get("tolerations", [])))),
        image_pull_secrets=tuple(map(_named, as_list(spec.get("imagePullSecrets", [])))),
        labels=_pod_texts(spec.get("labels", {})),
        annotations=_pod_texts(spec.get("annotations", {})),
    )


def _kind(value: Plain) -> str:
    text = as_text(value)
    return text if re.fullmatch(_KIND, text) else refuse()


def _pod_texts(value: Plain) -> dict[str, str]:
    """Read labels or annotations. Refuse those that make the Job a hook, add a sidecar, or that this function sets."""
    found = as_texts(value)
    if any(re.match(_RESERVED, name) or text != _NO_SIDECAR.get(name, text) for name, text in found.items()):
        refuse()
    return found


def _resources(value: Plain) -> Mapping[str, NewValue]:
    return {name: _quantities(amounts) for name, amounts in as_mapping(value, ("requests", "limits")).items()}


def _quantities(value: Plain) -> Mapping[str, NewValue]:
    return {name: _quantity(amount) for name, amount in as_mapping(value).items()}


def _quantity(value: Plain) -> str | int:
    return value if isinstance(value, str) else as_number(value)


def _toleration(value: Plain) -> Mapping[str, NewValue]:
    found = as_mapping(value, _TOLERATION)
    return {name: _TOLERATION[name](field) for name, field in found.items()}


_TOLERATION: dict[str, Callable[[Plain], str | int]] = {
    "key": as_text,
    "operator": lambda value: one_of(value, _OPERATORS),
    "value": as_text,
    "effect": lambda value: one_of(value, _EFFECTS),
    "tolerationSeconds": as_number,
}


def _named(value: Plain) -> Mapping[str, NewValue]:
    entry = as_mapping(value, ("name",))
    return {"name": as_filled_text(entry.get("name"))} if "name" in entry else refuse()


_SOURCES = {"configMap": "ConfigMap", "secret": "Secret"}
_SOURCE = (*_SOURCES, "items", "optional")
_WORKLOAD = ("kind", "name", "namespace", "labels", "containers", "initContainers")
_IN_VOLUME = ("path", "subPath", "defaultMode")
_IN_ENVIRONMENT = ("envFrom", "prefix")
_HIGHEST_MODE = 0o777
_MOUNT_PATH = re.compile(r"/[^:]*")
_PREFIX = re.compile(r"[^=]+")


def build_mount(value: Plain) -> Mount:
    """Build a mount from a plain value. Raises Invalid exactly where the schema does not allow it."""
    how = _IN_ENVIRONMENT if "envFrom" in as_mapping(value) else _IN_VOLUME
    entry = as_mapping(value, (*_WORKLOAD, *how, "projected", *_SOURCE))
    projected = "projected" in entry
    if how is _IN_ENVIRONMENT and (entry["envFrom"] is not True or projected or "items" in entry):
        refuse()
    if projected and not entry.keys().isdisjoint(_SOURCE):
        refuse()
    return Mount(
        kind=as_filled_text(entry["kind"]) if "kind" in entry else None,
        name=as_text(entry.get("name", "*")),
        namespace=as_text(entry["namespace"]) if "namespace" in entry else None,
        labels=as_texts(entry.get("labels", {})),
        containers=tuple(map(as_filled_text, as_list(entry.get("containers", ["*"])))),
        init_containers=tuple(map(as_filled_text, as_list(entry.get("initContainers", [])))),
        sources=tuple(map(_projected_source, as_filled_list(entry["projected"]))) if projected else (_source(entry),),
        projected=projected,
        path=_matching(_MOUNT_PATH, entry.get("path")) if how is _IN_VOLUME else "",
        sub_path=as_filled_text(entry["subPath"]) if "subPath" in entry else "",
        default_mode=_mode(entry.get("defaultMode")),
        prefix=_matching(_PREFIX, entry["prefix"]) if "prefix" in entry else "",
    )


def _projected_source(value: Plain) -> MountSource:
    """Read the name of a ConfigMap, or a mapping with the same fields as outside of `projected`."""
    return _source(as_mapping(value, _SOURCE)) if isinstance(value, dict) else _source({"configMap": value})


def _source(entry: dict[str, Plain]) -> MountSource:
    (field,) = [name for name in _SOURCES if name in entry] if len(_SOURCES.keys() & entry.keys()) == 1 else refuse()
    return MountSource(
        kind=one_of(_SOURCES[field], CONFIG_KINDS),
        name=as_filled_text(entry[field]),
        items=tuple(map(_item, as_filled_list(entry["items"]))) if "items" in entry else (),
        optional=as_boolean(entry.get("optional", False)),
    )


def _item(value: Plain) -> KeyToPath:
    item = as_mapping(value, ("key", "path", "mode"))
    return KeyToPath(
        key=as_filled_text(item.get("key")), path=as_filled_text(item.get("path")), mode=_mode(item.get("mode"))
    )


def _mode(value: Plain) -> int | None:
    return None if value is None else as_number(value, minimum=0, maximum=_HIGHEST_MODE)


def _matching(pattern: re.Pattern[str], value: Plain) -> str:
    text = as_text(value)
    return text if pattern.fullmatch(text) else refuse()
