"""Load the credentials for an API server: those of a pod, else those of a kubeconfig.

No error shows a value of the user, such as a token or a key: the client's own would in several
cases.
"""

import os
import shutil
import ssl
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from kubernetes import config
from kubernetes.client import Configuration
from kubernetes.config import ConfigException
from kubernetes.config.kube_config import (
    KUBE_CONFIG_DEFAULT_LOCATION,
    ConfigNode,
    KubeConfigLoader,
    KubeConfigMerger,
    _cleanup_temp_files,
)
from urllib3 import disable_warnings
from urllib3.exceptions import InsecureRequestWarning
from urllib3.util.ssl_ import create_urllib3_context

from krm_fn.base.named_tuple import NamedTuple
from krm_fn.base.node import Json
from krm_fn.linker.exec_plugin import PluginFailed, run_plugin
from krm_fn.linker.read import mapping
from krm_fn.linker.retry import Deadline, NoResponse, OutOfTime, Stopped, within

_IN_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount")

_LEAST = 1.0
"""Seconds to load them even after the deadline, when a token has expired in the middle of a run."""

_MOST_VALUES = 100_000
"""Values in a kubeconfig: a thousand clusters have a tenth of them."""

_RENEWING = Lock()

_FILES = ("tokenFile", "client-certificate", "client-key")
"""Fields of a user that name a file."""


class NoCredentials(Exception):
    """There are no credentials, or they cannot be used. The message says why."""


class Access(NamedTuple):
    """A choice of cluster and user.

    Without any of these it is the pod's own, else that of the default kubeconfig.

    `kubeconfig` is a file, and `context` a name in it.
    """

    kubeconfig: str | None = None
    context: str | None = None

    @property
    def is_of_pod(self) -> bool:
        return self == Access() and _IN_POD.exists()


class Credentials(NamedTuple):
    """The address and the credentials of an API server.

    `tls`: the client's certificate, if no file holds it.
    """

    configuration: Configuration
    tls: ssl.SSLContext | None = None


def list_contexts(kubeconfig: str | None) -> list[str]:
    """Return the contexts of a kubeconfig. Raises NoCredentials if there is none."""
    what = "no contexts"
    try:
        contexts = [str(one.get("name")) for one in _read_contexts(kubeconfig)[0]]
    except (ConfigException, OSError) as error:
        message = f"{what}: {error}; set --kubeconfig, or KUBECONFIG"
        raise NoCredentials(message) from error
    if not contexts:
        message = f"{what}: no kubeconfig has one; set --kubeconfig, or KUBECONFIG"
        raise NoCredentials(message)
    return contexts


def find_namespace(access: Access) -> str:
    """Return the pod's own namespace, else that of the kubeconfig's context."""
    file = _IN_POD / "namespace"
    if access.is_of_pod and file.exists():
        return file.read_text().strip()
    contexts, current = _read_contexts(access.kubeconfig)
    name = access.context or current
    chosen = next((one for one in contexts if one.get("name") == name), {})
    return str(mapping(chosen.get("context")).get("namespace") or "default")


def load_credentials(access: Access, deadline: Deadline) -> Credentials:
    """Return the address and the credentials of an API server.

    No file is written for a library that wants one.

    They are read once: a token that has expired is answered with 401, and then the caller loads
    them again. Raises NoCredentials, after the deadline too, and what the deadline raises.
    """
    configuration = Configuration()
    configuration.retries = False  # `retry` repeats requests, until the deadline
    tls: ssl.SSLContext | None = None
    try:
        if access.is_of_pod:
            _read_within(deadline, partial(config.load_incluster_config, configuration))
        else:
            kubeconfig = _read_within(deadline, partial(_Kubeconfig, access))
            kubeconfig.replace_plugin(deadline)
            tls = _read_within(deadline, partial(kubeconfig.load, configuration))
    except NoResponse as error:
        message = f"reading them is {error}"
        raise NoCredentials(message) from error
    except (ConfigException, PluginFailed, OSError) as error:
        raise NoCredentials(str(error)) from error
    except (NoCredentials, Stopped, OutOfTime):
        raise
    except Exception as error:
        # The client fails in any way at what it does not expect, and may show it.
        message = f"the client cannot read them ({type(error).__name__})"
        raise NoCredentials(message) from error
    _clean_token(configuration)
    # The kubeconfig asks for it; urllib3 would warn of every request.
    if not configuration.verify_ssl:
        disable_warnings(InsecureRequestWarning)
    return Credentials(configuration, tls)


def _read_within(deadline: Deadline, read: Callable[[], Any]) -> Any:
    """Read files, which may be pipes, or ask an OpenID provider."""
    return within(max(_LEAST, deadline.left()), read)


