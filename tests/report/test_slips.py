"""Whether a value is shown of what somebody meant to be a Secret, by any command and in any form.

The judge is a search for the values, and for what base64 makes of them, in all that is printed.
"""

import base64
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from krm_fn.cli.main import main

WORDS = ("hunter2-old", "hunter2-new", "tr0ub4dor")
"""The values: before, after, and one that stays."""

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {kinds: [ConfigMap, Secret], linker: {image: "registry.example/krm-fn:0.2.0"}}
"""
WORKLOAD = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {
                        "name": "app",
                        "image": "app",
                        "envFrom": [
                            {"configMapRef": {"name": "web-config"}},
                            {"secretRef": {"name": "db"}},
                        ],
                    }
                ]
            },
        },
    },
}
PLAIN = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "web-config", "namespace": "shop"},
    "data": {"LEVEL": "info"},
}
KINDS = [
    ("v1", "Secret"),
    ("v1", "secret"),
    ("v1", "SECRET"),
    ("v1", "secrets"),
    ("", "Secret"),
    ("v1beta1", "sEcret"),
    ("example.com/v1", "Vault"),
    ("v1", "ConfigMap"),
]


def encoded(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


PLACES = {
    "data in base64": lambda value: {"data": {"PASSWORD": encoded(value)}},
    "data as text": lambda value: {"data": {"PASSWORD": value}},
    "stringData": lambda value: {"stringData": {"PASSWORD": value}},
    "an option in stringData": lambda value: {
        "stringData": {"ARGS": f"--config-map=web-config --password={value}"}
    },
    "a text that holds a reference": lambda value: {
        "stringData": {"app.yaml": f"configMapRef: {{name: web-config, password: {value}}}\n"}
    },
    "lines in stringData": lambda value: {"stringData": {"app.conf": f"a: b\npassword: {value}\n"}},
    "data as a list": lambda value: {"data": [value]},
    "data as a text": lambda value: {"data": value},
    "immutable": lambda value: {"data": {}, "immutable": value},
    "type": lambda value: {"data": {}, "type": value},
    "below type": lambda value: {"data": {}, "type": {"password": value}},
    "below the name of a label": lambda value: {
        "data": {},
        "metadata": {"labels": {"a": {"b": value}}},
    },
    "an annotation": lambda value: {"data": {}, "metadata": {"annotations": {"password": value}}},
    "a field that no Secret has": lambda value: {"data": {}, "password": value},
}
"""Where somebody writes a value."""

AS_A_SECRET = ("immutable", "type", "below type", "below the name of a label", "an annotation")
ONLY_A_SECRET = (*AS_A_SECRET, "a field that no Secret has")
"""Where only the kind says that it is a Secret."""

OF_ITS_TYPE = {"type": "Opaque"}
COMMANDS = (
    ("diff", "old.yaml", "new.yaml"),
    ("diff", "old.yaml", "new.yaml", "-U", "9"),
    ("diff", "old.yaml", "new.yaml", "-o", "json"),
    ("diff", "old.yaml", "new.yaml", "-o", "markdown"),
    ("explain", "new.yaml"),
    ("explain", "new.yaml", "-o", "json"),
    ("explain", "new.yaml", "web-config"),
    ("verify", "new.yaml"),
    ("render", "new.yaml"),
    ("graph", "new.yaml", "-o", "html"),
)


def cases() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield objects before and after, which are like a Secret by their kind, or by their fields."""
    for (version, kind), (place, write) in itertools.product(KINDS, PLACES.items()):
        is_named = kind.lower().startswith("secret")
        if not is_named and place in ONLY_A_SECRET:
            continue
        sides = []
        for value in WORDS[:2]:
            one: dict[str, Any] = {"apiVersion": version, "kind": kind}
            written = write(value)
            one["metadata"] = {"name": "db", "namespace": "shop", **written.pop("metadata", {})}
            one |= {} if is_named or "stringData" in written else OF_ITS_TYPE
            if isinstance(written.get("data"), dict):
                written["data"] = {**written["data"], "KEPT": encoded(WORDS[2])}
            sides.append(one | written)
        yield f"{version} {kind}, {place}", sides[0], sides[1]
        without = {name: value for name, value in sides[1].items() if name != "type"}
        if sides[0].get("type") == "Opaque":
            yield f"{version} {kind}, {place}, and then without its type", sides[0], without
        listed = [
            {"apiVersion": "example.com/v1", "kind": "Bundle", "spec": {"objects": [one]}}
            for one in sides
        ]
        for one in listed:
            one["metadata"] = {"name": "bundle", "namespace": "shop"}
        if "data" in sides[0] and place not in ONLY_A_SECRET and isinstance(sides[0]["data"], dict):
            yield f"{version} {kind}, {place}, in another object", listed[0], listed[1]


CASES = [*cases()]


def shown(folder: Path, arguments: tuple[str, ...]) -> str:
    outcome = main([str(folder / one) if one.endswith(".yaml") else one for one in arguments])
    stdout = b"" if arguments[0] == "render" else outcome.stdout
    return stdout.decode() + outcome.stderr


@pytest.mark.rows(test=25)
@pytest.mark.parametrize(
    ("old", "new"), [(old, new) for _, old, new in CASES], ids=[name for name, _, _ in CASES]
)
def test_no_command_shows_a_value(old: dict[str, Any], new: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "krm-fn.yaml").write_text(CONFIG)
    for name, item in (("old", old), ("new", new)):
        documents = [item, PLAIN, WORKLOAD]
        (tmp_path / f"{name}.yaml").write_text("\n---\n".join(map(json.dumps, documents)))
    for arguments in COMMANDS:
        said = shown(tmp_path, arguments)
        for word in WORDS:
            assert word not in said, (arguments, said)
            assert encoded(word)[:-2] not in said, (arguments, said)


def test_the_cases_are_many() -> None:
    assert len(CASES) > 90
