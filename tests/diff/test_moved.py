"""A package that has moved, or whose service is renamed, is compared with what it was: git judges which one that is."""

import json
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.diff.test_against import CONFIG, READER
from tests.git.repository import commit, git
from tests.render.run import write
from tests.report.closed_schema import validator

Files = dict[str, str | bytes]
PATTERN = "**/overlays/*"


def package(service: str, environment: str, folder: str, level: str = "one") -> Files:
    """Return an overlay that has more in common with that of another environment than with another service."""
    words = " ".join(f"{service}-{number}" for number in range(60))
    config = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: {service}-config, namespace: {service}-{environment}}}
data:
  A: {level}
  of-the-service: {words}
  environment: {environment}
"""
    reader = READER.replace("web", service).replace(
        "namespace: shop", f"namespace: {service}-{environment}"
    )
    return {
        f"{folder}/krm-fn.yaml": CONFIG.replace("name: shop", f"name: {service}"),
        f"{folder}/web.yaml": reader,
        f"{folder}/config.yaml": config,
    }


def service(name: str, top: str = "apps", level: str = "one") -> Files:
    files: Files = {}
    for environment in ("dev", "prod"):
        files |= package(name, environment, f"{top}/{name}/overlays/{environment}", level)
    return files


def compare(*arguments: str) -> dict[str, dict[str, object]]:
    done = main(["diff", "--against=HEAD", "-ojson", *arguments, PATTERN])
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    validator("diff-packages-v1.json").validate(document)
    return {one["path"]: one for one in document["packages"]}


def renames_of_git(folder: Path) -> dict[str, str]:
    """Return where the configuration of each service was, as git pairs these files.

    The others are alike in all services, so that git pairs those of any.
    """
    git(folder, "add", "--all")
    pairs: dict[str, Counter[str]] = {}
    for line in git(folder, "diff", "--cached", "-M", "--name-status", "HEAD").splitlines():
        kind, *files = line.split("\t")
        if kind.startswith("R") and files[0].endswith("/config.yaml"):
            old, new = (file.partition("/overlays/")[0] for file in files)
            pairs.setdefault(new, Counter())[old] += 1
    found = {new: was.most_common(1)[0][0] for new, was in pairs.items()}
    return {new: old for new, old in found.items() if old != new}


def by_service(moved: dict[str, object]) -> dict[str, str]:
    """Return where each service was, after a look at its environments: each was the one of its name."""
    services: dict[str, set[str]] = {}
    for new, old in moved.items():
        service_now, _, environment = new.partition("/overlays/")
        service_then, _, was = str(old).partition("/overlays/")
        assert environment == was
        services.setdefault(service_now, set()).add(service_then)
    assert all(len(then) == 1 for then in services.values())
    return {now: min(then) for now, then in services.items()}


def test_a_folder_that_moves_is_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, {**service("shop"), **service("blog")})
    shutil.move(tmp_path / "apps", tmp_path / "services")
    found = compare()
    moved = {path: one["movedFrom"] for path, one in found.items()}
    assert moved == {
        f"services/{one}/overlays/{environment}": f"apps/{one}/overlays/{environment}"
        for one in ("blog", "shop")
        for environment in ("dev", "prod")
    }
    assert by_service(moved) == renames_of_git(tmp_path)
    text = main(["diff", "--against=HEAD", PATTERN]).stdout.decode()
    assert text.splitlines()[0] == (
        "services/blog/overlays/dev: moved from apps/blog/overlays/dev: equal"
    )
    assert text.endswith("\n4 packages: 4 moved\n")
    markdown = main(["diff", "--against=HEAD", "-omarkdown", PATTERN]).stdout.decode()
    assert markdown.count(": equal</p>") == 4


def test_what_differs_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, service("shop"))
    shutil.rmtree(tmp_path / "apps")
    write(tmp_path, service("shop", "services", "two"))
    text = main(["diff", "--against=HEAD", PATTERN]).stdout.decode()
    assert text.startswith("services/shop/overlays/dev, moved from apps/shop/overlays/dev\n")
    assert text.count("  - A: one\n  + A: two\n") == 2
    assert "new pods" not in text
    assert text.endswith("2 packages: 2 moved\n")


def test_nothing_that_has_moved_is_a_risk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, service("shop"))
    shutil.move(tmp_path / "apps", tmp_path / "services")
    done = main(["diff", "--against=HEAD", "--fail-on=prune,missing,same-set,refused", PATTERN])
    assert (done.exit_code, "shared" in done.stderr) == (0, False)


def test_a_service_that_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its objects have other names, and both belong together nevertheless."""
    monkeypatch.chdir(tmp_path)
    shop = {name: str(text) for name, text in service("shop").items()}
    plain = {name: text.replace("shop-1", "a-1") for name, text in shop.items()}
    commit(tmp_path, {**plain, **service("blog")})
    shutil.rmtree(tmp_path / "apps/shop")
    write(
        tmp_path,
        {
            name.replace("shop", "store"): text.replace("name: shop", "name: store")
            for name, text in plain.items()
        },
    )
    found = compare()
    moved = {path: one["movedFrom"] for path, one in found.items() if one["movedFrom"]}
    assert moved == {
        f"apps/store/overlays/{environment}": f"apps/shop/overlays/{environment}"
        for environment in ("dev", "prod")
    }
    assert by_service(moved) == renames_of_git(tmp_path)


def test_a_new_package_is_none_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, service("shop"))
    shutil.rmtree(tmp_path / "apps")
    other = {
        "apps/a/overlays/dev/a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 1}]}\n"
    }
    write(tmp_path, other)
    found = compare()
    assert {one["state"] for one in found.values()} == {"added", "removed"}
    assert not any(one["movedFrom"] for one in found.values())
    assert renames_of_git(tmp_path) == {}


@pytest.mark.rows(test=2)
@pytest.mark.parametrize("seed", range(6))
def test_a_generated_repository_is_paired_as_git_pairs_it(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Services stay, go, come, move, or move with a change."""
    chosen = random.Random(seed)  # no secret
    monkeypatch.chdir(tmp_path)
    names = [f"s{number}{chosen.choice('xyz') * 4}" for number in range(4)]
    commit(tmp_path, {name: text for one in names for name, text in service(one).items()})
    after: Files = {}
    for one in names:
        fate = chosen.choice(["stays", "goes", "moves", "moves with a change"])
        if fate != "stays":
            shutil.rmtree(tmp_path / "apps" / one)
        if fate.startswith("moves"):
            level = "two" if fate.endswith("change") else "one"
            after |= service(one, chosen.choice(["services", "team/apps"]), level)
    after |= service(f"new{'w' * 4}", "team/apps")
    write(tmp_path, after)
    found = compare()
    moved = {path: one["movedFrom"] for path, one in found.items() if one["movedFrom"]}
    assert by_service(moved) == renames_of_git(tmp_path)
