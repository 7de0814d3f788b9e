"""Where somebody has written what is rendered: a file, and a line in it.

Nobody finds a field of an object by its path alone, in a stream of a thousand objects from a
hundred files.
"""

import re
from collections.abc import Iterable

from krm_fn.base.item import Item, read_item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Mark, Marks, Node, Scalar, is_mapping, read_path
from krm_fn.base.problem import Problem
from krm_fn.core.config.config import place_settings
from krm_fn.core.yaml.yaml import Envelope


class SourceLine(NamedTuple):
    """A file and a line, counted from 1. `""` and 0 where they are not known."""

    file: str = ""
    line: int = 0


NOWHERE = SourceLine()


_ORIGIN = re.compile(r"^(?:path|configuredIn): (?P<file>.+)$", re.MULTILINE)
"""The file of an object in kustomize's annotation, if `buildMetadata` asks for it: relative to that kustomization."""


class Places:
    """The places of everything that was read: objects by the names of their texts, and the configuration."""

    def __init__(
        self, envelopes: Iterable[tuple[str, Envelope]], configuration: tuple[str, Node | None]
    ) -> None:
        self._files = {item.node: name for name, envelope in envelopes for item in envelope.items}
        self._config_file, self._config = configuration
        self._marks = Marks()

    def of(self, item: Item, field: str = "") -> SourceLine:
        """Return the place of a field of an object: of its name, or what is around it where it is missing."""
        return self._at(item, self._marks.of(item.node, read_path(field)))

    def of_text(self, item: Item, field: str, scalar: Scalar, line: int) -> SourceLine:
        """Return the place of a line of a scalar's text, counted from 0.

        Only in a literal block is it known.
        """
        if scalar.style != "|":
            return self.of(item, field)
        place = self._at(item, scalar.start_mark)
        return place._replace(line=place.line + 1 + line) if place.line else place

    def of_setting(self, field: str) -> SourceLine:
        """Return the place of a setting such as `spec.select[0]`."""
        if not is_mapping(self._config):
            return NOWHERE
        (problem,) = place_settings([Problem("", read_item(self._config).id, field)], self._config)
        return SourceLine(self._config_file, problem.line)

    def _at(self, item: Item, mark: Mark) -> SourceLine:
        origin = _ORIGIN.search(item.annotations.get("config.kubernetes.io/origin", ""))
        if origin:
            return SourceLine(origin["file"])
        name = self._files.get(item.node, "")
        # The lines of a stream are not those of the files of a kpt package in it.
        return SourceLine(name, mark.line + 1) if item.file in ("", name) else SourceLine(item.file)
