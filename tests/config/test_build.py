"""build_settings accepts exactly what the JSON Schema allows."""

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from krm_fn.base.kind import PROTECTIONS, keep_new_name
from krm_fn.base.settings import (
    API_VERSION,
    CONTROLLERS,
    KIND,
    NO_SIDECAR_ANNOTATIONS,
    NO_SIDECAR_LABELS,
    ChecksumSettings,
    FieldSpec,
    Jobs,
    KeyToPath,
    Mount,
    MountSource,
    Selector,
    Settings,
    Strategy,
)
from krm_fn.core.config.build import build_settings
from krm_fn.core.config.plain import Invalid, load_schema
from krm_fn.core.config.why_invalid import validator
from tests.volume import examples_of

SCHEMA: dict[str, Any] = load_schema()
VALIDATOR = validator(SCHEMA)


def config(spec: Any, name: Any = "web") -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name}, "spec": spec}


def is_built(value: Any) -> bool:
    try:
        build_settings(value)
    except Invalid:
        return False
    return True


junk = st.sampled_from(
    [0, 1.5, True, "", "x", "ConfigMap", "rename", [], ["x"], {}, {"x": "y"}, None]
)
texts = st.sampled_from(["a", "web-*", "", "Secret"])
kinds = st.sampled_from(["ConfigMap", "Secret", "Deployment", "configmap"])
strategies = st.sampled_from([*Strategy, "renam", ""])
labels = st.dictionaries(texts, st.one_of(texts, junk), max_size=2)
selectors = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.one_of(kinds, junk),
        "name": st.one_of(texts, junk),
        "namespace": st.one_of(texts, junk),
        "labels": st.one_of(labels, junk),
        "annotations": st.one_of(labels, junk),
        "strategy": st.one_of(strategies, junk),
        "unknown": junk,
    },
)
paths = st.one_of(
    st.sampled_from(
        [
            "spec/configName",
            "spec.configName",
            "/spec.a",
            r"metadata/annotations/x.io\/config",
            "a.b/c",
            "a\n",
        ]
    ),
    st.text("a./\\\n", max_size=4),
)
field_specs = st.fixed_dictionaries(
    {},
    optional={
        "path": st.one_of(paths, junk),
        **{key: st.one_of(texts, junk) for key in ("kind", "group", "version", "create", "knd")},
    },
)
name_references = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {},
            optional={
                "kind": st.one_of(kinds, junk),
                "group": st.one_of(texts, junk),
                "version": st.one_of(texts, junk),
                "fieldSpecs": st.one_of(st.lists(st.one_of(field_specs, junk), max_size=2), junk),
                "fieldSpec": junk,
            },
        ),
        junk,
    ),
    max_size=2,
)
numbers = st.sampled_from([0, 1, 300, -1, 1.0, 1.5, True, "1"])
resources = st.sampled_from(["cpu", "memory", "memoyr", "hugepages-2Mi", "example.com/gpu"])
quantities = st.dictionaries(resources, st.one_of(numbers, texts, junk), max_size=2)
tolerations = st.fixed_dictionaries(
    {},
    optional={
        "key": st.one_of(texts, junk),
        "operator": st.sampled_from(["Exists", "Equal", "Equals", 1]),
        "effect": st.sampled_from(["NoSchedule", "NoExecute", "Never", None]),
        "value": st.one_of(texts, junk),
        "tolerationSeconds": numbers,
        "unknown": junk,
    },
)
kind_names = st.sampled_from(
    [
        "v1/PodTemplate",
        "example.com/v1/Widget",
        "Widget",
        "/v1/Pod",
        "*/v1/Pod",
        "v1/pod",
        "a/b/v1/Pod",
        "v1/Pod\n",
    ]
)
pod_texts = st.dictionaries(
    st.sampled_from(
        [
            "sidecar.istio.io/inject",
            "linkerd.io/inject",
            "helm.sh/hook",
            "helm.sh/hook-weight",
            "helm.sh/resource-policy",
            "argocd.argoproj.io/hook",
            "argocd.argoproj.io/sync-wave",
            "argocd.argoproj.io/sync-options",
            "revisions.krm-fn.io/set",
            "mounts.revisions.krm-fn.io/x",
            "other-revisions.krm-fn.io/x",
        ]
    ),
    st.one_of(st.sampled_from(["false", "disabled", "enabled"]), junk),
    max_size=2,
)
hashed = ["H", "H/15", "H/24", "H/60", "H/0", "H,0", "H-5", "h"]
minutes = st.sampled_from(
    [
        "*",
        "0",
        "?",
        "*/15",
        "*/0",
        "59",
        "60",
        "1-5",
        "1-5/2",
        "0,30",
        "0,",
        "x",
        "07",
        "007",
        "*/05",
        *hashed,
    ]
)
hours = st.sampled_from(["*", "23", "24", "03", "0-6", *hashed])
days = st.sampled_from(
    ["H", "*", "0", "00", "6", "7", "07", "sun", "MON-FRI", "Mon", "jan", "sun,sat", "* *", ""]
)
schedules = st.one_of(
    st.builds("{} {} * * {}".format, minutes, hours, days),
    st.builds(
        "0 0 {} {} *".format, minutes, st.sampled_from(["12", "13", "jan", "JAN-dec", "sun"])
    ),
    st.sampled_from(
        [
            "@hourly",
            "@daily",
            "@every 1h",
            "@Hourly",
            "",
            " ",
            "0 * * * *\n",
            "TZ=UTC 0 * * * *",
            "0 * * *",
        ]
    ),
)
linkers = st.fixed_dictionaries(
    {},
    optional={
        "enabled": junk,
        "schedule": st.one_of(schedules, junk),
        "openshift": junk,
        "secrets": junk,
        "kinds": st.one_of(st.lists(st.one_of(kind_names, junk), max_size=2), junk),
        **dict.fromkeys(("image", "namespace", "serviceAccountName"), st.one_of(texts, junk)),
        **dict.fromkeys(
            ("timeoutSeconds", "minimumAgeSeconds", "ttlSecondsAfterFinished"),
            st.one_of(numbers, junk),
        ),
        "resources": st.one_of(
            st.dictionaries(
                st.sampled_from(["requests", "limits", "claims"]), st.one_of(quantities, junk)
            ),
            junk,
        ),
        "nodeSelector": st.one_of(labels, junk),
        **dict.fromkeys(("labels", "annotations"), st.one_of(labels, pod_texts, junk)),
        "tolerations": st.one_of(st.lists(st.one_of(tolerations, junk), max_size=2), junk),
        "imagePullSecrets": st.one_of(
            st.lists(
                st.sampled_from([{"name": "a"}, {"name": ""}, {}, {"name": 1}, {"nam": "a"}, "a"]),
                max_size=2,
            ),
            junk,
        ),
        "unknown": junk,
    },
)
annotations = st.sampled_from(
    [
        "checksum/config",
        "x",
        "A_b.c",
        "a.b/c-d",
        "/x",
        "x/",
        "a/b/c",
        "A/b",
        "-a",
        "a" * 63,
        "a" * 64,
        "a/b\n",
    ]
)
specs = st.fixed_dictionaries(
    {},
    optional={
        "kinds": st.one_of(st.lists(kinds, max_size=3), junk),
        "strategy": st.one_of(strategies, junk),
        "select": st.one_of(st.lists(st.one_of(selectors, junk), max_size=2), junk),
        "exclude": st.one_of(st.lists(st.one_of(selectors, junk), max_size=2), junk),
        "immutable": junk,
        "strict": junk,
        "deployers": st.one_of(st.lists(st.sampled_from([*PROTECTIONS, "argo"]), max_size=3), junk),
        "references": st.one_of(
            name_references,
            st.fixed_dictionaries(
                {}, optional={"nameReference": name_references, "images": junk, "imgs": junk}
            ),
            junk,
        ),
        "linker": st.one_of(linkers, linkers, junk),
        "checksums": st.one_of(
            st.fixed_dictionaries(
                {},
                optional={
                    "annotation": st.one_of(annotations, junk),
                    "controllers": st.one_of(
                        st.lists(st.sampled_from([*CONTROLLERS, "wav"]), max_size=3), junk
                    ),
                    "algorithm": junk,
                },
            ),
            junk,
        ),
        "jobs": st.one_of(st.sampled_from(["warn", "rename", "Warn"]), junk),
        "strateg": junk,
    },
)
some_texts = st.lists(st.sampled_from(["app", "*", ""]), max_size=2)
modes = st.sampled_from([0, 292, 511, 512, -1, 4.0, 4.5, True, "292", float("inf"), float("nan")])
items = st.lists(
    st.fixed_dictionaries(
        {"key": st.sampled_from(["k", "", 1])},
        optional={"path": st.just("p"), "mode": modes, "x": st.just("y")},
    ),
    max_size=2,
)
sources = st.fixed_dictionaries(
    {},
    optional={
        "configMap": texts,
        "secret": texts,
        "items": items,
        "optional": st.sampled_from([True, False, "true"]),
    },
)
mounts = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["Deployment", "", 1]),
        "name": texts,
        "namespace": texts,
        "labels": st.one_of(labels, junk),
        "containers": st.one_of(some_texts, junk),
        "initContainers": st.one_of(some_texts, junk),
        "unknown": junk,
    },
)
what = st.one_of(
    st.fixed_dictionaries({"configMap": st.one_of(texts, junk)}),
    st.fixed_dictionaries(
        {"secret": texts}, optional={"optional": st.sampled_from([True, False, 1])}
    ),
    st.fixed_dictionaries(
        {"projected": st.one_of(st.lists(st.one_of(sources, texts, junk), max_size=2), junk)},
        optional={"items": items, "optional": st.booleans()},
    ),
    sources,
)
where: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries(
        {"path": st.sampled_from(["/etc", "/a b", "etc", "/c:d", "", "/\n", 1])},
        optional={"subPath": texts, "defaultMode": modes, "items": items, "prefix": texts},
    ),
    st.fixed_dictionaries(
        {"envFrom": st.sampled_from([True, False, "true", 1])},
        optional={
            "prefix": st.sampled_from(["APP_", "", "A=", "A\n", 1]),
            "items": items,
            "subPath": texts,
        },
    ),
    st.just({}),
)
set_names = st.one_of(
    st.sampled_from(["web", "a.b-c", "-a", "a-", "A", "a" * 63, "a" * 64, "a\n", "1"]), junk
)


