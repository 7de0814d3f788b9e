"""Compare two renderings object by object: changes, fates of revisions, and risks."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, islice, repeat
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.item import DATA_FIELDS, Item, is_emitted
from krm_fn.base.kind import PROTECTIONS
from krm_fn.base.node import FieldPath, Node, get, is_mapping, is_scalar, text
from krm_fn.base.problem import listing
from krm_fn.core.names.names import base_name, read_content
from krm_fn.facts.annotations import COPIED
from krm_fn.report.object_change import (
    ComparedObject,
    Effect,
    FieldChange,
    ObjectChange,
    Removal,
    RemovalOutcome,
    Roll,
    ShownValue,
    is_immutable,
)
from krm_fn.report.secrets import KeyChange, Shown, compare_content, kind_for_masks
from krm_fn.tools.common.made_anew import MADE_ANEW, WHOLE, has_new_content, is_new_key
from krm_fn.tools.common.rendered import find_lost_keys, find_unmet_needs, is_internal
from krm_fn.tools.common.stored import find_refusal
from krm_fn.tools.diff.difference import Difference
from krm_fn.tools.diff.pair import (
    AS_WRITTEN,
    ComparedPair,
    Dialect,
    Pair,
    Release,
    emitted_base,
    find_version,
    is_named_by_content,
    is_spelled_anew,
    is_versioned,
    list_left,
    pair_emitted,
    pair_items,
    scope_of,
    set_of,
)
from krm_fn.tools.diff.rolls import Rolls, find_rolls
from krm_fn.tools.diff.tree import (
    LeftOut,
    StableNames,
    TreeReader,
    compare_trees,
    find_unlike,
    is_made_anew,
    is_same,
    read_stable_names,
    show,
)
from krm_fn.tools.render.render import find_deployers, find_pruners

_MANY = 20
"""Places in an object. To read as many one by one takes longer than to read it as a whole."""

_MOST_PLACES = 5
"""Places in an object that a note names."""

_Line: TypeAlias = tuple[str, str, str, str]
"""Group, kind, namespace and base name: what an object and its successors have in common."""

_PLANNED = ("--workload=", "--revision=", "--maker=")


def is_plan(names: StableNames, path: FieldPath, node: Node) -> bool:
    """Tell whether a field of a linker's object is for tools, or of the plan."""
    match path:
        case ("metadata", "annotations", keys.RENDERED | keys.MADE_BY) | ("metadata", "name"):
            return True
        case ("metadata", "annotations", str(name)):
            return is_internal(name)
        case ("spec", *_, "template", "spec", "containers", _, "args", _):
            return is_scalar(node) and node.value.startswith(_PLANNED)
        case ("rules", _, "resourceNames", _):
            return is_scalar(node) and node.value in names
    return False


_PROTECTING = frozenset(one.annotation for one in chain.from_iterable(PROTECTIONS.values()))


def left_out_of(pair: Pair) -> LeftOut:
    """Return what to leave out of a pair: names, content, checksums, and marks of revisions."""
    items = [item for item in pair if item is not None]
    checksums = {
        item.annotations[keys.CHECKSUM] for item in items if keys.CHECKSUM in item.annotations
    }
    is_config = any(item.is_config for item in items)
    turns = len({bool(set_of(item)) for item in items}) > 1  # into a revision, or back

    def is_left_out(path: FieldPath, node: Node) -> bool:
        match path:
            case ("metadata", "name" | "namespace"):
                return True
            case ("metadata", "annotations", str(name)):
                is_of_revision = name.startswith(keys.PREFIX) or name in _PROTECTING
                return name == keys.BASE_NAME or is_internal(name) or (turns and is_of_revision)
            case ("metadata", "labels", keys.SET):
                return is_config
            case (str(name),):
                return (turns and name == "immutable") or (
                    is_config and name in DATA_FIELDS and is_mapping(node)
                )
            case (_, *_, "metadata", "annotations", str(name)):
                return name in checksums
        return False

    return is_left_out


def _without_namespaces(left_out: LeftOut, dialect: Dialect) -> LeftOut:
    """Leave out the namespaces too that are taken as equal, where a field says that it is one."""
    if not dialect.namespaces:
        return left_out

    def is_left_out(path: FieldPath, node: Node) -> bool:
        is_namespace = path[-1] == "namespace" or path[-2:-1] in (("matchNames",), ("namespaces",))
        return left_out(path, node) or (
            is_namespace and is_scalar(node) and node.value in dialect.namespaces
        )

    return is_left_out


