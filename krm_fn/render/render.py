"""Paths to one deployable stream."""

from collections.abc import Iterator
from dataclasses import replace

from krm_fn.function import edit_text, plan
from krm_fn.model.node import Node, describe, get, is_mapping, is_null, is_sequence, text
from krm_fn.model.problem import Outcome, Problem, Rejected, Severity, at
from krm_fn.model.settings import ALONE, Environment
from krm_fn.render.configuration import find_configuration
from krm_fn.render.deployable import deployable, is_deployable, is_deployed
from krm_fn.render.place import place, place_by_object
from krm_fn.render.sources import STDIN_NAME, Source, read_sources
from krm_fn.render.tools import HelmOptions
from krm_fn.wire.documents import join
from krm_fn.wire.envelope import Package, open_envelope
from krm_fn.wire.reader import read_yaml
from krm_fn.wire.results import stderr_lines
from krm_fn.wire.write_value import write_document


def render(
    paths: tuple[str, ...],
    config: str | None,
    stdin: bytes | None,
    helm: HelmOptions,
    environment: Environment = ALONE,
) -> Outcome:
    """What is to be applied, as a stream of documents; nothing at all after an error."""
    try:
        stream, problems = _render(paths, config, stdin, helm, environment)
    except Rejected as rejected:
        stream, problems = "", list(rejected.problems)
    failed = any(problem.severity is Severity.ERROR for problem in problems)
    return Outcome(b"" if failed else stream.encode(), stderr_lines(problems), int(failed))


def _render(
    paths: tuple[str, ...], config: str | None, stdin: bytes | None, helm: HelmOptions, environment: Environment
) -> tuple[str, list[Problem]]:
    texts, configs, remarks = read_sources(paths, config, stdin, helm)
    opened = _open_all(texts)
    packages = [package for _, package in opened]
    function_config = find_configuration(config, configs, opened)
    try:
        edits, emission, problems = plan(packages, function_config, environment)
    except Rejected as rejected:
        raise Rejected(*place_by_object(rejected.problems, opened)) from rejected
    there = replace(emission, add=())
    edited = [edit_text(package, own, there) for package, own in zip(packages, edits, strict=True)]
    ready = [one if is_deployable(package) else deployable(one) for package, one in zip(packages, edited, strict=True)]
    added = "".join(map(write_document, emission.add))
    return join([one for one in (*ready, added) if one]), [*remarks, *place_by_object(problems, opened)]


def _open_all(sources: list[Source]) -> list[tuple[str, Package]]:
    """Every text that holds objects. Raises Rejected with the problems of all, and where there is nothing to apply."""
    opened, problems = [], []
    for source in sources:
        try:
            opened += [(source.name, package) for package in _open(source)]
        except Rejected as rejected:
            problems += [place(source.name, problem) for problem in rejected.problems]
    if not problems and not any(is_deployed(item) for _, package in opened for item in package.items):
        names = ", ".join(dict.fromkeys(source.name for source in sources))
        what = "only what is for tools" if opened else "no objects"
        problems.append(Problem(f"nothing to apply: {what} in {names}"))  # a deployer would delete everything
    if problems:
        raise Rejected(*problems)
    return opened


def _open(source: Source) -> Iterator[Package]:
    """A text's objects; nothing for one that is empty or all comments."""
    document = read_yaml(source.data)
    if all(map(is_null, document.roots)):
        return
    strangers = [problem for root in document.roots for problem in _no_objects(root)]
    if strangers:
        raise Rejected(*strangers)
    # What comes through a pipe was read from files by somebody else, and may say from which.
    package = open_envelope(document, "" if source.name == STDIN_NAME else source.name)
    problems = [*_unnamed(package)]
    if problems:
        raise Rejected(*problems)
    yield package


def _no_objects(node: Node) -> Iterator[Problem]:
    """Documents and entries of lists that are none."""
    items = get(node, "items")
    if not is_mapping(node) and not is_null(node):
        yield at(node.start_mark, f"expected a Kubernetes object, found {describe(node)}")
    if text(get(node, "kind")).endswith("List") and is_sequence(items):
        for item in items.value:
            yield from _no_objects(item)


def _unnamed(package: Package) -> Iterator[Problem]:
    """What no deployer knows what to do with: a chart's values, a workflow of CI."""
    for item in package.items:
        missing = [name for name, value in (("apiVersion", item.id.api_version), ("kind", item.id.kind)) if not value]
        if missing and is_deployed(item):
            yield at(
                item.node.start_mark, f"expected a Kubernetes object, found a mapping without {' and '.join(missing)}"
            )
