"""A stand-in for GitHub's GraphQL API, on loopback: the comments of one pull request."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

TOKEN = "not-to-be-printed"  # noqa: S105  # of nobody
PULL_REQUEST = "PR_1"
_PAGE = 2


class GitHub:
    """Its comments: each with `id`, `body` and `viewerDidAuthor`.

    `refusal`: how it answers all that is no question.
    """

    def __init__(self) -> None:
        self.url = ""
        self.comments: list[dict[str, Any]] = []
        self.refusal: tuple[int, dict[str, Any]] | None = None
        self.edits = 0

    def answer(self, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        query, variables = request["query"], request["variables"]
        if "mutation" not in query:
            return 200, {
                "data": {"node": {"comments": self._page(variables["id"], variables["after"])}}
            }
        if self.refusal:
            return self.refusal
        if "addComment(input: {subjectId: $id" in query:
            assert variables["id"] == PULL_REQUEST
            self.comments.append(
                {
                    "id": f"C_{len(self.comments)}",
                    "body": variables["body"],
                    "viewerDidAuthor": True,
                }
            )
        else:
            assert "updateIssueComment(input: {id: $id" in query
            (comment,) = (one for one in self.comments if one["id"] == variables["id"])
            comment["body"] = variables["body"]
            self.edits += 1
        return 200, {"data": {}}

    def _page(self, pull_request: str, after: str | None) -> dict[str, Any]:
        assert pull_request == PULL_REQUEST
        start = int(after or 0)
        end = start + _PAGE
        return {
            # GitHub may hand a body back with other line ends.
            "nodes": [
                {**one, "body": one["body"].replace("\n", "\r\n")}
                for one in self.comments[start:end]
            ],
            "pageInfo": {"hasNextPage": end < len(self.comments), "endCursor": str(end)},
        }


@contextmanager
def serve() -> Iterator[GitHub]:
    github = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.headers["Authorization"] == f"Bearer {TOKEN}"
            length = int(self.headers["Content-Length"])
            status, answer = github.answer(json.loads(self.rfile.read(length)))
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        github.url = f"http://127.0.0.1:{server.server_port}/graphql"
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield github
        finally:
            server.shutdown()
