"""What the action does on a runner: compare packages with the base of a pull request, and tell what differs.

    python compare.py compare    runs git, krm-fn, kustomize and helm, and leaves the comment in a file
    python compare.py comment    posts that file, and runs nothing

Only the second process has the token: a program can read the environment of the process that started it. Both need the
standard library alone; the first also git, and krm-fn beside this Python.
"""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

SAME, FAILED, RISKY = 0, 2, 4
"""Exit codes of `krm-fn diff --exit-code`: 1 is a difference, and 3 one with a base that alone cannot be rendered.

With 4, --fail-on has found something.
"""

MOST_IN_COMMENT = 65_000
"""GitHub refuses a comment of more than 65,536 characters."""

_MOST_IN_SUMMARY = 1_000_000
"""GitHub shows no summary of a step that has more than 1 MiB."""

_SECONDS = 30
_COMMAND = re.compile(r":(?=:)|##(?=\[)")
"""What begins a workflow command. The runner looks for `##[` anywhere in a line."""

# No command of git reads a repository that is part of the tree, or runs a program that one
# configures.
_GIT = (
    "git",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
)

_UNSAFE = re.compile("[^A-Za-z0-9._/]")

# The fields are those that GitHub's own `gh pr comment --edit-last` uses.
_FIND = """
query($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequest {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id body viewerDidAuthor }
      }
    }
  }
}
"""
_ADD = "mutation($id: ID!, $body: String!) { addComment(input: {subjectId: $id, body: $body}) { clientMutationId } }"
_EDIT = "mutation($id: ID!, $body: String!) { updateIssueComment(input: {id: $id, body: $body}) { clientMutationId } }"


class Failure(Exception):
    """What the user has to know, in one line."""


class Compared(NamedTuple):
    """The exit code of the comparison, and what it printed."""

    code: int
    markdown: str
    stderr: str


def compare(environment: Mapping[str, str]) -> int:
    """Compare all packages, and write the comment. Return 1 if one of them cannot be compared, or for --fail-on."""
    file = _comment_file(environment)
    file.unlink(missing_ok=True)
    try:
        pull_request = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text("utf-8")).get(
            "pull_request"
        )
        base = environment["INPUT_BASE"] or _find_base(pull_request)
    except Failure as failure:
        _tell("error", str(failure))
        return 1
    found = _compare(base, _MOST_IN_SUMMARY, environment)
    for line in found.stderr.splitlines():
        print(defuse(line))
    if found.markdown:
        _append(environment["GITHUB_STEP_SUMMARY"], found.markdown)
        _append(environment["GITHUB_OUTPUT"], f"changed={str(found.code != SAME).lower()}\n")
        if pull_request:
            mark = _mark(environment)
            is_short = _length(mark + found.markdown) <= MOST_IN_COMMENT
            shown = (
                found if is_short else _compare(base, MOST_IN_COMMENT - _length(mark), environment)
            )
            told = {
                "pull_request": pull_request["node_id"],
                "mark": mark,
                "differs": found.code != SAME,
            }
            file.write_text(json.dumps({**told, "body": mark + shown.markdown}), "utf-8")
    if found.code not in {FAILED, RISKY}:
        return 0
    *_, last = ["", *found.stderr.splitlines()]
    _tell("error", last.removeprefix("error: "))
    return 1


def comment(environment: Mapping[str, str]) -> int:
    """Post what `compare` has written.

    A token of a fork may only read, and the summary has it all.
    """
    file = _comment_file(environment)
    if file.exists():
        told = json.loads(file.read_text("utf-8"))
        api = Api(environment["GITHUB_GRAPHQL_URL"], environment["INPUT_TOKEN"])
        try:
            _comment(api, told["pull_request"], told["mark"], told["body"], differs=told["differs"])
        except Failure as failure:
            _tell("warning", f"no comment: {failure}")
    return 0


def defuse(line: str) -> str:
    """Return a line of others without workflow commands."""
    return _COMMAND.sub(lambda found: found[0] + "\\", line)


def _comment_file(environment: Mapping[str, str]) -> Path:
    return Path(environment["RUNNER_TEMP"], "krm-fn-comment.json")


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _tell(level: str, message: str) -> None:
    """Show a message on the page of the run, as a workflow command."""
    escaped = defuse(message).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{level} title=krm-fn diff::{escaped}")


def _append(file: str, text: str) -> None:
    with Path(file).open("a", encoding="utf-8") as opened:
        opened.write(text)


