"""Plan what a directory needs to run the function: a configuration, an entry that names it, a file for CI.

Nothing that somebody wrote is replaced. Texts are edited where one line can be added to them, and nothing else changes;
where that is not certain, the lines are for a person to add.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import chain
from pathlib import Path

from krm_fn.base.changes import Change, Changes, Edit, SetFields, SetItems
from krm_fn.base.go_yaml import fold_name
from krm_fn.base.item import Item, read_item
from krm_fn.base.kind import DEPLOYERS
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Mapping,
    NewValue,
    Node,
    elements,
    entries,
    get,
    is_mapping,
    is_sequence,
    text,
)
from krm_fn.base.problem import Problem, Rejected, listing
from krm_fn.base.settings import CONFIG_FILE, KIND, KPTFILE, NO_SET, Settings
from krm_fn.core.config.config import find_in_kptfile, parse_config
from krm_fn.core.yaml.yaml import apply_changes, open_envelope, read_yaml
from krm_fn.function import read_config
from krm_fn.tools.builds.builds import find_plugins, runtimes_of
from krm_fn.tools.common.files import (
    CHART,
    KUSTOMIZATIONS,
    SHARED,
    Allowance,
    Files,
    built_from,
    is_sharing_folder,
    real_path,
)
from krm_fn.tools.common.opened_texts import placed_in
from krm_fn.tools.init.name_set import name_set
from krm_fn.tools.init.texts import (
    FOR_TOOLS,
    KPT_ENTRY,
    KPT_ENTRY_LINES,
    LISTS_CONFIG,
    OF_MANY_PACKAGES,
    OF_ONE_PACKAGE,
    RUN_BY_KUSTOMIZE,
    LinkerTexts,
    Pipeline,
    SpecTexts,
    add_former_sets,
    in_metadata,
    in_spec,
    in_transformers,
    is_unsafe,
    rename_config,
    share_config,
    write_config,
)
from krm_fn.tools.init.who_builds import Around

_RENDERED_FIRST = {name for name, one in DEPLOYERS.items() if one.runs_no_functions}

_PLACEHOLDER = "OWNER/REPO@SHA"
_LACKS_LINES = "is there, and is not changed; set in it:"


class Door(StrEnum):
    """The program that runs the function over a directory."""

    KUSTOMIZE = "kustomize"
    KPT = "kpt"
    CHART = "helm"
    FOLDER = "folder"


class Wishes(NamedTuple):
    """The wishes of the user. An empty field is left to the directory.

    `shared`: the text of a configuration that others share; this one gets its own name. `account`:
    the ServiceAccount of the linker, which somebody else applies.
    """

    deployers: tuple[str, ...] = ()
    set: str = ""
    namespace: str = ""
    image: str = ""
    pipeline: Pipeline | None = None
    action: str = ""
    shared: str = ""
    account: str = ""
    strategy: str = ""
    kinds: tuple[str, ...] = ()


class Planned(NamedTuple):
    """A file, and what becomes of it: `data`, None where it stays.

    `before` is None where there is no file.

    `by_hand`: lines for a person to add. As long as there are any, nothing is written.
    `goes`: the file is removed.
    """

    file: Path
    said: str
    before: bytes | None = None
    data: bytes | None = None
    by_hand: str = ""
    goes: bool = False

    @property
    def changes(self) -> bool:
        return self.goes or self.data is not None


def plan_shared(
    folder: Path, wishes: Wishes, around: Around, allowance: Allowance
) -> list[Planned]:
    """Plan the folder with the configuration that packages share. A configuration that is there counts.

    Raises Rejected where it holds something else.
    """
    files = Files(around.top, allowance)
    config, kustomization = folder / CONFIG_FILE, folder / KUSTOMIZATIONS[0]
    around.check_can_write(config)
    if os.path.lexists(config) and os.path.lexists(kustomization):
        there, before = files.read(config), files.read(kustomization)
        item, _ = _parse(config, there)
        fields = dict(chain.from_iterable(map(entries, read_yaml(before).roots)))
        others = fields.keys() - {"apiVersion", "kind", "resources"}
        listed = [*map(text, elements(fields.get("resources")))]
        if others or listed != [CONFIG_FILE] or item.id.kind != KIND:
            message = (
                f"--share takes a folder whose kustomization has {CONFIG_FILE} as its only resource, of kind {KIND}; "
                "or one that is not there"
            )
            raise Rejected(Problem(message, file=str(folder)))
        # Packages have several namespaces.
        common = wishes._replace(namespace="")
        missing = "".join(_find_missing(config, there, Door.KUSTOMIZE, common))
        said = _LACKS_LINES if missing else "unchanged"
        return [
            Planned(config, said, there, by_hand=missing),
            Planned(kustomization, "unchanged", before),
        ]
    if os.path.lexists(folder):
        message = (
            f"--share found other files in this folder, and no {CONFIG_FILE} with a kustomization; "
            "name a new folder"
        )
        raise Rejected(Problem(message, file=str(folder)))
    linker = LinkerTexts(wishes.image, wishes.namespace, wishes.account)
    spec = SpecTexts(wishes.deployers, wishes.strategy, wishes.kinds)
    own = write_config(SHARED, _annotate(Door.KUSTOMIZE, wishes), spec, linker)
    written = rename_config(own, NO_SET).replace(OF_ONE_PACKAGE, OF_MANY_PACKAGES)
    _parse(config, written.encode())
    return [
        Planned(config, "written", data=written.encode()),
        Planned(kustomization, "written", data=LISTS_CONFIG.encode()),
    ]


def share(
    directory: Path, door: Door, planned: list[Planned], folder: Path, around: Around
) -> list[Planned]:
    """Return what a package needs to share a configuration, in the place of one of its own.

    A rendering has proven the one of its own, and kustomize builds the same of both.
    """
    config, *others = planned
    if door is not Door.KUSTOMIZE:
        message = "is no kustomization, so it cannot name a folder with a configuration; leave out --share"
        raise Rejected(Problem(message, file=str(directory)))
    if config.before is not None or config.data is None:
        taken = around.kustomizations.get(real_path(config.file.parent))
        if config.file.parent != directory and taken and {*taken.bases} - {real_path(folder)}:
            base = listing(map(around.show, taken.bases))
            message = f"takes its configuration from {base}; pass --share {base}, or run krm-fn init --remove first"
            raise Rejected(Problem(message, file=str(directory)))
        return planned
    (root,) = read_yaml(config.data).roots
    file = directory / SHARED / KUSTOMIZATIONS[0]
    if os.path.lexists(file.parent):
        message = "is there already, and --share would write it; rename the folder"
        raise Rejected(Problem(message, file=str(file.parent)))
    # kustomize follows links first, and then goes up.
    way = os.path.relpath(real_path(folder), real_path(file.parent))
    take_over = map(text, elements(get(root, "spec", "takeOver")))
    data = share_config(way, text(get(root, "metadata", "name")), [*take_over]).encode()
    return [Planned(file, "written", data=data), *(_list_shared(one) for one in others)]


def _list_shared(planned: Planned) -> Planned:
    """Let a kustomization list the folder in the place of the configuration."""
    if planned.file.name not in KUSTOMIZATIONS or planned.before is None:
        return planned
    if planned.data is None:
        return planned._replace(by_hand=in_transformers(SHARED)) if planned.by_hand else planned
    data = add_to_list(planned.before, ("transformers",), SHARED)
    return planned._replace(data=data, said=f"edited: transformers lists {SHARED}")


def find_door(directory: Path, wishes: Wishes) -> Door:
    """Find what will run the function.

    In a kpt package, a kustomization is only run where kpt is not.
    """
    if (directory / KPTFILE).is_file() and (not wishes.deployers or Door.KPT in wishes.deployers):
        return Door.KPT
    built = built_from(directory)
    if built == CHART:
        return Door.CHART
    return Door.KUSTOMIZE if built else Door.FOLDER


def plan(
    directory: Path, door: Door, wishes: Wishes, around: Around, allowance: Allowance
) -> list[Planned]:
    """Plan all files, in the order in which they are written: the configuration first, and last what needs it.

    Raises Rejected for what cannot be read, and for a directory in which the function would be in the way.
    """
    around.check()
    files = _files(directory, allowance)
    planned = [_plan_config(directory, door, wishes, around, files)]
    if door is Door.KUSTOMIZE:
        planned += _plan_kustomization(directory, planned[0], wishes, around, files)
    if door is Door.KPT:
        planned.append(_plan_kptfile(directory, files))
    return [*dict.fromkeys(planned)]  # a Kptfile may be the configuration too


def _files(directory: Path, allowance: Allowance) -> Files:
    return Files(allowance.limits.root or directory, allowance)


def _plan_config(
    directory: Path, door: Door, wishes: Wishes, around: Around, files: Files
) -> Planned:
    present = _find_config(directory, door, around, files)
    wanted = _write_config(directory, door, wishes, around, files)
    _parse(directory / CONFIG_FILE, wanted.encode())
    if present is None:
        _refuse_taken(directory, wishes, around)
        return Planned(directory / CONFIG_FILE, "written", data=wanted.encode())
    data = files.read(present)
    missing = "" if data == wanted.encode() else "".join(_find_missing(present, data, door, wishes))
    said = _LACKS_LINES if missing else "unchanged"
    return Planned(present, said, data, by_hand=missing)


def _find_config(directory: Path, door: Door, around: Around, files: Files) -> Path | None:
    """Find the file that configures the function already, whatever its name."""
    if door is Door.KUSTOMIZE:
        listed = find_listed(directory, around, files)
        if listed:
            return listed[-1]
        if is_sharing_folder(directory / SHARED):
            return directory / SHARED / KUSTOMIZATIONS[0]
    if door is Door.KPT:
        for root in _read(directory / KPTFILE, files):
            for named, settings in find_in_kptfile(root):
                if Path(named) != Path(CONFIG_FILE) and (named or settings is not None):
                    return directory / (named or KPTFILE)
    return directory / CONFIG_FILE if os.path.lexists(directory / CONFIG_FILE) else None


def find_listed(directory: Path, around: Around, files: Files) -> list[Path]:
    """Find the files of configurations that the kustomization lists, or builds in a folder that it lists."""
    try:
        plugins = find_plugins(directory, files, around.reader)
    except Rejected:  # of such a folder: a rendering says what is wrong
        plugins = find_plugins(directory, files)
    listed: list[Path] = []
    for plugin in plugins:
        if plugin.krm_fn:
            folder = plugin.path if plugin.is_in_folder else None
            file = folder / built_from(folder) if folder else plugin.path
            listed.append(plugin.kustomization if plugin.is_inline else Path(os.path.relpath(file)))
    return listed


def _find_missing(file: Path, data: bytes, door: Door, wishes: Wishes) -> Iterator[str]:
    """Yield the lines that an existing configuration needs for this door."""
    if file.name in (*KUSTOMIZATIONS, KPTFILE):
        return
    item, settings = _parse(file, data)
    is_run = bool(runtimes_of(item)) or _is_rendered_first(settings, wishes)
    annotations = RUN_BY_KUSTOMIZE if door is Door.KUSTOMIZE and not is_run else ""
    if door is Door.KPT and not item.is_local:
        annotations += FOR_TOOLS
    if annotations:
        yield in_metadata(annotations)
    wanted = dict.fromkeys([*settings.deployers, *wishes.deployers])
    is_more = len(wanted) > len(settings.deployers)
    # One chart is for several namespaces, and so each command passes its own.
    is_elsewhere = door is not Door.CHART and wishes.namespace not in (
        "",
        settings.linker.namespace,
    )
    unset = _find_unset(settings, wishes)._replace(deployers=tuple(wanted) if is_more else ())
    if any(unset) or is_elsewhere:
        yield in_spec(unset, wishes.namespace if is_elsewhere else "")


def _find_unset(settings: Settings, wishes: Wishes) -> SpecTexts:
    """Return the wishes for spec that a configuration contradicts; deployers are added to those that it has."""
    strategy = wishes.strategy if wishes.strategy != settings.strategy else ""
    kinds = wishes.kinds if {*wishes.kinds} != settings.kinds else ()
    return SpecTexts(strategy=strategy, kinds=kinds)


def _is_rendered_first(settings: Settings, wishes: Wishes) -> bool:
    """Tell whether `krm-fn render` builds the directory, in a plugin or in CI.

    It needs no entry, but takes one. Whoever builds with kustomize alone would fail at it, and has
    to change nothing without it.
    """
    return {*settings.deployers, *wishes.deployers} <= _RENDERED_FIRST


def _parse(file: Path, data: bytes) -> tuple[Item, Settings]:
    with placed_in(str(file)):
        # What packages share has a set in each of them.
        config = read_config(data.replace(NO_SET.encode(), SHARED.encode()))
        settings = parse_config(config)
    assert is_mapping(config), "else it is refused"  # noqa: S101  # for the type checker
    return read_item(config), settings


def _refuse_taken(directory: Path, wishes: Wishes, around: Around) -> None:
    """Refuse a name that is given, and that is certain to be that of another folder in this namespace."""
    ours = (
        frozenset([wishes.namespace])
        if wishes.namespace
        else around.namespaces_of(around.directory)
    )
    for one in around.sets:
        if one.name == wishes.set and (one.namespaces & ours) - {""}:
            message = f"--set {wishes.set} is the set of {around.show(one.folder)}, in the same namespace; pass another"
            raise Rejected(Problem(message, file=str(directory)))


def _write_config(directory: Path, door: Door, wishes: Wishes, around: Around, files: Files) -> str:
    deployers = wishes.deployers or {Door.KPT: ("kpt",), Door.CHART: ("helm",)}.get(door, ())
    name = wishes.set or name_set(_find_name(directory, door, files), around, wishes.namespace)
    if wishes.shared:
        return add_former_sets(rename_config(wishes.shared, name), around.sets_below - {name})
    namespace = "" if door is Door.CHART else wishes.namespace
    linker = LinkerTexts(wishes.image, namespace, wishes.account)
    spec = SpecTexts(deployers, wishes.strategy, wishes.kinds)
    config = write_config(name, _annotate(door, wishes), spec, linker)
    return add_former_sets(config, around.sets_below - {name})


def _annotate(door: Door, wishes: Wishes) -> str:
    is_first = bool(wishes.deployers) and {*wishes.deployers} <= _RENDERED_FIRST
    return FOR_TOOLS if is_first or door is not Door.KUSTOMIZE else RUN_BY_KUSTOMIZE + FOR_TOOLS


def _find_name(directory: Path, door: Door, files: Files) -> str:
    """Find what the package is called by what builds it."""
    package = KPTFILE if (directory / KPTFILE).is_file() else ""
    file = {Door.CHART: CHART, Door.KUSTOMIZE: built_from(directory)}.get(door, package)
    roots = _read(directory / file, files) if file else []
    path = ("name",) if door is Door.CHART else ("metadata", "name")
    return next(filter(None, (text(get(root, *path)) for root in roots)), "")


def _plan_kustomization(
    directory: Path, config: Planned, wishes: Wishes, around: Around, files: Files
) -> Iterator[Planned]:
    file = directory / built_from(directory)
    data = files.read(file)
    is_folder = config.file.name in KUSTOMIZATIONS
    entry = SHARED if is_folder else os.path.relpath(config.file, directory)
    listed: list[str] = []
    for root in _read(file, files):
        listed += map(text, elements(get(root, "transformers")))
    # The entry may be there without its file, which is written now.
    if Path(entry) in map(Path, listed) or find_listed(directory, around, files):
        yield Planned(file, "unchanged", data)
        return
    # What a folder builds is in the shared text, and nobody may have said where that is.
    text_of_config = config.before or config.data
    if is_folder:
        text_of_config = around.read_shared(config.file) if wishes.shared else b""
    if not text_of_config:
        return
    if not config.by_hand:
        item, settings = _parse(config.file, text_of_config)
        # What is shared gets its annotation first.
        if not runtimes_of(item) and (wishes.shared or _is_rendered_first(settings, wishes)):
            return
    # Without the annotation, kustomize fails at the entry. A file behind a link may be that of
    # other folders too.
    edited = (
        None if config.by_hand or file.is_symlink() else add_to_list(data, ("transformers",), entry)
    )
    if edited is None:
        yield Planned(file, "is not changed; add to it:", data, by_hand=in_transformers(entry))
    else:
        yield Planned(file, f"edited: transformers lists {entry}", data, edited)


def _plan_kptfile(directory: Path, files: Files) -> Planned:
    file = directory / KPTFILE
    data = files.read(file)
    listed = chain.from_iterable(map(find_in_kptfile, _read(file, files)))
    if next(listed, None) is not None:
        return Planned(file, "unchanged", data)
    edited = None if file.is_symlink() else add_to_list(data, ("pipeline", "mutators"), KPT_ENTRY)
    if edited is None:
        return Planned(
            file, "is not changed; add to it, as the last entry:", data, by_hand=KPT_ENTRY_LINES
        )
    return Planned(file, "edited: pipeline.mutators runs krm-fn", data, edited)


def plan_pipeline(
    typed: Sequence[str], pipeline: Pipeline, action: str, arounds: Sequence[Around]
) -> Planned:
    """Plan the file for CI with a line for each directory or pattern; `arounds` are those of their packages."""
    around = arounds[0]
    if around.repository is None:
        message = "is in no repository of git, in which --ci writes its file"
        raise Rejected(Problem(message, file=typed[0]))
    packages: list[str] = []
    for one in typed:
        package = real_path(Path(one)).relative_to(around.repository).as_posix()
        if is_unsafe(package):
            message = (
                f"--ci: the name {package!r} would be expanded in a file for CI; rename the folder"
            )
            raise Rejected(Problem(message, file=one))
        packages.append(package)
    file = Path(os.path.relpath(around.repository / pipeline.file))
    around.check_can_write(file)
    has_charts = any(one.has_charts for one in arounds)
    is_remote = any(one.fetches_charts for one in arounds)
    write = partial(pipeline.write, packages[0], has_charts=has_charts, is_remote=is_remote)
    before = around.reader.read(file) if os.path.lexists(file) else None
    if before is None and not action:
        message = (
            f"--ci needs --action {_PLACEHOLDER}: no release of krm-fn is published yet, so name the repository "
            "to which you have pushed it, and the commit"
        )
        raise Rejected(Problem(message, file=str(file)))
    data = None if file.is_symlink() else before or write(action).encode()
    for package in packages:
        data = data and pipeline.add(data, package, has_charts=has_charts)
    if data is None:
        message = "is there, and is not changed; add to it, and leave out --ci:"
        return Planned(file, message, before, by_hand=write(action or _PLACEHOLDER))
    if data == before:
        return Planned(file, "unchanged", before)
    said = f"edited: compares {listing(packages)} too" if before else "written"
    return Planned(file, said, before, data)


def _read(file: Path, files: Files) -> list[Node]:
    with placed_in(str(file)):
        return read_yaml(files.read(file)).roots


def add_to_list(data: bytes, path: tuple[str, ...], entry: NewValue) -> bytes | None:
    """Add an entry to the list at a path of the only object; None where this text does not allow it."""
    return change_at(data, path, lambda top: _add_entry(top, path, entry))


def change_at(
    data: bytes, path: tuple[str, ...], plan_change: Callable[[Mapping], Change | None]
) -> bytes | None:
    """Write a change at a path of the only object; None where there is none, or this text does not allow it.

    The writer proves that nothing else changes.
    """
    try:
        envelope = open_envelope(read_yaml(data))
        if len(envelope.document.roots) != 1 or len(envelope.items) != 1:
            return None
        (item,) = envelope.items
        change = plan_change(item.node)
        if change is None:
            return None
        edit = Edit(change, item, ".".join(path))
        return envelope.encode(apply_changes(envelope, Changes(edits=(edit,))).text)
    except Rejected:
        return None


def _add_entry(top: Mapping, path: tuple[str, ...], entry: NewValue) -> Change | None:
    """Add an entry to a list, or the list with it where there is none."""
    inner = top
    for position, name in enumerate(path):
        if any(key != name and fold_name(key) == fold_name(name) for key, _ in entries(inner)):
            return None  # kustomize reads this key too
        child: Node | None = get(inner, name)
        is_last = position == len(path) - 1
        if child is None:
            value: NewValue = [entry]
            for missing in reversed(path[position + 1 :]):
                value = {missing: value}
            return SetFields(inner, ((name, value),))
        if is_last:
            return SetItems(child, (entry,)) if is_sequence(child) and child.value else None
        if not is_mapping(child):
            return None
        inner = child
    return None
