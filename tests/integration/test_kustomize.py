"""The real kustomize runs the function.

The output has no dangling reference and no name that is hashed twice.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.names import assert_names_hold, defined, load, named

Tools = Callable[[str], Path]
Files = dict[str, str]

FUNCTION = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: {name}
  annotations:
    config.kubernetes.io/function: |
      {runtime}
spec: {spec}
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - {name: app, image: web, envFrom: [{configMapRef: {name: plain}}, {configMapRef: {name: gen}}]}
      volumes:
      - {name: s, secret: {secretName: creds}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
data: {a: "1", b: "yes"}
"""
BASE = """\
resources: [web.yaml]
configMapGenerator:
- {name: gen, literals: [a=b]}
secretGenerator:
- {name: creds, literals: [p=w]}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: app, image: web, envFrom: [{configMapRef: {name: plain}}]}
"""
ROLE = """\
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: wait}
rules:
- {apiGroups: [batch], resources: [jobs], resourceNames: [migrate], verbs: [get, watch]}
"""
RUN = "transformers: [fn.yaml]\n"
EXEC = "exec: {path: krm-fn}"


def function(
    spec: str = "{kinds: [ConfigMap, Secret]}", name: str = "web", runtime: str = EXEC
) -> str:
    return FUNCTION.format(name=name, runtime=runtime, spec=spec)


def build(
    kustomize: list[str], directory: Path, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [*kustomize, str(directory)],
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        check=False,
    )


def write(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.fixture
def kustomize(require_tool: Tools) -> list[str]:
    return [str(require_tool("kustomize")), "build", "--enable-alpha-plugins", "--enable-exec"]


def rendered(kustomize: list[str], folder: Path, files: Files) -> list[dict[str, Any]]:
    done = build(kustomize, write(folder, files) / "top")
    assert done.returncode == 0, done.stderr.decode()
    objects = load(done.stdout)
    assert_names_hold(objects)
    assert "internal.config.kubernetes.io" not in done.stdout.decode()
    return objects


SIDE_BY_SIDE = {
    "top/kustomization.yaml": BASE + RUN,
    "top/web.yaml": WEB,
    "top/fn.yaml": function(),
}
TWO_BASES = {
    "top/kustomization.yaml": "resources: [../a, ../b]\n" + RUN,
    "top/fn.yaml": function(),
    **{
        f"{base}/kustomization.yaml": f"namePrefix: {base}-\n" + BASE.replace("a=b", f"a={base}")
        for base in "ab"
    },
    **{f"{base}/web.yaml": WEB.replace('a: "1"', f'a: "{base}"') for base in "ab"},
}
TWO_NAMESPACES = TWO_BASES | {
    f"{base}/kustomization.yaml": f"namespace: {base}\n" + BASE.replace("a=b", f"a={base}")
    for base in "ab"
}

MOUNTS = (
    "{kind: Deployment, name: web, projected: [plain, gen, {secret: creds}], path: /etc/web}, "
    "{configMap: plain, envFrom: true, prefix: T_}"
)

OVERLAYS = [
    pytest.param(
        SIDE_BY_SIDE,
        {"plain-dg79t4479m", "gen-4h2mbtbbt6"},
        id="plain and generated side by side",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": "namePrefix: pre-\nnameSuffix: -v1\nnamespace: shop\n"
            + BASE
            + RUN,
            "top/web.yaml": WEB,
            "top/fn.yaml": function(),
        },
        {"pre-plain-v1-dg79t4479m", "pre-gen-v1-4h2mbtbbt6"},
        id="prefix, suffix and namespace before krm-fn",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": "resources: [../base]\nnamePrefix: pre-\nnamespace: shop\n",
            "base/kustomization.yaml": BASE + RUN,
            "base/web.yaml": WEB,
            "base/fn.yaml": function(),
        },
        {"pre-plain-dg79t4479m", "pre-gen-4h2mbtbbt6"},
        id="an overlay that adds a prefix after krm-fn",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": "resources: [../base]\nnamePrefix: pre-\n" + RUN,
            "top/fn.yaml": function(
                spec="{exclude: [{labels: {revisions.krm-fn.io/set: web}}]}", name="top"
            ),
            "base/kustomization.yaml": "namePrefix: in-\n" + BASE + RUN,
            "base/web.yaml": WEB,
            "base/fn.yaml": function(),
        },
        {"pre-in-plain-dg79t4479m", "pre-in-gen-4h2mbtbbt6"},
        id="in the base and in the overlay",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": BASE + "transformers: [fn.yaml, fn2.yaml]\n",
            "top/web.yaml": WEB,
            "top/fn.yaml": function(spec="{kinds: [Secret]}"),
            "top/fn2.yaml": function(name="second"),
        },
        {"plain-dg79t4479m", "gen-4h2mbtbbt6"},
        id="two functions in a chain",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": BASE.replace(
                "a=b]", "a=b], options: {disableNameSuffixHash: true}"
            )
            + RUN,
            "top/web.yaml": WEB,
            "top/fn.yaml": function(),
        },
        {"plain-dg79t4479m", "gen"},
        id="a generator that is asked for no hash",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": BASE.replace(
                "a=b]", "a=b], options: {disableNameSuffixHash: true}"
            )
            + RUN,
            "top/web.yaml": WEB,
            "top/fn.yaml": function(spec="{select: [{name: '*'}]}"),
        },
        {"plain-dg79t4479m", "gen-4h2mbtbbt6"},
        id="what such a generator makes, selected",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": BASE + RUN,
            "top/web.yaml": WEB,
            "top/fn.yaml": function(spec="{kinds: [ConfigMap, Secret], select: [{name: plain}]}"),
        },
        {"plain-dg79t4479m", "gen-4h2mbtbbt6"},
        id="kustomize hashes generated objects that are not selected",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": BASE + RUN,
            "top/web.yaml": WEB,
            "top/fn.yaml": function(spec="{strategy: adopt}"),
        },
        {"plain", "gen-4h2mbtbbt6"},
        id="adopted names stay, and kustomize hashes generated objects",
    ),
    pytest.param(
        {
            "top/kustomization.yaml": "resources: [../base]\nnamePrefix: pre-\n" + RUN,
            "top/fn.yaml": function(
                spec="{mounts: [" + MOUNTS.replace("/etc/web", "/etc/top") + "]}", name="top"
            ),
            "base/kustomization.yaml": "namePrefix: in-\n" + BASE + RUN,
            "base/web.yaml": WEB,
            "base/fn.yaml": function(spec="{mounts: [" + MOUNTS.replace("T_", "B_") + "]}"),
        },
        {"pre-in-plain-dg79t4479m", "pre-in-gen-4h2mbtbbt6"},
        id="mounts in the base and in the overlay",
    ),
    pytest.param(TWO_BASES, None, id="two bases with the same names"),
    pytest.param(TWO_NAMESPACES, None, id="two bases in different namespaces"),
]


