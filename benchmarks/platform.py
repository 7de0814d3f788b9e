"""Measure a cluster with many sets, on a real API server and etcd: `python -m benchmarks.platform`.

Each set has a namespace with one Deployment, its ReplicaSets and pods, and three revisions. The
objects are stored, and no controller runs: what is measured is what linkers ask, and what the API
server does for it.
"""

import argparse
import json
import re
import resource
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any, NamedTuple

from benchmarks.linker import find_tool
from benchmarks.namespace import (
    GENERATIONS,
    SET,
    Object,
    arguments,
    deployment_of,
    inventory_of,
    pod_of,
    replica_set_of,
    revision_name,
    revision_of,
    send,
)
from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.base.link_plan import JobPlan, LinkPlan, read_arguments
from krm_fn.base.settings import Settings
from krm_fn.extras.linker_objects import job
from krm_fn.linker.credentials import Access
from krm_fn.linker.link_set import LinkOptions, link_set
from tests.cluster.api import Api, reference
from tests.cluster.control_plane import CLIENTS, ControlPlane, control_plane
from tests.cluster.fault_proxy import Answer, Call, PassOn, proxy_before
from tests.cluster.kinds import KINDS, complete
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.server import Server
from tests.cluster.tokens import token_of

BATCH = 100
"""Namespaces that are filled together: all objects of a platform would need gigabytes here."""

ACCOUNT = f"{SET}-linker"
RBAC = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "linkers"}
FLOWS = "/apis/flowcontrol.apiserver.k8s.io/v1"
RUNS = {"a release": True, "a scheduled run with nothing to do": False}
"""Whether it waits for its workloads."""

TIMES = ("--timeout=300", "--minimum-age=600")

KEPT = 10
"""ReplicaSets of a Deployment, as by default, and so revisions."""


class Platform(NamedTuple):
    sets: int
    replica_sets: int
    pods: int

    def __str__(self) -> str:
        sizes = (self.sets, self.sets * self.replica_sets, self.sets * self.pods)
        return "{:,} sets, {:,} ReplicaSets, {:,} pods".format(*sizes)


class Load(NamedTuple):
    """What the API server has done so far."""

    cpu: float
    mebibytes: float
    requests: int
    refused: int

    @classmethod
    def read(cls, api: Api) -> "Load":
        text = str(api.call("GET", "/metrics"))
        return cls(
            _metric(text, "process_cpu_seconds_total"),
            _metric(text, "process_resident_memory_bytes") / 2**20,
            int(_metric(text, "apiserver_request_total", 'code="(?!429)')),
            int(_metric(text, "apiserver_request_total", 'code="429"')),
        )


class Ran(NamedTuple):
    """A run of the linker. `refusals`: how often it has said that it waits, since the API server answers 429."""

    exit_code: int
    calls: int
    seconds: float
    changes: int
    refusals: int


