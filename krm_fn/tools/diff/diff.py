"""Compare two renderings, or many packages with what they were, in the form that is asked for."""

from krm_fn.base.problem import Outcome, Problem, Rejected, count, listing
from krm_fn.report.secrets import stderr_lines
from krm_fn.report.table import Screen
from krm_fn.tools.common.files import Limits
from krm_fn.tools.diff.difference import Difference, PackageDifferences, PackageState, Risk
from krm_fn.tools.diff.fold_packages import fold_packages
from krm_fn.tools.diff.packages import NamesOfSeveral, compare_packages
from krm_fn.tools.diff.side_by_side import default_jobs
from krm_fn.tools.diff.sides import (
    DIFFERENT,
    FAILED,
    MOST_NAMES,
    NO_BASE,
    SAME,
    DiffFormat,
    DiffInput,
    RenderOptions,
    compare_sides,
    fail_on,
    list_risks,
    open_sides,
    remark,
    render_former,
)
from krm_fn.tools.diff.write_difference import (
    EXTENT,
    ROOM,
    Extent,
    write_json,
    write_markdown,
    write_packages_json,
    write_packages_markdown,
    write_packages_text,
    write_text,
)

__all__ = [
    "DIFFERENT",
    "ROOM",
    "DiffFormat",
    "DiffInput",
    "Extent",
    "NamesOfSeveral",
    "RenderOptions",
    "Risk",
    "default_jobs",
    "diff",
    "diff_packages",
    "render_former",
]


def diff(
    compared: DiffInput,
    options: RenderOptions,
    form: DiffFormat,
    screen: Screen,
    extent: Extent = EXTENT,
) -> Outcome:
    """Compare two paths, or all paths with what they were in a revision of git."""
    try:
        found = compare_sides(
            open_sides(compared, options),
            options,
            may_repair=compared.against is not None,
            ignores_namespaces=compared.ignores_namespaces,
        )
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), FAILED)
    difference = found.difference
    text = ""
    if difference is not None:
        text = write_difference(difference, form, screen, " ".join(compared.paths), extent)
        if _has_other_namespaces(difference) and not compared.ignores_namespaces:
            message = "the sides have other namespaces; --ignore-namespace compares objects by name"
            found.notes.append(remark(message))
    outcome = Outcome(text.encode(), stderr_lines([*found.errors, *found.notes]), found.code)
    return fail_on(outcome, list_risks([difference] if difference else []), compared.refused)


def _has_other_namespaces(difference: Difference) -> bool:
    old = {one.old.namespace for one in difference.changes if one.old}
    new = {one.new.namespace for one in difference.changes if one.new}
    return bool(old and new) and old.isdisjoint(new)


def write_difference(
    difference: Difference, form: DiffFormat, screen: Screen, key: str, extent: Extent
) -> str:
    match form:
        case DiffFormat.TEXT:
            return write_text(difference, screen, extent.context)
        case DiffFormat.MARKDOWN:
            return write_markdown(difference, key, *extent)
        case DiffFormat.JSON:
            return write_json(difference)


def diff_packages(
    compared: DiffInput,
    options: RenderOptions,
    form: DiffFormat,
    screen: Screen,
    extent: Extent = EXTENT,
) -> Outcome:
    """Compare each package by itself.

    One that cannot be rendered is said, and all others are still shown.
    """
    try:
        found, problems = compare_packages(compared, options)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), FAILED)
    return _write_packages(found, problems, compared, (form, screen, extent))


def write_packages(
    found: PackageDifferences,
    problems: list[Problem],
    compared: DiffInput,
    limits: Limits,
    way: tuple[DiffFormat, Screen, Extent],
) -> Outcome:
    """Write packages that were compared with something else than a revision of git."""
    pairs = [(one, one.difference) for one in found.packages if one.difference]
    folded = found._replace(changes=tuple(fold_packages(pairs, limits)))
    return _write_packages(folded, problems, compared, way)


def _write_packages(
    found: PackageDifferences,
    problems: list[Problem],
    compared: DiffInput,
    way: tuple[DiffFormat, Screen, Extent],
) -> Outcome:
    form, screen, extent = way
    failed = [package.path for package in found.having(PackageState.FAILED)]
    if failed:
        those = f"{len(failed)} of {count(len(found.packages), 'package')}"
        problems.append(Problem(f"{those} cannot be compared: {listing(failed, MOST_NAMES)}"))
    match form:
        case DiffFormat.TEXT:
            text = write_packages_text(found, screen, extent.context)
        case DiffFormat.MARKDOWN:
            text = write_packages_markdown(found, " ".join(compared.paths), *extent)
        case DiffFormat.JSON:
            text = write_packages_json(found)
    outcome = Outcome(text.encode(), stderr_lines(problems), _code_of(found))
    places = list_risks(one.difference for one in found.packages if one.difference)
    places[Risk.SAME_SET] += found.shared_sets
    places[Risk.MISSING] += found.missing
    return fail_on(outcome, places, compared.refused)


def _code_of(found: PackageDifferences) -> int:
    """Return the exit code: the worst that became of any package."""
    if found.having(PackageState.FAILED):
        return FAILED
    if any(package.errors for package in found.packages):
        return NO_BASE
    return DIFFERENT if found.changes else SAME
