"""What holds for the explanation of any package.

What is explained is compared with what the function has written.
"""

import base64
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, SetText
from krm_fn.base.item import WORD, Item, is_emitted
from krm_fn.base.kind import ROLES
from krm_fn.base.node import FieldPath, Node, entries, fields, get, is_scalar, spell
from krm_fn.base.problem import Rejected
from krm_fn.core.config.config import Configuration
from krm_fn.core.decide.run import Run
from krm_fn.core.names.names import CONTENT_NAME, authored_id
from krm_fn.core.yaml.envelope import Envelope, open_envelope
from krm_fn.core.yaml.reader import MAX_DEPTH, Expansion, read_yaml
from krm_fn.core.yaml.yaml import apply_changes
from krm_fn.function import decide, find_only_configuration
from krm_fn.report.markup import write_forms
from krm_fn.report.secrets import Masks
from krm_fn.report.table import Screen
from krm_fn.tools.explain.explain import FORMS, write_explanation
from krm_fn.tools.explain.explain_objects import explain_objects
from krm_fn.tools.explain.explanation import Explained, Explanation
from krm_fn.tools.explain.places import Places
from krm_fn.tools.opened.opened import Opened
from tests.cases import ENVIRONMENT, MIGRATION_STEPS, REJECTIONS, TRANSFORMS
from tests.explain.read_json import read_json
from tests.function.test_mutations import mutate
from tests.properties import Properties
from tests.recorded import output_of
from tests.report.closed_schema import validator
from tests.volume import IS_WHOLE, part_of, seed_of

VALIDATOR = validator("explain-v1.json")
HASH_NUMBER = re.compile(r"(?<=\(hash) \d+")
"""Behind what hides a hash of a Secret, in the order in which they are shown."""


class Read(NamedTuple):
    """A package, what was decided about it, and the places of its objects."""

    envelope: Envelope
    found: Run
    places: Places

    @property
    def configs(self) -> list[Item]:
        return [item for item in self.envelope.items if item.is_config]

    @property
    def masks(self) -> Masks:
        return Masks(self.configs)

    def explain(self, *items: Item) -> Explanation:
        return explain_objects(self.found, items, self.places, self.masks)


def read(data: bytes) -> Read:
    envelope = open_envelope(read_yaml(data))
    passed = [*map(Configuration.passed, filter(None, [envelope.function_config]))]
    configuration = find_only_configuration(envelope.items, passed, ENVIRONMENT)
    found = decide(envelope.items, configuration, ENVIRONMENT)
    node = None if configuration is None else configuration.configuration.node
    opened = Opened([], [("input.yaml", envelope)], ("input.yaml", node), [], Expansion())
    return Read(envelope, found, Places(opened.envelopes, opened.configuration))


def say(explanation: Explanation) -> str:
    return write_explanation(explanation, Screen())


class Package:
    """A package that is explained, and what the function has written of it, object by object."""

    def __init__(self, data: bytes, written: bytes) -> None:
        self.data = data
        self.read = read(data)
        self.configs = sorted(self.read.configs, key=_order)
        self.explanation = self.read.explain(*self.configs)
        self.text, self.json = say(self.explanation), write_forms(self.explanation, FORMS)
        before, after = (
            _authored(one) for one in (self.read.envelope, open_envelope(read_yaml(written)))
        )
        self.pairs = list(zip(before, after, strict=True))

    @property
    def explained(self) -> dict[Item, Explained]:
        return dict(zip(self.configs, self.explanation.objects, strict=True))


def _order(item: Item) -> tuple[str, str, str]:
    who = authored_id(item)
    return who.namespace, who.kind, who.name


def _authored(envelope: Envelope) -> list[Item]:
    return [item for item in envelope.items if not is_emitted(item)]


holds = Properties[Package]()


CASES = [*TRANSFORMS, *MIGRATION_STEPS]
WRITTEN_AGAIN = CASES if IS_WHOLE else CASES[::2]


