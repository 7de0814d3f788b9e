"""`krm-fn init` writes what is missing, changes nothing else, and says what a first rendering would do."""

import re
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from krm_fn import __version__
from krm_fn.cli.main import main
from krm_fn.init.texts import Pipeline
from krm_fn.model.problem import Outcome

EXAMPLES = Path(__file__).parents[2] / "examples"
Tree: TypeAlias = Mapping[str, str]

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - {name: web, image: web, envFrom: [{configMapRef: {name: app}}]}
"""
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: app, namespace: shop}
data: {LEVEL: info}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: unread, namespace: shop}
data: {a: b}
"""
MANIFESTS = {"web.yaml": WEB, "config.yaml": CONFIG}
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: front # the package\n"
LINE = "# yaml-language-server: $schema=https://krm-fn.io/schemas/configrevisions-revisions.krm-fn.io-v1.json\n"


def write(folder: Path, tree: Tree) -> Path:
    for name, text in tree.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def read(folder: Path) -> Tree:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def init(folder: Path, *options: str) -> Outcome:
    return main(["init", str(folder), *options])


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "shop", MANIFESTS)


RESOURCES = "resources:\n- web.yaml   # first\n- config.yaml\n"
KUSTOMIZATIONS = {
    "without transformers": (RESOURCES, f"{RESOURCES}transformers:\n- krm-fn.yaml\n"),
    "with a comment at the end": (f"{RESOURCES}# end\n", f"{RESOURCES}transformers:\n- krm-fn.yaml\n# end\n"),
    "with others before it": (
        f"transformers:\n  - a.yaml # why\n\n{RESOURCES}",
        f"transformers:\n  - a.yaml # why\n  - krm-fn.yaml\n\n{RESOURCES}",
    ),
    "in brackets": (
        f"transformers: [a.yaml]   # why\n{RESOURCES}",
        f"transformers: [a.yaml, krm-fn.yaml]   # why\n{RESOURCES}",
    ),
    "in JSON": (
        '{"resources": ["web.yaml", "config.yaml"]}\n',
        '{"resources": ["web.yaml", "config.yaml"], "transformers": ["krm-fn.yaml"]}\n',
    ),
}


@pytest.mark.parametrize(("before", "after"), KUSTOMIZATIONS.values(), ids=KUSTOMIZATIONS)
def test_a_kustomization_gets_one_entry_and_keeps_every_other_byte(before: str, after: str, shop: Path) -> None:
    write(shop, {"kustomization.yaml": before})
    outcome = init(shop)
    assert read(shop)["kustomization.yaml"] == after
    assert b"kustomization.yaml: edited: transformers lists krm-fn.yaml\n" in outcome.stdout


UNUSUAL = {
    "an empty field": f"transformers:\n{RESOURCES}",
    "an empty list": f"transformers: []\n{RESOURCES}",
    "a text in the place of the list": f"transformers: a.yaml\n{RESOURCES}",
    "a field that only kustomize takes for it": f"Transformers: [a.yaml]\n{RESOURCES}",
    "two documents": f"{RESOURCES}---\n{RESOURCES}",
    "nothing": "",
    "a list that is used twice": f"generators: &all [a.yaml]\ntransformers: *all\n{RESOURCES}",
}


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_unusual_stays_and_the_lines_are_printed(text: str, shop: Path) -> None:
    write(shop, {"kustomization.yaml": text})
    outcome = init(shop)
    assert (outcome.exit_code, read(shop)["kustomization.yaml"]) == (1, text)
    lines = b"kustomization.yaml: is not changed; add to it:\n  transformers:\n  - krm-fn.yaml\n"
    assert lines in outcome.stdout


ENTRY = "  - exec: krm-fn\n    configPath: krm-fn.yaml\n"
OTHERS = "pipeline:\n  mutators: # in order\n  - image: set-labels:v1 # why\n"
KPTFILES = {
    "without a pipeline": (KPTFILE, f"{KPTFILE}pipeline:\n  mutators:\n{ENTRY}"),
    "with other functions": (
        f"{KPTFILE}{OTHERS}  validators:\n  - image: v:1\n",
        f"{KPTFILE}{OTHERS}{ENTRY}  validators:\n  - image: v:1\n",
    ),
    "with validators only": (
        f"{KPTFILE}pipeline:\n  validators:\n  - image: v:1\n",
        f"{KPTFILE}pipeline:\n  validators:\n  - image: v:1\n  mutators:\n{ENTRY}",
    ),
}


