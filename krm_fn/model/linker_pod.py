"""What the linker's pod must say, whoever runs it."""

from krm_fn.model.edit import Value

NO_MESH_LABELS = {
    "sidecar.istio.io/inject": "false",
    "kuma.io/sidecar-injection": "disabled",
}

NO_MESH_ANNOTATIONS = {
    "linkerd.io/inject": "disabled",
    "consul.hashicorp.com/connect-inject": "false",
}
"""A sidecar that stays would keep the Job from ever being complete. From the meshes' own documentation."""

# Together the restricted Pod Security Standard. No user id: the image says 65534, and OpenShift hands out its own.
POD_SECURITY: dict[str, Value] = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}

CONTAINER_SECURITY: dict[str, Value] = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