@given(st.one_of(specs, junk), set_names)
@example({}, "web")
@settings(max_examples=examples_of(3000))
def test_both_agree_on_what_is_valid(spec: Any, name: Any) -> None:
    value = config(spec, name)
    assert is_built(value) == VALIDATOR.is_valid(value)


@given(mounts, what, where)
@settings(max_examples=examples_of(2000))
def test_both_agree_on_what_is_a_mount(workload: Any, source: Any, place: Any) -> None:
    value = config({"mounts": [{**workload, **source, **place}]})
    assert is_built(value) == VALIDATOR.is_valid(value)


@given(st.one_of(mounts, what, where, junk))
@settings(max_examples=examples_of(500))
def test_both_agree_on_what_is_part_of_a_mount(mount: Any) -> None:
    value = config({"mounts": [mount]})
    assert is_built(value) == VALIDATOR.is_valid(value)


LINE_BREAK = [
    pytest.param(config({}, "web\n"), id="the name of the set"),
    pytest.param(config({"takeOver": ["web\n"]}), id="the name of another set"),
    pytest.param(config({"checksums": {"annotation": "a/b\n"}}), id="an annotation"),
    pytest.param(config({"linker": {"kinds": ["v1/Pod\n"]}}), id="a kind"),
    pytest.param(
        config({"mounts": [{"configMap": "a", "path": "/etc:\n"}]}), id="a path with a colon"
    ),
    pytest.param(
        config({"mounts": [{"configMap": "a", "envFrom": True, "prefix": "A=\n"}]}), id="a prefix"
    ),
]


