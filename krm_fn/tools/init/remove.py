"""Plan to take out what `krm-fn init` has written: the entry that runs the function, and the files that it names.

Init takes out only an entry or a file that it would write like that. It names any other, and takes
out nothing as long as there is one: the rest may need it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from krm_fn.base.changes import Change, SetFields, SetItems
from krm_fn.base.go_yaml import fold_name
from krm_fn.base.item import find_objects, read_item
from krm_fn.base.keys import SET
from krm_fn.base.node import (
    Node,
    elements,
    entries,
    get,
    is_mapping,
    is_sequence,
    plain_value,
    text,
)
from krm_fn.base.problem import Problem, Rejected, listing
from krm_fn.base.settings import CONFIG_FILE, KPTFILE
from krm_fn.core.config.config import find_in_kptfile
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.tools.common.files import (
    KUSTOMIZATIONS,
    MANIFESTS,
    SHARED,
    Allowance,
    Files,
    Limits,
    built_from,
    is_sharing_folder,
    real_path,
)
from krm_fn.tools.common.opened_texts import placed_in
from krm_fn.tools.init.plan import Planned, add_to_list, change_at, find_listed
from krm_fn.tools.init.texts import KPT_ENTRY, LISTS_CONFIG, find_shared_name, is_written_config
from krm_fn.tools.init.who_builds import Around

_REMOVED = "removed"
_NOT_AS_WRITTEN = "is not as krm-fn init writes it, and stays; remove it by hand:"
_MOST_NAMES = 3


def plan_removal(directories: Sequence[Path], shared: Path | None, limits: Limits) -> list[Planned]:
    """Plan the files of all directories, in the order in which they change: an entry goes before what it names."""
    allowance = Allowance(limits)
    planned: list[Planned] = []
    for directory in directories:
        around = Around(directory, limits)
        files = Files(limits.root or around.top, allowance)
        planned += _checked(_plan_package(directory, around, files), around)
    if shared is not None:
        around = Around(directories[0], limits)
        going = {real_path(one.file.parent) for one in planned if one.goes}
        of_shared = _plan_shared(shared, going, around, Files(around.top, allowance))
        planned += _checked(of_shared, around)
    return planned


def _checked(planned: Iterable[Planned], around: Around) -> Iterator[Planned]:
    for one in planned:
        around.check_can_write(one.file)
        yield one


def _plan_package(directory: Path, around: Around, files: Files) -> Iterator[Planned]:
    built = built_from(directory)
    if built in KUSTOMIZATIONS:
        yield from _plan_kustomization(directory, directory / built, around, files)
    if (directory / KPTFILE).is_file():
        yield from _plan_kptfile(directory, files)
    yield from _plan_file(directory / CONFIG_FILE, is_written_config, files)
    sharing = directory / SHARED / KUSTOMIZATIONS[0]
    if is_sharing_folder(sharing.parent):
        yield from _plan_file(sharing, find_shared_name, files)


def _plan_file(
    file: Path, is_written: Callable[[bytes], object], files: Files
) -> Iterator[Planned]:
    if not os.path.lexists(file):
        return
    data = files.read(file)
    if is_written(data) and not file.is_symlink():
        yield Planned(file, _REMOVED, data, goes=True)
    else:
        yield Planned(file, _NOT_AS_WRITTEN, data, by_hand="the file, or what was changed in it")


def _plan_kustomization(
    directory: Path, file: Path, around: Around, files: Files
) -> Iterator[Planned]:
    sharing = directory / SHARED
    names = [CONFIG_FILE]
    if is_sharing_folder(sharing) or not os.path.lexists(sharing):
        names.append(SHARED)
    data = files.read(file)
    listed: list[Node] = []
    for root in _read(file, data):
        listed += elements(get(root, "transformers"))
    ours = [text(one) for one in listed if os.path.normpath(text(one)) in names]
    if len(ours) == 1:
        shown = f"transformers: {ours[0]}"
        yield _plan_entry(file, data, ("transformers",), ours[0], shown)
        return
    others = ours or [
        os.path.relpath(one, directory) for one in find_listed(directory, around, files)
    ]
    for other in dict.fromkeys(others):
        yield Planned(file, _NOT_AS_WRITTEN, data, by_hand=f"transformers: {other}")


def _plan_kptfile(directory: Path, files: Files) -> Iterator[Planned]:
    file = directory / KPTFILE
    data = files.read(file)
    found = chain.from_iterable(map(find_in_kptfile, _read(file, data)))
    if next(found, None) is None:
        return
    _refuse_rendered(directory, files)
    yield _plan_entry(file, data, ("pipeline", "mutators"), KPT_ENTRY, "the entry that runs krm-fn")


def _refuse_rendered(directory: Path, files: Files) -> None:
    """Refuse a package that kpt has rendered in place: nobody else gives its files their names back."""
    for folder, _, names in files.walk(directory):
        for name in names:
            file = folder / name
            data = files.read(file) if name.endswith(MANIFESTS) else b""
            if SET.encode() not in data:
                continue
            objects = map(read_item, find_objects(_read(file, data)))
            if any(SET in item.labels for item in objects):
                message = (
                    "is rendered in place; set strategy: ignore, run kpt fn render and apply the result first, as "
                    "docs/how-to/leave.md says"
                )
                raise Rejected(Problem(message, file=str(file)))


def _plan_entry(
    file: Path, data: bytes, path: tuple[str, ...], entry: str | dict[str, str], shown: str
) -> Planned:
    after = None if file.is_symlink() else take_out(data, path, entry)
    if after is None:
        return Planned(file, _NOT_AS_WRITTEN, data, by_hand=shown)
    return Planned(file, f"edited: without {shown}", data, after)


def take_out(data: bytes, path: tuple[str, ...], entry: str | dict[str, str]) -> bytes | None:
    """Take an entry out of a list, and each place that is empty then; None where it is not as init writes it.

    The result of init on the rest tells whether the text had a last line break.
    """
    after = change_at(data, path, lambda top: _drop_entry(top, path, entry))
    if after is None:
        return None
    begin = next((at for at in range(len(after)) if data[at] != after[at]), len(after))
    taken = data[begin : len(data) - (len(after) - begin)]
    if b"#" in taken or data[:begin] + taken + after[begin:] != data:
        return None
    shorter = after.removesuffix(b"\n").removesuffix(b"\r")
    return next((one for one in (after, shorter) if add_to_list(one, path, entry) == data), after)


def _drop_entry(top: Node, path: tuple[str, ...], entry: str | dict[str, str]) -> Change | None:
    places: list[tuple[Node, str]] = []
    inner: Node | None = top
    for name in path:
        if not is_mapping(inner):
            return None
        if sum(fold_name(key) == fold_name(name) for key, _ in entries(inner)) != 1:
            return None
        places.append((inner, name))
        inner = get(inner, name)
    if not is_sequence(inner):
        return None
    found = [index for index, one in enumerate(inner.value) if plain_value(one) == entry]
    if len(found) != 1:
        return None
    if len(inner.value) > 1:
        return SetItems(inner, drop=tuple(found))
    # An empty place is nothing that init edits, so it has written all that would be empty.
    holder, name = places.pop()
    while places and len(entries(holder)) == 1:
        holder, name = places.pop()
    return SetFields(holder, (), (name,))


def _plan_shared(folder: Path, going: set[Path], around: Around, files: Files) -> Iterator[Planned]:
    """Plan the folder with the configuration that packages share; it stays as long as others name it."""
    config, kustomization = folder / CONFIG_FILE, folder / KUSTOMIZATIONS[0]
    real = real_path(folder)
    users = [one.folder for one in around.kustomizations.values() if real in one.bases]
    others = [around.show(user) for user in users if user not in going]
    if others and os.path.lexists(config):
        yield Planned(config, f"stays: {listing(others, _MOST_NAMES)} read it", files.read(config))
        return
    yield from _plan_file(kustomization, lambda data: data == LISTS_CONFIG.encode(), files)
    yield from _plan_file(config, is_written_config, files)


def _read(file: Path, data: bytes) -> Iterable[Node]:
    with placed_in(str(file)):
        return read_yaml(data).roots
