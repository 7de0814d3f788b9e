"""The image of the linker's Job: there is a warning where nobody has set it."""

import pytest

from krm_fn import __version__
from krm_fn.base.link_plan import PLAN_VERSION
from krm_fn.base.settings import EXPECTED_IMAGE, NO_ENVIRONMENT, Environment
from krm_fn.function import run

PACKAGE = b"""apiVersion: v1
kind: ConfigMap
metadata: {name: web-config, namespace: shop}
data: {LOG_LEVEL: info}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: web-config}}]}]}}}
"""
CONFIG = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: web}\n"
FUNCTION = """apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: web
  annotations:
    config.kubernetes.io/function: |
      container: {image: registry.example/krm-fn:1}
"""
DEFAULT = f"krm-fn:{__version__}"
WARNING = (
    "warning: {} not set, so the linker's Job gets image " + DEFAULT + ", which no registry has; "
    "push the image, and set its name here or in the environment variable KRM_FN_IMAGE\n"
)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(None, WARNING.format("spec.linker.image:"), id="without a configuration"),
        pytest.param(
            CONFIG,
            WARNING.format("ConfigRevisions/web spec.linker.image (line 1, column 1):"),
            id="in a configuration",
        ),
        pytest.param(
            CONFIG + "spec:\n  linker: {secrets: false}\n",
            WARNING.format("ConfigRevisions/web spec.linker.image (line 5, column 3):"),
            id="beside other settings of the linker",
        ),
        pytest.param(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\ndata: {kinds: ConfigMap}\n",
            WARNING.format("ConfigMap/function-input data[linker.image] (line 4, column 1):"),
            id="in a configuration from kpt",
        ),
        pytest.param(
            CONFIG + f"spec: {{linker: {{image: '{DEFAULT}'}}}}\n", "", id="set to this very image"
        ),
        pytest.param(CONFIG + "spec: {linker: {enabled: false}}\n", "", id="no linker"),
        pytest.param(CONFIG + "spec: {strategy: ignore}\n", "", id="no Job"),
        pytest.param(FUNCTION, "", id="the image that runs the function"),
    ],
)
def test_an_image_that_nobody_has_set_is_warned_about(config: str | None, expected: str) -> None:
    outcome = run(PACKAGE, config.encode() if config else None, Environment(set="shop"))
    assert (outcome.stderr, outcome.exit_code) == (expected, 0)


def test_an_image_in_the_environment_is_set() -> None:
    given = run(PACKAGE, CONFIG.encode(), Environment(image=DEFAULT))
    assert given.stderr == ""
    assert given.stdout == run(PACKAGE, CONFIG.encode(), NO_ENVIRONMENT).stdout


OTHER = (
    "image {} is of version {}, and this program is "
    + __version__
    + ": the Job must understand what the function "
    "wrote; use the same version for both"
)


@pytest.mark.parametrize(
    ("image", "version"),
    [
        pytest.param("registry.example/krm-fn:0.0.9", "0.0.9", id="an earlier version"),
        pytest.param(
            "registry.example/krm-fn:v99.0.0@sha256:" + "a" * 64,
            "99.0.0",
            id="a later one, with its digest",
        ),
        pytest.param(f"registry.example/krm-fn:v{__version__}", "", id="the same"),
        pytest.param("registry.example/krm-fn@sha256:" + "a" * 64, "", id="only a digest"),
        pytest.param("registry.example/krm-fn:main", "", id="another tag"),
        pytest.param("${REGISTRY}/krm-fn:0.0.9", "", id="a variable that is substituted later"),
    ],
)
def test_an_image_of_another_version_is_warned_about(image: str, version: str) -> None:
    at = "warning: ConfigRevisions/web spec.linker.image (line 4, column 17): "
    expected = f"{at}{OTHER.format(image, version)}\n" if version else ""
    in_the_configuration = run(
        PACKAGE, (CONFIG + f"spec: {{linker: {{image: '{image}'}}}}\n").encode()
    )
    assert (in_the_configuration.stderr, in_the_configuration.exit_code) == (expected, 0)
    # A linker that does not understand its plan names the version that wrote it.
    environment = f'env: - name: {PLAN_VERSION} value: "{__version__}"'
    assert (environment in " ".join(in_the_configuration.stdout.decode().split())) == bool(version)


def test_a_pinned_image_of_another_version_is_warned_about() -> None:
    outcome = run(PACKAGE, CONFIG.encode(), Environment(pins={"--linker-image": "krm-fn:0.0.9"}))
    assert outcome.stderr.endswith(f"{OTHER.format('krm-fn:0.0.9', '0.0.9')}\n")


def test_an_image_that_no_registry_accepts_is_an_error_wherever_it_comes_from() -> None:
    told = f'found "A:1", which no registry accepts: expected {EXPECTED_IMAGE}\n'
    field = run(PACKAGE, (CONFIG + "spec: {linker: {image: 'A:1'}}\n").encode())
    annotation = run(PACKAGE, FUNCTION.replace("registry.example/krm-fn:1", "A:1").encode())
    variable = run(PACKAGE, CONFIG.encode(), Environment(image="A:1"))
    assert (
        field.stderr == f"error: ConfigRevisions/web spec.linker.image (line 4, column 17): {told}"
    )
    assert annotation.stderr.startswith(
        "error: ConfigRevisions/web metadata.annotations[config.kubernetes.io/function]"
    )
    assert annotation.stderr.endswith(told)
    assert variable.stderr == f"error: KRM_FN_IMAGE: {told}"
