"""Tell Argo CD which directories the plugin renders.

Argo CD asks plugins first. What none of them takes, it renders with its own tools, which do not
know krm-fn: without a function in `transformers`, they apply everything without revisions, and
nobody is told. So a directory is left to kustomize only if that runs the function or fails.
Everything else is taken, because `krm-fn render` can say what is wrong. A configuration that
kustomizations share is in a folder among their transformers, and no krm-fn.yaml beside them. See `cmpserver/plugin` and
`util/app/discovery` in the source of Argo CD.
"""

import os
from collections.abc import Callable
from pathlib import Path

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Outcome, Problem, Rejected, Severity, printable
from krm_fn.base.settings import CONFIG_FILE
from krm_fn.report.secrets import stderr_lines
from krm_fn.tools.builds.builds import find_plugins, runtimes_of
from krm_fn.tools.common.files import SHARED, Allowance, Files, Limits, is_sharing_folder

_RUNS_FUNCTIONS = frozenset({"--enable-alpha-plugins", "--enable-exec"})
"""With the first alone, kustomize skips a function in silence."""


_MAX_BYTES = 1_000_000
"""Of one kustomization and its plugins.

Discovery must be cheap, and the sidecar's memory is for renderings.
"""


class _EntryOfTransformers(NamedTuple):
    """An entry of transformers that is krm-fn. `is_run`: it says how kustomize runs it."""

    kustomization: str
    named: str
    is_run: bool
    problem: Callable[[str], Problem]


def answer_discovery(
    directory: Path,
    kustomize_options: str,
    *,
    is_asked_for: bool,
    root: Path | None = None,
    config: str | None = None,
) -> Outcome:
    """Print krm-fn.yaml if `krm-fn render` is to render the directory, as each with such a file or a folder for it.

    It does so, too, where the transformers name a folder with a configuration, within `root`: then
    the kustomization is printed. Nothing is printed if Argo CD's kustomize, with its options, runs the
    function itself. `is_asked_for`: an Application that wants the plugin gets it, and so its message.
    `config`: the configuration that it names.
    """
    if config is not None:
        return Outcome(f"{printable(config)}\n".encode(), "", 0)
    is_beside = os.path.lexists(directory / CONFIG_FILE)
    entries = _find_entries(directory, None if is_beside else root or directory)
    if not (is_beside or entries or is_sharing_folder(directory / SHARED)):
        return Outcome(b"", "", 0)
    is_run_there = _RUNS_FUNCTIONS.issubset(kustomize_options.split()) and not is_asked_for
    for entry in entries:
        if entry.is_run and is_run_there:
            what = CONFIG_FILE if is_beside else entry.named
            left = entry.problem(f"kustomize runs {what}; this directory is left to it")
            return Outcome(b"", stderr_lines([left._replace(severity=Severity.WARNING)]), 0)
    taken = entries[0].kustomization if entries and not is_beside else CONFIG_FILE
    return Outcome(f"{taken}\n".encode(), "", 0)


def _find_entries(directory: Path, root: Path | None) -> list[_EntryOfTransformers]:
    """Find the entries of the krm-fn.yaml beside the kustomization, or with a root, those of folders."""
    allowance = Allowance(Limits(max_bytes=_MAX_BYTES))
    anywhere = Files(root, allowance) if root else None
    found: list[_EntryOfTransformers] = []
    try:
        for plugin in find_plugins(directory, Files(directory, allowance), anywhere):
            is_beside = plugin.path == plugin.kustomization.with_name(CONFIG_FILE)
            is_meant = plugin.is_in_folder if root else is_beside
            config = plugin.krm_fn if plugin.field == "transformers" and is_meant else None
            if config is not None:
                is_run = bool(runtimes_of(config))
                named = plugin.entry.value
                found.append(
                    _EntryOfTransformers(plugin.kustomization.name, named, is_run, plugin.problem)
                )
    except Rejected:
        return []
    return found
