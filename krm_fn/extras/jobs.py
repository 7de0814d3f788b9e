"""Jobs, and other kinds that run to an end, that are named by their content, where the configuration asks for it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, ListPatch, Patch, SetText, combine_patches
from krm_fn.base.go_yaml import read_scalar
from krm_fn.base.item import Item, warning
from krm_fn.base.kind import ROLES, is_replaced, may_refer
from krm_fn.base.node import (
    NewValue,
    Node,
    elements,
    entries,
    fields,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
    step,
    text,
)
from krm_fn.base.pods import find_containers
from krm_fn.base.problem import Problems
from krm_fn.base.reference import (
    GROUP_FIELDS,
    By,
    Reference,
    ResolvedReference,
    Rule,
    namespace_beside,
    read_reference,
)
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.run import (
    Package,
    Revision,
    Revisions,
    Run,
    report_clashes,
    report_too_long,
)
from krm_fn.core.decide.update_references import update_references
from krm_fn.core.names.content_hash import JsonValue, go_json, short_digest
from krm_fn.core.names.names import MAX_JOB_NAME, base_name
from krm_fn.core.references.find import Resource, find_in_rules, split_lookalikes
from krm_fn.core.references.resolve import Index
from krm_fn.facts.exclusions import PASSED_OVER
from krm_fn.facts.kinds import RUNS

_DEPENDS_ON_JOB = (
    r"(?P<before>(?:^|,)\s*batch/namespaces/(?P<namespace>[^/,]+)/Job/)(?P<name>[^/,\s]+)"
)
_BATCH = "batch"
_GROUPS = frozenset({"", _BATCH, "batch/v1"})
_RULES = (
    Resource("Job", "batch", "jobs"),
    Resource("Job", "batch", "jobs/status"),
    Resource("Job", "batch", "jobs/*"),
)
_RULE = Rule(By.SHAPE, "name beside kind: Job")

_WORD = r"[A-Za-z0-9][A-Za-z0-9.-]*"
_LISTS_OF_WORDS = ("args", "command")
_JOB = r"(?i)\bjobs?\b"
"""A word such as `migrate` means a Job only in a container that says `job` as well."""


def rename_jobs(run: Run) -> Run:
    """Name each plain Job that reads a renamed revision, or that has such a name already.

    The name is that of the Job after all changes so far: its pod template is immutable, so that any
    of them needs another Job.
    """
    package, changes = run.package, run.changes
    all_jobs = [item for item in package.authored if _is_job(item) and not item.is_local]
    readers: set[Item] = set()
    for revised in run.revisions.renamed:
        readers.update(run.references.pod_referrers.get(revised, ()))
    texts: dict[Node, str] = {
        edit.change.node: str(edit.change.text)
        for edit in changes.edits
        if isinstance(edit.change, SetText)
    }
    patches = dict(combine_patches(changes.patches))
    renamed: list[Revision] = []
    for item in all_jobs:
        # One that was named so stays so, also without a revision: its template is another one again
        # (decision 13).
        is_named = base_name(item) != item.id.name
        if not is_replaced(item) and (item in readers or is_named):
            renamed.append(_name(item, patches.get(item, {}), texts))
    if not renamed:
        return run
    marks: list[tuple[Item, Patch]] = [
        (job.item, {"metadata": {"name": job.name, "annotations": {keys.BASE_NAME: job.base_name}}})
        for job in renamed
    ]
    problems = (*report_too_long(renamed, MAX_JOB_NAME), *report_clashes(all_jobs, renamed))
    following = _update_references_to(renamed, all_jobs, package)
    return run._replace(jobs=tuple(renamed)).add(
        following + Changes(patches=tuple(marks), problems=problems)
    )


def restore_jobs(package: Package) -> Changes:
    """Give each Job that an earlier run has named its base name back."""
    all_jobs = [item for item in package.authored if _is_job(item)]
    restored = [
        Revision(item, base_name(item), base_name(item), Strategy.IGNORE)
        for item in all_jobs
        if base_name(item) != item.id.name
    ]
    marks: list[tuple[Item, Patch]] = [
        (one.item, {"metadata": {"name": one.name, "annotations": {keys.BASE_NAME: None}}})
        for one in restored
    ]
    return _update_references_to(restored, all_jobs, package) + Changes(patches=tuple(marks))


def _is_job(item: Item) -> bool:
    return item.id.group_kind in RUNS


def _name(item: Item, patch: Patch, texts: Mapping[Node, str]) -> Revision:
    spec, below = get(item.node, "spec"), patch.get("spec")
    value = edited_value(spec, below if isinstance(below, dict) else None, texts) if spec else None
    base = base_name(item)
    return Revision(item, base, f"{base}-{short_digest(go_json(value))}", Strategy.RENAME)


def edited_value(node: Node, patch: Patch | None, texts: Mapping[Node, str]) -> JsonValue:
    """Return the value of `node` after a patch, as JSON has it.

    `texts`: the new texts of scalars.
    """
    value = _read_node(node, texts)
    return value if patch is None else _patched(value, patch)


def _read_node(node: Node, texts: Mapping[Node, str]) -> JsonValue:
    # No comprehension: this takes one frame for each level of nesting.
    if is_mapping(node):
        return {name: _read_node(child, texts) for name, child in fields(node).items()}
    if is_sequence(node):
        return list(map(_read_node, node.value, repeat(texts)))
    return texts[node] if node in texts else _read_scalar(node)


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
            # As the writer leaves it: a list goes with its last element.
            if elements:
                members[name] = elements
        elif isinstance(wanted, Mapping):
            members[name] = _patched(members.get(name), wanted)
        else:
            members[name] = wanted
    return members


def _patched_list(value: JsonValue, patch: ListPatch) -> list[JsonValue]:
    held = value if isinstance(value, list) else []
    kept: list[JsonValue] = []
    for index, element in enumerate(held):
        if index in patch.drop:
            continue
        is_changed = index in patch.change
        kept.append(_patched(element, patch.change[index]) if is_changed else element)
    return [*kept, *map(_new, patch.add)]


def _new(value: NewValue) -> JsonValue:
    if isinstance(value, Mapping):
        return {name: _new(member) for name, member in value.items()}
    if isinstance(value, str | bool):
        return value
    # As the reader has numbers, so that the next run finds the same hash.
    return float(value) if isinstance(value, int) else [_new(element) for element in value]


def _update_references_to(
    renamed: list[Revision], all_jobs: Iterable[Item], package: Package
) -> Changes:
    """Update what names a Job of Kubernetes. A Job of Volcano may have the same name."""
    renamed = [job for job in renamed if job.item.id.group == _BATCH]
    index = Index([item for item in all_jobs if item.id.group == _BATCH], package.kinds)
    referrers = [item for item in package.authored if not item.is_local]
    references: list[ResolvedReference] = []
    for item in referrers:
        references.extend(index.resolve(item, reference) for reference in find_jobs(item))
    depends_on = _update_depends_on(referrers, index, {job.item: job.name for job in renamed})
    return update_references(references, Revisions(renamed), index) + Changes(
        edits=tuple(depends_on)
    )


def find_jobs(item: Item) -> list[Reference]:
    """Find every field of an object that names a Job: `{kind: Job, name: ...}`, and names in a role's rules.

    Nothing in a Job's own spec can name another Job. To look there would make its name depend on itself.
    """
    if not may_refer(item.id) or _is_job(item):
        return []
    by_shape = split_lookalikes(list(_find_by_shape(item.node)), item.id).references
    in_rules = find_in_rules(item.node, _RULES) if item.id.kind in ROLES else ()
    return list({reference.field: reference for reference in [*by_shape, *in_rules]}.values())


def _find_by_shape(root: Node) -> Iterator[Reference]:
    # No recursion: a custom resource may be nested in any depth. An owner has a uid as well, and a
    # status only reports.
    stack = [
        (node, step("", name))
        for name, node in fields(root).items()
        if name not in ("metadata", "status")
    ]
    while stack:
        node, field = stack.pop()
        if node.id == "sequence":
            stack += [(element, f"{field}[{index}]") for index, element in enumerate(node.value)]
        elif node.id == "mapping":
            around = fields(node)
            name = around.get("name")
            if is_scalar(name) and text(name) and _names_a_job(around):
                yield read_reference(
                    "Job",
                    name,
                    namespace_beside(around, "name"),
                    step(field, "name"),
                    _RULE,
                    around=around,
                )
            stack += [
                (child, step(field, key)) for key, child in around.items() if key not in PASSED_OVER
            ]


def _names_a_job(around: dict[str, Node]) -> bool:
    return text(around.get("kind")) == "Job" and all(
        text(around.get(name)) in _GROUPS for name in GROUP_FIELDS
    )


def _update_depends_on(
    items: Iterable[Item], index: Index, names: Mapping[Item, str]
) -> Iterator[Edit]:
    """Rewrite kpt's depends-on annotations. `names`: the new names of the Jobs."""
    for item in items:
        if keys.DEPENDS_ON not in item.annotations:
            continue

        def rename(found: re.Match[str], referrer: Item = item) -> str:
            # An object without a namespace is applied to `default`.
            namespaces = (
                ["default", ""] if found["namespace"] == "default" else [found["namespace"]]
            )
            for namespace in namespaces:
                for target in index.find(referrer, "Job", found["name"], namespace)[:1]:
                    return found["before"] + names.get(target, found["name"])
            return found[0]

        for name, node in entries(get(item.node, "metadata", "annotations")):
            if name == keys.DEPENDS_ON and is_scalar(node):
                renamed = re.sub(_DEPENDS_ON_JOB, rename, node.value)
                if renamed != node.value:
                    yield Edit(
                        SetText(node, renamed), item, f"metadata.annotations[{keys.DEPENDS_ON}]"
                    )


