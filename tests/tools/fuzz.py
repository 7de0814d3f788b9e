"""Give everything that reads what others wrote nonsense, for as long as there is time.

CI does so every night.

    python -m tests.tools.fuzz --minutes 10 [--seed 7] [--only page]

A round is one seed for one target, and a failure says how to repeat it. What a target must hold is
a test that runs in `make check` too, with fewer tries.
"""

import argparse
import json
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random, randrange

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from krm_fn.base.problem import Rejected
from krm_fn.linker.api import parse
from krm_fn.linker.retry import NoResponse
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import Limits
from krm_fn.tools.diff.compare import compare
from krm_fn.tools.diff.write_difference import write_markdown
from krm_fn.tools.opened.sources import Inputs
from tests.cases import ENVIRONMENT
from tests.diff.generated import differences, hostile
from tests.diff.markdown import TAGS, TYPES, read_markdown
from tests.diff.test_markdown import test_no_text_is_more_than_text
from tests.diff.test_properties import release_of
from tests.function import test_mutations
from tests.function.test_mutations import SECRET, mutate
from tests.graph.test_hostile_texts import graphs
from tests.graph.test_hostile_texts import (
    test_no_text_is_more_than_text as test_no_text_of_a_page_is_more_than_text,
)
from tests.linker.test_readers import KINDS, OBJECTS, test_any_json_is_read
from tests.render.run import WITHOUT_LINKER, render
from tests.yaml import test_yaml_styles

sources = cache(test_mutations.read_sources)

NAMES = (
    "a.yaml",
    "b/c.yaml",
    "b/d.json",
    "krm-fn.yaml",
    "Kptfile",
    "-.yaml",
    "::error::.yaml",
    "a\nb.yaml",
    "\u202e.yml",
)
LIMITS = Limits(timeout=20, no_remote=True)


def fuzz_function(rng: Random) -> None:
    test_mutations.check(mutate(rng.choice(sources()), rng))


def fuzz_styles(rng: Random) -> None:
    test_yaml_styles.check(str(rng.getrandbits(64)))


def fuzz_renderer(rng: Random) -> None:
    """Render a folder of mutated files, with names and links that nobody would choose."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "krm-fn.yaml").write_text(WITHOUT_LINKER)
        for name in rng.sample(NAMES, rng.randint(1, 4)):
            file = Path(folder) / name
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(mutate(rng.choice(sources()), rng))
        if rng.random() < 0.2:
            (Path(folder) / "link.yaml").symlink_to(
                rng.choice([".", "link.yaml", "/dev/zero", "nothing", "a.yaml", "b"])
            )
        outcome = render(Inputs((folder,)), HelmOptions(), ENVIRONMENT, LIMITS)
        assert outcome.exit_code in (0, 1)
        assert SECRET.decode() not in outcome.stderr
        assert "bug in krm-fn" not in outcome.stderr
        assert "Traceback" not in outcome.stderr
        assert all(line.isprintable() for line in outcome.stderr.split("\n"))
        if outcome.exit_code:
            assert not outcome.stdout
            assert re.match("error: |warning: ", outcome.stderr)


def fuzz_markdown(rng: Random) -> None:
    """Compare a rendering with a mutated one, whose names and keys may be anything."""
    before = rng.choice(sources())
    try:
        old, new = release_of(before), release_of(mutate(before, rng))
    except Rejected:
        return
    seen = read_markdown(write_markdown(compare(old, new), "key"))
    assert seen.types <= TYPES
    assert seen.tags <= TAGS
    assert not seen.unclosed


def fuzz_answers(rng: Random) -> None:
    """Give the linker an answer of an API server that is mutated JSON."""
    items = [{"metadata": {"name": "a", "uid": "b"}}]
    answer = {"kind": "ConfigMapList", "metadata": {"continue": "a"}, "items": items}
    with suppress(NoResponse):
        assert isinstance(parse(mutate(json.dumps(answer, indent=1).encode(), rng), 200), dict)


def property_of(
    test: Callable[..., None], *strategies: st.SearchStrategy[object]
) -> Callable[[Random], None]:
    """Return a target that tries a property with some values."""

    def run(rng: Random) -> None:
        inner: Callable[..., None] = test.hypothesis.inner_test  # type: ignore[attr-defined]  # what @given hides
        some = settings(
            max_examples=30, deadline=None, database=None, phases=[Phase.generate, Phase.shrink]
        )
        some(seed(rng.getrandbits(64))(given(*strategies)(inner)))()

    return run


TARGETS: dict[str, Callable[[Random], None]] = {
    "function": fuzz_function,
    "styles": fuzz_styles,
    "renderer": fuzz_renderer,
    "readers": property_of(test_any_json_is_read, OBJECTS, st.sampled_from(KINDS)),
    "answers": fuzz_answers,
    "markdown": fuzz_markdown,
    "texts": property_of(test_no_text_is_more_than_text, differences(), hostile),
    "page": property_of(test_no_text_of_a_page_is_more_than_text, graphs()),
}
"""What is fuzzed: each takes random choices, and raises anything for a failure."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, help="the first one; each round takes the next")
    parser.add_argument("--only", choices=TARGETS)
    options = parser.parse_args()
    targets = [options.only] if options.only else list(TARGETS)
    rounds = dict.fromkeys(targets, 0)
    spent = dict.fromkeys(targets, 0.0)
    end = time.monotonic() + options.minutes * 60
    first = randrange(1 << 32) if options.seed is None else options.seed
    while time.monotonic() < end:
        name = min(targets, key=spent.__getitem__)  # each gets as much time
        number = first + sum(rounds.values())
        started = time.monotonic()
        try:
            TARGETS[name](Random(number))
        except Exception:  # noqa: BLE001  # any is a finding, and ends the run
            traceback.print_exc()
            print(
                f"\n{name} fails: python -m tests.tools.fuzz --only {name} --seed {number}",
                file=sys.stderr,
            )
            return 1
        spent[name] += time.monotonic() - started
        rounds[name] += 1
    print(
        f"seed {first}: {', '.join(f'{count} of {name}' for name, count in rounds.items())}, nothing found"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
