"""Write what lets a deployer run the function over a directory, and say what a first rendering would do."""

import json
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import chain
from pathlib import Path, PurePosixPath

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import get, plain_value, text
from krm_fn.base.problem import Outcome, Rejected, listing, printable
from krm_fn.base.settings import CONFIG_FILE, KPTFILE, Environment, LinkerRun
from krm_fn.core.config.config import find_in_kptfile
from krm_fn.core.yaml.yaml import read_yaml
from krm_fn.report.markup import join_lines
from krm_fn.report.secrets import stderr_lines
from krm_fn.report.table import Screen, fold
from krm_fn.tools.builds.builds import HelmOptions
from krm_fn.tools.common.files import (
    KUSTOMIZATIONS,
    SHARED,
    Allowance,
    Limits,
    real_path,
    unreadable,
)
from krm_fn.tools.common.patterns import find_packages_here, find_patterns, stands_for_several
from krm_fn.tools.elsewhere.elsewhere import MOST_LINES, NamesElsewhere
from krm_fn.tools.init.name_set import find_shared_set
from krm_fn.tools.init.plan import (
    Door,
    Planned,
    Wishes,
    find_door,
    plan,
    plan_pipeline,
    plan_shared,
    share,
)
from krm_fn.tools.init.remove import plan_removal
from krm_fn.tools.init.script_builds import find_builds
from krm_fn.tools.init.texts import Pipeline
from krm_fn.tools.init.transaction import NewContent, write_all
from krm_fn.tools.init.who_builds import (
    Around,
    count_refused,
    refuse_deploying,
    say_below,
    say_refused,
)
from krm_fn.tools.opened.opened import Inputs, Opened, open_inputs

__all__ = [
    "Pipeline",
    "Surroundings",
    "Wishes",
    "init",
    "remove",
]

_NO_TERMINAL = Screen()

_NEXT_OF_DEPLOYERS = {
    "argocd": (
        "write `plugin: {{}}` into the source of the Application, for the plugin of docs/deployers/argo-cd.md, or let "
        "it apply a branch that CI renders"
    ),
    "flux": "krm-fn render {helm}{path}; run it in CI and push the result: Flux runs no functions",
}
_NEXT_OF_DOORS = {
    Door.KUSTOMIZE: "kustomize build --enable-alpha-plugins --enable-exec {helm}{path}",
    Door.KPT: "kpt fn render {path} --allow-exec",
    Door.CHART: (
        "echo {script} > post-render.sh\n"
        "helm upgrade --install RELEASE {path} --namespace {namespace} "
        "--post-renderer sh --post-renderer-args post-render.sh"
    ),
    Door.FOLDER: "krm-fn render {helm}{path}",
}
_BY_HAND = "nothing is written yet: add the lines above, and run krm-fn init again"
_IMAGE = (
    "no release of krm-fn is published yet: build the image (make image), docker push it to your registry, and set "
    "spec.linker.image"
)
_FAIL_ALONE = (
    "{lines}: where these build {path}, kustomize alone fails at the new entry; pass --enable-alpha-plugins "
    "--enable-exec there, or deploy what CI renders with krm-fn, as Flux must"
)
_GO_ON = (
    "{lines}: apply what CI renders there, or use krm-fn's plugin for Argo CD; until then, nothing changes for "
    "{path}"
)
_ON_TOP = "krm-fn init {tops}   # built from where krm-fn runs now, which sees nothing of what they change"
_NOT_AS_IT_IS = (
    "kubectl apply -f {path} refuses krm-fn.yaml from now on; apply what krm-fn has rendered"
)
_NOTHING_IS_LEFT = "nothing of krm-fn init is left"
_REMOVE_BY_HAND = (
    "nothing is changed yet: take out what is named above, and run krm-fn init --remove again"
)
_LEAVE_FIRST = (
    "if krm-fn ran already, release once with `leave: true` in the spec of krm-fn.yaml before: else a ConfigMap or "
    "Secret that keeps its name goes with its workload"
)
_KEEP_IMMUTABLE = (
    "before this is applied, keep what kustomize generates immutable with `generatorOptions: {immutable: true}`, or "
    "the API server refuses it, as docs/how-to/leave.md says"
)
_STOP_RUNNING = (
    "in the same step, remove what runs krm-fn: `plugin: {}` of an Application, a job of CI, "
    "--post-renderer"
)
_IN_CI = "take these directories out of {files}"
_REVISIONS_STAY = (
    "the revisions stay, as they are protected; delete them when no ReplicaSet uses them, as "
    "docs/how-to/leave.md says"
)
_LEAVES = re.compile(rb"^  leave: *true\b", re.MULTILINE)
_ADOPT = "if it runs already, sync once with strategy: adopt, as docs/migration.md says"

