"""The JSON Schema of the functionConfig, the one source of its fields, defaults and descriptions."""

import json
from importlib.resources import files
from typing import Any

_FILE = "configrevisions-revisions.krm-fn.io-v1.json"


def load_schema() -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(files("krm_fn.schemas").joinpath(_FILE).read_bytes())
    return schema
