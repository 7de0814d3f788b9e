"""What the user asked for, already checked."""

from dataclasses import dataclass, field
from enum import StrEnum

from krm_fn.model.mount import Mount

API_VERSION = "revisions.krm-fn.io/v1"
KIND = "ConfigRevisions"
DEFAULT_SET = "config-revisions"


class Strategy(StrEnum):
    """What is done with a ConfigMap or Secret."""

    RENAME = "rename"
    ADOPT = "adopt"
    IGNORE = "ignore"


class Jobs(StrEnum):
    """What is done about a plain Job that names a renamed revision, as its template cannot change."""

    WARN = "warn"
    RENAME = "rename"


@dataclass(frozen=True, kw_only=True, slots=True)
class Selector:
    """Which objects an entry of `select` or `exclude` means; what is left out matches everything.

    `name` is a shell pattern; `labels` and `annotations` must all be there with these values.
    `strategy` is None where the entry leaves it to `spec.strategy`, and always None in `exclude`.
    """

    kind: str | None = None
    name: str = "*"
    namespace: str | None = None
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    strategy: Strategy | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldSpec:
    r"""A reference field in kustomize's form: `path` is `spec/configName`, with `\/` for a slash in a key.

    Empty `group`, `version` or `kind` match every one. `target` is the kind the field names.
    """

    target: str
    group: str = ""
    version: str = ""
    kind: str = ""
    path: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The functionConfig; see `schemas/` for what each field means."""

    set: str = DEFAULT_SET
    kinds: frozenset[str] = frozenset({"ConfigMap"})
    strategy: Strategy = Strategy.RENAME
    select: tuple[Selector, ...] | None = None
    exclude: tuple[Selector, ...] = ()
    immutable: bool = True
    deployers: tuple[str, ...] = ("argocd", "flux", "kpt")
    references: tuple[FieldSpec, ...] = ()
    mounts: tuple[Mount, ...] = ()
    jobs: Jobs = Jobs.WARN
