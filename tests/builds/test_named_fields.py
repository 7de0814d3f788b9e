"""Fields that kustomize could read in another way than they are written, and names that lead elsewhere.

kustomize and helm are scripts here that say that they were started; tests/integration/test_what_programs_get.py asks
the real kustomize what it reads.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from krm_fn.base.go_yaml import fold_name
from krm_fn.base.problem import Rejected
from krm_fn.tools.builds.named_fields import read_kustomization, read_plainly
from krm_fn.tools.common.files import Limits, is_name, prove_below
from tests.builds.test_builds import install
from tests.render.run import render_in, write

STARTED = """#!/bin/sh
echo "${0##*/}" >> "${0%/*}/started"
echo "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {A: b}}"
"""
WEB = "helmCharts: [{name: web, releaseName: a}]\n"
GENERATOR = (
    "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: a}\nname: web\n"
)
IN_THE_FILE = f"{WEB}generators: [g.yaml]\n"
INLINE = f"{WEB}generators:\n- |\n  "


def one_field(place: str, first: str, second: str) -> str:
    return f"repo/shop/{place}: found {first} and {second}, which kustomize reads as one field; remove one"


MERGE = "kustomize lets a merge key replace the fields in front of it; write << first"
DOCUMENTS = "kustomize reads one document of a kustomization; remove the others"
SEPARATOR = "kustomize could take this line for the end of a document; write --- alone"
NAME = "name of a chart must name one folder; write a short name without slashes"
VERSION = NAME.replace("name of", "version of")
NO_ARGUMENT = "has the character U+0000, which no program can be given; remove it"
DEVEL = "devel must be true or false; kustomize reads other words in more ways than one"

LIMITS = Limits(enable_helm=True)
CHART: dict[str, str | bytes] = {"repo/shop/charts/web/Chart.yaml": "name: web\n"}

REFUSED: list[Any] = [
    pytest.param(
        f'{WEB}helmGlobals: {{configHome: a, ConfigHome: ""}}\n',
        one_field("kustomization.yaml:2:30", "configHome", "ConfigHome"),
        "",
        id="two fields that differ in case",
    ),
    pytest.param(
        f"{WEB}helmGlobals: {{chartHome: charts}}\nHelmGlobals: {{configHome: a}}\n",
        one_field("kustomization.yaml:3:1", "helmGlobals", "HelmGlobals"),
        "",
        id="at the top, where kustomize puts both together",
    ),
    pytest.param(
        f"{WEB}helmGlobals: {{chartHome: a, CHARTHOME: null}}\n",
        one_field("kustomization.yaml:2:29", "chartHome", "CHARTHOME"),
        "",
        id="one of them null",
    ),
    pytest.param(
        "helmCharts: [{name: web, relea\u017feName: a, releaseName: b}]\n",
        one_field("kustomization.yaml:1:42", "relea\u017feName", "releaseName"),
        "",
        id="a letter that Go takes for an s",
    ),
    pytest.param(
        f"{WEB}helmGlobals: {{<<: {{configHome: a}}, ConfigHome: b}}\n",
        one_field("kustomization.yaml:2:36", "configHome", "ConfigHome"),
        "",
        id="one of them merged",
    ),
    pytest.param(
        f"{WEB}commonLabels: &a {{name: b, Name: c}}\nhelmGlobals: *a\n",
        one_field("kustomization.yaml:2:28", "name", "Name"),
        "",
        id="a map that is free, and not free through an alias",
    ),
    pytest.param(
        f'{WEB}helmGlobals: {{configHome: "", <<: {{configHome: a}}}}\n',
        f"repo/shop/kustomization.yaml:2:31: {MERGE}",
        "",
        id="a merge behind its field",
    ),
    pytest.param(
        f"{WEB}---\nnamePrefix: a-\n",
        f"repo/shop/kustomization.yaml:3:1: {DOCUMENTS}",
        "",
        id="two documents",
    ),
    pytest.param(
        IN_THE_FILE,
        f"repo/shop/g.yaml:5:1: {SEPARATOR}",
        f"{GENERATOR}---#a: b\n",
        id="a comment behind three hyphens, which is a key",
    ),
    pytest.param(
        IN_THE_FILE,
        one_field("g.yaml:5:1", "name", "Name"),
        f"{GENERATOR}Name: evil\n",
        id="in the file of a generator",
    ),
    pytest.param(
        IN_THE_FILE,
        one_field("g.yaml:3:29", "kind", "Kind"),
        "kind: AnyList\nitems:\n- {apiVersion: builtin, kind: a, Kind: b}\n".replace(
            "builtin", "v1"
        ),
        id="in a List",
    ),
    pytest.param(
        INLINE + "{kind: a, Kind: b}\n",
        "repo/shop/kustomization.yaml:3:3: in this text: line 1, column 11: found kind and Kind, which kustomize reads "
        "as one field; remove one",
        "",
        id="in place",
    ),
    pytest.param(
        IN_THE_FILE,
        "repo/shop/kustomization.yaml:2:14: configHome may hold plugins of helm, which would run; remove it",
        f"{GENERATOR}configHome: a\ncon\ufb01gHome: ''\n",
        id="a ligature, which Go takes for no letters",
    ),
    pytest.param(
        "generators: [g.yaml]\n",
        f"repo/shop/kustomization.yaml:1:14: {NAME}",
        GENERATOR.replace("name: web", "name: ../../../user"),
        id="a name that leads upwards, in the file of a generator",
    ),
    pytest.param(
        "generators: [g.yaml]\n",
        "repo/shop/kustomization.yaml:1:14: the chart web is not in repo/shop/other, and without a `repo`",
        f"{GENERATOR}chartHome: other\n",
        id="a folder of charts without the chart, in the file of a generator",
    ),
    pytest.param(
        "helmCharts: [{name: web, devel: yes}]\n",
        f"repo/shop/kustomization.yaml:1:33: {DEVEL}",
        "",
        id="an old boolean",
    ),
    pytest.param(
        "helmCharts: [{name: ../../../user, repo: 'http://h'}]\n",
        f"repo/shop/kustomization.yaml:1:14: {NAME}",
        "",
        id="a name that leads upwards",
    ),
    pytest.param(
        "helmCharts: [{name: web, version: 1/../../.., repo: 'http://h'}]\n",
        f"repo/shop/kustomization.yaml:1:14: {VERSION}",
        "",
        id="a version that leads upwards",
    ),
    pytest.param(
        f'{WEB}helmGlobals: {{chartHome: "a\\0b"}}\n',
        f"repo/shop/kustomization.yaml:1:14: chartHome {NO_ARGUMENT}",
        "",
        id="a folder with a character that no path has",
    ),
    pytest.param(
        'helmCharts: [{name: web, repo: "http://a\\0b"}]\n',
        f"repo/shop/kustomization.yaml:1:32: repo {NO_ARGUMENT}",
        "",
        id="an argument with such a character",
    ),
    pytest.param(
        f"helmCharts: [{{name: web}}]\nhelmGlobals: {{chartHome: {'a' * 300}}}\n",
        f"repo/shop/kustomization.yaml:1:14: the chart web is not in repo/shop/{'a' * 300}, and without a `repo`",
        "",
        id="a folder with a name that is too long",
    ),
]


def start(
    kustomization: str,
    generator: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    limits: Limits = LIMITS,
) -> tuple[str, list[str]]:
    """Return what krm-fn says, and the programs that it has started."""
    write(
        folder,
        {"repo/shop/kustomization.yaml": kustomization, "repo/shop/g.yaml": generator, **CHART},
    )
    install(folder / "bin", monkeypatch, kustomize=STARTED, helm=STARTED)
    outcome = render_in(folder, monkeypatch, "repo/shop", limits=limits)
    started = folder / "bin/started"
    return outcome.stderr, started.read_text().split() if started.exists() else []


@pytest.mark.parametrize(("kustomization", "sentence", "generator"), REFUSED)
def test_what_could_be_read_in_two_ways_starts_nothing(
    kustomization: str,
    sentence: str,
    generator: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said, started = start(kustomization, generator, tmp_path, monkeypatch)
    assert (said, started) == (f"error: {sentence}\n", [])


ALLOWED = [
    pytest.param(
        f"commonLabels: {{name: a, Name: b}}\n{WEB}", "", id="labels, which are no named fields"
    ),
    pytest.param(
        "helmCharts: [{name: web, valuesInline: {a: 1, A: {b: 1, B: 2}}}]\n",
        "",
        id="values of a chart",
    ),
    pytest.param(f"labels: [{{pairs: {{a: b, A: c}}}}]\n{WEB}", "", id="pairs of labels"),
    pytest.param(
        f"patches: [{{patch: '{{a: b, A: c}}', target: {{kind: D}}}}]\n{WEB}",
        "",
        id="a patch in place",
    ),
    pytest.param(
        f"{WEB}helmGlobals: {{<<: {{chartHome: a}}, chartHome: charts}}\n", "", id="a merge first"
    ),
    pytest.param(f"---\n{WEB}---\n", "", id="an empty document behind the only one"),
    pytest.param(f"\ufeff{WEB}", "", id="a byte order mark"),
    pytest.param("HelmCharts: [{NAME: web, devel: true}]\n", "", id="other cases, each once"),
    pytest.param(IN_THE_FILE, f"{GENERATOR}--- # a\n{GENERATOR}", id="documents of a generator"),
    pytest.param(
        IN_THE_FILE,
        GENERATOR.replace("{name: a}", "{name: a, labels: {b: c, B: d}}"),
        id="labels of a generator",
    ),
]


@pytest.mark.parametrize(("kustomization", "generator"), ALLOWED)
def test_what_can_only_be_read_in_one_way(
    kustomization: str, generator: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, started = start(kustomization, generator, tmp_path, monkeypatch)
    assert (said, started) == ("", ["kustomize", "kustomize"])


def test_what_is_pulled_leads_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Helm unpacks no links.

    One would name what is moved, and what is checked as if it were of the chart.
    """
    write(tmp_path, {"user/values.yaml": "a: b\n"})
    text = "helmCharts: [{name: other, repo: 'http://h'}]\n"
    pull = f'#!/bin/sh\n/bin/ln -s {tmp_path}/user "$4/other"\n'
    write(tmp_path, {"shop/kustomization.yaml": text})
    install(tmp_path / "bin", monkeypatch, kustomize=STARTED, helm=pull)
    outcome = render_in(tmp_path, monkeypatch, "shop", limits=Limits(enable_helm=True))
    assert "the only folder that may be changed" in outcome.stderr
    assert not (tmp_path / "bin/started").exists()
    assert (tmp_path / "user/values.yaml").exists()


