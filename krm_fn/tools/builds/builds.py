"""Build a directory with kustomize or kubectl, or with helm.

What they would read is checked before. What they print on stderr may show values, so only what is
known to show none is passed on.
"""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import MappingProxyType

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, text
from krm_fn.base.problem import Problem, Rejected, ResourceId, Severity
from krm_fn.base.settings import KIND
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.tools.builds.affixes import find_affixes, find_own_affixes
from krm_fn.tools.builds.check_chart import check_chart
from krm_fn.tools.builds.check_kustomization import Checked, check_kustomization, read_tree
from krm_fn.tools.builds.kustomization import (
    Marked,
    builds_only_krm_fn,
    find_local_bases,
    find_plugins,
    find_ways_out,
    lists_krm_fn,
    runtimes_of,
    shown_path,
)
from krm_fn.tools.builds.kustomize_copy import (
    KustomizeCopy,
    copied,
    graft,
    may_be_rounded,
    plain_plugins,
    read_notes,
    write_around,
)
from krm_fn.tools.builds.listed_charts import ListedChart
from krm_fn.tools.builds.named_fields import named_fields
from krm_fn.tools.common.files import (
    CHART,
    SHARED,
    Allowance,
    Files,
    built_from,
    check_named,
    is_sharing_folder,
    prove_below,
)
from krm_fn.tools.common.opened_texts import placed_in
from krm_fn.tools.common.program import (
    Program,
    end_with_output,
    run_program,
    tell_everything,
    temporary_folder,
)

__all__ = [
    "HelmOptions",
    "Marked",
    "build",
    "builds_only_krm_fn",
    "find_affixes",
    "find_local_bases",
    "find_own_affixes",
    "find_plugins",
    "find_ways_out",
    "lists_krm_fn",
    "named_fields",
    "runtimes_of",
]

# Helm 3 takes hooks out before it runs a post-renderer, also 3.22 (pkg/action/action.go,
# `renderResources`). Helm 4 passes them (helm/helm 30968).
_HOOK = b"helm.sh/hook"
_PASSES_HOOKS = 4
_READS_ANYWHERE = "--load-restrictor=LoadRestrictionsNone"
_BUILD = {"kustomize": "build", "kubectl": "kustomize"}
_MOST_REMARKS = 10
_USE_DEBUG = "Use --debug flag to render out invalid YAML"
"""The end of a message of helm. It would print values."""

# What names krm-fn directly, or in a folder, is found before. It may also come from an address in
# `transformers`.
_PLUGINS_OFF = "external plugins disabled"
_NO_FUNCTIONS = (
    "; functions of a kustomization are off here, but for krm-fn as the last of the "
    "`transformers`: list its file there, or a folder that builds it"
)

_PIPED = "; plugins are off here: kustomize build --enable-alpha-plugins --enable-exec {} | krm-fn render -"

# git uses no protocol, and what speaks HTTP finds only a proxy that cannot exist. It is for what
# nobody can see before the build: kustomize can put a URL together. Go's HTTP client takes no proxy
# to `localhost`.
_NO_PROXY = "http://127.0.0.1:0"
_OFFLINE = {
    "GIT_ALLOW_PROTOCOL": "",
    **dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"), _NO_PROXY),
    **dict.fromkeys(("NO_PROXY", "no_proxy"), ""),
}


class HelmOptions(NamedTuple):
    """Arguments of `helm template` besides the chart.

    Without `release` it is named like the chart.
    """

    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()
    kube_version: str = ""
    api_versions: str = ""


class Built(NamedTuple):
    """The stdout of a program, and its stderr as warnings.

    `configured_by`: what has printed that text; empty for a file. `written`: the file that a person
    edits, and its text with the set that was printed, where nothing else differs.

    `again` is what it printed when it was run a second time; empty for programs whose output is
    always the same. `configuration`: the file and the text of that of krm-fn, which is to run after
    kustomize. `is_early`: kustomize itself would run it before its end. `bases` are the other local
    directories that it read. `notes`: what kustomize knew of the names of objects, as its
    annotations, where that is not in the text. `marked`: what its kustomizations say of the names
    of objects, where no annotation in the text does. `loses_hooks`: helm would not pass the hooks
    among the objects to a post-renderer.
    """

    command: str
    stdout: bytes
    remarks: list[Problem]
    again: bytes = b""
    configuration: tuple[Path, bytes] | None = None
    configured_by: str = ""
    written: tuple[Path, bytes] | None = None
    is_early: bool = False
    bases: Sequence[Path] = ()
    notes: Mapping[ResourceId, dict[str, str]] = {}  # of a tuple, whose fields nobody changes
    marked: Mapping[Marked, str] = {}
    loses_hooks: bool = False


