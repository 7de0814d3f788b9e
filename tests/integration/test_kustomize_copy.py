"""What the commands make of a kustomization that lists krm-fn is what kustomize makes of it, object by object."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from krm_fn.cli.main import main
from tests.action.github import serve
from tests.action.runner import Runner
from tests.cli.process import krm_fn
from tests.git.repository import ENVIRONMENT, commit
from tests.integration.names import load
from tests.integration.test_kustomize import (
    BASE,
    TWO_BASES,
    TWO_NAMESPACES,
    WEB,
    Files,
    function,
    write,
)

Tools = Callable[[str], Path]

REPOSITORY = Path(__file__).parents[2]
CUSTOM = """\
---
apiVersion: example.com/v1
kind: Shop
metadata: {name: shop}
spec:
  configMapRef: {name: plain}
  banners: [{configMapRef: {name: gen}}, {secretRef: {name: creds}}]
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: canary}
spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
"""
ALL = "kinds: [ConfigMap, Secret], linker: {image: 'registry.example/krm-fn:0.2.0'}"
FUNCTION = function(f"{{{ALL}}}")
IN_BASE: Files = {"base/kustomization.yaml": BASE, "base/web.yaml": WEB + CUSTOM}


def overlay(text: str, more: Files | None = None, config: str = FUNCTION) -> Files:
    """Return the files of an overlay that lists krm-fn, and of its base."""
    kustomization = f"resources: [../base]\n{text}transformers: [fn.yaml]\n"
    return {
        **IN_BASE,
        "top/kustomization.yaml": kustomization,
        "top/fn.yaml": config,
        **(more or {}),
    }


def between(kustomization: str, more: Files | None = None, text: str = "") -> Files:
    """Return an overlay over another one."""
    middle = {"middle/kustomization.yaml": f"resources: [../base]\n{kustomization}", **(more or {})}
    files = overlay(text, middle)
    return files | {
        "top/kustomization.yaml": files["top/kustomization.yaml"].replace("../base", "../middle")
    }


COMPONENT = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
namePrefix: part-
configMapGenerator: [{name: gen, behavior: merge, literals: [p=q]}]
"""
LABELS = """\
apiVersion: builtin
kind: LabelTransformer
metadata: {name: labels}
labels: {tier: web}
fieldSpecs: [{path: metadata/labels, create: true}]
"""
PREFIX = """\
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: prefix}
prefix: late-
fieldSpecs: [{path: metadata/name}]
"""
GENERATORS = """\
generatorOptions: {immutable: true, labels: {a: b}, annotations: {c: d}}
configMapGenerator:
- {name: more, files: [a.txt, k=a.txt], envs: [a.env]}
- {name: fixed, literals: [a=b], options: {disableNameSuffixHash: true}}
secretGenerator: [{name: creds, behavior: replace, literals: [p=v]}]
"""
REPLACEMENTS = """\
replacements:
- source: {kind: ConfigMap, name: plain, fieldPath: data.b}
  targets: [{select: {kind: ConfigMap, name: gen}, fieldPaths: [data.c], options: {create: true}}]
- path: names.yaml
"""
NAMES = """\
source: {kind: ConfigMap, name: plain, fieldPath: metadata.name}
targets: [{select: {kind: Shop}, fieldPaths: [spec.title], options: {create: true}}]
"""
PATCHES = """\
patches:
- path: merge.yaml
- {target: {kind: ConfigMap, name: plain}, path: json.yaml}
patchesStrategicMerge: [merge.yaml]
patchesJson6902: [{target: {version: v1, kind: ConfigMap, name: plain}, path: json.yaml}]
commonLabels: {a: b}
"""
PATCH_FILES = {
    "top/merge.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {a: '2'}\n",
    "top/json.yaml": "- {op: add, path: /data/c, value: d}\n",
}
FIELDS = """\
nameReference:
- kind: ConfigMap
  version: v1
  fieldSpecs: [{kind: Shop, path: spec/configMapRef/name}]
"""
CRDS = """\
{"example.Shop": {"Schema": {
  "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}},
  "x-kubernetes-group-version-kind": [{"group": "example.com", "kind": "Shop", "version": "v1"}]}}}
"""
SETTINGS = """\
images: [{name: web, newTag: v2}]
replicas: [{name: web, count: 3}]
labels: [{pairs: {a: b}, includeTemplates: true}]
commonAnnotations: {c: d}
sortOptions: {order: fifo}
"""
LOCAL = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: local, annotations: {config.kubernetes.io/local-config: "true"}}
data: {a: b}
"""
DATA = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: data}
data:
  pod.yaml: |
    apiVersion: v1
    kind: Pod
    spec: {volumes: [{name: a, configMap: {name: plain}}, {name: b, configMap: {name: gen}}]}
"""
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  annotations:
    config.kubernetes.io/function: 'exec: {path: krm-fn}'
