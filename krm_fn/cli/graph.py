"""`krm-fn graph`: a picture of revisions, what references them, and what owns them."""

import click
from click.core import ParameterSource

from krm_fn.base.problem import Outcome, printable
from krm_fn.cli.options import (
    PATH,
    RenderingOptions,
    RendersFirst,
    find_packages,
    needs_client,
    output_option,
    refuse,
    rendering_options,
    say,
)

_ONLY_LIVE = ("set_name", "context", "kubeconfig")
_FOR_BOTH = ("operands", "output", "live", "namespace")


@click.command(
    cls=RendersFirst, short_help="Draw revisions, what references them, and what owns them."
)
@click.argument("operands", metavar="PATH [NAME] | --live [NAME]", nargs=-1, type=PATH)
@output_option(
    *("mermaid", "dot", "html"),
    help="GitHub and GitLab draw Mermaid. dot is the language of Graphviz, and html a page that needs no network.",
)
@click.option(
    "--live",
    is_flag=True,
    help="Draw the live objects of a namespace, as `krm-fn history` reads them.",
)
@click.option("--set", "set_name", metavar="NAME", help="For --live: only this set.")
@click.option("--context", metavar="NAME", help="For --live: context of the kubeconfig.")
@click.option(
    "--kubeconfig",
    metavar="FILE",
    type=PATH,
    help="For --live. Default: $KUBECONFIG, else ~/.kube/config.",
)
@rendering_options
@click.pass_context
def graph(
    click_context: click.Context,
    *,
    operands: tuple[str, ...],
    output: str,
    live: bool,
    set_name: str | None,
    context: str | None,
    kubeconfig: str | None,
    rendering: RenderingOptions,
) -> Outcome:
    """Draw ConfigMaps and Secrets, what references them, and what owns them.

    \b
    krm-fn graph PATH [NAME]      a package, under the names that it gets
    krm-fn graph --live [NAME]    a namespace: also ReplicaSets, canaries,
                                  and what changed

    PATH is what `krm-fn render` takes: a file, a directory, or - for stdin. NAME is the name of an object, with or
    without its content hash. Kind/NAME and NAMESPACE/NAME tell objects of a package apart.

    A PATH that is a pattern, such as 'apps/*/overlays/*', stands for packages. All of them are drawn in one picture.

    With --live, the command only lists, in the namespace of --namespace. Only for a page, it also reads the content of
    ConfigMaps, to show what changed since the previous revision.

    It shows only keys and sizes of Secrets.

    Exit codes: 0 drawn; 1 the function fails, and its errors are on stderr, or there is nothing to draw; 2 wrong
    arguments.
    """  # noqa: D301  # click's mark for lines that it must not join
    _check_usage(click_context, operands, live=live)
    if live:
        return _draw_live(
            next(iter(operands), None), output, set_name, context, kubeconfig, rendering.namespace
        )
    from krm_fn.tools.graph.graph import GraphFormat, draw_path

    path, *names = operands
    name = next(iter(names), "")
    return draw_path(
        rendering.read_inputs(path),
        name,
        rendering.helm,
        rendering.environment(),
        rendering.limits,
        GraphFormat(output),
        find_packages([path], rendering.exclude),
    )


def _draw_live(  # noqa: PLR0917  # what is drawn, how it is written, and where it is
    name: str | None,
    output: str,
    set_name: str | None,
    context: str | None,
    kubeconfig: str | None,
    namespace: str,
) -> Outcome:
    with needs_client():
        from krm_fn.linker.credentials import Access
        from krm_fn.tools.common.revision_history import NoAnswer
        from krm_fn.tools.history.ask import LiveNamespace, Question
    from krm_fn.tools.graph.graph import GraphFormat, draw_history

    form = GraphFormat(output)
    try:
        cluster = LiveNamespace(Access(kubeconfig, context), namespace or None, say)
        history = cluster.ask(Question(set_name, name, with_changes=form is GraphFormat.HTML))
    except NoAnswer as error:
        return Outcome(b"", f"error: {printable(str(error))}\n", 1)
    return draw_history(history, form)


def _check_usage(context: click.Context, operands: tuple[str, ...], *, live: bool) -> None:
    """Refuse what has no effect, if it was typed: variables may be set for other commands."""
    wrong: list[str] = []
    for name in context.params:
        is_typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        has_effect = name in _FOR_BOTH or (name in _ONLY_LIVE) is live
        if is_typed and not has_effect:
            wrong.append(name)
    if wrong:
        option = "--set" if wrong[0] == "set_name" else f"--{wrong[0].replace('_', '-')}"
        message = f"{option} is for {'PATH' if live else '--live'} only"
        raise click.UsageError(message)
    number = len(operands)
    refuse(
        {
            f"--live takes at most a NAME; found {number} arguments": live and number > 1,
            f"expected PATH and perhaps NAME, or --live; found {number} arguments": (
                not live and number not in {1, 2}
            ),
        }
    )
