"""The texts that `krm-fn init` writes: a configuration, and files for CI, which are those of `examples/`."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from importlib.resources import files

from krm_fn import __version__
from krm_fn.base.keys import LOCAL_CONFIG
from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import NewValue, Node, entries, get, is_mapping, is_scalar, text, walk
from krm_fn.base.problem import Rejected
from krm_fn.base.settings import CONFIG_FILE, KIND, PROGRAM, Settings, Strategy
from krm_fn.core.yaml.yaml import read_yaml, write_scalar
from krm_fn.report.markup import join_lines

_ADOPT = Strategy.ADOPT.value
_IS_FOR_ADOPTING = "# for the first sync of what runs already"

# `exec` and no image: the first build needs nothing but the krm-fn that has written this (decision
# 64).
RUN_BY_KUSTOMIZE = """\
    config.kubernetes.io/function: |   # how kustomize runs it
      exec:
        path: krm-fn
"""
FOR_TOOLS = f"""\
    {LOCAL_CONFIG}: "true"   # kustomize, Flux and kpt do not apply it
"""
"""Lines of annotations that a deployer needs."""

LISTS_CONFIG = f"resources:\n- {CONFIG_FILE}\n"
"""The kustomization of a folder with a configuration that packages share."""

OF_ONE_PACKAGE = "# the set, unique in its namespace"
OF_MANY_PACKAGES = "# each package that shares this file says the name of its set"

# Argo CD passes over a file with this text, in whichever line. It knows no local-config.
_SCHEMA = "https://krm-fn.io/schemas/configrevisions-revisions.krm-fn.io-v1.json"
_NOT_FOR_ARGO_CD = "# +argocd:skip-file-rendering"

KPT_ENTRY = {"exec": PROGRAM, "configPath": CONFIG_FILE}
KPT_ENTRY_LINES = f"pipeline:\n  mutators:\n  - exec: {PROGRAM}\n    configPath: {CONFIG_FILE}\n"

_SCHEDULE = (
    '# schedule: "H * * * *"   # also between releases: an old revision goes within the hour'
)
_OF_SECRETS = "# secretsRole: true   # for Secrets: also a Role with their names, for this account"
_SHARED_RUN = "# run: shared   # no Job, and no image here: the CronJob of the namespace runs for all its sets"
_TO_SET = f"image: REGISTRY/krm-fn:{__version__}   # the Job runs it; make image builds it, and you push it"

_PACKAGES = "apps/*/overlays/*"
_ACTION = "OWNER/REPO@SHA"
"""The packages that the examples compare, and the repository of krm-fn. Nobody has a repository of that name."""

_NO_REMOTE = "--no-remote"
_ENABLE_HELM = "--enable-helm"

_UNSAFE = re.compile(r"[^\w./@%+=:,~ \[\](){}#&!*?;-]|^[\s-]|\s$|\$")
"""In the name of a folder: what GitHub and GitLab would expand, what ends a line, what looks like an option."""


class Pipeline(Enum):
    """A program that runs CI: the file that it reads, from the top of the repository, and the example for it."""

    github = (".github/workflows/krm-fn.yaml", "github/diff.yaml")
    gitlab = (".gitlab-ci.yml", "gitlab/.gitlab-ci.yml")

    @property
    def file(self) -> str:
        return self.value[0]

    def write(self, package: str, action: str, *, has_charts: bool, is_remote: bool) -> str:
        """Write the example for a package, and let helm run, and fetch charts, if the package needs that."""
        example = files("krm_fn.examples").joinpath(self.value[1]).read_text()
        example = example.replace(_ACTION, action).replace(_PACKAGES, package)
        if has_charts:
            example = example.replace(
                _NO_REMOTE, _ENABLE_HELM if is_remote else f"{_NO_REMOTE} {_ENABLE_HELM}"
            )
        return example.replace(".github/workflows/diff.yaml", self.file)

    def add(self, data: bytes, package: str, *, has_charts: bool) -> bytes | None:
        """Add a package to the list in a file for CI; None where that cannot be done with certainty."""
        if has_charts and _ENABLE_HELM.encode() not in data:
            return None
        roots = _read(data)
        values = _values(roots, self)
        lists = [
            node for node in walk(roots) if is_scalar(node) and node.style == "|" and node in values
        ]
        if len(lists) != 1:
            return None
        packages = lists[0].value.splitlines()
        if package in packages:
            return data
        lines = data.decode().splitlines(keepends=True)
        last = lists[0].start_mark.line + len(packages)
        before = lines[last]
        end = before[len(before.rstrip("\r\n")) :] or "\n"
        indent = before[: len(before) - len(before.lstrip())]
        added = [f"{before.rstrip()}{end}", f"{indent}{package}{end}"]
        edited = "".join([*lines[:last], *added, *lines[last + 1 :]]).encode()
        wanted = lists[0].value.rstrip("\n") + f"\n{package}"
        before_all = [
            wanted if node is lists[0] else node.value for node in walk(roots) if is_scalar(node)
        ]
        after_all = [node.value for node in walk(_read(edited)) if is_scalar(node)]
        is_proven = [one.rstrip("\n") for one in before_all] == [
            one.rstrip("\n") for one in after_all
        ]
        return edited if is_proven else None


_LISTS = {"github": "paths", "gitlab": "PACKAGES"}
"""The field with the packages, one on each line."""


def _values(roots: Iterable[Node], pipeline: Pipeline) -> list[Node]:
    values: list[Node] = []
    for node in walk([*roots]):
        if is_mapping(node):
            values += [value for name, value in entries(node) if name == _LISTS[pipeline.name]]
    return values


def _read(data: bytes) -> list[Node]:
    try:
        return read_yaml(data).roots
    except Rejected:
        return []


def is_unsafe(package: str) -> bool:
    """Tell whether the name of a folder would mean more than itself in a file for CI."""
    return _UNSAFE.search(package) is not None


class SpecTexts(NamedTuple):
    """The settings of the package for its configuration. Empty ones have their defaults."""

    deployers: Sequence[str] = ()
    strategy: str = ""
    kinds: Sequence[str] = ()


class LinkerTexts(NamedTuple):
    """The facts about the linker: its image, the namespace of what names none, and its account."""

    image: str
    namespace: str
    account: str


def write_config(name: str, annotations: str, spec: SpecTexts, linker: LinkerTexts) -> str:
    """Write krm-fn.yaml. `annotations` are lines; what is empty has its default."""
    lines = [
        f"# yaml-language-server: $schema={_SCHEMA}",
        _NOT_FOR_ARGO_CD,
        "apiVersion: revisions.krm-fn.io/v1",
        "kind: ConfigRevisions",
        "metadata:",
        f"  name: {write_scalar(name)}   {OF_ONE_PACKAGE}",
        "  annotations:",
        annotations.removesuffix("\n"),
        "spec:",
        *_write_spec(spec),
        *_write_linker(linker),
    ]
    return join_lines(lines)


def _write_spec(spec: SpecTexts) -> Iterator[str]:
    if spec.kinds:
        yield f"  kinds: [{', '.join(spec.kinds)}]"
    chosen = f"deployers: [{', '.join(spec.deployers or Settings().deployers)}]"
    yield f"  {chosen}{'' if spec.deployers else '   # the default'}"
    if spec.strategy in {"", _ADOPT}:
        # A comment, as nothing here shows what runs in the cluster already.
        mark = "" if spec.strategy else "# "
        yield f"  {mark}strategy: {_ADOPT}   {_IS_FOR_ADOPTING}"
    else:
        yield f"  strategy: {spec.strategy}"


def _write_linker(linker: LinkerTexts) -> Iterator[str]:
    """Yield the lines of the linker. No image is better than one that nobody can pull."""
    if not any(linker):
        yield from ("  # linker:", f"  #   {_TO_SET}", f"  #   {_SCHEDULE.removeprefix('# ')}")
        return
    yield "  linker:"
    yield f"    image: {linker.image}   # the Job runs it" if linker.image else f"    # {_TO_SET}"
    if linker.namespace:
        yield f"    namespace: {write_scalar(linker.namespace)}"
    if linker.account:
        yield f"    serviceAccountName: {write_scalar(linker.account)}   # somebody applies it first, with its Role"
        yield f"    {_OF_SECRETS}"
        yield f"    {_SHARED_RUN}"
    yield f"    {_SCHEDULE}"


def in_metadata(annotations: str) -> str:
    return f"metadata:\n  annotations:\n{annotations}"


def in_spec(spec: SpecTexts, namespace: str) -> str:
    lines = ["spec:"]
    if spec.kinds:
        lines.append(f"  kinds: [{', '.join(spec.kinds)}]")
    if spec.deployers:
        lines.append(f"  deployers: [{', '.join(spec.deployers)}]")
    if spec.strategy:
        lines.append(f"  strategy: {spec.strategy}")
    if namespace:
        lines += ["  linker:", f"    namespace: {write_scalar(namespace)}"]
    return join_lines(lines)


def rename_config(config: str, name: str) -> str:
    """Return the text of a configuration with another name."""
    (root,) = read_yaml(config.encode()).roots
    named = get(root, "metadata", "name")
    assert named is not None, "else it is refused"  # noqa: S101  # for the type checker
    return config[: named.start] + write_scalar(name) + config[named.end :]


def add_former_sets(config: str, sets: Collection[str]) -> str:
    """Let a set take over those of its bases, where kustomize runs krm-fn first."""
    line = f"  takeOver: {json.dumps(sorted(sets))}\n" if sets else ""
    return config.replace(_BEGINS_SPEC, _BEGINS_SPEC + line, 1)


def share_config(shared: str, name: str, take_over: Sequence[str] = ()) -> str:
    """Write the kustomization that gives a shared configuration the name of a set, and the sets of its bases."""
    operations: list[NewValue] = [{"op": "replace", "path": "/metadata/name", "value": name}]
    if take_over:
        operations.append({"op": "add", "path": "/spec/takeOver", "value": [*take_over]})
    patch = json.dumps(operations)
    return f"""\
