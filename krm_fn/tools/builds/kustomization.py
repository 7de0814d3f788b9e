"""Read one kustomization: the paths that it names, and its plugins.

Nothing is built, and what is named is not followed. Among the paths are those of local bases and
those that may lead out of the directory. `check_kustomization` walks from one kustomization to all
of its bases.
"""

import json
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath

from krm_fn.base.item import Item, read_item
from krm_fn.base.keys import DECLARES_FUNCTION, SET_NAME
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    Scalar,
    elements,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
    plain_value,
    text,
    walk,
)
from krm_fn.base.problem import Problem, Rejected, at
from krm_fn.base.settings import CONFIG_FILE, is_configuration, is_our_program
from krm_fn.core.yaml.yaml import read_yaml, write_scalar
from krm_fn.tools.builds.named_fields import named_field, read_kustomization, read_plainly
from krm_fn.tools.common.files import (
    KUSTOMIZATIONS,
    SHARED,
    Allowance,
    Files,
    is_sharing_folder,
    without_dots,
)
from krm_fn.tools.common.opened_texts import place, placed_in

PLUGINS = ("generators", "transformers", "validators")
_SOURCES = (("files",), ("envs",), ("env",))
_FILE, _BASE, _FILE_ELSE_BASE = (True, False), (False, True), (True, True)
_FIELDS: Mapping[tuple[str, ...], tuple[bool, bool]] = {
    **dict.fromkeys(
        (("crds",), ("configurations",), ("openapi", "path"), ("replacements", "path")), _FILE
    ),
    **dict.fromkeys(
        (("patches", "path"), ("patchesJson6902", "path"), ("patchesStrategicMerge",)), _FILE
    ),
    **dict.fromkeys((("helmCharts", "valuesFile"), ("helmCharts", "additionalValuesFiles")), _FILE),
    **{("configMapGenerator", *source): _FILE for source in _SOURCES},
    **{("secretGenerator", *source): _FILE for source in _SOURCES},
    **{(field,): _FILE_ELSE_BASE for field in ("resources", "bases", *PLUGINS)},
    ("components",): _BASE,
}
"""Where a kustomization names paths, and what kustomize reads there."""

_VALUES = (("valuesFile",), ("additionalValuesFiles",))
_FIELDS_OF_PLUGINS = dict.fromkeys(
    (("path",), ("paths",), ("replacements", "path"), *_SOURCES, *_VALUES), _FILE
)
"""Fields with files of the generators and transformers that are part of kustomize. All others are off."""

_FILE_SOURCE = re.compile("[^=]+=([^=]+)")
"""`files: [key=path]`. With more than one `=` kustomize reports an error."""

_RUNTIMES = (("exec", "path"), ("container", "image"))
"""One of these must be in the annotation. kustomize skips a function that says neither, in silence."""


class PathReference(NamedTuple):
    """A path, and how kustomize tries to read it: as a file, as a base, or first as a file and then as a base."""

    node: Scalar
    path: str
    as_file: bool
    as_base: bool

    def is_remote(self, local: Path) -> bool:
        if self.as_file and is_remote_file(self.path):
            return True
        # kustomize reads a file before it clones, and clones before it reads a folder (decision
        # 24).
        is_read_before = self.as_file and type_of(local) not in (None, stat.S_IFDIR)
        return self.as_base and not is_read_before and is_repository(self.path)


class Marked(NamedTuple):
    """An object of a kustomization, and the annotation by which the function is told something of it."""

    annotation: str
    kind: str
    name: str


class PluginFolder(NamedTuple):
    """A folder with a kustomization that builds plugins, and the entry that names it. `path` is behind all links."""

    kustomization: Path
    field: str
    entry: Scalar
    path: Path

    def problem(self, message: str) -> Problem:
        return problem_in(self.kustomization, self.entry, f"{self.field}: {message}")

    def plugins(self, built: bytes) -> Iterator["Plugin"]:
        """Yield the plugins in what kustomize has built of the folder."""
        for config in read_yaml(built).roots:
            yield self.plugin(config, built)

    def plugin(self, config: Node, built: bytes = b"") -> "Plugin":
        return Plugin(
            self.kustomization, self.field, self.entry, config, is_inline=False, built=built
        )


