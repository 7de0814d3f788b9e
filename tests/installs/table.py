"""Write docs/installs.md: what the function does with each install.

`python -m tests.installs.table` prints the page, with `--write` it updates the file, with
`--summary` it prints two tables instead: what programs look up and was renamed, and what was left
alone without need.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.installs.install import CONFIGS, Config, Install, read_installs, renamed_in, texts_with

PAGE = Path(__file__).parent.parent.parent / "docs" / "installs.md"

_EMPTY = "empty"

RULES = {
    "RBAC": "lists it in resourceNames",
    "well-known name": "looks it up by this name",
    _EMPTY: "it has no content",
    "option": "passes its name in",
    "API access": "s through the API, by ",
    "data": "the data of ",
    "chart": "chart ",
    "hook": "created and deleted with a hook",
    "controller writes it": "controller ",
    "text": "names it in a text ",
    "field": "names it in ",
    "namespace": "only one of the two sets a namespace",
    "shape": "by the end of its name",
    "pair": " by the name of ",
    "path": " mounts it at ",
    "volume": " names a volume by it",
    "lock": "knows a lock by its name",
    "copy": " copies ",
    "variable": " has a variable (",
}
"""The rules by which an object is left alone, and words of their messages.

The first that matches counts.
"""

_MEANINGS = {
    "RBAC": "a Role or ClusterRole lists it in `resourceNames`",
    "well-known name": "a known program looks it up by this name",
    "empty": "it has no content, so a controller may fill it",
    "option": "an option, a variable or a setting in data passes its name",
    "API access": "its program may read all objects of its kind through the API, and nothing shows that it reads files",
    "data": "the data of a ConfigMap or Secret references it",
    "chart": "its Helm chart may generate it anew on every rendering",
    "hook": "its deployer creates and deletes it with a hook",
    "controller writes it": "another object says that a controller writes it",
    "field": "a field that is no known reference has its name",
    "text": "another text has its name and says its kind",
    "shape": "an operator knows by the end of its name what it contains",
    "pair": "an operator finds another object by its name",
    "path": "an operator mounts it at a path with its name, and a text has or may have this path",
    "volume": "an operator names a volume by it, and another field mounts that volume",
    "lock": "its name is the name of a lock",
    "copy": "a program copies it elsewhere under its name",
    "variable": "Flux may substitute a variable in it after the function",
    "namespace": "its likely reader sets a namespace and it does not, or the other way round",
}
_BY_NATURE = frozenset({"empty", "chart", "hook", "controller writes it"})
"""Rules that are true of an object whoever reads it."""

_LEFT = re.compile(
    r"^warning: (?P<kind>ConfigMap|Secret)/((?P<namespace>[^/ ]+)/)?(?P<name>[^/ ]+): "
    r"(selected, but )?left unchanged: (?P<why>[^;]*)"
)

_INTRODUCTION = """\
# What happens to programs that run clusters

This page shows what the function does with reduced copies of {installs} installs of other projects, and with
{extracts} small extracts: packages as people write them around such programs. Secrets, marked `Secret/`, are renamed
with `kinds: [ConfigMap, Secret]`.

By their source, the programs look up {looked_up} of these ConfigMaps and Secrets by their fixed names through the
Kubernetes API, or find them by the shape of the name or a path with it. The function renames {broken} of them. Pods
read {both} of them. The others need no rule, because the function renames only objects that pods read.

In all, pods read {read} ConfigMaps and Secrets. {renamed} are renamed, and {left} are left alone, {needless} of them
without need, by the source of the programs that read them.

{rules}

The program looks up a name in **bold** by itself. To rename an object that is left alone without need, use the
annotation `revisions.krm-fn.io/strategy: rename` or an entry of `select`. Each link leads to the versions and sources.

Pods read no ConfigMap or Secret in {untouched}. Nor do they in Cluster API, Emissary-ingress, Karpenter, KEDA,
Metrics Server, MinIO operator, Open Cluster Management, OpenTelemetry operator, RabbitMQ cluster operator, Sealed
Secrets, Spark operator, Strimzi Drain Cleaner, Traefik, trust-manager, Vault Secrets Operator and Vertical Pod
Autoscaler.

`python -m tests.installs.table --write` makes this page, and `tests/installs/test_installs.py` checks it.

