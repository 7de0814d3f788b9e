"""What producers make, when they may be renamed, and what their names say."""

from typing import Any

import pytest
import yaml

from krm_fn.base.item import Item, read_item
from krm_fn.base.node import is_mapping, is_scalar
from krm_fn.base.producer import PRODUCERS, RENAMABLE, RenamableProducer
from krm_fn.core.references.generated import (
    find_generated,
    hash_of,
    name_meant,
    read_name,
    say_unpinned,
    why_not_renamed,
)
from krm_fn.core.yaml.reader import read_yaml

ES = "external-secrets.io/v1 ExternalSecret"
SEALED = "bitnami.com/v1alpha1 SealedSecret"
VAULT = "secrets.hashicorp.com/v1beta1 VaultStaticSecret"
SOPS = "isindir.github.com/v1alpha3 SopsSecret"
INFISICAL = "secrets.infisical.com/v1alpha1 InfisicalSecret"
WIDE = {"sealedsecrets.bitnami.com/namespace-wide": "true"}


def producer(
    what: str, spec: Any = None, annotations: dict[str, str] | None = None, name: str = "web"
) -> Item:
    api_version, kind = what.split()
    metadata = {"name": name, "annotations": annotations or {}}
    text = yaml.safe_dump(
        {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec or {}}
    )
    (node,) = read_yaml(text.encode()).roots
    assert is_mapping(node)
    return read_item(node)


def revised(what: str, spec: Any, suffix: str = "-h8k5m2t6bd") -> Item:
    return producer(what, spec, {"revisions.krm-fn.io/base-name": "web"}, f"web{suffix}")


MADE = [
    pytest.param(producer(ES), [("Secret", "web", "web")], id="a Secret of its own name"),
    pytest.param(
        producer(ES, {"target": {"name": "db"}}),
        [("Secret", "db", "db")],
        id="a Secret of another name",
    ),
    pytest.param(
        revised(ES, {"target": {"name": "db-h8k5m2t6bd"}}),
        [("Secret", "db-h8k5m2t6bd", "db")],
        id="a Secret with the hash of its maker",
    ),
    pytest.param(
        revised(ES, {"target": {"name": "db-5t7h9k2b4c"}}),
        [("Secret", "db-5t7h9k2b4c", "db-5t7h9k2b4c")],
        id="a Secret whose name only looks hashed",
    ),
    pytest.param(
        producer(SEALED, {"template": {"metadata": {"name": "other"}}}),
        [("Secret", "web", "web")],
        id="the template of a SealedSecret has a name of no effect",
    ),
    pytest.param(
        producer(SOPS, {"secretTemplates": [{"name": "a"}, {"name": "b"}]}),
        [("Secret", "a", "a"), ("Secret", "b", "b")],
        id="several Secrets",
    ),
    pytest.param(producer("example.com/v1 ExternalSecret"), [], id="a kind of another group"),
    pytest.param(
        producer("cert-manager.io/v1 Certificate", {"secretName": "tls"}),
        [],
        id="what is never renamed",
    ),
]


@pytest.mark.parametrize(("item", "expected"), MADE)
def test_what_is_made(item: Item, expected: list[tuple[str, str, str]]) -> None:
    assert [
        (made.kind, made.reference.target, made.base_name) for made in find_generated(item)
    ] == expected


TWO = revised(SOPS, {"secretTemplates": [{"name": "a-h8k5m2t6bd"}, {"name": "b-h8k5m2t6bd"}]})
MEANT = [
    pytest.param(
        TWO, "Secret", "b-h8k5m2t6bd", "b-h8k5m2t6bd", "b-5t7h9k2b4c", id="the second of two"
    ),
    pytest.param(
        TWO, "Secret", "b", "b-h8k5m2t6bd", "b-5t7h9k2b4c", id="the second, by its base name"
    ),
    pytest.param(TWO, "ConfigMap", "b", "web-h8k5m2t6bd", "web-5t7h9k2b4c", id="another kind"),
    pytest.param(TWO, "Secret", "c", "web-h8k5m2t6bd", "web-5t7h9k2b4c", id="another name"),
    pytest.param(TWO, "SopsSecret", "web", "web-h8k5m2t6bd", "web-5t7h9k2b4c", id="the maker"),
]


