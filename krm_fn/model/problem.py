"""What went wrong or is worth saying, as values with an address."""

from enum import StrEnum
from typing import NamedTuple

from krm_fn.model.resource import ResourceId


class Severity(StrEnum):
    """The three of the KRM functions specification."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Problem(NamedTuple):
    """One line for a person: what, where, what was found, what would be right.

    `field` is a path such as `spec.template.spec.volumes[2].configMap.name`; `line` and `column` count
    from 1, 0 where there is none; `file` and `file_index` are the item's own in a kpt package.
    """

    message: str
    resource: ResourceId | None = None
    field: str = ""
    severity: Severity = Severity.ERROR
    line: int = 0
    column: int = 0
    file: str = ""
    file_index: int = 0

    def __str__(self) -> str:
        """`Deployment/shop/web spec.x (web.yaml): message`, or `line 3, column 5: message`."""
        place = self.file or (f"line {self.line}, column {self.column}" if self.line else "")
        address = " ".join(filter(None, [str(self.resource or ""), self.field]))
        address = f"{address} ({place})" if address and place else address or place
        return f"{address}: {self.message}" if address else self.message


class Rejected(Exception):
    """The input cannot be transformed; carries every problem found."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems
