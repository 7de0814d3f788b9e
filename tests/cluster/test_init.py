"""What the API server took of a repository before `krm-fn init`, it takes afterwards: all that others apply.

`krm-fn.yaml` itself is refused by `kubectl apply -f`, which has no way to pass over a file, and by nobody else.
"""

import functools
import subprocess
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.cluster.api import Api
from tests.cluster.kubeconfig import write_kubeconfig
from tests.init.layouts import HOME, OVERLAYS, Content, make, manifests
from tests.init.test_layouts import build_as_flux, folders, is_kustomized, read_as_argo_cd
from tests.tools.require import require

REPOSITORIES: dict[str, tuple[dict[str, Content], str]] = {
    "manifests": ({**manifests("apps/web"), **manifests("apps/api")}, "apps/web"),
    "overlays": ({**OVERLAYS, **manifests("other")}, "shop/overlays/prod"),
    "a home": ({**HOME, **manifests("other")}, "apps/media/radarr/app"),
}


@pytest.mark.parametrize("name", REPOSITORIES)
def test_what_was_applied_still_is(
    name: str, namespace: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "kubeconfig"
    write_kubeconfig(config, namespace.server, token=namespace.token, namespace=namespace.namespace)
    top = tmp_path / "repository"
    files, path = REPOSITORIES[name]
    make(top, files)
    monkeypatch.chdir(top)

    def takes(*flags: str, stdin: bytes = b"") -> list[str]:
        command = [str(require("kubectl")), "--kubeconfig", str(config), "apply"]
        command += ["--dry-run=server", "-o", "name", *flags]
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)
        refused = [line for line in done.stderr.decode().splitlines() if "matches for kind" in line]
        return sorted([*done.stdout.decode().splitlines(), *refused])

    # Most of what goes to stdin is the same before and afterwards.
    takes_stream = functools.cache(lambda stream: takes("-f", "-", stdin=stream or b""))

    def apply_all() -> dict[str, list[str]]:
        applied = {}
        for folder in folders(top):
            shown = str(folder.relative_to(top))
            if shown.startswith(".git") or (is_kustomized(folder) and shown == path):
                continue
            if is_kustomized(folder):
                applied[f"kubectl apply -k {shown}"] = takes("-k", shown)
                continue
            applied[f"kubectl apply -f {shown}"] = takes("-f", shown)
            if not any(map(is_kustomized, folders(folder))):
                if [*folders(folder)] != [folder]:
                    applied[f"kubectl apply -R -f {shown}"] = takes("-R", "-f", shown)
                flux = build_as_flux(folder, tmp_path / "scratch")
                applied[f"Flux {shown}"] = takes_stream(flux)
                applied[f"Argo CD {shown}"] = takes_stream(read_as_argo_cd(folder))
        return applied

    before = apply_all()
    assert any(before.values())
    assert main(["init", path]).exit_code == 0
    after = apply_all()
    for what, taken in before.items():
        own = [line for line in after[what] if "ConfigRevisions" in line]
        assert [line for line in after[what] if line not in own] == taken, what
        assert len(own) <= what.startswith(("kubectl apply -f", "kubectl apply -R"))
    if name != "overlays":  # they set a namespace that is not there
        rendered = main(["render", path, "-n", namespace.namespace])
        assert len(takes("-f", "-", stdin=rendered.stdout)) == rendered.stdout.count(b"\nkind: ")