def build(directory: Path, helm: HelmOptions, allowance: Allowance) -> Built:
    """Build a directory with kustomize or helm.

    Raises Rejected with what the program printed on stderr.

    kustomize gets no option that runs something, so functions and plugins in a kustomization are
    off, and charts too unless they are asked for. It builds a copy without krm-fn if that is the last
    function, and where charts are to be fetched.
    """
    file = built_from(directory)
    # Absolute: kustomize clones `github.com/a/b` even if it is a directory, and helm looks for
    # `a/b` in a repository.
    path = str(directory.absolute())
    if file == CHART:
        program = _find(directory, file, "helm")
        check_chart(directory, allowance, allowance.limits.root)
        _check_values(helm, allowance)
        command = [
            program,
            "template",
            *_helm_options(helm),
            "--",
            _release(directory, helm, allowance),
            path,
        ]
        built = _run(directory, command, allowance)
        # Charts make passwords and certificates anew on every rendering: only a second one shows
        # which.
        again = _run(directory, command, allowance).stdout
        loses_hooks = _HOOK in built.stdout and not _passes_hooks(program, directory, allowance)
        return built._replace(again=again, loses_hooks=loses_hooks)
    built = _build_kustomization(directory, file, helm, allowance)
    folder = directory / SHARED
    if built.configuration or not is_sharing_folder(folder):
        return built
    # Nobody lists this folder: it is built as if somebody did.
    program = _find(folder, built_from(folder), "kustomize", "kubectl")
    tree = read_tree(folder, allowance)
    shared = _build_plugins(folder.resolve(), [program, _BUILD[program]], allowance)
    return built._replace(
        configuration=(Path(SHARED), shared),
        configured_by=f"{program} {_BUILD[program]}",
        written=tree.find_written(shared, directory.resolve()),
    )


def _passes_hooks(program: str, directory: Path, allowance: Allowance) -> bool:
    """Tell whether this helm passes hooks to a post-renderer, as Helm 4 does. Of an unknown one, it is not assumed."""
    said = _run(directory, [program, "version", "--short"], allowance).stdout.decode(
        errors="replace"
    )
    found = re.match(r"v?(\d+)\.", said)
    return found is not None and int(found[1]) >= _PASSES_HOOKS


def _build_kustomization(
    directory: Path, file: str, helm: HelmOptions, allowance: Allowance
) -> Built:
    program = _find(directory, file, "kustomize", "kubectl")
    checked = _check_with_folders(directory, [program, _BUILD[program]], allowance)
    # Without a chart or a path that has been checked, kustomize gets no such option: a remote base
    # may have others.
    options = _chart_options(helm) if checked.charts else []
    if checked.reads_anywhere:
        options.append(_READS_ANYWHERE)
    kustomize = _Kustomize(
        directory, [program, _BUILD[program], *options, "--"], allowance, checked
    )
    missing = [chart for chart in checked.charts if not chart.is_here]
    for chart in checked.charts:
        _find(directory, f"{file} with a chart", "helm")
        if chart.is_here:
            check_chart(Path(os.path.relpath(chart.folder)), allowance, allowance.limits.root)
    if checked.tree is None and not missing:
        plain = kustomize.run(directory.absolute())
        return plain._replace(notes=kustomize.take_notes() if checked.has_affixes else {})
    tree = checked.tree or read_tree(directory, allowance)
    with copied(tree) as copy:
        for chart in missing:
            _pull(directory, chart, copy, allowance)
        if checked.tree is None:
            plain = kustomize.run(copy.plain, copy.original)
            notes = (
                kustomize.run(copy.directory, copy.original).stdout if checked.has_affixes else b""
            )
            return plain._replace(notes=read_notes(copy.restore(notes)) if notes else {})
        built = kustomize.run_copy(copy)._replace(configuration=tree.configuration, is_early=True)
        config = tree.function.built if tree.function is not None else b""
        if not config:
            return built
        written = tree.find_written(config, tree.directory)
        return built._replace(configured_by=f"{program} {_BUILD[program]}", written=written)


