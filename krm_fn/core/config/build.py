"""Read the functionConfig into Settings. Raises Invalid for what the JSON Schema does not allow.

Each mapping of a configuration is a table of its fields, and what reads the value of each. A field
is the attribute of the same name in snake case. Where it is missing, the default of the attribute
holds.

A valid configuration is read without a validator of the JSON Schema: to load one takes longer than
all other work on a small package. The schema explains what is invalid, and a test proves that both
agree on what is valid.

A platform may pin settings of the linker by variables of the environment, so that no package can
choose them.

The values of a ConfigMap are raw text: those of a Kptfile may be without quotes, and `yes` is three
letters here, not a boolean. The schema says which of them are numbers or lists.
"""

import re
from collections.abc import Callable, Collection, Iterator
from collections.abc import Mapping as Dict
from functools import cache
from typing import Any, TypeAlias

from krm_fn.base.item import CONFIG_KINDS, read_item
from krm_fn.base.keys import DECLARES_FUNCTION, SET_NAME
from krm_fn.base.kind import PROTECTIONS
from krm_fn.base.link_plan import REVISION_KINDS
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    Node,
    Plain,
    describe,
    elements,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    plain_value,
    spell,
    text,
)
from krm_fn.base.problem import Problem, Rejected, ResourceId, at, read_list
from krm_fn.base.settings import (
    API_VERSION,
    CONTROLLERS,
    DEFAULT_SET,
    EXPECTED_IMAGE,
    KIND,
    KPT_NAME,
    NO_ENVIRONMENT,
    NO_SET,
    NO_SIDECAR_ANNOTATIONS,
    NO_SIDECAR_LABELS,
    ChecksumSettings,
    Environment,
    FieldSpec,
    Hooks,
    Jobs,
    KeyToPath,
    LinkerRun,
    LinkerSettings,
    Mount,
    MountSource,
    Selector,
    Settings,
    Strategy,
    is_image,
)
from krm_fn.base.suggest import suggest
from krm_fn.core.config.plain import (
    Invalid,
    as_boolean,
    as_filled_list,
    as_filled_text,
    as_list,
    as_mapping,
    as_number,
    as_text,
    as_texts,
    list_settings,
    one_of,
    place_setting,
    refuse,
)
from krm_fn.core.yaml.yaml import read_yaml

_Read: TypeAlias = Callable[[Plain], Any]
_Table: TypeAlias = Dict[str, _Read]

# Texts: `re` compiles them for the configurations that have such a field.
_ANNOTATION = (
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
)
_KIND = r"([a-z0-9][-a-z0-9.]*/)?[a-z][-a-z0-9]*/[A-Z][A-Za-z0-9]*"
_FIELD_PATH = "/?[^/.]*(/|$)"
"""How one begins. The first name has no dot: no field at the top of an object has one, so slashes were meant."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def _in_any_case(word: str) -> str:
    """Return a pattern of a word in letters of any case: JSON Schema has no flag for that."""
    return "".join(f"[{letter}{letter.upper()}]" for letter in word)


_CRON = (
    "0*[1-5]?[0-9]",
    "0*(1?[0-9]|2[0-3])",
    "0*([1-9]|[12][0-9]|3[01])",
    f"(0*([1-9]|1[0-2])|{'|'.join(map(_in_any_case, _MONTHS))})",
    f"(0*[0-6]|{'|'.join(map(_in_any_case, _DAYS))})",
)
"""The values of each field of a schedule, as robfig/cron reads them for Kubernetes (spec.go, parser.go).

Numbers may begin with zeros, and names are in letters of any case.
"""

_HASHED = ("H(/0*([1-9]|[1-5][0-9]))?", "H(/0*([1-9]|1[0-9]|2[0-3]))?")
"""What the minute and the hour may be instead: `spread_schedule` makes a plain value of it.

