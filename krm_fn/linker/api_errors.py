"""What the API server says when it will not, in sentences that say what to do."""

import json

from krm_fn.linker.cluster import Failed
from krm_fn.linker.retry import Response
from krm_fn.model.kinds import Kind

_SUCCESS = range(200, 300)
_UNAUTHORIZED, _FORBIDDEN = 401, 403


def check(response: Response, verb: str, kind: Kind, namespace: str, name: str = "") -> None:
    """Raises Failed for what is no success. `verb` is that of a Role's rule; no name stands for all of the kind."""
    if response.status not in _SUCCESS:
        what = f"{kind.kind} {namespace}/{name}" if name else f"{kind.plural} in {namespace}"
        raise Failed(what, _why(response, verb, kind, name))


def is_another(response: Response) -> bool:
    """Whether a patch met another object of the same name: that is answered as if somebody wanted to change the uid."""
    try:
        causes = json.loads(response.body)["details"]["causes"]
    except (ValueError, KeyError, TypeError):
        return False
    return any(cause.get("field") == "metadata.uid" for cause in causes)


def _why(response: Response, verb: str, kind: Kind, name: str) -> str:
    message = _message(response)
    if response.status == _UNAUTHORIZED:
        return f"cannot {verb}: the token is no longer good; run the Job again, or log in again"
    if response.status != _FORBIDDEN:
        return f"cannot {verb}: {response.status} {message}"
    # OpenShift's, and whoever else switches that on: one may not hand to an owner what one may not delete.
    is_for_owner = "cannot set an ownerRef" in message
    needed, adds = ("delete", ", which spec.linker.openshift adds") if is_for_owner else (verb, "")
    only = f", resourceNames: [{name}]" if kind.kind == "Secret" else ""
    rule = f'{{apiGroups: ["{kind.group}"], resources: [{kind.plural}], verbs: [{needed}]{only}}}'
    return f"may not {verb}; the Role of this ServiceAccount needs the rule {rule}{adds}"


def _message(response: Response) -> str:
    """What the server says, without line breaks; it never repeats content."""
    try:
        return str(json.loads(response.body)["message"])
    except (ValueError, KeyError, TypeError):
        return "without an explanation"
