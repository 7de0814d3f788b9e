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

CHECKSUM = PREFIX + "checksum"
"""Annotation on workloads: the annotation of their pod templates that holds a checksum of ours."""

LOCAL_CONFIG = "config.kubernetes.io/local-config"
"""Annotation by the author: for tools only, never applied."""
