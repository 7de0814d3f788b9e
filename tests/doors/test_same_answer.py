"""One package and one configuration give the same objects and the same problems at every door, or a row says why not.

What is compared are whole objects, as data: revisions, references and the linker's objects with all of theirs.
`container:` in place of `exec:` is left to tests/integration, which build the image: kustomize and kpt send both the
same ResourceList.
"""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias
from unittest.mock import patch

import pytest
import yaml

from krm_fn.tools.verify.verify import VerifyOptions
from tests.doors.doors import DOORS, PLACED, Answer, Settings, Unsayable, configuration
from tests.render.run import write
from tests.tools.require import require
from tests.verify.judge import verify

EXAMPLE = Path(__file__).parents[2] / "examples" / "canary"
LINKER: dict[str, Any] = {"image": "registry.example/krm-fn@sha256:" + 64 * "0"}
SHOP: dict[str, Any] = {"name": "shop", "linker": LINKER}

Manifest: TypeAlias = dict[str, Any]


def config_map(name: str, namespace: str | None = "shop", **data: str) -> Manifest:
    return _object("v1", "ConfigMap", name, namespace, data=data or {"LOG_LEVEL": "info"})


def secret(name: str, namespace: str | None = "shop") -> Manifest:
    return _object("v1", "Secret", name, namespace, stringData={"PASSWORD": "hunter2"})


def workload(
    name: str, pod: Mapping[str, Any], namespace: str | None = "shop", **more: Any
) -> Manifest:
    kind, version = (
        more.get("kind", "Deployment"),
        "batch/v1" if more.get("kind") == "Job" else "apps/v1",
    )
    container = {"name": "app", "image": "registry.example/app:1.0", **pod.get("container", {})}
    volumes = {"volumes": pod["volumes"]} if "volumes" in pod else {}
    spec = {"template": {"spec": {"containers": [container], **volumes}}}
    return _object(version, kind, name, namespace, more.get("annotations"), spec=spec)


def reading(*names: str) -> Manifest:
    """Return what a workload has in its pod to read ConfigMaps."""
    return {"container": {"envFrom": [{"configMapRef": {"name": name}} for name in names]}}


def _object(
    version: str,
    kind: str,
    name: str,
    namespace: str | None,
    annotations: Mapping[str, str] | None = None,
    **content: Any,
) -> Manifest:
    metadata = {"name": name, "namespace": namespace, "annotations": annotations}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {name: value for name, value in metadata.items() if value},
        **content,
    }


def package_of(*objects: Manifest) -> dict[str, str]:
    return {"app.yaml": "\n---\n".join(map(json.dumps, objects)) + "\n"}


WEB = workload("web", reading("web-config"))
PROJECTED = {
    "container": {
        "envFrom": [{"configMapRef": {"name": "web-config"}}, {"secretRef": {"name": "web-db"}}],
        "volumeMounts": [{"name": "all", "mountPath": "/etc/web"}],
    },
    "volumes": [
        {
            "name": "all",
            "projected": {
                "sources": [
                    {
                        "configMap": {
                            "name": "web-flags",
                            "items": [{"key": "FLAGS", "path": "flags"}],
                        }
                    },
                    {"secret": {"name": "web-db"}},
                ]
            },
        }
    ],
}
MOUNTED = workload(
    "web",
    {
        "container": {"volumeMounts": [{"name": "all", "mountPath": "/etc/web"}]},
        "volumes": [{"name": "all", "configMap": {"name": "web-config"}}],
    },
    "system",
)
MOUNTED["spec"]["template"]["spec"]["serviceAccountName"] = "web"
STYLES = """\
# the shop\r
apiVersion: v1\r
kind: ConfigMap\r
metadata: &meta\r
  name:   "web-config"   # its name\r
  namespace: 'shop'\r
data: {A: "yes", 'B': '0o17', C: "1e3"}\r
---\r
apiVersion: apps/v1\r
kind: Deployment\r
metadata:\r
  name: web\r
  namespace: shop\r
spec:\r
  template:\r
    spec:\r
      containers:\r
      - name: app\r
        image: registry.example/app:1.0\r
        envFrom: &sources\r
        - configMapRef: {name: web-config}   # read at the start\r
      - name: sidecar\r
        image: registry.example/sidecar:1.0\r
        envFrom: *sources\r
"""
EXTERNAL_SECRET = _object(
    "external-secrets.io/v1",
    "ExternalSecret",
    "web-db",
    "shop",
    spec={
        "secretStoreRef": {"kind": "ClusterSecretStore", "name": "vault"},
        "target": {"name": "web-db"},
        "data": [{"secretKey": "PASSWORD", "remoteRef": {"key": "shop/db"}}],
    },
)
CHART = {
    "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
    "values.yaml": "level: info\n",
    "templates/app.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-config, namespace: shop}\n"
        "data: {LOG_LEVEL: {{ .Values.level }}}\n---\n" + json.dumps(WEB) + "\n"
    ),
}


