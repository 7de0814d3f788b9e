"""The mistakes in krm_fn that would cost most, each with the test of `make test` that notices it.

A mistake is a text of the source, wherever it is, and what stands there instead. The text is found once, whatever its
white space: `python -m tests.mutants --telling` says if the source has changed too much, and which row no test notices.
"""

from typing import NamedTuple


class Telling(NamedTuple):
    """A mistake as a sentence, the text that changes, and the tests that fail."""

    mistake: str
    text: str
    instead: str
    tests: str


TELLING = (
    Telling(
        "a revision that is referenced is deleted",
        "Keeper.REFERENCED: revision.name in referenced",
        "Keeper.REFERENCED: False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a revision of the newest rendering is deleted",
        "Keeper.RENDERED: revision.name in rendered",
        "Keeper.RENDERED: False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a young revision is deleted, while its rendering is being applied",
        "Keeper.YOUNG: revision.created >= observation.now - plan.minimum_age",
        "Keeper.YOUNG: False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a revision with an owner of somebody else is deleted",
        "Keeper.FOREIGN_OWNER: not all(",
        "Keeper.FOREIGN_OWNER: not any(",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a tracker is deleted that does not own its Secret yet",
        "Keeper.UNLINKED_TRACKER: revision.is_tracker and not revision.owns_secret",
        "Keeper.UNLINKED_TRACKER: False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "revisions are deleted while a kind of consumers cannot be listed",
        "if observation.inventory is None or observation.unread:",
        "if observation.inventory is None:",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a consumer that is being deleted becomes an owner, and takes the revision with it",
        "if one.can_own and not one.is_being_deleted",
        "if one.can_own",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "without an inventory, consumers become the only owners",
        "if inventory is None and not revision.owners:",
        "if False:",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a patch has no precondition, and meets another object of this name",
        '{"metadata": {"uid": self.revision.uid, **annotations, **owners}}',
        '{"metadata": {**annotations, **owners}}',
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a revision is deleted although it has changed since it was read",
        '"preconditions": {"uid": revision.uid, "resourceVersion": revision.resource_version}',
        '"preconditions": {"uid": revision.uid}',
        "tests/linker/test_live_cluster.py",
    ),
    Telling(
        "nothing is waited for between mark and deletion",
        "GRACE = 10.0",
        "GRACE = 0.0",
        "tests/linker/test_link.py",
    ),
    Telling(
        "a name that only looks hashed loses its end",
        "if match and match.group(2) == _own_hash(item) else name",
        "if match else name",
        "tests/names/test_names.py",
    ),
    Telling(
        "the key order enters the hash",
        "for name, member in sorted(value.items()):",
        "for name, member in value.items():",
        "tests/names/test_content_hash.py",
    ),
    Telling(
        "the hash leaves the binary data of a ConfigMap out",
        '_UNLESS_SCALAR = {"ConfigMap": "binaryData", "Secret": "stringData"}',
        '_UNLESS_SCALAR = {"ConfigMap": "stringData", "Secret": "stringData"}',
        "tests/names/test_content_hash.py",
    ),
    Telling(
        "a tracker's label that somebody has copied makes an object ours, and it is removed",
        'return item.id.kind == "ConfigMap" and get(item.node, "data") is None and keys.BASE_NAME in item.annotations',
        'return item.id.kind == "ConfigMap"',
        "tests/names/test_emitted.py",
    ),
    Telling(
        "a ConfigMap that programs look up by its very name is renamed",
        '{"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"}',
        '{"kptfile.kpt.dev", "openshift-service-ca.crt"}',
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a revision of another set is taken",
        "if owner in self._settings.own_sets:",
        "if True:",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "what a hook reads before it is applied is renamed",
        "return [reader.refuse() for reader in early.get(item, {}).values()]",
        "return []",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a reference that matches two objects gets the name of one",
        "problems.append(_ambiguous(resolved))",
        "edits += _rewrite(resolved, first.name, first.namespace)",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a role loses the base name that a program reads",
        "[resolved.reference.target, *names] if is_base_name else names",
        "names",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a role of another API group is rewritten",
        '{one.group, "*"} & groups and (one.plural in resources',
        "(one.plural in resources",
        "tests/references/test_find.py",
    ),
    Telling(
        "a field of a table is followed in another API group of the same kind",
        "if not field.groups or group in field.groups:",
        "if True:",
        "tests/references/test_find.py",
    ),
    Telling(
        "two edits of the same place are both made",
        "if splice.start < position:",
        "if False:",
        "tests/yaml/test_splice.py",
    ),
    Telling(
        "the proof does not look at what should stay",
        "return [] if _is_same(found, before) else None",
        "return []",
        "tests/yaml/test_prove.py",
    ),
    Telling(
        "a new object may say another value in the words of an earlier one",
        "said = field, repr(value)",
        'said = field, ""',
        "tests/yaml/test_shorten.py",
    ),
    Telling(
        "a new object's field may have another name than it must",
        'if field.startswith(f"{margin}{name}:"):',
        "if field.startswith(margin):",
        "tests/yaml/test_shorten.py",
    ),
    Telling(
        "new objects are shortened where their text is not all fields",
        "if sum(len(field[0]) for field in found) != len(text):",
        "if not found:",
        "tests/yaml/test_shorten.py",
    ),
    Telling(
        "a word that YAML 1.1 reads as true is written without quotes",
        "and value.lower() not in _KEYWORDS",
        "",
        "tests/yaml",
    ),
    Telling(
        "the values of a Secret are shown",
        "if kind == _SECRET and not _is_open(path, around):",
        "if False:",
        "tests/report/test_hidden.py",
    ),
    Telling(
        "a digest in an annotation of a Secret is shown",
        '_DIGESTS = ("checksum", "digest", "hash")',
        '_DIGESTS = ("digest", "hash")',
        "tests/report/test_hidden.py",
    ),
    Telling(
        "the text of a Secret's value is kept for what is shown",
        'texts: dict[str, Node] = {} if is_secret else fields(get(item.node, "data"))',
        'texts: dict[str, Node] = fields(get(item.node, "data"))',
        "tests/diff/test_diffs.py",
    ),
    Telling(
        "a file outside of the root is read",
        "if not real.is_relative_to(self._real_root):",
        "if False:",
        "tests/render/test_files.py",
    ),
    Telling(
        "verify accepts a name that is not of the content",
        "expected = hash_of(item)",
        "expected = found",
        "tests/verify/test_mistakes.py",
    ),
    Telling(
        "a message says the name that the content of a Secret belongs to",
        'if item.id.kind != "Secret" else "another name"',
        'if True else "another name"',
        "tests/verify/test_mistakes.py",
    ),
    Telling(
        "a checksum leaves out which key a value has",
        'for part in (key.encode(), b"" if value is None else b"=" + value):',
        'for part in (b"" if value is None else b"=" + value,):',
        "tests/extras/test_checksum.py tests/extras/test_checksum_properties.py",
    ),
    Telling(
        "an object of a tool is applied",
        "return not _is_config(resource) and resource.group not in TOOL_GROUPS",
        "return not _is_config(resource)",
        "tests/references/test_find.py",
    ),
    Telling(
        "a program that was killed counts as ended",
        "if process.returncode < 0:",
        "if False:",
        "tests/render/test_tools.py",
    ),
    Telling(
        "half of what a program printed counts as all",
        "if len(stdout) > allowance.bytes:",
        "if False:",
        "tests/render/test_program.py tests/merge/test_driver.py",
    ),
    Telling(
        "a merge that git has cut off counts as whole",
        "if not ended.stdout.endswith(end):",
        "if False:",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "our side alone is in the file when the driver is killed",
        "_replace(call.files.ours, both_sides(texts).data)",
        "pass",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "a name that one side adds is merged without its content",
        "is_safe = merged.has_conflict or len(names) == 1",
        "is_safe = True",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "what is no manifest of the package is read",
        'return name == KPTFILE or (name.endswith(MANIFESTS) and not name.startswith("."))',
        "return True",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "the names that the other side's linker lists are lost",
        "if item.id not in known and item.node in parts]",
        "if False]",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "a list that decides a deletion is answered from a cache that is behind",
        'query = {"limit": str(page), **selectors,',
        'query = {"limit": str(page), "resourceVersion": "0", **selectors,',
        "tests/linker/test_requests.py",
    ),
    Telling(
        "the content of every ConfigMap of the set is read",
        "lambda item: read_of_set(item, plan), metadata_only=True, labelSelector=selector",
        "lambda item: read_of_set(item, plan), labelSelector=selector",
        "tests/linker/test_requests.py",
    ),
    Telling(
        "sets of the same name run in the same minute in all namespaces",
        'sha256(f"{namespace}/{set_name}".encode())',
        "sha256(set_name.encode())",
        "tests/extras/test_linker_objects.py",
    ),
    Telling(
        "a hashed hour follows from the minute",
        "_place_field(hour, number // 60, 24)",
        "_place_field(hour, number, 24)",
        "tests/extras/test_linker_objects.py",
    ),
)
