"""Notice workloads that a change of content does not roll, though somebody asked for that."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.problem import Problem, Severity
from krm_fn.stages.choose import FIXED_NAMES
from krm_fn.stages.find_named import Catalogue, is_clear, is_literal
from krm_fn.stages.opt_in import Named, OptIn
from krm_fn.stages.read_by import Readings, is_read
from krm_fn.stages.resolve import Link


def notice_unrolled(
    readings: Readings, links: Iterable[Link], opt_ins: list[OptIn], catalogue: Catalogue
) -> Iterator[Problem]:
    """A warning for each of them, with all that it reads."""
    for reading in readings.frozen:
        read = _list((config.id.kind, config.id.name) for config, _ in reading.configs.values())
        yield _warn(reading.item, f"reads {read}, and a Job cannot change: it runs again as a hook, or when replaced")
    untemplated: dict[int, list[Link]] = defaultdict(list)
    for link in readings.untemplated:
        untemplated[id(link.referrer.node)].append(link)
    for several in untemplated.values():
        read = _list((link.reference.kind, link.reference.target) for link in several)
        yield _warn(
            several[0].referrer, f"reads {read}, and has no pod template for a checksum: nothing rolls its pods"
        )
    if opt_ins:
        yield from _notice_outside(links, opt_ins, catalogue)
        yield from _notice_unclear(opt_ins)


def _notice_outside(links: Iterable[Link], opt_ins: list[OptIn], catalogue: Catalogue) -> Iterator[Problem]:
    """What a controller in the cluster sees, and a function that sees the package alone cannot."""
    missing: dict[int, set[tuple[str, str]]] = defaultdict(set)
    for link in links:
        if is_read(link.reference) and not any(catalogue.holds(target) for target in link.targets):
            missing[id(link.referrer.node)].add((link.reference.kind, link.reference.target))
    for opt_in in opt_ins:
        outside = {(kind, name) for kind, name in missing[id(opt_in.item.node)] if kind in opt_in.all_of}
        outside |= {_short(named, opt_in) for named in opt_in.named if is_literal(named) and not catalogue.find(named)}
        outside = {(kind, name) for kind, name in outside - opt_in.excluded if name not in FIXED_NAMES}
        if outside:
            message = (
                f"reads {_list(outside)}, which the package has no say in: only {opt_in.controller} rolls it for that"
            )
            yield _warn(opt_in.item, message)


def _short(named: Named, opt_in: OptIn) -> tuple[str, str]:
    elsewhere = named.namespace != opt_in.item.id.namespace
    return named.kind, f"{named.namespace}/{named.name}" if elsewhere else named.name


def _notice_unclear(opt_ins: list[OptIn]) -> Iterator[Problem]:
    for opt_in in opt_ins:
        for named in opt_in.named:
            if not is_literal(named) and not is_clear(named):
                message = f"the pattern {named.name!r} is not followed; write out the names that it stands for"
                yield _warn(opt_in.item, message)


def _list(objects: Iterable[tuple[str, str]]) -> str:
    return ", ".join(sorted({f"{kind}/{name}" for kind, name in objects}))


def _warn(item: Item, message: str) -> Problem:
    return about(item, message, severity=Severity.WARNING)
