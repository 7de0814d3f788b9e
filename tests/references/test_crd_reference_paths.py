"""The function follows every field of 88 published CRDs that names a ConfigMap or Secret, or excludes it with a reason.

The paths come from the schemas of the projects; the data file lists their files and commits.
"""

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from krm_fn.base.problem import ResourceId
from krm_fn.core.references.field_rows import read_exclusions
from krm_fn.core.references.find import find_references
from krm_fn.core.yaml.reader import read_yaml

CRDS = json.loads((Path(__file__).parent.parent / "data" / "crd_reference_paths.json").read_text())[
    "crds"
]

NO_NAMES = {
    "*/oauth2/clientSecret": "the secret itself, in plain text",
    "*/secrets[]/secretType": "what a Secret is used for",
    "*/resourceSpec/secrets[]/secretKey": "a key in the Secret",
    "*/userOperator/secretPrefix": "the beginning of names that the operator makes up",
    "spec/connectionSecretKeys[]": "keys in the Secret",
    "spec/writeConnectionSecretsToNamespace": "a namespace",
    "*/tls[]/secretNamespace": "the namespace of the Secret beside it",
}
"""Text fields that sound like a name but are none."""

WRITTEN = {
    "Certificate spec/secretName",
    "ClusterIssuer spec/acme/privateKeySecretRef/name",
    "CronWorkflow spec/workflowSpec/templateDefaults/memoize/cache/configMap/name",
    "CronWorkflow spec/workflowSpec/templates[]/memoize/cache/configMap/name",
    "FunctionRevision spec/tlsClientSecretName",
    "FunctionRevision spec/tlsServerSecretName",
    "Issuer spec/acme/privateKeySecretRef/name",
    "KafkaConnector spec/listOffsets/toConfigMap/name",
    "KafkaMirrorMaker2 spec/mirrors[]/checkpointConnector/listOffsets/toConfigMap/name",
    "KafkaMirrorMaker2 spec/mirrors[]/sourceConnector/listOffsets/toConfigMap/name",
    "ProviderRevision spec/tlsClientSecretName",
    "ProviderRevision spec/tlsServerSecretName",
    "Workflow spec/templateDefaults/memoize/cache/configMap/name",
    "Workflow spec/templates[]/memoize/cache/configMap/name",
    "WorkflowTemplate spec/templateDefaults/memoize/cache/configMap/name",
    "WorkflowTemplate spec/templates[]/memoize/cache/configMap/name",
}

ENV_FROM = {"configMapRef": {"name": "?ConfigMap"}, "secretRef": {"name": "?Secret"}}
ENV_VALUE = {
    "configMapKeyRef": {"name": "?ConfigMap", "key": "k", "optional": True},
    "secretKeyRef": {"name": "?Secret", "key": "k"},
}
CONTAINER = {
    "name": "app",
    "env": [{"name": "A", "valueFrom": ENV_VALUE}, {"name": "B", "value": "configMap"}],
    "envFrom": [ENV_FROM],
}
VOLUME = {
    "name": "v",
    "configMap": {"name": "?ConfigMap", "items": [{"key": "k", "path": "p"}]},
    "secret": {"secretName": "?Secret"},
    "projected": {
        "sources": [{"configMap": {"name": "?ConfigMap"}, "secret": {"name": "?Secret"}}]
    },
}
CONTENTS: dict[str, Any] = {
    "PODSPEC": {
        "containers": [CONTAINER],
        "initContainers": [CONTAINER],
        "imagePullSecrets": [{"name": "?Secret"}],
        "volumes": [VOLUME],
    },
    "CONTAINER": CONTAINER,
    "VOLUME": VOLUME,
    "ENVVAR": {"name": "A", "valueFrom": ENV_VALUE},
    "ENVFROM": ENV_FROM,
    "KINDNAME": {"kind": "Secret", "name": "?Secret"},
}
"""Content to put at a path, by the type of the path. Each `?Secret` becomes a different name."""


