"""What is to be mounted, as references that nobody has written yet. To other stages they are like those that are."""

from collections.abc import Iterable, Iterator

from krm_fn.model.node import get, is_scalar
from krm_fn.model.reference import Reference
from krm_fn.stages.plan_mounts import Site
from krm_fn.stages.resolve import Link


def mounted_links(sites: Iterable[Site]) -> Iterator[Link]:
    """One for each source of a mount that the package holds. There is no text in the referrer to change."""
    for site in sites:
        for targets in (found for wanted in site.wanted for found in wanted.targets if found):
            name = get(targets[0].node, "metadata", "name")
            if is_scalar(name):
                field = f"{site.pod.field}.volumes"
                reference = Reference(targets[0].id.kind, name, None, field, in_pod=True, written=False)
                yield Link(site.item, reference, targets)
