"""Measure the linker's memory in namespaces that hold much: `python -m benchmarks.large_objects`.

A server on loopback sends the objects, so that no control plane has to store them. It sends pages
of as many objects as the linker asks for.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from tests.linker.hostile_server import DATE, Handler, hostile_server

LIMIT = 150
"""MiB, whatever a namespace holds."""

Object = dict[str, Any]


class Namespace(NamedTuple):
    """A namespace with many objects of one kind; `make` builds the one of this number."""

    what: str
    plural: str
    objects: int
    make: Callable[[int], Object]


def main() -> None:
    """Print a table in Markdown."""
    print("| namespace | at most, MiB | measured | |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for namespace in NAMESPACES:
            peak = measure(namespace, Path(folder))
            print(
                f"| {namespace.what} | {LIMIT} | {peak:.0f} | {'met' if peak <= LIMIT else 'missed'} |",
                flush=True,
            )


def measure(namespace: Namespace, folder: Path) -> float:
    """Return the peak memory of a run, in MiB. The run must have read the whole namespace."""
    served: set[int] = set()
    with hostile_server(
        lambda handler: served.update(_serve(handler, namespace)), folder
    ) as kubeconfig:
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
        command = [sys.executable, "-m", "krm_fn", "link", "--set=shop"]
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert (process.returncode, len(served)) == (0, namespace.objects)
        return usage.ru_maxrss / 1024


def _serve(handler: Handler, namespace: Namespace) -> range:
    """Send a page, one object at a time: this process must need less memory than the linker.

    Returns the numbers of the objects that were sent whole.
    """
    where = urlsplit(handler.path)
    query = {name: values[0] for name, values in parse_qs(where.query).items()}
    count = namespace.objects if where.path.endswith(f"/{namespace.plural}") else 0
    start = int(query.get("continue", 0))
    end = min(start + int(query["limit"]), count)
    following = str(end) if end < count else ""
    handler.send_response_only(200)
    for name, value in {**DATE, "Connection": "close"}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(f'{{"metadata": {{"continue": "{following}"}}, "items": ['.encode())
    for number in range(start, end):
        separator = b"," if number > start else b""
        handler.wfile.write(separator + json.dumps(namespace.make(number)).encode())
    handler.wfile.write(b"]}")
    return range(start, end)


def _revision(number: int, **annotations: str) -> Object:
    hashed = "".join("bcdfghkmt2"[int(digit)] for digit in f"{number:010}")
    metadata = {
        "name": f"config-{hashed}",
        "uid": f"00000000-0000-0000-0000-{number:012}",
        "resourceVersion": "1",
        "creationTimestamp": "2026-05-01T12:00:00Z",
        "labels": {"revisions.krm-fn.io/set": "shop"},
        "annotations": {"revisions.krm-fn.io/base-name": "config", **annotations},
        "ownerReferences": [],
    }
    return {"metadata": metadata}


def _annotated(number: int) -> Object:
    return _revision(number, large="some words of text " * (250_000 // 19))


def _controller_revision(number: int) -> Object:
    data = {"spec": {"template": {"large": "some words of text " * (1_000_000 // 19)}}}
    return {"metadata": {"name": f"web-{number}", "uid": f"{number:036}"}, "data": data}


NAMESPACES = (
    Namespace("500 revisions with 250 KB of annotations", "configmaps", 500, _annotated),
    Namespace("500 ControllerRevisions of 1 MB", "controllerrevisions", 500, _controller_revision),
    Namespace("50,000 revisions", "configmaps", 50_000, _revision),
)


if __name__ == "__main__":
    main()
