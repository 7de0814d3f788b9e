"""Merged with the driver, a package is what it would be if its authors' texts were merged first, and then rendered."""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from krm_fn.tools.common.files import DEFAULT_LIMITS, Allowance
from krm_fn.tools.merge.merge import DriverCall, merge_as_git
from krm_fn.tools.merge.merge_package import Merged, PackageFiles, Versions, merge
from tests.cases import ENVIRONMENT
from tests.merge.generated import authored_files, package, tell
from tests.merge.test_merges import CONFLICT, OURS, objects, render
from tests.volume import part_of, seed_of

ALLOWANCE = Allowance(DEFAULT_LIMITS._replace(timeout=3600, max_bytes=10**12))
CALL = DriverCall(Versions(Path(), Path(), Path()))
MERGES = 300


class Tree(NamedTuple):
    """What git has after a merge: files, those with a conflict, and what the driver said: `""` where it rendered."""

    files: PackageFiles
    conflicts: set[str]
    said: set[str]


def as_git(versions: Versions[bytes]) -> Merged:
    return merge_as_git(versions, ALLOWANCE, CALL)


def merge_tree(packages: Versions[PackageFiles], *, with_driver: bool) -> Tree:
    """Merge as git does: a file that only one side has changed is that of this side, and no driver is asked."""
    files: dict[str, bytes] = {}
    conflicts, said = set(), set()
    for path in sorted({path for one in packages for path in one}):
        base, ours, theirs = (one.get(path, b"") for one in packages)
        if base in {ours, theirs} or ours == theirs:
            files[path] = theirs if base == ours else ours
            continue
        merged = (
            merge(path, packages, as_git, ENVIRONMENT)
            if with_driver
            else as_git(Versions(base, ours, theirs))
        )
        files[path] = merged.data
        conflicts |= {path} if merged.has_conflict else set()
        said.add(merged.unrendered)
    return Tree(files, conflicts, said)


def resolve(tree: Tree) -> Mapping[str, str]:
    return {
        name: CONFLICT.sub(lambda found: found[OURS], text)
        for name, text in authored_files(tree.files).items()
    }


@pytest.mark.volume
@pytest.mark.parametrize("number", range(part_of(MERGES)))
def test_it_is_as_if_the_authors_texts_had_been_merged(number: int) -> None:
    story = tell(random.Random(seed_of(number)))
    expected = merge_tree(Versions(*map(package, story.authored)), with_driver=False)
    tree = merge_tree(Versions(*map(package, story.in_git)), with_driver=True)
    assert tree.conflicts == expected.conflicts
    assert len(tree.said) <= 1, "all answers agree"
    wanted = render(resolve(expected))
    found = render(resolve(tree))
    assert (found.files is None) == (wanted.files is None), found.said
    if wanted.files is not None and found.files is not None:
        assert objects(found.files) == objects(wanted.files)
        if tree.said == {""}:
            files = authored_files(tree.files)
            assert objects(files) == objects(wanted.files)
            assert render(files).files == files, "references too are those of a rendering"
