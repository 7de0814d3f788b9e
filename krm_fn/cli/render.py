"""`krm-fn render`: print manifests that are ready to be applied."""

import gc
import os
from pathlib import Path

import click

from krm_fn.cli.options import MAX_BYTES, PATH
from krm_fn.model.problem import Outcome
from krm_fn.model.settings import Environment
from krm_fn.stdio import read_stdin


@click.command(short_help="Print manifests that are ready to be applied.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
@click.option(
    "--config",
    metavar="FILE",
    type=PATH,
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
    type=PATH,
    help="For --check: a dump of what is deployed, or the last rendering. - is stdin.",
)
@click.option(
    "--root",
    metavar="DIRECTORY",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read nothing outside of this directory. Default: in a plugin of Argo CD, the repository, found with "
    "ARGOCD_APP_SOURCE_PATH; elsewhere, links may lead to nothing outside of their PATH.",
)
@MAX_BYTES
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
@click.option("--helm-values", metavar="FILE", type=PATH, multiple=True, help="Can be given several times.")
@click.option("--helm-kube-version", metavar="VERSION", default="", envvar="KUBE_VERSION", show_envvar=True)
@click.option("--helm-api-versions", metavar="LIST", default="", envvar="KUBE_API_VERSIONS", show_envvar=True)
def render(
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
    from krm_fn.config.pins import find_pins
    from krm_fn.naming.names import set_name
    from krm_fn.render.limits import Limits
    from krm_fn.render.render import render as render_paths
    from krm_fn.render.sources import Inputs
    from krm_fn.render.tools import HelmOptions

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
    from krm_fn.render.check import check as check_deployed

    return check_deployed(outcome, deployed, stdin, namespace, limits)


def _find_root() -> Path | None:
    """Find Argo CD's copy of the repository, if this is a plugin of Argo CD."""
    from krm_fn.render.root import find_root

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
