"""What lies at the paths: manifests as they are, and what other programs build."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.problem import Problem, Rejected
from krm_fn.render.place import unreadable
from krm_fn.render.tools import HelmOptions, build, built_from

CONFIG_FILE = "krm-fn.yaml"
STDIN = "-"
STDIN_NAME = "<stdin>"
_MANIFESTS = (".yaml", ".yml", ".json")


class Source(NamedTuple):
    """A text and what it is called in an error: a file, or the command that printed it."""

    name: str
    data: bytes


class Sources(NamedTuple):
    """All texts in order, the configurations that lie among them, and what was said on the way."""

    texts: list[Source]
    configs: list[Path]
    remarks: list[Problem]

    def plus(self, more: "Sources") -> "Sources":
        """These and, behind them, those."""
        return Sources(self.texts + more.texts, self.configs + more.configs, self.remarks + more.remarks)


def read_sources(paths: Iterable[str], config: str | None, stdin: bytes | None, helm: HelmOptions) -> Sources:
    """Everything at the paths but the file `config`. Raises Rejected with what is wrong at any of them."""
    found = Sources([], [], [])
    problems: list[Problem] = []
    for path in paths:
        try:
            found = found.plus(_read(path, config, stdin, helm))
        except Rejected as rejected:
            problems += rejected.problems
        except OSError as error:
            problems.append(unreadable(str(Path(error.filename or path)), error))
    if problems:
        raise Rejected(*problems)
    return found


def _read(path: str, config: str | None, stdin: bytes | None, helm: HelmOptions) -> Sources:
    if path == STDIN:
        return Sources([Source(STDIN_NAME, stdin or b"")], [], [])
    place = Path(path)
    if not place.is_dir():
        return Sources([Source(str(place), place.read_bytes())], [], [])
    if not built_from(place):
        return _read_folder(place, config)
    built = build(place, helm)
    beside = place / CONFIG_FILE
    return Sources([Source(built.command, built.stdout)], [beside] if beside.is_file() else [], built.remarks)


def _read_folder(folder: Path, config: str | None) -> Sources:
    """The manifests of a folder and of those below it, in the order of their names' bytes."""
    files, to_build = _walk(folder)
    if to_build:
        raise Rejected(*(_not_built(path, folder) for path in to_build))
    configs = [file for file in files if file.name == CONFIG_FILE]
    # The file given with --config may lie among the manifests, under any name.
    manifests = [file for file in files if file not in configs and not (config and file.samefile(config))]
    if not manifests:
        message = "has no manifests (*.yaml, *.yml, *.json), no kustomization.yaml and no Chart.yaml"
        raise Rejected(Problem(message, file=str(folder)))
    return Sources([Source(str(file), file.read_bytes()) for file in manifests], configs, [])


def _walk(folder: Path) -> tuple[list[Path], list[Path]]:
    """Files that look like manifests, and folders that want building. What is hidden is for tools."""
    files: list[Path] = []
    to_build: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_refuse):
        here = Path(place)
        if here != folder and built_from(here):
            to_build.append(here)
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += (here / name for name in names if name.endswith(_MANIFESTS) and not name.startswith("."))
    return sorted(files, key=os.fsencode), sorted(to_build, key=os.fsencode)


def _refuse(error: OSError) -> None:
    """To pass over a folder that cannot be read would be to delete what is in it."""
    raise error


def _not_built(path: Path, folder: Path) -> Problem:
    message = f"has a {built_from(path)}, which is not built as a part of {folder}; give it as a PATH of its own"
    return Problem(message, file=str(path))
