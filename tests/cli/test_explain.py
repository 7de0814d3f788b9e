"""`krm-fn explain` as a process: what it reads, where it says things are, and its exit codes."""

from pathlib import Path

import pytest

from tests.cases import FIXTURES
from tests.cli.process import HOSTILE, SHOWN, krm_fn

CASE = FIXTURES / "explanations/near-misses-are-not-followed"
TEXT = (CASE / "explanation.txt").read_text()
KPT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: web-config
    annotations:
      internal.config.kubernetes.io/path: web/config.yaml
  data: {a: b}
"""


def test_a_file_and_stdin_are_explained_alike(tmp_path: Path) -> None:
    (tmp_path / "input.yaml").write_text((CASE / "input.yaml").read_text())
    done = krm_fn("explain", "input.yaml", cwd=tmp_path, COLUMNS="80")
    assert (done.stdout, done.stderr, done.returncode) == (TEXT, "", 0)
    piped = krm_fn(
        "explain", "-", cwd=tmp_path, stdin=(CASE / "input.yaml").read_text(), COLUMNS="80"
    )
    assert piped.stdout.replace("<stdin>", "input.yaml") == TEXT


def test_a_pipe_gets_whole_lines(tmp_path: Path) -> None:
    """A search finds what it looks for, and each sentence is one line."""
    file = str(CASE / "input.yaml")
    whole, narrow = (
        krm_fn("explain", file, cwd=tmp_path, COLUMNS=width).stdout for width in ("", "60")
    )
    assert len(whole.splitlines()) < len(narrow.splitlines())
    assert max(map(len, whole.splitlines())) > 100
    assert whole.split() == narrow.split()


def test_places_in_a_folder_are_those_of_its_files(tmp_path: Path) -> None:
    config, *others = (CASE / "input.yaml").read_text().split("---\n")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/config.yaml").write_text(config)
    (tmp_path / "shop/others.yaml").write_text("---\n".join(others))
    done = krm_fn("explain", "shop", "web-config", cwd=tmp_path)
    assert done.stdout.startswith("ConfigMap shop/web-config  shop/config.yaml:1\n")
    assert "    Deployment shop/web  shop/others.yaml:13\n" in done.stdout


@pytest.mark.parametrize(
    "name", ["deploy/web", "Deployment/web", "deployments/web", "configmaps/web-config"]
)
def test_a_kind_and_a_name_are_looked_for_in_the_current_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text((CASE / "input.yaml").read_text())
    done = krm_fn("explain", name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == krm_fn("explain", ".", name, cwd=tmp_path).stdout


@pytest.mark.parametrize("path", ["apps/web", "web", "deployment/web"])
def test_what_is_on_disk_or_is_no_kind_is_a_path(path: str, tmp_path: Path) -> None:
    if "deployment" in path:
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "all.yaml").write_text((CASE / "input.yaml").read_text())
        assert f"{path}/all.yaml:1" in krm_fn("explain", path, cwd=tmp_path).stdout
    else:
        assert f"{path}: no such file or directory" in krm_fn("explain", path, cwd=tmp_path).stderr


def test_a_file_of_a_kpt_package_is_named(tmp_path: Path) -> None:
    """The line is that of the stream, and not of the file."""
    done = krm_fn("explain", "-", cwd=tmp_path, stdin=KPT)
    assert done.stdout.startswith("ConfigMap web-config  web/config.yaml\n")


def test_the_configuration_may_be_another_file(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: a}\nspec:\n  exclude:\n  - {}\n"
    )
    done = krm_fn("explain", "--config", "config.yaml", str(CASE / "input.yaml"), cwd=tmp_path)
    assert "    because spec.exclude[0] matches it (config.yaml:6)\n" in done.stdout


def test_the_configuration_may_be_a_config_map(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  exclude: web-*\n"
    )
    done = krm_fn("explain", "--config", "config.yaml", str(CASE / "input.yaml"), cwd=tmp_path)
    assert "    because spec.exclude[0] matches it (config.yaml:5)\n" in done.stdout


FAILURES = [
    pytest.param(
        ["missing.yaml"], 1, "error: missing.yaml: no such file or directory\n", id="no such file"
    ),
    pytest.param(
        [str(CASE / "input.yaml"), "web-confi"],
        1,
        "error: the package has no ConfigMap, Secret or workload web-confi; did you mean web-config?\n",
        id="no such object",
    ),
    pytest.param(
        [], 2, "error: expected PATH, or --message TEXT; see krm-fn explain --help\n", id="no path"
    ),
    pytest.param(
        [str(CASE / "input.yaml"), HOSTILE],
        1,
        f"error: the package has no ConfigMap, Secret or workload {SHOWN}\n",
        id="a name that a terminal obeys",
    ),
]


@pytest.mark.parametrize(("arguments", "code", "message"), FAILURES)
def test_failures(arguments: list[str], code: int, message: str, tmp_path: Path) -> None:
    done = krm_fn("explain", *arguments, cwd=tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("", message, code)


def test_a_warning_of_the_function_is_no_error(tmp_path: Path) -> None:
    """With `strict` it is one to the function, and here too."""
    text = (CASE / "input.yaml").read_text()
    strict = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: a}\nspec: {strict: true}\n"
    done = krm_fn("explain", "-", cwd=tmp_path, stdin=f"{text}---\n{strict}", COLUMNS="80")
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stdout.replace("<stdin>", "input.yaml") == TEXT


def test_help(tmp_path: Path) -> None:
    done = krm_fn("explain", "--help", cwd=tmp_path)
    assert done.stdout.startswith("Usage: krm-fn explain [OPTIONS] PATH [NAME]\n")
    assert "  - what looks like a reference and is not followed, and why\n" in done.stdout
