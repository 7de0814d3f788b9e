"""Which program builds a folder, with which arguments, and what is done with its output.

The programs are scripts that print their arguments; tests/integration runs the real ones.
"""

import os
from pathlib import Path

import pytest

from krm_fn.base.problem import Outcome
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import Limits
from krm_fn.tools.opened.sources import Inputs
from tests.render.run import render, render_in, write
from tests.tools.require import require

ECHO = """#!/bin/sh
printf 'apiVersion: v1\\nkind: Told\\nmetadata:\\n  name: >-\\n    %s' "${0##*/}"
for argument; do printf ' %s' "$argument"; done
echo
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, **programs: str) -> None:
    """Make these the only programs on PATH."""
    folder.mkdir()
    for name, script in programs.items():
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


BUILT = [
    pytest.param(
        ["kustomization.yaml"],
        ["kustomize", "kubectl", "helm"],
        "kustomize build -- {folder}/shop",
        id="kustomize",
    ),
    pytest.param(
        ["kustomization.yml"],
        ["kubectl", "helm"],
        "kubectl kustomize -- {folder}/shop",
        id="kubectl in its place",
    ),
    pytest.param(
        ["Kustomization", "Chart.yaml"],
        ["kustomize", "helm"],
        "kustomize build -- {folder}/shop",
        id="kustomize first",
    ),
    pytest.param(
        ["Chart.yaml"],
        ["kustomize", "helm"],
        "helm template --include-crds --skip-tests -- web {folder}/shop",
        id="helm, the release named like the chart",
    ),
]


FUNCTION_OFF = """#!/bin/sh
echo "Error: external plugins disabled; unable to load external plugin 'KIND'" >&2
exit 1
"""
LOADING = (
    "loading generator plugins: failed to load generator: external plugins disabled; unable to load"
)


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        pytest.param(
            "ConfigRevisions",
            "; functions of a kustomization are off here, but for krm-fn as the last of the `transformers`: list its "
            "file there, or a folder that builds it",
            id="this function",
        ),
        pytest.param(
            "SetImage",
            "; plugins are off here: kustomize build --enable-alpha-plugins --enable-exec shop | krm-fn render -",
            id="another function",
        ),
    ],
)
def test_a_kustomization_that_runs(
    kind: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One tree may be meant for `kustomize build --enable-exec` and for `krm-fn render`."""
    write(tmp_path, {"shop/kustomization.yaml": "{}\n"})
    install(tmp_path / "bin", monkeypatch, kustomize=FUNCTION_OFF.replace("KIND", kind))
    outcome = render_in(tmp_path, monkeypatch, "shop")
    assert outcome.stderr == (
        "error: shop: kustomize build exited with code 1: Error: external plugins disabled; unable to load external "
        f"plugin '{kind}'{hint}\n"
    )


