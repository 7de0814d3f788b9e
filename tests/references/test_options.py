"""Options and variables whose own names say config, cm or secret."""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.core.references import hits
from krm_fn.core.references.hits import _Walk, excerpt
from krm_fn.core.references.program_options import OptionName, find_options
from krm_fn.core.references.words import (
    Setting,
    may_say_config,
    read_setting,
    read_settings,
)
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml

FOUND = [
    pytest.param("args: [--config-map=web]", ["web"], id="a flag with its value"),
    pytest.param("args: [--configmap, web]", ["web"], id="a flag and the next word"),
    pytest.param("args: [-secret, web]", ["web"], id="a flag with one dash"),
    pytest.param("command: [run, --webhook-secret=web]", ["web"], id="a word of the command"),
    pytest.param("args: [--cm-name=web]", ["web"], id="cm as a word of its own"),
    pytest.param("args: [--leaderCM=web]", ["web"], id="cm in camel case"),
    pytest.param(
        "args: [--config-map=web, other]", ["web"], id="not the word behind a flag with a value"
    ),
    pytest.param("args: [--config-map=shop/web]", ["shop/web"], id="a namespace and a name"),
    pytest.param(
        "args: [--config-map=$(POD_NAMESPACE)/web]", ["web"], id="a namespace that is a variable"
    ),
    pytest.param(
        "args: ['--source=config-map:shop/web']", ["shop/web"], id="a key inside the value"
    ),
    pytest.param(
        "args: ['--from=secret:a,config-map:b']", ["a", "b"], id="several keys inside the value"
    ),
    pytest.param("args: ['kubectl get configmap web']", ["web"], id="a script that runs kubectl"),
    pytest.param("args: ['kubectl -n shop get cm/web']", ["shop/web"], id="kubectl's short form"),
    pytest.param("command: [kubectl, get, secret, web]", ["web"], id="kubectl as words"),
    pytest.param(
        "command: [kubectl, get]\n    args: [cm, -n, shop, web]",
        ["shop/web"],
        id="kubectl and its arguments",
    ),
    pytest.param(
        "args: [get, secret, -o, yaml, web]", ["web"], id="the arguments of an image of kubectl"
    ),
    pytest.param(
        "env: [{name: COMMAND, value: kubectl get cm web}]", ["web"], id="kubectl in a variable"
    ),
    pytest.param("env: [{name: CONFIG_LOGGING_NAME, value: web}]", ["web"], id="a variable"),
    pytest.param("env: [{name: WEB_CM, value: web}]", ["web"], id="a variable that ends in CM"),
    pytest.param(
        "args: ['kubectl patch cm $NAME']\n    env: [{name: NAME, value: web}]",
        ["web"],
        id="the variable that a script has",
    ),
    pytest.param(
        "command: [sh, -c, 'kubectl patch cm $1', --, web]", ["web"], id="an argument of a script"
    ),
    pytest.param(
        "command: [kubectl, patch, cm, $(NAME)]\n    env: [{name: NAME, value: web}]",
        ["web"],
        id="the variable that the kubelet puts into an argument",
    ),
]

NOT_FOUND = [
    pytest.param("args: [--host=web]", id="an option of another name"),
    pytest.param("args: [--acme=web]", id="cm inside another word"),
    pytest.param("env: [{name: SERVICE, value: web}]", id="a variable of another name"),
    pytest.param("args: [--config=/etc/web/config.yaml]", id="a path"),
    pytest.param("args: [--config=https://web/config]", id="an address"),
    pytest.param("args: ['grep web config']", id="a script"),
    pytest.param("args: [--config-map]", id="a flag at the end"),
    pytest.param("env: [{name: SECRET, valueFrom: {secretKeyRef: {name: web}}}]", id="a reference"),
    pytest.param("volumeMounts: [{name: web-config, mountPath: /etc}]", id="a mount"),
]