_COMMAND = re.compile("(echo|for|helm|kpt|krm-fn|kustomize) ")

_MOST_NAMES = 3


class Surroundings(NamedTuple):
    """How the first rendering reads a directory.

    `sum_up` says what that rendering does. It is handed over, as to explain is another tool's job.
    `elsewhere`: what the repository around the directory says of it.
    """

    helm: HelmOptions
    environment: Environment
    limits: Limits
    sum_up: Callable[[Opened], Outcome]
    elsewhere: NamesElsewhere


class _Prepared(NamedTuple):
    """The files to be written for a directory, proven by a rendering with it in memory.

    `proven`: what was rendered. `planned`: what is written; something else where it is shared.
    """

    directory: Path
    door: Door
    wishes: Wishes
    around: Around
    proven: list[Planned]
    planned: list[Planned]
    rendering: Outcome
    elsewhere: NamesElsewhere

    @property
    def shown(self) -> str:
        return shlex.quote(os.path.relpath(self.directory))

    def says(self, *field: str, value: str = "") -> bool:
        """Tell whether the configuration that is there, or is written now, sets a field of spec, to a value if any."""
        config = self.proven[0]
        data = config.before or config.data or b""
        if config.file.name in KUSTOMIZATIONS:
            data = self.around.read_shared(config.file)
        roots = read_yaml(data).roots
        if config.file.name == KPTFILE:
            found = chain.from_iterable(map(find_in_kptfile, roots))
            settings = [one for _, one in found if one]
            nodes = [get(one, "data", ".".join(field)) for one in settings]
        else:
            nodes = [get(root, "spec", *field) for root in roots]
        return any(node is not None and (not value or text(node) == value) for node in nodes)

    @property
    def has_entry(self) -> bool:
        """Tell whether kustomize runs krm-fn in the directory, or is going to."""
        return len(self.planned) > 1 and self.planned[-1].file.name in KUSTOMIZATIONS


def init(  # noqa: PLR0913  # where and how, and how it is shown
    directories: Mapping[Path, str],
    wishes: Wishes,
    surroundings_of: Callable[[Path], Surroundings],
    shared: Path | None = None,
    screen: Screen = _NO_TERMINAL,
    *,
    is_dry_run: bool,
) -> Outcome:
    """Write what is missing in all directories, all of it or nothing, and sum up a rendering with it.

    With `shared`, the new configurations of kustomizations are one, in that folder. What only a
    pattern stands for is left out if it cannot be configured. The exit code is 1 where something is
    not written: where a rendering with it fails, or a person has to add something.
    """
    try:
        prepared, planned, refused = _prepare_all(directories, wishes, surroundings_of, shared)
        if not prepared or not all(stands_for_several(directories[one]) for one in refused):
            return Outcome(b"", say_refused(refused), 1)
        is_by_hand = any(one.by_hand for one in planned)
        is_written = not is_by_hand and not is_dry_run
        if is_written:
            _write(planned, directories)
    except (OSError, Rejected) as error:
        return _fail(error)
    said: list[str] = []
    for file in planned:
        said += _say(file, screen, is_written=is_written, is_dry_run=is_dry_run)
    stderr = "".join(one.rendering.stderr for one in prepared)
    for one in prepared:
        stderr += stderr_lines(find_shared_set(one.directory, one.around, wishes.namespace))
    if refused:
        stderr += say_refused(refused) + stderr_lines([count_refused(refused, len(directories))])
    summary = _sum_up(prepared)
    steps: list[str] = []
    for step in _steps(prepared, is_by_hand=is_by_hand):
        steps += _fold_step(step, screen)
    shown = [*said, "", *summary, *([""] if summary else []), *steps]
    return Outcome(join_lines(shown).encode(), stderr, int(is_by_hand or bool(refused)))


