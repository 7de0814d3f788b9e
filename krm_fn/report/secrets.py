"""Hide all of a Secret but keys and sizes, and the names made from its content.

Not even a digest is shown: who can guess a value could compare it.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.item import DATA_FIELDS, HASH, WORD, Item, is_like_secret, is_secret_tracker
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.kind import KAPP_VERSIONED, PROTECTIONS, SPINNAKER_VERSIONED
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import FieldPath, Node, fields, get, is_mapping, is_null, is_scalar, text
from krm_fn.base.problem import Problem, Severity, printable
from krm_fn.base.producer import RENAMABLE_KINDS
from krm_fn.core.names.content_digest import read_content
from krm_fn.core.names.names import CONTENT_NAME, base_name
from krm_fn.facts.kinds import OPAQUE_KINDS

_SECRET = "Secret"  # noqa: S105  # the name of a kind

_IN_PRODUCERS = (*DATA_FIELDS, "encryptedData")
"""Where producers of Secrets hold ciphertext, or templates with values.

A list of this name holds references.
"""

_OPEN = {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}
"""Fields that say nothing about values, if they are text."""

_BOOLEANS = ("true", "True", "TRUE", "false", "False", "FALSE")
_TYPES = ("", "Opaque")
"""The values of `type` without a slash, in which a password would be seen."""

_OF_DEPLOYERS = {one.annotation for one in chain.from_iterable(PROTECTIONS.values())}
_OPEN_ANNOTATIONS = {KAPP_VERSIONED, NEEDS_HASH_SUFFIX, SPINNAKER_VERSIONED, *_OF_DEPLOYERS}

_DIGESTS = ("checksum", "digest", "hash")
"""Words in the name of an annotation whose value is a digest of content, as in `checksum/config`."""


# A text, which `re` compiles when it is first used (docs/decisions/0031).
_ID_OF_SECRET = (
    rf"\bSecret(?:\.[^/\s]{{0,253}})?/(?:[^/\s:,;'\"]+/)?([a-z0-9.-]+)-({HASH})(?![a-z0-9])"
)
"""The id of a Secret, as krm-fn or kustomize writes it, with a hash in its name."""

_PART = f"-{HASH}(?![a-z0-9])"
_MASK = "(hash)"


def is_hidden(kind: str, path: FieldPath, around: Mapping[str, Node]) -> bool:
    """Tell whether a field is never shown, with all that is below it.

    Ask for each field on the way.

    `kind` is that of the object: see `kind_for_masks`. `around` are the fields of the mapping that
    the field is in: it may be a Secret within another object, such as a template.
    """
    name = path[-1]
    if kind == _SECRET and not _is_open(path, around):
        return True
    is_within = len(path) > 1 and kind not in OPAQUE_KINDS
    if name in DATA_FIELDS and is_within and is_like_secret(around):
        return True
    if kind in RENAMABLE_KINDS:
        is_in_producer = name in _IN_PRODUCERS and is_mapping(around.get(str(name)))
        if path == ("sops",) or is_in_producer:
            return True
    return path[-2:-1] == ("annotations",) and isinstance(name, str) and _is_hidden_annotation(name)


def kind_for_masks(*items: Item | None) -> str:
    """Return the kind to ask `is_hidden` with about versions of an object: `Secret` if one is.

    Where a version has lost what makes it a Secret, its values may still be those of the other one.
    """
    present = [item for item in items if item is not None]
    if any(item.is_like_secret for item in present):
        return _SECRET
    return present[0].id.kind if present else ""


def _is_open(path: FieldPath, around: Mapping[str, Node]) -> bool:
    """Tell whether a field of a Secret says nothing about its values, even if one is put there."""
    value = around.get(str(path[-1]))
    match path:
        case ("metadata",) | ("metadata", "annotations" | "labels"):
            return is_mapping(value)  # each field in it is asked about
        case ("metadata", "annotations", str(annotation), *_):
            return annotation in _OPEN_ANNOTATIONS or annotation.startswith(keys.PREFIX)
        case ("immutable",):
            return is_null(value) or text(value) in _BOOLEANS
        case ("type",):
            return is_scalar(value) and (text(value) in _TYPES or "/" in text(value))
    return is_scalar(value) and (path[:-1] == ("metadata", "labels") or path in _OPEN)


def _is_hidden_annotation(name: str) -> bool:
    return name == keys.LAST_APPLIED or any(word in name.lower() for word in _DIGESTS)


UNREAD = "!unread"
"""The tag of a value that has not been read: of a live Secret, only keys are known."""


class Shown(NamedTuple):
    """The size of a value in bytes, and its text; None for binary data, and in a Secret.

    The size is None if nobody has read the value.
    """

    size: int | None
    text: str | None = None


class StoredValue(NamedTuple):
    """The bytes of a value, and its text; None for binary data, and for all that is in a Secret.

    The bytes are None if nobody has read them.
    """

    content: bytes | None
    text: str | None

    @property
    def shown(self) -> Shown:
        return Shown(None if self.content is None else len(self.content), self.text)


class KeyChange(NamedTuple):
    """A key whose value differs; None on the side that lacks it."""

    key: str
    old: Shown | None
    new: Shown | None


def show_content(item: Item | None) -> dict[str, Shown]:
    values = _values_of(item, is_secret=kind_for_masks(item) == _SECRET)
    return {key: value.shown for key, value in values.items()}


def compare_content(old: Item | None, new: Item | None) -> tuple[KeyChange, ...]:
    is_secret = kind_for_masks(old, new) == _SECRET
    return compare_values(
        _values_of(old, is_secret=is_secret), _values_of(new, is_secret=is_secret)
    )


def compare_values(
    old: Mapping[str, StoredValue], new: Mapping[str, StoredValue]
) -> tuple[KeyChange, ...]:
    """Compare all bytes, and return what may be shown of the keys that differ, in order."""
    changes = []
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key), new.get(key)
        if before is None or after is None or before.content != after.content:
            changes.append(
                KeyChange(key, before.shown if before else None, after.shown if after else None)
            )
    return tuple(changes)


def _values_of(item: Item | None, *, is_secret: bool) -> dict[str, StoredValue]:
    if item is None or not item.is_config:
        return {}
    written = {**fields(get(item.node, "data")), **fields(get(item.node, "stringData"))}
    texts: dict[str, Node] = {} if is_secret else fields(get(item.node, "data"))
    values: dict[str, StoredValue] = {}
    for key, value in read_content(item.node).items():
        is_unread = key in written and written[key].tag == UNREAD
        shown = value.decode() if is_scalar(texts.get(key)) else None
        values[key] = StoredValue(None if is_unread else value, shown)
    return values


class Masks:
    """The words in place of names with hashes of Secrets: `db-(hash 1)`, `db-(hash 2)`.

    A hash would let people guess the content. Equal names have equal numbers. Only Secrets among the items count.
    """

    def __init__(self, items: Iterable[Item]) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        for item in items:
            if item.id.kind != "Secret":
                continue
            base = base_name(item)
            self._numbers[base] = self._numbers.get(base, {})
            if item.id.name != base:
                self._number(base, item.id.name)

    def hide(self, text: str) -> str:
        """Mask each such name in a text."""
        if not self._numbers or not re.search(HASH, text):
            return text
        return WORD.sub(lambda found: self._mask(found[0]), text)

    def _mask(self, name: str) -> str:
        match = CONTENT_NAME.fullmatch(name)
        # A name that is not numbered may be of a revision that is in no rendering.
        if match is None or match[1] not in self._numbers:
            return name
        return f"{match[1]}-(hash {self._number(match[1], name)})"

    def _number(self, base: str, name: str) -> int:
        numbers = self._numbers[base]
        return numbers.setdefault(name, len(numbers) + 1)


def number_names(secrets: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return what is shown in the place of the names of live Secrets: `db-(hash 1)`.

    Each comes with its base name.
    """
    numbers: dict[str, int] = {}
    masks: dict[str, str] = {}
    for base, name in secrets:
        if name not in masks:
            numbers[base] = numbers.get(base, 0) + 1
            masks[name] = f"{base}-(hash {numbers[base]})"
    return masks