def generated(*objects: Manifest, **kustomization: Any) -> dict[str, str]:
    """Return a kustomization of these objects, and what is generated beside them."""
    more = {"namespace": "shop", "resources": ["app.yaml"], **kustomization}
    return {"kustomization.yaml": json.dumps(more), **package_of(*objects)}


class Package(NamedTuple):
    """Its files, its configuration, texts that are in all answers, and the program that builds it, if one does."""

    files: Mapping[str, str]
    settings: Settings
    shows: tuple[str, ...]
    built_by: str = ""


PACKAGES = {
    "the example of the README": Package(
        {
            name: (EXAMPLE / name).read_text()
            for name in ("web.yaml", "api.yaml", "report.yaml", "config.yaml")
        },
        {**SHOP, "deployers": ["argocd"]},
        ("argoproj.io/v1alpha1/Rollout/web=ConfigMap/web-config-", "IgnoreExtraneous", "3 renamed"),
    ),
    "Secrets have trackers": Package(
        package_of(
            secret("web-db"),
            workload("web", {"container": {"envFrom": [{"secretRef": {"name": "web-db"}}]}}),
        ),
        {**SHOP, "kinds": ["ConfigMap", "Secret"]},
        ("secret-tracker", "1 renamed"),
    ),
    "several namespaces have objects of one name": Package(
        package_of(
            *(config_map("web-config", where, WHERE=where) for where in ("shop", "store")),
            *(workload("web", reading("web-config"), where) for where in ("shop", "store")),
        ),
        SHOP,
        ("2 renamed",),
    ),
    "workloads in two sync waves": Package(
        package_of(
            config_map("web-config"),
            workload(
                "web", reading("web-config"), annotations={"argocd.argoproj.io/sync-wave": "1"}
            ),
            config_map("api-config"),
            workload(
                "api", reading("api-config"), annotations={"argocd.argoproj.io/sync-wave": "2"}
            ),
        ),
        SHOP,
        ("2 renamed",),
    ),
    "projected volumes and variables": Package(
        package_of(
            *(config_map("web-config"), config_map("web-flags", FLAGS="all"), secret("web-db")),
            workload("web", PROJECTED),
        ),
        {**SHOP, "kinds": ["ConfigMap", "Secret"]},
        ("3 renamed",),
    ),
    "strategy checksum": Package(
        package_of(config_map("web-config"), WEB),
        {**SHOP, "strategy": "checksum"},
        ("checksum/config",),
    ),
    "strategy adopt": Package(
        package_of(config_map("web-config"), WEB), {**SHOP, "strategy": "adopt"}, ("1 adopted",)
    ),
    "mounts": Package(
        package_of(config_map("web-config"), workload("web", {})),
        {
            **SHOP,
            "mounts": [
                {"kind": "Deployment", "name": "web", "configMap": "web-config", "path": "/etc/web"}
            ],
        },
        ("/etc/web", "1 renamed"),
    ),
    "a Job that is renamed": Package(
        package_of(
            config_map("web-config"), workload("migrate", reading("web-config"), kind="Job"), WEB
        ),
        {**SHOP, "jobs": "rename"},
        ("migrate-", "1 renamed"),
    ),
    "a reference field of its own": Package(
        package_of(
            *(config_map("web-config"), WEB),
            _object("example.com/v1", "Widget", "web", "shop", spec={"configName": "web-config"}),
        ),
        {
            **SHOP,
            "references": [
                {
                    "kind": "ConfigMap",
                    "fieldSpecs": [
                        {"group": "example.com", "kind": "Widget", "path": "spec/configName"}
                    ],
                }
            ],
        },
        ("1 renamed",),
    ),
    "what makes a Secret": Package(
        package_of(
            EXTERNAL_SECRET,
            workload("web", {"container": {"envFrom": [{"secretRef": {"name": "web-db"}}]}}),
        ),
        {**SHOP, "kinds": ["ConfigMap", "Secret", "ExternalSecret"]},
        ("1 renamed",),
    ),
    "values of charts": Package(
        package_of(
            *(config_map("web-config"), secret("web-db")),
            _object(
                "helm.toolkit.fluxcd.io/v2",
                "HelmRelease",
                "web",
                "shop",
                spec={
                    "chart": {"spec": {"chart": "app-template"}},
                    "values": {
                        "persistence": {"config": {"type": "configMap", "name": "web-config"}}
                    },
                },
            ),
            _object(
                "argoproj.io/v1alpha1",
                "Application",
                "db",
                "shop",
                spec={
                    "destination": {"name": "in-cluster", "namespace": "shop"},
                    "source": {
                        "chart": "redis",
                        "helm": {"valuesObject": {"auth": {"existingSecret": "web-db"}}},
                    },
                },
            ),
        ),
        {**SHOP, "kinds": ["ConfigMap", "Secret"], "select": [{"name": "web-*"}]},
        ("helm.toolkit.fluxcd.io/v2/HelmRelease/web=ConfigMap/web-config-", "2 renamed"),
    ),
    "CRLF, comments, anchors and quotes": Package({"app.yaml": STYLES}, SHOP, ("1 renamed",)),
    "the configurations of two sets are in the package": Package(
        {
            **package_of(config_map("web-config"), WEB),
            "shop.yaml": configuration(SHOP),
            "db.yaml": configuration({"name": "db", "strategy": "adopt"}),
        },
        SHOP,
        ("1 renamed",),
    ),
    "only some objects set a namespace": Package(
        package_of(
            config_map("web-config"),
            WEB,
            config_map("api-config", None),
            workload("api", reading("api-config")),
        ),
        SHOP,
        ("warning: ", "1 renamed, 1 left alone"),
    ),
    "a key that the ConfigMap lacks": Package(
        package_of(
            config_map("web-config"),
            workload(
                "web",
                {
                    "container": {
                        "env": [
                            {
                                "name": "LOG_LEVEL",
                                "valueFrom": {
                                    "configMapKeyRef": {"name": "web-config", "key": "LOGLEVEL"}
                                },
                            }
                        ]
                    }
                },
            ),
        ),
        SHOP,
        ("warning: ", "1 renamed"),
    ),
    "a hook that reads a revision too early": Package(
        package_of(
            config_map("web-config"),
            workload(
                "web",
                reading("web-config"),
                annotations={"helm.sh/hook": "pre-install"},
                kind="Job",
            ),
            workload("api", reading("web-config")),
        ),
        SHOP,
        ("warning: ", "left unchanged: Job/shop/web, a pre-install hook"),
    ),
    "a warning that is an error": Package(
        package_of(config_map("web-config"), workload("web", reading("web-confg"))),
        {**SHOP, "strict": True, "select": [{"name": "web-config"}]},
        ("error: ",),
    ),
    "generators of kustomize, with hashes and a prefix": Package(
        {
            "kustomization.yaml": json.dumps(
                {
                    "namePrefix": "pre-",
                    "namespace": "shop",
                    "resources": ["app.yaml"],
                    "configMapGenerator": [{"name": "web-config", "literals": ["LOG_LEVEL=info"]}],
                }
            ),
            **package_of(workload("web", reading("web-config", "plain")), config_map("plain")),
        },
        SHOP,
        ("2 renamed",),
        "kustomize",
    ),
    "a program that may read it, by a Role and an account that kustomize names and moves": Package(
        generated(
            *(config_map("web-config", "system"), MOUNTED),
            _object("v1", "ServiceAccount", "web", "system"),
            _object(
                "rbac.authorization.k8s.io/v1",
                "ClusterRole",
                "reader",
                None,
                rules=[{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}],
            ),
            _object(
                "rbac.authorization.k8s.io/v1",
                "ClusterRoleBinding",
                "reader",
                None,
                subjects=[{"kind": "ServiceAccount", "name": "web", "namespace": "system"}],
                roleRef={
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": "ClusterRole",
                    "name": "reader",
                },
            ),
            namePrefix="pre-",
        ),
        SHOP,
        ("may read ConfigMaps through the API, by ClusterRole/pre-reader", "1 left alone"),
        "kustomize",
    ),
    "what kustomize names, and who knows the name": Package(
        generated(
            _object(
                "networking.k8s.io/v1",
                "Ingress",
                "web",
                "shop",
                {
                    "nginx.ingress.kubernetes.io/proxy-ssl-secret": "shop/backend-tls",
                    "nginx.ingress.kubernetes.io/fastcgi-params-configmap": "params",
                    "nginx.org/basic-auth-secret": "users",
                },
                spec={"rules": [], "tls": [{"hosts": ["a.example"], "secretName": "edge-tls"}]},
            ),
            _object(
                "monitoring.coreos.com/v1",
                "PrometheusRule",
                "web",
                "shop",
                spec={"groups": [{"rules": [{"expr": 'absent(info{configmap="web-config"})'}]}]},
            ),
            _object(
                "rbac.authorization.k8s.io/v1",
                "Role",
                "web",
                "shop",
                rules=[
                    {
                        "apiGroups": [""],
                        "resources": ["configmaps"],
                        "verbs": ["get"],
                        "resourceNames": ["flags"],
                    }
                ],
            ),
            workload("web", reading("web-config", "agents", "casc", "flags")),
            configMapGenerator=[
                {"name": "agents", "literals": ["A=b"]},
                {"name": "casc", "literals": ["jenkins.yaml=volume: {configMapName: agents}"]},
                *(
                    {"name": name, "literals": ["A=b"]}
                    for name in ("web-config", "flags", "params")
                ),
            ],
            secretGenerator=[
                {"name": name, "literals": ["a=b"]} for name in ("backend-tls", "edge-tls", "users")
            ],
        ),
        {**SHOP, "kinds": ["ConfigMap", "Secret"]},
        (
            "8 renamed",
            "shop/backend-tls-",
            "PrometheusRule/shop/web spec.groups[0].rules[0].expr",
            "Role/shop/web lists it in resourceNames",
        ),
        "kustomize",
    ),
    "a hook that reads what kustomize names": Package(
        generated(
            workload("web", reading("web-config")),
            workload(
                "migrate",
                reading("web-config"),
                annotations={"argocd.argoproj.io/hook": "PreSync"},
                kind="Job",
            ),
            configMapGenerator=[{"name": "web-config", "literals": ["A=b"]}],
        ),
        SHOP,
        ("1 renamed", "Prune=false", "warning: Job/shop/migrate", "set disableNameSuffixHash"),
        "kustomize",
    ),
    "what kustomize names, and follows by its configurations": Package(
        {
            **generated(
                _object(
                    "helm.toolkit.fluxcd.io/v2",
                    "HelmRelease",
                    "web",
                    "shop",
                    spec={
                        "chart": {"spec": {"chart": "web"}},
                        "valuesFrom": [{"kind": "ConfigMap", "name": "values"}],
                    },
                ),
                _object("example.com/v1", "Widget", "web", "shop", spec={"settings": "web-config"}),
                workload("web", reading("web-config")),
                configMapGenerator=[
                    {"name": name, "literals": ["A=b"]} for name in ("values", "web-config")
                ],
                configurations=["follow.json"],
            ),
            "follow.json": json.dumps(
                {
                    "nameReference": [
                        {
                            "kind": "ConfigMap",
                            "version": "v1",
                            "fieldSpecs": [
                                {"kind": "HelmRelease", "path": "spec/valuesFrom/name"},
                                {"kind": "Widget", "path": "spec/settings"},
                            ],
                        }
                    ]
                }
            ),
        },
        SHOP,
        ("2 renamed", "warning: Widget/shop/web spec.settings"),
        "kustomize",
    ),
    "a chart": Package(CHART, SHOP, ("1 renamed",), "helm"),
}

