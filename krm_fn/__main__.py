"""The process: bytes in, bytes out, exit code."""

import gc
import os
import sys
from pathlib import Path

from krm_fn.model.problem import Outcome


def main() -> int:
    """No argument: a KRM function. A file: kustomize's exec plugin. Anything else: the command line."""
    outcome = _run(sys.argv[1:])
    sys.stderr.write(outcome.stderr)
    try:
        _write(outcome.stdout)
    except OSError as error:
        sys.stderr.write(f"error: cannot write the output: {error.strerror}\n")
        return 1
    return outcome.exit_code


def _write(data: bytes) -> None:
    """All of it, or an error: whoever takes half an answer for a whole one deletes the other half."""
    view = memoryview(data)
    while view:
        view = view[os.write(sys.stdout.fileno(), view) :]
    # Some file systems tell of a failed write only on close; the descriptor itself stays open for the interpreter.
    os.close(os.dup(sys.stdout.fileno()))


def _run(arguments: list[str]) -> Outcome:
    # Imported here, as neither half is for the other to load: click takes as long as a small package.
    if arguments and not (len(arguments) == 1 and Path(arguments[0]).is_file()):
        from krm_fn.cli import main as command_line  # noqa: PLC0415

        return command_line(arguments)
    from krm_fn.function import run  # noqa: PLC0415
    from krm_fn.model.settings import Environment  # noqa: PLC0415

    gc.disable()  # nodes hold no cycles; to look for some among a million of them takes a third of the time
    config = Path(arguments[0]).read_bytes() if arguments else None
    return run(sys.stdin.buffer.read(), config, Environment(image=os.environ.get("KRM_FN_IMAGE", "")))


if __name__ == "__main__":
    sys.exit(main())
