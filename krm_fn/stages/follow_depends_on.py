"""Make kpt's annotation about the order of things follow the Jobs it names."""

import re
from collections.abc import Iterable, Iterator, Mapping

from krm_fn.model.edit import Edit, SetText
from krm_fn.model.item import Item
from krm_fn.model.node import entries, get, is_scalar
from krm_fn.stages.resolve import Index, Meant, find_targets

DEPENDS_ON = "config.kubernetes.io/depends-on"
"""`group/namespaces/namespace/kind/name`, with commas between."""

_JOB = re.compile(r"(?P<before>(?:^|,)\s*batch/namespaces/(?P<namespace>[^/,]+)/Job/)(?P<name>[^/,\s]+)")


def follow_depends_on(items: Iterable[Item], index: Index, names: Mapping[int, str]) -> Iterator[Edit]:
    """One edit for each annotation that changes. `names`: what Jobs are called from now on, by `id(item.node)`."""
    for item in items:
        if DEPENDS_ON not in item.annotations or item.is_local:
            continue

        def rename(found: re.Match[str], referrer: Item = item) -> str:
            # Whoever applies an object without a namespace puts it into `default`.
            namespaces = [found["namespace"], *([""] if found["namespace"] == "default" else [])]
            targets = [
                target
                for namespace in namespaces
                for target in find_targets(referrer, Meant("Job", found["name"], namespace), index)
            ]
            return found["before"] + (names.get(id(targets[0].node), found["name"]) if targets else found["name"])

        for name, node in entries(get(item.node, "metadata", "annotations")):
            if name == DEPENDS_ON and is_scalar(node):
                renamed = _JOB.sub(rename, node.value)
                if renamed != node.value:
                    yield Edit(SetText(node, renamed), item, f"metadata.annotations[{DEPENDS_ON}]")
