"""`krm-fn discover` as a process: the variables of Argo CD."""

from pathlib import Path

import pytest

from tests.cli.process import krm_fn
from tests.render.run import write
from tests.render.test_discover import BOTH, LISTED

VARIABLES = [
    pytest.param({}, "krm-fn.yaml\n", id="none"),
    pytest.param({"KUSTOMIZE_BUILD_OPTIONS": ""}, "krm-fn.yaml\n", id="no options"),
    pytest.param({"KUSTOMIZE_BUILD_OPTIONS": BOTH}, "", id="options that run functions"),
    pytest.param(
        {"KUSTOMIZE_BUILD_OPTIONS": BOTH, "ARGOCD_APP_PARAMETERS": "null"},
        "krm-fn.yaml\n",
        id="a plugin",
    ),
]


@pytest.mark.parametrize(("variables", "printed"), VARIABLES)
def test_with(variables: dict[str, str], printed: str, tmp_path: Path) -> None:
    write(tmp_path, LISTED)
    done = krm_fn("discover", cwd=tmp_path, **variables)
    assert (done.stdout, done.returncode) == (printed, 0)


def test_on_the_command_line(tmp_path: Path) -> None:
    write(tmp_path, LISTED)
    done = krm_fn("discover", "--kustomize-options", BOTH, cwd=tmp_path)
    warning = (
        "warning: kustomization.yaml:2:3: transformers: kustomize runs krm-fn.yaml; this "
        "directory is left to it\n"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", warning, 0)
