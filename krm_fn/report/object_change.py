"""The differences in one object, as values without a Secret's value or a digest of one.

A comparison of two renderings and the history of a revision say the same of a change.
"""

import math
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TypeAlias

from krm_fn.base.item import Item, collect
from krm_fn.base.kind import CONSUMER_KINDS, cannot_change, fits, is_replaced
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, text
from krm_fn.facts.kinds import EFFECTS, HOLDS, RUNS
from krm_fn.report.secrets import KeyChange

ShownValue: TypeAlias = str | dict[str, "ShownValue"] | list["ShownValue"]
"""What is shown of a field: every scalar as text, with quotes where it would mean something else without them."""


def spell_texts(value: ShownValue | None, spell: Callable[[str], str]) -> ShownValue | None:
    """Return the shown value of a field with its texts in another spelling. Field names stay."""
    if isinstance(value, dict):
        return {name: spell_texts(child, spell) or "" for name, child in value.items()}
    if isinstance(value, list):
        return [spell_texts(child, spell) or "" for child in value]
    return spell(value) if value else value


class Cause(StrEnum):
    """The part of a pod template that has changed, the most telling first; at last, the rest of the spec."""

    NAME = "name"
    CHECKSUM = "checksum"
    IMAGE = "image"
    TEMPLATE = "template"
    SPEC = "spec"


class Effect(StrEnum):
    """The effect of a change on a workload, the strongest first.

    `ROLLS`, `ENDS_RUNS` and `RUNS` make pods. `REPLACES_MACHINES`: those of a control plane.
    `RELEASED`: it rolls if an earlier change has been held back.
    `ON_DELETE`, `PAUSED` and `PARTITION` hold back another pod template. `IN_PLACE`: pods that run
    see other files. `NEXT_START`: pods read it when they start. `CHANGES`: to an object without
    pods.
    """

    ROLLS = "rolls"
    REPLACES_MACHINES = "replaces-machines"
    ENDS_RUNS = "ends-runs"
    NEXT_RUN = "next-run"
    RUNS = "runs-again"
    NEW_PODS = "new-pods"
    RELEASED = "released"
    ON_DELETE = "on-delete"
    PAUSED = "paused"
    PARTITION = "partition"
    REFUSED = "refused"
    IN_PLACE = "in-place"
    NEXT_START = "next-start"
    CHANGES = "changes"


MAKES_PODS = frozenset((Effect.ROLLS, Effect.ENDS_RUNS, Effect.RUNS))
KEEPS_PODS = frozenset(
    (Effect.ON_DELETE, Effect.PAUSED, Effect.PARTITION, Effect.IN_PLACE, Effect.NEXT_START)
)


_EFFECTS = {kind.kind: Effect(kind.on_change) for kind in CONSUMER_KINDS if kind.on_change}
"""The effect of another pod template on kinds that do not replace their pods, by the documentation of each."""


class _Special(NamedTuple):
    """What another pod template does to objects that say `when`.

    Each change of the field `own` does so too, but for the fields `but` in it.
    """

    when: str
    effect: str
    own: str
    but: tuple[str, ...]


_SPECIAL = collect(
    ((group, kind), _Special(when, effect, own, but))
    for group, kind, when, effect, own, but, _ in EFFECTS
)

_POSITION = re.compile(r"\[[^][]*\]")


class Hold(NamedTuple):
    """A setting that keeps pods as they are: all with an `effect`, else the first `pods`."""

    effect: Effect | None
    pods: float


_NO_HOLD = Hold(None, 0)


Scaled: TypeAlias = frozenset[tuple[str, str, str]]
"""Namespaces, kinds and names."""


def list_scaled(items: Iterable[Item]) -> Scaled:
    """Return namespace, kind and name of what an autoscaler gives another number of replicas."""
    scaled: set[tuple[str, str, str]] = set()
    for item in items:
        target = get(item.node, "spec", "scaleTargetRef")
        if target is not None:
            kind = text(get(target, "kind")) or "Deployment"  # KEDA's default
            scaled.add((item.id.namespace, kind, text(get(target, "name"))))
    return frozenset(scaled)


def read_hold(item: Item, scaled: Scaled) -> Hold:
    """Return what keeps the pods of a workload as they are when its template changes."""
    for group, kind, path, says, effect in HOLDS:
        if item.id.group_kind != (group, kind):
            continue
        found = text(get(item.node, *path.split("/")))
        if says and found.lower() == says.lower():
            return Hold(Effect(effect), math.inf)
        if not says and found.isdecimal() and int(found):
            is_scaled = (item.id.namespace, kind, item.id.name) in scaled
            replicas = text(get(item.node, "spec", "replicas")) or "1"
            holds_all = replicas.isdecimal() and int(found) >= int(replicas) and not is_scaled
            return Hold(Effect(effect) if holds_all else None, int(found))
    return _NO_HOLD


