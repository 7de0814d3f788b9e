"""The survey: all that is known before anything is decided."""

from typing import Any

import pytest

from krm_fn import function
from krm_fn.base.settings import NO_ENVIRONMENT, Settings
from krm_fn.core.config import config
from krm_fn.core.config.build import parse_config
from krm_fn.core.decide.run import Guards, Survey, read_package
from krm_fn.core.references.references import References, find_authored
from krm_fn.core.yaml.envelope import open_envelope
from krm_fn.core.yaml.reader import read_yaml
from tests.cases import ENVIRONMENT, FIXTURES

PACKAGE = (FIXTURES / "transforms" / "a-canary-rollout-and-its-config" / "input.yaml").read_bytes()


def survey_of(data: bytes, asked: list[Survey]) -> Survey:
    """Return the survey of a package, whose guards are noted in `asked` when somebody asks for them."""

    def build_guards(survey: Survey) -> Guards:
        asked.append(survey)
        return {}

    package = read_package(open_envelope(read_yaml(data)).items, None, "")
    index = package.read_index()
    references = References(index, find_authored(package.authored, index, (), ()))
    return Survey(package, Settings(), NO_ENVIRONMENT, references, build_guards)


def test_guards_are_looked_for_once_at_the_first_question() -> None:
    asked: list[Survey] = []
    survey = survey_of(PACKAGE, asked)
    assert asked == []
    assert survey.guards is survey.guards
    assert asked == [survey]


def test_mentions_are_read_once() -> None:
    survey = survey_of(PACKAGE, [])
    assert survey.mentions is survey.mentions


def test_no_more_names_leave_it_as_it_is() -> None:
    survey = survey_of(PACKAGE, [])
    assert survey.with_names({}) is survey


def test_more_names_are_asked_about_anew() -> None:
    asked: list[Survey] = []
    survey = survey_of(PACKAGE, asked)
    item = survey.package.configs[0]
    more = survey.with_names({item: [(item.id.kind, "another")]})
    assert more.package is survey.package
    assert more.references.index.find(item, item.id.kind, "another") == (item,)
    assert (survey.guards, more.guards) == ({}, {})
    assert asked == [survey, more]


def test_another_configuration_has_settings_of_its_own() -> None:
    survey = survey_of(PACKAGE, [])
    settings = Settings(set="other")
    other = survey.with_references(survey.references, settings)
    assert (other.settings, survey.settings) == (settings, Settings())


def test_a_run_parses_its_configuration_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[object] = []

    def count_parsed(*arguments: Any) -> Settings:
        parsed.append(arguments)
        return parse_config(*arguments)

    for module in (config, function):
        monkeypatch.setattr(module, "parse_config", count_parsed)
    assert function.run(PACKAGE, environment=ENVIRONMENT).exit_code == 0
    assert len(parsed) == 1
