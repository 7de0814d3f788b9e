"""Send requests to an API server. The only module that imports the Kubernetes client."""

import json
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache, partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any, NamedTuple, TypeVar

from kubernetes import config
from kubernetes.client import ApiClient, Configuration
from kubernetes.config import ConfigException
from kubernetes.config.kube_config import KUBE_CONFIG_DEFAULT_LOCATION, KubeConfigMerger
from urllib3 import disable_warnings
from urllib3.exceptions import HTTPError, InsecureRequestWarning

from krm_fn import __version__
from krm_fn.linker.read import entries, mapping
from krm_fn.linker.retry import Deadline, NoResponse, Response, retry
from krm_fn.model.kinds import BUILT_IN_KINDS, Kind

_IN_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_CONNECT, _WHOLE = 5.0, 30.0
"""Seconds for a connection, and for a request with its whole response."""

STEP = 0.5
"""Seconds of a wait without a look at signals: Python may notice one that comes right before a wait only after it."""

_CHUNK = 64 * 1024
_SUCCESS = range(200, 300)
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404

_KUBECONFIG = Lock()

_DEPTH = 11_000
"""The depth of JSON that can be read: the API server accepts 10,000."""

_T = TypeVar("_T")


class Access(NamedTuple):
    """Which cluster, and as whom. Without any of these it is the pod's own, else that of the default kubeconfig.

    `kubeconfig` is a file, and `context` a name in it.
    """

    kubeconfig: str | None = None
    context: str | None = None


_DEFAULT = Access()


