"""`krm-fn render --check --against REV`: what a revision of git renders to stands for what is deployed."""

from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.diff.test_against import CONFIG, config_map, shop
from tests.git.repository import commit
from tests.render.run import write

ADOPTED = CONFIG.replace("spec: {", "spec: {strategy: adopt, ")
PLAIN = {name: text for name, text in shop("one").items() if not name.endswith("krm-fn.yaml")}

CASES = [
    pytest.param(
        PLAIN, shop("one"), "would prune it while pods still use it", id="renamed at once"
    ),
    pytest.param(PLAIN, {"shop/krm-fn.yaml": ADOPTED}, "", id="adopted first"),
    pytest.param(
        {**PLAIN, "shop/krm-fn.yaml": ADOPTED}, {"shop/krm-fn.yaml": CONFIG}, "", id="renamed then"
    ),
    pytest.param(shop("one"), shop("two"), "", id="new content"),
    pytest.param({"other.yaml": config_map("one")}, shop("one"), "", id="a new package"),
    pytest.param(
        {**shop("one"), "shop/web.yaml": "a: ["},
        shop("one"),
        "error: HEAD:shop/web.yaml:",
        id="broken there",
    ),
]


@pytest.mark.parametrize(("before", "after", "said"), CASES)
def test_what_the_revision_has_not_protected_is_found(
    before: dict[str, str | bytes],
    after: dict[str, str | bytes],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    commit(tmp_path, before)
    write(tmp_path, after)
    alone = main(["render", "shop"])
    done = main(["render", "--check", "--against=HEAD", "shop"])
    assert (done.exit_code, done.stdout) == ((1, b"") if said else (0, alone.stdout))
    assert said in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--against=HEAD"], id="nothing is checked"),
        pytest.param(["--check"], id="nothing says what is deployed"),
        pytest.param(["--check", "--against=HEAD", "--deployed=a"], id="two say it"),
        pytest.param(["--check", "--against=HEAD", "-"], id="stdin is in no repository"),
    ],
)
def test_wrong_arguments_are_said(arguments: list[str]) -> None:
    assert main(["render", *arguments]).exit_code == 2
