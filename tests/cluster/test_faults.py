"""What tests may do to the cluster, and that it is there for the next one."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cluster.api import Api
from tests.cluster.control_plane import ROOT, ControlPlane
from tests.cluster.manifests import config_map, workload
from tests.cluster.process import start_ticks
from tests.cluster.tokens import account
from tests.cluster.wait import NeverCame


def test_what_was_there_is_there_after_a_restart(cluster: ControlPlane, namespace: Api) -> None:
    namespace.apply(config_map("kept"))
    token = account(namespace, ["get"])
    for name in ("apiserver", "controller-manager", "scheduler", "kwok"):
        cluster.restart(name)
    assert namespace.as_token(token).get("ConfigMap", "kept")
    namespace.apply(workload("Deployment", "web"))
    namespace.ready("Deployment", "web")


def test_a_server_that_is_away_is_waited_for(cluster: ControlPlane, namespace: Api) -> None:
    with cluster.stopped("apiserver"):
        with pytest.raises(OSError, match="refused"):
            namespace.names("ConfigMap")
        with pytest.raises(NeverCame, match="last seen: URLError"):
            namespace.wait("ConfigMap", "kube-root-ca.crt", "is there", bool, within=0.1)
    namespace.wait("ConfigMap", "kube-root-ca.crt", "is there", bool)


def test_a_stalled_etcd_holds_writes_up(cluster: ControlPlane, namespace: Api) -> None:
    with cluster.paused("etcd"), ThreadPoolExecutor(1) as pool:
        write = pool.submit(namespace.apply, config_map("late"))
        with pytest.raises(TimeoutError):
            write.result(timeout=1)
        cluster.processes["etcd"].resume()
        assert write.result(timeout=10)["metadata"]["uid"]


def test_nothing_outlives_the_tests_but_strangers(tmp_path: Path) -> None:
    """Those who have got the id of a program that ended long ago."""
    (tmp_path / "log").touch()
    with child() as ours, child() as stranger, child("-m", "tests.cluster.leash", str(tmp_path)) as leash:
        lines = f"{ours.pid} {start_ticks(ours.pid)}\n{stranger.pid} 1\n"
        leash.communicate(lines.encode())
        assert ours.wait(10) == -signal.SIGKILL
        assert stranger.poll() is None
        stranger.kill()
    assert not tmp_path.exists()


def child(*arguments: str) -> subprocess.Popen[bytes]:
    command = arguments or ("-c", "import time; time.sleep(60)")
    return subprocess.Popen([sys.executable, *command], cwd=ROOT, stdin=subprocess.PIPE)
