"""Find what somebody has written that has no effect, or that no API server accepts.

Settings of krm-fn have none if they match nothing: entries, annotations, misspelled kinds. One
configuration may serve many packages. Then it is normal that a pattern matches nothing, or that
there is no object of a kind: docs/decisions/0020 says which entries are reported all the same.

A key that a pod wants has none if the ConfigMap or Secret does not have it. A message about a
Secret has its keys, and no values. The API server refuses data beyond the limits of
`ValidateConfigMap` and `ValidateSecret` in pkg/apis/core/validation. Observed with Kubernetes 1.36:
null is accepted, and base64 may be folded, but not unpadded.
"""

import re
from base64 import b64decode
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from krm_fn.base import keys
from krm_fn.base.go_yaml import is_base64, is_plainly_text, is_text, read_scalar, unfold
from krm_fn.base.item import CONFIG_KINDS, DATA_FIELDS, Item, about, is_encrypted
from krm_fn.base.keys import DECLARES_FUNCTION
from krm_fn.base.kind import DEPLOYERS, ROLES
from krm_fn.base.node import (
    Node,
    Scalar,
    descend,
    describe,
    elements,
    entries,
    fields,
    get,
    is_mapping,
    is_merge,
    is_null,
    is_scalar,
    is_sequence,
    read_path,
    step,
    text,
)
from krm_fn.base.pods import CONTAINER_LISTS
from krm_fn.base.problem import Problem, Severity, and_others, listing
from krm_fn.base.reference import ResolvedReference, find_missing_step
from krm_fn.base.settings import KIND, FieldSpec, Selector, Settings, Strategy, is_pattern
from krm_fn.base.suggest import did_you_mean, find_meant, find_near_word, find_near_words, nearest
from krm_fn.core.decide.choose import find_first
from krm_fn.core.decide.run import Choice, Package, ReasonCode, Run
from krm_fn.core.names.names import KnownNames, authored_id, base_name
from krm_fn.core.references.find import SpecsByKind, find_by_specs
from krm_fn.core.references.generated import versioned
from krm_fn.core.references.references import References
from krm_fn.facts.kinds import AUTHORS_METADATA, SERVER_METADATA
from krm_fn.guards.guards import is_placeholder, looked_up_by
from krm_fn.lint.not_followed import Seen

# Keys and data.

_MOST_NAMES = 5
"""Keys or files that a message lists."""

# Texts, which `re` compiles when they are first used (docs/decisions/0031).
_VOLUME = r"(?P<pod>.+)\.volumes\[(?P<position>\d+)\]\.(?:configMap|secret)\.\w+"
_PROJECTED = r".+\.volumes\[\d+\]\.projected\.sources\[\d+\]\.(?:configMap|secret)\.\w+"

_FILLED = "(?i:replicat|reflect|generat|inject|vault)"
"""What the labels and annotations of objects say that a program of the cluster fills, in whatever way it is called."""

_WRITE = frozenset({"update", "patch", "*"})
_FALSE = ("", "false", "False", "FALSE")

_FIELDS = {
    "ConfigMap": {"data": False, "binaryData": True},
    "Secret": {"data": True, "stringData": False},
}
"""The fields with data, and whether their values are base64.

A key of `stringData` wins over the same one of `data`.
"""

_KEY = re.compile(r"(?!\.\Z|\.\.)[-._a-zA-Z0-9]{1,253}")
_MOST_BYTES = 1024 * 1024
_MOST_BYTES_OF_A_CHARACTER = 4

_WORDS = "y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF"
_BOOLEAN_WORDS = frozenset(_WORDS.split("|"))
"""Words that sigs.k8s.io/yaml reads as booleans, and the YAML of kustomize and kpt as text."""


# What SOPS writes, and what Flux looks for.
#
# Sources: getsops/sops: stores/dotenv/store.go, `EmitEncryptedFile`, appends a line for each part of
# the metadata; JSON, YAML and INI get a block `sops`, and other files become JSON.
# fluxcd/kustomize-controller: internal/decryptor/decryptor.go: `DecryptSources` decrypts files of a
# secretGenerator before the build, and `DecryptResource` values of built Secrets with these marks.
_SOPS_MAC = "sops_mac"
_ENCRYPTED = b"ENC[AES256_GCM,"
_MARKS_OF_SOPS = (b"sops_mac=ENC[", b"[sops]", b'"mac": "ENC[', b"mac: ENC[")

