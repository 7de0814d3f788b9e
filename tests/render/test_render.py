"""The function over many files: references across them, and problems with their places."""

from pathlib import Path

import pytest

from krm_fn.function import run
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.opened.sources import Inputs
from tests.cases import ENVIRONMENT, REJECTIONS, TRANSFORMS
from tests.render.run import CONFIG_MAP, WITHOUT_LINKER, render, render_in, write

DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {volumes: [{name: a, configMap: {name: a}}]}}}
"""
STREAMS = [case for case in TRANSFORMS if b"ResourceList" not in (case / "input.yaml").read_bytes()]


def test_references_are_updated_across_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {
            "config/a.yaml": CONFIG_MAP[:-1],
            "web.yaml": "# the shop\n" + DEPLOYMENT,
            "krm-fn.yaml": WITHOUT_LINKER,
        },
    )
    outcome = render_in(tmp_path, monkeypatch)
    assert (outcome.stderr, outcome.exit_code) == ("", 0)
    assert outcome.stdout.decode().count("name: a-") == 2
    assert "immutable: true\n---\n# the shop\napiVersion: apps/v1\n" in outcome.stdout.decode()


TWICE = [
    pytest.param(
        {"c.yaml": CONFIG_MAP + "---\n" + CONFIG_MAP},
        "c.yaml:6:1",
        "in c.yaml line 1 and in c.yaml line 6",
    ),
    pytest.param(
        {"c.yaml": CONFIG_MAP, "e.yaml": CONFIG_MAP},
        "e.yaml:1:1",
        "in c.yaml line 1 and in e.yaml line 1",
    ),
]


@pytest.mark.parametrize(("files", "place", "places"), TWICE, ids=["in one file", "in two files"])
def test_a_revision_that_is_there_twice_is_warned_about(
    files: dict[str, str | bytes],
    place: str,
    places: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {**files, "d.yaml": DEPLOYMENT, "krm-fn.yaml": WITHOUT_LINKER})
    outcome = render_in(tmp_path, monkeypatch, *sorted(files), "d.yaml", config="krm-fn.yaml")
    warning = f"warning: ConfigMap/a ({place}): is in the package twice, {places}: what is applied last wins\n"
    assert (outcome.stderr, outcome.exit_code) == (warning, 0)


def test_a_folder_that_is_there_twice_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "abcdefgh"
    files = {
        f"{folder}/{name}.yaml": CONFIG_MAP.replace("name: a", f"name: {name}")
        for folder in ("app", "old")
        for name in names
    }
    write(tmp_path, {**files, "d.yaml": DEPLOYMENT, "krm-fn.yaml": WITHOUT_LINKER})
    outcome = render_in(tmp_path, monkeypatch, "app", "old", "d.yaml", config="krm-fn.yaml")
    assert outcome.stderr == (
        "warning: ConfigMap/a (old/a.yaml:1:1): is in the package twice, in app/a.yaml line 1 and in "
        "old/a.yaml line 1: what is applied last wins; the same holds for ConfigMap/b, ConfigMap/c, ConfigMap/d, "
        "ConfigMap/e, ConfigMap/f, and 2 more\n"
    )


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: case.name)
def test_a_stream_is_rendered_as_the_function_does(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (case / "input.yaml").read_bytes()
    outcome = render_in(tmp_path, monkeypatch, "-", stdin=data)
    expected = run(data).stdout.removeprefix(b"\xef\xbb\xbf")
    assert outcome.stdout.removeprefix(b"---\n") == expected.removeprefix(b"---\n")


def test_some_fixtures_are_streams() -> None:
    assert STREAMS


UNREADABLE = CONFIG_MAP.replace("{A: b}", "{A: !!binary b}")

PLACES = [
    pytest.param(
        {"a.yaml": CONFIG_MAP, "b.yaml": DEPLOYMENT, "krm-fn.yaml": WITHOUT_LINKER},
        "",
        id="no problem",
    ),
    pytest.param(
        {"c.yaml": CONFIG_MAP.replace("name: a", "name: a, labels: [b]"), "d.yaml": DEPLOYMENT},
        "error: ConfigMap/a metadata.labels (c.yaml:3:29): expected a mapping, found a list\n",
        id="a field, at its line",
    ),
    pytest.param(
        {"c.yaml": "# one\n---\n" + UNREADABLE, "d.yaml": DEPLOYMENT},
        "error: ConfigMap/a data.A (c.yaml:6:8): does not match its tag !!binary: not base64\n",
        id="a field that is found wrong later, at its line",
    ),
    pytest.param(
        {"c.yaml": UNREADABLE + "---\n" + UNREADABLE, "d.yaml": DEPLOYMENT},
        "error: ConfigMap/a data.A (c.yaml:4:8): does not match its tag !!binary: not base64\n"
        "warning: ConfigMap/a (c.yaml:6:1): is in the package twice, in c.yaml line 1 and in c.yaml line 6: what is "
        "applied last wins\n"
        "error: ConfigMap/a data.A (c.yaml:9:8): does not match its tag !!binary: not base64\n",
        id="two of the same name, in the order of their lines",
    ),
    pytest.param(
        {
            "c.yaml": CONFIG_MAP + "---\n" + CONFIG_MAP.replace("{A: b}", "{A: c}"),
            "d.yaml": DEPLOYMENT,
            "krm-fn.yaml": WITHOUT_LINKER,
        },
        "error: Deployment/web spec.template.spec.volumes[0].configMap.name (d.yaml:4:58): 'a' matches ConfigMap/a in "
        "c.yaml line 1 and ConfigMap/a in c.yaml line 6; give them different names, or exclude one\n",
        id="two that one reference may mean, at their lines in one file",
    ),
]


@pytest.mark.parametrize(("files", "sentences"), PLACES)
def test_a_problem_has_a_place(
    files: dict[str, str | bytes], sentences: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, files)
    outcome = render_in(tmp_path, monkeypatch)
    assert (outcome.stderr, outcome.exit_code, outcome.stdout == b"") == (
        sentences,
        int(bool(sentences)),
        bool(sentences),
    )


def test_a_problem_of_stdin_names_the_file_in_the_annotation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "metadata: {name: a, annotations: {internal.config.kubernetes.io/path: shop/c.yaml}}"
    text = UNREADABLE.replace("metadata: {name: a}", path) + "---\n" + DEPLOYMENT
    outcome = render_in(tmp_path, monkeypatch, "-", stdin=text.encode())
    assert (
        outcome.stderr
        == "error: ConfigMap/a data.A (shop/c.yaml): does not match its tag !!binary: not base64\n"
    )


def test_a_problem_of_stdin_has_a_line_without_the_annotation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = render_in(
        tmp_path, monkeypatch, "-", stdin=(UNREADABLE + "---\n" + DEPLOYMENT).encode()
    )
    assert (
        outcome.stderr
        == "error: ConfigMap/a data.A (<stdin>:4:8): does not match its tag !!binary: not base64\n"
    )


@pytest.mark.parametrize("case", REJECTIONS, ids=lambda case: case.name)
def test_what_the_function_rejects_is_not_rendered(case: Path) -> None:
    """Among the changes of what is wrong may be two edits of one place."""
    outcome = render(Inputs((str(case / "input.yaml"),)), HelmOptions(), ENVIRONMENT)
    assert (outcome.exit_code, outcome.stdout) == (1, b""), outcome.stderr
