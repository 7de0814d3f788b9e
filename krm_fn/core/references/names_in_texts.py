"""Find names of objects inside other text: in annotations, expressions, patches, URLs and data.

A name alone is a word like any other. It counts where the text itself says what it is: behind
`configmap` or `secret`, or as the whole text of an annotation whose key says so.
"""

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from krm_fn.base.item import CONFIG_KINDS, WORD, Item, data_keys
from krm_fn.base.keys import TAKEN_NAME
from krm_fn.base.kind import BUILT_IN_GROUPS, may_refer
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    FieldPath,
    spell,
)
from krm_fn.base.pods import find_containers
from krm_fn.core.names.names import base_name
from krm_fn.core.references.find import exclusion_of
from krm_fn.core.references.hits import (
    ANNOTATIONS,
    HOLDS_EXPRESSIONS,
    Hit,
    NameSearch,
    is_about_itself,
    split_key,
)
from krm_fn.core.references.sighting import TEXT, TEXT_FOR_PEOPLE, VARIABLE, Sighting
from krm_fn.core.references.words import (
    ABOUT_OTHERS,
    RESOURCES,
    RUNS_KUBECTL,
    SaidName,
    kinds_said,
    pattern,
    read_said,
)

_KIND_WORDS = {
    "configmap": "ConfigMap",
    "config_map": "ConfigMap",
    "config-map": "ConfigMap",
    "secret": "Secret",
}
"""How texts spell the kinds, in small letters."""

_KIND = r"(?P<word>config[-_]?map|secret)s?"
_CODE = (
    r"[a-z](?:ConfigMap|Secret)|(?:configMap|secret)[A-Z]"
    r"|[a-z0-9]_(?:config_?map|secret)s?(?![a-z])|(?<![a-z])(?:config_?map|secret)s?_[a-z]"
)
"""A kind as a part of a field's name, as in `fromConfigMap`, `secretName` and `read_config_map`."""

_KEY_END = r"[\"'`]?\s*[:=]"
_TAG = (
    r"(?:kubernetes|k8s)://(?:v1/(?P<kind>ConfigMap|Secret)/)?"
    r"(?P<path>[a-z0-9.-]+(?:/[a-z0-9.-]+)*)"
)
_TAG_SIGN = "://"
"""How URLs say that they name an object of the cluster.

A name alone, behind its namespace, and in front of a key. Source: helmfile/vals,
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

_WITH_DOTS = r"\$\{\w+\.(?P<namespace>[a-z0-9-]+)\.(?P<name>[a-z0-9-]+)\.[\w.-]+\}"
"""A variable that is a key of an object, as Beats and the Elastic Agent read it: `${kubernetes.shop.web.key}`.

