"""git merges packages that are rendered in place, and `krm-fn merge` is its driver."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.tools.common.files import Limits
from krm_fn.tools.merge.merge import DriverCall, drive
from krm_fn.tools.merge.merge_package import Merged, NotOurs, Versions, merge
from tests import cases
from tests.merge.generated import package
from tests.merge.test_generated import as_git
from tests.merge.test_merges import (
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
from tests.wait import FOREVER, until_there

ENVIRONMENT = {**os.environ, "LC_ALL": "C", "KRM_FN_IMAGE": cases.ENVIRONMENT.image}
DRIVER = f"{shlex.quote(sys.executable)} -P -m krm_fn merge %O %A %B %P %L %S %X %Y"
ONE_MORE = {
    **BASE,
    "job.yaml": WEB.replace("name: web", "name: job").replace("Deployment", "StatefulSet"),
}
OLD = "app-2456789bcd"
PINNED = {
    **TWO,
    "web.yaml": WEB.replace("name: app\n        - secret", f"name: {OLD}\n        - secret"),
}
FOLDER = "apps/my shop"


class Story(NamedTuple):
    """What the authors have, and what the merge of their texts is; None for a conflict."""

    base: Files
    ours: Files
    theirs: Files
    merged: Files | None


RENDERED = {
    "both change keys far apart": Story(
        BASE, DEBUG, LIMIT, edited("config.yaml", ("10", "20"), base=DEBUG)
    ),
    "one the image, the other a key": Story(
        BASE, IMAGE, TRACE, {**TRACE, "web.yaml": IMAGE["web.yaml"]}
    ),
    "one the ConfigMap, the other the Secret": Story(
        BASE, DEBUG, TOKEN, {**DEBUG, "secret.yaml": TOKEN["secret.yaml"]}
    ),
    "both change a key to the same value": Story(BASE, DEBUG, DEBUG, DEBUG),
    "one pins an older revision, the other changes the content": Story(
        TWO,
        PINNED,
        {**TRACE, "api.yaml": TWO["api.yaml"]},
        {**PINNED, "config.yaml": TRACE["config.yaml"]},
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
    for name, content in {"krm-fn.yaml": CONFIG.decode(), **files}.items():
        if content:
            (package / name).parent.mkdir(parents=True, exist_ok=True)
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
    return {
        path.name: path.read_text()
        for path in (folder / FOLDER).glob("*.yaml")
        if path.name != "krm-fn.yaml"
    }


def conflicts(folder: Path) -> list[str]:
    return [
        Path(line).name
        for line in git(folder, "diff", "--name-only", "-z", "--diff-filter=U").stdout.split("\0")[
            :-1
        ]
    ]


COMMANDS = {
    "merge": ("merge", "--no-edit", "theirs"),
    "rebase": ("rebase", "theirs"),
}


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("story", RENDERED.values(), ids=RENDERED)
def test_what_git_merges_is_rendered(
    story: Story, command: tuple[str, ...], tmp_path: Path
) -> None:
    begin(tmp_path, rendered(story.base), rendered(story.ours), rendered(story.theirs))
    done = git(tmp_path, *command)
    assert (done.returncode, conflicts(tmp_path)) == (0, []), done.stdout + done.stderr
    assert story.merged is not None
    assert objects(read(tmp_path)) == objects(rendered(story.merged))
    assert "krm-fn" not in done.stderr


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("story", LEFT_IN_BASE_FORM.values(), ids=LEFT_IN_BASE_FORM)
def test_what_cannot_be_rendered_yet_is_in_base_form(story: Story, tmp_path: Path) -> None:
    begin(tmp_path, rendered(story.base), rendered(story.ours), rendered(story.theirs))
    done = git(tmp_path, *COMMANDS["merge"])
    assert conflicts(tmp_path) == ([] if story.merged else ["config.yaml"])
    assert "merged, but not rendered: " in done.stderr
    resolved = {
        name: CONFLICT.sub(lambda found: found[OURS], text) for name, text in read(tmp_path).items()
    }
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
    assert objects(read(tmp_path)) == objects(
        rendered(edited("config.yaml", ("10", "20"), base=DEBUG))
    )


def test_a_rebase_compares_each_commit_with_its_own_parent(tmp_path: Path) -> None:
    """Another file of the package conflicts in the first commit. In the second, it is settled."""
    other = {
        "x.yaml": CONFIG_MAP.replace("app", "x"),
        "rx.yaml": WEB.replace("web", "rx").replace(
            "name: app\n        - secret", "name: x\n        - secret"
        ),
    }
    warn, more = (
        {**other, "x.yaml": other["x.yaml"].replace(*pair)}
        for pair in (("info", "warn"), ("10", "20"))
    )
    begin(
        tmp_path,
        rendered({**BASE, **other}),
        rendered({**DEBUG, **other}),
        rendered({**TRACE, **more}),
    )
    commit(tmp_path, rendered({**DEBUG, **warn}))
    git(tmp_path, *COMMANDS["rebase"])
    commit_of_first = {
        name: CONFLICT.sub(lambda found: found[OURS], text) for name, text in read(tmp_path).items()
    }
    commit(tmp_path, rendered(commit_of_first))
    done = git(tmp_path, "-c", "core.editor=true", "rebase", "--continue")
    assert (done.returncode, conflicts(tmp_path)) == (0, []), done.stdout + done.stderr
    assert "krm-fn" not in done.stderr
    merged = read(tmp_path)
    assert render(merged).files == merged


def test_a_branch_from_before_krm_fn_is_merged_as_it_was_written() -> None:
    adopted = package(rendered(BASE))
    older, newer = (
        {name: text.encode() for name, text in files.items()} for files in (BASE, LIMIT)
    )
    merged = merge("config.yaml", Versions(older, newer, adopted), as_git, cases.ENVIRONMENT)
    assert (merged.data.decode(), merged.has_conflict) == (LIMIT["config.yaml"], False)
    assert merged.unrendered.endswith(
        ".yaml, which only one branch has changed, must change as well"
    )
    both = Versions(older, package(rendered(DEBUG)), package(rendered(LIMIT)))
    expected = rendered(edited("config.yaml", ("10", "20"), base=DEBUG))
    assert merge("web.yaml", both, as_git, cases.ENVIRONMENT) == Merged(
        expected["web.yaml"].encode()
    )
    with pytest.raises(NotOurs):
        merge(
            "config.yaml",
            Versions(adopted, package(rendered(DEBUG)), older),
            as_git,
            cases.ENVIRONMENT,
        )


UNTOLD = [
    pytest.param([["cherry-pick", "theirs"]], id="a commit is picked"),
    pytest.param([["cherry-pick", "--no-commit", "theirs"]], id="picked, and not yet committed"),
    pytest.param(
        [
            ["checkout", "--quiet", "theirs"],
            ["revert", "--no-edit", "HEAD"],
            ["branch", "--force", "undone"],
            ["checkout", "--quiet", "ours"],
            ["revert", "--no-edit", "undone"],
        ],
        id="a commit is reverted that has undone it",
    ),
    pytest.param(
        [
            ["checkout", "--quiet", "--detach", "theirs^"],
            ["checkout", "theirs", "--", "."],
            ["stash", "--quiet"],
            ["checkout", "--quiet", "ours"],
            ["stash", "pop"],
        ],
        id="a stash is popped",
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("commands", UNTOLD)
def test_what_git_does_not_name_is_found_by_what_it_changes(
    commands: list[list[str]], tmp_path: Path
) -> None:
    """Before version 2.45, git does not say which commit it picks or reverts, and never which stash."""
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(LIMIT))
    for command in commands:
        done = git(tmp_path, *command)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "krm-fn" not in done.stderr
    assert objects(read(tmp_path)) == objects(
        rendered(edited("config.yaml", ("10", "20"), base=DEBUG))
    )


COPIES = [
    pytest.param(WEB, True, id="which is the same package"),
    pytest.param(IMAGE["web.yaml"], False, id="whose other files differ"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("web", "is_merged"), COPIES)
def test_a_second_commit_makes_the_same_change_of_a_file(
    web: str, is_merged: bool, tmp_path: Path
) -> None:
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(LIMIT))
    git(tmp_path, "checkout", "--quiet", "-b", "copy", "theirs^")
    commit(tmp_path, rendered({**BASE, "web.yaml": web}))
    commit(tmp_path, rendered({**LIMIT, "web.yaml": web}))
    git(tmp_path, "checkout", "--quiet", "ours")
    done = git(tmp_path, "-c", "advice.mergeConflict=false", "cherry-pick", "theirs")
    assert (done.returncode == 0) is is_merged
    said = "merged as git does: the commits are not to be found that git merges"
    assert (said in done.stderr) is not is_merged


def rebased_with(side: str, base: Files, ours: Files, theirs: Files, folder: Path) -> Files:
    """Return what git makes of the texts of the authors with `-X`, without a driver."""
    folder.mkdir()
    begin(folder, base, ours, theirs)
    (folder / ".gitattributes").unlink()
    git(folder, "commit", "--quiet", "--all", "--message", "no driver")
    git(folder, "checkout", "--quiet", "theirs")
    git(folder, "rebase", "-X", side, "ours")
    return read(folder)


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_rebase_that_favours_a_side_gives_the_rendering_of_it(side: str, tmp_path: Path) -> None:
    """Only git's note of a rebase says what its -X was."""
    changed = edited("config.yaml", ("10", "20"), base=TRACE)
    expected = rebased_with(side, BASE, DEBUG, changed, tmp_path / "authored")
    assert ("trace" in expected["config.yaml"]) is (side == "theirs")
    (tmp_path / "rendered").mkdir()
    begin(tmp_path / "rendered", rendered(BASE), rendered(DEBUG), rendered(changed))
    git(tmp_path / "rendered", "checkout", "--quiet", "theirs")
    done = git(tmp_path / "rendered", "rebase", "-X", side, "ours")
    assert (done.returncode, conflicts(tmp_path / "rendered")) == (0, []), done.stdout + done.stderr
    assert "krm-fn" not in done.stderr
    assert objects(read(tmp_path / "rendered")) == objects(rendered(expected))


