"""Data of ConfigMaps and Secrets: keys that pods want and do not get, and what no API server accepts.

Of a Secret only keys are said. Observed with Kubernetes 1.36: null is accepted, and base64 may be folded, but not
unpadded. The limits are those of `ValidateConfigMap` and `ValidateSecret` in pkg/apis/core/validation.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from krm_fn.base.deployer import DEPLOYERS
from krm_fn.base.item import DATA_FIELDS, Item, about
from krm_fn.base.node import (
    Node,
    Scalar,
    descend,
    describe,
    elements,
    entries,
    get,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    is_sequence,
    read_path,
    step,
    text,
)
from krm_fn.base.pods import CONTAINER_LISTS
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Settings
from krm_fn.base.words import and_others, listing
from krm_fn.core.decide.encrypted import is_encrypted
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.revisions import Revisions
from krm_fn.core.names.go_yaml import is_base64, is_plainly_text, is_text, read_scalar, unfold
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.names.suggest import did_you_mean, find_meant
from krm_fn.core.references.find import ROLES
from krm_fn.core.references.reference import ResolvedReference
from krm_fn.core.references.references import References
from krm_fn.guards.replaced_later import is_placeholder
from krm_fn.guards.well_known import looked_up_by

_MOST_NAMES = 5
"""Keys or files that a message lists."""

# Texts, which `re` compiles when they are first used (docs/decisions/0031).
_VOLUME = r"(?P<pod>.+)\.volumes\[(?P<position>\d+)\]\.(?:configMap|secret)\.\w+"
_PROJECTED = r".+\.volumes\[\d+\]\.projected\.sources\[\d+\]\.(?:configMap|secret)\.\w+"

_FILLED = "(?i:replicat|reflect|generat|inject|vault)"
"""What the labels and annotations of objects say that a program of the cluster fills, in whatever way it is called."""

_WRITE = frozenset({"update", "patch", "*"})
_FALSE = ("", "false", "False", "FALSE")

_FIELDS = {
    "ConfigMap": {"data": False, "binaryData": True},
    "Secret": {"data": True, "stringData": False},
}
"""The fields with data, and whether their values are base64. A key of `stringData` wins over the same one of `data`."""

_KEY = re.compile(r"(?!\.\Z|\.\.)[-._a-zA-Z0-9]{1,253}")
_MOST_BYTES = 1024 * 1024
_MOST_BYTES_OF_A_CHARACTER = 4

_BOOLEAN_WORDS = frozenset(
    ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF")
)
"""Words that sigs.k8s.io/yaml reads as booleans, and the YAML of kustomize and kpt as text."""


class _Wanted(NamedTuple):
    """A key or path, and where it is wanted: a problem that lacks its message."""

    name: str
    problem: Problem


def find_missing_keys(
    package: Package, references: References, written: Collection[Item], settings: Settings
) -> Iterator[Problem]:
    """Warn about each key that an object does not have, and about each path that the items of a volume do not have.

    The pods that want one do not start. The object must be the only one that is meant, and all of its keys must be
    known: controllers and programs add keys to what they write to. `written`: the objects that controllers write.
    """
    wanted: dict[Item, list[_Wanted]] = defaultdict(list)
    sub_paths = cache(_find_sub_paths)  # several references are in one pod
    for one in references.authored:
        reference = one.reference
        if reference.in_pod and not reference.written and text(reference.around.get("optional")) in _FALSE:
            keys, of_volume = _find_wanted(one, sub_paths)
            paths = [text(get(entry, "path")) for entry in elements(reference.around.get("items"))]
            yield from _judge_paths(paths, of_volume)
            if len(one.targets) == 1:  # of several that may be meant, another one may have the key
                wanted[one.targets[0]] += keys
    for one in references.mounted:
        if len(one.targets) == 1:
            wanted[one.targets[0]] += _wanted_by_mount(one, package, references, settings)
    if not wanted:
        return
    written = {*written} | _find_written_by_programs(references)
    for item, several in wanted.items():
        missing = [] if item in written else [*_judge_keys(item, several)]
        if missing and looked_up_by(item, base_name(item), package.namespace_of(item)) is None:
            yield from missing


def _find_wanted(
    one: ResolvedReference, sub_paths: Callable[[Item, str], dict[str, list[_Wanted]]]
) -> tuple[list[_Wanted], list[_Wanted]]:
    """Return the keys that a reference wants, and the paths that containers want of a volume with items."""
    referrer, reference = one.referrer, one.reference
    around = reference.field.rpartition(".")[0]
    if reference.field.endswith("KeyRef.name"):
        return [_Wanted(text(reference.around.get("key")), _at(referrer, f"{around}.key"))], []
    of_volume: list[_Wanted] = []
    volume = re.fullmatch(_VOLUME, reference.field)
    if volume:
        place = *read_path(volume["pod"]), "volumes", int(volume["position"])
        # The first volume of a name takes the paths: no API server accepts a second one.
        of_volume = sub_paths(referrer, volume["pod"]).pop(text(get(descend(referrer.node, place), "name")), [])
    items = elements(reference.around.get("items"))
    if not items:  # then each key is a file, and a subPath is a key
        return of_volume, []
    if not volume and not re.fullmatch(_PROJECTED, reference.field):
        return [], of_volume
    of_items = [
        _Wanted(text(get(entry, "key")), _at(referrer, f"{around}.items[{position}].key"))
        for position, entry in enumerate(items)
    ]
    return of_items, of_volume


def _find_sub_paths(item: Item, pod: str) -> dict[str, list[_Wanted]]:
    """Return the `subPath`s of the containers of a pod, by volume. `pod`: the path of its spec."""
    found: dict[str, list[_Wanted]] = defaultdict(list)
    spec = descend(item.node, read_path(pod))
    for containers in CONTAINER_LISTS:
        for position, container in enumerate(elements(get(spec, containers))):
            for index, mount in enumerate(elements(get(container, "volumeMounts"))):
                path = text(get(mount, "subPath")).rstrip("/")
                field = f"{pod}.{containers}[{position}].volumeMounts[{index}].subPath"
                found[text(get(mount, "name"))].append(_Wanted(path, _at(item, field)))
    return found


def _at(item: Item, field: str) -> Problem:
    return about(item, "", field, Severity.WARNING)


def _wanted_by_mount(
    mounted: ResolvedReference, package: Package, references: References, settings: Settings
) -> Iterator[_Wanted]:
    """Yield the keys that an entry of `spec.mounts` wants, at their fields in the configuration."""
    entry, names = mounted.reference.rule.text, references.index.names.all(mounted.targets[0])
    mount = settings.mounts[int(read_path(entry)[-1])]
    for number, source in enumerate(mount.sources):
        if source.kind == mounted.reference.kind and source.name in names and not source.optional:
            around = f"{entry}.projected[{number}]" if mount.projected else entry
            fields = [(f"{around}.items[{place}].key", item.key) for place, item in enumerate(source.items)]
            if not fields and not mount.projected:
                fields = [(f"{entry}.subPath", mount.sub_path)]
            for field, key in fields:
                yield _Wanted(key, Problem("", package.config_id, field, Severity.WARNING))


def _find_written_by_programs(references: References) -> set[Item]:
    """Return the objects that a role lets somebody change by their names."""
    written: set[Item] = set()
    for one in references.authored:
        if one.referrer.id.kind in ROLES and one.targets:
            rule = descend(one.referrer.node, read_path(one.reference.field)[:2])
            if not _WRITE.isdisjoint(text(verb) for verb in elements(get(rule, "verbs"))):
                written |= set(one.targets)
    return written


def _judge_paths(paths: list[str], wanted: Iterable[_Wanted]) -> Iterator[Problem]:
    """Warn about each path that is none of the items', no folder of one, and not below one."""
    files = {path.strip("/") for path in paths}
    if files and all(map(_is_certain, files)):
        present = files.union(*map(_folders_of, files))
        missing = [one for one in wanted if one.name not in present and files.isdisjoint(_folders_of(one.name))]
        listed = listing(sorted(files), _MOST_NAMES)
        for one, question in _ask(missing, files):
            message = f'the items of this volume have no path "{one.name}"{question} paths: {listed}'
            yield one.problem._replace(message=message)


