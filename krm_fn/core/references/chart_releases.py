"""Find the releases of charts in an object, and what rows say of their values.

The pods of a chart are rendered in the cluster, so only the shape of a value shows what the chart
makes of it, if the shape is one of Kubernetes itself, and the rows of `facts/chart_values.py`. The
source of a chart is often in another package than its releases. Then its name may tell the chart,
and some rows apply to any chart.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from krm_fn.base.item import Item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    elements,
    fields,
    get,
    is_mapping,
    is_null,
    text,
)
from krm_fn.base.problem import ResourceId
from krm_fn.base.reference import (
    By,
    Reference,
    Rule,
    find_at,
)
from krm_fn.core.references.field_rows import ChartValue, ExcludedField, chart_values_of
from krm_fn.facts.chart_values import TOLD_BY_SOURCE

_FLUX, _ARGO = "helm.toolkit.fluxcd.io", "argoproj.io"
_SOURCES = "source.toolkit.fluxcd.io"

_OWN_SERVER, _OWN_NAME = "https://kubernetes.default.svc", "in-cluster"
"""How an Application says that it deploys to the cluster that it is in."""

_VOLUMES = r"olumes\["
"""`extraVolumes` and the like hold volumes of pods."""

_NAMESPACE_FIELDS = frozenset({"namespaceOverride", "forceNamespace"})
"""Values with which many charts put their objects into another namespace than that of the release, at any depth."""

_REMOTE = "its pods run in another cluster"
_ELSEWHERE = "a value puts the chart's objects into another namespace than that of the release"
_UNKNOWN = "it does not say into which namespace it deploys"

Charts: TypeAlias = Mapping[tuple[str, str, str], str]
"""The names of charts, by kind, namespace and name of the object that `chartRef` names."""

NO_CHARTS: Charts = MappingProxyType({})


class ChartRelease(NamedTuple):
    """A chart and its values, which are in `field`.

    `chart`: its name, `""` where the package does not show it.

    `namespace`: where it is installed, `""` for the namespace of the object that says so.
    `excluded`: why its pods read no object of the package; None where they may.
    """

    chart: str
    values: Node
    field: str
    namespace: str
    excluded: ExcludedField | None

    def holds(self, field: str) -> bool:
        return field.startswith((f"{self.field}.", f"{self.field}["))

    def place(self, reference: Reference) -> Reference:
        """Let a reference in these values mean an object of the namespace of the release."""
        in_pod = reference.in_pod or re.search(_VOLUMES, reference.field) is not None
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


def read_releases(
    item: Node, resource: ResourceId, charts: Charts = NO_CHARTS
) -> list[ChartRelease]:
    """Return the releases of a HelmRelease or an Application whose values are mappings."""
    if resource.group_kind == (_FLUX, "HelmRelease"):
        return list(_read_helm_release(item, resource, charts))
    if resource.group_kind == (_ARGO, "Application"):
        return list(_read_application(item))
    return []


def _read_helm_release(item: Node, resource: ResourceId, charts: Charts) -> Iterator[ChartRelease]:
    spec = get(item, "spec")
    values = get(spec, "values")
    if not is_mapping(values):
        return
    chart = text(get(spec, "chart", "spec", "chart")) or _chart_of_source(
        get(spec, "chartRef"), resource, charts
    )
    namespace = text(get(spec, "targetNamespace"))
    reason = ""
    # Objects of the package are in this cluster, and those of the chart in another one.
    if not is_null(get(spec, "kubeConfig")):
        reason = _REMOTE
    elif _may_be_elsewhere(values, namespace or resource.namespace):
        reason = _ELSEWHERE
    yield ChartRelease(
        chart, values, "spec.values", namespace, _exclude(_FLUX, "HelmRelease", reason)
    )


def _chart_of_source(source: Node | None, resource: ResourceId, charts: Charts) -> str:
    """Return the chart that `chartRef` names: as the package shows it, else as its name tells."""
    name = text(get(source, "name"))
    there = text(get(source, "namespace")) or resource.namespace
    shown = charts.get((text(get(source, "kind")), there, name))
    if shown is None:
        return name if name in TOLD_BY_SOURCE else ""
    return shown


def _read_application(item: Node) -> Iterator[ChartRelease]:
    spec = get(item, "spec")
    destination = get(spec, "destination")
    namespace = text(get(destination, "namespace"))
    is_here = (
        text(get(destination, "server")) == _OWN_SERVER
        or text(get(destination, "name")) == _OWN_NAME
    )
    sources = [("spec.source", get(spec, "source"))]
    sources += [
        (f"spec.sources[{index}]", one) for index, one in enumerate(elements(get(spec, "sources")))
    ]
    for field, source in sources:
        helm = get(source, "helm")
        values = get(helm, "valuesObject")
        if not is_mapping(values):
            continue
        reason = ""
        if not is_here:
            reason = _REMOTE
        elif not namespace:
            reason = _UNKNOWN
        elif text(get(helm, "namespace")) not in ("", namespace) or _may_be_elsewhere(
            values, namespace
        ):
            reason = _ELSEWHERE
        excluded = _exclude(_ARGO, "Application", reason)
        yield ChartRelease(
            text(get(source, "chart")), values, f"{field}.helm.valuesObject", namespace, excluded
        )


def _exclude(group: str, kind: str, reason: str) -> ExcludedField | None:
    return ExcludedField(group, (kind,), "spec", reason) if reason else None


def _may_be_elsewhere(values: Node, namespace: str) -> bool:
    """Tell whether a value may put objects of the chart into another namespace."""
    return any(
        one not in ("", namespace)
        for one in (text(get(values, "namespace")), *_overrides_in(values))
    )


def _overrides_in(node: Node) -> Iterator[str]:
    # At any depth, because the values of a subchart are below its name. A list holds none.
    for name, value in fields(node).items():
        if name in _NAMESPACE_FIELDS:
            yield text(value)
        yield from _overrides_in(value)


def find_by_rows(release: ChartRelease) -> Iterator[Reference]:
    """Find what the rows for a chart say of its values."""
    chart = f"of chart {release.chart}" if release.chart else ""
    for path, row in chart_values_of(release.chart):
        said = chart or f"as of chart {row.charts[0]}"
        rule = Rule(By.TABLE, f"value {path.replace('/', '.')} {said}", source=row.source)
        for reference in find_at(release.values, path, row.target, rule, in_pod=True):
            if _is_meant(reference, row, release.values):
                yield release.place(reference._replace(field=f"{release.field}.{reference.field}"))


def _is_meant(reference: Reference, row: ChartValue, values: Node) -> bool:
    if row.beside is not None and text(reference.around.get(row.beside[0])) != row.beside[1]:
        return False
    # A key of that value is the name of an object that the chart makes itself.
    return not row.unless_key_of or get(values, row.unless_key_of, reference.target) is None
