"""Find names of objects inside other text: in annotations, expressions, patches, URLs and data.

A name alone is a word like any other. It counts where the text itself says what it is: behind
`configmap` or `secret`, or as the whole text of an annotation whose key says so.
"""

import re
from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, cached_property
from typing import NamedTuple

from krm_fn.base.item import CONFIG_KINDS, WORD, Item, data_keys, data_texts
from krm_fn.base.keys import TAKEN_NAME
from krm_fn.base.kind import BUILT_IN_GROUPS, may_refer
from krm_fn.base.node import (
    FieldPath,
    Node,
    Scalar,
    elements,
    entries,
    get,
    is_scalar,
    scalars,
    spell,
    text,
)
from krm_fn.base.pods import find_containers
from krm_fn.core.names.names import base_name
from krm_fn.core.references.find import (
    exclusion_of,
)
from krm_fn.core.references.program_options import RESOURCES, RUNS_KUBECTL
from krm_fn.core.references.resolve import Index

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
        if there and there not in RESOURCES:
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
    is_command = any(word in line for word in RUNS_KUBECTL)
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
