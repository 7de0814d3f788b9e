"""A field that names a ConfigMap or a Secret."""

from typing import NamedTuple

from krm_fn.model.node import Scalar


class Reference(NamedTuple):
    """One reference as it stands in a referrer.

    `name` is the scalar that holds the name; `namespace` the one beside it that says where, if there is
    one; `field` the path to `name`, for people. `in_pod` is true where pods read the object, so that a change
    of name makes a new pod template. `written` is true where a controller *writes* the object named here
    rather than reads it: such a name is never changed.
    """

    kind: str
    name: Scalar
    namespace: Scalar | None
    field: str
    in_pod: bool
    written: bool
