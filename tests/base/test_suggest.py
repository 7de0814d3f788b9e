"""What is suggested for a name that does not exist."""

import pytest

from krm_fn.base.suggest import did_you_mean, nearest, suggest

LINKER = (
    "enabled",
    "secrets",
    "image",
    "timeoutSeconds",
    "minimumAgeSeconds",
    "ttlSecondsAfterFinished",
    "annotations",
)


def test_suggest() -> None:
    assert (
        suggest("renam", ["rename", "adopt"]) == '; did you mean "rename"? allowed: rename, adopt'
    )
    assert suggest("x", ["rename", "adopt"]) == "; allowed: rename, adopt"
    assert (
        suggest("image", ["jobs"], "spec.linker.image")
        == "; did you mean spec.linker.image? allowed: jobs"
    )


def test_did_you_mean() -> None:
    assert did_you_mean("x") == "; did you mean x?"
    assert did_you_mean("") == ""


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param("imgae", "image", id="two letters swapped"),
        pytest.param("timeout", "timeoutSeconds", id="the beginning"),
        pytest.param("ttl", "ttlSecondsAfterFinished", id="a beginning of few letters"),
        pytest.param(
            "age", "minimumAgeSeconds", id="a word in the middle, not letters of another word"
        ),
        pytest.param("minimum_age", "minimumAgeSeconds", id="words joined in another way"),
        pytest.param("en", "", id="two letters"),
        pytest.param("pruner", "", id="nothing like it"),
        pytest.param("", "", id="nothing at all"),
    ],
)
def test_nearest(found: str, expected: str) -> None:
    assert nearest(found, LINKER) == expected
