"""What SOPS has encrypted before a generator read it: each form that SOPS writes, and who decrypts it."""

from base64 import b64encode

import pytest

from krm_fn.function import run

ENC = "ENC[AES256_GCM,data:Zm9v,iv:YmFy,tag:YmF6,type:str]"
CONFIG = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: web}
spec: {strategy: ignore, linker: {enabled: false}, deployers: %s}
"""
FILES = {
    "env": f"TOKEN={ENC}\nsops_mac={ENC}\nsops_version=3.9.0\n",
    "ini": f"[default]\ntoken = {ENC}\n\n[sops]\nmac = {ENC}\n",
    "json": f'{{\n\t"token": "{ENC}",\n\t"sops": {{\n\t\t"mac": "{ENC}"\n\t}}\n}}\n',
    "yaml": f"token: {ENC}\nsops:\n    mac: {ENC}\n",
    "bin": f'{{\n\t"data": "{ENC}",\n\t"sops": {{\n\t\t"mac": "{ENC}"\n\t}}\n}}\n',
}
ENV = {"TOKEN": ENC, "sops_mac": ENC, "sops_version": "3.9.0"}


def manifest(kind: str, field: str, content: dict[str, str]) -> str:
    lines = [f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: web}}\n{field}:\n"]
    for key, value in content.items():
        is_encoded = (kind, field) in {("Secret", "data"), ("ConfigMap", "binaryData")}
        written = b64encode(value.encode()).decode() if is_encoded else repr(value)
        # A text of Python escapes line feeds and tabs as YAML does in double quotes.
        lines.append(f"  {key}: {written if is_encoded else _quoted(value)}\n")
    return "".join(lines)


def _quoted(value: str) -> str:
    escaped = value.replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def said(objects: str, deployers: str) -> str:
    outcome = run(objects.encode(), config=(CONFIG % deployers).encode())
    return outcome.stderr


@pytest.mark.parametrize("deployers", ["[flux]", "[argocd]", "[]"])
@pytest.mark.parametrize(
    ("kind", "field"),
    [("Secret", "data"), ("Secret", "stringData"), ("ConfigMap", "data")],
)
def test_keys_of_an_encrypted_env_file_are_an_error_whoever_applies_them(
    kind: str, field: str, deployers: str
) -> None:
    assert f"error: {kind}/web {field}.sops_mac: is from an env file" in said(
        manifest(kind, field, ENV), deployers
    )


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize(
    ("kind", "field"),
    [("Secret", "data"), ("Secret", "stringData"), ("ConfigMap", "data")],
)
def test_an_encrypted_file_is_a_warning_unless_flux_decrypts_it(
    form: str, kind: str, field: str
) -> None:
    objects = manifest(kind, field, {f"web.{form}": FILES[form], "plain": "a"})
    warning = f"warning: {kind}/web {field}.web.{form}: is a file that SOPS has encrypted"
    assert warning in said(objects, "[argocd]").replace("[", ".").replace("]", "")
    assert ("has encrypted" in said(objects, "[flux]")) == (kind == "ConfigMap")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param({"sops_mac": "disabled"}, id="a setting with the name of one of SOPS"),
        pytest.param({"note": "[sops] mac: ENC[ is what it looks like"}, id="a text about SOPS"),
        pytest.param({"a": ENC}, id="a value without the metadata that SOPS needs"),
    ],
)
def test_other_texts_say_nothing(content: dict[str, str]) -> None:
    assert "SOPS" not in said(manifest("Secret", "stringData", content), "[]")
