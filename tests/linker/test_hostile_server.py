"""Whatever a server answers, a run ends soon after its deadline, with one line and without a traceback."""

import json
import os
import re
import signal
import subprocess
import sys
from gzip import compress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.process import fork
from tests.linker.hostile_server import Behaviour, Handler, answer, hang, hostile_server
from tests.linker.manifests import A, inventory, revision
from tests.linker.object_store import ObjectStore
from tests.wait import FOREVER, PATIENCE, SHORT, SLOWLY, lasting, linger, until_asleep

EMPTY: dict[str, Any] = {"metadata": {}, "items": []}


class Ended(NamedTuple):
    exit_code: int
    stdout: str
    stderr: str


def run_against(behaviour: Behaviour, folder: Path, timeout: int = SHORT) -> Ended:
    with hostile_server(behaviour, folder) as kubeconfig:
        environment = {"KUBECONFIG": str(kubeconfig), "HOME": str(folder)}
        done = fork(["link", "--set=web", f"--timeout={timeout}"], Path.cwd(), environment)
        return Ended(done.returncode, done.stdout, done.stderr)


def gone_on_every_continuation(handler: Handler) -> None:
    if "continue=" in handler.path:
        answer(handler, {"message": "the token has expired"}, 410)
    else:
        answer(handler, {"metadata": {"continue": "more"}, "items": []})


