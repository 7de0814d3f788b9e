"""Which packages a change can affect: at least all whose rendering changes, and as few others as files can tell."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from krm_fn.tools.common.files import Allowance, Limits
from krm_fn.tools.common.patterns import stands_for_several
from krm_fn.tools.diff.affected import ChangedFiles, find_packages
from krm_fn.tools.git.git import Repository
from tests.git.repository import commit, git
from tests.render.run import write

LIMITS = Limits()
OVERLAY = "apps/shop/overlays/dev"
BASE = "apps/shop/base"

TREE: dict[str, str | bytes] = {
    "README.md": "a\n",
    "apps/shop/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n",
    f"{OVERLAY}/kustomization.yaml": "resources: [../../base]\n",
    f"{OVERLAY}/krm-fn.yaml": "a: b\n",
    f"{OVERLAY}/notes.txt": "a\n",
    "apps/shop/overlays/prod/kustomization.yaml": "resources: [../../base]\n",
    f"{BASE}/kustomization.yaml": "resources: [web.yaml]\n",
    f"{BASE}/web.yaml": "a: b\n",
    "apps/other/kustomization.yaml": "resources: [a.yaml]\n",
    "apps/other/a.yaml": "a: b\n",
    **dict.fromkeys(
        (f"shared/{name}" for name in ("a.yaml", "b/c.yaml", "kustomization.yaml")),
        "resources: []\n",
    ),
    "shared/values.yaml": "a: b\n",
}


def can_affect(folder: Path, package: str, *others: str, revision: str = "HEAD") -> bool:
    repository = Repository(folder, Allowance(LIMITS))
    tree = repository.list_tree(repository.resolve(revision))
    return ChangedFiles(repository.folder, tree, Allowance(LIMITS)).can_affect(package, others)


FIELDS = [
    pytest.param("resources: [../../../../shared]\n", "shared/kustomization.yaml", id="resources"),
    pytest.param(
        "resources: [../../../../shared]\n", "shared/b/c.yaml", id="resources, and all below them"
    ),
    pytest.param(
        "resources: [../../../../shared/a.yaml]\n", "shared/a.yaml", id="a file of resources"
    ),
    pytest.param(
        "Bases: ['../../../../shared/']\n",
        "shared/a.yaml",
        id="bases, in the spelling that Go reads too",
    ),
    pytest.param("components:\n- ../../../../shared/\n", "shared/a.yaml", id="components"),
    pytest.param("resources: [../../base]\n", f"{BASE}/web.yaml", id="a file of a base"),
    pytest.param(
        "configMapGenerator: [{name: a, files: [k=../../../../shared/a.yaml]}]\n",
        "shared/a.yaml",
        id="a file with key",
    ),
    pytest.param(
        "configMapGenerator: [{name: a, envs: [../../../../shared/a.yaml]}]\n",
        "shared/a.yaml",
        id="envs",
    ),
    pytest.param(
        "secretGenerator: [{name: a, env: ../../../../shared/a.yaml}]\n", "shared/a.yaml", id="env"
    ),
    pytest.param("patches: [{path: ../../../../shared/a.yaml}]\n", "shared/a.yaml", id="patches"),
    pytest.param(
        "patchesStrategicMerge: [../../../../shared/a.yaml]\n",
        "shared/a.yaml",
        id="strategic merge",
    ),
    pytest.param(
        "patchesJson6902: [{path: ../../../../shared/a.yaml}]\n", "shared/a.yaml", id="JSON patches"
    ),
    pytest.param(
        "replacements: [{path: ../../../../shared/a.yaml}]\n", "shared/a.yaml", id="replacements"
    ),
    pytest.param(
        "configurations: [../../../../shared/a.yaml]\n", "shared/a.yaml", id="configurations"
    ),
    pytest.param("crds: [../../../../shared/a.yaml]\n", "shared/a.yaml", id="crds"),
    pytest.param("openapi: {path: ../../../../shared/a.yaml}\n", "shared/a.yaml", id="openapi"),
    pytest.param("transformers: [../../../../shared]\n", "shared/a.yaml", id="transformers"),
    pytest.param("generators: [../../../../shared]\n", "shared/a.yaml", id="generators"),
    pytest.param("validators: [../../../../shared]\n", "shared/a.yaml", id="validators"),
    pytest.param(
        "helmCharts: [{valuesFile: ../../../../shared/values.yaml}]\n",
        "shared/values.yaml",
        id="helmCharts",
    ),
    pytest.param(
        "helmGlobals: {chartHome: ../../../../shared}\n", "shared/values.yaml", id="helmGlobals"
    ),
    pytest.param(
        "resources: [!!binary Li4=]\n", "README.md", id="a kustomization that hides a path"
    ),
    pytest.param("resources: [\n", "README.md", id="a kustomization that cannot be read"),
    pytest.param("resources: [../../../../..]\n", "README.md", id="a way out of the repository"),
]


@pytest.mark.parametrize(("kustomization", "changed"), FIELDS)
def test_what_a_kustomization_names_can_affect_it(
    kustomization: str, changed: str, tmp_path: Path
) -> None:
    commit(tmp_path, {**TREE, f"{OVERLAY}/kustomization.yaml": kustomization})
    hides = "README" in changed
    assert can_affect(tmp_path, OVERLAY) is hides
    write(tmp_path, {changed: "c: d\n"})
    assert can_affect(tmp_path, OVERLAY)
    assert not can_affect(tmp_path, "apps/other")


FILES = [
    pytest.param({}, False, id="nothing"),
    pytest.param({"README.md": "b\n"}, False, id="a file of nobody"),
    pytest.param({"apps/other/a.yaml": "c: d\n"}, False, id="a file of another package"),
    pytest.param(
        {"apps/shop/overlays/prod/kustomization.yaml": "{}\n"}, False, id="another overlay"
    ),
    pytest.param({f"{OVERLAY}/krm-fn.yaml": "c: d\n"}, True, id="the configuration beside it"),
    pytest.param({f"{OVERLAY}/new.txt": "a\n"}, True, id="a new file"),
    pytest.param({f"{BASE}/new/a.yaml": "a: b\n"}, True, id="a new file of its base"),
    pytest.param({f"{OVERLAY}/ignored.yaml": "a: b\n"}, True, id="a new file that git ignores"),
    pytest.param({f"{BASE}/web.yaml": "a: b\r\n"}, True, id="line ends"),
    pytest.param({"apps/shop/Kptfile": "a: b\n"}, True, id="the Kptfile around it"),
    pytest.param({"Kptfile": "a: b\n"}, True, id="a new Kptfile around it"),
    pytest.param({"shared/values.yaml": "c: d\n"}, True, id="values that the command line names"),
]


@pytest.mark.parametrize(("files", "expected"), FILES)
def test_files_that_can_affect_a_package(
    files: Mapping[str, str | bytes], expected: bool, tmp_path: Path
) -> None:
    commit(tmp_path, {**TREE, ".gitignore": "ignored.yaml\n"})
    write(tmp_path, files)
    assert can_affect(tmp_path, OVERLAY, "shared/values.yaml") is expected


def test_what_git_is_told_to_overlook_is_seen(tmp_path: Path) -> None:
    commit(tmp_path, TREE)
    for option, file in (
        ("--assume-unchanged", f"{BASE}/web.yaml"),
        ("--skip-worktree", "apps/other/a.yaml"),
    ):
        git(tmp_path, "update-index", option, file)
        write(tmp_path, {file: "c: d\n"})
    assert not git(tmp_path, "status", "--porcelain")
    assert can_affect(tmp_path, OVERLAY)
    assert can_affect(tmp_path, "apps/other")


def test_files_that_are_gone(tmp_path: Path) -> None:
    commit(tmp_path, TREE)
    (tmp_path / OVERLAY / "notes.txt").unlink()
    assert can_affect(tmp_path, OVERLAY)
    assert can_affect(tmp_path, "apps/new") is False
    write(tmp_path, {"apps/new/a.yaml": "a: b\n"})
    assert can_affect(tmp_path, "apps/new")


def test_a_change_between_commits_counts_like_one_that_is_not_committed(tmp_path: Path) -> None:
    first = commit(tmp_path, TREE)
    commit(tmp_path, {f"{BASE}/web.yaml": "c: d\n"})
    assert not can_affect(tmp_path, OVERLAY)
    assert can_affect(tmp_path, OVERLAY, revision=first)
    assert not can_affect(tmp_path, "apps/other", revision=first)


def test_a_package_at_the_top_is_the_whole_repository(tmp_path: Path) -> None:
    commit(tmp_path, TREE)
    assert not can_affect(tmp_path, ".")
    write(tmp_path, {"README.md": "b\n"})
    assert can_affect(tmp_path, ".")


def test_more_levels_than_are_rendered_count_as_affected(tmp_path: Path) -> None:
    """And end no pattern in a stack that is too deep."""
    commit(tmp_path, TREE)
    folder = tmp_path
    for _ in range(1_200):
        folder /= "d"
        folder.mkdir()
    assert can_affect(tmp_path, "d")
    repository = Repository(tmp_path, Allowance(LIMITS))
    tree = repository.list_tree(repository.resolve("HEAD"))
    assert find_packages("**/overlays/prod", tmp_path, tree) == ["apps/shop/overlays/prod"]
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # pytest cannot


def test_all_that_has_a_link_counts_as_affected(tmp_path: Path) -> None:
    """It may lead anywhere."""
    write(tmp_path, TREE)
    (tmp_path / "apps/linked").symlink_to("other")
    (tmp_path / BASE / "link.yaml").symlink_to("../../other/a.yaml")
    commit(tmp_path, {})
    affected = [
        path for path in ("apps/linked", OVERLAY, "apps/other") if can_affect(tmp_path, path)
    ]
    assert affected == ["apps/linked", OVERLAY]
    (tmp_path / BASE / "link.yaml").unlink()
    assert can_affect(tmp_path, OVERLAY)


def test_a_file_that_becomes_a_link_to_the_same_text(tmp_path: Path) -> None:
    commit(tmp_path, TREE)
    (tmp_path / OVERLAY / "notes.txt").unlink()
    (tmp_path / OVERLAY / "notes.txt").symlink_to("../../../../README.md")
    assert can_affect(tmp_path, OVERLAY)


def test_a_submodule_counts_as_affected(tmp_path: Path) -> None:
    """Its files are in no tree of this repository."""
    commit(tmp_path / "vendor", {"a.yaml": "a: b\n"})
    commit(
        tmp_path / "r",
        {**TREE, f"{OVERLAY}/kustomization.yaml": "resources: [../../../../vendor]\n"},
    )
    git(
        tmp_path / "r",
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "--quiet",
        str(tmp_path / "vendor"),
    )
    git(tmp_path / "r", "commit", "--quiet", "--message=b")
    assert can_affect(tmp_path / "r", OVERLAY)


def test_more_than_may_be_read_counts_as_affected(tmp_path: Path) -> None:
    commit(tmp_path, TREE)
    repository = Repository(tmp_path, Allowance(LIMITS))
    tree = repository.list_tree(repository.resolve("HEAD"))
    assert ChangedFiles(tmp_path, tree, Allowance(LIMITS._replace(max_bytes=10))).can_affect(
        OVERLAY
    )


def test_a_repository_with_longer_digests(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    commit(tmp_path, TREE)
    assert not can_affect(tmp_path, OVERLAY)
    write(tmp_path, {f"{BASE}/web.yaml": "c: d\n"})
    assert can_affect(tmp_path, OVERLAY)


PATTERNS = [
    pytest.param("apps/*/overlays/*", [OVERLAY, "apps/shop/overlays/prod"], id="overlays"),
    pytest.param("apps/*", ["apps/other"], id="a folder that has only a Kptfile is no package"),
    pytest.param(
        "apps/sh?p/overlays/[dp]*", [OVERLAY, "apps/shop/overlays/prod"], id="single signs"
    ),
    pytest.param("apps/**/prod", ["apps/shop/overlays/prod"], id="any depth"),
    pytest.param(
        "**",
        ["apps/other", BASE, OVERLAY, "apps/shop/overlays/prod", "shared", "shared/b"],
        id="all",
    ),
    pytest.param(
        "shared/*.yaml",
        ["shared/a.yaml", "shared/kustomization.yaml", "shared/values.yaml"],
        id="files",
    ),
    pytest.param(f"{OVERLAY}/*", [], id="files that are no manifests"),
    pytest.param("none/*", [], id="nothing"),
    pytest.param(".h*/*", [".hidden/a"], id="hidden ones that are asked for"),
]


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS)
def test_packages_that_a_pattern_matches(pattern: str, expected: list[str], tmp_path: Path) -> None:
    """They are the same in a revision and in the working tree."""
    commit(tmp_path, {**TREE, ".hidden/a/a.yaml": "a: b\n"})
    repository = Repository(tmp_path, Allowance(LIMITS))
    tree = repository.list_tree(repository.resolve("HEAD"))
    assert find_packages(pattern, tmp_path, tree) == expected
    (tmp_path / "empty").mkdir()
    assert find_packages(pattern, tmp_path / "empty", tree) == expected
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=b")
    git(tmp_path, "rm", "--quiet", "-r", "--cached", ".")
    git(tmp_path, "commit", "--quiet", "--message=c")
    assert (
        find_packages(pattern, tmp_path, repository.list_tree(repository.resolve("HEAD")))
        == expected
    )


def test_a_pattern_follows_no_link(tmp_path: Path) -> None:
    """One in a pull request could lead to any folder of a runner, or in a circle."""
    write(
        tmp_path,
        {
            **{f"r/{name}": text for name, text in TREE.items()},
            "outside/overlays/dev/a.yaml": "a: b\n",
        },
    )
    (tmp_path / "r/apps/linked").symlink_to("../../outside")
    (tmp_path / "r/apps/shop/overlays/linked").symlink_to("../../../../outside/overlays/dev")
    (tmp_path / "r/apps/shop/circle").symlink_to("..")
    commit(tmp_path / "r", {})
    repository = Repository(tmp_path / "r", Allowance(LIMITS))
    tree = repository.list_tree(repository.resolve("HEAD"))
    for pattern in ("apps/*/overlays/*", "apps/**/overlays/*"):
        assert find_packages(pattern, tmp_path / "r", tree) == [OVERLAY, "apps/shop/overlays/prod"]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"a[1].yaml": "a: b\n"})
    assert not stands_for_several("a[1].yaml")
    assert stands_for_several("b[1].yaml")
