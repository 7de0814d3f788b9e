"""It is an error if a sync would prune what running pods use, because the live object is not yet protected."""

from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import Inputs
from krm_fn.tools.render.check import check
from tests.render.run import render, write

ARGO = "argocd.argoproj.io/sync-options: Prune=false"
FLUX = "kustomize.toolkit.fluxcd.io/prune: disabled"
KPT = "client.lifecycle.config.k8s.io/deletion: detach"
ALL = f"{ARGO}, {FLUX}, {KPT}"
OWNED = "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: '1'}]"
NOW = "web-config-hf678c7m2b"
"""The name of the rendered ConfigMap."""
PRODUCER_NOW = "web-5kgt85f68c"


def config_map(
    name: str = "web-config", *, annotations: str = "", kind: str = "ConfigMap", more: str = ""
) -> str:
    return (
        f"---\n"
        f"{{apiVersion: v1, kind: {kind}, metadata: {{name: {name}, annotations: {{{annotations}}}, {more}}}}}\n"
    )


def workload(name: str, *, namespace: str = "", kind: str = "ReplicaSet") -> str:
    spec = f"{{containers: [], volumes: [{{name: config, configMap: {{name: {name}}}}}]}}"
    metadata = f"{{name: web, namespace: '{namespace}'}}"
    return f"---\n{{apiVersion: apps/v1, kind: {kind}, metadata: {metadata}, spec: {{template: {{spec: {spec}}}}}}}\n"


def rendering(
    deployers: str = "[argocd, flux, kpt]", strategy: str = "rename", namespace: str = ""
) -> str:
    metadata = f"{{name: web-config, namespace: '{namespace}'}}"
    return (
        "apiVersion: v1\nkind: ConfigMap\n"
        f"metadata: {metadata}\ndata: {{LOG_LEVEL: info}}\n"
        f"{workload('web-config', namespace=namespace, kind='Deployment')}"
        "---\napiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
        f"spec: {{strategy: {strategy}, deployers: {deployers}, linker: {{enabled: false}}}}\n"
    )


def producer(version: str, *, name: str = "web", annotations: str = "") -> str:
    return (
        "---\napiVersion: external-secrets.io/v1\nkind: ExternalSecret\n"
        f"metadata: {{name: {name}, annotations: {{{annotations}}}}}\n"
        f"spec: {{data: [{{secretKey: token, remoteRef: {{key: web, version: {version}}}}}]}}\n"
    )


WITH_PRODUCER = (
    producer("v2")
    + workload("x")
    .replace("configMap: {name: x}", "secret: {secretName: web}")
    .replace("ReplicaSet", "StatefulSet")
    + "---\n"
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
    "spec: {kinds: [ExternalSecret], deployers: [kpt], linker: {enabled: false}}\n"
)


def run_check(package: str, deployed: str, namespace: str = "") -> Outcome:
    outcome = render(Inputs(("-",), stdin=package.encode()), HelmOptions())
    assert outcome.exit_code == 0, outcome.stderr
    return check(outcome, "-", deployed.encode(), namespace)


def hazard(
    lacking: str, pruners: str = "argocd, flux and kpt", who: str = "ConfigMap/web-config"
) -> str:
    return (
        f"error: {who}: {pruners} would prune it while pods still use it: it will be renamed to {NOW}, "
        f"and the deployed object lacks {lacking}; first deploy it unchanged, with `strategy: adopt`\n"
    )


