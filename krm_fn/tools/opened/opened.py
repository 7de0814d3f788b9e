"""Open what a user names into objects, find the configuration that counts, and let the function decide."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType

from krm_fn.base.changes import Changes
from krm_fn.base.item import Item, about, warning
from krm_fn.base.keys import FIXED_NAME, NEEDS_HASH_SUFFIX, STRATEGY
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    FieldPath,
    Node,
    describe,
    get,
    is_mapping,
    is_null,
    is_scalar,
    is_sequence,
    text,
    walk,
)
from krm_fn.base.problem import Problem, Problems, Rejected, Severity, at
from krm_fn.base.settings import KPTFILE, Environment, NearbyConfig, Settings, Strategy, configures
from krm_fn.core.config.config import (
    ChosenConfiguration,
    Configuration,
    Packages,
    choose_configuration,
    find_applied,
    parse_config,
)
from krm_fn.core.decide.decide import Run
from krm_fn.core.names.names import authored_id, base_name, former_names, is_named_late
from krm_fn.core.yaml.yaml import Envelope, Expansion, open_envelope, read_yaml
from krm_fn.function import decide, read_config
from krm_fn.report.secrets import hide_in_problems
from krm_fn.tools.builds.builds import HelmOptions, Marked
from krm_fn.tools.common.files import Allowance, real_path
from krm_fn.tools.common.made_anew import MadeAnew, find_made_anew, has_new_content
from krm_fn.tools.common.opened_texts import OpenedText, items_of, place, place_by_object, placed_in
from krm_fn.tools.common.rendered import is_deployed
from krm_fn.tools.opened.sources import (
    STDIN,
    Inputs,
    PartOfInput,
    Sources,
    SourceText,
    read_config_file,
    read_sources,
)

__all__ = [
    "STDIN",
    "Inputs",
    "NoObjects",
    "Opened",
    "SourceText",
    "decide_opened",
    "find_configurations",
    "open_inputs",
    "read_config_file",
    "read_sources",
    "say_shared",
]

_HELM_HOOK = "helm.sh/hook"


class NoObjects(Rejected):
    """There are only texts without an object."""


class Opened(NamedTuple):
    """Everything that was read: texts without their data, their objects, the configuration, warnings of the tools.

    `expansion` is what the aliases of all texts stand for. `unread` are configuration files that are near, and that are
    not read. `made_anew` is what charts make anew on every rendering. `shared` are
    those of the remarks that name two paths of one set. `chosen`: the configuration with its
    settings, None without one; `settings` are then the defaults.
    """

    texts: list[SourceText]
    envelopes: list[tuple[str, Envelope]]
    configuration: tuple[str, Node | None]
    remarks: list[Problem]
    expansion: Expansion
    unread: Sequence[NearbyConfig] = ()
    made_anew: MadeAnew = MappingProxyType({})
    shared: Sequence[Problem] = ()
    chosen: ChosenConfiguration | None = None
    settings: Settings = Settings()

    @property
    def items(self) -> list[Item]:
        return items_of(self.envelopes)

    def items_in(self, is_meant: Callable[[SourceText], bool]) -> list[Item]:
        """Return the objects of some texts."""
        names = {source.name for source in self.texts if is_meant(source)}
        return items_of((name, envelope) for name, envelope in self.envelopes if name in names)

    def place(self, problems: Iterable[Problem]) -> Problems:
        """Place problems in the files, and hide the names of Secrets."""
        return place_by_object(
            hide_in_problems(problems, self.items), self.envelopes, self.configuration
        )

    @contextmanager
    def placed(self) -> Iterator[None]:
        try:
            yield
        except Rejected as rejected:
            raise Rejected(*self.place(rejected.problems)) from rejected


def open_inputs(
    inputs: Inputs, helm: HelmOptions, environment: Environment, allowance: Allowance
) -> Opened:
    """Read everything at the paths.

    Raises Rejected for all that is no object, and if nothing is to be applied.
    """
    found = read_sources(inputs, helm, allowance)
    expansion = Expansion()
    opened = _open_all(found.texts, expansion)
    given = read_config_file(inputs, allowance)
    chosen = _choose_configuration(given, found.configs, opened, environment, inputs.remedy)
    remarks = [*found.remarks]
    for name, envelope in opened:
        remarks += [place(name, one) for one in envelope.document.warn_about_repeated()]
    shared = [*_find_shared_parts(found, opened, environment)]
    remarks += shared
    made_anew = _find_made_anew(found.texts, opened)
    # The envelopes have them.
    texts = [source._replace(data=b"", again=b"") for source in found.texts]
    return Opened(
        texts,
        opened,
        ("", None) if chosen is None else (chosen.name, chosen.read.configuration.node),
        remarks,
        expansion,
        found.unread,
        made_anew,
        shared,
        None if chosen is None else chosen.read,
        parse_config(None, environment) if chosen is None else chosen.read.settings,
    )


def _find_shared_parts(
    found: Sources, opened: list[tuple[str, Envelope]], environment: Environment
) -> Problems:
    """Find paths that have the set of another path, where each has a configuration of its own."""
    if len(found.parts) < 2:  # noqa: PLR2004  # one is alone
        return
    named = {part.config for part in found.parts}
    sets = {
        one.name: parse_config(_read(one), environment).set
        for one in found.configs
        if one.name in named
    }
    namespaces: dict[str, set[str]] = defaultdict(set)
    for name, envelope in opened:
        namespaces[name] |= {item.id.namespace for item in envelope.items}
    yield from find_shared_parts(found.parts, sets, namespaces)


def decide_opened(opened: Opened, environment: Environment) -> Run:
    """Decide about all objects. Raises Rejected."""
    with opened.placed():
        # A name of its own for each password would roll all pods whenever somebody renders the
        # chart.
        generated = {item: has_new_content(places) for item, places in opened.made_anew.items()}
        if opened.chosen is None:
            # A configuration nearby is of interest only where none counts (decision 37).
            environment = environment._replace(unread=tuple(dict.fromkeys(opened.unread)))
        found = decide(
            opened.items,
            opened.chosen,
            environment,
            generated,
            expansion=opened.expansion,
        )
        problems = [*_find_named_too_early(opened, found)]
        if problems:
            raise Rejected(*problems)
        late = (*_find_lost_hooks(opened, found), *_find_listed(opened, found))
        return found.add(Changes(problems=late))


def _find_listed(opened: Opened, found: Run) -> Problems:
    """Warn about each configuration in `resources:` of a kustomization: what kustomize itself prints holds it."""
    is_strict = found.settings.strict or found.environment.strict
    for problem in find_applied(opened.items_in(lambda source: source.is_kustomized)):
        message = f"krm-fn render leaves it out, but kustomize build does not: {problem.message}"
        said = problem._replace(message=message)
        yield said.as_error() if is_strict else said


def _find_lost_hooks(opened: Opened, found: Run) -> Problems:
    """Warn about each hook that names a renamed object, and that helm would not pass to a post-renderer."""
    is_strict = found.settings.strict or found.environment.strict
    if "helm" not in found.settings.deployers or not (found.environment.warns or is_strict):
        return
    items = {*opened.items_in(lambda source: source.loses_hooks)}
    for one in found.hook_reads:
        referrer, reference, targets = one.resolved
        if one.is_copy and referrer in items and _HELM_HOOK in referrer.annotations:
            message = (
                "Helm 3 passes no hooks to a post-renderer, so spec.hooks: copy cannot give this one its copy, and it "
                f"would look for {reference.target}, which does not exist: use Helm 4, or annotate "
                f"{authored_id(targets[0])} with {STRATEGY}: {Strategy.IGNORE}"
            )
            yield about(referrer, message, reference.field)
    for referrer, reference, targets in found.references.authored:
        renamed = [item for item in targets if item in found.revisions.renamed]
        if not renamed or referrer not in items or _HELM_HOOK not in referrer.annotations:
            continue
        message = (
            f"Helm 3 passes no hooks to a post-renderer, so this one would look for {reference.target}, which does not "
            f"exist: annotate {authored_id(renamed[0])} with {STRATEGY}: {Strategy.IGNORE}, or use Helm 4"
        )
        problem = warning(referrer, message, reference.field)
        yield problem.as_error() if is_strict else problem


def _find_named_too_early(opened: Opened, found: Run) -> Problems:
    """Find objects that get another name here than in kustomize: it would change them after krm-fn has named them."""
    changed = {
        item.id.name
        for item in opened.items_in(lambda source: source.is_early)
        if item not in found.revisions.renamed and is_named_late(item)
    }
    for item, patch in found.changes.patches:
        metadata = patch.get("metadata")
        is_named = not item.is_config and isinstance(metadata, dict) and "name" in metadata
        spec = get(item.node, "spec")
        names = (
            {node.value for node in walk([spec]) if is_scalar(node)} & changed
            if is_named and spec
            else set()
        )
        if names:
            message = (
                f"kustomize would write {min(names)} into it after krm-fn has named it by its content; leave its name "
                "alone (of a Job: `jobs: warn`), or build with `kustomize build --enable-alpha-plugins --enable-exec`"
            )
            yield about(item, message)


def _find_made_anew(sources: list[SourceText], opened: list[tuple[str, Envelope]]) -> MadeAnew:
    found: dict[Item, frozenset[FieldPath]] = {}
    for source in sources:
        if source.again:
            with placed_in(source.name):
                second = open_envelope(read_yaml(source.again, may_repeat=True))
            items = items_of((name, envelope) for name, envelope in opened if name == source.name)
            found |= find_made_anew(items, second.items)
    return found


def _open_all(sources: list[SourceText], expansion: Expansion) -> list[tuple[str, Envelope]]:
    """Open every text that is not empty.

    Raises Rejected for all that is no object, and if nothing is to be applied.
    """
    opened, problems = [], []
    for source in sources:
        try:
            opened += [(source.name, envelope) for envelope in _open(source, expansion)]
        except Rejected as rejected:
            problems += [place(source.name, problem) for problem in rejected.problems]
    # An empty stream is a valid one, and means that everything is to be deleted.
    if not problems and not any(map(is_deployed, items_of(opened))):
        names = ", ".join(dict.fromkeys(source.name for source in sources))
        what = "only objects for tools" if opened else "no objects"
        problem = Problem(f"nothing to apply: {what} in {names}")
        raise Rejected(problem) if opened else NoObjects(problem)
    if problems:
        raise Rejected(*problems)
    return opened


def _open(source: SourceText, expansion: Expansion) -> Iterator[Envelope]:
    """Open a text, unless it is empty or holds only comments."""
    document = read_yaml(source.data, expansion, may_repeat=True)
    if all(map(is_null, document.roots)):
        return
    wrong: list[Problem] = []
    for root in document.roots:
        wrong += _find_non_objects(root)
    if wrong:
        raise Rejected(*wrong)
    envelope = open_envelope(document, source.origin)
    if source.notes:
        for item in envelope.items:
            item.annotations.update(source.notes.get(item.id, {}))
    if source.marked:
        _mark(envelope.items, source.marked)
    problems = [*_find_unnamed(envelope)]
    if problems:
        raise Rejected(*problems)
    yield envelope


def _mark(items: Iterable[Item], marked: Mapping[Marked, str]) -> None:
    for item in items:
        named = [*(former.name for former in former_names(item)), base_name(item), item.id.name]
        for annotation in {one.annotation for one in marked}:
            if annotation == FIXED_NAME and NEEDS_HASH_SUFFIX in item.annotations:
                continue  # another object of that name
            for name in named:
                file = marked.get(Marked(annotation, item.id.kind, name))
                if file is not None:
                    item.annotations[annotation] = file


def _find_non_objects(node: Node) -> Problems:
    """Find documents and elements of Lists that are not objects."""
    if not is_mapping(node) and not is_null(node):
        yield at(node.start_mark, f"expected a Kubernetes object, found {describe(node)}")
    items = get(node, "items") if text(get(node, "kind")).endswith("List") else None
    if is_sequence(items):
        for item in items.value:
            yield from _find_non_objects(item)


def _find_unnamed(envelope: Envelope) -> Problems:
    """Find objects without apiVersion or kind, which cannot be applied: a chart's values, a CI workflow."""
    for item in envelope.items:
        missing = [
            name
            for name, value in (("apiVersion", item.id.api_version), ("kind", item.id.kind))
            if not value
        ]
        if missing and is_deployed(item):
            yield at(
                item.node.start_mark,
                f"expected a Kubernetes object, found a mapping without {' and '.join(missing)}",
            )


