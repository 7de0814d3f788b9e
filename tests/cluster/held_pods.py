"""Generate workloads whose controllers hold back another pod template: paused, OnDelete, partitions.

Each goes through three renderings: without a hold, with one, with another one or none. Its ConfigMap
has a strategy of its own, under which a new content is a new name, another checksum, or neither.
"""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple

from tests.cluster.api import Object
from tests.cluster.kinds import complete
from tests.cluster.manifests import workload

REPLICAS = 2
CANARY: Object = {"canary": {"steps": [{"setWeight": 50}, {"pause": {}}]}}


def _partition(number: int) -> Object:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": number}}}


ON_DELETE: Object = {"updateStrategy": {"type": "OnDelete"}}
NO_HOLD = "nothing holds it"
HOLDS: dict[str, dict[str, Object]] = {
    "Deployment": {
        NO_HOLD: {},
        "paused": {"paused": True},
        "not paused": {"paused": False},
    },
    "Rollout": {
        NO_HOLD: {"strategy": CANARY},
        "paused": {"strategy": CANARY, "paused": True},
        "not paused": {"strategy": CANARY, "paused": False},
    },
    "StatefulSet": {
        NO_HOLD: {},
        "OnDelete": ON_DELETE,
        "a partition of none": _partition(0),
        "a partition of one of two": _partition(1),
        "a partition of all": _partition(REPLICAS),
        "a partition of more": _partition(REPLICAS + 3),
        "a partition of the default": {**_partition(1), "replicas": None},
    },
    "DaemonSet": {NO_HOLD: {}, "OnDelete": ON_DELETE},
}
"""By kind and what holds it: fields of the spec."""

STRATEGIES = ("rename", "adopt", "checksum", "ignore")
CONTENT, IMAGE, NOTHING, LABEL = "content", "image", "nothing", "label of the workload"
CHANGES = (CONTENT, IMAGE, NOTHING, LABEL)


class Step(NamedTuple):
    """What a rendering changes, and what holds the workload from then on."""

    hold: str
    change: str


class HeldCase(NamedTuple):
    """`steps`: those behind the first rendering, in which nothing is held."""

    name: str
    kind: str
    steps: tuple[Step, ...]
    strategy: str

    def objects(self, number: int) -> list[Object]:
        """Return the objects of one rendering. That of number 0 is the first."""
        done = self.steps[:number]
        changes = [one.change for one in done]
        made = workload(self.kind, self.name, replicas=REPLICAS, config=f"{self.name}-config")
        hold = done[-1].hold if done else NO_HOLD
        made["spec"] |= HOLDS[self.kind][hold]
        made["spec"] = {name: one for name, one in made["spec"].items() if one is not None}
        if self.kind == "StatefulSet":
            made["spec"] |= {"serviceName": self.name, "podManagementPolicy": "Parallel"}
        container = made["spec"]["template"]["spec"]["containers"][0]
        container["image"] = f"registry.example/app:{changes.count(IMAGE)}"
        made["metadata"]["labels"] = {"number": str(changes.count(LABEL))}
        config = {
            "kind": "ConfigMap",
            "metadata": {
                "name": f"{self.name}-config",
                "annotations": {"revisions.krm-fn.io/strategy": self.strategy},
            },
            "data": {"A": str(changes.count(CONTENT))},
        }
        return [complete(made), complete(config)]

    def says(self, number: int) -> str:
        """Return `Deployment: nothing holds it, then paused with content`."""
        holds = [NO_HOLD, *(one.hold for one in self.steps)]
        changes = [one.change for one in self.steps[:number]]
        return f"{self.kind}, {self.strategy}: {holds[number - 1]}, then {holds[number]}; {', '.join(changes)}"


def _all_steps() -> Iterator[tuple[str, tuple[Step, ...]]]:
    for kind, holds in HOLDS.items():
        for first, second in product(product(holds, CHANGES), repeat=2):
            yield kind, (Step(*first), Step(*second))


def held_cases(number: int, random: Random) -> list[HeldCase]:
    """Return so many cases of each kind, and last of each kind one that surely rolls in each step."""
    every = [*_all_steps()]
    chosen: list[tuple[str, tuple[Step, ...], str]] = []
    for kind in HOLDS:
        of_kind = [one for one in every if one[0] == kind]
        for _, steps in random.sample(of_kind, min(number, len(of_kind))):
            chosen.append((kind, steps, random.choice(STRATEGIES)))
        chosen.append((kind, (Step(NO_HOLD, CONTENT), Step(NO_HOLD, CONTENT)), "rename"))
    return [HeldCase(f"w{place}", *one) for place, one in enumerate(chosen)]


def is_sentinel(case: HeldCase) -> bool:
    return set(case.steps) == {Step(NO_HOLD, CONTENT)} and case.strategy == "rename"
