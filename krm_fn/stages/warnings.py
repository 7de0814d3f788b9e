"""Warn about what no edit can mend."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from krm_fn.model.changes import Changes
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import cannot_change, kind_of
from krm_fn.model.node import Node, entries, get, is_mapping, is_scalar, is_sequence, text
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.references.find import may_refer
from krm_fn.stages.jobs import RenamedJobs
from krm_fn.stages.name import Revision, Revisions
from krm_fn.stages.package import Package

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_LISTS_OF_WORDS = ("args", "command")
_CHART_VALUES = {"HelmRelease": ("spec", "values")}
"""Values of charts: a name in there may be a reference, or the name of something that the chart creates."""

_JOB = re.compile(r"(?i)\bjobs?\b")
"""A word such as `migrate` means a Job only in a container that says `job` as well."""

_IN_CONTAINER = re.compile(r"\.(args|command|env)\[\d+\](\.value)?$")

_NO_REFERRERS = (
    "ConfigMaps or Secrets are renamed, but the package has no objects that could reference them: referrers elsewhere "
    "keep the old names; run the function over the whole package, without selectors"
)


def warn(package: Package, revisions: Revisions, jobs: RenamedJobs, changes: Changes) -> Changes:
    """Warn about objects that will not follow, or that the API server will refuse."""
    problems = [
        *_warn_without_referrers(package, revisions),
        *_warn_about_immutable(changes),
        *_warn_about_words(package, revisions, {edit.change.node for edit in changes.edits}),
        *_warn_about_job_names(package, jobs.jobs),
    ]
    return Changes(problems=tuple(problems))


def _warn_without_referrers(package: Package, revisions: Revisions) -> list[Problem]:
    """Warn if the package is nothing but configuration, as when kpt's selectors pass ConfigMaps alone."""
    is_renaming = any(revision.strategy is Strategy.RENAME for revision in revisions.rendered)
    if not is_renaming or any(may_refer(item.id) and not item.is_local for item in package.authored):
        return []
    return [Problem(_NO_REFERRERS, severity=Severity.WARNING)]


def _warn_about_immutable(changes: Changes) -> Iterator[Problem]:
    """Warn about each plain Job and bare Pod that changes under its name, at the first field that changes."""
    changed = [(edit.item, edit.field) for edit in changes.edits]
    renamed = set()
    for item, patch in changes.patches:
        if "spec" in patch and (kind := kind_of(item)):
            changed.append((item, kind.pod_spec))
        metadata = patch.get("metadata")
        if isinstance(metadata, Mapping) and "name" in metadata:
            renamed.add(item)
    seen = set(renamed)
    for item, field in changed:
        if item not in seen and cannot_change(item):
            seen.add(item)
            message = (
                f"changes, but a {item.id.kind} is immutable once it is created: "
                "delete the old one before you apply this, or make it a hook"
            )
            yield about(item, message, field, Severity.WARNING)


def _warn_about_words(package: Package, revisions: Revisions, followed: Collection[Node]) -> list[Problem]:
    """Warn about each text that says the base name of a renamed object and is no reference."""
    renamed = {
        (revision.item.id.namespace, revision.base_name): revision
        for revision in revisions.rendered
        if revision.strategy is Strategy.RENAME
    }
    problems: list[Problem] = []
    for item in package.authored if renamed else ():
        if item.is_local:
            continue
        for field, said in _texts(item, followed):
            for word in dict.fromkeys(_WORD.findall(said)):
                revision = renamed.get((item.id.namespace, word))
                if revision is not None:
                    problems.append(_warn_about_word(item, field, revision))
    return problems


def _warn_about_word(item: Item, field: str, revision: Revision) -> Problem:
    message = (
        f"contains {revision.base_name!r}, but {revision.base_id} is renamed to {revision.name}; "
        "read it through a volume or a variable instead"
    )
    return about(item, message, field, Severity.WARNING)


def _warn_about_job_names(package: Package, jobs: Iterable[Revision]) -> list[Problem]:
    """Warn about each text that says the base name of a renamed Job, as `kubectl wait job/migrate` does."""
    renamed = {(job.item.id.namespace, job.base_name): job for job in jobs}
    problems: list[Problem] = []
    for item in package.authored if renamed else ():
        if item.is_local:
            continue
        for container in _by_container(item):
            if not any(_JOB.search(said) for _, said in container):
                continue
            for field, said in container:
                for word in dict.fromkeys(_WORD.findall(said)):
                    job = renamed.get((item.id.namespace, word))
                    if job is not None and job.item is not item:
                        problems.append(_warn_about_job_name(item, field, job))
    return problems


def _warn_about_job_name(item: Item, field: str, job: Revision) -> Problem:
    message = f"contains {job.base_name!r}, but {job.base_id} is renamed to {job.name}; select it by a label instead"
    return about(item, message, field, Severity.WARNING)


def _by_container(item: Item) -> list[list[tuple[str, str]]]:
    containers: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for field, said in _texts_of_containers(item):
        containers[_IN_CONTAINER.sub("", field)].append((field, said))
    return list(containers.values())


def _texts(item: Item, followed: Collection[Node]) -> Iterator[tuple[str, str]]:
    """Return the texts of containers and of charts' values, with their fields, but for references that follow."""
    yield from _texts_of_containers(item)
    values = _CHART_VALUES.get(item.id.kind)
    if values:
        yield from _leaves(get(item.node, *values), ".".join(values), followed)


def _leaves(node: Node | None, path: str, followed: Collection[Node]) -> Iterator[tuple[str, str]]:
    if is_scalar(node):
        if node not in followed:
            yield path, node.value
    elif is_sequence(node):
        for index, element in enumerate(node.value):
            yield from _leaves(element, f"{path}[{index}]", followed)
    else:
        for name, value in entries(node):
            yield from _leaves(value, f"{path}.{name}", followed)


def _texts_of_containers(item: Item) -> Iterator[tuple[str, str]]:
    """Return the arguments, command words and variables of an object's containers, wherever they are."""
    spec = get(item.node, "spec")
    if is_mapping(spec):
        yield from _walk(spec, "spec")


def _walk(node: Node, path: str) -> Iterator[tuple[str, str]]:
    for key, value in node.value:
        if value.id == "mapping":
            yield from _walk(value, f"{path}.{key.value}")
        elif value.id == "sequence":
            in_container = key.value in _CONTAINERS
            for index, element in enumerate(value.value):
                if element.id == "mapping":
                    look = _texts_of_container if in_container else _walk
                    yield from look(element, f"{path}.{key.value}[{index}]")


def _texts_of_container(container: Node, path: str) -> Iterator[tuple[str, str]]:
    for name in _LISTS_OF_WORDS:
        words = get(container, name)
        for index, word in enumerate(words.value if is_sequence(words) else []):
            if is_scalar(word) and (name, index) != ("command", 0):  # the program, which may share the name
                yield f"{path}.{name}[{index}]", word.value
    variables = get(container, "env")
    for index, variable in enumerate(variables.value if is_sequence(variables) else []):
        yield f"{path}.env[{index}].value", text(get(variable, "value"))
