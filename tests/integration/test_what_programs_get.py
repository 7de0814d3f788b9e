"""What helm gets of kustomizations that can be read in two ways: what krm-fn has checked, or nothing at all.

helm is a stand-in that records how it is called and what it could read. kustomize is the real one: it alone says what a
kustomization means. The generated cases have fields that are there again in another case, merged, in Lists, in several
documents, behind tags and escapes, and names that are paths.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from textwrap import indent
from typing import Any, NamedTuple

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.builds import builds as tools
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.builds.check_chart import check_chart
from krm_fn.tools.common.files import Limits
from krm_fn.tools.opened.sources import Inputs
from tests.render.run import render, write
from tests.volume import part_of, seed_of
from tests.wait import PATIENCE

HELM = """#!{python} -SE
import json, os, sys
arguments = sys.argv[1:]
def read(folder):
    places = [os.path.join(here, name) for here, _, names in os.walk(folder) for name in names]
    return {{os.path.relpath(place, folder): open(place).read() for place in places}}
values = [open(file).read() for option, file in zip(arguments, arguments[1:]) if option == "-f"]
charts = [read(arguments[2])] if arguments[0] == "template" else []
called = {{"arguments": arguments, "home": os.environ["HELM_CONFIG_HOME"], "values": values, "charts": charts}}
with open({record!r}, "a") as record:
    record.write(json.dumps(called) + chr(10))
if arguments[0] == "version":
    print("v3.18.0")
elif arguments[0] == "pull":
    sources = [one for one in arguments[4:] if not one.startswith(("-", "http"))]
    chart = arguments[arguments.index("--untardir") + 1] + "/" + sources[0].rpartition("oci://h/")[2]
    os.makedirs(chart)
    open(chart + "/Chart.yaml", "w").write("name: pulled")
    open(chart + "/values.yaml", "w").write("a: pulled")
else:
    name = "rendered-" + os.path.basename(arguments[2]) + arguments[1].encode().hex()[-20:]
    print("apiVersion: v1", "kind: ConfigMap", "metadata: {{name: " + name + "}}", "data: {{A: b}}", sep=chr(10))
