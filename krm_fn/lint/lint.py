"""Look for what no edit can mend.

`CHECKS` lists all checks. Those of objects themselves are here too.
"""

from collections.abc import Callable, Iterable, Mapping

from krm_fn.base import keys
from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, about, collect, is_encrypted, listed_revisions, place_of, warning
from krm_fn.base.keys import PACKAGE_PATH
from krm_fn.base.kind import cannot_change, is_hook, is_replaced, kind_of, may_refer
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import elements, get, is_mapping, mark_of, text
from krm_fn.base.problem import UNRENDERED, Problem, Problems, ResourceId, Severity, and_others
from krm_fn.base.settings import DEFAULT_SET, Jobs, Strategy
from krm_fn.core.decide.run import Package, Revision, Run
from krm_fn.core.names.names import authored_id
from krm_fn.guards.guards import SUBSTITUTE, VARIABLE
from krm_fn.lint import encrypted_files, missing_keys, not_followed, refused_data, without_effect
from krm_fn.lint.encrypted_files import find_encrypted_keys
from krm_fn.lint.missing_keys import report_missing_keys
from krm_fn.lint.not_followed import find_left_behind, find_misspelled, find_unfollowed_affixes

__all__ = [
    "check_run",
    "find_encrypted_keys",
    "find_left_behind",
    "find_misspelled",
    "find_unfollowed_affixes",
    "report_missing_keys",
]

_ARGO_CD, _ARGO_GROUP = "argocd", "argoproj.io"
_SPEC_OF = {"Application": ("spec",), "ApplicationSet": ("spec", "template", "spec")}
"""Kinds of Argo CD, and where each has the spec of an Application."""

_NAME_IN_FIXED = (
    "names an object whose name changes with its content, and the API server refuses another name in a {}: "
    "exclude that object"
)


class Check(NamedTuple):
    """A search for problems, and when a run has anything for it to look at.

    `if_unread`: it may find errors, so it also runs where nobody reads warnings.
    """

    report: Callable[[Run], Iterable[Problem]]
    when: Callable[[Run], object] = lambda _: True
    if_unread: bool = False


def check_run(run: Run) -> Changes:
    """Add to the changes of a run what no edit can mend.

    Warnings are only looked for where somebody reads them.
    """
    is_strict = run.settings.strict or run.environment.strict
    is_read = run.environment.warns or is_strict
    for check in CHECKS:
        if (is_read or check.if_unread) and check.when(run):
            run = run.add(Changes(problems=tuple(check.report(run))))
    problems = [problem.as_error() if is_strict else problem for problem in run.changes.problems]
    return run.changes._replace(problems=tuple(_readdress(problems, run.jobs)))


def _readdress(problems: Iterable[Problem], jobs: Iterable[Revision]) -> Problems:
    """Give problems with renamed Jobs the new names.

    Errors keep the old ones: after an error nothing is renamed.
    """
    names: dict[ResourceId | None, ResourceId] = {job.item.id: job.id for job in jobs}
    for problem in problems:
        is_kept = problem.severity is Severity.ERROR or problem.resource not in names
        yield problem if is_kept else problem._replace(resource=names[problem.resource])


def report_taken(run: Run) -> Problems:
    """Report for each other set how many of its revisions this configuration would choose, and has no effect on.

    Two causes are known: the base of a kustomization runs the function too, or a set gets another name in place. It
    is an error if this set has no revision at all, and is there for nothing else. Sets that share a package select
    different objects.
    """
    package, choices, settings = run.package, run.choices, run.settings
    if package.config_id is None:  # then nobody has written what has no effect
        return
    taken = collect(
        (choice.item.labels[keys.SET], choice.item)
        for choice in choices.all
        if choice.is_taken and choice.problem is None
    )
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


def warn_about_abandoned_linkers(run: Run) -> Problems:
    """Warn once for each other set whose linker does not fit the package.

    Several sets may share a package. Then each has its revisions there, and its inventory lists
    them.
    """
    own_sets = run.settings.own_sets
    linkers = collect((item.labels.get(keys.SET, ""), item) for item in run.package.emitted)
    for name, objects in linkers.items():
        is_of_another_set = name not in ("", *own_sets)
        reason = _why_abandoned(name, objects, run.package) if is_of_another_set else ""
        if reason:
            message = (
                f"belongs to the linker of set {name}, {reason}; set spec.takeOver: [{name}] if set {run.settings.set} "
                "replaces it, else run the function of that set, or remove its objects"
            )
            yield warning(objects[0], message)


def _why_abandoned(name: str, objects: list[Item], package: Package) -> str:
    revisions = {item.id.name for item in package.configs if item.labels.get(keys.SET) == name}
    if not revisions:
        return "but the package holds no revision of that set"
    listed = set().union(*map(listed_revisions, objects))
    if missing := sorted(listed - revisions):
        return f"which lists {missing[0]}, and the package does not hold it"
    return "which a run without a name has made" if name == DEFAULT_SET else ""


