"""Jobs that are named by their content, where the configuration asks for it."""

from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model.changes import Changes
from krm_fn.model.problem import Problem, ResourceId, Severity
from krm_fn.model.settings import Jobs, Settings
from krm_fn.references.references import References
from krm_fn.stages.name import Revision, Revisions
from krm_fn.stages.package import Package


class RenamedJobs(NamedTuple):
    """The Jobs that are named by content, and the changes which that takes."""

    jobs: tuple[Revision, ...] = ()
    changes: Changes = Changes()

    def readdress(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Give problems with these Jobs the new names. Errors keep the old ones: after an error nothing is renamed."""
        names: dict[ResourceId | None, ResourceId] = {job.item.id: job.id for job in self.jobs}
        return tuple(
            problem
            if problem.severity is Severity.ERROR
            else problem._replace(resource=names.get(problem.resource, problem.resource))
            for problem in problems
        )


def rename_jobs(
    package: Package, references: References, revisions: Revisions, changes: Changes, settings: Settings
) -> RenamedJobs:
    """Name Jobs by what they are after all `changes` so far."""
    if settings.jobs is not Jobs.RENAME:
        return RenamedJobs()
    from krm_fn.stages.jobs import name_jobs

    return name_jobs(package, references, revisions, changes)