def hide_in_ids(line: str) -> str:
    """Mask the hash in the ids of Secrets: `Secret/shop/db-(hash)`."""
    return re.sub(_ID_OF_SECRET, lambda found: found[0].removesuffix(found[2]) + _MASK, line)


def hide_in_problems(problems: Iterable[Problem], items: Iterable[Item]) -> list[Problem]:
    """Mask the names of Secrets in what people read: `db-(hash)`.

    Without a number, which other runs could give anew.

    `resource` stays as it is: orchestrators find the object by that.
    """
    problems = list(problems)
    said = [*map(str, problems)]
    if not any(re.search(HASH, one) for one in said):
        return problems
    bases = {
        base_name(item) for item in items if item.id.kind == "Secret" or is_secret_tracker(item)
    }
    for sentence in said:
        if "Secret" in sentence:  # else the pattern need not be compiled
            found = re.finditer(_ID_OF_SECRET, sentence)
            bases.update(one[1] for one in found)  # what is missing
    if not bases:
        return problems
    return [
        problem._replace(
            message=_hide_bases(problem.message, bases),
            shown_resource=_hide_bases(str(problem.resource or ""), bases),
        )
        for problem in problems
    ]


def _hide_bases(text: str, bases: set[str]) -> str:
    return WORD.sub(
        lambda word: re.sub(_PART, lambda found: _hide_part(word[0], found, bases), word[0]), text
    )


def _hide_part(word: str, found: re.Match[str], bases: set[str]) -> str:
    """Mask a hash behind a base name; a suffix may have been added to both."""
    before, behind = word[: found.start()], word[found.end() :]
    return f"-{_MASK}" if before in bases or before + behind in bases else found[0]


def stderr_lines(problems: Iterable[Problem]) -> str:
    """Write one line for each error and warning. Many orchestrators show only stderr.

    It ends in logs, so no id shows the hash of a Secret.
    """
    lines: list[str] = []
    for problem in problems:
        if problem.severity is not Severity.INFO:
            lines.append(f"{problem.severity}: {printable(hide_in_ids(str(problem)))}\n")
    return "".join(lines)
