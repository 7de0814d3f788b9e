"""`krm-fn verify` of what the function writes finds nothing: with its configuration, and without it.

The judge is the function: what it would make of its own output without a configuration says whether verify may ask
whether it has run. `tests/verify/test_properties.py` does the same for the fixtures.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml

from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions
from tests.installs.install import INSTALLS
from tests.packages.package import PACKAGES
from tests.verify.judge import assert_nothing_is_found, verify
from tests.volume import in_turn, part_of

HOOK, WAVE = "argocd.argoproj.io/hook", "argocd.argoproj.io/sync-wave"
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: web-config{namespace}}}
data: {{LEVEL: info}}
"""
POD = "{restartPolicy: Never, containers: [{name: a, image: a, envFrom: [{configMapRef: {name: web-config}}]}]}"
WORKLOAD = """\
---
apiVersion: {api_version}
kind: {kind}
metadata: {{name: {name}{namespace}, annotations: {{{annotations}}}}}
spec: {spec}
"""
SHOP, OTHER = ", namespace: shop", ", namespace: other"
TEMPLATE = f"{{template: {{spec: {POD}}}}}"


def configuration(kinds: list[str], **linker: object) -> bytes:
    image = {} if linker.get("run") == "shared" else {"image": "registry.example/krm-fn:1.0"}
    spec = {"kinds": kinds, "linker": {**image, **linker}}
    config = {"apiVersion": "revisions.krm-fn.io/v1", "kind": "ConfigRevisions"}
    return yaml.safe_dump({**config, "metadata": {"name": "web"}, "spec": spec}).encode()


def check(folder: Path, package: bytes, config: bytes) -> None:
    outcome = run(package, config)
    if outcome.exit_code:
        return  # nothing is written
    (folder / "krm-fn.yaml").write_bytes(config)
    assert_nothing_is_found(outcome.stdout, str(folder / "krm-fn.yaml"))


@pytest.mark.rows(test=10, submission=40)
@pytest.mark.parametrize(
    "file",
    sorted([*INSTALLS.glob("*/objects.yaml"), *PACKAGES.glob("*/objects.yaml")]),
    ids=lambda file: f"{file.parent.parent.name}/{file.parent.name}",
)
def test_packages_of_others(file: Path, tmp_path: Path) -> None:
    package, number = file.read_bytes(), len(file.parent.name)
    for kinds in in_turn((["ConfigMap", "Secret"], ["ConfigMap"]), number):
        for run_by in in_turn(("job", "shared"), number // 2):
            check(tmp_path, package, configuration(kinds, namespace="shop", run=run_by))


def workload(  # noqa: PLR0913, PLR0917  # what a row is about
    name: str,
    namespace: str = SHOP,
    annotations: str = "a: b",
    kind: str = "Deployment",
    api_version: str = "apps/v1",
    spec: str = TEMPLATE,
) -> str:
    return WORKLOAD.format(
        api_version=api_version,
        kind=kind,
        name=name,
        namespace=namespace,
        annotations=annotations,
        spec=spec,
    )


def hook_jobs() -> Iterator[tuple[str, str]]:
    hooks = ("Sync", "PostSync", "SyncFail", "Skip")
    waves = (("1", "2"), ("0", "1"), ("0", ""), ("-1", "1"))
    for (first, second), (early, late) in product(product(hooks, repeat=2), waves):
        jobs = ""
        for number, (hook, wave) in enumerate(((first, early), (second, late))):
            written = f"{HOOK}: {hook}" + (f', {WAVE}: "{wave}"' if wave else "")
            jobs += workload(f"job-{number}", SHOP, written, "Job", "batch/v1")
        name = f"{first} in wave {early or 'none'} and {second} in wave {late or 'none'}"
        config = CONFIG_MAP.format(namespace=SHOP)
        yield name, config + jobs
        yield f"{name}, and a Deployment", config + jobs + workload("web")


HOOK_JOBS = [*hook_jobs()]


@pytest.mark.volume
@pytest.mark.parametrize(
    "package",
    [pytest.param(text, id=name) for name, text in HOOK_JOBS[:: 128 // max(part_of(128), 16)]],
)
def test_hook_jobs_of_argo_cd_in_two_waves(package: str, tmp_path: Path) -> None:
    check(tmp_path, package.encode(), configuration(["ConfigMap"]))


@pytest.mark.rows(test=6, submission=30)
@pytest.mark.parametrize(
    "linker", [{}, {"schedule": "@daily"}, {"serviceAccountName": "own"}, {"run": "shared"}]
)
@pytest.mark.parametrize("namespaces", [*product(("", SHOP, OTHER), repeat=3)], ids=" ".join)
def test_objects_in_the_namespace_of_the_linker(
    namespaces: tuple[str, str, str], linker: dict[str, str], tmp_path: Path
) -> None:
    config, *readers = namespaces
    package = CONFIG_MAP.format(namespace=config)
    for number, namespace in enumerate(readers):
        package += workload(f"web-{number}", namespace)
    check(tmp_path, package.encode(), configuration(["ConfigMap"], namespace="shop", **linker))


@pytest.mark.parametrize(
    ("kind", "api_version", "spec"),
    [
        pytest.param("CronJob", "batch/v1beta1", f"{{jobTemplate: {{spec: {TEMPLATE}}}}}"),
        pytest.param("Deployment", "extensions/v1beta1", TEMPLATE),
        pytest.param("StatefulSet", "apps/v1beta2", TEMPLATE),
        pytest.param("DaemonSet", "extensions/v1beta1", TEMPLATE),
        pytest.param("DeploymentConfig", "apps.openshift.io/v1", TEMPLATE),
        pytest.param("Rollout", "argoproj.io/v1alpha1", TEMPLATE),
    ],
)
def test_workloads_of_other_versions(
    kind: str, api_version: str, spec: str, tmp_path: Path
) -> None:
    package = CONFIG_MAP.format(namespace=SHOP) + workload(
        "old", SHOP, "a: b", kind, api_version, spec
    )
    check(tmp_path, package.encode(), configuration(["ConfigMap"]))


@pytest.mark.parametrize(
    "package",
    [
        pytest.param(
            WORKLOAD.format(
                **dict.fromkeys(("namespace", "annotations"), ""),
                api_version="v1",
                kind="Service",
                name="web",
                spec="{}",
            ),
            id="no ConfigMap",
        ),
        pytest.param(CONFIG_MAP.format(namespace=SHOP), id="a ConfigMap that no pod reads"),
        pytest.param(
            CONFIG_MAP.format(namespace=SHOP).replace("LEVEL: info", "") + workload("web"),
            id="a ConfigMap that a controller fills",
        ),
    ],
)
def test_nothing_to_rename(package: str) -> None:
    outcome = verify("-", package.encode(), VerifyOptions())
    assert outcome.stderr == "verified: 0 revisions, 0 references, 0 linker Jobs\n"


def test_a_package_over_which_the_function_has_not_run() -> None:
    package = CONFIG_MAP.format(namespace=SHOP) + workload("web")
    outcome = verify("-", package.encode(), VerifyOptions())
    assert outcome.stderr.startswith(
        "error: no revision of any set: krm-fn has not run over these objects"
    )
