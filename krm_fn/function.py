"""The KRM function: bytes in, bytes out."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, in_order, read_item
from krm_fn.base.node import Node, is_mapping, is_null
from krm_fn.base.problem import Outcome, Problem, Rejected, Severity
from krm_fn.base.settings import NO_ENVIRONMENT, Environment, Jobs, Selector, Settings
from krm_fn.core.config.config import (
    ChosenConfiguration,
    Configuration,
    Packages,
    choose_configuration,
    find_applied,
    parse_config,
    place_settings,
)
from krm_fn.core.decide.decide import summarize_run
from krm_fn.core.decide.name import unprotect
from krm_fn.core.decide.run import Package, Run, read_package
from krm_fn.core.yaml.yaml import (
    Envelope,
    Expansion,
    add_results,
    apply_changes,
    open_envelope,
    read_yaml,
)
from krm_fn.lint.lint import check_run
from krm_fn.report.secrets import hide_in_problems, stderr_lines
from krm_fn.transform import transform


def run(
    data: bytes,
    config: bytes | None = None,
    environment: Environment = NO_ENVIRONMENT,
    *,
    is_quiet: bool = False,
) -> Outcome:
    """Transform a ResourceList, a List, or a stream of documents, and answer in the same form.

    `config` is a functionConfig document for input that cannot carry one. Without a functionConfig,
    an object of the input may be the configuration. After an error a ResourceList is returned
    unchanged but for its `results`; for any other input nothing is returned. `is_quiet` leaves the
    summary out.
    """
    expansion = Expansion()
    try:
        envelope = open_envelope(read_yaml(data, expansion, may_repeat=True))
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), 1)
    del data  # the envelope has its text; the process holds these bytes nowhere else
    try:
        passed: list[Configuration] = []
        if config is not None:
            passed.append(
                Configuration.passed(read_config(config))._replace(where="the configuration file")
            )
        if envelope.function_config is not None:
            passed.append(Configuration.passed(envelope.function_config))
        configuration = find_only_configuration(envelope.items, passed, environment)
        decided = decide(
            envelope.items, configuration, environment, expansion=expansion, is_in_place=True
        )
        found = [*decided.changes.problems, *envelope.document.warn_about_repeated()]
        changes = decided.changes._replace(problems=tuple(hide_in_problems(found, envelope.items)))
        if any(problem.severity is Severity.ERROR for problem in changes.problems):
            return _refuse(envelope, changes.problems)
        summary = summarize_run(decided)
        said = Changes() if is_quiet else Changes(problems=(summary,))
        output = apply_changes(envelope, changes + said).text
    except Rejected as error:
        return _refuse(envelope, error.problems)
    return Outcome(
        envelope.encode(output),
        stderr_lines(changes.problems),
        0,
        "" if is_quiet else f"{summary}\n",
    )


def find_only_configuration(
    items: list[Item], passed: Iterable[Configuration], environment: Environment
) -> ChosenConfiguration | None:
    """Find the configuration that counts: what is passed, else an object.

    Raises Rejected for a contradiction.
    """
    packages = Packages(items)
    found = [*passed, *packages.find_configurations()]
    return choose_configuration(
        found, packages, environment, "pass one of them as the functionConfig"
    )


def decide(  # noqa: PLR0913  # what a run knows of its input
    items: list[Item],
    configuration: ChosenConfiguration | Node | None,
    environment: Environment,
    generated: Mapping[Item, bool] = MappingProxyType({}),
    *,
    expansion: Expansion | None = None,
    is_in_place: bool = False,
) -> Run:
    """Read the configuration, unless that has been done, and decide about all items.

    Raises Rejected for an invalid configuration.

    `generated`: whether each rendering of a Helm chart makes another object, as far as that is
    known. `expansion`: that of the texts of this run. `is_in_place`: all items will be in the
    output, also those that are only for tools.
    """
    function_config, settings = _read_settings(configuration, environment)
    elsewhere = _find_contradiction(settings, environment, function_config)
    if elsewhere:
        linker = settings.linker._replace(namespace=environment.namespace)
        settings = settings._replace(linker=linker)
    config_id = read_item(function_config).id if is_mapping(function_config) else None
    package = read_package(
        items,
        config_id,
        settings.linker.namespace or environment.namespace,
        generated,
        settings.kinds,
    )
    run = decide_package(package, settings, environment, expansion)
    applied = find_applied(items) if is_in_place else ()
    is_strict = settings.strict or environment.strict
    of_place = [one.as_error() if is_strict else one for one in elsewhere]
    problems = in_order(
        [
            *place_settings((*of_place, *run.changes.problems), function_config),
            *(problem.as_error() if is_strict else problem for problem in applied),
        ],
        items,
        function_config,
    )
    return run._replace(changes=run.changes._replace(problems=problems))


def decide_package(
    package: Package,
    settings: Settings,
    environment: Environment,
    expansion: Expansion | None = None,
) -> Run:
    """Decide about all objects of a package, and look for mistakes."""
    read_embedded = (expansion or Expansion()).read_embedded
    run = transform(package, settings, environment, read_embedded)
    return run._replace(changes=check_run(run))


def restore_authored(
    items: list[Item], function_config: Node | None, expansion: Expansion
) -> Changes:
    """Return the changes that give all objects of the set the form that their authors wrote.

    Base names come back, in references too. The protection from pruning goes, with the
    linker's objects, mounts and checksums: a run that follows writes all of it again.
    """
    from krm_fn.extras.jobs import restore_jobs  # a run needs it only where Jobs are renamed

    settings = parse_config(function_config)
    by_author = settings._replace(
        exclude=(Selector(),),
        mounts=(),
        checksums=settings.checksums._replace(controllers=()),
        jobs=Jobs.WARN,
        strict=False,
    )
    config_id = read_item(function_config).id if is_mapping(function_config) else None
    package = read_package(items, config_id, settings.linker.namespace or "", kinds=settings.kinds)
    restored = decide_package(package, by_author, Environment(warns=False), expansion)
    return restored.changes + unprotect(restored.revisions, settings) + restore_jobs(package)


def _read_settings(
    configuration: ChosenConfiguration | Node | None, environment: Environment
) -> tuple[Node | None, Settings]:
    if isinstance(configuration, ChosenConfiguration):
        return configuration.configuration.node, configuration.settings
    return configuration, parse_config(configuration, environment)


def _find_contradiction(
    settings: Settings, environment: Environment, function_config: Node | None
) -> list[Problem]:
    """Report a namespace that is passed, and that is another one than the configuration's.

    The one that is passed is where this rendering will be applied, and so it counts: with the other
    one, the RoleBinding would be for an account of another environment.
    """
    passed, written = environment.namespace, settings.linker.namespace
    if not passed or not written or passed == written:
        return []
    message = (
        f"found {written}, and {passed} is passed as the namespace, and that one counts; remove this field if "
        "several namespaces share the configuration"
    )
    who = read_item(function_config).id if is_mapping(function_config) else None
    return [Problem(message, who, "spec.linker.namespace", Severity.WARNING)]


def read_config(config: bytes) -> Node:
    """Read a functionConfig file. Raises Rejected unless it holds exactly one document."""
    roots = [root for root in read_yaml(config).roots if not is_null(root)]
    if len(roots) != 1:
        raise Rejected(Problem(f"expected one functionConfig document, found {len(roots)}"))
    return roots[0]


def _refuse(envelope: Envelope, problems: tuple[Problem, ...]) -> Outcome:
    problems = tuple(hide_in_problems(problems, envelope.items))
    return Outcome(add_results(envelope, problems), stderr_lines(problems), 1)
