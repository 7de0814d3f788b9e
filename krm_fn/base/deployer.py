"""How deployers treat an object: what stops them from pruning or renaming it, and when they apply or replace it.

What each deployer does is a row of `facts/deployers.py`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import IntEnum
from itertools import chain
from typing import Any, NamedTuple

from krm_fn.base.item import Item
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.facts import deployers as facts


def read_options(text: str) -> list[str]:
    """Read an annotation that is a comma list as Argo CD and Helm do: blanks around an option do not count."""
    return [option.strip() for option in text.split(",")]


class Protection(NamedTuple):
    """One annotation. `part_of_list`: the value is one entry of a comma list, whose keys precede a `=`.

    `keeps`: without it the deployer prunes the object. The others only stop it from reporting the object as obsolete.
    """

    annotation: str
    value: str
    part_of_list: bool = False
    keeps: bool = True

    def added_to(self, present: str) -> str | None:
        """Return the annotation's value with the protection in it, None where the present value is the opposite."""
        if not present:
            return self.value
        if self.is_in(present):
            return present
        key = self.value.partition("=")[0]
        if not self.part_of_list or any(option.partition("=")[0] == key for option in read_options(present)):
            return None
        return f"{present},{self.value}"

    def removed_from(self, present: str) -> str | None:
        """Return the annotation's value without the protection, None where nothing else is in it."""
        if not self.is_in(present):
            return present
        others = [option for option in read_options(present) if option != self.value] if self.part_of_list else []
        return ",".join(others) or None

    def is_in(self, present: str) -> bool:
        """Tell whether the annotation's value holds the protection."""
        return self.value in (read_options(present) if self.part_of_list else [present])


class Instruction(NamedTuple):
    """Texts in an annotation that tell a deployer to treat an object in another way than others.

    The annotation is a comma list of options with all of `says` and none of `lacks`, or, if not `part_of_list`, it is
    exactly the one text of `says`. Without `says`, it may be any text.
    """

    annotation: str
    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    part_of_list: bool = False
    in_any_case: bool = False

    def is_in(self, present: str) -> bool:
        text = present.lower() if self.in_any_case else present
        found = set(read_options(text) if self.part_of_list else [text])
        says = {one.lower() for one in self.says} if self.in_any_case else self.says
        return found.issuperset(says) and found.isdisjoint(self.lacks)


class Phase(IntEnum):
    """The parts of one deployment, in order. All of one is done before the next begins."""

    BEFORE = 0
    MAIN = 1
    AFTER = 2


class Step(NamedTuple):
    """A place in the order of one deployment. `hook` is the kind of hook that is there, `""` for a plain object."""

    phase: Phase
    wave: int
    hook: str = ""

    def is_before(self, other: "Step") -> bool:
        """Tell whether the deployer is done with this step before it begins the other."""
        return (self.phase, self.wave) < (other.phase, other.wave)


class Deployer(NamedTuple):
    """What a deployer does. `name` and `deployment` are what people call it, and one run of it.

    `protections` are set on revisions. `protections_of_others` stop it from pruning as well, though this project does
    not write them. `reads_labels`: its marks may be labels. `spares_owned`: it never prunes an object with an owner.

    `hooks`: by annotation, of which the first that an object has counts, the words that have a place in the order.
    `waves`: annotations with a number in that order; the first that holds one counts. `waits_for`: kinds by group that
    it waits for before the next step; with `waits_for_others`, it may also wait for kinds that `facts/kinds.py` lacks.

    `replaces`: by which it deletes an object and creates it again where the API server refuses a change.
    `passes_over`: by which it does not apply an object, or never again.

    `managers`: the managers of fields that it applies. `marks`: labels and annotations that it adds to objects.
    `tracks`: more of them, by whose values it knows its own.

    `decrypts`: it decrypts what SOPS encrypted, and checks no MAC. `keeps_boolean_words`: it never reads `yes` and the
    like as booleans, as sigs.k8s.io/yaml does.
    """

    name: str
    protections: tuple[Protection, ...] = ()
    protections_of_others: tuple[Protection, ...] = ()
    reads_labels: bool = False
    spares_owned: bool = False
    deployment: str = ""
    hooks: Mapping[str, Mapping[str, Phase]] = {}  # of a tuple, whose fields nobody changes
    waves: tuple[str, ...] = ()
    waits_for: frozenset[tuple[str, str]] = frozenset()
    waits_for_others: bool = False
    replaces: tuple[Instruction, ...] = ()
    passes_over: tuple[Instruction, ...] = ()
    managers: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()
    decrypts: bool = False
    keeps_boolean_words: bool = False

    @property
    def keepers(self) -> tuple[Protection, ...]:
        """The annotations that stop it from pruning; none for one that prunes nothing."""
        return tuple(one for one in self.protections if one.keeps)


def _read_deployer(row: Any) -> Deployer:
    hooks: dict[str, dict[str, Phase]] = {}
    for annotation, words in row.get("hooks", {}).items():
        hooks[annotation] = {word: Phase[phase] for word, phase in words.items()}
    return Deployer(
        **{
            **row,
            "protections": tuple(Protection(**one) for one in row.get("protections", ())),
            "protections_of_others": tuple(Protection(**one) for one in row.get("protections_of_others", ())),
            "hooks": hooks,
            "waits_for": frozenset(_read_kind(kind) for kind in row.get("waits_for", ())),
            "replaces": tuple(Instruction(**one) for one in row.get("replaces", ())),
            "passes_over": tuple(Instruction(**one) for one in row.get("passes_over", ())),
        }
    )