_FETCH = "curl -H $AUTH https://kubernetes.default.svc/api/v1/namespaces"
SCRIPTS = [
    pytest.param(
        "kubectl get configmap -n shop web -o yaml", ["shop/web"], id="a namespace before the name"
    ),
    pytest.param(
        "kubectl get cm web --namespace=shop | jq .", ["shop/web"], id="a namespace behind the name"
    ),
    pytest.param("kubectl get secret \"web\" 'db'", ["web", "db"], id="names in quotes"),
    pytest.param(
        "X=$(kubectl get --ignore-not-found secret/web)",
        ["web"],
        id="a name behind its kind, in brackets",
    ),
    pytest.param("kubectl get cm,secret web", ["web"], id="several kinds"),
    pytest.param("kubectl set env deploy/x --from=secret/web", ["web"], id="a name in an option"),
    pytest.param(
        "kubectl get cm -o jsonpath='{.data.a}' \\\n  web", ["web"], id="a command on several lines"
    ),
    pytest.param(
        "${KUBECTL} -n $NS get cm web", ["web"], id="a program and a namespace that are variables"
    ),
    pytest.param("oc get secret web", ["web"], id="OpenShift's program"),
    pytest.param("kubectl get pods web; kubectl get svc/db", [], id="other kinds"),
    pytest.param("kubectl get cm\necho web", [], id="another command"),
    pytest.param("# kubectl get cm web", [], id="a comment"),
    pytest.param(f"{_FETCH}/shop/secrets/web", ["shop/web"], id="a path of the API"),
    pytest.param(f'{_FETCH}/$NS/configmaps/web?watch=1"', ["web"], id="a path with a variable"),
    pytest.param(
        f"{_FETCH}/$(cat /var/run/secrets/kubernetes.io/serviceaccount/namespace)/secrets/web",
        ["web"],
        id="a path with a command",
    ),
    pytest.param("cat /etc/secrets/web", [], id="a path of a file"),
    pytest.param("oc patch cm web -p '{}'", ["web"], id="a change with OpenShift's program"),
    pytest.param("k -n shop delete configmap web", ["shop/web"], id="a client of another name"),
    pytest.param("$OC set data cm/web A=b", ["web"], id="a client in a variable"),
    pytest.param("/usr/bin/oc extract secret/web", ["web"], id="a client by its path"),
    pytest.param("NAME=web\nkubectl patch cm $NAME", ["web"], id="a variable"),
    pytest.param("kubectl patch cm ${NAME:-web}", ["web"], id="the default of a variable"),
    pytest.param(
        'for name in web db; do kubectl label cm "$name" x=y; done', ["web", "db"], id="a loop"
    ),
    pytest.param(f"NAME=web\n{_FETCH}/$NS/configmaps/$NAME", ["web"], id="a path of variables"),
    pytest.param(
        "name = 'web'\nclient.patch_config_map name, {}\n", ["web"], id="a variable of Ruby"
    ),
    pytest.param(
        'name := "web"\nc.ConfigMaps("shop").Get(ctx, name, o)', ["web"], id="a variable of Go"
    ),
    pytest.param("NAME=web\nkubectl rollout restart deploy $NAME", [], id="of another kind"),
    pytest.param("NAME=web\nls /etc/secrets/$NAME", [], id="a path of a file with a variable"),
]


@pytest.mark.parametrize(("script", "expected"), SCRIPTS)
def test_a_name_that_a_script_asks_for_is_found(script: str, expected: list[str]) -> None:
    script = f"set -e\n{script}\n"
    assert names(f"args: [{json.dumps(script)}]") == expected
    text = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "x"},
            "data": {"a.sh": script},
        }
    )
    (item,) = open_envelope(read_yaml(text.encode())).items
    assert spelled(find_options(item, NAMES)) == expected


NAMES = ("web", "db", "a", "b", "1")
"""The names of objects. What else is found beside them means nothing."""


def spelled(found: Iterable[OptionName]) -> list[str]:
    named = (one for one in found if one.name in NAMES)
    return [*dict.fromkeys(f"{one.namespace}/{one.name}".lstrip("/") for one in named)]


def found_in(container: str) -> list[OptionName]:
    text = (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec:\n  containers:\n  - "
        f"name: config\n    {container}\n"
    )
    (item,) = open_envelope(read_yaml(text.encode())).items
    return list(find_options(item, NAMES))


