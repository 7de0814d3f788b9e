"""Find what names objects in ways that no rule follows.

Such a mention is an option, a variable or a file of a program, a field of a custom resource whose
text is a name of the package, or an annotation by which a program copies an object. krm-fn rewrites
none of them: each is a reason to leave its object alone, or a warning. Each is looked for at the
first question.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import count
from operator import itemgetter
from typing import NamedTuple

from krm_fn.base.item import CONFIG_KINDS, WORD, DataText, Item, data_keys, data_texts
from krm_fn.base.keys import TAKEN_NAME
from krm_fn.base.kind import BUILT_IN_GROUPS, may_refer
from krm_fn.base.node import (
    FieldPath,
    Node,
    Path,
    Scalar,
    elements,
    entries,
    fields,
    get,
    is_scalar,
    mappings,
    scalars,
    spell,
    spell_path,
    step,
    steps_of,
    text,
    texts,
)
from krm_fn.base.pods import find_containers
from krm_fn.base.reference import (
    NO_RULE,
    By,
    EmbeddedReference,
    ResolvedReference,
    find_at,
    is_of_core,
    namespace_beside,
    read_reference,
)
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.references.find import (
    NOT_WALKED,
    ExcludedField,
    WordForm,
    exclusion_of,
    has_texts_of_others,
    read_releases,
    word_of,
)
from krm_fn.core.references.generated import versioned
from krm_fn.core.references.resolve import Index
from krm_fn.facts.annotations import COPIED
from krm_fn.facts.exclusions import FREE_KEYS, NOT_NAMES, PASSED_OVER

# Copies.


class Copy(NamedTuple):
    """A sign that a program copies an object, or what it makes: as a clause, and its place."""

    text: str
    item: Item
    field: str


class _CloneList(NamedTuple):
    """A `cloneList` in a policy of Kyverno: all objects of these kinds and labels in this namespace.

    Only `matchLabels` are read. Other conditions may select less, never more.
    """

    item: Item
    field: str
    namespace: str
    kinds: frozenset[str]
    labels: Mapping[str, str]

    def covers(self, item: Item) -> bool:
        is_there = item.id.namespace in (self.namespace, "")
        return (
            is_there and item.id.kind in self.kinds and self.labels.items() <= item.labels.items()
        )


class Copies:
    """The objects that programs copy to other namespaces, by annotations, references and labels.

    Copies have the name of the original, or know it by that name. Their readers are out of sight.
    """

    def __init__(self, items: Iterable[Item], references: Iterable[ResolvedReference]) -> None:
        self.find = cache(self._find)  # several hints ask
        self._lists: list[_CloneList] = []
        for item in items:
            self._lists += _read_clone_lists(item)
        self._named: dict[Item, ResolvedReference] = {}
        for one in references:
            if one.reference.rule.by is By.COPY:
                for target in one.targets:
                    self._named.setdefault(target, one)

    def _find(self, item: Item) -> Copy | None:
        """Find the first sign that a program copies an object; None if there is none."""
        for annotation, field in _list_annotations(item):
            if annotation in COPIED:
                return Copy(
                    f"{COPIED[annotation]} copies it elsewhere under this name ({annotation})",
                    item,
                    field,
                )
        named = self._named.get(item)
        if named is not None:
            clause = (
                f"{named.reference.rule.reason} by this name, as {authored_id(named.referrer)} says"
            )
            return Copy(clause, named.referrer, named.reference.field)
        for one in self._lists:
            if one.covers(item):
                clause = (
                    f"Kyverno copies it elsewhere under this name, as {authored_id(one.item)} says"
                )
                return Copy(clause, one.item, one.field)
        return None


def _list_annotations(item: Item) -> Iterator[tuple[str, str]]:
    """Yield each annotation that is not `false`, and its field.

    The annotations that a controller copies to a Secret are among them.
    """
    start = "metadata" if item.is_config else ""
    for field, mapping in mappings(get(item.node, start) if start else item.node, start):
        for annotation, value in entries(mapping.get("annotations")):
            if text(value).lower() != "false":
                yield annotation, step(step(field, "annotations"), annotation)


def _read_clone_lists(item: Item) -> Iterator[_CloneList]:
    """Find the lists of a policy. Source: kyverno/kyverno, api/kyverno/v1/common_types.go."""
    if (
        item.id.group != "kyverno.io"
        or item.id.kind not in ("ClusterPolicy", "Policy")
        or item.is_local
    ):
        return
    for position, rule in enumerate(elements(get(item.node, "spec", "rules"))):
        generate, field = get(rule, "generate"), f"spec.rules[{position}].generate"
        each = [
            (one, f"{field}.foreach[{index}]")
            for index, one in enumerate(elements(get(generate, "foreach")))
        ]
        for pattern, place in [(generate, field), *each]:
            listed = get(pattern, "cloneList")
            # `v1/Secret` or `Secret`
            kinds = frozenset(
                text(one).rpartition("/")[2] for one in elements(get(listed, "kinds"))
            )
            labels = texts(get(listed, "selector", "matchLabels"))
            if kinds:
                yield _CloneList(
                    item, f"{place}.cloneList", text(get(listed, "namespace")), kinds, labels
                )


# Options of programs.

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

_SAYS_CONFIG = rf"(?i)config|secret|{_CM}"
"""Words of an option that may name an object of either kind."""

_PIECE = re.compile(r"[^\s,;]+")
_KEY = re.compile(r"(?P<key>[A-Za-z][\w.-]*)[:=]")
_VALUE = re.compile(
    r"(?:(?P<namespace>[a-z0-9][a-z0-9-]*|\$[({][\w.-]+[)}])/)?(?P<name>[a-z0-9][a-z0-9.-]*)"
)
_NAME = "[a-z0-9][a-z0-9.-]*"

_RESOURCES = frozenset(("configmap", "configmaps", "cm", "secret", "secrets"))
"""Their names in kubectl."""

_RUNS_KUBECTL = ("kubectl", "KUBECTL", "oc get", "oc -n")
_KUBECTL = r"(?:kubectl|KUBECTL)[\"'})]*(?=\s)|(?<!\S)oc(?=\s)"
"""How a script runs it: by name, by path, or by a variable. `oc` is OpenShift's."""

_COMMAND = r"(?:\\\n|[^\n;|&`])+"
"""The end of a command in a script, but for a line that goes on."""

_IN = frozenset(("n", "namespace"))
_TAKES_VALUE = _IN | {
    *(
        "as",
        "c",
        "cluster",
        "container",
        "context",
        "f",
        "field-selector",
        "filename",
        "kubeconfig",
        "l",
        "o",
    ),
    *(
        "output",
        "p",
        "patch",
        "patch-file",
        "request-timeout",
        "s",
        "selector",
        "server",
        "sort-by",
        "template",
    ),
    *("timeout", "token", "type", "user"),
}
"""Options of kubectl whose value may be the next word."""