class _ChosenText(NamedTuple):
    """The configuration that counts, and the name of its text."""

    name: str
    read: ChosenConfiguration


def _choose_configuration(
    given: SourceText | None,
    beside: list[SourceText],
    opened: OpenedText,
    environment: Environment,
    remedy: str,
) -> _ChosenText | None:
    """Choose the configuration that counts; None without one.

    Raises Rejected for an invalid one, and for two that contradict each other.
    """
    packages = _find_packages(beside, opened)
    found = [*_find(given, beside, opened, packages)]
    chosen = choose_configuration((one for _, one in found), packages, environment, remedy)
    if chosen is None:
        return None
    name = next(name for name, one in found if one is chosen.configuration)
    return _ChosenText(name, chosen)


def find_configurations(
    given: SourceText | None, beside: list[SourceText], opened: OpenedText
) -> list[Configuration]:
    return [one for _, one in _find(given, beside, opened, _find_packages(beside, opened))]


def _find(
    given: SourceText | None, beside: Iterable[SourceText], opened: OpenedText, packages: Packages
) -> Iterator[tuple[str, Configuration]]:
    """Yield each configuration with the name of its text."""
    if given:
        passed = Configuration.passed(_read(given))
        where = f"--config {given.name}"
        yield given.name, passed._replace(where=where, place=partial(place, given.name))
    for name, envelope in opened:
        if envelope.function_config is not None:
            passed = Configuration.passed(envelope.function_config)
            yield name, passed._replace(place=partial(place, name))
        for item in filter(configures, envelope.items):
            yield name, _in_file(name, item.node, packages.of(item))
    for source in beside:
        package = packages.of_file(source.name)
        yield source.name, _in_file(source.name, _read(source), package).beside


