"""Copies for hooks: which phases, before which readers, and what becomes of them in later runs."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.function import run
from tests.cases import ENVIRONMENT, REJECTIONS, TRANSFORMS

PRE_SYNC = {"argocd.argoproj.io/hook": "PreSync"}
COPY = "web-config-presync-web"
PODS = {"containers": [{"name": "app", "envFrom": [{"configMapRef": {"name": "web-config"}}]}]}


def config_map(name: str = "web-config", level: str = "info") -> Any:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"LEVEL": level}}


def reader(kind: str, name: str, **annotations: str) -> Any:
    version = {"Job": "batch/v1"}.get(kind, "apps/v1")
    metadata = {"name": name, "namespace": "shop", "annotations": annotations}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": metadata,
        "spec": {"template": {"spec": PODS}},
    }


def hook(name: str = "migrate", **annotations: str) -> Any:
    return reader("Job", name, **(annotations or PRE_SYNC))


def render(*objects: Any, **spec: Any) -> list[Any]:
    return render_again([*objects], **spec)


def render_again(items: list[Any], set_name: str = "web", **spec: Any) -> list[Any]:
    config = {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": {"name": set_name},
        "spec": {"hooks": "copy", **spec},
    }
    wrapped = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": items,
        "functionConfig": config,
    }
    done = run(json.dumps(wrapped).encode(), environment=ENVIRONMENT)
    assert done.exit_code == 0, done.stderr
    return list(yaml.safe_load(done.stdout)["items"])


def copies(items: list[Any]) -> list[Any]:
    return [one for one in items if one["metadata"]["name"].endswith("-presync-web")]


def read_by(items: list[Any], name: str) -> str:
    (one,) = (one for one in items if one["metadata"]["name"] == name)
    (source,) = one["spec"]["template"]["spec"]["containers"][0]["envFrom"]
    return str(source["configMapRef"]["name"])


def revision_of(items: list[Any]) -> str:
    return read_by(items, "web")


HELM = {"helm.sh/hook": "pre-upgrade"}
ANNOTATIONS = [
    pytest.param(
        [PRE_SYNC],
        {
            "argocd.argoproj.io/hook": "PreSync",
            "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
            "argocd.argoproj.io/sync-wave": "-1",
        },
        id="a PreSync hook without a wave",
    ),
    pytest.param(
        [{**PRE_SYNC, "argocd.argoproj.io/sync-wave": "-3"}, PRE_SYNC],
        {
            "argocd.argoproj.io/hook": "PreSync",
            "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
            "argocd.argoproj.io/sync-wave": "-4",
        },
        id="before the first of several",
    ),
    pytest.param(
        [{"argocd.argoproj.io/hook": "PreSync,PostSync"}],
        {
            "argocd.argoproj.io/hook": "PreSync,PostSync",
            "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
            "argocd.argoproj.io/sync-wave": "-1",
        },
        id="in each phase of a hook that runs in two",
    ),
    pytest.param(
        [{**HELM, "helm.sh/hook-weight": "7"}, {"helm.sh/hook": "pre-install"}],
        {
            "helm.sh/hook": "pre-upgrade,pre-install",
            "helm.sh/hook-delete-policy": "before-hook-creation",
            "helm.sh/hook-weight": "-1",
        },
        id="in each phase of hooks of a chart",
    ),
    pytest.param(
        [{**HELM, **PRE_SYNC, "helm.sh/hook-weight": "7"}],
        {
            "argocd.argoproj.io/hook": "PreSync",
            "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
            "argocd.argoproj.io/sync-wave": "6",
            "helm.sh/hook": "pre-upgrade",
            "helm.sh/hook-delete-policy": "before-hook-creation",
            "helm.sh/hook-weight": "6",
        },
        id="a hook of both",
    ),
]
OF_KLUCTL = [
    pytest.param(
        [{"kluctl.io/hook": "pre-deploy", "kluctl.io/hook-weight": "3"}],
        {
            "kluctl.io/hook": "pre-deploy",
            "kluctl.io/hook-delete-policy": "before-hook-creation",
            "kluctl.io/hook-weight": "2",
        },
        id="a hook of kluctl",
    ),
    pytest.param(
        [{"kluctl.io/hook": "pre-deploy,pre-deploy-initial", "helm.sh/hook-weight": "-2"}],
        {
            "kluctl.io/hook": "pre-deploy,pre-deploy-initial",
            "kluctl.io/hook-delete-policy": "before-hook-creation",
            "kluctl.io/hook-weight": "-3",
        },
        id="a hook of kluctl with Helm's weight",
    ),
]


@pytest.mark.parametrize(
    ("deployers", "readers", "expected"),
    [
        *(pytest.param(["argocd", "helm"], *one.values, id=one.id) for one in ANNOTATIONS),
        *(pytest.param(["kluctl"], *one.values, id=one.id) for one in OF_KLUCTL),
    ],
)
def test_a_copy_is_a_hook_before_its_readers(
    deployers: list[str], readers: list[dict[str, str]], expected: dict[str, str]
) -> None:
    hooks = [hook(f"hook-{number}", **one) for number, one in enumerate(readers)]
    items = render(config_map(), reader("Deployment", "web"), *hooks, deployers=deployers)
    (copy,) = copies(items)
    annotations = copy["metadata"]["annotations"]
    assert annotations == {"revisions.krm-fn.io/copy-of": "web-config", **expected}
    assert copy["data"] == {"LEVEL": "info"}
    assert {read_by(items, one["metadata"]["name"]) for one in hooks} == {COPY}
    assert revision_of(items).startswith("web-config-")
    assert revision_of(items) != COPY


def test_nothing_that_pods_keep_reading_is_a_hook() -> None:
    items = render(
        config_map(),
        reader("Deployment", "web"),
        hook(),
        hook("later", **{"argocd.argoproj.io/hook": "PostSync"}),
    )
    (revision,) = (one for one in items if one["metadata"]["name"] == revision_of(items))
    assert not [name for name in revision["metadata"]["annotations"] if "hook" in name]
    assert "immutable" in revision
    assert read_by(items, "later") == revision_of(items)


def test_a_copy_has_no_label_by_which_a_program_collects_it() -> None:
    labelled = config_map()
    labelled["metadata"]["labels"] = {"grafana_dashboard": "1"}
    items = render(
        labelled,
        reader("Deployment", "web"),
        hook(),
        select=[{"name": "web-config"}],
        linker={"labels": {"team": "web"}},
    )
    (copy,) = copies(items)
    assert {*copy["metadata"]["labels"]} == {
        "revisions.krm-fn.io/set",
        "revisions.krm-fn.io/component",
        "team",
    }


LATER = [
    pytest.param(lambda items: items, 1, id="nothing changes: the copy stays"),
    pytest.param(
        lambda items: [
            one for one in items if one["kind"] != "Job" or "link" in one["metadata"]["name"]
        ],
        0,
        id="the hook goes: so does the copy",
    ),
    pytest.param(
        lambda items: [one for one in items if one["metadata"]["name"] != revision_of(items)],
        0,
        id="the ConfigMap goes: so does the copy",
    ),
]


@pytest.mark.parametrize(("change", "left"), LATER)
def test_the_next_run_keeps_what_is_still_read(change: Any, left: int) -> None:
    once = render(config_map(), reader("Deployment", "web"), hook())
    again = render_again(change(once))
    assert len(copies(again)) == left


def test_the_next_run_copies_new_content_under_the_same_name() -> None:
    once = render(config_map(), reader("Deployment", "web"), hook())
    for one in once:
        if one["metadata"]["name"] == revision_of(once):
            one["data"]["LEVEL"] = "debug"
    again = render_again(once)
    (copy,) = copies(again)
    assert (copy["metadata"]["name"], copy["data"]) == (COPY, {"LEVEL": "debug"})
    assert read_by(again, "migrate") == COPY
    assert revision_of(again) != revision_of(once)


def test_another_set_of_the_namespace_copies_its_own_object_of_that_name() -> None:
    package = [config_map(), reader("Deployment", "web"), hook()]
    once = render_again(package, "shop")
    assert read_by(once, "migrate") == "web-config-presync-shop"
    assert read_by(render(*package), "migrate") == COPY


def test_a_copy_under_a_former_name_is_replaced_together_with_its_reader() -> None:
    text = json.dumps(render(config_map(), reader("Deployment", "web"), hook()))
    again = render_again(json.loads(text.replace(COPY, "web-config-presync")))
    assert "web-config-presync" not in {one["metadata"]["name"] for one in again}
    assert [one["metadata"]["name"] for one in copies(again)] == [COPY]
    assert read_by(again, "migrate") == COPY


def test_who_no_longer_asks_for_copies_is_told_what_the_hook_would_miss() -> None:
    """What is a revision stays one: without its copy, the hook would block the sync."""
    once = render(config_map(), reader("Deployment", "web"), hook())
    with pytest.raises(AssertionError, match=r"is a PreSync hook, which Argo CD .* runs before it"):
        render_again(once, hooks="leave")
    ignored = [{"name": "web-config", "strategy": "ignore"}]
    again = render_again(once, hooks="leave", select=ignored)
    assert copies(again) == []
    assert {read_by(again, "migrate"), read_by(again, "web")} == {"web-config"}


def test_what_keeps_its_name_is_read_under_it() -> None:
    once = render(config_map(), reader("Deployment", "web"), hook())
    again = render_again(once, select=[{"name": "web-config", "strategy": "ignore"}])
    assert copies(again) == []
    assert {read_by(again, "migrate"), read_by(again, "web")} == {"web-config"}


def test_an_earlier_wave_is_no_hook() -> None:
    early = reader("Deployment", "early", **{"argocd.argoproj.io/sync-wave": "-1"})
    items = render(config_map(), reader("Deployment", "web"), early)
    assert copies(items) == []
    assert {read_by(items, "early"), read_by(items, "web")} == {"web-config"}


def test_a_deployer_without_hooks_needs_no_copy() -> None:
    items = render(config_map(), reader("Deployment", "web"), hook(), deployers=["flux"])
    assert copies(items) == []
    assert read_by(items, "migrate") == revision_of(items)


def test_a_secret_is_left_alone_as_before() -> None:
    secret = {**config_map("web-db"), "kind": "Secret", "data": {"a": "Yg=="}}
    pods = {"containers": [{"name": "app", "envFrom": [{"secretRef": {"name": "web-db"}}]}]}
    readers = [reader("Deployment", "web"), hook()]
    for one in readers:
        one["spec"]["template"]["spec"] = pods
    items = render(secret, *readers, kinds=["ConfigMap", "Secret"])
    assert [one["metadata"]["name"] for one in items if one["kind"] == "Secret"] == ["web-db"]


REMEDY = "set spec.hooks: copy, which lets the hook read a copy"
ADVISED = [
    case for case in (*TRANSFORMS, *REJECTIONS) if REMEDY in (case / "stderr.txt").read_text()
]


@pytest.mark.parametrize("case", ADVISED, ids=lambda case: case.name)
def test_what_a_message_advises_is_enough(case: Path) -> None:
    given = yaml.safe_load((case / "input.yaml").read_text())
    given["functionConfig"]["spec"]["hooks"] = "copy"
    done = run(json.dumps(given).encode(), environment=ENVIRONMENT)
    assert done.exit_code == 0, done.stderr
    assert "hook" not in done.stderr
    assert copies(yaml.safe_load(done.stdout)["items"])


def test_there_are_messages_that_advise_it() -> None:
    assert len(ADVISED) >= 3