@pytest.mark.parametrize(("item", "kind", "name", "now", "then"), MEANT)
def test_the_name_that_a_reference_means(
    item: Item, kind: str, name: str, now: str, then: str
) -> None:
    found = read_name(kind, name, item)
    assert is_scalar(found)
    assert found.value == now
    assert name_meant(kind, name, item, {}) == now
    assert name_meant(kind, name, item, {item: "web-5t7h9k2b4c"}) == then


MAY_BE_RENAMED = [
    pytest.param(producer(ES), id="an ExternalSecret without a target"),
    pytest.param(
        producer(ES, {"target": {"creationPolicy": "Owner"}}),
        id="an ExternalSecret that owns its Secret",
    ),
    pytest.param(producer(SEALED, {}, WIDE), id="a SealedSecret of a wide scope"),
    pytest.param(
        producer(VAULT, {"destination": {"name": "a", "create": True}}),
        id="a Secret that Vault's operator creates",
    ),
    pytest.param(
        producer(SOPS, {"secretTemplates": [{"name": "a"}]}),
        id="a SopsSecret whose names are plain",
    ),
    pytest.param(
        producer(INFISICAL, {"managedSecretReference": {"creationPolicy": "Owner"}}),
        id="Infisical's owner",
    ),
]


@pytest.mark.parametrize("item", MAY_BE_RENAMED)
def test_what_may_be_renamed(item: Item) -> None:
    assert why_not_renamed(item) is None


MUST_STAY = [
    *(
        pytest.param(
            producer(ES, {"target": {"creationPolicy": policy}}),
            "spec.target.creationPolicy",
            id=policy,
        )
        for policy in ("Merge", "Orphan", "None", "CreateOrMerge")
    ),
    pytest.param(
        producer(ES, {"target": {"manifest": {"apiVersion": "v1", "kind": "ConfigMap"}}}),
        "spec.target.manifest",
        id="an ExternalSecret that makes something else",
    ),
    pytest.param(
        producer(
            ES,
            {
                "dataFrom": [
                    {"extract": {"key": "a"}},
                    {"sourceRef": {"generatorRef": {"name": "a"}}},
                ]
            },
        ),
        "spec.dataFrom[1].sourceRef.generatorRef",
        id="an ExternalSecret with a generator",
    ),
    pytest.param(producer(SEALED), "metadata.annotations", id="a SealedSecret of the strict scope"),
    pytest.param(
        producer(
            SEALED,
            {
                "template": {
                    "metadata": {"annotations": {"sealedsecrets.bitnami.com/patch": "true"}}
                }
            },
            WIDE,
        ),
        "spec.template.metadata.annotations[sealedsecrets.bitnami.com/patch]",
        id="a SealedSecret that patches",
    ),
    pytest.param(
        producer(VAULT, {"destination": {"name": "a"}}),
        "spec.destination.create",
        id="a Secret that is there",
    ),
    pytest.param(
        producer(SOPS, {"secretTemplates": [{"name": "a"}, {"name": "ENC[AES256_GCM,data:a]"}]}),
        "spec.secretTemplates[1].name",
        id="a SopsSecret whose names are encrypted",
    ),
    pytest.param(
        producer(INFISICAL, {"managedSecretReference": {"secretName": "a"}}),
        "spec.managedSecretReference.creationPolicy",
        id="Infisical owns nothing by default",
    ),
    pytest.param(
        producer("secrets.doppler.com/v1alpha1 DopplerSecret"), "kind", id="Doppler owns nothing"
    ),
]


@pytest.mark.parametrize(("item", "field"), MUST_STAY)
def test_what_must_keep_its_name(item: Item, field: str) -> None:
    unmet = why_not_renamed(item)
    assert unmet is not None
    assert unmet.field == field
    assert unmet.reason


