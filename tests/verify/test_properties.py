"""Everything that the function makes verifies, and every single mistake in it is found."""

from pathlib import Path

import pytest

from krm_fn.render.deployable import deployable
from krm_fn.render.render import render
from krm_fn.render.sources import Inputs
from krm_fn.render.tools import HelmOptions
from krm_fn.verify.rendering import Rendering, read_rendering
from krm_fn.verify.verify import Options, verify
from krm_fn.wire.apply import plan_splices
from krm_fn.wire.envelope import Envelope, open_envelope
from krm_fn.wire.reader import read_yaml
from krm_fn.wire.splice import apply_splices
from tests.cases import MIGRATION_STEPS, TRANSFORMS
from tests.verify.mutations import MUTATIONS, Mutate, protecting

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

INCONSISTENT = {
    "a-configuration-in-a-subpackage-is-for-its-own-run": "a configuration of a later version",
    "a-config-map-twice-with-one-content-is-warned-about": "a revision that the author has written twice",
    "another-sets-linker-is-left-alone": "the linker of a set without revisions",
    "linkers-of-other-sets-that-nobody-renders-are-warned-about": "linkers of sets without revisions",
    "names-come-back-to-what-is-no-longer-a-revision": "a former revision that nothing chooses, with a wrong name",
}
"""Transforms whose input is inconsistent in a way that the function leaves alone, and how."""

OUTPUTS = {
    f"{case.parent.name}/{case.name}": (case / "output.yaml").read_bytes()
    for case in (*TRANSFORMS, *MIGRATION_STEPS)
    if case.name not in INCONSISTENT
}


def read(data: bytes) -> tuple[Envelope, Rendering]:
    envelope = open_envelope(read_yaml(data))
    return envelope, read_rendering(envelope.items, {}, None, "")


REVISED = {name: data for name, data in OUTPUTS.items() if read(data)[1].sets}
every_output = pytest.mark.parametrize("name", OUTPUTS)


@every_output
def test_what_the_function_makes_verifies_with_its_configuration(name: str) -> None:
    outcome = verify("-", OUTPUTS[name], Options())
    if name in REVISED:
        assert outcome.exit_code == 0, outcome.stderr
    else:
        assert outcome.stderr.startswith(("verified: 0 revisions", "error: no revision of any set: "))


@pytest.mark.parametrize("name", REVISED)
def test_what_is_deployed_of_it_verifies_without_a_configuration(name: str) -> None:
    outcome = verify("-", deployable(REVISED[name].decode("utf-8-sig")).encode(), Options())
    assert outcome.exit_code == 0, outcome.stderr


@pytest.mark.parametrize("name", ["canary", "from-reloader", "from-wave"])
@pytest.mark.parametrize("with_config", [True, False])
def test_a_rendering_of_an_example_verifies(name: str, with_config: bool) -> None:
    folder = EXAMPLES / name
    manifests = tuple(str(file) for file in folder.glob("*.yaml") if file.stem not in ("krm-fn", "kustomization"))
    config = str(folder / "krm-fn.yaml")
    rendered = render(Inputs(manifests, config), HelmOptions()).stdout
    outcome = verify("-", rendered, Options(config if with_config else None))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stderr.startswith("verified: ")


def test_most_outputs_have_revisions() -> None:
    assert len(REVISED) > 150


@pytest.mark.parametrize("mutate", MUTATIONS)
def test_every_single_mistake_is_found(mutate: Mutate) -> None:
    tried = 0
    for name, data in REVISED.items():
        stream = deployable(data.decode("utf-8-sig"))
        envelope, rendering = read(stream.encode())
        options = Options(deployers=protecting(rendering))
        assert verify("-", stream.encode(), options).exit_code == 0, name
        for changes in mutate(rendering):
            mistake = apply_splices(envelope.document.text, plan_splices(envelope, changes)).encode()
            outcome = verify("-", mistake, options)
            assert outcome.exit_code == 1, f"{name}: {outcome.stderr}\n{mistake.decode()}"
            tried += 1
    assert tried > 50