@pytest.mark.parametrize("value", LINE_BREAK)
def test_both_refuse_a_line_break_at_the_end(value: dict[str, Any]) -> None:
    assert not is_built(value)
    assert not VALIDATOR.is_valid(value)


def test_the_defaults_are_those_of_the_schema() -> None:
    defaults = {
        name: field["default"]
        for name, field in SCHEMA["properties"]["spec"]["properties"].items()
        if "default" in field
    }
    built = build_settings(config({}))
    assert defaults == {
        "kinds": sorted(built.kinds),
        "strategy": built.strategy,
        "hooks": built.hooks,
        "exclude": list(built.exclude),
        "takeOver": list(built.take_over),
        "immutable": built.immutable,
        "deployers": list(built.deployers),
        "references": list(built.references),
        "mounts": list(built.mounts),
        "jobs": built.jobs,
        "leave": built.leave,
        "strict": built.strict,
    }
    assert built == Settings(set="web")
    linker = SCHEMA["properties"]["spec"]["properties"]["linker"]["properties"]
    defaults = {name: field["default"] for name, field in linker.items() if "default" in field}
    values = {
        re.sub("_(.)", lambda one: one[1].upper(), name): value
        for name, value in built.linker._asdict().items()
    }
    assert defaults == {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }
    checksums = SCHEMA["properties"]["spec"]["properties"]["checksums"]["properties"]
    assert checksums["annotation"]["default"] == built.checksums.annotation
    assert checksums["controllers"]["default"] == list(built.checksums.controllers)


