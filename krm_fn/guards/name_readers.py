"""Find who uses a name for more than to find the object: who reads its shape, or mounts at a path that contains it.

A new name breaks an operator that tells something from the end of the old one, and a path that
somebody else has written, such as `caFile: /etc/prometheus/secrets/web-tls/ca.crt` of a
ServiceMonitor.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.item import DATA_FIELDS, Item, about, data_texts, is_encrypted, warning
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import TRUE, Node, entries, get, is_null, is_scalar, scalars, spell, text
from krm_fn.base.problem import Problems
from krm_fn.base.reference import THE_VALUE, Reference, ResolvedReference
from krm_fn.base.settings import Strategy
from krm_fn.core.decide.run import Answer, Package
from krm_fn.core.names.names import authored_id, base_name
from krm_fn.core.references.generated import find_generated
from krm_fn.core.references.references import References
from krm_fn.facts.fields import DEFAULT_CONFIGS, WITHOUT_PATHS

_ACCEPT = f"annotate it with {keys.STRATEGY}: {Strategy.IGNORE} to accept this"

_HOLDS_CONFIGURATION = r"(?i)(?<!storage)config(?!map)|relabel|template"
"""Fields that name what a program reads as its configuration, where paths may be written.

The configuration of an object storage is read by the Thanos sidecar, which does not mount these
objects.
"""

_VARIABLE = r"\$|\{\{"
"""The placeholders of a name that somebody else fills in."""


class _Text(NamedTuple):
    """A text that contains a folder of mounts, and its field.

    `line`: the one that is meant, in a text of several.
    """

    item: Item
    field: str
    value: str
    line: int = 0


class NameReaders:
    """The consumers in a package that use a name for more than to find the object."""

    def __init__(self, package: Package, references: References) -> None:
        self._package = package
        self._references = references

    def by_shape(self, item: Item) -> Answer | None:
        """Say who tells by the end of an object's name what is in it, or finds another object by it."""
        for one in self._by_item.get(item, ()):
            reads, referrer = one.reference.rule.reads, authored_id(one.referrer)
            if reads.endings:
                text = f"{referrer} tells by the end of its name what is in it ({', '.join(reads.endings)})"
                is_shaped = _base_name_in(one.reference, item).endswith(reads.endings)
                return _answer(text, one, _ACCEPT if is_shaped else "")
            if reads.identity:
                text = f"{referrer} knows a {reads.identity} by its name, and takes a new name for another one"
                return _answer(text, one, _ACCEPT)
            for field in _find_volume_mounts(one, item):
                return _answer(
                    f"{referrer} names a volume by it, which {field} mounts", one, _ACCEPT
                )
        for one, base, other in self._pairs.get(item, ()):
            text = f"{authored_id(one.referrer)} finds {one.reference.kind} {other} by the name of {base}"
            return _answer(text, one, _ACCEPT)
        return None

    def by_path(self, item: Item) -> Answer | None:
        """Say who mounts an object at a path with its name, if that path is written somewhere, or may be."""
        mounts = [one for one in self._by_item.get(item, ()) if one.reference.rule.reads.path]
        for one in mounts:
            for found in self._find_path(one, item):
                place = (
                    f"{found.field}, line {found.line} of the text" if found.line else found.field
                )
                text = f"{_say_mount(one, item)}, and {authored_id(found.item)} contains this path ({place})"
                answer = _answer(text, one, _ACCEPT)
                return answer._replace(item=found.item, field=found.field)
        # Only where no mount has its path written: a path that may be elsewhere is the weaker
        # reason.
        for one in mounts:
            for why in self._say_hidden(one):
                return _answer(f"{_say_mount(one, item)}, and {why}", one)
        return None

    def refuse(self, item: Item) -> Problems:
        """Report what does not follow the new name of an object that is renamed."""
        remedy = f"annotate {authored_id(item)} with {keys.STRATEGY}: {Strategy.IGNORE}"
        for one in self._by_item.get(item, ()):
            kind, reads = one.reference.kind, one.reference.rule.reads
            base = _base_name_in(one.reference, item)
            ending = next(filter(base.endswith, reads.endings), "")
            if ending:
                message = (
                    f"{kind} {base} is recognised by the end of its name, {ending}, which a new name would not have; "
                    f"{remedy}"
                )
                yield about(one.referrer, message, one.reference.field)
                continue  # an object that is not recognised is not mounted at the path either
            if reads.identity:
                message = (
                    f"uses the name of {kind} {base} as a {reads.identity}: each change makes a second one beside "
                    f"the one in use; {remedy}"
                )
                yield warning(one.referrer, message, one.reference.field)
            for field in _find_volume_mounts(one, item):
                message = (
                    f"mounts a volume that is named by {kind} {base}, and each change would give it another name; "
                    f"{remedy}"
                )
                yield about(one.referrer, message, field)
            for found in self._find_path(one, item):
                line = f" in line {found.line} of the text" if found.line else ""
                mounter = authored_id(one.referrer)
                message = (
                    f"contains {_path_of(one.reference, base)}{line}, where {mounter} mounts {kind} {base}, "
                    f"and each change would give it another name; {remedy}"
                )
                yield about(found.item, message, found.field)
        for one, _, other in self._pairs.get(item, ()):
            message = (
                f"is the name by which {one.reference.kind} {other} is found too, so both "
                f"names must stay; {remedy}"
            )
            yield about(one.referrer, message, one.reference.field)

    @cached_property
    def _by_item(self) -> dict[Item, list[ResolvedReference]]:
        by_item: dict[Item, list[ResolvedReference]] = defaultdict(list)
        for one in self._references.authored:
            if one.reference.rule.reads != THE_VALUE:
                for target in one.targets:
                    by_item[target].append(one)
        return by_item

    @cached_property
    def _pairs(self) -> dict[Item, list[tuple[ResolvedReference, str, str]]]:
        """Objects that are found by one name, with the reference that says it, this name, and that of the other."""
        pairs: dict[Item, list[tuple[ResolvedReference, str, str]]] = defaultdict(list)
        for item, several in self._by_item.items():
            for one in several:
                reference = one.reference
                if not reference.rule.reads.beside:
                    continue
                base = _base_name_in(reference, item)
                other = base + reference.rule.reads.beside
                place = reference.kind, other, reference.target_namespace
                for found in self._references.index.find(one.referrer, *place):
                    pairs[item].append((one, base, other))
                    pairs[found].append((one, base, other))
        return pairs

    def _find_path(self, one: ResolvedReference, item: Item) -> Iterator[_Text]:
        """Find the texts that contain the path at which a consumer mounts an object."""
        path = _path_of(one.reference)
        if not path:
            return
        name = re.escape(_base_name_in(one.reference, item) + path.partition("{}")[2])
        # Behind `creds`, `-2` and `.old` make it another name, and the dot of a sentence does not.
        pattern = re.compile(rf"{_pattern(path)}{name}(?![\w-]|\.\w)")
        for one_text in self._texts:
            found = pattern.search(one_text.value)
            if found:
                is_long = "\n" in one_text.value.strip()
                yield one_text._replace(
                    line=one_text.value.count("\n", 0, found.start()) + 1 if is_long else 0
                )

    @cached_property
    def _texts(self) -> list[_Text]:
        """The texts of the package that contain a folder in which somebody mounts, in order."""
        mounted = chain.from_iterable(self._by_item.values())
        paths = {_path_of(one.reference) for one in mounted}
        folders = [f"{_split(path)[1]}/" for path in filter(None, paths)]
        if not folders:
            return []

        def has_folder(one: _Text) -> bool:
            return any(folder in one.value for folder in folders)

        found: list[_Text] = []
        for item in self._package.authored:
            if not item.is_local:
                found += filter(has_folder, _read_texts(item))
        return found

    def _say_hidden(self, one: ResolvedReference) -> Iterator[str]:
        """Say where the path of a mount may be written that cannot be seen here."""
        for name, value in _fields_below(get(one.referrer.node, "spec")):
            takes_all = name == "selectAllByDefault" and text(value) in TRUE
            if takes_all or (
                name.endswith("NamespaceSelector")
                and name not in WITHOUT_PATHS
                and not is_null(value)
            ):
                yield f"its {name} takes objects of other namespaces, which may contain this path"
        yield from self._say_hidden_configuration(one.referrer)
        variable = re.compile(rf"{_pattern(_path_of(one.reference))}(?:{_VARIABLE})")
        for found in self._texts:
            if variable.search(found.value):
                yield f"{authored_id(found.item)} has a variable in such a path ({found.field})"

    def _say_hidden_configuration(self, referrer: Item) -> Iterator[str]:
        for other in self._references.authored:
            reference = other.reference
            if other.referrer is referrer and _holds_configuration(reference):
                yield from _say_unreadable(reference.kind, reference.target, other.targets)
        pattern, unless = DEFAULT_CONFIGS.get(referrer.id.group_kind, ("", ()))
        if pattern and all(is_null(get(referrer.node, "spec", field)) for field in unless):
            name = pattern.format(referrer.id.name)
            yield from _say_unreadable(
                "Secret", name, self._references.index.find(referrer, "Secret", name)
            )


