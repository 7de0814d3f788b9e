"""The plan that the function hands to the linker: which workload is to reference which revisions.

The function writes it as the arguments of a Job, where `kubectl describe job` shows it. The linker
reads them.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from krm_fn.base.item import CONFIG_KINDS, Item
from krm_fn.base.kind import Kind
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Node, elements, get, text
from krm_fn.base.producer import RENAMABLE_KINDS

# These words stay: a linker reads the Jobs of every earlier version (decision 57).
_OPTIONS = ("--set", "--workload", "--revision", "--maker", "--kind", "--timeout", "--minimum-age")
_NO_WAIT = "--no-wait"

PLAN_VERSION = "KRM_FN_PLAN_VERSION"
"""A variable of the linker's container, where its image is of another version: that of the function."""

TIMEOUT, MINIMUM_AGE = 300, 600
"""In seconds, where nobody says how long a run may take, and how old a revision is before it is deleted."""

REVISION_KINDS = (*CONFIG_KINDS, *RENAMABLE_KINDS)
"""The kinds whose objects can be revisions."""


def name_inventory(set_name: str) -> str:
    return f"{set_name}-linker"


class RevisionName(NamedTuple):
    """A revision by kind and name, in the namespace of the Job."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Workload(NamedTuple):
    """An object that references these revisions once it has been applied."""

    api_version: str
    kind: str
    name: str
    revisions: tuple[RevisionName, ...]

    def __str__(self) -> str:
        """`apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c`, with commas between revisions."""
        return f"{self.api_version}/{self.kind}/{self.name}={','.join(map(str, self.revisions))}"


class ProducerName(NamedTuple):
    """A revision that makes others in the cluster: it lives as long as the trackers under these names."""

    kind: Kind
    name: str
    revisions: tuple[RevisionName, ...]

    def __str__(self) -> str:
        """`external-secrets.io/v1/ExternalSecret/externalsecrets/web-5t7h9k2b4c=Secret/web-5t7h9k2b4c`."""
        return f"{self.kind}/{self.name}={','.join(map(str, self.revisions))}"


class LinkPlan(NamedTuple):
    """One rendering of a set in a namespace.

    The linker waits for `workloads`, unless `waits` is False: then it takes what is there now.
    `revisions` are the rendered revisions that none of these workloads references. `producers` make
    some of all these revisions. `kinds` are kinds of consumers beyond `CONSUMER_KINDS`. If
    `lists_marked`, the kinds that revisions are marked with are listed as well. Times are in
    seconds.
    """

    set: str
    timeout: int
    minimum_age: int
    workloads: tuple[Workload, ...] = ()
    revisions: tuple[RevisionName, ...] = ()
    producers: tuple[ProducerName, ...] = ()
    kinds: tuple[Kind, ...] = ()
    waits: bool = True
    lists_marked: bool = True

    @property
    def rendered(self) -> frozenset[RevisionName]:
        return frozenset(self.revisions).union(*(workload.revisions for workload in self.workloads))

    @property
    def secrets(self) -> frozenset[str]:
        """The names of the rendered Secrets that no producer makes: the linker gets a right on these."""
        made = [producer.revisions for producer in self.producers]
        others = self.rendered.difference(*made)
        return frozenset(one.name for one in others if one.kind == "Secret")

    @property
    def inventory(self) -> str:
        """The name of the ConfigMap that lists what is rendered, and owns every revision of the set."""
        return name_inventory(self.set)

    def to_arguments(self) -> list[str]:
        """Write the arguments of `krm-fn link`."""
        return [
            f"--set={self.set}",
            # One argument for each: the kernel takes none of more than 128 KiB (decision 10).
            *(f"--workload={workload}" for workload in self.workloads),
            *(f"--revision={revision}" for revision in self.revisions),
            *(f"--maker={producer}" for producer in self.producers),
            *(f"--kind={kind}" for kind in self.kinds),
            f"--timeout={self.timeout}",
            f"--minimum-age={self.minimum_age}",
            *([] if self.waits else [_NO_WAIT]),
        ]


class JobPlan(NamedTuple):
    """The Job of one sync wave in one namespace.

    `listed`: the kinds that the Role of the namespace lets it list. `first_wave`: that of the first
    revision or Job in the namespace. `default_namespace`: where some of its objects set no namespace
    and others do, the one that they mean. `retained`: the rendered revisions of which the plan
    knows nothing. Without `has_job`, all revisions of the namespace are.
    """

    namespace: str
    wave: str
    plan: LinkPlan
    listed: tuple[Kind, ...]
    first_wave: str
    default_namespace: str = ""
    retained: tuple[RevisionName, ...] = ()
    has_job: bool = True

    @property
    def rendered(self) -> frozenset[RevisionName]:
        """All revisions in the namespace: what the inventory lists."""
        return self.plan.rendered.union(self.retained)


def merge_plans(groups: Sequence[JobPlan]) -> JobPlan:
    """Merge the plans of a namespace, in the order of their waves, into the one of its CronJob.

    It is in the last wave: where its runs fail, it holds up no revision and no workload.
    """
    last = groups[-1]
    workloads = sorted(chain.from_iterable(group.plan.workloads for group in groups))
    referenced = [workload.revisions for workload in workloads]
    revisions = sorted(last.plan.rendered.difference(*referenced))
    plan = last.plan._replace(workloads=tuple(workloads), revisions=tuple(revisions), waits=False)
    return last._replace(plan=plan)


class Unreadable(Exception):
    """An argument that `to_arguments` does not write."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found!r}, expected {expected}")


