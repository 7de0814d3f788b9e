"""Find variables and placeholders in an object that others substitute after this function.

The content then changes under one name.

Flux substitutes as its packages `kustomize` (`SubstituteVariables`: the text of each object, keys
too, unless a label or annotation forbids it) and `envsubst` (`parse.go` and `scan.go`) say: `${VAR}`
with an operator or without, `$VAR` never, and `$$` is a dollar sign. A text that it cannot parse
fails the build.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, cached_property

from krm_fn.base import keys
from krm_fn.base.item import Item, data_keys, is_of_chart, is_revision
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.node import (
    Node,
    elements,
    entries,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
    step,
    text,
    unread_text,
)
from krm_fn.base.pods import find_containers
from krm_fn.base.reference import ResolvedReference
from krm_fn.base.settings import KPTFILE, Strategy, matcher
from krm_fn.core.decide.run import Answer, Package
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.references.references import References
from krm_fn.facts.annotations import OF_DASHBOARD, OWN_VARIABLES, REPLACED

SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
"""With the value `disabled`, this label or annotation keeps Flux from substituting variables in an object."""

VARIABLE = "variable"
"""The code of the guard. `lint` asks it about what is renamed."""

_SUBSTITUTES = "flux"
# It begins with the dollar: in a long text, a look behind each place takes longer than all else.
_VARIABLE = r"(\$(?<!\$\$)\$*+)\{(?:#?([A-Za-z_][A-Za-z0-9_]*)(?=\}|:[-=?+]|:\s*-?[0-9]|[=,^/#%]))?"
# A script sets it: `name=` with anything but `${name...}` as its value, or `for name in`.
_SETS = r"""\b(?:(?P<set>\w+)=(?!["']?\$\{(?P=set)\b)|for (?P<each>\w+) in\b)"""
# A dashboard of Grafana, and a configuration of Log4j or Logback, name their own variables.
_NAMES_IN_DASHBOARD = r'"name"\s*:\s*"(\w+)"'
_NAMES_IN_XML = r"""<[pP]roperty\s+name=["'](\w+)["']"""
# A script of k6 or Jenkins declares its own, and a configuration of Apache's httpd defines them.
_DECLARES = r"(?m)\b(?:const|let|var|def)\s+(\w+)\s*=|^[ \t]*Define[ \t]+(\w+)\s+\S"

# Quick signs that these two find something. The first begins with `=`: the text is read backwards.
_MAY_SET, _LOOPS = r"=\s*(\w+)", r"for \w+ in\b"

_IN_BRACES = r"\$\{[^}]*\}?"

_KEYS_OF = {"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}
_ALL_OF = {"ConfigMap": "configMapRef", "Secret": "secretRef"}
"""Fields of a container with one variable from an object, and with all of them."""

_IN_EACH_CONTAINER = r"HOME|HOSTNAME|PATH|PWD|KUBERNETES_(?:PORT|SERVICE)_?\w*"
"""Variables that the kubelet, the container runtime and shells set.

Source of the last: kubernetes/kubernetes, pkg/kubelet/envvars/envvars.go.
"""

_FLUX_GROUP = ".toolkit.fluxcd.io"
_ARGO_CD = frozenset({"Application", "ApplicationSet", "AppProject"})
_ARGO_CD_MARK = "argocd.argoproj.io/"

_CONTENT = ("data", "stringData", "binaryData", "spec", "parameters", "secretObjects", "type")
"""Fields whose values the API server does not let change, or that decide what a controller generates."""

_NEVER = (
    "host|hosts|hostname|hostnames|dnsNames|externalName|loadBalancerIP|loadBalancerClass|"
    "runAsUser|runAsGroup|fsGroup|supplementalGroups|replicas|minReplicas|maxReplicas|"
    "storage|storageClassName|ingressClassName|clusterIP|nodePort|schedule|timeZone"
)
_NEVER_EXPANDED = frozenset(_NEVER.split("|"))
"""Fields that no program expands a variable in: one that has some is a sign that something substitutes it before."""

_REMEDY = (
    f"annotate it with {SUBSTITUTE}: disabled to rename it with the variable as it is, or with {keys.STRATEGY}: "
    f"{Strategy.IGNORE} to accept this"
)

_PLACEHOLDER = r"\$[({]|\{\{|<\S|__|%\w+%|@\w+@|\w\+\w+://|\bENC\["
"""Placeholders that tools replace later: Flux, Helm, Argo CD's Vault plugin, vals, SOPS, and scripts."""


def is_placeholder(text: str) -> bool:
    """Tell whether something may still replace a part of a text."""
    return re.search(_PLACEHOLDER, text) is not None


class Variables:
    """The variables of a package. `deployers`: those of the configuration."""

    def __init__(
        self, package: Package, references: References, deployers: Collection[str]
    ) -> None:
        self._package = package
        self._references = references
        self._deployers = frozenset(deployers)
        self.about = cache(self._about)  # a hint and a warning ask

    def _about(self, item: Item) -> Answer | None:
        """Say that the content or a reference to an object changes after this function; None where nothing shows it."""
        texts = [*_texts(item)]
        answer = _in_placeholder(item, texts) or self._in_content(item, texts)
        return answer or self._in_reference(item)

    def _in_content(self, item: Item, texts: list[tuple[str, str]]) -> Answer | None:
        content = [] if _is_disabled(item) else [one for one in texts if "${" in one[1]]
        field = next((field for field, text in content if _has_variable(text)), "")
        if not field:
            return None
        if self._sign is not None:
            shown, where = self._sign
            why = f"and {authored_id(shown)} ({where}) shows that variables are substituted after this function"
        elif self._is_substituted and not self._is_for_program(item, [text for _, text in content]):
            why = "which Flux may substitute after this function"
        else:
            return None
        text = f"{field} has a variable (${{...}}), {why}: then the content changes, and the name does not"
        return Answer(text, item, field, remedy=_REMEDY)

    @cached_property
    def _is_substituted(self) -> bool:
        """Whether Flux may apply the package.

        A configuration that names Flux alone is not doubted.
        """
        authored = self._package.authored
        is_doubted = self._deployers != {_SUBSTITUTES} and any(map(_shows_another, authored))
        return _SUBSTITUTES in self._deployers and (
            not is_doubted or any(item.id.group.endswith(_FLUX_GROUP) for item in authored)
        )

    def _is_for_program(self, item: Item, content: Collection[str]) -> bool:
        """Tell whether the variables of an object are the program's, by its origin, its text, or the pods' own."""
        # No chart is for the variables of one cluster; and who let kustomize put a hash wants its name.
        has_hash = item.id.name != base_name(item) or NEEDS_HASH_SUFFIX in item.annotations
        named = [{*_variables(value)} for value in content]
        if has_hash or is_of_chart(item) or any(map(_is_not_for_flux, content, named)):
            return True
        variables = {
            one for one in set().union(*named) if not re.fullmatch(_IN_EACH_CONTAINER, one)
        }
        readers = self._references.pod_referrers.get(item, {})
        return bool(readers) and all(
            variables <= self._environment(reader, item) for reader in readers
        )

    def _environment(self, reader: Item, item: Item) -> set[str]:
        """Return the variables that a reader's pods have from elsewhere than the item, as far as the package tells."""
        names: set[str] = set()
        for _, container in find_containers(reader):
            for variable in elements(get(container, "env")):
                sources = [
                    text(get(variable, "valueFrom", field, "name")) for field in _KEYS_OF.values()
                ]
                if item.id.name not in sources and not _has_variable(text(get(variable, "value"))):
                    names.add(text(get(variable, "name")))
            names.update(_names_set_by_scripts(container))
            for source in elements(get(container, "envFrom")):
                names.update(self._names_taken_from(source, reader, item))
        return names

    def _names_taken_from(self, source: Node, reader: Item, item: Item) -> Iterator[str]:
        prefix = text(get(source, "prefix"))
        for kind, field in _ALL_OF.items():
            for one in self._references.index.find(reader, kind, text(get(source, field, "name"))):
                if one is not item and one.is_config:
                    yield from (prefix + key for key in data_keys(one))

    def _in_reference(self, item: Item) -> Answer | None:
        names = {item.id.name, base_name(item)}
        for one, matches in self._open:
            if (
                one.reference.kind == item.id.kind
                and any(map(matches, names))
                and self._is_near(one, item)
            ):
                text = f"{authored_id(one.referrer)} may mean it by the variable in {one.reference.field}"
                return Answer(text, one.referrer, one.reference.field)
        return None

    def _is_near(self, one: ResolvedReference, item: Item) -> bool:
        namespaces = self._package.namespaces_like(one.namespace_meant)
        return namespaces is None or not item.id.namespace or item.id.namespace in namespaces

    @cached_property
    def _open(self) -> list[tuple[ResolvedReference, Callable[[str], object]]]:
        """The references whose name has a variable, and that mean no object of that very name."""
        found: list[tuple[ResolvedReference, Callable[[str], object]]] = []
        for one in self._references.authored:
            name = one.reference.target
            if "${" in name and not one.targets and not _is_disabled(one.referrer):
                found.append((one, matcher("?*".join(re.split(_IN_BRACES, name)))))
        return found

    @cached_property
    def _sign(self) -> tuple[Item, str] | None:
        """The first object and field that has a variable where no program expands one."""
        for item in self._package.authored:
            if item.is_local or _is_disabled(item):
                continue
            for field, name in (
                ("metadata.name", item.id.name),
                ("metadata.namespace", item.id.namespace),
            ):
                if _has_variable(name):
                    return item, field
            field = "" if item.is_config else next(_find_unexpanded(item.node), "")
            if field:
                return item, field
        return None


def _in_placeholder(item: Item, texts: list[tuple[str, str]]) -> Answer | None:
    """Say which text a program replaces by a value from elsewhere."""
    for field, value in texts:
        for program, source, (ignored, ignore), rows in REPLACED:
            if item.annotations.get(ignored) != ignore and _is_replaced(item, value, rows):
                why = f"which {program} replaces after this function"
                said = f"{field} has a placeholder, {why}: then the content changes, and the name does not"
                return Answer(said, item, field, source=source)
    return None


def _is_replaced(item: Item, value: str, rows: Iterable[tuple[str, str, str]]) -> bool:
    return any(
        needed in ("", *item.annotations) and sign in value and re.search(pattern, value)
        for needed, sign, pattern in rows
    )


def _has_variable(text: str) -> bool:
    return any(_variables(text))


def _variables(text: str) -> Iterator[str]:
    """Yield the name of each variable, and "" for what only begins like one."""
    for found in re.finditer(_VARIABLE, text):  # many ask for the first alone
        if len(found[1]) % 2:  # each two of them are one that stays
            yield found[2] or ""


def _is_disabled(item: Item) -> bool:
    return "disabled" in (item.annotations.get(SUBSTITUTE), item.labels.get(SUBSTITUTE))


def _shows_another(item: Item) -> bool:
    """Tell whether somebody wrote this object for Argo CD or kpt.

    A revision has annotations of all deployers.
    """
    is_for_argo = item.id.group == "argoproj.io" and item.id.kind in _ARGO_CD
    is_marked = not is_revision(item) and any(
        name.startswith(_ARGO_CD_MARK) for name in item.annotations
    )
    return is_for_argo or is_marked or item.id.kind == KPTFILE


def _is_not_for_flux(text: str, variables: set[str]) -> bool:
    """Tell whether the author could not use a text with Flux's variables: it would be emptied, or fail the build.

    Examples are a script that sets its variable by itself, a dashboard or a configuration that
    names it or whose program sets it, and text that Flux does not parse, such as `${list[0]}`.
    """
    return "" in variables or not variables.isdisjoint(_names_made_in(text, variables))


def _names_set_by_scripts(container: Node) -> Iterator[str]:
    for field in ("command", "args"):
        for word in elements(get(container, field)):
            script = text(word)
            if "\n" in script:
                yield from _names_set_in(script)


def _names_made_in(text: str, wanted: set[str]) -> Iterator[str]:
    """Yield the names that a text makes, but for those of a script that is known to make no wanted one."""
    if any(word in text for word in OF_DASHBOARD):
        yield from re.findall(_NAMES_IN_DASHBOARD, text)
    if "roperty" in text:
        yield from re.findall(_NAMES_IN_XML, text)
    may_set = any(word[::-1] in wanted for word in re.findall(_MAY_SET, text[::-1]))
    if may_set or re.search(_LOOPS, text) or "Define" in text:
        yield from _names_set_in(text)
        yield from map("".join, re.findall(_DECLARES, text))
    for sign, names in OWN_VARIABLES:
        if not wanted.isdisjoint(names) and re.search(sign, text):
            yield from names


def _names_set_in(script: str) -> Iterator[str]:
    return (found["set"] or found["each"] for found in re.finditer(_SETS, script))


def _texts(item: Item) -> Iterator[tuple[str, str]]:
    """Yield each scalar of the content as it is written, keys included, and its field.

    Base64 has no dollar sign.
    """
    # A stack, as content may be nested deeply; reversed, as the first text of the file is said first.
    stack = [(node, name) for name, node in reversed([*entries(item.node)]) if name in _CONTENT]
    while stack:
        node, field = stack.pop()
        if is_scalar(node):
            yield field, node.value
        elif is_sequence(node):
            stack += [
                (one, f"{field}[{index}]") for index, one in reversed([*enumerate(node.value)])
            ]
        elif is_mapping(node):
            pairs = [*entries(node)]
            yield from ((step(field, name), name) for name, _ in pairs)
            stack += [(value, step(field, name)) for name, value in reversed(pairs)]


def _find_unexpanded(root: Node) -> Iterator[str]:
    stack = [(root, "")]
    while stack:
        node, field = stack.pop()
        if is_sequence(node):
            stack += [(one, f"{field}[{index}]") for index, one in enumerate(node.value)]
            continue
        unread = unread_text(node)
        if unread is not None and "${" not in unread:
            continue
        for name, value in entries(node):
            if is_scalar(value) and name not in _NEVER_EXPANDED:
                continue
            here = step(field, name)
            if name in _NEVER_EXPANDED:
                texts = [
                    (here, value),
                    *((f"{here}[{index}]", one) for index, one in enumerate(elements(value))),
                ]
                yield from (
                    place for place, one in texts if is_scalar(one) and _has_variable(one.value)
                )
            if not is_scalar(value):
                stack.append((value, here))
