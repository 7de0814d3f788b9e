"""No text of others is more than text in the Markdown of a history."""

import re

import pytest

from krm_fn.tools.history.revision_history import History, LinkerJob, SetHistory, Unseen, WorkloadHistory
from krm_fn.tools.history.write_history import write_history_markdown
from tests.linker.object_store import NOON

ACTIVE = "@team *bold* [link](https://example.com) | cell <b> `code` #1 ~~x~~ _y_"
SET = SetHistory("shop", (), (), has_inventory=True, job=None)
ROLLOUT = WorkloadHistory("Rollout", "web", is_done=False, situation="paused", reason=ACTIVE, templates=())
JOB = LinkerJob("link", NOON, NOON, ACTIVE)

HISTORIES = [
    pytest.param(History("shop", NOON, (SET._replace(workloads=(ROLLOUT,)),)), id="the reason of a controller"),
    pytest.param(History("shop", NOON, (SET._replace(job=JOB),)), id="the failure of a Job"),
    pytest.param(History("shop", NOON, (), (Unseen("widgets", ACTIVE, ""),)), id="an error of the API server"),
    pytest.param(History("shop", NOON, (), (Unseen("widgets", "", ACTIVE),)), id="a rule"),
]


@pytest.mark.parametrize("history", HISTORIES)
def test_text_of_others_is_only_text(history: History) -> None:
    (note,) = (line for line in write_history_markdown(history).splitlines() if line.startswith("- "))
    sentence = note.removeprefix("- ").partition(": `kubectl")[0]
    assert "&#64;team" in sentence
    assert not re.search(r"[@*\[|<`~_]", re.sub("&#[0-9]+;", "", sentence))
