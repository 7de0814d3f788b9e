"""An explanation for people: colours, widths, and what is left out."""

import re

from krm_fn.base.problem import ResourceId
from krm_fn.core.decide.run import Reason, ReasonCode
from krm_fn.report.table import Screen, columns
from krm_fn.tools.explain.explain import write_explanation
from krm_fn.tools.explain.explanation import Because, Explained, Explanation, Unfollowed
from krm_fn.tools.explain.places import SourceLine

WHO = ResourceId("v1", "ConfigMap", "shop", "web-config")
REASON = Reason(
    ReasonCode.NOT_READ, "no pod template of the package references it", remedy="annotate it"
)
ONE = Explained(WHO, "web-config", SourceLine("a.yaml", 3), "ignore", Because(REASON))


def text(number: int) -> Unfollowed:
    return Unfollowed(
        WHO,
        SourceLine("a.yaml", number),
        f"spec.rows[{number}]",
        "text",
        "no rule reads this field",
    )


def test_a_terminal_gets_colours() -> None:
    written = write_explanation(
        Explanation((ONE._replace(warnings=("a warning",)),)), Screen(80, has_colour=True)
    )
    assert written.startswith(
        "\x1b[1mConfigMap shop/web-config  a.yaml:3\x1b[22m\n  \x1b[33mleft alone\x1b[39m\n"
    )
    assert written.endswith("\x1b[33m  ! a warning\x1b[39m\n")


def test_a_wide_terminal_is_used() -> None:
    assert "    because no pod template of the package references it\n" in write_explanation(
        Explanation((ONE,)), Screen(60)
    )
    narrow = write_explanation(Explanation((ONE,)), Screen(40))
    assert all(columns(line) <= 40 for line in narrow.splitlines())
    assert len(narrow.splitlines()) > len(
        write_explanation(Explanation((ONE,)), Screen(120)).splitlines()
    )


def test_few_mere_texts_are_shown() -> None:
    lines = write_explanation(
        Explanation((ONE._replace(unfollowed=tuple(map(text, range(12)))),)), Screen()
    ).splitlines()
    assert sum("no rule reads this field" in line for line in lines) == 10
    assert lines[-1] == "    and 2 more texts, which -o json lists"
    lines = write_explanation(
        Explanation((ONE._replace(unfollowed=tuple(map(text, range(11)))),)), Screen()
    ).splitlines()
    assert lines[-1] == "    and 1 more text, which -o json lists"


def test_the_reason_for_most_objects_is_first() -> None:
    named = [ONE._replace(who=WHO._replace(name=f"a{number}")) for number in range(5)]
    other = ONE._replace(because=Because(REASON._replace(text="a reason")))
    lines = write_explanation(Explanation((other, *named)), Screen(200)).splitlines()[1:4]
    assert [re.split(" {2,}", line) for line in lines] == [
        [
            "left alone",
            "5",
            REASON.text,
            "ConfigMap shop/a0, ConfigMap shop/a1, ConfigMap shop/a2, and 2 more",
        ],
        ["", "1", "a reason", "ConfigMap shop/web-config"],
        [""],
    ]


def test_several_objects_are_summed_up() -> None:
    restored = ONE._replace(new_name="web-config")
    others = [
        ONE._replace(strategy=strategy, new_name="x")
        for strategy in ("rename", "adopt", "checksum", "absent")
    ]
    written = write_explanation(Explanation((ONE, restored, *others)), Screen(100))
    table, _, objects = written.partition("\n\n")
    assert objects.startswith("ConfigMap shop/web-config  a.yaml:3\n")
    titles, *rows = [re.split(" {2,}", line) for line in table.splitlines()]
    assert titles == ["OUTCOME", "COUNT", "BECAUSE", "OBJECTS"]
    outcomes = [
        "adopted",
        "left alone",
        "not in the package",
        "renamed",
        "restored",
        "with a checksum",
    ]
    assert [row[0] for row in rows if row[0]] == outcomes
    assert write_explanation(Explanation(()), Screen()) == "no ConfigMap or Secret in the package\n"
