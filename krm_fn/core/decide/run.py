"""The values of a run: reasons, the sorted package, the survey, choices and revisions.

A run sorts its objects, asks guards, chooses a strategy for each ConfigMap and Secret, and plans
their new names. Each answer is a value here, and a `Reason` says why. `Survey` holds all that is
known before anything is decided. `Run` adds the decisions and the changes that come of them: each
later part takes a `Run`, and most return one with more changes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from krm_fn.base import keys
from krm_fn.base.changes import Changes, Edit, SetParts
from krm_fn.base.item import Item, about, is_emitted, is_revision
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.kind import Kinds, cannot_change
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node
from krm_fn.base.pods import PodTemplate
from krm_fn.base.problem import Problem, ResourceId
from krm_fn.base.reference import HookRead, Reference, ResolvedReference
from krm_fn.base.settings import Environment, FieldSpec, MountSource, Settings, Strategy, configures
from krm_fn.core.names.names import hash_in_name, without_hash
from krm_fn.core.references.generated import (
    Generated,
    hash_of,
    hashed_fields,
    name_meant,
    name_with,
    versioned,
)
from krm_fn.core.references.lookups import Lookups
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.references import Authored, References, find_authored
from krm_fn.core.references.resolve import Index, MoreNames

# Reasons and guards.


class ReasonCode(StrEnum):
    """The grounds of a decision that no guard gives. Outputs show these words, so they stay."""

    # Objects that are never chosen from.
    LOCAL = "local"  # for tools, and never applied
    CONFIGURATION = "configuration"
    EMITTED = "emitted"  # by an earlier run, for the linker

    # What author and configuration say.
    EXCLUDE = "exclude"
    ANNOTATION = "annotation"
    KINDS = "kinds"  # spec.kinds does not contain the kind
    SELECT = "select"
    NOT_SELECTED = "not-selected"  # spec.select is there, and no entry matches

    # Without their word: what the package shows.
    DEFAULT = "default"  # only pods read it: no sign that a program looks it up by name
    NOT_READ = "not-read"  # by pods
    EARLIER_RUN = "earlier-run"  # it is a revision already
    FIXED_NAME = "fixed-name"  # programs of every cluster look it up by its name; or it has none
    OTHER_SET = "other-set"
    WRITTEN = "written"  # a controller decides its name or content
    BOUND = (
        "bound"  # the name of the Secret that it makes must stay, or its encryption covers its name
    )

    ABSENT = "absent"
    """Nothing in the package makes it: it is only referenced."""


class Answer(NamedTuple):
    """A reason as a guard's question gives it: the guard adds its code."""

    text: str
    item: Item | None = None
    field: str = ""
    source: str = ""
    remedy: str = ""
    annotation: str = ""
    is_expected: bool = False


class Reason(NamedTuple):
    """The ground of a decision, and how it decides, as a clause.

    `item` and `field`: where that is written.

    Without an item, the field is one of the configuration. `source`: where a program says so.
    `remedy`: what to do if that is not what is wanted. `annotation`: the object gets it, so that
    later runs know this. `is_expected`: nobody wonders why the object is left alone.
    """

    code: str
    text: str
    item: Item | None = None
    field: str = ""
    source: str = ""
    remedy: str = ""
    annotation: str = ""
    is_expected: bool = False


def _nothing(_: Item) -> Iterable[Problem]:
    return ()


class Guard(NamedTuple):
    """Two questions about an object that may be renamed.

    `why` says who may look it up by its name, and so why it is left alone by default; None where
    nobody is known. `refuse` reports who cannot follow where somebody has chosen it all the same.

    `is_about_content`: another program decides the content, which counts even where the base name is
    lost. `needs_saying`: no other warning says who reads what is renamed. `is_certain`: no hint.
    """

    why: Callable[[Item], Reason | None]
    refuse: Callable[[Item], Iterable[Problem]] = _nothing
    is_about_content: bool = False
    needs_saying: bool = False
    is_certain: bool = False


Guards: TypeAlias = Mapping[str, Guard]
"""By the codes of their reasons, in the order in which they are asked: the first answer decides."""

RENAME_ALL_THE_SAME = (
    f"annotate it with {keys.STRATEGY}: {Strategy.RENAME} to rename it all the same, "
    f"or {Strategy.IGNORE} to accept this"
)


# The sorted package.

FIXED_NAMES = frozenset({"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"})
"""ConfigMaps that programs look up by this very name."""


