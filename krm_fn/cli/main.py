"""The command line: the group of all commands, and how one of them is run."""

import json
import os
import re
from contextlib import redirect_stdout
from io import StringIO

import click
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class

from krm_fn import __version__
from krm_fn.base.problem import Outcome, printable
from krm_fn.cli.diff import diff
from krm_fn.cli.explain import explain
from krm_fn.cli.graph import graph
from krm_fn.cli.history import history
from krm_fn.cli.init import init
from krm_fn.cli.link import link
from krm_fn.cli.merge import merge
from krm_fn.cli.options import output_option
from krm_fn.cli.render import discover, render
from krm_fn.cli.verify import verify
from krm_fn.core.config.plain import CONFIGURATION, read_schema

_TOPIC = "configuration"
"""What has a help text and a schema without being a command."""

_PRINTS = "krm-fn render PATH prints what to apply: krm-fn render PATH | kubectl apply -f -"
_RENDERS = "krm-fn render PATH does it"
_SHOWS = "krm-fn history -n NAMESPACE shows the revisions and who uses them"
_CHECKS = "krm-fn verify checks a rendering, krm-fn render --check what a sync would prune"
_BACK = "krm-fn history -n NAMESPACE prints the command that goes back"
_WHY = "krm-fn explain PATH NAME does it"

COMMANDS = {
    **dict.fromkeys(("apply", "deploy", "install", "sync", "up"), _PRINTS),
    **dict.fromkeys(("build", "generate", "kustomize", "run", "template"), _RENDERS),
    **dict.fromkeys(("get", "list", "ls", "ps", "revisions", "status", "top"), _SHOWS),
    **dict.fromkeys(("check", "lint", "test", "validate"), _CHECKS),
    **dict.fromkeys(("abort", "rollback", "rollout", "undo"), _BACK),
    **dict.fromkeys(("describe", "why"), _WHY),
    **dict.fromkeys(
        ("clean", "cleanup", "delete", "gc", "prune"),
        "krm-fn link deletes what nothing uses; krm-fn link --dry-run only says what",
    ),
    **dict.fromkeys(
        ("adopt", "rename"),
        "krm-fn init DIR sets it up, with --strategy adopt for the first sync of what runs already",
    ),
    **dict.fromkeys(("config", "configuration"), "krm-fn help configuration lists its fields"),
    "plan": "krm-fn diff --live PATH shows what applying would change",
    "tree": "krm-fn graph draws what references what",
}

_PATH_IS_AN_ARGUMENT = "PATH is an argument: krm-fn {command} PATH"
_WATCHES = "--watch shows it again when it changes"

_OPTIONS = {
    **dict.fromkeys(
        ("-f", "--file", "--filename", "-k", "--kustomize", "-R", "--recursive"),
        _PATH_IS_AN_ARGUMENT,
    ),
    **dict.fromkeys(("--json", "--format"), "-o json prints JSON"),
    **dict.fromkeys(("--values", "--set-file"), "--helm-values FILE does it"),
    "--load-restrictor": "--kustomize-options OPTIONS does it",
    "--no-color": "--color never does it",
}

OPTIONS_OF = {
    "history": {
        "-f": f"{_WATCHES}; --from FILE reads reports",
        "--follow": _WATCHES,
        "--all": "-A shows all namespaces",
        "--json": "-o json prints JSON",
    },
}
"""Where the option has another meaning for a command."""

_TAKE_A_PATH = {"", "render", "verify", "diff", "explain", "graph"}
_GROUP = "render"
"""The command that those who name none want: `krm-fn -f FILE`."""


_UNKNOWN = re.compile(r"No such (command|option):? '?([^'\s]+?)'?\.?")
"""How click says it, in each of its versions."""

_NO_CHOICE = re.compile(r"'[^']*' is not one of .*")