def test_names_are_folded_as_go_folds_them() -> None:
    """`foldRune` of encoding/json: of all characters, two are folded into ASCII."""
    folded = {
        one
        for one in map(chr, range(sys.maxunicode + 1))
        if not one.isascii() and fold_name(one).isascii()
    }
    assert folded == {"\u017f", "\u212a"}
    assert fold_name("ABCXYZabcxyz019-_.\u017f\u212a") == "abcxyzabcxyz019-_.sk"
    assert fold_name("\ufb01\u00c4\u0130\u00df") == "\ufb01\u00c4\u0130\u00df"


NAMES = {
    **dict.fromkeys(
        ("web", "web-1.0.0", ">=1.0 <2", "~1.2", "a.b", "...", "caf\u00e9", "x" * 100), True
    ),
    **dict.fromkeys(
        ("", ".", "..", "../web", "/web", "a/b", "a\\b", "a\0b", "a\nb", "a\x7fb", "x" * 101), False
    ),
    "\uff0e\uff0e\uff0fweb": False,  # NFKC makes ../web of it
    "\u2025": False,  # and .. of this
    "\u2100": False,  # and a/c of this
    "a\u202eb": False,  # shows what follows from the right
    "\u00e9" * 51: False,  # longer in bytes
}


@pytest.mark.parametrize(("text", "expected"), NAMES.items())
def test_a_name_is_one_file(text: str, expected: bool) -> None:
    assert is_name(text) is expected


