"""What the Dockerfile promises, and a build on one machine cannot show."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCKERFILE = "\n".join(
    line
    for line in (ROOT / "Dockerfile").read_text().splitlines()
    if not line.lstrip().startswith("#")
)
BASES = dict(re.findall(r"^ARG (BUILD|BASE)=(\S+)$", DOCKERFILE, re.MULTILINE))


def test_bases_are_named_by_digest() -> None:
    assert BASES.keys() == {"BUILD", "BASE"}
    assert [
        name
        for name in BASES.values()
        if not re.fullmatch(r"[^@]+:[^@]+@sha256:[0-9a-f]{64}", name)
    ] == []
    used = set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE))
    assert used == {"${BUILD}", "${BASE}", "scratch"}


def test_no_architecture_is_named() -> None:
    """Each stage is built for every platform of the image."""
    assert not re.search(r"amd64|x86_64|arm64|aarch64|--platform|TARGETARCH", DOCKERFILE)


def test_everything_from_outside_is_known_by_its_hash() -> None:
    fetches = re.findall(r"pip (?:install|download) (.*?)(?:\\?$)", DOCKERFILE, re.MULTILINE)
    assert len(fetches) == 2
    assert all("--require-hashes" in options for options in fetches)
    assert not re.search(r"\b(curl|wget|apt-get|apk|ADD)\b", DOCKERFILE)
