"""What a kustomization and its local bases name, checked before kustomize runs.

kustomize itself refuses files outside of the directory of their kustomization, and runs no
functions unless it is asked to. It neither limits where a base is, nor what is fetched. Where its
last function is krm-fn, that runs afterwards: see `kustomize_copy`.

The rules are kustomize's own, in the order in which it applies them.
"""

import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from krm_fn.base.item import Item, read_item
from krm_fn.base.keys import DECLARES_FUNCTION
from krm_fn.base.node import (
    TRUE,
    Node,
    Scalar,
    elements,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    text,
)
from krm_fn.base.problem import Problem, Rejected, at
from krm_fn.base.settings import is_configuration
from krm_fn.core.names.names import is_our_program
from krm_fn.core.yaml.reader import read_yaml, walk
from krm_fn.tools.render.files import Allowance, Files, place, placed_in, without_dots
from krm_fn.tools.render.git_addresses import is_remote_file, is_repository
from krm_fn.tools.render.listed_charts import ListedChart, find_listed_charts, find_refused
from krm_fn.tools.render.named_fields import named_field, read_kustomization, read_plainly

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")

_PLUGINS = ("generators", "transformers", "validators")
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
    **{(field,): _FILE_ELSE_BASE for field in ("resources", "bases", *_PLUGINS)},
    ("components",): _BASE,
}
"""Where a kustomization names paths, and what kustomize reads there."""

_VALUES = (("valuesFile",), ("additionalValuesFiles",))
_FIELDS_OF_PLUGINS = dict.fromkeys(
    (("path",), ("paths",), ("replacements", "path"), *_SOURCES, *_VALUES), _FILE
)
"""Of the generators and transformers that are part of kustomize. All others are off."""

_FILE_SOURCE = re.compile("[^=]+=([^=]+)")
"""`files: [key=path]`. With more than one `=` kustomize reports an error."""

_GENERATORS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}
_AFFIX_TRANSFORMERS = ("PrefixTransformer", "SuffixTransformer")

_CREDENTIALS = re.compile("//[^/]*@")

_RUNTIMES = (("exec", "path"), ("container", "image"))
"""What the annotation must say. kustomize skips a function that says neither, in silence."""

_INSTEAD = "; or build with `kustomize build --enable-alpha-plugins --enable-exec`"
_UNCHECKED = (
    "and may hide charts that nobody has checked; where a chart is listed, write it as a "
    "file of the repository"
)
_UNEQUAL = {
    "vars": "kustomize replaces them after its transformers, of which krm-fn must be the last; use `replacements`",
    "buildMetadata": "kustomize adds it to what krm-fn adds too, which krm-fn cannot do for it; remove it",
}
"""Fields that take effect behind the last transformer, and what to do about each."""


class _Reference(NamedTuple):
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
        is_read_before = self.as_file and _type_of(local) not in (None, stat.S_IFDIR)
        return self.as_base and not is_read_before and is_repository(self.path)


class Plugin(NamedTuple):
    """A configuration of a plugin, and what names it: a kustomization, its field, and the entry in it.

    `path` is where kustomize looks for the file that the entry names, unless the entry is the configuration itself.
    `is_inline`: it is.
    """

    kustomization: Path
    field: str
    entry: Scalar
    config: Node
    is_inline: bool

    @property
    def path(self) -> Path:
        return _locate(self.kustomization.parent, self.entry.value)

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
        return _problem(self.kustomization, self.entry, f"{self.field}: {message}")


class KustomizeTree(NamedTuple):
    """A kustomization, and all that kustomize reads to build it.

    `function`: krm-fn, if it is the last transformer.

    The paths are absolute and as they are named: some, or folders above them, may be links.
    """

    directory: Path
    function: Plugin | None
    files: dict[Path, bytes]
    folders: set[Path]

    @property
    def configuration(self) -> tuple[Path, bytes] | None:
        """The file of the configuration of krm-fn, as seen from the directory, and its text.

        If it is in place, that is the kustomization, and the text begins on the same line.
        """
        function = self.function
        if function is None:
            return None
        if not function.is_inline:
            return Path(os.path.relpath(function.path, self.directory)), self.files[function.path]
        before = function.entry.start_mark.line + (function.entry.style in ("|", ">"))
        return Path(function.kustomization.name), b"\n" * before + function.entry.value.encode()


