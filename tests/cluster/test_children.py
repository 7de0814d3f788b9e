"""What keeps a copy of a template without a pod, for every row of MAKES, and what nobody sees any more.

The kinds are there without their controllers: the test creates what they make.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from krm_fn.base import keys
from krm_fn.base.kind import Kind, kind_named
from krm_fn.facts.kinds import MAKES
from krm_fn.function import run
from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane, control_plane, new_namespace
from tests.cluster.custom_kinds import until_served
from tests.cluster.kinds import KINDS
from tests.cluster.linker_job import LinkerRun, run_linker
from tests.cluster.release import SET, config
from tests.cluster.server import APPLY
from tests.tools.require import require_built
from tests.wait import grow_older, until


class Row(NamedTuple):
    """A maker, what is made of it, and whether that keeps the copy in its status."""

    maker: Kind
    made: Kind
    in_status: bool


def read_rows() -> list[Row]:
    """Return each kind of the table with each kind that is made of it, in one version of each kind."""
    made_kinds: dict[tuple[str, str], Kind] = {}
    for _, _, made, _ in MAKES:
        for one in map(kind_named, made):
            made_kinds.setdefault((one.group, one.kind), one)
    rows = []
    for group, names, made, source in MAKES:
        for name in names.split():
            maker = made_kinds.get((group, name)) or kind_named(f"{group}/v1/{name}")
            in_status = "status" in source
            for one in map(kind_named, made):
                rows.append(Row(maker, made_kinds[one.group, one.kind], in_status))
    return rows


ROWS = [row for row in read_rows() if row.maker.is_namespaced]


@pytest.fixture(scope="module")
def with_kinds() -> Iterator[ControlPlane]:
    """Start a control plane of its own: other tests read discovery, and here are two hundred kinds."""
    with control_plane(require_built) as cluster:
        definitions = [_definition(one) for one in sorted(_kinds())]
        for definition in definitions:
            cluster.api.create(definition)
        for definition in definitions:
            until_served(cluster.api, definition)
        yield cluster


def _kinds() -> set[Kind]:
    return {kind for row in ROWS for kind in (row.maker, row.made)}


def _definition(kind: Kind) -> Object:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": kind.api_version.rpartition("/")[2],
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    names = {"kind": kind.kind, "plural": kind.plural, "listKind": f"{kind.kind}List"}
    spec = {"group": kind.group, "names": names, "scope": "Namespaced", "versions": [version]}
    metadata: Object = {"name": f"{kind.plural}.{kind.group}"}
    if kind.group.endswith(".k8s.io"):
        metadata["annotations"] = {"api-approved.kubernetes.io": "unapproved, for a test"}
    return {"kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}


def _template(name: str) -> Object:
    container = {"name": "app", "image": "app:1", "envFrom": [{"configMapRef": {"name": name}}]}
    return {"template": {"spec": {"containers": [container]}}}


def _object(kind: Kind, name: str, **content: Object) -> Object:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {"name": name},
        **content,
    }


def _apply(api: Api, item: Object) -> None:
    kind = kind_named(f"{item['apiVersion']}/{item['kind']}")
    query = {"fieldManager": "test", "force": "true"}
    path = _path(api, kind, item["metadata"]["name"])
    api.call("PATCH", path, body=item, query=query, content_type=APPLY)


def _path(api: Api, kind: Kind, name: str = "") -> str:
    root = f"/apis/{kind.api_version}/namespaces/{api.namespace}/{kind.plural}"
    return f"{root}/{name}" if name else root


def _release(api: Api, rows: Mapping[int, Row], content: str, **spec: Any) -> dict[int, str]:
    """Render and apply, without a deployer that prunes. Returns the name of each ConfigMap."""
    items = [
        {**config(content, f"config-{number}"), "apiVersion": "v1", "kind": "ConfigMap"}
        for number in rows
    ]
    items += [
        _object(row.maker, f"maker-{number}", spec=_template(f"config-{number}"))
        for number, row in rows.items()
    ]
    function_config = {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": SET},
        "spec": {
            "select": [{"kind": "ConfigMap"}],
            "linker": {"minimumAgeSeconds": 0, "timeoutSeconds": 30, "namespace": api.namespace},
            **spec,
        },
    }
    resource_list = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": function_config,
        "items": items,
    }
    outcome = run(json.dumps(resource_list).encode())
    assert outcome.exit_code == 0, outcome.stderr
    names: dict[int, str] = {}
    for item in json.loads(outcome.stdout)["items"]:
        if item["kind"] in KINDS and item["apiVersion"] == KINDS[item["kind"]].api_version:
            api.apply(item)
        else:
            _apply(api, item)
        base = item["metadata"].get("annotations", {}).get(keys.BASE_NAME, "")
        if base.startswith("config-"):
            names[int(base.removeprefix("config-"))] = item["metadata"]["name"]
    return names


def _begin(api: Api, rows: Mapping[int, Row], names: Mapping[int, str]) -> None:
    """Create what is made of each maker: it keeps what the maker said."""
    for number, row in rows.items():
        copy = _template(names[number])
        content = {"status": copy} if row.in_status else {"spec": copy}
        made = _object(row.made, f"made-{number}", **content)
        api.call("POST", _path(api, row.made), body=made)


def _link(api: Api) -> LinkerRun:
    linked = run_linker(api, SET)
    assert linked.exit_code == 0, linked.stdout + linked.stderr
    return linked


def _find(api: Api, names: Mapping[int, str]) -> set[int]:
    return {number for number, name in names.items() if api.find("ConfigMap", name) is not None}


def _until_deleted(api: Api, names: Mapping[int, str]) -> None:
    """Run the linker until it has deleted all of these.

    A run leaves what somebody writes to between its two looks, as the garbage collector does that takes off owners
    which do not exist any more.
    """

    def link_and_find() -> set[int]:
        _link(api)
        return _find(api, names)

    until("what nothing needs is deleted", link_and_find, lambda left: not left)


def test_each_keeps_what_it_began_with_until_it_is_gone(with_kinds: ControlPlane) -> None:
    api = new_namespace(with_kinds, "children")
    rows = dict(enumerate(ROWS))
    old = _release(api, rows, "old")
    _begin(api, rows, old)
    new = _release(api, rows, "new")
    grow_older()
    _link(api)
    lost = old.keys() - _find(api, old)
    assert not [rows[number] for number in lost]
    for number, row in rows.items():
        api.call("DELETE", _path(api, row.made, f"made-{number}"))
    _until_deleted(api, old)
    assert all(api.find("ConfigMap", name) for name in new.values())


def test_a_maker_that_leaves_the_package_leaves_what_is_made_of_it(
    with_kinds: ControlPlane,
) -> None:
    """No run has seen the maker. Afterwards, the account may not list the kinds any more."""
    api = new_namespace(with_kinds, "makers-that-leave")
    rows = {0: next(row for row in ROWS if row.maker.kind == "Sensor")}
    old = _release(api, rows, "old")
    _begin(api, rows, old)
    api.call("DELETE", _path(api, rows[0].maker, "maker-0"))
    web = dict(enumerate(ROWS[:1], 1))
    _release(api, web, "new")
    grow_older()
    run = _link(api)
    assert api.find("ConfigMap", old[0]) is not None
    assert f"ConfigMap {api.namespace}/{old[0]}: is kept" in run.stderr
    kinds = [f"{kind.api_version}/{kind.kind}" for kind in rows[0][:2]]
    linker = {"minimumAgeSeconds": 0, "timeoutSeconds": 30, "namespace": api.namespace}
    _release(api, web, "new", linker={**linker, "kinds": kinds})
    assert "is kept" not in _link(api).stderr
    assert api.find("ConfigMap", old[0]) is not None
    api.call("DELETE", _path(api, rows[0].made, "made-0"))
    _until_deleted(api, old)
