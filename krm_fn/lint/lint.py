"""What no edit can mend: `lint` lists the checks, and those of objects themselves are here."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from krm_fn.base import keys
from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, about, place_of
from krm_fn.base.keys import PACKAGE_PATH
from krm_fn.base.kind import cannot_change, is_fixed, is_hook, is_replaced, kind_of
from krm_fn.base.node import elements, get, is_mapping, mark_of, text
from krm_fn.base.problem import UNRENDERED, Problem, ResourceId, Severity
from krm_fn.base.settings import DEFAULT_SET, Jobs, Settings, Strategy
from krm_fn.core.decide.choose import is_encrypted
from krm_fn.core.decide.run import Choices, Guards, Package, ReasonCode, Revision, Revisions, Run
from krm_fn.core.names.names import authored_id, listed_revisions
from krm_fn.core.references.find import may_refer
from krm_fn.core.references.references import References
from krm_fn.guards.replaced_later import SUBSTITUTE
from krm_fn.lint.not_followed import (
    find_copied,
    find_filled_by_vars,
    find_in_fields,
    find_in_kapps_annotations,
    find_in_options,
    find_made_in_cluster,
    find_unfollowed_affixes,
    find_unlisted,
    find_unversioned,
    warn_about_left_behind,
    warn_about_misspelled,
    warn_about_texts,
)
from krm_fn.lint.without_effect import (
    find_encrypted_files,
    find_encrypted_keys,
    find_missing_keys,
    find_misspelled_kinds,
    find_nothing_chosen,
    find_own_annotations,
    find_refused_data,
    find_unmatched,
)

_ARGO_CD, _ARGO_GROUP = "argocd", "argoproj.io"
_SPEC_OF = {"Application": ("spec",), "ApplicationSet": ("spec", "template", "spec")}
"""Kinds of Argo CD, and where each has the spec of an Application."""


def lint(run: Run) -> Changes:
    """Add to the changes of a run what no edit can mend.

    Warnings are only looked for where somebody reads them.
    """
    run = run.add(
        Changes(
            problems=(
                *find_taken(run.package, run.choices, run.settings),
                *find_unrendered(run.package.authored),
                *find_encrypted_keys(run.package.configs),
            )
        )
    )
    is_strict = run.settings.strict or run.environment.strict
    if run.environment.warns or is_strict:
        run = run.add(Changes(problems=tuple(_warn(run))))
        # Else the reason may be said already.
        if all(problem.severity is Severity.INFO for problem in run.changes.problems):
            run = run.add(Changes(problems=tuple(find_nothing_chosen(run))))
    problems = [problem.as_error() if is_strict else problem for problem in run.changes.problems]
    return run.changes._replace(problems=tuple(_readdress(problems, run.jobs)))


def _readdress(problems: Iterable[Problem], jobs: Iterable[Revision]) -> Iterator[Problem]:
    """Give problems with renamed Jobs the new names.

    Errors keep the old ones: after an error nothing is renamed.
    """
    names: dict[ResourceId | None, ResourceId] = {job.item.id: job.id for job in jobs}
    for problem in problems:
        is_kept = problem.severity is Severity.ERROR or problem.resource not in names
        yield problem if is_kept else problem._replace(resource=names[problem.resource])


def _warn(run: Run) -> Iterator[Problem]:
    """Warn about settings without effect, objects that will not follow, and objects that the API server will refuse.

    All of it is a warning or less: who only asks for errors does not need it. What a package has nothing of is not
    looked at.
    """
    package, references, revisions, settings = (
        run.package,
        run.references,
        run.revisions,
        run.settings,
    )
    # What the configuration says, and does not happen.
    if settings.select or settings.exclude or settings.references:
        yield from find_unmatched(package, settings, references.index.names)
    yield from find_misspelled_kinds(package.authored)
    if package.emitted:
        yield from find_abandoned_linkers(package, settings)
    # What does not follow a new name, or follows it too often.
    if revisions.rendered or revisions.restored:
        yield from find_no_referrers(package, revisions)
        yield from find_unlisted(package, references, revisions)
        yield from find_in_options(package, references, run.mentions, revisions)
        yield from find_in_fields(run.mentions, revisions)
        yield from warn_about_texts(run.mentions, revisions)
        yield from find_copied(run.guards, revisions)
        yield from find_filled_by_vars(revisions)
        yield from find_in_kapps_annotations(package.authored, revisions)
        yield from find_substituted(run.guards, revisions)
        yield from find_written_again(package, references, revisions)
        yield from find_named_by_ciphertext(revisions)
    yield from warn_about_left_behind(run)
    yield from find_immutable(references, revisions, run.changes)
    if revisions.rendered and settings.linker.enabled and _ARGO_CD in settings.deployers:
        yield from find_pruned_last(package.authored)
    if run.jobs:
        from krm_fn.extras.jobs import find_job_names

        yield from find_job_names(package, run.jobs)
    # What a cluster will not accept, or not as it is here.
    yield from find_duplicates(package, revisions)
    if references.authored:
        yield from warn_about_misspelled(package, references)
        yield from find_unfollowed_affixes(references)
        yield from find_made_in_cluster(package, references, run.choices)
    if references.authored or references.mounted:
        written = {choice.item for choice in run.choices.all if choice.is_written_by_others}
        yield from find_missing_keys(package, references, written, settings)
    yield from find_refused_data(package, revisions, settings.deployers)
    yield from find_encrypted_files(package.configs, settings.deployers)
    yield from find_own_annotations(package.authored, settings.kinds)
    # What changes without another name.
    if references.read_by_pods:
        yield from find_unversioned(references, revisions, run.choices)


def find_taken(package: Package, choices: Choices, settings: Settings) -> Iterator[Problem]:
    """Report for each other set how many of its revisions this configuration would choose, and has no effect on.

    That is so where the base of a kustomization runs the function too, and where a set gets another name in place. It
    is an error if this set has no revision at all, and is there for nothing else. Sets that share a package select
    different objects.
    """
    if package.config_id is None:  # then nobody has written what has no effect
        return
    taken: dict[str, list[Item]] = defaultdict(list)
    for choice in choices.all:
        if choice.is_taken and choice.problem is None:
            taken[choice.item.labels[keys.SET]].append(choice.item)
    has_effect = bool(settings.mounts) or settings.jobs is Jobs.RENAME
    is_any_left = has_effect or any(
        choice.strategy is not Strategy.IGNORE for choice in choices.all
    )
    for name, (first, *more) in taken.items():
        if more:
            objects, them = (
                f"{len(more) + 1} objects that it would choose, such as {authored_id(first)}, are",
                "them",
            )
        else:
            objects, them = f"{authored_id(first)}, which it would choose, is", "it"
        effect = f"leaves {them} alone" if is_any_left else "changes nothing"
        message = (
            f"{objects} already of set {name}, so set {settings.set} {effect}; remove the transformer of set {name}, "
            f"set spec.takeOver: [{name}] if set {settings.set} replaces it, or exclude {them} if both sets stay"
        )
        yield Problem(
            message,
            package.config_id,
            "metadata.name",
            Severity.WARNING if is_any_left else Severity.ERROR,
        )


def find_abandoned_linkers(package: Package, settings: Settings) -> Iterator[Problem]:
    """Warn once for each other set whose linker does not fit the package.

    Several sets may share a package. Then each has its revisions there, and its inventory lists
    them.
    """
    linkers: dict[str, list[Item]] = defaultdict(list)
    for item in package.emitted:
        linkers[item.labels.get(keys.SET, "")].append(item)
    for name, objects in linkers.items():
        if name not in ("", *settings.own_sets) and (
            reason := _why_abandoned(name, objects, package)
        ):
            message = (
                f"belongs to the linker of set {name}, {reason}; set spec.takeOver: [{name}] if set {settings.set} "
                "replaces it, else run the function of that set, or remove its objects"
            )
            yield about(objects[0], message, severity=Severity.WARNING)


def _why_abandoned(name: str, objects: list[Item], package: Package) -> str:
    revisions = {item.id.name for item in package.configs if item.labels.get(keys.SET) == name}
    if not revisions:
        return "but the package holds no revision of that set"
    listed = set().union(*map(listed_revisions, objects))
    if missing := sorted(listed - revisions):
        return f"which lists {missing[0]}, and the package does not hold it"
    return "which a run without a name has made" if name == DEFAULT_SET else ""


def find_no_referrers(package: Package, revisions: Revisions) -> Iterator[Problem]:
    """Warn if no object of the package could follow a new name, as when kpt's selectors pass ConfigMaps alone."""
    if revisions.renamed and not any(
        may_refer(item.id) and not item.is_local for item in package.authored
    ):
        message = (
            "ConfigMaps or Secrets are renamed, but the package has no objects that could reference them: referrers "
            "elsewhere keep the old names; run the function over the whole package, without selectors"
        )
        yield Problem(message, severity=Severity.WARNING)


