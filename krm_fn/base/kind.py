"""Know what depends on the kind of an object, and how deployers treat it.

A kind is a row of `facts/kinds.py`, by group and kind. A definition in the package wins over it. A
deployer is a row of `facts/deployers.py`: what stops it from pruning or renaming an object, and
when it applies or replaces one.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import IntEnum
from functools import cache
from itertools import chain
from typing import Any, TypeAlias

from krm_fn.base.item import Item, is_config_id
from krm_fn.base.keys import NEEDS_HASH_SUFFIX
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import (
    Node,
    elements,
    entries,
    fields,
    get,
    read_path,
    text,
    unread_text,
    walk,
)
from krm_fn.base.problem import ResourceId
from krm_fn.facts import deployers as facts
from krm_fn.facts.kinds import (
    BUILT_IN,
    CLUSTER_SCOPED,
    CONSUMERS,
    MAKES,
    MAKES_NONE,
    OPAQUE_KINDS,
    PLURALS,
    REFUSING,
)

# Deployers.


def _read_options(text: str) -> list[str]:
    """Read a comma list as Argo CD and Helm do: blanks around an option do not count."""
    return [option.strip() for option in text.split(",")]


class Protection(NamedTuple):
    """One annotation.

    `part_of_list`: the value is one entry of a comma list, whose keys precede a `=`. `keeps`:
    without it the deployer prunes the object. The others only stop it from reporting the object as
    obsolete.
    """

    annotation: str
    value: str
    part_of_list: bool = False
    keeps: bool = True

    def added_to(self, present: str) -> str | None:
        """Return the annotation's value with the protection; None where it says the opposite."""
        if not present:
            return self.value
        if self.is_in(present):
            return present
        key = self.value.partition("=")[0]
        keys = {option.partition("=")[0] for option in _read_options(present)}
        if key in keys or not self.part_of_list:
            return None
        return f"{present},{self.value}"

    def removed_from(self, present: str) -> str | None:
        """Return the annotation's value without the protection; None if that is all of it."""
        if not self.is_in(present):
            return present
        others: list[str] = []
        if self.part_of_list:
            others = [option for option in _read_options(present) if option != self.value]
        return ",".join(others) or None

    def is_in(self, present: str) -> bool:
        """Tell whether the annotation's value holds the protection."""
        return self.value in (_read_options(present) if self.part_of_list else [present])


class Instruction(NamedTuple):
    """Texts in an annotation that tell a deployer to treat an object in another way than others.

    The annotation is a comma list of options with all of `says` and none of `lacks`, or, if not
    `part_of_list`, it is exactly the one text of `says`. Without `says`, it may be any text.
    `does`: what the deployer does, of an object that it passes over.
    """

    annotation: str
    says: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    part_of_list: bool = False
    in_any_case: bool = False
    does: str = "does not apply it, or not again"

    def is_in(self, present: str) -> bool:
        text = present.lower() if self.in_any_case else present
        found = set(_read_options(text) if self.part_of_list else [text])
        says = {one.lower() for one in self.says} if self.in_any_case else self.says
        return found.issuperset(says) and found.isdisjoint(self.lacks)


class Phase(IntEnum):
    """The parts of one deployment, in order. All of one is done before the next begins."""

    BEFORE = 0
    MAIN = 1
    AFTER = 2


class Step(NamedTuple):
    """A place in the order of one deployment.

    `hook` is the kind of hook that is there, `""` for a plain object.
    """

    phase: Phase
    wave: int
    hook: str = ""

    def is_before(self, other: "Step") -> bool:
        """Tell whether the deployer is done with this step before it begins the other."""
        return (self.phase, self.wave) < (other.phase, other.wave)


