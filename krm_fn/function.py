"""The KRM function: bytes in, bytes out."""

import codecs
from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model.edit import Edit
from krm_fn.model.item import read_item
from krm_fn.model.node import Node, is_mapping
from krm_fn.model.problem import Problem, Rejected, Severity
from krm_fn.stages.transform import transform
from krm_fn.wire.config import parse_config
from krm_fn.wire.edit_text import Splice, apply_splices, splice_edit
from krm_fn.wire.envelope import Package, open_envelope
from krm_fn.wire.merge_patch import plan_patch
from krm_fn.wire.results import splice_results, stderr_lines
from krm_fn.wire.sharing import settle_shared
from krm_fn.wire.yaml_text import read_yaml


class Outcome(NamedTuple):
    """What the process is to print, and how it is to end."""

    stdout: bytes
    stderr: str
    exit_code: int


def run(data: bytes, config: bytes | None = None) -> Outcome:
    """Transform a ResourceList, a List, or a stream of documents, and answer in the same wrapping.

    `config` is a functionConfig document for input that cannot carry one. After an error a ResourceList comes
    back as it was, with `results`; anything else does not come back at all.
    """
    package = None
    edits: list[Edit] = []
    try:
        package = open_envelope(read_yaml(data))
        function_config = package.function_config if config is None else _only_document(config)
        edits, problems = plan(package, function_config)
    except Rejected as rejected:
        problems = list(rejected.problems)
    failed = any(problem.severity is Severity.ERROR for problem in problems)
    stdout = _answer(package, [] if failed else edits, problems, failed=failed) if package else b""
    return Outcome(stdout, stderr_lines(problems), int(failed))


def plan(package: Package, function_config: Node | None) -> tuple[list[Edit], list[Problem]]:
    """Every edit the package needs, and every remark on it. Raises Rejected where there can be none."""
    settings = parse_config(function_config)
    config_id = read_item(function_config).id if is_mapping(function_config) else None
    changes = transform(package.items, settings, config_id)
    patches = [edit for item, patch in changes.patches for edit in plan_patch(item, patch)]
    return settle_shared(package.document, [*patches, *changes.edits]), changes.problems


def _only_document(config: bytes) -> Node:
    roots = read_yaml(config).roots
    if len(roots) != 1:
        raise Rejected(Problem(f"a functionConfig is one document, found {len(roots)}"))
    return roots[0]


def _answer(package: Package, edits: Iterable[Edit], problems: list[Problem], *, failed: bool) -> bytes:
    document = package.document
    splices: list[Splice] = [splice for edit in edits for splice in splice_edit(document.text, edit.change)]
    if package.resource_list is not None:
        splices += splice_results(document.text, package.resource_list, problems)
    elif failed:
        return b""
    text = apply_splices(document.text, splices)
    return (codecs.BOM_UTF8 if document.byte_order_mark else b"") + text.encode()
