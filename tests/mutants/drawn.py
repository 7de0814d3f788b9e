"""Forty mistakes that chance has drawn over all rooms, before the tests were put into tiers.

Each has the test that noticed it then; `""` where none did. `python -m tests.mutants --drawn` says
which one notices it now, in a tier: a smaller tier may not cost what these tests buy. A row whose
code is gone goes with it.
"""

from tests.mutants.telling import Telling

DRAWN = (
    Telling(
        "negate a condition",
        "name_set",
        "may_be_one or may_share(one.namespaces, ours)",
        "(not (may_be_one or may_share(one.namespaces, ours)))",
        "",
    ),
    Telling("change a comparison", "_sentences", "name not in found", "(name in found)", ""),
    Telling(
        "change a comparison",
        "_number",
        "math.copysign(1, value) < 0",
        "(math.copysign(1, value) <= 0)",
        "",
    ),
    Telling(
        "negate a condition",
        "find_templates",
        "value.id != 'scalar' and (path or name not in _NOT_SEARCHED)",
        "(not (value.id != 'scalar' and (path or name not in _NOT_SEARCHED)))",
        "",
    ),
    Telling(
        "delete a statement", "pair_items", "matcher.match(_by_name_and_set, old, new)", "pass", ""
    ),
    Telling("drop an operand", "summarize_run.why", "others or retained", "(others)", ""),
    Telling(
        "swap and/or",
        "_show",
        "place.width and place.height and (not output.is_in_lines)",
        "(place.width or place.height or (not output.is_in_lines))",
        "",
    ),
    Telling("delete a statement", "_read_content", "size -= len(chunk)", "pass", ""),
    Telling(
        "swap and/or",
        "ClusterReader.read",
        "release.package.namespace_of(item) or self._namespace",
        "(release.package.namespace_of(item) and self._namespace)",
        "",
    ),
    Telling("change a comparison", "Deadline.sleep.left", "most is None", "(most is not None)", ""),
    Telling("negate a condition", "_explain_absence", "not notes", "(not (not notes))", ""),
    Telling(
        "drop an operand",
        "_search",
        "x < len(old) and y < len(new) and (old[x] == new[y])",
        "(y < len(new) and old[x] == new[y])",
        "",
    ),
    Telling("drop a not", "answer_discovery", "not is_beside", "(is_beside)", ""),
    Telling(
        "delete a statement",
        "ScriptsOfRepository._behind_variables",
        "found[one.kind, variable['rest']].append(position)",
        "pass",
        "",
    ),
    Telling(
        "change a comparison",
        "find_excess",
        "len(graph.edges) > MOST_EDGES",
        "(len(graph.edges) >= MOST_EDGES)",
        "",
    ),
    Telling("return something else", "_decode", "data.decode('utf-8')", '""', ""),
    Telling(
        "swap and/or",
        "_equal_sources",
        "before != planned.entry and (not _keys(targets))",
        "(before != planned.entry or not _keys(targets))",
        "",
    ),
    Telling("drop a not", "explain", "not os.path.lexists(path)", "(os.path.lexists(path))", ""),
    Telling(
        "drop an operand",
        "Variables._open",
        "'${' in name and (not one.targets) and (not _is_disabled(one.referrer))",
        "('${' in name and (not _is_disabled(one.referrer)))",
        "",
    ),
    Telling(
        "drop a not",
        "is_left_behind",
        "not is_hashed_by_kustomize(target)",
        "(is_hashed_by_kustomize(target))",
        "",
    ),
    Telling(
        "drop an operand",
        "_say_unversioned.may_be_handled",
        "is_choosable and versioned(producer.id) is not None and (why_not_renamed(producer) is None)",
        "(is_choosable and why_not_renamed(producer) is None)",
        "",
    ),
    Telling(
        "drop an operand", "_find", "here != folder and built_from(here)", "(built_from(here))", ""
    ),
    Telling(
        "negate a condition",
        "read_copies",
        "survey.settings.hooks is Hooks.LEAVE and (not has_copies)",
        "(not (survey.settings.hooks is Hooks.LEAVE and (not has_copies)))",
        "",
    ),
    Telling(
        "change a comparison",
        "find_names_taken",
        "kind in CONFIG_KINDS",
        "(kind not in CONFIG_KINDS)",
        "",
    ),
    Telling(
        "return something else",
        "_sum_up_workload",
        "f\"{one.who}: {rolling} of {count(len(one.reads), 'object')} that it reads change it\"",
        '""',
        "",
    ),
    Telling("drop a not", "_size_of", "not os.isatty(descriptor)", "(os.isatty(descriptor))", ""),
    Telling(
        "drop an operand",
        "_matches",
        "fnmatchcase(name, part) and (not name.startswith('.') or part.startswith('.'))",
        "(not name.startswith('.') or part.startswith('.'))",
        "",
    ),
    Telling("negate a condition", "_restore", "config is None", "(not (config is None))", ""),
    Telling(
        "change a comparison",
        "_check_access",
        "one.configured is not None",
        "(one.configured is None)",
        "",
    ),
    Telling(
        "swap and/or",
        "Around.find_candidates",
        "file.name in (*KUSTOMIZATIONS, CHART, KPTFILE) or file.name.endswith(MANIFESTS)",
        "(file.name in (*KUSTOMIZATIONS, CHART, KPTFILE) and file.name.endswith(MANIFESTS))",
        "",
    ),
    Telling(
        "return something else",
        "Packages.locate",
        "f'{item.id} in {below}/{item.file}' if below else locate(item)",
        '""',
        "",
    ),
    Telling("change a table", "_BASE64", "'binaryData'", "'binaryData1'", ""),
    Telling(
        "swap and/or",
        "read_scalar",
        "isinstance(value, float) and (not math.isfinite(value))",
        "(isinstance(value, float) or not math.isfinite(value))",
        "",
    ),
    Telling("change a comparison", "_count_ways", "one.old is None", "(one.old is not None)", ""),
    Telling(
        "change a comparison", "_find_objects_around", "node in found", "(node not in found)", ""
    ),
    Telling(
        "swap and/or",
        "_find_absent",
        "needing or consumers.get(name, [])",
        "(needing and consumers.get(name, []))",
        "",
    ),
    Telling(
        "negate a condition",
        "GitTree.find_needed",
        "self._may_lead_anywhere(path)",
        "(not (self._may_lead_anywhere(path)))",
        "",
    ),
    Telling(
        "delete a statement",
        "_follow",
        "yield consumer._replace(references=frozenset(found & one.bases.keys()))",
        "pass",
        "",
    ),
    Telling(
        "negate a condition",
        "SecretLinks._link",
        "not tracker.owns_secret",
        "(not (not tracker.owns_secret))",
        "",
    ),
    Telling(
        "negate a condition", "ask_fleet.contexts", "access.contexts", "(not (access.contexts))", ""
    ),
)