def _in_file(name: str, node: Node, package: str) -> Configuration:
    where = place(name, at(node.start_mark, "")).file
    return Configuration(node, where, package, partial(place, name))


def _read(source: SourceText) -> Node:
    with placed_in(source.name):
        return read_config(source.data)


def _find_packages(beside: Iterable[SourceText], opened: OpenedText) -> Packages:
    """Find the kpt packages around the configurations.

    A Kptfile is no manifest, and is not among the objects.
    """
    items = items_of(opened)
    files = [item.origin for item in items if item.origin and configures(item)]
    files_beside = [source.name for source in beside]
    folders: set[str] = set()
    for file in files + files_beside:
        folders |= {str(folder) for folder in Path(file).parents if (folder / KPTFILE).is_file()}
    return Packages(items, files_beside, folders)


def say_shared(set_name: str, namespace: str, other: str) -> str:
    return (
        f"calls its set {set_name}, as {other} does, and both are in namespace {namespace}: in one cluster, removing "
        "one breaks the other; set another metadata.name in the krm-fn.yaml or krm/kustomization.yaml of one"
    )


def find_shared_parts(
    parts: Iterable[PartOfInput], sets: Mapping[str, str], namespaces: Mapping[str, Iterable[str]]
) -> Problems:
    """Find paths with the set of an earlier one in the same namespace, which both set.

    `sets`: of each configuration, by its file. `namespaces`: those of the objects in each text. All paths are one
    rendering here, and have one linker; nothing says that they are deployed as one.
    """
    first: dict[tuple[str, str], PartOfInput] = {}
    for part in parts:
        held = {one for text in part.texts for one in namespaces.get(text, ())} - {""}
        for namespace in sorted(held):
            other = first.setdefault((sets[part.config], namespace), part)
            if real_path(Path(other.config)) != real_path(Path(part.config)):
                said = say_shared(sets[part.config], namespace, other.path)
                message = f"{said}, or deploy them as one"
                yield Problem(message, severity=Severity.WARNING, file=part.path)
                break