_API_PATH = (
    r"/namespaces/(?P<namespace>[^/\s(]{1,99}|[^\s(]{0,9}\([^()\n]{0,99}\)[^\s/]{0,9})/(?P<kind>configmaps|secrets)/[\"']?"
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)"
)
"""The path of an object in the API, as scripts ask for it with curl.

The namespace is often a variable or a command.
"""

_QUOTES = "\"'`"

_SEPARATORS = str.maketrans(",;{}[]", "\n" * 6)
"""Separators of settings beside the end of a line: the punctuation of lists and mappings in one line."""

_AROUND = "\"' \t\r-"
"""Characters that may be around a value: quotes, blanks, and the dash of a list."""

_SETTING = re.compile(r"[\s\"'-]*(?P<key>[A-Za-z][\w.-]*)[\"']?\s*[:=](?P<value>.*)")
"""A key and its value in YAML, JSON or properties: `secretName: web`, `"config": "web"`, `config.name=web`."""

_CAMEL_MOUNTS = (
    "spec/traits/mount/configs",
    "spec/traits/mount/resources",
    "spec/integration/traits/mount/configs",
    "spec/integration/traits/mount/resources",
)


class Setting(NamedTuple):
    """A value in a text, its key, and the last key above it without a value.

    A missing key is `""`.
    """

    parent: str
    key: str
    value: str


class _Word(NamedTuple):
    field: str
    value: str


class OptionName(NamedTuple):
    """A name in an option, variable or setting whose own name says config, cm or secret.

    No namespace given: `""`.

    `is_hidden`: the option is in the value of a Secret.
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
        return any(kind in kinds for says, kinds in _SAYS if re.search(says, self.option))


class _Passed(NamedTuple):
    """An option and its object. `position` counts all options in the order of the objects."""

    position: int
    item: Item
    option: OptionName


class ProgramOptions:
    """The options of a package by the name they pass.

    They are searched at the first question: few packages ask.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = items

    def passing(
        self, kind: str, name: str, namespaces: Collection[str] | None
    ) -> Iterator[tuple[Item, OptionName]]:
        """Yield the objects that pass the name of an object of this kind to a program, and where.

        `namespaces`: those which the object may be in, as written in the option or its object; None
        for any.
        """
        by_namespace = self._by_name.get(name, {})
        found: list[_Passed] = []
        if namespaces is None:
            namespaces = by_namespace
        for namespace in namespaces:
            found += by_namespace.get(namespace, ())
        # In the order of the objects, whatever the order of the namespaces: the first one is named
        # in a message.
        for passed in sorted(found, key=itemgetter(0)):
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
    """Find the names in arguments, command words, variables and data of an object.

    In workflows also those in scripts and manifests, and in the mounts of Camel K.
    """
    found: list[OptionName] = []
    if item.id.group == "" and item.id.kind in ("ConfigMap", "Secret"):
        is_hidden = item.is_like_secret
        for value in data_texts(item):
            found += (one._replace(is_hidden=is_hidden) for one in _in_data(value))
    for path, container in find_containers(item):
        found += _in_container(container, path)
    if item.id.group == "argoproj.io":
        found += _in_workflow(get(item.node, "spec"), "spec")
    if item.id.group == "camel.apache.org":
        found += _in_mounts(item)
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
                    yield from _in_data(
                        DataText(
                            field, f"{place}.{field}", manifest, manifest.value, is_encoded=False
                        )
                    )
        yield from _in_workflow(value, place)


def _in_mounts(item: Item) -> Iterator[OptionName]:
    """Find the names in `configmap:NAME/key@path`.

    They are not followed: the path of the mount contains the name.

    Source: apache/camel-k, pkg/apis/camel/v1/trait/mount.go, and `getMountPoint` in
    pkg/trait/trait_types.go.
    """
    for path in _CAMEL_MOUNTS:
        for one in find_at(item.node, path, "", NO_RULE):
            found = re.fullmatch(
                r"(?P<kind>configmap|secret):(?P<name>[^/@]+)(?:[/@].*)?", one.name.value
            )
            if found:
                yield OptionName(one.field, found["kind"], "", found["name"])


def _in_data(data: DataText) -> Iterator[OptionName]:
    """Find the names in variables, properties, YAML and JSON, also in a template or a script."""
    if "\n" not in data.text:
        yield from _in_piece(data.key, data.text.strip(_AROUND), data.field)
    if not _may_say_config(data.text.lower()):
        return
    for parent, key, value in _read_telling(data.text):
        yield from _in_piece(parent if key in ("", "name") else key, value, data.field)
        if "/" in value:  # `secret/NAME`, without the kubectl that reads it
            yield from _in_command([_Word(data.field, value)])
    yield from _in_script(_Word(data.field, data.text))


def _may_say_config(lower: str) -> bool:
    """Tell quickly of a text in lower case that nothing in it says config, cm or secret."""
    return "config" in lower or "secret" in lower or "cm" in lower


def _says_config(option: str) -> bool:
    return _may_say_config(option.lower()) and re.search(_SAYS_CONFIG, option) is not None


def _read_telling(text: str) -> Iterator[Setting]:
    """Read the settings in a text that may say config, cm or secret, or whose key above does.

    To read a setting takes ten times as long as to see that it does not, and hardly any of a long
    text does.
    """
    parent = ""
    for token, lower in zip(_tokens(text), _tokens(text.lower()), strict=True):
        # A value says nothing by itself, unless it is `secret/NAME` or `key=secret:NAME`.
        if parent or (
            _may_say_config(lower) and _may_say_config(lower[: max(map(lower.rfind, ":=/"))])
        ):
            setting = _read_setting(token, parent)
            yield setting
            if setting.key and not setting.value:
                parent = setting.key if _may_say_config(setting.key.lower()) else ""


def read_settings(text: str) -> Iterator[Setting]:
    """Read the settings in a text as if it were YAML, JSON or properties, or a template of them."""
    parent = ""
    for token in _tokens(text):
        setting = _read_setting(token, parent)
        yield setting
        if setting.key and not setting.value:
            parent = setting.key


def _tokens(text: str) -> list[str]:
    return text.translate(_SEPARATORS).split("\n")


def _read_setting(token: str, parent: str) -> Setting:
    found = _SETTING.fullmatch(token)
    key, value = (found["key"], found["value"]) if found else ("", token)
    return Setting(parent, key, value.partition(" #")[0].strip(_AROUND))


def _in_container(container: Node, path: str) -> Iterator[OptionName]:
    words: list[_Word] = []
    for field in ("command", "args"):
        option = ""
        for index, element in enumerate(elements(get(container, field))):
            word = _Word(f"{path}.{field}[{index}]", element.value if is_scalar(element) else "")
            words.append(word)
            yield from _in_text(option, word)
            # A flag without a value names the next word.
            is_flag = word.value.startswith("-") and "=" not in word.value
            option = word.value.lstrip("-") if is_flag else ""
    # Scripts are words with blanks in them. The others are one command, of which a part may be the
    # image's.
    yield from _in_command([word for word in words if not re.search(r"\s", word.value)])
    for index, variable in enumerate(elements(get(container, "env"))):
        value = text(get(variable, "value"))
        if value:
            word = _Word(f"{path}.env[{index}].value", value)
            yield from _in_text(text(get(variable, "name")), word)
            yield from _in_command([word])


