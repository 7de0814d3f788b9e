"""Names of the volumes that mounts add."""

import re
from json import dumps

from krm_fn.model.content_hash import short_digest
from krm_fn.model.mount import Mount
from krm_fn.stages.mount_elements import volume

PREFIX = "krm-fn-"
_MAX_LABEL = 63
_DIGEST_LENGTH = 8


def volume_name(set_name: str, mount: Mount) -> str:
    """A DNS label that tells volumes apart by what they say, and by nothing else.

    Not by content, so that it stays when a revision changes; nor by path and containers, so that mounts of the same
    volume share it. By the set, so that two functions in a chain do not take each other's. Another name rolls every
    pod: what is digested is what manifests hold, and may not change with the function.
    """
    names = [source.name for source in mount.sources]
    told = dumps([set_name, volume("", mount, names)], sort_keys=True)
    digest = short_digest(told)[:_DIGEST_LENGTH]
    readable = re.sub("[^a-z0-9]+", "-", "-".join(names).lower()).strip("-")
    room = _MAX_LABEL - len(PREFIX) - len(digest) - 1
    return f"{PREFIX}{readable[:room].rstrip('-')}-{digest}"
