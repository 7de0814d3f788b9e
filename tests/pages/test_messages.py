"""docs/messages.yaml explains every message that krm-fn can print, and only those."""

import re

import pytest
import yaml

from tests.cases import FIXTURES
from tests.pages.messages import ROOT, Text, find_texts, read_messages, read_parts
from tests.pages.messages_page import PAGE, page

ANSWERS = {
    "krm_fn/cli/full_help.py": "help and a page for man",
    "krm_fn/cli/main.py": "what `krm-fn help configuration` says, and hints behind click's own words",
    "krm_fn/tools/diff/tree.py": "the paths of differences",
    "krm_fn/tools/diff/write_difference.py": "what `krm-fn diff` draws",
    "krm_fn/tools/explain/find_references.py": "answers of `krm-fn explain`",
    "krm_fn/tools/explain/find_unfollowed.py": "answers of `krm-fn explain`",
    "krm_fn/tools/explain/explanation.py": "answers of `krm-fn explain`",
    "krm_fn/tools/explain/explain.py": "answers of `krm-fn explain`",
    "krm_fn/tools/graph/picture.py": "labels of a picture",
    "krm_fn/tools/graph/graph_objects.py": "labels of a picture",
    "krm_fn/tools/graph/diagrams.py": "labels of a picture",
    "krm_fn/tools/verify/findings.py": "forms of findings that programs read, and how many packages there are",
    "krm_fn/tools/graph/to_html.py": "labels of a picture",
    "krm_fn/tools/init/init.py": "what `krm-fn init` prints",
    "krm_fn/tools/init/texts.py": "what `krm-fn init` writes",
    "krm_fn/tools/history/history.py": "what `krm-fn history` prints",
    "krm_fn/tools/common/revision_history.py": "states of a revision",
    "krm_fn/tools/history/find_history.py": "commands for kubectl",
    "krm_fn/tools/fleet/fleet.py": "what `krm-fn history` prints of several clusters",
    "krm_fn/report/object_change.py": "an assertion",
    "krm_fn/report/change_lines.py": "what `krm-fn diff` prints",
    "krm_fn/report/write_change.py": "what `krm-fn diff` prints",
    "krm_fn/report/markup.py": "code in Markdown",
    "krm_fn/report/table.py": "the length of what is cut off",
    "krm_fn/report/secrets.py": "names whose hash is not shown",
    "krm_fn/facts/deployers.py": "annotations, and what people call a deployment",
    "krm_fn/facts/kinds.py": "commands for kubectl, and by what a rollout is read",
    "krm_fn/facts/phrases.py": "what kustomize, helm and git say",
    "krm_fn/facts/producers.py": "who writes an object, and why its name stays: the reason in a message",
    "krm_fn/facts/chart_values.py": "where a chart says so, for `krm-fn explain`",
    "krm_fn/facts/annotations.py": "names of programs",
    "krm_fn/facts/exclusions.py": "why a field is not followed, for `krm-fn explain`",
    "krm_fn/facts/scopes.py": "where a kind looks, in words: part of a message",
    "krm_fn/facts/fields.py": "where a project says what it does with a name, for `krm-fn explain`",
    "krm_fn/core/references/copies.py": "what is named in a message",
    "krm_fn/core/references/program_options.py": "what is named in a message",
    "krm_fn/core/references/words.py": "signs in a text",
    "krm_fn/core/references/other_texts.py": "answers of `krm-fn explain`",
    "krm_fn/core/references/chart_releases.py": "the rule behind a reference, for `krm-fn explain`",
    "krm_fn/core/references/shapes.py": "the rule behind a reference, for `krm-fn explain`",
    "krm_fn/core/references/find.py": "the rule behind a reference, for `krm-fn explain`",
    "krm_fn/facts/programs.py": "names of programs",
}
"""Files whose texts are no messages, and what they are."""

