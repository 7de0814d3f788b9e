"""An explanation as values. Nothing in it is a Secret's value, or a digest of one."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from krm_fn.base.item import Item, read_item
from krm_fn.base.node import Mark, Marks, Node, Scalar, is_mapping, read_path
from krm_fn.base.problem import ResourceId
from krm_fn.core.config.plain import place_setting
from krm_fn.core.decide.reason import Reason
from krm_fn.core.references.reference import Rule
from krm_fn.core.yaml.envelope import Envelope

ABSENT = "absent"
"""The strategy of an object that is only referenced; also the reason why nothing follows it."""

OLDER, MISSPELLED, LOOKALIKE, OPTION, FIELD, TEXT = "older", "misspelled", "lookalike", "option", "field", "text"
"""Reasons why a field is not followed, beside those of `PassedOver`."""


class SourceLine(NamedTuple):
    """A file and a line, counted from 1. `""` and 0 where they are not known."""

    file: str = ""
    line: int = 0


NOWHERE = SourceLine()


class Because(NamedTuple):
    """What decides, and where that is written."""

    reason: Reason
    place: SourceLine = NOWHERE


class ExplainedReference(NamedTuple):
    """A field that names the object. `who` is the referrer under its base name, `text` the name as it is written.

    `is_changed`: the function changes the field, or adds it. `notes`: what else there is to say.
    """

    who: ResourceId
    place: SourceLine
    field: str
    text: str
    rule: Rule
    is_changed: bool
    notes: tuple[str, ...] = ()


class Unfollowed(NamedTuple):
    """What looks like a reference and is none. `reason` is the kind of reason, `text` says it to people."""

    who: ResourceId
    place: SourceLine
    field: str
    reason: str
    text: str


class Restart(NamedTuple):
    """A pod template that gets a checksum of the object. `keys`: those that count, None for all.

    `asked_by`: the controller whose annotation asks for it; `""` where the strategy does. `is_set`: it gets the
    checksum; the template of a Job cannot change.
    """

    who: ResourceId
    place: SourceLine
    field: str
    keys: tuple[str, ...] | None
    asked_by: str
    is_set: bool


Hashed: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Fields of a ConfigMap or Secret, and the keys in each."""


class Explained(NamedTuple):
    """One ConfigMap or Secret, under its base name.

    `present_name`: the name that it has. `new_name`: the one that it gets, `""` where it keeps its own. Both are None
    where they have the hash of a Secret. `hashed`: the fields that this hash covers, with their keys; None without a
    hash. `hints`: who may look it up by its name all the same.
    """

    who: ResourceId
    present_name: str | None
    place: SourceLine
    strategy: str
    because: Because
    hints: tuple[Because, ...] = ()
    new_name: str | None = ""
    hashed: Hashed | None = None
    references: tuple[ExplainedReference, ...] = ()
    unfollowed: tuple[Unfollowed, ...] = ()
    restarts: tuple[Restart, ...] = ()
    warnings: tuple[str, ...] = ()


class Explanation(NamedTuple):
    """All objects that were asked for, in order of namespace, kind and name."""

    objects: tuple[Explained, ...]


_ORIGIN = re.compile(r"^(?:path|configuredIn): (?P<file>.+)$", re.MULTILINE)
"""What kustomize says of the file of an object, if `buildMetadata` asks for it: relative to that kustomization."""


class Places:
    """The places of everything that was read: objects by the names of their texts, and the configuration."""

    def __init__(self, envelopes: Iterable[tuple[str, Envelope]], configuration: tuple[str, Node | None]) -> None:
        self._files: dict[Node, str] = {}
        for name, envelope in envelopes:
            for item in envelope.items:
                self._files[item.node] = name
        self._config_file, self._config = configuration
        self._marks = Marks()

    def of(self, item: Item, field: str = "") -> SourceLine:
        """Return the place of a field of an object: of its name, or what is around it where it is missing."""
        return self._at(item, self._marks.of(item.node, read_path(field)))

    def of_text(self, item: Item, field: str, scalar: Scalar, line: int) -> SourceLine:
        """Return the place of a line of a scalar's text, counted from 0. Only in a literal block is it known."""
        if scalar.style != "|":
            return self.of(item, field)
        place = self._at(item, scalar.start_mark)
        return place._replace(line=place.line + 1 + line) if place.line else place

    def of_setting(self, field: str) -> SourceLine:
        """Return the place of a setting such as `spec.select[0]`."""
        if not is_mapping(self._config):
            return NOWHERE
        problem = place_setting(read_path(field), self._config, read_item(self._config).id, "")
        return SourceLine(self._config_file, problem.line)

    def _at(self, item: Item, mark: Mark) -> SourceLine:
        origin = _ORIGIN.search(item.annotations.get("config.kubernetes.io/origin", ""))
        if origin:
            return SourceLine(origin["file"])
        name = self._files.get(item.node, "")
        # The lines of a stream are not those of the files of a kpt package in it.
        return SourceLine(name, mark.line + 1) if item.file in ("", name) else SourceLine(item.file)


_OUTCOMES = {"rename": "renamed", "adopt": "adopted", "checksum": "with a checksum", ABSENT: "not in the package"}


def sum_up_explanation(explanation: Explanation) -> str:
    """Return `2 renamed, 1 left alone`."""
    counts = Counter(outcome(one) for one in explanation.objects)
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    return outcomes or "no ConfigMap or Secret in the package"


def outcome(one: Explained) -> str:
    """Say in a word or two what happens to an object: `renamed`, `left alone`."""
    if one.strategy == "ignore":
        return "restored" if one.new_name else "left alone"
    return _OUTCOMES[one.strategy]