UNSAFE = [
    pytest.param(rendering(), config_map(), hazard(ALL), id="a fixed name without protection"),
    pytest.param(
        rendering(),
        config_map(annotations=f"{ARGO}, {KPT}"),
        hazard(FLUX, "flux"),
        id="only that which is missing, by deployer",
    ),
    pytest.param(
        rendering("[argocd]"),
        config_map(annotations="argocd.argoproj.io/sync-options: 'Prune=true,Replace=true'"),
        hazard(ARGO, "argocd"),
        id="the opposite",
    ),
    pytest.param(
        rendering("[argocd, flux]"),
        config_map(more=OWNED),
        hazard(FLUX, "flux"),
        id="an owner, which Flux does not look at",
    ),
    pytest.param(
        rendering("[helm]"),
        config_map(more=OWNED),
        hazard("helm.sh/resource-policy: keep", "helm"),
        id="nor Helm",
    ),
    pytest.param(
        rendering("[kluctl]"),
        config_map(annotations="kluctl.io/skip-delete-if-tags: 'true'"),
        hazard("kluctl.io/skip-delete: true", "kluctl"),
        id="what kluctl keeps with tags alone",
    ),
    pytest.param(
        rendering("[kpt]", namespace="shop"),
        config_map(),
        hazard(KPT, "kpt"),
        id="a dump without namespaces",
    ),
    pytest.param(
        rendering("[kpt]"),
        config_map(more="namespace: shop"),
        hazard(KPT, "kpt", "ConfigMap/shop/web-config"),
        id="a package without namespaces",
    ),
    pytest.param(
        rendering("[kpt]"),
        config_map() + workload("something-else"),
        hazard(KPT, "kpt"),
        id="a fixed name that no workload of the dump references",
    ),
    pytest.param(
        rendering("[kpt]"),
        config_map("web-config-5555555555") + workload("web-config-5555555555"),
        hazard(KPT, "kpt", "ConfigMap/web-config-5555555555"),
        id="kustomize's hash, when the content changes in the same step",
    ),
    pytest.param(
        rendering("[kpt]"),
        config_map("web-config-5555555555"),
        hazard(KPT, "kpt", "ConfigMap/web-config-5555555555"),
        id="the same, if the dump holds no workloads",
    ),
    pytest.param(
        rendering("[kpt]"),
        config_map("web-config-608240832") + workload("web-config-608240832"),
        hazard(KPT, "kpt", "ConfigMap/web-config-608240832"),
        id="the Adler-32 of a chart",
    ),
    pytest.param(
        rendering("[kapp]"),
        config_map("web-config-ver-3") + workload("web-config-ver-3"),
        hazard("kapp.k14s.io/delete-strategy: orphan", "kapp", "ConfigMap/web-config-ver-3"),
        id="kapp's version",
    ),
    pytest.param(
        WITH_PRODUCER,
        producer("v1"),
        hazard(KPT, "kpt", "ExternalSecret/web").replace(NOW, PRODUCER_NOW),
        id="what makes a Secret, without protection",
    ),
    pytest.param(
        rendering("[kpt]"),
        "apiVersion: v1\nkind: List\nitems:\n- " + config_map()[4:],
        hazard(KPT, "kpt"),
        id="in a List, as kubectl prints it",
    ),
]


@pytest.mark.parametrize(("package", "deployed", "sentences"), UNSAFE)
def test_unsafe(package: str, deployed: str, sentences: str) -> None:
    assert run_check(package, deployed) == Outcome(b"", sentences, 1)


def needed(who: str, readers: str = "Deployment/web") -> str:
    return (
        f"error: {who}: is no longer rendered, and new pods of {readers} do not start without it\n"
    )


def without_config_map(namespace: str = "") -> str:
    """Return a package of which somebody has deleted the ConfigMap, and another one is left."""
    package = rendering("[argocd]", namespace=namespace)
    other = package.partition("---\n")[0].replace("web-config", "other")
    return other + package[package.index("---\n") :].replace(
        "spec: {strategy", "spec: {exclude: [{name: other}], strategy"
    )


DUMPED = "uid: '1', labels: {revisions.krm-fn.io/set: web}"
NEEDED = [
    pytest.param(
        without_config_map(),
        config_map(),
        needed("ConfigMap/web-config"),
        id="the last rendering had it under its base name",
    ),
    pytest.param(
        without_config_map(),
        config_map(NOW, annotations=f"{ARGO}, revisions.krm-fn.io/base-name: web-config"),
        needed(f"ConfigMap/{NOW}"),
        id="the last rendering had it as a revision, which stays, but not under this name",
    ),
    pytest.param(
        without_config_map("shop"),
        config_map(
            NOW,
            annotations=f"{ARGO}, revisions.krm-fn.io/base-name: web-config",
            more=f"{DUMPED}, namespace: shop",
        ),
        needed(f"ConfigMap/shop/{NOW}", "Deployment/shop/web"),
        id="a cluster has it as a revision of this set",
    ),
]


@pytest.mark.parametrize(("package", "deployed", "sentence"), NEEDED)
def test_what_pods_need_and_nobody_renders_any_more_is_an_error(
    package: str, deployed: str, sentence: str
) -> None:
    assert run_check(package, deployed) == Outcome(b"", sentence, 1)