No day: a hashed one would put weeks between the runs of two sets, and not every month has a 31st.
And it is the whole field: whoever writes a list or a range chooses the values himself.
"""


def _cron_field(value: str, hashed: str = "") -> str:
    one = f"([*?]|{value}(-{value})?)(/0*[1-9][0-9]*)?"
    some = f"{one}(,{one})*"
    return f"({hashed}|{some})" if hashed else some


_CRON_FIELDS = " +".join(map(_cron_field, _CRON, (*_HASHED, "", "", "")))
SCHEDULE = f"(@(hourly|daily|weekly|monthly|yearly)|{_CRON_FIELDS})?"
"""What the API server accepts and Kubernetes documents, less a time zone, and `H`; or nothing."""

_RESERVED = r"(helm\.sh|argocd\.argoproj\.io)/hook|argocd\.argoproj\.io/sync-wave|([^/]*\.)?revisions\.krm-fn\.io/"
_NO_SIDECAR = NO_SIDECAR_LABELS | NO_SIDECAR_ANNOTATIONS
_HIGHEST_MODE = 0o777


def build_settings(config: Plain) -> Settings:
    """Build the settings of a configuration.

    Raises Invalid exactly where the schema does not allow it.
    """
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
    return {_attribute_of(name): read for name, read in _fields(value, table, required).items()}


def _attribute_of(field: str) -> str:
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
    *(
        "nameReference",
        "namePrefix",
        "nameSuffix",
        "namespace",
        "commonLabels",
        "labels",
        "templateLabels",
    ),
    *("commonAnnotations", "varReference", "images", "replicas"),
)
"""The fields of a kustomize configuration file (api/internal/plugins/builtinconfig/transformerconfig.go)."""


def _references(value: Plain) -> tuple[FieldSpec, ...]:
    """Read a nameReference list, or a kustomize configuration file that contains one."""
    entries, field = value, "spec.references"
    if isinstance(value, dict):
        entries, field = (
            as_mapping(value, _KUSTOMIZES).get("nameReference", []),
            f"{field}.nameReference",
        )
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
    # A kustomize configuration file also says where it finds Services and the like. They are
    # checked, and have no use.
    return specs if referrers["kind"] in CONFIG_KINDS else []


_CHECKSUMS: _Table = {
    "annotation": _matching(_ANNOTATION),
    "controllers": lambda value: tuple(dict.fromkeys(map(_any_of(CONTROLLERS), as_list(value)))),
}

_KEY_TO_PATH: _Table = {
    "key": as_filled_text,
    "path": as_filled_text,
    "mode": _number(0, _HIGHEST_MODE),
}
_SOURCES = {"configMap": "ConfigMap", "secret": "Secret"}
_SOURCE: _Table = {
    **dict.fromkeys(_SOURCES, as_filled_text),
    "items": _at_least_one(
        lambda value: KeyToPath(**_attributes(value, _KEY_TO_PATH, ("key", "path")))
    ),
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


def _build_mount(value: Plain) -> Mount:
    """Build a mount from a plain value.

    Raises Invalid exactly where the schema does not allow it.
    """
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
        sources=_at_least_one(_projected_source)(projected)
        if is_projected
        else (_source(sources),),
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
    """Read labels or annotations.

    Refuse those that make the Job a hook, add a sidecar, or that this function sets.
    """
    found = as_texts(value)
    for name, said in found.items():
        if re.match(_RESERVED, name) or said != _NO_SIDECAR.get(name, said):
            refuse()
    return found


_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_EXTENDED = "^hugepages-|/"


def _quantities(value: Plain) -> dict[str, str | int]:
    amounts = as_mapping(value)
    if any(name not in _RESOURCES and not re.search(_EXTENDED, name) for name in amounts):
        refuse()
    return {
        name: amount if isinstance(amount, str) else as_number(amount)
        for name, amount in amounts.items()
    }


_TOLERATION: _Table = {
    "key": as_text,
    "operator": _any_of(("Exists", "Equal")),
    "value": as_text,
    "effect": _any_of(("NoSchedule", "PreferNoSchedule", "NoExecute")),
    "tolerationSeconds": as_number,
}
_LINKER: _Table = {
    "enabled": as_boolean,
    "run": lambda value: LinkerRun(one_of(value, list(LinkerRun))),
    "secrets": as_boolean,
    "kinds": _each(_matching(_KIND)),
    "image": as_filled_text,
    "namespace": as_filled_text,
    "timeoutSeconds": _number(1),
    "minimumAgeSeconds": _number(0),
    "schedule": _matching(SCHEDULE),
    "ttlSecondsAfterFinished": _number(0),
    "serviceAccountName": as_filled_text,
    "secretsRole": as_boolean,
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
    "mounts": _each(_build_mount),
    "jobs": lambda value: Jobs(one_of(value, list(Jobs))),
    "hooks": lambda value: Hooks(one_of(value, list(Hooks))),
    "leave": as_boolean,
    "strict": as_boolean,
    "linker": lambda value: LinkerSettings(**_attributes(value, _LINKER)),
}


# Pins. They are variables, as the function has no command line (decision 24).
_PREFIX = "KRM_FN_LINKER_"


class _PinnedField(NamedTuple):
    """A field of `spec.linker`, and what a pin of it must be. Text is taken as it is."""

    name: str
    expected: str
    is_text: bool = True

    @property
    def attribute(self) -> str:
        return _attribute_of(self.name)


_IMAGE = _PinnedField("image", f"the name of an image: {EXPECTED_IMAGE}")

PINNABLE = {
    "--linker-image": _IMAGE,
    f"{_PREFIX}IMAGE": _IMAGE,
    f"{_PREFIX}SERVICE_ACCOUNT_NAME": _PinnedField(
        "serviceAccountName", "the name of a ServiceAccount"
    ),
    f"{_PREFIX}NODE_SELECTOR": _PinnedField(
        "nodeSelector", "a mapping of labels in YAML or JSON, as in a pod spec", is_text=False
    ),
    f"{_PREFIX}TOLERATIONS": _PinnedField(
        "tolerations", "a list of tolerations in YAML or JSON, as in a pod spec", is_text=False
    ),
}
"""By who pins it: an option of `krm-fn render`, or a variable."""


class _Pin(NamedTuple):
    """A pinned value of Linker, and the variable or option that pins it."""

    by: str
    field: _PinnedField
    value: Any


def find_pins(variables: Dict[str, str], image: str | None = None) -> dict[str, str]:
    """Return the pins of a platform: its variables, and the option for the image, which wins.

    An empty variable counts as not set.
    """
    pins = {name: value for name, value in variables.items() if name.startswith(_PREFIX) and value}
    if image is None:
        return pins
    return {
        **{name: value for name, value in pins.items() if PINNABLE.get(name) != _IMAGE},
        "--linker-image": image,
    }


def _pin_linker(
    settings: Settings, pins: Dict[str, str], node: Node | None, who: ResourceId | None
) -> Settings:
    """Set the pinned values.

    Raises Rejected where the configuration says otherwise, and for a pin that is not valid.
    """
    if not pins:
        return settings
    pinned = list(_read_all(pins))
    problems = [
        _disagreement(pin, settings.linker, node, who)
        for pin in pinned
        # What is not set, or empty, leaves the choice to the platform.
        if getattr(settings.linker, pin.field.attribute) not in (pin.value, None, (), {})
    ]
    if problems:
        raise Rejected(*problems)
    return settings._replace(
        linker=settings.linker._replace(**{pin.field.attribute: pin.value for pin in pinned})
    )


def _read_all(pins: Dict[str, str]) -> Iterator[_Pin]:
    problems = []
    for by, raw in pins.items():
        field = PINNABLE.get(by)
        if field is None:
            problems.append(_unknown(by))
            continue
        try:
            yield _Pin(by, field, _read(field, raw))
        except (Invalid, Rejected):  # the line of a YAML error would be one of the variable
            problems.append(Problem(f"{by}: expected {field.expected}"))
    if problems:
        raise Rejected(*problems)


def _read(field: _PinnedField, raw: str) -> Any:
    """Read a pin as the same field of a configuration is read."""
    value: Plain = raw
    if not field.is_text:
        roots = read_yaml(raw.encode()).roots
        value = plain_value(roots[0]) if len(roots) == 1 else None
    config: Plain = {"metadata": {"name": "pinned"}, "spec": {"linker": {field.name: value}}}
    read = getattr(build_settings(config).linker, field.attribute)
    return refuse() if field is _IMAGE and not is_image(read) else read


def _disagreement(
    pin: _Pin, linker: LinkerSettings, node: Node | None, who: ResourceId | None
) -> Problem:
    own = getattr(linker, pin.field.attribute)
    what = f"differs from {pin.by}"
    if pin.field.is_text:
        what = f'found "{own}", but {pin.by} pins "{pin.value}"'
    message = f"{what}, which no package may change; remove the field"
    path = ("spec", "linker", pin.field.name)
    if node and who:
        return place_setting(path, node, who, message)
    return Problem(message, field=spell(path))


def _unknown(name: str) -> Problem:
    known = [one.removeprefix(_PREFIX) for one in PINNABLE if one.startswith(_PREFIX)]
    hint = suggest(name.removeprefix(_PREFIX), known)
    return Problem(f"{name}: pins nothing{hint}, each after {_PREFIX}")


# The whole functionConfig.


def parse_config(node: Node | None, environment: Environment = NO_ENVIRONMENT) -> Settings:
    """Return the settings; all defaults without a configuration.

    Raises Rejected with every problem.

    The environment names the set where the configuration does not. Its pins win over all defaults,
    and the configuration may not say otherwise.
    """
    unnamed = _unnamed_settings(environment.set)
    if node is None:
        return _pin_linker(unnamed, environment.pins, None, None)
    if not is_mapping(node):
        raise Rejected(
            at(node.start_mark, f"functionConfig: expected a {KIND}, found {describe(node)}")
        )
    who = read_item(node).id
    if (who.api_version, who.kind) == ("v1", "ConfigMap"):
        read = _read_config_map(node, who)
        is_named = "metadata" in read
        config: Plain = {
            "apiVersion": API_VERSION,
            "kind": KIND,
            "metadata": {"name": unnamed.set},
            **read,
        }
    elif (who.api_version, who.kind) == (API_VERSION, KIND):
        is_named = True
        config = _with_name(plain_value(node), environment.set)
    else:
        found = f"{who.api_version or 'no apiVersion'} {who.kind or 'no kind'}"
        raise Rejected(
            at(
                node.start_mark,
                f"functionConfig: found {found}, allowed: {API_VERSION} {KIND}, v1 ConfigMap",
            )
        )
    settings = _settings(config, node, who)
    _check_image(settings.linker.image, ("spec", "linker", "image"), node, who)
    settings = _pin_linker(settings, environment.pins, node, who)
    if not is_named:
        taken_over = (*settings.take_over, *unnamed.take_over)
        settings = settings._replace(is_named=unnamed.is_named, take_over=taken_over)
    if settings.linker.image is None:
        annotation, image = _own_image(node)
        _check_image(image, ("metadata", "annotations", annotation), node, who)
        settings = settings._replace(linker=settings.linker._replace(image=image))
    return settings


def _with_name(config: Plain, name: str) -> Plain:
    """Name a configuration without a name as somebody has passed it: one file may be for many packages."""
    metadata = config.get("metadata", {}) if isinstance(config, dict) else None
    if not name or not isinstance(config, dict) or not isinstance(metadata, dict):
        return config
    return {**config, "metadata": {"name": name, **metadata}}


def _unnamed_settings(default_set: str) -> Settings:
    """Return the settings of a package that names no set.

    The objects that an earlier run called by the common name are its own.
    """
    if default_set:
        return Settings(set=default_set, take_over=(DEFAULT_SET,))
    return Settings(is_named=False)


def _check_image(image: str | None, path: tuple[str, ...], node: Node, who: ResourceId) -> None:
    # What substitutes `${VARIABLES}` does so after the function, and in the Job as well.
    if image is not None and "${" not in image and not is_image(image):
        raise Rejected(
            place_setting(
                path,
                node,
                who,
                f'found "{image}", which no registry accepts: expected {EXPECTED_IMAGE}',
            )
        )


def _own_image(node: Node) -> tuple[str, str | None]:
    """Return the annotation with which kustomize runs this function, and the image in it."""
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
    problems = _stray_kinds(node, "select", settings, who) + _stray_kinds(
        node, "exclude", settings, who
    )
    if settings.set == NO_SET:
        problems.append(place_setting(("metadata", "name"), node, who, _NO_SET))
    for message in _backward_ranges(settings.linker.schedule or ""):
        problems.append(place_setting(("spec", "linker", "schedule"), node, who, message))
    for field in _without_effect(settings.linker):
        problems.append(place_setting(("spec", "linker", field), node, who, _SHARED))
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


_NO_SET = (
    "is no set: each package that shares this file names its own; take out the entry that lists it in the package, "
    "and run krm-fn init DIR --share FOLDER"
)

_OF_JOB = (
    *("image", "timeoutSeconds", "minimumAgeSeconds", "schedule", "ttlSecondsAfterFinished"),
    *("resources", "nodeSelector", "tolerations", "imagePullSecrets", "annotations"),
)
"""The fields of `spec.linker` that say what the Job or its pod is like."""

_SHARED = "has no effect with run: shared: the CronJob of the namespace says it; remove the field"


def _without_effect(linker: LinkerSettings) -> Iterator[str]:
    """Yield what is said of a Job where none is emitted. Who writes it believes that it counts."""
    if linker.is_shared:
        by_default = LinkerSettings()
        for field in _OF_JOB:
            attribute = _attribute_of(field)
            if getattr(linker, attribute) != getattr(by_default, attribute):
                yield field


_ORDER = {
    **{name: number for number, name in enumerate(_MONTHS, 1)},
    **{name: number for number, name in enumerate(_DAYS)},
}


def _backward_ranges(schedule: str) -> Iterator[str]:
    """Find ranges that the API server refuses, such as those over midnight."""
    for first, last in re.findall(r"\b(\w++)-(\w+)", schedule):
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
def _list_types() -> dict[str, str]:
    """Return the type of each setting that a text can hold."""
    settings = {
        key: field for key, field in list_settings().items() if _type_of(key, field) in _READERS
    }

    def place(key: str) -> tuple[int, str, bool]:
        """Return where a message lists a setting: by type, by group, those with a pattern last."""
        field = settings[key]
        group = key.rpartition(".")[0]
        return (
            [*_READERS].index(_type_of(key, field)),
            group,
            "pattern" in {**field, **field.get("items", {})},
        )

    return {
        "name": "string",
        **{key: _type_of(key, settings[key]) for key in sorted(settings, key=place)},
    }


def _type_of(key: str, field: dict[str, Any]) -> str:
    """Return which reader reads a setting. None reads a mapping, or a list of others than texts."""
    if key in _BY_NAME:
        return "names"
    type_ = "string" if "enum" in field else field.get("type", "")
    return "" if type_ == "array" and _type_of("", field["items"]) != "string" else type_


def _read_config_map(node: Mapping, who: ResourceId) -> dict[str, Plain]:
    """Return the configuration that this ConfigMap means.

    It has no `metadata` where nothing names the set.

    Raises Rejected for unknown settings and wrong values.
    """
    data = get(node, "data")
    if not is_null(data) and not is_mapping(data):
        found = describe(data or node)
        raise Rejected(
            place_setting(("data",), node, who, f"expected a mapping of settings, found {found}")
        )
    messages = {
        key: message for key, value in fields(data).items() if (message := _check(key, value))
    }
    if messages:
        raise Rejected(
            *(place_setting(("data", key), node, who, message) for key, message in messages.items())
        )
    texts = {key: str(value.value) for key, value in fields(data).items() if not is_null(value)}
    name = texts.pop("name", None if who.name in (KPT_NAME, "") else who.name)
    metadata: dict[str, Plain] = {} if name is None else {"metadata": {"name": name}}
    return {
        **metadata,
        "spec": _nest({key: _READERS[_list_types()[key]](text) for key, text in texts.items()}),
    }


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
    types = _list_types()
    if key not in types:
        return f"unknown setting{suggest(key, types)}"
    if not is_scalar(value):
        return f"expected text, found {describe(value)}"
    if types[key] == "boolean" and not is_null(value) and value.value.lower() not in _WORDS:
        return f"found {value.value!r}, allowed: {', '.join(_WORDS)}"
    if types[key] == "integer" and not is_null(value) and not value.value.isdecimal():
        return f"found {value.value!r}, expected a whole number"
    return ""
