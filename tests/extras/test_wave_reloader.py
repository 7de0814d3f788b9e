"""Wave's and Reloader's annotations ask for what their documentation says, no more and no less."""

import re

import pytest

from krm_fn.extras.restart_requests import Named, is_clear
from krm_fn.function import run
from tests.extras.test_checksum import (
    CONFIG as CHECKSUM,
)
from tests.extras.test_checksum import (
    IGNORE,
    MAP,
    READS_ALL,
    SECRET,
    checksum,
    edit,
    package,
    workload,
)

NAMES_NOTHING = "image: registry.example/app:1.0"
WAVE = 'wave.pusher.com/update-on-config-change: "true"'
AUTO = "reloader.stakater.com/auto"
MAP_AUTO, SECRET_AUTO = "configmap.reloader.stakater.com/auto", "secret.reloader.stakater.com/auto"
MAPS, SECRETS = "configmap.reloader.stakater.com/reload", "secret.reloader.stakater.com/reload"
NO_MAPS, NO_SECRETS = (
    "configmaps.exclude.reloader.stakater.com/reload",
    "secrets.exclude.reloader.stakater.com/reload",
)
SEARCH, MATCH = "reloader.stakater.com/search", "reloader.stakater.com/match"
ONLY_MAP, ONLY_SECRET, BOTH, NONE = "a ConfigMap", "a Secret", "both", "nothing"


def rolls_with(  # noqa: PLR0913  # what a row is about
    annotations: str,
    pods: str = "",
    *,
    of_map: str = "",
    reads: str = READS_ALL,
    kind: str = "apps/v1 Deployment",
    config: bytes = IGNORE,
) -> str:
    """Which of a ConfigMap and a Secret, both named `config`, change the checksum."""
    web = workload(reads, annotations=f"{{{annotations}}}", pods=f"{{{pods}}}", kind=kind)
    text = package(
        MAP.replace("name: config", f"name: config, annotations: {{{of_map}}}"), SECRET, web
    )
    before = checksum(text, config)
    by_map = checksum(edit(text, "info", "debug"), config) != before
    by_secret = checksum(edit(text, "c2VjcmV0", "b3RoZXI="), config) != before
    rolled = {
        (False, False): NONE,
        (True, False): ONLY_MAP,
        (False, True): ONLY_SECRET,
        (True, True): BOTH,
    }
    return rolled[by_map, by_secret]


ON_THE_WORKLOAD = [
    pytest.param("", NONE, id="no annotation"),
    pytest.param(WAVE, BOTH, id="wave"),
    pytest.param(WAVE.replace("true", "True"), NONE, id="wave knows one spelling of true"),
    pytest.param(f'{AUTO}: "true"', BOTH, id="auto"),
    pytest.param(f"{AUTO}: true", BOTH, id="auto without quotes"),
    pytest.param(f'{AUTO}: "1"', BOTH, id="auto, in another spelling of true"),
    pytest.param(f'{AUTO}: "yes"', NONE, id="auto, in no spelling of true"),
    pytest.param(f'{AUTO}: "false"', NONE, id="auto off"),
    pytest.param(f'{MAP_AUTO}: "true"', ONLY_MAP, id="auto for ConfigMaps"),
    pytest.param(f'{SECRET_AUTO}: "true"', ONLY_SECRET, id="auto for Secrets"),
    pytest.param(
        f'{AUTO}: "false", {MAP_AUTO}: "true"', ONLY_MAP, id="one true among autos is enough"
    ),
    pytest.param(f"{MAPS}: config", ONLY_MAP, id="a ConfigMap by name"),
    pytest.param(f"{SECRETS}: config", ONLY_SECRET, id="a Secret by name"),
    pytest.param(
        f'{AUTO}: "false", {SECRETS}: config', ONLY_SECRET, id="a name counts where auto is off"
    ),
    pytest.param(f'{MAPS}: "a, config ,b"', ONLY_MAP, id="a list with blanks"),
    pytest.param(f"{MAPS}: con", NONE, id="a name is matched whole"),
    pytest.param(f'{MAPS}: "con.*"', ONLY_MAP, id="a pattern"),
    pytest.param(f'{MAPS}: "con.ig"', ONLY_MAP, id="a dot is any character"),
    pytest.param(f'{MAPS}: ""', NONE, id="an empty list"),
    pytest.param(f'{AUTO}: "true", {NO_MAPS}: "x, config"', ONLY_SECRET, id="a ConfigMap excluded"),
    pytest.param(f'{AUTO}: "true", {NO_SECRETS}: config', ONLY_MAP, id="a Secret excluded"),
    pytest.param(f"{MAPS}: config, {NO_MAPS}: config", NONE, id="excluded wins over named"),
    pytest.param(f'{SEARCH}: "true"', NONE, id="search without a match"),
]


