"""`krm-fn diff` of many packages says who reads, in one of them, a name that another one has replaced."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.diff import packages as diff_of_packages
from krm_fn.tools.diff.sides import DIFFERENT, FAILED, LoneRendering, RenderOptions, render_alone
from krm_fn.tools.opened.sources import Inputs
from tests.diff.test_against import CONFIG
from tests.diff.test_packages import compare
from tests.git.repository import commit
from tests.render.run import write
from tests.tools.require import require

Files = dict[str, str | bytes]
CATALOG, UI = "apps/catalog", "apps/ui"
SECRET = {"kind": "Secret"}


def config(
    level: str = "one",
    path: str = CATALOG,
    *,
    kind: str = "ConfigMap",
    namespace: str = "shop",
    more: str = "",
) -> Files:
    """Return an object `catalog-db`; `more` are other fields of its metadata."""
    place = f", namespace: {namespace}" if namespace else ""
    data = "data" if kind == "ConfigMap" else "stringData"
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: catalog-db{place}{more}}}\n{data}: {{A: {level}}}\n"
    return {f"{path}/config.yaml": text}


def pod(
    path: str = UI,
    *,
    kind: str = "ConfigMap",
    namespace: str = "shop",
    more: str = "",
    image: str = "a",
) -> Files:
    """Return a Deployment that reads `catalog-db`."""
    place = f", namespace: {namespace}" if namespace else ""
    field = "configMapRef" if kind == "ConfigMap" else "secretRef"
    source = f"{field}: {{name: catalog-db{more}}}"
    name = path.rpartition("/")[2]
    return {
        f"{path}/web.yaml": f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}{place}}}\n"
        f"spec: {{template: {{spec: {{containers: [{{name: app, image: {image}, envFrom: [{{{source}}}]}}]}}}}}}\n"
    }


def catalog(
    level: str = "one", *, kind: str = "ConfigMap", namespace: str = "shop", more: str = ""
) -> Files:
    """Return a package that renames its object."""
    settings = {
        f"{CATALOG}/krm-fn.yaml": CONFIG.replace("spec: {", "spec: {kinds: [ConfigMap, Secret], ")
    }
    own = pod(CATALOG, kind=kind, namespace=namespace)
    return {**settings, **own, **config(level, kind=kind, namespace=namespace, more=more)}


def external(level: str = "one") -> Files:
    """Return a package that renames what makes its Secret in the cluster."""
    kinds = CONFIG.replace("spec: {", "spec: {kinds: [ConfigMap, ExternalSecret], ")
    text = (
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: source, namespace: shop}\n"
        "spec: {refreshPolicy: CreatedOnce, target: {name: catalog-db, immutable: true}, "
        f"data: [{{secretKey: a, remoteRef: {{key: {level}}}}}]}}\n"
    )
    return {
        f"{CATALOG}/krm-fn.yaml": kinds,
        f"{CATALOG}/config.yaml": text,
        **pod(CATALOG, **SECRET),
    }


def said(done: Outcome) -> list[str]:
    """Return the warnings, without the remark that changes are not committed."""
    lines = re.sub("-[a-z0-9]{10} in", "-HASH in", done.stderr).splitlines()
    return [line for line in lines if "uncommitted changes" not in line]


def change(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: Files,
    after: Files,
    *paths: str,
    code: int = DIFFERENT,
) -> list[str]:
    commit(folder, before)
    write(folder, after)
    done = compare(folder, monkeypatch, *(paths or ("apps/*",)))
    assert done.exit_code == code
    return said(done)


def warning(
    who: str = "Deployment/shop/ui",
    revision: str = "ConfigMap/shop/catalog-db-HASH",
    path: str = UI,
) -> str:
    kind = revision.partition("/")[0]
    field = "configMapRef" if kind == "ConfigMap" else "secretRef"
    return (
        f"warning: {who} spec.template.spec.containers[0].envFrom[0].{field}.name ({path}): found "
        f'"catalog-db", which is the base name of {revision} in apps/catalog; build both packages in one '
        f"kustomization, or annotate the {kind} with revisions.krm-fn.io/strategy: ignore"
    )


UNNAMED = {"namespace": ""}
CERTIFICATE: Files = {
    "apps/db/certificate.yaml": "apiVersion: cert-manager.io/v1\nkind: Certificate\n"
    "metadata: {name: db, namespace: shop}\nspec: {secretName: catalog-db}\n"
}
IGNORED = {"more": ", annotations: {revisions.krm-fn.io/strategy: ignore}"}

NOT_SAID = [
    pytest.param(catalog(), catalog("two"), id="one package alone"),
    pytest.param(
        {**catalog(), **pod(namespace="other")},
        catalog("two"),
        id="the pod is in another namespace",
    ),
    pytest.param(
        {**catalog(), **pod(**UNNAMED)}, catalog("two"), id="only the object has a namespace"
    ),
    pytest.param(
        {**catalog(**UNNAMED), **pod()},
        catalog("two", **UNNAMED),
        id="only the pod has a namespace",
    ),
    pytest.param(
        {**catalog(), **pod(), **config(path=UI)},
        catalog("two"),
        id="the pod's package has the object",
    ),
    pytest.param(
        {**catalog(), **pod(), **config(path="apps/db")},
        catalog("two"),
        id="a third package has it",
    ),
    pytest.param(
        {**catalog(), **pod(), **config(path="apps/db", **UNNAMED)},
        catalog("two"),
        id="a third one, that may be there",
    ),
    pytest.param(
        {**catalog(**SECRET), **pod()},
        catalog("two", **SECRET),
        id="a Secret has the name of a ConfigMap",
    ),
    pytest.param(
        {**catalog(**SECRET), **pod(**SECRET), **CERTIFICATE},
        catalog("two", **SECRET),
        id="a controller writes one for a third package",
    ),
    pytest.param(
        {**catalog(**IGNORED), **pod()}, catalog("two", **IGNORED), id="the object keeps its name"
    ),
    pytest.param({**catalog(), **pod()}, pod(CATALOG, image="b"), id="no revision has changed"),
    pytest.param({**catalog(), **pod()}, pod(image="b"), id="only the pod has changed"),
]


@pytest.mark.parametrize(("before", "after"), NOT_SAID)
def test_nothing_is_said(
    before: Files, after: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert change(tmp_path, monkeypatch, before, after) == []


SAID = [
    pytest.param({**catalog(), **pod()}, catalog("two"), {}, id="the same namespace"),
    pytest.param(
        {**config(), **pod(CATALOG), **pod()}, catalog(), {}, id="the object is renamed from now on"
    ),
    pytest.param(
        {**catalog(), **pod(more=", optional: true")},
        catalog("two"),
        {},
        id="an optional reference",
    ),
    pytest.param(
        {**catalog(), **pod()},
        {**catalog("two"), **pod(image="b")},
        {},
        id="the pod has changed as well",
    ),
    pytest.param(catalog(), {**catalog("two"), **pod()}, {}, id="the pod is new"),
    pytest.param(
        {**catalog(), **pod(), **config(path="apps/db", namespace="other")},
        catalog("two"),
        {},
        id="a third package has the object in another namespace",
    ),
    pytest.param(
        {**catalog(**UNNAMED), **pod(**UNNAMED)},
        catalog("two", **UNNAMED),
        {"who": "Deployment/ui", "revision": "ConfigMap/catalog-db-HASH"},
        id="no namespace on both sides",
    ),
    pytest.param(
        {**catalog(**SECRET), **pod(**SECRET)},
        catalog("two", **SECRET),
        {"revision": "Secret/shop/catalog-db-(hash)"},
        id="a Secret",
    ),
    pytest.param(
        {**external(), **pod(**SECRET)},
        external("two"),
        {"revision": "Secret/shop/catalog-db-(hash)"},
        id="a Secret that a controller writes",
    ),
]


@pytest.mark.parametrize(("before", "after", "differs"), SAID)
def test_the_reader_is_named(
    before: Files,
    after: Files,
    differs: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [
        line
        for line in change(tmp_path, monkeypatch, before, after)
        if "does not exist in" not in line
    ]
    assert [line for line in lines if "does not use krm-fn yet" not in line] == [warning(**differs)]


def test_the_value_of_a_secret_is_not_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {**catalog("first-value", **SECRET), **pod(**SECRET)}
    (line,) = change(tmp_path, monkeypatch, before, catalog("second-value", **SECRET))
    assert "-value" not in line
    assert not re.search("catalog-db-[a-z0-9]", line)


def test_only_packages_that_are_given_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert change(tmp_path, monkeypatch, {**catalog(), **pod()}, catalog("two"), CATALOG) == []


@pytest.mark.needs("kustomize")
def test_what_is_built_in_the_package_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A base that is matched too has the pod, and its overlay the object."""
    monkeypatch.setenv("PATH", f"{require('kustomize').parent}:/usr/bin:/bin")
    built: Files = {f"{CATALOG}/kustomization.yaml": "resources: [../ui, config.yaml, web.yaml]\n"}
    before = {**catalog(), **pod(), f"{UI}/kustomization.yaml": "resources: [web.yaml]\n", **built}
    assert change(tmp_path, monkeypatch, before, catalog("two")) == []