NOT_TOLD = [
    pytest.param(["merge", "--no-edit", "-X", "ours", "theirs"], id="merge"),
    pytest.param(["pull", "--no-rebase", "-X", "ours", ".", "theirs"], id="pull"),
    pytest.param(["cherry-pick", "-X", "ours", "theirs"], id="cherry-pick"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("command", NOT_TOLD)
def test_a_conflict_stays_where_git_does_not_say_what_is_favoured(
    command: list[str], tmp_path: Path
) -> None:
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(TRACE))
    done = git(tmp_path, *command)
    assert done.returncode == 1
    assert "config.yaml" in conflicts(tmp_path)


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    ("side", "expected"), [("ours", DEBUG), ("theirs", TRACE)], ids=["ours", "theirs"]
)
def test_a_side_of_the_conflict_may_be_checked_out_instead(
    side: str, expected: Files, tmp_path: Path
) -> None:
    """As docs/merges.md says.

    The file then has the name of its rendering, and the others have base names.
    """
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(TRACE))
    git(tmp_path, *COMMANDS["merge"])
    git(tmp_path, "checkout", f"--{side}", f"{FOLDER}/config.yaml")
    result = render(read(tmp_path))
    assert result.files is not None, result.said
    assert objects(result.files) == objects(rendered(expected))


