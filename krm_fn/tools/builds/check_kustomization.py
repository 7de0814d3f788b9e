"""Check what a kustomization and its local bases name, before kustomize runs.

kustomize itself refuses files outside of the directory of their kustomization, and runs no
functions, unless it is asked to. It neither limits where a base is, nor what is fetched, nor which
charts helm gets. Where its last function is krm-fn, that runs afterwards: see `kustomize_copy`.

A folder among its plugins is checked as a base. What plugins it holds, only kustomize knows: the
caller builds the `folders` of what is checked, and has the tree checked again if krm-fn is in one.

The rules are kustomize's own, in the order in which it applies them.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, Scalar, is_mapping, is_null
from krm_fn.base.problem import Problem, Problems, Rejected
from krm_fn.core.config.config import parse_config
from krm_fn.tools.builds.affixes import adds_affix, affixes_of, find_fixed, find_names_taken
from krm_fn.tools.builds.kustomization import (
    KustomizeTree,
    Marked,
    PathReference,
    Plugin,
    PluginFolder,
    files_in,
    find_paths,
    find_texts,
    folders_of,
    is_skipped,
    locate_path,
    plugins_of,
    problem_in,
    read_roots,
    shown_path,
    type_of,
)
from krm_fn.tools.builds.listed_charts import ListedChart, find_listed_charts, find_refused
from krm_fn.tools.builds.named_fields import named_field
from krm_fn.tools.common.files import Allowance, Files, real_path

_CREDENTIALS = re.compile("//[^/]*@")
_INSTEAD = "; or build with `kustomize build --enable-alpha-plugins --enable-exec`"
_UNCHECKED = (
    "and may hide charts and paths that nobody has checked; where a chart or a file of another "
    "folder is listed, write it as a file of the repository"
)
_ANYWHERE = "pass --kustomize-options='--load-restrictor LoadRestrictionsNone', and a --root that contains it"
_UNEQUAL = {
    "vars": "kustomize replaces them after its transformers, of which krm-fn must be the last; use `replacements`",
    "buildMetadata": "kustomize adds it to what krm-fn adds too, which krm-fn cannot do for it; remove it",
}
"""Fields that take effect behind the last transformer, and what to do about each."""


class Checked(NamedTuple):
    """The local bases of a kustomization, and theirs, and the charts that any of them lists.

    `tree`: what was read, if the last transformer is krm-fn. `folders`: those among the plugins, of
    which nobody has said yet what kustomize builds of them; inner ones first.

    `has_affixes`: one of them puts something before or behind names. `marked`: what they say of
    the names of objects, and the file that says so. `reads_anywhere`: a file is not in the folder of
    its kustomization.
    """

    bases: list[Path]
    charts: list[ListedChart]
    tree: KustomizeTree | None
    has_affixes: bool
    marked: Mapping[Marked, str]
    folders: list[PluginFolder]
    reads_anywhere: bool

    @property
    def is_offline(self) -> bool:
        """Tell whether kustomize may only read what has been checked."""
        return bool(self.charts) or self.reads_anywhere


def check_kustomization(
    directory: Path, allowance: Allowance, built: Mapping[Path, bytes] | None = None
) -> Checked:
    """Check all that kustomize would read to build a directory.

    Raises Rejected for what it may not read or run. `built`: what kustomize builds of the folders
    among the plugins, once all else has been checked.
    """
    return _KustomizationWalk(directory, allowance, built=built).run()


def read_tree(directory: Path, allowance: Allowance) -> KustomizeTree:
    """Read all that kustomize would read to build a directory.

    Raises Rejected for what no copy of it could hold.
    """
    walk_all = _KustomizationWalk(directory, allowance, keeps_all=True)
    walk_all.run()
    return walk_all.tree


class _KustomizationWalk:
    """From the topmost kustomization to all its local bases.

    What is read on the way is kept if it must be copied.
    """

    def __init__(
        self,
        directory: Path,
        allowance: Allowance,
        *,
        keeps_all: bool = False,
        built: Mapping[Path, bytes] | None = None,
    ) -> None:
        self.top = Path(os.path.realpath(directory))
        self.has_affixes = False
        self.reads_anywhere = False
        self.marked: dict[Marked, str] = {}
        self.charts: list[ListedChart] = []
        self.files: dict[Path, bytes] = {}
        self.folders: set[Path] = set()
        self.function: Plugin | None = None
        self.functions: list[Plugin] = []
        self._directory = directory
        self._allowance = allowance
        self._keeps_all = keeps_all
        # Where kustomize may give charts to helm, or read other folders, it must read nothing that
        # has not been checked.
        self._unchecked: list[Problem] = []
        self._built = built
        self._plugin_folders: list[PluginFolder] = []
        self._entries: set[Scalar] = set()
        # Who includes each component, by its folder.
        self._included: dict[Path, Inclusion] = {}

    @property
    def tree(self) -> KustomizeTree:
        return KustomizeTree(self.top, self.function, self.files, self.folders, self.functions)

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
        # A folder of plugins may hold krm-fn.
        if self._built or not self._plugin_folders:
            problems += self._judge_bases()
        if self.charts or self.reads_anywhere:
            problems += self._unchecked
        if problems:
            raise Rejected(*problems)
        self.folders |= reached
        bases = sorted(shown_path(base) for base in reached - {self.top})
        tree = self.tree if self.function else None
        folders = [] if self._built is not None else [*reversed(self._plugin_folders)]
        return Checked(
            bases, self.charts, tree, self.has_affixes, self.marked, folders, self.reads_anywhere
        )

    def _check(self, here: Path) -> list[Path]:
        """Check what one kustomization names, and return its local bases."""
        files = _KeptFiles(
            self._allowance.limits.root or shown_path(here), self._allowance, self.files
        )
        bases: list[Path] = []
        problems: list[Problem] = []
        files.locate(shown_path(here))
        for file in files_in(here):
            roots = read_roots(file, files)
            plugins = [*plugins_of(file, roots, files), *self._look_into_folders(file, roots)]
            problems += self._find_function(file, roots, plugins)
            problems += self._find_missing(file, roots)
            self.has_affixes |= any(affixes_of(roots)) or any(map(adds_affix, plugins))
            self.marked |= find_fixed(file, roots)
            # Only a tree from which krm-fn is to be taken is copied. What it names below is read
            # from here on.
            is_copied = self.function is not None or self._keeps_all
            files.keep_all = is_copied
            problems += self._find_charts(file, roots, plugins, is_copied=is_copied)
            for reference in sorted(find_paths(roots, plugins), key=lambda one: one.node.start):
                local = locate_path(here, reference.path)
                if reference.is_remote(local):
                    problems += self._judge_remote(file, reference)
                    continue
                if is_copied:
                    problems += _refuse_elsewhere(file, reference.node, reference.path)
                if type_of(local) == stat.S_IFDIR:
                    if reference.as_base:
                        base = Path(os.path.realpath(local))
                        bases.append(base)
                        if not reference.as_file:
                            self._included.setdefault(base, Inclusion(file, reference.node))
                    self.folders.add(local)
                elif reference.as_file and type_of(local) is not None:
                    # What is missing, kustomize reports.
                    problems += self._check_file(file, reference, local, files)
            self.marked |= find_names_taken(file, roots, files)
        if problems:
            raise Rejected(*problems)
        return bases

    def _check_file(
        self, file: Path, reference: PathReference, local: Path, files: Files
    ) -> Problems:
        is_ours = reference.node in self._entries  # kustomize never reads it
        if not is_ours and not real_path(local).is_relative_to(file.parent):
            self.reads_anywhere = True
            if not self._allowance.limits.reads_anywhere:
                message = f"{reference.path} leads out of {shown_path(file.parent)}; {_ANYWHERE}"
                yield problem_in(file, reference.node, message)
                return
        files.check(shown_path(local))

    def _look_into_folders(self, file: Path, roots: list[Node]) -> Iterator[Plugin]:
        """Find the plugins in the folders that a kustomization names, as far as they are built."""
        for folder in folders_of(file, roots):
            self._plugin_folders.append(folder)
            if self._built is not None:
                yield from folder.plugins(self._built.get(folder.path, b""))

    def _find_missing(self, file: Path, roots: list[Node]) -> Problems:
        """Find resources of a folder of plugins that are not there, as after a move: kustomize says it in ten lines."""
        if not any(folder.path == file.parent for folder in self._plugin_folders):
            return
        here = shown_path(file.parent)
        for root in roots:
            for entry in find_texts(root, ("resources",)):
                reference = PathReference(entry, entry.value, as_file=True, as_base=True)
                local = locate_path(file.parent, entry.value)
                if type_of(local) is None and not reference.is_remote(local):
                    message = f"{entry.value} does not exist; correct the path, which is relative to {here}"
                    yield problem_in(file, entry, message)

    def _judge_remote(self, file: Path, reference: PathReference) -> Problems:
        if self._allowance.limits.no_remote or self._keeps_all:  # nothing is fetched twice
            yield _refuse_remote(file, reference)
        else:
            self._unchecked.append(
                problem_in(file, reference.node, f"{_address(reference)} is remote, {_UNCHECKED}")
            )

    def _find_charts(
        self, file: Path, roots: list[Node], plugins: list[Plugin], *, is_copied: bool
    ) -> Problems:
        """Find the charts that kustomize would give to helm, and say what stands against it."""
        if self._built is not None:
            for folder in folders_of(file, roots):
                # Nothing of the folder that is krm-fn is run by kustomize.
                if self.function is None or self.function.entry is not folder.entry:
                    message = f"{folder.entry.value} is a folder, {_UNCHECKED}"
                    self._unchecked.append(folder.problem(message))
        for root in roots:
            yield from self._judge_charts(file, root, None, is_copied=is_copied)
        # The lines of a plugin are those of another text: its problems are placed where it is
        # named.
        for plugin in plugins:
            yield from self._judge_charts(file, plugin.config, plugin.entry, is_copied=is_copied)

    def _judge_charts(
        self, file: Path, config: Node, entry: Node | None, *, is_copied: bool
    ) -> Problems:
        charts = [*find_listed_charts(file.parent, config)]
        if charts and not self._allowance.limits.enable_helm:
            advice = (
                ""
                if self._allowance.limits.are_fixed
                else "; --enable-helm lets it, as with kustomize"
            )
            message = f"lists a chart, and krm-fn lets kustomize run helm only when told to{advice}"
            yield problem_in(file, entry or charts[0].node, message)
            return
        self.charts += charts
        refused = [*find_refused(config, charts)] if charts else []
        for node, message in refused:
            yield problem_in(file, entry or node, message)
        if refused:
            return  # no text that is refused becomes a path
        for chart in charts:
            if not chart.is_here:
                yield from self._judge_missing(file, entry or chart.node, chart)
            if is_copied:
                yield from _refuse_elsewhere(file, entry or chart.node, chart.home_text)
                self._keep_chart(chart)

    def _judge_missing(self, file: Path, node: Node, chart: ListedChart) -> Problems:
        where = f"the chart {chart.name} is not in {shown_path(chart.home)}"
        if not chart.repo:
            yield problem_in(file, node, f"{where}, and without a `repo`")
        elif self._allowance.limits.no_remote:
            advice = f"get it with helm pull --untar --untardir {shown_path(chart.home)}"
            yield problem_in(
                file, node, f"{where}, and to fetch it is what --no-remote refuses; {advice}"
            )

    def _keep_chart(self, chart: ListedChart) -> None:
        if not chart.is_here:
            return
        folder = shown_path(chart.folder)
        files = _KeptFiles(self._allowance.limits.root or folder, self._allowance, self.files)
        for here, _, names in files.walk(folder):
            self.folders.add(locate_path(Path.cwd(), str(here)))
            for name in names:
                files.read(here / name)

    def _find_function(self, file: Path, roots: list[Node], plugins: list[Plugin]) -> Problems:
        """Find krm-fn at the end of the topmost transformers, and of those of bases.

        Say what to do about each entry elsewhere.
        """
        transformers = _order_transformers(roots, plugins)
        listed = [plugin for plugin in plugins if plugin.krm_fn]
        self._entries |= {plugin.entry for plugin in listed}
        is_top = file.parent == self.top
        # Even where something is wrong with it: then more can be said about the rest of the tree.
        if is_top and listed:
            self.function = listed[-1]
        for number, plugin in enumerate(listed):
            if plugin.field != "transformers" or file.parent in self._included:
                yield self._say_where(plugin)
                continue
            if number:
                message = f"found krm-fn {len(listed)} times; keep one entry, with one configuration{_INSTEAD}"
            elif len(listed) == 1 and not _is_last(plugin.entry, transformers):
                first = ", in a file: kustomize runs what is in place before"
                how = first if plugin.is_inline else ""
                message = (
                    f"found krm-fn before other transformers; make it the last one{how}{_INSTEAD}"
                )
            elif len(listed) == 1 and _is_beside_others(plugin, plugins):
                message = (
                    f"found krm-fn beside other objects in {plugin.entry.value}; keep its configuration alone in "
                    f"this folder, and list the others before it{_INSTEAD}"
                )
            elif is_skipped(plugin):
                message = (
                    "kustomize skips krm-fn in silence, as its annotation config.kubernetes.io/function names neither "
                    "`exec: {path: ...}` nor `container: {image: ...}`; add one of them"
                )
            else:
                self.functions.append(plugin)
                continue
            yield plugin.problem(message)
        if self.function:
            yield from _refuse_unequal(file, roots, _UNEQUAL if is_top else ("vars",))

    def _judge_bases(self) -> Problems:
        """Say where the last run of krm-fn would not undo all that the one in a base has done."""
        top = self._directory
        for plugin in self.functions:
            if self.function is None:
                yield plugin.problem(
                    f"found krm-fn, which sees nothing of what {top} changes, as that lists no krm-fn; "
                    f"list it there, too, as krm-fn init {top} does"
                )
            elif plugin.kustomization.parent != self.top:
                theirs, ours = parse_config(plugin.config), parse_config(self.function.config)
                former = theirs.set
                same = theirs._replace(set=ours.set, take_over=ours.take_over, linker=ours.linker)
                if former not in ours.own_sets:
                    yield plugin.problem(
                        f"found krm-fn of set {former}; set spec.takeOver: [{former}] for {top}"
                    )
                elif same != ours:
                    yield plugin.problem(
                        f"found krm-fn with another spec than {top} has; write the same, but for takeOver and linker"
                        f"{_INSTEAD}"
                    )

    def _say_where(self, plugin: Plugin) -> Problem:
        """Say where krm-fn belongs that is not among the topmost transformers."""
        where = f"of {self._directory}, the topmost kustomization"
        included = self._included.get(plugin.kustomization.parent)
        if included is not None:
            return included.problem(where)
        return plugin.problem(
            f"found krm-fn; make it the last of the `transformers` {where}{_INSTEAD}"
        )


class Inclusion(NamedTuple):
    """The entry with which a kustomization includes a component."""

    kustomization: Path
    entry: Scalar

    def problem(self, where: str) -> Problem:
        """Say that krm-fn is in the component."""
        path = self.entry.value
        message = (
            f"components: found krm-fn in {path}, and kustomize builds a component before the prefixes and the "
            f"namespace of what includes it; name krm-fn in `resources` of {path}, without `kind: Component`, and "
            f"list {path} as the last of the `transformers` {where}{_INSTEAD}"
        )
        return problem_in(self.kustomization, self.entry, message)


def _order_transformers(roots: list[Node], plugins: list[Plugin]) -> list[Scalar]:
    """Return the entries of transformers as kustomize runs them: those in place first."""
    inline = {plugin.entry for plugin in plugins if plugin.is_inline and is_mapping(plugin.config)}
    transformers: list[Scalar] = []
    for root in roots:
        transformers += find_texts(root, ("transformers",))
    return sorted(transformers, key=lambda entry: entry not in inline)


def _is_beside_others(plugin: Plugin, plugins: list[Plugin]) -> bool:
    """Tell whether a plugin is one of several that a folder holds."""
    held = [one for one in plugins if one.built and one.entry is plugin.entry]
    return len(held) > 1


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
        self._kept[locate_path(Path.cwd(), str(file))] = data
        return data

    def check(self, file: Path) -> None:
        if self.keep_all:
            self.read(file)
        else:
            super().check(file)


def _refuse_remote(file: Path, reference: PathReference) -> Problem:
    message = (
        f"{_address(reference)} is remote, which --no-remote refuses; copy it into the repository"
    )
    return problem_in(file, reference.node, message)


def _address(reference: PathReference) -> str:
    # Credentials may be in front of the host, and in the query.
    return _CREDENTIALS.sub("//", reference.path.partition("?")[0])


def _refuse_elsewhere(file: Path, node: Node, path: str) -> Problems:
    """Refuse a path that would lead out of a copy of the tree: an absolute one, and one with too many `..`."""
    here = file.parent.relative_to("/")
    root, copy = Path("/"), Path("/copy")
    if locate_path(copy / here, path) != copy / locate_path(root / here, path).relative_to(root):
        message = f"found {path}; where krm-fn is listed, paths must be relative, without leading out of /"
        yield problem_in(file, node, message)


def _refuse_unequal(file: Path, roots: list[Node], fields: Iterable[str]) -> Problems:
    """Refuse what would give another result than kustomize with krm-fn as its function."""
    for root in roots:
        for field in fields:
            value = named_field(root, field)
            if value is not None and not is_null(value) and value.value:
                message = (
                    f"{field} of a kustomization that lists krm-fn: {_UNEQUAL[field]}{_INSTEAD}"
                )
                yield problem_in(file, value, message)
