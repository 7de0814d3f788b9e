"""`krm-fn graph`: a picture of revisions, what references them, and what owns them."""

import gc

import click

from krm_fn.cli.options import PATH
from krm_fn.cli.rendering import RenderingOptions, rendering_options
from krm_fn.model.problem import Outcome
from krm_fn.stdio import read_stdin


@click.command(short_help="Draw revisions, what references them, and what owns them.")
@click.argument("path", metavar="PATH", type=PATH)
@click.argument("name", metavar="[NAME]", default="")
@click.option(
    "--output",
    "-o",
    type=click.Choice(["mermaid", "dot", "html"]),
    default="mermaid",
    show_default=True,
    help="Mermaid, which GitHub and GitLab draw; the language of Graphviz; or a page that needs no network.",
)
@rendering_options
def graph(*, path: str, name: str, output: str, rendering: RenderingOptions) -> Outcome:
    """Draw the ConfigMaps and Secrets at PATH, what references them, and the linker's objects that own them.

    PATH is what `krm-fn render` takes: a file, a directory, or - for stdin. NAME is the name of an object, with or
    without its content hash; Kind/NAME and NAMESPACE/NAME tell objects of one name apart.

    Of Secrets, only keys and sizes are shown. Where the function fails, its errors are on stderr, and the exit code
    is 1.
    """
    from krm_fn.graph.draw import Form, draw_path
    from krm_fn.render.sources import Inputs

    gc.disable()  # as for the function: nodes hold no cycles
    stdin = read_stdin("manifests", rendering.max_bytes + 1) if path == "-" else None
    inputs = Inputs((path,), rendering.config, stdin)
    return draw_path(inputs, name, rendering.helm, rendering.environment(), rendering.limits, Form(output))