def warn_about_no_referrers(run: Run) -> Problems:
    """Warn if no object of the package could follow a new name, as when kpt's selectors pass ConfigMaps alone."""
    if run.revisions.renamed and not any(
        may_refer(item.id) and not item.is_local for item in run.package.authored
    ):
        message = (
            "ConfigMaps or Secrets are renamed, but the package has no objects that could reference them: referrers "
            "elsewhere keep the old names; run the function over the whole package, without selectors"
        )
        yield Problem(message, severity=Severity.WARNING)


def warn_about_immutable(run: Run) -> Problems:
    """Warn about each Job, Pod, ReplicaSet and fixed field that names a renamed object or changes, at the first field.

    The warning is the same on every run: the next change of the content changes the object again.
    """
    changed: list[tuple[Item, str]] = []
    may_not_change = run.package.kinds.may_not_change
    for referrer, reference, targets in run.references:
        is_renamed = not run.revisions.renamed.keys().isdisjoint(targets)
        if is_renamed and (reference.in_pod or may_not_change(referrer, reference.field)):
            changed.append((referrer, reference.field))
    changed += [(edit.item, edit.field) for edit in run.changes.edits]
    # And those of another name: the cluster sees a new object.
    told = {item for item, is_made_anew in run.package.generated.items() if is_made_anew}
    for item, patch in run.changes.patches:
        if "spec" in patch and (kind := kind_of(item)):
            changed.append((item, kind.pod_spec))
        metadata = patch.get("metadata")
        if isinstance(metadata, Mapping) and "name" in metadata:
            told.add(item)
    for item, field in dict.fromkeys(changed):
        if item in told:
            continue
        is_fixed = may_not_change(item, field)
        message = _NAME_IN_FIXED.format(item.id.kind) if is_fixed else _say_immutable(item)
        if message:
            told.add(item)
            yield warning(item, message, field)


def _say_immutable(item: Item) -> str:
    """Say what another pod template does not do, with the way out; `""` if it does what one expects."""
    kind = kind_of(item)
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


def warn_about_pruned_last(run: Run) -> Problems:
    """Warn if an Application lets Argo CD prune last, and a canary may keep it from being healthy before that."""
    items = run.package.authored
    if not any(item.id.group_kind == (_ARGO_GROUP, "Rollout") for item in items):
        return
    for item in items:
        prefix = _SPEC_OF.get(item.id.kind) if item.id.group == _ARGO_GROUP else None
        if prefix is None:
            continue
        path = (*prefix, "syncPolicy", "syncOptions")
        for index, option in enumerate(elements(get(item.node, *path))):
            if text(option) == "PruneLast=true":
                message = (
                    "Argo CD prunes the linker's former Job with each release, and with PruneLast=true only when "
                    "all is healthy: a sync does not end while a canary is paused, and the next commit waits; "
                    "remove the option"
                )
                yield warning(item, message, f"{'.'.join(path)}[{index}]")


def report_unrendered(run: Run) -> Problems:
    """Report each name or namespace that is a template of Helm. No API server accepts it."""
    for item in run.package.authored:
        if not item.id.api_version or item.is_local:
            continue
        for field, name in (("name", item.id.name), ("namespace", item.id.namespace)):
            node = None if name else get(item.node, "metadata", field)
            if "{{" in name or (is_mapping(node) and any(is_mapping(key) for key, _ in node.value)):
                mark = mark_of(item.node, ("metadata", field))
                problem = about(item, UNRENDERED, f"metadata.{field}")
                yield problem._replace(line=mark.line + 1, column=mark.column + 1)


def warn_about_substituted(run: Run) -> Problems:
    """Warn about each object that is renamed though its content, or a reference to it, is still to be substituted.

    It was chosen by somebody, so it is renamed. It stays immutable: the API server then refuses a variable's new value
    with a message, instead of giving old pods other content under the name that they know.
    """
    variable = run.guards.get(VARIABLE)
    for revision in run.revisions.rendered:
        if variable is None or revision.strategy is not Strategy.RENAME:
            continue
        reason = variable.why(revision.item)
        if reason is not None:
            only_flux = (
                "" if reason.source else f", or annotate the object with {SUBSTITUTE}: disabled"
            )
            message = f"{reason.text}; substitute before it{only_flux}"
            yield warning(revision.item, message, resource=revision.base_id)


def warn_about_duplicates(run: Run) -> Problems:
    """Warn about objects that have kind, namespace and name of an earlier one, also in the output.

    One message is for all of two folders: a whole one may be there twice.
    kustomize refuses such a package, kpt tells subpackages apart, and a chart may create a hook beside an object of
    its name. Renamed objects of one name and other content are told apart by it: a reference that may mean two of them
    is an error.
    """
    package, new_names = run.package, run.revisions.names
    first: dict[tuple[str, ...], Item] = {}
    again: list[tuple[tuple[str, str], tuple[Item, Item]]] = []
    for item in package.authored:
        who = item.id
        if not who.name or not who.kind or item.is_local or is_hook(item):
            continue
        subpackage = item.annotations.get(PACKAGE_PATH, "")
        names = who.name, new_names.get(item, who.name)
        identity = (who.group, who.kind, package.namespace_of(item), *names, subpackage)
        earlier = first.setdefault(identity, item)
        if earlier is not item:
            folders = earlier.file.rpartition("/")[0], item.file.rpartition("/")[0]
            again.append((folders, (earlier, item)))
    for (earlier, item), *others in collect(again).values():
        message = f"is in the package twice, {place_of(earlier)} and {place_of(item)}: what is applied last wins"
        too = [str(authored_id(other)) for _, other in others]
        yield warning(item, message + and_others(too), resource=authored_id(item))


