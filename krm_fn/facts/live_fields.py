"""What an API server makes of the fields of an object, and what people leave in it.

APPLIERS: managers of fields that kubectl applies, and what it calls those of an object from before it did so
(kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go; csaupgrade in client-go; structured-merge-diff
of the API server, `before-first-apply`).
BY_HAND: managers of what somebody has changed: commands of kubectl, which set their name as the manager (`FieldManager` in
each), Argo CD's pages, k9s, Lens, and consoles that pass on what the browser calls itself.

OPEN_MAPS: mappings with keys of their author. The API server adds none to them, where it adds defaults to all others.
QUANTITIES: mappings of quantities; QUANTITY_FIELDS: fields that are one. The API server writes `1000m` as `1`, and
`1024Mi` as `1Gi` (apimachinery/pkg/api/resource/quantity.go, `CanonicalizeBytes`).
SERVER_MARKS: labels and annotations that it adds in the name of
whoever sends the request (pkg/apis/apps/v1/conversion.go, pkg/apis/autoscaling/annotations.go, defaults of Namespaces).
"""

APPLIERS = ("kubectl", "kubectl-client-side-apply", "kubectl-last-applied", "before-first-apply")

BY_HAND = (
    "kubectl",
    "kubectl-annotate",
    "kubectl-edit",
    "kubectl-label",
    "kubectl-patch",
    "kubectl-rollout",
    "kubectl-scale",
    "kubectl-set",
    "argocd-server",
    "k9s",
    "node-fetch",
    "Mozilla",
)

OPEN_MAPS = ("annotations", "binaryData", "data", "labels", "stringData")

QUANTITIES = (
    "allocatable",
    "capacity",
    "default",
    "defaultRequest",
    "hard",
    "limits",
    "max",
    "min",
    "podFixed",
    "requests",
)
QUANTITY_FIELDS = ("averageValue", "divisor", "sizeLimit", "storage")

SERVER_MARKS = (
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/metrics",
    "deprecated.daemonset.template.generation",
    "kubernetes.io/metadata.name",
)
