"""Keys that a mapping has twice, in a stream as helm writes it: read where that changes nothing."""

import pytest

from krm_fn.base.changes import Changes
from krm_fn.base.problem import Rejected
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.prove import prove
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import run

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {linker: {enabled: false}}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata: {a: b}\n---\n"
POD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {heritage: a}
spec:
  template:
    spec:
      volumes:
      - name: a
        configMap: {name: config}
      containers:
      - name: app
        image: a
"""
WARNING = (
    "warning: line %s, column %s: duplicate key %r with the same value as on line %s; helm and kubectl read it, and "
    "kustomize refuses it: remove one of them\n"
)

EQUAL = [
    pytest.param(
        "{heritage: a}", "{heritage: a, 'heritage': a}", (10, 25, "heritage", 10), id="a label"
    ),
    pytest.param(
        "{heritage: a}",
        "{heritage: 'a', heritage: \"a\"}",
        (10, 27, "heritage", 10),
        id="other quotes",
    ),
    pytest.param(
        "{heritage: a}",
        "{heritage: a/b, heritage: 'a/b'}",
        (10, 27, "heritage", 10),
        id="quotes or none",
    ),
    pytest.param("image: a", "image: a\n        image: a", (20, 9, "image", 19), id="an image"),
    pytest.param(
        "image: a",
        "args: [b, {c: d}]\n        args:\n        - b\n        - c: d",
        (20, 9, "args", 19),
        id="a list",
    ),
]


@pytest.mark.parametrize(("before", "after", "place"), EQUAL)
def test_a_key_with_the_same_value_is_warned_about_and_every_byte_stays(
    before: str, after: str, place: tuple[object, ...]
) -> None:
    text = CONFIG_MAP + POD.replace(before, after)
    outcome = run(text.encode(), CONFIG)
    assert (outcome.exit_code, outcome.stdout.decode().count(after)) == (0, 1)
    assert WARNING % place in outcome.stderr
    assert b"configMap: {name: config-" in outcome.stdout
    assert run(outcome.stdout, CONFIG).stdout == outcome.stdout


@pytest.mark.parametrize("field", ["labels", "annotations"])
def test_a_long_label_twice_is_warned_about_in_an_object_that_changes(field: str) -> None:
    """The proof leaves out what is far from any edit, and would leave out one of the two."""
    twice = f"    chart: {'a' * 310}\n    other: b\n    chart: {'a' * 310}\n"
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\n  {field}:\n{twice}data: {{a: b}}\n---\n"
    outcome = run((text + POD).encode(), CONFIG)
    assert outcome.exit_code == 0, outcome.stderr
    assert "duplicate key 'chart' with the same value" in outcome.stderr
    assert outcome.stdout.decode().count(twice) == 1
    assert b"configMap: {name: config-" in outcome.stdout


REFUSED = [
    pytest.param("{heritage: a}", "{heritage: a, heritage: b}", id="another value"),
    pytest.param("{heritage: a}", "{heritage: 1, heritage: '1'}", id="a number and a text"),
    pytest.param(
        "{heritage: a}",
        "{heritage: yes, heritage: 'yes'}",
        id="a boolean to some parsers, and a text",
    ),
    pytest.param(
        "{heritage: a}", "{heritage: 2026-01-01, heritage: '2026-01-01'}", id="a date and a text"
    ),
    pytest.param(
        "{heritage: a}", "{heritage: {b: c, d: e}, heritage: {d: e}}", id="a part of a value"
    ),
    pytest.param("{name: config}", "{name: config, name: other}", id="another name in a reference"),
    pytest.param(
        "{name: config}", "{name: config, name: config}", id="a reference that is to be changed"
    ),
    pytest.param("  name: web\n", "  name: web\n  name: other\n", id="another name"),
]


@pytest.mark.parametrize(("before", "after"), REFUSED)
def test_a_key_with_another_value_or_that_is_to_be_changed_is_an_error(
    before: str, after: str
) -> None:
    """The package that helm and kubectl use leaves undefined which one counts."""
    outcome = run((CONFIG_MAP + POD.replace(before, after)).encode(), CONFIG)
    assert (outcome.exit_code, outcome.stdout) == (1, b"")
    assert "duplicate key" in outcome.stderr


def test_a_key_twice_in_what_is_hashed_is_an_error() -> None:
    outcome = run((CONFIG_MAP.replace("{a: b}", "{a: b, a: b}") + POD).encode(), CONFIG)
    assert (outcome.exit_code, outcome.stdout) == (1, b"")
    assert "duplicate key a" in outcome.stderr


def test_the_output_has_no_other_key_twice() -> None:
    """Also where the input has one."""
    text = CONFIG_MAP + POD.replace("image: a", "image: a\n        image: a")
    envelope = open_envelope(read_yaml(text.encode(), may_repeat=True))
    prove(envelope, Changes(), [], text)
    with pytest.raises(Rejected, match="the output would differ where nothing was planned"):
        prove(envelope, Changes(), [], text.replace("  name: web\n", "  name: web\n  name: web\n"))


def test_a_resource_list_has_no_key_twice() -> None:
    items = POD.replace("image: a", "image: a\n        image: a").replace("\n", "\n  ")
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {items}\n"
    outcome = run(text.encode())
    assert outcome.exit_code == 1
    assert (
        outcome.stderr
        == "error: line 18, column 11: duplicate key 'image'; the first is on line 17\n"
    )