def _find_volume_mounts(one: ResolvedReference, item: Item) -> Iterator[str]:
    """Yield the fields that mount the volume which the referrer of a reference names by an object."""
    volume = one.reference.rule.reads.volume
    if volume:
        name = _base_name_in(one.reference, item)
        patterns = [pattern.format(name) for pattern in volume.split()]
        for found in scalars(one.referrer.node):
            *above, last = found.path
            is_name = last == "name" and "volumeMounts" in above[-2:]
            if is_name and any(fnmatchcase(found.scalar.value, pattern) for pattern in patterns):
                yield spell(found.path)


def _say_unreadable(kind: str, name: str, targets: tuple[Item, ...]) -> Iterator[str]:
    if not targets:
        yield f"{kind} {name}, which may contain this path, is not in the package"
    elif not all(map(_is_readable, targets)):
        yield f"{kind} {name}, which may contain this path, cannot be read here"


def _answer(text: str, one: ResolvedReference, remedy: str = "") -> Answer:
    reference = one.reference
    return Answer(text, one.referrer, reference.field, reference.rule.reads.source, remedy)


def _say_mount(one: ResolvedReference, item: Item) -> str:
    path = _path_of(one.reference, _base_name_in(one.reference, item))
    return f"{authored_id(one.referrer)} mounts it at {path}"


