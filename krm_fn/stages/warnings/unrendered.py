"""Objects that are still templates: of Helm, which cannot be applied, or with variables that are substituted later."""

import re
from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.node import Node, get, is_mapping, mark_of
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.naming.names import authored_id
from krm_fn.references.data_texts import data_texts
from krm_fn.stages.name import Revision
from krm_fn.stages.package import Package

_VARIABLE = re.compile(r"(?<!\$)\$\{[A-Za-z_][A-Za-z0-9_]*")
"""A variable of Flux, but not what stays one: `$${VAR}`."""

_PLACEHOLDER = re.compile(r"\$[({]|\{\{|<\S|__|%\w+%|@\w+@|\w\+\w+://|\bENC\[")
"""What tools that run later replace: Flux, Helm, Argo CD's Vault plugin, vals, SOPS, and scripts."""

_SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"
"""With the value `disabled`, this label or annotation keeps Flux from substituting variables in an object."""


def is_placeholder(text: str) -> bool:
    """Tell whether something may still replace a part of a text."""
    return _PLACEHOLDER.search(text) is not None


def find_templates(items: Iterable[Item]) -> Iterator[Problem]:
    """Report each name or namespace that is a template of Helm. No API server accepts it."""
    for item in items:
        if not item.id.api_version or item.is_local:
            continue
        for field, text in (("name", item.id.name), ("namespace", item.id.namespace)):
            if "{{" in text or (not text and _is_template(get(item.node, "metadata", field))):
                message = "looks like an unrendered Helm template ({{ ... }}); render the chart first"
                mark = mark_of(item.node, ("metadata", field))
                problem = about(item, message, f"metadata.{field}")
                yield problem._replace(line=mark.line + 1, column=mark.column + 1)


def _is_template(node: Node | None) -> bool:
    """Tell whether YAML has read double braces without quotes: as a mapping whose key is a mapping."""
    return is_mapping(node) and any(is_mapping(key) for key, _ in node.value)


def find_substituted(package: Package, revisions: Iterable[Revision]) -> Iterator[Problem]:
    """Warn about each renamed object whose content is still to be substituted, after its name was made of it.

    `${HOME}` in data may be for a shell. But a name in the package that has a variable is a sure sign.
    """
    sign = next((item for item in package.authored if not item.is_local and _has_variable_in_name(item)), None)
    for revision in revisions if sign is not None else ():
        field = _find_variable(revision.item) if revision.strategy is Strategy.RENAME else ""
        if field and sign is not None:
            message = (
                f"has a variable (${{...}}), and the name of {authored_id(sign)} shows that variables are substituted "
                "after this function: then the content changes, and the object keeps its name; substitute before it, "
                f"or annotate the object with {_SUBSTITUTE}: disabled"
            )
            yield about(revision.item, message, field, Severity.WARNING)._replace(resource=revision.base_id)


def _find_variable(item: Item) -> str:
    """Return the first field of the data that has a variable; `""` if none has, or if nothing is substituted in it."""
    if "disabled" in (item.annotations.get(_SUBSTITUTE), item.labels.get(_SUBSTITUTE)):
        return ""
    texts = (text for text in data_texts(item) if not text.is_encoded)
    return next((text.field for text in texts if _VARIABLE.search(text.text)), "")


def _has_variable_in_name(item: Item) -> bool:
    return _VARIABLE.search(item.id.name) is not None or _VARIABLE.search(item.id.namespace) is not None
