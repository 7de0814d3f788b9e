"""A role's list of names: present names in their places, others behind them, and everything else as it was."""

import pytest
import yaml

from krm_fn.function import run

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {select: [{}], linker: {enabled: false}}
"""
PACKAGE = """\
{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: shop}, data: {a: b}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get], resourceNames: %s}]
"""
NEW = "web-4h2mbtbbt6"


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        pytest.param("[web]", ["web", NEW], id="the base name stays"),
        pytest.param("[a, web, b]", ["a", "web", "b", NEW], id="a new name goes behind all others"),
        pytest.param("[web, web]", ["web", NEW], id="a second base name gives its place"),
        pytest.param(f"[web, {NEW}]", ["web", NEW], id="a name that is there is not added"),
        pytest.param(
            "[web, {a: b}, [c], null]",
            ["web", {"a": "b"}, ["c"], None, NEW],
            id="what is no name stays in its place",
        ),
    ],
)
def test_a_role_lists(listed: str, expected: list[object]) -> None:
    outcome = run((PACKAGE % listed).encode(), CONFIG)
    role = next(one for one in yaml.safe_load_all(outcome.stdout) if one["kind"] == "Role")
    assert role["rules"][0]["resourceNames"] == expected
