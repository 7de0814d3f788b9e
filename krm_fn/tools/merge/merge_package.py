"""Three versions of a package that is rendered in place: merged as their authors wrote them, and rendered again.

git asks a merge driver for one file after the other, but a name in one file follows the content of another. So each
answer comes from a merge of the whole package. All answers of a merge see the same three versions, and so agree.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, is_emitted
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, get, is_mapping, is_null, plain_value, text
from krm_fn.base.problem import Problem, Rejected, ResourceId, find_errors
from krm_fn.base.settings import CONFIG_FILE, KPTFILE, Environment
from krm_fn.core.config.config import find_in_kptfile
from krm_fn.core.yaml.yaml import Envelope, Expansion, apply_changes, open_envelope, read_yaml
from krm_fn.function import decide, read_config, restore_authored
from krm_fn.report.secrets import hide_in_problems
from krm_fn.tools.common.opened_texts import items_of, placed_in, share_out

_T = TypeVar("_T")
_U = TypeVar("_U")

PackageFiles: TypeAlias = Mapping[str, bytes]
"""The files of a package, by their paths in it."""


class NotOurs(Rejected):
    """There is nothing to merge in another way than git's."""


class Versions(NamedTuple, Generic[_T]):
    """The common base of two branches, and the version of each."""

    base: _T
    ours: _T
    theirs: _T


class Merged(NamedTuple):
    """A text. `has_conflict`: git's markers are in it.

    `unrendered`: why it is as its author wrote it, else `""`.
    """

    data: bytes
    has_conflict: bool = False
    unrendered: str = ""


MergeTexts: TypeAlias = Callable[[Versions[bytes]], Merged]
"""A merge as `git merge-file` does it."""


class _Authored(NamedTuple):
    """A version as its authors wrote it.

    `linker`: the files with the linker's objects, as they are.

    A version from before krm-fn was configured is as it is. `is_rendered`: it was not written so.
    """

    files: dict[str, bytes]
    linker: dict[str, bytes]
    is_rendered: bool


def merge(
    path: str, versions: Versions[PackageFiles], merge_texts: MergeTexts, environment: Environment
) -> Merged:
    """Merge a file of a package.

    Raises Rejected if a version is no package that is rendered in place.

    Where the whole cannot be rendered, every file is left as its author would have written it. That
    is no package to deploy, but one that the function renders right, and `krm-fn verify` refuses
    until then. The linker's files then list the names of both sides, so that a reference with
    either of them follows.
    """
    authored = Versions(*map(_restore, versions))
    if not any(one.is_rendered for one in authored):
        raise NotOurs
    linker = {**authored.theirs.linker, **authored.ours.linker}
    merged = {
        name: one for name, one in _merge_all(authored, merge_texts).items() if name not in linker
    }
    unrendered = next(
        (f"{name} has a conflict" for name, one in merged.items() if one.has_conflict), ""
    )
    if not unrendered:
        try:
            rendered = _render(
                {name: one.data for name, one in merged.items()}, linker, environment
            )
        except NotOurs:
            raise
        except Rejected as rejected:
            unrendered = str(rejected.problems[0])
        else:
            unrendered = _find_outdated(versions, rendered)
            if not unrendered:
                return Merged(rendered.get(path, b""))
    if path in linker:
        # What an inventory of either side lists follows, and any other old name would be a pin
        # (decision 40).
        return Merged(
            _join(versions.ours.get(path, b""), versions.theirs.get(path, b"")),
            unrendered=unrendered,
        )
    return merged.get(path, Merged(b""))._replace(unrendered=unrendered)


def find_in_package(files: PackageFiles) -> Node | None:
    """Find what configures krm-fn in a package: its Kptfile, else the file of that name.

    None: nothing does.
    """
    kptfile = read_yaml(files[KPTFILE]).roots if KPTFILE in files else []
    for root in kptfile:
        for config_path, config in find_in_kptfile(root):
            if config is not None:
                return config
            if config_path in files:
                return read_config(files[config_path])
    return read_config(files[CONFIG_FILE]) if CONFIG_FILE in files else None


def _restore(files: PackageFiles) -> _Authored:
    config = find_in_package(files)
    if config is None:
        return _Authored(dict(files), {}, is_rendered=False)
    opened = _open(files)
    items = items_of(opened)
    changes = restore_authored(items, config, Expansion())
    _refuse_errors(changes, items)
    authored, linker = dict(files), {}
    for (name, envelope), own in _shared(opened, changes):
        if all(map(is_emitted, envelope.items)):
            linker[name] = authored.pop(name)
        elif any(own):
            authored[name] = envelope.encode(apply_changes(envelope, own).text)
    return _Authored(authored, linker, bool(linker) or authored != files)