def warn_about_written_again(run: Run) -> Problems:
    """Warn about each object beside a revision of its own that is still read.

    In a package rendered in place, a generator such as kpt's gen-configmap or render-helm-chart
    writes the base name again, and references keep to the revision of before.
    """
    # Subpackages of kpt may each have an object of the same id.
    made = {
        (one.base_id, one.item.annotations.get(PACKAGE_PATH, "")): one
        for one in run.revisions.rendered
        if keys.BASE_NAME in one.item.annotations
    }
    again: list[tuple[Item, Revision]] = []
    for item in run.package.configs:
        former = made.get((item.id, item.annotations.get(PACKAGE_PATH, "")))
        if former is not None and keys.BASE_NAME not in item.annotations:
            again.append((item, former))
    if not again:
        return
    referenced: set[Item] = set()
    for _, _, targets in run.references:
        referenced.update(targets)
    for item, revision in again:
        if revision.item in referenced:
            message = (
                f"is beside {revision.id}, a revision of it that references still name; remove the revision, and "
                "do not render generated files in place"
            )
            yield warning(item, message, resource=authored_id(item))


def report_named_by_ciphertext(run: Run) -> Problems:
    """Say of each revision that its name says what is encrypted, not what is decrypted."""
    for revision in run.revisions.rendered:
        if revision.is_renamed and is_encrypted(revision.item):
            message = "is named by its ciphertext, so encrypting the same values again gives it another name"
            yield about(revision.item, message, "sops", Severity.INFO, resource=revision.base_id)


def _warn_about_job_names(run: Run) -> Iterable[Problem]:
    # Hardly any package renames Jobs: who does not need not import what does (decision 31).
    from krm_fn.extras.jobs import warn_about_job_names

    return warn_about_job_names(run)


def _has_entries(run: Run) -> bool:
    settings = run.settings
    return bool(settings.select or settings.exclude or settings.references)


def _decides_names(run: Run) -> bool:
    return bool(run.revisions.rendered or run.revisions.restored)


def _emits_linker_for_argo_cd(run: Run) -> bool:
    settings = run.settings
    has_jobs = settings.linker.enabled and not settings.linker.is_shared
    return bool(run.revisions.rendered) and has_jobs and _ARGO_CD in settings.deployers


def _has_references(run: Run) -> bool:
    return bool(run.references.authored)


def _has_references_or_mounts(run: Run) -> bool:
    return bool(run.references.authored or run.references.mounted)


def _says_nothing_yet(run: Run) -> bool:
    return all(problem.severity is Severity.INFO for problem in run.changes.problems)


CHECKS = (
    # Errors, among others.
    Check(report_taken, if_unread=True),
    Check(report_unrendered, if_unread=True),
    Check(encrypted_files.find_encrypted_keys, if_unread=True),
    # What the configuration says, and does not happen.
    Check(without_effect.warn_about_unmatched, when=_has_entries),
    Check(without_effect.warn_about_misspelled_kinds),
    Check(warn_about_abandoned_linkers, when=lambda run: run.package.emitted),
    # What does not follow a new name, or follows it too often.
    Check(warn_about_no_referrers, when=_decides_names),
    Check(not_followed.warn_about_unlisted, when=_decides_names),
    Check(not_followed.warn_about_sightings, when=_decides_names),
    Check(not_followed.warn_about_copied, when=_decides_names),
    Check(not_followed.warn_about_vars, when=_decides_names),
    Check(not_followed.warn_about_kapps_annotations, when=_decides_names),
    Check(warn_about_substituted, when=_decides_names),
    Check(warn_about_written_again, when=_decides_names),
    Check(report_named_by_ciphertext, when=_decides_names),
    Check(not_followed.warn_about_left_behind),
    Check(warn_about_immutable),
    Check(warn_about_pruned_last, when=_emits_linker_for_argo_cd),
    Check(_warn_about_job_names, when=lambda run: run.jobs),
    # What a cluster will not accept, or not as it is here.
    Check(warn_about_duplicates),
    Check(not_followed.warn_about_misspelled, when=_has_references),
    Check(not_followed.find_unfollowed_affixes, when=_has_references),
    Check(not_followed.report_made_in_cluster, when=_has_references),
    Check(missing_keys.warn_about_missing_keys, when=_has_references_or_mounts),
    Check(refused_data.warn_about_refused_data),
    Check(encrypted_files.warn_about_encrypted_files),
    Check(without_effect.warn_about_own_annotations),
    # What changes without another name.
    Check(not_followed.report_unversioned, when=lambda run: run.references.read_by_pods),
    # Last: where another check warns, that may be the reason already.
    Check(without_effect.warn_about_nothing_chosen, when=_says_nothing_yet),
)
"""All checks, in the order in which their problems are reported."""
