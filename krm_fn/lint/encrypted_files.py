"""Find what SOPS has encrypted and nobody decrypts before pods read it."""

from base64 import b64decode

from krm_fn.base.item import IS_ENCODED, about, is_encrypted, warning
from krm_fn.base.kind import DEPLOYERS
from krm_fn.base.node import Node, entries, get, is_scalar, step
from krm_fn.base.problem import Problems
from krm_fn.core.decide.run import Run
from krm_fn.core.names.names import authored_id
from krm_fn.lint.not_followed import Seen

# What SOPS writes, and what Flux looks for.
#
# Sources: getsops/sops: stores/dotenv/store.go, `EmitEncryptedFile`, appends a line for each part of
# the metadata; JSON, YAML and INI get a block `sops`, and other files become JSON.
# fluxcd/kustomize-controller: internal/decryptor/decryptor.go: `DecryptSources` decrypts files of a
# secretGenerator before the build, and `DecryptResource` values of built Secrets with these marks.
_SOPS_MAC = "sops_mac"
_ENCRYPTED = b"ENC[AES256_GCM,"
_MARKS_OF_SOPS = (b"sops_mac=ENC[", b"[sops]", b'"mac": "ENC[', b"mac: ENC[")

_ENV_FILE = (
    "is from an env file that SOPS has encrypted, and pods would get ciphertext: Flux decrypts such a file before it "
    "builds, and nobody does here; decrypt it before the build, or encrypt a manifest of the Secret instead"
)
_ENCRYPTED_FILE = (
    "is a file that SOPS has encrypted, and pods get the ciphertext: only Flux decrypts it, in Secrets; decrypt it "
    "before the build, or add flux to spec.deployers if Flux applies this Secret"
)


def find_encrypted_keys(seen: Seen) -> Problems:
    """Report what kustomize generates from an env file that SOPS encrypts: keys of SOPS, values that nobody decrypts.

    SOPS finds its metadata in one text. A generator makes a key of each line of it.
    """
    for item in seen.package.configs:
        if not item.is_config or item.is_local:
            continue
        for name, is_encoded in IS_ENCODED[item.id.kind].items():
            value = get(item.node, name, _SOPS_MAC)
            if value is not None and _ENCRYPTED in _read_value(value, is_encoded=is_encoded):
                yield about(item, _ENV_FILE, step(name, _SOPS_MAC))


def warn_about_encrypted_files(run: Run) -> Problems:
    """Warn about values that are whole files of SOPS. Flux decrypts those of Secrets, and of nothing else."""
    decrypts = any(DEPLOYERS[name].decrypts for name in run.settings.deployers)
    for item in run.package.configs:
        if not item.is_config or item.is_local or is_encrypted(item):
            continue
        if decrypts and item.id.kind == "Secret":
            continue
        for name, is_encoded in IS_ENCODED[item.id.kind].items():
            for key, value in entries(get(item.node, name)):
                if _is_file_of_sops(_read_value(value, is_encoded=is_encoded)):
                    yield warning(item, _ENCRYPTED_FILE, step(name, key), authored_id(item))


def _is_file_of_sops(content: bytes) -> bool:
    return _ENCRYPTED in content and any(mark in content for mark in _MARKS_OF_SOPS)


def _read_value(value: Node, *, is_encoded: bool) -> bytes:
    if not is_scalar(value):
        return b""
    written = value.value.encode(errors="replace")
    if not is_encoded:
        return written
    try:
        return b64decode(written)
    except ValueError:
        return b""