def _in_text(option: str, word: _Word) -> Iterator[OptionName]:
    for piece in _PIECE.findall(word.value.lstrip("-")):
        yield from _in_piece(option, piece, word.field)
    yield from _in_script(word)


def _in_script(script: _Word) -> Iterator[OptionName]:
    """Find the names that a script asks the API for, with kubectl or by a path."""
    if any(word in script.value for word in _RUNS_KUBECTL):
        for command in re.findall(_COMMAND, script.value):
            found = re.search(_KUBECTL, command)
            if found and not command.lstrip().startswith("#"):
                yield from _in_command(
                    [_Word(script.field, word) for word in command[found.end() :].split()]
                )
    if "/namespaces/" in script.value:
        for found in re.finditer(_API_PATH, script.value):
            yield OptionName(
                script.field, found["kind"], _unless_computed(found["namespace"]), found["name"]
            )


def _in_command(words: Iterable[_Word]) -> Iterator[OptionName]:
    """Find the names among the words of kubectl.

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
        elif kind.lower() in _RESOURCES and name:
            found.append((field, kind, name))
        elif word and flag not in _TAKES_VALUE:
            if _RESOURCES.issuperset(word.lower().split(",")):  # `get cm,secret NAME`
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
    """Find the name that is an option's value, and those behind keys, as in `volume=config:web`."""
    start, end = 0, len(piece)
    while True:  # a text may hold more keys behind each other than calls can be nested
        if _says_config(option) and (found := _VALUE.fullmatch(piece, start, end)):
            namespace = found["namespace"] or ""
            if namespace not in _RESOURCES:
                yield OptionName(
                    field, option, "" if namespace.startswith("$") else namespace, found["name"]
                )
        pair = _KEY.match(piece, start, end)
        if pair is None:
            return
        option, start = pair["key"], pair.end()
        while start < end and piece[start] in "\"'":
            start += 1
        while start < end and piece[end - 1] in "\"'":
            end -= 1


# Fields that are not followed.

_OTHER_THINGS = ("key", "keys", "namespace", "namespaces", "path", "prefix", "type")
"""Ends of field names, such as `secretKey` and `secretNamespace`, that hold something else than an object's name."""

_NAMES = r"(?i)(?:name|ref|reference|config|configuration|credential)s?$"
"""Ends of field names that hold a name.

In other fields a single word, such as `redis`, is one of some choices.
"""

_CONTAINERS = frozenset(
    {"container", "containers", "ephemeralContainers", "initContainers", "sidecars"}
)
_NAMED_ENTRIES = frozenset(
    {"containers", "env", "initContainers", "ports", "volumeMounts", "volumes"}
)
"""Lists of a pod spec, in whatever object, whose entries have names of their own."""

_OWN = frozenset(
    {
        # An application's own name, and what it is called by its parts (app-template: `controller`,
        # `identifier`).
        *(
            "fullnameoverride",
            "nameoverride",
            "namespaceoverride",
            "releasename",
            "controller",
            "identifier",
        ),
        # Objects of other kinds
        *(
            "existingclaim",
            "claimname",
            "volumename",
            "storageclass",
            "storageclassname",
            "existingvolume",
        ),
        *(
            "ingressclass",
            "ingressclassname",
            "classname",
            "priorityclassname",
            "runtimeclassname",
            "schedulername",
        ),
        *("servicename", "serviceaccountname", "namespace", "targetnamespace"),
        # Places, and who somebody is there
        *(
            "host",
            "hostname",
            "mountpath",
            "subpath",
            "path",
            "database",
            "dbname",
            "user",
            "username",
        ),
    }
)
"""Fields in the values of charts, in small letters, whose text names no ConfigMap and no Secret."""

_OWN_HOLDERS = frozenset({"service", "serviceaccount", "ingress", "controller", "image", "port"})
"""Fields in the values of charts, in small letters, whose `name` is that of something else."""

_OWN_MAPPINGS = r"\w*labels|(?:label|namespace|node|pod|service)?selector"
"""Mappings in the values of charts, in small letters, whose texts describe the chart's own objects, or nodes."""

_CALLS = r"\{\{[^{}]*\}\}|\b[Gg]et\([^()]*\)"
_ARGUMENTS = r"[\"'`]([a-z0-9./-]+)[\"'`]"
"""The arguments of functions in templates and expressions of policies: `fromConfigMap "namespace" "name" "key"`,
`resource.Get("v1", "configmaps", "namespace", "name")`."""

_TOP = (None, "spec")

_NAMESPACE = "[a-z0-9-]+"
"""A namespace that is written out: no template, and no variable."""


class NearMiss(NamedTuple):
    """A field of `referrer` whose text is a name of `target`, or contains it.

    `may_be_followed`: an entry of `spec.references` would follow it.
    """

    referrer: Item
    field: str
    target: Item
    may_be_followed: bool


class _NamingText(NamedTuple):
    """A scalar that says a name, and its path.

    `field`: the field or list that it is in; `around`: the mapping.

    `parent`: the field or list that this mapping is in. `in_pod`: it is in a container or pod
    template.
    """

    scalar: Scalar
    path: Path
    field: str
    around: dict[str, Node]
    parent: str
    in_pod: bool

    @property
    def names_other_kind(self) -> bool:
        """Whether the mapping around says that it is about something else."""
        kind = text(self.around.get("kind")).lower()
        is_config = any(kind == one.lower() for one in CONFIG_KINDS)
        return bool(kind) and not (is_config and is_of_core(self.around))

    @property
    def namespace(self) -> Scalar | None:
        """The field beside it that says a namespace."""
        return namespace_beside(self.around, self.field) if self.around else None


def find_unfollowed(
    items: Collection[Item], references: Iterable[ResolvedReference], index: Index
) -> list[NearMiss]:
    """Find texts that are the name of a ConfigMap or Secret in fields that no rule reads.

    Only custom resources are looked at. A field of `references` is followed, or known to be written
    by a controller. A field in `NOT_REFERENCES` means something else; or another program makes
    objects of it, and then parts of texts count as well: values of a chart are often one text. The
    chart may read the object, or create one of that name.
    """
    # The tables know every field of the kinds of Kubernetes itself.
    customs = [
        one
        for one in items
        if one.id.group not in BUILT_IN_GROUPS and may_refer(one.id) and not one.is_local
    ]
    names = {name for _, name in index.named} if customs else set()
    if not names:
        return []
    # A controller that applies objects elsewhere finds there what its own namespace does not have.
    followed = {
        one.reference.name: bool(one.targets) or one.reference.is_output for one in references
    }
    others = {item.id.name for item in items if not item.is_config and versioned(item.id) is None}
    search = _Search(index, names, followed, others)
    found: list[NearMiss] = []
    for item in customs:
        found += search.find_in(item)
    return found


