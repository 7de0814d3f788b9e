"""Which fields of which kinds the API server lets nobody change, found by asking one.

Each object of `accepted_objects.yaml` is applied, and then applied again with one field that says
something else, in a dry run. If the server would create the object that it does not update, its
fields are valid, and one of them cannot change. Nothing here reads what an error says.

`python -m tests.cluster.immutable_fields --write` writes what was found to
krm_fn/facts/immutable_fields.py.
"""

import copy
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane, control_plane, new_namespace
from tests.cluster.custom_kinds import DISCOVERY
from tests.cluster.server import APPLY, ApiError
from tests.tools.require import require_built
from tests.wait import until

OBJECTS = Path(__file__).with_name("accepted_objects.yaml")
FACTS = Path(__file__).parents[2] / "krm_fn/facts/immutable_fields.py"
NAMESPACE = "full"
NOT_IN_PACKAGES = {"apiVersion", "kind", "metadata", "status"}
SET, UNSET, CHANGE, GROW, SHRINK = "set", "unset", "change", "grow", "shrink"
_MOST_VALUES = 12
_DEEPEST = 4
_MADE: dict[str, list[Any]] = {
    "string": ["a", "1Gi", "192.0.2.5", "eA=="],
    "integer": [7, 7000],
    "number": [7, 7000],
    "boolean": [True],
    "object": [{"a": "b"}, {"a": "1Gi"}],
}
_GONE = object()

FieldPath = tuple[str, ...]
Names = tuple[str, str, str]
"""A kind, the field around, and a name."""
Schema = dict[str, Any]
Put = Callable[[Any], Object]


class Base(NamedTuple):
    """An object that the server accepts. `when`: what its kind's fields depend on."""

    object: Object
    when: str = ""
    is_alone: bool = False
    others: dict[str, Any] = {}  # noqa: RUF012  # nobody writes to it

    @property
    def row(self) -> tuple[str, str, str]:
        group = self.object["apiVersion"].rpartition("/")[0]
        return group, self.object["kind"], self.when


class Change(NamedTuple):
    """An object, and the same with one other field."""

    path: FieldPath
    operation: str
    before: Object
    after: Object


class Verdict(NamedTuple):
    """What the server says of a change. `is_refused`: None if the new object would not be valid at all."""

    change: Change
    is_refused: bool | None


def read_bases() -> list[Base]:
    return [Base(**row) for row in yaml.load(OBJECTS.read_text(), yaml.CSafeLoader)]


