"""Python in the guest: imports ahead of the program, then one fork that becomes it."""

import gc
import importlib
import os
import sys
from functools import partial

# What almost every program needs in the end; imported once, before it arrives.
import asyncio  # noqa: F401
import collections.abc  # noqa: F401
import csv  # noqa: F401
import datetime  # noqa: F401
import decimal  # noqa: F401
import inspect  # noqa: F401
import multiprocessing.context  # noqa: F401
import multiprocessing.spawn  # noqa: F401
import random  # noqa: F401
import statistics  # noqa: F401
import subprocess  # noqa: F401
import typing  # noqa: F401

from execution import Conclusion
from pipes import REPORT_FD
from places import PROGRAM_ENVIRONMENT, GUEST_DIR
from processes import ForkedProgram, become_program, give_up
from python_namespace import guest_modules
from python_program import PythonProgram

_NO_REPORT = "the program has no result: it ended by os._exit() or os.exec*(), or closed every descriptor"


class PythonRuntime:
    """Runs one Python program in a fork of the guest, which has all the imports done."""

    languages = ("python",)

    def __init__(self, startup_modules):
        self._startup_modules = startup_modules

    def boot(self, preload, _pipes):
        """Imports what the pool asks for; returns the names that could be imported."""
        # Environment first: libraries read it when they are imported.
        os.environ.clear()
        os.environ.update(PROGRAM_ENVIRONMENT)
        # What programs find on the import path is not ours.
        sys.path[:] = [entry for entry in sys.path if entry != GUEST_DIR]
        sys.dont_write_bytecode = True
        warm = [name for name in preload if self._import(name)]
        threads = len(os.listdir("/proc/self/task"))
        if threads != 1:
            raise RuntimeError(f"{', '.join(warm)} started {threads - 1} threads: a fork would not have them")
        self._own_modules = guest_modules()
        gc.collect()
        gc.freeze()
        return warm

    @staticmethod
    def _import(name):
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(f"preload of {name} failed: {error}", file=sys.stderr)
            return False
        return True

    def start(self, execution, pipes):
        """Forks; the parent gets the process id, the child leaves by ForkedProgram."""
        pid = os.fork()
        if pid:
            return pid
        try:
            become_program(pipes.program_side(REPORT_FD))
            os.set_inheritable(REPORT_FD, False)
            program = PythonProgram(execution.spec, bytes(execution.code), bytes(execution.inputs))
            run = partial(program.run, self._own_modules, self._startup_modules)
        except BaseException as error:  # the fork must never go on as a guest
            give_up(f"the program could not be started: {error}")
        raise ForkedProgram(run)

    def renew(self, _pipes):
        """The guest itself is what runs begin from, and no program has changed it."""

    def on_ended(self, ended):
        """Ends of processes other than the program's main one are of no interest."""

    def conclude(self, execution, status):
        """The program reported for itself, unless it left without an end of the interpreter."""
        left = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 and not execution.has_report
        return Conclusion(warnings=[_NO_REPORT] if left else [])
