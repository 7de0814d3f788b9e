"""An HTTP proxy in front of the API server that causes faults of networks and servers at any call.

The module `faults` has the faults. The proxy speaks plain HTTP: it listens on loopback only, for
one test.
"""

import contextlib
import http.client
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.cluster.server import Server, context
from tests.wait import PATIENCE

_OF_THE_CONNECTION = {"connection", "transfer-encoding", "content-length", "keep-alive", "host"}


class Call(NamedTuple):
    """A request. `number` counts from 1; `target` is path and query; names of headers are in lower case."""

    number: int
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


PassOn = Callable[[Call], Answer]
Fault = Callable[[Call, PassOn], Answer]


class Dropped(Exception):
    """The connection is closed, and the client gets no response."""


class Garbled(Exception):
    """The client gets what `send` writes, and the connection is closed."""

    def __init__(self, send: Callable[[Callable[[bytes], object]], None]) -> None:
        super().__init__()
        self.send = send


def no_fault(call: Call, pass_on: PassOn) -> Answer:
    return pass_on(call)


class Proxy:
    """A proxy that records `calls` since the last `begin`."""

    def __init__(self, server: Server) -> None:
        self._behind = server
        self._lock = threading.Lock()
        self._fault: Fault = no_fault
        self.calls: list[Call] = []
        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        port = self.listener.server_address[1]
        self.server = Server(url=f"http://127.0.0.1:{port}", certificate=server.certificate)

    def begin(self, fault: Fault = no_fault) -> None:
        """Use this fault from now on, and count calls from 1 again."""
        with self._lock:
            self.calls, self._fault = [], fault

    @property
    def writes(self) -> list[str]:
        """The calls that write anything but Events, as `PATCH /api/v1/…`."""
        calls = [
            call
            for call in self.calls
            if call.method != "GET" and not call.target.endswith("/events")
        ]
        return [f"{call.method} {urlsplit(call.target).path}" for call in calls]

    def _answer(
        self, method: str, target: str, headers: dict[str, str], body: bytes, send: PassOn
    ) -> Answer:
        with self._lock:
            call = Call(len(self.calls) + 1, method, target, headers, body)
            self.calls.append(call)
            fault = self._fault
        return fault(call, send)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            """A client's connection, with one connection to the API server."""

            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet: a second one would wait for an acknowledgement

            def setup(self) -> None:
                super().setup()
                where = urlsplit(proxy._behind.url)
                assert where.hostname is not None
                self.behind = http.client.HTTPSConnection(
                    where.hostname,
                    where.port,
                    timeout=PATIENCE,
                    context=context(proxy._behind),
                )

            def finish(self) -> None:
                self.behind.close()
                with contextlib.suppress(OSError):
                    super().finish()

            def serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {key.lower(): value for key, value in self.headers.items()}
                try:
                    answer = proxy._answer(self.command, self.path, headers, body, self.pass_on)
                    self.send_response_only(answer.status)
                    for key, value in answer.headers.items():
                        self.send_header(key, value)
                    self.send_header("content-length", str(len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body)
                except Garbled as garbled:
                    self.close_connection = True
                    with contextlib.suppress(OSError):  # the client has gone
                        garbled.send(self.wfile.write)
                        self.wfile.flush()
                except (Dropped, OSError, http.client.HTTPException):
                    self.close_connection = True

            do_GET = do_POST = do_PATCH = do_DELETE = serve  # noqa: N815  # names that http.server requires

            def pass_on(self, call: Call) -> Answer:
                self.behind.request(call.method, call.target, call.body, _passed_on(call.headers))
                answer = self.behind.getresponse()
                headers = {key.lower(): value for key, value in answer.getheaders()}
                return Answer(answer.status, _passed_on(headers), answer.read())

            def log_message(self, *_: object) -> None:
                """Log nothing: `Proxy.calls` records the calls."""

        return Handler


def _passed_on(headers: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in headers.items() if key not in _OF_THE_CONNECTION}


@contextlib.contextmanager
def proxy_before(server: Server) -> Iterator[Proxy]:
    """Run a proxy for the duration of the context."""
    proxy = Proxy(server)
    proxy.listener.daemon_threads = True
    thread = threading.Thread(target=proxy.listener.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield proxy
    finally:
        proxy.listener.shutdown()
        thread.join()
        proxy.listener.server_close()