def find_fate(item: Item, old: Release, new: Release) -> Removal | None:
    """Return the fate of an object of the old rendering; None if the deployer just deletes it."""
    deployers = tuple(find_deployers(item))
    users = list_users(item, old)
    inside = _list_inside(item, new.package.authored)
    if inside and not deployers:
        return Removal(RemovalOutcome.EMPTIED, inside)
    if not set_of(item):
        return Removal(RemovalOutcome.LEFT, users, deployers) if deployers else None
    if not deployers:
        return Removal(RemovalOutcome.PRUNED, users)
    if keys.RETAIN in item.annotations:
        return Removal(RemovalOutcome.RETAINED, users, deployers)
    is_linked = (set_of(item), old.namespace_of(item)) in new.linked_sets
    return Removal(
        RemovalOutcome.UNUSED if is_linked and not users else RemovalOutcome.KEPT, users, deployers
    )


def _list_inside(item: Item, items: Iterable[Item]) -> tuple[str, ...]:
    """Return what the API server deletes together with a Namespace or the definition of a kind."""
    defined = text(get(item.node, "spec", "group")), text(get(item.node, "spec", "names", "kind"))
    namespace = item.id.name if item.id.kind == "Namespace" else None
    if not (namespace or all(defined)):
        return ()
    inside: set[str] = set()
    for one in items:
        if one.id.group_kind == defined or one.id.namespace == namespace:
            inside.add(f"{one.id.kind}/{base_name(one)}")
    return tuple(sorted(inside))


def list_users(item: Item, release: Release) -> tuple[str, ...]:
    """Return the workloads whose pods read an object, or what it makes: `Rollout/web`."""
    users = {one.referrer for one in release.by_target.get(item, ()) if one.reference.in_pod}
    return tuple(sorted(f"{user.id.kind}/{base_name(user)}" for user in users))


def compare(old: Release, new: Release, names: tuple[str, str] = ("", "")) -> Difference:
    """Compare all objects. `names` are those of the two renderings."""
    pairs = pair_items(old, new)
    linker, emitted = pair_emitted(old, new)
    reader = _ContentReader(read_stable_names(pairs, (old, new)), (old, new))
    # All are compared before one is written: what rolls, and what has a new name, depends on other
    # objects too.
    compared = [reader.compare(pair) for pair in pairs]
    renamed = _list_renamed(compared, reader, old, new)
    rolls = find_rolls(compared, renamed, (old, new))
    refusals = _find_refusals(reader, compared, rolls, old, new)
    writer = _Writer((old, new), rolls, renamed, refusals)
    revisions: list[ObjectChange] = []
    others: list[ObjectChange] = []
    notes: list[str] = []
    for one in compared:
        notes += reader.note_made_anew(one)
        if reader.is_named_anew(one.pair):
            continue
        change = writer.write(one.pair, one.fields, one.content)
        if None in one.pair:
            change = change._replace(whole=reader.read_lone(one.pair))
        if _is_revision(one.pair):
            revisions.append(change)
        else:
            others.append(change)
    others += [writer.write(pair, reader.compare_emitted(pair)) for pair in emitted]
    before, after = find_version(old), find_version(new)
    if before and after and before != after:
        notes.append(
            f"rendered by krm-fn {before} before, and by {after} now: Job, Role, inventory and trackers of the linker "
            "may change for that alone; no workload rolls for it"
        )
    notes += (
        f"the linker of {one} goes, and its owners stay: what keeps its name goes with the last of its workloads; "
        "release once with spec.leave: true before"
        for one in list_left(old, new)
    )
    differing = [change for change in revisions if _differs(change)]
    return Difference(
        *names,
        revisions=tuple(sorted(differing, key=_place)),
        objects=tuple(sorted(filter(_differs, others), key=_place)),
        linker=linker,
        unchanged=len(revisions) - len(differing),
        notes=tuple(sorted(notes)),
    )


def _list_renamed(
    compared: Iterable[ComparedPair], reader: "_ContentReader", old: Release, new: Release
) -> set[Item]:
    """Return the new objects that have got another name."""
    renamed: set[Item] = set()
    for one in compared:
        before, after = one.pair
        if before is None or after is None or before.id.name == after.id.name:
            continue
        # What only another environment calls by another name is another object if it says something
        # else.
        is_new = is_spelled_anew(one.pair, old, new) or reader.has_new_content(one.pair)
        if not is_new or one.content or one.fields:
            renamed.add(after)
    return renamed


