"""A script or a page that names an object to kubectl is found: its command fails once the object is renamed."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from krm_fn.base.problem import ResourceId, Severity
from krm_fn.cli.main import main
from krm_fn.tools.common.files import DEFAULT_LIMITS
from krm_fn.tools.elsewhere import scripts
from krm_fn.tools.elsewhere.elsewhere import NamesElsewhere
from krm_fn.tools.elsewhere.scripts import ScriptsOfRepository, read_texts
from tests.render.run import write
from tests.tools.require import require

CONFIG_MAP = ResourceId("v1", "ConfigMap", "shop", "prod-trust-store")
SECRET = ResourceId("v1", "Secret", "auth", "dex-passwords")
EDIT = "kubectl edit cm prod-trust-store"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "shop").mkdir()
    return tmp_path


def find(repository: Path, *who: ResourceId) -> list[str]:
    """Return the objects that are named, each with its places."""
    scripts = ScriptsOfRepository(repository / "shop", DEFAULT_LIMITS)
    found = scripts.find(who or [CONFIG_MAP, SECRET])
    return [f"{one.resource} {one.message.partition(':')[2].partition(':')[0]}" for one in found]


NAMES_IT = {
    "edits it": EDIT,
    "reads it with options between": "kubectl get configmaps --namespace ${NS} prod-trust-store -o yaml",
    "reads the one of a release": "kubectl get configmap ${RELEASE}-trust-store",
    "reads it by kind and name": "kubectl -n shop describe configmap/prod-trust-store",
    "deletes several": "oc delete cm other prod-trust-store",
    "makes it anew": "kubectl create configmap prod-trust-store --from-file=a | kubectl apply -f -",
    "goes on in the next line": "kubectl create configmap \\\n  prod-trust-store",
    "is a sentence of a page": "Run `kubectl edit cm prod-trust-store`.",
    "is a list of arguments": 'run(["kubectl", "get", "cm", "prod-trust-store"])',
    "hands it to another release": "helm install web . --set auth.existingConfigMap=prod-trust-store",
    "asks for two kinds": "kubectl get secret,cm prod-trust-store",
}


@pytest.mark.parametrize("line", NAMES_IT.values(), ids=NAMES_IT)
def test_a_line_names_the_object(line: str, repository: Path) -> None:
    (repository / "a.sh").write_text(f"#!/bin/sh\n{line}\n")
    assert find(repository) == ["ConfigMap/shop/prod-trust-store 2"]


NAMES_IT_NOT = {
    "a longer name": "kubectl edit cm prod-trust-store-2",
    "the end of another name": "kubectl edit cm my-prod-trust-store",
    "another kind": "kubectl edit secret prod-trust-store",
    "a workload of the name": "kubectl rollout restart deploy/prod-trust-store; kubectl get cm a",
    "a namespace of the name": "kubectl get cm -n prod-trust-store web",
    "a file of the name": "kubectl create configmap web --from-file prod-trust-store",
    "no program": "the ConfigMap prod-trust-store holds certificates",
    "a single word behind a variable": "kubectl get cm ${RELEASE}-store",
    "a folder": "cd deploy/configmap/prod-trust-store",
}


@pytest.mark.parametrize("line", NAMES_IT_NOT.values(), ids=NAMES_IT_NOT)
def test_a_line_names_something_else(line: str, repository: Path) -> None:
    (repository / "a.sh").write_text(line)
    assert find(repository) == []


def test_a_secret_that_a_page_makes_anew_is_named(repository: Path) -> None:
    (repository / "README.md").write_text(
        "kubectl delete secret dex-passwords -n auth\n"
        "kubectl create secret generic dex-passwords --from-literal=A='not-to-be-printed' -n auth\n"
    )
    assert find(repository) == ["Secret/auth/dex-passwords 1, README.md"]


READ = ("Makefile", "docs/a.md", "a.py", ".github/workflows/a.yml", ".gitlab-ci.yml")
NOT_READ = ("shop/a.yaml", ".venv/a.py", "node_modules/a/README.md", "a.txt", ".git/hooks/a.sh")


@pytest.mark.parametrize("file", [*READ, *NOT_READ])
def test_files_that_people_and_jobs_run_are_read_and_no_others(file: str, repository: Path) -> None:
    (repository / file).parent.mkdir(parents=True, exist_ok=True)
    (repository / file).write_text(EDIT)
    assert bool(find(repository)) == (file in READ)


def test_nothing_is_read_outside_of_the_repository_nor_what_is_no_regular_file(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.sh").write_text(EDIT)
    (repository / "a.sh").symlink_to(outside / "a.sh")
    (repository / "folder").symlink_to(outside)
    (repository / "loop").symlink_to(repository)
    os.mkfifo(repository / "b.sh")
    (repository / "big.md").write_text(EDIT + " " * 1_000_000)
    assert find(repository) == []
    (repository / "z.sh").write_text(EDIT)
    assert find(repository) == ["ConfigMap/shop/prod-trust-store 1"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\\\n" * 400_000 + EDIT, id="lines that go on"),
        pytest.param(
            f"helm install --set {'secret' * 130_000}! web\n{EDIT}\n",
            id="a word that begins like a path of values at each place",
        ),
        pytest.param(f"-k {'oc ' * 330_000}\n{EDIT}\n", id="a program at each word"),
        pytest.param(
            f"kubectl get {'cm ' * 100_000}{'a ' * 100_000}\n{EDIT}\n",
            id="many kinds, and many names",
        ),
    ],
)
def test_a_hostile_script_takes_no_longer_than_its_length(text: str, repository: Path) -> None:
    """With the square of it, some would take minutes."""
    (repository / "run.sh").write_text(text)
    found = ScriptsOfRepository(repository / "shop", DEFAULT_LIMITS)
    named = ResourceId("v1", "ConfigMap", "a", "prod-trust-store")
    many = [named._replace(namespace=f"shop-{one}") for one in range(1_000)]
    assert len([*found.find(many)]) == 1_000
    assert found.find_builds(repository / "shop") == []


def test_a_root_limits_the_search(repository: Path) -> None:
    (repository / "a.sh").write_text(EDIT)
    limits = DEFAULT_LIMITS._replace(root=repository / "shop")
    assert [*ScriptsOfRepository(repository / "shop", limits).find([CONFIG_MAP])] == []


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: fleet\nversion: 0.1.0\n",
    "chart/templates/all.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-example-trust-store", namespace: shop}
data: {ca.crt: a}
---
apiVersion: v1
kind: Pod
metadata: {name: router, namespace: shop}
spec:
  containers: [{name: router, image: router}]
  volumes: [{name: tls, configMap: {name: "{{ .Release.Name }}-example-trust-store"}}]
""",
    "scripts/environment.sh": "RELEASE=$1\nkubectl get configmaps ${RELEASE}-example-trust-store\n",
}