data: {linker.image: 'registry.example/krm-fn:0.2.0', name: web}
"""
IN_PLACE = "- |\n  " + FUNCTION.rstrip().replace("\n", "\n  ") + "\n"
PRE = "namePrefix: pre-\n"
JOB = """\
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: sa}
---
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: SERVICE_ACCOUNT
      containers:
      - name: app
        image: web
        envFrom: [{configMapRef: {name: plain}}, {configMapRef: {name: gen}}, {secretRef: {name: creds}}]
"""


def with_job(text: str, service_account: str, spec: str = ALL) -> Files:
    job = {"base/web.yaml": WEB + JOB.replace("SERVICE_ACCOUNT", service_account)}
    return overlay(text, job, config=function(f"{{jobs: rename, {spec}}}"))


def sharing(folder: str, text: str = PRE, top: str = "transformers: [krm]\n") -> Files:
    """Return the files of an overlay that shares its configuration with others, by a folder of its own."""
    files = overlay(text)
    del files["top/fn.yaml"]
    return files | {
        "top/kustomization.yaml": f"resources: [../base]\n{text}{top}",
        "top/krm/kustomization.yaml": f"resources: [../../krm]\n{folder}",
        "krm/kustomization.yaml": "resources: [config.yaml]\n",
        "krm/config.yaml": FOR_TOOLS,
    }


FOR_TOOLS = FUNCTION.replace(
    "annotations:", "annotations:\n    config.kubernetes.io/local-config: 'true'", 1
)
NAMED = """\
patches:
- target: {kind: ConfigRevisions}
  patch: |
    - {op: replace, path: /metadata/name, value: shop}
"""
GENERATED = """\
configMapGenerator:
- name: krm
  literals: ['linker.image=registry.example/krm-fn:0.2.0', name=shop]
  options: {annotations: {config.kubernetes.io/function: 'exec: {path: krm-fn}'}}
