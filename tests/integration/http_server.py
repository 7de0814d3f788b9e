"""An HTTP server that notes what is fetched from it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from tests.render.run import CONFIG_MAP

FETCHED = CONFIG_MAP.replace("{A: b}", "{A: fetched}")


class Server(HTTPServer):
    """Answers every request with a ConfigMap, and notes its path."""

    def __init__(self) -> None:
        super().__init__(("", 0), _Answer)
        self.requests: list[str] = []
        # Not `localhost`: for that name, programs in Go take no proxy.
        self.url = f"http://{socket.gethostname()}:{self.server_port}/a.yaml"


class _Answer(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:  # the name that the base class calls
        self.server.requests.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(FETCHED.encode())

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
