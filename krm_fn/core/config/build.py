"""Settings from plain values, or Invalid: what the JSON Schema says, written by hand.

Each mapping of a configuration is a table of its fields, and what reads the value of each. A field is the attribute of
the same name in snake case. Where it is missing, the default of the attribute holds.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from krm_fn.base.deployer import PROTECTIONS
from krm_fn.base.item import CONFIG_KINDS
from krm_fn.base.link_plan import REVISION_KINDS
from krm_fn.base.settings import (
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
from krm_fn.core.config.plain import (
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
from krm_fn.core.names.names import SET_NAME

_Read: TypeAlias = Callable[[Plain], Any]
_Table: TypeAlias = Mapping[str, _Read]

# Texts: `re` compiles them for the configurations that have such a field.
_ANNOTATION = r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_KIND = r"([a-z0-9][-a-z0-9.]*/)?[a-z][-a-z0-9]*/[A-Z][A-Za-z0-9]*"
_FIELD_PATH = "/?[^/.]*(/|$)"
"""How one begins. The first name has no dot: no field at the top of an object has one, so slashes were meant."""

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_CRON = (
    "[0-5]?[0-9]",
    "([01]?[0-9]|2[0-3])",
    "(0?[1-9]|[12][0-9]|3[01])",
    f"(0?[1-9]|1[0-2]|{'|'.join((*MONTHS, *map(str.upper, MONTHS)))})",
    f"([0-6]|{'|'.join((*DAYS, *map(str.upper, DAYS)))})",
)
"""The values of each field of a schedule, as robfig/cron reads them for Kubernetes (spec.go, parser.go)."""

_HASHED = ("H(/([1-9]|[1-5][0-9]))?", "H(/([1-9]|1[0-9]|2[0-3]))?")
"""What the minute and the hour may be instead: `spread_schedule` makes a plain value of it.