class GroupInOrder(click.Group):
    """A group whose help lists the commands in the order in which they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # of click
        return [*self.commands]


def main(arguments: list[str]) -> Outcome:
    return _run(krm_fn, "krm-fn", arguments)


def kubectl_revisions(arguments: list[str]) -> Outcome:
    """Run `kubectl revisions`, which is `krm-fn history`."""
    return _run(history, "kubectl revisions", arguments)


def _run(command: click.Command, program: str, arguments: list[str]) -> Outcome:
    """Run a command. What click prints itself, which is help and the version, is in the outcome too."""
    printed = StringIO()
    context: click.Context | None = None
    # Not `command.main`: it lets a variable turn every command into a request for shell completion.
    try:
        with redirect_stdout(printed), command.make_context(program, list(arguments)) as context:
            outcome: Outcome = command.invoke(context)
            return outcome
    except click.exceptions.Exit as done:
        return Outcome(printed.getvalue().encode(), "", done.exit_code)
    except click.ClickException as error:
        # Not the context of the error: it has none where an option lacks its value.
        invoked = context.invoked_subcommand if context else None
        path = f"{program} {invoked}" if invoked else program
        message = printable(" ".join(_say(error, invoked or "").rstrip(".").split("\n")))
        return Outcome(b"", f"error: {message}; see {path} --help\n", error.exit_code)


def _say(error: click.ClickException, command: str) -> str:
    hint = _find_hint(error.message, command)
    if hint:
        return f"{error.message.rstrip('.')}: {hint}"
    said = error.format_message()
    other = _NO_CHOICE.search(said)
    if not other:
        return said
    from krm_fn.base.suggest import did_you_mean, nearest

    found, *allowed = re.findall("'([^']*)'", other[0])
    return said.rstrip(".") + did_you_mean(nearest(found, allowed))


def _find_hint(message: str, command: str) -> str:
    """Return what does here what an unknown command or option does elsewhere; `""` if nothing is known."""
    found = _UNKNOWN.fullmatch(message)
    if not found:
        return ""
    what, name = found.groups()
    if what == "command":
        return COMMANDS.get(name, "")
    hint = OPTIONS_OF.get(command, {}).get(name) or _OPTIONS.get(name, "")
    if hint == _PATH_IS_AN_ARGUMENT and command not in _TAKE_A_PATH:
        return ""
    return hint.format(command=command or _GROUP)


@click.command(short_help="Print the script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(*, shell: str) -> Outcome:
    """Print the script that completes commands, options, their values and paths in a shell.

    \b
    eval "$(krm-fn completion bash)"      in ~/.bashrc
    eval "$(krm-fn completion zsh)"       in ~/.zshrc, after compinit
    krm-fn completion fish | source       in ~/.config/fish/config.fish

    Exit codes: 0 printed; 2 wrong arguments.
    """  # noqa: D301  # click's mark for lines that it must not join
    return complete(f"{shell}_source")


_OUTPUTS = ("diff", "diff-packages", "explain", "explain-packages", "fleet", "history", "verify")
"""What has a schema of this name, besides the configuration."""


@click.command(hidden=True, short_help="Print a JSON schema.")
@click.argument("name", type=click.Choice([_TOPIC, *_OUTPUTS]), default=_TOPIC)
def schema(*, name: str) -> Outcome:
    """Print the JSON schema of krm-fn.yaml, or of what a command prints with -o json.

    \b
    configuration     krm-fn.yaml, for an editor or a validator
    diff              krm-fn diff -o json
    diff-packages     krm-fn diff --each -o json
    explain           krm-fn explain -o json
    explain-packages  krm-fn explain PATTERN -o json
    fleet             krm-fn history -A -o json
    history           krm-fn history -o json
    verify            krm-fn verify -o json

    Exit codes: 0 printed; 2 wrong arguments.
    """  # noqa: D301  # click's mark for lines that it must not join
    return Outcome(read_schema(CONFIGURATION if name == _TOPIC else f"{name}-v1"), "", 0)


@click.command(short_help="Print the version.")
@output_option("text", "json")
def version(*, output: str) -> Outcome:
    """Print the version, as --version does.

    Exit codes: 0 printed; 2 wrong arguments.
    """
    text = json.dumps({"version": __version__}) if output == "json" else f"krm-fn {__version__}"
    return Outcome(f"{text}\n".encode(), "", 0)


def _complete_topic(
    _context: click.Context, _parameter: click.Parameter, typed: str
) -> list[CompletionItem]:
    topics = krm_fn.shell_complete(click.Context(krm_fn), typed)
    if _TOPIC.startswith(typed):
        topics.append(CompletionItem(_TOPIC))
    return topics


@click.command("help", short_help="Print the help of a command, or of the configuration.")
@click.argument(
    "name", metavar="[COMMAND|configuration]", default="", shell_complete=_complete_topic
)
def print_help(*, name: str) -> Outcome:
    """Print the help of a command, as `krm-fn COMMAND --help` does, or the fields of the configuration.

    Without an argument, that of krm-fn.

    Exit codes: 0 printed; 2 no such command, or wrong arguments.
    """
    if name == _TOPIC:
        from krm_fn.cli.full_help import describe_configuration

        return Outcome(describe_configuration().encode(), "", 0)
    return main([name, "--help"] if name else ["--help"])


@click.command(hidden=True, short_help="Print the help of all commands as a page for man.")
def man() -> Outcome:
    """Print the help of all commands as a page for man.

    \b
    krm-fn man > /usr/local/share/man/man1/krm-fn.1

    Exit codes: 0 printed; 2 wrong arguments.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.cli.full_help import write_man_page

    return Outcome(write_man_page(krm_fn, __version__).encode(), "", 0)


