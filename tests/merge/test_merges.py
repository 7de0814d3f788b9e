"""What git makes of branches that were rendered in place: any mixture of the two sides is rendered right, or refused.

Over a mixture, the function must give what it gives for the base forms of the same mixture: what pods read, its name
and the linker depend on what people wrote, not on the side of a conflict that a name came from.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import cycle, product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
import yaml

from krm_fn.function import run
from krm_fn.tools.verify.verify import VerifyOptions
from tests.cases import ENVIRONMENT
from tests.verify.judge import verify

Files: TypeAlias = Mapping[str, str]

CONFIG = b"""\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata: {name: shop}
spec: {kinds: [ConfigMap, Secret], deployers: [kpt]}
"""
LINKER = "shop-linker.yaml"
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: app
  namespace: shop
data:
  LEVEL: info
  COLOUR: blue
  a: "1"
  b: "2"
  c: "3"
  LIMIT: "10"
"""
CREDS = """\
apiVersion: v1
kind: Secret
metadata:
  name: creds
  namespace: shop
stringData:
  TOKEN: one
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: shop
spec:
  selector:
    matchLabels: {{app: {name}}}
  template:
    metadata:
      labels: {{app: {name}}}
    spec:
      containers:
      - name: app
        image: registry.example/{name}:1
        envFrom:
        - configMapRef:
            name: app
        - secretRef:
            name: creds
"""
WEB = WORKLOAD.format(name="web")
API = WORKLOAD.format(name="api")
BASE = {"config.yaml": CONFIG_MAP, "secret.yaml": CREDS, "web.yaml": WEB}


class Merge(NamedTuple):
    """A package, and what each branch makes of it.

    `rendered`: whether it was, before the branches parted.

    `adds_reader`: only one branch knows of it, so it may keep the name that the other branch has
    replaced. `only_ours`: the other branch is not rendered.
    """

    base: Files
    ours: Files
    theirs: Files
    rendered: bool = True
    adds_reader: bool = False
    only_ours: bool = False


def edited(file: str, *pairs: tuple[str, str], base: Files = BASE) -> Files:
    content = base[file]
    for old, new in pairs:
        assert old in content
        content = content.replace(old, new)
    return {**base, file: content}


DEBUG = edited("config.yaml", ("info", "debug"))
TRACE = edited("config.yaml", ("info", "trace"))
LIMIT = edited("config.yaml", ("10", "20"))
COLOUR = edited("config.yaml", ("blue", "green"))
TOKEN = edited("secret.yaml", ("one", "two"))
IMAGE = edited("web.yaml", ("web:1", "web:2"))
OTHER_IMAGE = edited("web.yaml", ("web:1", "web:3"))
TWO = {**BASE, "api.yaml": API}

MERGES = {
    "both change one key": Merge(BASE, DEBUG, TRACE),
    "both change keys side by side": Merge(BASE, DEBUG, COLOUR),
    "both change keys far apart": Merge(BASE, DEBUG, LIMIT),
    "both change the image": Merge(BASE, IMAGE, OTHER_IMAGE),
    "one the image, the other a key": Merge(BASE, IMAGE, TRACE),
    "both the image and a key": Merge(
        BASE,
        edited("web.yaml", ("web:1", "web:2"), base=DEBUG),
        edited("web.yaml", ("web:1", "web:3"), base=TRACE),
    ),
    "one the ConfigMap, the other the Secret": Merge(BASE, DEBUG, TOKEN),
    "both the ConfigMap and the Secret": Merge(
        BASE,
        edited("secret.yaml", ("one", "two"), base=DEBUG),
        edited("secret.yaml", ("one", "three"), base=TRACE),
    ),
    "both render for the first time": Merge(BASE, DEBUG, TRACE, rendered=False),
    "both render for the first time, and nothing else": Merge(BASE, BASE, BASE, rendered=False),
    "one renders for the first time, the other changes the base form": Merge(
        BASE, DEBUG, TRACE, rendered=False, only_ours=True
    ),
    "one renders for the first time, the other changes the image": Merge(
        BASE, DEBUG, IMAGE, rendered=False, only_ours=True
    ),
    "one drops the reference to the Secret": Merge(
        BASE, edited("web.yaml", ("        - secretRef:\n            name: creds\n", "")), TOKEN
    ),
    "two readers, both change one key": Merge(
        TWO, {**DEBUG, "api.yaml": API}, {**TRACE, "api.yaml": API}
    ),
    "one adds a reader, the other changes a key": Merge(BASE, TWO, TRACE, adds_reader=True),
}


