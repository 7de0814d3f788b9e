"""Read what texts are made of: settings in YAML, JSON or properties, and commands."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

pattern = cache(re.compile)
"""Compile a pattern when it is first used: hardly any package has such texts."""

RESOURCES = frozenset(("configmap", "configmaps", "cm", "secret", "secrets"))
"""Their names in kubectl."""

RUNS_KUBECTL = ("kubectl", "KUBECTL", "oc get", "oc -n")
"""Signs that a text runs kubectl."""

_SEPARATORS = str.maketrans(",;{}[]", "\n" * 6)
"""Separators of settings beside the end of a line: the punctuation of lists and mappings in one line."""

AROUND = "\"' \t\r-"
"""Characters that may be around a value: quotes, blanks, and the dash of a list."""

_SETTING = r"[\s\"'-]*(?P<key>[A-Za-z][\w.-]*)[\"']?\s*[:=](?P<value>.*)"
"""A key and its value in YAML, JSON or properties: `secretName: web`, `"config": "web"`, `config.name=web`."""


class Setting(NamedTuple):
    """A value in a text, its key, and the last key above it without a value.

    A missing key is `""`.
    """

    parent: str
    key: str
    value: str


def may_say_config(lower: str) -> bool:
    """Tell quickly of a text in lower case that nothing in it says config, cm or secret."""
    return "config" in lower or "secret" in lower or "cm" in lower


def read_telling_settings(text: str) -> Iterator[Setting]:
    """Read the settings in a text that may say config, cm or secret, or whose key above does.

    To read a setting takes ten times as long as to see that it does not, and hardly any of a long
    text does.
    """
    parent = ""
    for token, lower in zip(_tokens(text), _tokens(text.lower()), strict=True):
        # A value says nothing by itself, unless it is `secret/NAME` or `key=secret:NAME`.
        if parent or (
            may_say_config(lower) and may_say_config(lower[: max(map(lower.rfind, ":=/"))])
        ):
            setting = _read_setting(token, parent)
            yield setting
            if setting.key and not setting.value:
                parent = setting.key if may_say_config(setting.key.lower()) else ""


def read_settings(text: str) -> Iterator[Setting]:
    """Read the settings in a text as if it were YAML, JSON or properties, or a template of them."""
    parent = ""
    for token in _tokens(text):
        setting = _read_setting(token, parent)
        yield setting
        if setting.key and not setting.value:
            parent = setting.key


def _tokens(text: str) -> list[str]:
    return text.translate(_SEPARATORS).split("\n")


def _read_setting(token: str, parent: str) -> Setting:
    found = pattern(_SETTING).fullmatch(token)
    key, value = (found["key"], found["value"]) if found else ("", token)
    return Setting(parent, key, value.partition(" #")[0].strip(AROUND))
