"""Read the texts at the given paths: manifests as they are, and what kustomize and helm build."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Problem, Rejected, ResourceId, count, listing
from krm_fn.base.settings import CONFIG_FILE, NearbyConfig
from krm_fn.tools.builds.builds import HelmOptions, Marked, build
from krm_fn.tools.common.files import (
    CHART,
    KUSTOMIZATIONS,
    MANIFESTS,
    Allowance,
    Files,
    built_from,
    read_named,
    real_path,
    unreadable,
)

STDIN = "-"
STDIN_NAME = "<stdin>"
_MISNAMED = "krm-fn.yml"
_MOST_NAMES = 3


class Inputs(NamedTuple):
    """The inputs of a command: the paths, the file of the configuration, and what was read from stdin."""

    paths: tuple[str, ...]
    config: str | None = None
    stdin: bytes | None = None

    @property
    def remedy(self) -> str:
        """What to do about several configurations."""
        if self.paths[1:]:
            return "take each PATH by itself with --each, or choose one with --config"
        return "choose one with --config"


class SourceText(NamedTuple):
    """A text and its name in an error: a file, or the command that printed it.

    `again`: the text of a second run.

    `is_early`: it says the names that kustomize knew when it would have run krm-fn. `notes`:
    annotations by which kustomize knows the former names of objects, where they are not in the
    text. `marked`: what kustomizations say of the names of objects, and the files that say so.
    `loses_hooks`: helm would not pass the hooks in it to a post-renderer. `is_kustomized`:
    kustomize has printed it.
    """

    name: str
    data: bytes
    again: bytes = b""
    is_early: bool = False
    notes: Mapping[ResourceId, dict[str, str]] = {}  # of a tuple, whose fields nobody changes
    marked: Mapping[Marked, str] = {}
    loses_hooks: bool = False
    is_kustomized: bool = False

    @property
    def origin(self) -> str:
        """The file of its objects; `""` for stdin, where objects may have annotations with the file they are from."""
        return "" if self.name == STDIN_NAME else self.name


class PartOfInput(NamedTuple):
    """A path with a configuration of its own, whose file is `config`, and the names of the texts that it stands for."""

    path: str
    config: str
    texts: frozenset[str]


class Sources(NamedTuple):
    """All texts in order, the configurations listed in or beside them, and the warnings of kustomize and helm.

    `unread` are configuration files that are near, and that are not read. `parts`: the paths with a
    configuration beside.
    """

    texts: list[SourceText]
    configs: list[SourceText]
    remarks: list[Problem]
    unread: list[NearbyConfig]
    parts: tuple[PartOfInput, ...] = ()

    def plus(self, more: "Sources") -> "Sources":
        return Sources(
            self.texts + more.texts,
            self.configs + more.configs,
            self.remarks + more.remarks,
            self.unread + more.unread,
            self.parts + more.parts,
        )


def read_sources(inputs: Inputs, helm: HelmOptions, allowance: Allowance) -> Sources:
    """Read everything at the paths but the configuration.

    Raises Rejected with the problems of all paths.
    """
    found = Sources([], [], [], [])
    problems: list[Problem] = []
    for path in inputs.paths:
        try:
            read = _read(path, inputs, helm, allowance)
            if read.configs:
                texts = frozenset(one.name for one in read.texts)
                read = read._replace(parts=(PartOfInput(path, read.configs[0].name, texts),))
            found = found.plus(read)
        except Rejected as rejected:
            problems += rejected.problems
        except OSError as error:
            problems.append(unreadable(str(Path(error.filename or path)), error))
        if allowance.bytes < 0:
            break  # it would be said of every other path too
    if problems:
        raise Rejected(*problems)
    return found


def read_config_file(inputs: Inputs, allowance: Allowance) -> SourceText | None:
    """Read the configuration that the command line names; None if it names none."""
    return (
        SourceText(inputs.config, read_named(inputs.config, allowance)) if inputs.config else None
    )


def _read(path: str, inputs: Inputs, helm: HelmOptions, allowance: Allowance) -> Sources:
    if path == STDIN:
        stdin = inputs.stdin or b""
        allowance.take(len(stdin), STDIN_NAME)
        return Sources(
            [SourceText(STDIN_NAME, stdin)], [], [], _find_unread([Path()], None, allowance)
        )
    place = Path(path)
    if place.name in (*KUSTOMIZATIONS, CHART) and place.is_file():
        # What it says of other files, such as patches, would be lost.
        raise Rejected(
            Problem(
                f"is no manifest: its folder is built from it; pass {place.parent}", file=str(place)
            )
        )
    if not place.is_dir():
        text = SourceText(str(place), read_named(path, allowance))
        return Sources([text], [], [], _find_unread([place.parent], None, allowance))
    files = Files(allowance.limits.root or place, allowance)
    outside = Path(os.path.normpath(place / ".."))
    if not built_from(place):
        return _read_folder(place, inputs.config, files)._replace(
            unread=_find_unread([outside], place, allowance)
        )
    files.locate(place)  # before a program sees it: it may be a link out of the root
    built = build(place, helm, allowance)
    beside = place / CONFIG_FILE
    configs: list[SourceText] = []
    if os.path.lexists(beside) or files.is_draft(beside):
        configs.append(SourceText(str(beside), files.read(beside)))
    if built.configuration:
        file, data = built.configuration
        # The transformer often is krm-fn.yaml itself. Read twice, it would be two configurations.
        if not (configs and real_path(place / file) == real_path(beside)):
            name = str(place / file)
            if built.configured_by:
                name = f"{built.configured_by} {os.path.normpath(name)}"
            # Of several paths each has a set of its own, which the name of the text tells apart.
            if built.written and len(inputs.paths) == 1:
                file, data = built.written
                name = os.path.normpath(place / file)
            configs.insert(0, SourceText(name, data))
    source = SourceText(
        name=built.command,
        data=built.stdout,
        again=built.again,
        is_early=built.is_early,
        notes=built.notes,
        marked=built.marked,
        loses_hooks=built.loses_hooks,
        is_kustomized=built_from(place) != CHART,
    )
    unread = _find_unread([place, *built.bases, outside], place, allowance)
    return Sources([source], configs, built.remarks, unread)


def _find_unread(
    folders: Iterable[Path], place: Path | None, allowance: Allowance
) -> list[NearbyConfig]:
    """Find configurations where people put them in vain.

    Nothing is read of them, nor looked up outside of the root.

    `place` is the folder that is rendered; None for stdin and single files.
    """
    root = allowance.limits.root
    found: list[NearbyConfig] = []
    for folder in folders:
        if root is not None and not folder.resolve().is_relative_to(root.resolve()):
            continue
        for name in (CONFIG_FILE, _MISNAMED):
            file = folder / name
            if file.is_file():
                found.append(NearbyConfig(str(file), _remedy(file, place)))
    return found


def _remedy(file: Path, place: Path | None) -> str:
    """Say how a configuration counts.

    To list it in `resources:` is in vain: kustomize leaves out what is for tools.
    """
    if place is None:
        return "pass it as one more PATH"
    return "call it krm-fn.yaml" if file.parent == place else f"copy it to {place / CONFIG_FILE}"


def _read_folder(folder: Path, config: str | None, files: Files) -> Sources:
    """Read the manifests in a folder and below, in the order of the bytes of their paths."""
    found, to_build = _find(folder, files)
    beside = folder / CONFIG_FILE
    if files.is_draft(beside) and beside not in found:
        found.append(beside)
    if to_build:
        raise Rejected(_say_built(folder, to_build))
    # The file of --config may be among the manifests, under any name. Then it is one of those that
    # are read.
    configs = [
        file for file in found if file.name == CONFIG_FILE or (config and file.samefile(config))
    ]
    manifests = [file for file in found if file not in configs]
    if not manifests:
        message = (
            "has no manifests (*.yaml, *.yml, *.json), no kustomization.yaml and no Chart.yaml"
        )
        raise Rejected(Problem(message, file=str(folder)))
    return Sources(_read_all(manifests, files), _read_all(configs, files), [], [])


def _read_all(paths: Iterable[Path], files: Files) -> list[SourceText]:
    return [SourceText(str(path), files.read(path)) for path in paths]


def _find(folder: Path, files: Files) -> tuple[list[Path], list[Path]]:
    """Find the manifests, and the folders that kustomize or helm must build.

    Hidden files and folders are for tools.
    """
    manifests: list[Path] = []
    to_build: list[Path] = []
    for here, folders, names in files.walk(folder):
        if here != folder and built_from(here):
            to_build.append(here)
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        shown = (here / name for name in names if not name.startswith("."))
        manifests += (
            path for path in shown if path.name.endswith(MANIFESTS) or _leads_nowhere(path)
        )
    return sorted(manifests, key=os.fsencode), sorted(to_build, key=os.fsencode)


def _leads_nowhere(path: Path) -> bool:
    """Tell whether this is a link to nothing.

    It may have been a folder; to read it says what is wrong.
    """
    return path.is_symlink() and not path.exists()


def _say_built(folder: Path, to_build: Sequence[Path]) -> Problem:
    shown = listing(map(str, to_build), _MOST_NAMES)
    message = (
        f"holds {count(len(to_build), 'folder')} that kustomize or helm builds; pass each as a PATH of its own, or a "
        f"pattern: {shown}"
    )
    return Problem(message, file=str(folder))
