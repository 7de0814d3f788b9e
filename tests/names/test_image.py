"""Which images a registry may have, by the grammar of distribution/reference, and of which version they are."""

import pytest

from krm_fn.base.settings import is_image, version_of

SHA256 = "sha256:" + "a" * 64

VALID = [
    ("krm-fn", ""),
    ("krm-fn:latest", ""),
    ("krm-fn:1.0", ""),
    ("krm-fn:0.2.0", "0.2.0"),
    ("krm-fn:v0.2.0", "0.2.0"),
    ("krm-fn:0.3.0-rc.1", "0.3.0-rc.1"),
    ("localhost:5000/krm-fn:0.2.0", "0.2.0"),
    ("Registry.Example/team/krm_fn__x---y:A.b-1", ""),
    ("[fd00::1]:5000/krm-fn", ""),
    (f"ghcr.io/krm-fn/krm-fn@{SHA256}", ""),
    (f"ghcr.io/krm-fn/krm-fn:0.2.0@{SHA256}", "0.2.0"),
    (f"a/{'b' * 253}", ""),
    ("a--b.0--c.d:80/e.f/g", ""),
]
INVALID = [
    "",
    "registry.example/Krm-Fn",
    "krm-fn:",
    "krm-fn:-a",
    "krm fn",
    " krm-fn",
    "krm-fn\n",
    "krm-fn:0.2.0\n",
    "https://registry.example/krm-fn",
    "registry.example//krm-fn",
    "registry.example/krm-fn/",
    "registry.-example/krm-fn",
    "registry-.example/krm-fn",
    "registry..example/krm-fn",
    "a/b.-c",
    "a/b./c",
    "krm-fn-",
    "krm___fn",
    "krm-fn@sha256:abc",
    f"krm-fn@{SHA256.upper()}",
    "krm-fn@md5:" + "a" * 32,
    f"krm-fn:{'a' * 129}",
    f"a/{'b' * 254}",
    "${IMAGE}",
    "ünïcode",
]


@pytest.mark.parametrize(("image", "version"), VALID)
def test_an_image(image: str, version: str) -> None:
    assert is_image(image)
    assert version_of(image) == version


@pytest.mark.parametrize("image", INVALID)
def test_no_image(image: str) -> None:
    assert not is_image(image)
    assert version_of(image) == ""
