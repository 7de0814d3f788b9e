"""Record which file of tests enters or reads which file of this repository: tests/entered.txt.

    .venv/bin/python -m tests.entered [what pytest gets]

A file is entered when a function of it is called, in the process of the tests or in a program that
they start, at whatever distance. What imports alone would say is wrong both ways: commands that run
as processes import nothing of the test, and most of what a test imports it never calls.

While this runs, a line in the environment lets each interpreter load this module first, and compile
our functions with a first statement that says that they are entered. So it imports nothing of ours.
Only where there is /proc. What is killed leaves `entered.pth` in the environment: run it once more.
"""

import ast
import builtins
import gc
import marshal
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from functools import _lru_cache_wrapper
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
MAP = ROOT / "tests/entered.txt"
AT_IMPORT = "(import)"
"""Stands for a test: what is entered while a module of krm_fn is imported, once a process."""

_NOTES = Path(tempfile.gettempdir()) / f"krm-fn-entered{str(ROOT).replace('/', '!')}"
_OURS = tuple(
    f"{ROOT}/{folder}/" for folder in ("action", "benchmarks", "docs", "krm_fn", "release", "tests")
)
_LEFT_OUT = ("../", ".", "build/", "<", str(MAP.relative_to(ROOT)))
_LINE = """\
import importlib.util as u; s = u.spec_from_file_location("entered", {file!r}); \
m = u.module_from_spec(s); s.loader.exec_module(m); m.record_process()
"""


class Recorder:
    """Notes what this process and its forks enter, as lines `test file` TAB `file`.

    `worker`: the process of pytest at whatever distance above, which says in a file of its number
    which file of tests it runs.
    """

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self._entered: list[dict[str, Any]] = []
        self._read: set[str] = set()
        builtins.__entered__ = self._enter  # type: ignore[attr-defined]
        SourceFileLoader.get_code = _compile  # type: ignore[assignment,method-assign]
        sys.addaudithook(self._audit)
        os.register_at_fork(after_in_child=self._begin_process)
        self._begin_process()

    def _begin_process(self) -> None:
        """Forget what the process above has noted. No loader compiles the script that is run."""
        self._forget()
        for script in map(os.path.realpath, sys.orig_argv):
            if script.startswith(_OURS) and script.endswith(".py"):
                self._note(script)

    def begin(self, test: str) -> None:
        (_NOTES / str(self._worker)).write_text(test)
        self._forget()

    def _forget(self) -> None:
        for one in self._entered:
            one["__seen__"] = False
        self._entered.clear()
        self._read.clear()

    def _enter(self, module: dict[str, Any]) -> None:
        if _is_importing(sys._getframe(2)):  # noqa: SLF001  # who called the function that is entered
            self._note(module["__file__"], AT_IMPORT)
            return
        module["__seen__"] = True
        self._entered.append(module)
        self._note(module["__file__"])

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str | os.PathLike):
            return
        name = os.fspath(arguments[0])
        if isinstance(name, str) and name not in self._read:
            self._read.add(name)
            if not name.endswith((".py", ".pyc")):
                self._note(name)

    def _note(self, name: str, test: str = "") -> None:
        path = os.path.relpath(name, ROOT)
        # A name may be relative to another folder than that of the process.
        if path.startswith(_LEFT_OUT) or not (ROOT / path).is_file():
            return
        # A test may let no file take a byte.
        with suppress(OSError), (_NOTES / f"{os.getpid()}.notes").open("a") as file:
            test = test or (_NOTES / str(self._worker)).read_text()
            file.write(f"{test}\t{path}\n")


def _is_importing(frame: FrameType | None) -> bool:
    while frame:
        code = frame.f_code
        if code.co_name == "<module>" and code.co_filename.startswith(f"{ROOT}/krm_fn/"):
            return not code.co_filename.endswith("__main__.py")
        frame = frame.f_back
    return False


