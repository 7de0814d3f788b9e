"""What the next sync would take from running pods.

Deployers look for what keeps an object on the object that is live. So the sync that renames an object finds the old one
without protection, unless an earlier sync has given it some.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from krm_fn.model.item import CONFIG_KINDS, Item, about
from krm_fn.model.names import HASH, base_name
from krm_fn.model.problem import Problem, Rejected
from krm_fn.model.resource import ResourceId
from krm_fn.model.user_kinds import USER_KINDS
from krm_fn.outcome import Outcome
from krm_fn.render.live import read_live
from krm_fn.render.names_by_place import NamesByPlace
from krm_fn.render.pruning import KEEPERS, find_deployers, find_pruners
from krm_fn.render.words import words_of
from krm_fn.stages.link import is_emitted
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.results import stderr_lines
from krm_fn.wire.yaml_text import read_yaml

_USER_KINDS = frozenset(kind.kind for kind in USER_KINDS)

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
    if not any(item.id.kind in _USER_KINDS for item in users):
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
