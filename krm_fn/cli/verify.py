"""`krm-fn verify`: check manifests that are about to be applied."""

import click

from krm_fn.cli.options import MAX_BYTES, PATH
from krm_fn.model.deployers import PROTECTIONS
from krm_fn.model.problem import Outcome
from krm_fn.stdio import read_stdin


@click.command(short_help="Check manifests that are about to be applied.")
@click.argument("path", metavar="[PATH]", default="-", type=PATH)
@click.option(
    "--config",
    metavar="FILE",
    type=PATH,
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
@MAX_BYTES
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
def verify(
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
    - a revision that lacks its label or annotations
    - a reference with the base name of a revision, with a former name, or with one wrong letter
    - a revision that one of the deployers would prune, or that comes after the pods that read it
    - an object that is there twice, or that has lost its namespace
    - a linker whose objects do not fit the manifests, or cannot work
    - with a configuration: an object that it chooses and that is no revision, and all else that krm-fn would change

    A reference to an older revision, which may be in the cluster, is a warning.

    Which sets must have a revision: those of --set, those with a linker, and those of which the configuration finds
    objects. If none of these says anything, there must be a revision of any set.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.verify.verify import Options
    from krm_fn.verify.verify import verify as verify_path

    stdin = read_stdin("manifests", max_bytes + 1) if path == "-" else None
    return verify_path(path, stdin, Options(config, sets, deployers, namespace, strict, max_bytes))
