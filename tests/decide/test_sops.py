"""Which objects that SOPS encrypts may be named, by the rules that they were encrypted with."""

from typing import Any

import pytest
import yaml

from krm_fn.base.item import Item, is_encrypted, read_item
from krm_fn.base.node import is_mapping
from krm_fn.base.settings import Settings
from krm_fn.core.decide.choose import why_encrypted
from krm_fn.core.yaml.reader import read_yaml

DATA: dict[str, Any] = {"encrypted_regex": "^(data|stringData)$"}
WITHOUT_NAME: dict[str, Any] = {"mac_only_encrypted": True}
FLUX = Settings(deployers=("flux",))
MUTABLE = Settings(deployers=("flux",), immutable=False)


def secret(kind: str = "Secret", **block: Any) -> Item:
    encrypted = {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "a"},
        "sops": {"mac": "ENC[a]", **block},
    }
    (node,) = read_yaml(yaml.safe_dump(encrypted).encode()).roots
    assert is_mapping(node)
    return read_item(node)


MAY_BE_NAMED = [
    pytest.param(secret(**DATA, **WITHOUT_NAME), Settings(), id="the MAC leaves the name out"),
    pytest.param(secret(**DATA), FLUX, id="Flux checks no MAC"),
    pytest.param(
        secret(encrypted_suffix="Data", **WITHOUT_NAME), Settings(), id="a suffix of fields"
    ),
    pytest.param(
        secret(unencrypted_regex="^metadata$"),
        MUTABLE,
        id="all but metadata, where nothing else is written",
    ),
    pytest.param(secret(encrypted_comment_regex="secret"), FLUX, id="what comments mark"),
    pytest.param(secret("ConfigMap", **DATA), FLUX, id="a ConfigMap"),
    pytest.param(secret(mac=""), Settings(), id="no MAC, so it is not encrypted"),
    pytest.param(secret("SopsSecret"), Settings(), id="another kind"),
]
MUST_STAY = [
    pytest.param(secret(**DATA), Settings(), "sops.mac", id="the MAC covers the name"),
    pytest.param(
        secret(**DATA, mac_only_encrypted=False),
        Settings(),
        "sops.mac",
        id="the MAC covers it expressly",
    ),
    pytest.param(
        secret(**DATA), Settings(deployers=("argocd", "flux")), "sops.mac", id="not only Flux"
    ),
    pytest.param(secret(**WITHOUT_NAME), FLUX, "sops", id="everything is encrypted"),
    pytest.param(
        secret(unencrypted_suffix="_plain"), FLUX, "sops", id="all but a suffix is encrypted"
    ),
    pytest.param(secret(unencrypted_regex="^metadata$"), FLUX, "sops", id="immutable is covered"),
    pytest.param(secret(encrypted_regex="a"), FLUX, "sops", id="a pattern that matches much"),
    pytest.param(secret(unencrypted_regex="("), FLUX, "sops", id="a pattern that nothing can read"),
]


@pytest.mark.parametrize(("item", "settings"), MAY_BE_NAMED)
def test_what_may_be_named(item: Item, settings: Settings) -> None:
    assert why_encrypted(item, settings) is None


@pytest.mark.parametrize(("item", "settings", "field"), MUST_STAY)
def test_what_must_stay(item: Item, settings: Settings, field: str) -> None:
    assert is_encrypted(item)
    refused = why_encrypted(item, settings)
    assert refused is not None
    assert refused.field == field
