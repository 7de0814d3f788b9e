"""A file in which the name of a renamed object stands as a word is found: somebody may look it up there."""

import os
from pathlib import Path

import pytest
import yaml

from krm_fn.base.problem import ResourceId, Severity
from krm_fn.cli.main import main
from krm_fn.tools.common.files import DEFAULT_LIMITS
from krm_fn.tools.elsewhere.elsewhere import NamesElsewhere
from tests.git.repository import commit, git
from tests.render.run import write
from tests.tools.require import require

CONFIG_MAP = ResourceId("v1", "ConfigMap", "shop", "prod-trust-store")
SECRET = ResourceId("v1", "Secret", "auth", "dex-passwords")
EDIT = "kubectl edit cm prod-trust-store"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a folder that git takes for no repository, so that each file in it is read."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "shop").mkdir()
    return tmp_path


def find(folder: Path, *who: ResourceId, package: str = "shop") -> list[str]:
    """Return the objects that are named, each with its places."""
    found = NamesElsewhere(folder / package, DEFAULT_LIMITS).find(who or [CONFIG_MAP, SECRET])
    said = [
        (one.resource, one.message.partition(": somebody or something there")[0]) for one in found
    ]
    return [f"{who}{message.removeprefix('named in')}" for who, message in said]


NAMES_IT = {
    "a command edits it": EDIT,
    "a command reads it by kind and name": "kubectl -n shop describe configmap/prod-trust-store",
    "a command makes it in the next line": "kubectl create configmap \\\n  prod-trust-store",
    "a command hands it to another release": "helm install . --set existingConfigMap=prod-trust-store",
    "a sentence ends with it": "The certificates are in the ConfigMap prod-trust-store.",
    "a sentence has the kind in the line above": "the config map\n`prod-trust-store` has them",
    "a program gets it": 'api.read_namespaced_config_map("prod-trust-store", "shop")',
    "a constant holds it": 'const trustConfigMapName = "prod-trust-store"',
    "a page shows who reads it": "configMap:\n  name: prod-trust-store",
}


@pytest.mark.parametrize("line", NAMES_IT.values(), ids=NAMES_IT)
def test_a_line_names_the_object(line: str, repository: Path) -> None:
    (repository / "a.go").write_text(f"{line}\n")
    number = next(at for at, one in enumerate(line.splitlines(), 1) if "prod-trust-store" in one)
    assert find(repository) == [f"ConfigMap/shop/prod-trust-store a.go:{number}"]


NAMES_IT_NOT = {
    "a longer name": "kubectl edit cm prod-trust-store-2",
    "the end of another name": "kubectl edit cm my-prod-trust-store",
    "a name with a dot": "kubectl edit cm prod-trust-store.old",
    "a file of the name": "kubectl create cm --from-file prod-trust-store.yaml",
    "a folder of the name": "the config map is mounted at /etc/prod-trust-store/",
    "a variable of the name": "CM_prod-trust-store_FILE",
    "another kind": "kubectl edit secret prod-trust-store",
    "no kind": "docker run prod-trust-store",
    "a manifest in a page": "kind: ConfigMap\nmetadata:\n  name: prod-trust-store",
    "an entry of a kustomization": "configMapGenerator: [{name: prod-trust-store}]",
}


@pytest.mark.parametrize("line", NAMES_IT_NOT.values(), ids=NAMES_IT_NOT)
def test_a_line_names_something_else(line: str, repository: Path) -> None:
    (repository / "a.sh").write_text(line)
    assert find(repository) == []


def test_a_name_of_one_word_means_too_much_else(repository: Path) -> None:
    (repository / "a.sh").write_text("kubectl edit cm config\nkubectl edit cm config.v2\n")
    named = [CONFIG_MAP._replace(name=name) for name in ("config", "config.v2")]
    assert find(repository, *named) == ["ConfigMap/shop/config.v2 a.sh:2"]


