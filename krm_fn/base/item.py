"""One object of the input."""

import re
from base64 import b64decode
from binascii import Error
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from krm_fn.base import keys
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Mapping as MappingNode
from krm_fn.base.node import (
    Marks,
    Node,
    Scalar,
    elements,
    entries,
    fields,
    get,
    is_mapping,
    is_scalar,
    is_sequence,
    read_path,
    step,
    text,
    texts,
)
from krm_fn.base.problem import Problem, ResourceId, Severity

CONFIG_KINDS = ("ConfigMap", "Secret")

DATA_FIELDS = ("data", "stringData", "binaryData")
"""The fields of a ConfigMap or Secret that hold its content under keys."""

IS_ENCODED = {
    "ConfigMap": {"data": False, "binaryData": True},
    "Secret": {"data": True, "stringData": False},  # a key here wins over the same one of `data`
}
"""Whether the values of these fields are base64."""

HASH = "[2456789bcdfghkmt]{10}"
"""The pattern of a content hash."""

WORD = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
"""Anything in a text that can be the name of an object."""

NOT_SPEC = frozenset({"apiVersion", "kind", "metadata", "status"})
"""Fields at the top of an object whose words reference nothing."""

_INDEX = re.compile("[0-9]{1,9}")
"""More digits are no position in a file."""


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def collect(pairs: Iterable[tuple[_Key, _Value]]) -> defaultdict[_Key, list[_Value]]:
    """Return the values of each key, in order."""
    found: defaultdict[_Key, list[_Value]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return found


def is_config_id(resource: ResourceId) -> bool:
    """Tell whether this is a ConfigMap or Secret of the core group."""
    return resource.kind in CONFIG_KINDS and resource.api_version == "v1"


class Item:
    """An object and its metadata as raw text, a key by identity.

    `origin` is the file it was read from, if known.

    `is_of_template`: a comment of Helm says which template of a chart it is from. `base` is what
    `base_name` has found, and `objects_around` what `find_holding` has.
    """

    __slots__ = (
        "annotations",
        "base",
        "id",
        "is_of_template",
        "labels",
        "node",
        "objects_around",
        "origin",
    )

    def __init__(  # noqa: PLR0913  # what is read of an object
        self,
        node: MappingNode,
        who: ResourceId,
        annotations: dict[str, str],
        labels: dict[str, str],
        origin: str = "",
        *,
        is_of_template: bool = False,
    ) -> None:
        self.node: Final = node
        self.id: Final = who
        self.annotations: Final = annotations
        self.labels: Final = labels
        self.origin: Final = origin
        self.is_of_template: Final = is_of_template
        self.base: str | None = None
        self.objects_around: Mapping[Node, frozenset[ResourceId]] | None = None

    @property
    def is_config(self) -> bool:
        """Tell whether it is a ConfigMap or Secret of the core group."""
        return is_config_id(self.id)

    @property
    def is_like_secret(self) -> bool:
        """Tell whether it is a Secret, or was meant to be one: nothing shows its values."""
        return is_like_secret(fields(self.node))

    @property
    def is_local(self) -> bool:
        """Tell whether it is for tools and never applied, as kpt and kustomize tell.

        Any value of the annotation but `"false"` says so.
        """
        return self.annotations.get(keys.LOCAL_CONFIG, "false") != "false"

    @property
    def file(self) -> str:
        """The file it was read from, or its file in a kpt package."""
        return self.origin or self._internal("path")

    @property
    def file_index(self) -> int:
        """Its position in that file, counted from 0."""
        return int(self._internal("index")) if self.has_file_index else 0

    @property
    def has_file_index(self) -> bool:
        return _INDEX.fullmatch(self._internal("index")) is not None

    def _internal(self, name: str) -> str:
        return self.annotations.get(
            f"internal.config.kubernetes.io/{name}", ""
        ) or self.annotations.get(f"config.kubernetes.io/{name}", "")


def about(
    item: Item,
    message: str,
    field: str = "",
    severity: Severity = Severity.ERROR,
    *,
    resource: ResourceId | None = None,
) -> Problem:
    """Return a problem with an item, with its file. `resource`: what messages call it, if not by its id."""
    return Problem(
        message,
        resource or item.id,
        field,
        severity,
        file=item.file,
        file_index=item.file_index,
        node=item.node,
    )


def warning(
    item: Item, message: str, field: str = "", resource: ResourceId | None = None
) -> Problem:
    return about(item, message, field, Severity.WARNING, resource=resource)


def read_item(node: MappingNode, origin: str = "", *, is_of_template: bool = False) -> Item:
    """Read an object. Never fails: a field that is missing or has another type is empty."""
    top = fields(node)
    metadata = fields(top.get("metadata"))
    who = ResourceId(
        text(top.get("apiVersion")),
        text(top.get("kind")),
        text(metadata.get("namespace")),
        text(metadata.get("name")),
    )
    annotations, labels = texts(metadata.get("annotations")), texts(metadata.get("labels"))
    return Item(node, who, annotations, labels, origin, is_of_template=is_of_template)


def find_objects(nodes: Iterable[Node]) -> list[MappingNode]:
    """Find the objects in documents, or in the items of a ResourceList. A List holds others."""
    found: list[MappingNode] = []
    for node in nodes:
        found += _objects(node)
    return found


def _objects(node: Node) -> Iterator[MappingNode]:
    """Yield the node itself, or the items of a List. A List may hold other Lists."""
    if not is_mapping(node):
        return
    items = get(node, "items") if text(get(node, "kind")).endswith("List") else None
    if is_sequence(items):
        for inner in items.value:
            yield from _objects(inner)
    else:
        yield node


def data_keys(item: Item) -> list[str]:
    """Return the keys of a ConfigMap or Secret, those of texts and those of bytes."""
    keys: list[str] = []
    for field in DATA_FIELDS:
        keys += fields(get(item.node, field))
    return keys


_SECRETS = ("secret", "secrets")
_TYPES_OF_SECRETS = ("Opaque", "kubernetes.io/", "bootstrap.kubernetes.io/", "helm.sh/")


def is_like_secret(around: Mapping[str, Node]) -> bool:
    """Tell whether fields are those of a Secret, or of what somebody meant to be one.

    Its kind may have a slip in it, such as `secret`. Its fields say it too: `stringData`, or `data`
    beside a type that only Secrets have.
    """
    if text(around.get("kind")).strip().lower() in _SECRETS or "stringData" in around:
        return True
    return "data" in around and text(around.get("type")).startswith(_TYPES_OF_SECRETS)


class DataText(NamedTuple):
    """One value: `key` in the data, `field` its path, `scalar` as written, `text` as pods read it.

    `is_encoded`: the scalar is base64.
    """

    key: str
    field: str
    scalar: Scalar
    text: str
    is_encoded: bool


def data_texts(item: Item) -> Iterator[DataText]:
    """Read the values of a ConfigMap or Secret. Bytes that are no text are skipped."""
    for field in ("data", "stringData"):
        is_encoded = field == "data" and item.id.kind == "Secret"
        for key, scalar in entries(get(item.node, field)):
            if is_scalar(scalar):
                said = _decode(scalar.value) if is_encoded else scalar.value
                if said:
                    yield DataText(key, step(field, key), scalar, said, is_encoded)


def _decode(value: str) -> str:
    try:
        return b64decode(value).decode()
    except (Error, ValueError):
        return ""


def locate(item: Item) -> str:
    """Name an item and its place, for a message about several of them."""
    return f"{item.id} {place_of(item)}"


def place_of(item: Item) -> str:
    """Say where an item begins.

    The lines of a stream are not those of the files in it: these have positions.
    """
    line = item.node.start_mark.line + 1
    if item.origin:
        return f"in {item.origin} line {line}"
    if not item.file:
        return f"on line {line}"
    return f"in {item.file} index {item.file_index}" if item.has_file_index else f"in {item.file}"


_FIRST = -1


def in_order(
    problems: Iterable[Problem], items: Sequence[Item], config: Node | None
) -> tuple[Problem, ...]:
    """Sort problems: of the configuration, then by object and field, then of the whole package.

    `items` are all objects in the order of the input.
    """
    ranks: dict[Node | None, int] = {item.node: rank for rank, item in enumerate(items)}
    marks = Marks()
    if config is not None:
        ranks[config] = _FIRST

    def place(problem: Problem) -> tuple[int, int]:
        rank = ranks.get(problem.node, len(items))
        return rank, marks.first_of(
            problem.node, read_path(problem.field)
        ).start if problem.node else 0

    return tuple(sorted(problems, key=place))


def selects(selector: Node | None, labels: Mapping[str, str]) -> bool:
    """Tell whether a label selector matches. One without any condition matches everything."""
    if not texts(get(selector, "matchLabels")).items() <= labels.items():
        return False
    for condition in elements(get(selector, "matchExpressions")):
        key, operator = text(get(condition, "key")), text(get(condition, "operator"))
        values = {text(value) for value in elements(get(condition, "values"))}
        is_met = labels.get(key) in values if operator.endswith("In") else key in labels
        if is_met != (operator in ("In", "Exists")):
            return False
    return True


# What this program has written on an object.

_SAME_NAME = ("ConfigMap", "ServiceAccount", "Role", "RoleBinding")
"""The kinds of the linker's objects that are called `<set>-linker`."""

_NAMED = {"Job": f"-link-{HASH}", "CronJob": "-linker"}
"""The ends of the names of the others."""


def is_revision(item: Item) -> bool:
    """Tell whether the object is a revision, of whichever set."""
    return keys.SET in item.labels and keys.BASE_NAME in item.annotations


def is_emitted(item: Item) -> bool:
    """Tell whether an earlier run has emitted the object.

    Such an object is neither chosen nor followed, and may be removed. The label alone is not
    enough: somebody may have copied it, along with others, to an object of their own. A prefix or
    suffix may have been added to the name since.
    """
    component = item.labels.get(keys.COMPONENT)
    if component == keys.TRACKER:
        return (
            item.id.kind == "ConfigMap"
            and get(item.node, "data") is None
            and keys.BASE_NAME in item.annotations
        )
    if component == keys.HOOK_COPY:
        return item.id.kind == "ConfigMap" and keys.COPY_OF in item.annotations
    if component != keys.LINKER:
        return False
    if item.id.kind in _NAMED:
        return re.search(_NAMED[item.id.kind], item.id.name) is not None
    return item.id.kind in _SAME_NAME and f"{item.labels.get(keys.SET, '')}-linker" in item.id.name


def is_secret_tracker(item: Item) -> bool:
    """Tell whether the object has the name of a Secret for which it stands."""
    return (
        item.labels.get(keys.COMPONENT) == keys.TRACKER and keys.STANDS_FOR not in item.annotations
    )


def listed_revisions(item: Item) -> set[str]:
    """Return the names that an inventory lists as rendered; none for any other object."""
    return {name for name in item.annotations.get(keys.RENDERED, "").split(",") if name}


# What other programs write on an object.


def is_encrypted(item: Item) -> bool:
    """Tell whether an object has the block with the metadata of SOPS, as Flux recognises it."""
    if not item.is_config:
        return False
    block = get(item.node, "sops")
    return is_mapping(block) and bool(texts(block).get("mac"))


_CHART = r".+-v?[0-9]+\.[0-9].*"
"""The label `chart` of older charts: name and version.

The label `release` alone is also a selector of Prometheus.
"""


def is_of_chart(item: Item) -> bool:
    """Tell whether labels, an annotation, or the comment before it say that it is of a chart."""
    return (
        item.is_of_template
        or "helm.sh/chart" in item.labels
        or item.labels.get(keys.MANAGED_BY) == keys.BY_HELM
        or item.labels.get("heritage") in {"Helm", "Tiller"}
        or re.fullmatch(_CHART, item.labels.get("chart", "")) is not None
        or "meta.helm.sh/release-name" in item.annotations
    )
