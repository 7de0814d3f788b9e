"""Find what kustomizations put before and behind names, and what they say of the names of objects.

The affixes of a base are inside of those of the kustomization that names it.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from krm_fn.base.item import CONFIG_KINDS
from krm_fn.base.keys import FIXED_NAME, TAKEN_NAME
from krm_fn.base.node import TRUE, Node, elements, get, is_sequence, text
from krm_fn.tools.builds.kustomization import (
    Marked,
    Plugin,
    files_in,
    is_repository,
    locate_path,
    read_roots,
    shown_path,
    type_of,
)
from krm_fn.tools.builds.named_fields import named_field
from krm_fn.tools.common.files import Allowance, Files

_GENERATORS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}
_NAME = "metadata.name"
_AFFIX_TRANSFORMERS = ("PrefixTransformer", "SuffixTransformer")


def find_affixes(directory: Path, allowance: Allowance) -> frozenset[tuple[str, str]]:
    """Return what a kustomization that kustomize has built puts before and behind names, with its local bases.

    Those of a base are inside of those of the kustomization that names it. Those of a component are around all that the
    other bases have.
    """
    here = Path(os.path.realpath(directory))
    files = Files(allowance.limits.root or shown_path(here), allowance)
    roots = _read_directory(here, files)
    inner = frozenset({("", "")})
    for base in _find_folders(here, roots, "resources", "bases"):
        inner |= find_affixes(base, allowance)
    for component in _find_folders(here, roots, "components"):
        inner |= _put_around(find_affixes(component, allowance), inner)
    return _put_around([affixes_of(roots)], inner)


def find_own_affixes(directory: Path, files: Files) -> tuple[str, str]:
    """Return what the kustomization of a directory adds to names itself, before and behind them."""
    return affixes_of(_read_directory(Path(os.path.realpath(directory)), files))


def _find_folders(here: Path, roots: Iterable[Node], *fields: str) -> Iterator[Path]:
    for root in roots:
        for field in fields:
            for entry in elements(named_field(root, field)):
                path = text(entry)
                if not path or is_repository(path):
                    continue
                folder = locate_path(here, path)
                if type_of(folder) == stat.S_IFDIR:
                    yield folder


def _put_around(
    outer: Iterable[tuple[str, str]], inner: Iterable[tuple[str, str]]
) -> frozenset[tuple[str, str]]:
    affixes: set[tuple[str, str]] = set()
    for before, behind in outer:
        affixes |= {(before + prefix, suffix + behind) for prefix, suffix in inner}
    return frozenset(affixes)


def _read_directory(here: Path, files: Files) -> list[Node]:
    roots: list[Node] = []
    for file in files_in(here):
        roots += read_roots(file, files)
    return roots


def affixes_of(roots: Iterable[Node]) -> tuple[str, str]:
    before = "".join(text(named_field(root, "namePrefix")) for root in roots)
    behind = "".join(text(named_field(root, "nameSuffix")) for root in roots)
    return before, behind


def adds_affix(plugin: Plugin) -> bool:
    return text(get(plugin.config, "kind")) in _AFFIX_TRANSFORMERS


def find_fixed(file: Path, roots: Iterable[Node]) -> dict[Marked, str]:
    """Return what the generators of a kustomization are to make without a hash in its name."""
    fixed = {}
    for root in roots:
        is_for_all = _is_fixed(named_field(root, "generatorOptions"))
        for field, kind in _GENERATORS.items():
            for one in elements(named_field(root, field)):
                if is_for_all or _is_fixed(named_field(one, "options")):
                    marked = Marked(FIXED_NAME, kind, text(named_field(one, "name")))
                    fixed[marked] = str(shown_path(file))
    return fixed


def find_names_taken(file: Path, roots: Iterable[Node], files: Files) -> dict[Marked, str]:
    """Return the objects whose names `replacements` take, which they do before the hash is there.

    A list of them may be a file of its own.
    """
    taken = {}
    for root in roots:
        for entry in elements(named_field(root, "replacements")):
            for one in (entry, *_read_replacements(file, entry, files)):
                source = named_field(one, "source")
                kind, name = (text(named_field(source, field)) for field in ("kind", "name"))
                is_name = text(named_field(source, "fieldPath")) in ("", _NAME)
                if is_name and kind in CONFIG_KINDS and name:
                    taken[Marked(TAKEN_NAME, kind, name)] = str(shown_path(file))
    return taken


def _read_replacements(file: Path, entry: Node, files: Files) -> Iterator[Node]:
    path = text(named_field(entry, "path"))
    place = locate_path(file.parent, path)
    if path and type_of(place) == stat.S_IFREG:
        for root in read_roots(place, files):
            yield from elements(root) if is_sequence(root) else (root,)


def _is_fixed(options: Node | None) -> bool:
    return text(named_field(options, "disableNameSuffixHash")) in TRUE
