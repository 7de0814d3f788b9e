"""Emitted objects are recognised by their label and their name together."""

import pytest

from krm_fn.base import keys
from krm_fn.base.item import Item, is_emitted, read_item
from krm_fn.base.node import is_mapping
from krm_fn.core.yaml.reader import read_yaml

LINKER = f"labels: {{{keys.COMPONENT}: {keys.LINKER}}}"
SECRET = f"labels: {{{keys.COMPONENT}: {keys.TRACKER}}}"
BASE_NAME = f"annotations: {{{keys.BASE_NAME}: web}}"

EMITTED = [
    pytest.param(f"kind: Role\nmetadata: {{name: web-linker, {LINKER}}}", id="a Role"),
    pytest.param(f"kind: ConfigMap\nmetadata: {{name: web-linker, {LINKER}}}", id="an inventory"),
    pytest.param(f"kind: Job\nmetadata: {{name: web-link-5t7h9k2b4c, {LINKER}}}", id="a Job"),
    pytest.param(
        f"kind: ConfigMap\nmetadata: {{name: web-5t7h9k2b4c, {SECRET}, {BASE_NAME}}}",
        id="a tracker",
    ),
]

AUTHORED = [
    pytest.param("kind: Role\nmetadata: {name: web-linker}", id="the name alone"),
    pytest.param(f"kind: Role\nmetadata: {{name: web, {LINKER}}}", id="the label alone"),
    pytest.param(f"kind: Job\nmetadata: {{name: web-linker, {LINKER}}}", id="a Job without a hash"),
    pytest.param(
        f"kind: Deployment\nmetadata: {{name: web-linker, {LINKER}}}",
        id="a kind that is never emitted",
    ),
    pytest.param(
        f"kind: ConfigMap\nmetadata: {{name: web, {SECRET}}}", id="a tracker without its base name"
    ),
    pytest.param(
        f"kind: ConfigMap\nmetadata: {{name: web, {SECRET}, {BASE_NAME}}}\ndata: {{}}",
        id="one with data",
    ),
]


def item(text: str) -> Item:
    node = read_yaml(text.encode()).roots[0]
    assert is_mapping(node)
    return read_item(node)


@pytest.mark.parametrize("text", EMITTED)
def test_emitted(text: str) -> None:
    assert is_emitted(item(text))


@pytest.mark.parametrize("text", AUTHORED)
def test_not_emitted(text: str) -> None:
    assert not is_emitted(item(text))
