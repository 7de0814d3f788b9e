"""Objects that are still templates: of Helm, which cannot be applied, or with variables that are substituted later."""

import re
from collections.abc import Iterable, Iterator

from krm_fn.model.item import Item, about
from krm_fn.model.node import Node, get, is_mapping, mark_of
from krm_fn.model.problem import Problem, Severity
from krm_fn.model.settings import Strategy
from krm_fn.stages.name import Revision
from krm_fn.stages.variables import SUBSTITUTE, Variables

_PLACEHOLDER = re.compile(r"\$[({]|\{\{|<\S|__|%\w+%|@\w+@|\w\+\w+://|\bENC\[")
"""What tools that run later replace: Flux, Helm, Argo CD's Vault plugin, vals, SOPS, and scripts."""


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


def find_substituted(variables: Variables, revisions: Iterable[Revision]) -> Iterator[Problem]:
    """Warn about each object that is renamed though its content, or a reference to it, is still to be substituted.

    It was chosen by somebody, so it is renamed. It stays immutable: the API server then refuses a variable's new value
    with a message, instead of giving old pods other content under the name that they know.
    """
    for revision in revisions:
        reason = variables.about(revision.item) if revision.strategy is Strategy.RENAME else None
        if reason is not None:
            message = f"{reason.text}; substitute before it, or annotate the object with {SUBSTITUTE}: disabled"
            yield about(revision.item, message, severity=Severity.WARNING)._replace(resource=revision.base_id)
