"""Certificates and keys of a kubeconfig are used, and are in no file but the user's own."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.process import fork
from tests.linker.certificates import encoded, make_certificate
from tests.linker.hostile_server import Handler, answer, hostile_server
from tests.linker.test_credentials import COMMANDS, LIMIT, PACKAGE, V1, credential
from tests.wait import SHORT

REMARKS = b"# a remark, and an umlaut: \xc3\xa4\n" * 8_000
"""More than a pipe holds."""


class Place(NamedTuple):
    """A folder with certificates and a kubeconfig, and the names of the clients that its server has seen."""

    folder: Path
    seen: list[str]

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    def write(self, user: dict[str, Any], authority: dict[str, Any]) -> None:
        path = self.folder / "kubeconfig"
        content = json.loads(path.read_text())
        content["users"] = [{"name": "test", "user": user}]
        content["clusters"][0]["cluster"] = {
            "server": content["clusters"][0]["cluster"]["server"],
            **authority,
        }
        path.write_text(
            re.sub("<(.*?)>", lambda found: encoded(self.folder / found[1]), json.dumps(content))
        )

    def run(self, command: str, limit: str = LIMIT) -> tuple[int, str]:
        own = {
            "KUBECONFIG": str(self.folder / "kubeconfig"),
            "HOME": str(self.folder),
            "TMPDIR": str(self.temporary),
        }
        arguments = [limit if one == LIMIT else one for one in COMMANDS[command]]
        done = fork(arguments, self.folder, {**os.environ, **own})
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    seen: list[str] = []

    def record(handler: Handler) -> None:
        connection: Any = handler.connection
        seen.append(str(dict(one[0] for one in connection.getpeercert()["subject"])["commonName"]))
        answer(handler, {"metadata": {}, "items": []})

    server, client = make_certificate(tmp_path, "server"), make_certificate(tmp_path, "client")
    make_certificate(tmp_path, "protected", "a password")
    for kind, certificate in (("remarks", client), ("server.remarks", server)):
        (tmp_path / f"{kind}.pem").write_bytes(REMARKS + certificate.certificate.read_bytes())
    printed = credential(
        clientCertificateData=client.certificate.read_text(), clientKeyData=client.key.read_text()
    )
    (tmp_path / "printed").write_text(printed)
    (tmp_path / "package.yaml").write_text(PACKAGE)
    (tmp_path / "temporary").mkdir()
    with hostile_server(record, tmp_path, server.both, client.certificate):
        yield Place(tmp_path, seen)


DATA = {
    "client-certificate-data": "<client.certificate.pem>",
    "client-key-data": "<client.key.pem>",
}
FILES = {"client-certificate": "client.certificate.pem", "client-key": "client.key.pem"}
USERS: dict[str, dict[str, Any]] = {
    "both are in it": DATA,
    "both are in files": FILES,
    "the key is in a file": {
        "client-certificate-data": DATA["client-certificate-data"],
        "client-key": FILES["client-key"],
    },
    "the certificate is in a file": {
        "client-certificate": FILES["client-certificate"],
        "client-key-data": DATA["client-key-data"],
    },
    "what is in it comes before files": {
        **DATA,
        "client-certificate": "server.certificate.pem",
        "client-key": "server.key.pem",
    },
    "a certificate with many remarks": {**DATA, "client-certificate-data": "<remarks.pem>"},
    "a plugin prints both": {"exec": {"apiVersion": V1, "command": "cat", "args": ["printed"]}},
}
"""Users. `<file>` stands for the content of a file, as a kubeconfig holds it."""

IN_IT = {"certificate-authority-data": "<server.certificate.pem>"}
AUTHORITIES = {
    "in it": IN_IT,
    "in it, with remarks": {"certificate-authority-data": "<server.remarks.pem>"},
    "in a file": {"certificate-authority": "server.certificate.pem"},
    "not wanted": {"insecure-skip-tls-verify": True},
}


@pytest.mark.needs("openssl")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_leaves_no_file(command: str, place: Place) -> None:
    place.write(DATA, IN_IT)
    code, printed = place.run(command)
    assert {*place.seen} == {"client"}, printed
    assert code in {0, 1}  # there are no revisions
    assert not [*place.temporary.iterdir()]


@pytest.mark.needs("openssl")
@pytest.mark.parametrize("user", [pytest.param(user, id=claim) for claim, user in USERS.items()])
def test_the_certificate_is_that_of_the_kubeconfig(user: dict[str, Any], place: Place) -> None:
    place.write(user, IN_IT)
    code, printed = place.run("link")
    assert (code, {*place.seen}) == (0, {"client"}), printed
    assert not [*place.temporary.iterdir()]


@pytest.mark.needs("openssl")
@pytest.mark.parametrize(
    "authority", [pytest.param(row, id=claim) for claim, row in AUTHORITIES.items()]
)
def test_the_authority_is_that_of_the_kubeconfig(authority: dict[str, Any], place: Place) -> None:
    place.write(DATA, authority)
    code, printed = place.run("link")
    assert (code, {*place.seen}) == (0, {"client"}), printed
    assert not [*place.temporary.iterdir()]


UNFIT = "the client certificate and its key in the kubeconfig do not fit together, or are none"
REFUSED = {
    "the key of another certificate": (
        {**DATA, "client-key-data": "<server.key.pem>"},
        IN_IT,
        UNFIT,
    ),
    "a key that a password protects": (
        {**DATA, "client-key-data": "<protected.key.pem>"},
        IN_IT,
        UNFIT,
    ),
    "no certificate": ({**DATA, "client-certificate-data": "<package.yaml>"}, IN_IT, UNFIT),
    "no key": ({"client-certificate-data": DATA["client-certificate-data"]}, IN_IT, UNFIT),
    "another authority": (
        DATA,
        {"certificate-authority-data": "<client.certificate.pem>"},
        "CERTIFICATE_VERIFY_FAILED",
    ),
    "no authority": (DATA, {}, "CERTIFICATE_VERIFY_FAILED"),
}


@pytest.mark.needs("openssl")
@pytest.mark.parametrize(
    ("user", "authority", "reason"), [pytest.param(*row, id=name) for name, row in REFUSED.items()]
)
def test_what_does_not_fit_is_said(
    user: dict[str, Any], authority: dict[str, Any], reason: str, place: Place
) -> None:
    place.write(user, authority)
    # The linker asks again until its deadline: a mistake may be mended meanwhile.
    _, printed = place.run("link", f"--timeout={SHORT}")
    assert reason in printed
    assert not place.seen
    assert "PRIVATE KEY" not in printed
    assert not [*place.temporary.iterdir()]
