"""`krm-fn init --remove` takes out what init has written: git sees no change then, and what others wrote stays."""

import os
import re
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.cli.main import main
from krm_fn.tools.init.plan import add_to_list
from krm_fn.tools.init.remove import take_out
from krm_fn.tools.init.texts import KPT_ENTRY
from tests.git.repository import commit, git
from tests.init.test_init import (
    ALL,
    CONFIG,
    KPTFILE,
    KPTFILES,
    KUSTOMIZATIONS,
    MANIFESTS,
    OTHER,
    RESOURCES,
    read,
    write,
    write_services,
)
from tests.tools.require import require

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n",
    "templates/config.yaml": CONFIG,
    "templates/web.yaml": MANIFESTS["web.yaml"],
}


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def see() -> dict[str, bytes]:
    """Read all files but those of git."""
    files = [path for path in Path().rglob("*") if path.is_file() and path.parts[0] != ".git"]
    return {str(path): path.read_bytes() for path in files}


def commit_all() -> None:
    commit(Path(), {})


def status() -> str:
    return git(Path(), "status", "--porcelain")


def run(*words: str) -> Outcome:
    outcome = main(["init", *words])
    assert outcome.exit_code == 0, outcome.stdout.decode() + outcome.stderr
    return outcome


def check_there_and_back(*words: str, wishes: tuple[str, ...] = ()) -> None:
    """Run init and its removal, and let git compare."""
    commit_all()
    before = see()
    run(*words, *wishes)
    assert status() != ""
    dry = run(*words, "--remove", "--dry-run").stdout.decode()
    assert "would be " in dry
    there = see()
    run(*words, "--remove")
    assert status() == ""
    assert see() == before
    assert there != before
    assert run(*words, "--remove").stdout == b"nothing of krm-fn init is left\n"
    assert status() == ""