"""

SHARED = [
    pytest.param(sharing(NAMED), id="a shared configuration with a set of its own, by a patch"),
    pytest.param(sharing("namePrefix: shop-\n", ""), id="by a prefix"),
    pytest.param(
        sharing(NAMED, "namespace: live\nnameSuffix: -suf\n"),
        id="below other names and a namespace",
    ),
    pytest.param(sharing("namespace: other\n"), id="with a namespace, which changes nothing"),
    pytest.param(
        sharing("", top="transformers: [../krm]\n"), id="named where it is, outside of the overlay"
    ),
    pytest.param(
        sharing(NAMED, "nameSuffix: -suf\n", "transformers: [labels, prefix.yaml, krm]\n")
        | {
            "top/labels/kustomization.yaml": "resources: [labels.yaml]\n",
            "top/labels/labels.yaml": LABELS,
            "top/prefix.yaml": PREFIX,
        },
        id="behind other transformers, in a folder and in a file",
    ),
    pytest.param(
        sharing(NAMED, "", "transformers: [patches, krm]\n")
        | {
            "top/patches/kustomization.yaml": "resources: [patch.yaml]\n",
            "top/patches/patch.yaml": (
                "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: ./merge.yaml\n"
            ),
            **PATCH_FILES,
        },
        id="behind a folder whose transformer reads a file of the overlay",
    ),
    pytest.param(
        sharing(NAMED) | {"top/krm/kustomization.yaml": GENERATED},
        id="a ConfigMap that is generated",
    ),
    pytest.param(
        sharing(NAMED)
        | {"krm/kustomization.yaml": "resources: [../more]\n"}
        | {"more/kustomization.yaml": "resources: [config.yaml]\n", "more/config.yaml": FOR_TOOLS},
        id="through one more base",
    ),
    pytest.param(
        sharing(NAMED)
        | {
            "part/kustomization.yaml": "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n"
            + NAMED,
            "top/krm/kustomization.yaml": "resources: [../../krm]\ncomponents: [../../part]\n",
        },
        id="through a component of the folder",
    ),
]

LISTED = f"{BASE}transformers: [fn.yaml]\n"
TAKES_OVER = function(f"{{takeOver: [web], {ALL}}}", "web-dev")


def above(text: str, config: str = FUNCTION, base: str = LISTED) -> Files:
    """Return the files of an overlay that lists krm-fn, over a base that is deployed itself, and lists it, too."""
    files = overlay(text, PATCH_FILES, config)
    return files | {"base/kustomization.yaml": base, "base/fn.yaml": FUNCTION}


ABOVE = [
    pytest.param(above(text, config), id=f"a base that runs krm-fn, {of} set, under {what}")
    for of, config in (("the same", FUNCTION), ("another", TAKES_OVER))
    for what, text in (
        ("a prefix", PRE),
        ("a namespace", "namespace: dev\n"),
        ("other images and labels", SETTINGS),
    )
]
SHAPES = [
    *SHARED,
    *ABOVE,
    pytest.param(above(PRE, base=f"{BASE}transformers:\n{IN_PLACE}"), id="in place in a base"),
    pytest.param(
        above(PATCHES, base=f"namespace: web\n{LISTED}"), id="in a base, below patches of its data"
    ),
    pytest.param(
        above(PRE, base=f"{BASE}transformers: [labels.yaml, fn.yaml]\n")
        | {"base/labels.yaml": LABELS},
        id="in a base behind another transformer",
    ),
    pytest.param(
        sharing(NAMED.replace("value: shop", "value: web"))
        | {"base/kustomization.yaml": LISTED, "base/fn.yaml": FUNCTION},
        id="in a base, and in a folder above",
    ),
    pytest.param(
        above(PRE, base=f"{BASE}transformers: [../krm]\n")
        | {"krm/kustomization.yaml": "resources: [config.yaml]\n", "krm/config.yaml": FOR_TOOLS},
        id="in a folder of a base",
    ),
    pytest.param(
        between(PRE, {"base/kustomization.yaml": LISTED, "base/fn.yaml": FUNCTION}),
        id="in a base two levels below",
    ),
    pytest.param(overlay(""), id="an overlay"),
    pytest.param(overlay(PRE), id="namePrefix, and references that only krm-fn knows"),
    pytest.param(overlay("nameSuffix: -suf\nnamespace: live\n"), id="nameSuffix and namespace"),
    pytest.param(
        between("namePrefix: a-\n", text="nameSuffix: -b\n"), id="both, one above the other"
    ),
    pytest.param(
        overlay("configMapGenerator: [{name: gen, behavior: merge, literals: [c=d]}]\n"),
        id="a generator that merges",
    ),
    pytest.param(
        overlay(GENERATORS, {"top/a.txt": "text\n\n", "top/a.env": "A=b\n"}),
        id="generators of files, without a hash, and one that replaces",
    ),
    pytest.param(
        overlay("components: [../part]\n", {"part/kustomization.yaml": COMPONENT}), id="a component"
    ),
    pytest.param(
        between("transformers: [labels.yaml]\n", {"middle/labels.yaml": LABELS}),
        id="a base with its own transformer",
    ),
    pytest.param(
        overlay("", {"top/prefix.yaml": PREFIX})
        | {
            "top/kustomization.yaml": "resources: [../base]\ntransformers:\n- prefix.yaml\n- fn.yaml\n"
        },
        id="a transformer of kustomize before krm-fn",
    ),
    pytest.param(
        {
            **IN_BASE,
            "top/kustomization.yaml": f"resources: [../base]\ntransformers:\n{IN_PLACE}\n# before\n{PRE}",
        },
        id="krm-fn in place",
    ),
    pytest.param(overlay(PRE, config=CONFIG_MAP), id="a ConfigMap as configuration"),
    pytest.param(overlay(REPLACEMENTS, {"top/names.yaml": NAMES}), id="replacements"),
    pytest.param(overlay(PATCHES, PATCH_FILES), id="patches"),
    pytest.param(
        overlay(PRE + "configurations: [c.yaml]\n", {"top/c.yaml": FIELDS}), id="configurations"
    ),
    pytest.param(overlay(PRE + "crds: [c.json]\n", {"top/c.json": CRDS}), id="crds"),
    pytest.param(overlay(SETTINGS), id="images, replicas, labels, annotations and the order"),
    pytest.param(
        TWO_BASES | {"top/fn.yaml": FUNCTION}, id="two bases with the same names and other prefixes"
    ),
    pytest.param(
        TWO_NAMESPACES | {"top/fn.yaml": FUNCTION},
        id="two bases with the same names and other namespaces",
    ),
    pytest.param(
        overlay(PRE, config=function("{kinds: [ConfigMap], linker: {image: a}}")),
        id="Secrets that are not chosen",
    ),
    pytest.param(overlay(PRE, config=function(f"{{strategy: adopt, {ALL}}}")), id="adopt"),
    pytest.param(overlay(PRE, config=function(f"{{strategy: checksum, {ALL}}}")), id="checksum"),
    pytest.param(
        overlay("configMapGenerator: [{name: x}]\n", {"base/web.yaml": WEB + "---\n" + LOCAL}),
        id="an object for tools",
    ),
    pytest.param(overlay(PRE, {"base/web.yaml": WEB + "---\n" + DATA}), id="names in data"),
    pytest.param(
        overlay(
            PRE,
            {
                "base/web.yaml": WEB
                + CUSTOM.replace("spec:", "spec:\n  long: 12345678901234567890", 1)
            },
        ),
        id="a number that a patch of kustomize rounds",
    ),
    pytest.param(with_job("", "sa"), id="a Job that is named by its content"),
    pytest.param(with_job(PRE, "other"), id="a Job whose names krm-fn writes, all of them"),
]


def identity(one: dict[str, Any]) -> tuple[str, str, str]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def build(kustomize: Path, directory: Path) -> list[dict[str, Any]]:
    command = [str(kustomize), "build", "--enable-alpha-plugins", "--enable-exec", str(directory)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, env={**os.environ, "PATH": path}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return sorted(load(done.stdout), key=identity)


def render(directory: Path) -> list[dict[str, Any]]:
    outcome = main(["render", str(directory)])
    assert outcome.exit_code == 0, outcome.stderr
    return sorted(load(outcome.stdout), key=identity)


@pytest.mark.rows(submission=20)
@pytest.mark.parametrize("files", SHAPES)
def test_the_result_is_that_of_kustomize(
    files: Files, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kustomize = require_tool("kustomize")
    top = write(tmp_path, files) / "top"
    by_kustomize = build(kustomize, top)
    monkeypatch.setenv("PATH", str(kustomize.parent))
    assert render(top) == by_kustomize


OTHER_NAMES = [
    pytest.param(with_job(PRE, "sa"), "pre-sa", id="a name with a prefix"),
    pytest.param(
        with_job("", "other", "kinds: [ConfigMap], linker: {image: a}"),
        "creds-m7cg948gg9",
        id="a Secret that only kustomize hashes",
    ),
]


@pytest.mark.parametrize(("files", "name"), OTHER_NAMES)
def test_a_job_that_would_get_another_name(
    files: Files, name: str, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kustomize = require_tool("kustomize")
    top = write(tmp_path, files) / "top"
    assert any(one["kind"] == "Job" and name in str(one) for one in build(kustomize, top))
    monkeypatch.setenv("PATH", str(kustomize.parent))
    outcome = main(["render", str(top)])
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    shown = f"{name.rpartition('-')[0]}-(hash)" if name.startswith("creds") else name
    assert (
        f"kustomize would write {shown} into it after krm-fn has named it by its content; leave its name alone (of a "
        "Job: `jobs: warn`), or build with `kustomize build --enable-alpha-plugins --enable-exec`\n"
    ) in outcome.stderr


EXEC = "examples/kustomize-exec"


@pytest.mark.parametrize("builder", ["kustomize", "kubectl"])
@pytest.mark.parametrize("example", ["examples/kustomize", EXEC])
def test_the_examples(
    example: str, builder: str, require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a tree that nobody may write to.

    That of the container is run from PATH for once, which changes its image.
    """
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    config = tmp_path / example / "krm-fn.yaml"
    config.write_text(
        config.read_text().replace(
            "container:\n        image: krm-fn:0.2.0", "exec: {path: krm-fn}"
        )
    )
    if "linker" not in config.read_text():
        with config.open("a") as file:
            file.write("spec: {linker: {image: 'registry.example/krm-fn:0.2.0'}}\n")
    by_kustomize = build(require_tool("kustomize"), tmp_path / example)
    for path in tmp_path.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    monkeypatch.setenv("PATH", str(require_tool(builder).parent))
    assert render(tmp_path / example) == by_kustomize


