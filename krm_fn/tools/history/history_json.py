"""A history as JSON (schemas/history-v1.json)."""

from krm_fn.linker.read import write_time
from krm_fn.report.markup import FieldSource, Forms, as_json, write_forms
from krm_fn.report.write_change import CHANGE_FORMS
from krm_fn.tools.history.revision_history import (
    History,
    LinkerJob,
    Referrer,
    RevisionHistory,
    SetHistory,
    Template,
    WayBack,
    WorkloadHistory,
)
from krm_fn.tools.history.text import (
    find_notes,
    write_state,
)


def write_history_json(history: History, *, in_one_line: bool = False) -> str:
    """Write everything that the text says, and more."""
    # The state of a revision says how long it still stays, so it depends on the time of the history around it.
    state: FieldSource = ("state", lambda entry: ", ".join(write_state(entry, history.now)))
    revision = [state if source == "state" else source for source in _FORMS[RevisionHistory]]
    return write_forms(history, {**_FORMS, RevisionHistory: revision}, in_one_line=in_one_line)


def time_field(name: str, attribute: str = "") -> FieldSource:
    """Return the source of a field that is a time, or null."""

    def compute(value: object) -> str | None:
        seconds = getattr(value, attribute or name)
        return None if seconds is None else write_time(seconds)

    return name, compute


def _write_notes(history: History) -> list[str]:
    return [" ".join(filter(None, [note.sentence, note.command])) for note in find_notes(history)]


def _write_change(entry: RevisionHistory) -> dict[str, object] | None:
    """Write what differs from the next older revision, in the form of `krm-fn diff`."""
    change = entry.change
    return change and {"from": change.old and change.old.name, "keys": as_json(change.keys, CHANGE_FORMS)}


_NUMBER: FieldSource = ("number", lambda one: one.number or None)


_FORMS: Forms = {
    History: (
        ("*cluster", lambda history: {"cluster": history.cluster} if history.cluster else {}),
        *("namespace", time_field("time", "now"), "sets", ("notes", _write_notes), "unseen"),
    ),
    SetHistory: ("set=name", "has_inventory", "job", "revisions=entries", "workloads"),
    LinkerJob: ("name", time_field("created"), time_field("ended"), "failure"),
    RevisionHistory: (
        *("kind", "name", "baseName=base", time_field("created"), "state", "fate", "is_rendered", "is_linked"),
        *("isMarkedForDeletion=is_marked", "pods", "referencedBy=referrers"),
        ("lastReferencedBy", lambda entry: tuple(map(str, entry.last))),
        *(time_field("due"), "owners", "foreignOwners=foreign", "nextRunAdds=to_link", ("change", _write_change)),
        ("*madeBy", lambda entry: {"madeBy": entry.made_by} if entry.made_by else {}),
    ),
    Referrer: (
        *(
            "kind",
            "name",
            time_field("created"),
            "is_current",
            ("workload", lambda one: one.of or None),
            "role",
            _NUMBER,
        ),
        *("rollouts_left", "pods"),
    ),
    WorkloadHistory: ("kind", "name", "is_done", "situation", "reason", "templates", "way_back"),
    Template: ("name", _NUMBER, "role", "revisions", "absent", "pods"),
    WayBack: ("to=to.name", "revisions=to.revisions", "command"),
}
