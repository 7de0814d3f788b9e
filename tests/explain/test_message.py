"""`krm-fn explain --message`: a line that somebody has copied, and the entry of the page about it."""

import re
from pathlib import Path

import pytest

from krm_fn.report.table import Screen
from krm_fn.tools.explain.explain_message import explain_message
from tests.cli.process import krm_fn
from tests.pages.messages import Message, is_specific, read_messages
from tests.pages.test_messages import OF_ANOTHER_FUNCTION, printed_lines
from tests.volume import IS_QUICK, in_turn

WIDE = Screen(100_000)
FRONTS = {
    "the message alone": "{}",
    "how severe it is": "error: {}",
    "an object": "warning: Deployment/shop/web spec.template.spec.volumes[0].configMap.name (web.yaml:12): {}",
    "a position": "error: line 3, column 5: {}",
    "a file": "error: overlays/prod/web.yaml:12:3: {}",
    "what kpt prints": "  [error] v1/ConfigMap/shop/web data: {}",
    "a line of a log": "2026-11-24T18:00:00Z error: {}",
    "the address behind, as a terminal has it": "warning: {}\n  at Deployment/shop/web spec.x (web.yaml:12:3)",
    "what is true of others too": "error: {}; the same holds for b, c and 3 more",
}
"""What may stand around a message."""


def titles(line: str) -> list[str]:
    """Return the first lines of the entries, which are the messages."""
    outcome = explain_message(line, WIDE)
    assert (outcome.exit_code, outcome.stderr) == (0, ""), line
    return re.findall(r"^(\S.*)\n\n  ", outcome.stdout.decode(), re.MULTILINE)


def title(message: Message) -> str:
    shown = re.sub(r"\{([a-z_]+)\}", lambda found: found[1].upper(), message.says)
    return " ".join(shown.split())


@pytest.mark.rows(test=0)
def test_every_recorded_line_finds_an_entry_that_is_about_it() -> None:
    """tests/pages/messages.py finds entries in another way: it makes a pattern of each text, and does not choose."""
    lines = sorted(printed_lines() - {OF_ANOTHER_FUNCTION})
    assert len(lines) > 500
    for line in lines[:: 4 if IS_QUICK else 1]:
        found = titles(line)
        about_it = {title(one) for one in read_messages() if one.matches(line)}
        assert set(found) <= about_it, line
        assert len(found) <= (3 if re.search("found .* expected", line) else 1), line


ALIKE = {
    "found FOUND, expected EXPECTED": {"found FOUND, expected TYPE HINT"},
    "found FOUND, expected TYPE HINT": {"found FOUND, expected EXPECTED"},
    "END; completed changes are kept, run again to finish": {
        "the time limit of SECONDS s is over; completed changes are kept, run again to finish"
    },
}
"""Messages whose words are those of others.

FOUND; expected EXPECTED is printed as one of the first two.
"""

FILLINGS = ["web-5t7h9k2b4c", "3", "'overlays/prod/a b.yaml'"]


def test_every_message_of_the_list_finds_its_entry() -> None:
    """Whatever stands in its gaps, and around it."""
    told_apart = [
        one
        for one in read_messages()
        if is_specific(one.says) or one.says == "missing" or title(one) in ALIKE
    ]
    assert len(told_apart) > 350
    for number, one in enumerate(told_apart):
        filling = FILLINGS[number % len(FILLINGS)]
        for front in in_turn([*FRONTS], number) if IS_QUICK else FRONTS:
            line = FRONTS[front].format(re.sub(r"\{[a-z_]+\}", filling, one.says))
            found = titles(line)
            assert title(one) in found, (front, line)
            assert set(found) <= {
                title(one),
                "FOUND; expected EXPECTED",
                *ALIKE.get(title(one), ()),
            }, (front, line)


LINK, AS_A_PATH = re.compile(r"\[([^]]+)\]\(([^)]+)\)"), r"\1 (docs/\2)"


def test_an_answer_is_what_the_list_says() -> None:
    for one in read_messages():
        if is_specific(one.says):
            shown = explain_message(re.sub(r"\{[a-z_]+\}", "x", one.says), WIDE).stdout.decode()
            paragraphs = filter(None, (one.means, one.do and f"Do: {one.do}"))
            answer = "".join(f"\n  {text}\n" for text in paragraphs)
            assert f"{title(one)}\n{LINK.sub(AS_A_PATH, answer)}" in shown, one.says


def test_a_terminal_may_have_wrapped_the_line() -> None:
    line = "error: web.yaml:7:3: duplicate key 'data';\n  the first is on\n  line 4"
    assert titles(line) == ["duplicate key KEY; the first is on line LINE"]


