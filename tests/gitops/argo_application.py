"""An Application of Argo CD with a Git repository of its own."""

import contextlib
import itertools
import subprocess
import threading
import time
from collections.abc import Sequence

import yaml

from tests.cluster.api import Api, Object
from tests.cluster.kinds import ROLLOUTS
from tests.cluster.server import ApiError
from tests.gitops.argo_cd import ArgoCd
from tests.gitops.argo_status import ArgoStatus, Seen, long_flips
from tests.gitops.deployer import Shown
from tests.gitops.package import Commit, write
from tests.wait import linger, until

AUTHOR = ("-c", "user.name=test", "-c", "user.email=test@example.invalid")
REFRESH = "argocd.argoproj.io/refresh"
FOLDER = "app"
# Between two looks at the status. What is shorter, nobody sees.
GLANCE = 0.25
# Seconds after which a request has most likely been overlooked.
OVERLOOKED = 20.0
# By default, Argo CD tries a failed sync five times more, for minutes, before it looks at the next
# commit.
RETRY = {"limit": 1, "backoff": {"duration": "1s"}}
EXEC = {"config.kubernetes.io/function": "exec:\n  path: krm-fn\n"}


def refresh(api: Api, name: str, how: str = "normal") -> None:
    """Let Argo CD compare an Application again, as the buttons in its UI do.

    A busy controller sometimes overlooks a request, and the same one again is no change. So the
    other one follows.
    """
    requests = itertools.cycle(["normal", "hard"] if how == "normal" else ["hard", "normal"])
    requested = 0.0

    def look() -> Object:
        nonlocal requested
        if time.monotonic() - requested > OVERLOOKED:
            requested = time.monotonic()
            annotations = {"annotations": {REFRESH: next(requests)}}
            return api.patch("Application", name, {"metadata": annotations})
        return api.get("Application", name)

    until(
        f"{name} is refreshed",
        look,
        lambda found: REFRESH not in found["metadata"].get("annotations", {}),
    )


