"""
The process that runs the Python calls of a session: it stays from call to call, and leaves copies of itself behind.

It begins as a fork of the guest. A copy is a fork that sleeps; woken, it goes on as this process would have.
"""

import ctypes
import fcntl
import json
import os
import signal
import stat
import struct
import threading
from contextlib import suppress
from types import SimpleNamespace

from holder_link import CONTROL_FD, COPY, REPORT
from hourglass_module import make_module
from notes import NOTES_FD
from pipes import REPORT_FD
from python_call import PythonCall
from python_namespace import (
    guest_modules,
    hide_guest,
    make_main,
    open_streams,
    seed_random,
    teach_multiprocessing,
)
from python_program import OWN_BUILTINS
from report import write_all
from tracebacks import install_hooks

WAKE = signal.SIGRTMIN + 7
GUEST_PID = 1
# The first that the kernel should choose when memory runs out is the program, then a copy of it, then the guest.
_OOM_PROGRAM, _OOM_COPY = b"1000", b"300"
_EXIT_BROKEN = 70
_NO_COPY = 0
_MOST_HANDLERS = 1000
_ALL = signal.valid_signals()
_SIGNAL_OF_KILL = 0
_LENGTH = struct.Struct(">I")
_EXIT_CODE = struct.Struct(">i")
_FRAME = struct.Struct(">BI")
_DECODER = json.JSONDecoder()
# The C library's own: handlers that a program, or the module `random`, has registered for its forks are not for copies.
_fork = ctypes.PyDLL(None).fork