def _base_name_in(reference: Reference, item: Item) -> str:
    """Return the base name of what a reference means by an object: of itself, or of what it makes."""
    if reference.kind == item.id.kind:
        return base_name(item)
    return next(
        (one.base_name for one in find_generated(item) if one.kind == reference.kind),
        reference.target,
    )


def _path_of(reference: Reference, name: str = "{}") -> str:
    """Return where a consumer mounts. Fields beside the name may say a part of the path."""
    path = reference.rule.reads.path
    for field, value in reference.around.items():
        path = path.replace(f"{{{field}}}", text(value).strip("/"))
    return path.replace("{}", name)


def _split(path: str) -> tuple[str, str, str]:
    """Return the folders above, the folder that names are in, and how these begin there."""
    folders, _, beginning = path.partition("{}")[0].rpartition("/")
    above, _, folder = folders.rpartition("/")
    return above, folder, beginning


def _pattern(path: str) -> str:
    """Return a pattern of a path up to the name: absolute, or relative to a folder of the program."""
    above, folder, beginning = map(re.escape, _split(path))
    return rf"(?:{above}(?<!/)|\.\.(?:/[\w.-]++){{0,40}})/+{folder}/+{beginning}"


def _read_texts(item: Item) -> Iterator[_Text]:
    """Read all texts of an object, and those that a ConfigMap or Secret holds as data."""
    if item.is_config:
        yield from (_Text(item, value.field, value.text) for value in data_texts(item))
    else:
        for one in scalars(item.node):
            # To spell the field of each text would take longer than to read it.
            if "/" in one.scalar.value:
                yield _Text(item, spell(one.path), one.scalar.value)


def _fields_below(node: Node | None) -> Iterator[tuple[str, Node]]:
    for name, value in entries(node):
        yield name, value
        yield from _fields_below(value)


def _holds_configuration(reference: Reference) -> bool:
    """Tell whether a reference names configuration, by the field that holds it, and is not one of the mounts."""
    field = reference.field.removesuffix(".name").rpartition(".")[2]
    return reference.rule.reads == THE_VALUE and re.search(_HOLDS_CONFIGURATION, field) is not None


def _is_readable(item: Item) -> bool:
    """Tell whether all values of an object are texts that can be read here."""
    if not item.is_config or is_encrypted(item):
        return False
    # `data_texts` leaves out what is no text, such as an archive. The path may be written in that.
    values: list[Node] = []
    for field in DATA_FIELDS:
        values += [value for _, value in entries(get(item.node, field))]
    filled = [value for value in values if not is_scalar(value) or value.value != ""]
    return len(filled) == sum(1 for _ in data_texts(item))
