"""Faults that tests cause in the cluster, and that the cluster works again afterwards."""

import dataclasses
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ROOT, ControlPlane
from tests.cluster.fault_proxy import proxy_before
from tests.cluster.faults import at, refuse
from tests.cluster.manifests import config_map, workload
from tests.cluster.process import start_ticks
from tests.cluster.tokens import account
from tests.wait import FOREVER, PATIENCE, SHORT, WaitTimeout


def test_objects_are_kept_over_a_restart(cluster: ControlPlane, namespace: Api) -> None:
    namespace.apply(config_map("kept"))
    token = account(namespace, ["get"])
    for name in ("apiserver", "controller-manager", "scheduler", "kwok"):
        cluster.restart(name)
    assert namespace.as_token(token).get("ConfigMap", "kept")
    namespace.apply(workload("Deployment", "web"))
    namespace.ready("Deployment", "web")


def test_a_wait_outlasts_a_stopped_api_server(cluster: ControlPlane, namespace: Api) -> None:
    with cluster.stopped("apiserver"):
        with pytest.raises(OSError, match="refused"):
            namespace.names("ConfigMap")
        with pytest.raises(WaitTimeout, match="last seen: ConnectionRefusedError"):
            namespace.wait("ConfigMap", "kube-root-ca.crt", "is there", bool, within=SHORT)
    namespace.wait("ConfigMap", "kube-root-ca.crt", "is there", bool)


def test_a_request_is_sent_again_when_the_api_server_asks_for_it(namespace: Api) -> None:
    with proxy_before(namespace.server) as proxy:
        proxy.begin(at(1, refuse(429, "TooManyRequests", Retry_After="1")))
        dataclasses.replace(namespace, server=proxy.server).names("ConfigMap")
        assert len(proxy.calls) == 2


def test_a_suspended_etcd_delays_writes(cluster: ControlPlane, namespace: Api) -> None:
    with cluster.paused("etcd"), ThreadPoolExecutor(1) as pool:
        write = pool.submit(namespace.apply, config_map("late"))
        with pytest.raises(TimeoutError):
            write.result(timeout=SHORT)
        cluster.processes["etcd"].resume()
        assert write.result(timeout=PATIENCE)["metadata"]["uid"]


def test_programs_are_killed_after_the_tests(tmp_path: Path) -> None:
    """A process that has reused the id of a program is not killed."""
    (tmp_path / "log").touch()
    with (
        child() as program,
        child() as other,
        child("-m", "tests.cluster.process_cleanup", str(tmp_path)) as cleanup,
    ):
        lines = f"{program.pid} {start_ticks(program.pid)}\n{other.pid} 1\n"
        cleanup.communicate(lines.encode())
        assert program.wait(PATIENCE) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()
    assert not tmp_path.exists()


def child(*arguments: str) -> subprocess.Popen[bytes]:
    command = arguments or ("-c", f"import time; time.sleep({FOREVER})")
    return subprocess.Popen([sys.executable, *command], cwd=ROOT, stdin=subprocess.PIPE)