@pytest.mark.parametrize(("annotations", "expected"), ON_THE_WORKLOAD)
def test_annotations_of_the_workload(annotations: str, expected: str) -> None:
    assert rolls_with(annotations) == expected


OPT_OUTS = [
    pytest.param("", "", "", BOTH, id="no annotation"),
    pytest.param(f'{AUTO}: "true"', "", "", BOTH, id="auto"),
    pytest.param(f'{AUTO}: ""', "", "", BOTH, id="an empty auto says nothing"),
    pytest.param(f'{AUTO}: "false"', "", "", NONE, id="auto off"),
    pytest.param(f'{AUTO}: "no"', "", "", NONE, id="auto, in no spelling of true"),
    pytest.param("", f'{AUTO}: "false"', "", NONE, id="auto off on the pods"),
    pytest.param(f'{AUTO}: "true"', f'{AUTO}: "false"', "", BOTH, id="the workload's auto counts"),
    pytest.param(f'{MAP_AUTO}: "false"', "", "", ONLY_SECRET, id="auto off for ConfigMaps"),
    pytest.param(f'{SECRET_AUTO}: "false"', "", "", ONLY_MAP, id="auto off for Secrets"),
    pytest.param("", f'{SECRET_AUTO}: "false"', "", ONLY_MAP, id="the same on the pods"),
    pytest.param(f'{AUTO}: "false", {MAP_AUTO}: "true"', "", "", ONLY_MAP, id="one true is enough"),
    pytest.param(f'{AUTO}: "false", {MAPS}: config', "", "", ONLY_MAP, id="a name counts"),
    pytest.param(f"{NO_MAPS}: config", "", "", ONLY_SECRET, id="a ConfigMap excluded"),
    pytest.param(f"{NO_SECRETS}: 'a, config'", "", "", ONLY_MAP, id="a Secret excluded"),
    pytest.param("", f"{NO_MAPS}: config", "", BOTH, id="no exclude list is on the pods"),
    pytest.param("", "", 'reloader.stakater.com/ignore: "true"', ONLY_SECRET, id="ignored"),
]


@pytest.mark.parametrize(("annotations", "pods", "of_map", "expected"), OPT_OUTS)
def test_the_strategy_restarts_no_workload_that_has_opted_out(
    annotations: str, pods: str, of_map: str, expected: str
) -> None:
    """As Reloader with --auto-reload-all: the last lines of its `ShouldReload`."""
    assert rolls_with(annotations, pods, of_map=of_map, config=CHECKSUM) == expected


def test_an_opt_out_counts_only_where_the_controller_does() -> None:
    config = CHECKSUM.replace(
        b"strategy: checksum", b"strategy: checksum, checksums: {controllers: [wave]}"
    )
    assert rolls_with(f'{AUTO}: "false"', config=config) == BOTH


OUTSIDE = [
    pytest.param(f'{SEARCH}: "true"', READS_ALL, "ConfigMap/config, Secret/config", id="search"),
    pytest.param(f'{MAPS}: "web-.*"', NAMES_NOTHING, "ConfigMap/web-.*", id="a pattern"),
    pytest.param(f"{MAPS}: web.conf", NAMES_NOTHING, "ConfigMap/web.conf", id="a name with a dot"),
    pytest.param(f"{MAPS}: web", NAMES_NOTHING, "ConfigMap/web", id="a name"),
]


@pytest.mark.parametrize(("annotations", "reads", "named"), OUTSIDE)
def test_each_object_that_is_not_in_the_package_is_named(
    annotations: str, reads: str, named: str
) -> None:
    text = package(workload(reads, annotations=f"{{{annotations}}}"))
    said = run(text.encode(), CHECKSUM).stderr
    assert f"reads {named}, not in this package or not managed by it; only Reloader" in said


IN_OTHER_PLACES = [
    pytest.param("", f'{AUTO}: "true"', BOTH, id="auto on the pods"),
    pytest.param("", f"{MAPS}: config", ONLY_MAP, id="a list on the pods"),
    pytest.param("", WAVE, NONE, id="wave reads the workload alone"),
    pytest.param(
        f'{AUTO}: "false"', f'{AUTO}: "true"', NONE, id="the workload's auto silences the pods'"
    ),
    pytest.param(
        f"{MAPS}: x", f'{AUTO}: "true"', ONLY_SECRET, id="a list silences the pods' for its kind"
    ),
]


@pytest.mark.parametrize(("annotations", "pods", "expected"), IN_OTHER_PLACES)
def test_annotations_of_the_pods(annotations: str, pods: str, expected: str) -> None:
    assert rolls_with(annotations, pods) == expected