class _Search:
    """A search for `names`.

    `followed` are the texts of references, and whether these match anything; `others` the names of
    other objects.
    """

    def __init__(
        self, index: Index, names: set[str], followed: dict[Scalar, bool], others: set[str]
    ) -> None:
        self._index = index
        self._names = names
        self._followed = followed
        self._others = others
        self._told: set[tuple[str, str, str]] = set()

    def find_in(self, item: Item) -> Iterator[NearMiss]:
        # What another program makes objects of is often one text with many names in it.
        walk = _Walk(self._contains if has_texts_of_others(item.id) else self._is_name)
        walk.enter(item.node, None, "")
        for one in walk.found:
            if self._followed.get(one.scalar) or one.field in NOT_NAMES or one.names_other_kind:
                continue
            field = spell_path(one.path)
            row = exclusion_of(field, item.id)
            if row is None:
                if one.scalar not in self._followed:
                    yield from self._find_whole(item, one, field)
            elif row.applied_in is not None and not _is_own(one.field, one.parent, one.path):
                yield from self._find_parts(item, one, field, row)

    def _is_name(self, value: str) -> bool:
        """Tell whether a text is a name, or a namespace and a name."""
        if "/" not in value:
            return value in self._names
        before, _, name = value.rpartition("/")
        return name in self._names and re.fullmatch(_NAMESPACE, before) is not None

    def _contains(self, value: str) -> bool:
        return any(word[0] in self._names for word in WORD.finditer(value))

    def _find_whole(self, item: Item, one: _NamingText, field: str) -> Iterator[NearMiss]:
        """Yield the objects that the whole text of a field may name.

        The name of the field says so, or the text means nothing else.
        """
        if not self._is_name(one.scalar.value):
            return
        kinds = _kinds_in(one.field) or (CONFIG_KINDS if self._is_telling(one) else ())
        for kind in kinds:
            targets = self._resolve(item, one, kind, field)
            may_be_followed = bool(targets)
            if not targets and not item.id.namespace and one.namespace is None:
                # It may be cluster-scoped, and name what is in its controller's namespace.
                targets = self._near(kind, one.scalar.value, "")
            for target in targets:
                if target is not item:
                    yield NearMiss(item, field, target, may_be_followed)

    def _resolve(self, item: Item, one: _NamingText, kind: str, field: str) -> tuple[Item, ...]:
        reference = read_reference(kind, one.scalar, one.namespace, field, NO_RULE)
        return self._index.resolve(item, reference).targets

    def _is_telling(self, one: _NamingText) -> bool:
        """Tell whether a text that is a name can hardly be anything else."""
        # The rules know every field of a pod spec that names an object. Other names in it are those
        # of volumes, ports and containers.
        if one.in_pod or one.field.lower().endswith(_OTHER_THINGS):
            return False
        if one.field == "name" and "key" in one.around:
            return True  # `{name, key}` selects a key of an object
        if one.field == "name" and (one.parent in _NAMED_ENTRIES or any(map(word_of, one.around))):
            return False  # it is the name of an entry, which says elsewhere what it references
        name = one.scalar.value.rpartition("/")[2]
        return name not in self._others and (
            not name.isalnum() or re.search(_NAMES, one.field) is not None
        )

    def _find_parts(
        self, item: Item, one: _NamingText, field: str, row: ExcludedField
    ) -> Iterator[NearMiss]:
        """Yield the objects that a text names, where another program makes objects of the text."""
        known = text(one.namespace) or _deployed_in(item, row)
        whole = one.scalar.value
        is_whole = self._is_name(whole)
        parts = [whole] if is_whole else self._values_in(whole)
        for part in parts:
            before, _, name = part.rpartition("/")
            # A template or a variable says no namespace, so any object of the name may be meant.
            namespace = (before or known) if re.fullmatch(_NAMESPACE, before or known) else ""
            for kind in CONFIG_KINDS:
                resolved = self._resolve(item, one, kind, field) if is_whole else ()
                for target in self._near(kind, name, namespace):
                    yield NearMiss(item, field, target, may_be_followed=target in resolved)

    def _near(self, kind: str, name: str, namespace: str) -> tuple[Item, ...]:
        near = self._index.find_anywhere_near(kind, name, namespace)
        if (kind, name, namespace) in self._told:
            return near[:1]  # each of many texts about each of many namespaces would be the square
        self._told.add((kind, name, namespace))
        return near

    def _values_in(self, value: str) -> Iterable[str]:
        """Return the names among settings in a text and arguments in its calls, each once."""
        found: dict[str, None] = {}
        kind = ""
        for setting in read_settings(value):
            if setting.key == "kind":
                kind = setting.value
            is_own = (
                setting.key == "name"
                and setting.parent == "metadata"
                and kind not in {"", *CONFIG_KINDS}
            )
            is_own = is_own or _is_own(setting.key, setting.parent)
            if setting.key not in NOT_NAMES and not is_own and self._is_name(setting.value):
                found[setting.value] = None
        for call in re.findall(_CALLS, value):
            found.update(
                (name, None) for name in re.findall(_ARGUMENTS, call) if self._is_name(name)
            )
        return found


def _is_own(field: str, holder: str, path: Path = None) -> bool:
    """Tell whether a field of a chart's values is about the chart's own objects.

    `holder`: the field around it.
    """
    if field.lower() in _OWN or (field == "name" and holder.lower() in _OWN_HOLDERS):
        return True
    return any(
        isinstance(key, str) and re.fullmatch(_OWN_MAPPINGS, key.lower()) for key in steps_of(path)
    )


def _deployed_in(item: Item, row: ExcludedField) -> str:
    """Return the namespace of the objects that another program makes of a field.

    `""`: the item does not say it.
    """
    namespaces = (text(get(item.node, *path.split("."))) for path in row.applied_in or ())
    return next(filter(None, namespaces), "")


class _Walk:
    """Collects the texts of an object that say a name."""

    def __init__(self, says: Callable[[str], bool]) -> None:
        self._says = says
        self.found: list[_NamingText] = []

    def enter(
        self, node: Node, path: Path, key: str, *, in_pod: bool = False, is_entry: bool = False
    ) -> None:
        """Look at what is below field `key`. `is_entry`: the node is in the list `key`."""
        if node.id == "sequence":
            for index, element in enumerate(node.value):
                if element.id != "scalar":
                    self.enter(element, (path, index), key, in_pod=in_pod, is_entry=True)
                elif self._says(element.value):
                    self.found.append(_NamingText(element, (path, index), key, {}, key, in_pod))
            return
        around = fields(node)
        in_pod = (
            in_pod
            or key in _CONTAINERS
            or (key == "spec" and path != _TOP and "containers" in around)
        )
        # What is in such a mapping has names that the author chose.
        is_free = key in FREE_KEYS and not is_entry
        for name, value in around.items():
            if name in (PASSED_OVER if path else NOT_WALKED):
                continue
            if not is_scalar(value):
                # The metadata of an object of another kind names that object itself.
                if name != "metadata" or text(around.get("kind")) in {"", *CONFIG_KINDS}:
                    self.enter(value, (path, name), name, in_pod=in_pod)
            elif not is_free and self._says(value.value):
                self.found.append(_NamingText(value, (path, name), name, around, key, in_pod))