_ENV_FILE = (
    "is from an env file that SOPS has encrypted, and pods would get ciphertext: Flux decrypts such a file before it "
    "builds, and nobody does here; decrypt it before the build, or encrypt a manifest of the Secret instead"
)
_ENCRYPTED_FILE = (
    "is a file that SOPS has encrypted, and pods get the ciphertext: only Flux decrypts it, in Secrets; decrypt it "
    "before the build, or add flux to spec.deployers if Flux applies this Secret"
)


class _Wanted(NamedTuple):
    """A key or path, and where it is wanted: a problem that lacks its message."""

    name: str
    problem: Problem


def warn_about_missing_keys(run: Run) -> Iterator[Problem]:
    """Warn about keys and paths that pods want, but for objects to which a controller writes."""
    written = {choice.item for choice in run.choices.all if choice.is_written_by_others}
    return report_missing_keys(run.package, run.references, written, run.settings)


def report_missing_keys(
    package: Package, references: References, written: Collection[Item], settings: Settings
) -> Iterator[Problem]:
    """Warn about each key that an object does not have, and about each path that the items of a volume do not have.

    The pods that want one do not start. The object must be the only one that is meant, and all of its keys must be
    known: controllers and programs add keys to what they write to. `written`: the objects that controllers write.
    """
    wanted: dict[Item, list[_Wanted]] = defaultdict(list)
    sub_paths = cache(_list_sub_paths)  # several references are in one pod
    for one in references.authored:
        reference = one.reference
        if (
            reference.in_pod
            and not reference.is_output
            and text(reference.around.get("optional")) in _FALSE
        ):
            keys, of_volume = _list_wanted(one, sub_paths)
            paths = [text(get(entry, "path")) for entry in elements(reference.around.get("items"))]
            yield from _judge_paths(paths, of_volume)
            if len(one.targets) == 1:  # of several that may be meant, another one may have the key
                wanted[one.targets[0]] += keys
    for one in references.mounted:
        if len(one.targets) == 1:
            wanted[one.targets[0]] += _wanted_by_mount(one, package, references, settings)
    if not wanted:
        return
    written = {*written} | _list_written_by_programs(references)
    for item, several in wanted.items():
        missing = [] if item in written else [*_judge_keys(item, several)]
        if missing and looked_up_by(item, base_name(item), package.namespace_of(item)) is None:
            yield from missing


def _list_wanted(
    one: ResolvedReference, sub_paths: Callable[[Item, str], dict[str, list[_Wanted]]]
) -> tuple[list[_Wanted], list[_Wanted]]:
    """Return the keys that a reference wants, and the paths that containers want of a volume with items."""
    referrer, reference = one.referrer, one.reference
    around = reference.field.rpartition(".")[0]
    if reference.field.endswith("KeyRef.name"):
        return [_Wanted(text(reference.around.get("key")), _at(referrer, f"{around}.key"))], []
    of_volume: list[_Wanted] = []
    volume = re.fullmatch(_VOLUME, reference.field)
    if volume:
        place = *read_path(volume["pod"]), "volumes", int(volume["position"])
        # The first volume of a name takes the paths: no API server accepts a second one.
        of_volume = sub_paths(referrer, volume["pod"]).pop(
            text(get(descend(referrer.node, place), "name")), []
        )
    items = elements(reference.around.get("items"))
    if not items:  # then each key is a file, and a subPath is a key
        return of_volume, []
    if not volume and not re.fullmatch(_PROJECTED, reference.field):
        return [], of_volume
    of_items = [
        _Wanted(text(get(entry, "key")), _at(referrer, f"{around}.items[{position}].key"))
        for position, entry in enumerate(items)
    ]
    return of_items, of_volume