class PythonHolder:
    """Runs calls as they come; `serve` never returns."""

    def __init__(self, startup_modules):
        self._own_modules = guest_modules()
        self._startup_modules = startup_modules
        self._namespace = None
        self._job = {}
        self._calls = _own_functions()
        self._connections = {_identity(fd) for fd in (0, 1, 2, REPORT_FD, NOTES_FD, CONTROL_FD)}
        self._hold_signals()

    def serve(self):
        """Serves the guest until it is gone."""
        calls = self._calls
        try:
            while True:
                with OWN_BUILTINS:
                    message = self._receive()
                    if not message:
                        self._leave_copy()
                        continue
                self._run(message)
        finally:
            # Without its pipes to the guest the interpreter is of no use: it ends as it would by a crash.
            calls._exit(_EXIT_BROKEN)

    # Between calls the handlers of the program's wait: they must not end what is not their program.

    def _hold_signals(self):
        calls = self._calls
        self._mask = _insist(calls.pthread_sigmask, signal.SIG_BLOCK, ())
        _insist(calls.pthread_sigmask, signal.SIG_BLOCK, _ALL)
        self._on_interrupt = _insist(calls.getsignal, signal.SIGINT)
        if self._on_interrupt is not None:
            _insist(calls.signal, signal.SIGINT, signal.SIG_IGN)

    def _let_signals(self):
        calls = self._calls
        if self._on_interrupt is not None:
            # Forgets an interruption that came when the call it was for was over.
            _insist(calls.signal, signal.SIGINT, signal.SIG_IGN)
            _insist(calls.signal, signal.SIGINT, self._on_interrupt)
        _insist(calls.pthread_sigmask, signal.SIG_SETMASK, self._mask)

    # Calls

    def _receive(self):
        size = _LENGTH.unpack(self._read(_LENGTH.size))[0]
        return self._read(size)

    def _read(self, size):
        calls, data = self._calls, bytearray()
        while len(data) < size:
            part = calls.read(CONTROL_FD, size - len(data))
            if not part:
                calls._exit(0)
            data += part
        return bytes(data)

    def _run(self, message):
        with OWN_BUILTINS:
            spec, code, inputs = _split(message)
            if self._namespace is None:
                self._open()
            call = PythonCall(_DECODER.decode(spec.decode()), code, inputs, self._job)
        exit_code, report = 1, b""
        self._let_signals()
        with suppress(BaseException):
            exit_code, report = call.run(self._namespace)
        self._hold_signals()
        with OWN_BUILTINS:
            self._say(REPORT, _EXIT_CODE.pack(exit_code) + report)

    def _open(self):
        """The interpreter as its first call finds it."""
        open_streams()
        install_hooks(threading)
        seed_random()
        hide_guest(self._own_modules, self._startup_modules)
        teach_multiprocessing(self._job)
        self._namespace = make_main({}, make_module(None, NOTES_FD)).__dict__

    def _say(self, kind, payload):
        self._calls.set_blocking(REPORT_FD, True)
        write_all(REPORT_FD, _FRAME.pack(kind, len(payload)) + payload)

    # Copies

    def _leave_copy(self):
        """Forks twice, so that the copy is the guest's to collect; tells the guest of it, or that there is none."""
        calls = self._calls
        # Threads do not live on in a fork. `threading` knows only those of Python.
        maker = _fork() if len(calls.listdir("/proc/self/task")) == 1 else -1
        if maker == 0:
            self._make_copy()
        elif maker < 0 or self._has_failed(maker):
            self._say(COPY, _LENGTH.pack(_NO_COPY))

    def _has_failed(self, maker):
        try:
            return self._calls.waitpid(maker, 0)[1] != 0
        except ChildProcessError:
            # The program has it that nobody hears of its children's ends.
            return False

    def _make_copy(self):
        calls = self._calls
        pid = -1
        try:
            pid = _fork()
            if pid == 0:
                self._sleep()
                return
            if pid > 0:
                self._say(COPY, _LENGTH.pack(pid))
                calls._exit(0)
        except BaseException:
            pass
        if pid > 0:
            calls.kill(pid, signal.SIGKILL)
        calls._exit(1)

    def _sleep(self):
        calls = self._calls
        calls.setsid()
        self._break_connections()
        _prefer_for_oom_kill(_OOM_COPY)
        while True:
            found = calls.sigwaitinfo(_ALL)
            # Anybody may send the signal; only the kernel says who did.
            if (found.si_signo, found.si_code, found.si_pid) == (WAKE, _SIGNAL_OF_KILL, GUEST_PID):
                break
        _prefer_for_oom_kill(_OOM_PROGRAM)

    def _break_connections(self):
        """
        Gives up the copy's ends of pipes and sockets: who waits for their end must not wait for a sleeper.

        Where the copy is woken, they are as broken as if the other side had gone.
        """
        calls, dead_ends = self._calls, None
        for fd in map(int, calls.listdir("/proc/self/fd")):
            try:
                facts = calls.fstat(fd)
            except OSError:
                continue
            is_connection = stat.S_ISFIFO(facts.st_mode) or stat.S_ISSOCK(facts.st_mode)
            if not is_connection or (facts.st_dev, facts.st_ino) in self._connections:
                continue
            dead_ends = dead_ends or self._dead_ends()
            reads = calls.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
            calls.dup2(dead_ends[not reads], fd, inheritable=calls.get_inheritable(fd))
        for fd in dead_ends or ():
            calls.close(fd)

    def _dead_ends(self):
        calls = self._calls
        reader, its_writer = calls.pipe()
        its_reader, writer = calls.pipe()
        calls.close(its_writer)
        calls.close(its_reader)
        return reader, writer


def _own_functions():
    """Functions as they are before a program can put others in their place."""
    of_os = "_exit close dup2 fstat get_inheritable kill listdir pipe read set_blocking setsid waitpid".split()
    of_signal = "getsignal pthread_sigmask signal sigwaitinfo".split()
    found = {name: getattr(os, name) for name in of_os} | {name: getattr(signal, name) for name in of_signal}
    return SimpleNamespace(**found, fcntl=fcntl.fcntl)


def _insist(action, *arguments):
    """Its value, also where handlers of the program's raise what they raise meanwhile: that is no call's any more."""
    for _ in range(_MOST_HANDLERS):
        with suppress(BaseException):
            return action(*arguments)
    raise RuntimeError("handlers of signals do not stop raising")


def _identity(fd):
    facts = os.fstat(fd)
    return facts.st_dev, facts.st_ino


def _prefer_for_oom_kill(score):
    try:
        with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
            file.write(score)
    except OSError:
        # Not every runtime has it.
        pass


def _split(message):
    parts, at = [], 0
    while at < len(message):
        end = at + _LENGTH.size + _LENGTH.unpack_from(message, at)[0]
        parts.append(message[at + _LENGTH.size : end])
        at = end
    return parts