class Plugin(NamedTuple):
    """A configuration of a plugin, and what names it: a kustomization, its field, and the entry in it.

    `path` is where kustomize looks for the file or folder that the entry names, unless the entry is
    the configuration itself. `is_inline`: it is. `built`: what kustomize builds of the folder; empty
    for a file.
    """

    kustomization: Path
    field: str
    entry: Scalar
    config: Node
    is_inline: bool
    built: bytes = b""

    @property
    def path(self) -> Path:
        return locate_path(self.kustomization.parent, self.entry.value)

    @property
    def is_in_folder(self) -> bool:
        return not self.is_inline and type_of(self.path) == stat.S_IFDIR

    @property
    def krm_fn(self) -> Item | None:
        """The configuration of this function; None for any other plugin.

        A ConfigRevisions is one whatever runs it: the image may have another name in somebody's
        registry.
        """
        item = read_item(self.config) if is_mapping(self.config) else None
        if item is None or is_configuration(item.id):
            return item
        is_ours = item.id.kind == "ConfigMap" and any(map(is_our_program, runtimes_of(item)))
        return item if is_ours else None

    def problem(self, message: str) -> Problem:
        return problem_in(self.kustomization, self.entry, f"{self.field}: {message}")


def find_plugins(directory: Path, files: Files, anywhere: Files | None = None) -> list[Plugin]:
    """Find the plugins in the kustomization of a directory, but not those in its bases.

    With `anywhere`, those in folders that it names, too, as they are written in `resources` there.
    Only kustomize knows what it makes of them, so this is for those who look, and not for a
    rendering.
    """
    plugins: list[Plugin] = []
    for file in files_in(Path(os.path.realpath(directory))):
        roots = read_roots(file, files)
        plugins += plugins_of(file, roots, files)
        if anywhere is not None:
            plugins += _written_in(folders_of(file, roots), anywhere)
    return plugins


def _written_in(folders: Iterable[PluginFolder], files: Files) -> Iterator[Plugin]:
    for folder in folders:
        for file in _resources_below(folder.path, files):
            if type_of(file) is not None:
                yield from map(folder.plugin, read_roots(file, files, read_plainly))


def _resources_below(folder: Path, files: Files) -> Iterator[Path]:
    """Find the files in the `resources` of a folder and of its local bases, also what is missing."""
    pending, reached = [folder], set()
    while pending:
        here = pending.pop()
        if here in reached:
            continue
        reached.add(here)
        for file in files_in(here):
            for reference in find_paths(read_roots(file, files), []):
                local = locate_path(here, reference.path)
                if not reference.as_base or reference.is_remote(local):
                    continue
                if type_of(local) == stat.S_IFDIR:
                    pending.append(Path(os.path.realpath(local)))
                elif reference.as_file:
                    yield local


def lists_krm_fn(directory: Path, allowance: Allowance) -> bool:
    """Tell whether a kustomization or a base lists krm-fn, or has the folder for it, or cannot be read to find out."""
    files = Files(allowance.limits.root or Path("/"), allowance)  # as a base may be anywhere
    folders = [Path(os.path.realpath(directory))]
    try:
        for folder in folders:  # grows on the way
            if any(plugin.krm_fn for plugin in find_plugins(folder, files, files)):
                return True
            for file in files_in(folder):
                roots = read_roots(file, files)
                folders += (one for one in find_local_bases(folder, roots) if one not in folders)
                if _lacks_a_plugin(file, roots, files):
                    return True
    except Rejected:
        return True
    return is_sharing_folder(directory / SHARED)