def test_both_agree_on_what_keeps_sidecars_away() -> None:
    in_schema = {
        name: rule["const"] for name, rule in SCHEMA["$defs"]["podTexts"]["properties"].items()
    }
    assert in_schema == NO_SIDECAR_LABELS | NO_SIDECAR_ANNOTATIONS


def test_each_deployer_is_described_with_its_annotations() -> None:
    """Editors show the descriptions in the order of the values.

    `oneOf` shows a wrong one in some, or none.
    """
    items = SCHEMA["properties"]["spec"]["properties"]["deployers"]["items"]
    assert items["enum"] == list(PROTECTIONS)
    for deployer, description in zip(items["enum"], items["enumDescriptions"], strict=True):
        kept = [f"{one.annotation}: {one.value}" for one in PROTECTIONS[deployer]]
        named = [
            f'{annotation}: "{value}"' for annotation, value in keep_new_name([deployer]).items()
        ]
        for annotation in kept + named:
            assert f"`{annotation}`" in description
        assert "On prune" in description
        assert "On uninstall" in description


def test_the_schema_is_valid() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    fields = SCHEMA["properties"]["spec"]["properties"]
    assert all(field["description"] for field in fields.values())


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(
            {"kinds": ["Secret"]}, Settings(set="web", kinds=frozenset({"Secret"})), id="kinds"
        ),
        pytest.param(
            {
                "select": [
                    {"kind": "ConfigMap", "name": "a*", "labels": {"x": "y"}, "strategy": "adopt"}
                ]
            },
            Settings(
                set="web",
                select=(
                    Selector(
                        kind="ConfigMap", name="a*", labels={"x": "y"}, strategy=Strategy.ADOPT
                    ),
                ),
            ),
            id="select",
        ),
        pytest.param(
            {"checksums": {"annotation": "example.com/config", "controllers": ["wave", "wave"]}},
            Settings(
                set="web",
                checksums=ChecksumSettings(annotation="example.com/config", controllers=("wave",)),
            ),
            id="checksums",
        ),
        pytest.param(
            {"select": []}, Settings(set="web", select=()), id="an empty select selects nothing"
        ),
        pytest.param(
            {
                "references": {
                    "commonLabels": [],
                    "nameReference": [
                        {
                            "kind": "ConfigMap",
                            "fieldSpecs": [{"path": "spec/a", "kind": "Widget", "create": False}],
                        },
                        {"kind": "Deployment", "fieldSpecs": [{"path": "spec/b"}]},
                    ],
                }
            },
            Settings(
                set="web",
                references=(
                    FieldSpec(
                        "ConfigMap",
                        "spec/a",
                        kind="Widget",
                        entry="spec.references.nameReference[0].fieldSpecs[0]",
                    ),
                ),
            ),
            id="a kustomize configuration file",
        ),
        pytest.param({"jobs": "rename"}, Settings(set="web", jobs=Jobs.RENAME), id="jobs"),
        pytest.param(
            {
                "mounts": [
                    {"kind": "Deployment", "configMap": "a", "path": "/etc/a", "defaultMode": 292}
                ]
            },
            Settings(
                set="web",
                mounts=(
                    Mount(
                        kind="Deployment",
                        sources=(MountSource(kind="ConfigMap", name="a"),),
                        path="/etc/a",
                        default_mode=292,
                    ),
                ),
            ),
            id="a mount as files",
        ),
        pytest.param(
            {
                "mounts": [
                    {
                        "secret": "a",
                        "envFrom": True,
                        "prefix": "A_",
                        "optional": True,
                        "initContainers": ["*"],
                    }
                ]
            },
            Settings(
                set="web",
                mounts=(
                    Mount(
                        sources=(MountSource(kind="Secret", name="a", optional=True),),
                        prefix="A_",
                        init_containers=("*",),
                    ),
                ),
            ),
            id="a mount as variables",
        ),
        pytest.param(
            {
                "mounts": [
                    {
                        "projected": ["a", {"secret": "b", "items": [{"key": "k", "path": "p"}]}],
                        "path": "/etc",
                    }
                ]
            },
            Settings(
                set="web",
                mounts=(
                    Mount(
                        sources=(
                            MountSource(kind="ConfigMap", name="a"),
                            MountSource(
                                kind="Secret", name="b", items=(KeyToPath(key="k", path="p"),)
                            ),
                        ),
                        projected=True,
                        path="/etc",
                    ),
                ),
            ),
            id="several in one volume",
        ),
    ],
)
def test_settings(spec: Any, expected: Settings) -> None:
    assert build_settings(config(spec)) == expected
