"""The monorepo of twelve services, from the first command to the last, as docs/how-to/a-monorepo.md types them.

test_how_to.py compares what the page prints. Here are what it does not print: what each command may
cost at most, what is left when a service or all of krm-fn goes, and that kubectl and kpt are as
good as kustomize. On a cluster, tests/gitops/test_rendered_branch.py plays three of the services.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base import keys
from tests.integration.test_how_to import ROOT, SERVICES, STAGES, environment, make_repository
from tests.pages.blocks import read_blocks, run_blocks
from tests.tools.require import require

INIT, PROTECT, RENAME, CHANGE, MOVE = read_blocks((ROOT / "docs/how-to/a-monorepo.md").read_text())
PACKAGES = [f"services/{service}/overlays/{stage}" for service in SERVICES for stage in STAGES]
LINES_SHARED, LINES_A_PACKAGE = 20, 4
"""What a configuration may cost at most. With a file for each package, it was 377 lines in 22 files."""

NEEDED = (
    *("kubectl", "git", "sh", "bash", "sed", "find", "wc"),
    *("cat", "grep", "tail", "head", "mv", "rm", "mkdir", "cp"),
)
OBJECTS_A_SET = {"ConfigMap", "Job", "Role", "RoleBinding", "ServiceAccount"}
WITH_ONE_ACCOUNT = {"ConfigMap", "Job"}
ALL, CART = "services/*/overlays/*", "services/cart/overlays/prod"
FUNCTIONS = ("--enable-alpha-plugins", "--enable-exec")
CANARY = f"""\
krm-fn render {CART} > deployed.yaml
base=services/cart/base/cart.yaml
sed 's/LOG_LEVEL: info/LOG_LEVEL: debug/' $base > changed && mv changed $base
krm-fn render --check --deployed deployed.yaml {CART} > new.yaml
krm-fn diff deployed.yaml new.yaml 2>&1
rm deployed.yaml new.yaml
git checkout -q services
"""
ROLLS = """\
ConfigMap cart-prod/cart-config: cart-config-hmmbtd68mf -> cart-config-hgk5c5b45h
  - LOG_LEVEL: info
  + LOG_LEVEL: debug
  rolls Deployment/cart
