"""A client of the YAML language server that editors use.

It speaks the Language Server Protocol over stdio.

https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
"""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from tests.wait import PATIENCE

PROGRAM = Path("node_modules/yaml-language-server/bin/yaml-language-server")
SETTINGS = {
    "yaml": {
        "validate": True,
        "hover": True,
        "completion": True,
        "schemaStore": {"enable": False},  # it would be fetched
        "kubernetesCRDStore": {"enable": False},
    }
}


class LanguageServer:
    """A running server. Documents are named by their URIs."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._received: Queue[dict[str, Any]] = Queue()
        self._diagnostics: dict[str, list[dict[str, Any]]] = {}
        self._number = 0
        Thread(target=self._read, daemon=True).start()

    def start(self) -> None:
        workspace = {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}
        document = {
            "completion": {
                "completionItem": {"documentationFormat": ["markdown"], "snippetSupport": True}
            }
        }
        capabilities = {"workspace": workspace, "textDocument": document}
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self._tell("initialized", {})
        self._tell("workspace/didChangeConfiguration", {"settings": SETTINGS})

    def open(self, uri: str, text: str) -> list[str]:
        """Open a document, and return what is wrong in it: `2: message`, with the line from 1."""
        self._diagnostics.pop(uri, None)
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})
        while uri not in self._diagnostics:
            self._handle(self._received.get(timeout=PATIENCE))
        found = self._diagnostics[uri]
        return [f"{one['range']['start']['line'] + 1}: {one['message']}" for one in found]

    def complete(self, uri: str, line: int, column: int) -> dict[str, str]:
        """Return what is offered at a place, each with its documentation."""
        offered = self.ask("textDocument/completion", _place(uri, line, column))
        items = offered["items"] if isinstance(offered, dict) else offered
        return {one["label"]: str(one.get("documentation", "")) for one in items}

    def hover(self, uri: str, line: int, column: int) -> str:
        shown = self.ask("textDocument/hover", _place(uri, line, column))
        return str(shown["contents"]["value"]) if shown else ""

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self._received.get(timeout=PATIENCE)
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self._handle(message)

    def _handle(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method == "textDocument/publishDiagnostics":
            self._diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif method == "workspace/configuration":
            wanted = [SETTINGS.get(one.get("section")) for one in message["params"]["items"]]
            self._send({"id": message["id"], "result": wanted})
        elif "id" in message and method:
            self._send({"id": message["id"], "result": None})

    def _tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while header := self._process.stdout.readline():
            length = int(header.split(b":")[1])
            while self._process.stdout.readline().strip():
                pass
            self._received.put(json.loads(self._process.stdout.read(length)))


def _place(uri: str, line: int, column: int) -> dict[str, Any]:
    """Return a place whose line and column count from 1."""
    return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column - 1}}


@contextlib.contextmanager
def language_server(folder: Path) -> Iterator[LanguageServer]:
    """Start the server that is installed in this folder."""
    command = ["node", str(folder / PROGRAM), "--stdio"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            server = LanguageServer(process)
            server.start()
            yield server
        finally:
            process.kill()
