"""A name counts where the key says its kind, whatever is around the name in the value, and in whatever place.

The values are made by a grammar: an entry is a name with something in front of it and behind it, and a value is a list
of entries. The renderings are judged by it: a name that it made keeps its object, and a near miss does not.
"""

import json
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import yaml

from krm_fn.function import run

IN_FRONT = ("", "shop/", "TOKEN=", "key:", "$(NAMESPACE)/")
BEHIND = ("", ":/etc/x", "=key", "/key", ":key", "@v1", "#key")
LISTS = ("other,{}", "{},other", "other;{};more", "[{}]", "'{}'", "other, {}", "other {} more")
ENTRIES = [before + "NAME" + behind for before, behind in product(IN_FRONT, BEHIND)]
ENTRIES += ["NAME.shop", "TOKEN=NAME:key.yaml"]
FEW = ("NAME", "shop/NAME", "TOKEN=NAME:key", "NAME=/etc/x")
VALUES = [*ENTRIES, *(around.format(entry) for around, entry in product(LISTS, FEW))]

NEAR_MISSES = [
    *("/etc/NAME/key", "./NAME/key", "../NAME", "https://NAME/key", "https://host/NAME"),
    *("my-NAME", "NAME-old", "NAME.yaml", "my_NAME=key", "NAMEs:key", "a/b/NAME"),
]


def _object(api_version: str, kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "shop"},
        **more,
    }


def _widget(spec: dict[str, Any]) -> dict[str, Any]:
    return _object("example.com/v1", "Widget", "w", spec=spec)


def _annotated(key: str, value: str) -> dict[str, Any]:
    service = _object("v1", "Service", "s")
    service["metadata"]["annotations"] = {key: value}
    return service


def _pod(**container: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "registry.example/web:1", **container}]
    return _object("v1", "Pod", "p", spec={"containers": containers})


PLACES: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "a field": lambda kind, value: _widget({f"{kind}Ref": value}),
    "a field of a name": lambda kind, value: _widget({f"{kind}Name": value}),
    "an entry of a list": lambda kind, value: _widget({f"{kind}s": [value]}),
    "a field below": lambda kind, value: _widget({f"{kind}s": {"first": value}}),
    "a field with dots": lambda kind, value: _widget({"conf": {f"a.{kind}s.API_KEY": value}}),
    "an annotation": lambda kind, value: _annotated(f"example.com/{kind}", value),
    "a variable": lambda kind, value: _pod(
        env=[{"name": f"A__{kind.upper()}S__API_KEY", "value": value}]
    ),
    "an argument": lambda kind, value: _pod(args=[f"--{kind}", value]),
    "data": lambda kind, value: _object(
        "v1", "ConfigMap", "settings", data={"app.conf": f"level=1\nmy.{kind}s={value}\n"}
    ),
}

KEYS: dict[str, Callable[[str], dict[str, Any]]] = {
    "a key": lambda kind: _widget({f"{kind}s": {"NAME": {"key": "k"}}}),
    "a key of a text": lambda kind: _widget({f"{kind}Mounts": {"NAME": "/etc/x"}}),
    "a key with dots": lambda kind: _widget({"conf": {f"driver.{kind}s.NAME": "/etc/x"}}),
    "the key of an annotation": lambda kind: _annotated(f"example.com/{kind}.NAME", "/etc/x"),
    "a key in properties": lambda kind: _object(
        "v1", "ConfigMap", "settings", data={"app.conf": f"driver.{kind}s.NAME=/etc/x\n"}
    ),
    "a key in YAML": lambda kind: _object(
        "v1", "ConfigMap", "settings", data={"app.yaml": f"{kind}s:\n  NAME: /etc/x\n"}
    ),
    "a key in an argument": lambda kind: _pod(args=["--conf", f"driver.{kind}s.NAME=/etc/x"]),
}

KINDS = {"configMap": "ConfigMap", "secret": "Secret"}


def kept(kind: str, places: list[Any]) -> list[bool]:
    """Render an object for each place, which pods read, and tell of each whether its name stays, or is followed."""
    names = [f"web-login-x{number}x" for number in range(len(places))]
    reads = {"configMap": "configMapRef", "secret": "secretRef"}[kind]
    objects = [_pod(envFrom=[{reads: {"name": name}} for name in names])]
    field = {"configMap": "data", "secret": "stringData"}[kind]
    for number, (name, place) in enumerate(zip(names, places, strict=True)):
        objects.append(_object("v1", KINDS[kind], name, **{field: {"k": "v"}}))
        carrier = json.loads(json.dumps(place).replace("NAME", name))
        carrier["metadata"]["name"] = f"carrier-{number}"
        objects.append(carrier)
    package = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": {
            "apiVersion": "revisions.krm-fn.io/v1",
            "kind": "ConfigRevisions",
            "metadata": {"name": "shop"},
            "spec": {"kinds": ["ConfigMap", "Secret"]},
        },
        "items": objects,
    }
    rendered = yaml.load(run(json.dumps(package).encode()).stdout, yaml.CSafeLoader)
    written = {one["metadata"]["name"]: one for one in rendered["items"]}
    carriers = [json.dumps(written[f"carrier-{number}"]) for number in range(len(names))]
    return [
        name in written or re.search(rf"{name}-[a-z0-9]{{10}}\b", carrier) is not None
        for name, carrier in zip(names, carriers, strict=True)
    ]


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_the_grammar_makes_keeps_its_object(kind: str, place: Any) -> None:
    stays = kept(kind, [place(kind, value) for value in VALUES])
    assert [value for value, is_kept in zip(VALUES, stays, strict=True) if not is_kept] == []


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_near_miss_keeps_none(kind: str, place: Any) -> None:
    stays = kept(kind, [place(kind, value) for value in NEAR_MISSES])
    assert [value for value, is_kept in zip(NEAR_MISSES, stays, strict=True) if is_kept] == []


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_something_around_a_name_says_nothing_where_the_key_says_no_kind(place: Any) -> None:
    values = [value for value in VALUES if "NAME=" in value or "NAME:" in value]
    assert not any(kept("secret", [place("thing", value) for value in values]))


@pytest.mark.parametrize("place", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_name_may_be_a_key(kind: str, place: Any) -> None:
    assert kept(kind, [place(kind)]) == [True]
    assert kept(kind, [place("thing")]) == [False]
