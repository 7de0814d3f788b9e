"""Find references in the rules of a Role or ClusterRole."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from krm_fn.model.node import Node, get, is_null, is_scalar, is_sequence
from krm_fn.model.reference import Reference


class Resource(NamedTuple):
    """A kind as a rule spells it."""

    kind: str
    group: str
    plural: str


CONFIGS = (Resource("ConfigMap", "", "configmaps"), Resource("Secret", "", "secrets"))


def find_in_rules(item: Node, among: Iterable[Resource] = CONFIGS) -> Iterator[Reference]:
    """`resourceNames` name whatever the same rule's `resources` are, and no namespace."""
    rules = get(item, "rules")
    for place, rule in enumerate(rules.value if is_sequence(rules) else []):
        groups, resources = _texts(rule, "apiGroups"), _texts(rule, "resources")
        kinds = [one.kind for one in among if {one.group, "*"} & groups and {one.plural, "*"} & resources]
        names = get(rule, "resourceNames")
        for index, name in enumerate(names.value if kinds and is_sequence(names) else []):
            if is_scalar(name) and name.value and not is_null(name):
                field = f"rules[{place}].resourceNames[{index}]"
                for kind in kinds:
                    yield Reference(kind, name, None, field, in_pod=False, written=False)


def _texts(rule: Node, field: str) -> set[str]:
    """The words of a list; those that are null do not count, the empty word does."""
    words = get(rule, field)
    return {word.value for word in (words.value if is_sequence(words) else []) if is_scalar(word) and not is_null(word)}