BELOW = [
    pytest.param("own/a/b", True, id="below"),
    pytest.param("own/../own/a", True, id="below, through its own folder above"),
    pytest.param("own/inner/b", True, id="through a link that stays inside"),
    pytest.param("own/../user", False, id="beside"),
    pytest.param("own/link", False, id="a link to outside"),
    pytest.param("own/link/b", False, id="through a link to outside"),
    pytest.param("own-too", False, id="a name that begins alike"),
]


@pytest.mark.parametrize(("path", "is_below"), BELOW)
def test_what_is_changed_is_below_its_folder(path: str, is_below: bool, tmp_path: Path) -> None:
    write(tmp_path, {"own/a/x": "", "user/x": ""})
    (tmp_path / "own/link").symlink_to("../user")
    (tmp_path / "own/inner").symlink_to("a")
    if is_below:
        assert prove_below(tmp_path / path, tmp_path / "own") == tmp_path / path
        return
    with pytest.raises(Rejected, match="the only folder that may be changed"):
        prove_below(tmp_path / path, tmp_path / "own")


READ_AS_ONE = ["a: 1\nA: 2\n", "b: {a: 1, A: 2}\n", "b: [{a: 1, A: 2}]\n", "<<: [{a: 1}, {A: 2}]\n"]


@pytest.mark.parametrize("text", READ_AS_ONE)
def test_both_readers_refuse_two_names_of_one_field(text: str) -> None:
    for read in (read_plainly, read_kustomization):
        with pytest.raises(Rejected, match="which kustomize reads as one field"):
            read(text.encode())
