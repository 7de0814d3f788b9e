"""Texts that are no names of files, in every field that names one: each command says something, and changes nothing.

kustomize and helm are scripts here.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from krm_fn.cli.main import main
from tests.builds.test_builds import install
from tests.builds.test_named_fields import STARTED
from tests.render.run import CONFIG_MAP, REVISIONS, write

TEXTS = (
    *(
        "..",
        ".",
        "",
        "/",
        "../..",
        "../../user",
        "../../user/a.yaml",
        "/user",
        "~",
        "~/user",
        "//h/a",
        "..\\user",
    ),
    *(
        "a\0b",
        "\0",
        "a\nb",
        "a\x7fb",
        "\uff0e\uff0e\uff0fuser",
        "\u2025/user",
        "\u2100",
        "\u202eb",
        "x" * 300,
    ),
    *(
        "a/" * 3000,
        "-x",
        "--post-renderer=./run",
        "git::../../user",
        "file:///user",
        "h:a?ref=../..",
        "a=../../user",
    ),
)
LISTS = (
    *(
        "resources",
        "bases",
        "components",
        "crds",
        "configurations",
        "generators",
        "transformers",
        "validators",
    ),
    "patchesStrategicMerge",
)
ENTRIES: Mapping[str, str] = {
    "patches": "{{path: {text}}}",
    "patchesJson6902": "{{path: {text}}}",
    "replacements": "{{path: {text}}}",
    "configMapGenerator": "{{name: a, files: [{text}], envs: [{text}], env: {text}}}",
    "secretGenerator": "{{name: a, files: [{text}], envs: [{text}], env: {text}}}",
    "helmCharts": "{{name: {text}, version: {text}, repo: {text}}}, {{name: web, valuesFile: {text}}}",
}
PLUGINS = "apiVersion: builtin\nkind: {kind}\nmetadata: {{name: a}}\n{field}: {text}\n"
OF_PLUGINS = {
    "PatchTransformer": "path",
    "PatchJson6902Transformer": "paths",
    "ConfigMapGenerator": "files",
    "HelmChartInflationGenerator": "name",
}
USERS: Mapping[str, str | bytes] = {
    "user/a.yaml": CONFIG_MAP,
    "user/kustomization.yaml": "resources: [a.yaml]\n",
}


def trees() -> dict[str, dict[str, str]]:
    """Return each field with all of the texts, where it takes a list, else each text alone."""
    quoted = [json.dumps(text) for text in TEXTS]
    found = {field: {"kustomization.yaml": f"{field}: [{', '.join(quoted)}]\n"} for field in LISTS}
    for field, entry in ENTRIES.items():
        entries = ", ".join(entry.format(text=text) for text in quoted)
        found[field] = {"kustomization.yaml": f"{field}: [{entries}]\n"}
    for kind, field in OF_PLUGINS.items():
        documents = "---\n".join(
            PLUGINS.format(kind=kind, field=field, text=text) for text in quoted
        )
        found[f"{kind}.{field}"] = {
            "kustomization.yaml": "generators: [plugins.yaml]\n",
            "plugins.yaml": documents,
        }
    mutators = ", ".join(f"{{image: krm-fn, configPath: {text}}}" for text in quoted)
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\npipeline: "
    found["configPath"] = {"Kptfile": f"{kptfile}{{mutators: [{mutators}]}}\n"}
    annotated = (
        REVISIONS.replace("{name: web}", f"{{name: web, annotations: {{{_PATH}: {one}}}}}")
        for one in quoted
    )
    found["the annotation of a path"] = {"all.yaml": "---\n".join(annotated)}
    for number, text in enumerate(quoted):
        one = f"helmGlobals: {{chartHome: {text}}}\nhelmCharts: [{{name: web, releaseName: a, repo: 'http://h'}}]\n"
        found[f"chartHome {number}"] = {"kustomization.yaml": one}
        found[f"openapi {number}"] = {"kustomization.yaml": f"openapi: {{path: {text}}}\n"}
    return found


_PATH = "config.kubernetes.io/path"
COMMANDS = {
    "render": ("render", "--enable-helm", "--root=repo"),
    "a rendering without a root": ("render", "--enable-helm", "--no-remote"),
    "init": ("init",),
    "explain": ("explain", "--no-remote"),
}


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_text_of_a_tree_leads_nowhere(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", monkeypatch, kustomize=STARTED, helm=STARTED)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for number, (field, files) in enumerate(trees().items()):
        folder = tmp_path / str(number)
        write(folder, {**USERS, **{f"repo/shop/{name}": text for name, text in files.items()}})
        monkeypatch.chdir(folder)
        outcome = main([*command, "repo/shop"])
        assert outcome.exit_code in {0, 1}, field
        assert outcome.exit_code == 0 or outcome.stderr, field
        users = {
            str(file.relative_to(folder)): file.read_text() for file in (folder / "user").rglob("*")
        }
        assert (users, sorted(one.name for one in folder.iterdir())) == (USERS, ["repo", "user"]), (
            field
        )
