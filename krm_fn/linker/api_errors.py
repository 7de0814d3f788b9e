"""Turn refusals of the API server into errors that say what to do."""

from krm_fn.linker.names import entries, mapping
from krm_fn.linker.retry import Response
from krm_fn.model.kinds import BUILT_IN_KINDS, Kind

_SUCCESS = range(200, 300)
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404


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


def check_response(response: Response, verb: str, kind: Kind, namespace: str, name: str = "") -> None:
    """Raise Refused unless the request succeeded; Forbidden if a right is missing, NotServed if a list is.

    `verb` is that of an RBAC rule, such as `list`. An empty name means all objects of the kind.
    """
    if response.status not in _SUCCESS:
        what = f"{kind.kind} {namespace}/{name}" if name else f"{kind.plural} in {namespace}"
        if response.status == _FORBIDDEN:
            raise _forbidden(what, response, verb, kind, name)
        if response.status == _NOT_FOUND and not name:
            raise NotServed(what, _why_not_served(kind))
        raise Refused(what, f"cannot {verb}: {_why(response)}")


def is_uid_mismatch(response: Response) -> bool:
    """Tell whether a patch met another object of the same name: the API server reports a change of the uid."""
    causes = entries(mapping(mapping(response.content).get("details")).get("causes"))
    return any(mapping(cause).get("field") == "metadata.uid" for cause in causes)


def _why_not_served(kind: Kind) -> str:
    if kind in BUILT_IN_KINDS:
        return f"404, though every cluster has a list of {kind.plural}; is there a proxy before the API server?"
    return (
        f"the API server has no {kind.kind} of {kind.api_version} under this plural; install its "
        "CustomResourceDefinition, or add that to the package, so that krm-fn reads the plural from it"
    )


def _why(response: Response) -> str:
    if response.status == _UNAUTHORIZED:
        return "the token is no longer valid; run the Job again, or log in again"
    return f"{response.status} {_message(response)}"


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