def remove(
    directories: Sequence[Path],
    limits: Limits,
    shared: Path | None = None,
    screen: Screen = _NO_TERMINAL,
    *,
    is_dry_run: bool,
) -> Outcome:
    """Take out of all directories what init has written, all of it or nothing.

    With `shared`, also what they shared in that folder, if nobody else does. The exit code is 1
    where something is not as init writes it: then nothing changes.
    """
    try:
        planned = plan_removal(directories, shared, limits)
        is_by_hand = any(one.by_hand for one in planned)
        is_written = not is_by_hand and not is_dry_run
        if is_written:
            _write(planned, directories)
    except (OSError, Rejected) as error:
        return _fail(error)
    said: list[str] = []
    for file in planned:
        said += _say(file, screen, is_written=is_written, is_dry_run=is_dry_run)
    if not any(one.changes or one.by_hand for one in planned):
        below = _find_below(directories[0], limits, CONFIG_FILE, SHARED)
        left = _NOTHING_IS_LEFT
        if below:
            told = say_below(directories[0], below, " with krm-fn: krm-fn init --remove")
            left = f"nothing to remove in {told.file}; {told.message}"
        return Outcome(join_lines([*said, left]).encode(), "", 0)
    steps: list[str] = []
    configs = [one.before or b"" for one in planned if one.file.name == CONFIG_FILE]
    if not configs or not all(map(_LEAVES.search, configs)):
        steps += _fold_step(_LEAVE_FIRST, screen)
    for step in _steps_of_leaving(directories, limits, is_by_hand=is_by_hand):
        steps += _fold_step(step, screen)
    return Outcome(join_lines([*said, "", *steps]).encode(), "", int(is_by_hand))


def _fail(error: OSError | Rejected) -> Outcome:
    if isinstance(error, Rejected):
        return Outcome(b"", stderr_lines(error.problems), 1)
    return Outcome(b"", stderr_lines([unreadable(str(error.filename), error)]), 1)


def _find_below(directory: Path, limits: Limits, *configured_by: str) -> list[str]:
    """Find the packages below, or only those that have a file of these names."""
    return [
        folder
        for folder in map(os.path.relpath, Around(directory, limits).find_candidates())
        if not configured_by or any(os.path.lexists(f"{folder}/{one}") for one in configured_by)
    ]


def _steps_of_leaving(
    directories: Sequence[Path], limits: Limits, *, is_by_hand: bool
) -> Iterator[str]:
    """Yield what is to do before the result is applied, and after it, as docs/how-to/leave.md says."""
    if is_by_hand:
        yield _REMOVE_BY_HAND
    built = [one for one in directories if find_door(one, Wishes()) is Door.KUSTOMIZE]
    if built:
        yield _KEEP_IMMUTABLE
        helm = "--enable-helm " if any(Around(one, limits).has_charts for one in built) else ""
        paths = find_patterns(map(os.path.relpath, built))
        several = " ".join(one if stands_for_several(one) else shlex.quote(one) for one in paths)
        path = '"$dir"' if built[1:] else several
        check = f"kustomize build {helm}{path} | krm-fn diff --live --fail-on refused,missing -"
        yield f"for dir in {several}; do {check}; done" if built[1:] else check
    yield _STOP_RUNNING
    files = dict.fromkeys(chain.from_iterable(_files_of_ci(one, limits) for one in directories))
    if files:
        yield _IN_CI.format(files=listing(files))
    yield _REVISIONS_STAY


def _files_of_ci(directory: Path, limits: Limits) -> Iterator[str]:
    """Yield the files that init has written for CI, where they name a directory."""
    around = Around(directory, limits)
    if around.repository is None:
        return
    package = around.directory.relative_to(around.repository).as_posix()
    for pipeline in Pipeline:
        file = around.repository / pipeline.file
        if not file.is_file():
            continue
        lines = around.reader.read(file).decode(errors="replace").split("\n")
        place = PurePosixPath("/", package)
        if any(place.match(f"/{line.strip()}") for line in lines):
            yield around.show(file)


