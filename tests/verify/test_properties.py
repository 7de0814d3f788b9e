"""Everything that the function makes verifies, and every single mistake in it is found."""

from pathlib import Path

import pytest

from krm_fn.core.names.names import hash_in_name
from krm_fn.core.yaml.envelope import Envelope, open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.core.yaml.splice import apply_splices
from krm_fn.core.yaml.yaml import plan_splices
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import Inputs
from krm_fn.tools.render.render import deployable
from krm_fn.tools.verify.rendering import Rendering, read_rendering
from krm_fn.tools.verify.verify import VerifyOptions
from tests.cases import MIGRATION_STEPS, TRANSFORMS
from tests.properties import Properties
from tests.recorded import output_of
from tests.render.run import render
from tests.verify.judge import assert_nothing_is_found, verify
from tests.verify.mutations import MUTATIONS, protecting
from tests.volume import one_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

INCONSISTENT = {
    "a-configuration-in-a-subpackage-is-for-its-own-run": "a configuration of a later version",
    "a-key-that-the-package-does-not-have-is-warned-about": "pods that want a key of a revision that it does not have",
    "a-name-like-a-revision-of-a-kind-that-is-not-handled-is-warned-about": "a revision that is not there",
    "what-the-inventory-lists-and-the-package-lacks-is-warned-about": "a revision that is not there",
    "another-sets-linker-is-left-alone": "the linker of a set without revisions",
    "linkers-of-other-sets-that-nobody-renders-are-warned-about": "linkers of sets without revisions",
    "unknown-fields-pass-through": "a revision with a finalizer",
    "names-come-back-to-what-is-no-longer-a-revision": "a former revision that nothing chooses, with a wrong name",
}
"""Transforms whose input is inconsistent in a way that the function leaves alone, and how."""

OUTPUTS = [case for case in (*TRANSFORMS, *MIGRATION_STEPS) if case.name not in INCONSISTENT]


def read(data: bytes) -> tuple[Envelope, Rendering]:
    envelope = open_envelope(read_yaml(data))
    return envelope, read_rendering(envelope.items, {}, None, "")


def find_hashes_of_secrets(rendering: Rendering) -> set[str]:
    secrets = [one.item for one in rendering.revisions.rendered if one.item.id.kind == "Secret"]
    return {*filter(None, map(hash_in_name, secrets))}


class Output:
    """What the function has made of a package, and what is deployed of it."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        envelope, rendering = read(data)
        self.has_revisions = bool(rendering.sets)
        self.is_configured = envelope.function_config is not None
        self.deployed = deployable(data.decode("utf-8-sig")).encode()


holds = Properties[Output]()


@pytest.mark.rows(test=12)
@pytest.mark.volume
@pytest.mark.parametrize("case", OUTPUTS, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_all_properties_hold(case: Path) -> None:
    holds.check(Output(case.name, output_of(case)), of=case.name)


@holds
def what_the_function_makes_verifies_with_its_configuration(output: Output) -> None:
    outcome = verify("-", output.data, VerifyOptions())
    if output.is_configured or output.has_revisions:
        assert outcome.exit_code == 0, outcome.stderr
    else:
        assert_nothing_is_found(output.data, None)


@holds
def what_is_deployed_of_it_verifies_without_a_configuration(output: Output) -> None:
    if output.has_revisions:
        outcome = verify("-", output.deployed, VerifyOptions())
        assert outcome.exit_code == 0, outcome.stderr


@holds
def every_single_mistake_is_found(output: Output) -> None:
    if not output.has_revisions:
        return
    envelope, rendering = read(output.deployed)
    # Without a linker, what has lost all its revisions may show no trace of krm-fn: --set asks for them.
    unlinked = [one.name for one in rendering.sets.values() if one.revisions and not one.emitted]
    options = VerifyOptions(deployers=protecting(rendering), sets=tuple(unlinked))
    assert verify("-", output.deployed, options).exit_code == 0
    for mutate in MUTATIONS:
        for changes in one_of([*mutate(rendering)], output.name):
            mistake = apply_splices(
                envelope.document.text, plan_splices(envelope, changes)
            ).encode()
            outcome = verify("-", mistake, options)
            assert outcome.exit_code == 1, (
                f"{mutate.__name__}: {outcome.stderr}\n{mistake.decode()}"
            )


def test_every_mistake_is_made_in_many_outputs() -> None:
    """The properties of `krm-fn diff` need them too, and some with Secrets."""
    renderings = [read(output_of(case))[1] for case in OUTPUTS]
    revised = [rendering for rendering in renderings if rendering.sets]
    assert len(revised) > 150
    assert sum(bool(find_hashes_of_secrets(rendering)) for rendering in revised) > 10
    for mutate in MUTATIONS:
        assert sum(1 for rendering in revised for _ in mutate(rendering)) > 50, mutate.__name__


@pytest.mark.parametrize("name", ["canary", "from-reloader", "from-wave"])
@pytest.mark.parametrize("with_config", [True, False])
def test_a_rendering_of_an_example_verifies(name: str, with_config: bool) -> None:
    folder = EXAMPLES / name
    manifests = tuple(
        str(file) for file in folder.glob("*.yaml") if file.stem not in ("krm-fn", "kustomization")
    )
    config = str(folder / "krm-fn.yaml")
    rendered = render(Inputs(manifests, config), HelmOptions()).stdout
    outcome = verify("-", rendered, VerifyOptions(config if with_config else None))
    assert outcome.exit_code == 0, outcome.stderr
    assert outcome.stderr.startswith("verified: ")
