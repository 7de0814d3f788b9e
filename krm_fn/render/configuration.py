"""The functionConfig of a rendering: the file given, one beside the manifests, or one among them."""

from collections.abc import Iterable
from pathlib import Path

from krm_fn.config.read import parse_config
from krm_fn.function import read_config
from krm_fn.model.item import Item
from krm_fn.model.node import Node
from krm_fn.model.problem import Problem, Rejected, at
from krm_fn.model.settings import KIND
from krm_fn.render.place import place, unreadable
from krm_fn.wire.envelope import Package


def find_configuration(
    given: str | None, files: Iterable[Path], packages: Iterable[tuple[str, Package]]
) -> Node | None:
    """The one configuration there is; None for all defaults. Raises Rejected for a wrong one, and for two.

    Only the file given wins over others: which of two others to pass over in silence is not for us to say.
    """
    if given:
        return _read(Path(given))
    beside = [(str(file), _read(file)) for file in files]
    among = [(name, node) for name, package in packages for node in _configurations(package)]
    found = [*beside, *among]
    if len(found) > 1:
        places = ", ".join(place(name, at(node.start_mark, "")).file for name, node in found)
        raise Rejected(Problem(f"found {len(found)} configurations: {places}; choose one with --config"))
    return _check(*found[0]) if found else None


def _configurations(package: Package) -> Iterable[Node]:
    """Objects of our kind, and what a ResourceList carries."""
    if package.function_config is not None:
        yield package.function_config
    yield from (item.node for item in package.items if _is_ours(item))


def _is_ours(item: Item) -> bool:
    return item.id.kind == KIND and item.id.group == "revisions.krm-fn.io"


def _read(file: Path) -> Node:
    try:
        return _check(str(file), read_config(file.read_bytes()))
    except OSError as error:
        raise Rejected(unreadable(str(file), error)) from error
    except Rejected as rejected:
        raise Rejected(
            *(problem if problem.file else place(str(file), problem) for problem in rejected.problems)
        ) from rejected


def _check(name: str, node: Node) -> Node:
    """The node, if it is a valid configuration; its errors with places in its own text."""
    try:
        parse_config(node)
    except Rejected as rejected:
        raise Rejected(*(place(name, problem) for problem in rejected.problems)) from rejected
    return node
