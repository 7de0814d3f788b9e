"""The command line: the group of all commands, and how one of them is run."""

from contextlib import redirect_stdout
from io import StringIO

import click

from krm_fn import __version__
from krm_fn.cli.configuration import GroupWithConfiguration
from krm_fn.cli.diff import diff
from krm_fn.cli.discover import discover
from krm_fn.cli.explain import explain
from krm_fn.cli.graph import graph
from krm_fn.cli.history import history
from krm_fn.cli.link import link
from krm_fn.cli.render import render
from krm_fn.cli.verify import verify
from krm_fn.model.printable import printable
from krm_fn.model.problem import Outcome


def main(arguments: list[str]) -> Outcome:
    """Run a command of `krm-fn`."""
    return _run(krm_fn, "krm-fn", arguments)


def kubectl_revisions(arguments: list[str]) -> Outcome:
    """Run `kubectl revisions`, which is `krm-fn history`."""
    return _run(history, "kubectl revisions", arguments)


def _run(command: click.Command, program: str, arguments: list[str]) -> Outcome:
    """Run a command. What click prints itself, which is help and the version, is in the outcome too."""
    printed = StringIO()
    # Not `command.main`: it lets a variable turn every command into a request for shell completion.
    try:
        with redirect_stdout(printed), command.make_context(program, list(arguments)) as context:
            outcome: Outcome = command.invoke(context)
            return outcome
    except click.exceptions.Exit as done:
        return Outcome(printed.getvalue().encode(), "", done.exit_code)
    except click.ClickException as error:
        failed = error.ctx if isinstance(error, click.UsageError) else None
        path = failed.command_path if failed else program
        message = printable(" ".join(error.format_message().rstrip(".").split("\n")))
        return Outcome(b"", f"error: {message}; see {path} --help\n", error.exit_code)


@click.command(short_help="Print the script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(*, shell: str) -> Outcome:
    """Print the script that completes commands, options, their values and paths in a shell.

    \b
    eval "$(krm-fn completion bash)"      in ~/.bashrc
    eval "$(krm-fn completion zsh)"       in ~/.zshrc, after compinit
    krm-fn completion fish | source       in ~/.config/fish/config.fish
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.cli.complete import complete

    return complete(f"{shell}_source")


@click.command(short_help="Print the version.")
def version() -> Outcome:
    """Print the version, as --version does."""
    return Outcome(f"krm-fn {__version__}\n".encode(), "", 0)


@click.group(
    cls=GroupWithConfiguration,
    commands=[render, verify, diff, explain, history, graph, link, discover, completion, version],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def krm_fn() -> None:
    """Name ConfigMaps by their content, and update all references.

    Without arguments this is a KRM function: a ResourceList on stdin, a ResourceList on stdout. With a file as its
    only argument (./config, config.yaml) it is a kustomize exec plugin, and the file is its configuration.
    With -q or --quiet before that, it leaves out the last line, which says what was renamed.
    """
