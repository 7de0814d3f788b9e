"""Pin one more version of a program: `python tests/tools/pin.py kubernetes v1.34.4` writes its go.mod and go.sum.

The programs are those of the version that is tested by default. What replaces modules is in the version's own go.mod. A
word in versions.toml then lets `KUBERNETES=1.34` choose it.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.tools.build import FAMILIES, Family, download, read_versions, run_go

OLDEST_GO_WITH_TOOLS = "1.24.0"


def pin(family: Family, version: str) -> Path:
    """Write the folder of a version, and return it."""
    default = _read(family.folder / read_versions()[family.name].default / "go.mod")
    own = _read(Path(download(f"{family.module}@{version}", family.folder)["GoMod"]))
    folder = family.folder / version
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text(f"module tools/{family.name}\n")
    options = [
        f"-go={max(own['Go'], OLDEST_GO_WITH_TOOLS, key=_numbers)}",
        f"-require={family.module}@{version}",
    ]
    options += [f"-tool={tool['Path']}" for tool in default["Tool"]]
    for row in own["Replace"] or ():
        new = row["New"]
        # A part that is a folder of the same repository is published beside it; those of Kubernetes
        # v1.34.4 as v0.34.4.
        own_version = version.replace("v1.", "v0.", 1) if family.name == "kubernetes" else version
        new_path, new_version = (
            (new["Path"], new["Version"]) if "Version" in new else (row["Old"]["Path"], own_version)
        )
        options.append(f"-replace={row['Old']['Path']}={new_path}@{new_version}")
    run_go("mod", "edit", *options, folder=folder)
    run_go("mod", "tidy", folder=folder)
    return folder


def _read(go_mod: Path) -> Any:
    return json.loads(run_go("mod", "edit", "-json", str(go_mod), folder=go_mod.parent))


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


if __name__ == "__main__":
    name, chosen = sys.argv[1:]
    print(pin(next(family for family in FAMILIES if family.name == name), chosen))
