"""Objects and annotations for tools are removed; every other byte stays."""

import pytest

from krm_fn.base.changes import Changes
from krm_fn.base.problem import Rejected
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.yaml import apply_changes
from krm_fn.tools.render.render import deployable, is_deployable, read_deployable

WEB = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web # the shop\n"
LOCAL = (
    "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: x\n  annotations: "
    "{config.kubernetes.io/local-config: %s}\n"
)
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

STAYS = [
    pytest.param(WEB, id="an object"),
    pytest.param("# head\n---\n# web\n" + WEB + "...\n# tail\n", id="markers and comments"),
    pytest.param(LOCAL % '"false"', id="an object annotated as not local"),
    pytest.param(
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n",
        id="a List",
    ),
    pytest.param(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n",
        id="Flux's Kustomization, which lives in a cluster",
    ),
    pytest.param(
        "apiVersion: kpt.dev/v1alpha1\nkind: ResourceGroup\nmetadata: {name: a}\n",
        id="kpt's inventory",
    ),
    pytest.param(
        HEAD + "data:\n  a: |\n    x: config.kubernetes.io/index\n", id="a name of ours in data"
    ),
    pytest.param(WEB.replace("\n", "\r\n"), id="carriage returns"),
    pytest.param(
        '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}',
        id="JSON without a line break",
    ),
]


@pytest.mark.parametrize("text", STAYS)
def test_unchanged(text: str) -> None:
    assert deployable(text) == text
    assert is_deployable(open_envelope(read_yaml(text.encode())))


GOES = [
    pytest.param(LOCAL % '"true"', id="a local object"),
    pytest.param(LOCAL % "yes", id="a local object, with another value"),
    pytest.param("apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\n", id="a Kptfile"),
    pytest.param(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n", id="a kustomization"
    ),
    pytest.param(
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n", id="a component"
    ),
    pytest.param(
        "metadata: {annotations: {internal.config.kubernetes.io/path: a/kustomization.yaml}}\nresources: []\n",
        id="a kustomization without a kind",
    ),
    pytest.param(
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: a}\n",
        id="our own",
    ),
    pytest.param(
        "apiVersion: fn.kpt.dev/v1alpha1\nkind: SetLabels\nmetadata: {name: a}\n",
        id="another function's",
    ),
    pytest.param(
        HEAD + "  annotations: {config.kubernetes.io/function: 'exec: {path: a}'}\n",
        id="a ConfigMap that configures a function",
    ),
    pytest.param("{apiVersion: kpt.dev/v1, kind: Kptfile}\n", id="a Kptfile in braces"),
]


@pytest.mark.parametrize("text", GOES)
def test_removed_with_its_document(text: str) -> None:
    after = "---\n# after\n" + HEAD
    assert deployable(WEB + "---\n" + text + after) == WEB + after
    assert deployable(text + after) == after
    assert deployable(WEB + "---\n" + text) == WEB
    assert deployable(text) == ""
    assert not is_deployable(open_envelope(read_yaml(text.encode())))


ANNOTATIONS = [
    pytest.param(
        "  annotations:\n    internal.config.kubernetes.io/path: a.yaml\n    config.kubernetes.io/index: '0'\n"
        "    mine: x # stays\n    internal.kpt.dev/upstream-identifier: '|ConfigMap||a'\n",
        "  annotations:\n    mine: x # stays\n",
        id="among others",
    ),
    pytest.param(
        "  annotations:\n    config.k8s.io/id: '1'\n  labels: {a: b}\n",
        "  labels: {a: b}\n",
        id="alone",
    ),
    pytest.param(
        "  annotations: {config.kubernetes.io/path: a, mine: x, kustomize.config.k8s.io/id: b}\n",
        "  annotations: {mine: x}\n",
        id="in braces",
    ),
    pytest.param(
        "  annotations:\n    config.kubernetes.io/local-config: 'false'\n    config.kubernetes.io/origin: x\n",
        "  annotations:\n    config.kubernetes.io/local-config: 'false'\n    config.kubernetes.io/origin: x\n",
        id="not other annotations with the same prefix",
    ),
]


