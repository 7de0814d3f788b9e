"""`krm-fn history` and `kubectl revisions` as processes, without a cluster."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import krm_fn
from tests.linker.hostile_server import Handler, answer, hostile_server
from tests.tools.require import require

PLUGIN = Path(sys.executable).parent / "kubectl-revisions"


def test_the_plugin_of_kubectl_is_the_same_command() -> None:
    done = subprocess.run([PLUGIN, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: kubectl revisions [OPTIONS] [NAME]\n")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([str(PLUGIN)], id="by itself"),
        pytest.param(["kubectl", "revisions"], marks=pytest.mark.needs("kubectl"), id="by kubectl"),
    ],
)
def test_the_plugin_says_how_it_is_called(command: list[str]) -> None:
    program = [str(require("kubectl")), *command[1:]] if command[0] == "kubectl" else command
    environment = {"PATH": f"{PLUGIN.parent}:{os.environ['PATH']}", "HOME": "/nonexistent"}
    done = subprocess.run(
        [*program, "--zzz"], env=environment, capture_output=True, text=True, check=False
    )
    assert (
        done.stderr.splitlines()[0] == "error: No such option '--zzz'; see kubectl revisions --help"
    )
    assert done.returncode != 0


@pytest.mark.needs("openssl")
@pytest.mark.parametrize("arguments", [["history"], ["graph", "--live"]], ids=" ".join)
def test_a_cluster_whose_certificate_nobody_checks_is_asked_without_warnings(
    arguments: list[str], tmp_path: Path
) -> None:
    """`insecure-skip-tls-verify` in the kubeconfig says that; the library would warn of each request."""
    paths = []

    def list_nothing(handler: Handler) -> None:
        paths.append(handler.path)
        answer(handler, {"metadata": {}, "items": []})

    made = (
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=a",
        "-out",
        "cert.pem",
        "-keyout",
        "key.pem",
    )
    subprocess.run([require("openssl"), *made], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "both.pem").write_text(
        "".join((tmp_path / f"{one}.pem").read_text() for one in ("key", "cert"))
    )
    with hostile_server(list_nothing, tmp_path, tmp_path / "both.pem") as kubeconfig:
        done = krm_fn(*arguments, f"--kubeconfig={kubeconfig}", cwd=tmp_path)
    assert done.stderr.startswith("error: no revisions in namespace shop: ")
    assert (done.stderr.count("\n"), len(paths) > 5) == (1, True)
