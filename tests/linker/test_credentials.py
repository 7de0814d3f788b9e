"""Credentials are read within the deadline, and nothing that is printed shows any of them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import pytest
from kubernetes.client import Configuration
from kubernetes.config.kube_config import KubeConfigMerger

from krm_fn.linker import credentials
from krm_fn.linker.credentials import Access, NoCredentials, load_credentials
from krm_fn.linker.retry import Deadline
from tests.cli.process import fork
from tests.linker.hostile_server import Handler, answer, hostile_server
from tests.wait import A_MOMENT, FOREVER, PATIENCE, SHORT, out_of_time_with, until_dead, until_there

TOKEN = "eyJhbGciOiJSUzI1NiJ9.c2VjcmV0.not-to-be-printed"  # noqa: S105  # of a test
SECRET = "not-to-be-printed"  # noqa: S105  # as above
V1 = "client.authentication.k8s.io/v1"
EMPTY: dict[str, Any] = {"metadata": {}, "items": []}
PACKAGE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\ndata: {a: b}\n"

LIMIT = f"--timeout={FOREVER}"
COMMANDS = {
    "link": ["link", "--set=web", LIMIT],
    "history": ["history", LIMIT],
    "history of a fleet": ["history", LIMIT, "--context=*"],
    "diff --live": ["diff", "--live", "package.yaml"],
}

BOMB = "\n".join(
    ["l0: &l0 [l]", *(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10))]
)
"""Nine levels of aliases: 400 million values."""
PLACES_OF_BOMBS = ["namespace", "token", "command", "server", "current-context"]


class Ended(NamedTuple):
    exit_code: int
    printed: str


class Place(NamedTuple):
    """A folder with a kubeconfig, and the Authorization headers that its server was sent."""

    folder: Path
    headers: list[str]

    def write_user(self, user: Mapping[str, Any]) -> None:
        path = self.folder / "kubeconfig"
        content = json.loads(path.read_text())
        content["users"] = [{"name": "test", **user}]
        path.write_text(json.dumps(content))

    def load(self, seconds: float = PATIENCE) -> Configuration:
        return load_credentials(
            Access(str(self.folder / "kubeconfig")), Deadline(seconds, Event())
        ).configuration

    def run(self, command: str) -> Ended:
        environment = {
            **os.environ,
            "KUBECONFIG": str(self.folder / "kubeconfig"),
            "HOME": str(self.folder),
        }
        done = fork(COMMANDS[command], self.folder, environment)
        return Ended(done.returncode, done.stdout + done.stderr)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    headers: list[str] = []

    def record(handler: Handler) -> None:
        headers.append(handler.headers.get("authorization", ""))
        answer(handler, EMPTY)

    (tmp_path / "package.yaml").write_text(PACKAGE)
    with hostile_server(record, tmp_path):
        yield Place(tmp_path, headers)


def plugin(script: str, **more: Any) -> dict[str, Any]:
    """Return a user whose credentials a shell script prints."""
    return {"user": {"exec": {"apiVersion": V1, "command": "sh", "args": ["-c", script], **more}}}


def credential(**status: str) -> str:
    return json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": status})


def printing(text: str) -> dict[str, Any]:
    return plugin('printf %s "$PRINTED"', env=[{"name": "PRINTED", "value": text}])


TRIMMED = {
    "a token": {"user": {"token": TOKEN}},
    "a block text": {"user": {"token": f"{TOKEN}\n"}},
    "a file that ends in a line break": {"user": {"tokenFile": "token"}},
    "a plugin that prints a line break": printing(credential(token=f"{TOKEN}\r\n")),
    "a plugin in the folder of the kubeconfig": {
        "user": {"exec": {"apiVersion": V1, "command": "./plugin"}}
    },
    "a plugin that leaves something running": plugin(
        f"sleep {FOREVER} & echo '{credential(token=TOKEN)}'"
    ),
    "a plugin that closes its stdout first": plugin(
        f"echo '{credential(token=TOKEN)}'; exec >&-; sleep {A_MOMENT}"
    ),
    "a plugin that prints a token and a certificate": printing(
        credential(token=TOKEN, clientCertificateData="c", clientKeyData="k")
    ),
}


@pytest.mark.parametrize("user", [pytest.param(user, id=claim) for claim, user in TRIMMED.items()])
def test_a_token_is_used_without_the_white_space_around_it(
    user: dict[str, Any], place: Place
) -> None:
    (place.folder / "token").write_text(f"{TOKEN}\n")
    program = place.folder / "plugin"
    program.write_text(f"#!/bin/sh\necho '{credential(token=TOKEN)}'\n")
    program.chmod(0o700)
    place.write_user(user)
    assert place.load().api_key == {"BearerToken": f"Bearer {TOKEN}"}


HTTP = "the token has a character that HTTP cannot carry"
NO_CREDENTIAL = f"the credential plugin sh has printed no ExecCredential of {V1}"
NEITHER = "the credential plugin sh has printed neither a token nor a certificate with its key"
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a line break within a token": ({"user": {"token": f"a\n{TOKEN}"}}, HTTP),
    "a line break within a file": ({"user": {"tokenFile": "lines"}}, HTTP),
    "a line break within what a plugin prints": (printing(credential(token=f"{TOKEN}\nb")), HTTP),
    "a NUL": ({"user": {"token": f"{TOKEN}\0"}}, HTTP),
    "a letter that is not of ASCII": ({"user": {"token": f"{TOKEN}ł"}}, HTTP),
    "white space alone": ({"user": {"token": " \n"}}, "the token is empty"),
    "a password that is no Latin-1": (
        {"user": {"username": "a", "password": f"{SECRET}ł"}},
        "(UnicodeEncodeError)",
    ),
    "a password that is a number": ({"user": {"username": "a", "password": 5}}, "(TypeError)"),
    "a file that is not there": (
        {"user": {"tokenFile": TOKEN}},
        "tokenFile of the user: No such file or directory",
    ),
    "a key in place of a file": (
        {"user": {"client-key": f"-----BEGIN//{SECRET}-----", "client-certificate": "token"}},
        "client-key of the user: No such file or directory",
    ),
    "a user without the field `user`": ({"token": TOKEN}, "Expected key user in users[name=test]"),
    "an OpenID provider without a token": (
        {"user": {"auth-provider": {"name": "oidc", "config": {"client-secret": SECRET}}}},
        "Expected key id-token in users[name=test]",
    ),
    "a provider with a command": (
        {
            "user": {
                "auth-provider": {
                    "name": "gcp",
                    "config": {"cmd-path": "sleep", "cmd-args": SECRET},
                }
            }
        },
        "auth-provider with a cmd-path has gone from kubectl 1.26",
    ),
    "a plugin that is not there": (
        {"user": {"exec": {"apiVersion": V1, "command": "no-such-plugin", "args": [SECRET]}}},
        "the credential plugin no-such-plugin cannot be run: No such file or directory",
    ),
    "a plugin that fails": (
        plugin(f"echo {SECRET}; echo {SECRET} >&2; exit 3"),
        "the credential plugin sh failed with exit code 3; run `kubectl auth whoami` to see what it says",
    ),
    "a plugin that is killed": (
        plugin("kill -9 $$"),
        "the credential plugin sh failed with exit code -9",
    ),
    "a plugin that prints half": (printing(credential(token=TOKEN)[:-9]), NO_CREDENTIAL),
    "a plugin that prints nothing": (plugin("true"), NO_CREDENTIAL),
    "a plugin that prints a text": (printing(TOKEN), NO_CREDENTIAL),
    "a plugin that prints a list": (printing(f'["{TOKEN}"]'), NO_CREDENTIAL),
    "a plugin that prints another version": (
        printing(credential(token=TOKEN).replace("/v1", "/v1beta1")),
        NO_CREDENTIAL,
    ),
    "a plugin that prints too much": (
        plugin("yes not-to-be-printed"),
        "the credential plugin sh has printed more than 1000000 bytes",
    ),
    "a plugin that prints no token": (printing(credential()), NEITHER),
    "a plugin that prints a key alone": (
        printing(credential(token=TOKEN, clientKeyData=SECRET)),
        NEITHER,
    ),
}
TOO_LATE = f"the credential plugin sh has printed no credentials within {SHORT} s"
ENDLESS: dict[str, tuple[dict[str, Any], str]] = {
    "a plugin that hangs": (plugin(f"echo {SECRET}; sleep {FOREVER}"), TOO_LATE),
    "a plugin that ignores SIGTERM": (
        plugin(f"trap '' TERM INT HUP; sleep {FOREVER}"),
        TOO_LATE,
    ),
    "a pipe that nobody writes": (
        {"user": {"tokenFile": "pipe"}},
        f"reading them is incomplete after {SHORT} s",
    ),
}


@pytest.mark.parametrize(
    ("user", "reason", "seconds"),
    [
        *(pytest.param(*row, PATIENCE, id=claim) for claim, row in REFUSED.items()),
        *(pytest.param(*row, SHORT, id=claim) for claim, row in ENDLESS.items()),
    ],
)
def test_what_cannot_be_used_is_an_error_that_shows_nothing_of_it(
    user: dict[str, Any],
    reason: str,
    seconds: float,
    place: Place,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (place.folder / "lines").write_text(f"{TOKEN}\n{TOKEN}\n")
    (place.folder / "token").write_text(TOKEN)
    os.mkfifo(place.folder / "pipe")
    place.write_user(user)
    with pytest.raises(NoCredentials) as caught:
        place.load(seconds)
    assert reason in str(caught.value)
    assert SECRET not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_it_in_a_line(command: str, place: Place) -> None:
    place.write_user({"user": {"token": f"a\n{TOKEN}"}})
    ran = place.run(command)
    assert SECRET not in ran.printed
    assert "Traceback" not in ran.printed
    assert HTTP in ran.printed
    assert (
        ran.exit_code
        == {"link": 1, "history": 1, "history of a fleet": 3, "diff --live": 2}[command]
    )


@pytest.mark.parametrize("command", ["link", "history", "history of a fleet"])
def test_a_plugin_ends_with_the_deadline_and_so_does_what_it_has_started(
    command: str, place: Place
) -> None:
    place.write_user(
        plugin(
            f"trap '' TERM; sh -c 'trap \"\" TERM; sleep {FOREVER}' & "
            "echo $! $$ > new; mv new started; wait"
        )
    )
    started, late = place.folder / "started", place.folder / "late"
    with subprocess.Popen(
        [*out_of_time_with(late), *COMMANDS[command]],
        cwd=place.folder,
        env={**os.environ, "KUBECONFIG": str(place.folder / "kubeconfig")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        until_there(started, process)
        late.touch()
        printed, _ = process.communicate(timeout=PATIENCE)
    assert f"the credential plugin sh has printed no credentials within {FOREVER} s" in printed
    until_dead(*map(int, started.read_text().split()))


@pytest.mark.parametrize("command", ["link", "history", "history of a fleet"])
def test_ctrl_c_ends_a_plugin(command: str, place: Place) -> None:
    place.write_user(plugin(f"echo $$ > plugin.new; mv plugin.new plugin; sleep {FOREVER}"))
    with subprocess.Popen(
        [sys.executable, "-m", "krm_fn", *COMMANDS[command]],
        cwd=place.folder,
        env={**os.environ, "KUBECONFIG": str(place.folder / "kubeconfig")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            until_there(place.folder / "plugin", process)
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 130
        finally:
            process.kill()
    until_dead(int((place.folder / "plugin").read_text()))


def test_a_token_that_a_server_sends_back_is_not_shown(tmp_path: Path) -> None:
    def echo(handler: Handler) -> None:
        answer(handler, {"message": f"what is {handler.headers['authorization']}?"}, 400)

    with hostile_server(echo, tmp_path):
        place = Place(tmp_path, [])
        place.write_user({"user": {"token": TOKEN}})
        ran = place.run("link")
    assert "cannot list: 400 what is Bearer ...?" in ran.printed
    assert SECRET not in ran.printed


def test_a_plugin_is_told_what_kubectl_tells_it(place: Place) -> None:
    path = place.folder / "kubeconfig"
    content = json.loads(path.read_text())
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}
    content["clusters"][0]["cluster"]["extensions"] = [extension]
    path.write_text(json.dumps(content))
    script = f"printf %s \"$KUBERNETES_EXEC_INFO\" > told; echo '{credential(token=TOKEN)}'"
    place.write_user(plugin(script, provideClusterInfo=True, interactiveMode="IfAvailable"))
    assert place.run("link").exit_code == 0
    server = content["clusters"][0]["cluster"]["server"]
    assert json.loads((place.folder / "told").read_text()) == {
        "apiVersion": V1,
        "kind": "ExecCredential",
        "spec": {"interactive": False, "cluster": {"server": server, "config": {"audience": "a"}}},
    }


def test_a_plugin_is_asked_again_for_a_token_that_has_expired(tmp_path: Path) -> None:
    tokens: list[str] = []

    def refuse_the_first(handler: Handler) -> None:
        tokens.append(handler.headers["authorization"])
        if len(set(tokens)) == 1:
            answer(handler, {"message": "expired"}, 401)
        else:
            answer(handler, EMPTY)

    with hostile_server(refuse_the_first, tmp_path):
        place = Place(tmp_path, [])
        place.write_user(
            plugin(
                f"echo x >> runs; n=$(wc -l < runs); echo '{credential(token=TOKEN)}' | sed s/printed/printed$((n))/"
            )
        )
        assert place.run("link").exit_code == 0
    assert [*dict.fromkeys(tokens)] == [f"Bearer {TOKEN}1", f"Bearer {TOKEN}2"]


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        pytest.param(
            printing(credential(clientCertificateData="a certificate", clientKeyData=SECRET)),
            "no credentials for the API server: the client certificate and its key in the kubeconfig do not fit",
            id="of a plugin",
        ),
        pytest.param(
            {"user": {"client-certificate-data": "YQ==", "client-key-data": f"{SECRET}!"}},
            "no credentials for the API server: the client cannot read them (Error)",
            id="that is no base64",
        ),
    ],
)
def test_a_certificate_that_cannot_be_used(
    user: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    place = Place(tmp_path, [])
    with hostile_server(lambda handler: answer(handler, EMPTY), tmp_path):
        path = tmp_path / "kubeconfig"
        path.write_text(path.read_text().replace("http://", "https://"))
        place.write_user(user)
        ran = place.run("link")
    assert reason in ran.printed
    assert ran.printed.count("\n") <= 3
    assert SECRET not in ran.printed
    assert "Traceback" not in ran.printed


def test_a_kubeconfig_that_cannot_be_written_stays_and_leaves_no_copy_of_its_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_merger: KubeConfigMerger, path: str) -> None:
        Path(path).write_text("token: half")
        raise OSError(28, "No space left on device")

    file = tmp_path / "config"
    file.write_text("apiVersion: v1\nkind: Config\n")
    monkeypatch.setattr(KubeConfigMerger, "save_config", fail)
    merger: Any = credentials._Merger  # noqa: SLF001  # the client calls it, and says nothing of types
    files = merger(str(file))
    with pytest.raises(OSError, match="No space left"):
        files.save_config(str(file))
    assert {path: path.read_text() for path in tmp_path.iterdir()} == {
        file: "apiVersion: v1\nkind: Config\n"
    }


@pytest.mark.parametrize("field", PLACES_OF_BOMBS)
@pytest.mark.parametrize("command", COMMANDS)
def test_aliases_that_stand_for_millions_of_values_take_no_time(
    command: str, field: str, place: Place
) -> None:
    values = {one: "*l9" if one == field else "a" for one in PLACES_OF_BOMBS}
    (place.folder / "kubeconfig").write_text(
        f"""{BOMB}
current-context: {values["current-context"]}
contexts: [{{name: a, context: {{cluster: a, user: a, namespace: {values["namespace"]}}}}}]
clusters: [{{name: a, cluster: {{server: {values["server"]}}}}}]
users: [{{name: a, user: {{token: {values["token"]}, exec: {{command: {values["command"]}}}}}}}]
"""
    )
    ended = place.run(command)
    assert ended.exit_code != 0
    assert "its aliases stand for more than 100,000 values" in ended.printed
