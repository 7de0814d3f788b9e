"""What programs read of findings, judged as those programs read it, and beside the lines for people.

How JUnit's XML is read is a table of what the schema of Jenkins allows, and how an annotation is
read is written here again from the runner of GitHub Actions.
"""

import json
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from krm_fn.base.problem import Problem, ResourceId, Severity
from krm_fn.tools.opened.opened import Inputs
from krm_fn.tools.verify.findings import FindingsFormat, Verified, write_findings
from krm_fn.tools.verify.verify import VerifyOptions, examine
from tests.verify.cases import VERIFICATIONS, read_input

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas/verify-v1.json").read_text())


class Element(NamedTuple):
    children: set[str]
    required: set[str]
    optional: set[str]
    has_text: bool = False


JUNIT = {
    "testsuites": Element({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": Element(
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {
            *("group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log"),
            "url",
        },
    ),
    "testcase": Element(
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name"},
        {"time", "classname", "group"},
    ),
    "failure": Element(set(), set(), {"type", "message"}, has_text=True),
    "system-out": Element(set(), set(), set(), has_text=True),
}
"""Of junit-10.xsd in https://github.com/jenkinsci/xunit-plugin, for the elements that may be here."""


def read_junit(text: str) -> list[list[str]]:
    """Return the lines that each suite says, after all of it was held against the schema."""
    root = ET.fromstring(text)  # noqa: S314  # what is read was just written
    assert root.tag == "testsuites"
    for element in root.iter():
        rule = JUNIT[element.tag]
        assert {child.tag for child in element} <= rule.children
        assert rule.required <= set(element.attrib) <= rule.required | rule.optional
        assert rule.has_text or not (element.text or "").strip()
    cases = root.findall("testsuite/testcase")
    assert int(root.attrib["tests"]) == len(cases)
    assert int(root.attrib["failures"]) == len(root.findall("testsuite/testcase/failure"))
    return [_read_suite(suite) for suite in root]


def _read_suite(suite: ET.Element) -> list[str]:
    names = [case.attrib["name"] for case in suite]
    assert int(suite.attrib["tests"]) == len(names) == len(set(names))
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
    lines: list[str] = []
    for case in suite:
        failure, output = case.find("failure"), case.find("system-out")
        assert case.attrib["classname"] == suite.attrib["name"]
        if failure is not None:
            lines.append(f"error: {failure.text}")
            assert (failure.text or "").endswith(failure.attrib["message"])
        elif output is not None:
            lines.append(output.text or "")
        else:
            lines.append(case.attrib["name"])
    return lines


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    data: str


DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def read_command(line: str) -> Command:
    """Read a workflow command as ActionCommand.TryParseV2 of https://github.com/actions/runner does."""
    line = line.lstrip()
    assert line.startswith("::")
    end = line.index("::", 2)
    name, _, written = line[2:end].partition(" ")
    assert name in {"error", "warning"}
    properties: dict[str, str] = {}
    for part in filter(None, written.strip().split(",")):
        key, _, value = part.partition("=")
        if value:
            properties[key] = _decode(value, PROPERTY)
    return Command(name, properties, _decode(line[end + 2 :], DATA))


def _decode(text: str, codes: tuple[tuple[str, str], ...]) -> str:
    for code, character in codes:
        text = text.replace(code, character)
    return text


def judge(found: list[Verified]) -> None:
    """Compare all forms with the lines for people."""
    text = write_findings(found, FindingsFormat.TEXT)
    lines = text.stderr.splitlines()
    written = {form: write_findings(found, form) for form in [*FindingsFormat][1:]}
    for outcome in written.values():
        assert (outcome.stderr, outcome.exit_code) == ("", text.exit_code)
    document = json.loads(written[FindingsFormat.JSON].stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    said = [_write_line(one) for package in document["packages"] for one in package["findings"]]
    suites = read_junit(written[FindingsFormat.JUNIT].stdout.decode())
    of_suites = [line for suite in suites for line in suite if not line.startswith("verified: ")]
    annotations = written[FindingsFormat.GITHUB].stdout.decode().splitlines()
    commands = [read_command(line) for line in annotations]
    of_commands = [f"{one.name}: {one.data}" for one in commands]
    assert len(said) == len(of_suites) == len(of_commands)
    if len(found) == 1:
        findings = [line for line in lines if not line.startswith("verified: ")]
        assert said == of_suites == findings
        for line, command in zip(findings, commands, strict=True):
            assert line.startswith(command.name)
            assert line.endswith(command.data)


def _write_line(finding: dict[str, str | int]) -> str:
    place = finding["file"]
    if finding["line"]:
        where = f"{finding['line']}:{finding['column']}"
        beside = f"line {finding['line']}, column {finding['column']}"
        place = f"{place}:{where}" if place else beside
    address = " ".join(str(part) for part in (finding["object"], finding["field"]) if part)
    address = f"{address} ({place})" if address and place else address or str(place)
    said = f"{address}: {finding['message']}" if address else str(finding["message"])
    return f"{finding['severity']}: {said}"


@pytest.mark.parametrize("case", VERIFICATIONS, ids=lambda case: case.name)
def test_all_forms_say_what_the_lines_say(case: Path) -> None:
    inputs = Inputs(("-",), stdin=read_input(case))
    judge([examine(inputs, VerifyOptions(deployers=("argocd",)))])


HOSTILE = [
    "a,b:c%d",
    "::error::owned",
    "##[error]owned",
    "%0A::set-env name=PATH::x",
    "%250A",
    "a\r\n::add-mask::b",
    "]]></failure><script>",
    "\"'&<>&amp;&#10;",
    "\x1b[2J\x00\x08\ufffe\udc80\ud800",
    "\u202egnirts",
    "\u2028\u2029\x85 lines",
    "title=x,file=/etc/passwd",
    "emoji 🙈",
    " blank ",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("severity", [Severity.ERROR, Severity.WARNING])
def test_names_and_messages_that_say_something_to_the_reader(text: str, severity: Severity) -> None:
    problems = (
        Problem(text, ResourceId("v1", "ConfigMap", text, text), text, severity, file=text),
        Problem(text, severity=severity),
        Problem(text, severity=severity, line=3, column=5),
        Problem("m", severity=severity, file=f"{text}:3:5"),
        Problem("m", severity=severity, file=f"{text}:3:5"),  # twice
    )
    judge([Verified(text, problems, "" if severity is Severity.ERROR else "nothing")])


def test_several_packages() -> None:
    good = Verified("apps/a", (), "1 revision")
    bad = Verified("apps/b", (Problem("m", ResourceId("v1", "ConfigMap", "shop", "web")),))
    judge([good, bad])
    assert write_findings([good, bad], FindingsFormat.TEXT).stderr == (
        "error: ConfigMap/shop/web (apps/b): m\n2 packages: 1 verified, 1 with errors\n"
    )
    (line,) = write_findings([good, bad], FindingsFormat.GITHUB).stdout.decode().splitlines()
    title = {"title": "krm-fn verify"}
    assert read_command(line) == Command("error", title, "ConfigMap/shop/web (apps/b): m")


SAFE, UNSAFE = ("protected from pruning by argocd",), ("not protected from argocd",)
MANY = [
    pytest.param([()] * 3, "3 packages: 3 verified\n", id="nothing to know but the number"),
    pytest.param(
        [SAFE] * 3,
        "3 packages: 3 verified; protected from pruning by argocd\n",
        id="what is true of all is said once",
    ),
    pytest.param(
        [SAFE, UNSAFE, SAFE],
        "apps/1: verified: 1 revision; not protected from argocd\n"
        "3 packages: 3 verified; 2 of them: protected from pruning by argocd\n",
        id="one that is unlike the others has its line",
    ),
    pytest.param(
        [SAFE, ()],
        "apps/1: verified: 1 revision\n"
        "2 packages: 2 verified; 1 of them: protected from pruning by argocd\n",
        id="one without any protection is unlike the others",
    ),
]


@pytest.mark.parametrize(("remarks", "expected"), MANY)
def test_packages_that_are_alike_are_counted(remarks: list[tuple[str, ...]], expected: str) -> None:
    found = [
        Verified(f"apps/{number}", (), "1 revision", one) for number, one in enumerate(remarks)
    ]
    assert write_findings(found, FindingsFormat.TEXT).stderr == expected


def test_an_annotation_is_at_the_line_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a,b.yaml").write_text("")
    found = Verified("a,b.yaml", (Problem("m", file="a,b.yaml:3:5"),))
    (line,) = write_findings([found], FindingsFormat.GITHUB).stdout.decode().splitlines()
    place = {"file": "a,b.yaml", "line": "3", "col": "5", "title": "krm-fn verify"}
    assert read_command(line) == Command("error", place, "m")


def test_an_annotation_of_what_was_rendered_is_at_the_kustomization(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("app").mkdir()
    Path("app/kustomization.yaml").write_text("")
    found = Verified("app", (Problem("m", ResourceId("v1", "ConfigMap", "shop", "web")),))
    (line,) = write_findings([found], FindingsFormat.GITHUB).stdout.decode().splitlines()
    place = {"file": "app/kustomization.yaml", "title": "krm-fn verify"}
    assert read_command(line) == Command("error", place, "ConfigMap/shop/web: m")


def test_a_secret_is_masked_in_all_forms() -> None:
    who = ResourceId("v1", "Secret", "shop", "web-db-kc4g25g54d")
    found = [Verified("-", (Problem("is lost: Secret/shop/web-db-kc4g25g54d", who),))]
    for form in FindingsFormat:
        outcome = write_findings(found, form)
        assert "kc4g25g54d" not in outcome.stdout.decode() + outcome.stderr
