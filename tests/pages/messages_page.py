"""Write the messages into two pages: `python -m tests.pages.messages_page --write`.

docs/troubleshooting.md has those that people meet most often, docs/messages.md all others.
"""

import re
import sys
from itertools import groupby
from pathlib import Path

from tests.pages.messages import ROOT, Message, read_messages

FREQUENT, OTHERS = ROOT / "docs/troubleshooting.md", ROOT / "docs/messages.md"
MARK = "<!-- made from docs/messages.yaml by `python -m tests.pages.messages_page --write` -->\n"


def page(file: Path) -> str:
    """Return a page: what is written by hand, and one section for each group of its messages."""
    written = file.read_text().partition(MARK)[0]
    shown = [one for one in read_messages() if one.is_frequent == (file == FREQUENT)]
    groups = groupby(shown, key=lambda one: one.group)
    return (
        written
        + MARK
        + "".join(f"\n## {title}\n{''.join(map(_section, group))}" for title, group in groups)
    )


def _section(one: Message) -> str:
    return f"\n### {_code(one.says)}\n\n{one.means}\n\n**Do:** {one.do}\n"


def _code(text: str) -> str:
    """Return a message as code, with capitals for what varies.

    Some messages contain backticks themselves.
    """
    shown = re.sub(r"\{([a-z_]+)\}", lambda found: found[1].upper(), text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


if __name__ == "__main__":
    for file in (FREQUENT, OTHERS):
        if sys.argv[1:] == ["--write"]:
            file.write_text(page(file))
        else:
            print(page(file), end="")
