"""Repositories of many layouts, as people have them, each with the folder that `krm-fn init` is run on."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias


class Link(NamedTuple):
    """A symbolic link."""

    target: str


class Fifo(NamedTuple):
    """A pipe: who opens it waits for the other end."""


FIFO = Fifo()
Content: TypeAlias = str | bytes | Link | Fifo


class Layout(NamedTuple):
    """A tree of files, and where init runs.

    `refused`: a part of what it says where it must write nothing.
    """

    files: Mapping[str, Content]
    path: str
    refused: str = ""
    set: str = ""
    options: tuple[str, ...] = ()


def deployment(name: str, config: str, namespace: str = "") -> str:
    where = f"\n  namespace: {namespace}" if namespace else ""
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}{where}
spec:
  selector:
    matchLabels: {{app: {name}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
      containers:
      - name: {name}
        image: registry.example/{name}:1
        envFrom:
        - configMapRef: {{name: {config}}}   # all of it
"""


def config_map(name: str, namespace: str = "") -> str:
    where = f", namespace: {namespace}" if namespace else ""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}{where}}}\ndata: {{LEVEL: info}}\n"


def manifests(folder: str, namespace: str = "") -> dict[str, Content]:
    at = f"{folder}/" if folder else ""
    return {
        f"{at}web.yaml": deployment("web", "app", namespace),
        f"{at}config.yaml": config_map("app", namespace),
    }


def kustomization(*resources: str, more: str = "") -> str:
    listed = "".join(f"- {one}\n" for one in resources)
    return f"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n{listed}{more}"


WEB = kustomization("web.yaml", "config.yaml")
RUN = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: there
  annotations:
    config.kubernetes.io/local-config: "true"
    config.kubernetes.io/function: "{exec: {path: krm-fn}}"
"""
OVERLAY = kustomization("../../base", more="namespace: prod\n")
OVERLAYS: dict[str, Content] = {
    **manifests("shop/base"),
    "shop/base/kustomization.yaml": WEB,
    "shop/overlays/prod/kustomization.yaml": OVERLAY,
    "shop/overlays/dev/kustomization.yaml": OVERLAY.replace("prod", "dev"),
}
CHART: dict[str, Content] = {
    "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "chart/values.yaml": "level: info\n",
    "chart/templates/web.yaml": deployment("{{ .Release.Name }}", "app"),
    "chart/templates/config.yaml": config_map("app").replace("info", "{{ .Values.level }}"),
    "chart/crds/none.txt": "",
}
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: front # the package\n"
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  source: {repoURL: "https://git.example/a", path: apps/web}
  destination: {server: "https://kubernetes.default.svc", namespace: web}
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  interval: 10m
  path: ./%s
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
"""
HOME: dict[str, Content] = {
    **manifests("apps/media/radarr/app"),
    "apps/media/radarr/app/kustomization.yaml": WEB,
    "apps/media/radarr/ks.yaml": FLUX % "apps/media/radarr/app",
    "apps/media/kustomization.yaml": kustomization("radarr/ks.yaml"),
}
ONE: dict[str, Content] = {**manifests("app"), "app/kustomization.yaml": WEB}