def _lacks_a_plugin(file: Path, roots: list[Node], files: Files) -> bool:
    """Tell whether something is missing in a folder of plugins, such as the folder that packages share."""
    below = (_resources_below(folder.path, files) for folder in folders_of(file, roots))
    return None in map(type_of, chain.from_iterable(below))


def builds_only_krm_fn(folder: Path, files: Files) -> bool:
    """Tell whether a folder only has configurations of krm-fn to build, as one has that packages share."""
    try:
        nodes: list[Node] = []
        for file in _resources_below(Path(os.path.realpath(folder)), files):
            nodes += read_roots(file, files, read_plainly)
    except (OSError, Rejected):
        return False
    configurations = [is_mapping(one) and is_configuration(read_item(one).id) for one in nodes]
    return bool(nodes) and all(configurations)


def find_local_bases(directory: Path, roots: list[Node]) -> list[Path]:
    """Find the local directories that the kustomization of a directory names: bases, components, those of plugins."""
    here = Path(os.path.realpath(directory))
    bases: list[Path] = []
    for one in find_paths(roots, []):
        local = locate_path(here, one.path)
        if not one.as_base or one.is_remote(local):
            continue
        if local != here and type_of(local) == stat.S_IFDIR:
            bases.append(Path(os.path.realpath(local)))
    return bases


def find_ways_out(file: str, data: bytes) -> list[str]:
    """Return where the texts of a kustomization may lead, as paths: those that may leave its directory.

    They are all texts with `..`, whatever their fields: of a plugin that krm-fn does not know, too. kustomize reads no
    other file outside of the directory. Raises Rejected for what could hide a path.
    """
    here = PurePosixPath(file).parent
    ways: list[str] = []
    for node in walk(read_plainly(data)):
        if not is_scalar(node):
            continue
        parts = (node.value, node.value.partition("=")[2])  # the file of `key=path`
        ways += [posixpath.normpath(here / part) for part in parts if ".." in part]
    return ways


def files_in(here: Path) -> list[Path]:
    return [here / name for name in KUSTOMIZATIONS if (here / name).exists()]


def plugins_of(file: Path, roots: list[Node], files: Files) -> Iterator[Plugin]:
    for root in roots:
        for field in PLUGINS:
            for entry in find_texts(root, (field,)):
                inline, named = _read_plugin(entry, file, files)
                yield from (Plugin(file, field, entry, config, is_inline=True) for config in inline)
                yield from (Plugin(file, field, entry, config, is_inline=False) for config in named)


def folders_of(file: Path, roots: list[Node]) -> Iterator[PluginFolder]:
    """Find the local folders that a kustomization names as plugins."""
    for root in roots:
        for field in PLUGINS:
            for entry in find_texts(root, (field,)):
                local = locate_path(file.parent, entry.value)
                is_remote = PathReference(entry, entry.value, *_FILE_ELSE_BASE).is_remote(local)
                if type_of(local) == stat.S_IFDIR and not is_remote:
                    yield PluginFolder(file, field, entry, Path(os.path.realpath(local)))


def find_paths(roots: list[Node], plugins: list[Plugin]) -> Iterator[PathReference]:
    for root in roots:
        yield from _references_in(root, _FIELDS)
    for plugin in plugins:
        # Their lines would be those of another text: all problems are placed where the plugin is
        # named.
        found = _references_in(plugin.config, _FIELDS_OF_PLUGINS)
        yield from (reference._replace(node=plugin.entry) for reference in found)


def _references_in(
    root: Node, fields: Mapping[tuple[str, ...], tuple[bool, bool]]
) -> Iterator[PathReference]:
    for path, (as_file, as_base) in fields.items():
        for node in find_texts(root, path):
            source = _FILE_SOURCE.fullmatch(node.value) if path[-1] == "files" else None
            yield PathReference(node, source[1] if source else node.value, as_file, as_base)


