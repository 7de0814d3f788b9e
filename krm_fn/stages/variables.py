"""Variables that something substitutes after this function, as Flux's `postBuild` does.

What Flux substitutes is read in its packages `kustomize` (`SubstituteVariables`: the text of each object, keys too,
unless a label or annotation forbids it) and `envsubst` (`parse.go` and `scan.go`): `${VAR}` with an operator or
without, `$VAR` never, and `$$` is a dollar sign. What it cannot parse fails the build.
"""

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.item import Item
from krm_fn.model.node import Node, elements, entries, is_mapping, is_scalar, is_sequence, step
from krm_fn.model.settings import Strategy
from krm_fn.naming.names import authored_id, base_name
from krm_fn.references.reference import ResolvedReference
from krm_fn.references.references import References
from krm_fn.stages.package import Package
from krm_fn.stages.reason import Reason, ReasonCode

SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
"""With the value `disabled`, this label or annotation keeps Flux from substituting variables in an object."""

_FLUX = "flux"

_START = r"(?<!\$)(?:\$\$)*\$\{"
_VARIABLE = re.compile(_START + r"#?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?=\}|:[-=?+]|:\s*-?[0-9]|[=,^/#%])")
_ANY = re.compile(_START)
_SETS = re.compile(r"""\b(?:(?P<set>\w+)=(?!["']?\$\{(?P=set)\b)|for (?P<each>\w+) in\b)""")
_REPLACED = re.compile(r"\$\{[^}]*\}?")

_CONTENT = ("data", "stringData", "binaryData", "spec", "parameters", "secretObjects", "type")
"""Fields whose values the API server does not let change, or that decide what a producer makes."""

_NEVER_EXPANDED = frozenset(
    {
        *("host", "hosts", "hostname", "hostnames", "dnsNames", "externalName", "loadBalancerIP", "loadBalancerClass"),
        *("runAsUser", "runAsGroup", "fsGroup", "supplementalGroups", "replicas", "minReplicas", "maxReplicas"),
        *("storage", "storageClassName", "ingressClassName", "clusterIP", "nodePort", "schedule", "timeZone"),
    }
)
"""Fields that no program expands a variable in: one that has some is a sign that something substitutes it before."""


class _Sign(NamedTuple):
    """A field that shows that variables of the package are substituted."""

    item: Item
    field: str


class Variables:
    """What a package shows of variables. `deployers`: those of the configuration."""

    def __init__(self, package: Package, references: References, deployers: Collection[str]) -> None:
        self._package = package
        self._references = references
        self._has_flux = _FLUX in deployers

    def about(self, item: Item) -> Reason | None:
        """Say that the content or a reference to an object changes after this function; None where nothing shows it."""
        return self._in_content(item) or self._in_reference(item)

    def _in_content(self, item: Item) -> Reason | None:
        field = find_variable(item)
        if not field:
            return None
        if self._sign is not None:
            shown = authored_id(self._sign.item)
            why = f"and {shown} ({self._sign.field}) shows that variables are substituted after this function"
        elif self._has_flux and not _is_for_program(item):
            why = "which Flux may substitute after this function"
        else:
            return None
        text = f"{field} has a variable (${{...}}), {why}: then the content changes, and the name does not"
        return Reason(ReasonCode.VARIABLE, text, item, field, remedy=_REMEDY)

    def _in_reference(self, item: Item) -> Reason | None:
        names = {item.id.name, base_name(item)}
        for one, pattern in self._open:
            if one.reference.kind == item.id.kind and any(map(pattern.fullmatch, names)) and self._is_near(one, item):
                text = f"{authored_id(one.referrer)} may mean it by the variable in {one.reference.field}"
                return Reason(ReasonCode.VARIABLE, text, one.referrer, one.reference.field)
        return None

    def _is_near(self, one: ResolvedReference, item: Item) -> bool:
        named = one.reference.target_namespace
        namespaces = self._package.namespaces_like(one.referrer.id.namespace if named is None else named)
        return namespaces is None or not item.id.namespace or item.id.namespace in namespaces

    @cached_property
    def _open(self) -> list[tuple[ResolvedReference, re.Pattern[str]]]:
        """The references whose name has a variable, and that mean no object of that very name."""
        return [
            (one, re.compile(".+".join(map(re.escape, _REPLACED.split(one.reference.target)))))
            for one in self._references.authored
            if "${" in one.reference.target and not one.targets and not is_disabled(one.referrer)
        ]

    @cached_property
    def _sign(self) -> _Sign | None:
        """The first field that has a variable, and in which no program expands one."""
        for item in self._package.authored:
            if item.is_local or is_disabled(item):
                continue
            for field, text in (("metadata.name", item.id.name), ("metadata.namespace", item.id.namespace)):
                if _VARIABLE.search(text):
                    return _Sign(item, field)
            field = "" if item.is_config else next(_find_unexpanded(item.node, ""), "")
            if field:
                return _Sign(item, field)
        return None


_REMEDY = (
    f"annotate it with {SUBSTITUTE}: disabled to rename it with the variable as it is, or with {keys.STRATEGY}: "
    f"{Strategy.IGNORE} to accept this"
)


def is_disabled(item: Item) -> bool:
    """Tell whether Flux substitutes nothing in an object."""
    return "disabled" in (item.annotations.get(SUBSTITUTE), item.labels.get(SUBSTITUTE))


def find_variable(item: Item) -> str:
    """Return the first field of the content that has a variable of Flux; `""` if none has, or if it stays one."""
    texts = () if is_disabled(item) else _texts(item)
    return next((field for field, text in texts if _VARIABLE.search(text)), "")


def _is_for_program(item: Item) -> bool:
    """Tell whether the author could not use the content with Flux's variables: it would be emptied, or fail the build.

    That is so of a script that sets its variable by itself, and of what Flux does not parse, such as `${list[0]}`.
    """
    for _, text in _texts(item):
        if len(_ANY.findall(text)) > sum(1 for _ in _VARIABLE.finditer(text)):
            return True
        names = {found["name"] for found in _VARIABLE.finditer(text)}
        if any((found["set"] or found["each"]) in names for found in _SETS.finditer(text)):
            return True
    return False


def _texts(item: Item) -> Iterator[tuple[str, str]]:
    """Yield each scalar of the content as it is written, keys included, and its field. Base64 has no dollar sign."""
    for name, node in entries(item.node):
        if name in _CONTENT:
            yield from _scalars(node, name)


def _scalars(node: Node, field: str) -> Iterator[tuple[str, str]]:
    stack = [(node, field)]
    while stack:
        node, field = stack.pop()
        if is_scalar(node):
            yield field, node.value
        elif is_sequence(node):
            stack += [(one, f"{field}[{index}]") for index, one in reversed([*enumerate(node.value)])]
        elif is_mapping(node):
            pairs = [*entries(node)]
            yield from ((step(field, name), name) for name, _ in pairs)
            stack += [(value, step(field, name)) for name, value in reversed(pairs)]


def _find_unexpanded(node: Node, field: str) -> Iterator[str]:
    stack = [(node, field)]
    while stack:
        node, field = stack.pop()
        if is_sequence(node):
            stack += [(one, f"{field}[{index}]") for index, one in enumerate(node.value)]
            continue
        for name, value in entries(node):
            here = step(field, name)
            texts = [(here, value), *((f"{here}[{index}]", one) for index, one in enumerate(elements(value)))]
            if name in _NEVER_EXPANDED:
                yield from (place for place, one in texts if is_scalar(one) and _VARIABLE.search(one.value))
            if not is_scalar(value):
                stack.append((value, here))
