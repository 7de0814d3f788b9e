"""Patterns and several packages: what a command says of them is what it says of each by itself."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from krm_fn.cli.main import main
from tests.cli.process import krm_fn
from tests.git.repository import commit
from tests.render.run import write
from tests.report.closed_schema import validator

PATTERN = "apps/*/prod"
PACKAGES = ["apps/blog/prod", "apps/mail/prod", "apps/shop/prod"]


def config(name: str) -> str:
    return f"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {{name: {name}}}
spec: {{linker: {{image: "registry.example/krm-fn:1"}}, deployers: [argocd]}}
"""


def manifests(name: str, color: str = "red") -> str:
    return f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}-config, namespace: {name}}}
data: {{color: {color}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: {name}}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: app, image: "app:1", envFrom: [{{configMapRef: {{name: {name}-config}}}}]}}]}}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for package in PACKAGES:
        folder = tmp_path / package
        folder.mkdir(parents=True)
        name = folder.parent.name
        (folder / "krm-fn.yaml").write_text(config(name))
        (folder / f"{name}.yaml").write_text(manifests(name))
    (tmp_path / "apps/shop/dev").mkdir()  # no package, and matched by nothing here
    return tmp_path


def documents(text: str) -> list[object]:
    return [one for one in yaml.safe_load_all(text) if one is not None]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([PATTERN], id="a pattern"),
        pytest.param(["--each", *PACKAGES], id="paths"),
        pytest.param(["apps/blog/prod", "apps/[ms]*/*", PATTERN], id="each once, in order"),
    ],
)
def test_a_rendering_of_several_is_that_of_each(arguments: list[str], repository: Path) -> None:
    done = krm_fn("render", *arguments, cwd=repository)
    alone = [krm_fn("render", one, cwd=repository) for one in PACKAGES]
    assert documents(done.stdout) == [
        document for one in alone for document in documents(one.stdout)
    ]
    said = [f"{path}: {one.stderr}" for path, one in zip(PACKAGES, alone, strict=True)]
    assert (done.stderr, done.returncode) == ("".join(said), 0)


EXCLUDES = {
    "a rendering": ["render", PATTERN, "--exclude=apps/m*/prod"],
    "a verification": ["verify", PATTERN, "--exclude=apps/m*/prod"],
    "an explanation": ["explain", PATTERN, "--exclude=apps/mail/prod"],
    "a picture": ["graph", PATTERN, "--exclude=apps/mail/prod"],
    "a difference": ["diff", "--against=HEAD", PATTERN, "--exclude=apps/m*/prod"],
    "a difference of paths": [
        "diff",
        "--against=HEAD",
        "--each",
        *PACKAGES,
        "--exclude=apps/m*/prod",
    ],
    "paths, and no pattern": ["render", *PACKAGES, "--exclude=apps/m*/prod"],
    "with the slash of a shell": ["render", PATTERN, "--exclude=apps/mail/prod/"],
    "at any depth": ["render", PATTERN, "--exclude=**/m*/**"],
}


@pytest.mark.parametrize("words", EXCLUDES.values(), ids=EXCLUDES)
def test_what_is_excluded_is_not_taken(words: list[str], repository: Path) -> None:
    commit(repository, {})
    (repository / "apps/mail/prod/mail.yaml").write_text("a: [")
    done = krm_fn(*words, cwd=repository)
    # What nobody has rendered is an error for verify.
    code = int(words[0] == "verify")
    assert (done.returncode, "mail" in done.stdout + done.stderr) == (code, False), done.stderr
    assert "mail.yaml:2" in krm_fn(*words[:-1], cwd=repository).stderr


SHARED = (
    "warning: apps/shop/prod: calls its set mail, as apps/mail/prod does, and both are in namespace mail: in one "
    "cluster, removing one breaks the other; set another metadata.name in the krm-fn.yaml or krm/kustomization.yaml of "
    "one\n"
)


@pytest.mark.parametrize(
    ("namespace", "set_name", "said"),
    [
        pytest.param("mail", "mail", SHARED, id="two packages have one set"),
        pytest.param("mail", "shop", "", id="they have two sets in one namespace"),
        pytest.param("shop", "mail", "", id="they are in two namespaces"),
    ],
)
@pytest.mark.parametrize("pattern", [PATTERN, "apps/../apps/*/prod", "ABSOLUTE"])
def test_packages_in_one_stream_share_no_set(
    pattern: str, namespace: str, set_name: str, said: str, repository: Path
) -> None:
    """What is printed is applied to one cluster."""
    shop = repository / "apps/shop/prod"
    text = manifests("shop").replace("namespace: shop", f"namespace: {namespace}")
    (shop / "shop.yaml").write_text(text)
    (shop / "krm-fn.yaml").write_text(config(set_name))
    given = str(repository / PATTERN) if pattern == "ABSOLUTE" else pattern
    done = krm_fn("render", "--quiet", given, cwd=repository)
    assert done.returncode == 0
    assert done.stderr.replace(f"{repository}/", "").replace("apps/../", "") == said


