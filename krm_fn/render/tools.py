"""The programs that know how to build a directory, whichever of them is on PATH."""

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.problem import Problem, Rejected

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
CHART = "Chart.yaml"
_LINES_OF_STDERR = 3


class HelmOptions(NamedTuple):
    """What `helm template` is told besides the chart; an empty release name stands for the directory's."""

    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()


def is_built(directory: Path) -> bool:
    """Whether a directory is made for kustomize or helm, and no plain folder of manifests."""
    return any((directory / name).is_file() for name in (*KUSTOMIZATIONS, CHART))


def build(directory: Path, helm: HelmOptions) -> bytes:
    """What kustomize or helm make of a directory. Raises Rejected with what the program said."""
    if (directory / CHART).is_file():
        return _run(directory, [_find(directory, CHART, "helm"), *_helm_arguments(directory, helm)])
    file = next(name for name in KUSTOMIZATIONS if (directory / name).is_file())
    program = _find(directory, file, "kustomize", "kubectl")
    verb = "build" if Path(program).name == "kustomize" else "kustomize"
    return _run(directory, [program, verb, str(directory)])


def _helm_arguments(directory: Path, helm: HelmOptions) -> list[str]:
    release = helm.release or directory.resolve().name
    namespace = ["--namespace", helm.namespace] if helm.namespace else []
    values = [argument for file in helm.values for argument in ("--values", file)]
    return ["template", release, str(directory), "--include-crds", "--skip-tests", *namespace, *values]


def _find(directory: Path, file: str, *programs: str) -> str:
    for program in programs:
        if shutil.which(program):
            return program
    message = f"has a {file}, but PATH has no {' and no '.join(programs)}; install {'one' if programs[1:] else 'it'}"
    raise Rejected(Problem(message, file=str(directory)))


def _run(directory: Path, command: list[str]) -> bytes:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603  # no shell
    if done.returncode:
        said = [line.strip() for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
        reason = " ".join(said[:_LINES_OF_STDERR]) or "it said nothing"
        message = f"{command[0]} {command[1]} ended with exit code {done.returncode}: {reason}"
        raise Rejected(Problem(message, file=str(directory)))
    return done.stdout