class Rendering(NamedTuple):
    """The files, None where the function refuses the package, and what it says."""

    files: Files | None
    said: str


def render(files: Files) -> Rendering:
    """Render in place as kpt does: one object a file, and the linker's objects in one of their own."""
    stream = "---\n".join(
        files[name] for name in sorted(files, key=lambda name: (name == LINKER, name))
    )
    outcome = run(stream.encode(), CONFIG, ENVIRONMENT)
    if outcome.exit_code:
        return Rendering(None, outcome.stderr)
    authored = sorted(name for name in files if name != LINKER)
    documents = re.split(r"(?m)^---\n", outcome.stdout.decode())
    linker = "---\n".join(documents[len(authored) :])
    in_place = {
        **dict(zip(authored, documents, strict=False)),
        **({LINKER: linker} if linker else {}),
    }
    return Rendering(in_place, outcome.stderr)


def rendered(files: Files) -> Files:
    result = render(files)
    assert result.files is not None, result.said
    return result.files


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def commit(folder: Path, files: Files) -> None:
    for old in folder.glob("*.yaml"):
        old.unlink()
    for name, content in files.items():
        (folder / name).write_text(content)
    git(folder, "add", "--all")
    done = git(folder, "commit", "--quiet", "--allow-empty", "--message", "a change")
    assert done.returncode == 0, done.stderr


def merge(folder: Path, case: Merge) -> Files:
    """Return the files as git leaves them, with the conflicts in them."""
    git(folder, "init", "--quiet", "--initial-branch", "ours")
    commit(folder, rendered(case.base) if case.rendered else case.base)
    git(folder, "branch", "theirs")
    commit(folder, rendered(case.ours))
    git(folder, "checkout", "--quiet", "theirs")
    commit(folder, case.theirs if case.only_ours else rendered(case.theirs))
    git(folder, "checkout", "--quiet", "ours")
    git(folder, "merge", "--quiet", "--no-edit", "theirs")
    return {path.name: path.read_text() for path in folder.glob("*.yaml")}


CONFLICT = re.compile(r"(?ms)^<<<<<<< [^\n]*\n(.*?)^=======\n(.*?)^>>>>>>> [^\n]*\n")
OURS, THEIRS = 1, 2


def resolutions(merged: Files) -> Iterator[tuple[set[int], Files]]:
    """Yield the files with one side of each conflict, and the sides that were taken.

    All combinations of what people wrote; of the linker's, one side or the other, and each in turn.
    """
    authored = [(name, found) for name, found in conflicts(merged) if name != LINKER]
    emitted = [(name, found) for name, found in conflicts(merged) if name == LINKER]
    for sides in product((OURS, THEIRS), repeat=len(authored)):
        for pattern in ((OURS, OURS), (THEIRS, THEIRS), (OURS, THEIRS), (THEIRS, OURS))[
            : 4 if emitted else 1
        ]:
            taken = dict(zip(authored, sides, strict=True)) | dict(
                zip(emitted, cycle(pattern), strict=False)
            )
            yield set(taken.values()), resolve(merged, taken)


def resolve(merged: Files, taken: Mapping[tuple[str, int], int]) -> Files:
    def take(name: str, found: re.Match[str]) -> str:
        return found.group(taken[name, found.start()])

    return {name: CONFLICT.sub(partial(take, name), content) for name, content in merged.items()}


def conflicts(merged: Files) -> list[tuple[str, int]]:
    return [
        (name, found.start())
        for name, content in merged.items()
        for found in CONFLICT.finditer(content)
    ]


