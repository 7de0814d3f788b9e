"""Write the deployers into every list of them, from their facts: `python -m tests.pages.deployer_lists --write`.

The sentence of each in the schema, its row in docs/deployers.md and its page are written by hand.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from krm_fn.base.kind import DEPLOYERS
from krm_fn.base.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = {
    one.name: f"deployers/{one.name.lower().replace(' ', '-')}.md" for one in DEPLOYERS.values()
}
"""The page of each deployer below docs/."""

_WIDTH = 140


class Replaced(NamedTuple):
    """A pattern that a file has once, and the text that belongs there."""

    file: str
    pattern: str
    text: str

    def apply(self) -> str:
        before = (ROOT / self.file).read_text()
        text, count = re.subn(self.pattern, lambda _: self.text, before, flags=re.DOTALL)
        assert count == 1, f"{self.file} has {self.pattern} {count} times"
        return text


def find_lists() -> Iterator[Replaced]:
    """Yield each list of deployers: what it is written between, and what it has to say."""
    defaults = Settings().deployers
    words = ", ".join(f"`{name}`" for name in DEPLOYERS)
    first, last = ", ".join(f"`{name}`" for name in defaults[:-1]), f"`{defaults[-1]}`"
    schema = "schemas/configrevisions-revisions.krm-fn.io-v1.json"
    yield Replaced(schema, r"(?<=\"Your deployers: )[^.]+", words)
    yield Replaced(
        schema, r"(?<=on prune and on uninstall\. Default: )[^.]+", f"{first} and {last}"
    )
    yield Replaced(schema, r'(?<="enum": )\["argocd"[^]]*\]', json.dumps([*DEPLOYERS]))
    yield Replaced(schema, r'(?<="default": )\["argocd"[^]]*\]', json.dumps(defaults))
    others = ", ".join(f"`{name}`" for name in DEPLOYERS if name not in defaults)
    yield Replaced(
        "README.md",
        r"(?<=not the default, )`\[[^|]+(?= \|)",
        f"`[{', '.join(defaults)}]`: also {others}",
    )
    doors = ", ".join(_links("docs/", "kubectl"))
    yield Replaced(
        "README.md",
        r"(?<=Other ways to run it: )[^.]+\.md\)(?:[^.]+\.md\))*",
        _fill(doors, column=23),
    )
    *most, end = _links("", "kustomize", "kubectl")
    yield Replaced(
        "docs/deployers.md",
        r"(?<=has a page of its own:\n).*?(?=\.\nThey say)",
        _fill(f"{', '.join(most)} and {end}"),
    )
    entries = [f"          - {title}: {page}\n" for title, page in PAGES.items()]
    yield Replaced(
        "mkdocs.yml",
        r"(?<=- kustomize: deployers/kustomize\.md\n).*?(?=          - kubectl:)",
        "".join(entries),
    )


def _links(folder: str, *others: str) -> list[str]:
    pages = {**PAGES, **{name: f"deployers/{name}.md" for name in others}}
    return [f"[{title}]({folder}{page})" for title, page in pages.items()]


def _fill(text: str, column: int = 0) -> str:
    """Break the list into lines, of which the first begins in this column. Names stay whole."""
    indent = " " * column
    joined = text.replace(" CD]", "~CD]")
    lines = fill(joined, _WIDTH, initial_indent=indent, break_on_hyphens=False)
    return lines[column:].replace("~", " ")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for one in find_lists():
            (ROOT / one.file).write_text(one.apply())
