"""Notice a package of nothing but configuration: whatever names it is somewhere else, and cannot follow."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from krm_fn.model.changes import Edit
from krm_fn.model.item import Item, about
from krm_fn.model.kinds import cannot_change
from krm_fn.model.node import Node, entries, get, is_mapping, is_scalar, is_sequence, text
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.references.find import may_refer
from krm_fn.stages.name import Revision

_MESSAGE = (
    "renamed objects, but the package holds none that could name them: what names them elsewhere does not follow; "
    "run the function over the whole package, without selectors"
)


def notice_alone(items: Iterable[Item], revisions: Iterable[Revision]) -> list[Problem]:
    """One warning, as when kpt's selectors hand the function ConfigMaps alone."""
    renames = any(revision.strategy is Strategy.RENAME for revision in revisions)
    if not renames or any(may_refer(item.id) and not item.is_local for item in items):
        return []
    return [Problem(_MESSAGE, severity=Severity.WARNING)]


def notice_immutable(changed: Iterable[tuple[Item, str]], but: Collection[int]) -> Iterator[Problem]:
    """A warning for each plain Job and bare Pod among the objects that change, with the first field that does.

    `but`: objects that change their names as well, by `id(item.node)`.
    """
    seen = set(but)
    for item, field in changed:
        if id(item.node) not in seen and cannot_change(item):
            seen.add(id(item.node))
            message = (
                f"changes, which a {item.id.kind} cannot once it is created: "
                "delete the old one before applying, or make it a hook"
            )
            yield about(item, message, field, Severity.WARNING)


WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*")
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
_LISTS_OFWORDS = ("args", "command")
_CHART_VALUES = {"HelmRelease": ("spec", "values")}
"""Where a name may be a reference or the name of something the chart makes: nothing to be changed without asking."""


def notice_mentions(items: Iterable[Item], revisions: Iterable[Revision], edits: Iterable[Edit]) -> list[Problem]:
    """A warning for each text that says the base name of a renamed object and is no reference that follows it."""
    renamed = {
        (revision.item.id.namespace, revision.base_name): revision
        for revision in revisions
        if revision.strategy is Strategy.RENAME
    }
    if not renamed:
        return []
    followed = {id(edit.change.node) for edit in edits}
    return [
        _mention(item, field, word, renamed[item.id.namespace, word])
        for item in items
        if not item.is_local
        for field, said in _said_by(item, followed)
        for word in dict.fromkeys(WORD.findall(said))
        if (item.id.namespace, word) in renamed
    ]


def _mention(item: Item, field: str, word: str, revision: Revision) -> Problem:
    now = f"{revision.base_id} is now {revision.name}"
    message = f"says {word!r} in plain words, and {now}; read it through a volume or a variable instead"
    return about(item, message, field, Severity.WARNING)


def _said_by(item: Item, followed: set[int]) -> Iterator[tuple[str, str]]:
    yield from said_in_containers(item)
    values = _CHART_VALUES.get(item.id.kind)
    if values:
        yield from _leaves(get(item.node, *values), ".".join(values), followed)


def said_in_containers(item: Item) -> Iterator[tuple[str, str]]:
    """What an object's containers are told, wherever they are, with the path of each piece."""
    spec = get(item.node, "spec")
    if is_mapping(spec):
        yield from _said(spec, "spec")


def _leaves(node: Node | None, path: str, but: set[int]) -> Iterator[tuple[str, str]]:
    """Every text below `node`, but for some nodes."""
    if is_scalar(node):
        if id(node) not in but:
            yield path, node.value
    elif is_sequence(node):
        for index, element in enumerate(node.value):
            yield from _leaves(element, f"{path}[{index}]", but)
    else:
        for name, value in entries(node):
            yield from _leaves(value, f"{path}.{name}", but)


def _said(node: Node, path: str) -> Iterator[tuple[str, str]]:
    """What containers below `node` are told, with the path of each piece."""
    for key, value in node.value:
        if value.id == "mapping":
            yield from _said(value, f"{path}.{key.value}")
        elif value.id == "sequence":
            in_container = key.value in _CONTAINERS
            for index, element in enumerate(value.value):
                if element.id == "mapping":
                    look = _told if in_container else _said
                    yield from look(element, f"{path}.{key.value}[{index}]")


def _told(container: Node, path: str) -> Iterator[tuple[str, str]]:
    for name in _LISTS_OFWORDS:
        words = get(container, name)
        for index, word in enumerate(words.value if is_sequence(words) else []):
            if is_scalar(word) and (name, index) != ("command", 0):  # the program itself, named like so much else
                yield f"{path}.{name}[{index}]", word.value
    variables = get(container, "env")
    for index, variable in enumerate(variables.value if is_sequence(variables) else []):
        yield f"{path}.env[{index}].value", text(get(variable, "value"))


_JOB = re.compile(r"(?i)\bjobs?\b")
"""A word such as `migrate` means a Job only where Jobs are spoken of."""
_IN_CONTAINER = re.compile(r"\.(args|command|env)\[\d+\](\.value)?$")


def notice_job_mentions(items: Iterable[Item], jobs: Iterable[Revision]) -> list[Problem]:
    """A warning for each text that says the base name of a renamed Job in a container that is told of Jobs."""
    renamed = {(job.item.id.namespace, job.base_name): job for job in jobs}
    if not renamed:
        return []
    return [
        _job_mention(item, field, renamed[item.id.namespace, word])
        for item in items
        if not item.is_local
        for container in _by_container(item)
        if any(_JOB.search(said) for _, said in container)
        for field, said in container
        for word in dict.fromkeys(WORD.findall(said))
        if (item.id.namespace, word) in renamed and renamed[item.id.namespace, word].item is not item
    ]


def _by_container(item: Item) -> list[list[tuple[str, str]]]:
    containers: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for field, said in said_in_containers(item):
        containers[_IN_CONTAINER.sub("", field)].append((field, said))
    return list(containers.values())


def _job_mention(item: Item, field: str, job: Revision) -> Problem:
    message = (
        f"says {job.base_name!r} in plain words, and {job.base_id} is now {job.name}; select it by a label instead"
    )
    return about(item, message, field, Severity.WARNING)