@lru_cache(maxsize=8192)
def _kinds_in(field: str) -> tuple[str, ...]:
    """Return the kinds in the name of a field; none where `find_by_shape` reads it."""
    word = word_of(field)
    plain = field.lower().replace("-", "").replace("_", "")
    if (word is not None and word.form is WordForm.NAME) or plain.endswith(_OTHER_THINGS):
        return ()
    return tuple(kind for kind in CONFIG_KINDS if kind.lower() in plain)


# Find names of objects inside other text: in annotations, expressions, patches, URLs and data.
#
# A name alone is a word like any other. It counts where the text itself says what it is: behind
# `configmap` or `secret`, or as the whole text of an annotation whose key says so.

_pattern = cache(re.compile)
"""Compile a pattern when it is first used: hardly any package has such texts."""

_KIND_WORDS = {
    "configmap": "ConfigMap",
    "config_map": "ConfigMap",
    "config-map": "ConfigMap",
    "secret": "Secret",
}
"""How texts spell the kinds, in small letters."""

_KIND = r"(?P<word>config[-_]?map|secret)s?"
_CODE = r"[a-z](?:ConfigMap|Secret)|(?:configMap|secret)[A-Z]"
"""A kind as a part of a field's name, as in `fromConfigMap` and `secretName`."""

_KEY_END = r"[\"'`]?\s*[:=]"
_TAG = (
    r"(?:(?:kubernetes|k8s)://(?:v1/(?P<kind>ConfigMap|Secret)/)?|(?P<secret>\bk8s_secret@))"
    r"(?P<path>[a-z0-9.-]+(?:/[a-z0-9.-]+)*)"
)
_TAG_SIGNS = ("://", "k8s_secret@")
"""How URLs say that they name an object of the cluster, and how `ENC[k8s_secret@shop/web/key]` does.

A name alone, behind its namespace, and in front of a key. Sources: DataDog/datadog-agent,
cmd/secrethelper/providers/k8s_secret.go (ReadKubernetesSecret); helmfile/vals,
pkg/providers/k8s/k8s.go (GetString), for `ref+k8s://v1/Secret/shop/web/key`.
"""

_ARGO_CD_KEY = r"\$(?P<name>[a-z0-9]+(?:[.-][a-z0-9]+)+):[\w.-]"
"""How settings of Argo CD name a key of a Secret: `$web-oidc:clientID`. A variable of a shell has no dash.

Source: argoproj/argo-cd, util/settings/settings.go (ReplaceStringSecret).
"""

_WORD_OF_ARGO_CD = r"\$(?P<name>[a-z0-9]+):[\w.-]"
_SETTINGS_OF_ARGO_CD = "argocd-cm"
_OF_A_PLUGIN = {"baseUrl", "token"}
"""Where a plain word is one as well: in Argo CD's own settings, and in those of a plugin that makes Applications.

Source: argoproj/argo-cd, applicationset/services/plugin/utils.go (ParseSecretKey).
"""

_POINTER = r"\bpath[\"']?\s*[:=]\s*[\"']?(?:/[\w~.-]+)*/$"
_END_OF_POINTER = r"(?:/[\w~.-]+)*[\"']?"
_VALUE_OF_PATCH = r"\s*+,?\s*+[\"']?value[\"']?\s*:"
"""The text around a kind in the `path` of a JSON patch, and behind it: `path: /spec/imagePullSecrets/-`."""

_VALUE_BEFORE = r"\bvalue[\"']?\s*[:=](?:(?!\b(?:op|path|value)\b)[^\[\]}])*$"
_PATH_BEHIND = (
    r"[\"']?[\s}]*+,?\s*+(?:[\"']?op[\"']?\s*+[:=]\s*+[\"']?\w++[\"']?\s*+,?\s*+)?"
    r"[\"']?path[\"']?\s*+[:=]\s*+[\"']?(?:/[\w~.-]++)*+/"
)
"""The text around a name in a `value` that comes before the `path`."""

_IN_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_LONGEST_WORD, _LONGEST_LINE = 99, 999
_BEHIND, _LINES_BEHIND = 240, 6
_BEFORE = 80
"""How far from the kind the name may be, in characters and lines. An empty line ends it."""

_NEAREST = 3
"""How many kinds in front of a name are looked at."""

_TOP_OF_PATH = r"/(?:(?P<above>[a-z0-9-]+)/)?"
_VAULT = frozenset({"data", "kv", "metadata"})
"""The text behind `secret/` in a path of Vault."""

_OTHER_KIND = r"\bkind[\"']?\s*[:=]"
_OTHER_KEY = (
    r"^[\"'`]?\s*[:=]\s*[\"']?[\w.-]+[\"']?\s*[,;]\s*[\"']?(?!\w*[nN]ame)\w[\w-]*[\"']?\s*[:=]"
)
"""The value of a setting, and the key of another one behind it: `: other, service:`."""

_BRACKET = r"[{}\[\]()]"
_ENDS_IN_KIND = r"\bkind[\"']?\s*[:=]\s*[\"']?$"
_KIND_FIELD = r"(?:[^\n]*+\n)?[^\n]*\bkind[\"']?\s*[:=]\s*[\"']?"
_WORDS = r"\w[\w.-]*"
_SENTENCE = r"\s+(?:\w+\s+){0,5}[\"'`*(]*"
"""The characters between two words of a sentence."""

_COMMENT = r"\s*(?:#|//|;|--\s|<!--)"
_FOR_PEOPLE = (
    r"(?i)(?:^|[./_-])(?:change-cause|comments?|display-?name|help|messages?|notes?|purpose|readme"
    r"|reason|runbook|summary|title)$|description$|\.md$|notes\.txt$"
)
"""Fields, annotations and keys of data whose text is for people."""

_KEY_SAYS = r"(?i)config|volume|secret|(?:^|[._-])cm(?:$|[_-])"
_SAYS_KIND = r"(?i)config[-_]?map|secret"

_ABOUT_ITSELF = (
    r"internal\.config\.kubernetes\.io/|config\.kubernetes\.io/(?:index|path|function|local-config)$|(?:[\w.]+\.)?krm-fn\.io/"
    r"|kustomize\.config\.k8s\.io/|internal\.kpt\.dev/"
    r"|kubectl\.kubernetes\.io/last-applied-configuration$|meta\.helm\.sh/"
    r"|argocd\.argoproj\.io/tracking-id$|(?:[\w.-]+\.)?reloader\.stakater\.com/|wave\.pusher\.com/"
)
"""Annotations that tools write about the object, and those that ask for restarts, where an old name does no harm."""

_HOLDS_EXPRESSIONS = "admissionregistration.k8s.io"
"""The group of Kubernetes itself whose objects hold expressions."""