class KindsOfServer:
    """Paths and schemas of the kinds that a server has."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._schemas: dict[str, Schema] = {}
        self.kinds: dict[tuple[str, str], tuple[str, bool]] = {}
        self.read()

    def read(self) -> None:
        for root in ("/api", "/apis"):
            for group in self._api.call("GET", root, accept=DISCOVERY)["items"]:
                for version in group["versions"]:
                    self._read_version(group["metadata"].get("name", ""), version)

    def _read_version(self, group: str, version: Object) -> None:
        api_version = f"{group}/{version['version']}" if group else version["version"]
        for resource in version.get("resources", ()):  # of a service that does not answer
            if {"patch", "create"} <= {*resource["verbs"]}:
                kind = api_version, resource["responseKind"]["kind"]
                self.kinds[kind] = resource["resource"], resource["scope"] == "Namespaced"

    def path(self, item: Object) -> str:
        """Return the path of the list in which the object is."""
        api_version = item["apiVersion"]
        plural, is_namespaced = self.kinds[api_version, item["kind"]]
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        return f"{root}/namespaces/{NAMESPACE}/{plural}" if is_namespaced else f"{root}/{plural}"

    def schema(self, item: Object) -> Schema:
        group, _, version = item["apiVersion"].rpartition("/")
        who = {"group": group, "version": version, "kind": item["kind"]}
        found: Schema = next(
            schema
            for schema in self._of_group(item["apiVersion"]).values()
            if who in schema.get("x-kubernetes-group-version-kind", ())
        )
        return found

    def resolve(self, schema: Schema, item: Object) -> Schema:
        while "allOf" in schema:
            schema = {**schema, **schema["allOf"][0]}
            del schema["allOf"]
        if "$ref" not in schema:
            return schema
        name = schema["$ref"].rpartition("/")[2]
        found: Schema = self._of_group(item["apiVersion"])[name]
        return found

    def schema_at(self, item: Object, path: FieldPath) -> Schema:
        schema = self.schema(item)
        for name in path:
            schema = self.resolve(schema.get("properties", {}).get(name, {}), item)
        return schema

    def _of_group(self, api_version: str) -> Schema:
        if api_version not in self._schemas:
            root = "apis" if "/" in api_version else "api"
            found = self._api.call("GET", f"/openapi/v3/{root}/{api_version}")
            self._schemas[api_version] = found["components"]["schemas"]
        return self._schemas[api_version]


class Walk:
    """Each change of one field of an object."""

    def __init__(self, kinds: KindsOfServer, base: Base) -> None:
        self._kinds = kinds
        self._base = base

    def changes(self) -> Iterator[Change]:
        item = self._base.object

        def put(value: Any) -> Object:
            return copy.deepcopy({**item, **value})

        schema = self._kinds.schema(item)
        yield from self._mapping(item, schema, (), put)

    def minimal(self, is_valid: Callable[[Object], bool]) -> Iterator[tuple[FieldPath, Object]]:
        """Take away each field without which the object is valid. Yield those, and at last the rest."""
        found = copy.deepcopy(self._base.object)
        kept = tuple(self._base.when.partition("=")[0].split("."))
        queue: list[FieldPath] = [(name,) for name in found if name not in NOT_IN_PACKAGES]
        while queue:
            path = queue.pop(0)
            without = copy.deepcopy(found)
            around = _descend(without, path[:-1])
            value = around.pop(path[-1])
            if path != kept[: len(path)] and is_valid(without):
                found = without
                yield path, {}
            elif isinstance(value, dict):
                queue += [(*path, name) for name in value]
        yield (), found

    def _resolve(self, schema: Schema) -> Schema:
        return self._kinds.resolve(schema, self._base.object)

    def _change(self, path: FieldPath, operation: str, after: Object) -> Change:
        return Change(path, operation, self._base.object, after)

    def _mapping(
        self, value: Object, schema: Schema, path: FieldPath, put: Put, *, is_element: bool = False
    ) -> Iterator[Change]:
        for name, below in schema["properties"].items():
            if not path and name in NOT_IN_PACKAGES:
                continue
            inner = (*path, name)

            def put_inner(new: Any, name: str = name) -> Object:
                others = {key: one for key, one in value.items() if key != name}
                return put(others if new is _GONE else {**others, name: new})

            if name not in value:
                # What else a pod may say is asked of Pods alone.
                for one in () if "template" in path else self._make(below):
                    yield self._change(inner, SET, put_inner(one))
                continue
            if path:
                yield self._change(inner, UNSET, put_inner(_GONE))
            else:
                rest = {key: one for key, one in value.items() if key != name}
                yield self._change(inner, UNSET, copy.deepcopy(rest))
            # Another name is another element of a list.
            if not (is_element and name == "name"):
                yield from self._value(value[name], below, inner, put_inner)

    def _value(self, value: Any, schema: Schema, path: FieldPath, put: Put) -> Iterator[Change]:
        schema = self._resolve(schema)
        given = self._base.others.get(".".join(path))
        if given is not None:
            yield self._change(path, CHANGE, put(given))
        if isinstance(value, dict) and "properties" in schema:
            yield from self._mapping(value, schema, path, put)
        elif isinstance(value, dict):
            yield self._change(path, SET, put({**value, "zz": next(iter(value.values()), "a")}))
            for name, child in value.items():
                rest = {key: one for key, one in value.items() if key != name}
                yield self._change(path, UNSET, put(rest))
                if isinstance(child, dict):
                    yield self._change(path, CHANGE, put({**rest, name: {"z": "z"}}))
                else:
                    for operation, other in _others(child):
                        yield self._change(path, operation, put({**rest, name: other}))
        elif isinstance(value, list):
            yield from self._list(value, schema, path, put)
        else:
            known = [one for one in schema.get("enum", ()) if one != value]
            for operation, other in [*((CHANGE, one) for one in known), *_others(value)]:
                yield self._change(path, operation, put(other))

    def _list(
        self, value: list[Any], schema: Schema, path: FieldPath, put: Put
    ) -> Iterator[Change]:
        items = self._resolve(schema["items"])
        yield self._change(path, UNSET, put(value[:-1]))
        if not isinstance(value[0], dict):
            others = [one for one in items.get("enum", ()) if one not in value]
            others += [other for _, other in _others(value[0])]
            for other in others:
                yield self._change(path, SET, put([*value, other]))
                yield self._change(path, CHANGE, put([other, *value[1:]]))
            return
        for name, one in value[0].items():
            if isinstance(one, str | int) and not isinstance(one, bool):
                for _, other in _others(one):
                    yield self._change(path, SET, put([*value, {**value[0], name: other}]))
        for index, element in enumerate(value):

            def put_element(new: Any, index: int = index) -> Object:
                return put([*value[:index], new, *value[index + 1 :]])

            yield from self._mapping(element, items, path, put_element, is_element=True)

    def _make(self, schema: Schema, depth: int = 0) -> list[Any]:
        """Make values for a field that says nothing yet."""
        schema = self._resolve(schema)
        kind = schema.get("type", "")
        if depth > _DEEPEST:
            made: list[Any] = []
        elif kind == "array":
            made = [[one] for one in self._make(schema["items"], depth + 1)]
        elif kind == "object" and "properties" in schema:
            made = self._make_mapping(schema, depth)
        else:
            # What has no type is a quantity, or a number or text.
            made = schema.get("enum") or _MADE.get(kind, ["1Gi", 7])
        return made

    def _make_mapping(self, schema: Schema, depth: int) -> list[Any]:
        required: Object = {}
        for one in schema.get("required", ()):
            values = self._make(schema["properties"][one], depth + 1)
            if not values:
                return []
            required[one] = values[0]
        made = [required]
        for one, below in schema["properties"].items():
            if one not in required:
                made += [{**required, one: value} for value in self._make(below, depth + 1)[:2]]
        return made[:_MOST_VALUES]


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield values that differ, with how."""
    if isinstance(value, bool):
        yield CHANGE, not value
    elif isinstance(value, int):
        yield GROW, value + 1
        yield GROW, value * 2
        yield SHRINK, value - 1
        yield SHRINK, value // 2
    elif found := re.fullmatch(r"(\d+)(m|[KMG]i)", str(value)):
        yield GROW, f"{int(found[1]) + 1}{found[2]}"
        yield SHRINK, f"{int(found[1]) - 1}{found[2]}" if found[1] != "1" else "1m"
    else:
        last = str(value)[-1:]
        yield CHANGE, f"{value}z"
        yield CHANGE, f"{value}1"
        if found := re.fullmatch(r"([\d.]+\.)(\d+)(\.0/\d+)?", value):
            yield CHANGE, f"{found[1]}{int(found[2]) + 1}{found[3] or ''}"
        if last.isdecimal():
            yield CHANGE, f"{value[:-1]}{(int(last) + 1) % 10}"
        if re.fullmatch(r"[A-Za-z0-9+/]+==?", value):
            yield CHANGE, "eno="