KNOWN_BY_OTHERS = (
    "what kustomize names, and who knows the name",
    "a hook that reads what kustomize names",
    "what kustomize names, and follows by its configurations",
)
REFERENCE = "function"
ALL = {**DOORS, **PLACED}
KPT = [name for name in ALL if name.startswith("kpt")]
BUILDS = {
    "kustomize": {"kustomize build, transformers", "render", "render of a kustomization", *PLACED},
    "helm": {"render", "Argo CD's plugin"},
}
"""The doors that build such a package themselves.

To others, its user gives what the program has built.
"""

EXCEPTIONS = {
    ("the configurations of two sets are in the package", "Argo CD's plugin"): (
        "nothing chooses one of several: the configuration has to be the file beside the kustomization"
    ),
    (
        "only some objects set a namespace",
        "Argo CD's plugin",
    ): "Argo CD says which namespace the others are in",
    **{
        (package, door): "a ConfigMap holds only scalars and lists of names"
        for package in ("mounts", "a reference field of its own")
        for door in ("kpt fn eval, arguments", "kpt fn render, configMap")
    },
}
"""Where a door differs, and why."""

_PLACE = re.compile(r" \((?:line \d+, column \d+|[^()]+:\d+:\d+|[^() ]+\.yaml(?: index \d+)?)\)")

