"""Write three files and remove one as `krm-fn init` does, and fail or be killed at a call that changes the file system.

    python -m tests.init.interrupted FOLDER {fail|end|kill} NUMBER

The exit code is 3 where there are fewer calls than that.
"""

import errno
import os
import signal
import sys
from pathlib import Path
from typing import Any

from krm_fn.tools.init.transaction import NewContent, write_all

_CHANGES = frozenset(
    {"os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.chown", "os.chmod"}
)
FEWER = 3

NEW = {
    "shop/krm-fn.yaml": b"new\n",
    ".ci/jobs/krm-fn.yaml": b"ci\n",
    "shop/kustomization.yaml": b"entry\n",
    "shop/krm/kustomization.yaml": None,
}
OLD = {"shop/kustomization.yaml": b"before\n", "shop/krm/kustomization.yaml": b"gone\n"}
"""In the order in which they are written: the last one needs the first. None is removed."""


def main(folder: Path, way: str, number: int) -> int:
    calls = 0

    def interrupt(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal calls
        is_write = event == "open" and bool(
            int(arguments[2]) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        )
        if event not in _CHANGES and not is_write:
            return
        calls += 1
        if calls == number:
            if way == "fail":
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            os.kill(os.getpid(), signal.SIGKILL if way == "kill" else signal.SIGTERM)

    sys.addaudithook(interrupt)
    write_all(NewContent(folder / name, OLD.get(name), data) for name, data in NEW.items())
    return 0 if calls >= number else FEWER


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
