"""Read what texts are made of: settings in YAML, JSON or properties, and commands."""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from krm_fn.base.item import CONFIG_KINDS
from krm_fn.base.named_tuple import NamedTuple

pattern = cache(re.compile)
"""Compile a pattern when it is first used: hardly any package has such texts."""

RESOURCES = frozenset(("configmap", "configmaps", "cm", "secret", "secrets"))
"""Their names in kubectl."""

RUNS_KUBECTL = ("kubectl", "KUBECTL", "oc get", "oc -n")
"""Signs that a text runs kubectl."""

_SEPARATOR = r"[,;{}[\]\n]"
"""What separates settings: the end of a line, and the punctuation of lists and mappings in one line."""

AROUND = "\"' \t\r-"
"""Characters that may be around a value: quotes, blanks, and the dash of a list."""

_SETTING = r"[\s\"'-]*(?P<key>[A-Za-z][\w.-]*)[\"']?\s*[:=](?P<value>.*)"
"""A key and its value in YAML, JSON or properties: `secretName: web`, `"config": "web"`, `config.name=web`."""

ABOUT_OTHERS = ("key", "keys", "namespace", "namespaces", "path", "prefix", "type")
"""Ends of keys, such as `secretKey` and `secretNamespace`, whose value is something else than an object's name."""

_LONGEST_LIST = 1000
"""A text of more characters is no list of names."""

_ENTRY = "[^,;\n]+"
_WORD = r"\w(?:[\w.-]*\w)?"
_SAID = (
    rf"[\s\"'\[{{(-]*(?P<first>{_WORD}|\$[({{][\w.-]+[)}}])"
    rf"(?:[\s\"'\]}})]*$|(?P<sign>[/=:@#])(?P<second>{_WORD})?(?P<behind>.*))"
)
"""An entry of a list: a name, maybe with something behind it, or a namespace, variable or key in front."""


class SaidName(NamedTuple):
    """A word of a value that may be the name of an object.

    `start`: where it begins. `namespace`: what is in front of it, or behind its dot. `is_all`:
    nothing else is in its entry of the list.
    """

    name: str
    start: int
    namespace: str
    is_all: bool


@lru_cache(1_000)  # a long text has the same few keys
def kinds_said(key: str) -> tuple[str, ...]:
    """Return the kinds that a key says, or one of its parts: `driver.secrets`, `KUBERNETES_SECRETS__WEB`."""
    said = ""
    for part in key.lower().replace("__", ".").replace("-", "").replace("_", "").split("."):
        if not part.endswith(ABOUT_OTHERS):
            said += f".{part}"
    return tuple(kind for kind in CONFIG_KINDS if kind.lower() in said)


def read_said(value: str) -> Iterator[SaidName]:
    """Read the words that may be names in a value whose key says config or secret.

    Such a value is a name, or a list of them: `web`, `shop/web`, `web.shop`, `web:/etc/x`,
    `web=key,db/key`, `TOKEN=web:token`.
    """
    entries = () if len(value) > _LONGEST_LIST else pattern(_ENTRY).finditer(value)
    for entry in entries:
        found = pattern(_SAID).match(value, *entry.span())
        if found is None:
            continue
        first, second, is_all = found["first"], found["second"], not found["sign"]
        if not first.startswith("$"):
            yield SaidName(first, found.start("first"), "", is_all)
            name, _, namespace = first.partition(".")
            if namespace:
                yield SaidName(name, found.start("first"), namespace, is_all=False)
        if second:
            is_all = found["sign"] == "/" and not found["behind"].strip(AROUND)
            namespace = first if found["sign"] == "/" and not first.startswith("$") else ""
            yield SaidName(second, found.start("second"), namespace, is_all)


class Setting(NamedTuple):
    """A value in a text, its key, and the last key above it without a value; `""` for a missing key."""

    parent: str
    key: str
    value: str


def may_say_config(lower: str) -> bool:
    """Tell quickly of a text in lower case that nothing in it says config, cm or secret."""
    return "config" in lower or "secret" in lower or "cm" in lower


def read_settings(text: str, says: Callable[[str], bool] = lambda _: True) -> Iterator[Setting]:
    """Read YAML, JSON, properties or a template: the settings that say something by themselves, or by the key above."""
    parent = ""
    for token in pattern(_SEPARATOR).split(text):
        lower = token.lower()
        # A value says nothing by itself, unless it is `secret/NAME` or `key=secret:NAME`.
        if parent or says(lower[: max(map(lower.rfind, ":=/"))]):
            setting = read_setting(token, parent)
            yield setting
            if setting.key and not setting.value:
                parent = setting.key if says(setting.key.lower()) else ""


def read_setting(token: str, parent: str = "") -> Setting:
    found = pattern(_SETTING).fullmatch(token)
    key, value = (found["key"], found["value"]) if found else ("", token)
    return Setting(parent, key, value.partition(" #")[0].strip(AROUND))