def _list_sub_paths(item: Item, pod: str) -> dict[str, list[_Wanted]]:
    """Return the `subPath`s of the containers of a pod, by volume. `pod`: the path of its spec."""
    found: dict[str, list[_Wanted]] = defaultdict(list)
    spec = descend(item.node, read_path(pod))
    for containers in CONTAINER_LISTS:
        for position, container in enumerate(elements(get(spec, containers))):
            for index, mount in enumerate(elements(get(container, "volumeMounts"))):
                path = text(get(mount, "subPath")).rstrip("/")
                field = f"{pod}.{containers}[{position}].volumeMounts[{index}].subPath"
                found[text(get(mount, "name"))].append(_Wanted(path, _at(item, field)))
    return found


def _at(item: Item, field: str) -> Problem:
    return about(item, "", field, Severity.WARNING)


def _wanted_by_mount(
    mounted: ResolvedReference, package: Package, references: References, settings: Settings
) -> Iterator[_Wanted]:
    """Yield the keys that an entry of `spec.mounts` wants, at their fields in the configuration."""
    entry, names = mounted.reference.rule.text, references.index.names.all(mounted.targets[0])
    mount = settings.mounts[int(read_path(entry)[-1])]
    for number, source in enumerate(mount.sources):
        if source.kind == mounted.reference.kind and source.name in names and not source.optional:
            around = f"{entry}.projected[{number}]" if mount.projected else entry
            fields = [
                (f"{around}.items[{index}].key", item.key)
                for index, item in enumerate(source.items)
            ]
            if not fields and not mount.projected:
                fields = [(f"{entry}.subPath", mount.sub_path)]
            for field, key in fields:
                yield _Wanted(key, Problem("", package.config_id, field, Severity.WARNING))


def _list_written_by_programs(references: References) -> set[Item]:
    """Return the objects that a role lets somebody change by their names."""
    written: set[Item] = set()
    for one in references.authored:
        if one.referrer.id.kind in ROLES and one.targets:
            rule = descend(one.referrer.node, read_path(one.reference.field)[:2])
            if not _WRITE.isdisjoint(text(verb) for verb in elements(get(rule, "verbs"))):
                written |= set(one.targets)
    return written


def _judge_paths(paths: list[str], wanted: Iterable[_Wanted]) -> Iterator[Problem]:
    """Warn about each path that is none of the items', no folder of one, and not below one."""
    files = {path.strip("/") for path in paths}
    if files and all(map(_is_certain, files)):
        present = files.union(*map(_folders_of, files))
        missing: list[_Wanted] = []
        for each in wanted:
            is_below_file = not files.isdisjoint(_folders_of(each.name))
            if each.name not in present and not is_below_file:
                missing.append(each)
        listed = listing(sorted(files), _MOST_NAMES)
        for one, question in _ask(missing, files):
            message = (
                f'the items of this volume have no path "{one.name}"{question} paths: {listed}'
            )
            yield one.problem._replace(message=message)


def _judge_keys(item: Item, wanted: Iterable[_Wanted]) -> Iterator[Problem]:
    """Warn about each key that an object does not have.

    Keys hold no slash: a path below one begins with it.
    """
    keys = _read_keys(item)
    if keys:
        named = (one._replace(name=one.name.partition("/")[0]) for one in wanted)
        missing = [one for one in named if one.name not in keys]
        for one, question in _ask(missing, keys):
            message = f'{authored_id(item)} has no key "{one.name}"{question} keys: {listing(keys, _MOST_NAMES)}'
            yield one.problem._replace(message=message)


def _read_keys(item: Item) -> dict[str, None]:
    """Return all keys of an object, in order; none where somebody may add others, or where they may not be text."""
    marks = (*item.labels, *item.annotations)
    if not item.is_config or any(re.search(_FILLED, mark) for mark in marks):
        return {}
    keys: dict[str, None] = {}
    is_empty = True
    for data in (get(item.node, name) for name in DATA_FIELDS):
        names = [key for key, _ in data.value] if is_mapping(data) else []
        if not all(map(_is_text, names)):
            return {}
        for key, value in entries(data):
            keys[key] = None
            is_empty = is_empty and is_scalar(value) and not value.value.strip()
    # A controller fills what is empty here.
    return {} if is_empty or not all(map(_is_certain, keys)) else keys


def _is_text(key: Node) -> bool:
    """Tell whether a key is the same text for all programs."""
    if not is_scalar(key) or (not key.style and key.value in _BOOLEAN_WORDS):
        return False
    return is_text(key) or is_merge(key)


