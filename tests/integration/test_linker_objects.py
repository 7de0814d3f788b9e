"""The objects that the function emits for the linker survive the real kustomize and kpt."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from krm_fn.base.link_plan import read_workload
from tests.integration.names import assert_names_hold, load
from tests.integration.test_kpt import evaluate, texts
from tests.integration.test_kustomize import BASE, RUN, WEB, Files, function, rendered, write

Tools = Callable[[str], Path]
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "canary"
LINKER = {"ServiceAccount", "Role", "RoleBinding", "Job"}

AROUND: list[Any] = [
    pytest.param("namespace: shop\n", "web", id="a namespace"),
    pytest.param(
        "namespace: shop\nnamePrefix: pre-\nnameSuffix: -v1\n", "pre-web-v1", id="prefix and suffix"
    ),
    pytest.param("namespace: shop\ncommonLabels: {team: web}\n", "web", id="labels"),
]


@pytest.mark.parametrize(("around", "workload"), AROUND)
def test_kustomize(around: str, workload: str, require_tool: Tools, tmp_path: Path) -> None:
    kustomize = [str(require_tool("kustomize")), "build", "--enable-alpha-plugins", "--enable-exec"]
    files: Files = {
        "top/kustomization.yaml": BASE + RUN + around,
        "top/web.yaml": WEB,
        "top/fn.yaml": function(),
    }
    objects = rendered(kustomize, tmp_path, files)
    assert_names_hold(objects)
    emitted = {item["kind"]: item for item in objects if item["kind"] in LINKER}
    assert set(emitted) == LINKER
    assert all(item["metadata"]["namespace"] == "shop" for item in emitted.values())
    assert not any("annotations" in item["metadata"] for item in emitted.values()), (
        "kpt's annotations are only for kpt"
    )
    account = {"kind": "ServiceAccount", "name": "web-linker", "namespace": "shop"}
    assert emitted["RoleBinding"]["subjects"] == [account]
    (container,) = emitted["Job"]["spec"]["template"]["spec"]["containers"]
    (planned,) = (
        read_workload(one.partition("=")[2])
        for one in container["args"]
        if one.startswith("--workload=")
    )
    assert planned.name == workload
    there = {(item["kind"], item["metadata"]["name"]) for item in objects}
    assert set(planned.revisions) <= there
    secrets = {name for kind, name in planned.revisions if kind == "Secret"}
    assert secrets
    assert {("ConfigMap", name) for name in secrets} <= there, "each Secret must have its tracker"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    names = ("web.yaml", "api.yaml", "report.yaml", "config.yaml")
    return write(tmp_path / "shop", {name: (EXAMPLE / name).read_text() for name in names})


def test_kpt_writes_linker_objects_to_a_separate_file(require_tool: Tools, package: Path) -> None:
    evaluate(require_tool, package, "name=shop")
    emitted = load((package / "shop-linker.yaml").read_text())
    assert [item["kind"] for item in emitted] == [
        "ConfigMap",
        "ServiceAccount",
        "Role",
        "RoleBinding",
        "Job",
    ]
    once = texts(package)
    evaluate(require_tool, package, "name=shop")
    assert texts(package) == once


def test_kpt_replaces_the_job_in_place(require_tool: Tools, package: Path) -> None:
    evaluate(require_tool, package, "name=shop")
    before = (package / "shop-linker.yaml").read_text()
    (package / "config.yaml").write_text(
        (package / "config.yaml").read_text().replace(": info", ": debug")
    )
    evaluate(require_tool, package, "name=shop")
    after = (package / "shop-linker.yaml").read_text()
    changed = [
        one
        for one, other in zip(before.splitlines(), after.splitlines(), strict=True)
        if one != other
    ]
    inventory, name, argument = (line.strip() for line in changed)
    assert inventory.startswith("revisions.krm-fn.io/rendered: ")
    assert name.startswith("name: shop-link-")
    assert argument.startswith('- "--workload=argoproj.io/v1alpha1/Rollout/web=')


def test_kpt_deletes_the_file_when_the_linker_is_disabled(
    require_tool: Tools, package: Path
) -> None:
    before = sorted(texts(package))
    evaluate(require_tool, package, "name=shop")
    evaluate(require_tool, package, "name=shop", "linker.enabled=false")
    assert sorted(texts(package)) == before


def test_the_linker_image_comes_from_the_environment(package: Path) -> None:
    command = [sys.executable, "-m", "krm_fn", "render", str(package)]
    done = subprocess.run(
        command, env={"KRM_FN_IMAGE": "registry.example/krm-fn:7"}, capture_output=True, check=True
    )
    (job,) = (item for item in load(done.stdout) if item["kind"] == "Job")
    assert job["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.example/krm-fn:7"