def _judge_keys(item: Item, wanted: Iterable[_Wanted]) -> Iterator[Problem]:
    """Warn about each key that an object does not have. Keys hold no slash: a path below one begins with it."""
    keys = _read_keys(item)
    if keys:
        named = (one._replace(name=one.name.partition("/")[0]) for one in wanted)
        missing = [one for one in named if one.name not in keys]
        for one, question in _ask(missing, keys):
            message = f'{authored_id(item)} has no key "{one.name}"{question} keys: {listing(keys, _MOST_NAMES)}'
            yield one.problem._replace(message=message)


def _read_keys(item: Item) -> dict[str, None]:
    """Return all keys of an object, in order; none where somebody may add others, or where they may not be text."""
    marks = (*item.labels, *item.annotations)
    if not item.is_config or any(re.search(_FILLED, mark) for mark in marks):
        return {}
    keys: dict[str, None] = {}
    is_empty = True
    for data in (get(item.node, name) for name in DATA_FIELDS):
        names = [key for key, _ in data.value] if is_mapping(data) else []
        if not all(map(_is_text, names)):
            return {}
        for key, value in entries(data):
            keys[key] = None
            is_empty = is_empty and is_scalar(value) and not value.value.strip()
    # A controller fills what is empty here.
    return {} if is_empty or not all(map(_is_certain, keys)) else keys


