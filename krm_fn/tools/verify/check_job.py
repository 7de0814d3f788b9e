"""The linker's Jobs: their plans, and whether a Job is still the one that its name says."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from krm_fn.base import keys
from krm_fn.base.changes import Object
from krm_fn.base.go_yaml import read_scalar
from krm_fn.base.item import Item, about
from krm_fn.base.kind import SYNC_WAVE, wave_of, wave_order
from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.node import (
    Node,
    describe,
    elements,
    entries,
    fields,
    get,
    is_null,
    is_scalar,
    plain_value,
    step,
    text,
    texts,
)
from krm_fn.base.problem import Problem, ResourceId
from krm_fn.base.settings import is_image
from krm_fn.core.names.names import content_name
from krm_fn.tools.common.rendered import OF_CRON_JOB, find_job_containers, runs_linker


class OfOthers(NamedTuple):
    """A CronJob is compared with these: its `job`, if its name proves it, and what was added to all objects."""

    job: Item | None
    shared: Sequence[Item]


def check_cron_job(
    item: Item, plan: LinkPlan, wanted: Callable[[str], Object] | None, others: OfOthers
) -> Iterator[Problem]:
    """Find a CronJob that is not as the function emits it: `wanted`, of an image, if the configuration is known.

    Its name says nothing of its spec, as that of a Job does. So it is compared whole: each run has the pod of the Job.
    """
    yield from _check_images(item)
    yield from _check_commands(item)
    if plan.waits:
        message = "lacks --no-wait: each run would wait for what no release is about to bring"
        yield about(item, message, OF_CRON_JOB)
        return
    job, spec, field = others.job or item, get(item.node, "spec"), "spec"
    added = [(name, value) for one in others.shared for name, value in _marks_of(one)]
    expected: Any = None
    if wanted is not None:
        images = [text(get(container, "image")) for container in find_job_containers(job).values()]
        built: Any = wanted(images[0])
        yield from check_object(item, {**built, "spec": {}})
        expected = built["spec"]
    elif others.job is not None:
        spec, field = get(spec, "jobTemplate", "spec"), "spec.jobTemplate.spec"
        expected = _as_scheduled(get(job.node, "spec"), spec)
    if expected is not None:
        for where, message in _compare(spec, expected, field, added=added):
            yield about(item, message, where)


def _marks_of(item: Item) -> Iterator[tuple[str, str]]:
    yield from item.labels.items()
    yield from item.annotations.items()


def _as_scheduled(of_job: Node | None, found: Node | None) -> Any:
    """Return the spec of a Job with what a CronJob has of its own: another plan, and an end for finished Jobs."""
    expected: Any = plain_value(of_job) if of_job is not None else {}
    own: Any = plain_value(found) if found is not None else {}
    expected.pop("ttlSecondsAfterFinished", None)
    if "ttlSecondsAfterFinished" in own:
        expected["ttlSecondsAfterFinished"] = own["ttlSecondsAfterFinished"]
    pods = elements(get(found, "template", "spec", "containers"))
    for container, pod in zip(expected["template"]["spec"]["containers"], pods, strict=False):
        arguments = get(pod, "args")
        container["args"] = [] if arguments is None else plain_value(arguments)
    return expected


def check_job(job: Item, set_name: str, shared: Iterable[Item]) -> Iterator[Problem]:
    """Find a spec that something has changed under its name, which the API server refuses, and an image that is none.

    `shared`: others of the linker's objects. What they have in their metadata, something has added to all objects.
    """
    yield from _check_images(job)
    if job.id.api_version != "batch/v1":
        yield about(job, f"found {job.id.api_version!r}, expected 'batch/v1'", "apiVersion")
    spec = get(job.node, "spec")
    names = [_name(set_name, spec, {})]
    for one in shared:
        theirs = {
            name: value for name, value in one.labels.items() if not name.startswith(keys.PREFIX)
        }
        names.append(_name(set_name, spec, {"labels": theirs, "annotations": one.annotations}))
    if job.id.name not in names:
        message = (
            f"the spec belongs to {names[0]}: something has changed it after krm-fn, which must run last, "
            "because the spec of a Job cannot change"
        )
        yield about(job, message, "metadata.name")


def _check_images(job: Item) -> Iterator[Problem]:
    for field, container in find_job_containers(job).items():
        image = text(get(container, "image"))
        if not is_image(image) and "$" not in image:  # something may still substitute it
            yield about(job, f"found {image!r}, expected the name of an image", f"{field}.image")


def _check_commands(item: Item) -> Iterator[Problem]:
    for field, container in find_job_containers(item).items():
        if runs_linker(container) and elements(get(container, "command")):
            message = "found a command, which replaces the program of the image: expected none"
            yield about(item, message, f"{field}.command")


def _name(set_name: str, spec: Node | None, added: Mapping[str, Mapping[str, str]]) -> str:
    """Return the name of the Job with this spec, less what has been added to the metadata of its pods."""
    plain: Any = {} if spec is None else plain_value(spec)
    metadata = fields(get(spec, "template", "metadata"))
    if added and metadata:
        own: dict[str, dict[str, str]] = {}
        for name, node in metadata.items():
            theirs = added.get(name, {})
            own[name] = {
                key: value for key, value in texts(node).items() if theirs.get(key) != value
            }
        plain["template"]["metadata"] = own
    return content_name(set_name, "-link", plain)


_WAVE = f"metadata.annotations[{SYNC_WAVE}]"


def check_object(item: Item, wanted: Object, but: Collection[str] = ()) -> Iterator[Problem]:
    """Compare an object with what the function emits in its place, less the metadata.

    More fields may be there, but in a ConfigMap, where content or `immutable` changes what it is.

    `but`: the names that no rule has, which is said already.
    """
    for name, value in wanted.items():
        if name == "rules":
            yield from _check_rules(item, value, but)
        elif name == "subjects":
            yield from _check_subjects(item, value)
        elif name != "metadata":
            yield from (
                about(item, message, field)
                for field, message in _compare(get(item.node, name), value, name)
            )
    if wanted["kind"] == "ConfigMap":
        for name, found in entries(item.node):
            if name not in wanted and not is_null(found):
                yield about(item, _NONE, name)


def check_annotations(tracker: Item, wanted: Any, names: Iterable[str]) -> Iterator[Problem]:
    """Compare what a tracker says about itself with what the function writes on it."""
    annotations = wanted["metadata"]["annotations"]
    for name in names:
        found, expected = tracker.annotations.get(name), annotations.get(name)
        if found != expected:
            what = "missing; expected" if found is None else f"found {found!r}, expected"
            message = f"{what} {expected!r}" if expected else f"{what} no such annotation"
            yield about(tracker, message, f"metadata.annotations[{name}]")


def check_wave(item: Item, wanted: Object) -> Iterator[Problem]:
    """Find an object in a later sync wave than what needs it."""
    metadata: Any = wanted["metadata"]
    wave = metadata.get("annotations", {}).get(SYNC_WAVE, "")
    if wave_order(wave_of(item))[0] > wave_order(wave)[0]:
        found, expected = wave_of(item) or "0", wave or "0"
        yield about(
            item, f"found {found!r}, which is after what needs it: expected {expected!r}", _WAVE
        )


_NONE = "found a value, expected none"
_MARKS = ("labels", "annotations")
Added: TypeAlias = Collection[tuple[str, str]]


def _compare(
    found: Node | None, wanted: Any, field: str, *, added: Added | None = None
) -> Iterator[tuple[str, str]]:
    """Yield each field that is not as wanted, and a message.

    `added`: the labels and annotations that something has added to all objects. If they are known, no other field may
    be there than the wanted ones.
    """
    if isinstance(wanted, Mapping):
        yield from _compare_fields(fields(found), wanted, field, added)
    elif isinstance(wanted, Sequence) and not isinstance(wanted, str):
        here = elements(found)
        if len(here) != len(wanted):
            yield field, f"found {len(here)} entries, expected {len(wanted)}"
        for index, (one, value) in enumerate(zip(here, wanted, strict=False)):
            yield from _compare(one, value, f"{field}[{index}]", added=added)
    else:
        expected = str(wanted).lower() if isinstance(wanted, bool) else str(wanted)
        if found is None:
            yield field, f"missing; expected {expected!r}"
        elif not is_scalar(found) or found.value != expected:
            yield field, f"found {text(found)!r}, expected {expected!r}"
        elif wrong := find_type(found, type(wanted)):
            yield field, wrong


def _compare_fields(
    found: Mapping[str, Node], wanted: Mapping[str, Any], field: str, added: Added | None
) -> Iterator[tuple[str, str]]:
    is_whole = added is not None
    if is_whole and field.endswith(".metadata"):
        wanted = {**{one: {} for one in _MARKS}, **wanted}
    for name, value in wanted.items():
        yield from _compare(found.get(name), value, step(field, name), added=added)
    of_marks = field.endswith(tuple(f".metadata.{one}" for one in _MARKS))
    if not is_whole:
        return
    for name, node in found.items():
        is_added = of_marks and (name, text(node)) in (added or ())
        if name not in wanted and not is_added and not is_null(node):
            yield step(field, name), _NONE


_TYPES: dict[type, str] = {str: "text", bool: "a boolean", int: "a number", float: "a number"}


def find_type(found: Node, wanted: type) -> str:
    """Say that a value is of another type than the API server takes; `""` if it is of this one."""
    if not is_scalar(found):
        is_what = describe(found)
    else:
        try:
            is_what = _TYPES.get(type(read_scalar(found)), "text")
        except ValueError:
            is_what = "a number"
    if is_what == _TYPES[wanted]:
        return ""
    remedy = ""
    if is_scalar(found) and wanted is str:
        remedy = "; put it in quotes"
    elif is_scalar(found) and is_what == "text":
        remedy = "; remove the quotes"
    return f"found {is_what}, expected {_TYPES[wanted]}: the API server refuses it{remedy}"


class _Permission(NamedTuple):
    """The permission that one rule gives. `name` is `""` for objects of any name."""

    group: str
    resource: str
    verb: str
    name: str

    def __str__(self) -> str:
        what = ".".join(filter(None, (self.resource, self.group)))
        return f"{self.verb} {what}" + (f" {self.name}" if self.name else "")

    @property
    def wider(self) -> Iterable["_Permission"]:
        """It, and all that include it."""
        parts = [dict.fromkeys((part, "*")) for part in (self.group, self.resource, self.verb)]
        return (_Permission(*words) for words in product(*parts, dict.fromkeys((self.name, ""))))


def _check_rules(role: Item, wanted: Any, but: Collection[str]) -> Iterator[Problem]:
    """Find what the linker may not do. Further rights are somebody's decision."""
    found: set[_Permission] = set()
    for index, rule in enumerate(elements(get(role.node, "rules"))):
        found.update(_permissions(rule))
        if not is_null(get(rule, "nonResourceURLs")):
            message = "found a value, expected none: the API server refuses it in a Role"
            yield about(role, message, f"rules[{index}].nonResourceURLs")
    for rule in wanted:
        names = rule.get("resourceNames", [""])
        words = product(rule["apiGroups"], rule["resources"], rule["verbs"], names)
        needed = [_Permission(*one) for one in words]
        lacking = [one for one in needed if one.name not in but and found.isdisjoint(one.wider)]
        if lacking:
            yield about(role, f"does not let the linker {', '.join(map(str, lacking))}", "rules")


def _check_subjects(binding: Item, wanted: Any) -> Iterator[Problem]:
    """Find an account that gets no right. Further subjects are somebody's decision."""
    found = [texts(one) for one in elements(get(binding.node, "subjects"))]
    # An account has no group: the API server refuses one that has.
    found = [one for one in found if not one.get("apiGroup")]
    for one in wanted:
        if not any(one.items() <= subject.items() for subject in found):
            account = ResourceId("v1", one["kind"], one["namespace"], one["name"])
            yield about(binding, f"does not name {account}, the account of the linker", "subjects")


def _words(rule: Node, name: str) -> list[str]:
    return [text(word) for word in elements(get(rule, name))]


def _permissions(rule: Node) -> Iterator[_Permission]:
    names = _words(rule, "resourceNames") or [""]  # an empty list of names allows all of them
    for one in product(
        _words(rule, "apiGroups"), _words(rule, "resources"), _words(rule, "verbs"), names
    ):
        yield _Permission(*one)
