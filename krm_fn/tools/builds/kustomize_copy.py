"""A copy of what kustomize reads, in which it does not run krm-fn, but says what krm-fn would have seen.

Where krm-fn is not listed, the copy only says which names objects had: kustomize does not follow names in kinds that it
does not know, as a Rollout. There a kustomization around the copy has the patches.

kustomize runs its transformers before it hashes names and follows them. Until then each object has internal annotations
with its earlier names, which references that only krm-fn knows still say; kustomize removes them at its end. So in the
place of krm-fn it gets patches of its own that copy these annotations under other names. The patches turn objects into
JSON and back, which rounds long numbers: where there may be one, kustomize builds once more without them.
"""

import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from krm_fn.base.changes import Changes, Patch
from krm_fn.base.keys import LOCAL_CONFIG
from krm_fn.base.node import Node, children, is_scalar, walk
from krm_fn.base.problem import Rejected, ResourceId
from krm_fn.core.yaml.yaml import apply_changes, open_envelope, read_yaml
from krm_fn.tools.builds.kustomization import KustomizeTree, Plugin
from krm_fn.tools.common.files import prove_below
from krm_fn.tools.common.program import held_signals, temporary_folder

_INTERNAL = "internal.config.kubernetes.io"
_KEPT = (
    ("previousNames", "previousNamespaces", "previousKinds"),
    ("prefixes",),
    ("suffixes",),
    ("needsHashSuffix",),
    ("generatorBehavior",),
)
"""What is said about names. The annotations of a group are only there together."""

_FORMER = _KEPT[:3]
"""The annotations about the names that an object had."""

_LONG_NUMBER = re.compile(rb"[0-9]{16}")


