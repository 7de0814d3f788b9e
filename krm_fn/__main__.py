"""The process: bytes in, bytes out, exit code."""

import gc
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from krm_fn.base.problem import Outcome, printable
from krm_fn.stdio import (
    ClosedPipe,
    StreamError,
    can_hold_input,
    end_process,
    read_stdin,
    write_stderr,
    write_stdout,
)

INTERRUPTED = 130
"""The exit code after Ctrl-C, as a shell reports it."""

CLOSED_PIPE = 141
"""The exit code of a program that a closed pipe ends, as a shell reports it."""

_FOR_PEOPLE = frozenset(
    {
        "diff",
        "explain",
        "graph",
        "history",
        "completion",
        "schema",
        "version",
        "help",
        "man",
        "--help",
        "-h",
        "--version",
    }
)
"""What is only looked at: who closes the pipe, such as `head`, has seen enough.

Half a rendering is an error.
"""


_QUIET = (["-q"], ["--quiet"])
"""Options that a function may get before its file, as by `kpt fn eval --exec "krm-fn --quiet"`."""


def main() -> NoReturn:
    """Run the KRM function without arguments, kustomize's exec plugin with a file, else the command line."""
    _run_process(_run, sys.argv[1:])


def kubectl_revisions() -> NoReturn:
    """Run `kubectl revisions`: kubectl finds it on PATH by its name."""
    _run_process(_kubectl_revisions, ["history", *sys.argv[1:]])


def complete_kubectl_revisions() -> NoReturn:
    """Tell kubectl what may come next after `kubectl revisions`: it finds this on PATH by its name."""
    _run_process(_complete_kubectl, ["completion", *sys.argv[1:]])


def _run_process(run: Callable[[list[str]], Outcome], arguments: list[str]) -> NoReturn:
    # A rendering makes no cycles. To look for some takes a tenth of the time of a small package,
    # and a third of that of a large one.
    gc.disable()
    end_process(_print(run, arguments))


def _print(run: Callable[[list[str]], Outcome], arguments: list[str]) -> int:
    """Run, and print the outcome. Returns the exit code."""
    try:
        outcome = run(arguments)
        write_stderr(outcome.stderr)
        write_stdout(outcome.stdout)
        write_stderr(outcome.summary)  # last, since output that cannot be written is no success
    except StreamError as error:
        if isinstance(error, ClosedPipe) and _FOR_PEOPLE.intersection(arguments[:1]):
            return CLOSED_PIPE
        write_stderr(f"error: {error}\n")
        return 2 if arguments[:1] == ["diff"] else 1  # of `diff`, 1 is a difference
    except KeyboardInterrupt:
        return INTERRUPTED
    return outcome.exit_code


def _kubectl_revisions(arguments: list[str]) -> Outcome:
    from krm_fn.cli.main import kubectl_revisions as command_line

    return command_line(arguments[1:])


def _complete_kubectl(arguments: list[str]) -> Outcome:
    from krm_fn.cli.main import complete_kubectl

    return complete_kubectl(arguments[1:])


def _run(arguments: list[str]) -> Outcome:
    if not arguments and _is_asked_to_complete():
        from krm_fn.cli.main import complete

        return complete(os.environ["_KRM_FN_COMPLETE"])
    is_quiet = arguments[:1] in _QUIET
    files = arguments[1:] if is_quiet else arguments
    if files and not _is_configuration(files):
        from krm_fn.cli.main import main as command_line

        return command_line(arguments)
    return _transform(*files, is_quiet=is_quiet)


def _is_asked_to_complete() -> bool:
    """Tell whether a shell asks for completions, as click defines it: by a variable, without arguments.

    The variable never changes what the function does: a package comes through a pipe or from a file.
    """
    return bool(os.environ.get("_KRM_FN_COMPLETE")) and not can_hold_input()


def _is_configuration(arguments: list[str]) -> bool:
    """Tell whether the only argument is a file: no command has a dot or a slash in its name.

    kustomize passes an absolute path. The current directory never matters: it may hold a
    file `render`.
    """
    return (
        len(arguments) == 1
        and not arguments[0].startswith("-")
        and not {".", "/"}.isdisjoint(arguments[0])
    )


def _transform(name: str = "", *, is_quiet: bool = False) -> Outcome:
    """Run the function, with the functionConfig of this file if there is a name."""
    from krm_fn.base.settings import Environment
    from krm_fn.core.config.config import find_pins
    from krm_fn.function import run

    shown = printable(name)
    try:
        config = _read_file(name) if name else None
    except OSError as error:
        return Outcome(
            b"", f"error: {shown}: cannot read the functionConfig: {error.strerror}\n", 1
        )
    awaited = f"the manifests that {shown} configures" if name else "a ResourceList or manifests"
    environment = Environment(image=os.environ.get("KRM_FN_IMAGE", ""), pins=find_pins(os.environ))
    return run(read_stdin(awaited), config, environment, is_quiet=is_quiet)


def _read_file(name: str) -> bytes:
    from pathlib import Path

    return Path(name).read_bytes()


if __name__ == "__main__":
    main()
