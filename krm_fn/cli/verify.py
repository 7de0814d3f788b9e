"""`krm-fn verify`: check manifests that are about to be applied."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from krm_fn.base.kind import PROTECTIONS
from krm_fn.base.problem import Outcome
from krm_fn.cli.options import (
    PATH,
    RenderingOptions,
    RendersFirst,
    colour_option,
    each_option,
    find_packages,
    output_option,
    rendering_options,
)

if TYPE_CHECKING:
    from krm_fn.tools.verify.verify import Verified, VerifyOptions


@click.command(cls=RendersFirst, short_help="Check manifests that are about to be applied.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
@click.option(
    "--set",
    "sets",
    metavar="NAME",
    multiple=True,
    help="A set that must have a revision. Can be repeated.",
)
@click.option(
    "--deployer",
    "deployers",
    type=click.Choice([*PROTECTIONS]),
    multiple=True,
    help="The program that applies the manifests. Can be repeated. Default: those of the configuration.",
)
@each_option
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@output_option(
    *("text", "json", "junit", "github"),
    help="JSON has the format of schemas/verify-v1.json. junit is for the test reports of CI, and github for "
    "annotations in a workflow. All three are on stdout.",
)
@colour_option
@rendering_options
def verify(
    *,
    paths: tuple[str, ...],
    each: bool,
    sets: tuple[str, ...],
    deployers: tuple[str, ...],
    strict: bool,
    output: str,
    wants_colour: bool,
    rendering: RenderingOptions,
) -> Outcome:
    """Check that manifests are consistent before they are applied, after everything else that changes them.

    PATH is a file, a directory of manifests, or - for stdin, which is the default. Each finding is one line on stderr.
    If nothing is found, one line says what was verified. Nothing is printed on stdout, unless the input is a
    ResourceList: it is printed again with the findings as its results, as kpt expects from a validator. With another
    --output, everything is on stdout, and nothing on stderr.

    Several PATHs are verified together. With --each, or with a pattern, each is a package of its own. Each finding
    names its package, and the last line counts them.

    A directory that kustomize or helm builds is rendered first, as `krm-fn render` does, if there is a configuration:
    --config, krm-fn.yaml in it, or krm-fn in its transformers.

    \b
    Findings are:
    - a set without any revision, because the function did not run
    - a revision whose content does not fit its name
    - a revision that lacks its label or annotations
    - a reference with the base name of a revision, with a former name,
      or with one wrong letter
    - a revision that one of the deployers would prune,
      or that comes after the pods that read it
    - an object that occurs twice, or that has lost its namespace
    - a linker whose objects do not fit the manifests, or cannot work
    - with a configuration: an object that it chooses and that is no revision,
      and everything else that krm-fn would change

    A reference to an older revision, which may be in the cluster, is a warning.

    A set must have a revision if --set names it, if it has a linker, or if the configuration finds objects of it. If
    nothing names a set, and krm-fn would rename something without a configuration, a revision of any set is enough.

    Exit codes: 0 nothing is found, or only warnings; 1 findings, or an error; 2 wrong arguments.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.report.colour import has_colour, paint_labels
    from krm_fn.tools.verify.verify import FindingsFormat, VerifyOptions, write_findings

    options = VerifyOptions(
        rendering.config,
        sets,
        deployers,
        rendering.namespace,
        strict,
        rendering.limits,
        rendering.environment().set,
    )
    paths = paths or ("-",)
    packages = find_packages(paths, rendering.exclude, each=each)
    together = [paths] if packages is None else [(one,) for one in packages]
    found = _verify_all(together, rendering, options)
    outcome = write_findings(found, FindingsFormat(output))
    # At a terminal, stderr is in colour anyway.
    if has_colour(os.environ, is_terminal=False, is_wanted=wants_colour):
        return outcome._replace(stderr=paint_labels(outcome.stderr))
    return outcome


def _verify(
    paths: tuple[str, ...], rendering: RenderingOptions, options: "VerifyOptions"
) -> "Verified":
    from krm_fn.tools.opened.opened import Inputs
    from krm_fn.tools.render.render import render_stream
    from krm_fn.tools.verify.verify import Verified, examine

    inputs = rendering.read_inputs(*paths)
    if not any(_is_rendered_first(path, rendering) for path in paths):
        return examine(inputs, options)
    # What the build makes is what will be applied, so that is verified.
    environment = rendering.environment(strict=options.strict)
    rendered = render_stream(inputs, rendering.helm, environment, rendering.limits)
    name = " ".join(paths)
    if rendered.failed:
        return Verified(name, rendered.problems)
    if rendered.run is not None and not options.deployers:
        options = options._replace(deployers=rendered.run.settings.deployers)
    stream = rendered.stream.encode()
    verified = examine(Inputs(("-",), rendering.config, stream), options)
    # Nobody has a file with the lines of what was rendered.
    found = (problem._replace(file="") for problem in verified.problems)
    return verified._replace(path=name, problems=(*rendered.problems, *found))


def _verify_all(
    together: Sequence[tuple[str, ...]], rendering: RenderingOptions, options: "VerifyOptions"
) -> list["Verified"]:
    """Verify each, and add to it the sets and revisions that it shares with one before."""
    if len(together) == 1:
        return [_verify(together[0], rendering, options)]
    from krm_fn.tools.diff.diff import NamesOfSeveral

    verified: list[Verified] = []
    names = NamesOfSeveral()
    for some in together:
        found = _verify(some, rendering, options)
        names.add(found.path, found.run)
        verified.append(found._replace(run=None))
    problems = names.find_shared(rendering.limits)
    if options.strict:
        problems = [problem.as_error() for problem in problems]
    warned: list[Verified] = []
    for found in verified:
        own = [problem for problem in problems if problem.file == found.path]
        warned.append(found._replace(problems=(*found.problems, *own)))
    return warned


def _is_rendered_first(path: str, rendering: RenderingOptions) -> bool:
    """Tell whether there is something to build, and a configuration for what is built."""
    from krm_fn.base.settings import CONFIG_FILE
    from krm_fn.tools.builds.builds import lists_krm_fn
    from krm_fn.tools.common.files import Allowance, built_from

    directory = Path(path)
    if path == "-" or not built_from(directory):
        return False
    is_beside = rendering.config is not None or os.path.lexists(directory / CONFIG_FILE)
    return is_beside or lists_krm_fn(directory, Allowance(rendering.limits))
