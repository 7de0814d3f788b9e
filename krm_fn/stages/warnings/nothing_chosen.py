"""A configuration that somebody wrote, and that chooses nothing."""

from collections.abc import Iterable, Iterator

from krm_fn.model.item import CONFIG_KINDS, Item, about
from krm_fn.model.keys import DECLARES_FUNCTION
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import KIND, Settings, Strategy
from krm_fn.naming.names import authored_id
from krm_fn.naming.suggest import did_you_mean
from krm_fn.references.references import References
from krm_fn.stages.checksums import Checksums
from krm_fn.stages.choose import Choice, Choices
from krm_fn.stages.package import Package
from krm_fn.stages.reason import Ground

_MOST = 3
"""Objects to name: they mostly share one reason."""

_KINDS = {kind.lower(): kind for kind in CONFIG_KINDS}

_EXPECTED = frozenset({Ground.NOT_SELECTED, Ground.FIXED_NAME, Ground.OTHER_SET, Ground.EMPTY})
"""Nobody wonders why these are left alone. An entry of `select` that matches nothing has a warning of its own."""


def find_nothing_chosen(
    package: Package, references: References, choices: Choices, checksums: Checksums, settings: Settings
) -> Iterator[Problem]:
    """Warn if a configuration has no effect, with the reasons why objects are left alone.

    It says nothing where that is wanted, and where the package has nothing to choose from: one configuration may serve
    many packages (`docs/decisions/0038`).
    """
    is_any_chosen = any(choice.strategy is not Strategy.IGNORE for choice in choices.all)
    if package.config_id is None or is_any_chosen or checksums.readings.restarted:
        return
    if package.config_id.kind == KIND and _is_of_generator(package):
        message = "gets no objects: kustomize passes none to `generators:`; list this file in `transformers:`"
        yield Problem(message, package.config_id, severity=Severity.WARNING)
    if settings.strategy is Strategy.IGNORE:
        return
    near = _find_near(choices.all, references, settings)
    if near:
        reasons = [f"{authored_id(choice.item)}: {choice.reason.text}" for choice in near[:_MOST]]
        more = [f"and {len(near) - _MOST} more"] if len(near) > _MOST else []
        message = f"chooses no object: {'; '.join([*reasons, *more])}; to accept this, add them to spec.exclude"
        yield Problem(message, package.config_id, "metadata.name", Severity.WARNING)


def _is_of_generator(package: Package) -> bool:
    """Tell whether kustomize runs a generator: the only item is the configuration, which names the program."""
    items = package.authored
    is_alone = len(items) == 1 and items[0].id == package.config_id and not package.emitted
    return is_alone and any(name in items[0].annotations for name in DECLARES_FUNCTION)


def _find_near(choices: Iterable[Choice], references: References, settings: Settings) -> list[Choice]:
    """Return the objects that somebody may have meant: those of a kind that is handled, or, if there are none, others.

    Without `spec.kinds`, nobody has said that it is about Secrets or not.
    """
    open_ones = [choice for choice in choices if not choice.explicit and choice.reason.ground not in _EXPECTED]
    handled = [choice for choice in open_ones if choice.item.id.kind in settings.kinds]
    if handled or settings.kinds == Settings().kinds:
        return handled
    return [choice for choice in open_ones if choice.item in references.read_by_pods]


def find_misspelled_kinds(items: Iterable[Item]) -> Iterator[Problem]:
    """Warn about what was meant to be a ConfigMap or Secret. No API server knows its kind."""
    for item in items:
        kind = _KINDS.get(item.id.kind.lower().removesuffix("s"))
        if kind and kind != item.id.kind and item.id.api_version == "v1":
            message = f'found "{item.id.kind}", which is no kind of Kubernetes{did_you_mean(kind)}'
            yield about(item, message, "kind", Severity.WARNING)
