"""Real git merges, rebases, picks and applies with the driver, whatever limits and labels that has.

What is right is computed apart: git merges what the authors wrote, without a driver, and the
function renders it.
"""

import json
import os
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from krm_fn.tools.merge.merge_package import Versions
from tests.merge import limited
from tests.merge.generated import Story, tell
from tests.merge.test_merges import CONFIG, OURS, THEIRS, Files, objects, render
from tests.volume import part_of, seed_of

STORIES = 100
DRIVER = f"{shlex.quote(sys.executable)} -P -m tests.merge.limited %O %A %B %P %L"
ROOT = Path(__file__).parents[2]
IDENTITY = {
    f"GIT_{who}_{what}": "a@example.com"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}
ENVIRONMENT = {
    **os.environ,
    **IDENTITY,
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
    "PYTHONPATH": str(ROOT),
}

FOLDERS = ("", "apps/my shop", "caf\udce9")
NAMES = ("app.yaml", "-x.yaml", "--help.yaml", "caf\udce9.yaml", "a b.yaml")
BRANCHES = ("theirs", "caf\udce9", "ours-2", "v1")
SUBJECTS = (
    "a change",
    "- fix it",
    "--help",
    "-x",
    "ours",
    "HEAD",
    "caf\udce9 (b)",
    "parent of HEAD (x)",
)
MARKER_SIZES = (None, None, None, 12, 200_000)
LIMITS = (
    (10**8, 300),
    (10**8, 300),
    (0, 300),
    (3_000, 300),
    (30_000, 300),
    (10**8, 0),
    (10**8, 0.1),
)
COMMENT = (
    "# a long comment of somebody, as programs write them into a file, before what it is about\n"
)


class Scene(NamedTuple):
    """A story, where it is told, and how git hears of it."""

    story: Story
    folder: str
    branch: str
    subject: str
    marker_size: int | None
    limits: tuple[float, float]
    has_labels: bool


class Told(NamedTuple):
    """What git has after a command: its exit code, the files, the stages of those in conflict, the driver's answers."""

    code: int
    said: str
    files: Files
    stages: Mapping[str, Versions[str]]
    answers: Sequence[tuple[str, int, str]]


def choose(random_: random.Random) -> Scene:
    story, name = tell(random_), random_.choice(NAMES)
    versions = [_renamed(files, name) for files in (*story.authored, *story.in_git)]
    if random_.random() < 1 / 3:
        side, comments = random_.choice([1, 2]), COMMENT * random_.choice([100, 500])
        for files in (versions[side], versions[side + 3]):
            files[name] = comments + files[name]
    return Scene(
        Story(Versions(*versions[:3]), Versions(*versions[3:])),
        random_.choice(FOLDERS),
        random_.choice(BRANCHES),
        random_.choice(SUBJECTS),
        random_.choice(MARKER_SIZES),
        random_.choice(LIMITS),
        random_.random() < 0.5,
    )


def _renamed(files: Files, name: str) -> dict[str, str]:
    return {name if old == "app.yaml" else old: content for old, content in files.items()}


