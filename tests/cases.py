"""The folders in fixtures/, found by their files."""

import re
from pathlib import Path
from typing import Any

from krm_fn.base.settings import Environment

FIXTURES = Path(__file__).parent.parent / "fixtures"
TRANSFORMS = sorted(path.parent for path in FIXTURES.glob("transforms/*/input.yaml"))
REJECTIONS = sorted(path.parent for path in FIXTURES.glob("rejections/*/input.yaml"))
MIGRATIONS = sorted(path.parent for path in FIXTURES.glob("migrations/*/deployed.yaml"))
MIGRATION_STEPS = [case / step for case in MIGRATIONS for step in ("step-1", "step-2")]

ENVIRONMENT = Environment(image="krm-fn:0.1.0")
"""The image is given: then there is no warning about it.

It is a fixed one, so that a release changes no fixture.
"""


def is_emitted(item: Any) -> bool:
    """Tell whether the function emitted the object.

    Checks label and name, because people copy labels.
    """
    metadata: Any = item.get("metadata") if isinstance(item, dict) else None
    labels: Any = metadata.get("labels") if isinstance(metadata, dict) else None
    component = labels.get("revisions.krm-fn.io/component") if isinstance(labels, dict) else None
    if component == "secret-tracker":
        return "data" not in item
    if component == "hook-copy":
        return "revisions.krm-fn.io/copy-of" in metadata.get("annotations", {})
    names = "-linker(-[^-]{10})?(-eu)?$|-link-[^-]{10}(-eu)?$"
    return component == "linker" and re.search(names, metadata["name"]) is not None
