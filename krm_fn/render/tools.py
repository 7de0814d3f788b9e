"""The programs that build a directory: kustomize or kubectl, and helm."""

import os
import re
import shutil
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from krm_fn.model.node import get, text
from krm_fn.model.problem import Problem, Rejected, Severity
from krm_fn.model.settings import KIND
from krm_fn.render.chart import check_chart
from krm_fn.render.files import Files, check_named
from krm_fn.render.kustomization import KUSTOMIZATIONS, check_kustomization
from krm_fn.render.kustomize_copy import copied, graft, may_be_rounded
from krm_fn.render.limits import Allowance
from krm_fn.render.place import placed_in
from krm_fn.render.program import run_program
from krm_fn.wire.reader import read_yaml

CHART = "Chart.yaml"
_BUILD = {"kustomize": "build", "kubectl": "kustomize"}
_LINES_OF_STDERR = 3

# If a reference is ambiguous, kustomize prints the candidates with their data, Secrets too. And it quotes what it
# cannot read: all literals of a generator, a line of variables, a patch, a field.
_VALUES = re.compile(
    r"""(?:^[\s-]*|[{,:[]\s*)["']?(?:apiVersion|kind|metadata|data|stringData|binaryData)["']?:"""
    r"|(?P<introduction>literal sources?|node contents:|has invalid utf8 bytes|with config:|patch from) "
)
_LEFT_OUT = " ... (the rest may show a value)"

# What names krm-fn directly is found before. It may also come from a folder or an address in `transformers`.
_PLUGINS_OFF = "external plugins disabled"
_NO_FUNCTIONS = (
    "; functions of a kustomization are off here, but for krm-fn as the last of the `transformers`: list its file there"
)

# git uses no protocol, and what speaks HTTP finds only a proxy that cannot exist. It is for what nobody can see before
# the build: kustomize can put a URL together. Go's HTTP client takes no proxy to `localhost`.
_NO_PROXY = "http://127.0.0.1:0"
_OFFLINE = {
    "GIT_ALLOW_PROTOCOL": "",
    **dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"), _NO_PROXY),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), ""),
}


class HelmOptions(NamedTuple):
    """Arguments of `helm template` besides the chart. Without `release` it is named like the chart."""

    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()
    kube_version: str = ""
    api_versions: str = ""


class Built(NamedTuple):
    """What a program printed on stdout, and its stderr as warnings.

    `again` is what it printed when it was run a second time; empty for programs whose output is always the same.
    `configuration`: the file and the text of that of krm-fn, which is to run after kustomize. `bases` are the other
    local directories that it read.
    """

    command: str
    stdout: bytes
    remarks: list[Problem]
    again: bytes = b""
    configuration: tuple[Path, bytes] | None = None
    bases: Sequence[Path] = ()


def built_from(directory: Path) -> str:
    """Return the file that a directory is built from; `""` for a plain folder of manifests."""
    return next((name for name in (*KUSTOMIZATIONS, CHART) if (directory / name).is_file()), "")


def build(directory: Path, helm: HelmOptions, allowance: Allowance) -> Built:
    """Build a directory with kustomize or helm. Raises Rejected with what the program printed on stderr.

    kustomize gets none of its options, so functions, plugins and charts in a kustomization are off. It builds a copy
    without krm-fn if that is the last function.
    """
    file = built_from(directory)
    # Absolute: kustomize clones `github.com/a/b` even if it is a directory, and helm looks for `a/b` in a repository.
    path = str(directory.absolute())
    if file == CHART:
        program = _find(directory, file, "helm")
        check_chart(directory, allowance)
        _check_values(helm, allowance)
        command = [program, "template", *_helm_options(helm), "--", _release(directory, helm, allowance), path]
        built = _run(directory, command, allowance)
        # Charts make passwords and certificates anew on every rendering: only a second one shows which.
        return built._replace(again=_run(directory, command, allowance).stdout)
    program = _find(directory, file, "kustomize", "kubectl")
    command = [program, _BUILD[program], "--"]
    bases, tree = check_kustomization(directory, allowance)
    if tree is None:
        return _run(directory, [*command, path], allowance)._replace(bases=bases)
    with copied(tree) as copy:
        command.append(str(copy.directory))
        built = _run(directory, command, allowance, copy.original)
        data = copy.restore(built.stdout)
        if may_be_rounded(data):
            copy.select_nothing()
            with placed_in(built.command):
                data = graft(_run(directory, command, allowance, copy.original).stdout, data)
    return built._replace(stdout=data, configuration=tree.configuration, bases=bases)


