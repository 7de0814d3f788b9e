"""Check a chart before helm reads it, its archives too.

helm follows links to anywhere, and reads whatever the JSON Schema of a chart's values refers to:
files and addresses.
"""

import gzip
import io
import json
import posixpath
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from krm_fn.base.problem import Problem, Rejected
from krm_fn.tools.common.files import Allowance, Files, read_all

SCHEMA = "values.schema.json"
_ARCHIVE = ".tgz"

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")

_DRAFTS = ("", "draft-04/", "draft-06/", "draft-07/", "draft/2019-09/", "draft/2020-12/")
_DIALECTS = frozenset(
    f"{scheme}://json-schema.org/{draft}schema" for scheme in ("http", "https") for draft in _DRAFTS
)
"""The schemas of schemas that helm contains."""

_MOST_NESTED = 20
"""Charts in charts; real ones stay under 5."""


def check_chart(directory: Path, allowance: Allowance, root: Path | None) -> None:
    """Check all files that helm reads, hidden ones too. Raises Rejected."""
    files = Files(root or directory, allowance)
    for here, folders, names in files.walk(directory):
        if here == directory and ".git" in folders:
            # No repository can contain one, and it may be larger than all else.
            folders.remove(".git")
        for name in names:
            file = here / name
            if name == SCHEMA:
                _check_schema(str(file), files.read(file))
            elif here.name == "charts" and name.endswith(_ARCHIVE):
                _check_archive(str(file), files.read(file), allowance, 1)
            else:
                files.check(file)


def _check_archive(name: str, data: bytes, allowance: Allowance, level: int) -> None:
    """Check the schemas in a packed chart, and in those that it contains."""
    if level > _MOST_NESTED:
        raise Rejected(Problem(f"has more than {_MOST_NESTED} charts in one another", file=name))
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            unpacked = read_all(cast("BinaryIO", packed), name, allowance)
        for member, content in _read_members(name, unpacked):
            path = posixpath.normpath(member.replace("\\", "/"))  # as helm does
            if path.rpartition("/")[2] == SCHEMA:
                _check_schema(f"{name}/{path}", content)
            elif path.endswith(_ARCHIVE):
                _check_archive(f"{name}/{path}", content, allowance, level + 1)
    except (EOFError, OSError, zlib.error, tarfile.TarError) as error:
        message = "is no chart that can be read: it must be a tar file, packed by gzip"
        raise Rejected(Problem(message, file=name)) from error


def _read_members(name: str, unpacked: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file, exactly those that helm's reader finds."""
    with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
        for member in archive:
            opened = None if member.issym() or member.islnk() else archive.extractfile(member)
            if opened:
                yield member.name, opened.read()
        # Where this reader stops early, and where it takes a name from a header for all files,
        # helm's does not.
        if not archive.pax_headers.keys() <= {"comment"} or any(unpacked[archive.offset :]):
            raise Rejected(
                Problem(
                    "is packed in a way that may hide files; pack it with helm package", file=name
                )
            )


def _check_schema(name: str, data: bytes) -> None:
    text = data.decode("utf-8-sig", errors="replace")
    try:
        schema = json.loads(text, object_pairs_hook=_Pairs)
        _check_value(name, schema, "")
    except (ValueError, RecursionError) as error:
        raise Rejected(
            Problem("is no JSON that can be read, which it must be", file=name)
        ) from error


class _Pairs(list[tuple[str, Any]]):
    """All fields of an object, those with the same name too."""


def _check_value(name: str, value: Any, field: str) -> None:
    """Raise Rejected for a reference that leads out of the file, wherever it is: helm's library follows all."""
    if isinstance(value, _Pairs):
        for key, child in value:
            where = f"{field}.{key}" if field else key
            if isinstance(child, str) and not _is_inside(key, child):
                message = "leads out of the file; only references that begin with # and published drafts are allowed"
                raise Rejected(Problem(message, field=where, file=name))
            _check_value(name, child, where)
    elif isinstance(value, list):
        for position, child in enumerate(value):
            _check_value(name, child, f"{field}[{position}]")


def _is_inside(key: str, text: str) -> bool:
    if key == "$schema":
        return text.removesuffix("#") in _DIALECTS
    return key not in _REFERENCES or text.startswith("#")