# What starts processes takes up to half a second, so these take turns: kpt's ways to pass a
# configuration are compared in test_configuration.py, Helm's post-renderer reads what the exec
# plugin reads, and Argo CD's plugin is a `render`.
TURNS = [[*KPT, "Helm's post-renderer"], ["render of a kustomization", *PLACED]]
PAIRS = [
    (package, door)
    for number, package in enumerate(PACKAGES)
    for door in ALL
    if ALL[door].makes and door != REFERENCE and (package, door) not in EXCEPTIONS
    if number == 0
    or all(door not in doors or doors[number % len(doors)] == door for doors in TURNS)
]


def _input(package: Package, door: str) -> Mapping[str, str]:
    if not package.built_by or door in BUILDS[package.built_by]:
        return package.files
    return {"built.yaml": _build(package.built_by, tuple(package.files.items()))}


@cache
def _build(program: str, files: tuple[tuple[str, str], ...]) -> str:
    with TemporaryDirectory() as folder:
        write(Path(folder), dict(files))
        options = ["build"] if program == "kustomize" else ["template", "shop"]
        command = [str(require(program)), *options, folder]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@cache
def _answer(package: str, door: str) -> Answer:
    row = PACKAGES[package]
    with TemporaryDirectory() as folder:
        place = Path(folder).resolve() / "shop"
        write(place, _input(row, door))
        programs = [str(require(row.built_by).parent)] if row.built_by else []
        with patch.dict(os.environ, PATH=os.pathsep.join([*programs, os.environ["PATH"]])):
            return ALL[door].run(place, row.settings)


