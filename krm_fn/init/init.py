"""Write what lets a deployer run the function over a directory, and say what a first rendering would do."""

import errno
import json
import os
import shlex
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from io import RawIOBase
from pathlib import Path
from typing import NamedTuple

from krm_fn.config.configuration import find_in_kptfile
from krm_fn.config.plain import plain_value
from krm_fn.explain.explain import sum_up_rendering
from krm_fn.init.plan import Door, Planned, Wishes, complete, find_door, plan
from krm_fn.model.problem import Outcome, Rejected
from krm_fn.model.settings import KPTFILE, Environment
from krm_fn.model.words import printable
from krm_fn.render.files import Allowance, Limits, unreadable
from krm_fn.render.kustomization import KUSTOMIZATIONS
from krm_fn.render.sources import Inputs, SourceText
from krm_fn.render.tools import HelmOptions
from krm_fn.report.table import Screen
from krm_fn.wire.reader import read_yaml
from krm_fn.wire.results import stderr_lines

_NEXT_OF_DEPLOYERS = {
    "argocd": "write `plugin: {{}}` into the source of the Application, for the plugin of docs/deployers/argo-cd.md",
    "flux": "krm-fn render {path}; run it in CI and push the result: Flux runs no functions",
}
_NEXT_OF_DOORS = {
    Door.KUSTOMIZE: "kustomize build --enable-alpha-plugins --enable-exec {path}",
    Door.KPT: "kpt fn render {path} --allow-exec",
    Door.CHART: (
        "helm upgrade --install RELEASE {path} --namespace {namespace} "
        "--post-renderer krm-fn --post-renderer-args render --post-renderer-args - "
        "--post-renderer-args --config --post-renderer-args {config}"
    ),
    Door.FOLDER: "krm-fn render {path}",
}
_ADOPT = "if it runs already, sync once with strategy: adopt, as docs/migration.md says"


class Surroundings(NamedTuple):
    """How the first rendering reads a directory, and how all is written."""

    helm: HelmOptions
    environment: Environment
    limits: Limits
    screen: Screen


def init(directory: Path, wishes: Wishes, around: Surroundings, *, is_dry_run: bool) -> Outcome:
    """Write what is missing, and sum up a rendering with it. The exit code is 1 where a person has to add something."""
    said: list[str] = []
    try:
        door, allowance = find_door(directory, wishes), Allowance(around.limits)
        wishes = complete(directory, door, wishes, allowance)
        planned = plan(directory, door, wishes, allowance)
        for one in planned:
            if not is_dry_run and one.data is not None:
                _write(one.file, one.before, one.data)
            said += _say(one, is_dry_run=is_dry_run)
    except OSError as error:
        return Outcome(_join(said), stderr_lines([unreadable(str(error.filename), error)]), 1)
    except Rejected as rejected:
        return Outcome(b"", stderr_lines(rejected.problems), 1)
    # From memory, so that a dry run sums up the same rendering.
    inputs = Inputs((str(directory),), draft=_draft(planned[0]))
    rendering = sum_up_rendering(inputs, around.helm, around.environment, around.limits, around.screen)
    steps = [f"next: {one}" for one in _steps(directory, door, wishes, planned[0].file)]
    summary = rendering.stdout.decode().splitlines()
    shown = [*said, "", *summary, *([""] if summary else []), *steps]
    is_complete = not rendering.exit_code and not any(one.by_hand for one in planned)
    return Outcome(_join(shown), rendering.stderr, int(not is_complete))


def _join(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _write(file: Path, before: bytes, data: bytes) -> None:
    """Write a file that is longer than before, or a new one. A full disk leaves what was there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # `x`, as a file that has come meanwhile is somebody's: nothing that is there is replaced (decision 64).
    with file.open("r+b" if before else "xb", buffering=0) as opened:
        try:
            _write_all(opened, data)
        except OSError as error:
            opened.seek(0)
            opened.write(before)
            opened.truncate()
            if not before:
                file.unlink()
            raise OSError(error.errno, error.strerror, str(file)) from error


def _write_all(opened: RawIOBase, data: bytes) -> None:
    # A disk that becomes full takes a part.
    if opened.write(data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _draft(config: Planned) -> SourceText | None:
    """Return the configuration, whether it is written already or not; None where it is in the kustomization."""
    if config.file.name in KUSTOMIZATIONS:
        return None
    data = config.before if config.data is None else config.data
    if config.file.name == KPTFILE:
        found = [settings for root in read_yaml(data).roots for _, settings in find_in_kptfile(root)]
        data = json.dumps(found[0] and plain_value(found[0])).encode()
    return SourceText(str(config.file), data)


def _say(one: Planned, *, is_dry_run: bool) -> Iterator[str]:
    would = "would be " if is_dry_run and one.data is not None else ""
    yield printable(f"{one.file}: {would}{one.said}")
    yield from (f"  {line}" for line in one.by_hand.splitlines())
    if is_dry_run and one.data is not None:
        before, after = (text.decode(errors="replace").splitlines() for text in (one.before, one.data))
        # No lines around those that change: a kustomization may hold values of Secrets.
        changed = [*unified_diff(before, after, n=0, lineterm="")][2:]
        yield from (f"  {printable(line)}" for line in changed if not line.startswith("@@"))


def _steps(directory: Path, door: Door, wishes: Wishes, config: Path) -> Iterator[str]:
    steps = [_NEXT_OF_DEPLOYERS[name] for name in wishes.deployers if name in _NEXT_OF_DEPLOYERS]
    if not steps or {*wishes.deployers} - {*_NEXT_OF_DEPLOYERS}:
        steps.append(_NEXT_OF_DOORS[door])
    path = shlex.quote(os.path.relpath(directory))
    for step in steps:
        yield step.format(path=path, namespace=wishes.namespace, config=shlex.quote(str(config)))
    yield _ADOPT
