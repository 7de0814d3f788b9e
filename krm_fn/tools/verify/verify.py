"""Check that what is about to be applied is consistent.

Nothing is renamed, edited or added here.
"""

import shlex
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from krm_fn.base import keys
from krm_fn.base.item import Item, read_item
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import is_mapping, is_null
from krm_fn.base.problem import Problem, Rejected, count, find_errors
from krm_fn.base.settings import Environment
from krm_fn.core.config.config import Configuration, read_by_set
from krm_fn.core.yaml.yaml import (
    Envelope,
    add_results,
    open_envelope,
    read_yaml,
)
from krm_fn.lint.lint import find_encrypted_keys, find_unfollowed_affixes
from krm_fn.report.secrets import hide_in_problems
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance, Limits, built_from
from krm_fn.tools.common.opened_texts import OpenedText, items_of, place_by_object, placed_in
from krm_fn.tools.opened.opened import (
    STDIN,
    Inputs,
    SourceText,
    find_configurations,
    read_config_file,
    read_sources,
)
from krm_fn.tools.verify.check_again import check_again
from krm_fn.tools.verify.check_names import (
    check_applied,
    check_duplicates,
    check_fields,
    check_labels,
    check_names,
    check_order,
    check_protection,
    check_sets,
    check_volumes,
    deployers_of,
    is_protected,
)
from krm_fn.tools.verify.check_references import check_keys, check_left_behind, check_references
from krm_fn.tools.verify.findings import FindingsFormat, Verified, write_findings
from krm_fn.tools.verify.rendering import RenderedSet, Rendering, read_rendering

__all__ = [
    "FindingsFormat",
    "Verified",
    "VerifyOptions",
    "examine",
    "write_findings",
]


class VerifyOptions(NamedTuple):
    """The expectations of the user. Without `deployers`, those of each set's configuration.

    `namespace` is that of objects that set none. `strict`: warnings are errors. `unnamed_set`: the
    set of a configuration that has no name.
    """

    config: str | None = None
    sets: tuple[str, ...] = ()
    deployers: tuple[str, ...] = ()
    namespace: str = ""
    strict: bool = False
    limits: Limits = DEFAULT_LIMITS
    unnamed_set: str = ""


def examine(inputs: Inputs, options: VerifyOptions) -> Verified:
    """Return what is found at all paths together, as values."""
    path = " ".join(inputs.paths)
    allowance = Allowance(options.limits)
    try:
        opened, beside = _open(inputs, allowance)
    except Rejected as rejected:
        return Verified(path, rejected.problems)
    try:
        found = find_configurations(read_config_file(inputs, allowance), beside, opened)
        rendering = _read(opened, found, options)
        problems = [*_check(rendering, options)]
        # After an error, most of what the function would change is only a consequence of it.
        if not find_errors(problems):
            problems += check_again(rendering, options.deployers)
    except Rejected as rejected:
        return _answer(path, opened, [*rejected.problems], strict=options.strict)
    verified = _answer(path, opened, problems, strict=options.strict)._replace(run=rendering.run)
    if verified.failed:
        return verified
    counted, *remarks = _clauses(rendering, options.deployers)
    return verified._replace(counted=counted, remarks=tuple(remarks))


def _open(inputs: Inputs, allowance: Allowance) -> tuple[OpenedText, list[SourceText]]:
    """Open the manifests, and read the configuration files beside them."""
    built = {path: built_from(Path(path)) for path in inputs.paths if path != STDIN}
    unbuilt: list[Problem] = []
    for path, file in built.items():
        message = f"has a {file}; build it, and verify what is built: krm-fn render {shlex.quote(path)} | krm-fn verify"
        unbuilt += [Problem(message, file=path)] if file else []
    if unbuilt:
        raise Rejected(*unbuilt)
    found = read_sources(inputs, HelmOptions(), allowance)
    opened: OpenedText = []
    for source in found.texts:
        opened += [(source.name, envelope) for envelope in _open_text(source)]
    # Not even an empty ResourceList: what should have written the manifests has failed.
    if not opened:
        path = " ".join(inputs.paths)
        raise Rejected(Problem("no objects in the input", file="" if path == STDIN else path))
    return opened, found.configs


def _open_text(source: SourceText) -> Iterator[Envelope]:
    """Open a text, unless it is empty or holds only comments."""
    with placed_in(source.name):
        document = read_yaml(source.data, may_repeat=True)
        if not all(map(is_null, document.roots)):
            yield open_envelope(document, source.origin)