_NAMESPACED = (
    r"(?:namespaces/(?P<above>[a-z0-9-]+)/(?i:configmaps?|secrets?)"
    r"|(?:kubernetes|k8s)://(?:v1/(?:ConfigMap|Secret)/)?(?P<url>[a-z0-9-]+)"
    r"|(?<![\w./-])(?P<beside>[a-z0-9][a-z0-9-]*))/$"
)

_OF_TEMPLATE = ("spec", "template", "metadata", "annotations")
_OF_CRON_JOB = ("spec", "jobTemplate", *_OF_TEMPLATE)


class TextMention(NamedTuple):
    """A name of `target` in a text of `item`, from `start`, which no rule changes.

    `for_people`: hardly a program reads it there.
    """

    target: Item
    item: Item
    field: str
    scalar: Scalar
    start: int
    for_people: bool

    @property
    def name(self) -> str:
        found = WORD.match(self.scalar.value, self.start)
        return found[0] if found else ""

    @property
    def place(self) -> str:
        """The field, and the line of a text with several."""
        value = self.scalar.value
        if "\n" not in value.strip():
            return self.field
        return f"{self.field}, line {value.count(chr(10), 0, self.start) + 1} of the text"


class _NameInText(NamedTuple):
    """A name that a text says, from where, and the kinds that it may mean by it."""

    name: str
    start: int
    kinds: tuple[str, ...]
    for_people: bool = False


class _KindInText(NamedTuple):
    """A kind in a text: the word that says it, and whether that is the key of a setting, or code.

    `in_pointer`: it is in the path of a patch, up to `end`. The value is behind that.
    """

    kind: str
    start: int
    end: int
    is_key: bool
    is_code: bool
    in_pointer: bool = False


def find_in_texts(
    items: Collection[Item], followed: Collection[tuple[Scalar, str]], index: Index
) -> list[TextMention]:
    """Find the names of ConfigMaps and Secrets inside texts, in the order of the texts.

    `followed`: texts and the names in them that rules read. Texts of Secrets are not looked at, nor
    objects that are never applied.
    """
    names = {name for item, name in index.named if item.is_config}
    if not names:
        return []
    search = _TextSearch(items, followed, index, names)
    found: list[TextMention] = []
    for item in items:
        if not item.is_local:
            found += search.find_in(item)
    return found


def find_in_variables(items: Collection[Item], index: Index) -> list[TextMention]:
    """Find the variables whose value is the name of an object, and of nothing else."""
    names = {name for item, name in index.named if item.is_config}
    search = _TextSearch(items, (), index, names)
    found: list[TextMention] = []
    for item in items:
        if not item.is_local:
            found += search.find_in_variables(item)
    return found


@cache  # most objects have the same annotations
def _is_about_itself(annotation: str) -> bool:
    return _pattern(_ABOUT_ITSELF).match(annotation) is not None


class _TextSearch:
    def __init__(
        self,
        items: Collection[Item],
        followed: Collection[tuple[Scalar, str]],
        index: Index,
        names: set[str],
    ) -> None:
        self._items = items
        self._followed = followed
        self._index = index
        self._names = names
        self._told: set[tuple[str, str]] = set()

    def find_in(self, item: Item) -> Iterator[TextMention]:
        if not all(map(_is_about_itself, item.annotations)):
            top = ("metadata", "annotations")
            yield from self._in_annotations(item, get(item.node, *top), top)
        if item.is_config:
            if item.id.kind == CONFIG_KINDS[0]:
                for value in data_texts(item):
                    names = [
                        *self._read_words_of_argo_cd(item, value.text),
                        *self._read_namespaced(value.text),
                        *find_names_in_text(value.text, self._is_wanted, self._is_common),
                    ]
                    yield from self._locate(item, value.field, value.key, value.scalar, names)
        elif item.id.group in BUILT_IN_GROUPS and item.id.group != _HOLDS_EXPRESSIONS:
            path = _OF_CRON_JOB if item.id.kind == "CronJob" else _OF_TEMPLATE
            yield from self._in_annotations(item, get(item.node, *path), path)
        elif may_refer(item.id):
            yield from self._in_fields(item)

    def find_in_variables(self, item: Item) -> Iterator[TextMention]:
        for path, container in find_containers(item):
            for position, variable in enumerate(elements(get(container, "env"))):
                value = get(variable, "value")
                if not is_scalar(value) or not self._is_wanted(value.value):
                    continue
                is_taken = value.value in self._taken and value.value not in self._others
                if is_taken or not self._is_common(value.value):
                    names = [_NameInText(value.value, 0, CONFIG_KINDS)]
                    yield from self._locate(item, f"{path}.env[{position}].value", "", value, names)

    def _in_annotations(
        self, item: Item, annotations: Node | None, path: FieldPath
    ) -> Iterator[TextMention]:
        for name, value in entries(annotations):
            if is_scalar(value):
                yield from self._in_annotation(item, name, value, path)

    def _in_annotation(
        self, item: Item, name: str, value: Scalar, path: FieldPath
    ) -> Iterator[TextMention]:
        if _is_about_itself(name):
            return
        names = [
            *self._read_whole(name, value.value),
            *find_names_in_text(value.value, self._is_wanted, self._is_common),
        ]
        yield from self._locate(item, spell((*path, name)), name, value, names)

    def _read_whole(self, key: str, value: str) -> Iterator[_NameInText]:
        """Yield the names that are all of an annotation, or of an entry of its comma list."""
        if len(value) > _LONGEST_LIST:
            return
        start = 0
        for entry in value.split(","):
            variable = _pattern(_KEY_AS_VARIABLE).fullmatch(entry.strip())
            word = variable["name"] if variable else entry.strip()
            before, slash, name = word.rpartition("/")
            if name in self._names and name not in self._others:
                at = start + entry.rindex(name)
                last = key.rpartition("/")[2]
                if _pattern(_KEY_SAYS).search(last) or _pattern(_SAYS_KIND).search(key):
                    yield _NameInText(name, at, _kinds_in_key(key))
                elif slash and any(
                    self._index.find_anywhere_near(kind, name, before) for kind in CONFIG_KINDS
                ):
                    yield _NameInText(name, at, CONFIG_KINDS)
            start += len(entry) + 1

    def _read_namespaced(self, value: str) -> Iterator[_NameInText]:
        """Yield the name in a value in data behind its namespace: `add-headers: shop/headers`."""
        namespace, slash, name = value.strip().partition("/")
        if not slash or name not in self._names or name in self._others:
            return
        if any(self._index.find_anywhere_near(kind, name, namespace) for kind in CONFIG_KINDS):
            yield _NameInText(name, value.index("/") + 1, CONFIG_KINDS)

    def _read_words_of_argo_cd(self, item: Item, value: str) -> Iterator[_NameInText]:
        is_of_argo_cd = base_name(item) == _SETTINGS_OF_ARGO_CD
        if "$" in value and (is_of_argo_cd or _OF_A_PLUGIN.issubset(data_keys(item))):
            for key in _pattern(_WORD_OF_ARGO_CD).finditer(value):
                if self._is_wanted(key["name"]):
                    yield _NameInText(key["name"], key.start("name"), ("Secret",))

    def _in_fields(self, item: Item) -> Iterator[TextMention]:
        for found in scalars(item.node):
            if found.path[0] in ("metadata", "status"):
                continue
            key = str(found.path[-1])
            if "annotations" in found.path[:-1]:
                yield from self._in_annotation(item, key, found.scalar, found.path[:-1])
                continue
            names = [*find_names_in_text(found.scalar.value, self._is_wanted, self._is_common)]
            if names:
                field = spell(found.path)
                if exclusion_of(field, item.id) is None:
                    yield from self._locate(item, field, key, found.scalar, names)

    @cached_property
    def _taken(self) -> set[str]:
        """The names that replacements of kustomize take: a word that equals one is no other word."""
        return {name for item, name in self._index.named if TAKEN_NAME in item.annotations}

    def _is_wanted(self, name: str) -> bool:
        return name in self._names

    def _is_common(self, name: str) -> bool:
        """Tell whether a name may as well mean something else."""
        return name.isalnum() or name in self._others

    @cached_property
    def _others(self) -> set[str]:
        """Names of other objects and of containers, and values of labels."""
        others: set[str] = set()
        for item in self._items:
            others.update(item.labels.values())
            if not item.is_config:
                others.add(item.id.name)
                others.update(text(get(one, "name")) for _, one in find_containers(item))
        return others

    def _locate(
        self, item: Item, field: str, key: str, scalar: Scalar, names: Iterable[_NameInText]
    ) -> Iterator[TextMention]:
        told: set[Item] = set()
        for one in names:
            if (scalar, one.name) in self._followed:
                continue
            for_people = one.for_people or _pattern(_FOR_PEOPLE).search(key) is not None
            for kind in one.kinds:
                for target in self._meant(item, kind, one.name, scalar.value, one.start):
                    if target is not item and target not in told:
                        told.add(target)
                        yield TextMention(target, item, field, scalar, one.start, for_people)

    def _meant(self, item: Item, kind: str, name: str, value: str, start: int) -> Iterable[Item]:
        """Return the objects that a name in a text may mean, by the namespace in the text."""
        namespaced = _pattern(_NAMESPACED).search(value, max(0, start - _LONGEST_WORD), start)
        there = next(filter(None, namespaced.groups()), "") if namespaced else ""
        if there and there not in _RESOURCES:
            return self._index.find_anywhere_near(kind, name, there)
        anywhere = self._index.find_anywhere_near(kind, name, "")
        if self._index.kinds.is_cluster_scoped(item.id):
            if (kind, name) in self._told:
                return anywhere[:1]  # many texts about many namespaces would be the square
            self._told.add((kind, name))
            return anywhere
        here = item.id.namespace
        near = self._index.find_anywhere_near(kind, name, here) if here else anywhere
        return near or [one for one in anywhere[:1] if one.id.namespace in value]


