"""Packages as three authors have them, and how each is in git: rendered in place, or as it was written."""

import random
from typing import NamedTuple

from krm_fn.tools.merge.merge_package import PackageFiles, Versions
from tests.merge.test_merges import CONFIG, Files, rendered

CONFIG_FILE = "krm-fn.yaml"
KEYS = "LEVEL", "COLOUR", "a", "b", "c", "LIMIT"
_HALF = 0.5
PIN = "2456789bcd"
"""The hash of an older revision, which the package does not contain."""

_READER = """\
apiVersion: apps/v1
kind: {kind}
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
        image: registry.example/{name}:{image}
        envFrom:{references}
      - name: sidecar
        image: registry.example/sidecar:{sidecar}
"""


class Reader(NamedTuple):
    """A workload. `names` are those of ConfigMaps and Secrets, which may be older revisions."""

    kind: str
    names: tuple[str, ...]
    image: str = "1"
    sidecar: str = "1"


class Authored(NamedTuple):
    """A package as its author writes it."""

    data: dict[str, tuple[tuple[str, str], ...]]
    labels: dict[str, str]
    readers: dict[str, Reader]

    @property
    def files(self) -> Files:
        return {
            **{f"{name}.yaml": self._write(name) for name in self.data},
            **{
                f"{name}.yaml": _write_reader(name, reader) for name, reader in self.readers.items()
            },
        }

    def _write(self, name: str) -> str:
        kind, field = (
            ("Secret", "stringData") if name.startswith("creds") else ("ConfigMap", "data")
        )
        labels = f"  labels:\n    tier: {self.labels[name]}\n" if name in self.labels else ""
        data = "".join(f'  {key}: "{value}"\n' for key, value in self.data[name])
        return f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  namespace: shop\n{labels}{field}:\n{data}"


def _write_reader(name: str, reader: Reader) -> str:
    references = "".join(
        f"\n        - {'secret' if one.startswith('creds') else 'configMap'}Ref:\n            name: {one}"
        for one in reader.names
    )
    return _READER.format(**reader._asdict() | {"name": name, "references": references})


class Story(NamedTuple):
    """What three authors have, and the same in git."""

    authored: Versions[Files]
    in_git: Versions[Files]


def tell(random_: random.Random) -> Story:
    base = _begin(random_)
    authored = Versions(base, _edit(base, random_, "ours"), _edit(base, random_, "theirs"))
    is_rendered = random_.random() < 0.7
    renders = (is_rendered, True, is_rendered or random_.random() < 0.6)
    files = Versions(*(one.files for one in authored))
    in_git = (
        rendered(one) if renders_it else one for one, renders_it in zip(files, renders, strict=True)
    )
    return Story(files, Versions(*in_git))


def _begin(random_: random.Random) -> Authored:
    names = ["app", *random_.sample(["db", "creds", "flags"], random_.randint(1, 3))]
    data = {name: tuple((key, str(number)) for number, key in enumerate(KEYS)) for name in names}
    others = {f"web{number}": _reader(names, random_) for number in range(random_.randint(1, 3))}
    # One reads all of them, and stays: what nobody reads is no revision.
    return Authored(data, {}, {"all": Reader("Deployment", tuple(names)), **others})


def _reader(names: list[str], random_: random.Random) -> Reader:
    kind = random_.choice(["Deployment", "StatefulSet", "DaemonSet"])
    return Reader(kind, tuple(random_.sample(names, random_.randint(1, len(names)))))


def _edit(base: Authored, random_: random.Random, side: str) -> Authored:
    edited = base
    for _ in range(random_.randint(1, 4)):
        edited = random_.choice(_EDITS)(edited, random_, side)
    return edited


def _set_value(one: Authored, random_: random.Random, side: str) -> Authored:
    name = random_.choice([*one.data])
    key = random_.choice(one.data[name])[0]
    value = random_.choice([side, "the same"])
    return _with_data(one, name, [(k, value if k == key else v) for k, v in one.data[name]])


def _add_key(one: Authored, random_: random.Random, side: str) -> Authored:
    name = random_.choice([*one.data])
    place = random_.choice([0, 3, len(one.data[name])])
    key = f"{side}{len(one.data[name])}"
    return _with_data(one, name, [*one.data[name][:place], (key, "new"), *one.data[name][place:]])


def _drop_key(one: Authored, random_: random.Random, _: str) -> Authored:
    name = random_.choice([*one.data])
    key = random_.choice(one.data[name])[0]
    return _with_data(
        one,
        name,
        [(k, v) for k, v in one.data[name] if k != key or len(one.data[name]) < len("ab")],
    )


def _with_data(one: Authored, name: str, data: list[tuple[str, str]]) -> Authored:
    return one._replace(data={**one.data, name: tuple(data)})


def _label(one: Authored, random_: random.Random, side: str) -> Authored:
    return one._replace(
        labels={**one.labels, random_.choice([*one.data]): random_.choice([side, "web"])}
    )


def _new_image(one: Authored, random_: random.Random, side: str) -> Authored:
    name = random_.choice([*one.readers])
    tag = random_.choice([side, "2"])
    before = one.readers[name]
    changed = (
        before._replace(image=tag) if random_.random() < _HALF else before._replace(sidecar=tag)
    )
    return one._replace(readers={**one.readers, name: changed})


def _read_more(one: Authored, random_: random.Random, _: str) -> Authored:
    name = random_.choice([*one.readers])
    missing = [config for config in one.data if config not in one.readers[name].names]
    names = (*one.readers[name].names, *missing[:1])
    return one._replace(readers={**one.readers, name: one.readers[name]._replace(names=names)})


def _pin(one: Authored, random_: random.Random, _: str) -> Authored:
    name = random_.choice([*one.readers])
    first, *others = one.readers[name].names
    if name == "all" or "-" in first:
        return one
    names = (f"{first}-{PIN}", *others)
    return one._replace(readers={**one.readers, name: one.readers[name]._replace(names=names)})


def _add_reader(one: Authored, random_: random.Random, side: str) -> Authored:
    return one._replace(readers={**one.readers, f"new-{side}": _reader([*one.data], random_)})


def _add_config(one: Authored, _: random.Random, side: str) -> Authored:
    added = one._replace(data={**one.data, f"app-{side}": (("a", "1"),)})
    return added._replace(
        readers={**added.readers, f"reads-{side}": Reader("Deployment", (f"app-{side}",))}
    )


_EDITS = (
    *(_set_value, _set_value, _set_value, _add_key, _drop_key, _label),
    *(_new_image, _read_more, _pin, _add_reader, _add_config),
)


def package(files: Files) -> PackageFiles:
    return {CONFIG_FILE: CONFIG, **{name: text.encode() for name, text in files.items()}}


def authored_files(package_: PackageFiles) -> Files:
    """Return the manifests of a package."""
    return {name: data.decode() for name, data in package_.items() if name != CONFIG_FILE and data}