@pytest.mark.needs("helm")
def test_init_and_explain_name_the_lines_beside_what_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{require('helm').parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name, text in CHART.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    said = "named in scripts/environment.sh:2: a command there finds no object"
    assert said in main(["explain", "chart", "--helm-release", "prod"]).stdout.decode()
    assert said in main(["init", "chart", "--namespace", "shop", "--dry-run"]).stderr


BUILD_IT = {
    "names it from its own folder": ("scripts/a.sh", "kustomize build ../shop"),
    "names it from the top": ("scripts/a.sh", "kubectl apply -k shop"),
    "names it through a link": ("a.sh", "kustomize build linked"),
    "names no folder": ("a.sh", "kustomize build $DIR"),
    "names a folder outside of the repository": ("a.sh", "kustomize build {outside}"),
    "names a path that leads out of the repository": ("a.sh", "kustomize build ../outside"),
    "names a link that leads out of the repository": ("a.sh", "kustomize build out"),
    "names a link to itself": ("a.sh", "kustomize build .hidden/circle"),
    "has a word that is longer than any path": ("a.sh", f"kustomize build {'shop/' * 2000}"),
}
BUILD_OTHERS = {
    "names another folder": ("a.sh", "kustomize build other"),
    "runs functions": ("a.sh", "kustomize build --enable-alpha-plugins shop"),
    "builds nothing": ("a.sh", "kubectl apply -f shop"),
}


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """Return a repository with links, beside a folder that is none of its business."""
    top = tmp_path / "repository"
    for folder in (top / ".git", top / "shop", top / "other", tmp_path / "outside"):
        folder.mkdir(parents=True)
    (top / "linked").symlink_to("shop")
    (top / "out").symlink_to(tmp_path / "outside")
    (top / ".hidden").mkdir()
    (top / ".hidden" / "circle").symlink_to("circle")  # where no search for scripts meets it
    return top


def find_builds(top: Path, file: str, line: str) -> list[str]:
    write(top, {file: line.format(outside=top.parent / "outside") + "\n"})
    return ScriptsOfRepository(top / "shop", DEFAULT_LIMITS).find_builds(top / "shop")


@pytest.mark.parametrize(("file", "line"), BUILD_IT.values(), ids=BUILD_IT)
def test_a_line_that_builds_the_directory_or_any_is_found(
    file: str, line: str, linked: Path
) -> None:
    assert find_builds(linked, file, line) == [f"{file}:1"]


@pytest.mark.parametrize(("file", "line"), BUILD_OTHERS.values(), ids=BUILD_OTHERS)
def test_a_line_that_builds_something_else_is_not_found(file: str, line: str, linked: Path) -> None:
    assert find_builds(linked, file, line) == []


@pytest.mark.parametrize(("file", "line"), BUILD_IT.values(), ids=BUILD_IT)
def test_no_word_of_a_script_is_looked_up_outside_of_the_repository(
    file: str, line: str, linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = str(linked.parent / "outside")
    asked: list[str] = []
    for name in ("stat", "lstat"):
        ask = getattr(os, name)

        def record(
            path: str, *rest: object, ask: Callable[..., object] = ask, **more: object
        ) -> object:
            asked.append(str(path))
            return ask(path, *rest, **more)

        monkeypatch.setattr(os, name, record)
    find_builds(linked, file, line)
    assert [path for path in asked if os.path.normpath(path).startswith(outside)] == []
    assert asked


def test_scripts_are_read_once_whatever_is_looked_for(
    linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(linked, {"a.sh": f"{EDIT}\nkustomize build shop\n"})
    read: list[str] = []

    def read_and_record(
        top: Path, is_wanted: Callable[[Path, str], bool]
    ) -> Iterator[tuple[str, str]]:
        for shown, text in read_texts(top, is_wanted):
            read.append(shown)
            yield shown, text

    monkeypatch.setattr(scripts, "read_texts", read_and_record)
    found = NamesElsewhere(linked / "shop", DEFAULT_LIMITS)
    assert [one.severity for one in found.find([CONFIG_MAP])] == [Severity.WARNING]
    assert found.find_builds(linked / "shop") == ["a.sh:2"]
    assert read == ["a.sh"]
