"""git merges packages that are rendered in place, and `krm-fn merge` is its driver."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from krm_fn.merge.merge import Merged, NotOurs, Versions, merge
from krm_fn.model.problem import Rejected
from tests import cases
from tests.merge.generated import package
from tests.merge.test_generated import as_git
from tests.test_merges import (
    BASE,
    COLOUR,
    CONFIG,
    CONFIG_MAP,
    CONFLICT,
    DEBUG,
    IMAGE,
    LIMIT,
    LINKER,
    OURS,
    TOKEN,
    TRACE,
    TWO,
    WEB,
    Files,
    edited,
    is_verified,
    objects,
    render,
    rendered,
)

ENVIRONMENT = {**os.environ, "LC_ALL": "C", "KRM_FN_IMAGE": cases.ENVIRONMENT.image}
DRIVER = f"{shlex.quote(sys.executable)} -P -m krm_fn merge %O %A %B %P %L %S %X %Y"
ONE_MORE = {**BASE, "job.yaml": WEB.replace("name: web", "name: job").replace("Deployment", "StatefulSet")}
OLD = "app-2456789bcd"
PINNED = {**TWO, "web.yaml": WEB.replace("name: app\n        - secret", f"name: {OLD}\n        - secret")}
FOLDER = "apps/my shop"


class Story(NamedTuple):
    """What the authors have, and what the merge of their texts is; None for a conflict."""

    base: Files
    ours: Files
    theirs: Files
    merged: Files | None


RENDERED = {
    "both change keys far apart": Story(BASE, DEBUG, LIMIT, edited("config.yaml", ("10", "20"), base=DEBUG)),
    "one the image, the other a key": Story(BASE, IMAGE, TRACE, {**TRACE, "web.yaml": IMAGE["web.yaml"]}),
    "one the ConfigMap, the other the Secret": Story(
        BASE, DEBUG, TOKEN, {**DEBUG, "secret.yaml": TOKEN["secret.yaml"]}
    ),
    "both change a key to the same value": Story(BASE, DEBUG, DEBUG, DEBUG),
    "one pins an older revision, the other changes the content": Story(
        TWO, PINNED, {**TRACE, "api.yaml": TWO["api.yaml"]}, {**PINNED, "config.yaml": TRACE["config.yaml"]}
    ),
}
LEFT_IN_BASE_FORM = {
    "both change one key": Story(BASE, DEBUG, TRACE, None),
    "both change keys side by side": Story(BASE, DEBUG, COLOUR, None),
    "one adds a reader, the other changes a key": Story(
        BASE, ONE_MORE, TRACE, {**ONE_MORE, "config.yaml": TRACE["config.yaml"]}
    ),
}


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    assert done.returncode in {0, 1}, done.stderr
    return done


def commit(folder: Path, files: Files) -> None:
    package = folder / FOLDER
    package.mkdir(parents=True, exist_ok=True)
    for old in package.glob("*.yaml"):
        old.unlink()
    for name, content in {**files, "krm-fn.yaml": CONFIG.decode()}.items():
        (package / name).write_text(content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a change")


def begin(folder: Path, base: Files, ours: Files, theirs: Files) -> None:
    """Make a repository with two branches, and stand on `ours`."""
    git(folder, "init", "--quiet", "--initial-branch", "ours")
    git(folder, "config", "merge.krm-fn.driver", DRIVER)
    (folder / ".gitattributes").write_text("*.yaml merge=krm-fn\n")
    commit(folder, base)
    git(folder, "branch", "theirs")
    commit(folder, ours)
    git(folder, "checkout", "--quiet", "theirs")
    commit(folder, theirs)
    git(folder, "checkout", "--quiet", "ours")


def read(folder: Path) -> Files:
    return {path.name: path.read_text() for path in (folder / FOLDER).glob("*.yaml") if path.name != "krm-fn.yaml"}


def conflicts(folder: Path) -> list[str]:
    return [
        Path(line).name for line in git(folder, "diff", "--name-only", "-z", "--diff-filter=U").stdout.split("\0")[:-1]
    ]


COMMANDS = {
    "merge": ("merge", "--no-edit", "theirs"),
    "rebase": ("rebase", "theirs"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("story", RENDERED.values(), ids=RENDERED)
def test_what_git_merges_is_rendered(story: Story, command: tuple[str, ...], tmp_path: Path) -> None:
    begin(tmp_path, rendered(story.base), rendered(story.ours), rendered(story.theirs))
    done = git(tmp_path, *command)
    assert (done.returncode, conflicts(tmp_path)) == (0, []), done.stdout + done.stderr
    assert story.merged is not None
    assert objects(read(tmp_path)) == objects(rendered(story.merged))
    assert "krm-fn" not in done.stderr


@pytest.mark.parametrize("story", LEFT_IN_BASE_FORM.values(), ids=LEFT_IN_BASE_FORM)
def test_what_cannot_be_rendered_yet_is_in_base_form(story: Story, tmp_path: Path) -> None:
    begin(tmp_path, rendered(story.base), rendered(story.ours), rendered(story.theirs))
    done = git(tmp_path, *COMMANDS["merge"])
    assert conflicts(tmp_path) == ([] if story.merged else ["config.yaml"])
    assert "merged, but not rendered: " in done.stderr
    resolved = {name: CONFLICT.sub(lambda found: found[OURS], text) for name, text in read(tmp_path).items()}
    assert not is_verified(resolved)
    result = render(resolved)
    assert result.files is not None, result.said
    assert objects(result.files) == objects(rendered(story.merged or story.ours))


def test_the_conflict_is_the_one_that_the_authors_would_have(tmp_path: Path) -> None:
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(TRACE))
    git(tmp_path, *COMMANDS["merge"])
    with_markers = CONFIG_MAP.replace(
        "  LEVEL: info\n", "<<<<<<< ours\n  LEVEL: debug\n=======\n  LEVEL: trace\n>>>>>>> theirs\n"
    )
    files = read(tmp_path)
    assert files["config.yaml"] == with_markers
    assert files["web.yaml"] == WEB


def test_branches_that_both_render_for_the_first_time_give_one_rendering(tmp_path: Path) -> None:
    begin(tmp_path, BASE, rendered(DEBUG), rendered(LIMIT))
    assert git(tmp_path, *COMMANDS["merge"]).returncode == 0
    assert objects(read(tmp_path)) == objects(rendered(edited("config.yaml", ("10", "20"), base=DEBUG)))


def test_a_rebase_compares_each_commit_with_its_own_parent(tmp_path: Path) -> None:
    """Another file of the package conflicts in the first commit. In the second, it is settled."""
    other = {
        "x.yaml": CONFIG_MAP.replace("app", "x"),
        "rx.yaml": WEB.replace("web", "rx").replace("name: app\n        - secret", "name: x\n        - secret"),
    }
    warn, more = ({**other, "x.yaml": other["x.yaml"].replace(*pair)} for pair in (("info", "warn"), ("10", "20")))
    begin(tmp_path, rendered({**BASE, **other}), rendered({**DEBUG, **other}), rendered({**TRACE, **more}))
    commit(tmp_path, rendered({**DEBUG, **warn}))
    git(tmp_path, *COMMANDS["rebase"])
    commit_of_first = {name: CONFLICT.sub(lambda found: found[OURS], text) for name, text in read(tmp_path).items()}
    commit(tmp_path, rendered(commit_of_first))
    done = git(tmp_path, "-c", "core.editor=true", "rebase", "--continue")
    assert (done.returncode, conflicts(tmp_path)) == (0, []), done.stdout + done.stderr
    assert "krm-fn" not in done.stderr
    merged = read(tmp_path)
    assert render(merged).files == merged


def test_a_branch_from_before_krm_fn_is_merged_as_it_was_written() -> None:
    adopted = package(rendered(BASE))
    older, newer = ({name: text.encode() for name, text in files.items()} for files in (BASE, LIMIT))
    merged = merge("config.yaml", Versions(older, newer, adopted), as_git, cases.ENVIRONMENT)
    assert (merged.data.decode(), merged.has_conflict) == (LIMIT["config.yaml"], False)
    assert merged.unrendered.endswith(".yaml, which only one branch has changed, must change as well")
    both = Versions(older, package(rendered(DEBUG)), package(rendered(LIMIT)))
    expected = rendered(edited("config.yaml", ("10", "20"), base=DEBUG))
    assert merge("web.yaml", both, as_git, cases.ENVIRONMENT) == Merged(expected["web.yaml"].encode())
    with pytest.raises(NotOurs):
        merge("config.yaml", Versions(adopted, package(rendered(DEBUG)), older), as_git, cases.ENVIRONMENT)


def test_a_cherry_pick_is_rendered_or_merged_as_git_does(tmp_path: Path) -> None:
    """Before version 2.45, git does not say which commit it picks."""
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(LIMIT))
    done = git(tmp_path, "cherry-pick", "theirs")
    if done.returncode:
        assert "merged as git does: the commits are not to be found that git merges" in done.stderr
        assert LINKER in conflicts(tmp_path)
    else:
        assert objects(read(tmp_path)) == objects(rendered(edited("config.yaml", ("10", "20"), base=DEBUG)))


LINES = "a: 1\nb: 2\nc: 3\n"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("../../values.yaml", id="a file of no package"),
        pytest.param("notes.yaml", id="a file of a package without an object"),
    ],
)
def test_everything_else_is_merged_as_git_does(name: str, tmp_path: Path) -> None:
    package = rendered(BASE)
    first, last = (LINES.replace(old, new) for old, new in (("1", "one"), ("3", "three")))
    begin(tmp_path, {**package, name: LINES}, {**package, name: first}, {**package, name: last})
    done = git(tmp_path, *COMMANDS["merge"])
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert (tmp_path / FOLDER / name).read_text() == "a: one\nb: 2\nc: three\n"


def test_a_manifest_that_cannot_be_read_is_no_reason_to_guess() -> None:
    broken = {**rendered(TRACE), "web.yaml": "kind: [\n"}
    packages = Versions(*map(package, (rendered(BASE), rendered(DEBUG), broken)))
    with pytest.raises(Rejected, match=r"web\.yaml:2:1: invalid YAML"):
        merge("config.yaml", packages, lambda texts: Merged(texts.ours), cases.ENVIRONMENT)


def test_without_a_repository_the_driver_merges_as_git_does(tmp_path: Path) -> None:
    for name, text in (("base", "a\nb\nc\n"), ("ours", "A\nb\nc\n"), ("theirs", "a\nb\nC\n")):
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-P", "-m", "krm_fn", "merge", "base", "ours", "theirs", "a.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, (tmp_path / "ours").read_text()) == (0, "A\nb\nC\n")
    assert done.stderr.startswith("warning: a.yaml: merged as git does: ")


def test_a_file_that_cannot_be_read_ends_the_merge(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "krm_fn", "merge", "base", "ours", "theirs", "a.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (129, "error: base: no such file or directory\n")
