"""`krm-fn diff --against REV` of many packages, judged by `kustomize build` of every package in both revisions.

Nothing of krm-fn is used to judge: the objects that kustomize prints are read as YAML, and compared as values.
"""

import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import yaml

from krm_fn.cli.main import main
from tests.git.repository import ENVIRONMENT, commit
from tests.render.run import write
from tests.tools.require import require
from tests.volume import part_of, seed_of

PATTERNS = ("apps/*/overlays/*", "plain/*")
ENVIRONMENTS = ("dev", "staging", "prod")
WORKLOADS = ("Deployment", "StatefulSet")
HASH = re.compile("-[a-z0-9]{10}$")

Files = dict[str, str]
Objects = dict[tuple[str, ...], Any]


def _deployment(name: str, config: str, image: str, kind: str = "Deployment") -> str:
    lines = [
        f"apiVersion: apps/v1\nkind: {kind}\nmetadata:\n  name: {name}\n  labels:\n    tier: one\nspec:",
        f"  selector:\n    matchLabels:\n      app: {name}\n  template:",
        f"    metadata:\n      labels:\n        app: {name}",
        f"    spec:\n      containers:\n      - name: app\n        image: {image}\n        args: [a, one]",
        f"        envFrom:\n        - configMapRef:\n            name: {config}\n",
    ]
    return "\n".join(lines)


