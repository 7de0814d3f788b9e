"""All that is live in a namespace and concerns revisions, as values.

Beside what the linker knows of an object stands what people want to know: its pods, and how far a rollout is.
"""

from collections.abc import Mapping
from typing import NamedTuple

from krm_fn.base.kind import Kind
from krm_fn.base.link_plan import LinkPlan
from krm_fn.linker.api import Refused
from krm_fn.linker.objects import Observation
from krm_fn.tools.history.revision_history import LinkerJob


class LiveObject(NamedTuple):
    """An object that references revisions, or a workload. `created` is in Unix seconds.

    `controller` is the uid of its controller, and `made_by` the kind and name of that; `""` for none. `marks` are what
    its controller and its pods call it: its name, a hash, and `#3` for the third. `replicas` are the pods that its
    status tells. `required`: names of ConfigMaps, like those of revisions, without which its pods do not start.
    """

    kind: str
    name: str
    uid: str
    created: float
    controller: str = ""
    made_by: tuple[str, str] = ("", "")
    number: int = 0
    marks: frozenset[str] = frozenset()
    replicas: int | None = None
    required: frozenset[str] = frozenset()
    progress: "Progress | None" = None


class Progress(NamedTuple):
    """How far a workload is. `newest` and `stable` are marks of what its controller created from two templates.

    An empty `newest` stands for the one with the highest number. `stable` is the one that a workload returns to; `""`
    for none. `is_done`: all pods are of the newest. `situation` is a word such as `paused`, `""` if there is nothing to
    say; `reason` is the controller's own. `limit`: how many old ones are kept.
    """

    newest: str
    stable: str
    is_done: bool
    limit: int
    situation: str = ""
    reason: str = ""
    is_blue_green: bool = False


class Pod(NamedTuple):
    """A pod that has not ended. `references`: names of revisions, or like them.

    `problem`: why a container waits, such as `CreateContainerConfigError`.
    """

    name: str
    controller: str
    marks: frozenset[str]
    references: frozenset[str]
    is_ready: bool
    problem: str = ""


class SetSnapshot(NamedTuple):
    """One set: what the linker knows of it, and more.

    `plan` is that of the newest Job of what the inventory lists, or the default. `bases` are the base names by name.
    `absent`: the ConfigMaps that do not exist though live objects, by uid, need them.
    """

    plan: LinkPlan
    job: LinkerJob | None
    observation: Observation
    bases: Mapping[str, str]
    absent: Mapping[str, tuple[str, ...]]


class Snapshot(NamedTuple):
    """What was read. `objects` are by uid. `now` is in Unix seconds.

    `pods` is None without the right to list them. `unseen`: the kinds that could not be listed, and why.
    """

    namespace: str
    sets: tuple[SetSnapshot, ...]
    objects: Mapping[str, LiveObject]
    pods: tuple[Pod, ...] | None
    unseen: Mapping[Kind, Refused]
    now: float