"""
KNOWN_OPTIONS = {
    *(
        "-f",
        "--namespace",
        "--kube-version",
        "--api-versions",
        "--include-crds",
        "--no-hooks",
        "--skip-tests",
    ),
    *("--devel", "--debug", "--generate-name"),
}

GENERATOR = "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: a}\n"
TREE: dict[str, str | bytes] = {
    "repo/shop/charts/web/Chart.yaml": "name: web",
    "repo/shop/charts/web/values.yaml": "a: web",
    "repo/shop/charts/evil/Chart.yaml": "name: evil",
    "repo/shop/charts/evil/values.yaml": "a: evil",
    "repo/shop/evil/web/values.yaml": "a: another",
    "repo/shop/evil/values.yaml": "a: evil",
    "repo/shop/plugins/plugins/run": "of the repository",
    "repo/shop/evil.yaml": f"{GENERATOR}name: evil\nreleaseName: b\nconfigHome: plugins\n",
    "victim/values.yaml": "a: of the user",
}
PATHS = (
    *(
        "..",
        ".",
        "",
        "../evil",
        "../charts/web",
        "../../../victim",
        "../../../../victim",
        "/victim",
        "~",
        "~/victim",
    ),
    *(
        "a\0b",
        "..\\evil",
        "\uff0e\uff0e\uff0fevil",
        "\u2025/evil",
        "\u2100",
        "evil\n",
        "x" * 300,
        "-x",
    ),
    "--post-renderer=./run",
)
"""Texts that are no name of one file, or could be an option."""

HOSTILE: dict[str, tuple[str, ...]] = {
    "configHome": ("plugins", "./plugins", "/victim", *PATHS[:4]),
    "chartHome": ("evil", "../../victim", *PATHS),
    "name": ("evil", *PATHS),
    "version": ("1.0", "1.0/../../../evil", *PATHS),
    "repo": ("http://h", "oci://h", "-x"),
    "releaseName": PATHS,
    "namespace": PATHS,
    "nameTemplate": ('{{ env "HOME" }}',),
    "kubeVersion": PATHS,
    "valuesFile": ("evil/values.yaml", "../../victim/values.yaml", *PATHS),
    "kind": ("ConfigMapGenerator", "HelmChartInflationGenerator", "List"),
}
SAFE = {"configHome": '""', "chartHome": "charts", "nameTemplate": '""'}
"""Values of fields that may be beside hostile ones, and that nobody refuses."""

IN_GLOBALS = ("configHome", "chartHome")
IN_A_CHART = tuple(name for name in HOSTILE if name not in {*IN_GLOBALS, "kind"})
AT_THE_TOP = {
    "helmGlobals": ("{configHome: plugins}", "{chartHome: evil}", "null"),
    "helmCharts": ("[{name: evil, releaseName: b}]", "null"),
    "generators": ("[evil.yaml]", "null"),
}
WORDS = (
    "1.10",
    "1e3",
    "0x10",
    "yes",
    "on",
    "~",
    "null",
    "2020-01-01",
    "!!str 1",
    "!!int 1",
    "!a web",
    "true",
    "[web]",
)
LIKE_LETTERS = {"s": "\u017f", "k": "\u212a", "K": "\u212a", "fi": "\ufb01", "st": "\ufb06"}
"""What Go or Python may take for them. Only the first are one letter to Go."""

BETWEEN = (
    "---",
    "--- # a",
    "---#x: |",
    "---#x:",
    "...\n---",
    "---\t",
    "---\u00a0#x: |",
    "--- |",
    "--- # a\r",
)
"""Lines that may begin another document."""

Pairs = list[tuple[str, str]]


class Called(NamedTuple):
    """How helm was called, and what it could read: the files of values, and the folders of charts."""

    arguments: list[str]
    home: str
    values: list[str]
    charts: list[dict[str, str]]


class Bench(NamedTuple):
    """A folder with a tree, a stand-in for helm, and a folder for temporary files."""

    folder: Path
    path: str

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    def read_calls(self) -> list[Called]:
        record = self.folder / "record"
        return (
            [Called(**json.loads(line)) for line in record.read_text().splitlines()]
            if record.exists()
            else []
        )

    def build(self) -> None:
        """Let kustomize build what krm-fn is to check."""
        environment = {**os.environ, "PATH": self.path, "TMPDIR": str(self.temporary)}
        command = ["kustomize", "build", "--enable-helm", str(self.folder / "repo/shop")]
        subprocess.run(command, env=environment, capture_output=True, check=False, timeout=PATIENCE)

    def render(self, monkeypatch: pytest.MonkeyPatch, limits: Limits) -> Outcome:
        monkeypatch.chdir(self.folder)
        monkeypatch.setenv("PATH", self.path)
        monkeypatch.setenv("TMPDIR", str(self.temporary))
        monkeypatch.setattr(tempfile, "tempdir", str(self.temporary))
        return render(Inputs(("repo/shop",)), HelmOptions(), limits=limits)

    def list_templates(self) -> list[Any]:
        """Return what helm was told to render, without the names of temporary folders, and each once."""
        found: list[Any] = []
        for call in self.read_calls():
            arguments = [self._shorten(one) for one in call.arguments]
            what = [arguments, call.values, call.charts]
            if call.arguments[0] == "template" and what not in found:
                found.append(what)
        return found

    def _shorten(self, argument: str) -> str:
        argument = argument.rpartition(str(self.folder))[2]
        # krm-fn gives kustomize a folder of its own for temporary files.
        argument = re.sub(r"/krm-fn\.\w+(?=/kustomize-helm-)", "", argument)
        return re.sub(r"(kustomize-helm-|krm-fn\.)\w+", r"\1", argument)

    def list_files(self) -> dict[str, str]:
        """Return all that is to stay as it is. Folders that kustomize leaves behind are its own."""
        files = [
            file
            for file in self.folder.rglob("*")
            if file.name != "record" and "kustomize-helm-" not in str(file)
        ]
        return {
            str(file.relative_to(self.folder)): file.read_text() if file.is_file() else ""
            for file in files
        }


Make = Callable[..., Bench]


@pytest.fixture
def make_bench(require_tool: Callable[[str], Path], tmp_path: Path) -> Make:
    kustomize = require_tool("kustomize").parent

    def make(name: str, files: dict[str, str]) -> Bench:
        # So that paths upwards stay in the folder of the test.
        folder = tmp_path / name / "folder/folder"
        script = HELM.format(python=sys.executable, record=str(folder / "record"))
        write(folder, {**TREE, **files, "bin/helm": script})
        (folder / "bin/helm").chmod(0o755)
        (folder / "tmp").mkdir()
        return Bench(
            folder, os.pathsep.join([str(folder / "bin"), str(kustomize), "/usr/bin", "/bin"])
        )

    return make


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Collect the content of each chart that krm-fn checks."""
    found: list[dict[str, str]] = []

    def collect(directory: Path, *others: Any) -> None:
        check_chart(directory, *others)
        files = (file for file in directory.rglob("*") if file.is_file())
        found.append({str(file.relative_to(directory)): file.read_text() for file in files})

    monkeypatch.setattr(tools, "check_chart", collect)
    return found


