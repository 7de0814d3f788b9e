"""Emit the objects that run the linker: one Job for each namespace and sync wave, and what the Jobs need."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from krm_fn import __version__
from krm_fn.base import keys
from krm_fn.base.changes import Changes, Object
from krm_fn.base.deployer import SYNC_WAVE
from krm_fn.base.item import Item, about
from krm_fn.base.link_plan import JobPlan, merge_plans
from krm_fn.base.node import Node, entries, is_mapping, is_sequence
from krm_fn.base.problem import Problem, Severity
from krm_fn.base.settings import Environment, NearbyConfig, Settings
from krm_fn.core.decide.package import Package
from krm_fn.core.decide.revisions import Consumers, Revision
from krm_fn.core.decide.run import Run
from krm_fn.core.names.names import EXPECTED_IMAGE, is_image, version_of
from krm_fn.extras.linker_objects import access, cron_job, inventory, job, tracker
from krm_fn.extras.plan_links import plan_links, requested_kinds, tracked_names

_DEFAULT_IMAGE = f"krm-fn:{__version__}"

_MAX_ANNOTATIONS = 200 * 1024
"""Characters. Kubernetes allows 256 KiB for all annotations of an object, those of deployers included."""

_MOST_FILES = 2
"""Configurations nearby that a warning names."""

_DISABLED = Problem(
    "spec.linker.enabled is false: revisions are protected from pruning, and nothing ever deletes them",
    severity=Severity.INFO,
)
_NO_SECRETS = Problem(
    "spec.linker.secrets is false: Secret revisions are retained, and nothing ever deletes them",
    severity=Severity.INFO,
)
_NO_NAMESPACE = Problem(
    "no linker, so nothing deletes old revisions: its RoleBinding needs a namespace, and the workloads set none; "
    "set metadata.namespace (in kustomize `namespace:`), or spec.linker.namespace",
    severity=Severity.WARNING,
)


_FOR_TOOLS = (
    "internal.config.kubernetes.io/",
    "config.kubernetes.io/",
    "config.k8s.io/",
    "internal.kpt.dev/",
    "kustomize.config.k8s.io/",
)
"""Annotations by which kpt and kustomize recognise an object: its file, its position in it, its id."""


def emit_linker(run: Run) -> Run:
    """Put the objects into the package, in place of those of an earlier run. Report revisions that nothing links."""
    settings, rendered = run.settings, run.revisions.rendered
    own = [item for item in run.package.emitted if item.labels.get(keys.SET) in settings.own_sets]
    if not settings.linker.enabled:
        return run.add(_upsert(own, []) + Changes(problems=(_DISABLED,) if rendered else ()))
    wanted, problems = _wanted(run)
    if own and not rendered:
        # Names that came back are what a configuration wants. Without them, something else has lost the revisions.
        severity = Severity.INFO if run.revisions.restored else Severity.WARNING
        of_set = own[0].labels[keys.SET]
        message = f"the linker of set {of_set} is removed from the package: no object is a revision any more"
        problems.append(about(own[0], message, severity=severity))
    return run.add(_upsert(own, wanted) + Changes(problems=tuple(problems)))


def _wanted(run: Run) -> tuple[list[Object], list[Problem]]:
    package, consumers, settings, environment = run.package, run.consumers, run.settings, run.environment
    consumed = [revision for revision in run.revisions.rendered if revision.item in consumers]
    linked, problems = without_clashes(consumed, consumers, package.authored)
    groups = plan_links(linked, consumers, package, settings, run.revisions.names)
    # A RoleBinding must name the namespace of its ServiceAccount; an account of the author's has a binding already.
    placed = [
        group
        for group in groups
        if settings.linker.service_account_name is not None or _namespace(group, settings, environment)
    ]
    wanted = [*build_trackers(linked, consumers, placed, package, settings), *_objects(placed, settings, environment)]
    if len(placed) < len(groups):
        problems.append(_NO_NAMESPACE)
    if not settings.linker.secrets and any(revision.id.kind == "Secret" for revision in run.revisions.rendered):
        problems.append(_NO_SECRETS)
    if wanted and not settings.is_named:
        problems.append(_unnamed(settings, environment.unread))
    elif wanted and environment.unread:
        # The name of a release or an application names the set, so that nothing else shows the mistake.
        message = f"set {settings.set} has no configuration, so all defaults apply; {_near(environment.unread)}"
        problems.append(Problem(message, severity=Severity.WARNING))
    if placed:
        problems += _judge_image(package, settings, environment)
    problems += [*_refused_kinds(package, settings), *_too_many(placed, package)]
    return wanted, [*problems, *_taken(package.authored, wanted)]


def _objects(groups: list[JobPlan], settings: Settings, environment: Environment) -> Iterator[Object]:
    image = settings.linker.image or environment.image or _DEFAULT_IMAGE
    for _, same in groupby(groups, key=lambda group: group.namespace):
        first, *others = same
        yield inventory(first, settings)
        namespace = _namespace(first, settings, environment)
        if settings.linker.service_account_name is None:
            yield from access(first, settings, namespace)
        if settings.linker.schedule is not None:
            yield cron_job(merge_plans((first, *others)), settings, namespace, image)
        yield from (job(group, settings, image) for group in (first, *others))


def _namespace(group: JobPlan, settings: Settings, environment: Environment) -> str:
    return group.namespace or settings.linker.namespace or environment.namespace


def build_trackers(
    linked: Iterable[Revision], consumers: Consumers, groups: Iterable[JobPlan], package: Package, settings: Settings
) -> Iterator[Object]:
    """Build the tracker of each name under which something references a Secret, or what makes one."""
    namespaces = {group.namespace or package.namespace for group in groups}
    for revision in linked:
        if package.namespace_of(revision.item) in namespaces:
            for name in tracked_names(revision, consumers):
                if name.kind != "ConfigMap":
                    yield tracker(revision, name, settings)


def without_clashes(
    revisions: list[Revision], consumers: Consumers, authored: Iterable[Item]
) -> tuple[list[Revision], list[Problem]]:
    """Leave out Secrets whose tracker would have the name of a ConfigMap that exists. Only adopted names can clash."""
    taken = {(item.id.namespace, item.id.name) for item in authored if item.id.kind == "ConfigMap"}
    clashing: list[Revision] = []
    for one in revisions:
        for name in tracked_names(one, consumers):
            if name.kind != "ConfigMap" and (one.id.namespace, name.name) in taken:
                clashing.append(one)
    message = "will not be garbage-collected: its tracker would collide with an existing ConfigMap of the same name"
    problems = [about(one.item, message, severity=Severity.WARNING) for one in clashing]
    left_out = {one.item for one in clashing}
    return [one for one in revisions if one.item not in left_out], problems


def _too_many(groups: Iterable[JobPlan], package: Package) -> Iterator[Problem]:
    """Report namespaces with more revisions than an annotation can list. The Job's arguments have more room."""
    for namespace, plan in {group.namespace: group.plan for group in groups}.items():
        length = sum(len(revision.name) + 1 for revision in plan.rendered)
        if length > _MAX_ANNOTATIONS:
            where = f" in namespace {namespace}" if namespace else ""
            message = f"{len(plan.rendered)} revisions{where} do not fit into one inventory; split the set in two"
            yield Problem(message, package.config_id, "metadata.name")


