"""One set in two packages, as a copy of a package has.

They render the same linker, and the deployer of either prunes it.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from krm_fn.base.problem import Problem, Severity
from krm_fn.tools.render.files import real_path


class PartOfInput(NamedTuple):
    """A path with a configuration of its own, whose file is `config`, and the names of the texts that it stands for."""

    path: str
    config: str
    texts: frozenset[str]


def say_shared(set_name: str, namespace: str, other: str) -> str:
    return (
        f"has set {set_name} in namespace {namespace}, and so has {other}: in one cluster, one linker "
        "serves both, and who removes one package removes the linker of the other; give one of them "
        "another metadata.name in its krm-fn.yaml"
    )


def find_shared_parts(
    parts: Iterable[PartOfInput], sets: Mapping[str, str], namespaces: Mapping[str, Iterable[str]]
) -> Iterator[Problem]:
    """Find paths with the set of an earlier one in the same namespace, which both set.

    `sets`: of each configuration, by its file. `namespaces`: those of the objects in each text. All paths are one
    rendering here, and have one linker; nothing says that they are deployed as one.
    """
    first: dict[tuple[str, str], PartOfInput] = {}
    for part in parts:
        held = {one for text in part.texts for one in namespaces.get(text, ())} - {""}
        for namespace in sorted(held):
            other = first.setdefault((sets[part.config], namespace), part)
            if real_path(Path(other.config)) != real_path(Path(part.config)):
                said = say_shared(sets[part.config], namespace, other.path)
                message = f"{said}, or deploy them as one"
                yield Problem(message, severity=Severity.WARNING, file=part.path)
                break
