"""Which programs read an object from their files or variables, and not through the API."""

import pytest

from krm_fn.base.kind import Kinds
from krm_fn.core.references.references import find_authored
from krm_fn.core.references.resolve import Index
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.guards.api_readers import reads_own_files

CONFIG_MAP = (
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {app.yaml: x, log.yaml: x}}"
)
OPAQUE = "{apiVersion: v1, kind: Secret, metadata: {name: web}, stringData: {token: x}}"
CERTIFICATE = (
    "{apiVersion: v1, kind: Secret, metadata: {name: web}, data: {tls.crt: eA==, tls.key: eA==}}"
)

VOLUME = "name: files, configMap: {name: web}"
FOLDER = "volumeMounts: [{name: files, mountPath: /etc/web}]"
FILE = "volumeMounts: [{name: files, mountPath: /etc/web/app.yaml, subPath: app.yaml}]"
AT_ROOT = "volumeMounts: [{name: files, mountPath: /app.yaml, subPath: app.yaml}]"
IN_ETC = "volumeMounts: [{name: files, mountPath: /etc/app.yaml, subPath: app.yaml}]"
TOLD = "args: [--config=/etc/web/app.yaml]"
ENV = "envFrom: [{configMapRef: {name: web}}]"
ONE = "env: [{name: A, valueFrom: {configMapKeyRef: {name: web, key: app.yaml}}}]"
EVERY = (
    ONE.removesuffix("]") + ", {name: B, valueFrom: {configMapKeyRef: {name: web, key: log.yaml}}}]"
)
LOKI = "image: registry.example:5000/mirror/grafana/loki:3@sha256:0"


def reads(
    *containers: str, volume: str = VOLUME, config: str = CONFIG_MAP, may_write: bool = False
) -> bool:
    pod = f"containers: [{', '.join(f'{{{one}}}' for one in containers)}], volumes: [{{{volume}}}]"
    workload = (
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, "
        f"spec: {{template: {{spec: {{{pod}}}}}}}}}"
    )
    item, referrer = open_envelope(read_yaml(f"{config}\n---\n{workload}".encode())).items
    found = find_authored([referrer], Index([item], Kinds()), (), but=()).references
    return reads_own_files(
        referrer, [one.reference for one in found if item in one.targets], item, may_write=may_write
    )


FROM_FILES = [
    pytest.param([f"{FOLDER}, {TOLD}"], id="an option has the path of a file"),
    pytest.param([f"{FOLDER}, args: [--config, /etc/web/app.yaml]"], id="a word of its own"),
    pytest.param(
        [f"{FOLDER}, command: [web, --config-dir=/etc/web/]"], id="the path of the folder"
    ),
    pytest.param(
        [f"{FOLDER}, args: ['-c', 'exec web --config \"/etc/web/app.yaml\"']"], id="in a script"
    ),
    pytest.param([f"{FOLDER}, args: ['--config=/etc/web/*.yaml']"], id="with wildcards"),
    pytest.param([f"{FOLDER}, env: [{{name: A, value: /etc/web/log.yaml}}]"], id="a variable"),
    pytest.param([f"{FILE}, {TOLD}"], id="a file that is mounted alone"),
    pytest.param(
        [f"{FILE}, env: [{{name: CONF_DIR, value: /etc/web}}]"], id="the folder of such a file"
    ),
    pytest.param([f"{AT_ROOT}, args: [--config=/app.yaml]"], id="such a file in the root"),
    pytest.param([f"{AT_ROOT}, args: [--config=app.yaml]"], id="a file where programs start"),
    pytest.param(
        [f"{FOLDER}, workingDir: /etc/web, args: [--config, app.yaml]"],
        id="a file where this one starts",
    ),
    pytest.param(
        [f"{FOLDER}, {TOLD}", "name: proxy"], id="another container that does not read it"
    ),
    pytest.param([f"{FOLDER}, {LOKI}"], id="a program that looks up nothing, from any registry"),
    pytest.param([f"{ENV}, {FOLDER}, {LOKI}"], id="the variables of such a program"),
    pytest.param([f"{FOLDER}, {TOLD}", f"{FOLDER}, {LOKI}"], id="one of each"),
    pytest.param([f"{FOLDER}, {TOLD}, {ENV}"], id="all keys as variables, and a file"),
    pytest.param([f"{FOLDER}, {TOLD}", ENV], id="the variables of another container"),
    pytest.param([f"{FOLDER}, {TOLD}, {EVERY}"], id="every key as a variable of its own"),
]

