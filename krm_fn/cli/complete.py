"""Shell completion, as click defines it: a shell asks through variables, and reads the answer from stdout."""

import os

from click.shell_completion import get_completion_class

from krm_fn.cli.main import krm_fn
from krm_fn.model.printable import printable
from krm_fn.model.problem import Outcome

VARIABLE = "_KRM_FN_COMPLETE"
_WORDS = {"COMP_WORDS", "COMP_CWORD"}


def complete(instruction: str) -> Outcome:
    """Return the script that a shell sources, or what may come next in the words typed so far.

    `instruction` is the value of the variable: `bash_source` or `bash_complete`. The words are in other variables.
    """
    shell, _, action = instruction.partition("_")
    answer = get_completion_class(shell)
    if answer is None or not (action == "source" or (action == "complete" and os.environ.keys() >= _WORDS)):
        message = f"expected bash_source, zsh_source or fish_source, found {printable(instruction)}"
        return Outcome(b"", f"error: the variable {VARIABLE}: {message}\n", 2)
    completion = answer(krm_fn, {}, "krm-fn", VARIABLE)
    text = completion.source() if action == "source" else completion.complete() + "\n"
    return Outcome(os.fsencode(text), "", 0)  # the words may hold file names that are not UTF-8
