"""Python in a session: one interpreter, and copies of it that wait beside it with the states of earlier calls."""

import os
import signal

from cgroup import memory_held, memory_limit
from holder_link import CONTROL_FD, wait_until
from holder_session import HolderSession
from notes import NOTES_FD
from pipes import REPORT_FD
from processes import end_process
from session_points import Points
from session_processes import read_process

MAX_COPIES = 8
WAKE = signal.SIGRTMIN + 7
# A copy is two forks. The host does not wait for ever for the answer to its KILL.
COPY_SECONDS = 0.5
# In place of a copy: a new fork of the guest has that state.
_FRESH = 0


class PythonSession(HolderSession):
    """
    After each call the interpreter leaves a copy of itself, a fork that sleeps until a signal of the guest's wakes it.

    Threads do not live on in a fork: while there are any, no copy is left.
    """

    def __init__(self, fork_holder, pipes, loop, session):
        super().__init__(pipes, loop, session)
        self._fork_holder = fork_holder
        self._points = Points(MAX_COPIES, self._drop)
        # Copies that were killed and have not been collected.
        self._leaving = set()
        # Whether a copy was asked for, and whether the newest one has the state that the interpreter began its call with.
        self._is_asked = self._has_copy = False
        self._most_memory = (memory_limit() or 0) // 2
        self._link.listen()

    def _spawn(self):
        program_side = self._pipes.program_side(REPORT_FD, NOTES_FD)
        self.pid = self._fork_holder({**program_side, CONTROL_FD: self._link.control_read})

    @property
    def can_interrupt(self):
        """Where neither a copy nor a fresh fork has the state, it is better to ask first."""
        return not self._has_copy and not self._is_fresh

    def start(self, call):
        """As for every language; copies must not take the memory that the call may need."""
        self.on_tick()
        return super().start(call)

    def keep_states(self, most):
        """As many copies, and one with the present state."""
        self._points.keep(min(most, MAX_COPIES) + 1)

    def on_tick(self):
        """Gives up the oldest copy where memory gets scarce."""
        if self._most_memory and len(self._points) > self._has_copy and (memory_held() or 0) > self._most_memory:
            self._points.trim(len(self._points) - 1)

    # Copies

    def after_call(self):
        """Leaves a copy of what the call has left."""
        super().after_call()
        self._ask()

    def _ask(self):
        if not self._is_asked and not self._has_copy and not self._is_fresh:
            self._is_asked = True
            self._link.send(b"")

    def await_copy(self):
        """Waits until the interpreter has left the copy that it was asked for."""
        wait_until(self._link, lambda: not self._is_asked, COPY_SECONDS)

    def _on_copy(self, pid):
        if not self._is_asked or pid == os.getpid() or pid >= 1 << 22:
            self._link.garbled()
            return
        self._is_asked = False
        if pid:
            self._has_copy = True
            self._points.add(self._numbers, pid)

    def _drop(self, pid):
        if pid == _FRESH:
            return
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self._leaving.add(pid)

    def helpers(self):
        """The copies."""
        return {*self._points.holders(), *self._leaving} - {_FRESH}

    def on_ended(self, ended):
        """As for every language; copies may have been killed, too."""
        self._leaving.difference_update(ended)
        gone = [pid for pid in self._points.holders() if pid in ended]
        if gone:
            self._has_copy = self._has_copy and self._points.holders()[-1] not in gone
            self._points.forget(gone)
        return super().on_ended(ended)

    # The state

    def _keep(self, number):
        if self._is_fresh:
            self._points.add(self._numbers, _FRESH)
        self._has_copy = False
        super()._keep(number)

    def _bring_back(self):
        self._is_asked = False
        if not self._has_copy:
            return super()._bring_back()
        self._has_copy = False
        return self._wake(self._points.take_newest()[1]) or super()._bring_back()

    def _wake(self, pid):
        """Whether a copy is the interpreter now."""
        process = read_process(pid)
        # A program may have said that some other process is a copy.
        if process is None or process.parent != os.getpid():
            return False
        os.kill(pid, WAKE)
        self.pid = pid
        return True

    def go_on(self):
        """As for every language; another copy is left at once."""
        is_lost = super().go_on()
        self._ask()
        return is_lost

    def rollback(self, number):
        """Ends the interpreter, and later copies, for the copy with the state after a call."""
        if super().rollback(number):
            return True
        self.await_copy()
        point = self._points.take(number)
        if point is None:
            return False
        self._numbers, pid = point
        if self.pid is not None:
            end_process(self.pid)
        self.pid = None
        self._link.clear()
        self._is_asked = self._has_copy = False
        self._is_fresh = pid == _FRESH
        is_back = self._is_fresh or self._wake(pid)
        if not is_back:
            self._is_fresh, self._numbers = True, frozenset()
            self._session.lose()
        self.after_call()
        return is_back
