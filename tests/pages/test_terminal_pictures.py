"""docs/images shows what krm-fn prints at a terminal."""

import re
from html import unescape

from tests.pages.terminal_pictures import DIFF, HISTORY, THEMES, find_pictures

PRINTED = {
    "diff-at-a-terminal.svg": DIFF / "diff.txt",
    "history-at-a-terminal.svg": HISTORY / "output.txt",
}


def test_a_picture_has_the_words_that_are_printed_today() -> None:
    pictures = {file.name: (file.read_text(), picture) for file, picture in find_pictures()}
    assert pictures.keys() == PRINTED.keys()
    for name, (recorded, picture) in pictures.items():
        assert recorded == picture, "run `python -m tests.pages.terminal_pictures --write`"
        shown = [
            unescape(text).strip() for text in re.findall("<text[^>]*>([^<]*)</text>", picture)
        ]
        assert " ".join(shown).split() == PRINTED[name].read_text().split() * len(THEMES)
