"""kustomize puts prefixes and suffixes around names, but not around the names in kinds that it does not know.

What such a name should be, kustomize says itself: in a second build it is told about the kind (`configurations:`).
Every door that knows the tree gives the same name, and the content hash behind it. Every other one warns.
"""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from krm_fn.tools.verify.verify import VerifyOptions
from tests.doors.doors import DOORS, PLACED, Answer, Settings
from tests.doors.test_same_answer import SHOP, Manifest, config_map, package_of, reading, workload
from tests.render.run import write
from tests.tools.require import require
from tests.verify.judge import verify

HASH = "-[2456789bcdfghkmt]{10}"
ROLLOUT = {
    **workload("web", reading("web-config"), None),
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Rollout",
}
API = workload("api", reading("web-config"), None)
APP = package_of(config_map("web-config", None), ROLLOUT, API)["app.yaml"]
PREFIX: dict[str, Any] = {
    "apiVersion": "builtin",
    "kind": "PrefixTransformer",
    "metadata": {"name": "prefix"},
}
PREFIX |= {"prefix": "late-", "fieldSpecs": [{"path": "metadata/name"}]}
GENERATOR = {"configMapGenerator": [{"name": "web-config", "literals": ["LOG_LEVEL=info"]}]}
FOLLOWED = {
    "nameReference": [
        {
            "kind": "ConfigMap",
            "version": "v1",
            "fieldSpecs": [
                {
                    "group": "argoproj.io",
                    "kind": "Rollout",
                    "path": "spec/template/spec/containers/envFrom/configMapRef/name",
                }
            ],
        }
    ]
}


