"""Write kubeconfig files."""

import json
from pathlib import Path

from tests.cluster.server import Server


def write_kubeconfig(path: Path, server: Server, *, token: str, namespace: str) -> Path:
    """Write a kubeconfig with this token as the only credential."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [
            {
                "name": "test",
                "cluster": {"server": server.url, "certificate-authority": str(server.certificate)},
            }
        ],
        "users": [{"name": "test", "user": {"token": token}}],
        "contexts": [
            {"name": "test", "context": {"cluster": "test", "user": "test", "namespace": namespace}}
        ],
    }
    return write_private(path, json.dumps(content))


def write_private(path: Path, text: str) -> Path:
    """Write a file that only its owner can read."""
    path.touch(mode=0o600)
    path.write_text(text)
    return path
