"""Build the programs that tests run, at the versions that their go.mod files pin.

The programs of each go.mod are built once, into a separate cache folder. The folder's name contains
a hash of everything that the programs depend on. This script needs only Python and Go. Without Go
it prints a message and succeeds; the tests then say which program they need.

Argo CD, Flux and External Secrets take half an hour. They are built only with GITOPS=1 in the
environment, or where an argument names one: `python tests/tools/build.py helm4`.

versions.toml lists the versions of some programs. A variable such as KUBERNETES=1.34 chooses one,
for the build and for the tests.
"""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

TOOLS = Path(__file__).parent
CLUSTER_TOOLS = TOOLS.parent / "cluster" / "tools"
GITOPS_TOOLS = TOOLS.parent / "gitops" / "tools"
# Limits parallel builds: linking large programs needs much memory per core.
JOBS = 2


class Family(NamedTuple):
    """The programs of one go.mod, if any, and the module whose version they have.

    A family of versions.toml has a folder with a go.mod for each version, in `folder`.
    """

    folder: Path
    module: str
    programs: tuple[str, ...]
    # Linker variables that set a program's version, if it needs them; with {version}, {major},
    # {minor}.
    variables: tuple[str, ...] = ()
    # Whether to build it only with GITOPS=1.
    on_demand: bool = False

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def variable(self) -> str:
        """The variable of the environment that chooses a version, such as ARGO_ROLLOUTS."""
        return self.name.upper().replace("-", "_")


class Versions(NamedTuple):
    """A row of versions.toml: what is tested if nothing is chosen, what else can be, and the tests of each version.

    The tests are arguments of pytest: paths and options.
    """

    default: str
    others: tuple[str, ...]
    tests: tuple[str, ...]
    # Families on demand that these tests need as well.
    also: tuple[str, ...]


class NoSuchVersion(Exception):
    """A variable chooses a version that versions.toml does not list."""

    def __init__(self, variable: str, wanted: str, listed: tuple[str, ...]) -> None:
        super().__init__(
            f"{variable}={wanted}: expected one of {', '.join(listed)}, or the start of one"
        )


# Clients check the API server's version, and refuse v0.0.0-master, the version of a plain build.
KUBERNETES_VERSION = tuple(
    f"k8s.io/component-base/version.{variable}"
    for variable in (
        "gitVersion={version}",
        "gitMajor={major}",
        "gitMinor={minor}",
        "gitTreeState=clean",
    )
)
FAMILIES = (
    Family(TOOLS / "actionlint", "github.com/rhysd/actionlint", ("actionlint",)),
    Family(
        TOOLS / "helm",
        "helm.sh/helm/v3",
        ("helm",),
        ("helm.sh/helm/v3/internal/version.version={version}",),
    ),
    Family(TOOLS / "kubeconform", "github.com/yannh/kubeconform", ("kubeconform",)),
    Family(TOOLS / "kustomize", "sigs.k8s.io/kustomize/kustomize/v5", ("kustomize",)),
    Family(CLUSTER_TOOLS / "etcd", "go.etcd.io/etcd/server/v3", ("etcd",)),
    Family(
        CLUSTER_TOOLS / "kubernetes",
        "k8s.io/kubernetes",
        ("kube-apiserver", "kube-controller-manager", "kube-scheduler"),
        KUBERNETES_VERSION,
    ),
    Family(CLUSTER_TOOLS / "kwok", "sigs.k8s.io/kwok", ("kwok",)),
    Family(
        CLUSTER_TOOLS / "argo-rollouts",
        "github.com/argoproj/argo-rollouts",
        ("rollouts-controller",),
    ),
    Family(
        CLUSTER_TOOLS / "sealed-secrets",
        "github.com/bitnami/sealed-secrets",
        ("controller", "kubeseal"),
    ),
    # The last version that is one module. The parts of a later one are not published as modules.
    Family(
        CLUSTER_TOOLS / "external-secrets",
        "github.com/external-secrets/external-secrets",
        ("external-secrets",),
        on_demand=True,
    ),
    Family(GITOPS_TOOLS / "argo-cd", "github.com/argoproj/argo-cd/v3", ("argocd",), on_demand=True),
    Family(
        GITOPS_TOOLS / "miniredis",
        "github.com/alicebob/miniredis/v2",
        ("miniredis",),
        on_demand=True,
    ),
    Family(
        GITOPS_TOOLS / "kustomize-controller",
        "github.com/fluxcd/kustomize-controller",
        ("kustomize-controller",),
        on_demand=True,
    ),
    # Only for its manifests: a part of this module cannot be downloaded, so its program cannot be
    # built.
    Family(GITOPS_TOOLS / "source-controller", "github.com/fluxcd/source-controller", ()),
    Family(
        GITOPS_TOOLS / "helm4",
        "helm.sh/helm/v4",
        ("helm4",),
        ("helm.sh/helm/v4/internal/version.version={version}",),
        on_demand=True,
    ),
)