NO_MESSAGES = {
    "is retained, ": "how a warning begins that `krm-fn explain` looks for",
    "a key that they need is gone": "why pods do not start, in what `krm-fn diff` prints",
    "is not in namespace {}, where they are now": "the same",
    "# Source:": "what Helm writes before each template",
    r"# Source: \S+/templates/": "a regular expression",
    "%(prog)s %(version)s": "what --version prints",
    "kubectl revisions": "the name of a program",
    "krm-fn {}": "what `krm-fn version` prints",
    "{}{} and {} more": "how a long list ends",
    "{} of {}, {}": "how far `krm-fn diff` is, at a terminal",
    "Connection[Any, Any]": "a type",
    "({})": "the size of a value that `krm-fn diff` does not show",
    "live in {}": "the name of a cluster, in what `krm-fn diff --live` prints",
    "the cluster": "the same, without a namespace",
    " (cannot be rendered)": "behind the name of a revision, in what `krm-fn diff` prints",
    "else it is refused": "an assertion",
    "found duplicate anchor": "how an error of libyaml begins that nobody sees",
    "found undefined alias": "an error of libyaml, which is shown behind `invalid YAML`",
    "git merge-file": "the name of a program",
    "--format=%H %P": "an argument of git",
    "# {}\n": "a line that a merge must end with",
    r"[\w.\[\]/|~ -]+": "a regular expression",
    r"[\w.<>=~^*|, -]+?": "a regular expression",
    'read -r never; rm -rf -- "$1" || { sleep 1; exec rm -rf -- "$1"; }': "a script",
    "import shutil, sys; open(0).read(); shutil.rmtree(sys.argv[1])": "a script",
    "And the options of krm-fn render: {}.": "how the help of other commands ends",
    "--- {}\n": "the line above each look of `krm-fn history --watch`",
    "kubectl delete {} -n {} --ignore-not-found": "a command for kubectl",
    "foreign owner": "a state of a revision",
    "unseen kind": "a state of a revision",
    "unlinked tracker": "a state of a revision",
    **dict.fromkeys(
        ("in use", "being replaced", "rolling out", "not started", "not applied", "no set"),
        "a state in a table",
    ),
    **dict.fromkeys(("no answer", "no report"), "why a column is empty"),
    (
        "nothing ever deletes its revisions: no object that the linker sees references them; a reader in its "
        "namespace changes that, and {}: {} leaves the object alone"
    ): "an answer of `krm-fn explain`",
    (
        "nothing ever deletes its revisions: the linker has no right on Secrets, which spec.linker.secrets: true "
        "gives it"
    ): "an answer of `krm-fn explain`",
    **dict.fromkeys(
        (
            "{} passes the name to a program; the function changes no such text",
            "no rule reads this field; an entry of spec.references would",
            "no rule reads this field; what is made of it has this name",
            "the text says what it is, and no rule changes it",
            "a text for people, and no rule changes it",
            "a variable: the function changes no text that a program gets",
        ),
        "an answer of `krm-fn explain`",
    ),
    "no entry of spec.select matches it": "an answer of `krm-fn explain`",
    "add an entry, or annotate it with {}: {}": "an answer of `krm-fn explain`",
    "no pod template of the package references it": "an answer of `krm-fn explain`",
    "only values of a chart name it, and its pods are rendered in the cluster": "an answer of `krm-fn explain`",
    "annotate it with {}: {} to rename it all the same": "an answer of `krm-fn explain`",
    "{}, and an earlier run has made it a revision": "an answer of `krm-fn explain`",
    "{}, and kustomize names it by its content": "an answer of `krm-fn explain`",
    "only {}": "an answer of `krm-fn explain`",
    "{} reads it": "an answer of `krm-fn explain`",
    "pods read it": "an answer of `krm-fn explain`",
    "{} matches it": "an answer of `krm-fn explain`",
    "its annotation {} says so": "an answer of `krm-fn explain`",
    "the package does not contain it: its name stays": "an answer of `krm-fn explain`",
    "nothing in the package makes it": "an answer of `krm-fn explain`",
    "an earlier run has emitted it for the linker": "an answer of `krm-fn explain`",
    "it is the configuration": "an answer of `krm-fn explain`",
    "it is for tools, and never applied ({})": "an answer of `krm-fn explain`",
    "name beside kind: Job": "what is named in a message",
    r"\1 (docs/\2)": "how it writes a link",
    **dict.fromkeys(
        ("Expected {} arguments, got {}", "Got unexpected field names: {}"),
        "what Python says of a wrong call of a named tuple",
    ),
    "lambda cls, {}: new(cls, ({}))": "code",
    "# Source: ": "a comment of Helm",
    r"for \w+ in\b": "a regular expression",
}
"""Texts that are no messages, and what they are."""

