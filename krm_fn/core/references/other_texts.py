"""Find names in texts of which no rule and no other reader says anything: `krm-fn explain` lists them.

Only names that mean nothing else are looked for: a word such as `web`, or a name that another
object has too, is all over a package. Texts of Secrets are never looked at.
"""

import re
from collections.abc import Collection, Iterator
from itertools import chain, product

from krm_fn.base.item import CONFIG_KINDS, Item
from krm_fn.base.keys import LOCAL_CONFIG
from krm_fn.base.kind import BUILT_IN_GROUPS, ROLES, TOOL_GROUPS, may_refer
from krm_fn.base.node import FieldPath, text
from krm_fn.base.pods import template_around
from krm_fn.base.reference import is_of_core
from krm_fn.core.names.names import names_of
from krm_fn.core.references.hits import Hit, NameSearch, is_about_itself
from krm_fn.core.references.resolve import Index
from krm_fn.core.references.sighting import Sighting, Way
from krm_fn.facts.exclusions import FREE_KEYS, NOT_NAMES, PASSED_OVER

_WORDS_OF_PROGRAMS = re.compile(
    r"\.(?P<what>command|args)\[\d+\]$|\.env\[\d+\]\.(?P<variable>value)$"
)
_IN_NAMESPACE = "[a-z0-9-]+/"


def sight_rest(search: NameSearch, targets: Collection[Item]) -> Iterator[Sighting]:
    """Find the texts that mention the names of these objects, in the order of the text."""
    telling = {name for name in chain.from_iterable(map(names_of, targets)) if not name.isalnum()}
    telling &= search.names - {item.id.name for item in search.items if not item.is_config}
    wanted = {*targets}
    for hit in chain.from_iterable(search.hits.values()):
        item = hit.item
        words = hit.words if _is_searched(item) else {}
        for name in sorted(telling.intersection(words), key=words.__getitem__):
            why = _why_unread(hit, name)
            if not why:
                continue
            way = Way("text", None, None, why)
            for target in _find_meant(hit, name, search.index):
                if target in wanted and target is not item:
                    yield Sighting(way, target, item, hit.field, name, "", hit.scalar, words[name])


def _is_searched(item: Item) -> bool:
    is_object = bool(item.id.api_version and item.id.kind)
    is_secret = item.id.kind == CONFIG_KINDS[1] and item.is_config
    return is_object and not is_secret and item.id.group not in TOOL_GROUPS


def _find_meant(hit: Hit, name: str, index: Index) -> Iterator[Item]:
    """Find the objects of a name in the namespaces that a text may mean."""
    here = "" if index.kinds.is_cluster_scoped(hit.item.id) else index.namespace_of(hit.item)
    namespaces = dict.fromkeys((here, text(hit.around.get("namespace")) or here))
    for kind, namespace in product(CONFIG_KINDS, namespaces):
        yield from index.find_anywhere_near(kind, name, namespace)


def _why_unread(hit: Hit, name: str) -> str:
    """Say why a text that contains a name is no reference; `""` if it probably means something else."""
    item = hit.item
    if "annotations" in hit.path[:-1]:
        return "" if is_about_itself(str(hit.path[-1])) else "no rule reads this annotation"
    if item.is_local:
        return f"the object is for tools, and never applied ({LOCAL_CONFIG})"
    if item.is_config:
        return "no field in this text references it by its shape"
    return _why_field_is_unread(hit, name) if may_refer(item.id) else ""


def _why_field_is_unread(hit: Hit, name: str) -> str:
    item, field = hit.item, hit.field
    program = _WORDS_OF_PROGRAMS.search(field)
    if program:
        what = "a variable" if program["variable"] else program["what"]
        return f"{what}: the function changes no text that a program gets"
    if item.id.kind in ROLES and "resourceNames" in hit.path:
        return "the rule is about other resources"
    if item.id.group in BUILT_IN_GROUPS or template_around(item.node, field) is not None:
        return ""  # the tables know every field of these
    return _why_custom_field_is_unread(hit, name)


def _why_custom_field_is_unread(hit: Hit, name: str) -> str:
    kind = text(hit.around.get("kind"))
    if not _may_name(hit.path) or (kind and kind not in CONFIG_KINDS):
        return ""
    if kind and not is_of_core(hit.around):
        return f"the {kind} beside it is of another group"
    before = hit.text.removesuffix(name)
    if before != hit.text and (not before or re.fullmatch(_IN_NAMESPACE, before)):
        return "no rule reads this field"
    return "the function changes no text that just contains a name"


def _may_name(path: FieldPath) -> bool:
    """Tell whether a field of a custom resource may name an object, as far as its path says."""
    return {*path}.isdisjoint(PASSED_OVER | FREE_KEYS) and path[-1] not in NOT_NAMES
