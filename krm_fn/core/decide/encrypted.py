"""What SOPS has encrypted, and which edits that forbids.

A name is of ciphertext, so who encrypts the same values again gets other names.

Sources: getsops/sops: sops.go, `shouldBeEncrypted` and `Decrypt`: a plain value in an encrypted place is an error, and
the MAC covers every value unless `mac_only_encrypted` is set. fluxcd/kustomize-controller:
internal/decryptor/decryptor.go, `checkSopsMac`: "not enabled by default", and only its tests set it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from krm_fn.base import keys
from krm_fn.base.deployer import DEPLOYERS, protections_of
from krm_fn.base.item import Item
from krm_fn.base.node import (
    TRUE,
    FieldPath,
    get,
    is_mapping,
    spell,
    texts,
)
from krm_fn.base.settings import Settings
from krm_fn.core.decide.reason import Reason, ReasonCode


def is_encrypted(item: Item) -> bool:
    """Tell whether the object has the block in which SOPS keeps its metadata, as Flux recognises it."""
    block = get(item.node, "sops")
    return item.is_config and is_mapping(block) and bool(texts(block).get("mac"))


def why_encrypted(item: Item, settings: Settings) -> Reason | None:
    """Say why an encrypted object must not get another name, label or annotation; None where it may.

    What this function writes must not be what SOPS encrypts or, unless nobody looks at it, what its MAC covers.
    """
    if not is_encrypted(item):
        return None
    block = texts(get(item.node, "sops"))
    for path in _written(settings):
        if _is_covered(path, block):
            text = (
                f"its encryption covers {spell(path)}; encrypt only its data, with encrypted_regex: ^(data|stringData)$"
            )
            return Reason(ReasonCode.BOUND, text, item, "sops")
    # With a deployer that does not decrypt by itself, a plugin does, and that checks the MAC.
    checks_no_mac = bool(settings.deployers) and all(DEPLOYERS[name].decrypts for name in settings.deployers)
    if block.get("mac_only_encrypted") in TRUE or checks_no_mac:
        return None
    text = (
        "the MAC of SOPS covers its name; set mac_only_encrypted: true when you encrypt it, "
        "or deployers: [flux] if Flux decrypts it, which checks no MAC"
    )
    return Reason(ReasonCode.BOUND, text, item, "sops.mac")


def _written(settings: Settings) -> Iterator[FieldPath]:
    """Yield the fields that a revision gets."""
    yield "metadata", "name"
    yield "metadata", "labels", keys.SET
    protections = [one.annotation for one in protections_of(settings.deployers)]
    for annotation in (keys.BASE_NAME, keys.WANTED, keys.RETAIN, *protections):
        yield "metadata", "annotations", annotation
    if settings.immutable:
        yield ("immutable",)


def _is_covered(path: FieldPath, block: Mapping[str, str]) -> bool:
    """Tell whether SOPS encrypts a field, by the rules that the object was encrypted with, in the order of SOPS."""
    names = [str(name) for name in path]
    is_covered = True
    if (suffix := block.get("unencrypted_suffix")) and any(name.endswith(suffix) for name in names):
        is_covered = False
    if suffix := block.get("encrypted_suffix"):
        is_covered = any(name.endswith(suffix) for name in names)
    if (pattern := block.get("unencrypted_regex")) and _matches_any(pattern, names):
        is_covered = False
    if pattern := block.get("encrypted_regex"):
        is_covered = _matches_any(pattern, names)
    return is_covered and not block.get("encrypted_comment_regex")


def _matches_any(pattern: str, names: Iterable[str]) -> bool:
    try:
        compiled = re.compile(pattern)
    except re.error:
        return False  # as in SOPS, a pattern that nothing can read matches none
    return any(compiled.search(name) for name in names)
