"""Names that programs get on their command line, in a variable or in a file, to look an object up."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import chain, count
from operator import itemgetter
from typing import NamedTuple

from krm_fn.model.item import Item
from krm_fn.model.node import Node, elements, entries, get, is_scalar, step, text
from krm_fn.model.pods import find_containers
from krm_fn.references.data_texts import DataText, data_texts
from krm_fn.references.field_specs import find_at
from krm_fn.references.rule import By, Rule

_CM = r"(?<![a-z])cm(?![a-z])|(?-i:(?<=[a-z])(?:CM|Cm)(?![a-z]))"
"""The short form as a word of its own: `cm-name`, `leaderCM`; not `acme`."""

_SAYS = (
    (rf"(?i)config[-_.]?map|{_CM}", ("ConfigMap",)),
    (r"(?i)secret", ("Secret",)),
    (r"(?i)config(?![-_.]?map)", ("ConfigMap", "Secret")),
)
"""What the name of an option may say, and the kinds of objects that its value may then name.

Few packages have such options: `re` compiles these patterns when the first is found.
"""

_SAYS_CONFIG = re.compile(rf"(?i)config|secret|{_CM}")
"""Whether a text says any of this. Most do not."""

_PIECE = re.compile(r"[^\s,;]+")
_KEY = re.compile(r"(?P<key>[A-Za-z][\w.-]*)[:=](?P<value>.+)")
_VALUE = re.compile(r"(?:(?P<namespace>[a-z0-9][a-z0-9-]*|\$[({][\w.-]+[)}])/)?(?P<name>[a-z0-9][a-z0-9.-]*)")

_RESOURCES = frozenset(("configmap", "configmaps", "cm", "secret", "secrets"))
"""What kubectl calls them."""

_TOKEN = re.compile(r"[\n,;{}\[\]]")
"""What separates settings: the end of a line, and the punctuation of lists and mappings in one line."""

_AROUND = "\"' \t\r-"
"""What may be around a value: quotes, blanks, and the dash of a list."""

_SETTING = re.compile(r"[\s\"'-]*(?P<key>[A-Za-z][\w.-]*)[\"']?\s*[:=](?P<value>.*)")
"""A key and its value in YAML, JSON or properties: `secretName: web`, `"config": "web"`, `config.name=web`."""


_CAMEL_MOUNTS = tuple(
    f"{spec}/traits/mount/{field}" for spec in ("spec", "spec/integration") for field in ("configs", "resources")
)
_NOT_FOLLOWED = Rule(By.SHAPE, "")


class OptionName(NamedTuple):
    """A name in an option, variable or setting whose own name says config, cm or secret. No namespace given: `""`.

    `is_hidden`: the option is in the value of a Secret.
    """

    field: str
    option: str
    namespace: str
    name: str
    is_hidden: bool = False

    @property
    def shown(self) -> str:
        """What people may read of the option."""
        return "its data" if self.is_hidden else self.option

    def may_mean(self, kind: str) -> bool:
        """Tell whether the option's own name allows an object of this kind: `secretName` names no ConfigMap."""
        return any(kind in kinds for says, kinds in _SAYS if re.search(says, self.option))


class _Passed(NamedTuple):
    """An option and its object. `place`: counts all options in the order of the objects."""

    place: int
    item: Item
    option: OptionName