class ApiError(Exception):
    """A request failed: `what` it was about, and why, with what to do."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


class Unreachable(ApiError):
    """The API server has not answered a request."""


class Refused(ApiError):
    """The API server has answered a request with an error."""


class Forbidden(Refused):
    """A request failed as the Role lacks a `rule`, in the form of YAML."""

    def __init__(self, what: str, why: str, rule: str) -> None:
        super().__init__(what, why)
        self.rule = rule


class NotServed(Refused):
    """The API server has no list of this kind: it is not installed, or has another plural or version."""


class Misnamed(Forbidden, NotServed):
    """The API server has the kind under another plural, for which the Role has no rule."""


class Endless(Refused):
    """A list has no end, or more objects than a namespace can have."""


NOT_LISTED = (Forbidden, NotServed, Endless)
"""What concerns one kind alone: the others can be listed."""


class TooLarge(Exception):
    """A response has more bytes than the caller wants to read."""


def list_contexts(kubeconfig: str | None) -> list[str]:
    """Return the contexts of a kubeconfig. Raises ApiError if there is none."""
    what = "no contexts"
    try:
        contexts = [str(one.get("name")) for one in _read_kubeconfig(kubeconfig)["contexts"]]
    except (ConfigException, OSError) as error:
        raise ApiError(what, f"{error}; set --kubeconfig, or KUBECONFIG") from error
    if not contexts:
        raise ApiError(what, "no kubeconfig has one; set --kubeconfig, or KUBECONFIG")
    return contexts


@cache
def _read_kubeconfig(kubeconfig: str | None) -> dict[str, list[dict[str, Any]]]:
    """Return the contexts and the users of all files together. Both are empty if there is no file.

    Once: to read fifty clusters takes a tenth of a second, and each of them asks.
    """
    files = kubeconfig or KUBE_CONFIG_DEFAULT_LOCATION
    try:
        merged = KubeConfigMerger(files).config
    except (ConfigException, OSError):
        raise
    except Exception as error:  # the client's reader fails in any way at what is no YAML, or has another form
        message = f"{files} is no kubeconfig"
        raise ConfigException(message) from error
    lists = ("contexts", "users")
    return {name: [mapping(one.value) for one in merged.value[name]] if merged else [] for name in lists}


class Api:
    """One API server, with the credentials of the environment: a pod's ServiceAccount, else the kubeconfig's user.

    It sends requests and repeats them; the caller interprets the responses. `calls` counts the requests sent.
    """

    def __init__(self, deadline: Deadline, access: Access = _DEFAULT) -> None:
        """Load the credentials. Raises ApiError if there are none."""
        self.deadline = deadline
        self.calls = 0
        self._access = access
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
        max_bytes: int | None = None,
    ) -> Response:
        """Send a request, and return the response whatever its status.

        Without a response it is repeated until the deadline, unless `once`; then raises ApiError. Raises Stopped,
        OutOfTime, and TooLarge for a response with more than `max_bytes`.
        """
        headers = {"Accept": accept, **({"Content-Type": content_type} if body is not None else {})}
        send_once = partial(self._send, method, path, query or {}, headers, body, max_bytes)

        def send() -> Response:
            response = send_once()
            if response.status == _UNAUTHORIZED:  # the token has expired; its file may hold a new one
                self._client = self._connect()
                response = send_once()
            return response

        host = self._client.configuration.host
        try:
            if once:
                self.deadline.check()
                return send()
            return retry(send, self.deadline, f"the API server {host}")
        except NoResponse as error:
            what = f"{method} {path}"
            raise Unreachable(what, f"no response from {host}: {error}") from error

    def namespace(self) -> str:
        """Return the pod's own namespace, else that of the kubeconfig's context."""
        file = _IN_POD / "namespace"
        if self._access == _DEFAULT and file.exists():
            return file.read_text().strip()
        kubeconfig, name = self._access
        name = name or config.list_kube_config_contexts(kubeconfig)[1]["name"]  # the one that is current
        chosen = next((one for one in _read_kubeconfig(kubeconfig)["contexts"] if one.get("name") == name), {})
        return str(mapping(chosen.get("context")).get("namespace") or "default")

    def _connect(self) -> ApiClient:
        configuration = Configuration()
        configuration.retries = False  # `retry` repeats requests, until the deadline
        try:
            if self._access == _DEFAULT and _IN_POD.exists():
                config.load_incluster_config(configuration)
            else:
                # The client writes a token that it renews into the kubeconfig: several at once would break the file.
                with _KUBECONFIG if _renews_tokens(self._access) else nullcontext():
                    config.load_kube_config(*self._access, client_configuration=configuration)
        except (ConfigException, OSError, HTTPError) as error:  # of an OpenID provider, which renews a token
            what = "no credentials for the API server"
            raise ApiError(what, f"{error}; run inside a cluster, or set KUBECONFIG") from error
        if not configuration.verify_ssl:  # the kubeconfig asks for it; urllib3 would warn of every request
            disable_warnings(InsecureRequestWarning)
        client = ApiClient(configuration)
        client.user_agent = f"krm-fn-linker/{__version__}"
        return client

    def _send(  # noqa: PLR0913, PLR0917  # as for `request`
        self,
        method: str,
        path: str,
        query: dict[str, str],
        headers: dict[str, str],
        body: Any,
        max_bytes: int | None,
    ) -> Response:
        self.calls += 1
        seconds = max(1.0, min(_WHOLE, self.deadline.left()))
        request = self._client.param_serialize(
            method, path, query_params=list(query.items()), header_params=dict(headers), auth_settings=["BearerToken"]
        )
        url, sent_headers = request[1], request[2]

        def send() -> tuple[int, dict[str, str], bytes]:
            response = self._client.call_api(method, url, sent_headers, body, _request_timeout=(_CONNECT, seconds))
            return response.status, dict(response.headers), _read(response.response, max_bytes)

        status, response_headers, data = within(seconds, send)
        lower = {key.lower(): value for key, value in response_headers.items()}
        return Response(status, lower, parse(data, status), len(data))


def _renews_tokens(access: Access) -> bool:
    """Tell whether a user of the kubeconfig has an OpenID provider. Programs that print tokens may run side by side."""
    users = _read_kubeconfig(access.kubeconfig)["users"]
    return any("auth-provider" in mapping(one.get("user")) for one in users)


def within(seconds: float, act: Callable[[], _T]) -> _T:
    """Return what a function returns, or raise NoResponse if that takes longer.

    Timeouts of a socket are not enough: each byte of a slow response starts them again.
    """
    outcome: list[_T | BaseException] = []

    def run() -> None:
        try:
            outcome.append(act())
        except Exception as error:  # noqa: BLE001  # raised again below
            outcome.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    end = time.monotonic() + seconds
    while thread.is_alive() and (left := end - time.monotonic()) > 0:
        thread.join(min(left, STEP))
    if not outcome:
        message = f"incomplete after {seconds:.0f} s"
        raise NoResponse(message)
    (result,) = outcome
    if isinstance(result, HTTPError | OSError):
        # urllib3 wraps one error in another: the innermost one says why.
        raise NoResponse(str(getattr(result, "reason", None) or result)) from result
    if isinstance(result, BaseException):
        raise result
    return result


def _read(response: Any, max_bytes: int | None) -> bytes:
    """Read the body. Raises TooLarge."""
    chunks: list[bytes] = []
    size = 0
    for chunk in response.stream(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if max_bytes is not None and size > max_bytes:
            response.close()
            raise TooLarge
    response.release_conn()
    return b"".join(chunks)


def parse(data: bytes, status: int) -> Any:
    """Parse the body; None for an error that is no JSON. Raises NoResponse for a success that is no JSON object."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        content = json.loads(data) if data else None
    except (ValueError, RecursionError):
        content = None
    finally:
        sys.setrecursionlimit(limit)
    if status in _SUCCESS and not isinstance(content, dict):
        message = "the response is no JSON object; is there a proxy before the API server?"
        raise NoResponse(message)
    return content