class Shown(NamedTuple):
    """A path of a CRD: how many names were put there, how many are followed, and how many a controller writes."""

    path: str
    names: int
    followed: int
    written: int


@pytest.mark.parametrize(
    "crd", CRDS, ids=lambda crd: f"{crd['group']}/{crd['version']} {crd['kind']} of {crd['file']}"
)
def test_every_path_is_followed_or_excluded_with_a_reason(crd: dict[str, Any]) -> None:
    unexplained = []
    for ref in crd["refs"]:
        shown = show(crd, ref["type"], ref["path"])
        if f"{crd['kind']} {shown.path}" in WRITTEN:
            explained = shown.written == shown.names
        elif is_no_name(ref) or is_listed_as_no_reference(crd, shown.path):
            explained = shown.followed == shown.written == 0
        else:
            explained = shown.followed == shown.names
        if not explained:
            unexplained.append(shown)
    assert unexplained == []


def test_the_data_is_complete() -> None:
    assert (len(CRDS), sum(len(crd["refs"]) for crd in CRDS)) == (88, 2411)


@pytest.mark.parametrize("row", sorted([*NO_NAMES, *WRITTEN]))
def test_every_exclusion_matches_a_path(row: str) -> None:
    shown = [f"{crd['kind']} {ref['path']}" for crd in CRDS for ref in crd["refs"]]
    pattern = row if row in WRITTEN else f"* {row}"
    assert any(matches(path, pattern) for path in shown)


def show(crd: dict[str, Any], kind_of_path: str, path: str) -> Shown:
    """Put names at a path of an otherwise empty object, and find references in it."""
    path = path.partition(" ")[0]
    holder = path.removesuffix("/name").rpartition("/")[2].lower()
    content = CONTENTS.get(kind_of_path, "?ConfigMap" if "configmap" in holder else "?Secret")
    names: list[str] = []
    who = ResourceId(f"{crd['group']}/{crd['version']}", crd["kind"], "", "")
    item = {
        "apiVersion": who.api_version,
        "kind": who.kind,
        **nest(path.split("/"), make_names(content, names)),
    }
    references = find_references(read_yaml(json.dumps(item).encode()).roots[0], who, ()).references
    seen = {
        reference.target: reference
        for reference in references
        if reference.target.startswith(reference.kind)
    }
    written = [seen[name].is_output for name in names if name in seen]
    return Shown(path, len(names), written.count(False), written.count(True))


def make_names(content: Any, names: list[str]) -> Any:
    """Replace each `?Secret` and `?ConfigMap` with a new name that begins with its kind."""
    if isinstance(content, dict):
        return {key: make_names(value, names) for key, value in content.items()}
    if isinstance(content, list):
        return [make_names(value, names) for value in content]
    if isinstance(content, str) and content.startswith("?"):
        names.append(f"{content[1:]}-{len(names)}")
        return names[-1]
    return content


def nest(steps: list[str], content: Any) -> dict[str, Any]:
    """Wrap content in the lists and mappings of a path such as `a[]/b{}/c`."""
    for step in reversed(steps):
        name, marks = re.fullmatch(r"([^\[{]+)((?:\[\]|\{\})*)", step).groups()  # type: ignore[union-attr]  # our own data
        for mark in reversed(re.findall(r"\[\]|\{\}", marks)):
            content = [content] if mark == "[]" else {"anything": content}
        content = {name: content}
    return content  # type: ignore[no-any-return]  # there is at least one step


def is_no_name(ref: dict[str, str]) -> bool:
    return ref["type"] == "STR" and any(matches(ref["path"], pattern) for pattern in NO_NAMES)


def matches(path: str, pattern: str) -> bool:
    return fnmatchcase(path, pattern.replace("[]", "[[]]"))


def is_listed_as_no_reference(crd: dict[str, Any], path: str) -> bool:
    plain = re.sub(r"\[\]|\{\}", "", path).replace("/", ".")
    return any(
        row.group == crd["group"]
        and crd["kind"] in row.kinds
        and fnmatchcase(f"{plain}.", f"{row.path}.*")
        for row in read_exclusions()
    )