class Checked(NamedTuple):
    """The local bases of a kustomization, and theirs, and the charts that any of them lists.

    `tree`: what was read, if the last transformer is krm-fn.

    `has_affixes`: one of them puts something before or behind names. `fixed`: by kind and name in
    its generator, what is to have no hash, and the file that says so.
    """

    bases: list[Path]
    charts: list[ListedChart]
    tree: KustomizeTree | None
    has_affixes: bool
    fixed: Mapping[tuple[str, str], str]


def check_kustomization(directory: Path, allowance: Allowance) -> Checked:
    """Check all that kustomize would read to build a directory.

    Raises Rejected for what it may not read or run.
    """
    return _KustomizationWalk(directory, allowance).run()


def read_tree(directory: Path, allowance: Allowance) -> KustomizeTree:
    """Read all that kustomize would read to build a directory.

    Raises Rejected for what no copy of it could hold.
    """
    walk_all = _KustomizationWalk(directory, allowance, keeps_all=True)
    walk_all.run()
    return walk_all.tree


def find_plugins(directory: Path, files: Files) -> list[Plugin]:
    """Find the plugins in the kustomization of a directory, but not those in its bases."""
    plugins: list[Plugin] = []
    for file in _files_in(Path(os.path.realpath(directory))):
        plugins += _plugins(file, _read(file, files), files)
    return plugins


def find_local_bases(directory: Path, roots: list[Node]) -> list[Path]:
    """Find the local directories that the kustomization of a directory names: bases, components, those of plugins."""
    here = Path(os.path.realpath(directory))
    bases: list[Path] = []
    for one in _references(roots, []):
        local = _locate(here, one.path)
        if not one.as_base or one.is_remote(local):
            continue
        if local != here and _type_of(local) == stat.S_IFDIR:
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


def find_affixes(directory: Path, allowance: Allowance) -> frozenset[tuple[str, str]]:
    """Return what a kustomization that kustomize has built puts before and behind names, with its local bases.

    Those of a base are inside of those of the kustomization that names it. Those of a component are around all that the
    other bases have.
    """
    here = Path(os.path.realpath(directory))
    files = Files(allowance.limits.root or _shown(here), allowance)
    roots = _read_directory(here, files)
    inner = frozenset({("", "")})
    for base in _find_folders(here, roots, "resources", "bases"):
        inner |= find_affixes(base, allowance)
    for component in _find_folders(here, roots, "components"):
        inner |= _put_around(find_affixes(component, allowance), inner)
    return _put_around([_affixes_of(roots)], inner)


def _find_folders(here: Path, roots: Iterable[Node], *fields: str) -> Iterator[Path]:
    for root in roots:
        for field in fields:
            for entry in elements(named_field(root, field)):
                path = text(entry)
                if not path or is_repository(path):
                    continue
                folder = _locate(here, path)
                if _type_of(folder) == stat.S_IFDIR:
                    yield folder


