"""The style of a text does not matter: the same objects give the same objects, as a second YAML library reads them."""

import json
import re
from functools import cache
from random import Random
from typing import Any

import pytest
import yaml
from ruamel.yaml import YAML

from krm_fn.base.problem import Rejected
from krm_fn.core.yaml import prove
from krm_fn.core.yaml import yaml as apply
from krm_fn.core.yaml.splice import Splice, apply_splices
from krm_fn.function import run
from tests.volume import part_of, seed_of
from tests.yaml.yaml_styles import Styles

RUNS = part_of(20_000)
SEEDS = 10
MUTANTS = 3
"""Wrong outputs for each right one."""

_MARKER = re.compile(r"^(---|\.\.\.)", re.MULTILINE)

NAMESPACE = {"namespace": "shop"}
CONFIG_MAP: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "web-config", **NAMESPACE},
    "data": {
        "LEVEL": "info",
        "app.conf": "port = 80\n\n  name = web # no comment\n",
        "motto": "to be or not to be",
        "empty": "",
    },
}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "web-secret", **NAMESPACE},
    "stringData": {"password": "a 'b' \"c\" \\ {d}", "more": "üñí 🚀: x"},
}
DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", **NAMESPACE},
    "spec": {
        "replicas": 2,
        "template": {
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "args": ["--level", "info", "- x"],
                        "envFrom": [{"configMapRef": {"name": "web-config"}}],
                        "env": [
                            {
                                "name": "P",
                                "valueFrom": {
                                    "secretKeyRef": {"name": "web-secret", "key": "password"}
                                },
                            }
                        ],
                    }
                ],
                "volumes": [
                    {"name": "c", "projected": {"sources": [{"configMap": {"name": "web-config"}}]}}
                ],
            }
        },
    },
}
CRON_JOB = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "tidy", **NAMESPACE},
    "spec": {
        "schedule": "0 0 * * *",
        "jobTemplate": {
            "spec": {"template": {"spec": {"volumes": [{"secret": {"secretName": "web-secret"}}]}}}
        },
    },
}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", **NAMESPACE, "labels": {"app": "web"}},
    "spec": {
        "selector": {"app": "web"},
        "ports": [{"port": 80, "name": "http"}, {"port": 81, "name": "more"}],
    },
}
ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "metadata": {"name": "web", **NAMESPACE},
    "rules": [
        {
            "apiGroups": [""],
            "resources": ["configmaps"],
            "resourceNames": ["web-config"],
            "verbs": ["get"],
        }
    ],
}
WIDGET = {
    "apiVersion": "example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "web", **NAMESPACE},
    "spec": {
        "parts": [{"configMapRef": {"name": "web-config"}}, None, ["a", ["b"]]],
        "open": True,
        "closed": None,
    },
}
MORE: tuple[dict[str, Any], ...] = (SECRET, CRON_JOB, SERVICE, ROLE, WIDGET)

EMPTY: tuple[Any, ...] = ("missing", None, {}, {"example.com/a": "b", "example.com/c": "d e"})
"""What annotations, labels and `immutable` may be before."""

CONFIG = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "shop"},
    "spec": {"kinds": ["ConfigMap", "Secret"], "select": [{}], "linker": {"enabled": False}},
}
WRAPPINGS = ("ResourceList", "List", "stream")

MAY_BE_REFUSED = {
    "alias": ("is a YAML anchor used in", "holds a YAML anchor"),
    "merge key": ("comes from a YAML merge key",),
}
"""The sentences that a style may get instead of an output."""


def make_package(rng: Random) -> list[dict[str, Any]]:
    """Choose two or three objects, and what the ConfigMap has already."""
    metadata = dict(CONFIG_MAP["metadata"])
    for field in ("labels", "annotations"):
        value = rng.choice(EMPTY)
        if value != "missing":
            metadata[field] = value
    config_map = {
        **CONFIG_MAP,
        "metadata": metadata,
        **rng.choice([{}, {}, {"immutable": None}, {"immutable": False}]),
    }
    objects = [config_map, DEPLOYMENT, *rng.sample(MORE, rng.randint(0, 1))]
    rng.shuffle(objects)
    return objects


def wrap(objects: list[dict[str, Any]], wrapping: str) -> list[Any]:
    if wrapping == "ResourceList":
        head = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
        return [{**head, "items": objects, "functionConfig": CONFIG}]
    return (
        [*objects]
        if wrapping == "stream"
        else [{"apiVersion": "v1", "kind": "List", "items": objects}]
    )


def transform(data: bytes, wrapping: str) -> Any:
    return run(data, None if wrapping == "ResourceList" else json.dumps(CONFIG).encode())


@cache
def expected(documents: str, wrapping: str) -> Any:
    """Return the objects that JSON gives, the plainest style."""
    outcome = transform(documents.encode(), wrapping)
    assert outcome.exit_code == 0, outcome.stderr
    return list(yaml.load_all(outcome.stdout, yaml.CSafeLoader))


def read(data: bytes) -> list[Any]:
    """Read documents with another library.

    It knows no tabs between tokens, and no value holds one.
    """
    documents = YAML(typ="safe", pure=True).load_all(data.decode().replace("\t", " "))
    return [document for document in documents if document is not None]


