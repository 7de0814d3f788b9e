"""Tell people what is wrong, in which object and field, and where in the text.

Messages contain text that others wrote. `printable` makes it safe to show, and the other functions
in front write numbers and lists.
"""

import sys
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import TypeAlias

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Mark, Node

_MOST_OTHERS = 5


def printable(text: str) -> str:
    r"""Return the text as one line in which nothing is hidden.

    Characters that do not print are escaped: `\x1b`, `\n`, `\u202e`. Names of files and objects
    come from anybody. Printed as they are, they could clear a terminal, reverse its text, or add a
    line that looks like ours.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else _escape(character) for character in text
    )


def count(number: int, what: str) -> str:
    """Write `1 pod`, `3 pods`, `1,200 pods`."""
    ending = "" if number == 1 else "s"
    return f"{number:,} {what}{ending}"


def listing(
    items: Iterable[str],
    most: int = sys.maxsize,
    separator: str = ", ",
    mark: str = "",
    *,
    is_sentence: bool = False,
) -> str:
    """Join the first items, and count the others behind a mark such as a comma: `a, b, c and 497 more`.

    `is_sentence`: where none is left out, `and` stands before the last one, as in `a, b and c`.
    """
    every = [*items]
    if len(every) > most:
        return f"{separator.join(every[:most])}{mark} and {len(every) - most} more"
    *others, last = every or [""]
    if not others:
        return last
    return f"{separator.join(others)}{' and ' if is_sentence else separator}{last}"


def read_list(text: str) -> list[str]:
    """Read a comma list. Blanks around an entry do not count, nor does an empty entry."""
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def with_commas(items: Iterable[str]) -> list[str]:
    """Add a comma to all but the last, so that a line may break behind each."""
    *others, last = items
    return [*(f"{one}," for one in others), last]


def camel_case(name: str) -> str:
    """Write `present_name` as a field of YAML or JSON: `presentName`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def and_others(others: Collection[str]) -> str:
    """Say behind a message that it is true of others, too: `; the same holds for b, c and d`."""
    if others:
        return f"; the same holds for {listing(others, _MOST_OTHERS, mark=',', is_sentence=True)}"
    return ""


def _escape(character: str) -> str:
    # Python stands this in for a byte of a file name that is not UTF-8.
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


UNRENDERED = "looks like an unrendered Helm template ({{ ... }}); render the chart first"
"""The message where a mapping is a key: so YAML reads double braces without quotes."""


class ResourceId(NamedTuple):
    """The identity of an object, whatever else it contains."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @property
    def group(self) -> str:
        """`apps` of `apps/v1`, `""` of `v1`."""
        return self.api_version.rpartition("/")[0]

    @property
    def group_kind(self) -> tuple[str, str]:
        return self.api_version.rpartition("/")[0], self.kind

    def __str__(self) -> str:
        """`Deployment/shop/web`; without the namespace if the object has none."""
        return "/".join(filter(None, [self.kind, self.namespace, self.name]))


class Severity(StrEnum):
    """The severities of the KRM functions specification."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Problem(NamedTuple):
    """One line for a person: what is wrong, where, what was found, and what is allowed.

    `field` is a path such as `spec.template.spec.volumes[2].configMap.name`; `line` and `column`
    count from 1, 0 if unknown; `file` and `file_index` are those of the object in a kpt package.
    `node` is the object itself, or the configuration, None where it is neither. `shown_resource` is
    what people see of an id that shows too much.
    """

    message: str
    resource: ResourceId | None = None
    field: str = ""
    severity: Severity = Severity.ERROR
    line: int = 0
    column: int = 0
    file: str = ""
    file_index: int = 0
    node: Node | None = None
    shown_resource: str = ""

    def __str__(self) -> str:
        """`Deployment/shop/web spec.x (web.yaml): message`, or `line 3, column 5: message`."""
        place = self.file or (f"line {self.line}, column {self.column}" if self.line else "")
        address = " ".join(
            filter(None, [self.shown_resource or str(self.resource or ""), self.field])
        )
        address = f"{address} ({place})" if address and place else address or place
        return f"{address}: {self.message}" if address else self.message

    def as_error(self) -> "Problem":
        """Return an error in the place of a warning, for `strict`."""
        return self._replace(severity=Severity.ERROR) if self.severity is Severity.WARNING else self


Problems: TypeAlias = Iterator[Problem]
"""What a check yields."""


def at(mark: Mark | None, message: str) -> Problem:
    return (
        Problem(message, line=mark.line + 1, column=mark.column + 1) if mark else Problem(message)
    )


def find_errors(problems: Iterable[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.severity is Severity.ERROR]


class Rejected(Exception):
    """The input cannot be transformed. Carries every problem found."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems


class NotFound(Rejected):
    """No object of a package has the name that is asked for."""


class Outcome(NamedTuple):
    """The output of the process, and its exit code.

    `stderr`: the errors and warnings. `summary`: what a success ends with there, a line that a
    command may leave out.
    """

    stdout: bytes
    stderr: str
    exit_code: int
    summary: str = ""
