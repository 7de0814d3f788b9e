"""The process: bytes in, bytes out, exit code."""

import os
import sys
from pathlib import Path


def main() -> int:
    """No argument: a KRM function. A file: kustomize's legacy plugin. Anything else: the command line."""
    arguments = sys.argv[1:]
    if not arguments:
        return _function(None)
    if len(arguments) == 1 and Path(arguments[0]).is_file():
        return _function(Path(arguments[0]).read_bytes())
    from krm_fn.cli import main as command_line  # noqa: PLC0415  # click is not for the function to load

    return command_line(arguments)


def _function(config: bytes | None) -> int:
    from krm_fn.function import run  # noqa: PLC0415  # nor is the function for `krm-fn --help`

    outcome = run(sys.stdin.buffer.read(), config)
    sys.stderr.write(outcome.stderr)
    try:
        sys.stdout.buffer.write(outcome.stdout)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever reads has gone: say so by the exit code, and keep the interpreter from flushing again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
