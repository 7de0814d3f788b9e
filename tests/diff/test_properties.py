"""What holds for the difference of any two renderings."""

import json
from functools import partial
from pathlib import Path

import pytest

from krm_fn.diff.compare import compare
from krm_fn.diff.difference import Difference
from krm_fn.diff.release import Release, read_release
from krm_fn.diff.text import write_text
from krm_fn.diff.to_json import write_json
from krm_fn.diff.to_markdown import write_markdown
from krm_fn.look.table import Screen
from krm_fn.model.item import Item
from krm_fn.naming.names import hash_in_name
from krm_fn.render.deployable import is_deployed
from krm_fn.wire.apply import plan_splices
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.reader import MAX_DEPTH, read_yaml
from krm_fn.wire.splice import apply_splices
from tests.cases import FIXTURES, MIGRATION_STEPS, TRANSFORMS
from tests.verify.mutations import (
    Mutate,
    content_changed,
    linker_objects_dropped,
    protection_removed,
    references_put_back,
    revisions_dropped,
    workloads_dropped,
)
from tests.verify.test_properties import REVISED, read

OUTPUTS = {
    f"{case.parent.name}/{case.name}": (case / "output.yaml").read_bytes() for case in (*TRANSFORMS, *MIGRATION_STEPS)
}
STEPS = sorted(path.parent for path in FIXTURES.glob("migrations/*/deployed.yaml"))
MUTATIONS = (
    content_changed,
    linker_objects_dropped,
    protection_removed,
    references_put_back,
    revisions_dropped,
    workloads_dropped,
)
every_output = pytest.mark.parametrize("name", OUTPUTS)


def items_of(data: bytes) -> list[Item]:
    document = read_yaml(data)
    return [item for item in open_envelope(document).items if is_deployed(item)]


def release_of(data: bytes) -> Release:
    return read_release(items_of(data), None, "")


def say(difference: Difference) -> str:
    return write_text(difference, Screen())


@every_output
def test_a_rendering_does_not_differ_from_itself(name: str) -> None:
    difference = compare(release_of(OUTPUTS[name]), release_of(OUTPUTS[name]))
    assert not difference, say(difference)
    assert say(difference).startswith("no difference")


@every_output
def test_the_order_of_the_objects_does_not_matter(name: str) -> None:
    items = items_of(OUTPUTS[name])
    names = [(item.id.kind, item.id.namespace, item.id.name) for item in items]
    if len(set(names)) < len(names):
        return  # of equal names, the order says which is which
    difference = compare(release_of(OUTPUTS[name]), read_release(items[::-1], None, ""))
    assert not difference, say(difference)


@every_output
def test_all_comes_and_all_goes(name: str) -> None:
    nothing, everything = read_release([], None, ""), release_of(OUTPUTS[name])
    added, removed = compare(nothing, everything), compare(everything, nothing)
    own = len(everything.package.authored)
    assert len(added.revisions) + len(added.objects) == len(removed.revisions) + len(removed.objects) == own
    assert all(change.old is None for change in (*added.revisions, *added.objects))
    assert len(added.linker.added) == len(removed.linker.removed)


@pytest.mark.parametrize("case", STEPS, ids=lambda case: case.name)
def test_a_migration_loses_nothing(case: Path) -> None:
    """No object comes or goes but the ReplicaSets of a dump, and only the key differs that the second step edits."""
    before, *steps = (case / name for name in ("deployed.yaml", "step-1/output.yaml", "step-2/output.yaml"))
    for after in steps:
        difference = compare(release_of(before.read_bytes()), release_of(after.read_bytes()))
        changes = (*difference.revisions, *difference.objects)
        assert all(change.new or change.who.kind == "ReplicaSet" for change in changes), say(difference)
        assert all(change.old for change in changes), say(difference)
        assert {one.key for change in changes for one in change.keys} <= {"LOG_LEVEL"}, say(difference)
        before = after


@pytest.mark.parametrize("mutate", MUTATIONS)
def test_every_single_mistake_is_a_difference(mutate: Mutate) -> None:
    tried = 0
    for name, data in REVISED.items():
        envelope, rendering = read(data)
        for changes in mutate(rendering):
            mistake = apply_splices(envelope.document.text, plan_splices(envelope, changes)).encode()
            assert compare(release_of(data), release_of(mistake)), f"{name}:\n{mistake.decode()}"
            tried += 1
    assert tried > 50


WITH_SECRETS = [
    name
    for name, data in REVISED.items()
    if any(one.item.id.kind == "Secret" and hash_in_name(one.item) for one in read(data)[1].revisions.rendered)
]


@pytest.mark.parametrize("name", WITH_SECRETS)
@pytest.mark.parametrize("mutate", MUTATIONS)
def test_no_hash_of_a_secret_is_shown(name: str, mutate: Mutate) -> None:
    """Neither where the Secret is, nor where anything references it."""
    envelope, rendering = read(REVISED[name])
    hashes = {hash_in_name(one.item) for one in rendering.revisions.rendered if one.item.id.kind == "Secret"}
    before = release_of(REVISED[name])
    nothing = read_release([], None, "")
    for changes in mutate(rendering):
        mistake = apply_splices(envelope.document.text, plan_splices(envelope, changes)).encode()
        after = release_of(mistake)
        for old, new in ((before, after), (after, before), (nothing, after), (after, nothing)):
            shown = write_json(compare(old, new))
            assert not any(one in shown for one in hashes if one), shown


def test_there_are_renderings_with_secrets() -> None:
    assert len(WITH_SECRETS) > 10


@pytest.mark.parametrize("text", ["[", "{a: "])
def test_an_object_may_be_as_deep_as_the_reader_allows(text: str) -> None:
    levels = MAX_DEPTH - 2
    closing = {"[": "]", "{a: ": "}"}[text]
    old, new = (
        f"apiVersion: v1\nkind: A\nmetadata: {{name: a}}\nspec: {text * levels}{value}{closing * levels}\n".encode()
        for value in (1, 2)
    )
    nothing = read_release([], None, "")
    for before, after in ((release_of(old), release_of(new)), (nothing, release_of(new))):
        difference = compare(before, after)
        assert len(difference.objects) == 1
        for write in (say, write_json, partial(write_markdown, key="")):
            assert write(difference)


def test_a_field_may_be_as_deep_as_the_reader_allows() -> None:
    """The whole field is written, not just the end of it that differs."""
    old, new = (
        f"apiVersion: v1\nkind: A\nmetadata: {{name: a}}\nspec: {spec}\n".encode()
        for spec in ("{}", "{b: " * (MAX_DEPTH - 3) + "[c]" + "}" * (MAX_DEPTH - 3))
    )
    difference = compare(release_of(old), release_of(new))
    assert say(difference).count("\n") == MAX_DEPTH
    assert json.loads(write_json(difference))["objects"]
    assert "b:" in write_markdown(difference, "")
