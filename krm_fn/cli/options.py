"""The options that several commands share: how they write, how paths are rendered, which cluster is asked."""

import os
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.problem import Outcome, printable
from krm_fn.stdio import read_stdin, terminal_size, write_stderr

if TYPE_CHECKING:
    from krm_fn.base.settings import Environment
    from krm_fn.report.table import Screen
    from krm_fn.tools.builds.builds import HelmOptions
    from krm_fn.tools.common.files import Limits
    from krm_fn.tools.opened.opened import Inputs


class _Path(click.Path):
    """A file or a directory, for shell completion.

    The reader of a file reports that it cannot be read.
    """

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str | bytes | os.PathLike[str]:
        """Refuse a variable that nobody has set: pathlib would read the current directory instead."""
        if not value:
            self.fail("found an empty path", param, ctx)
        return super().convert(value, param, ctx)


PATH = _Path(readable=False)

_Command: TypeAlias = Callable[..., Outcome]


def _with_options(command: _Command, options: Sequence[Callable[[_Command], _Command]]) -> _Command:
    # click shows the option last that was added first.
    return reduce(lambda decorated, option: option(decorated), reversed(options), command)


def output_option(
    *formats: str,
    help: str | None = None,  # noqa: A002  # as click calls it
) -> Callable[[_Command], _Command]:
    """Add `-o` to a command, which gets one of the formats as the argument `output`.

    The first is the default.
    """
    return click.option(
        "--output",
        "-o",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help=help,
    )


def _read_colour(_context: click.Context, _parameter: click.Parameter, when: str) -> bool:
    """Return whether to show colours wherever the text goes."""
    if when == "never":
        os.environ["NO_COLOR"] = "1"  # for stderr too, and for all programs that are started
    return when == "always"


colour_option = click.option(
    "--color",
    "wants_colour",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    callback=_read_colour,
    help="Show colours. auto: at a terminal without NO_COLOR, and everywhere with CLICOLOR_FORCE or FORCE_COLOR.",
)
"""Of a text. The command gets the argument `wants_colour`."""


def find_terminal(*, wants_colour: bool) -> "Screen":
    """Return how wide a text may be, and whether it has colours."""
    from krm_fn.report.table import find_screen

    return find_screen(terminal_size().columns, os.environ, wants_colour=wants_colour)


kustomize_option = click.option(
    "--kustomize-options",
    metavar="OPTIONS",
    default="",
    envvar="KUSTOMIZE_BUILD_OPTIONS",
    show_envvar=True,
    help="The options of Argo CD's own kustomize, which a build takes as far as they are safe: --enable-helm, and "
    "'--load-restrictor LoadRestrictionsNone' for files inside --root.",
)

_RENDERING_OPTIONS = (
    click.option(
        "--config",
        metavar="FILE",
        type=PATH,
        multiple=True,
        callback=lambda _context, _parameter, files: _only(files),
        help="The configuration. Another one in a PATH must have the same settings. Default in a plugin of Argo CD: "
        "the parameter `config` of the Application. Otherwise krm-fn.yaml in a PATH, or one among the objects.",
    ),
    click.option(
        "--namespace",
        "-n",
        metavar="NAME",
        default="",
        envvar="ARGOCD_APP_NAMESPACE",
        show_envvar=True,
        help="The namespace of objects that set none, and of the Helm release.",
    ),
    click.option(
        "--root",
        metavar="DIRECTORY",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Read nothing outside this directory. Default in a plugin of Argo CD: the repository, found with "
        "ARGOCD_APP_SOURCE_PATH. By default elsewhere, links must not lead out of their PATH.",
    ),
    click.option(
        "--exclude",
        metavar="PATTERN",
        multiple=True,
        help="Leave out packages that a pattern in PATH matches. Can be repeated.",
    ),
    click.option(
        "--max-bytes",
        metavar="NUMBER",
        type=click.IntRange(min=1),
        default=100_000_000,
        show_default=True,
        help="Limit of everything that is read, also from kustomize and helm.",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.IntRange(min=1),
        default=300,
        show_default=True,
        help="Time limit of kustomize and helm, all runs together.",
    ),
    click.option(
        "--no-remote",
        is_flag=True,
        help="Do not let kustomize and helm fetch anything: no remote bases, no URLs.",
    ),
    click.option(
        "--enable-helm",
        is_flag=True,
        help="Let kustomize pass the charts that a kustomization lists (helmCharts) to helm. Charts that are "
        "not in its folder are fetched.",
    ),
    kustomize_option,
    click.option(
        "--verbose",
        is_flag=True,
        help="Show all messages of kustomize, helm and git, which may include values of Secrets.",
    ),
    click.option(
        "--linker-image",
        metavar="IMAGE",
        help="Pin the image of the linker's Job. The configuration may not set another one.",
    ),
    click.option(
        "--helm-release",
        metavar="NAME",
        default="",
        envvar="ARGOCD_APP_NAME",
        show_envvar=True,
        help="Name of the Helm release. It also names the set if there is no configuration, or none with a name.",
    ),
    click.option(
        "--helm-values",
        metavar="FILE",
        type=PATH,
        multiple=True,
        help="A file of values for charts. Can be repeated.",
    ),
    click.option(
        "--helm-kube-version",
        metavar="VERSION",
        default="",
        envvar="KUBE_VERSION",
        show_envvar=True,
        help="The version of Kubernetes for which charts are rendered.",
    ),
    click.option(
        "--helm-api-versions",
        metavar="LIST",
        default="",
        envvar="KUBE_API_VERSIONS",
        show_envvar=True,
        help="API versions that charts may use, with commas between them.",
    ),
)


