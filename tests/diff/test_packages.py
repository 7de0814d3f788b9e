"""`krm-fn diff` of many packages: each by itself, the same change once, and all that is said of those that fail."""

import json
import re
import subprocess
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.base.problem import Outcome
from krm_fn.base.settings import NO_ENVIRONMENT
from krm_fn.report.table import Screen
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import DEFAULT_LIMITS
from krm_fn.tools.diff.diff import diff_packages
from krm_fn.tools.diff.difference import (
    PackageDifference,
    PackageDifferences,
    PackageState,
    SameChange,
)
from krm_fn.tools.diff.sides import (
    DIFFERENT,
    FAILED,
    NO_BASE,
    SAME,
    DiffFormat,
    DiffInput,
    RenderOptions,
)
from krm_fn.tools.diff.write_difference import (
    EXTENT,
    MARK,
    Extent,
    write_packages_json,
    write_packages_markdown,
)
from tests.cases import FIXTURES
from tests.cli.process import krm_fn
from tests.diff.generated import differences, hostile
from tests.diff.markdown import TAGS, TYPES, read_markdown
from tests.diff.test_against import CONFIG, config_map, shop
from tests.git.repository import ENVIRONMENT, commit, git
from tests.render.run import write
from tests.report.closed_schema import validator
from tests.tools.require import require

VALIDATOR = validator("diff-packages-v1.json")
PATTERN = "apps/*/*"
PLACES = ("apps/shop/blog", "apps/shop/dev", "apps/shop/prod")


def package(namespace: str, level: str, **fields: str) -> dict[str, str | bytes]:
    """Return a package with a ConfigMap or Secret, and a Deployment that reads it."""
    kind, name, more = (
        fields.get("kind", "ConfigMap"),
        fields.get("name", "web-config"),
        fields.get("more", ""),
    )
    folder = fields.get("path", f"apps/shop/{namespace}")
    field = "configMapRef" if kind == "ConfigMap" else "secretRef"
    key = "data" if kind == "ConfigMap" else "stringData"
    return {
        f"{folder}/krm-fn.yaml": CONFIG.replace(
            "spec: {", "spec: {kinds: [ConfigMap, Secret], "
        ).replace("name: shop", f"name: {fields.get('set', 'shop')}"),
        f"{folder}/config.yaml": f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: {namespace}}}\n"
        f"{key}: {{A: {level}{more}}}\n",
        f"{folder}/web.yaml": "apiVersion: apps/v1\nkind: Deployment\n"
        f"metadata: {{name: web, namespace: {namespace}}}\nspec: {{template: {{spec: {{containers: [{{name: app, "
        f"image: a, envFrom: [{{{field}: {{name: {name}}}}}]}}]}}}}}}\n",
    }


def compare(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *paths: str,
    form: DiffFormat = DiffFormat.TEXT,
    extent: Extent = EXTENT,
) -> Outcome:
    monkeypatch.chdir(folder)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    options = RenderOptions(None, HelmOptions(), NO_ENVIRONMENT, DEFAULT_LIMITS)
    return diff_packages(DiffInput(paths or (PATTERN,), "HEAD"), options, form, Screen(), extent)


def read(folder: Path, monkeypatch: pytest.MonkeyPatch, *paths: str) -> Any:
    document = json.loads(compare(folder, monkeypatch, *paths, form=DiffFormat.JSON).stdout)
    VALIDATOR.validate(document)
    differing = [
        one["path"]
        for one in document["packages"]
        if one["state"] in {"changed", "added", "removed"}
    ]
    assert sorted(path for change in document["changes"] for path in change["paths"]) == sorted(
        differing
    )
    return document


