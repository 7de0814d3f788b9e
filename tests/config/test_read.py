"""The functionConfig, from YAML to Settings or to sentences."""

import json
from typing import Any

import pytest

from krm_fn.base.kind import DEPLOYERS
from krm_fn.base.problem import Rejected
from krm_fn.base.settings import Environment, Jobs, Settings, Strategy
from krm_fn.core.config.build import parse_config
from krm_fn.core.config.plain import list_settings
from krm_fn.core.yaml.reader import read_yaml

HEAD = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
KPT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\n"


def parse(text: str) -> Settings:
    return parse_config(read_yaml(text.encode()).roots[0])


def sentences(text: str) -> list[str]:
    with pytest.raises(Rejected) as caught:
        parse(text)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(HEAD, Settings(set="web"), id="no spec"),
        pytest.param(HEAD + "spec:\n", Settings(set="web"), id="an empty spec"),
        pytest.param(
            HEAD + "spec: {kinds: null, select: ~, immutable: }\n",
            Settings(set="web"),
            id="nulls mean the default",
        ),
        pytest.param(
            HEAD + "spec: {immutable: false}\n",
            Settings(set="web", immutable=False),
            id="a boolean",
        ),
        pytest.param(KPT, Settings(is_named=False), id="kpt without data"),
        pytest.param(KPT + "data: {}\n", Settings(is_named=False), id="kpt with empty data"),
        pytest.param(
            KPT + "data: {immutable: NO}\n",
            Settings(is_named=False, immutable=False),
            id="a word without quotes",
        ),
        pytest.param(
            KPT + 'data: {immutable: "yes"}\n', Settings(is_named=False), id="a word with quotes"
        ),
        pytest.param(
            KPT + "data: {kinds: 'ConfigMap, Secret', deployers: ''}\n",
            Settings(is_named=False, kinds=frozenset({"ConfigMap", "Secret"}), deployers=()),
            id="lists with commas",
        ),
        pytest.param(
            KPT.replace("function-input", "shop") + "data: {strategy: adopt}\n",
            Settings(set="shop", strategy=Strategy.ADOPT),
            id="a ConfigMap of the user's own gives the set its name",
        ),
        pytest.param(
            KPT + "data: {jobs: rename}\n",
            Settings(is_named=False, jobs=Jobs.RENAME),
            id="jobs from kpt",
        ),
        pytest.param(KPT + "data: {name: 1}\n", Settings(set="1"), id="raw text, not a number"),
    ],
)
def test_settings(text: str, expected: Settings) -> None:
    assert parse(text) == expected


def test_without_a_configuration_the_defaults_hold() -> None:
    assert parse_config(None) == Settings(is_named=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "", Settings(set="shop-web", take_over=("config-revisions",)), id="no configuration"
        ),
        pytest.param(
            KPT, Settings(set="shop-web", take_over=("config-revisions",)), id="kpt without a name"
        ),
        pytest.param(
            KPT + "data: {takeOver: old}\n",
            Settings(set="shop-web", take_over=("old", "config-revisions")),
            id="other sets are taken over as well",
        ),
        pytest.param(KPT + "data: {name: web}\n", Settings(set="web"), id="kpt with a name"),
        pytest.param(
            KPT + "data: {name: config-revisions}\n", Settings(), id="the common name, written out"
        ),
        pytest.param(HEAD, Settings(set="web"), id="a configuration, which has a name"),
    ],
)
def test_an_application_names_the_set_where_nothing_else_does(
    text: str, expected: Settings
) -> None:
    node = read_yaml(text.encode()).roots[0] if text else None
    assert parse_config(node, Environment(set="shop-web")) == expected


def is_plain(example: Any) -> bool:
    """Tell whether a text can hold it."""
    entries = example if isinstance(example, list) else [example]
    return not any(isinstance(entry, dict) for entry in entries)


EXAMPLES = [
    pytest.param(key, example, id=f"{key}: {example}")
    for key, field in list_settings().items()
    for example in filter(is_plain, field["examples"])
]


@pytest.mark.parametrize(("key", "example"), EXAMPLES)
def test_a_text_from_kpt_means_what_the_schema_says(key: str, example: Any) -> None:
    """A list in a text has commas, a number no quotes."""
    text = ", ".join(example) if isinstance(example, list) else str(example)
    group, _, name = key.rpartition(".")
    spec = {group: {name: example}} if group else {name: example}
    from_kpt = parse(KPT + f"data: {json.dumps({'name': 'web', key: text})}\n")
    assert from_kpt == parse(HEAD + f"spec: {json.dumps(spec)}\n")


