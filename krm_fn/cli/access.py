"""The options that say which cluster and namespace: the same for every command that asks an API server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from typing import Any, TypeAlias

import click

from krm_fn.cli.options import PATH
from krm_fn.model.printable import printable
from krm_fn.model.problem import Outcome
from krm_fn.stdio import write_stderr

_Command: TypeAlias = Callable[..., Outcome]

_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--namespace", "-n", metavar="NAME", help="Default: the pod's own, else that of the kubeconfig's context."
    ),
    click.option("--context", metavar="NAME", help="Context of the kubeconfig."),
    click.option("--kubeconfig", metavar="FILE", type=PATH, help="Default: $KUBECONFIG, else ~/.kube/config."),
)


def access_options(command: _Command) -> _Command:
    """Add the options to a command, as `namespace`, `context` and `kubeconfig`."""
    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), command)


def say(line: str) -> None:
    """Say what is waited for, on stderr: stdout may be JSON."""
    write_stderr(f"{printable(line)}\n")


@contextmanager
def needs_client() -> Iterator[None]:
    """Say how to install the Kubernetes client if it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"needs the Python package {error.name}: pip install 'krm-fn[linker]'"
        raise click.ClickException(message) from error
