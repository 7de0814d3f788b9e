"""Names of the volumes this project adds."""

import re
from dataclasses import asdict
from json import dumps

from krm_fn.model.content_hash import short_digest
from krm_fn.model.mount import Mount

PREFIX = "krm-fn-"
_MAX_LABEL = 63
_DIGEST_LENGTH = 8


def volume_name(set_name: str, mount: Mount) -> str:
    """A DNS label that tells volumes apart by all that is said of them, and nothing else.

    Not by content, so that it stays when a revision changes; nor by path and containers, so that mounts of the same
    volume share it. By the set, so that two functions in a chain do not take each other's.
    """
    told = [set_name, mount.projected, mount.default_mode, [asdict(source) for source in mount.sources]]
    digest = short_digest(dumps(told))[:_DIGEST_LENGTH]
    readable = re.sub("[^a-z0-9]+", "-", "-".join(source.name for source in mount.sources).lower()).strip("-")
    room = _MAX_LABEL - len(PREFIX) - len(digest) - 1
    return f"{PREFIX}{readable[:room].rstrip('-')}-{digest}"
