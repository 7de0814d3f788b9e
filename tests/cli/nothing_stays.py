"""A place with planted Secrets and keys, every command in it, and the ways in which a command may end.

All of the place but the named outputs of a command is the same before and after: names, content and modes.
"""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from threading import Event
from typing import NamedTuple

from tests.git.repository import ENVIRONMENT, commit
from tests.linker.certificates import encoded, make_certificate
from tests.linker.hostile_server import Handler, answer, hostile_server
from tests.render.run import write
from tests.wait import FOREVER, until, until_asleep, until_empty

OF_A_SECRET, OF_A_TOKEN = "planted-value-of-a-secret", "planted-token"

CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: shop
  annotations: {config.kubernetes.io/function: "exec: {path: krm-fn}"}
spec: {kinds: [ConfigMap, Secret], linker: {image: registry.example/krm-fn:0.2.0}}
"""
MANIFESTS = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: app, namespace: shop}}
stringData: {{PASSWORD: {OF_A_SECRET}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: app, image: web, envFrom: [{{secretRef: {{name: app}}}}]}}]}}
"""
FILES: dict[str, str | bytes] = {
    **{f"apps/{name}/krm-fn.yaml": CONFIG for name in ("one", "two")},
    **{f"apps/{name}/web.yaml": MANIFESTS for name in ("one", "two")},
    **{
        f"apps/{name}/kustomization.yaml": "resources: [web.yaml]\ntransformers: [krm-fn.yaml]\n"
        for name in ("one", "two")
    },
    "plain/krm-fn.yaml": CONFIG,
    "plain/web.yaml": MANIFESTS,
    "chart/krm-fn.yaml": CONFIG,
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "chart/templates/web.yaml": MANIFESTS,
    "new/web.yaml": MANIFESTS,
    "new/kustomization.yaml": "resources: [web.yaml]\n",
    **{f"versions/{name}": MANIFESTS for name in ("base", "ours", "theirs")},
}


class Command(NamedTuple):
    """A command, where it waits for a stand-in, its stdin, and what it may write, in the repository."""

    arguments: tuple[str, ...]
    waits_for: str = "kustomize"
    stdin: str = ""
    outputs: tuple[str, ...] = ()


AT_STDIN, SERVER = "its stdin", "the API server"

COMMANDS = {
    "the function": Command((), AT_STDIN, MANIFESTS),
    "the exec plugin of kustomize": Command(("./plain/krm-fn.yaml",), AT_STDIN, MANIFESTS),
    "render": Command(("render", "apps/one")),
    "render of files": Command(("render", "-", "--config=plain/krm-fn.yaml"), AT_STDIN, MANIFESTS),
    "render of a chart": Command(("render", "chart"), "helm"),
    "render --check": Command(("render", "--check", "--deployed=plain/web.yaml", "apps/one")),
    "verify": Command(("verify", "-"), AT_STDIN, MANIFESTS),
    "diff": Command(("diff", "apps/one", "apps/two")),
    "diff --against": Command(("diff", "--against=HEAD", "apps/one")),
    "diff --against --jobs": Command(("diff", "--against=HEAD", "--jobs=2", "apps/*")),
    "diff --live": Command(("diff", "--live", "plain/web.yaml"), SERVER),
    "explain": Command(("explain", "apps/one")),
    "history": Command(("history", f"--timeout={FOREVER}"), SERVER),
    "history of a fleet": Command(("history", f"--timeout={FOREVER}", "--context=*"), SERVER),
    "graph": Command(("graph", "apps/one")),
    "graph --live": Command(("graph", "--live"), SERVER),
    "init": Command(("init", "new"), outputs=("new/krm-fn.yaml", "new/kustomization.yaml")),
    "merge": Command(
        ("merge", "versions/base", "versions/ours", "versions/theirs", "plain/web.yaml"),
        "git",
        outputs=("versions/ours",),
    ),
    "link": Command(("link", "--set=shop", f"--timeout={FOREVER}"), SERVER),
    "discover": Command(("discover",), ""),
    "completion": Command(("completion", "bash"), ""),
    "version": Command(("version",), ""),
    "help": Command(("help", "render"), ""),
}

WITH_PROGRAMS = {
    name for name, command in COMMANDS.items() if command.waits_for in {"kustomize", "helm", "git"}
}

_ANSWER = (
    '#!/bin/sh\nfor last; do :; done\ncat "$last"/web.yaml 2>/dev/null || cat "$last"/templates/*\n'
)
_WAIT = f'#!/bin/sh\necho $$ > "{{notes}}/$$.new"; mv "{{notes}}/$$.new" "{{notes}}/$$.started"\nexec sleep {FOREVER}\n'
_FAIL = "#!/bin/sh\necho 'Error: no' >&2\nexit 3\n"
# git does all but the last step.
_GIT = '#!/bin/sh\nfor one; do [ "$one" = merge-file ] && exec "{programs}/last-step"; done\nexec {git} "$@"\n'


