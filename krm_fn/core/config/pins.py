"""What a platform pins of the linker, so that no package can choose it: variables of the environment."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from krm_fn.base.node import Node, spell
from krm_fn.base.problem import Problem, Rejected, ResourceId
from krm_fn.base.settings import LinkerSettings, Settings
from krm_fn.core.config.build import attribute_of, build_settings
from krm_fn.core.config.plain import Invalid, Plain, place_setting, plain_value, refuse
from krm_fn.core.names.names import EXPECTED_IMAGE, is_image
from krm_fn.core.names.suggest import suggest
from krm_fn.core.yaml.reader import read_yaml

# Variables, as the function has no command line (decision 24).
_PREFIX = "KRM_FN_LINKER_"


class _PinnedField(NamedTuple):
    """A field of `spec.linker`, and what a pin of it must be. Text is taken as it is."""

    name: str
    expected: str
    is_text: bool = True

    @property
    def attribute(self) -> str:
        return attribute_of(self.name)


_IMAGE = _PinnedField("image", f"the name of an image: {EXPECTED_IMAGE}")

PINNABLE = {
    "--linker-image": _IMAGE,
    f"{_PREFIX}IMAGE": _IMAGE,
    f"{_PREFIX}SERVICE_ACCOUNT_NAME": _PinnedField("serviceAccountName", "the name of a ServiceAccount"),
    f"{_PREFIX}NODE_SELECTOR": _PinnedField(
        "nodeSelector", "a mapping of labels in YAML or JSON, as in a pod spec", is_text=False
    ),
    f"{_PREFIX}TOLERATIONS": _PinnedField(
        "tolerations", "a list of tolerations in YAML or JSON, as in a pod spec", is_text=False
    ),
}
"""By who pins it: an option of `krm-fn render`, or a variable."""


class _Pin(NamedTuple):
    """What is pinned, by whom, as a value of Linker."""

    by: str
    field: _PinnedField
    value: Any


def find_pins(variables: Mapping[str, str], image: str | None = None) -> dict[str, str]:
    """Return who pins what: the variables that do, or were meant to, and the option for the image, which wins.

    An empty variable counts as not set.
    """
    pins = {name: value for name, value in variables.items() if name.startswith(_PREFIX) and value}
    if image is None:
        return pins
    return {**{name: value for name, value in pins.items() if PINNABLE.get(name) != _IMAGE}, "--linker-image": image}


def pin_linker(settings: Settings, pins: Mapping[str, str], node: Node | None, who: ResourceId | None) -> Settings:
    """Set what is pinned. Raises Rejected where the configuration says otherwise, and for a pin that is not valid."""
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
    return settings._replace(linker=settings.linker._replace(**{pin.field.attribute: pin.value for pin in pinned}))


def _read_all(pins: Mapping[str, str]) -> Iterator[_Pin]:
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


def _disagreement(pin: _Pin, linker: LinkerSettings, node: Node | None, who: ResourceId | None) -> Problem:
    own = getattr(linker, pin.field.attribute)
    what = f'found "{own}", but {pin.by} pins "{pin.value}"' if pin.field.is_text else f"differs from {pin.by}"
    message = f"{what}, which no package may change; remove the field"
    path = ("spec", "linker", pin.field.name)
    return place_setting(path, node, who, message) if node and who else Problem(message, field=spell(path))


def _unknown(name: str) -> Problem:
    known = [one.removeprefix(_PREFIX) for one in PINNABLE if one.startswith(_PREFIX)]
    hint = suggest(name.removeprefix(_PREFIX), known)
    return Problem(f"{name}: pins nothing{hint}, each after {_PREFIX}")