def _write(planned: Iterable[Planned], directories: Collection[Path]) -> None:
    """Write all files. The directories that were named stay, also where nothing is left in them."""
    contents = (NewContent(one.file, one.before, one.data) for one in planned if one.changes)
    write_all(contents, kept=directories)


def _sum_up(prepared: list[_Prepared]) -> list[str]:
    """Return what the rendering says of one directory, and of each of several its last line."""
    if len(prepared) == 1:
        return prepared[0].rendering.stdout.decode().splitlines()
    lines: list[str] = []
    for one in prepared:
        *_, last = ["", *one.rendering.stdout.decode().splitlines()]
        lines.append(printable(f"{os.path.relpath(one.directory)}: {last}"))
    return lines


def _prepare_all(
    directories: Mapping[Path, str],
    wishes: Wishes,
    surroundings_of: Callable[[Path], Surroundings],
    shared: Path | None,
) -> tuple[list[_Prepared], list[Planned], dict[Path, str]]:
    """Prepare each directory. Return all files in the order in which they are written, and what is refused, and why."""
    planned: dict[Path, Planned] = {}
    first = next(iter(directories))
    limits = surroundings_of(first).limits
    around = Around(first, limits)
    if shared is not None:
        base = plan_shared(shared, wishes, around, Allowance(limits))
        planned = {real_path(one.file): one for one in base}
        wishes = wishes._replace(shared=(base[0].data or base[0].before or b"").decode())
    prepared: list[_Prepared] = []
    refused: dict[Path, str] = {}
    drafts = {file: one.data for file, one in planned.items() if one.data is not None}
    for directory in around.order([*directories]):
        surroundings = surroundings_of(directory)
        try:
            one = _prepare(directory, wishes, surroundings, drafts)
            if shared is not None:
                one = _share(one, shared)
        except Rejected as rejected:
            below = _find_below(directory, limits) if len(directories) == 1 else []
            said = [say_below(directory, below, ": krm-fn init")] if below else []
            refused[directory] = stderr_lines([*said, *rejected.problems])
            continue
        if one.rendering.exit_code:
            refused[directory] = one.rendering.stderr
            continue
        drafts |= _drafts(directory, one.proven)
        prepared.append(one)
        planned |= {real_path(file.file): file for file in one.planned}
    if wishes.pipeline and prepared:
        typed, own = {*directories.values()}, {str(one.directory) for one in prepared}
        lines = sorted(typed if find_packages_here(typed).keys() == own else find_patterns(own))
        arounds = [one.around for one in prepared]
        pipeline = plan_pipeline(lines, wishes.pipeline, wishes.action, arounds)
        planned[pipeline.file] = pipeline
    return prepared, [*planned.values()], refused


def _share(prepared: _Prepared, shared: Path) -> _Prepared:
    """Let a package share a configuration, which has the lines of its own one, and is named in what is said."""
    planned = share(prepared.directory, prepared.door, prepared.proven, shared, prepared.around)
    if planned is prepared.proven:
        return prepared
    own, said = str(prepared.proven[0].file), prepared.rendering.stderr
    rendering = prepared.rendering._replace(stderr=said.replace(own, str(shared / CONFIG_FILE)))
    return prepared._replace(planned=planned, rendering=rendering)


def _prepare(
    directory: Path,
    wishes: Wishes,
    surroundings: Surroundings,
    drafts: Mapping[Path, bytes],
) -> _Prepared:
    """Plan all files, and render with them. Raises Rejected.

    `drafts` are the files that are planned for other directories.
    """
    door, allowance = find_door(directory, wishes), Allowance(surroundings.limits, drafts)
    around = Around(directory, surroundings.limits, drafts)
    planned = plan(directory, door, wishes, around, allowance)
    inputs = Inputs((str(directory),))
    allowance = Allowance(surroundings.limits, {**drafts, **_drafts(directory, planned)})
    opened = open_inputs(inputs, surroundings.helm, surroundings.environment, allowance)
    refuse_deploying(directory, opened.items)
    rendering = surroundings.sum_up(opened)
    elsewhere = surroundings.elsewhere
    return _Prepared(directory, door, wishes, around, planned, planned, rendering, elsewhere)


