"""What `output.yaml` of a fixture contains: the output, or the output with a line for the linker's objects.

They are the same in most fixtures. Those in WHOLE show all that they may be. In the others, a comment
has their kinds and a digest of their bytes, so no byte of them changes unseen.
"""

import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from krm_fn.base.problem import Outcome
from krm_fn.function import run
from tests.cases import ENVIRONMENT, FIXTURES

WHOLE = (
    "transforms/a-copied-label-makes-nothing-the-linkers",
    "transforms/a-scheduled-linker-is-a-cronjob-with-the-plan-of-all-waves",
    "transforms/a-set-left-to-a-shared-linker-has-a-role-for-its-secrets",
    "transforms/a-set-takes-over-the-linker-of-another",
    "transforms/a-stream-gets-the-linker-at-its-end",
    "transforms/a-suffix-in-an-overlay-leaves-one-linker",
    "transforms/an-empty-schedule-from-kpt-suspends-the-cronjob",
    "transforms/another-sets-linker-is-left-alone",
    "transforms/on-openshift-the-linker-may-delete-what-it-owns",
    "transforms/secrets-have-a-role-beside-an-account-of-ones-own",
    "transforms/the-inventory-is-in-the-wave-of-the-first-revision",
    "transforms/the-last-release-lets-the-linker-take-its-owners-off",
    "transforms/the-linkers-pod-is-as-configured",
    "transforms/what-a-shared-linker-is-told-to-read-is-not-retained",
    "migrations/from-spinnaker/step-1",
)
"""The fixtures with whole outputs: together they have every field that the linker's objects have in any."""

_OBJECT = re.compile(
    rb"(?m)^(?P<indent> *)- \w+:.*\n(?:(?P=indent)  .*\n|\s*\n)*"  # an item
    rb"|^---\r?\n(?:(?!---|items:).*\n)+"  # a document that has none
)
_OF_THE_LINKER = re.compile(rb"(?ms) *-.*^ +revisions\.krm-fn\.io/component: linker\r?$")
_KIND = re.compile(rb"(?m)^ *(?:- )?kind: (\w+)\r?$")


@cache
def outcome_of(case: Path) -> Outcome:
    return run((case / "input.yaml").read_bytes(), environment=ENVIRONMENT)


def output_of(case: Path) -> bytes:
    """Return the whole output. test_fixtures.py compares it with what is recorded."""
    return outcome_of(case).stdout


def as_recorded(case: Path, output: bytes) -> bytes:
    return output if case.relative_to(FIXTURES).as_posix() in WHOLE else shorten(output)


def shorten(output: bytes) -> bytes:
    """Put a comment in the place of each run of the linker's objects.

    They are found in block style: JSON stays as it is.
    """
    runs = groupby(filter(None, _split(output)), lambda piece: bool(_OF_THE_LINKER.match(piece)))
    return b"".join(_comment([*run]) if is_theirs else b"".join(run) for is_theirs, run in runs)


def _split(output: bytes) -> Iterator[bytes]:
    """Yield each object, and what is between two."""
    end = 0
    for one in _OBJECT.finditer(output):
        yield output[end : one.start()]
        yield one[0]
        end = one.end()
    yield output[end:]


def _comment(objects: list[bytes]) -> bytes:
    whole = b"".join(objects)
    kinds = ", ".join(_KIND.findall(one)[0].decode() for one in objects)
    said = f"# the linker's objects ({len(objects)}): {kinds}; sha256 {sha256(whole).hexdigest()}"
    indent, line_end = whole[: whole.index(b"-")], b"\r\n" if whole.endswith(b"\r\n") else b"\n"
    return indent + said.encode() + line_end