def warn_about_job_names(run: Run) -> Problems:
    """Warn about each text that says the base name of a renamed Job, as `kubectl wait job/migrate` does."""
    renamed = {(job.item.id.namespace, job.base_name): job for job in run.jobs}
    if not renamed:
        return
    for item in run.package.authored:
        if item.is_local:
            continue
        for path, container in find_containers(item):
            for field, word in _words_of_container(container, path):
                job = renamed.get((item.id.namespace, word))
                if job is not None and job.item is not item:
                    message = (
                        f"contains {word!r}, but {job.base_id} is renamed to {job.name}; "
                        f"select it by a label instead"
                    )
                    yield warning(item, message, field)


def _words_of_container(container: Node, path: str) -> Iterator[tuple[str, str]]:
    """Yield each word that may mean a Job, and its field."""
    texts = [*_texts_of_container(container, path)]
    if any(re.search(_JOB, one) for _, one in texts):
        for field, one in texts:
            for word in dict.fromkeys(re.findall(_WORD, one)):
                yield field, word


def _texts_of_container(container: Node, path: str) -> Iterator[tuple[str, str]]:
    for name in _LISTS_OF_WORDS:
        for index, word in enumerate(elements(get(container, name))):
            is_program = (name, index) == ("command", 0)  # which may share the name
            if is_scalar(word) and not is_program:
                yield f"{path}.{name}[{index}]", word.value
    for index, variable in enumerate(elements(get(container, "env"))):
        yield f"{path}.env[{index}].value", text(get(variable, "value"))
