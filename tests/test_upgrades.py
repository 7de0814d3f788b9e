"""What version 0.1.0 rendered keeps its names, and nothing restarts, when this version renders it again.

`fixtures/upgrades` contains the inputs of all tests of that version, with what it made of them.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from krm_fn.base import keys
from krm_fn.base.link_plan import read_arguments
from krm_fn.function import run
from tests.cases import ENVIRONMENT, FIXTURES
from tests.properties import Properties

V010 = FIXTURES / "upgrades" / "0.1.0"
CASES = sorted(path.parent for path in V010.glob("*/input.yaml"))

# What 0.1.0 renamed by default, and this version does not: see the warnings.
NO_LONGER_RENAMED = {
    "a-broker-that-lists-its-mounts-follows": ["creds", "web-config"],
    "a-former-namespace-beside-the-name-follows-too": ["creds"],
    "a-job-for-each-namespace-and-sync-wave": ["api-config"],
    "a-kustomize-configuration-file-adds-references": ["web-config"],
    "a-name-in-plain-words-is-warned-about": ["web-config"],
    "a-plain-job-is-warned-about-a-hook-is-not": ["web-config"],
    "a-rule-for-both-kinds-follows-the-one-that-is-renamed": ["creds", "web-config"],
    "flux-values-and-substitutions-follow": ["web-config"],
    "hooks-jobs-and-pods-are-not-waited-for": ["web-config"],
    "jobs-that-are-replaced-anyway-keep-their-names": ["web-config"],
    "no-namespace-is-a-namespace-of-its-own": ["web-config"],
    "prometheus-operator-lists-follow": ["creds", "web-config"],
    "role-names-follow-only-where-the-rule-covers-them": ["web-config"],
    "values-of-a-chart-are-warned-about-but-for-pod-shapes": ["web-config"],
}
# What this version refuses, from the sources, and in place over the output of 0.1.0.
OF_ANOTHER_SET = "error: ConfigMap/other-5t7h9k2b4c: is a revision of set other, but its content has changed"
A_SIDECAR = "error: ConfigRevisions/web spec.linker.labels[sidecar.istio.io/inject]"
A_HOOK = "error: Job/{}hook spec.template.spec.containers[0].envFrom[0].configMapRef.name: is a PreSync hook"
AN_EARLIER_WAVE = (
    "error: Deployment/shop/api spec.template.spec.containers[0].envFrom[0].configMapRef.name: is in sync wave -1"
)
NOTHING_LEFT = "error: ConfigRevisions/second metadata.name (line 51, column 5): ConfigMap/web-config, which it would"
REFUSED_ALWAYS = {
    "names-come-back-to-what-is-no-longer-a-revision": OF_ANOTHER_SET,
    "the-linkers-pod-is-as-configured": A_SIDECAR,
}
REFUSED = {**REFUSED_ALWAYS, "mounts-of-another-set-are-left-alone": NOTHING_LEFT}
REFUSED_IN_PLACE = {
    **REFUSED_ALWAYS,
    "a-job-for-each-namespace-and-sync-wave": AN_EARLIER_WAVE,
    "a-plain-job-is-warned-about-a-hook-is-not": A_HOOK.format(""),
    "hooks-jobs-and-pods-are-not-waited-for": A_HOOK.format("shop/"),
    "jobs-that-are-replaced-anyway-keep-their-names": A_HOOK.format(""),
}


class Release(NamedTuple):
    """The names of revisions by kind, namespace and base name, and all authored objects without their metadata."""

    revisions: dict[tuple[str, str, str], str]
    bodies: list[Any]


def read_release(rendered: bytes) -> Release:
    revisions, bodies = {}, []
    for item in _items(rendered):
        metadata = _mapping(item.get("metadata"))
        annotations, labels = _mapping(metadata.get("annotations")), _mapping(metadata.get("labels"))
        if labels.get(keys.COMPONENT) in (*keys.TRACKERS, keys.LINKER):
            continue
        if keys.BASE_NAME in annotations:
            revisions[item["kind"], metadata.get("namespace", ""), annotations[keys.BASE_NAME]] = metadata["name"]
        # A Role may list the base name as well as the revision's.
        if item["kind"] not in ("Role", "ClusterRole"):
            bodies.append({field: value for field, value in item.items() if field != "metadata"})
    return Release(revisions, bodies)


def _items(rendered: bytes) -> list[Any]:
    """Return the objects. All scalars are text: PyYAML does not know what `=` means."""
    documents = [document for document in yaml.load_all(rendered, Loader=yaml.CBaseLoader) if document]
    return [item for document in documents for item in _opened(document)]


def _opened(item: Any) -> list[Any]:
    """Return the objects of a list, at any depth. Fixtures contain items of any shape; those are no objects."""
    if isinstance(item, dict) and "items" in item:
        return [one for entry in item["items"] or [] for one in _opened(entry)]
    return [item] if isinstance(item, dict) and "kind" in item else []


def _mapping(node: Any) -> dict[str, Any]:
    return node if isinstance(node, dict) else {}


class Upgrade:
    """What version 0.1.0 got, and what it made of it."""

    def __init__(self, case: Path) -> None:
        self.name = case.name
        self.input, self.output = (case / "input.yaml").read_bytes(), (case / "output.yaml").read_bytes()


holds = Properties[Upgrade]()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_properties_hold(case: Path) -> None:
    holds.check(Upgrade(case), of=case.name)


@holds
def from_its_sources_nothing_changes_but_metadata(upgrade: Upgrade) -> None:
    if upgrade.name not in {*REFUSED, *NO_LONGER_RENAMED}:
        outcome = run(upgrade.input, environment=ENVIRONMENT)
        assert outcome.exit_code == 0, outcome.stderr
        assert read_release(outcome.stdout) == read_release(upgrade.output)


@holds
def in_place_nothing_changes_but_metadata(upgrade: Upgrade) -> None:
    """As kpt runs it, so also what is no longer renamed by default keeps the name that it has."""
    if upgrade.name not in REFUSED_IN_PLACE:
        outcome = run(upgrade.output, environment=ENVIRONMENT)
        assert outcome.exit_code == 0, outcome.stderr
        assert read_release(outcome.stdout) == read_release(upgrade.output)


@pytest.mark.parametrize("name", NO_LONGER_RENAMED)
def test_what_is_no_longer_renamed_is_reported_and_nothing_else_changes(name: str) -> None:
    outcome = run((V010 / name / "input.yaml").read_bytes(), environment=ENVIRONMENT)
    before = read_release((V010 / name / "output.yaml").read_bytes()).revisions
    after = read_release(outcome.stdout).revisions
    assert sorted(base for _, _, base in before.keys() - after.keys()) == NO_LONGER_RENAMED[name]
    assert after == {key: before[key] for key in after}
    reported = re.findall(r"^warning: \w+/(?:\w+/)?([\w-]+): left unchanged: ", outcome.stderr, re.MULTILINE)
    assert sorted(reported) == NO_LONGER_RENAMED[name]


@pytest.mark.parametrize("name", [name for name in NO_LONGER_RENAMED if name not in REFUSED_IN_PLACE])
def test_the_annotation_that_the_warning_names_gives_the_old_name_back(name: str) -> None:
    package = yaml.load((V010 / name / "input.yaml").read_bytes(), yaml.CSafeLoader)
    for item in package["items"]:
        if item["metadata"]["name"] in NO_LONGER_RENAMED[name]:
            item["metadata"].setdefault("annotations", {})[keys.STRATEGY] = "rename"
    outcome = run(yaml.safe_dump(package).encode(), environment=ENVIRONMENT)
    before = read_release((V010 / name / "output.yaml").read_bytes()).revisions
    assert read_release(outcome.stdout).revisions == before


@pytest.mark.parametrize(
    ("name", "start", "message"),
    [
        *((name, "input.yaml", message) for name, message in REFUSED.items()),
        *((name, "output.yaml", message) for name, message in REFUSED_IN_PLACE.items()),
    ],
)
def test_what_is_refused_says_why(name: str, start: str, message: str) -> None:
    outcome = run((V010 / name / start).read_bytes(), environment=ENVIRONMENT)
    assert outcome.exit_code == 1
    assert any(line.startswith(message) for line in outcome.stderr.splitlines())


def test_the_linker_reads_the_arguments_of_jobs_of_0_1_0() -> None:
    """An old Job may run a new image, if its tag moves or a platform pins it."""
    jobs = [item for case in CASES for item in _items((case / "output.yaml").read_bytes()) if is_linker_job(item)]
    assert len(jobs) >= 30
    for job in jobs:
        (container,) = job["spec"]["template"]["spec"]["containers"]
        command, *arguments = container["args"]
        assert command == "link"
        assert list(read_arguments(arguments).to_arguments()) == arguments


def is_linker_job(item: Any) -> bool:
    return (
        item["kind"] == "Job"
        and re.search(r"-link-\w{10}$", _mapping(item.get("metadata")).get("name", "")) is not None
    )