def _folders_of(path: str) -> list[str]:
    steps = path.split("/")
    return ["/".join(steps[:count]) for count in range(1, len(steps))]


def _is_certain(path: str) -> bool:
    """Tell whether a key or path is what it says: nothing replaces a part of it, and no step leads elsewhere."""
    return not is_placeholder(path) and {"", ".", ".."}.isdisjoint(path.split("/"))


def _ask(missing: Iterable[_Wanted], known: Collection[str]) -> Iterator[tuple[_Wanted, str]]:
    """Yield what is certainly missing, each once, and the question for what was meant."""
    certain = dict.fromkeys(one for one in missing if _is_certain(one.name))
    near = find_meant({one.name for one in certain}, known) if certain else {}
    for one in certain:
        meant = near.get(one.name, "")
        yield one, did_you_mean(f'"{meant}"') if meant else ";"


def warn_about_refused_data(run: Run) -> Iterator[Problem]:
    """Warn about keys and values that no API server accepts, without the value: it may be a Secret's.

    One message is for all keys of an object that are wrong in the same way.
    """
    deployers = run.settings.deployers
    are_words_text = bool(deployers) and all(
        DEPLOYERS[name].keeps_boolean_words for name in deployers
    )
    errors = [problem for problem in run.revisions.problems if problem.severity is Severity.ERROR]
    without_hash = {(problem.node, problem.field) for problem in errors}
    for item in run.package.configs:
        if not item.is_config:
            continue
        wrong: dict[str, list[str]] = defaultdict(list)
        for field, message in _judge(item, are_words_text=are_words_text):
            if (item.node, field) not in without_hash:
                wrong[message].append(field)
        for message, (field, *others) in wrong.items():
            whole = message + and_others(others)
            yield about(item, whole, field, Severity.WARNING)._replace(resource=authored_id(item))


def find_encrypted_keys(seen: Seen) -> Iterator[Problem]:
    """Report what kustomize has made of an env file that SOPS encrypts: keys of SOPS, and values that nobody decrypts.

    SOPS finds its metadata in one text. A generator makes a key of each line of it.
    """
    for item in seen.package.configs:
        if not item.is_config or item.is_local:
            continue
        for name, is_encoded in _FIELDS[item.id.kind].items():
            value = get(item.node, name, _SOPS_MAC)
            if value is not None and _ENCRYPTED in _read_value(value, is_encoded=is_encoded):
                yield about(item, _ENV_FILE, step(name, _SOPS_MAC))


def warn_about_encrypted_files(run: Run) -> Iterator[Problem]:
    """Warn about values that are whole files of SOPS. Flux decrypts those of Secrets, and of nothing else."""
    decrypts = any(DEPLOYERS[name].decrypts for name in run.settings.deployers)
    for item in run.package.configs:
        if not item.is_config or item.is_local or is_encrypted(item):
            continue
        if decrypts and item.id.kind == "Secret":
            continue
        for name, is_encoded in _FIELDS[item.id.kind].items():
            for key, value in entries(get(item.node, name)):
                if _is_file_of_sops(_read_value(value, is_encoded=is_encoded)):
                    yield about(item, _ENCRYPTED_FILE, step(name, key), Severity.WARNING)._replace(
                        resource=authored_id(item)
                    )


def _is_file_of_sops(content: bytes) -> bool:
    return _ENCRYPTED in content and any(mark in content for mark in _MARKS_OF_SOPS)


def _read_value(value: Node, *, is_encoded: bool) -> bytes:
    if not is_scalar(value):
        return b""
    written = value.value.encode(errors="replace")
    if not is_encoded:
        return written
    try:
        return b64decode(written)
    except ValueError:
        return b""


