"""Run examples/argocd-plugin as Argo CD does: discover, then generate as user 999 on a read-only file system."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn import __version__
from tests.integration.names import assert_names_hold, defined, load
from tests.render.run import CONFIG_MAP, write
from tests.tools.require import give_up

Tools = Callable[[str], Path]

ROOT = Path(__file__).parent.parent.parent
PLUGIN = ROOT / "examples/argocd-plugin"
PLUGIN_USER = 999
SIDECAR = Path(__file__).with_name("sidecar.sh")
ARGOCD = {
    "ARGOCD_APP_NAME": "shop",
    "ARGOCD_APP_NAMESPACE": "live",
    "ARGOCD_APP_SOURCE_PATH": "app",
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


def generate(checkout: Path, *tools: Path, probe: list[str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the plugin's command, or `probe` instead, in the folder of the application."""
    for path in [checkout, *checkout.rglob("*")]:
        os.chown(path, PLUGIN_USER, PLUGIN_USER)
    folders = [Path(sys.executable).parent, *(tool.parent for tool in tools), Path("/usr/bin"), Path("/bin")]
    environment = {"PATH": os.pathsep.join(map(str, folders)), "HOME": "/", "LANG": "C", **ARGOCD}
    command = probe or [*SPEC["generate"]["command"], *SPEC["generate"].get("args", [])]
    return subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", SIDECAR, checkout / "app", *command],
        env=environment,
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
    done = generate(checkout, probe=["sh", "-c", attempts])
    if done.returncode:
        give_up(f"cannot create a sandbox here: {done.stderr.strip()}")
    assert done.stdout.split() == [str(PLUGIN_USER), "."]
    return checkout


def applications() -> list[Any]:
    """Return the folders of applications, and the tool that builds each."""
    canary = {file.name: file.read_bytes() for file in (ROOT / "examples/canary").glob("*.yaml")}
    plain = {name: content for name, content in canary.items() if name != "kustomization.yaml"}
    chart = {
        str(file.relative_to(ROOT / "examples/helm/chart")): file.read_bytes()
        for file in (ROOT / "examples/helm/chart").rglob("*.yaml")
    }
    return [
        pytest.param(plain, None, id="manifests"),
        pytest.param(canary, "kustomize", id="a kustomization"),
        pytest.param(canary, "kubectl", id="a kustomization, with only kubectl installed"),
        pytest.param(chart | {"krm-fn.yaml": canary["krm-fn.yaml"]}, "helm", id="a chart"),
    ]


@pytest.mark.parametrize(("files", "builder"), applications())
def test_an_application_is_generated(
    files: dict[str, bytes], builder: str | None, require_tool: Tools, sidecar: Path
) -> None:
    write(sidecar / "app", files)
    assert list((sidecar / "app").glob(SPEC["discover"]["fileName"]))
    tools = [alone(require_tool(builder), sidecar)] if builder else []
    before = belongings()
    done = generate(sidecar, *tools)
    assert (done.stderr, done.returncode) == ("", 0)
    objects = load(done.stdout)
    assert_names_hold(objects)
    assert all(config["immutable"] for config in defined(objects).values())
    assert not {"ConfigRevisions", "Kustomization"} & {item["kind"] for item in objects}
    assert belongings() == before
    assert done.stdout == generate(sidecar, *tools).stdout


def belongings() -> list[Path]:
    """Find what the plugin's user has below /tmp. Other tests, which run as root, write there too."""
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
    config = CONFIG_MAP.replace("name: a", "name: '{{ .Release.Name }}', namespace: '{{ .Release.Namespace }}'")
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
    pytest.param({"a.yaml": CONFIG_MAP, "b.yaml": "a: [\n"}, "error: b.yaml:2:1: invalid YAML", id="not YAML"),
    pytest.param({"krm-fn.yaml": "a: b\n", "a.yaml": CONFIG_MAP}, "error: krm-fn.yaml:1:1: ", id="wrong configuration"),
    pytest.param({"a.yaml": "# soon\n"}, "error: nothing to apply: no objects in a.yaml\n", id="no objects"),
    pytest.param({"kustomization.yaml": "", "a.yaml": CONFIG_MAP}, "error: .: ", id="an empty kustomization"),
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
    done = generate(sidecar, alone(require_tool("kustomize"), sidecar))
    assert done.stdout == ""
    assert "is not in or below" in done.stderr  # by kustomize's own rule
    (sidecar / "app/kustomization.yaml").unlink()
    (sidecar / "app/link").symlink_to("../shared")
    done = generate(sidecar)
    assert (done.stderr, done.returncode) == ("", 0)
    assert [item["kind"] for item in load(done.stdout)] == ["ConfigMap"]


def test_the_plugin_has_no_version() -> None:
    """A version would become part of the plugin's name that Applications use."""
    plugin = manifest("plugin.yaml")
    assert (plugin["apiVersion"], plugin["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    assert plugin["metadata"] == {"name": "krm-fn"}
    assert set(SPEC) == {"discover", "generate"}


def test_the_plugin_discovers_the_application() -> None:
    source = manifest("application.yaml")["spec"]["source"]
    assert source["plugin"] == {}
    assert (ROOT / source["path"] / SPEC["discover"]["fileName"]).is_file()


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
    built = subprocess.run([require_tool("kustomize"), "build", tmp_path], capture_output=True, check=True)
    return {item["kind"]: item for item in load(built.stdout)}


def test_the_sidecar_meets_the_requirements_of_argo_cd(patched: dict[str, dict[str, Any]]) -> None:
    pod = patched["Deployment"]["spec"]["template"]["spec"]
    sidecar = next(container for container in pod["containers"] if container["name"] == "krm-fn")
    assert sidecar["command"] == ["/var/run/argocd/argocd-cmp-server"]
    assert sidecar["image"].rpartition(":")[2] == __version__
    assert sidecar["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 999,
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    mounts = {mount["mountPath"]: (mount["name"], mount.get("subPath")) for mount in sidecar["volumeMounts"]}
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
    ours = [one for one in (*pod["containers"], *pod["initContainers"]) if one["name"].startswith("krm-fn")]
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
    (mounted,) = [volume["configMap"]["name"] for volume in volumes if volume["name"] == "krm-fn-plugin"]
    config = patched["ConfigMap"]
    assert (mounted, config["metadata"]["namespace"]) == (config["metadata"]["name"], "argocd")
    assert config["data"] == {"plugin.yaml": (PLUGIN / "plugin.yaml").read_text()}


def test_the_tools_come_from_the_image_of_argo_cd(patched: dict[str, dict[str, Any]]) -> None:
    pod = patched["Deployment"]["spec"]["template"]["spec"]
    (copy,) = [container for container in pod["initContainers"] if container["name"] == "krm-fn-tools"]
    assert copy["image"] == "registry.example/argocd:v3.1.0"
    assert copy["command"][0] == "cp"
    assert copy["command"][-1] == copy["volumeMounts"][0]["mountPath"]