def drip(handler: Handler) -> None:
    """Announce a body, and send a byte of it every now and then."""
    handler.send_response_only(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        linger(SLOWLY)


def drip_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        handler.wfile.write(b"x")
        linger(SLOWLY)


def hang_up(handler: Handler) -> None:
    handler.send_response_only(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"items": [')


def redirect(handler: Handler) -> None:
    answer(handler, b"", 302, Location=handler.path)


def forget_patches(handler: Handler) -> None:
    """Show a revision without owners, and answer its patches with an empty object."""
    store = ObjectStore([inventory(A), revision(A)])
    is_list = handler.command == "GET" and "/configmaps" in handler.path
    answer(handler, {**EMPTY, "items": store.of_kind("ConfigMap") if is_list else []})


def send_a_bomb(handler: Handler) -> None:
    body = compress(b'{"items": [' + b" " * 300_000_000, 1)
    answer(handler, body, 200, **{"Content-Encoding": "gzip"})


def no_list(why: str) -> str:
    return (
        f"error: configmaps in shop: the answer is no list of them: {why}; is there a "
        f"proxy before the API server?\n"
    )


NO_JSON = "the response is no JSON object; is there a proxy before the API server?"
TIME_IS_OVER = f"incomplete when the time limit of {SHORT} s was over"
UNTIL_THE_DEADLINE = [
    pytest.param(
        gone_on_every_continuation,
        "cannot list: 410 the token has expired",
        id="410 on each continuation",
    ),
    pytest.param(drip, TIME_IS_OVER, id="a body that drips"),
    pytest.param(drip_headers, TIME_IS_OVER, id="headers that drip"),
    pytest.param(hang, TIME_IS_OVER, id="no answer"),
    pytest.param(hang_up, "no response from", id="a body that ends too early"),
    pytest.param(
        lambda handler: answer(handler, b"<html>Log in</html>"), NO_JSON, id="HTML with 200"
    ),
    pytest.param(lambda handler: answer(handler, []), NO_JSON, id="a list"),
    pytest.param(
        lambda handler: answer(handler, b"[" * 100_000), NO_JSON, id="JSON without an end"
    ),
    pytest.param(
        lambda handler: answer(handler, {"message": "busy"}, 503), "503 busy", id="503 for ever"
    ),
]


@pytest.mark.parametrize(("behaviour", "reason"), UNTIL_THE_DEADLINE)
def test_a_run_ends_with_its_deadline(behaviour: Behaviour, reason: str, tmp_path: Path) -> None:
    with lasting(SHORT):
        run = run_against(behaviour, tmp_path)
    # It says that it waits if a pause happens to last a second.
    *waits, failure = run.stderr.splitlines()
    assert run.exit_code == 1
    assert all(line.startswith("waiting for the API server ") for line in waits), run.stderr
    assert failure.startswith("error: ")
    assert reason in failure


@pytest.mark.rows(test=3)
@pytest.mark.parametrize(
    ("behaviour", "stderr"),
    [
        pytest.param(
            redirect,
            "error: configmaps in shop: cannot list: 302 without an explanation\n",
            id="a redirect, which is not followed",
        ),
        pytest.param(lambda handler: answer(handler, EMPTY, Date=""), "", id="no Date header"),
        pytest.param(
            lambda handler: answer(handler, EMPTY, Date="tomorrow"),
            "",
            id="a Date header without a date",
        ),
        pytest.param(
            lambda handler: answer(handler, {"metadata": None, "items": None}),
            "",
            id="null for everything",
        ),
        pytest.param(
            lambda handler: answer(handler, {}), no_list("it has no items"), id="an empty object"
        ),
        pytest.param(
            lambda handler: answer(handler, {"items": [None, 3, "x", [], {}]}),
            no_list("one of its items is no object of the kind"),
            id="no objects",
        ),
        pytest.param(
            lambda handler: answer(handler, {**EMPTY, "metadata": {"continue": 3}}),
            no_list("its metadata have another form"),
            id="a token that is no text",
        ),
        pytest.param(
            send_a_bomb,
            "error: configmaps in shop: the response has more than 10000000 bytes; "
            "is there a proxy before the API server?\n",
            id="a response that is small until it is decompressed",
        ),
        pytest.param(forget_patches, "", id="patches that are answered with nothing"),
    ],
)
def test_a_run_ends_at_once(behaviour: Behaviour, stderr: str, tmp_path: Path) -> None:
    run = run_against(behaviour, tmp_path, timeout=FOREVER)
    assert (run.exit_code, run.stderr) == (int(bool(stderr)), stderr)


ENDED = [
    pytest.param(signal.SIGINT, "interrupted", 130, id="Ctrl-C"),
    pytest.param(signal.SIGTERM, "terminated", 143, id="SIGTERM"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize(("sent", "how", "exit_code"), ENDED)
def test_a_run_says_which_server_is_busy_and_ends_at_once_when_told_to(
    sent: signal.Signals, how: str, exit_code: int, output: str, tmp_path: Path
) -> None:
    with hostile_server(
        lambda handler: answer(handler, {"message": "busy"}, 503), tmp_path
    ) as kubeconfig:
        process = subprocess.Popen(
            [sys.executable, "-m", "krm_fn", "link", "--set=web", f"--output={output}"],
            env={**os.environ, "KUBECONFIG": str(kubeconfig)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with process:
            assert process.stderr
            first = process.stderr.readline()
            until_asleep(process)
            process.send_signal(sent)
            try:
                stdout, stderr = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()  # else the end of `with` would wait for a process that did not stop
    assert re.fullmatch(
        r"waiting for the API server http://127.0.0.1:\d+, which answers 503 \(up to 2\d\d s\)\n",
        first,
    )
    assert stderr == f"error: {how}; completed changes are kept, run again to finish\n"
    assert process.returncode == exit_code
    assert (
        stdout.startswith("0 revisions in shop: ")
        if output == "text"
        else json.loads(stdout)["exitCode"] == exit_code
    )


def test_a_log_that_nobody_reads_ends_the_run(tmp_path: Path) -> None:
    with hostile_server(lambda handler: answer(handler, EMPTY), tmp_path) as kubeconfig:
        line = f'"{sys.executable}" -m krm_fn link --set=web >&-'
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
        done = subprocess.run(
            ["sh", "-c", line], env=environment, capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (
        1,
        "error: cannot write the output: Bad file descriptor\n",
    )
