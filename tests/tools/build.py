"""Build the programs that tests run, at the versions their go.mod files pin.

Each go.mod's programs go to a cache folder of their own, named after everything that decides what they are, and
are built once. Needs nothing but Python and Go; without Go it says so and succeeds, and the tests that need a
program say which.
"""

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

TOOLS = Path(__file__).parent
CLUSTER_TOOLS = TOOLS.parent / "cluster" / "tools"
# Linking programs of this size takes memory, more than a machine with many cores need have for each.
JOBS = 2


class Family(NamedTuple):
    """The programs of one go.mod, and the module whose version is theirs."""

    folder: Path
    module: str
    programs: tuple[str, ...]
    # Variables to tell a program its version by, if it does not find out itself; with {version}, {major}, {minor}.
    variables: tuple[str, ...] = ()


# Clients read the API server's version and refuse what a plain build calls itself, v0.0.0-master.
KUBERNETES_VERSION = tuple(
    f"k8s.io/component-base/version.{variable}"
    for variable in ("gitVersion={version}", "gitMajor={major}", "gitMinor={minor}", "gitTreeState=clean")
)
FAMILIES = (
    Family(TOOLS / "helm", "helm.sh/helm/v3", ("helm",), ("helm.sh/helm/v3/internal/version.version={version}",)),
    Family(TOOLS / "kustomize", "sigs.k8s.io/kustomize/kustomize/v5", ("kustomize",)),
    Family(CLUSTER_TOOLS / "etcd", "go.etcd.io/etcd/server/v3", ("etcd",)),
    Family(
        CLUSTER_TOOLS / "kubernetes",
        "k8s.io/kubernetes",
        ("kube-apiserver", "kube-controller-manager", "kube-scheduler"),
        KUBERNETES_VERSION,
    ),
    Family(CLUSTER_TOOLS / "kwok", "sigs.k8s.io/kwok", ("kwok",)),
    Family(CLUSTER_TOOLS / "argo-rollouts", "github.com/argoproj/argo-rollouts", ("rollouts-controller",)),
)


def build() -> None:
    if shutil.which("go") is None:
        names = ", ".join(family.folder.name for family in FAMILIES)
        print(f"Go is not installed: not built, only looked for on PATH: {names}")
        return
    for family in FAMILIES:
        if not _bin_folder(family).exists():
            print(f"building {family.folder.name} {version(family)}; takes minutes, once", flush=True)
            start = time.monotonic()
            _go_build(family)
            print(f"built {family.folder.name} in {time.monotonic() - start:.0f} s", flush=True)


def built(program: str) -> Path | None:
    """Where the program lies once it is built; None if it is none of ours, or there is no Go to say."""
    if shutil.which("go") is None:
        return None
    found = (_bin_folder(family) / program for family in FAMILIES if program in family.programs)
    return next((path for path in found if path.exists()), None)


def version(family: Family) -> str:
    """As in `go.mod`: `v5.8.2`."""
    lines = (family.folder / "go.mod").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.split()[:1] == [family.module])


def module_folder(module: str) -> Path:
    """The sources of a family's module, in which its manifests lie."""
    family = next(family for family in FAMILIES if family.module == module)
    listed = _go("list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module, folder=family.folder)
    return Path(listed.decode().strip())


@functools.cache
def _bin_folder(family: Family) -> Path:
    decisive = hashlib.sha256(_go("version", folder=family.folder))
    decisive.update((family.folder / "go.mod").read_bytes())
    decisive.update((family.folder / "go.sum").read_bytes())
    decisive.update(_linker_flags(family).encode())
    cache = os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn"
    return Path(cache) / "tools" / f"{family.folder.name}-{decisive.hexdigest()[:16]}"


def _go_build(family: Family) -> None:
    done = _bin_folder(family)
    done.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=done.parent, prefix=f".{family.folder.name}-") as unfinished:
        bin_folder = Path(unfinished) / "bin"
        bin_folder.mkdir()
        # Several programs keep the names of their folders; a single one is told its own (etcd's is called "server").
        output = bin_folder if len(family.programs) > 1 else bin_folder / family.programs[0]
        _go(
            *("build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-p", str(JOBS)),
            *("-ldflags", _linker_flags(family), "-o", str(output), "tool"),
            folder=family.folder,
        )
        # An interrupted build leaves nothing under the name that means "done"; another build may have been faster.
        if not done.exists():
            bin_folder.rename(done)


def _linker_flags(family: Family) -> str:
    major, minor, _ = version(family).removeprefix("v").split(".", 2)
    settings = (text.format(version=version(family), major=major, minor=minor) for text in family.variables)
    return " ".join(["-s -w", *(f"-X {setting}" for setting in settings)])


def _go(*arguments: str, folder: Path) -> bytes:
    return subprocess.run(["go", *arguments], cwd=folder, check=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    try:
        build()
    except subprocess.CalledProcessError as error:
        sys.exit(f"go {error.cmd[1]} failed; what it said stands above")
