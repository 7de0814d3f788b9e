"""Properties of checksums, tested with generated packages."""

import re
from random import Random
from typing import Any, NamedTuple

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krm_fn.function import run
from tests.volume import examples_of

HEAD = "apiVersion: revisions.krm-fn.io/v1\nkind: ConfigRevisions\nmetadata: {name: shop}\n"
CHECKSUM = f"{HEAD}spec: {{kinds: [ConfigMap, Secret], strategy: checksum}}\n".encode()
IGNORE = f"{HEAD}spec: {{strategy: ignore}}\n".encode()
KEYS = ("a", "b", "c.yaml")
CONFIG_KINDS = ("ConfigMap", "Secret")


class Read(NamedTuple):
    """What a workload reads: one key as a variable or a file, or the whole object if `key` is empty."""

    config: tuple[str, str]
    key: str
    place: str


class Package(NamedTuple):
    """Objects by kind and name: the content of ConfigMaps and Secrets, and what workloads read."""

    configs: dict[tuple[str, str], dict[str, str]]
    workloads: dict[tuple[str, str], list[Read]]

    def bytes(self, shuffle: Random | None = None) -> bytes:
        objects = [
            *map(config_object, self.configs.items()),
            *map(workload_object, self.workloads.items()),
        ]
        if shuffle:
            shuffle.shuffle(objects)
        return dump(objects)


configs = st.tuples(st.sampled_from(CONFIG_KINDS), st.sampled_from(("web", "api", "web-config")))
contents = st.dictionaries(st.sampled_from(KEYS), st.text("ab1 :#\n", max_size=4), min_size=1)
reads = st.builds(
    Read, configs, st.sampled_from(("", *KEYS)), st.sampled_from(("env", "volume", "projected"))
)
workloads = st.tuples(
    st.sampled_from(("Deployment", "StatefulSet", "DaemonSet", "CronJob")),
    st.sampled_from(("web", "api")),
)
packages = st.builds(
    Package,
    st.dictionaries(configs, contents, min_size=1, max_size=4),
    st.dictionaries(workloads, st.lists(reads, max_size=3), min_size=1, max_size=4),
)


def config_object(entry: tuple[tuple[str, str], dict[str, str]]) -> dict[str, Any]:
    (kind, name), content = entry
    field = "data" if kind == "ConfigMap" else "stringData"
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, field: content}


def workload_object(entry: tuple[tuple[str, str], list[Read]]) -> dict[str, Any]:
    (kind, name), reads = entry
    container: dict[str, Any] = {"name": "app", "env": [], "envFrom": []}
    spec: dict[str, Any] = {"containers": [container], "volumes": []}
    for index, read in enumerate(reads):
        add_read(spec, container, read, f"v{index}")
    template: dict[str, Any] = {"spec": {"template": {"spec": spec}}}
    if kind == "CronJob":
        template = {"spec": {"jobTemplate": template}}
    version = "batch/v1" if kind == "CronJob" else "apps/v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **template}


def add_read(spec: dict[str, Any], container: dict[str, Any], read: Read, volume: str) -> None:
    kind, name = read.config
    prefix = "configMap" if kind == "ConfigMap" else "secret"
    items = {"items": [{"key": read.key, "path": "x"}]} if read.key else {}
    if read.place == "projected":
        spec["volumes"].append(
            {"name": volume, "projected": {"sources": [{prefix: {"name": name, **items}}]}}
        )
    elif read.place == "volume":
        by = "name" if kind == "ConfigMap" else "secretName"
        spec["volumes"].append({"name": volume, prefix: {by: name, **items}})
    elif read.key:
        container["env"].append(
            {"name": volume, "valueFrom": {f"{prefix}KeyRef": {"name": name, "key": read.key}}}
        )
    else:
        container["envFrom"].append({f"{prefix}Ref": {"name": name}})


