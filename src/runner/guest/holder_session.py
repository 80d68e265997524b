"""The guest's side of an interpreter that stays from call to call: its process is the session's state."""

import json
import os
import signal

from execution import Conclusion
from holder_link import HolderLink, part
from places import replace_private
from session_points import with_call
from staging import StageError

_NO_REPORT = "the program has no result: it ended its interpreter by os._exit() or os.exec*(), or closed every descriptor"
_NO_STDIN = os.devnull


class HolderSession:
    """What languages have in common; `_spawn()` starts a fresh interpreter and sets `pid`."""

    # Whether a KILL is to interrupt the program before it kills the interpreter.
    can_interrupt = False

    def __init__(self, pipes, loop, session):
        self.pid = None
        self._pipes = pipes
        self._session = session
        self._link = HolderLink(pipes, loop, self._on_copy, self._on_report, self._on_garbage)
        self._is_running = False
        # Whether the interpreter has what a new one has, and after which calls its state was that of the session.
        self._is_fresh = True
        self._numbers = frozenset({0})

    def prepare(self):
        """Tries to have an interpreter."""
        if self.pid is None and self._link.is_garbled:
            self._link.clear()
        if self.pid is None:
            try:
                self._spawn()
            except OSError:
                # Background work may have all processes that a sandbox may have; the next call finds out.
                pass

    def start(self, call):
        """Hands the call to the interpreter and returns its process id; raises StageError."""
        self.prepare()
        if self.pid is None:
            raise StageError("/tmp", "EAGAIN", "no process can be started beside those that run")
        names = ("language", "fileVariables", "jsonDepth", "maxResultBytes", "figures")
        spec = {name: call.spec[name] for name in names}
        spec |= {"checkpoint": call.last_checkpoint, "call": call.number, "stdin": _NO_STDIN}
        if call.stdin:
            try:
                spec["stdin"] = replace_private("stdin", call.stdin)
            except OSError as error:
                raise StageError.of("/tmp", error) from None
        parts = (json.dumps(spec).encode(), call.code, call.inputs or b"{}")
        self._link.send(b"".join(map(part, parts)), spec["maxResultBytes"])
        self._is_running = True
        return self.pid

    # What the holder says

    def pump(self):
        """Takes what it has said."""
        self._link.pump()

    def await_copy(self):
        """Waits for a copy that is being made, where the language has copies."""

    def _on_copy(self, _pid):
        self._link.garbled()

    def _on_report(self, exit_code, report):
        if self._is_running:
            self._session.over(exit_code, report)
        else:
            self._link.garbled()

    def _on_garbage(self):
        self._session.broken()

    # Its processes

    def helpers(self):
        """Processes of ours beside the interpreter."""
        return ()

    def on_ended(self, ended):
        """The status of the interpreter where it is among those that ended, else None."""
        if self.pid not in ended:
            return None
        status = ended[self.pid]
        self.pid = None
        return status

    def has_crashed(self, _status):
        """It never ends by itself."""
        return True

    def interrupt(self):
        """Asks the program to leave the call."""
        self._signal(signal.SIGINT)

    def kill(self):
        """Ends the interpreter."""
        self._signal(signal.SIGKILL)

    def _signal(self, number):
        if self.pid is not None:
            os.kill(self.pid, number)

    def on_tick(self):
        """Called now and then while a call runs."""

    def keep_states(self, most):
        """How many states before the present one are kept, where the language has any."""

    # Its state

    def conclude(self, call, status):
        """The program reported for itself, unless it ended its interpreter."""
        left = os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 and not call.has_report
        return Conclusion(warnings=[_NO_REPORT] if left else [])

    def settle(self, call, _status, _conclusion):
        """What became of the state in a call that is over: `kept`, `restored` or `empty`."""
        self._is_running = False
        if self.pid is not None:
            self._keep(call.number)
            return "kept"
        self._link.clear()
        if self._bring_back():
            self._numbers = with_call(self._numbers, call.number)
            return "restored"
        self._numbers = frozenset({call.number})
        return "empty"

    def _keep(self, number):
        self._is_fresh = False
        self._numbers = frozenset({number})

    def _bring_back(self):
        """Whether the state is what it was before the interpreter died; where not, it is that of a fresh one."""
        was_fresh, self._is_fresh = self._is_fresh, True
        return was_fresh

    def go_on(self):
        """The interpreter has died between calls; whether its state is lost."""
        self._link.clear()
        if self._bring_back():
            return False
        self._numbers = frozenset()
        return True

    def after_call(self):
        """The host knows of the end: time for what the next call needs."""
        self.prepare()

    def rollback(self, number):
        """Whether the state is now the one after an earlier call."""
        return number in self._numbers
