"""What holds for the difference of any two renderings."""

import json
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.changes import Changes
from krm_fn.base.item import Item
from krm_fn.base.problem import Rejected, Severity
from krm_fn.base.settings import NO_ENVIRONMENT, Environment
from krm_fn.cli.main import main
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import MAX_DEPTH, Expansion, read_yaml
from krm_fn.core.yaml.splice import apply_splices
from krm_fn.core.yaml.yaml import plan_splices
from krm_fn.report.table import Screen
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance
from krm_fn.tools.common.rendered import is_deployed
from krm_fn.tools.diff.compare import compare
from krm_fn.tools.diff.difference import Difference
from krm_fn.tools.diff.pair import Release, read_release
from krm_fn.tools.diff.write_difference import write_json, write_markdown, write_text
from krm_fn.tools.opened.opened import Opened, decide_opened, open_inputs
from krm_fn.tools.opened.sources import Inputs
from krm_fn.tools.render.render import render_items, render_opened
from tests.cases import FIXTURES, MIGRATION_STEPS, REJECTIONS, TRANSFORMS
from tests.properties import Properties
from tests.recorded import output_of
from tests.verify.mutations import (
    content_changed,
    linker_objects_dropped,
    protection_removed,
    references_put_back,
    revisions_dropped,
    workloads_dropped,
)
from tests.verify.test_properties import find_hashes_of_secrets, read
from tests.volume import in_turn, one_of

STEPS = sorted(path.parent for path in FIXTURES.glob("migrations/*/deployed.yaml"))
MUTATIONS = (
    content_changed,
    linker_objects_dropped,
    protection_removed,
    references_put_back,
    revisions_dropped,
    workloads_dropped,
)


def items_of(data: bytes) -> list[Item]:
    document = read_yaml(data)
    return [item for item in open_envelope(document).items if is_deployed(item)]


def release_of(data: bytes) -> Release:
    return read_release(items_of(data), None, "")


def compare_whole(old: Release, new: Release) -> Difference:
    """Compare all objects as a whole, as those are that differ somewhere."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("krm_fn.tools.diff.compare.find_unlike", lambda *_: [()])
        return compare(old, new)


def say(difference: Difference) -> str:
    return write_text(difference, Screen())


class Mistake(NamedTuple):
    """A rendering with a mistake in it, and how it differs."""

    release: Release
    difference: Difference


class Deployed:
    """The objects of a rendering that are deployed, and the release that they are."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.items = items_of(data)
        self.release = read_release(self.items, None, "")
        self.opened = read(data)
        self.hashes_of_secrets = find_hashes_of_secrets(self.opened[1])

    @cached_property
    def mistakes(self) -> dict[bytes, Mistake]:
        """The rendering, each time with another mistake in it. tests/verify/test_properties.py counts them."""
        envelope, rendering = self.opened
        found = {}
        for mutate in MUTATIONS if rendering.sets else ():
            for changes in one_of([*mutate(rendering)], self.name):
                text = apply_splices(
                    envelope.document.text, plan_splices(envelope, changes)
                ).encode()
                release = release_of(text)
                found[text] = Mistake(release, compare(self.release, release))
        return found


holds = Properties[Deployed]()


@pytest.mark.rows(test=12)
@pytest.mark.volume
@pytest.mark.parametrize(
    "case", [*TRANSFORMS, *MIGRATION_STEPS], ids=lambda case: f"{case.parent.name}/{case.name}"
)
def test_all_properties_hold(case: Path) -> None:
    holds.check(Deployed(case.name, output_of(case)), of=case.name)


@holds
def a_rendering_does_not_differ_from_itself(deployed: Deployed) -> None:
    difference = compare(deployed.release, release_of(deployed.data))
    assert not difference, say(difference)
    assert say(difference).startswith("no difference")


@holds
def the_order_of_the_objects_does_not_matter(deployed: Deployed) -> None:
    names = [(item.id.kind, item.id.namespace, item.id.name) for item in deployed.items]
    if len(set(names)) < len(names):
        return  # of equal names, the order says which is which
    difference = compare(deployed.release, read_release(deployed.items[::-1], None, ""))
    assert not difference, say(difference)


