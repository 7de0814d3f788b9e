"""Read what `krm-fn history -o json` has printed elsewhere: of clusters that no kubeconfig here reaches.

The readers accept any JSON, as those of live objects do. A report that is none is a column that says so: whoever
collects them may have got an empty file, and the others count all the same.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from glob import glob
from itertools import chain
from os.path import commonpath
from pathlib import Path
from typing import Any

from krm_fn.base.node import Json
from krm_fn.base.problem import Rejected
from krm_fn.linker.read import below, list_of, mapping, mappings_in, read_time, text_in
from krm_fn.report.markup import VERSION
from krm_fn.tools.common.files import Allowance, Limits, read_named
from krm_fn.tools.common.revision_history import (
    History,
    NoAnswer,
    Pods,
    Referrer,
    Retention,
    RevisionHistory,
    Role,
    SetHistory,
    Template,
    Unseen,
    WorkloadHistory,
)
from krm_fn.tools.fleet.build_fleet import FleetColumn, Silence, find_column

_MOST_BYTES = 20_000_000
"""Of a report; one of 10,000 revisions has 10 MB. As values, it may need thirty times its bytes."""

_MOST_PODS = 10**9
"""More is no number of pods. Python refuses to write a number of thousands of digits."""


class NotAReport(Exception):
    """A file holds something else. The message says what was expected, and what was found."""


def read_reports(patterns: Iterable[str], set_name: str | None) -> list[FleetColumn]:
    """Read the files of these names and shell patterns.

    Raises NoAnswer for one that matches no file.
    """
    paths = [*dict.fromkeys(chain.from_iterable(map(_find_files, patterns)))]
    named = [*zip(paths, _name_files(paths), strict=True)]
    columns = [_read_column(path, name, set_name) for path, name in named]
    places = Counter(one[:2] for one in columns)
    # Two reports of one place: only their files tell them apart.
    return [
        one if places[one[:2]] == 1 else one._replace(cluster=f"{one.cluster} ({name})")
        for one, (_, name) in zip(columns, named, strict=True)
    ]


def _find_files(pattern: str) -> list[str]:
    # A file may have a name like a pattern: what the shell has found is not searched again.
    found = [pattern] if Path(pattern).exists() else sorted(glob(pattern, recursive=True))  # noqa: PTH207  # that of Path takes no absolute pattern
    if not found:
        message = f"--from {pattern}: no file has such a name"
        raise NoAnswer(message)
    return found


def _name_files(paths: Sequence[str]) -> list[str]:
    """Return what to call clusters whose reports do not say it: the names of the files, with folders if need be."""
    names = [Path(path).stem for path in paths]
    if len({*names}) == len(names):
        return names
    common = commonpath([Path(path).absolute() for path in paths])
    return [str(Path(path).absolute().relative_to(common).with_suffix("")) for path in paths]


def _read_column(path: str, name: str, set_name: str | None) -> FleetColumn:
    # It may be a link to anywhere: no tree that somebody else wrote has named it.
    allowance = Allowance(Limits(root=Path("/"), max_bytes=_MOST_BYTES))
    try:
        document = json.loads(read_named(path, allowance))
        history = read_history(document)
    except Rejected as error:
        is_too_large = allowance.bytes < 0
        why = (
            _expected(f"more than {_MOST_BYTES} bytes")
            if is_too_large
            else error.problems[0].message
        )
        return FleetColumn(name, "", silence=Silence.NO_REPORT, reason=f"{path}: {why}")
    except (ValueError, RecursionError):
        return FleetColumn(
            name, "", silence=Silence.NO_REPORT, reason=f"{path}: {_expected('no JSON')}"
        )
    except NotAReport as error:
        return FleetColumn(name, "", silence=Silence.NO_REPORT, reason=f"{path}: {error}")
    sets = tuple(one for one in history.sets if set_name in (None, one.name))
    return find_column(history._replace(sets=sets), history.cluster or name)


def _expected(found: str) -> str:
    return f"expected what `krm-fn history -o json` prints of one namespace, found {found}"


def read_history(document: Any) -> History:
    """Read as much of a history as a table of several shows. Raises NotAReport."""
    found = mapping(document)
    now = read_time(text_in(found, "time"))
    wrong = (
        ("a list, or a value that is none", not found),
        ("a table of several; collect one report of each namespace", "columns" in found),
        (f"no version {VERSION}", found.get("version") != VERSION),
        ("no namespace", not text_in(found, "namespace")),
        ("no time", now is None),
        ("no sets", not isinstance(found.get("sets"), list)),
    )
    reason = next((words for words, is_so in wrong if is_so), "")
    if reason or now is None:
        raise NotAReport(_expected(reason))
    sets = tuple(map(_read_set, mappings_in(found, "sets")))
    unseen = tuple(map(_read_unseen, mappings_in(found, "unseen")))
    return History(
        text_in(found, "namespace"), now, sets, unseen, cluster=text_in(found, "cluster")
    )


def _read_unseen(found: Json) -> Unseen:
    return Unseen(*(text_in(found, field) for field in Unseen._fields))


def _read_set(found: Json) -> SetHistory:
    revisions = tuple(map(_read_revision, mappings_in(found, "revisions")))
    workloads = tuple(map(_read_workload, mappings_in(found, "workloads")))
    return SetHistory(
        text_in(found, "set"), revisions, workloads, found.get("hasInventory") is True, job=None
    )


def _read_revision(found: Json) -> RevisionHistory:
    fate = text_in(found, "fate")
    return RevisionHistory(
        text_in(found, "kind"),
        text_in(found, "name"),
        text_in(found, "baseName"),
        _read_created(found),
        # A later version may know others.
        Retention(fate) if fate in {*Retention} else Retention.UNKNOWN,
        is_rendered=found.get("isRendered") is True,
        referrers=tuple(map(_read_referrer, mappings_in(found, "referencedBy"))),
        pods=_read_pods(found),
    )


def _read_referrer(found: Json) -> Referrer:
    return Referrer(
        text_in(found, "kind"),
        text_in(found, "name"),
        _read_created(found) or 0.0,
        of=text_in(found, "workload"),
        role=_read_role(found),
        is_current=found.get("isCurrent") is True,
        pods=_read_pods(found),
    )


def _read_workload(found: Json) -> WorkloadHistory:
    templates = tuple(map(_read_template, mappings_in(found, "templates")))
    return WorkloadHistory(
        text_in(found, "kind"),
        text_in(found, "name"),
        found.get("isDone") is True,
        text_in(found, "situation"),
        "",
        templates,
    )


def _read_template(found: Json) -> Template:
    revisions = tuple(name for name in list_of(found.get("revisions")) if isinstance(name, str))
    return Template(text_in(found, "name"), 0, _read_role(found) or Role.PAST, revisions)


def _read_created(found: Json) -> float | None:
    """Return the time, None if there is none.

    Raises NotAReport for another value: None says that nothing exists.
    """
    created = found.get("created")
    if created is None:
        return None
    seconds = read_time(text_in(found, "created"))
    if seconds is None:
        raise NotAReport(_expected("no time in created"))
    return seconds


def _read_role(found: Json) -> Role | None:
    role = text_in(found, "role")
    return Role(role) if role in {*Role} else None


def _read_pods(found: Json) -> Pods | None:
    pods = below(found, "pods")
    numbers = (pods.get("total"), pods.get("ready"))
    total, ready = (one if type(one) is int and 0 <= one <= _MOST_PODS else None for one in numbers)
    return None if total is None else Pods(total, ready, text_in(pods, "problem"))
