"""Which names are taken for misspelled, and which for those of two objects."""

import time

import pytest

from krm_fn.base.suggest import differ_by_a_letter, find_near

MISSPELLED = [
    pytest.param("web-confg", "web-config", id="a letter too few"),
    pytest.param("web-coonfig", "web-config", id="a letter too many"),
    pytest.param("web-comfig", "web-config", id="a wrong letter"),
    pytest.param("web-cofnig", "web-config", id="two letters swapped"),
    pytest.param("web-confgi", "web-config", id="two letters swapped at the end"),
    pytest.param("web-settngis", "web-settings", id="a letter in another place"),
    pytest.param("webconfig", "web-config", id="a dash too few"),
    pytest.param("web-con-fig", "web-config", id="a dash too many"),
    pytest.param("web_config", "web-config", id="another separator"),
    pytest.param("Web-Config", "web-config", id="another case"),
    pytest.param("web-config ", "web-config", id="a blank at the end"),
    pytest.param("web-config\n", "web-config", id="the end of a line"),
    pytest.param("payemnts-config-v2", "payments-config-v2", id="beside a word with a digit"),
    pytest.param("web.exmaple.com", "web.example.com", id="between dots"),
]
OTHER_NAMES = [
    pytest.param("app-a", "app-b", id="one letter"),
    pytest.param("web-config-1", "web-config-2", id="a digit"),
    pytest.param("app-v1", "app-v2", id="a version"),
    pytest.param("shop1config", "shop2config", id="a digit within a word"),
    pytest.param("configs", "config", id="a plural"),
    pytest.param("web-secrets", "web-secret", id="a plural in a longer name"),
    pytest.param("auth", "oauth", id="a letter in front"),
    pytest.param("app-dev", "app-dex", id="short words"),
    pytest.param("web", "wbe", id="a short name"),
    pytest.param("db-reader", "db-writer", id="words that only end alike"),
    pytest.param("web-internal", "web-external", id="words of opposite meaning"),
    pytest.param("app-collector", "app-connector", id="words that begin and end alike"),
    pytest.param("web-consumer", "web-consumed", id="two forms of a word"),
    pytest.param("web-config", "api-config", id="another first word"),
    pytest.param("web-config", "web-config-extra", id="a word more"),
    pytest.param("web-confg-extar", "web-config-extra", id="two words"),
    pytest.param("web-config-mffg77kmb5", "web-config-hf678c7m2b", id="two hashes"),
    pytest.param("", "a", id="nothing"),
]


@pytest.mark.parametrize(("unknown", "known"), MISSPELLED)
def test_a_slip_of_the_hand(unknown: str, known: str) -> None:
    assert find_near([unknown], ["other", known]) == {unknown: known}


@pytest.mark.parametrize(("unknown", "known"), OTHER_NAMES)
def test_the_name_of_another_object(unknown: str, known: str) -> None:
    assert find_near([unknown], ["other", known]) == {}
    assert find_near([known], ["other", unknown]) == {}


def test_the_order_of_the_names_does_not_matter() -> None:
    """Of several that are near, one is chosen."""
    known = ["web-confix", "web-config", "web-confign"]
    assert (
        find_near(["web-confg"], known)
        == find_near(["web-confg"], known[::-1])
        == {"web-confg": "web-config"}
    )


@pytest.mark.parametrize(
    ("unknown", "known"),
    [
        pytest.param(
            [f"web-{number}-confg" for number in range(20_000)],
            [f"web-{number}-config" for number in range(20_000)],
            id="every name is near another one",
        ),
        pytest.param(
            ["-".join(["aaaaa"] * 100_000)],
            ["-".join(["aaaab"] * 100_000)],
            id="texts that are no names",
        ),
    ],
)
def test_the_time_is_bounded(unknown: list[str], known: list[str]) -> None:
    start = time.process_time()
    find_near(unknown, known)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("web-config-hf678c7m2", "web-config-hf678c7m2b", True),
        ("web-config-hf678c7m2bb", "web-config-hf678c7m2b", True),
        ("wxb-config-hf678c7m2b", "web-config-hf678c7m2b", True),
        ("", "a", True),
        ("web-config-hf678c7m2b", "web-config-hf678c7m2b", False),
        ("web-config-hf678c7mb2", "web-config-hf678c7m2b", False),
        ("web-config", "web-config-hf678c7m2b", False),
    ],
)
def test_one_letter(one: str, other: str, expected: bool) -> None:
    assert differ_by_a_letter(one, other) == differ_by_a_letter(other, one) == expected