def _objects(answer: Answer) -> list[Manifest]:
    """Return what is to be applied, without what kustomize and kpt note for themselves."""
    found = filter(None, yaml.load_all(answer.manifests, yaml.CSafeLoader))
    return sorted(
        (_plain(one) for one in found if not _is_for_tools(one)),
        key=partial(json.dumps, sort_keys=True),
    )


def _is_for_tools(manifest: Manifest) -> bool:
    annotations = manifest["metadata"].get("annotations") or {}
    return (
        manifest["kind"] == "Kptfile"
        or annotations.get("config.kubernetes.io/local-config") == "true"
    )


def _plain(manifest: Manifest) -> Manifest:
    annotations = manifest["metadata"].get("annotations") or {}
    kept = {name: value for name, value in annotations.items() if "config.k" not in name}
    metadata = {
        name: value for name, value in manifest["metadata"].items() if name != "annotations"
    }
    return {**manifest, "metadata": {**metadata, **({"annotations": kept} if kept else {})}}


def _problems(answer: Answer) -> list[str]:
    """Return the lines about problems and the last line, without the places in files. kpt quotes, kustomize adds."""
    quoted = re.findall(r'^ +(".+")$', answer.problems, re.MULTILINE)
    lines = map(json.loads, quoted) if quoted else answer.problems.splitlines()
    return sorted(_PLACE.sub("", line) for line in lines if line and not line.startswith("Error: "))