def checksums(data: bytes) -> dict[tuple[str, str], str | None]:
    """Return the checksum of each workload."""
    outcome = run(data, CHECKSUM)
    assert outcome.exit_code == 0, outcome.stderr
    items = load(outcome.stdout)
    return {
        (item["kind"], item["metadata"]["name"]): checksum(item) for item in items if "spec" in item
    }


def load(data: bytes) -> list[Any]:
    return list(yaml.load_all(data, yaml.CBaseLoader))


def dump(objects: list[Any]) -> bytes:
    text: str = yaml.dump_all(objects, Dumper=yaml.CSafeDumper)
    return text.encode()


def checksum(item: Any) -> str | None:
    spec = item["spec"]
    template = (spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec)["template"]
    value: str | None = template.get("metadata", {}).get("annotations", {}).get("checksum/config")
    return value


@pytest.mark.rows(test=0)
@given(packages, st.randoms())
def test_checksums_are_deterministic_idempotent_and_independent_of_order(
    package: Package, random: Random
) -> None:
    data = package.bytes()
    once = run(data, CHECKSUM).stdout
    assert run(data, CHECKSUM).stdout == once
    assert run(once, CHECKSUM).stdout == once
    assert checksums(package.bytes(random)) == checksums(data)


@given(packages, st.data())
@settings(max_examples=examples_of(300))
def test_a_checksum_changes_if_and_only_if_content_that_is_read_changes(
    package: Package, data: st.DataObject
) -> None:
    config = data.draw(st.sampled_from(sorted(package.configs)))
    key = data.draw(st.sampled_from(KEYS))
    content = dict(package.configs[config])
    if data.draw(st.booleans()) or key not in content:
        content[key] = content.get(key, "") + "x"
    else:
        del content[key]
    after = package._replace(configs={**package.configs, config: content})
    before_and_after = checksums(package.bytes()), checksums(after.bytes())
    changed = {
        name for name in package.workloads if before_and_after[0][name] != before_and_after[1][name]
    }
    readers = {
        name
        for name, reads in package.workloads.items()
        if any(read.config == config and read.key in ("", key) for read in reads)
    }
    assert changed == readers


@given(packages)
def test_a_workload_has_a_checksum_if_and_only_if_it_reads_something(package: Package) -> None:
    for name, value in checksums(package.bytes()).items():
        assert (value is not None) == any(
            read.config in package.configs for read in package.workloads[name]
        )


@given(packages)
def test_in_place_a_checksum_follows_edits_and_is_removed_when_switched_off(
    package: Package,
) -> None:
    data = package.bytes()
    once = run(data, CHECKSUM).stdout
    edited, fresh = (
        re.sub(rb"(?m)^(d|stringD)ata:$", rb"\g<0>\n  new: x", text) for text in (once, data)
    )
    assert checksums(edited) == checksums(fresh)
    assert load(run(once, IGNORE).stdout) == load(data)


@pytest.mark.rows(test=0)
@given(packages, st.data())
def test_renamed_objects_do_not_count(package: Package, data: st.DataObject) -> None:
    config = data.draw(st.sampled_from(sorted(package.configs)))
    package = package._replace(
        workloads={("Deployment", "both"): [Read(name, "", "env") for name in package.configs]}
    )
    renamed, edited = (named(package, config, text) for text in ("1", "2"))
    rest = package._replace(
        configs={name: text for name, text in package.configs.items() if name != config}
    )
    assert checksums(renamed) == checksums(edited) == checksums(rest.bytes())


def named(package: Package, config: tuple[str, str], text: str) -> bytes:
    """Return the package with new content in one object, which has the strategy `rename`."""
    changed = package._replace(configs={**package.configs, config: {"a": text}})
    objects = load(changed.bytes())
    for item in objects:
        if (item["kind"], item["metadata"]["name"]) == config:
            item["metadata"]["annotations"] = {"revisions.krm-fn.io/strategy": "rename"}
    return dump(objects)
