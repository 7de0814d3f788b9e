"""Put krm-fn and all that it needs into /opt/krm-fn, the same bytes each time.

The Dockerfile runs this in the base image, which may have no shell and no pip: the script gets a
folder with pip and cyclonedx-py.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

TARGET = Path("/opt/krm-fn")
LAYER = Path("/layer")
"""The root of what is copied, with all folders, so that their times are copied too."""

BYTECODE = TARGET / "pycache"
BILL_OF_MATERIALS = TARGET / "krm-fn.cdx.json"
PYTHON = str(TARGET / "bin" / "python")

LEFT_OUT = (
    "kubernetes/aio",  # a second client
    "kubernetes/client/api",  # a method for each call: the linker sends its own requests
    "kubernetes/client/models/[!_]*.py",  # a class for each kind: the linker reads plain JSON
    "*/tests",
)
"""What nothing here imports, nine tenths of the Kubernetes client."""

NOT_COMPILED = "/(distutils|ensurepip|idlelib|lib2to3|pydoc_data|test|tkinter|turtledemo|unittest)/"
"""Parts of the standard library that nothing here imports."""

_RUN_TOOL = """\
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


def assemble_image(sources: Path, wheels: Path, tools: Path) -> None:
    """Install the wheels that the lock of these sources names, and the one of krm-fn."""
    venv.create(TARGET, symlinks=True)
    pip = [
        "pip",
        "--python",
        PYTHON,
        "--disable-pip-version-check",
        "--quiet",
        "install",
        "--no-deps",
        "--no-compile",
    ]
    pip += ["--no-cache-dir", "--no-index", "--find-links", str(wheels)]
    _run(tools, *pip, "--require-hashes", "--requirement", str(sources / "locks" / "image.txt"))
    _run(tools, *pip, "krm-fn")
    (packages,) = TARGET.glob("lib/python*/site-packages")
    _remove([path for pattern in LEFT_OUT for path in packages.glob(pattern)])
    _compile(Path(sysconfig.get_path("stdlib")), packages)
    _list_materials(sources, tools)
    LAYER.mkdir()
    shutil.move(TARGET.parent, LAYER)
    _set_times(LAYER, int(os.environ.get("SOURCE_DATE_EPOCH") or 0))


def _remove(paths: list[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _compile(*folders: Path) -> None:
    """Write the bytecode that the base image lacks, and that a read-only file system cannot get later.

    It is not compared with its source, whose times differ from build to build.
    """
    options = ["-q", "--invalidation-mode", "unchecked-hash", "-x", NOT_COMPILED]
    command = [
        sys.executable,
        "-X",
        f"pycache_prefix={BYTECODE}",
        "-m",
        "compileall",
        *options,
        *map(str, folders),
    ]
    subprocess.run(command, check=True)


def _list_materials(sources: Path, tools: Path) -> None:
    """List what is installed, with versions and licences, as CycloneDX."""
    options = ["--output-reproducible", "--pyproject", str(sources / "pyproject.toml")]
    _run(tools, "cyclonedx_py", "environment", *options, "-o", str(BILL_OF_MATERIALS), PYTHON)


def _set_times(root: Path, seconds: int) -> None:
    for folder, folders, files in os.walk(root, topdown=False):
        for path in (*(os.path.join(folder, name) for name in (*folders, *files)), folder):  # noqa: PTH118  # 6,000 files
            os.utime(path, (seconds, seconds), follow_symlinks=False)


def _run(tools: Path, module: str, *arguments: str) -> None:
    """Run a module of the tools.

    With PYTHONPATH, pip and cyclonedx-py would take the tools for installed packages.
    """
    subprocess.run([sys.executable, "-c", _RUN_TOOL, str(tools), module, *arguments], check=True)


if __name__ == "__main__":
    assemble_image(*map(Path, sys.argv[1:]))
