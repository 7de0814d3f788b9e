"""Build the programs the integration tests run, at the versions their go.mod files pin.

They go to a cache folder named after everything that decides what they are, and are built once. Needs
nothing but Python and Go; without Go it says so and succeeds, and the tests that need a program say which.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Program(NamedTuple):
    """The module whose version is its version, and the variable to tell it by, if it does not find out itself."""

    name: str
    module: str
    version_variable: str = ""


PROGRAMS = (
    Program("helm", "helm.sh/helm/v3", version_variable="helm.sh/helm/v3/internal/version.version"),
    Program("kustomize", "sigs.k8s.io/kustomize/kustomize/v5"),
)


def build() -> None:
    folder = bin_folder()
    if folder is None:
        names = " and ".join(program.name for program in PROGRAMS)
        print(f"Go is not installed: {names} are not built, only looked for on PATH")
        return
    for program in PROGRAMS:
        if not (folder / program.name).exists():
            print(f"building {program.name} {version(program)}; takes some minutes, once", flush=True)
            _go_build(program, folder)


def bin_folder() -> Path | None:
    """The folder of the binaries, whether built yet or not; None where there is no Go."""
    if shutil.which("go") is None:
        return None
    decisive = hashlib.sha256(_go("version", folder=HERE / PROGRAMS[0].name))
    for program in PROGRAMS:
        decisive.update((HERE / program.name / "go.mod").read_bytes())
        decisive.update((HERE / program.name / "go.sum").read_bytes())
    cache = os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn"
    return Path(cache) / "tools" / decisive.hexdigest()[:16]


def version(program: Program) -> str:
    """As in `go.mod`: `v5.8.2`."""
    lines = (HERE / program.name / "go.mod").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.split()[:1] == [program.module])


def _go_build(program: Program, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{program.name}-{os.getpid()}"
    flags = "-s -w"
    if program.version_variable:
        flags += f" -X {program.version_variable}={version(program)}"
    _go(
        *("build", "-mod=readonly", "-buildvcs=false", "-trimpath"),
        *("-ldflags", flags, "-o", str(unfinished), "tool"),
        folder=HERE / program.name,
    )
    # An interrupted build leaves nothing under the name that means "done".
    unfinished.rename(folder / program.name)


def _go(*arguments: str, folder: Path) -> bytes:
    return subprocess.run(["go", *arguments], cwd=folder, check=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    try:
        build()
    except subprocess.CalledProcessError as error:
        sys.exit(f"go {error.cmd[1]} failed; what it said stands above")
