"""Run the controller of External Secrets.

Its fake provider has the values in the SecretStore itself.
"""

from collections.abc import Mapping
from pathlib import Path

from tests.cluster.api import Api, Object
from tests.cluster.control_plane import ControlPlane
from tests.cluster.custom_kinds import install_kinds
from tests.cluster.process import Process
from tests.cluster.tokens import grant_all, token_of
from tests.tools.build import module_folder

MODULE = "github.com/external-secrets/external-secrets"
NAME = "external-secrets"
KEY = "shop/token"
# Those of which the others are copies in each namespace are not needed.
WITHOUT = (
    *(
        "cluster-store-reconciler",
        "cluster-external-secret-reconciler",
        "cluster-push-secret-reconciler",
    ),
    "push-secret-reconciler",
)


def start_external_secrets(cluster: ControlPlane, program: Path) -> None:
    """Install the kinds and start the controller, which needs another second or two."""
    install_kinds(
        cluster,
        (module_folder(MODULE) / "config" / "crds" / "bases").glob("*external-secrets.io_*.yaml"),
    )
    api = cluster.api.within(NAME)
    api.apply({"kind": "Namespace", "metadata": {"name": NAME}})
    grant_all(api, NAME)
    kubeconfig = cluster.kubeconfig(
        cluster.folder / f"{NAME}.kubeconfig", token=token_of(api, NAME)
    )
    metrics, live = cluster.hold_ports(2)
    command: list[str | Path] = [
        program,
        f"--metrics-addr=127.0.0.1:{metrics}",
        f"--live-addr=127.0.0.1:{live}",
        *(f"--enable-{part}=false" for part in WITHOUT),
        "--client-qps=300",
        "--client-burst=600",
    ]
    cluster.add(Process(NAME, command, cluster.folder, environment={"KUBECONFIG": str(kubeconfig)}))


def fake_store(api: Api, values: Mapping[str, str]) -> Object:
    """Build a SecretStore with these values of one key, by version."""
    data = [{"key": KEY, "version": version, "value": value} for version, value in values.items()]
    # The provider mixes stores of one name, also of different namespaces.
    return {
        "kind": "SecretStore",
        "metadata": {"name": api.namespace},
        "spec": {"provider": {"fake": {"data": data}}},
    }


def external_secret(api: Api, name: str, version: str, **spec: object) -> Object:
    """Build an ExternalSecret whose key `token` is this version of the store's key."""
    return {
        "kind": "ExternalSecret",
        "metadata": {"name": name},
        "spec": {
            "secretStoreRef": {"kind": "SecretStore", "name": api.namespace},
            # As the controller writes it: deployers would apply another spelling again and again.
            "refreshInterval": "1h0m0s",
            "data": [{"secretKey": "token", "remoteRef": {"key": KEY, "version": version}}],
            **spec,
        },
    }
