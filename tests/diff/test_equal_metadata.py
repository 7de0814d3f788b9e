"""The same label, or another linker, in many packages: one change, and no revision that has changed.

What is said is counted once more from the objects that are rendered, which PyYAML reads.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from krm_fn.tools.diff.sides import DIFFERENT, DiffFormat
from tests.diff.test_packages import PATTERN, compare, read
from tests.git.repository import commit
from tests.render.run import render_in, write

BASE_NAME = "revisions.krm-fn.io/base-name"
COMPONENT = "revisions.krm-fn.io/component"
SET = "revisions.krm-fn.io/set"
LABEL = ", labels: {team: a}"
IMAGE = "image: registry.example/krm-fn:0.1.0"
NEW_IMAGE = "image: registry.example/krm-fn:0.2.0"


class Side(NamedTuple):
    """What an author writes in all overlays.

    `edited`: those in which a value differs too. `scheduled`: those whose linker has a CronJob.
    `number`: how many there are.
    """

    metadata: str = ""
    linker: str = IMAGE
    edited: tuple[int, ...] = ()
    scheduled: tuple[int, ...] = ()
    template: str = ""
    number: int = 8


def overlays(side: Side) -> Iterator[tuple[str, str]]:
    """Yield the files of overlays in sets of their own: one to four ConfigMaps, some with a Secret."""
    for place in range(side.number):
        app, namespace = f"app{place % 7}", f"n{place:02}"
        folder = f"apps/{app}/{namespace}"
        schedule = ', schedule: "7 * * * *"' if place in side.scheduled else ""
        config = (
            "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\n"
            f"metadata: {{name: {app}-{namespace}}}\n"
            f"spec: {{kinds: [ConfigMap, Secret], linker: {{{side.linker}{schedule}}}}}\n"
        )
        yield f"{folder}/krm-fn.yaml", config.replace("$namespace", f"of-{place}")
        sources = [("ConfigMap", f"{app}-{one}") for one in range(1 + place % 4)]
        sources += [("Secret", f"{app}-keys")] * (place % 2)
        level = "two" if place in side.edited else "one"
        objects = [
            f"apiVersion: v1\nkind: {kind}\n"
            f"metadata: {{name: {name}, namespace: {namespace}{side.metadata}}}\n"
            + (f"data: {{A: {level}}}\n" if kind == "ConfigMap" else "stringData: {A: one}\n")
            for kind, name in sources
        ]
        fields = {"ConfigMap": "configMapRef", "Secret": "secretRef"}
        reads = ", ".join(f"{{{fields[kind]}: {{name: {name}}}}}" for kind, name in sources)
        containers = f"[{{name: app, image: a, envFrom: [{reads}]}}]"
        objects.append(
            "apiVersion: apps/v1\nkind: Deployment\n"
            f"metadata: {{name: {app}, namespace: {namespace}{side.metadata}}}\n"
            f"spec: {{template: {{{side.template}spec: {{containers: {containers}}}}}}}\n"
        )
        yield f"{folder}/objects.yaml", "---\n".join(objects).replace("$namespace", f"of-{place}")


class Rendered(NamedTuple):
    """What one package is, by kind and base name."""

    names: dict[tuple[str, str], str]
    objects: dict[tuple[str, str], dict[str, Any]]


def read_rendered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Rendered]:
    """Render each package by itself. Nothing in it shows its namespace, its set or a hash."""
    rendered: dict[str, Rendered] = {}
    for path in sorted(str(one.relative_to(folder)) for one in folder.glob(PATTERN)):
        _, app, namespace = path.split("/")
        text = render_in(folder, monkeypatch, path).stdout.decode()
        names: dict[tuple[str, str], str] = {}
        for one in yaml.safe_load_all(text):
            metadata = one["metadata"]
            base = metadata.get("annotations", {}).get(BASE_NAME)
            if base and COMPONENT not in metadata.get("labels", {}):
                names[one["kind"], base] = metadata["name"]
        text = re.sub(r"(?<=-)[a-z0-9]{10}\b", "HASH", text.replace(f"{app}-{namespace}", "SET"))
        every = yaml.safe_load_all(re.sub(rf"\b{namespace}\b", "NAMESPACE", text))
        rendered[path] = Rendered(
            names, {(one["kind"], one["metadata"]["name"]): one for one in every}
        )
    return rendered


def count_renamed(old: Rendered, new: Rendered) -> int:
    return sum(name != new.names.get(key) for key, name in old.names.items())


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield each scalar with its place, which is called alike in the linker's Job and CronJob."""
    if isinstance(value, dict | list):
        for name, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(child, f"{path}/{name}".removeprefix("/spec/jobTemplate"))
    else:
        yield path, value


