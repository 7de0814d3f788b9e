"""Bad input gives complete output or an error message, never a traceback or partial output."""

import random
import re
import time

import pytest
import yaml

from krm_fn.function import run
from tests.cases import REJECTIONS, TRANSFORMS
from tests.volume import part_of, seed_of
from tests.yaml.redefined import compose_all

RUNS = part_of(100_000)
SEEDS = 20
SECRET = b"c3VwZXItc2VjcmV0LXZhbHVl"
EMITTED = re.compile(r"revisions.krm-fn.io/component")
SLOWEST = 5.0
"""Maximum seconds of the processor for one small input: that others are busy does not count."""

SNIPPETS = [
    b"[",
    b"{",
    b"}",
    b"- ",
    b": ",
    b"&a ",
    b"*a",
    b"!!t ",
    b"|",
    b"'",
    b'"',
    b"\t",
    b"\xff",
    b"\x00",
    b"~",
    b"<<: *a",
    b"---\n",
    b"\r",
]
TYPES = [b"null", b"[]", b"{}", b"1", b"true", b"[a, b]", b"{a: b}", b'""', b"- x"]


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Make one to three changes: flip bytes, cut, double or move lines, or change the types of values."""
    for _ in range(rng.randint(1, 3)):
        kind = rng.randrange(5)
        position = rng.randrange(len(data) + 1)
        lines = data.splitlines(keepends=True) or [b""]
        line = rng.randrange(len(lines))
        if kind == 0:
            data = data[:position] + bytes([rng.randrange(256)]) + data[position + 1 :]
        elif kind == 1:
            data = data[:position] + rng.choice(SNIPPETS) + data[position:]
        elif kind == 2:
            data = b"".join(lines[:line] + lines[line + rng.randint(1, 3) :])
        elif kind == 3:
            data = b"".join([*lines[:line], lines[line], *lines[line:]])
        else:
            lines[line] = re.sub(rb":.*", b": " + rng.choice(TYPES), lines[line], count=1)
            data = b"".join(lines)
    return data


def count_items(data: bytes) -> int:
    """Count the objects of a ResourceList or List, or else the documents, without the objects that krm-fn emits."""
    documents = compose_all(data.decode("utf-8-sig"))
    first = documents[0] if documents and isinstance(documents[0], yaml.MappingNode) else None
    items = [value for key, value in first.value if key.value == "items"] if first else []
    objects = items[0].value if items and items[0].id == "sequence" else documents
    return sum(not EMITTED.search(yaml.serialize(one)) for one in objects)


def read_sources() -> list[bytes]:
    """Return inputs to mutate, each with the value of a Secret that no message may show."""
    sources = [(case / "input.yaml").read_bytes() for case in TRANSFORMS + REJECTIONS]
    return [re.sub(rb"dw==", SECRET, source) for source in sources if len(source) < 8000]


def check(data: bytes) -> None:
    """Run the function over anything at all."""
    started = time.process_time()
    outcome = run(data)
    assert time.process_time() - started < SLOWEST, data
    assert SECRET.decode() not in outcome.stderr
    assert "bug in krm-fn" not in outcome.stderr, data
    if outcome.exit_code == 0:
        assert count_items(outcome.stdout) == count_items(data), data
    else:
        assert outcome.stderr.startswith(("error: ", "warning: "))
        assert "Traceback" not in outcome.stderr
        assert not outcome.stdout or count_items(outcome.stdout) == count_items(data), data


@pytest.mark.rows(test=8)
@pytest.mark.volume
@pytest.mark.parametrize("seed", [*map(seed_of, range(SEEDS))])
def test_mutated_input(seed: str) -> None:
    rng = random.Random(seed)
    sources = read_sources()
    for _ in range(RUNS // SEEDS):
        check(mutate(rng.choice(sources), rng))
