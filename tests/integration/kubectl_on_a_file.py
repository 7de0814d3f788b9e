"""A `kubectl` for the commands in docs/migration.md that uses a file as its cluster.

The first argument is the path of the real kubectl.
"""

import subprocess
import sys
from pathlib import Path

import yaml

CLUSTER = Path("cluster.yaml")


def main(kubectl: str, verb: str, *arguments: str) -> None:
    if verb == "get":
        print(CLUSTER.read_text())
    elif verb == "apply":
        CLUSTER.write_bytes(Path(arguments[1]).read_bytes())
    else:
        _, name, *changes = arguments
        items = list(yaml.safe_load_all(CLUSTER.read_text()))
        (index,) = (index for index, item in enumerate(items) if item["metadata"]["name"] == name)
        items[index] = yaml.safe_load(
            _change([kubectl, verb, "--local", "-f", "-", "-o", "yaml", *changes], items[index])
        )
        CLUSTER.write_text(yaml.safe_dump_all(items))


def _change(command: list[str], item: object) -> bytes:
    """Return the object as the real kubectl changes it."""
    return subprocess.run(
        command, input=yaml.safe_dump(item).encode(), capture_output=True, check=True
    ).stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
