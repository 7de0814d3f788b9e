"""`python -m benchmarks.alternatives`: what users would pick instead, on the same work.

The work is N ConfigMaps, and N Deployments that read each of them twice. Figures are processor time
of whole processes, with all that they start, in turn, and the memory of the largest of these processes.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.install import build_noop, go_version, install
from benchmarks.measure import (
    PROCESSOR_TIME,
    Command,
    Figures,
    describe_machine,
    measure_in_turn,
    ratio,
)
from benchmarks.page import write_part
from tests.tools.build import built

SIZES = (50, 200, 400)

FIRST = "`kustomize build`, with generators"
ALONE = "krm-fn alone, on manifests"
GOALS = {50: 1.2, 200: 0.28, 400: 0.16}
"""By N: what krm-fn alone may take of the first way's time."""

LONGEST = 30.0
"""Seconds. A way that takes longer is not measured with a larger N."""

CONFIGURATION = """\
apiVersion: revisions.krm-fn.io/v1
kind: ConfigRevisions
metadata:
  name: shop
  annotations:
    config.kubernetes.io/function: |
      exec: {{path: {program}}}
spec:
  linker: {{image: registry.example/krm-fn:1}}
"""
VALUES = {"LOG_LEVEL": "info", "config.yaml": "server:\n  port: 8080\n"}
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-{number}-config
  namespace: shop
data:
  LOG_LEVEL: info
  number: "{number}"
  config.yaml: |
    server:
      port: 8080
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-{number}
  namespace: shop
spec:
  replicas: 3
  selector:
    matchLabels:
      app: app-{number}
  template:
    metadata:
      labels:
        app: app-{number}{checksum}
    spec:
      containers:
      - name: app
        image: registry.example/app:1.0.{number}
        envFrom:
        - configMapRef:
            name: app-{number}-config
        volumeMounts:
        - mountPath: /etc/app
          name: config
      volumes:
      - name: config
        configMap:
          name: app-{number}-config
