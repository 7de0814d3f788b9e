"""Programs that read an object from files, and so do not look it up through the API.

An account that may read ConfigMaps says nothing about which. A program that is told the path of its file reads it
there; so does one whose source is known. docs/decisions/0049 has the error rates of both.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from posixpath import dirname, normpath

from krm_fn.model.item import Item
from krm_fn.model.node import Node, descend, elements, entries, get, is_scalar, read_path, text
from krm_fn.naming.names import base_name
from krm_fn.references.reference import Reference
from krm_fn.references.well_known import may_look_up

# Texts, which `re` compiles when they are first used (docs/decisions/0031).
_VOLUME = r"(?P<pod>.+)\.(?P<volume>volumes\[\d+\])\.(?:projected\.sources\[\d+\]\.)?(?:configMap|secret)\.\w+"
_CONTAINER = r"(?P<container>.+\.(?:containers|initContainers|ephemeralContainers)\[\d+\])"
_VARIABLE = rf"{_CONTAINER}\.env(?:From)?\[.+"
_ALL_VARIABLES = rf"{_CONTAINER}\.envFrom\[.+"
_PATH = r"(?<![\w.$})/-])/[\w.*?@%+/-]+"

_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
_CERTIFICATE = "tls.crt"


def reads_own_files(referrer: Item, references: Iterable[Reference], item: Item) -> bool:
    """Tell whether every container that reads an object is known to read it from the pod, and not through the API.

    `references`: those of the referrer to the object. One variable is no proof: programs that take one value from a
    variable look the others up. All its keys as variables (`envFrom`) are: nothing is left to look up. Nor is the path
    of a certificate a proof, which many programs renew through the API.
    """
    is_certificate = item.id.kind == "Secret" and _CERTIFICATE in _keys_of(item)
    for reference in references:
        has_all = re.fullmatch(_ALL_VARIABLES, reference.field) is not None
        for container, paths in _readers_of(referrer, reference, item):
            looks_up = may_look_up(text(get(container, "image")), item.id.kind, base_name(item))
            is_told = has_all or (not is_certificate and _is_told(container, paths))
            if looks_up or (looks_up is None and not is_told):
                return False
    return True


def _readers_of(referrer: Item, reference: Reference, item: Item) -> Iterator[tuple[Node | None, set[str]]]:
    """Yield the containers that read the object through a reference, and the paths at which each has its files."""
    volume = re.fullmatch(_VOLUME, reference.field)
    if volume is None:
        variable = re.fullmatch(_VARIABLE, reference.field)
        yield descend(referrer.node, read_path(variable["container"])) if variable else None, set()
        return
    pod = descend(referrer.node, read_path(volume["pod"]))
    name = text(get(descend(pod, read_path(volume["volume"])), "name"))
    files = _files_of_volume(reference, item)
    is_mounted = False
    for container in (one for field in _CONTAINERS for one in elements(get(pod, field))):
        mounts = [mount for mount in elements(get(container, "volumeMounts")) if text(get(mount, "name")) == name]
        if mounts:
            is_mounted = True
            yield container, {path for mount in mounts for path in _paths_of(mount, files)}
    if not is_mounted:
        yield None, set()


def _files_of_volume(reference: Reference, item: Item) -> list[str]:
    items = elements(reference.around.get("items"))
    return [text(get(one, "path")) for one in items] if items else _keys_of(item)


def _keys_of(item: Item) -> list[str]:
    return [key for field in ("data", "stringData", "binaryData") for key, _ in entries(get(item.node, field))]


def _paths_of(mount: Node, files: Iterable[str]) -> Iterator[str]:
    """Yield the paths of the files that a mount shows, and those of their folders.

    The folder of a file that is mounted alone only counts below another one: `/` and `/etc` hold too much else.
    """
    place, below = text(get(mount, "mountPath")), text(get(mount, "subPath")).strip("/")
    for file in files:
        path = ""
        if not below or file.startswith(f"{below}/"):
            path = normpath(f"{place}/{file.removeprefix(below)}")
        elif file == below:
            path = normpath(place)
        if path:
            yield path
            folder = dirname(path)
            if folder.count("/") > (file == below) and folder != "/":
                yield folder


def _is_told(container: Node | None, paths: Collection[str]) -> bool:
    """Tell whether an option or a variable of a container says one of these paths, maybe with wildcards."""
    said = [word.value for field in ("command", "args") for word in elements(get(container, field)) if is_scalar(word)]
    said += [text(get(variable, "value")) for variable in elements(get(container, "env"))]
    patterns = {normpath(found.rstrip(".")) for one in said for found in re.findall(_PATH, one)}
    return any(
        path.count("/") == pattern.count("/") and fnmatchcase(path, pattern) for pattern in patterns for path in paths
    )
