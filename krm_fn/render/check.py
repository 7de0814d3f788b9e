"""What the next sync would take from running pods.

Deployers look for what keeps an object on the object that is live. So the sync that renames an object finds the old one
without protection, unless an earlier sync has given it some.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from krm_fn.model.item import CONFIG_KINDS, Item, about
from krm_fn.model.kinds import CONSUMER_KINDS
from krm_fn.model.node import Mapping, Node, entries, get, is_null, is_scalar, is_sequence, text
from krm_fn.model.problem import Outcome, Problem, Rejected, ResourceId
from krm_fn.naming.emitted import is_emitted
from krm_fn.naming.names import ABOUT_ITSELF, HASH, WORD, base_name
from krm_fn.render.place import place
from krm_fn.render.pruning import KEEPERS, find_deployers, find_pruners
from krm_fn.render.sources import STDIN_NAME, Source, read_sources
from krm_fn.render.tools import HelmOptions
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.reader import read_yaml
from krm_fn.wire.results import stderr_lines


class NamesByPlace:
    """Objects by kind and name. No namespace may be any: of what is rendered only the deployer knows where it goes."""

    def __init__(self, ids: Iterable[ResourceId]) -> None:
        self._namespaces: dict[tuple[str, str], set[str]] = defaultdict(set)
        for who in ids:
            self._namespaces[who.kind, who.name].add(who.namespace)

    def __contains__(self, who: ResourceId) -> bool:
        namespaces = self._namespaces.get((who.kind, who.name), set())
        return bool(namespaces) and (not who.namespace or not namespaces.isdisjoint(("", who.namespace)))


_CONSUMER_KINDS = frozenset(kind.kind for kind in CONSUMER_KINDS)

_Revisions: TypeAlias = dict[tuple[str, str], list[tuple[ResourceId, list[str]]]]
"""By kind and base name: who they are, and from which deployers they are protected."""

_MADE_NAMES = (HASH, "[0-9]{6,10}", "ver-[0-9]+")
"""What is put behind a base name: kustomize's hash and ours, the Adler-32 of charts, kapp's version."""


def check(outcome: Outcome, deployed: str, stdin: bytes | None, namespace: str) -> Outcome:
    """The rendering, if it can follow on what is deployed; errors and nothing else where that would be pruned."""
    if outcome.exit_code:
        return outcome
    try:
        rendered = open_envelope(read_yaml(outcome.stdout)).items
        problems = find_hazards(rendered, read_live(deployed, stdin), namespace)
    except Rejected as rejected:
        problems = list(rejected.problems)
    failed = bool(problems)
    return Outcome(b"" if failed else outcome.stdout, outcome.stderr + stderr_lines(problems), int(failed))


def find_hazards(rendered: Iterable[Item], deployed: Iterable[Item], namespace: str = "") -> list[Problem]:
    """A problem for each deployed object that would be pruned because there is a revision in its place.

    `namespace` is that of rendered objects that say none. Where one side still says none, it may be the same.
    """
    configs = [item for item in rendered if item.is_config and not is_emitted(item)]
    staying = NamesByPlace(_placed(item.id, namespace) for item in configs)
    revisions = _by_base(configs, namespace)
    live = [item for item in deployed if not is_emitted(item)]
    named = _named(live)
    leaving = [item for item in live if item.is_config and item.id not in staying]
    return [problem for item in leaving for problem in _judge(item, revisions, named)]


def _judge(item: Item, revisions: _Revisions, named: NamesByPlace | None) -> Iterator[Problem]:
    for base in dict.fromkeys((item.id.name, *_base_names(item))):
        # An old revision that no workload names is one that nobody misses. What has the base name is always in use.
        if item.id.name != base and named is not None and item.id not in named:
            continue
        for who, deployers in revisions.get((item.id.kind, base), ()):
            pruners = find_pruners(item, deployers)
            if pruners and item.id._replace(name=who.name) in NamesByPlace([who]):
                yield _hazard(item, who, pruners)
                return


def _hazard(item: Item, who: ResourceId, pruners: list[str]) -> Problem:
    lacking = ", ".join(f"{one.annotation}: {one.value}" for deployer in pruners for one in KEEPERS[deployer])
    return about(
        item,
        f"{_join(pruners)} would prune it under running pods: it is to become {who.name}, and what is deployed lacks "
        f"{lacking}; first deploy it unchanged, with `strategy: adopt`",
    )


def _by_base(configs: list[Item], namespace: str) -> _Revisions:
    revisions: _Revisions = defaultdict(list)
    for item in configs:
        base = base_name(item)
        if base != item.id.name:
            revisions[item.id.kind, base].append((_placed(item.id, namespace), find_deployers(item)))
    return revisions


def _base_names(item: Item) -> Iterator[str]:
    """What its author may have called it."""
    yield base_name(item)
    for pattern in _MADE_NAMES:
        found = re.fullmatch(f"(.+)-{pattern}", item.id.name)
        if found:
            yield found[1]


def _named(live: list[Item]) -> NamesByPlace | None:
    """What deployed objects name; None where none of those that make pods is among them, so that nobody knows."""
    users = [item for item in live if not item.is_config]
    if not any(item.id.kind in _CONSUMER_KINDS for item in users):
        return None
    return NamesByPlace(
        ResourceId("", kind, item.id.namespace, word)
        for item in users
        for word in words_of(item.node)
        for kind in CONFIG_KINDS
    )


def _placed(who: ResourceId, namespace: str) -> ResourceId:
    return who._replace(namespace=who.namespace or namespace)


def _join(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def read_live(path: str, stdin: bytes | None) -> list[Item]:
    """All objects at a path: a file, a directory, or `-`.

    A List without items says that nothing is deployed; nothing at all, that a dump has failed.
    """
    texts, _, _ = read_sources([path], None, stdin, HelmOptions())
    return [item for source in texts for item in _read(source)]


def _read(source: Source) -> Iterator[Item]:
    origin = "" if source.name == STDIN_NAME else source.name
    try:
        document = read_yaml(source.data)
        said = [root for root in document.roots if not is_null(root)]
        if not said or not all(map(_is_empty_list, said)):
            yield from open_envelope(document, origin).items
    except Rejected as rejected:
        raise Rejected(*(place(source.name, problem) for problem in rejected.problems)) from rejected


def _is_empty_list(root: Node) -> bool:
    items = get(root, "items")
    return text(get(root, "kind")).endswith("List") and (is_null(items) or (is_sequence(items) and not items.value))


def words_of(item: Mapping) -> set[str]:
    """Every word of what an object asks for."""
    return {
        word
        for name, value in entries(item)
        if name not in ABOUT_ITSELF
        for text in _texts(value)
        for word in WORD.findall(text)
    }


def _texts(node: Node) -> Iterator[str]:
    if is_scalar(node):
        yield node.value
    elif is_sequence(node):
        for element in node.value:
            yield from _texts(element)
    else:
        for _, value in entries(node):
            yield from _texts(value)
