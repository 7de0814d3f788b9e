"""One object, one document: texts taken apart so that each object stands alone or is left out."""

import re
from collections.abc import Iterator

from krm_fn.model.edit import Patch
from krm_fn.model.item import Item, read_item
from krm_fn.model.node import Node, get, is_mapping, is_null, is_sequence, text
from krm_fn.model.problem import Problem, Rejected
from krm_fn.wire import layout
from krm_fn.wire.edit_text import apply_splices, splice_edit
from krm_fn.wire.merge_patch import plan_patch
from krm_fn.wire.yaml_text import Document, read_yaml

TOOL_GROUPS = frozenset({"config.kubernetes.io", "kpt.dev", "kustomize.config.k8s.io", "revisions.krm-fn.io"})
"""Groups of objects that are for tools: kustomizations, Kptfiles, our own configuration."""

DEPLOYED_ALL_THE_SAME = frozenset({"ResourceGroup"})
"""Of these, what lives in clusters: kpt's inventory."""

_INTERNAL = re.compile(
    r"(internal\.(config\.kubernetes\.io|kpt\.dev)/.+)"
    r"|(config\.kubernetes\.io/(index|path))"
    r"|((kustomize\.)?config\.k8s\.io/id)"
)
# To YAML these two begin and end a document wherever they stand, in the midst of a scalar too.
_MARKER = re.compile(r"^(?:---|\.\.\.)(?=\s|\Z)", re.MULTILINE)
_VERSION = re.compile(r"^%YAML [^\r\n]*[\r\n]+", re.MULTILINE)


def deployable_documents(source: str) -> Iterator[str]:
    """Each object that is to be applied, as the text of a document without markers."""
    for chunk in _MARKER.split(source):
        document = read_yaml(_VERSION.sub("", chunk).encode())
        for root in document.roots:
            if not is_null(root):
                yield from _deployable(document, root)


def _deployable(document: Document, root: Node) -> Iterator[str]:
    if not is_mapping(root):
        raise Rejected(Problem("holds something that is no object: expected apiVersion, kind and metadata"))
    kind, items = text(get(root, "kind")), get(root, "items")
    if kind.endswith("List") and is_sequence(items):
        if document.has_aliases and items.value:
            raise Rejected(Problem(f"a {kind} with aliases cannot be taken apart; write them out"))
        for item in items.value:
            yield from deployable_documents(_cut_out(document.text, item))
        return
    manifest = read_item(root)
    if not manifest.id.kind or not manifest.id.api_version:
        raise Rejected(Problem("holds an object without apiVersion or kind, which is no manifest"))
    if not _is_for_tools(manifest):
        yield _without_internal_annotations(document.text, manifest)


def _cut_out(source: str, node: Node) -> str:
    """An item of a list as a text of its own, moved to the left margin."""
    mark = node.start_mark
    if getattr(node, "flow_style", True):
        return source[mark.index : node.end_mark.index] + "\n"
    end, _ = layout.line_after(source, layout.node_end(source, node))
    indent = mark.index - layout.line_start(source, mark.index)
    return re.sub(rf"^ {{0,{indent}}}", "", " " * indent + source[mark.index : end], flags=re.MULTILINE)


def _is_for_tools(item: Item) -> bool:
    return item.is_local or (item.id.group in TOOL_GROUPS and item.id.kind not in DEPLOYED_ALL_THE_SAME)


def _without_internal_annotations(source: str, item: Item) -> str:
    internal = [name for name in item.annotations if _INTERNAL.fullmatch(name)]
    if not internal:
        return source
    left: Patch | None = dict.fromkeys(internal) if len(internal) < len(item.annotations) else None
    edits = plan_patch(item, {"metadata": {"annotations": left}})
    return apply_splices(source, [splice for edit in edits for splice in splice_edit(source, edit.change)])
