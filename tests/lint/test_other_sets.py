"""A configuration that meets revisions of another set, which it would have chosen."""

import pytest

from krm_fn.function import run

PACKAGE = """apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {A: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
data: {B: b}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: a}}, {configMapRef: {name: b}}]}]}}}
"""
OWN = """---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, annotations: {revisions.krm-fn.io/strategy: rename}}
data: {C: c}
"""


def of(name: str, spec: str = "") -> bytes:
    linker = "linker: {enabled: false}"
    return (
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\n"
        f"metadata:\n  name: {name}\nspec: {{{', '.join(filter(None, [spec, linker]))}}}\n"
    ).encode()


BASE = run(PACKAGE.encode(), of("base")).stdout
BOTH = "2 objects that it would choose, such as ConfigMap/a, are already of set base, so set prod {}; remove the "
BOTH += (
    "transformer of set base, set spec.takeOver: [base] if set prod replaces it, or "
    "exclude them if both sets stay\n"
)
AT = "ConfigRevisions/prod metadata.name (line 4, column 3): "


def test_nothing_is_left_to_an_overlay_or_after_the_set_got_another_name_in_place() -> None:
    outcome = run(BASE, of("prod"))
    assert (outcome.stdout, outcome.stderr) == (b"", f"error: {AT}{BOTH.format('changes nothing')}")


def test_something_is_left() -> None:
    outcome = run(BASE + OWN.encode(), of("prod"))
    assert (outcome.stderr, outcome.exit_code) == (
        f"warning: {AT}{BOTH.format('leaves them alone')}",
        0,
    )
    assert outcome.summary == "1 renamed, 2 of another set (krm-fn explain PATH says why)\n"


SHARED = [
    pytest.param("select: [{name: c}]", id="each selects its own"),
    pytest.param(
        "exclude: [{labels: {revisions.krm-fn.io/set: base}}]", id="the other set is excluded"
    ),
    pytest.param("takeOver: [base]", id="the other set is taken over"),
    pytest.param("strategy: ignore", id="nothing is to be chosen"),
    pytest.param("kinds: [Secret], select: [{namespace: none}]", id="another kind"),
]


@pytest.mark.parametrize("spec", SHARED)
def test_sets_that_share_a_package_on_purpose(spec: str) -> None:
    outcome = run(BASE + OWN.encode(), of("prod", spec))
    assert "of set base" not in outcome.stderr
    assert outcome.exit_code == 0


def test_without_a_configuration_nothing_was_ignored() -> None:
    assert run(BASE).stderr == ""
