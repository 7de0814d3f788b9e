"""`krm-fn diff --fail-on`: which risks are found, and that the exit code says so exactly if they are named."""

import shutil
from itertools import chain, combinations
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.diff.test_against import CONFIG, READER, config_map, shop
from tests.git.repository import commit
from tests.render.run import write

RISKS = ("prune", "missing", "same-set", "refused")
SUBSETS = [*chain.from_iterable(combinations(RISKS, size) for size in range(len(RISKS) + 1))]
ADOPTED = CONFIG.replace("spec: {", "spec: {strategy: adopt, ")
ONCE = READER.replace("apps/v1", "batch/v1").replace("Deployment", "Job")
OPTIONAL = READER.replace("{name: web-config}", "{name: web-config, optional: true}")
OTHER = READER.replace("web-config", "other-config")

GONE = config_map("one").replace("web-", "other-").replace("A:", "B:")
RENAMED = config_map("one").replace("web-", "other-")

HASH = "d252m8c876"
NAMED_BY_HASH = config_map("one").replace("web-config", f"web-config-{HASH}")
GENERATED = {
    "shop/config.yaml": NAMED_BY_HASH,
    "shop/web.yaml": READER.replace("web-config", f"web-config-{HASH}"),
}
LEFT = CONFIG.replace("spec: {", "spec: {strategy: ignore, ")
FROZEN = config_map("one") + "immutable: true\n"

PAY, PAYS = CONFIG.replace("name: shop", "name: pay"), READER.replace("name: web,", "name: pay,")

Files = dict[str, str | bytes]
BEFORE = shop("one")
UNPROTECTED = {name: text for name, text in BEFORE.items() if name != "shop/krm-fn.yaml"}

CASES: list[tuple[str, Files, Files, set[str]]] = [
    ("nothing has changed", BEFORE, {}, set()),
    ("new content alone is no risk", BEFORE, shop("two"), set()),
    (
        "what is not protected yet would be pruned by the rename",
        UNPROTECTED,
        BEFORE,
        {"prune"},
    ),
    (
        "what is adopted already is not pruned by the rename",
        {**BEFORE, "shop/krm-fn.yaml": ADOPTED},
        BEFORE,
        set(),
    ),
    (
        "pods lack what is not rendered any more",
        BEFORE,
        {"shop/config.yaml": GONE},
        {"missing"},
    ),
    (
        "pods lack what has got another base name",
        BEFORE,
        {"shop/config.yaml": RENAMED},
        {"missing"},
    ),
    (
        "an optional reference lacks nothing",
        {**BEFORE, "shop/web.yaml": OPTIONAL},
        {"shop/config.yaml": GONE},
        set(),
    ),
    (
        "what goes with its reader is not missed",
        BEFORE,
        {"shop/config.yaml": GONE, "shop/web.yaml": OTHER},
        set(),
    ),
    (
        "a Job of the same name cannot change",
        {**BEFORE, "shop/web.yaml": ONCE},
        {"shop/config.yaml": config_map("two")},
        {"refused"},
    ),
    (
        "what a generator names stays immutable no more when the function goes",
        {**GENERATED, "shop/krm-fn.yaml": CONFIG},
        {"shop/krm-fn.yaml": LEFT},
        {"refused"},
    ),
    (
        "nor if the revisions are not immutable any more",
        {**GENERATED, "shop/krm-fn.yaml": CONFIG},
        {"shop/krm-fn.yaml": CONFIG.replace("spec: {", "spec: {immutable: false, ")},
        {"refused"},
    ),
    (
        "what its generator makes immutable stays so",
        {**GENERATED, "shop/krm-fn.yaml": CONFIG},
        {"shop/krm-fn.yaml": LEFT, "shop/config.yaml": NAMED_BY_HASH + "immutable: true\n"},
        set(),
    ),
    (
        "a base name is another object",
        BEFORE,
        {"shop/krm-fn.yaml": LEFT},
        set(),
    ),
    (
        "what is immutable cannot get other content",
        {"shop/config.yaml": FROZEN},
        {"shop/config.yaml": FROZEN.replace("one", "two")},
        {"refused"},
    ),
    (
        "unless Flux replaces it",
        {"shop/config.yaml": FROZEN},
        {
            "shop/config.yaml": FROZEN.replace("one", "two").replace(
                "metadata: {",
                "metadata: {annotations: {kustomize.toolkit.fluxcd.io/force: enabled}, ",
            )
        },
        set(),
    ),
    (
        "a Secret keeps its type",
        {"shop/config.yaml": FROZEN.replace("ConfigMap", "Secret").replace("immutable: true", "")},
        {
            "shop/config.yaml": FROZEN.replace("ConfigMap", "Secret").replace(
                "immutable: true", "type: example.com/other"
            )
        },
        {"refused"},
    ),
    ("a copy of a package has its set", BEFORE, shop("one", "copy"), {"same-set"}),
    (
        "a copy with a set of its own shares none",
        BEFORE,
        {**shop("two", "copy"), "copy/krm-fn.yaml": CONFIG.replace("name: shop", "name: copy")},
        set(),
    ),
    (
        "another service of the namespace has one object with it",
        BEFORE,
        {**shop("one", "pay"), "pay/krm-fn.yaml": PAY, "pay/web.yaml": PAYS},
        {"same-set"},
    ),
    (
        "two services have had one object before",
        {**BEFORE, **shop("one", "pay"), "pay/krm-fn.yaml": PAY, "pay/web.yaml": PAYS},
        {"pay/web.yaml": PAYS.replace("name: pay,", "name: pay, labels: {a: b},")},
        set(),
    ),
    (
        "the new content of one object of two services",
        {**BEFORE, **shop("one", "pay"), "pay/krm-fn.yaml": PAY, "pay/web.yaml": PAYS},
        {"shop/config.yaml": config_map("two"), "pay/config.yaml": config_map("two")},
        {"same-set"},
    ),
    (
        "an environment of the application has the same workload",
        BEFORE,
        {**shop("one", "copy"), "copy/krm-fn.yaml": CONFIG.replace("name: shop", "name: copy")},
        set(),
    ),
    (
        "a copy in another namespace shares none",
        BEFORE,
        {
            "copy/krm-fn.yaml": CONFIG,
            "copy/web.yaml": READER.replace("namespace: shop", "namespace: other"),
            "copy/config.yaml": config_map("one").replace("namespace: shop", "namespace: other"),
        },
        set(),
    ),
    (
        "two risks at once",
        {**BEFORE, "shop/web.yaml": ONCE},
        {"shop/config.yaml": config_map("two"), **shop("one", "copy")},
        {"refused", "same-set"},
    ),
]


