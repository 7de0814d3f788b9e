"""`krm-fn discover`: tell Argo CD which applications the plugin renders."""

import os
from pathlib import Path

import click

from krm_fn.model.problem import Outcome


@click.command(short_help="Tell Argo CD whether the plugin renders the current directory.")
@click.option(
    "--kustomize-options",
    metavar="OPTIONS",
    default="",
    envvar="KUSTOMIZE_BUILD_OPTIONS",
    show_envvar=True,
    help="The options of Argo CD's own kustomize: kustomize.buildOptions in argocd-cm.",
)
def discover(*, kustomize_options: str) -> Outcome:
    """Print krm-fn.yaml if the current directory contains it, unless Argo CD's own kustomize runs that file.

    kustomize runs it if the kustomization lists it under `transformers`, the file says how (with the annotation
    config.kubernetes.io/function), and the options contain --enable-alpha-plugins and --enable-exec. Then nothing is
    printed.

    This is for `discover.find.command` in a plugin of Argo CD, which renders an application if something is printed. If
    an Application asks for a plugin, Argo CD sets ARGOCD_APP_PARAMETERS, and krm-fn.yaml is printed in any case.
    """
    from krm_fn.render.discover import discover as discover_directory

    return discover_directory(Path(), kustomize_options, is_asked_for="ARGOCD_APP_PARAMETERS" in os.environ)
