"""Renovate finds the image of krm-fn wherever the examples name it."""

import json
import re
from pathlib import Path

import pytest

from krm_fn import __version__

ROOT = Path(__file__).parent.parent.parent
CONFIGURATION = json.loads((ROOT / "examples/renovate/renovate.json").read_text())
(MANAGER,) = CONFIGURATION["customManagers"]
(MATCH,) = (re.compile(text.replace("(?<", "(?P<")) for text in MANAGER["matchStrings"])
FILES = [re.compile(pattern.strip("/")) for pattern in MANAGER["managerFilePatterns"]]
DIGEST = f"sha256:{'0' * 64}"
NAMED = [
    path
    for path in sorted((ROOT / "examples").rglob("*"))
    if path.suffix in (".yaml", ".yml") and re.search("image: .*/krm-fn:", path.read_text())
]


@pytest.mark.parametrize("path", NAMED, ids=lambda path: str(path.relative_to(ROOT)))
def test_it_finds_the_image_of_an_example(path: Path) -> None:
    assert any(pattern.search(str(path)) for pattern in FILES)
    assert {found["currentValue"] for found in MATCH.finditer(path.read_text())} == {__version__}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        pytest.param(
            "image: ghcr.io/krm-fn/krm-fn:0.2.0",
            ("ghcr.io/krm-fn/krm-fn", "0.2.0", None),
            id="a version",
        ),
        pytest.param(
            f"  image: ghcr.io/krm-fn/krm-fn:0.2.0@{DIGEST}  # by digest",
            ("ghcr.io/krm-fn/krm-fn", "0.2.0", DIGEST),
            id="a version and a digest",
        ),
        pytest.param(
            'linker: {image: "registry.example:5000/tools/krm-fn:1.0.0"}',
            ("registry.example:5000/tools/krm-fn", "1.0.0", None),
            id="a registry with a port, in flow style",
        ),
    ],
)
def test_it_reads_a_line(line: str, found: tuple[str, str, str | None]) -> None:
    match = MATCH.search(line)
    assert match
    assert (match["depName"], match["currentValue"], match["currentDigest"]) == found


@pytest.mark.parametrize(
    "line",
    ["image: registry.example/web:1.0", "image: registry.example/not-krm-fn:1.0", "image: krm-fn"],
)
def test_it_leaves_other_images_alone(line: str) -> None:
    assert not MATCH.search(line)


def test_there_are_examples() -> None:
    assert len(NAMED) >= 5
