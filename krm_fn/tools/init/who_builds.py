"""Find what is around a directory: who builds it as a base, what deploys it, which sets there are.

All of it is read from the files of the repository, as far as they are regular and of a size that
such files have. What nobody can read, nobody builds either: it is passed over.
"""

import os
import shlex
import sys
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, product
from pathlib import Path

from krm_fn.base.item import Item, find_objects, read_item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, elements, get, is_null, text, walk
from krm_fn.base.pods import find_templates
from krm_fn.base.problem import Problem, Rejected, count, listing, printable
from krm_fn.base.settings import CONFIG_FILE, KIND, KPTFILE, is_configuration
from krm_fn.core.config.config import find_in_kptfile
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.tools.builds.builds import find_local_bases, find_plugins, named_fields
from krm_fn.tools.common.files import (
    CHART,
    KUSTOMIZATIONS,
    MANIFESTS,
    MAX_LEVELS,
    Allowance,
    Files,
    Limits,
    built_from,
    is_sharing_folder,
    real_path,
)
from krm_fn.tools.common.patterns import WorkingTree, find_patterns
from krm_fn.tools.init.texts import find_shared_name

_MAX_BYTES = 1_000_000
"""Of one file. Kustomizations, configurations and Applications are far smaller."""

_MOST_FOLDERS = 1_000

_MOST_NAMES = 3

_FLUX = "kustomize.toolkit.fluxcd.io"
_DEPLOYS = {
    "argoproj.io": ("Application", "ApplicationSet"),
    _FLUX: ("Kustomization",),
}
"""By group, the kinds whose objects deploy another directory."""

_TELLING = (KIND.encode(), *map(str.encode, _DEPLOYS))
"""Words of files that matter. To parse all files of a repository takes long."""

_PLUGINS = ("generators", "transformers", "validators")
_CHART_FIELDS = ("helmcharts", "helmchartinflationgenerator")
_CHART_PLUGIN = "HelmChartInflationGenerator"
_OF_A_CHART = frozenset({"templates", "crds", "charts"})
"""The folders of a chart that helm reads."""


class Kustomization(NamedTuple):
    """The part of a kustomization that matters to others. The folders are real paths.

    `sets`: those of krm-fn among its plugins.
    """

    folder: Path
    bases: tuple[Path, ...] = ()
    namespace: str = ""
    is_component: bool = False
    has_charts: bool = False
    fetches_charts: bool = False
    chart_home: Path | None = None
    sets: tuple[str, ...] = ()


class KnownSet(NamedTuple):
    """A set that is configured somewhere, and the namespaces that are known of it; `""` is any."""

    name: str
    folder: Path
    namespaces: frozenset[str]


