"""Certificates of an API server on loopback and of its client, made with openssl."""

import subprocess
from base64 import b64encode
from pathlib import Path
from typing import NamedTuple

from tests.tools.require import require

_SELF_SIGNED = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


class Certificate(NamedTuple):
    """Files of PEM: a certificate that vouches for itself, its key, and both."""

    certificate: Path
    key: Path
    both: Path


def make_certificate(folder: Path, name: str, password: str = "") -> Certificate:
    made = Certificate(*(folder / f"{name}.{kind}.pem" for kind in ("certificate", "key", "both")))
    protection = ("-passout", f"pass:{password}") if password else ("-nodes",)
    names = ("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
    command = [
        require("openssl"),
        *_SELF_SIGNED,
        *protection,
        *names,
        "-out",
        made.certificate,
        "-keyout",
        made.key,
    ]
    subprocess.run(command, check=True, capture_output=True)
    made.both.write_bytes(made.key.read_bytes() + made.certificate.read_bytes())
    return made


def encoded(file: Path) -> str:
    """Return the content of a file as a kubeconfig holds it."""
    return b64encode(file.read_bytes()).decode()