@pytest.mark.rows(test=12, submission=40)
@pytest.mark.volume
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_all_properties_hold(case: Path) -> None:
    """What the function makes of a package is a package too: it writes the same again.

    Each run tries half of these.
    """
    before, after = (case / "input.yaml").read_bytes(), output_of(case)
    holds.check(Package(before, after), of=f"{case.name}/input.yaml")
    if case in WRITTEN_AGAIN:
        holds.check(Package(after, after), of=f"the output of {case.name}")


@holds
def what_the_function_transforms_is_explained(package: Package) -> None:
    assert len(package.explanation.objects) == len(package.configs)
    written = json.loads(package.json)
    VALIDATOR.validate(written)
    assert say(read_json(written)) == package.text


@holds
def an_object_is_explained_alone_as_among_the_others(package: Package) -> None:
    for item in package.configs[-1:]:
        alone, among = package.read.explain(item), Explanation((package.explained[item],))
        assert HASH_NUMBER.sub("", say(alone)) == HASH_NUMBER.sub("", say(among))


@holds
def what_is_renamed_is_explained_as_renamed(package: Package) -> None:
    for before, after in package.pairs:
        if before.is_config:
            explained = package.explained[before]
            if explained.new_name is None:
                assert before.id.kind == "Secret"
                assert after.id.name != explained.who.name
            else:
                assert (explained.new_name or before.id.name) == after.id.name, explained


COPY = "it reads a copy, "
"""How the note of a hook begins that reads one."""

WITH_SEVERAL_NAMES = re.compile(r"(?:/reload|/userVolume|-user-volume|/hookSidecars)\]\[\d+\]$")
"""Annotations with several names: comma lists, and volumes in JSON."""


class Field(NamedTuple):
    """A field of an object.

    Of a role or a comma list, it is the list of names; in data, the whole value.
    """

    who: tuple[str, str, str]
    field: str


def field_of(item: Item, field: str) -> Field:
    who = authored_id(item)
    return _field((who.kind, who.namespace, who.name), field)


def _field(who: tuple[str, str, str], field: str) -> Field:
    is_listed = who[0] in ROLES or WITH_SEVERAL_NAMES.search(field)
    return Field(who, field.rpartition("[")[0] if is_listed else field.partition(": ")[0])


@holds
def what_is_rewritten_is_explained_as_rewritten(package: Package) -> None:
    """Look for every new name in the output, and compare with the references that are explained."""
    explained, mounting = references_of(package)
    named: dict[str, list[Item]] = defaultdict(list)
    for before, after in package.pairs:
        if after.is_config and after.id.name != before.id.name:
            named[after.id.name].append(before)
    for before, after in package.pairs:
        for path, text in new_texts(before, after):
            field = field_of(before, spell(path))
            for word in set(WORD.findall(text)):
                targets = named.get(word, [])
                is_explained = any(
                    field in explained[target] or field.who in mounting[target]
                    for target in targets
                )
                assert is_explained or not targets, f"{field} {word}"


@holds
def what_is_explained_as_rewritten_is_rewritten(package: Package) -> None:
    written: dict[Field, str] = defaultdict(str)
    for before, after in package.pairs:
        for path, text in new_texts(before, after):
            written[field_of(before, spell(path))] += f" {text}"
    for before, after in package.pairs:
        if before.is_config:
            for one in package.explained[before].references:
                who = (one.who.kind, one.who.namespace, one.who.name)
                if one.rule.by == "mounts":
                    mounted = [
                        text
                        for (other, field), text in written.items()
                        if other == who and "spec" in field
                    ]
                    assert one.is_changed == (f" {after.id.name}" in mounted), one
                elif one.is_changed:
                    copies = [note.removeprefix(COPY) for note in one.notes if COPY in note]
                    (name,) = copies or [after.id.name]
                    assert name in written[_field(who, one.field)], one


def references_of(
    package: Package,
) -> tuple[dict[Item, set[Field]], dict[Item, set[tuple[str, str, str]]]]:
    """Return the fields that are explained as rewritten for each object, and who mounts it."""
    explained: dict[Item, set[Field]] = defaultdict(set)
    mounting: dict[Item, set[tuple[str, str, str]]] = defaultdict(set)
    for item, one in package.explained.items():
        for reference in one.references:
            who = (reference.who.kind, reference.who.namespace, reference.who.name)
            if reference.rule.by == "mounts":
                mounting[item].add(who)
            elif reference.is_changed:
                explained[item].add(_field(who, reference.field))
    return explained, mounting