def test_what_is_picked_while_a_rebase_has_stopped_favours_nothing(tmp_path: Path) -> None:
    """The note of the rebase is still there."""
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(TRACE))
    commit(tmp_path, rendered(edited("config.yaml", ("10", "20"), base=DEBUG)))
    edit = "-c", "sequence.editor=sed -i 's/^pick/edit/'"
    git(tmp_path, *edit, "rebase", "--interactive", "-X", "theirs", "HEAD~1")
    assert (tmp_path / ".git/rebase-merge/strategy_opts").is_file()
    git(tmp_path, "cherry-pick", "theirs")
    assert "config.yaml" in conflicts(tmp_path)


def test_a_merge_says_once_what_it_could_not_do(tmp_path: Path) -> None:
    """The driver runs for three files here. The next merge says it again."""
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(TRACE))
    for _ in range(2):
        done = git(tmp_path, *COMMANDS["merge"])
        assert done.stderr.count("merged, but not rendered: ") == 1
        git(tmp_path, "merge", "--abort")


ELSEWHERE = [
    pytest.param("../../values.yaml", id="at the top of the repository"),
    pytest.param("../other/web.yaml", id="of a package beside it"),
    pytest.param(f"../../{FOLDER}-2/web.yaml", id="of a package whose name begins the same"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_manifest_outside_of_the_package_changes_no_merge(name: str, tmp_path: Path) -> None:
    begin(tmp_path, *({**rendered(files), name: WEB} for files in (BASE, DEBUG, LIMIT)))
    done = git(tmp_path, *COMMANDS["merge"])
    assert (done.returncode, done.stderr) == (0, "")
    assert objects(read(tmp_path)) == objects(
        rendered(edited("config.yaml", ("10", "20"), base=DEBUG))
    )


LINES = "a: 1\nb: 2\nc: 3\n"


@pytest.mark.rows(test=1)
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


WITHOUT_CONFIG = {name: text for name, text in rendered(BASE).items() if name != "config.yaml"}


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        pytest.param(WITHOUT_CONFIG, rendered(TRACE), id="ours has removed it"),
        pytest.param(rendered(TRACE), WITHOUT_CONFIG, id="theirs has removed it"),
    ],
)
def test_a_file_that_one_side_removes_and_the_other_changes_is_a_conflict_and_stays(
    ours: Files, theirs: Files
) -> None:
    versions = Versions(*map(package, (rendered(BASE), ours, theirs)))
    merged = merge("config.yaml", versions, as_git, cases.ENVIRONMENT)
    expected = Merged(
        TRACE["config.yaml"].encode(), has_conflict=True, unrendered="config.yaml has a conflict"
    )
    assert merged == expected


