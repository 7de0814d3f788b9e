"""What `krm-fn init` writes: a configuration, and files for CI as in `examples/github` and `examples/gitlab`."""

from collections.abc import Sequence
from enum import Enum

from krm_fn import __version__
from krm_fn.config.configuration import PROGRAM
from krm_fn.config.plain import load_schema
from krm_fn.model.keys import LOCAL_CONFIG
from krm_fn.model.settings import CONFIG_FILE, Settings

RUN_BY_KUSTOMIZE = """\
    config.kubernetes.io/function: |   # how kustomize runs it
      exec:
        path: krm-fn
"""
FOR_TOOLS = f"""\
    {LOCAL_CONFIG}: "true"   # else `kpt live apply` looks for this kind in the cluster
"""
"""Lines of annotations that a deployer needs."""

KPT_ENTRY = {"exec": PROGRAM, "configPath": CONFIG_FILE}
KPT_ENTRY_LINES = f"pipeline:\n  mutators:\n  - exec: {PROGRAM}\n    configPath: {CONFIG_FILE}\n"

_IMAGE = f"ghcr.io/krm-fn/krm-fn:{__version__}"

_GITHUB = """\
# Comment on each pull request what it changes, and what it rolls.
name: diff
on: pull_request
permissions:
  contents: read
  pull-requests: write
jobs:
  diff:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: example/krm-fn@v{version}   # where you keep krm-fn
        with:
          paths: |
            {package}
          arguments: --no-remote
"""

_GITLAB = """\
# Show in the log of each merge request what it changes and what it rolls, and keep that as Markdown.
diff:
  image: alpine:3.22   # its packages have what the job needs, and kustomize and helm for those packages that need them
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: "0"   # so that the commit is there at which the branch began
    PACKAGE: {package}
    KRM_FN: git+https://gitlab.example/tools/krm-fn@v{version}   # where you keep krm-fn
  before_script:
    - apk add --no-cache git helm kustomize python3
    - python3 -m venv /opt/krm-fn
    - /opt/krm-fn/bin/pip install --quiet "$KRM_FN"
    - export PATH="/opt/krm-fn/bin:$PATH"
  script:
    - krm-fn diff --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --no-remote -o markdown "$PACKAGE" > diff.md || true
    - krm-fn diff --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA" --no-remote "$PACKAGE"
  # The branch cannot be rendered, and the change repairs it: everything is shown as new, and the job has a warning.
  allow_failure:
    exit_codes: 3
  artifacts:
    when: always
    expose_as: what rolls
    paths: [diff.md]
"""


class Pipeline(Enum):
    """What runs CI: the file that it reads, from the top of the repository, and the text of that file."""

    github = (".github/workflows/krm-fn.yaml", _GITHUB)
    gitlab = (".gitlab-ci.yml", _GITLAB)

    @property
    def file(self) -> str:
        return self.value[0]

    def write(self, package: str) -> str:
        """Write the file for one package."""
        return self.value[1].format(version=__version__, package=package)


def write_config(name: str, annotations: str, deployers: Sequence[str], image: str, namespace: str) -> str:
    """Write krm-fn.yaml. `annotations` are lines; what is empty is left out, or has its default."""
    chosen = f"deployers: [{', '.join(deployers)}]"
    default = f"# deployers: [{', '.join(Settings().deployers)}]   # is the default"
    lines = [
        f"# yaml-language-server: $schema={load_schema()['$id']}",
        "apiVersion: revisions.krm-fn.io/v1",
        "kind: ConfigRevisions",
        "metadata:",
        f"  name: {name}   # the set, unique in its namespace",
        *(["  annotations:", annotations.removesuffix("\n")] if annotations else []),
        "spec:",
        f"  {chosen if deployers else default}",
        "  # strategy: adopt   # for the first sync of what runs already",
        "  linker:",
        f"    image: {image or _IMAGE}   # or where you pushed the image; the Job runs it",
        *([f"    namespace: {namespace}"] if namespace else []),
    ]
    return "".join(f"{line}\n" for line in lines)


def in_metadata(annotations: str) -> str:
    return f"metadata:\n  annotations:\n{annotations}"


def in_spec(deployers: Sequence[str]) -> str:
    return f"spec:\n  deployers: [{', '.join(deployers)}]\n"


def in_transformers(entry: str) -> str:
    return f"transformers:\n- {entry}\n"
