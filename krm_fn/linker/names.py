"""Find the names that a live object may reference.

A reference that is missed costs a running pod its configuration. A word that is mistaken for a reference only keeps an
object for longer. So every word of an object counts, except in the few fields of a pod spec that never hold the name of
a ConfigMap or Secret.
"""

from collections.abc import Iterator
from typing import Any

from krm_fn.naming.names import NOT_SPEC, WORD

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_OTHER_FIELDS = frozenset(
    {
        *("labels", "matchLabels", "nodeSelector", "selector"),
        *("image", "mountPath", "subPath", "subPathExpr", "path", "workingDir", "key", "fieldPath"),
        *("serviceAccount", "serviceAccountName", "serviceName", "claimName", "hostname", "subdomain", "containerName"),
        *("nodeName", "schedulerName", "priorityClassName", "runtimeClassName", "storageClassName", "topologyKey"),
    }
)
"""Fields of a pod spec, and around it, that may hold the same word with another meaning."""

_NAMED_ENTRIES = frozenset(
    {"containers", "initContainers", "ephemeralContainers", "volumes", "volumeMounts", "volumeDevices", "env", "ports"}
)
"""Lists of a pod spec whose entries have a name of their own: a volume may have the name of its ConfigMap."""


def possible_names(item: dict[str, Any], *, has_pod_spec: bool) -> Iterator[str]:
    """Yield the words of an object that may be names of ConfigMaps and Secrets.

    `has_pod_spec`: the object is of a known kind with a pod spec, so the fields that never reference one are known.
    """
    annotations = item.get("metadata", {}).get("annotations") or {}
    yield from _words([text for key, text in annotations.items() if key != _LAST_APPLIED], in_pods=False)
    yield from _words({key: value for key, value in item.items() if key not in NOT_SPEC}, in_pods=has_pod_spec)


def _words(value: Any, *, in_pods: bool, in_named_entry: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        for word in WORD.findall(value):
            yield word
            if "." in word:  # a name may contain dots, and other text puts dots between names
                yield from word.split(".")
    elif isinstance(value, list):
        for entry in value:
            yield from _words(entry, in_pods=in_pods, in_named_entry=in_named_entry)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if in_pods and (key in _OTHER_FIELDS or (in_named_entry and key == "name")):
                continue
            yield from _words(inner, in_pods=in_pods, in_named_entry=in_pods and key in _NAMED_ENTRIES)