def test_the_same_change_is_shown_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for level in ("one", "two"):
        files = [package(namespace, level) for namespace in ("dev", "staging", "prod")]
        files.append(package("blog", "one", path="apps/blog/dev"))
        write(tmp_path, {name: text for each in files for name, text in each.items()})
        if level == "one":
            commit(tmp_path, {})
    done = compare(tmp_path, monkeypatch)
    assert done.exit_code == DIFFERENT
    assert re.sub("-[a-z0-9]{10}", "-HASH", done.stdout.decode()) == (
        "the same change in apps/shop/dev, prod, staging, apart from namespace\n"
        "ConfigMap web-config: web-config-HASH -> web-config-HASH\n"
        "  - A: one\n  + A: two\n  rolls Deployment/web\n"
        "1 revision changed; linker runs once\n"
        "\n"
        "4 packages: 3 changed, 1 not affected\n"
    )
    written = read(tmp_path, monkeypatch)
    assert written["changes"] == [
        {"paths": ["apps/shop/dev", "apps/shop/prod", "apps/shop/staging"], "apart": ["namespace"]}
    ]
    states = {one["path"]: one["state"] for one in written["packages"]}
    assert states == {
        "apps/blog/dev": "unaffected",
        **dict.fromkeys(("apps/shop/dev", "apps/shop/prod", "apps/shop/staging"), "changed"),
    }
    whole = [
        one["difference"]["revisions"][0]["namespace"]
        for one in written["packages"]
        if one["difference"]
    ]
    assert whole == ["dev", "prod", "staging"]
    markdown = compare(tmp_path, monkeypatch, form=DiffFormat.MARKDOWN).stdout.decode()
    said = "<p>the same change in <code>apps/shop/dev</code>, <code>prod</code>, <code>staging</code>, apart from "
    assert (
        f"{said}namespace, against <code>HEAD</code>; rolls <code>Deployment/web</code></p>\n"
        in markdown
    )
    assert markdown.count("- A: one\n+ A: two\n") == 1
    assert "<p>No difference: <code>apps/blog/dev</code></p>" in markdown


def test_the_page_shows_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environments = ("dev", "staging", "prod")
    others: dict[str, str | bytes] = {
        f"apps/app{number:02}/overlays/{one}/a.yaml": config_map("one")
        for number in range(19)
        for one in environments
    }
    for level in ("info", "debug"):
        for one in environments:
            files = package(one, level, path=f"apps/shop/overlays/{one}")
            write(
                tmp_path,
                {name: str(text).replace("{A: ", "{LOG_LEVEL: ") for name, text in files.items()},
            )
        if level == "info":
            commit(tmp_path, others)
    page = (FIXTURES.parent / "docs/ci.md").read_text()
    (pattern, shown) = re.findall(
        r"^\$ krm-fn diff --against origin/main '(.*)'\n([^`]+)^```$", page, re.MULTILINE
    )[0]
    assert shown == compare(tmp_path, monkeypatch, pattern).stdout.decode()


FOLDED = [
    pytest.param({}, {}, ["namespace"], id="another namespace"),
    pytest.param({"namespace": "dev"}, {"namespace": "dev"}, [], id="nothing else"),
    pytest.param(
        {}, {"more": ", B: other"}, ["namespace", "hash"], id="another key with a value of its own"
    ),
    pytest.param(
        {}, {"set": "production"}, ["namespace", "set"], id="another set, which nothing shows"
    ),
    pytest.param({}, {"level": "three"}, None, id="another value"),
    pytest.param({}, {"name": "api-config"}, None, id="another name"),
    pytest.param(
        {"kind": "Secret"}, {"kind": "Secret"}, None, id="a Secret, of which only sizes are known"
    ),
    pytest.param(
        {"level": '"(12 bytes)"'},
        {"level": '"(12 bytes)"'},
        None,
        id="a text that looks like a value that is hidden",
    ),
]


