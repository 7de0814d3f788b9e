"""Names of volumes: readable, valid, and different for different volumes only."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.base.settings import KeyToPath, Mount, MountSource
from krm_fn.extras.mounts.mount import volume_name

MOUNT = Mount(sources=(MountSource(kind="ConfigMap", name="web-config"),), path="/etc/web")
(CONFIG,) = MOUNT.sources


def test_the_name_says_what_is_in_it() -> None:
    assert volume_name("shop", MOUNT) == "krm-fn-web-config-fd9th2mt"


@pytest.mark.parametrize(
    "same",
    [
        pytest.param(MOUNT._replace(path="/other", sub_path="a"), id="another path"),
        pytest.param(
            MOUNT._replace(containers=("app",), init_containers=("*",)), id="other containers"
        ),
        pytest.param(
            MOUNT._replace(kind="Deployment", name="web", labels={"a": "b"}), id="other workloads"
        ),
    ],
)
def test_mounts_of_the_same_volume_share_it(same: Mount) -> None:
    assert volume_name("shop", same) == volume_name("shop", MOUNT)


OTHERS = [
    pytest.param("test", MOUNT, id="another set"),
    pytest.param("shop", MOUNT._replace(default_mode=0o444), id="another mode"),
    pytest.param("shop", MOUNT._replace(projected=True), id="projected"),
    pytest.param(
        "shop", MOUNT._replace(sources=(CONFIG, CONFIG), projected=True), id="two sources"
    ),
    pytest.param(
        "shop",
        MOUNT._replace(sources=(CONFIG._replace(kind="Secret"),)),
        id="a Secret of that name",
    ),
    pytest.param(
        "shop", MOUNT._replace(sources=(CONFIG._replace(name="web.config"),)), id="a dot for a dash"
    ),
    pytest.param("shop", MOUNT._replace(sources=(CONFIG._replace(optional=True),)), id="optional"),
    pytest.param(
        "shop",
        MOUNT._replace(sources=(CONFIG._replace(items=(KeyToPath(key="a", path="b"),)),)),
        id="one of its keys",
    ),
]


@pytest.mark.parametrize(("set_name", "other"), OTHERS)
def test_other_volumes_have_other_names(set_name: str, other: Mount) -> None:
    assert volume_name(set_name, other) != volume_name("shop", MOUNT)


@given(st.lists(st.text(min_size=1, max_size=90), min_size=1, max_size=4))
def test_every_name_is_a_label(names: list[str]) -> None:
    mount = MOUNT._replace(
        sources=tuple(MountSource(kind="ConfigMap", name=name) for name in names), projected=True
    )
    assert re.fullmatch("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", volume_name("shop", mount))
