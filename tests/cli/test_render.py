"""`krm-fn render` as a process: its output and its exit codes."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from krm_fn.core.config.build import PINNABLE
from tests.cli.process import HOSTILE, KRM_FN, SHOWN, krm_fn
from tests.render.run import CONFIG_MAP, LEFT_ALONE, REVISIONS, write


def test_help_names_every_environment_variable_that_is_read(tmp_path: Path) -> None:
    named = re.findall(r"\[env\s+var:\s+(\w+)\]", krm_fn("render", "--help", cwd=tmp_path).stdout)
    assert named == [
        "ARGOCD_APP_NAMESPACE",
        "KUSTOMIZE_BUILD_OPTIONS",
        "ARGOCD_APP_NAME",
        "KUBE_VERSION",
        "KUBE_API_VERSIONS",
    ]


def test_help_names_every_variable_that_pins_something(tmp_path: Path) -> None:
    named = re.findall(r"KRM_FN_LINKER_\w+", krm_fn("render", "--help", cwd=tmp_path).stdout)
    assert set(named) == {name for name in PINNABLE if name.startswith("KRM_FN_")}


def test_render_reads_the_current_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP})
    done = krm_fn("render", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (CONFIG_MAP, LEFT_ALONE, 0)


BY_MISTAKE = [
    pytest.param({"stdin": CONFIG_MAP}, [], True, id="somebody pipes and names no PATH"),
    pytest.param({"stdin": CONFIG_MAP}, ["."], False, id="a PATH is what they want"),
    pytest.param({"stdin": ""}, [], False, id="there is nothing to render"),
]


@pytest.mark.parametrize(("given", "paths", "is_said"), BY_MISTAKE)
def test_where_the_current_folder_fails_stdin_is_pointed_to(
    given: dict[str, str], paths: list[str], *, is_said: bool, tmp_path: Path
) -> None:
    done = krm_fn("render", *paths, cwd=tmp_path, **given)
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr.startswith("error: .: has no manifests")
    assert done.stderr.endswith("\nstdin was not read: pass - to render it\n") is is_said


def test_a_pipe_that_nobody_closes_is_not_waited_for(tmp_path: Path) -> None:
    """Half a text in it is enough to know that somebody means it."""
    pipes = [*os.pipe(), *os.pipe()]
    reading, writing, empty, _ = pipes
    said = []
    for stdin in (subprocess.DEVNULL, empty, reading):
        done = subprocess.run(
            [*KRM_FN, "render"], cwd=tmp_path, stdin=stdin, capture_output=True, check=False
        )
        assert done.returncode == 1
        said.append(b"stdin was not read" in done.stderr)
        os.write(writing, b"kind: ")
    assert said == [False, False, True]
    for one in pipes:
        os.close(one)


TAKEN = [
    pytest.param("--load-restrictor LoadRestrictionsNone", id="files of other folders"),
    pytest.param("--load-restrictor=LoadRestrictionsRootOnly", id="or not"),
    pytest.param(
        "--enable-helm=true  --enable-exec --enable-alpha-plugins", id="charts; functions stay off"
    ),
    pytest.param("", id="none"),
]
REFUSED = [
    pytest.param("--network", "--network", id="what functions may do"),
    pytest.param("--enable-helm -o /etc/cron.d", "-o", id="where the output goes"),
    pytest.param("--helm-command=./run", "--helm-command=./run", id="a program"),
    pytest.param("--mount type=bind,src=/", "--mount", id="a mount"),
    pytest.param("--load-restrictor", "--load-restrictor", id="half an option"),
    pytest.param("--enable-helm=false", "--enable-helm=false", id="another value"),
    pytest.param("shop", "shop", id="a folder"),
]


@pytest.mark.parametrize("options", TAKEN)
def test_options_of_kustomize_that_are_taken(options: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP})
    assert krm_fn("render", "--kustomize-options", options, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(("options", "found"), REFUSED)
def test_options_of_kustomize_that_are_refused(options: str, found: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP})
    for command in ("render", "verify", "explain", "graph"):
        done = krm_fn(command, "a.yaml", cwd=tmp_path, KUSTOMIZE_BUILD_OPTIONS=options)
        assert (done.stdout, done.returncode) == ("", 2)
        assert done.stderr.startswith(f"error: --kustomize-options: found {found}; krm-fn takes")


@pytest.mark.parametrize("command", ["render", "explain", "graph", "verify"])
def test_of_several_configurations_none_wins_in_silence(command: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP, "b.yaml": REVISIONS, "c.yaml": REVISIONS})
    done = krm_fn(command, "a.yaml", "--config", "b.yaml", "--config=c.yaml", cwd=tmp_path)
    message = (
        "--config is given 2 times (b.yaml, c.yaml); configurations are not merged, so give one"
    )
    assert (done.stderr, done.returncode) == (f"error: {message}; see krm-fn {command} --help\n", 2)


@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet_leaves_out_only_the_last_line(option: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": f"{LOOKED_UP}---\n{READER}"})
    said, quiet = krm_fn("render", cwd=tmp_path), krm_fn("render", option, cwd=tmp_path)
    assert quiet.stderr.startswith("warning: ")
    assert said.stderr == quiet.stderr + LEFT_ALONE
    assert (quiet.stdout, quiet.returncode) == (said.stdout, 0)


def test_a_failed_check_says_nothing_of_what_was_renamed(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP, "live.yaml": "nothing"})
    done = krm_fn("render", "--check", "--deployed=live.yaml", "a.yaml", cwd=tmp_path)
    assert (done.stdout, done.returncode, done.stderr.count("\n")) == ("", 1, 1)
    assert done.stderr.startswith("error: live.yaml: no objects")


@pytest.mark.parametrize("command", ["diff a.yaml a.yaml", "explain a.yaml", "graph a.yaml"])
def test_commands_that_print_no_manifests_leave_it_out(command: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP})
    assert krm_fn(*command.split(), cwd=tmp_path).stderr == ""


def test_render_reads_stdin(tmp_path: Path) -> None:
    done = krm_fn("render", "-", cwd=tmp_path, stdin=CONFIG_MAP)
    assert (done.stdout, done.stderr, done.returncode) == (CONFIG_MAP, LEFT_ALONE, 0)


LOOKED_UP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm, namespace: shop}\ndata: {url: x}\n"
READER = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: argocd-cm}}]}]}}}
"""


