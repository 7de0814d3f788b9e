"""A text after a merge patch of its first object."""

from krm_fn.base.changes import Changes, Patch
from krm_fn.base.item import read_item
from krm_fn.base.node import Mapping, is_mapping
from krm_fn.core.yaml.envelope import Envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.splice import apply_splices
from krm_fn.core.yaml.yaml import plan_splices


def patched(source: str, patch: Patch) -> str:
    """Patch the first document, or the first element of a list."""
    document = read_yaml(source.encode())
    root = document.roots[0]
    node: Mapping = root if is_mapping(root) else root.value[0]
    item = read_item(node)
    return apply_splices(
        document.text, plan_splices(Envelope(document, [item]), Changes(patches=((item, patch),)))
    )