@pytest.mark.parametrize(("before", "after"), KPTFILES.values(), ids=KPTFILES)
def test_a_kptfile_gets_the_last_entry_and_keeps_every_other_byte(before: str, after: str, shop: Path) -> None:
    write(shop, {"Kptfile": before})
    outcome = init(shop)
    assert outcome.exit_code == 0, outcome.stderr
    assert read(shop)["Kptfile"] == after
    config = read(shop)["krm-fn.yaml"]
    assert '\n    config.kubernetes.io/local-config: "true"   #' in config
    assert "\n  name: front   #" in config
    assert "\n  deployers: [kpt]\n" in config


def test_any_other_folder_gets_a_configuration_alone(shop: Path) -> None:
    outcome = init(shop, "--deployer", "argocd", "--deployer", "kapp", "--linker-image", "registry.example/k:1")
    assert outcome.exit_code == 0, outcome.stderr
    assert read(shop) == {
        **MANIFESTS,
        "krm-fn.yaml": f"""\
{LINE}apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: shop   # the set, unique in its namespace
spec:
  deployers: [argocd, kapp]
  # strategy: adopt   # for the first sync of what runs already
  linker:
    image: registry.example/k:1   # or where you pushed the image; the Job runs it
""",
    }
    assert main(["discover"]).stdout == b""


def test_it_says_what_it_did_and_what_a_rendering_would_do(shop: Path) -> None:
    assert init(shop.relative_to(Path.cwd())).stdout.decode() == (
        "shop/krm-fn.yaml: written\n"
        "\n"
        "OUTCOME     COUNT  BECAUSE                                                     OBJECTS\n"
        "left alone  1      no pod template of the package references it                ConfigMap shop/unread\n"
        "renamed     1      pods read it, and nothing hints at a program that looks it  ConfigMap shop/app\n"
        "                   up by its name\n"
        "1 renamed, 1 left alone (krm-fn explain PATH says why)\n"
        "\n"
        "next: krm-fn render shop\n"
        "next: if it runs already, sync once with strategy: adopt, as docs/migration.md says\n"
    )


DOORS = {
    "a kustomization": {"kustomization.yaml": RESOURCES},
    "a kpt package": {"Kptfile": KPTFILE},
    "a folder of manifests": {},
}


@pytest.mark.parametrize("more", DOORS.values(), ids=DOORS)
def test_a_second_run_changes_nothing_and_succeeds(more: Tree, shop: Path) -> None:
    write(shop, more)
    first, once = init(shop), read(shop)
    second = init(shop)
    assert (first.exit_code, second.exit_code, read(shop)) == (0, 0, once)
    assert second.stdout.partition(b"\n\n")[0].count(b": unchanged") == len(once) - len(MANIFESTS)
    assert second.stdout.partition(b"\n\n")[2] == first.stdout.partition(b"\n\n")[2]


@pytest.mark.parametrize("more", DOORS.values(), ids=DOORS)
def test_a_dry_run_writes_nothing_and_says_the_same_of_the_rendering(more: Tree, shop: Path) -> None:
    write(shop, more)
    before = read(shop)
    dry = init(shop, "--dry-run")
    assert (dry.exit_code, read(shop)) == (0, before)
    assert b"shop/krm-fn.yaml: would be written\n  +# yaml-language-server: " in dry.stdout
    rest = re.compile(rb"\n\nOUTCOME.*", re.DOTALL)
    (said,) = rest.findall(dry.stdout)
    assert rest.findall(init(shop).stdout) == [said]


def test_a_dry_run_shows_no_line_of_a_kustomization_that_is_there(shop: Path) -> None:
    write(shop, {"kustomization.yaml": f"{RESOURCES}secretGenerator:\n- name: a\n  literals: [token=hidden]\n"})
    outcome = init(shop, "--dry-run")
    assert b"  +transformers:\n  +- krm-fn.yaml\n" in outcome.stdout
    assert b"hidden" not in outcome.stdout + outcome.stderr.encode()