class Options:
    """The options of a package by the name they pass. They are searched at the first question."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items

    def passing(self, kind: str, name: str, namespaces: Collection[str] | None) -> Iterator[tuple[Item, OptionName]]:
        """Yield the objects that pass the name of an object of this kind to a program, and where.

        `namespaces`: those which the object may be in, as written in the option or its object; None for any.
        """
        known = self._by_name.get(name, {})
        several = [
            known[namespace] for namespace in (known if namespaces is None else namespaces) if namespace in known
        ]
        for passed in sorted(chain.from_iterable(several), key=itemgetter(0)):
            if passed.option.may_mean(kind):
                yield passed.item, passed.option

    @cached_property
    def _by_name(self) -> dict[str, dict[str, list[_Passed]]]:
        """Every option by the name that it passes, and the namespace that it means."""
        by_name: dict[str, dict[str, list[_Passed]]] = defaultdict(lambda: defaultdict(list))
        places = count()
        for item in self._items:
            if not item.is_local:
                for found in find_options(item):
                    namespace = found.namespace or item.id.namespace
                    by_name[found.name][namespace].append(_Passed(next(places), item, found))
        return dict(by_name)


def find_options(item: Item) -> Iterator[OptionName]:
    """Find the names in the arguments, command words and variables of an object's containers, and in its data.

    In workflows also those in scripts and manifests, and in the mounts of Camel K.
    """
    if item.id.group == "" and item.id.kind in ("ConfigMap", "Secret"):
        is_hidden = item.id.kind == "Secret"
        for value in data_texts(item):
            yield from (found._replace(is_hidden=is_hidden) for found in _in_data(value))
    for path, container in find_containers(item):
        yield from _in_container(container, path)
    if item.id.group == "argoproj.io":
        yield from _in_workflow(get(item.node, "spec"), "spec")
    if item.id.group == "camel.apache.org":
        yield from _in_mounts(item)


def _in_workflow(node: Node | None, path: str) -> Iterator[OptionName]:
    """Find the names in the templates of Argo: in a container, a script, or the manifest of a resource to be made.

    Source: argoproj/argo-workflows, pkg/apis/workflow/v1alpha1/workflow_types.go.
    """
    for index, element in enumerate(elements(node)):
        yield from _in_workflow(element, f"{path}[{index}]")
    for name, value in entries(node):
        place = step(path, name)
        if name in ("container", "script"):
            yield from _in_container(value, place)
            yield from _in_text("", text(get(value, "source")), f"{place}.source")
        if name in ("resource", "script"):
            for field in ("manifest", "source"):
                said = get(value, field)
                if is_scalar(said):
                    yield from _in_data(DataText(field, f"{place}.{field}", said, said.value, is_encoded=False))
        yield from _in_workflow(value, place)


def _in_mounts(item: Item) -> Iterator[OptionName]:
    """Find the names in `configmap:NAME/key@path`. They are not followed: the path of the mount contains the name.

    Source: apache/camel-k, pkg/apis/camel/v1/trait/mount.go, and `getMountPoint` in pkg/trait/trait_types.go.
    """
    for path in _CAMEL_MOUNTS:
        for one in find_at(item.node, path, "", _NOT_FOLLOWED):
            found = re.fullmatch(r"(?P<kind>configmap|secret):(?P<name>[^/@]+)(?:[/@].*)?", one.name.value)
            if found:
                yield OptionName(one.field, found["kind"], "", found["name"])


def _in_data(data: DataText) -> Iterator[OptionName]:
    """Find the names in variables, properties, YAML and JSON, also where they are part of a template or a script."""
    if "\n" not in data.text:
        yield from _in_piece(data.key, data.text.strip(_AROUND), data.field)
    if not _SAYS_CONFIG.search(data.text):
        return
    parent = ""
    for token in _TOKEN.split(data.text):
        found = _SETTING.fullmatch(token)
        key, value = (found["key"], found["value"].strip(_AROUND)) if found else ("", token.strip(_AROUND))
        yield from _in_piece(parent if key in ("", "name") else key, value, data.field)
        if key and not value:
            parent = key


def _in_container(container: Node, path: str) -> Iterator[OptionName]:
    for field in ("command", "args"):
        yield from _in_words(get(container, field), f"{path}.{field}")
    for index, variable in enumerate(elements(get(container, "env"))):
        value = text(get(variable, "value"))
        if value:
            yield from _in_text(text(get(variable, "name")), value, f"{path}.env[{index}].value")


def _in_words(words: Node | None, path: str) -> Iterator[OptionName]:
    option = ""
    for index, word in enumerate(elements(words)):
        said = word.value if is_scalar(word) else ""
        yield from _in_text(option, said, f"{path}[{index}]")
        # A flag without a value names the next word, and so does a resource of kubectl.
        is_flag = said.startswith("-") and "=" not in said
        option = said.lstrip("-") if is_flag or said.lower() in _RESOURCES else ""


def _in_text(option: str, said: str, field: str) -> Iterator[OptionName]:
    for piece in _PIECE.findall(said.lstrip("-")):
        kind, slash, name = piece.partition("/")
        if slash and kind.lower() in _RESOURCES:
            yield from _in_piece(kind, name, field)
        else:
            yield from _in_piece(option, piece, field)
        option = piece if piece.lower() in _RESOURCES else option


def _in_piece(option: str, piece: str, field: str) -> Iterator[OptionName]:
    found = _VALUE.fullmatch(piece)
    if found and _SAYS_CONFIG.search(option):
        namespace = found["namespace"] or ""
        yield OptionName(field, option, "" if namespace.startswith("$") else namespace, found["name"])
    pair = _KEY.fullmatch(piece)
    if pair:
        yield from _in_piece(pair["key"], pair["value"].strip("\"'"), field)