def _judge(item: Item, *, are_words_text: bool) -> Iterator[tuple[str, str]]:
    """Yield each field that is wrong, and what is wrong with it.

    An object that SOPS encrypts is judged by its keys alone.
    """
    values: dict[str, tuple[Node, bool]] = {}
    is_readable = not is_encrypted(item)
    for name, is_encoded in _FIELDS[item.id.kind].items():
        data = get(item.node, name)
        if data is not None and not is_mapping(data) and not is_null(data):
            yield name, f"found {describe(data)}, expected a mapping: the API server refuses it"
        for key, value in entries(data):
            field = step(name, key)
            if not _KEY.fullmatch(key) and not is_placeholder(key):
                wrong = (
                    'the API server refuses this key; allowed: up to 253 letters, digits, "-", "_" and ".", but '
                    'neither "." alone nor ".." at the beginning'
                )
                yield field, wrong
            if key in values and item.id.kind == "ConfigMap":
                yield (
                    field,
                    "the key is in data as well: the API server refuses it; remove one of them",
                )
            # Of a Secret's key in both fields, only that of stringData counts.
            values[key] = (
                value,
                is_encoded,
            )
            wrong = _judge_value(value, are_words_text=are_words_text) if is_readable else ""
            if is_encoded and is_readable:
                wrong = "" if _is_bytes(value) else wrong or _judge_encoded(value, item.id.kind)
            if wrong:
                yield field, wrong
    if is_readable and (size := _size(values.values())) > _MOST_BYTES:
        yield (
            "",
            f"its data has {size} bytes, allowed: {_MOST_BYTES} (1 MiB): the API server refuses it; split it",
        )


def _judge_value(value: Node, *, are_words_text: bool) -> str:
    """Say why a value is no text; `""` for text, and for null, which is read as empty text."""
    if is_plainly_text(value):
        if are_words_text or value.style or value.value not in _BOOLEAN_WORDS:
            return ""
        return (
            "found yes, no, on, off, y or n without quotes, expected text: kubectl, Argo CD and Helm read a boolean, "
            "which the API server refuses; put it in quotes"
        )
    if is_null(value):
        return ""
    found, remedy = describe(value), ""
    if is_scalar(value):
        found, remedy = _describe(value), "; put it in quotes"
    return f"found {found}, expected text: the API server refuses it{remedy}" if found else ""


def _describe(value: Scalar) -> str:
    """Say what a scalar is, `""` for text."""
    try:
        read = read_scalar(value)
    except ValueError:  # infinity, in an object that has no hash
        return "a number"
    if isinstance(read, bool):
        return "a boolean"
    return "a number" if isinstance(read, float) else ""


def _judge_encoded(value: Node, kind: str) -> str:
    """Say that a text is not base64; `""` if it is, or if something may still replace it."""
    if (
        not is_scalar(value)
        or value.tag is not None
        or is_base64(value.value)
        or is_placeholder(value.value)
    ):
        return ""
    other = "stringData" if kind == "Secret" else "data"
    return f"found text that is not base64: the API server refuses it; encode it, or move it to {other}"


def _is_bytes(value: Node) -> bool:
    """Tell whether it is a list of numbers, which the API server reads as bytes."""
    return is_sequence(value) and all(
        is_null(one) or (is_scalar(one) and _describe(one) == "a number") for one in value.value
    )


def _size(values: Collection[tuple[Node, bool]]) -> int:
    """Return how many bytes the values have; 0 where even the longest characters could not make too many."""
    texts = [(value.value, is_encoded) for value, is_encoded in values if is_scalar(value)]
    if sum(len(one) for one, _ in texts) * _MOST_BYTES_OF_A_CHARACTER <= _MOST_BYTES:
        return 0
    return sum(
        _decoded_size(one) if is_encoded else len(one.encode(errors="replace"))
        for one, is_encoded in texts
    )


def _decoded_size(encoded: str) -> int:
    digits = unfold(encoded)
    return len(digits) * 3 // 4 - digits[-2:].count("=")


_KINDS = {kind.lower(): kind for kind in CONFIG_KINDS}
_NO_GROUP = re.compile("(?:core/)?[^/]+")
_OBJECT = ("apiVersion", "kind", "metadata")
_CONDITIONS = ("kind", "namespace", "labels", "annotations")

_DOMAIN = "krm-fn.io"
_ANNOTATIONS = frozenset(
    (
        *(keys.STRATEGY, keys.ASKED_FIXED_NAME, keys.BASE_NAME),
        *(keys.RETAIN, keys.KINDS, keys.LEAVING),
    )
) | {*(keys.WANTED, keys.CHECKSUM, keys.RENDERED, keys.OWNS_SECRET, keys.MADE_BY, keys.STANDS_FOR)}
"""Authors set the first one; the function and the linker set the others."""