def test_only_packages_with_the_name_in_their_files_are_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    render = render_alone

    def record(inputs: Inputs, options: RenderOptions) -> LoneRendering:
        rendered.extend(inputs.paths)
        return render(inputs, options)

    monkeypatch.setattr(diff_of_packages, "render_alone", record)
    longer = {
        name: str(text).replace("catalog-db", "catalog-db-2")
        for name, text in pod("apps/longer").items()
    }
    by_base: Files = {
        "apps/over/kustomization.yaml": "resources: [../../base]\n",
        "base/kustomization.yaml": "resources: []\n# catalog-db\n",
    }
    before = {
        **catalog(),
        **pod(),
        **config(path="apps/broken"),
        **longer,
        **by_base,
        "apps/none/a.yaml": "a: b\n",
    }
    before["apps/broken/web.yaml"] = "a: [\n"
    assert change(tmp_path, monkeypatch, before, pod(CATALOG, image="b")) == []
    assert rendered == []
    write(tmp_path, catalog("two"))
    assert said(compare(tmp_path, monkeypatch, "apps/*")) == [warning()]
    assert sorted(rendered) == ["apps/broken", "apps/over", UI]


def test_a_package_that_fails_hides_no_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {**catalog(), **pod(), **config(path="apps/db")}
    lines = change(
        tmp_path,
        monkeypatch,
        before,
        {**catalog("two"), "apps/db/config.yaml": "a: [\n"},
        code=FAILED,
    )
    assert warning() in lines