def tree(top: Mapping[str, Any], **folders: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of kustomizations: that of the folder, and those of the folders in it, each with the objects."""
    files = {"kustomization.yaml": json.dumps({"namespace": "shop", **top})}
    if "app.yaml" in top.get("resources", ()):
        files["app.yaml"] = APP
    for name, kustomization in folders.items():
        files[f"{name}/kustomization.yaml"] = json.dumps(kustomization)
        files[f"{name}/app.yaml"] = APP
    return files


BASE = {"resources": ["app.yaml"]}
COMPONENT = {
    "apiVersion": "kustomize.config.k8s.io/v1alpha1",
    "kind": "Component",
    "namePrefix": "part-",
}
TREES: dict[str, dict[str, str]] = {
    "a prefix": tree({**BASE, "namePrefix": "pre-"}),
    "a suffix": tree({**BASE, "nameSuffix": "-eu"}),
    "a prefix without a dash, and a suffix": tree(
        {**BASE, "namePrefix": "pre", "nameSuffix": "-eu"}
    ),
    "a prefix of a base": tree({"resources": ["base"]}, base={**BASE, "namePrefix": "base-"}),
    "prefixes of an overlay and of its base": tree(
        {"resources": ["base"], "namePrefix": "top-"},
        base={**BASE, "namePrefix": "base-", "nameSuffix": "-v2"},
    ),
    "two bases with one name": tree(
        {"resources": ["one", "two"]},
        one={**BASE, "namePrefix": "one-"},
        two={**BASE, "nameSuffix": "-two"},
    ),
    "a prefix of a component": tree(
        {"resources": ["base"], "components": ["part"]}, base=BASE, part=COMPONENT
    ),
    "a transformer": tree(
        {"resources": ["base"]}, base={**BASE, "transformers": [json.dumps(PREFIX)]}
    ),
    "a generator": tree({**GENERATOR, "resources": ["web.yaml"], "namePrefix": "pre-"})
    | {"web.yaml": package_of(ROLLOUT, API)["app.yaml"]},
    "a generator, and no prefix": tree({**GENERATOR, "resources": ["web.yaml"]})
    | {"web.yaml": package_of(ROLLOUT, API)["app.yaml"]},
}
SETTINGS: dict[str, Settings] = {one: {**SHOP, "strategy": one} for one in ("rename", "adopt")}
DOORS_WITH_TREE = {
    "beside": PLACED["Argo CD's plugin"],
    "listed": PLACED["render of a kustomization that lists krm-fn"],
    "transformers": DOORS["kustomize build, transformers"],
}
# What starts processes takes up to half a second, so those that only kustomize runs take turns.
CASES = [
    (name, strategy, door)
    for number, (name, strategy, door) in enumerate(product(TREES, SETTINGS, DOORS_WITH_TREE))
    if door == "beside" or number % 2
]


def build(files: Mapping[str, str]) -> str:
    with TemporaryDirectory() as folder:
        write(Path(folder), files)
        return subprocess.run(
            [require("kustomize"), "build", folder], check=True, capture_output=True, text=True
        ).stdout


def names_in_rollouts(manifests: str) -> dict[str, str]:
    """Return the name that each Rollout says."""
    objects: list[Manifest] = [*filter(None, yaml.load_all(manifests, yaml.CSafeLoader))]
    return {
        one["metadata"]["name"]: one["spec"]["template"]["spec"]["containers"][0]["envFrom"][0][
            "configMapRef"
        ]["name"]
        for one in objects
        if one["kind"] == "Rollout"
    }


def config_maps(manifests: str) -> set[str]:
    found = yaml.load_all(manifests, yaml.CSafeLoader)
    return {one["metadata"]["name"] for one in found if one and one["kind"] == "ConfigMap"}


@cache
def followed(name: str) -> dict[str, str]:
    """Let kustomize say what each Rollout means."""
    files = {**TREES[name], "follow.yaml": json.dumps(FOLLOWED)}
    top = json.loads(files["kustomization.yaml"])
    files["kustomization.yaml"] = json.dumps({**top, "configurations": ["follow.yaml"]})
    return names_in_rollouts(build(files))


def run(door: str, files: Mapping[str, str], settings: Settings) -> Answer:
    every = {**DOORS_WITH_TREE, **DOORS}
    with TemporaryDirectory() as folder:
        package = Path(folder).resolve() / "shop"
        write(package, files)
        path = os.pathsep.join([str(require("kustomize").parent), os.environ["PATH"]])
        with patch.dict(os.environ, PATH=path):
            return every[door].run(package, settings)


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("name", TREES)
def test_kustomize_alone_does_not_follow(name: str) -> None:
    """Else there would be nothing to do."""
    alone = names_in_rollouts(build(TREES[name]))
    assert set(alone.values()) == {"web-config"}
    assert alone.keys() == followed(name).keys()
    assert "web-config" not in followed(name).values()


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize(("name", "strategy", "door"), CASES)
def test_a_door_that_knows_the_tree_follows(name: str, strategy: str, door: str) -> None:
    answer = run(door, TREES[name], SETTINGS[strategy])
    assert answer.exit_code == 0, answer.problems
    found = names_in_rollouts(answer.manifests)
    assert set(found.values()) <= config_maps(answer.manifests)
    is_named_already = strategy == "adopt" or "a generator" in name
    assert {
        one: said if is_named_already else re.sub(f"{HASH}$", "", said)
        for one, said in found.items()
    } == followed(name)
    assert "warning" not in answer.problems
    verified = verify("-", answer.manifests.encode(), VerifyOptions())
    assert (verified.exit_code, verified.stderr.partition(":")[0]) == (0, "verified"), (
        verified.stderr
    )


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("door", ["function", "exec plugin", "Helm's post-renderer", "render"])
def test_another_door_warns_and_so_does_verify(door: str) -> None:
    for name in (
        "a prefix",
        "a suffix",
        "a prefix without a dash, and a suffix",
        "two bases with one name",
    ):
        built = build(TREES[name])
        answer = run(door, {"built.yaml": built}, SETTINGS["rename"])
        assert answer.exit_code == 0
        assert set(names_in_rollouts(answer.manifests).values()) == {"web-config"}
        verified = verify("-", answer.manifests.encode(), VerifyOptions())
        assert verified.exit_code == 0
        for text in (answer.problems, verified.stderr):
            for rollout, meant in followed(name).items():
                assert any(
                    line.startswith(f"warning: Rollout/shop/{rollout} ")
                    and "names ConfigMap 'web-config', which is not in the package" in line
                    and f"but ConfigMap/shop/{meant} is: " in line
                    for line in text.splitlines()
                ), text


@pytest.mark.needs("kustomize")
def test_a_tree_that_cannot_be_copied_is_built_and_warned_about() -> None:
    """No other kustomization may have a Component among its resources."""
    part = tree({**COMPONENT, **BASE})
    answer = run("beside", part, SETTINGS["rename"])
    assert answer.exit_code == 0
    assert (
        names_in_rollouts(answer.manifests)
        == {"part-web": "web-config"}
        == names_in_rollouts(build(part))
    )
    assert "but ConfigMap/shop/part-web-config is: kustomize puts no namePrefix" in answer.problems


SILENT = {
    "an object that the package does not have": (ROLLOUT, config_map("other", None)),
    "a Deployment, in which kustomize follows": (
        workload("pre-web", reading("web-config")),
        config_map("pre-web-config"),
    ),
    "a name that has nothing of its referrer's": (ROLLOUT, config_map("pre-web-config", None)),
    "an object of another namespace": (
        {**ROLLOUT, "metadata": {"name": "pre-web", "namespace": "shop"}},
        config_map("pre-web-config", "store"),
    ),
}


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    answer = run("exec plugin", package_of(*SILENT[name], API), SETTINGS["rename"])
    assert "namePrefix" not in answer.problems
