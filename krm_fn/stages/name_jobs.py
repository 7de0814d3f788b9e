"""Name Jobs by their content, as their templates cannot change."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from krm_fn.model import keys
from krm_fn.model.combine_patches import combine_patches
from krm_fn.model.content_hash import short_digest
from krm_fn.model.content_name import MAX_JOB_NAME
from krm_fn.model.edit import Edit, Patch, SetText
from krm_fn.model.edited_value import edited_value
from krm_fn.model.go_json import go_json
from krm_fn.model.item import Item
from krm_fn.model.names import base_name
from krm_fn.model.node import get
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.resource import ResourceId
from krm_fn.model.settings import Jobs, Strategy
from krm_fn.stages.choose import Choice
from krm_fn.stages.find_jobs import find_jobs, is_job
from krm_fn.stages.follow import follow
from krm_fn.stages.follow_depends_on import follow_depends_on
from krm_fn.stages.name import Revision, find_clashes, find_too_long
from krm_fn.stages.notice_immutable import is_replaced
from krm_fn.stages.resolve import index_configs, resolve


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
