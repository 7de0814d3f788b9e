"""Run the program that a kubeconfig names for credentials, as kubectl does, but within a time.

Its output, arguments and environment may hold a token: no error shows any of them.
"""

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from krm_fn.linker.read import list_of, mapping, mappings_in, text_in
from krm_fn.linker.retry import STEP, Deadline

_LEAST = 1.0
"""Seconds that it gets even after the deadline, when a token has expired in the middle of a run."""

_MOST_BYTES = 1_000_000
_CHUNK = 64 * 1024
_KIND = "ExecCredential"
_INFO = "KUBERNETES_EXEC_INFO"
_CLUSTER_CONFIG = "client.authentication.k8s.io/exec"

_RUNNING: set[subprocess.Popen[bytes]] = set()


class PluginFailed(Exception):
    """The program has printed no credentials.

    The message says why, and shows nothing that it has printed.
    """


def run_plugin(
    settings: Mapping[str, Any], folder: str, cluster: Mapping[str, Any], deadline: Deadline
) -> dict[str, str]:
    """Return the credentials that a program prints: texts in the `status` of an ExecCredential.

    `settings` is the `exec` of a user, `folder` that of the kubeconfig, and `cluster` what it says of the cluster.
    Raises PluginFailed, and what the deadline raises.
    """
    command, version = text_in(dict(settings), "command"), text_in(dict(settings), "apiVersion")
    if not command or not version:
        message = "the kubeconfig's exec needs a command and an apiVersion"
        raise PluginFailed(message)
    program = f"the credential plugin {command}"
    # As kubectl has it: a path is relative to the kubeconfig, and a name is looked up in PATH.
    path = str(Path(folder, command)) if os.sep in command else command
    is_interactive = settings.get("interactiveMode") != "Never" and os.isatty(0)
    environment = {**os.environ, **_read_environment(settings)}
    environment[_INFO] = json.dumps(
        _describe(version, settings, cluster, is_interactive=is_interactive)
    )
    try:
        process = subprocess.Popen(  # noqa: S603  # no shell
            [path, *map(str, list_of(settings.get("args")))],
            stdin=None if is_interactive else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # A person is asked to log in there. Elsewhere nobody knows what it shows.
            stderr=None if is_interactive else subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # so that all that it starts can be ended with it
        )
    except (OSError, ValueError) as error:
        message = (
            f"{program} cannot be run: {getattr(error, 'strerror', None) or type(error).__name__}"
        )
        raise PluginFailed(message) from None
    with process:
        _RUNNING.add(process)
        try:
            printed = _read(process, program, max(_LEAST, deadline.left()), deadline)
        except BaseException:
            _end(process)
            raise
        finally:
            _RUNNING.discard(process)
    if process.returncode:
        message = f"{program} failed with exit code {process.returncode}; run `kubectl auth whoami` to see what it says"
        raise PluginFailed(message)
    return _parse(printed, version, program)


def end_plugins() -> None:
    """End all plugins that other threads have started, and what these have started."""
    for process in tuple(_RUNNING):
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    # Some systems answer with EPERM where only a dead process is left.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _read_environment(settings: Mapping[str, Any]) -> dict[str, str]:
    variables = mappings_in(settings, "env")
    return {str(one.get("name")): str(one.get("value", "")) for one in variables if one.get("name")}


def _describe(
    version: str, settings: Mapping[str, Any], cluster: Mapping[str, Any], *, is_interactive: bool
) -> dict[str, Any]:
    """Return what the program is told.

    See https://kubernetes.io/docs/reference/config-api/client-authentication.v1/.
    """
    spec: dict[str, Any] = {"interactive": is_interactive}
    if settings.get("provideClusterInfo"):
        extensions = mappings_in(cluster, "extensions")
        own = [one.get("extension") for one in extensions if one.get("name") == _CLUSTER_CONFIG]
        known = {key: value for key, value in cluster.items() if key != "extensions"}
        spec["cluster"] = {**known, **({"config": own[0]} if own else {})}
    return {"apiVersion": version, "kind": _KIND, "spec": spec}


def _read(
    process: subprocess.Popen[bytes], program: str, seconds: float, deadline: Deadline
) -> bytes:
    """Read all that the program prints until it has ended.

    Nothing that it leaves in the background is waited for.
    """
    printed = bytearray()
    end = time.monotonic() + seconds
    assert process.stdout is not None  # noqa: S101  # for mypy: it is a pipe
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.get_map() or process.poll() is None:
            deadline.check()
            left = end - time.monotonic()
            if left <= 0:
                message = f"{program} has printed no credentials within {seconds:.0f} s"
                raise PluginFailed(message)
            if not selector.get_map():
                with suppress(subprocess.TimeoutExpired):
                    process.wait(min(STEP, left))
                continue
            # In this order: what it has printed before its end is there when it has ended.
            has_ended = process.poll() is not None
            if selector.select(0 if has_ended else min(STEP, left)):
                chunk = os.read(process.stdout.fileno(), _CHUNK)
                printed += chunk
                if not chunk:
                    selector.unregister(process.stdout)
            elif has_ended:
                break
            if len(printed) > _MOST_BYTES:
                message = f"{program} has printed more than {_MOST_BYTES} bytes"
                raise PluginFailed(message)
    return bytes(printed)


def _parse(printed: bytes, version: str, program: str) -> dict[str, str]:
    try:
        credential = mapping(json.loads(printed))
    except (ValueError, RecursionError):
        credential = {}
    status = credential.get("status")
    is_credential = (credential.get("kind"), credential.get("apiVersion")) == (_KIND, version)
    if not is_credential or not isinstance(status, dict):
        message = f"{program} has printed no {_KIND} of {version}"
        raise PluginFailed(message)
    found = {key: value for key, value in status.items() if isinstance(value, str) and value}
    has_certificate = "clientCertificateData" in found
    if has_certificate != ("clientKeyData" in found) or not (has_certificate or "token" in found):
        message = f"{program} has printed neither a token nor a certificate with its key"
        raise PluginFailed(message)
    return found
