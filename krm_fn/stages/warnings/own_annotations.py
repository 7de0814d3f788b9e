"""Labels and annotations of this function that do not exist, or that are where they have no effect."""

from collections.abc import Collection, Iterable, Iterator

from krm_fn.model import keys
from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.naming.names import authored_id
from krm_fn.naming.suggest import nearest
from krm_fn.references.made import versioned

_DOMAIN = "krm-fn.io"
_OF_AUTHORS = (keys.STRATEGY,)
"""The annotations that authors set. All others are set by this function or by the linker."""

_ANNOTATIONS = frozenset(
    {
        *_OF_AUTHORS,
        *(keys.BASE_NAME, keys.RETAIN, keys.WANTED, keys.CHECKSUM, keys.RENDERED, keys.OWNS_SECRET),
        *(keys.MADE_BY, keys.STANDS_FOR),
    }
)
_LABELS = frozenset({keys.SET, keys.COMPONENT})


def find_own_annotations(items: Iterable[Item], kinds: Collection[str]) -> Iterator[Problem]:
    """Warn about each of them. A misspelled one is easily missed: nothing happens."""
    for item in items:
        messages = {f"metadata.annotations[{name}]": _judge_annotation(item, name, kinds) for name in item.annotations}
        messages |= {f"metadata.labels[{name}]": _judge_label(name) for name in item.labels}
        for field, message in messages.items():
            if message:
                yield about(item, message, field, Severity.WARNING)._replace(resource=authored_id(item))


def _judge_annotation(item: Item, name: str, kinds: Collection[str]) -> str:
    """Say what is wrong with an annotation; `""` if nothing is."""
    if not _is_ours(name) or name.startswith(keys.MOUNTS):
        return ""
    if name not in _ANNOTATIONS:
        return f"unknown annotation{_suggest(name)}allowed: {', '.join(_OF_AUTHORS)}"
    if name in _OF_AUTHORS and not item.is_config:
        if versioned(item.id) is not None:
            return "" if item.id.kind in kinds else f"has no effect: spec.kinds does not contain {item.id.kind}; add it"
        return (
            f"has no effect on a {item.id.kind}: only ConfigMaps and Secrets, and what makes Secrets, have a strategy"
        )
    return ""


def _judge_label(name: str) -> str:
    if not _is_ours(name) or name in _LABELS:
        return ""
    if name in _OF_AUTHORS:
        return "has no effect as a label; make it an annotation"
    return f"unknown label{_suggest(name)}allowed: the annotation {', '.join(_OF_AUTHORS)}"


def _is_ours(name: str) -> bool:
    domain, slash, _ = name.partition("/")
    return bool(slash) and f".{domain}".endswith(f".{_DOMAIN}")


def _suggest(name: str) -> str:
    """Ask for what authors may set. The part before the slash is the same in all of it."""
    near = nearest(name.partition("/")[2], [one.removeprefix(keys.PREFIX) for one in _OF_AUTHORS])
    return f'; did you mean "{keys.PREFIX}{near}"? ' if near else "; "