class Around:
    """The repository of a directory; where there is none, the working directory, or what is beside the directory."""

    def __init__(
        self, directory: Path, limits: Limits, drafts: Mapping[Path, bytes] | None = None
    ) -> None:
        self.directory = real_path(directory)
        self._shown = directory
        above = (self.directory, *self.directory.parents)
        self.repository = next((one for one in above if os.path.lexists(one / ".git")), None)
        here = real_path(Path())
        is_below = here in self.directory.parents and here != here.parent
        beside = here if is_below else self.directory.parent
        self.top = real_path(limits.root) if limits.root else self.repository or beside
        self.reader = Files(self.top, Allowance(Limits(max_bytes=sys.maxsize), drafts))
        self._telling: dict[Path, frozenset[bytes]] = {}
        self._lets_helm_run = limits.enable_helm
        self._drafts = drafts or {}

    @cached_property
    def kustomizations(self) -> dict[Path, Kustomization]:
        folders = {file.parent for file in self._files if file.name in KUSTOMIZATIONS}
        return {
            folder: one for folder in sorted(folders) if (one := self._read_kustomization(folder))
        }

    @cached_property
    def sets(self) -> list[KnownSet]:
        """The sets of all other folders, and those that are going to be written there."""
        found: set[tuple[Path, str]] = set()
        for one in self.kustomizations.values():
            found |= {(one.folder, name) for name in one.sets}
        for file in self._files:
            found |= {(file.parent, name) for name in self._sets_in(file)}
        return [
            KnownSet(name, folder, self.namespaces_of(folder))
            for folder, name in sorted(found)
            if folder != self.directory
        ]

    @property
    def own_sets(self) -> frozenset[str]:
        """The names of the sets that are configured in the directory itself, before anything is written."""
        here = [file for file in self._files if file.parent == self.directory]
        return frozenset(name for file in here for name in self._sets_in(file))

    @property
    def sets_below(self) -> set[str]:
        """The sets of the bases in which kustomize runs krm-fn, or is going to."""
        below = (one for one in self._below(self.directory) if one.folder != self.directory)
        return {*chain.from_iterable(one.sets for one in below)}

    def order(self, directories: Sequence[Path]) -> list[Path]:
        """Put bases before what kustomize builds from them, and leave all else in its order."""
        named = {*map(real_path, directories)}
        return sorted(directories, key=lambda one: len(named & self._reach(real_path(one))))

    def has_common(self, folder: Path) -> bool:
        """Tell whether kustomize builds something from both folders."""
        return not self._reach(self.directory).isdisjoint(self._reach(folder))

    def namespaces_of(self, folder: Path) -> frozenset[str]:
        """Return the namespaces that are certain without a rendering; `""` where one is not known."""
        kustomization = self.kustomizations.get(folder)
        if kustomization and kustomization.namespace:
            return frozenset([kustomization.namespace])
        bases = kustomization.bases if kustomization else ()
        below = [self.kustomizations[one].namespace for one in bases if one in self.kustomizations]
        linkers = [
            text(get(root, "spec", "linker", "namespace"))
            for root in self._read(folder / CONFIG_FILE)
        ]
        if any(linkers):
            return frozenset(linkers)
        _, files = WorkingTree(folder).list(".")
        manifests = (
            [] if built_from(folder) else [name for name in files if name.endswith(MANIFESTS)]
        )
        nodes: list[Node] = []
        for name in manifests:
            nodes += self._read(folder / name)
        items = [
            item for item in map(read_item, find_objects(nodes)) if not is_configuration(item.id)
        ]
        return frozenset(item.id.namespace for item in items) or frozenset(["", *below])

    def read_shared(self, kustomization: Path) -> bytes:
        """Return the configuration that a folder takes from another one; nothing if it takes none."""
        found = self.kustomizations.get(real_path(kustomization.parent))
        return self._data(found.bases[0] / CONFIG_FILE) if found and found.bases else b""

    def check_can_write(self, file: Path) -> None:
        """Raise Rejected for a file that would be written outside of the repository, or through a link."""
        real = real_path(file)
        if not real.is_relative_to(self.top):
            message = f"leads to {real}, outside of the repository {self.show(self.top)}; name a folder in it"
            raise Rejected(Problem(message, file=str(file)))

    def find_candidates(self) -> list[Path]:
        """Find the folders below that a deployer may apply: overlays, charts, packages, applications with manifests."""
        # Only kustomize inflates what lies there.
        homes = {one.chart_home for one in self.kustomizations.values() if one.has_charts}
        found: list[Path] = []
        for file in self._files:
            folder = file.parent
            is_root = file.name in (*KUSTOMIZATIONS, CHART, KPTFILE) or file.name.endswith(
                MANIFESTS
            )
            is_below = self.directory in folder.parents
            is_part = not homes.isdisjoint(folder.parents) or is_sharing_folder(folder)
            if is_root and is_below and not is_part and folder not in (*found, *self._used):
                found.append(folder)
        built = [folder for folder in found if built_from(folder) or (folder / KPTFILE).is_file()]
        return sorted(built or found, key=os.fsencode)

    def check(self) -> None:
        """Raise Rejected where a function in this directory would break what others build."""
        problems = [Problem(message, file=str(self._shown)) for message in self._obstacles()]
        if problems:
            raise Rejected(*problems)

    def _obstacles(self) -> Iterator[str]:
        chart = next((one for one in self.directory.parents if self._is_part_of_chart(one)), None)
        if chart:
            yield f"is a part of the chart {self.show(chart)}; pass the chart"
        over = next((one for one in self.sets if self._reads_it(one.folder)), None)
        if over:
            yield f"is a part of {self.show(over.folder)}, where krm-fn is configured for all below; pass that"
        if self.directory not in self.kustomizations:
            return
        if self.kustomizations[self.directory].is_component:
            tops = sorted(map(self.show, self.find_tops()))
            more = f"; pass {listing(tops, _MOST_NAMES)}" if tops else ""
            yield f"is a Component, which is no package, but built into those that list it{more}"
        for one in self._below(self.directory):
            if one.has_charts and not self._lets_helm_run:
                yield (
                    f"has charts (`helmCharts`) in {self.show(one.folder)}, which kustomize gives to helm only when "
                    "told to; pass --enable-helm"
                )
        above: dict[Path, list[str]] = defaultdict(list)
        for place, item, path, _ in self._deployed:
            if item.id.group == _FLUX and self._is_generated_around(path):
                above[path].append(place)
        for path, places in above.items():
            yield (
                f"is built by Flux as a part of {self.show(path)} ({listing(places, _MOST_NAMES)}), and Flux runs no "
                "functions; render it in CI, and point Flux at the result"
            )

    @property
    def has_charts(self) -> bool:
        """Tell whether kustomize needs helm to build the directory."""
        return any(one.has_charts for one in self._below(self.directory))

    @property
    def fetches_charts(self) -> bool:
        """Tell whether charts of it are in no folder of the repository."""
        return any(one.fetches_charts for one in self._below(self.directory))

    @property
    def named_at(self) -> list[str]:
        """The lines that tell Argo CD or Flux to build this directory, by its path or by a pattern."""
        ours = [one for one in self._deployed if self.directory.match(str(one[2]))]
        left_out = [item for _, item, _, is_left_out in ours if is_left_out]
        return [place for place, item, *_ in ours if item not in left_out]

    def show(self, path: Path) -> str:
        return os.path.relpath(path)

    def find_tops(self) -> set[Path]:
        """Find the topmost kustomizations without krm-fn that are built from this directory."""
        return {
            one.folder
            for one in self.kustomizations.values()
            if not (one.sets or one.is_component or one.folder in self._used)
            and self.directory in self._reach(one.folder)
        }

    @cached_property
    def _used(self) -> set[Path]:
        return {*chain.from_iterable(one.bases for one in self.kustomizations.values())}

    def _reach(self, folder: Path) -> set[Path]:
        return {one.folder for one in self._below(folder)}

    def _below(self, folder: Path) -> Iterator[Kustomization]:
        reached: set[Path] = set()
        pending = [folder]
        while pending:
            here = pending.pop()
            if here not in reached:
                reached.add(here)
                # A base may be outside of what was walked.
                found = self.kustomizations.get(here) or self._read_kustomization(here)
                if found:
                    yield found
                    pending += found.bases

    def _reads_it(self, folder: Path) -> bool:
        """Tell whether the manifests of this directory belong to a folder above, and not to a package of kpt inside."""
        is_package = (self.directory / KPTFILE).is_file()
        return folder in self.directory.parents and not built_from(folder) and not is_package

    def _is_part_of_chart(self, parent: Path) -> bool:
        first = self.directory.relative_to(parent).parts[0]
        return (
            first in _OF_A_CHART
            and self.top in (parent, *parent.parents)
            and (parent / CHART).is_file()
        )

    def _is_generated_around(self, path: Path) -> bool:
        """Tell whether Flux generates a kustomization for a folder above, in which this one is a base."""
        if path not in self.directory.parents:
            return False
        between = [one for one in self.directory.parents if path in (one, *one.parents)]
        return not any(one in self.kustomizations for one in between)

    @cached_property
    def _files(self) -> list[Path]:
        # Without a repository, nothing says how far what belongs together goes.
        walked = _walk(self.top, sys.maxsize if self.repository else _MOST_FOLDERS)
        return [*walked, *self._drafts]

    @cached_property
    def _deployed(self) -> list[tuple[str, Item, Path, bool]]:
        """The paths and patterns in what deploys directories: line, object, and whether a pattern leaves it out."""
        found = []
        for file, group in product(self._files, _DEPLOYS):
            for item in filter(_deploys, self._items_with(file, group)):
                for entry in walk([item.node] if item.id.group == group else []):
                    if path := get(entry, "path"):
                        place = f"{self.show(file)}:{path.start_mark.line + 1}"
                        real = real_path(self.top / text(path).lstrip("/"))
                        found.append((place, item, real, get(entry, "exclude") is not None))
        return found

    def _sets_in(self, file: Path) -> Iterator[str]:
        for item in self._items_with(file, KIND):
            if is_configuration(item.id):
                yield item.id.name
        if file.name == CONFIG_FILE:
            yield from filter(None, (text(get(root, "data", "name")) for root in self._read(file)))
        if file.name == KPTFILE:
            for root in self._read(file):
                names = [
                    text(get(settings, "data", "name")) for _, settings in find_in_kptfile(root)
                ]
                yield from filter(None, names)

    def _items_with(self, file: Path, word: str) -> list[Item]:
        """Read the objects of a file that contains a word."""
        if not file.name.endswith(MANIFESTS):
            return []
        if file not in self._telling:
            data = self._data(file)
            self._telling[file] = frozenset(one for one in _TELLING if one in data)
        if word.encode() not in self._telling[file]:
            return []
        # Nobody deploys a ResourceList: it is what tools pass on, as in the tests of a function.
        roots = [one for one in self._read(file) if text(get(one, "kind")) != "ResourceList"]
        return [*map(read_item, find_objects(roots))]

    def _data(self, file: Path) -> bytes:
        """Read a file; nothing of one that cannot be read, or that is larger than any that matters."""
        try:
            is_small = self.reader.is_draft(file) or file.stat().st_size <= _MAX_BYTES
            return self.reader.read(file) if is_small else b""
        except (OSError, Rejected, ValueError):
            return b""

    def _read(self, file: Path) -> list[Node]:
        try:
            return read_yaml(self._data(file)).roots
        except Rejected:
            return []

    def _read_kustomization(self, folder: Path) -> Kustomization | None:
        roots: list[Node] = []
        for name in KUSTOMIZATIONS:
            if (folder / name).exists():
                roots += self._read(folder / name)
        if not roots:
            return None
        fields: dict[str, Node] = {}
        for root in roots:
            fields.update(named_fields(root))
        plugins = []
        if not fields.keys().isdisjoint(_PLUGINS):
            with suppress(Rejected):
                plugins = find_plugins(folder, self.reader)
                plugins = find_plugins(folder, self.reader, self.reader)
        inflates = any(name in fields and not is_null(fields[name]) for name in _CHART_FIELDS)
        home = real_path(folder / (text(get(fields.get("helmglobals"), "chartHome")) or "charts"))
        return Kustomization(
            folder,
            tuple(find_local_bases(folder, roots)),
            text(fields.get("namespace")),
            is_component=any(text(get(root, "kind")) == "Component" for root in roots),
            has_charts=inflates
            or any(text(get(one.config, "kind")) == _CHART_PLUGIN for one in plugins),
            fetches_charts=any(
                _is_elsewhere(one, home) for one in elements(fields.get("helmcharts"))
            ),
            chart_home=home,
            sets=tuple(
                # A patch names the set where packages share a configuration.
                find_shared_name(self._data(one.path / KUSTOMIZATIONS[0])) or one.krm_fn.id.name
                for one in plugins
                if one.krm_fn
            ),
        )


