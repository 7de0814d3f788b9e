"""Write findings as people and programs read them: lines, JSON, JUnit's XML, annotations of GitHub.

All of them say the same of each finding. Names and messages hold what others wrote, so no form shows
a character that does not print.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from html import escape
from pathlib import Path

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Outcome, Problem, Severity, count, find_errors, printable
from krm_fn.core.decide.decide import Run
from krm_fn.report.markup import Forms, as_json, join_lines, write_forms
from krm_fn.report.secrets import hide_in_ids, stderr_lines
from krm_fn.tools.common.files import built_from

_PLACED = re.compile(r"(?P<file>.+):(?P<line>[1-9]\d*):(?P<column>[1-9]\d*)", re.DOTALL)


class FindingsFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"


class Verified(NamedTuple):
    """A package, and what was found in it.

    `counted`: what was verified. `remarks`: what a person must know of it, such as who may prune. Both
    are empty after an error. `results`: a ResourceList with the findings, if the input was one.
    `run`: its objects, as a run that leaves them as they are; None where they could not be read.
    """

    path: str
    problems: tuple[Problem, ...]
    counted: str = ""
    remarks: tuple[str, ...] = ()
    results: bytes = b""
    run: Run | None = None

    @property
    def failed(self) -> bool:
        return bool(find_errors(self.problems))

    @property
    def summary(self) -> str:
        """`verified: 3 revisions of set shop, 5 references, 1 linker Job; protected from pruning by argocd`."""
        return f"verified: {'; '.join((self.counted, *self.remarks))}" if self.counted else ""

    @property
    def findings(self) -> "tuple[Finding, ...]":
        shown = [one for one in self.problems if one.severity is not Severity.INFO]
        return tuple(map(_read_finding, shown))


class Finding(NamedTuple):
    """A problem in parts that can be shown. `text` is the line that says all of it."""

    severity: Severity
    object: str
    field: str
    file: str
    line: int
    column: int
    message: str
    text: str


_FORMS: Forms = {
    Verified: ("path", "verified=summary", "findings"),
    Finding: ("severity", "object", "field", "file", "line", "column", "message"),
}
"""The fields of schemas/verify-v1.json."""


def _read_finding(problem: Problem) -> Finding:
    """Take a problem apart. A file of the whole name is just a file."""
    file, line, column = problem.file, problem.line, problem.column
    placed = _PLACED.fullmatch(file)
    if placed is not None and not os.path.lexists(file):
        file, line, column = placed["file"], int(placed["line"]), int(placed["column"])
    return Finding(
        severity=problem.severity,
        object=printable(hide_in_ids(problem.shown_resource or str(problem.resource or ""))),
        field=printable(problem.field),
        file=printable(file),
        line=line,
        column=column,
        message=printable(hide_in_ids(problem.message)),
        text=printable(hide_in_ids(str(problem))),
    )


def write_findings(found: Sequence[Verified], form: FindingsFormat) -> Outcome:
    """Write all findings, on stderr as text, and on stdout in any other form."""
    code = int(any(one.failed for one in found))
    match form:
        case FindingsFormat.TEXT:
            results = b"".join(one.results for one in found)
            return Outcome(results, "".join(_write_lines(found)), code)
        case FindingsFormat.JSON:
            text = write_forms({"packages": as_json(tuple(found), _FORMS)}, _FORMS)
        case FindingsFormat.JUNIT:
            text = join_lines(_write_junit(found))
        case FindingsFormat.GITHUB:
            text = join_lines(_write_annotations(found))
    return Outcome(text.encode(), "", code)


def _write_lines(found: Sequence[Verified]) -> Iterator[str]:
    """Write a line for each finding and, of several packages, for each that is unlike most, and how many there are."""
    if len(found) == 1:
        (only,) = found
        yield stderr_lines(only.problems) + (f"{only.summary}\n" if only.summary else "")
        return
    remarks = [one.remarks for one in found if one.counted]
    ((most, alike),) = Counter(remarks).most_common(1) or [((), 0)]
    for one in map(_name_package, found):
        yield stderr_lines(one.problems)
        if one.counted and one.remarks != most:
            yield f"{printable(one.path)}: {one.summary}\n"
    failed = sum(one.failed for one in found)
    numbers = [f"{len(found) - failed} verified", *([f"{failed} with errors"] if failed else [])]
    of_them = f"{alike} of them: " if alike < len(remarks) else ""
    note = f"; {of_them}{'; '.join(most)}" if most else ""
    yield f"{count(len(found), 'package')}: {', '.join(numbers)}{note}\n"


def _name_package(one: Verified) -> Verified:
    """Let each problem without a file name the package."""
    named = (problem._replace(file=problem.file or one.path) for problem in one.problems)
    return one._replace(problems=tuple(named))


def _write_junit(found: Sequence[Verified]) -> Iterator[str]:
    """Write a suite for each package, and a case for each finding, or for what was verified.

    JUnit knows no warnings: that of a case which passes is its output.
    """
    numbers = [_count_cases(one) for one in found]
    tests, failures = (sum(column) for column in zip(*numbers, strict=True))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="krm-fn verify" tests="{tests}" failures="{failures}" errors="0">'
    for one, (tests, failures) in zip(found, numbers, strict=True):
        name = escape(printable(one.path))
        yield f'  <testsuite name="{name}" tests="{tests}" failures="{failures}" errors="0">'
        yield from _write_cases(one, name)
        yield "  </testsuite>"
    yield "</testsuites>"


def _count_cases(one: Verified) -> tuple[int, int]:
    failures = sum(finding.severity is Severity.ERROR for finding in one.findings)
    return len(one.findings) + (not one.failed), failures


def _write_cases(one: Verified, suite: str) -> Iterator[str]:
    # GitLab shows one of several cases with one name.
    seen: Counter[str] = Counter()
    for finding in one.findings:
        said = escape(finding.text)
        seen[said] += 1
        name = said if seen[said] == 1 else f"{said} ({seen[said]})"
        yield f'    <testcase name="{name}" classname="{suite}">'
        if finding.severity is Severity.ERROR:
            message = escape(finding.message)
            yield f'      <failure type="error" message="{message}">{said}</failure>'
        else:
            yield f"      <system-out>{finding.severity}: {said}</system-out>"
        yield "    </testcase>"
    if not one.failed:
        yield f'    <testcase name="{escape(one.summary)}" classname="{suite}"/>'


_IN_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = {**_IN_DATA, ":": "%3A", ",": "%2C"}
"""As the runner of GitHub Actions reads workflow commands: https://github.com/actions/toolkit, packages/core."""


def _write_annotations(found: Sequence[Verified]) -> Iterator[str]:
    """Write a workflow command for each finding, at its line or at the file that the package is built from."""
    for one in map(_name_package, found) if len(found) > 1 else found:
        beside = built_from(Path(one.path))
        default = os.path.join(one.path, beside) if beside else ""  # noqa: PTH118  # as given
        for finding in one.findings:
            is_file = Path(finding.file).is_file()
            place = {"file": finding.file if is_file else default}
            if is_file and finding.line:
                place |= {"line": str(finding.line), "col": str(finding.column)}
            place["title"] = "krm-fn verify"
            properties = ",".join(
                f"{name}={_encode(value, _IN_PROPERTY)}" for name, value in place.items() if value
            )
            said = finding.message if is_file and not finding.object else finding.text
            yield f"::{finding.severity} {properties}::{_encode(said, _IN_DATA)}"


def _encode(text: str, codes: dict[str, str]) -> str:
    return "".join(codes.get(character, character) for character in text)
