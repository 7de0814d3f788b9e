"""What a kustomization and its local bases name, checked before kustomize runs.

kustomize itself refuses files outside of the directory of their kustomization, and runs no functions unless it is asked
to. It neither limits where a base is, nor what is fetched.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.item import Item, read_item
from krm_fn.model.node import Node, Scalar, elements, entries, is_mapping, is_scalar, is_sequence
from krm_fn.model.problem import Problem, Rejected, at
from krm_fn.model.settings import CONFIG_FILE, is_configuration
from krm_fn.render.files import Files
from krm_fn.render.limits import Allowance
from krm_fn.render.place import place, placed_in
from krm_fn.render.remote import is_remote_file, is_repository
from krm_fn.wire.reader import read_yaml, walk

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")

_PLUGINS = ("generators", "transformers", "validators")
_RESOURCES = (("resources",), ("bases",), *((field,) for field in _PLUGINS))
_BASES = (("components",),)
_SOURCES = (("files",), ("envs",), ("env",))
_FILES = (
    *(("crds",), ("configurations",), ("openapi", "path"), ("replacements", "path")),
    *(("patches", "path"), ("patchesJson6902", "path"), ("patchesStrategicMerge",)),
    *((generator, *source) for generator in ("configMapGenerator", "secretGenerator") for source in _SOURCES),
)
_FILES_OF_PLUGINS = (("path",), ("paths",), ("replacements", "path"), *_SOURCES)
"""Of the generators and transformers that are part of kustomize. All others are off."""

_FILE_SOURCE = re.compile("[^=]+=([^=]+)")
"""`files: [key=path]`. With more than one `=` kustomize reports an error."""

_CREDENTIALS = re.compile("//[^/]*@")


class _Reference(NamedTuple):
    """A path, and how kustomize tries to read it: as a file, as a base, or first as a file and then as a base."""

    node: Scalar
    path: str
    as_file: bool = True
    as_base: bool = False

    def is_remote(self, local: Path) -> bool:
        if self.as_file and is_remote_file(self.path):
            return True
        is_read_before = self.as_file and _type_of(local) not in (None, stat.S_IFDIR)
        return self.as_base and not is_read_before and is_repository(self.path)


class Plugin(NamedTuple):
    """A configuration of a plugin, and what names it: a kustomization, its field, and the entry in it.

    `path` is where kustomize looks for the file that the entry names, unless the entry is the configuration itself.
    """

    kustomization: Path
    field: str
    entry: Scalar
    config: Node

    @property
    def path(self) -> Path:
        return _locate(self.kustomization.parent, self.entry.value)

    @property
    def krm_fn(self) -> Item | None:
        """The configuration of this function; None for any other plugin."""
        item = read_item(self.config) if is_mapping(self.config) else None
        return item if item and is_configuration(item.id) else None

    def problem(self, message: str) -> Problem:
        """Return a problem at the entry."""
        return place(str(_shown(self.kustomization)), at(self.entry.start_mark, f"{self.field}: {message}"))


def check_kustomization(directory: Path, allowance: Allowance) -> list[Path]:
    """Check all that kustomize would read to build a directory. Return its local bases, and theirs.

    Raises Rejected for what it may not read or run.
    """
    problems: list[Problem] = []
    reached: set[Path] = set()
    pending = [Path(os.path.realpath(directory))]
    while pending:
        here = pending.pop()
        if here not in reached:
            reached.add(here)
            try:
                pending += _check(here, directory, allowance)
            except Rejected as rejected:
                problems += rejected.problems
    if problems:
        raise Rejected(*problems)
    return sorted(_shown(base) for base in reached - {Path(os.path.realpath(directory))})


def find_plugins(directory: Path, files: Files) -> list[Plugin]:
    """Find the plugins in the kustomization of a directory, but not those in its bases."""
    here = Path(os.path.realpath(directory))
    return [plugin for file in _files_in(here) for plugin in _plugins(file, _read(file, files), files)]


def _files_in(here: Path) -> list[Path]:
    return [here / name for name in KUSTOMIZATIONS if (here / name).exists()]


def _check(here: Path, directory: Path, allowance: Allowance) -> list[Path]:
    """Check what one kustomization names, and return its local bases."""
    files = Files(allowance.limits.root or _shown(here), allowance)
    bases: list[Path] = []
    problems: list[Problem] = []
    files.locate(_shown(here))
    for file in _files_in(here):
        roots = _read(file, files)
        plugins = list(_plugins(file, roots, files))
        for reference in sorted(_references(roots, plugins), key=_position):
            local = _locate(here, reference.path)
            if reference.is_remote(local):
                problems += _refuse_remote(file, reference) if allowance.limits.no_remote else ()
            elif _type_of(local) == stat.S_IFDIR:
                bases += [Path(os.path.realpath(local))] if reference.as_base else []
            elif reference.as_file and _type_of(local) is not None:
                files.check(_shown(local))
        problems += _refuse_krm_fn(plugins, directory)
    if problems:
        raise Rejected(*problems)
    return bases


def _position(reference: _Reference) -> int:
    return reference.node.start_mark.index


def _locate(here: Path, path: str) -> Path:
    """Return where kustomize looks for a path: it resolves `..` in the text, and links only then."""
    return Path(os.path.normpath(here / path))


def _type_of(path: Path) -> int | None:
    """Return the type of a file; None if there is none, as for a whole patch in the place of a name."""
    try:
        return stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError):
        return None


def _shown(path: Path) -> Path:
    return Path(os.path.relpath(path))


def _plugins(file: Path, roots: list[Node], files: Files) -> Iterator[Plugin]:
    for root in roots:
        for field in _PLUGINS:
            for entry in _find(root, (field,)):
                for config in _read_plugin(entry, file, files):
                    yield Plugin(file, field, entry, config)


def _references(roots: list[Node], plugins: list[Plugin]) -> Iterator[_Reference]:
    for root in roots:
        yield from _references_of(root, _FILES)
        yield from (_Reference(node, node.value, as_base=True) for path in _RESOURCES for node in _find(root, path))
        yield from (
            _Reference(node, node.value, as_file=False, as_base=True) for path in _BASES for node in _find(root, path)
        )
    for plugin in plugins:
        # Their lines would be those of another text: all problems are placed where the plugin is named.
        yield from (found._replace(node=plugin.entry) for found in _references_of(plugin.config, _FILES_OF_PLUGINS))


def _references_of(root: Node, paths: tuple[tuple[str, ...], ...]) -> Iterator[_Reference]:
    for path in paths:
        for node in _find(root, path):
            source = _FILE_SOURCE.fullmatch(node.value) if path[-1] == "files" else None
            yield _Reference(node, source[1] if source else node.value)


def _find(node: Node, path: tuple[str, ...]) -> Iterator[Scalar]:
    """Find the texts at a path, in lists too. As kustomize reads JSON in Go, `Resources` is `resources`."""
    if is_sequence(node):
        for element in elements(node):
            yield from _find(element, path)
    elif path:
        for name, value in entries(node):
            if name.casefold() == path[0].casefold():
                yield from _find(value, path[1:])
    elif is_scalar(node):
        yield node


def _read(file: Path, files: Files) -> list[Node]:
    shown = _shown(file)
    with placed_in(str(shown)):
        return _read_plainly(files.read(shown))


def _read_plugin(plugin: Scalar, named_in: Path, files: Files) -> list[Node]:
    """Read the configuration of a plugin. kustomize takes the text itself if it is one, else the file of that name."""
    try:
        configs = _read_plainly(plugin.value.encode())
    except Rejected as rejected:
        unread = [at(plugin.start_mark, f"in this text: {problem}") for problem in rejected.problems]
        raise Rejected(*(place(str(_shown(named_in)), problem) for problem in unread)) from rejected
    file = _locate(named_in.parent, plugin.value)
    return configs + (_read(file, files) if _type_of(file) not in (None, stat.S_IFDIR) else [])


def _read_plainly(data: bytes) -> list[Node]:
    """Read YAML in which every name and path is written as it is. Raises Rejected for what could hide one.

    kustomize decodes base64, keys too. It merges behind a `<<` in quotes if that has the tag `!`, which no node shows.
    """
    roots = read_yaml(data).roots
    for node in walk(roots):
        if node.tag == "tag:yaml.org,2002:binary":
            raise Rejected(at(node.start_mark, "a name or path must not be in base64 (!!binary); write it out"))
        if node.value == "<<" and is_scalar(node) and node.style:
            raise Rejected(at(node.start_mark, "a merge key must not be in quotes; write `<<`"))
    return roots


def _refuse_remote(file: Path, reference: _Reference) -> list[Problem]:
    address = _CREDENTIALS.sub("//", reference.path.partition("?")[0])
    message = f"{address} is remote, which --no-remote refuses; copy it into the repository"
    return [place(str(_shown(file)), at(reference.node.start_mark, message))]


def _refuse_krm_fn(plugins: list[Plugin], directory: Path) -> list[Problem]:
    """Say what to do about each entry that makes kustomize run this function: there, it is off like all others."""
    listed = {plugin.entry: plugin for plugin in plugins if plugin.krm_fn}
    config = directory / CONFIG_FILE
    message = (
        "found krm-fn, but `krm-fn render` runs no functions of a kustomization; remove the entry, and configure "
        f"krm-fn in {config}, which applies to the whole output; or build with "
        "`kustomize build --enable-alpha-plugins --enable-exec`"
    )
    return [plugin.problem(message) for plugin in listed.values()]
