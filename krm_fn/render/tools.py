"""The programs that know how to build a directory, whichever of them is on PATH."""

import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.node import get, text
from krm_fn.model.problem import Problem, Rejected, Severity
from krm_fn.render.place import place
from krm_fn.wire.reader import read_yaml

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
CHART = "Chart.yaml"
_LINES_OF_STDERR = 3

# Where kustomize cannot decide between objects it prints them, data of Secrets and all.
_MANIFEST = re.compile(r"""[\s-]*["']?(?:apiVersion|kind|metadata|data|stringData|binaryData)["']?:""")


class HelmOptions(NamedTuple):
    """What `helm template` is told besides the chart; without `release`, its name is the chart's own."""

    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()
    kube_version: str = ""
    api_versions: str = ""


class Built(NamedTuple):
    """What a program printed, and the remarks it made."""

    command: str
    stdout: bytes
    remarks: list[Problem]


def built_from(directory: Path) -> str:
    """The file that says how a directory is built; `""` for a plain folder of manifests."""
    return next((name for name in (*KUSTOMIZATIONS, CHART) if (directory / name).is_file()), "")


def build(directory: Path, helm: HelmOptions) -> Built:
    """What kustomize or helm make of a directory. Raises Rejected with what the program said."""
    file = built_from(directory)
    if file == CHART:
        return _run(directory, [_find(directory, file, "helm"), "template", *_helm_arguments(directory, helm)])
    program = _find(directory, file, "kustomize", "kubectl")
    return _run(directory, [program, {"kustomize": "build", "kubectl": "kustomize"}[program], "--", str(directory)])


def _helm_arguments(directory: Path, helm: HelmOptions) -> list[str]:
    """With the chart's CRDs, as Argo CD renders it; without its tests, which nobody means to apply."""
    options = [
        *(("--namespace", helm.namespace) if helm.namespace else ()),
        *(argument for file in helm.values for argument in ("--values", file)),
        *(("--kube-version", helm.kube_version) if helm.kube_version else ()),
        *(("--api-versions", helm.api_versions) if helm.api_versions else ()),
    ]
    # Absolute: helm might take a relative path for the name of a chart in a repository.
    chart = str(directory.absolute())
    return ["--include-crds", "--skip-tests", *options, "--", helm.release or _chart_name(directory), chart]


def _chart_name(directory: Path) -> str:
    """The chart's own name, which is the same wherever the directory has been checked out to."""
    file = directory / CHART
    try:
        roots = read_yaml(file.read_bytes()).roots
    except Rejected as rejected:
        raise Rejected(*(place(str(file), problem) for problem in rejected.problems)) from rejected
    return text(get(roots[0], "name")) if roots else ""


def _find(directory: Path, file: str, *programs: str) -> str:
    for program in programs:
        if shutil.which(program):
            return program
    either = f"neither {' nor '.join(programs)} is" if programs[1:] else f"{programs[0]} is not"
    raise _rejected(directory, f"has a {file}, but {either} on PATH; install {'one' if programs[1:] else 'it'}")


def _run(directory: Path, command: list[str]) -> Built:
    called = " ".join(command[:2])
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603  # no shell
    except OSError as error:
        raise _rejected(directory, f"{called} cannot be run: {error.strerror}") from error
    said = _said(done.stderr.decode(errors="replace"))
    if done.returncode:
        raise _rejected(directory, f"{called} {_ended(done.returncode)}: {' '.join(said) or 'it said nothing'}")
    remarks = [Problem(f"{called}: {line}", severity=Severity.WARNING, file=str(directory)) for line in said]
    return Built(f"{called} {directory}", done.stdout, remarks)


def _ended(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _said(stderr: str) -> list[str]:
    """The first lines, up to where a manifest begins."""
    lines: list[str] = []
    for line in stderr.splitlines():
        if _MANIFEST.match(line) or len(lines) == _LINES_OF_STDERR:
            break
        lines += [line.strip()] if line.strip() else []
    return lines


def _rejected(directory: Path, message: str) -> Rejected:
    return Rejected(Problem(message, file=str(directory)))
