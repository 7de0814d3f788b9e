"""The charts that HelmReleases of Flux and Applications of Argo CD install, their values, and the references in these.

The pods of a chart are rendered in the cluster. So nothing shows what a chart makes of a value, but the shape of the
value, where it is one of Kubernetes itself, and the rows of `facts/chart_values.py`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from krm_fn.model.item import Item
from krm_fn.model.node import Node, elements, fields, get, is_mapping, is_null, text
from krm_fn.model.problem import ResourceId
from krm_fn.references.field_specs import find_at
from krm_fn.references.fields import ChartValue, ExcludedField, chart_values_of
from krm_fn.references.find_by_shape import Path, spell_path
from krm_fn.references.reference import Reference
from krm_fn.references.shapes import By, Rule

_FLUX, _ARGO = "helm.toolkit.fluxcd.io", "argoproj.io"
_SOURCES = "source.toolkit.fluxcd.io"

_OWN_SERVER, _OWN_NAME = "https://kubernetes.default.svc", "in-cluster"
"""How an Application says that it deploys to the cluster that it is in."""

_VOLUMES = re.compile(r"olumes\[")
"""`extraVolumes` and the like hold volumes of pods."""

_NAMESPACE_FIELDS = frozenset({"namespaceOverride", "forceNamespace"})
"""Values with which many charts put their objects into another namespace than that of the release, at any depth."""

Charts: TypeAlias = Mapping[tuple[str, str, str], str]
"""The names of charts, by kind, namespace and name of the object that `chartRef` names."""

NO_CHARTS: Charts = MappingProxyType({})


_REMOTE = "its pods run in another cluster"
_ELSEWHERE = "a value puts the chart's objects into another namespace than that of the release"
_UNKNOWN = "it does not say into which namespace it deploys"


class Release(NamedTuple):
    """A chart and its values, which are at `path`. `chart`: its name, `""` where the package does not show it.

    `namespace`: where it is installed, `""` for the namespace of the object that says so. `excluded`: why its pods read
    no object of the package; None where they may.
    """

    chart: str
    values: Node
    path: Path
    namespace: str
    excluded: ExcludedField | None

    @property
    def field(self) -> str:
        """The field of the values."""
        return spell_path(self.path)

    def holds(self, field: str) -> bool:
        """Tell whether a field is in these values."""
        return field.startswith((f"{self.field}.", f"{self.field}["))

    def place(self, reference: Reference) -> Reference:
        """Let a reference in these values mean an object of the namespace in which the chart is installed."""
        in_pod = reference.in_pod or _VOLUMES.search(reference.field) is not None
        return reference._replace(installed_in=self.namespace, in_pod=in_pod)


def read_charts(items: Iterable[Item]) -> Charts:
    """Read the charts that Flux's sources in a package hold."""
    charts = {}
    for item in items:
        if item.id.group == _SOURCES:
            key = item.id.kind, item.id.namespace, item.id.name
            if item.id.kind == "HelmChart":
                charts[key] = text(get(item.node, "spec", "chart"))
            elif item.id.kind == "OCIRepository":
                charts[key] = text(get(item.node, "spec", "url")).rpartition("/")[2]
    return charts


def read_releases(item: Node, resource: ResourceId, charts: Charts = NO_CHARTS) -> list[Release]:
    """Return the releases of a HelmRelease or an Application whose values are mappings."""
    if (resource.group, resource.kind) == (_FLUX, "HelmRelease"):
        return list(_read_helm_release(item, resource, charts))
    if (resource.group, resource.kind) == (_ARGO, "Application"):
        return list(_read_application(item))
    return []


def _read_helm_release(item: Node, resource: ResourceId, charts: Charts) -> Iterator[Release]:
    spec = get(item, "spec")
    values = get(spec, "values")
    if not is_mapping(values):
        return
    reference = get(spec, "chartRef")
    there = text(get(reference, "namespace")) or resource.namespace
    from_source = charts.get((text(get(reference, "kind")), there, text(get(reference, "name"))), "")
    namespace = text(get(spec, "targetNamespace"))
    reason = ""
    if not is_null(get(spec, "kubeConfig")):
        reason = _REMOTE
    elif _says_other_namespace(values, namespace or resource.namespace):
        reason = _ELSEWHERE
    excluded = _excluded(_FLUX, "HelmRelease", reason)
    chart = text(get(spec, "chart", "spec", "chart")) or from_source
    yield Release(chart, values, ((None, "spec"), "values"), namespace, excluded)


def _read_application(item: Node) -> Iterator[Release]:
    spec = get(item, "spec")
    destination = get(spec, "destination")
    namespace = text(get(destination, "namespace"))
    is_here = text(get(destination, "server")) == _OWN_SERVER or text(get(destination, "name")) == _OWN_NAME
    several: Path = ((None, "spec"), "sources")
    sources: list[tuple[Node | None, Path]] = [(get(spec, "source"), ((None, "spec"), "source"))]
    sources += [(source, (several, index)) for index, source in enumerate(elements(get(spec, "sources")))]
    for source, path in sources:
        helm = get(source, "helm")
        values = get(helm, "valuesObject")
        if not is_mapping(values):
            continue
        reason = ""
        if not is_here:
            reason = _REMOTE
        elif not namespace:
            reason = _UNKNOWN
        elif text(get(helm, "namespace")) not in ("", namespace) or _says_other_namespace(values, namespace):
            reason = _ELSEWHERE
        excluded = _excluded(_ARGO, "Application", reason)
        yield Release(text(get(source, "chart")), values, ((path, "helm"), "valuesObject"), namespace, excluded)


def _excluded(group: str, kind: str, reason: str) -> ExcludedField | None:
    return ExcludedField(group, (kind,), "spec", reason) if reason else None


def _says_other_namespace(values: Node, namespace: str) -> bool:
    """Tell whether a value may put objects of the chart into another namespace."""
    return any(one not in ("", namespace) for one in _namespaces_in(values, is_top=True))


def _namespaces_in(node: Node, *, is_top: bool = False) -> Iterator[str]:
    for name, value in fields(node).items():
        if name in _NAMESPACE_FIELDS or (is_top and name == "namespace"):
            yield text(value)
        yield from _namespaces_in(value)


def find_by_rows(release: Release) -> Iterator[Reference]:
    """Find what the rows for a chart say of its values."""
    for path, row in chart_values_of(release.chart):
        rule = Rule(By.TABLE, f"value {path.replace('/', '.')} of chart {release.chart}", source=row.source)
        for reference in find_at(release.values, path, row.target, rule, in_pod=True):
            if _is_meant(reference, row, release.values):
                yield release.place(reference._replace(field=f"{release.field}.{reference.field}"))


def _is_meant(reference: Reference, row: ChartValue, values: Node) -> bool:
    if row.beside is not None and text(reference.around.get(row.beside[0])) != row.beside[1]:
        return False
    return not row.unless_key_of or get(values, row.unless_key_of, reference.target) is None
