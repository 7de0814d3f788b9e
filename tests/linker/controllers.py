"""Controllers of workloads, as far as they make and remove history.

Pods are left out. So old history may go at any moment, which is worse than what controllers do: they wait until its
pods are gone.
"""

import zlib
from typing import Any

from tests.linker.manifests import made_by
from tests.linker.world import Object, World

REVISION = "deployment.kubernetes.io/revision"
HISTORY = {"Deployment": "ReplicaSet", "Rollout": "ReplicaSet", "StatefulSet": "ControllerRevision"}


def history(world: World, workload: Object) -> list[Object]:
    """What was made of its templates, in the order of creation."""
    uid = workload["metadata"]["uid"]
    return [item for item in world.of_kind(HISTORY[workload["kind"]]) if _controller(item).get("uid") == uid]


def template_of(item: Object) -> Object:
    """What a piece of history was made of."""
    content: Object = item["spec"] if "spec" in item else item["data"]["spec"]
    template: Object = content["template"]
    return template


def follow(world: World, workload: Object) -> None:
    """Make history of the present template, or take what there is of an equal one; adopt orphans that fit."""
    if workload["spec"].get("paused") and workload["kind"] != "Rollout":
        return  # a paused Rollout makes its ReplicaSet all the same
    _adopt(world, workload)
    made = history(world, workload)
    number = max((_number(item) for item in made), default=0) + 1
    template = workload["spec"]["template"]
    for item in made:
        if template_of(item) == template:
            if _number(item) < number - 1:
                _number_anew(world, item, number)
            return
    name = f"{workload['metadata']['name']}-{zlib.crc32(repr(template).encode()):08x}"
    if world.find(HISTORY[workload["kind"]], name) is None:
        annotations = {REVISION: str(number)}
        world.create(made_by(workload, HISTORY[workload["kind"]], name, template, annotations=annotations))


def trim(world: World, workload: Object, limit: int) -> None:
    """Remove old history beyond a limit: Rollouts what was created first, the others what was wanted longest ago."""
    old = [item for item in history(world, workload) if template_of(item) != workload["spec"]["template"]]
    if workload["kind"] != "Rollout":
        old.sort(key=_number)
    for item in old[: max(0, len(old) - limit)]:
        world.remove(item)


def _adopt(world: World, workload: Object) -> None:
    for item in world.of_kind(HISTORY[workload["kind"]]):
        if not _controller(item) and item["metadata"]["name"].startswith(f"{workload['metadata']['name']}-"):
            made = made_by(workload, item["kind"], item["metadata"]["name"], {})
            others = item["metadata"].get("ownerReferences", [])
            world.update_metadata(item, ownerReferences=[*others, *made["metadata"]["ownerReferences"]])


def _controller(item: Object) -> dict[str, Any]:
    owners = item["metadata"].get("ownerReferences", [])
    return next((owner for owner in owners if owner.get("controller")), {})


def _number(item: Object) -> int:
    return int(item["metadata"]["annotations"][REVISION])


def _number_anew(world: World, item: Object, number: int) -> None:
    world.update_metadata(item, annotations={**item["metadata"]["annotations"], REVISION: str(number)})
