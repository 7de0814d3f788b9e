"""The readers accept any JSON: whatever a custom resource's schema admits makes no run fail."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.base import keys
from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.api import parse
from krm_fn.linker.objects import Names
from krm_fn.linker.read import possible_names, read_consumer, read_of_set
from krm_fn.linker.retry import NoResponse
from tests.volume import examples_of

NAME = "web-config-bbbbbbbbbb"
NAMES = Names.of([NAME])
PLAN = LinkPlan(set="web", timeout=300, minimum_age=600)
KINDS = (*CONSUMER_KINDS, Kind("example.com/v1", "Widget", "widgets"))

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=9)
    | st.just(NAME)
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)

FIELDS = (
    *(
        "name",
        "uid",
        "metadata",
        "labels",
        "annotations",
        "ownerReferences",
        "controller",
        "apiVersion",
        "kind",
    ),
    *(
        "creationTimestamp",
        "resourceVersion",
        "deletionTimestamp",
        "spec",
        "template",
        "jobTemplate",
        "workloadRef",
    ),
    *(
        "containers",
        "initContainers",
        "volumes",
        "projected",
        "sources",
        "configMap",
        "env",
        "envFrom",
        "valueFrom",
    ),
    *("configMapRef", "configMapKeyRef", "optional", "args", "imagePullSecrets", "status", "data"),
    *(keys.SET, keys.BASE_NAME, keys.COMPONENT, keys.RENDERED, keys.WANTED),
)
"""Fields that a reader looks at. Each may hold anything."""

OBJECTS = st.recursive(
    ANYTHING,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6)
    ),
)


@settings(max_examples=examples_of(200), deadline=None)
@given(OBJECTS, st.sampled_from(KINDS))
def test_any_json_is_read(item: Any, kind: Kind) -> None:
    read_of_set(item, PLAN)
    read_consumer(kind, item, NAMES)


@settings(max_examples=examples_of(200), deadline=None)
@given(
    st.fixed_dictionaries(dict.fromkeys(("labels", "annotations", "ownerReferences"), OBJECTS)),
    OBJECTS,
)
def test_an_object_with_a_name_is_read_whatever_its_other_fields_hold(
    metadata: dict[str, Any], spec: Any
) -> None:
    item = {"metadata": {**metadata, "name": "x", "uid": "u"}, "spec": spec}
    for kind in KINDS:
        consumer = read_consumer(kind, item, NAMES)
        assert consumer is None or consumer.owner.name == "x"


def deep(depth: int) -> str:
    """Write JSON of this depth, with a reference at the bottom."""
    return '{"spec":' * depth + f'"{NAME}"' + "}" * depth


@pytest.mark.parametrize("depth", [3000, 9000])
def test_an_object_may_be_deeper_than_the_stack_of_python(depth: int) -> None:
    before = sys.getrecursionlimit()
    spec = parse(deep(depth).encode(), 200)
    item = {"metadata": {"name": "x", "uid": "u"}, "spec": spec}
    consumer = read_consumer(KINDS[-1], item, NAMES)
    assert consumer is not None
    assert consumer.references == {NAME}
    assert NAME in set(possible_names(item, has_pod_spec=True))
    assert sys.getrecursionlimit() == before


def test_json_deeper_than_the_api_server_accepts_is_no_response() -> None:
    with pytest.raises(NoResponse, match="no JSON object"):
        # How deep Python reads depends on its version: 3.14 reads 50,000 levels.
        parse(deep(1_000_000).encode(), 200)


def test_an_error_need_not_be_json() -> None:
    assert parse(b"<html>", 502) is None
    assert parse(json.dumps({"message": "x"}).encode(), 404) == {"message": "x"}
