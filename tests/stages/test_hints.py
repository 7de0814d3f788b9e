"""Each question of the table of hints answers with its own code: `krm-fn explain` shows the code, and sorts by it."""

from krm_fn.core.config.configuration import as_passed
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from krm_fn.function import decide, find_only_configuration
from krm_fn.guards.hints import HINTS, Hints
from tests.cases import ENVIRONMENT, FIXTURES


def test_each_question_answers_with_its_own_code() -> None:
    answered = set()
    for file in FIXTURES.glob("explanations/*/input.yaml"):
        envelope = open_envelope(read_yaml(file.read_bytes()))
        passed = [*map(as_passed, filter(None, [envelope.function_config]))]
        configuration = find_only_configuration(envelope.items, passed, ENVIRONMENT)
        choices = decide(envelope.items, configuration, ENVIRONMENT).choices
        for code, ask in Hints.QUESTIONS.items():
            answers = {reason.code for choice in choices.all if (reason := ask(choices.hints, choice.item))}
            assert answers <= {code}
            answered |= answers
    assert answered == HINTS