def test_a_secret_is_named_without_its_values(repository: Path) -> None:
    (repository / "README.md").write_text(
        "kubectl create secret generic dex-passwords --from-literal=A='not-to-be-printed' -n auth\n"
    )
    (problem,) = NamesElsewhere(repository / "shop", DEFAULT_LIMITS).find([SECRET])
    assert problem.severity is Severity.WARNING
    assert problem.message.startswith("named in README.md:1: somebody or something there may")
    assert "not-to-be-printed" not in problem.message


def test_three_files_are_named_and_the_others_counted_pages_last(repository: Path) -> None:
    files = ("a.md", "b.sh", "c.md", "d.py", "e.md")
    write(repository, dict.fromkeys(files, f"{EDIT}\n{EDIT}\n"))
    assert find(repository) == ["ConfigMap/shop/prod-trust-store b.sh:1, d.py:1, a.md:1 and 2 more"]


READ = {
    "a program": "a.go",
    "a file without an ending": "Tiltfile",
    "a page of the package": "shop/README.md",
    "a job": ".github/workflows/a.yml",
    "a job of GitLab": ".gitlab-ci.yml",
    "a test that runs in a cluster": "test/e2e/shop_test.go",
}
NOT_READ = {
    "a manifest": "shop/a.yaml",
    "a manifest of another package": "other/a.json",
    "what a manifest is made from": "other/a.jsonnet",
    "a unit test": "pkg/shop_test.go",
    "a changelog": "CHANGELOG.md",
    "a copy from elsewhere": "vendor/a/README.md",
    "a hidden folder": ".venv/a.py",
    "a hook of git": ".git/hooks/a.sh",
}


@pytest.mark.parametrize("file", READ.values(), ids=READ)
def test_a_file_is_read(file: str, repository: Path) -> None:
    write(repository, {file: EDIT})
    assert find(repository) == [f"ConfigMap/shop/prod-trust-store {file}:1"]


@pytest.mark.parametrize("file", NOT_READ.values(), ids=NOT_READ)
def test_a_file_is_not_read(file: str, repository: Path) -> None:
    write(repository, {file: EDIT})
    assert find(repository) == []


def test_git_says_what_is_tracked(tmp_path: Path) -> None:
    commit(
        tmp_path, {".gitignore": "build/\n", "shop/a.yaml": "a: b", "a b.sh": EDIT, "ä.md": EDIT}
    )
    write(tmp_path, {"build/a.sh": EDIT, "untracked.sh": EDIT, "gone.sh": EDIT})
    git(tmp_path, "add", "gone.sh")
    (tmp_path / "gone.sh").unlink()
    assert find(tmp_path) == ["ConfigMap/shop/prod-trust-store a b.sh:1, ä.md:1"]


def test_git_runs_no_program_of_the_repository(tmp_path: Path) -> None:
    commit(tmp_path, {".gitattributes": "*.sh diff=run filter=run\n", "shop/a": "", "a.sh": EDIT})
    for name in ("diff.run.textconv", "filter.run.clean", "core.fsmonitor", "core.pager"):
        git(tmp_path, "config", name, f"touch {tmp_path}/has-run; cat")
    assert find(tmp_path) == ["ConfigMap/shop/prod-trust-store a.sh:1"]
    assert not (tmp_path / "has-run").exists()


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
    assert find(repository) == ["ConfigMap/shop/prod-trust-store z.sh:1"]


