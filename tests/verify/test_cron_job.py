"""The linker's CronJob in a rendering: what verify finds, with and without the configuration."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.tools.verify.verify import VerifyOptions
from tests.cases import FIXTURES
from tests.recorded import output_of
from tests.verify.judge import verify

CASE = FIXTURES / "transforms/a-scheduled-linker-is-a-cronjob-with-the-plan-of-all-waves"
RENDERED = output_of(CASE).decode().partition("functionConfig:")[0]
CRON_JOB = re.compile(r"- apiVersion: batch/v1\n  kind: CronJob\n(  .*\n)+")
IN_POD = "spec.jobTemplate.spec.template.spec"
ALWAYS = [
    (
        '              - "--no-wait"\n',
        "",
        f"{IN_POD}.containers[0].args: lacks --no-wait",
    ),
    (
        'apps/v1/Deployment/api=Secret/api-secret-kmt4b2mkk9"',
        'apps/v1/Deployment/apo=Secret/api-secret-kmt4b2mkk9"',
        f"{IN_POD}.containers[0].args: lacks --workload=apps/v1/Deployment/api=",
    ),
    (
        '              image: "krm-fn:',
        '              image: "krm fn:',
        f"{IN_POD}.containers[0].image: found 'krm fn:",
    ),
    (
        "              - link\n",
        "              - lnk\n",
        f"{IN_POD}.containers[0].args: lacks link; found lnk",
    ),
    (
        "              args:\n",
        "              command: [/bin/true]\n              args:\n",
        f"{IN_POD}.containers[0].command: found a value, expected none",
    ),
]
WITH_CONFIGURATION = [
    (
        'schedule: "17 ',
        'schedule: "18 ',
        "spec.schedule: found '18 * * * *', expected '17 * * * *'",
    ),
    (
        "concurrencyPolicy: Forbid",
        "concurrencyPolicy: Allow",
        "spec.concurrencyPolicy: found 'Allow', expected 'Forbid'",
    ),
    (
        "serviceAccountName: web-linker",
        "serviceAccountName: other",
        f"{IN_POD}.serviceAccountName: found 'other', expected 'web-linker'",
    ),
    (
        "successfulJobsHistoryLimit: 1",
        "successfulJobsHistoryLimit: 9",
        "spec.successfulJobsHistoryLimit: found '9', expected '1'",
    ),
]


@pytest.fixture
def configured(tmp_path: Path) -> VerifyOptions:
    config = yaml.safe_load((CASE / "input.yaml").read_text())["functionConfig"]
    (tmp_path / "krm-fn.yaml").write_text(yaml.safe_dump(config))
    return VerifyOptions(str(tmp_path / "krm-fn.yaml"))


def findings(text: str, options: VerifyOptions) -> list[str]:
    outcome = verify("-", text.encode(), options)
    return [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]


def with_cron_job(old: str, new: str) -> str:
    """Change the CronJob alone."""
    found = CRON_JOB.search(RENDERED)
    assert found is not None
    assert old in found[0]
    return RENDERED.replace(found[0], found[0].replace(old, new, 1))


def test_the_rendering_verifies(configured: VerifyOptions) -> None:
    assert findings(RENDERED, configured) == findings(RENDERED, VerifyOptions()) == []


@pytest.mark.parametrize(("old", "new", "expected"), ALWAYS)
def test_a_mistake_is_found(old: str, new: str, expected: str, configured: VerifyOptions) -> None:
    for options in (configured, VerifyOptions()):
        found = findings(with_cron_job(old, new), options)
        assert any("CronJob/shop/web-linker" in line and expected in line for line in found), found


@pytest.mark.parametrize(("old", "new", "expected"), WITH_CONFIGURATION)
def test_the_configuration_finds(
    old: str, new: str, expected: str, configured: VerifyOptions
) -> None:
    (found,) = findings(with_cron_job(old, new), configured)
    assert "CronJob/shop/web-linker" in found
    assert expected in found


def test_every_field_of_the_cron_job_is_compared(
    configured: VerifyOptions,
) -> None:
    documents = yaml.safe_load(RENDERED)["items"]
    (place,) = (place for place, item in enumerate(documents) if item["kind"] == "CronJob")
    missed = []
    for field in leaves(documents[place]["spec"]):
        items = copy.deepcopy(documents)
        at: Any = items[place]["spec"]
        for step in field[:-1]:
            at = at[step]
        at[field[-1]] = "other"
        envelope = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
        if not findings(json.dumps(envelope), configured):
            missed.append(field)
    assert missed == []


def leaves(value: Any, field: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*field, name))
    else:
        yield field


def test_a_cron_job_that_the_configuration_asks_for_is_missed(configured: VerifyOptions) -> None:
    (found,) = findings(CRON_JOB.sub("", RENDERED), configured)
    assert (
        found
        == "error: CronJob/shop/web-linker: is not in the input: spec.linker.schedule asks for it"
    )
    assert findings(CRON_JOB.sub("", RENDERED), VerifyOptions()) == []


SPREAD = [
    ("49 * * * *", None, "as emitted"),
    ("5 * * * *", None, "where the namespace was set later"),
    ("* * * * *", "spec.schedule: found '* * * * *', expected '49 * * * *'", "each minute"),
    ("5 1 * * *", "spec.schedule: found '5 1 * * *', expected '49 * * * *'", "another hour"),
]


@pytest.mark.parametrize(("found", "expected", "_why"), SPREAD)
def test_an_h_in_the_configuration_may_be_any_minute(
    found: str, expected: str | None, _why: str, configured: VerifyOptions
) -> None:
    assert configured.config is not None
    file = Path(configured.config)
    file.write_text(file.read_text().replace("17 * * * *", "H * * * *"))
    problems = findings(with_cron_job("17 * * * *", found), configured)
    assert [line.partition("linker ")[2] for line in problems] == (
        [] if expected is None else [expected]
    )