_KEY_AS_VARIABLE = r"\w+=(?P<name>[a-z0-9][a-z0-9.-]*)(?::[\w./-]+)?"
"""A variable, and the key of an object for it: `TOKEN=web:token`.

Source: dapr/dapr, pkg/injector/patcher/sidecar.go (EnvFromSecret).
"""

_LONGEST_LIST = 1000
"""An annotation of more characters is no list of names."""


def _kinds_in_key(key: str) -> tuple[str, ...]:
    """Return the kinds that the key of an annotation may mean."""
    kinds = tuple(kind for kind in CONFIG_KINDS if kind.lower() in re.sub("[-_]", "", key.lower()))
    return kinds if len(kinds) == 1 else CONFIG_KINDS


def find_names_in_text(
    value: str, is_wanted: Callable[[str], bool], is_common: Callable[[str], bool]
) -> Iterator[_NameInText]:
    """Find the names beside a kind in a text, each once, those that programs read first.

    A common name must be next to the kind.
    """
    kinds = _find_kinds(value)
    if not kinds and "$" not in value and not any(sign in value for sign in _TAG_SIGNS):
        return
    found: dict[str, _NameInText] = {}
    starts = [one.start for one in kinds]
    for name, start in _find_near_kinds(value, kinds, is_wanted):
        at = bisect(starts, start)
        beside = [*reversed(kinds[max(0, at - _NEAREST) : at]), *kinds[at : at + 1]]
        if name in found and not found[name].for_people:
            continue
        for one in beside:
            found_here = _read_beside(value, one, name, start, is_close=is_common(name))
            if found_here and (name not in found or found[name].for_people > found_here.for_people):
                found[name] = found_here
    for found_here in _find_tagged(value, is_wanted):
        found.setdefault(found_here.name, found_here)
    for key in _pattern(_ARGO_CD_KEY).finditer(value):
        name = key["name"]
        if is_wanted(name) and not is_common(name):
            found.setdefault(name, _NameInText(name, key.start("name"), ("Secret",)))
    yield from found.values()


def _find_tagged(value: str, is_wanted: Callable[[str], bool]) -> Iterator[_NameInText]:
    """Yield the names in URLs and the like: behind a namespace, else the last word."""
    for tag in _pattern(_TAG).finditer(value):
        kind = "Secret" if tag["secret"] else tag["kind"]
        words = [*WORD.finditer(value, *tag.span("path"))]
        for word in (*words[1:2], *words[-1:]):
            if is_wanted(word[0]) and _is_word(value, *word.span()):
                yield _NameInText(word[0], word.start(), (kind,) if kind else CONFIG_KINDS)
                break


def _find_kinds(value: str) -> list[_KindInText]:
    """Find the words in a text that say a kind: `configMap:`, `secretName=`; not `db-secret`."""
    lower = value.lower()
    if len(lower) != len(value) or ("config" not in lower and "secret" not in lower):
        return []  # as most texts
    found: list[_KindInText] = []
    for one in _pattern(_KIND).finditer(lower):
        start, end = one.span()
        while start and value[start - 1] in _IN_WORD and one.start() - start < _LONGEST_WORD:
            start -= 1
        while end < len(value) and value[end] in _IN_WORD and end - one.end() < _LONGEST_WORD:
            end += 1
        word = value[start:end]
        is_key = _pattern(_KEY_END).match(value, end) is not None
        is_code = word.startswith("-") or _pattern(_CODE).search(word) is not None
        is_whole = one[0] in word.lower().split(".")
        kind = _KIND_WORDS[one["word"]]
        if value[start - 1 : start] == "/":
            pointed = _end_of_pointer(value, start, end)
            if pointed is not None:
                found.append(
                    _KindInText(kind, start, pointed, is_key, is_code=True, in_pointer=True)
                )
                continue
            if not value.count("namespaces/", max(0, start - _BEFORE), start):
                continue  # a folder
        if is_key or is_code or is_whole:
            found.append(_KindInText(kind, start, end, is_key, is_code or is_key))
    return found


def _end_of_pointer(value: str, start: int, end: int) -> int | None:
    """Return where the path of a patch ends that holds a word; None if the word is in none."""
    if _pattern(_POINTER).search(value, max(0, start - _BEHIND), start) is None:
        return None
    behind = _pattern(_END_OF_POINTER).match(value, end)
    return behind.end() if behind else end