def find_change(old: Rendered, new: Rendered) -> tuple[object, ...]:
    """Return what tells the change of one package from that of another one."""
    alike: set[object] = set()
    own: set[object] = set()
    for key in old.objects.keys() | new.objects.keys():
        before, after = (dict(leaves(side.objects.get(key))) for side in (old, new))
        change = frozenset(
            (path, str(before.get(path)), str(after.get(path)))
            for path in before.keys() | after.keys()
            if before.get(path) != after.get(path)
        )
        is_metadata = all(re.search("metadata/(labels|annotations)/", path) for path, *_ in change)
        is_of_linker = key[1].startswith("SET-link") and key in old.objects and key in new.objects
        if change:
            (alike if is_metadata or is_of_linker else own).add(
                change if is_metadata or is_of_linker else (key, change)
            )
    return frozenset(alike), frozenset(own)


TEXT = """\
the same change in apps/app0/n00; apps/app1/n01; apps/app2/n02,
  apart from namespace, set and objects
10 objects: ConfigMap app0-0, ConfigMap app1-0, ConfigMap app1-1,
  ConfigMap app2-0, ConfigMap app2-1, ConfigMap app2-2, Deployment app0,
  Deployment app1, Deployment app2, Secret app1-keys
  + metadata.labels.team: a
3 objects: Job link
  - spec.template.spec.containers[link].env:
  -   -
  -     name: KRM_FN_PLAN_VERSION
  -     value: 0.2.0
  spec.template.spec.containers[link].image:
  - registry.example/krm-fn:0.1.0
  + registry.example/krm-fn:0.2.0
10 objects with other labels or annotations; 3 objects of the linker changed;
  linker runs once

3 packages: 3 changed
"""

CHANGES = [
    pytest.param(Side(number=20), Side(LABEL, number=20), 1, id="a common label in 20 overlays"),
    pytest.param(
        Side(number=20), Side(linker=NEW_IMAGE, number=20), 1, id="a new image of 20 linkers"
    ),
    pytest.param(
        Side(", labels: {tier: b}"), Side(", labels: {tier: c, team: a}"), 1, id="two of several"
    ),
    pytest.param(Side(LABEL), Side(), 1, id="a common label that is gone"),
    pytest.param(
        Side(), Side(LABEL, template="metadata: {labels: {team: a}}, "), 1, id="a label of pods too"
    ),
    pytest.param(
        Side(scheduled=(2, 3)),
        Side(linker=NEW_IMAGE, scheduled=(2, 3)),
        1,
        id="a new image, where some linkers have a CronJob",
    ),
    pytest.param(
        Side(),
        Side(linker=f"{IMAGE}, labels: {{team: a}}, annotations: {{example.com/owner: a}}"),
        1,
        id="labels and annotations of the linker",
    ),
    pytest.param(
        Side(), Side(linker=f"{IMAGE}, timeoutSeconds: 900"), 1, id="an argument of the linker"
    ),
    pytest.param(
        Side(), Side(", annotations: {owner: $namespace}"), 8, id="another annotation in each"
    ),
    pytest.param(
        Side(), Side(linker="image: registry.example/$namespace"), 8, id="another image in each"
    ),
    pytest.param(
        Side(), Side(LABEL, NEW_IMAGE, edited=(3, 4, 7)), 4, id="a label, and three new values"
    ),
]


