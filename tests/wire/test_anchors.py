"""A value that places share through a YAML anchor changes in all of them, or not at all."""

import pytest

from krm_fn.model.changes import Changes, ListPatch, Patch
from krm_fn.model.problem import Rejected
from krm_fn.wire.apply import plan_splices
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.reader import read_yaml
from krm_fn.wire.splice import apply_splices


def patched(source: str, *patches: Patch) -> str:
    """Patch each object of a stream."""
    envelope = open_envelope(read_yaml(source.encode()))
    changes = Changes(patches=tuple(zip(envelope.items, patches, strict=True)))
    return apply_splices(envelope.document.text, plan_splices(envelope, changes))


TWO = "{kind: List, items: [{a: &x b}, {a: *x }]}\n"


def test_the_same_value_everywhere_is_written_once() -> None:
    assert patched(TWO, {"a": "c"}, {"a": "c"}) == TWO.replace("b", "c")


def test_an_anchor_that_nothing_changes_stays() -> None:
    assert patched(TWO, {"d": "e"}, {}) == TWO.replace("b}", "b, d: e}")


REFUSED = [
    pytest.param(
        TWO,
        ({"a": "c"}, {"a": "d"}),
        "a (line 1, column 26): is a YAML anchor used in 2 places that need different values; "
        "write the value out in each place",
        id="two values",
    ),
    pytest.param(
        TWO,
        ({}, {"a": "c"}),
        "a (line 1, column 26): is a YAML anchor used in 2 places that need different values; "
        "write the value out in each place",
        id="one place stays",
    ),
    pytest.param(
        "v:\n- &x {a: 1}\n- b\nw: *x\n",
        ({"v": ListPatch(drop=(0,))},),
        "v (line 2, column 1): holds a YAML anchor that must be removed, but an alias elsewhere needs it; "
        "write the value out there instead of the alias",
        id="an element with an anchor is dropped",
    ),
    pytest.param(
        "v:\n  a: &x 1\n  b: 2\nw: *x\n",
        ({"v": {"a": None}},),
        "v (line 2, column 3): holds a YAML anchor that must be removed, but an alias elsewhere needs it; "
        "write the value out there instead of the alias",
        id="a field with an anchor is dropped",
    ),
]


@pytest.mark.parametrize(("source", "patches", "sentence"), REFUSED)
def test_refused(source: str, patches: tuple[Patch, ...], sentence: str) -> None:
    with pytest.raises(Rejected) as caught:
        patched(source, *patches)
    assert [str(problem) for problem in caught.value.problems] == [sentence]
