"""What each check says, word for word, where no fixture shows it; and where inputs come from."""

from pathlib import Path

import pytest

from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions
from tests.cases import FIXTURES
from tests.render.run import write
from tests.verify.judge import verify

CONSISTENT = (
    FIXTURES / "verifications/what-the-function-rendered-is-consistent/input.yaml"
).read_text()
CONFIG = "web-config-hf678c7m2b"
SECRET = "web-db-kc4g25g54d"  # noqa: S105  # a name
JOB = "Job/shop/shop-link-ck29mhfm7h"
ARGS = f"{JOB} spec.template.spec.containers[0].args"
SPEC = (
    f"{JOB} metadata.name: the spec belongs to shop-link-%s: something has changed it after krm-fn, which must run "
    "last, because the spec of a Job cannot change"
)
WORKLOAD = f"--workload=apps/v1/Deployment/web=ConfigMap/{CONFIG},Secret/{SECRET}"
NOT_RUN = "krm-fn has not run over these objects (kustomize skips exec functions unless it has --enable-exec)"


def findings(manifests: str, options: VerifyOptions = VerifyOptions()) -> list[str]:  # noqa: B008  # an immutable value
    """Return the lines of a ResourceList's verification, which name no lines of the input."""
    items = ["- " + document.strip().replace("\n", "\n  ") for document in manifests.split("---\n")]
    header = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:"
    outcome = verify("-", "\n".join([header, *items, ""]).encode(), options)
    assert outcome.exit_code == ("error: " in outcome.stderr)
    return outcome.stderr.splitlines()


EDITS = [
    pytest.param(
        f'"{WORKLOAD}"',
        f'"--revision=ConfigMap/{CONFIG}"',
        [
            (
                f"{ARGS}: lacks {WORKLOAD.replace(SECRET, 'web-db-(hash)')}; found --revision=ConfigMap/{CONFIG}, "
                "which does not belong there"
            )
        ],
        id="a workload that the Job does not wait for",
    ),
    pytest.param(
        '"--set=shop"',
        '"--set=shop"\n        - "--revision=ConfigMap/web-config-2222222222"',
        [f"{ARGS}: found --revision=ConfigMap/web-config-2222222222, which does not belong there"],
        id="a revision of before",
    ),
    pytest.param(
        '"--set=shop"',
        '"--set=shp"',
        [f"{ARGS}: lacks --set=shop; found --set=shp, which does not belong there"],
        id="another set",
    ),
    pytest.param(
        "--timeout=300",
        "--dry-run",
        [f"{ARGS}: lacks --timeout=300; found --dry-run, which does not belong there"],
        id="an argument that the function does not write",
    ),
    pytest.param(
        "--timeout=300",
        "--timeout=soon",
        [f"{ARGS}: lacks --timeout=300; found --timeout=soon, which does not belong there"],
        id="no number of seconds",
    ),
    pytest.param(
        "- link\n",
        "- render\n",
        [f"{ARGS}: lacks link; found render, which does not belong there"],
        id="a Job that does something else",
    ),
    pytest.param(
        "--timeout=300",
        "--timeout=60",
        [SPEC % "b864kht7d5"],
        id="another timeout under the same name",
    ),
    pytest.param(
        "registry.example/krm-fn",
        "mirror.example/krm-fn",
        [SPEC % "8m74mhbg2d"],
        id="another image",
    ),
    pytest.param(
        "      containers:\n      - name: link\n",
        "      containers:\n      - {name: proxy, image: mesh}\n      - name: link\n",
        [SPEC % "dbtkd946mg"],
        id="a container of a service mesh",
    ),
    pytest.param(
        f'{CONFIG},{SECRET}"\n',
        f'{CONFIG}"\n',
        [
            "ConfigMap/shop/shop-linker metadata.annotations[revisions.krm-fn.io/rendered]: lacks web-db-(hash)"
        ],
        id="an inventory without a revision",
    ),
    pytest.param(
        f"name: {SECRET}\n  namespace: shop\n  labels:\n    revisions.krm-fn.io/set: shop\n    revisions.krm-fn.io/com",
        "name: web-db-2222222222\n  namespace: shop\n  labels:\n"
        "    revisions.krm-fn.io/set: shop\n    revisions.krm-fn.io/com",
        [
            "ConfigMap/shop/web-db-(hash) metadata.name: is that of another revision than the Secret which is here",
        ],
        id="the tracker of another revision",
    ),
    pytest.param(
        "kind: RoleBinding\nmetadata:\n  name: shop-linker",
        "kind: RoleBinding\nmetadata:\n  name: my-linker",
        ["RoleBinding/shop/shop-linker: is not in the input: the Job of the linker needs it"],
        id="a RoleBinding of another name",
    ),
    pytest.param(
        "  LOG_LEVEL: info",
        "  LOG_LEVEL: 10:30\n  10: a",
        [
            (
                f"ConfigMap/shop/{CONFIG} metadata.name: the content belongs to web-config-g225km597h: something has "
                "changed it after krm-fn, which must run last"
            )
        ],
        id="content that is not text",
    ),
    pytest.param(
        "  LOG_LEVEL: info",
        "  LOG_LEVEL: !!int info",
        [f"ConfigMap/shop/{CONFIG} data.LOG_LEVEL: does not match its tag !!int"],
        id="content without a hash",
    ),
    pytest.param(
        "    revisions.krm-fn.io/base-name: web-config\n",
        "    revisions.krm-fn.io/base-name: web-config\n    kapp.k14s.io/versioned: ''\n",
        [
            (
                f"ConfigMap/shop/{CONFIG} metadata.annotations[kapp.k14s.io/versioned]: found '': the name gets a "
                "second suffix when it is deployed"
            )
        ],
        id="kapp adds its version",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), EDITS)
