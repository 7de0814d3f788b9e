"""When a deployer applies an object."""

import pytest

from krm_fn.base.item import Item, read_item
from krm_fn.base.kind import Phase, Step, first_step, first_wave, wave_order
from krm_fn.base.node import is_mapping
from krm_fn.core.yaml.reader import read_yaml

BEFORE, MAIN, AFTER = Phase

STEPS = [
    pytest.param("argocd", "", Step(MAIN, 0), id="a plain object"),
    pytest.param("argocd", "argocd.argoproj.io/sync-wave: '-2'", Step(MAIN, -2), id="a wave"),
    pytest.param(
        "argocd", "argocd.argoproj.io/sync-wave: soon", Step(MAIN, 0), id="a wave that is no number"
    ),
    pytest.param(
        "argocd",
        f"argocd.argoproj.io/sync-wave: '{'9' * 5000}'",
        Step(MAIN, 0),
        id="a number too large",
    ),
    pytest.param("argocd", "helm.sh/hook-weight: '3'", Step(MAIN, 3), id="Helm's weight is a wave"),
    pytest.param(
        "argocd",
        "helm.sh/hook-weight: '3', argocd.argoproj.io/sync-wave: '1'",
        Step(MAIN, 1),
        id="a wave wins over Helm's weight",
    ),
    pytest.param(
        "argocd", "argocd.argoproj.io/hook: PreSync", Step(BEFORE, 0, "PreSync"), id="PreSync"
    ),
    pytest.param(
        "argocd",
        "argocd.argoproj.io/hook: 'PostSync, PreSync'",
        Step(BEFORE, 0, "PreSync"),
        id="the first of several",
    ),
    pytest.param("argocd", "argocd.argoproj.io/hook: Sync", Step(MAIN, 0, "Sync"), id="Sync"),
    pytest.param(
        "argocd", "argocd.argoproj.io/hook: SyncFail", None, id="what runs after a failure"
    ),
    pytest.param("argocd", "argocd.argoproj.io/hook: Skip", None, id="what is not applied"),
    pytest.param(
        "argocd",
        "helm.sh/hook: 'post-install,pre-upgrade'",
        Step(BEFORE, 0, "pre-upgrade"),
        id="Helm's",
    ),
    pytest.param(
        "argocd",
        "helm.sh/hook: pre-install, argocd.argoproj.io/hook: PostSync",
        Step(AFTER, 0, "PostSync"),
        id="Argo CD's hooks win over Helm's",
    ),
    pytest.param(
        "kluctl",
        "kluctl.io/hook: 'post-deploy,pre-deploy-upgrade', helm.sh/hook: post-install",
        Step(BEFORE, 0, "pre-deploy-upgrade"),
        id="kluctl's own hooks win over Helm's",
    ),
    pytest.param(
        "kluctl",
        "helm.sh/hook: post-upgrade",
        Step(AFTER, 0, "post-upgrade"),
        id="kluctl runs Helm's",
    ),
    pytest.param(
        "helm",
        "helm.sh/hook: pre-install",
        Step(BEFORE, 0, "pre-install"),
        id="pre-install under Helm",
    ),
    pytest.param(
        "helm",
        "helm.sh/hook: pre-rollback",
        None,
        id="pre-rollback reads what an earlier release had",
    ),
    pytest.param("helm", "helm.sh/hook: test", None, id="a test"),
    pytest.param(
        "helm",
        "argocd.argoproj.io/hook: PreSync",
        Step(MAIN, 0),
        id="Helm knows no hooks of Argo CD",
    ),
    pytest.param(
        "helm", "argocd.argoproj.io/sync-wave: '5'", Step(MAIN, 0), id="Helm knows no waves"
    ),
    pytest.param(
        "flux",
        "argocd.argoproj.io/hook: PreSync",
        Step(MAIN, 0),
        id="Flux applies everything at once",
    ),
]


@pytest.mark.parametrize(("deployer", "annotations", "step"), STEPS)
def test_first_step(deployer: str, annotations: str, step: Step | None) -> None:
    assert first_step(annotated(annotations), deployer) == step


def annotated(annotations: str) -> Item:
    (node,) = read_yaml(f"metadata: {{annotations: {{{annotations}}}}}".encode()).roots
    assert is_mapping(node)
    return read_item(node)


def test_waves_are_sorted_as_numbers() -> None:
    assert sorted(["10", "", "-1", "9", "x"], key=wave_order) == ["-1", "", "x", "9", "10"]


FIRST_WAVES = [
    pytest.param("3", [], "3", id="no objects"),
    pytest.param("3", ["argocd.argoproj.io/sync-wave: '-5'", ""], "-5", id="an earlier object"),
    pytest.param("3", [""], "0", id="an object without a wave"),
    pytest.param("", ["helm.sh/hook-weight: '-1'"], "-1", id="Helm's weight"),
    pytest.param("-1", ["argocd.argoproj.io/sync-wave: '2'"], "-1", id="later objects"),
    pytest.param("", ["argocd.argoproj.io/sync-wave: '0'"], "", id="as written, for the same wave"),
    pytest.param("soon", ["argocd.argoproj.io/sync-wave: later"], "soon", id="no numbers"),
]


@pytest.mark.parametrize(("wave", "annotations", "first"), FIRST_WAVES)
def test_the_first_wave(wave: str, annotations: list[str], first: str) -> None:
    assert first_wave(wave, map(annotated, annotations)) == first