PERHAPS_NOT = [
    pytest.param([FOLDER], id="nothing says the path"),
    pytest.param(
        [f"{FOLDER}, args: [--config=/etc/web/other.yaml]"], id="the path of another file"
    ),
    pytest.param([f"{FOLDER}, args: [--config=/etc/website/app.yaml]"], id="a longer name"),
    pytest.param([f"{FOLDER}, args: [--url=https://web.example/etc/web]"], id="the path of a URL"),
    pytest.param(
        [f"{FOLDER}, args: [--config=$(ROOT)/etc/web/app.yaml]"], id="the end of another path"
    ),
    pytest.param([f"{FOLDER}, args: [--config=app.yaml]"], id="a file that is elsewhere"),
    pytest.param([f"{AT_ROOT}, args: ['see app.yaml']"], id="a file in a sentence"),
    pytest.param([f"{FOLDER}, args: [--root=/etc]"], id="a folder far above"),
    pytest.param([f"{IN_ETC}, args: [--root=/etc]"], id="a folder that holds much else"),
    pytest.param([f"{AT_ROOT}, args: [--root=/]"], id="the root"),
    pytest.param([f"{FILE}, args: [--log=/etc/web/log.yaml]"], id="a file that is not mounted"),
    pytest.param(
        [f"{FOLDER}, {TOLD}, {ONE}"], id="one variable: programs look up the other values"
    ),
    pytest.param([f"{FOLDER}, {TOLD}", FOLDER], id="one of two containers"),
    pytest.param([f"{FOLDER}, {TOLD}", ONE], id="a variable of another container"),
    pytest.param(
        [f"{FOLDER}, {TOLD}, {ONE}", EVERY.replace("app.yaml", "x")],
        id="two containers that have one of the keys each",
    ),
    pytest.param(
        [f"{FOLDER}, {TOLD}, {EVERY.replace('web, key: log', 'other, key: log')}"],
        id="a key of another object",
    ),
    pytest.param([TOLD], id="no container mounts it"),
    pytest.param(
        [f"{FOLDER}, image: grafana/loki-canary:3"], id="another program with a longer name"
    ),
    pytest.param([f"{FOLDER}, image: loki:3"], id="an image whose maker is not said"),
]


@pytest.mark.parametrize("containers", FROM_FILES)
def test_from_files(containers: list[str]) -> None:
    assert reads(*containers)


@pytest.mark.parametrize("containers", PERHAPS_NOT)
def test_perhaps_not(containers: list[str]) -> None:
    assert not reads(*containers)


def test_the_items_of_a_volume_say_the_files() -> None:
    volume = "name: files, configMap: {name: web, items: [{key: app.yaml, path: conf/web.yaml}]}"
    assert reads(f"{FOLDER}, args: [--config=/etc/web/conf/web.yaml]", volume=volume)
    assert not reads(f"{FOLDER}, {TOLD}", volume=volume)


def test_a_projected_volume() -> None:
    volume = "name: files, projected: {sources: [{configMap: {name: web}}]}"
    assert reads(f"{FOLDER}, {TOLD}", volume=volume)


def test_a_secret_but_no_certificate_which_its_program_may_renew() -> None:
    volume = "name: files, secret: {secretName: web}"
    assert reads(f"{FOLDER}, args: [--token=/etc/web/token]", volume=volume, config=OPAQUE)
    assert not reads(
        f"{FOLDER}, args: [--cert=/etc/web/tls.crt]", volume=volume, config=CERTIFICATE
    )