class Place(NamedTuple):
    """A home, a repository and a folder for temporary files in `world`, and a cluster.

    `notes`: who has started.
    """

    world: Path
    notes: Path
    programs: Path
    cluster: list[str]
    released: Event
    environment: Mapping[str, str]

    @property
    def repository(self) -> Path:
        return self.world / "repository"

    @property
    def temporary(self) -> Path:
        return self.world / "temporary"

    def look(self, outputs: tuple[str, ...] = ()) -> dict[str, tuple[int, bytes]]:
        """Return the mode and the content of all that is in the world, but for these files of the repository."""
        named = {self.repository / output for output in outputs}
        seen = {}
        # Not `rglob`: it fails where a folder has just gone.
        found = (
            Path(top, name)
            for top, *names in os.walk(self.world)
            for name in chain.from_iterable(names)
        )
        for path in sorted({*found} - named):
            with suppress(FileNotFoundError):  # it has just gone
                mode = path.lstat().st_mode
                content = os.fsencode(path.readlink()) if stat.S_ISLNK(mode) else b""
                seen[str(path.relative_to(self.world))] = (
                    mode,
                    path.read_bytes() if stat.S_ISREG(mode) else content,
                )
        return seen

    def use(self, behaviour: str, git: str) -> None:
        """Let programs and the API server `answer`, `fail` or `wait`."""
        scripts = {"answer": _ANSWER, "fail": _FAIL, "wait": _WAIT.format(notes=self.notes)}
        self.cluster[:] = [behaviour]
        for name in ("kustomize", "helm"):
            _install(self.programs / name, scripts[behaviour])
        merge = f'#!/bin/sh\nexec {git} "$@"\n'
        _install(
            self.programs / "last-step", merge if behaviour == "answer" else scripts[behaviour]
        )
        step = _GIT.format(programs=self.programs, git=git)
        _install(self.programs / "git", step if behaviour != "answer" else merge)

    @contextmanager
    def running(
        self,
        command: Command,
        *before: str,
        stdout: int = subprocess.PIPE,
        prepare: Callable[[], None] | None = None,
        **environment: str,
    ) -> Iterator["subprocess.Popen[bytes]"]:
        """Start a command, with a program `before` it, and end it if the block fails."""
        with subprocess.Popen(
            [*before, sys.executable, "-P", "-m", "krm_fn", *command.arguments],
            cwd=self.repository,
            env={**self.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            preexec_fn=prepare,  # noqa: PLW1509  # no thread of the tests holds a lock that it needs
            start_new_session=True,
        ) as process:
            try:
                yield process
            except BaseException:
                process.kill()
                raise
            finally:
                self.stop()

    def started(self) -> list[Path]:
        """Return a note for each program that waits, and for each request."""
        return [*self.notes.glob("*.started")]

    def stop(self) -> None:
        """End the programs that still wait, as nobody else does after a SIGKILL."""
        self.released.set()
        for note in self.started():
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(note.read_text()), signal.SIGKILL)


def _install(file: Path, script: str) -> None:
    file.write_text(script)
    file.chmod(0o755)


@contextmanager
def make_place(folder: Path, *, is_tls: bool) -> Iterator[Place]:
    world, notes, programs, outside = (
        folder / name for name in ("world", "notes", "programs", "outside")
    )
    for path in (world / "home/.kube", world / "temporary", notes, programs, outside):
        path.mkdir(parents=True)
    commit(world / "repository", FILES)
    write(
        world / "repository",
        {f"apps/{name}/web.yaml": MANIFESTS.replace("PASSWORD", "KEY") for name in ("one", "two")},
    )
    kubeconfig = world / "home/.kube/config"
    behaviour, released = ["answer"], Event()

    def respond(handler: Handler) -> None:
        if behaviour == ["wait"]:
            (notes / f"{time.monotonic_ns()}.started").touch()
            released.wait()
        elif behaviour == ["fail"]:
            answer(handler, {"message": "no"}, 403)
        else:
            answer(handler, {"metadata": {}, "items": []})

    user: dict[str, str] = {"token": OF_A_TOKEN}
    certificate = clients = None
    authority: dict[str, str] = {}
    if is_tls:
        server, client = make_certificate(outside, "server"), make_certificate(outside, "client")
        user = {
            "client-certificate-data": encoded(client.certificate),
            "client-key-data": encoded(client.key),
        }
        authority = {"certificate-authority-data": encoded(server.certificate)}
        certificate, clients = server.both, client.certificate
    with hostile_server(respond, outside, certificate, clients) as written:
        content = json.loads(written.read_text())
        content["users"] = [{"name": "test", "user": user}]
        content["clusters"][0]["cluster"] = {
            "server": content["clusters"][0]["cluster"]["server"],
            **authority,
        }
        content["contexts"] += [{**content["contexts"][0], "name": "other"}]
        kubeconfig.write_text(json.dumps(content))
        environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(world / "home"),
            "TMPDIR": str(world / "temporary"),
            "PYTHONDONTWRITEBYTECODE": "1",
            **ENVIRONMENT,
        }
        place = Place(world, notes, programs, behaviour, released, environment)
        try:
            yield place
        finally:
            place.stop()


def assert_nothing_stays(
    place: Place, before: Mapping[str, tuple[int, bytes]], outputs: tuple[str, ...] = ()
) -> None:
    """Wait for the process that removes temporary files after a signal, and compare."""
    until_empty(place.temporary)
    assert place.look(outputs) == before


def no_room() -> None:
    """Let no file take a byte, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def wait_for_start(place: Place, command: Command, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a command waits for what it waits for."""
    wanted = 2 if "--jobs=2" in command.arguments else 1
    if command.waits_for != AT_STDIN:
        until(
            f"{wanted} have started",
            place.started,
            lambda found: len(found) >= wanted or process.poll() is not None,
        )
    assert process.poll() is None, process.communicate()
    until_asleep(process)