class Deployer(NamedTuple):
    """The behaviour of a deployer. People call it `name`, and one run of it `deployment`.

    `protections` are set on revisions. `protections_of_others` stop it from pruning as well, though
    this project does not write them. `reads_labels`: its marks may be labels. `spares_owned`: it
    never prunes an object with an owner.

    `hooks`: by annotation, of which the first that an object has counts, the words that have a
    place in the order. `recreates_hooks`: by the same annotation, which annotation and value let it
    create the hook anew each time. `waves`: annotations with a number in that order; the first that holds one
    counts. `waits_for`: kinds by group that it waits for before the next step; with
    `waits_for_others`, it may also wait for kinds that `facts/kinds.py` lacks.

    `replaces`: by which it deletes an object and creates it again where the API server refuses a
    change. `passes_over`: by which it does not apply an object, or never again, or without owners.

    `managers`: the managers of fields that it applies. `marks`: labels and annotations that it adds
    to objects. `tracks`: more of them, by whose values it knows its own.

    `is_default`: it counts where no configuration names a deployer. `repairs_drift`: it creates
    what is missing in the cluster again, at any time. `runs_no_functions`: krm-fn runs before it.

    `decrypts`: it decrypts what SOPS encrypted, and checks no MAC. `keeps_boolean_words`: it never
    reads `yes` and the like as booleans, as sigs.k8s.io/yaml does.
    """

    name: str
    protections: tuple[Protection, ...] = ()
    protections_of_others: tuple[Protection, ...] = ()
    reads_labels: bool = False
    spares_owned: bool = False
    deployment: str = ""
    hooks: Mapping[str, Mapping[str, Phase]] = {}  # of a tuple, whose fields nobody changes
    recreates_hooks: Mapping[str, tuple[str, str]] = {}
    waves: tuple[str, ...] = ()
    waits_for: frozenset[tuple[str, str]] = frozenset()
    waits_for_others: bool = False
    replaces: tuple[Instruction, ...] = ()
    passes_over: tuple[Instruction, ...] = ()
    managers: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()
    is_default: bool = False
    repairs_drift: bool = False
    runs_no_functions: bool = False
    decrypts: bool = False
    keeps_boolean_words: bool = False

    @property
    def keepers(self) -> tuple[Protection, ...]:
        """The annotations that stop it from pruning; none for one that prunes nothing."""
        return tuple(one for one in self.protections if one.keeps)


_ROWS: Mapping[str, Any] = {
    "protections": Protection,
    "protections_of_others": Protection,
    "replaces": Instruction,
    "passes_over": Instruction,
}


def _read_deployer(row: Any) -> Deployer:
    hooks: dict[str, dict[str, Phase]] = {}
    for annotation, words in row.get("hooks", {}).items():
        hooks[annotation] = {word: Phase[phase] for word, phase in words.items()}
    return Deployer(
        **{
            **row,
            **{
                field: tuple(made(**one) for one in row.get(field, ()))
                for field, made in _ROWS.items()
            },
            "hooks": hooks,
            "waits_for": frozenset(map(_read_kind, row.get("waits_for", ()))),
        }
    )


def _read_kind(text: str) -> tuple[str, str]:
    group, _, kind = text.rpartition("/")
    return group, kind


DEPLOYERS = {key: _read_deployer(row) for key, row in facts.DEPLOYERS.items()}

_OTHERS = tuple(_read_deployer(row) for row in facts.OTHERS)


def who_may_apply(deployers: Iterable[str]) -> Iterator[Deployer]:
    """Yield these deployers, and those that nobody has to name, as only they read their annotations."""
    return chain((DEPLOYERS[name] for name in deployers), _OTHERS)


# Deployers read these on the live object: they protect only what an earlier deployment has applied.
PROTECTIONS = {key: one.protections for key, one in DEPLOYERS.items()}


def protections_of(deployers: Iterable[str]) -> list[Protection]:
    """Return what stops these deployers from pruning an object."""
    return [*chain.from_iterable(PROTECTIONS[one] for one in deployers)]


KAPP_VERSIONED = "kapp.k14s.io/versioned"
"""Annotation by the author, with any value: kapp adds `-ver-1` to the name, and a higher number at every change."""

SPINNAKER_VERSIONED = "strategy.spinnaker.io/versioned"
"""Annotation by the author: unless it is "false", Spinnaker adds `-v000` to the name of a ConfigMap or Secret."""

