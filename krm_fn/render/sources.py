"""Where manifests come from: each path as one or more named texts."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.problem import Problem, Rejected
from krm_fn.render.tools import KUSTOMIZATIONS, HelmOptions, build, is_built

CONFIG_FILE = "krm-fn.yaml"
STDIN = "-"
_MANIFESTS = (".yaml", ".yml", ".json")


class Source(NamedTuple):
    """Bytes and what to call them in an error."""

    name: str
    data: bytes


def read_sources(paths: Iterable[str], stdin: bytes | None, helm: HelmOptions) -> list[Source]:
    """Every text below the paths, in a fixed order. Raises Rejected with every path that cannot be read."""
    sources: list[Source] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            sources += [Source("stdin", stdin or b"")] if path == STDIN else _read(Path(path), helm)
        except Rejected as rejected:
            problems += rejected.problems
        except OSError as error:
            problems.append(Problem(f"cannot be read: {error.strerror}", file=str(error.filename or path)))
    if problems:
        raise Rejected(*problems)
    return sources


def find_config(paths: Iterable[str]) -> Path | None:
    """The `krm-fn.yaml` of the first directory that has one."""
    return next((file for path in paths if path != STDIN and (file := Path(path) / CONFIG_FILE).is_file()), None)


def _read(path: Path, helm: HelmOptions) -> list[Source]:
    if not path.is_dir():
        return [Source(str(path), path.read_bytes())]
    if is_built(path):
        return [Source(str(path), build(path, helm))]
    return [Source(str(file), file.read_bytes()) for file in _manifests(path)]


def _manifests(directory: Path) -> Iterator[Path]:
    """As `kubectl apply -R` finds them, hidden ones left out; a directory that wants building is not guessed at."""
    for path in sorted(directory.iterdir(), key=lambda path: path.name.encode()):
        if path.name.startswith(".") or path.name in (CONFIG_FILE, *KUSTOMIZATIONS):
            continue
        if path.is_dir():
            if is_built(path):
                message = "is to be built by kustomize or helm; render it by a path of its own"
                raise Rejected(Problem(message, file=str(path)))
            yield from _manifests(path)
        elif path.suffix in _MANIFESTS:
            yield path