def test_strict_makes_warnings_errors(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": f"{LOOKED_UP}---\n{READER}"})
    lenient, strict = krm_fn("render", cwd=tmp_path), krm_fn("render", "--strict", cwd=tmp_path)
    assert (lenient.stdout, lenient.returncode) == (f"{LOOKED_UP}---\n{READER}", 0)
    assert lenient.stderr.startswith(
        "warning: ConfigMap/shop/argocd-cm (a.yaml:1:1): left unchanged: Argo CD looks"
    )
    assert (strict.stdout, strict.returncode) == ("", 1)
    assert strict.stderr + LEFT_ALONE == lenient.stderr.replace("warning: ", "error: ")


REMARK = "2026/11/23 01:17:09 well-defined vars that were never replaced: A"


def test_strict_is_not_about_the_warnings_of_other_tools(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "kustomization.yaml": "",
            "bin/kustomize": f"#!/bin/sh\necho '{REMARK}' >&2; echo '{CONFIG_MAP}'\n",
        },
    )
    (tmp_path / "bin/kustomize").chmod(0o755)
    done = krm_fn(
        "render",
        "--strict",
        cwd=tmp_path,
        PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
    )
    assert (done.stderr, done.returncode) == (
        f"warning: .: kustomize build: {REMARK}\n{LEFT_ALONE}",
        0,
    )
    assert "name: a" in done.stdout


def test_render_takes_a_path_that_begins_with_a_dash(tmp_path: Path) -> None:
    write(tmp_path, {"-a.yaml": CONFIG_MAP})
    assert krm_fn("render", "--", "-a.yaml", cwd=tmp_path).stdout == CONFIG_MAP


