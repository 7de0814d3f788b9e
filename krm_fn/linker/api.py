"""Requests to an API server. The only importer of the Kubernetes client."""

from pathlib import Path
from typing import Any

from kubernetes import config
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import ConfigException
from urllib3.exceptions import HTTPError

from krm_fn import __version__
from krm_fn.linker.cluster import Failed
from krm_fn.linker.retry import Deadline, NoAnswer, Response, with_retries

_IN_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_CONNECT, _READ = 5.0, 30.0
_UNAUTHORIZED = 401


class Api:
    """One API server, as whoever the environment says we are: a pod's ServiceAccount, else the kubeconfig's user.

    Only the requests, their credentials and their retries; what an answer means is for the caller.
    """

    def __init__(self, deadline: Deadline, context: str | None = None) -> None:
        """Raises Failed where there are no credentials."""
        self.deadline = deadline
        self.calls = 0
        self._context = context
        self._client = self._connect()

    def request(  # noqa: PLR0913  # a request has that many parts
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
        """The answer, whatever its status. Raises Failed where there is none until the deadline, or `once`."""
        headers = {"Accept": accept, **({"Content-Type": content_type} if body is not None else {})}

        def send() -> Response:
            response = self._send(method, path, query or {}, headers, body)
            if response.status == _UNAUTHORIZED:  # the token is old; by now there may be a new one in its file
                self._client = self._connect()
                response = self._send(method, path, query or {}, headers, body)
            return response

        try:
            if once:
                self.deadline.check()
                return send()
            return with_retries(send, self.deadline)
        except NoAnswer as error:
            host = self._client.configuration.host
            what = f"{method} {path}"
            raise Failed(what, f"no answer from {host}: {error}") from error

    def namespace(self) -> str:
        """Where a pod lies, or the namespace of the kubeconfig's context."""
        file = _IN_POD / "namespace"
        if self._context is None and file.exists():
            return file.read_text().strip()
        contexts, active = config.list_kube_config_contexts()
        chosen = next((one for one in contexts if one["name"] == self._context), active)
        return str(chosen["context"].get("namespace") or "default")

    def _connect(self) -> ApiClient:
        configuration = Configuration()
        configuration.retries = False  # we do that, with the deadline in view
        try:
            if self._context is None and _IN_POD.exists():
                config.load_incluster_config(configuration)
            else:
                config.load_kube_config(context=self._context, client_configuration=configuration)
        except (ConfigException, OSError) as error:
            what = "no way to the API server"
            raise Failed(what, f"{error}; run inside a cluster, or set KUBECONFIG") from error
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
            raise NoAnswer(_reason(error)) from error
        return Response(response.status, {key.lower(): value for key, value in response.headers.items()}, data or b"")


def _reason(error: HTTPError) -> str:
    """The innermost reason: urllib3 wraps them."""
    reason = getattr(error, "reason", None)
    return str(reason or error)
