"""`krm-fn diff --live` against what a real API server stores, after every way to apply.

It only lists.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.process import fork
from tests.cluster.api import Api
from tests.cluster.custom_kinds import until_served
from tests.cluster.fault_proxy import Proxy, proxy_before
from tests.cluster.history_reader import grant
from tests.cluster.kubeconfig import write_kubeconfig
from tests.cluster.linker_job import ROOT
from tests.cluster.manifests import workload
from tests.cluster.release import DEPLOYERS, Release, config, render
from tests.cluster.tokens import token_of
from tests.tools.require import require
from tests.wait import until

pytestmark = pytest.mark.usefixtures("rollouts")

CONFIGURATION = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec:
  kinds: [ConfigMap, Secret]
  linker: {image: "registry.example/krm-fn:1", kinds: [argoproj.io/v1alpha1/Rollout]}
"""
SECRETS = "note: of 1 Secret only names and keys are compared, as values are not read\n"
SAME = f"{SECRETS}no difference: 2 revisions unchanged\n"
VALUE = "not-to-be-printed"
WAYS = {
    "client-side": (),
    "server-side": ("--server-side",),
    "under a name that nobody knows": ("--server-side", "--field-manager=ci"),
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@dataclass(frozen=True, kw_only=True)
class Shop:
    """A package in a folder, and the namespace that it is applied to.

    `proxy` records what the command requests.
    """

    api: Api
    folder: Path
    proxy: Proxy

    def log_in(self, token: str) -> None:
        place = self.folder.parent / "kubeconfig"
        write_kubeconfig(place, self.proxy.server, token=token, namespace=self.api.namespace)

    def edit(self, before: str, after: str) -> None:
        file = self.folder / "shop.yaml"
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after))

    def kubectl(
        self, *arguments: str, stdin: bytes = b"", expected: int = 0, **environment: str
    ) -> str:
        return self.run("kubectl", *arguments, stdin=stdin, expected=expected, **environment)

    def run(
        self,
        program: str,
        *arguments: str,
        stdin: bytes = b"",
        expected: int = 0,
        **environment: str,
    ) -> str:
        """Run kubectl or helm as an administrator."""
        admin = self.folder.parent / "admin"
        write_kubeconfig(admin, self.api.server, token=self.api.token, namespace=self.api.namespace)
        command = [str(require(program)), "--kubeconfig", str(admin), *arguments]
        variables = {"PATH": os.environ["PATH"], "HOME": str(admin.parent), **environment}
        done = subprocess.run(command, input=stdin, env=variables, capture_output=True, check=False)
        assert done.returncode == expected, done.stderr.decode()
        return done.stdout.decode()

    def apply(self, *flags: str) -> None:
        """Apply the folder, the definitions of kinds first."""
        rendered = self.rendered()
        definitions = [
            one for one in rendered.split(b"---\n") if b"kind: CustomResourceDefinition" in one
        ]
        self.kubectl("apply", "-f", "-", *flags, stdin=b"---\n".join(definitions))
        name = f"widgets.{self.api.namespace}.example.com"
        until_served(self.api, self.api.get("CustomResourceDefinition", name))
        self.kubectl("apply", "-f", "-", *flags, stdin=rendered)

    def rendered(self) -> bytes:
        return self._run("render", "-n", self.api.namespace, self.folder).stdout.encode()

    def diff(self, *arguments: str, stdin: bytes = b"") -> str:
        """Compare the folder, or stdin, with the cluster."""
        place = ["-n", self.api.namespace, "--kubeconfig", str(self.folder.parent / "kubeconfig")]
        package = "-" if stdin else self.folder
        done = self._run("diff", "--live", "--exit-code", *place, *arguments, package, stdin=stdin)
        assert (done.returncode, done.stderr) == (int("no difference" not in done.stdout), "")
        return done.stdout

    def _run(self, *arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        programs = [str(require("helm").parent), os.environ["PATH"]]
        variables = {"PATH": os.pathsep.join(programs), "HOME": str(self.folder), "COLUMNS": "200"}
        return fork([*map(str, arguments)], ROOT, variables, stdin.decode())


@pytest.fixture
def shop(namespace: Api, tmp_path: Path) -> Iterator[Shop]:
    folder = tmp_path / "shop"
    folder.mkdir()
    text = (ROOT / "tests/live/shop.yaml").read_text().replace("NAMESPACE", namespace.namespace)
    (folder / "shop.yaml").write_text(text)
    (folder / "krm-fn.yaml").write_text(CONFIGURATION)
    with proxy_before(namespace.server) as proxy:
        made = Shop(api=namespace, folder=folder, proxy=proxy)
        made.log_in(namespace.token)
        yield made
        assert {call.method for call in proxy.calls} == {"GET"}, "it writes nothing"
        secrets = [call.headers["accept"] for call in proxy.calls if "/secrets" in call.target]
        assert all("PartialObjectMetadataList" in accept for accept in secrets), (
            "no content of a Secret is requested"
        )


BUILT_IN = (("Deployment", "web"), ("StatefulSet", "db"), ("DaemonSet", "agent"))


def until_observed(shop: Shop, *workloads: tuple[str, str]) -> None:
    """Wait until the controllers have added what they add."""
    for kind, name in workloads:
        shop.api.wait(
            kind,
            name,
            "is observed",
            lambda found: found.get("status", {}).get("observedGeneration"),
        )


@every_way
def test_after_applying_nothing_differs(shop: Shop, way: tuple[str, ...]) -> None:
    """Neither defaults, nor how the API server writes values, nor what controllers add."""
    assert shop.diff().splitlines()[-1].startswith("2 revisions added")
    shop.apply(*way)
    assert shop.diff() == SAME
    until_observed(shop, *BUILT_IN, ("Rollout", "canary"))
    assert shop.diff() == SAME


def _kustomize(shop: Shop) -> None:
    """Set the namespace, and run krm-fn where `krm-fn init` lists it."""
    function = "annotations: {config.kubernetes.io/function: 'exec: {path: krm-fn}'}"
    configuration = CONFIGURATION.replace("{name: shop}", f"{{name: shop, {function}}}")
    (shop.folder / "krm-fn.yaml").write_text(configuration)
    (shop.folder / "kustomization.yaml").write_text(
        f"namespace: {shop.api.namespace}\nresources: [shop.yaml]\ntransformers: [krm-fn.yaml]\n"
    )


def _package(shop: Shop) -> None:
    function = "{image: registry.example/krm-fn:1, configPath: krm-fn.yaml}"
    (shop.folder / "Kptfile").write_text(
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n"
        f"pipeline: {{mutators: [{function}]}}\n"
    )


def _chart(shop: Shop) -> None:
    (shop.folder / "Chart.yaml").write_text("{apiVersion: v2, name: shop, version: 0.1.0}")
    templates = shop.folder / "templates"
    templates.mkdir()
    (shop.folder / "shop.yaml").rename(templates / "shop.yaml")


DOORS = {
    "a kustomization that sets the namespace": _kustomize,
    "a kpt package": _package,
    "a chart": _chart,
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_nothing_differs_whatever_renders(shop: Shop, door: Callable[[Shop], None]) -> None:
    """And a stream of what is rendered says the same as what renders it."""
    door(shop)
    shop.apply("--server-side")
    until_observed(shop, *BUILT_IN)
    assert shop.diff() == SAME
    assert shop.diff(stdin=shop.rendered()) == SAME


@every_way
def test_a_change_of_one_key_is_that_and_what_comes_of_it(shop: Shop, way: tuple[str, ...]) -> None:
    shop.apply(*way)
    shop.edit("LOG_LEVEL: info", "LOG_LEVEL: debug")
    first, *lines = shop.diff().splitlines()
    old, new = (name for name in first.split() if name.startswith("web-config-"))
    assert first == f"ConfigMap {shop.api.namespace}/web-config: {old} -> {new}"
    assert {old} == {name for name in shop.api.names("ConfigMap") if name.startswith("web-config-")}
    users = "CronJob/nightly, Deployment/web, Rollout/canary"
    assert lines == [
        "  - LOG_LEVEL: info",
        "  + LOG_LEVEL: debug",
        "  used by the next run of CronJob/nightly",
        "  rolls Deployment/web, Rollout/canary",
        "  changes Widget/w",
        f"  the old one is kept until no pod of {users} uses it, and for 10 more rollouts",
        SECRETS.strip(),
        "1 revision changed, 1 unchanged; linker runs once",
    ]


@every_way
def test_what_the_rendering_no_longer_has_is_removed(shop: Shop, way: tuple[str, ...]) -> None:
    shop.apply(*way)
    shop.edit('        - {name: B, value: "on"}\n', "")
    shop.edit(", capabilities: {drop: [ALL]}", "")
    shop.edit("  - {name: b, port: 2, targetPort: 3, protocol: UDP}\n", "")
    shop.edit(", other: bm90", "")
    shop.edit("labels: {app: web}", "labels: {app: web, tier: web}")
    changed = json.loads(shop.diff("-ojson"))["objects"]
    fields = [(one["kind"], two["path"], two["new"]) for one in changed for two in one["fields"]]
    assert fields == [
        ("Deployment", "spec.template.metadata.labels.tier", "web"),
        ("Deployment", "spec.template.spec.containers[web].env[B]", None),
        ("Deployment", "spec.template.spec.containers[web].securityContext.capabilities", None),
        ("Service", "spec.ports[b]", None),
    ]
    (key,) = (key for one in changed for key in one["keys"])
    assert key == {"key": "other", "old": {"bytes": None, "text": None}, "new": None}


@every_way
def test_what_somebody_has_set_by_hand_is_said_with_who_and_when(
    shop: Shop, way: tuple[str, ...]
) -> None:
    shop.apply(*way)
    shop.kubectl("set", "image", "deployment/web", "web=registry.example/web:hand")
    shop.kubectl("scale", "deployment/web", "--replicas=3")
    shop.kubectl("edit", "configmap", "plain", KUBE_EDITOR='sed -i \'s/A: "1"/A: "2"/\'')
    shop.kubectl("annotate", "service", "web", "note=mine")
    shop.kubectl(
        "patch",
        "secret",
        "fixed-secret",
        "-p",
        f'{{"stringData": {{"more": "{VALUE}", "token": "{VALUE}2"}}}}',
    )
    difference = json.loads(shop.diff("-ojson"))
    fields = [
        (one["kind"], two["path"], two["old"])
        for one in difference["objects"]
        for two in one["fields"]
    ]
    assert fields == [
        ("Deployment", "spec.replicas", "3"),
        ("Deployment", "spec.template.spec.containers[web].image", "registry.example/web:hand"),
    ]
    assert [two["old"]["text"] for one in difference["objects"] for two in one["keys"]] == ["2"]
    edits = [(two["path"], two["manager"]) for one in difference["objects"] for two in one["edits"]]
    image = "spec.template.spec.containers[web].image"
    assert edits == [
        ("data.A", "kubectl-edit"),
        ("spec.replicas", "kubectl"),
        (image, "kubectl-set"),
    ]
    told = [
        note.partition(" at 2")[0] + " ..." + note.rpartition("Z")[2]
        for note in difference["notes"][1:]
    ]
    assert sorted(told) == [
        "Secret fixed-secret: data.more was set by kubectl-patch ..., and stays",
        "Secret fixed-secret: data.token was set by kubectl-patch ..., and whether it differs is not seen",
        "Service web: metadata.annotations.note was set by kubectl-annotate ..., and stays",
    ]


def test_helm_3_leaves_less_of_a_trace_and_a_note_says_so(shop: Shop) -> None:
    """It owns what it has applied, and every default of that time."""
    file, chart = shop.folder / "shop.yaml", shop.folder.parent / "chart"
    file.write_text(
        "---\n".join(one for one in file.read_text().split("---\n") if "Widget" not in one)
    )
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("{apiVersion: v2, name: shop, version: 0.1.0}")
    (chart / "templates/all.yaml").write_bytes(shop.rendered())
    shop.run("helm", "install", "shop", str(chart))
    guess = (
        "nothing shows what was applied, so only keys and list elements that are gone are reported"
    )
    note, *lines = shop.diff().removeprefix(SECRETS).splitlines()
    assert note.startswith("note: ")
    assert note.endswith(guess)
    assert lines == ["no difference: 2 revisions unchanged"]
    shop.edit('        - {name: B, value: "on"}\n', "")
    shop.edit("  replicas: 1\n  paused", "  paused")
    changed = json.loads(shop.diff("-ojson"))["objects"]
    assert [two["path"] for one in changed for two in one["fields"]] == [
        "spec.template.spec.containers[web].env[B]"
    ]


def test_a_change_of_one_key_takes_six_lines_where_kubectl_takes_more_than_a_hundred(
    shop: Shop,
) -> None:
    """As docs/commands/diff.md says."""
    release = Release(api=shop.api, deployer=DEPLOYERS["Flux"](shop.api))
    workloads = [workload("Deployment", name, config="web-config") for name in ("web", "worker")]
    release.sync(config("a"), *workloads)
    rendered = render([config("b"), *workloads], shop.api.namespace, **release.settings)
    assert len(shop.diff(stdin=rendered).splitlines()) == 6
    dry_run = ("diff", "--server-side", "--force-conflicts", "-f", "-")
    assert len(shop.kubectl(*dry_run, stdin=rendered, expected=1).splitlines()) > 100


def test_an_object_that_is_gone_is_new(shop: Shop) -> None:
    shop.apply()
    shop.kubectl("delete", "service", "web")
    name = shop.api.namespace
    assert (
        shop.diff()
        == f"+ Service {name}/web\n{SECRETS}2 revisions unchanged; 1 other object added\n"
    )


def test_another_namespace_is_another_place(shop: Shop) -> None:
    shop.apply()
    text = shop.diff("-n", "default")
    assert "+ ConfigMap default/web-config: web-config-" in text
    assert text.splitlines()[-1].startswith("2 revisions added")


def test_what_may_not_be_listed_is_said_and_not_compared(shop: Shop) -> None:
    shop.apply()
    shop.edit("LOG_LEVEL: info", "LOG_LEVEL: debug")
    shop.edit(VALUE, f"{VALUE}-any-more")
    rules = [{"apiGroups": [""], "resources": ["configmaps", "pods"], "verbs": ["list"]}]
    rules += [
        {"apiGroups": ["apps"], "resources": ["deployments", "replicasets"], "verbs": ["list"]}
    ]
    grant(
        shop.api,
        [*rules, {"apiGroups": ["argoproj.io"], "resources": ["rollouts"], "verbs": ["list"]}],
    )
    shop.log_in(token_of(shop.api, "reader"))
    difference = json.loads(shop.diff("-ojson"))
    changed = [(one["kind"], one["hasNewName"]) for one in difference["revisions"]]
    assert changed == [("ConfigMap", True), ("Secret", True)], "the tracker tells of the Secret"
    assert difference["objects"] == []
    rule = '{apiGroups: [""], resources: [secrets], verbs: [list]}'
    where = f"secrets in {shop.api.namespace}"
    assert (
        f"not seen, and so not compared: {where}; you need the rule {rule}" in difference["notes"]
    )


def test_without_the_right_to_list_config_maps_there_is_an_error(shop: Shop) -> None:
    grant(shop.api, [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])
    shop.log_in(token_of(shop.api, "reader"))
    kubeconfig = shop.folder.parent / "kubeconfig"
    done = shop._run("diff", "--live", "--kubeconfig", kubeconfig, shop.folder)  # noqa: SLF001
    rule = '{apiGroups: [""], resources: [configmaps], verbs: [list]}'
    expected = f"error: you may not list ConfigMaps in namespace {shop.api.namespace}: you need the rule {rule}\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


@pytest.mark.parametrize("deployer", DEPLOYERS)
def test_the_marks_of_a_deployer_are_none_of_its_changes_and_tell_what_it_prunes(
    shop: Shop, deployer: str
) -> None:
    release = Release(api=shop.api, deployer=DEPLOYERS[deployer](shop.api))
    service = {"kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}}
    other = {"kind": "Service", "metadata": {"name": "api"}, "spec": {"ports": [{"port": 80}]}}
    web = [config("a"), workload("Deployment", "web", config="web-config")]
    objects = [*web, service, other, config("b", "stable")]
    release.sync(*objects)
    name = shop.api.namespace
    assert (
        shop.diff(stdin=render(objects, name, **release.settings))
        == "no difference: 1 revision unchanged\n"
    )
    text = shop.diff(stdin=render([*web, other], name, **release.settings))
    removed = [line for line in text.splitlines() if line.startswith("- ")]
    assert removed == [f"- ConfigMap {name}/stable", f"- Service {name}/web"]
    assert text.splitlines()[-1] == "1 revision unchanged; 2 other objects removed"


def test_what_the_next_run_of_the_linker_deletes_is_said(shop: Shop) -> None:
    release = Release(api=shop.api, deployer=DEPLOYERS["Flux"](shop.api))

    def web(content: str) -> list[dict[str, object]]:
        return [
            config(content),
            workload("Deployment", "web", config="web-config", spec={"revisionHistoryLimit": 0}),
        ]

    release.release(*web("a"))
    shop.api.ready("Deployment", "web")
    old = release.revision_of("a")
    release.sync(*web("b"))
    shop.api.ready("Deployment", "web")
    # Its pod too: as long as it is there, it uses the old revision.
    for kind in ("ReplicaSet", "Pod"):
        until(
            f"the old {kind} is gone",
            lambda kind=kind: shop.api.names(kind, labels="app=web"),  # type: ignore[misc]
            lambda names: len(names) == 1,
        )
    name = shop.api.namespace
    text = shop.diff(stdin=render(web("c"), name, **release.settings))
    assert (
        f"- ConfigMap {name}/web-config: {old}\n  nothing uses it: the linker deletes it\n" in text
    )
    assert "  the old one is kept until no pod of Deployment/web uses it\n" in text
    assert "nothing uses it" not in shop.diff(stdin=render(web("b"), name, **release.settings)), (
        "no Job runs"
    )


def test_a_revision_that_is_rendered_again_takes_the_place_of_the_present_one(shop: Shop) -> None:
    """Both are live: the inventory tells which one is rendered now."""
    release = Release(api=shop.api, deployer=DEPLOYERS["Argo CD"](shop.api))
    deployment = workload("Deployment", "web", config="web-config")
    release.release(config("a"), deployment)
    release.release(config("b"), deployment)
    old, new = release.revision_of("a"), release.revision_of("b")
    text = shop.diff(
        stdin=render([config("a"), deployment], shop.api.namespace, **release.settings)
    )
    first, *lines = text.splitlines()
    assert first == f"ConfigMap {shop.api.namespace}/web-config: {new} -> {old}"
    assert lines[:3] == ["  - content: b", "  + content: a", "  rolls Deployment/web"]