def names(container: str) -> list[str]:
    return spelled(found_in(container))


@pytest.mark.parametrize(("container", "expected"), FOUND)
def test_a_name_in_an_option_is_found(container: str, expected: list[str]) -> None:
    assert names(container) == expected


@pytest.mark.parametrize("container", NOT_FOUND)
def test_anything_else_is_no_name(container: str) -> None:
    assert names(container) == []


IN_DATA = [
    pytest.param("launcher:\n  instance_config_map: web", ["web"], id="a setting in YAML"),
    pytest.param("launcher:\n  config_map:\n    name: web", ["web"], id="the name below a setting"),
    pytest.param("env_secrets:\n- web\n- db", ["web", "db"], id="a list"),
    pytest.param("env_secrets: [web, db]", ["web", "db"], id="a list in one line"),
    pytest.param("from: secret/web", ["web"], id="a name behind its kind"),
    pytest.param('{"passwordSecret": "web", "a": 1}', ["web"], id="JSON"),
    pytest.param("runner.configmap.name=web\nport=1", ["web"], id="properties"),
    pytest.param("{{ if .Values }}\nsecretName: web\n{{ end }}", ["web"], id="a template"),
    pytest.param("config: the words of web", [], id="a sentence"),
    pytest.param("service: web\nconfig: 1", ["1"], id="a setting of another name"),
    pytest.param("web", [], id="a value whose key does not say config"),
    pytest.param("config:\n- port: 1\n- web", ["web"], id="values below a key that says config"),
    pytest.param("config:\nother:\n  name: web", [], id="a name below another key"),
    pytest.param("a=config:web", ["web"], id="keys behind each other"),
    pytest.param(
        f"{'jar:' * 5000}config:web",
        ["web"],
        id="more keys behind each other than calls can be nested",
    ),
]


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
@pytest.mark.parametrize(("value", "expected"), IN_DATA)
def test_a_name_in_data_is_found(value: str, expected: list[str], kind: str) -> None:
    content = base64.b64encode(value.encode()).decode() if kind == "Secret" else value
    text = json.dumps(
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}, "data": {"app.yaml": content}}
    )
    (item,) = open_envelope(read_yaml(text.encode())).items
    found = [*find_options(item, NAMES)]
    assert spelled(found) == expected
    assert all((one.shown == "its data") == (kind == "Secret") for one in found)


def test_a_variable_in_data_is_found() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {RUNNER_CONFIG_MAP: web, HOST: db}\n"
    (item,) = open_envelope(read_yaml(text.encode())).items
    assert [one.name for one in find_options(item, NAMES)] == ["web"]


BOTH = ("ConfigMap", "Secret")
MEANT = [
    pytest.param("secret", ("Secret",), id="a Secret"),
    pytest.param("webhookSecretName", ("Secret",), id="a Secret in camel case"),
    pytest.param("configmap", ("ConfigMap",), id="a ConfigMap"),
    pytest.param("instance_config_map", ("ConfigMap",), id="a ConfigMap with an underscore"),
    pytest.param("runner.config-map.name", ("ConfigMap",), id="a ConfigMap with a dash"),
    pytest.param("CM_NAME", ("ConfigMap",), id="the short form"),
    pytest.param("leaderCM", ("ConfigMap",), id="the short form in camel case"),
    pytest.param("config", BOTH, id="a configuration"),
    pytest.param("CONFIG_NAME", BOTH, id="a configuration in capitals"),
    pytest.param("config-secret", BOTH, id="a configuration and a Secret"),
    pytest.param("configmap-or-secret", BOTH, id="either"),
    pytest.param("configMapConfig", BOTH, id="a ConfigMap and a configuration"),
]


@pytest.mark.parametrize(("option", "kinds"), MEANT)
def test_an_option_may_mean(option: str, kinds: tuple[str, ...]) -> None:
    found = OptionName("", option, "", "web")
    assert tuple(kind for kind in BOTH if found.may_mean(kind)) == kinds


def test_every_option_that_is_found_means_some_kind() -> None:
    for row in FOUND:
        for one in found_in(str(row.values[0])):
            assert one.may_mean("ConfigMap") or one.may_mean("Secret")


