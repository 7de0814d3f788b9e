"""Send requests to an API server, and tell what its responses mean."""

import json
import sys
from functools import partial
from typing import Any

from kubernetes.client import ApiClient
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from krm_fn import __version__
from krm_fn.base.kind import BUILT_IN_KINDS, Kind
from krm_fn.linker.credentials import Access, NoCredentials, find_namespace, load_credentials
from krm_fn.linker.read import list_of, mapping, text_in
from krm_fn.linker.retry import STEP, Deadline, NoResponse, Response, retry, within

_CONNECT, _WHOLE = 5.0, 30.0
"""Seconds for a connection, and for a request with its whole response."""

_CHUNK = 64 * 1024

MOST_BYTES = 10_000_000
"""Bytes of a response after decompression. etcd accepts requests of 1.5 MiB; JSON may write a byte with six letters."""

_SHORTEST_TOKEN = 8
"""Letters of what is taken out of messages: less is no secret, and part of many words."""

_OK = 200
_SUCCESS = range(200, 300)
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404

_PARTIAL = "PartialObjectMetadata"
_PARTIAL_VERSION = "meta.k8s.io/v1"

_DEPTH = 11_000
"""The depth of JSON that can be read: the API server accepts 10,000."""

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
    """A request failed as the Role lacks a `rule`, in the form of YAML.

    `was_permitted`: another list of the same kind was permitted a moment ago.
    """

    def __init__(self, what: str, why: str, rule: str) -> None:
        super().__init__(what, why)
        self.rule = rule
        self.was_permitted = False


class NotServed(Refused):
    """No list of this kind: it is not installed, or has another plural or version."""


class NotTold(NotServed):
    """The API server has not listed a kind, and does not say either that it has no such kind."""


class Misnamed(Forbidden, NotServed):
    """The API server has the kind under another plural, for which the Role has no rule."""


class NoList(Refused):
    """An answer that is no list of the kind, or only a part of one."""


class TooLarge(Refused):
    """A response has more bytes than the caller wants to read."""

    def __init__(self, what: str, most: int) -> None:
        super().__init__(
            what,
            f"the response has more than {most} bytes; is there a proxy before the API server?",
        )


