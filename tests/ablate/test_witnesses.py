"""A rule has a witness: a real package, or a public report, in which something changes without it."""

import re
from functools import cache

import pytest

from krm_fn.core.references.mentions import READERS
from krm_fn.guards.guards import GUARDS
from krm_fn.lint.lint import CHECKS
from tests.ablate.corpus import Answered, Case, read_real, read_reported, read_reports
from tests.ablate.rules import Rule, Switch, finds_nothing, name_of, read_rules, switched_off
from tests.ablate.witnesses import find_change, read_witnesses

RULES = read_rules()
WITNESSES = read_witnesses()
REPORTS = read_reports()
ADDRESS = r"https://github\.com/[\w.-]+/[\w.-]+/(?:blob/[0-9a-f]{40}/\S+|tree/[0-9a-f]{40}/\S+|(?:issues|pull)/\d+)"


@cache
def _cases() -> dict[str, Case]:
    return {case.key: case for case in [*read_real(), *read_reported()]}


@cache
def _with_all_rules(key: str) -> Answered:
    return _cases()[key].run()


def test_each_guard_each_check_and_each_reader_is_a_rule() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert {f"guard {row.code}" for row in GUARDS} <= set(names)
    assert {f"check {name_of(check.report)}" for check in CHECKS} <= set(names)
    assert {f"reader {name_of(read)}" for read in READERS} <= set(names)


def test_each_rule_has_a_witness() -> None:
    assert list(WITNESSES) == [rule.name for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_its_witness_changes_without_the_rule(rule: Rule) -> None:
    witness = WITNESSES[rule.name]
    with switched_off(rule):
        without = _cases()[witness.case].run()
    assert find_change(_with_all_rules(witness.case), without) == witness.changes


def test_a_rule_that_is_on_again_says_the_same() -> None:
    rule = RULES[0]
    key = WITNESSES[rule.name].case
    with switched_off(rule):
        pass
    assert _cases()[key].run() == _with_all_rules(key)


def test_a_name_that_is_not_there_is_an_error() -> None:
    rule = Rule("a typo", (Switch("krm_fn.lint.lint", "CHECK", finds_nothing),))
    with pytest.raises(KeyError, match="CHECK"), switched_off(rule):
        pass


def test_each_report_is_a_witness_with_an_address() -> None:
    assert {report.key for report in REPORTS} <= {one.case for one in WITNESSES.values()}
    assert [one.key for one in REPORTS if not re.fullmatch(ADDRESS, one.source)] == []
    assert all(report.shows for report in REPORTS)
    assert all(_with_all_rules(report.key).written for report in REPORTS)
