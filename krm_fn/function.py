"""The KRM function: bytes in, bytes out."""

import codecs
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from krm_fn.config.read import parse_config
from krm_fn.model.changes import Changes, Edit, combine_patches
from krm_fn.model.item import Item, read_item
from krm_fn.model.node import Node, is_mapping
from krm_fn.model.problem import Outcome, Problem, Rejected, Severity
from krm_fn.model.settings import ALONE, Environment
from krm_fn.stages.package import read_package
from krm_fn.stages.transform import transform
from krm_fn.wire.apply import settle_shared, splice_edit
from krm_fn.wire.edit_objects import added_documents, splice_objects
from krm_fn.wire.envelope import Package, open_envelope
from krm_fn.wire.merge_patch import plan_patch
from krm_fn.wire.reader import read_yaml
from krm_fn.wire.results import splice_results, stderr_lines
from krm_fn.wire.splice import Splice, apply_splices


class Plan(NamedTuple):
    """What to change in each package, in the order they were given, what to put in and take out, and every remark."""

    edits: list[list[Edit]]
    emission: Changes
    problems: list[Problem]


def run(data: bytes, config: bytes | None = None, environment: Environment = ALONE) -> Outcome:
    """Transform a ResourceList, a List, or a stream of documents, and answer in the same wrapping.

    `config` is a functionConfig document for input that cannot carry one. After an error a ResourceList comes
    back as it was, with `results`; anything else does not come back at all.
    """
    package = None
    planned = Plan([[]], Changes(), [])
    try:
        package = open_envelope(read_yaml(data))
        function_config = package.function_config if config is None else read_config(config)
        planned = plan([package], function_config, environment)
    except Rejected as rejected:
        planned = planned._replace(problems=list(rejected.problems))
    failed = any(problem.severity is Severity.ERROR for problem in planned.problems)
    if failed:
        planned = Plan([[]], Changes(), planned.problems)
    stdout = _answer(package, planned, failed=failed) if package else b""
    return Outcome(stdout, stderr_lines(planned.problems), int(failed))


def plan(packages: list[Package], function_config: Node | None, environment: Environment) -> Plan:
    """Transform packages that refer to one another. Raises Rejected where they cannot be."""
    settings = parse_config(function_config)
    config_id = read_item(function_config).id if is_mapping(function_config) else None
    items = [item for package in packages for item in package.items]
    changes = transform(read_package(items, config_id), settings, environment)
    patches = [edit for item, patch in combine_patches(changes.patches) for edit in plan_patch(item, patch)]
    by_item: dict[Item, list[Edit]] = defaultdict(list)
    for edit in [*patches, *changes.edits]:
        by_item[edit.item].append(edit)
    edits = [[edit for item in package.items for edit in by_item[item]] for package in packages]
    settled = [settle_shared(package.document, own) for package, own in zip(packages, edits, strict=True)]
    return Plan(settled, changes, list(changes.problems))


def edit_text(package: Package, edits: Iterable[Edit], emission: Changes) -> str:
    """The package's text after its edits. What is new is in it only if a ResourceList wraps its objects."""
    return apply_splices(package.document.text, _splices(package, edits, emission))


def read_config(config: bytes) -> Node:
    """The one document of a functionConfig's file."""
    roots = read_yaml(config).roots
    if len(roots) != 1:
        raise Rejected(Problem(f"a functionConfig is one document, found {len(roots)}"))
    return roots[0]


def _splices(package: Package, edits: Iterable[Edit], emission: Changes) -> list[Splice]:
    text = package.document.text
    in_place = [splice for edit in edits for splice in splice_edit(text, edit.change)]
    return [*in_place, *splice_objects(package, emission)]


def _answer(package: Package, planned: Plan, *, failed: bool) -> bytes:
    document = package.document
    splices = _splices(package, planned.edits[0], planned.emission)
    if package.resource_list is not None:
        results = splice_results(document.text, package.resource_list, planned.problems)
        text = apply_splices(document.text, [*splices, *results])
    elif failed:
        return b""
    else:
        text = added_documents(apply_splices(document.text, splices), planned.emission.add)
    return (codecs.BOM_UTF8 if document.byte_order_mark else b"") + text.encode()
