"""Oracles of `krm-fn init`: the bytes before, and what kustomize, helm, Flux and Argo CD took before.

After a failure and after `--remove`, the tree is equal to the byte. After success, everything else in the repository is
built as before, and the package is rendered at its door, by the programs of others.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from krm_fn.cli.main import main
from tests.init.layouts import LAYOUTS, OPTIONS, Layout, make, state
from tests.tools.require import require
from tests.volume import in_turn

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_MANIFESTS = (".yaml", ".yml", ".json")
Builds = Mapping[str, bytes]


def run(*command: str | Path) -> bytes | None:
    """Return what a program prints; None where it fails."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": path},
    )
    return None if done.returncode else done.stdout


def folders(top: Path) -> Iterator[Path]:
    yield top
    yield from (path for path in sorted(top.rglob("*")) if path.is_dir() and not path.is_symlink())


def is_kustomized(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _KUSTOMIZATIONS)


def build_all(top: Path, scratch: Path) -> Builds:
    """Build everything in a repository as kustomize, helm, Flux and Argo CD do.

    What fails is left out.

    Flux builds the folders that its Kustomizations name, and may build all with mere manifests.
    """
    built: dict[str, bytes | None] = {}
    paths = [
        re.findall(r"^  path: \./(.*)$", file.read_text(), re.MULTILINE)
        for file in top.rglob("ks.yaml")
        if "kind: GitRepository" in file.read_text()
    ]
    flux = {top / path for found in paths for path in found}
    for folder in folders(top):
        name = str(folder.relative_to(top))
        if name.startswith(".git"):
            continue
        if is_kustomized(folder):
            built[f"kustomize build {name}"] = run("kubectl", "kustomize", folder)
        elif (folder / "Chart.yaml").is_file():
            built[f"helm template {name}"] = run(require("helm"), "template", "release", folder)
        elif folder in flux or not any(map(is_kustomized, folders(folder))):
            built[f"Flux {name}"] = build_as_flux(folder, scratch)
        built[f"Argo CD {name}"] = read_as_argo_cd(folder)
    return {what: text for what, text in built.items() if text}


def build_as_flux(folder: Path, scratch: Path) -> bytes | None:
    """Generate a kustomization as Flux does for a folder without one: all files below, and all folders with one.

    Source: fluxcd/pkg, kustomize/kustomize_generator.go (scanManifests).
    """
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(
        folder,
        scratch,
        symlinks=True,
        ignore=lambda at, names: [n for n in names if not usable(at, n)],
    )
    resources: list[str] = []
    for here, below, names in os.walk(scratch):
        # As it does without a .sourceignore.
        below[:] = [name for name in below if name not in {".git", ".github"}]
        kustomized = [name for name in below if is_kustomized(Path(here, name))]
        below[:] = [name for name in below if name not in kustomized]
        found = [*kustomized, *(name for name in names if name.endswith((".yaml", ".yml")))]
        resources += (os.path.relpath(Path(here, name), scratch) for name in found)
    (scratch / "kustomization.yaml").write_text(yaml.safe_dump({"resources": sorted(resources)}))
    return run("kubectl", "kustomize", scratch) if resources else None


def usable(folder: str, name: str) -> bool:
    path = Path(folder, name)
    return path.is_dir() or path.is_file()


def read_as_argo_cd(folder: Path) -> bytes | None:
    """Read the manifests of a folder and below as Argo CD does, if the cluster knows all their kinds.

    Source: argoproj/argo-cd, reposerver/repository/repository.go (findManifests): a file with the mark is passed over.
    """
    found = []
    for file in sorted(
        path for path in folder.rglob("*") if path.name.endswith(_MANIFESTS) and path.is_file()
    ):
        text = file.read_text()
        if "+argocd:skip-file-rendering" in text:
            continue
        try:
            documents = [one for one in yaml.safe_load_all(text) if one]
        except yaml.YAMLError:
            return None
        if any(
            not isinstance(one, dict) or one.get("kind") in {None, "Kustomization", *_OURS}
            for one in documents
        ):
            return None
        found.append(text)
    return "---\n".join(found).encode() or None


_OURS = ("ConfigRevisions", "Component", "Kptfile")


def _is_rendered_first(options: tuple[str, ...]) -> bool:
    return options in {OPTIONS["argocd"], OPTIONS["flux"]}