def _check_with_folders(directory: Path, command: list[str], allowance: Allowance) -> Checked:
    """Check a kustomization, and whether krm-fn is in a folder among its plugins.

    Such a folder is built by itself, without functions, once everything in it has been checked.
    """
    checked = check_kustomization(directory, allowance)
    # What a folder in a folder builds is not checked yet.
    if checked.reads_anywhere and not checked.folders[1:]:
        command = [*command, _READS_ANYWHERE]
    built: dict[Path, bytes] = {}
    for folder in checked.folders:
        if folder.path not in built:
            built[folder.path] = _build_plugins(
                folder.path, command, allowance, is_offline=checked.is_offline
            )
    return check_kustomization(directory, allowance, built) if built else checked


def _build_plugins(
    folder: Path, command: list[str], allowance: Allowance, *, is_offline: bool = False
) -> bytes:
    """Build a folder as kustomize does to run what is in it: objects for tools stay, and no name gets a hash."""
    with temporary_folder() as around:
        write_around(around, folder, plain_plugins())
        built = _run(
            shown_path(folder),
            [*command, "--", str(around)],
            allowance,
            lambda said: said.replace(os.fsencode(around), os.fsencode(folder)),
            {"TMPDIR": str(around)},
            is_offline=is_offline,
        )
    with placed_in(built.command):
        read_yaml(built.stdout)  # it is read again where it is used, and no more can go wrong
    return built.stdout


class _Kustomize(NamedTuple):
    """kustomize for one directory.

    What it may read has been checked; where that includes charts or other folders, it runs offline.
    """

    directory: Path
    command: list[str]
    allowance: Allowance
    checked: Checked

    def run(self, folder: Path, original: Callable[[bytes], bytes] = bytes) -> Built:
        """Build a folder: the directory, or a copy of it.

        Twice, if charts may make something anew.
        """
        built, *again = (
            self._run(folder, original) for _ in range(2 if self.checked.charts else 1)
        )
        second = again[0].stdout if again else b""
        return built._replace(again=second, bases=self.checked.bases, marked=self.checked.marked)

    def run_copy(self, copy: KustomizeCopy) -> Built:
        """Build a copy without krm-fn, and graft what kustomize knows of names where its numbers are rounded."""
        built = self.run(copy.directory, copy.original)
        stdout, again = copy.restore(built.stdout), copy.restore(built.again)
        if may_be_rounded(stdout):
            copy.select_nothing()
            with placed_in(built.command):
                plain = self.run(copy.directory, copy.original)
                stdout = graft(plain.stdout, stdout)
                again = graft(plain.again, again) if again else b""
        return built._replace(stdout=stdout, again=again)

    def take_notes(self) -> Mapping[ResourceId, dict[str, str]]:
        """Build once more, to learn the former names of objects.

        None where the tree cannot be copied.

        kustomize puts a prefix before the names of objects, but not before the names in kinds that
        it does not know.
        """
        try:
            with copied(read_tree(self.directory, self.allowance)) as copy:
                built = self._run(copy.directory, copy.original)
                return read_notes(copy.restore(built.stdout))
        except Rejected:
            if self.allowance.bytes < 0 or self.allowance.seconds <= 0:
                raise
            return {}  # what then has no name that an object has is warned about

    def _run(self, folder: Path, original: Callable[[bytes], bytes]) -> Built:
        """Run it with a folder of its own for temporary files: when it is killed, it leaves charts and remote bases."""
        command = [*self.command, str(folder)]
        with ExitStack() as stack:
            places: dict[str, str] = {}
            # Without this folder kustomize can make none either, and says so if it needs one.
            with suppress(Rejected):
                places["TMPDIR"] = str(stack.enter_context(temporary_folder()))
            return _run(
                self.directory,
                command,
                self.allowance,
                original,
                places,
                is_offline=self.checked.is_offline,
            )


def _chart_options(helm: HelmOptions) -> list[str]:
    options = ["--enable-helm"]
    if helm.kube_version:
        options += ["--helm-kube-version", helm.kube_version]
    for version in filter(None, helm.api_versions.split(",")):
        options += ["--helm-api-versions", version]
    return options