@pytest.mark.parametrize(("first", "second", "apart"), FOLDED)
def test_which_changes_are_the_same(
    first: Mapping[str, str],
    second: Mapping[str, str],
    apart: list[str] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sides = {
        "apps/shop/dev": {"namespace": "dev", **first},
        "apps/shop/prod": {"namespace": "prod", **second},
    }
    for before in (True, False):
        for path, fields in sides.items():
            level = "one" if before else fields.get("level", "two")
            write(tmp_path, package(**{**fields, "path": path, "level": level}))
        if before:
            commit(tmp_path, {})
    changes = read(tmp_path, monkeypatch)["changes"]
    assert changes == (
        [{"paths": [*sides], "apart": apart}]
        if apart is not None
        else [{"paths": [path], "apart": []} for path in sides]
    )


@pytest.mark.parametrize(("port", "is_same"), [(80, True), (81, False)])
def test_new_objects_are_the_same_change_only_if_they_are_equal(
    port: int, is_same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an object that is new, only the name is shown."""
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one")})
    for namespace, number in (("dev", 80), ("prod", port)):
        service = (
            f"apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: {namespace}}}\n"
        )
        host = f"spec: {{ports: [{{port: {number}}}], externalName: {namespace}}}\n"
        write(tmp_path, {f"apps/shop/{namespace}/service.yaml": service + host})
    changes = read(tmp_path, monkeypatch)["changes"]
    assert [one["apart"] for one in changes] == ([["namespace"]] if is_same else [[], []])


def test_a_set_that_is_shown_tells_changes_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also without a linker, whose lines name the set anyway."""
    names = ("dev", "prod")
    for sets in (("shop", "store"), ("store", "shop")):
        for name, one in zip(names, sets, strict=True):
            files = package(name, "one", set=one).items()
            write(
                tmp_path,
                {
                    file: str(text).replace("linker: {", "linker: {enabled: false, ")
                    for file, text in files
                },
            )
        if sets[0] == "shop":
            commit(tmp_path, {})
    document = read(tmp_path, monkeypatch)
    assert document["changes"] == [{"paths": [f"apps/shop/{name}"], "apart": []} for name in names]
    text = compare(tmp_path, monkeypatch).stdout.decode()
    assert text.index("  moves from set shop to set store\n") < text.index(
        "  moves from set store to set shop\n"
    )


def test_new_packages_and_those_that_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, {**package("dev", "one"), **package("old", "one")})
    for file in (tmp_path / "apps/shop/old").iterdir():
        file.unlink()
    (tmp_path / "apps/shop/old").rmdir()
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: new}\nspec: {ports: [{port: 80}]}\n"
    write(tmp_path, {"apps/shop/new/service.yaml": service})
    done = compare(tmp_path, monkeypatch)
    assert done.stdout.endswith(b"\n3 packages: 1 added, 1 removed, 1 not affected\n")
    assert "warning: apps/shop/new: does not exist in HEAD: all in it is new\n" in done.stderr
    assert "warning: apps/shop/old: does not exist any more\n" in done.stderr
    states = [(one["path"], one["state"]) for one in read(tmp_path, monkeypatch)["packages"]]
    assert states == [
        ("apps/shop/dev", "unaffected"),
        ("apps/shop/new", "added"),
        ("apps/shop/old", "removed"),
    ]


BROKEN: dict[str, str | bytes] = {"apps/shop/prod/web.yaml": "a: [\n"}


def test_a_package_that_fails_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one")})
    write(tmp_path, {**package("dev", "two"), **BROKEN})
    done = compare(tmp_path, monkeypatch)
    assert done.exit_code == FAILED
    assert "  - A: one\n  + A: two\n" in done.stdout.decode()
    assert done.stdout.endswith(
        b"apps/shop/prod: cannot be compared\n2 packages: 1 changed, 1 cannot be compared\n"
    )
    assert re.match("error: apps/shop/prod/web.yaml:2:1: invalid YAML", done.stderr)
    assert done.stderr.endswith("\nerror: 1 of 2 packages cannot be compared: apps/shop/prod\n")
    (failed,) = (one for one in read(tmp_path, monkeypatch)["packages"] if one["state"] == "failed")
    assert failed["errors"][0].startswith("error: apps/shop/prod/web.yaml:2:1: invalid YAML")
    markdown = compare(tmp_path, monkeypatch, form=DiffFormat.MARKDOWN).stdout.decode()
    assert (
        "<p><strong><code>apps/shop/prod</code> cannot be compared</strong></p>\n\n```\nerror: "
        in markdown
    )
    assert "- A: one\n+ A: two\n" in markdown


