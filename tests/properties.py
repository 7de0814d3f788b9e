"""Check what holds for every fixture: one test a fixture reads it once, and checks all properties.

`holds = Properties[Package]()` is a decorator for functions of a package, whose names are
sentences; the test calls `holds.check(package, of="its-name")`.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Subject = TypeVar("Subject")


class Properties(Generic[Subject]):
    """The properties of a kind of subjects, such as packages. The name of each is a sentence."""

    def __init__(self) -> None:
        self._properties: list[Callable[[Subject], None]] = []

    def __call__(self, one: Callable[[Subject], None]) -> Callable[[Subject], None]:
        """Add a property: an instance is a decorator."""
        self._properties.append(one)
        return one

    def check(self, subject: Subject, of: str) -> None:
        """Check all properties, also after one that does not hold, and name those and what they are `of`."""
        assert self._properties
        failed = {}
        for one in self._properties:
            try:
                one(subject)
            except Exception as error:  # noqa: BLE001  # whatever it is, the others may say more
                failed[one.__name__.replace("_", " ")] = error
        if failed:
            message = f"{of}: it does not hold that {', or that '.join(failed)}"
            raise ExceptionGroup(message, [*failed.values()])
