"""What the account of a linker may do, where somebody else applies it, and what verify finds of that."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.base.problem import Outcome
from krm_fn.tools.verify.verify import VerifyOptions
from tests.cases import FIXTURES
from tests.recorded import output_of
from tests.verify.judge import verify

ROOT = Path(__file__).parent.parent.parent
CASE = FIXTURES / "transforms/secrets-have-a-role-beside-an-account-of-ones-own"
EXAMPLE = (ROOT / "examples/linker-rbac/namespace/linker.yaml").read_text()
NOT_CHECKED = "ServiceAccount krm-fn-linker is not in the input: its rights are not checked"
BINDING = "RoleBinding"
LACKS = ": may not do what the linker needs; its Roles lack "


def rendered() -> list[Any]:
    items: list[Any] = yaml.safe_load(output_of(CASE))["items"]
    return items


def account() -> list[Any]:
    """Return the objects of the example, in namespace shop as kustomize writes it."""
    objects = list(yaml.safe_load_all(EXAMPLE.replace("namespace: default", "namespace: shop")))
    for one in objects:
        one["metadata"]["namespace"] = "shop"
    return objects


def check(tmp_path: Path, objects: list[Any], *, is_configured: bool = True) -> Outcome:
    config = yaml.safe_load((CASE / "input.yaml").read_text())["functionConfig"]
    (tmp_path / "krm-fn.yaml").write_text(yaml.safe_dump(config))
    options = VerifyOptions(str(tmp_path / "krm-fn.yaml") if is_configured else None)
    return verify("-", yaml.safe_dump_all(objects).encode(), options)


def test_the_example_has_all_that_the_linker_needs(tmp_path: Path) -> None:
    found = check(tmp_path, [*account(), *rendered()])
    assert found.exit_code == 0, found.stderr
    assert NOT_CHECKED not in found.stderr


def test_an_account_that_somebody_else_applies_is_named(tmp_path: Path) -> None:
    found = check(tmp_path, rendered())
    assert found.exit_code == 0
    assert NOT_CHECKED in found.stderr


def test_without_the_configuration_the_role_says_whose_account_it_is(tmp_path: Path) -> None:
    found = check(tmp_path, rendered(), is_configured=False)
    assert (found.exit_code, found.stderr.partition(":")[0]) == (0, "verified")


def verbs() -> list[Any]:
    """Return each rule of the example, without each of its resources and each of its verbs."""
    cases = []
    rules = next(one for one in account() if one["kind"] == "Role")["rules"]
    for position, rule in enumerate(rules):
        if rule["apiGroups"] == ["argoproj.io"]:
            continue  # the package has no object of it
        for field in ("resources", "verbs"):
            for value in rule[field]:
                cases.append(pytest.param(position, field, value, id=f"{position} {field} {value}"))
    return cases


@pytest.mark.parametrize(("position", "field", "value"), verbs())
def test_each_right_that_is_taken_away_is_missed(
    position: int, field: str, value: str, tmp_path: Path
) -> None:
    objects = account()
    rule = next(one for one in objects if one["kind"] == "Role")["rules"][position]
    rule[field] = [one for one in rule[field] if one != value]
    found = check(tmp_path, [*objects, *rendered()])
    assert found.exit_code == 1
    (line,) = found.stderr.splitlines()
    assert "ServiceAccount/shop/krm-fn-linker" in line
    assert LACKS in line
    assert value in line


WAYS = [
    pytest.param({"resources": ["*"], "verbs": ["*"], "apiGroups": ["*"]}, 0, id="everything"),
    pytest.param(
        {"resources": ["*"], "verbs": ["*"], "apiGroups": ["*"], "resourceNames": ["one"]},
        1,
        id="everything of one name",
    ),
]


@pytest.mark.parametrize(("rule", "code"), WAYS)
def test_a_role_may_say_it_in_another_way(rule: Any, code: int, tmp_path: Path) -> None:
    objects = account()
    next(one for one in objects if one["kind"] == "Role")["rules"] = [rule]
    assert check(tmp_path, [*objects, *rendered()]).exit_code == code


def test_nobody_here_knows_what_a_cluster_role_grants(tmp_path: Path) -> None:
    objects = [one for one in account() if one["kind"] != "Role"]
    objects[-1]["roleRef"] = {**objects[-1]["roleRef"], "kind": "ClusterRole"}
    assert check(tmp_path, [*objects, *rendered()]).exit_code == 0


def test_an_account_without_a_binding_may_do_nothing(tmp_path: Path) -> None:
    objects = [one for one in account() if one["kind"] == "ServiceAccount"]
    (line,) = check(tmp_path, [*objects, *rendered()]).stderr.splitlines()
    assert LACKS in line
    assert line.count("; ") == 11  # and so it lacks the rights on eleven kinds


@pytest.mark.parametrize("kind", ["Role", BINDING])
def test_the_role_for_secrets_and_its_binding_are_missed(kind: str, tmp_path: Path) -> None:
    objects = [one for one in rendered() if one["kind"] != kind]
    found = check(tmp_path, objects)
    assert (
        f"{kind}/shop/web-linker: is not in the input: the Job of the linker needs it"
        in found.stderr
    )
    assert found.exit_code == 1


def test_a_binding_to_another_account_is_found(tmp_path: Path) -> None:
    objects = copy.deepcopy(rendered())
    next(one for one in objects if one["kind"] == BINDING)["subjects"][0]["name"] = "other"
    found = check(tmp_path, objects)
    assert "subjects" in found.stderr
    assert found.exit_code == 1
