"""The labels and annotations this project puts on objects or reads from them."""

import re

PREFIX = "revisions.krm-fn.io/"

SET = PREFIX + "set"
"""Label on revisions and emitted objects: the name of the functionConfig."""

SET_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?")
"""The names that a set may have: the beginning of the names of objects, and the value of a label."""

BASE_NAME = PREFIX + "base-name"
"""Annotation on revisions: the name that the author gave."""

RETAIN = PREFIX + "retain"
"""Annotation on revisions without a consumer that the linker can see: it never deletes them."""

WANTED = PREFIX + "wanted"
"""Annotation on revisions and trackers: `"true"` as rendered.

The linker removes it before it deletes the object.
"""

STRATEGY = PREFIX + "strategy"
"""Annotation by the author on a ConfigMap or Secret. It overrides the configured strategy."""

ASKED_FIXED_NAME = PREFIX + "fixed-name"
"""Annotation on an object that is left alone because its generator has `disableNameSuffixHash: true`.

Behind kustomize nothing else says so: another run, and `krm-fn verify`, would choose the object.
"""

NAMED_BY_KUSTOMIZE = PREFIX + "named-by-kustomize"
"""Annotation on a revision whose base name kustomize has taken away, while something still knows it."""

MADE_ANEW = PREFIX + "made-anew"
"""Annotation on an object that is left alone because its chart makes it anew on every rendering."""

CHECKSUM = PREFIX + "checksum"
"""Annotation on workloads: the name of the annotation on their pod templates that holds our checksum."""

MOUNTS = "mounts." + PREFIX
"""Annotation on workloads, followed by the name of a set: what the last run of that set mounted."""

LOCAL_CONFIG = "config.kubernetes.io/local-config"
"""Annotation by the author: the object is only for tools and never applied."""

DECLARES_FUNCTION = ("config.kubernetes.io/function", "config.k8s.io/function")
"""Annotations of which one makes an object the configuration of a function, whatever its kind."""

MANAGED_BY = "app.kubernetes.io/managed-by"
"""Label with the name of the tool that manages an object."""

BY_HELM = "Helm"
"""Its value on all that Helm applies: Helm writes it over what is rendered."""

COMPONENT = PREFIX + "component"
"""Label on what this project emits beside revisions."""

LINKER = "linker"
"""Its value on the Job, its ServiceAccount, Role and RoleBinding, and the inventory."""

LINKER_RUN = PREFIX + "linker"
"""Annotation on the inventory of a set without a Job of its own: who runs the linker for it."""

SHARED_LINKER = "shared"
"""Its value: one linker for all such sets of the namespace. It deletes in no set that does not say so."""

RENDERED = PREFIX + "rendered"
"""Annotation on the inventory: the names of all rendered revisions in its namespace, with commas."""

KINDS = PREFIX + "kinds"
"""Annotation on revisions and trackers: the kinds, beyond those that each linker lists, of which an object may
reference it: those that do in this rendering, and what their controllers make of them.
"""

SEEN_KINDS = PREFIX + "seen-kinds"
"""Annotation by the linker on them: the kinds of all renderings and objects that a run has seen.

A deployer takes away what it does not render any more, and the garbage collector owners that are gone.
"""

TOLD_KINDS = PREFIX + "told-kinds"
"""Annotation on the inventory: `spec.linker.kinds`. Whoever lists a kind there lists what it makes, too."""

FORMER_SETS = PREFIX + "take-over"
"""Annotation on the inventory: `spec.takeOver`, the sets of which the linker deletes what is left."""

LEAVING = PREFIX + "leaving"
"""Annotation on the inventory, `"true"`: the linker takes its owners off whatever it does not delete.

It is on revisions and trackers, too, so that an admission policy can tell.
"""

DEFAULT_NAMESPACE = PREFIX + "default-namespace"
"""Annotation on an inventory: the namespace of objects that set none, where others beside them set it.

Who reads the output alone would take it for lost.
"""

TRACKER = "secret-tracker"
"""The label's value on trackers: empty ConfigMaps that each stand for a Secret revision."""

HOOK_COPY = "hook-copy"
"""The label's value on copies of ConfigMaps for hooks."""

COPY_OF = PREFIX + "copy-of"
"""Annotation on such a copy: the base name of what it was copied from."""

COPY_INFIX = "-presync-"
"""What the name of such a copy has between that base name and the set: another set may have the base name too."""

OWNS_SECRET = PREFIX + "owns-secret"
"""Annotation that the linker puts on a tracker once its Secret has it as an owner, and so is deleted with it."""

MADE_BY = PREFIX + "made-by"
"""Annotation on a tracker whose Secret another object makes: kind and name of that object, which the tracker owns."""

STANDS_FOR = PREFIX + "stands-for"
"""Annotation on a tracker that does not stand for a Secret: the kind that it stands for, under its name."""

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""Annotation by `kubectl apply`: the whole object as it was applied, and so the values of a Secret."""

KPT_INVENTORY = "config.k8s.io/owning-inventory"
"""Annotation by kpt on the objects that it has applied.

It removes the annotation from those it no longer manages.
"""

PACKAGE_PATH = "internal.config.kubernetes.io/package-path"
"""Annotation by kpt: the folder of the package that the object is in.

Subpackages may repeat names.
"""

NEEDS_HASH_SUFFIX = "internal.config.kubernetes.io/needsHashSuffix"
"""Annotation by kustomize's generators: kustomize adds the hash to the name at the end of the build."""

IS_GENERATED = "internal.config.kubernetes.io/generatorBehavior"
"""Annotation by kustomize on what its generators make, whether it adds a hash or not."""

FIXED_NAME = "internal.config.kubernetes.io/krm-fn-fixed-name"
"""Annotation by our own reader of kustomizations: the file whose generator has `disableNameSuffixHash: true`."""

TAKEN_NAME = "internal.config.kubernetes.io/krm-fn-taken-name"
"""Annotation by our own reader of kustomizations: the file whose `replacements` take the name, without a hash."""

DEPENDS_ON = "config.kubernetes.io/depends-on"
"""kpt's annotation about the order of applying: `group/namespaces/namespace/kind/name`, separated by commas."""
