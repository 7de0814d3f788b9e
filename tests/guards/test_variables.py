"""Whose a variable in data is: Flux's, which substitutes it after the function, or the program's."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.function import run
from krm_fn.guards.replaced_later import _DECLARES, _SETS, _names_made_in, _variables
from tests.cases import ENVIRONMENT

CONFIG = (
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
    "spec: {linker: {enabled: false}, DEPLOYERS}\n"
)
SITE = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: shop, META}\n"
    "data: {site.conf: 'host ${HOST}'}\n"
)
HASH = "site-8h9k4gbc2b"
"""The name that kustomize's generator gives such data."""

WEB = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, META}\n"
    "spec: {template: {spec: {containers: [{name: web, CONTAINER, volumeMounts: [{name: v, mountPath: /v}]}], "
    "volumes: [{name: v, configMap: {name: NAME}}]}}}\n"
)
ENV = "env: [{name: HOST, value: www}]"
KEY = "env: [{name: HOST, valueFrom: {configMapKeyRef: {name: OTHER, key: site.conf}}}]"
SCRIPT = 'command: [sh, -c, "export HOST=$(cat /host)\\nenvsubst < /v/site.conf"]'
LISTED = "envFrom: [{prefix: HO, configMapRef: {name: other}}]"
OTHER = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: shop}\ndata: {ST: www}\n"
)

ARGO = "annotations: {argocd.argoproj.io/sync-wave: '1'}"
PROTECTED = (
    "annotations: {argocd.argoproj.io/sync-options: Prune=false, revisions.krm-fn.io/base-name: other}, "
    "labels: {revisions.krm-fn.io/set: shop}"
)
APPLICATION = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec: {}\n"
)
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n"
KUSTOMIZATION = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: shop}\nspec: {}\n"


_AS_FLUX_READS_IT = re.compile(
    r"(?<!\$)(?:\$\$)*\$\{#?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?=\}|:[-=?+]|:\s*-?[0-9]|[=,^/#%])"
)
_BEGINS = re.compile(r"(?<!\$)(?:\$\$)*\$\{")


@given(
    st.lists(
        st.sampled_from(["$", "{", "}", "a", "B_1", ":-", ":", "#", "0", "=", " ", "\n", "[", "\\"])
    ).map("".join)
)
def test_variables_are_found_as_one_pattern_would(text: str) -> None:
    """The pattern looks behind each place of a text: for a long one that takes most of the time of a run."""
    found = [*_variables(text)]
    assert [name for name in found if name] == [
        one["name"] for one in _AS_FLUX_READS_IT.finditer(text)
    ]
    assert len(found) == len(_BEGINS.findall(text))


@given(
    st.lists(
        st.sampled_from(
            [
                "for",
                "in",
                "const",
                "Define",
                "$",
                "{",
                "}",
                "a",
                "b_1",
                "é",
                "=",
                '"',
                " ",
                "\n",
                "\r",
                "\x85",
            ]
        )
    ).map("".join)
)
def test_a_name_that_a_script_sets_is_also_found_for_itself(text: str) -> None:
    """A script is read by the slow patterns only where a quick look says that it may set a wanted name."""
    made = [*re.findall(_SETS, text), *re.findall(_DECLARES, text)]
    for name in filter(None, {name for names in made for name in names}):
        assert name in {*_names_made_in(text, {name})}


def is_left_alone(  # noqa: PLR0913  # what a row may say
    *others: str,
    container: str = "",
    name: str = "site",
    site: str = "",
    web: str = "",
    deployers: str = "",
    variable: str = "HOST",
) -> bool:
    documents = [
        SITE.replace("NAME", name)
        .replace("HOST", variable)
        .replace(", META", f", {site}" if site else ""),
        WEB.replace("NAME", name)
        .replace(", META", f", {web}" if web else "")
        .replace("CONTAINER", container or "image: web")
        .replace("OTHER", name),
        *others,
    ]
    config = CONFIG.replace(", DEPLOYERS", f", deployers: {deployers}" if deployers else "")
    outcome = run("---\n".join(documents).encode(), config.encode(), ENVIRONMENT)
    assert outcome.exit_code == 0, outcome.stderr
    return "which Flux may substitute after this function" in outcome.stderr


FLUX = [
    pytest.param({}, (), id="a pod without the variable"),
    pytest.param(
        {"container": "env: [{name: HOSTS, value: www}]"}, (), id="a pod with another variable"
    ),
    pytest.param({"container": KEY}, (), id="a variable that comes from the object itself"),
    pytest.param(
        {"container": "envFrom: [{configMapRef: {name: site}}]"},
        (),
        id="all variables of the object itself",
    ),
    pytest.param(
        {"container": "env: [{name: HOST, value: '${HOST}'}]"},
        (),
        id="a variable that is substituted too",
    ),
    pytest.param(
        {"container": ENV},
        (
            WEB.replace("name: web, name", "name: api, name")
            .replace(", META", "")
            .replace("CONTAINER", "image: x")
            .replace("NAME", "site"),
        ),
        id="one of two workloads",
    ),
    pytest.param({"container": LISTED.replace("HO,", "H,")}, (OTHER,), id="another prefix"),
    pytest.param({"container": "args: ['--HOST=www']"}, (), id="an option of this name"),
    pytest.param({"variable": "HOMEPAGE"}, (), id="a variable that begins like one of a shell"),
    pytest.param({"web": ARGO}, (KUSTOMIZATION,), id="signs of Argo CD and of Flux"),
    pytest.param(
        {"web": ARGO, "deployers": "[flux]"}, (), id="a configuration that names Flux alone"
    ),
    pytest.param({"web": PROTECTED}, (), id="annotations that the function writes"),
]

