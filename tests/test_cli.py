"""The command line as a process: its output and its exit codes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from krm_fn import __version__
from krm_fn.cli import main
from krm_fn.config.pins import PINNABLE
from tests.render.run import CONFIG_MAP, write

KRM_FN = [sys.executable, "-P", "-m", "krm_fn"]


def krm_fn(*arguments: str, cwd: Path, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*KRM_FN, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_the_version(tmp_path: Path) -> None:
    done = krm_fn("--version", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (f"krm-fn {__version__}\n", "", 0)


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["render", "--help"], ["render", "-h"]], ids=" ".join)
def test_help(arguments: list[str], tmp_path: Path) -> None:
    done = krm_fn(*arguments, cwd=tmp_path)
    assert done.stdout.startswith(f"Usage: krm-fn {' '.join(arguments[:-1])}".rstrip())
    assert (done.stderr, done.returncode) == ("", 0)


def test_help_names_every_environment_variable_that_is_read(tmp_path: Path) -> None:
    named = re.findall(r"\[env\s+var:\s+(\w+)\]", krm_fn("render", "--help", cwd=tmp_path).stdout)
    assert named == ["ARGOCD_APP_NAMESPACE", "ARGOCD_APP_NAME", "KUBE_VERSION", "KUBE_API_VERSIONS"]


def test_help_names_every_variable_that_pins_something(tmp_path: Path) -> None:
    named = re.findall(r"KRM_FN_LINKER_\w+", krm_fn("render", "--help", cwd=tmp_path).stdout)
    assert set(named) == {name for name in PINNABLE if name.startswith("KRM_FN_")}


def test_render_reads_the_current_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": CONFIG_MAP})
    done = krm_fn("render", cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == (CONFIG_MAP, "", 0)


def test_render_reads_stdin(tmp_path: Path) -> None:
    done = krm_fn("render", "-", cwd=tmp_path, stdin=CONFIG_MAP)
    assert (done.stdout, done.stderr, done.returncode) == (CONFIG_MAP, "", 0)


def test_render_takes_a_path_that_begins_with_a_dash(tmp_path: Path) -> None:
    write(tmp_path, {"-a.yaml": CONFIG_MAP})
    assert krm_fn("render", "--", "-a.yaml", cwd=tmp_path).stdout == CONFIG_MAP


WRONG = [
    pytest.param(["rendr"], "No such command 'rendr'", "krm-fn", id="an unknown command"),
    pytest.param(["render", "--confg", "a"], "No such option '--confg'", "krm-fn render", id="an unknown option"),
    pytest.param(["render", "--config"], "Option '--config' requires an argument", "krm-fn", id="no value"),
    pytest.param(["link"], "Missing option '--set'", "krm-fn link", id="no set"),
    pytest.param(
        ["link", "--set=web", "--workload=web"],
        "Invalid value for '--workload': found 'web', expected something like apps/v1/Deployment/web=",
        "krm-fn link",
        id="a workload without a kind",
    ),
    pytest.param(
        ["link", "--set=web", "--revision=web-config"],
        "Invalid value for '--revision': found 'web-config', expected ConfigMap/NAME or Secret/NAME",
        "krm-fn link",
        id="a revision without its kind",
    ),
    pytest.param(
        ["render", "--check"],
        "--check needs --deployed PATH: what is deployed now",
        "krm-fn render",
        id="--check alone",
    ),
    pytest.param(["render", "--deployed", "a"], "--deployed needs --check", "krm-fn render", id="--deployed alone"),
    pytest.param(
        ["render", "-", "--check", "--deployed", "-"],
        "only one of PATH and --deployed can be stdin",
        "krm-fn render",
        id="stdin for both",
    ),
]


@pytest.mark.parametrize(("arguments", "message", "command"), WRONG)
def test_a_wrong_command_line_is_one_line(arguments: list[str], message: str, command: str, tmp_path: Path) -> None:
    done = krm_fn(*arguments, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("", 2)
    assert re.fullmatch(rf"error: {re.escape(message)}[^\n]*; see {command} --help\n", done.stderr)


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
    assert (done.returncode, done.stderr.split(":")[1]) == (1, " \\udcff.yaml")


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
    told = "template --include-crds --skip-tests --namespace {} --kube-version {} --api-versions {} -- {} " + str(
        tmp_path
    )
    done = krm_fn("render", cwd=tmp_path, **argo_cd)
    assert told.format("live", "1.33", "v1/Pod", "shop") in done.stdout
    options = ("--helm-release=a", "--namespace=b", "--helm-kube-version=c", "--helm-api-versions=d")
    assert told.format("b", "c", "d", "a") in krm_fn("render", *options, cwd=tmp_path, **argo_cd).stdout


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
    done = krm_fn("render", "--helm-values=a.yaml", "--helm-values", "b.yaml", cwd=tmp_path, PATH=path)
    assert "--values a.yaml --values b.yaml" in done.stdout


def test_nothing_heavy_is_loaded_for_help() -> None:
    probe = "import sys, krm_fn.cli; sys.exit(bool({'yaml', 'jsonschema', 'krm_fn.function'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0


def test_an_interrupt_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("krm_fn.render.render.render", interrupt)
    assert main(["render"]).exit_code == 130


def test_link_without_the_kubernetes_client_says_how_to_install_it(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['kubernetes'] = None; sys.argv[0] = 'krm-fn'\n"
    probe = hidden + "from krm_fn.__main__ import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", probe, "link", "--set", "web"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr == "error: needs the Python package kubernetes: pip install 'krm-fn[linker]'; see krm-fn --help\n"
    )
