"""What sums up an explanation."""

from collections import Counter

from krm_fn.explain.explanation import ABSENT, Explained, Explanation

_OUTCOMES = {"rename": "renamed", "adopt": "adopted", "checksum": "with a checksum", ABSENT: "not in the package"}


def summarize(explanation: Explanation) -> str:
    """Return `2 renamed, 1 left alone`."""
    counts = Counter(outcome(one) for one in explanation.objects)
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    return outcomes or "no ConfigMap or Secret in the package"


def outcome(one: Explained) -> str:
    """Say in a word or two what happens to an object: `renamed`, `left alone`."""
    if one.strategy == "ignore":
        return "restored" if one.new_name else "left alone"
    return _OUTCOMES[one.strategy]
