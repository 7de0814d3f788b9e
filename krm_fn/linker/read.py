"""Read objects of the API server into the linker's types. The readers accept any JSON.

A reference that is missed costs a running pod its configuration. A word that is mistaken for a
reference only keeps an object for longer. So every word of an object counts, except in the few
fields of a pod spec that never hold the name of a ConfigMap or Secret.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from krm_fn.base import keys
from krm_fn.base.item import HASH, NOT_SPEC, WORD
from krm_fn.base.kind import CONSUMER_KINDS, Kind, kind_named, made_kinds
from krm_fn.base.link_plan import LinkPlan, name_inventory
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Json
from krm_fn.linker.objects import Consumer, Inventory, LiveRevision, Names, Owner

_KNOWN = frozenset(CONSUMER_KINDS)
_POD_CONTROLLERS = frozenset(
    (kind.api_version, kind.kind) for kind in CONSUMER_KINDS if kind.controls_pods
)
_OTHER_FIELDS = frozenset(
    {
        *("labels", "matchLabels", "nodeSelector", "selector"),
        *("image", "mountPath", "subPath", "subPathExpr", "path", "workingDir", "key", "fieldPath"),
        *(
            "serviceAccount",
            "serviceAccountName",
            "serviceName",
            "claimName",
            "hostname",
            "subdomain",
            "containerName",
        ),
        *(
            "nodeName",
            "schedulerName",
            "priorityClassName",
            "runtimeClassName",
            "storageClassName",
            "topologyKey",
        ),
    }
)
"""Fields of a pod spec, and around it, that may hold the same word with another meaning."""

_NAMED_ENTRIES = frozenset(
    {
        "containers",
        "initContainers",
        "ephemeralContainers",
        "volumes",
        "volumeMounts",
        "volumeDevices",
        "env",
        "ports",
    }
)
"""Lists of a pod spec whose entries have a name of their own: a volume may have the name of its ConfigMap."""
_CONTAINERS = ("containers", "initContainers")


OfSet = LiveRevision | Inventory
"""A ConfigMap that the function has emitted for a set."""


def read_of_set(item: Any, plan: LinkPlan) -> OfSet | None:
    """Read a ConfigMap of the set: a revision, a tracker or the inventory; None for any other."""
    found = read_of_any_set(item)
    return found if found is not None and found.set_name == plan.set else None


def read_of_any_set(item: Any) -> OfSet | None:
    """Read a ConfigMap that has the label of a set; None for any other."""
    return read_any_revision(item) or read_inventory(item)


def read_live_revision(item: Any, plan: LinkPlan) -> LiveRevision | None:
    """Read a revision or a tracker of the set from its metadata."""
    found = read_any_revision(item)
    return found if found is not None and found.set_name == plan.set else None


def read_any_revision(item: Any) -> LiveRevision | None:
    """Read a revision or a tracker of any set from its metadata.

    None if the function has not emitted it: it lacks the label of a set, or its name is not its
    base name, with or without a hash, as when somebody has copied a revision, or it is another
    object of the linker.
    """
    metadata, labels, annotations = _read_metadata(item)
    name, uid, base = (
        text_in(metadata, "name"),
        text_in(metadata, "uid"),
        text_in(annotations, keys.BASE_NAME),
    )
    created = read_time(text_in(metadata, "creationTimestamp"))
    is_named = bool(base and uid) and re.fullmatch(f"{re.escape(base)}(-{HASH})?", name)
    component, set_name = labels.get(keys.COMPONENT), text_in(labels, keys.SET)
    is_emitted = keys.SET_NAME.fullmatch(set_name) and component in (None, keys.TRACKER)
    if not is_named or not is_emitted or created is None:
        return None
    return LiveRevision(
        name=name,
        uid=uid,
        resource_version=text_in(metadata, "resourceVersion"),
        created=created,
        owners=_owners(metadata),
        is_retained=annotations.get(keys.RETAIN) == "true",
        is_tracker=component == keys.TRACKER,
        is_wanted=annotations.get(keys.WANTED) == "true",
        owns_secret=annotations.get(keys.OWNS_SECRET) == "true",
        stands_for=text_in(annotations, keys.STANDS_FOR),
        made_by=text_in(annotations, keys.MADE_BY),
        is_in_kpt_inventory=keys.KPT_INVENTORY in annotations,
        rendered_kinds=_read_list(annotations, keys.KINDS),
        seen_kinds=_read_list(annotations, keys.SEEN_KINDS),
        set_name=set_name,
    )


def _read_list(annotations: Json, name: str) -> frozenset[str]:
    return frozenset(filter(None, text_in(annotations, name).split(",")))


def read_inventory(item: Any) -> Inventory | None:
    """Read the ConfigMap that lists what is rendered; None for any other, such as a copy of it."""
    metadata, labels, annotations = _read_metadata(item)
    names, name, uid = (
        annotations.get(keys.RENDERED),
        text_in(metadata, "name"),
        text_in(metadata, "uid"),
    )
    set_name = text_in(labels, keys.SET)
    is_emitted = labels.get(keys.COMPONENT) == keys.LINKER and name == name_inventory(set_name)
    if not is_emitted or not isinstance(names, str) or not uid:
        return None
    told = map(kind_named, _read_list(annotations, keys.TOLD_KINDS))
    # Each becomes a part of a selector at the API server.
    former = filter(keys.SET_NAME.fullmatch, _read_list(annotations, keys.FORMER_SETS))
    return Inventory(
        Owner("v1", "ConfigMap", name, uid),
        references=frozenset(names.split(",")),
        set_name=set_name,
        is_shared=annotations.get(keys.LINKER_RUN) == keys.SHARED_LINKER,
        is_being_deleted="deletionTimestamp" in metadata,
        told_kinds=frozenset(kind.group_kind for kind in told),
        is_leaving=annotations.get(keys.LEAVING) == "true",
        former_sets=tuple(sorted(former)),
    )


class Version(NamedTuple):
    """An object as it was once: its uid says which object, its resource version which content."""

    name: str
    uid: str
    resource_version: str


def read_version(item: Any) -> Version | None:
    """Read the version of an object. None for what has no name, which is no consumer either."""
    metadata = below(item, "metadata")
    version = Version(*(text_in(metadata, field) for field in ("name", "uid", "resourceVersion")))
    return version if version.name and version.uid else None


def read_consumer(kind: Kind, item: Any, names: Names) -> Consumer | None:
    """Read an object of this kind, with those of the names that it references.

    None for what has no name, and for a pod that references none of them, if its controller is read
    too.
    """
    metadata = below(item, "metadata")
    name, uid = text_in(metadata, "name"), text_in(metadata, "uid")
    if not name or not uid:
        return None
    controller = controller_of(metadata)
    is_controlled_pod = (
        kind.kind == "Pod" and (controller.api_version, controller.kind) in _POD_CONTROLLERS
    )
    words = [*possible_names(mapping(item), has_pod_spec=kind in _KNOWN, shortest=names.shortest)]
    if kind.group_kind in made_kinds():
        # Some keep there what they began with: `status.storedWorkflowTemplateSpec` of a Workflow.
        words += _words(below(item, "status"), in_pods=False, shortest=names.shortest)
    found = names.known.intersection(words)
    if is_controlled_pod and not found:
        return None
    pod_spec = below(item, kind.pod_spec)
    template_source = below(item, "spec.workloadRef")
    source = text_in(template_source, "kind"), text_in(template_source, "name")
    # A kind that no package holds may be served in another version.
    api_version = text_in(mapping(item), "apiVersion") or kind.api_version
    return Consumer(
        Owner(api_version, kind.kind, name, uid),
        is_current=kind.is_current,
        references=frozenset(one for one in found if not _is_own(one, item)),
        required=frozenset(
            filter(names.are_like, required_config_maps(pod_spec) if kind.is_current else ())
        ),
        controller=controller.uid,
        template_source=source if all(source) else None,
        arguments=linker_arguments(pod_spec) if kind.kind == "Job" else (),
        is_being_deleted="deletionTimestamp" in metadata,
        can_own=not is_controlled_pod,  # thousands of pods would not fit into one list of owners (decision 44)
    )


def _is_own(name: str, item: Any) -> bool:
    """Tell whether it tracks what the object itself makes: two owners of each other stay.

    Both have one hash. The name of an adopted one has none, but after its first run the tracker is an owner.
    """
    metadata, _, annotations = _read_metadata(item)
    base = text_in(annotations, keys.BASE_NAME)
    if not base:
        return False
    suffix = text_in(metadata, "name").removeprefix(base)
    has_its_hash = re.fullmatch(f"-{HASH}", suffix) is not None and name.endswith(suffix)
    return has_its_hash or name in {
        owner.name for owner in _owners(metadata) if owner.kind == "ConfigMap"
    }


def possible_names(item: Json, *, has_pod_spec: bool, shortest: int = 1) -> Iterator[str]:
    """Yield the words of an object that may be names, with at least this many letters.

    `has_pod_spec`: the object is of a known kind with a pod spec, so the fields that never reference one are known.
    """
    annotations = below(item, "metadata.annotations")
    # What kubectl keeps of an earlier apply repeats the spec, and may name a revision that is not
    # referenced any more.
    texts = [text for key, text in annotations.items() if key != keys.LAST_APPLIED]
    yield from _words(texts, in_pods=False, shortest=shortest)
    spec = {key: value for key, value in item.items() if key not in NOT_SPEC}
    yield from _words(spec, in_pods=has_pod_spec, shortest=shortest)


def _words(value: Any, *, in_pods: bool, shortest: int) -> list[str]:
    """Return the words below a value.

    It keeps a list of what is left: objects may be deeper than Python's stack.
    """
    words: list[str] = []
    left = [(value, False)]
    while left:
        value, in_named_entry = left.pop()
        if isinstance(value, str):
            found = WORD.findall(value)
            words += found
            if "." in value:  # a name may contain dots, and other text puts dots between names
                words += [part for word in found if "." in word for part in word.split(".")]
        elif isinstance(value, list):
            left += [(entry, in_named_entry) for entry in value]
        elif isinstance(value, dict):
            for key, inner in value.items():
                # Nearly every text of a pod spec is this short.
                if isinstance(inner, str) and len(inner) < shortest:
                    continue
                if not (in_pods and _has_other_meaning(key, inner, in_named_entry=in_named_entry)):
                    left.append((inner, in_pods and key in _NAMED_ENTRIES))
    return words


def _has_other_meaning(key: str, value: Any, *, in_named_entry: bool) -> bool:
    return (
        key in _OTHER_FIELDS
        or (in_named_entry and key == "name")
        or (key == "args" and _is_plan(value))
    )


def required_config_maps(pod_spec: Any) -> Iterator[str]:
    """Yield the ConfigMaps without which a pod does not start: these are clearly references."""
    spec = mapping(pod_spec)
    sources = []
    for volume in mappings_in(spec, "volumes"):
        sources += [volume.get("configMap")]
        projected = list_of(mapping(volume.get("projected")).get("sources"))
        sources += [mapping(source).get("configMap") for source in projected]
    for field in _CONTAINERS:
        for container in mappings_in(spec, field):
            sources += [
                mapping(source).get("configMapRef") for source in list_of(container.get("envFrom"))
            ]
            values = [
                mapping(mapping(variable).get("valueFrom"))
                for variable in list_of(container.get("env"))
            ]
            sources += [value.get("configMapKeyRef") for value in values]
    for source in map(mapping, sources):
        name = source.get("name")
        if isinstance(name, str) and source.get("optional") is not True:
            yield name


ALL_SETS = "--all-sets"
"""The argument that makes a run one for the namespace."""


def linker_arguments(pod_spec: Any) -> tuple[str, ...]:
    """Return the arguments of the container that runs the linker, of one set or of all sets.

    Nothing without such a container.
    """
    for container in mappings_in(mapping(pod_spec), "containers"):
        arguments = [*map(str, list_of(container.get("args")))]
        is_of_all_sets = arguments[:1] == ["link"] and ALL_SETS in arguments
        if is_of_all_sets or _is_plan(container.get("args")):
            return tuple(arguments[1:])
    return ()


def _is_plan(arguments: Any) -> bool:
    """Tell whether these are the arguments of `krm-fn link`: its Job references no revision."""
    match arguments:
        case ["link", str(first), *_]:
            return first.startswith("--set=")
    return False


def controller_of(metadata: Json) -> Owner:
    """Return the owner that is the controller of an object; one of empty texts if there is none."""
    owners = mappings_in(metadata, "ownerReferences")
    return _read_owner(next((owner for owner in owners if owner.get("controller") is True), {}))


def _owners(metadata: Json) -> tuple[Owner, ...]:
    return tuple(_read_owner(mapping(owner)) for owner in list_of(metadata.get("ownerReferences")))


def _read_owner(owner: Json) -> Owner:
    return Owner(*(text_in(owner, field) for field in ("apiVersion", "kind", "name", "uid")))


def _read_metadata(item: Any) -> tuple[Json, Json, Json]:
    """Return the metadata, the labels and the annotations."""
    metadata = below(item, "metadata")
    return metadata, mapping(metadata.get("labels")), mapping(metadata.get("annotations"))


def read_time(text: str) -> float | None:
    """Return a time of the API server in Unix seconds, None for anything else."""
    try:
        time = datetime.fromisoformat(text)
        # In UTC and whole seconds, as it is written again: the first and the last day of all could
        # leave the calendar.
        return time.astimezone(UTC).replace(microsecond=0).timestamp() if time.tzinfo else None
    except (ValueError, OverflowError):
        return None


def write_time(seconds: float) -> str:
    """Write Unix seconds as the API server does."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def below(item: Any, path: str) -> Json:
    """Return the mapping at a path of fields with dots, and an empty one for anything else."""
    value = mapping(item)
    for field in filter(None, path.split(".")):
        value = mapping(value.get(field))
    return value


def text_in(fields: Json, name: str) -> str:
    """Return the text of a field, `""` for anything else."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def mappings_in(fields: Mapping[str, Any], name: str) -> Iterator[Json]:
    """Yield the elements of a list, an empty mapping for each that is none; nothing for anything else."""
    return map(mapping, list_of(fields.get(name)))


def mapping(value: Any) -> Json:
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else []