No day: a hashed one would put weeks between the runs of two sets, and not every month has a 31st. And it is the whole
field: whoever writes a list or a range chooses the values himself.
"""


def _cron_field(value: str, hashed: str = "") -> str:
    one = f"([*?]|{value}(-{value})?)(/[1-9][0-9]*)?"
    some = f"{one}(,{one})*"
    return f"({hashed}|{some})" if hashed else some


_CRON_FIELDS = " +".join(map(_cron_field, _CRON, (*_HASHED, "", "", "")))
SCHEDULE = f"(@(hourly|daily|weekly|monthly|yearly)|{_CRON_FIELDS})?"
"""What the API server accepts and Kubernetes documents, less a time zone, and `H`; or nothing."""

_RESERVED = r"(helm\.sh|argocd\.argoproj\.io)/hook|argocd\.argoproj\.io/sync-wave|([^/]*\.)?revisions\.krm-fn\.io/"
_NO_SIDECAR = NO_SIDECAR_LABELS | NO_SIDECAR_ANNOTATIONS
_HIGHEST_MODE = 0o777


def build_settings(config: Plain) -> Settings:
    """Build the settings of a configuration. Raises Invalid exactly where the schema does not allow it."""
    top = as_mapping(config, ("apiVersion", "kind", "metadata", "spec"))
    name = _set_name(as_mapping(top.get("metadata")).get("name"))
    return Settings(set=name, **_attributes(top.get("spec", {}), _SPEC))


def _fields(value: Plain, table: _Table, required: Collection[str] = ()) -> dict[str, Any]:
    """Read a mapping that has these fields only."""
    found = as_mapping(value, table)
    if not found.keys() >= {*required}:
        refuse()
    return {name: table[name](field) for name, field in found.items()}


def _attributes(value: Plain, table: _Table, required: Collection[str] = ()) -> dict[str, Any]:
    return {attribute_of(name): read for name, read in _fields(value, table, required).items()}


def attribute_of(field: str) -> str:
    """Return `timeout_seconds` of `timeoutSeconds`."""
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", field)


def _each(read: _Read) -> _Read:
    return lambda value: tuple(map(read, as_list(value)))


def _at_least_one(read: _Read) -> _Read:
    return lambda value: tuple(map(read, as_filled_list(value)))


def _any_of(allowed: Collection[str]) -> _Read:
    return lambda value: one_of(value, allowed)


def _matching(pattern: str) -> _Read:
    def read(value: Plain) -> str:
        text = as_text(value)
        return text if re.fullmatch(pattern, text) else refuse()

    return read


def _number(minimum: int, maximum: int | None = None) -> _Read:
    return lambda value: as_number(value, minimum, maximum)


def _set_name(value: Plain) -> str:
    name = as_text(value)
    return name if SET_NAME.fullmatch(name) else refuse()


def _strategy(value: Plain) -> Strategy:
    return Strategy(one_of(value, list(Strategy)))


_EXCLUDE: _Table = {
    "kind": _any_of(REVISION_KINDS),
    "name": as_text,
    "namespace": as_text,
    "labels": as_texts,
    "annotations": as_texts,
}
_SELECT: _Table = {**_EXCLUDE, "strategy": _strategy}


def _field_path(value: Plain) -> str:
    path = as_filled_text(value)
    return path if re.match(_FIELD_PATH, path) else refuse()


# kustomize refuses other fields as well: a misspelled `kind` would make a rule for all kinds.
_FIELD_SPEC: _Table = {
    "group": as_text,
    "version": as_text,
    "kind": as_text,
    "path": _field_path,
    "create": as_boolean,
}
_REFERRERS: _Table = {"kind": as_text, "group": as_text, "version": as_text, "fieldSpecs": as_list}
_KUSTOMIZES = (
    *("nameReference", "namePrefix", "nameSuffix", "namespace", "commonLabels", "labels", "templateLabels"),
    *("commonAnnotations", "varReference", "images", "replicas"),
)
"""The fields of a kustomize configuration file (api/internal/plugins/builtinconfig/transformerconfig.go)."""


def _references(value: Plain) -> tuple[FieldSpec, ...]:
    """Read a nameReference list, or a kustomize configuration file that contains one."""
    entries, field = value, "spec.references"
    if isinstance(value, dict):
        entries, field = as_mapping(value, _KUSTOMIZES).get("nameReference", []), f"{field}.nameReference"
    specs: list[FieldSpec] = []
    for position, entry in enumerate(as_list(entries)):
        specs += _field_specs(entry, f"{field}[{position}].fieldSpecs")
    return tuple(specs)


def _field_specs(entry: Plain, field: str) -> list[FieldSpec]:
    referrers = _fields(entry, _REFERRERS, ("kind", "fieldSpecs"))
    specs = []
    for position, one in enumerate(referrers["fieldSpecs"]):
        spec = _fields(one, _FIELD_SPEC, ("path",))
        spec.pop("create", None)
        specs.append(FieldSpec(target=referrers["kind"], entry=f"{field}[{position}]", **spec))
    # A kustomize configuration file also says where it finds Services and the like. They are checked, and have no use.
    return specs if referrers["kind"] in CONFIG_KINDS else []


_CHECKSUMS: _Table = {
    "annotation": _matching(_ANNOTATION),
    "controllers": lambda value: tuple(dict.fromkeys(map(_any_of(CONTROLLERS), as_list(value)))),
}

_KEY_TO_PATH: _Table = {"key": as_filled_text, "path": as_filled_text, "mode": _number(0, _HIGHEST_MODE)}
_SOURCES = {"configMap": "ConfigMap", "secret": "Secret"}
_SOURCE: _Table = {
    **dict.fromkeys(_SOURCES, as_filled_text),
    "items": _at_least_one(lambda value: KeyToPath(**_attributes(value, _KEY_TO_PATH, ("key", "path")))),
    "optional": as_boolean,
}
_WORKLOAD: _Table = {
    "kind": as_filled_text,
    "name": as_text,
    "namespace": as_text,
    "labels": as_texts,
    "containers": _each(as_filled_text),
    "initContainers": _each(as_filled_text),
}
_IN_VOLUME: _Table = {
    "path": _matching("/[^:]*"),
    "subPath": as_filled_text,
    "defaultMode": _number(0, _HIGHEST_MODE),
}
_IN_ENVIRONMENT: _Table = {"prefix": _matching("[^=]+")}


def build_mount(value: Plain) -> Mount:
    """Build a mount from a plain value. Raises Invalid exactly where the schema does not allow it."""
    entry = dict(as_mapping(value))
    sources = {name: entry.pop(name) for name in _SOURCE if name in entry}
    is_projected = "projected" in entry
    projected = entry.pop("projected", None)
    in_environment = "envFrom" in entry
    if in_environment and (entry.pop("envFrom") is not True or is_projected or "items" in sources):
        refuse()
    if is_projected and sources:
        refuse()
    how, required = (_IN_ENVIRONMENT, ()) if in_environment else (_IN_VOLUME, ("path",))
    return Mount(
        sources=_at_least_one(_projected_source)(projected) if is_projected else (_source(sources),),
        projected=is_projected,
        **_attributes(entry, {**_WORKLOAD, **how}, required),
    )


def _projected_source(value: Plain) -> MountSource:
    """Read the name of a ConfigMap, or a mapping with the same fields as outside of `projected`."""
    return _source(value if isinstance(value, dict) else {"configMap": value})


def _source(value: Plain) -> MountSource:
    found = _fields(value, _SOURCE)
    named = [(kind, found.pop(field)) for field, kind in _SOURCES.items() if field in found]
    return MountSource(*named[0], **found) if len(named) == 1 else refuse()


def _pod_texts(value: Plain) -> dict[str, str]:
    """Read labels or annotations. Refuse those that make the Job a hook, add a sidecar, or that this function sets."""
    found = as_texts(value)
    if any(re.match(_RESERVED, name) or text != _NO_SIDECAR.get(name, text) for name, text in found.items()):
        refuse()
    return found


_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_EXTENDED = "^hugepages-|/"


def _quantities(value: Plain) -> dict[str, str | int]:
    amounts = as_mapping(value)
    if any(name not in _RESOURCES and not re.search(_EXTENDED, name) for name in amounts):
        refuse()
    return {name: amount if isinstance(amount, str) else as_number(amount) for name, amount in amounts.items()}


_TOLERATION: _Table = {
    "key": as_text,
    "operator": _any_of(("Exists", "Equal")),
    "value": as_text,
    "effect": _any_of(("NoSchedule", "PreferNoSchedule", "NoExecute")),
    "tolerationSeconds": as_number,
}
_LINKER: _Table = {
    "enabled": as_boolean,
    "secrets": as_boolean,
    "kinds": _each(_matching(_KIND)),
    "image": as_filled_text,
    "namespace": as_filled_text,
    "timeoutSeconds": _number(1),
    "minimumAgeSeconds": _number(0),
    "schedule": _matching(SCHEDULE),
    "ttlSecondsAfterFinished": _number(0),
    "serviceAccountName": as_filled_text,
    "openshift": as_boolean,
    "resources": lambda value: _fields(value, {"requests": _quantities, "limits": _quantities}),
    "nodeSelector": as_texts,
    "tolerations": _each(lambda value: _fields(value, _TOLERATION)),
    "imagePullSecrets": _each(lambda value: _fields(value, {"name": as_filled_text}, ("name",))),
    "labels": _pod_texts,
    "annotations": _pod_texts,
}
_SPEC: _Table = {
    "kinds": lambda value: frozenset(map(_any_of(REVISION_KINDS), as_filled_list(value))),
    "strategy": _strategy,
    "select": _each(lambda value: Selector(**_attributes(value, _SELECT))),
    "exclude": _each(lambda value: Selector(**_attributes(value, _EXCLUDE))),
    "immutable": as_boolean,
    "deployers": _each(_any_of(PROTECTIONS)),
    "references": _references,
    "takeOver": _each(_set_name),
    "checksums": lambda value: ChecksumSettings(**_attributes(value, _CHECKSUMS)),
    "mounts": _each(build_mount),
    "jobs": lambda value: Jobs(one_of(value, list(Jobs))),
    "strict": as_boolean,
    "linker": lambda value: LinkerSettings(**_attributes(value, _LINKER)),
}
