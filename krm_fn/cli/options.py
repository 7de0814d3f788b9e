"""What the options of several commands share."""

import os

import click


class _Path(click.Path):
    """A file or a directory, for shell completion. What cannot be read is reported by who reads it."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Refuse a variable that nobody has set: pathlib would read the current directory instead."""
        if not value:
            self.fail("found an empty path", param, ctx)
        return super().convert(value, param, ctx)


PATH = _Path(readable=False)

MAX_BYTES = click.option(
    "--max-bytes",
    metavar="NUMBER",
    type=click.IntRange(min=1),
    default=100_000_000,
    show_default=True,
    help="Limit of all that is read, also from kustomize and helm.",
)
