"""Sources to one deployable stream."""

from collections.abc import Iterable
from pathlib import Path

from krm_fn.function import edit_text, plan, read_config
from krm_fn.model.node import Node
from krm_fn.model.problem import Problem, Rejected, Severity
from krm_fn.model.settings import KIND
from krm_fn.outcome import Outcome
from krm_fn.render.documents import deployable_documents
from krm_fn.render.sources import Source, find_config, read_sources
from krm_fn.render.tools import HelmOptions
from krm_fn.wire.envelope import Package, open_envelope
from krm_fn.wire.results import stderr_lines
from krm_fn.wire.yaml_text import read_yaml


def render(paths: tuple[str, ...], config: str | None, stdin: bytes | None, helm: HelmOptions) -> Outcome:
    """What is to be applied, as a stream of documents; nothing at all after an error."""
    try:
        sources = read_sources(paths, stdin, helm)
        packages = [package for source in sources for package in _open(source)]
        edits, problems = plan(packages, _find_config(paths, config, packages))
        if any(problem.severity is Severity.ERROR for problem in problems):
            return Outcome(b"", stderr_lines(problems), 1)
        texts = [edit_text(package, own) for package, own in zip(packages, edits, strict=True)]
        stream = _stream(texts)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), 1)
    return Outcome(stream, stderr_lines(problems), 0)


def _open(source: Source) -> list[Package]:
    """A source's objects; none for an empty file among others."""
    if not source.data.strip():
        return []
    try:
        return [open_envelope(read_yaml(source.data), source.name)]
    except Rejected as rejected:
        raise Rejected(*(_in_file(problem, source.name) for problem in rejected.problems)) from rejected


def _in_file(problem: Problem, file: str) -> Problem:
    """A problem with the text of a file: its line is the file's."""
    place = f"{file}:{problem.line}:{problem.column}" if problem.line else file
    return problem._replace(file=place)


def _find_config(paths: Iterable[str], config: str | None, packages: list[Package]) -> Node | None:
    """The file that was named, or the one beside the manifests, or the one among them."""
    file = Path(config) if config else find_config(paths)
    if file:
        try:
            return read_config(file.read_bytes())
        except OSError as error:
            raise Rejected(Problem(f"cannot be read: {error.strerror}", file=str(file))) from error
        except Rejected as rejected:
            raise Rejected(*(_in_file(problem, str(file)) for problem in rejected.problems)) from rejected
    found = [item for package in packages for item in package.items if item.id.kind == KIND]
    if len(found) > 1:
        names = " and ".join(str(item.id) for item in found)
        raise Rejected(Problem(f"found {names}; choose one with --config"))
    return found[0].node if found else None


def _stream(texts: Iterable[str]) -> bytes:
    documents = [document for text in texts for document in deployable_documents(text)]
    if not documents:  # to print nothing would make a deployer delete everything
        raise Rejected(Problem("nothing to deploy: no objects, or only such as are for tools"))
    return "".join(map(_as_document, documents)).encode()


def _as_document(text: str) -> str:
    body = text.lstrip("\r\n")
    return "---\n" + (body if body.endswith("\n") else body + "\n")