@pytest.mark.needs("kustomize")
def test_a_comment_says_what_kustomize_says_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its line begins with all the folders that it has come through, and ends with the cause."""
    monkeypatch.setenv("PATH", f"{require('kustomize').parent}:/usr/bin:/bin")
    folder, names = (
        "apps/shop/production-europe-west",
        [f"component-number-{number}" for number in range(3)],
    )
    files: dict[str, str | bytes] = {f"{folder}/kustomization.yaml": f"resources: [{names[0]}]\n"}
    for name, leads_to in pairwise([*names, "web.yaml"]):
        folder += f"/{name}"
        files[f"{folder}/kustomization.yaml"] = f"resources: [{leads_to}]\n"
    commit(tmp_path, {**files, f"{folder}/web.yaml": config_map("one")})
    (tmp_path / folder / "web.yaml").unlink()
    command = ["kustomize", "build", str(tmp_path / "apps/shop/production-europe-west")]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr.strip()
    assert len(said) > 1_000
    markdown = compare(tmp_path, monkeypatch, form=DiffFormat.MARKDOWN).stdout.decode()
    (line,) = re.findall("^error: .*$", markdown, re.MULTILINE)
    assert line.startswith(
        "error: apps/shop/production-europe-west: kustomize build exited with code 1: Error: "
    )
    assert line.endswith(said[-100:])
    assert len(line) <= 300


def test_of_many_errors_the_first_and_the_last_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, package("dev", "one"))
    write(tmp_path, {f"apps/shop/dev/{number:03}.yaml": "a: [\n" for number in range(200)})
    markdown = compare(tmp_path, monkeypatch, form=DiffFormat.MARKDOWN).stdout.decode()
    shown = re.findall(
        r"^error: apps/shop/dev/(\d+)\.yaml|^\.\.\. (150 more lines)$", markdown, re.MULTILINE
    )
    numbers = [
        *(f"{number:03}" for number in range(25)),
        "",
        *(f"{number:03}" for number in range(175, 200)),
    ]
    assert [number for number, _ in shown] == numbers


def test_the_last_line_totals_what_the_first_rename_rolls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each group of equal changes counts for all of its packages: people plan the rollouts by this line."""
    files: dict[str, str | bytes] = {}
    for namespace in ("blog", "dev", "prod"):
        files |= package(namespace, "one")
    files |= package("rollout", "two")
    web = str(files["apps/shop/rollout/web.yaml"])
    files["apps/shop/rollout/web.yaml"] = web.replace(
        "apps/v1\nkind: Deployment", "argoproj.io/v1alpha1\nkind: Rollout"
    )
    commit(tmp_path, {path: text for path, text in files.items() if "krm-fn" not in path})
    write(tmp_path, files)
    done = compare(tmp_path, monkeypatch)
    last = "4 packages: 4 changed; the first rename rolls 4 workloads (1 Rollout)"
    assert done.stdout.decode().splitlines()[-1] == last
    assert (
        json.loads(compare(tmp_path, monkeypatch, form=DiffFormat.JSON).stdout)["summary"] == last
    )


def test_a_first_rename_with_other_content_in_each_package_shows_both_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**package("dev", "one"), **package("prod", "two")}
    commit(tmp_path, {path: text for path, text in files.items() if "krm-fn" not in path})
    write(tmp_path, files)
    done = compare(tmp_path, monkeypatch)
    assert done.stdout.decode().splitlines()[:2] == [
        "the same change in apps/shop/dev, prod, apart from namespace and hash",
        "ConfigMap web-config: web-config -> web-config-(hash)",
    ]
    warning = "warning: HEAD: does not use krm-fn yet, so its names are compared as they are\n"
    assert done.stderr.count(warning) == 1


