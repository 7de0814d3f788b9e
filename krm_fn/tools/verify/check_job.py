"""The linker's Jobs: their plans, and whether a Job is still the one that its name says."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from krm_fn.base import keys
from krm_fn.base.changes import Object
from krm_fn.base.item import Item, about
from krm_fn.base.kind import SYNC_WAVE, wave_of, wave_order
from krm_fn.base.link_plan import LinkPlan
from krm_fn.base.node import Node, elements, fields, get, is_mapping, is_scalar, step, text, texts
from krm_fn.base.problem import Problem, ResourceId
from krm_fn.core.config.plain import plain_value
from krm_fn.core.names.names import content_name, is_image
from krm_fn.tools.render.rendered import OF_CRON_JOB, find_job_containers, runs_linker


def check_cron_job(
    item: Item, plan: LinkPlan, wanted: Callable[[str], Object] | None
) -> Iterator[Problem]:
    """Find a CronJob that is not as the function emits it: `wanted`, of an image, if the configuration is known."""
    yield from _check_images(item)
    yield from _check_commands(item)
    if plan.waits:
        message = "lacks --no-wait: each run would wait for what no release is about to bring"
        yield about(item, message, OF_CRON_JOB)
    elif wanted is not None:
        images = [text(get(container, "image")) for container in find_job_containers(item).values()]
        yield from check_object(item, wanted(images[0]))


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

    More fields may be there.

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


def _compare(found: Node | None, wanted: Any, field: str) -> Iterator[tuple[str, str]]:
    """Yield each field that is not as wanted, and a message."""
    if isinstance(wanted, Mapping):
        for name, value in wanted.items():
            yield from _compare(
                get(found, name) if is_mapping(found) else None, value, step(field, name)
            )
    elif isinstance(wanted, Sequence) and not isinstance(wanted, str):
        entries = elements(found)
        if len(entries) != len(wanted):
            yield field, f"found {len(entries)} entries, expected {len(wanted)}"
        for place, (one, value) in enumerate(zip(entries, wanted, strict=False)):
            yield from _compare(one, value, f"{field}[{place}]")
    else:
        expected = str(wanted).lower() if isinstance(wanted, bool) else str(wanted)
        if found is None:
            yield field, f"missing; expected {expected!r}"
        elif not is_scalar(found) or found.value != expected:
            yield field, f"found {text(found)!r}, expected {expected!r}"


class _Permission(NamedTuple):
    """What one rule allows. `name` is `""` for objects of any name."""

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
    """Find what the linker may not do. What more it may do is somebody's decision."""
    found: set[_Permission] = set()
    for rule in elements(get(role.node, "rules")):
        found.update(_permissions(rule))
    for rule in wanted:
        names = rule.get("resourceNames", [""])
        words = product(rule["apiGroups"], rule["resources"], rule["verbs"], names)
        needed = [_Permission(*one) for one in words]
        lacking = [one for one in needed if one.name not in but and found.isdisjoint(one.wider)]
        if lacking:
            yield about(role, f"does not let the linker {', '.join(map(str, lacking))}", "rules")


def _check_subjects(binding: Item, wanted: Any) -> Iterator[Problem]:
    """Find an account that gets no right. Who else gets it is somebody's decision."""
    found = [texts(one) for one in elements(get(binding.node, "subjects"))]
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