def data(version: str = "") -> list[Any]:
    return [
        {"secretKey": "a", "remoteRef": {"key": "a", **({"version": version} if version else {})}}
    ]


PINNED = [
    pytest.param(producer(ES, {"data": data("7")}), id="every version is pinned"),
    pytest.param(
        producer(ES, {"data": data(), "refreshPolicy": "CreatedOnce"}), id="it is read once"
    ),
    pytest.param(
        producer(ES, {"data": data(), "refreshInterval": "0s"}), id="it is never read again"
    ),
    pytest.param(producer(VAULT, {"version": 7}), id="a version in Vault"),
    pytest.param(
        producer(SEALED, {"encryptedData": {"a": "b"}}), id="the object holds the content"
    ),
]
UNPINNED = [
    pytest.param(
        producer(ES, {"data": [*data("7"), *data()]}),
        "remoteRef.version",
        id="one version is not pinned",
    ),
    pytest.param(
        producer(ES, {"data": data("7"), "dataFrom": [{}]}),
        "CreatedOnce",
        id="dataFrom has no version",
    ),
    pytest.param(producer(ES), "CreatedOnce", id="nothing at all"),
    pytest.param(producer(VAULT, {"version": 0}), "spec.version", id="version 0 is the newest"),
]


@pytest.mark.parametrize("item", PINNED)
def test_what_does_not_change_under_one_name(item: Item) -> None:
    assert say_unpinned(item) == ""


@pytest.mark.parametrize(("item", "remedy"), UNPINNED)
def test_what_may_change_under_one_name(item: Item, remedy: str) -> None:
    assert remedy in say_unpinned(item)


SAME_NAME = [
    pytest.param(
        producer(ES),
        producer("external-secrets.io/v1beta1 ExternalSecret"),
        id="another version of the API",
    ),
    pytest.param(producer(ES), producer(ES, {"refreshInterval": "1h"}), id="how often it is read"),
    pytest.param(producer(ES), producer(ES, name="other"), id="the maker's own name"),
    pytest.param(
        producer(ES, {"target": {"name": "db"}}),
        revised(ES, {"target": {"name": "db-h8k5m2t6bd"}}),
        id="its own output",
    ),
    pytest.param(producer(ES), producer(ES, {"target": None}), id="null is nothing"),
]
OTHER_NAME = [
    pytest.param(
        producer(ES, {"data": data("7")}),
        producer(ES, {"data": data("8")}),
        id="another version in the store",
    ),
    pytest.param(
        producer(ES, {"data": data()}),
        producer(ES, {"data": data(), "dataFrom": [{}]}),
        id="more data",
    ),
    pytest.param(
        producer(ES), producer(ES, {"target": {"name": "db"}}), id="the name of the Secret"
    ),
    pytest.param(
        producer(SEALED, {"encryptedData": {"a": "b"}}),
        producer(SEALED, {"encryptedData": {"a": "c"}}),
        id="a new ciphertext",
    ),
    pytest.param(
        producer(VAULT, {"version": 7}),
        producer(VAULT, {"version": 8}),
        id="another version in Vault",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME_NAME)
def test_what_does_not_change_the_hash(one: Item, other: Item) -> None:
    assert hash_of(one) == hash_of(other)


@pytest.mark.parametrize(("one", "other"), OTHER_NAME)
def test_what_changes_the_hash(one: Item, other: Item) -> None:
    assert hash_of(one) != hash_of(other)


@pytest.mark.parametrize("row", RENAMABLE.values(), ids=lambda row: row.kind)
def test_every_kind_says_where_the_name_is_and_where_that_is_said(row: RenamableProducer) -> None:
    assert any(one.group == row.group and row.kind in one.kinds for one in PRODUCERS)
    assert row.owner
    assert ": " in row.source
    assert bool(row.annotated) == bool(row.unannotated)


def test_no_two_groups_share_a_kind() -> None:
    assert len({kind for _, kind in RENAMABLE}) == len(RENAMABLE)
