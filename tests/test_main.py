"""`python -m krm_fn` as a process."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import TRANSFORMS

COMMAND = [sys.executable, "-m", "krm_fn"]
INPUT = (TRANSFORMS[0] / "input.yaml").read_bytes()
LARGE = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '" + b"x" * 1_000_000 + b"'}\n"


def run(
    *arguments: str, data: bytes = INPUT, stdout: int | None = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=data, stdout=stdout, stderr=subprocess.PIPE, check=False)


def test_a_function_without_arguments() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (0, (TRANSFORMS[0] / "output.yaml").read_bytes())


def test_a_file_is_the_configuration_of_a_legacy_plugin(tmp_path: Path) -> None:
    config = tmp_path / "fn.yaml"
    config.write_text(
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\nspec: {select: [{}]}\n"
    )
    done = run(str(config), data=LARGE)
    assert done.returncode == 0
    assert b"revisions.krm-fn.io/set: shop" in done.stdout


@pytest.mark.parametrize("name", ["missing.yaml", "./missing", "/nowhere/config"])
def test_a_file_that_does_not_exist_is_named(name: str) -> None:
    done = run(name, data=LARGE)
    message = f"error: {name}: cannot read the functionConfig: No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", message)


def test_an_invalid_configuration_prints_only_its_error(tmp_path: Path) -> None:
    config = tmp_path / "fn.yaml"
    config.write_text("apiVersion: v1\nkind: Pod\n")
    done = run(str(config), data=LARGE)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_an_error() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(COMMAND, input=LARGE, stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"error: cannot write the output: No space left on device\n")


def test_a_closed_stdout_is_an_error() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(LARGE)
        process.stdin.close()
        assert process.stderr.read() == b"error: cannot write the output: Broken pipe\n"
        assert process.wait() == 1
