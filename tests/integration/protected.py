"""Check of rendered output: each revision is protected from its deployer, and a linker is there to delete it later."""

from collections.abc import Collection
from typing import Any

from krm_fn.base import keys
from krm_fn.base.kind import PROTECTIONS


def assert_protected(
    objects: list[dict[str, Any]], deployers: Collection[str], *, linked: bool = True
) -> None:
    """Check every revision, of which there must be one.

    `linked`: the output is complete, with the linker.
    """
    annotated = [
        item["metadata"].get("annotations") or {}
        for item in objects
        if item["kind"] in ("ConfigMap", "Secret")
    ]
    revisions = [annotations for annotations in annotated if keys.BASE_NAME in annotations]
    assert revisions, "no revision"
    for annotations in revisions:
        for protection in (one for deployer in deployers for one in PROTECTIONS[deployer]):
            assert protection.value in annotations.get(protection.annotation, "").split(","), (
                protection.annotation
            )
    labels = [item["metadata"].get("labels") or {} for item in objects if item["kind"] == "Job"]
    assert not linked or any(one.get(keys.COMPONENT) == keys.LINKER for one in labels), "no linker"
