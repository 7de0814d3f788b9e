"""A rendering of an earlier version has no finding: what it lacks is nothing that a linker needs.

Each is the output of that version over one package, with settings of the linker that its Job shows.
"""

from pathlib import Path

import pytest

from krm_fn.tools.verify.verify import VerifyOptions
from tests.verify.judge import verify

RELEASED = sorted((Path(__file__).parent / "released").glob("*.yaml"))


@pytest.mark.parametrize("file", RELEASED, ids=lambda file: file.stem)
@pytest.mark.parametrize("deployers", [(), ("argocd",)])
def test_nothing_is_found(file: Path, deployers: tuple[str, ...]) -> None:
    outcome = verify(str(file), None, VerifyOptions(deployers=deployers))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stderr.startswith(
        "verified: 2 revisions of set shop, 2 references, 1 linker Job"
    )


@pytest.mark.parametrize("file", RELEASED, ids=lambda file: file.stem)
def test_a_change_of_it_is_found(file: Path, tmp_path: Path) -> None:
    text = file.read_text()
    assert text.count("operator: Exists") == 1
    changed = tmp_path / "changed.yaml"
    changed.write_text(text.replace("operator: Exists", "operator: Equal"))
    outcome = verify(str(changed), None, VerifyOptions())
    (line,) = outcome.stderr.splitlines()
    assert "the spec belongs to shop-link-" in line