def _find_base(pull_request: Any) -> str:
    """Return the commit that the pull request changes, and fetch it if the checkout does not hold it.

    Normally the checkout is the merge of both: then it is its first parent. Else it is where the branches parted, if
    the checkout is deep enough to tell.
    """
    if not pull_request:
        message = (
            "this event has no pull request; set the input `base` to the revision to compare with"
        )
        raise Failure(message)
    # A shallow checkout has no parents, but the commit names them.
    header = _git("cat-file", "commit", "HEAD").partition("\n\n")[0]
    parents = [
        line.removeprefix("parent ") for line in header.splitlines() if line.startswith("parent ")
    ]
    is_merge = parents[1:] == [pull_request["head"]["sha"]]
    base: str = parents[0] if is_merge else pull_request["base"]["sha"]
    if not _succeeds("cat-file", "-e", f"{base}^{{commit}}"):
        _git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", base)
    if is_merge or not _succeeds("merge-base", base, "HEAD"):
        return base
    return _git("merge-base", base, "HEAD").strip()


def _git(*arguments: str) -> str:
    # A commit may be in any encoding.
    done = subprocess.run(
        [*_GIT, *arguments], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if done.returncode:
        *_, last = ["", *done.stderr.strip().splitlines()]
        message = f"git {arguments[0]}: {last.removeprefix('fatal: ')}"
        raise Failure(message)
    return done.stdout


def _succeeds(*arguments: str) -> bool:
    return subprocess.run([*_GIT, *arguments], capture_output=True, check=False).returncode == 0


def _compare(base: str, room: int, environment: Mapping[str, str]) -> Compared:
    risks = environment.get("INPUT_FAIL_ON", "")
    config = environment.get("INPUT_CONFIG", "")
    options = [f"--fail-on={risks}"] if risks else []
    options += [f"--config={config}"] if config else []
    options += ["--each", "--against", base, "--output=markdown", f"--room={room}", "--exit-code"]
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-I",
                "-m",
                "krm_fn",
                "diff",
                *options,
                *_lines(environment["INPUT_ARGUMENTS"]),
            ),
            *("--", *_lines(environment["INPUT_PATHS"])),
        ],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Compared(done.returncode if done.stdout else FAILED, done.stdout, done.stderr)


def _length(text: str) -> int:
    """Count as JavaScript does, for which some characters are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _mark(environment: Mapping[str, str]) -> str:
    """Return the first line of the comment of this job. Nothing in it ends an HTML comment."""
    parts = (environment["GITHUB_WORKFLOW"], environment["GITHUB_JOB"], environment["INPUT_KEY"])
    safe = (_UNSAFE.sub(lambda found: f"%{ord(found[0]):X}", part) for part in parts)
    return f"<!-- krm-fn action {' '.join(safe)} -->\n"


class Api:
    """GitHub's GraphQL API."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._token = token

    def query(self, query: str, **variables: str | None) -> Any:
        """Return `data` of the answer. Raises Failure, without anything of the token."""
        data = json.dumps({"query": query, "variables": variables}).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(self._url, data, headers)  # noqa: S310  # the runner says where its API is
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as response:  # noqa: S310  # as above
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            message = f"GitHub answers {error.code} {error.reason}"
            raise Failure(message) from error
        except (OSError, ValueError) as error:
            message = f"cannot reach GitHub: {error}"
            raise Failure(message) from error
        if answer.get("errors"):
            message = "; ".join(str(error.get("message")) for error in answer["errors"])
            raise Failure(message)
        return answer["data"]


def _comment(api: Api, pull_request: str, mark: str, body: str, *, differs: bool) -> None:
    """Edit the comment of an earlier run.

    Where there is none, add one if there is anything to say.
    """
    present = next((one for one in _find_comments(api, pull_request) if _is_own(one, mark)), None)
    if present is not None:
        api.query(_EDIT, id=present["id"], body=body)
    elif differs:
        api.query(_ADD, id=pull_request, body=body)


def _is_own(comment: Any, mark: str) -> bool:
    """Tell whether this job has written a comment: anybody can copy the mark."""
    return bool(comment["viewerDidAuthor"]) and comment["body"].replace("\r\n", "\n").startswith(
        mark
    )


def _find_comments(api: Api, pull_request: str) -> Iterator[Any]:
    after = None
    while True:
        comments = api.query(_FIND, id=pull_request, after=after)["node"]["comments"]
        yield from comments["nodes"]
        if not comments["pageInfo"]["hasNextPage"]:
            return
        after = comments["pageInfo"]["endCursor"]


if __name__ == "__main__":
    sys.exit({"compare": compare, "comment": comment}[sys.argv[1]](os.environ))
