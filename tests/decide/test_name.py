"""What was renamed in place and is no longer to be: as if it had never been."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.function import run
from tests.function.test_properties import Package, load, packages
from tests.volume import examples_of

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: %s}
spec: {%s, deployers: [], linker: {enabled: false}}
"""
ANOTHER_WAY = [
    "strategy: checksum",
    "strategy: ignore",
    "exclude: [{name: '*'}]",
    "select: [{strategy: checksum}]",
]


def items(data: bytes, spec: str, set_name: str = "web") -> Any:
    outcome = run(data, (CONFIG % (set_name, spec)).encode())
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stdout, load(outcome.stdout)[0]["items"]


@given(packages(), st.sampled_from(ANOTHER_WAY))
@settings(max_examples=examples_of(100), deadline=None)
def test_a_former_rename_leaves_no_trace(package: Package, another_way: str) -> None:
    renamed, _ = items(package.bytes, "strategy: rename")
    back, _ = items(renamed, another_way)
    assert load(back)[0]["items"] == items(package.bytes, another_way)[1]


@pytest.mark.parametrize(
    ("spec", "set_name"),
    [
        pytest.param("select: []", "web", id="what nobody selects any more may be another run's"),
        pytest.param("kinds: [Secret]", "web", id="a kind that this run does not look at"),
        pytest.param("strategy: ignore", "other", id="another set's"),
        pytest.param("strategy: adopt", "web", id="adopted under the name it has"),
    ],
)
def test_names_stay(spec: str, set_name: str) -> None:
    text = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
        "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
        "- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {volumes: [{configMap: {name: a}}]}}\n"
    )
    renamed, before = items(text.encode(), "strategy: rename")
    _, after = items(renamed, spec, set_name)
    assert [item["metadata"]["name"] for item in after] == [
        item["metadata"]["name"] for item in before
    ]


def test_a_name_that_is_taken_is_an_error() -> None:
    text = (
        "apiVersion: v1\nkind: ConfigMap\n"
        "metadata: {name: a-5t7h9k2b4c, labels: {revisions.krm-fn.io/set: web},"
        " annotations: {revisions.krm-fn.io/base-name: a}}\n"
        "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
    )
    outcome = run(text.encode(), (CONFIG % ("web", "exclude: [{name: a-*}]")).encode())
    assert outcome.stderr == (
        "error: ConfigMap/a-5t7h9k2b4c metadata.name: would be named a, like ConfigMap/a; remove one of them\n"
        "warning: ConfigMaps or Secrets are renamed, but the package has no objects that could reference them: "
        "referrers elsewhere keep the old names; run the function over the whole package, without selectors\n"
    )