def find_texts(node: Node, path: tuple[str, ...]) -> Iterator[Scalar]:
    """Find the texts at a path, in lists too."""
    if is_sequence(node):
        for element in elements(node):
            yield from find_texts(element, path)
    elif path:
        value = named_field(node, path[0])
        if value is not None:
            yield from find_texts(value, path[1:])
    elif is_scalar(node):
        yield node


def read_roots(
    file: Path, files: Files, read: Callable[[bytes], list[Node]] = read_kustomization
) -> list[Node]:
    shown = shown_path(file)
    with placed_in(str(shown)):
        return read(files.read(shown))


def _read_plugin(plugin: Scalar, named_in: Path, files: Files) -> tuple[list[Node], list[Node]]:
    """Read the configuration of a plugin: the text itself, and the file of that name.

    kustomize takes the text if it is a configuration, else the file.
    """
    try:
        configs = read_plainly(plugin.value.encode())
    except Rejected as rejected:
        unread = (
            problem_in(named_in, plugin, f"in this text: {problem}")
            for problem in rejected.problems
        )
        raise Rejected(*unread) from rejected
    file = locate_path(named_in.parent, plugin.value)
    is_file = type_of(file) not in (None, stat.S_IFDIR)
    return configs, (
        read_roots(file, files, read_plainly) if is_file or files.is_draft(file) else []
    )


def runtimes_of(config: Item) -> list[str]:
    """Return the programs and images with which kustomize runs the function of a configuration."""
    declared = next(
        (config.annotations[name] for name in DECLARES_FUNCTION if name in config.annotations), ""
    )
    try:
        roots = read_yaml(declared.encode()).roots
    except Rejected:
        return []
    runtimes: list[str] = []
    for root in roots:
        named = [text(get(root, *path)) for path in _RUNTIMES]
        runtimes += filter(None, named)
    return runtimes


def is_skipped(plugin: Plugin) -> bool:
    """Tell whether kustomize would take the plugin for a function, and then not run it."""
    config = plugin.krm_fn
    if config is None or not any(name in config.annotations for name in DECLARES_FUNCTION):
        return False
    return not runtimes_of(config)


def locate_path(here: Path, path: str) -> Path:
    """Return where kustomize looks for a path: it resolves `..` in the text, and links only then."""
    return without_dots(here / path)


def type_of(path: Path) -> int | None:
    """Return the type of a file; None if there is none, as for a whole patch in the place of a name."""
    try:
        return stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError):  # a text that is too long for a name, or that has a NUL in it
        return None


def shown_path(path: Path) -> Path:
    return Path(os.path.relpath(path))


def problem_in(file: Path, node: Node, message: str) -> Problem:
    return place(str(shown_path(file)), at(node.start_mark, message))


_URL = re.compile(r"https?:[^\x00-\x1f\x7f]*", re.IGNORECASE)


_FORCED_GIT = "git::"


_SCHEME = re.compile(r"(?:ssh|https?|file)://", re.IGNORECASE)


_USER = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*@")


_GITHUB = re.compile(r"github\.com[/:]", re.IGNORECASE)


_REPOSITORY_SEGMENTS = 2
"""Of the path, as on GitHub: `organisation/repository`."""


def is_remote_file(path: str) -> bool:
    """Tell whether kustomize gets a file by HTTP, whatever is on the disk under this name."""
    return _URL.fullmatch(path) is not None


def is_repository(path: str) -> bool:
    """Tell whether kustomize clones a base, even if there is a directory of this name."""
    if path.startswith("/"):
        return False
    rest = path.partition("?")[0]
    if rest[: len(_FORCED_GIT)].lower() == _FORCED_GIT:
        rest = rest[len(_FORCED_GIT) :]
    scheme, rest = _split(_SCHEME, rest)
    user, rest = _split(_USER, rest)
    is_like_scp = not scheme and bool(user or _GITHUB.match(rest))
    if not scheme and not is_like_scp:
        return False
    if scheme.lower() == "file://":
        return _is_repository_path(user + rest, segments=0)
    host, rest = _split_host(rest, is_like_scp=is_like_scp)
    return bool(host) and _is_repository_path(rest, segments=_REPOSITORY_SEGMENTS)


