"""Send requests to an API server with the standard library only, to share no code with what is tested."""

import functools
import json
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

JSON = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_ONLY_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
SECONDS = 30
TOO_MANY_REQUESTS = 429


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
        headers = {"Authorization": f"Bearer {token}", "Content-Type": content_type, "Accept": accept}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + target, data, headers, method=method)  # noqa: S310  # https
        end = time.monotonic() + SECONDS
        while True:
            try:
                with _opener(self).open(request, timeout=SECONDS) as answer:
                    return _read(answer.read())
            except urllib.error.HTTPError as error:
                with error:
                    answer = _read(error.read())
                pause = _pause(error)
                if pause is None or time.monotonic() + pause > end:
                    details = answer if isinstance(answer, dict) else {"message": answer}
                    raise ApiError(method, target, error.code, details) from None
                time.sleep(pause)


def _pause(error: urllib.error.HTTPError) -> float | None:
    """Return the seconds after which the server wants the request again: for one, while it installs a kind."""
    seconds = error.headers.get("Retry-After", "")
    return float(seconds) if error.code == TOO_MANY_REQUESTS and seconds.isdecimal() else None


@functools.cache
def _opener(server: Server) -> urllib.request.OpenerDirector:
    # Never through a proxy of the environment.
    return urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context(server))
    )


def context(server: Server) -> ssl.SSLContext:
    """Create a TLS context that trusts only this server."""
    return ssl.create_default_context(cafile=server.certificate)


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text.decode(errors="replace")