@pytest.mark.rows(test=2)
@pytest.mark.parametrize(
    ("before", "after", "risks"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_the_exit_code_is_4_exactly_if_a_risk_is_there_and_named(
    before: Files, after: Files, risks: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, before)
    write(tmp_path, after)
    monkeypatch.chdir(tmp_path)
    for named in SUBSETS:
        done = main(["diff", "--against=HEAD", "--each", f"--fail-on={','.join(named)}", "*"])
        found = {one for one in RISKS if f"error: --fail-on {one}: " in done.stderr}
        assert found == risks & {*named}
        assert done.exit_code == (4 if found else 0), done.stderr


UI = READER.replace("metadata: {name: web,", "metadata: {name: ui,")
FAR = "apps/ui/prod"
NEAR = "apps/shop/prod"


def near(level: str, settings: str = ADOPTED) -> Files:
    files = shop(level, NEAR)
    return {**files, f"{NEAR}/krm-fn.yaml": settings}


NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n"
WITH_READER: Files = {**near("one"), f"{FAR}/web.yaml": UI}
MOVED: Files = {f"{NEAR}/config.yaml": GONE, f"{NEAR}/web.yaml": OTHER}

ACROSS: list[tuple[str, Files, Files, set[str]]] = [
    ("a change of content, under a name that stays", WITH_READER, near("two"), set()),
    (
        "a name that another package reads is a revision from now on",
        WITH_READER,
        near("one", CONFIG),
        {"missing"},
    ),
    (
        "the reader has gone before",
        {**WITH_READER, f"{FAR}/web.yaml": UI.replace("web-config", "other")},
        near("one", CONFIG),
        set(),
    ),
    (
        "the reader goes with it",
        WITH_READER,
        {**near("one", CONFIG), f"{FAR}/web.yaml": UI.replace("web-config", "other")},
        set(),
    ),
    ("an object that another package reads is gone", WITH_READER, MOVED, {"missing"}),
    (
        "it has moved to that package",
        WITH_READER,
        {**MOVED, f"{FAR}/config.yaml": config_map("one")},
        set(),
    ),
    (
        "it has moved to a third one",
        WITH_READER,
        {**MOVED, "apps/third/prod/config.yaml": config_map("one")},
        set(),
    ),
    (
        "pods of the other package start without it",
        {**WITH_READER, f"{FAR}/web.yaml": OPTIONAL.replace("name: web,", "name: ui,")},
        MOVED,
        set(),
    ),
    (
        "the other package is in another namespace",
        {**WITH_READER, f"{FAR}/web.yaml": UI.replace("namespace: shop", "namespace: ui")},
        MOVED,
        set(),
    ),
    (
        "a reader moves to a namespace where another package, which does not change, has the name",
        {**near("one"), "apps/base/jobs/config.yaml": config_map("one").replace("shop", "jobs")},
        {f"{NEAR}/web.yaml": READER.replace("namespace: shop", "namespace: jobs")},
        set(),
    ),
    (
        "another package, which does not change, has the object too",
        {**near("one"), "apps/base/prod/config.yaml": config_map("one")},
        {f"{NEAR}/config.yaml": GONE},
        set(),
    ),
    (
        "a Namespace moves to another package",
        {**near("one"), f"{NEAR}/namespace.yaml": NAMESPACE, f"{FAR}/web.yaml": UI},
        {f"{NEAR}/namespace.yaml": "", f"{FAR}/namespace.yaml": NAMESPACE},
        set(),
    ),
    (
        "a new reader of what was never there under this name",
        near("one", CONFIG),
        {**near("two", CONFIG), f"{FAR}/web.yaml": UI},
        set(),
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(
    ("before", "after", "risks"), [row[1:] for row in ACROSS], ids=[row[0] for row in ACROSS]
)
def test_the_order_of_packages_is_part_of_it(
    before: Files, after: Files, risks: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, before)
    write(tmp_path, after)
    monkeypatch.chdir(tmp_path)
    done = main(["diff", "--against=HEAD", f"--fail-on={','.join(RISKS)}", "apps/*/*"])
    assert {one for one in RISKS if f"error: --fail-on {one}: " in done.stderr} == risks
    assert done.exit_code == (4 if risks else 0), done.stderr
    if risks:
        assert "error: --fail-on missing: ConfigMap shop/web-config\n" in done.stderr
        assert f"({FAR}): " in done.stderr


def test_a_package_that_is_gone_takes_what_another_one_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, WITH_READER)
    shutil.rmtree(tmp_path / "apps/shop")
    monkeypatch.chdir(tmp_path)
    done = main(["diff", "--against=HEAD", "--fail-on=missing", "apps/*/*"])
    assert done.stderr.endswith("error: --fail-on missing: ConfigMap shop/web-config\n")
    assert done.exit_code == 4


WAYS = [
    pytest.param(["--against=HEAD", "shop"], id="of one package"),
    pytest.param(["--against=HEAD", "--each", "shop"], id="of each package"),
    pytest.param(["--against=HEAD", "-ojson", "shop"], id="as JSON"),
    pytest.param(["old", "shop"], id="of two paths"),
    pytest.param(["--exit-code", "old", "shop"], id="though any difference has an exit code"),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("arguments", WAYS)
def test_every_way_to_compare_fails(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, {**BEFORE, **shop("one", "old")})
    write(tmp_path, {"shop/config.yaml": GONE})
    done = main(["diff", "--fail-on=missing,prune", *arguments])
    assert done.exit_code == 4
    assert done.stderr.endswith("error: --fail-on missing: ConfigMap shop/web-config\n")
    said = b'"missing"' if "-ojson" in arguments else b"new pods of Deployment/web do not start"
    assert said in done.stdout


def test_what_cannot_be_compared_is_the_worse_news(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, {**BEFORE, **shop("one", "broken")})
    lost = {"shop/config.yaml": GONE}
    write(tmp_path, {**lost, "broken/web.yaml": "a: [\n"})
    done = main(["diff", "--fail-on=missing", "--against=HEAD", "--each", "*"])
    assert done.exit_code == 2
    assert "error: --fail-on missing: ConfigMap shop/web-config\n" in done.stderr


def test_an_unknown_risk_is_no_risk_that_is_passed_over() -> None:
    done = main(["diff", "--fail-on=prune,loss", "old", "new"])
    assert done.exit_code == 2
    assert "--fail-on found 'loss'; allowed: prune, missing, same-set, refused" in done.stderr


def test_the_set_of_a_copy_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also beside a package that the change does not affect."""
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, BEFORE)
    write(tmp_path, shop("one", "copy"))
    done = main(["diff", "--against=HEAD", "--each", "*"])
    assert (
        "warning: shop: calls its set shop, as copy does, and both are in namespace shop: in one cluster, removing "
        "one breaks the other; set another metadata.name in the krm-fn.yaml or krm/kustomization.yaml of one\n"
    ) in done.stderr
