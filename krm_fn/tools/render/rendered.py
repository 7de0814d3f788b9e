"""What is about to be applied, read as it is: where it goes, and what its references name.

Whoever checks a rendering, and whoever compares two, has to read it in the same way.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from krm_fn.base.item import Item
from krm_fn.base.link_plan import Unreadable
from krm_fn.base.node import elements, get, text
from krm_fn.base.settings import Settings
from krm_fn.core.decide.package import Package
from krm_fn.core.names.names import is_emitted
from krm_fn.core.references.references import Authored, find_authored
from krm_fn.core.references.resolve import Index
from krm_fn.tools.render.linker_job import read_plan


def read_written(package: Package, settings: Iterable[Settings]) -> tuple[Index, Authored]:
    """Read the references that are written in what is about to be applied.

    What an earlier run wrote for mounts counts too: it is applied as it is.
    """
    index = Index(package.configs, package.kinds, package.namespace)
    specs = tuple(chain.from_iterable(one.references for one in settings))
    return index, find_authored(package.authored, index, specs, but=())


def find_default_namespace(items: Collection[Item], configured: Iterable[Settings]) -> str:
    """Find the namespace of objects that set none, as far as the function has left a trace of it."""
    emitted = [item for item in items if is_emitted(item)]
    by_config = (settings.linker.namespace or "" for settings in configured)
    return next(filter(None, chain(by_config, _subject_namespaces(emitted), _planned_namespaces(items, emitted))), "")


def _subject_namespaces(emitted: Iterable[Item]) -> Iterator[str]:
    """Yield what RoleBindings without a namespace say about that of their ServiceAccount."""
    for item in emitted:
        if item.id.kind == "RoleBinding" and not item.id.namespace:
            yield from (text(get(subject, "namespace")) for subject in elements(get(item.node, "subjects")))


def _planned_namespaces(items: Iterable[Item], emitted: Iterable[Item]) -> Iterator[str]:
    """Yield the namespaces of Jobs whose plan speaks of objects that set none."""
    namespaces: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        namespaces[item.id.kind, item.id.name].add(item.id.namespace)
    for job in emitted:
        try:
            plan, _ = read_plan(job)
        except Unreadable:
            continue
        planned = {(one.kind, one.name) for one in plan.workloads} | {(one.kind, one.name) for one in plan.rendered}
        found = [namespaces[one] for one in planned]
        if job.id.namespace and any("" in of_name and job.id.namespace not in of_name for of_name in found):
            yield job.id.namespace
