"""The action, the hook and the jobs for others: valid by their own rules, and runnable as written."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.tools.diff.sides import NO_BASE
from tests.action.github import TOKEN, serve
from tests.action.gitlab import PROJECT, REQUEST, serve_gitlab
from tests.action.runner import Runner
from tests.cases import FIXTURES
from tests.diff.test_against import CONFIG, READER, config_map, shop
from tests.git.repository import ENVIRONMENT, commit
from tests.render.run import write
from tests.verify.cases import read_input

ROOT = Path(__file__).parent.parent.parent
WORKFLOW = ROOT / "examples/github/diff.yaml"
ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text())


def _lint(folder: Path, action: str, require_tool: Callable[[str], Path]) -> str:
    """Lint the workflow of the example, with the action beside it."""
    workflow = WORKFLOW.read_text().replace("OWNER/REPO@SHA", "./action")
    commit(folder, {".github/workflows/diff.yaml": workflow, "action/action.yml": action})
    done = subprocess.run(
        [require_tool("actionlint")], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == (not done.stdout)
    return done.stdout + done.stderr


def test_the_workflow_and_the_action_are_valid(
    require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    assert not _lint(tmp_path, (ROOT / "action.yml").read_text(), require_tool)


def test_the_linter_knows_the_inputs_of_the_action(
    require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    other = (ROOT / "action.yml").read_text().replace("  arguments:", "  options:")
    assert 'input "arguments" is not defined in action "krm-fn diff"' in _lint(
        tmp_path, other, require_tool
    )


def _expand(text: str, inputs: dict[str, str]) -> str:
    """Evaluate the expressions that the action uses."""
    values = {f"inputs.{name}": value for name, value in inputs.items()} | {"github.token": TOKEN}
    return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: values[found[1]], text)


def hostile_modules(folder: Path) -> dict[str, str | bytes]:
    """Return files for the top of a repository, which Python would import if it looked there for modules."""
    names = (
        "venv",
        "pip/__init__",
        "sitecustomize",
        "usercustomize",
        "krm_fn/__init__",
        "json",
        "encodings/__init__",
    )
    return {
        f"{name}.py": f"open({str(folder / 'imported')!r}, 'a').write({name!r})\n" for name in names
    }


def test_hostile_modules_are_imported_by_a_python_that_looks_there(tmp_path: Path) -> None:
    write(tmp_path, hostile_modules(tmp_path))
    subprocess.run([sys.executable, "-c", "import json"], cwd=tmp_path, check=True)
    assert (tmp_path / "imported").read_text() == "json"


def test_the_action_installs_and_comments(tmp_path: Path) -> None:
    source = tmp_path / "source"  # pip leaves files beside what it builds
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for file in filter(None, listed.split("\0")):
        if not file.startswith(("tests/", "fixtures/")):
            write(source, {file: (ROOT / file).read_bytes()})
    with serve() as github:
        runner = Runner(tmp_path, github)
        runner.push_main(shop("one"))
        runner.open_pull_request({**shop("two"), **hostile_modules(tmp_path)})
        runner.check_out()
        defaults = {
            name: _expand(one.get("default", ""), {}) for name, one in ACTION["inputs"].items()
        }
        inputs = {**defaults, "paths": "shop"}
        known = {
            name: value
            for name, value in runner.environment().items()
            if not name.startswith("INPUT_")
        }
        steps = ACTION["runs"]["steps"]
        for step in steps:
            assert step["shell"] == "sh"
            assert "install" not in step["run"] or "--require-hashes" in step["run"]
            given = {name: _expand(value, inputs) for name, value in step.get("env", {}).items()}
            folders = {"RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(source)}
            subprocess.run(
                ["sh", "-e", "-c", step["run"]],
                cwd=runner.workspace,
                env={**known, **folders, **given},
                check=True,
            )
        (comment,) = github.comments
        assert "- A: one\n+ A: two\n" in comment["body"]
        installed = tmp_path.glob("krm-fn/lib/*/site-packages/*.dist-info")
        locked = (ROOT / "locks/image.txt").read_text().lower()
        for name, version in (one.stem.rsplit("-", 1) for one in installed):
            assert (
                name in {"pip", "setuptools"}
                or f"{name.replace('_', '-').lower()}=={version}" in locked
            )
        assert not (tmp_path / "imported").exists()
        output = ACTION["outputs"]["changed"]["value"]
        assert output in {
            f"${{{{ steps.{step['id']}.outputs.changed }}}}" for step in steps if "id" in step
        }
        assert Path(known["GITHUB_OUTPUT"]).read_text() == "changed=true\n"


def test_the_workflow_that_renders_does_what_a_page_types() -> None:
    """tests/integration/test_how_to.py runs these lines, in a monorepo."""
    workflow = yaml.safe_load((ROOT / "examples/github/render.yaml").read_text())
    *_, last = workflow["jobs"]["render"]["steps"]
    page = (ROOT / "docs/how-to/argo-cd-without-a-plugin.md").read_text()
    assert f"```sh\n{last['run']}```" in page


def test_the_workflow_that_renders_is_valid(
    require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    workflow = (ROOT / "examples/github/render.yaml").read_text()
    commit(tmp_path, {".github/workflows/render.yaml": workflow})
    done = subprocess.run(
        [require_tool("actionlint")], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


HOOKS: Any = {
    hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
}


def run_hook(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a hook as pre-commit does: `entry` is split as a shell would, and each of `args` is an argument."""
    hook = HOOKS[name]
    assert hook["pass_filenames"] is False
    folders = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [*shlex.split(hook["entry"]), *(arguments or hook["args"])]
    environment = {
        **os.environ,
        **ENVIRONMENT,
        "PATH": folders,
        "GIT_DIR": ".git",
        "GIT_INDEX_FILE": ".git/index",
    }
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("case", "code"),
    [("what-the-function-rendered-is-consistent", 0), ("a-reference-has-the-base-name", 1)],
)
def test_the_hook_verifies(case: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "input.yaml").write_bytes(read_input(FIXTURES / "verifications" / case))
    write(tmp_path, hostile_modules(tmp_path))
    assert run_hook("krm-fn-verify", tmp_path).returncode == code
    assert not (tmp_path / "imported").exists()