def _put_around(
    outer: Iterable[tuple[str, str]], inner: Iterable[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    affixes: set[tuple[str, str]] = set()
    for before, behind in outer:
        affixes |= {(before + prefix, suffix + behind) for prefix, suffix in inner}
    return frozenset(affixes)


def find_own_affixes(directory: Path, files: Files) -> tuple[str, str]:
    """Return what the kustomization of a directory adds to names itself, before and behind them."""
    return _affixes_of(_read_directory(Path(os.path.realpath(directory)), files))


def _read_directory(here: Path, files: Files) -> list[Node]:
    roots: list[Node] = []
    for file in _files_in(here):
        roots += _read(file, files)
    return roots


def _affixes_of(roots: Iterable[Node]) -> tuple[str, str]:
    before = "".join(text(named_field(root, "namePrefix")) for root in roots)
    behind = "".join(text(named_field(root, "nameSuffix")) for root in roots)
    return before, behind


def _find_fixed(file: Path, roots: Iterable[Node]) -> dict[tuple[str, str], str]:
    """Return what the generators of a kustomization are to make without a hash in its name."""
    fixed = {}
    for root in roots:
        is_for_all = _is_fixed(named_field(root, "generatorOptions"))
        for field, kind in _GENERATORS.items():
            for one in elements(named_field(root, field)):
                if is_for_all or _is_fixed(named_field(one, "options")):
                    fixed[kind, text(named_field(one, "name"))] = str(_shown(file))
    return fixed


def _is_fixed(options: Node | None) -> bool:
    return text(named_field(options, "disableNameSuffixHash")) in TRUE


def _adds_affix(plugin: Plugin) -> bool:
    return text(get(plugin.config, "kind")) in _AFFIX_TRANSFORMERS


def lists_krm_fn(directory: Path, allowance: Allowance) -> bool:
    """Tell whether the kustomization of a directory lists krm-fn, or cannot be read to find that out."""
    try:
        return any(plugin.krm_fn for plugin in find_plugins(directory, Files(directory, allowance)))
    except Rejected:
        return True


def _files_in(here: Path) -> list[Path]:
    return [here / name for name in KUSTOMIZATIONS if (here / name).exists()]


class _KustomizationWalk:
    """From the topmost kustomization to all its local bases.

    What is read on the way is kept if it must be copied.
    """

    def __init__(self, directory: Path, allowance: Allowance, *, keeps_all: bool = False) -> None:
        self.top = Path(os.path.realpath(directory))
        self.has_affixes = False
        self.fixed: dict[tuple[str, str], str] = {}
        self.charts: list[ListedChart] = []
        self.files: dict[Path, bytes] = {}
        self.folders: set[Path] = set()
        self.function: Plugin | None = None
        self._directory = directory
        self._allowance = allowance
        self._keeps_all = keeps_all
        # Where kustomize may give charts to helm, it must read nothing that has not been checked.
        self._unchecked: list[Problem] = []

    @property
    def tree(self) -> KustomizeTree:
        return KustomizeTree(self.top, self.function, self.files, self.folders)

    def run(self) -> Checked:
        """Check every kustomization once, and report the problems of all."""
        problems: list[Problem] = []
        reached: set[Path] = set()
        pending = [self.top]
        while pending:
            here = pending.pop()
            if here not in reached:  # a loop is reported by kustomize
                reached.add(here)
                try:
                    pending += self._check(here)
                except Rejected as rejected:
                    problems += rejected.problems
        problems += self._unchecked if self.charts else ()
        if problems:
            raise Rejected(*problems)
        self.folders |= reached
        bases = sorted(_shown(base) for base in reached - {self.top})
        return Checked(
            bases, self.charts, self.tree if self.function else None, self.has_affixes, self.fixed
        )

    def _check(self, here: Path) -> list[Path]:
        """Check what one kustomization names, and return its local bases."""
        files = _KeptFiles(self._allowance.limits.root or _shown(here), self._allowance, self.files)
        bases: list[Path] = []
        problems: list[Problem] = []
        files.locate(_shown(here))
        for file in _files_in(here):
            roots = _read(file, files)
            plugins = list(_plugins(file, roots, files))
            problems += self._find_function(file, roots, plugins)
            self.has_affixes |= any(_affixes_of(roots)) or any(map(_adds_affix, plugins))
            self.fixed |= _find_fixed(file, roots)
            # Only a tree from which krm-fn is to be taken is copied. What it names below is read
            # from here on.
            is_copied = self.function is not None or self._keeps_all
            files.keep_all = is_copied
            problems += self._find_charts(file, roots, plugins, is_copied=is_copied)
            for reference in sorted(_references(roots, plugins), key=lambda one: one.node.start):
                local = _locate(here, reference.path)
                if reference.is_remote(local):
                    problems += self._judge_remote(file, reference)
                    continue
                if is_copied:
                    problems += _refuse_elsewhere(file, reference.node, reference.path)
                if _type_of(local) == stat.S_IFDIR:
                    if reference.as_base:
                        bases.append(Path(os.path.realpath(local)))
                    self.folders.add(local)
                elif reference.as_file and _type_of(local) is not None:
                    # What is missing, kustomize reports.
                    files.check(_shown(local))
        if problems:
            raise Rejected(*problems)
        return bases

    def _judge_remote(self, file: Path, reference: _Reference) -> Iterator[Problem]:
        if self._allowance.limits.no_remote or self._keeps_all:  # nothing is fetched twice
            yield _refuse_remote(file, reference)
        else:
            self._unchecked.append(
                _problem(file, reference.node, f"{_address(reference)} is remote, {_UNCHECKED}")
            )

    def _find_charts(
        self, file: Path, roots: list[Node], plugins: list[Plugin], *, is_copied: bool
    ) -> Iterator[Problem]:
        """Find the charts that kustomize would give to helm, and say what stands against it."""
        for field in _PLUGINS:
            for entry in chain.from_iterable(_find(root, (field,)) for root in roots):
                if _type_of(_locate(file.parent, entry.value)) == stat.S_IFDIR:
                    message = f"{field}: {entry.value} is a folder, {_UNCHECKED}"
                    self._unchecked.append(_problem(file, entry, message))
        for root in roots:
            yield from self._judge_charts(file, root, None, is_copied=is_copied)
        # The lines of a plugin are those of another text: its problems are placed where it is
        # named.
        for plugin in plugins:
            yield from self._judge_charts(file, plugin.config, plugin.entry, is_copied=is_copied)

    def _judge_charts(
        self, file: Path, config: Node, entry: Node | None, *, is_copied: bool
    ) -> Iterator[Problem]:
        charts = [*find_listed_charts(file.parent, config)]
        if charts and not self._allowance.limits.enable_helm:
            advice = (
                ""
                if self._allowance.limits.are_fixed
                else "; --enable-helm lets it, as with kustomize"
            )
            message = f"lists a chart, and krm-fn lets kustomize run helm only when told to{advice}"
            yield _problem(file, entry or charts[0].node, message)
            return
        self.charts += charts
        refused = [*find_refused(config, charts)] if charts else []
        for node, message in refused:
            yield _problem(file, entry or node, message)
        for chart in () if refused else charts:  # no text that is refused becomes a path
            if not chart.is_here:
                yield from self._judge_missing(file, entry or chart.node, chart)
            if is_copied:
                yield from _refuse_elsewhere(file, entry or chart.node, chart.home_text)
                self._keep_chart(chart)

    def _judge_missing(self, file: Path, node: Node, chart: ListedChart) -> Iterator[Problem]:
        where = f"the chart {chart.name} is not in {_shown(chart.home)}"
        if not chart.repo:
            yield _problem(file, node, f"{where}, and without a `repo`")
        elif self._allowance.limits.no_remote:
            advice = f"get it with helm pull --untar --untardir {_shown(chart.home)}"
            yield _problem(
                file, node, f"{where}, and to fetch it is what --no-remote refuses; {advice}"
            )

    def _keep_chart(self, chart: ListedChart) -> None:
        if not chart.is_here:
            return
        folder = _shown(chart.folder)
        files = _KeptFiles(self._allowance.limits.root or folder, self._allowance, self.files)
        for here, _, names in files.walk(folder):
            self.folders.add(_locate(Path.cwd(), str(here)))
            for name in names:
                files.read(here / name)

    def _find_function(
        self, file: Path, roots: list[Node], plugins: list[Plugin]
    ) -> Iterator[Problem]:
        """Find krm-fn at the end of the topmost transformers.

        Say what to do about each entry elsewhere.
        """
        inline = {
            plugin.entry for plugin in plugins if plugin.is_inline and is_mapping(plugin.config)
        }
        transformers: list[Scalar] = []
        for root in roots:
            transformers += _find(root, ("transformers",))
        transformers.sort(key=lambda entry: entry not in inline)  # so kustomize runs them
        listed = [plugin for plugin in plugins if plugin.krm_fn]
        is_top = file.parent == self.top
        # Even where something is wrong with it: then more can be said about the rest of the tree.
        if is_top and listed:
            self.function = listed[-1]
        for number, plugin in enumerate(listed):
            if not is_top or plugin.field != "transformers":
                where = f"of {self._directory}, the topmost kustomization"
                message = f"found krm-fn; make it the last of the `transformers` {where}{_INSTEAD}"
            elif number:
                message = f"found krm-fn {len(listed)} times; keep one entry, with one configuration{_INSTEAD}"
            elif len(listed) == 1 and not _is_last(plugin.entry, transformers):
                first = ", in a file: kustomize runs what is in place before"
                how = first if plugin.is_inline else ""
                message = (
                    f"found krm-fn before other transformers; make it the last one{how}{_INSTEAD}"
                )
            elif _is_skipped(plugin):
                message = (
                    "kustomize skips krm-fn in silence, as its annotation config.kubernetes.io/function names neither "
                    "`exec: {path: ...}` nor `container: {image: ...}`; add one of them"
                )
            else:
                continue
            yield plugin.problem(message)
        if self.function:
            yield from _refuse_unequal(file, roots, _UNEQUAL if is_top else ("vars",))


def _is_last(entry: Scalar, transformers: list[Scalar]) -> bool:
    """Tell whether an entry is the last one, and no other is the same text through an alias."""
    return entry is transformers[-1] and transformers.count(entry) == 1


class _KeptFiles(Files):
    """Files whose content is kept: that of kustomizations and plugins, and with `keep_all` of all others."""

    def __init__(self, root: Path, allowance: Allowance, kept: dict[Path, bytes]) -> None:
        super().__init__(root, allowance)
        self.keep_all = False
        self._kept = kept

    def read(self, file: Path) -> bytes:
        data = super().read(file)
        self._kept[_locate(Path.cwd(), str(file))] = data
        return data

    def check(self, file: Path) -> None:
        if self.keep_all:
            self.read(file)
        else:
            super().check(file)


def _locate(here: Path, path: str) -> Path:
    """Return where kustomize looks for a path: it resolves `..` in the text, and links only then."""
    return without_dots(here / path)


def _type_of(path: Path) -> int | None:
    """Return the type of a file; None if there is none, as for a whole patch in the place of a name."""
    try:
        return stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError):  # a text that is too long for a name, or that has a NUL in it
        return None


def _shown(path: Path) -> Path:
    return Path(os.path.relpath(path))


def _problem(file: Path, node: Node, message: str) -> Problem:
    return place(str(_shown(file)), at(node.start_mark, message))


def _plugins(file: Path, roots: list[Node], files: Files) -> Iterator[Plugin]:
    for root in roots:
        for field in _PLUGINS:
            for entry in _find(root, (field,)):
                inline, named = _read_plugin(entry, file, files)
                yield from (Plugin(file, field, entry, config, is_inline=True) for config in inline)
                yield from (Plugin(file, field, entry, config, is_inline=False) for config in named)


def _references(roots: list[Node], plugins: list[Plugin]) -> Iterator[_Reference]:
    for root in roots:
        yield from _references_in(root, _FIELDS)
    for plugin in plugins:
        # Their lines would be those of another text: all problems are placed where the plugin is
        # named.
        found = _references_in(plugin.config, _FIELDS_OF_PLUGINS)
        yield from (reference._replace(node=plugin.entry) for reference in found)


def _references_in(
    root: Node, fields: Mapping[tuple[str, ...], tuple[bool, bool]]
) -> Iterator[_Reference]:
    for path, (as_file, as_base) in fields.items():
        for node in _find(root, path):
            source = _FILE_SOURCE.fullmatch(node.value) if path[-1] == "files" else None
            yield _Reference(node, source[1] if source else node.value, as_file, as_base)


def _find(node: Node, path: tuple[str, ...]) -> Iterator[Scalar]:
    """Find the texts at a path, in lists too."""
    if is_sequence(node):
        for element in elements(node):
            yield from _find(element, path)
    elif path:
        value = named_field(node, path[0])
        if value is not None:
            yield from _find(value, path[1:])
    elif is_scalar(node):
        yield node


def _read(
    file: Path, files: Files, read: Callable[[bytes], list[Node]] = read_kustomization
) -> list[Node]:
    shown = _shown(file)
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
            _problem(named_in, plugin, f"in this text: {problem}") for problem in rejected.problems
        )
        raise Rejected(*unread) from rejected
    file = _locate(named_in.parent, plugin.value)
    is_file = _type_of(file) not in (None, stat.S_IFDIR)
    return configs, (_read(file, files, read_plainly) if is_file or files.is_draft(file) else [])


