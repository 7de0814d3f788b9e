"""Write the frequent messages into docs/troubleshooting.md: `python -m tests.pages.messages_page --write`.

`krm-fn explain --message` has all of them.
"""

import re
import sys
from itertools import groupby

from tests.pages.messages import GAP, ROOT, Message, read_messages

PAGE = ROOT / "docs/troubleshooting.md"
MARK = "<!-- made from docs/messages.yaml by `python -m tests.pages.messages_page --write` -->\n"


def page() -> str:
    """Return the page: what is written by hand, and one section for each group of its messages."""
    written = PAGE.read_text().partition(MARK)[0]
    shown = [one for one in read_messages() if one.is_frequent]
    groups = groupby(shown, key=lambda one: one.group)
    return (
        written
        + MARK
        + "".join(f"\n## {title}\n{''.join(map(_section, group))}" for title, group in groups)
    )


def _section(one: Message) -> str:
    paragraphs = (one.means, one.do and f"**Do:** {one.do}")
    return "".join(f"\n{text}\n" for text in (f"### {heading(one)}", *paragraphs) if text)


def heading(one: Message) -> str:
    """Return a message as code, with `…` for what varies: a name of it would be found by a search.

    Some messages contain backticks themselves.
    """
    shown = re.sub(r"…(?:[ /]*…)+", "…", re.sub(GAP, "…", one.says)).removeprefix("…: ")
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