def _render(
    files: PackageFiles, linker: PackageFiles, environment: Environment
) -> dict[str, bytes]:
    """Render in place. New objects of the linker join those that an earlier run has written."""
    rendered = {**files, **linker}
    opened = _open(rendered)
    items, config = items_of(opened), find_in_package(files)
    if config is None:
        raise NotOurs
    changes = decide(items, config, environment, expansion=Expansion(), is_in_place=True).changes
    _refuse_errors(changes, items)
    emitted = [
        *linker,
        *(name for name, envelope in opened if any(map(is_emitted, envelope.items))),
    ]
    if changes.add and not emitted:
        raise Rejected(Problem("the linker's objects have no file yet"))
    for (name, envelope), own in _shared(opened, changes):
        all_own = own._replace(add=changes.add) if emitted[:1] == [name] else own
        if any(all_own):
            rendered[name] = envelope.encode(apply_changes(envelope, all_own).text)
    return rendered


def _merge_all(authored: Versions[_Authored], merge_texts: MergeTexts) -> dict[str, Merged]:
    """Merge each file, as git does: what only one side has changed is that of this side."""
    merged: dict[str, Merged] = {}
    for name, of_file in _by_path(Versions(*(one.files for one in authored))):
        settled = _settle(of_file)
        if settled is None:
            base, ours, theirs = of_file
            if ours is None or theirs is None:
                # One side has removed what the other has changed: as git does, leave the text, and
                # let a person decide.
                merged[name] = Merged(ours or theirs or b"", has_conflict=True)
            else:
                merged[name] = merge_texts(Versions(base or b"", ours, theirs))
        elif settled[0] is not None:
            merged[name] = Merged(settled[0])
    return merged


def _find_outdated(versions: Versions[PackageFiles], rendered: PackageFiles) -> str:
    """Say which file is not as it is to be: git takes it from one side, and asks no driver."""
    for name, of_file in _by_path(versions):
        settled = _settle(of_file)
        if settled is None:
            continue
        if not _says_the_same(name, settled[0] or b"", rendered.get(name, b"")):
            return f"{name}, which only one branch has changed, must change as well"
    return ""


def _settle(of_file: Versions[bytes | None]) -> tuple[bytes | None] | None:
    """Return what git takes of a file without a merge, in a tuple; None if both sides have changed it."""
    base, ours, theirs = of_file
    if base in (ours, theirs):
        return (theirs if base == ours else ours,)
    return (ours,) if ours == theirs else None


def _says_the_same(name: str, first: bytes, second: bytes) -> bool:
    if first == second:
        return True
    before, after = _values(name, first), _values(name, second)
    return bool(before) and before == after


def _values(name: str, data: bytes) -> dict[ResourceId, Any]:
    return {item.id: plain_value(item.node) for item in items_of(_open({name: data}))}


def _join(ours: bytes, theirs: bytes) -> bytes:
    """Return the linker's objects of both sides.

    Ours has precedence where both have a name; the inventory lists these names.
    """
    if not ours:
        return theirs
    return open_envelope(read_yaml(ours)).join(open_envelope(read_yaml(theirs)))


def _by_path(versions: Versions[Mapping[str, _U]]) -> Iterator[tuple[str, Versions[_U | None]]]:
    names: set[str] = set()
    for files in versions:
        names |= files.keys()
    for name in sorted(names):
        yield name, Versions(*(files.get(name) for files in versions))


def _open(files: PackageFiles) -> list[tuple[str, Envelope]]:
    """Open the files that hold objects; all others are text to this merge.

    Raises Rejected for what cannot be read.

    Without a reader that cannot be read, another name would be right.
    """
    opened = []
    for name, data in sorted(files.items()):
        with placed_in(name):
            document = read_yaml(data, may_repeat=True)
        roots = [root for root in document.roots if not is_null(root)]
        is_manifest = all(is_mapping(root) and text(get(root, "kind")) for root in roots)
        if roots and is_manifest and not name.endswith(KPTFILE):
            with placed_in(name):
                opened.append((name, open_envelope(document, name)))
    return opened


def _shared(
    opened: list[tuple[str, Envelope]], changes: Changes
) -> Iterator[tuple[tuple[str, Envelope], Changes]]:
    return zip(opened, share_out(changes, [envelope for _, envelope in opened]), strict=True)


def _refuse_errors(changes: Changes, items: list[Item]) -> None:
    errors = find_errors(changes.problems)
    if errors:
        raise Rejected(*hide_in_problems(errors, items))
