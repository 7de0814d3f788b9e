"""The process: bytes in, bytes out, exit code."""

import gc
import os
import sys
from pathlib import Path

from krm_fn.model.problem import Outcome


def main() -> int:
    """Run the KRM function without arguments, kustomize's exec plugin with a file, else the command line."""
    outcome = _run(sys.argv[1:])
    sys.stderr.write(outcome.stderr)
    try:
        _write(outcome.stdout)
    except OSError as error:
        sys.stderr.write(f"error: cannot write the output: {error.strerror}\n")
        return 1
    return outcome.exit_code


def _write(data: bytes) -> None:
    """Write everything or fail: a deployer would delete the objects that are missing in half an answer."""
    view = memoryview(data)
    while view:
        view = view[os.write(sys.stdout.fileno(), view) :]
    # Some file systems report a failed write only on close. The interpreter still needs the descriptor itself.
    os.close(os.dup(sys.stdout.fileno()))


def _run(arguments: list[str]) -> Outcome:
    # Imported here, as each half is slow to load without need: click takes as long as a small package.
    if arguments and not (len(arguments) == 1 and _is_file(arguments[0])):
        from krm_fn.cli import main as command_line  # noqa: PLC0415

        return command_line(arguments)
    from krm_fn.config.pins import find_pins  # noqa: PLC0415
    from krm_fn.function import run  # noqa: PLC0415
    from krm_fn.model.settings import Environment  # noqa: PLC0415

    gc.disable()  # nodes have no cycles; a search for cycles in a million of them takes a third of the time
    try:
        config = Path(arguments[0]).read_bytes() if arguments else None
    except OSError as error:
        return Outcome(b"", f"error: {arguments[0]}: cannot read the functionConfig: {error.strerror}\n", 1)
    environment = Environment(image=os.environ.get("KRM_FN_IMAGE", ""), pins=find_pins(os.environ))
    return run(sys.stdin.buffer.read(), config, environment)


def _is_file(argument: str) -> bool:
    """Tell whether an argument is a file, or was meant to be one: no command has a dot or a slash in its name."""
    return Path(argument).is_file() or (not argument.startswith("-") and not {".", "/"}.isdisjoint(argument))


if __name__ == "__main__":
    sys.exit(main())
