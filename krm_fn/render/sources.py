"""The texts at the given paths: manifests as they are, and what kustomize and helm build."""

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
    """A text and its name in an error: a file, or the command that printed it. `again`: the text of a second run."""

    name: str
    data: bytes
    again: bytes = b""


class Sources(NamedTuple):
    """All texts in order, the configuration files beside them, and the warnings of kustomize and helm."""

    texts: list[Source]
    configs: list[Path]
    remarks: list[Problem]

    def plus(self, more: "Sources") -> "Sources":
        """Append others."""
        return Sources(self.texts + more.texts, self.configs + more.configs, self.remarks + more.remarks)


def read_sources(paths: Iterable[str], config: str | None, stdin: bytes | None, helm: HelmOptions) -> Sources:
    """Read everything at the paths but the file `config`. Raises Rejected with the problems of all paths."""
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
    return Sources(
        [Source(built.command, built.stdout, built.again)], [beside] if beside.is_file() else [], built.remarks
    )


def _read_folder(folder: Path, config: str | None) -> Sources:
    """Read the manifests in a folder and below, in the order of the bytes of their paths."""
    files, to_build = _walk(folder)
    if to_build:
        raise Rejected(*(_not_built(path, folder) for path in to_build))
    configs = [file for file in files if file.name == CONFIG_FILE]
    # The file of --config may be among the manifests, under any name.
    manifests = [file for file in files if file not in configs and not (config and file.samefile(config))]
    if not manifests:
        message = "has no manifests (*.yaml, *.yml, *.json), no kustomization.yaml and no Chart.yaml"
        raise Rejected(Problem(message, file=str(folder)))
    return Sources([Source(str(file), file.read_bytes()) for file in manifests], configs, [])


def _walk(folder: Path) -> tuple[list[Path], list[Path]]:
    """Find the manifests, and the folders that kustomize or helm must build. Hidden files and folders are for tools."""
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
    """Raise: if an unreadable folder were skipped, a deployer would delete its objects."""
    raise error


def _not_built(path: Path, folder: Path) -> Problem:
    message = f"has a {built_from(path)}, which is not built as part of {folder}; pass it as a PATH of its own"
    return Problem(message, file=str(path))
