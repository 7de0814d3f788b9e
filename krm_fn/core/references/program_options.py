"""Find names that programs get: on their command line, in a variable, or in a file."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from krm_fn.base.item import CONFIG_KINDS, Item, data_texts
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    elements,
    entries,
    get,
    is_scalar,
    step,
    text,
)
from krm_fn.base.pods import find_containers
from krm_fn.core.names.names import base_name
from krm_fn.core.references.generated import known_names
from krm_fn.core.references.hits import Hit, NameSearch, excerpt, split_key
from krm_fn.core.references.sighting import OPTION, Sighting
from krm_fn.core.references.words import (
    AROUND,
    RESOURCES,
    RUNS_KUBECTL,
    kinds_said,
    may_say_config,
    pattern,
    read_said,
    read_setting,
    read_settings,
)

_CM = r"(?<![a-z])cm(?![a-z])|(?-i:(?<=[a-z])(?:CM|Cm)(?![a-z]))"
"""The short form as a word of its own: `cm-name`, `leaderCM`; not `acme`."""

_SAYS = (
    (rf"(?i)config[-_.]?map|{_CM}", ("ConfigMap",)),
    (r"(?i)secret", ("Secret",)),
    (r"(?i)config(?![-_.]?map)", ("ConfigMap", "Secret")),
)
"""Words in the name of an option, and the kinds of objects that its value may then name.

Few packages have such options: `re` compiles these patterns when the first is found.
"""

_PIECE = r"[^\s,;]+"
_KEY = r"(?P<key>[A-Za-z][\w.-]*)[:=]"
_NAME = "[a-z0-9][a-z0-9.-]*"

_RESOURCE = r"(?<![\w./-])(?:configmaps?|cm|secrets?)(?:[,/\"'\s]|$)"
"""How a command of a client, whatever its name, says that it takes an object: `patch cm web`, `cm/web`."""

_SHELL_SCRIPT = r"\.\w*sh$"
"""The end of the key of a script in data."""

_TAKES_VARIABLE = (
    r"(?:(?<![\w./-])|/namespaces/[^/\s]{1,99}/)(?:configmaps?|cm|secrets?)[\"']?[/,\s]\s*(?:-\S+\s+)*[\"']?\$"
    r"|(?i:config_?map|secret)s?(?:_\w+)?(?:\([^()\n]{0,99}\)\.\w+)?\(\s*(?:[\w.]+,\s*)?[A-Za-z_]\w*\s*[,)]"
    r"|[a-z0-9]_(?:config_?map|secret)s?\s+[a-z_]\w*,"
)
"""A command or a call that takes the object whose name a variable has: `cm $NAME`, `config_map(NAME, ...)`."""

_TAKEN = ("cm", "config_map", "configmap", "secret")
"""One of these words is in each command, call or path that takes an object, in small or capital letters."""

_ASSIGNED = r"(?:=|:-|\sin)\s*[\"']?(?P<names>[a-z0-9][a-z0-9.-]*(?: +[a-z0-9][a-z0-9.-]*)*)"
"""The words that a script puts into a variable, also in turn: `NAME=web`, `${NAME:-web}`, `for name in web db`."""

_COMMAND = r"(?:\\\n|[^\n;|&`])+"
"""The end of a command in a script, but for a line that goes on."""

_IN = frozenset(("n", "namespace"))
_API_PATH = (
    r"/namespaces/(?P<namespace>[^/\s(]{1,99}|[^\s(]{0,9}\([^()\n]{0,99}\)[^\s/]{0,9})/(?P<kind>configmaps|secrets)/[\"']?"
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)"
)
"""The path of an object in the API, as scripts ask for it with curl.

The namespace is often a variable or a command.
"""

_QUOTES = "\"'`"

_ARGO = "argoproj.io"


class _Word(NamedTuple):
    field: str
    value: str


class OptionName(NamedTuple):
    """A name in an option, variable or setting whose own name says config, cm or secret.

    No namespace given: `""`. `is_hidden`: the option is in the value of a Secret.
    """

    field: str
    option: str
    namespace: str
    name: str
    is_hidden: bool = False

    @property
    def shown(self) -> str:
        """The part of the option that people may read."""
        return "its data" if self.is_hidden else self.option

    def may_mean(self, kind: str) -> bool:
        """Tell whether the name of the option allows this kind: `secretName` names no ConfigMap."""
        return kind in _kinds_in(self.option)


def sight_options(search: NameSearch) -> Iterator[Sighting]:
    """Find the objects whose names programs get on their command line, in a variable or in a file."""
    for item, found in search.applied.items():
        if not any(map(_may_be_option, found)):
            continue
        for one in find_options(item, search.names):
            namespace = one.namespace or search.index.namespace_of(item)
            for kind in filter(one.may_mean, CONFIG_KINDS):
                for target in search.index.find_anywhere_near(kind, one.name, namespace):
                    if _is_called(target, kind, one.name):
                        yield Sighting(OPTION, target, item, one.field, one.name, one.shown)


def _may_be_option(hit: Hit) -> bool:
    is_word = hit.path[-1] == "value" or hit.path[-2:-1] in (("command",), ("args",))
    return is_word or hit.item.is_config or hit.item.id.group == _ARGO


def _is_called(target: Item, kind: str, name: str) -> bool:
    """Tell whether the object, or what it makes, has this name and no former one of kustomize's."""
    if target.is_config:
        return name in (target.id.name, base_name(target))
    return (kind, name) in known_names(target)