def _drafts(directory: Path, planned: list[Planned]) -> dict[Path, bytes]:
    """Return what is to be written, by the real paths; and what a Kptfile says in the place of a file."""
    drafts = {real_path(one.file): one.data for one in planned if one.data is not None}
    config = planned[0]
    if config.file.name == KPTFILE and config.before is not None:
        found = []
        for root in read_yaml(config.before).roots:
            found += [settings for _, settings in find_in_kptfile(root) if settings is not None]
        if found:
            drafts[real_path(directory / CONFIG_FILE)] = json.dumps(plain_value(found[0])).encode()
    return drafts


def _say(one: Planned, screen: Screen, *, is_written: bool, is_dry_run: bool) -> Iterator[str]:
    would = "" if is_written or not one.changes else "would be "
    yield printable(f"{one.file}: {would}{one.said}")
    yield from (printable(f"  {line}") for line in one.by_hand.splitlines())
    if is_dry_run and one.changes:
        before, after = (
            text.decode(errors="replace").splitlines()
            for text in (one.before or b"", one.data or b"")
        )
        # No lines around those that change: a kustomization may hold values of Secrets.
        changed = [*unified_diff(before, after, n=0, lineterm="")][2:]
        for line in changed:
            if not line.startswith("@@"):
                paint = screen.added if line.startswith("+") else screen.removed
                yield f"  {paint(printable(line))}"


def _steps(prepared: list[_Prepared], *, is_by_hand: bool) -> Iterator[str]:
    """Yield what is to do next: once what is the same for many directories, and for each what is about its own path."""
    first_of_doors = {one.door: one for one in reversed(prepared)}.values()
    with_jobs = [one for one in prepared if not one.says("linker", "run", value=LinkerRun.SHARED)]
    if is_by_hand:
        yield _BY_HAND
    if not all(one.says("linker", "image") or one.wishes.image for one in with_jobs):
        yield _IMAGE
    for first in reversed(first_of_doors):
        yield from _next_of(first)
    yield from _name_builds(prepared)
    named = {one.around.directory for one in prepared}
    found = chain.from_iterable(one.around.find_tops() for one in prepared if one.has_entry)
    if tops := {*found} - named:
        yield _ON_TOP.format(tops=shlex.join(sorted(map(os.path.relpath, tops))))
    for first in reversed(first_of_doors):
        if first.door in {Door.FOLDER, Door.KPT}:
            yield _NOT_AS_IT_IS.format(path=first.shown)
    if not all(one.says("strategy") for one in prepared):
        yield _ADOPT


def _fold_step(step: str, screen: Screen) -> list[str]:
    """Break a sentence for the terminal. A command stays one line, to be copied."""
    said = printable(f"next: {step}")
    return [said] if _COMMAND.match(step) else fold(said.split(" "), screen.width)


def _next_of(prepared: _Prepared) -> Iterator[str]:
    wishes = prepared.wishes
    steps = [_NEXT_OF_DEPLOYERS[name] for name in wishes.deployers if name in _NEXT_OF_DEPLOYERS]
    if not steps or {*wishes.deployers} - {*_NEXT_OF_DEPLOYERS}:
        is_plain = prepared.door is Door.KUSTOMIZE and not prepared.has_entry
        steps.append(_NEXT_OF_DOORS[Door.FOLDER if is_plain else prepared.door])
    has_charts = prepared.door is Door.KUSTOMIZE and prepared.around.has_charts
    helm = "--enable-helm " if has_charts else ""
    config = shlex.quote(str(prepared.planned[0].file))
    namespace = wishes.namespace or "NAMESPACE"
    script = shlex.quote(f"krm-fn render - --config {config} --namespace {namespace}")
    for step in steps:
        for line in step.splitlines():
            yield line.format(path=prepared.shown, helm=helm, namespace=namespace, script=script)


def _name_builds(prepared: Iterable[_Prepared]) -> Iterator[str]:
    """Name what builds the directories, once for those that the same lines name."""
    named: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in prepared:
        builds = find_builds(one.elsewhere.texts, one.directory) if one.has_entry else []
        if lines := listing([*one.around.named_at, *builds], MOST_LINES):
            named[_FAIL_ALONE if one.has_entry else _GO_ON, lines].append(one.shown)
    for (says, where), paths in named.items():
        yield says.format(lines=where, path=listing(paths, _MOST_NAMES))
