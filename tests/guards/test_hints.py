"""Each guard answers with its own code: `krm-fn explain` shows the code, and sorts by it."""

from krm_fn.core.config.config import Configuration
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import decide, find_only_configuration
from tests.cases import ENVIRONMENT, FIXTURES


def test_each_question_answers_with_its_own_code() -> None:
    answered: set[str] = set()
    asked: set[str] = set()
    for file in FIXTURES.glob("explanations/*/input.yaml"):
        envelope = open_envelope(read_yaml(file.read_bytes()))
        passed = [*map(Configuration.passed, filter(None, [envelope.function_config]))]
        configuration = find_only_configuration(envelope.items, passed, ENVIRONMENT)
        found = decide(envelope.items, configuration, ENVIRONMENT)
        asked = {code for code, guard in found.guards.items() if not guard.is_certain}
        for code, guard in found.guards.items():
            answers = {
                reason.code for choice in found.choices.all if (reason := guard.why(choice.item))
            }
            assert answers <= {code}
            answered |= answers
    assert answered >= asked
