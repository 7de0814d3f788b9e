"""The real kpt runs the function in place, several times."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.names import assert_names_hold, defined, load
from tests.integration.test_kustomize import Files, write

Tools = Callable[[str], Path]

KRM_FN = str(Path(sys.executable).parent / "krm-fn")
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop # the package
pipeline:
  mutators:
  - exec: {exec}
    {config}
"""
WEB = """\
# Copyright of somebody
apiVersion: apps/v1
kind: Deployment
metadata: # about it
  name: web
spec:
  template:
    spec:
      containers:
      - name: app
        image: "web"   # quoted
        envFrom:
        - configMapRef:
            name: app # kpt-set: ${app}
"""
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  # how loud
  LEVEL: 'info'
  on: yes
  octal: 0o17
  text: |
    a

    b
"""
CONTEXT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: kptfile.kpt.dev
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  name: shop
"""


def kpt(require_tool: Tools, *arguments: str, **environment: str) -> str:
    command = [str(require_tool("kpt")), "fn", *arguments]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def evaluate(require_tool: Tools, package: Path, *settings: str) -> str:
    return kpt(
        require_tool,
        "eval",
        str(package),
        "--exec",
        KRM_FN,
        *(["--", *settings] if settings else []),
    )


def texts(package: Path) -> dict[str, str]:
    return {
        str(file.relative_to(package)): file.read_text()
        for file in sorted(package.rglob("*"))
        if file.is_file()
    }


def name_in(package: Path, file: str = "config.yaml") -> str:
    (name,) = defined(load((package / file).read_text()))
    return name


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return write(
        tmp_path / "shop", {"web.yaml": WEB, "config.yaml": CONFIG, "package-context.yaml": CONTEXT}
    )


def test_only_names_and_added_fields_change_in_the_files(
    require_tool: Tools, package: Path
) -> None:
    kpt(require_tool, "eval", str(package), "--exec", "cat")  # kpt itself changes some formatting
    before = texts(package)
    evaluate(require_tool, package)
    after = texts(package)
    assert after["package-context.yaml"] == before["package-context.yaml"]
    name = name_in(package)
    assert after["web.yaml"] == before["web.yaml"].replace(
        "name: app # kpt-set", f"name: {name} # kpt-set"
    )
    kept = iter(after["config.yaml"].splitlines())
    assert all(
        line in kept
        for line in before["config.yaml"].replace("name: app", f"name: {name}").splitlines()
    )


def test_three_runs_in_place_with_edited_data_in_between(
    require_tool: Tools, package: Path
) -> None:
    names = []
    for level in ("info", "debug", "trace"):
        config = (package / "config.yaml").read_text()
        (package / "config.yaml").write_text(config.replace("LEVEL: '", f"LEVEL: '{level}-"))
        evaluate(require_tool, package)
        once = texts(package)
        evaluate(require_tool, package)
        assert texts(package) == once
        names.append(name_in(package))
        assert f"name: {names[-1]} # kpt-set" in once["web.yaml"]
    assert len(set(names)) == len(names)
    assert {len(name) for name in names} == {len("app-") + 10}


MOUNTS = (
    "{configMap: app, path: /etc/app, defaultMode: 0444}",
    "{configMap: app, path: /etc/other}, {configMap: app, envFrom: true, prefix: APP_}",
    "{projected: [app], path: /etc/app, containers: [app]}",
    "",
)


def test_runs_in_place_with_changed_mounts_in_between(require_tool: Tools, package: Path) -> None:
    settings = (
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata:\n  name: web\n"
        "  annotations: {config.kubernetes.io/local-config: 'true'}\nspec: {mounts: [%s]}\n"
    )
    write(package, {"Kptfile": KPTFILE.format(exec=KRM_FN, config="configPath: settings.yaml")})
    pods = []
    for mounts in MOUNTS:
        write(package, {"settings.yaml": settings % mounts})
        kpt(require_tool, "render", str(package), "--allow-exec")
        once = texts(package)
        kpt(require_tool, "render", str(package), "--allow-exec")
        assert texts(package) == once
        objects = [item for file in ("web.yaml", "config.yaml") for item in load(once[file])]
        assert_names_hold(objects)
        pods.append(once["web.yaml"])
    name = name_in(package)
    assert "mountPath: /etc/app" in pods[0]
    assert "mountPath: /etc/other" in pods[1]
    assert "prefix: APP_" in pods[1]
    assert "/etc/app" not in pods[1]
    assert "projected:" in pods[2]
    assert "APP_" not in pods[2]
    as_kpt_writes_it = WEB.replace('"web"   #', '"web" #')
    assert pods[3] == as_kpt_writes_it.replace("name: app # kpt-set", f"name: {name} # kpt-set")


