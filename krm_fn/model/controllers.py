"""How workloads ask Wave and Reloader to be rolled when configuration changes.

Wave: its README, and what its code reads. Reloader: its README and annotation reference; where these are silent (which
list wins, where an annotation may stand, what counts as true), its `ShouldReload`.
"""

from typing import NamedTuple

CONTROLLERS = {"wave": "Wave", "reloader": "Reloader"}

TEMPLATES = {
    ("apps", "Deployment"): "spec.template",
    ("apps", "StatefulSet"): "spec.template",
    ("apps", "DaemonSet"): "spec.template",
    ("argoproj.io", "Rollout"): "spec.template",
    ("batch", "CronJob"): "spec.jobTemplate.spec.template",
    ("batch", "Job"): "spec.template",
}
"""The workloads that Reloader rolls, and where their pod template is."""

# Wave. The opt-in stands on the workload itself; it counts everything its pods read, and what the lists name.
WAVE_KINDS = frozenset({"Deployment", "StatefulSet", "DaemonSet"})
WAVE_ON = ("wave.pusher.com/update-on-config-change", "true")
WAVE_EXTRA = {"ConfigMap": "wave.pusher.com/extra-configmaps", "Secret": "wave.pusher.com/extra-secrets"}
"""Comma lists of `name` or `namespace/name`."""

# Reloader. The opt-in stands on the workload or, if that says nothing, on its pod template.
RELOADER_AUTO = "reloader.stakater.com/auto"
"""Everything its pods read."""

RELOADER_SEARCH = "reloader.stakater.com/search"
"""Of what its pods read, that which carries the next one."""

RELOADER_MATCH = ("reloader.stakater.com/match", "true")
RELOADER_IGNORE = ("reloader.stakater.com/ignore", "true")
"""On ConfigMaps and Secrets. Ignored ones roll nothing."""

GO_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
"""What Go's `strconv.ParseBool` takes for true."""


class OfKind(NamedTuple):
    """Reloader's annotations about ConfigMaps, or about Secrets.

    `auto` is about all of this kind; `named` a comma list of anchored regular expressions, whether pods read the
    objects or not; `excluded` a comma list of names, on the workload alone, which wins over all others.
    """

    auto: str
    named: str
    excluded: str


RELOADER = {
    "ConfigMap": OfKind(
        "configmap.reloader.stakater.com/auto",
        "configmap.reloader.stakater.com/reload",
        "configmaps.exclude.reloader.stakater.com/reload",
    ),
    "Secret": OfKind(
        "secret.reloader.stakater.com/auto",
        "secret.reloader.stakater.com/reload",
        "secrets.exclude.reloader.stakater.com/reload",
    ),
}
