"""Tables fit into a terminal, and no name in them is ever cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.report.table import GridCell, Group, Row, columns, write_grid, write_table

TITLES = ("NAME", "SIZE", "USED BY", "STATE")


def row(size: str, used_by: str, state: str) -> Row:
    return Row((size,), (used_by.split(", "), state.split(" ")))


CASES = [
    pytest.param(
        [Group("web", [row("1", "a", "fine"), row("22", "b, c", "old")])],
        60,
        [
            "NAME  SIZE  USED BY  STATE",
            "web   1     a        fine",
            "      22    b c      old",
        ],
        id="what fits is in one line",
    ),
    pytest.param(
        [
            Group(
                "web",
                [
                    row(
                        "1",
                        "Deployment/web, web-5bb6 (1 pod)",
                        "in history, goes when web-66d8 is trimmed",
                    )
                ],
            )
        ],
        60,
        [
            "NAME  SIZE  USED BY                  STATE",
            "web   1     Deployment/web           in history, goes when",
            "            web-5bb6 (1 pod)         web-66d8 is trimmed",
        ],
        id="what does not fit is broken between its parts",
    ),
    pytest.param(
        [
            Group("a-name-that-needs-many-columns-of-the-screen", [row("1", "a", "fine")]),
            Group("b", [row("2", "c", "x")]),
        ],
        60,
        [
            "  SIZE  USED BY  STATE",
            "a-name-that-needs-many-columns-of-the-screen",
            "  1     a        fine",
            "b",
            "  2     c        x",
        ],
        id="long titles are lines of their own",
    ),
    pytest.param(
        [
            Group(
                "web",
                [
                    row(
                        "1",
                        "web-with-a-name-that-is-wider-than-its-column-and-than-all, b",
                        "fine and well",
                    )
                ],
            )
        ],
        60,
        [
            "NAME  SIZE  USED BY                            STATE",
            "web   1     web-with-a-name-that-is-wider-than-its-column-and-than-all",
            "            b                                  fine and well",
        ],
        id="a wide name pushes its neighbour to the next line",
    ),
]


@pytest.mark.parametrize(("groups", "width", "expected"), CASES)
def test_a_table_is_written(groups: list[Group], width: int, expected: list[str]) -> None:
    assert list(write_table(TITLES, groups, width)) == expected


WORDS = st.lists(st.text("abc-", min_size=1, max_size=30), min_size=1, max_size=5)


@given(
    st.lists(
        st.tuples(st.text("abc", min_size=1, max_size=50), WORDS, WORDS), min_size=1, max_size=4
    )
)
def test_every_word_is_in_the_table_and_only_words_are_wider_than_it(
    rows: list[tuple[str, list[str], list[str]]],
) -> None:
    groups = [Group(title, [Row(("1",), (left, right))]) for title, left, right in rows]
    lines = list(write_table(TITLES, groups, 80))
    written = " ".join(lines).split()
    assert sorted(written) == sorted(
        [*(TITLES if lines[0].startswith("NAME") else TITLES[1:])[:-2], "USED", "BY", "STATE"]
        + [word for title, left, right in rows for word in (title, "1", *left, *right)]
    )
    assert all(columns(line) <= 80 or max(map(columns, line.split())) > 20 for line in lines)


GRID = [
    ["BASE", "prod-eu", "prod-us", "prod-ap"],
    ["web", "a 4m\nb", "", "日本"],
    ["api", "c", "d 12d", ""],
]
GRIDS = [
    pytest.param(
        80,
        [
            "BASE  prod-eu  prod-us  prod-ap",
            "web   a 4m              日本",
            "      b",
            "api   c        d 12d",
        ],
        id="what fits is in one table",
    ),
    pytest.param(
        22,
        [
            *("BASE  prod-eu  prod-us", "web   a 4m", "      b", "api   c        d 12d"),
            *("", "BASE  prod-ap", "web   日本", "api"),
        ],
        id="columns that do not fit are in another one below",
    ),
    pytest.param(
        1,
        [
            *("BASE  prod-eu", "web   a 4m", "      b", "api   c"),
            *("", "BASE  prod-us", "web", "api   d 12d"),
            *("", "BASE  prod-ap", "web   日本", "api"),
        ],
        id="a column is never broken",
    ),
]


@pytest.mark.parametrize(("width", "lines"), GRIDS)
def test_a_grid_has_any_number_of_columns(width: int, lines: list[str]) -> None:
    rows = [[GridCell(text.split("\n")) for text in texts] for texts in GRID]
    assert [*write_grid(rows, width)] == lines


def test_a_cell_of_a_grid_is_painted_without_its_blanks() -> None:
    (line,) = write_grid(
        [[GridCell(["a"]), GridCell(["b"], lambda text: f"<{text}>"), GridCell(["c"])]], 80
    )
    assert line == "a  <b>  c"
