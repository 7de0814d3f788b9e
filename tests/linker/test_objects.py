"""What is kept of live objects, and as what they are read with fewer names to look for."""

import pytest

from krm_fn.linker.objects import Consumer, LiveRevision, Names, Owner
from tests.linker.manifests import A, B, C

OTHER = "api-config-bbbbbbbbbb"
DEPLOYMENT = Owner("apps/v1", "Deployment", "web", "u1")


def consumer(references: set[str], required: set[str]) -> Consumer:
    return Consumer(
        DEPLOYMENT, is_current=True, references=frozenset(references), required=frozenset(required)
    )


@pytest.mark.parametrize(
    ("known", "references", "required"),
    [
        pytest.param({A, B}, {A, B}, {A, B}, id="the same names"),
        pytest.param({A, B, C}, {A, B}, {A, B}, id="more names"),
        pytest.param(
            {A},
            {A},
            {A, B},
            id="a reference less, and all that is required is like a name that is left",
        ),
        pytest.param({A, B, OTHER}, {A, B}, {A, B}, id="a name of another base"),
        pytest.param({OTHER}, set(), set(), id="neither"),
        pytest.param(set(), set(), set(), id="no names at all"),
    ],
)
def test_a_consumer_is_narrowed_to_the_names_that_are_looked_for(
    known: set[str], references: set[str], required: set[str]
) -> None:
    assert consumer({A, B}, {A, B}).narrowed(Names.of(known)) == consumer(references, required)


def test_what_is_required_is_narrowed_where_all_references_stay() -> None:
    assert consumer({A}, {A, OTHER}).narrowed(Names.of({A})) == consumer({A}, {A})


def test_references_are_narrowed_where_all_that_is_required_stays() -> None:
    assert consumer({A, OTHER}, {A}).narrowed(Names.of({A})) == consumer({A}, {A})


@pytest.mark.parametrize(
    ("known", "name", "expected"),
    [
        pytest.param({A}, A, True, id="a known name"),
        pytest.param({A}, B, True, id="another revision of a known base"),
        pytest.param({A}, OTHER, False, id="a revision of another base"),
        pytest.param({A}, "web-config", False, id="the base name itself"),
        pytest.param({"web-config"}, "web-config", True, id="an adopted name"),
        pytest.param({"web-config"}, A, False, id="a revision of a name without a hash"),
        pytest.param({"web-config"}, "other", False, id="a name without a hash that is unknown"),
    ],
)
def test_names_are_like_those_of_the_same_base(
    known: set[str], name: str, *, expected: bool
) -> None:
    assert Names.of(known).are_like(name) is expected


@pytest.mark.parametrize(
    ("api_version", "group"),
    [pytest.param("v1", "", id="core"), pytest.param("apps/v1", "apps", id="apps")],
)
def test_an_owner_has_the_group_of_its_version(api_version: str, group: str) -> None:
    owner = DEPLOYMENT._replace(api_version=api_version)
    assert (owner.group, str(owner)) == (group, "Deployment/web")
    assert owner.reference == {
        "apiVersion": api_version,
        "kind": "Deployment",
        "name": "web",
        "uid": "u1",
    }


@pytest.mark.parametrize(
    ("is_tracker", "stands_for", "kind"),
    [
        pytest.param(False, "", "ConfigMap", id="a revision"),
        pytest.param(True, "", "Secret", id="a tracker of a Secret"),
        pytest.param(True, "ConfigMap", "ConfigMap", id="a tracker of something else"),
        pytest.param(False, "Secret", "ConfigMap", id="an annotation on what is no tracker"),
    ],
)
# A row.
def test_a_revision_has_the_kind_of_what_it_stands_for(
    is_tracker: bool, stands_for: str, kind: str
) -> None:
    revision = LiveRevision("a", "u", "1", 0.0, is_tracker=is_tracker, stands_for=stands_for)
    assert revision.kind == kind