@click.group(
    cls=GroupInOrder,
    commands=[
        *(
            init,
            render,
            verify,
            diff,
            explain,
            history,
            graph,
            merge,
            link,
            discover,
            completion,
            schema,
            version,
        ),
        print_help,
        man,
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
def krm_fn() -> None:
    """Name ConfigMaps by their content, and update all references.

    Begin with `krm-fn init --dry-run DIR`. `krm-fn help configuration` lists the fields of
    krm-fn.yaml.

    Without arguments this is a KRM function: a ResourceList on stdin, a ResourceList on stdout.
    With a file as its only argument (./config, config.yaml) it is a kustomize exec plugin,
    configured by that file. With -q or --quiet before that, it leaves out the last line, which says
    what was renamed.

    For programs: discover, link, man, schema. See krm-fn help COMMAND.

    Exit codes: 0 transformed, perhaps with warnings; 1 an error, and no object is changed; 2 wrong
    arguments. Each command has its own. Any ends with 130 after Ctrl-C.
    """


VARIABLE = "_KRM_FN_COMPLETE"
_WORDS = {"COMP_WORDS", "COMP_CWORD"}


def complete(instruction: str) -> Outcome:
    """Return the script that a shell sources, or what may come next in the words typed so far.

    `instruction` is the value of the variable: `bash_source` or `bash_complete`. The words are in
    other variables.
    """
    shell, _, action = instruction.partition("_")
    answer = get_completion_class(shell)
    is_asked = action == "source" or (action == "complete" and os.environ.keys() >= _WORDS)
    if answer is None or not is_asked:
        message = f"expected bash_source, zsh_source or fish_source, found {printable(instruction)}"
        return Outcome(b"", f"error: the variable {VARIABLE}: {message}\n", 2)
    completion = answer(krm_fn, {}, "krm-fn", VARIABLE)
    text = completion.source() if action == "source" else completion.complete() + "\n"
    return Outcome(os.fsencode(text), "", 0)  # the words may hold file names that are not UTF-8


_NO_FILES = 4
_FILES = 0
"""A directive of cobra, which kubectl is built with: what a shell offers beside what is printed."""


def complete_kubectl(arguments: list[str]) -> Outcome:
    """Tell kubectl what may come next after `kubectl revisions`: the last argument is what is typed of it.

    kubectl runs `kubectl_complete-revisions`, and reads what programs with cobra print: a line for
    each possible word, a tab before its description, and a number behind a colon.
    """
    *words, typed = arguments or [""]
    found = ShellComplete(history, {}, "kubectl revisions", "").get_completions(words, typed)
    plain = [f"{item.value}\t{item.help or ''}".strip() for item in found if item.type == "plain"]
    directive = _FILES if len(plain) < len(found) else _NO_FILES
    return Outcome(os.fsencode("\n".join([*plain, f":{directive}", ""])), "", 0)
