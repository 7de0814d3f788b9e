"""Problems as `results` of the KRM functions specification, and as lines on stderr."""

from collections.abc import Iterable, Iterator

from krm_fn.base.changes import Object, SetFields, SetItems
from krm_fn.base.node import Mapping, NewValue, Node, elements, get, is_null, is_sequence, text
from krm_fn.base.problem import Problem, ResourceId, printable
from krm_fn.core.yaml import layout
from krm_fn.core.yaml.splice import Splice, splice_change, write_flow


def new_results(resource_list: Mapping, problems: Iterable[Problem]) -> tuple[Object, ...]:
    """Return the problems as results, without those that the ResourceList has already."""
    present = {_identity_of_result(item) for item in elements(get(resource_list, "results"))}
    return tuple(
        _result(problem) for problem in dict.fromkeys(problems) if _identity(problem) not in present
    )


def splice_results(
    source: str, resource_list: Mapping, new: tuple[Object, ...]
) -> Iterator[Splice]:
    results = get(resource_list, "results")
    if not new:
        return
    if results is None:
        yield from splice_change(source, SetFields(resource_list, (("results", new),)))
    elif is_sequence(results) or is_null(results):
        key = next(key for key, value in resource_list.value if value is results)
        yield from splice_change(source, SetItems(results, new, key=key, parent=resource_list))
    else:
        start, end = results.start, layout.node_end(source, results)
        # A block scalar ends behind its line break, which is needed in front of what follows.
        tail = layout.line_break(source) if start < end and layout.is_break(source, end - 1) else ""
        # An empty value begins right behind its colon.
        space = " " if start == end else ""
        yield Splice(start, end, space + write_flow(new) + tail)


def _result(problem: Problem) -> Object:
    """Return one entry of `results`. Unknown fields are left out."""
    result: dict[str, NewValue] = {"message": _message(problem), "severity": str(problem.severity)}
    if problem.resource and _is_addressable(problem.resource):
        api_version, kind, namespace, name = problem.resource
        reference: dict[str, NewValue] = {"apiVersion": api_version, "kind": kind, "name": name}
        if namespace:
            reference["namespace"] = namespace
        result["resourceRef"] = reference
        if problem.field:
            result["field"] = {"path": problem.field}
    if problem.file:
        file: dict[str, NewValue] = {"path": problem.file}
        if problem.file_index:
            file["index"] = problem.file_index
        result["file"] = file
    return result


def _identity(problem: Problem) -> tuple[str, ...]:
    """Return what distinguishes a problem from others, as far as its result contains it."""
    message, who = _message(problem), problem.resource
    if who is None or not _is_addressable(who):
        return (message, "", "", "", "")
    return (message, who.kind, who.namespace, who.name, problem.field)


def _message(problem: Problem) -> str:
    """Return the message.

    It names an object without a name, and a field of no object: no field of the result can.
    """
    who = problem.resource
    if who is not None and _is_addressable(who):
        return printable(problem.message)
    address = " ".join(filter(None, [str(who or ""), problem.field]))
    return printable(f"{address}: {problem.message}" if address else problem.message)


def _is_addressable(who: ResourceId) -> bool:
    """Tell whether a result may name the object: the specification requires these fields."""
    return bool(who.name and who.api_version)


def _identity_of_result(result: Node) -> tuple[str, ...]:
    paths = [
        ("message",),
        ("resourceRef", "kind"),
        ("resourceRef", "namespace"),
        ("resourceRef", "name"),
        ("field", "path"),
    ]
    return tuple(text(get(result, *path)) for path in paths)