ON_THE_OBJECT = [
    pytest.param(f'{SEARCH}: "true"', f'{MATCH}: "true"', ONLY_MAP, id="search finds a match"),
    pytest.param(
        f'{SEARCH}: "1"', f'{MATCH}: "true"', NONE, id="search knows one spelling of true"
    ),
    pytest.param(f'{SEARCH}: "true"', f'{MATCH}: "false"', NONE, id="a match that is off"),
    pytest.param(
        f'{SEARCH}: "true", {AUTO}: "true"', f'{MATCH}: "true"', BOTH, id="auto goes over search"
    ),
    pytest.param(
        f'{AUTO}: "true"', 'reloader.stakater.com/ignore: "true"', ONLY_SECRET, id="ignored"
    ),
    pytest.param(
        f"{MAPS}: config", 'reloader.stakater.com/ignore: "true"', NONE, id="ignored though named"
    ),
    pytest.param(
        WAVE, 'reloader.stakater.com/ignore: "true"', BOTH, id="wave does not know ignore"
    ),
]


@pytest.mark.parametrize(("annotations", "of_map", "expected"), ON_THE_OBJECT)
def test_annotations_of_the_object(annotations: str, of_map: str, expected: str) -> None:
    assert rolls_with(annotations, of_map=of_map) == expected


UNREAD = [
    pytest.param(WAVE, NONE, id="wave counts what is read"),
    pytest.param(f"{WAVE}, wave.pusher.com/extra-configmaps: config", ONLY_MAP, id="wave's extra"),
    pytest.param(
        "wave.pusher.com/extra-configmaps: config", NONE, id="wave's extra alone is no opt-in"
    ),
    pytest.param(
        f'{WAVE}, wave.pusher.com/extra-secrets: "x/config"', NONE, id="wave's extra elsewhere"
    ),
    pytest.param(
        f'{WAVE}, wave.pusher.com/extra-secrets: "a/b/config"',
        NONE,
        id="wave's extra in no known form",
    ),
    pytest.param(f'{AUTO}: "true"', NONE, id="auto counts what is read"),
    pytest.param(f"{SECRETS}: config", ONLY_SECRET, id="a list names what is not read"),
]


@pytest.mark.parametrize(("annotations", "expected"), UNREAD)
def test_what_pods_do_not_read(annotations: str, expected: str) -> None:
    assert rolls_with(annotations, reads=NAMES_NOTHING) == expected


KINDS = [
    pytest.param("apps/v1 StatefulSet", BOTH, BOTH, id="StatefulSet"),
    pytest.param("apps/v1 DaemonSet", BOTH, BOTH, id="DaemonSet"),
    pytest.param("argoproj.io/v1alpha1 Rollout", NONE, BOTH, id="Rollout"),
    pytest.param("apps/v1 ReplicaSet", NONE, NONE, id="ReplicaSet"),
    pytest.param("serving.knative.dev/v1 Service", NONE, NONE, id="a Service of Knative"),
]


@pytest.mark.parametrize(("kind", "wave", "reloader"), KINDS)
def test_kinds_that_each_looks_at(kind: str, wave: str, reloader: str) -> None:
    assert rolls_with(WAVE, kind=kind) == wave
    assert rolls_with(f'{AUTO}: "true"', kind=kind) == reloader


PATTERNS = [
    pytest.param("web-.*", True, id="a beginning"),
    pytest.param(".*-(blue|green)", True, id="a choice"),
    pytest.param("web-[0-9]+", True, id="a class"),
    pytest.param(r"web\.v\d", True, id="escapes"),
    pytest.param("(a*)*b", False, id="a repetition repeated"),
    pytest.param("(a|a)(a|a)(a|a)(a|a)", False, id="many choices"),
    pytest.param("(?i)web", False, id="a flag"),
    pytest.param("[[:alpha:]]+", False, id="a class with a name"),
    pytest.param(r"(a)\1", False, id="a back reference, which Go does not know"),
    pytest.param("(", False, id="half a group"),
    pytest.param("a++", False, id="a possessive repetition, which Go refuses"),
    pytest.param("web-[0-9]{1,2}+", False, id="a possessive number of times"),
    pytest.param("a?+", False, id="a possessive choice"),
    pytest.param(r"a\*+", True, id="an escaped star, repeated"),
]


@pytest.mark.parametrize(("pattern", "clear"), PATTERNS)
def test_patterns_that_are_followed(pattern: str, clear: bool) -> None:
    assert is_clear(Named("ConfigMap", "", pattern, pattern=True)) == clear
    if clear:
        re.compile(pattern)
