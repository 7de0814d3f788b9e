"""Send requests to an API server. The only module that imports the Kubernetes client."""

from pathlib import Path
from typing import Any

from kubernetes import config
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import ConfigException
from urllib3.exceptions import HTTPError

from krm_fn import __version__
from krm_fn.linker.api_errors import ApiError
from krm_fn.linker.retry import Deadline, NoResponse, Response, retry

_IN_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_CONNECT, _READ = 5.0, 30.0
_UNAUTHORIZED = 401


class Api:
    """One API server, with the credentials of the environment: a pod's ServiceAccount, else the kubeconfig's user.

    It sends requests and repeats them; the caller interprets the responses. `calls` counts the requests sent.
    """

    def __init__(self, deadline: Deadline, context: str | None = None) -> None:
        """Load the credentials. Raises ApiError if there are none."""
        self.deadline = deadline
        self.calls = 0
        self._context = context
        self._client = self._connect()

    def request(  # noqa: PLR0913  # the parts of an HTTP request
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str] | None = None,
        body: dict[str, object] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        once: bool = False,
    ) -> Response:
        """Send a request, and return the response whatever its status.

        Without a response it is repeated until the deadline, unless `once`; then raises ApiError. Raises Stopped.
        """
        headers = {"Accept": accept, **({"Content-Type": content_type} if body is not None else {})}

        def send() -> Response:
            response = self._send(method, path, query or {}, headers, body)
            if response.status == _UNAUTHORIZED:  # the token has expired; its file may hold a new one
                self._client = self._connect()
                response = self._send(method, path, query or {}, headers, body)
            return response

        try:
            if once:
                self.deadline.check()
                return send()
            return retry(send, self.deadline)
        except NoResponse as error:
            host = self._client.configuration.host
            what = f"{method} {path}"
            raise ApiError(what, f"no response from {host}: {error}") from error

    def namespace(self) -> str:
        """Return the pod's own namespace, else that of the kubeconfig's context."""
        file = _IN_POD / "namespace"
        if self._context is None and file.exists():
            return file.read_text().strip()
        contexts, active = config.list_kube_config_contexts()
        chosen = next((one for one in contexts if one["name"] == self._context), active)
        return str(chosen["context"].get("namespace") or "default")

    def _connect(self) -> ApiClient:
        configuration = Configuration()
        configuration.retries = False  # `retry` repeats requests, until the deadline
        try:
            if self._context is None and _IN_POD.exists():
                config.load_incluster_config(configuration)
            else:
                config.load_kube_config(context=self._context, client_configuration=configuration)
        except (ConfigException, OSError) as error:
            what = "no credentials for the API server"
            raise ApiError(what, f"{error}; run inside a cluster, or set KUBECONFIG") from error
        client = ApiClient(configuration)
        client.user_agent = f"krm-fn-linker/{__version__}"
        return client

    def _send(self, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: Any) -> Response:
        self.calls += 1
        timeout = (_CONNECT, max(1.0, min(_READ, self.deadline.left())))
        request = self._client.param_serialize(
            method, path, query_params=list(query.items()), header_params=dict(headers), auth_settings=["BearerToken"]
        )
        url, sent_headers = request[1], request[2]
        try:
            response = self._client.call_api(method, url, sent_headers, body, _request_timeout=timeout)
            data = response.read()
        except HTTPError as error:
            raise NoResponse(_reason(error)) from error
        return Response(response.status, {key.lower(): value for key, value in response.headers.items()}, data or b"")


def _reason(error: HTTPError) -> str:
    """Return the innermost reason: urllib3 wraps one error in another."""
    reason = getattr(error, "reason", None)
    return str(reason or error)