MINE = (
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: mine%s}\nspec: {deployers: [flux]}\n"
)
RUN = ', annotations: {config.kubernetes.io/function: "{exec: {path: krm-fn}}"}'
PRESENT = {
    "one that says all counts, and the exit code is 0": ({"krm-fn.yaml": MINE % ""}, (), 0, ""),
    "one without what kustomize needs is left, with the lines": (
        {"krm-fn.yaml": MINE % "", "kustomization.yaml": RESOURCES},
        ("--deployer", "kapp"),
        1,
        "  metadata:\n    annotations:\n      config.kubernetes.io/function: |   #",
    ),
    "one for what krm-fn render builds needs no entry": (
        {"krm-fn.yaml": MINE % "", "kustomization.yaml": RESOURCES},
        (),
        0,
        "shop/krm-fn.yaml: unchanged\n\n",
    ),
    "one that says how kustomize runs it counts": (
        {"krm-fn.yaml": MINE % RUN, "kustomization.yaml": RESOURCES},
        (),
        0,
        "",
    ),
    "one under another name that kustomize runs counts": (
        {"fn.yaml": MINE % RUN, "kustomization.yaml": f"{RESOURCES}transformers: [fn.yaml]\n"},
        (),
        0,
        "shop/fn.yaml: unchanged\nshop/kustomization.yaml: unchanged\n",
    ),
    "one without what kpt needs is left, with the lines": (
        {"krm-fn.yaml": MINE % "", "Kptfile": KPTFILE},
        (),
        1,
        '      config.kubernetes.io/local-config: "true"',
    ),
    "settings in a Kptfile count": (
        {"Kptfile": f"{KPTFILE}pipeline:\n  mutators:\n  - exec: krm-fn\n    configMap: {{name: mine}}\n"},
        (),
        0,
        "shop/Kptfile: unchanged\n\n",
    ),
    "one for another deployer is left, with the line": (
        {"krm-fn.yaml": MINE % ""},
        ("--deployer", "helm"),
        1,
        "  spec:\n    deployers: [flux, helm]\n",
    ),
}


@pytest.mark.parametrize(("tree", "options", "code", "said"), PRESENT.values(), ids=PRESENT)
def test_a_configuration_that_is_there_is_never_overwritten(
    tree: Tree, options: tuple[str, ...], code: int, said: str, shop: Path
) -> None:
    write(shop, tree)
    outcome = init(Path("shop"), *options)
    assert outcome.exit_code == code, outcome.stderr
    assert said in outcome.stdout.decode()
    kept = {
        name: text
        for name, text in read(shop).items()
        if name in tree and name not in {"kustomization.yaml", "Kptfile"}
    }
    assert kept.items() <= tree.items()
    assert len([text for text in read(shop).values() if "kind: ConfigRevisions" in text]) == len(kept)


ENTRIES = {
    "kustomization.yaml": f"{RESOURCES}transformers: [./krm-fn.yaml]\n",
    "Kptfile": f"{KPTFILE}pipeline:\n  mutators:\n  - {{exec: krm-fn, configPath: krm-fn.yaml}}\n",
}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_whose_file_is_missing_gets_the_file_and_no_second_entry(name: str, shop: Path) -> None:
    write(shop, {name: ENTRIES[name]})
    outcome = init(Path("shop"))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout.decode().startswith(f"shop/krm-fn.yaml: written\nshop/{name}: unchanged\n")


SETS = {
    "shop": ({}, ()),
    "front": ({"Kptfile": KPTFILE}, ()),
    "given": ({"Kptfile": KPTFILE}, ("--set", "given")),
    "named": ({"kustomization.yaml": f"metadata: {{name: named}}\n{RESOURCES}"}, ()),
    '"2024"': ({}, ("--set", "2024")),
    '"null"': ({"Kptfile": KPTFILE.replace("front", '"null"')}, ()),
}


@pytest.mark.parametrize("name", SETS)
def test_the_set_is_named_as_the_package(name: str, shop: Path) -> None:
    tree, options = SETS[name]
    assert init(write(shop, tree), *options).exit_code == 0
    assert f"\n  name: {name}   #" in read(shop)["krm-fn.yaml"]