def _compared(answer: Answer) -> tuple[bool, list[str], list[Manifest]]:
    is_success = answer.exit_code == 0
    return is_success, _problems(answer), _objects(answer) if is_success else []


@pytest.mark.parametrize("package", PACKAGES)
def test_shows(package: str) -> None:
    answer = _answer(package, REFERENCE)
    for text in PACKAGES[package].shows:
        assert text in f"{answer.manifests}\n{answer.problems}"


@pytest.mark.parametrize(("package", "door"), PAIRS)
def test_same(package: str, door: str) -> None:
    assert _compared(_answer(package, door)) == _compared(_answer(package, REFERENCE))


@pytest.mark.parametrize(("package", "door"), EXCEPTIONS)
def test_exceptions(package: str, door: str) -> None:
    """An exception that is none any more has to go."""
    try:
        found = _answer(package, door)
    except Unsayable:
        return
    assert _compared(found) != _compared(_answer(package, REFERENCE))


@pytest.mark.needs("kustomize")
@pytest.mark.parametrize("package", KNOWN_BY_OTHERS)
def test_what_was_wrong_before_is_said_again(package: str, tmp_path: Path) -> None:
    """Nothing in a rendering but a mark of ours says that kustomize has taken the name."""
    first = _answer(package, "exec plugin")
    write(tmp_path, {"app.yaml": first.manifests})
    assert _compared(DOORS["exec plugin"].run(tmp_path, PACKAGES[package].settings)) == _compared(
        first
    )
    verified = verify("-", first.manifests.encode(), VerifyOptions())
    assert verified.exit_code == 0, verified.stderr


MADE_ANEW = CHART["templates/app.yaml"].replace("{{ .Values.level }}", "{{ randAlphaNum 9 }}")


@pytest.mark.needs("helm")
@pytest.mark.parametrize("door", ["function", "exec plugin", "Helm's post-renderer", "render"])
def test_what_a_chart_makes_anew_is_left_alone_again(door: str, tmp_path: Path) -> None:
    """Only two renderings of the chart show it, and the output is one."""
    write(tmp_path / "shop", {**CHART, "templates/app.yaml": MADE_ANEW})
    helm = str(require("helm").parent)
    with patch.dict(os.environ, PATH=os.pathsep.join([helm, os.environ["PATH"]])):
        first = DOORS["render"].run(tmp_path / "shop", SHOP)
    assert "left unchanged: its chart makes it anew on every rendering" in first.problems
    write(tmp_path / "again", {"app.yaml": first.manifests})
    assert _compared(DOORS[door].run(tmp_path / "again", SHOP)) == _compared(first)


@pytest.mark.parametrize(
    "door", [name for name, door in DOORS.items() if door.makes and name not in KPT[1:]]
)
def test_second_run(door: str, tmp_path: Path) -> None:
    """Kpt runs in place. To others, their output is given as a package."""
    files, settings, *_ = PACKAGES["projected volumes and variables"]
    write(tmp_path / "shop", files)
    first = ALL[door].run(tmp_path / "shop", settings)
    if door in KPT:
        assert ALL[door].run(tmp_path / "shop", settings).manifests == first.manifests
        return
    write(tmp_path / "again" / "shop", {"app.yaml": first.manifests})
    second = ALL[door].run(tmp_path / "again" / "shop", settings)
    assert _compared(second) == _compared(first)
