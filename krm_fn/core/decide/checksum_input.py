"""What a pod template restarts for, where something other than a new name is to restart its pods."""

from krm_fn.base.item import Item
from krm_fn.base.kind import cannot_change
from krm_fn.base.pods import PodTemplate


class ChecksumInput:
    """A pod template, and which keys of each object count for its checksum; None for all of them.

    `asked_by`: the controllers whose annotations say that an object counts, where its strategy does not.
    """

    def __init__(self, item: Item, template: PodTemplate) -> None:
        self.item = item
        self.template = template
        self.configs: dict[Item, frozenset[str] | None] = {}
        self.asked_by: dict[Item, str] = {}

    @property
    def restarts(self) -> bool:
        """Tell whether an annotation on the template can restart its pods: a Job's template never changes."""
        return not cannot_change(self.item)

    def add(self, config: Item, keys: frozenset[str] | None, controller: str = "") -> None:
        keys = keys if config.is_config else None  # the spec of a producer does not say which part makes which key
        before = self.configs.get(config, frozenset())
        self.configs[config] = None if keys is None or before is None else before | keys
        if controller:
            self.asked_by.setdefault(config, controller)