@pytest.mark.rows(test=1)
@pytest.mark.parametrize(("before", "after", "groups"), CHANGES)
def test_equal_changes_of_metadata_and_of_linkers_are_one(
    before: Side, after: Side, groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, dict(overlays(before)))
    old = read_rendered(tmp_path, monkeypatch)
    write(tmp_path, dict(overlays(after)))
    new = read_rendered(tmp_path, monkeypatch)
    renamed = {path: count_renamed(old[path], new[path]) for path in old}
    by_change: dict[object, set[str]] = defaultdict(set)
    for path, one in old.items():
        by_change[find_change(one, new[path])].add(path)
    document = read(tmp_path, monkeypatch)
    found = [{*change["paths"]} for change in document["changes"]]
    assert len(found) == groups
    assert sorted(map(sorted, found)) == sorted(map(sorted, by_change.values()))
    for package in document["packages"]:
        revisions = package["difference"]["revisions"]
        number = renamed[package["path"]]
        assert sum(one["hasNewName"] for one in revisions) == number
        assert count_said(package["difference"]["summary"]) == number
    for form in (DiffFormat.TEXT, DiffFormat.MARKDOWN):
        done = compare(tmp_path, monkeypatch, form=form)
        assert done.exit_code == DIFFERENT
        said = [*read_groups(done.stdout.decode())]
        assert Counter(path for paths, _ in said for path in paths) == Counter([*old])
        assert [{*paths} for paths, _ in said] == found
        for paths, number in said:
            assert {renamed[path] for path in paths} == {number}


def count_said(summary: str) -> int:
    said = re.search(r"(\d+) revisions? changed", summary)
    return int(said[1]) if said else 0


def read_groups(text: str) -> Iterator[tuple[list[str], int]]:
    """Yield the packages of each group in a text or in Markdown, and how many revisions are said to have changed."""
    if text.startswith("<!--"):
        said = re.findall("<p><strong>(.*)</strong></p>\n<p>(.*),? against <code>HEAD", text)
        heads = [(re.sub("</?code>", "", where), summary) for summary, where in said]
    else:
        chunks = text.split("\n\n")[:-1]
        heads = [(re.match(r".*(\n  .*)*", chunk)[0], chunk) for chunk in chunks]  # type: ignore[index]  # it matches ""
    for head, summary in heads:
        where = " ".join(head.split()).removeprefix("the same change in ").partition(", apart")[0]
        paths: list[str] = []
        for one in re.split("[,;] ?", where.rstrip(",")):
            paths.append(one if "/" in one else f"{paths[-1].rpartition('/')[0]}/{one}")
        yield paths, count_said(summary)


def test_a_linker_in_each_set_is_one_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, dict(overlays(Side(linker="enabled: false"))))
    write(tmp_path, dict(overlays(Side())))
    (change,) = read(tmp_path, monkeypatch)["changes"]
    assert change["apart"] == ["namespace", "set"]
    assert "\nlinker added; linker runs once\n" in compare(tmp_path, monkeypatch).stdout.decode()


def test_how_a_common_label_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(tmp_path, dict(overlays(Side(number=3))))
    write(tmp_path, dict(overlays(Side(LABEL, NEW_IMAGE, number=3))))
    assert compare(tmp_path, monkeypatch).stdout.decode() == TEXT


def test_the_first_label_of_a_pod_template_rolls_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(tmp_path, dict(overlays(Side(number=2))))
    write(tmp_path, dict(overlays(Side(template="metadata: {labels: {team: a}}, ", number=2))))
    assert compare(tmp_path, monkeypatch).stdout.decode().count("  rolls: pod template\n") == 1
