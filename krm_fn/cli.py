"""The command line. Nothing heavy is imported before a command is chosen."""

import gc
import sys

import click

from krm_fn import __version__
from krm_fn.outcome import Outcome


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
def krm_fn() -> None:
    """Content-named ConfigMaps, and references that follow.

    Without arguments this is a KRM function: a ResourceList on stdin, a ResourceList on stdout.
    With a file as its only argument it is a kustomize exec plugin, and that file its configuration.
    """


@krm_fn.command(short_help="Print a stream that is ready to be applied.")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--config", metavar="FILE", help="The configuration; else krm-fn.yaml in a PATH, or one among the objects."
)
@click.option("--helm-release", metavar="NAME", default="", envvar="ARGOCD_APP_NAME", show_envvar=True)
@click.option("--helm-namespace", metavar="NAME", default="", envvar="ARGOCD_APP_NAMESPACE", show_envvar=True)
@click.option("--helm-values", metavar="FILE", multiple=True, help="May be given several times.")
@click.option("--helm-kube-version", metavar="VERSION", default="", envvar="KUBE_VERSION", show_envvar=True)
@click.option("--helm-api-versions", metavar="LIST", default="", envvar="KUBE_API_VERSIONS", show_envvar=True)
def render(  # noqa: PLR0913  # click hands over every option by its name
    *,
    paths: tuple[str, ...],
    config: str | None,
    helm_release: str,
    helm_namespace: str,
    helm_values: tuple[str, ...],
    helm_kube_version: str,
    helm_api_versions: str,
) -> Outcome:
    """Print a stream that is ready for `kubectl apply -f -`.

    A PATH is a file, - for stdin, or a directory. One with a kustomization is built by kustomize or kubectl, one with
    a Chart.yaml by helm; of any other, all *.yaml, *.yml and *.json in it and below are read, but for hidden ones. No
    PATH is the current directory.

    Objects for tools are left out: those annotated config.kubernetes.io/local-config, configurations of functions,
    Kptfiles, kustomizations. After an error, and where there is nothing to apply, nothing is printed.

    The --helm options are for charts. Without a release name the chart's own is used. Where Argo CD runs this, its
    environment says the rest.
    """
    from krm_fn.render.render import render as render_paths  # noqa: PLC0415  # not for --help
    from krm_fn.render.tools import HelmOptions  # noqa: PLC0415  # likewise

    gc.disable()  # as for the function: nodes hold no cycles
    paths = paths or (".",)
    stdin = sys.stdin.buffer.read() if "-" in paths else None
    helm = HelmOptions(helm_release, helm_namespace, helm_values, helm_kube_version, helm_api_versions)
    return render_paths(paths, config, stdin, helm)


def main(arguments: list[str]) -> Outcome:
    """Run a command. What click itself prints, it has printed."""
    try:
        result = krm_fn.main(arguments, prog_name="krm-fn", standalone_mode=False)
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        command = context.command_path if context else "krm-fn"
        return Outcome(b"", f"error: {error.format_message().rstrip('.')}; see {command} --help\n", error.exit_code)
    except click.Abort:
        return Outcome(b"", "", 130)  # what a shell makes of Ctrl-C
    return result if isinstance(result, Outcome) else Outcome(b"", "", result or 0)