resources: [{json.dumps(shared)}]
patches:
- target: {{kind: {KIND}}}   # the set of this package:
  patch: '{patch}'
"""


def is_written_config(data: bytes) -> bool:
    """Tell whether a configuration is as init writes it, whatever the values of its spec."""
    names = [text(get(root, "metadata", "name")) for root in _read(data)]
    if len(names) != 1:
        return False
    head, _, spec = data.decode().partition(_BEGINS_SPEC)
    heads: set[str] = set()
    for annotations in (FOR_TOOLS, RUN_BY_KUSTOMIZE + FOR_TOOLS):
        own = write_config(names[0], annotations, SpecTexts(), LinkerTexts("", "", ""))
        whole = (own, own.replace(OF_ONE_PACKAGE, OF_MANY_PACKAGES))
        heads.update(one.partition(_BEGINS_SPEC)[0] for one in whole)
    lines = spec.splitlines()
    is_below = all(not line.strip() or line.startswith("  ") for line in lines)
    return head in heads and is_below and _find_comments(lines) <= _own_comments()


_BEGINS_SPEC = "\nspec:\n"
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_MARK = re.compile(r"^#\s+")
_OF_A_VERSION = re.compile(r"krm-fn:\S+")


def _find_comments(lines: Iterable[str]) -> set[str]:
    found = filter(None, map(_COMMENT.search, lines))
    # Whoever closes a line that was open may leave its indentation behind the mark.
    comments = (_MARK.sub("# ", comment[0]) for comment in found)
    return {_OF_A_VERSION.sub("krm-fn", comment) for comment in comments}


def _own_comments() -> set[str]:
    """Return the comments that init writes into a spec, and what is left of each when somebody opens its line."""
    linkers = (LinkerTexts("", "", ""), LinkerTexts("", "a", "a"), LinkerTexts("a", "", ""))
    texts = [write_config("a", "", SpecTexts(), linker) for linker in linkers]
    own: set[str] = set()
    for line in "".join(texts).splitlines():
        own |= _find_comments(line[start:] for start in range(len(line)) if line[start] == "#")
    return own


def find_shared_name(data: bytes) -> str:
    """Return the set that a kustomization names, if it is as `share_config` writes it."""
    for take_over in ((), ("FORMER",)):
        pattern = re.escape(share_config("WAY", "NAME", take_over)).replace("WAY", "[^\n]+")
        pattern = pattern.replace("FORMER", '[a-z0-9., "-]+').replace("NAME", "([a-z0-9.-]+)")
        if found := re.fullmatch(pattern.encode(), data):
            return found[1].decode()
    return ""


def in_transformers(entry: str) -> str:
    return f"transformers:\n- {entry}\n"
