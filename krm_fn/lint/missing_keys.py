"""Find keys and paths that pods want and that an object does not have. Such pods do not start."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType

from krm_fn.base.go_yaml import is_boolean_word, is_text
from krm_fn.base.item import DATA_FIELDS, Item, warning
from krm_fn.base.kind import ROLES
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    descend,
    elements,
    entries,
    get,
    is_mapping,
    is_merge,
    is_scalar,
    read_path,
    text,
)
from krm_fn.base.pods import CONTAINER_LISTS
from krm_fn.base.problem import Problem, Problems, Severity, listing
from krm_fn.base.reference import Reference, ResolvedReference
from krm_fn.base.suggest import did_you_mean, find_meant
from krm_fn.core.decide.run import Package, Run
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.guards.guards import is_placeholder, looked_up_by

_MOST_NAMES = 5
"""Keys or files that a message lists."""

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


def warn_about_missing_keys(run: Run) -> Problems:
    """Warn about keys and paths that pods want, but for objects to which a controller writes."""
    written = {choice.item for choice in run.choices.all if choice.is_written_by_others}
    by_mounts: dict[Item, list[_Wanted]] = defaultdict(list)
    for one in run.references.mounted:
        if len(one.targets) == 1:
            by_mounts[one.targets[0]] += _wanted_by_mount(one, run)
    return report_missing_keys(run.package, run.references.authored, written, by_mounts)


def report_missing_keys(
    package: Package,
    references: Collection[ResolvedReference],
    written: Collection[Item] = (),
    by_mounts: Mapping[Item, list[_Wanted]] = MappingProxyType({}),
) -> Problems:
    """Warn about each key that an object does not have, and about each path that the items of a volume do not have.

    The pods that want one do not start. The object must be the only one that is meant, and all of its keys must be
    known: controllers and programs add keys to what they write to. `written`: the objects that controllers write.
    `by_mounts`: what configured mounts want of each.
    """
    wanted: dict[Item, list[_Wanted]] = defaultdict(list)
    sub_paths = cache(_list_sub_paths)  # several references are in one pod
    for one in references:
        if _must_exist(one.reference):
            keys, of_volume = _list_wanted(one, sub_paths)
            if of_volume:
                items = elements(one.reference.around.get("items"))
                yield from _judge_paths([text(get(entry, "path")) for entry in items], of_volume)
            if len(one.targets) == 1:  # of several that may be meant, another one may have the key
                wanted[one.targets[0]] += keys
    for item, several in by_mounts.items():
        wanted[item] += several
    if not wanted:
        return
    written = {*written} | _list_written_by_programs(references)
    for item, several in wanted.items():
        missing = [*_judge_keys(item, several)] if several and item not in written else []
        if missing and looked_up_by(item, base_name(item), package.namespace_of(item)) is None:
            yield from missing


def _must_exist(reference: Reference) -> bool:
    is_optional = text(reference.around.get("optional")) not in _FALSE
    return reference.in_pod and not reference.is_output and not is_optional


def _list_wanted(
    one: ResolvedReference, sub_paths: Callable[[Item, str], dict[str, list[_Wanted]]]
) -> tuple[list[_Wanted], list[_Wanted]]:
    """Return the keys that a reference wants, and the paths that containers want of a volume with items."""
    referrer, reference = one.referrer, one.reference
    around = reference.field.rpartition(".")[0]
    if reference.field.endswith("KeyRef.name"):
        return [
            _Wanted(text(reference.around.get("key")), warning(referrer, "", f"{around}.key"))
        ], []
    of_volume: list[_Wanted] = []
    volume = re.fullmatch(_VOLUME, reference.field)
    if volume and (paths := sub_paths(referrer, volume["pod"])):
        place = *read_path(volume["pod"]), "volumes", int(volume["position"])
        # The first volume of a name takes the paths: no API server accepts a second one.
        of_volume = paths.pop(text(get(descend(referrer.node, place), "name")), [])
    items = elements(reference.around.get("items"))
    if not items:  # then each key is a file, and a subPath is a key
        return of_volume, []
    if not volume and not re.fullmatch(_PROJECTED, reference.field):
        return [], of_volume
    of_items = [
        _Wanted(text(get(entry, "key")), warning(referrer, "", f"{around}.items[{position}].key"))
        for position, entry in enumerate(items)
    ]
    return of_items, of_volume


def _list_sub_paths(item: Item, pod: str) -> dict[str, list[_Wanted]]:
    """Return the `subPath`s of the containers of a pod, by volume. `pod`: the path of its spec."""
    found: dict[str, list[_Wanted]] = defaultdict(list)
    spec = descend(item.node, read_path(pod))
    for containers in CONTAINER_LISTS:
        for position, container in enumerate(elements(get(spec, containers))):
            for index, mount in enumerate(elements(get(container, "volumeMounts"))):
                if path := text(get(mount, "subPath")).rstrip("/"):
                    field = f"{pod}.{containers}[{position}].volumeMounts[{index}].subPath"
                    found[text(get(mount, "name"))].append(_Wanted(path, warning(item, "", field)))
    return found


def _wanted_by_mount(mounted: ResolvedReference, run: Run) -> Iterator[_Wanted]:
    """Yield the keys that an entry of `spec.mounts` wants, at their fields in the configuration."""
    entry, names = mounted.reference.rule.text, run.references.index.names.all(mounted.targets[0])
    mount = run.settings.mounts[int(read_path(entry)[-1])]
    for number, source in enumerate(mount.sources):
        if source.kind == mounted.reference.kind and source.name in names and not source.optional:
            around = f"{entry}.projected[{number}]" if mount.projected else entry
            fields = [
                (f"{around}.items[{index}].key", item.key)
                for index, item in enumerate(source.items)
            ]
            if not fields and not mount.projected:
                fields = [(f"{entry}.subPath", mount.sub_path)]
            for field, key in fields:
                yield _Wanted(key, Problem("", run.package.config_id, field, Severity.WARNING))


def _list_written_by_programs(references: Iterable[ResolvedReference]) -> set[Item]:
    """Return the objects that a role lets somebody change by their names."""
    written: set[Item] = set()
    for one in references:
        if one.referrer.id.kind in ROLES and one.targets:
            rule = descend(one.referrer.node, read_path(one.reference.field)[:2])
            if not _WRITE.isdisjoint(text(verb) for verb in elements(get(rule, "verbs"))):
                written |= set(one.targets)
    return written


def _judge_paths(paths: list[str], wanted: Iterable[_Wanted]) -> Problems:
    """Warn about each path that is none of the items', no folder of one, and not below one."""
    files = {path.strip("/") for path in paths}
    if files and all(map(_is_certain, files)):
        present = files.union(*map(_folders_of, files))
        missing: list[_Wanted] = []
        for each in wanted:
            is_below_file = not files.isdisjoint(_folders_of(each.name))
            if each.name not in present and not is_below_file:
                missing.append(each)
        listed = listing(sorted(files), _MOST_NAMES)
        for one, question in _ask(missing, files):
            message = (
                f'the items of this volume have no path "{one.name}"{question} paths: {listed}'
            )
            yield one.problem._replace(message=message)


def _judge_keys(item: Item, wanted: Iterable[_Wanted]) -> Problems:
    """Warn about each key that an object does not have.

    Keys hold no slash: a path below one begins with it.
    """
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
    return is_scalar(key) and not is_boolean_word(key) and (is_text(key) or is_merge(key))


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