class Clone:
    """A repository with two branches, on one of them."""

    def __init__(
        self, folder: Path, scene: Scene, versions: Versions[Files], *, with_driver: bool
    ) -> None:
        self._folder, self._scene = folder, scene
        self._notes = folder.with_name(f"{folder.name}.notes")
        self._environment = {
            **ENVIRONMENT,
            limited.NOTES: str(self._notes),
            limited.LIMITS: json.dumps(scene.limits),
            limited.LABELS: "[]",
        }
        self._base, self._theirs = versions.base, versions.theirs
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch", "ours")
        if with_driver:
            self.git("config", "merge.krm-fn.driver", DRIVER)
            size = f" conflict-marker-size={scene.marker_size}" if scene.marker_size else ""
            (folder / ".gitattributes").write_text(f"*.yaml merge=krm-fn{size}\n")
        self._commit(versions.base, "begin")
        self.git("branch", "--", scene.branch)
        self._commit(versions.ours, "ours")
        self.git("checkout", "--quiet", scene.branch, "--")
        self._commit(versions.theirs, scene.subject)
        self.git("checkout", "--quiet", "ours", "--")

    def git(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            check=False,
        )
        assert done.returncode in {0, 1, 128}, done.stderr
        return done

    def _commit(self, files: Files, subject: str) -> None:
        self._write(files)
        self.git("commit", "--quiet", "--allow-empty", f"--message={subject}")

    def _write(self, files: Files) -> None:
        package = self._folder / self._scene.folder
        package.mkdir(parents=True, exist_ok=True)
        for old in package.glob("*.yaml"):
            old.unlink()
        for name, content in {**files, "krm-fn.yaml": CONFIG.decode()}.items():
            (package / name).write_text(content)
        self.git("add", "--all")

    def tell(self, command: str) -> Told:
        done = getattr(self, f"_{command}")()
        files = {
            path.name: _read(path) for path in (self._folder / self._scene.folder).glob("*.yaml")
        }
        answers = self._notes.read_text().splitlines() if self._notes.exists() else []
        return Told(
            done.returncode,
            os.fsdecode(done.stdout + done.stderr),
            {name: text for name, text in files.items() if name != "krm-fn.yaml"},
            self._stages(),
            [tuple(json.loads(line)) for line in answers],
        )

    def _stages(self) -> dict[str, Versions[str]]:
        found: dict[str, dict[int, str]] = {}
        for entry in self.git("ls-files", "-u", "-z").stdout.split(b"\0")[:-1]:
            what, _, path = entry.partition(b"\t")
            _, name, stage = what.decode().split()
            content = self.git("cat-file", "blob", name).stdout.decode()
            found.setdefault(Path(os.fsdecode(path)).name, {})[int(stage)] = content
        return {
            path: Versions(*(stages.get(number, "") for number in (1, 2, 3)))
            for path, stages in found.items()
        }

    def _label(self, *labels: str) -> None:
        if self._scene.has_labels:
            self._environment[limited.LABELS] = json.dumps(labels)

    def _id(self, name: str) -> str:
        return self.git("rev-parse", "--short", name).stdout.decode().strip()

    def _merge(self) -> subprocess.CompletedProcess[bytes]:
        self._label(self._id("ours^"), "HEAD", self._scene.branch)
        return self.git("merge", "--no-edit", self._scene.branch)

    def _rebase(self) -> subprocess.CompletedProcess[bytes]:
        self._label(f"parent of {self._id('ours')} (ours)", "HEAD", f"{self._id('ours')} (ours)")
        return self.git("rebase", self._scene.branch)

    def _apply(self) -> subprocess.CompletedProcess[bytes]:
        self._label("constructed fake ancestor", "HEAD", "ours")
        return self.git("rebase", "--apply", self._scene.branch)

    def _pick(self) -> subprocess.CompletedProcess[bytes]:
        picked = f"{self._id(self._scene.branch)} ({self._scene.subject})"
        self._label(f"parent of {picked}", "HEAD", picked)
        return self.git(
            "cherry-pick", "--allow-empty", "--keep-redundant-commits", self._scene.branch
        )

    def _revert(self) -> subprocess.CompletedProcess[bytes]:
        """Revert a commit that has undone what theirs is."""
        self.git("checkout", "--quiet", self._scene.branch, "--")
        self._commit(self._base, self._scene.subject)
        self.git("checkout", "--quiet", "ours", "--")
        reverted = f"{self._id(self._scene.branch)} ({self._scene.subject})"
        self._label(reverted, "HEAD", f"parent of {reverted}")
        return self.git("revert", "--no-edit", self._scene.branch)

    def _stash(self) -> subprocess.CompletedProcess[bytes]:
        self._label("Stash base", "Updated upstream", "Stashed changes")
        self.git("checkout", "--quiet", "--detach", "ours^")
        self._write(self._theirs)
        self.git("stash", "--quiet")
        self.git("checkout", "--quiet", "ours", "--")
        return self.git("stash", "pop", "--quiet")

    def _am(self) -> subprocess.CompletedProcess[bytes]:
        self._label("constructed fake ancestor", "HEAD", self._scene.subject)
        patch = self._folder.with_name("a.patch")
        patch.write_bytes(
            self.git(
                "format-patch", "--stdout", "-1", "--keep-subject", self._scene.branch, "--"
            ).stdout
        )
        return self.git("am", "--3way", "--keep", str(patch))


def _read(file: Path) -> str:
    return file.read_bytes().decode(errors="surrogateescape")  # a branch may have any name


def resolve(text: str, side: int, size: int = 7) -> str:
    """Return one side of every conflict."""
    markers = [rf"^{mark * size}( [^\n]*)?\n" for mark in "<=>"]
    conflict = re.compile(
        r"(?P<ours>.*?)".join(markers[:2]) + r"(?P<theirs>.*?)" + markers[2],
        re.MULTILINE | re.DOTALL,
    )
    return conflict.sub(lambda found: found["ours" if side == OURS else "theirs"], text)


def sides(text: str, *sizes: int) -> tuple[str, str]:
    for size in sizes:
        text_of = resolve(text, OURS, size), resolve(text, THEIRS, size)
        if text_of != (text, text):
            return text_of
    return text, text


def merged_by_git(versions: Versions[str], folder: Path) -> str:
    for name, text in versions._asdict().items():
        (folder / name).write_bytes(text.encode())
    command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode()


COMMANDS = ("merge", "rebase", "apply", "pick", "revert", "stash", "am")


@pytest.mark.rows(test=1)
@pytest.mark.volume
@pytest.mark.parametrize("number", range(part_of(STORIES)))
@pytest.mark.parametrize("command", COMMANDS)
def test_an_exit_code_of_git_tells_the_truth(command: str, number: int, tmp_path: Path) -> None:
    scene = choose(random.Random(seed_of(number) + command))
    told = Clone(tmp_path / "clone", scene, scene.story.in_git, with_driver=True).tell(command)
    plain = Clone(tmp_path / "apart", scene, scene.story.authored, with_driver=False).tell(command)
    if told.code == 0 and told.answers:
        assert_is_merged(told, plain)
    for name, stages in told.stages.items():
        assert_nothing_is_gone(told.files.get(name), stages, plain.files.get(name), scene, tmp_path)


def assert_is_merged(told: Told, plain: Told) -> None:
    assert plain.code == 0, "what the authors wrote has a conflict"
    wanted, found = render(plain.files), render(told.files)
    assert (found.files is None) == (wanted.files is None), found.said
    if wanted.files is None or found.files is None:
        return
    assert objects(found.files) == objects(wanted.files), told.answers
    if not any(said for _, _, said in told.answers):
        assert objects(told.files) == objects(wanted.files)


def assert_nothing_is_gone(
    text: str | None, stages: Versions[str], plain: str | None, scene: Scene, folder: Path
) -> None:
    if not stages.ours or not stages.theirs:
        return  # one side has removed it, so git asks nobody
    assert text is not None
    found = sides(text, scene.marker_size or 7, 7)
    allowed = [
        (stages.ours, stages.theirs),
        sides(merged_by_git(stages, folder), 7),
        sides(plain or "", 7),
    ]
    assert found in allowed