def build(named: Collection[str] = ()) -> None:
    """Build what is not built yet. `named` are families to build although they are on demand."""
    if shutil.which("go") is None:
        names = ", ".join(family.name for family in FAMILIES)
        print(f"Go is not installed, so tests use these programs only if they are on PATH: {names}")
        return
    for family in FAMILIES:
        if not family.programs or (is_on_demand(family.programs[0]) and family.name not in named):
            continue
        if not _bin_folder(family).exists():
            print(
                f"building {family.name} {version(family)}; this takes minutes, but only once",
                flush=True,
            )
            start = time.monotonic()
            _go_build(family)
            print(f"built {family.name} in {time.monotonic() - start:.0f} s", flush=True)


def built(program: str) -> Path | None:
    """Return the path of a built program, or None if it is not built or unknown, or if Go is missing."""
    if shutil.which("go") is None:
        return None
    found = (_bin_folder(family) / program for family in FAMILIES if program in family.programs)
    return next((path for path in found if path.exists()), None)


def is_on_demand(program: str) -> bool:
    """Tell whether the program is built only with GITOPS=1, and this is not set."""
    return os.environ.get("GITOPS") != "1" and any(
        family.on_demand for family in FAMILIES if program in family.programs
    )


@functools.cache
def read_versions() -> dict[str, Versions]:
    """Read versions.toml, by the name of the family."""
    rows = tomllib.loads((TOOLS / "versions.toml").read_text())
    return {
        name: Versions(
            row["default"], tuple(row["others"]), tuple(row["tests"]), tuple(row.get("also", ()))
        )
        for name, row in rows.items()
    }


def source(family: Family) -> Path:
    """Return the folder with the go.mod of the chosen version. Raises NoSuchVersion."""
    versions = read_versions().get(family.name)
    if versions is None:
        return family.folder
    wanted = os.environ.get(family.variable) or versions.default
    listed = (versions.default, *versions.others)
    found = [one for one in listed if f"{one}.".startswith(f"v{wanted.removeprefix('v')}.")]
    if len(found) != 1:
        raise NoSuchVersion(family.variable, wanted, listed)
    return family.folder / found[0]


def version(family: Family) -> str:
    """Return the version in `go.mod`, such as `v5.8.2`."""
    lines = (source(family) / "go.mod").read_text().splitlines()
    required = (line.removeprefix("require ").split() for line in lines)
    return next(words[1] for words in required if words[:1] == [family.module])


def module_folder(module: str) -> Path:
    """Return the source folder of a module, which contains its manifests."""
    family = next(family for family in FAMILIES if family.module == module)
    # The programs may be older than this machine's cache of modules.
    return Path(download(module, source(family))["Dir"])


def download(module: str, folder: Path) -> dict[str, str]:
    """Download a module, at the version of go.mod or as `module@version`, and return Go's paths of it.

    Raises CalledProcessError.
    """
    downloaded: dict[str, str] = json.loads(
        run_go("mod", "download", "-json", module, folder=folder)
    )
    return downloaded


def run_go(*arguments: str, folder: Path) -> bytes:
    """Run Go in the folder of a go.mod, and return its output.

    If go.mod asks for a later Go, Go downloads that.

    Raises CalledProcessError.
    """
    environment = {**os.environ, "GOTOOLCHAIN": "auto"}
    return subprocess.run(
        ["go", *arguments], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE
    ).stdout


@functools.cache
def _bin_folder(family: Family) -> Path:
    folder = source(family)
    decisive = hashlib.sha256(run_go("version", folder=folder))
    decisive.update((folder / "go.mod").read_bytes())
    decisive.update((folder / "go.sum").read_bytes())
    for program in sorted(folder.glob("*.go")):
        decisive.update(program.read_bytes())
    decisive.update(_linker_flags(family).encode())
    cache = os.environ.get("KRM_FN_CACHE") or Path.home() / ".cache" / "krm-fn"
    return Path(cache) / "tools" / f"{family.name}-{decisive.hexdigest()[:16]}"


def _go_build(family: Family) -> None:
    done = _bin_folder(family)
    done.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=done.parent, prefix=f".{family.name}-") as unfinished:
        bin_folder = Path(unfinished) / "bin"
        bin_folder.mkdir()
        # Several programs get the names of their folders. A single one gets its name here: etcd's
        # folder is "server".
        output = bin_folder if len(family.programs) > 1 else bin_folder / family.programs[0]
        run_go(
            *("build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-p", str(JOBS)),
            *("-ldflags", _linker_flags(family), "-o", str(output), "tool"),
            folder=source(family),
        )
        # Only a complete build gets the final name. Another process may have finished first.
        if not done.exists():
            bin_folder.rename(done)


def _linker_flags(family: Family) -> str:
    major, minor, _ = version(family).removeprefix("v").split(".", 2)
    settings = (
        text.format(version=version(family), major=major, minor=minor) for text in family.variables
    )
    return " ".join(["-s -w", *(f"-X {setting}" for setting in settings)])


if __name__ == "__main__":
    try:
        build(sys.argv[1:])
    except NoSuchVersion as error:
        sys.exit(str(error))
    except subprocess.CalledProcessError as error:
        sys.exit(f"go {error.cmd[1]} failed; see its output above")
