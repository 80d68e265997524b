"""What a program finds around it: its `__main__` module, its streams, its modules, its random numbers."""

import builtins
import importlib
import io
import json
import os
import sys
import types
from importlib.machinery import PathFinder

from inputs import usable_as_globals
from places import GUEST_DIR, SANDBOX, write_private

# Where a script of this name would lie. No such file exists, so that listings of /sandbox show the user's files only.
MAIN_FILE = f"{SANDBOX}/main.py"
# Top-level names of modules of Python's that the user has files for.
_shadowed = set()
_TEXT = {"encoding": "utf-8", "newline": "\n"}
_SPAWNED_MAIN = f"{GUEST_DIR}/spawned_main.py"


def open_streams():
    """
    Fresh standard streams, as `python3 -u` makes them in this locale.

    What is printed is written at once: a program that is killed loses nothing of it, and what it starts prints in turn.
    """
    sys.stdin = sys.__stdin__ = open_stdin()
    raw = [io.FileIO(fd, "w", closefd=False) for fd in (1, 2)]
    for stream, name in zip(raw, ("<stdout>", "<stderr>")):
        stream.name = name
    sys.stdout = io.TextIOWrapper(raw[0], errors="surrogateescape", write_through=True, **_TEXT)
    sys.stderr = io.TextIOWrapper(raw[1], errors="backslashreplace", write_through=True, **_TEXT)
    for stream in (sys.stdout, sys.stderr):
        stream.mode = "w"
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    return [sys.stdout, sys.stderr]


def open_stdin():
    """A fresh standard input, which has read nothing of the descriptor."""
    raw = io.FileIO(0, "r", closefd=False)
    raw.name = "<stdin>"
    stream = io.TextIOWrapper(io.BufferedReader(raw), errors="surrogateescape", **_TEXT)
    stream.mode = "r"
    return stream


class OwnBuiltins:
    """Within it, built-in names mean what they meant when this was made, whatever a program made of them."""

    def __init__(self):
        self._names = dict(vars(builtins))
        self._replaced = {}

    def __enter__(self):
        now = vars(builtins)
        self._replaced = now | {}
        now |= self._names

    def __exit__(self, *_):
        vars(builtins).update(self._replaced)


def guest_modules():
    """Names of the modules that are ours; found ahead of a fork, because looking at all modules copies their pages."""
    return [name for name, module in sys.modules.items() if _is_ours(module)]


def _is_ours(module):
    return (getattr(module, "__file__", None) or "").startswith(GUEST_DIR)


def hide_guest(own_modules, startup_modules):
    """
    Makes `import` behave as in a fresh interpreter started in /sandbox.

    Modules of ours disappear, and what a file of the user shadows is forgotten, so that the user's is found.
    """
    for name in own_modules:
        del sys.modules[name]
    sys.path.insert(0, SANDBOX)
    sys.argv[:] = ["main.py"]
    sys.orig_argv[:] = ["python3", "main.py"]
    _shadowed.update(name for name in _local_modules() if name not in startup_modules)
    _set_aside()


def _set_aside():
    """Forgets the modules that have the name of a file of the user; returns them."""
    # Looking at all names copies their pages in a fork, and hardly anybody has such a file.
    names = [name for name in sys.modules if name.partition(".")[0] in _shadowed] if _shadowed else []
    return {name: sys.modules.pop(name) for name in names}


def _local_modules():
    for entry in os.listdir(SANDBOX):
        name, dot, suffix = entry.partition(".")
        if (dot and suffix == "py") or (not dot and os.path.isfile(f"{SANDBOX}/{entry}/__init__.py")):
            yield name


def make_main(inputs, hourglass):
    """A fresh `__main__` with the inputs as globals, and the module `hourglass`; returns `__main__`."""
    module = types.ModuleType("__main__")
    namespace = module.__dict__
    namespace.update(__file__=MAIN_FILE, __builtins__=builtins, __annotations__={}, __cached__=None)
    if "hourglass" not in _shadowed:
        sys.modules["hourglass"] = namespace["hourglass"] = hourglass
    namespace["inputs"] = inputs
    namespace.update(usable_as_globals(inputs))
    # As the import of multiprocessing has it: what a spawned process sends back belongs to this module.
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    return module


def seed_random():
    """Random state of its own for the program: a fork has a copy of its parent's."""
    for name in ("random", "numpy.random"):
        # One that is imported later has a state of its own.
        if name in sys.modules:
            sys.modules[name].seed()


def import_own(name):
    """A module of Python's own for our own use; a file of the user that has its name stays what the program finds."""
    path = sys.path[:]
    sys.path[:] = [entry for entry in path if entry != SANDBOX]
    theirs = _set_aside()
    try:
        return importlib.import_module(name)
    finally:
        _set_aside()
        sys.modules.update(theirs)
        sys.path[:] = path


class _SpawnFinder:
    """Finds `multiprocessing.spawn` for a program that imports it, and teaches it."""

    def __init__(self, teach):
        self._teach = teach

    def find_spec(self, name, path, _target=None):
        """As the import system has it: None for any other module."""
        if name != "multiprocessing.spawn":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is not None:
            execute = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (execute(module), self._teach(module))
        return spec


def teach_multiprocessing(job):
    """
    Lets `spawn` and `forkserver` find the program: their processes run it again, as Python has them do.

    `job` has its `source`, its `inputs` as bytes and its `fileVariables`; it is looked at when a process is started.
    """

    def teach(spawn):
        original = spawn.get_preparation_data

        def get_preparation_data(name):
            data = original(name)
            if data.get("init_main_from_path") == MAIN_FILE:
                found = {**job, "inputs": job["inputs"].decode()}
                write_private("program.json", json.dumps(found).encode())
                data["init_main_from_path"] = _SPAWNED_MAIN
            return data

        spawn.get_preparation_data = get_preparation_data

    process, spawn = (sys.modules.get(f"multiprocessing.{name}") for name in ("process", "spawn"))
    if process is not None:
        process.ORIGINAL_DIR = SANDBOX
    if spawn is not None:
        teach(spawn)
    else:
        sys.meta_path.insert(0, _SpawnFinder(teach))