class Package(NamedTuple):
    """`authored`: what users wrote; `emitted`: the linker's objects.

    `configs`: the ConfigMaps and Secrets among `authored`, and the producers of Secrets whose kinds
    are handled.

    `config_id` is the functionConfig, None where there is none. `namespace` is where objects
    without a namespace will be applied, `""` if nobody knows. `generated` says of objects from Helm
    charts whether each rendering of the chart makes another one; objects of which that is not known
    are missing. `set_aside` are ConfigMaps and Secrets that are not to be chosen, and why.
    """

    authored: list[Item]
    configs: list[Item]
    emitted: list[Item]
    kinds: Kinds
    config_id: ResourceId | None
    namespace: str
    generated: Mapping[Item, bool]
    set_aside: Mapping[Item, Reason]

    def namespace_of(self, item: Item) -> str:
        """Return the namespace that an object will be applied to; `""` if nobody knows."""
        return item.id.namespace or self.namespace

    def read_index(self) -> Index:
        """Return what may be referenced, by its names and places."""
        lookups = Lookups(self.authored, self.kinds)
        return Index(self.configs, self.kinds, self.namespace, lookups=lookups)

    def read_written(self, specs: tuple[FieldSpec, ...] = ()) -> Authored:
        """Read the references that are written in it, also those that an earlier run has mounted.

        `specs` are the paths of `spec.references`.
        """
        return find_authored(self.authored, self.read_index(), specs, but=())

    def namespaces_like(self, namespace: str) -> frozenset[str] | None:
        """Return all spellings of this namespace in the package; None for all namespaces."""
        known = namespace or self.namespace
        if not known:
            return None
        return frozenset({known, ""} if self.namespace in ("", known) else {known})


_EMITTED = Reason(ReasonCode.EMITTED, "an earlier run has emitted it for the linker")
_CONFIGURATION = Reason(ReasonCode.CONFIGURATION, "it is the configuration")


def read_package(
    items: Iterable[Item],
    config_id: ResourceId | None,
    namespace: str,
    generated: Mapping[Item, bool] = MappingProxyType({}),
    kinds: Collection[str] = (),
) -> Package:
    """Sort the objects. `kinds`: those that are handled.

    An object that an earlier run has made a revision is handled whatever its kind.
    """
    authored: list[Item] = []
    emitted: list[Item] = []
    for item in items:
        (emitted if is_emitted(item) else authored).append(item)
    set_aside = {item: _EMITTED for item in emitted if item.is_config}
    configs = []
    for item in authored:
        is_producer = versioned(item.id) is not None and (
            item.id.kind in kinds or is_revision(item)
        )
        if item.is_config or is_producer:
            reason = _why_set_aside(item, config_id)
            if reason is None:
                configs.append(item)
            else:
                set_aside[item] = reason
    return Package(
        authored=authored,
        configs=configs,
        emitted=emitted,
        kinds=Kinds(authored),
        config_id=config_id,
        namespace=namespace,
        generated=generated,
        set_aside=set_aside,
    )


def _why_set_aside(item: Item, config_id: ResourceId | None) -> Reason | None:
    """Say why a ConfigMap or Secret is not to be chosen; None where it may be."""
    if item.is_local:
        field = f"metadata.annotations[{keys.LOCAL_CONFIG}]"
        return Reason(
            ReasonCode.LOCAL,
            f"it is for tools, and never applied ({keys.LOCAL_CONFIG})",
            item,
            field,
        )
    return _CONFIGURATION if item.id == config_id or configures(item) else None


# Choices.


class Choice(NamedTuple):
    """The strategy of an object.

    `explicit`: something chose it; else it is left alone because nothing did.

    `is_written_by_others`: its name or content is not the package's to decide. `problem`: what is
    wrong with it. `gets_base_name_back`: an earlier run in place has made it a revision, and it is
    none any more. `is_taken`: this set would choose it, were it not a revision of another set.
    """

    item: Item
    strategy: Strategy
    reason: Reason
    explicit: bool = True
    is_written_by_others: bool = False
    problem: Problem | None = None
    gets_base_name_back: bool = False
    is_taken: bool = False


class Choices(NamedTuple):
    """One choice for each of these objects, and what is wrong with them."""

    all: tuple[Choice, ...]
    problems: tuple[Problem, ...]


# Revisions, and names that cannot be.

MAX_NAME = 253


