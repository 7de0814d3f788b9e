"""What is deployed, as somebody has written it down: a dump of a cluster, or the last rendering."""

from collections.abc import Iterator

from krm_fn.model.item import Item
from krm_fn.model.node import Node, get, is_null, is_sequence, text
from krm_fn.model.problem import Rejected
from krm_fn.render.place import place
from krm_fn.render.sources import STDIN_NAME, Source, read_sources
from krm_fn.render.tools import HelmOptions
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.yaml_text import read_yaml


def read_live(path: str, stdin: bytes | None) -> list[Item]:
    """All objects at a path: a file, a directory, or `-`.

    A List without items says that nothing is deployed; nothing at all, that a dump has failed.
    """
    texts, _, _ = read_sources([path], None, stdin, HelmOptions())
    return [item for source in texts for item in _read(source)]


def _read(source: Source) -> Iterator[Item]:
    origin = "" if source.name == STDIN_NAME else source.name
    try:
        document = read_yaml(source.data)
        said = [root for root in document.roots if not is_null(root)]
        if not said or not all(map(_is_empty_list, said)):
            yield from open_envelope(document, origin).items
    except Rejected as rejected:
        raise Rejected(*(place(source.name, problem) for problem in rejected.problems)) from rejected


def _is_empty_list(root: Node) -> bool:
    items = get(root, "items")
    return text(get(root, "kind")).endswith("List") and (is_null(items) or (is_sequence(items) and not items.value))
