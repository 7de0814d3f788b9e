"""What `krm-fn init` writes: a configuration, and files for CI, which are those of `examples/`."""

from collections.abc import Sequence
from enum import Enum
from importlib.resources import files

from krm_fn import __version__
from krm_fn.config.configuration import PROGRAM
from krm_fn.config.plain import load_schema
from krm_fn.model.keys import LOCAL_CONFIG
from krm_fn.model.settings import CONFIG_FILE, Settings

# `exec` and no image: the first build needs nothing but the krm-fn that has written this (decision 64).
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

_PACKAGES = "apps/*/overlays/*"
"""What the examples compare."""


class Pipeline(Enum):
    """What runs CI: the file that it reads, from the top of the repository, and the example that it is copied from."""

    github = (".github/workflows/krm-fn.yaml", "github/diff.yaml")
    gitlab = (".gitlab-ci.yml", "gitlab/.gitlab-ci.yml")

    @property
    def file(self) -> str:
        return self.value[0]

    def write(self, package: str) -> str:
        text = files("krm_fn.examples").joinpath(self.value[1]).read_text()
        return text.replace(_PACKAGES, package).replace(".github/workflows/diff.yaml", self.file)


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
        # A comment, as nothing here shows what runs in the cluster already.
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
