"""A folder that is deployed, and that others build on: a dev overlay, one with a prefix in the same namespace.

The kustomize that runs krm-fn in both judges what the commands make of them.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from krm_fn.cli.main import main
from tests.init.layouts import config_map, deployment, kustomization, make, state
from tests.integration.names import load
from tests.integration.test_kustomize import build

TOP = {
    "shop/web.yaml": deployment("web", "app"),
    "shop/config.yaml": config_map("app"),
    "shop/kustomization.yaml": kustomization(
        "web.yaml", "config.yaml", more="namespace: shop # live\n"
    ),
    "dev/kustomization.yaml": kustomization(
        "../shop", more="namespace: dev\npatches: [{path: debug.yaml}]\n"
    ),
    "dev/debug.yaml": config_map("app").replace("info", "debug"),
    "green/kustomization.yaml": kustomization("../shop", more="namePrefix: green-\n"),
    "parts/kustomization.yaml": (
        "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\ncommonAnnotations: {a: b}\n"
    ),
    "blue/kustomization.yaml": kustomization(
        "../green", more="nameSuffix: -blue\ncomponents: [../parts]\n"
    ),
}
PACKAGES = ["shop", "dev", "green", "blue"]
IMAGE = ["--linker-image", "registry.example/krm-fn:1"]


@pytest.fixture
def top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, require_tool: Callable[[str], Path]
) -> Path:
    tools = str(require_tool("kustomize").parent)
    monkeypatch.setenv("PATH", os.pathsep.join([tools, os.environ["PATH"]]))
    make(tmp_path / "repository", TOP)
    monkeypatch.chdir(tmp_path / "repository")
    return tmp_path / "repository"


def by_kustomize(package: str) -> list[dict[str, Any]]:
    command = ["kustomize", "build", "--enable-alpha-plugins", "--enable-exec"]
    done = build(command, Path(package))
    assert done.returncode == 0, done.stderr.decode()
    return load(done.stdout)


def by_krm_fn(package: str) -> list[dict[str, Any]]:
    outcome = main(["render", package])
    assert outcome.exit_code == 0, outcome.stderr
    return load(outcome.stdout)


def by_name(objects: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in objects)


WAYS = {
    "all at once": [PACKAGES],
    "what is on top first": [[*reversed(PACKAGES)]],
    "by a pattern": [["[!p]*"]],
    "the base first": [["shop"], ["green"], ["blue", "dev"]],
    "sharing one configuration": [[*reversed(PACKAGES), "--share", "krm"]],
    "sharing one configuration, the base first": [
        ["shop", "--share", "krm"],
        ["dev", "green", "--share", "krm"],
        ["blue", "--share", "krm"],
    ],
    "with the set of the base in another namespace": [
        ["shop"],
        ["dev", "--set", "shop"],
        ["green", "blue"],
    ],
}


@pytest.mark.parametrize("runs", WAYS.values(), ids=WAYS)
def test_both_are_initialised_and_kustomize_builds_what_krm_fn_renders(
    runs: list[list[str]], top: Path
) -> None:
    before = state(top)
    for run in runs:
        outcome = main(["init", *run, *IMAGE])
        assert outcome.exit_code == 0, outcome.stderr
    for package in PACKAGES:
        built = by_kustomize(package)
        assert by_name(by_krm_fn(package)) == by_name(built)
        (config,) = [one["metadata"]["name"] for one in built if one.get("data", {}).get("LEVEL")]
        (web,) = [one for one in built if one["kind"] == "Deployment"]
        (container,) = web["spec"]["template"]["spec"]["containers"]
        assert container["envFrom"] == [{"configMapRef": {"name": config}}]
        assert len({one["metadata"]["namespace"] for one in built}) == 1
    verified = main(["verify", *PACKAGES, "--each"])
    assert verified.exit_code == 0, verified.stderr
    compared = main(["diff", "dev", "dev"])
    assert compared.exit_code == 0, compared.stderr
    shared = ["--share", "krm"] if "--share" in runs[0] else []
    removed = main(["init", "--remove", *PACKAGES, *shared])
    assert (removed.exit_code, state(top)) == (0, before), removed.stderr


def test_a_set_replaces_those_of_its_bases_in_its_own_configuration_only(top: Path) -> None:
    assert main(["init", *reversed(PACKAGES), *IMAGE]).exit_code == 0
    names = {
        package: [
            line.strip()
            for line in (top / package / "krm-fn.yaml").read_text().splitlines()
            if line.startswith(("  name:", "  takeOver:"))
        ]
        for package in PACKAGES
    }
    of_package = "   # the set, unique in its namespace"
    assert names == {
        "shop": [f"name: shop{of_package}"],
        "dev": [f"name: repository{of_package}", 'takeOver: ["shop"]'],
        "green": [f"name: green{of_package}", 'takeOver: ["shop"]'],
        "blue": [f"name: blue{of_package}", 'takeOver: ["green", "shop"]'],
    }


def test_argo_cd_needs_neither_an_entry_nor_what_it_takes_over(top: Path) -> None:
    before = state(top)
    assert main(["init", *PACKAGES, "--deployer", "argocd", *IMAGE]).exit_code == 0
    new = {name for name in state(top) if name not in before}
    assert new == {f"{package}/krm-fn.yaml" for package in PACKAGES}
    assert not any("takeOver" in (top / name).read_text() for name in new)
    assert {name: there for name, there in state(top).items() if name not in new} == before


@pytest.mark.usefixtures("top")
def test_an_overlay_that_nobody_configured_is_told() -> None:
    said = main(["init", "shop", *IMAGE])
    assert (
        b"next: krm-fn init blue dev   # built from where krm-fn runs now, which sees nothing of what they change\n"
        in said.stdout
    )
    told = (
        "error: shop/kustomization.yaml:8:3: transformers: found krm-fn, which sees nothing of what dev changes, as "
        "that lists no krm-fn; list it there, too, as krm-fn init dev does\n"
    )
    for command in (["render", "dev"], ["diff", "shop", "dev"], ["verify", "dev"]):
        assert main(command).stderr == told
    # As it would be: a patch of data keeps the hash of the base.
    assert len({name for one in ("shop", "dev") for name in configs(by_kustomize(one))}) == 1
    assert main(["init", "dev", *IMAGE]).exit_code == 0
    assert configs(by_kustomize("dev")) != configs(by_kustomize("shop"))
    again = main(["init", "shop", *IMAGE])
    assert b"next: krm-fn init blue   # built from" in again.stdout


def configs(objects: list[dict[str, Any]]) -> list[str]:
    return [one["metadata"]["name"] for one in objects if one.get("data", {}).get("LEVEL")]


REFUSED = {
    "a component is no package": (
        ["parts"],
        "error: parts: is a Component, which is no package, but built into those that list it; pass blue\n",
    ),
    "one set in one namespace twice": (
        ["green", "--set", "shop"],
        "error: green: --set shop is the set of shop, in the same namespace; pass another\n",
    ),
    "other deployers than in the base": (
        ["green", "--deployer", "kapp"],
        (
            "error: shop/kustomization.yaml:8:3: transformers: found krm-fn with another spec than green has; write "
            "the same, but for takeOver and linker; or build with `kustomize build --enable-alpha-plugins "
            "--enable-exec`\n"
        ),
    ),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_stays_refused(arguments: list[str], sentence: str, top: Path) -> None:
    assert main(["init", "shop", *IMAGE]).exit_code == 0
    before = state(top)
    outcome = main(["init", *arguments, *IMAGE])
    assert (outcome.exit_code, outcome.stderr, state(top)) == (1, sentence, before)
