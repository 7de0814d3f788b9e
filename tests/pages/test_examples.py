"""The examples show what krm-fn renders and emits."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base import keys
from krm_fn.base.kind import CONSUMER_KINDS
from krm_fn.base.link_plan import JobPlan, LinkPlan
from krm_fn.base.settings import LinkerSettings, Settings
from krm_fn.extras.linker_objects import access, cron_job
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import Inputs
from tests.render.run import render

EXAMPLES = Path(__file__).parents[2] / "examples"


def rendered(example: str) -> str:
    files = tuple(str(EXAMPLES / example / name) for name in ("web.yaml", "config.yaml"))
    outcome = render(Inputs(files, str(EXAMPLES / example / "krm-fn.yaml")), HelmOptions())
    assert not outcome.stderr
    return outcome.stdout.decode()


@pytest.mark.parametrize("example", ["from-wave", "from-reloader"])
def test_before_and_after(example: str) -> None:
    (block,) = re.findall(
        r"```text\n(.*?)```", (EXAMPLES / example / "README.md").read_text(), re.DOTALL
    )
    heading, *lines = block.splitlines()
    column = heading.index("# after")
    after = [line[column:].strip() for line in lines]
    assert len(after) > 8
    for line in after:
        assert line in rendered(example)


@pytest.mark.parametrize("example", ["from-wave", "from-reloader"])
def test_names_stay(example: str) -> None:
    for name in ("web-config", "web-db", "feature-flags"):
        assert re.search(f"^  name: {name}( |$)", rendered(example), re.MULTILINE)
    assert "immutable" not in rendered(example)


def test_the_role_for_tenants_is_the_one_that_the_function_emits() -> None:
    """Except for Secrets, whose names change with every rendering."""
    plan = LinkPlan(set="shop", timeout=300, minimum_age=600)
    emitted = access(JobPlan("shop", "", plan, CONSUMER_KINDS, ""), Settings(set="shop"), "shop")
    text = (EXAMPLES / "linker-rbac/namespace/linker.yaml").read_text()
    written = list(yaml.load_all(text.replace("krm-fn-linker", "shop-linker"), yaml.CSafeLoader))
    subject = {"kind": "ServiceAccount", "name": "shop-linker", "namespace": "default"}
    expected = [{**one, "metadata": {"name": "shop-linker"}} for one in emitted]
    expected[-1] |= {"subjects": [subject]}  # kustomize writes the namespace
    assert written == expected


def read_objects(path: str) -> list[Any]:
    return list(yaml.load_all((EXAMPLES / path).read_text(), yaml.CSafeLoader))


def test_the_linker_of_a_namespace_has_the_account_that_tenants_share() -> None:
    of_tenants = read_objects("linker-rbac/namespace/linker.yaml")
    assert read_objects("linker-shared/namespace/account.yaml") == of_tenants


def test_the_linker_of_a_namespace_is_the_cron_job_that_the_function_emits() -> None:
    """Except for its arguments, their time limit, its schedule, and the labels of a set."""
    image = "registry.example/krm-fn:0.2.0"
    plan = LinkPlan(set="krm-fn", timeout=600, minimum_age=600, waits=False)
    linker = LinkerSettings(schedule="17 * * * *", timeout_seconds=600)
    settings = Settings(set="krm-fn", linker=linker)
    expected: Any = cron_job(JobPlan("", "", plan, CONSUMER_KINDS, ""), settings, "shop", image)
    template = expected["spec"]["jobTemplate"]
    pod = template["spec"]["template"]
    for metadata in (expected["metadata"], template["metadata"], pod["metadata"]):
        of_a_package = (keys.SET, keys.MANAGED_BY)
        labels = {
            key: value for key, value in metadata["labels"].items() if key not in of_a_package
        }
        metadata["labels"] = labels
    pod["spec"]["containers"][0]["args"] = ["link", "--all-sets", *plan.to_arguments()[1:-1]]
    assert read_objects("linker-shared/namespace/cron-job.yaml") == [expected]


def test_the_demo_shows_the_linker_as_one_line(tmp_path: Path) -> None:
    program = tmp_path / "krm-fn"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m krm_fn "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "KRM_FN": str(program), "PYTHONPATH": str(EXAMPLES.parent)}
    command = ["sh", str(EXAMPLES / "canary/demo")]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    told = "3 renamed\nThe whole output: .venv/bin/krm-fn render examples/canary\n"
    assert (done.returncode, done.stderr) == (0, told)
    assert re.fullmatch(
        r"\+# the linker, \d{3} lines: ConfigMap, ServiceAccount, Role, RoleBinding, Job", lines[-1]
    )
    assert sum("linker" in line for line in lines) == 1
    assert "+          name: web-config-mffg77kmb5 # the whole of it" in lines
    assert max(map(len, lines)) <= 80
    assert all(line.isprintable() for line in lines)  # no colours in a pipe