def test_a_generator_that_runs_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a plugin is a word of the package, and no value."""
    write(tmp_path, {"shop/kustomization.yaml": "{}\n"})
    says = FUNCTION_OFF.replace("external plugins disabled; unable to load", LOADING)
    for kind, is_shown in {"ksops": True, "k: v": False}.items():
        install(tmp_path / kind, monkeypatch, kustomize=says.replace("KIND", kind))
        stderr = render_in(tmp_path, monkeypatch, "shop").stderr
        assert (f"{LOADING} external plugin '{kind}'; " in stderr) is is_shown
        assert (kind in stderr) is is_shown


@pytest.mark.parametrize(("files", "programs", "told"), BUILT)
def test_built_by(
    files: list[str],
    programs: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {f"shop/{file}": "name: web\n" for file in files} | {"shop/not-read.yaml": "{"})
    install(tmp_path / "bin", monkeypatch, **dict.fromkeys(programs, ECHO))
    outcome = render_in(tmp_path, monkeypatch, "shop")
    assert outcome.stderr == ""
    assert outcome.stdout.decode().splitlines()[-1].strip() == told.format(folder=tmp_path)


OPTIONS = [
    pytest.param(HelmOptions(release="a"), "-- a", id="a release"),
    pytest.param(HelmOptions(namespace="a"), "--namespace a -- web", id="a namespace"),
    pytest.param(
        HelmOptions(values=("a.yaml", "b c.yaml")),
        "--values a.yaml --values b c.yaml -- web",
        id="values",
    ),
    pytest.param(
        HelmOptions(kube_version="1.33.0"), "--kube-version 1.33.0 -- web", id="a version"
    ),
    pytest.param(
        HelmOptions(api_versions="v1,apps/v1"), "--api-versions v1,apps/v1 -- web", id="APIs"
    ),
]


@pytest.mark.parametrize(("options", "told"), OPTIONS)
def test_the_arguments_of_helm(
    options: HelmOptions, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"Chart.yaml": "name: web\n", **dict.fromkeys(options.values, "")})
    install(tmp_path / "bin", monkeypatch, helm=ECHO)
    monkeypatch.chdir(tmp_path)
    stdout = render(Inputs((".",)), options).stdout.decode()
    assert (
        stdout.splitlines()[-1].strip()
        == f"helm template --include-crds --skip-tests {told} {tmp_path}"
    )


def failing(status: str, said: str) -> str:
    return f"#!/bin/sh\necho 'kind: A'\nprintf '%s' '{said}' >&2\n{status}\n"


LEFT_OUT = "its message may show a value, so it is left out; run it yourself, or add --verbose"

REFUSED = [
    pytest.param(
        "kustomization.yaml",
        {},
        "has a kustomization.yaml, but neither kustomize nor kubectl is on PATH; install one",
        id="no program for a kustomization",
    ),
    pytest.param(
        "Chart.yaml",
        {},
        "has a Chart.yaml, but helm is not on PATH; install it",
        id="none for a chart",
    ),
    pytest.param(
        "kustomization.yaml",
        {
            "kustomize": failing(
                "exit 3",
                'Error: yaml: unmarshal errors:\n\n  line 6: mapping key "a" already defined at line 5',
            )
        },
        "kustomize build exited with code 3: Error: yaml: unmarshal errors: line 6: mapping key ... already defined at "
        "line 5",
        id="a failure, with the lines that are known",
    ),
    pytest.param(
        "kustomization.yaml",
        {
            "kustomize": failing(
                "exit 1", "Error: kustomization.yaml is empty\ndata:\n  password: hunter2"
            )
        },
        "kustomize build exited with code 1: Error: kustomization.yaml is empty ... (the rest may show a value; "
        "--verbose prints it)",
        id="not with a manifest, which may be a Secret",
    ),
    pytest.param(
        "kustomization.yaml",
        {
            "kustomize": failing(
                "exit 1", 'Error: one\nfound {"kind": Secret, data: {a: hunter2}}\nthree'
            )
        },
        f"kustomize build exited with code 1; {LEFT_OUT}",
        id="not with what nobody knows",
    ),
    pytest.param(
        "kustomization.yaml",
        {
            "kustomize": failing(
                "exit 1",
                "Error: loading KV pairs: literal sources [a=hunter2 b]: invalid literal b",
            )
        },
        "kustomize build exited with code 1: Error: loading KV pairs: literal sources...",
        id="not with the literals of a Secret",
    ),
    pytest.param(
        "kustomization.yaml",
        {"kustomize": failing("exit 1", "")},
        "kustomize build exited with code 1: no output on stderr",
        id="a failure without output",
    ),
    pytest.param(
        "kustomization.yaml",
        {"kustomize": failing("kill -9 $$", "")},
        "kustomize build was killed by SIGKILL",
        id="a signal",
    ),
    pytest.param(
        "kustomization.yaml",
        {"kustomize": "#!/no/such/interpreter\n"},
        "kustomize build cannot be run: No such file or directory",
        id="a program that does not start",
    ),
]


@pytest.mark.parametrize(("file", "programs", "sentence"), REFUSED)
def test_refused(
    file: str,
    programs: dict[str, str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {f"shop/{file}": ""})
    install(tmp_path / "bin", monkeypatch, **programs)
    assert render_in(tmp_path, monkeypatch, "shop") == Outcome(b"", f"error: shop: {sentence}\n", 1)


def test_a_chart_that_is_no_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"shop/Chart.yaml": "a: b\na: c\n"})
    install(tmp_path / "bin", monkeypatch, helm=ECHO)
    sentence = "error: shop/Chart.yaml:2:1: duplicate key 'a'; the first is on line 1\n"
    assert render_in(tmp_path, monkeypatch, "shop") == Outcome(b"", sentence, 1)


def test_stderr_on_success_becomes_warnings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": ""})
    said = "2026/11/23 01:17:09 well-defined vars that were never replaced: A\nvalue: hunter2"
    install(tmp_path / "bin", monkeypatch, kustomize=ECHO + f"echo '{said}' >&2\n")
    outcome = render_in(tmp_path, monkeypatch, "shop")
    known, left_out = outcome.stderr.splitlines()
    assert known == f"warning: shop: kustomize build: {said.splitlines()[0]}"
    assert left_out == f"warning: shop: kustomize build; {LEFT_OUT}"
    assert outcome.exit_code == 0


VERBOSE = Limits(is_verbose=True)


def test_everything_is_told_to_those_who_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": ""})
    install(
        tmp_path / "bin", monkeypatch, kustomize=failing("exit 1", "Error: loading\n\n  hunter2")
    )
    told = render_in(tmp_path, monkeypatch, "shop", limits=VERBOSE).stderr.splitlines()
    assert told == [
        "warning: shop: kustomize build: all that it says follows, and may show values of Secrets",
        "warning: shop: kustomize build: Error: loading",
        "warning: shop: kustomize build:   hunter2",
        f"error: shop: kustomize build exited with code 1; {LEFT_OUT}",
    ]


@pytest.mark.parametrize(
    ("printed", "sentence"),
    [
        pytest.param("", "nothing to apply: no objects in kustomize build shop", id="nothing"),
        pytest.param(
            "a: 1\na: 2",
            "kustomize build shop:2:1: duplicate key 'a'; the first is on line 1",
            id="no YAML, with the line of what was printed",
        ),
    ],
)
def test_the_output_is_no_manifest(
    printed: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"shop/kustomization.yaml": ""})
    install(tmp_path / "bin", monkeypatch, kustomize=f"#!/bin/sh\nprintf '%s' '{printed}'\n")
    assert render_in(tmp_path, monkeypatch, "shop") == Outcome(b"", f"error: {sentence}\n", 1)


def test_the_configuration_beside_a_kustomization_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\nspec: {kinds: []}\n"
    write(tmp_path, {"shop/kustomization.yaml": "", "shop/krm-fn.yaml": config})
    install(tmp_path / "bin", monkeypatch, kustomize=ECHO)
    sentence = "error: ConfigRevisions/web spec.kinds (shop/krm-fn.yaml:4:8): must not be empty\n"
    assert render_in(tmp_path, monkeypatch, "shop") == Outcome(b"", sentence, 1)


@pytest.mark.needs("helm")
def test_a_deprecated_chart_hides_no_message_of_helm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warning in front of an error is known as well, so both are shown."""
    monkeypatch.setenv("PATH", f"{require('helm').parent}:{os.environ['PATH']}")
    missing = (
        "dependencies: [{name: mongodb, version: 1.0.0, repository: 'https://charts.example'}]"
    )
    chart = f"apiVersion: v2\nname: web\nversion: 0.1.0\ndeprecated: true\n{missing}\n"
    write(tmp_path, {"Chart.yaml": chart, "templates/a.yaml": ""})
    done = render_in(tmp_path, monkeypatch)
    assert "helm template exited with code 1: WARNING: This chart is deprecated" in done.stderr
    assert "found in Chart.yaml, but missing in charts/ directory: mongodb" in done.stderr
    assert "may show a value" not in done.stderr
