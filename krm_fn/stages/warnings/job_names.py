"""Texts that say the base name of a Job which is named by its content."""

import re
from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.node import Node, elements, get, is_scalar, text
from krm_fn.model.pods import find_containers
from krm_fn.model.problem import Problem, Severity
from krm_fn.stages.name import Revision
from krm_fn.stages.package import Package

_WORD = r"[A-Za-z0-9][A-Za-z0-9.-]*"
_LISTS_OF_WORDS = ("args", "command")
_JOB = r"(?i)\bjobs?\b"
"""A word such as `migrate` means a Job only in a container that says `job` as well."""


def find_job_names(package: Package, jobs: Iterable[Revision]) -> list[Problem]:
    """Warn about each text that says the base name of a renamed Job, as `kubectl wait job/migrate` does."""
    renamed = {(job.item.id.namespace, job.base_name): job for job in jobs}
    problems: list[Problem] = []
    for item in package.authored if renamed else ():
        if item.is_local:
            continue
        for container in ([*_texts_of_container(node, path)] for path, node in find_containers(item)):
            if not any(re.search(_JOB, said) for _, said in container):
                continue
            for field, said in container:
                for word in dict.fromkeys(re.findall(_WORD, said)):
                    job = renamed.get((item.id.namespace, word))
                    if job is not None and job.item is not item:
                        problems.append(_warn(item, field, job))
    return problems


def _warn(item: Item, field: str, job: Revision) -> Problem:
    message = f"contains {job.base_name!r}, but {job.base_id} is renamed to {job.name}; select it by a label instead"
    return about(item, message, field, Severity.WARNING)


def _texts_of_container(container: Node, path: str) -> Iterator[tuple[str, str]]:
    for name in _LISTS_OF_WORDS:
        for index, word in enumerate(elements(get(container, name))):
            if is_scalar(word) and (name, index) != ("command", 0):  # the program, which may share the name
                yield f"{path}.{name}[{index}]", word.value
    for index, variable in enumerate(elements(get(container, "env"))):
        yield f"{path}.env[{index}].value", text(get(variable, "value"))