def assert_harmless(bench: Bench, checked: list[dict[str, str]], limits: Limits) -> None:
    for call in bench.read_calls():
        assert call.home.startswith(f"{bench.temporary}/"), "plugins of helm may be there"
        assert all(chart in checked for chart in call.charts)
        options = {one for one in call.arguments if one.startswith("-")}
        assert call.arguments[0] != "template" or options <= KNOWN_OPTIONS
        assert call.arguments[0] != "pull" or not limits.no_remote


def in_a_file(generator: str) -> dict[str, str]:
    return {"repo/shop/kustomization.yaml": "generators: [g.yaml]\n", "repo/shop/g.yaml": generator}


def in_globals(fields: str) -> dict[str, str]:
    text = f"helmCharts: [{{name: web, releaseName: a}}]\nhelmGlobals: {{{fields}}}\n"
    return {"repo/shop/kustomization.yaml": text}


ALSO_WEB = "helmCharts: [{name: web, releaseName: a}]\ngenerators: [g.yaml]\n"
HARM: list[Any] = [
    pytest.param(
        in_globals('configHome: plugins, ConfigHome: ""'), id="a field in another case behind it"
    ),
    pytest.param(
        in_globals("ConfigHome: plugins, configHome: null"), id="a null, which changes nothing"
    ),
    pytest.param(
        in_globals('configHome: "", <<: {configHome: plugins}'), id="a merge behind its field"
    ),
    pytest.param(
        in_a_file(
            f"{GENERATOR}name: web\nreleaseName: a\nconfigHome: plugins\ncon\ufb01gHome: ''\n"
        ),
        id="a ligature",
    ),
    pytest.param(
        in_a_file(f"{GENERATOR}name: web\nreleaseName: a\nconfigHome: plugins\nConfigHome: ''\n"),
        id="in a generator",
    ),
    pytest.param(
        {
            **in_a_file(f"{GENERATOR}Kind: a\nname: evil\nreleaseName: b\nconfigHome: plugins\n"),
            "repo/shop/kustomization.yaml": ALSO_WEB,
        },
        id="a kind in another case",
    ),
    pytest.param(
        {
            **in_a_file(
                "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nname: a\n---#x: |\n"
                + indent(f"{GENERATOR}name: evil\nreleaseName: b\nconfigHome: plugins\n", "  ")
            ),
            "repo/shop/kustomization.yaml": ALSO_WEB,
        },
        id="a document behind a comment that is a key",
    ),
]


