"""The mistakes in krm_fn that would cost most, each with the test of `make test` that notices it.

A mistake is a function or constant, by its name and wherever it is, a piece of code in it, and what
stands there instead. Code is compared as Python understands it: neither its lines nor its module
matter. `python -m tests.mutants --telling` says where the code is not there exactly once, and which
row no test notices.
"""

from typing import NamedTuple


class Telling(NamedTuple):
    """A mistake as a sentence, where it is made, the code that changes, and the tests that fail.

    `where` is the name in its module, such as `LiveCluster.delete`.
    """

    mistake: str
    where: str
    code: str
    instead: str
    tests: str


TELLING = (
    Telling(
        "a revision that is referenced is deleted",
        "find_keepers",
        "revision.name in referenced",
        "False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a revision of the newest rendering is deleted",
        "find_keepers",
        "revision.name in rendered",
        "False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a young revision is deleted, while its rendering is being applied",
        "find_keepers",
        "revision.created >= observation.now - plan.minimum_age",
        "False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a revision with an owner of somebody else is deleted",
        "find_keepers",
        "all(_is_linker_owner(plan, observation, kinds, owner) for owner in revision.owners)",
        "any(_is_linker_owner(plan, observation, kinds, owner) for owner in revision.owners)",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a tracker is deleted that does not own its Secret yet",
        "find_keepers",
        "revision.is_tracker and not revision.owns_secret",
        "False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "revisions are deleted while a kind of consumers cannot be listed",
        "_judge",
        "observation.inventory is None or observation.unread",
        "observation.inventory is None",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a consumer that is being deleted becomes an owner, and takes the revision with it",
        "_missing_owners",
        "one.can_own and not one.is_being_deleted",
        "one.can_own",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "without an inventory, consumers become the only owners",
        "_missing_owners",
        "may_lose_all and not revision.owners",
        "False",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a patch has no precondition, and meets another object of this name",
        "RevisionPatch.body",
        '{"uid": self.revision.uid, **annotations, **owners}',
        "{**annotations, **owners}",
        "tests/linker/test_owners.py",
    ),
    Telling(
        "a revision is deleted although it has changed since it was read",
        "LiveCluster.delete",
        '{"uid": revision.uid, "resourceVersion": revision.resource_version}',
        '{"uid": revision.uid}',
        "tests/linker/test_live_cluster.py",
    ),
    Telling(
        "nothing is waited for between mark and deletion",
        "GRACE",
        "10.0",
        "0.0",
        "tests/linker/test_link.py",
    ),
    Telling(
        "a name that only looks hashed loses its end",
        "_find_base",
        "match and match.group(2) == _own_hash(item)",
        "match",
        "tests/names/test_names.py",
    ),
    Telling(
        "the key order enters the hash",
        "_encode",
        "sorted(value.items())",
        "value.items()",
        "tests/names/test_content_hash.py",
    ),
    Telling(
        "the hash leaves the binary data of a ConfigMap out",
        "_UNLESS_SCALAR",
        '"binaryData"',
        '"stringData"',
        "tests/names/test_content_hash.py",
    ),
    Telling(
        "a tracker's label that somebody has copied makes an object ours, and it is removed",
        "is_emitted",
        'item.id.kind == "ConfigMap" and get(item.node, "data") is None and keys.BASE_NAME in item.annotations',
        'item.id.kind == "ConfigMap"',
        "tests/names/test_emitted.py",
    ),
    Telling(
        "a ConfigMap that programs look up by its very name is renamed",
        "FIXED_NAMES",
        '{"kptfile.kpt.dev", "kube-root-ca.crt", "openshift-service-ca.crt"}',
        '{"kptfile.kpt.dev", "openshift-service-ca.crt"}',
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a revision of another set is taken",
        "_Chooser.choose",
        "owner in self._own_sets",
        "True",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "what a hook reads before it is applied is renamed",
        "Evidence.refuse_early_reader",
        "[one.refuse() for one in self._early_readers.get(item, {}).values()]",
        "[]",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a reference that matches two objects gets the name of one",
        "update_references",
        "problems.append(_ambiguous(resolved))",
        "edits += _rewrite(resolved, first.name, first.namespace)",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a role loses the base name that a program reads",
        "_find_wanted",
        "reference.target in base_names",
        "False",
        "tests/function/test_fixtures.py",
    ),
    Telling(
        "a role of another API group is rewritten",
        "_kinds_in",
        'not groups.isdisjoint((one.group, "*"))',
        "True",
        "tests/references/test_find.py",
    ),
    Telling(
        "a field of a table is followed in another API group of the same kind",
        "_find_by_kind",
        "not field.groups or group in field.groups",
        "True",
        "tests/references/test_find.py",
    ),
    Telling(
        "two edits of the same place are both made",
        "apply_splices",
        "splice.start < position",
        "False",
        "tests/yaml/test_splice.py",
    ),
    Telling(
        "the proof does not look at what should stay",
        "_match_node",
        "[] if _is_same(found, before) else None",
        "[]",
        "tests/yaml/test_prove.py",
    ),
    Telling(
        "a new object may say another value in the words of an earlier one",
        "leave_out_repeated",
        "repr(value)",
        '""',
        "tests/yaml/test_shorten.py",
    ),
    Telling(
        "a new object's field may have another name than it must",
        "leave_out_repeated",
        'field.startswith(f"{margin}{name}:")',
        "field.startswith(margin)",
        "tests/yaml/test_shorten.py",
    ),
    Telling(
        "new objects are shortened where their text is not all fields",
        "_fields",
        "sum(len(field[0]) for field in found) != len(text)",
        "not found",
        "tests/yaml/test_shorten.py",
    ),
    Telling(
        "a word that YAML 1.1 reads as true is written without quotes",
        "is_text_to_all",
        "value.lower() not in _KEYWORDS",
        "True",
        "tests/yaml",
    ),
    Telling(
        "the values of a Secret are shown",
        "is_hidden",
        "kind == _SECRET and not _is_open(path, around)",
        "False",
        "tests/report/test_hidden.py",
    ),
    Telling(
        "a digest in an annotation of a Secret is shown",
        "_DIGESTS",
        '("checksum", "digest", "hash")',
        '("digest", "hash")',
        "tests/report/test_hidden.py",
    ),
    Telling(
        "the text of a Secret's value is kept for what is shown",
        "_values_of",
        '{} if is_secret else fields(get(item.node, "data"))',
        'fields(get(item.node, "data"))',
        "tests/diff/test_diffs.py",
    ),
    Telling(
        "a file outside of the root is read",
        "Files.locate",
        "not real.is_relative_to(self._real_root)",
        "False",
        "tests/common/test_files.py",
    ),
    Telling(
        "verify accepts a name that is not of the content",
        "check_names",
        "revision.expected_hash()",
        "found",
        "tests/verify/test_mistakes.py",
    ),
    Telling(
        "a message says the name that the content of a Secret belongs to",
        "check_names",
        'item.id.kind != "Secret"',
        "True",
        "tests/verify/test_mistakes.py",
    ),
    Telling(
        "a checksum leaves out which key a value has",
        "content_digest",
        '(key.encode(), b"" if value is None else b"=" + value)',
        '(b"" if value is None else b"=" + value,)',
        "tests/extras/test_checksum.py tests/extras/test_checksum_properties.py",
    ),
    Telling(
        "an object of a tool is applied",
        "may_refer",
        "resource.group not in TOOL_GROUPS",
        "True",
        "tests/references/test_find.py",
    ),
    Telling(
        "a program that was killed counts as ended",
        "run_program",
        "process.returncode < 0",
        "False",
        "tests/builds/test_builds.py",
    ),
    Telling(
        "half of what a program printed counts as all",
        "_read",
        "len(stdout) > allowance.bytes",
        "False",
        "tests/common/test_program.py tests/merge/test_driver.py",
    ),
    Telling(
        "a merge that git has cut off counts as whole",
        "merge_as_git",
        "not ended.stdout.endswith(end)",
        "False",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "our side alone is in the file when the driver is killed",
        "drive",
        "_replace(call.files.ours, both_sides(texts).data)",
        "pass",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "a name that one side adds is merged without its content",
        "_merge_blindly",
        "merged.has_conflict or len(names) == 1",
        "True",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "what is no manifest of the package is read",
        "_read_package.is_read",
        'name == KPTFILE or (name.endswith(MANIFESTS) and not name.startswith("."))',
        "True",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "the names that the other side's linker lists are lost",
        "Envelope.join",
        "item.id not in known and item.node in parts",
        "False",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "a list that decides a deletion is answered from a cache that is behind",
        "Lists.read",
        '{"limit": str(page), **selectors, **({"continue": following} if following else {})}',
        '{"limit": str(page), "resourceVersion": "0", **selectors, **({"continue": following} if following else {})}',
        "tests/linker/test_requests.py",
    ),
    Telling(
        "the content of every ConfigMap of the set is read",
        "LiveCluster._list_set",
        "True",
        "False",
        "tests/linker/test_requests.py",
    ),
    Telling(
        "sets of the same name run in the same minute in all namespaces",
        "spread_schedule",
        'f"{namespace}/{set_name}"',
        "set_name",
        "tests/extras/test_linker_objects.py",
    ),
    Telling(
        "a hashed hour follows from the minute",
        "_place_schedule",
        "number // 60",
        "number",
        "tests/extras/test_linker_objects.py",
    ),
    Telling(
        "every manifest of the repository is read to merge a file of one package",
        "_read_package",
        '[] if folder == "." else [folder]',
        "[]",
        "tests/merge/test_driver.py",
    ),
    Telling(
        "what a chart calls itself in a text of values is reported",
        "_Search._values_in",
        "is_own or _is_own(setting.key, setting.parent)",
        "is_own",
        "tests/references/test_near_misses.py",
    ),
    Telling(
        "the name of another object in a text of values is reported",
        "_Search._values_in",
        "is_own or _is_own(setting.key, setting.parent)",
        "_is_own(setting.key, setting.parent)",
        "tests/references/test_near_misses.py",
    ),
    Telling(
        "the chart of a generator is checked in the folder of others",
        "find_listed_charts",
        'text(named_field(generator, "chartHome"))',
        "home",
        "tests/builds/test_named_fields.py",
    ),
    Telling(
        "a limit that becomes 0 rolls nothing",
        "is_not_stored",
        "is_element or names[0] in OPEN_MAPS or names[0] in QUANTITIES",
        "is_element or names[0] in OPEN_MAPS",
        "tests/common/test_stored.py",
    ),
    Telling(
        "what cannot be left out of a List is read all the same",
        "read_deployable",
        "envelope.document.has_aliases or envelope.document.repeated",
        "envelope.document.repeated",
        "tests/render/test_deployable.py",
    ),
)
