"""Run krm-fn, and call `getsid` where one phase ends and another begins, for callgrind.

It runs alone, with the Python of an installed copy: `python in_phases.pyc LABELS NAME=PHASE... -- ARGUMENT...`.
Nothing else calls `getsid`, and callgrind writes what it has counted since the last call. The file LABELS gets
the phase that each of these parts belongs to, a line each.

A name is `module:function` or `module:Class.method`, or `module:Class` for all that is found at the
first question. A function is replaced where it is named, when its module has been imported and before
others import it from there. So nothing is imported earlier than without this.
"""

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

_bootstrap: Any = sys.modules["_frozen_importlib_external"]  # importlib would be one more import

OWN = "in_phases"
"""The phase of what this program itself needs."""

_phases: list[str] = ["start"]
_labels: list[str] = []


def _mark() -> None:
    os.getsid(0)
    _labels.append(_phases[-1])


def _marked(function: Callable[..., Any], phase: str) -> Callable[..., Any]:
    """Return a function whose time is the phase's, except where another phase begins within."""
    assert not function.__code__.co_flags & 0x20, f"{function.__qualname__} is a generator"

    def marked(*arguments: Any, **named: Any) -> Any:
        _mark()
        _phases.append(phase)
        try:
            return function(*arguments, **named)
        finally:
            _mark()
            _phases.pop()

    return marked


def _replace(module: ModuleType, path: str, phase: str) -> None:
    from functools import cached_property  # noqa: PLC0415  # krm-fn has imported it

    *owners, last = path.split(".")
    owner: Any = module
    try:
        for name in owners:
            owner = getattr(owner, name)
        found = getattr(owner, last)
    except AttributeError:
        sys.exit(f"PHASES names {module.__name__}:{path}, and there is none")
    if isinstance(found, type):
        for one in vars(found).values():
            if isinstance(one, cached_property):
                one.func = _marked(one.func, phase)
    else:
        setattr(owner, last, _marked(found, phase))


class _Finder:
    """Finds the modules with these functions, and has them replaced at the end of the import."""

    def __init__(self, phases: dict[str, str]) -> None:
        self.of_module: dict[str, list[tuple[str, str]]] = {}
        for name, phase in phases.items():
            module, _, path = name.partition(":")
            self.of_module.setdefault(module, []).append((path, phase))

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        wanted = self.of_module.pop(name, None)
        spec = wanted and _bootstrap.PathFinder.find_spec(name, path, target)
        if spec:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                for one, phase in wanted or ():
                    _replace(module, one, phase)

            spec.loader.exec_module = exec_module
        return spec


def main() -> None:
    _mark()
    _phases[:] = [OWN]
    labels, rest = sys.argv[1], sys.argv[2:]
    end = rest.index("--")
    finder = _Finder(dict(one.split("=") for one in rest[:end]))
    sys.meta_path.insert(0, finder)
    sys.argv[1:] = rest[end + 1 :]
    _mark()
    _phases[:] = ["start"]
    import krm_fn.__main__ as program  # noqa: PLC0415  # what this costs is counted

    def end_process(exit_code: int) -> None:
        _mark()
        for name in [*finder.of_module]:  # not imported by this run; are all of them there?
            try:
                __import__(name)
            except ModuleNotFoundError:
                sys.exit(f"PHASES names the module {name}, and there is none")
        with open(labels, "w") as file:  # noqa: PTH123  # pathlib would be one more import
            file.write("\n".join(_labels))
        os._exit(exit_code)

    vars(program)["end_process"] = end_process
    program.main()


if __name__ == "__main__":
    main()
