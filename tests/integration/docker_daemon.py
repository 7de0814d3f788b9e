"""A Docker daemon only for the tests, with its own socket and data.

It shares nothing with the machine's daemon.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.wait import PATIENCE, WaitTimeout, until

# Containers run without a network: many machines do not allow a daemon to set one up.
NO_NETWORK = (
    "--bridge=none",
    "--iptables=false",
    "--ip6tables=false",
    "--ip-forward=false",
    "--ip-masq=false",
)
# Try the default storage driver first. vfs copies files, and works where layers are not allowed.
STORAGE = ((), ("--storage-driver=vfs",))

Environment = dict[str, str]


class DaemonError(Exception):
    """The daemon does not start on this machine. The message contains the end of its log."""


def environment_of(host: str) -> Environment:
    """Return the environment in which `docker` talks to the daemon at this address."""
    return {**os.environ, "DOCKER_HOST": host, "DOCKER_BUILDKIT": "0"}


@contextlib.contextmanager
def docker_daemon(dockerd: Path) -> Iterator[str]:
    """Run a daemon while the context is open, and yield its address, DOCKER_HOST for `docker`."""
    # Not in pytest's folder: the path of a socket can have at most 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="krm-fn-"))
    try:
        with _first_to_start(dockerd, folder) as socket:
            yield f"unix://{socket}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _first_to_start(dockerd: Path, folder: Path) -> Iterator[Path]:
    for storage in STORAGE:
        with _started(dockerd, folder, storage) as socket:
            if socket is not None:
                yield socket
                return
    log = (folder / "log").read_text(errors="replace").splitlines()
    raise DaemonError("\n".join(["dockerd does not start here:", *log[-8:]]))


@contextlib.contextmanager
def _started(dockerd: Path, folder: Path, storage: tuple[str, ...]) -> Iterator[Path | None]:
    """Start a daemon and yield its socket, or None if it does not answer.

    Stop it by its process, never by its name.
    """
    socket = folder / "docker.sock"
    places = [f"--host=unix://{socket}", f"--data-root={folder}/data", f"--exec-root={folder}/exec"]
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(
            [dockerd, *places, f"--pidfile={folder}/pid", *NO_NETWORK, *storage],
            stdout=log,
            stderr=log,
        )
        try:
            yield socket if _answers(daemon, socket) else None
        finally:
            daemon.terminate()
            daemon.wait(timeout=PATIENCE)
            # A daemon that failed to start leaves a bind mount of its data folder.
            subprocess.run(["umount", folder / "data"], check=False, capture_output=True)


def _answers(daemon: subprocess.Popen[bytes], socket: Path) -> bool:
    def is_known() -> bool:
        command = ["docker", "--host", f"unix://{socket}", "version"]
        answer = subprocess.run(command, check=False, capture_output=True)
        return answer.returncode == 0 or daemon.poll() is not None

    with contextlib.suppress(WaitTimeout):
        until("the daemon answers", is_known)
        return daemon.poll() is None
    return False
