"""Run krm-fn in forks of a process that has imported it: a fork takes a tenth of the time of a start.

A fork is a process of its own: streams, folder, environment and exit code are those of the request, and nothing stays.
What depends on the start of an interpreter needs a start: how its streams are encoded, and what is imported.
"""

import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import time

import krm_fn
from krm_fn.__main__ import main

_CREDENTIALS = "krm_fn.linker.credentials"
_OF_A_CLUSTER = ("krm_fn.linker.api", _CREDENTIALS)
"""What imports the Kubernetes client, which most commands need not."""


def serve(requests: socket.socket, *, is_for_a_cluster: bool) -> None:
    """Answer each request with the exit code.

    A request is a file of JSON and the streams of the process.
    """
    for module in pkgutil.walk_packages(krm_fn.__path__, "krm_fn."):
        if is_for_a_cluster or module.name not in _OF_A_CLUSTER:
            importlib.import_module(module.name)
    gc.freeze()  # a fork copies the memory that it writes to, and a collection writes to all objects
    while True:
        _, descriptors, _, _ = socket.recv_fds(requests, 1, 4)
        if not descriptors:
            return
        process = os.fork()
        if not process:
            _run(*descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(process, 0)
        requests.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _run(request: int, *streams: int) -> None:
    with open(request) as file:  # a descriptor has no path
        arguments, folder, environment = json.load(file)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    # The Kubernetes client has read the variable when it was imported.
    if _CREDENTIALS in sys.modules:
        sys.modules[_CREDENTIALS].__dict__["KUBE_CONFIG_DEFAULT_LOCATION"] = environment.get(
            "KUBECONFIG", "~/.kube/config"
        )
    sys.argv = ["krm-fn", *arguments]
    main()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), is_for_a_cluster="cluster" in sys.argv)
