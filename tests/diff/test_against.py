"""`krm-fn diff --against`: real repositories, which are the same afterwards."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.process import krm_fn
from tests.git.repository import ENVIRONMENT, commit, git
from tests.render.run import write
from tests.wait import FOREVER, PATIENCE, until_empty, until_there

CONFIG = (
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
    "spec: {linker: {image: registry.example/krm-fn:0.1.0}}\n"
)
READER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: web-config}}]}]}}}
"""
SAME = "no difference: 1 revision unchanged\n"


def config_map(level: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web-config, namespace: shop}}\ndata: {{A: {level}}}\n"


def shop(level: str, folder: str = "shop") -> dict[str, str | bytes]:
    return {
        f"{folder}/krm-fn.yaml": CONFIG,
        f"{folder}/web.yaml": READER,
        f"{folder}/config.yaml": config_map(level),
    }


def diff(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return krm_fn("diff", *arguments, cwd=folder, **ENVIRONMENT, **environment)


def edit(folder: Path, level: str) -> None:
    write(folder, {"shop/config.yaml": config_map(level)})


@pytest.fixture
def repository(tmp_path: Path, temporary: Path) -> Path:
    """Return a repository with one commit, in which a value is `one`."""
    assert temporary
    folder = tmp_path / "repository"
    commit(folder, shop("one"))
    return folder


CHANGED = "  - A: one\n  + A: two\n  rolls Deployment/web\n1 revision changed; linker runs once\n"
NOTE = "warning: uncommitted changes are compared too: shop/config.yaml\n"

WAYS = [
    pytest.param(".", ["shop"], id="a path"),
    pytest.param("shop", [], id="the current directory"),
    pytest.param("shop", ["../shop"], id="a path upwards"),
    pytest.param(
        ".", ["shop/web.yaml", "shop/config.yaml", "--config=shop/krm-fn.yaml"], id="files"
    ),
    pytest.param(".", ["{}/shop"], id="an absolute path"),
    pytest.param(".", ["--root=.", "shop"], id="a root"),
]


@pytest.mark.parametrize(("working", "arguments"), WAYS)
def test_the_working_tree_is_compared_with_a_revision(
    working: str, arguments: list[str], repository: Path
) -> None:
    edit(repository, "two")
    paths = [argument.format(repository) for argument in arguments]
    done = diff(repository / working, "--against=main", "--exit-code", *paths)
    assert done.stderr == NOTE
    assert done.stdout.partition("\n")[2] == CHANGED
    assert done.returncode == 1


def test_a_configuration_outside_of_the_repository_is_that_of_both_sides(
    repository: Path, tmp_path: Path
) -> None:
    (tmp_path / "krm-fn.yaml").write_text(CONFIG)
    (repository / "shop/krm-fn.yaml").unlink()
    commit(repository, {"shop/config.yaml": config_map("one")})
    edit(repository, "two")
    for more in ([], ["--each"]):
        arguments = ["--against=HEAD", f"--config={tmp_path}/krm-fn.yaml", *more, "shop"]
        done = diff(repository, *arguments)
        assert "  - A: one\n  + A: two\n  rolls Deployment/web\n" in done.stdout
        assert done.stderr == NOTE
    done = diff(
        repository, "--against=HEAD", f"--config={tmp_path}/krm-fn.yaml", "--root=.", "shop"
    )
    assert "is outside of the root" in done.stderr


def test_two_paths_of_one_set_are_said_once(repository: Path) -> None:
    commit(repository, {"copy/krm-fn.yaml": CONFIG, "copy/web.yaml": READER.replace("web", "b")})
    edit(repository, "two")
    done = diff(repository, "--against=main", "shop", "copy")
    assert done.stderr.count("warning: copy: calls its set shop, as shop does, and both") == 1
    assert "calls its set shop" not in diff(repository, "--against=main", "shop").stderr


def test_any_revision_will_do(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    git(repository, "tag", "--annotate", "v1", "--message=a")
    commit(repository, shop("two"))
    for revision in (first, first[:10], "v1", "HEAD~1", "main^", "HEAD@{1}"):
        done = diff(repository, f"--against={revision}", "shop")
        assert (done.stdout.partition("\n")[2], done.stderr) == (CHANGED, "")
    assert diff(repository, "--against=HEAD", "shop").stdout == SAME


def test_a_shallow_clone_is_to_be_deepened(repository: Path, tmp_path: Path) -> None:
    commit(repository, shop("two"))
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), "shallow")
    done = diff(tmp_path / "shallow", "--against=HEAD~1", "shop")
    assert done.stderr.endswith(
        "is no revision of this repository; this clone is shallow: run git fetch --unshallow\n"
    )


