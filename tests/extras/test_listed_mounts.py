"""The annotation that lists mounts, written and read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.extras.mounts.present import EnvSource, MountMark, read_mount_mark

CASES = [
    pytest.param(MountMark(), "", id="nothing"),
    pytest.param(MountMark(("krm-fn-a", "krm-fn-b")), "krm-fn-a krm-fn-b", id="volumes"),
    pytest.param(MountMark(mounts=(("app", "/etc/web"),)), "app=/etc/web", id="a path"),
    pytest.param(
        MountMark(mounts=(("app", "/a b=c%"),)),
        "app=/a%20b%3Dc%25",
        id="a path with what separates words",
    ),
    pytest.param(
        MountMark(sources=(EnvSource("app", "ConfigMap", "web.env", "APP_"),)),
        "app=ConfigMap/web.env=APP_",
        id="a source with a prefix",
    ),
    pytest.param(
        MountMark(sources=(EnvSource("app", "Secret", "keys", ""),)),
        "app=Secret/keys=",
        id="a source without a prefix",
    ),
]


@pytest.mark.parametrize(("mark", "text"), CASES)
def test_as_text_and_back(mark: MountMark, text: str) -> None:
    assert str(mark) == text
    assert read_mount_mark(text) == mark


def test_what_is_marked_twice_is_written_once() -> None:
    assert str(MountMark(("v", "v"), (("app", "/a"), ("app", "/a")))) == "v app=/a"


names = st.from_regex(r"[a-z]([-a-z0-9.]{0,8}[a-z0-9])?", fullmatch=True)
texts = st.text(max_size=5)


@given(
    st.lists(names, unique=True, max_size=2),
    st.lists(
        st.tuples(texts, st.text(max_size=8).map(lambda text: f"/{text}")), unique=True, max_size=2
    ),
    st.lists(
        st.builds(EnvSource, texts, st.sampled_from(["ConfigMap", "Secret"]), texts, texts),
        unique=True,
        max_size=2,
    ),
)
def test_every_text_survives(
    volumes: list[str], mounts: list[tuple[str, str]], sources: list[EnvSource]
) -> None:
    mark = MountMark(tuple(volumes), tuple(mounts), tuple(sources))
    assert read_mount_mark(str(mark)) == mark


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    read_mount_mark(text)
