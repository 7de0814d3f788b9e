"""Tell Argo CD which directories the plugin renders.

Argo CD asks plugins first. What none of them takes, it renders with its own tools, which do not
know krm-fn: without a function in `transformers`, they apply everything without revisions, and
nobody is told. So a directory is left to kustomize only if that runs the function or fails.
Everything else is taken, because `krm-fn render` can say what is wrong. See `cmpserver/plugin` and
`util/app/discovery` in the source of Argo CD.
"""

import os
from pathlib import Path

from krm_fn.base.problem import Outcome, Problem, Rejected, Severity
from krm_fn.base.settings import CONFIG_FILE
from krm_fn.report.secrets import stderr_lines
from krm_fn.tools.builds.builds import find_plugins, runtimes_of
from krm_fn.tools.common.files import (
    Allowance,
    Files,
    Limits,
)

_RUNS_FUNCTIONS = frozenset({"--enable-alpha-plugins", "--enable-exec"})
"""With the first alone, kustomize skips a function in silence."""


_MAX_BYTES = 1_000_000
"""Of one kustomization and its plugins.

Discovery must be cheap, and the sidecar's memory is for renderings.
"""


def answer_discovery(directory: Path, kustomize_options: str, *, is_asked_for: bool) -> Outcome:
    """Print krm-fn.yaml if `krm-fn render` is to render the directory, as it does for every one with such a file.

    Nothing is printed if Argo CD's kustomize, with its options, runs the function itself. `is_asked_for`: an
    Application that wants the plugin gets it, and so its message.
    """
    if not os.path.lexists(directory / CONFIG_FILE):
        return Outcome(b"", "", 0)
    is_run_there = _RUNS_FUNCTIONS.issubset(kustomize_options.split()) and not is_asked_for
    message = f"kustomize runs {CONFIG_FILE}; this directory is left to it"
    problem = _find_entry(directory, message) if is_run_there else None
    if problem is None:
        return Outcome(f"{CONFIG_FILE}\n".encode(), "", 0)
    return Outcome(b"", stderr_lines([problem._replace(severity=Severity.WARNING)]), 0)


def _find_entry(directory: Path, message: str) -> Problem | None:
    """Say a message at the entry with which kustomize runs the krm-fn.yaml beside it; None without such an entry."""
    files = Files(directory, Allowance(Limits(max_bytes=_MAX_BYTES)))
    try:
        plugins = find_plugins(directory, files)
        for plugin in plugins:
            is_beside = plugin.path == plugin.kustomization.with_name(CONFIG_FILE)
            config = plugin.krm_fn if plugin.field == "transformers" and is_beside else None
            if config is not None and runtimes_of(config):
                return plugin.problem(message)
    except Rejected:
        return None
    return None