@pytest.mark.parametrize(("files", "names"), OVERLAYS)
def test_every_reference_resolves(
    kustomize: list[str], tmp_path: Path, files: Files, names: set[str] | None
) -> None:
    objects = rendered(kustomize, tmp_path, files)
    if names is not None:
        assert set(defined(objects)) == names
    assert rendered(kustomize, tmp_path, files) == objects


def test_bases_with_equal_names_stay_independent(kustomize: list[str], tmp_path: Path) -> None:
    objects = rendered(kustomize, tmp_path, TWO_BASES)
    for base in "ab":
        deployment = defined(objects, "Deployment")[f"{base}-web"]
        assert {name[:2] for _, _, name in named([deployment])} == {f"{base}-"}


def test_mounts_reference_generated_names(kustomize: list[str], tmp_path: Path) -> None:
    spec = "{kinds: [ConfigMap, Secret], mounts: [" + MOUNTS + "]}"
    files = {"top/kustomization.yaml": "namePrefix: pre-\n" + BASE + RUN, "top/web.yaml": WEB}
    objects = rendered(kustomize, tmp_path, files | {"top/fn.yaml": function(spec=spec)})
    pod = defined(objects, "Deployment")["pre-web"]["spec"]["template"]["spec"]
    (mount,) = pod["containers"][0]["volumeMounts"]
    assert (mount["mountPath"], mount["readOnly"]) == ("/etc/web", True)
    (sources,) = [
        volume["projected"]["sources"]
        for volume in pod["volumes"]
        if volume["name"] == mount["name"]
    ]
    secret = next(iter(defined(objects, "Secret")))
    assert sources == [
        {"configMap": {"name": "pre-plain-dg79t4479m"}},
        {"configMap": {"name": "pre-gen-4h2mbtbbt6"}},
        {"secret": {"name": secret}},
    ]
    assert pod["containers"][0]["envFrom"][-1] == {
        "prefix": "T_",
        "configMapRef": {"name": "pre-plain-dg79t4479m"},
    }


def test_an_overlay_adds_a_prefix_to_a_renamed_job(kustomize: list[str], tmp_path: Path) -> None:
    job = JOB + ROLE
    files = {
        "top/kustomization.yaml": "resources: [../base]\nnamePrefix: pre-\n" + RUN,
        "top/fn.yaml": function(spec="{jobs: rename}", name="top"),
        "base/kustomization.yaml": BASE.replace("[web.yaml]", "[web.yaml, job.yaml]") + RUN,
        "base/web.yaml": WEB,
        "base/job.yaml": job,
        "base/fn.yaml": function(spec="{jobs: rename}"),
    }
    objects = rendered(kustomize, tmp_path, files)
    (name,) = defined(objects, "Job")
    assert re.fullmatch("pre-migrate-[2456789bcdfghkmt]{10}", name)
    (role,) = defined(objects, "Role").values()
    assert role["rules"][0]["resourceNames"][0] == name