def check(seed: str) -> None:
    """Write one package in one style. The seed gives the same package and style again."""
    rng = Random(seed)
    wrapping = rng.choice(WRAPPINGS)
    documents = wrap(make_package(rng), wrapping)
    styles = Styles(rng)
    text = styles.stream(documents)
    line_break = rng.choice(["\n", "\n", "\n", "\r\n", "\r"])
    # A marker beside a carriage return alone is refused: tests/yaml/test_reader.py.
    text = text.replace("\n", "\r\n" if line_break == "\r" and _MARKER.search(text) else line_break)
    data = (rng.choice(["", "", "", "\ufeff"]) + text).encode()
    outcome = transform(data, wrapping)
    repeat = f"check({seed!r}): {wrapping}, {sorted(styles.used)}\n{data!r}\n{outcome.stderr}"
    if outcome.exit_code:
        sentences = [sentence for style in styles.used for sentence in MAY_BE_REFUSED[style]]
        lines = [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]
        assert lines, repeat
        assert all(any(sentence in line for sentence in sentences) for line in lines), repeat
        return
    plain = [json.dumps(document, ensure_ascii=False) for document in documents]
    wanted = expected("\n---\n".join(plain), wrapping)
    found = read(outcome.stdout)
    assert found == wanted, f"{repeat}\n{outcome.stdout!r}\n{found}\n{wanted}"
    assert transform(outcome.stdout, wrapping).stdout == outcome.stdout, (
        f"{repeat}\n{outcome.stdout!r}"
    )


SNIPPETS = [
    ":",
    ": ",
    "- ",
    " ",
    "  ",
    "\n",
    "#",
    " # ",
    "'",
    '"',
    "? ",
    "& ",
    "&a ",
    "!a ",
    "|",
    "{",
    "]",
    ",",
    "a: b\n",
    "---\n",
]


def mutate(text: str, splices: list[Splice], rng: Random) -> list[Splice]:
    """Make a wrong plan of a right one: lose, move, change or add a splice."""
    number = rng.randrange(len(splices))
    start, end, new = splices[number]
    others = [*splices[:number], *splices[number + 1 :]]
    kind = rng.randrange(6)
    if kind == 0:
        return others
    if kind == 1:
        by = rng.choice([-2, -1, 1, 2])
        return [*others, Splice(start + by, end + by, new)]
    if kind == 2:
        at = rng.randrange(len(new) + 1)
        return [
            *others,
            Splice(start, end, new[:at] + rng.choice(SNIPPETS) + new[at + rng.randint(0, 1) :]),
        ]
    if kind == 3:
        return [*splices, Splice(start, start, new)]
    # Near the place of an edit, or anywhere.
    at = (
        max(0, min(len(text), start + rng.randint(-40, 40)))
        if kind == 4
        else rng.randrange(len(text) + 1)
    )
    return [
        *splices,
        Splice(at, min(at + rng.randint(0, 3), len(text)), rng.choice(["", *SNIPPETS])),
    ]


def say(text: str) -> list[Any]:
    """Return what documents say: each value with its type, and fields in any order.

    A name is text, whatever its tag, and so is a value with a tag of its own, as go-yaml reads
    both.
    """

    def spell(node: Any) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return "tag:yaml.org,2002:str" if node.tag == "!a" else node.tag, node.value
        if isinstance(node, yaml.SequenceNode):
            return node.tag, [*map(spell, node.value)]
        return node.tag, sorted(repr((spell(key)[1], spell(value))) for key, value in node.value)

    documents = [spell(root) for root in yaml.compose_all(text, yaml.CSafeLoader)]
    return [one for one in documents if one[0] != "tag:yaml.org,2002:null"]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Prove wrong outputs beside each right one.

    Return those that were refused: all that say something else.
    """
    found: list[str] = []
    proof = prove.prove

    def prove_wrong_ones_too(
        envelope: Any, changes: Any, splices: Any, output: str, results: Any = ()
    ) -> None:
        proof(envelope, changes, splices, output, results)
        text, rng = envelope.document.text, Random(output)
        for _ in range(MUTANTS if splices else 0):
            wrong = mutate(text, list(splices), rng)
            try:
                written = apply_splices(text, wrong)
            except AssertionError:  # two splices of one place
                continue
            try:
                proof(envelope, changes, wrong, written, results)
            except Rejected:
                found.append(written)
                continue
            assert say(written) == say(output), f"{text!r}\n{wrong}"

    monkeypatch.setattr(apply, "prove", prove_wrong_ones_too)
    return found


@pytest.mark.rows(test=2)
@pytest.mark.volume
@pytest.mark.parametrize("seed", [*map(seed_of, range(SEEDS))])
def test_the_style_does_not_matter(seed: str) -> None:
    for number in range(RUNS // SEEDS):
        check(f"{seed}-{number}")


@pytest.mark.rows(test=2)
@pytest.mark.volume
@pytest.mark.parametrize("seed", [*map(seed_of, range(SEEDS))])
def test_what_says_something_else_is_refused(seed: str, refused: list[str]) -> None:
    for number in range(RUNS // SEEDS):
        check(f"wrong-{seed}-{number}")
    assert len(refused) > RUNS // SEEDS