def _find_refusals(
    reader: "_ContentReader",
    compared: Iterable[ComparedPair],
    rolls: Rolls,
    old: Release,
    new: Release,
) -> dict[Item, str]:
    """Find what the API server does not make of the object that has its name.

    By the name alone: what the name of a generator's hash has been may be a revision, and no longer be one.
    """
    if (old.dialect, new.dialect) != (AS_WRITTEN, AS_WRITTEN):
        return {}  # nobody applies one environment over another
    there = {(*scope_of(item, old), item.id.name): item for item in old.package.authored}
    edited = {one.pair.new for one in compared if one.fields}
    unlike = {one.pair: one.unlike for one in compared}
    by_config = chain.from_iterable(rolls.by_config.values())
    refused = [one for one in by_config if one.effect is Effect.REFUSED]
    told = {(one.kind, one.namespace, one.name) for one in refused}
    refusals: dict[Item, str] = {}
    for item in new.package.authored:
        before = there.get((*scope_of(item, new), item.id.name))
        places = unlike.get(Pair(before, item), (WHOLE,))
        if before is None or not places:
            continue
        # Where only a name in its pod template is new, the object with that name says it.
        who = (item.id.kind, new.package.namespace_of(item), base_name(item))
        if item not in edited and who in told:
            continue
        has_new_content = is_immutable(before) and bool(reader.compare_content(Pair(before, item)))
        refusal = find_refusal(
            before, item, new.package.kinds, has_new_content=has_new_content, unlike=places
        )
        if refusal is not None:
            refusals[item] = refusal
    return refusals


class _ContentReader:
    def __init__(
        self, names: tuple[StableNames, StableNames], releases: tuple[Release, Release]
    ) -> None:
        self._names = names
        self._releases = releases
        self._has_made_anew = any(release.made_anew for release in releases)

    def compare(self, pair: Pair) -> ComparedPair:
        """Compare all but names, and what this project writes."""
        fields: list[FieldChange] = []
        made_anew: list[FieldChange] = []
        unlike = self._find_unlike(pair)
        if unlike and not self._is_same(pair, unlike):
            left_out = left_out_of(pair)
            for change in self._compare_fields(pair, (left_out, left_out)):
                if is_made_anew(change):
                    made_anew.append(change)
                else:
                    fields.append(change)
        content = self.compare_content(pair) if unlike else ()
        return ComparedPair(pair, tuple(fields), tuple(made_anew), content, unlike)

    def _find_unlike(self, pair: Pair) -> Sequence[FieldPath]:
        """Return the places that are to be read, or the whole: most objects have none, or a few."""
        if pair.old is None or pair.new is None:
            return (WHOLE,)
        unlike = [*islice(find_unlike(pair.old, pair.new, self._names), _MANY)]
        return unlike if len(unlike) < _MANY else (WHOLE,)

    def _is_same(self, pair: Pair, unlike: Sequence[FieldPath]) -> bool:
        """Tell whether there is surely no difference."""
        if pair.old is None or pair.new is None or WHOLE in unlike:
            return False
        left_out = left_out_of(pair)
        old, new = self._read((left_out, left_out), pair)
        return all(
            is_same(old.read_at(pair.old, path), new.read_at(pair.new, path)) for path in unlike
        )

    def compare_emitted(self, pair: Pair) -> tuple[FieldChange, ...]:
        """Compare all but the plan of a linker."""
        old, new = self._names
        return self._compare_fields(pair, (partial(is_plan, old), partial(is_plan, new)))

    def _compare_fields(
        self, pair: Pair, left_out: tuple[LeftOut, LeftOut]
    ) -> tuple[FieldChange, ...]:
        if pair.old is None or pair.new is None:
            return ()
        dialects = (release.dialect for release in self._releases)
        readers = self._read(map(_without_namespaces, left_out, dialects), pair)
        before, after = (
            reader.read_item(item)
            for reader, item in zip(readers, (pair.old, pair.new), strict=True)
        )
        return tuple(compare_trees(before, after))

    def _read(self, left_out: Iterable[LeftOut], pair: Pair) -> Iterator[TreeReader]:
        kinds = repeat(kind_for_masks(*pair))
        return map(TreeReader, self._names, left_out, self._made_anew_in(pair), kinds)

    def read_lone(self, pair: Pair) -> ShownValue | None:
        """Return what may be shown of an object that is on one side only."""
        left_out = left_out_of(pair)
        readers = self._read((left_out, left_out), pair)
        for reader, item in zip(readers, pair, strict=True):
            if item is not None:
                return show(reader.read_item(item))
        return None

    def compare_content(self, pair: Pair) -> tuple[KeyChange, ...]:
        if not any(item is not None and item.is_config for item in pair):
            return ()
        before, after = self._made_anew_in(pair)
        changes: list[KeyChange] = []
        for key, old, new in compare_content(*pair):
            old_is_anew, new_is_anew = is_new_key(before, key), is_new_key(after, key)
            if old and new and old_is_anew and new_is_anew:
                continue  # two renderings of one content would differ there as well
            changes.append(
                KeyChange(key, self._show(old, old_is_anew), self._show(new, new_is_anew))
            )
        return tuple(changes)

    def _show(self, value: Shown | None, is_anew: bool) -> Shown | None:
        if value is None or value.text is None:
            return value
        return value._replace(text=MADE_ANEW if is_anew else self._names[1].hide(value.text))

    def _made_anew_in(self, pair: Pair) -> tuple[Collection[FieldPath], Collection[FieldPath]]:
        """Return what each side makes anew.

        Where one side is from no chart, as a stored rendering, the other one tells.
        """
        if not self._has_made_anew:
            return (), ()
        found: list[Collection[FieldPath] | None] = []
        for release, item in zip(self._releases, pair, strict=True):
            found.append(release.made_anew.get(item) if item else None)
        old, new = found
        if old is None:
            old = new or ()
        return old, old if new is None else new

    def has_new_content(self, pair: Pair) -> bool:
        """Tell whether every rendering of both sides makes the content anew, and so its name."""
        return all(map(has_new_content, self._made_anew_in(pair)))

    def is_named_anew(self, pair: Pair) -> bool:
        return None not in pair and all(WHOLE in places for places in self._made_anew_in(pair))

    def note_made_anew(self, compared: ComparedPair) -> Iterator[str]:
        """Yield what to say of an object that every rendering of both sides makes anew in part."""
        pair = compared.pair
        before, after = self._made_anew_in(pair)
        if pair.old is None or pair.new is None or not (before or after or compared.made_anew):
            return
        who = _who(pair.new, self._releases[1])
        title = f"{who.kind} {'/'.join(filter(None, [who.namespace, who.base]))}"
        if self.is_named_anew(pair):
            yield f"{title}: every rendering gives it another name, which is not compared"
            return
        names: list[str] = []
        if pair.new.is_config:
            in_both = read_content(pair.old.node).keys() & read_content(pair.new.node).keys()
            names = [
                key for key in sorted(in_both) if is_new_key(before, key) and is_new_key(after, key)
            ]
        names += [change.path for change in compared.made_anew]
        if names:
            places = self._names[1].hide(listing(names, _MOST_PLACES))
            yield f"{title}: every rendering makes {places} anew, which is not compared"


