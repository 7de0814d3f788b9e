"""The charts that a kustomization lists in `helmCharts`, which kustomize gives to helm.

kustomize passes the texts of an entry to helm as they are, and runs it with the folder of plugins
that a kustomization names. What helm reads besides is that of every chart: see `check_chart`.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from krm_fn.base.go_yaml import fold_name
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import TRUE, Node, elements, entries, is_scalar, text, walk
from krm_fn.tools.builds.named_fields import named_field, named_fields
from krm_fn.tools.common.files import is_name, without_dots

_GENERATOR = "HelmChartInflationGenerator"
"""The kind of an entry that is a file of its own, among `generators`."""

_CHARTS, _FORMER_CHARTS, _GLOBALS = "helmCharts", "helmChartInflationGenerator", "helmGlobals"
_DEFAULT_HOME = "charts"
_OCI = "oci://"
_BOOLEANS = frozenset({*TRUE, "false", "False", "FALSE"})
_NO_ARGUMENT = "has the character U+0000, which no program can be given; remove it"


class ListedChart(NamedTuple):
    """An entry. `home`: the folder in which kustomize looks for the chart, and `home_text` how it is written."""

    node: Node
    name: str
    version: str
    repo: str
    digest: str
    is_devel: bool
    home_text: str
    home: Path

    @property
    def folder(self) -> Path:
        return without_dots(self.home / self.name)

    @property
    def is_here(self) -> bool:
        return os.path.isdir(self.folder)  # noqa: PTH112  # that of Path raises for a text that is too long

    def pull_arguments(self, home: Path) -> list[str]:
        """Return how kustomize calls helm to get the chart, but for the place."""
        source = [self.name]
        if self.repo.startswith(_OCI):
            source = [
                f"{self.repo.rstrip('/')}/{self.name}{'@' if self.digest else ''}{self.digest}"
            ]
        options = ["--untar", "--untardir", str(home)]
        options += [] if self.repo.startswith(_OCI) else ["--repo", self.repo]
        if self.version:
            options += ["--version", self.version]
        if self.is_devel:
            options += ["--devel"]
        return ["pull", *options, "--", *source]


def find_listed_charts(here: Path, config: Node) -> Iterator[ListedChart]:
    """Find the charts that a kustomization in this folder lists, or that the configuration of a plugin is."""
    home = text(named_field(named_field(config, _GLOBALS), "chartHome"))
    for field in (_CHARTS, _FORMER_CHARTS):
        for entry in elements(named_field(config, field)):
            yield _read_chart(here, entry, home)
    for generator in _find_generators(config):
        yield _read_chart(here, generator, text(named_field(generator, "chartHome")))


def find_refused(config: Node, charts: Iterable[ListedChart]) -> Iterator[tuple[Node, str]]:
    """Find what would let a repository run a program or leave its folder, and what to do about each."""
    for chart in charts:
        for field, name in (("name", chart.name), ("version", chart.version)):
            if not is_name(name) and (name or field == "name"):
                yield (
                    chart.node,
                    f"{field} of a chart must name one folder; write a short name without slashes",
                )
        if "\0" in chart.home_text:
            yield chart.node, f"chartHome {_NO_ARGUMENT}"
    former = named_field(config, _FORMER_CHARTS)
    if former is not None and former.value:
        yield (
            former,
            f"{_FORMER_CHARTS} is the former form; write {_CHARTS}, as `kustomize edit fix` does",
        )
    yield from _find_config_home(named_field(config, _GLOBALS))
    for entry in elements(named_field(config, _CHARTS)):
        yield from _find_options(entry)
    for generator in _find_generators(config):
        yield from _find_config_home(generator)
        yield from _find_options(generator)


def _find_generators(config: Node) -> Iterator[Node]:
    """Find them at any depth: kustomize takes the elements of a List for plugins too."""
    return (node for node in walk([config]) if text(named_field(node, "kind")) == _GENERATOR)


def _find_config_home(settings: Node | None) -> Iterator[tuple[Node, str]]:
    home = named_field(settings, "configHome")
    if home is not None and home.value:
        yield home, "configHome may hold plugins of helm, which would run; remove it"


def _find_options(entry: Node) -> Iterator[tuple[Node, str]]:
    """Find what helm would take for an option (kubernetes-sigs/kustomize#6241), or for a template of a name."""
    template = named_field(entry, "nameTemplate")
    if template is not None and template.value:
        yield template, "nameTemplate may read variables of the environment; write releaseName"
    devel = named_field(entry, "devel")
    if devel is not None and (not is_scalar(devel) or devel.value not in _BOOLEANS):
        yield (
            devel,
            "devel must be true or false; kustomize reads other words in more ways than one",
        )
    for name, value in entries(entry):
        if fold_name(name) == fold_name("valuesInline"):  # kustomize writes it into a file
            continue
        for node in walk([value]):
            if is_scalar(node) and node.value.startswith("-"):
                yield (
                    node,
                    f"{name} begins with a hyphen, so helm could take it for an option; write another text",
                )
            if is_scalar(node) and "\0" in node.value:
                yield node, f"{name} {_NO_ARGUMENT}"


def _read_chart(here: Path, entry: Node, home: str) -> ListedChart:
    fields = named_fields(entry)
    name, version, repo = (text(fields.get(field)) for field in ("name", "version", "repo"))
    written = home or _DEFAULT_HOME
    folder = here / written
    if version and repo:
        folder /= f"{name}-{version}"
    digest, is_devel = text(fields.get("digest")), text(fields.get("devel")) in TRUE
    return ListedChart(entry, name, version, repo, digest, is_devel, written, without_dots(folder))