def _descend(node: Any, path: Iterable[str]) -> Any:
    for name in path:
        if not isinstance(node, dict):
            return None
        node = node.get(name)
    return node


class Judge:
    """Asks the server about changes of objects that it has."""

    def __init__(self, cluster: ControlPlane) -> None:
        self._api = new_namespace(cluster, NAMESPACE)
        self.kinds = KindsOfServer(cluster.api)
        self.filled: dict[Names, str] = {}

    def create(self, bases: Iterable[Base]) -> None:
        """Create the objects. One that needs another one is created after it."""
        self.apply_all(base.object for base in bases)
        claim = next(one.object for one in bases if one.object["kind"] == "PersistentVolumeClaim")
        until(
            "the claim has its volume",
            lambda: self._api.call("GET", f"{self.kinds.path(claim)}/full"),
            lambda found: found["status"]["phase"] == "Bound",
        )

    def apply_all(self, items: Iterable[Object]) -> None:
        left = [*items]
        while left:
            problems: list[str] = []
            waiting: list[Object] = []
            for item in left:
                try:
                    self._apply(item)
                except ApiError as error:
                    problems.append(str(error))
                    waiting.append(item)
            assert len(waiting) < len(left), problems
            left = waiting

    def verdicts(self, base: Base) -> Iterator[Verdict]:
        walk = Walk(self.kinds, base)
        known: set[tuple[FieldPath, str]] = set()
        for change in walk.changes():
            # Of the values that are made up, the first one that is valid says enough.
            is_known = change.operation == SET and (change.path, SET) in known
            if not is_known:
                verdict = self.judge(change)
                if verdict.is_refused is not None:
                    known.add((change.path, change.operation))
                yield verdict
        if not base.is_alone:
            yield from self._judge_sets(base, walk)

    def judge(self, change: Change) -> Verdict:
        try:
            applied = self._apply(change.after, dryRun="All")
        except (ApiError, ConnectionError):
            if not self.is_valid(change.after):
                return Verdict(change, None)
            return Verdict(change, not self._may_replace(change.after))
        if change.operation in {SET, UNSET} and _says(applied) == _says(self._get(change.after)):
            # The server writes there itself what is now said, or it keeps what was there.
            is_kept = change.operation == UNSET and self._is_kept(change, applied)
            return Verdict(change, is_refused=False if is_kept else None)
        return Verdict(change, is_refused=False)

    def _is_kept(self, change: Change, applied: Object) -> bool:
        """Tell whether a new object would have something else where this one says nothing more."""
        try:
            made = self._apply(_renamed(change.after, "-probe"), dryRun="All")
        except ApiError:
            return True
        return bool(_descend(made, change.path) != _descend(applied, change.path))

    def _may_replace(self, item: Object) -> bool:
        """Tell whether the server takes the object whole: an apply has rules of its own for lists."""
        version = self._get(item)["metadata"]["resourceVersion"]
        body = {**item, "metadata": {**item["metadata"], "resourceVersion": version}}
        try:
            self._api.call("PUT", self._path(item), body, query={"dryRun": "All"})
        except ApiError as error:
            return error.reason == "Conflict"
        return True

    def is_valid(self, item: Object) -> bool:
        """Tell whether the server would create it, if it had none of the name."""
        try:
            self._api.call("POST", self.kinds.path(item), item, query={"dryRun": "All"})
        except ApiError as error:
            return error.reason == "AlreadyExists"
        except (
            ConnectionError
        ):  # it panics, as for an indexed Job with a successPolicy and no completions
            return False
        return True

    def _judge_sets(self, base: Base, walk: Walk) -> Iterator[Verdict]:
        """Judge an object that says as little as possible, with each field of the full one."""

        def is_valid(item: Object) -> bool:
            return self.is_valid(_renamed(item, "-probe"))

        paths: list[FieldPath] = []
        found: Object = {}
        for path, rest in walk.minimal(is_valid):
            if rest:
                found = _renamed(rest, "-minimal")
            else:
                paths.append(path)
        self._apply(found)
        again = self._apply(_renamed(found, "-again"), dryRun="All")
        while paths:
            path = paths.pop()
            value = _descend(base.object, path)
            is_open = "properties" not in self.kinds.schema_at(base.object, path)
            if not is_open and isinstance(value, dict) and isinstance(_descend(again, path), dict):
                paths += [(*path, name) for name in value]
                continue
            one = self.judge(Change(path, SET, found, _with(found, path, value)))
            filled = _descend(self._get(found), path)
            if one.is_refused and filled is not None:
                is_fixed = isinstance(filled, str | int) and filled == _descend(again, path)
                if not is_fixed:
                    # What the server has chosen, an author may write down later.
                    yield one._replace(is_refused=False)
                    continue
                around = path[-2] if len(path) > 1 else ""
                text = filled if isinstance(filled, str) else json.dumps(filled)
                if text:
                    self.filled[base.row[1], around, path[-1]] = text
            yield one

    def _path(self, item: Object) -> str:
        return f"{self.kinds.path(item)}/{item['metadata']['name']}"

    def _get(self, item: Object) -> Object:
        found: Object = self._api.call("GET", self._path(item))
        return found

    def _apply(self, item: Object, **query: str) -> Object:
        applied: Object = self._api.call(
            "PATCH",
            self._path(item),
            item,
            query={"fieldManager": "test", "force": "true", **query},
            content_type=APPLY,
        )
        return applied