class _Writer:
    def __init__(
        self,
        releases: tuple[Release, Release],
        rolls: Rolls,
        renamed: Collection[Item],
        refusals: Mapping[Item, str],
    ) -> None:
        self._old, self._new = releases
        self._rolls = rolls
        self._refusals = refusals
        self._renamed = renamed
        self._unmet = [
            one._replace(meant=one.meant._replace(namespace=_spell(one.meant.namespace, self._new)))
            for one in find_unmet_needs(self._new.package, self._new.references)
        ]
        needs = find_unmet_needs(self._old.package, self._old.references)
        self._unmet_before = {one.meant for one in needs}

    @cached_property
    def _moved(self) -> dict[_Line, _Line]:
        return _find_moved(self._old, self._new)

    def write(
        self, pair: Pair, fields: tuple[FieldChange, ...], content: tuple[KeyChange, ...] = ()
    ) -> ObjectChange:
        old, new = pair
        change = ObjectChange(
            None if old is None else _who(old, self._old),
            None if new is None else _who(new, self._new),
            keys=content,
            fields=fields,
            rolls=() if new is None else self._rolls_of(new),
        )
        change = self._add_missing(change, pair)
        if old is not None and new is None:
            return change._replace(fate=find_fate(old, self._old, self._new))
        was, becomes = change.old, change.new
        if was and becomes and is_spelled_anew(pair, self._old, self._new):
            change = change._replace(old=was._replace(base=becomes.base))
        change = change._replace(refusal=self._refusals.get(new) if new else None)
        if old is not None and new is not None and new in self._renamed and _is_followed(new):
            pruners = find_pruners(old, new) if list_users(old, self._old) else []
            return change._replace(has_new_name=True, hazards=tuple(pruners))
        return change

    def _add_missing(self, change: ObjectChange, pair: Pair) -> ObjectChange:
        """Add the workloads whose new pods do not start, and why if not for the name of the old object."""
        old, new = pair
        if old is None or not is_versioned(old):
            return change
        home = self._old.namespace_of(old)
        waiting = self._find_nameless(old, new)
        where = min(waiting.values(), default=home)
        lack = "" if where == home else f"is not in namespace {where}, where they are now"
        if not waiting and new is not None:
            lack = "a key that they need is gone"
            gone = {one.key for one in change.keys if one.new is None}
            for one in find_lost_keys(self._new.package, self._new.references, new, gone):
                if one.resource:
                    waiting[f"{one.resource.kind}/{one.resource.name}"] = home
        return change._replace(missing=tuple(sorted(waiting)), missing_in=where, lack=lack)

    def _find_nameless(self, old: Item, new: Item | None) -> dict[str, str]:
        """Return the new workloads that need an object by a name which nothing has any more, and where they are.

        Where the object has a successor, they have read it, and name it in a way that does not follow:
        without krm-fn, kustomize gives no hash to a name in a kind that it does not know. Or they
        are in another namespace now. There, somebody else may have the name: whoever copies the
        object, or whoever else has needed it before.
        """
        has_successor = new is not None and base_name(new) == base_name(old)
        readers = {_line_of(one.referrer, self._old) for one in self._old.by_target.get(old, ())}
        home, is_copied = self._old.namespace_of(old), not COPIED.keys().isdisjoint(old.annotations)
        waiting: dict[str, str] = {}
        for one in self._unmet:
            who, where = one.resolved.referrer, one.meant.namespace
            is_here, line = where == home, _line_of(who, self._new)
            # A package that drops the object and moves may read one that is there already.
            before = self._moved.get(line, line) if has_successor else line
            was_met = before in readers
            is_kept = is_here and bool(find_deployers(old))
            if not is_here and (is_copied or one.meant in self._unmet_before):
                continue
            if has_successor:
                # The name of an earlier revision is a pin.
                is_missing = was_met and one.is_about(old, is_kept=is_kept)
            else:
                is_about = one.is_about(old, is_kept=is_kept, was_met=was_met)
                is_missing = is_about and (is_here or was_met)
            if is_missing:
                waiting[f"{who.id.kind}/{base_name(who)}"] = where
        return waiting

    def _rolls_of(self, item: Item) -> tuple[Roll, ...]:
        if is_versioned(item):
            return tuple(sorted(self._rolls.by_config.get(item, ())))
        own = self._rolls.by_workload.get(item)
        return (own,) if own else ()


