"""Give hooks that run before all else a copy of what they read, under a name that never changes.

Such a hook runs before the revision of this rendering exists. The copy is a hook itself: it is
applied before its readers, in each phase of theirs, and created anew each time. Pods that stay read
the revision, so nothing that they need is ever a hook.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Object
from krm_fn.base.item import DATA_FIELDS, Item, about
from krm_fn.base.kind import DEPLOYERS, SYNC_WAVE, number_of_wave
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, texts
from krm_fn.base.problem import Problems
from krm_fn.base.reference import HookRead, ResolvedReference
from krm_fn.base.settings import Hooks, Strategy
from krm_fn.core.decide.run import MAX_NAME, Revision, Revisions, Run, Survey
from krm_fn.core.decide.update_references import update_references
from krm_fn.core.names.names import base_name
from krm_fn.core.references.references import References
from krm_fn.extras.upsert import upsert

_ARGO_CD = "argocd.argoproj.io/hook"
# kluctl reads Helm's weight where its own is missing.
_WEIGHTS = {
    "helm.sh/hook": ("helm.sh/hook-weight",),
    "kluctl.io/hook": ("kluctl.io/hook-weight", "helm.sh/hook-weight"),
}


class HookCopies(NamedTuple):
    """The references of early hooks, by the object that each means.

    `references`: all others, for every other decision. `earlier`: the copies of an earlier run.
    """

    references: References
    reads: Mapping[Item, list[ResolvedReference]]
    earlier: tuple[Item, ...]


def find_copies(
    survey: Survey,
    find_hooks: Callable[[References, Iterable[str]], Collection[tuple[Item, Item]]],
) -> HookCopies:
    """Find what hooks read before it is applied, and what an earlier run has copied for them."""
    package, settings = survey.package, survey.settings
    sources = {
        (item.id.namespace, base_name(item)): item for item in filter(_may_copy, package.configs)
    }
    earlier = [
        item
        for item in package.emitted
        if item.labels.get(keys.SET) in settings.own_sets and keys.COPY_OF in item.annotations
    ]
    # A hook that reads a copy means what it was copied from.
    meant: dict[tuple[str, str, str], Item] = {}
    for copy in earlier:
        source = sources.get((copy.id.namespace, copy.annotations[keys.COPY_OF]))
        if source is not None:
            meant[copy.id.kind, copy.id.namespace, copy.id.name] = source
    # Behind the copies of an earlier run the sources are found as if nothing had been copied.
    references = survey.references.with_targets(meant)
    reads: dict[Item, list[ResolvedReference]] = defaultdict(list)
    if settings.hooks is Hooks.COPY:
        hooks = find_hooks(references, settings.deployers)
        for one in references.authored:
            if one.reference.in_pod:
                for target in one.targets:
                    if (target, one.referrer) in hooks and _may_copy(target):
                        reads[target].append(one)
    others = references.without([*chain.from_iterable(reads.values())])
    return HookCopies(others, reads, tuple(earlier))


def _may_copy(source: Item) -> bool:
    """Tell whether it is a ConfigMap: one more object with the value of a Secret is nobody's wish."""
    return source.id.kind == "ConfigMap" and get(source.node, "sops") is None


def write_copies(copies: HookCopies, run: Run) -> Run:
    """Let the hooks read the copies of what is renamed, and all else by its base name."""
    index = run.references.index
    changes = Changes()
    wanted: list[Object] = []
    hook_reads: list[HookRead] = []
    for source, reads in copies.reads.items():
        base = base_name(source)
        name = run.revisions.names.get(source, base)
        # A hook reads what keeps its name as before.
        is_copied = name != base
        meant = f"{base}{keys.COPY_INFIX}{run.settings.set}" if is_copied else base
        if is_copied:
            wanted.append(_build_copy(source, meant, reads, run))
        revision = Revision(source, base, meant, Strategy.RENAME)
        changes += update_references(reads, Revisions([revision]), index)
        changes += Changes(problems=tuple(_find_problems(source, meant, run)))
        hook_reads += (HookRead(one, meant, is_copied) for one in reads)
    done = run._replace(hook_reads=tuple(hook_reads))
    return done.add(changes + upsert([*copies.earlier], wanted))


def _build_copy(source: Item, name: str, reads: Iterable[ResolvedReference], run: Run) -> Object:
    content: Object = {}
    for field in DATA_FIELDS:
        node = get(source.node, field)
        if node is not None:
            content[field] = texts(node)
    # Not the author's: a program that collects objects by a label would find the copy as well.
    mark = {keys.SET: run.settings.set, keys.COMPONENT: keys.HOOK_COPY}
    labels = {**run.settings.linker.labels, **mark}
    namespace = {"namespace": source.id.namespace} if source.id.namespace else {}
    return {
        "apiVersion": "v1",
        "kind": source.id.kind,
        "metadata": {
            "name": name,
            **namespace,
            "labels": labels,
            "annotations": {
                keys.COPY_OF: base_name(source),
                **_hook_annotations([one.referrer for one in reads]),
            },
        },
        **content,
    }


def _hook_annotations(readers: list[Item]) -> dict[str, str]:
    """Make the copy a hook in each phase of its readers, before the first of them in each."""
    found: dict[str, str] = {}
    policies = (one.recreates_hooks.items() for one in DEPLOYERS.values())
    for hook, (policy, anew) in chain.from_iterable(policies):
        words: dict[str, None] = {}
        for reader in readers:
            written = reader.annotations.get(hook, "").split(",")
            words |= dict.fromkeys(word.strip() for word in written if word.strip())
        if words:
            found |= {hook: ",".join(words), policy: anew}
    for hook, weights in _WEIGHTS.items():
        if hook in found:
            # One step before the first reader: a hook waits for those of a lower weight.
            first = min(number_of_wave(one, weights) for one in readers)
            found[weights[0]] = str(first - 1)
    if _ARGO_CD in found or any(SYNC_WAVE in one.annotations for one in readers):
        waves = [number_of_wave(one, DEPLOYERS["argocd"].waves) for one in readers]
        found[SYNC_WAVE] = str(min(waves) - 1)
    return found


def _find_problems(source: Item, name: str, run: Run) -> Problems:
    if name == base_name(source):
        return
    remedy = f"annotate it with {keys.STRATEGY}: {Strategy.IGNORE}"
    for item in run.package.authored:
        if item.id[1:] == source.id._replace(name=name)[1:]:
            message = f"has the name of the copy of {base_name(source)} that spec.hooks: copy makes; rename it"
            yield about(item, message)
    if len(name) > MAX_NAME:
        yield about(
            source, f"its copy for hooks would have a name of {len(name)} characters; {remedy}"
        )
    if any(edit.item is source for edit in run.revisions.data):
        message = (
            "spec.hooks: copy cannot copy it for a hook: its content has names of revisions, which do not exist yet "
            f"when the hook runs; {remedy}, or give the hook an object of its own"
        )
        yield about(source, message)