def test_settings_from_the_command_line(require_tool: Tools, package: Path) -> None:
    evaluate(require_tool, package, "name=web", "immutable=false", "deployers=flux")
    (config,) = load((package / "config.yaml").read_text())
    assert config["metadata"]["labels"] == {"revisions.krm-fn.io/set": "web"}
    assert "immutable" not in config
    assert set(config["metadata"]["annotations"]) == {
        "revisions.krm-fn.io/base-name",
        "revisions.krm-fn.io/wanted",
        "kustomize.toolkit.fluxcd.io/prune",
    }


@pytest.mark.parametrize(
    ("config", "files"),
    [
        pytest.param(
            "configMap: {name: web, immutable: no}", {}, id="unquoted settings in the Kptfile"
        ),
        pytest.param(
            "configPath: settings.yaml",
            {
                "settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  name: web\n"
            },
            id="a ConfigMap that is itself an item",
        ),
        pytest.param(
            "configPath: settings.yaml",
            {
                "settings.yaml": "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata:\n  name: web\n"
                "  annotations: {config.kubernetes.io/local-config: 'true'}\n"
            },
            id="a ConfigRevisions that is itself an item",
        ),
    ],
)
def test_rendered_twice(require_tool: Tools, package: Path, config: str, files: Files) -> None:
    write(package, {"Kptfile": KPTFILE.format(exec=KRM_FN, config=config), **files})
    kpt(require_tool, "render", str(package), "--allow-exec")
    once = texts(package)
    kpt(require_tool, "render", str(package), "--allow-exec")
    assert texts(package) == once
    assert "revisions.krm-fn.io/set: web" in once["config.yaml"]
    for file, text in files.items():
        assert once[file] == text


def test_subpackages_with_equal_names_stay_independent(require_tool: Tools, tmp_path: Path) -> None:
    inner = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: inner\n"
    files = {"Kptfile": KPTFILE.format(exec=KRM_FN, config="configMap: {name: web}")}
    for sub in ("one", "two"):
        files |= {
            f"{sub}/Kptfile": inner,
            f"{sub}/web.yaml": WEB,
            f"{sub}/config.yaml": CONFIG.replace("info", sub),
        }
    package = write(tmp_path / "shop", files)
    kpt(require_tool, "render", str(package), "--allow-exec")
    for sub in ("one", "two"):
        assert_names_hold(
            [
                item
                for file in ("web.yaml", "config.yaml")
                for item in load((package / sub / file).read_text())
            ]
        )
    assert name_in(package / "one") != name_in(package / "two")


def test_equal_secrets_of_subpackages_have_a_tracker_each(
    require_tool: Tools, tmp_path: Path
) -> None:
    creds = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\n  namespace: shop\nstringData:\n  TOKEN: %s\n"
    web = WEB.replace("configMapRef", "secretRef").replace(
        "name: web\n", "name: web\n  namespace: shop\n", 1
    )
    package = tmp_path / "shop"
    inner = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: %s\n"
    settings = "configMap: {name: shop, kinds: Secret, linker.image: 'registry.example/krm-fn:1'}"
    write(package, {"Kptfile": KPTFILE.format(exec=KRM_FN, config=settings)})
    for sub in ("one", "two"):
        reader = web.replace("name: web", f"name: {sub}", 1)
        write(
            package / sub, {"Kptfile": inner % sub, "web.yaml": reader, "secret.yaml": creds % sub}
        )
    for token in ("two", "three"):
        (package / "two" / "secret.yaml").write_text(
            (package / "two" / "secret.yaml").read_text().replace("TOKEN: two", f"TOKEN: {token}")
        )
        kpt(require_tool, "render", str(package), "--allow-exec")
        trackers = [
            item["metadata"]["name"]
            for item in load((package / "shop-linker.yaml").read_text())[:2]
        ]
        secrets = [
            load((package / sub / "secret.yaml").read_text())[0]["metadata"]["name"]
            for sub in ("one", "two")
        ]
        assert trackers == secrets
        assert_verified(package)