def check_response(response: Response, verb: str, kind: Kind, namespace: str, name: str = "") -> None:
    """Raise Refused unless the request succeeded; Forbidden if a right is missing, NotServed if a list is.

    `verb` is that of an RBAC rule, such as `list`. An empty name means all objects of the kind.
    """
    if response.status not in _SUCCESS:
        what = f"{kind.kind} {namespace}/{name}" if name else f"{kind.plural} in {namespace or 'all namespaces'}"
        if response.status == _FORBIDDEN:
            raise _forbidden(what, response, verb, kind, name)
        if response.status == _NOT_FOUND and not name:
            raise NotServed(what, _why_not_served(kind))
        why = f"{response.status} {_message(response)}"
        if response.status == _UNAUTHORIZED:
            why = "the token is no longer valid; run the Job again, or log in again"
        raise Refused(what, f"cannot {verb}: {why}")


def _why_not_served(kind: Kind) -> str:
    if kind in BUILT_IN_KINDS:
        return f"404, though every cluster has a list of {kind.plural}; is there a proxy before the API server?"
    return (
        f"the API server has no {kind.kind} of {kind.api_version} under this plural; install its "
        "CustomResourceDefinition, or add that to the package, so that krm-fn reads the plural from it"
    )


def _forbidden(what: str, response: Response, verb: str, kind: Kind, name: str) -> Forbidden:
    # The admission plugin OwnerReferencesPermissionEnforcement, which OpenShift enables, asks whoever adds an owner
    # for the right to delete the object.
    is_for_owner = "cannot set an ownerRef" in _message(response)
    missing_verb, hint = ("delete", ", which spec.linker.openshift adds") if is_for_owner else (verb, "")
    only = f", resourceNames: [{name}]" if name and kind.kind != "ConfigMap" else ""
    rule = f'{{apiGroups: ["{kind.group}"], resources: [{kind.plural}], verbs: [{missing_verb}]{only}}}'
    return Forbidden(
        what, f"not permitted to {verb}; the Role of this ServiceAccount needs the rule {rule}{hint}", rule
    )


def _message(response: Response) -> str:
    """Return the server's message. It never contains an object's content."""
    return str(mapping(response.content).get("message", "without an explanation"))


def is_uid_mismatch(response: Response) -> bool:
    """Tell whether a patch met another object of the same name: the API server reports a change of the uid."""
    causes = entries(mapping(mapping(response.content).get("details")).get("causes"))
    return any(mapping(cause).get("field") == "metadata.uid" for cause in causes)