IMMUTABLE = (
    f"---\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {NOW}, LABELS}}, "
    "data: {LOG_LEVEL: info}, immutable: true}\n"
)
BASE = "revisions.krm-fn.io/base-name: web-config"
LEFT = rendering("[kpt]", "ignore").replace("web-config", NOW)
STAYS = "is immutable, and no longer says so; keep `immutable: true` (kustomize: "


@pytest.mark.parametrize(
    ("package", "deployed", "said"),
    [
        pytest.param(
            LEFT,
            IMMUTABLE.replace("LABELS", "labels: {}"),
            STAYS,
            id="as the last rendering had it",
        ),
        pytest.param(
            LEFT,
            IMMUTABLE.replace("LABELS", f"annotations: {{{BASE}}}, {DUMPED}"),
            STAYS,
            id="as a revision of a dump",
        ),
        pytest.param(
            LEFT,
            IMMUTABLE.replace("LABELS", "uid: '1'"),
            "",
            id="what somebody has made immutable by hand stays so",
        ),
        pytest.param(
            LEFT.replace("info", "debug"),
            IMMUTABLE.replace("LABELS", "uid: '1'"),
            "is immutable, and gets other content; give it another name",
            id="but keeps its content",
        ),
        pytest.param(
            LEFT.replace("\ndata:", "\nimmutable: true\ndata:"),
            IMMUTABLE.replace("LABELS", DUMPED),
            "",
            id="its author makes it immutable",
        ),
    ],
)
def test_what_the_api_server_refuses_is_an_error(package: str, deployed: str, said: str) -> None:
    done = run_check(package, deployed)
    assert (done.exit_code == 1, done.stdout == b"") == (bool(said), bool(said))
    assert said in done.stderr


SAFE = [
    pytest.param(rendering(), config_map(annotations=ALL), id="protected"),
    pytest.param(
        rendering("[argocd]"),
        config_map(annotations=ARGO),
        id="though Argo CD's status may say OutOfSync",
    ),
    pytest.param(
        rendering("[argocd]"),
        config_map(annotations="argocd.argoproj.io/sync-options: 'Replace=true, Prune=false'"),
        id="in a comma list",
    ),
    pytest.param(
        rendering("[argocd]"), config_map(more=OWNED), id="an owner, which Argo CD leaves it to"
    ),
    pytest.param(
        rendering("[flux]"),
        config_map(more="labels: {kustomize.toolkit.fluxcd.io/prune: disabled}"),
        id="a label",
    ),
    pytest.param(
        rendering("[kpt]"),
        config_map(annotations="cli-utils.sigs.k8s.io/on-remove: keep"),
        id="another annotation",
    ),
    pytest.param(
        rendering("[kluctl]"),
        config_map(annotations="kluctl.io/skip-delete: 'true'"),
        id="kluctl's annotation",
    ),
    pytest.param(
        rendering("[kluctl]"),
        config_map(annotations="helm.sh/resource-policy: keep"),
        id="Helm's annotation, which kluctl reads",
    ),
    pytest.param(
        rendering("[kluctl]"), config_map(more=OWNED), id="an owner, which kluctl leaves it to"
    ),
    pytest.param(
        rendering("[helm]"),
        config_map(annotations="werf.io/resource-policy: 'skip-update,skip-delete'"),
        id="werf's annotation, which it reads beside Helm's",
    ),
    pytest.param(
        rendering("[helm]"),
        config_map(annotations="werf.io/ownership: anyone"),
        id="what werf's release does not own",
    ),
    pytest.param(rendering("[spinnaker]"), config_map(), id="a deployer that prunes nothing"),
    pytest.param(rendering("[]"), config_map(), id="no deployer"),
    pytest.param(
        without_config_map(),
        config_map(annotations=ARGO),
        id="it is not rendered any more, and stays under its name",
    ),
    pytest.param(
        without_config_map(),
        config_map(more="uid: '1'"),
        id="in a cluster, another package may have made it",
    ),
    pytest.param(
        without_config_map(),
        workload("web-config"),
        id="nobody has ever rendered it",
    ),
    pytest.param(
        rendering() + WITH_PRODUCER.partition("---\napiVersion: rev")[0],
        producer("v1"),
        id="a maker that stays",
    ),
    pytest.param(
        rendering(strategy="adopt"), config_map(), id="adopted: it gets its protection now"
    ),
    pytest.param(rendering(strategy="checksum"), config_map(), id="not renamed at all"),
    pytest.param(
        rendering(),
        config_map(NOW),
        id="under the name it has from kustomize: it gets its protection now",
    ),
    pytest.param(rendering(), config_map(kind="Secret"), id="of another kind"),
    pytest.param(
        rendering(), config_map("web-config-flags"), id="another object whose name begins alike"
    ),
    pytest.param(
        rendering(namespace="shop"), config_map(more="namespace: other"), id="in another namespace"
    ),
    pytest.param(
        rendering(),
        config_map("web-config-5555555555") + workload("something-else"),
        id="an old revision that no workload references",
    ),
    pytest.param(
        rendering(),
        config_map("web-config-5555555555", more="namespace: shop")
        + workload("web-config-5555555555", namespace="other"),
        id="an old revision that another namespace references",
    ),
    pytest.param(rendering(), "{apiVersion: v1, kind: List, items: []}", id="nothing deployed"),
]