LAYOUTS: dict[str, Layout] = {
    "manifests": Layout(manifests("shop", "web"), "shop", set="shop"),
    "manifests at the top": Layout(manifests(""), "."),
    "manifests in folders": Layout({**manifests("shop/a"), **manifests("shop/b", "b")}, "shop"),
    "one kustomization": Layout(
        {**manifests("shop"), "shop/kustomization.yaml": WEB}, "shop", set="shop"
    ),
    "an overlay": Layout(OVERLAYS, "shop/overlays/prod", set="shop"),
    "the folder above overlays": Layout(
        OVERLAYS, "shop", "2 packages below it: krm-fn init 'shop/overlays/*'\n"
    ),
    "the top of a repository": Layout(
        {**OVERLAYS, **HOME},
        ".",
        " krm-fn init apps/media apps/media/radarr/app 'shop/overlays/*'\n",
    ),
    "an overlay beside one that runs krm-fn": Layout(
        {
            **OVERLAYS,
            "shop/overlays/dev/kustomization.yaml": f"{OVERLAY}transformers: [fn.yaml]\n",
            "shop/overlays/dev/fn.yaml": RUN.replace("there", "shop"),
        },
        "shop/overlays/prod",
        set="shop-prod",
    ),
    "a component": Layout(
        {
            **OVERLAYS,
            "shop/part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n",
            "shop/overlays/dev/kustomization.yaml": f"{OVERLAY}components: [../../part]\n",
        },
        "shop/part",
        "is a Component, which is no package, but built into those that list it; pass shop/overlays/dev",
    ),
    "an overlay with a component": Layout(
        {
            **OVERLAYS,
            "shop/part/kustomization.yaml": (
                "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [more.yaml]\n"
            ),
            "shop/part/more.yaml": config_map("more"),
            "shop/overlays/dev/kustomization.yaml": f"{OVERLAY}components: [../../part]\n",
        },
        "shop/overlays/dev",
    ),
    "charts in a base": Layout(
        {
            **OVERLAYS,
            "shop/base/kustomization.yaml": f"{WEB}helmCharts: [{{name: a, repo: 'https://a.example'}}]\n",
        },
        "shop/overlays/prod",
        "has charts (`helmCharts`) in shop/base",
    ),
    "a chart": Layout(CHART, "chart", set="shop", options=("--namespace", "web")),
    "a chart without a namespace": Layout(CHART, "chart", set="shop"),
    "the templates of a chart": Layout(
        {**CHART, "chart/templates/more/config.yaml": config_map("more")},
        "chart/templates/more",
        "is a part of the chart chart",
    ),
    "a package of kpt": Layout({**manifests("shop"), "shop/Kptfile": KPTFILE}, "shop", set="front"),
    "an application of a home": Layout(HOME, "apps/media/radarr/app", set="radarr"),
    "the folder of Kustomizations of Flux": Layout(HOME, "apps/media", "is an app of apps"),
    "an app of apps": Layout(
        {"apps/web.yaml": APPLICATION, **manifests("web")}, "apps", "is an app of apps"
    ),
    "an app of apps in a kustomization": Layout(
        {"apps/web.yaml": APPLICATION, "apps/kustomization.yaml": kustomization("web.yaml")},
        "apps",
        "is an app of apps",
    ),
    "manifests in a folder that Flux builds": Layout(
        {**manifests("apps/web"), **manifests("apps/api"), "cluster/ks.yaml": FLUX % "apps"},
        "apps/web",
    ),
    "a kustomization in a folder that Flux builds": Layout(
        {
            **manifests("apps/web"),
            "apps/web/kustomization.yaml": WEB,
            "prod/ks.yaml": FLUX % "apps",
            "test/ks.yaml": FLUX % "apps",
        },
        "apps/web",
        "is built by Flux as a part of apps (prod/ks.yaml:6, test/ks.yaml:6)",
    ),
    "a kustomization, where Flux builds the same folder of something else": Layout(
        {
            **manifests("apps/web"),
            "apps/web/kustomization.yaml": WEB,
            "cluster/ks.yaml": (FLUX % "apps").replace("GitRepository", "OCIRepository"),
        },
        "apps/web",
    ),
    "krm-fn is there": Layout(
        {
            **manifests("shop"),
            "shop/kustomization.yaml": f"{WEB}transformers: [fn.yaml]\n",
            "shop/fn.yaml": RUN,
        },
        "shop",
    ),
    "krm-fn is in a folder above": Layout(
        {**manifests("shop/a"), "shop/krm-fn.yaml": RUN}, "shop/a", "is a part of shop"
    ),
    "krm-fn is in a folder below": Layout(
        {**manifests("shop"), **manifests("shop/a", "a"), "shop/a/krm-fn.yaml": RUN},
        "shop",
        "found 2 configurations",
    ),
    "a link to a kustomization of others": Layout(
        {
            **manifests("shop"),
            "shared.yaml": WEB,
            "shop/kustomization.yaml": Link("../shared.yaml"),
        },
        "shop",
        "leads to",
    ),
    "a link to the folder": Layout({**ONE, "link": Link("app")}, "link"),
    "a link out of the repository": Layout(
        {
            **manifests("shop"),
            "shop/kustomization.yaml": WEB,
            "shop/krm-fn.yaml": Link("/etc/krm-fn.yaml"),
        },
        "shop",
        "krm-fn.yaml",
    ),
    "a FIFO in the place of the configuration": Layout(
        {**manifests("shop"), "shop/krm-fn.yaml": FIFO}, "shop", "FIFO"
    ),
    "a FIFO beside": Layout(
        {**manifests("shop"), "other/kustomization.yaml": FIFO, "a.yaml": FIFO}, "shop"
    ),
    "a FIFO for a kustomization": Layout(
        {**manifests("shop"), "shop/kustomization.yaml": FIFO}, "shop", "FIFO"
    ),
    "lines that end as in Windows": Layout(
        {**manifests("shop"), "shop/kustomization.yaml": WEB.replace("\n", "\r\n")}, "shop"
    ),
    "comments": Layout(
        {
            **manifests("shop"),
            "shop/kustomization.yaml": f"# first\n{WEB}# why\ntransformers: # all\n- a.yaml # a\n# end\n",
            "shop/a.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\nlabels: {a: b}\n",
        },
        "shop",
    ),
    "an inline transformer": Layout(
        {
            **manifests("shop"),
            "shop/kustomization.yaml": (
                f"{WEB}transformers:\n- |\n  apiVersion: builtin\n  kind: LabelTransformer\n  metadata: {{name: a}}\n"
                "  labels: {a: b}\n"
            ),
        },
        "shop",
    ),
    "variables": Layout(
        {
            **manifests("shop"),
            "shop/kustomization.yaml": (
                f"{WEB}vars:\n- name: A\n  objref: {{apiVersion: v1, kind: ConfigMap, name: app}}\n"
            ),
        },
        "shop",
        "vars of a kustomization that lists krm-fn",
    ),
    "a kustomization that is broken": Layout(
        {"shop/kustomization.yaml": "resources: [nowhere.yaml]\n"}, "shop", "nowhere"
    ),
    "no manifests": Layout({"shop/README.md": "a"}, "shop", "has no manifests"),
    "a workflow among manifests": Layout(
        {**manifests("shop"), "shop/ci.yaml": "jobs: {}\n"}, "shop", "ci.yaml"
    ),
    "a weird name": Layout(
        {**manifests("a b/#c: [d]"), "a b/#c: [d]/kustomization.yaml": WEB}, "a b/#c: [d]"
    ),
    "two applications of one name": Layout(
        {
            **manifests("media/web/app"),
            **manifests("tools/web/app"),
            "media/web/app/krm-fn.yaml": RUN.replace("there", "web"),
        },
        "tools/web/app",
        set="tools-web",
    ),
    "two applications of one name in two namespaces": Layout(
        {
            **manifests("media/web/app", "media"),
            **manifests("tools/web/app", "tools"),
            "media/web/app/krm-fn.yaml": RUN.replace("there", "web"),
        },
        "tools/web/app",
        set="tools-web",
    ),
    "two overlays of one name in two namespaces": Layout(
        {
            **OVERLAYS,
            "shop/overlays/dev/kustomization.yaml": f"{OVERLAY}transformers: [fn.yaml]\n".replace(
                "prod", "dev"
            ),
            "shop/overlays/dev/fn.yaml": RUN.replace("there", "shop"),
        },
        "shop/overlays/prod",
        set="shop",
    ),
}