def _read_kind(text: str) -> tuple[str, str]:
    group, _, kind = text.rpartition("/")
    return group, kind


DEPLOYERS = {key: _read_deployer(row) for key, row in facts.DEPLOYERS.items()}

# Deployers read these on the live object: they protect only what an earlier deployment has applied.
PROTECTIONS = {key: one.protections for key, one in DEPLOYERS.items()}


def protections_of(deployers: Iterable[str]) -> list[Protection]:
    """Return what stops these deployers from pruning an object."""
    protections: list[Protection] = []
    for deployer in deployers:
        protections.extend(PROTECTIONS[deployer])
    return protections


KAPP_VERSIONED = "kapp.k14s.io/versioned"
"""Annotation by the author, with any value: kapp adds `-ver-1` to the name, and a higher number at every change."""

SPINNAKER_VERSIONED = "strategy.spinnaker.io/versioned"
"""Annotation by the author: unless it is "false", Spinnaker adds `-v000` to the name of a ConfigMap or Secret."""

_SPINNAKER = "spinnaker"
_NOT_BY_SPINNAKER = "false"


def keep_name(annotations: Mapping[str, str], deployers: Collection[str]) -> dict[str, str | None]:
    """Return the annotations to set, and to remove (None), so that no deployer changes the rendered name."""
    spinnaker = {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if SPINNAKER_VERSIONED in annotations else {}
    # kustomize and kapp would put a second suffix behind the content name (decision 15).
    return {NEEDS_HASH_SUFFIX: None, KAPP_VERSIONED: None, **spinnaker, **keep_new_name(deployers)}


def keep_new_name(deployers: Collection[str]) -> dict[str, str]:
    """Return the annotations to set on a new ConfigMap for the same reason."""
    return {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if _SPINNAKER in deployers else {}


def is_named_at_deploy(annotations: Mapping[str, str], deployers: Collection[str]) -> bool:
    """Tell whether a deployer will change the name, so that it is unknown until then."""
    # Without the annotation, Spinnaker adds its suffix to every ConfigMap and Secret.
    by_spinnaker = annotations.get(SPINNAKER_VERSIONED, "true" if _SPINNAKER in deployers else _NOT_BY_SPINNAKER)
    return KAPP_VERSIONED in annotations or by_spinnaker.lower() == "true"


SYNC_WAVE = "argocd.argoproj.io/sync-wave"

# Reversed, so that the hook of Helm is named for an object that is a hook of Argo CD's as well.
HOOKS = tuple(dict.fromkeys(chain.from_iterable(one.hooks for one in reversed(DEPLOYERS.values()))))
"""Annotations of objects that a deployer creates and deletes during one step of a deployment."""

_ORDERING = frozenset(HOOKS).union(*(one.waves for one in DEPLOYERS.values()))
_NUMBER = re.compile("[-+]?[0-9]{1,18}")


def is_hook(item: Item) -> bool:
    """Tell whether the object lives and dies with one step of a deployment."""
    return any(hook in item.annotations for hook in HOOKS)


def is_ordered(item: Item) -> bool:
    """Tell whether any annotation says when the object is to be applied."""
    return not _ORDERING.isdisjoint(item.annotations)


def is_recreated(item: Item) -> bool:
    """Tell whether a deployer deletes the object and creates it again where the API server refuses a change."""
    for deployer in DEPLOYERS.values():
        for replacement in deployer.replaces:
            if replacement.is_in(item.annotations.get(replacement.annotation, "")):
                return True
            if deployer.reads_labels and replacement.is_in(item.labels.get(replacement.annotation, "")):
                return True
    return False


def find_passed_over(item: Item, deployer: str) -> Iterator[str]:
    """Yield each label and annotation of an object for which the deployer does not apply it, or never again."""
    known = DEPLOYERS[deployer]
    for one in known.passes_over:
        for name, marks in (("annotations", item.annotations), ("labels", item.labels))[: 1 + known.reads_labels]:
            if one.annotation in marks and one.is_in(marks[one.annotation]):
                yield f"metadata.{name}[{one.annotation}]"


def first_step(item: Item, deployer: str) -> Step | None:
    """Return when the deployer first applies the object; None for a hook outside of the order.

    A deployer that knows neither hooks nor waves applies everything in one step.
    """
    known = DEPLOYERS[deployer]
    wave = _number_of_wave(item, known.waves)
    for annotation, phases in known.hooks.items():
        if annotation in item.annotations:
            words = read_options(item.annotations[annotation])
            return min((Step(phases[word], wave, word) for word in words if word in phases), default=None)
    return Step(Phase.MAIN, wave)


def wave_of(item: Item) -> str:
    """Return the sync wave as written; `""` for none, which Argo CD reads as 0."""
    return item.annotations.get(SYNC_WAVE, "")


def wave_order(wave: str) -> tuple[int, str]:
    """Return a key that sorts waves as Argo CD does."""
    return (_read_number(wave) or 0, wave)


def first_wave(wave: str, items: Iterable[Item]) -> str:
    """Return the wave as written, or that of the first of the objects where Argo CD applies it earlier."""
    own = _read_number(wave) or 0
    first = min((own, *(_number_of_wave(item, DEPLOYERS["argocd"].waves) for item in items)))
    return wave if first == own else str(first)


def _number_of_wave(item: Item, waves: Iterable[str]) -> int:
    numbers = (_read_number(item.annotations.get(name, "")) for name in waves)
    return next((number for number in numbers if number is not None), 0)


def _read_number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None