@pytest.mark.parametrize(("before", "after"), ANNOTATIONS)
def test_internal_annotations_are_removed(before: str, after: str) -> None:
    assert deployable(HEAD + before) == HEAD + after


OPENED = [
    pytest.param(
        "kind: ResourceList\napiVersion: config.kubernetes.io/v1\nfunctionConfig: {a: b}\nitems:\n"
        "# of the first\n- apiVersion: v1 # one\n  kind: A\n  data:\n    text: |\n      - x\n\n        y\n"
        "  # its last line\n- # of the second\n  kind: B\n  apiVersion: v1\nresults: []\n",
        "---\n# of the first\napiVersion: v1 # one\nkind: A\ndata:\n  text: |\n    - x\n\n      y\n"
        "---\n# its last line\n# of the second\nkind: B\napiVersion: v1\n",
        id="a ResourceList, always",
    ),
    pytest.param(
        "kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems:\n  -   kind: A\n      apiVersion: v1\n"
        "  -\n    {kind: B,\n     apiVersion: v1}\n",
        "---\nkind: A\napiVersion: v1\n---\n\n{kind: B,\n apiVersion: v1}\n",
        id="whatever its indentation",
    ),
    pytest.param(
        '{"kind":"ResourceList","apiVersion":"config.kubernetes.io/v1","items":[{"kind":"A","apiVersion":"v1"},\n'
        '  {"kind":"B","apiVersion":"v1"}]}',
        '---\n{"kind":"A","apiVersion":"v1"}\n---\n{"kind":"B","apiVersion":"v1"}\n',
        id="JSON",
    ),
    pytest.param(
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {apiVersion: kpt.dev/v1, kind: Kptfile}\n",
        "---\n{apiVersion: v1, kind: A}\n",
        id="a List with one object to remove",
    ),
    pytest.param(
        "kind: List\nitems:\n- kind: BList\n  items:\n  - {apiVersion: v1, kind: B}\n"
        "  - {apiVersion: kpt.dev/v1, kind: C}\n- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: A}]}\n",
        "---\n{apiVersion: v1, kind: B}\n---\n{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: A}]}\n",
        id="a List in a List",
    ),
    pytest.param(
        "kind: List\nitems:\n- {apiVersion: kpt.dev/v1, kind: Kptfile}\n",
        "",
        id="a List with all objects to remove",
    ),
]


@pytest.mark.parametrize(("before", "after"), OPENED)
def test_lists_are_opened(before: str, after: str) -> None:
    assert deployable(before) == after


def test_an_alias_stays_with_its_anchor() -> None:
    item = "- apiVersion: v1\n  kind: A\n  a: &a {b: c}\n  d: *a\n"
    opened = deployable(
        "kind: List\nitems:\n" + item + "- {apiVersion: kpt.dev/v1, kind: Kptfile}\n"
    )
    assert opened == "---\napiVersion: v1\nkind: A\na: &a {b: c}\nd: *a\n"


def test_an_alias_to_another_object_is_refused() -> None:
    items = "- {apiVersion: v1, kind: A, a: &a {b: c}}\n- {apiVersion: v1, kind: B, d: *a}\n"
    stream = "kind: List\nitems:\n" + items + "- {apiVersion: kpt.dev/v1, kind: Kptfile}\n"
    said = "in a List uses a YAML anchor of another object; write the value out"
    with pytest.raises(Rejected, match=said):
        deployable(stream)
    envelope = open_envelope(read_yaml(stream.encode()))
    edited = apply_changes(envelope, Changes())
    with pytest.raises(Rejected, match=said):
        [*read_deployable(envelope, edited)]


def test_a_marker_inside_a_scalar_is_none() -> None:
    text = (
        HEAD
        + "data:\n  a: |\n    ---\n    kind: Kptfile\n    ...\n---\napiVersion: kpt.dev/v1\nkind: Kptfile\n"
    )
    assert deployable(text) == text.partition("---\napi")[0]
