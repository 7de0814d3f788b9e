"""Files and lines of objects, of their fields, and of names in their data."""

import re

from krm_fn.config.plain import place as place_setting
from krm_fn.explain.explanation import NOWHERE, Place
from krm_fn.model.item import Item, read_item
from krm_fn.model.node import Mark, Marks, Scalar, is_mapping, read_path
from krm_fn.render.render import Opened

_ORIGIN = re.compile(r"^(?:path|configuredIn): (?P<file>.+)$", re.MULTILINE)
"""What kustomize says of the file of an object, if `buildMetadata` asks for it: relative to that kustomization."""


class Places:
    """The places of everything that was read."""

    def __init__(self, opened: Opened) -> None:
        self._files = {item.node: name for name, envelope in opened.envelopes for item in envelope.items}
        self._config_file, self._config = opened.configuration
        self._marks = Marks()

    def of(self, item: Item, field: str = "") -> Place:
        """Return the place of a field of an object: of its name, or what is around it where it is missing."""
        return self._at(item, self._marks.of(item.node, read_path(field)))

    def of_text(self, item: Item, field: str, scalar: Scalar, line: int) -> Place:
        """Return the place of a line of a scalar's text, counted from 0. Only in a literal block is it known."""
        if scalar.style != "|":
            return self.of(item, field)
        place = self._at(item, scalar.start_mark)
        return place._replace(line=place.line + 1 + line) if place.line else place

    def of_setting(self, field: str) -> Place:
        """Return the place of a setting such as `spec.select[0]`."""
        if not is_mapping(self._config):
            return NOWHERE
        problem = place_setting(read_path(field), self._config, read_item(self._config).id, "")
        return Place(self._config_file, problem.line)

    def _at(self, item: Item, mark: Mark) -> Place:
        origin = _ORIGIN.search(item.annotations.get("config.kubernetes.io/origin", ""))
        if origin:
            return Place(origin["file"])
        name = self._files.get(item.node, "")
        # The lines of a stream are not those of the files of a kpt package in it.
        return Place(name, mark.line + 1) if item.file in ("", name) else Place(item.file)