@holds
def all_comes_and_all_goes(deployed: Deployed) -> None:
    nothing, everything = read_release([], None, ""), deployed.release
    added, removed = compare(nothing, everything), compare(everything, nothing)
    own = len(everything.package.authored)
    assert (
        len(added.revisions) + len(added.objects)
        == len(removed.revisions) + len(removed.objects)
        == own
    )
    assert all(change.old is None for change in (*added.revisions, *added.objects))
    assert len(added.linker.added) == len(removed.linker.removed)


@holds
def every_single_mistake_is_a_difference(deployed: Deployed) -> None:
    for text, mistake in deployed.mistakes.items():
        assert mistake.difference, text.decode()


@holds
def what_is_passed_over_does_not_differ(deployed: Deployed) -> None:
    same = release_of(deployed.data)
    for release, found in (
        Mistake(same, compare(deployed.release, same)),
        *deployed.mistakes.values(),
    ):
        assert found == compare_whole(deployed.release, release), say(found)


@holds
def no_hash_of_a_secret_is_shown(deployed: Deployed) -> None:
    """Neither where the Secret is, nor where anything references it."""
    nothing = read_release([], None, "")
    before = deployed.release
    for number, (after, _) in enumerate(
        deployed.mistakes.values() if deployed.hashes_of_secrets else ()
    ):
        for old, new in in_turn(
            [(before, after), (after, before), (nothing, after), (after, nothing)], number
        ):
            shown = write_json(compare(old, new))
            assert not any(one in shown for one in deployed.hashes_of_secrets), shown


FIELDS = [
    *(
        "{}",
        "[]",
        "null",
        '""',
        "~",
        "a",
        "{a: b}",
        "{a: b, c: d}",
        "{c: d, a: b}",
        "{a: b, <<: {c: d}}",
    ),
    *(
        "{a: b, <<: {c: e}}",
        "{a: b, '<<': {c: d}}",
        "[{a: b}]",
        "[{a: b}, {c: d}]",
        "{[a]: b}",
        "{? {a: b} : c}",
    ),
    *(
        "yes",
        "'yes'",
        "!!str yes",
        "true",
        "TRUE",
        "1",
        '"1"',
        "1.0",
        "0x1",
        "!!str 1",
        "YQ==",
        "|\n    a",
    ),
    *(
        "[{name: a}, {name: b}]",
        "[{name: b}, {name: a}]",
        "{template: {kind: Secret, data: {a: db-2456789bcd}}}",
    ),
    *(
        "{a: db-2456789bcd}",
        "{a: db}",
        "{a: db-kmtbcdfghk}",
        "{db-2456789bcd: a}",
        "{db: a}",
        "{db-kmtbcdfghk: a}",
    ),
    *(
        "[db-2456789bcd]",
        "[db-kmtbcdfghk, db]",
        "{template: {kind: Secret, data: {a: db-kmtbcdfghk}}}",
    ),
]


@pytest.mark.rows(test=0)
def test_no_difference_of_a_field_is_passed_over() -> None:
    """Each field beside each other one, as `db-2456789bcd` and `db-kmtbcdfghk` are revisions of one Secret."""
    before = [release_of(package_with(field, "2456789bcd", ["here"])) for field in FIELDS]
    after = [release_of(package_with(field, "kmtbcdfghk", ["here", "new"])) for field in FIELDS]
    for old, new in product(before, after):
        assert compare(old, new) == compare_whole(old, new)


def package_with(field: str, suffix: str, config_maps: list[str]) -> bytes:
    """Write a Secret with a content name, an object with a field, a Deployment that reads all, and ConfigMaps."""
    annotations = f"{{{keys.BASE_NAME}: db}}"
    others = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"
        for name in config_maps
    )
    return (
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db-{suffix}\n  annotations: {annotations}\n"
        f"  labels: {{{keys.SET}: shop}}\n---\napiVersion: example.org/v1\nkind: A\nmetadata: {{name: a}}\n"
        f"spec:\n  field: {field}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec:\n"
        f"  template:\n    spec:\n      containers:\n"
        f"      - {{name: a, envFrom: [{{secretRef: {{name: db-{suffix}}}}}, "
        f"{{configMapRef: {{name: here}}}}, {{configMapRef: {{name: new}}}}]}}\n{others}"
    ).encode()


