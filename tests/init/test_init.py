"""`krm-fn init` writes what is missing, changes nothing else, and says what a first rendering would do."""

import os
import re
import resource
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from krm_fn.base.problem import Outcome, Rejected
from krm_fn.cli.main import main
from krm_fn.core.config.config import parse_config
from krm_fn.function import read_config
from krm_fn.tools.common.files import DEFAULT_LIMITS, is_sharing_folder
from krm_fn.tools.init.texts import Pipeline
from krm_fn.tools.init.who_builds import Around
from tests.tools.require import require

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
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def init(folder: Path, *options: str) -> Outcome:
    if (folder / "kustomization.yaml").exists():
        require("kubectl")  # which builds it
    return main(["init", str(folder), *options])


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "shop", MANIFESTS)


RESOURCES = "resources:\n- web.yaml   # first\n- config.yaml\n"
OTHER = "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: a}\nlabels: {a: b}\n"
KUSTOMIZATIONS = {
    "without transformers": (RESOURCES, f"{RESOURCES}transformers:\n- krm-fn.yaml\n"),
    "with a comment at the end": (
        f"{RESOURCES}# end\n",
        f"{RESOURCES}transformers:\n- krm-fn.yaml\n# end\n",
    ),
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


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("before", "after"), KUSTOMIZATIONS.values(), ids=KUSTOMIZATIONS)
def test_a_kustomization_gets_one_entry_and_keeps_every_other_byte(
    before: str, after: str, shop: Path
) -> None:
    write(shop, {"kustomization.yaml": before, "a.yaml": OTHER})
    outcome = init(shop)
    assert read(shop)["kustomization.yaml"] == after, outcome.stderr
    assert b"kustomization.yaml: edited: transformers lists krm-fn.yaml\n" in outcome.stdout


UNUSUAL = {
    "an empty field": f"transformers:\n{RESOURCES}",
    "an empty list": f"transformers: []\n{RESOURCES}",
    "a field that only kustomize takes for it": f"Transformers: [a.yaml]\n{RESOURCES}",
    "two lists in one": f"transformers: &all [a.yaml]\nvalidators: *all\n{RESOURCES}",
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_unusual_stays_and_the_lines_are_printed(text: str, shop: Path) -> None:
    tree = {**MANIFESTS, "kustomization.yaml": text, "a.yaml": OTHER}
    outcome = init(write(shop, tree))
    assert (outcome.exit_code, read(shop)) == (1, tree), outcome.stderr
    lines = b"kustomization.yaml: is not changed; add to it:\n  transformers:\n  - krm-fn.yaml\n"
    assert lines in outcome.stdout
    assert (
        b"next: nothing is written yet: add the lines above, and run krm-fn init again\n"
        in outcome.stdout
    )
    write(shop, {"kustomization.yaml": f"{RESOURCES}transformers: [krm-fn.yaml]\n"})
    assert init(shop).exit_code == 0
    assert "krm-fn.yaml" in read(shop)


NOT_BUILT = {
    "a text in the place of the list": {
        "kustomization.yaml": f"transformers: a.yaml\n{RESOURCES}",
        "a.yaml": "a",
    },
    "nothing": {"kustomization.yaml": ""},
    "what is no YAML": {"web.yaml": "kind: [\n"},
    "a transformer that is not there": {
        "kustomization.yaml": f"{RESOURCES}transformers: [a.yaml]\n"
    },
    "a configuration that contradicts": {
        "a.yaml": "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: a}\n"
    },
}


@pytest.mark.parametrize("more", NOT_BUILT.values(), ids=NOT_BUILT)
def test_where_a_rendering_fails_nothing_is_written(more: Tree, shop: Path) -> None:
    tree = {**MANIFESTS, **more}
    outcome = init(write(shop, tree))
    assert (outcome.exit_code, outcome.stdout, read(shop)) == (1, b"", tree)
    assert outcome.stderr.startswith("error: ")


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
def test_a_kptfile_gets_the_last_entry_and_keeps_every_other_byte(
    before: str, after: str, shop: Path
) -> None:
    write(shop, {"Kptfile": before})
    outcome = init(shop)
    assert outcome.exit_code == 0, outcome.stderr
    assert read(shop)["Kptfile"] == after
    config = read(shop)["krm-fn.yaml"]
    assert '\n    config.kubernetes.io/local-config: "true"   #' in config
    assert "\n  name: front   #" in config
    assert "\n  deployers: [kpt]\n" in config


def test_any_other_folder_gets_a_configuration_alone(shop: Path) -> None:
    outcome = init(
        shop, "--deployer", "argocd", "--deployer", "kapp", "--linker-image", "registry.example/k:1"
    )
    assert outcome.exit_code == 0, outcome.stderr
    assert read(shop) == {
        **MANIFESTS,
        "krm-fn.yaml": f"""\
{LINE}# +argocd:skip-file-rendering
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: shop   # the set, unique in its namespace
  annotations:
    config.kubernetes.io/local-config: "true"   # kustomize, Flux and kpt do not apply it
spec:
  deployers: [argocd, kapp]
  # strategy: adopt   # for the first sync of what runs already
  linker:
    image: registry.example/k:1   # the Job runs it
    # schedule: "H * * * *"   # also between releases: an old revision goes within the hour
""",
    }
    assert main(["discover"]).stdout == b""


def test_it_says_what_it_did_and_what_a_rendering_would_do(shop: Path) -> None:
    assert init(shop.relative_to(Path.cwd())).stdout.decode() == (
        "shop/krm-fn.yaml: written\n"
        "\n"
        "OUTCOME     COUNT  BECAUSE                                       OBJECTS\n"
        "left alone  1      no pod template of the package references it  ConfigMap shop/unread\n"
        "renamed     1      only pods read it                             ConfigMap shop/app\n"
        "1 renamed, 1 left alone (krm-fn explain PATH says why)\n"
        "\n"
        "next: no release of krm-fn is published yet: build the image (make image), docker push it to your\n"
        "  registry, and set spec.linker.image\n"
        "next: krm-fn render shop\n"
        "next: kubectl apply -f shop refuses krm-fn.yaml from now on; apply what krm-fn has rendered\n"
        "next: if it runs already, sync once with strategy: adopt, as docs/migration.md says\n"
    )


IMAGE = "next: no release of krm-fn is published yet"
ADOPT = "next: if it runs already, sync once with strategy: adopt"
IS_DONE = [
    pytest.param("", [IMAGE, ADOPT], id="a configuration that sets nothing"),
    pytest.param("linker: {image: registry.example/k:1}", [ADOPT], id="the image is pushed"),
    pytest.param("linker: {run: shared}", [ADOPT], id="another one runs the linker"),
    pytest.param("linker: {run: job}", [IMAGE, ADOPT], id="a Job runs it, as by default"),
    pytest.param("strategy: adopt", [IMAGE], id="the package adopts"),
    pytest.param(
        "strategy: rename\n  linker: {image: registry.example/k:1}", [], id="nothing is left"
    ),
]


@pytest.mark.parametrize(("spec", "left"), IS_DONE)
@pytest.mark.parametrize("is_in_kptfile", [False, True], ids=["krm-fn.yaml", "Kptfile"])
def test_a_step_that_is_done_is_not_shown(
    spec: str, left: list[str], is_in_kptfile: bool, shop: Path
) -> None:
    if is_in_kptfile:
        settings = {
            "strategy": "strategy",
            "linker: {image": "linker.image",
            "linker: {run": "linker.run",
        }
        lines = [
            f"      {ours}: {spec.partition(f'{field}: ')[2].split()[0].rstrip('}')}\n"
            for field, ours in settings.items()
            if f"{field}: " in spec
        ]
        entry = f"pipeline:\n  mutators:\n  - exec: krm-fn\n    configMap:\n      name: shop\n{''.join(lines)}"
        write(shop, {"Kptfile": KPTFILE + entry})
    else:
        config = (
            "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
        )
        write(shop, {"krm-fn.yaml": f"{config}spec:\n  immutable: true\n  {spec}\n"})
    outcome = init(shop)
    assert outcome.exit_code == 0, outcome.stderr
    said = outcome.stdout.decode()
    assert [step for step in (IMAGE, ADOPT) if step in said] == left


def test_it_names_what_makes_secrets_that_pods_read_and_the_kind_to_add(shop: Path) -> None:
    sealed = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db, namespace: shop}\nspec: {}\n"
    web = WEB.replace("{name: app}}]", "{name: app}}, {secretRef: {name: db}}]")
    write(shop, {"web.yaml": web, "db.yaml": sealed})
    assert (
        "; pods read what SealedSecret/shop/db makes: add SealedSecret to spec.kinds to version it; "
        "if it is deployed, first sync it with the annotation revisions.krm-fn.io/strategy: adopt\n"
    ) in init(shop).stdout.decode()


