"""The name of a set: what tells an application from others, and from those of its namespace."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from krm_fn.base.problem import Problem, Problems, Severity
from krm_fn.base.settings import PROGRAM
from krm_fn.core.names.names import content_name, set_name
from krm_fn.facts.folders import ABOVE_ENVIRONMENTS, ENVIRONMENTS, STRUCTURE
from krm_fn.tools.common.files import built_from
from krm_fn.tools.init.who_builds import Around
from krm_fn.tools.opened.opened import say_shared

_STRUCTURE, _ENVIRONMENTS, _ABOVE_ENVIRONMENTS = (
    frozenset(chain.from_iterable(rows)) for rows in (STRUCTURE, ENVIRONMENTS, ABOVE_ENVIRONMENTS)
)


def name_set(named: str, around: Around, namespace: str) -> str:
    """Choose a name that no other folder of the repository has in this namespace.

    `named`: what the package is called.

    Where a namespace is not known, it may be the same. What nothing builds may be applied together:
    Flux makes one kustomization of all manifests below a folder, in which there must be no two
    configurations of one name.
    """
    ours = frozenset([namespace]) if namespace else around.namespaces_of(around.directory)
    is_built = bool(built_from(around.directory))
    taken: set[str] = set()
    for one in around.sets:
        may_be_one = not is_built and not built_from(one.folder)
        if may_be_one or may_share(one.namespaces, ours):
            taken.add(one.name)
    return next(name for name in _find_names(named, around) if name not in taken)


def find_shared_set(file: Path, around: Around, namespace: str) -> Problems:
    """Find another folder of the repository whose set has the name and the namespace of this one, as a copy keeps them.

    Only where both namespaces are certain, and nothing that kustomize builds is in both: environments of one
    application are in several clusters.
    """
    ours = frozenset([namespace]) if namespace else around.namespaces_of(around.directory)
    own = around.own_sets
    for one in around.sets:
        common = sorted((one.namespaces & ours) - {""})
        if one.name in own and common and not around.has_common(one.folder):
            message = say_shared(one.name, common[0], around.show(one.folder))
            yield Problem(message, severity=Severity.WARNING, file=str(file))


def may_share(some: frozenset[str], others: frozenset[str]) -> bool:
    return "" in some | others or bool(some & others)


def _find_names(named: str, around: Around) -> Iterator[str]:
    parts = around.directory.parts[1:]
    if around.repository:
        # The folder of the clone is named by whoever cloned it: it counts where nothing inside
        # tells more.
        inside = around.directory.relative_to(around.repository).parts
        application = _find_application(inside, around) or around.repository.name
    else:
        inside = parts
        application = _find_application(inside, around)
    first = (
        named
        if named and not _is_common(named)
        else application or around.directory.name or PROGRAM
    )
    yield set_name(first)
    telling = [part for part in inside if part.casefold() not in _STRUCTURE]
    for number in range(1, len(telling) + 1):
        last = telling[-number:]
        yield set_name("-".join(last if first in last else [first, *last]))
    yield content_name(set_name(first), "", {"folder": "/".join(inside)})


def _find_application(parts: tuple[str, ...], around: Around) -> str:
    """Return the last folder that is neither structure nor an environment; `""` if there is none."""
    telling = [part for part in parts if not _is_common(part)]
    # No set can have a name with `_`, and what it is turned into tells little: the folder above does.
    telling = [part for part in telling if "_" not in part] or telling
    if (
        telling
        and telling[-1] == parts[-1]
        and len(parts) > 1
        and parts[-2].casefold() in _ABOVE_ENVIRONMENTS
    ):
        # Below `overlays` anything may be an environment, unless nothing else would name the
        # application.
        if telling[1:]:
            return telling[-2]
        return "" if _has_base_beside(around) else telling[-1]
    return telling[-1] if telling else ""


def _has_base_beside(around: Around) -> bool:
    """Tell whether the folder is an overlay of what is beside `overlays`, and so one of several environments."""
    found = around.kustomizations.get(around.directory)
    above = around.directory.parent.parent
    return found is not None and any(
        _is_common(base.name) and base.parent == above for base in found.bases
    )


def _is_common(name: str) -> bool:
    return name.casefold() in _STRUCTURE or name.casefold() in _ENVIRONMENTS
