"""`krm-fn link` as a process, without a cluster."""

import subprocess
import sys
from pathlib import Path


def test_link_without_the_kubernetes_client_says_how_to_install_it(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['kubernetes'] = None; sys.argv[0] = 'krm-fn'\n"
    probe = hidden + "from krm_fn.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", probe, "link", "--set", "web"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr == "error: needs the Python package kubernetes: pip install 'krm-fn[linker]'; see krm-fn --help\n"
    )
