"""`python3 release/kubectl_plugin.py FOLDER REPOSITORY`: write what krew installs as `kubectl revisions`.

FOLDER gets an archive and `revisions.yaml`, a manifest for https://krew.sigs.k8s.io that names the archive in the
release of this version. REPOSITORY is its address: https://github.com/krm-fn/krm-fn. Needs only Python.

krm-fn needs compiled packages for each platform and each version of Python, so the archive contains no program but a
script that finds one. It is the same for all platforms. Windows is left out: krew links only `.exe` files there.
"""

import gzip
import hashlib
import io
import re
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPT = "kubectl-revisions"
MANIFEST = """\
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: revisions
  annotations:
    artifacthub.io/category: integration-delivery
    artifacthub.io/license: Apache-2.0
spec:
  version: v{version}
  homepage: {repository}
  shortDescription: Which revisions of a ConfigMap pods run
  description: |
    Show which revisions of ConfigMaps and Secrets are live in a namespace that
    krm-fn manages: who references them, how many pods run them, which one is
    stable and which one the canary, and how to go back. It only lists.
  caveats: |
    This plugin runs the krm-fn that is on PATH, which needs Python 3.11 or
    newer. The repository says how to install it.
  platforms:
  - selector:
      matchExpressions:
      - {{key: os, operator: In, values: [darwin, linux]}}
    uri: {repository}/releases/download/v{version}/{archive}
    sha256: {sha256}
    bin: {script}
"""


def write(folder: Path, repository: str) -> None:
    """Write both files. The same sources give the same bytes."""
    text = (ROOT / "krm_fn" / "__init__.py").read_text()
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    packed = archive(version)
    name = f"{SCRIPT}-v{version}.tar.gz"
    manifest = MANIFEST.format(
        version=version,
        repository=repository,
        archive=name,
        sha256=hashlib.sha256(packed).hexdigest(),
        script=SCRIPT,
    )
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(packed)
    (folder / "revisions.yaml").write_text(manifest)


def archive(version: str) -> bytes:
    """Pack the script and the licence, which krew's index requires."""
    script = (ROOT / "release" / SCRIPT).read_text().replace("@VERSION@", version)
    licence = (ROOT / "LICENSE").read_text()
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as files:
        for name, text, mode in (("LICENSE", licence, 0o644), (SCRIPT, script, 0o755)):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(text.encode()), mode
            files.addfile(member, io.BytesIO(text.encode()))
    return gzip.compress(tar.getvalue(), mtime=0)


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2])
