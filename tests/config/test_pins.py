"""What a platform pins of the linker, and what the configuration may then say."""

from typing import Any

import pytest

from krm_fn.base.problem import Rejected
from krm_fn.base.settings import EXPECTED_IMAGE, Environment, LinkerRun, LinkerSettings
from krm_fn.core.config.build import find_pins, parse_config
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import run

HEAD = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
DATA = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"
IMAGE, ACCOUNT = "KRM_FN_LINKER_IMAGE", "KRM_FN_LINKER_SERVICE_ACCOUNT_NAME"
SELECTOR, TOLERATIONS = "KRM_FN_LINKER_NODE_SELECTOR", "KRM_FN_LINKER_TOLERATIONS"
OPTION = "--linker-image"
ALL = {
    IMAGE: "a:1",
    ACCOUNT: "b",
    SELECTOR: "{pool: c}",
    TOLERATIONS: '[{"key": "d", "operator": "Exists"}]',
}
PINNED = LinkerSettings(
    image="a:1",
    service_account_name="b",
    node_selector={"pool": "c"},
    tolerations=({"key": "d", "operator": "Exists"},),
)


def linker_of(config: str | None, pins: dict[str, str]) -> LinkerSettings:
    return parse_config(
        None if config is None else read_yaml(config.encode()).roots[0], Environment(pins=pins)
    ).linker


def refused(config: str | None, pins: dict[str, str]) -> list[str]:
    with pytest.raises(Rejected) as caught:
        linker_of(config, pins)
    return [str(problem) for problem in caught.value.problems]


AGREEING = [
    pytest.param(None, id="no configuration"),
    pytest.param(HEAD, id="none of the fields"),
    pytest.param(
        HEAD + "spec: {linker: {image: 'a:1', tolerations: [{operator: Exists, key: d}]}}\n",
        id="the same",
    ),
    pytest.param(
        HEAD + "spec: {linker: {image: null, nodeSelector: {}, tolerations: []}}\n",
        id="the defaults",
    ),
    pytest.param(DATA + "data: {linker.image: 'a:1'}\n", id="the same in a ConfigMap"),
    pytest.param(
        HEAD.replace(
            "{name: web}",
            "{name: web, annotations: {config.kubernetes.io/function: 'container: {image: x}'}}",
        ),
        id="the image of the function, which is only a default",
    ),
]


@pytest.mark.parametrize("config", AGREEING)
def test_a_pin_wins_over_every_default(config: str | None) -> None:
    assert linker_of(config, ALL) == PINNED


def test_pins_of_a_job_are_no_error_where_there_is_none() -> None:
    """A platform pins the same in all namespaces. The account counts all the same."""
    shared = linker_of(HEAD + "spec: {linker: {run: shared}}\n", ALL)
    assert shared == PINNED._replace(run=LinkerRun.SHARED)
    assert shared.account == "b"


def test_other_settings_stay() -> None:
    assert linker_of(
        HEAD + "spec: {linker: {timeoutSeconds: 7}}\n", {IMAGE: "a:1"}
    ) == LinkerSettings(image="a:1", timeout_seconds=7)


def test_a_pin_of_nothing_allows_nothing_else() -> None:
    config = HEAD + "spec: {linker: {tolerations: [{operator: Exists}]}}\n"
    assert linker_of(HEAD, {TOLERATIONS: "[]"}).tolerations == ()
    assert refused(config, {TOLERATIONS: "[]"})


DISAGREEING: list[Any] = [
    pytest.param(
        HEAD + "spec:\n  linker:\n    image: evil:1\n",
        {IMAGE: "a:1"},
        'ConfigRevisions/web spec.linker.image (line 6, column 5): found "evil:1", but KRM_FN_LINKER_IMAGE pins '
        '"a:1", which no package may change; remove the field',
        id="another image",
    ),
    pytest.param(
        HEAD + "spec: {linker: {image: evil:1}}\n",
        {OPTION: "a:1"},
        'ConfigRevisions/web spec.linker.image (line 4, column 17): found "evil:1", but --linker-image pins "a:1", '
        "which no package may change; remove the field",
        id="another image than the option's",
    ),
    pytest.param(
        DATA + "data: {linker.image: 'evil:1'}\n",
        {IMAGE: "a:1"},
        'ConfigMap/web data[linker.image] (line 4, column 8): found "evil:1", but KRM_FN_LINKER_IMAGE pins "a:1", '
        "which no package may change; remove the field",
        id="another image in a ConfigMap",
    ),
    pytest.param(
        HEAD + "spec: {linker: {serviceAccountName: admin}}\n",
        {ACCOUNT: "linker"},
        "ConfigRevisions/web spec.linker.serviceAccountName (line 4, column 17): "
        'found "admin", but KRM_FN_LINKER_SERVICE_ACCOUNT_NAME pins "linker", '
        "which no package may change; remove the field",
        id="another ServiceAccount",
    ),
    pytest.param(
        HEAD + "spec: {linker: {nodeSelector: {pool: control-plane}}}\n",
        {SELECTOR: "{pool: c}"},
        "ConfigRevisions/web spec.linker.nodeSelector (line 4, column 17): differs from KRM_FN_LINKER_NODE_SELECTOR, "
        "which no package may change; remove the field",
        id="other nodes",
    ),
    pytest.param(
        HEAD + "spec: {linker: {tolerations: [{operator: Exists}]}}\n",
        {TOLERATIONS: "[]"},
        "ConfigRevisions/web spec.linker.tolerations (line 4, column 17): differs from KRM_FN_LINKER_TOLERATIONS, "
        "which no package may change; remove the field",
        id="tolerations where there may be none",
    ),
]


