"""The files of a repository in which the name of an object stands as a word, beside its kind.

No rendering shows them: a person, a job, a program or a test looks the object up by that name, long
after the package was rendered. What a package builds is not searched: there, references follow. The
exception are templates of other charts, as each chart is a release of its own.
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import islice, product
from pathlib import Path, PurePosixPath

from krm_fn.base import keys
from krm_fn.base.node import elements, get, text
from krm_fn.base.problem import Problem, Rejected, ResourceId, Severity, listing
from krm_fn.base.settings import Strategy
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.tools.common.files import CHART, MANIFESTS, Allowance, Files, Limits, real_path
from krm_fn.tools.git.git import Repository

__all__ = ["MOST_LINES", "NamesElsewhere", "TextsOfRepository", "is_of_ci"]

MOST_LINES = 3
"""Lines that a message names."""

_MOST = 2_000
"""Files that are read, and folders that are looked into."""

_SECONDS_OF_GIT = 20
_MOST_BYTES = 20_000_000
_LONGEST = 1_000_000
"""In bytes, of one file. Files that people write by hand are far smaller."""

_OF_CI = frozenset({".github", ".gitlab", ".circleci", ".tekton", ".gitlab-ci.yml", "taskfile.yml"})
"""What holds YAML with scripts. All other hidden folders are passed over."""

_OF_OTHERS = frozenset({"node_modules", "vendor", "third_party"})
"""Folders that a repository copies from elsewhere."""

_NO_NEED = re.compile(
    r"(?:^|/)(?:changelog|release-notes)"  # what has been
    r"|^(?!.*\be2e\b).*(?:_test\.go|_test\.py|Test\.java)\Z"  # what unit tests make up
    r"|\.(?:jsonnet|libsonnet|cue|j2|tmpl)\Z",  # what manifests are generated from
    re.IGNORECASE,
)
"""Paths of files that name no object of a cluster, or not as of today."""

_PAGES = (".md", ".rst", ".adoc", ".txt", ".html")
_TEMPLATES = "templates"

_WORD = re.compile(
    r"(?:\b(?i:configmaps?|cm|secrets?)/|(?<![\w./-]))(?P<word>(?>[a-z0-9.-]+))(?![\w/])"
)
"""What may be a name, and is no part of a longer one, of a path or of an image."""

_KINDS = {
    "ConfigMap": re.compile(r"config[-_ ]?map(?!generator)|\bcm\b", re.IGNORECASE),
    "Secret": re.compile("secret", re.IGNORECASE),
}
_IN_TEXTS, _IN_TEMPLATES = 1, 2
"""Lines that the kind may be above the name. In a template, `key:` may be between them."""

_MAKES = re.compile(r"^[ \t{\"'-]*kind[\"']?:[ ]*[\"']?(?P<kind>ConfigMap|Secret)\b", re.MULTILINE)
_NAME = re.compile(r"\bname[\"']?:[ ]*[\"']?(?P<name>[a-z0-9.-]+)")
_APPLIED = re.compile(r"(?:-f|--filename)[ =]+[\"']?(?P<path>[\w./-]+)")
"""A file that a command hands to kubectl."""

_Called = tuple[str, str]
"""A kind and a name."""


class TextsOfRepository:
    """The files around a path: in its repository or, with `is_everywhere`, in the path itself.

    Nothing outside of the root that the limits set is read. The search ends silently after some
    thousand files: it is an advice, and proves nothing.
    """

    def __init__(self, path: Path, limits: Limits, *, is_everywhere: bool = False) -> None:
        self.top = _find_top(path, limits, is_everywhere=is_everywhere)

    def find(
        self, words: Collection[str], is_wanted: Callable[[PurePosixPath], bool]
    ) -> Iterator[tuple[PurePosixPath, str]]:
        """Yield files by their paths below the top: at least those that contain one of the words, if wanted."""
        if self.top is None or not words:
            return
        files = Files(self.top, Allowance(Limits(max_bytes=_MOST_BYTES)))
        tracked = _find_tracked(self.top, words)
        found = _walk(self.top, files) if tracked is None else map(PurePosixPath, tracked)
        with suppress(OSError, Rejected):
            for path in islice(filter(is_wanted, found), _MOST):
                content = _read(files, self.top / path)
                if content and all(map(_is_searched, path.parts[:-1])):
                    yield path, content


class NamesElsewhere:
    """Finds the names of a package in the other files of its repository."""

    def __init__(self, path: Path, limits: Limits, *, is_everywhere: bool = False) -> None:
        self.texts = TextsOfRepository(path, limits, is_everywhere=is_everywhere)
        self._place = real_path(path)

    def find(self, renamed: Collection[ResourceId]) -> Iterator[Problem]:
        """Find the files that name one of these objects, which are the renamed ones, by their base names."""
        # A name of one word, such as `config`, means too much else.
        wanted = {(who.kind, who.name) for who in renamed if "-" in who.name or "." in who.name}
        found = self._find_lines(wanted)
        for who in renamed:
            lines = found.get((who.kind, who.name), {})
            # What runs comes before what people read.
            order = sorted(lines, key=lambda one: one.suffix in _PAGES)
            if order:
                places = listing((f"{path}:{lines[path]}" for path in order), MOST_LINES)
                message = (
                    f"named in {places}: somebody or something there may look it up or apply it by this name, which "
                    f"changes with the content; change that, or annotate the {who.kind} with "
                    f"{keys.STRATEGY}: {Strategy.IGNORE}"
                )
                yield Problem(message, who, severity=Severity.WARNING)

    def _find_lines(self, wanted: set[_Called]) -> dict[_Called, dict[PurePosixPath, int]]:
        """Find for each object the files that name it, each with the number of the first line."""
        others: list[tuple[PurePosixPath, str, PurePosixPath | None]] = []
        written: dict[PurePosixPath | None, set[_Called]] = defaultdict(set)
        is_another = cache(self._is_another)
        names = {name for _, name in wanted}
        for path, content in self.texts.find(names, lambda one: not _NO_NEED.search(str(one))):
            chart = next((one.parent for one in path.parents if one.name == _TEMPLATES), None)
            if not _is_manifest(path):
                others.append((path, content, None))
                continue
            written[chart or path] |= _find_written(content) & wanted
            if chart and is_another(chart):
                others.append((path, content, chart))
        found: dict[_Called, dict[PurePosixPath, int]] = defaultdict(dict)
        for path, content, chart in others:
            # A chart that makes an object of the name itself reads that one.
            reach = _IN_TEMPLATES if chart else _IN_TEXTS
            for called, number in _find_words(content, wanted - written.get(chart, set()), reach):
                found[called].setdefault(path, number)
        for called, path, number in self._find_applied(written):
            found[called].setdefault(path, number)
        return found

    def _find_applied(
        self, written: Mapping[PurePosixPath | None, set[_Called]]
    ) -> Iterator[tuple[_Called, PurePosixPath, int]]:
        """Find the commands that hand a file to kubectl which makes an object of the name."""
        names = {path.name for path, objects in written.items() if path and objects}
        for path, content in self.texts.find(names, lambda one: not _is_manifest(one)):
            for number, line in enumerate(content.splitlines(), 1):
                for file, start in product(_APPLIED.findall(line), (PurePosixPath(), path.parent)):
                    applied = PurePosixPath(os.path.normpath(start / file))
                    yield from ((called, path, number) for called in written.get(applied, ()))

    def _is_another(self, folder: PurePosixPath) -> bool:
        """Tell whether this package is a chart, and the one in a folder no part of it, nor the other way round."""
        place = PurePosixPath(os.path.relpath(self._place, self.texts.top))
        (own, own_parts), (other, parts) = self._read_chart(place), self._read_chart(folder)
        is_nested = folder.is_relative_to(place) or place.is_relative_to(folder)
        return bool(own and other) and not (is_nested or own in parts or other in own_parts)

    def _read_chart(self, folder: PurePosixPath) -> tuple[str, set[str]]:
        """Return the name of a chart, "" if there is none, and those of the charts that it consists of."""
        top = self.texts.top or self._place
        files = Files(top, Allowance(Limits(max_bytes=_LONGEST)))
        names, parts = [""], set[str]()
        for file in (CHART, "requirements.yaml"):
            with suppress(Rejected):  # helm cannot read it either
                for root in read_yaml(_read(files, top / folder / file).encode()).roots:
                    names.append(text(get(root, "name")))
                    dependencies = elements(get(root, "dependencies"))
                    parts.update(text(get(part, "name")) for part in dependencies)
        return max(names), parts


def _find_top(path: Path, limits: Limits, *, is_everywhere: bool) -> Path | None:
    """Return the top of the repository around a path, or the path itself, below the root of the limits."""
    start = real_path(path)
    above = (start, *start.parents)
    repository = next((one for one in above if os.path.lexists(one / ".git")), None)
    top = repository or (start if is_everywhere and start.is_dir() else None)
    root = real_path(limits.root or Path("/"))
    if top is None or root.is_relative_to(top):
        return top and root
    return top if top.is_relative_to(root) else None


def _find_tracked(top: Path, words: Iterable[str]) -> list[str] | None:
    """Ask git for files with one of the words; None where it has no answer."""
    if os.path.lexists(top / ".git"):
        with suppress(Rejected):
            return Repository(top, Allowance(Limits(timeout=_SECONDS_OF_GIT))).find_texts(words)
    return None


def _walk(top: Path, files: Files) -> Iterator[PurePosixPath]:
    for folder, folders, names in islice(files.walk(top), _MOST):
        # A link may lead to what is read where it is, or out of the repository.
        folders[:] = [one for one in folders if _is_searched(one)]
        folders[:] = [one for one in folders if not (folder / one).is_symlink()]
        yield from (PurePosixPath((folder / name).relative_to(top)) for name in names)


def _read(files: Files, file: Path) -> str:
    """Read a file; "" for a link, a pipe, what is too large or elsewhere, and once all bytes are used up."""
    with suppress(OSError, Rejected):
        if not file.is_symlink() and file.is_file() and file.stat().st_size <= _LONGEST:
            return files.read(file).decode(errors="replace")
    return ""


def is_of_ci(path: PurePosixPath) -> bool:
    """Tell whether YAML at this path holds scripts, and no manifests."""
    return not _OF_CI.isdisjoint(part.lower() for part in path.parts)


def _is_searched(folder: str) -> bool:
    return folder in _OF_CI or not (folder.startswith(".") or folder in _OF_OTHERS)


def _is_manifest(path: PurePosixPath) -> bool:
    return path.name.endswith((*MANIFESTS, ".tpl")) and not is_of_ci(path)


def _find_words(content: str, wanted: set[_Called], reach: int) -> Iterator[tuple[_Called, int]]:
    """Yield the objects whose names stand as words beside their kinds, each with the number of the line."""
    said = dict.fromkeys(_KINDS, -reach)
    for number, line in enumerate(content.splitlines(), 1):
        words = {word.rstrip(".-") for word in _WORD.findall(line)}
        for kind, pattern in _KINDS.items():
            if pattern.search(line):
                said[kind] = number
            if number - said[kind] <= reach:
                yield from ((one, number) for one in product([kind], words) if one in wanted)


def _find_written(content: str) -> set[_Called]:
    """Return the objects that manifests or templates make."""
    written: set[_Called] = set()
    for document in content.split("\n---"):
        written.update(product(_MAKES.findall(document), _NAME.findall(document)))
    return written