def main() -> None:
    """Start a cluster, fill it, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.platform", description=__doc__)
    parser.add_argument("--sets", type=int, default=200, help="each in a namespace (default: 200)")
    parser.add_argument("--replica-sets", type=int, default=10, help="of each set (default: 10)")
    parser.add_argument("--pods", type=int, default=50, help="of each set (default: 50)")
    parser.add_argument(
        "--at-once", type=int, default=100, help="runs at the same time (default: 100)"
    )
    parser.add_argument(
        "--releases", type=int, default=0, help="measure etcd over so many releases instead"
    )
    options = parser.parse_args()
    with control_plane(find_tool) as cluster, TemporaryDirectory() as folder:
        for name in CLIENTS:  # no controller must act during the measurement
            cluster.stop(name)
        print("| what | measured |\n|---|---|")
        if options.releases:
            rows = measure_etcd(cluster, options.releases)
        else:
            platform = Platform(options.sets, options.replica_sets, options.pods)
            rows = measure_platform(cluster, platform, options.at_once, Path(folder))
        for what, measured in rows:
            print(f"| {what} | {measured} |", flush=True)


# Many sets


def measure_platform(
    cluster: ControlPlane, platform: Platform, at_once: int, folder: Path
) -> Iterator[tuple[str, str]]:
    """Fill the cluster, and run linkers in it: one alone, many at once, and as many when few requests are let in."""
    api = cluster.api
    yield "API server, empty", f"{Load.read(api).mebibytes:.0f} MiB"
    begin = time.perf_counter()
    # In another process: what is forked later is small.
    with ProcessPoolExecutor(1, get_context("spawn")) as filler:
        filler.submit(fill, api, platform).result()
    filled = Load.read(api)
    yield (
        f"filled: {platform}",
        f"{time.perf_counter() - begin:.0f} s; API server {filled.mebibytes:.0f} MiB",
    )
    yield "etcd", Etcd(Server(url=cluster.etcd, certificate=cluster.server.certificate)).size()
    tokens = {
        name: token_of(api.within(name), ACCOUNT) for name in names_of(platform)[: at_once + 2]
    }
    alone, together = [*tokens][:2], [*tokens][2:]
    files = {
        name: write_kubeconfig(folder / name, api.server, token=tokens[name], namespace=name)
        for name in tokens
    }
    for what, waits in RUNS.items():
        yield (
            f"{what}, alone",
            _alone(api, files[alone[0]], tokens[alone[1]], alone[1], waits=waits),
        )
    at_once_files = [files[name] for name in together]
    for what, waits in RUNS.items():
        yield f"{what}, {len(together)} at once", _at_once(api, at_once_files, waits=waits)
    limit_linkers(api)
    what = f"nothing to do, {len(together)} at once, and the API server lets few requests of linkers in at a time"
    yield what, _at_once(api, at_once_files, waits=False)


def names_of(platform: Platform) -> list[str]:
    return [f"team-{number}" for number in range(platform.sets)]


def fill(api: Api, platform: Platform) -> None:
    """Create the namespaces and all that is in them. The last generation has no owners yet."""
    rules: list[Object] = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch", "delete"]},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["create"]},
    ]
    api.create({"kind": "ClusterRole", "metadata": {"name": RBAC["name"]}, "rules": rules})
    names = names_of(platform)
    for first in range(0, len(names), BATCH):
        _fill_batch(api, names[first : first + BATCH], platform)


def _fill_batch(api: Api, names: Sequence[str], platform: Platform) -> None:
    spaces: list[Object] = [{"kind": "Namespace", "metadata": {"name": name}} for name in names]
    create(api, spaces)
    for account in ("app", ACCOUNT):
        create(
            api,
            (
                {"kind": "ServiceAccount", "metadata": {"name": account, "namespace": name}}
                for name in names
            ),
        )
    create(api, map(_binding, names))
    deployments = create(api, (_within(name, deployment_of(0)) for name in names))
    wanted: list[Object] = []
    for made in deployments:
        for number in range(platform.replica_sets):
            one = replica_set_of(made, number, number * GENERATIONS // platform.replica_sets)
            wanted.append(_within(made["metadata"]["namespace"], one))
    replica_sets = create(api, wanted)
    last = [
        one
        for one in replica_sets
        if one["metadata"]["name"].endswith(f"-{platform.replica_sets - 1}")
    ]
    pods: list[Object] = []
    for one in last:
        pods += [
            _within(one["metadata"]["namespace"], pod_of(one, number))
            for number in range(platform.pods)
        ]
    create(api, pods)
    owners: dict[tuple[str, str], list[Object]] = {}
    for one in replica_sets:
        config = one["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"]
        owners.setdefault((one["metadata"]["namespace"], config), []).append(one)
    revisions: list[Object] = []
    for inventory in create(api, (_within(name, inventory_of(1)) for name in names)):
        namespace = inventory["metadata"]["namespace"]
        for config in (revision_name(0, generation) for generation in range(GENERATIONS)):
            revisions.append(
                _within(
                    namespace,
                    revision_of(config, [*owners.get((namespace, config), []), inventory]),
                )
            )
    create(api, revisions)


def create(api: Api, objects: Iterable[Object]) -> list[Object]:
    requests = []
    for one in objects:
        namespace = one["metadata"].get("namespace", "")
        requests.append(("POST", KINDS[one["kind"]].path(namespace), complete(one)))
    return send(api, requests)


def _within(namespace: str, one: Object) -> Object:
    return {**one, "metadata": {**one["metadata"], "namespace": namespace}}


def _binding(namespace: str) -> Object:
    subject = {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": namespace}
    metadata = {"name": ACCOUNT, "namespace": namespace}
    return {"kind": "RoleBinding", "metadata": metadata, "roleRef": RBAC, "subjects": [subject]}


def _plan(*, waits: bool) -> LinkPlan:
    return read_arguments([*arguments(1)[1:], *TIMES])._replace(waits=waits)


def _alone(api: Api, kubeconfig: Path, token: str, namespace: str, *, waits: bool) -> str:
    """Run once and measure the time, then in another namespace through a proxy that counts bytes."""
    before = Load.read(api)
    ran = _run(kubeconfig, waits=waits)
    after = Load.read(api)
    sizes: Counter[str] = Counter()

    def count(call: Call, pass_on: PassOn) -> Answer:
        answer = pass_on(call)
        sizes["sent"] += len(call.body)
        sizes["received"] += len(answer.body)
        return answer

    with proxy_before(api.server) as proxy:
        proxy.begin(count)
        proxied = write_kubeconfig(
            kubeconfig.with_name("proxied"), proxy.server, token=token, namespace=namespace
        )
        _run(proxied, waits=waits)
    sent, received = sizes["sent"] / 1024, sizes["received"] / 1024
    return (
        f"{ran.calls} requests, {sent:.0f} KiB sent and {received:.0f} KiB received, {ran.seconds:.2f} s, "
        f"{after.cpu - before.cpu:.2f} s of CPU of the API server"
    )


def _run(kubeconfig: Path, *, waits: bool) -> Ran:
    said: list[str] = []
    options = LinkOptions(None, Access(str(kubeconfig)), as_json=True)
    outcome = link_set(_plan(waits=waits), options, Event(), lambda _: None, said.append)
    assert outcome.stdout, outcome.stderr
    report = json.loads(outcome.stdout)
    refusals = sum("answers 429" in line for line in said)
    return Ran(
        outcome.exit_code, report["calls"], report["seconds"], len(report["changes"]), refusals
    )


def _at_once(api: Api, kubeconfigs: Sequence[Path], *, waits: bool) -> str:
    """Fork a process for each, which all begin together: Python has started, and the modules are read."""
    context = get_context("fork")
    barrier, results = context.Barrier(len(kubeconfigs) + 1), context.SimpleQueue()

    def start(kubeconfig: Path) -> None:
        barrier.wait()
        results.put(_run(kubeconfig, waits=waits))

    children = [context.Process(target=start, args=(one,)) for one in kubeconfigs]
    for child in children:
        child.start()
    before, of_children = Load.read(api), resource.getrusage(resource.RUSAGE_CHILDREN)
    barrier.wait()
    begin = time.perf_counter()
    ran: list[Ran] = [results.get() for _ in children]
    seconds = time.perf_counter() - begin
    for child in children:
        child.join()
    after, now = Load.read(api), resource.getrusage(resource.RUSAGE_CHILDREN)
    own = now.ru_utime + now.ru_stime - of_children.ru_utime - of_children.ru_stime
    assert {one.exit_code for one in ran} == {0}
    each = sorted(one.seconds for one in ran)
    return (
        f"{seconds:.1f} s for all, {median(each):.1f} s the median, {each[-1]:.1f} s the longest; "
        f"{sum(one.calls for one in ran):,} calls, {after.refused - before.refused:,} answered 429, "
        f"{sum(one.refusals > 0 for one in ran)} runs said so; {sum(one.changes for one in ran)} changes, all exit 0; "
        f"CPU {after.cpu - before.cpu:.1f} s of the API server, {own:.1f} s of the runs; {after.mebibytes:.0f} MiB"
    )


def limit_linkers(api: Api) -> None:
    """Let two or three requests of all ServiceAccounts in at once, and refuse the others: 429, and none is queued."""
    limited = {
        "nominalConcurrencyShares": 1,
        "lendablePercent": 0,
        "borrowingLimitPercent": 0,
        "limitResponse": {"type": "Reject"},
    }
    level = {"metadata": {"name": "linkers"}, "spec": {"type": "Limited", "limited": limited}}
    everything = {
        "verbs": ["*"],
        "apiGroups": ["*"],
        "resources": ["*"],
        "namespaces": ["*"],
        "clusterScope": True,
    }
    subject = {"kind": "Group", "group": {"name": "system:serviceaccounts"}}
    schema = {
        "metadata": {"name": "linkers"},
        "spec": {
            "priorityLevelConfiguration": {"name": "linkers"},
            "matchingPrecedence": 500,
            "rules": [{"subjects": [subject], "resourceRules": [everything]}],
        },
    }
    api.call("POST", f"{FLOWS}/prioritylevelconfigurations", level)
    api.call("POST", f"{FLOWS}/flowschemas", schema)
    time.sleep(5)  # the API server reads them with its next look


def _metric(text: str, name: str, labels: str = "") -> float:
    """Add the values of a metric up, over all labels that fit."""
    lines = re.findall(rf"^{name}(?:\{{([^}}]*)\}})? ([0-9.e+]+)$", text, re.MULTILINE)
    return sum(float(value) for found, value in lines if re.search(labels, found))


# etcd


class Etcd(NamedTuple):
    server: Server

    def call(self, path: str, body: Object) -> Any:
        return self.server.request("POST", f"/v3/{path}", body, token="")

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.call("maintenance/status", {})
        return found

    def size(self) -> str:
        status = self.status()
        size, used = int(status["dbSize"]) / 2**20, int(status["dbSizeInUse"]) / 2**20
        return f"{used:.1f} MiB in use of {size:.1f}, {int(status['header']['revision']):,} revisions of etcd"

    def compact(self) -> None:
        """Forget all but the last version of each object, as the API server asks for every five minutes."""
        self.call(
            "kv/compaction", {"revision": self.status()["header"]["revision"], "physical": True}
        )


def measure_etcd(cluster: ControlPlane, releases: int) -> Iterator[tuple[str, str]]:
    """Write what so many releases of one set write, with ten ReplicaSets kept, and take it all away again."""
    etcd, name = Etcd(Server(url=cluster.etcd, certificate=cluster.server.certificate)), "growth"
    create(cluster.api, [{"kind": "Namespace", "metadata": {"name": name}}])
    api = cluster.api.within(name)
    (deployment,) = create(api, [_within(name, deployment_of(0))])
    create(api, [_within(name, {"kind": "ServiceAccount", "metadata": {"name": "app"}})])
    (inventory,) = create(api, [_within(name, inventory_of(1))])
    etcd.compact()
    yield "etcd, one set that has not been released", etcd.size()
    begin = time.perf_counter()
    for number in range(releases):
        _release(api, deployment, inventory, number)
    yield (
        f"{releases:,} releases, not compacted",
        f"{etcd.size()}; {time.perf_counter() - begin:.0f} s to write",
    )
    etcd.compact()
    yield "compacted", etcd.size()
    for event in api.list("Event", metadata_only=True):  # after an hour, they expire
        api.delete("Event", event["metadata"]["name"])
    etcd.compact()
    yield "an hour later, without Events", etcd.size()
    for kind in ("Job", "ReplicaSet", "ConfigMap", "Deployment"):
        api.call("DELETE", KINDS[kind].path(name))
    etcd.compact()
    yield "without the set", etcd.size()
    etcd.call("maintenance/defragment", {})
    yield "defragmented", etcd.size()


def _release(api: Api, deployment: Object, inventory: Object, number: int) -> None:
    """Write a revision, the inventory, the Job with its pod and states, owners, Events, and what goes after ten."""
    config = f"app-0-config-{number:010d}"
    revision = revision_of(config, [])
    api.create(revision)
    api.patch(
        "ConfigMap",
        inventory["metadata"]["name"],
        {"metadata": {"annotations": {"release": config}}},
    )
    made = replica_set_of(deployment, number, 0)
    made["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"] = config
    replica_set = api.create(made)
    plan = read_arguments(
        [*TIMES, f"--set={SET}", f"--workload=apps/v1/Deployment/app-0=ConfigMap/{config}"]
    )
    group = JobPlan(api.namespace, "", plan, CONSUMER_KINDS, "")
    body: Any = job(group, Settings(set=SET), "registry.example/krm-fn:1")
    linker = api.create(json.loads(json.dumps(body, default=dict)))
    linker_name = linker["metadata"]["name"]
    pod: Object = {
        "kind": "Pod",
        "metadata": {"name": f"{linker_name}-x"},
        "spec": body["spec"]["template"]["spec"],
    }
    pod["spec"] = {**pod["spec"], "serviceAccountName": "app"}
    api.create(json.loads(json.dumps(pod, default=dict)))
    for phase in ("Pending", "Running", "Succeeded"):
        api.patch("Pod", f"{linker_name}-x", {"status": {"phase": phase}}, subresource="status")
    for active in (1, 0):
        api.patch("Job", linker_name, {"status": {"active": active}}, subresource="status")
    owners = [reference(replica_set), reference(inventory), reference(deployment)]
    api.patch("ConfigMap", config, {"metadata": {"ownerReferences": owners}})
    for reason in ("Linked", "Deleted"):
        involved = {"kind": "ConfigMap", "name": config, "namespace": api.namespace}
        event = {
            "kind": "Event",
            "metadata": {"name": f"{config}.{reason.lower()}"},
            "involvedObject": involved,
        }
        api.create(
            {
                **event,
                "type": "Normal",
                "reason": f"Revisions{reason}",
                "message": "1 revision " * 5,
            }
        )
    if number:  # the deployer prunes the Job before, and the garbage collector its pod
        before = api.names("Job") - {linker_name}
        for name in before:
            api.delete("Pod", f"{name}-x")
            api.delete("Job", name)
    if number >= KEPT:
        old = f"app-0-config-{number - KEPT:010d}"
        api.patch(
            "ConfigMap", old, {"metadata": {"annotations": {"revisions.krm-fn.io/wanted": None}}}
        )
        api.delete("ConfigMap", old)
        api.delete("ReplicaSet", f"app-0-{number - KEPT}")


if __name__ == "__main__":
    main()