class ArgoApplication:
    """Sync by itself with prune, or as the test asks.

    By default the plugin renders; with `kustomize` Argo CD's own kustomize does.

    An ApplicationSet creates it if `by_application_set`.
    """

    annotation = "argocd"

    def __init__(  # noqa: PLR0913  # what people choose when they write an Application
        self,
        argo: ArgoCd,
        api: Api,
        *,
        self_heal: bool = True,
        prune: bool = True,
        automated: bool = True,
        options: Sequence[str] = (),
        server_side_diff: bool = False,
        kustomize: bool = False,
        name: str = "",
        by_application_set: bool = False,
    ) -> None:
        self.api = api
        self.kustomize = kustomize
        self._argo = argo
        self._name = name or api.namespace
        self._options = [*options]
        self._prune = prune
        self._by_application_set = by_application_set
        self._repository = argo.repositories / self._name
        self._repository.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        self._revision = ""
        self._refreshes = 0
        self.seen: list[Seen] = []
        self._already_shown = 0
        self._recorder = threading.Thread(
            target=self._record, name=f"status of {self._name}", daemon=True
        )
        compare = (
            {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
            if server_side_diff
            else {}
        )
        source: Object = {
            "repoURL": f"{argo.url}/{self._name}",
            "path": FOLDER,
            "targetRevision": "main",
        }
        automation = {"automated": {"prune": prune, "selfHeal": self_heal}}
        self._body: Object = {
            "apiVersion": ROLLOUTS,
            "kind": "Application",
            "metadata": {
                "name": self._name,
                "annotations": compare,
                "finalizers": ["resources-finalizer.argocd.argoproj.io"],
            },
            "spec": {
                "project": "default",
                "source": source if kustomize else {**source, "plugin": {}},
                "destination": {
                    "server": "https://kubernetes.default.svc",
                    "namespace": api.namespace,
                },
                "syncPolicy": {
                    **(automation if automated else {}),
                    "syncOptions": self._options,
                    "retry": RETRY,
                },
            },
        }

    # A deployer

    def deploy(self, commit: Commit) -> None:
        """Commit, tell Argo CD as a webhook would, and wait for the end of the sync."""
        self.push(commit)
        operation = self.synced()["status"]["operationState"]
        said = dict.fromkeys(one.status.message for one in self.seen)
        assert operation["phase"] == "Succeeded", "\n".join(map(str, said))

    def again(self) -> None:
        """Refresh, by turns without and with a new rendering."""
        self._refreshes += 1
        self.refresh("normal" if self._refreshes % 2 else "hard")

    def complaint(self, phase: str) -> str:
        return self.status().complaint(phase)

    def uninstall(self) -> None:
        """Delete the Application, if it was never out of sync for long without a reason."""
        assert long_flips(self.seen, time.time()) == []
        self.delete()

    # Its parts

    def delete(self) -> None:
        """Delete the Application, and wait until it is gone with its objects."""
        self._argo.api.delete(
            "ApplicationSet" if self._by_application_set else "Application", self._name
        )
        self._argo.api.gone("Application", self._name)

    def beside(self, suffix: str) -> "ArgoApplication":
        """Return another Application in the same namespace."""
        return ArgoApplication(
            self._argo, self.api, name=f"{self._name}-{suffix}", options=self._options
        )

    def push(self, commit: Commit) -> None:
        """Commit, and let Argo CD see it."""
        folder = self._repository / FOLDER
        write(commit, folder, self.annotation, self.api.namespace)
        if self.kustomize:
            configuration = yaml.safe_load((folder / "krm-fn.yaml").read_text())
            configuration["metadata"]["annotations"] = EXEC
            (folder / "krm-fn.yaml").write_text(yaml.safe_dump(configuration))
            kustomization = {"resources": ["objects.yaml"], "transformers": ["krm-fn.yaml"]}
            (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        self._git("add", "--all")
        self._git(
            "commit", "--quiet", "--message", f"content {commit.content}, image {commit.image}"
        )
        self._pushed()

    def revert(self) -> None:
        """Revert the last commit, and wait for the end of the sync."""
        self._git("revert", "--no-edit", "HEAD")
        self._pushed()
        self.synced()

    def refresh(self, how: str = "normal") -> None:
        """Let Argo CD compare again, as the buttons in its UI do."""
        refresh(self._argo.api, self._name, how)

    def synced(self) -> Object:
        """Wait for the end of the operation that syncs the last commit."""

        def holds(found: Object) -> bool:
            operation = found.get("status", {}).get("operationState") or {}
            done = operation.get("phase") in ("Succeeded", "Failed", "Error")
            return done and (operation.get("syncResult") or {}).get("revision") == self._revision

        return self._argo.api.wait(
            "Application", self._name, f"is synced to {self._revision}", holds
        )

    def sync(self, *only: Object, phase: str = "Succeeded") -> ArgoStatus:
        """Sync by hand, as `argocd app sync` does, and return how it ended.

        `only` are objects of a selective sync: group, kind and name.
        """
        before = self.live().get("status", {}).get("operationState", {}).get("startedAt")
        sync: Object = {
            "prune": self._prune,
            "revision": self._revision,
            "syncOptions": self._options,
            **({"resources": [*only]} if only else {}),
        }
        operation = {"operation": {"initiatedBy": {"username": "test"}, "sync": sync}}
        self._argo.api.patch("Application", self._name, operation)

        def holds(found: Object) -> bool:
            state = found.get("status", {}).get("operationState", {})
            is_new = state.get("startedAt") != before
            return is_new and bool(state.get("phase") == phase)

        ended = self._argo.api.wait("Application", self._name, f"is synced by hand: {phase}", holds)
        return ArgoStatus.of(ended)

    def set_options(self, *options: str) -> None:
        """Change the sync options of the Application, as its author does."""
        self._options = [*options]
        self._argo.api.patch(
            "Application", self._name, {"spec": {"syncPolicy": {"syncOptions": self._options}}}
        )

    def terminate(self) -> None:
        """End the operation that runs, as `argocd app terminate-op` does."""
        self._argo.api.patch(
            "Application", self._name, {"status": {"operationState": {"phase": "Terminating"}}}
        )

    def live(self) -> Object:
        return self._argo.api.get("Application", self._name)

    def status(self) -> ArgoStatus:
        return ArgoStatus.of(self.live())

    def shown(self) -> Shown:
        """Return what has been out of sync.

        A sync shows this for seconds, and the recorder sees it.
        """
        seen = self.seen[self._already_shown :]
        self._already_shown += len(seen)
        return Shown(
            changed={name for one in seen for name in one.status.out_of_sync},
            pruned={name for one in seen for name in one.status.unpruned},
            parts={f"{one['kind']}/{one['name']}" for one in self.live()["status"]["resources"]},
        )

    def until_shown(self, **expected: str) -> ArgoStatus:
        """Wait until the status has these values, such as `health="Degraded"`."""
        return until(
            f"Argo CD shows {expected}",
            self.status,
            lambda status: all(
                getattr(status, field) == value for field, value in expected.items()
            ),
        )

    def _pushed(self) -> None:
        self._revision = self._git("rev-parse", "HEAD")
        if self._recorder.is_alive():
            self.refresh()
        else:
            self._argo.api.create(
                self._application_set() if self._by_application_set else self._body
            )
            self._argo.api.wait("Application", self._name, "is there", bool)
            self._recorder.start()

    def _application_set(self) -> Object:
        """Return the ApplicationSet of this Application only."""
        metadata = {**self._body["metadata"], "name": "{{.name}}"}
        return {
            "kind": "ApplicationSet",
            "metadata": {"name": self._name},
            "spec": {
                "goTemplate": True,
                "generators": [{"list": {"elements": [{"name": self._name}]}}],
                "template": {"metadata": metadata, "spec": self._body["spec"]},
            },
        }

    def _git(self, *arguments: str) -> str:
        command = ["git", *AUTHOR, *arguments]
        done = subprocess.run(
            command, cwd=self._repository, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout.strip()

    def _record(self) -> None:
        while True:
            # The server may be busy, and it ends before this thread if the test has failed.
            with contextlib.suppress(ApiError, OSError):
                found = self._argo.api.find("Application", self._name)
                if found is None:
                    return
                status = ArgoStatus.of(found)
                if not self.seen or status != self.seen[-1].status:
                    self.seen.append(Seen(time.time(), status))
            linger(GLANCE)