def test_a_package_whose_base_fails_is_new_and_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one"), **BROKEN})
    write(tmp_path, {**package("dev", "two"), **package("prod", "two")})
    done = compare(tmp_path, monkeypatch)
    assert done.exit_code == NO_BASE
    assert done.stdout.endswith(b"\n2 packages: 2 changed\n")
    assert "error: HEAD:apps/shop/prod/web.yaml:2:1: invalid YAML" in done.stderr
    assert [one["paths"] for one in read(tmp_path, monkeypatch)["changes"]] == [
        ["apps/shop/dev"],
        ["apps/shop/prod"],
    ]
    markdown = compare(tmp_path, monkeypatch, form=DiffFormat.MARKDOWN).stdout.decode()
    said = "<code>apps/shop/prod</code> is shown as new, because its base cannot be rendered"
    assert f"<p><strong>{said}</strong></p>\n\n```\nerror: HEAD:" in markdown


LEFT_OUT = [
    pytest.param(["apps/shop/dev"], {"apps/shop/prod", "apps/shop/blog"}, id="whole packages"),
    pytest.param(
        ["--sparse-index", "apps/shop/dev"],
        {"apps/shop/prod", "apps/shop/blog"},
        id="and of the index too",
    ),
    pytest.param(
        ["--no-cone", "/*", "!/apps/shop/prod/web.yaml"],
        {"apps/shop/prod"},
        id="one manifest of a folder",
    ),
    pytest.param(
        ["--no-cone", "/*", "!/apps/shop/*/krm-fn.yaml"], set(PLACES), id="the configurations"
    ),
    pytest.param(["--no-cone", "/*", "!/README.md"], set(), id="a file of no package"),
    pytest.param(
        ["--no-cone", "/*", "!/apps/shop/blog/notes.txt"],
        set(),
        id="a file that kustomize does not read",
    ),
]


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("arguments", "left_out"), LEFT_OUT)
def test_what_a_sparse_checkout_leaves_out_is_not_removed(
    arguments: list[str], left_out: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        **package("dev", "one"),
        **package("prod", "one"),
        **package("blog", "one"),
        "README.md": "a\n",
    }
    kustomized: dict[str, str | bytes] = {
        "apps/shop/blog/kustomization.yaml": "resources: [config.yaml, web.yaml]\n",
        "apps/shop/blog/notes.txt": "a\n",
    }
    commit(tmp_path, {**files, **kustomized})
    git(tmp_path, "sparse-checkout", "set", *arguments)
    require("kubectl")  # which builds one of them
    done = compare(tmp_path, monkeypatch)
    states = {one["path"]: one["state"] for one in read(tmp_path, monkeypatch)["packages"]}
    assert {path for path, state in states.items() if state == "left-out"} == left_out
    assert {*states.values()} <= {"left-out", "unaffected", "same"}
    assert done.exit_code == SAME
    said = f"{len(left_out)} not checked out" if left_out else ""
    for form in (DiffFormat.TEXT, DiffFormat.MARKDOWN):
        assert said in compare(tmp_path, monkeypatch, form=form).stdout.decode()
    assert [line for line in done.stderr.splitlines() if "checked out" in line] == [
        f"warning: not checked out here, so not compared: {', '.join(sorted(left_out))}"
        for _ in [1]
        if left_out
    ]


def test_the_command_that_checks_out_what_is_missing(tmp_path: Path) -> None:
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one")})
    git(tmp_path, "sparse-checkout", "set", "apps/shop/dev")
    done = krm_fn("diff", "--against=HEAD", "apps/shop/prod", cwd=tmp_path, **ENVIRONMENT)
    assert done.stderr.startswith(
        "error: apps/shop/prod: a sparse checkout leaves files of it out of the working tree"
    )
    command = done.stderr.strip().partition("; run git ")[2]
    git(tmp_path, *command.split())
    done = krm_fn("diff", "--against=HEAD", "apps/shop/prod", cwd=tmp_path, **ENVIRONMENT)
    assert (done.stdout, done.stderr) == ("no difference: 1 revision unchanged\n", "")


def test_a_package_that_is_removed_in_a_sparse_checkout_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one"), **package("blog", "one")})
    git(tmp_path, "rm", "--quiet", "-r", "apps/shop/prod")
    git(tmp_path, "sparse-checkout", "set", "apps/shop/dev")
    states = [one["state"] for one in read(tmp_path, monkeypatch)["packages"]]
    assert states == ["left-out", "unaffected", "removed"]