def _refuse_remote(file: Path, reference: _Reference) -> Problem:
    message = (
        f"{_address(reference)} is remote, which --no-remote refuses; copy it into the repository"
    )
    return _problem(file, reference.node, message)


def _address(reference: _Reference) -> str:
    # Credentials may be in front of the host, and in the query.
    return _CREDENTIALS.sub("//", reference.path.partition("?")[0])


def _refuse_elsewhere(file: Path, node: Node, path: str) -> Iterator[Problem]:
    """Refuse a path that would lead out of a copy of the tree: an absolute one, and one with too many `..`."""
    here = file.parent.relative_to("/")
    root, copy = Path("/"), Path("/copy")
    if _locate(copy / here, path) != copy / _locate(root / here, path).relative_to(root):
        message = f"found {path}; where krm-fn is listed, paths must be relative, without leading out of /"
        yield _problem(file, node, message)


def _refuse_unequal(file: Path, roots: list[Node], fields: Iterable[str]) -> Iterator[Problem]:
    """Refuse what would give another result than kustomize with krm-fn as its function."""
    for root in roots:
        for field in fields:
            value = named_field(root, field)
            if value is not None and not is_null(value) and value.value:
                message = (
                    f"{field} of a kustomization that lists krm-fn: {_UNEQUAL[field]}{_INSTEAD}"
                )
                yield _problem(file, value, message)


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


def _is_skipped(plugin: Plugin) -> bool:
    """Tell whether kustomize would take the plugin for a function, and then not run it."""
    config = plugin.krm_fn
    if config is None or not any(name in config.annotations for name in DECLARES_FUNCTION):
        return False
    return not runtimes_of(config)
