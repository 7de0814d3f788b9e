"""The command line. Nothing heavy is imported before a command is chosen."""

import gc
import os
import signal
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from threading import Event
from typing import TypeVar

import click

from krm_fn import __version__
from krm_fn.model import link_plan
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.kinds import Kind
from krm_fn.model.link_plan import LinkPlan, RevisionName, Workload
from krm_fn.model.printable import printable
from krm_fn.model.problem import Outcome
from krm_fn.model.settings import Environment
from krm_fn.stdio import read_stdin, write_stderr, write_stdout

_T = TypeVar("_T")


class _Path(click.Path):
    """A file or a directory, for shell completion. What cannot be read is reported by who reads it."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Refuse a variable that nobody has set: pathlib would read the current directory instead."""
        if not value:
            self.fail("found an empty path", param, ctx)
        return super().convert(value, param, ctx)


_PATH = _Path(readable=False)


def _reader(read: Callable[[str], _T]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[_T, ...]]:
    """Make a callback that reads every value of an option."""

    def convert(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[_T, ...]:
        try:
            return tuple(map(read, values))
        except link_plan.Unreadable as error:
            raise click.BadParameter(str(error)) from error

    return convert


_MAX_BYTES = click.option(
    "--max-bytes",
    metavar="NUMBER",
    type=click.IntRange(min=1),
    default=100_000_000,
    show_default=True,
    help="Limit of all that is read, also from kustomize and helm.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def krm_fn() -> None:
    """Name ConfigMaps by their content, and update all references.

    Without arguments this is a KRM function: a ResourceList on stdin, a ResourceList on stdout. With a file as its
    only argument (./config, config.yaml) it is a kustomize exec plugin, and the file is its configuration.
    """


@krm_fn.command(short_help="Print manifests that are ready to be applied.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=_PATH)
@click.option(
    "--config",
    metavar="FILE",
    type=_PATH,
    help="The configuration. Default: krm-fn.yaml in a PATH, or one among the objects.",
)
@click.option(
    "--namespace",
    metavar="NAME",
    default="",
    envvar="ARGOCD_APP_NAMESPACE",
    show_envvar=True,
    help="The namespace of objects that set none, and of the Helm release.",
)
@click.option("--strict", is_flag=True, help="Treat the function's warnings as errors, as `spec.strict` does.")
@click.option("--check", is_flag=True, help="Fail if deploying this would prune what running pods use.")
@click.option(
    "--deployed",
    metavar="PATH",
    type=_PATH,
    help="For --check: a dump of what is deployed, or the last rendering. - is stdin.",
)
@click.option(
    "--root",
    metavar="DIRECTORY",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read nothing outside of this directory. Default: in a plugin of Argo CD, the repository, found with "
    "ARGOCD_APP_SOURCE_PATH; elsewhere, links may lead to nothing outside of their PATH.",
)
@_MAX_BYTES
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.IntRange(min=1),
    default=300,
    show_default=True,
    help="Time limit of kustomize and helm, all runs together.",
)
@click.option("--no-remote", is_flag=True, help="Let kustomize and helm fetch nothing: no remote bases, no URLs.")
@click.option(
    "--linker-image",
    metavar="IMAGE",
    help="Pin the image of the linker's Job: the configuration may not set another.",
)
@click.option(
    "--helm-release",
    metavar="NAME",
    default="",
    envvar="ARGOCD_APP_NAME",
    show_envvar=True,
    help="Also names the set of a rendering without a configuration.",
)
@click.option("--helm-values", metavar="FILE", type=_PATH, multiple=True, help="Can be given several times.")
@click.option("--helm-kube-version", metavar="VERSION", default="", envvar="KUBE_VERSION", show_envvar=True)
@click.option("--helm-api-versions", metavar="LIST", default="", envvar="KUBE_API_VERSIONS", show_envvar=True)
def render(  # noqa: PLR0913  # click hands over every option by its name
    *,
    paths: tuple[str, ...],
    config: str | None,
    namespace: str,
    strict: bool,
    check: bool,
    deployed: str | None,
    root: Path | None,
    max_bytes: int,
    timeout: int,
    no_remote: bool,
    linker_image: str | None,
    helm_release: str,
    helm_values: tuple[str, ...],
    helm_kube_version: str,
    helm_api_versions: str,
) -> Outcome:
    """Print manifests that are ready for `kubectl apply -f -`.

    A PATH is a file, a directory, or - for stdin. Default: the current directory. kustomize or kubectl builds a
    directory with a kustomization, helm one with a Chart.yaml. In any other directory, and in those below, all *.yaml,
    *.yml and *.json files are read that are not hidden.

    Objects for tools are left out: those with the annotation config.kubernetes.io/local-config, configurations of
    functions, Kptfiles and kustomizations. After an error, or if there is nothing to apply, nothing is printed.

    With --check it is an error if a deployed ConfigMap or Secret would be pruned because it gets another name. The
    annotation that prevents this must be on the live object, one sync earlier.

    The --helm options are for charts. The default release name is the chart's name. Argo CD sets the environment
    variables of the other options. KRM_FN_IMAGE is the image of the linker's Job, unless the configuration sets one.
    KRM_FN_LINKER_IMAGE, KRM_FN_LINKER_SERVICE_ACCOUNT_NAME, KRM_FN_LINKER_NODE_SELECTOR and KRM_FN_LINKER_TOLERATIONS
    pin settings of the Job: then the configuration may not set others.
    """
    from krm_fn.config.pins import find_pins  # noqa: PLC0415  # not for --help
    from krm_fn.naming.names import set_name  # noqa: PLC0415  # likewise
    from krm_fn.render.limits import Limits  # noqa: PLC0415  # likewise
    from krm_fn.render.render import render as render_paths  # noqa: PLC0415  # likewise
    from krm_fn.render.sources import Inputs  # noqa: PLC0415  # likewise
    from krm_fn.render.tools import HelmOptions  # noqa: PLC0415  # likewise

    gc.disable()  # as for the function: nodes hold no cycles
    paths = paths or (".",)
    _check_usage(paths, deployed, check=check)
    limits = Limits(root or _find_root(), max_bytes, timeout, no_remote)
    awaited = "manifests" if "-" in paths else "what is deployed"
    stdin = read_stdin(awaited, max_bytes + 1) if "-" in (*paths, deployed) else None
    helm = HelmOptions(helm_release, namespace, helm_values, helm_kube_version, helm_api_versions)
    environment = Environment(
        image=os.environ.get("KRM_FN_IMAGE", ""),
        namespace=namespace,
        set=set_name(helm_release) if helm_release else "",
        strict=strict,
        pins=find_pins(os.environ, linker_image),
    )
    outcome = render_paths(Inputs(paths, config, stdin), helm, environment, limits)
    if deployed is None:
        return outcome
    from krm_fn.render.check import check as check_deployed  # noqa: PLC0415  # not for every rendering

    return check_deployed(outcome, deployed, stdin, namespace, limits)


def _find_root() -> Path | None:
    """Find Argo CD's copy of the repository, if this is a plugin of Argo CD."""
    from krm_fn.render.root import find_root  # noqa: PLC0415  # not for --help

    source_path = os.environ.get("ARGOCD_APP_SOURCE_PATH")
    return None if source_path is None else find_root(Path.cwd(), source_path)


def _check_usage(paths: tuple[str, ...], deployed: str | None, *, check: bool) -> None:
    if check and deployed is None:
        message = "--check needs --deployed PATH: what is deployed now"
        raise click.UsageError(message)
    if deployed is not None and not check:
        message = "--deployed needs --check"
        raise click.UsageError(message)
    if deployed == "-" and "-" in paths:
        message = "only one of PATH and --deployed can be stdin"
        raise click.UsageError(message)


@krm_fn.command(short_help="Check manifests that are about to be applied.")
@click.argument("path", metavar="[PATH]", default="-", type=_PATH)
@click.option(
    "--config",
    metavar="FILE",
    type=_PATH,
    help="The configuration. Default: krm-fn.yaml in PATH, or those among the objects.",
)
@click.option("--set", "sets", metavar="NAME", multiple=True, help="A set that must have a revision. Can be repeated.")
@click.option(
    "--deployer",
    "deployers",
    type=click.Choice([*PROTECTIONS]),
    multiple=True,
    help="What applies the manifests. Can be repeated. Default: those of the configuration.",
)
@click.option(
    "--namespace",
    metavar="NAME",
    default="",
    envvar="ARGOCD_APP_NAMESPACE",
    show_envvar=True,
    help="The namespace of objects that set none.",
)
@_MAX_BYTES
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
def verify(  # noqa: PLR0913  # click hands over every option by its name
    *,
    path: str,
    config: str | None,
    sets: tuple[str, ...],
    deployers: tuple[str, ...],
    namespace: str,
    max_bytes: int,
    strict: bool,
) -> Outcome:
    """Check that manifests are consistent before they are applied, after everything else that changes them.

    PATH is a file, a directory of manifests, or - for stdin, which is the default. Each finding is one line on stderr,
    and the exit code is 1. If nothing is found, one line says what was verified. Nothing is printed on stdout, except
    for a ResourceList: it is printed with the findings as its results, as kpt expects of a validator.

    \b
    Findings are:
    - a set without any revision, because the function did not run
    - a revision whose content is no longer that of its name
    - a reference with the base name of a revision, or with a former name
    - a revision that one of the deployers would prune
    - a linker whose Job, inventory, trackers or Role do not fit the manifests
    - with a configuration: a selected object that is no revision, and a checksum of other content

    A reference to an older revision, which may be in the cluster, is a warning.

    Which sets must have a revision: those of --set, those with a linker, and those of which the configuration finds
    objects. If none of these says anything, there must be a revision of any set.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.verify.verify import Options  # noqa: PLC0415  # not for --help
    from krm_fn.verify.verify import verify as verify_path  # noqa: PLC0415  # likewise

    gc.disable()  # as for the function: nodes hold no cycles
    stdin = read_stdin("manifests", max_bytes + 1) if path == "-" else None
    return verify_path(path, stdin, Options(config, sets, deployers, namespace, strict, max_bytes))


@krm_fn.command(short_help="Link revisions to the objects that reference them. The emitted Job runs this.")
@click.option("--set", "set_name", metavar="NAME", required=True, help="The set: metadata.name of its configuration.")
@click.option(
    "--workload",
    "workloads",
    metavar="OBJECT=REVISIONS",
    multiple=True,
    callback=_reader(link_plan.read_workload),
    help="Wait until it references them: apps/v1/Deployment/web=ConfigMap/web-config-5t7h9k2b4c,Secret/...",
)
@click.option(
    "--revision",
    "revisions",
    metavar="KIND/NAME",
    multiple=True,
    callback=_reader(link_plan.read_revision),
    help="Another rendered revision, which must not be deleted.",
)
@click.option(
    "--kind",
    "kinds",
    metavar="KIND",
    multiple=True,
    callback=_reader(link_plan.read_kind),
    help="A custom resource that may reference revisions: example.com/v1/Widget/widgets",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.IntRange(min=1),
    default=300,
    show_default=True,
    help="Time limit of the run.",
)
@click.option(
    "--minimum-age",
    metavar="SECONDS",
    type=click.IntRange(min=0),
    default=600,
    show_default=True,
    help="Minimum age before an unreferenced revision is deleted.",
)
@click.option(
    "--namespace", "-n", metavar="NAME", help="Default: the pod's own, else that of the kubeconfig's context."
)
@click.option("--context", metavar="NAME", help="Context of the kubeconfig.")
@click.option("--dry-run", is_flag=True, help="Print the changes without making them.")
@click.option("--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def link(  # noqa: PLR0913  # click hands over every option by its name
    *,
    set_name: str,
    workloads: tuple[Workload, ...],
    revisions: tuple[RevisionName, ...],
    kinds: tuple[Kind, ...],
    timeout: int,
    minimum_age: int,
    namespace: str | None,
    context: str | None,
    dry_run: bool,
    output: str,
) -> Outcome:
    """Make every object that references a revision of a set its owner, and delete revisions that nothing references.

    The command first waits until the workloads reference their revisions. It only adds owners. Before it deletes a
    revision it waits ten seconds and looks at everything again. You can run it at any time and as often as you like.
    Changes are printed on stdout; what it waits for, warnings and errors on stderr.

    Exit codes: 0 success, with warnings on stderr for what could not be linked or deleted; 1 a live object references
    a revision that does not exist, or there are no credentials; 2 wrong arguments; 130 or 143
    interrupted or terminated, run again to finish.
    """
    plan = LinkPlan(
        set=set_name, workloads=workloads, revisions=revisions, kinds=kinds, timeout=timeout, minimum_age=minimum_age
    )
    try:
        from krm_fn.linker.run import Options, run  # noqa: PLC0415  # the Kubernetes client is large
    except ModuleNotFoundError as error:
        message = f"needs the Python package {error.name}: pip install 'krm-fn[linker]'"
        raise click.ClickException(message) from error
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    return run(plan, Options(namespace, context, dry_run, as_json=output == "json"), stop, _print_line, _say)


def _print_line(line: str) -> None:
    """Print at once, also into a pipe: a Job's log is read while it runs."""
    write_stdout(f"{line}\n".encode())


def _say(line: str) -> None:
    """Say what the run waits for, on stderr: stdout may be JSON."""
    write_stderr(f"{line}\n")


def main(arguments: list[str]) -> Outcome:
    """Run a command. What click prints itself, which is help and the version, is in the outcome too."""
    printed = StringIO()
    # Not `krm_fn.main`: it lets a variable turn every command into a request for shell completion.
    try:
        with redirect_stdout(printed), krm_fn.make_context("krm-fn", list(arguments)) as context:
            outcome: Outcome = krm_fn.invoke(context)
            return outcome
    except click.exceptions.Exit as done:
        return Outcome(printed.getvalue().encode(), "", done.exit_code)
    except click.ClickException as error:
        failed = error.ctx if isinstance(error, click.UsageError) else None
        command = failed.command_path if failed else "krm-fn"
        message = printable(" ".join(error.format_message().rstrip(".").split("\n")))
        return Outcome(b"", f"error: {message}; see {command} --help\n", error.exit_code)
