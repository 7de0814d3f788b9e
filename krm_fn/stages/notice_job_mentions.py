"""Notice what waits for a Job by a name in plain words, as `kubectl wait job/migrate` does."""

import re
from collections import defaultdict
from collections.abc import Iterable

from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.stages.name import Revision
from krm_fn.stages.notice_mentions import WORD, said_in_containers

_JOB = re.compile(r"(?i)\bjobs?\b")
"""A word such as `migrate` means a Job only where Jobs are spoken of."""
_IN_CONTAINER = re.compile(r"\.(args|command|env)\[\d+\](\.value)?$")


def notice_job_mentions(items: Iterable[Item], jobs: Iterable[Revision]) -> list[Problem]:
    """A warning for each text that says the base name of a renamed Job in a container that is told of Jobs."""
    renamed = {(job.item.id.namespace, job.base_name): job for job in jobs}
    if not renamed:
        return []
    return [
        _mention(item, field, renamed[item.id.namespace, word])
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


def _mention(item: Item, field: str, job: Revision) -> Problem:
    message = (
        f"says {job.base_name!r} in plain words, and {job.base_id} is now {job.name}; select it by a label instead"
    )
    return about(item, message, field, Severity.WARNING)