PROGRAM = [
    pytest.param({"container": ENV}, (), id="each pod has the variable"),
    pytest.param({"container": SCRIPT}, (), id="a script of the pod sets it"),
    pytest.param({"variable": "KUBERNETES_SERVICE_HOST"}, (), id="each container has it"),
    pytest.param({"variable": "KUBERNETES_PORT_443_TCP_ADDR"}, (), id="the kubelet sets it"),
    pytest.param({"variable": "HOME"}, (), id="a shell sets it"),
    pytest.param({"container": LISTED}, (OTHER,), id="from another object, with a prefix"),
    pytest.param({"name": HASH}, (), id="kustomize's hash in the name"),
    pytest.param(
        {"site": "annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}"},
        (),
        id="a generator that adds a hash",
    ),
    pytest.param({"site": "labels: {helm.sh/chart: shop-1.0.0}"}, (), id="an object of a chart"),
    pytest.param({"web": ARGO}, (), id="a sync wave of Argo CD"),
    pytest.param({}, (APPLICATION,), id="an Application"),
    pytest.param({}, (KPTFILE,), id="a Kptfile"),
    pytest.param({"deployers": "[argocd]"}, (), id="a configuration without Flux"),
]


@pytest.mark.parametrize(("package", "others"), FLUX)
def test_flux_may_substitute_it(package: dict[str, str], others: tuple[str, ...]) -> None:
    assert is_left_alone(*others, **package)


@pytest.mark.parametrize(("package", "others"), PROGRAM)
def test_it_is_the_programs(package: dict[str, str], others: tuple[str, ...]) -> None:
    assert not is_left_alone(*others, **package)


@pytest.mark.parametrize(
    ("text", "is_own"),
    [
        pytest.param(
            '{"templating": {"list": [{"name": "source"}]}, "uid": "${source}"}',
            True,
            id="a dashboard of Grafana",
        ),
        pytest.param(
            '{"__inputs": [{"name": "DS_MAIN"}], "uid": "${DS_MAIN}"}',
            True,
            id="an input of a dashboard",
        ),
        pytest.param(
            '<Property name="logs">/var</Property><File name="${logs}/a"/>', True, id="Log4j"
        ),
        pytest.param('<property name="logs" value="/var"/><f>${logs}</f>', True, id="Logback"),
        pytest.param(
            '{"templating": {"list": [{"name": "source"}]}, "host": "${DOMAIN}"}',
            False,
            id="a dashboard with a variable of others",
        ),
        pytest.param('{"name": "source", "uid": "${source}"}', False, id="no dashboard"),
        pytest.param("<match **>\n  path /log/${tag}\n</match>", True, id="Fluentd's tag"),
        pytest.param(
            "@type record_transformer\n<record>\n  host ${hostname}\n</record>",
            True,
            id="a record of Fluentd",
        ),
        pytest.param("<match **>\n  host ${HOST}\n</match>", False, id="another one in Fluentd's"),
        pytest.param(
            "<filter **>\n  @type prometheus\n  <labels>\n    host ${hostname}\n  </labels>\n</filter>",
            True,
            id="a label of Fluentd's metrics",
        ),
        pytest.param(
            "<source>\n  @type prometheus\n  port ${PORT}\n</source>",
            False,
            id="a port that Fluentd does not set",
        ),
        pytest.param('"@type": "Thing", "host": "${hostname}"', False, id="JSON-LD"),
        pytest.param("path /log/${tag}", False, id="no configuration of Fluentd"),
        pytest.param("const url = __ENV.URL;\nget(`${url}/a`)", True, id="a script of k6"),
        pytest.param('def app = "web"\nsh "make ${app}"', True, id="a pipeline of Jenkins"),
        pytest.param("Define ROOT /srv\nDocumentRoot ${ROOT}", True, id="Apache's httpd"),
        pytest.param("const url = 1;\nget(`${DOMAIN}/a`)", False, id="a script with another one"),
    ],
)
def test_a_text_that_names_its_variable_is_not_for_flux(text: str, *, is_own: bool) -> None:
    site = SITE.replace(", META", "").replace(
        "{site.conf: 'host ${HOST}'}", json.dumps({"a": text})
    )
    web = WEB.replace(", META", "").replace("CONTAINER", "image: web").replace("OTHER", "site")
    package = f"{site}---\n{web}".replace("NAME", "site")
    outcome = run(package.encode(), CONFIG.replace(", DEPLOYERS", "").encode(), ENVIRONMENT)
    assert ("which Flux may substitute" not in outcome.stderr) is is_own
