"""The process: bytes in, bytes out, exit code."""

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

from krm_fn.model.printable import printable
from krm_fn.model.problem import Outcome
from krm_fn.stdio import StreamError, can_hold_input, read_stdin, write_stderr, write_stdout

INTERRUPTED = 130
"""The exit code after Ctrl-C, as a shell reports it."""

_FAILED = {"diff": 2}
"""The exit code of a command that fails, where 1 means something else."""


def main() -> int:
    """Run the KRM function without arguments, kustomize's exec plugin with a file, else the command line."""
    return _print(_run, sys.argv[1:])


def kubectl_revisions() -> int:
    """Run `kubectl revisions`: kubectl finds it on PATH by its name."""
    from krm_fn.cli.main import kubectl_revisions as command_line  # noqa: PLC0415  # as below

    return _print(command_line, sys.argv[1:])


def _print(run: Callable[[list[str]], Outcome], arguments: list[str]) -> int:
    """Run, and print the outcome. Returns the exit code."""
    try:
        outcome = run(arguments)
        write_stderr(outcome.stderr)
        write_stdout(outcome.stdout)
    except StreamError as error:
        write_stderr(f"error: {error}\n")
        return _FAILED.get("".join(arguments[:1]), 1)
    except KeyboardInterrupt:
        return INTERRUPTED
    return outcome.exit_code


def _run(arguments: list[str]) -> Outcome:
    # Imported here, as each half is slow to load without need: click takes as long as a small package.
    if not arguments and _is_asked_to_complete():
        from krm_fn.cli.complete import complete  # noqa: PLC0415

        return complete(os.environ["_KRM_FN_COMPLETE"])
    if arguments and not _is_configuration(arguments):
        from krm_fn.cli.main import main as command_line  # noqa: PLC0415

        return command_line(arguments)
    return _transform(*arguments)


def _is_asked_to_complete() -> bool:
    """Tell whether a shell asks for completions, as click defines it: by a variable, without arguments.

    The variable never changes what the function does: a package comes through a pipe or from a file.
    """
    return bool(os.environ.get("_KRM_FN_COMPLETE")) and not can_hold_input()


def _is_configuration(arguments: list[str]) -> bool:
    """Tell whether the only argument is a file: no command has a dot or a slash in its name.

    kustomize passes an absolute path. What is in the current directory never matters: it may hold a file `render`.
    """
    return len(arguments) == 1 and not arguments[0].startswith("-") and not {".", "/"}.isdisjoint(arguments[0])


def _transform(name: str = "") -> Outcome:
    """Run the function, with the functionConfig of this file if there is a name."""
    from krm_fn.config.pins import find_pins  # noqa: PLC0415  # as above
    from krm_fn.function import run  # noqa: PLC0415  # as above
    from krm_fn.model.settings import Environment  # noqa: PLC0415  # as above

    gc.disable()  # nodes have no cycles; a search for cycles in a million of them takes a third of the time
    shown = printable(name)
    try:
        config = Path(name).read_bytes() if name else None
    except OSError as error:
        return Outcome(b"", f"error: {shown}: cannot read the functionConfig: {error.strerror}\n", 1)
    awaited = f"the manifests that {shown} configures" if name else "a ResourceList or manifests"
    environment = Environment(image=os.environ.get("KRM_FN_IMAGE", ""), pins=find_pins(os.environ))
    return run(read_stdin(awaited), config, environment)


if __name__ == "__main__":
    sys.exit(main())
