"""Run krm-fn in forks of a process that has imported it: a fork takes a tenth of the time of a start.

A fork is a process of its own: streams, folder, environment and exit code are those of the request, and nothing stays.
What depends on the start of an interpreter needs a start: how its streams are encoded, and what is imported.
"""

import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import NoReturn

import krm_fn
from krm_fn.__main__ import main

_CREDENTIALS = "krm_fn.linker.credentials"
_OF_A_CLUSTER = ("krm_fn.linker.api", _CREDENTIALS)
"""What imports the Kubernetes client, which most commands need not."""


def serve(requests: socket.socket, *, is_for_a_cluster: bool) -> None:
    """Answer each request with the process id, and at its end with the exit code.

    A request is a socket for the answers, a file of JSON, and the streams of the process.
    """
    for module in pkgutil.walk_packages(krm_fn.__path__, "krm_fn."):
        if is_for_a_cluster or module.name not in _OF_A_CLUSTER:
            importlib.import_module(module.name)
    gc.freeze()  # a fork copies the memory that it writes to, and a collection writes to all objects
    # One process waits for each, so that they run beside one another. Nobody waits for those.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        _, descriptors, _, _ = socket.recv_fds(requests, 1, 5)
        if not descriptors:
            return
        if not os.fork():
            _wait_for_one(*descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _wait_for_one(answers: int, *descriptors: int) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if not process:
        _run(*descriptors)
    os.write(answers, b"%d\n" % process)
    _, status = os.waitpid(process, 0)
    with suppress(BrokenPipeError):  # who has killed it does not ask any more
        os.write(answers, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _run(request: int, *streams: int) -> NoReturn:
    with open(request) as file:  # a descriptor has no path
        arguments, folder, environment, constants = json.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    # The Kubernetes client has read the variable when it was imported.
    for name in sys.modules.keys() & {_CREDENTIALS, "kubernetes.config.kube_config"}:
        default = environment.get("KUBECONFIG", "~/.kube/config")
        sys.modules[name].__dict__["KUBE_CONFIG_DEFAULT_LOCATION"] = default
    for name, value in constants.items():
        module, _, constant = name.rpartition(".")
        if module in sys.modules:  # of an earlier version
            sys.modules[module].__dict__[constant] = value
    sys.argv = ["krm-fn", *arguments]
    sys.exit(main())  # the code, in an earlier version


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), is_for_a_cluster="cluster" in sys.argv)
