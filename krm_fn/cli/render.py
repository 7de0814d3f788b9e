"""`krm-fn render`: print manifests that are ready to be applied."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from krm_fn.base.problem import Outcome, printable
from krm_fn.cli.options import (
    PATH,
    RenderingOptions,
    config_of_application,
    each_option,
    find_packages,
    kustomize_option,
    refuse,
    rendering_options,
    root_of_application,
)
from krm_fn.stdio import has_input, read_stdin

if TYPE_CHECKING:
    from krm_fn.tools.render.render import RenderedStream


_NOT_READ = "stdin was not read: pass - to render it"


@click.command(short_help="Print manifests that are ready to be applied.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=PATH)
@each_option
@click.option(
    "--strict", is_flag=True, help="Treat the function's warnings as errors, as `spec.strict` does."
)
@click.option(
    "--check",
    is_flag=True,
    help="Fail if deploying this would prune objects that running pods use, or lacks objects that new pods need.",
)
@click.option(
    "--deployed",
    metavar="PATH",
    type=PATH,
    help="For --check: a dump of the deployed objects, or the last rendering. - is stdin.",
)
@click.option(
    "--against",
    metavar="REV",
    help="For --check, instead of --deployed: compare with the rendering of PATH in this revision of git.",
)
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    help="Leave out the last line on stderr, which says what was renamed.",
)
@rendering_options
def render(  # one parameter an option
    *,
    paths: tuple[str, ...],
    each: bool,
    strict: bool,
    check: bool,
    deployed: str | None,
    against: str | None,
    quiet: bool,
    rendering: RenderingOptions,
) -> Outcome:
    """Print manifests that are ready for `kubectl apply -f -`.

    A PATH is a file, a directory, or - for stdin. Default: the current directory. kustomize or
    kubectl builds a directory with a kustomization, helm one with a Chart.yaml. In any other
    directory, and in those below, all *.yaml, *.yml and *.json files are read that are not hidden.

    All PATHs together are one rendering. With --each, or with a pattern, each is a package of its own. The output is
    one stream with all of them. If one fails, nothing is printed. A warning names two packages with one set in one
    namespace.

    The output leaves out objects for tools: those with the annotation config.kubernetes.io/local-config, configurations
    of functions, Kptfiles and kustomizations. After an error, or if there is nothing to apply, nothing is printed.

    With --check it is an error if a deployed ConfigMap or Secret would be pruned because it gets
    another name. The annotation that prevents this must be on the live object, one sync earlier. It
    is an error too if pods still need a deployed ConfigMap or Secret that is no longer rendered.

    The --helm options are for charts. The default release name is the chart's name. Argo CD sets the environment
    variables of the other options. KRM_FN_IMAGE is the image of the linker's Job, unless the configuration sets one.
    KRM_FN_LINKER_IMAGE, KRM_FN_LINKER_SERVICE_ACCOUNT_NAME, KRM_FN_LINKER_NODE_SELECTOR and KRM_FN_LINKER_TOLERATIONS
    pin settings of the Job. The configuration may then not set other values.

    Exit codes: 0 printed, perhaps with warnings on stderr; 1 an error, or a finding of --check, and
    nothing is printed; 2 wrong arguments.
    """
    is_named = bool(paths)
    paths = paths or (".",)
    _check_usage(paths, deployed, against, check=check)
    # Before anything is rendered: whoever writes it waits for its reader.
    stdin = read_stdin("what is deployed", rendering.max_bytes + 1) if deployed == "-" else None
    packages = find_packages(paths, rendering.exclude, each=each)
    together = [paths] if packages is None else [(one,) for one in packages]
    streams, said = _render_all(together, rendering, strict=strict)
    outcomes = [
        _answer(some[0] if packages else "", stream)
        for some, stream in zip(together, streams, strict=True)
    ]
    if against is not None:
        outcomes = [
            _check_against(some, outcome, against, rendering)
            for some, outcome in zip(together, outcomes, strict=True)
        ]
    outcome = _join(outcomes)
    if packages and not outcome.exit_code:
        outcome = outcome._replace(stderr=outcome.stderr + said)
    if quiet:
        outcome = outcome._replace(summary="")
    if outcome.exit_code and not is_named and has_input():
        outcome = outcome._replace(stderr=f"{outcome.stderr}{_NOT_READ}\n")
    if deployed is None or outcome.exit_code:
        return outcome
    from krm_fn.tools.render.render import check as check_deployed

    return check_deployed(outcome, deployed, stdin, rendering.namespace, rendering.limits)


def _render_all(
    together: Sequence[tuple[str, ...]], rendering: RenderingOptions, *, strict: bool
) -> tuple[list["RenderedStream"], str]:
    """Render each, and warn about sets and revisions that two of them have in one namespace."""
    if len(together) == 1:
        return [_render(together[0], rendering, strict=strict)], ""
    from krm_fn.report.secrets import stderr_lines
    from krm_fn.tools.diff.diff import NamesOfSeveral

    streams: list[RenderedStream] = []
    names = NamesOfSeveral()
    for some in together:
        found = _render(some, rendering, strict=strict)
        names.add(some[0], found.run)
        streams.append(found._replace(run=None))
    return streams, stderr_lines(names.find_shared(rendering.limits))


def _render(
    paths: tuple[str, ...], rendering: RenderingOptions, *, strict: bool
) -> "RenderedStream":
    """Render all paths together."""
    from krm_fn.tools.render.render import render_stream

    inputs, environment = rendering.read_inputs(*paths), rendering.environment(strict=strict)
    return render_stream(inputs, rendering.helm, environment, rendering.limits)


def _answer(package: str, found: "RenderedStream") -> Outcome:
    """Return what is printed of a rendering. Of one of several packages, what is said names it."""
    from krm_fn.report.secrets import stderr_lines

    problems, name = found.problems, ""
    if package:
        problems = tuple(one._replace(file=one.file or package) for one in problems)
        name = f"{printable(package)}: "
    if found.failed:
        return Outcome(b"", stderr_lines(problems), 1)
    return Outcome(found.stream.encode(), stderr_lines(problems), 0, f"{name}{found.summary}\n")


def _join(outcomes: list[Outcome]) -> Outcome:
    """Return one stream with what all outcomes have; none of it if one has failed."""
    from krm_fn.core.yaml.yaml import join_streams

    if len(outcomes) == 1:
        return outcomes[0]
    stderr = "".join(one.stderr for one in outcomes)
    code = max(one.exit_code for one in outcomes)
    if code:
        return Outcome(b"", stderr, code)
    stream = join_streams([one.stdout.decode() for one in outcomes])
    return Outcome(stream.encode(), stderr, 0, "".join(one.summary for one in outcomes))


def _check_against(
    paths: tuple[str, ...], outcome: Outcome, revision: str, rendering: RenderingOptions
) -> Outcome:
    """Check a rendering against what the paths rendered to in a revision of git."""
    from krm_fn.base.problem import Rejected
    from krm_fn.report.secrets import stderr_lines
    from krm_fn.tools.diff.diff import RenderOptions, render_former
    from krm_fn.tools.render.render import check as check_deployed

    if outcome.exit_code:
        return outcome
    limits = rendering.limits
    way = RenderOptions(rendering.config, rendering.helm, rendering.environment(), limits)
    try:
        former = render_former(paths, revision, way)
    except Rejected as rejected:
        return Outcome(b"", outcome.stderr + stderr_lines(rejected.problems), 1)
    if former is None:  # nothing of it is deployed
        return outcome
    return check_deployed(outcome, "-", former, rendering.namespace, limits)


def _check_usage(
    paths: tuple[str, ...], deployed: str | None, against: str | None, *, check: bool
) -> None:
    has_stdin = "-" in paths
    refuse(
        {
            "--check needs --deployed PATH or --against REV: what is deployed now": (
                check and (deployed is None) == (against is None)
            ),
            "--against needs --check": against is not None and not check,
            "--against needs paths in a repository, not stdin": against is not None and has_stdin,
            "--deployed needs --check": deployed is not None and not check,
            "only one of PATH and --deployed can be stdin": deployed == "-" and has_stdin,
        }
    )


@click.command(
    hidden=True, short_help="Tell Argo CD whether the plugin renders the current directory."
)
@kustomize_option
def discover(*, kustomize_options: str) -> Outcome:
    """Print krm-fn.yaml if the current directory contains it, unless Argo CD's own kustomize runs that file.

    If the kustomization names a folder under `transformers`, and that folder has a configuration among its `resources`,
    the command prints the name of the kustomization.

    kustomize runs it if the kustomization lists it under `transformers`, the file says how (with the annotation
    config.kubernetes.io/function), and the options contain --enable-alpha-plugins and --enable-exec. Then nothing is
    printed.

    This is for `discover.find.command` in a plugin of Argo CD, which renders an application if something is printed. If
    an Application asks for a plugin, Argo CD sets ARGOCD_APP_PARAMETERS, and krm-fn.yaml is printed in any case. If its
    parameter `config` names a configuration (PARAM_CONFIG), that is printed.

    Exit codes: 0 also if nothing is printed; 2 wrong arguments.
    """
    from krm_fn.tools.render.render import answer_discovery as discover_directory

    return discover_directory(
        Path(),
        kustomize_options,
        is_asked_for="ARGOCD_APP_PARAMETERS" in os.environ,
        root=root_of_application(),
        config=config_of_application(),
    )
