"""Write the same objects in every YAML style: what a text may look like, for one and the same meaning.

A style is chosen by chance at each step. `Styles.used` names the choices that a message may be about.
"""

import json
import re
from random import Random
from typing import Any

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
COMMENTS = ["# c", "#", "# a: b", "# {x: [1, 'y", "#- z", "# für 雪 🚀", "# &a *b !c | > % @ `"]

# What may be shared by an anchor without being edited. Anything else that is shared may have to be
# refused.
UNEDITED = {"data", "stringData", "selector", "ports", "resources", "args", "env"}


class Styles:
    """Writes values. `used`: the styles for which the function may refuse a text."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.used: set[str] = set()
        self.anchors: dict[str, str] = {}
        self.count = 0
        self.tag_handle = "!!"
        self.is_ended = False
        self.keeps_breaks = self.chance(0.2)
        self.liberal = self.chance(0.1)
        self.share = self.chance(0.3)
        self.comments = self.chance(0.5)
        self.flow = rng.choice([0.1, 0.1, 0.3, 0.9])
        self.fancy = rng.choice([0.02, 0.1, 0.4])

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def stream(self, documents: list[Any]) -> str:
        """Write documents, with directives, markers and comments around them."""
        return "".join(self._document(document, index) for index, document in enumerate(documents))

    def _document(self, value: Any, index: int) -> str:
        self.anchors = {}
        self.tag_handle = "!!"
        head = self.comment_lines(0)
        marker = index > 0 or self.chance(0.3)
        if self.chance(self.fancy):
            head += self._directives()
            marker = True
            if index and not self.is_ended:
                head = "..." + self.end_of_line() + head
        if marker:
            head += "---" + self.end_of_line()
        body = self.comment_lines(0) + self.top(value)
        self.is_ended = self.chance(self.fancy)
        return head + body + ("..." + self.end_of_line() if self.is_ended else "")

    def _directives(self) -> str:
        directives = []
        if self.chance(0.5):
            directives.append(f"%YAML 1.{self.rng.choice('12')}")
        if self.chance(0.5):
            self.tag_handle = "!k!"
            directives.append("%TAG !k! tag:yaml.org,2002:")
        return "".join(one + self.end_of_line() for one in directives)

    def top(self, value: Any) -> str:
        if self.chance(self.flow * 0.5):
            return self.write_flow(value, 0, "") + self.end_of_line()
        indent = self.rng.choice([0, 0, 0, 0, 2])
        return self.block_mapping(value, indent, "")

    # Comments and white space

    def end_of_line(self) -> str:
        """Write the rest of a line: perhaps spaces, perhaps a comment."""
        if self.comments and self.chance(0.2):
            return self.rng.choice([" ", "  ", "\t"]) + self.rng.choice(COMMENTS) + "\n"
        return (
            self.rng.choice(["", "", "", "", " ", "  "] if self.chance(self.fancy) else [""]) + "\n"
        )

    def comment_lines(self, indent: int) -> str:
        """Write blank lines and comments between entries."""
        lines = ""
        while self.chance(0.1 if self.comments else self.fancy * 0.2):
            if self.comments and self.chance(0.7):
                lines += (
                    " " * self.rng.choice([indent, indent, 0]) + self.rng.choice(COMMENTS) + "\n"
                )
            elif not self.keeps_breaks:
                lines += self.rng.choice(["", "", " "]) + "\n"
        return lines

    # Block style

    def block_mapping(self, value: dict[str, Any], indent: int, path: str) -> str:
        """Write the lines of a mapping that is not empty."""
        text = ""
        entries = list(value.items())
        merged = self._merge(entries, indent, path)
        text += merged
        list_offset = self.rng.choice([0, 0, 2, 2, 1, 4])
        for number, (key, one) in enumerate(entries):
            if number or merged:
                text += self.comment_lines(indent)
            text += " " * indent + self.entry(key, one, indent, f"{path}/{key}", list_offset)
        return text

    def _merge(self, entries: list[tuple[str, Any]], indent: int, path: str) -> str:
        """Write some of the first fields behind a merge key."""
        if not self.share or not self.liberal or len(entries) < 3 or not self.chance(0.1):
            return ""
        self.used.add("merge key")
        moved = dict(entries[:1])
        del entries[:1]
        return " " * indent + "<<: " + self.write_flow(moved, indent, path) + "\n"

    def entry(self, key: str, value: Any, indent: int, path: str, list_offset: int) -> str:
        name = self.key(key)
        if self.chance(self.fancy * 0.3):
            return self.explicit_entry(name, value, indent, path)
        colon = self.rng.choice([" :", "  :", ":"]) if self.chance(self.fancy) else ":"
        return name + colon + self.after_colon(value, indent, path, list_offset)

    def explicit_entry(self, name: str, value: Any, indent: int, path: str) -> str:
        start = "? " + name + self.end_of_line()
        if value is None and self.chance(0.3):
            return start
        body = self.after_colon(value, indent, path, 2)
        return start + self.comment_lines(indent) + " " * indent + ":" + body.replace("\t", " ", 1)

    def key(self, key: str, *, flow: bool = False) -> str:
        style = self.rng.random()
        if style < self.fancy * 0.5:
            return json.dumps(key)
        if style < self.fancy:
            return f"'{key}'"
        if style < self.fancy * 1.2:
            return f"{self.tag_handle}str {key}"
        if style < self.fancy * 1.4 and not flow:
            return f"&{self.new_anchor()} {key}"
        return key

    def after_colon(self, value: Any, indent: int, path: str, list_offset: int) -> str:
        alias = self.alias(value, path)
        if alias:
            return self.space() + alias + self.end_of_line()
        props = self.properties(value, path)
        if isinstance(value, dict | list) and value and not self.chance(self.flow):
            if isinstance(value, dict):
                body = self.block_mapping(
                    value, indent + self.rng.choice([2, 2, 2, 1, 3, 4, 7]), path
                )
            else:
                body = self.block_list(value, indent + list_offset, path)
            return (
                (" " + props if props else "")
                + self.end_of_line()
                + self.comment_lines(indent + 1)
                + body
            )
        return self.inline(value, props, indent, path)

    def inline(self, value: Any, props: str, indent: int, path: str) -> str:
        """Write a scalar or a flow collection behind a colon or a dash."""
        lead = self.space() + (props + " " if props else "")
        if isinstance(value, dict | list):
            return lead + self.write_flow(value, indent, path) + self.end_of_line()
        if isinstance(value, str) and self.chance(0.6 if "\n" in value else self.fancy * 0.5):
            block = self.block_scalar(value, indent)
            if block:
                return lead + block
        # On a line of its own.
        if value is not None and not props and self.chance(self.fancy * 0.3):
            lead = self.end_of_line() + " " * (indent + self.rng.randint(1, 5))
        text = self.scalar(value, indent, in_flow=False)
        return (lead.rstrip(" ") if not text and not props else lead) + text + self.end_of_line()

    def block_list(self, value: list[Any], indent: int, path: str) -> str:
        text = ""
        gap = self.rng.choice([1, 1, 1, 3]) if self.chance(self.fancy) else 1
        for number, one in enumerate(value):
            text += self.comment_lines(indent) if number else ""
            text += " " * indent + "-" + self.after_dash(one, indent, gap, f"{path}/[]")
        return text

    def after_dash(self, value: Any, indent: int, gap: int, path: str) -> str:
        alias = self.alias(value, path)
        if alias:
            return " " * gap + alias + self.end_of_line()
        props = self.properties(value, path)
        if isinstance(value, dict | list) and value and not self.chance(self.flow):
            inner = indent + 1 + gap
            if props or self.chance(self.fancy):  # on the next line
                deeper = indent + self.rng.randint(1, 4)
                body = (
                    self.block_mapping(value, deeper, path)
                    if isinstance(value, dict)
                    else self.block_list(value, deeper, path)
                )
                return (" " + props if props else "") + self.end_of_line().replace("\t", " ") + body
            body = (
                self.block_mapping(value, inner, path)
                if isinstance(value, dict)
                else self.block_list(value, inner, path)
            )
            return " " * gap + body[inner:]
        return " " * gap + self.inline(value, props, indent, path).lstrip(" \t")

    def space(self) -> str:
        return self.rng.choice(["  ", "\t", " "]) if self.chance(self.fancy * 0.5) else " "

    # Anchors, aliases and tags

    def new_anchor(self) -> str:
        self.count += 1
        return f"a{self.count}"

    def alias(self, value: Any, path: str) -> str:
        """Return an alias of an equal value in the same document, or nothing."""
        if not self.may_share(value, path) or not self.chance(0.7):
            return ""
        name = self.anchors.get(repr(value), "")
        if name and not self.is_unedited(path):
            self.used.add("alias")
        return f"*{name}" if name else ""

    def properties(self, value: Any, path: str) -> str:
        """Return an anchor, a tag, both, or nothing."""
        found = []
        if self.may_share(value, path) and self.chance(0.5):
            name = self.anchors[repr(value)] = self.new_anchor()
            found.append(f"&{name}")
            if not self.is_unedited(path):
                self.used.add("alias")
        elif self.chance(self.fancy * 0.2):
            found.append(f"&{self.new_anchor()}")
        if self.chance(self.fancy * 0.3):
            kind = {dict: "map", list: "seq", str: "str", bool: "bool", int: "int"}.get(type(value))
            # Ruamel reads an empty text with this tag as null.
            if kind == "str" and value and self.chance(0.2):
                found.append("!")
            elif kind:
                found.append(self.tag_handle + kind)
        self.rng.shuffle(found)
        return " ".join(found)

    def may_share(self, value: Any, path: str) -> bool:
        return self.share and value not in (None, "") and (self.liberal or self.is_unedited(path))

    def is_unedited(self, path: str) -> bool:
        return not UNEDITED.isdisjoint(path.split("/"))

    # Scalars

    def scalar(self, value: Any, indent: int, *, in_flow: bool) -> str:
        if value is None:
            return self.rng.choice(
                ["~", "null", "Null", "NULL"] if in_flow else ["", "", "~", "null", "Null", "NULL"]
            )
        if isinstance(value, bool | int):
            return json.dumps(value)
        return self.text(value, indent)

    def text(self, value: str, indent: int) -> str:
        """Write text plain or in quotes."""
        style = self.rng.random()
        if PLAIN.fullmatch(value) and value.lower() not in WORDS:
            if style >= self.fancy:
                return value
            if style < self.fancy * 0.2:
                return self.folded(value, indent)
        if value.isprintable() and style < self.fancy * 0.6:
            quoted = value.replace("'", "''")
            return f"'{self.folded(quoted, indent) if self.chance(0.5) else quoted}'"
        # JSON writes a character beyond these as two, which no YAML library reads.
        is_escapable = max(value, default="") < "\uffff"
        quoted = str(json.dumps(value, ensure_ascii=is_escapable and self.chance(0.5)))
        return self.folded(quoted, indent) if self.chance(self.fancy) else quoted

    def folded(self, text: str, indent: int) -> str:
        """Break a text at some of its spaces."""
        if "  " in text or text.strip() != text:
            return text
        pieces = text.split(" ")
        result = pieces[0]
        for piece in pieces[1:]:
            breaks = piece and not piece.startswith("#") and self.chance(0.5)
            result += ("\n" + " " * (indent + self.rng.randint(1, 6)) if breaks else " ") + piece
        return result

    def block_scalar(self, value: str, indent: int) -> str:
        """Write `|` or `>` with its lines; nothing if the value cannot be written so."""
        lines = value.split("\n")
        is_writable = value.replace("\n", " ").isprintable() and all(
            line == line.rstrip() for line in lines
        )
        depth = self.rng.choice([1, 2, 4])
        content = lines[:-1] if value.endswith("\n") else lines
        if not is_writable or not content or not content[-1]:
            return ""
        chomp = ("+" if self.keeps_breaks else "") if value.endswith("\n") else "-"
        needs_digit = content[0].startswith(" ") or not content[0]
        digit = str(depth) if needs_digit or self.chance(0.2) else ""
        header = digit + chomp if self.chance(0.5) else chomp + digit
        is_foldable = self.chance(0.3) and all(
            line and not line.startswith(" ") for line in content
        )
        body = "\n\n".join(map(self._spread, content)).split("\n") if is_foldable else content
        text = "".join((" " * (indent + depth) + line if line else "") + "\n" for line in body)
        return (">" if is_foldable else "|") + header + self.end_of_line() + text

    def _spread(self, line: str) -> str:
        return re.sub(r"(?<=\S) (?=\S)", lambda _: "\n" if self.chance(0.3) else " ", line)

    # Flow style

    def write_flow(self, value: Any, indent: int, path: str) -> str:
        """Write a value in braces and brackets, perhaps on several lines, all deeper than `indent`."""
        if isinstance(value, dict):
            parts = [
                self.flow_pair(key, one, indent, f"{path}/{key}") for key, one in value.items()
            ]
            return self._brackets("{}", parts, indent)
        if isinstance(value, list):
            return self._brackets(
                "[]", [self.flow_value(one, indent, f"{path}/[]") for one in value], indent
            )
        return self.scalar(value, indent, in_flow=True)

    def flow_pair(self, key: str, value: Any, indent: int, path: str) -> str:
        if value is None and self.chance(0.5):
            return self.key(key, flow=True)
        start = "? " if self.chance(self.fancy * 0.2) else ""
        name = self.key(key, flow=True)
        text = self.flow_value(value, indent, path)
        if name.startswith('"') and self.chance(0.3) and text[:1] in ('"', "{", "["):
            return f"{start}{name}:{text}"
        colon = (
            self.rng.choice([" :", "\n" + " " * (indent + 2) + ":"])
            if self.chance(self.fancy * 0.5) and start
            else ":"
        )
        return f"{start}{name}{colon}{self.flow_gap(indent) or ' '}{text}"

    def flow_value(self, value: Any, indent: int, path: str) -> str:
        alias = self.alias(value, path)
        if alias:
            return alias + " "
        props = self.properties(value, path)
        return (props + " " if props else "") + self.write_flow(value, indent, path)

    def _brackets(self, brackets: str, parts: list[str], indent: int) -> str:
        gap = self.flow_gap(indent)
        text = brackets[0] + gap
        for number, part in enumerate(parts):
            text += part
            last = number == len(parts) - 1
            if not last or self.chance(self.fancy * 0.5):
                text += (self.flow_gap(indent) if self.chance(self.fancy * 0.2) else "") + ","
                text += self.flow_gap(indent) or " "
        return text + self.flow_gap(indent) + brackets[1]

    def flow_gap(self, indent: int) -> str:
        """Return white space inside of brackets: nothing, spaces, or line breaks with comments."""
        if not self.chance(self.fancy):
            return ""
        if self.chance(0.5):
            return " "
        comment = " " + self.rng.choice(COMMENTS) if self.comments and self.chance(0.3) else ""
        return comment + "\n" + " " * (indent + self.rng.randint(1, 8))
