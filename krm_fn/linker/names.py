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

_CONTAINERS = ("containers", "initContainers")


def possible_names(item: dict[str, Any], *, has_pod_spec: bool) -> Iterator[str]:
    """Yield the words of an object that may be names of ConfigMaps and Secrets.

    `has_pod_spec`: the object is of a known kind with a pod spec, so the fields that never reference one are known.
    """
    annotations = mapping(mapping(item.get("metadata")).get("annotations"))
    yield from _words([text for key, text in annotations.items() if key != _LAST_APPLIED], in_pods=False)
    yield from _words({key: value for key, value in item.items() if key not in NOT_SPEC}, in_pods=has_pod_spec)


def required_config_maps(pod_spec: Any) -> Iterator[str]:
    """Yield the ConfigMaps without which a pod does not start: it is clear that these are references."""
    spec = mapping(pod_spec)
    sources = []
    for volume in map(mapping, entries(spec.get("volumes"))):
        sources += [volume.get("configMap")]
        projected = entries(mapping(volume.get("projected")).get("sources"))
        sources += [mapping(source).get("configMap") for source in projected]
    for container in (mapping(one) for field in _CONTAINERS for one in entries(spec.get(field))):
        sources += [mapping(source).get("configMapRef") for source in entries(container.get("envFrom"))]
        values = [mapping(mapping(variable).get("valueFrom")) for variable in entries(container.get("env"))]
        sources += [value.get("configMapKeyRef") for value in values]
    for source in map(mapping, sources):
        name = source.get("name")
        if isinstance(name, str) and source.get("optional") is not True:
            yield name


def linker_arguments(pod_spec: Any) -> tuple[str, ...]:
    """Return the arguments of the container that runs the linker; none if there is no such container."""
    for container in map(mapping, entries(mapping(pod_spec).get("containers"))):
        if _is_plan(container.get("args")):
            return tuple(map(str, container["args"][1:]))
    return ()


def mapping(value: Any) -> dict[str, Any]:
    """Return a mapping as it is, and an empty one for anything else: any custom resource may hold anything."""
    return value if isinstance(value, dict) else {}


def entries(value: Any) -> list[Any]:
    """Return a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else []


def _words(value: Any, *, in_pods: bool) -> Iterator[str]:
    """Yield the words below a value. It keeps a list of what is left: objects may be deeper than Python's stack."""
    left = [(value, False)]
    while left:
        value, in_named_entry = left.pop()
        if isinstance(value, str):
            for word in WORD.findall(value):
                yield word
                if "." in word:  # a name may contain dots, and other text puts dots between names
                    yield from word.split(".")
        elif isinstance(value, list):
            left += [(entry, in_named_entry) for entry in value]
        elif isinstance(value, dict):
            left += [
                (inner, in_pods and key in _NAMED_ENTRIES)
                for key, inner in value.items()
                if not (in_pods and _has_other_meaning(key, inner, in_named_entry=in_named_entry))
            ]


def _has_other_meaning(key: str, value: Any, *, in_named_entry: bool) -> bool:
    return key in _OTHER_FIELDS or (in_named_entry and key == "name") or (key == "args" and _is_plan(value))


def _is_plan(arguments: Any) -> bool:
    """Tell whether these are the arguments of `krm-fn link`: a linker's Job lists revisions, and references none."""
    match arguments:
        case ["link", str(first), *_]:
            return first.startswith("--set=")
    return False
