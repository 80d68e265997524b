"""Python in the guest: imports ahead of the program, then one fork that becomes it."""

import gc
import importlib
import os
import sys
from functools import partial

from execution import Conclusion
from hourglass_module import make_module
from late_import import import_guest
from notes import NOTES_FD
from pipes import REPORT_FD
from places import PROGRAM_ENVIRONMENT, GUEST_DIR
from prepared import PreparedFork
from processes import ForkedProgram, become_program, give_up
from python_namespace import guest_modules
from python_program import PythonProgram

# What almost every program needs in the end.
_COMMON = (
    "asyncio",
    "collections.abc",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "inspect",
    "multiprocessing.context",
    "multiprocessing.spawn",
    "random",
    "statistics",
    "subprocess",
    "typing",
)
_NO_REPORT = "the program has no result: it ended by os._exit() or os.exec*(), or closed every descriptor"


class PythonRuntime:
    """Runs one Python program in a fork of the guest, which has all the imports done."""

    languages = ("python",)

    def __init__(self, startup_modules, hurry):
        self._startup_modules = startup_modules
        # Somebody waits for this guest: what a program may not need is imported after the first.
        self._late = hurry
        self._fork = PreparedFork(self._become)

    def boot(self, preload, pipes):
        """Imports what the pool asks for, and ahead what programs have in common; returns the names asked for and found."""
        # Environment first: libraries read it when they are imported.
        os.environ.clear()
        os.environ.update(PROGRAM_ENVIRONMENT)
        # What programs find on the import path is not ours.
        sys.path[:] = [entry for entry in sys.path if entry != GUEST_DIR]
        sys.dont_write_bytecode = True
        self._own_modules = guest_modules()
        warm = [name for name in preload if self._import(name)]
        if not self._late:
            self._import_common()
        threads = len(os.listdir("/proc/self/task"))
        if threads != 1:
            raise RuntimeError(f"{', '.join(warm)} started {threads - 1} threads: a fork would not have them")
        gc.collect()
        gc.freeze()
        if not self._late:
            self._fork.prepare(self._descriptors(pipes))
        return warm

    def _import_common(self):
        for name in _COMMON:
            importlib.import_module(name)

    @staticmethod
    def _import(name):
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"preload of {name} failed: {error}", file=sys.stderr)
            return False
        return True

    @staticmethod
    def _descriptors(pipes):
        return pipes.program_side(REPORT_FD, NOTES_FD)

    def start(self, execution, pipes):
        """Hands the program to the fork that waits for it, or to a new one, and returns its process id."""
        job = (execution.spec, bytes(execution.code), bytes(execution.inputs), execution.last_checkpoint)
        return self._fork.begin(job, self._descriptors(pipes), execution.loop)

    def _become(self, spec, code, inputs, last_checkpoint):
        """In the fork: leaves the guest by ForkedProgram."""
        try:
            for fd in (REPORT_FD, NOTES_FD):
                os.set_inheritable(fd, False)
            module = make_module(last_checkpoint, NOTES_FD)
            program = PythonProgram(spec, code, inputs, module)
            run = partial(program.run, self._own_modules, self._startup_modules)
        except BaseException as error:  # the fork must never go on as a guest
            give_up(f"the program could not be started: {error}")
        raise ForkedProgram(run)

    def open_session(self, pipes, loop, session):
        """An interpreter that stays from call to call; the fork that waits for a program is not needed."""
        self._fork.dismiss()
        return import_guest("python_session").PythonSession(self._fork_holder, pipes, loop, session)

    def _fork_holder(self, descriptors):
        """A fresh interpreter of a session: its process id; in the fork, leaves the guest by ForkedProgram."""
        pid = os.fork()
        if pid:
            return pid
        try:
            become_program(descriptors)
            for fd in descriptors:
                os.set_inheritable(fd, fd <= 2)
            run = import_guest("python_holder").PythonHolder(self._startup_modules).serve
        except BaseException as error:  # the fork must never go on as a guest
            give_up(f"the interpreter could not be started: {error}")
        raise ForkedProgram(run)

    def renew(self, pipes):
        """The guest itself is what runs begin from, and no program has changed it: time for what a hurry left out."""
        if self._late:
            self._late = False
            self._import_common()
            gc.collect()
            gc.freeze()
        self._fork.prepare(self._descriptors(pipes))

    def on_ended(self, ended):
        """Ends of processes other than the program's are of no interest."""
        self._fork.on_ended(ended)

    def conclude(self, execution, status):
        """The program reported for itself, unless it left without an end of the interpreter."""
        self._fork.end()
        left = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 and not execution.has_report
        return Conclusion(warnings=[_NO_REPORT] if left else [])