def _with(item: Object, path: FieldPath, value: Any) -> Object:
    """Return the object with one more field."""
    after = around = copy.deepcopy(item)
    for name in path[:-1]:
        around = around.setdefault(name, {})
    around[path[-1]] = value
    return after


def _says(item: Object) -> Object:
    return {name: value for name, value in item.items() if name not in NOT_IN_PACKAGES}


def _renamed(item: Object, suffix: str) -> Object:
    return {**item, "metadata": {**item["metadata"], "name": f"{item['metadata']['name']}{suffix}"}}


Row = dict[str, str]
"""By the path of a field, the operations that are refused, of it and of what is in it."""


class _Place:
    """What is known of a field, and of those in it."""

    def __init__(self) -> None:
        self.inner: dict[str, _Place] = {}
        self.refused: set[str] = set()
        self.accepted: set[str] = set()
        self.all_refused: set[str] = set()
        self.all_accepted: set[str] = set()

    def add(self, path: FieldPath, verdict: Verdict) -> None:
        if path:
            self.inner.setdefault(path[0], _Place()).add(path[1:], verdict)
        elif verdict.is_refused:
            self.refused.add(verdict.change.operation)
        elif verdict.is_refused is not None:
            self.accepted.add(verdict.change.operation)

    def settle(self) -> None:
        """Believe whatever is accepted: with another value, or of another object, it may be."""
        for place in self.inner.values():
            place.settle()
        self.refused -= self.accepted
        if CHANGE in self.accepted or {GROW, SHRINK} <= self.accepted:
            self.refused -= {CHANGE, GROW, SHRINK}
        inner = self.inner.values()
        self.all_refused = self.refused.union(*(one.all_refused for one in inner))
        self.all_accepted = self.accepted.union(*(one.all_accepted for one in inner))

    @property
    def is_alike(self) -> bool:
        """Tell whether one word says what is known of all that is in it."""
        is_change = {CHANGE, GROW, SHRINK}
        changes = self.all_refused & is_change and self.all_accepted & is_change
        is_one_number = not self.inner and CHANGE not in self.all_refused | self.all_accepted
        if changes and not is_one_number:
            return False
        return not self.all_refused & self.all_accepted

    def write(self, path: FieldPath, around: set[str], row: Row) -> None:
        """Write what differs from what is said of the field around."""
        if not self.all_refused and not self.all_accepted:
            return
        says = self.all_refused if self.is_alike else self._say_of_most()
        if len(path) > 1:
            says |= self.refused
        implied = around | {GROW, SHRINK} if CHANGE in around else around
        is_said = implied >= self.all_refused and not implied & self.all_accepted
        if path and not (self.is_alike and is_said) and says != around:
            row[".".join(path)] = _spell(says)
        if not self.is_alike:
            for name, place in sorted(self.inner.items()):
                place.write((*path, name), says, row)

    def _say_of_most(self) -> set[str]:
        inner = [one for one in self.inner.values() if one.all_refused or one.all_accepted]
        refusing = [one for one in inner if one.is_alike and one.all_refused]
        if len(refusing) * 2 <= len(inner):
            return set()
        return set().union(*(one.all_refused for one in refusing)) - self.accepted


