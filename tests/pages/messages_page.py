"""Write the messages into docs/troubleshooting.md: `python -m tests.pages.messages_page --write`."""

import re
import sys
from itertools import groupby

from tests.pages.messages import ROOT, Message, read_messages

PAGE = ROOT / "docs/troubleshooting.md"
MARK = "<!-- made from docs/messages.yaml by `python -m tests.pages.messages_page --write` -->\n"


def page() -> str:
    """Return the page: what is written by hand, and one section for each group of messages."""
    written = PAGE.read_text().partition(MARK)[0]
    groups = groupby(read_messages(), key=lambda one: one.group)
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
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
