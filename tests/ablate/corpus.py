"""The packages over which rules are switched off: real ones, and reduced ones of public reports."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from krm_fn.base.settings import Environment
from krm_fn.function import run
from tests.installs.install import CONFIGS, read_installs
from tests.packages.package import PRODUCERS, read_packages

REPORTS = Path(__file__).parent / "reports"
ALL_CHOSEN = ", all chosen"
_KIND = {"apiVersion": "revisions.krm-fn.io/v1", "kind": "ConfigRevisions"}
_FIRST, _RESULTS = "- ", b"\nresults:"


class Answered(NamedTuple):
    """What the function writes, and its results: what it says about objects, at all severities."""

    written: bytes
    said: bytes


class Case(NamedTuple):
    """A package and the settings of a run. `key`: its folder in `tests`, and how the run differs."""

    key: str
    text: str
    namespace: str
    spec: Mapping[str, Any]

    def run(self) -> Answered:
        """Run the function as kustomize does: with a ResourceList, whose results have all that it says."""
        spec = {"linker": {"enabled": False}, "kinds": [*CONFIGS], **self.spec}
        config = {**_KIND, "metadata": {"name": "ablate"}, "spec": spec}
        passed = (
            f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{_list(self.text)}"
        )
        outcome = run(
            passed.encode(), yaml.safe_dump(config).encode(), Environment(namespace=self.namespace)
        )
        written, _, said = outcome.stdout.partition(_RESULTS)
        return Answered(written, said or outcome.stderr.encode())


class Report(NamedTuple):
    """A reduced package, and what `about.yaml` says of it.

    `source`: the address of the file, or of the report, that it is reduced from. `shows`: what the
    rule does about it. `spec`: settings of the function.
    """

    key: str
    source: str
    shows: str
    text: str
    namespace: str = ""
    spec: Mapping[str, Any] = MappingProxyType({})

    @property
    def case(self) -> Case:
        """The run over it."""
        return Case(self.key, self.text, self.namespace, self.spec)


def read_reports() -> list[Report]:
    """Read all reduced packages, sorted by the names of their folders."""
    found = []
    for about in sorted(REPORTS.glob("*/about.yaml")):
        folder = about.parent
        said = yaml.load(about.read_text(), yaml.CSafeLoader)
        text = (folder / "objects.yaml").read_text()
        found.append(Report(f"ablate/reports/{folder.name}", text=text, **said))
    return found


def read_real() -> list[Case]:
    """Return the real packages of the project: with the defaults, and then with all objects chosen."""
    cases = [
        Case(f"installs/{one.key}", one.text.decode(), one.namespace, {}) for one in read_installs()
    ]
    kinds = {"kinds": [*CONFIGS, *PRODUCERS]}
    cases += [
        Case(f"packages/{one.key}", one.text.decode(), one.namespace, kinds)
        for one in read_packages()
    ]
    select = [{"name": "*"}]
    return cases + [
        one._replace(key=one.key + ALL_CHOSEN, spec={**one.spec, "select": select}) for one in cases
    ]


def read_reported() -> list[Case]:
    """Return the reduced packages of public reports."""
    return [one.case for one in read_reports()]


def _list(stream: str) -> str:
    """Return the documents of a stream as the items of a list."""
    documents = [one.strip("\n") for one in f"\n{stream}".split("\n---\n")]
    items = ["\n".join(f"  {line}" for line in one.split("\n")) for one in documents if one.strip()]
    return "\n".join(_FIRST + item[len(_FIRST) :] for item in items) + "\n"
