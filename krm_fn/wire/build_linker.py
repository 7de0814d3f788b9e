"""`spec.linker`, read by hand as the rest of the schema is."""

from collections.abc import Callable, Mapping

from krm_fn.model.edit import Value
from krm_fn.model.settings import Linker
from krm_fn.wire.expect import a_boolean, a_list, a_mapping, a_number, a_text, filled_text, one_of, refuse, texts
from krm_fn.wire.plain_value import Plain

_FIELDS = (
    *("enabled", "image", "namespace", "timeoutSeconds", "minimumAgeSeconds", "ttlSecondsAfterFinished"),
    *("serviceAccountName", "openshift", "resources", "nodeSelector", "tolerations", "imagePullSecrets"),
    *("labels", "annotations"),
)
_OPERATORS = ("Exists", "Equal")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_DEFAULTS = Linker()


def build_linker(value: Plain) -> Linker:
    """Raises Invalid exactly where the schema would refuse it."""
    spec = a_mapping(value, _FIELDS)
    return Linker(
        enabled=a_boolean(spec.get("enabled", True)),
        image=filled_text(spec["image"]) if "image" in spec else None,
        namespace=filled_text(spec["namespace"]) if "namespace" in spec else None,
        timeout_seconds=a_number(spec.get("timeoutSeconds", _DEFAULTS.timeout_seconds), minimum=1),
        minimum_age_seconds=a_number(spec.get("minimumAgeSeconds", _DEFAULTS.minimum_age_seconds), minimum=0),
        ttl_seconds_after_finished=a_number(spec["ttlSecondsAfterFinished"], minimum=0)
        if "ttlSecondsAfterFinished" in spec
        else None,
        service_account_name=filled_text(spec["serviceAccountName"]) if "serviceAccountName" in spec else None,
        openshift=a_boolean(spec.get("openshift", False)),
        resources=_resources(spec["resources"]) if "resources" in spec else _DEFAULTS.resources,
        node_selector=texts(spec.get("nodeSelector", {})),
        tolerations=tuple(map(_toleration, a_list(spec.get("tolerations", [])))),
        image_pull_secrets=tuple(map(_named, a_list(spec.get("imagePullSecrets", [])))),
        labels=texts(spec.get("labels", {})),
        annotations=texts(spec.get("annotations", {})),
    )


def _resources(value: Plain) -> Mapping[str, Value]:
    return {name: _quantities(amounts) for name, amounts in a_mapping(value, ("requests", "limits")).items()}


def _quantities(value: Plain) -> Mapping[str, Value]:
    return {name: _quantity(amount) for name, amount in a_mapping(value).items()}


def _quantity(value: Plain) -> str | int:
    return value if isinstance(value, str) else a_number(value)


def _toleration(value: Plain) -> Mapping[str, Value]:
    found = a_mapping(value, _TOLERATION)
    return {name: _TOLERATION[name](field) for name, field in found.items()}


_TOLERATION: dict[str, Callable[[Plain], str | int]] = {
    "key": a_text,
    "operator": lambda value: one_of(value, _OPERATORS),
    "value": a_text,
    "effect": lambda value: one_of(value, _EFFECTS),
    "tolerationSeconds": a_number,
}


def _named(value: Plain) -> Mapping[str, Value]:
    entry = a_mapping(value, ("name",))
    return {"name": filled_text(entry.get("name"))} if "name" in entry else refuse()