@pytest.mark.parametrize(("package", "deployed"), SAFE)
def test_safe(package: str, deployed: str) -> None:
    outcome = run_check(package, deployed)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    assert b"LOG_LEVEL" in outcome.stdout


PROTECTED = config_map(annotations=KPT)
ELSEWHERE = config_map(more="namespace: other")
PLACES = [
    pytest.param(config_map(), "", "live.yaml", 1, id="a file"),
    pytest.param(PROTECTED, "", "live.yaml", 0, id="a file that is fine"),
    pytest.param(config_map(), "", ".", 1, id="a directory"),
    pytest.param(
        ELSEWHERE, "", "live.yaml", 1, id="a package without namespaces may be applied to any"
    ),
    pytest.param(ELSEWHERE, "shop", "live.yaml", 0, id="but --namespace says to which"),
]


@pytest.mark.parametrize(("deployed", "namespace", "path", "exit_code"), PLACES)
def test_places(  # noqa: PLR0913, PLR0917  # a table's columns and two fixtures
    deployed: str,
    namespace: str,
    path: str,
    exit_code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {"live.yaml": deployed})
    monkeypatch.chdir(tmp_path)
    outcome = render(Inputs(("-",), stdin=rendering("[kpt]").encode()), HelmOptions())
    checked = check(outcome, path, None, namespace)
    assert checked.exit_code == exit_code
    assert ("(live.yaml): kpt would prune it" in checked.stderr) == bool(exit_code)


UNREADABLE = [
    pytest.param(
        "",
        "<stdin>: no objects in the input; expected a ResourceList, a List, or YAML documents",
        id="empty",
    ),
    pytest.param(
        "a: [",
        "<stdin>:2:1: invalid YAML: did not find expected node content, while parsing a flow node",
        id="no YAML",
    ),
]


@pytest.mark.parametrize(("deployed", "sentence"), UNREADABLE)
def test_an_empty_dump_is_an_error(deployed: str, sentence: str) -> None:
    assert run_check(rendering(), deployed) == Outcome(b"", f"error: {sentence}\n", 1)


def test_the_last_rendering_is_a_dump() -> None:
    first = render(
        Inputs(("-",), stdin=rendering("[kpt]", "adopt").encode()), HelmOptions()
    ).stdout.decode()
    assert run_check(rendering("[kpt]"), first).exit_code == 0
    assert run_check(rendering("[kpt]"), first.replace("detach", "delete")).exit_code == 1


def test_warnings_of_the_rendering_stay_and_its_errors_come_first() -> None:
    warned = Outcome(
        b"{apiVersion: v1, kind: Service, metadata: {name: a}}\n", "warning: of before\n", 0
    )
    assert check(warned, "-", b"{kind: List, items: []}", "") == warned
    failed = Outcome(b"", "error: of before\n", 1)
    assert check(failed, "-", b"", "") == failed


def test_no_value_of_a_secret_is_printed() -> None:
    package = (
        rendering("[kpt]")
        .replace("ConfigMap", "Secret")
        .replace("configMap: {name", "secret: {secretName")
    )
    package = package.replace("strategy:", "kinds: [Secret], strategy:").replace(
        "\ndata:", "\nstringData:"
    )
    deployed = config_map(kind="Secret").replace(
        "{apiVersion", "{data: {A: aHVudGVyMg==}, apiVersion"
    )
    outcome = run_check(package, deployed)
    assert outcome.exit_code == 1
    assert "Secret/web-config: kpt would prune it" in outcome.stderr
    assert "aHVudGVyMg" not in outcome.stderr