_LABELS = frozenset({keys.SET, keys.COMPONENT})

_MOST_NAMED = 3
"""Objects to name: they mostly share one reason."""

_EXPECTED = frozenset({ReasonCode.NOT_SELECTED, ReasonCode.FIXED_NAME, ReasonCode.OTHER_SET})
"""Nobody wonders why these are left alone.

An entry of `select` that matches nothing has a warning of its own.
"""


def warn_about_unmatched(run: Run) -> Iterator[Problem]:
    """Warn about each entry of `select`, `exclude` and `references` that has no effect."""
    package, settings, names = run.package, run.settings, run.references.index.names
    lists: tuple[tuple[str, Sequence[Selector], Collection[str]], ...] = (
        ("select", settings.select or (), settings.kinds),
        # An entry may exclude what is not handled: it stays right when somebody adds the kind.
        ("exclude", settings.exclude, {*CONFIG_KINDS, *settings.kinds}),
    )
    for list_name, selectors, kinds in lists:
        for position, message in _judge_entries(selectors, package.configs, kinds, names):
            yield Problem(
                message, package.config_id, f"spec.{list_name}[{position}]", Severity.WARNING
            )
    for field, message in _judge_references(settings.references, package.authored):
        yield Problem(message, package.config_id, field, Severity.WARNING)


def _judge_entries(
    selectors: Sequence[Selector], configs: list[Item], kinds: Collection[str], names: KnownNames
) -> Iterator[tuple[int, str]]:
    """Yield the position of each entry to report, and the message.

    One message is for all entries that are wrong in the same way.
    """
    candidates = [item for item in configs if item.id.kind in kinds]
    matched = find_first(candidates, selectors)
    unmatched = {
        position: selector for position, selector in enumerate(selectors) if position not in matched
    }
    # Where another entry matches, or nothing could, the patterns are probably for other packages.
    is_for_many_packages = len(unmatched) < len(selectors) or not candidates
    wrong = {one.name for one in unmatched.values() if not is_pattern(one.name)}
    known: set[str] = set()
    if wrong:
        for item in candidates:
            known.update(names.all(item))
    meant = find_meant(wrong, known)
    reported = {
        position: selector
        for position, selector in unmatched.items()
        if not (is_pattern(selector.name) and is_for_many_packages)
    }
    guesses = _guess(reported, meant, candidates, configs)
    alike: dict[tuple[str, int], list[int]] = defaultdict(list)
    for position, selector in reported.items():
        wanted = [selector.kind] if selector.kind else sorted(kinds)
        what = f"no {' or '.join(wanted)} of the package{guesses.get(position, '')}"
        # By its place, if it has no name.
        alike[what, position if selector.name == "*" else -1].append(position)
    for (what, _), (first, *others) in alike.items():
        subject = (
            f'"{selectors[first].name}" matches' if selectors[first].name != "*" else "matches"
        )
        names_of_others = [f'"{selectors[one].name}"' for one in others]
        yield first, f"{subject} {what}{and_others(names_of_others)}"


def _guess(
    wrong: Mapping[int, Selector],
    meant: Mapping[str, str],
    candidates: list[Item],
    configs: list[Item],
) -> dict[int, str]:
    """Say what may have been meant by entries that match nothing: another name, or fewer conditions.

    All of them are looked for at once: there may be as many entries as objects. The best guess comes last, and wins.
    """
    guesses: dict[int, str] = {}
    judged = {*candidates}
    for position, item in _find_first([item for item in configs if item not in judged], wrong):
        guesses[position] = (
            f"; {authored_id(item)} does, but spec.kinds does not contain {item.id.kind}"
        )
    for condition in reversed(_CONDITIONS):
        any_ = getattr(Selector(), condition)
        narrow = [
            (position, one) for position, one in wrong.items() if getattr(one, condition) != any_
        ]
        relaxed = {position: one._replace(**{condition: any_}) for position, one in narrow}
        for position, item in _find_first(candidates, relaxed):
            guesses[position] = f"; {authored_id(item)} meets every condition but `{condition}`"
    renamed = {
        position: one._replace(name=meant[one.name])
        for position, one in wrong.items()
        if meant.get(one.name)
    }
    for position, _ in _find_first(candidates, renamed):
        guesses[position] = did_you_mean(f'"{renamed[position].name}"')
    return guesses