def overlays(level: str, *environments: str) -> dict[str, str | bytes]:
    return {
        name: text
        for one in environments
        for name, text in shop(level, f"apps/shop/overlays/{one}").items()
    }


def test_the_hook_shows_what_a_commit_can_affect(tmp_path: Path) -> None:
    commit(
        tmp_path,
        {**overlays("one", "dev", "prod", "old"), "apps/shop/overlays/old/web.yaml": "a: [\n"},
    )
    write(tmp_path, {**overlays("two", "dev", "prod"), **hostile_modules(tmp_path)})
    done = run_hook("krm-fn-diff", tmp_path, "apps/*/overlays/*")
    assert (done.returncode, done.stdout.count("  - A: one\n  + A: two\n")) == (0, 1)
    assert done.stdout.startswith("the same change in apps/shop/overlays/dev, prod\n")
    assert done.stdout.endswith("\n3 packages: 2 changed, 1 not affected\n")
    assert not (tmp_path / "imported").exists()
    assert HOOKS["krm-fn-diff"]["verbose"] is True


def test_the_hook_stops_a_commit_that_breaks_a_package_and_none_that_repairs_it(
    tmp_path: Path,
) -> None:
    broken = {"apps/shop/overlays/dev/web.yaml": "a: [\n"}
    commit(tmp_path, overlays("one", "dev"))
    write(tmp_path, broken)
    assert run_hook("krm-fn-diff", tmp_path, "apps/*/overlays/*").returncode != 0
    commit(tmp_path, {})
    assert run_hook("krm-fn-diff", tmp_path, "apps/*/overlays/*").returncode == 0
    write(tmp_path, overlays("one", "dev"))
    done = run_hook("krm-fn-diff", tmp_path, "apps/*/overlays/*")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 package: 1 changed")


READ_BY_BOTH: dict[str, str | bytes] = {
    "apps/mail/prod/web.yaml": READER.replace("name: web,", "name: mail,"),
    "apps/shop/prod/web.yaml": READER,
    "apps/shop/prod/config.yaml": config_map("one"),
    "apps/shop/prod/krm-fn.yaml": CONFIG.replace("spec: {", "spec: {strategy: adopt, "),
}
LOST: dict[str, str | bytes] = {
    "apps/shop/prod/web.yaml": READER.replace("web-config", "other-config"),
    "apps/shop/prod/config.yaml": config_map("two").replace("web-config", "other-config"),
}
"""A change of one package, for which the other one would have to change first."""


@pytest.mark.parametrize(("risks", "code"), [("--fail-on=missing,prune", 1), ("--no-remote", 0)])
def test_the_hook_stops_a_commit_for_another_package(risks: str, code: int, tmp_path: Path) -> None:
    commit(tmp_path, READ_BY_BOTH)
    write(tmp_path, LOST)
    done = run_hook("krm-fn-diff", tmp_path, risks, "apps/*/prod")
    assert done.returncode == code
    said = "error: --fail-on missing: ConfigMap shop/web-config\n"
    assert done.stderr.endswith(said) == bool(code)