def _spell(operations: set[str]) -> str:
    said = operations - {GROW, SHRINK} if CHANGE in operations else operations
    if {GROW, SHRINK} <= said:
        said = said - {GROW, SHRINK} | {CHANGE}
    return ",".join(sorted(said))


def make_row(verdicts: Iterable[Verdict]) -> Row:
    root = _Place()
    for verdict in verdicts:
        root.add(verdict.change.path, verdict)
    root.settle()
    row: Row = {}
    for name, place in sorted(root.inner.items()):
        place.write((name,), set(), row)
    return row


def find_all(cluster: ControlPlane) -> tuple[dict[tuple[str, str, str], Row], dict[Names, str]]:
    """Return the rows of all kinds in which something cannot change, and what the server fills in."""
    judge = Judge(cluster)
    bases = read_bases()
    judge.create(bases)
    verdicts: dict[tuple[str, str, str], list[Verdict]] = defaultdict(list)
    for base in bases:
        verdicts[base.row] += judge.verdicts(base)
    rows = {who: make_row(found) for who, found in verdicts.items()}
    return {who: row for who, row in rows.items() if row}, judge.filled


_HEAD = '''"""Fields of Kubernetes' own kinds that the API server lets nobody change.

Written by `python -m tests.cluster.immutable_fields --write`, which asks kube-apiserver {version}.

IMMUTABLE: group, kind, and what an object of it says if the row is of such objects alone, the most
special first. Then the operations that are refused, by path: `set` a field that says nothing,
`unset` and `change` one, or only `grow` and `shrink` a number. They count for all that is in the
field, but for what has a path of its own. FILLED: by kind, by the field around and by name, what
the API server writes where nothing is written.
"""

'''


def write_facts(
    rows: dict[tuple[str, str, str], Row], filled: dict[Names, str], version: str
) -> str:
    text = _HEAD.format(version=version) + "IMMUTABLE = (\n"
    # Of one kind, in the order of the objects: the first row that fits counts.
    in_order = sorted(rows, key=lambda who: (*who[:2], not who[2]))
    for group, kind, when in in_order:
        row = rows[group, kind, when]
        text += f'    (\n        "{group}",\n        "{kind}",\n        "{when}",\n        {{\n'
        text += "".join(f'            "{path}": "{says}",\n' for path, says in row.items())
        text += "        },\n    ),\n"
    text += ")\n\nFILLED = {\n"
    for (kind, around, name), value in sorted(filled.items()):
        text += f'    ("{kind}", "{around}", "{name}"): "{value}",\n'
    return text + "}\n"


def main() -> None:
    with control_plane(require_built) as cluster:
        version = cluster.api.call("GET", "/version")["gitVersion"]
        text = write_facts(*find_all(cluster), version)
    if sys.argv[1:] == ["--write"]:
        FACTS.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
