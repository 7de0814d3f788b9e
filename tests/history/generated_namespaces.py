"""Namespaces in any state: what somebody applied, deleted, reverted or edited, and what no run has seen."""

import json
from random import Random
from typing import Any, NamedTuple

from krm_fn.base import keys
from krm_fn.base.kind import CONSUMER_KINDS, Kind
from krm_fn.base.link_plan import LinkPlan, ProducerName, RevisionName, Workload
from tests.linker.manifests import (
    inventory,
    linker_job,
    made_by,
    pod_of,
    pods,
    reference,
    revision,
    thing,
    workload,
)
from tests.linker.object_store import NOON, Object, ObjectStore, rfc3339

SET = "web"
HASHES = [letter * 10 for letter in "bcdfg"]
CONFIGS = [f"{base}-{one}" for base in ("web-config", "api-config") for one in HASHES[:4]]
SECRETS = [f"web-password-{one}" for one in HASHES[:3]]
MAKERS = [f"from-vault-{one}" for one in HASHES[:3]]
EXTERNAL_SECRET = Kind("external-secrets.io/v1", "ExternalSecret", "externalsecrets")
MINIMUM_AGE = 600
OLD, YOUNG = 100_000, 60
"""Seconds. A run takes at most five minutes, so that nothing young grows old in it."""

_FORBIDDEN = ("pods", "replicasets", "statefulsets", "jobs")
_NO_CONSUMERS = ("ConfigMap", "Secret", "ExternalSecret", "Service")


def made_secrets(maker: str) -> list[str]:
    """Return the Secrets that a producer makes: two, so that one may be needed and the other one not."""
    return [maker.replace("from-vault", base) for base in ("db", "cache")]


ALL = [*CONFIGS, *SECRETS, *(name for maker in MAKERS for name in made_secrets(maker))]


class Case(NamedTuple):
    """A namespace, and the plurals that may not be listed."""

    items: list[Object]
    forbidden: tuple[str, ...]

    def store(self, clock: float = NOON) -> ObjectStore:
        return ObjectStore(self.items, clock)


def generate(random: Random) -> Case:
    store = ObjectStore()
    store.create(
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "else", "uid": "else"}}
    )
    listed = random.sample(ALL, random.randint(0, 5))
    live_inventory = None
    if random.random() < 0.85:
        live_inventory = store.create(_aged(inventory(*listed), OLD))
        if random.random() < 0.1:
            store.update_metadata(live_inventory, deletionTimestamp=rfc3339(NOON))
    if random.random() < 0.05:
        referenced: list[str] = []
    else:
        referenced = random.sample(ALL, random.randint(1, 8))
    owners = [*_create_workloads(store, random, referenced)]
    if live_inventory:
        owners.append(live_inventory)
    _create_revisions(store, random, owners)
    for number in range(random.randint(0, 3)):
        _create_job(store, random, number, listed)
    forbidden = tuple(random.sample(_FORBIDDEN, 1)) if random.random() < 0.2 else ()
    return Case([*store], forbidden)


def _aged(item: Object, age: float) -> Object:
    return {**item, "metadata": {**item["metadata"], "creationTimestamp": rfc3339(NOON - age)}}


def _template(random: Random, names: list[str]) -> Object:
    chosen = random.sample(names, min(len(names), random.randint(0, 2)))
    secrets = [name for name in chosen if name not in CONFIGS]
    return pods(*(name for name in chosen if name in CONFIGS), secrets=secrets)


def _create_workloads(store: ObjectStore, random: Random, names: list[str]) -> list[Object]:
    made = []
    for number in range(random.randint(0, 3)):
        kind = random.choice(["Deployment", "Deployment", "StatefulSet", "DaemonSet", "Rollout"])
        one = store.create(_aged(workload(kind, f"app-{number}", _template(random, names)), OLD))
        made.append(one)
        history = "ReplicaSet" if kind in ("Deployment", "Rollout") else "ControllerRevision"
        for version in range(random.randint(0, 3)):
            # A template may have been edited since the controller has copied it.
            template = (
                one["spec"]["template"] if random.random() < 0.3 else _template(random, names)
            )
            past = store.create(
                _aged(made_by(one, history, f"app-{number}-{version}", template), OLD - version)
            )
            made.append(past)
            if history == "ReplicaSet" and random.random() < 0.5:
                store.create(pod_of(past, f"app-{number}-{version}-pod"))
        if history == "ControllerRevision" and random.random() < 0.5:
            # It has started before the template was edited.
            owned_by = [reference(one, controller=True)]
            spec = _template(random, names)["spec"]
            store.create(
                _aged(thing("Pod", f"app-{number}-pod", ownerReferences=owned_by, spec=spec), OLD)
            )
    if random.random() < 0.3:
        bare = thing("Pod", "bare", spec=_template(random, names)["spec"])
        made.append(store.create(_aged(bare, OLD)))
    if random.random() < 0.3:
        made.append(store.create(_aged(workload("Job", "migrate", _template(random, names)), OLD)))
    return made


