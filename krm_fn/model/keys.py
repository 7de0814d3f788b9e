"""The labels and annotations this project puts on objects or reads from them."""

PREFIX = "revisions.krm-fn.io/"

SET = PREFIX + "set"
"""Label on revisions: the functionConfig's name."""

BASE_NAME = PREFIX + "base-name"
"""Annotation on revisions: the name the author gave."""

RETAIN = PREFIX + "retain"
"""Annotation on revisions that nothing names in the linker's sight when rendered: it never deletes them."""

STRATEGY = PREFIX + "strategy"
"""Annotation by the author on a ConfigMap or Secret: overrides the configured strategy."""

CHECKSUM = PREFIX + "checksum"
"""Annotation on workloads: the annotation of their pod templates that holds a checksum of ours."""

MOUNTS = "mounts." + PREFIX
"""Annotation on workloads, one for each set, whose name ends it: what the set's last run mounted."""

LOCAL_CONFIG = "config.kubernetes.io/local-config"
"""Annotation by the author: for tools only, never applied."""

COMPONENT = PREFIX + "component"
"""Label on what this project emits beside revisions."""

LINKER = "linker"
"""Its value on the Job, its ServiceAccount, Role and RoleBinding, and the roster."""

RENDERED = PREFIX + "rendered"
"""Annotation on the roster: the names of all revisions that a rendering has in a namespace, with commas."""

TAG = "secret-tag"
"""Its value on the empty ConfigMap that keeps a Secret."""