def _find_first(items: list[Item], selectors: Mapping[int, Selector]) -> Iterator[tuple[int, Item]]:
    """Find the first object that each entry matches, under the number of the entry."""
    numbers = [*selectors]
    for place, item in find_first(items, selectors.values()).items():
        yield numbers[place], item


def _judge_references(
    specs: Iterable[FieldSpec], objects: Iterable[Item]
) -> Iterator[tuple[str, str]]:
    """Yield the field of each entry to report, and the message.

    A kind that is not in the package is normal, unless one is near. So is a field that its objects
    do not have, if another entry is good for something.
    """
    items = [item for item in objects if not item.is_local]
    kinds = dict.fromkeys(sorted({item.id.kind for item in items}))
    by_spec: dict[FieldSpec, list[Item]] = {spec: [] for spec in specs}
    specs_by_kind = SpecsByKind(by_spec)
    for item in items:
        for spec in specs_by_kind.matching(item.id):
            by_spec[spec].append(item)
    near_kinds = find_near_words({spec.kind for spec, found in by_spec.items() if not found}, kinds)
    used: set[FieldSpec] = set()
    for spec, found in by_spec.items():
        if any(chain.from_iterable(find_by_specs(item.node, item.id, [spec]) for item in found)):
            used.add(spec)
    for spec, found in by_spec.items():
        if found and spec not in used:
            missing, present = find_missing_step(found[0].node, spec.path)
            near = find_near_word(missing, present)
            # The path of an entry that serves other packages is right, although this package lacks
            # the field.
            if near or not used:
                reason = f": there is no {missing}{did_you_mean(near)}" if missing else ""
                yield (
                    spec.entry,
                    f"no {spec.kind or 'object'} of the package has a name at {spec.path}{reason}",
                )
        elif not found and spec.kind not in kinds and (near := near_kinds[spec.kind]):
            yield (
                spec.entry,
                f"matches no object of the package: there is no {spec.kind}{did_you_mean(near)}",
            )


def warn_about_misspelled_kinds(run: Run) -> Iterator[Problem]:
    """Warn about kinds, versions and fields that no API server knows, and that keep an object from being a revision."""
    for item in run.package.authored:
        if item.is_local:
            continue
        kind = _KINDS.get(item.id.kind.lower().removesuffix("s"))
        if kind and kind != item.id.kind and item.id.api_version == "v1":
            message = f'found "{item.id.kind}", which is no kind of Kubernetes{did_you_mean(kind)}'
            yield about(item, message, "kind", Severity.WARNING)
        elif (
            item.id.kind in CONFIG_KINDS
            and _NO_GROUP.fullmatch(item.id.api_version)
            and not item.is_config
        ):
            message = f'found "{item.id.api_version}", which is no version of a {item.id.kind}{did_you_mean("v1")}'
            yield about(item, message, "apiVersion", Severity.WARNING)
        for field, meant in _find_misspelled_fields(item):
            message = f"is no field of {item.id.kind or 'an object'}, and has no effect{did_you_mean(meant)}"
            yield about(item, message, field, Severity.WARNING)


def _find_misspelled_fields(item: Item) -> Iterator[tuple[str, str]]:
    """Yield the path of each misspelled field that objects of all kinds have, and what was meant."""
    top = fields(item.node)
    if not top.keys().isdisjoint(_OBJECT):  # else it is no object, but a file of some tool
        content = DATA_FIELDS if item.is_config else ()
        yield from _compare(top, (*_OBJECT, *content), DATA_FIELDS)
        for name, meant in _compare(fields(top.get("metadata")), AUTHORS_METADATA, SERVER_METADATA):
            yield f"metadata.{name}", meant


def _compare(
    found: Collection[str], wanted: Collection[str], others: Collection[str]
) -> Iterator[tuple[str, str]]:
    missing = [name for name in wanted if name not in found]
    if not missing:  # as in most objects: to look for what is near takes a library
        return
    for name in found:
        if name not in wanted and name not in others and (meant := nearest(name, missing)):
            yield name, meant