def read_arguments(arguments: Iterable[str]) -> LinkPlan:
    """Read what `to_arguments` of a LinkPlan writes. Raises Unreadable."""
    values: dict[str, list[str]] = defaultdict(list)
    given = [*arguments]
    for argument in given:
        if argument == _NO_WAIT:
            continue
        option, equals, value = argument.partition("=")
        if option not in _OPTIONS or not equals:
            raise Unreadable(argument, f"one of {', '.join(_OPTIONS)}, each with `=` and a value")
        values[option].append(value)
    for option in ("--set", "--timeout", "--minimum-age"):
        if len(values[option]) != 1:
            raise Unreadable(", ".join(values[option]), f"one value for {option}")
    return LinkPlan(
        set=values["--set"][0],
        workloads=tuple(map(read_workload, values["--workload"])),
        revisions=tuple(map(read_revision, values["--revision"])),
        producers=tuple(map(read_producer, values["--maker"])),
        kinds=tuple(map(read_kind, values["--kind"])),
        timeout=_read_seconds(values["--timeout"][0]),
        minimum_age=_read_seconds(values["--minimum-age"][0]),
        waits=_NO_WAIT not in given,
    )


def find_container(job: Item) -> Node | None:
    """Find the container of the linker in a Job or CronJob; None in any other object.

    It need not be the first: a service mesh may have added its own.
    """
    above = ("jobTemplate", "spec") if job.id.kind == "CronJob" else ()
    containers = elements(get(job.node, "spec", *above, "template", "spec", "containers"))
    linking = [one for one in containers if _arguments_of(one)[:1] == ["link"]]
    return next(iter(linking or containers), None)


def read_plan(job: Item) -> LinkPlan:
    """Read the plan of a Job or CronJob. Raises Unreadable."""
    return read_arguments(_arguments_of(find_container(job))[1:])


def _arguments_of(container: Node | None) -> list[str]:
    return [*map(text, elements(get(container, "args")))]


def _read_seconds(text: str) -> int:
    if not text.isdecimal():
        raise Unreadable(text, "a number of seconds")
    return int(text)


def read_workload(text: str) -> Workload:
    """Read what `str` of a Workload writes. Raises Unreadable."""
    target, equals, names = text.partition("=")
    api_version, kind, name = _split(
        target, text, "apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c"
    )
    if not equals:
        raise Unreadable(text, "revisions after `=`")
    return Workload(api_version, kind, name, tuple(map(read_revision, names.split(","))))


def read_revision(text: str) -> RevisionName:
    """Read what `str` of a RevisionName writes. Raises Unreadable."""
    kind, slash, name = text.partition("/")
    if kind not in REVISION_KINDS or not slash or not name or "/" in name:
        raise Unreadable(text, "ConfigMap/NAME or Secret/NAME")
    return RevisionName(kind, name)


def read_producer(text: str) -> ProducerName:
    """Read what `str` of a ProducerName writes. Raises Unreadable."""
    example = (
        "external-secrets.io/v1/ExternalSecret/externalsecrets/web-5t7h9k2b4c=Secret/web-5t7h9k2b4c"
    )
    target, equals, names = text.partition("=")
    kind, slash, name = target.rpartition("/")
    if not equals or not slash or not name:
        raise Unreadable(text, f"something like {example}")
    return ProducerName(
        Kind(*_split(kind, text, example)), name, tuple(map(read_revision, names.split(",")))
    )


def read_kind(text: str) -> Kind:
    """Read what `str` of a Kind writes. Raises Unreadable."""
    return Kind(*_split(text, text, "example.com/v1/Widget/widgets"))


def _split(target: str, text: str, example: str) -> tuple[str, str, str]:
    """Split into API version (which may contain a slash), kind and the last part."""
    parts = target.split("/")
    if len(parts) not in (3, 4) or not all(parts):
        raise Unreadable(text, f"something like {example}")
    return "/".join(parts[:-2]), parts[-2], parts[-1]
