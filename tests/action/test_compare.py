"""What the action tells of a pull request: with real repositories, and a stand-in for GitHub's API."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.action.github import TOKEN, GitHub, serve
from tests.action.runner import SCRIPT, Runner
from tests.diff.markdown import read_markdown
from tests.diff.test_against import config_map, shop
from tests.git.repository import git
from tests.on_linux import needs_proc

MARK = "<!-- krm-fn action diff%20%2D%2D%3E%20all diff  -->\n"
CHANGED = "<p><strong>1 revision changed; linker runs once</strong></p>"
SAME = "<p>No difference: <code>shop</code></p>"


@pytest.fixture
def github() -> Iterator[GitHub]:
    with serve() as api:
        yield api


@pytest.fixture
def runner(tmp_path: Path, github: GitHub) -> Runner:
    """Return a runner with a checkout of a pull request that changes a value from `one` to `two`."""
    one = Runner(tmp_path, github)
    one.push_main(shop("one"))
    one.open_pull_request(shop("two"))
    one.check_out()
    return one


def test_a_change_is_in_the_summary_and_in_a_comment(runner: Runner, github: GitHub) -> None:
    done = runner.run()
    assert (done.code, done.output, done.outputs) == (0, "", "changed=true\n")
    assert CHANGED in done.summary
    assert "- A: one\n+ A: two\n" in done.summary
    (comment,) = github.comments
    assert comment["body"] == MARK + done.summary


@pytest.mark.rows(test=0)
def test_one_configuration_for_all_packages(runner: Runner) -> None:
    done = runner.run(CONFIG="none.yaml")
    assert "none.yaml: exists neither here nor in " in done.output
    assert done.code == 1


@pytest.mark.rows(test=0)
def test_the_comment_of_an_earlier_run_is_edited(runner: Runner, github: GitHub) -> None:
    others = [
        {"id": "A", "body": "Looks good to me", "viewerDidAuthor": False},
        {"id": "B", "body": MARK + "copied by somebody", "viewerDidAuthor": False},
        {"id": "C", "body": "of another job", "viewerDidAuthor": True},
    ]
    github.comments += [dict(one) for one in others]
    runner.run()
    runner.open_pull_request(shop("three"))
    runner.check_out()
    runner.run()
    *before, comment = github.comments
    assert before == others
    assert "- A: one\n+ A: three\n" in comment["body"]
    assert github.edits == 1


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    ("risks", "code"),
    [
        pytest.param("missing,prune", 1, id="a risk that is there"),
        pytest.param("prune", 0, id="another risk"),
        pytest.param("", 0, id="no risk"),
    ],
)
def test_a_risk_that_the_input_names_fails_the_job_and_is_in_the_comment(
    risks: str, code: int, runner: Runner, github: GitHub
) -> None:
    gone = config_map("one").replace("web-", "other-").replace("A:", "B:")
    runner.open_pull_request({**shop("one"), "shop/config.yaml": gone})
    runner.check_out()
    done = runner.run(FAIL_ON=risks)
    assert done.code == code
    assert ("::error title=krm-fn diff::--fail-on missing: " in done.output) == bool(code)
    (comment,) = github.comments
    assert "new pods of Deployment/web do not start" in comment["body"]


def test_nothing_to_say_is_no_comment(runner: Runner, github: GitHub) -> None:
    runner.open_pull_request({**shop("one"), "README": "new"})
    runner.check_out()
    done = runner.run()
    assert (done.code, done.outputs, github.comments) == (0, "changed=false\n", [])
    assert SAME in done.summary


@pytest.mark.rows(test=0)
def test_a_comment_does_not_stay_when_it_is_no_longer_true(runner: Runner, github: GitHub) -> None:
    runner.run()
    runner.open_pull_request(shop("one"))
    runner.check_out()
    runner.run()
    (comment,) = github.comments
    assert comment["body"].startswith(MARK)
    assert SAME in comment["body"]
    assert CHANGED not in comment["body"]


CHECKOUTS = [
    pytest.param("merge", 1, id="the merge alone"),
    pytest.param("merge", 0, id="the merge and all before it"),
    pytest.param("change", 0, id="the branch and all before it"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("branch", "depth"), CHECKOUTS)
def test_only_the_changes_of_the_branch_count(branch: str, depth: int, runner: Runner) -> None:
    """Something else has been merged since the branch was made."""
    runner.push_main({"shop/other.yaml": config_map("other").replace("web-config", "other")})
    runner.open_pull_request({"README": "new"})
    runner.check_out(branch, depth=depth)
    done = runner.run()
    assert CHANGED in done.summary
    assert "other" not in done.summary


@pytest.mark.rows(test=0)
def test_a_commit_message_may_be_in_any_encoding(runner: Runner) -> None:
    git(runner.server, "config", "i18n.commitEncoding", "latin-1")
    git(runner.server, "checkout", "--quiet", "merge")
    (runner.server.parent / "message").write_bytes("gelöscht".encode("latin-1"))
    git(runner.server, "commit", "--quiet", "--amend", "--file=../message")
    runner.check_out()
    done = runner.run()
    assert done.code == 0
    assert CHANGED in done.summary


REFUSALS: list[Any] = [
    pytest.param((403, {}), "GitHub answers 403 Forbidden", id="a token that may only read"),
    pytest.param((502, {}), "GitHub answers 502 Bad Gateway", id="an outage"),
    pytest.param(
        (
            200,
            {
                "errors": [{"message": "Resource not accessible\n::error::by integration"}],
                "data": None,
            },
        ),
        "Resource not accessible%0A:\\:error:\\:by integration",
        id="a refusal",
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("refusal", "message"), REFUSALS)
def test_without_a_comment_there_is_the_summary(
    refusal: tuple[int, dict[str, Any]], message: str, runner: Runner, github: GitHub
) -> None:
    github.refusal = refusal
    done = runner.run()
    assert (done.code, done.output) == (0, f"::warning title=krm-fn diff::no comment: {message}\n")
    assert CHANGED in done.summary
    assert TOKEN not in done.output


def test_no_comment_is_written_where_nobody_wants_one(runner: Runner, github: GitHub) -> None:
    assert (runner.run(comments=False).code, github.comments) == (0, [])


@pytest.mark.rows(test=0)
def test_a_key_tells_comments_apart(runner: Runner, github: GitHub) -> None:
    for key in ("a", "b -->", "a"):
        runner.run(KEY=key)
    assert [one["body"].partition("\n")[0] for one in github.comments] == [
        "<!-- krm-fn action diff%20%2D%2D%3E%20all diff a -->",
        "<!-- krm-fn action diff%20%2D%2D%3E%20all diff b%20%2D%2D%3E -->",
    ]


def test_a_package_that_cannot_be_rendered_fails(runner: Runner, github: GitHub) -> None:
    runner.open_pull_request({"shop/web.yaml": "a: [\n", **shop("two", "blog")})
    runner.check_out()
    done = runner.run(PATHS="shop\n\n  blog\n")
    message = "1 of 2 packages cannot be compared: shop"
    error = "error: shop/web.yaml:2:1: invalid YAML: did not find expected node content, while parsing a flow node\n"
    assert done.code == 1
    assert done.output.endswith(f"error: {message}\n::error title=krm-fn diff::{message}\n")
    assert error in done.output
    assert (
        f"<p><strong><code>shop</code> cannot be compared</strong></p>\n\n```\n{error}```\n"
        in done.summary
    )
    assert "<code>blog</code> against" in done.summary
    assert len(github.comments) == 1


@pytest.mark.rows(test=0)
def test_a_pull_request_may_repair_its_base(tmp_path: Path, github: GitHub) -> None:
    runner = Runner(tmp_path, github)
    runner.push_main({**shop("one"), "shop/web.yaml": "a: [\n"})
    runner.open_pull_request(shop("two"))
    runner.check_out()
    done = runner.run()
    assert (done.code, done.outputs) == (0, "changed=true\n")
    assert "::error" not in done.output
    said = "<p><strong><code>shop</code> is shown as new, because its base cannot be rendered</strong></p>"
    assert f"\n{said}\n\n```\nerror: " in done.summary
    assert "1 revision added" in done.summary
    (comment,) = github.comments
    assert comment["body"] == MARK + done.summary
    assert read_markdown(done.summary).types <= {"html_block", "fence"}


@pytest.mark.rows(test=0)
def test_other_events_need_a_base(runner: Runner, github: GitHub) -> None:
    runner.event = {"before": "a"}
    message = "this event has no pull request; set the input `base` to the revision to compare with"
    assert runner.run()[:2] == (1, f"::error title=krm-fn diff::{message}\n")
    runner.check_out(depth=0)
    done = runner.run(BASE="HEAD^1")
    assert (done.code, github.comments) == (0, [])
    assert CHANGED in done.summary


@needs_proc
def test_no_program_gets_the_token(runner: Runner, tmp_path: Path) -> None:
    """Not even from the processes above it, whose environment it may read."""
    above = 'p=$$; while [ "$p" -gt 1 ]; do cat "/proc/$p/environ"; p=$(cut -d" " -f4 "/proc/$p/stat"); done'
    build = f"#!/bin/sh\n{{ {above}; }} >> '{tmp_path}/seen'\ncat \"$3\"/*.yaml\n"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/kustomize").write_text(build)
    (tmp_path / "bin/kustomize").chmod(0o755)
    runner.open_pull_request({"shop/kustomization.yml": "resources: [web.yaml]\n"})
    runner.check_out()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
        runner.run()
    seen = (tmp_path / "seen").read_bytes()
    assert b"INPUT_PATHS" in seen
    assert TOKEN.encode() not in seen


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_action", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["compare_action"] = module
    spec.loader.exec_module(module)
    return module


def test_only_what_the_change_can_affect_is_rendered_and_equal_changes_are_one(
    tmp_path: Path, github: GitHub
) -> None:
    """An overlay that is broken already is none of the pull request's business."""
    runner = Runner(tmp_path, github)
    folders = [
        f"apps/{name}/{environment}" for name in ("shop", "blog") for environment in ("dev", "prod")
    ]
    broken = {"apps/old/dev/web.yaml": "a: [\n"}
    runner.push_main(
        {
            **broken,
            **{name: text for folder in folders for name, text in shop("one", folder).items()},
        }
    )
    runner.open_pull_request(
        {name: text for folder in folders[:2] for name, text in shop("two", folder).items()}
    )
    runner.check_out()
    done = runner.run(PATHS="apps/*/*\n")
    assert (done.code, done.output, done.outputs) == (0, "", "changed=true\n")
    assert "<p><strong>5 packages: 2 changed, 3 not affected</strong></p>" in done.summary
    assert (
        "<p>the same change in <code>apps/shop/dev</code>, <code>prod</code> against "
        in done.summary
    )
    assert done.summary.count("- A: one\n+ A: two\n") == 1
    (comment,) = github.comments
    assert comment["body"] == MARK + done.summary


