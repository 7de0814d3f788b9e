"""Judge what the linker is given: its name, its image, its kinds, and the room that its objects have."""

from collections.abc import Iterable, Sequence

from krm_fn import __version__
from krm_fn.base.changes import Object
from krm_fn.base.item import Item, about
from krm_fn.base.kind import DEPLOYERS
from krm_fn.base.link_plan import JobPlan
from krm_fn.base.problem import Problem, Problems, ResourceId, Severity, listing
from krm_fn.base.settings import (
    EXPECTED_IMAGE,
    Environment,
    NearbyConfig,
    Settings,
    is_image,
    version_of,
)
from krm_fn.core.decide.run import Package, Run
from krm_fn.extras.upsert import name_of

DEFAULT_IMAGE = f"krm-fn:{__version__}"

_MAX_ANNOTATIONS = 200 * 1024
"""Characters. Kubernetes allows 256 KiB for all annotations of an object, those of deployers included."""

_MOST_FILES = 2
"""Configurations nearby that a warning names."""


def judge_name(settings: Settings, unread: Sequence[NearbyConfig]) -> Problems:
    """Warn about a set that has no name, or whose configuration nobody has passed."""
    if not settings.is_named:
        yield _unnamed(settings, unread)
    elif unread:
        # The name of a release or an application names the set, so that nothing else shows the
        # mistake.
        message = f"set {settings.set} has no configuration, so all defaults apply; {_near(unread)}"
        yield Problem(message, severity=Severity.WARNING)


def judge_jobs(run: Run) -> Problems:
    """Report what keeps a Job from starting, or from staying done."""
    yield from _judge_image(run.package, run.settings, run.environment)
    yield from _judge_ttl(run.package, run.settings)


def judge_objects(run: Run, groups: Iterable[JobPlan], wanted: Iterable[Object]) -> Problems:
    """Report what no API server accepts of the objects, or what they would take from the author's."""
    yield from _refused_kinds(run.package, run.settings)
    yield from _too_many(groups, run.package)
    yield from _taken(run.package.authored, wanted)


def requested_kinds(settings: Settings) -> list[ResourceId]:
    """Return `spec.linker.kinds`, each as the id of an object without a name."""
    pairs = (text.rpartition("/") for text in settings.linker.kinds)
    return [ResourceId(api_version, kind, "", "") for api_version, _, kind in pairs]


def _near(unread: Sequence[NearbyConfig]) -> str:
    """Name files that nobody has passed."""
    files = " and ".join(one.file for one in unread[:_MOST_FILES])
    return f"found {files}, unread: pass --config {unread[0].file}, or {unread[0].remedy}"


def _unnamed(settings: Settings, unread: Sequence[NearbyConfig]) -> Problem:
    near = f"{_near(unread)}; " if unread else ""
    message = (
        f"the set has no name of its own, and is called {settings.set}: two such packages in one namespace overwrite "
        f"each other's inventory and Role; {near}set metadata.name in a configuration, and, if this package is "
        f"deployed already, spec.takeOver: [{settings.set}]"
    )
    return Problem(message, severity=Severity.WARNING)


def _judge_image(package: Package, settings: Settings, environment: Environment) -> Problems:
    """Report an image that nobody has set, that is none, or that is of another version."""
    image = settings.linker.image
    version = version_of(image or "")
    if not image and not environment.image:
        message = (
            f"not set, so the linker's Job gets image {DEFAULT_IMAGE}, which no registry has; "
            "push the image, and set its name here or in the environment variable KRM_FN_IMAGE"
        )
        yield Problem(message, package.config_id, "spec.linker.image", Severity.WARNING)
    elif not image and not is_image(environment.image):
        yield Problem(
            f'KRM_FN_IMAGE: found "{environment.image}", which no registry accepts: expected {EXPECTED_IMAGE}'
        )
    elif version not in ("", __version__):
        message = (
            f"image {image} is of version {version}, and this program is {__version__}: the Job must understand what "
            "the function wrote; use the same version for both"
        )
        yield Problem(message, package.config_id, "spec.linker.image", Severity.WARNING)


def _judge_ttl(package: Package, settings: Settings) -> Problems:
    """Warn about a Job that goes by itself, where a deployer creates again what is missing."""
    again = [name for name in settings.deployers if DEPLOYERS[name].repairs_drift]
    if settings.linker.ttl_seconds_after_finished is not None and again:
        message = (
            f"spec.deployers has {listing(again, is_sentence=True)}: the Job that Kubernetes deletes is missing, so it "
            "is created, and runs, again and again; remove this field, or name other deployers if these do not apply it"
        )
        field = "spec.linker.ttlSecondsAfterFinished"
        yield Problem(message, package.config_id, field, Severity.WARNING)


def _refused_kinds(package: Package, settings: Settings) -> Problems:
    """Report entries of `spec.linker.kinds` that a Role must not or cannot name."""
    for index, who in enumerate(requested_kinds(settings)):
        kind = package.kinds.of(who)
        field = f"spec.linker.kinds[{index}]"
        if not kind.is_listable:
            message = f"the linker must not list {kind.plural!r}; remove the entry"
            yield Problem(message, package.config_id, field)
        elif not kind.is_namespaced:
            message = f"{kind.kind} is cluster-scoped, and the linker only looks into one namespace"
            yield Problem(message, package.config_id, field)


def _too_many(groups: Iterable[JobPlan], package: Package) -> Problems:
    """Report namespaces with more revisions than an annotation can list.

    The Job's arguments have more room.
    """
    for namespace, rendered in {group.namespace: group.rendered for group in groups}.items():
        length = sum(len(revision.name) + 1 for revision in rendered)
        if length > _MAX_ANNOTATIONS:
            where = f" in namespace {namespace}" if namespace else ""
            message = f"{len(rendered)} revisions{where} do not fit into one inventory; split the set in two"
            yield Problem(message, package.config_id, "metadata.name")


def _taken(authored: Iterable[Item], wanted: Iterable[Object]) -> Problems:
    """Report the author's objects that have the names of the linker's."""
    names = set(map(name_of, wanted))
    for item in authored:
        if (item.id.kind, item.id.namespace, item.id.name) in names:
            message = (
                "has the name of an object that the linker needs; rename it, or rename the set"
            )
            yield about(item, message)
