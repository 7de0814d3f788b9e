"""`python -m tests.cluster.quick_linker` is `python -m krm_fn`, but waits a second before a deletion instead of ten."""

from typing import NoReturn

import krm_fn.__main__
from krm_fn.linker import link

SECONDS = 1.0


def main() -> NoReturn:
    """Run the command line."""
    link.GRACE = SECONDS
    krm_fn.__main__.main()


if __name__ == "__main__":
    main()