def large(level: str, folder: str) -> dict[str, str | bytes]:
    """Return a package of which no other has the same change."""
    keys = "".join(f"  A{number:03}: {folder} {level} {'x' * 60}\n" for number in range(140))
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config, namespace: shop}\ndata:\n"
    return {**shop(level, folder), f"{folder}/config.yaml": head + keys}


@pytest.mark.rows(test=0)
def test_a_summary_has_more_room_than_a_comment(
    tmp_path: Path, github: GitHub, script: ModuleType
) -> None:
    runner = Runner(tmp_path, github)
    folders = [f"apps/{number:02}" for number in range(12)]
    runner.push_main({name: text for one in folders for name, text in large("one", one).items()})
    runner.open_pull_request(
        {name: text for one in folders for name, text in large("two", one).items()}
    )
    runner.check_out()
    done = runner.run(PATHS="apps/*")
    (comment,) = github.comments
    assert (done.code, done.output) == (0, "")
    assert done.summary.count("<details") == 12
    assert "Left out" not in done.summary
    assert len(comment["body"]) <= script.MOST_IN_COMMENT < len(done.summary)
    assert (
        "<p>Left out, as there is no room in a comment: 1 change, which the first line counts too.</p>"
        in comment["body"]
    )


PAYLOADS = [
    pytest.param("::error::a", ":\\:error:\\:a", id="a command"),
    pytest.param("  ::stop-commands::a", "  :\\:stop-commands:\\:a", id="a command behind blanks"),
    pytest.param(
        "error: a/##[stop-commands]b.yaml",
        "error: a/##\\[stop-commands]b.yaml",
        id="an old one in a line",
    ),
    pytest.param("###[a] :::b::", "###\\[a] :\\:\\:b:\\:", id="more signs than a command needs"),
    pytest.param(
        "error: a.yaml:2:1: b: c # d [e]",
        "error: a.yaml:2:1: b: c # d [e]",
        id="what is no command",
    ),
]


@pytest.mark.parametrize(("line", "expected"), PAYLOADS)
def test_what_others_write_is_no_command(line: str, expected: str, script: ModuleType) -> None:
    assert script.defuse(line) == expected


def test_a_command_in_the_name_of_a_file_is_none(runner: Runner) -> None:
    runner.open_pull_request(
        {"shop/##[stop-commands]x.yaml": "a: [\n", "shop/a ::error::b.yaml": "a: [\n"}
    )
    runner.check_out()
    commands = [line for line in runner.run().output.splitlines() if "##[" in line or "::" in line]
    assert commands == ["::error title=krm-fn diff::1 of 1 package cannot be compared: shop"]
