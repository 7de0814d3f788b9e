"""Properties of the function for all fixtures, and for generated packages in block and flow style with comments."""

import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.base import keys
from krm_fn.base.item import Item
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.kind import KAPP_VERSIONED, SPINNAKER_VERSIONED
from krm_fn.base.node import plain_value
from krm_fn.core.names.names import without_hash
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import run
from krm_fn.tools.common.rendered import is_deployed
from krm_fn.tools.render.render import deployable, internal_annotations
from tests.cases import ENVIRONMENT, MIGRATION_STEPS, TRANSFORMS, is_emitted
from tests.extras.mounted import without_mounts
from tests.function.openapi import find_errors, objects_in
from tests.function.openapi import load as load_json
from tests.properties import Properties
from tests.recorded import outcome_of, output_of
from tests.volume import IS_WHOLE, VOLUME, examples_of
from tests.yaml.redefined import BaseLoader, load_all

FOR_GOOD = {NEEDS_HASH_SUFFIX, KAPP_VERSIONED, SPINNAKER_VERSIONED}
"""Annotations that make other tools add a second suffix to a name."""

OURS = {
    *(keys.SET, keys.BASE_NAME, keys.WANTED, keys.RETAIN, keys.KINDS, keys.LEAVING),
    *(keys.CHECKSUM, keys.ASKED_FIXED_NAME),
}
CHECKSUMS = {"checksum/config", "example.com/config", "shop.example/config"}
OF_A_LIVE_OBJECT = {"creationTimestamp", "managedFields", "resourceVersion", "uid"}
PROTECTION = {
    "argocd.argoproj.io/sync-options",
    "argocd.argoproj.io/compare-options",
    "kustomize.toolkit.fluxcd.io/prune",
    "client.lifecycle.config.k8s.io/deletion",
    "helm.sh/resource-policy",
    "kapp.k14s.io/delete-strategy",
}


def load(data: bytes) -> list[Any]:
    """Return the documents as plain values, with every scalar as text."""
    return load_all(data.decode("utf-8-sig"), yaml.CBaseLoader, BaseLoader)


def is_subsequence(small: str, large: str) -> bool:
    rest = iter(large)
    return all(character in rest for character in small)


SHELL = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}


class Transform:
    """A fixture: the input and the output."""

    def __init__(self, case: Path) -> None:
        self.name = case.name
        self.input, self.once = (case / "input.yaml").read_bytes(), outcome_of(case)
        self.output = self.once.stdout

    @property
    def is_authored(self) -> bool:
        """False with output of an earlier run: there, what an earlier run has added may be replaced and removed.

        tests/extras/test_mounts.py compares whole workloads.
        """
        was_run = any(key.encode() in self.input for key in (keys.COMPONENT, keys.MOUNTS))
        return not was_run and "no-longer-a-revision" not in self.name


holds = Properties[Transform]()


@pytest.mark.rows(test=200)
@pytest.mark.parametrize(
    "case", [*TRANSFORMS, *MIGRATION_STEPS], ids=lambda case: f"{case.parent.name}/{case.name}"
)
def test_all_properties_hold(case: Path) -> None:
    holds.check(Transform(case), of=case.name)


def test_a_property_that_does_not_hold_is_named_and_the_others_are_checked() -> None:
    some = Properties[list[str]]()

    @some
    def it_is_empty(subject: list[str]) -> None:
        assert not subject

    @some
    def it_can_be_added_to(subject: list[str]) -> None:
        subject.append("checked")

    some.check([], of="nothing")
    subject = ["a"]
    with pytest.raises(ExceptionGroup, match=r"a-fixture: it does not hold that it is empty$"):
        some.check(subject, of="a-fixture")
    assert subject == ["a", "checked"]


