"""No version gives another name or pod template for the same input: every pod of everybody would restart."""

import pytest

from tests.function.names_and_pods import (
    CASES,
    Row,
    find_changes,
    find_templates,
    input_digest,
    make_row,
    name_of,
    read_rows,
)

WEB = Row("web", "1", {"ConfigMap//web": "web-1"}, {"Deployment//web": "2"})


def test_no_name_and_no_pod_template_has_changed() -> None:
    recorded = read_rows()
    assert find_changes(recorded, [make_row(case) for case in CASES]) == []


def test_every_fixture_is_recorded_with_its_input() -> None:
    recorded = {row.fixture: row.input for row in read_rows().values()}
    message = "run `python -m tests.function.names_and_pods --write`"
    assert recorded == {name_of(case): input_digest(case) for case in CASES}, message


def test_there_is_much_to_change() -> None:
    rows = read_rows().values()
    assert sum(len(row.names) for row in rows) > 400
    assert sum(len(row.pods) for row in rows) > 400


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param(WEB, [], id="the same"),
        pytest.param(
            WEB._replace(names={"ConfigMap//web": "web-2"}),
            ["web: ConfigMap//web: web-1 is web-2"],
            id="another name",
        ),
        pytest.param(
            WEB._replace(names={}), ["web: ConfigMap//web: web-1 is gone"], id="a name is gone"
        ),
        pytest.param(
            WEB._replace(pods={"Deployment//web": "3"}),
            ["web: Deployment//web: 2 is 3"],
            id="another pod template",
        ),
        pytest.param(WEB._replace(input="2", names={}, pods={}), [], id="another input"),
        pytest.param(WEB._replace(fixture="new"), [], id="a new fixture"),
    ],
)
def test_what_counts_as_a_change(now: Row, expected: list[str]) -> None:
    assert find_changes({"web": WEB}, [now]) == expected


def test_a_template_is_found_wherever_it_is() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "web"}]}}
    cron_job = {"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": template}}}}
    assert [*find_templates(cron_job)] == [template]
    pod = {"kind": "Pod", **template}
    assert [*find_templates(pod)] == [{**template, "metadata": {}}]
    assert [*find_templates({"kind": "Service", "spec": {"ports": []}})] == []