SCRIPTS = (
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, "
    "data: {ready: '#!/bin/sh\\n\\necho', alive: '#!/bin/bash'}}"
)
MIXED = SCRIPTS.replace("'#!/bin/bash'", "'level: info'")
ON_PATH = "volumeMounts: [{name: files, mountPath: /usr/local/bin/ready, subPath: ready}]"
RUNS = [
    pytest.param(f"{FOLDER}, livenessProbe: {{exec: {{command: [/etc/web/alive]}}}}", id="a probe"),
    pytest.param(
        f"{FOLDER}, startupProbe: {{exec: {{command: [sh, -c, '/etc/web/ready;']}}}}",
        id="the shell of a probe",
    ),
    pytest.param(
        f"{FOLDER}, lifecycle: {{preStop: {{exec: {{command: [bash, /etc/web/ready, now]}}}}}}",
        id="a handler before it stops",
    ),
    pytest.param(
        f"{ON_PATH}, readinessProbe: {{exec: {{command: [ready]}}}}", id="a probe finds it in PATH"
    ),
    pytest.param(f"{ON_PATH}, args: [ready, --wait]", id="the entrypoint gets its name"),
]


@pytest.mark.parametrize("container", RUNS)
def test_a_script_is_run_from_its_file(container: str) -> None:
    assert reads(container, config=SCRIPTS)
    assert not reads(container, config=MIXED), "settings beside it may be looked up"


RUNS_NOT = [
    pytest.param(f"{FOLDER}, livenessProbe: {{exec: {{command: [alive]}}}}", id="not in PATH"),
    pytest.param(
        f"{FOLDER}, livenessProbe: {{httpGet: {{path: /etc/web/alive}}}}", id="the path of a URL"
    ),
    pytest.param(f"{FOLDER}, livenessProbe: {{exec: {{command: [/bin/alive]}}}}", id="another one"),
    pytest.param(FOLDER, id="nobody"),
]


@pytest.mark.parametrize("container", RUNS_NOT)
def test_a_script_that_nothing_here_runs_may_be_looked_up(container: str) -> None:
    assert not reads(container, config=SCRIPTS)


DOTFILE = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {.gitconfig: '[safe]'}}"
DOTFILES = [
    pytest.param(DOTFILE, FOLDER, True, id="git's, in a folder"),
    pytest.param(
        DOTFILE,
        "volumeMounts: [{name: files, mountPath: /home/web/.gitconfig, subPath: .gitconfig}]",
        True,
        id="git's, mounted alone",
    ),
    pytest.param(
        DOTFILE.replace("'}", "', app.yaml: x}"), FOLDER, False, id="beside settings of the program"
    ),
    pytest.param(DOTFILE.replace(".git", ".app"), FOLDER, False, id="perhaps the program's own"),
    pytest.param(
        DOTFILE.replace(".gitconfig", ".dockerconfigjson"),
        FOLDER,
        False,
        id="what programs read through the API to pull images",
    ),
    pytest.param(DOTFILE, "args: [web]", False, id="that no container mounts"),
]


@pytest.mark.parametrize(("config", "container", "is_own"), DOTFILES)
def test_a_dotfile_is_for_the_program_of_its_name(
    config: str, container: str, *, is_own: bool
) -> None:
    assert reads(container, config=config, may_write=True) is is_own


@pytest.mark.parametrize("variables", [ENV, EVERY])
def test_who_may_write_it_may_update_what_it_has_as_variables(variables: str) -> None:
    assert reads(f"{FOLDER}, {TOLD}, {variables}")
    assert not reads(f"{FOLDER}, {variables}", volume="name: x, emptyDir: {}", may_write=True)


def test_who_may_write_it_still_reads_the_file_that_it_is_told() -> None:
    assert reads(f"{FOLDER}, {TOLD}", may_write=True)


@pytest.mark.parametrize(
    ("name", "expected"), [("ceph-csi-config", True), ("csi-kms-connection-details", False)]
)
def test_a_known_program_looks_up_what_the_table_says(name: str, expected: bool) -> None:
    container = f"image: quay.io/cephcsi/cephcsi:v3, {ENV.replace('web', name)}"
    assert reads(container, config=CONFIG_MAP.replace("name: web", f"name: {name}")) is expected
