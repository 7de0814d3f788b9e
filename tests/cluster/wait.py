"""What `release` and `linker_job` import from here until they are changed: everything is in `tests.wait`."""

from tests.wait import PATIENCE as WITHIN
from tests.wait import until

__all__ = ["WITHIN", "until"]