def _find_near_kinds(
    value: str, kinds: Iterable[_KindInText], is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, int]]:
    """Yield the names in a text that are not far from a kind. No part of the text is read twice."""
    read = 0
    for one in kinds:
        start, read = max(read, one.start - _BEFORE), max(read, one.end + _BEHIND)
        if start < read:
            for word in WORD.finditer(value, start, read):
                if is_wanted(word[0]) and _is_word(value, *word.span()):
                    yield word[0], word.start()


def _is_word(value: str, start: int, end: int) -> bool:
    """Tell whether a name in a text is no part of a longer one, and no template makes it one."""
    before, after = value[start - 1 : start] if start else "", value[end : end + 1]
    if before and (before in _IN_WORD or before == "}"):
        return False
    return after not in ("-", "_", "{", "$", "*") and not after.isalnum()


def _read_beside(
    value: str, kind: _KindInText, name: str, start: int, *, is_close: bool
) -> _NameInText | None:
    """Read a name beside a kind; None if it is not about it."""
    end = start + len(name)
    if kind.start <= start < kind.end:
        return None  # `configmap` itself
    if start < kind.start and kind.in_pointer:
        if not _is_in_value_before(value, start, value[end : kind.start]) or is_close:
            return None
        is_sentence = False
    elif start < kind.start:
        gap = value[end : kind.start]
        is_sentence = _pattern(_SENTENCE).fullmatch(gap) is not None and not kind.is_code
        is_beside = len(gap) <= _BEFORE and (
            is_sentence or _pattern(_KIND_FIELD).fullmatch(gap) is not None
        )
        if not is_beside or (is_close and len(_pattern(_WORDS).findall(gap)) > 1):
            return None
    else:
        gap = value[kind.end : start]
        if not _is_about(value, kind, gap) or (is_close and len(_pattern(_WORDS).findall(gap)) > 1):
            return None
        is_sentence = _pattern(_SENTENCE).fullmatch(gap) is not None and not kind.is_code
    line = _line_before(value, start)
    is_command = any(word in line for word in _RUNS_KUBECTL)
    for_people = (is_sentence and not is_command) or _pattern(_COMMENT).match(line) is not None
    return _NameInText(name, start, (kind.kind,), for_people)


def _is_in_value_before(value: str, start: int, gap: str) -> bool:
    """Tell whether a name is in the `value` of a JSON patch whose `path` comes behind it."""
    before = _pattern(_VALUE_BEFORE).search(value, max(0, start - _BEFORE), start)
    return before is not None and _pattern(_PATH_BEHIND).fullmatch(gap) is not None


def _is_about(value: str, kind: _KindInText, gap: str) -> bool:
    """Tell whether what is behind a kind, up to a name, leaves the name to be about it."""
    if len(gap) > _BEHIND or "\n\n" in gap or gap.count("\n") > _LINES_BEHIND:
        return False
    if kind.in_pointer:
        return _pattern(_VALUE_OF_PATCH).match(gap) is not None and not _is_closed(gap)
    if gap.startswith("/"):
        path = _pattern(_TOP_OF_PATH).fullmatch(gap)
        return path is not None and path["above"] not in _VAULT
    if _is_closed(gap) or _pattern(_OTHER_KIND).search(gap):
        return False
    if kind.is_key and _pattern(_OTHER_KEY).search(gap):
        return False
    return "\n" not in gap or _goes_on(value, kind, gap)


def _goes_on(value: str, kind: _KindInText, gap: str) -> bool:
    """Tell whether what is about a kind goes on in the next lines."""
    own = _line_before(value, kind.start)
    if not kind.is_key:
        # Only behind `kind: ConfigMap` and the name of a table.
        return gap.startswith("]") or _pattern(_ENDS_IN_KIND).search(own) is not None
    # What is in a setting is indented more than its key.
    indent = len(own) - len(own.lstrip(" -"))
    return all(_is_below(line, indent) for line in gap.split("\n")[1:])


def _is_closed(gap: str) -> bool:
    """Tell whether the brackets end that hold what is about a kind."""
    depth = 0
    # Those behind the name of a table in TOML do not.
    inside = gap.lstrip("]")
    for mark in _pattern(_BRACKET).finditer(inside):
        if mark[0] in "{[(":
            depth += 1
        else:
            depth -= 1
        if depth < 0 or (depth == 0 and inside[: mark.start()].lstrip("\"': =")[:1] in "{[("):
            return True
    return False


def _line_before(value: str, start: int) -> str:
    """Return a line up to a place in it; of a very long one only the end, which is no comment."""
    first = max(0, start - _LONGEST_LINE)
    return value[max(first, value.rfind("\n", first, start) + 1) : start]


def _is_below(line: str, indent: int) -> bool:
    own = len(line) - len(line.lstrip(" "))
    return own > indent or (own == indent and line.lstrip().startswith("-"))


class Mentions:
    """Options, fields of custom resources, values of charts, other texts, and copied objects.

    Each is searched at the first question, as few packages have any.
    """

    def __init__(
        self,
        items: Collection[Item],
        authored: Collection[ResolvedReference],
        index: Index,
        embedded: Collection[EmbeddedReference] = (),
    ) -> None:
        self._items = items
        self._authored = authored
        self._index = index
        self._embedded = embedded

    @cached_property
    def options(self) -> ProgramOptions:
        """Names that programs get on their command line, in a variable or in a file."""
        return ProgramOptions(self._items)

    @cached_property
    def unfollowed(self) -> list[NearMiss]:
        """Fields of custom resources that seem to name an object."""
        return find_unfollowed(self._items, self._authored, self._index)

    @cached_property
    def in_texts(self) -> list[TextMention]:
        """Names in other texts: annotations, expressions, patches, data."""
        followed = {(one.reference.name, one.reference.target) for one in self._authored}
        followed |= {(one.scalar, one.reference.target) for one in self._embedded}
        return find_in_texts(self._items, followed, self._index)

    @cached_property
    def in_variables(self) -> list[TextMention]:
        """Variables whose value is a name that nothing else has. It may be one from outside."""
        return find_in_variables(self._items, self._index)

    @cached_property
    def in_values(self) -> frozenset[Item]:
        """The objects that values of a chart reference, or name in a field that no rule follows."""
        named: set[Item] = set()
        for one in self._authored:
            if one.reference.installed_in is not None:
                named.update(one.targets)
        if any(read_releases(item.node, item.id) for item in self._items):
            named.update(miss.target for miss in self.unfollowed if _is_in_values(miss))
        return frozenset(named)

    @cached_property
    def copies(self) -> Copies:
        """The objects that programs copy elsewhere."""
        return Copies(self._items, self._authored)


def _is_in_values(miss: NearMiss) -> bool:
    """Tell whether a field is in the values of a chart whose pods may read these objects."""
    releases = read_releases(miss.referrer.node, miss.referrer.id)
    return any(release.holds(miss.field) and release.excluded is None for release in releases)
