"""A folder that is gone in the end, whatever ends this process."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from krm_fn.base.problem import Problem, Rejected

# It reads what never comes, until the other end of the pipe is closed.
_KEEP_A_FOLDER = 'read -r never; exec rm -rf -- "$1"'


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder that is removed in the end, also if this process is killed.

    Another process removes it when the pipe between them closes. Whatever ends this process closes it.
    """
    try:
        folder = os.path.realpath(mkdtemp(prefix="krm-fn.", dir=os.environ.get("TMPDIR")))
    except OSError as error:
        raise Rejected(Problem("cannot make a temporary folder; set TMPDIR to a folder with room in it")) from error
    with subprocess.Popen(  # noqa: S603  # no part of the script is anybody's
        ["/bin/sh", "-c", _KEEP_A_FOLDER, "sh", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ):
        yield Path(folder)
