"""The command line. Nothing heavy is imported before a command is chosen."""

import sys

import click

from krm_fn import __version__
from krm_fn.outcome import Outcome


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s")
def krm_fn() -> None:
    """Content-named ConfigMaps, and references that follow.

    Without arguments this is a KRM function: a ResourceList on stdin, a ResourceList on stdout.
    With a file as its only argument it is a kustomize exec plugin, and that file its configuration.
    """


@krm_fn.command()
@click.argument("paths", nargs=-1)
@click.option("--config", metavar="FILE", help="The ConfigRevisions to use; else krm-fn.yaml in the first PATH.")
@click.option("--helm-release", metavar="NAME", default="", help="Release name of charts; else their directory's.")
@click.option("--helm-namespace", metavar="NAME", default="", help="Namespace of charts' releases.")
@click.option("--helm-values", metavar="FILE", multiple=True, help="Values of charts; may be given several times.")
def render(
    paths: tuple[str, ...], config: str | None, helm_release: str, helm_namespace: str, helm_values: tuple[str, ...]
) -> Outcome:
    """Print a stream that is ready for `kubectl apply -f -`.

    A PATH is a directory with a kustomization or a chart, which kustomize, kubectl or helm build, a directory of
    manifests, a file, or - for stdin. No PATH is the current directory.
    """
    from krm_fn.render.render import render as render_paths  # noqa: PLC0415
    from krm_fn.render.tools import HelmOptions  # noqa: PLC0415

    paths = paths or (".",)
    stdin = sys.stdin.buffer.read() if "-" in paths else None
    return render_paths(paths, config, stdin, HelmOptions(helm_release, helm_namespace, helm_values))


def main(arguments: list[str]) -> Outcome:
    """Run a command. What click itself prints, it has printed."""
    try:
        result = krm_fn.main(arguments, prog_name="krm-fn", standalone_mode=False)
    except click.ClickException as error:
        return Outcome(b"", f"error: {error.format_message()}\n", error.exit_code)
    return result if isinstance(result, Outcome) else Outcome(b"", "", result or 0)
