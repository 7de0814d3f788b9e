"""Which texts kustomize takes for the address of a repository or of a file elsewhere.

Its spelling is generous: `git@host:a/b`, `GitHub.com/a/b`, `git::https://host/a/b` and
`file:///repo` are all cloned.
"""

import posixpath
import re

_URL = re.compile(r"https?:[^\x00-\x1f\x7f]*", re.IGNORECASE)
_FORCED_GIT = "git::"
_SCHEME = re.compile(r"(?:ssh|https?|file)://", re.IGNORECASE)
_USER = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*@")
_GITHUB = re.compile(r"github\.com[/:]", re.IGNORECASE)
_REPOSITORY_SEGMENTS = 2
"""Of the path, as on GitHub: `organisation/repository`."""


def is_remote_file(path: str) -> bool:
    """Tell whether kustomize gets a file by HTTP, whatever is on the disk under this name."""
    return _URL.fullmatch(path) is not None


def is_repository(path: str) -> bool:
    """Tell whether kustomize clones a base, even if there is a directory of this name."""
    if path.startswith("/"):
        return False
    rest = path.partition("?")[0]
    if rest[: len(_FORCED_GIT)].lower() == _FORCED_GIT:
        rest = rest[len(_FORCED_GIT) :]
    scheme, rest = _split(_SCHEME, rest)
    user, rest = _split(_USER, rest)
    is_like_scp = not scheme and bool(user or _GITHUB.match(rest))
    if not scheme and not is_like_scp:
        return False
    if scheme.lower() == "file://":
        return _is_repository_path(user + rest, segments=0)
    host, rest = _split_host(rest, is_like_scp=is_like_scp)
    return bool(host) and _is_repository_path(rest, segments=_REPOSITORY_SEGMENTS)


def _split(prefix: re.Pattern[str], text: str) -> tuple[str, str]:
    found = prefix.match(text)
    return (found[0], text[found.end() :]) if found else ("", text)


def _split_host(text: str, *, is_like_scp: bool) -> tuple[str, str]:
    """Split after the host: at the first slash, or at a colon before it, as in `git@host:a/b`."""
    end = text.find("/")
    colon = text.find(":")
    if is_like_scp and (end == -1 or 0 < colon < end):
        end = colon
    return (text, "") if end == -1 else (text[: end + 1], text[end + 1 :])


def _is_repository_path(path: str, segments: int) -> bool:
    """Tell whether a path names a repository, and a directory in it that does not lead out of it."""
    repository, inside = _split_repository(path, segments)
    return (
        bool(repository) and posixpath.normpath(inside.removeprefix("/")).partition("/")[0] != ".."
    )


def _split_repository(path: str, segments: int) -> tuple[str, str]:
    """Split after the repository: at `_git/NAME`, `//` or `.git`, else after a number of segments; 0: after all."""
    before, marker, after = path.partition("_git/")
    if marker:
        name, _, inside = after.partition("/")
        return before + marker + name, inside
    before, marker, after = path.partition("//")
    if marker:
        return before, after
    before, marker, after = path.partition(".git")
    if marker:
        return before + marker, after
    parts = path.split("/")
    if not segments:
        return path, ""
    return (
        ("/".join(parts[:segments]), "/".join(parts[segments:]))
        if len(parts) >= segments
        else ("", "")
    )
