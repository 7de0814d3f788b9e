"""What is done with a package of some shape: what is prepared, and what is counted or measured."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import yaml

from benchmarks.shape_packages import Object, Package, Shape, write_package, write_stream
from krm_fn.base.problem import Outcome
from krm_fn.base.settings import NO_ENVIRONMENT
from krm_fn.function import run
from krm_fn.report.table import Screen
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS
from krm_fn.tools.diff.diff import diff
from krm_fn.tools.diff.sides import DiffFormat, DiffInput, RenderOptions
from krm_fn.tools.explain.explain import ExplainFormat, explain
from krm_fn.tools.graph.graph import GraphFormat, draw_path
from krm_fn.tools.opened.sources import STDIN, Inputs
from krm_fn.tools.verify.verify import FindingsFormat, VerifyOptions, examine, write_findings

Work = Callable[[], Outcome]
"""What is measured. All that it needs is there."""


def prepare(shape: Shape, size: int) -> Work:
    """Make the package, and return what is to be done with it."""
    return _RUNS[shape.run](shape.make(size))


def _transform(package: Package) -> Work:
    data = write_package(package)
    return lambda: run(data)


def _transform_again(package: Package) -> Work:
    output = _rendered(package)
    return lambda: run(output)


def _transform_edited(package: Package) -> Work:
    output = _rendered(package).replace(b"value of", b"other value of")
    return lambda: run(output)


def _transform_without_configuration(package: Package) -> Work:
    whole: Object = yaml.load(_rendered(package), Loader=yaml.CSafeLoader)
    data = write_package((whole["items"], {}))
    return lambda: run(data)


def _transform_documents(package: Package) -> Work:
    data = write_stream(package[0])
    return lambda: run(data)


def _transform_documents_again(package: Package) -> Work:
    config = write_package(package)
    config = yaml.dump(
        yaml.load(config, Loader=yaml.CSafeLoader)["functionConfig"], encoding="utf-8"
    )
    output = run(write_stream(package[0]), config).stdout
    return lambda: run(output, config)


def _transform_aliases(package: Package) -> Work:
    """Each label of an object is an alias."""
    anchor = b"- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: first\n    labels: &labels {app: web}\n"
    data = write_package(package).replace(b"items:\n", b"items:\n" + anchor)
    data = data.replace(b"    namespace: shop\n", b"    namespace: shop\n    labels: *labels\n")
    return lambda: run(data)


def _transform_anchors(package: Package) -> Work:
    """Each pod has the labels of its own Deployment, as an alias."""
    labels = b"      metadata:\n        labels:\n          app: app\n"
    parts = write_package(package).split(labels)
    aliased = (
        b"      metadata:\n        labels: &labels-%d {app: app}\n        annotations: *labels-%d\n"
    )
    data = (
        b"".join(part + aliased % (number, number) for number, part in enumerate(parts[:-1]))
        + parts[-1]
    )
    return lambda: run(data)


def _verify(package: Package) -> Work:
    inputs = Inputs((STDIN,), stdin=_rendered(package))
    return lambda: write_findings([examine(inputs, VerifyOptions())], FindingsFormat.TEXT)


def _explain(package: Package) -> Work:
    inputs = _inputs(package)
    return lambda: explain(
        inputs, "", HelmOptions(), NO_ENVIRONMENT, DEFAULT_LIMITS, ExplainFormat.TEXT, Screen()
    )


def _graph(package: Package) -> Work:
    inputs = _inputs(package)
    return lambda: draw_path(
        inputs, "", HelmOptions(), NO_ENVIRONMENT, DEFAULT_LIMITS, GraphFormat.DOT
    )


def _diff(package: Package) -> Work:
    old, new = _rendered(package), _rendered(package, edited=True)
    way = RenderOptions(None, HelmOptions(), NO_ENVIRONMENT, DEFAULT_LIMITS)

    def work() -> Outcome:
        with tempfile.NamedTemporaryFile(suffix=".yaml") as file:
            Path(file.name).write_bytes(old)
            return diff(DiffInput((file.name, STDIN), stdin=new), way, DiffFormat.TEXT, Screen())

    return work


def _inputs(package: Package) -> Inputs:
    return Inputs((STDIN,), stdin=write_package(package))


def _rendered(package: Package, *, edited: bool = False) -> bytes:
    data = write_package(package)
    outcome = run(data.replace(b"value of", b"other value of") if edited else data)
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stdout


_RUNS: dict[str, Callable[[Package], Work]] = {
    "transform": _transform,
    "transform again": _transform_again,
    "transform edited": _transform_edited,
    "transform without configuration": _transform_without_configuration,
    "transform documents": _transform_documents,
    "transform documents again": _transform_documents_again,
    "transform aliases": _transform_aliases,
    "transform anchors": _transform_anchors,
    "verify": _verify,
    "diff": _diff,
    "explain": _explain,
    "graph": _graph,
}