def _is_elsewhere(chart: Node, home: Path) -> bool:
    """Tell whether kustomize fetches a chart: it has a repository, and is in no folder."""
    name, version = text(get(chart, "name")), text(get(chart, "version"))
    places = (home / name, home / f"{name}-{version}" / name)
    return bool(text(get(chart, "repo"))) and not any(one.is_dir() for one in places)


def _deploys(item: Item) -> bool:
    """Tell whether an object deploys directories of a repository of git; Flux may have them from elsewhere."""
    source = text(get(item.node, "spec", "sourceRef", "kind"))
    is_git = source in ("", "GitRepository")
    return is_git and item.id.kind in _DEPLOYS.get(item.id.group, ())


def refuse_deploying(directory: Path, items: Iterable[Item]) -> None:
    """Refuse an app of apps: what has pods is in the directories that it deploys."""
    every = [*items]
    deploys = any(item.id.kind in _DEPLOYS.get(item.id.group, ()) for item in every)
    templates = chain.from_iterable(find_templates(item.node) for item in every)
    if deploys and next(templates, None) is None:
        message = "is an app of apps: it deploys other folders, and nothing in it has pods; pass such a folder"
        raise Rejected(Problem(message, file=str(directory)))


def say_below(directory: Path, packages: Collection[str], command: str) -> Problem:
    """Say what to type for packages, with patterns that match them and no other."""
    patterns = shlex.join(find_patterns(packages))
    message = f"{count(len(packages), 'package')} below it{command} {patterns}"
    return Problem(message, file=str(directory))


def say_refused(refused: Mapping[Path, str]) -> str:
    """Say why directories are refused: once what is the same of many."""
    alike: dict[str, list[str]] = defaultdict(list)
    for directory, said in refused.items():
        alike[said.replace(f" {directory}:", " \0:")].append(str(directory))
    return "".join(
        said.replace("\0", printable(listing(paths, _MOST_NAMES))) for said, paths in alike.items()
    )


def count_refused(refused: Collection[Path], number: int) -> Problem:
    shown = listing(map(str, refused), _MOST_NAMES)
    return Problem(f"{len(refused)} of {count(number, 'package')} cannot be configured: {shown}")


def _walk(top: Path, most: int) -> Iterator[Path]:
    """Yield all files but git's, in at most so many folders, the upper ones first.

    Links are not followed.
    """
    tree = WorkingTree(top)
    pending = deque(["."])
    while pending and most:
        here = pending.popleft()
        most -= 1
        folders, names = tree.list(here)
        yield from (top / here / name for name in sorted(names))
        if here.count("/") < MAX_LEVELS:
            pending += (f"{here}/{name}" for name in sorted(folders))
