"""Many texts as one stream, none reaching into the next."""

import re
from collections.abc import Sequence

from krm_fn.wire.last_line import end_last_line

_MARKER = re.compile(r"---(?:\s|\Z)")

# What may stand in front of the first document: blank lines, comments, `%YAML` and `%TAG`.
_PROLOGUE = re.compile(r"(?:(?:[ \t]*(?:#[^\r\n]*)?|%[^\r\n]*)(?:\r\n|[\r\n]))+")
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)


def join(texts: Sequence[str]) -> str:
    """A text alone as it is; several behind a marker each.

    The first too: kubectl takes a stream that begins with a brace for JSON to its end.
    """
    plain = [*map(_comment_directives, texts)]
    if len(plain) == 1:
        return plain[0]
    return "".join(_behind_marker(text) for text in [*map(end_last_line, plain[:-1]), *plain[-1:]])


def _behind_marker(text: str) -> str:
    return text if _MARKER.match(text) else "---\n" + text


def _comment_directives(text: str) -> str:
    """Kubectl and Argo CD split a stream before they read it, and trip over `%YAML`."""
    prologue = _PROLOGUE.match(text)
    head = prologue.group() if prologue else ""
    return _DIRECTIVE.sub("#", head) + text[len(head) :]