def _clean_token(configuration: Configuration) -> None:
    """Take the white space around a token away, as kubectl does with a file. Raises NoCredentials.

    The HTTP library shows a header that it cannot send.
    """
    configuration.refresh_api_key_hook = None  # it would read the token again, as it is
    header = configuration.api_key.get("BearerToken")
    if header is None:
        return
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if not token:
        message = "the token is empty"
        raise NoCredentials(message)
    if not token.isascii() or not token.isprintable():
        message = "the token has a character that HTTP cannot carry"
        raise NoCredentials(message)
    configuration.api_key["BearerToken"] = f"{scheme} {token}"


class _Merger(KubeConfigMerger):
    """The files of a kubeconfig.

    A renewed token is written into a file as a whole: the run may end at any time.

    The client writes each part out as text, with all that its aliases stand for, and nothing can
    interrupt that.
    """

    def load_config(self, path: str) -> None:
        super().load_config(path)
        _refuse_bombs(self.config_files[path])

    def _merge(self, item: str, add_cfg: Any, path: str) -> None:
        _refuse_bombs(add_cfg)
        super()._merge(item, add_cfg, path)

    def save_config(self, path: str) -> None:
        whole = Path(path).resolve()
        copy = str(whole.with_name(f".{whole.name}.{os.getpid()}"))
        Path(copy).touch(mode=0o600)
        shutil.copymode(whole, copy)
        self.config_files[copy] = self.config_files[path]
        try:
            super().save_config(copy)
            Path(copy).replace(whole)
        finally:
            del self.config_files[copy]
            # It holds the token, and is only there after a failure.
            Path(copy).unlink(missing_ok=True)


class _Bomb(Exception):
    """Aliases stand for too many values."""


def _refuse_bombs(value: object) -> None:
    """Raise _Bomb if aliases stand for so many values that to write them out takes seconds."""
    if _count_values(value, {}) > _MOST_VALUES:
        raise _Bomb


def _count_values(value: object, counted: dict[int, int]) -> int:
    """Count a value and all that is in it, as often as it is there."""
    parts: Iterable[object] = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, list):
        parts = value
    if id(value) not in counted:
        counted[id(value)] = _MOST_VALUES  # what contains itself has no end
        counted[id(value)] = 1 + sum(_count_values(one, counted) for one in parts)
    return counted[id(value)]


class _Kubeconfig:
    """The kubeconfig of an access, and the names of the context, the user and the cluster in it."""

    def __init__(self, access: Access) -> None:
        self._merger = _merge(access.kubeconfig)
        self._config = self._merger.config
        if self._config is None:
            message = "Invalid kube-config file. No configuration found."
            raise ConfigException(message)
        for part in ("clusters", "contexts", "users"):
            # The client names each after all that is in it, and its errors show that name.
            self._config.value[part] = [
                ConfigNode(f"{part}[name={one.value['name']}]", one.value, one.path)
                for one in self._config.value[part]
            ]
        names = [str(one.value["name"]) for one in self._config.value["contexts"]]
        if access.context and access.context not in names:
            message = f"the kubeconfig has no context {access.context}; found: {', '.join(names)}"
            raise NoCredentials(message)
        self._context = access.context or self._config.value.get("current-context")
        context = self._find("contexts", self._context, "context")
        self._user, self._cluster = context.get("user"), context.get("cluster")

    def replace_plugin(self, deadline: Deadline) -> None:
        """Put what the user's plugin prints in the place of the plugin.

        The client would wait for it for ever.
        """
        user = self._find("users", self._user, "user")
        is_known = any(user.get(field) for field in ("token", "tokenFile", "auth-provider"))
        if is_known or "exec" not in user:
            return
        node = next(one for one in self._config.value["users"] if one.value["name"] == self._user)
        cluster = self._find("clusters", self._cluster, "cluster")
        printed = run_plugin(mapping(user["exec"]), str(Path(node.path).parent), cluster, deadline)
        user = {key: value for key, value in user.items() if key != "exec"}
        if "token" in printed:
            user["token"] = printed["token"]
        if "clientCertificateData" in printed:
            user["client-certificate-data"] = b64encode(
                printed["clientCertificateData"].encode()
            ).decode()
            user["client-key-data"] = b64encode(printed["clientKeyData"].encode()).decode()
        node.value = {**node.value, "user": user}

    def load(self, configuration: Configuration) -> ssl.SSLContext | None:
        """Load it into the client's configuration, and return the kubeconfig's own certificate.

        The client would write it and its key into files, which stay when the process is ended.
        """
        user = self._find("users", self._user, "user")
        self._check_files(user)
        provider = mapping(user.get("auth-provider"))
        if "cmd-path" in mapping(provider.get("config")):
            message = "auth-provider with a cmd-path has gone from kubectl 1.26, and from here; use exec in its place"
            raise NoCredentials(message)
        authority = self._take_data("clusters", self._cluster, "cluster", "certificate-authority")
        certificate = self._take_data("users", self._user, "user", "client-certificate")
        key = self._take_data("users", self._user, "user", "client-key")
        loader = KubeConfigLoader(
            self._config,
            active_context=self._context,
            config_base_path=None,
            config_persister=self._merger.save_changes,
        )
        if provider:
            # The client writes a token that it renews into the kubeconfig: several at once would
            # break the file. And the certificate of the provider, which is no secret, is in a file
            # meanwhile.
            with _RENEWING:
                try:
                    loader.load_and_set(configuration)
                finally:
                    _cleanup_temp_files()
        else:
            loader.load_and_set(configuration)
        if authority:
            # There may be remarks around it.
            configuration.ca_cert_data = authority.decode("ascii", "ignore")
        is_used = str(configuration.host).startswith("https") and (
            certificate or configuration.cert_file
        )
        return (
            _open_tls(configuration, certificate, key) if is_used and (certificate or key) else None
        )

    def _take_data(self, part: str, name: object, field: str, file: str) -> bytes:
        """Take what stands in the kubeconfig in the place of a file; `b""` if nothing does."""
        values = self._find(part, name, field)
        data = values.get(f"{file}-data")
        if not data:
            return b""
        node = next(one for one in self._config.value[part] if one.value["name"] == name)
        kept = {key: value for key, value in values.items() if key not in {file, f"{file}-data"}}
        node.value = {**node.value, field: kept}
        return b64decode(data)

    def _check_files(self, user: Json) -> None:
        """Raise NoCredentials for a file that is not there.

        It shows no path, as it may be a key by mistake.
        """
        for field in _FILES:
            if not user.get(field) or user.get(f"{field}-data"):
                continue
            folder = next(
                (
                    one.path
                    for one in self._config.value["users"]
                    if one.value["name"] == self._user
                ),
                "",
            )
            try:
                (Path(folder).parent / str(user[field])).stat()
            except (OSError, ValueError) as error:
                message = f"{field} of the user: {getattr(error, 'strerror', None) or 'no file has this name'}"
                raise NoCredentials(message) from None

    def _find(self, part: str, name: object, field: str) -> Json:
        """Return a context, a user or a cluster; an empty one if there is none."""
        nodes = [one for one in self._config.value[part] if one.value["name"] == name]
        return mapping(nodes[0].value.get(field)) if nodes else {}


