"""What gives objects another name once they are rendered: a revision would get a second one.

Sources: kustomize's hash transformer, kapp's versioned resources, Spinnaker's Kubernetes provider.
"""

from collections.abc import Collection, Mapping

NEEDS_HASH_SUFFIX = "internal.config.kubernetes.io/needsHashSuffix"
"""Annotation by kustomize's generators: kustomize hashes the name at the end of the build."""

KAPP_VERSIONED = "kapp.k14s.io/versioned"
"""Annotation by the author, with any value: kapp adds `-ver-1`, and counts on with every change."""

SPINNAKER_VERSIONED = "strategy.spinnaker.io/versioned"
"""Annotation by the author: Spinnaker adds `-v000` to every ConfigMap and Secret unless this says something else."""

_SPINNAKER = "spinnaker"
_NOT_BY_SPINNAKER = "false"


def keep_name(annotations: Mapping[str, str], deployers: Collection[str]) -> dict[str, str | None]:
    """What to set and take away (None) so that the rendered name is the last."""
    spinnaker = {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if SPINNAKER_VERSIONED in annotations else {}
    return {NEEDS_HASH_SUFFIX: None, KAPP_VERSIONED: None, **spinnaker, **keep_new_name(deployers)}


def keep_new_name(deployers: Collection[str]) -> dict[str, str]:
    """The same for a ConfigMap that is made here."""
    return {SPINNAKER_VERSIONED: _NOT_BY_SPINNAKER} if _SPINNAKER in deployers else {}


def is_named_at_deploy(annotations: Mapping[str, str], deployers: Collection[str]) -> bool:
    """Whether nobody can tell before it is deployed what it will be called."""
    by_spinnaker = annotations.get(SPINNAKER_VERSIONED, "true" if _SPINNAKER in deployers else _NOT_BY_SPINNAKER)
    return KAPP_VERSIONED in annotations or by_spinnaker.lower() == "true"