def _is_text(key: Node) -> bool:
    """Tell whether a key is the same text for all programs."""
    if not is_scalar(key) or (not key.style and key.value in _BOOLEAN_WORDS):
        return False
    return is_text(key) or is_merge(key)


def _folders_of(path: str) -> list[str]:
    steps = path.split("/")
    return ["/".join(steps[:count]) for count in range(1, len(steps))]


def _is_certain(path: str) -> bool:
    """Tell whether a key or path is what it says: nothing replaces a part of it, and no step leads elsewhere."""
    return not is_placeholder(path) and {"", ".", ".."}.isdisjoint(path.split("/"))


def _ask(missing: Iterable[_Wanted], known: Collection[str]) -> Iterator[tuple[_Wanted, str]]:
    """Yield what is certainly missing, each once, and the question for what was meant."""
    certain = dict.fromkeys(one for one in missing if _is_certain(one.name))
    near = find_meant({one.name for one in certain}, known) if certain else {}
    for one in certain:
        meant = near.get(one.name, "")
        yield one, did_you_mean(f'"{meant}"') if meant else ";"


def find_refused_data(package: Package, revisions: Revisions, deployers: Collection[str]) -> Iterator[Problem]:
    """Warn about keys and values that no API server accepts, without the value: it may be a Secret's.

    What is wrong in the same way with several keys of an object is said once.
    """
    are_words_text = bool(deployers) and all(DEPLOYERS[name].keeps_boolean_words for name in deployers)
    errors = [problem for problem in revisions.problems if problem.severity is Severity.ERROR]
    said = {(problem.node, problem.field) for problem in errors}  # what has no hash
    for item in package.configs:
        if not item.is_config:
            continue
        wrong: dict[str, list[str]] = defaultdict(list)
        for field, message in _judge(item, are_words_text=are_words_text):
            if (item.node, field) not in said:
                wrong[message].append(field)
        for message, (field, *others) in wrong.items():
            whole = message + and_others(others)
            yield about(item, whole, field, Severity.WARNING)._replace(resource=authored_id(item))


