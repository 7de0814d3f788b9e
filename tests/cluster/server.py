"""Send requests to an API server with the standard library only, to share no code with what is tested."""

import contextlib
import functools
import json
import ssl
import time
import urllib.parse
from dataclasses import dataclass
from http.client import (
    BAD_REQUEST,
    TOO_MANY_REQUESTS,
    HTTPConnection,
    HTTPResponse,
    HTTPSConnection,
)
from pathlib import Path
from typing import Any

from tests.wait import PATIENCE, linger

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_ONLY_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class ApiError(Exception):
    """An error response: `status` is the HTTP status, `reason` its name, such as `NotFound`."""

    def __init__(self, method: str, target: str, status: int, answer: dict[str, Any]) -> None:
        self.status = status
        self.reason = str(answer.get("reason", ""))
        super().__init__(f"{method} {target}: {status} {self.reason}: {answer.get('message', '')}")

    @property
    def is_temporary(self) -> bool:
        """Tell whether the same request may succeed a moment later."""
        return self.status in {TOO_MANY_REQUESTS, 500, 502, 503, 504}


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """The URL of an API server, and the file with its certificate."""

    url: str
    certificate: Path

    def request(  # noqa: PLR0913  # the parts of an HTTP request
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str,
        query: dict[str, str] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Any:
        """Send a request, and again if the server asks for it, as every client of Kubernetes does.

        Returns the object of the response, or its text if that is not JSON.
        """
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": content_type,
            "Accept": accept,
        }
        data = None if body is None else json.dumps(body).encode()
        end = time.monotonic() + PATIENCE
        while True:
            response, content = _connections(self).send(method, target, data, headers)
            answer = _read(content)
            if response.status < BAD_REQUEST:
                return answer
            pause = _pause(response)
            if pause is None or time.monotonic() + pause > end:
                details = answer if isinstance(answer, dict) else {"message": answer}
                raise ApiError(method, target, response.status, details)
            linger(pause)


class _Connections:
    """Connections that stay open: a TLS handshake costs more than a request, and tests send very many."""

    def __init__(self, server: Server) -> None:
        self._url = urllib.parse.urlsplit(server.url)
        self._context = context(server)
        self._idle: list[HTTPConnection] = []

    def send(self, *request: Any) -> tuple[HTTPResponse, bytes]:
        """Send what `HTTPConnection.request` takes, and return the response with its content.

        Threads may call this at once: each has a connection of its own.
        """
        while connection := self._take():
            # The server may have closed it, or may have been restarted, since it was used.
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                return self._send(connection, *request)
        return self._send(self._open(), *request)

    def _send(self, connection: HTTPConnection, *request: Any) -> tuple[HTTPResponse, bytes]:
        try:
            connection.request(*request)
            response = connection.getresponse()
            content = response.read()
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return response, content

    def _take(self) -> HTTPConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _open(self) -> HTTPConnection:
        if self._url.scheme == "http":
            return HTTPConnection(self._url.netloc, timeout=PATIENCE)
        return HTTPSConnection(self._url.netloc, timeout=PATIENCE, context=self._context)


def _pause(response: HTTPResponse) -> float | None:
    """Return the seconds after which the server wants the request again: for one, while it installs a kind."""
    seconds = response.headers.get("Retry-After", "")
    return float(seconds) if response.status == TOO_MANY_REQUESTS and seconds.isdecimal() else None


@functools.cache
def _connections(server: Server) -> _Connections:
    return _Connections(server)


def context(server: Server) -> ssl.SSLContext:
    """Create a TLS context that trusts only this server."""
    return ssl.create_default_context(cafile=server.certificate)


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.decode(errors="replace")