PARTS = (
    *("kubectl get cm ", "patch cm $NAME", "NAME=", "/namespaces/shop/secrets/"),
    *("config", "CONFIG", "secret", "Secret", "cm", "confİg", "name", "web", "web-a", "a.web", "é"),
    *(":", "=", "/", ",", "{", "]", " #", " ", "-", '"', "\n", "\r", "\x85", "\u2028"),
)
TEXTS = st.lists(st.sampled_from(PARTS)).map("".join)


WANTED = st.sets(st.sampled_from(["web", "a", "web-a", "b"]), min_size=1)
MANY = frozenset(map(str, range(200)))
"""Among so many names, no line of a text is passed over."""


def settings_of_each_token(text: str) -> Iterator[Setting]:
    """Read settings as if no line could be passed over."""
    parent = ""
    for token in re.split(r"[,;{}\[\]\n]", text):
        lower = token.lower()
        if parent or may_say_config(lower[: max(map(lower.rfind, ":=/"))]):
            setting = read_setting(token, parent)
            yield setting
            if setting.key and not setting.value:
                parent = setting.key if may_say_config(setting.key.lower()) else ""


def with_names(found: Iterable[Setting], names: set[str]) -> list[Setting]:
    return [one for one in found if any(name in one.key or name in one.value for name in names)]


def in_long_texts() -> Any:
    """Have a text of a few words searched like a long one."""
    return patch.object(hits, "_FEW", 0)


@given(TEXTS)
def test_settings_are_those_of_each_token(text: str) -> None:
    assert [*read_settings(text, may_say_config)] == [*settings_of_each_token(text)]


@given(TEXTS, WANTED)
def test_settings_with_a_name_are_in_the_excerpt_below_their_keys(
    text: str, names: set[str]
) -> None:
    with in_long_texts():
        found = read_settings(excerpt(names, text), may_say_config)
    assert with_names(found, names) == with_names(settings_of_each_token(text), names)


@given(TEXTS, WANTED)
def test_a_name_in_data_is_found_as_when_all_lines_are_read(text: str, names: set[str]) -> None:
    content = {"kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a.sh": text}}
    (item,) = open_envelope(read_yaml(json.dumps({"apiVersion": "v1", **content}).encode())).items
    with in_long_texts():
        few, all_ = (
            [one for one in find_options(item, wanted) if one.name in names]
            for wanted in (names, names | MANY)
        )
    assert few == all_


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("config:\n  port: 1\n  name: web", "config:\n  name: web", id="a key above"),
        pytest.param("config:\na:\n  name: web", "a:\n  name: web", id="the last of two keys"),
        pytest.param("{config: {a: b,\nc: [web]}}", "config:\nc: [web]}}", id="a key in a line"),
        pytest.param("a: # config\nb: web", "a:\nb: web", id="a key with a comment"),
        pytest.param('"a" = "\'\nweb', "a:\nweb", id="a key with a quote"),
        pytest.param("a: b\nweb", "web", id="a key with a value"),
        pytest.param("a b:\nweb", "web", id="no key, as two words are none"),
        pytest.param("a\n: \nweb", "web", id="no key, as it ends with its line"),
        pytest.param("a:\n- web\n- b\n- web", "a:\n- web\n- web", id="what goes on below a line"),
        pytest.param("a:\rweb", "a:\rweb", id="a carriage return in a line"),
        pytest.param("a:\u2028\nweb", "web", id="a separator of lines is a value"),
        pytest.param("a:\nb", "", id="no name"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_excerpt_has(text: str, expected: str) -> None:
    with in_long_texts():
        assert excerpt({"web"}, text) == expected


@given(TEXTS, WANTED)
def test_a_long_text_holds_a_name_where_its_words_do(text: str, names: set[str]) -> None:
    with patch.object(hits, "_MANY", 0):
        slow = _Walk(names)._is_without(text)  # noqa: SLF001  # the whole text
    with in_long_texts():
        assert _Walk(names)._is_without(text) is slow  # noqa: SLF001  # the same
