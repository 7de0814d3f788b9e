"""`krm-fn init`: write what lets a deployer run the function over a directory."""

import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from krm_fn.base.keys import SET_NAME
from krm_fn.base.kind import PROTECTIONS
from krm_fn.base.link_plan import REVISION_KINDS
from krm_fn.base.problem import Outcome, listing, read_list
from krm_fn.cli.options import (
    PATH,
    RenderingOptions,
    RendersFirst,
    colour_option,
    find_packages,
    find_terminal,
    refuse,
    rendering_options,
)

if TYPE_CHECKING:
    from krm_fn.report.table import Screen
    from krm_fn.tools.diff.diff import NamesOfSeveral
    from krm_fn.tools.init.init import Surroundings
    from krm_fn.tools.opened.opened import Opened

_ACTION = r"[\w.-]+(/[\w.-]+)+@([0-9a-f]{40}|[0-9a-f]{64})"


@click.command(
    cls=RendersFirst,
    short_help="Write krm-fn.yaml for a directory, and the entry that runs it.",
)
@click.argument("directories", metavar="[DIR]...", nargs=-1, type=PATH)
@click.option(
    "--deployer",
    "deployers",
    type=click.Choice([*PROTECTIONS]),
    multiple=True,
    help="The program that applies the manifests. Can be repeated. Default: kpt with a Kptfile, helm for a chart.",
)
@click.option(
    "--set",
    "set_name",
    metavar="NAME",
    default="",
    help="The name of the set. Default: the name of the Kptfile, chart or kustomization, or else of the folder.",
)
@click.option(
    "--ci",
    type=click.Choice(["github", "gitlab"]),
    help="Also write a file that shows changes in reviews.",
)
@click.option(
    "--action",
    metavar="OWNER/REPO@SHA",
    default="",
    help="For --ci: the repository to which you have pushed krm-fn, and a commit. No release is published yet.",
)
@click.option(
    "--share",
    metavar="FOLDER",
    type=PATH,
    help="Write one shared configuration into this folder. Each kustomization names it, with its own set.",
)
@click.option(
    "--service-account",
    "account",
    metavar="NAME",
    default="",
    help="An existing ServiceAccount for the linker. Default: each set gets its own, with its Role.",
)
@click.option(
    "--strategy",
    type=click.Choice(["rename", "adopt", "checksum"]),
    help="Write spec.strategy. Use adopt for the first sync of an application that already runs.",
)
@click.option(
    "--kinds",
    metavar="KIND,...",
    default="",
    help="Write spec.kinds, such as ConfigMap,Secret. Default: only ConfigMaps.",
)
@click.option(
    "--remove",
    "is_removal",
    is_flag=True,
    help="Remove what init has written. With --share: also the folder, unless others name it.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing, and show what would be written.")
@colour_option
@rendering_options
def init(
    *,
    directories: tuple[str, ...],
    deployers: tuple[str, ...],
    set_name: str,
    ci: str | None,
    action: str,
    share: str | None,
    account: str,
    strategy: str | None,
    kinds: str,
    is_removal: bool,
    dry_run: bool,
    wants_colour: bool,
    rendering: RenderingOptions,
) -> Outcome:
    """Write krm-fn.yaml into a directory, and the entry with which its deployer runs the function.

    \b
    - a kustomization gets an entry in `transformers:`,
      and krm-fn.yaml the annotation that kustomize needs,
      not for --deployer argocd or flux: there, krm-fn builds it
    - a Kptfile gets an entry in `pipeline.mutators`,
      and krm-fn.yaml the one that kpt needs
    - a chart gets a configuration for a post-renderer, and you the command;
      --namespace is that of the release
    - any other directory needs krm-fn.yaml alone

    The command overwrites nothing. A file with a new entry keeps its comments and layout, and an existing configuration
    is used. A second run changes nothing.

    First, a rendering in memory shows which ConfigMaps and Secrets would be renamed, which are left alone, and why. If
    it fails, or if a file cannot be edited with certainty, nothing is written.

    DIR is the current directory by default. With several DIRs, all are written or none. What a pattern such as
    'apps/*/overlays/*' matches and cannot be configured comes last, and all others are written. --linker-image is
    written into krm-fn.yaml.

    With --share, kustomizations share one configuration, in FOLDER. Each DIR gets a folder `krm` that names the
    configuration and the set. Directories that are configured already stay as they are.

    --remove removes what init has written, from all directories or from none. If somebody has edited more than values
    of spec, it names the place, and changes nothing. The last lines say what to do before you apply the result.

    Exit codes: 0 written, or nothing is left to write; 1 an error, or lines that you have to add: nothing is
    written, or only the other packages of a pattern; 2 wrong arguments.
    """  # noqa: D301  # click's mark for lines that it must not join
    from krm_fn.tools.diff.diff import NamesOfSeveral
    from krm_fn.tools.init.init import Pipeline, Wishes
    from krm_fn.tools.init.init import init as init_directories
    from krm_fn.tools.init.init import remove as remove_from_directories

    found = _find_directories(directories, rendering.exclude)
    wished = (*deployers, set_name, ci, account, strategy, kinds, rendering.linker_image)
    _refuse_misuse(
        config=rendering.config,
        set_name=set_name,
        account=account,
        action=action,
        has_ci=ci is not None,
        directories=len(found),
        is_wished_removal=is_removal and any(wished),
    )
    wishes = Wishes(
        tuple(dict.fromkeys(deployers)),
        set_name,
        rendering.namespace,
        rendering.linker_image or "",
        Pipeline[ci] if ci else None,
        action,
        account=account,
        strategy=strategy or "",
        kinds=_read_kinds(kinds),
    )
    screen = find_terminal(wants_colour=wants_colour)
    shared = None if share is None else Path(share)
    if is_removal:
        return remove_from_directories(
            [*found], rendering.limits, shared, screen, is_dry_run=dry_run
        )
    names = NamesOfSeveral()
    surroundings_of = partial(_read_surroundings, rendering=rendering, screen=screen, names=names)
    done = init_directories(found, wishes, surroundings_of, shared, screen, is_dry_run=dry_run)
    return _warn_of_shared(done, names, rendering) if done.stdout else done


