"""Files by which programs know the cluster and themselves."""

import json
from pathlib import Path

from tests.cluster.server import Server


def write_kubeconfig(path: Path, server: Server, *, token: str, namespace: str) -> Path:
    """One with this token and nothing else to be known by."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "bench",
        "clusters": [
            {"name": "bench", "cluster": {"server": server.url, "certificate-authority": str(server.certificate)}}
        ],
        "users": [{"name": "bench", "user": {"token": token}}],
        "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench", "namespace": namespace}}],
    }
    return write_private(path, json.dumps(content))


def write_private(path: Path, text: str) -> Path:
    """Tokens are for their owner alone, even those of a test."""
    path.touch(mode=0o600)
    path.write_text(text)
    return path