def warn_about_own_annotations(run: Run) -> Iterator[Problem]:
    """Warn about each annotation and label of this function that has no effect: nothing else would say so."""
    for item in run.package.authored:
        messages = {
            f"metadata.annotations[{name}]": _judge_annotation(item, name, run.settings.kinds)
            for name in item.annotations
        }
        messages |= {f"metadata.labels[{name}]": _judge_label(name) for name in item.labels}
        for field, message in messages.items():
            if message:
                yield about(item, message, field, Severity.WARNING)._replace(
                    resource=authored_id(item)
                )


def _judge_annotation(item: Item, name: str, kinds: Collection[str]) -> str:
    """Say what is wrong with an annotation; `""` if nothing is."""
    if not _is_ours(name) or name.startswith(keys.MOUNTS):
        return ""
    if name not in _ANNOTATIONS:
        return f"unknown annotation{_suggest(name)}allowed: {keys.STRATEGY}"
    if name != keys.STRATEGY or item.is_config:
        return ""
    if versioned(item.id) is not None:
        return (
            ""
            if item.id.kind in kinds
            else f"has no effect: spec.kinds does not contain {item.id.kind}; add it"
        )
    return f"has no effect on a {item.id.kind}: only ConfigMaps and Secrets, and what makes Secrets, have a strategy"


def _judge_label(name: str) -> str:
    if not _is_ours(name) or name in _LABELS:
        return ""
    if name == keys.STRATEGY:
        return "has no effect as a label; make it an annotation"
    return f"unknown label{_suggest(name)}allowed: the annotation {keys.STRATEGY}"


def _is_ours(name: str) -> bool:
    domain, slash, _ = name.partition("/")
    return bool(slash) and f".{domain}".endswith(f".{_DOMAIN}")


def _suggest(name: str) -> str:
    """Ask for what authors may set. The part before the slash is the same in all of it."""
    near = nearest(name.partition("/")[2], [keys.STRATEGY.removeprefix(keys.PREFIX)])
    return f'; did you mean "{keys.PREFIX}{near}"? ' if near else "; "


def warn_about_nothing_chosen(run: Run) -> Iterator[Problem]:
    """Warn if a configuration has no effect, with the reasons why objects are left alone.

    It says nothing where that is wanted, and where the package has nothing to choose from: one
    configuration may serve many packages (`docs/decisions/0038`).
    """
    package, settings, choices = run.package, run.settings, run.choices.all
    is_any_chosen = any(choice.strategy is not Strategy.IGNORE for choice in choices)
    if package.config_id is None or is_any_chosen or any(one.restarts for one in run.checksums):
        return
    if package.config_id.kind == KIND and _is_of_generator(package):
        message = "gets no objects: kustomize passes none to `generators:`; list this file in `transformers:`"
        yield Problem(message, package.config_id, severity=Severity.WARNING)
    if settings.strategy is Strategy.IGNORE:  # somebody has turned it off
        return
    near = _list_near(choices, run.references, settings)
    if near:
        reasons = listing(
            (f"{authored_id(one.item)}: {one.reason.text}" for one in near), _MOST_NAMED, "; ", ";"
        )
        message = f"chooses no object: {reasons}; to accept this, add them to spec.exclude"
        yield Problem(message, package.config_id, "metadata.name", Severity.WARNING)


def _is_of_generator(package: Package) -> bool:
    """Tell whether kustomize runs a generator: the only item is the configuration, which names the program."""
    items = package.authored
    is_alone = len(items) == 1 and items[0].id == package.config_id and not package.emitted
    return is_alone and any(name in items[0].annotations for name in DECLARES_FUNCTION)


def _list_near(
    choices: Iterable[Choice], references: References, settings: Settings
) -> list[Choice]:
    """Return the objects that somebody may have meant: those of a kind that is handled, or, if there are none, others.

    Without `spec.kinds`, nobody has said that it is about Secrets or not.
    """
    open_ones = [choice for choice in choices if not choice.explicit and _is_surprising(choice)]
    handled = [choice for choice in open_ones if choice.item.id.kind in settings.kinds]
    if handled or settings.kinds == Settings().kinds:
        return handled
    return [choice for choice in open_ones if choice.item in references.read_by_pods]


def _is_surprising(choice: Choice) -> bool:
    return choice.reason.code not in _EXPECTED and not choice.reason.is_expected