class Revision(NamedTuple):
    """An object under its content name (`rename`), or its own (`adopt`).

    `generated`: what it makes in the cluster.
    """

    item: Item
    base_name: str
    name: str
    strategy: Strategy
    generated: tuple[Generated, ...] = ()

    @property
    def is_renamed(self) -> bool:
        """Tell whether its content decides its name, be it the one it has already.

        To adopt what kustomize's generators have named leaves that name, and references must say it
        all the same.
        """
        is_hashed = NEEDS_HASH_SUFFIX in self.item.annotations or self.name != self.base_name
        return self.strategy is Strategy.RENAME or is_hashed or self.name != self.item.id.name

    @property
    def hash_in_name(self) -> str:
        """The content hash that its present name has; `""` where an earlier run has adopted it."""
        return hash_in_name(self.item)

    @property
    def hashed_fields(self) -> Mapping[str, tuple[str, ...]]:
        """The top fields that the hash covers, each with the names below it."""
        return hashed_fields(self.item)

    def expected_hash(self) -> str:
        """Return the hash of the present content. Raises Unhashable."""
        return hash_of(self.item)

    @property
    def id(self) -> ResourceId:
        """The id of the object in the output."""
        return self.item.id._replace(name=self.name)

    def meant_by(self, reference: Reference) -> ResourceId:
        """Return what a reference to it, or to what it makes, must mean in the output."""
        one = self._find_generated(reference)
        if one is None:
            return self.id
        return ResourceId("v1", one.kind, self.id.namespace, self.name_of(one))

    def base_meant_by(self, reference: Reference) -> str:
        """Return the base name of what a reference means."""
        one = self._find_generated(reference)
        return self.base_name if one is None else one.base_name

    def name_of(self, generated: Generated) -> str:
        """Return the name in the output of what it makes: it has the hash of its producer."""
        return name_with(self.name, self.base_name, generated)

    def _find_generated(self, reference: Reference) -> Generated | None:
        if not self.generated:
            return None
        # It may be that of an earlier rendering.
        names = {reference.target, without_hash(reference.target)}
        for one in self.generated:
            if one.kind == reference.kind and not names.isdisjoint(one.names):
                return one
        return None

    @property
    def base_id(self) -> ResourceId:
        """The id that its author knows. Messages say this one, so that the next run says the same."""
        return self.item.id._replace(name=self.base_name)


class Revisions:
    """`rendered`: the revisions in the output. `restored`: objects that get their base names back.

    `data`: changes of values in ConfigMaps that reference renamed objects. `in_producers`: the new
    texts of references in producers of Secrets.
    """

    def __init__(
        self,
        rendered: Iterable[Revision] = (),
        restored: Iterable[Revision] = (),
        data: Iterable[Edit] = (),
        problems: Iterable[Problem] = (),
        in_producers: Mapping[Node, str] = MappingProxyType({}),
    ) -> None:
        self.rendered = tuple(rendered)
        self.restored = tuple(restored)
        self.data = tuple(data)
        self.problems = tuple(problems)
        self._in_producers = dict(in_producers)

    @cached_property
    def renamed(self) -> dict[Item, Revision]:
        """Those whose names this function decides, restored ones included."""
        return {one.item: one for one in (*self.rendered, *self.restored) if one.is_renamed}

    @cached_property
    def names(self) -> dict[Item, str]:
        """Their names in the output."""
        return {item: revision.name for item, revision in self.renamed.items()}

    def name_meant(self, reference: Reference, target: Item) -> str:
        """Return the name in the output of what a reference means by an object."""
        return name_meant(reference.kind, reference.target, target, self.names)

    @cached_property
    def texts(self) -> dict[Node, str]:
        """The new values of the scalars that `data` changes, and of references in producers."""
        texts = dict(self._in_producers)
        for edit in self.data:
            if isinstance(edit.change, SetParts):
                texts[edit.change.node] = edit.change.text
        return texts


Consumers: TypeAlias = Mapping[Item, list[ResolvedReference]]
"""The references to each revision, or to what it makes, whose referrers the linker will see."""


def report_too_long(revisions: Iterable[Revision], allowed: int = MAX_NAME) -> list[Problem]:
    """Report names that the API server would refuse."""
    problems = []
    for revision in revisions:
        for name in dict.fromkeys((revision.name, *map(revision.name_of, revision.generated))):
            if len(name) > allowed:
                problems.append(
                    _problem(revision, f"{name!r} has {len(name)} characters, allowed: {allowed}")
                )
    return problems


def report_clashes(items: Iterable[Item], revisions: list[Revision]) -> list[Problem]:
    """Report objects that have different names in the input and the same in the output."""
    named = {revision.item for revision in revisions}
    taken = {item.id: item.id for item in items if item not in named}
    problems = []
    for revision in revisions:
        # The second object of an id would be applied over the first, without a word.
        before = taken.setdefault(revision.id, revision.item.id)
        if before != revision.item.id:
            message = f"would be named {revision.name}, like {before}; remove one of them"
            problems.append(_problem(revision, message))
    return problems


