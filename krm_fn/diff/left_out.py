"""The fields of an object that are no difference, or that are told in another way."""

from krm_fn.diff.pair import Pair
from krm_fn.diff.release import set_of
from krm_fn.diff.tree import LeftOut
from krm_fn.model import keys
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.node import FieldPath, Node, is_mapping
from krm_fn.render.deployable import internal_annotations

_CONTENT = frozenset({"data", "binaryData", "stringData"})
_PROTECTING = frozenset(one.annotation for protections in PROTECTIONS.values() for one in protections)


def find_left_out(pair: Pair) -> LeftOut:
    """Return what to leave out of a pair: names, content, checksums, and what makes an object a revision."""
    items = [item for item in pair if item is not None]
    own = {keys.BASE_NAME, *(name for item in items for name in internal_annotations(item))}
    checksums = {item.annotations[keys.CHECKSUM] for item in items if keys.CHECKSUM in item.annotations}
    is_config = any(item.is_config for item in items)
    turns = len({bool(set_of(item)) for item in items}) > 1  # into a revision, or back

    def is_left_out(path: FieldPath, node: Node) -> bool:
        match path:
            case ("metadata", "name" | "namespace"):
                return True
            case ("metadata", "annotations", str(name)):
                return name in own or (turns and (name.startswith(keys.PREFIX) or name in _PROTECTING))
            case ("metadata", "labels", keys.SET):
                return is_config
            case (str(name),):
                return (turns and name == "immutable") or (is_config and name in _CONTENT and is_mapping(node))
            case (_, *_, "metadata", "annotations", str(name)):
                return name in checksums
        return False

    return is_left_out