def of_set(name: str, path: str, level: str = "one", namespace: str = "shop") -> Files:
    """Return a package with a set of its own, whose pod reads its own `catalog-db`."""
    own = {**config(level, path, namespace=namespace), **pod(path, namespace=namespace)}
    return {f"{path}/krm-fn.yaml": CONFIG.replace("name: shop", f"name: {name}"), **own}


ONE_OBJECT = [
    pytest.param(of_set("two", UI, "new"), 1, id="one base name and one content"),
    pytest.param(of_set("two", UI, "other"), 0, id="other content"),
    pytest.param(of_set("two", UI, "new", "other"), 0, id="another namespace"),
    pytest.param(of_set("one", UI, "new"), 0, id="one set"),
]


@pytest.mark.parametrize(("other", "count"), ONE_OBJECT)
def test_two_packages_whose_revisions_are_one_object_are_named(
    other: Files, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {**of_set("one", CATALOG), **of_set("two", UI)}
    lines = change(tmp_path, monkeypatch, before, of_set("one", CATALOG, "new") | other)
    message = (
        "is in apps/catalog too, of set one there and of set two here: in one cluster, both deployers write its "
        "labels by turns; make what both build a package of its own, or give one of them another base name"
    )
    assert sum(message in line for line in lines) == count, lines


@pytest.mark.needs("kustomize")
def test_environments_of_one_application_are_no_two_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{require('kustomize').parent}:{os.environ['PATH']}")
    before = {**pod("base"), **config(path="base")}
    before["base/kustomization.yaml"] = "resources: [web.yaml, config.yaml]\n"
    for name in ("dev", "prod"):
        before[f"apps/{name}/kustomization.yaml"] = "resources: [../../base]\n"
        before[f"apps/{name}/krm-fn.yaml"] = CONFIG.replace("name: shop", f"name: {name}")
    assert change(tmp_path, monkeypatch, before, config("two", "base")) == []