OPTIONS: dict[str, tuple[str, ...]] = {
    "default": (),
    "argocd": ("--deployer", "argocd"),
    "flux": ("--deployer", "flux"),
    "kpt": ("--deployer", "kpt"),
    "kapp, with the file for GitHub": (
        *("--deployer", "kapp", "--ci", "github"),
        *("--action", "platform/krm-fn@0123456789012345678901234567890123456789"),
    ),
    "an image": ("--linker-image", "registry.example/krm-fn:1"),
}


def make(top: Path, files: Mapping[str, Content]) -> None:
    """Write a repository, links last."""
    (top / ".git").mkdir(parents=True)
    for name, content in sorted(files.items(), key=lambda file: isinstance(file[1], Link)):
        file = top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            file.symlink_to(content.target)
        elif isinstance(content, Fifo):
            os.mkfifo(file)
        else:
            file.write_bytes(content.encode() if isinstance(content, str) else content)


def state(top: Path) -> dict[str, tuple[int, bytes]]:
    """Return all that is there: types and modes, the content of files, where links lead."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in sorted(top.rglob("*")):
        mode = path.lstat().st_mode
        content = b""
        if path.is_symlink():
            content = bytes(path.readlink())
        elif path.is_file():
            content = path.read_bytes()
        found[str(path.relative_to(top))] = mode, content
    return found