def _config(name: str, **data: str) -> str:
    lines = "".join(f"  {key}: {value}\n" for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n{lines}"


def generate(random: Random) -> Files:
    """Return a repository of applications with a base and overlays, a shared component, and folders of manifests."""
    files: Files = {
        "components/common/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        "resources: [flags.yaml]\n",
        "components/common/flags.yaml": _config("flags", FEATURE="one"),
        "README.md": "one\n",
    }
    for app in ("shop", "blog"):
        base = f"apps/{app}/base"
        generated = random.random() < 0.5
        resources = ["web.yaml", "service.yaml", *([] if generated else ["config.yaml"])]
        generator = (
            "configMapGenerator:\n- name: config\n  literals: [LEVEL=one, MORE=one]\n"
            if generated
            else ""
        )
        files |= {
            f"{base}/kustomization.yaml": f"resources: [{', '.join(resources)}]\n{generator}",
            f"{base}/web.yaml": _deployment(
                "web", "config", f"registry.example/{app}:one", random.choice(WORKLOADS)
            ),
            f"{base}/service.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n"
            "  - name: http\n    port: 80\n",
            f"{base}/config.yaml": _config("config", LEVEL="one", MORE="one"),
        }
        for environment in ENVIRONMENTS:
            overlay = f"apps/{app}/overlays/{environment}"
            lines = [
                f"namespace: {random.choice([environment, 'shared'])}",
                "resources: [../../base]",
            ]
            lines += (
                ["components: [../../../../components/common]"] if random.random() < 0.5 else []
            )
            lines += [f"namePrefix: {environment}-"] if random.random() < 0.3 else []
            lines += ["nameSuffix: -x"] if random.random() < 0.2 else []
            lines += ["patches: [{path: patch.yaml}]"] if random.random() < 0.3 else []
            files[f"{overlay}/kustomization.yaml"] = "\n".join(lines) + "\n"
            files[f"{overlay}/patch.yaml"] = (
                "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    a: one\n"
            )
            files[f"{overlay}/krm-fn.yaml"] = (
                "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\n"
                f"metadata: {{name: {app}-{random.choice(['all', environment])}}}\n"
                "spec: {linker: {image: registry.example/krm-fn:1.0.0}}\n"
            )
    for name in ("one", "two"):
        files[f"plain/{name}/config.yaml"] = _config("config", LEVEL="one")
        files[f"plain/{name}/web.yaml"] = _deployment("web", "config", "registry.example/plain:one")
    return files


def _replace(random: Random, files: Files, file: str) -> None:
    text = files[file]
    places = [found.start() for found in re.finditer(r"\bone\b", text)]
    if places:
        place = random.choice(places)
        files[file] = text[:place] + random.choice(["two", "three"]) + text[place + 3 :]


def _same(random: Random, files: Files, file: str) -> None:
    """Write a file in another way that means the same."""
    document = yaml.safe_load(files[file]) if file.endswith(".yaml") else None
    if not isinstance(document, dict) or random.random() < 0.3:
        files[file] = f"# a comment\n{files[file]}"
    elif random.random() < 0.5:
        files[file] = json.dumps(dict(reversed(document.items())))
    else:
        files[file] = yaml.safe_dump(document, default_style='"', sort_keys=True)


def _extend(random: Random, files: Files, file: str) -> None:
    """Add another object to an overlay: the same in all, or one of its own."""
    folder = random.choice(
        [
            str(Path(one).parent)
            for one in files
            if one.startswith("apps") and "kustomization" in one
        ]
    )
    listed = f"{folder}/kustomization.yaml"
    document = yaml.safe_load(files[listed])
    image = random.choice(["one", "two"])
    kind = random.choice(["Deployment", "ConfigMap", "Service"])
    name = random.choice(["extra", "more"])
    del file
    text = {
        "Deployment": _deployment(name, "config", f"registry.example/extra:{image}"),
        "ConfigMap": _config(name, LEVEL=image),
        "Service": f"apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}\nspec:\n  clusterIP: {image}\n",
    }[kind]
    if "extra.yaml" not in document.get("resources", []):
        document.setdefault("resources", []).append("extra.yaml")
        files |= {f"{folder}/extra.yaml": text, listed: yaml.safe_dump(document)}


def _reduce(random: Random, files: Files, file: str) -> None:
    """Take an object out of a base."""
    del file
    base = f"apps/{random.choice(['shop', 'blog'])}/base/kustomization.yaml"
    document = yaml.safe_load(files[base])
    document["resources"] = [one for one in document["resources"] if one != "service.yaml"]
    files[base] = yaml.safe_dump(document)


def _remove(random: Random, files: Files, file: str) -> None:
    folder = random.choice(
        sorted({str(Path(one).parent) for one in files if re.match("apps/.*/overlays|plain", one)})
    )
    del file
    for one in [one for one in files if one.startswith(f"{folder}/")]:
        del files[one]


def _add(random: Random, files: Files, file: str) -> None:
    """Copy a package, also under another name in the place of the old one."""
    folder = random.choice(
        sorted({str(Path(one).parent) for one in files if re.match("apps/.*/overlays|plain", one)})
    )
    target = f"{Path(folder).parent}/{random.choice(['new', 'other'])}"
    is_moved = bool(file) and random.random() < 0.5
    for one in [one for one in files if one.startswith(f"{folder}/")]:
        files[f"{target}/{Path(one).name}"] = files[one]
        if is_moved:
            del files[one]


def _break(random: Random, files: Files, file: str) -> None:
    del file
    kustomization = random.choice(
        [one for one in files if "/overlays/" in one and "kustomization" in one]
    )
    files[kustomization] = f"{files[kustomization]}crds: [none.yaml]\n"


EDITS: list[tuple[Callable[[Random, Files, str], None], int]] = [
    *((_replace, 8), (_same, 4), (_extend, 4), (_reduce, 1)),
    *((_remove, 1), (_add, 1), (_break, 1)),
]


def edit(random: Random, files: Mapping[str, str]) -> Files:
    edited = dict(files)
    edits, weights = zip(*EDITS, strict=True)
    for change in random.choices(edits, weights, k=random.randint(1, 4)):
        change(random, edited, random.choice(sorted(edited)))
    return edited


class Built(NamedTuple):
    """The objects of a package by what they are called, with their namespace; None if kustomize fails."""

    objects: Objects | None


def build(folder: Path) -> Built | None:
    """Return what a package is; None if it is none."""
    if not folder.is_dir():
        return None
    if (folder / "kustomization.yaml").exists():
        command = [str(require("kustomize")), "build", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return Built(None)
        text = done.stdout
    else:
        files = [file for file in sorted(folder.glob("*.yaml")) if file.name != "krm-fn.yaml"]
        if not files:
            return Built(None) if any(folder.iterdir()) else None
        text = "\n---\n".join(file.read_text() for file in files)
    objects: Objects = {}
    for one in filter(None, yaml.safe_load_all(text)):
        metadata = one["metadata"]
        objects[one["kind"], metadata.get("namespace", ""), metadata["name"]] = one
    return Built(objects)


def state(old: Built | None, new: Built | None) -> str:
    if new is None:
        return "failed" if old is None else "removed" if old.objects is not None else "failed"
    if new.objects is None:
        return "failed"
    if old is None:
        return "added"
    return "same" if old.objects == new.objects else "changed"


def find_packages(*folders: Path) -> list[str]:
    found = {
        str(one.relative_to(folder))
        for folder in folders
        for pattern in PATTERNS
        for one in folder.glob(pattern)
    }
    return sorted(found)


class Own(NamedTuple):
    """What the names of a package have of their own, and its set."""

    namespaces: frozenset[str]
    prefix: str
    suffix: str
    set: str

    def strip(self, name: str) -> str:
        return HASH.sub("", name).removeprefix(self.prefix).removesuffix(self.suffix)


def find_own(old: Path, new: Path, *sides: Built | None) -> Own:
    # Of a package that is gone, nobody reads what was added to names.
    document = _read(new / "kustomization.yaml") if new.exists() else {}
    config = _read((new if new.exists() else old) / "krm-fn.yaml")
    objects = [one for side in sides if side for one in (side.objects or {})]
    namespaces = frozenset(namespace for _, namespace, _ in objects)
    name = config.get("metadata", {}).get("name", "")
    return Own(namespaces, document.get("namePrefix", ""), document.get("nameSuffix", ""), name)


def _read(file: Path) -> Any:
    return yaml.safe_load(file.read_text()) if file.exists() else {}


def describe_change(old: Built | None, new: Built | None, own: Own) -> object:
    """Return everything that changes in a package, in the words of its author."""
    sides = [
        {
            (kind, own.strip(name)): one
            for (kind, _, name), one in ((side and side.objects) or {}).items()
        }
        for side in (old, new)
    ]
    before, after = ({who: _normal(one, own) for who, one in side.items()} for side in sides)
    changed = {who for who in before.keys() | after.keys() if before.get(who) != after.get(who)}
    told: dict[object, object] = {}
    has_revisions = [
        any(_readers(name, side) for kind, name in side if kind == "ConfigMap")
        for side in (before, after)
    ]
    if has_revisions[0] != has_revisions[1]:
        told["set"] = own.set  # its linker comes or goes
    for who in changed:
        one, other = before.get(who), after.get(who)
        told[who] = (
            repr((one, other))
            if one is None or other is None
            else repr(sorted(_compare(one, other, ())))
        )
        if who[0] == "ConfigMap":
            told["readers", who] = repr([_readers(who[1], side) for side in (before, after)])
    return frozenset(told.items())


def _normal(one: Any, own: Own) -> Any:
    """Return a value without what a package calls its own."""
    if isinstance(one, dict):
        return {key: _normal(value, own) for key, value in one.items()}
    if isinstance(one, list):
        return [_normal(value, own) for value in one]
    if isinstance(one, str):
        return "" if one in own.namespaces and len(own.namespaces) == 1 else own.strip(one)
    return one


def _compare(one: Any, other: Any, path: tuple[object, ...]) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            yield from _compare(one.get(key), other.get(key), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _compare(left, right, (*path, number))
    elif one != other:
        yield repr((path, one, other))


def _readers(config: str, side: Mapping[tuple[str, str], Any]) -> list[tuple[str, str]]:
    return sorted(
        who
        for who, one in side.items()
        if who[0] in WORKLOADS and f"'configMapRef': {{'name': '{config}'}}" in repr(one)
    )


@pytest.mark.parametrize("number", range(part_of(150)))
def test_packages_differ_as_kustomize_renders_them(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(require("kustomize").parent), os.environ["PATH"]])
    )
    random = Random(seed_of(number))
    old, new = tmp_path / "old", tmp_path / "new"
    first = generate(random)
    if random.random() < 0.5:  # not all packages begin alike
        first = edit(random, first)
    write(old, first)
    commit(new, {**first})
    monkeypatch.chdir(new)
    files = first
    for _ in range(3):
        later = edit(random, files)
        for file in files.keys() - later.keys():
            (new / file).unlink()
        for folder in sorted(new.glob("*/**/"), reverse=True):
            if ".git" not in folder.parts and not any(folder.iterdir()):
                folder.rmdir()
        write(new, later)
        files = later
        _judge(old, new)


def _judge(old: Path, new: Path) -> None:
    packages = find_packages(old, new)
    built = {one: (build(old / one), build(new / one)) for one in packages}
    outcome = main(["diff", "--against=HEAD", "-ojson", "--exit-code", *PATTERNS])
    document = json.loads(outcome.stdout)
    told = {one["path"]: one["state"].replace("unaffected", "same") for one in document["packages"]}
    # What was broken before, and has not changed, is not built.
    untouched = {one["path"] for one in document["packages"] if one["state"] == "unaffected"}
    broken = {one for one in untouched if all(side and side.objects is None for side in built[one])}
    assert told == {one: "same" if one in broken else state(*sides) for one, sides in built.items()}
    numbers = Counter(one["state"] for one in document["packages"])
    words = {
        "failed": "cannot be compared",
        "same": "with no difference",
        "unaffected": "not affected",
    }
    counted = {f"{number} {words.get(one, one)}" for one, number in numbers.items()}
    summary = f"{len(packages)} package{'s' * (len(packages) != 1)}: "
    assert document["summary"].startswith(summary)
    assert set(document["summary"].removeprefix(summary).split(", ")) == counted
    text, markdown = (
        main(["diff", "--against=HEAD", form, *PATTERNS]).stdout.decode()
        for form in ("-otext", "-omarkdown")
    )
    assert text.splitlines()[-1] == document["summary"]
    assert f"<p><strong>{document['summary']}</strong></p>" in markdown
    differs = numbers.keys() & {"changed", "added", "removed"}
    is_broken = any(
        before and before.objects is None and after and after.objects
        for before, after in built.values()
    )
    assert outcome.exit_code == (
        2 if numbers["failed"] else 3 if is_broken else 1 if differs else 0
    )

    expected: dict[object, list[str]] = defaultdict(list)
    for one, (before, after) in built.items():
        if told[one] in {"changed", "added", "removed"}:
            stands_alone = before is not None and before.objects is None
            own = find_own(old / one, new / one, before, after)
            change = one if stands_alone else (told[one], describe_change(before, after, own))
            expected[change].append(one)
    assert sorted(sorted(change["paths"]) for change in document["changes"]) == sorted(
        map(sorted, expected.values())
    )
    for change in document["changes"]:
        names = [Path(path).name for path in change["paths"]]
        assert ("the same change in " in text) or len(names) == 1
        assert all(name in text and name in markdown for name in names)