RENDERED_FIRST = {
    "Argo CD": ("argocd",),
    "Flux": ("flux",),
    "both": ("argocd", "flux"),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("deployers", RENDERED_FIRST.values(), ids=RENDERED_FIRST)
def test_what_krm_fn_builds_for_its_deployer_needs_no_entry_at_which_kustomize_fails(
    deployers: tuple[str, ...], shop: Path
) -> None:
    write(shop, {"kustomization.yaml": RESOURCES})
    options = [word for name in deployers for word in ("--deployer", name)]
    outcome = init(shop, *options)
    assert outcome.exit_code == 0, outcome.stderr
    assert (shop / "kustomization.yaml").read_text() == RESOURCES
    assert "config.kubernetes.io/function" not in (shop / "krm-fn.yaml").read_text()
    after = read(shop)
    for again in (options, []):
        assert (init(shop, *again).exit_code, read(shop)) == (0, after)
    assert b"revisions.krm-fn.io/base-name: app" in main(["render", str(shop)]).stdout


BUILDING = {
    ".github/workflows/deploy.yaml": "- run: |\n    kustomize build shop | kubectl apply -f -\n",
    "deploy.sh": "cd /tmp\nkubectl apply -n shop \\\n  -k ./shop\n",
    "Makefile": "show:\n\tkubectl kustomize $(DIR)\n",
    "docs/README.md": "Run `kubectl -n shop apply -k ../shop`.\n",
}
NOT_BUILDING = {
    "a.sh": "kustomize build other\n",
    "b.sh": "kustomize build --enable-alpha-plugins --enable-exec shop\n",
    "c.sh": "kubectl apply -f shop\n",
    "d.md": "kustomize builds it. kubectl is -kind of- another thing.\n",
    "values.yaml": "run: kustomize build shop\n",
}


@pytest.mark.needs("kubectl")
def test_lines_that_build_with_kustomize_alone_are_named_beside_the_new_entry(
    shop: Path, tmp_path: Path
) -> None:
    write(tmp_path, {**BUILDING, **NOT_BUILDING, "other/kustomization.yaml": "resources: []\n"})
    (tmp_path / ".git").mkdir()
    write(shop, {"kustomization.yaml": RESOURCES})
    said = init(shop.relative_to(tmp_path)).stdout.decode().replace("\n  ", " ")
    assert lines_that_name(said, "shop, kustomize alone fails") == [
        "Makefile:2, deploy.sh:2, .github/workflows/deploy.yaml:2 and 1 more"
    ]


def lines_that_name(said: str, what: str) -> list[str]:
    return re.findall(f"^next: (.*?): (?:where|apply) .*{what}", said, re.MULTILINE)


@pytest.mark.needs("kubectl")
def test_no_line_is_named_where_the_package_gets_no_entry(shop: Path, tmp_path: Path) -> None:
    write(tmp_path, BUILDING)
    (tmp_path / ".git").mkdir()
    write(shop, {"kustomization.yaml": RESOURCES})
    assert "deploy.sh" not in init(shop, "--deployer", "flux").stdout.decode()


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web}
spec:
  %s