def find_immutable(
    references: References, revisions: Revisions, changes: Changes
) -> Iterator[Problem]:
    """Warn about each Job, Pod, ReplicaSet and StorageClass that names a renamed object or changes, at the first field.

    The warning is the same on every run: the next change of the content changes the object again.
    """
    changed: list[tuple[Item, str]] = []
    for referrer, reference, targets in references:
        is_renamed = not revisions.renamed.keys().isdisjoint(targets)
        if is_renamed and (reference.in_pod or is_fixed(referrer)):
            changed.append((referrer, reference.field))
    changed += [(edit.item, edit.field) for edit in changes.edits]
    told = set()  # and those of another name: the cluster sees a new object
    for item, patch in changes.patches:
        if "spec" in patch and (kind := kind_of(item)):
            changed.append((item, kind.pod_spec))
        metadata = patch.get("metadata")
        if isinstance(metadata, Mapping) and "name" in metadata:
            told.add(item)
    for item, field in changed:
        message = "" if item in told else _say_immutable(item)
        if message:
            told.add(item)
            yield about(item, message, field, Severity.WARNING)


def _say_immutable(item: Item) -> str:
    """Say what another pod template does not do, with the way out; `""` if it does what one expects."""
    kind = kind_of(item)
    if is_fixed(item) and not is_replaced(item):
        return (
            f"names what changes its name with its content, and the API server refuses another name in a "
            f"{item.id.kind}: exclude that object"
        )
    if cannot_change(item):
        return (
            f"changes with its configuration, but a {item.id.kind} is immutable once it is created: "
            "delete the old one before you apply a change, or make it a hook"
        )
    if kind is not None and kind.keeps_pods and not is_replaced(item):
        return (
            f"changes with its configuration, but a {item.id.kind} does not replace its running pods, which keep "
            "what they read: delete them, or use a Deployment"
        )
    return ""