NO_REVISION = 'error: --against: "{}" is no revision of this repository; {}if it is on a remote, run git fetch\n'
FAILURES = [
    pytest.param(["--against=nothing"], NO_REVISION.format("nothing", ""), id="no such revision"),
    pytest.param(
        ["--against=mian"],
        NO_REVISION.format("mian", 'did you mean "main"? '),
        id="a branch, misspelled",
    ),
    pytest.param(
        ["--against=orign/main"],
        NO_REVISION.format("orign/main", 'did you mean "origin/main"? '),
        id="a remote, misspelled",
    ),
    pytest.param(
        ["--against=HEAD~9"], NO_REVISION.format("HEAD~9", ""), id="more commits than there are"
    ),
    pytest.param(["--against=--all"], NO_REVISION.format("--all", ""), id="an option"),
    pytest.param(
        ["--against=main", "none"],
        "error: none: exists neither here nor in main\n",
        id="no such path",
    ),
    pytest.param(
        ["--against=main", "shop", ".."],
        "error: ..: is outside of the repository {}\n",
        id="outside",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), FAILURES)
def test_failures(arguments: list[str], message: str, repository: Path, temporary: Path) -> None:
    git(repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    done = diff(repository, *arguments, "--exit-code")
    assert (done.stdout, done.stderr, done.returncode) == ("", message.format(repository), 2)
    assert not [*temporary.iterdir()]


def test_outside_of_any_repository(tmp_path: Path) -> None:
    done = diff(tmp_path, "--against=main")
    assert done.stderr == f"error: {tmp_path}: is in no repository of git\n"
    assert done.returncode == 2


def test_without_git(repository: Path) -> None:
    done = diff(repository, "--against=main", PATH="/nowhere")
    assert (done.stderr, done.returncode) == (
        "error: krm-fn needs git on PATH to read a revision\n",
        2,
    )


NEW = "1 revision added; 1 other object added; linker of shop/shop added; linker runs once\n"
ALL_NEW = "warning: HEAD: cannot be rendered, so everything is shown as new\n"
STRICT = CONFIG.replace("spec: {", "spec: {strict: true, exclude: [{name: none}], ")
BROKEN = [
    pytest.param(
        {"web.yaml": "a: [\n"}, r"error: HEAD:shop/web.yaml:2:1: invalid YAML: ", id="no YAML"
    ),
    pytest.param(
        {"krm-fn.yaml": STRICT},
        r"error: \S+ spec.exclude\[0\] \(HEAD:shop/krm-fn.yaml:4:\d+\): ",
        id="a warning that is an error",
    ),
]


@pytest.mark.parametrize(("broken", "error"), BROKEN)
def test_a_change_may_repair_what_could_not_be_rendered(
    broken: dict[str, str], error: str, repository: Path, temporary: Path
) -> None:
    """Its exit code stops who relies on the comparison; what is new is shown to people."""
    commit(repository, {f"shop/{name}": text for name, text in broken.items()})
    both = diff(repository, "--against=HEAD", "shop")
    assert re.match(error, both.stderr)
    assert (both.stdout, both.returncode) == ("", 2)
    write(repository, shop("two"))
    done = diff(repository, "--against=HEAD", "shop")
    assert re.match(f"{error}(.|\n)*\n{ALL_NEW}warning: uncommitted", done.stderr)
    assert done.stdout.endswith(NEW)
    assert (
        done.returncode,
        diff(repository, "--against=HEAD", "--exit-code", "shop").returncode,
    ) == (3, 3)
    markdown = diff(repository, "--against=HEAD", "-omarkdown", "shop").stdout
    assert "<p><code>shop</code> against <code>HEAD (cannot be rendered)</code></p>" in markdown
    assert not [*temporary.iterdir()]


def test_a_change_may_not_break_what_could_be_rendered(repository: Path) -> None:
    write(repository, {"shop/web.yaml": "a: [\n"})
    done = diff(repository, "--against=HEAD", "shop")
    assert done.stderr.startswith("error: shop/web.yaml:2:1: invalid YAML: ")
    assert (done.stdout, done.returncode) == ("", 2)


def test_the_errors_of_both_sides_are_said(repository: Path) -> None:
    commit(repository, {"shop/web.yaml": "a: [\n"})
    write(repository, {"shop/web.yaml": "b: [\n"})
    errors = diff(repository, "--against=HEAD", "shop").stderr.splitlines()
    assert [line.split(":", maxsplit=2)[1] for line in errors] == [" HEAD", " shop/web.yaml"]


def test_a_path_that_is_new_or_gone_is_said(repository: Path) -> None:
    write(repository, shop("one", "store"))
    there, back = (diff(repository, "--against=main", folder) for folder in ("store", "shop"))
    assert "warning: store: does not exist in main: all in it is new\n" in there.stderr
    assert there.stdout.endswith(NEW)
    assert back.stdout == SAME
    for file in (repository / "shop").iterdir():
        file.unlink()
    (repository / "shop").rmdir()
    gone = diff(repository, "--against=main", "shop")
    assert "warning: shop: does not exist any more\n" in gone.stderr
    assert gone.stdout.endswith(
        "1 revision removed; 1 other object removed; linker of shop/shop removed\n"
    )


def test_many_uncommitted_files_are_counted(repository: Path) -> None:
    write(repository, {f"new{number}": "" for number in range(5)})
    done = diff(repository, "--against=main", "shop")
    assert done.stderr == "warning: uncommitted changes are compared too: 5 files, such as new0\n"


def test_a_side_without_a_configuration_is_taken_as_it_is(tmp_path: Path, temporary: Path) -> None:
    """The function was not in use then."""
    commit(tmp_path / "r", {"shop/web.yaml": READER, "shop/config.yaml": config_map("one")})
    write(tmp_path / "r", shop("one"))
    done = diff(tmp_path / "r", "--against=main", "shop")
    assert (
        "warning: main: does not use krm-fn yet, so its names are compared as they are\n"
        in done.stderr
    )
    assert "  becomes a revision of set shop\n" in done.stdout
    assert not [*temporary.iterdir()]


def test_two_sides_without_a_configuration_are_rendered_as_render_does(tmp_path: Path) -> None:
    commit(tmp_path / "r", {"shop/web.yaml": READER, "shop/config.yaml": config_map("one")})
    edit(tmp_path / "r", "two")
    done = diff(tmp_path / "r", "--against=main", "shop")
    assert done.stdout.partition("\n")[2] == CHANGED


def test_what_was_rendered_before_is_not_rendered_again(repository: Path) -> None:
    """Some keep renderings in git.

    Without a configuration, the function would make them revisions of another set.
    """
    for level in ("one", "two"):
        edit(repository, level)
        rendered = krm_fn("render", "shop", cwd=repository).stdout
        write(
            repository,
            {"rendered/all.yaml": rendered, "rendered/note.yaml": "apiVersion: v1\nkind: A\n"},
        )
        if level == "one":
            commit(repository, {})
    done = diff(repository, "--against=main", "rendered")
    assert done.stdout.partition("\n")[2] == CHANGED


def _state(folder: Path) -> Mapping[str, tuple[int, bytes]]:
    """Return all files of a repository, with their contents and times."""
    return {
        str(file): (file.stat().st_mtime_ns, file.read_bytes())
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


SETTINGS = [
    pytest.param([], id="none"),
    pytest.param(["core.splitIndex=true"], id="an index in two files"),
    pytest.param(["core.hooksPath=hooks"], id="hooks"),
    pytest.param(["core.fsmonitor=hooks/post-index-change"], id="a monitor"),
    pytest.param(["core.untrackedCache=true"], id="a cache in the index"),
    pytest.param(["core.sparseCheckout=true", "submodule.recurse=true"], id="a part of the tree"),
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_repository_stays_as_it_is(settings: list[str], repository: Path) -> None:
    hook = "#!/bin/sh\ntouch ran\n"
    names = ("post-index-change", "post-checkout", "reference-transaction", "query-watchman")
    commit(repository, {f"hooks/{name}": hook for name in names})
    for file in (repository / "hooks").iterdir():
        file.chmod(0o755)
    for setting in settings:
        git(repository, "config", *setting.split("="))
    edit(repository, "two")
    # Git would like to note that the content is the same.
    os.utime(repository / "shop/web.yaml", (1, 1))
    before = _state(repository)
    assert diff(repository, "--against=main", "shop").stdout.endswith(CHANGED)
    assert _state(repository) == before


def test_line_ends_are_no_difference(tmp_path: Path) -> None:
    commit(tmp_path / "r", {**shop("one"), ".gitattributes": "*.yaml text eol=crlf\n"})
    git(tmp_path / "r", "rm", "--cached", "-r", "--quiet", ".")
    git(tmp_path / "r", "reset", "--hard", "--quiet")
    assert b"\r\n" in (tmp_path / "r/shop/web.yaml").read_bytes()
    assert diff(tmp_path / "r", "--against=main", "shop").stdout == SAME


def test_no_attribute_of_a_tree_has_an_effect(tmp_path: Path) -> None:
    attributes = (
        "web.yaml export-ignore\nconfig.yaml ident export-subst working-tree-encoding=UTF-16\n"
    )
    commit(tmp_path / "r", {**shop("one"), **config_file("$Id$ $Format:%H$")})
    write(tmp_path / "r", {".gitattributes": attributes})
    assert diff(tmp_path / "r", "--against=main", "shop").stdout == SAME
    git(tmp_path / "r", "add", ".gitattributes")
    git(tmp_path / "r", "commit", "--quiet", "--message=b")
    assert diff(tmp_path / "r", "--against=main", "shop").stdout == SAME


def config_file(level: str) -> dict[str, str | bytes]:
    return {"shop/config.yaml": config_map(level)}


FILTERED = [
    pytest.param(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", id="git-lfs"
    ),
    pytest.param("\0GITCRYPT\0a", id="git-crypt"),
]


@pytest.mark.parametrize("stored", FILTERED)
def test_filters_are_off_and_that_is_said(stored: str, tmp_path: Path) -> None:
    commit(
        tmp_path / "r",
        {**shop("one"), "shop/config.yaml": stored, ".gitattributes": "config.yaml filter=loud\n"},
    )
    for command in ("clean", "smudge", "process"):
        git(tmp_path / "r", "config", f"filter.loud.{command}", "touch ran;")
    git(tmp_path / "r", "config", "filter.loud.required", "true")
    edit(tmp_path / "r", "two")
    done = diff(tmp_path / "r", "--against=HEAD", "shop")
    assert (
        "filters of git are off, so files of HEAD are read as git-lfs or git-crypt stores them"
        in done.stderr
    )
    assert done.stderr.endswith(": shop/config.yaml\n")
    assert not (tmp_path / "r/ran").exists()


NESTED = {
    "HEAD": "ref: refs/heads/main\n",
    "config": '[core]\n\tworktree = .\n\tfsmonitor = "touch $RAN #"\n[filter "a"]\n\tsmudge = "touch $RAN; cat"\n'
    '\tclean = "touch $RAN; cat"\n',
    "objects/a": "",
    "refs/heads/a": "",
    ".gitattributes": "* filter=a\n",
    "index": "",
}


@pytest.mark.parametrize("working", [".", "shop"])
def test_a_folder_that_is_a_bare_repository_is_a_folder(
    working: str, repository: Path, tmp_path: Path
) -> None:
    commit(repository, {f"shop/{name}": text for name, text in NESTED.items()})
    git(tmp_path, "clone", "--quiet", "--no-hardlinks", str(repository), "clone")
    edit(tmp_path / "clone", "two")
    ran = tmp_path / "ran"
    # git itself finds it, and would run its programs.
    assert git(tmp_path / "clone/shop", "rev-parse", "--git-dir") == "."
    path = "shop" if working == "." else "."
    done = diff(tmp_path / "clone" / working, "--against=HEAD", path, RAN=str(ran))
    assert done.stdout.partition("\n")[2] == CHANGED
    assert not ran.exists()


def test_a_bare_repository_without_a_working_tree_is_none(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare")
    done = diff(tmp_path / "bare", "--against=HEAD")
    assert (done.stderr, done.returncode) == (
        f"error: {tmp_path}/bare: is in no repository of git\n",
        2,
    )


VARIABLES = [
    pytest.param({"GIT_DIR": ".git"}, id="the folder, as in a hook"),
    pytest.param(
        {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index.lock", "GIT_PREFIX": "shop/"},
        id="all of a hook",
    ),
    pytest.param({"GIT_WORK_TREE": "/", "GIT_OBJECT_DIRECTORY": "/"}, id="another tree"),
]


@pytest.mark.parametrize("variables", VARIABLES)
def test_variables_of_git_lead_nowhere_else(variables: dict[str, str], repository: Path) -> None:
    edit(repository, "two")
    done = diff(repository, "--against=main", "shop", **variables)
    assert (done.stdout.partition("\n")[2], done.stderr) == (CHANGED, NOTE)


def test_an_object_is_never_replaced(repository: Path) -> None:
    edit(repository, "two")
    other = git(repository, "hash-object", "-w", "shop/config.yaml")
    git(repository, "replace", git(repository, "rev-parse", "HEAD:shop/config.yaml"), other)
    assert diff(repository, "--against=main", "shop").stdout.partition("\n")[2] == CHANGED


@pytest.mark.parametrize("options", [[], ["--no-remote"]])
def test_what_a_partial_clone_lacks_is_not_fetched(
    options: list[str], repository: Path, tmp_path: Path
) -> None:
    commit(repository, shop("two"))
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{repository}", "clone")
    there = tmp_path / "clone"
    before = _state(there / ".git/objects")
    done = diff(there, "--against=HEAD~1", *options, "shop")
    assert "this clone lacks objects of the revision, and krm-fn fetches nothing" in done.stderr
    assert (done.stdout, done.returncode) == ("", 2)
    assert _state(there / ".git/objects") == before
    git(there, "fetch", "--quiet", "--refetch", "--no-filter")  # as the message says
    assert diff(there, "--against=HEAD~1", *options, "shop").stdout.partition("\n")[2] == CHANGED


def test_a_tree_leads_to_no_file_outside_of_it(repository: Path) -> None:
    """No git makes such a tree, but a server may send one."""
    blob = git(repository, "hash-object", "-w", "shop/web.yaml")
    inner = make_tree(repository, f"100644 blob {blob}\tevil.yaml")
    outer = make_tree(repository, f"040000 tree {inner}\t..")
    head = git(repository, "commit-tree", outer, "-m", "a")
    done = diff(repository, f"--against={head}", "shop")
    assert (
        done.stderr
        == "error: the revision has a file '../evil.yaml', which git would not check out\n"
    )


def make_tree(repository: Path, entry: str) -> str:
    """Write a tree with one entry, whatever its name is."""
    what, name = entry.split("\t")
    mode, _, ident = what.split(" ")
    data = f"{mode.lstrip('0')} {name}".encode() + b"\0" + bytes.fromhex(ident)
    (repository / ".git/made").write_bytes(data)
    return git(repository, "hash-object", "-t", "tree", "-w", "--literally", ".git/made")


def test_a_submodule_is_said_to_be_left_out(repository: Path, tmp_path: Path) -> None:
    commit(tmp_path / "other", {"a.yaml": config_map("one")})
    git(
        repository,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "--quiet",
        str(tmp_path / "other"),
        "vendor",
    )
    git(repository, "commit", "--quiet", "--message=b")
    done = diff(repository, "--against=HEAD", "shop")
    assert (done.stdout, done.stderr) == (
        SAME,
        "warning: submodules of HEAD are not read: vendor\n",
    )


def test_a_worktree_and_a_path_from_elsewhere(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "tree"), "-b", "other")
    edit(tmp_path / "tree", "two")
    done = diff(tmp_path, "--against=main", "tree/shop")
    assert done.stdout.partition("\n")[2] == CHANGED


def test_a_link_in_a_revision_leads_to_nothing_outside_of_it(
    tmp_path: Path, temporary: Path
) -> None:
    (tmp_path / "outside.yaml").write_text(config_map("one"))
    repository = tmp_path / "r"
    write(repository, shop("one"))
    (repository / "shop/link.yaml").symlink_to(tmp_path / "outside.yaml")
    commit(repository, {})
    done = diff(repository, "--against=main", "shop")
    assert re.match(
        r"error: main:shop/link.yaml: leads to \S+, outside of the root main; --root ", done.stderr
    )
    assert not [*temporary.iterdir()]


SLOW = f"#!/bin/sh\necho $$ > ../new\nmv ../new ../started\nexec sleep {FOREVER}\n"
ENDS = [
    pytest.param(signal.SIGKILL, id="by force"),
    pytest.param(signal.SIGTERM, id="politely"),
    pytest.param(signal.SIGINT, id="as by Ctrl-C"),
]


@pytest.mark.parametrize("number", ENDS)
def test_nothing_is_left_when_the_process_is_ended(
    number: int, repository: Path, temporary: Path
) -> None:
    commit(repository, {"shop/kustomization.yaml": "resources: [web.yaml]\n"})
    write(repository, {"../bin/kustomize": SLOW})
    (repository / "../bin/kustomize").chmod(0o755)
    environment = {**os.environ, **ENVIRONMENT, "PATH": f"{repository}/../bin:{os.environ['PATH']}"}
    command = [sys.executable, "-P", "-m", "krm_fn", "diff", "--against=main", "shop"]
    with subprocess.Popen(
        command, cwd=repository, env=environment, stdout=subprocess.DEVNULL
    ) as process:
        until_there(repository / "../started", process)
        assert [*temporary.iterdir()]
        process.send_signal(number)
        process.wait(timeout=PATIENCE)
    until_empty(temporary)
    with suppress(ProcessLookupError):  # after SIGKILL nobody else ends what diff has started
        os.kill(int((repository / "../started").read_text()), signal.SIGKILL)


def test_without_room_for_temporary_files(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/nowhere")
    done = diff(repository, "--against=main", "shop")
    message = "error: cannot make a temporary folder; set TMPDIR to a folder with room in it\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", message, 2)