class RenderingOptions(NamedTuple):
    """The values of these options, and what they mean to the rendering."""

    config: str | None
    namespace: str
    root: Path | None
    exclude: tuple[str, ...]
    max_bytes: int
    timeout: int
    no_remote: bool
    enable_helm: bool
    kustomize_options: str
    verbose: bool
    linker_image: str | None
    helm_release: str
    helm_values: tuple[str, ...]
    helm_kube_version: str
    helm_api_versions: str

    @property
    def helm(self) -> "HelmOptions":
        from krm_fn.tools.builds.builds import HelmOptions

        return HelmOptions(
            self.helm_release,
            self.namespace,
            self.helm_values,
            self.helm_kube_version,
            self.helm_api_versions,
        )

    @property
    def limits(self) -> "Limits":
        from krm_fn.tools.common.files import Limits

        root = self.root or root_of_application()
        return Limits(
            root,
            self.max_bytes,
            self.timeout,
            self.no_remote,
            self.verbose,
            enable_helm=self.enable_helm,
        )._replace(**_read_kustomize_options(self.kustomize_options))

    def read_inputs(self, *paths: str) -> "Inputs":
        """Return what a command reads that takes all PATHs together."""
        from krm_fn.tools.opened.opened import Inputs

        # One byte more than is allowed, which shows that there is more.
        stdin = read_stdin("manifests", self.max_bytes + 1) if "-" in paths else None
        return Inputs(paths, self.config, stdin)

    def environment(self, *, strict: bool = False) -> "Environment":
        """Return what the function gets from around it. `strict`: its warnings are errors."""
        from krm_fn.base.settings import Environment
        from krm_fn.core.config.config import find_pins
        from krm_fn.core.names.names import set_name

        return Environment(
            image=os.environ.get("KRM_FN_IMAGE", ""),
            namespace=self.namespace,
            set=set_name(self.helm_release) if self.helm_release else "",
            strict=strict,
            pins=find_pins(os.environ, self.linker_image),
        )


class RendersFirst(click.Command):
    """A command with the options of a rendering.

    Its help names them, and `krm-fn render --help` describes them.
    """

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        own = [
            one.get_help_record(ctx) for one in options if one.name not in RenderingOptions._fields
        ]
        with formatter.section("Options"):
            formatter.write_dl([record for record in own if record])
        formatter.write_paragraph()
        shared = ", ".join(one.opts[0] for one in options if one.name in RenderingOptions._fields)
        text = f"And the options of krm-fn render: {shared}."
        formatter.write(textwrap.fill(text, formatter.width, break_on_hyphens=False) + "\n")


def rendering_options(command: _Command) -> _Command:
    """Add the options to a command, which gets their values as the argument `rendering`."""

    @wraps(command)
    def with_rendering(**options: Any) -> Outcome:
        values = {name: options.pop(name) for name in RenderingOptions._fields}
        return command(**options, rendering=RenderingOptions(**values))

    return _with_options(with_rendering, _RENDERING_OPTIONS)