HASHED = re.compile(r"^(.+?)(-[2456789bcdfghkmt]{10})+$")
ADDED = ("revisions.krm-fn.io/", "client.lifecycle.config.k8s.io/")


def base_form(value: Any) -> Any:
    """Return an object as its author wrote it: without what the function adds, and with base names."""
    if isinstance(value, list):
        return [*map(base_form, value)]
    if not isinstance(value, dict):
        return value
    kept = {
        key: field
        for key, field in value.items()
        if key != "immutable" and not key.startswith(ADDED)
    }
    plain = {key: base_form(field) for key, field in kept.items()}
    name = plain.get("name")
    return {**plain, "name": HASHED.sub(r"\1", name)} if isinstance(name, str) else plain


def without_empty(item: Any) -> Any:
    metadata = {
        key: field
        for key, field in item["metadata"].items()
        if field or key not in {"labels", "annotations"}
    }
    return {**item, "metadata": metadata}


def base_files(files: Files) -> Files:
    authored = {
        name: base_form(yaml.load(content, yaml.CSafeLoader))
        for name, content in files.items()
        if name != LINKER
    }
    return {
        name: yaml.dump(without_empty(item), Dumper=yaml.CSafeDumper)
        for name, item in authored.items()
    }


def objects(files: Files) -> dict[tuple[str, str], Any]:
    """Return the objects. What is no revision any more keeps its protection from pruning."""
    items = [
        item
        for content in files.values()
        for item in yaml.load_all(content, yaml.CSafeLoader)
        if item
    ]
    plain = [
        item if "labels" in item["metadata"] else without_empty(base_form(item)) for item in items
    ]
    return {(item["kind"], item["metadata"]["name"]): item for item in plain}


def is_verified(files: Files) -> bool:
    stream = "---\n".join(files.values()).encode()
    return (
        verify(
            "-", stream, VerifyOptions(sets=("shop",), deployers=("kpt",), strict=True)
        ).exit_code
        == 0
    )


PIN = "is another revision of"
SECOND_HASH = "gets another hash"


@pytest.mark.rows(test=1)
@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in MERGES.items()])
def test_every_mixture_is_rendered_as_its_base_form_or_refused(case: Merge, tmp_path: Path) -> None:
    # Mixtures that differ in the linker have one base form.
    by_base_form: dict[tuple[tuple[str, str], ...], dict[tuple[str, str], Any]] = {}
    for sides, mixture in resolutions(merge(tmp_path, case)):
        result = render(mixture)
        is_one_side = len(sides) < len({OURS, THEIRS}) and not case.adds_reader
        if result.files is None:
            assert not is_one_side, result.said
        elif not is_verified(result.files):
            assert PIN in result.said
            assert not is_one_side, result.said
        elif SECOND_HASH not in result.said:
            base = base_files(mixture)
            as_base = tuple(base.items())
            if as_base not in by_base_form:
                by_base_form[as_base] = objects(rendered(base))
            assert objects(result.files) == by_base_form[as_base]
        else:
            assert not is_one_side, result.said


def test_conflicts_that_are_left_in_a_file_are_refused(tmp_path: Path) -> None:
    merged = merge(tmp_path, MERGES["both change one key"])
    result = render(merged)
    assert result.files is None
    assert result.said.endswith("; looks like a merge conflict (<<<<<<<); resolve it first\n")


def test_a_pin_stays_beside_references_that_only_the_linker_still_lists() -> None:
    files = rendered(TWO)
    name = yaml.load(files["config.yaml"], yaml.CSafeLoader)["metadata"]["name"]
    pinned = files["web.yaml"].replace(name, "app-2456789bcd")
    result = rendered({**files, "config.yaml": TRACE["config.yaml"], "web.yaml": pinned})
    present = yaml.load(result["config.yaml"], yaml.CSafeLoader)["metadata"]["name"]
    assert present not in {name, "app"}
    assert f"name: {present}\n" in result["api.yaml"]
    assert "name: app-2456789bcd\n" in result["web.yaml"]