def is_like_template(item: Item, field: str) -> bool:
    """Tell whether a change of a field does what another pod template does to an object."""
    path = _POSITION.sub("", field)
    for one in _SPECIAL.get(item.id.group_kind, ()):
        if fits(item, one.when):
            return bool(one.own) and path.startswith(one.own) and not path.startswith(one.but)
    return item.id.kind == "Pod" and path.startswith("spec.")


def effect_on(item: Item, *, keeps_name: bool, scaled: Scaled = frozenset()) -> Effect:
    """Return the effect of another pod template on an object, whose name may change with it.

    `scaled`: the workloads that do not have the replicas which they say.
    """
    held = read_hold(item, scaled).effect
    if held is not None:
        return held
    is_refusing = item.id.group_kind in RUNS and not is_replaced(item)
    if is_refusing or cannot_change(item):
        return Effect.REFUSED if keeps_name else Effect.RUNS
    for one in _SPECIAL.get(item.id.group_kind, ()):
        if fits(item, one.when):
            return Effect(one.effect)
    if item.id.kind in {"Job", "Pod"} and is_replaced(item):
        return Effect.RUNS
    return _EFFECTS.get(item.id.kind, Effect.ROLLS)


class Refusal(StrEnum):
    """Why the API server refuses to update a ConfigMap or Secret.

    `IMMUTABLE`: what is immutable stays so. `CONTENT`: and keeps its content. `TYPE`: a Secret
    keeps its type.
    """

    IMMUTABLE = "immutable"
    CONTENT = "content"
    TYPE = "type"


def is_immutable(item: Item) -> bool:
    return text(get(item.node, "immutable")).lower() == "true"


class RemovalOutcome(StrEnum):
    """The fate of an object that is no longer rendered.

    `KEPT`: until nothing in the cluster uses it; `RETAINED`: for good; `UNUSED`: the linker deletes
    it with the next run; `PRUNED`: at once by the deployer; `LEFT`: the deployer does not prune it,
    and nothing else deletes it; `EMPTIED`: with it, the API server deletes all that it is the
    namespace or the definition of.
    """

    KEPT = "kept"
    RETAINED = "retained"
    UNUSED = "unused"
    PRUNED = "pruned"
    LEFT = "left"
    EMPTIED = "emptied"


class ComparedObject(NamedTuple):
    """An object. `name` is None for a Secret whose name is made from its content.

    `linker`: the set whose linker it belongs to, by which packages are compared. It is not written.
    """

    api_version: str
    kind: str
    namespace: str
    name: str | None
    base: str
    set: str = ""
    linker: str = ""


class FieldChange(NamedTuple):
    """A field that differs; None on the side that lacks it.

    Values that may not be shown are sizes.
    """

    path: str
    old: ShownValue | None
    new: ShownValue | None


class Roll(NamedTuple):
    """The effect of a change on a workload, and the part of its pod template that has changed."""

    kind: str
    namespace: str
    name: str
    effect: Effect
    by: tuple[Cause, ...]


class Removal(NamedTuple):
    """An object that is no longer rendered, and its fate.

    `users` are the workloads that still used it, or the objects that go with it.

    `rollouts`: after how many more of a user its history has lost the object; None if nobody has
    looked.
    """

    outcome: RemovalOutcome
    users: tuple[str, ...] = ()
    deployers: tuple[str, ...] = ()
    rollouts: int | None = None


class HandEdit(NamedTuple):
    """A field of a live object that not its deployer has set: the field's manager, and when."""

    path: str
    manager: str
    time: str


class ObjectChange(NamedTuple):
    """One object that differs; None on the side that lacks it.

    `has_new_name`: it is another ConfigMap or Secret to the cluster. `rolls` are the workloads that
    roll because of it; for a workload that rolls by itself, that one. `hazards` are the deployers
    that would prune the old one while pods use it. `missing` are the workloads that still need the
    old one to start pods, though nothing has its name any more or, as `lack` says, for another
    reason; `missing_in` is the namespace where they need it. `refusal`: why the API server does
    not take the new one, a `Refusal` or the path of a field that cannot change in this way. `edits`
    are the fields of a live one that would be set back. `whole`: what is
    there of an object that is on one side only, by which packages are compared. It is not written.
    """

    old: ComparedObject | None
    new: ComparedObject | None
    has_new_name: bool = False
    keys: tuple[KeyChange, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    rolls: tuple[Roll, ...] = ()
    fate: Removal | None = None
    hazards: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    missing_in: str = ""
    lack: str = ""
    refusal: str | None = None
    edits: tuple[HandEdit, ...] = ()
    whole: ShownValue | None = None

    @property
    def empties(self) -> bool:
        return self.fate is not None and self.fate.outcome is RemovalOutcome.EMPTIED

    @property
    def who(self) -> ComparedObject:
        """The object, as it is called now."""
        who = self.new or self.old
        assert who is not None, "no object is missing on both sides"  # noqa: S101  # for the type checker
        return who
