"""The labels and annotations this project puts on objects or reads from them."""

PREFIX = "revisions.krm-fn.io/"

SET = PREFIX + "set"
"""Label on revisions: the functionConfig's name."""

BASE_NAME = PREFIX + "base-name"
"""Annotation on revisions: the name the author gave."""

RETAIN = PREFIX + "retain"
"""Annotation on revisions that no known referrer names when rendered."""

STRATEGY = PREFIX + "strategy"
"""Annotation by the author on a ConfigMap or Secret: overrides the configured strategy."""

MOUNTS = "mounts." + PREFIX
"""Annotation on workloads, one for each set, whose name ends it: what the set's last run mounted."""

LOCAL_CONFIG = "config.kubernetes.io/local-config"
"""Annotation by the author: for tools only, never applied."""
