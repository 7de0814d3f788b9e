"""Compare our hash with the names that the real kustomize gives.

kustomize hashes an object with the annotation `needsHashSuffix` as it is in the file. Its own
generators request a hash in the same way.
"""

import json
import re
import string
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from krm_fn.core.names.content_hash import Unhashable, content_hash
from krm_fn.core.yaml.reader import read_yaml
from tests.names.hash_vectors import OBSERVED, RECORDED, Vector

Build = Callable[[str], subprocess.CompletedProcess[str]]

MARK = (
    "metadata: {name: %s, annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}}\n"
)


@pytest.fixture(scope="module")
def build(require_tool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that runs `kustomize build` on the text of resources."""
    kustomize = require_tool("kustomize")
    folder = tmp_path_factory.mktemp("kustomization")
    (folder / "kustomization.yaml").write_text(
        "resources: [all.yaml]\nsortOptions: {order: fifo}\n"
    )

    def run(resources: str) -> subprocess.CompletedProcess[str]:
        (folder / "all.yaml").write_bytes(resources.encode())
        return subprocess.run(
            [kustomize, "build", folder], capture_output=True, encoding="utf-8", check=False
        )

    return run


def named(source: str, name: str) -> str:
    """Add a name to the object. metadata is second, because the last field may be a block that keeps its line ends."""
    first, rest = source.split("\n", 1)
    return f"{first}\n{MARK % name}{rest}"


@pytest.mark.rows(submission=40)
@pytest.mark.parametrize("vector", RECORDED + OBSERVED, ids=lambda vector: vector.says)
def test_kustomize_still_gives_the_recorded_hash(build: Build, vector: Vector) -> None:
    result = build(named(vector.source, "x"))
    # kustomize hashes some objects and then fails to write them; its error contains the name.
    assert re.findall(r"\bx-(\w+)", result.stdout + result.stderr)[:1] == [vector.hash]


UNHASHABLE = [
    "{a: .nan}",
    "{a: [-.inf]}",
    "{a: !!int x}",
    "{a: !!binary x}",
    "{a: !!timestamp 2020-01-02T03:04:05+24:00}",
    "{a: {1: x}}",
    "{~: x}",
    "{[a]: x}",
    "{<<: 5}",
    "[.nan]",
]


@pytest.mark.parametrize("data", UNHASHABLE)
def test_kustomize_refuses_what_krm_fn_refuses(build: Build, data: str) -> None:
    source = f"apiVersion: v1\nkind: ConfigMap\ndata: {data}\n"
    with pytest.raises(Unhashable):
        content_hash(read_yaml(source.encode()).roots[0])
    result = build(named(source, "x"))
    assert result.returncode != 0
    assert "x-" not in result.stdout


def test_kustomize_changes_some_folded_text_before_it_hashes_it(build: Build) -> None:
    """Our hash differs for such text, because it covers what the author wrote."""
    folded = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: >\n    one\n      two\n"
    result = build(named(folded, "x"))
    written = read_yaml(result.stdout.encode()).roots[0]
    assert "  a: |\n    one\n\n      two\n" in result.stdout
    assert f"x-{content_hash(written)}" in result.stdout
    assert f"x-{content_hash(read_yaml(folded.encode()).roots[0])}" not in result.stdout


# --- generated objects
# ------------------------------------------------------------------------------------------

# kustomize hashes control characters and unassigned code points, but then fails to write them.
CHARACTERS = st.characters(
    codec="utf-8", exclude_categories=["Cc", "Cn", "Co", "Cs"], include_characters="\n\t"
)
DIGITS = st.text("0123456789_", max_size=22)
SIGNS = st.sampled_from(["", "", "+", "-"])
PREFIXES = st.sampled_from(["", "", "0", "0x", "0X", "0o", "0b", "0b-", "1", "."])
EXPONENTS = st.sampled_from(["", "", ".", ".5", "e3", "E-7", ".25e+21", "e400", "abc", "_"])
NUMBER_LIKE = st.builds("{}{}{}{}".format, SIGNS, PREFIXES, DIGITS, EXPONENTS)
DATE_LIKE = st.builds(
    "{}-{}-{}{}{}".format,
    st.sampled_from(["2020", "2023", "0000", "20"]),
    st.sampled_from(["1", "02", "12", "13"]),
    st.sampled_from(["1", "09", "29", "31"]),
    st.sampled_from(
        ["", "", "T3:04:05", "t03:04:05.120", " 23:59:59", "  1:2:3.1234567891", "T24:00:00"]
    ),
    st.sampled_from(["", "", "Z", "+02:30", "-00:00", "+22:60", "+0200"]),
)
WORDS = st.sampled_from(
    [
        *"yYnNtfTF~=",
        "yes",
        "No",
        "on",
        "true",
        "True",
        "TRUE",
        "false",
        "null",
        "Null",
        "inf",
        "nan",
        ".",
        "<<",
        "tRUE",
    ]
)
SENTENCES = st.text(string.ascii_letters + string.digits + "./@-_ ", max_size=30).map(str.strip)
PLAIN = st.one_of(NUMBER_LIKE, DATE_LIKE, WORDS, SENTENCES).filter(
    # A list item, a document marker or a reserved character would need quotes; infinity has no
    # hash.
    lambda text: not re.match(r"-(-|\s|$)|\.\.\.|@|[-+]?\.(inf|nan)$", text, re.IGNORECASE)
)
TEXT = st.text(CHARACTERS, max_size=30)
DOUBLE_QUOTED = st.one_of(
    TEXT.map(lambda text: '"' + "".join(f"\\U{ord(character):08x}" for character in text) + '"'),
    st.text(string.ascii_letters + string.punctuation + " \n\t", max_size=30).map(json.dumps),
)
SINGLE_QUOTED = st.text(string.ascii_letters + string.punctuation + " ", max_size=30).map(
    lambda text: "'" + text.replace("'", "''") + "'"
)
NESTED = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab 1<", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab1", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
).map(json.dumps)
LINES = st.lists(
    st.text(string.ascii_letters + string.digits + "<&>:#'\"\\ -", max_size=12),
    min_size=1,
    max_size=5,
)


@st.composite
def literals(draw: st.DrawFn) -> str:
    head = f"|4{draw(st.sampled_from(['', '-', '+']))}\n"
    return head + "\n".join(f"      {line}" if line else "" for line in draw(LINES))


IN_FLOW = st.one_of(PLAIN, DOUBLE_QUOTED, SINGLE_QUOTED, NESTED)
IN_BLOCK = st.one_of(IN_FLOW, literals())
KEYS = st.text(string.ascii_letters + string.digits + "-._", min_size=1, max_size=8).map(json.dumps)
MAPPINGS = st.one_of(
    st.dictionaries(KEYS, IN_BLOCK, min_size=1, max_size=5).map(
        lambda fields: "".join(f"\n  {key}: {value}" for key, value in fields.items())
    ),
    st.dictionaries(KEYS, IN_FLOW, max_size=5).map(
        lambda fields: " {" + ", ".join(f"{key}: {value}" for key, value in fields.items()) + "}"
    ),
    st.sampled_from(["", " null", " ~", " []", " {}", " text", " 5"]),
)
OBJECTS = st.builds(
    lambda kind, fields: (
        f"apiVersion: v1\nkind: {kind}\n"
        + "".join(f"{name}:{value}\n" for name, value in fields.items())
    ),
    st.sampled_from(["ConfigMap", "Secret"]),
    st.fixed_dictionaries(
        {"data": MAPPINGS}, optional=dict.fromkeys(["binaryData", "stringData", "type"], MAPPINGS)
    ),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(OBJECTS, min_size=10, max_size=30))
def test_generated_objects_get_the_same_hash_as_from_kustomize(
    build: Build, objects: list[str]
) -> None:
    sources = [named(source, f"o{index}") for index, source in enumerate(objects)]
    result = build("---\n".join(sources))
    assert result.returncode == 0, result.stderr
    theirs = dict(re.findall(r"^  name: o(\d+)-(\w{10})$", result.stdout, re.MULTILINE))
    ours = {
        str(index): content_hash(read_yaml(source.encode()).roots[0])
        for index, source in enumerate(sources)
    }
    assert ours == theirs