KUSTOMIZATIONS_BEFORE = {
    **{name: before for name, (before, _) in KUSTOMIZATIONS.items()},
    "without a last line break": RESOURCES.rstrip("\n"),
    "with line breaks of Windows": RESOURCES.replace("\n", "\r\n"),
    "others without a last line break": f"{RESOURCES}transformers:\n- a.yaml",
    "with fields behind the list": f"transformers:\n- a.yaml\n\n# names\nnamePrefix: a-\n{RESOURCES}",
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("text", KUSTOMIZATIONS_BEFORE.values(), ids=KUSTOMIZATIONS_BEFORE)
def test_a_kustomization_has_its_bytes_again(text: str, top: Path) -> None:
    require("kubectl")
    write(top / "shop", {**MANIFESTS, "a.yaml": OTHER})
    (top / "shop/kustomization.yaml").write_bytes(text.encode())
    check_there_and_back("shop")


@pytest.mark.parametrize("text", [one for one, _ in KPTFILES.values()], ids=KPTFILES)
def test_a_kptfile_has_its_bytes_again(text: str, top: Path) -> None:
    write(top / "shop", {**MANIFESTS, "Kptfile": text})
    check_there_and_back("shop")


def test_a_plain_folder_has_its_bytes_again(top: Path) -> None:
    write(top / "shop", MANIFESTS)
    wishes = ("--strategy", "adopt", "--linker-image", "registry.example/k:1", "--namespace", "a")
    check_there_and_back("shop", wishes=wishes)


@pytest.mark.needs("helm")
def test_a_chart_has_its_bytes_again(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helm = require("helm").parent
    monkeypatch.setenv("PATH", f"{helm}{os.pathsep}{os.environ['PATH']}")
    write(top / "web", CHART)
    check_there_and_back("web", wishes=("--namespace", "shop"))


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("wishes", [(), ("--deployer", "argocd"), ("--kinds", "Secret")])
def test_overlays_and_what_they_share_have_their_bytes_again(
    wishes: tuple[str, ...], top: Path
) -> None:
    require("kubectl")
    write_services(top)
    check_there_and_back(ALL, "--share", "platform/krm", wishes=wishes)
    assert not (top / "platform").exists()


@pytest.mark.needs("kubectl")
def test_what_was_set_since_is_taken_out_with_it(top: Path) -> None:
    """Values of spec, lines that were comments, and fields that came behind the entry."""
    require("kubectl")
    write(top / "shop", {**MANIFESTS, "kustomization.yaml": RESOURCES})
    run("shop")
    config, kustomization = top / "shop/krm-fn.yaml", top / "shop/kustomization.yaml"
    opened = config.read_text().replace("# strategy", "strategy").replace("  # linker", "  linker")
    opened = opened.replace("  #   ", "    ").replace("spec:\n", "spec:\n  kinds: [Secret]\n")
    config.write_text(opened)
    kept = "generatorOptions:\n  immutable: true   # docs/how-to/leave.md\n"
    kustomization.write_text(kustomization.read_text() + kept)
    run("shop", "--remove")
    assert read(top / "shop") == {**MANIFESTS, "kustomization.yaml": RESOURCES + kept}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("wishes", [(), ("--strategy=adopt",)], ids=["opened", "written"])
def test_a_strategy_that_was_closed_as_the_pages_do_goes_with_the_rest(
    wishes: tuple[str, ...], top: Path
) -> None:
    """`sed 's/^  strategy: adopt/  # &/'` leaves the indentation behind the mark."""
    require("kubectl")
    write(top / "shop", {**MANIFESTS, "kustomization.yaml": RESOURCES})
    run("shop", *wishes)
    config = top / "shop/krm-fn.yaml"
    opened = config.read_text().replace("# strategy", "strategy")
    closed = re.sub(r"(?m)^  strategy: adopt", r"  # \g<0>", opened)
    assert "  #   strategy: adopt   # for the first sync" in closed
    config.write_text(closed)
    run("shop", "--remove")
    assert read(top / "shop") == {**MANIFESTS, "kustomization.yaml": RESOURCES}


@pytest.mark.needs("kubectl")
def test_it_says_what_it_did_and_what_is_to_do_first(top: Path) -> None:
    require("kubectl")
    write(top / "shop", {**MANIFESTS, "kustomization.yaml": RESOURCES})
    run("shop")
    assert run("shop", "--remove").stdout.decode() == (
        "shop/kustomization.yaml: edited: without transformers: krm-fn.yaml\n"
        "shop/krm-fn.yaml: removed\n"
        "\n"
        "next: if krm-fn ran already, release once with `leave: true` in the spec of krm-fn.yaml before: else a "
        "ConfigMap or Secret that keeps its name goes with its workload\n"
        "next: before this is applied, keep what kustomize generates immutable with `generatorOptions: "
        "{immutable: true}`, or the API server refuses it, as docs/how-to/leave.md says\n"
        "next: kustomize build shop | krm-fn diff --live --fail-on refused,missing -\n"
        "next: in the same step, remove what runs krm-fn: `plugin: {}` of an Application, a job of CI, "
        "--post-renderer\n"
        "next: the revisions stay, as they are protected; delete them when no ReplicaSet uses them, as "
        "docs/how-to/leave.md says\n"
    )


@pytest.mark.needs("kubectl")
def test_after_a_last_release_it_does_not_ask_for_one(top: Path) -> None:
    require("kubectl")
    write(top / "shop", {**MANIFESTS, "kustomization.yaml": RESOURCES})
    run("shop")
    config = top / "shop" / "krm-fn.yaml"
    config.write_text(config.read_text().replace("\nspec:\n", "\nspec:\n  leave: true\n"))
    said = run("shop", "--remove").stdout.decode()
    assert "shop/krm-fn.yaml: removed\n" in said
    assert "leave: true" not in said


LINES = (
    "resources:\n- a.yaml\n",
    "namePrefix: a-   # why\n",
    "# a comment\n",
    "configMapGenerator:\n- name: a\n  literals: [a=b]\n",
    "patches:\n- patch: |-\n    - op: add\n      path: /a\n",
)
LISTS = (
    "",
    "transformers:\n- a.yaml\n",
    "transformers:\n  - a.yaml   # first\n  # last\n",
    "transformers: [a.yaml,b.yaml]\n",
    "transformers: [\n  a.yaml,\n  b.yaml,\n]\n",
    "transformers:\n- |\n  kind: A\n  apiVersion: v1\n",
    "pipeline:\n  validators:\n  - image: v\n",
    "pipeline:\n    mutators:\n    - image: a\n      configMap:\n        a: b\n",
    "pipeline: {mutators: [{image: a}]}\n",
)
ENDINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    lambda text: text.rstrip("\n"),
    lambda text: f"---\n{text}\n\n",
    lambda text: f"{text}# end",
    lambda text: f"{text}...\n",
    lambda text: text.replace("\n", "\r\n"),
)


@pytest.mark.rows(test=3)
@pytest.mark.parametrize("listed", LISTS)
def test_whatever_is_around_an_entry_stays_to_the_byte(listed: str) -> None:
    kustomize, kpt = (("transformers",), "krm-fn.yaml"), (("pipeline", "mutators"), KPT_ENTRY)
    tried = 0
    for lines, place, end in product(combinations(LINES, 2), range(3), ENDINGS):
        text = end("".join([*lines[:place], listed, *lines[place:]])).encode()
        for path, entry in (kustomize, kpt):
            edited = add_to_list(text, path, entry)
            if edited is not None:
                tried += 1
                assert take_out(edited, path, entry) == text
    assert tried > 100


def edit(file: str, old: str, new: str) -> Callable[[], None]:
    def change() -> None:
        text = Path(file).read_text()
        assert old in text
        Path(file).write_text(text.replace(old, new, 1))

    return change


OVERLAY = "apps/web/overlays/dev"
BY_HAND = {
    "a comment beside the entry": (
        edit(f"{OVERLAY}/kustomization.yaml", "- krm\n", "- krm   # names by content\n"),
        f"{OVERLAY}/kustomization.yaml",
    ),
    "the entry twice": (
        edit(f"{OVERLAY}/kustomization.yaml", "- krm\n", "- krm\n- krm\n"),
        f"{OVERLAY}/kustomization.yaml",
    ),
    "more in the folder's kustomization": (
        edit(f"{OVERLAY}/krm/kustomization.yaml", "patches:", "namePrefix: a-\npatches:"),
        f"{OVERLAY}/krm/kustomization.yaml",
    ),
    "a comment in what is shared": (
        edit("krm/krm-fn.yaml", "spec:\n", "spec:\n  # ask the platform team\n"),
        "krm/krm-fn.yaml",
    ),
    "a label on what is shared": (
        edit("krm/krm-fn.yaml", "  annotations:\n", "  labels: {team: a}\n  annotations:\n"),
        "krm/krm-fn.yaml",
    ),
    "a second object in what is shared": (
        edit("krm/krm-fn.yaml", "spec:\n", "spec: {}\n---\nkind: List\nspec:\n"),
        "krm/krm-fn.yaml",
    ),
    "more in the kustomization that is shared": (
        edit("krm/kustomization.yaml", "resources:", "namePrefix: a-\nresources:"),
        "krm/kustomization.yaml",
    ),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("change", "named"), BY_HAND.values(), ids=BY_HAND)
def test_what_init_would_not_have_written_is_named_and_nothing_changes(
    change: Callable[[], None], named: str, top: Path
) -> None:
    require("kubectl")
    write_services(top)
    commit_all()
    run(ALL, "--share", "krm")
    change()
    before = see()
    outcome = main(["init", ALL, "--share", "krm", "--remove"])
    assert (outcome.exit_code, see()) == (1, before)
    said = outcome.stdout.decode()
    left = [line for line in said.splitlines() if "is not as krm-fn init writes it" in line]
    assert left == [f"{named}: is not as krm-fn init writes it, and stays; remove it by hand:"]
    assert "next: nothing is changed yet: take out what is named above" in said


@pytest.mark.needs("kubectl")
def test_one_line_checks_all_that_kustomize_builds(top: Path) -> None:
    write_services(top)
    (top / ".git").mkdir()
    run(ALL)
    said = run(ALL, "--remove", "--dry-run").stdout.decode()
    build = 'kustomize build "$dir" | krm-fn diff --live --fail-on refused,missing -'
    assert f"\nnext: for dir in {ALL}; do {build}; done\n" in said
    assert said.count("kustomize build ") == 1


def test_what_a_file_for_ci_compares_is_named(top: Path) -> None:
    write(top / "shop", MANIFESTS)
    commit_all()
    action = f"example/krm-fn@{'a' * 40}"
    run("shop", "--ci", "github", "--action", action)
    said = run("shop", "--remove").stdout
    assert b"next: take these directories out of .github/workflows/krm-fn.yaml\n" in said
    assert status() == "?? .github/"


def test_a_pattern_in_a_file_for_ci_is_found(top: Path) -> None:
    for folder in ("a/shop", "b/shop"):
        write(top / folder, MANIFESTS)
    (top / ".git").mkdir()
    run("*/shop", "--ci", "gitlab", "--action", f"example/krm-fn@{'a' * 40}")
    assert "      */shop\n" in (top / ".gitlab-ci.yml").read_text()
    assert b"take these directories out of .gitlab-ci.yml\n" in run("a/shop", "--remove").stdout


BELOW = {
    "overlays and what they share": (
        (ALL, "--share", "krm"),
        b"read it\nnothing to remove in .; 4 packages below it with krm-fn: krm-fn init --remove 'apps/*/overlays/*'\n",
    ),
    "some of them": (
        ("apps/*/overlays/dev", "apps/web/overlays/*"),
        b"below it with krm-fn: krm-fn init --remove 'apps/*/overlays/dev' 'apps/web/overlays/*'\n",
    ),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("words", "said"), BELOW.values(), ids=BELOW)
def test_from_above_it_says_where_krm_fn_is_configured(
    words: tuple[str, ...], said: bytes, top: Path
) -> None:
    require("kubectl")
    write_services(top)
    (top / ".git").mkdir()
    run(*words)
    before = see()
    share = words[1:] if "--share" in words else ()
    assert run(".", "--remove", *share).stdout.endswith(said)
    assert see() == before


def test_a_file_for_ci_may_hold_any_bytes(top: Path) -> None:
    write(top / "shop", MANIFESTS)
    run("shop")
    write(top / ".github/workflows", {"krm-fn.yaml": ""})
    (top / ".github/workflows/krm-fn.yaml").write_bytes(b"\xff\xfe")
    commit_all()
    assert ".github" not in run("shop", "--remove").stdout.decode()


def test_a_directory_that_was_named_stays_though_nothing_is_left_in_it(top: Path) -> None:
    folder = top / "apps/shop"
    write(folder, MANIFESTS)
    run(str(folder))
    for name in MANIFESTS:
        (folder / name).unlink()
    run(str(folder), "--remove")
    assert [*folder.iterdir()] == []


def test_another_configuration_of_krm_fn_is_named(top: Path) -> None:
    write(top / "shop", {**MANIFESTS, "Kptfile": KPTFILE})
    run("shop")
    (top / "shop/krm-fn.yaml").rename(top / "shop/other.yaml")
    edit("shop/Kptfile", "krm-fn.yaml", "other.yaml")()
    before = see()
    outcome = main(["init", "shop", "--remove"])
    assert (outcome.exit_code, see()) == (1, before)
    assert b"shop/Kptfile: is not as krm-fn init writes it" in outcome.stdout


@pytest.mark.needs("kubectl")
def test_what_others_share_stays_as_long_as_they_do(top: Path) -> None:
    require("kubectl")
    write_services(top)
    commit_all()
    run(ALL, "--share", "krm")
    outcome = run("apps/web/overlays/*", "--share", "krm", "--remove")
    stays = (
        b"krm/krm-fn.yaml: stays: apps/api/overlays/dev/krm, apps/api/overlays/prod/krm read it\n"
    )
    assert stays in outcome.stdout
    assert main(["render", "apps/api/overlays/prod"]).exit_code == 0
    assert not (top / "apps/web/overlays/dev/krm").exists()
    run("apps/api/overlays/*", "--share", "krm", "--remove")
    assert status() == ""


@pytest.mark.needs("kubectl")
def test_a_folder_of_that_name_that_is_about_something_else_stays(top: Path) -> None:
    require("kubectl")
    mine = {"shop/krm/kustomization.yaml": "resources: [a.yaml]\n", "shop/krm/a.yaml": OTHER}
    kustomization = f"{RESOURCES}transformers:\n- krm\n"
    write(top, {**mine, "shop/kustomization.yaml": kustomization})
    write(top / "shop", MANIFESTS)
    check_there_and_back("shop")


def test_what_kpt_has_rendered_in_place_is_refused(top: Path) -> None:
    """Nobody else gives the files their names back."""
    write(top / "shop", {**MANIFESTS, "Kptfile": KPTFILE})
    run("shop")
    labels = "metadata: {name: app-1, namespace: shop, labels: {revisions.krm-fn.io/set: front}}"
    edit("shop/config.yaml", "metadata: {name: app, namespace: shop}", labels)()
    before = see()
    outcome = main(["init", "shop", "--remove"])
    assert (outcome.exit_code, see()) == (1, before)
    assert outcome.stderr.startswith(
        "error: shop/config.yaml: is rendered in place; set strategy: "
    )


def test_a_file_behind_a_link_stays(top: Path) -> None:
    write(top / "shop", MANIFESTS)
    run("shop")
    (top / "shop/krm-fn.yaml").rename(top / "mine.yaml")
    (top / "shop/krm-fn.yaml").symlink_to("../mine.yaml")
    before = see()
    outcome = main(["init", "shop", "--remove"])
    assert (outcome.exit_code, see()) == (1, before)


@pytest.mark.parametrize("wish", [("--deployer", "kpt"), ("--strategy", "adopt"), ("--set", "a")])
def test_a_wish_about_what_would_be_written_is_refused(wish: tuple[str, str], top: Path) -> None:
    write(top / "shop", MANIFESTS)
    outcome = main(["init", "shop", "--remove", *wish])
    assert outcome.exit_code == 2
    assert "--remove takes directories and --share, and nothing about what" in outcome.stderr