1 revision changed; linker runs once
"""
COPY = """\
cp -r services/cart services/copy
krm-fn diff --against HEAD --fail-on same-set 'services/*/overlays/*' 2>&1 || test $? -eq 4
rm -r services/copy
"""
LEAVES = """\
git rm -qr services/tax
krm-fn diff --against HEAD --fail-on missing,same-set 'services/*/overlays/*' 2> /dev/null
git reset -q --hard HEAD
"""
WITH_A_COMPONENT = """\
mkdir services/cart/overlays/common
cat > services/cart/overlays/common/kustomization.yaml << END
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
END
krm-fn init 'services/cart/overlays/*' --share krm > said.txt 2> wrong.txt || test $? -eq 1
grep -c ' edited: transformers lists krm' said.txt
tail -n 1 wrong.txt
git checkout -q services/cart && rm -r krm services/cart/overlays/*/krm
krm-fn init 'services/cart/overlays/*' --share krm --exclude '**/common' --dry-run > said.txt
rm -r said.txt wrong.txt services/cart/overlays/common
"""
CONFIGURED_ALONE = """\
krm-fn init services/email/overlays/prod --deployer argocd --linker-image a:1 > said.txt
git add services && git commit -qm 'Name the configuration of email by its content'
"""
AS_BEFORE = """\
kustomize build services/tax/overlays/prod | cmp - rendered/services/tax/overlays/prod/*
grep -c '  name: cart-config-' rendered/services/cart/overlays/prod/*
grep -c '  name: email-config-' rendered/services/email/overlays/prod/*
"""
ALL_LEAVE = "krm-fn init 'services/*/overlays/*' --share krm --remove > said.txt && rm said.txt\n"


class Place:
    """The repository, where commands are typed."""

    def __init__(self, folder: Path, *, builder: str = "kustomize") -> None:
        require(builder)
        self.folder = folder
        self.repository = make_repository(folder)
        self.environment = environment(folder)
        self._outputs = folder / "outputs"
        self._outputs.mkdir()
        if builder == "kubectl":
            self.environment["PATH"] = path_without_kustomize(folder)

    def type_in(self, block: str) -> str:
        (printed,) = run_blocks([block], self.environment, self._outputs, self.repository)
        return printed

    def render(self, *arguments: str) -> list[dict[str, Any]]:
        done = self.run("krm-fn", "render", *arguments)
        return [one for one in yaml.safe_load_all(done) if one]

    def run(self, *command: str) -> str:
        return subprocess.run(
            command,
            cwd=self.repository,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def changed_lines(self) -> dict[str, int]:
        """Return how many lines each file has got since the last commit."""
        self.run("git", "add", "--all", "krm", "services")
        numbers = self.run("git", "diff", "--cached", "--numstat").splitlines()
        return {name: int(added) for added, _, name in (line.split("\t") for line in numbers)}

    def tree(self) -> str:
        return self.run("git", "write-tree")


def path_without_kustomize(folder: Path) -> str:
    """Return a PATH with this krm-fn, and with links to the programs that the commands need."""
    programs = folder / "programs"
    programs.mkdir()
    for name in NEEDED:
        (programs / name).symlink_to(require(name))
    (programs / "krm-fn").symlink_to(Path(sys.executable).parent / "krm-fn")
    return str(programs)


@pytest.mark.parametrize("builder", ["kustomize", "kubectl"])
def test_the_story_of_a_monorepo(builder: str, tmp_path: Path) -> None:
    place = Place(tmp_path, builder=builder)
    before = place.tree()
    plain = {package: place.run(*build(builder), package) for package in PACKAGES[:2]}

    # What is no package comes last, and all others are written; left out, it is no error.
    said = place.type_in(WITH_A_COMPONENT)
    assert said == (
        "2\nerror: 1 of 3 packages cannot be configured: services/cart/overlays/common\n"
    )

    # Install: one command.
    assert len(re.findall(r"^krm-fn ", INIT, re.MULTILINE)) == 1
    place.type_in(INIT)
    lines = place.changed_lines()
    in_shared = {name: count for name, count in lines.items() if name.startswith("krm/")}
    assert sum(in_shared.values()) <= LINES_SHARED
    a_package = Counter[str]()
    for name, count in lines.items():
        if name not in in_shared:
            a_package["/".join(name.split("/")[:4])] += count
    assert a_package == dict.fromkeys(PACKAGES, LINES_A_PACKAGE)

    # Protect: no name changes, so no pod restarts.
    place.type_in(PROTECT)
    protected = place.render(ALL)
    assert names_of(protected, "Deployment") == sorted([*SERVICES, *SERVICES])
    configs = {read_by(one) for one in protected if one["kind"] == "Deployment"}
    assert configs == {f"{service}-config" for service in SERVICES}

    # A change of the shared file: one line, all packages.
    place.type_in(RENAME)
    assert linker_objects(place.render(CART)) == dict.fromkeys(OBJECTS_A_SET, 1)
    place.environment["KRM_FN_LINKER_SERVICE_ACCOUNT_NAME"] = "krm-fn-linker"
    assert linker_objects(place.render(CART)) == dict.fromkeys(WITH_ONE_ACCOUNT, 1)
    del place.environment["KRM_FN_LINKER_SERVICE_ACCOUNT_NAME"]

    # A canary: what old pods read is protected, and what new pods read is there.
    assert place.type_in(CANARY) == ROLLS
    place.type_in(CHANGE)

    # A copy of a service has its set, whatever else all of them share.
    shared = "error: --fail-on same-set: cart-prod/cart, cart-staging/cart\n"
    assert shared in place.type_in(COPY)

    # A service that leaves: nothing else changes.
    said = place.type_in(LEAVES)
    assert said.splitlines()[-1] == "24 packages: 2 removed, 22 not affected"

    # All leave: every file is as it was.
    place.type_in(ALL_LEAVE)
    place.run("git", "add", "--all", "krm", "services")
    assert place.tree() == before
    for package, built in plain.items():
        assert place.run(*build(builder), package) == built


def test_a_base_that_is_deployed_itself(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.type_in(
        "krm-fn init 'services/*/overlays/*' services/cart/base --share krm --linker-image a:1 > said.txt\n"
    )
    for package in ("services/cart/base", CART):
        by_kustomize = place.run(*build("kustomize"), *FUNCTIONS, package)
        assert as_texts(place.render(package)) == as_texts([*yaml.safe_load_all(by_kustomize)])


def build(builder: str) -> list[str]:
    return ["kubectl", "kustomize"] if builder == "kubectl" else ["kustomize", "build"]


def revisions(rendered: list[dict[str, Any]]) -> list[str]:
    return [
        one["metadata"]["name"]
        for one in rendered
        if keys.BASE_NAME in one["metadata"].get("annotations", {})
    ]


def names_of(rendered: list[dict[str, Any]], kind: str) -> list[str]:
    return sorted(one["metadata"]["name"] for one in rendered if one["kind"] == kind)


def read_by(deployment: dict[str, Any]) -> str:
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return str(container["envFrom"][0]["configMapRef"]["name"])


def linker_objects(rendered: list[dict[str, Any]]) -> dict[str, int]:
    """Count the objects of the linker by kind."""
    return Counter(
        one["kind"]
        for one in rendered
        if one["metadata"].get("labels", {}).get(keys.COMPONENT) == "linker"
    )


ALL_SERVICES = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: services}
spec:
  generators:
  - git:
      repoURL: https://git.example.org/services.git
      revision: HEAD
      directories:
      - path: services/*/overlays/*
      - {path: services/tax/overlays/staging, exclude: true}
  template:
    metadata: {name: '{{path[1]}}-{{path.basename}}'}
    spec:
      project: default
      source: {repoURL: https://git.example.org/services.git, path: '{{path}}'}
      destination: {name: in-cluster}
"""
OLDER_JOB = """\
on: push
jobs:
  build:
    strategy:
      matrix:
        overlay:
        - services/cart/overlays/prod
    steps:
    - run: kustomize build ${{ matrix.overlay }} | kubectl apply -f -
"""
FOR_ARGO_CD = f"krm-fn init '{ALL}' --share krm --deployer argocd > said.txt 2>&1\n"


def test_what_builds_the_services_already_goes_on_until_it_is_switched(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for name, text in (
        ("cluster/services.yaml", ALL_SERVICES),
        (".github/workflows/deploy.yaml", OLDER_JOB),
    ):
        (place.repository / name).parent.mkdir(parents=True, exist_ok=True)
        (place.repository / name).write_text(text)
    place.type_in("git add --all && git commit -qm 'Deploy' && git push -q\n")
    before, plain = place.tree(), {one: place.run("kustomize", "build", one) for one in PACKAGES}

    place.type_in(FOR_ARGO_CD)
    assert not [one for one in place.changed_lines() if "/krm/" not in f"/{one}"]
    assert {one: place.run("kustomize", "build", one) for one in PACKAGES} == plain
    said = (place.repository / "said.txt").read_text()
    named = re.findall(
        r"next: (\S+): apply what CI .* until then, nothing changes for (.*)\n", said
    )
    first = "services/account/overlays/prod, services/account/overlays/staging, services/billing/overlays/prod"
    assert named == [("cluster/services.yaml:10", f"{first} and 20 more")]
    assert len(revisions(place.render(ALL))) == len(PACKAGES)
    assert (
        place.type_in(f"krm-fn verify '{ALL}' 2>&1 | tail -n 1\n")
        == "24 packages: 24 verified; protected from pruning by argocd\n"
    )
    diff = f"krm-fn diff --against origin/main '{ALL}*' 2> /dev/null | tail -n 1\n"
    assert place.type_in(diff) == "24 packages: 24 changed; the first rename rolls 24 workloads\n"
    place.type_in("git add krm services && git commit -qm 'Share' && git push -q\n")
    place.type_in("sed -i 's/^spec:/&\\n  kinds: [Secret]/' krm/krm-fn.yaml\n")
    assert place.type_in(diff) == "24 packages: 24 changed\n"
    place.type_in("git checkout -q krm\n")
    place.type_in(ALL_LEAVE)
    place.run("git", "add", "--all", "krm", "services")
    assert place.tree() == before

    place.type_in(f"krm-fn init '{ALL}' --share krm > said.txt 2>&1\n")
    said = (place.repository / "said.txt").read_text()
    job = ".github/workflows/deploy.yaml"
    assert (
        f"\nnext: cluster/services.yaml:10, {job}:7, {job}:9: where these build services/" in said
    )
    assert f"\nnext: cluster/services.yaml:10, {job}:9: where these build services/" in said


WITHOUT_A_NAME = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
spec:
  deployers: [kpt]
  linker:
    image: registry.internal/krm-fn:0.2.0
"""
FEW = 3
"""So many packages are compared object by object."""

KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {name}\n"


def test_kpt_packages_have_one_configuration_each_or_one_that_a_command_names(
    tmp_path: Path,
) -> None:
    """What kpt has rendered in place judges what the commands make of the one file."""
    kpt = str(require("kpt"))
    place = Place(tmp_path)
    write_kpt_packages(place.repository)
    (place.repository / "shared").mkdir()
    (place.repository / "shared/krm-fn.yaml").write_text(WITHOUT_A_NAME)
    by_one_file: list[dict[str, Any]] = []
    for name in SERVICES[:FEW]:
        settings = ("--config=shared/krm-fn.yaml", f"--helm-release={name}")
        by_one_file += place.render(f"kpt/{name}", *settings)

    place.type_in("krm-fn init 'kpt/*' --linker-image registry.internal/krm-fn:0.2.0 > said.txt\n")
    own = sorted(place.repository.glob("kpt/*/krm-fn.yaml"))
    assert [file.parent.name for file in own] == [*SERVICES]
    for name in SERVICES:
        place.run(kpt, "fn", "render", f"kpt/{name}", "--allow-exec")
    in_place = place.render(*(f"kpt/{name}" for name in SERVICES[:FEW]), "--each")
    assert revisions(in_place)
    assert as_texts(in_place) == as_texts(by_one_file)
    verified = place.type_in("krm-fn verify 'kpt/*' 2>&1 | tail -n 1\n")
    assert verified == "12 packages: 12 verified; protected from pruning by kpt\n"


