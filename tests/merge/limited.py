"""The merge driver with other limits, and with the labels that git passes from version 2.45 on.

It notes each answer, as git shows none of them.
"""

import json
import os
import sys
from pathlib import Path

from krm_fn.tools.common.files import Limits
from krm_fn.tools.merge.merge import DriverCall, drive
from krm_fn.tools.merge.merge_package import Versions
from tests.cases import ENVIRONMENT

NOTES = "NOTES_OF_THE_DRIVER"
LIMITS = "LIMITS_OF_THE_DRIVER"
LABELS = "LABELS_OF_THE_DRIVER"


def main() -> int:
    base, ours, theirs, path, size = sys.argv[1:]
    max_bytes, timeout = json.loads(os.environ[LIMITS])
    labels = tuple(json.loads(os.environ[LABELS]))
    call = DriverCall(Versions(Path(base), Path(ours), Path(theirs)), path, size, labels)
    outcome = drive(call, ENVIRONMENT, Limits(max_bytes=max_bytes, timeout=timeout, are_fixed=True))
    with Path(os.environ[NOTES]).open("a") as notes:
        notes.write(json.dumps([path, outcome.exit_code, outcome.stderr]) + "\n")
    return outcome.exit_code


if __name__ == "__main__":
    sys.exit(main())