def _warn_of_shared(done: Outcome, names: "NamesOfSeveral", rendering: RenderingOptions) -> Outcome:
    """Warn about revisions that two of the directories share; of a set, `init` itself says more."""
    from krm_fn.report.secrets import stderr_lines

    shared = names.find_shared(rendering.limits)
    said = stderr_lines(problem for problem in shared if problem.resource is not None)
    return done._replace(stderr=done.stderr + said)


def _read_surroundings(
    directory: Path, *, rendering: RenderingOptions, screen: "Screen", names: "NamesOfSeveral"
) -> "Surroundings":
    """Say how a directory is rendered. `names` gets those of the rendering."""
    from krm_fn.tools.elsewhere.elsewhere import NamesElsewhere
    from krm_fn.tools.explain.explain import sum_up_rendering
    from krm_fn.tools.init.init import Surroundings

    environment = rendering.environment()
    elsewhere = NamesElsewhere(directory, rendering.limits, is_everywhere=True)

    def sum_up(opened: "Opened") -> Outcome:
        outcome, run = sum_up_rendering(opened, environment, screen, elsewhere)
        names.add(os.path.relpath(directory), run)
        return outcome

    return Surroundings(rendering.helm, environment, rendering.limits, sum_up, elsewhere)


def _find_directories(given: tuple[str, ...], excluded: tuple[str, ...]) -> dict[Path, str]:
    found = find_packages(given or (".",), excluded, each=True) or {}
    for path in found:
        if not Path(path).is_dir():
            message = f"{path} is no directory"
            raise click.UsageError(message)
    return {Path(path): typed for path, typed in found.items()}


def _refuse_misuse(
    *,
    config: object,
    set_name: str,
    account: str,
    action: str,
    has_ci: bool,
    directories: int,
    is_wished_removal: bool,
) -> None:
    refuse(
        {
            "--config has no effect: krm-fn init writes the configuration, or uses the existing one": (
                config is not None
            ),
            f"--set found {set_name!r}, expected letters in lower case, digits, - and ., at most 63": (
                set_name and not SET_NAME.fullmatch(set_name)
            ),
            f"--service-account found {account!r}, expected the name of a ServiceAccount": (
                account and not SET_NAME.fullmatch(account)
            ),
            f"--action found {action!r}, expected OWNER/REPO@SHA with a whole commit, and --ci beside it": (
                action and not (has_ci and re.fullmatch(_ACTION, action))
            ),
            f"--set is the name of one set, and these are {directories} directories": (
                set_name and directories > 1
            ),
            "--remove takes directories and --share, and nothing about what would be written": (
                is_wished_removal
            ),
        }
    )


def _read_kinds(text: str) -> tuple[str, ...]:
    """Read the value of --kinds. Raises UsageError."""
    named = read_list(text)
    unknown = [one for one in named if one not in REVISION_KINDS]
    if unknown:
        message = f"--kinds found {unknown[0]!r}; allowed: {listing(REVISION_KINDS)}"
        raise click.UsageError(message)
    return tuple(dict.fromkeys(named))