def test_an_overlay_is_named_after_what_it_is_an_overlay_of(tmp_path: Path) -> None:
    init(write(tmp_path / "My Shop/overlays/prod", MANIFESTS))
    assert re.search(r"\n  name: my-shop-[a-z0-9]{10}   #", read(tmp_path)["My Shop/overlays/prod/krm-fn.yaml"])


EXAMPLE_OF = {"github": "github/diff.yaml", "gitlab": "gitlab/.gitlab-ci.yml"}


@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_the_file_for_ci_is_the_example_for_this_package(ci: str, shop: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    outcome = init(shop, "--ci", ci)
    assert outcome.exit_code == 0
    written = (tmp_path / Pipeline[ci].file).read_text()
    example = (EXAMPLES / EXAMPLE_OF[ci]).read_text().replace("apps/*/overlays/*", "shop")
    assert written.partition("\n")[2] == example.partition("\n")[2]
    assert f"v{__version__}" in written
    (tmp_path / Pipeline[ci].file).write_text("mine: 1\n")
    again = init(shop, "--ci", ci)
    assert again.exit_code == 1
    assert b"is there, and is not changed; add to it:\n  # " in again.stdout
    assert (tmp_path / Pipeline[ci].file).read_text() == "mine: 1\n"


@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_the_file_for_ci_names_any_folder(ci: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    init(write(tmp_path / "a: [b] # c", MANIFESTS), "--ci", ci)
    written = (tmp_path / Pipeline[ci].file).read_text()
    assert '"a: [b] # c"' in [value for _, _, value in re.findall(r"(paths|PACKAGES)(: )(\S.*?)   # ", written)]


REFUSED = {
    "--ci outside of a repository": (
        ("--ci", "github"),
        1,
        "is in no repository of git, in which --ci writes its file",
    ),
    "a configuration of the command line": (
        ("--config", "a"),
        2,
        "--config has no effect: krm-fn init writes the configuration, or takes the one that is there",
    ),
    "an image that cannot be one": (("--linker-image", "a: b"), 1, "krm-fn.yaml:"),
    "a set that cannot be one": (
        ("--set", "A"),
        2,
        "--set found 'A', expected letters in lower case, digits, - and ., at most 63",
    ),
}


@pytest.mark.parametrize(("options", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_refused_with_nothing_written(options: tuple[str, ...], code: int, said: str, shop: Path) -> None:
    outcome = init(shop, *options)
    assert outcome.exit_code == code
    assert said in outcome.stderr
    assert read(shop) == MANIFESTS


def test_a_chart_needs_the_namespace_of_its_release(shop: Path) -> None:
    write(shop, {"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n"})
    outcome = init(Path("shop"))
    message = "Helm tells a post-renderer no namespace; pass that of the release with --namespace"
    assert (outcome.exit_code, outcome.stderr) == (1, f"error: shop: {message}\n")
    assert "krm-fn.yaml" not in read(shop)
    init(shop, "--namespace", "prod")
    again = init(Path("shop"))
    assert again.stdout.startswith(b"shop/krm-fn.yaml: unchanged\n")
    assert b" --namespace prod --post-renderer " in again.stdout
    other = init(shop, "--namespace", "other")
    assert b"  spec:\n    linker:\n      namespace: other\n" in other.stdout


def test_a_full_disk_takes_nothing_that_was_there_and_what_was_written_is_said(
    shop: Path,
) -> None:
    text = f"# {'x' * 2000}\n{RESOURCES}"
    write(shop, {"kustomization.yaml": text})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(text) + 5, before[1]))
    try:
        outcome = init(Path("shop"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (outcome.exit_code, read(shop)["kustomization.yaml"]) == (1, text)
    assert outcome.stdout == b"shop/krm-fn.yaml: written\n"
    assert outcome.stderr == "error: shop/kustomization.yaml: no space left on device\n"
    assert init(shop).exit_code == 0


def test_what_cannot_be_rendered_is_configured_all_the_same(shop: Path) -> None:
    write(shop, {"web.yaml": "kind: [\n"})
    outcome = init(shop)
    assert outcome.exit_code == 1
    assert "web.yaml:" in outcome.stderr
    assert "krm-fn.yaml" in read(shop)
