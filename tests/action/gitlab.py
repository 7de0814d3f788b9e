"""A stand-in for GitLab's API, on loopback: the notes on one merge request."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.action.github import TOKEN

PROJECT, REQUEST, USER = "12", "3", 7
_NOTES = f"/api/v4/projects/{PROJECT}/merge_requests/{REQUEST}/notes"


class GitLab:
    """The notes, each with `id`, `body` and the `id` of its `author`, and the methods of all requests."""

    def __init__(self) -> None:
        self.url = ""
        self.notes: list[dict[str, Any]] = []
        self.requests: list[str] = []

    def add(self, notes: Iterable[tuple[int, str]]) -> None:
        self.notes += [
            {"id": number, "body": body, "author": {"id": author}}
            for number, (author, body) in enumerate(notes, start=100 + len(self.notes))
        ]

    def answer(self, method: str, path: str, body: Any) -> Any:
        self.requests.append(method)
        where = urlsplit(path)
        if (method, where.path) == ("GET", "/api/v4/user"):
            return {"id": USER}
        if (method, where.path) == ("GET", _NOTES):
            asked = {name: int(value) for name, (value,) in parse_qs(where.query).items()}
            start = (asked["page"] - 1) * asked["per_page"]
            return self.notes[start : start + asked["per_page"]]
        if (method, where.path) == ("POST", _NOTES):
            self.add([(USER, body["body"])])
            return self.notes[-1]
        folder, _, number = where.path.rpartition("/")
        assert (method, folder) == ("PUT", _NOTES)
        (note,) = (one for one in self.notes if one["id"] == int(number))
        note["body"] = body["body"]
        return note


@contextmanager
def serve_gitlab() -> Iterator[GitLab]:
    gitlab = GitLab()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            assert self.headers["PRIVATE-TOKEN"] == TOKEN
            length = int(self.headers.get("Content-Length") or 0)
            sent = json.loads(self.rfile.read(length)) if length else None
            body = json.dumps(gitlab.answer(self.command, self.path, sent)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = _answer  # noqa: N815  # as the library calls them

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        gitlab.url = f"http://127.0.0.1:{server.server_port}/api/v4"
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield gitlab
        finally:
            server.shutdown()