OTEL = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: otel, namespace: shop}
data: {endpoint: "http://otel:4317"}
"""
ONE_OBJECT = (
    "warning: ConfigMap/shop/otel-88m95478m2 (apps/shop/prod): is in apps/mail/prod too, of set mail there and of set "
    "shop here: in one cluster, both deployers write its labels by turns; make what both build a package of its own, "
    "or give one of them another base name\n"
)


def include_otel(repository: Path, app: str, workload: str, content: str = OTEL) -> None:
    """Let a package have the object, and a workload of this name that reads it."""
    folder = repository / f"apps/{app}/prod"
    (folder / "otel.yaml").write_text(content)
    reader = manifests("otel").split("---\n")[1].replace("otel-config", "otel")
    reader = reader.replace("name: otel, namespace: otel", f"name: {workload}, namespace: shop")
    (folder / "reader.yaml").write_text(reader)


@pytest.mark.parametrize(
    "command", [("render", "--quiet"), ("verify",), ("init", "--dry-run")], ids=lambda one: one[0]
)
@pytest.mark.parametrize(
    ("workload", "content", "said"),
    [
        pytest.param("shop", OTEL, ONE_OBJECT, id="two services include one object"),
        pytest.param("mail", OTEL, "", id="they are environments of one application"),
        pytest.param("shop", OTEL.replace("4317", "1"), "", id="they have two revisions"),
        pytest.param("shop", OTEL.replace("shop", "other"), "", id="in two namespaces"),
    ],
)
def test_two_sets_of_a_namespace_share_no_object(
    command: tuple[str, ...], workload: str, content: str, said: str, repository: Path
) -> None:
    include_otel(repository, "mail", "mail")
    include_otel(repository, "shop", workload, content)
    if command[0] == "verify":
        for app in ("mail", "shop"):
            rendered = krm_fn("render", "--quiet", f"apps/{app}/prod", cwd=repository)
            for file in (repository / f"apps/{app}/prod").glob("*.yaml"):
                file.unlink()
            (repository / f"apps/{app}/prod/all.yaml").write_text(rendered.stdout)
    done = krm_fn(*command, "apps/[ms]*/prod", cwd=repository)
    lines = [line for line in done.stderr.splitlines(keepends=True) if "by turns" in line]
    assert ("".join(lines), done.returncode) == (said, 0)


def test_nothing_is_printed_if_one_fails(repository: Path) -> None:
    (repository / "apps/mail/prod/mail.yaml").write_text("a: [")
    done = krm_fn("render", PATTERN, cwd=repository)
    alone = krm_fn("render", "apps/mail/prod", cwd=repository)
    assert (done.stdout, done.stderr, done.returncode) == ("", alone.stderr, 1)


def test_several_paths_with_a_configuration_each_name_the_option(repository: Path) -> None:
    done = krm_fn("render", *PACKAGES, cwd=repository)
    remedy = "take each PATH by itself with --each, or choose one with --config"
    files = ", ".join(f"{package}/krm-fn.yaml:1:1" for package in PACKAGES)
    assert (done.stdout, done.returncode) == ("", 1)
    assert done.stderr == f"error: found 3 configurations; {remedy}: {files}\n"
    assert krm_fn("render", "--each", *PACKAGES, cwd=repository).returncode == 0


@pytest.mark.parametrize("command", ["render", "verify", "explain", "graph"])
def test_a_pattern_without_a_match(command: str, repository: Path) -> None:
    done = krm_fn(command, "apps/*/test", cwd=repository)
    message = "apps/*/test is no directory, and as a pattern it matches no package"
    assert done.stderr == f"error: {message}; see krm-fn {command} --help\n"
    assert done.returncode == 2


def test_a_check_holds_each_package_against_what_it_was(repository: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], cwd=repository, check=True)
    arguments = ["render", "--check", "--against", "HEAD", PATTERN]
    assert krm_fn(*arguments, cwd=repository).returncode == 0
    # What pods still read is gone from one of them.
    shop = repository / "apps/shop/prod/shop.yaml"
    shop.write_text(shop.read_text().partition("---\n")[2])
    done = krm_fn(*arguments, cwd=repository)
    assert (done.stdout, done.returncode) == ("", 1)
    assert "shop-config" in done.stderr


@pytest.fixture
def rendered(repository: Path) -> Path:
    for package in PACKAGES:
        done = krm_fn("render", package, cwd=repository)
        (repository / package / "rendered").mkdir()
        (repository / package / "rendered/all.yaml").write_text(done.stdout)
    return repository


def test_findings_say_in_which_package_they_are(rendered: Path) -> None:
    file = rendered / "apps/mail/prod/rendered/all.yaml"
    file.write_text(file.read_text().replace("color: red", "color: blue"))
    pattern = f"{PATTERN}/rendered/*.yaml"
    done = krm_fn("verify", pattern, cwd=rendered)
    files = [f"{package}/rendered/all.yaml" for package in PACKAGES]
    alone = {one: krm_fn("verify", one, cwd=rendered) for one in files}
    said = {one.stderr for one in alone.values() if not one.returncode}
    (behind,) = {one.partition("; ")[2] for one in said}
    expected = "".join(one.stderr for one in alone.values() if one.returncode)
    assert done.stderr == f"{expected}3 packages: 2 verified, 1 with errors; {behind}"
    assert done.returncode == 1
    document = json.loads(krm_fn("verify", "-o", "json", pattern, cwd=rendered).stdout)
    assert [one["path"] for one in document["packages"]] == files
    assert [bool(one["findings"]) for one in document["packages"]] == [False, True, False]


def test_several_paths_are_verified_together(rendered: Path) -> None:
    files = [f"{package}/rendered/all.yaml" for package in PACKAGES]
    done = krm_fn("verify", *files, cwd=rendered)
    assert done.stderr.startswith("verified: 3 revisions of sets blog, mail, shop, 3 references, ")


def test_an_explanation_of_several_is_that_of_each(repository: Path) -> None:
    document = json.loads(krm_fn("explain", PATTERN, "-o", "json", cwd=repository).stdout)
    validator("explain-packages-v1.json").validate(document)
    alone = [
        {"path": one, "errors": [], "explanation": json.loads(explained.stdout)}
        for one in PACKAGES
        if (explained := krm_fn("explain", one, "-o", "json", cwd=repository))
    ]
    assert document == {"version": 1, "packages": alone}
    texts = [f"{one}\n{krm_fn('explain', one, cwd=repository).stdout}" for one in PACKAGES]
    assert krm_fn("explain", PATTERN, cwd=repository).stdout == "\n".join(texts)


def test_packages_without_the_object_are_left_out(repository: Path) -> None:
    done = krm_fn("explain", PATTERN, "shop-config", cwd=repository)
    alone = krm_fn("explain", "apps/shop/prod", "shop-config", cwd=repository)
    assert (done.stdout, done.stderr) == (f"apps/shop/prod\n{alone.stdout}", "")
    nowhere = krm_fn("explain", PATTERN, "absent", cwd=repository)
    assert nowhere.stderr.count("the package has no ConfigMap, Secret or workload absent") == 3
    assert nowhere.returncode == 1


def test_a_picture_of_several_has_the_nodes_and_arrows_of_each(repository: Path) -> None:
    drawn = krm_fn("graph", PATTERN, "-o", "dot", cwd=repository).stdout
    alone = [krm_fn("graph", one, "-o", "dot", cwd=repository).stdout for one in PACKAGES]
    for sign in (" [class=", " -> "):
        assert drawn.count(sign) == sum(one.count(sign) for one in alone) > 0
    for package in PACKAGES:
        assert drawn.count(f'\\n{package}"]') + drawn.count(f'\\n{package}" ') > 0
    one = krm_fn("graph", PATTERN, "shop-config", cwd=repository)
    assert "blog" not in one.stdout.replace("apps/*/prod", "")
    assert one.returncode == 0


def test_stdin_is_no_package(repository: Path) -> None:
    done = krm_fn("verify", "--each", "-", cwd=repository)
    assert done.stderr.startswith("error: --each and patterns need paths, not stdin; ")
    assert done.returncode == 2


KUSTOMIZE = """\
#!/bin/sh
for folder; do :; done
echo "$folder" >> "{log}"
cat "$folder/app.yaml"
"""
BUILDS = {
    "render": 1,
    "verify": 1,
    "explain": 1,
    "graph": 1,
    "init --dry-run": 1,
    "init --deployer flux": 1,
    "init --share shared": 1,
    "diff --jobs 1 --against HEAD~1": 2,  # each of the two sides
    "diff --jobs 1 --against HEAD": 0,  # no file has changed
    "render --check --against HEAD~1": 2,
}
"""How often kustomize builds each folder for a command, all its sides together."""


@pytest.mark.parametrize(("command", "builds"), BUILDS.items(), ids=BUILDS)
def test_a_folder_is_built_once_for_a_command(
    command: str, builds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    write(tmp_path, {"bin/kustomize": KUSTOMIZE.format(log=log)})
    (tmp_path / "bin/kustomize").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    repository = tmp_path / "repository"
    for color in ("red", "blue"):
        files: dict[str, str | bytes] = {}
        for package in PACKAGES:
            name = package.split("/")[1]
            files[f"{package}/kustomization.yaml"] = "resources: [app.yaml]\n"
            files[f"{package}/app.yaml"] = manifests(name, color)
            if not command.startswith("init"):
                files[f"{package}/krm-fn.yaml"] = config(name)
        commit(repository, files)
    monkeypatch.chdir(repository)
    done = main([*command.split(), PATTERN])
    assert done.exit_code == 0, done.stderr
    built = log.read_text().splitlines() if builds else []
    assert len(built) == builds * len(PACKAGES)
