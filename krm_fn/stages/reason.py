"""Why a ConfigMap, a Secret or a producer of Secrets gets its strategy."""

from enum import StrEnum
from typing import NamedTuple

from krm_fn.model.item import Item


class ReasonCode(StrEnum):
    """What decides."""

    LOCAL = "local"
    """It is for tools, and never applied."""

    CONFIGURATION = "configuration"
    """It is the configuration."""

    EMITTED = "emitted"
    """An earlier run has emitted it for the linker."""

    EXCLUDE = "exclude"
    """An entry of `spec.exclude`."""

    ANNOTATION = "annotation"
    """The author's annotation on the object."""

    KINDS = "kinds"
    """`spec.kinds`, which does not contain the kind."""

    SELECT = "select"
    """An entry of `spec.select`."""

    NOT_SELECTED = "not-selected"
    """`spec.select`, of which no entry matches."""

    DEFAULT = "default"
    """Pods read it, and nothing hints at a program that looks it up by its name."""

    NOT_READ = "not-read"
    """No pods read it."""

    EARLIER_RUN = "earlier-run"
    """It is a revision already."""

    EARLY_READER = "early-reader"
    """A hook or a workload reads it before it is applied."""

    FIXED_NAME = "fixed-name"
    """Programs of every cluster look it up by its name; or it has none."""

    OTHER_SET = "other-set"
    """It is a revision of another set."""

    WRITTEN = "written"
    """A controller decides its name or content."""

    BOUND = "bound"
    """It makes a Secret whose name must not change with its spec, or its encryption covers its name."""

    # Hints at somebody who looks it up by its name.
    ROLE = "role"
    COPIED = "copied"
    PROGRAM = "program"
    EMPTY = "empty"
    DATA = "data"
    OPTION = "option"
    API_READER = "api-reader"
    FIELD = "field"
    NAMESPACE = "namespace"
    CHART = "chart"

    NAME_SHAPE = "name-shape"
    """A hint at a consumer that tells by the end of the name what the object is."""

    MOUNT_PATH = "mount-path"
    """A hint at a path with the name in it, where a consumer mounts the object."""

    OPTIONAL = "optional"
    """A hint at pods that do not wait for the Secret that it makes."""

    VARIABLE = "variable"
    """A hint at what substitutes variables after the function."""

    ABSENT = "absent"
    """Nothing in the package makes it: it is only referenced."""


class Reason(NamedTuple):
    """What decides, and how, as a clause. `item` and `field`: where that is written.

    Without an item, the field is one of the configuration. `source`: where a program says so. `remedy`: what to do if
    that is not what is wanted.
    """

    ground: ReasonCode
    text: str
    item: Item | None = None
    field: str = ""
    source: str = ""
    remedy: str = ""
