"""The KRM function: bytes in, bytes out."""

import codecs
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.model.edit import Edit
from krm_fn.model.item import read_item
from krm_fn.model.node import Node, is_mapping
from krm_fn.model.problem import Problem, Rejected, Severity
from krm_fn.outcome import Outcome
from krm_fn.stages.transform import transform
from krm_fn.wire.config import parse_config
from krm_fn.wire.edit_text import splice_edit
from krm_fn.wire.envelope import Package, open_envelope
from krm_fn.wire.merge_patch import plan_patch, plan_patch_inside
from krm_fn.wire.results import splice_results, stderr_lines
from krm_fn.wire.sharing import settle_shared
from krm_fn.wire.splice import Splice, apply_splices
from krm_fn.wire.yaml_text import read_yaml


class Plan(NamedTuple):
    """What to change in each package, in the order they were given, and every remark on that."""

    edits: list[list[Edit]]
    problems: list[Problem]


def run(data: bytes, config: bytes | None = None) -> Outcome:
    """Transform a ResourceList, a List, or a stream of documents, and answer in the same wrapping.

    `config` is a functionConfig document for input that cannot carry one. After an error a ResourceList comes
    back as it was, with `results`; anything else does not come back at all.
    """
    package = None
    edits: list[Edit] = []
    try:
        package = open_envelope(read_yaml(data))
        function_config = package.function_config if config is None else read_config(config)
        (edits,), problems = plan([package], function_config)
    except Rejected as rejected:
        problems = list(rejected.problems)
    failed = any(problem.severity is Severity.ERROR for problem in problems)
    stdout = _answer(package, [] if failed else edits, problems, failed=failed) if package else b""
    return Outcome(stdout, stderr_lines(problems), int(failed))


def plan(packages: list[Package], function_config: Node | None) -> Plan:
    """Transform packages that refer to one another. Raises Rejected where they cannot be."""
    settings = parse_config(function_config)
    config_id = read_item(function_config).id if is_mapping(function_config) else None
    changes = transform([item for package in packages for item in package.items], settings, config_id)
    patches = [edit for item, patch in changes.patches for edit in plan_patch(item, patch)]
    patches += [edit for inside in changes.inside for edit in plan_patch_inside(inside)]
    by_item: dict[int, list[Edit]] = defaultdict(list)
    for edit in [*patches, *changes.edits]:
        by_item[id(edit.item)].append(edit)
    edits = [[edit for item in package.items for edit in by_item[id(item)]] for package in packages]
    settled = [settle_shared(package.document, own) for package, own in zip(packages, edits, strict=True)]
    return Plan(settled, changes.problems)


def edit_text(package: Package, edits: Iterable[Edit]) -> str:
    """The package's text after its edits."""
    text = package.document.text
    return apply_splices(text, [splice for edit in edits for splice in splice_edit(text, edit.change)])


def read_config(config: bytes) -> Node:
    """The one document of a functionConfig's file."""
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
