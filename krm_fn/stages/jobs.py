"""Name Jobs by their content, as their templates cannot change."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple, TypeAlias

from krm_fn.model import keys
from krm_fn.model.changes import Edit, ListPatch, Patch, SetText, Value, combine_patches
from krm_fn.model.item import Item
from krm_fn.model.kinds import is_replaced
from krm_fn.model.node import Node, entries, fields, get, is_mapping, is_scalar, is_sequence, step, text
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.model.settings import Jobs, Strategy
from krm_fn.naming.content_hash import short_digest
from krm_fn.naming.go_json import JsonValue, go_json
from krm_fn.naming.go_yaml import read_scalar
from krm_fn.naming.names import MAX_JOB_NAME, base_name
from krm_fn.references.field_specs import Found, beside, refer
from krm_fn.references.find import Resource, find_in_rules, may_refer, without_lookalikes
from krm_fn.references.find_by_shape import Sight
from krm_fn.references.reference import Reference
from krm_fn.references.resolve import Index, Meant, find_targets, index_configs, resolve
from krm_fn.references.shapes import GROUP_FIELDS, PASSED_OVER
from krm_fn.stages.choose import Choice
from krm_fn.stages.follow import follow
from krm_fn.stages.name import Revision, find_clashes, find_too_long


class JobNames(NamedTuple):
    """Jobs under their names, and what that takes."""

    jobs: Sequence[Revision] = ()
    patches: Sequence[tuple[Item, Patch]] = ()
    edits: Sequence[Edit] = ()
    problems: Sequence[Problem] = ()

    @property
    def named(self) -> set[int]:
        """By `id(item.node)`."""
        return {id(job.item.node) for job in self.jobs}

    def readdress(self, problems: Iterable[Problem]) -> list[Problem]:
        """Remarks on these Jobs, under the names they have from now on; after an error nothing is renamed."""
        names: dict[ResourceId | None, ResourceId] = {job.item.id: job.id for job in self.jobs}
        return [
            problem
            if problem.severity is Severity.ERROR
            else problem._replace(resource=names.get(problem.resource, problem.resource))
            for problem in problems
        ]


def name_jobs(
    items: list[Item],
    readers: Collection[int],
    edits: Iterable[Edit],
    patches: Iterable[tuple[Item, Patch]],
    jobs: Jobs,
) -> JobNames:
    """Each plain Job that names a renamed revision, or has a name of this kind already, under a name of its own.

    `readers`: objects whose pods read a renamed revision, by `id(item.node)`. `edits` and `patches` are what changes
    so far: the name is that of the outcome.
    """
    if jobs is not Jobs.RENAME:
        return JobNames()
    there = [item for item in items if is_job(item) and not item.is_local]
    texts = {id(edit.change.node): str(edit.change.text) for edit in edits if isinstance(edit.change, SetText)}
    by_item = {id(item.node): patch for item, patch in combine_patches(patches)}
    named = [
        _name(item, by_item.get(id(item.node), {}), texts)
        for item in there
        if not is_replaced(item) and (id(item.node) in readers or base_name(item) != item.id.name)
    ]
    if not named:
        return JobNames()
    index = index_configs(there)
    links = [resolve(item, reference, index) for item in items if not item.is_local for reference in find_jobs(item)]
    followed, problems = follow(links, named)
    followed += follow_depends_on(items, index, {id(job.item.node): job.name for job in named})
    renamed = {id(job.item.node) for job in named}
    others = [Choice(item, Strategy.IGNORE) for item in there if id(item.node) not in renamed]
    problems += [*find_too_long(named, MAX_JOB_NAME), *find_clashes(others, named)]
    return JobNames(named, [(job.item, _mark(job)) for job in named], followed, problems)


def _name(item: Item, patch: Patch, texts: Mapping[int, str]) -> Revision:
    spec, below = get(item.node, "spec"), patch.get("spec")
    value = edited_value(spec, below if isinstance(below, dict) else None, texts) if spec else None
    base = base_name(item)
    return Revision(item, base, f"{base}-{short_digest(go_json(value))}", Strategy.RENAME)


def _mark(job: Revision) -> Patch:
    return {"metadata": {"name": job.name, "annotations": {keys.BASE_NAME: job.base_name}}}


_GROUPS = frozenset({"", "batch", "batch/v1"})
_RULES = (Resource("Job", "batch", "jobs"), Resource("Job", "batch", "jobs/status"), Resource("Job", "batch", "jobs/*"))
_ROLES = ("Role", "ClusterRole")

Place: TypeAlias = tuple[Node, str]
"""A node and its field."""


def is_job(item: Item) -> bool:
    return (item.id.group, item.id.kind) == ("batch", "Job")


def find_jobs(item: Item) -> list[Reference]:
    """`{kind: Job, name: ...}` wherever it stands, and the names in a role's rules.

    Nothing in a Job's own spec can name another Job: looking there would make its name depend on itself.
    """
    if not may_refer(item.id) or is_job(item):
        return []
    sights = without_lookalikes(list(_sights(item.node)), item.id)
    in_rules = find_in_rules(item.node, _RULES) if item.id.kind in _ROLES else ()
    found = {reference.field: reference for reference in [*(sight.reference for sight in sights), *in_rules]}
    return list(found.values())


def _sights(root: Node) -> Iterator[Sight]:
    stack: list[Place] = [
        (node, step("", name)) for name, node in fields(root).items() if name not in ("metadata", "status")
    ]
    while stack:
        node, field = stack.pop()
        if node.id == "sequence":
            stack += [(element, f"{field}[{place}]") for place, element in enumerate(node.value)]
        elif node.id == "mapping":
            held = fields(node)
            name = held.get("name")
            if is_scalar(name) and text(name) and _means_a_job(held):
                found = Found(name, beside(held, "name"), step(field, "name"))
                yield Sight(refer(found, "Job"), held)
            stack += [(child, step(field, key)) for key, child in held.items() if key not in PASSED_OVER]


def _means_a_job(held: dict[str, Node]) -> bool:
    return text(held.get("kind")) == "Job" and all(text(held.get(name)) in _GROUPS for name in GROUP_FIELDS)


DEPENDS_ON = "config.kubernetes.io/depends-on"
"""`group/namespaces/namespace/kind/name`, with commas between."""

_JOB = re.compile(r"(?P<before>(?:^|,)\s*batch/namespaces/(?P<namespace>[^/,]+)/Job/)(?P<name>[^/,\s]+)")


def follow_depends_on(items: Iterable[Item], index: Index, names: Mapping[int, str]) -> Iterator[Edit]:
    """One edit for each annotation that changes. `names`: what Jobs are called from now on, by `id(item.node)`."""
    for item in items:
        if DEPENDS_ON not in item.annotations or item.is_local:
            continue

        def rename(found: re.Match[str], referrer: Item = item) -> str:
            # Whoever applies an object without a namespace puts it into `default`.
            namespaces = [found["namespace"], *([""] if found["namespace"] == "default" else [])]
            targets = [
                target
                for namespace in namespaces
                for target in find_targets(referrer, Meant("Job", found["name"], namespace), index)
            ]
            return found["before"] + (names.get(id(targets[0].node), found["name"]) if targets else found["name"])

        for name, node in entries(get(item.node, "metadata", "annotations")):
            if name == DEPENDS_ON and is_scalar(node):
                renamed = _JOB.sub(rename, node.value)
                if renamed != node.value:
                    yield Edit(SetText(node, renamed), item, f"metadata.annotations[{DEPENDS_ON}]")


def edited_value(node: Node, patch: Patch | None, texts: Mapping[int, str]) -> JsonValue:
    """The value of `node` after a patch. `texts`: what scalars are to say, by `id`."""
    value = _read(node, texts)
    return value if patch is None else _patched(value, patch)


def _read(node: Node, texts: Mapping[int, str]) -> JsonValue:
    # No comprehension: this takes one frame for each level of nesting.
    if is_mapping(node):
        members: dict[str, JsonValue] = {}
        for name, child in fields(node).items():
            members[name] = _read(child, texts)
        return members
    if is_sequence(node):
        return list(map(_read, node.value, repeat(texts)))
    return texts.get(id(node), _read_scalar(node))


def _read_scalar(node: Node) -> JsonValue:
    """Text that no JSON value corresponds to stands for itself."""
    try:
        return read_scalar(node) if is_scalar(node) else None
    except ValueError:
        return str(node.value)


def _patched(value: JsonValue, patch: Patch) -> JsonValue:
    members = dict(value) if isinstance(value, dict) else {}
    for name, wanted in patch.items():
        if wanted is None:
            members.pop(name, None)
        elif isinstance(wanted, ListPatch):
            elements = _patched_list(members.get(name), wanted)
            members.pop(name, None)
            members |= {name: elements} if elements else {}
        elif isinstance(wanted, Mapping):
            members[name] = _patched(members.get(name), wanted)
        else:
            members[name] = wanted
    return members


def _patched_list(value: JsonValue, patch: ListPatch) -> list[JsonValue]:
    held = value if isinstance(value, list) else []
    kept = [
        _patched(element, patch.change[place]) if place in patch.change else element
        for place, element in enumerate(held)
        if place not in patch.drop
    ]
    return [*kept, *map(_new, patch.add)]


def _new(value: Value) -> JsonValue:
    if isinstance(value, Mapping):
        return {name: _new(member) for name, member in value.items()}
    if isinstance(value, str | bool):
        return value
    return float(value) if isinstance(value, int) else [_new(element) for element in value]
