"""Files in, Outcome out, from inside their folder so that sentences name them shortly."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.base.settings import NO_ENVIRONMENT, Environment
from krm_fn.report.secrets import stderr_lines
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS, Limits
from krm_fn.tools.opened.sources import Inputs
from krm_fn.tools.render.render import render_stream

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {A: b}\n"
REVISIONS = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
LEFT_ALONE = "nothing renamed, 1 left alone (krm-fn explain PATH says why)\n"
WITHOUT_LINKER = REVISIONS + "spec: {linker: {enabled: false}}\n"


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


def render(
    inputs: Inputs,
    helm: HelmOptions,
    environment: Environment = NO_ENVIRONMENT,
    limits: Limits = DEFAULT_LIMITS,
) -> Outcome:
    """Render as the command does, without starting it."""
    found = render_stream(inputs, helm, environment, limits)
    stderr = stderr_lines(found.problems)
    if found.failed:
        return Outcome(b"", stderr, 1)
    return Outcome(found.stream.encode(), stderr, 0, f"{found.summary}\n")


def render_in(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *paths: str,
    config: str | None = None,
    stdin: bytes | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Outcome:
    monkeypatch.chdir(folder)
    return render(Inputs(paths or (".",), config, stdin), HelmOptions(), limits=limits)
