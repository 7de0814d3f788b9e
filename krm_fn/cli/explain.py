"""`krm-fn explain`: why each ConfigMap and Secret gets its name, what follows it, and what rolls a workload."""

import os

import click

from krm_fn.base.problem import Outcome
from krm_fn.cli.options import (
    PATH,
    RenderingOptions,
    RendersFirst,
    colour_option,
    find_packages,
    find_terminal,
    output_option,
    rendering_options,
)


@click.command(
    cls=RendersFirst, short_help="Say why a ConfigMap is renamed or not, and what follows it."
)
@click.argument("path", metavar="PATH", type=PATH, required=False)
@click.argument("name", metavar="[NAME]", default="")
@click.option(
    "--message",
    metavar="TEXT",
    help="Say what a message of krm-fn means, and what to do, instead of reading a PATH.",
)
@output_option("text", "json", help="JSON has the format of schemas/explain-v1.json.")
@colour_option
@rendering_options
def explain(
    *,
    path: str | None,
    name: str,
    message: str | None,
    output: str,
    wants_colour: bool,
    rendering: RenderingOptions,
) -> Outcome:
    """Say of each ConfigMap and Secret at PATH what the function does with it, and why.

    \b
    - which entry of the configuration, annotation or rule decides about its name
    - which keys are part of that name
    - each field that references it, and the rule that found the field
    - what looks like a reference and is not followed, and why
    - which pod templates a checksum of it restarts

    If NAME is a workload, such as deployment/web, the answer says which ConfigMaps and Secrets its pods read, in which
    fields, and which of them roll it when they change.

    PATH is what `krm-fn render` takes: a file, a directory, or - for stdin. Before Kind/NAME, you can leave it out. It
    is then the current directory. NAME is the name of an object, with or without its content hash. Kind/NAME and
    NAMESPACE/NAME tell objects of one name apart.

    A PATH that is a pattern, such as 'apps/*/overlays/*', stands for packages. Each is explained under its path.
    Packages without an object of this NAME are left out. JSON then has the format of schemas/explain-packages-v1.json.

    Without a NAME, a table of the reasons comes first. It shows only keys of Secrets.

    With --message, TEXT is one or more lines from stderr, with all names and numbers. The answer says once for each
    line what it means and what to do.

    Exit codes: 0 explained; 1 the function fails, and its errors are on stderr, or there is no such object; 2 wrong
    arguments, or no message is like TEXT.
    """  # noqa: D301  # click's mark for lines that it must not join
    screen = find_terminal(wants_colour=wants_colour)
    if message is not None:
        from krm_fn.tools.explain.explain import explain_message

        if path is not None or output != "text":
            wrong = "--message is in the place of a PATH, and its answer is text"
            raise click.UsageError(wrong)
        return explain_message(message, screen)
    if path is None:
        wrong = "expected PATH, or --message TEXT"
        raise click.UsageError(wrong)
    from krm_fn.tools.explain.explain import begins_with_a_kind

    if not name and begins_with_a_kind(path) and not os.path.lexists(path):
        path, name = ".", path
    from krm_fn.tools.explain.explain import ExplainFormat
    from krm_fn.tools.explain.explain import explain as explain_path

    return explain_path(
        rendering.read_inputs(path),
        name,
        rendering.helm,
        rendering.environment(),
        rendering.limits,
        ExplainFormat(output),
        screen,
        find_packages([path], rendering.exclude),
    )