"""
APPLICATION_SET = APPLICATION.replace("kind: Application", "kind: ApplicationSet")
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web}
spec:
  path: ./apps/web
"""
NAMES_IT = {
    "an Application": APPLICATION % "source: {path: apps/web}",
    "one of its sources, in another spelling": APPLICATION
    % "sources: [{ref: a}, {path: ./apps/web/}]",
    "an ApplicationSet for folders": APPLICATION_SET
    % "generators: [{git: {directories: [{path: 'apps/*'}]}}]",
    "one for listed folders": APPLICATION_SET
    % "generators: [{list: {elements: [{path: apps/web}]}}]",
    "one that leaves out another": APPLICATION_SET
    % "generators: [{git: {directories: [{path: 'apps/*'}, {path: apps/api, exclude: true}]}}]",
    "a Kustomization of Flux": FLUX,
}
NAMES_ANOTHER = {
    "a folder beside it": APPLICATION % "source: {path: apps/api}",
    "a folder below it": APPLICATION % "source: {path: apps/web/base}",
    "the folder above": APPLICATION % "source: {path: apps}",
    "folders of another depth": APPLICATION_SET
    % "generators: [{git: {directories: [{path: '*'}, {path: 'apps/*/*'}]}}]",
    "a pattern that leaves it out": APPLICATION_SET
    % "generators: [{git: {directories: [{path: 'apps/*'}, {path: apps/web, exclude: true}]}}]",
    "an object of another group": APPLICATION.replace("argoproj.io", "example.org")
    % "source: {path: apps/web}   # argoproj.io",
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("deployer", ["", "argocd"])
@pytest.mark.parametrize(
    ("text", "is_named"),
    [(one, True) for one in NAMES_IT.values()] + [(one, False) for one in NAMES_ANOTHER.values()],
    ids=[*NAMES_IT, *NAMES_ANOTHER],
)
def test_what_tells_a_deployer_to_build_the_folder_is_named(
    text: str, deployer: str, is_named: bool, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    web = write(tmp_path / "apps/web", {**read(shop), "kustomization.yaml": RESOURCES})
    write(tmp_path, {"cluster/apps.yaml": f"{text}---\n{text}"})
    options = ["--deployer", deployer] if deployer else []
    outcome = init(web.relative_to(tmp_path), *options)
    assert outcome.exit_code == 0, outcome.stderr
    what = "nothing changes for apps/web" if deployer else "apps/web, kustomize alone fails"
    found = lines_that_name(outcome.stdout.decode().replace("\n  ", " "), what)
    assert found == (["cluster/apps.yaml:5, cluster/apps.yaml:11"] if is_named else [])


JOBS = {
    "a list of folders that another line builds": (
        "overlay: [shop]\nrun: kustomize build ${{ matrix.overlay }}\n",
        [".github/workflows/a.yaml:1, .github/workflows/a.yaml:2"],
    ),
    "an action's argument": ("kustomizationPath: ./shop\n", [".github/workflows/a.yaml:1"]),
    "a word that is no folder": ("name: Build the workshop\n", []),
    "another folder": ("overlay: [other]\n", []),
    "a job that runs krm-fn": ("paths: shop\nrun: krm-fn diff shop\n", []),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("job", "named"), JOBS.values(), ids=JOBS)
def test_a_line_of_a_job_that_names_the_folder_is_named(
    job: str, named: list[str], shop: Path, tmp_path: Path
) -> None:
    write(tmp_path, {".github/workflows/a.yaml": job, "other/a.yaml": WEB})
    (tmp_path / ".git").mkdir()
    write(shop, {"kustomization.yaml": RESOURCES})
    said = init(shop.relative_to(tmp_path)).stdout.decode().replace("\n  ", " ")
    assert lines_that_name(said, "shop, kustomize alone fails") == named


COPIES = {
    "the namespace is in its manifests": ({}, {}, 1),
    "its kustomization sets the namespace": (
        {"kustomization.yaml": RESOURCES + "namespace: shop\n"},
        {},
        1,
    ),
    "the copy is for another namespace": (
        {"kustomization.yaml": RESOURCES + "namespace: shop\n"},
        {"kustomization.yaml": RESOURCES + "namespace: cart\n"},
        0,
    ),
    "the copy has another name": ({}, {"krm-fn.yaml": "mine"}, 0),
    "both are environments of one base": (
        {"kustomization.yaml": "resources: [../base]\nnamespace: shop\n"},
        {},
        0,
    ),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("tree", "more", "said"), COPIES.values(), ids=COPIES)
def test_a_copied_package_with_the_set_of_the_other_is_warned_about(
    tree: Tree, more: Tree, said: int, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "base", {**MANIFESTS, "kustomization.yaml": RESOURCES})
    write(shop, tree)
    assert init(shop, "--set", "front").exit_code == 0
    shutil.copytree(shop, tmp_path / "copy")
    config = (shop / "krm-fn.yaml").read_text()
    if "krm-fn.yaml" in more:
        more = {"krm-fn.yaml": config.replace("front", "back")}
    write(tmp_path / "copy", more)
    outcome = init(Path("copy"))
    assert outcome.exit_code == 0
    assert (
        outcome.stderr.count(
            "warning: copy: calls its set front, as shop does, and both are in namespace shop: "
        )
        == said
    )
    assert "calls its set front" not in init(Path("base")).stderr


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
def test_a_dry_run_writes_nothing_and_says_the_same_of_the_rendering(
    more: Tree, shop: Path
) -> None:
    write(shop, more)
    before = read(shop)
    dry = init(shop, "--dry-run")
    assert (dry.exit_code, read(shop)) == (0, before)
    assert b"shop/krm-fn.yaml: would be written\n  +# yaml-language-server: " in dry.stdout
    rest = re.compile(rb"\n\nOUTCOME.*", re.DOTALL)
    (said,) = rest.findall(dry.stdout)
    assert rest.findall(init(shop).stdout) == [said]


@pytest.mark.needs("kubectl")
def test_a_dry_run_shows_no_line_of_a_kustomization_that_is_there(shop: Path) -> None:
    write(
        shop,
        {
            "kustomization.yaml": f"{RESOURCES}secretGenerator:\n- name: a\n  literals: [token=hidden]\n"
        },
    )
    outcome = init(shop, "--dry-run")
    assert b"  +transformers:\n  +- krm-fn.yaml\n" in outcome.stdout
    assert b"hidden" not in outcome.stdout + outcome.stderr.encode()


MINE = (
    "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: "
    "mine%s}\nspec: {deployers: [flux]}\n"
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
        {
            "Kptfile": f"{KPTFILE}pipeline:\n  mutators:\n  - exec: krm-fn\n    configMap: {{name: mine}}\n"
        },
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
    assert len([text for text in read(shop).values() if "kind: ConfigRevisions" in text]) == len(
        kept
    )


ENTRIES = {
    "kustomization.yaml": f"{RESOURCES}transformers: [./krm-fn.yaml]\n",
    "Kptfile": f"{KPTFILE}pipeline:\n  mutators:\n  - {{exec: krm-fn, configPath: krm-fn.yaml}}\n",
}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_whose_file_is_missing_gets_the_file_and_no_second_entry(
    name: str, shop: Path
) -> None:
    write(shop, {name: ENTRIES[name]})
    outcome = init(Path("shop"))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stdout.decode().startswith(
        f"shop/krm-fn.yaml: written\nshop/{name}: unchanged\n"
    )


SETS = {
    "shop": ({}, ()),
    "front": ({"Kptfile": KPTFILE}, ()),
    "given": ({"Kptfile": KPTFILE}, ("--set", "given")),
    "named": ({"kustomization.yaml": f"metadata: {{name: named}}\n{RESOURCES}"}, ()),
    '"2024"': ({}, ("--set", "2024")),
    '"null"': ({"Kptfile": KPTFILE.replace("front", '"null"')}, ()),
}


@pytest.mark.parametrize(("name", "package"), SETS.items(), ids=SETS)
def test_the_set_is_named_as_the_package(
    name: str, package: tuple[Tree, tuple[str, ...]], shop: Path
) -> None:
    tree, options = package
    assert init(write(shop, tree), *options).exit_code == 0
    assert f"\n  name: {name}   #" in read(shop)["krm-fn.yaml"]


def test_an_overlay_is_named_after_what_it_is_an_overlay_of(tmp_path: Path) -> None:
    init(write(tmp_path / "My Shop/overlays/prod", MANIFESTS))
    assert re.search(
        r"\n  name: my-shop-[a-z0-9]{10}   #", read(tmp_path)["My Shop/overlays/prod/krm-fn.yaml"]
    )


EXAMPLE_OF = {"github": "github/diff.yaml", "gitlab": "gitlab/.gitlab-ci.yml"}
ACTION = f"platform/krm-fn@{'1' * 40}"


@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_the_file_for_ci_is_the_example_for_this_package(
    ci: str, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    outcome = init(shop, "--ci", ci, "--action", ACTION)
    assert outcome.exit_code == 0, outcome.stderr
    written = (tmp_path / Pipeline[ci].file).read_text()
    example = (EXAMPLES / EXAMPLE_OF[ci]).read_text().replace("apps/*/overlays/*", "shop")
    assert written.partition("\n")[2] == example.partition("\n")[2].replace(
        "OWNER/REPO@SHA", ACTION
    )
    (tmp_path / Pipeline[ci].file).write_text("mine: 1\n")
    before = read(tmp_path)
    again = init(shop, "--ci", ci, "--action", ACTION)
    assert (again.exit_code, read(tmp_path)) == (1, before)
    assert b"is there, and is not changed; add to it, and leave out --ci:\n  # " in again.stdout


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_a_second_package_adds_its_line(ci: str, ending: str, shop: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    init(shop, "--ci", ci, "--action", ACTION)
    file = tmp_path / Pipeline[ci].file
    first = file.read_text().replace("\n", ending) + f"# mine{ending}"
    file.write_bytes(first.encode())
    write(tmp_path / "api: [b] # c", MANIFESTS)
    outcome = init(tmp_path / "api: [b] # c", "--ci", ci)
    assert outcome.exit_code == 0, outcome.stderr
    second = file.read_bytes().decode()
    (added,) = {*second.splitlines()} - {*first.splitlines()}
    assert second.replace(f"{added}{ending}", "") == first
    document = yaml.safe_load(second)
    listed = document["diff"]["variables"]["PACKAGES"] if ci == "gitlab" else _paths(document)
    assert listed == "shop\napi: [b] # c\n"
    assert init(tmp_path / "api: [b] # c", "--ci", ci).exit_code == 0
    assert file.read_bytes().decode() == second


def _paths(workflow: Any) -> Any:
    return workflow["jobs"]["diff"]["steps"][1]["with"]["paths"]


UNSAFE = [
    "${{ secrets.X }}",
    "$(id)",
    "a\nb",
    "-x",
    "a`id`",
    "a\u202eb",
    "a\\b",
    "a'b",
    " a",
    "a\x1bb",
]


@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_a_name_that_would_be_more_than_a_name_in_ci_is_refused(
    ci: str, name: str, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / name, MANIFESTS)
    before = read(tmp_path)
    outcome = main(["init", "--ci", ci, "--action", ACTION, "--", str(tmp_path / name)])
    assert (outcome.exit_code, read(tmp_path)) == (1, before)
    assert "would be expanded in a file for CI; rename the folder\n" in outcome.stderr


def _make_fifo(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(file)


IN_THE_WAY: dict[str, Callable[[Path], None]] = {
    "a FIFO": _make_fifo,
    "a device": lambda file: file.symlink_to("/dev/zero"),
    "a link to nothing": lambda file: file.symlink_to("nothing"),
    "a folder": lambda file: file.mkdir(),
    "a link out of the repository": lambda file: file.symlink_to("/etc/hostname"),
}


@pytest.mark.parametrize("way", IN_THE_WAY)
@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_what_is_in_the_place_of_the_file_for_ci_is_refused(
    ci: str, way: str, shop: Path, tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / Pipeline[ci].file
    file.parent.mkdir(parents=True, exist_ok=True)
    IN_THE_WAY[way](file)
    before = read(shop)
    outcome = init(shop, "--ci", ci, "--action", ACTION)
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith(f"error: {Pipeline[ci].file}: "), outcome.stderr
    assert read(shop) == before


def test_nothing_is_written_through_a_link_out_of_the_repository(
    shop: Path, tmp_path: Path
) -> None:
    (shop / ".git").mkdir()
    (tmp_path / "out").mkdir()
    (shop / ".github").symlink_to("../out")
    outcome = init(shop, "--ci", "github", "--action", ACTION)
    assert outcome.exit_code == 1
    assert "outside of the repository" in outcome.stderr
    assert (read(shop), read(tmp_path / "out")) == (MANIFESTS, {})


def test_the_linker_gets_an_account_that_somebody_else_applies(shop: Path) -> None:
    """With the line for Secrets, if somebody takes its comment away, it passes the schema."""
    outcome = init(shop, "--deployer", "argocd", "--service-account", "krm-fn-linker")
    assert outcome.exit_code == 0, outcome.stderr
    text = (shop / "krm-fn.yaml").read_text()
    linker = yaml.safe_load(text)["spec"]["linker"]
    assert linker == {"serviceAccountName": "krm-fn-linker"}
    opened = text.replace("# secretsRole", "secretsRole")
    assert yaml.safe_load(opened)["spec"]["linker"] == {**linker, "secretsRole": True}
    (shop / "krm-fn.yaml").write_text(opened)
    rendered = main(["render", str(shop), "--namespace", "shop"])
    assert rendered.exit_code == 0, rendered.stderr
    assert b"serviceAccountName: krm-fn-linker" in rendered.stdout
    assert b"kind: ServiceAccount" not in rendered.stdout.replace(b"- kind: ServiceAccount", b"")


REFUSED = {
    "an action that is no commit": (
        ("--ci", "github", "--action", "a/b@v1"),
        2,
        "expected OWNER/REPO@SHA",
    ),
    "an action without --ci": (("--action", ACTION), 2, "and --ci beside it"),
    "--ci outside of a repository": (
        ("--ci", "github", "--action", ACTION),
        1,
        "is in no repository of git, in which --ci writes its file",
    ),
    "a configuration of the command line": (
        ("--config", "a"),
        2,
        "--config has no effect: krm-fn init writes the configuration, or uses the existing one",
    ),
    "an image that cannot be one": (("--linker-image", "a: b"), 1, "krm-fn.yaml:"),
    "an account that cannot be one": (
        ("--service-account", "a b"),
        2,
        "--service-account found 'a b', expected the name of a ServiceAccount",
    ),
    "a kind that cannot be a revision": (
        ("--kinds", "ConfigMap,Pod"),
        2,
        "--kinds found 'Pod'; allowed: ConfigMap, Secret, ",
    ),
    "a set that cannot be one": (
        ("--set", "A"),
        2,
        "--set found 'A', expected letters in lower case, digits, - and ., at most 63",
    ),
}


@pytest.mark.parametrize(("options", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_refused_with_nothing_written(
    options: tuple[str, ...], code: int, said: str, shop: Path
) -> None:
    outcome = init(shop, *options)
    assert outcome.exit_code == code
    assert said in outcome.stderr
    assert read(shop) == MANIFESTS


def test_no_action_is_named_that_nobody_has(shop: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    outcome = init(shop, "--ci", "github")
    assert (outcome.exit_code, read(tmp_path)) == (
        1,
        {f"shop/{name}": text for name, text in MANIFESTS.items()},
    )
    assert (
        "--ci needs --action OWNER/REPO@SHA: no release of krm-fn is published yet"
        in outcome.stderr
    )


@pytest.mark.needs("helm")
def test_one_chart_is_for_the_namespaces_of_all_its_releases(
    shop: Path, require_tool: Callable[[str], Path]
) -> None:
    helm = require_tool("helm").parent
    tree = {"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n", "templates/web.yaml": WEB}
    chart = write(shop.parent / "chart", {**tree, "templates/config.yaml": CONFIG})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{helm}{os.pathsep}{os.environ['PATH']}")
        first = init(Path("chart"), "--namespace", "prod")
        assert first.exit_code == 0
        assert "namespace:" not in read(chart)["krm-fn.yaml"]
        for namespace, outcome in (
            ("prod", first),
            ("staging", init(Path("chart"), "--namespace", "staging")),
            ("NAMESPACE", init(Path("chart"))),
        ):
            said = outcome.stdout.decode()
            assert (
                f" --namespace {namespace} --post-renderer sh --post-renderer-args post-render.sh\n"
                in said
            )
            assert f"chart/krm-fn.yaml --namespace {namespace}' > post-render.sh\n" in said
            assert outcome is first or said.startswith("chart/krm-fn.yaml: unchanged\n")


VENDORED = {
    "charts/db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
    "charts/db/values.yaml": "{}\n",
}
CHARTS: Mapping[str, tuple[str, Tree, str]] = {
    "in the repository": ("{name: db}", VENDORED, "--no-remote --enable-helm"),
    "in the repository, as it was fetched": (
        "{name: db, repo: 'https://charts.example'}",
        VENDORED,
        "--no-remote --enable-helm",
    ),
    "elsewhere": ("{name: db, repo: 'https://charts.example'}", {}, "--enable-helm"),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("chart", "files", "arguments"), CHARTS.values(), ids=CHARTS)
def test_charts_of_a_kustomization_are_let_run_in_ci_as_here(
    chart: str, files: Tree, arguments: str, shop: Path
) -> None:
    (shop.parent / ".git").mkdir()
    write(shop, {**files, "kustomization.yaml": f"{RESOURCES}helmCharts: [{chart}]\n"})
    around = Around(shop, DEFAULT_LIMITS._replace(enable_helm=True))
    around.check()
    text = Pipeline.github.write(
        "shop", "a/b", has_charts=around.has_charts, is_remote=around.fetches_charts
    )
    assert f"          arguments: {arguments}\n" in text
    refused = init(shop)
    assert (refused.exit_code, refused.stdout) == (1, b"")
    assert "only when told to; pass --enable-helm" in refused.stderr
    assert "these are packages" not in refused.stderr


@pytest.mark.needs("kustomize")
def test_a_kustomization_with_a_chart_is_built_with_helm(
    shop: Path, require_tool: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = os.pathsep.join(str(require_tool(one).parent) for one in ("kustomize", "helm"))
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    template = {"charts/db/templates/more.yaml": CONFIG.replace("app", "more").partition("---")[0]}
    tree = {
        **VENDORED,
        **template,
        "kustomization.yaml": f"{RESOURCES}helmCharts: [{{name: db}}]\n",
    }
    outcome = init(write(shop, tree), "--enable-helm")
    assert outcome.exit_code == 0, outcome.stderr
    assert (
        b"kustomize build --enable-alpha-plugins --enable-exec --enable-helm shop\n"
        in outcome.stdout
    )
    assert "krm-fn.yaml" in read(shop)


def test_a_name_that_is_given_twice_in_a_namespace_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert init(write(tmp_path / "a", MANIFESTS), "--set", "web").exit_code == 0
    outcome = init(write(tmp_path / "b", MANIFESTS), "--set", "web")
    assert (outcome.exit_code, read(tmp_path / "b")) == (1, MANIFESTS)
    assert "--set web is the set of " in outcome.stderr


def test_a_full_disk_takes_nothing(shop: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        outcome = init(Path("shop"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (outcome.exit_code, read(shop)) == (1, MANIFESTS)
    assert (outcome.stdout, outcome.stderr) == (
        b"",
        "error: shop/krm-fn.yaml: no space left on device\n",
    )
    assert init(shop).exit_code == 0


def test_a_name_that_is_no_text_is_escaped(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    outcome = init(write(folder, MANIFESTS))
    assert outcome.exit_code == 0, outcome.stderr
    assert b"caf\\xe9" in outcome.stdout


@pytest.mark.parametrize(
    ("name", "shown"), [(b"g\xff", rb"g\xff"), (b"a\nb", rb"a\nb"), (b"e\x1b[31m", rb"e\x1b[31m")]
)
def test_the_names_of_several_folders_are_escaped(
    name: bytes, shown: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in (os.fsdecode(name), "shop"):
        write(tmp_path / folder, MANIFESTS)
    outcome = main(["init", "*"])
    assert (outcome.exit_code, (tmp_path / os.fsdecode(name) / "krm-fn.yaml").is_file()) == (
        0,
        True,
    )
    assert shown + b": 1 renamed" in outcome.stdout
    assert name not in outcome.stdout + outcome.stderr.encode()


def test_where_there_is_no_repository_not_everything_is_read(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(shop.parent / "a/b", MANIFESTS)
    monkeypatch.setattr("krm_fn.tools.init.who_builds._MOST_FOLDERS", 2)
    assert Around(shop, DEFAULT_LIMITS).find_candidates() == []
    below = Around(shop.parent, DEFAULT_LIMITS)
    assert below.find_candidates() == []
    (shop.parent / ".git").mkdir()
    assert Around(shop.parent, DEFAULT_LIMITS).find_candidates() == [shop.parent / "a/b", shop]


def test_where_something_is_built_manifests_alone_are_no_candidate(shop: Path) -> None:
    (shop.parent / ".git").mkdir()
    write(shop.parent / "chart", {"Chart.yaml": "name: web\nversion: 0.1.0\n"})
    assert Around(shop.parent, DEFAULT_LIMITS).find_candidates() == [shop.parent / "chart"]


@pytest.mark.parametrize("name", ["Kustomization", "Kptfile"])
def test_what_is_built_needs_no_manifest_beside_it(name: str, shop: Path) -> None:
    (shop.parent / ".git").mkdir()
    built = {"Kustomization": "resources: [all]\n", "Kptfile": KPTFILE}[name]
    write(shop.parent / "web", {name: built})
    assert Around(shop.parent, DEFAULT_LIMITS).find_candidates() == [shop.parent / "web"]


WHERE = {
    "apps/media/radarr/app": "radarr",
    "apps/media/radarr/base": "radarr",
    "kubernetes/apps/default/echo/app": "echo",
    "shop/overlays/prod-eu": "shop",
    "overlays/prod": "gitops",
    "overlays/shop": "shop",
    "clusters/prod/apps/web": "web",
    "k8s/base": "gitops",
    "environments/dev/web": "web",
    "apps/shop/k8s_manifests": "shop",
}


@pytest.mark.parametrize("folder", WHERE)
def test_the_set_is_named_after_what_tells_applications_apart(folder: str, tmp_path: Path) -> None:
    top = tmp_path / "gitops-1"
    (top / ".git").mkdir(parents=True)
    assert init(write(top / folder, MANIFESTS)).exit_code == 0
    expected = WHERE[folder].replace("gitops", "gitops-1")
    assert f"\n  name: {expected}   #" in read(top)[f"{folder}/krm-fn.yaml"]


BASE = {"base/kustomization.yaml": RESOURCES, "base/web.yaml": WEB, "base/config.yaml": CONFIG}
OVERLAY = "resources: [../../base]\nnamespace: {0}-{1}   # mine\n"
SERVICES = ("api", "web")


def write_services(top: Path, kustomization: str = OVERLAY) -> None:
    for service in SERVICES:
        write(top / "apps" / service, BASE)
        for environment in ("dev", "prod"):
            text = kustomization.replace("{0}", service).replace("{1}", environment)
            folder = top / "apps" / service / "overlays" / environment
            write(folder, {"kustomization.yaml": text})


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    require("kubectl")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    write_services(tmp_path)
    return tmp_path


def sets_of(outcome: Outcome) -> set[str]:
    return {
        one["metadata"]["labels"]["revisions.krm-fn.io/set"]
        for one in yaml.safe_load_all(outcome.stdout)
        if one["kind"] == "ConfigMap" and "labels" in one["metadata"]
    }


ALL = "apps/*/overlays/*"


@pytest.mark.needs("kubectl")
def test_many_kustomizations_share_one_configuration(services: Path) -> None:
    before = read(services)
    outcome = main(["init", ALL, "--share", "krm"])
    assert outcome.exit_code == 0, outcome.stderr
    after = {**read(services)}
    for service in SERVICES:
        for environment in ("dev", "prod"):
            place = f"apps/{service}/overlays/{environment}"
            listed = after.pop(f"{place}/kustomization.yaml")
            assert listed == before[f"{place}/kustomization.yaml"] + "transformers:\n- krm\n"
            assert len(after.pop(f"{place}/krm/kustomization.yaml").splitlines()) == 4
            assert sets_of(main(["render", place])) == {service}
    assert after.pop("krm/kustomization.yaml") == "resources:\n- krm-fn.yaml\n"
    assert "kind: ConfigRevisions\n" in after.pop("krm/krm-fn.yaml")
    assert after.items() <= before.items()
    assert outcome.stdout.decode().splitlines()[:4] == [
        "krm/krm-fn.yaml: written",
        "krm/kustomization.yaml: written",
        "apps/api/overlays/dev/krm/kustomization.yaml: written",
        "apps/api/overlays/dev/kustomization.yaml: edited: transformers lists krm",
    ]
    assert "apps/web/overlays/prod: 1 renamed, 1 left alone" in outcome.stdout.decode()
    whole = read(services)
    assert main(["init", ALL, "--share", "krm"]).exit_code == 0
    assert read(services) == whole


@pytest.mark.needs("kubectl")
def test_a_new_service_joins_what_is_shared(services: Path) -> None:
    assert main(["init", "apps/web/overlays/*", "--share", "krm"]).exit_code == 0
    shared = services / "krm/krm-fn.yaml"
    shared.write_text(shared.read_text().replace("spec:\n", "spec:\n  kinds: [Secret]\n"))
    text = shared.read_text()
    outcome = main(["init", "apps/api/overlays/prod", "--share", "krm"])
    assert (outcome.exit_code, shared.read_text()) == (0, text)
    # No ConfigMap is chosen by what is there, and the proof is a rendering with it.
    assert b"renamed" not in outcome.stdout.splitlines()[-1]
    assert main(["render", "apps/api/overlays/prod"]).exit_code == 0


@pytest.mark.needs("kubectl")
def test_without_share_each_gets_its_own(services: Path) -> None:
    outcome = main(["init", "apps/web/overlays/dev", "apps/web/overlays/prod"])
    assert outcome.exit_code == 0, outcome.stderr
    assert "apps/web/overlays/prod/krm-fn.yaml" in read(services)


@pytest.mark.needs("kubectl")
def test_no_two_new_sets_of_one_namespace_have_one_name(services: Path) -> None:
    write_services(services, "resources: [../../base]\nnamespace: shop\n")
    assert main(["init", "apps/web/overlays/*", "--share", "krm"]).exit_code == 0
    named = [
        *sets_of(main(["render", "apps/web/overlays/dev"])),
        *sets_of(main(["render", "apps/web/overlays/prod"])),
    ]
    assert len({*named}) == len(named) == 2


BROKEN = {"kustomization.yaml": "resources: [gone.yaml]\n"}
NO_PACKAGES = {
    "a kustomization that cannot be built": (BROKEN, "accumulating resources"),
    "a kustomization without objects": (
        {"kustomization.yaml": "resources: []\n"},
        "nothing to apply: no objects in kustomize build apps/other/overlays/x\n",
    ),
    "a Component": (
        {"kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"},
        "apps/other/overlays/x: is a Component",
    ),
    "values of a chart": (
        {"values.yaml": "image: a\n"},
        "apps/other/overlays/x/values.yaml:1:1: expected a Kubernetes object",
    ),
    "manifests, which share no folder": (MANIFESTS, "apps/other/overlays/x: is no kustomization"),
    "what --no-remote refuses": (
        {"kustomization.yaml": "resources: ['https://example.com/a/b//c?ref=1']\n"},
        "is remote",
    ),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("tree", "reason"), NO_PACKAGES.values(), ids=NO_PACKAGES)
def test_what_only_a_pattern_matches_comes_last_if_it_cannot_be_configured(
    tree: Tree, reason: str, services: Path
) -> None:
    other = "apps/other/overlays/x"
    write(services / other, tree)
    before = read(services)
    words = ["init", "--share", "krm", "--no-remote"]
    named = main([*words, ALL, other])
    assert (named.stdout, named.exit_code, read(services)) == (b"", 1, before)
    dry = main([*words, ALL, "--dry-run"])
    assert (dry.exit_code, read(services)) == (1, before)
    outcome = main([*words, ALL])
    last = f"error: 1 of 5 packages cannot be configured: {other}\n"
    for one in (dry, outcome):
        assert one.stderr.endswith(last)
        # Whichever of both is there builds it.
        said = one.stderr.replace("kubectl kustomize", "kustomize build")
        assert reason in said.split("error: ")[-2]
    assert b"apps/web/overlays/prod/kustomization.yaml: edited: transformers" in outcome.stdout
    whole = read(services)
    assert (outcome.exit_code, f"{other}/krm/kustomization.yaml" in whole) == (1, False)
    for excluded in (other, f"{other}/", "apps/*/overlays/x", "**/x"):
        again = main([*words, ALL, "--exclude", excluded])
        assert (again.exit_code, again.stdout.count(b": unchanged\n")) == (0, 10), again.stderr
    assert read(services) == whole


def test_one_reason_of_many_folders_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    application = APPLICATION % "source: {path: apps/web}"
    write(tmp_path, {f"clusters/{one}/apps.yaml": application for one in "abcde"})
    (tmp_path / ".git").mkdir()
    reason = "is an app of apps: it deploys other folders, and nothing in it has pods; pass such a folder"
    said = f"error: clusters/a, clusters/b, clusters/c and 2 more: {reason}\n"
    assert main(["init", "clusters/*"]) == Outcome(b"", said, 1)


@pytest.mark.needs("kubectl")
def test_where_a_pattern_matches_nothing_that_can_be_configured_nothing_is_written(
    services: Path,
) -> None:
    for folder in ("a", "b"):
        write(services / "broken" / folder, BROKEN)
    before = read(services)
    outcome = main(["init", "broken/*", "--share", "krm"])
    assert (outcome.stdout, outcome.exit_code, read(services)) == (b"", 1, before)


@pytest.mark.needs("kubectl")
@pytest.mark.usefixtures("services")
def test_what_is_said_of_a_shared_configuration_names_its_file_and_line() -> None:
    outcome = main(["init", ALL, "--share", "krm"])
    assert "spec.linker.image (krm/krm-fn.yaml:12:1)" in outcome.stderr
    assert "overlays" not in outcome.stderr


@pytest.mark.needs("kubectl")
def test_what_breaks_is_named_for_each_and_all_else_once(services: Path) -> None:
    write(services, {"deploy.sh": "kubectl apply -k apps/web/overlays/prod\n"})
    write(
        services,
        {
            "sets.yaml": APPLICATION_SET
            % "generators: [{git: {directories: [{path: 'apps/*/*/dev'}]}}]"
        },
    )
    outcome = main(["init", ALL, "--share", "krm"])
    assert outcome.exit_code == 0, outcome.stderr
    steps = [one for one in outcome.stdout.decode().splitlines() if one.startswith("next: ")]
    assert [one for one in steps if "deploy.sh:1" in one and "apps/web/overlays/prod" in one]
    named = "apps/api/overlays/dev, apps/web/overlays/dev"
    assert len([one for one in steps if "sets.yaml:5" in one and named in one]) == 1
    assert len([one for one in steps if "kustomize build" in one]) == 1


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("deployer", [(), ("--deployer", "argocd")], ids=["listed", "unlisted"])
def test_messages_about_what_is_shared_name_the_line_that_a_person_edits(
    deployer: tuple[str, ...], services: Path
) -> None:
    assert main(["init", ALL, "--share", "krm", *deployer]).exit_code == 0
    lines = (services / "krm/krm-fn.yaml").read_text().splitlines()
    outcome = main(["render", "apps/web/overlays/dev"])
    (line,) = re.findall(r"spec\.linker\.image \(krm/krm-fn\.yaml:(\d+):1\)", outcome.stderr)
    assert lines[int(line) - 1] == "spec:"
    both = main(["render", "--each", "apps/web/overlays/dev", "apps/api/overlays/dev"])
    assert sets_of(both) == {"web", "api"}


FOR_ARGO_CD = ("init", ALL, "--share", "krm", "--deployer", "argocd")
ANNOTATIONS = "  annotations:\n"


@pytest.mark.needs("kubectl")
def test_what_krm_fn_builds_for_its_deployer_shares_without_an_entry(services: Path) -> None:
    before = read(services)
    outcome = main([*FOR_ARGO_CD])
    assert outcome.exit_code == 0, outcome.stderr
    after = read(services)
    assert before.items() <= after.items()
    assert {*after} - {*before} == {
        "krm/kustomization.yaml",
        "krm/krm-fn.yaml",
        *(
            f"apps/{one}/overlays/{stage}/krm/kustomization.yaml"
            for one in SERVICES
            for stage in ("dev", "prod")
        ),
    }
    assert "config.kubernetes.io/function" not in after["krm/krm-fn.yaml"]
    for service in SERVICES:
        assert sets_of(main(["render", f"apps/{service}/overlays/prod"])) == {service}
    for again in (FOR_ARGO_CD, FOR_ARGO_CD[:-2], FOR_ARGO_CD[:2]):
        assert (main([*again]).exit_code, read(services)) == (0, after)


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("command", ["render --check", "explain", "verify", "graph"])
def test_a_folder_that_nobody_lists_counts_as_one_that_is_listed(
    command: str, services: Path
) -> None:
    assert main(["init", "apps/web/overlays/prod", "--share", "krm"]).exit_code == 0
    said: list[object] = []
    for listed in ("", "transformers: [krm]\n"):
        file = services / "apps/web/overlays/prod/kustomization.yaml"
        file.write_text(OVERLAY.format("web", "prod") + listed)
        outcome = main([*command.split(), "apps/web/overlays/prod"])
        # An annotation says more to krm-fn that runs as a function, and takes a line.
        stdout = re.sub(rb"(prod):\d+$", rb"\1", outcome.stdout, flags=re.MULTILINE)
        said.append(outcome._replace(stdout=stdout))
    assert said[0] == said[1]


@pytest.mark.needs("kubectl")
@pytest.mark.usefixtures("services")
def test_the_folders_of_packages_are_none_of_them() -> None:
    assert main([*FOR_ARGO_CD]).exit_code == 0
    outcome = main(["verify", "apps/*/overlays/**"])
    assert "4 packages: 4 verified; protected from pruning by argocd\n" in outcome.stderr
    outcome = main(["init", "apps/web"])
    assert outcome.stderr.startswith(
        "error: apps/web: 2 packages below it: krm-fn init 'apps/web/overlays/*'\n"
    )


@pytest.mark.needs("kubectl")
def test_what_shares_a_configuration_is_told_nothing_that_it_says(services: Path) -> None:
    assert main([*FOR_ARGO_CD, "--strategy", "adopt", "--linker-image", "a/b:1"]).exit_code == 0
    said = main(["init", "apps/web/overlays/dev"]).stdout.decode()
    assert said.endswith("\n\nnext: krm-fn render apps/web/overlays/dev\n")
    before = read(services)
    outcome = main(["init", ALL, "--share", "other"])
    named = "apps/api/overlays/dev, apps/api/overlays/prod, apps/web/overlays/dev and 1 more"
    reason = "takes its configuration from krm; pass --share krm, or run krm-fn init --remove first"
    assert outcome == Outcome(b"", f"error: {named}: {reason}\n", 1)
    assert read(services) == before


@pytest.mark.needs("kubectl")
def test_a_deployer_that_needs_the_entry_gets_it_later(services: Path) -> None:
    assert main([*FOR_ARGO_CD]).exit_code == 0
    before = read(services)
    more = ["init", ALL, "--share", "krm", "--deployer", "kapp"]
    outcome = main(more)
    assert (outcome.exit_code, read(services)) == (1, before)
    said = outcome.stdout.decode()
    assert "krm/krm-fn.yaml: is there, and is not changed; set in it:\n  metadata:\n" in said
    assert "  spec:\n    deployers: [argocd, kapp]\n" in said
    config = services / "krm/krm-fn.yaml"
    run = f"{ANNOTATIONS}    config.kubernetes.io/function: 'exec: {{path: krm-fn}}'\n"
    text = config.read_text().replace(ANNOTATIONS, run).replace("[argocd]", "[argocd, kapp]")
    config.write_text(text)
    assert main(more).exit_code == 0
    changed = {name for name, text in read(services).items() if before[name] != text}
    assert changed - {"krm/krm-fn.yaml"} == {
        f"apps/{one}/overlays/{stage}/kustomization.yaml"
        for one in SERVICES
        for stage in ("dev", "prod")
    }
    listed = read(services)["apps/web/overlays/dev/kustomization.yaml"]
    assert listed.endswith("\ntransformers:\n- krm\n")
    assert sets_of(main(["render", "apps/web/overlays/dev"])) == {"web"}


@pytest.mark.needs("kubectl")
def test_a_folder_of_this_name_that_is_about_something_else_changes_nothing(services: Path) -> None:
    package = services / "apps/web/overlays/dev"
    plain = main(["render", str(package)])
    write(package / "krm", {"kustomization.yaml": "resources: [web.yaml]\n", "web.yaml": WEB})
    assert main(["render", str(package)]) == plain
    assert main(["verify", "apps/web/overlays/**"]).stderr.count("/krm: ") == 1


@pytest.mark.needs("kubectl")
def test_a_folder_that_cannot_be_read_is_no_silence(
    services: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([*FOR_ARGO_CD]).exit_code == 0

    def refuse(path: Path, mode: str) -> None:
        raise PermissionError(13, f"Permission denied: {mode}", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refuse)
        assert is_sharing_folder(services / "apps/web/overlays/dev/krm")


@pytest.mark.needs("kubectl")
def test_two_configurations_beside_a_kustomization_are_refused(services: Path) -> None:
    assert main([*FOR_ARGO_CD]).exit_code == 0
    write(services / "apps/web/overlays/dev", {"krm-fn.yaml": MINE % ""})
    outcome = main(["render", "apps/web/overlays/dev"])
    assert outcome.exit_code == 1
    assert "choose one with --config" in outcome.stderr


@pytest.mark.needs("kubectl")
def test_a_folder_whose_shared_one_is_gone_is_no_silence(services: Path) -> None:
    assert main([*FOR_ARGO_CD]).exit_code == 0
    shutil.rmtree(services / "krm")
    for command in ("render", "verify"):
        outcome = main([command, "apps/web/overlays/dev"])
        assert outcome.exit_code, command
        assert "apps/web/overlays/dev/krm: " in outcome.stderr


@pytest.mark.needs("kubectl")
def test_a_dry_run_of_many_writes_nothing(services: Path) -> None:
    before = read(services)
    outcome = main(["init", ALL, "--share", "krm", "--dry-run"])
    assert (outcome.exit_code, read(services)) == (0, before)
    assert b"krm/krm-fn.yaml: would be written\n" in outcome.stdout


DOORS_OF_A_PACKAGE = {
    "a rendering": ["render", "apps/web/overlays/dev"],
    "a verification": ["verify", "apps/web/overlays/dev"],
    "an explanation": ["explain", "apps/web/overlays/dev"],
    "init": ["init", "apps/web/overlays/dev", "--root", "."],
    "init that shares": ["init", "apps/web/overlays/dev", "--share", "krm", "--root", "."],
    "one file for all": ["render", "apps/web/base", "--config", "krm/krm-fn.yaml"],
    "the shared folder": ["render", "apps/web/base", "krm/krm-fn.yaml"],
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("words", DOORS_OF_A_PACKAGE.values(), ids=DOORS_OF_A_PACKAGE)
def test_a_shared_configuration_without_the_name_of_a_set_is_refused(
    words: list[str], services: Path
) -> None:
    assert main(["init", ALL, "--share", "krm"]).exit_code == 0
    overlay = services / "apps/web/overlays/dev/kustomization.yaml"
    overlay.write_text(overlay.read_text().replace("- krm\n", "- ../../../../krm\n"))
    outcome = main(words)
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)
    assert re.search(
        r"error: ConfigRevisions/each-package-names-its-set metadata.name \(.*:[0-9]+:[0-9]+\): is no set: each "
        "package that shares this file names its own; take out the entry",
        outcome.stderr,
    )
    # The function says it too, where kustomize runs it.
    with pytest.raises(Rejected, match="is no set"):
        parse_config(read_config((services / "krm/krm-fn.yaml").read_bytes()))


@pytest.mark.needs("kubectl")
def test_a_shared_configuration_of_an_earlier_version_keeps_its_name(services: Path) -> None:
    assert main(["init", "apps/web/overlays/*", "--share", "krm"]).exit_code == 0
    file = services / "krm/krm-fn.yaml"
    file.write_text(file.read_text().replace("name: each-package-names-its-set", "name: krm"))
    before = file.read_text()
    assert main(["init", ALL, "--share", "krm"]).exit_code == 0
    assert file.read_text() == before
    assert sets_of(main(["render", "apps/api/overlays/prod"])) == {"api"}
    assert main(["init", ALL, "--share", "krm", "--remove"]).exit_code == 0
    assert not file.exists()


LINES_OF_CI = {
    "a pattern": (["apps/*/overlays/*"], [], ["apps/*/overlays/*"]),
    "two patterns": (
        ["apps/api/overlays/*", "apps/web/overlays/p*"],
        [],
        ["apps/api/overlays/*", "apps/web/overlays/p*"],
    ),
    "directories that are named": (
        ["apps/web/overlays/dev", "apps/web/overlays/prod"],
        [],
        ["apps/web/overlays/dev", "apps/web/overlays/prod"],
    ),
    "what a pattern leaves": (ALL.split(), ["apps/*/overlays/dev"], ["apps/*/overlays/prod"]),
    "one of them": (
        ALL.split(),
        ["apps/*/overlays/dev", "apps/api/**"],
        ["apps/web/overlays/prod"],
    ),
}


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("typed", "excluded", "lines"), LINES_OF_CI.values(), ids=LINES_OF_CI)
@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_the_file_for_ci_has_what_was_typed_unless_that_matches_more(
    ci: str, typed: list[str], excluded: list[str], lines: list[str], services: Path
) -> None:
    options = [f"--exclude={one}" for one in excluded]
    outcome = main(["init", *typed, *options, "--share=krm", f"--ci={ci}", f"--action={ACTION}"])
    assert outcome.exit_code == 0, outcome.stderr
    document = yaml.safe_load((services / Pipeline[ci].file).read_text())
    listed = document["diff"]["variables"]["PACKAGES"] if ci == "gitlab" else _paths(document)
    assert listed.splitlines() == lines
    assert main(["init", "apps/api/overlays/*", f"--ci={ci}"]).exit_code == 0
    document = yaml.safe_load((services / Pipeline[ci].file).read_text())
    listed = document["diff"]["variables"]["PACKAGES"] if ci == "gitlab" else _paths(document)
    assert listed.splitlines() == [*dict.fromkeys([*lines, "apps/api/overlays/*"])]


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize("ci", [*EXAMPLE_OF])
def test_the_file_for_ci_refuses_the_risks(ci: str, services: Path) -> None:
    main(["init", ALL, f"--ci={ci}", f"--action={ACTION}"])
    assert "prune,missing,same-set,refused" in {
        "github": lambda one: one["jobs"]["diff"]["steps"][1]["with"]["fail-on"],
        "gitlab": lambda one: one["diff"]["variables"]["FAIL_ON"],
    }[ci](yaml.safe_load((services / Pipeline[ci].file).read_text()))


SHARED = "resources: [krm-fn.yaml]\n"
NOT_SHARED = [
    pytest.param(
        {"krm/kustomization.yaml": SHARED + "namePrefix: a-\n", "krm/krm-fn.yaml": MINE % RUN},
        "error: krm: --share takes a folder whose kustomization has krm-fn.yaml as its only resource, of kind "
        "ConfigRevisions; or one that is not there\n",
        id="a folder that does more",
    ),
    pytest.param(
        {"krm/README.md": "a\n"},
        "error: krm: --share found other files in this folder, and no krm-fn.yaml with a kustomization; name a new "
        "folder\n",
        id="a folder with something else",
    ),
]
NOT_SHARED_BY = [
    pytest.param(
        {"apps/web/overlays/dev/krm/a.yaml": WEB},
        "error: apps/web/overlays/dev/krm: is there already, and --share would write it; rename the folder\n",
        id="a folder krm in a package",
    ),
    pytest.param(
        {"apps/other/overlays/dev/web.yaml": WEB},
        "error: apps/other/overlays/dev: is no kustomization, so it cannot name a folder with a configuration; leave "
        "out --share\n",
        id="a package of manifests",
    ),
]


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("more", "stderr"), NOT_SHARED)
def test_what_cannot_be_shared_with_nothing_written(
    more: Tree, stderr: str, services: Path
) -> None:
    write(services, more)
    before = read(services)
    outcome = main(["init", ALL, "--share", "krm"])
    assert (outcome.stderr, outcome.exit_code, read(services)) == (stderr, 1, before)


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(("more", "stderr"), NOT_SHARED_BY)
def test_a_directory_that_cannot_share_with_nothing_written(
    more: Tree, stderr: str, services: Path
) -> None:
    write(services, more)
    before = read(services)
    named = re.findall("apps/[a-z]+/overlays/dev", stderr)
    outcome = main(["init", *named, "apps/web/overlays/prod", "--share", "krm"])
    assert (outcome.stderr, outcome.exit_code, read(services)) == (stderr, 1, before)


@pytest.mark.needs("kubectl")
def test_what_is_shared_stays_in_the_repository(services: Path) -> None:
    before = read(services)
    outcome = main(["init", ALL, "--share", "../krm"])
    assert (outcome.exit_code, read(services)) == (1, before)
    assert "outside of the repository" in outcome.stderr
    assert not (services.parent / "krm").exists()


@pytest.mark.needs("kubectl")
def test_a_pattern_follows_no_link(
    services: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write(outside, {"overlays/dev/web.yaml": WEB})
    (services / "apps/linked").symlink_to(outside)
    outcome = main(["init", ALL, "--share", "krm"])
    assert outcome.exit_code == 0, outcome.stderr
    assert "linked" not in outcome.stdout.decode()
    assert [*read(outside)] == ["overlays/dev/web.yaml"]


@pytest.mark.needs("kubectl")
def test_a_kustomization_that_a_link_leads_to_finds_what_is_shared(services: Path) -> None:
    (services / "web").symlink_to("apps/web")
    assert main(["init", "web/overlays/dev", "--share", "krm"]).exit_code == 0
    assert sets_of(main(["render", "apps/web/overlays/dev"])) == {"web"}


@pytest.mark.needs("kubectl")
def test_a_shared_folder_that_is_a_link_out_of_the_repository(
    services: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (services / "krm").symlink_to(outside)
    outcome = main(["init", ALL, "--share", "krm"])
    assert (outcome.exit_code, [*outside.iterdir()]) == (1, [])


@pytest.mark.needs("kubectl")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((ALL, "--set=a"), "--set is the name of one set, and these are 4 directories"),
        (("none/*",), "none/* is no directory, and as a pattern it matches no package"),
        (
            ("apps/*",),
            f"apps/* is no directory, and as a pattern it matches no package; did you mean apps/*/base or {ALL}",
        ),
        (
            (ALL, "--exclude=**"),
            "--exclude ** leaves no package",
        ),
    ],
)
def test_patterns_that_are_misused(
    arguments: tuple[str, ...], message: str, services: Path
) -> None:
    before = read(services)
    outcome = main(["init", *arguments])
    assert read(services) == before
    assert (outcome.stderr, outcome.exit_code) == (f"error: {message}; see krm-fn init --help\n", 2)


SPECS = [
    pytest.param(
        ("--strategy", "adopt"),
        "  deployers: [argocd]\n  strategy: adopt   # for the first sync of what runs already\n",
        id="the package adopts first",
    ),
    pytest.param(
        ("--strategy", "checksum"),
        "  deployers: [argocd]\n  strategy: checksum\n",
        id="pods get a checksum",
    ),
    pytest.param(
        ("--strategy", "rename", "--kinds", "ConfigMap, Secret,Secret"),
        "  kinds: [ConfigMap, Secret]\n  deployers: [argocd]\n  strategy: rename\n",
        id="Secrets too",
    ),
]


@pytest.mark.parametrize(("options", "spec"), SPECS)
def test_a_wish_for_the_spec_is_written_and_proven(
    options: tuple[str, ...], spec: str, shop: Path
) -> None:
    outcome = init(shop, "--deployer", "argocd", *options)
    assert outcome.exit_code == 0, outcome.stderr
    text = (shop / "krm-fn.yaml").read_text()
    assert f"\nspec:\n{spec}  # linker:\n" in text
    assert ADOPT.encode() not in outcome.stdout
    settings = yaml.safe_load(text)["spec"]
    rendered = main(["render", str(shop), "--namespace", "shop"]).stdout
    assert (b"name: app-" in rendered) == (settings["strategy"] == "rename")
    assert init(shop, *options).exit_code == 0
    assert (shop / "krm-fn.yaml").read_text() == text


def test_another_wish_for_the_spec_is_printed_and_not_written(shop: Path) -> None:
    assert init(shop, "--strategy", "adopt").exit_code == 0
    before = read(shop)
    outcome = init(shop, "--strategy", "rename", "--kinds", "Secret")
    assert (outcome.exit_code, read(shop)) == (1, before)
    lines = b"is not changed; set in it:\n  spec:\n    kinds: [Secret]\n    strategy: rename\n"
    assert lines in outcome.stdout


@pytest.mark.needs("kubectl")
def test_another_wish_for_what_is_shared_already_is_printed_and_not_written(services: Path) -> None:
    assert main(["init", "apps/web/overlays/*", "--share", "krm"]).exit_code == 0
    before = read(services)
    outcome = main(["init", ALL, "--share", "krm", "--strategy", "adopt"])
    assert (outcome.exit_code, read(services)) == (1, before)
    lines = (
        b"krm/krm-fn.yaml: is there, and is not changed; set in it:\n  spec:\n    strategy: adopt\n"
    )
    assert lines in outcome.stdout


@pytest.mark.needs("kubectl")
@pytest.mark.usefixtures("services")
def test_what_shares_a_configuration_that_adopts_is_not_asked_to() -> None:
    for pattern in ("apps/web/overlays/*", "apps/api/overlays/*"):
        outcome = main(["init", pattern, "--share", "krm", "--strategy", "adopt"])
        assert outcome.exit_code == 0, outcome.stderr
        assert ADOPT.encode() not in outcome.stdout