@pytest.fixture
def package(require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a package that lists krm-fn under another name than krm-fn.yaml."""
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(require_tool("kustomize").parent), os.environ["PATH"]])
    )
    write(tmp_path, overlay(PRE))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_verify_is_render_and_verify(package: Path) -> None:
    rendered = krm_fn("render", "--quiet", "top", cwd=package)
    verified = krm_fn("verify", cwd=package, stdin=rendered.stdout)
    assert verified.returncode == 0
    done = krm_fn("verify", "top", cwd=package)
    # Only of a folder the configuration is known, and so who applies it.
    said = verified.stderr.replace(
        "add --deployer NAME to check that nothing is pruned",
        "protected from pruning by argocd, flux, kpt",
    )
    assert (done.stdout, done.stderr) == ("", rendered.stderr + said)
    assert done.stderr.splitlines()[-1].startswith("verified: 3 revisions of set web, ")
    assert krm_fn("verify", "top", "--set=shop", cwd=package).returncode == 1


def test_every_command_takes_a_shared_configuration(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(require_tool("kustomize").parent), os.environ["PATH"]])
    )
    write(tmp_path, sharing(NAMED))
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, {})
    verified = krm_fn("verify", "top", cwd=tmp_path)
    assert (verified.stdout, verified.returncode) == ("", 0)
    assert verified.stderr.splitlines()[-1].startswith("verified: 3 revisions of set shop, ")
    explained = krm_fn("explain", "top", "plain", cwd=tmp_path)
    assert (explained.stderr, "Shop pre-shop" in explained.stdout) == ("", True)
    drawn = krm_fn("graph", "top", cwd=tmp_path)
    assert (drawn.returncode, "Shop pre-shop" in drawn.stdout) == (0, True)
    written = krm_fn("init", "top", cwd=tmp_path)
    assert written.stdout.splitlines()[:2] == [
        "top/krm/kustomization.yaml: unchanged",
        "top/kustomization.yaml: unchanged",
    ]
    same = krm_fn("diff", "--against=HEAD", "top", cwd=tmp_path, **ENVIRONMENT)
    assert same.stdout == "no difference: 3 revisions unchanged\n"


def test_what_init_lets_overlays_share_is_what_kustomize_runs(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kustomize = require_tool("kustomize")
    overlays = {
        f"{name}/kustomization.yaml": f"resources: [../base]\nnamePrefix: {name}-\nnamespace: {name}\n"
        for name in ("dev", "prod")
    }
    write(tmp_path, {**IN_BASE, **overlays})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(kustomize.parent))
    outcome = main(["init", "dev", "prod", "--share", "krm", "--linker-image=registry.example/a:1"])
    assert outcome.exit_code == 0, outcome.stderr
    for name in ("dev", "prod"):
        assert render(tmp_path / name) == build(kustomize, tmp_path / name)


def test_a_change_of_what_is_shared_is_one_of_every_package_that_names_it(
    require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(require_tool("kustomize").parent), os.environ["PATH"]])
    )
    files = sharing(NAMED)
    other = {name.replace("top/", "other/"): text for name, text in files.items()}
    alone = {
        "alone/kustomization.yaml": "resources: [../base]\ntransformers: [fn.yaml]\n",
        "alone/fn.yaml": FUNCTION,
    }
    commit(tmp_path, {**files, **other, **alone})
    write(
        tmp_path,
        {"krm/config.yaml": files["krm/config.yaml"].replace("ConfigMap, Secret", "ConfigMap")},
    )
    done = krm_fn(
        "diff", "--against=HEAD", "--each", "top", "other", "alone", cwd=tmp_path, **ENVIRONMENT
    )
    assert done.stdout.endswith("\n3 packages: 2 changed, 1 not affected\n")


def test_explain_and_graph(package: Path) -> None:
    explained = krm_fn("explain", "top", "plain", cwd=package)
    assert (explained.stderr, explained.returncode) == ("", 0)
    assert "Shop pre-shop" in explained.stdout
    drawn = krm_fn("graph", "top", cwd=package)
    assert (drawn.returncode, "Shop pre-shop" in drawn.stdout) == (0, True)


def test_diff_against_a_revision(package: Path) -> None:
    commit(package, {})
    before = krm_fn("diff", "--against=HEAD", "--no-remote", "top", cwd=package, **ENVIRONMENT)
    assert (before.stdout, before.stderr) == ("no difference: 3 revisions unchanged\n", "")
    write(
        package,
        {"base/web.yaml": (package / "base/web.yaml").read_text().replace('a: "1"', 'a: "2"')},
    )
    after = krm_fn("diff", "--against=HEAD", "--no-remote", "top", cwd=package, **ENVIRONMENT)
    assert "ConfigMap pre-plain: " in after.stdout
    assert "  - a: 1\n  + a: 2\n" in after.stdout
    assert "1 revision changed, 2 unchanged\n" in after.stdout


def test_a_revision_in_which_krm_fn_was_not_the_last_one(package: Path) -> None:
    good = (package / "top/kustomization.yaml").read_text()
    write(
        package,
        {
            "top/kustomization.yaml": good.replace("[fn.yaml]", "[fn.yaml, a.yaml]"),
            "top/a.yaml": LABELS,
        },
    )
    commit(package, {})
    write(package, {"top/kustomization.yaml": good})
    done = krm_fn("diff", "--against=HEAD", "top", cwd=package, **ENVIRONMENT)
    assert done.stderr == (
        "error: HEAD:top/kustomization.yaml:3:16: transformers: found krm-fn before other transformers; make it the "
        "last one; or build with `kustomize build --enable-alpha-plugins --enable-exec`\n"
        "warning: HEAD: cannot be rendered, so everything is shown as new\n"
        "warning: uncommitted changes are compared too: top/kustomization.yaml\n"
    )
    assert done.returncode == 3


def test_the_action(require_tool: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(require_tool("kustomize").parent), os.environ["PATH"]])
    )
    files = overlay("namespace: shop\n")
    with serve() as github:
        runner = Runner(tmp_path, github)
        runner.push_main(files)
        runner.open_pull_request(
            {"base/web.yaml": files["base/web.yaml"].replace('a: "1"', 'a: "2"')}
        )
        runner.check_out()
        done = runner.run(PATHS="top")
    assert (done.code, done.output, done.outputs) == (0, "", "changed=true\n")
    assert "- a: 1\n+ a: 2\n" in done.summary
