"""The names of an object."""

import re

import pytest

from krm_fn.base.item import Item, read_item
from krm_fn.base.keys import BASE_NAME, SET_NAME
from krm_fn.base.node import is_mapping
from krm_fn.core.names.names import base_name, names_of, set_name
from krm_fn.core.yaml.reader import read_yaml

OWN_HASH = "4h2mbtbbt6"
OTHER_HASH = "5t7h9k2b4c"


def config(name: str, base: str = "") -> Item:
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata: {{a: b}}\n"
    root = read_yaml(text.encode()).roots[0]
    assert is_mapping(root)
    item = read_item(root)
    return Item(item.node, item.id, {BASE_NAME: base} if base else {}, item.labels)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        pytest.param(config("app"), "app", id="a plain name"),
        pytest.param(config(f"app-{OWN_HASH}"), "app", id="its own hash comes off"),
        pytest.param(
            config(f"app-{OTHER_HASH}"), f"app-{OTHER_HASH}", id="what only looks like a hash stays"
        ),
        pytest.param(
            config(f"app-{OTHER_HASH}", "app"), "app", id="a hash of an earlier run comes off"
        ),
        pytest.param(
            config(f"pre-app-{OTHER_HASH}", "app"), "pre-app", id="a prefix put on since then stays"
        ),
        pytest.param(config(f"app-{OTHER_HASH}-v2", "app"), "app-v2", id="a suffix stays too"),
        pytest.param(config("app", "app"), "app", id="an adopted name"),
        pytest.param(
            config("other", "app"), "other", id="a base name copied from another object is ignored"
        ),
    ],
)
def test_base_name(item: Item, expected: str) -> None:
    assert base_name(item) == expected


def test_the_present_name_comes_first() -> None:
    assert names_of(config(f"pre-app-{OTHER_HASH}", "app")) == [
        f"pre-app-{OTHER_HASH}",
        "pre-app",
        "app",
    ]


def test_a_copied_base_name_is_no_name() -> None:
    assert names_of(config("other", "app")) == ["other"]


@pytest.mark.parametrize(
    ("application", "expected"),
    [
        pytest.param("shop", "shop", id="a name that can name a set"),
        pytest.param("shop.example", "shop.example", id="dots are fine"),
        pytest.param("a" * 63, "a" * 63, id="as long as a label"),
        pytest.param(
            "team_shop", "team-shop-[a-z0-9]{10}", id="an application of another namespace"
        ),
        pytest.param("team-_-shop", "team---shop-[a-z0-9]{10}", id="another one"),
        pytest.param("a" * 64, "a{52}-[a-z0-9]{10}", id="too long"),
        pytest.param("Shop", "shop-[a-z0-9]{10}", id="upper case"),
        pytest.param("___", "set-[a-z0-9]{10}", id="nothing that could stay"),
        pytest.param("-" * 300, "set-[a-z0-9]{10}", id="only dashes"),
    ],
)
def test_set_name(application: str, expected: str) -> None:
    assert re.fullmatch(expected, set_name(application))
    assert SET_NAME.fullmatch(set_name(application))


def test_applications_do_not_share_a_set() -> None:
    applications = ["team_shop", "team-shop", "team__shop", "Team_shop", "a" * 64, "a" * 65]
    assert len({set_name(application) for application in applications}) == len(applications)