def find_options(item: Item, names: Collection[str]) -> Iterator[OptionName]:
    """Find the names in arguments, command words, variables and data of an object.

    In workflows also those in scripts and manifests. All of `names`, and some others.
    """
    found: list[OptionName] = []
    if item.is_config:
        is_hidden = item.is_like_secret
        for value in data_texts(item):
            said = _in_data(value.key, _Word(value.field, value.text), excerpt(names, value.text))
            found += (one._replace(is_hidden=is_hidden) for one in said)
    for path, container in find_containers(item):
        found += _in_container(container, path)
    if item.id.group == _ARGO:
        found += _in_workflow(get(item.node, "spec"), "spec")
    yield from dict.fromkeys(found)


def _in_workflow(node: Node | None, path: str) -> Iterator[OptionName]:
    """Find the names in templates of Argo: in a container, a script, or a manifest.

    Source: argoproj/argo-workflows, pkg/apis/workflow/v1alpha1/workflow_types.go.
    """
    for index, element in enumerate(elements(node)):
        yield from _in_workflow(element, f"{path}[{index}]")
    for name, value in entries(node):
        place = step(path, name)
        if name in ("container", "script"):
            yield from _in_container(value, place)
        if name in ("resource", "script"):
            for field in ("manifest", "source"):
                manifest = get(value, field)
                if is_scalar(manifest):
                    word = _Word(f"{place}.{field}", manifest.value)
                    yield from _in_data(field, word, manifest.value)
        yield from _in_workflow(value, place)


def _in_data(name: str, data: _Word, lines: str) -> Iterator[OptionName]:
    """Find the names in YAML, JSON, properties, templates and scripts. `lines`: where settings are looked for."""
    field, value = data
    if "\n" not in value:
        yield from _in_piece(name, value.strip(AROUND), field)
    lower = value.lower()
    if not may_say_config(lower):
        return
    for parent, key, said in read_settings(lines, may_say_config):
        yield from _in_piece(parent if key in ("", "name") else key, said, field)
        yield from _in_key(f"{parent}.{key}" if "." not in key else key, field)
        if "/" in said:  # `secret/NAME`, without the kubectl that reads it
            yield from _in_command([_Word(field, said)])
    # A list in one line, of which a setting above is the first entry alone.
    for line in re.findall("(?m)^.*[,;].*$", lines):
        if may_say_config(line.lower()):
            yield from _in_piece(*read_setting(line)[1:], field)
    if not _may_take(lower):
        return
    yield from _in_variables(value, [data])
    is_script = re.search(_SHELL_SCRIPT, name) or value.startswith("#!")
    if is_script or any(word in value for word in RUNS_KUBECTL):
        yield from _in_script(data)


@lru_cache(1_000)  # a long text has the same few
def _kinds_in(option: str) -> set[str]:
    if not may_say_config(option.lower()):
        return set()  # as most options
    return {kind for says, kinds in _SAYS if re.search(says, option) for kind in kinds}


def _in_container(container: Node, path: str) -> Iterator[OptionName]:
    words: list[_Word] = []
    variables: list[_Word] = []
    for field in ("command", "args"):
        option = ""
        for index, element in enumerate(elements(get(container, field))):
            word = _Word(f"{path}.{field}[{index}]", element.value if is_scalar(element) else "")
            words.append(word)
            yield from _in_text(option, word)
            # A flag without a value names the next word.
            is_flag = word.value.startswith("-") and "=" not in word.value
            option = word.value.lstrip("-") if is_flag else ""
    # Scripts are words with blanks. The others are one command, of which a part may be the image's.
    yield from _in_command([word for word in words if not re.search(r"\s", word.value)])
    for index, variable in enumerate(elements(get(container, "env"))):
        value = text(get(variable, "value"))
        if value:
            word = _Word(f"{path}.env[{index}].value", value)
            variables.append(word)
            yield from _in_text(text(get(variable, "name")), word)
            yield from _in_command([word])
    # All of a variable or an argument may be what a script has in a variable.
    given = [word._replace(value=f"={word.value}") for word in words + variables]
    yield from _in_variables(" ".join(word.value for word in words), given)


