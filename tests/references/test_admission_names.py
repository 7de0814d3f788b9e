"""A policy or webhook that names an object in a rule or an expression keeps that name as it is."""

import json
from typing import Any

import pytest

from krm_fn.function import run

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {linker: {enabled: false}}
"""
PACKAGE = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}, data: {a: b}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {containers: [{name: web, image: web, envFrom: [{configMapRef: {name: web}}]}]}
---
"""
CONFIG_MAPS = {"apiGroups": [""], "resources": ["configmaps"], "operations": ["UPDATE"]}
OWN = "object.metadata.name == 'web'"


def rule(**more: Any) -> dict[str, Any]:
    return {**CONFIG_MAPS, **more}


def policy(kind: str = "ValidatingAdmissionPolicy", **spec: Any) -> dict[str, Any]:
    return of("admissionregistration.k8s.io/v1", kind, spec={"failurePolicy": "Fail", **spec})


def of(version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "guard"}, **fields}


def judged(*rules: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return policy(matchConstraints={"resourceRules": [*rules]}, **spec)


def compared(expression: str, *rules: dict[str, Any]) -> dict[str, Any]:
    condition = {"name": "one", "expression": expression}
    return judged(*(rules or (CONFIG_MAPS,)), matchConditions=[condition])


def webhook(expression: str, **more: Any) -> dict[str, Any]:
    condition = {"name": "one", "expression": expression}
    one = {"name": "a.b.c", "rules": [rule(**more)], "matchConditions": [condition]}
    return of("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", webhooks=[one])


NAMED = [
    pytest.param(
        judged(
            CONFIG_MAPS,
            variables=[{"name": "n", "expression": "object.metadata.name"}],
            validations=[{"expression": "variables.n != 'web'"}],
        ),
        "spec.validations[0].expression",
        id="a variable of the policy that has the name",
    ),
    pytest.param(
        judged(rule(resourceNames=["web"])),
        "spec.matchConstraints.resourceRules[0].resourceNames[0]",
        id="a name in a rule",
    ),
    pytest.param(
        judged(rule(resources=["*"], apiGroups=["*"], resourceNames=["a", "web"])),
        "spec.matchConstraints.resourceRules[0].resourceNames[1]",
        id="a name in a rule about everything",
    ),
    pytest.param(
        policy(matchConstraints={"excludeResourceRules": [rule(resourceNames=["web"])]}),
        "spec.matchConstraints.excludeResourceRules[0].resourceNames[0]",
        id="a name that is left out",
    ),
    pytest.param(
        policy(
            "MutatingAdmissionPolicyBinding",
            matchResources={"resourceRules": [rule(resourceNames=["web"])]},
        ),
        "spec.matchResources.resourceRules[0].resourceNames[0]",
        id="a name in a binding",
    ),
    pytest.param(compared(OWN), "spec.matchConditions[0].expression", id="a condition"),
    pytest.param(
        compared('oldObject.metadata.name != "web"'),
        "spec.matchConditions[0].expression",
        id="another name than this",
    ),
    pytest.param(
        compared("'web' == request.name"),
        "spec.matchConditions[0].expression",
        id="the name of the request, from behind",
    ),
    pytest.param(
        compared("object.metadata.name in ['api', 'web']"),
        "spec.matchConditions[0].expression[1]",
        id="the second of a list",
    ),
    pytest.param(
        judged(CONFIG_MAPS, validations=[{"expression": OWN}]),
        "spec.validations[0].expression",
        id="what is valid",
    ),
    pytest.param(
        judged(CONFIG_MAPS, variables=[{"name": "own", "expression": OWN}]),
        "spec.variables[0].expression",
        id="a variable",
    ),
    pytest.param(
        judged(CONFIG_MAPS, mutations=[{"jsonPatch": {"expression": f"{OWN} ? [] : []"}}]),
        "spec.mutations[0].jsonPatch.expression",
        id="a change",
    ),
    pytest.param(
        of(
            "policies.kyverno.io/v1",
            "MutatingPolicy",
            spec={"targetMatchConstraints": {"resourceRules": [rule(resourceNames=["web"])]}},
        ),
        "spec.targetMatchConstraints.resourceRules[0].resourceNames[0]",
        id="what a policy of Kyverno changes",
    ),
    pytest.param(webhook(OWN), "webhooks[0].matchConditions[0].expression", id="a webhook"),
]
NOT_NAMED = [
    pytest.param(judged(rule(resourceNames=["api"])), id="another name"),
    pytest.param(judged(rule(resources=["pods"], resourceNames=["web"])), id="a rule about pods"),
    pytest.param(judged(rule(apiGroups=["apps"], resourceNames=["web"])), id="another group"),
    pytest.param(judged(rule(resources=["secrets"], resourceNames=["web"])), id="the other kind"),
    pytest.param(compared(OWN, rule(resources=["pods"])), id="a condition about pods"),
    pytest.param(compared("object.metadata.namespace == 'web'"), id="the name of a namespace"),
    pytest.param(compared("object.data.a == 'web'"), id="a text of the content"),
    pytest.param(compared("object.metadata.name == 'web-2'"), id="a longer name"),
    pytest.param(webhook(OWN, resources=["pods"]), id="a webhook about pods"),
]


def what_is_said(one: dict[str, Any], config: bytes = CONFIG) -> str:
    outcome = run((PACKAGE + json.dumps(one)).encode(), config)
    assert outcome.exit_code == 0, outcome.stderr
    return outcome.stderr


@pytest.mark.parametrize(("one", "field"), NAMED)
def test_the_object_is_left_alone(one: dict[str, Any], field: str) -> None:
    assert f"left unchanged: {one['kind']}/guard names it in {field}, and looks in" in what_is_said(
        one
    )


@pytest.mark.parametrize("one", NOT_NAMED)
def test_the_object_is_renamed(one: dict[str, Any]) -> None:
    assert "left unchanged" not in what_is_said(one)


@pytest.mark.parametrize(("one", "field"), NAMED)
def test_a_chosen_object_has_a_warning(one: dict[str, Any], field: str) -> None:
    said = what_is_said(one, CONFIG.replace(b"spec: {", b"spec: {select: [{name: web}], "))
    assert f"{one['kind']}/guard {field}" in said, said