def _read_kustomize_options(options: str) -> dict[str, Any]:
    """Return the limits that options of kustomize change."""
    from krm_fn.facts.phrases import KUSTOMIZE_OPTIONS

    options = " ".join(options.split()).replace("--load-restrictor ", "--load-restrictor=")
    words = [word.removesuffix("=true") for word in options.split()]
    for word in words:
        if word not in KUSTOMIZE_OPTIONS:
            message = f"--kustomize-options: found {word}; krm-fn takes only {', '.join(KUSTOMIZE_OPTIONS)}"
            raise click.UsageError(message)
    return {KUSTOMIZE_OPTIONS[word]: True for word in words if KUSTOMIZE_OPTIONS[word]}


def _only(files: tuple[str, ...]) -> str | None:
    """Return the file of --config. Of several, click would take the last one in silence."""
    if len(files) > 1:
        message = (
            f"--config is given {len(files)} times ({', '.join(files)}); configurations "
            f"are not merged, so give one"
        )
        raise click.UsageError(message)
    return files[0] if files else config_of_application()


def config_of_application() -> str | None:
    """Return the parameter `config` of the Application, if this is a plugin of Argo CD, and somebody has set it."""
    is_application = "ARGOCD_APP_PARAMETERS" in os.environ
    return os.environ.get("PARAM_CONFIG") or None if is_application else None


def root_of_application() -> Path | None:
    """Find Argo CD's copy of the repository, if this is a plugin of Argo CD."""
    from krm_fn.tools.common.files import find_root

    source_path = os.environ.get("ARGOCD_APP_SOURCE_PATH")
    return None if source_path is None else find_root(Path.cwd(), source_path)


each_option = click.option(
    "--each",
    is_flag=True,
    help="Treat each PATH as a package of its own. A pattern, such as 'apps/*/overlays/*', implies it.",
)


def refuse(mistakes: Mapping[str, object]) -> None:
    """Raise UsageError for the first mistake. By what is said of each: whether it is one."""
    for message, is_one in mistakes.items():
        if is_one:
            raise click.UsageError(message)


def find_packages(
    paths: Sequence[str], excluded: Sequence[str], *, each: bool = False
) -> dict[str, str] | None:
    """Return the packages that are taken by themselves, each with its PATH; None if all PATHs are one rendering.

    Raises UsageError.
    """
    from krm_fn.base.problem import Rejected
    from krm_fn.tools.common.patterns import find_packages_here, stands_for_several

    if not each and not excluded and not any(map(stands_for_several, paths)):
        return None
    if "-" in paths:
        message = "--each and patterns need paths, not stdin"
        raise click.UsageError(message)
    try:
        return find_packages_here(paths, excluded)
    except Rejected as rejected:
        (problem,) = rejected.problems
        message = f"{problem.file} {problem.message}"
        raise click.UsageError(message) from rejected


_ACCESS_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="Default: the namespace of the pod, or else of the kubeconfig's context.",
    ),
    click.option("--context", metavar="NAME", help="Context of the kubeconfig."),
    click.option(
        "--kubeconfig", metavar="FILE", type=PATH, help="Default: $KUBECONFIG, else ~/.kube/config."
    ),
)


def access_options(command: _Command) -> _Command:
    return _with_options(command, _ACCESS_OPTIONS)


def fleet_options(command: _Command) -> _Command:
    namespace, _, kubeconfig = _ACCESS_OPTIONS
    return _with_options(command, [namespace, *_FLEET_OPTIONS, kubeconfig])


_FLEET_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--all-namespaces",
        "-A",
        "everywhere",
        is_flag=True,
        help="All namespaces that have revisions, in a table.",
    ),
    click.option(
        "--context",
        "contexts",
        metavar="PATTERN",
        multiple=True,
        help="Context of the kubeconfig. Several contexts, or a pattern such as 'prod-*', make one table.",
    ),
    click.option(
        "--from",
        "reports",
        metavar="PATTERN",
        type=PATH,
        multiple=True,
        help="Make the table from files that `krm-fn history -o json` has printed, such as 'reports/*.json'.",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.IntRange(min=1),
        default=40,
        show_default=True,
        help="Give up on a cluster after this time, and after 10 if it does not answer at all.",
    ),
)


def cluster_options(command: _Command) -> _Command:
    """Add those of them that the options of a rendering do not have."""
    return _with_options(command, _ACCESS_OPTIONS[1:])


def say(line: str) -> None:
    """Say what is waited for, on stderr: stdout may be JSON."""
    write_stderr(f"{printable(line)}\n")


@contextmanager
def needs_client(failure: type[click.ClickException] = click.ClickException) -> Iterator[None]:
    """Say how to install the Kubernetes client if it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        message = f"needs the Python package {package}: in a clone of krm-fn, pipx install --force '.[linker]'"
        raise failure(message) from error
