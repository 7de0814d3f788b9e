"""Which names a live object holds.

A name that is missed costs a running pod its configuration; one that is seen where none is meant keeps an object for
longer. So nothing is asked about fields: every word in an object counts, but for the few fields of a pod spec that
are known to hold other things.
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
"""Fields of a pod spec, and around it, that may say the same word and mean something else."""

_NAMED_ENTRIES = frozenset(
    {"containers", "initContainers", "ephemeralContainers", "volumes", "volumeMounts", "volumeDevices", "env", "ports"}
)
"""Lists of a pod spec whose entries have a name of their own: a volume may be called like its ConfigMap."""


def words_of(item: dict[str, Any], *, in_pods: bool) -> Iterator[str]:
    """The words of an object that may be names of ConfigMaps and Secrets.

    `in_pods`: it is an object of a known kind around a pod spec, so that other fields are known to be others.
    """
    annotations = item.get("metadata", {}).get("annotations") or {}
    yield from _words([text for key, text in annotations.items() if key != _LAST_APPLIED], in_pods=False)
    yield from _words({key: value for key, value in item.items() if key not in NOT_SPEC}, in_pods=in_pods)


def _words(value: Any, *, in_pods: bool, named: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        for word in WORD.findall(value):
            yield word
            if "." in word:  # which names may hold, and others put between names
                yield from word.split(".")
    elif isinstance(value, list):
        for entry in value:
            yield from _words(entry, in_pods=in_pods, named=named)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if in_pods and (key in _OTHER_FIELDS or (named and key == "name")):
                continue
            yield from _words(inner, in_pods=in_pods, named=in_pods and key in _NAMED_ENTRIES)
