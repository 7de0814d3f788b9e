"""`krm-fn merge`: a merge driver of git for packages that are rendered in place."""

import os
from pathlib import Path

import click

from krm_fn.base.problem import Outcome
from krm_fn.cli.options import PATH


class _WrongCall(click.UsageError):
    """git takes the usual exit code, 2, for a conflict, and a file that nobody has merged for its text.

    From version 2.42 on, this one ends the merge.
    """

    exit_code = 129


class _Driver(click.Command):
    """A command that git runs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise _WrongCall(error.format_message(), ctx) from error


@click.command(
    cls=_Driver,
    short_help="Merge a rendered package, as a merge driver of git.",
    # Behind the first file all are what they are: paths and labels come from others, and may begin
    # like an option.
    context_settings={"allow_interspersed_args": False},
)
@click.argument("base", metavar="BASE", type=PATH)
@click.argument("ours", metavar="OURS", type=PATH)
@click.argument("theirs", metavar="THEIRS", type=PATH)
@click.argument("path", metavar="[PATH]", default="")
@click.argument("marker_size", metavar="[SIZE]", default="")
@click.argument("labels", metavar="[LABEL]...", nargs=-1)
def merge(
    *, base: str, ours: str, theirs: str, path: str, marker_size: str, labels: tuple[str, ...]
) -> Outcome:
    """Merge a file of a package that is rendered in place, as git asks a merge driver to.

    \b
    echo '*.yaml merge=krm-fn' >> .gitattributes
    git config merge.krm-fn.driver 'krm-fn merge %O %A %B %P %L %S %X %Y'

    The command merges what the authors wrote, with base names and without the linker's objects. Then it renders the
    result, so that names and references follow the merged content. There is a conflict only where there would be one
    without any rendering.

    It reads the other files of the package from the commits that git merges, and nothing from the working tree. A
    package is the folder around PATH whose Kptfile runs krm-fn, or that contains krm-fn.yaml.

    Sometimes the result is not rendered, and a warning says so: a file of the package has a conflict, or git takes a
    file from a single branch that must change as well. Then every file is as its author would have written it. Resolve
    the conflict, and render the package. Files outside of such a package are merged as git does it. So is everything if
    the commits of the merge cannot be found.

    BASE, OURS and THEIRS are files with the three versions. The answer is written into OURS. A part that cannot be
    merged is a conflict, with both sides in the file.

    Exit codes: 0 merged; 1 there is a conflict; 129 the files cannot be read or written, or wrong arguments, which ends
    the merge.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.base.settings import Environment
    from krm_fn.core.config.config import find_pins
    from krm_fn.tools.common.files import Limits
    from krm_fn.tools.merge.merge import DriverCall, Versions, drive

    call = DriverCall(Versions(Path(base), Path(ours), Path(theirs)), path, marker_size, labels)
    environment = Environment(image=os.environ.get("KRM_FN_IMAGE", ""), pins=find_pins(os.environ))
    return drive(call, environment, Limits(are_fixed=True))