def test_a_tracked_file_that_has_become_a_link_or_a_pipe_is_not_read(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    write(outside, {"a.sh": EDIT})
    commit(
        tmp_path, {"shop/a": "", "linked.sh": "", "pipe.sh": "", "folder/a.sh": "", "z.sh": EDIT}
    )
    for name in ("linked.sh", "pipe.sh", "folder/a.sh"):
        (tmp_path / name).unlink()
    (tmp_path / "folder").rmdir()
    (tmp_path / "linked.sh").symlink_to(outside / "a.sh")
    (tmp_path / "folder").symlink_to(outside)
    os.mkfifo(tmp_path / "pipe.sh")
    assert find(tmp_path) == ["ConfigMap/shop/prod-trust-store z.sh:1"]


def test_a_root_limits_the_search(repository: Path) -> None:
    (repository / "a.sh").write_text(EDIT)
    limits = DEFAULT_LIMITS._replace(root=repository / "shop")
    assert [*NamesElsewhere(repository / "shop", limits).find([CONFIG_MAP])] == []


def test_without_a_repository_only_init_reads_what_is_in_the_path(tmp_path: Path) -> None:
    write(tmp_path, {"shop/a.sh": EDIT, "b.sh": EDIT})
    assert find(tmp_path) == []
    everywhere = NamesElsewhere(tmp_path / "shop", DEFAULT_LIMITS, is_everywhere=True)
    assert ["named in a.sh:1:" in one.message for one in everywhere.find([CONFIG_MAP])] == [True]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("configmap/" * 90_000 + "\n", id="kinds without a name"),
        pytest.param("cm prod-trust-store-" * 40_000 + "\n", id="longer names"),
        pytest.param("-f " * 300_000 + "\n", id="files that are not named"),
        pytest.param("cm\n" * 300_000, id="lines"),
    ],
)
def test_a_hostile_file_takes_no_longer_than_its_length(content: str, repository: Path) -> None:
    """With the square of it, some would take minutes."""
    write(repository, {"a.sh": f"{content}{EDIT}\n", "a.yaml": f"kind: ConfigMap\n{content}"})
    many = [CONFIG_MAP._replace(namespace=f"shop-{one}") for one in range(1_000)]
    assert len(find(repository, *many)) == 1_000


MAKES = "kind: ConfigMap\nmetadata: {name: prod-trust-store}\n"
APPLIES_IT = {
    "from its own folder": ("docs/a.md", "kubectl replace -f ../samples/trust.yaml"),
    "from the top": ("a/b/c.sh", "oc apply --filename=samples/trust.yaml"),
}
APPLIES_IT_NOT = {
    "a link": ("docs/a.md", "[sample](../samples/trust.yaml)"),
    "another file of the name": ("docs/a.md", "kubectl apply -f other/trust.yaml"),
    "what generates it": ("Makefile", "kubectl kustomize shop > samples/trust.yaml"),
}


@pytest.mark.parametrize(("file", "line"), APPLIES_IT.values(), ids=APPLIES_IT)
def test_a_command_applies_a_file_with_the_object(file: str, line: str, repository: Path) -> None:
    write(repository, {"samples/trust.yaml": MAKES, file: line})
    assert find(repository) == [f"ConfigMap/shop/prod-trust-store {file}:1"]


@pytest.mark.parametrize(("file", "line"), APPLIES_IT_NOT.values(), ids=APPLIES_IT_NOT)
def test_a_line_applies_no_file_with_the_object(file: str, line: str, repository: Path) -> None:
    write(repository, {"samples/trust.yaml": MAKES, "other/trust.yaml": "a: b", file: line})
    assert find(repository) == []


def test_what_no_pattern_of_commands_finds_in_ceph_csi(tmp_path: Path) -> None:
    source = yaml.safe_load((Path(__file__).parent / "ceph-csi.yaml").read_text())
    commit(tmp_path, source["files"])
    named = [
        ResourceId("v1", "ConfigMap", "", name)
        for name in ("ceph-csi-config", "ceph-csi-encryption-kms-config")
    ]
    assert find(tmp_path, *named, package="deploy/rbd/kubernetes") == [
        "ConfigMap/ceph-csi-config troubleshooting/tools/tracevol.py:1, examples/README.md:9",
        "ConfigMap/ceph-csi-encryption-kms-config e2e/deploy-vault.go:9",
    ]


TOOLS = ResourceId("v1", "ConfigMap", "ledger", "ledger-tools")
KEYS = ResourceId("v1", "Secret", "ledger", "ledger-keys")
READS = "configMap: {name: ledger-tools}"


def chart(
    name: str, templates: str = "", more: str = "", place: str = ""
) -> dict[str, str | bytes]:
    place = place or f"charts/{name}"
    return {
        f"{place}/Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n{more}",
        f"{place}/templates/all.yaml": templates,
    }


