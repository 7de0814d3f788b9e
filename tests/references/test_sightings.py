"""The readers of names judge what one walk has found, and each place is said once."""

from pathlib import Path

import pytest

from krm_fn.core.decide.run import read_package
from krm_fn.core.references.mentions import Mentions
from krm_fn.core.references.references import find_authored
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from tests.cases import TRANSFORMS


@pytest.mark.parametrize("case", TRANSFORMS, ids=lambda case: case.name)
def test_each_sighting_is_in_a_text_that_the_walk_has_found(case: Path) -> None:
    items = open_envelope(read_yaml((case / "input.yaml").read_bytes())).items
    package = read_package(items, None, "")
    index = package.read_index()
    references = find_authored(package.authored, index, (), but=()).references
    mentions = Mentions(package.authored, references, index)
    places = {(hit.item, hit.field) for hits in mentions.search.hits.values() for hit in hits}
    said = [(one.item, one.field, one.target) for one in mentions.sightings]
    assert {(item, field) for item, field, _ in said} <= places
    assert len({*said}) == len(said)