def assert_verified(package: Path) -> None:
    command = [KRM_FN, "verify", str(package), "--set", "shop", "--strict"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def find_unread(package: Path) -> list[str]:
    """Return the revisions that nothing reads, as verify finds them. It finds nothing else."""
    command = [KRM_FN, "verify", str(package), "--set", "shop", "--strict"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    found = [
        re.match(r"error: ConfigMap/shop/(\S+) .* sees no reference; ", line)
        for line in done.stderr.splitlines()
    ]
    return [one[1] if one else done.stderr for one in found]


UPSTREAM = {
    "web.yaml": WEB.replace("name: web\n", "name: web\n  namespace: shop\n", 1),
    "config.yaml": CONFIG.replace("name: app\n", "name: app\n  namespace: shop\n").replace(
        "  on: yes\n", ""
    ),
}
WORKER = UPSTREAM["web.yaml"].replace("name: web\n", "name: worker\n", 1)
FLAGS = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: flags\n  namespace: shop\ndata:\n  on: 'true'\n"


def upstream(file: str, old: str, new: str) -> Files:
    assert old in UPSTREAM[file]
    return {**UPSTREAM, file: UPSTREAM[file].replace(old, new)}


READ_FLAGS = "name: app # kpt-set: ${app}\n        - configMapRef:\n            name: flags\n"
UPDATES = [
    pytest.param(upstream("config.yaml", "'info'", "'debug'"), set(), id="data"),
    pytest.param(upstream("web.yaml", '"web"', '"web:2"'), set(), id="the image"),
    pytest.param(
        {**upstream("config.yaml", "'info'", "'debug'"), "worker.yaml": WORKER},
        set(),
        id="data, and a new reader",
    ),
    pytest.param(
        {**upstream("web.yaml", "name: app # kpt-set: ${app}\n", READ_FLAGS), "flags.yaml": FLAGS},
        set(),
        id="another ConfigMap in the same list",
    ),
    pytest.param(
        {
            "web.yaml": UPSTREAM["web.yaml"].replace("name: app #", "name: settings #"),
            "config.yaml": UPSTREAM["config.yaml"].replace("name: app\n", "name: settings\n"),
        },
        {"app-458ftc9km6"},
        id="the name of the ConfigMap",
    ),
]


@pytest.mark.parametrize(("changed", "kept"), UPDATES)
def test_an_update_of_a_package_rendered_in_place(
    require_tool: Tools, tmp_path: Path, changed: Files, kept: set[str]
) -> None:
    settings = ("name=shop", "deployers=kpt", "linker.image=registry.example/krm-fn:1")
    evaluate(require_tool, write(tmp_path / "fresh", changed), *settings)
    commit(tmp_path / "upstream", {f"shop/{file}": text for file, text in UPSTREAM.items()}, "v1")
    commit(tmp_path / "upstream", {f"shop/{file}": text for file, text in changed.items()}, "v2")
    commit(tmp_path / "local", {}, "empty")
    package = tmp_path / "local" / "shop"
    get = [f"{tmp_path}/upstream/.git/shop@v1", str(package)]
    change_package(require_tool, tmp_path, "get", *get)
    evaluate(require_tool, package, *settings)
    commit(tmp_path / "local", {}, "rendered")
    change_package(require_tool, tmp_path, "update", "shop@v2", cwd=tmp_path / "local")
    evaluate(require_tool, package, *settings)
    # kpt keeps what upstream has removed if it was changed here, and to render it is a change.
    # Nothing reads it then.
    assert set(find_unread(package)) == kept
    left_over = [item for item in applied(package) if item["metadata"]["name"] in kept]
    assert [item for item in applied(package) if item not in left_over] == applied(
        tmp_path / "fresh"
    )
    assert len(left_over) == len(kept)


def change_package(
    require_tool: Tools, tmp_path: Path, *arguments: str, cwd: Path | None = None
) -> None:
    command = [str(require_tool("kpt")), "pkg", *arguments]
    environment = {**os.environ, "KPT_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        command, env=environment, cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def commit(repository: Path, files: Files, tag: str) -> None:
    repository.mkdir(exist_ok=True)
    write(repository, files)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    for arguments in (
        ("init", "--quiet"),
        ("add", "--all"),
        ("commit", "--quiet", "--allow-empty", "--message", tag),
        ("tag", tag),
    ):
        subprocess.run(["git", "-C", str(repository), *identity, *arguments], check=True)


def applied(package: Path) -> list[dict[str, Any]]:
    """Return what is applied, without what kpt notes for itself."""
    items = [
        item for file, text in texts(package).items() if file != "Kptfile" for item in load(text)
    ]
    for item in items:
        annotations = item["metadata"].get("annotations", {})
        annotations.pop("internal.kpt.dev/upstream-identifier", None)
        if not annotations:
            item["metadata"].pop("annotations", None)
    return sorted(items, key=lambda item: (item["kind"], item["metadata"]["name"]))


def test_an_empty_package_stays_empty(require_tool: Tools, tmp_path: Path) -> None:
    evaluate(require_tool, tmp_path)
    assert texts(tmp_path) == {}


def test_an_error_leaves_every_file_as_it_was(require_tool: Tools, package: Path) -> None:
    before = texts(package)
    command = [
        str(require_tool("kpt")),
        "fn",
        "eval",
        str(package),
        "--exec",
        KRM_FN,
        "--",
        "strateg=rename",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "data.strateg" in done.stderr
    assert 'did you mean "strategy"?' in done.stderr
    assert texts(package) == before


@pytest.fixture
def full_image(require_tool: Tools, docker_host: dict[str, str], image: str) -> str:
    """Tag the image with a registry in its name, because kpt adds its own registry to a short name."""
    name = f"registry.example/{image}"
    docker = str(require_tool("docker"))
    subprocess.run([docker, "tag", image, name], env={**os.environ, **docker_host}, check=True)
    return name


def test_as_an_image(
    require_tool: Tools, docker_host: dict[str, str], full_image: str, package: Path
) -> None:
    options = ["--image", full_image, "--image-pull-policy", "never"]
    kpt(require_tool, "eval", str(package), *options, **docker_host)
    by_image = texts(package)
    evaluate(require_tool, package)
    assert texts(package) == by_image
    assert name_in(package).startswith("app-")


def test_rendered_by_an_image(
    require_tool: Tools, docker_host: dict[str, str], full_image: str, package: Path
) -> None:
    kptfile = KPTFILE.format(exec=KRM_FN, config="configMap: {name: web}").replace(
        f"exec: {KRM_FN}", f"image: {full_image}"
    )
    write(package, {"Kptfile": kptfile})
    kpt(require_tool, "render", str(package), "--image-pull-policy", "never", **docker_host)
    assert "revisions.krm-fn.io/set: web" in (package / "config.yaml").read_text()
    assert name_in(package) in (package / "web.yaml").read_text()


def test_kpt_shows_the_documentation(
    require_tool: Tools, docker_host: dict[str, str], full_image: str
) -> None:
    command = [str(require_tool("kpt")), "fn", "doc", "--image", full_image]
    done = subprocess.run(
        command, env={**os.environ, **docker_host}, capture_output=True, text=True, check=False
    )
    shown = subprocess.run([KRM_FN, "--help"], capture_output=True, text=True, check=True).stdout
    assert done.stdout.split() == shown.split(), done.stderr
    assert "krm-fn help configuration" in done.stdout
