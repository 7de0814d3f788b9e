"""Objects that make a Secret in the cluster: which a deployer deletes, and with them the Secret, under running pods.

The judge reads both renderings with PyYAML, and knows two things of its own: in which field a kind says the name of its
Secret, and which annotation stops a deployer. What has another name, or is gone, is deleted unless its old object has
that annotation. `krm-fn diff` has to say it, and so has `krm-fn render --check`.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from krm_fn.cli.main import main
from tests.render.run import write

STRATEGY = "revisions.krm-fn.io/strategy"

Object = dict[str, Any]


class Maker(NamedTuple):
    """A kind, with a spec in which the names of what it makes are `NAME`, and the field of such a name."""

    api_version: str
    kind: str
    spec: str
    field: str = "metadata.name"


MAKERS = (
    Maker("external-secrets.io/v1", "ExternalSecret", "spec: {data: [{secretKey: a, remoteRef: {key: b}}]}"),
    Maker("bitnami.com/v1alpha1", "SealedSecret", "spec: {encryptedData: {a: b}}"),
    Maker(
        "secrets.hashicorp.com/v1beta1",
        "VaultStaticSecret",
        "spec: {type: kv-v2, mount: kv, path: web, destination: {name: NAME, create: true}}",
        "spec.destination.name",
    ),
    Maker(
        "isindir.github.com/v1alpha3",
        "SopsSecret",
        "spec: {secretTemplates: [{name: NAME, stringData: {a: b}}]}",
        "spec.secretTemplates.0.name",
    ),
    Maker(
        "secrets-store.csi.x-k8s.io/v1",
        "SecretProviderClass",
        "spec: {provider: aws, secretObjects: [{secretName: NAME, type: Opaque, data: [{key: a, objectName: b}]}]}",
        "spec.secretObjects.0.secretName",
    ),
    Maker("onepassword.com/v1", "OnePasswordItem", "spec: {itemPath: vaults/a/items/b}"),
    Maker("k8s.bitwarden.com/v1", "BitwardenSecret", "spec: {secretName: NAME}", "spec.secretName"),
    Maker(
        "secrets.infisical.com/v1alpha1",
        "InfisicalSecret",
        "spec: {managedSecretReference: {secretName: NAME, secretNamespace: shop, creationPolicy: Owner}}",
        "spec.managedSecretReference.secretName",
    ),
    Maker("ricoberger.de/v1alpha1", "VaultSecret", "spec: {path: kv/web, type: Opaque}"),
    Maker(
        "spv.no/v2beta1",
        "AzureKeyVaultSecret",
        "spec: {vault: {name: a, object: {name: b, type: secret}}, output: {secret: {name: NAME, dataKey: a}}}",
        "spec.output.secret.name",
    ),
)  # fmt: skip

KEEPERS = {
    "argocd": ("argocd.argoproj.io/sync-options", "Prune=false"),
    "flux": ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
    "helm": ("helm.sh/resource-policy", "keep"),
    "kpt": ("client.lifecycle.config.k8s.io/deletion", "detach"),
    "kapp": ("kapp.k14s.io/delete-strategy", "orphan"),
    "kluctl": ("kluctl.io/skip-delete", "true"),
}


def makers(strategy: str = "") -> str:
    """Return an object of each kind. `strategy`: what it is annotated with."""
    annotations = {
        "sealedsecrets.bitnami.com/namespace-wide": "true",
        **({STRATEGY: strategy} if strategy else {}),
    }
    return "".join(
        f"---\napiVersion: {one.api_version}\nkind: {one.kind}\n"
        f"metadata: {{name: {_name(one)}, namespace: shop, annotations: {json.dumps(annotations)}}}\n"
        f"{one.spec.replace('NAME', _name(one))}\n"
        for one in MAKERS
    )


def _name(maker: Maker) -> str:
    return f"of-{maker.kind.lower()}"


READERS = "".join(
    f"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: reads-{one.kind.lower()}, namespace: shop}}\n"
    "spec: {template: {spec: {containers: [{name: app, image: a, "
    f"envFrom: [{{secretRef: {{name: {_name(one)}}}}}]}}]}}}}}}\n"
    for one in MAKERS
)
NO_READERS = READERS.replace("envFrom", "ports").replace(
    "secretRef: ", "name: web, containerPort: "
)


def settings(deployer: str, *kinds: str) -> str:
    return (
        "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
        f"spec: {{kinds: [ConfigMap, {', '.join(kinds)}], deployers: [{deployer}], "
        "linker: {image: registry.example/krm-fn:1}}\n"
    )


ALL = tuple(one.kind for one in MAKERS)
RISKS = ("prune", "missing")


class State(NamedTuple):
    """A package at one time. `kinds`: those in spec.kinds besides ConfigMap. `deployer`: the only one then."""

    objects: str
    kinds: tuple[str, ...] = ()
    deployer: str = ""

    def files(self, deployer: str) -> dict[str, str | bytes]:
        configuration = settings(self.deployer or deployer, *self.kinds)
        return {"krm-fn.yaml": configuration, "all.yaml": self.objects}


PLAIN = State(makers() + READERS)
ADOPTED = State(makers(strategy="adopt") + READERS, ALL)
UNPROTECTED = ADOPTED._replace(deployer="spinnaker")
RENAMED = State(makers() + READERS, ALL)
EDITED = State(makers().replace("{a: b", "{c: d") + READERS, ALL)
GONE = State(READERS)
NOTHING = State("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: shop}\n")
UNREAD = State(makers() + NO_READERS)
UNREAD_RENAMED = State(makers(strategy="rename") + NO_READERS, ALL)

STEPS = [
    pytest.param(PLAIN, RENAMED, "prune", id="renamed at once"),
    pytest.param(PLAIN, ADOPTED, "", id="adopted"),
    pytest.param(ADOPTED, RENAMED, "", id="renamed after that"),
    pytest.param(
        UNPROTECTED, RENAMED, "prune", id="renamed when adopted for one that prunes nothing"
    ),
    pytest.param(RENAMED, EDITED, "", id="another spec"),
    pytest.param(RENAMED, PLAIN, "", id="the base name is back"),
    pytest.param(PLAIN, GONE, "missing", id="removed, and still read"),
    pytest.param(RENAMED, GONE, "missing", id="removed, and read by its base name, which it lacks"),
    pytest.param(ADOPTED, GONE, "", id="removed, and kept under its name"),
    pytest.param(PLAIN, NOTHING, "", id="removed with its readers"),
    pytest.param(UNREAD, UNREAD_RENAMED, "", id="renamed, and no pod reads it"),
]


def read_all(rendering: bytes) -> list[Object]:
    return [one for one in yaml.safe_load_all(rendering) if one]


def made_by(maker: Maker, objects: list[Object]) -> dict[str, Object]:
    """Return the objects of a kind by the names of their Secrets."""
    found: dict[str, Object] = {}
    for one in objects:
        if one["kind"] == maker.kind:
            value: Any = one
            for name in maker.field.split("."):
                value = value[int(name) if name.isdecimal() else name]
            found[value] = one
    return found


def read_by(objects: list[Object]) -> dict[str, set[str]]:
    """Return the Secrets that the pods of each workload read."""
    found: dict[str, set[str]] = {}
    for one in objects:
        if one["kind"] == "Deployment":
            (container,) = one["spec"]["template"]["spec"]["containers"]
            sources = container.get("envFrom", [])
            found[f"Deployment/{one['metadata']['name']}"] = {
                source["secretRef"]["name"] for source in sources
            }
    return found


def is_kept(one: Object, deployer: str) -> bool:
    name, value = KEEPERS[deployer]
    return value in one["metadata"].get("annotations", {}).get(name, "").split(",")


def judge(old: list[Object], new: list[Object], deployer: str) -> dict[str, set[str]]:
    """Return which kinds run into which risk, and the workloads whose new pods do not start."""
    found: dict[str, set[str]] = {"prune": set(), "missing": set(), "waiting": set()}
    for maker in MAKERS:
        before, after = made_by(maker, old), made_by(maker, new)
        kept = {name for name, one in before.items() if is_kept(one, deployer)}
        lost = before.keys() - after.keys() - kept
        if after and any(lost & names for names in read_by(old).values()):
            found["prune"].add(maker.kind)
        names_of_it = {*before, _name(maker)} if before else set()
        for who, names in read_by(new).items():
            if names & names_of_it - after.keys() - kept:
                found["missing"].add(maker.kind)
                found["waiting"].add(who)
    return found


@pytest.mark.rows(test=12)
@pytest.mark.parametrize("deployer", KEEPERS)
@pytest.mark.parametrize(("before", "after", "risk"), STEPS)
def test_both_commands_say_what_is_lost_with_its_maker(  # noqa: PLR0913, PLR0917  # a table's columns and two fixtures
    before: State,
    after: State,
    risk: str,
    deployer: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, state in (("before", before), ("after", after)):
        write(tmp_path / name, state.files(deployer))
        write(tmp_path, {f"{name}.yaml": main(["render", name]).stdout})
    old, new = (read_all(Path(f"{name}.yaml").read_bytes()) for name in ("before", "after"))
    judged = judge(old, new, deployer)
    risks = [risk] if risk else []
    assert {name: judged[name] for name in RISKS if judged[name]} == {
        name: {*ALL} for name in risks
    }

    done = main(["diff", "-ojson", "--fail-on=prune,missing", "before.yaml", "after.yaml"])
    said = json.loads(done.stdout)
    changes = said["revisions"] + said["objects"]
    of_makers = [one for one in changes if one["kind"] in ALL]
    assert {one["kind"] for one in of_makers if one["hazards"] == [deployer]} == judged["prune"]
    assert {one["kind"] for one in of_makers if one["missing"]} == judged["missing"]
    assert {who for one in changes for who in one["missing"]} == judged["waiting"]
    assert done.exit_code == (4 if risk else 0)
    assert [name for name in RISKS if f"--fail-on {name}: " in done.stderr] == risks

    checked = main(["render", "--check", "--deployed", "before.yaml", "after"]).stderr
    for name, words in (("prune", "would prune it"), ("missing", "is no longer rendered")):
        lines = [line for line in checked.splitlines() if words in line]
        kinds = {line.removeprefix("error: ").partition("/")[0] for line in lines}
        # Whoever reads a dump does not know all readers.
        assert kinds == ({*ALL} if after is UNREAD_RENAMED and name == "prune" else judged[name])


def test_the_hint_that_names_a_kind_leads_there_without_a_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both edits that it asks for are one commit, and the next one takes the annotation away."""
    monkeypatch.chdir(tmp_path)
    maker, reader = (text.split("---\n")[1] for text in (makers(), READERS))
    write(tmp_path / "before", State(f"{maker}---\n{reader}").files("argocd"))
    hint = main(["render", "before"]).summary
    found = re.search(r"add (\S+) to spec.kinds .* with the annotation (\S+): (\S+)$", hint)
    assert found is not None, hint
    kind, annotation, strategy = found.groups()
    annotated = maker.replace("annotations: {", f"annotations: {{{annotation}: {strategy}, ")
    for name, one in (("adopted", annotated), ("renamed", maker)):
        write(tmp_path / name, State(f"{one}---\n{reader}", (kind,)).files("argocd"))
    steps = {("before", "adopted"): 0, ("adopted", "renamed"): 0, ("before", "renamed"): 4}
    for step, exit_code in steps.items():
        assert main(["diff", "--fail-on=prune,missing", *step]).exit_code == exit_code, step