def _refused_kinds(package: Package, settings: Settings) -> Iterator[Problem]:
    """Report entries of `spec.linker.kinds` that a Role must not or cannot name."""
    for index, who in enumerate(requested_kinds(settings)):
        kind = package.kinds.of(who)
        field = f"spec.linker.kinds[{index}]"
        if not kind.is_listable:
            yield Problem(f"the linker must not list {kind.plural!r}; remove the entry", package.config_id, field)
        elif not kind.is_namespaced:
            message = f"{kind.kind} is cluster-scoped, and the linker only looks into one namespace"
            yield Problem(message, package.config_id, field)


def _taken(authored: Iterable[Item], wanted: Iterable[Object]) -> Iterator[Problem]:
    """Report the author's objects that have the names of the linker's."""
    names = {_name_of(one) for one in wanted}
    for item in authored:
        if (item.id.kind, item.id.namespace, item.id.name) in names:
            yield about(item, "has the name of an object that the linker needs; rename it, or rename the set")


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


def _judge_image(package: Package, settings: Settings, environment: Environment) -> Iterator[Problem]:
    """Report an image that nobody has set, that is no image, or that is of another version than this program."""
    image = settings.linker.image
    version = version_of(image or "")
    if not image and not environment.image:
        message = (
            f"not set, so the linker's Job gets image {_DEFAULT_IMAGE}, which no registry has; "
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


def _upsert(own: list[Item], wanted: list[Object]) -> Changes:
    """Replace objects that have the same part as before, add new ones, and remove obsolete ones.

    Several may have one part: Secrets of one base name, in subpackages of kpt, have a tracker each. Those that keep
    their names keep their places, and the others take the places that are left.
    """
    # Were they added beside those of the run before, kustomize would refuse the output, and kpt keep both.
    open_ = {_name_of(one): one for one in wanted}  # equal Secrets share a tracker
    complete: list[tuple[Item, Object]] = []
    for key_of in (_name_of, _part_of):
        places: dict[tuple[str, ...], list[Item]] = defaultdict(list)
        taken = {item for item, _ in complete}
        for item in own:
            if item not in taken:
                places[key_of(_read(item))].append(item)
        for name, one in list(open_.items()):
            if free := places[key_of(one)]:
                item = free.pop(0)
                complete.append((item, _with_tool_annotations(open_.pop(name), item)))
    stays = {item.node for item, _ in complete}  # through a YAML alias two items may share one node
    return Changes(
        replace=tuple((item, one) for item, one in complete if _text_of(one) != _plain(item.node)),
        remove=tuple(item for item in own if item.node not in stays),
        add=tuple(open_.values()),
    )


def _read(item: Item) -> Any:
    metadata = {"name": item.id.name, "namespace": item.id.namespace, "annotations": item.annotations}
    return {"kind": item.id.kind, "metadata": metadata}


def _name_of(one: Any) -> tuple[str, ...]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def _part_of(one: Any) -> tuple[str, ...]:
    """Return what an object is for, whatever its name: a wave's Job, a Secret's tracker, a namespace's Role."""
    kind, namespace, name = _name_of(one)
    annotations = one["metadata"].get("annotations", {})
    lasting = {"Job": annotations.get(SYNC_WAVE, ""), "ConfigMap": annotations.get(keys.BASE_NAME, "")}
    return kind, namespace, lasting.get(kind, name)


def _with_tool_annotations(wanted: Any, item: Item) -> Object:
    metadata = wanted["metadata"]
    # Without these, kpt would write the object into another file.
    kept = {name: value for name, value in item.annotations.items() if name.startswith(_FOR_TOOLS)}
    annotations = {**metadata.get("annotations", {}), **kept}
    return {**wanted, "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}}


def _plain(node: Node) -> Any:
    """Return an object with every scalar as its text, for comparing."""
    if is_mapping(node):
        return {name: _plain(value) for name, value in entries(node)}
    return [_plain(value) for value in node.value] if is_sequence(node) else node.value


def _text_of(value: Any) -> Any:
    """Return the same of an object that this project builds."""
    if isinstance(value, Mapping):
        return {name: _text_of(field) for name, field in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [*map(_text_of, value)]
    return str(value).lower() if isinstance(value, bool) else str(value)
