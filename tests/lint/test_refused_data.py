"""Data that no API server accepts.

`tests/cluster/test_refused_data.py` asks one about the same rows.
"""

import pytest

from krm_fn.base.go_yaml import is_base64
from krm_fn.function import run

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {strategy: ignore, linker: {enabled: false}, deployers: %s}
"""
KEY = (
    'the API server refuses this key; allowed: up to 253 letters, digits, "-", "_" and ".", but neither "." alone nor '
    '".." at the beginning'
)
WORD = (
    "found yes, no, on, off, y or n without quotes, expected text: kubectl, Argo CD and Helm read a boolean, which the "
    "API server refuses; put it in quotes"
)
NOT_TEXT = "found %s, expected text: the API server refuses it"
NOT_BASE64 = "found text that is not base64: the API server refuses it; encode it, or move it to "
MIB = 1024 * 1024


def quoted(found: str) -> str:
    return NOT_TEXT % found + "; put it in quotes"


REFUSED = [
    *(
        pytest.param("ConfigMap", f"data: {{k: {word}}}", "data.k", WORD, id=f"the word {word}")
        for word in ("yes", "Yes", "YES", "no", "on", "On", "off", "OFF", "y", "Y", "n", "N")
    ),
    pytest.param("ConfigMap", "data: {k: true}", "data.k", quoted("a boolean"), id="a boolean"),
    pytest.param("ConfigMap", "data: {k: 8080}", "data.k", quoted("a number"), id="a number"),
    pytest.param(
        "ConfigMap", "data: {k: 0o17}", "data.k", quoted("a number"), id="an octal number"
    ),
    pytest.param(
        "ConfigMap",
        "data: {k: 1_000}",
        "data.k",
        quoted("a number"),
        id="a number with underscores",
    ),
    pytest.param("ConfigMap", "data: {k: .inf}", "data.k", quoted("a number"), id="infinity"),
    pytest.param("ConfigMap", "data: {k: []}", "data.k", NOT_TEXT % "a list", id="an empty list"),
    pytest.param(
        "ConfigMap", "data: {k: {}}", "data.k", NOT_TEXT % "a mapping", id="an empty mapping"
    ),
    pytest.param(
        "ConfigMap",
        "data: [a]",
        "data",
        "found a list, expected a mapping: the API server refuses it",
        id="a list of data",
    ),
    pytest.param(
        "ConfigMap",
        "data: a",
        "data",
        "found text, expected a mapping: the API server refuses it",
        id="text as data",
    ),
    pytest.param(
        "ConfigMap",
        "binaryData: {k: YQ}",
        "binaryData.k",
        NOT_BASE64 + "data",
        id="base64 without padding",
    ),
    pytest.param(
        "ConfigMap",
        "binaryData: {k: _-8=}",
        "binaryData.k",
        NOT_BASE64 + "data",
        id="base64 for URLs",
    ),
    pytest.param(
        "ConfigMap",
        'binaryData: {k: " YQ=="}',
        "binaryData.k",
        NOT_BASE64 + "data",
        id="a blank in base64",
    ),
    pytest.param(
        "ConfigMap",
        "binaryData: {k: YQ==YQ==}",
        "binaryData.k",
        NOT_BASE64 + "data",
        id="base64 twice",
    ),
    pytest.param(
        "ConfigMap",
        "binaryData: {k: 1234}",
        "binaryData.k",
        quoted("a number"),
        id="a number as base64",
    ),
    pytest.param(
        "ConfigMap",
        "binaryData: {k: [a]}",
        "binaryData.k",
        NOT_TEXT % "a list",
        id="a list of no bytes",
    ),
    pytest.param(
        "Secret",
        "data: {k: hunter2}",
        "data.k",
        NOT_BASE64 + "stringData",
        id="a password that is not encoded",
    ),
    pytest.param(
        "Secret",
        'data: {k: "a b"}\nstringData: {k: x}',
        "data.k",
        NOT_BASE64 + "stringData",
        id="what is not encoded, though stringData has it too",
    ),
    pytest.param("Secret", "stringData: {k: on}", "stringData.k", WORD, id="a word in a Secret"),
    pytest.param("ConfigMap", "data: {a b: x}", "data.a b", KEY, id="a key with a blank"),
    pytest.param("ConfigMap", "data: {a/b: x}", "data[a/b]", KEY, id="a key with a slash"),
    pytest.param("ConfigMap", "data: {ä: x}", "data.ä", KEY, id="a key with another letter"),
    pytest.param("ConfigMap", 'data: {"": x}', "data.", KEY, id="an empty key"),
    pytest.param("ConfigMap", "data: {.: x}", "data[.]", KEY, id="a point"),
    pytest.param("ConfigMap", "data: {..a: x}", "data[..a]", KEY, id="two points at the beginning"),
    pytest.param(
        "ConfigMap",
        f"data: {{{'k' * 254}: x}}",
        f"data.{'k' * 254}",
        KEY,
        id="a key that is too long",
    ),
    pytest.param("Secret", "stringData: {a b: x}", "stringData.a b", KEY, id="a key of a Secret"),
    pytest.param(
        "ConfigMap",
        "data: {k: x}\nbinaryData: {k: YQ==}",
        "binaryData.k",
        "the key is in data as well: the API server refuses it; remove one of them",
        id="a key in both fields",
    ),
    *(
        pytest.param(
            kind,
            data,
            "",
            f"its data has {MIB + 1} bytes, allowed: {MIB} (1 MiB): the API server refuses it; split it",
            id=f"a byte too many in {what}",
        )
        for kind, data, what in (
            ("ConfigMap", f"data: {{k: {'a' * (MIB + 1)}}}", "data"),
            ("ConfigMap", f"data: {{k: {'ä' * (MIB // 2)}a}}", "letters of two bytes"),
            (
                "ConfigMap",
                f"data: {{j: {'a' * (MIB - 2)}}}\nbinaryData: {{k: YWFh}}",
                "both fields",
            ),
            (
                "Secret",
                f"data: {{j: YWE=}}\nstringData: {{k: {'a' * (MIB - 1)}}}",
                "both fields of a Secret",
            ),
        )
    ),
]

ACCEPTED = [
    pytest.param("ConfigMap", "data: {k: oN}", id="a word in mixed case"),
    pytest.param("ConfigMap", "data: {k: 'yes', j: \"off\", i: !!str on}", id="words in quotes"),
    pytest.param(
        "ConfigMap", "data: {k: 12:30:45, j: 2020-01-02, i: =}", id="times, dates and signs"
    ),
    pytest.param("ConfigMap", "data: {k: null, j: ~, i: , h: ''}", id="null, and empty text"),
    pytest.param("ConfigMap", "data:\nbinaryData: null", id="no data"),
    pytest.param(
        "ConfigMap",
        'binaryData: {k: "YW\\nFh\\r\\n", j: YR==, i: "", h: null}',
        id="base64 with line breaks",
    ),
    pytest.param("ConfigMap", "binaryData: {k: [1, 255, null], j: []}", id="bytes as numbers"),
    pytest.param("ConfigMap", "data: {.a: x, a..: x, -_.: x, 1: x}", id="keys of signs and digits"),
    pytest.param("ConfigMap", f"data: {{{'k' * 253}: x}}", id="a long key"),
    pytest.param(
        "Secret", "data: {k: YQ==}\nstringData: {k: x}", id="a key in both fields of a Secret"
    ),
    pytest.param(
        "ConfigMap", f"data: {{j: {'a' * (MIB - 3)}}}\nbinaryData: {{k: YWFh}}", id="a MiB"
    ),
    pytest.param(
        "Secret",
        f"data: {{k: {'YWFh' * (MIB // 3)}}}\nstringData: {{k: a, j: aa}}",
        id="text that wins",
    ),
]

LATER = [
    pytest.param(
        "Secret",
        "data: {k: '<path:secret/data/web#key>', j: <key>}",
        id="a secret of Argo CD's Vault plugin",
    ),
    pytest.param("Secret", "data: {k: '${PASSWORD}', j: '$(PASSWORD)'}", id="a variable"),
    pytest.param("Secret", "data: {k: '{{ .Values.password | b64enc }}'}", id="a template"),
    pytest.param("Secret", "data: {k: ref+vault://secret/web#/key}", id="a secret of vals"),
    pytest.param(
        "Secret",
        "data: {k: __PASSWORD__, j: '%PASSWORD%', i: '@PASSWORD@'}",
        id="words for scripts",
    ),
    pytest.param("ConfigMap", "data: {'${KEY}': x, '{{ key }}': x}", id="a key with a variable"),
    pytest.param("ConfigMap", "data: ${DATA}", id="a variable for all data"),
    pytest.param(
        "Secret",
        "data: {k: 'ENC[AES256_GCM,data:eA==,type:str]', j: a b}\nsops: {mac: x}",
        id="what SOPS has encrypted",
    ),
    pytest.param(
        "ConfigMap",
        "data: {k: yes}\nmetadata: {name: a, annotations: {config.kubernetes.io/local-config: 'true'}}",
        id="what is never applied",
    ),
]


def warnings(kind: str, data: str, deployers: str = "[argocd, flux, kpt]") -> list[str]:
    metadata = "" if "metadata:" in data else "metadata: {name: a}\n"
    text = f"apiVersion: v1\nkind: {kind}\n{metadata}{data}\n"
    outcome = run(text.encode(), (CONFIG % deployers).encode())
    assert outcome.exit_code == 0
    return outcome.stderr.splitlines()


@pytest.mark.parametrize(("kind", "data", "field", "message"), REFUSED)
def test_what_is_refused_is_warned_about(kind: str, data: str, field: str, message: str) -> None:
    place = " ".join(filter(None, [f"{kind}/a", field]))
    assert warnings(kind, data) == [f"warning: {place}: {message}"]


ALSO = [
    pytest.param("{a: 1, b: 2}", ["a: number; the same holds for data.b"], id="two keys"),
    pytest.param(
        "{a: 1, b: true, c: 2, d: x, e: false, f: 3}",
        [
            "a: number; the same holds for data.c and data.f",
            "b: boolean; the same holds for data.e",
        ],
        id="two things that are wrong",
    ),
    pytest.param(
        "{a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8}",
        ["a: number; the same holds for data.b, data.c, data.d, data.e, data.f, and 2 more"],
        id="more keys than a line has room for",
    ),
]


@pytest.mark.parametrize(("data", "expected"), ALSO)
def test_what_is_wrong_with_several_keys_is_said_once(data: str, expected: list[str]) -> None:
    lines = [
        line.removeprefix("warning: ConfigMap/a data.")
        for line in warnings("ConfigMap", f"data: {data}")
    ]
    what = "found a ", ", expected text: the API server refuses it; put it in quotes"
    assert [line.replace(what[0], "").replace(what[1], "") for line in lines] == expected


def test_a_revision_that_is_too_large_is_warned_about_as_well() -> None:
    """That it is a revision is said in an info, which has no field either."""
    big = (
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{k: {'a' * (MIB + 1)}}}\n"
    )
    pod = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [%s]}}}\n"
    container = "{name: web, envFrom: [{configMapRef: {name: a}}]}"
    outcome = run(
        f"{big}---\n{pod % container}".encode(),
        (CONFIG % "[kpt]").replace("ignore", "rename").encode(),
    )
    message = (
        f"its data has {MIB + 1} bytes, allowed: {MIB} (1 MiB): the API server refuses it; split it"
    )
    assert (outcome.stderr, outcome.summary) == (
        f"warning: ConfigMap/a: {message}\n",
        "1 renamed\n",
    )


@pytest.mark.parametrize(("kind", "data"), [*ACCEPTED, *LATER])
def test_what_may_be_right_is_not_warned_about(kind: str, data: str) -> None:
    assert warnings(kind, data) == []


@pytest.mark.parametrize("deployers", ["[kpt]", "[flux]", "[flux, kpt]"])
def test_words_are_text_for_deployers_that_read_them_as_text(deployers: str) -> None:
    assert warnings("ConfigMap", "data: {k: yes}", deployers) == []


@pytest.mark.parametrize("deployers", ["[]", "[helm]", "[kpt, argocd]"])
def test_words_are_no_text_for_others(deployers: str) -> None:
    assert warnings("ConfigMap", "data: {k: yes}", deployers) == [
        f"warning: ConfigMap/a data.k: {WORD}"
    ]


@pytest.mark.parametrize("text", ["=", "A===", "AA=A", "AAAAA", "A=", "YWFh=="])
def test_what_is_no_base64(text: str) -> None:
    assert not is_base64(text)
