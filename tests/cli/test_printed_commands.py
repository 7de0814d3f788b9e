"""Each command and each line of configuration that diff, render, explain and verify print does what the sentence says.

A test takes the command out of what is printed, runs it, and then asks again what could not be answered.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import krm_fn
from tests.diff.test_against import CONFIG, READER, config_map, shop
from tests.git.repository import ENVIRONMENT, commit, git
from tests.render.run import REVISIONS, write
from tests.tools.require import require

CHANGED = "1 revision changed"


def diff(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return krm_fn("diff", *arguments, cwd=folder, **ENVIRONMENT)


def take(said: str, pattern: str) -> list[str]:
    """Return a printed command as its arguments."""
    found = re.search(pattern, said)
    assert found, said
    return found[1].split()


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    # Others may fetch a part of it.
    commit(tmp_path / "origin", shop("low"))
    commit(tmp_path / "origin", shop("high"))
    git(tmp_path / "origin", "config", "uploadpack.allowFilter", "true")
    return tmp_path / "origin"


CLONES = [
    pytest.param(
        ["--depth=1"],
        "HEAD~1",
        "this clone is shallow: run git (fetch --unshallow)",
        id="a shallow clone",
    ),
    pytest.param(
        ["--filter=blob:none"],
        "HEAD~1",
        "run git (fetch --refetch --no-filter), or",
        id="a partial clone",
    ),
    pytest.param(
        [],
        "origin/later",
        "if it is on a remote, run git (fetch)",
        id="a branch that is not fetched yet",
    ),
]


@pytest.mark.parametrize(("how", "revision", "pattern"), CLONES)
def test_what_git_is_to_fetch_is_there_then(
    how: list[str], revision: str, pattern: str, origin: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", *how, f"file://{origin}", "clone")
    git(origin, "branch", "later", "HEAD~1")
    clone = tmp_path / "clone"
    failed = diff(clone, f"--against={revision}", "shop")
    assert (failed.stdout, failed.returncode) == ("", 2)
    git(clone, *take(failed.stderr, pattern))
    done = diff(clone, f"--against={revision}", "shop")
    assert (done.stderr, done.returncode) == ("", 0)
    assert CHANGED in done.stdout


def test_the_revision_that_is_suggested_is_one(origin: Path) -> None:
    git(origin, "branch", "release", "HEAD~1")
    failed = diff(origin, "--against=relaese", "shop")
    (revision,) = take(failed.stderr, 'did you mean "(.*?)"')
    assert CHANGED in diff(origin, f"--against={revision}", "shop").stdout


def test_the_hazard_that_diff_names_is_found_by_the_command_beside_it(tmp_path: Path) -> None:
    """It is what a deployer would prune while pods use it."""
    write(
        tmp_path / "new",
        {"krm-fn.yaml": CONFIG, "web.yaml": READER, "config.yaml": config_map("high")},
    )
    write(tmp_path, {"old.yaml": f"{READER}---\n{config_map('low')}"})
    said = diff(tmp_path, "old.yaml", "new").stdout
    assert "would prune web-config while pods use it; " in " ".join(said.split())
    command = take(" ".join(said.split()), "see `krm-fn (render .*?)`")
    names = {"OLD": "old.yaml", "NEW": "new"}
    done = krm_fn(*(names.get(one, one) for one in command), cwd=tmp_path)
    assert done.returncode == 1
    assert re.search("^error: .*web-config", done.stderr, re.MULTILINE)


@pytest.mark.needs("kustomize")
def test_the_path_to_pass_in_the_place_of_a_kustomization_is_rendered(tmp_path: Path) -> None:
    kustomize = str(require("kustomize").parent)
    write(
        tmp_path,
        {
            "web/kustomization.yaml": "resources: [config.yaml]\n",
            "web/config.yaml": config_map("low"),
        },
    )
    failed = krm_fn("render", "web/kustomization.yaml", cwd=tmp_path)
    (path,) = take(failed.stderr, "pass (.*)")
    done = krm_fn("render", path, cwd=tmp_path, PATH=f"{kustomize}:/usr/bin:/bin")
    assert "kind: ConfigMap" in done.stdout
    failed = krm_fn("render", ".", cwd=tmp_path)
    (path,) = take(failed.stderr, "or a pattern: (.*)")
    assert (
        krm_fn("render", path, cwd=tmp_path, PATH=f"{kustomize}:/usr/bin:/bin").stdout
        == done.stdout
    )


def test_one_of_two_configurations_is_chosen_with_the_option_that_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a/krm-fn.yaml": REVISIONS, "a/all.yaml": f"{READER}---\n{config_map('low')}"})
    write(tmp_path, {"a/other.yaml": REVISIONS.replace("name: web", "name: other")})
    failed = krm_fn("render", "a", cwd=tmp_path)
    assert failed.stdout == ""
    (option,) = take(failed.stderr, "choose one with (--config)")
    for name, one in (("web", "krm-fn.yaml"), ("other", "other.yaml")):
        done = krm_fn("render", option, f"a/{one}", "a", cwd=tmp_path)
        assert f"revisions.krm-fn.io/set: {name}\n" in done.stdout


UNREAD = config_map("low").replace("web-config", "unread")
NAMED = READER.replace("image: ", "args: [--config-map=web-config], image: ")
LEFT_ALONE = [
    pytest.param(f"{READER}---\n{UNREAD}", "unread", id="no pod reads it"),
    pytest.param(f"{NAMED}---\n{config_map('low')}", "web-config", id="a program is told its name"),
]


@pytest.mark.parametrize(("text", "name"), LEFT_ALONE)
def test_the_annotation_that_explain_prints_renames_what_was_left_alone(
    text: str, name: str, tmp_path: Path
) -> None:
    write(tmp_path, {"all.yaml": text})
    rendered = krm_fn("render", "all.yaml", cwd=tmp_path)
    assert f"  name: {name}-" not in rendered.stdout.replace("{name: ", "\n  name: ")
    (verb, _) = take(rendered.stderr, r"\(krm-fn (\w+ PATH) says why\)")
    told = krm_fn(verb, "all.yaml", name, cwd=tmp_path).stdout
    assert "  left alone\n    because " in told
    key, value = take(told, r"you can annotate it with (\S+: \w+) to rename it all the same")
    kind = f"kind: ConfigMap\nmetadata: {{name: {name}"
    assert text.count(kind) == 1
    annotated = text.replace(
        kind, f"kind: ConfigMap\nmetadata: {{annotations: {{{key} {value}}}, name: {name}"
    )
    write(tmp_path, {"all.yaml": annotated})
    assert re.search(
        rf"name: {name}-[a-z0-9]{{10}}\b", krm_fn("render", "all.yaml", cwd=tmp_path).stdout
    )


def test_what_a_message_leaves_out_is_printed_with_the_option_that_it_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "web/kustomization.yaml": "resources: []\n",
            "bin/kustomize": "#!/bin/sh\necho odd: x1 >&2\nexit 1\n",
        },
    )
    (tmp_path / "bin/kustomize").chmod(0o755)
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    failed = krm_fn("render", "web", cwd=tmp_path, PATH=path)
    assert "odd: x1" not in failed.stderr
    (option,) = take(failed.stderr, "run it yourself, or add (--verbose)")
    assert "odd: x1" in krm_fn("render", option, "web", cwd=tmp_path, PATH=path).stderr


@pytest.mark.needs("kustomize")
def test_what_verify_pipes_into_itself_is_verified(tmp_path: Path) -> None:
    """A shell takes the line as it is printed."""
    kustomize = str(require("kustomize").parent)
    package = {"kustomization.yaml": "resources: [config.yaml, web.yaml]\n"}
    package |= {"web.yaml": READER, "config.yaml": config_map("low")}
    for folder in ("web", "the web"):
        write(tmp_path, {f"{folder}/{name}": text for name, text in package.items()})
        failed = krm_fn("verify", folder, cwd=tmp_path)
        assert (failed.stdout, failed.returncode) == ("", 1)
        (line,) = re.findall("verify what is built: (.*)", failed.stderr)
        programs = f"{Path(sys.executable).parent}:{kustomize}:/usr/bin:/bin"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=tmp_path,
            env={**os.environ, "PATH": programs},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (line, done.stderr)
        assert "verified" in done.stderr, done.stderr
