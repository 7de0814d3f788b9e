"""Make a base image without a registry: the running interpreter and its shared libraries, as a tar.

python make_base_image.py | docker import - base              # like distroless: neither shell nor
pip python make_base_image.py --tools | docker import - build     # like the official image, with
both
"""

import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import pip

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
INTERPRETER = Path(sys.executable).resolve()
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib")).resolve()
SHELL = Path("/bin/sh")

# Libraries that every wheel for Linux may need, even if the interpreter does not.
PROMISED = (
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libutil.so.1",
)

ACCOUNTS = {
    "etc/passwd": b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n",
    "etc/group": b"root:x:0:\nnogroup:x:65534:\n",
}
# As in the official image: no tests, no bytecode, no GUI.
LEFT_OUT = {"__pycache__", "dist-packages", "ensurepip", "idlelib", "lib2to3", "site-packages"}
LEFT_OUT |= {"test", "tests", "tkinter", "turtledemo"}


def make_base_image(target: BinaryIO, *, has_tools: bool) -> None:
    files = _files(has_tools=has_tools)
    # Copy the targets of links, because links point outside of the copied folders.
    with tarfile.open(fileobj=target, mode="w|", dereference=True) as archive:
        for folder in _folders([*files, *ACCOUNTS]):
            _add_folder(archive, folder, mode=0o755)
        _add_folder(archive, "tmp", mode=0o1777)
        for name, content in ACCOUNTS.items():
            _add_bytes(archive, name, content)
        for name, path in files.items():
            archive.add(path, name)
        for alias in ("python", "python3"):
            _add_link(archive, f"usr/local/bin/{alias}", PYTHON)


def _files(*, has_tools: bool) -> dict[str, Path]:
    """Return the files of this machine to copy, by their names in the image."""
    library, pip_folder = f"usr/local/lib/{PYTHON}", Path(pip.__file__).parent
    files = {f"usr/local/bin/{PYTHON}": INTERPRETER}
    files |= {
        f"{library}/{path.relative_to(STANDARD_LIBRARY)}": path
        for path in _modules(STANDARD_LIBRARY)
    }
    if has_tools:
        files[str(SHELL)[1:]] = SHELL
        # pip goes into the standard library's folder, which the Python of every distribution
        # searches.
        files |= {
            f"{library}/pip/{path.relative_to(pip_folder)}": path for path in _modules(pip_folder)
        }
    return files | _libraries(files.values())


def _folders(files: Iterable[str]) -> list[str]:
    """Return all parent folders, outermost first.

    The engine would create missing ones, sometimes for root only.
    """
    return sorted({str(folder) for file in files for folder in PurePosixPath(file).parents} - {"."})


def _modules(root: Path) -> Iterator[Path]:
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = sorted(
            name for name in subfolders if name not in LEFT_OUT and not name.startswith("config-")
        )
        for name in sorted(files):
            if not name.endswith((".a", ".pyc")) and not name.startswith("_tkinter"):
                yield Path(folder, name)


def _libraries(files: Iterable[Path]) -> dict[str, Path]:
    """Return the shared libraries of the programs and extension modules, by their names in the image."""
    linked = [file for file in files if file.read_bytes().startswith(b"\x7fELF")]
    listing = subprocess.run(["ldd", *linked], check=True, capture_output=True, text=True).stdout
    found = {Path(path) for path in re.findall(r"(/\S+) \(0x", listing)}
    system = next(path.parent for path in found if path.name.startswith("libc.so"))
    found.update(path for name in PROMISED if (path := system / name).exists())
    # Programs contain the path of the loader; the other libraries must be where the loader looks.
    places = {path: path if path.name.startswith("ld-") else system / path.name for path in found}
    return {str(place)[1:]: path for path, place in places.items()}


def _add_folder(archive: tarfile.TarFile, name: str, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, mode
    archive.addfile(entry)


def _add_bytes(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _add_link(archive: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    archive.addfile(entry)


if __name__ == "__main__":
    make_base_image(sys.stdout.buffer, has_tools=sys.argv[1:] == ["--tools"])
