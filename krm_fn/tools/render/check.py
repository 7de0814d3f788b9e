"""Objects that the next sync would delete while pods still use them, or that new pods need and nobody applies any more.

A deployer reads the annotations that stop it from pruning on the live object. So the sync that
renames an object finds the old one without them, unless an earlier sync has set them.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from krm_fn.base.item import (
    CONFIG_KINDS,
    HASH,
    NOT_SPEC,
    WORD,
    Item,
    about,
    collect,
    is_emitted,
    is_revision,
)
from krm_fn.base.kind import CONSUMER_KINDS, DEPLOYERS, Kinds, Protection
from krm_fn.base.node import (
    Mapping,
    Node,
    elements,
    entries,
    get,
    is_null,
    is_sequence,
    scalars,
    text,
)
from krm_fn.base.problem import Outcome, Problem, Problems, Rejected, ResourceId, listing
from krm_fn.base.producer import RENAMABLE
from krm_fn.core.decide.decide import Package, read_package
from krm_fn.core.names.names import authored_id, base_name, read_content
from krm_fn.core.yaml.yaml import open_envelope, read_yaml
from krm_fn.report.change_lines import REFUSALS
from krm_fn.report.object_change import Refusal, is_immutable
from krm_fn.report.secrets import hide_in_problems, stderr_lines
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance, Limits
from krm_fn.tools.common.opened_texts import placed_in
from krm_fn.tools.common.rendered import find_default_namespace, find_lost_keys, find_unmet_needs
from krm_fn.tools.common.stored import find_refusal
from krm_fn.tools.opened.opened import Inputs, SourceText, read_sources

_MOST_READERS = 3

TRACKS = tuple(chain.from_iterable(one.tracks for one in DEPLOYERS.values()))

_CONSUMER_KINDS = frozenset(kind.kind for kind in CONSUMER_KINDS)

_SUFFIXES = (HASH, "[0-9]{6,10}", "ver-[0-9]+")
"""Suffixes that are appended to a base name: kustomize's hash and ours, the Adler-32 of charts, kapp's version."""

_Revisions: TypeAlias = dict[tuple[str, str], list[tuple[ResourceId, Item]]]
"""By kind and base name: each revision, with its id where it is applied."""


def check(
    outcome: Outcome,
    deployed: str,
    stdin: bytes | None,
    namespace: str,
    limits: Limits = DEFAULT_LIMITS,
) -> Outcome:
    """Return the rendering if nothing in use would be pruned; else the errors alone.

    `deployed` is the path of a dump of what is deployed, `-` for stdin.
    """
    if outcome.exit_code:
        return outcome
    try:
        rendered = open_envelope(read_yaml(outcome.stdout, may_repeat=True)).items
        live = read_deployed(deployed, stdin, limits)
        found = [
            *find_needed(rendered, live, namespace),
            *find_refusals(rendered, live, namespace),
            *find_hazards(rendered, live, namespace),
        ]
        problems = hide_in_problems(found, [*rendered, *live])
    except Rejected as rejected:
        problems = list(rejected.problems)
    if not problems:
        return outcome
    return Outcome(b"", outcome.stderr + stderr_lines(problems), 1)


def read_deployed(path: str, stdin: bytes | None, limits: Limits = DEFAULT_LIMITS) -> list[Item]:
    """Read all objects at a path: a file, a directory, or `-`.

    A List without items means that nothing is deployed; an empty text means that the dump has
    failed.
    """
    found = read_sources(Inputs((path,), stdin=stdin), HelmOptions(), Allowance(limits))
    return [item for source in found.texts for item in _read(source)]


def _read(source: SourceText) -> Iterator[Item]:
    with placed_in(source.name):
        document = read_yaml(source.data, may_repeat=True)
        roots = [root for root in document.roots if not is_null(root)]
        if not roots or not all(map(_is_empty_list, roots)):
            yield from open_envelope(document, source.origin).items


def _is_empty_list(root: Node) -> bool:
    items = get(root, "items")
    return text(get(root, "kind")).endswith("List") and (
        is_null(items) or (is_sequence(items) and not items.value)
    )


def find_hazards(
    rendered: Iterable[Item], deployed: Iterable[Item], namespace: str = ""
) -> list[Problem]:
    """Find deployed objects that would be pruned because a revision replaces them.

    `namespace` is that of rendered objects that set none. Where one side still has none, it may be
    the same.
    """
    configs = [item for item in rendered if _may_be_renamed(item) and not is_emitted(item)]
    staying = NamesByPlace(_placed(item.id, namespace) for item in configs)
    revisions = _by_base(configs, namespace)
    live = [item for item in deployed if not is_emitted(item)]
    referenced = _find_referenced(live)
    problems: list[Problem] = []
    for item in live:
        if _may_be_renamed(item) and item.id not in staying:
            problems += _judge(item, revisions, referenced)
    return problems


def _may_be_renamed(item: Item) -> bool:
    return item.is_config or item.id.group_kind in RENAMABLE


class NamesByPlace:
    """Ids that match by kind, name and namespace.

    An object without a namespace matches any: where it is applied, only the deployer knows.
    """

    def __init__(self, ids: Iterable[ResourceId]) -> None:
        self._namespaces: dict[tuple[str, str], set[str]] = defaultdict(set)
        for who in ids:
            self._namespaces[who.kind, who.name].add(who.namespace)

    def __contains__(self, who: ResourceId) -> bool:
        namespaces = self._namespaces.get((who.kind, who.name), set())
        return bool(namespaces) and (
            not who.namespace or not namespaces.isdisjoint(("", who.namespace))
        )


def _placed(who: ResourceId, namespace: str) -> ResourceId:
    return who._replace(namespace=who.namespace or namespace)


def _by_base(configs: list[Item], namespace: str) -> _Revisions:
    revisions: _Revisions = defaultdict(list)
    for item in configs:
        base = base_name(item)
        if base != item.id.name:
            revisions[item.id.kind, base].append((_placed(item.id, namespace), item))
    return revisions


def _find_referenced(live: list[Item]) -> NamesByPlace | None:
    """Return every id that deployed objects may reference; None if the dump holds no consumers to read it from."""
    others = [item for item in live if not item.is_config]
    if not any(item.id.kind in _CONSUMER_KINDS for item in others):
        return None
    return NamesByPlace(_ids_in_words(others))


def _ids_in_words(others: Iterable[Item]) -> Iterator[ResourceId]:
    for item in others:
        for word in _words_of_spec(item.node):
            for kind in CONFIG_KINDS:
                yield ResourceId("", kind, item.id.namespace, word)


def _words_of_spec(item: Mapping) -> set[str]:
    words: set[str] = set()
    for name, value in entries(item):
        if name in NOT_SPEC:
            continue
        for one in scalars(value):
            words.update(WORD.findall(one.scalar.value))
    return words


def _judge(item: Item, revisions: _Revisions, referenced: NamesByPlace | None) -> Problems:
    for base in dict.fromkeys((item.id.name, *_base_names(item))):
        # An old revision that nothing references may be pruned. An object under its base name is
        # always in use, and pods need not name what makes their Secret.
        is_unused = referenced is not None and item.id not in referenced
        if is_unused and item.is_config and item.id.name != base:
            continue
        for who, successor in revisions.get((item.id.kind, base), ()):
            pruners = find_pruners(item, successor)
            if pruners and item.id._replace(name=who.name) in NamesByPlace([who]):
                yield _hazard(item, who, pruners)
                return


def _base_names(item: Item) -> Iterator[str]:
    """Yield the names that the author may have given."""
    yield base_name(item)
    for suffix in _SUFFIXES:
        found = re.fullmatch(f"(.+)-{suffix}", item.id.name)
        if found:
            yield found[1]


def _hazard(item: Item, who: ResourceId, pruners: list[str]) -> Problem:
    lacking: list[str] = []
    for deployer in pruners:
        lacking += [f"{one.annotation}: {one.value}" for one in DEPLOYERS[deployer].keepers]
    message = (
        f"{listing(pruners, is_sentence=True)} would prune it while pods still use it: it will be renamed to "
        f"{who.name}, and the deployed object lacks {', '.join(lacking)}; first deploy it unchanged, with "
        "`strategy: adopt`"
    )
    return about(item, message)


def find_needed(
    rendered: Collection[Item], deployed: Collection[Item], namespace: str = ""
) -> Problems:
    """Find pods of a rendering that need a deployed object, or a key of it, which the rendering no longer has.

    `namespace` is that of rendered objects that set none. Where one side still has none, it may be the same.
    """
    package = read_package(rendered, None, namespace or find_default_namespace(rendered, []))
    references = package.read_written().references
    unmet = find_unmet_needs(package, references)
    present = {(*_place(authored_id(item)), item.id.namespace): item for item in package.authored}
    ours: list[Item] = []
    others: set[tuple[str, str]] = set()
    for item, is_ours in _find_ours(package, deployed):
        successor = present.get((*_place(authored_id(item)), item.id.namespace))
        if not is_ours:
            others.add((item.id.kind, item.id.name))
        elif successor is None:
            ours.append(item)
        elif item.is_config and not _is_dump(deployed):  # to a live one, others add keys
            gone = read_content(item.node).keys() - read_content(successor.node).keys()
            yield from find_lost_keys(package, references, successor, gone)
    for item in ours:
        is_kept = bool(find_deployers(item))
        readers: list[ResourceId] = []
        for one in unmet:
            kind, meant_in, name = one.meant
            is_near = "" in (meant_in, item.id.namespace) or meant_in == item.id.namespace
            # Somebody else's object of the name may be what the pods need.
            may_be_ours = is_near and (kind, name) not in others
            if may_be_ours and one.is_about(item, is_kept=is_kept):
                readers.append(authored_id(one.resolved.referrer))
        if readers:
            needed = listing([*map(str, dict.fromkeys(readers))], _MOST_READERS)
            message = f"is no longer rendered, and new pods of {needed} do not start without it"
            yield about(item, message)


def find_refusals(
    rendered: Iterable[Item], deployed: Collection[Item], namespace: str = ""
) -> Problems:
    """Find what the API server does not make of the deployed object that has its name.

    `namespace` is that of rendered objects that set none. Where one side still has none, it may be the same.
    """
    there = collect(((item.id.kind, item.id.name), item) for item in deployed if item.is_config)
    is_dump = _is_dump(deployed)
    for item in rendered:
        place = item.id.namespace or namespace
        for before in there.get((item.id.kind, item.id.name), ()):
            if place and before.id.namespace not in ("", place):
                continue
            is_edited = is_immutable(before) and _is_edited(before, item)
            refusal = find_refusal(before, item, Kinds(), has_new_content=is_edited)
            # What somebody has made immutable by hand stays so, and is taken.
            is_by_hand = is_dump and not is_revision(before) and not is_edited
            if refusal is None or (refusal == Refusal.IMMUTABLE and is_by_hand):
                continue
            what, remedy = REFUSALS[Refusal(refusal)]
            yield about(before, f"the API server refuses the new one: it {what} {remedy}")
            break


def _is_edited(before: Item, after: Item) -> bool:
    """Tell whether the content differs. Some dumps have none of a Secret."""
    content = read_content(before.node)
    return (bool(content) or before.id.kind != "Secret") and content != read_content(after.node)


def _is_dump(deployed: Iterable[Item]) -> bool:
    return any(get(item.node, "metadata", "uid") is not None for item in deployed)


def _find_ours(package: Package, deployed: Collection[Item]) -> Iterator[tuple[Item, bool]]:
    """Yield what is deployed, and whether this package had it.

    In the last rendering, all of it is. In a dump of a cluster, what other packages have made is too: all that no
    deployer knows together with anything of this one. By the base name of a revision, nobody finds it.
    """
    is_dump = _is_dump(deployed)
    rendered = {_place(item.id) for item in package.authored}
    tracked: set[tuple[str, str]] = set()
    for item in deployed:
        if _place(item.id) in rendered:
            tracked |= find_tracks(item)
    for item in deployed:
        if not is_emitted(item) and _may_be_renamed(item):
            is_ours = is_revision(item) or not find_tracks(item).isdisjoint(tracked)
            yield item, not is_dump or is_ours


def _place(who: ResourceId) -> tuple[str, str, str]:
    return who.group, who.kind, who.name


def find_tracks(item: Item) -> set[tuple[str, str]]:
    """Return the marks by which a deployer knows what belongs together.

    That of Argo CD has the id of the object too: in a copy, it is that of another one.
    """
    marks: dict[str, str] = {**item.labels, **item.annotations}
    found = set()
    for name in (one for one in TRACKS if marks.get(one)):
        application, _, who = (
            marks[name].partition(":") if name.endswith("tracking-id") else (marks[name], "", "")
        )
        own = f"{item.id.group}/{item.id.kind}:{item.id.namespace}/{item.id.name}"
        if who in {"", own}:
            found.add((name, application))
    return found


def find_deployers(revision: Item) -> list[str]:
    """Find the deployers from which a rendered revision is protected."""
    return [
        deployer
        for deployer, known in DEPLOYERS.items()
        if known.keepers and _says_all(revision.annotations, known.keepers)
    ]


def find_pruners(item: Item, successor: Item) -> list[str]:
    """Find the deployers that nothing stops from pruning a deployed object whose successor has another name."""
    return [deployer for deployer in find_deployers(successor) if not _is_kept(item, deployer)]


def _is_kept(item: Item, deployer: str) -> bool:
    known = DEPLOYERS[deployer]
    if known.spares_owned and elements(get(item.node, "metadata", "ownerReferences")):
        return True
    marks = {**item.labels, **item.annotations} if known.reads_labels else item.annotations
    return _says_all(marks, known.keepers) or any(
        _says(marks, one) for one in known.protections_of_others
    )


def _says_all(marks: dict[str, str], protections: Iterable[Protection]) -> bool:
    return all(_says(marks, one) for one in protections)


def _says(marks: dict[str, str], protection: Protection) -> bool:
    return protection.is_in(marks.get(protection.annotation, ""))