def _judge(item: Item, *, are_words_text: bool) -> Iterator[tuple[str, str]]:
    """Yield each field that is wrong, and what is wrong with it. Of what SOPS encrypts, only keys are judged."""
    held: dict[str, tuple[Node, bool]] = {}
    is_readable = not is_encrypted(item)
    for name, is_encoded in _FIELDS[item.id.kind].items():
        data = get(item.node, name)
        if data is not None and not is_mapping(data) and not is_null(data):
            yield name, f"found {describe(data)}, expected a mapping: the API server refuses it"
        for key, value in entries(data):
            field = step(name, key)
            if not _KEY.fullmatch(key) and not is_placeholder(key):
                wrong = (
                    'the API server refuses this key; allowed: up to 253 letters, digits, "-", "_" and ".", but '
                    'neither "." alone nor ".." at the beginning'
                )
                yield field, wrong
            if key in held and item.id.kind == "ConfigMap":
                yield field, "the key is in data as well: the API server refuses it; remove one of them"
            held[key] = value, is_encoded  # of a Secret's key in both fields, only that of stringData counts
            wrong = _judge_value(value, are_words_text=are_words_text) if is_readable else ""
            if is_encoded and is_readable:
                wrong = "" if _is_bytes(value) else wrong or _judge_encoded(value, item.id.kind)
            if wrong:
                yield field, wrong
    if is_readable and (size := _size(held.values())) > _MOST_BYTES:
        yield "", f"its data has {size} bytes, allowed: {_MOST_BYTES} (1 MiB): the API server refuses it; split it"


def _judge_value(value: Node, *, are_words_text: bool) -> str:
    """Say why a value is no text; `""` for text, and for null, which is read as empty text."""
    if is_plainly_text(value):
        if are_words_text or value.style or value.value not in _BOOLEAN_WORDS:
            return ""
        return (
            "found yes, no, on, off, y or n without quotes, expected text: kubectl, Argo CD and Helm read a boolean, "
            "which the API server refuses; put it in quotes"
        )
    found = describe(value) if not is_scalar(value) else "" if is_null(value) else _describe(value)
    remedy = "; put it in quotes" if is_scalar(value) else ""
    return f"found {found}, expected text: the API server refuses it{remedy}" if found else ""


def _describe(value: Scalar) -> str:
    """Say what a scalar is, `""` for text."""
    try:
        read = read_scalar(value)
    except ValueError:  # infinity, in an object that has no hash
        return "a number"
    return "a boolean" if isinstance(read, bool) else "a number" if isinstance(read, float) else ""


def _judge_encoded(value: Node, kind: str) -> str:
    """Say that a text is not base64; `""` if it is, or if something may still replace it."""
    if not is_scalar(value) or value.tag is not None or is_base64(value.value) or is_placeholder(value.value):
        return ""
    other = "stringData" if kind == "Secret" else "data"
    return f"found text that is not base64: the API server refuses it; encode it, or move it to {other}"


def _is_bytes(value: Node) -> bool:
    """Tell whether it is a list of numbers, which the API server reads as bytes."""
    return is_sequence(value) and all(
        is_null(one) or (is_scalar(one) and _describe(one) == "a number") for one in value.value
    )


def _size(held: Collection[tuple[Node, bool]]) -> int:
    """Return how many bytes the values have; 0 where even the longest characters could not make too many."""
    texts = [(value.value, is_encoded) for value, is_encoded in held if is_scalar(value)]
    if sum(len(one) for one, _ in texts) * _MOST_BYTES_OF_A_CHARACTER <= _MOST_BYTES:
        return 0
    return sum(_decoded_size(one) if is_encoded else len(one.encode(errors="replace")) for one, is_encoded in texts)


def _decoded_size(encoded: str) -> int:
    digits = unfold(encoded)
    return len(digits) * 3 // 4 - digits[-2:].count("=")
