"""Mount revisions into pod templates, and remove what an earlier run mounted and no entry asks for any more."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from json import dumps
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.changes import Changes, ListPatch, Patch, patch_at
from krm_fn.base.item import Item, about, collect, locate
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    NewValue,
    Node,
    elements,
    fields,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    text,
)
from krm_fn.base.pods import Container
from krm_fn.base.problem import Problem, listing
from krm_fn.base.settings import KeyToPath, Mount, MountSource
from krm_fn.core.decide.run import Run
from krm_fn.core.names.content_hash import short_digest
from krm_fn.core.references.generated import name_meant
from krm_fn.core.references.resolve import Index
from krm_fn.extras.mounts.plan_mounts import Mounts, PlannedMount, TemplateMounts
from krm_fn.extras.mounts.present import (
    EnvSource,
    MountMark,
    PresentContainer,
    PresentList,
    read_env_from,
)

Element: TypeAlias = Mapping[str, NewValue]

_IN_VOLUME = {"ConfigMap": ("configMap", "name"), "Secret": ("secret", "secretName")}
_PROJECTED = {"ConfigMap": "configMap", "Secret": "secret"}
_IN_ENVIRONMENT = {"ConfigMap": "configMapRef", "Secret": "secretRef"}

_VOLUME_PREFIX = "krm-fn-"
_MAX_LABEL = 63
_DIGEST_LENGTH = 8

_NAMES = ("name", "secretName")

_LISTED = 3
"""How many variables a message names."""


class DesiredElement(NamedTuple):
    """An element of a list, and the entry of `spec.mounts` that asks for it."""

    planned: PlannedMount
    element: Element


class DesiredContainer(NamedTuple):
    """The volume mounts and the `envFrom` elements of a container."""

    present: PresentContainer
    mounts: list[DesiredElement]
    sources: list[DesiredElement]


class DesiredMounts(NamedTuple):
    """All that one pod template must have. The key of a volume is its name."""

    template: TemplateMounts
    volumes: dict[str, DesiredElement]
    containers: tuple[DesiredContainer, ...]

    def mark(self) -> MountMark:
        """Return what a later run must know to recognise these elements."""
        mounts, sources = [], []
        for one in self.containers:
            name = one.present.container.name
            mounts += [(name, desired.planned.mount.path) for desired in one.mounts]
            for desired in one.sources:
                mount = desired.planned.mount
                sources += [
                    EnvSource(name, source.kind, source.name, mount.prefix)
                    for source in mount.sources
                ]
        return MountMark(tuple(self.volumes), tuple(mounts), tuple(sources))


def update_mounts(mounts: Mounts, run: Run) -> Run:
    """Change every pod template to what is configured, and mark its workload with what was done."""
    names, set_name = run.revisions.names, run.settings.set
    problems = [*mounts.problems]
    patches: list[tuple[Item, Patch]] = []
    marks: dict[Item, list[MountMark]] = defaultdict(list)
    for template in mounts.templates:
        desired = _desired_mounts(template, set_name, names)
        marks[template.item].append(desired.mark())
        patch = _patch_pod_spec(desired)
        if patch:
            patches.append((template.item, patch_at(template.pod.path, patch)))
        problems += _report_collisions(desired, run.references.index, names)
    # A workload may have several pod templates, and has one annotation.
    patches += [(item, _mark(several, item, set_name)) for item, several in marks.items()]
    changes = Changes(patches=tuple(patches), problems=tuple(problems))
    return run._replace(mounts=mounts.sources).add(changes)


def _desired_mounts(
    template: TemplateMounts, set_name: str, names: Mapping[Item, str]
) -> DesiredMounts:
    """Build the elements. `names`: the new names of the objects that are renamed."""
    desired = DesiredMounts(
        template, {}, tuple(DesiredContainer(one, [], []) for one in template.containers)
    )
    containers = {_place(one.present.container): one for one in desired.containers}
    for planned in template.planned:
        mount = planned.mount
        source_names = [
            _new_name(*pair, names) for pair in zip(mount.sources, planned.targets, strict=True)
        ]
        name = volume_name(set_name, mount)
        if mount.path:
            # Two entries that mount the same at two paths share its volume.
            desired.volumes.setdefault(
                name, DesiredElement(planned, _volume(name, mount, source_names))
            )
        for container in planned.containers:
            one = containers[_place(container)]
            if mount.path:
                one.mounts.append(DesiredElement(planned, _volume_mount(name, mount)))
            else:
                one.sources.append(DesiredElement(planned, _env_from(mount, source_names[0])))
    return desired


def _place(container: Container) -> tuple[str, int]:
    return container.list_name, container.position


def _new_name(source: MountSource, targets: tuple[Item, ...], names: Mapping[Item, str]) -> str:
    """Return the name of the object.

    An optional one that is not in the package has the name that was configured.
    """
    return name_meant(source.kind, source.name, targets[0], names) if targets else source.name


def volume_name(set_name: str, mount: Mount) -> str:
    """Return a DNS label that depends on what the volume says, and on the set.

    It does not depend on content, so that it stays when a revision changes, nor on path and
    containers, so that mounts of the same volume share it. It depends on the set, so that two
    functions in one pipeline do not take each other's. Another name would roll every pod: what
    enters the digest must never change with the function's version.
    """
    names = [source.name for source in mount.sources]
    content = dumps([set_name, _volume("", mount, names)], sort_keys=True)
    digest = short_digest(content)[:_DIGEST_LENGTH]
    readable = re.sub("[^a-z0-9]+", "-", "-".join(names).lower()).strip("-")
    room = _MAX_LABEL - len(_VOLUME_PREFIX) - len(digest) - 1
    return f"{_VOLUME_PREFIX}{readable[:room].rstrip('-')}-{digest}"


def _volume(name: str, mount: Mount, source_names: Sequence[str]) -> Element:
    mode: dict[str, NewValue] = (
        {} if mount.default_mode is None else {"defaultMode": mount.default_mode}
    )
    if mount.projected:
        sources = [
            {_PROJECTED[source.kind]: {"name": source_name, **_details(source)}}
            for source, source_name in zip(mount.sources, source_names, strict=True)
        ]
        return {"name": name, "projected": {**mode, "sources": sources}}
    (source,) = mount.sources
    field, key = _IN_VOLUME[source.kind]
    return {"name": name, field: {key: source_names[0], **mode, **_details(source)}}


def _volume_mount(name: str, mount: Mount) -> Element:
    sub_path: dict[str, NewValue] = {"subPath": mount.sub_path} if mount.sub_path else {}
    return {"name": name, "mountPath": mount.path, **sub_path, "readOnly": True}


def _env_from(mount: Mount, source_name: str) -> Element:
    (source,) = mount.sources
    prefix: dict[str, NewValue] = {"prefix": mount.prefix} if mount.prefix else {}
    return {**prefix, _IN_ENVIRONMENT[source.kind]: {"name": source_name, **_details(source)}}


def _details(source: MountSource) -> dict[str, NewValue]:
    details: dict[str, NewValue] = {}
    if source.items:
        details["items"] = [_write_item(item) for item in source.items]
    if source.optional:
        details["optional"] = True
    return details


def _write_item(item: KeyToPath) -> Element:
    mode: dict[str, NewValue] = {} if item.mode is None else {"mode": item.mode}
    return {"key": item.key, "path": item.path, **mode}


def _patch_pod_spec(desired: DesiredMounts) -> Patch:
    """Return the patch of a pod spec; empty if it is as it should be."""
    lists: dict[str, dict[int, Patch]] = defaultdict(dict)
    for present, mounts, sources in desired.containers:
        patch = {**_patch_field("volumeMounts", present.mounts, mounts)}
        patch |= _patch_field("envFrom", present.sources, sources)
        if patch:
            lists[present.container.list_name][present.container.position] = patch
    containers = {name: ListPatch(change) for name, change in lists.items()}
    return {
        **containers,
        **_patch_field("volumes", desired.template.volumes, desired.volumes.values()),
    }


def _patch_field(
    field: str, present: PresentList, desired: Iterable[DesiredElement]
) -> dict[str, ListPatch]:
    patch = _patch_list(present, [element for _, element in desired])
    return {field: patch} if patch else {}


def _patch_list(present: PresentList, desired: Sequence[Element]) -> ListPatch | None:
    """Bring our elements of a list to what is desired, with as few changes as possible; None for no change.

    Our elements come in the desired order, behind the author's. One that differs only in the name of a revision stays
    and gets the name. One out of order is dropped and appended again, so that the result is that of a first run.
    """
    change: dict[int, Patch] = {}
    drop: list[int] = []
    kept = 0
    for position in sorted(present.own):
        element = elements(present.node)[position]
        # To edit in place keeps comments and the author's order of fields, and a reviewer sees the
        # name alone.
        if kept < len(desired) and _equals(element, desired[kept]):
            patch = _rename(element, desired[kept])
            if patch:
                change[position] = patch
            kept += 1
        else:
            drop.append(position)
    add = tuple(desired[kept:])
    return ListPatch(change, tuple(drop), add) if change or drop or add else None


def _equals(node: Node, desired: NewValue, *, at_name: bool = False) -> bool:
    """Tell whether a node has the desired value.

    At the name of an object, or of a mount's volume, any text will do.
    """
    if isinstance(desired, Mapping):
        present = fields(node)
        return (
            is_mapping(node)
            and present.keys() == desired.keys()
            and all(
                _equals(present[key], value, at_name=_is_name(key, desired))
                for key, value in desired.items()
            )
        )
    if isinstance(desired, str | bool | int):
        if not is_scalar(node) or is_null(node):
            return False
        return at_name or node.value == (
            str(desired).lower() if isinstance(desired, bool) else str(desired)
        )
    if not is_sequence(node) or len(node.value) != len(desired):
        return False
    return all(map(_equals, node.value, desired))


def _rename(node: Node, desired: Element) -> Patch:
    """Return the patch of the names that differ, in an element that is as desired otherwise."""
    patch: dict[str, str | bool | Patch | ListPatch | None] = {}
    for key, present in fields(node).items():
        value = desired[key]
        if isinstance(value, Mapping):
            below = _rename(present, value)
            if below:
                patch[key] = below
        elif isinstance(value, str):
            if present.value != value:
                patch[key] = value
        # Lists are patched by position: `_equals` has seen that they are as long.
        elif not isinstance(value, bool | int):
            change: dict[int, Patch] = {}
            for index, (element, wanted) in enumerate(zip(elements(present), value, strict=True)):
                below = _rename(element, wanted) if isinstance(wanted, Mapping) else {}
                if below:
                    change[index] = below
            if change:
                patch[key] = ListPatch(change)
    return patch


def _is_name(key: str, mapping: Mapping[str, NewValue]) -> bool:
    """Tell whether a field names another object.

    The volume's own name is beside a mapping, which says what it is.
    """
    return key in _NAMES and not any(isinstance(value, Mapping) for value in mapping.values())


def _mark(marks: Collection[MountMark], item: Item, set_name: str) -> Patch:
    """Return the patch of the annotation that records our elements; it removes the annotation where there are none."""
    volumes: list[str] = []
    mounts: list[tuple[str, str]] = []
    sources: list[EnvSource] = []
    for mark in marks:
        volumes += mark.volumes
        mounts += mark.mounts
        sources += mark.sources
    written = str(MountMark(tuple(volumes), tuple(mounts), tuple(sources)))
    key = keys.MOUNTS + set_name
    if written == item.annotations.get(key, ""):
        return {}
    # On the workload, and not on its pod template, where it would restart the pods (decision 12).
    return {"metadata": {"annotations": {key: written or None}}}


_Collision: TypeAlias = tuple[str, str]
"""A field, and what is wrong with it."""


def _report_collisions(
    desired: DesiredMounts, index: Index, names: Mapping[Item, str]
) -> list[Problem]:
    """Report what collides, with both sides.

    `names`: the new names of the objects that are renamed.
    """
    sentences = [*_ambiguous_sources(desired, names), *_volume_names(desired)]
    removed = set(desired.template.mark.volumes) - desired.volumes.keys()
    for container in desired.containers:
        sentences += [*_mount_paths(container), *_lost_volumes(container, removed)]
        sentences += [
            *_variables(container, desired.template.item, index),
            *_equal_sources(container),
        ]
    return [about(desired.template.item, message, field) for field, message in sentences]


def _ambiguous_sources(desired: DesiredMounts, names: Mapping[Item, str]) -> Iterator[_Collision]:
    for planned in desired.template.planned:
        for source, targets in zip(planned.mount.sources, planned.targets, strict=True):
            if len({name_meant(source.kind, source.name, item, names) for item in targets}) > 1:
                found = " and ".join(map(locate, targets))
                message = f"{planned.entry} mounts {source}, which matches {found}; give them different names"
                yield desired.template.pod.field, message


def _volume_names(desired: DesiredMounts) -> Iterator[_Collision]:
    for field, node in desired.template.volumes.authored():
        name = text(get(node, "name"))
        if name in desired.volumes:
            planned = desired.volumes[name].planned
            message = (
                f"{planned.entry} ({planned.mount}) needs a volume named {name!r}; rename this one"
            )
            yield f"{field}.name", message


def _lost_volumes(container: DesiredContainer, removed: Collection[str]) -> Iterator[_Collision]:
    """Report the author's mounts of a volume that an earlier run added and this one removes."""
    for field, node in container.present.mounts.authored():
        name = text(get(node, "name"))
        if name in removed:
            message = f"the entry of spec.mounts that added volume {name!r} is gone; add a volume of your own"
            yield f"{field}.name", message