class KustomizeCopy:
    """Where kustomize builds: in a stage, below which all paths are as they are below `/`."""

    def __init__(self, tree: KustomizeTree, stage: Path) -> None:
        self._tree = tree
        self._stage = stage
        self._domain = f"{_INTERNAL}.{secrets.token_hex(16)}"  # nothing in the tree can contain it
        for folder in tree.folders:
            self.locate(folder).mkdir(parents=True, exist_ok=True)
        for path, data in tree.files.items():
            self._write(path, data)
        # The last run of krm-fn undoes all that one in a base has done.
        nothing, *_ = _patches(self._domain, self._domain, _FORMER)
        for function in tree.functions:
            self._replace(function, nothing)
        self._write_patches(_INTERNAL)

    @property
    def plain(self) -> Path:
        """The copy of the directory that is to be built."""
        return self._below(self._tree.directory)

    @property
    def directory(self) -> Path:
        """The copy of the directory that is to be built, or what is around it."""
        return self.plain if self._tree.function else self._stage / self._domain

    def select_nothing(self) -> None:
        """Let the patches change nothing."""
        self._write_patches(self._domain)

    def original(self, printed: bytes) -> bytes:
        """Return what kustomize prints with the paths of the tree."""
        return printed.replace(os.fsencode(self._stage), b"")

    def restore(self, built: bytes) -> bytes:
        """Return what kustomize has built, with the internal annotations under their own names."""
        return built.replace(f"{self._domain}/".encode(), f"{_INTERNAL}/".encode())

    def _write_patches(self, selected: str) -> None:
        function = self._tree.function
        patches = "\n---\n".join(_patches(self._domain, selected, _KEPT if function else _FORMER))
        if function is None:
            self._write_around(patches)
            return
        file = function.kustomization.with_name(f"{self._domain}.yaml")
        # kustomize runs transformers that are in place before those of files.
        entry = patches if function.is_inline else file.name
        self._replace(function, entry)
        self._write(file, patches.encode())

    def _replace(self, function: Plugin, entry: str) -> None:
        before = self._tree.files[function.kustomization]
        self._write(function.kustomization, _with_entry(before, function, entry))

    def _write_around(self, patches: str) -> None:
        self.directory.mkdir(exist_ok=True)
        write_around(self.directory, self.plain, patches)

    def _write(self, path: Path, data: bytes) -> None:
        copy = self.locate(path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(data)

    def locate(self, path: Path) -> Path:
        """Return the place of a path behind all its links, and make these links: kustomize judges paths by them."""
        real = Path(os.path.realpath(path))
        while path != real:
            link = next(parent for parent in (*reversed(path.parents), path) if parent.is_symlink())
            target = Path(os.path.realpath(link))
            copy = self._below(link)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.is_symlink():
                copy.symlink_to(self._below(target))
            path = target / path.relative_to(link)
        return self._below(real)

    def _below(self, path: Path) -> Path:
        return prove_below(self._stage / path.relative_to("/"), self._stage)


def write_around(directory: Path, folder: Path, patches: str) -> None:
    """Write a kustomization that builds a folder, and then applies patches."""
    around = {"resources": [os.path.relpath(folder, directory)], "transformers": [patches]}
    (directory / "kustomization.yaml").write_text(json.dumps(around))


def plain_plugins() -> str:
    """Return patches for what a folder builds, so that kustomize prints what it would run as plugins.

    At its end, kustomize leaves out objects for tools, and hashes names. It runs plugins before that.
    """
    return "\n---\n".join(map(_remove, (LOCAL_CONFIG, f"{_INTERNAL}/needsHashSuffix")))


def _remove(annotation: str) -> str:
    operation = {"op": "remove", "path": f"/metadata/annotations/{annotation.replace('/', '~1')}"}
    return _write_patch(annotation.rpartition("/")[2].lower(), [operation], annotation)


def _write_patch(name: str, operations: list[dict[str, str]], selected: str) -> str:
    """Write a patch of each object that has an annotation."""
    patch = {
        "apiVersion": "builtin",
        "kind": "PatchTransformer",
        "metadata": {"name": f"krm-fn-{name}"},
        "patch": json.dumps(operations),
        "target": {"annotationSelector": selected},
    }
    return json.dumps(patch)


@contextmanager
def copied(tree: KustomizeTree) -> Iterator[KustomizeCopy]:
    """Write the copy, and remove it when the block is left, or when this process ends, whatever ends it.

    It has to hold what is in the files: kustomize reads no file through a link that leads out of its folder.
    """
    with held_signals(), temporary_folder() as stage:
        yield KustomizeCopy(tree, stage)


def may_be_rounded(built: bytes) -> bool:
    """Tell whether there may be a number that a patch of kustomize has rounded: an integer from 2**53 on."""
    return _LONG_NUMBER.search(built) is not None


def graft(plain: bytes, patched: bytes) -> bytes:
    """Return what was built without the patches, with the internal annotations of what was built with them."""
    noted = read_notes(patched)
    envelope = open_envelope(read_yaml(plain))
    changes = Changes(
        patches=tuple((item, _annotate(noted.get(item.id, {}))) for item in envelope.items)
    )
    return apply_changes(envelope, changes).text.encode()


def _annotate(annotations: dict[str, str]) -> Patch:
    return {"metadata": {"annotations": annotations}} if annotations else {}


def _internal(annotations: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in annotations.items() if name.startswith(f"{_INTERNAL}/")}


def read_notes(built: bytes) -> dict[ResourceId, dict[str, str]]:
    """Return the internal annotations of each object."""
    return {item.id: _internal(item.annotations) for item in open_envelope(read_yaml(built)).items}


def _with_entry(kustomization: bytes, function: Plugin, value: str) -> bytes:
    """Return the text of the kustomization with another entry in the place of krm-fn.

    Prove it by reading it again.
    """
    document = read_yaml(kustomization)
    start = function.entry.start
    entry = next(node for node in walk(document.roots) if is_scalar(node) and node.start == start)
    tail = "\n" if entry.style in ("|", ">") else ""
    before, behind = document.text[:start], document.text[entry.end :]
    edited = f"{before}{json.dumps(value)}{tail}{behind}".encode()
    try:
        is_proven = _flatten(read_yaml(edited).roots) == _flatten(document.roots, {entry: value})
    except Rejected:
        is_proven = False
    if not is_proven:
        message = "cannot take krm-fn out of this text; write a plain list, with an entry that no other place shares"
        raise Rejected(function.problem(message))
    return edited


def _flatten(
    roots: list[Node], changed: Mapping[Node, str] = MappingProxyType({})
) -> list[tuple[str, ...]]:
    """Return all that a text says, in its order, with the new values of scalars that are to be changed."""
    flat: list[tuple[str, ...]] = []
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        value = changed.get(node, node.value) if is_scalar(node) else str(len(node.value))
        flat.append((node.id, node.tag or "", value))
        stack += reversed([*children(node)])
    return flat


def _patches(domain: str, selected: str, kept: Iterable[tuple[str, ...]]) -> Iterator[str]:
    for names in kept:
        operations = [
            {
                "op": "copy",
                "from": f"/metadata/annotations/{_INTERNAL}~1{name}",
                "path": f"/metadata/annotations/{domain}~1{name}",
            }
            for name in names
        ]
        yield _write_patch(names[0].lower(), operations, f"{selected}/{names[0]}")
