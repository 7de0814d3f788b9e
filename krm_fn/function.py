"""The KRM function: bytes in, bytes out."""

import codecs
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from krm_fn.config.read import parse_config
from krm_fn.model.changes import NOTHING, Edit, Emission, Patch
from krm_fn.model.item import Item, read_item
from krm_fn.model.node import Node, is_mapping
from krm_fn.model.problem import Outcome, Problem, Rejected, Severity
from krm_fn.model.settings import NO_ENVIRONMENT, Environment
from krm_fn.stages.transform import Changes, transform
from krm_fn.wire.apply import plan_splices
from krm_fn.wire.edit_objects import add_documents, splice_objects
from krm_fn.wire.envelope import Envelope, open_envelope
from krm_fn.wire.reader import Document, read_yaml
from krm_fn.wire.results import splice_results, stderr_lines
from krm_fn.wire.splice import Splice, apply_splices


def run(data: bytes, config: bytes | None = None, environment: Environment = NO_ENVIRONMENT) -> Outcome:
    """Transform a ResourceList, a List, or a stream of documents, and answer in the same form.

    `config` is a functionConfig document for input that cannot carry one. After an error a ResourceList is returned
    unchanged but for its `results`; for any other input nothing is returned.
    """
    try:
        envelope = open_envelope(read_yaml(data))
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), 1)
    try:
        function_config = envelope.function_config if config is None else read_config(config)
        planned = plan([envelope], function_config, environment)
    except Rejected as rejected:
        planned = Plan([[]], NOTHING, list(rejected.problems))
    failed = any(problem.severity is Severity.ERROR for problem in planned.problems)
    stdout = _refuse(envelope, planned.problems) if failed else _answer(envelope, planned)
    return Outcome(stdout, stderr_lines(planned.problems), int(failed))


class Plan(NamedTuple):
    """The splices of each envelope's own objects, the objects to replace, remove and add, and all problems."""

    splices: list[list[Splice]]
    emission: Emission
    problems: list[Problem]


def plan(envelopes: list[Envelope], function_config: Node | None, environment: Environment) -> Plan:
    """Transform the objects of all envelopes, which may reference one another. Raises Rejected for wrong input."""
    settings = parse_config(function_config)
    config_id = read_item(function_config).id if is_mapping(function_config) else None
    items = [item for envelope in envelopes for item in envelope.items]
    changes = transform(items, settings, environment, config_id)
    shares = _share_out(changes, envelopes)
    splices = [plan_splices(envelope, *share) for envelope, share in zip(envelopes, shares, strict=True)]
    return Plan(splices, changes.emission, changes.problems)


def read_config(config: bytes) -> Node:
    """Read a functionConfig file. Raises Rejected unless it holds exactly one document."""
    roots = read_yaml(config).roots
    if len(roots) != 1:
        raise Rejected(Problem(f"expected one functionConfig document, found {len(roots)}"))
    return roots[0]


_Share: TypeAlias = tuple[list[tuple[Item, Patch]], list[Edit]]


def _share_out(changes: Changes, envelopes: Iterable[Envelope]) -> list[_Share]:
    """Give each envelope the patches and edits of its own items."""
    shares: list[_Share] = []
    share_of: dict[Item, _Share] = {}
    for envelope in envelopes:
        share: _Share = ([], [])
        shares.append(share)
        share_of.update(dict.fromkeys(envelope.items, share))
    for item, patch in changes.patches:
        share_of[item][0].append((item, patch))
    for edit in changes.edits:
        share_of[edit.item][1].append(edit)
    return shares


def _answer(envelope: Envelope, planned: Plan) -> bytes:
    document = envelope.document
    splices = [*planned.splices[0], *splice_objects(envelope, planned.emission)]
    if envelope.resource_list is None:
        return _encode(document, add_documents(apply_splices(document.text, splices), planned.emission.add))
    splices += splice_results(document.text, envelope.resource_list, planned.problems)
    return _encode(document, apply_splices(document.text, splices))


def _refuse(envelope: Envelope, problems: Iterable[Problem]) -> bytes:
    document = envelope.document
    if envelope.resource_list is None:
        return b""
    return _encode(
        document, apply_splices(document.text, splice_results(document.text, envelope.resource_list, problems))
    )


def _encode(document: Document, text: str) -> bytes:
    return (codecs.BOM_UTF8 if document.byte_order_mark else b"") + text.encode()