Source: elastic/beats, libbeat/common/kubernetes/k8skeystore/kubernetes_keystore.go (Retrieve).
"""

_TOP_OF_PATH = r"/(?:(?P<above>[a-z0-9-]+)/)?"
_VAULT = frozenset({"data", "kv", "metadata"})
"""The text behind `secret/` in a path of Vault."""

_PATH_OF_FILE = r"(?:^|[\s\"'=:,([{])(?:\.{0,2}/(?:[^\s\"'=:,]*/)?|[^\s\"'=:,]+/[^\s\"'=:,]+/)$"
"""The text in front of the last name in a path or a URL."""

_OTHER_KIND = r"\bkind[\"']?\s*[:=]"
_OTHER_KEY = (
    r"^[\"'`]?\s*[:=]\s*[\"']?[\w.-]+[\"']?\s*[,;]\s*[\"']?(?!\w*[nN]ame)\w[\w-]*[\"']?\s*[:=]"
)
"""The value of a setting, and the key of another one behind it: `: other, service:`."""

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

_KEY_SAYS = r"(?i)config(?![-_]?map)|volume|(?:^|[._-])cm(?:$|[_-])"

_NAMESPACED = (
    r"(?:namespaces/(?P<above>[a-z0-9-]+)/(?i:configmaps?|secrets?)"
    r"|(?:kubernetes|k8s)://(?:v1/(?:ConfigMap|Secret)/)?(?P<url>[a-z0-9-]+)"
    r"|(?<![\w./-])(?P<beside>[a-z0-9][a-z0-9-]*))/$"
)

_OF_TEMPLATE = ("spec", "template", "metadata", "annotations")
_OF_CRON_JOB = ("spec", "jobTemplate", *_OF_TEMPLATE)


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


def sight_texts(search: NameSearch) -> Iterator[Sighting]:
    """Find the names of ConfigMaps and Secrets inside texts, in the order of the texts.

    Texts of Secrets are not looked at.
    """
    reader = _TextSearch(search)
    for hits in search.applied.values():
        for hit in hits:
            yield from reader.read(hit)


def sight_variables(search: NameSearch) -> Iterator[Sighting]:
    """Find the variables whose value is the name of an object, and of nothing else."""
    reader = _TextSearch(search)
    for item, hits in search.applied.items():
        variables = [hit for hit in hits if hit.path[-1] == "value" and hit.path[-3:-2] == ("env",)]
        if variables:
            containers = {path for path, _ in find_containers(item)}
            for hit in variables:
                if spell(hit.path[:-3]) in containers:
                    yield from reader.read_variable(hit)


class _TextSearch:
    def __init__(self, search: NameSearch) -> None:
        self._search = search
        self._index = search.index
        self._names = search.config_names
        # Texts, and the names in them that rules read.
        self._followed = {
            (one.reference.name, one.reference.target)
            for one in search.references
            if one.targets or one.reference.is_output
        }
        self._followed |= {(one.scalar, one.reference.target) for one in search.embedded}
        self._told: set[tuple[str, str]] = set()

    def read(self, hit: Hit) -> Iterator[Sighting]:
        item = hit.item
        if self._is_annotation(item, hit.path[:-1]):
            names = self._read_annotation(hit)
        elif item.is_config:
            names = self._read_data(hit) if item.id.kind == CONFIG_KINDS[0] else ()
        elif self._is_read(item) and hit.path[0] != "metadata":
            # A field that is the name as a whole is none of these texts (`unfollowed`).
            said = (one for one in self._read_said(hit) if hit.is_key or one.name != hit.text)
            names = [*said, *self._read_text(hit.text)]
            if names and exclusion_of(hit.field, item.id) is not None:
                return
        else:
            return
        yield from self._locate(hit, names)

    def _is_annotation(self, item: Item, path: FieldPath) -> bool:
        """Tell whether what is below a path annotates an object, or one that another makes."""
        template = _OF_CRON_JOB if item.id.kind == "CronJob" else _OF_TEMPLATE
        return path in (ANNOTATIONS, template) or (
            path[:1] != ("metadata",) and "annotations" in path and self._is_read(item)
        )

    def _is_read(self, item: Item) -> bool:
        """Tell whether all texts of an object are: those of Kubernetes itself hold no others."""
        is_plain = item.id.group in BUILT_IN_GROUPS and item.id.group != HOLDS_EXPRESSIONS
        return may_refer(item.id) and not is_plain

    def read_variable(self, hit: Hit) -> Iterator[Sighting]:
        name = hit.text
        is_taken = name in self._taken and name not in self._others
        if self._is_wanted(name) and (is_taken or not self._is_common(name)):
            for one in self._locate(hit, [_NameInText(name, 0, CONFIG_KINDS)]):
                yield one._replace(way=VARIABLE)

    def _read_annotation(self, hit: Hit) -> Iterable[_NameInText]:
        key = str(hit.path[-1])
        if is_about_itself(key):
            return ()
        return [
            *self._read_said(hit),
            *self._read_behind_namespace(hit.text, key),
            *self._read_text(hit.text),
        ]

    def _read_data(self, hit: Hit) -> Iterable[_NameInText]:
        return [
            *self._read_words_of_argo_cd(hit.item, hit.text),
            *self._read_behind_namespace(hit.text),
            *self._read_text(hit.text),
        ]

    def _read_text(self, value: str) -> Iterator[_NameInText]:
        """Yield the names beside a kind, and those between their namespace and a key: `shop.web.key`."""
        yield from find_names_in_text(value, self._is_wanted, self._is_common)
        for path in pattern(_WITH_DOTS).finditer(value):
            name = path["name"]
            if self._is_there(name, path["namespace"]):
                yield _NameInText(name, path.start("name"), CONFIG_KINDS)

    def _read_said(self, hit: Hit) -> Iterator[_NameInText]:
        """Yield the names in a value, or a key, where the key or the one above says the kind."""
        kinds, names = _read_below_key(hit)
        for one in names if kinds else ():
            is_common = one.is_all and one.name in self._others
            if not is_common and self._is_there(one.name, one.namespace):
                yield _NameInText(one.name, one.start, kinds)

    def _read_behind_namespace(self, value: str, key: str = "") -> Iterator[_NameInText]:
        """Yield the names behind their namespace, and all names in an annotation whose key says config or volume."""
        is_hinted = pattern(_KEY_SAYS).search(key.rpartition("/")[2]) is not None
        for name, start, namespace, is_all in read_said(value):
            is_meant = is_hinted or (namespace and is_all)
            if is_meant and self._is_there(name, namespace) and name not in self._others:
                yield _NameInText(name, start, CONFIG_KINDS)

    def _is_there(self, name: str, namespace: str) -> bool:
        """Tell whether an object has a name, in this namespace or, without one, in any."""
        near = (self._index.find_anywhere_near(kind, name, namespace) for kind in CONFIG_KINDS)
        return name in self._names and (not namespace or any(near))

    def _read_words_of_argo_cd(self, item: Item, value: str) -> Iterator[_NameInText]:
        is_of_argo_cd = base_name(item) == _SETTINGS_OF_ARGO_CD
        if "$" in value and (is_of_argo_cd or _OF_A_PLUGIN.issubset(data_keys(item))):
            for key in pattern(_WORD_OF_ARGO_CD).finditer(value):
                if self._is_wanted(key["name"]):
                    yield _NameInText(key["name"], key.start("name"), ("Secret",))

    @cached_property
    def _taken(self) -> set[str]:
        """The names that replacements of kustomize take: a word that equals one is no other word."""
        return {name for item, name in self._index.named if TAKEN_NAME in item.annotations}

    def _is_wanted(self, name: str) -> bool:
        return name in self._names

    def _is_common(self, name: str) -> bool:
        """Tell whether a name may as well mean something else."""
        return name.isalnum() or name in self._others

    @property
    def _others(self) -> set[str]:
        return self._search.names_of_others

    def _locate(self, hit: Hit, names: Iterable[_NameInText]) -> Iterator[Sighting]:
        item, scalar = hit.item, hit.scalar
        told: set[Item] = set()
        for one in names:
            if (scalar, one.name) in self._followed:
                continue
            for_people = one.for_people or pattern(_FOR_PEOPLE).search(hit.key) is not None
            way = TEXT_FOR_PEOPLE if for_people else TEXT
            for kind in one.kinds:
                for target in self._meant(item, kind, one.name, scalar.value, one.start):
                    if target is not item and target not in told:
                        told.add(target)
                        yield Sighting(
                            way, target, item, hit.field, one.name, scalar=scalar, start=one.start
                        )

    def _meant(self, item: Item, kind: str, name: str, value: str, start: int) -> Iterable[Item]:
        """Return the objects that a name in a text may mean, by the namespace in the text."""
        namespaced = pattern(_NAMESPACED).search(value, max(0, start - _LONGEST_WORD), start)
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


def _read_below_key(hit: Hit) -> tuple[tuple[str, ...], Iterable[SaidName]]:
    """Return the kinds that the key of a text says, or the one above it, and the words that may be names.

    A text that is a key itself has one such word, its last: `driver.secrets.web`.
    """
    *above, key = ["", *(step for step in hit.path if isinstance(step, str))]
    if not hit.is_key:
        is_other = key.lower().endswith(ABOUT_OTHERS)
        words = hit.text.replace(" ", ",")  # a blank parts a list as well
        return kinds_said(key) or kinds_said("" if is_other else above[-1]), read_said(words)
    before, name = split_key(key)
    said = SaidName(name, len(key) - len(name), "", is_all=False)
    return kinds_said(before or above[-1]), [said]


def find_names_in_text(
    value: str, is_wanted: Callable[[str], bool], is_common: Callable[[str], bool]
) -> Iterator[_NameInText]:
    """Find the names beside a kind in a text, each once, those that programs read first.

    A common name must be next to the kind.
    """
    kinds = _find_kinds(value)
    if not kinds and "$" not in value and _TAG_SIGN not in value:
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
    for key in pattern(_ARGO_CD_KEY).finditer(value):
        name = key["name"]
        if is_wanted(name) and not is_common(name):
            found.setdefault(name, _NameInText(name, key.start("name"), ("Secret",)))
    yield from found.values()


def _find_tagged(value: str, is_wanted: Callable[[str], bool]) -> Iterator[_NameInText]:
    """Yield the names in URLs and the like: behind a namespace, else the last word."""
    for tag in pattern(_TAG).finditer(value):
        kind = tag["kind"]
        words = [*WORD.finditer(value, *tag.span("path"))]
        for word in (*words[1:2], *words[-1:]):
            if is_wanted(word[0]) and _is_word(value, *word.span()):
                yield _NameInText(word[0], word.start(), (kind,) if kind else CONFIG_KINDS)
                break


def _find_kinds(value: str) -> list[_KindInText]:
    """Find the words in a text that say a kind: `configMap:`, `secretName=`; not `db-secret`."""
    lower = value.lower()
    if len(lower) != len(value) or not any(word in lower for word in _KIND_WORDS):
        return []  # as most texts
    found: list[_KindInText] = []
    for one in pattern(_KIND).finditer(lower):
        start, end = one.span()
        while start and value[start - 1] in _IN_WORD and one.start() - start < _LONGEST_WORD:
            start -= 1
        while end < len(value) and value[end] in _IN_WORD and end - one.end() < _LONGEST_WORD:
            end += 1
        word = value[start:end]
        is_key = pattern(_KEY_END).match(value, end) is not None
        is_code = word.startswith("-") or pattern(_CODE).search(word) is not None
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
    if pattern(_POINTER).search(value, max(0, start - _BEHIND), start) is None:
        return None
    behind = pattern(_END_OF_POINTER).match(value, end)
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
        is_sentence = pattern(_SENTENCE).fullmatch(gap) is not None and not kind.is_code
        is_beside = len(gap) <= _BEFORE and (
            is_sentence or pattern(_KIND_FIELD).fullmatch(gap) is not None
        )
        if not is_beside or (is_close and len(pattern(_WORDS).findall(gap)) > 1):
            return None
    else:
        gap = value[kind.end : start]
        if not _is_about(value, kind, gap) or (is_close and len(pattern(_WORDS).findall(gap)) > 1):
            return None
        is_sentence = pattern(_SENTENCE).fullmatch(gap) is not None and not kind.is_code
    line = _line_before(value, start)
    is_command = any(word in line for word in RUNS_KUBECTL)
    for_people = (is_sentence and not is_command) or pattern(_COMMENT).match(line) is not None
    return _NameInText(name, start, (kind.kind,), for_people)


def _is_in_value_before(value: str, start: int, gap: str) -> bool:
    """Tell whether a name is in the `value` of a JSON patch whose `path` comes behind it."""
    before = pattern(_VALUE_BEFORE).search(value, max(0, start - _BEFORE), start)
    return before is not None and pattern(_PATH_BEHIND).fullmatch(gap) is not None


def _is_about(value: str, kind: _KindInText, gap: str) -> bool:
    """Tell whether what is behind a kind, up to a name, leaves the name to be about it."""
    if len(gap) > _BEHIND or "\n\n" in gap or gap.count("\n") > _LINES_BEHIND:
        return False
    if kind.in_pointer:
        return pattern(_VALUE_OF_PATCH).match(gap) is not None
    if gap.startswith("/"):
        path = pattern(_TOP_OF_PATH).fullmatch(gap)
        return path is not None and path["above"] not in _VAULT
    is_path = not gap.startswith(_TAG_SIGN) and pattern(_PATH_OF_FILE).search(gap)
    if is_path or pattern(_OTHER_KIND).search(gap):
        return False
    if kind.is_key and pattern(_OTHER_KEY).search(gap):
        return False
    return "\n" not in gap or _goes_on(value, kind, gap)


def _goes_on(value: str, kind: _KindInText, gap: str) -> bool:
    """Tell whether what is about a kind goes on in the next lines."""
    own = _line_before(value, kind.start)
    if not kind.is_key:
        # Only behind `kind: ConfigMap`, the name of a table, and in the braces of a block.
        is_block = gap.startswith("]") or gap.count("{") > gap.count("}")
        return is_block or pattern(_ENDS_IN_KIND).search(own) is not None
    # What is in a setting is indented more than its key.
    indent = len(own) - len(own.lstrip(" -"))
    return all(_is_below(line, indent) for line in gap.split("\n")[1:])


def _line_before(value: str, start: int) -> str:
    """Return a line up to a place in it; of a very long one only the end, which is no comment."""
    first = max(0, start - _LONGEST_LINE)
    return value[max(first, value.rfind("\n", first, start) + 1) : start]


def _is_below(line: str, indent: int) -> bool:
    own = len(line) - len(line.lstrip(" "))
    return own > indent or (own == indent and line.lstrip().startswith("-"))