"""
CHECKSUM = """
      annotations:
        checksum/config: {{ $.Files.Get (printf "configs/app-%d.yaml" (int $number)) | sha256sum }}"""
TEMPLATE = "{{- range $number := until COUNT }}\n---\nOBJECTS{{- end }}\n"


class Programs(NamedTuple):
    krm_fn: Path
    noop: Path
    kustomize: Path
    helm: Path


class Way(NamedTuple):
    """How to make the manifests. `write` fills an empty folder, and returns the command, which runs in it."""

    what: str
    write: Callable[[Path, int, Programs], Sequence[str]]
    stdin: str = ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alternatives", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each way (default: 3)")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="of N")
    parser.add_argument(
        "--write", action="store_true", help="write the table into docs/performance.md too"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        krm_fn, noop = install(folder), build_noop()
        programs = Programs(krm_fn, noop, find("kustomize"), find("helm"))
        found = measure_ways(programs, folder, options.sizes, options.runs)
    lines = [*table(found)]
    print("\n".join(lines))
    for number, most in GOALS.items():
        if number in found:
            share = ratio(found[number][ALONE], found[number][FIRST], PROCESSOR_TIME)
            verdict = "met" if share <= most else "missed"
            print(f"{ALONE}, N = {number}: {share:.2g} of the first way, at most {most}: {verdict}")
    if options.write:
        write_part("python -m benchmarks.alternatives", lines)


def find(name: str) -> Path:
    """Return the program that was built for the tests, else that on PATH."""
    found = built(name) or shutil.which(name)
    return Path(found) if found else sys.exit(f"needs {name}: python tests/tools/build.py {name}")


Found = Mapping[int, Mapping[str, Figures]]
"""By N, and by the words for a way."""


def measure_ways(programs: Programs, folder: Path, sizes: Sequence[int], runs: int) -> Found:
    """Measure all ways in turn, for each N."""
    found: dict[int, dict[str, Figures]] = {}
    too_long: set[str] = set()
    for number in sizes:
        ways = [way for way in WAYS if way.what not in too_long]
        commands = [prepare(way, folder, number, programs) for way in ways]
        measured = measure_in_turn(commands, runs)
        found[number] = {way.what: one for way, one in zip(ways, measured, strict=True)}
        too_long |= {what for what, one in found[number].items() if one.processor > LONGEST}
    return found


def table(found: Found) -> Iterator[str]:
    """Yield a line for each way: its seconds and their share of those of the first way, for each N, and what grows."""
    *_, before, last = found
    sizes = " | ".join(f"N = {number:,}" for number in found)
    yield f"Measured on {describe_machine()}, {go_version()}."
    yield ""
    yield f"| way | seconds, of the first way's: {sizes} | MiB at {last:,} | time of {last:,}, of {before:,} |"
    yield f"|---|{'---|' * (len(found) + 2)}"
    for way in WAYS:
        cells = [cell(of_ways, way.what) for of_ways in found.values()]
        one = found[last].get(way.what)
        grown = one and f"{one.processor / found[before][way.what].processor:.1f}"
        memory = one and f"{'under ' * one.has_hidden_memory}{one.mebibytes:.0f}"
        yield f"| {' | '.join([way.what, *cells, memory or '', grown or ''])} |"


def prepare(way: Way, folder: Path, number: int, programs: Programs) -> Command:
    """Write the package of a way into a folder of its own, and return the command, which runs in it."""
    place = folder / f"{number}-{WAYS.index(way)}"
    place.mkdir()
    words = ["env", "-C", str(place), *way.write(place, number, programs)]
    return Command(words, place / way.stdin) if way.stdin else Command(words)


def cell(of_ways: Mapping[str, Figures], what: str) -> str:
    if what not in of_ways:
        return "not run"
    share = ratio(of_ways[what], of_ways[FIRST], PROCESSOR_TIME)
    return f"{of_ways[what].processor:.3g}, {share:.2g}"


def write_plain(folder: Path, number: int, programs: Programs) -> list[str]:
    """Write a kustomization of manifests."""
    _write_manifests(folder, number)
    _write_kustomization(folder, {"resources": ["objects.yaml"]})
    return [str(programs.kustomize), "build"]


def write_generators(folder: Path, number: int, programs: Programs) -> list[str]:
    """Write a kustomization that generates the ConfigMaps, with hashes in their names."""
    _write_manifests(folder, number, DEPLOYMENT)
    for key, text in VALUES.items():
        (folder / key).write_text(text)
    generators = [
        {"name": f"app-{one}-config", "namespace": "shop", "files": [*VALUES]}
        for one in range(number)
    ]
    kustomization = {"resources": ["objects.yaml"], "configMapGenerator": generators}
    _write_kustomization(folder, kustomization)
    return [str(programs.kustomize), "build"]


def write_transformer(folder: Path, number: int, programs: Programs) -> list[str]:
    """Write a kustomization with krm-fn as a transformer."""
    return _write_transformer(folder, number, programs, str(programs.krm_fn))


def write_cat(folder: Path, number: int, programs: Programs) -> list[str]:
    """Write the same with a program that changes nothing: it costs what the passing costs."""
    return _write_transformer(folder, number, programs, "/bin/cat")


def write_noop(folder: Path, number: int, programs: Programs) -> list[str]:
    """Write the same with a Go function on kyaml that changes nothing."""
    return _write_transformer(folder, number, programs, str(programs.noop))


def write_pipe(folder: Path, number: int, programs: Programs) -> list[str]:
    """Pipe what kustomize prints into krm-fn."""
    write_plain(folder, number, programs)
    _configure(folder, programs.krm_fn)
    return ["sh", "-c", f"{programs.kustomize} build | {programs.krm_fn} {folder}/krm-fn.yaml"]


def write_render(folder: Path, number: int, programs: Programs) -> list[str]:
    """Let krm-fn run kustomize on the same kustomization."""
    write_plain(folder, number, programs)
    _configure(folder, programs.krm_fn)
    return [
        *("env", f"PATH={programs.kustomize.parent}:/usr/bin:/bin"),
        *(str(programs.krm_fn), "render", "."),
    ]


def write_alone(folder: Path, number: int, programs: Programs) -> list[str]:
    """Write the same manifests without kustomize."""
    write_configured(folder, number)
    return [str(programs.krm_fn), f"{folder}/krm-fn.yaml"]


def write_configured(folder: Path, number: int) -> None:
    """Write the manifests and a configuration."""
    _write_manifests(folder, number)
    _configure(folder, Path("krm-fn"))


def write_chart(folder: Path, number: int, programs: Programs) -> list[str]:
    """Write a chart whose pod templates have the sha256 of a file as an annotation."""
    (folder / "templates").mkdir()
    (folder / "configs").mkdir()
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: shop\nversion: 0.1.0\n")
    for one in range(number):
        (folder / "configs" / f"app-{one}.yaml").write_text(f"LOG_LEVEL: info\nnumber: {one}\n")
    # A number of the chart in the place of ours.
    deployment = DEPLOYMENT.format(number="NUMBER", checksum=CHECKSUM)
    objects = f"{CONFIG_MAP.format(number='NUMBER')}---\n{deployment}"
    text = TEMPLATE.replace("COUNT", str(number)).replace("OBJECTS", objects)
    (folder / "templates" / "all.yaml").write_text(text.replace("NUMBER", "{{ $number }}"))
    return [str(programs.helm), "template", "shop", "."]


def _write_transformer(folder: Path, number: int, programs: Programs, program: str) -> list[str]:
    _write_manifests(folder, number)
    _configure(folder, Path(program))
    _write_kustomization(folder, {"resources": ["objects.yaml"], "transformers": ["krm-fn.yaml"]})
    return [str(programs.kustomize), "build", "--enable-alpha-plugins", "--enable-exec"]


def _configure(folder: Path, program: Path) -> None:
    (folder / "krm-fn.yaml").write_text(CONFIGURATION.format(program=program))


def _write_kustomization(folder: Path, kustomization: Mapping[str, object]) -> None:
    (folder / "kustomization.yaml").write_text(json.dumps(kustomization))


def _write_manifests(folder: Path, number: int, *kinds: str) -> None:
    """Write the objects as documents."""
    documents = [
        template.format(number=one, checksum="")
        for one in range(number)
        for template in kinds or (CONFIG_MAP, DEPLOYMENT)
    ]
    (folder / "objects.yaml").write_text("---\n".join(documents))


WAYS = (
    Way(FIRST, write_generators),
    Way("`kustomize build`, plain: no hash, no rename", write_plain),
    Way("`kustomize build`, with krm-fn as a transformer", write_transformer),
    Way("`kustomize build`, with a Go function that changes nothing", write_noop),
    Way("`kustomize build`, with `cat` as a transformer", write_cat),
    Way("`kustomize build`, piped into `krm-fn`", write_pipe, "objects.yaml"),
    Way("`krm-fn render` of the kustomization", write_render),
    Way(ALONE, write_alone, "objects.yaml"),
    Way("`helm template`, with `sha256sum`", write_chart),
)


if __name__ == "__main__":
    main()