def _create_revisions(store: ObjectStore, random: Random, owners: list[Object]) -> None:
    for name in CONFIGS:
        if random.random() < 0.6:
            store.create(_in_some_state(random, revision(name), owners))
    for name in SECRETS:
        if random.random() < 0.6:
            tracker = store.create(_in_some_state(random, revision(name, tracker=True), owners))
            linked = [tracker] if keys.OWNS_SECRET in tracker["metadata"]["annotations"] else []
            store.create(revision(name, *linked, kind="Secret"))
    for maker in MAKERS:
        if random.random() < 0.6:
            made = made_secrets(maker)
            mark = {keys.MADE_BY: f"ExternalSecret/{maker}"}
            trackers = [
                store.create(
                    _in_some_state(random, revision(name, tracker=True, annotations=mark), owners)
                )
                for name in made
            ]
            linked = [one for one in trackers if keys.OWNS_SECRET in one["metadata"]["annotations"]]
            store.create(
                {**revision(maker, *linked, kind="ExternalSecret"), "spec": {"targets": made}}
            )
    make_secrets(store)


def _in_some_state(random: Random, item: Object, owners: list[Object]) -> Object:
    metadata: Any = item["metadata"]
    annotations = dict(metadata["annotations"])
    if random.random() < 0.1:
        annotations[keys.RETAIN] = "true"
    if random.random() < 0.1:
        del annotations[keys.WANTED]
    if random.random() < 0.05:
        annotations[keys.KPT_INVENTORY] = "an-inventory"
    if keys.COMPONENT in metadata["labels"] and random.random() < 0.5:
        annotations[keys.OWNS_SECRET] = "true"
    owned_by = [
        reference(one) for one in random.sample(owners, min(len(owners), random.randint(0, 2)))
    ]
    if random.random() < 0.1:
        owned_by.append({"apiVersion": "v1", "kind": "Service", "name": "else", "uid": "else"})
    more = {"annotations": annotations, **({"ownerReferences": owned_by} if owned_by else {})}
    return _aged({**item, "metadata": {**metadata, **more}}, random.choice([OLD, OLD, YOUNG]))


def _create_job(store: ObjectStore, random: Random, number: int, listed: list[str]) -> None:
    """Create the Job of what is listed now, of a wave of it, or of another rendering."""
    names = random.choice([listed, listed[:1], random.sample(ALL, 2)])
    plan = LinkPlan(
        set=SET,
        timeout=300,
        minimum_age=MINIMUM_AGE,
        workloads=(Workload("apps/v1", "Deployment", "app-0", tuple(map(_revision_name, names))),)
        if names
        else (),
        producers=tuple(
            ProducerName(
                EXTERNAL_SECRET,
                maker,
                tuple(RevisionName("Secret", name) for name in made_secrets(maker)),
            )
            for maker in MAKERS
            if {*made_secrets(maker)} <= {*names}
        ),
    )
    job = linker_job(f"web-link-{number}", plan.to_arguments())
    job["metadata"]["labels"][keys.SET] = SET
    store.create(_aged(job, random.randint(1, 1000)))


def _revision_name(name: str) -> RevisionName:
    return RevisionName("ConfigMap" if name in CONFIGS else "Secret", name)


# What happens of itself, and what text says


def make_secrets(store: ObjectStore) -> None:
    """Make the Secrets of each producer that do not exist, as its controller does."""
    for maker in store.of_kind("ExternalSecret"):
        for name in maker["spec"]["targets"]:
            if store.find("Secret", name) is None:
                store.create(
                    thing("Secret", name, ownerReferences=[reference(maker, controller=True)])
                )


def mentions(item: Object, name: str) -> bool:
    """Search the whole text of an object, but for its owners, for a name.

    That of a linker's Job holds a plan.
    """
    if item["kind"] in _NO_CONSUMERS or '"link"' in json.dumps(item):
        return False
    metadata = {key: value for key, value in item["metadata"].items() if key != "ownerReferences"}
    return name in json.dumps({**item, "metadata": metadata})


def plural_of(item: Object) -> str:
    return next(kind.plural for kind in CONSUMER_KINDS if kind.kind == item["kind"])
