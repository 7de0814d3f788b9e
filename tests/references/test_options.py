"""Options and variables whose own names say config, cm or secret."""

import pytest

from krm_fn.references.options import find_options
from krm_fn.wire.envelope import open_envelope
from krm_fn.wire.reader import read_yaml

FOUND = [
    pytest.param("args: [--config-map=web]", ["web"], id="a flag with its value"),
    pytest.param("args: [--configmap, web]", ["web"], id="a flag and the next word"),
    pytest.param("args: [-secret, web]", ["web"], id="a flag with one dash"),
    pytest.param("command: [run, --webhook-secret=web]", ["web"], id="a word of the command"),
    pytest.param("args: [--cm-name=web]", ["web"], id="cm as a word of its own"),
    pytest.param("args: [--leaderCM=web]", ["web"], id="cm in camel case"),
    pytest.param("args: [--config-map=web, other]", ["web"], id="not the word behind a flag with a value"),
    pytest.param("args: [--config-map=shop/web]", ["shop/web"], id="a namespace and a name"),
    pytest.param("args: [--config-map=$(POD_NAMESPACE)/web]", ["web"], id="a namespace that is a variable"),
    pytest.param("args: ['--source=config-map:shop/web']", ["shop/web"], id="a key inside the value"),
    pytest.param("args: ['--from=secret:a,config-map:b']", ["a", "b"], id="several keys inside the value"),
    pytest.param("env: [{name: CONFIG_LOGGING_NAME, value: web}]", ["web"], id="a variable"),
    pytest.param("env: [{name: WEB_CM, value: web}]", ["web"], id="a variable that ends in CM"),
]

NOT_FOUND = [
    pytest.param("args: [--host=web]", id="an option of another name"),
    pytest.param("args: [--acme=web]", id="cm inside another word"),
    pytest.param("env: [{name: SERVICE, value: web}]", id="a variable of another name"),
    pytest.param("args: [--config=/etc/web/config.yaml]", id="a path"),
    pytest.param("args: [--config=https://web/config]", id="an address"),
    pytest.param("args: ['kubectl get configmap web']", id="a script"),
    pytest.param("args: [--config-map]", id="a flag at the end"),
    pytest.param("env: [{name: SECRET, valueFrom: {secretKeyRef: {name: web}}}]", id="a reference"),
    pytest.param("volumeMounts: [{name: web-config, mountPath: /etc}]", id="a mount"),
]


def names(container: str) -> list[str]:
    text = (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec:\n  containers:\n  - name: config\n    {container}\n"
    )
    (item,) = open_envelope(read_yaml(text.encode())).items
    return [f"{one.namespace}/{one.name}".lstrip("/") for one in find_options(item)]


@pytest.mark.parametrize(("container", "expected"), FOUND)
def test_a_name_in_an_option_is_found(container: str, expected: list[str]) -> None:
    assert names(container) == expected


@pytest.mark.parametrize("container", NOT_FOUND)
def test_anything_else_is_no_name(container: str) -> None:
    assert names(container) == []
