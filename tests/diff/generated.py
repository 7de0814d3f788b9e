"""Differences with texts that try to be more than text."""

from hypothesis import strategies as st

from krm_fn.report.object_change import (
    Cause,
    ComparedObject,
    Effect,
    FieldChange,
    ObjectChange,
    Refusal,
    Removal,
    RemovalOutcome,
    Roll,
)
from krm_fn.report.secrets import KeyChange, Shown
from krm_fn.tools.diff.difference import Difference, LinkerChange

HOSTILE = [
    *("`", "```", "~~~", "\n", "\r\n", "\n\n", "    ", " ", "a", "\u202e", "\x00", "\U0001f600"),
    *("\x1b[31m", "\x1b[2J", "\x9b7m"),
    *("</details>", "</code>", "-->", "<!--", "]]>", "<img src=x>", "&", "&#64;"),
    *("@team", "#1", "|", "**", "![x](http://a.example)", "www.a.example"),
]

hostile = st.lists(st.sampled_from(HOSTILE), max_size=8).map("".join)


def who(text: str) -> ComparedObject:
    return ComparedObject(text, text, text, text, text, text)


@st.composite
def differences(draw: st.DrawFn) -> Difference:
    text = hostile
    roll = Roll(
        draw(text),
        draw(text),
        draw(text),
        draw(st.sampled_from([Effect.ROLLS, Effect.REFUSED])),
        (Cause.NAME,),
    )
    new = who(draw(text))
    change = ObjectChange(
        draw(
            st.none()
            | st.builds(new._replace, api_version=text, name=st.none() | text, base=text, set=text)
        ),
        new,
        has_new_name=draw(st.booleans()),
        keys=(KeyChange(draw(text), Shown(1, draw(text)), Shown(2, draw(text))),),
        fields=(
            FieldChange(draw(text), draw(text), draw(text)),
            FieldChange(draw(text), None, {draw(text): [draw(text), {draw(text): draw(text)}]}),
        ),
        rolls=(roll,),
        hazards=("argocd",),
        missing=draw(st.just(()) | st.tuples(text)),
        refusal=draw(st.none() | st.sampled_from(Refusal) | text),
    )
    outcome = draw(st.sampled_from([RemovalOutcome.KEPT, RemovalOutcome.PRUNED]))
    gone = ObjectChange(who(draw(text)), None, fate=Removal(outcome, (draw(text),), ()))
    linker = LinkerChange(1, (draw(text),), (draw(text),))
    return Difference(draw(text), draw(text), (change,), (gone,), linker, 0)