class Api:
    """One API server, as a pod's ServiceAccount, else as the kubeconfig's user.

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
        max_bytes: int = MOST_BYTES,
    ) -> Response:
        """Send a request, and return the response whatever its status.

        Without a response it is repeated until the deadline, unless `once`; then raises ApiError.
        Raises Stopped, OutOfTime, and TooLarge for a response with more than `max_bytes` after
        decompression.
        """
        headers = {"Accept": accept, **({"Content-Type": content_type} if body is not None else {})}
        send_once = partial(self._send, method, path, query or {}, headers, body, max_bytes)

        def send() -> Response:
            response = send_once()
            # The token has expired, and its file may hold a new one.
            if response.status == _UNAUTHORIZED:
                self._client = self._connect()
                response = send_once()
            return response

        host = self._client.configuration.host
        what = f"{method} {path}"
        try:
            if once:
                self.deadline.check()
                return send()
            return retry(send, self.deadline, f"the API server {host}")
        except NotJson as error:
            raise Refused(what, str(error)) from error
        except NoResponse as error:
            raise Unreachable(what, f"no response from {host}: {error}") from error

    def namespace(self) -> str:
        """Return the pod's own namespace, else that of the kubeconfig's context."""
        return find_namespace(self._access)

    def _connect(self) -> ApiClient:
        try:
            credentials = load_credentials(self._access, self.deadline)
        except NoCredentials as error:
            what = "no credentials for the API server"
            advice = "" if self._access.context else "; run inside a cluster, or set KUBECONFIG"
            raise ApiError(what, f"{error}{advice}") from error
        client = ApiClient(credentials.configuration)
        if credentials.tls:  # the client's configuration has no field for it
            client.rest_client.pool_manager.connection_pool_kw["ssl_context"] = credentials.tls
        client.user_agent = f"krm-fn-linker/{__version__}"
        return client

    def _send(  # noqa: PLR0913, PLR0917  # as for `request`
        self,
        method: str,
        path: str,
        query: dict[str, str],
        headers: dict[str, str],
        body: Any,
        max_bytes: int,
    ) -> Response:
        self.calls += 1
        seconds = max(1.0, min(_WHOLE, self.deadline.left()))
        request = self._client.param_serialize(
            method,
            path,
            query_params=list(query.items()),
            header_params=dict(headers),
            auth_settings=["BearerToken"],
        )
        url, sent_headers = request[1], request[2]

        def send() -> tuple[int, dict[str, str], bytes]:
            response = self._client.call_api(
                method, url, sent_headers, body, _request_timeout=(_CONNECT, seconds + STEP)
            )
            return (
                response.status,
                dict(response.headers),
                _read(response.response, max_bytes, f"{method} {path}"),
            )

        token = sent_headers.get("authorization", "").partition(" ")[2]
        over = f"incomplete when the time limit of {self.deadline.limit:.0f} s was over"
        late = over if seconds < _WHOLE else ""
        try:
            status, response_headers, data = within(seconds, send, late)
        except (ApiException, HTTPError, OSError) as error:
            # One error is wrapped in another: the innermost one says why, and of the client's lines
            # the last.
            reason = str(getattr(error, "reason", None) or error)
            raise NoResponse(_without(token, reason.splitlines()[-1])) from error
        if status not in _SUCCESS:  # a proxy may answer with the request, and its message is shown
            data = _without(token, data.decode(errors="replace")).encode()
        lower = {key.lower(): value for key, value in response_headers.items()}
        return Response(status, lower, parse(data, status), len(data))


def _without(token: str, said: str) -> str:
    return said.replace(token, "...") if len(token) >= _SHORTEST_TOKEN else said


def _read(response: Any, max_bytes: int, what: str) -> bytes:
    """Read the body. Raises TooLarge."""
    chunks: list[bytes] = []
    size = 0
    for chunk in response.stream(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > max_bytes:
            response.close()
            raise TooLarge(what, max_bytes)
    response.release_conn()
    return b"".join(chunks)


class NotJson(NoResponse):
    """The response is a success, and no JSON object."""


def parse(data: bytes, status: int) -> Any:
    """Parse the body; None for an error that is no JSON.

    Raises NotJson for a success that is no JSON object.
    """
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
        raise NotJson(message)
    return content


def check_response(
    response: Response, verb: str, kind: Kind, namespace: str, name: str = ""
) -> None:
    """Raise Refused for a failed request: Forbidden without a right, NotServed without a list.

    `verb` is that of an RBAC rule, such as `list`. An empty name means all objects of the kind.
    """
    if response.status not in _SUCCESS:
        what = (
            f"{kind.kind} {namespace}/{name}"
            if name
            else f"{kind.plural} in {namespace or 'all namespaces'}"
        )
        if response.status == _FORBIDDEN:
            raise _forbidden(what, response, verb, kind, name)
        if response.status == _NOT_FOUND and not name:
            raise NotServed(what, why_not_served(kind))
        why = f"{response.status} {_message(response)}"
        if response.status == _UNAUTHORIZED:
            why = "the token is no longer valid; run the Job again, or log in again"
        raise Refused(what, f"cannot {verb}: {why}")


def read_page(
    response: Response, kind: Kind, namespace: str, *, metadata_only: bool
) -> tuple[list[Any], str]:
    """Return the objects of a page, and the token of the next one, `""` after the last.

    Raises NoList for what is not a whole page of objects of this kind. Whoever took it for an empty
    list would delete what the objects of the kind reference.
    """
    why = _find_fault(response, kind, metadata_only=metadata_only)
    if why:
        what = f"{kind.plural} in {namespace or 'all namespaces'}"
        raise NoList(
            what, f"the answer is no list of them: {why}; is there a proxy before the API server?"
        )
    metadata = mapping(response.content.get("metadata"))
    return list_of(response.content["items"]), metadata.get("continue") or ""


def read_object(response: Response, kind: Kind, namespace: str, name: str) -> dict[str, Any]:
    """Return an object, or its metadata alone.

    Raises Refused for anything else, which is not to count as none.
    """
    known = {(kind.kind, kind.api_version), (_PARTIAL, _PARTIAL_VERSION)}
    content = mapping(response.content)
    has_name = mapping(content.get("metadata")).get("name") == name
    if response.status != _OK or not _is_named(content, known) or not has_name:
        what = f"{kind.kind} {namespace}/{name}"
        raise Refused(what, "the answer is another object; is there a proxy before the API server?")
    return content


def _find_fault(response: Response, kind: Kind, *, metadata_only: bool) -> str:
    """Return what is wrong with a page of a list; `""` for nothing."""
    content = mapping(response.content)
    lists = {(f"{kind.kind}List", kind.api_version)}
    objects = {(kind.kind, kind.api_version)}
    if metadata_only:
        lists.add((f"{_PARTIAL}List", _PARTIAL_VERSION))
        objects.add((_PARTIAL, _PARTIAL_VERSION))
    items, metadata = content.get("items"), content.get("metadata")
    following = mapping(metadata).get("continue")
    faults = {
        f"status {response.status}": response.status != _OK,
        "it has another kind": not _is_named(content, lists),
        # A list of metadata alone may say null.
        "it has no items": "items" not in content or not isinstance(items, list | None),
        "its metadata have another form": not isinstance(metadata, dict | None)
        or not isinstance(following, str | None),
        "it is a part of one": bool(mapping(metadata).get("remainingItemCount")) and not following,
        "one of its items is no object of the kind": not all(
            _is_object(item, objects) for item in list_of(items)
        ),
    }
    return next((fault for fault, is_there in faults.items() if is_there), "")


def _is_object(item: Any, known: set[tuple[str, str]]) -> bool:
    metadata = mapping(mapping(item).get("metadata"))
    return bool(text_in(metadata, "name") and text_in(metadata, "uid")) and _is_named(item, known)


def _is_named(content: dict[str, Any], known: set[tuple[str, str]]) -> bool:
    """Tell whether kind and version are among these.

    One that names none is as was asked for: items of a list do so.
    """
    kind, version = content.get("kind"), content.get("apiVersion")
    return any(kind in (None, "", one[0]) and version in (None, "", one[1]) for one in known)


def why_not_served(kind: Kind) -> str:
    """Say why a kind cannot be listed that the API server does not have."""
    if kind in BUILT_IN_KINDS:
        return f"404, though every cluster has a list of {kind.plural}; is there a proxy before the API server?"
    return (
        f"the API server has no {kind.kind} of {kind.api_version} under this plural; install its "
        "CustomResourceDefinition, or add that to the package, so that krm-fn reads the plural from it"
    )


def _forbidden(what: str, response: Response, verb: str, kind: Kind, name: str) -> Forbidden:
    # The admission plugin OwnerReferencesPermissionEnforcement, which OpenShift enables, asks
    # whoever adds an owner for the right to delete the object.
    is_for_owner = "cannot set an ownerRef" in _message(response)
    missing_verb, hint = (
        ("delete", ", which spec.linker.openshift adds") if is_for_owner else (verb, "")
    )
    only = f", resourceNames: [{name}]" if name and kind.kind != "ConfigMap" else ""
    rule = f'{{apiGroups: ["{kind.group}"], resources: [{kind.plural}], verbs: [{missing_verb}]{only}}}'
    return Forbidden(
        what,
        f"not permitted to {verb}; the Role of this ServiceAccount needs the rule {rule}{hint}",
        rule,
    )


def _message(response: Response) -> str:
    """Return the server's message. It never contains an object's content."""
    return str(mapping(response.content).get("message", "without an explanation"))


def is_uid_mismatch(response: Response) -> bool:
    """Tell whether a patch met another object of that name: the uid would change."""
    causes = list_of(mapping(mapping(response.content).get("details")).get("causes"))
    return any(mapping(cause).get("field") == "metadata.uid" for cause in causes)
