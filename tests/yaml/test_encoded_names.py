"""A name, a kind or a key in base64 is refused, wherever it is; data may be in base64."""

import pytest

from krm_fn.function import run

HEAD = "apiVersion: v1\nkind: ConfigMap\n"
OTHER = f"{HEAD}metadata: {{name: other}}\ndata: {{key: value}}\n---\n"
ANCHORED = """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: other}
  data:
    key: &name !!binary d2Vi
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: *name
"""


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param(f"{HEAD}metadata:\n  name: !!binary d2Vi\n", 4, 9, id="a name"),
        pytest.param(f"{HEAD}metadata:\n  name: !!binary d2Vi", 4, 9, id="the end of a text"),
        pytest.param(
            "!!binary YXBpVmVyc2lvbg==: v1\nkind: ConfigMap\nmetadata: {name: web}\n",
            *(1, 1),
            id="the first key",
        ),
        pytest.param(
            "{apiVersion: v1, kind: ConfigMap, metadata: {!!binary bmFtZQ==: web}}\n",
            *(1, 46),
            id="a key in braces",
        ),
        pytest.param(
            f"{OTHER}{HEAD}metadata:\n  name: !!binary d2Vi\n", 9, 9, id="a later document"
        ),
        pytest.param(ANCHORED, 8, 10, id="an alias of another object's data"),
    ],
)
def test_a_name_in_base64_is_refused(text: str, line: int, column: int) -> None:
    outcome = run(text.encode())
    said = "a name, kind or key must not be in base64 (!!binary); write it out"
    assert outcome.stderr == f"error: line {line}, column {column}: {said}\n"
    assert (outcome.stdout, outcome.exit_code) == (b"", 1)


def test_data_may_be_in_base64() -> None:
    outcome = run(f"{HEAD}metadata:\n  name: web\nbinaryData:\n  key: !!binary d2Vi\n".encode())
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
