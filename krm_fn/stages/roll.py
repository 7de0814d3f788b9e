"""Roll workloads when the content of what they read changes under the same name."""

from krm_fn.model.item import Item
from krm_fn.stages.checksum import Checksums, checksum
from krm_fn.stages.choose import Choice
from krm_fn.stages.find_named import Catalogue
from krm_fn.stages.notice_unrolled import notice_unrolled
from krm_fn.stages.opt_in import OptIn
from krm_fn.stages.read_by import read_by
from krm_fn.stages.resolve import Link


def roll(
    items: list[Item], links: list[Link], choices: list[Choice], opt_ins: list[OptIn], annotation: str
) -> Checksums:
    """`choices` are those about objects whose content is the package's to say."""
    catalogue = Catalogue(choice.item for choice in choices)
    readings = read_by(links, {id(choice.item.node): choice.strategy for choice in choices}, opt_ins, catalogue)
    checksums = checksum(items, readings.rolled, annotation)
    notices = notice_unrolled(readings, links, opt_ins, catalogue)
    return checksums._replace(problems=[*checksums.problems, *notices])