def _problem(revision: Revision, message: str) -> Problem:
    return about(revision.item, message, "metadata.name")


# The whole run.


class ChecksumInput:
    """A pod template, and which keys of each object count for its checksum; None for all of them.

    `asked_by`: the controllers whose annotations say that an object counts, where its strategy does
    not.
    """

    def __init__(self, item: Item, template: PodTemplate) -> None:
        self.item = item
        self.template = template
        self.configs: dict[Item, frozenset[str] | None] = {}
        self.asked_by: dict[Item, str] = {}

    @property
    def restarts(self) -> bool:
        """Tell whether an annotation on the template restarts its pods. A Job's never changes."""
        return not cannot_change(self.item)

    def add(self, config: Item, keys: frozenset[str] | None, controller: str = "") -> None:
        # The spec of a producer does not say which part makes which key.
        keys = keys if config.is_config else None
        before = self.configs.get(config, frozenset())
        self.configs[config] = None if keys is None or before is None else before | keys
        if controller:
            self.asked_by.setdefault(config, controller)


class MountedSource(NamedTuple):
    """A source of an entry of `spec.mounts` in a pod template, and the objects that it matches.

    `field`: the volumes of the pods.
    """

    item: Item
    field: str
    entry: str
    source: MountSource
    targets: tuple[Item, ...]


class Survey:
    """All that is known before anything is decided.

    `build_guards` reads who needs a name, when the first object is asked about.
    """

    def __init__(
        self,
        package: Package,
        settings: Settings,
        environment: Environment,
        references: References,
        build_guards: Callable[["Survey"], Guards],
    ) -> None:
        self.package = package
        self.settings = settings
        self.environment = environment
        self.references = references
        self._build_guards = build_guards

    @cached_property
    def mentions(self) -> Mentions:
        """The places that name objects in ways that no rule follows."""
        references = self.references
        return Mentions(
            self.package.authored, references.authored, references.index, references.embedded
        )

    @cached_property
    def guards(self) -> Guards:
        return self._build_guards(self)

    def with_all_references(self) -> "Survey":
        """Return the same with the references of a package without configuration, which no run reads."""
        references = self.references
        if references.authored:
            return self
        authored = find_authored(
            self.package.authored, references.index, self.settings.references, but=()
        )
        return self.with_references(References(references.index, authored, references.mounted))

    def with_names(self, more: MoreNames) -> "Survey":
        """Return the same, where objects have these kinds and names as well."""
        return self.with_references(self.references.with_names(more)) if more else self

    def with_references(self, references: References, settings: Settings | None = None) -> "Survey":
        """Return the same package with these references, as another configuration may find them."""
        return Survey(
            self.package,
            self.settings if settings is None else settings,
            self.environment,
            references,
            self._build_guards,
        )


class Run(NamedTuple):
    """A run so far, which one step hands to the next.

    A step returns it with its own part, and with its changes behind those of the steps before.
    `checksums`: what restarts pods other than a new name. `opt_outs`: the workloads that no
    checksum restarts for what they read, and the annotation that opts out. `mounts`: what is
    configured for pod templates, also where the package lacks it. `hook_reads`: what hooks read
    that run before all else, each with the name that it is to say. `jobs`: those that are named by
    their content. `pins`: names of revisions that references say, and that mean an object as long
    as its content gives it this very name.
    """

    survey: Survey
    choices: Choices
    revisions: Revisions
    consumers: Consumers
    changes: Changes
    checksums: tuple[ChecksumInput, ...] = ()
    opt_outs: Mapping[tuple[Item, Item], str] = MappingProxyType({})
    mounts: tuple[MountedSource, ...] = ()
    hook_reads: tuple[HookRead, ...] = ()
    jobs: tuple[Revision, ...] = ()
    pins: MoreNames = MappingProxyType({})

    @property
    def package(self) -> Package:
        return self.survey.package

    @property
    def settings(self) -> Settings:
        return self.survey.settings

    @property
    def environment(self) -> Environment:
        return self.survey.environment

    @property
    def references(self) -> References:
        return self.survey.references

    @property
    def mentions(self) -> Mentions:
        return self.survey.mentions

    @property
    def guards(self) -> Guards:
        return self.survey.guards

    def add(self, changes: Changes) -> "Run":
        return self._replace(changes=self.changes + changes)
