"""Each program that krm-fn starts is replaced by one that breaks, at each of its calls.

Nobody takes half an answer.

A command then fails, or its answer is the one that it has with the whole program. What cannot be
told is in UNTOLD.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from shutil import which
from typing import NamedTuple, TypeAlias

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.cli.main import main
from krm_fn.tools.common.files import Limits
from krm_fn.tools.merge.merge import DriverCall, drive
from krm_fn.tools.merge.merge_package import Versions
from tests.cases import ENVIRONMENT
from tests.git.repository import commit, git
from tests.merge.generated import package
from tests.merge.test_merges import DEBUG, IMAGE, LIMIT, TRACE, edited, rendered
from tests.merge.test_real_git import merged_by_git, sides
from tests.render.run import write
from tests.volume import IS_WHOLE, VOLUME, seed_of
from tests.wait import FOREVER, PATIENCE, SHORT

MANIFESTS = b"""\
apiVersion: v1
kind: ConfigMap
metadata: {name: app, namespace: shop}
data: {LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - {name: web, image: web, envFrom: [{configMapRef: {name: app}}]}
"""
CONFIG = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
MOST_BYTES = 100_000
Files: TypeAlias = Mapping[str, str | bytes]

HALF = '{real} "$@" > {folder}/half; head -c $(($(wc -c < {folder}/half) / 2)) {folder}/half; '
BEHAVIOURS = {
    "ends early": "exit 3",
    "says nothing, and that all is well": "exit 0",
    "prints half, and fails": HALF + "exit 1",
    "prints half, and says that all is well": HALF + "exit 0",
    "prints half, and is killed": HALF + "kill -9 $$",
    "is told to end": f"kill -TERM $$; sleep {FOREVER}",
    "prints too much": "while :; do echo 0123456789abcdef0123456789abcdef; done",
    "hangs": f"exec sleep {FOREVER}",
    "hangs, and has closed its output": f"exec >&- 2>&-; exec sleep {FOREVER}",
    "does not want to end": f"trap '' TERM INT HUP; while :; do sleep {FOREVER}; done",
    "complains for ever": "while :; do echo no >&2; done",
    "has no interpreter": None,
}
ENDLESS = {
    name
    for name, script in BEHAVIOURS.items()
    if script and ("sleep" in script or "while" in script)
}

OURS = ".merge_file_ours"
"""The file that the answer of a merge is written into."""

BUILDERS = ("kustomize", "kubectl", "helm")
UNTOLD = {
    # YAML has no end, and a kustomization without resources prints nothing.
    **{
        (one, name): "YAML has no end"
        for one in BUILDERS
        for name in BEHAVIOURS
        if "all is well" in name
    },
    # What git lists may be empty. Half of a list has no end, or ends in the middle of an entry.
    ("git ls-files", "says nothing, and that all is well"): "a repository may have no files yet",
    ("git ls-tree", "says nothing, and that all is well"): "a folder may be empty",
    ("git status", "says nothing, and that all is well"): "nothing may be uncommitted",
    ("git config", "says nothing, and that all is well"): "nothing may be configured",
    ("git for-each-ref", "says nothing, and that all is well"): "a repository may have no branch",
}

WRAPPER = """\
#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >> {folder}/calls
[ "$(wc -l < {folder}/calls)" -eq {broken} ] || exec {real} "$@"
{behaviour}
"""


class Door(NamedTuple):
    """A way into krm-fn: files, what is run there, and the program that it starts.

    For a merge, the files are ours.
    """

    files: Files
    program: str
    run: Callable[[Limits], Outcome]


def _command(*arguments: str) -> Callable[[Limits], Outcome]:
    def run(limits: Limits) -> Outcome:
        options = ["--timeout", str(limits.timeout), "--max-bytes", str(limits.max_bytes)]
        return main([arguments[0], *options, *arguments[1:]])

    return run


def _drive(limits: Limits) -> Outcome:
    files = Versions(*(Path(f".merge_file_{name}") for name in Versions._fields))
    return drive(DriverCall(files, "config.yaml"), ENVIRONMENT, limits)


KUSTOMIZATION: Files = {
    "shop/kustomization.yaml": "resources: []\n",
    "shop/krm-fn.yaml": CONFIG,
    "old/a.yaml": MANIFESTS,
}
CHART: Files = {
    "shop/Chart.yaml": "name: shop\n",
    "shop/krm-fn.yaml": CONFIG,
    "old/a.yaml": MANIFESTS,
}
PLAIN: Files = {
    "shop/a.yaml": MANIFESTS,
    "shop/krm-fn.yaml": CONFIG,
    "other/a.yaml": MANIFESTS,
    "other/krm-fn.yaml": CONFIG,
}

PACKAGES: Files = {
    f"{name}/kustomization.yaml": "resources: []\n" for name in ("db", "shop", "web")
}


def _before_init(files: Files) -> Files:
    return {name: content for name, content in files.items() if name != "shop/krm-fn.yaml"}


DOORS = {
    **{
        f"{command[0]} with {program}": Door(files, program, _command(*command))
        for program, files in (
            ("kustomize", KUSTOMIZATION),
            ("kubectl", KUSTOMIZATION),
            ("helm", CHART),
        )
        for command in (
            *(
                ("render", "shop"),
                ("explain", "shop", "app"),
                ("graph", "shop"),
                ("diff", "old", "shop"),
            ),
            ("verify", "shop"),
        )
    },
    **{
        f"init with {program}": Door(
            _before_init(files), program, _command("init", "--namespace=shop", "shop")
        )
        for program, files in (
            ("kustomize", KUSTOMIZATION),
            ("kubectl", KUSTOMIZATION),
            ("helm", CHART),
        )
    },
    "init --ci with kustomize": Door(
        _before_init(KUSTOMIZATION),
        "kustomize",
        _command("init", "--ci=gitlab", f"--action=our/krm-fn@{'a' * 40}", "shop"),
    ),
    "init of several with kustomize": Door(
        PACKAGES, "kustomize", _command("init", "db", "shop", "web")
    ),
    "diff --against with kustomize": Door(
        KUSTOMIZATION, "kustomize", _command("diff", "--against=HEAD", "shop")
    ),
    "diff --against with git": Door(PLAIN, "git", _command("diff", "--against=HEAD", "shop")),
    "diff --against, no such branch, with git": Door(
        PLAIN, "git", _command("diff", "--against=mian", "shop")
    ),
    "diff --each with git": Door(PLAIN, "git", _command("diff", "--against=HEAD", "--each", ".")),
    "a merge that is a conflict, with git": Door(LIMIT, "git", _drive),
    "a merge with git": Door(edited("config.yaml", ("10", "20"), base=DEBUG), "git", _drive),
}


class Stage:
    """A folder with the files of a door, and its program in front of all others."""

    def __init__(self, door: Door, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._door, self._tools = door, folder / "tools"
        self.tree = folder / "tree"
        self.tree.mkdir(parents=True)
        self._tools.mkdir()
        self._prepare(monkeypatch)
        real = which("git") if door.program == "git" else self._tools / "real"
        (self._tools / "real").write_text(f"#!/bin/sh\nexec /bin/cat {self._tools}/manifests\n")
        (self._tools / "real").chmod(0o755)
        (self._tools / "manifests").write_bytes(MANIFESTS)
        self._values = {"folder": str(self._tools), "real": str(real)}
        others = str(Path(which("git") or "").parent)
        monkeypatch.setenv("PATH", os.pathsep.join([str(self._tools), others]))
        monkeypatch.chdir(self.tree)

    def _prepare(self, monkeypatch: pytest.MonkeyPatch) -> None:
        if self._door.run is not _drive:
            write(self.tree, self._door.files)
            commit(self.tree, {})
            (self.tree / "shop/new.yaml").write_text(
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n"
            )
            return
        base = commit(self.tree, package(rendered(DEBUG)), "base")
        git(self.tree, "checkout", "--quiet", "-b", "theirs")
        theirs = commit(
            self.tree, package(rendered({**TRACE, "web.yaml": IMAGE["web.yaml"]})), "theirs"
        )
        git(self.tree, "checkout", "--quiet", "main")
        files = {name: str(text) for name, text in self._door.files.items()} | {
            "web.yaml": DEBUG["web.yaml"]
        }
        ours = commit(self.tree, package(rendered(files)), "ours")
        monkeypatch.setenv(f"GITHEAD_{theirs}", "theirs")
        for name, one in (("base", base), ("ours", ours), ("theirs", theirs)):
            (self.tree / f".merge_file_{name}").write_text(
                git(self.tree, "show", f"{one}:config.yaml") + "\n"
            )

    def run(self, behaviour: str = "", broken: int = 0) -> Outcome:
        script = BEHAVIOURS.get(behaviour, "exit 9")
        text = WRAPPER.format(
            behaviour=(script or "").format(**self._values), broken=broken, **self._values
        )
        wrapper = self._tools / self._door.program
        wrapper.write_text("#!/no/such/interpreter\n" if script is None else text)
        wrapper.chmod(0o755)
        (self._tools / "calls").write_text("")
        return self._door.run(
            Limits(max_bytes=MOST_BYTES, timeout=SHORT if behaviour in ENDLESS else PATIENCE)
        )

    def calls(self) -> list[str]:
        """Return what each call of the last run was for, such as `git ls-tree`."""
        lines = (self._tools / "calls").read_text().splitlines()
        if self._door.program != "git":
            return [self._door.program for _ in lines]
        return [f"git {_command_of_git(line)}" for line in lines]

    def files(self) -> dict[str, bytes]:
        paths = (
            path for path in self.tree.rglob("*") if path.is_file() and ".git" not in path.parts
        )
        return {str(path.relative_to(self.tree)): path.read_bytes() for path in paths}

    def restore(self, files: Mapping[str, bytes]) -> None:
        for name in self.files().keys() - files.keys():
            (self.tree / name).unlink()
        write(self.tree, files)


def _command_of_git(line: str) -> str:
    """Return the first word that is neither an option of git nor the value of one."""
    words = iter(line.split())
    for word in words:
        if word in {"-C", "-c"}:
            next(words)
        elif not word.startswith("-"):
            return word
    raise AssertionError(line)


def _rows() -> list[tuple[str, str]]:
    """Return doors and behaviours: all at night, and a part in each run."""
    rows = [(door, behaviour) for door in DOORS for behaviour in BEHAVIOURS]
    return (
        rows
        if IS_WHOLE
        else sorted(Random(seed_of(0)).sample(rows, round(len(rows) * min(1, 5 * VOLUME))))
    )


@pytest.mark.volume
@pytest.mark.parametrize(("name", "behaviour"), _rows())
def test_no_command_takes_half_an_answer(
    name: str, behaviour: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(DOORS[name], tmp_path, monkeypatch)
    before = stage.files()
    healthy, calls = stage.run(), stage.calls()
    answer = stage.files()
    assert calls
    # Before a program breaks: the test asks git too, and the call that breaks may not come if time
    # has run out before.
    conflicts = _find_conflicts(before, tmp_path) if DOORS[name].run is _drive else []
    first_of_each = {call: number for number, call in reversed([*enumerate(calls, 1)])}
    for number, call in enumerate(calls, 1):
        if not IS_WHOLE and first_of_each[call] != number:
            continue
        stage.restore(before)
        outcome = stage.run(behaviour, number)
        found = stage.files()
        where = f"{call}, call {number} of {len(calls)}: {outcome}"
        # Else the call was wrong, and nothing has been tried.
        assert "--help" not in outcome.stderr, where
        if outcome._replace(summary="") == healthy._replace(summary="") or (
            conflicts and not outcome.exit_code
        ):
            assert found == answer, where
        elif conflicts:
            assert found == {**before, OURS: found[OURS]}, where
            assert sides(found[OURS].decode(), 7) in conflicts, where
        elif (call, behaviour) in UNTOLD:
            assert found in [before, answer], where
        else:
            assert outcome.exit_code != 0, where
            assert not (outcome.stdout and name.startswith("render")), where
            assert found == before, where


def _find_conflicts(files: Mapping[str, bytes], folder: Path) -> list[tuple[str, str]]:
    """Return both sides of the conflicts that a merge may leave: that of whole files, and that of git."""
    texts = Versions(*(files[f".merge_file_{name}"].decode() for name in Versions._fields))
    return [(texts.ours, texts.theirs), sides(merged_by_git(texts, folder), 7)]