def _in_text(option: str, word: _Word) -> Iterator[OptionName]:
    whole = word.value.lstrip("-")
    for piece in dict.fromkeys((whole, *whole.split(), *pattern(_PIECE).findall(whole))):
        yield from _in_piece(option, piece, word.field)
    yield from _in_script(word)


def _in_script(script: _Word) -> Iterator[OptionName]:
    """Find the names that a script asks the API for, by commands of a client or by a path."""
    for command in re.findall(_COMMAND, script.value):
        if re.search(_RESOURCE, command) and not command.lstrip().startswith("#"):
            yield from _in_command(_Word(script.field, word) for word in command.split())
    if "/namespaces/" in script.value:
        for found in re.finditer(_API_PATH, script.value):
            yield OptionName(
                script.field, found["kind"], _unless_computed(found["namespace"]), found["name"]
            )


def _may_take(lower: str) -> bool:
    """Tell whether a script may take an object. Nearly no text does, and to look for a command is slow."""
    return any(word in lower for word in _TAKEN)


def _in_variables(script: str, words: Iterable[_Word]) -> Iterator[OptionName]:
    """Find the names that variables of a script may have, where it takes an object by a variable.

    Which variable has which name is not looked at: scripts are short.
    """
    taken = re.search(_TAKES_VARIABLE, script) if _may_take(script.lower()) else None
    if taken is None:
        return
    kind = "secret" if "secret" in taken[0].lower() else "configmap"
    for word in words:
        for found in re.finditer(_ASSIGNED, word.value):
            for name in found["names"].split():
                yield OptionName(word.field, kind, "", name)


def _in_command(words: Iterable[_Word]) -> Iterator[OptionName]:
    """Find the names among the words of a command.

    They are in `get cm NAME -n NAMESPACE`, `secret/NAME`, and `--from=secret/NAME`.
    """
    found: list[tuple[str, str, str]] = []
    resource = flag = namespace = ""
    for field, value in words:
        # The bracket behind `$(kubectl get cm web)` is none of the name, that behind `$(NAME)` is.
        word = value.rstrip(_QUOTES if "(" in value else f"{_QUOTES})").lstrip(_QUOTES)
        if word.startswith("-"):
            flag, _, word = word.lstrip("-").partition("=")
        kind, _, name = word.partition("/")
        if flag in _IN and word:
            namespace = word
        elif kind.lower() in RESOURCES and name:
            found.append((field, kind, name))
        elif word:
            if RESOURCES.issuperset(word.lower().split(",")):  # `get cm,secret NAME`
                resource = word
            elif resource:
                found.append((field, resource, word))
        if word:
            flag = ""
    # The namespace may come after the names, as in `get cm web -n shop`.
    there = _unless_computed(namespace)
    yield from (
        OptionName(field, kind, there, name)
        for field, kind, name in found
        if re.fullmatch(_NAME, name)
    )


def _unless_computed(namespace: str) -> str:
    """Return a namespace that is written out; `""` for a variable or a command."""
    return namespace if re.fullmatch(_NAME, namespace) else ""


def _in_piece(option: str, piece: str, field: str) -> Iterator[OptionName]:
    """Find the names that are an option's value, and those behind keys, as in `volume=config:web`."""
    start, end = 0, len(piece)
    while True:  # a text may hold more keys behind each other than calls can be nested
        if _kinds_in(option):
            for one in read_said(piece[start:end]):
                # `config` alone may as well be about a file with something behind its name.
                is_told = one.is_all or kinds_said(option)
                if is_told and one.namespace not in RESOURCES:
                    yield OptionName(field, option, _unless_computed(one.namespace), one.name)
        pair = pattern(_KEY).match(piece, start, end)
        if pair is None:
            return
        option, start = pair["key"], pair.end()
        yield from _in_key(option, field)
        while start < end and piece[start] in "\"'":
            start += 1
        while start < end and piece[end - 1] in "\"'":
            end -= 1


def _in_key(key: str, field: str) -> Iterator[OptionName]:
    """Find the name at the end of a key that says its kind: `driver.secrets.web`."""
    before, name = split_key(key)
    if kinds_said(before):
        yield OptionName(field, before, "", name)
