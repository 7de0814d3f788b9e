"""The process: bytes in, bytes out, exit code."""

import gc
import os
import sys
from pathlib import Path

from krm_fn.outcome import Outcome


def main() -> int:
    """No argument: a KRM function. A file: kustomize's exec plugin. Anything else: the command line."""
    outcome = _run(sys.argv[1:])
    sys.stderr.write(outcome.stderr)
    try:
        sys.stdout.buffer.write(outcome.stdout)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever reads has gone: say so by the exit code, and keep the interpreter from flushing again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return outcome.exit_code


def _run(arguments: list[str]) -> Outcome:
    # Imported here, as neither half is for the other to load: click takes as long as a small package.
    if arguments and not (len(arguments) == 1 and Path(arguments[0]).is_file()):
        from krm_fn.cli import main as command_line  # noqa: PLC0415

        return command_line(arguments)
    from krm_fn.function import run  # noqa: PLC0415

    gc.disable()  # nodes hold no cycles; to look for some among a million of them takes a third of the time
    return run(sys.stdin.buffer.read(), Path(arguments[0]).read_bytes() if arguments else None)


if __name__ == "__main__":
    sys.exit(main())
