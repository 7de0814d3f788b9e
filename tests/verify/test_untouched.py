"""A rendering that nobody has touched has no finding: for each field of the schema, with its configuration and without.

A new field of the schema joins by its example.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base import keys
from krm_fn.base.node import read_path
from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions
from tests.config.test_schema import is_accepted, place_part
from tests.pages.config_page import list_fields
from tests.verify.judge import verify

PACKAGE = (Path(__file__).parent / "untouched.yaml").read_bytes()
BASE: dict[str, Any] = {
    "kinds": ["ConfigMap", "Secret"],
    "linker": {"image": "registry.example/krm-fn:1.0"},
}
BESIDE: dict[str, dict[str, Any]] = {
    "spec.linker.secretsRole": {"linker": {"serviceAccountName": "krm-fn-linker"}},
    "spec.linker.run": {"linker": {"image": None}},
    "spec.select[].namespace": {"hooks": "copy"},
    "spec.mounts[]": {"mounts": [{"name": "web"}]},
    "spec.mounts[].envFrom": {"mounts": [{"prefix": "APP_"}]},
}
"""What such a field needs beside it; None takes a setting away, and of lists the entries are merged."""

OTHERS: dict[str, list[Any]] = {
    "spec.linker.tolerations": [[{"operator": "Exists"}]],
    "spec.linker.resources": [{"requests": {"cpu": 1}}],
    "spec.linker.image": ["registry.example/krm-fn:9.9.9", f"krm-fn@sha256:{'a' * 64}"],
    "spec.linker.kinds": [["example.com/v1/Widget"], ["v1/Pod", "example.com/v1/Other"]],
    "spec.linker.schedule": ["H/15 H * * *", "@daily"],
    "spec.deployers": [["spinnaker"], ["kapp", "helm"], []],
    "spec.strategy": ["checksum", "ignore"],
}
"""Further values: the example of the schema shows one way of several."""


def examples() -> list[Any]:
    rows = []
    for path, field in list_fields():
        for value in (*field["examples"], *OTHERS.get(path, ())):
            if value != field.get("default"):
                rows.append(pytest.param(path, value, id=f"{path}: {value}"))
    return rows


def with_part(path: str, value: Any) -> dict[str, Any]:
    """Return the configuration with one field at this value."""
    *above, last = read_path(path)
    part = next(filter(is_accepted, place_part({last: value}, above)))
    spec = BASE
    for name, beside in BESIDE.items():
        if path == name or path.startswith(f"{name}."):
            spec = merged(spec, beside)
    return {
        "apiVersion": "revisions.krm-fn.io/v1",
        "kind": "ConfigRevisions",
        "metadata": part.get("metadata", {"name": "shop"}),
        "spec": merged(spec, part.get("spec", {})),
    }


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {**one}
    for name, value in other.items():
        before = one.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            both[name] = merged(before, value)
        elif name == "mounts" and before:
            both[name] = [merged(before[0], value[0])]
        else:
            both[name] = value
    return {name: value for name, value in both.items() if value is not None}


def assert_nothing_is_found(config: dict[str, Any], folder: Path) -> None:
    file = folder / "krm-fn.yaml"
    file.write_text(yaml.safe_dump(config))
    outcome = run(PACKAGE, file.read_bytes())
    if config["spec"].get("strict"):  # the package has warnings, so nothing is written
        assert outcome.exit_code == 1
        return
    assert outcome.exit_code == 0, outcome.stderr
    has_revision = f"{keys.SET}:".encode() in outcome.stdout
    for options in (VerifyOptions(), VerifyOptions(str(file))):
        if has_revision or options.config:
            verified = verify("-", outcome.stdout, options)
            lines = [line for line in verified.stderr.splitlines() if "verified: " not in line]
            assert lines == []


@pytest.mark.rows(test=30)
@pytest.mark.parametrize(("path", "value"), examples())
def test_nothing_is_found(path: str, value: Any, tmp_path: Path) -> None:
    config = with_part(path, value)
    assert_nothing_is_found(config, tmp_path)


SHARED = {"linker": {"run": "shared", "image": None}}
OF_A_JOB = "has no effect with run: shared"


@pytest.mark.rows(test=10)
@pytest.mark.parametrize(("path", "value"), examples())
def test_nothing_is_found_of_a_set_that_is_left_to_a_shared_linker(
    path: str, value: Any, tmp_path: Path
) -> None:
    config = with_part(path, value)
    config["spec"] = merged(config["spec"], SHARED)
    if OF_A_JOB in run(PACKAGE, yaml.safe_dump(config).encode()).stderr:
        assert path.startswith("spec.linker.")
    else:
        assert_nothing_is_found(config, tmp_path)


LINKER = {
    "schedule": "H H * * *",
    "timeoutSeconds": 60,
    "minimumAgeSeconds": 5,
    "ttlSecondsAfterFinished": 9,
    "openshift": True,
    "resources": {"limits": {"memory": "1Gi"}},
    "nodeSelector": {"pool": "a"},
    "tolerations": [{"key": "a", "operator": "Exists", "tolerationSeconds": 3}],
    "imagePullSecrets": [{"name": "pull"}],
    "labels": {"team": "a"},
    "annotations": {"example.com/a": "b"},
    "kinds": ["example.com/v1/Widget"],
}


@pytest.mark.parametrize(
    "account",
    [{}, {"serviceAccountName": "own"}, {"serviceAccountName": "own", "secretsRole": True}],
)
@pytest.mark.parametrize("leave", [False, True])
def test_nothing_is_found_where_much_is_set(
    account: dict[str, Any], leave: bool, tmp_path: Path
) -> None:
    config = with_part("spec.linker", {**BASE["linker"], **LINKER, **account})
    config["spec"] |= {"leave": leave, "hooks": "copy", "deployers": ["argocd"]}
    assert_nothing_is_found(config, tmp_path)
