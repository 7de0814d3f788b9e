"""A credential plugin breaks at each of its calls.

No command succeeds in silence, and none shows a part of a token.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from tests.cases import FIXTURES
from tests.cli.process import fork
from tests.cli.test_programs import BEHAVIOURS, ENDLESS, WRAPPER
from tests.history.cases import read_objects
from tests.history.live_namespace import Cluster
from tests.linker.hostile_server import Handler, answer, hostile_server
from tests.linker.test_credentials import PACKAGE, V1
from tests.volume import IS_WHOLE, VOLUME, seed_of
from tests.wait import PATIENCE, ROOMY

TOKEN = "".join(f"t0ken-{number}." for number in range(40))
CREDENTIAL = json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": {"token": TOKEN}})
CANARY = FIXTURES / "histories/a-paused-canary/objects.yaml"

COMMANDS = {
    "link": ["link", "--set=web", "--dry-run"],
    "history": ["history"],
    "history of a fleet": ["history", "--context=*"],
    "diff --live": ["diff", "--live", "package.yaml"],
    "graph --live": ["graph", "--live"],
}
LIMITED = {"link", "history", "history of a fleet"}
"""The commands with an option for their time."""

CALLS = {"the first": 1, "the one after a token has expired": 2}


class Row(NamedTuple):
    command: str
    behaviour: str
    call: str


def _rows() -> list[Row]:
    """Return all at night, and a part in each run, but none that waits for 40 seconds."""
    rows = [
        Row(command, behaviour, call)
        for command in COMMANDS
        for behaviour, script in BEHAVIOURS.items()
        for call, number in CALLS.items()
        if script or number == 1  # a file without an interpreter is broken from the first call on
    ]
    if IS_WHOLE:
        return rows
    quick = [row for row in rows if row.behaviour not in ENDLESS or row.command in LIMITED]
    return sorted(Random(seed_of(0)).sample(quick, round(len(quick) * min(1, 2 * VOLUME))))


class Stage:
    """A folder with a kubeconfig and its plugin, before a server that refuses the first token if that is wanted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.refuses = False

    def run(self, command: str, behaviour: str, broken: int) -> subprocess.CompletedProcess[str]:
        script = BEHAVIOURS.get(behaviour, "exit 9")
        values = {"folder": str(self._folder), "real": str(self._folder / "real")}
        text = WRAPPER.format(behaviour=(script or "").format(**values), broken=broken, **values)
        plugin = self._folder / "plugin"
        plugin.write_text("#!/no/such/interpreter\n" if script is None and broken else text)
        plugin.chmod(0o755)
        (self._folder / "calls").write_text("")
        self.refuses = broken != 1
        environment = {
            **os.environ,
            "KUBECONFIG": str(self._folder / "kubeconfig"),
            "HOME": str(self._folder),
        }
        # With half a credential, some go on until their time is over. All others need no time.
        seconds = ROOMY if broken else PATIENCE
        limit = [f"--timeout={seconds}"] if command in LIMITED else []
        return fork([*COMMANDS[command], *limit], self._folder, environment)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    (tmp_path / "package.yaml").write_text(PACKAGE)
    (tmp_path / "real").write_text(f"#!/bin/sh\necho '{CREDENTIAL}'\n")
    (tmp_path / "real").chmod(0o755)
    made, cluster = Stage(tmp_path), Cluster(read_objects(CANARY))

    def behave(handler: Handler) -> None:
        if handler.headers.get("authorization") != f"Bearer {TOKEN}":
            answer(handler, {"message": "no token"}, 403)
        elif made.refuses:
            made.refuses = False
            answer(handler, {"message": "expired"}, 401)
        else:
            cluster.answer(handler)

    with hostile_server(behave, tmp_path) as kubeconfig:
        content = json.loads(kubeconfig.read_text())
        content["users"] = [
            {"name": "test", "user": {"exec": {"apiVersion": V1, "command": "./plugin"}}}
        ]
        kubeconfig.write_text(json.dumps(content))
        yield made


@pytest.mark.parametrize("command", COMMANDS)
def test_with_a_whole_plugin_each_command_succeeds(command: str, stage: Stage) -> None:
    done = stage.run(command, "", broken=0)
    assert done.returncode == 0, done


@pytest.mark.volume
@pytest.mark.parametrize("row", [pytest.param(row, id=", ".join(row)) for row in _rows()])
def test_no_command_succeeds_with_half_a_credential(row: Row, stage: Stage) -> None:
    done = stage.run(row.command, row.behaviour, CALLS[row.call])
    if (row.command, CALLS[row.call]) == ("link", 2):
        # It has begun, and goes on as when the API server goes away: with a warning, and without a
        # deletion. At the end of its time, it may be the plugin that is noticed first: an error.
        assert done.returncode in {0, 1}, done
        assert done.returncode == 1 or "warning: " in done.stderr, done
        assert (
            "no credentials for the API server: the credential plugin ./plugin " in done.stderr
        ), done
    else:
        assert done.returncode != 0, done
    assert "t0ken" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith(("error: ", "warning: ")), done