@pytest.mark.parametrize("files", HARM)
def test_kustomize_reads_what_we_refuse(
    files: dict[str, str], make_bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kustomize gives helm a folder with plugins of the repository in each of these."""
    original = make_bench("original", files)
    original.build()
    assert any(call.home == "plugins" for call in original.read_calls())
    bench = make_bench("bench", files)
    outcome = bench.render(monkeypatch, Limits(enable_helm=True, no_remote=True))
    assert outcome.stderr.startswith("error: repo/shop/")
    assert (outcome.stdout, outcome.exit_code, bench.read_calls()) == (b"", 1, [])


def test_kustomize_writes_to_where_the_name_of_a_chart_leads(
    make_bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "../charts/web"
    files = {
        "repo/shop/kustomization.yaml": f"helmCharts: [{{name: {name}, releaseName: a}}]\n",
        "tmp2/a": "",
    }
    original = make_bench("original", files)
    (original.temporary / "charts").mkdir()
    original.build()
    assert (original.temporary / "charts/web-kustomize-values.yaml").exists(), (
        "beside its own folder"
    )
    bench = make_bench("bench", files)
    outcome = bench.render(monkeypatch, Limits(enable_helm=True))
    assert "name of a chart must name one folder" in outcome.stderr
    assert not bench.read_calls()


def test_what_is_beside_the_tree_stays_where_a_name_leads_there(
    make_bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is pulled is moved, and here that would be a folder of the user."""
    entry = "{name: ../../../../victim, releaseName: a, repo: 'http://h', version: 1.0.0}"
    bench = make_bench("bench", {"repo/shop/kustomization.yaml": f"helmCharts: [{entry}]\n"})
    before = bench.list_files()
    outcome = bench.render(monkeypatch, Limits(enable_helm=True, root=Path("repo")))
    assert (outcome.exit_code, bench.read_calls(), bench.list_files()) == (1, [], before)


class Case(NamedTuple):
    files: dict[str, str]
    limits: Limits


def generate(random: Random) -> Case:
    chart: Pairs = [("name", "web"), ("releaseName", "a")]
    chart += [("valuesInline", "{a: 1, A: 2}")] if random.random() < 0.3 else []
    chart += [("repo", "http://h"), ("version", "1.0.0")] if random.random() < 0.3 else []
    globals_: Pairs = [("chartHome", "charts")] if random.random() < 0.5 else []
    limits = Limits(
        enable_helm=True,
        no_remote=random.random() < 0.5,
        root=Path("repo") if random.random() < 0.5 else None,
    )
    if random.random() < 0.5:
        top = [("helmCharts", f"[{_flow(_change(random, chart, IN_A_CHART))}]")]
        top += [("helmGlobals", _flow(_change(random, globals_, IN_GLOBALS)))]
        if random.random() < 0.3:
            top = _change_top(random, top)
        random.shuffle(top)
        text = _document(random, _block(top))
        if random.random() < 0.2:
            return Case(
                {"repo/shop/kustomization.yaml": "resources: [base]\n", **_moved(text)}, limits
            )
        return Case({"repo/shop/kustomization.yaml": text}, limits)
    pairs = [
        ("apiVersion", "builtin"),
        ("kind", "HelmChartInflationGenerator"),
        ("metadata", "{name: a}"),
    ]
    changed = _change(random, [*pairs, *chart, *globals_], (*IN_A_CHART, *IN_GLOBALS, "kind"))
    text = _document(random, _wrap(random, changed))
    top_level = "helmCharts: [{name: web, releaseName: c}]\n" if random.random() < 0.5 else ""
    if random.random() < 0.5:
        return Case(
            {
                "repo/shop/kustomization.yaml": f"{top_level}generators: [g.yaml]\n",
                "repo/shop/g.yaml": text,
            },
            limits,
        )
    inline = f"{top_level}generators:\n- {json.dumps(text, ensure_ascii=random.random() < 0.5)}\n"
    return Case({"repo/shop/kustomization.yaml": inline}, limits)


def _moved(text: str) -> dict[str, str]:
    return {
        "repo/shop/base/kustomization.yaml": text,
        **{
            name.replace("shop/", "shop/base/"): str(content)
            for name, content in TREE.items()
            if "shop/" in name
        },
    }


def _change(random: Random, pairs: Pairs, names: Sequence[str]) -> Pairs:
    """Change some fields, and put others beside them."""
    pairs = [*pairs]
    for _ in range(random.choice((0, 1, 1, 1, 2))):
        name = random.choice(["configHome", *names] if "configHome" in names else names)
        value = json.dumps(random.choice(HOSTILE[name]), ensure_ascii=random.random() < 0.5)
        place = random.randint(0, len(pairs))
        if name in SAFE and name not in dict(pairs) and random.random() < 0.7:
            pairs.insert(random.randint(0, len(pairs)), (name, SAFE[name]))
        way = random.choice(
            ("twin", "twin", "replace", "replace", "merge", "merge", "null", "word", "spelling")
        )
        if way == "twin":
            pairs.insert(place, (_respell(random, name), value))
        elif way == "replace":
            pairs = [(key, value if key == name else old) for key, old in pairs]
            pairs += [] if name in dict(pairs) else [(name, value)]
        elif way == "merge":
            pairs.insert(place, _merge(random, f"{{{_respell(random, name)}: {value}}}"))
        elif way == "null":
            pairs.insert(place, (_respell(random, name), "null"))
        elif way == "word":
            word = random.choice(WORDS)
            pairs = [(key, word if key == name else old) for key, old in pairs] + [
                ("devel", random.choice(WORDS))
            ]
        else:
            pairs = [(_write(random, key), old) for key, old in pairs]
    return pairs


def _change_top(random: Random, pairs: Pairs) -> Pairs:
    name = random.choice([*AT_THE_TOP])
    value = random.choice(AT_THE_TOP[name])
    key = _respell(random, name)
    merge = _merge(random, f"{{{key}: {value}}}")
    return [*pairs, random.choice([(key, value), merge])]


def _merge(random: Random, mapping: str) -> tuple[str, str]:
    key = random.choice(("<<", "<<", "<<", '"<<"', "!!merge <<", '! "<<"'))
    return key, random.choice(
        (mapping, f"[{mapping}]", f"[{{a: b}}, {mapping}]", f"{{<<: {mapping}}}")
    )


def _respell(random: Random, name: str) -> str:
    way = random.randint(0, 3)
    if way == 0:
        return name
    if way == 1:
        return name[0].upper() + name[1:]
    if way == 2:
        return "".join(random.choice((one.lower(), one.upper())) for one in name)
    for letters, others in LIKE_LETTERS.items():
        name = name.replace(letters, others) if random.random() < 0.7 else name
    return name


def _write(random: Random, key: str) -> str:
    ways = (
        key,
        json.dumps(key),
        f"!!str {key}",
        f"!a {key}",
        f"? {key}\n",
        f'"\\x{ord(key[0]):02x}{key[1:]}"',
    )
    return (
        random.choice((*ways, f"!!binary {b64encode(key.encode()).decode()}"))
        if random.random() < 0.3
        else key
    )


def _block(pairs: Pairs) -> str:
    return "".join(f"{key}: {value}\n" for key, value in pairs)


def _flow(pairs: Pairs) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"


def _wrap(random: Random, pairs: Pairs) -> str:
    """Put a generator into Lists, or behind another document."""
    way = random.randint(0, 4)
    if way == 0:
        kind = random.choice(("List", "AnyList", "ResourceList"))
        inner = f"{{apiVersion: v1, kind: AList, items: [{_flow(pairs)}]}}"
        return f"apiVersion: v1\nkind: {kind}\nitems: [{random.choice((_flow(pairs), inner))}]\n"
    if way == 1:
        between = random.choice(BETWEEN)
        behind = indent(_block(pairs), "  ") if between.endswith(("|", "x:")) else _block(pairs)
        return f"apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {{name: b}}\nname: b\n{between}\n{behind}"
    return _block(pairs)


def _document(random: Random, text: str) -> str:
    """Put something before or behind a text that may count for it."""
    return (
        random.choice(("\ufeff", "---\n", "# a\n---\n", "%YAML 1.1\n---\n", *[""] * 8))
        + text
        + random.choice(
            (
                "---\n",
                "...\n",
                "---\nhelmGlobals: {configHome: plugins}\n",
                "...\n---\nhelmCharts: null\n",
                *[""] * 12,
            )
        )
    )


@pytest.mark.parametrize("number", range(part_of(3000)))
def test_what_helm_gets_is_what_was_checked(
    number: int, make_bench: Make, checked: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = generate(Random(seed_of(number)))
    bench = make_bench("bench", case.files)
    before = bench.list_files()
    outcome = bench.render(monkeypatch, case.limits)
    assert bench.list_files() == before
    assert_harmless(bench, checked, case.limits)
    if outcome.exit_code == 0:
        original = make_bench("original", case.files)
        original.build()
        assert bench.list_templates() == original.list_templates()