def as_texts(rendered: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in rendered)


def test_kpt_packages_cannot_share_a_folder(tmp_path: Path) -> None:
    place = Place(tmp_path)
    write_kpt_packages(place.repository)
    said = place.type_in("krm-fn init 'kpt/*' --share krm 2>&1 || true\n")
    reason = (
        "is no kustomization, so it cannot name a folder with a configuration; leave out --share"
    )
    assert said == f"error: kpt/account, kpt/billing, kpt/cart and 9 more: {reason}\n"
    assert not (place.repository / "krm").exists()


def write_kpt_packages(repository: Path) -> None:
    """Write the services as packages of kpt, each in its own namespace."""
    for name in SERVICES:
        package = repository / "kpt" / name
        package.mkdir(parents=True)
        text = (repository / f"services/{name}/base/{name}.yaml").read_text()
        for object_name in (f"{name}-config", name):
            text = text.replace(
                f"metadata: {{name: {object_name}}}\n",
                f"metadata: {{name: {object_name}, namespace: {name}}}\n",
            )
        (package / f"{name}.yaml").write_text(text)
        (package / "Kptfile").write_text(KPTFILE.format(name=name))


def test_a_rendered_branch_leaves_a_service_without_krm_fn_alone(tmp_path: Path) -> None:
    require("kustomize")
    repository = make_repository(tmp_path, ["cart", "email", "tax"], ["prod"])
    page = (ROOT / "docs/how-to/argo-cd-without-a-plugin.md").read_text()
    configure, render, *_ = read_blocks(page)
    shared = configure.replace(
        "--share krm --strategy adopt",
        "--share krm --exclude 'services/tax/*/*' --exclude 'services/email/*/*'",
    )
    assert shared != configure
    blocks = [shared, CONFIGURED_ALONE, render, AS_BEFORE]
    run_blocks(blocks, environment(tmp_path), tmp_path, repository)