def _open_tls(configuration: Configuration, certificate: bytes, key: bytes) -> ssl.SSLContext:
    """Return the context of connections with a certificate, parts of which may be in files."""
    context = create_urllib3_context(
        cert_reqs=ssl.CERT_REQUIRED if configuration.verify_ssl else ssl.CERT_NONE
    )
    if not (configuration.ssl_ca_cert or configuration.ca_cert_data):
        context.load_default_certs()
    with ExitStack() as stack:
        certificate_file = (
            stack.enter_context(_readable(certificate))
            if certificate
            else str(configuration.cert_file)
        )
        key_file = stack.enter_context(_readable(key)) if key else configuration.key_file
        try:
            # OpenSSL would ask at the terminal for the password of a key that is encrypted.
            context.load_cert_chain(certificate_file, key_file, password="")
        except OSError as error:
            message = "the client certificate and its key in the kubeconfig do not fit together, or are none"
            raise NoCredentials(message) from error
    configuration.cert_file = configuration.key_file = (
        None  # or the client loads the one of them that is a file
    )
    return context


@contextmanager
def _readable(data: bytes) -> Iterator[str]:
    """Make a path at which a library can read this once.

    It is that of a pipe: whatever happens, no file stays.
    """
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as pipe:
            pipe.write(data)

    # A thread: the data may be more than a pipe holds.
    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)
        thread.join()


def _merge(kubeconfig: str | None) -> _Merger:
    files = kubeconfig or KUBE_CONFIG_DEFAULT_LOCATION
    try:
        return _Merger(files)
    except OSError:
        raise
    except _Bomb as error:
        message = f"{files}: its aliases stand for more than {_MOST_VALUES:,} values"
        raise ConfigException(message) from error
    except Exception as error:
        # The client's reader fails in any way at what is no YAML, or has another form.
        message = f"{files} is no kubeconfig"
        raise ConfigException(message) from error


@cache
def _read_contexts(kubeconfig: str | None) -> tuple[list[Json], object]:
    """Return the contexts of all files together, and which is the current one.

    There are none if there is no file.

    Once: to read fifty clusters takes a tenth of a second, and each of them asks.
    """
    merged = _merge(kubeconfig).config
    if merged is None:
        return [], None
    return [mapping(one.value) for one in merged.value["contexts"]], merged.value.get(
        "current-context"
    )
