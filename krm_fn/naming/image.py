"""References to images, as registries and kubelets accept them: the grammar of github.com/distribution/reference."""

import re

EXPECTED = "[HOST[:PORT]/]NAME[:TAG][@DIGEST] with NAME in lower case"

# Texts, as in `config.build`: only a configuration with an image needs them compiled.
_PART = "[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?"
_HOST = rf"({_PART}(\.{_PART})*|\[[a-fA-F0-9:]+\])(:[0-9]+)?"
_COMPONENT = "[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*"
_TAG = "[A-Za-z0-9_][-A-Za-z0-9_.]{0,127}"
_DIGEST = "sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}"
_IMAGE = rf"(?P<name>({_HOST}/)?{_COMPONENT}(/{_COMPONENT})*)(:(?P<tag>{_TAG}))?(@({_DIGEST}))?"
_VERSION = r"v?(?P<version>[0-9]+\.[0-9]+\.[0-9]+([-+.].*)?)"
_MOST = 255
"""Characters of a name. Source: `RepositoryNameTotalLengthMax`."""


def is_image(text: str) -> bool:
    """Tell whether a registry may have an image of this name."""
    found = re.fullmatch(_IMAGE, text)
    return found is not None and len(found["name"]) <= _MOST


def version_of(image: str) -> str:
    """Return `0.2.0` of `registry.example/krm-fn:v0.2.0`; `""` where the tag is missing or says something else."""
    tag = re.fullmatch(_IMAGE, image)
    version = re.fullmatch(_VERSION, tag["tag"] or "") if tag else None
    return version["version"] if version else ""