def _spell(namespace: str, release: Release) -> str:
    return release.dialect.namespaces.get(namespace, namespace)


def _line_of(item: Item, release: Release) -> _Line:
    """Return what an object and its successors have in common."""
    return (*scope_of(item, release), base_name(item))


def _find_moved(old: Release, new: Release) -> dict[_Line, _Line]:
    """Return for each object that is only in another namespace now what it was."""
    before = {_line_of(item, old) for item in old.package.authored}
    after = {_line_of(item, new) for item in new.package.authored}
    left = {(*line[:2], line[3]): line for line in sorted(before - after)}
    came = {line: left.get((*line[:2], line[3])) for line in after - before}
    return {line: was for line, was in came.items() if was}


def _who(item: Item, release: Release) -> ComparedObject:
    is_of_secret = item.id.kind == "Secret" or item.labels.get(keys.COMPONENT) == keys.TRACKER
    name = None if is_of_secret and is_named_by_content(item) else item.id.name
    namespace = release.package.namespace_of(item)
    api_version, kind = item.id.api_version, item.id.kind
    if is_emitted(item):
        linker = item.labels.get(keys.SET, "")
        base = emitted_base(item)
        return ComparedObject(api_version, kind, namespace, name, base, set_of(item), linker)
    return ComparedObject(api_version, kind, namespace, name, base_name(item), set_of(item))


def _is_followed(item: Item) -> bool:
    """Tell whether others reference the object, so that its new name is a change to them."""
    return is_versioned(item) and not is_emitted(item)


def _is_revision(pair: Pair) -> bool:
    return any(item is not None and set_of(item) for item in pair)


def _differs(change: ObjectChange) -> bool:
    old, new = change.old, change.new
    if old is None or new is None or (old.base, old.set) != (new.base, new.set):
        return True
    return change.has_new_name or bool(
        change.keys or change.fields or change.rolls or change.refusal or change.missing
    )


def _place(change: ObjectChange) -> tuple[str, ...]:
    who = change.who
    return who.namespace, who.kind, who.base, who.name or ""
