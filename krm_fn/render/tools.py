"""The programs that build a directory: kustomize or kubectl, and helm."""

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

# If a reference is ambiguous, kustomize prints the candidates with their data, Secrets too.
_MANIFEST = re.compile(r"""[\s-]*["']?(?:apiVersion|kind|metadata|data|stringData|binaryData)["']?:""")


class HelmOptions(NamedTuple):
    """Arguments of `helm template` besides the chart. Without `release` it is named like the chart."""

    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()
    kube_version: str = ""
    api_versions: str = ""


class Built(NamedTuple):
    """What a program printed on stdout, and its stderr as warnings.

    `again` is what it printed when it was run a second time; empty for programs whose output is always the same.
    """

    command: str
    stdout: bytes
    remarks: list[Problem]
    again: bytes = b""


def built_from(directory: Path) -> str:
    """Return the file that a directory is built from; `""` for a plain folder of manifests."""
    return next((name for name in (*KUSTOMIZATIONS, CHART) if (directory / name).is_file()), "")


def build(directory: Path, helm: HelmOptions) -> Built:
    """Build a directory with kustomize or helm. Raises Rejected with what the program printed on stderr."""
    file = built_from(directory)
    if file == CHART:
        command = [_find(directory, file, "helm"), "template", *_helm_arguments(directory, helm)]
        built = _run(directory, command)
        # Charts make passwords and certificates anew on every rendering: only a second one shows which.
        return built._replace(again=_run(directory, command).stdout)
    program = _find(directory, file, "kustomize", "kubectl")
    return _run(directory, [program, {"kustomize": "build", "kubectl": "kustomize"}[program], "--", str(directory)])


def _helm_arguments(directory: Path, helm: HelmOptions) -> list[str]:
    """Include the chart's CRDs, as Argo CD does, but not its tests, which are not meant to be applied."""
    options = [
        *(("--namespace", helm.namespace) if helm.namespace else ()),
        *(argument for file in helm.values for argument in ("--values", file)),
        *(("--kube-version", helm.kube_version) if helm.kube_version else ()),
        *(("--api-versions", helm.api_versions) if helm.api_versions else ()),
    ]
    # Absolute: helm may read a relative path as the name of a chart in a repository.
    chart = str(directory.absolute())
    return ["--include-crds", "--skip-tests", *options, "--", helm.release or _chart_name(directory), chart]


def _chart_name(directory: Path) -> str:
    """Return the chart's own name, which does not depend on where the directory was checked out."""
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
    lines = _first_lines(done.stderr.decode(errors="replace"))
    if done.returncode:
        raise _rejected(directory, f"{called} {_ended(done.returncode)}: {' '.join(lines) or 'no output on stderr'}")
    remarks = [Problem(f"{called}: {line}", severity=Severity.WARNING, file=str(directory)) for line in lines]
    return Built(f"{called} {directory}", done.stdout, remarks)


def _ended(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"


def _first_lines(stderr: str) -> list[str]:
    """Return the first lines, up to where a manifest begins."""
    lines: list[str] = []
    for line in stderr.splitlines():
        if _MANIFEST.match(line) or len(lines) == _LINES_OF_STDERR:
            break
        lines += [" ".join(line.split())] if line.strip() else []
    return lines


def _rejected(directory: Path, message: str) -> Rejected:
    return Rejected(Problem(message, file=str(directory)))