"""


class Row(NamedTuple):
    """One install: the objects that pods read and are renamed, and those left alone with the rule."""

    install: Install
    renamed: tuple[Config, ...]
    left: dict[Config, str]

    @property
    def is_touched(self) -> bool:
        """Say whether pods read anything of it."""
        return bool(self.renamed or self.left)

    def broken(self) -> list[Config]:
        """Return what is renamed though programs look it up."""
        return [one for one in self.renamed if (one.kind, one.name) in self.install.looked_up]

    def named_in_vain(self) -> list[Config]:
        """Return what is renamed in an extract while some text keeps the old name."""
        install = self.install
        stdout = install.run(CONFIGS).stdout if install.truth else b""
        return [
            one
            for one in self.renamed
            if one.name not in install.namesakes and texts_with(stdout, one.name)
        ]

    def needless(self) -> list[Config]:
        """Return what could be renamed: an extract says so, or nobody looks it up and the rule is no fact about it."""
        return [one for one, rule in self.left.items() if self._could_be_renamed(one, rule)]

    def _could_be_renamed(self, one: Config, rule: str) -> bool:
        truths = [
            truth
            for truth in self.install.truth
            if (truth.kind, truth.name) == (one.kind, one.name)
        ]
        if truths:
            return truths[0].wanted == "renamed"
        return (one.kind, one.name) not in self.install.looked_up and rule not in _BY_NATURE


@cache
def rows() -> tuple[Row, ...]:
    """Return one row for each install, sorted by program."""
    return tuple(sorted(map(_row, read_installs()), key=lambda row: row.install.program.lower()))


def page() -> str:
    """Return docs/installs.md."""
    rules = Counter(rule for row in rows() for rule in row.left.values())
    looked_up = sum(len(row.install.looked_up) for row in rows())
    renamed = sum(len(row.renamed) for row in rows())
    left = sum(rules.values())
    introduction = _INTRODUCTION.format(
        installs=sum(not row.install.truth for row in rows()),
        extracts=sum(bool(row.install.truth) for row in rows()),
        broken=sum(len(row.broken()) for row in rows()),
        needless=sum(len(row.needless()) for row in rows()),
        untouched=", ".join(_linked(row.install) for row in rows() if not row.is_touched),
        looked_up=looked_up,
        both=sum(
            (one.kind, one.name) in row.install.looked_up for row in rows() for one in row.left
        ),
        read=renamed + left,
        renamed=renamed,
        left=left,
        rules="\n".join(
            [
                "| Rule | Left alone | |",
                "|---|---:|---|",
                *(f"| {r} | {rules[r]} | {_MEANINGS[r]} |" for r in RULES),
            ]
        ),
    )
    lines = [
        "| Program | Renamed | Left alone |",
        "|---|---|---|",
        *(_line(row) for row in rows() if row.is_touched),
    ]
    return introduction + "\n".join(lines) + "\n"


def summary() -> str:
    """Return what programs look up and was renamed, and by rule what was left alone and was not without need."""
    broken = _by_program(Row.broken)
    in_vain = _by_program(Row.named_in_vain)
    left = Counter(rule for row in rows() for rule in row.left.values())
    needless = Counter(row.left[config] for row in rows() for config in row.needless())
    renamed = sum(len(row.renamed) for row in rows())
    looked_up = sum(len(row.install.looked_up) for row in rows())
    lines = [
        f"Looked up by programs: {looked_up}, of these renamed: {len(broken)}",
        "",
        *_table("Looked up", broken),
        f"Renamed in extracts while some text keeps the old name: {len(in_vain)}",
        "",
        *_table("Named in vain", in_vain),
        f"Renamed: {renamed}. Left alone: {left.total()}; without need: {_share(needless.total(), left.total())}",
        "",
        "| Rule | Left alone | Without need |",
        "|---|---:|---:|",
        *(
            f"| {rule} | {left[rule]} | {_share(needless[rule], left[rule])} |"
            for rule in RULES
            if left[rule]
        ),
    ]
    return "\n".join(lines) + "\n"


def _table(title: str, lines: list[str]) -> list[str]:
    return [f"| Program | {title} |", "|---|---|", *lines, ""] if lines else []


def _by_program(find: Callable[[Row], list[Config]]) -> list[str]:
    return [f"| {row.install.program} | `{config}` |" for row in rows() for config in find(row)]


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if part else "0"


def _row(install: Install) -> Row:
    """Run the function with both settings, which must treat ConfigMaps alike."""
    renamed, left = _decisions(install, CONFIGS)
    default_renamed, default_left = _decisions(install, ("ConfigMap",))
    assert default_renamed == {config for config in renamed if config.kind == "ConfigMap"}
    assert default_left == {
        config: rule for config, rule in left.items() if config.kind == "ConfigMap"
    }
    selected = _left_alone(install, install.run(CONFIGS, select="*").stderr)
    for config in install.read_by_pods - renamed - left.keys():
        left[config] = selected.get(config, _EMPTY)  # an info, which no line says
    return Row(install, tuple(sorted(renamed)), dict(sorted(left.items())))


def _decisions(install: Install, kinds: tuple[str, ...]) -> tuple[set[Config], dict[Config, str]]:
    """Return what is renamed, and the rules that the warnings give for other objects."""
    outcome = install.run(kinds)
    assert outcome.exit_code == 0, outcome.stderr
    return set(renamed_in(outcome.stdout, install.namespace)), _left_alone(install, outcome.stderr)


def _left_alone(install: Install, stderr: str) -> dict[Config, str]:
    """Read the rule for each object from the warnings."""
    left = {}
    for line in stderr.splitlines():
        warning = _LEFT.match(line)
        if warning:
            config = Config(
                warning["kind"], warning["namespace"] or install.namespace, warning["name"]
            )
            left[config] = _rule(warning["why"])
    return left


def _rule(why: str) -> str:
    matching = [rule for rule, words in RULES.items() if words in why]
    assert matching, why
    return matching[0]


def _line(row: Row) -> str:
    install = row.install
    left = [f"{_named(install, config)}: {rule}" for config, rule in row.left.items()]
    cells = (
        _linked(install),
        _listed(_named(install, config) for config in row.renamed),
        _listed(left),
    )
    return f"| {' | '.join(cells)} |"


def _linked(install: Install) -> str:
    return f"[{install.program}](../tests/installs/{install.key}/about.yaml)"


def _named(install: Install, config: Config) -> str:
    name = f"`{config}`"
    return f"**{name}**" if (config.kind, config.name) in install.looked_up else name


def _listed(texts: Iterable[str]) -> str:
    return "<br>".join(texts)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    elif sys.argv[1:] == ["--summary"]:
        print(summary(), end="")
    else:
        print(page(), end="")
