"""Schemas of definitions that have no nodes: whoever reads them sees what they would see otherwise."""

from pathlib import Path
from random import Random

import pytest

from krm_fn.base.node import walk
from krm_fn.base.problem import Rejected
from krm_fn.cli.main import main
from krm_fn.core.yaml import reader, schemas
from krm_fn.core.yaml.reader import SchemaNode, read_yaml
from krm_fn.function import run
from tests.volume import part_of, seed_of
from tests.yaml.test_nodes import spell

FIELDS = "".join(
    f"""\
              field{number}:
                description: 'Text {number}: of a field'
                enum: [a, b]
                type: string
"""
    for number in range(3)
)
DEFINITION = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.org
spec:
  group: example.org
  names: {{kind: Foo, plural: foos}}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        description: |-
          A block: with colons

            * and a 'quote
        properties:
          spec:
            required:
            - field1
            - field2
            x-kubernetes-validations:
            - message: one line
              rule: "has(self.a)
                ? 1 : 0"
            - rule: >-
                !has(self.b)
              default: {{}}
            properties:
{FIELDS}\
    served: true
"""
REST = """\
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
data:
  a: b
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: c
        envFrom:
        - configMapRef: {name: web}
"""


def below(text: str) -> str:
    """Add lines at the end of the properties of the schema."""
    return DEFINITION.replace("    served", f"{text}\n    served") + REST


def indent(text: str) -> str:
    first, *rest = text.replace("---\n", "- ").splitlines(keepends=True)
    return first + "".join(line if line.startswith("- ") else f"  {line}" for line in rest)


def listed(head: str) -> str:
    return head + "items:\n" + indent("---\n" + DEFINITION + REST)


HOLDER = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: holder\ndata:\n  crd.yaml: "

WITHOUT_NODES = [
    pytest.param(DEFINITION + REST, id="a definition and what it is for"),
    pytest.param(DEFINITION + "\n\n" + REST, id="blank lines behind it"),
    pytest.param(DEFINITION.partition("    served")[0], id="the schema is the last of the text"),
    pytest.param(
        DEFINITION.replace("    served", "# margin\n    served"), id="a comment behind it"
    ),
    pytest.param(
        below("              aa:\n                Plain\n               'text"),
        id="a plain text below its key",
    ),
    pytest.param(
        below("              aa:\n              - 'a'\n              - b: 1\n              - b: 2"),
        id="elements with the same keys",
    ),
    pytest.param(
        below("              aa: |\n                ---\n                b"),
        id="a marker in a block",
    ),
    pytest.param(listed("apiVersion: v1\nkind: List\n"), id="in a List"),
    pytest.param(
        listed("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"), id="in a ResourceList"
    ),
]
WITH_NODES = [
    pytest.param(below("              aa: &x 1"), id="an anchor that no alias means"),
    pytest.param(below("              field1: {}"), id="a key twice"),
    pytest.param(below("              'field1': {}"), id="a key twice, once in quotes"),
    pytest.param(below('              "field\\x31": {}'), id="a key twice, once escaped"),
    pytest.param(
        below("              ? field1\n              : {}"), id="a key twice, once behind its sign"
    ),
    pytest.param(below("              !!str field1: {}"), id="a key twice, once with a tag"),
    pytest.param(
        below("              a b: 1\n              a b: 2"), id="a key of two words twice"
    ),
    pytest.param(below("              aa: {a: 1, a: 2}"), id="a key twice in brackets"),
    pytest.param(
        below("              aa:\n              - - a: 1\n                  a: 2"),
        id="a list in a list",
    ),
    pytest.param(below("              x: [1, 2\n              y: 3"), id="a bracket that is open"),
    pytest.param(below("              x: 'open"), id="a quote that is open"),
    pytest.param(below("         z: 1"), id="a line further to the left"),
    pytest.param(below("# margin\n              zz: 1"), id="a comment at the margin in it"),
    pytest.param(below("              aa: &x {}\n              bb: *x"), id="an alias"),
    pytest.param(
        below("              bb: *x").replace("name: foos", "name: &x foos"), id="an outer anchor"
    ),
    pytest.param(below("              bb: *x"), id="an alias of nothing"),
    pytest.param(
        below("              aa: &x foo").replace("served: true", "served: *x"), id="an outer alias"
    ),
    pytest.param(below("\t            aa: 1"), id="a tab"),
    pytest.param(below("").replace("\n", "\r\n"), id="lines that end as on Windows"),
    pytest.param(below("              aa: 'x\x85y'"), id="a line break to some"),
    pytest.param(below('              aa: "\x01"'), id="a character that is not allowed"),
    pytest.param(below("              aa: !!binary YQ=="), id="a value in base64"),
    pytest.param(below("              aa: " + "[" * 450 + "]" * 450), id="450 levels in brackets"),
    pytest.param(
        below("".join(f"{' ' * (14 + level)}a:\n" for level in range(400))), id="400 levels"
    ),
    pytest.param(below("").replace("kind: CustomR", "kind: R"), id="another kind"),
    pytest.param(below("").replace("    schema:", "    scheme:"), id="another field"),
    pytest.param(below("").replace("Schema:\n", "Schema: # a\n"), id="a comment behind the name"),
    pytest.param(HOLDER + "|\n" + DEFINITION.replace("\n", "\n    ") + REST, id="in a block"),
    pytest.param(
        HOLDER + "'\n    " + DEFINITION.replace("'", "''").replace("\n", "\n    ") + "'\n" + REST,
        id="in quotes",
    ),
    pytest.param(
        DEFINITION.replace("    served", "    schema: {}\n    served"),
        id="two schemas in a version",
    ),
    pytest.param(
        "%TAG !e! !x\n---\n" + below("              aa: !e!b 1"), id="a tag of the directive"
    ),
]


@pytest.fixture(autouse=True)
def small_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "_LEAST", 0)


def count_without_nodes(data: bytes) -> int:
    try:
        return sum(isinstance(node, SchemaNode) for node in walk(read_yaml(data).roots))
    except Rejected:
        return 0


def read(data: bytes) -> tuple[object, ...]:
    """Return all that a text says, or what is wrong with it, and what the function makes of it."""
    try:
        document = read_yaml(data, may_repeat=True)
    except Rejected as rejected:
        return rejected.problems, run(data)
    said = spell(document.roots)
    return said, document.has_aliases, len(document.repeated), run(data)


def is_read_alike(data: bytes) -> bool:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "find_schemas", lambda _: [])
        as_nodes = read(data)
    return read(data) == as_nodes


@pytest.mark.parametrize("text", WITHOUT_NODES)
def test_a_schema_without_nodes_says_the_same(text: str) -> None:
    assert count_without_nodes(text.encode()) == 1
    assert is_read_alike(text.encode())


@pytest.mark.parametrize("text", WITH_NODES)
def test_a_schema_in_doubt_has_nodes(text: str) -> None:
    assert count_without_nodes(text.encode()) == 0
    assert is_read_alike(text.encode())


PIECES = [
    b"a: 1",
    b"- a: 1",
    b"- b",
    b"-",
    b"- - c",
    b"? d",
    b"e:",
    b"'f': g",
    b'"h": "i',
    b"j: 'k",
    b"l: |",
    b"m: >-",
    b"# n: o",
    b"p: {q: 1, q: 2}",
    b"r: [s, 't', {u: v}]",
    b"w: &x y",
    b"z: *x",
    b"!!str A: B",
    b"<<: {C: D}",
    b"E: F: G",
    b"H # I: J",
    b"'K: L'",
    b"openAPIV3Schema:",
    b"kind: CustomResourceDefinition",
    b"---",
    b"M::",
    b"N:: O",
    b"P:\tQ",
    b"",
    b"R: S #",
    b"T: - U",
]


def mutate(data: bytes, rng: Random) -> bytes:
    """Move, repeat, indent, join, cut or add lines of a text."""
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(lines))
        line = lines[place]
        margin = len(line) - len(line.lstrip(b" -"))
        match rng.randrange(8):
            case 0:
                lines.insert(rng.randrange(len(lines)), line)
            case 1:
                lines[place] = b" " * max(margin + rng.randint(-3, 3), 0) + line[margin:]
            case 2:
                lines.insert(place, b" " * max(margin + rng.randint(-2, 3), 0) + rng.choice(PIECES))
            case 3:
                lines[place] = line[: rng.randrange(len(line) + 1)]
            case 4:
                del lines[place]
            case 5:
                lines[place] = line.rstrip() + b" " + rng.choice(PIECES)
            case 6:
                lines.insert(place + 1, b" " * margin + line.lstrip(b" -"))
            case _:
                cut = rng.randrange(len(line) + 1)
                lines[place] = (
                    line[:cut]
                    + rng.choice([b"'", b'"', b":", b" ", b"#", b"-", b"\n"])
                    + line[cut:]
                )
    return b"\n".join(lines)


@pytest.mark.parametrize("seed", range(10))
def test_mutated_definitions_are_read_alike(seed: int) -> None:
    rng = Random(f"schemas{seed_of(seed)}")
    texts = [str(row.values[0]).encode() for row in WITHOUT_NODES]
    without_nodes = 0
    for _ in range(part_of(4_000)):
        data = mutate(rng.choice(texts), rng)
        without_nodes += count_without_nodes(data)
        assert is_read_alike(data), data.decode()
    assert without_nodes > 0


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param("", id="and nothing else is odd"),
        pytest.param(
            "  rule: |-\n    self.a ? !self.b.contains('%2f') : true\n",
            id="beside what may be a tag",
        ),
    ],
)
def test_nobody_looks_at_a_schema(
    beside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    rest = REST.replace("  a: b\n", f"  a: b\n{beside}")
    assert beside in rest
    old.write_text(DEFINITION + rest)
    new.write_text(DEFINITION + rest.replace("a: b", "a: c"))
    asked: list[str] = []
    monkeypatch.setattr(SchemaNode, "__getattr__", lambda _, name: asked.append(name))
    assert run(old.read_bytes()).exit_code == 0
    for command in (["render"], ["explain"], ["verify"], ["graph"], ["diff", str(new)]):
        assert main([command[0], str(old), *command[1:]]).exit_code in (0, 1)
        assert asked == [], command