def find_pruned_last(items: Collection[Item]) -> Iterator[Problem]:
    """Warn if an Application lets Argo CD prune last, and a canary may keep it from being healthy before that."""
    kinds = {(item.id.group, item.id.kind) for item in items}
    for item in items if (_ARGO_GROUP, "Rollout") in kinds else ():
        prefix = _SPEC_OF.get(item.id.kind) if item.id.group == _ARGO_GROUP else None
        if prefix is None:
            continue
        path = (*prefix, "syncPolicy", "syncOptions")
        for index, option in enumerate(elements(get(item.node, *path))):
            if text(option) == "PruneLast=true":
                message = (
                    "Argo CD prunes the linker's former Job with each release, and with PruneLast=true only when all "
                    "is healthy: a sync goes on while a canary is paused, and the next commit waits; remove the option"
                )
                yield about(item, message, f"{'.'.join(path)}[{index}]", Severity.WARNING)


def find_unrendered(items: Iterable[Item]) -> Iterator[Problem]:
    """Report each name or namespace that is a template of Helm. No API server accepts it."""
    for item in items:
        if not item.id.api_version or item.is_local:
            continue
        for field, name in (("name", item.id.name), ("namespace", item.id.namespace)):
            node = None if name else get(item.node, "metadata", field)
            if "{{" in name or (is_mapping(node) and any(is_mapping(key) for key, _ in node.value)):
                mark = mark_of(item.node, ("metadata", field))
                problem = about(item, UNRENDERED, f"metadata.{field}")
                yield problem._replace(line=mark.line + 1, column=mark.column + 1)