def test_a_finding_says(old: str, new: str, expected: list[str]) -> None:
    assert old in CONSISTENT
    found = findings(CONSISTENT.replace(old, new, 1))
    assert [
        line.removeprefix("error: ") for line in found if not line.startswith("verified: ")
    ] == expected


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config, namespace: shop%s}\ndata: {A: b}\n"
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: web-config}}]}]}}}
"""
ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get], resourceNames: [web-config]}
"""
EMBEDDED = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: templates, namespace: shop}
data:
  pod.yaml: |
    envFrom: [{configMapRef: {name: web-config}}]
"""
SET = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\nspec: {%s}\n"
NAME = "web-config-b9t2424hkf"


def rendered(
    *documents: str, spec: str = "select: [{name: web-*}], linker: {enabled: false}"
) -> str:
    outcome = run("---\n".join(documents).encode(), (SET % spec).encode())
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stdout.decode()


def test_a_rule_must_name_the_revision() -> None:
    manifests = rendered(CONFIG_MAP % "", WEB, ROLE)
    assert findings(manifests)[0].startswith("verified: 1 revision of set shop, ")
    assert findings(manifests.replace(f", {NAME}]", "]")) == [
        (
            f"error: Role/shop/reader rules[0].resourceNames: lacks {NAME}: who may read the base name may not read "
            "this revision"
        )
    ]
    prefixed = manifests.replace(f"{{name: {NAME}", f"{{name: eu-{NAME}")
    assert findings(prefixed) == [
        (
            f"error: Role/shop/reader rules[0].resourceNames: lacks eu-{NAME}: who may read the base name may not read "
            "this revision"
        )
    ]


def test_a_name_in_data_must_be_that_of_the_revision() -> None:
    manifests = rendered(CONFIG_MAP % "", WEB, EMBEDDED)
    assert findings(manifests)[0].startswith("verified: 1 revision of set shop, ")
    assert findings(
        manifests.replace(
            f"    envFrom: [{{configMapRef: {{name: {NAME}",
            "    envFrom: [{configMapRef: {name: web-config",
        )
    ) == [
        f"error: ConfigMap/shop/templates data[pod.yaml]: found 'web-config', which has been renamed: expected {NAME}"
    ]


def test_a_prefix_that_did_not_reach_a_reference_is_no_pin() -> None:
    manifests = rendered(CONFIG_MAP % "", WEB).replace(
        f"metadata: {{name: {NAME}", f"metadata: {{name: eu-{NAME}"
    )
    assert findings(manifests) == [
        (
            "error: Deployment/shop/web spec.template.spec.containers[0].envFrom[0].configMapRef.name: "
            f"found '{NAME}', which has been renamed: expected eu-{NAME}"
        )
    ]


def test_the_opposite_of_protection_is_the_authors_decision() -> None:
    annotations = ", annotations: {kustomize.toolkit.fluxcd.io/prune: enabled}"
    assert findings(
        rendered(CONFIG_MAP % annotations, WEB), VerifyOptions(deployers=("flux",))
    ) == [
        (
            f"warning: ConfigMap/shop/{NAME} metadata.annotations[kustomize.toolkit.fluxcd.io/prune]: found 'enabled': "
            "flux may prune it while pods use it; expected 'disabled'"
        ),
        "verified: 1 revision of set shop, 1 reference, 0 linker Jobs; not protected from flux",
    ]
    assert findings(
        rendered(CONFIG_MAP % annotations, WEB), VerifyOptions(deployers=("flux", "kpt"))
    )[1].endswith("; protected from pruning by kpt; not protected from flux")


@pytest.mark.parametrize(
    ("annotation", "deployer", "expected"),
    [
        pytest.param(
            "argocd.argoproj.io/compare-options: IgnoreExtraneous",
            "argocd",
            "metadata.annotations[argocd.argoproj.io/compare-options]: missing: argocd reports it as obsolete; "
            "expected 'IgnoreExtraneous'",
            id="argocd",
        ),
        pytest.param(
            'strategy.spinnaker.io/versioned: "false"',
            "spinnaker",
            "metadata.annotations[strategy.spinnaker.io/versioned]: missing: the name gets a second suffix when it is "
            "deployed; expected 'false'",
            id="spinnaker",
        ),
    ],
)
def test_protection_from_more_than_pruning(annotation: str, deployer: str, expected: str) -> None:
    spec = f"select: [{{name: web-*}}], linker: {{enabled: false}}, deployers: [{deployer}]"
    manifests = rendered(CONFIG_MAP % ', annotations: {mine: "1"}', WEB, spec=spec)
    options = VerifyOptions(deployers=(deployer,))
    assert findings(manifests, options)[0].startswith("verified: ")
    assert findings(manifests.replace(f", {annotation}", ""), options) == [
        f"error: ConfigMap/shop/{NAME} {expected}"
    ]


def test_adopted_objects_may_have_any_content() -> None:
    manifests = rendered(CONFIG_MAP % "", WEB, spec="strategy: adopt, select: [{name: web-*}]")
    assert findings(manifests.replace("A: b", "A: changed"))[0].startswith(
        "verified: 1 revision of set shop"
    )


def test_objects_without_a_namespace_are_in_that_of_the_job() -> None:
    """As `krm-fn render --namespace shop` leaves them."""
    spec = "linker: {namespace: shop}"
    mixed = rendered(CONFIG_MAP % "", WEB.replace(", namespace: shop", ""), spec=spec)
    assert findings(mixed) == [
        (
            "verified: 1 revision of set shop, 1 reference, 1 linker Job; add --deployer NAME to check that "
            "nothing is pruned"
        )
    ]


def test_two_configurations_of_one_set() -> None:
    first, second = SET % "strategy: adopt", SET % "strategy: rename"
    outcome = verify("-", "---\n".join([CONFIG_MAP % "", first, second]).encode(), VerifyOptions())
    assert outcome.stderr == (
        "error: <stdin>:6:1 and <stdin>:11:1 contradict each other: spec.strategy (adopt and rename); configurations "
        "are not merged, so remove one of them, or make them equal\n"
    )
    assert outcome.exit_code == 1
    agreeing = [SET % "kinds: [ConfigMap, Secret], deployers: [argocd]"] * 2
    same = verify("-", "---\n".join([CONSISTENT, *agreeing]).encode(), VerifyOptions())
    assert same.exit_code == 0, same.stderr


def test_the_configuration_beside_the_manifests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        {
            "web/web.yaml": WEB,
            "config.yaml": CONFIG_MAP % "",
            "krm-fn.yaml": SET % "",
            "notes.yaml": "# -\n",
        },
    )
    assert (
        verify(".", None, VerifyOptions()).stderr == f"error: no revision of set shop: {NOT_RUN}\n"
    )
    manifests = rendered(CONFIG_MAP % "", WEB, spec="linker: {enabled: false}")
    write(tmp_path, {"web/web.yaml": manifests, "config.yaml": ""})
    assert verify(".", None, VerifyOptions()).stderr == (
        "error: no linker for set shop, though its configuration asks for one: run krm-fn again\n"
    )