@pytest.mark.parametrize(("risks", "code"), [("missing,prune", 4), ("", 0)])
def test_the_job_for_gitlab_fails_for_another_package(
    risks: str, code: int, tmp_path: Path
) -> None:
    base = commit(tmp_path, READ_BY_BOTH)
    write(tmp_path, LOST)
    variables = {"PACKAGES": "apps/*/prod\n", "FAIL_ON": risks}
    done = run_job("diff", tmp_path, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, **variables)
    assert done.returncode == code, done.stderr
    assert code not in JOBS["diff"]["allow_failure"].values()


def test_the_action_fails_for_another_package(tmp_path: Path) -> None:
    with serve() as github:
        runner = Runner(tmp_path, github)
        runner.push_main(READ_BY_BOTH)
        runner.open_pull_request({**READ_BY_BOTH, **LOST})
        runner.check_out()
        assert runner.run(PATHS="apps/*/prod").code == 0
        done = runner.run(PATHS="apps/*/prod", FAIL_ON="missing")
        assert done.code == 1
        assert (
            "::error title=krm-fn diff::--fail-on missing: ConfigMap shop/web-config" in done.output
        )


JOBS: Any = yaml.safe_load((ROOT / "examples/gitlab/.gitlab-ci.yml").read_text())


def test_the_jobs_for_gitlab_install_all_programs_that_they_need() -> None:
    """The image has a shell, its tools and `apk`. krm-fn runs git, kustomize and helm."""
    job = JOBS["diff"]
    (added,) = re.findall(
        r"^apk add --no-cache (.*)$", "\n".join(job["before_script"]), re.MULTILINE
    )
    assert {*added.split()} == {"python3", "git", "kustomize", "helm"}
    assert job["allow_failure"] == {"exit_codes": NO_BASE}
    assert JOBS["note"]["before_script"] == ["apk add --no-cache curl jq"]
    assert all(one["image"].startswith("alpine:") for one in JOBS.values())


def run_job(name: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    job = JOBS[name]
    environment = {
        **os.environ,
        **ENVIRONMENT,
        **job["variables"],
        "CI_JOB_NAME": name,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        **variables,
    }
    script = "\n".join(job["script"])
    return subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


CODES = [
    pytest.param({}, 0, id="nothing"),
    pytest.param(overlays("two", "dev"), 0, id="a change"),
    pytest.param(
        {"apps/shop/overlays/dev/web.yaml": "a: [\n"}, 2, id="a package that cannot be rendered"
    ),
]


@pytest.mark.parametrize(("change", "code"), CODES)
def test_the_job_for_gitlab_runs(change: dict[str, str | bytes], code: int, tmp_path: Path) -> None:
    base = commit(tmp_path, {**overlays("one", "dev", "prod"), **hostile_modules(tmp_path)})
    write(tmp_path, change)
    done = run_job("diff", tmp_path, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
    assert done.returncode == code
    markdown, kept = ((tmp_path / file).read_text() for file in JOBS["diff"]["artifacts"]["paths"])
    assert done.stdout == markdown
    assert ("- A: one\n+ A: two\n" in markdown) == (kept == "1\n")


def test_the_note_on_a_merge_request_is_edited(tmp_path: Path) -> None:
    """It is the one of this job and this author; without a difference there is none."""
    with serve_gitlab() as gitlab:

        def run(markdown: str, code: int, token: str = TOKEN) -> str:
            write(tmp_path, {"diff.md": markdown, "diff.code": f"{code}\n"})
            done = run_job(
                *("note", tmp_path),
                CI_API_V4_URL=gitlab.url,
                CI_MERGE_REQUEST_PROJECT_ID=PROJECT,
                CI_MERGE_REQUEST_IID=REQUEST,
                KRM_FN_TOKEN=token,
                no_proxy="127.0.0.1",
            )
            assert token not in done.stdout + done.stderr or not token
            assert done.returncode == 0, done.stderr
            return done.stdout

        mark = "<!-- krm-fn note -->\n"
        others = [
            (7, "a"),
            (8, f"{mark}copied"),
            (7, "<!-- krm-fn other -->\nb"),
            *[(9, "c")] * 100,
        ]
        gitlab.add(others)
        run("same\n", 0)
        assert len(gitlab.notes) == len(others)
        text = 'quotes " and \\, `$(touch ran)` and umlauts: ü\n'
        run(text, 1)
        run(text + "more\n", 2)
        *before, note = gitlab.notes
        assert [(one["author"]["id"], one["body"]) for one in before] == others
        assert note["body"] == f"{mark}{text}more\n"
        run("same\n", 0)
        assert gitlab.notes[-1]["body"] == f"{mark}same\n"
        assert gitlab.requests.count("POST") == 1
        assert run(text, 1, token="") == "no KRM_FN_TOKEN, so no note\n"
        assert run("", 2) == "nothing could be compared, so no note\n"
        assert not (tmp_path / "ran").exists()