def _compile(
    self: SourceFileLoader, fullname: str, _original: Any = SourceFileLoader.get_code
) -> CodeType | None:
    """Compile a module of ours with a first statement in each function, and keep that for other processes."""
    path = self.get_filename(fullname)
    if not path.startswith(_OURS) or path == __file__:
        return _original(self, fullname)  # type: ignore[no-any-return]
    kept = _NOTES / f"{path.replace('/', '!')}.code"
    if kept.exists():
        return marshal.loads(kept.read_bytes())  # type: ignore[no-any-return]  # noqa: S302  # written here
    tree = ast.parse(self.get_data(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            _begin_with(node, "if not __seen__: __entered__(globals())")
    _begin_with(tree, "__seen__ = False")
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    new = kept.with_suffix(f".{os.getpid()}")
    new.write_bytes(marshal.dumps(code))
    new.replace(kept)
    return code


def _begin_with(node: ast.FunctionDef | ast.Module, text: str) -> None:
    (statement,) = ast.parse(text).body
    place = int(ast.get_docstring(node, clean=False) is not None)
    if at := node.body[place:] or node.body:
        for one in ast.walk(statement):
            ast.copy_location(one, at[0])
    node.body.insert(place, statement)


def record_process() -> None:
    """Record this process, if pytest is above it: the line in the environment calls this."""
    number = os.getpid()
    while number > 1:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        number = int(fields[1])
        if (_NOTES / str(number)).exists():
            Recorder(number)
            return


class Plugin:
    """Says which file of tests runs, and forgets before each what functions have cached for the last one."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._file = ""

    def pytest_collectstart(self, collector: Any) -> None:
        self._begin(getattr(collector, "path", ROOT))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._begin(ROOT / nodeid.partition("::")[0])

    def _begin(self, path: Path) -> None:
        file = os.path.relpath(path, ROOT)
        if file == self._file or not path.name.startswith("test_"):
            return
        self._file = file
        for one in gc.get_objects():
            if isinstance(one, _lru_cache_wrapper) and str(one.__module__).startswith(
                ("krm_fn", "tests")
            ):
                one.cache_clear()
        self._recorder.begin(file)


def pytest_configure(config: Any) -> None:
    (_NOTES / str(os.getpid())).write_text(AT_IMPORT)
    config.pluginmanager.register(Plugin(Recorder(os.getpid())))


def row_of(path: str) -> str:
    """Return what the map calls a file: of pages, fixtures and other data only the folder."""
    if path.endswith(".py") or path.startswith("krm_fn/"):
        return path
    return "/".join(Path(path).parts[:2])


def short(test: str) -> str:
    return test.removeprefix("tests/").removesuffix(".py")


def write_map(before: str, notes: Iterable[str]) -> str:
    """Return the map with what was noted. What tests entered that did not run stays."""
    noted = [tuple(line.split("\t")) for line in notes]
    ran = {short(test) for test, _ in noted if test}
    found: dict[str, set[str]] = defaultdict(set)
    for line in before.splitlines():
        name, *tests = line.split()
        found[name] = {*tests} - ran
    for test, path in noted:
        if test and path != test:
            found[row_of(path)].add(short(test))
    return "".join(
        f"{name} {' '.join(sorted(found[name]))}\n" for name in sorted(found) if found[name]
    )


def main() -> int:
    shutil.rmtree(_NOTES, ignore_errors=True)
    _NOTES.mkdir()
    line = Path(sysconfig.get_path("purelib"), "entered.pth")
    line.write_text(_LINE.format(file=__file__))
    try:
        command = [sys.executable, "-m", "pytest", "-p", "tests.entered", *sys.argv[1:]]
        failed = subprocess.run(command, cwd=ROOT, check=False).returncode
    finally:
        line.unlink()
    notes = {line for file in _NOTES.glob("*.notes") for line in file.read_text().splitlines()}
    MAP.write_text(write_map(MAP.read_text() if MAP.exists() else "", notes))
    shutil.rmtree(_NOTES)
    return failed


if __name__ == "__main__":
    sys.exit(main())