def find_substituted(guards: Guards, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each object that is renamed though its content, or a reference to it, is still to be substituted.

    It was chosen by somebody, so it is renamed. It stays immutable: the API server then refuses a variable's new value
    with a message, instead of giving old pods other content under the name that they know.
    """
    for revision in revisions.rendered:
        is_renamed = revision.strategy is Strategy.RENAME
        reason = guards[ReasonCode.VARIABLE].why(revision.item) if is_renamed else None
        if reason is not None:
            only_flux = (
                "" if reason.source else f", or annotate the object with {SUBSTITUTE}: disabled"
            )
            message = f"{reason.text}; substitute before it{only_flux}"
            yield about(revision.item, message, severity=Severity.WARNING)._replace(
                resource=revision.base_id
            )


def find_duplicates(package: Package, revisions: Revisions) -> Iterator[Problem]:
    """Warn about each object that has kind, namespace and name of an earlier one, also in the output.

    kustomize refuses such a package, kpt tells subpackages apart, and a chart may create a hook beside an object of
    its name. Renamed objects of one name and other content are told apart by it: a reference that may mean two of them
    is an error.
    """
    first: dict[tuple[str, ...], Item] = {}
    for item in package.authored:
        who = item.id
        if not who.name or not who.kind or item.is_local or is_hook(item):
            continue
        subpackage = item.annotations.get(PACKAGE_PATH, "")
        names = who.name, revisions.names.get(item, who.name)
        identity = (who.group, who.kind, package.namespace_of(item), *names, subpackage)
        earlier = first.setdefault(identity, item)
        if earlier is not item:
            message = f"is in the package twice, {place_of(earlier)} and {place_of(item)}: what is applied last wins"
            yield about(item, message, severity=Severity.WARNING)._replace(
                resource=authored_id(item)
            )


def find_written_again(
    package: Package, references: References, revisions: Revisions
) -> Iterator[Problem]:
    """Warn about each object beside a revision of its own that is still read.

    In a package rendered in place, a generator such as kpt's gen-configmap or render-helm-chart
    writes the base name again, and references keep to the revision of before.
    """
    made = {
        (one.base_id, one.item.annotations.get(PACKAGE_PATH, "")): one
        for one in revisions.rendered
        if keys.BASE_NAME in one.item.annotations
    }
    again = [
        (item, made[who])
        for item in package.configs
        if keys.BASE_NAME not in item.annotations
        and (who := (item.id, item.annotations.get(PACKAGE_PATH, ""))) in made
    ]
    named: set[Item] = set()
    for _, _, targets in references if again else ():
        named.update(targets)
    for item, revision in again:
        if revision.item in named:
            message = (
                f"is beside {revision.id}, a revision of it that references still name; remove that one, and do not "
                "render in place what a program writes again each time"
            )
            yield about(item, message, severity=Severity.WARNING)._replace(
                resource=authored_id(item)
            )


def find_named_by_ciphertext(revisions: Revisions) -> Iterator[Problem]:
    """Say of each revision that its name says what is encrypted, not what is decrypted."""
    for revision in revisions.rendered:
        if revision.is_renamed and is_encrypted(revision.item):
            message = "is named by its ciphertext, so encrypting the same values again gives it another name"
            yield about(revision.item, message, "sops", Severity.INFO)._replace(
                resource=revision.base_id
            )