_CODE = re.compile(r"[\w\[\], .]+( \| [\w\[\], .]+)+|.*(\(\?|\\[rt]).*")
"""Names of types (`Progress | None`) and regular expressions."""

WORD = re.compile(r"[A-Za-z]{2,}")
_SUMMARY = re.compile(r"(nothing|[0-9]+) (renamed|adopted|with a checksum)\b.*")
"""What every success ends with. Without most of its words, it is too short to be recognised."""

_MAKES_A_MESSAGE = re.compile(
    r"\b(Problem|Rejected|ApiError|UsageError|ClickException|about|at)\(|report\.(fail|warn)"
)

OTHER_PROGRAMS = "What other programs say"

OWN = [one for one in read_messages() if one.group != OTHER_PROGRAMS]
KNOWN = read_parts() | {text for one in OWN for text in one.templates}


def _is_explained(text: Text) -> bool:
    return (
        text.text in KNOWN
        or text.text in NO_MESSAGES
        or text.file in ANSWERS
        or bool(_CODE.fullmatch(text.text))
        or any(one.is_about(text.text) for one in OWN)
    )


def test_every_text_in_the_source_is_explained_or_no_message() -> None:
    unknown = [
        f"{one.file}:{one.line}: {one.text}" for one in find_texts() if not _is_explained(one)
    ]
    assert unknown == [], "add it to docs/messages.yaml"


def test_every_part_is_in_the_source_and_in_no_message() -> None:
    texts = {one.text for one in find_texts()}
    # A single word is no text of its own for `find_texts`.
    parts = read_parts() | NO_MESSAGES.keys()
    assert sorted(text for text in parts if " " in text.strip() and text not in texts) == []
    assert [text for text in read_parts() if any(one.is_about(text) for one in OWN)] == []


def test_every_word_of_a_message_is_from_the_source() -> None:
    """All but a few, such as the value of an annotation, stand in a text that is a part of the message."""
    texts = {one.text for one in find_texts()}
    everything = " ".join(texts)
    for one in OWN:
        if not any(map(one.has_case, texts)):
            parts = " ".join(filter(one.has_part, texts))
            others = {word for word in WORD.findall(one.templates[0]) if word not in parts}
            assert len(others) <= 5, one.says
            assert all(word in everything for word in others), one.says


@pytest.mark.parametrize("file", ANSWERS)
def test_a_file_without_messages_makes_none(file: str) -> None:
    source = (ROOT / file).read_text()
    assert not _MAKES_A_MESSAGE.search(source)
    assert file in {one.file for one in find_texts()}


OF_ANOTHER_FUNCTION = "from the function before us"
"""A result that a ResourceList has, and keeps."""


def printed_lines() -> set[str]:
    """Return every message in the fixtures, without its address."""
    lines: set[str] = set()
    for file in FIXTURES.rglob("stderr.txt"):
        lines |= set(file.read_text().splitlines())
    for file in FIXTURES.glob("transforms/*/output.yaml"):
        _, _, results = file.read_text().partition("\nresults:\n")
        if results:
            *problems, summary = yaml.safe_load(f"results:\n{results}")["results"]
            assert _SUMMARY.fullmatch(summary["message"])
            lines |= {one["message"] for one in problems}
    return lines


@pytest.mark.rows(test=0)
def test_every_message_of_the_fixtures_is_in_the_list() -> None:
    specific = [one for one in read_messages() if one.is_specific()]
    lines = printed_lines() - {OF_ANOTHER_FUNCTION}
    assert len(lines) > 100
    assert [line for line in sorted(lines) if not any(one.matches(line) for one in specific)] == []


def test_a_message_says_what_it_means_and_what_to_do() -> None:
    for one in read_messages():
        assert one.means or one.do, one.says
        for text in filter(None, (one.means, one.do)):
            assert text.endswith((".", "`", "?")), one.says
        for link in re.findall(r"\]\((\S+?\.md)", one.means + one.do):
            assert PAGE.parent.joinpath(link).exists(), one.says


def test_forty_messages_are_the_frequent_ones() -> None:
    assert len([one for one in read_messages() if one.is_frequent]) == 40


def test_the_page_is_made_from_the_list() -> None:
    assert PAGE.read_text() == page()
