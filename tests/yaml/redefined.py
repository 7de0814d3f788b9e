"""The library's readers in Python, in which an anchor may be defined again.

Those in C refuse that.
"""

from collections.abc import Callable, Iterable
from typing import Any

import yaml


class _MayRedefine:
    """In front of a loader: an alias means the latest definition in front of it."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Forget what the anchor of the next node meant before."""
        loader: Any = self
        if not loader.check_event(yaml.AliasEvent):
            loader.anchors.pop(loader.peek_event().anchor, None)
        return yaml.composer.Composer.compose_node(loader, parent, index)


class BaseLoader(_MayRedefine, yaml.BaseLoader):
    """Every scalar is text."""


class SafeLoader(_MayRedefine, yaml.SafeLoader):
    """Scalars have the types of YAML 1.1."""


def compose_all(text: str) -> list[Any]:
    """Compose documents with the loader in C, or with the one of here if the other refuses an anchor."""
    return _either(yaml.compose_all, text, yaml.CBaseLoader, BaseLoader)


def load_all(
    text: str, fast: type[yaml.CBaseLoader] | type[yaml.CSafeLoader], slow: Any
) -> list[Any]:
    """Read documents with a loader in C, or with one of these if the other refuses an anchor."""
    return _either(yaml.load_all, text, fast, slow)


def _either(read: Callable[..., Iterable[Any]], text: str, fast: Any, slow: Any) -> list[Any]:
    try:
        return list(read(text, fast))
    except yaml.composer.ComposerError as error:
        if "duplicate anchor" not in str(error.context):
            raise
        return list(read(text, slow))