def _check_values(helm: HelmOptions, allowance: Allowance) -> None:
    for values in helm.values:
        if "://" not in values:
            check_named(values, allowance)
        elif allowance.limits.no_remote:
            raise Rejected(Problem("is remote, which --no-remote refuses; pass a file", file=f"--helm-values {values}"))


def _helm_options(helm: HelmOptions) -> list[str]:
    """Include the chart's CRDs, as Argo CD does, but not its tests, which are not meant to be applied."""
    return [
        *("--include-crds", "--skip-tests"),
        *(("--namespace", helm.namespace) if helm.namespace else ()),
        *(argument for file in helm.values for argument in ("--values", file)),
        *(("--kube-version", helm.kube_version) if helm.kube_version else ()),
        *(("--api-versions", helm.api_versions) if helm.api_versions else ()),
    ]


def _release(directory: Path, helm: HelmOptions, allowance: Allowance) -> str:
    """Return the name of the release. The chart's own does not depend on where the directory was checked out."""
    if helm.release:
        return helm.release
    file = directory / CHART
    with placed_in(str(file)):
        roots = read_yaml(Files(allowance.limits.root or directory, allowance).read(file)).roots
    return text(get(roots[0], "name")) if roots else ""


def _find(directory: Path, file: str, *programs: str) -> str:
    for program in programs:
        if shutil.which(program):
            return program
    either = f"neither {' nor '.join(programs)} is" if programs[1:] else f"{programs[0]} is not"
    raise _rejected(directory, f"has a {file}, but {either} on PATH; install {'one' if programs[1:] else 'it'}")


def _run(
    directory: Path, command: list[str], allowance: Allowance, original: Callable[[bytes], bytes] = bytes
) -> Built:
    """Run a program. `original` gives what it prints about a copy the paths of the directory."""
    called = " ".join(command[:2])
    environment = {**os.environ, **(_OFFLINE if allowance.limits.no_remote else {})}
    try:
        done = run_program(command, environment, allowance)
    except OSError as error:
        raise _rejected(directory, f"{called} cannot be run: {error.strerror}") from error
    if done.too_slow:
        raise Rejected(allowance.too_slow(str(directory), called))
    name = f"{called} {directory}"
    allowance.take(len(done.stdout), name)
    lines = _first_lines(original(done.stderr).decode(errors="replace"))
    if done.code:
        said = " ".join(lines) or "no output on stderr"
        hint = _NO_FUNCTIONS if _PLUGINS_OFF in said and KIND in said else ""
        raise _rejected(directory, f"{called} {_ended(done.code)}: {said}{hint}")
    remarks = [Problem(f"{called}: {line}", severity=Severity.WARNING, file=str(directory)) for line in lines]
    return Built(name, done.stdout, remarks)


def _ended(code: int) -> str:
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"


def _first_lines(stderr: str) -> list[str]:
    """Return the first lines, up to where a manifest or a value begins."""
    lines: list[str] = []
    for line in stderr.splitlines():
        value = _VALUES.search(line)
        end = len(line) if value is None else max(value.start(), value.end("introduction"))
        shown = " ".join(line[:end].split())
        if len(lines) == _LINES_OF_STDERR or (value and not shown):
            break
        if value:
            return [*lines, shown + _LEFT_OUT]
        lines += [shown] if shown else []
    return lines


def _rejected(directory: Path, message: str) -> Rejected:
    return Rejected(Problem(message, file=str(directory)))
