"""An API server on loopback that answers what a test says, byte for byte."""

import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Handler = BaseHTTPRequestHandler
Behaviour = Callable[[Handler], None]

DATE = {"Date": "Mon, 01 Jun 2026 12:00:00 GMT"}


def answer(handler: Handler, content: Any, status: int = 200, **headers: str) -> None:
    """Send JSON, or text as it is. A header of the value `""` is left out."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    handler.send_response_only(status)
    for name, value in {**DATE, "Content-Length": str(len(body)), **headers}.items():
        if value:
            handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def hang(handler: Handler) -> None:
    """Answer nothing until the client has gone."""
    handler.rfile.read()


@contextlib.contextmanager
def hostile_server(
    behaviour: Behaviour, folder: Path, certificate: Path | None = None, clients: Path | None = None
) -> Iterator[Path]:
    """Run the server, and yield a kubeconfig for it, which trusts any certificate.

    Its key is in the same file.

    `clients`: the certificate that vouches for those of its clients; without it they need none.
    """

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # a name that http.server requires
            with contextlib.suppress(OSError):  # the client has gone
                behaviour(self)

        do_PATCH = do_POST = do_DELETE = do_GET  # noqa: N815  # likewise

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    listener.daemon_threads = True
    cluster: dict[str, Any] = {"server": f"http://127.0.0.1:{listener.server_address[1]}"}
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        if clients:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(clients)
        listener.socket = context.wrap_socket(listener.socket, server_side=True)
        cluster = {
            "server": cluster["server"].replace("http", "https"),
            "insecure-skip-tls-verify": True,
        }
    threading.Thread(
        target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    ).start()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": {"token": "t"}}],
        "contexts": [
            {"name": "test", "context": {"cluster": "test", "user": "test", "namespace": "shop"}}
        ],
        "current-context": "test",
    }
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    yield kubeconfig
    listener.shutdown()
    listener.server_close()