def test_an_error_prints_nothing_else(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP, "b.yaml": "a: [\n"})
    done = krm_fn("render", cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("", 1)
    assert (
        done.stderr
        == "error: b.yaml:2:1: invalid YAML: did not find expected node content, while parsing a flow node\n"
    )


def test_a_file_name_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text("a: [")
    done = krm_fn("render", cwd=tmp_path)
    assert (done.returncode, done.stderr.split(":")[1]) == (1, r" \xff.yaml")


def test_argo_cds_environment_variables_reach_helm(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "Chart.yaml": "name: web\n",
            "bin/helm": '#!/bin/sh\necho "metadata: {name: $*}\nkind: A"\necho apiVersion: v1',
        },
    )
    (tmp_path / "bin/helm").chmod(0o755)
    argo_cd = {
        "ARGOCD_APP_NAME": "shop",
        "ARGOCD_APP_NAMESPACE": "live",
        "KUBE_VERSION": "1.33",
        "KUBE_API_VERSIONS": "v1/Pod",
        "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
    }
    told = (
        "template --include-crds --skip-tests --namespace {} --kube-version {} --api-versions {} -- {} "
        + str(tmp_path)
    )
    done = krm_fn("render", cwd=tmp_path, **argo_cd)
    assert told.format("live", "1.33", "v1/Pod", "shop") in done.stdout
    options = (
        "--helm-release=a",
        "--namespace=b",
        "--helm-kube-version=c",
        "--helm-api-versions=d",
    )
    assert (
        told.format("b", "c", "d", "a")
        in krm_fn("render", *options, cwd=tmp_path, **argo_cd).stdout
    )


def test_values_reach_helm(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "Chart.yaml": "name: web\n",
            **dict.fromkeys(("a.yaml", "b.yaml"), ""),
            "bin/helm": '#!/bin/sh\necho "metadata: {name: $*}\nkind: A"\necho apiVersion: v1',
        },
    )
    (tmp_path / "bin/helm").chmod(0o755)
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    done = krm_fn(
        "render", "--helm-values=a.yaml", "--helm-values", "b.yaml", cwd=tmp_path, PATH=path
    )
    assert "--values a.yaml --values b.yaml" in done.stdout


FOLDERS = [
    pytest.param(
        {f"{HOSTILE}.yaml": "a: [\n"},
        f"error: {SHOWN}.yaml:2:1: invalid YAML: ",
        id="the name of a file",
    ),
    pytest.param(
        {f"{HOSTILE}/kustomization.yaml": "", "a.yaml": CONFIG_MAP},
        "error: .: holds 1 folder that kustomize or helm builds; pass each as a PATH of its own, or a pattern: "
        f"{SHOWN}\n",
        id="the name of a folder",
    ),
    pytest.param(
        {"a.yaml": '"a\\e[2J": 1\n"a\\e[2J": 2\n'},
        r"error: a.yaml:2:1: duplicate key 'a\x1b[2J'; the first is on line 1",
        id="a key",
    ),
    pytest.param(
        {
            "a.yaml": CONFIG_MAP.replace(
                "name: a", 'name: "a\\e[2J", annotations: {revisions.krm-fn.io/strategy: "b\\e[2J"}'
            )
        },
        r"error: ConfigMap/a\x1b[2J metadata.annotations",
        id="the name of an object",
    ),
    pytest.param(
        {
            "kustomization.yaml": "",
            "bin/kustomize": "#!/bin/sh\nprintf 'lstat a\\033c: no such file or directory\\n' >&2\nexit 1\n",
        },
        r"error: .: kustomize build exited with code 1: lstat a\x1bc: no such",
        id="stderr of a program",
    ),
]


@pytest.mark.rows(test=3)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize(("files", "message"), FOLDERS)
def test_no_control_character_of_a_folder_is_printed(
    files: dict[str, str], message: str, encoding: str, tmp_path: Path
) -> None:
    write(tmp_path, files)
    for program in tmp_path.glob("bin/*"):
        program.chmod(0o755)
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    done = krm_fn("render", cwd=tmp_path, PATH=path, PYTHONIOENCODING=encoding, LC_ALL="C")
    assert done.stderr.startswith(message)
    assert done.stderr.removesuffix("\n").isprintable()
    assert (done.stdout, done.returncode) == ("", 1)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_name_that_the_terminal_cannot_show_is_escaped(encoding: str, tmp_path: Path) -> None:
    write(tmp_path, {"größe.yaml": "a: [\n"})
    done = krm_fn("render", cwd=tmp_path, PYTHONIOENCODING=encoding, LC_ALL="C")
    shown = "größe.yaml" if encoding == "utf-8" else r"gr\xf6\xdfe.yaml"
    assert done.stderr.startswith(f"error: {shown}:2:1: ")


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{envFrom: [{configMapRef: {name: a}}]}]}\n"