PLACES = [
    pytest.param({"LC_ALL": "C", "TZ": "Asia/Kathmandu"}, id="C locale"),
    pytest.param({"LC_ALL": "tr_TR.UTF-8", "HOME": "/nonexistent"}, id="Turkish, without a home"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("environment", PLACES)
def test_the_environment_changes_nothing(environment: dict[str, str], tmp_path: Path) -> None:
    with_other_letters = [
        case for case in TRANSFORMS if not (case / "input.yaml").read_bytes().isascii()
    ]
    assert with_other_letters
    for case in [*with_other_letters, *TRANSFORMS[:: len(TRANSFORMS) // 4]]:
        done = subprocess.run(
            [sys.executable, "-m", "krm_fn"],
            input=(case / "input.yaml").read_bytes(),
            env={**SHELL, **environment, "KRM_FN_IMAGE": ENVIRONMENT.image},
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        assert done.stdout == output_of(case), case.name


@pytest.mark.rows(test=0)
@pytest.mark.volume
def test_the_hash_seed_changes_nothing() -> None:
    """No door depends on the order of a set, which is always the same within one process.

    Each run tries some fixtures; the tests that compare what is recorded have another seed in every
    process.
    """
    first, second = (
        subprocess.run(
            [sys.executable, "-m", "tests.function.digests"],
            env={**SHELL, "PYTHONHASHSEED": seed, "KRM_FN_VOLUME": str(VOLUME)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("0", "4242")
    )
    assert len(first) > (1600 if IS_WHOLE else 80)
    assert first == second


@holds
def a_second_run_changes_nothing(transform: Transform) -> None:
    again = run(transform.output, environment=ENVIRONMENT)
    assert (again.stdout, again.summary) == (transform.output, transform.once.summary)


@holds
def only_allowed_changes_are_made(transform: Transform) -> None:
    before = without_mounts(without_emitted(load(transform.input)))
    after = without_mounts(without_emitted(load(transform.output)))
    assert [without_our_changes(*pair) for pair in zip(after, before, strict=True)] == before


# A key may follow: `name/key`.
CONTENT_NAME = re.compile(r"(?<=[^/])-[2456789bcdfghkmt]{10}(?=[,/\"'\s}]|$)")


def without_emitted(documents: list[Any]) -> list[Any]:
    """Return the documents without the objects that the function emits, replaces and removes itself."""
    theirs = [one for one in documents if not is_emitted(one)]
    return [
        {**one, "items": [item for item in one["items"] if not is_emitted(item)]}
        if isinstance(one, dict) and isinstance(one.get("items"), list)
        else one
        for one in theirs
    ]


def without_our_changes(after: Any, before: Any, path: tuple[str, ...] = ()) -> Any:
    """Return `after` without every change that the function is allowed to make."""
    if isinstance(after, dict):
        if isinstance(before, str):  # an empty or null field that was filled
            before_fields: dict[str, Any] = {}
        else:
            before_fields = before
        rest = {
            key: without_our_changes(value, before_fields.get(key), (*path, key))
            for key, value in after.items()
            if not (key not in before_fields and may_be_added(key, path))
        }
        rest |= {
            key: value
            for key, value in before_fields.items()
            if key not in after and may_be_dropped(key, value, path)
        }
        return before if not rest and not before_fields else rest
    if isinstance(after, list):
        known = before if isinstance(before, list) else []
        if path == ("results",):
            return known
        # Names of revisions are added, and go where the base name is the name again.
        if path[-1:] == ("resourceNames",):
            bases = [CONTENT_NAME.sub("", one) for one in after]
            kept = [
                one
                for one in known
                if not (CONTENT_NAME.search(one) and without_hash(one) in {*known} & {*after})
            ]
            kept = known if bases[: len(known)] == [*map(without_hash, known)] else kept
            assert bases[: len(kept)] == [*map(without_hash, kept)]
            assert all(CONTENT_NAME.search(name) for name in after[len(kept) :])
            return known
        return [
            without_our_changes(*pair, (*path, "[]")) for pair in zip(after, known, strict=True)
        ]
    return before if may_be_rewritten(after, before, path) else after


def may_be_dropped(key: str, value: Any, path: tuple[str, ...]) -> bool:
    if key in FOR_GOOD | OURS | CHECKSUMS:
        return path[-1:] in {("annotations",), ("labels",)}
    if key in OF_A_LIVE_OBJECT:
        return path[-1:] == ("metadata",)
    if key == "immutable":  # of an object that is no longer a revision
        return bool(value == "true")
    # and a mapping that contained only such an annotation
    return key in ("annotations", "labels", "metadata") and all(
        may_be_dropped(name, inner, (*path, key)) for name, inner in value.items()
    )


def may_be_added(key: str, path: tuple[str, ...]) -> bool:
    return (
        key in OURS | PROTECTION | {SPINNAKER_VERSIONED}
        or key in ("immutable", "results")
        or (path[-1:] == ("metadata",) and key in ("labels", "annotations"))
        or (key in CHECKSUMS and path[-1:] == ("annotations",))
        or (key == "metadata" and path[-1].lower().endswith("template"))
    )


def may_be_rewritten(after: str, before: Any, path: tuple[str, ...]) -> bool:
    if without_hash(str(before)) == after:  # a base name that is restored
        return True
    if after.startswith(f"{before}-presync-") and path[-2:] == ("configMapRef", "name"):
        return True  # a hook reads a copy
    if path[-2:-1] == ("data",) and CONTENT_NAME.sub("", after) == CONTENT_NAME.sub(
        "", str(before)
    ):
        return True  # a reference in data
    looks_hashed = CONTENT_NAME.search(after)
    ours = PROTECTION | OURS | CHECKSUMS | {SPINNAKER_VERSIONED}
    return bool(looks_hashed) or path[-1:] == ("namespace",) or bool(ours & set(path[-1:]))


GIVES_WAY = [
    r"\n *(?:internal.config.kubernetes.io/needsHashSuffix: enabled|kapp.k14s.io/versioned: \"\")",
    r"(?<=strategy.spinnaker.io/versioned: \")true",
    r"-[2456789bcdfghkmt]{10}",  # an older hash
    r"(?<=annotations: )(\{\}|~)|(?<=labels: )(\{\}|null)|(?<=labels\": )null",  # empty fields that are filled
    r"(?<=labels  : )\{\}",
    r"(?<=volumeMounts: )\[\]|(?<=envFrom: )null|(?<=envFrom\": )\[\]",
    r"(?<=base-name: )[a-z-]+",
    r"(?<=namespace: )old",
    r"(?<=io/set: )old",
    r"\n    (?:creationTimestamp: \"|resourceVersion: |uid: )\S+|, uid: \S+, managedFields: \[\]",  # of a live object
    r"(\n *metadata:)?(\n *annotations:)?\n *(?:revisions\.krm-fn\.io/checksum|checksum/config): \S+",
]


@holds
def no_character_is_lost_unless_it_is_replaced(transform: Transform) -> None:
    if transform.is_authored:
        before = read_text(transform.input)
        for what_gives_way in GIVES_WAY:
            before = re.sub(what_gives_way, "", before)
        assert is_subsequence(before, read_text(transform.output))


def read_text(data: bytes) -> str:
    return data.decode().replace("\r\n", "\n")


@holds
def valid_objects_stay_valid(transform: Transform) -> None:
    """Compare the errors: inputs are short and may be incomplete: a Deployment may lack its selector."""
    before, after = (
        [one for one in objects_in(load_json(data.decode("utf-8-sig"))) if not is_emitted(one)]
        for data in (transform.input, transform.output)
    )
    for old, new in zip(before, after, strict=True):
        assert set(find_errors(new) or []) <= set(find_errors(old) or [])


@holds
def deployed_objects_are_kept_for_deployment(transform: Transform) -> None:
    items = open_envelope(read_yaml(transform.output)).items
    opened = deployable(transform.output.decode("utf-8-sig"))
    left = open_envelope(read_yaml(opened.encode())).items if opened else []
    assert [*map(without_annotations_of_tools, left)] == [
        without_annotations_of_tools(item) for item in items if is_deployed(item)
    ]


def without_annotations_of_tools(item: Item) -> Any:
    value: Any = plain_value(item.node)
    metadata = value.get("metadata", {})
    if not isinstance(metadata, dict):
        return value
    own = {
        key: text
        for key, text in (metadata.get("annotations") or {}).items()
        if key not in internal_annotations(item)
    }
    metadata.pop("annotations", None)
    return {**value, "metadata": {**metadata, **({"annotations": own} if own else {})}}


# Generated packages: the expected bytes are known, because the template marks where the names are.

names = st.from_regex(r"[a-z][a-z0-9]{0,6}(-[a-z][a-z0-9]{0,4}){0,2}", fullmatch=True)
comments = st.sampled_from(["", " # kept", "  #  kept: {a: b} [c] 'd' \"e\"", " # für 雪 🚀"])
quotes = st.sampled_from(["{}", "'{}'", '"{}"'])
breaks = st.sampled_from(["\n", "\r\n"])
values = st.sampled_from(
    [
        "yes",
        "on",
        "0o17",
        "1_000",
        "=",
        "~",
        "'a''b'",
        '"\\t\\u00e9"',
        "2020-01-02",
        "|\n      x\n\n      y",
        ">-\n      z",
    ]
)
block_or_flow = st.sampled_from(
    ["configMap:\n            name: {name}{comment}", "configMap: {{name: {name}}}{comment}"]
)


class Package(NamedTuple):
    objects: list[str]
    bases: list[str]
    line_break: str

    @property
    def marked(self) -> str:
        text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + "".join(
            self.objects
        )
        return text.replace("\n", self.line_break)

    @property
    def bytes(self) -> bytes:
        return self.marked.replace("«", "").replace("»", "").encode()


FLOW = (
    "- {{apiVersion: v1, kind: ConfigMap, "
    "metadata: {{name: {name}, labels: {{app: {base}}}}}, data: {{first: {base}}}}}"
)
JSON = """\
- {{"apiVersion": "v1", "kind": "ConfigMap",
   "metadata": {{"name": "«{base}»", "labels": {{"app": "{base}"}}}},
   "data": {{
     "first": "{base}"
   }}}}"""


@st.composite
def config_maps(draw: st.DrawFn, base: str) -> str:
    name = draw(quotes).format(f"«{base}»")
    style = draw(st.sampled_from(["block", FLOW, JSON]))
    if style != "block":
        return style.format(name=name, base=base) + draw(comments) + "\n"
    more = "".join(f"    k{i}: {draw(values)}\n" for i in range(draw(st.integers(0, 3))))
    return (
        f"- apiVersion: v1{draw(comments)}\n  kind: ConfigMap\n  metadata:\n"
        f"    name: {name}{draw(comments)}\n"
        f"    labels:{draw(comments)}\n      app: {base}\n"
        f"  data:\n    first: {base}{draw(comments)}\n{more}"
    )


@st.composite
def deployments(draw: st.DrawFn, base: str) -> str:
    place = draw(block_or_flow).format(
        name=draw(quotes).format(f"«{base}»"), comment=draw(comments)
    )
    return (
        f"- apiVersion: apps/v1\n  kind: Deployment{draw(comments)}\n"
        f"  metadata: {{name: {base}, labels: {{app: {base}}}}}{draw(comments)}\n"
        f"  spec:\n    template:\n      spec:\n        containers: []\n        volumes:\n"
        f"        - name: {base}\n          {place}\n"
    )


@st.composite
def packages(draw: st.DrawFn) -> Package:
    """Generate objects in which every name that must change is between two marks."""
    bases = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    objects = [draw(kind(base)) for base in bases for kind in (config_maps, deployments)]
    return Package(draw(st.permutations(objects)), bases, draw(breaks))


@given(packages())
@settings(max_examples=examples_of(300), deadline=None)
def test_every_byte_of_a_generated_package_is_the_expected_one(package: Package) -> None:
    outcome = run(package.bytes)
    assert outcome.exit_code == 0, outcome.stderr
    items = load(outcome.stdout)[0]["items"]
    configs = [item["metadata"] for item in items if item["kind"] == "ConfigMap"]
    renamed = {metadata["annotations"][keys.BASE_NAME]: metadata["name"] for metadata in configs}
    assert sorted(renamed) == sorted(package.bases)
    expected = package.marked
    for base, name in renamed.items():
        expected = expected.replace(f"«{base}»", name)
    lines = outcome.stdout.decode().partition("results:")[0].splitlines(keepends=True)
    assert (
        ADDED_IN_FLOW.sub("", "".join(line for line in lines if not is_an_added_line(line)))
        == expected
    )


ADDED_IN_FLOW = re.compile(
    r',\s*"?annotations"?: \{[^{}]*\}|, "?revisions\.krm-fn\.io/set"?: "?[\w-]+"?|,\s*"?immutable"?: true'
)


def is_an_added_line(line: str) -> bool:
    key = line.strip().partition(":")[0]
    return key in OURS | PROTECTION or line.strip() in ("immutable: true", "annotations:")


@given(packages(), st.randoms())
@settings(max_examples=examples_of(100), deadline=None)
def test_the_order_of_the_items_does_not_matter(package: Package, random: Random) -> None:
    shuffled = random.sample(package.objects, len(package.objects))
    one, other = (
        load(run(p.bytes).stdout)[0]["items"] for p in (package, package._replace(objects=shuffled))
    )
    assert sorted(map(repr, one)) == sorted(map(repr, other))


@given(packages())
@settings(max_examples=examples_of(150), deadline=None)
def test_generated_packages_are_idempotent_and_follow_edited_data(package: Package) -> None:
    once = run(package.bytes).stdout
    assert run(once).stdout == once
    edited = run(edit(once)).stdout
    fresh = run(edit(package.bytes)).stdout
    assert load(edited)[0]["items"] == load(fresh)[0]["items"]
    assert load(edited)[0]["items"] != load(once)[0]["items"]


def edit(data: bytes) -> bytes:
    return data.replace(b"first: ", b"first: other-").replace(b'"first": "', b'"first": "other-')
