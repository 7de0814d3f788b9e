"""Build the wheel and the sdist into a folder: the same commit gives the same bytes, whoever builds.

setuptools copies times, owners and permissions of files from the checkout into its archives, and may find files of
earlier builds there. So this builds from a copy of what git tracks, and packs the sdist again. SOURCE_DATE_EPOCH is the
time of all files.
"""

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SEEN = (
    *("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml"),
    *("krm_fn", "schemas", "examples", "docs/__init__.py", "docs/messages.yaml"),
)
"""What a build sees: setuptools would also pack some of the tests, and they need files that it does not pack."""


def build_dist(target: Path) -> None:
    """Build both with the installed setuptools, which the lock pins, and not with one from the network."""
    os.umask(0o022)  # the wheel keeps permissions, also of files that setuptools writes
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        sources, built = Path(temporary, "sources"), Path(temporary, "built")
        _copy_tracked(sources)
        command = [
            sys.executable,
            "-m",
            "build",
            "--quiet",
            "--no-isolation",
            "--outdir",
            str(built),
            str(sources),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        for wheel in built.glob("*.whl"):
            shutil.copy(wheel, target)
        for sdist in built.glob("*.tar.gz"):
            (target / sdist.name).write_bytes(
                _packed_again(sdist, int(os.environ.get("SOURCE_DATE_EPOCH") or 0))
            )


def _copy_tracked(sources: Path) -> None:
    listing = subprocess.run(
        ["git", "ls-files", "-z", *SEEN], cwd=ROOT, check=True, capture_output=True
    ).stdout
    for name in filter(None, listing.decode().split("\0")):
        copy = sources / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
        copy.chmod(0o644)


def _packed_again(sdist: Path, seconds: int) -> bytes:
    packed = io.BytesIO()
    with (
        tarfile.open(sdist) as old,
        gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=seconds) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for entry in sorted(old.getmembers(), key=lambda entry: entry.name):
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime, entry.pax_headers = seconds, {}
            entry.mode = 0o755 if entry.isdir() else 0o644
            new.addfile(entry, old.extractfile(entry) if entry.isfile() else None)
    return packed.getvalue()


if __name__ == "__main__":
    build_dist(Path(sys.argv[1]))
