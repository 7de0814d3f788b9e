"""References to a key that a ConfigMap or Secret of the package does not have. Its pods do not start.

The object must be the only one that is meant, and all of its keys must be known: controllers and programs add keys to
what they write to. Of a Secret only keys are said.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.item import Item, about
from krm_fn.model.node import (
    Node,
    descend,
    elements,
    entries,
    get,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    read_path,
    text,
)
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Settings
from krm_fn.model.words import listing
from krm_fn.naming.go_yaml import is_text
from krm_fn.naming.names import authored_id, base_name
from krm_fn.naming.suggest import did_you_mean, find_meant
from krm_fn.references.find import ROLES
from krm_fn.references.reference import Reference, ResolvedReference
from krm_fn.references.references import References
from krm_fn.references.well_known import looked_up_by
from krm_fn.stages.choose import Choices
from krm_fn.stages.package import Package
from krm_fn.stages.warnings.objects import is_placeholder
from krm_fn.stages.warnings.refused_data import BOOLEAN_WORDS

_MOST_NAMES = 5
"""Keys or files that a message lists."""

_DATA = ("data", "binaryData", "stringData")
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
# Texts, which `re` compiles when they are first used (docs/decisions/0031).
_VOLUME = r"(?P<pod>.+)\.volumes\[(?P<position>\d+)\]\.(?:configMap|secret)\.\w+"
_PROJECTED = r".+\.volumes\[\d+\]\.projected\.sources\[\d+\]\.(?:configMap|secret)\.\w+"

_FILLED = "(?i:replicat|reflect|generat|inject|vault)"
"""What the labels and annotations of objects say that a program of the cluster fills, in whatever way it is called."""

_WRITE = frozenset({"update", "patch", "*"})
_FALSE = ("", "false", "False", "FALSE")


class _Wanted(NamedTuple):
    """A key or path, and where it is wanted: a problem that lacks its message."""

    name: str
    problem: Problem


class _SubPaths:
    """The `subPath`s of the containers of pods, by volume. Each pod is searched once."""

    def __init__(self) -> None:
        self._found: dict[tuple[Item, str], dict[str, list[_Wanted]]] = {}

    def of(self, item: Item, pod: str, position: int) -> list[_Wanted]:
        """Return those of a volume, to the first one of its name. No API server accepts a second one.

        `pod`: the path of the pod spec; `position`: that of the volume in it.
        """
        if (item, pod) not in self._found:
            self._found[item, pod] = defaultdict(list)
            for volume, wanted in _find_sub_paths(item, pod):
                self._found[item, pod][volume].append(wanted)
        name = text(get(descend(item.node, (*read_path(pod), "volumes", position)), "name"))
        return self._found[item, pod].pop(name, [])


def _find_sub_paths(item: Item, pod: str) -> Iterator[tuple[str, _Wanted]]:
    spec = descend(item.node, read_path(pod))
    for containers in _CONTAINERS:
        for position, container in enumerate(elements(get(spec, containers))):
            for index, mount in enumerate(elements(get(container, "volumeMounts"))):
                path = text(get(mount, "subPath")).rstrip("/")
                field = f"{pod}.{containers}[{position}].volumeMounts[{index}].subPath"
                yield text(get(mount, "name")), _Wanted(path, _at(item, field))


def find_missing_keys(
    package: Package, references: References, choices: Choices, settings: Settings
) -> Iterator[Problem]:
    """Warn about each key that an object does not have, and about each path that the items of a volume do not have."""
    wanted: dict[Item, list[_Wanted]] = defaultdict(list)
    sub_paths = _SubPaths()
    for one in references.authored:
        if one.reference.in_pod and not one.reference.written and _is_required(one.reference):
            keys, of_volume = _find_wanted(one, sub_paths)
            yield from _judge_paths([text(get(entry, "path")) for entry in _items(one.reference)], of_volume)
            if len(one.targets) == 1:
                wanted[one.targets[0]] += keys
    for one in references.mounted:
        if len(one.targets) == 1:
            wanted[one.targets[0]] += _wanted_by_mount(one, package, references, settings)
    written = {choice.item for choice in choices.all if choice.is_written_by_others} if wanted else set()
    written |= _find_written_by_programs(references) if wanted else set()
    for item, several in wanted.items():
        if item not in written and looked_up_by(item, base_name(item), package.namespace_of(item)) is None:
            yield from _judge_keys(item, several)


def _find_written_by_programs(references: References) -> set[Item]:
    """Return the objects that a role lets somebody change by their names."""
    written: set[Item] = set()
    for one in references.authored:
        if one.referrer.id.kind in ROLES and one.targets:
            rule = descend(one.referrer.node, read_path(one.reference.field)[:2])
            if not _WRITE.isdisjoint(text(verb) for verb in elements(get(rule, "verbs"))):
                written |= set(one.targets)
    return written


def _is_required(reference: Reference) -> bool:
    return text(reference.around.get("optional")) in _FALSE


def _items(reference: Reference) -> list[Node]:
    return elements(reference.around.get("items"))


def _find_wanted(one: ResolvedReference, sub_paths: _SubPaths) -> tuple[list[_Wanted], list[_Wanted]]:
    """Return the keys that a reference wants, and the paths that containers want of a volume with items."""
    referrer, reference = one.referrer, one.reference
    around = reference.field.rpartition(".")[0]
    if reference.field.endswith("KeyRef.name"):
        return [_Wanted(text(reference.around.get("key")), _at(referrer, f"{around}.key"))], []
    volume = re.fullmatch(_VOLUME, reference.field)
    of_volume = sub_paths.of(referrer, volume["pod"], int(volume["position"])) if volume else []
    if not _items(reference):
        return of_volume, []
    return [
        _Wanted(text(get(entry, "key")), _at(referrer, f"{around}.items[{position}].key"))
        for position, entry in enumerate(_items(reference))
        if volume or re.fullmatch(_PROJECTED, reference.field)
    ], of_volume


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


def _at(item: Item, field: str) -> Problem:
    return about(item, "", field, Severity.WARNING)


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
    for data in (get(item.node, name) for name in _DATA):
        if not is_null(data) and not all(map(_is_text, _keys(data))):
            return {}
        for key, value in entries(data):
            keys[key] = None
            is_empty = is_empty and is_scalar(value) and not value.value.strip()
    return {} if is_empty or not all(map(_is_certain, keys)) else keys


def _keys(data: Node | None) -> list[Node]:
    return [key for key, _ in data.value] if is_mapping(data) else []


def _is_text(key: Node) -> bool:
    """Tell whether a key is the same text for all programs."""
    if not is_scalar(key) or (not key.style and key.value in BOOLEAN_WORDS):
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
