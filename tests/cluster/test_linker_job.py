"""`run_linker` runs the command of the linker's Job with the rights of the Job, as a kubelet would."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from krm_fn import __version__
from tests.cli.process import start
from tests.cluster.api import Api, Object
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import linker_environment, linker_pod, run_linker
from tests.cluster.manifests import IMAGE
from tests.cluster.process import start_ticks
from tests.cluster.readiness import has_condition
from tests.cluster.server import ApiError, Server
from tests.cluster.tokens import may
from tests.wait import A_MOMENT, SHORT, until

SET = "web"
LABELS = {"revisions.krm-fn.io/component": "linker", "revisions.krm-fn.io/set": SET}


def linker(name: str, *arguments: str) -> Object:
    container = {"name": "linker", "image": IMAGE, "args": list(arguments)}
    spec = {"restartPolicy": "Never", "serviceAccountName": "web-linker", "containers": [container]}
    template = {"metadata": {"labels": LABELS}, "spec": spec}
    return {
        "kind": "Job",
        "metadata": {"name": name, "labels": LABELS},
        "spec": {"backoffLimit": 0, "template": template},
    }


@pytest.fixture
def account(namespace: Api) -> Api:
    """Create the linker's ServiceAccount, with the right to read one ConfigMap."""
    rule = {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "verbs": ["get"],
        "resourceNames": ["kube-root-ca.crt"],
    }
    namespace.apply({"kind": "ServiceAccount", "metadata": {"name": "web-linker"}})
    namespace.apply({"kind": "Role", "metadata": {"name": "web-linker"}, "rules": [rule]})
    namespace.apply(
        {
            "kind": "RoleBinding",
            "metadata": {"name": "web-linker"},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "Role",
                "name": "web-linker",
            },
            "subjects": [
                {"kind": "ServiceAccount", "name": "web-linker", "namespace": namespace.namespace}
            ],
        }
    )
    until(
        "it may read the ConfigMap",
        lambda: may(namespace, "web-linker", "get", "configmaps", name="kube-root-ca.crt"),
    )
    return namespace


def test_the_job_is_complete_after_its_command_succeeds(account: Api) -> None:
    account.apply(linker("link", "--version"))
    linker_pod(account, SET)
    account.wait("Job", "link", "has its pod", lambda job: job["status"].get("active") == 1)
    done = run_linker(account, SET)
    assert (done.exit_code, done.stderr) == (0, "")
    assert __version__ in done.stdout
    account.ready("Job", "link")


def test_the_job_fails_with_its_command(account: Api) -> None:
    account.apply(linker("link", "no-such-command"))
    done = run_linker(account, SET)
    assert done.exit_code == 2
    assert "no-such-command" in done.stderr
    account.wait("Job", "link", "has failed", lambda job: has_condition(job, "Failed"))


def test_the_newest_job_is_run(account: Api) -> None:
    account.apply(linker("first", "--version"))
    first = run_linker(account, SET)
    account.apply(linker("second", "--version"))
    account.wait("Job", "second", "has its pod", lambda job: job["status"].get("active") == 1)
    until("its pod is bound", lambda: linker_pod(account, SET)["metadata"]["name"] != first.pod)
    assert run_linker(account, SET).pod.startswith("second-")
    account.ready("Job", "second")


def test_a_job_of_another_set_is_ignored(account: Api) -> None:
    account.apply(linker("link", "--version"))
    with pytest.raises(
        AssertionError, match=r"a pod with .*set=other in test-.* is bound to a node"
    ):
        linker_pod(account, "other", within=SHORT)


def test_the_command_has_only_the_rights_of_the_job(account: Api, tmp_path: Path) -> None:
    account.apply(linker("link"))
    pod = linker_pod(account, SET)
    environment = linker_environment(account, pod, tmp_path)
    assert set(environment) == {"KUBECONFIG", "HOME", "PATH", "PYTHONPATH", "PYTHONSAFEPATH"}
    kubeconfig = json.loads(Path(environment["KUBECONFIG"]).read_text())
    (user,) = kubeconfig["users"]
    its_own = account.as_token(user["user"]["token"])
    assert its_own.get("ConfigMap", "kube-root-ca.crt")["data"]
    with pytest.raises(
        ApiError, match=r'serviceaccount:test-.*:web-linker" cannot list resource "configmaps"'
    ):
        its_own.list("ConfigMap")
    with pytest.raises(ApiError, match="403 Forbidden"):
        its_own.within("default").get("ConfigMap", "kube-root-ca.crt")


def test_the_kubernetes_client_accepts_the_kubeconfig(account: Api, tmp_path: Path) -> None:
    """The linker uses this client, which also checks the server's certificate."""
    account.apply(linker("link"))
    environment = linker_environment(account, linker_pod(account, SET), tmp_path)
    program = (
        "from kubernetes import client, config; config.load_kube_config();"
        f"print(client.CoreV1Api().read_namespaced_config_map('kube-root-ca.crt', '{account.namespace}').metadata.name)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("kube-root-ca.crt\n", "")


def test_a_run_that_hangs_is_ended(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        place = tmp_path / "kubeconfig"
        write_kubeconfig(place, Server(url=url, certificate=place), token=SET, namespace=SET)
        running = start(["link", "--set=web"], tmp_path, {"KUBECONFIG": str(place)})
        assert start_ticks(running.process_id)
        with pytest.raises(TimeoutError):
            running.wait(A_MOMENT)
        until("it has ended", lambda: start_ticks(running.process_id), lambda ticks: not ticks)
