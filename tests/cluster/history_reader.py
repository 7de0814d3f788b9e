"""Run `krm-fn history` and other commands as a person with few rights, and record what it requests."""

import contextlib
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from krm_fn.base import keys
from tests.cli.process import fork
from tests.cluster.api import Api, Object
from tests.cluster.fault_proxy import Proxy, proxy_before
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import ROOT
from tests.cluster.tokens import may, token_of
from tests.tools.require import require
from tests.wait import until

NAME = "reader"


def rules_of_the_page() -> list[Object]:
    """Return the rules that docs/commands/history.md says are enough."""
    section = (
        (ROOT / "docs/commands/history.md").read_text().partition("## The rights that it needs")[2]
    )
    rules: list[Object] = yaml.safe_load(section.partition("```yaml\n")[2].partition("```")[0])[
        "rules"
    ]
    return rules


@dataclass(frozen=True, kw_only=True, slots=True)
class HistoryReader:
    """A person who runs the command. `proxy` records the requests."""

    api: Api
    kubeconfig: Path
    proxy: Proxy

    def run(self, *arguments: str, command: str = "history") -> subprocess.CompletedProcess[str]:
        words = [command, "--kubeconfig", str(self.kubeconfig), *arguments]
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.kubeconfig.parent)}
        return fork(words, ROOT, environment)

    def show(self, *arguments: str, command: str = "history") -> str:
        """Return what is printed. The command must succeed."""
        done = self.run(*arguments, command=command)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def states(self, *arguments: str) -> dict[str, str]:
        """Return the state of each revision by name."""
        document: Any = json.loads(self.show("-o", "json", *arguments))
        return {
            one["name"]: one["state"] for found in document["sets"] for one in found["revisions"]
        }


def leak(api: Api, *trackers: Object) -> None:
    """Create a set whose trackers no run has linked: its inventory lists nothing, and its Job has not run yet."""
    api.create(_of_set("ConfigMap", "shop-linker", {keys.RENDERED: ""}, keys.LINKER))
    arguments = ["link", "--set=shop", "--timeout=5", "--minimum-age=0"]
    container = {"name": "link", "image": "krm-fn:1", "args": arguments}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    api.create(
        {
            **_of_set("Job", "shop-link", {}, keys.LINKER),
            "spec": {"suspend": True, "template": template},
        }
    )
    for one in trackers:
        api.create(one)


def tracker(name: str, base: str, **annotations: str) -> Object:
    """Build a tracker as the function emits it, with more annotations of ours."""
    more = {f"{keys.PREFIX}{key.replace('_', '-')}": value for key, value in annotations.items()}
    return _of_set(
        "ConfigMap", name, {keys.BASE_NAME: base, keys.WANTED: "true", **more}, keys.TRACKER
    )


def _of_set(kind: str, name: str, annotations: dict[str, str], component: str) -> Object:
    labels = {keys.SET: "shop", keys.COMPONENT: component}
    return {"kind": kind, "metadata": {"name": name, "labels": labels, "annotations": annotations}}


def printed_command(reader: HistoryReader, program: str, names: Iterable[str] = ()) -> str:
    """Wait until the command is printed, which is a line of its own, with all these names.

    A leak is told from the next second on, so the first of several may be told without the others.
    """

    def look() -> list[str]:
        return [
            line.strip() for line in reader.show().splitlines() if line.startswith(f"  {program}")
        ]

    (command,) = until(
        f"{program} is printed",
        look,
        lambda found: len(found) == 1 and {*names} <= {*re.split("[ /]", found[0])},
    )
    return command


def run_printed(command: str, api: Api, folder: Path) -> str:
    """Run a command for kubectl as an administrator, and return what it prints. It must succeed."""
    program, *arguments = shlex.split(command)
    assert program == "kubectl"
    kubeconfig = write_kubeconfig(
        folder / "admin", api.server, token=api.token, namespace="default"
    )
    words = [str(require("kubectl")), "--kubeconfig", str(kubeconfig), *arguments]
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@contextlib.contextmanager
def history_reader(api: Api, folder: Path, rules: list[Object]) -> Iterator[HistoryReader]:
    """Create the account. Afterwards, check that it has only listed, and no content of ConfigMaps and Secrets."""
    grant(api, rules)
    with proxy_before(api.server) as proxy:
        kubeconfig = write_kubeconfig(
            folder / "kubeconfig", proxy.server, token=token_of(api, NAME), namespace=api.namespace
        )
        yield HistoryReader(api=api, kubeconfig=kubeconfig, proxy=proxy)
        assert {call.method for call in proxy.calls} <= {"GET"}
        assert not [call.target for call in proxy.calls if "/secrets" in call.target]
        configs = [call.headers["accept"] for call in proxy.calls if "/configmaps" in call.target]
        assert all("PartialObjectMetadataList" in accept for accept in configs)


def grant(api: Api, rules: list[Object]) -> None:
    """Create a ServiceAccount with exactly these rights, and wait until the API server knows them."""
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": NAME}
    subject = {"kind": "ServiceAccount", "name": NAME, "namespace": api.namespace}
    api.apply({"kind": "ServiceAccount", "metadata": {"name": NAME}})
    api.apply({"kind": "Role", "metadata": {"name": NAME}, "rules": rules})
    api.apply(
        {"kind": "RoleBinding", "metadata": {"name": NAME}, "roleRef": role, "subjects": [subject]}
    )
    allowed = {
        (group, resource)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    for group, resource in (
        ("", "configmaps"),
        ("", "pods"),
        ("apps", "replicasets"),
        ("argoproj.io", "rollouts"),
    ):
        is_allowed = (group, resource) in allowed
        until(
            f"{NAME} {'may' if is_allowed else 'may not'} list {resource}",
            lambda group=group, resource=resource: may(api, NAME, "list", resource, group=group),  # type: ignore[misc]
            lambda found, is_allowed=is_allowed: found == is_allowed,  # type: ignore[misc]
        )