def test_names_in_kpt_settings_are_patterns() -> None:
    settings = parse(KPT + "data: {select: 'web-*,api', exclude: web-old}\n")
    assert settings.select is not None
    assert [selector.name for selector in settings.select] == ["web-*", "api"]
    assert [selector.name for selector in settings.exclude] == ["web-old"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            HEAD + "spec: text\n",
            ['ConfigRevisions/web spec (line 4, column 1): found "text", expected a mapping'],
            id="spec that is text",
        ),
        pytest.param(
            HEAD + "spec: {exclude: [{strategi: adopt}]}\n",
            [
                (
                    "ConfigRevisions/web spec.exclude[0].strategi (line 4, column 19): unknown field; "
                    "allowed: kind, name, namespace, labels, annotations"
                )
            ],
            id="an unknown field in an entry",
        ),
        pytest.param(
            HEAD + "spec: {select: [{labels: {tier: 1}}]}\n",
            [
                (
                    "ConfigRevisions/web spec.select[0].labels.tier (line 4, column 27): "
                    'found the number 1, expected text: write "1"'
                )
            ],
            id="a label that is a number",
        ),
        pytest.param(
            HEAD + "spec: {references: [{kind: ConfigMap}]}\n",
            ["ConfigRevisions/web spec.references[0].fieldSpecs (line 4, column 21): missing"],
            id="a reference without fields",
        ),
        pytest.param(
            HEAD
            + "spec: {references: [{kind: ConfigMap, fieldSpecs: [{knd: Widget, path: spec/a}]}]}\n",
            [
                (
                    "ConfigRevisions/web spec.references[0].fieldSpecs[0].knd (line 4, column 53): unknown field; "
                    'did you mean "kind"? allowed: path, group, version, kind, create'
                )
            ],
            id="a misspelled kind in a reference, which would be one of all kinds",
        ),
        pytest.param(
            HEAD + "spec: {references: {nameReferences: []}}\n",
            [
                (
                    "ConfigRevisions/web spec.references.nameReferences (line 4, column 21): unknown field; did you "
                    'mean "nameReference"? allowed: nameReference, namePrefix, nameSuffix, namespace, commonLabels, '
                    "labels, templateLabels, commonAnnotations, varReference, images, replicas"
                )
            ],
            id="a misspelled field of a kustomize configuration file",
        ),
        pytest.param(
            HEAD + "spec: {linker: {resources: {limits: {memoyr: 1Gi}}}}\n",
            [
                (
                    "ConfigRevisions/web spec.linker.resources.limits.memoyr (line 4, column 38): unknown field; did "
                    'you mean "memory"? allowed: cpu, memory, ephemeral-storage'
                )
            ],
            id="a misspelled resource",
        ),
        *(
            pytest.param(
                HEAD + f"spec: {{linker: {{schedule: '{schedule}'}}}}\n",
                [
                    (
                        "ConfigRevisions/web spec.linker.schedule (line 4, column 17): "
                        f'found "{schedule}", expected {expected}'
                    )
                ],
                id=f"a number outside of {expected}",
            )
            for schedule, expected in (
                ("60 * * * *", "0-59 as the minute"),
                ("0-5,7 1,24 * * *", "0-23 as the hour"),
                ("*/90 0 0 * *", "1-31 as the day"),
                ("H 0 1 13 *", "1-12 as the month"),
                ("H 0 1 1 7", "0-6 as the weekday"),
            )
        ),
        pytest.param(
            HEAD.replace("{name: web}", "{}"),
            ["ConfigRevisions metadata.name (line 3, column 1): missing"],
            id="no name",
        ),
        pytest.param(
            HEAD.replace("web", "w" * 64),
            [
                f"ConfigRevisions/{'w' * 64} metadata.name (line 3, column 12): found 64 characters, allowed: 63"
            ],
            id="a name too long for a label",
        ),
        pytest.param(
            HEAD + "spec: {mounts: [{path: /etc, envFrom: false}]}\n",
            [
                (
                    "ConfigRevisions/web spec.mounts[0] (line 4, column 17): "
                    "expected exactly one of configMap, secret, projected, found none"
                ),
                (
                    "ConfigRevisions/web spec.mounts[0] (line 4, column 17): "
                    "expected exactly one of path, envFrom, found path and envFrom"
                ),
                "ConfigRevisions/web spec.mounts[0].envFrom (line 4, column 30): found false, allowed: true",
            ],
            id="a mount of nothing to two places",
        ),
        pytest.param(
            HEAD + "spec: {mounts: [{configMap: a, path: etc, prefix: A, defaultMode: 0888}]}\n",
            [
                (
                    'ConfigRevisions/web spec.mounts[0].path (line 4, column 32): found "etc", '
                    "expected an absolute path without `:`"
                ),
                "ConfigRevisions/web spec.mounts[0].prefix (line 4, column 43): only allowed together with envFrom",
                (
                    "ConfigRevisions/web spec.mounts[0].defaultMode (line 4, column 54): "
                    "found the number 888, allowed: 0000 to 0777 (0 to 511)"
                ),
            ],
            id="a mount with fields that do not fit",
        ),
        pytest.param(
            HEAD
            + "spec: {mounts: [{projected: [a, {name: b}], path: /etc, items: [{key: a}]}, text]}\n",
            [
                (
                    "ConfigRevisions/web spec.mounts[0].projected[1] (line 4, column 33): "
                    "expected exactly one of configMap, secret, found none"
                ),
                (
                    "ConfigRevisions/web spec.mounts[0].projected[1].name (line 4, column 34): "
                    "unknown field; allowed: configMap, secret, items, optional"
                ),
                "ConfigRevisions/web spec.mounts[0].items (line 4, column 57): must be set in an entry of `projected`",
                "ConfigRevisions/web spec.mounts[0].items[0].path (line 4, column 65): missing",
                'ConfigRevisions/web spec.mounts[1] (line 4, column 77): found "text", expected a mapping',
            ],
            id="a mount of several",
        ),
        pytest.param(
            "[a]\n",
            ["line 1, column 1: functionConfig: expected a ConfigRevisions, found a list"],
            id="a list",
        ),
        pytest.param(
            KPT + "data: {immutable: maybe}\n",
            [
                (
                    "ConfigMap/function-input data.immutable (line 4, column 8): "
                    "found 'maybe', allowed: true, yes, false, no"
                )
            ],
            id="a word that is neither yes nor no",
        ),
        pytest.param(
            KPT + "data: {name: A B}\n",
            [
                (
                    'ConfigMap/function-input data.name (line 4, column 8): found "A B", expected lower-case letters, '
                    "digits, `-` and `.`, starting and ending with a letter or digit"
                )
            ],
            id="a set that is no label",
        ),
        pytest.param(
            HEAD + "spec: {deployers: [Flux, argocd, {helm: 3}]}\n",
            [
                (
                    'ConfigRevisions/web spec.deployers[0] (line 4, column 20): found "Flux"; did you mean "flux"? '
                    f"allowed: {', '.join(DEPLOYERS)}"
                ),
                (
                    "ConfigRevisions/web spec.deployers[2] (line 4, column 34): found a mapping; "
                    f"allowed: {', '.join(DEPLOYERS)}"
                ),
            ],
            id="deployers that are none",
        ),
        pytest.param(
            KPT + "data: {deployers: 'argo,flux'}\n",
            [
                (
                    'ConfigMap/function-input data.deployers (line 4, column 8): found "argo"; did you mean "argocd"? '
                    f"allowed: {', '.join(DEPLOYERS)}"
                )
            ],
            id="a deployer in a list with commas",
        ),
        pytest.param(
            KPT + "data: {kinds: ''}\n",
            ["ConfigMap/function-input data.kinds (line 4, column 8): must not be empty"],
            id="no kinds",
        ),
        pytest.param(
            KPT + "data: text\n",
            [
                "ConfigMap/function-input data (line 4, column 1): expected a mapping of settings, found text"
            ],
            id="data that is text",
        ),
    ],
)
def test_rejections(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "field", "suggested"),
    [
        pytest.param(
            "spec:\n  linker:\n    timeout: 5\n",
            "spec.linker.timeout",
            '"timeoutSeconds"',
            id="a shorter name",
        ),
        pytest.param(
            "spec:\n  linker:\n    age: 5\n",
            "spec.linker.age",
            '"minimumAgeSeconds"',
            id="a single word",
        ),
        pytest.param(
            "spec:\n\n  image: a\n",
            "spec.image",
            "spec.linker.image",
            id="a field of a deeper level",
        ),
        pytest.param("\n\nselect: []\n", "select", "spec.select", id="without spec"),
        pytest.param(
            "spec:\n\n  name: a\n", "spec.name", "metadata.name", id="the name of the set"
        ),
        pytest.param(
            "spec:\n\n  timeout: 5\n",
            "spec.timeout",
            "spec.linker.timeoutSeconds",
            id="shorter and deeper",
        ),
        pytest.param(
            "spec:\n\n  openShift: true\n",
            "spec.openShift",
            "spec.linker.openshift",
            id="similar and deeper",
        ),
        pytest.param(
            "spec:\n  select:\n  - image: a\n",
            "spec.select[0].image",
            "",
            id="a field of no entry of a list",
        ),
    ],
)
def test_an_unknown_field_suggests_the_one_that_was_meant(
    text: str, field: str, suggested: str
) -> None:
    (sentence,) = sentences(HEAD + text)
    column = 1 + len(text.splitlines()[2]) - len(text.splitlines()[2].lstrip(" -"))
    question = f"did you mean {suggested}? " if suggested else ""
    assert sentence.startswith(
        f"ConfigRevisions/web {field} (line 6, column {column}): unknown field; {question}allowed: "
    )


def test_problems_are_in_the_order_of_the_lines() -> None:
    """Also where a later line breaks a rule that is checked first."""
    found = sentences(
        HEAD
        + "spec:\n  strategy: x\n  kinds: []\n  linker:\n    secrets: 1\n    image: 2\n  jobs: y\n"
    )
    assert [sentence.partition(" (")[0] for sentence in found] == [
        f"ConfigRevisions/web spec.{field}"
        for field in ("strategy", "kinds", "linker.secrets", "linker.image", "jobs")
    ]
