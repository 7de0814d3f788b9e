"""What no run can be faster than: the start of Python, and what libyaml says of the files, as Python objects.

It runs alone, as `python -I -S limit.py FOLDER FILE...`. The folder is where PyYAML is: of it, only the
binding of libyaml and the classes of its events are imported. The rest of PyYAML takes longer than
all that is measured here.
"""

import gc
import os
import sys


class _Unused:
    """A module of PyYAML of which the binding wants a class. None of them is made."""

    def __getattr__(self, name: str) -> type:
        return Exception


def main() -> None:
    gc.disable()  # as krm-fn does
    yaml = type(sys)("yaml")
    yaml.__path__ = [f"{sys.argv[1]}/yaml"]
    sys.modules["yaml"] = yaml
    vars(yaml)["__getattr__"] = lambda _: _Unused()
    import yaml.events  # noqa: PLC0415  # it must find the above
    from yaml._yaml import CParser  # noqa: PLC0415  # the same

    for file in sys.argv[2:]:
        with open(file, "rb") as stream:  # noqa: PTH123  # pathlib takes longer than the rest
            parser = CParser(stream.read())
        while parser.check_event():
            parser.get_event()
    os._exit(0)  # as krm-fn does: nothing is freed


if __name__ == "__main__":
    main()
