"""`krm-fn history` of three control planes: all answer; then one ends in the middle of it, and one shows us nothing."""

import contextlib
import json
import math
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import fork
from tests.cluster.api import Api
from tests.cluster.control_plane import ControlPlane, control_plane, new_namespace
from tests.cluster.fault_proxy import Answer, Call, PassOn, Proxy, proxy_before
from tests.cluster.kubeconfig import write_private
from tests.cluster.linker_job import ROOT
from tests.cluster.manifests import canary, workload
from tests.cluster.release import DEPLOYERS, Release, config
from tests.cluster.rollouts_controller import rollout_in_phase
from tests.cluster.server import Server
from tests.cluster.tokens import token_of
from tests.tools.require import require_built
from tests.wait import seconds_to, until


class Fleet:
    """Three clusters with a namespace `fleet` each, and a kubeconfig with contexts for them."""

    def __init__(self, planes: dict[str, ControlPlane], proxy: Proxy, folder: Path) -> None:
        self.planes = planes
        self.proxy = proxy
        self.apis: dict[str, Api] = {
            name: new_namespace(plane, "fleet") for name, plane in planes.items()
        }
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"
        servers = {name: api.server for name, api in self.apis.items()}
        # The second one ends at a request that its test chooses.
        self.write_kubeconfig(
            {**servers, "prod-us": proxy.server},
            {name: api.token for name, api in self.apis.items()},
        )

    def write_kubeconfig(self, servers: dict[str, Server], tokens: dict[str, str]) -> None:
        clusters = {
            name: {"server": server.url, "certificate-authority": str(server.certificate)}
            for name, server in servers.items()
        }
        content = {
            "clusters": [{"name": name, "cluster": cluster} for name, cluster in clusters.items()],
            "users": [{"name": name, "user": {"token": token}} for name, token in tokens.items()],
            # None is current: what asks for several needs no such.
            "contexts": [
                {"name": name, "context": {"cluster": name, "user": name, "namespace": "fleet"}}
                for name in servers
            ],
        }
        write_private(self.kubeconfig, json.dumps(content))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "COLUMNS": "120"}
        return fork(["history", *arguments], ROOT, environment)

    def ask(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("--kubeconfig", str(self.kubeconfig), *arguments)

    def read(self, *arguments: str) -> Any:
        """Return the table of all clusters as JSON. They must have answered."""
        done = self.ask("--context", "prod-*", "-o", "json", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def fleet(rollouts: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Release the same configuration everywhere, and then in one cluster a canary of another."""
    with contextlib.ExitStack() as stack:
        us, ap = (stack.enter_context(control_plane(require_built)) for _ in range(2))
        proxy = stack.enter_context(proxy_before(us.server))
        planes = {"prod-eu": rollouts, "prod-us": us, "prod-ap": ap}
        made = Fleet(planes, proxy, tmp_path_factory.mktemp("fleet"))
        shops = {
            name: Release(api=api, deployer=DEPLOYERS["Argo CD"](api))
            for name, api in made.apis.items()
        }
        for name, shop in shops.items():
            if name == "prod-eu":
                shop.release(config("old"), canary("web", replicas=4, config="web-config"))
                rollout_in_phase(shop.api, "web", "Healthy")
                shop.release(config("new"), canary("web", replicas=4, config="web-config"))
                rollout_in_phase(shop.api, "web", "Paused")
            else:
                shop.release(
                    config("old"), workload("Deployment", "web", replicas=2, config="web-config")
                )
                shop.api.ready("Deployment", "web")
        yield made
        planes["prod-eu"].api.delete("Namespace", "fleet")


def cells(document: Any) -> dict[str, list[tuple[str, int | None]]]:
    """Return uses and share of each revision in use, by cluster."""
    (row,) = document["rows"]
    return {
        column["cluster"]: [(" ".join(one["uses"]), one["share"]) for one in cell["revisions"]]
        for column, cell in zip(document["columns"], row["cells"], strict=True)
    }


SETTLED = {
    "prod-eu": [("in use", 75), ("canary", 25)],
    "prod-us": [("in use", 100)],
    "prod-ap": [("in use", 100)],
}


def test_three_clusters_are_three_columns(fleet: Fleet) -> None:
    fleet.proxy.begin()
    until("all pods are ready", lambda: cells(fleet.read()), lambda found: found == SETTLED)
    (row,) = fleet.read()["rows"]
    assert (row["set"], row["baseName"]) == ("shop", "web-config")
    assert [cell["isDifferent"] for cell in row["cells"]] == [True, False, False]
    old, new = (fleet_name(fleet, content) for content in ("old", "new"))
    assert [[one["name"] for one in cell["revisions"]] for cell in row["cells"]] == [
        [old, new],
        [old],
        [old],
    ]
    assert {call.method for call in fleet.proxy.calls} == {"GET"}
    assert not [call.target for call in fleet.proxy.calls if "/secrets" in call.target]


def fleet_name(fleet: Fleet, content: str) -> str:
    """Return the name of a revision: where there is a canary, there are both."""
    api = fleet.apis["prod-eu"]
    return Release(api=api, deployer=DEPLOYERS["Argo CD"](api)).revision_of(content)


def test_what_each_cluster_prints_makes_the_same_table(fleet: Fleet) -> None:
    fleet.proxy.begin()
    for name in fleet.planes:
        (fleet.folder / f"{name}.json").write_text(
            fleet.ask("--context", name, "-o", "json").stdout
        )
        document = json.loads((fleet.folder / f"{name}.json").read_text())
        assert document.pop("cluster") == name
        (fleet.folder / f"without-{name}.json").write_text(json.dumps(document))
    live = fleet.read()
    by_name = {
        column["cluster"]: cell
        for column, cell in zip(live["columns"], live["rows"][0]["cells"], strict=True)
    }
    for pattern, prefix in (("prod-*.json", ""), ("without-*.json", "without-")):
        read = json.loads(fleet.run("--from", str(fleet.folder / pattern), "-o", "json").stdout)
        clusters = [column["cluster"].removeprefix(prefix) for column in read["columns"]]
        assert sorted(clusters) == sorted(by_name)
        assert [by_name[name] for name in clusters] == read["rows"][0]["cells"]


def test_all_namespaces_of_a_cluster_are_columns(fleet: Fleet) -> None:
    other = new_namespace(fleet.planes["prod-ap"], "fleet-blue")
    Release(api=other, deployer=DEPLOYERS["Flux"](other)).release(
        config("new"), workload("Deployment", "web", config="web-config")
    )
    other.ready("Deployment", "web")
    done = fleet.ask("--context", "prod-ap", "-A", "-o", "json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert [column["namespace"] for column in document["columns"]] == ["fleet", "fleet-blue"]
    assert [cell["isDifferent"] for cell in document["rows"][0]["cells"]] == [True, True]
    other.delete("Namespace", "fleet-blue")


def test_one_ends_half_way_and_one_lets_us_see_nothing(fleet: Fleet) -> None:
    fleet.proxy.begin()
    # On a machine that is slow, or busy with something else, those that answer need more time.
    more = math.ceil(2 * seconds_to(fleet.read))
    timeout = 8 + more
    nobody = fleet.apis["prod-ap"]
    nobody.apply({"kind": "ServiceAccount", "metadata": {"name": "nobody"}})
    tokens = {name: api.token for name, api in fleet.apis.items()}
    servers = {name: api.server for name, api in fleet.apis.items()}
    fleet.write_kubeconfig(
        {**servers, "prod-us": fleet.proxy.server},
        {**tokens, "prod-ap": token_of(nobody, "nobody")},
    )
    us = fleet.planes["prod-us"]

    def end_at_the_fifth(call: Call, pass_on: PassOn) -> Answer:
        if call.number == 5:
            us.stop("apiserver")
        return pass_on(call)

    fleet.proxy.begin(end_at_the_fifth)
    done = fleet.ask("--context", "prod-*", "--timeout", str(timeout), "-o", "json")
    assert len(fleet.proxy.calls) >= 5
    document = json.loads(done.stdout)
    columns = {column["cluster"]: column for column in document["columns"]}
    assert {name: column["silence"] for name, column in columns.items()} == {
        "prod-eu": None,
        "prod-us": "no answer",
        "prod-ap": "refused",
    }
    rule = '{apiGroups: [""], resources: [configmaps], verbs: [list]}'
    expected = f"you may not list ConfigMaps in namespace fleet: you need the rule {rule}"
    assert columns["prod-ap"]["reason"] == expected
    assert "no response from" in columns["prod-us"]["reason"]
    (row,) = document["rows"]
    assert [cell["state"] for cell in row["cells"]] == ["used", "unknown", "unknown"]
    assert cells(document)["prod-eu"] == SETTLED["prod-eu"]
    assert done.returncode == 3
    assert (
        done.stderr.splitlines()[-1]
        == "error: nothing is known of 2 of 3 columns: prod-us, prod-ap"
    )

    # It is still gone, and then hangs: nothing answers a connection that is accepted.
    text = fleet.ask("--context", "prod-*", "--timeout", str(2 + more))
    assert text.returncode == 3
    line = next(line for line in text.stdout.splitlines() if line.startswith("web-config"))
    assert line.split()[-3:] == ["no", "answer", "refused"]
    us.start("apiserver")
    fleet.proxy.begin()
    with us.paused("apiserver"):
        hung = fleet.ask("--context", "prod-*", "--timeout", str(3 + more))
    assert hung.returncode == 3
    assert "no answer" in hung.stdout