OF_OTHER_PROGRAMS = {
    "Error: external plugins disabled; unable to load external plugin 'ConfigRevisions'": (
        "external plugins disabled; unable to load external plugin 'KIND'"
    ),
    "Error: couldn't execute function: exit status 1": "couldn't execute function: REASON",
    'Warning  FailedMount  3s  kubelet  MountVolume.SetUp failed for volume "c" : configmap "web" not found': (
        'configmap "NAME" not found'
    ),
    'Error from server (NotFound): configmaps "web" not found': 'configmaps "NAME" not found',
    'Error: secret "web-db" not found': 'secret "NAME" not found',
    "CreateContainerConfigError": "CreateContainerConfigError",
    "rpc error: code = Unknown desc = apps/web: app path does not exist": (
        "PATH: app path does not exist"
    ),
    "data: Forbidden: field is immutable when `immutable` is set": (
        "field is immutable when `immutable` is set"
    ),
    'Job.batch "x" is invalid: spec.template: Invalid value: {}: field is immutable': (
        "FIELD: field is immutable"
    ),
    "Error: INSTALLATION FAILED: cannot re-use a name that is still in use": (
        "cannot re-use a name that is still in use"
    ),
    "Error: plugin: {Name:krm-fn Type:postrenderer/v1} not found": "plugin: PLUGIN not found",
    'rpc error: desc = plugin sidecar failed. couldn\'t find cmp-server plugin with name "krm-fn" supporting '
    "the given repository": (
        'REASON couldn\'t find cmp-server plugin with name "NAME" supporting the given repository'
    ),
    "error: bad: kustomize build exited with code 1: external plugins disabled; unable to load external plugin "
    "'Chart'; plugins are off here: kustomize build --enable-alpha-plugins --enable-exec bad | krm-fn render -": (
        "external plugins disabled; unable to load external plugin 'KIND'"
    ),
}
"""Lines as other programs print them, and as krm-fn passes one on."""


@pytest.mark.parametrize("line", OF_OTHER_PROGRAMS)
def test_what_other_programs_say_on_the_first_day_is_explained(line: str) -> None:
    assert titles(line) == [OF_OTHER_PROGRAMS[line]]


SEVERAL = """\
warning: uncommitted changes are compared too: apps/web/base/cm.yaml
error: apps/web/one/kustomization.yaml:2:1: invalid YAML: did not find expected node content
error: apps/web/two/kustomization.yaml:2:1: invalid YAML: did not find
  expected node content
error: exit status 1"""


def test_each_of_several_messages_is_explained_once() -> None:
    assert titles(SEVERAL) == ["uncommitted changes are compared too: FILES", "invalid YAML: WHAT"]


FOREIGN = [
    *(
        "",
        "no",
        "bash: kustomize: command not found",
        'Error from server (NotFound): pods "web" not found',
    ),
    *(
        "fatal: not a git repository (or any of the parent directories): .git",
        "error: open a.yaml: permission denied",
    ),
    *(
        "Error: accumulating resources: accumulation err='accumulating resources from 'a'",
        "error: exit status 1",
        ": ; {}",
    ),
]


@pytest.mark.parametrize("text", FOREIGN)
def test_a_message_of_another_program_is_unknown(text: str, tmp_path: Path) -> None:
    done = krm_fn("explain", "--message", text, cwd=tmp_path)
    expected = "error: no message of krm-fn is like this; copy all of its line\n"
    assert (done.stdout, done.stderr, done.returncode) == ("", expected, 2)


def test_a_message_is_folded_and_has_a_heading_in_bold(tmp_path: Path) -> None:
    line = "error: web.yaml:7:3: duplicate key 'data'; the first is on line 4"
    done = krm_fn("explain", "--message", line, "--color=always", cwd=tmp_path, COLUMNS="40")
    heading, *others = done.stdout.splitlines()
    assert heading == "\x1b[1mduplicate key KEY; the first is on line\x1b[22m"
    assert max(map(len, others[1:])) <= 40
    assert (done.stderr, done.returncode) == ("", 0)


WRONG = [
    pytest.param([], "expected PATH, or --message TEXT", id="nothing to explain"),
    pytest.param(
        ["a.yaml", "--message=a"],
        "--message is in the place of a PATH, and its answer is text",
        id="both",
    ),
    pytest.param(
        ["--message=a", "-ojson"],
        "--message is in the place of a PATH, and its answer is text",
        id="JSON",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_a_message_does_not_go_with(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = krm_fn("explain", *arguments, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr == f"error: {message}; see krm-fn explain --help\n"


def test_a_long_text_is_judged_at_once() -> None:
    outcome = explain_message("found expected allowed: " * 50_000, WIDE)
    assert outcome.exit_code == 0
