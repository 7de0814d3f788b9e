"""Run examples/argocd-plugin as Argo CD does: discover, then generate as user 999 on a read-only file system."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml

from krm_fn import __version__
from tests.integration.names import assert_names_hold, defined, load
from tests.render.run import CONFIG_MAP, LEFT_ALONE, REVISIONS, WITHOUT_LINKER, write
from tests.tools.require import give_up

Tools = Callable[[str], Path]
Environment = Mapping[str, str]
NOTHING: Environment = MappingProxyType({})

ROOT = Path(__file__).parent.parent.parent
PLUGIN = ROOT / "examples/argocd-plugin"
PROGRAMS = Path(sys.executable).parent
PLUGIN_USER = 999
SIDECAR = Path(__file__).with_name("sidecar.sh")
ARGOCD = {
    "ARGOCD_APP_NAME": "shop",
    "ARGOCD_APP_NAMESPACE": "live",
    "KUBE_VERSION": "1.33.1",
    "KUBE_API_VERSIONS": "v1,v1/Pod,apps/v1,apps/v1/Deployment",
}
REPO_SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server, namespace: argocd}
spec:
  template:
    spec:
      initContainers: [{name: copyutil, image: registry.example/argocd:v3.1.0}]
      containers: [{name: argocd-repo-server, image: registry.example/argocd:v3.1.0}]
      volumes: [{name: var-files, emptyDir: {}}, {name: plugins, emptyDir: {}}]
"""


FUNCTION = "config.kubernetes.io/function"
STRATEGY = "revisions.krm-fn.io/strategy"