def _pull(directory: Path, chart: ListedChart, copy: KustomizeCopy, allowance: Allowance) -> None:
    """Fetch a chart, check it, and put it where kustomize looks for it in the copy.

    It is unpacked elsewhere: the name that a chart gives itself may lead to what has been checked
    already.
    """
    home = str(os.path.relpath(chart.home))
    with temporary_folder() as temporary:
        # As kustomize does: neither plugins nor repositories of the user.
        places = dict.fromkeys(
            ("HELM_CONFIG_HOME", "HELM_CACHE_HOME", "HELM_DATA_HOME"), f"{temporary}/helm"
        )
        unpacked = Path(temporary, "charts", "unpacked")
        unpacked.mkdir(parents=True)
        _run(directory, ["helm", *chart.pull_arguments(unpacked)], allowance, more=places)
        pulled = prove_below(unpacked / chart.name, unpacked)
        if not pulled.is_dir():
            raise _rejected(
                directory, f"helm pull has unpacked no chart {chart.name}, which its entry names"
            )
        try:
            check_chart(pulled, allowance, None)
        except Rejected as rejected:
            placed = (
                one._replace(file=one.file.replace(str(unpacked), home))
                for one in rejected.problems
            )
            raise Rejected(*placed) from rejected
        place_in_copy = copy.locate(chart.folder)
        place_in_copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(prove_below(pulled, unpacked), place_in_copy)


def _check_values(helm: HelmOptions, allowance: Allowance) -> None:
    for values in helm.values:
        if "://" not in values:
            check_named(values, allowance)
        elif allowance.limits.no_remote:
            raise Rejected(
                Problem(
                    "is remote, which --no-remote refuses; pass a file",
                    file=f"--helm-values {values}",
                )
            )


def _helm_options(helm: HelmOptions) -> list[str]:
    """Include the chart's CRDs, as Argo CD does, but not its tests, which are not meant to be applied."""
    options = ["--include-crds", "--skip-tests"]
    if helm.namespace:
        options += ["--namespace", helm.namespace]
    for file in helm.values:
        options += ["--values", file]
    if helm.kube_version:
        options += ["--kube-version", helm.kube_version]
    if helm.api_versions:
        options += ["--api-versions", helm.api_versions]
    return options


def _release(directory: Path, helm: HelmOptions, allowance: Allowance) -> str:
    """Return the name of the release.

    The chart's own does not depend on where the directory was checked out.
    """
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
    raise _rejected(
        directory, f"has a {file}, but {either} on PATH; install {'one' if programs[1:] else 'it'}"
    )


def _run(  # noqa: PLR0913  # how a program is run
    directory: Path,
    command: list[str],
    allowance: Allowance,
    original: Callable[[bytes], bytes] = bytes,
    more: Mapping[str, str] = MappingProxyType({}),
    *,
    is_offline: bool = False,
) -> Built:
    """Run a program with `more` variables.

    `original` gives what it prints about a copy the paths of the directory.
    """
    called = " ".join(command[:2])
    environment = {**os.environ, **more}
    if is_offline or allowance.limits.no_remote:
        environment |= _OFFLINE
    done = run_program(Program(called, command, environment, str(directory)), allowance)
    name = f"{called} {directory}"
    allowance.take(len(done.stdout), name)
    said = original(done.stderr).decode(errors="replace").replace(_USE_DEBUG, "").strip()
    everything = (
        tell_everything(called, said, str(directory)) if allowance.limits.is_verbose else []
    )
    if done.code:
        known = end_with_output(said, directory)
        hint = ""
        if _PLUGINS_OFF in known:
            hint = _NO_FUNCTIONS if KIND in said else _PIPED.format(shlex.quote(str(directory)))
        failure = Problem(
            f"{called} exited with code {done.code}{known}{hint}", file=str(directory)
        )
        raise Rejected(*everything, failure)
    return Built(name, done.stdout, everything or _find_remarks(called, said, directory))


def _find_remarks(program: str, said: str, directory: Path) -> list[Problem]:
    """Return what a program that has succeeded said, as far as that is known to show no value."""
    lines = [line for line in said.splitlines() if line.strip()][:_MOST_REMARKS]
    remarks = dict.fromkeys(end_with_output(line, directory) for line in lines)
    return [
        Problem(f"{program}{remark}", severity=Severity.WARNING, file=str(directory))
        for remark in remarks
    ]


def _rejected(directory: Path, message: str) -> Rejected:
    return Rejected(Problem(message, file=str(directory)))