def _split(prefix: re.Pattern[str], text: str) -> tuple[str, str]:
    found = prefix.match(text)
    return (found[0], text[found.end() :]) if found else ("", text)


def _split_host(text: str, *, is_like_scp: bool) -> tuple[str, str]:
    """Split after the host: at the first slash, or at a colon before it, as in `git@host:a/b`."""
    end = text.find("/")
    colon = text.find(":")
    if is_like_scp and (end == -1 or 0 < colon < end):
        end = colon
    return (text, "") if end == -1 else (text[: end + 1], text[end + 1 :])


def _is_repository_path(path: str, segments: int) -> bool:
    """Tell whether a path names a repository, and a directory in it that does not lead out of it."""
    repository, inside = _split_repository(path, segments)
    return (
        bool(repository) and posixpath.normpath(inside.removeprefix("/")).partition("/")[0] != ".."
    )


def _split_repository(path: str, segments: int) -> tuple[str, str]:
    """Split after the repository: at `_git/NAME`, `//` or `.git`, else after a number of segments; 0: after all."""
    before, marker, after = path.partition("_git/")
    if marker:
        name, _, inside = after.partition("/")
        return before + marker + name, inside
    before, marker, after = path.partition("//")
    if marker:
        return before, after
    before, marker, after = path.partition(".git")
    if marker:
        return before + marker, after
    parts = path.split("/")
    if not segments:
        return path, ""
    return (
        ("/".join(parts[:segments]), "/".join(parts[segments:]))
        if len(parts) >= segments
        else ("", "")
    )


class KustomizeTree(NamedTuple):
    """A kustomization, and all that kustomize reads to build it.

    `function`: krm-fn, if it is the last transformer. `functions`: it, and that of bases.

    The paths are absolute and as they are named: some, or folders above them, may be links.
    """

    directory: Path
    function: Plugin | None
    files: dict[Path, bytes]
    folders: set[Path]
    functions: list[Plugin]

    @property
    def configuration(self) -> tuple[Path, bytes] | None:
        """The file of the configuration of krm-fn, as seen from the directory, and its text.

        It may be a folder, and what kustomize builds of it. If it is in place, that is the
        kustomization, and the text begins on the same line.
        """
        function = self.function
        if function is None:
            return None
        if function.built:
            return Path(os.path.relpath(function.path, self.directory)), function.built
        if not function.is_inline:
            return Path(os.path.relpath(function.path, self.directory)), self.files[function.path]
        before = function.entry.start_mark.line
        if function.entry.style in ("|", ">"):  # the text of a block begins on the next line
            before += 1
        return Path(function.kustomization.name), b"\n" * before + function.entry.value.encode()

    def find_written(self, built: bytes, directory: Path) -> tuple[Path, bytes] | None:
        """Find the file of a configuration that is built with another set, and its text with that set.

        The file is as seen from a directory. None where more than the set is built.
        """
        new = read_yaml(built).roots[0]
        name = text(get(new, "metadata", "name"))
        for file, data in self.files.items():
            if file.name != CONFIG_FILE or not SET_NAME.fullmatch(name):
                continue
            document = read_yaml(data)
            for old in document.roots if len(document.roots) == 1 else ():
                named = get(old, "metadata", "name")
                if named and _as_json(get(old, "spec")) == _as_json(get(new, "spec")):
                    before, behind = document.text[: named.start], document.text[named.end :]
                    renamed = f"{before}{write_scalar(name)}{behind}".encode()
                    return Path(os.path.relpath(file, directory)), renamed
        return None


def _as_json(spec: Node | None) -> str:
    return json.dumps(spec and plain_value(spec), sort_keys=True, default=str)
