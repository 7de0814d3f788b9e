"""Whether a Secret that keeps its name is said to be refused: judged by a dry run.

Nobody reads its field `immutable`: metadata tell who has set it.
"""

import itertools
import json
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from krm_fn.cli.main import main
from tests.cluster.api import Api
from tests.cluster.manifests import Object
from tests.cluster.test_leaving import APPLIERS, Kubectl

CONFIGURATION = {
    "apiVersion": "revisions.krm-fn.io/v1",
    "kind": "ConfigRevisions",
    "metadata": {"name": "shop"},
    "spec": {"linker": {"enabled": False}},
}
WRITTEN: dict[str, Object] = {
    "unset": {},
    "false": {"immutable": False},
    "true": {"immutable": True},
}


class Case(NamedTuple):
    """What was applied, what is rendered now, and whether somebody has made it immutable between the two."""

    before: str
    after: str
    has_other_key: bool
    is_frozen: bool

    @property
    def name(self) -> str:
        words = [self.before, self.after]
        words += ["other"] * self.has_other_key + ["frozen"] * self.is_frozen
        return "-".join(words)

    def manifest(self, *, is_applied: bool) -> Object:
        data = {"a": "MQ=="}
        if self.has_other_key and not is_applied:
            data["b"] = "Mg=="
        written = WRITTEN[self.before if is_applied else self.after]
        metadata = {
            "name": self.name,
            "annotations": {"revisions.krm-fn.io/strategy": "ignore"},
        }
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "data": data,
            **written,
        }


CASES = [
    Case(before, after, has_other_key, is_frozen)
    for before, after, has_other_key, is_frozen in itertools.product(
        WRITTEN, WRITTEN, (False, True), (False, True)
    )
    if before != "true" or not is_frozen
]


def is_unknown(case: Case) -> bool:
    """Tell whether the deployer has set `immutable`, and the rendering changes it: nothing tells to what it was set.

    What a rendering no longer has is taken for `true`, as nobody has to write `false`.
    """
    changes = {("false", "true"), ("false", "unset"), ("true", "false")}
    is_change = (case.before, case.after) in changes
    return is_change and (not case.is_frozen or case.after == "unset")


@pytest.mark.parametrize("flags", APPLIERS.values(), ids=APPLIERS)
def test_a_secret_is_said_to_be_refused_where_the_api_server_refuses_it(
    namespace: Api, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    kubectl = Kubectl(namespace, tmp_path)
    package = tmp_path / "package"
    package.mkdir()
    (package / "krm-fn.yaml").write_text(yaml.safe_dump(CONFIGURATION))
    before = [case.manifest(is_applied=True) for case in CASES]
    kubectl.apply(yaml.safe_dump_all(before).encode(), flags)
    for case in CASES:
        if case.is_frozen:
            namespace.patch("Secret", case.name, {"immutable": True}, manager="kubectl-patch")
    after = yaml.safe_dump_all([case.manifest(is_applied=False) for case in CASES])
    (package / "secrets.yaml").write_text(after)
    # An edit by hand of a field that the deployer applies is a conflict, not a refusal.
    forced = (*flags, "--force-conflicts") if flags else flags
    refused = {name for _, name in kubectl.find_refused(after.encode(), forced)}
    place = ["--live", f"--kubeconfig={kubectl.config}", f"--namespace={namespace.namespace}"]
    done = main(["diff", "-ojson", *place, str(package)])
    assert done.exit_code == 0, done.stderr
    difference = json.loads(done.stdout)
    changes = [*difference["revisions"], *difference["objects"]]
    said = {one["new"]["name"] for one in changes if one["refusal"]}
    known = {case.name for case in CASES if not is_unknown(case)}
    assert said & known == refused & known