def test_generated_names_are_the_same_without_krm_fn(kustomize: list[str], tmp_path: Path) -> None:
    without = rendered(kustomize, tmp_path, {"top/kustomization.yaml": BASE, "top/web.yaml": WEB})
    with_us = rendered(kustomize, tmp_path, SIDE_BY_SIDE)
    generated = [name for name in defined(without) if name.startswith("gen")]
    assert [name for name in defined(with_us) if name.startswith("gen")] == generated
    assert set(defined(with_us, "Secret")) == set(defined(without, "Secret"))


def test_an_error_fails_the_build_and_is_shown(kustomize: list[str], tmp_path: Path) -> None:
    files = {
        "top/kustomization.yaml": BASE + RUN,
        "top/web.yaml": WEB,
        "top/fn.yaml": function(spec="{strategi: x}"),
    }
    done = build(kustomize, write(tmp_path, files) / "top")
    assert done.returncode != 0
    assert not done.stdout
    assert "error: ConfigRevisions/web spec.strategi" in done.stderr.decode()
    assert 'did you mean "strategy"?' in done.stderr.decode()


def test_as_a_legacy_exec_plugin(require_tool: Tools, tmp_path: Path) -> None:
    plugin = tmp_path / "plugins/revisions.krm-fn.io/v1/configrevisions/ConfigRevisions"
    write(plugin.parent, {plugin.name: f'#!/bin/sh\nexec "{sys.executable}" -m krm_fn "$@"\n'})
    plugin.chmod(0o755)
    plain = function().replace("annotations:", "labels: {}").split("    config.kubernetes.io")[0]
    files = {"top/kustomization.yaml": BASE + RUN, "top/web.yaml": WEB, "top/fn.yaml": plain}
    command = [str(require_tool("kubectl")), "kustomize", "--enable-alpha-plugins"]
    done = build(
        command, write(tmp_path, files) / "top", KUSTOMIZE_PLUGIN_HOME=str(tmp_path / "plugins")
    )
    assert done.returncode == 0, done.stderr.decode()
    objects = load(done.stdout)
    assert_names_hold(objects)
    assert set(defined(objects)) == {"plain-dg79t4479m", "gen-4h2mbtbbt6"}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["kustomize", "build", "--enable-alpha-plugins"], id="kustomize"),
        pytest.param(["kubectl", "kustomize", "--enable-alpha-plugins"], id="kubectl"),
    ],
)
def test_in_a_container(
    require_tool: Tools, docker_host: dict[str, str], image: str, tmp_path: Path, command: list[str]
) -> None:
    container = function(runtime=f"container: {{image: {image}}}")
    files = {
        "top/kustomization.yaml": "namePrefix: pre-\n" + BASE + RUN,
        "top/web.yaml": WEB,
        "top/fn.yaml": container,
    }
    done = build(
        [str(require_tool(command[0])), *command[1:]], write(tmp_path, files) / "top", **docker_host
    )
    assert done.returncode == 0, done.stderr.decode()
    objects = load(done.stdout)
    assert_names_hold(objects)
    assert set(defined(objects)) == {"pre-plain-dg79t4479m", "pre-gen-4h2mbtbbt6"}


def test_a_generator_gets_nothing_and_says_so(require_tool: Tools, tmp_path: Path) -> None:
    """A user of kustomize sees what a function writes to stderr, and none of its results."""
    files = SIDE_BY_SIDE | {
        "top/kustomization.yaml": BASE + RUN.replace("transformers", "generators")
    }
    command = [str(require_tool("kustomize")), "build", "--enable-alpha-plugins", "--enable-exec"]
    done = build(command, write(tmp_path, files) / "top")
    assert done.returncode == 0
    assert (
        b"gets no objects: kustomize passes none to `generators:`; list this file in `transformers:`"
        in done.stderr
    )
    assert b"revisions.krm-fn.io" not in done.stdout


def test_without_the_flag_kustomize_skips_the_function_in_silence(
    require_tool: Tools, tmp_path: Path
) -> None:
    """docs/deployers/kustomize.md says so, and what to look for."""
    folder = write(tmp_path, SIDE_BY_SIDE) / "top"
    for command in (["kustomize", "build"], ["kubectl", "kustomize"]):
        program = [str(require_tool(command[0])), command[1], "--enable-alpha-plugins"]
        done = build(program, folder)
        assert (done.returncode, done.stderr) == (0, b""), command
        assert load(done.stdout)
        assert b"revisions.krm-fn.io" not in done.stdout
    done = build(
        [str(require_tool("kustomize")), "build", "--enable-alpha-plugins", "--enable-exec"], folder
    )
    assert b"revisions.krm-fn.io/set" in done.stdout