_SPINNAKER = "spinnaker"
_NOT_BY_SPINNAKER = "false"


def keep_name(annotations: Mapping[str, str], deployers: Collection[str]) -> dict[str, str | None]:
    """Return the annotations to set, or to remove (None), so that no deployer changes the name."""
    spinnaker = (
        {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if SPINNAKER_VERSIONED in annotations else {}
    )
    # kustomize and kapp would put a second suffix behind the content name (decision 15).
    return {NEEDS_HASH_SUFFIX: None, KAPP_VERSIONED: None, **spinnaker, **keep_new_name(deployers)}


def keep_new_name(deployers: Collection[str]) -> dict[str, str]:
    """Return the annotations to set on a new ConfigMap for the same reason."""
    return {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if _SPINNAKER in deployers else {}


def is_named_at_deploy(annotations: Mapping[str, str], deployers: Collection[str]) -> bool:
    """Tell whether a deployer will change the name, so that it is unknown until then."""
    # Without the annotation, Spinnaker adds its suffix to every ConfigMap and Secret.
    by_spinnaker = annotations.get(
        SPINNAKER_VERSIONED, "true" if _SPINNAKER in deployers else _NOT_BY_SPINNAKER
    )
    return KAPP_VERSIONED in annotations or by_spinnaker.lower() == "true"


SYNC_WAVE = "argocd.argoproj.io/sync-wave"

# Reversed, so that the hook of Helm is named for an object that is a hook of Argo CD's as well.
HOOKS = tuple(dict.fromkeys(chain.from_iterable(one.hooks for one in reversed(DEPLOYERS.values()))))
"""Annotations of objects that a deployer creates and deletes during one step of a deployment."""

_ORDERING = frozenset(HOOKS).union(*(one.waves for one in DEPLOYERS.values()))
_NUMBER = re.compile("[-+]?[0-9]{1,18}")


def is_hook(item: Item) -> bool:
    """Tell whether the object lives and dies with one step of a deployment."""
    return any(hook in item.annotations for hook in HOOKS)


def is_ordered(item: Item) -> bool:
    """Tell whether any annotation says when the object is to be applied."""
    return not _ORDERING.isdisjoint(item.annotations)


def _is_recreated(item: Item) -> bool:
    """Tell whether a deployer creates the object again where the API server refuses a change."""
    for deployer in DEPLOYERS.values():
        for replacement in deployer.replaces:
            if replacement.is_in(item.annotations.get(replacement.annotation, "")):
                return True
            label = item.labels.get(replacement.annotation, "")
            if deployer.reads_labels and replacement.is_in(label):
                return True
    return False


def find_passed_over(item: Item, known: Deployer) -> Iterator[tuple[str, str]]:
    """Yield what a deployer does with an object instead of applying it, and the label or annotation that says so."""
    read = {"annotations": item.annotations}
    if known.reads_labels:
        read["labels"] = item.labels
    for one in known.passes_over:
        for name, marks in read.items():
            if one.annotation in marks and one.is_in(marks[one.annotation]):
                yield f"{known.name} {one.does}", f"metadata.{name}[{one.annotation}]"


def first_step(item: Item, deployer: str) -> Step | None:
    """Return when the deployer first applies the object; None for a hook outside of the order.

    A deployer that knows neither hooks nor waves applies everything in one step.
    """
    known = DEPLOYERS[deployer]
    wave = number_of_wave(item, known.waves)
    for annotation, phases in known.hooks.items():
        if annotation in item.annotations:
            words = _read_options(item.annotations[annotation])
            return min(
                (Step(phases[word], wave, word) for word in words if word in phases), default=None
            )
    return Step(Phase.MAIN, wave)


def wave_of(item: Item) -> str:
    """Return the sync wave as written; `""` for none, which Argo CD reads as 0."""
    return item.annotations.get(SYNC_WAVE, "")


def wave_order(wave: str) -> tuple[int, str]:
    """Return a key that sorts waves as Argo CD does."""
    return (_read_number(wave) or 0, wave)


def first_wave(wave: str, items: Iterable[Item]) -> str:
    """Return the wave as written, or that of the first of the objects where Argo CD applies it earlier."""
    own = _read_number(wave) or 0
    first = min((own, *(number_of_wave(item, DEPLOYERS["argocd"].waves) for item in items)))
    return wave if first == own else str(first)


def number_of_wave(item: Item, waves: Iterable[str]) -> int:
    """Return the number in the first of these annotations that has one; 0 for none."""
    numbers = (_read_number(item.annotations.get(name, "")) for name in waves)
    return next((number for number in numbers if number is not None), 0)


def _read_number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


BUILT_IN_GROUPS = frozenset(BUILT_IN)
"""Groups of Kubernetes' own API server: the tables know every field of their kinds."""

_ADD_ON = "argoproj.io/v1alpha1"

_MAX_GROUP = 253
# Texts, which `re` compiles when they are first used (docs/decisions/0031).
_LABEL = "[a-z]([-a-z0-9]{0,61}[a-z0-9])?"
_KIND = "[A-Z][A-Za-z0-9]{0,62}"
_SUBDOMAIN_PART = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_API_VERSION = rf"({_SUBDOMAIN_PART}(\.{_SUBDOMAIN_PART})*/)?{_LABEL}"
"""An apiVersion that the API server accepts in a CustomResourceDefinition.

Its own kinds and versions have the same form.
"""


class Kind(NamedTuple):
    """A kind and its name in URLs and in RBAC rules. `pod_spec` and `template` are paths with dots.

    `is_consumer`: the linker always looks at its objects. `is_current`: they say what is wanted
    now, as a Deployment does; the others were created from a template and reference what it said
    then. `controls_pods`: they live as long as their pods and reference what these reference.
    `history`: the kind that its controller makes of each template. `is_immutable`: the API server
    refuses another pod template. `keeps_pods`: its running pods stay as they are when its template
    changes. `rolled_by`: controllers that roll it when configuration changes.

    `on_change`: what another pod template does, if not to roll it. `progress`: by what in its
    status `krm-fn history` tells how far a rollout is. `undo`: the command that returns to the
    template of a `{number}`, and `abort`: the one that ends a rollout in the middle.
    `template_copy`: the path of the pod spec in what was created from a template. `expects_pods`:
    it is worth saying that there are none. `keeps`: the fields of its spec that say how many of
    these its controller keeps of earlier templates, and what they are without a value.
    """

    api_version: str
    kind: str
    plural: str
    is_current: bool = True
    is_namespaced: bool = True
    is_consumer: bool = False
    controls_pods: bool = False
    is_immutable: bool = False
    keeps_pods: bool = False
    pod_spec: str = ""
    history: str = ""
    rolled_by: tuple[str, ...] = ()
    on_change: str = ""
    progress: str = ""
    undo: str = ""
    abort: str = ""
    template_copy: str = ""
    expects_pods: bool = False
    keeps: tuple[tuple[str, int], ...] = ()

    @property
    def group(self) -> str:
        """`apps` of `apps/v1`, `""` of `v1`."""
        return self.api_version.rpartition("/")[0]

    @property
    def group_kind(self) -> tuple[str, str]:
        return self.group, self.kind

    @property
    def is_listable(self) -> bool:
        """Tell whether a Role may let the linker list the kind: any but Secret, well formed."""
        if self in CONSUMER_KINDS:
            return True
        is_well_formed = (
            re.fullmatch(_API_VERSION, self.api_version)
            and len(self.group) <= _MAX_GROUP
            and re.fullmatch(_KIND, self.kind)
            and re.fullmatch(_LABEL, self.plural)
        )
        # A rule to list has no names, so it would let the linker read every Secret of the namespace
        # (decision 18).
        return bool(is_well_formed) and self.plural != "secrets"

    @property
    def template(self) -> str:
        """The path of the pod template; `""` for kinds without one."""
        return (
            self.pod_spec.removesuffix(".spec") if self.pod_spec.endswith("template.spec") else ""
        )

    def __str__(self) -> str:
        """As in the linker's arguments: `example.com/v1/Widget/widgets`."""
        return f"{self.api_version}/{self.kind}/{self.plural}"


def _read_consumers(rows: Any) -> Iterator[Kind]:
    return (Kind(**row, is_consumer=True) for row in rows)


CONSUMER_KINDS = tuple(_read_consumers(CONSUMERS))
"""The linker always looks at these."""

_CONSUMERS = {kind.kind: kind for kind in CONSUMER_KINDS}

BUILT_IN_KINDS = tuple(kind for kind in CONSUMER_KINDS if kind.api_version != _ADD_ON)
"""Those that every cluster has."""

ADD_ON_KINDS = tuple(kind for kind in CONSUMER_KINDS if kind.api_version == _ADD_ON)
"""Those of Argo Rollouts.

Where it is not installed, the administrator of a namespace may not grant to list them.

They have no objects then, unless something of the package shows that they should be there.
"""


def plural_of(kind: str, group: str = "") -> str:
    """Return the plural by the rules of English, as generators of CRDs do, or a known one."""
    name = kind.lower()
    known = PLURALS.get((group, kind)) or PLURALS.get(("", kind))
    if known:
        return known
    if name.endswith(("s", "x", "z", "ch", "sh")):
        return f"{name}es"
    is_ies = name.endswith("y") and name[-2:-1] not in "aeiou"
    return f"{name[:-1]}ies" if is_ies else f"{name}s"


_PROVIDER_GROUPS = (".crossplane.io", ".upbound.io")
"""Each of Crossplane's providers has a cluster-scoped ProviderConfig in a group of its own."""


def _read_cluster_scoped() -> Iterator[Kind]:
    for api_version, names in CLUSTER_SCOPED.items():
        group = api_version.rpartition("/")[0]
        for name in names:
            yield Kind(api_version, name, plural_of(name, group), is_namespaced=False)


KINDS = {kind.group_kind: kind for kind in (*CONSUMER_KINDS, *_read_cluster_scoped())}


ALWAYS_LISTED = frozenset(kind.group_kind for kind in CONSUMER_KINDS)


def kind_named(text: str) -> Kind:
    """Return the kind that a text such as `example.com/v1/Widget` says. Its plural may be a guess."""
    api_version, _, name = text.rpartition("/")
    group = api_version.rpartition("/")[0]
    return KINDS.get((group, name)) or Kind(api_version, name, plural_of(name, group))


@cache
def _read_made() -> Mapping[tuple[str, str], tuple[Kind, ...]]:
    """Return of each kind the kinds whose objects begin with a copy of what it says. Few packages ask."""
    return {
        (group, name): tuple(map(kind_named, made))
        for group, names, made, _ in MAKES
        for name in names.split()
    }


@cache
def made_kinds() -> frozenset[tuple[str, str]]:
    """Return the kinds whose objects begin with a copy of what others say, by group and kind."""
    return frozenset(kind.group_kind for made in _read_made().values() for kind in made)


def find_made(kinds: Iterable[Kind]) -> set[Kind]:
    """Return all kinds beyond those that each linker lists whose objects may hold what these kinds say.

    These are the kinds themselves, what their controllers make of them, and what is made of that.
    """
    found: dict[tuple[str, str], Kind] = {}
    left = [*kinds]
    while left:
        kind = left.pop()
        pair = kind.group_kind
        if pair not in found and pair not in ALWAYS_LISTED:
            found[pair] = kind
            left += _read_made().get(pair, ())
    return {*found.values()}


def is_making_known(kind: Kind) -> bool:
    """Tell whether a table says what is made of the kind. Of Kubernetes' own, it is of its own kinds."""
    pair = kind.group_kind
    is_leaf = pair in made_kinds() or kind.group in BUILT_IN_GROUPS or pair in ALWAYS_LISTED
    none = (names.split() for group, names, _ in MAKES_NONE if group == kind.group)
    makes_none = not {kind.kind, "*"}.isdisjoint(chain.from_iterable(none))
    return is_leaf or pair in _read_made() or makes_none


# Fields that nobody can change.

FixedFields: TypeAlias = Mapping[str, str]
"""By path, the operations that are refused, of a field and of what is in it. Behind `.*`: only of what is in it."""

_RULE = (
    r"(?:!has\(oldSelf(?P<has>(?:\.\w+)+)\) *\|\| *)?"
    r"(?:self|oldSelf)(?P<path>(?:\.\w+)*) *== *(?:oldSelf|self)(?P=path)"
)
"""A rule of CEL that lets nobody change a field: `self == oldSelf`, in either order."""


@cache
def fixed_rows(group_kind: tuple[str, str]) -> list[tuple[str, FixedFields]]:
    """Return which fields of a kind are fixed, behind what an object says. The first row that fits it counts."""
    rows = [row[:4] for row in REFUSING]
    if group_kind[0] in BUILT_IN_GROUPS:
        # Hardly any object of theirs beside the workloads names what is renamed (decision 31).
        from krm_fn.facts.immutable_fields import IMMUTABLE

        rows = [*IMMUTABLE]
    return [(when, fixed) for *pair, when, fixed in rows if tuple(pair) == group_kind]


def fits(item: Item, when: str) -> bool:
    """Tell whether an object says something: `spec.suspend=true`. `""` fits each."""
    path, _, value = when.partition("=")
    return not when or text(get(item.node, *path.split("."))).lower() == value.lower()


def _read_fixed(definition: Item, api_version: str) -> Iterator[tuple[str, str]]:
    spec = get(definition.node, "spec")
    for version in elements(get(spec, "versions")):
        schema = get(version, "schema", "openAPIV3Schema")
        # Most of them say nothing of that, and have no nodes before somebody looks.
        if (
            schema is not None
            and text(get(version, "name")) == api_version.rpartition("/")[2]
            and "oldSelf" in (unread_text(schema) or "oldSelf")
        ):
            yield from _read_schema(schema, "")


def _read_schema(schema: Node | None, path: str) -> Iterator[tuple[str, str]]:
    for rule in elements(get(schema, "x-kubernetes-validations")):
        found = re.fullmatch(_RULE, text(get(rule, "rule")).strip())
        if found and found["has"] in {None, found["path"]} and not get(rule, "optionalOldSelf"):
            target = f"{path}{found['path']}".strip(".")
            yield target, "change"
            steps = found["path"].split(".")[1:]
            inner = get(schema, *chain.from_iterable(("properties", one) for one in steps))
            # What the schema fills in may be written down, or not any more.
            if inner and not any("default" in fields(node) for node in walk([inner])):
                yield f"{target}.*", "change,set,unset"
    for name, inner in entries(get(schema, "properties")):
        yield from _read_schema(inner, f"{path}.{name}".strip("."))


class Kinds:
    """The kinds of a package: its own definitions first, then the table."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._defined: dict[tuple[str, str], Kind] = {}
        self._definitions: dict[tuple[str, str], Item] = {}
        for item in items:
            if item.id.kind == "CustomResourceDefinition":
                kind = _read_definition(item)
                self._defined[kind.group_kind] = kind
                self._definitions[kind.group_kind] = item
        self._found: dict[tuple[str, str], Kind] = {}
        self._fixed: dict[tuple[str, str], FixedFields] = {}

    def of(self, who: ResourceId) -> Kind:
        """Return the kind of an object; for an unknown one, what its name suggests."""
        found = self._found.get(who[:2])
        if found is None:
            found = self._found[who[:2]] = self._find(who)
        return found

    def _find(self, who: ResourceId) -> Kind:
        key = who.group_kind
        known = self._defined.get(key) or KINDS.get(key)
        if known is None:
            is_namespaced = not (
                who.kind == "ProviderConfig" and f".{who.group}".endswith(_PROVIDER_GROUPS)
            )
            plural = plural_of(who.kind, who.group)
            return Kind(who.api_version, who.kind, plural, is_namespaced=is_namespaced)
        # Consumers in the version of the table, in which the linker lists them and compares them
        # with the plan.
        return known if known.is_consumer else known._replace(api_version=who.api_version)

    def is_cluster_scoped(self, who: ResourceId) -> bool:
        """Tell whether the object has no namespace, so that what it references may be in any.

        kustomize writes a namespace into every kind that Kubernetes itself does not have; the API
        server ignores it. Only a guessed kind may have one: Crossplane has ProviderConfigs of both
        scopes.
        """
        key = who.group_kind
        is_guessed = key not in self._defined and key not in KINDS
        return not self.of(who).is_namespaced and not (is_guessed and who.namespace)

    def fixed_by_definition(self, who: ResourceId) -> FixedFields:
        """Return what the package's own definition of a kind lets nobody change.

        A definition is large: it is read when somebody asks for this kind.
        """
        key = who.api_version, who.kind
        if key not in self._fixed:
            definition = self._definitions.get(who.group_kind)
            self._fixed[key] = dict(_read_fixed(definition, who.api_version)) if definition else {}
        return self._fixed[key]

    def may_not_change(self, item: Item, field: str) -> bool:
        """Tell whether nobody can change a field once the object is there, and nothing replaces it.

        Pod templates of the kinds that the linker always looks at are another question:
        `cannot_change`.
        """
        if item.id.group_kind in ALWAYS_LISTED or is_replaced(item):
            return False
        rows = [row for when, row in fixed_rows(item.id.group_kind) if fits(item, when)]
        fixed = {**next(iter(rows), {}), **self.fixed_by_definition(item.id)}
        path, refused = "", fixed.get("", "")
        for name in read_path(field) if fixed else ():
            if isinstance(name, str):
                inside = fixed.get(f"{path}.*", refused)
                path = f"{path}.{name}".lstrip(".")
                refused = fixed.get(path, inside)
        return "change" in refused.split(",")


def _read_definition(item: Item) -> Kind:
    spec = get(item.node, "spec")
    name = text(get(spec, "names", "kind"))
    group = text(get(spec, "group"))
    plural = text(get(spec, "names", "plural")) or plural_of(name, group)
    known = KINDS.get((group, name), Kind(f"{group}/", name, plural))
    return known._replace(plural=plural, is_namespaced=text(get(spec, "scope")) != "Cluster")


def consumer_named(kind: str) -> Kind:
    """Return the row of a consumer by its name alone.

    OpenKruise's StatefulSet has the status of Kubernetes' own.
    """
    return _CONSUMERS.get(kind, Kind("", kind, ""))


def kind_of(item: Item) -> Kind | None:
    """Return the row of an object's kind, None for a kind that the table does not hold."""
    return KINDS.get(item.id.group_kind)


def is_replaced(item: Item) -> bool:
    """Tell whether each change makes a new object.

    It does for a hook, for a generated name, and where the deployer replaces the object.
    """
    return not item.id.name or is_hook(item) or _is_recreated(item)


def cannot_change(item: Item) -> bool:
    """Tell whether the pod template cannot change.

    The API server refuses another one under the same name, and nothing replaces the object.
    """
    kind = kind_of(item)
    return kind is not None and kind.is_immutable and not is_replaced(item)


TOOL_GROUPS = frozenset(
    {
        "config.kubernetes.io",
        "fn.kpt.dev",
        "kpt.dev",
        "kustomize.config.k8s.io",
        "revisions.krm-fn.io",
    }
)
"""Groups of objects for the tools that render packages: kustomizations, Kptfiles, configurations of functions.

Their fields name files and generators, not objects.
"""


def may_refer(resource: ResourceId) -> bool:
    """Tell whether this is an object at all, and of a kind that can reference others."""
    if not resource.api_version or not resource.kind or resource.kind in OPAQUE_KINDS:
        return False
    return not is_config_id(resource) and resource.group not in TOOL_GROUPS


ROLES = ("Role", "ClusterRole")
"""Kinds whose rules may name objects."""