@pytest.mark.parametrize(
    ("application", "set_name"),
    [
        pytest.param("shop", "shop", id="an application of Argo CD's own namespace"),
        pytest.param("team_shop", "team-shop-4fk69ftmdf", id="one of another namespace"),
    ],
)
def test_argo_cds_application_names_the_set(
    application: str, set_name: str, tmp_path: Path
) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP, "p.yaml": POD})
    environment = {"ARGOCD_APP_NAME": application, "ARGOCD_APP_NAMESPACE": "live"}
    done = krm_fn("render", cwd=tmp_path, **environment)
    assert f"  name: {set_name}-linker\n" in done.stdout
    assert "the set has no name" not in done.stderr
    write(tmp_path, {"krm-fn.yaml": REVISIONS})
    assert "  name: web-linker\n" in krm_fn("render", cwd=tmp_path, **environment).stdout


def test_an_application_takes_over_what_was_rendered_without_its_name(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP, "p.yaml": POD})
    before = krm_fn("render", "--namespace=live", cwd=tmp_path)
    assert "  name: config-revisions-linker\n" in before.stdout
    write(tmp_path, {"rendered/all.yaml": before.stdout})
    after = krm_fn(
        "render", "rendered", cwd=tmp_path, ARGOCD_APP_NAME="shop", ARGOCD_APP_NAMESPACE="live"
    )
    afresh = krm_fn(
        "render", "a.yaml", "p.yaml", "--helm-release=shop", "--namespace=live", cwd=tmp_path
    )
    assert sorted(after.stdout.split("---\n")) == sorted(afresh.stdout.split("---\n"))
    assert "config-revisions" not in after.stdout


NAMELESS = (
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nspec: {linker: {image: 'a:1'}}\n"
)
PARAMETER = {"ARGOCD_APP_PARAMETERS": "[]", "PARAM_CONFIG": "../krm/krm-fn.yaml"}
NAMES_ONE = [
    pytest.param(["--config=../krm/krm-fn.yaml", "--helm-release=shop"], {}, id="by options"),
    pytest.param([], PARAMETER | {"ARGOCD_APP_NAME": "shop"}, id="by an Application of Argo CD"),
]


@pytest.mark.parametrize(("options", "variables"), NAMES_ONE)
def test_one_configuration_without_a_name_for_many_packages(
    options: list[str], variables: dict[str, str], tmp_path: Path
) -> None:
    write(tmp_path, {"app/a.yaml": CONFIG_MAP, "app/p.yaml": POD, "krm/krm-fn.yaml": NAMELESS})
    root, app = [f"--root={tmp_path}", "--namespace=live"], tmp_path / "app"
    rendered = krm_fn("render", *root, *options, cwd=app, **variables)
    assert rendered.returncode == 0, rendered.stderr
    assert "  name: shop-linker\n" in rendered.stdout
    verified = krm_fn("verify", *root, *options, cwd=app, stdin=rendered.stdout, **variables)
    assert verified.stderr.splitlines()[-1].startswith("verified: 1 revision of set shop, ")


def test_the_name_of_a_configuration_counts(tmp_path: Path) -> None:
    write(tmp_path, {"app/a.yaml": CONFIG_MAP, "app/p.yaml": POD, "krm-fn.yaml": REVISIONS})
    done = krm_fn("render", "app", "--config=krm-fn.yaml", "--helm-release=shop", cwd=tmp_path)
    assert "labels: {revisions.krm-fn.io/set: web}" in done.stdout


def test_a_configuration_without_a_name_needs_one(tmp_path: Path) -> None:
    write(tmp_path, {"app/a.yaml": CONFIG_MAP, "krm-fn.yaml": NAMELESS})
    done = krm_fn("render", "app", "--config=krm-fn.yaml", cwd=tmp_path, PARAM_CONFIG="nothing")
    assert done.stderr == "error: ConfigRevisions metadata (krm-fn.yaml:1:1): missing\n"


def test_a_parameter_reads_nothing_outside_of_the_repository(tmp_path: Path) -> None:
    write(tmp_path, {"repo/app/a.yaml": CONFIG_MAP, "krm/krm-fn.yaml": NAMELESS})
    variables = PARAMETER | {"ARGOCD_APP_SOURCE_PATH": "app"}
    variables["PARAM_CONFIG"] = "../../krm/krm-fn.yaml"
    done = krm_fn("render", cwd=tmp_path / "repo/app", **variables)
    assert (done.stdout, done.returncode) == ("", 1)
    assert " outside of the root " in done.stderr
