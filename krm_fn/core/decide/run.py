"""All that a run knows: what it has found and decided, and the changes that come of it."""

from types import MappingProxyType
from typing import NamedTuple

from krm_fn.base.changes import Changes
from krm_fn.base.settings import Environment, Settings
from krm_fn.core.decide.checksum_input import ChecksumInput
from krm_fn.core.decide.choice import Choices
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.reason import Guards
from krm_fn.core.decide.revisions import Consumers, Revision, Revisions
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.references import References
from krm_fn.core.references.resolve import MoreNames


class Run(NamedTuple):
    """What steps hand on. A step returns it with its own part, and with its changes behind those of the steps before.

    `checksums`: what restarts pods other than a new name. `jobs`: those that are named by their content. `pins`: names
    of revisions that references say, and that mean an object as long as its content gives it this very name.
    """

    package: Package
    settings: Settings
    environment: Environment
    references: References
    mentions: Mentions
    guards: Guards
    choices: Choices
    revisions: Revisions
    consumers: Consumers
    changes: Changes
    checksums: tuple[ChecksumInput, ...] = ()
    jobs: tuple[Revision, ...] = ()
    pins: MoreNames = MappingProxyType({})

    def add(self, changes: Changes) -> "Run":
        return self._replace(changes=self.changes + changes)