@pytest.mark.rows(test=12, submission=40)
@pytest.mark.parametrize("case", TRANSFORMS, ids=lambda case: case.name)
def test_what_is_compared_is_what_render_writes(case: Path) -> None:
    inputs = Inputs((str(case / "input.yaml"),))
    try:
        opened = open_inputs(inputs, HelmOptions(), NO_ENVIRONMENT, Allowance(DEFAULT_LIMITS))
    except Rejected:
        return  # what the function passes through, and no deployer takes
    changes = decide_opened(opened, NO_ENVIRONMENT).changes
    text, said = render_opened(opened, changes)
    errors = [problem for problem in said if problem.severity is Severity.ERROR]
    if errors:
        with pytest.raises(Rejected) as rejected:
            render_items(opened, changes)
        assert [*rejected.value.problems] == errors
        return
    items = render_items(opened, changes)
    written = open_envelope(read_yaml(text.encode(), may_repeat=True)).items if text else []
    assert [(one.id, one.annotations, one.labels) for one in items] == [
        (one.id, one.annotations, one.labels) for one in written
    ]
    assert not compare(read_release(items, None, ""), read_release(written, None, ""))


@pytest.mark.rows(test=12, submission=40)
@pytest.mark.parametrize("case", [*TRANSFORMS, *REJECTIONS], ids=lambda case: case.name)
def test_who_reads_no_warnings_gets_the_same_changes_and_errors(case: Path) -> None:
    inputs = Inputs((str(case / "input.yaml"),))
    try:
        opened = open_inputs(inputs, HelmOptions(), NO_ENVIRONMENT, Allowance(DEFAULT_LIMITS))
    except Rejected:
        return
    for is_strict in (False, True):
        environment = NO_ENVIRONMENT._replace(strict=is_strict)
        expected, found = (
            _decide(opened, environment._replace(warns=warns)) for warns in (True, False)
        )
        assert found == expected, f"strict: {is_strict}"


def _decide(opened: Opened, environment: Environment) -> Changes | list[str]:
    """Return the changes without problems, or the errors."""
    try:
        changes = decide_opened(opened._replace(expansion=Expansion()), environment).changes
    except Rejected as rejected:
        return [*map(str, rejected.problems)]
    errors = [
        str(problem)
        for problem in opened.place(changes.problems)
        if problem.severity is Severity.ERROR
    ]
    return errors or changes._replace(problems=())


def test_equal_texts_in_two_namespaces_may_reference_what_is_called_differently(
    tmp_path: Path,
) -> None:
    """The proof reads them once. In one namespace, a ConfigMap gets another base name."""
    for name, others in (("old", ("web", "web")), ("new", ("web", "app"))):
        package = "---\n".join(
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {other}, namespace: {namespace}}}\ndata: {{a: b}}\n"
            f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: {namespace}}}\nspec:\n"
            f"  template:\n    spec:\n      containers:\n      - name: web\n        envFrom:\n"
            f"        - configMapRef:\n            name: {other}\n"
            for namespace, other in zip("ab", others, strict=True)
        )
        configuration = (
            "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
            "spec: {linker: {image: registry.example/krm-fn:1}}\n"
        )
        (tmp_path / f"{name}.yaml").write_text(f"{package}---\n{configuration}")
        rendered = main(["render", str(tmp_path / f"{name}.yaml")])
        (tmp_path / f"{name}-rendered.yaml").write_bytes(rendered.stdout)
    of_packages, of_renderings = (
        main(["diff", *(str(tmp_path / f"{name}{kind}.yaml") for name in ("old", "new"))])
        for kind in ("", "-rendered")
    )
    assert of_packages == of_renderings
    assert b"app" in of_packages.stdout


@pytest.mark.parametrize("case", STEPS, ids=lambda case: case.name)
def test_a_migration_loses_nothing(case: Path) -> None:
    """No object comes or goes but the ReplicaSets of a dump, and only the key differs that the second step edits.

    What is only adopted has an inventory, and the Job of a later step needs its rights.
    """
    before = release_of((case / "deployed.yaml").read_bytes())
    for step in ("step-1", "step-2"):
        after = release_of(output_of(case / step))
        difference = compare(before, after)
        changes = (*difference.revisions, *difference.objects)
        assert all(change.new or change.who.kind == "ReplicaSet" for change in changes), say(
            difference
        )
        assert all(
            change.old or change.who.kind in {"ServiceAccount", "Role", "RoleBinding"}
            for change in changes
        ), say(difference)
        assert {one.key for change in changes for one in change.keys} <= {"LOG_LEVEL"}, say(
            difference
        )
        before = after


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