def _read(opened: OpenedText, found: list[Configuration], options: VerifyOptions) -> Rendering:
    """Read the objects of all runs together: each set has its own configuration."""
    settings = read_by_set(found, Environment(set=options.unnamed_set))
    own = [
        envelope.function_config for _, envelope in opened if is_mapping(envelope.function_config)
    ]
    config_id = read_item(own[0]).id if own else None
    return read_rendering(items_of(opened), settings, config_id, options.namespace)


def _check(rendering: Rendering, options: VerifyOptions) -> Iterator[Problem]:
    """Look for the causes first: one cause may be found in several objects."""
    yield from check_sets(rendering, options.sets)
    yield from check_duplicates(rendering)
    yield from check_names(rendering)
    yield from check_labels(rendering)
    yield from check_fields(rendering)
    yield from find_encrypted_keys(rendering.run)
    yield from check_references(rendering)
    yield from check_left_behind(rendering)
    yield from check_keys(rendering)
    yield from check_volumes(rendering)
    yield from find_unfollowed_affixes(rendering.run)
    yield from check_order(rendering, options.deployers)
    yield from check_protection(rendering, options.deployers)
    yield from check_applied(rendering, options.deployers)


def _answer(path: str, opened: OpenedText, problems: list[Problem], *, strict: bool) -> Verified:
    if strict:
        problems = [problem.as_error() for problem in problems]
    problems = hide_in_problems(problems, items_of(opened))
    envelope = opened[0][1]
    stdout = add_results(envelope, problems)
    # The objects of a ResourceList say themselves which file they are from.
    if envelope.resource_list is None:
        problems = [*place_by_object(problems, opened)]
    return Verified(path, tuple(problems), results=stdout)


_MAX_SETS = 5


def _clauses(rendering: Rendering, deployers: tuple[str, ...]) -> Iterator[str]:
    """Say what was verified in numbers, and then what a person must know of it."""
    sets = [one for one in rendering.sets.values() if one.revisions]
    revised = {revision.item for revision in rendering.revisions.rendered}
    references = [one for one in rendering.run.references.authored if not one.reference.is_output]
    resolved = [one for one in references if not revised.isdisjoint(one.targets)]
    jobs: list[Item] = []
    for one in sets:
        jobs += [item for item in one.emitted if item.id.kind == "Job"]
    revisions = f"{count(len(revised), 'revision')}{_of([one.name for one in sets])}"
    left = sum(one.is_shared for one in sets)
    linked_by = [count(len(jobs), "linker Job")] if jobs or not left else []
    linked_by += [f"{count(left, 'set')} left to the linker of the namespace"] if left else []
    yield ", ".join([revisions, count(len(resolved), "reference"), *linked_by])
    if sets:
        yield from _protections(sets, deployers)
        yield from _foreign_accounts(sets, rendering)
    checksums = [item for item in rendering.package.authored if keys.CHECKSUM in item.annotations]
    if checksums:
        is_checked = sum(one.settings is not None for one in rendering.sets.values()) == 1
        unchecked = "" if is_checked else ", not checked without --config"
        yield f"{count(len(checksums), 'workload')} with checksums{unchecked}"


def _protections(sets: Collection[RenderedSet], deployers: tuple[str, ...]) -> Iterator[str]:
    checked: dict[str, None] = {}
    failed: dict[str, None] = {}
    for one in sets:
        for name in deployers_of(one, deployers):
            checked[name] = None
            if not is_protected(one, name):
                failed[name] = None
    safe = [name for name in checked if name not in failed]
    if safe:
        yield f"protected from pruning by {', '.join(safe)}"
    if failed:
        yield f"not protected from {', '.join(failed)}"
    if not checked:
        yield "add --deployer NAME to check that nothing is pruned"


def _foreign_accounts(sets: Iterable[RenderedSet], rendering: Rendering) -> Iterator[str]:
    """Name the accounts of linkers that somebody else applies, with what grants them their rights."""
    accounts = [one for one in rendering.package.authored if one.id.kind == "ServiceAccount"]
    here = {one.id.name for one in accounts}
    for one in sets:
        account = one.settings.linker.account if one.settings else None
        if account is not None and account not in here:
            yield f"ServiceAccount {account} is not in the input: its rights are not checked"


def _of(sets: list[str]) -> str:
    if len(sets) > _MAX_SETS:
        return f" of {len(sets)} sets"
    if not sets:
        return ""
    plural = "s" if len(sets) > 1 else ""
    return f" of set{plural} {', '.join(sets)}"
