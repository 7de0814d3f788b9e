"""The part of a history that is about one base name or revision."""

from krm_fn.history.history import History, SetHistory


def select(history: History, name: str) -> History:
    """Keep what is about a base name, a revision, or the hash of one. There may be nothing left."""
    sets = [_select(one, name) for one in history.sets]
    return history._replace(sets=tuple(one for one in sets if one.entries))


def find_names(history: History) -> list[str]:
    """Return all base names."""
    return sorted({entry.base for one in history.sets for entry in one.entries})


def _select(one: SetHistory, name: str) -> SetHistory:
    entries = tuple(entry for entry in one.entries if name in (entry.base, entry.name, entry.suffix))
    names = {str(referrer) for entry in entries for referrer in entry.referrers}
    names |= {referrer.of for entry in entries for referrer in entry.referrers}
    return one._replace(
        entries=entries, workloads=tuple(workload for workload in one.workloads if str(workload) in names)
    )
