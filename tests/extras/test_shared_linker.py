"""A set that is left to the linker of its namespace, beside the same set with a Job of its own.

The judge is the function with `run: job`: but for the linker's objects, both give the same bytes.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.changes import Changes
from krm_fn.base.item import is_emitted
from krm_fn.base.node import plain_value
from krm_fn.base.settings import LinkerRun
from krm_fn.core.config.config import Configuration
from krm_fn.core.decide.run import Run
from krm_fn.core.yaml.yaml import Envelope, apply_changes, open_envelope, read_yaml
from krm_fn.function import decide, find_only_configuration, read_config
from tests.cases import ENVIRONMENT, TRANSFORMS
from tests.properties import Properties

JOB, SHARED = LinkerRun.JOB, LinkerRun.SHARED
RETAIN = re.compile(
    rb',?\s*"?revisions\.krm-fn\.io/(retain"?: *"true"|kinds"?: *("[^"]*"|[^\s,}]*))'
)
OF_A_JOB = (
    "the Job|the linker never deletes what|blocks the linker|"
    "no linker, .* its RoleBinding needs a namespace"
)
"""What is only said where there is a Job. An account of the platform's has a namespace already."""

UNNAMED = b"""
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
"""


class Rendered(NamedTuple):
    """One input, rendered in one of the two ways."""

    envelope: Envelope
    run: Run

    @property
    def authored(self) -> bytes:
        """The text without what the function adds, replaces and removes."""
        changes = self.run.changes
        return self._write(Changes(edits=changes.edits, patches=changes.patches))

    @property
    def whole(self) -> bytes:
        return self._write(self.run.changes._replace(problems=()))

    def _write(self, changes: Changes) -> bytes:
        return self.envelope.encode(apply_changes(self.envelope, changes).text)

    @property
    def retained(self) -> set[str]:
        """The new names of the revisions that nothing links."""
        run = self.run
        return {str(one.id) for one in run.revisions.rendered if one.item not in run.consumers}

    @property
    def emitted(self) -> dict[str, Any]:
        """The linker's objects of this set, by what names them, without annotations of tools.

        An object that goes and comes back is another one to kpt and kustomize.
        """
        objects: dict[str, Any] = {}
        for item in open_envelope(read_yaml(self.whole, may_repeat=True)).items:
            if is_emitted(item) and item.labels.get(keys.SET) == self.run.settings.set:
                one: Any = plain_value(item.node)
                objects[str(item.id)] = one
                own = {name: text for name, text in item.annotations.items() if "krm-fn.io" in name}
                one["metadata"]["annotations"] = own
        return objects

    @property
    def warned(self) -> list[str]:
        problems = self.run.changes.problems
        return [one.message for one in problems if one.message.startswith("is retained, and")]


def render(data: bytes, run: LinkerRun) -> Rendered:
    """Render as the configuration says, but for who runs the linker."""
    envelope = open_envelope(read_yaml(data, may_repeat=True))
    passed = [Configuration.passed(envelope.function_config)] if envelope.function_config else []
    chosen = find_only_configuration(envelope.items, passed, ENVIRONMENT)
    if chosen is None:
        passed = [Configuration.passed(read_config(UNNAMED))]
        chosen = find_only_configuration(envelope.items, passed, ENVIRONMENT)
    assert chosen is not None
    linker = chosen.settings.linker._replace(run=run)
    settings = chosen.settings._replace(linker=linker, strict=False)
    chosen = chosen._replace(settings=settings)
    return Rendered(envelope, decide(envelope.items, chosen, ENVIRONMENT, is_in_place=True))


class Pair:
    """One input, rendered with a Job and without."""

    def __init__(self, case: Path) -> None:
        data = (case / "input.yaml").read_bytes()
        self.job, self.shared = render(data, JOB), render(data, SHARED)
        self.of_job, self.of_shared = self.job.emitted, self.shared.emitted


holds = Properties[Pair]()


@holds
def no_authored_byte_differs_but_where_more_is_retained(pair: Pair) -> None:
    job, shared = pair.job.authored, pair.shared.authored
    if pair.job.retained != pair.shared.retained:
        job, shared = RETAIN.sub(b"", job), RETAIN.sub(b"", shared)
    assert job == shared


@holds
def each_that_is_retained_besides_is_warned_about(pair: Pair) -> None:
    assert pair.job.retained <= pair.shared.retained
    more = pair.shared.retained - pair.job.retained
    is_enabled = pair.shared.run.settings.linker.enabled
    assert len(pair.shared.warned) == (len(more) if is_enabled else 0)
    assert not pair.job.warned


@holds
def what_is_said_of_a_job_is_left_out_and_nothing_else(pair: Pair) -> None:
    job, shared = (
        {one.message for one in rendered.run.changes.problems}
        for rendered in (pair.job, pair.shared)
    )
    # With an inventory, which needs no namespace, a set without a name is worth a warning.
    unnamed = {one for one in shared if one.startswith("the set has no name of its own")}
    assert shared - job - unnamed == {*pair.shared.warned}
    assert all(re.search(OF_A_JOB, one) for one in job - shared), job - shared


@holds
def there_is_nothing_of_a_job(pair: Pair) -> None:
    kinds = {name.partition("/")[0] for name in pair.of_shared}
    assert kinds <= {"ConfigMap", "Role", "RoleBinding"}


def _without_fate(item: Any) -> Any:
    """Copy an object without the annotations that say whether, and until when, it is retained."""
    annotations = {
        name: value
        for name, value in item["metadata"]["annotations"].items()
        if name not in (keys.RETAIN, keys.KINDS)
    }
    return {**item, "metadata": {**item["metadata"], "annotations": annotations}}


@holds
def trackers_and_copies_are_the_same_but_for_what_is_retained(pair: Pair) -> None:
    for name, one in pair.of_shared.items():
        # Without a namespace there is no Job, and no tracker for one.
        if one["metadata"]["labels"][keys.COMPONENT] != keys.LINKER and name in pair.of_job:
            assert _without_fate(one) == _without_fate(pair.of_job[name])


@holds
def the_inventory_lists_the_same_and_says_who_links(pair: Pair) -> None:
    for name, one in pair.of_job.items():
        annotations = one["metadata"].get("annotations", {})
        if keys.RENDERED in annotations:
            shared = pair.of_shared[name]["metadata"]["annotations"]
            assert shared == {**annotations, keys.LINKER_RUN: "shared"}


@holds
def a_role_names_what_it_is_for(pair: Pair) -> None:
    for name, one in pair.of_shared.items():
        if name.startswith("Role/"):
            rules = one["rules"]
            assert all(rule["resourceNames"] for rule in rules)
            assert all(rule in pair.of_job[name]["rules"] for rule in rules)


@holds
def it_changes_in_place_and_back(pair: Pair) -> None:
    changed = render(pair.job.whole, SHARED)
    assert changed.emitted == pair.of_shared
    again = render(changed.whole, SHARED)
    assert again.whole == changed.whole
    assert render(again.whole, JOB).emitted == pair.of_job


@pytest.mark.rows(test=8, submission=40)
@pytest.mark.parametrize("case", TRANSFORMS, ids=lambda case: case.name)
def test_a_shared_linker_changes_nothing_but_the_linkers_objects(case: Path) -> None:
    holds.check(Pair(case), of=case.name)