def test_nothing_that_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one")})
    assert compare(tmp_path, monkeypatch)[:3] == (b"2 packages: 2 not affected\n", "", SAME)
    write(tmp_path, {"apps/shop/dev/notes.txt": "a"})
    done = compare(tmp_path, monkeypatch)
    assert (done.stdout, done.exit_code) == (
        b"2 packages: 1 with no difference, 1 not affected\n",
        SAME,
    )
    assert [one["state"] for one in read(tmp_path, monkeypatch)["packages"]] == [
        "same",
        "unaffected",
    ]


WAYS = [
    pytest.param(".", [PATTERN], ["apps/shop/dev", "apps/shop/prod"], id="a pattern"),
    pytest.param("apps/shop", ["*"], ["dev", "prod"], id="in a folder"),
    pytest.param("apps/shop/dev", ["../*"], [".", "../prod"], id="upwards"),
    pytest.param(".", ["{}/apps/shop/p*"], ["apps/shop/prod"], id="an absolute pattern"),
    pytest.param(
        ".", ["apps/shop/prod", PATTERN], ["apps/shop/prod", "apps/shop/dev"], id="a path twice"
    ),
    pytest.param(
        ".",
        ["--each", "apps/shop/dev", "apps/shop/prod"],
        ["apps/shop/dev", "apps/shop/prod"],
        id="each",
    ),
]


@pytest.mark.parametrize(("working", "arguments", "paths"), WAYS)
def test_the_command_takes_packages(
    working: str, arguments: list[str], paths: list[str], tmp_path: Path
) -> None:
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one")})
    write(tmp_path, package("prod", "two"))
    options = ["diff", "--against=HEAD", "-ojson", "--exit-code"]
    given = [argument.format(tmp_path) for argument in arguments]
    done = krm_fn(*options, *given, cwd=tmp_path / working, **ENVIRONMENT)
    written = json.loads(done.stdout)
    assert done.returncode == DIFFERENT
    assert [one["path"] for one in written["packages"]] == paths
    assert [one["paths"] for one in written["changes"]] == [
        [path for path in paths if path.endswith("prod")]
    ]


FAILURES = [
    pytest.param(
        ["none/*"], "error: none/*: matches no package, neither here nor in HEAD\n", id="no match"
    ),
    pytest.param(
        ["--each", "shop", ".."], "error: ..: is outside of the repository {}\n", id="outside"
    ),
    pytest.param(
        ["--each", "none"],
        "error: none: exists neither here nor in HEAD\nerror: 1 of 1 package cannot be compared: none\n",
        id="no such package",
    ),
    pytest.param(
        ["--room=9000", PATTERN],
        "error: --room has no effect without -o markdown; see krm-fn diff --help\n",
        id="room for nothing",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), FAILURES)
def test_failures(arguments: list[str], message: str, tmp_path: Path) -> None:
    commit(tmp_path / "r", shop("one"))
    done = krm_fn("diff", "--against=HEAD", *arguments, cwd=tmp_path / "r", **ENVIRONMENT)
    assert (done.stderr, done.returncode) == (message.format(tmp_path / "r"), 2)


def test_packages_need_a_revision(tmp_path: Path) -> None:
    done = krm_fn("diff", "--each", "a", "b", cwd=tmp_path)
    assert done.stderr == "error: --each needs --against REV or --live; see krm-fn diff --help\n"


