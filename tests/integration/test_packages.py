"""`krm-fn diff` of overlays with the real kustomize: what a change can affect, and what changes in the same way."""

import json
import os
import random
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.overlays import COMMON, PATTERN, write_files
from tests.cli.process import krm_fn
from tests.diff.test_affected import can_affect
from tests.git.repository import ENVIRONMENT, commit
from tests.render.run import write

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {}}}\ndata: {{a: {}}}\n"


def _generate(draw: random.Random) -> dict[str, str | bytes]:
    """Return a repository of components, bases on bases, and overlays, with files of each kind that kustomize reads."""
    files: dict[str, str | bytes] = {}
    folders: list[str] = []
    for number in range(9):
        kind = "components" if number < 2 else "bases" if number < 5 else "overlays"
        here = f"{kind}/{'deep/' * draw.randrange(2)}k{number}"
        up = "../" * len(Path(here).parts)
        bases = [one for one in folders if one.startswith("bases/") and draw.random() < 0.4]
        components = [
            one for one in folders if one.startswith("components/") and draw.random() < 0.5
        ]
        lines = [
            "resources:",
            f"- {draw.choice(['', './'])}own.yaml",
            *(f"- {up}{base}" for base in bases[:1]),
        ]
        lines += (
            ["components:", *(f"- {up}{one}" for one in components)]
            if components and kind == "overlays"
            else []
        )
        lines += [
            "configMapGenerator:",
            f"- {{name: g{number}, files: [k=data/f.txt], envs: [e.env]}}",
        ]
        lines += ["patches:", f"- {{path: p.yaml, target: {{kind: ConfigMap, name: own{number}}}}}"]
        lines += [f"transformers: [{draw.choice(['t.yaml', 't'])}]"]
        if kind == "components":
            lines[:0] = ["apiVersion: kustomize.config.k8s.io/v1alpha1", "kind: Component"]
        label = (
            "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata: {name: t}\n"
            f"annotations: {{t{number}: first}}\n"
            "fieldSpecs: [{path: metadata/annotations, create: true}]\n"
        )
        name = draw.choice(["kustomization.yaml", "kustomization.yml", "Kustomization"])
        files |= {
            f"{here}/{name}": "\n".join(lines) + "\n",
            f"{here}/own.yaml": CONFIG.format(f"own{number}", "first"),
            f"{here}/data/f.txt": "first\n",
            f"{here}/e.env": "A=first\n",
            f"{here}/p.yaml": '[{"op": "add", "path": "/data/b", "value": "first"}]\n',
            f"{here}/{'t/kustomization.yaml' if lines[-1] == 'transformers: [t]' else 'unused/a.txt'}": (
                "resources: [t.yaml]\n"
            ),
            f"{here}/{'t/t.yaml' if lines[-1] == 'transformers: [t]' else 't.yaml'}": label,
        }
        folders.append(here)
    return files


@pytest.mark.parametrize("seed", range(8))
def test_every_overlay_whose_rendering_changes_is_affected(
    seed: int, require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    """And no other, if the file is one that kustomize reads."""
    draw = random.Random(seed)
    files = _generate(draw)
    commit(tmp_path, files)
    overlays = sorted(
        {str(Path(one).parent) for one in files if one.startswith("overlays") and "own" in one}
    )
    kustomize = require_tool("kustomize")

    def build(overlay: str) -> str:
        command = [str(kustomize), "build", str(tmp_path / overlay)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    before = {overlay: build(overlay) for overlay in overlays}
    for file in draw.sample(sorted(files), 7):
        text = str(files[file])
        more = (
            "commonAnnotations: {b: c}\n"
            if file.lower().split("/")[-1].startswith("kustomization")
            else ""
        )
        write(tmp_path, {file: text.replace("first", "second") + more})
        changed = {overlay for overlay in overlays if build(overlay) != before[overlay]}
        affected = {overlay for overlay in overlays if can_affect(tmp_path, overlay)}
        assert affected >= changed, file
        assert affected == changed or more or "unused" in file, file
        write(tmp_path, {file: text})


def _compare(folder: Path, require_tool: Callable[[str], Path], pattern: str = PATTERN) -> Any:
    path = os.pathsep.join([str(require_tool("kustomize").parent), os.environ["PATH"]])
    options = ("diff", "--against=HEAD", "--no-remote", "-ojson")
    done = krm_fn(*options, pattern, cwd=folder, PATH=path, **ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param("apps/app01/base/config.yaml", [["app01"]], id="a base"),
        pytest.param(COMMON, [["app00"], ["app01"], ["app02"]], id="a component"),
    ],
)
def test_the_overlays_of_an_application_change_together(
    changed: str, expected: list[list[str]], require_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    """Those of others roll other workloads, so that is another change."""
    files = dict(write_files(apps=3))
    commit(tmp_path, files)
    write(tmp_path, {changed: files[changed].replace("info", "debug")})
    found = _compare(tmp_path, require_tool)
    assert [one["paths"] for one in found["changes"]] == [
        [
            f"apps/{app}/overlays/{environment}"
            for app in apps
            for environment in ("dev", "prod", "staging")
        ]
        for apps in expected
    ]
    assert {tuple(one["apart"]) for one in found["changes"]} == {("namespace",)}
    rendered = [one["path"] for one in found["packages"] if one["state"] != "unaffected"]
    assert rendered == [path for one in found["changes"] for path in one["paths"]]


RENAMES = (
    "{target: {kind: ConfigMap}, options: {allowNameChange: true}, "
    'patch: \'[{"op": "replace", "path": "/metadata/name", "value": "other"}]\'}'
)
AFFIXES: list[Any] = [
    pytest.param(
        ("namePrefix: dev-", "namePrefix: prod-"), ["prefix and suffix", "hash"], id="prefixes"
    ),
    pytest.param(
        ("nameSuffix: -dev", "nameSuffix: -prod"), ["prefix and suffix", "hash"], id="suffixes"
    ),
    pytest.param(("namePrefix: dev-", ""), ["prefix and suffix", "hash"], id="a prefix of one"),
    pytest.param(
        ("namePrefix: dev-\nnamespace: dev", "namePrefix: prod-\nnamespace: prod"),
        ["namespace", "prefix and suffix", "hash"],
        id="both",
    ),
    pytest.param((f"patches:\n- {RENAMES}", ""), None, id="another name that is no prefix"),
]


@pytest.mark.parametrize(("lines", "apart"), AFFIXES)
def test_what_an_overlay_adds_to_names_is_left_out(
    lines: tuple[str, str],
    apart: list[str] | None,
    require_tool: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    files = {
        path: text
        for path, text in write_files(apps=1)
        if "overlays/" not in path and "components" not in path
    }
    configuration = next(text for path, text in write_files(apps=1) if path.endswith("krm-fn.yaml"))
    for overlay, line in zip(("dev", "prod"), lines, strict=True):
        folder = f"apps/app00/overlays/{overlay}"
        files[f"{folder}/kustomization.yaml"] = f"resources: [../../base]\n{line}\n"
        files[f"{folder}/krm-fn.yaml"] = configuration
    commit(tmp_path, files)
    base = "apps/app00/base/config.yaml"
    write(tmp_path, {base: files[base].replace("info", "debug")})
    changes = _compare(tmp_path, require_tool)["changes"]
    both = ["apps/app00/overlays/dev", "apps/app00/overlays/prod"]
    expected: list[Mapping[str, Any]] = [{"paths": [one], "apart": []} for one in both]
    assert changes == ([{"paths": both, "apart": apart}] if apart else expected)