def _mount_paths(container: DesiredContainer) -> Iterator[_Collision]:
    authored = [
        (field, text(get(node, "mountPath"))) for field, node in container.present.mounts.authored()
    ]
    taken = {_normal(path): (field, path) for field, path in authored if path}
    configured: dict[str, str] = {}
    for planned, _ in container.mounts:
        path = _normal(planned.mount.path)
        if path in taken:
            field, found = taken[path]
            message = f"{planned.entry} mounts {planned.mount} at {found!r} too; give one of them another path"
            yield f"{field}.mountPath", message
        if path in configured:
            message = f"{configured[path]} and {planned.entry} both mount at {path!r}; give one of them another path"
            yield container.present.field, message
        configured[path] = planned.entry


def _normal(path: str) -> str:
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def _variables(container: DesiredContainer, item: Item, index: Index) -> Iterator[_Collision]:
    taken = dict(_authored_variables(container, item, index))
    configured: dict[str, str] = {}
    for planned, _ in container.sources:
        (targets,) = planned.targets
        variables = [planned.mount.prefix + key for key in _keys(targets)]
        for field, same in _group(variables, taken):
            message = f"{planned.entry} ({planned.mount}) sets {same} too; give one of them another prefix"
            yield field, message
        for entry, same in _group(variables, configured):
            message = (
                f"{entry} and {planned.entry} both set {same}; give one of them another prefix"
            )
            yield container.present.field, message
        configured |= dict.fromkeys(variables, planned.entry)