def open_door(package: Path, scratch: Path, options: tuple[str, ...]) -> bytes | None:
    """Render a package as its deployer does, with krm-fn as the function that other programs run."""
    if (package / "Kptfile").is_file() and "krm-fn" in (package / "Kptfile").read_text():
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(package, scratch)
        if (
            run(require("kpt"), "fn", "render", scratch, "--allow-exec", "--truncate-output=false")
            is None
        ):
            return None
        return b"---\n".join(path.read_bytes() for path in sorted(scratch.rglob("*.yaml")))
    if is_kustomized(package) and _is_rendered_first(options):
        # The plugin of Argo CD, and CI for Flux.
        return run("krm-fn", "render", package)
    if is_kustomized(package):
        return run(
            require("kustomize"), "build", "--enable-alpha-plugins", "--enable-exec", package
        )
    if (package / "Chart.yaml").is_file():
        extra = (
            "--post-renderer-args",
            "render",
            "--post-renderer-args",
            "-",
            "--post-renderer-args",
            "--config",
        )
        config = ("--post-renderer-args", package / "krm-fn.yaml")
        return run(
            require("helm"),
            "template",
            "release",
            package,
            "--post-renderer",
            "krm-fn",
            *extra,
            *config,
        )
    return run("krm-fn", "render", package)


def cases() -> Iterator[object]:
    for number, (name, layout) in enumerate(LAYOUTS.items()):
        ways = ["default"] if layout.refused else in_turn([*OPTIONS], number)
        yield from (pytest.param(layout, OPTIONS[way], id=f"{name}: {way}") for way in ways)


@pytest.fixture
def top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, require_tool: Callable[[str], Path]
) -> Path:
    tools = [str(require_tool(name).parent) for name in ("kustomize", "kpt", "helm", "kubectl")]
    monkeypatch.setenv("PATH", os.pathsep.join([*tools, os.environ["PATH"]]))
    (tmp_path / "repository").mkdir()
    monkeypatch.chdir(tmp_path / "repository")
    return tmp_path / "repository"


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize(("layout", "options"), [*cases()])
def test_all_that_was_built_before_still_is(
    layout: Layout, options: tuple[str, ...], top: Path, tmp_path: Path
) -> None:
    make(top, layout.files)
    before, built = state(top), {} if layout.refused else build_all(top, tmp_path / "scratch")
    outcome = main(["init", layout.path, *layout.options, *options])
    if outcome.exit_code:
        assert state(top) == before
        is_by_hand = b"is there, and is not changed; set in it:" in outcome.stdout
        assert layout.refused or is_by_hand, outcome.stderr
        assert layout.refused in outcome.stderr + outcome.stdout.decode()
        assert "Traceback" not in outcome.stderr
        check_named(outcome.stderr, top)
        return
    assert not layout.refused, outcome.stdout.decode()
    after = state(top)
    assert [name for name in after if ".tmp" in name] == []
    package = Path(os.path.relpath(Path(layout.path).resolve()))
    again = build_all(top, tmp_path / "scratch")
    # Where krm-fn builds for Argo CD and Flux, kustomize builds what it has built before.
    own = set() if _is_rendered_first(options) else {f"kustomize build {package}"}
    assert {what: again.get(what) for what in built if what not in own} == {
        what: text for what, text in built.items() if what not in own
    }
    rendered = open_door(Path(layout.path), tmp_path / "scratch", options)
    assert rendered is not None
    assert b"revisions.krm-fn.io/base-name" in rendered
    if layout.set:
        assert {*re.findall(rb"revisions.krm-fn.io/set: ([\w-]+)", rendered)} == {
            layout.set.encode()
        }
    second = main(["init", layout.path, *layout.options, *options])
    assert (second.exit_code, state(top)) == (0, after), second.stderr
    check_removal(layout, before, after, top)


def check_removal(
    layout: Layout,
    before: Mapping[str, tuple[int, bytes]],
    after: Mapping[str, tuple[int, bytes]],
    top: Path,
) -> None:
    """Check that all is as before without what init has written, but for the file for CI; or that all stays."""
    helm = [one for one in layout.options if one == "--enable-helm"]
    removal = main(["init", layout.path, "--remove", *helm])
    found = {name: there for name, there in state(top).items() if not name.startswith(".github")}
    if removal.exit_code:
        # Somebody else has configured krm-fn there.
        assert b"is not as krm-fn init writes it, and stays" in removal.stdout
        assert state(top) == after
        assert "transformers: [fn.yaml]" in str(layout.files)
    else:
        assert found == before


def check_named(said: str, top: Path) -> None:
    """Check that the folders which the message names would do, or deploy others, which only a rendering shows."""
    _, _, named = said.partition("these are packages: ")
    for folder in filter(None, re.sub(r" \([0-9]+\)", "", named.partition("\n")[0]).split(", ")):
        shutil.copytree(top, top.parent / "copy", symlinks=True, dirs_exist_ok=True)
        done = main(["init", str(top.parent / "copy" / folder)])
        assert done.exit_code == 0 or "is an app of apps" in done.stderr