def test_a_comment_never_has_more_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every package that differs is there, with at least what sums it up, or in a number."""
    names = [f"n{number:02}" for number in range(12)]
    for level in ("one", "two"):
        write(
            tmp_path,
            {
                k: v
                for name in names
                for k, v in package(name, f"{level}-{name}-" + "x" * 200).items()
            },
        )
        if level == "one":
            commit(tmp_path, {})
    for room in (5_000, 8_000, 65_000):
        done = compare(tmp_path, monkeypatch, form=DiffFormat.MARKDOWN, extent=Extent(room=room))
        markdown = done.stdout.decode()
        assert len(markdown) <= room
        assert "<p><strong>12 packages: 12 changed</strong></p>" in markdown
        shown = len(re.findall("<p><code>apps/shop/n", markdown))
        left_out = re.search(
            r"Left out, as there is no room in a comment: (\d+) more change", markdown
        )
        assert shown + (int(left_out[1]) if left_out else 0) == 12
        blocks = markdown.count("<details")
        assert blocks == 12 or "Left out, as there is no room in a comment: 1 change," in markdown
    assert blocks == 12


@pytest.mark.parametrize(("number", "are_open"), [(3, True), (4, False)])
def test_three_changes_are_open_and_more_are_closed(
    number: int, are_open: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for level in ("one", "two"):
        for place in range(number):
            write(tmp_path, package(f"n{place}", f"{level}-{place}"))
        if level == "one":
            commit(tmp_path, {})
    markdown = compare(tmp_path, monkeypatch, form=DiffFormat.MARKDOWN).stdout.decode()
    assert markdown.count("<details") == number
    assert markdown.count("<details open>") == (number if are_open else 0)


@st.composite
def found_in_packages(draw: st.DrawFn) -> PackageDifferences:
    found = [draw(differences()) for _ in range(draw(st.integers(0, 3)))]
    errors = tuple(draw(st.lists(hostile, max_size=2)))
    changed = tuple(
        PackageDifference(draw(hostile), PackageState.CHANGED, one, errors) for one in found
    )
    failed = PackageDifference(draw(hostile), PackageState.FAILED, errors=(draw(hostile),))
    groups = [
        SameChange((one, *changed[:1]), one.difference, ("hash",))
        for one in changed
        if one.difference
    ]
    return PackageDifferences(draw(hostile), (*changed, failed), tuple(groups))


@given(found_in_packages(), hostile, st.sampled_from([5_000, 65_000]))
def test_no_text_is_more_than_text(found: PackageDifferences, key: str, room: int) -> None:
    markdown = write_packages_markdown(found, key, room=room)
    seen = read_markdown(markdown)
    assert markdown.startswith(f"{MARK} ")
    assert len(markdown.encode("utf-16-le")) / 2 <= room
    assert seen.types <= TYPES
    assert seen.tags <= TAGS
    assert not seen.unclosed
    for trace in ("@", "#", "|", "`", "<", ">", "*", "[", "www"):
        assert trace not in seen.text
    VALIDATOR.validate(json.loads(write_packages_json(found)))


def test_a_secret_is_in_no_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(tmp_path, package("dev", "first-value", kind="Secret"))
    write(tmp_path, package("dev", "second-value", kind="Secret"))
    for form in DiffFormat:
        done = compare(tmp_path, monkeypatch, form=form)
        assert done.exit_code == DIFFERENT
        assert "-value" not in done.stdout.decode() + done.stderr


def test_what_is_unaffected_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where it would fail: the change has not done that."""
    commit(tmp_path, {**package("dev", "one"), **package("prod", "one"), **BROKEN})
    write(tmp_path, {"apps/shop/dev/config.yaml": config_map("two").replace(": shop}", ": dev}")})
    done = compare(tmp_path, monkeypatch)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (
        DIFFERENT,
        b"2 packages: 1 changed, 1 not affected",
    )


def test_pods_lack_nothing_that_has_moved_to_another_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = "annotations: {revisions.krm-fn.io/strategy: ignore}, namespace: dev"
    files = package("dev", "one")
    config = str(files["apps/shop/dev/config.yaml"]).replace("namespace: dev", keep)
    commit(tmp_path, files | {"apps/shop/dev/config.yaml": config} | package("prod", "one"))
    (tmp_path / "apps/shop/dev/config.yaml").unlink()
    lacks = "error: ConfigMap dev/web-config: nothing has the name web-config any more:"
    assert lacks in compare(tmp_path, monkeypatch).stdout.decode()
    (tmp_path / "apps/shop/prod/moved.yaml").write_text(config)
    assert lacks not in compare(tmp_path, monkeypatch).stdout.decode()