def _authored_variables(
    container: DesiredContainer, item: Item, index: Index
) -> Iterator[tuple[str, str]]:
    """Return each variable that the author sets, as far as the package tells, and its field."""
    for field, node in container.present.sources.authored():
        found = read_env_from(node)
        if found:
            targets = index.find(item, found.kind, found.name)
            yield from ((found.prefix + key, field) for key in _keys(targets))
    for position, node in enumerate(elements(get(container.present.container.node, "env"))):
        yield text(get(node, "name")), f"{container.present.field}.env[{position}]"


def _keys(targets: Iterable[Item]) -> list[str]:
    each_once: dict[str, None] = {}
    for item in targets:
        each_once |= dict.fromkeys(fields(get(item.node, "data")))
        each_once |= dict.fromkeys(fields(get(item.node, "stringData")))
    return list(each_once)


def _group(variables: Iterable[str], taken: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return who sets some of these already, and which."""
    by_owner = collect(
        (taken[variable], variable) for variable in sorted(variables) if variable in taken
    )
    return [(owner, listing(found, _LISTED)) for owner, found in by_owner.items()]


def _equal_sources(container: DesiredContainer) -> Iterator[_Collision]:
    """Report equal sources without variables.

    No other message shows them, and no later run tells them apart.
    """
    first: dict[tuple[str, str, str], str] = {}
    for planned, _ in container.sources:
        (source,), (targets,) = planned.mount.sources, planned.targets
        name = name_meant(source.kind, source.name, targets[0], {}) if targets else source.name
        before = first.setdefault((source.kind, name, planned.mount.prefix), planned.entry)
        if before != planned.entry and not _keys(targets):
            yield (
                container.present.field,
                f"{before} and {planned.entry} both read {source}; remove one of them",
            )