def test_a_manifest_that_cannot_be_read_is_no_reason_to_guess() -> None:
    broken = {**rendered(TRACE), "web.yaml": "kind: [\n"}
    packages = Versions(*map(package, (rendered(BASE), rendered(DEBUG), broken)))
    with pytest.raises(Rejected, match=r"web\.yaml:2:1: invalid YAML"):
        merge("config.yaml", packages, lambda texts: Merged(texts.ours), cases.ENVIRONMENT)


THREE = {"base": "a\nb\nc\n", "ours": "A\nb\nc\n", "theirs": "a\nb\nC\n"}
KRM_FN = [sys.executable, "-P", "-m", "krm_fn", "merge"]
NAMES = [*THREE]


def drive_in(
    folder: Path, *arguments: str, texts: Mapping[str, str] = THREE, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    variables = {**ENVIRONMENT, **environment}
    return subprocess.run(
        [*KRM_FN, *arguments], cwd=folder, env=variables, capture_output=True, check=False
    )


ARGUMENTS = [
    pytest.param(["a.yaml"], id="a path"),
    pytest.param(["-x.yaml"], id="a path that begins like an option"),
    pytest.param(["--help"], id="a path that is one"),
    pytest.param(["a.yaml", "-7"], id="no size"),
    pytest.param(
        ["a.yaml", "7", "1a2b3c4", "HEAD", "- fix it"], id="a subject that begins like an option"
    ),
    pytest.param(["a.yaml", "7", "--", "-h", "--help"], id="labels that are options"),
    pytest.param(["a.yaml", "7", "%S", "%X", "%Y"], id="no labels, before version 2.45 of git"),
    pytest.param(
        ["caf\udce9.yaml", "7", "", "HEAD", "caf\udce9 (na\udcefve)"], id="bytes that are not UTF-8"
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("is_repository", [True, False], ids=["in a repository", "without one"])
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_paths_and_labels_are_never_options(
    arguments: list[str], is_repository: bool, tmp_path: Path
) -> None:
    if is_repository:
        begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(LIMIT))
    done = drive_in(tmp_path, *NAMES, *arguments)
    assert (done.returncode, (tmp_path / "ours").read_text()) == (0, "A\nb\nC\n")
    assert done.stderr.startswith(b"warning: ") is not is_repository


WRONG_CALLS = [
    pytest.param(
        ["--marker-size", *NAMES, "a.yaml"],
        b"No such option",
        id="an option, in front of the files",
    ),
    pytest.param(["base", "ours"], b"Missing argument 'THEIRS'", id="a file too few"),
    pytest.param(
        ["base", "none", "theirs"],
        b"none: no such file or directory",
        id="a file that is not there",
    ),
    pytest.param(["base", "ours", "."], b".: is a directory", id="a folder"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("arguments", "said"), WRONG_CALLS)
def test_a_wrong_call_ends_the_merge(arguments: list[str], said: bytes, tmp_path: Path) -> None:
    """From version 2.42 of git on. It would take the usual exit code, 2, for a conflict."""
    done = drive_in(tmp_path, *arguments)
    assert done.returncode == 129
    assert said in done.stderr
    assert {name: (tmp_path / name).read_text() for name in THREE} == THREE


BOTH = "<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n"
BINARY = {**THREE, "theirs": "a\0\n"}
NO_BREAK = {"base": "a", "ours": "b", "theirs": "c"}
TROUBLES = [
    pytest.param(BINARY, {}, "git merge-file failed with exit code 255", id="a binary"),
    pytest.param(THREE, {"PATH": "/nowhere"}, "a merge needs git on PATH", id="no git"),
    pytest.param(THREE, {"TMPDIR": "/nowhere"}, "cannot make a temporary folder", id="no room"),
]


@pytest.mark.rows(test=2)
@pytest.mark.parametrize(("texts", "environment", "said"), TROUBLES)
def test_what_cannot_be_merged_is_a_conflict_with_both_sides(
    texts: Mapping[str, str], environment: Mapping[str, str], said: str, tmp_path: Path
) -> None:
    done = drive_in(tmp_path, *NAMES, "a.yaml", texts=texts, **environment)
    assert (done.returncode, (tmp_path / "ours").read_text()) == (1, BOTH.format_map(texts))
    assert (
        f"error: a.yaml: not merged, so both sides are in the file: {said}" in done.stderr.decode()
    )
    assert {path.name for path in tmp_path.iterdir()} == {*THREE}


CUT = """\
#!/bin/sh
PATH=/usr/bin:/bin
git "$@" | head -n 2
"""


def test_a_merge_that_ends_early_is_a_conflict_whatever_git_says_of_it(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text(CUT)
    (tools / "git").chmod(0o755)
    done = drive_in(tmp_path, *NAMES, "a.yaml", PATH=f"{tools}:{ENVIRONMENT['PATH']}")
    assert (done.returncode, (tmp_path / "ours").read_text()) == (1, BOTH.format_map(THREE))
    assert b"git merge-file has printed only a part of its answer" in done.stderr


def test_a_last_line_without_a_break_keeps_the_markers_on_their_own_lines(tmp_path: Path) -> None:
    drive_in(tmp_path, *NAMES, "a.yaml", texts=NO_BREAK, PATH="/nowhere")
    assert (tmp_path / "ours").read_text() == BOTH.format(ours="b\n", theirs="c\n")


def test_both_sides_are_in_the_file_when_the_driver_is_killed(tmp_path: Path) -> None:
    """Before version 2.42, git takes this for a conflict, with the file as it is."""
    (tmp_path / "git").write_text(
        f"#!/bin/sh\nPATH=/usr/bin:/bin\ntouch started\nsleep {FOREVER}\n"
    )
    (tmp_path / "git").chmod(0o755)
    for name, text in THREE.items():
        (tmp_path / name).write_text(text)
    environment = {**ENVIRONMENT, "PATH": f"{tmp_path}:{ENVIRONMENT['PATH']}"}
    with subprocess.Popen([*KRM_FN, *NAMES, "a.yaml"], cwd=tmp_path, env=environment) as process:
        until_there(tmp_path / "started", process)
        process.kill()
    assert (tmp_path / "ours").read_text() == BOTH.format_map(THREE)


def test_a_disk_that_is_full_leaves_the_file_and_ends_the_merge(tmp_path: Path) -> None:
    large = {name: text + "x\n" * 2000 for name, text in THREE.items()}
    for name, text in large.items():
        (tmp_path / name).write_text(text)
    command = shlex.join([*KRM_FN, *NAMES, "a.yaml"])
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 8; {command}"], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, (tmp_path / "ours").read_text()) == (129, large["ours"])
    assert done.stderr == b"error: ours: file too large\n"
    assert {path.name for path in tmp_path.iterdir()} == {*THREE}


LIMITED = [
    pytest.param(Limits(max_bytes=0), id="no bytes are left"),
    pytest.param(Limits(timeout=0), id="no time is left"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("limits", LIMITED)
def test_a_merge_that_has_used_up_its_limits_is_complete_or_a_conflict(
    limits: Limits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is used up by the package is not used up for the file."""
    begin(tmp_path, rendered(BASE), rendered(DEBUG), rendered(LIMIT))
    monkeypatch.chdir(tmp_path)
    for name, text in THREE.items():
        (tmp_path / name).write_text(text)
    call = DriverCall(Versions(*map(Path, NAMES)), f"{FOLDER}/notes.yaml")
    outcome = drive(call, cases.ENVIRONMENT, limits)
    found = (tmp_path / "ours").read_text()
    assert (outcome.exit_code, found) in [(0, "A\nb\nC\n"), (1, BOTH.format_map(THREE))]
    assert outcome.stderr.startswith(f"warning: {FOLDER}/notes.yaml: merged as git does: ")


MARKERS = "<" * 200_000


def test_markers_that_are_larger_than_all_that_may_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in NO_BREAK.items():
        (tmp_path / name).write_text(f"{text}\n")
    call = DriverCall(Versions(*map(Path, NAMES)), "a.yaml", str(len(MARKERS)))
    outcome = drive(call, cases.ENVIRONMENT, Limits(max_bytes=len(MARKERS), are_fixed=True))
    assert outcome.exit_code == 1
    assert "git merge-file: more than 200006 bytes are to be read\n" in outcome.stderr
    assert (tmp_path / "ours").read_text() == BOTH.format(ours="b\n", theirs="c\n")


def test_a_name_that_one_side_adds_is_looked_at_where_the_package_is_not_known(
    tmp_path: Path,
) -> None:
    """The other side may have changed its content, and nothing tells."""
    added = {**THREE, "theirs": f"a\nb\nC: {OLD}\n"}
    done = drive_in(tmp_path, *NAMES, "a.yaml", texts=added)
    assert (done.returncode, (tmp_path / "ours").read_text()) == (1, f"A\nb\nC: {OLD}\n")
    assert done.stderr.endswith(
        b"; a side adds or removes names of revisions, so look at them, and render the package\n"
    )
    renamed = {name: f"{text}c: {OLD}\n" for name, text in THREE.items()}
    renamed["theirs"] = renamed["theirs"].replace(OLD, "app-bbbbbbbbbb")
    done = drive_in(tmp_path, *NAMES, "a.yaml", texts=renamed)
    assert (done.returncode, (tmp_path / "ours").read_text()) == (0, "A\nb\nC\nc: app-bbbbbbbbbb\n")


KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: shop}
pipeline: {mutators: [{exec: krm-fn, configMap: {name: shop, kinds: "ConfigMap,Secret", deployers: kpt}}]}
"""
OTHER_FILES = {
    "krm-fn.yaml": "",
    "Kptfile": KPTFILE,
    ".hidden.yaml": "kind: [\n",
    "notes.md": "kind: [\n",
}


def test_the_manifests_of_a_kpt_package_are_read_and_nothing_else(tmp_path: Path) -> None:
    begin(tmp_path, *({**rendered(files), **OTHER_FILES} for files in (BASE, DEBUG, LIMIT)))
    done = git(tmp_path, *COMMANDS["merge"])
    assert (done.returncode, done.stderr) == (0, "")
    merged = {name: text for name, text in read(tmp_path).items() if name not in OTHER_FILES}
    assert objects(merged) == objects(rendered(edited("config.yaml", ("10", "20"), base=DEBUG)))


def test_the_linkers_file_of_an_unrendered_merge_has_the_objects_of_both_sides() -> None:
    ours, theirs = rendered(DEBUG), rendered(TRACE)
    versions = Versions(*map(package, (rendered(BASE), ours, theirs)))
    merged = merge(LINKER, versions, as_git, cases.ENVIRONMENT)
    assert merged.unrendered == "config.yaml has a conflict"
    found, first, second = (
        objects({LINKER: text}) for text in (merged.data.decode(), ours[LINKER], theirs[LINKER])
    )
    assert found == {**second, **first}
    assert first.keys() != second.keys()
    assert ours[LINKER].removeprefix("---\n") in merged.data.decode()


def test_the_linkers_file_of_one_side_stays_where_the_other_has_none() -> None:
    theirs = rendered(TRACE)
    versions = Versions(package(BASE), package(DEBUG), package(theirs))
    assert merge(LINKER, versions, as_git, cases.ENVIRONMENT).data.decode() == theirs[LINKER]