def manifest(name: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((PLUGIN / name).read_text())
    return content


SPEC = manifest("plugin.yaml")["spec"]


@pytest.fixture
def checkout() -> Iterator[Path]:
    """Create the folder of a repository below /tmp, as argocd-cmp-server does."""
    if os.geteuid() != 0:
        give_up("needs root, to run as user 999 in a separate mount namespace")
    folder = Path(tempfile.mkdtemp(prefix="_cmp_server-", dir="/tmp"))  # the only writable folder
    (folder / "app").mkdir()
    yield folder
    shutil.rmtree(folder)


def generate(checkout: Path, *tools: Path, folder: str = "app") -> subprocess.CompletedProcess[str]:
    """Run the plugin's command in the folder of the application."""
    return run(checkout, SPEC["generate"], *tools, folder=folder)


def is_discovered(
    checkout: Path,
    environment: Environment = NOTHING,
    *,
    folder: str = "app",
    programs: Path = PROGRAMS,
) -> bool:
    """Ask the plugin whether the application is its own, and judge the answer as argocd-cmp-server does."""
    done = run(
        checkout,
        SPEC["discover"]["find"],
        environment=environment,
        folder=folder,
        programs=programs,
    )
    # Else the application would not be the plugin's, whatever is printed.
    assert done.returncode == 0, done.stderr
    return done.stdout.removesuffix("\n") != ""


def run(
    checkout: Path,
    spec: dict[str, list[str]],
    *tools: Path,
    environment: Environment = NOTHING,
    folder: str = "app",
    programs: Path = PROGRAMS,
) -> subprocess.CompletedProcess[str]:
    for path in [checkout, *checkout.rglob("*")]:
        os.chown(path, PLUGIN_USER, PLUGIN_USER, follow_symlinks=False)
    folders = [programs, *(tool.parent for tool in tools), Path("/usr/bin"), Path("/bin")]
    variables = {"PATH": os.pathsep.join(map(str, folders)), "HOME": "/", "LANG": "C", **ARGOCD}
    variables["ARGOCD_APP_SOURCE_PATH"] = folder
    command = [*spec["command"], *spec.get("args", [])]
    return subprocess.run(
        [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "sh",
            SIDECAR,
            checkout / folder,
            *command,
        ],
        env={**variables, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def sidecar(require_tool: Tools, checkout: Path) -> Path:
    """Return the checkout, after a check that the sandbox works."""
    for tool in ("unshare", "setpriv"):
        require_tool(tool)
    attempts = 'id -u; for place in / /usr /var/tmp /dev/shm "$HOME" .; do test ! -w "$place" || echo "$place"; done'
    done = run(checkout, {"command": ["sh", "-c", attempts]})
    if done.returncode:
        give_up(f"cannot create a sandbox here: {done.stderr.strip()}")
    assert done.stdout.split() == [str(PLUGIN_USER), "."]
    return checkout


def applications() -> list[Any]:
    """Return the folders of applications, the tool that builds each, and the number of its ConfigMaps."""
    canary = {file.name: file.read_bytes() for file in (ROOT / "examples/canary").glob("*.yaml")}
    plain = {name: content for name, content in canary.items() if name != "kustomization.yaml"}
    chart = {
        str(file.relative_to(ROOT / "examples/helm/chart")): file.read_bytes()
        for file in (ROOT / "examples/helm/chart").rglob("*.yaml")
    }
    return [
        pytest.param(plain, None, 3, id="manifests"),
        pytest.param(canary, "kustomize", 3, id="a kustomization"),
        pytest.param(canary, "kubectl", 3, id="a kustomization, with only kubectl installed"),
        pytest.param(chart | {"krm-fn.yaml": canary["krm-fn.yaml"]}, "helm", 1, id="a chart"),
    ]


@pytest.mark.rows(submission=2)
@pytest.mark.parametrize(("files", "builder", "renamed"), applications())
def test_an_application_is_generated(
    files: dict[str, bytes], builder: str | None, renamed: int, require_tool: Tools, sidecar: Path
) -> None:
    write(sidecar / "app", files)
    assert is_discovered(sidecar)
    tools = [alone(require_tool(builder), sidecar)] if builder else []
    before = belongings()
    done = generate(sidecar, *tools)
    assert (done.stderr, done.returncode) == (f"{renamed} renamed\n", 0)
    objects = load(done.stdout)
    assert_names_hold(objects)
    assert all(config["immutable"] for config in defined(objects).values())
    assert not {"ConfigRevisions", "Kustomization"} & {item["kind"] for item in objects}
    assert belongings() == before
    assert done.stdout == generate(sidecar, *tools).stdout


def belongings() -> list[Path]:
    """Find what the plugin's user has below /tmp.

    Other tests, which run as root, write there too.
    """
    found = []
    for path in Path("/tmp").iterdir():  # noqa: S108  # the only folder that the plugin may write to
        with suppress(FileNotFoundError):
            if path.lstat().st_uid == PLUGIN_USER:
                found.append(path)
    return sorted(found)


def alone(tool: Path, checkout: Path) -> Path:
    """Copy the tool to a separate folder, as the init container does."""
    (checkout / "bin").mkdir()
    return Path(shutil.copy(tool, checkout / "bin"))


def test_the_release_of_a_chart_is_the_application(require_tool: Tools, sidecar: Path) -> None:
    config = CONFIG_MAP.replace(
        "name: a", "name: '{{ .Release.Name }}', namespace: '{{ .Release.Namespace }}'"
    )
    write(
        sidecar / "app",
        {
            "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
            "templates/a.yaml": config.replace("A: b", "A: '{{ .Capabilities.KubeVersion }}'"),
        },
    )
    done = generate(sidecar, alone(require_tool("helm"), sidecar))
    (item,) = load(done.stdout)
    assert item["metadata"] == {"name": "shop", "namespace": "live"}
    assert item["data"] == {"A": "v1.33.1"}


WRONG = [
    pytest.param(
        {"a.yaml": CONFIG_MAP, "b.yaml": "a: [\n"}, "error: b.yaml:2:1: invalid YAML", id="not YAML"
    ),
    pytest.param(
        {"krm-fn.yaml": "a: b\n", "a.yaml": CONFIG_MAP},
        "error: krm-fn.yaml:1:1: ",
        id="wrong configuration",
    ),
    pytest.param(
        {"a.yaml": "# soon\n"}, "error: nothing to apply: no objects in a.yaml\n", id="no objects"
    ),
    pytest.param(
        {"kustomization.yaml": "", "a.yaml": CONFIG_MAP}, "error: .: ", id="an empty kustomization"
    ),
]


@pytest.mark.parametrize(("files", "sentence"), WRONG)
def test_an_error_prints_a_message_and_no_manifests(
    files: dict[str, str | bytes], sentence: str, require_tool: Tools, sidecar: Path
) -> None:
    write(sidecar / "app", files)
    done = generate(sidecar, alone(require_tool("kustomize"), sidecar))
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr.startswith(sentence)
    assert done.stderr.count("\n") == 1


HOSTILE = [
    pytest.param(
        {"kustomization.yaml": "resources: [../../{other.name}]\n"},
        "error: ../../{other.name}: leads to {other}, outside of the root {root}; "
        "--root sets the directory that may be read",
        id="the copy of another repository, as a base",
    ),
    pytest.param(
        {"kustomization.yaml": "resources: ['https://host/a/b']\n"},
        "error: kustomization.yaml:1:13: https://host/a/b is remote, which --no-remote refuses; "
        "copy it into the repository",
        id="a remote base",
    ),
]


@pytest.mark.parametrize(("files", "sentence"), HOSTILE)
def test_a_package_reaches_nothing_outside_of_its_repository(
    files: dict[str, str], sentence: str, require_tool: Tools, sidecar: Path
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        other = Path(folder)
        write(other, {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": CONFIG_MAP})
        write(sidecar / "app", {name: text.format(other=other) for name, text in files.items()})
        done = generate(sidecar, alone(require_tool("kustomize"), sidecar))
        assert (done.stdout, done.returncode) == ("", 1)
        assert done.stderr == sentence.format(root=sidecar, other=other) + "\n"


def test_a_package_may_use_all_of_its_repository(require_tool: Tools, sidecar: Path) -> None:
    write(
        sidecar,
        {
            "app/kustomization.yaml": "resources: [../base]\n",
            "base/kustomization.yaml": "resources: [a.yaml]\n",
            "shared/a.yaml": CONFIG_MAP,
        },
    )
    (sidecar / "base/a.yaml").symlink_to("../shared/a.yaml")
    tool = alone(require_tool("kustomize"), sidecar)
    done = generate(sidecar, tool)
    assert done.stdout == ""
    assert "a.yaml leads out of ../base; pass --kustomize-options=" in done.stderr
    (sidecar / "app/kustomization.yaml").unlink()
    (sidecar / "app/link").symlink_to("../shared")
    done = generate(sidecar)
    assert (done.stderr, done.returncode) == (LEFT_ALONE, 0)
    assert [item["kind"] for item in load(done.stdout)] == ["ConfigMap"]


def test_the_plugin_has_no_version() -> None:
    """A version would become part of the plugin's name that Applications use."""
    plugin = manifest("plugin.yaml")
    assert (plugin["apiVersion"], plugin["kind"]) == (
        "argoproj.io/v1alpha1",
        "ConfigManagementPlugin",
    )
    assert plugin["metadata"] == {"name": "krm-fn"}
    assert set(SPEC) == {"discover", "parameters", "generate"}


FLAGS = ["--enable-alpha-plugins", "--enable-exec"]
RUNS_FUNCTIONS = {"KUSTOMIZE_BUILD_OPTIONS": " ".join(FLAGS)}
ASKED_FOR = {"ARGOCD_APP_PARAMETERS": "null"}
"""Argo CD sets it, also to this value, for applications with a `plugin` in their source."""

TAKEN = {"canary", "flux", "from-reloader", "from-wave", "helm", "kpt", "linker-rbac"}
RUN_BY_KUSTOMIZE = {"kustomize", "kustomize-exec"}
ARGO_CDS = [
    pytest.param({}, TAKEN | RUN_BY_KUSTOMIZE, id="one that runs no functions"),
    pytest.param(
        {"KUSTOMIZE_BUILD_OPTIONS": FLAGS[0]},
        TAKEN | RUN_BY_KUSTOMIZE,
        id="one that skips them in silence",
    ),
    pytest.param(RUNS_FUNCTIONS, TAKEN, id="one that runs functions"),
    pytest.param(
        RUNS_FUNCTIONS | ASKED_FOR,
        TAKEN | RUN_BY_KUSTOMIZE,
        id="applications that ask for the plugin",
    ),
]


@pytest.mark.parametrize(("environment", "taken"), ARGO_CDS)
def test_the_examples_that_the_plugin_takes_in(
    environment: dict[str, str], taken: set[str], sidecar: Path
) -> None:
    shutil.copytree(ROOT / "examples", sidecar / "examples")
    folders = [folder.name for folder in (ROOT / "examples").iterdir() if folder.is_dir()]
    assert {
        name for name in folders if is_discovered(sidecar, environment, folder=f"examples/{name}")
    } == taken


def test_the_plugin_discovers_the_application(sidecar: Path) -> None:
    source = manifest("application.yaml")["spec"]["source"]
    assert source["plugin"] == {}
    shutil.copytree(ROOT / source["path"], sidecar / source["path"])
    assert is_discovered(sidecar, ASKED_FOR, folder=source["path"])


def test_kustomize_exec_and_the_plugin_live_in_one_argo_cd(
    require_tool: Tools, sidecar: Path
) -> None:
    """What lists the function is for kustomize.

    Without the entry the plugin renders it, and no name changes.
    """
    shutil.copytree(ROOT / "examples", sidecar / "examples")
    kustomize = alone(require_tool("kustomize"), sidecar)
    assert not is_discovered(sidecar, RUNS_FUNCTIONS, folder="examples/kustomize-exec")
    by_kustomize = build(kustomize, sidecar / "examples/kustomize-exec")
    assert_names_hold(by_kustomize)

    kustomization = sidecar / "examples/kustomize-exec/kustomization.yaml"
    kustomization.write_text(kustomization.read_text().partition("transformers:")[0])
    assert is_discovered(sidecar, RUNS_FUNCTIONS, folder="examples/kustomize-exec")
    done = generate(sidecar, kustomize, folder="examples/kustomize-exec")
    assert (done.stderr, done.returncode) == ("4 renamed\n", 0)
    assert sorted(load(done.stdout), key=identity) == sorted(by_kustomize, key=identity)


def build(kustomize: Path, folder: Path) -> list[dict[str, Any]]:
    """Build a folder as Argo CD does, with `kustomize.buildOptions`, and krm-fn in the image of the repo-server."""
    environment = {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [kustomize, "build", folder, *FLAGS], env=environment, capture_output=True, check=True
    )
    return load(done.stdout)


def identity(item: dict[str, Any]) -> tuple[str, str]:
    return item["kind"], item["metadata"]["name"]


def test_where_kustomize_does_not_run_the_function_the_plugin_does(
    require_tool: Tools, sidecar: Path
) -> None:
    shutil.copytree(ROOT / "examples", sidecar / "examples")
    kustomize = alone(require_tool("kustomize"), sidecar)
    assert is_discovered(sidecar, folder="examples/kustomize-exec")
    done = generate(sidecar, kustomize, folder="examples/kustomize-exec")
    assert (done.stderr, done.returncode) == ("4 renamed\n", 0)
    by_kustomize = build(kustomize, sidecar / "examples/kustomize-exec")
    assert sorted(load(done.stdout), key=identity) == sorted(by_kustomize, key=identity)


RUNTIMES = [
    pytest.param("exec: {path: krm-fn}", True, id="a program"),
    pytest.param("exec: {}", False, id="no program, which kustomize skips in silence"),
    pytest.param("deferFailure: true", False, id="nothing, which it skips too"),
]


@pytest.mark.parametrize(("runtime", "is_run"), RUNTIMES)
def test_only_what_kustomize_runs_is_left_to_it(
    runtime: str, is_run: bool, require_tool: Tools, sidecar: Path
) -> None:
    config = WITHOUT_LINKER.replace(
        "{name: web}", f"{{name: web, annotations: {{{FUNCTION}: '{runtime}'}}}}"
    )
    kustomization = "resources: [a.yaml]\ntransformers: [krm-fn.yaml]\n"
    config_map = CONFIG_MAP.replace("name: a", f"name: a, annotations: {{{STRATEGY}: rename}}")
    write(
        sidecar / "app",
        {"kustomization.yaml": kustomization, "krm-fn.yaml": config, "a.yaml": config_map},
    )
    assert is_discovered(sidecar, RUNS_FUNCTIONS) is not is_run
    (item,) = build(require_tool("kustomize"), sidecar / "app")
    assert ("revisions.krm-fn.io/set" in item["metadata"].get("labels", {})) is is_run


def test_a_configuration_that_applications_share(require_tool: Tools, sidecar: Path) -> None:
    """No krm-fn.yaml is beside the kustomization: a folder among its transformers has it."""
    config = WITHOUT_LINKER.replace(
        "{name: web}", f"{{name: web, annotations: {{{FUNCTION}: 'exec: {{path: krm-fn}}'}}}}"
    )
    config_map = CONFIG_MAP.replace("name: a", f"name: a, annotations: {{{STRATEGY}: rename}}")
    shared = {
        "krm/kustomization.yaml": "resources: [krm-fn.yaml]\n",
        "krm/krm-fn.yaml": config,
        "app/krm/kustomization.yaml": "resources: [../../krm]\nnamePrefix: a-\n",
        "app/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: b-\ntransformers: [krm]\n",
        "app/a.yaml": config_map,
        "other/kustomization.yaml": "resources: [a.yaml]\ntransformers: [labels.yaml]\n",
        "other/labels.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\n",
        "other/a.yaml": config_map,
    }
    write(sidecar, shared)
    assert is_discovered(sidecar)
    assert not is_discovered(sidecar, RUNS_FUNCTIONS)
    assert is_discovered(sidecar, RUNS_FUNCTIONS | ASKED_FOR)
    assert not is_discovered(sidecar, folder="other")
    kustomize = alone(require_tool("kustomize"), sidecar)
    done = generate(sidecar, kustomize)
    assert done.returncode == 0, done.stderr
    (item,) = load(done.stdout)
    assert item["metadata"]["labels"]["revisions.krm-fn.io/set"] == "a-web"
    assert [item] == build(kustomize, sidecar / "app")


def test_a_parameter_names_the_configuration(sidecar: Path) -> None:
    (parameter,) = SPEC["parameters"]["static"]
    assert parameter["name"] == "config"
    config = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nspec: {linker: {enabled: false}}\n"
    config_map = CONFIG_MAP.replace("name: a", f"name: a, annotations: {{{STRATEGY}: rename}}")
    write(sidecar, {"app/a.yaml": config_map, "krm/krm-fn.yaml": config})
    named = ASKED_FOR | {"PARAM_CONFIG": "../krm/krm-fn.yaml"}
    assert not is_discovered(sidecar, ASKED_FOR)
    assert is_discovered(sidecar, named)
    done = run(sidecar, SPEC["generate"], environment=named)
    (item,) = load(done.stdout)
    assert item["metadata"]["labels"]["revisions.krm-fn.io/set"] == "shop"
    outside = ASKED_FOR | {"PARAM_CONFIG": "/etc/passwd"}
    assert " outside of the root " in run(sidecar, SPEC["generate"], environment=outside).stderr


def test_if_discovery_fails_the_application_is_taken(sidecar: Path) -> None:
    """Else Argo CD would render it with a tool that does not know krm-fn, and nobody would be told."""
    write(
        sidecar,
        {
            "app/krm-fn.yaml": REVISIONS,
            "other/a.yaml": CONFIG_MAP,
            "other/kustomization.yaml": "resources: [a.yaml]\ntransformers: [b]\n",
            "bin/krm-fn": "#!/bin/sh\nkill -9 $$\n",
        },
    )
    (sidecar / "bin/krm-fn").chmod(0o755)
    for programs in (sidecar / "bin", sidecar / "other"):  # one that is killed, and none
        (programs / "python").symlink_to(sys.executable)
        assert is_discovered(sidecar, programs=programs)
        assert not is_discovered(sidecar, folder="other", programs=programs)


def test_a_link_to_nowhere_is_taken(sidecar: Path) -> None:
    """The message is that of `krm-fn render`."""
    write(sidecar / "app", {"a.yaml": CONFIG_MAP})
    (sidecar / "app/krm-fn.yaml").symlink_to("nowhere")
    assert is_discovered(sidecar)
    assert generate(sidecar).stderr == "error: krm-fn.yaml: no such file or directory\n"


@pytest.fixture
def patched(require_tool: Tools, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Build Argo CD's Deployment with the component, and return the objects by kind."""
    shutil.copytree(PLUGIN, tmp_path / "krm-fn")
    write(
        tmp_path,
        {
            "repo-server.yaml": REPO_SERVER,
            "kustomization.yaml": "resources: [repo-server.yaml]\ncomponents: [krm-fn]\n",
        },
    )
    built = subprocess.run(
        [require_tool("kustomize"), "build", tmp_path], capture_output=True, check=True
    )
    return {item["kind"]: item for item in load(built.stdout)}


def test_the_sidecar_meets_the_requirements_of_argo_cd(patched: dict[str, dict[str, Any]]) -> None:
    pod = patched["Deployment"]["spec"]["template"]["spec"]
    sidecar = next(container for container in pod["containers"] if container["name"] == "krm-fn")
    assert sidecar["command"] == ["/var/run/argocd/argocd-cmp-server"]
    assert sidecar["image"].rpartition(":")[2] == __version__
    options = {"name": "argocd-cm", "key": "kustomize.buildOptions", "optional": True}
    assert sidecar["env"] == [
        {"name": "KUSTOMIZE_BUILD_OPTIONS", "valueFrom": {"configMapKeyRef": options}}
    ]
    assert sidecar["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 999,
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    mounts = {
        mount["mountPath"]: (mount["name"], mount.get("subPath"))
        for mount in sidecar["volumeMounts"]
    }
    assert mounts == {
        "/var/run/argocd": ("var-files", None),
        "/home/argocd/cmp-server/plugins": ("plugins", None),
        "/home/argocd/cmp-server/config/plugin.yaml": ("krm-fn-plugin", "plugin.yaml"),
        "/usr/local/bin/kustomize": ("krm-fn-tools", "kustomize"),
        "/usr/local/bin/helm": ("krm-fn-tools", "helm"),
        "/tmp": ("krm-fn-tmp", None),  # noqa: S108  # in the pod
    }
    assert {volume["name"] for volume in pod["volumes"]} >= {name for name, _ in mounts.values()}


def test_the_containers_are_limited(patched: dict[str, dict[str, Any]]) -> None:
    pod = patched["Deployment"]["spec"]["template"]["spec"]
    ours = [
        one
        for one in (*pod["containers"], *pod["initContainers"])
        if one["name"].startswith("krm-fn")
    ]
    assert len(ours) == 2
    for container in ours:
        assert container["resources"]["limits"].keys() >= {"cpu", "memory"}
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    for volume in pod["volumes"]:
        if volume["name"].startswith("krm-fn") and "emptyDir" in volume:
            assert volume["emptyDir"].keys() == {"sizeLimit"}


def test_the_sidecar_reads_the_plugin(patched: dict[str, dict[str, Any]]) -> None:
    volumes = patched["Deployment"]["spec"]["template"]["spec"]["volumes"]
    (mounted,) = [
        volume["configMap"]["name"] for volume in volumes if volume["name"] == "krm-fn-plugin"
    ]
    config = patched["ConfigMap"]
    assert (mounted, config["metadata"]["namespace"]) == (config["metadata"]["name"], "argocd")
    assert config["data"] == {"plugin.yaml": (PLUGIN / "plugin.yaml").read_text()}


def test_the_tools_come_from_the_image_of_argo_cd(patched: dict[str, dict[str, Any]]) -> None:
    pod = patched["Deployment"]["spec"]["template"]["spec"]
    (copy,) = [
        container for container in pod["initContainers"] if container["name"] == "krm-fn-tools"
    ]
    assert copy["image"] == "registry.example/argocd:v3.1.0"
    assert copy["command"][0] == "cp"
    assert copy["command"][-1] == copy["volumeMounts"][0]["mountPath"]