def find_in_charts(repository: Path) -> list[str]:
    """Return the places that name what the chart `charts/ca` makes."""
    write(repository, chart("ca", f"kind: ConfigMap\nname: ledger-tools\n---\n{READS}"))
    found = find(repository, TOOLS, KEYS, package="charts/ca")
    return [one.rpartition(" ")[2] for one in found]


READS_IT = {
    "a volume, in one line": READS,
    "a volume": "configMap:\n          defaultMode: 0755\n          name: ledger-tools",
    "a value": "configMapKeyRef:\n    key: a\n    name: 'ledger-tools'  # of ca",
    "a volume behind a condition": "configMap:\n{{- if .Values.tools }}\n    name: ledger-tools\n{{- end }}",
    "a Secret": "secret: {secretName: ledger-keys}",
}


@pytest.mark.parametrize("template", READS_IT.values(), ids=READS_IT)
def test_a_template_of_another_chart_reads_it(template: str, repository: Path) -> None:
    write(repository, chart("peer", template))
    line = next(number for number, one in enumerate(template.splitlines(), 1) if "ledger-" in one)
    assert find_in_charts(repository) == [f"charts/peer/templates/all.yaml:{line}"]


READS_IT_NOT = {
    "a longer name": "configMap: {name: ledger-tools-2}",
    "a name that begins with a release": "configMap: {name: '{{ .Release.Name }}-ledger-tools'}",
    "another kind": "secretKeyRef: {name: ledger-tools}",
    "a chart that makes its own": f"kind: ConfigMap\nmetadata:\n  name: ledger-tools\n---\n{READS}",
}
PARTS = "dependencies: [{name: %s, version: 0.1.0}]\n"
ONE_RELEASE: dict[str, dict[str, str | bytes]] = {
    **{one: chart("peer", template) for one, template in READS_IT_NOT.items()},
    "a chart that consists of this one": chart("peer", READS, PARTS % "ca"),
    "a chart of which this one consists": {
        **chart("peer", READS),
        "charts/ca/requirements.yaml": PARTS % "peer",
    },
    "a part in its folder": chart("peer", READS, place="charts/ca/charts/peer"),
    "the chart around it": chart("all", READS, place="."),
    "templates of no chart": {"peer/templates/all.yaml": READS},
    "a chart that is copied from elsewhere": chart("peer", READS, place="vendor/peer"),
}


@pytest.mark.parametrize("files", ONE_RELEASE.values(), ids=ONE_RELEASE)
def test_no_template_of_another_release_reads_it(
    files: dict[str, str | bytes], repository: Path
) -> None:
    write(repository, files)
    assert find_in_charts(repository) == []


def test_charts_of_one_maintainer_and_one_library_are_two_releases(repository: Path) -> None:
    more = "maintainers: [{name: ca}]\n" + PARTS % "common"
    write(
        repository, {**chart("peer", READS, more), "charts/ca/requirements.yaml": PARTS % "common"}
    )
    assert find_in_charts(repository) == ["charts/peer/templates/all.yaml:1"]


def test_templates_are_read_only_around_a_chart(repository: Path) -> None:
    write(repository, chart("peer", READS))
    assert find(repository, TOOLS) == []


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: fleet\nversion: 0.1.0\n",
    "chart/templates/all.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-trust-store", namespace: shop}
data: {ca.crt: a}
---
apiVersion: v1
kind: Pod
metadata: {name: router, namespace: shop}
spec:
  containers: [{name: router, image: router}]
  volumes: [{name: tls, configMap: {name: "{{ .Release.Name }}-trust-store"}}]
""",
    "scripts/environment.sh": f"set -e\n{EDIT}\n",
}


@pytest.mark.needs("helm")
def test_init_and_explain_name_the_lines_beside_what_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{require('helm').parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, {**CHART, **chart("peer", "configMap: {name: prod-trust-store}")})
    said = (
        "named in charts/peer/templates/all.yaml:1, scripts/environment.sh:2: somebody or something"
    )
    explained = main(["explain", "chart", "--helm-release", "prod"]).stdout.decode()
    assert said in " ".join(explained.split())
    made = main(["init", "chart", "--namespace", "shop", "--helm-release", "prod", "--dry-run"])
    assert said in made.stderr
