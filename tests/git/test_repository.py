"""Which files of a revision are written: all that a rendering needs, and of large repositories no others."""

import time
from pathlib import Path

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.tools.common.files import Allowance, Limits
from krm_fn.tools.git.git import Repository
from tests.git.repository import commit
from tests.render.run import write

FILES = ["plain/a.yaml", "plain/deep/b.yaml", "plain2/c.yaml", "chart/Chart.yaml", "top.yaml"]
BUILT = {
    "built/kustomization.yaml": "resources: [.., ../base/]\n",
    "hidden/kustomization.yaml": "resources: [!!binary Li4vYmFzZQ==]\n",
    "broken/kustomization.yaml": "resources: [\n",
    "overlays/prod/kustomization.yaml": "resources: [../../bases/web]\nsecretGenerator: [{env: k=../../top.yaml}]\n",
    "bases/web/kustomization.yml": "resources: [web.yaml, https://example.com/../x]\ncomponents: ['../component']\n",
    "bases/web/web.yaml": "a: b\n",
    "bases/component/Kustomization": "resources: [../../../../elsewhere, a.yaml]\n",
    "bases/component/a.yaml": "a: b\n",
    "bases/other/a.yaml": "resources: [../web]\n",
    "overlays/test/kustomization.yaml": "resources: [../../bases/linked]\n",
}
LINKS = {
    "linked/in.yaml": "../top.yaml",
    "through": "plain",
    "bases/linked/in.yaml": "../../top.yaml",
}
EVERYTHING = sorted([*FILES, *BUILT, *LINKS])

NEEDED = [
    pytest.param(["plain"], ["plain/a.yaml", "plain/deep/b.yaml"], id="a folder"),
    pytest.param(
        ["chart", "top.yaml"], ["chart/Chart.yaml", "top.yaml"], id="a chart and its values"
    ),
    pytest.param(["plain/a.yaml", "new"], ["plain/a.yaml"], id="a path that is not there"),
    pytest.param(["new"], [], id="nothing"),
    pytest.param(
        ["overlays/prod"],
        [
            *(
                "bases/component/Kustomization",
                "bases/component/a.yaml",
                "bases/web/kustomization.yml",
            ),
            *("bases/web/web.yaml", "overlays/prod/kustomization.yaml", "top.yaml"),
        ],
        id="a kustomization, and the bases of its bases",
    ),
    pytest.param(
        ["bases/other"], ["bases/other/a.yaml"], id="a file that only looks like a kustomization"
    ),
    pytest.param(["built"], EVERYTHING, id="a kustomization with a base at the top"),
    pytest.param(["hidden"], EVERYTHING, id="a kustomization that hides a path"),
    pytest.param(["broken"], EVERYTHING, id="a kustomization that cannot be read"),
    pytest.param(["overlays/test"], EVERYTHING, id="a base with a link"),
    pytest.param(["linked"], EVERYTHING, id="a link, which may lead anywhere"),
    pytest.param(["through/deep"], EVERYTHING, id="a path through a link"),
    pytest.param(["."], EVERYTHING, id="the whole repository"),
]


@pytest.mark.parametrize(("paths", "expected"), NEEDED)
def test_what_is_needed_is_written(paths: list[str], expected: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    write(folder, {**dict.fromkeys(FILES, "a: b\n"), **BUILT})
    for name, target in LINKS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(target)
    made = commit(folder, {})
    repository = Repository(folder, Allowance(Limits()))
    with repository.check_out(repository.resolve(made[:10]), paths) as checked_out:
        files = (
            path for path in checked_out.folder.rglob("*") if path.is_symlink() or not path.is_dir()
        )
        written = sorted(path.relative_to(checked_out.folder).as_posix() for path in files)
        assert written == expected
    assert not checked_out.folder.exists()


def test_a_misspelled_revision_takes_little_time_among_many_branches(tmp_path: Path) -> None:
    head = commit(tmp_path, {"a.yaml": ""})
    names = sorted(f"refs/heads/feature/{number}" for number in range(100_000))
    packed = "".join(f"{head} {name}\n" for name in names)
    (tmp_path / ".git/packed-refs").write_text(f"# pack-refs with: sorted\n{packed}")
    repository = Repository(tmp_path, Allowance(Limits()))
    started = time.process_time()
    with pytest.raises(Rejected, match=r"did you mean .feature/"):
        repository.resolve("featur/77")
    assert time.process_time() - started < 5
