"""Switch each rule off over all real packages, and print what changes.

    .venv/bin/python -m tests.ablate [--only WORD ...] [--write]

A package that changes is a witness of the rule: in what is written, or only in what is said. The
reduced packages of public reports (`reports`) are tried where no real package changes. `--write`
records the first witness of each rule in witnesses.yaml, which a test reads.
"""

import argparse
import sys
from collections.abc import Iterable

from tests.ablate.corpus import ALL_CHOSEN, read_real, read_reported
from tests.ablate.rules import read_rules, switched_off
from tests.ablate.witnesses import OUTPUT, Witness, find_witnesses, write_witnesses


def main() -> int:
    """Print for each rule how many packages change, and how many rules have no witness."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=[""], help="words in the names of rules")
    parser.add_argument("--write", action="store_true", help="record the witnesses")
    given = parser.parse_args()
    rules = [one for one in read_rules() if any(word in one.name for word in given.only)]
    real, reported = read_real(), read_reported()
    base = {case.key: case.run() for case in [*real, *reported]}
    table: dict[str, Witness] = {}
    for rule in rules:
        with switched_off(rule):
            found = [*find_witnesses(base, real)]
            witnesses = found or [*find_witnesses(base, reported)]
        written = [one for one in found if one.changes == OUTPUT]
        for one in sorted(witnesses, key=lambda one: one.changes != OUTPUT)[:1]:
            table[rule.name] = one
        first = " ".join(table.get(rule.name, ["none"]))
        print(f"{rule.name:<66} {_count(found):>3} / {_count(written):>2}  {first}", flush=True)
    missing = len(rules) - len(table)
    print(f"{len(rules)} rules; rules without witness: {missing}")
    if given.write and not missing and given.only == [""]:
        write_witnesses(table)
    return int(missing > 0)


def _count(found: Iterable[Witness]) -> int:
    """Count the packages, each once, whether its objects are chosen or not."""
    return len({one.case.removesuffix(ALL_CHOSEN) for one in found})


if __name__ == "__main__":
    sys.exit(main())