def new_texts(before: Item, after: Item) -> Iterator[tuple[FieldPath, str]]:
    """Yield the texts of an object that are not in the input, but for its own name and what marks it."""
    known = dict(texts_of(before.node))
    for path, text in texts_of(after.node):
        is_own = path[:1] == ("metadata",) and (
            path[1:] == ("name",) or keys.PREFIX in str(path[-1])
        )
        if known.get(path) != text and not is_own:
            yield path, text


def texts_of(root: Node) -> Iterator[tuple[FieldPath, str]]:
    stack: list[tuple[FieldPath, Node]] = [((), root)]
    while stack:
        path, node = stack.pop()
        if is_scalar(node):
            yield path, node.value
        elif node.id == "sequence":
            stack += [((*path, place), child) for place, child in enumerate(node.value)]
        else:
            stack += [((*path, name), child) for name, child in fields(node).items()]


CANARY = "canary-value"
ENCODED = base64.b64encode(CANARY.encode()).decode()


def with_canaries(data: bytes) -> bytes:
    """Put canaries in the place of all values of Secrets."""
    envelope = open_envelope(read_yaml(data))
    edits = {}
    for item in envelope.items:
        for field in ("data", "stringData", "binaryData") if item.id.kind == "Secret" else ():
            for key, value in entries(get(item.node, field)):
                if is_scalar(value):
                    text = CANARY if field == "stringData" else ENCODED
                    edits[value] = Edit(SetText(value, text), item, f"{field}.{key}")
    return envelope.encode(apply_changes(envelope, Changes(edits=tuple(edits.values()))).text)


@holds
def no_value_of_a_secret_is_shown(package: Package) -> None:
    canaries = read(with_canaries(package.data))
    explanation = canaries.explain(*canaries.configs)
    for text in (say(explanation), write_forms(explanation, FORMS)):
        assert CANARY not in text
        assert ENCODED[:-2] not in text


@holds
def no_hash_of_a_secret_is_shown(package: Package) -> None:
    names = package.read.found.revisions.names
    hashed = {names.get(item, item.id.name) for item in package.configs if item.id.kind == "Secret"}
    others = {
        text
        for item in package.configs
        for text in (item.id.name, names.get(item))
        if item.id.kind != "Secret"
    }
    hidden = {name for name in hashed - others if CONTENT_NAME.fullmatch(name)}
    for text in (package.text, package.json):
        assert hidden.isdisjoint(WORD.findall(text))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}")])
def test_an_object_may_be_as_deep_as_the_reader_allows(opening: str, closing: str) -> None:
    levels = MAX_DEPTH - 2
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config}\n"
    widget = (
        f"apiVersion: e.x/v1\nkind: A\nmetadata: {{name: a}}\nspec: "
        f"{opening * levels}web-config{closing * levels}\n"
    )
    package = read(f"{config}---\n{widget}".encode())
    (explained,) = package.explain(*package.configs).objects
    assert len(explained.unfollowed) == 1


@pytest.mark.rows(test=3)
@pytest.mark.volume
@pytest.mark.parametrize("seed", [*map(seed_of, range(10))])
def test_mutated_packages_are_explained_or_rejected(seed: str) -> None:
    rng = random.Random(seed)
    sources = [(case / "input.yaml").read_bytes() for case in TRANSFORMS + REJECTIONS]
    for _ in range(part_of(50_000) // 10):
        data = mutate(rng.choice(sources), rng)
        try:
            package = read(data)
        except Rejected:
            continue
        explanation = package.explain(*package.configs)
        assert len(explanation.objects) == len(package.configs)
        VALIDATOR.validate(json.loads(write_forms(explanation, FORMS)))
        assert all(line.isprintable() for line in say(explanation).splitlines())