@pytest.mark.parametrize(("config", "pins", "sentence"), DISAGREEING)
def test_another_value_is_an_error(config: str, pins: dict[str, str], sentence: str) -> None:
    assert refused(config, pins) == [sentence]


def test_all_errors_at_once() -> None:
    config = HEAD + "spec: {linker: {image: 'x:1', serviceAccountName: x, nodeSelector: {x: x}}}\n"
    assert len(refused(config, ALL)) == 3


INVALID: list[Any] = [
    *(
        pytest.param(
            {TOLERATIONS: raw},
            TOLERATIONS,
            "a list of tolerations in YAML or JSON, as in a pod spec",
            id=raw,
        )
        for raw in ("[", "{}", "a", "[{effect: No}]", "[{}]\n---\n[{}]", "# none", "[a]")
    ),
    *(
        pytest.param(
            {SELECTOR: raw},
            SELECTOR,
            "a mapping of labels in YAML or JSON, as in a pod spec",
            id=raw,
        )
        for raw in ("[]", "a", "{a: 1}", "{a: {b: c}}", "null")
    ),
    pytest.param(
        {OPTION: ""}, OPTION, f"the name of an image: {EXPECTED_IMAGE}", id="an empty image"
    ),
    pytest.param(
        {IMAGE: "A:1"},
        IMAGE,
        f"the name of an image: {EXPECTED_IMAGE}",
        id="an image in upper case",
    ),
]


@pytest.mark.parametrize(("pins", "name", "expected"), INVALID)
def test_an_invalid_pin_is_an_error(pins: dict[str, str], name: str, expected: str) -> None:
    assert refused(HEAD, pins) == [f"{name}: expected {expected}"]


def test_a_variable_that_pins_nothing_is_an_error() -> None:
    """A misspelt pin would pin nothing, and nobody would notice."""
    allowed = "allowed: IMAGE, SERVICE_ACCOUNT_NAME, NODE_SELECTOR, TOLERATIONS, each after KRM_FN_LINKER_"
    assert refused(HEAD, {"KRM_FN_LINKER_SERVICEACCOUNTNAME": "a", "KRM_FN_LINKER_X": "a"}) == [
        f'KRM_FN_LINKER_SERVICEACCOUNTNAME: pins nothing; did you mean "SERVICE_ACCOUNT_NAME"? {allowed}',
        f"KRM_FN_LINKER_X: pins nothing; {allowed}",
    ]


FOUND = [
    pytest.param({}, None, {}, id="nothing"),
    pytest.param(
        {"KRM_FN_IMAGE": "a", "PATH": "b", IMAGE: ""},
        None,
        {},
        id="other variables, and an empty one",
    ),
    pytest.param({IMAGE: "a", ACCOUNT: "b"}, None, {IMAGE: "a", ACCOUNT: "b"}, id="variables"),
    pytest.param(
        {IMAGE: "a", ACCOUNT: "b"},
        "c",
        {ACCOUNT: "b", OPTION: "c"},
        id="the option in place of its variable",
    ),
]


@pytest.mark.parametrize(("variables", "image", "pins"), FOUND)
def test_what_is_found(variables: dict[str, str], image: str | None, pins: dict[str, str]) -> None:
    assert find_pins(variables, image) == pins


def test_the_function_answers_with_the_error() -> None:
    config = "functionConfig:\n  " + HEAD.replace("\n", "\n  ") + "spec: {linker: {image: 'x:1'}}\n"
    outcome = run(
        b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n" + config.encode(),
        environment=Environment(pins={IMAGE: "a:1"}),
    )
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith("error: ConfigRevisions/web spec.linker.image ")
    assert b"results:" in outcome.stdout
